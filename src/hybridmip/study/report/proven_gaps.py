"""What the paper could not measure: certified gaps, proofs, times, and who found what."""

from __future__ import annotations

import math

from hybridmip.study.document import Document, Grid, Heading, Picture, Text
from hybridmip.study.plan import FIT_ROUNDS
from hybridmip.study.report.findings import Findings
from hybridmip.study.report.words import NOTHING, listed, number
from hybridmip.study.solvers import NAMES
from hybridmip.study.tables import LABELS


def table4(document: Document, findings: Findings) -> None:
    """Certified gaps, proofs, times, and who found what."""
    frames, answers = findings.frames, findings.answers
    rows = []
    for row in frames["table4_work"].to_dict("records"):
        fitted = (
            f"{number(row['mean_fitted_gap_percent'], 2)} ({number(row['max_fitted_gap_percent'], 2)})"
            if math.isfinite(row["mean_fitted_gap_percent"])
            else NOTHING
        )
        rows.append([
            row["set"] if row["method"] == "paper" else "", LABELS[row["method"]],
            f"{row['at_best_known']} of {row['answers']}",
            f"{number(row['mean_objective_gap_percent'])} ({number(row['max_objective_gap_percent'])})",
            f"{number(row['mean_certified_gap_percent'], 2)} ({number(row['max_certified_gap_percent'], 2)})",
            fitted, f"{row['proven']} of {row['answers']}",
            f"{number(row['mean_seconds'], 2)} ({number(row['max_seconds'], 2)})", f"{row['mean_evaluations']:,.0f}",
        ])  # fmt: skip
    document.add(
        Heading("Table 4: what the paper could not measure"),
        Text(
            "The certified gap, (objective - bound) / objective, says how far from optimal an answer can be at most. "
            "*Fitted* is the gap of Ours when it may spend a second or a few on the bound "
            f"(`Config(fit=FitSettings(rounds={FIT_ROUNDS}))`, one seed). Means, with the largest in "
            "parentheses; gaps in percent."
        ),
        Grid(
            ["set", "method", "at the best known", "objective gap", "certified gap", "fitted", "proven optimal",
             "seconds", "restricted problems"],
            rows, words=2,
        ),
    )  # fmt: skip
    proofs = []
    for row in frames["table4_proofs"].to_dict("records"):
        by = [str(row["by_ours"]), *(str(row[f"by_{solver}"]) for solver in answers.options.reference)]
        left = number(row["largest_gap_left_percent"], 2)
        proofs.append([row["set"], f"{row['proven']} of {row['feasible']}", *by, left])
    document.add(
        Text("Which references are proven, and by whom (all seeds and the fitted bounds together):"),
        Grid(
            ["set", "proven", "by ours", *(f"by {NAMES[s]}" for s in answers.options.reference), "largest gap left, %"],
            proofs,
        ),
        Text(
            f"Times are of one core each, {findings.study.jobs} of them at work side by side, on the machine named at "
            "the end. Who found the final answer, over all targets and seeds:"
        ),
    )
    found = frames["table4_found_by"]
    document.add(
        Grid(
            ["method", "found by", "answers", "share"],
            [[LABELS[r["method"]], r["found_by"], str(r["answers"]), f"{100 * r['share']:.1f} %"]
             for r in found.to_dict("records")],
            words=2,
        ),
        Text(
            "How often each phase improved the answer. *Start* is a first choice (for Ours, with descents from a "
            "random and from the least one, called quick start), *core* tries every choice that the bound leaves over:"
        ),
        Grid(
            ["method", "phase", "solves that reached it", "solves it improved", "improvements", "seconds",
             "restricted problems"],
            [[LABELS[r["method"]], r["phase"], str(r["solves"]), str(r["solves_improved"]), str(r["improvements"]),
              number(r["seconds"], 1), f"{r['evaluations']:,}"] for r in frames["table4_phases"].to_dict("records")],
            words=2,
        ),
        Text(_phase_words(findings)),
        Picture(
            "convergence",
            "Objective and certified bound over time at the hardest target of every set (the one with the largest "
            "certified gap left), first seed. Ours fits its bound; Paper has Line's bound only, which is not shown.",
        ),
    )  # fmt: skip


def _phase_words(findings: Findings) -> str:
    frame = findings.frames["table4_phases"]
    words = []
    for method in ("paper", "ours"):
        own = frame[(frame["method"] == method) & (frame["improvements"] == 0) & (frame["evaluations"] > 0)]
        if len(own):
            names = listed(f"{r['phase']} ({r['evaluations']:,} restricted problems)" for r in own.to_dict("records"))
            words.append(f"{LABELS[method]}: no improvement came from {names}.")
            if method == "paper" and "neighborhood" in set(own["phase"]):
                words.append(
                    "Each exchange of the paper's neighborhood search starts from the last neighbor, better or not, so "
                    "that after a few it is far from the best."
                )
    if not words:
        return "Every phase that solved restricted problems improved some answer."
    return " ".join(words)
