"""Certified gaps: Persp with the largest-trace and with the fitted diagonal, and CPLEX's gap beside it."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import numpy as np

import hybridmip as hm
from benchmarks.buyin import read
from benchmarks.common import NOTHING, Options, Record, Skip, data_dir, median, number, say, section, table
from benchmarks.frontier import ASSETS, MIN_WEIGHT, POINTS
from benchmarks.peers import PEERS, warm_up
from hybridmip.io.orlib import read_port, read_portef
from hybridmip.relax.fitted import fitted
from hybridmip.relax.persp import Persp
from hybridmip.relax.protocol import Relaxed, Setting

#: Seconds for fitting the diagonal to a target, and for an instance of the MV set.
FIT_SECONDS = 1.0
MV_SECONDS = 10.0


def run(options: Options) -> None:
    """Measure, and write bounds.json."""
    folder = data_dir()
    record = Record(
        options, "bounds", assets=ASSETS, min_weight=MIN_WEIGHT, points=POINTS, fit_seconds=FIT_SECONDS,
        mv_seconds=MV_SECONDS,
    )  # fmt: skip
    warm_up(options.threads)
    sets = [_set(name, folder, options.quick) for name in options.sets if (folder / "orlib" / f"{name}.txt").is_file()]
    stems = sorted(file.with_suffix("") for file in (folder / "mv").glob("*.mat"))
    if not sets and not stems:
        raise Skip("no orlib/port*.txt and no mv/*.mat in the data folder")
    if PEERS["cplex"].missing:
        record.note(PEERS["cplex"].missing)
    instances = [_instance(stem, options) for stem in (stems[:1] if options.quick else stems)]
    record.write(sets=sets, instances=instances)


def _set(name: str, folder: Path, quick: bool) -> dict[str, Any]:
    port = read_port(folder / "orlib" / f"{name}.txt")
    returns, _ = read_portef(folder / "orlib" / f"{name.replace('port', 'portef')}.txt")
    portfolio = hm.Portfolio(port.returns, port.covariance, assets=ASSETS, min_weight=MIN_WEIGHT)
    targets = np.linspace(returns.min(), returns.max(), POINTS)
    points: list[dict[str, Any]] = []
    neighbor = diagonal_seconds = None
    for i in range(0, POINTS, 10 if quick else 1):
        problem = portfolio.with_target(float(targets[i])).problem()
        answer = hm.solve(problem, config=hm.Config.quick(), warm_start=neighbor)
        if answer.b is None:
            continue
        neighbor = answer.b
        setting = Setting(problem)
        started = time.perf_counter()
        setting.find_diagonal()
        if diagonal_seconds is None:
            diagonal_seconds = time.perf_counter() - started
        started = time.perf_counter()
        largest = Persp().solve(setting, {}, None)
        between = time.perf_counter()
        best = fitted(setting, largest, 30, FIT_SECONDS)
        ended = time.perf_counter()
        points.append({
            "point": i, "objective": answer.objective, "largest_trace": _gap(problem, largest, answer.objective),
            "fitted": _gap(problem, best, answer.objective), "seconds": between - started,
            "fit_seconds": ended - between,
        })  # fmt: skip
    say(f"  {name}: {len(points)} targets, largest-trace gaps up to {max(p['largest_trace'] for p in points):.4f}")
    return {"name": name, "n": len(port.returns), "diagonal_seconds": diagonal_seconds, "points": points}


def _gap(problem: hm.Problem, relaxed: Relaxed, objective: float) -> float:
    """Gap that the certificate proves; the certificate is verified."""
    assert relaxed.proof is not None
    certificate = hm.Certificate.make(problem, *relaxed.proof)
    found = certificate.verify(problem)
    if not found:
        raise AssertionError(f"a certificate was rejected: {found.reason}")
    return 1 - certificate.claimed / objective


def _instance(stem: Path, options: Options) -> dict[str, Any]:
    problem = read(stem).problem()
    seconds = 1.0 if options.quick else MV_SECONDS
    result = hm.solve(problem, time_limit=seconds, config=hm.Config(threads=options.threads))
    assert result.certificate is not None
    if not result.certificate.verify(problem):
        raise AssertionError(f"{stem.name}: the certificate was rejected")
    entry: dict[str, Any] = {
        "name": stem.name, "n": problem.n, "objective": result.objective, "gap": result.gap,
        "certificate": 1 - result.certificate.claimed / result.objective, "seconds": result.seconds,
    }  # fmt: skip
    if not PEERS["cplex"].missing:
        answer = PEERS["cplex"].solve(problem, seconds, options.threads, options.relative_gap)
        entry["cplex"] = answer.gap if math.isfinite(answer.gap) else None
    say(f"  {stem.name}: gap {result.gap:.4f}, certificate {entry['certificate']:.4f}, CPLEX {entry.get('cplex')}")
    return entry


def report(documents: list[dict[str, Any]]) -> str:
    """The section of RESULTS.md."""
    (document,) = documents

    def percent(value: float | None) -> str:
        return NOTHING if value is None else f"{100 * value:.2f} %"

    rows = []
    for entry in document["sets"]:
        for method in ("largest_trace", "fitted"):
            gaps = [point[method] for point in entry["points"]]
            took = [point["seconds" if method == "largest_trace" else "fit_seconds"] for point in entry["points"]]
            rows.append([
                entry["name"], entry["n"], method.replace("_", " "), percent(sum(gaps) / len(gaps)),
                percent(median(gaps)), percent(max(gaps)), number(median(took)), number(max(took)),
                number(entry["diagonal_seconds"]) if method == "largest_trace" else "",
            ])  # fmt: skip
    instances = [
        [e["name"], e["n"], percent(e["certificate"]), percent(e["gap"]), number(e["seconds"]), percent(e.get("cplex"))]
        for e in document["instances"]
    ]
    if document["instances"]:
        mean = sum(e["certificate"] for e in document["instances"]) / len(document["instances"])
        instances.append(["mean", "", percent(mean), "", "", ""])
    settings = document["settings"]
    return section(
        "Certified gaps",
        documents,
        f"(value - certified bound) / value over the feasible ones of {settings['points']} targets, exactly "
        f"{settings['assets']} assets, weights 0 or in [{settings['min_weight']}, 1]. `largest trace` is Persp with "
        "the diagonal that is found once per covariance (last column), `fitted` the diagonal fitted to each target "
        f"in at most {settings['fit_seconds']:g} s more. Every certificate was verified.",
        table(
            ["set", "assets", "diagonal", "mean", "median", "largest", "s per target", "slowest s", "diagonal s"],
            rows,
        ),
        f"Minimum buy-in (MV set): {settings['mv_seconds']:g} s each, ours (value, certificate and what was proven by "
        "trying all that the certificate leaves over) beside CPLEX's gap after the same time:",
        table(["instance", "n", "certificate", "proven gap", "seconds", "CPLEX's gap"], instances),
    )
