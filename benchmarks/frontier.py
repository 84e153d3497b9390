"""Frontiers of the OR-Library sets: ours, point by point, against CPLEX and others with a time limit each.

Methods take turns at every target, so that noise hits all of them.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

import hybridmip as hm
from benchmarks.common import (
    EQUAL,
    NOTHING,
    Options,
    Record,
    Skip,
    data_dir,
    median,
    number,
    ratio,
    say,
    section,
    table,
)
from benchmarks.peers import PEERS, ours, warm_up
from hybridmip.io.orlib import read_port, read_portef

ASSETS, MIN_WEIGHT, POINTS = 10, 0.01, 50


def run(options: Options) -> None:
    """Measure, and write frontier-<set>.json for every set."""
    folder = data_dir()
    warm_up(options.threads)
    for name in options.sets:
        files = [folder / "orlib" / f"{stem}.txt" for stem in (name, name.replace("port", "portef"))]
        absent = [file.name for file in files if not file.is_file()]
        if absent:
            say(f"  {name} skipped: {' and '.join(absent)} not found in the data folder")
            continue
        _run_set(options, name, *files, folder / "reference" / f"{name}.json")


def _run_set(options: Options, name: str, port_file: Path, frontier_file: Path, reference_file: Path) -> None:
    port = read_port(port_file)
    returns, _ = read_portef(frontier_file)
    targets = np.linspace(returns.min(), returns.max(), POINTS)
    reference = _reference(reference_file, targets)
    record = Record(
        options, f"frontier-{name}", assets=ASSETS, min_weight=MIN_WEIGHT, points=POINTS, seeds=options.seeds,
        seconds_per_target=options.seconds_per_target, relative_gap=options.relative_gap, peers=options.peers,
        assets_to_choose_from=len(port.returns),
    )  # fmt: skip
    portfolio = hm.Portfolio(port.returns, port.covariance, assets=ASSETS, min_weight=MIN_WEIGHT)
    usable = []
    for key in options.peers:
        if PEERS[key].missing:
            record.note(PEERS[key].missing)
        else:
            usable.append(key)
            if PEERS[key].remark:
                record.note(PEERS[key].remark)
    picked = range(2, POINTS, 12) if options.quick else range(POINTS)
    points = []
    neighbor: dict[int, Any] = dict.fromkeys(options.seeds)
    for i in picked:
        at_target = portfolio.with_target(float(targets[i]))
        answers: dict[str, dict[str, Any]] = {}
        for seed in options.seeds:
            answer, result = ours(at_target.problem, seed, options.threads)
            answers[f"ours-{seed}"] = {**answer.raw, "gap": result.gap, "evaluations": result.evaluations}
            # As along a frontier: the search alone, from the answer at the target before.
            answer, result = ours(
                at_target.problem, seed, options.threads, config=hm.Config.quick, warm_start=neighbor[seed]
            )
            answers[f"quick-{seed}"] = {**answer.raw, "evaluations": result.evaluations}
            neighbor[seed] = result.b if result.b is not None else neighbor[seed]
        for key in usable:
            if key != "cplex" and not options.quick and i % options.stride:
                continue
            problem = at_target.problem()
            answer = PEERS[key].solve(problem, options.seconds_per_target, options.threads, options.relative_gap)
            if answer.note:
                record.note(f"{name}: {answer.note}")
            if answer.ran:
                answers[key] = answer.raw
        point: dict[str, Any] = {"point": i, "target": float(targets[i]), "answers": answers}
        if reference is not None:
            point["reference"] = reference[i]
        points.append(point)
        shown = ", ".join(f"{m} {number(a['objective'], 7)} in {number(a['seconds'])} s" for m, a in answers.items())
        say(f"  {name} {i + 1:2d}/{POINTS}: {shown}")
    record.write(points=points)


def _reference(file: Path, targets: np.ndarray) -> list[float] | None:
    """Optimal values of the targets, infinite where proven infeasible; None without a file of them."""
    if not file.is_file():
        return None
    points = json.loads(file.read_text())["points"]
    if not np.allclose([point["target_return"] for point in points], targets, rtol=1e-9, atol=0):
        raise Skip(f"{file.name} is of other targets")
    return [point["objective"] if point["feasible"] else math.inf for point in points]


def best_known(point: dict[str, Any]) -> float:
    """Least value known: the reference's or that of any method; infinite if there is none."""
    values = [answer["objective"] for answer in point["answers"].values()] + [point.get("reference")]
    return min((value for value in values if value is not None), default=math.inf)


def summary(points: list[dict[str, Any]], method: str) -> dict[str, Any] | None:
    """Totals of one method over the points it ran on; None if there are none."""
    ran = [point for point in points if method in point["answers"]]
    if not ran:
        return None
    answers = [point["answers"][method] for point in ran]
    excesses, missed, infeasible, proven = [], 0, 0, 0
    for point, answer in zip(ran, answers, strict=True):
        best = best_known(point)
        if math.isinf(best):
            infeasible += answer["status"] == "infeasible"
            continue
        proven += answer["status"] == "optimal"
        if answer["objective"] is None or math.isinf(answer["objective"]):
            missed += 1
            continue
        excesses.append(answer["objective"] / best - 1)
    feasible = len(excesses) + missed
    return {
        "points": [point["point"] for point in ran],
        "seconds": sum(answer["seconds"] for answer in answers),
        "found_at": sum(answer["found_at"] or 0.0 for answer in answers),
        "feasible": feasible,
        "infeasible_targets": len(ran) - feasible,
        "proven_infeasible": infeasible,
        "at_best": sum(excess <= EQUAL for excess in excesses),
        "missed": missed,
        "largest_excess": max(excesses, default=math.nan),
        "proven": proven,
    }


def report(documents: list[dict[str, Any]]) -> str:
    """The section of RESULTS.md."""
    keys = [key for key in PEERS if any(key in document["settings"]["peers"] for document in documents)]
    times: list[list[object]] = []
    found: list[list[object]] = []
    quality: list[list[object]] = []
    extra: list[str] = []
    totals: dict[str, list[tuple[float, list[Any], list[Any]]]] = {}
    for document in documents:
        name, points = document["name"].removeprefix("frontier-"), document["points"]
        seeds = [f"ours-{seed}" for seed in document["settings"]["seeds"]]
        by_seed = [s for s in (summary(points, method) for method in seeds) if s is not None]
        seconds = median(s["seconds"] for s in by_seed)
        n = document["settings"]["assets_to_choose_from"]
        quick = [f"quick-{seed}" for seed in document["settings"]["seeds"]]
        swept = [s for s in (summary(points, method) for method in quick) if s is not None]
        row: list[object] = [
            name,
            n,
            number(seconds),
            number(median(s["seconds"] for s in swept)) if swept else NOTHING,
        ]
        late: list[object] = [name, number(median(s["found_at"] for s in by_seed))]
        peers = {key: summary(points, key) for key in keys}
        for key in keys:
            peer = peers[key]
            if peer is None:
                row += [NOTHING] * 3
                late += [NOTHING, NOTHING]
                continue
            subset = [point for point in points if point["point"] in set(peer["points"])]
            mine = [summary(subset, method) for method in seeds]
            few = "" if len(subset) == len(points) else f" ({len(subset)} targets)"
            row += [number(peer["seconds"]) + few, ratio(peer["seconds"], median(s["seconds"] for s in mine if s))]
            mine_quick = [summary(subset, method) for method in quick]
            row.append(ratio(peer["seconds"], median(s["seconds"] for s in mine_quick if s)))
            totals.setdefault(key, []).append((peer["seconds"], mine, mine_quick))
            late += [number(peer["found_at"]) + few, ratio(peer["found_at"], median(s["found_at"] for s in mine if s))]
        times.append(row)
        found.append(late)
        methods = [*((f"ours, seed {m.removeprefix('ours-')}", s) for m, s in zip(seeds, by_seed, strict=True))]
        methods += [*((f"quick sweep, seed {m.removeprefix('quick-')}", s) for m, s in zip(quick, swept, strict=False))]
        methods += [(PEERS[key].name, peers[key]) for key in keys]
        for label, s in methods:
            if s is None:
                quality.append([name, label] + [NOTHING] * 6)
                continue
            quality.append([
                name, label, number(s["seconds"]), f"{s['at_best']}/{s['feasible']}", number(s["largest_excess"], 2),
                s["missed"], f"{s['proven']}/{s['feasible']}", f"{s['proven_infeasible']}/{s['infeasible_targets']}",
            ])  # fmt: skip
        for point in points:
            known, best = point.get("reference"), best_known(point)
            if "reference" in point and math.isfinite(best) and (known is None or best < known * (1 - EQUAL)):
                said = "where the reference says infeasible" if known is None else f"below the reference's {known:.9e}"
                extra.append(f"- {name}, target {point['point']}: {best:.9e} was found, {said}")
    settings = documents[0]["settings"]
    limits = sorted({document["settings"]["seconds_per_target"] for document in documents})
    late_heads = [head for key in keys for head in (f"{PEERS[key].name} s", f"{PEERS[key].name} / ours")]
    heads = [
        head
        for key in keys
        for head in (f"{PEERS[key].name} s", f"{PEERS[key].name} / ours", f"{PEERS[key].name} / quick sweep")
    ]
    in_all: list[object] = ["all", "", "", ""]
    for key in keys:
        rows = totals.get(key, [])
        both = [sum(median(s["seconds"] for s in row[which] if s) for row in rows) for which in (1, 2)]
        theirs = sum(row[0] for row in rows)
        in_all += [number(theirs), ratio(theirs, both[0]), ratio(theirs, both[1])] if rows else [NOTHING] * 3
    times.append(in_all)
    return section(
        "Frontiers of the OR-Library sets",
        documents,
        f"{settings['points']} target returns, exactly {settings['assets']} assets, weights 0 or in "
        f"[{settings['min_weight']}, 1], each target a problem of its own. Peers stop at a relative gap of "
        f"{settings['relative_gap']:g} or after {' or '.join(f'{limit:g}' for limit in limits)} s a target; ours when "
        "its search has converged, with or without a proof of optimality, which peers always aim at (see `proven`); of "
        "ours the median over seeds. The quick sweep is `Config.quick()`, the search without bounds, with the answer "
        "at the target before as a warm start.",
        "Total seconds, and the ratio over the same targets:",
        table(["set", "assets", "ours s", "quick sweep s", *heads], times),
        "Seconds until the last improvement, summed over the targets (proofs left out; CPLEX's is read by a "
        "callback and may come late):",
        table(["set", "ours s", *late_heads], found),
        f"Quality. Best known is the reference's value where there is one (port1 to port3) or the best of all "
        f"methods; `at best` is within {EQUAL:g} of it, excess is relative to it, `none found` counts feasible "
        "targets without a point, `proven` those the method proved optimal (ours: gap 1e-6), the last column "
        "targets without any portfolio that it proved to be so:",
        table(
            ["set", "method", "seconds", "at best", "largest excess", "none found", "proven", "proven infeasible"],
            quality,
        ),
        *(["\n".join(extra)] if extra else []),
    )
