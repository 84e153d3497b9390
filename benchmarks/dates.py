"""Fewer dates than assets: the gap after a minute, with the doubly nonnegative relaxation, without it, and CPLEX's."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

import hybridmip as hm
from benchmarks.common import NOTHING, Options, Record, median, number, say, section, table
from benchmarks.peers import PEERS, warm_up
from hybridmip.run.phases import DEFAULT, Tree

#: Assets and dates of the markets, how many assets are held, and the least weight of one.
MARKETS = ((100, 50), (200, 50), (200, 100), (450, 50), (450, 150), (450, 250))
HELD = (5, 10, 20)
MIN_WEIGHT = 0.01
QUICK_MARKETS = ((60, 30),)
QUICK_HELD = (5,)
#: The return asked for is at least that of this share of the assets.
SHARE = 0.6
SECONDS = 60.0
QUICK_SECONDS = 5.0
PEER = "cplex"


def run(options: Options) -> None:
    """Measure, and write dates.json."""
    seconds = QUICK_SECONDS if options.quick else SECONDS
    record = Record(options, "dates", seconds=seconds, min_weight=MIN_WEIGHT, share=SHARE, seeds=list(options.seeds))
    warm_up(options.threads)
    entries = []
    for assets, dates in QUICK_MARKETS if options.quick else MARKETS:
        for held in QUICK_HELD if options.quick else HELD:
            for seed in options.seeds[:1] if options.quick else options.seeds:
                entries.append(_entry(assets, dates, held, seed, seconds, options))
    record.write(entries=entries)


def market(assets: int, dates: int, held: int, seed: int) -> hm.Problem:
    """The problem of an investor who estimates the covariance from so many dates."""
    returns = hm.market(assets=assets, periods=dates, seed=seed).returns().to_numpy()
    means, covariance = returns.mean(axis=0), np.cov(returns.T)
    return hm.Portfolio(
        means, (covariance + covariance.T) / 2, assets=held, min_weight=MIN_WEIGHT,
        target_return=float(np.quantile(means, SHARE)), return_sense="at_least",
    ).problem()  # fmt: skip


def _entry(assets: int, dates: int, held: int, seed: int, seconds: float, options: Options) -> dict[str, Any]:
    problem = market(assets, dates, held, seed)
    plain = tuple(Tree(1.0, last=True, plain=math.inf) if _is_last(phase) else phase for phase in DEFAULT)
    entry: dict[str, Any] = {"assets": assets, "dates": dates, "held": held, "seed": seed}
    for name, config in (
        ("with", hm.Config(threads=options.threads)),
        ("without", hm.Config(threads=options.threads, phases=plain)),
    ):
        started = time.perf_counter()
        result = hm.solve(problem, config=config, seed=seed, time_limit=seconds)
        entry[name] = {
            "gap": result.gap, "nodes": result.nodes, "seconds": time.perf_counter() - started,
            "objective": result.objective,
        }  # fmt: skip
    if PEER in options.peers and not PEERS[PEER].missing:
        answer = PEERS[PEER].solve(problem, seconds, options.threads, 1e-6)
        entry[PEER] = {"seconds": answer.seconds, "gap": answer.gap if math.isfinite(answer.gap) else None}
    say(
        f"  {assets} assets, {dates} dates, {held} held, seed {seed}: "
        + ", ".join(f"{name} {_percent(entry[name]['gap'])}" for name in ("with", "without", PEER) if name in entry)
    )
    return entry


def _is_last(phase: object) -> bool:
    return isinstance(phase, Tree) and phase.last


def _percent(gap: float | None) -> str:
    return NOTHING if gap is None else f"{100 * gap:.2f} %"


def _line(label: list[object], entries: list[dict[str, Any]]) -> list[object]:
    cells: list[object] = []
    for name in ("with", "without", PEER):
        found = [entry[name] for entry in entries if name in entry and entry[name]["gap"] is not None]
        if not found:
            cells += [NOTHING, NOTHING, NOTHING]
            continue
        gaps = [one["gap"] for one in found]
        cells += [
            f"{sum(gap <= 1e-6 for gap in gaps)} of {len(gaps)}", _percent(median(gaps)),
            number(median([one["seconds"] for one in found])),
        ]  # fmt: skip
    return [*label, *cells]


def report(documents: list[dict[str, Any]]) -> str:
    """The section of RESULTS.md."""
    (document,) = documents
    settings, entries = document["settings"], document["entries"]
    keys = list(dict.fromkeys((entry["assets"], entry["dates"], entry["held"]) for entry in entries))
    rows = [
        _line([*key], [entry for entry in entries if (entry["assets"], entry["dates"], entry["held"]) == key])
        for key in keys
    ]
    return section(
        "Fewer dates than assets",
        documents,
        f"Generated markets, the covariance estimated from fewer dates than there are assets, weights 0 or at least "
        f"{settings['min_weight']}, a return of at least that of {100 * settings['share']:g} % of the assets, "
        f"{len(settings['seeds'])} seeds, {settings['seconds']:g} s each: how many are proven, the median gap and the "
        "median seconds; with the doubly nonnegative relaxation (the default), without it, and CPLEX's.",
        table(
            ["assets", "dates", "held", "proven", "gap", "s", "proven without", "gap", "s", PEER, "gap", "s"],
            [*rows, _line(["all", "", ""], entries)],
        ),
    )
