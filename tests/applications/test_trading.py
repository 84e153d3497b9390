"""Holdings, trade costs, turnover, signs, objectives: against trying every mode of every asset, from plain formulas."""

from __future__ import annotations

import itertools
import math
import os
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

import hybridmip as hm
from hybridmip.engines.conic import solve_cone_program
from hybridmip.errors import ArgumentError
from hybridmip.run import phases

#: How many times as many cases as usual: HYBRIDMIP_EXAMPLES=20 for thousands.
TIMES = int(os.environ.get("HYBRIDMIP_EXAMPLES", "1"))


@dataclass(frozen=True)
class Way:
    """An interval of weights in which cost, turnover and signs are linear: value(w) = slope * w + constant."""

    lower: float
    upper: float
    cost: tuple[float, float]
    turnover: tuple[float, float]
    sign: float
    traded: bool
    held: bool


def ways(asked: dict[str, Any], i: int) -> list[Way]:
    """Every way of holding asset i, from the rules themselves."""
    low, high, h = asked["min_weight"][i], asked["max_weight"][i], asked["current"][i]
    buy, sell = asked["trade_cost"]
    fixed, step = asked["fixed_trade_cost"], asked["min_trade"]
    found = []
    if h == 0.0 or abs(h) >= step:
        # Everything is sold, or a short position bought back; or nothing was there.
        rate = sell if h > 0 else buy
        found.append(Way(0.0, 0.0, (0.0, rate * abs(h) + (fixed if h else 0.0)), (0.0, abs(h)), 1.0, h != 0.0, False))
    if h != 0.0 and low <= h <= high:
        found.append(Way(h, h, (0.0, 0.0), (0.0, 0.0), math.copysign(1.0, h), False, True))
    for sign, first, last in ((-1.0, low, min(high, 0.0)), (1.0, max(low, 0.0), high)):
        if first <= min(last, h - step):
            found.append(Way(first, min(last, h - step), (-sell, sell * h + fixed), (-1.0, h), sign, True, True))
        if max(first, h + step) <= last:
            found.append(Way(max(first, h + step), last, (buy, -buy * h + fixed), (1.0, -h), sign, True, True))
    return found


def by_trying(mean: np.ndarray, V: np.ndarray, asked: dict[str, Any]) -> float:
    """The best value of the objective over every way of every asset."""
    n, best = mean.size, math.inf
    for chosen in itertools.product(*(ways(asked, i) for i in range(n))):
        if not asked["assets"][0] <= sum(way.held for way in chosen) <= asked["assets"][1]:
            continue
        if asked["max_trades"] is not None and sum(way.traded for way in chosen) > asked["max_trades"]:
            continue
        slope = np.array([way.cost[0] for way in chosen])
        constant = sum(way.cost[1] for way in chosen)
        rows, lower, upper = [np.ones(n)], [1.0], [1.0]
        if asked["max_turnover"] is not None:
            rows.append(np.array([way.turnover[0] for way in chosen]))
            lower.append(-np.inf)
            upper.append(asked["max_turnover"] - sum(way.turnover[1] for way in chosen))
        if asked["max_gross"] is not None:
            rows.append(np.array([way.sign for way in chosen]))
            lower.append(-np.inf)
            upper.append(asked["max_gross"])
        if asked["target_return"] is not None:
            rows.append(mean - slope)
            lower.append(asked["target_return"] + constant)
            upper.append(np.inf)
        if asked["objective"] == "utility":
            Q, q, offset = asked["risk_aversion"] * V, -mean + slope, constant
        elif asked["objective"] == "tracking":
            index = asked["benchmark"]
            Q, q = V, -2 * V @ index + asked["cost_weight"] * slope
            offset = index @ V @ index + asked["cost_weight"] * constant
        else:
            Q, q, offset = V, asked["cost_weight"] * slope, asked["cost_weight"] * constant
        answer = solve_cone_program(
            sparse.csc_array(2 * Q), q, sparse.csr_array(np.array(rows)), np.array(lower), np.array(upper),
            np.array([way.lower for way in chosen]), np.array([way.upper for way in chosen]), tolerance=1e-10,
        )  # fmt: skip
        if answer.x is None:
            continue
        sums = np.array(rows) @ answer.x  # a solver that gave up leaves a point, too
        if (sums >= np.array(lower) - 1e-7).all() and (sums <= np.array(upper) + 1e-7).all():
            best = min(best, float(answer.x @ Q @ answer.x + q @ answer.x + offset))
    return best


@st.composite
def cases(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """A small market, holdings and rules."""
    n = draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    F = rng.standard_normal((n, n))
    V = F @ F.T / n + (0.0 if draw(st.booleans()) else 0.3) * np.eye(n)
    mean = 0.3 * rng.standard_normal(n)
    held = rng.random(n) < draw(st.sampled_from([0.0, 0.5, 1.0]))
    current = np.where(held, np.round(rng.dirichlet(np.ones(n)), 2), 0.0)
    short = draw(st.booleans())
    low = np.full(n, -0.4 if short else draw(st.sampled_from([0.0, 0.0, 0.05])))
    if short:
        current = current * np.where(rng.random(n) < 0.3, -0.3, 1.0)
    current = np.where(current < low, 0.0, current)
    objective = draw(st.sampled_from(["variance", "utility", "tracking"]))
    asked: dict[str, Any] = {
        "assets": (0, draw(st.integers(2, n))), "min_weight": low, "max_weight": np.full(n, 1.0), "current": current,
        "trade_cost": draw(st.sampled_from([(0.0, 0.0), (0.02, 0.02), (0.01, 0.05)])),
        "fixed_trade_cost": draw(st.sampled_from([0.0, 0.0, 0.01, 0.1])),
        "min_trade": draw(st.sampled_from([0.0, 0.0, 0.1])),
        "max_turnover": draw(st.sampled_from([None, None, 0.5, 1.2])),
        "max_trades": draw(st.sampled_from([None, None, 1, 2])),
        "max_gross": draw(st.sampled_from([None, 1.4])) if short else None,
        "objective": objective, "risk_aversion": 1.5, "cost_weight": 0.7,
        "target_return": draw(st.sampled_from([None, None, float(mean.mean())])),
        "benchmark": rng.dirichlet(np.ones(n)) if objective == "tracking" else None,
    }  # fmt: skip
    return mean, V, asked


@settings(max_examples=30 * TIMES, deadline=None, suppress_health_check=list(HealthCheck))
@given(cases(), st.sampled_from([0.35, 0.6]), st.sampled_from([0.0, 0.15]))
def test_holdings_beyond_the_limits_are_traded(
    case: tuple[np.ndarray, np.ndarray, dict[str, Any]], highest: float, lowest: float
) -> None:
    """With drifted=True the best value is that of every way to get back within the limits; without it, an error."""
    mean, V, asked = case
    n = mean.size
    asked = {**asked, "max_weight": np.full(n, highest)}
    if asked["min_weight"].min() >= 0:
        asked["min_weight"] = np.full(n, lowest)
    if n * highest < 1 or asked["assets"][1] * highest < 1:
        asked["assets"], asked["max_weight"] = (0, n), np.full(n, max(highest, 0.6))
    held, beyond = asked["current"], (asked["current"] > asked["max_weight"]) | (asked["current"] < asked["min_weight"])
    portfolio = hm.Portfolio(mean, V, return_sense="at_least", drifted=True, **asked)
    if (beyond & (held != 0)).any():
        with pytest.raises(ArgumentError, match="current of"):
            portfolio.replace(drifted=False)
    result = hm.solve(portfolio, time_limit=20)
    best = by_trying(mean, V, asked)
    if not math.isfinite(best):
        assert not result.has_solution
        return
    assert result.objective == pytest.approx(best, rel=1e-5, abs=1e-6)
    found = portfolio.read(result)
    on = np.array(found.b)
    assert (found.x[on] <= asked["max_weight"][on] + 1e-7).all()
    assert (found.x[on] >= asked["min_weight"][on] - 1e-7).all()


@settings(max_examples=40 * TIMES, deadline=None, suppress_health_check=list(HealthCheck))
@given(cases(), st.booleans())
def test_agrees_with_trying_every_way(case: tuple[np.ndarray, np.ndarray, dict[str, Any]], prove: bool) -> None:
    """Value, bound, certificate and proof; turnover and costs recomputed from the weights."""
    mean, V, asked = case
    portfolio = hm.Portfolio(mean, V, return_sense="at_least", **asked)
    result = hm.solve(portfolio, prove=prove, time_limit=20)
    expected = by_trying(mean, V, asked)
    if not math.isfinite(expected):
        assert result.status == "infeasible"
        return
    size = max(abs(expected), float(np.abs(V).max()), 1e-3)
    assert result.objective == pytest.approx(expected, abs=2e-6 * size)
    assert result.bound <= expected + 2e-6 * size
    assert result.status == "optimal"
    if result.certificate is not None:
        assert result.certificate.verify(result.problem).valid
    if result.proof is not None:
        assert result.proof.verify(result.problem).valid
    found = portfolio.read(result)
    change = found.x - asked["current"]
    moved = np.abs(change) > 1e-9
    buy, sell = asked["trade_cost"]
    paid = buy * np.maximum(change, 0) + sell * np.maximum(-change, 0) + asked["fixed_trade_cost"] * moved
    assert found.turnover == pytest.approx(np.abs(change[moved]).sum(), abs=1e-12)
    assert found.cost == pytest.approx(paid[moved].sum(), abs=1e-12)
    if asked["max_turnover"] is not None:
        assert found.turnover <= asked["max_turnover"] + 1e-6
    if asked["max_trades"] is not None:
        assert len(found.trades) <= asked["max_trades"]
    if asked["min_trade"]:
        assert (np.abs(change[moved]) >= asked["min_trade"] - 1e-7).all()


def market(n: int = 12, seed: int = 0) -> tuple[Any, Any, np.ndarray]:
    """Returns, covariance and holdings."""
    mean, covariance = hm.market(assets=n, seed=seed).sample_estimates()
    current = np.zeros(n)
    current[: n // 2] = 2.0 / n
    return mean, covariance, current


def test_the_weights_of_an_answer_are_held() -> None:
    """A Series of what is held may leave the other assets out, as the weights of an answer do; strangers are named."""
    mean, covariance, _ = market()
    asked = hm.Portfolio(mean, covariance, assets=3)
    weights = asked.solve().weights
    assert len(weights) == 3
    again = asked.replace(current=weights)
    for name, held in zip(again.names, again.current, strict=True):
        assert held == weights.get(name, 0.0)
    with pytest.raises(ArgumentError, match="names 'stranger', which is no asset"):
        asked.replace(current=weights.rename({weights.index[0]: "stranger"}))
    with pytest.raises(ArgumentError, match="twice"):
        asked.replace(current=weights.rename({weights.index[0]: weights.index[1]}))
    with pytest.raises(hm.HybridMIPError, match="finite"):
        asked.replace(current=weights * float("nan"))


def test_costs_above_every_gain_keep_the_holdings() -> None:
    mean, covariance, current = market()
    found = hm.Portfolio(
        mean, covariance, current=current, fixed_trade_cost=10.0, objective="utility", assets=(None, 8)
    ).solve()
    assert (found.x == current).all()
    assert (len(found.trades), found.turnover, found.cost) == (0, 0.0, 0.0)


def test_no_costs_give_the_fresh_portfolio() -> None:
    mean, covariance, current = market()
    fresh = hm.Portfolio(mean, covariance, assets=5, min_weight=0.02)
    again = fresh.replace(current=np.where(current > 0, current, 0.0), trade_cost=0.0, max_trades=12, max_turnover=2.0)
    one, other = hm.solve(fresh), hm.solve(again)
    assert other.objective == pytest.approx(one.objective, rel=1e-6)
    assert again.read(other).x == pytest.approx(fresh.read(one).x, abs=1e-4)


def test_the_largest_sharpe_ratio_is_exact() -> None:
    """No portfolio of a fine grid of targets has a larger one, and it is that of the weights returned."""
    mean, covariance, current = market(8)
    rules: dict[str, Any] = {"assets": (None, 4), "min_weight": 0.05, "max_weight": 0.6, "risk_free": 0.0002}
    for more in ({}, {"current": current[:8], "trade_cost": 2e-4, "fixed_trade_cost": 1e-4}):
        asked = hm.Portfolio(mean, covariance, objective="sharpe", **rules, **more)
        result = hm.solve(asked)
        found = asked.read(result)
        assert result.status == "optimal"
        assert found.sharpe_ratio == pytest.approx(1 / math.sqrt(result.objective), rel=1e-6)
        assert found.x.sum() == pytest.approx(1.0)
        held = found.x[np.array(found.b)]
        assert held.min() >= 0.05 - 1e-7
        assert held.max() <= 0.6 + 1e-7
        low, high = asked.attainable_range()
        best = 0.0
        for target in np.linspace(low, high, 60)[1:-1]:
            other = hm.Portfolio(
                mean, covariance, target_return=float(target), return_sense="at_least", **rules, **more
            )
            answer = hm.solve(other)
            if answer.has_solution:
                best = max(best, other.read(answer).sharpe_ratio)
        assert best <= found.sharpe_ratio * (1 + 1e-6)
        assert best >= found.sharpe_ratio * 0.98


def test_tracking_and_further_rows() -> None:
    mean, covariance, _ = market(10)
    index = np.full(10, 0.1)
    loading = np.linspace(-1, 1, 10)
    asked = hm.Portfolio(
        mean, covariance, assets=4, objective="tracking", benchmark=index,
        exposures={"size": (loading, -0.05, 0.05)}, constraints={"first two": ([1, 1] + [0] * 8, 0.2, None)},
    )  # fmt: skip
    found = asked.solve()
    V = np.asarray(covariance)
    gap = found.x - index
    assert found.tracking_error == pytest.approx(math.sqrt(gap @ V @ gap), rel=1e-6)
    assert abs(loading @ found.x) <= 0.05 + 1e-7
    assert found.x[:2].sum() >= 0.2 - 1e-7
    assert asked.problem().row_names[-2:] == ("exposure to size", "first two")
    same = hm.Portfolio(
        mean, covariance, assets=4, objective="tracking",
        benchmark=hm.Benchmark(V @ index, float(index @ V @ index)),
        exposures=asked.exposures, constraints=asked.constraints,
    )  # fmt: skip
    one, other = same.problem(), asked.problem()
    # The products of the benchmark differ in their last bits from one BLAS to the next.
    assert other.q == pytest.approx(one.q, rel=1e-12)
    assert other.offset == pytest.approx(one.offset, rel=1e-12)
    assert one.replace(q=other.q, offset=other.offset).hash == other.hash


def test_long_short_limits() -> None:
    mean, covariance, _ = market(10)
    asked = hm.Portfolio(
        mean, covariance, assets=(None, 8), min_weight=-0.3, max_weight=1.0, max_short=0.3, max_gross=1.5,
        objective="utility", risk_aversion=2.0,
    )  # fmt: skip
    found = asked.solve()
    assert -found.x[found.x < 0].sum() <= 0.3 + 1e-7
    assert np.abs(found.x).sum() <= 1.5 + 1e-7


def test_whole_shares() -> None:
    mean, covariance, _ = market(8)
    found = hm.Portfolio(mean, covariance, assets=4, min_weight=0.1).solve()
    prices = dict(zip(found.portfolio.names, np.linspace(20, 300, 8), strict=True))
    shares = found.allocate(prices, 10_000.0, lot=5)
    assert (shares.shares % 5 == 0).all()
    spent = float(shares.shares @ np.linspace(20, 300, 8))
    assert shares.left == pytest.approx(10_000.0 - spent)
    assert shares.left >= 0
    assert np.abs(shares.weights - found.x).max() <= 5 * 300 / 10_000
    assert shares.table()["value"].sum() == pytest.approx(spent)


def test_the_text_tells_trades_and_costs() -> None:
    mean, covariance, current = market()
    asked = hm.Portfolio(
        mean, covariance, current=current, trade_cost=1e-4, fixed_trade_cost=1e-5, objective="utility", assets=(None, 6)
    )
    found = asked.solve()
    assert "trades, turnover" in str(found)
    assert {"trade", "cost"} <= set(found.table().columns)
    assert found.net_return == pytest.approx(found.expected_return - found.cost)
    assert found.result is not None
    utility = found.net_return - found.variance
    assert -found.result.objective == pytest.approx(utility, rel=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"current": [0.5, 0.7, 0, 0], "max_weight": 0.6}, "current of asset2 is 0.7, above its max_weight 0.6"),
        ({"current": [-0.5, 0, 0, 0]}, "current of asset1 is -0.5, below its min_weight 0"),
        ({"current": {"nobody": 1.0}}, "current names 'nobody', which is no asset"),
        ({"trade_cost": -0.1}, "trade_cost of asset1 is -0.1; it must be 0 or more"),
        ({"fixed_trade_cost": [0, 0, -1, 0]}, "fixed_trade_cost of asset3 is -1; it must be 0 or more"),
        ({"max_turnover": -1}, "max_turnover is -1; it must be 0 or more"),
        ({"max_trades": 1.5}, "max_trades is 1.5; it must be a whole number"),
        ({"objective": "best"}, "objective is 'best'; choose from variance"),
        ({"objective": "tracking"}, "objective='tracking' needs the weights of what is followed; give benchmark"),
        ({"benchmark": [1, 0, 0, 0]}, "benchmark is followed only with objective='tracking'; give both or neither"),
        ({"objective": "tracking", "benchmark": {"nobody": 1}}, "benchmark names 'nobody'"),
        ({"max_weight": 30}, "more than the budget 1; weights are shares"),
        ({"exposures": {"size": (1, 2)}}, r"exposures\['size'\] has 2 entries; give"),
        ({"constraints": {"c": ([1, 0, 0, 0], 2, 1)}}, r"constraints\['c'\], lowest, is 2, above its highest 1"),
        ({"risk_aversion": -1}, "risk_aversion is -1; it must be 0 or more"),
    ],
)
def test_bad_input_is_told(options: dict[str, Any], message: str) -> None:
    with pytest.raises(hm.HybridMIPError, match=message):
        hm.Portfolio(np.zeros(4), np.eye(4), **options)


@pytest.mark.parametrize(
    "rules",
    [
        {"current": np.repeat([0.25, 0.0], [4, 8]), "trade_cost": 1e-4, "fixed_trade_cost": 1e-5},
        {"min_weight": -0.3, "max_short": 0.3},
        {"objective": "tracking", "benchmark": np.full(12, 1 / 12)},
    ],
)
def test_a_frontier_has_the_weights_of_assets(rules: dict[str, Any]) -> None:
    """Where an asset has several x its point has one weight for it, and the risk is that of the weights."""
    mean, covariance, _ = market(12)
    asked = hm.Portfolio(mean, covariance, assets=(None, 6), return_sense="at_least", **rules)
    low, high = asked.attainable_range()
    found = hm.frontier(asked, [float(target) for target in np.linspace(low, high, 5)[:-1]])
    V = np.asarray(covariance)
    for point in found.points:
        weights = np.array([point.weights.get(name, 0.0) for name in asked.names])
        assert set(point.weights) <= set(asked.names)
        assert set(point.selected) <= set(asked.names)
        assert weights.sum() == pytest.approx(1.0)
        assert point.risk == pytest.approx(math.sqrt(weights @ V @ weights), rel=1e-5)
        assert point.expected_return == pytest.approx(float(np.asarray(mean) @ weights))


def test_what_is_excluded_is_sold() -> None:
    """An asset that is not to be held is sold whatever that costs; others are not touched by it."""
    mean, covariance, current = market()
    names = list(mean.index)
    portfolio = hm.Portfolio(
        mean, covariance, current=current, trade_cost=0.01, cost_weight=1.0, exclude=[names[0], names[-1]]
    )
    answer = portfolio.solve()
    assert answer.result.status == "optimal"
    assert answer.x[0] == answer.x[-1] == 0.0
    assert answer.trades[names[0]] == pytest.approx(-current[0], abs=1e-12)
    without = hm.Portfolio(mean, covariance, current=current, trade_cost=0.01, cost_weight=1.0).solve()
    assert without.result.objective <= answer.result.objective + 1e-12
    for bad, words in (("AAA", "list of names"), (["NOBODY"], "no asset")):
        with pytest.raises(ArgumentError, match=words):
            hm.Portfolio(mean, covariance, exclude=bad)


def test_a_benchmark_from_its_returns() -> None:
    """Tracking a series of returns is tracking the weights that it was made with."""
    history = hm.market(assets=8, seed=4).returns()
    weights = np.random.default_rng(0).dirichlet(np.ones(8))
    index = history @ weights
    mean, covariance = history.mean(), history.cov()
    by_weights = hm.Portfolio(mean, covariance, assets=4, objective="tracking", benchmark=weights).solve()
    followed = hm.Benchmark.from_returns(index, history)
    by_returns = hm.Portfolio(mean, covariance, assets=4, objective="tracking", benchmark=followed).solve()
    np.testing.assert_allclose(by_returns.x, by_weights.x, atol=1e-7)
    assert by_returns.tracking_error == pytest.approx(by_weights.tracking_error, rel=1e-6)
    for bad in (index[:-1], index.to_numpy()[:, None], index.shift(1)):
        with pytest.raises(ArgumentError):
            hm.Benchmark.from_returns(bad, history)
    with pytest.raises(ArgumentError, match="dates"):
        hm.Benchmark.from_returns(index.set_axis(range(len(index))), history)


def test_a_bound_where_there_is_no_time_for_a_relaxation(monkeypatch: pytest.MonkeyPatch) -> None:
    """The formula at the answer is better than nothing by far, and is a certificate."""
    mean, covariance, _ = market(n=40)
    rules: dict[str, Any] = {"min_weight": -0.3, "max_short": 0.3, "max_gross": 1.6, "assets": (None, 8)}
    portfolio = hm.Portfolio(mean, covariance, objective="utility", risk_aversion=5.0, **rules)
    best = hm.solve(portfolio, time_limit=20)
    monkeypatch.setattr(phases, "_expected_seconds", lambda problem: 1e9)
    config = hm.Config(tree=hm.TreeSettings(work=0))
    result = hm.solve(portfolio, config=config, time_limit=4)
    assert "persp" not in result.bounds
    assert result.bounds["trivial"] < result.bounds["answer"] <= best.objective + 1e-9
    assert result.certificate.verify(result.problem)


def test_costs_above_what_is_traded_are_warned_of() -> None:
    """Percent given for shares, most likely; one warning that names the first asset and says what is meant."""
    with pytest.warns(
        hm.ScaleWarning, match=r"trade_cost of A is 5, 500 % of what is traded \(1 more like it\); .* 0.0005"
    ):
        hm.Portfolio([0.1, 0.2], np.eye(2), names=["A", "B"], current=[0.5, 0.5], trade_cost=5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hm.Portfolio([0.1, 0.2], np.eye(2), current=[0.5, 0.5], trade_cost=0.05)


def test_what_a_benchmark_is_for() -> None:
    """It and the objective that follows it are given together; either alone is refused with the other's name."""
    returns, covariance = hm.market(assets=6, seed=1).sample_estimates()
    with pytest.raises(ArgumentError, match=r"^benchmark is followed only with objective='tracking'; give both"):
        hm.Portfolio(returns, covariance, benchmark=np.full(6, 1 / 6))
    with pytest.raises(ArgumentError, match=r"^objective='tracking' needs .*; give benchmark$"):
        hm.Portfolio(returns, covariance, objective="tracking")


def test_rules_that_clash_are_named() -> None:
    """The error of `Portfolio.solve` names them; one that has had no time asks for more."""
    market = hm.market(assets=40, seed=1)
    with pytest.raises(hm.ProblemError, match=r"infeasible\); these rules clash: budget, return, assets; relax one"):
        market.portfolio(assets=6, min_weight=0.05, target_return=0.006).solve()
    with pytest.raises(hm.ProblemError, match=r"unknown\); give more time, or relax a rule"):
        market.portfolio(assets=6, min_weight=0.05, target_return=0.003).solve(time_limit=1e-9)
