"""Other settings than exactly ten assets and an exact return: what is proven in a minute, and what is left open.

The classical one (Chang et al. 2000) minimises lambda x'Qx - (1 - lambda) r'x for 50 lambdas; the others have other
counts, a return of at least the target, or none.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

import hybridmip as hm
from benchmarks.common import NOTHING, Options, Record, Skip, data_dir, number, say, section, table
from benchmarks.peers import PEERS, warm_up
from hybridmip.study.sets import ASSETS, MIN_WEIGHT, MarketSet, load_set

#: Seconds for a point, ours and each peer's; a point is proven at this gap.
SECONDS = 60.0
GAP = 1e-6
LAMBDAS = 50
COUNTS = (5, 20, 30)
CLASSICAL = "50 lambdas"
#: Peers get the third point of every so many.
PEER_STRIDE = 25


def points(market: MarketSet, every: int) -> Iterator[tuple[str, float, hm.Problem]]:
    """(setting, lambda or target, problem) of every point of a set; targets with no portfolio are among them."""
    for value in np.linspace(0.0, 1.0, LAMBDAS):
        yield CLASSICAL, float(value), market.weighted_problem(float(value))

    def portfolio(assets: int, **rules: Any) -> hm.Portfolio:
        return hm.Portfolio(market.returns, market.covariance, assets=assets, min_weight=MIN_WEIGHT, **rules)

    targets = [float(target) for target in market.targets[::every]]
    for assets in COUNTS:
        for target in targets:
            yield f"{assets} assets", target, portfolio(assets, target_return=target).problem()
    for target in targets:
        rules = {"target_return": target, "return_sense": "at_least"}
        yield "at least the target", target, portfolio(ASSETS, **rules).problem()
    for assets in (ASSETS, *COUNTS):
        yield "no target", float(assets), portfolio(assets).problem()


def run(options: Options) -> None:
    """Measure, and write settings.json."""
    folder = data_dir()
    names = [name for name in options.sets if (folder / "orlib" / f"{name}.txt").is_file()]
    if not names:
        raise Skip("no orlib/port*.txt in the data folder")
    seconds = 2.0 if options.quick else SECONDS
    record = Record(options, "settings", assets=ASSETS, min_weight=MIN_WEIGHT, seconds=seconds, every=options.every)
    warm_up(options.threads)
    entries: list[dict[str, Any]] = []
    for name in names:
        for setting, asked in groupby(points(load_set(folder, name), options.every), key=itemgetter(0)):
            mine = [
                {"set": name, "setting": setting, "value": value, **_ours(problem, seconds, options.threads)}
                | ({} if options.quick or at % PEER_STRIDE != 2 else _peers(problem, options))
                for at, (_, value, problem) in enumerate(asked)
                if at % (5 if options.quick else 1) == 0
            ]
            mine = [entry for entry in mine if entry["status"] != "infeasible"]
            say(f"  {name}, {setting}: {sum(map(_proven, mine))} of {len(mine)} proven in {_total(mine, 'seconds')} s")
            entries += mine
    record.write(entries=entries)


def _ours(problem: hm.Problem, seconds: float, threads: int) -> dict[str, Any]:
    started = time.perf_counter()
    result = hm.solve(problem, config=hm.Config(threads=threads), time_limit=seconds)
    return {
        "status": str(result.status), "gap": result.gap, "nodes": result.nodes,
        "seconds": time.perf_counter() - started, "objective": result.objective, "rests_on": str(result.rests_on),
    }  # fmt: skip


def _peers(problem: hm.Problem, options: Options) -> dict[str, Any]:
    """What the peers say of a point."""
    found = {}
    for key in options.peers:
        answer = PEERS[key].solve(problem, SECONDS, options.threads, GAP)
        if answer.ran:
            found[key] = {"seconds": answer.seconds, "gap": answer.gap if math.isfinite(answer.gap) else None}
    return found


def _proven(entry: dict[str, Any]) -> bool:
    return entry["gap"] is not None and entry["gap"] <= GAP


def _total(entries: list[dict[str, Any]], key: str) -> str:
    return number(sum(entry[key] for entry in entries))


def report(documents: list[dict[str, Any]]) -> str:
    """The section of RESULTS.md."""
    (document,) = documents
    settings, entries = document["settings"], document["entries"]
    rows = []
    for setting in dict.fromkeys(entry["setting"] for entry in entries):
        for name in dict.fromkeys(entry["set"] for entry in entries):
            mine = [entry for entry in entries if entry["setting"] == setting and entry["set"] == name]
            if not mine:
                continue
            gaps = [math.inf if entry["gap"] is None else entry["gap"] for entry in mine]
            line = [
                setting, name, f"{sum(map(_proven, mine))} of {len(mine)}",
                NOTHING if all(map(_proven, mine)) else number(100 * max(gaps), 2, " %"),
                _total(mine, "nodes"), _total(mine, "seconds"), number(max(entry["seconds"] for entry in mine)),
            ]  # fmt: skip
            for peer in PEERS:
                theirs = [entry[peer] for entry in mine if peer in entry]
                shown = (
                    f"{number(t['seconds'])} s" if _proven(t) else number(100 * (t["gap"] or math.nan), 2, " %")
                    for t in theirs
                )  # fmt: skip
                line.append(", ".join(shown) or NOTHING)
            rows.append(line)
    return section(
        "Other settings",
        documents,
        f"Weights 0 or in [{settings['min_weight']}, 1], exactly {settings['assets']} assets where nothing else is "
        f"said, {settings['seconds']:g} s a point; proven to {GAP:g}. The classical setting has 50 lambdas, those with "
        f"a target every {settings['every']}th of the 50 (feasible ones), no target the counts 5, 10, 20 and 30. "
        "Peers get one point of each, and two of the lambdas: their seconds, or the gap they leave.",
        table(
            ["setting", "set", "proven", "largest gap", "nodes", "s", "worst s", *(PEERS[key].name for key in PEERS)],
            rows,
        ),
    )
