"""Whole frontiers: `hybridmip.frontier` against the same points solved one by one."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import numpy as np

import hybridmip as hm
from benchmarks.common import EQUAL, Options, Record, Skip, data_dir, number, peak_megabytes, ratio, say, section, table
from benchmarks.frontier import ASSETS, MIN_WEIGHT, POINTS, _reference
from benchmarks.peers import warm_up
from hybridmip.io.orlib import read_port, read_portef
from hybridmip.report.page import frontier_page

#: Points of the long frontier.
MANY = 2000


def run(options: Options) -> None:
    """Measure, and write sweep.json."""
    folder = data_dir()
    record = Record(options, "sweep", assets=ASSETS, min_weight=MIN_WEIGHT, points=POINTS, many=MANY)
    warm_up(options.threads)
    sets = []
    for name in options.sets:
        if not (folder / "orlib" / f"{name}.txt").is_file():
            say(f"  {name} skipped: not found in the data folder")
            continue
        sets.append(_set(name, folder, options))
    if not sets:
        raise Skip("no orlib/port*.txt in the data folder")
    record.write(sets=sets, long=None if options.quick else _long(folder, options))


def _portfolio(name: str, folder: Path) -> tuple[hm.Portfolio, np.ndarray]:
    port = read_port(folder / "orlib" / f"{name}.txt")
    returns, _ = read_portef(folder / "orlib" / f"{name.replace('port', 'portef')}.txt")
    return hm.Portfolio(port.returns, port.covariance, assets=ASSETS, min_weight=MIN_WEIGHT), returns


def _set(name: str, folder: Path, options: Options) -> dict[str, Any]:
    portfolio, returns = _portfolio(name, folder)
    targets = [float(value) for value in np.linspace(returns.min(), returns.max(), 6 if options.quick else POINTS)]
    config = hm.Config(threads=options.threads)
    began = time.perf_counter()
    alone = [hm.solve(portfolio.with_target(target).problem(), config=config) for target in targets]
    one_by_one = time.perf_counter() - began
    began = time.perf_counter()
    swept = hm.frontier(portfolio, targets, config=config)
    together = time.perf_counter() - began
    reference = None if options.quick else _reference(folder / "reference" / f"{name}.json", np.array(targets))
    best = [
        min(value for value in (result.objective, point.objective, *((reference[i],) if reference else ())))
        for i, (result, point) in enumerate(zip(alone, swept.points, strict=True))
    ]
    feasible = [i for i, value in enumerate(best) if math.isfinite(value)]
    entry = {
        "name": name, "assets": portfolio.n, "one_by_one": one_by_one, "sweep": together, "feasible": len(feasible),
        "at_best": sum(swept.points[i].objective <= best[i] * (1 + EQUAL) for i in feasible),
        "alone_at_best": sum(alone[i].objective <= best[i] * (1 + EQUAL) for i in feasible),
        "proven": swept.counts["optimal"], "infeasible": swept.counts["infeasible"],
        "alone_proven": sum(str(result.status) == "optimal" for result in alone),
    }  # fmt: skip
    say(f"  {name}: one by one {number(one_by_one)} s, sweep {number(together)} s, {swept}")
    return entry


def _long(folder: Path, options: Options) -> dict[str, Any] | None:
    """Many points of the largest set: time, and memory that must not grow with them."""
    if "port5" not in options.sets:
        return None
    portfolio, returns = _portfolio("port5", folder)
    targets = [float(value) for value in np.linspace(returns.min(), returns.max(), MANY)]
    before = peak_megabytes()
    began = time.perf_counter()
    found = hm.frontier(portfolio, targets, config=hm.Config.quick(threads=options.threads))
    seconds = time.perf_counter() - began
    page = len(frontier_page(found.document()))
    grown = peak_megabytes() - before
    say(f"  port5, {MANY} points: {number(seconds)} s, {grown:.0f} MB more, page {page / 1e6:.2f} MB")
    return {"seconds": seconds, "grown_mb": grown, "page_mb": page / 1e6, "counts": found.counts}


def report(documents: list[dict[str, Any]]) -> str:
    """The section of RESULTS.md."""
    (document,) = documents
    rows: list[list[object]] = [
        [
            e["name"], e["assets"], number(e["one_by_one"]), number(e["sweep"]), ratio(e["one_by_one"], e["sweep"]),
            f"{e['at_best']}/{e['feasible']}", f"{e['proven']}/{e['feasible']}", f"{e['alone_proven']}/{e['feasible']}",
            e["infeasible"],
        ]
        for e in document["sets"]
    ]  # fmt: skip
    total = [sum(e[key] for e in document["sets"]) for key in ("one_by_one", "sweep")]
    rows.append(["all", "", number(total[0]), number(total[1]), ratio(*total), "", "", "", ""])
    long = document["long"]
    more = []
    if long:
        more.append(
            f"{document['settings']['many']} targets of port5 with `Config.quick()`: {number(long['seconds'])} s, "
            f"{long['grown_mb']:.0f} MB of memory more than before, a page of {long['page_mb']:.1f} MB."
        )
    return section(
        "Whole frontiers",
        documents,
        f"{document['settings']['points']} targets each, with bounds: every target solved on its own, and the sweep, "
        "in which neighbors help each other. `at best` is within 1e-6 of the least value known.",
        table(
            ["set", "assets", "one by one s", "sweep s", "ratio", "at best", "proven", "proven one by one",
             "infeasible"],
            rows,
        ),
        *more,
    )  # fmt: skip
