"""Walks forward with `SparsePortfolio`, beside skfolio's own `MeanRisk` with SCIP, in one run.

Both are fitted to the same windows of returns, with the same limits, and get the weights that they themselves held
before. Volatility and turnover are computed from the weights and the returns after each window, by plain formulas.
"""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

import hybridmip as hm
from benchmarks.common import NOTHING, Options, Record, Skip, median, number, say, section, table
from benchmarks.peers import warm_up

#: Seconds for a window, of either.
SECONDS = 10.0
GAP = 1e-6
SEED = 17
#: Days in a year, for the volatility.
YEAR = 252
RISK_AVERSION = 5.0
#: A trade of weight 1, as a return per day of a quarter: 0.1 % over 63 days.
COST = 0.001 / 63
#: Both are given returns in percent: SCIP's tolerance of 1e-6 is no small one for the variance of a day.
PERCENT = 100.0
#: A weight below this is none.
NOTHING_HELD = 1e-6


@dataclass(frozen=True)
class Case:
    """Data, and what is held of them."""

    name: str
    market: str
    most: int
    highest: float
    least: float = 0.02
    costs: bool = False


CASES = (
    Case("least variance", "20 stocks", 5, 0.4),
    Case("utility with costs", "20 stocks", 5, 0.4, costs=True),
    Case("least variance", "market of 300", 20, 0.2),
    Case("utility with costs", "market of 300", 20, 0.2, costs=True),
)
#: Days in a window, days it is held for, windows, and windows of the quick mode (with 60 assets of the market).
WINDOWS = {"20 stocks": (504, 63, 40, 2), "market of 300": (756, 63, 8, 1)}


def _returns(market: str, quick: bool) -> Any:
    """Returns by day, as many as the windows need."""
    before, days, windows, few = WINDOWS[market]
    rows = before + days * (few if quick else windows)
    if market == "20 stocks":
        from skfolio.datasets import load_sp500_dataset
        from skfolio.preprocessing import prices_to_returns

        return prices_to_returns(load_sp500_dataset()).iloc[-rows:]
    return hm.market(assets=60 if quick else 300, seed=SEED, periods=rows, frequency="daily").returns()


def _ours(case: Case, seconds: float, threads: int) -> Any:
    from hybridmip.estimators import SparsePortfolio

    rules: dict[str, Any] = {
        "objective": "utility",
        "risk_aversion": RISK_AVERSION / PERCENT,
        "trade_cost": COST * PERCENT,
    }
    return SparsePortfolio(
        (None, case.most), min_weight=case.least, max_weight=case.highest, time_limit=seconds, gap=GAP,
        config=hm.Config(threads=threads), **(rules if case.costs else {}),
    )  # fmt: skip


def _theirs(case: Case, seconds: float) -> Any:
    from skfolio.optimization import MeanRisk, ObjectiveFunction

    rules: dict[str, Any] = {
        "objective_function": ObjectiveFunction.MAXIMIZE_UTILITY, "risk_aversion": RISK_AVERSION / PERCENT,
        "transaction_costs": COST * PERCENT,
    }  # fmt: skip
    return MeanRisk(
        cardinality=case.most, threshold_long=case.least, max_weights=case.highest, solver="SCIP", save_problem=True,
        solver_params={"scip_params": {"limits/time": seconds, "limits/gap": GAP}}, **(rules if case.costs else {}),
    )  # fmt: skip


def _proven(estimator: Any, taken: float, seconds: float) -> bool:
    """Whether the answer of the last fit is proven to the gap, by the word of whoever gave it.

    cvxpy calls it inaccurate where SCIP has reached its gap, and where its time was up.
    """
    if hasattr(estimator, "result_"):
        return bool(estimator.result_.status == "optimal")
    return estimator.problem_.status in ("optimal", "optimal_inaccurate") and taken < seconds


def value_of(weights: np.ndarray, past: np.ndarray, held: np.ndarray | None, costs: bool) -> float:
    """What is minimised, at weights, from the returns of a window: by plain formulas."""
    variance = float(weights @ np.cov(past, rowvar=False) @ weights)
    if not costs:
        return variance
    traded = np.abs(weights - (0.0 if held is None else held)).sum()
    return RISK_AVERSION * variance - float(past.mean(axis=0) @ weights) + COST * float(traded)


def walk(estimator: Any, X: Any, case: Case, beside: Any = None, limit: float = math.inf) -> dict[str, Any]:
    """Fit window by window; seconds, returns after each, turnover, proofs.

    A window without an answer keeps what was held. `beside` is another estimator that gets the same windows with the
    same holdings, off the clock: `excess` is by how much the value is above its value, as a share of that. `limit` is
    the time limit of a window, which tells an answer that is proven from one for which the time was up.
    """
    from skfolio.model_selection import WalkForward
    from sklearn.base import clone

    before, days, _, _ = WINDOWS[case.market]
    held: Any = None
    seconds, excess, turnovers, after, proven, failed = [], [], [], [], 0, 0
    for past, future in WalkForward(train_size=before, test_size=days).split(X):
        window = X.iloc[past]
        own = clone(estimator).set_params(previous_weights=held)
        began = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of answers that are not proven, which are counted
                own.fit(PERCENT * window)
            weights = own.weights_
        except Exception as error:  # noqa: BLE001  (no answer is a result)
            say(f"    no answer: {type(error).__name__}: {' '.join(str(error).split())[:100]}")
            weights = None
        seconds.append(time.perf_counter() - began)
        if weights is None:
            failed += 1
            weights = held
        else:
            proven += _proven(own, seconds[-1], limit)
            if beside is not None:
                other = clone(beside).set_params(previous_weights=held).fit(PERCENT * window).weights_
                mine, best = (value_of(w, window.to_numpy(), held, case.costs) for w in (weights, other))
                excess.append((mine - best) / abs(best))
        if weights is None:
            continue
        if held is not None:
            turnovers.append(float(np.abs(weights - held).sum()))
        after.append(X.iloc[future].to_numpy() @ weights)
        held = weights
    returns = np.concatenate(after) if after else np.zeros(0)
    return {
        "windows": len(seconds), "seconds": sum(seconds), "slowest": max(seconds), "proven": proven, "failed": failed,
        "excess": excess, "turnover": float(np.mean(turnovers)) if turnovers else math.nan,
        "volatility": float(returns.std(ddof=1)) * math.sqrt(YEAR) if returns.size > 1 else math.nan,
        "return": float(returns.mean()) * YEAR if returns.size else math.nan,
        "held": 0 if held is None else int(np.sum(np.abs(held) > NOTHING_HELD)),
    }  # fmt: skip


def run(options: Options) -> None:
    """Measure, and write walkforward.json."""
    try:
        import skfolio  # noqa: F401
    except ImportError:
        raise Skip("skfolio is not installed; `pip install skfolio pyscipopt` mends that") from None
    seconds = 1.0 if options.quick else SECONDS
    record = Record(options, "walkforward", seconds=seconds, gap=GAP, seed=SEED, cost=COST, risk_aversion=RISK_AVERSION)
    warm_up(options.threads)
    try:
        import pyscipopt  # noqa: F401

        peer = True
    except ImportError:
        record.note("pyscipopt is not installed; `pip install pyscipopt` mends that")
        peer = False
    entries = []
    for case in CASES:
        X = _returns(case.market, options.quick)
        shape = {"assets": X.shape[1], "most": case.most, "least": case.least, "highest": case.highest}
        entry: dict[str, Any] = {"name": case.name, "market": case.market, "costs": case.costs, **shape}
        _ours(case, seconds, options.threads).fit(PERCENT * X.iloc[: WINDOWS[case.market][0]])  # compiles
        ours = _ours(case, seconds, options.threads)
        entry["ours"] = walk(ours, X, case, limit=seconds)
        if peer:
            entry["scip"] = walk(_theirs(case, seconds), X, case, ours, seconds)
        entries.append(entry)
        say(f"  {case.market}, {case.name}: {_told(entry['ours'])}; SCIP {_told(entry.get('scip'))}")
    record.write(entries=entries)


def _told(found: dict[str, Any] | None) -> str:
    if found is None:
        return NOTHING
    return f"{found['proven']} of {found['windows']} proven in {number(found['seconds'])} s"


def report(documents: list[dict[str, Any]]) -> str:
    """The section of RESULTS.md."""
    (document,) = documents
    rows: list[list[object]] = []
    for entry in document["entries"]:
        for method, label in (("ours", "SparsePortfolio"), ("scip", "skfolio, SCIP")):
            found = entry.get(method)
            line: list[object] = [f"{entry['market']}, {entry['name']}", label]
            if found is None:
                rows.append([*line, *[NOTHING] * 7])
                continue
            above = [100 * share for share in found["excess"]]
            shown = f"{median(above):.2g} %, {max(above):.2g} %" if above else NOTHING
            rows.append([
                *line, number(found["seconds"]), number(found["slowest"]), f"{found['proven']} of {found['windows']}",
                found["failed"], number(_percent(found["volatility"]), 4, " %"),
                number(_percent(found["turnover"]), 3, " %"), shown,
            ])  # fmt: skip
    settings = document["settings"]
    windows = " and ".join(f"{before} days ({market})" for market, (before, *_) in WINDOWS.items())
    return section(
        "Walks forward",
        documents,
        f"Windows of {windows}, each held for 63 days: at most 5 of the 20 stocks that skfolio brings with it, or 20 "
        "of a generated market, weights 0 or from 2 % to 40 or 20 %. `SparsePortfolio`, and skfolio's `MeanRisk` with "
        f"SCIP, get {settings['seconds']:g} s a window and stop at a gap of {settings['gap']:g}; the clock has the "
        "whole `fit` in it, also cvxpy's work. `utility` is the expected return less "
        f"{settings['risk_aversion']:g} times the variance, less 0.1 % of what is traded, from what was held before. "
        "Proven is on the word of who solved it. `above ours`: by how much SCIP's value in a window, computed from the "
        "weights, is above that of ours for the same window and holdings, median and most. "
        "Volatility is that of the days after each window, per year; turnover what is bought and sold at a change of "
        "window.",
        table(["case", "by", "s", "slowest s", "proven", "no answer", "volatility", "turnover", "above ours"], rows),
    )


def _percent(value: float | None) -> float | None:
    return None if value is None else 100 * value
