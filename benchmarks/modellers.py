"""Models that others state with cvxpy, solved by ours and by SCIP: the same call, another `solver`.

Each library chooses the least variance of so many assets (PyPortfolioOpt with boolean variables that are added, the
others by a setting of theirs). Returns are in percent, which is kinder to SCIP's tolerances. Time is that of the
library's call, cvxpy included.
"""

from __future__ import annotations

import importlib
import math
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import hybridmip as hm
from benchmarks.common import Options, Record, Skip, number, ratio, say, section, table
from benchmarks.peers import warm_up
from hybridmip.model.quadratic import Vector

SECONDS = 120.0
DATES = 250
#: (assets, how many may be held)
CASES = ((12, 4), (16, 5), (20, 5))
QUICK = ((8, 3),)


def returns_of(assets: int, seed: int = 0) -> pd.DataFrame:
    """Daily returns in percent: three factors and what is left."""
    rng = np.random.default_rng(seed)
    factors = 0.8 * rng.standard_normal((DATES, 3)) @ rng.standard_normal((3, assets))
    values = 0.7 * factors + rng.standard_normal((DATES, assets)) + rng.normal(0.05, 0.03, assets)
    days = pd.bdate_range("2024-01-01", periods=DATES)
    return pd.DataFrame(values, index=days, columns=[f"asset{i}" for i in range(assets)])


def by_pyportfolioopt(returns: pd.DataFrame, held: int, solver: Any, limit: dict[str, Any]) -> Vector:
    """`EfficientFrontier`, with boolean variables added."""
    import cvxpy as cp
    from pypfopt import EfficientFrontier

    frontier = EfficientFrontier(returns.mean(), returns.cov(), solver=solver, solver_options=limit)
    b = cp.Variable(returns.shape[1], boolean=True)
    frontier.add_constraint(lambda w: w <= b)
    frontier.add_constraint(lambda w: cp.sum(b) <= held)
    frontier.min_volatility()
    return np.asarray(frontier.weights, dtype=float)


def by_riskfolio(returns: pd.DataFrame, held: int, solver: Any, limit: dict[str, Any]) -> Vector:
    """`Portfolio` with `card`: the standard deviation is a cone."""
    import riskfolio

    portfolio = riskfolio.Portfolio(returns=returns, card=held)
    portfolio.assets_stats(method_mu="hist", method_cov="hist")
    portfolio.solvers, portfolio.sol_params = [solver], {solver: limit}
    return np.asarray(portfolio.optimization(model="Classic", rm="MV", obj="MinRisk")["weights"], dtype=float)


def by_skfolio(returns: pd.DataFrame, held: int, solver: Any, limit: dict[str, Any]) -> Vector:
    """`MeanRisk` with `cardinality`: the standard deviation is a cone."""
    from skfolio.optimization import MeanRisk

    name = solver if isinstance(solver, str) else solver.name()
    return np.asarray(MeanRisk(solver=name, solver_params=limit, cardinality=held).fit(returns).weights_, dtype=float)


LIBRARIES: dict[str, tuple[str, Callable[..., Vector]]] = {
    "PyPortfolioOpt": ("pypfopt", by_pyportfolioopt),
    "Riskfolio": ("riskfolio", by_riskfolio),
    "skfolio": ("skfolio", by_skfolio),
}


def run(options: Options) -> None:
    """Measure, and write modellers.json."""
    try:
        solver = hm.cvxpy.HYBRIDMIP
    except hm.MissingDependencyError as error:
        raise Skip(str(error)) from None
    hm.cvxpy.register()
    seconds = 10.0 if options.quick else SECONDS
    record = Record(options, "modellers", seconds=seconds, dates=DATES)
    warm_up(options.threads)
    entries = []
    for library, (package, fit) in LIBRARIES.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                importlib.import_module(package)
            except ImportError:
                record.note(f"{library} is not installed")
                continue
            for assets, held in QUICK if options.quick else CASES:
                returns = returns_of(assets)
                entry: dict[str, Any] = {"library": library, "assets": assets, "held": held}
                limits = {"time_limit": seconds, "threads": options.threads}
                entry["ours"] = _measured(fit, returns, held, solver, limits)
                entry["scip"] = _measured(fit, returns, held, "SCIP", {"scip_params": {"limits/time": seconds}})
                entries.append(entry)
                say(f"  {library}, {held} of {assets}: {entry['ours']}, SCIP {entry['scip']}")
    if not entries:
        raise Skip("no library is installed that states models with cvxpy")
    record.write(entries=entries)


def _measured(
    fit: Callable[..., Vector], returns: pd.DataFrame, held: int, solver: Any, limit: dict[str, Any]
) -> dict[str, Any]:
    """Seconds of the call, and the variance of the `held` largest of its weights, which are what it may hold."""
    started = time.perf_counter()
    try:
        w = fit(returns, held, solver, limit)
    except Exception as error:  # noqa: BLE001  (a solver's failure is a result)
        return {"seconds": math.nan, "variance": math.nan, "note": str(error)}
    taken = time.perf_counter() - started
    kept = np.zeros(w.size)
    largest = np.argsort(-w)[:held]
    kept[largest] = np.maximum(w[largest], 0.0)
    kept /= kept.sum()
    return {"seconds": taken, "variance": float(kept @ returns.cov().to_numpy() @ kept)}


def report(documents: list[dict[str, Any]]) -> str:
    """The section of RESULTS.md."""
    (document,) = documents
    rows: list[list[object]] = []
    for entry in document["entries"]:
        ours, scip = entry["ours"], entry["scip"]
        there = ours["variance"] is not None and scip["variance"] is not None
        excess = number(scip["variance"] / ours["variance"] - 1, 2) if there else None
        rows.append([
            entry["library"], entry["assets"], entry["held"], number(ours["variance"], 6), excess,
            number(ours["seconds"]), number(scip["seconds"]), ratio(scip["seconds"], ours["seconds"]),
        ])  # fmt: skip
    return section(
        "Models of other libraries",
        documents,
        "The least variance of so many assets, stated by the library with cvxpy, solved by ours and by SCIP "
        f"(limit {document['settings']['seconds']:g} s, SCIP's own tolerances). The excess is that of SCIP's variance "
        "over ours; seconds are of the library's whole call.",
        table(["library", "assets", "held", "variance", "SCIP's excess", "s", "SCIP s", "ratio"], rows),
    )
