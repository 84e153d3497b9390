"""Holdings, trade costs, shorts and a benchmark, beside the same model in cvxpy solved by SCIP, in one run.

Every case is stated twice: as a `Portfolio`, and in cvxpy with weights, purchases, sales and their booleans. Values are
computed again from the weights: costs, turnover and variance by plain formulas.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

import hybridmip as hm
from benchmarks.common import NOTHING, Options, Record, number, say, section, table
from benchmarks.peers import warm_up

#: Seconds for ours, and for SCIP.
SECONDS = 10.0
PEER_SECONDS = 30.0
GAP = 1e-6
#: Rows may be missed by this.
FEASIBLE = 1e-6
#: A trade below this is none.
NOTHING_TRADED = 1e-7
SEED = 11


@dataclass(frozen=True)
class Case:
    """A market, holdings and rules (arguments of `Portfolio`)."""

    name: str
    stocks: int
    rules: dict[str, Any] = field(default_factory=dict)
    held: int = 10


def _cases(quick: bool) -> list[Case]:
    utility = {"objective": "utility", "risk_aversion": 5.0, "max_weight": 0.3}
    long_short = {"min_weight": -0.3, "max_short": 0.3, "max_gross": 1.6, "objective": "utility", "risk_aversion": 5.0}
    cases = [
        Case("fixed cost 1e-3, at most 10", 20, {**utility, "fixed_trade_cost": 1e-3, "assets": (None, 10)}),
        Case("fixed cost 1e-4", 20, {**utility, "fixed_trade_cost": 1e-4}),
        Case("turnover at most 1", 20, {**utility, "max_turnover": 1.0, "assets": (None, 10)}),
        Case("130/30", 20, {**long_short, "assets": (None, 10)}),
    ]
    if quick:
        return cases[:1]
    cases.append(Case("fixed cost 1e-4", 257, {**utility, "fixed_trade_cost": 1e-4}, 20))
    for stocks in (100, 300, 1000):
        held = 20
        cases += [
            Case("130/30, at most 20", stocks, {**long_short, "assets": (None, 20)}, held),
            Case("tracking, at most 20", stocks, {"objective": "tracking", "assets": (None, 20)}, held),
            Case(
                "trades with costs, at most 20", stocks,
                {**utility, "fixed_trade_cost": 1e-4, "trade_cost": 5e-4, "assets": (None, 20)}, held,
            ),
        ]  # fmt: skip
    return cases


def _market(case: Case) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
    """(returns, covariance, holdings, rules)."""
    market = hm.market(assets=case.stocks, seed=SEED, periods=max(520, 2 * case.stocks))
    mean, covariance = market.sample_estimates()
    rng = np.random.default_rng(SEED)
    current = np.zeros(case.stocks)
    chosen = rng.choice(case.stocks, case.held, replace=False)
    current[chosen] = np.round(1.0 / case.held, 6)
    rules = dict(case.rules)
    if rules.get("objective") == "tracking":
        size = np.exp(rng.normal(size=case.stocks))
        rules["benchmark"] = size / size.sum()
        current = np.zeros(case.stocks)
    return np.asarray(mean), np.asarray(covariance), current, rules


def value_of(w: np.ndarray, mean: np.ndarray, V: np.ndarray, current: np.ndarray, rules: dict[str, Any]) -> float:
    """The objective at weights, infinite where a rule is broken: by plain formulas."""
    change = np.abs(w - current)
    traded = change > NOTHING_TRADED
    low, high = rules.get("min_weight", 0.0), rules.get("max_weight", 1.0)
    most = (rules.get("assets") or (0, w.size))[1]
    broken = [
        abs(w.sum() - 1.0), float((low - w).max()), float((w - high).max()),
        float(np.sum(np.abs(w) > NOTHING_TRADED) - most),
        change.sum() - rules.get("max_turnover", math.inf), np.abs(w).sum() - rules.get("max_gross", math.inf),
        np.maximum(-w, 0.0).sum() - rules.get("max_short", math.inf),
    ]  # fmt: skip
    if max(broken) > FEASIBLE:
        return math.inf
    if rules["objective"] == "tracking":
        return float((w - rules["benchmark"]) @ V @ (w - rules["benchmark"]))
    cost = rules.get("trade_cost", 0.0) * change.sum() + rules.get("fixed_trade_cost", 0.0) * traded.sum()
    return float(rules["risk_aversion"] * w @ V @ w - mean @ w + cost)


def by_cvxpy(
    mean: np.ndarray, V: np.ndarray, current: np.ndarray, rules: dict[str, Any], seconds: float
) -> dict[str, Any]:
    """The same model in cvxpy, by SCIP."""
    import cvxpy as cp

    n = mean.size
    w = cp.Variable(n)
    low, high = rules.get("min_weight", 0.0), rules.get("max_weight", 1.0)
    reach = np.maximum(high, np.abs(current)) - low
    rows = [cp.sum(w) == 1, w >= low, w <= high]
    if "assets" in rules:
        held = cp.Variable(n, boolean=True)
        rows += [
            w <= cp.multiply(high * np.ones(n), held),
            w >= cp.multiply(low * np.ones(n), held),
            cp.sum(held) <= rules["assets"][1],
        ]
    cost: Any = 0.0
    if {"fixed_trade_cost", "trade_cost", "max_turnover"} & set(rules):
        bought, sold = cp.Variable(n, nonneg=True), cp.Variable(n, nonneg=True)
        rows += [w == current + bought - sold]
        cost = rules.get("trade_cost", 0.0) * cp.sum(bought + sold)
        if "max_turnover" in rules:
            rows.append(cp.sum(bought + sold) <= rules["max_turnover"])
        if "fixed_trade_cost" in rules:
            traded = cp.Variable(n, boolean=True)
            rows += [bought <= cp.multiply(reach * np.ones(n), traded), sold <= cp.multiply(reach * np.ones(n), traded)]
            cost = cost + rules["fixed_trade_cost"] * cp.sum(traded)
    if "max_short" in rules:
        long, short = cp.Variable(n, nonneg=True), cp.Variable(n, nonneg=True)
        rows += [w == long - short, cp.sum(short) <= rules["max_short"], cp.sum(long + short) <= rules["max_gross"]]
    if rules["objective"] == "tracking":
        target = cp.quad_form(w - rules["benchmark"], cp.psd_wrap(V))
    else:
        target = rules["risk_aversion"] * cp.quad_form(w, cp.psd_wrap(V)) - mean @ w + cost
    problem = cp.Problem(cp.Minimize(target), rows)
    started = time.perf_counter()
    options = {"limits/time": seconds, "limits/gap": GAP}
    try:
        # What problem.solve() does, so that SCIP's own model is at hand at the end: its bound is nowhere else.
        data, chain, inverse = problem.get_problem_data(cp.SCIP)
        raw = chain.solve_via_data(problem, data, solver_opts={"scip_params": options})
        problem.unpack_results(raw, chain, inverse)
    except (cp.SolverError, ValueError) as failure:
        return {"seconds": time.perf_counter() - started, "value": None, "proven": False, "note": str(failure)[:120]}
    taken = time.perf_counter() - started
    model = raw["model"]
    if w.value is None:
        return {"seconds": taken, "value": None, "proven": False}
    # The cone program's objective lacks the constant of ours.
    bound = model.getDualbound() + (problem.value - model.getPrimalbound())
    weights = np.where(np.abs(w.value) > 10 * NOTHING_TRADED, w.value, 0.0)
    value = value_of(weights, mean, V, current, rules)
    return {
        "seconds": taken,
        "value": value,
        "bound": float(bound) if math.isfinite(bound) and abs(bound) < 1e19 else None,
        "proven": problem.status in ("optimal", "optimal_inaccurate") and taken < seconds,
    }


def stated(mean: np.ndarray, V: np.ndarray, current: np.ndarray, rules: dict[str, Any]) -> hm.Problem:
    """The model as it is in cvxpy, column by column: weights, purchases and sales, and binaries for each."""
    n, low, high = mean.size, rules.get("min_weight", 0.0), rules.get("max_weight", 1.0)
    trades = bool({"fixed_trade_cost", "trade_cost", "max_turnover"} & set(rules)) or "max_short" in rules
    columns, eye = 3 * n if trades else n, sparse.eye_array(n)
    budget = np.zeros((1, columns))
    budget[0, :n] = 1.0
    rows, lower, upper = [sparse.csr_array(budget)], [1.0], [1.0]
    both = np.zeros((1, columns))
    both[0, n:] = 1.0
    if trades:  # bought and sold, or long and short
        rows.append(sparse.csr_array(sparse.hstack([eye, -eye, eye])))
        start = np.zeros(n) if "max_short" in rules else current
        lower, upper = [*lower, *start], [*upper, *start]
    for name in ("max_turnover", "max_gross"):
        if name in rules:
            rows.append(sparse.csr_array(both))
            lower, upper = [*lower, -math.inf], [*upper, rules[name]]
    if "max_short" in rules:
        short = both.copy()
        short[0, : 2 * n] = 0.0
        rows.append(sparse.csr_array(short))
        lower, upper = [*lower, -math.inf], [*upper, rules["max_short"]]
    switch, p, m = np.full(columns, -1), [], 0
    if "assets" in rules:
        switch[:n], p, m = np.arange(n), [0.0] * n, n
    if "fixed_trade_cost" in rules:
        switch[n:] = m + np.tile(np.arange(n), 2)
        p, m = [*p, *[rules["fixed_trade_cost"]] * n], m + n
    count = np.concatenate([np.ones((1, n)), np.zeros((1, m - n))], axis=1) if "assets" in rules else None
    Q = np.zeros((columns, columns))
    q, offset = np.zeros(columns), 0.0
    if rules["objective"] == "tracking":
        Q[:n, :n], q[:n] = V, -2.0 * V @ rules["benchmark"]
        offset = float(rules["benchmark"] @ V @ rules["benchmark"])
    else:
        Q[:n, :n], q[:n] = rules["risk_aversion"] * V, -mean
        q[n:] = 0.0 if "max_short" in rules else rules.get("trade_cost", 0.0)
    reach = np.maximum(high, np.abs(current)) - low
    return hm.Problem(
        Q=Q, q=q, p=p or None, offset=offset, A=sparse.vstack(rows), row_lower=lower, row_upper=upper,
        B=count, b_upper=None if count is None else [rules["assets"][1]],
        x_lower=np.concatenate([np.full(n, low), np.zeros(columns - n)]),
        x_upper=np.concatenate([np.full(n, high), np.tile(reach, (columns - n) // n)]), switch=switch, binaries=m,
    )  # fmt: skip


def run(options: Options) -> None:
    """Measure, and write trading.json."""
    seconds, peer_seconds = (1.0, 2.0) if options.quick else (SECONDS, PEER_SECONDS)
    record = Record(options, "trading", seconds=seconds, peer_seconds=peer_seconds, gap=GAP, seed=SEED)
    warm_up(options.threads)
    entries = []
    for case in _cases(options.quick):
        mean, V, current, rules = _market(case)
        started = time.perf_counter()
        given = {"current": current} if current.any() else {}
        portfolio = hm.Portfolio(mean, V, **rules, **given)
        result = hm.solve(portfolio, config=hm.Config(threads=options.threads), time_limit=seconds)
        taken = time.perf_counter() - started
        entry: dict[str, Any] = {"name": case.name, "stocks": case.stocks}
        found = portfolio.read(result).x if result.has_solution else None
        entry["ours"] = {
            "seconds": taken, "gap": result.gap, "bound": result.bound, "nodes": result.nodes,
            "proven": result.status == "optimal",
            "value": None if found is None else value_of(found, mean, V, current, rules),
        }  # fmt: skip
        started = time.perf_counter()
        problem = stated(mean, V, current, rules)
        result = hm.solve(problem, config=hm.Config(threads=options.threads), time_limit=seconds)
        entry["stated"] = {
            "seconds": time.perf_counter() - started, "gap": result.gap, "bound": result.bound,
            "proven": result.status == "optimal",
            "value": value_of(result.x[: case.stocks], mean, V, current, rules) if result.has_solution else None,
        }  # fmt: skip
        if "scip" in options.peers:
            try:
                entry["scip"] = by_cvxpy(mean, V, current, rules, peer_seconds)
            except ImportError:
                record.note("cvxpy is not installed; `pip install cvxpy pyscipopt` mends that")
        entries.append(entry)
        say(
            f"  {case.stocks} stocks, {case.name}: {_told(entry['ours'])}; as stated {_told(entry['stated'])}; "
            f"SCIP {_told(entry.get('scip'))}"
        )
    record.write(entries=entries)


def _told(found: dict[str, Any] | None) -> str:
    if found is None:
        return NOTHING
    value = NOTHING if found["value"] is None else f"{found['value']:.8f}"
    return f"{value} {'proven' if found['proven'] else 'open'} in {number(found['seconds'])} s"


def _open(found: dict[str, Any]) -> str:
    """The gap of a value and a bound."""
    value, bound = found["value"], found.get("bound")
    if value is None or bound is None or not math.isfinite(value) or value == 0.0:
        return "open"
    return number(100 * (value - bound) / abs(value), 2, " %")


def report(documents: list[dict[str, Any]]) -> str:
    """The section of RESULTS.md."""
    (document,) = documents
    settings = document["settings"]
    rows = []
    for entry in document["entries"]:
        ours, peer = entry["ours"], entry.get("scip")
        line: list[object] = [entry["name"], entry["stocks"], f"{ours['value']:.7f}", number(ours["seconds"])]
        line += ["proven" if ours["proven"] else number(100 * ours["gap"], 2, " %"), ours["nodes"]]
        again = entry.get("stated")
        line.append(NOTHING if again is None else f"{again['value']:.7f}")
        line.append(NOTHING if again is None else "proven" if again["proven"] else number(100 * again["gap"], 2, " %"))
        if peer is None:
            line += [NOTHING] * 3
        else:
            shown = peer["value"] is not None and math.isfinite(peer["value"])
            line += [f"{peer['value']:.7f}" if shown else "none", number(peer["seconds"])]
            line.append("proven" if peer["proven"] else _open(peer))
        rows.append(line)
    return section(
        "Trades, shorts and a benchmark",
        documents,
        f"Generated markets; ours gets {settings['seconds']:g} s, the same model in cvxpy by SCIP "
        f"{settings['peer_seconds']:g} s (its clock has cvxpy's own work in it, ours has building the problem). Values "
        "are computed again from the weights; less is better. `as stated`: ours on the model as cvxpy has it, with "
        "purchases and sales in columns of their own, in which modes are recognised.",
        table(["case", "stocks", "ours", "s", "gap", "nodes", "as stated", "gap", "SCIP", "s", "gap"], rows),
    )
