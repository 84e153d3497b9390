"""Mean-variance with minimum buy-in (the MV set of Frangioni and Gentile): values at equal time.

minimise x'Qx, mu'x >= rho, sum x = 1, l b <= x <= u b; no row on b.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.common import NOTHING, Options, Record, Skip, data_dir, number, say, section, table
from benchmarks.mv import read
from benchmarks.peers import PEERS, ours, warm_up

#: Seconds of ours, and of every peer (one run each).
OUR_SECONDS = 5.0
PEER_SECONDS = (5.0, 40.0)


def _best_known(file: Path) -> dict[str, tuple[float, float]]:
    """Best known value and published lower bound of every instance."""
    known = {}
    if file.is_file():
        with file.open(newline="") as lines:
            for row in csv.DictReader(lines):
                name = re.match(r"mv/(\w+)", row["file"])
                if name:
                    bound = re.search(r"lower bound ([\d.]+)", row["note"])
                    known[name[1]] = (float(row["best_known"]), float(bound[1]) if bound else math.nan)
    return known


def run(options: Options) -> None:
    """Measure, and write buyin.json."""
    folder = data_dir()
    stems = sorted(file.with_suffix("") for file in (folder / "mv").glob("*.mat"))
    if not stems:
        raise Skip("no mv/*.mat in the data folder")
    known = _best_known(folder / "reference" / "best_known.csv")
    our_seconds, peer_seconds = (1.0, (1.0, 2.0)) if options.quick else (OUR_SECONDS, PEER_SECONDS)
    record = Record(
        options, "buyin", our_seconds=our_seconds, peer_seconds=peer_seconds, peers=options.peers,
        relative_gap=options.relative_gap, seeds=options.seeds,
    )  # fmt: skip
    record.note(
        "Peers get the model as written, with l b <= x <= u b; the perspective reformulation, which helps them "
        "on this family, is not part of it."
    )
    warm_up(options.threads)
    for key in options.peers:
        for text in (PEERS[key].missing, PEERS[key].remark):
            if text:
                record.note(text)
    instances = []
    for stem in stems[:2] if options.quick else stems:
        portfolio = read(stem)
        best, bound = known.get(stem.name, (math.nan, math.nan))
        answers: dict[str, dict[str, Any]] = {}
        for seed in options.seeds:
            answer, result = ours(portfolio.problem, seed, options.threads, our_seconds)
            answers[f"ours-{seed}"] = {**answer.raw, "gap": result.gap, "bound": result.bound}
            say(f"  {stem.name}: ours, seed {seed}: {number(answer.objective, 9)} in {number(answer.seconds)} s")
        for key in options.peers:
            for seconds in peer_seconds:
                answer = PEERS[key].solve(portfolio.problem(), seconds, options.threads, options.relative_gap)
                if answer.note and answer.status != "missing":
                    record.note(answer.note if answer.status == "refused" else f"{stem.name}: {answer.note}")
                if answer.ran:
                    answers[f"{key}-{seconds:g}"] = answer.raw
                    shown = f"{number(answer.objective, 9)} in {number(answer.seconds)} s"
                    say(f"  {stem.name}: {PEERS[key].name}, {seconds:g} s: {shown}")
        instances.append({"name": stem.name, "n": portfolio.n, "best": best, "bound": bound, "answers": answers})
    record.write(instances=instances)


def report(documents: list[dict[str, Any]]) -> str:
    """The section of RESULTS.md."""
    (document,) = documents
    settings, instances = document["settings"], document["instances"]
    methods = [
        (f"{key}-{s:g}", f"{PEERS[key].name} {s:g} s") for key in settings["peers"] for s in settings["peer_seconds"]
    ]
    seeds = [f"ours-{seed}" for seed in settings["seeds"]]

    def least(entry: dict[str, Any]) -> float:
        values = [a["objective"] for a in entry["answers"].values()] + [entry["best"]]
        return min(value for value in values if value is not None)

    def rows(cell: Callable[[dict[str, Any], list[dict[str, Any]]], str]) -> list[list[object]]:
        lines = []
        for entry in instances:
            line: list[object] = [entry["name"], entry["n"], number(entry["best"], 9)]
            line.append(cell(entry, [entry["answers"][seed] for seed in seeds]))
            for method, _ in methods:
                answer = entry["answers"].get(method)
                line.append(NOTHING if answer is None else cell(entry, [answer]))
            lines.append(line)
        return lines

    def worst(entry: dict[str, Any], answers: list[dict[str, Any]]) -> float | None:
        values = [answer["objective"] for answer in answers]
        return None if None in values else max(values)

    def value(entry: dict[str, Any], answers: list[dict[str, Any]]) -> str:
        return number(worst(entry, answers), 9)

    def excess(entry: dict[str, Any], answers: list[dict[str, Any]]) -> str:
        objective = worst(entry, answers)
        return NOTHING if objective is None else number(objective / least(entry) - 1, 2)

    heads = ["instance", "n", "best known", f"ours {settings['our_seconds']:g} s", *(label for _, label in methods)]
    details: list[list[object]] = []
    for entry in instances:
        mine = [entry["answers"][seed] for seed in seeds]
        details.append([
            entry["name"], number(max(answer["seconds"] for answer in mine)),
            number(max((answer["found_at"] for answer in mine if answer["found_at"] is not None), default=None)),
            number(max(math.inf if answer["gap"] is None else answer["gap"] for answer in mine), 2),
            number(None if entry["bound"] is None else entry["best"] / entry["bound"] - 1, 2),
        ])  # fmt: skip
    return section(
        "Minimum buy-in (MV set)",
        documents,
        f"Objective at equal time; of ours the worst of the seeds {', '.join(map(str, settings['seeds']))}.",
        table(heads, rows(value)),
        "Excess over the least value known, the ones above included (best known values are published with nine "
        "digits):",
        table(heads, rows(excess)),
        "Ours in detail, worst of the seeds: seconds, time of the last improvement, proven gap; beside it the gap "
        "between the best known value and the published lower bound:",
        table(["instance", "seconds", "last improvement s", "proven gap", "published gap"], details),
    )
