"""What each part is worth."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from hybridmip.study.document import Document, Grid, Heading, Picture, Text
from hybridmip.study.plan import ABLATION_PATIENCE, ABLATION_STEP
from hybridmip.study.report.findings import Findings
from hybridmip.study.report.words import NOTHING, counted, listed, number


def ablation(document: Document, findings: Findings) -> None:
    """What is lost when a part is left out."""
    frame, answers = findings.frames["ablation"], findings.answers
    if frame.empty:
        return
    targets, seeds = int(frame["targets"].iloc[0]), int(frame["seeds"].iloc[0])
    rows = []
    for r in frame.to_dict("records"):
        rows.append([
            {"paper": "paper's + Persp", "ours": "ours"}[r["pipeline"]] if r["without"] == "nothing" else "",
            f"without {r['without']}" if r["without"] != "nothing" else "all parts",
            number(r["objective_gap_percent"]), _interval(r, "objective_gap"), f"{r['at_best_known_percent']:.1f} %",
            number(r["certified_gap_percent"], 3), _interval(r, "certified_gap"),
        ])  # fmt: skip
    document.add(
        Heading("What each part is worth"),
        Text(
            f"One part is left out at a time, on every {'other' if answers.options.quick else f'{ABLATION_STEP}th'} "
            f"target of every set ({targets} targets, {counted(seeds, 'seed')} each). Differences are to the pipeline "
            "with all parts, in percentage points, paired by target and seed, with 95 % bootstrap intervals "
            "over the targets: an interval that contains 0 means that nothing was shown. The paper's pipeline gets "
            "Persp as a fourth relaxation, so that there are "
            "seven parts to leave out; *without persp* is `Config.paper()` itself. Ours gets no patience "
            f"(`descent.patience` is {ABLATION_PATIENCE}: descents and wider exchanges, but no shaking), so that a "
            "difference has a chance to show. In ours, crossovers are a part of the neighborhood "
            "search, and leaving that out leaves only the best of the pool."
            + (" This is a quick run: its intervals rest on few targets." if answers.options.quick else "")
        ),
        Grid(
            ["pipeline", "", "objective gap, %", "difference", "at the best known", "certified gap, %", "difference"],
            rows, words=2,
        ),
        Picture(
            "ablation",
            "What is lost without each part: mean difference to the pipeline with all parts, in percentage points, "
            "with 95 % intervals. To the right of zero the part is worth something.",
        ),
        Text(_ablation_words(frame)),
    )  # fmt: skip


def _ablation_words(frame: pd.DataFrame) -> str:
    words = []
    for pipeline, subject in (("paper", "In the paper's pipeline"), ("ours", "In ours")):
        own = frame[(frame["pipeline"] == pipeline) & (frame["without"] != "nothing")]
        for what, name in (("objective_gap", "objective gap"), ("certified_gap", "certified gap")):
            worth = own[own[f"{what}_low"] > 0]
            harm = own[own[f"{what}_high"] < 0]
            if what == "certified_gap":
                worth = worth[worth["objective_gap_low"] <= 0]
            parts = []
            if len(worth):
                parts.append(f"{listed(worth['without'])} shown to lower the {name}".replace(" shown", (
                    " is shown" if len(worth) == 1 else " are shown")))  # fmt: skip
            if len(harm) and what == "objective_gap":
                parts.append(f"{listed(harm['without'])} to raise it")
            if what == "objective_gap":
                open_ = own[(own[f"{what}_low"] <= 0) & (own[f"{what}_high"] >= 0)]
                if len(open_):
                    parts.append(f"for {listed(open_['without'])} no difference is shown")
            if parts:
                start = subject if what == "objective_gap" else "Beyond that"
                words.append(f"{start}, {'; '.join(parts)}.")
    return " ".join(words)


def _interval(row: Mapping[Hashable, Any], what: str) -> str:
    mean, low, high = (float(row[f"{what}_{end}"]) for end in ("more", "low", "high"))
    if row["without"] == "nothing" or not math.isfinite(mean):
        return NOTHING
    return f"{mean:+.4f} [{low:+.4f}, {high:+.4f}]"
