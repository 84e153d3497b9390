"""Proofs: every target of the OR-Library sets proven, each on its own, beside what the peers prove in a minute."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import numpy as np

import hybridmip as hm
from benchmarks.common import NOTHING, Options, Record, Skip, data_dir, number, say, section, table
from benchmarks.frontier import ASSETS, MIN_WEIGHT, POINTS
from benchmarks.peers import PEERS, warm_up
from hybridmip.io.orlib import read_port, read_portef

#: Seconds of a peer for a target, every which target it gets, and of which proofs the document is checked.
PEER_SECONDS = 60.0
STRIDE = 8
CHECKED = 5
#: Shift of the geometric means, in seconds.
SHIFT = 0.1


def run(options: Options) -> None:
    """Measure, and write proofs.json."""
    folder = data_dir()
    names = [name for name in options.sets if (folder / "orlib" / f"{name}.txt").is_file()]
    if not names:
        raise Skip("no orlib/port*.txt in the data folder")
    record = Record(
        options, "proofs", assets=ASSETS, min_weight=MIN_WEIGHT, points=POINTS, peer_seconds=PEER_SECONDS,
        stride=STRIDE, seeds=list(options.seeds),
    )  # fmt: skip
    warm_up(options.threads)
    # Ours first and in one go, so that no peer's minutes are between its seconds.
    sets = [_set(name, folder, options) for name in names]
    if not options.quick:
        for entry in sets:
            _add_peers(entry, folder, options)
    record.write(sets=sets)


def _portfolio(name: str, folder: Path, **rules: Any) -> tuple[hm.Portfolio, np.ndarray]:
    port = read_port(folder / "orlib" / f"{name}.txt")
    returns, _ = read_portef(folder / "orlib" / f"{name.replace('port', 'portef')}.txt")
    given = {"assets": ASSETS, "min_weight": MIN_WEIGHT, **rules}
    return hm.Portfolio(port.returns, port.covariance, **given), np.linspace(returns.min(), returns.max(), POINTS)


def _set(name: str, folder: Path, options: Options) -> dict[str, Any]:
    portfolio, targets = _portfolio(name, folder)
    config = hm.Config(threads=options.threads)
    entries: list[dict[str, Any]] = []
    for i in range(0, POINTS, 10 if options.quick else 1):
        problem = portfolio.with_target(float(targets[i])).problem()
        for seed in options.seeds:
            started = time.perf_counter()
            result = hm.solve(problem, config=config, seed=seed)
            seconds = time.perf_counter() - started
            if result.status == "infeasible":
                break
            if result.x is None:
                raise RuntimeError(f"{name}, target {i}, seed {seed}: no answer, and not shown to be infeasible")
            entries.append({
                "point": i, "seed": seed, "seconds": seconds, "nodes": result.nodes, "objective": result.objective,
                "gap": result.gap, "status": str(result.status), "rests_on": str(result.rests_on),
            })  # fmt: skip
        else:
            if i % CHECKED == 0:
                entries[-1] |= _checked(problem, config)
    proven = sum(entry["status"] == "optimal" for entry in entries)
    took = sum(entry["seconds"] for entry in entries)
    along = [_along(portfolio, targets, config, seed) for seed in options.seeds]
    say(
        f"  {name}: {proven} of {len(entries)} proven, {took / len(options.seeds):.2f} s a seed, "
        f"{number(float(np.mean([one['seconds'] for one in along])))} s along the frontier"
    )
    return {"name": name, "n": portfolio.n, "entries": entries, "frontiers": along}


def _add_peers(entry: dict[str, Any], folder: Path, options: Options) -> None:
    """What the peers do with every so many targets."""
    portfolio, targets = _portfolio(entry["name"], folder)
    last = {point["point"]: point for point in entry["entries"]}
    for i in range(0, POINTS, STRIDE):
        problem = portfolio.with_target(float(targets[i])).problem()
        for peer in options.peers if i in last else ():
            if PEERS[peer].missing:
                continue
            answer = PEERS[peer].solve(problem, PEER_SECONDS, options.threads, 1e-6)
            if answer.ran:
                gap = answer.gap if math.isfinite(answer.gap) else None
                last[i][peer] = {"seconds": answer.seconds, "status": answer.status, "gap": gap}
                say(f"  {entry['name']}, target {i}, {PEERS[peer].name}: {answer.status}, {number(answer.seconds)} s")


def _along(portfolio: hm.Portfolio, targets: np.ndarray, config: hm.Config, seed: int) -> dict[str, Any]:
    """All targets in one run."""
    found = hm.frontier(portfolio, [float(target) for target in targets], config=config, seed=seed)
    statuses = [str(point.status) for point in found.points]
    return {"seed": seed, "seconds": found.seconds, "proven": statuses.count("optimal"), "points": len(statuses)}


def _checked(problem: hm.Problem, config: hm.Config) -> dict[str, Any]:
    """A proof with its document, and the time that its check takes."""
    started = time.perf_counter()
    proof = hm.solve(problem, config=config, prove=True).proof
    between = time.perf_counter()
    if proof is None:
        raise AssertionError("there is no proof")
    found = proof.verify(problem)
    ended = time.perf_counter()
    if not found:
        raise AssertionError(f"a proof was rejected: {found.reason}")
    return {"proof_seconds": between - started, "check_seconds": ended - between, "proof_nodes": proof.nodes}


def _mean(seconds: list[float]) -> float:
    """Shifted geometric mean."""
    return float(np.exp(np.mean(np.log(np.array(seconds) + SHIFT))) - SHIFT)


def report(documents: list[dict[str, Any]]) -> str:
    """The section of RESULTS.md."""
    (document,) = documents
    settings = document["settings"]
    seeds = len(settings["seeds"])
    rows = []
    for entry in document["sets"]:
        points = entry["entries"]
        checked = [point for point in points if "check_seconds" in point]
        seconds = [point["seconds"] for point in points]
        line = [
            entry["name"], entry["n"], f"{sum(p['status'] == 'optimal' for p in points)} of {len(points)}",
            number(sum(p["nodes"] for p in points) / seeds), number(sum(seconds) / seeds), number(max(seconds)),
            number(_mean(seconds)),
            number(float(np.mean([one["seconds"] for one in entry["frontiers"]]))) if "frontiers" in entry else NOTHING,
            f"{number(sum(p['check_seconds'] for p in checked))} of {number(sum(p['proof_seconds'] for p in checked))}"
            if checked else NOTHING,
        ]  # fmt: skip
        for peer in PEERS:
            theirs = [point[peer] for point in points if peer in point]
            if not theirs:
                line.append(NOTHING)
                continue
            limit = settings["peer_seconds"]
            done = [t.get("status") == "optimal" or (t["gap"] is not None and t["gap"] <= 1e-6) for t in theirs]
            took = [t["seconds"] if ok else limit for t, ok in zip(theirs, done, strict=True)]
            ours = [point["seconds"] for point in points if peer in point]
            line.append(
                f"{sum(done)} of {len(done)}, {number(sum(took))} ({number(_mean(took))}); ours {number(sum(ours))} "
                f"({number(_mean(ours))})"
            )
        rows.append(line)
    return section(
        "Proofs",
        documents,
        f"Every feasible one of {settings['points']} targets on its own, exactly {settings['assets']} assets, weights "
        f"0 or in [{settings['min_weight']}, 1], {seeds} seeds, search and everything included, proven to 1e-6 by "
        "`hm.solve(problem)`. Nodes and seconds are those of a seed; the mean is geometric, shifted by 0.1 s. "
        f"Checking: every {CHECKED}th proof as a document, its check beside the solve that made it. Peers get every "
        f"{settings['stride']}th target and {settings['peer_seconds']:g} s; how many they prove, the sum of their "
        "seconds with what is open counted at the limit (and the mean), and ours at the same targets.",
        table(
            ["set", "assets", "proven", "nodes", "s", "worst s", "mean s", "frontier s", "check s", *PEERS],
            rows,
        ),
    )
