"""Cases of an audit: each once gave a false "optimal", bound, "infeasible" or certificate, and none may again."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest

import hybridmip as hm
from hybridmip import Certificate, Config, Problem
from hybridmip.errors import FileError, ProblemError

INF = np.inf
OFF = Config(enumerate_up_to=0)


def optimal(result: hm.Result, value: float, rel: float = 1e-6) -> None:
    """The claim is there, and true; the point holds, and nothing contradicted it."""
    assert result.status == "optimal"
    assert result.objective == pytest.approx(value, rel=rel)
    assert result.bound <= value + 0.1 * rel * abs(value)
    assert result.integrity == ()


# HiGHS's MIP presolve


def integral(dummies: int) -> Problem:
    """x0 = 1 + b2 + b3 in [1, 3]; HiGHS's presolve says 0, the optimum is -1 at x0 = 2, b = (1, 1, 1, 0)."""
    G = np.zeros((4, 4 + dummies))
    G[0, 0], G[1, 1], G[2, 0], G[3, 2], G[3, 3] = -1, -3, -1, -1, -1
    return Problem(
        q=[0.0], p=np.concatenate([[0, -1, 0, 0], np.ones(dummies)]), A=[[-4.0], [-3.0], [-1.0], [1.0]], G=G,
        row_lower=[-10, -10, -INF, 1], row_upper=[INF, INF, -2.5, 1], x_lower=[1.0], x_upper=[3.0],
    )  # fmt: skip


@pytest.mark.parametrize("dummies", [0, 10, 500])
@pytest.mark.parametrize("options", [{"config": OFF}, {}, {"time_limit": 2}])
def test_presolve_of_highs(dummies: int, options: dict) -> None:
    """A continuous x that an equation makes integral: small models go without presolve, large ones declare it."""
    optimal(hm.solve(integral(dummies), **options), -1.0)


def test_presolve_calls_the_origin_infeasible() -> None:
    """The smallest case known: x - a - c = 0, x - a + 3b <= 0, 4x + 3c <= 3."""
    problem = Problem(
        q=[1.0], A=[[1.0], [1.0], [4.0]], G=[[-1, 0, -1], [-1, 3, 0], [0, 0, 3.0]], row_lower=[0, -INF, -INF],
        row_upper=[0, 0, 3], x_lower=0, x_upper=1,
    )  # fmt: skip
    result = hm.solve(problem, config=OFF)
    assert result.status == "optimal"
    assert result.objective == pytest.approx(0.0, abs=1e-9)


# The core, and the check of the final answer


def test_the_core_looks_at_rows_on_b() -> None:
    """No binary open: the leaf must satisfy the rows on b, and the answer is checked."""
    problem = Problem(Q=[1.0], p=[3.0, 0.0, 3.0], B=[[1.0, 1.0, 1.0]], b_lower=2, b_upper=2, x_lower=0.5, x_upper=3.0)
    optimal(hm.solve(problem, config=OFF, gap=0.0, seed=3), 3.25)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(6, 14))
        p = rng.integers(0, 4, 20).astype(float)
        problem = Problem(Q=[1.0], p=p, B=[np.ones(20)], b_lower=k, b_upper=k, x_lower=0.5, x_upper=3.0)
        result = hm.solve(problem, gap=0.0, seed=3)
        assert result.violation == 0.0
        optimal(result, 0.25 + np.sort(p)[:k].sum())
    tiny = Problem(
        Q=[1e12], B=[[9.0, 5.0]], b_lower=5, b_upper=5, x_lower=[-2e-6], x_upper=[-6e-7], switch=[1], binaries=2
    )
    optimal(hm.solve(tiny, config=OFF, seed=1), 0.36)


# Units


@pytest.mark.parametrize(
    "options", [{}, {"config": OFF}, {"time_limit": 2}, {"config": Config.paper()}, {"config": Config.quick()}]
)
def test_two_variables_in_units_of_1e3_and_1e_minus_3(options: dict) -> None:
    """A QP without binaries; its Hessian is singular only to those who look at the largest entry."""
    rng = np.random.default_rng(30)
    R = rng.integers(-3, 4, (2, 2)).astype(float)
    Q, q = R @ R.T + 0.1 * np.eye(2), rng.integers(-5, 6, 2).astype(float)
    S = np.array([1e3, 1e-3])
    problem = Problem(Q=Q * np.outer(S, S), q=q * S, A=[S], row_upper=1.0, x_lower=-1 / S, x_upper=1 / S)
    optimal(hm.solve(problem, **options), -2.4328767123)


@pytest.mark.parametrize("k", [1e3, 1e5, 1e7, 1e8, 1e12])
def test_money_in_units_is_not_unbounded(k: float) -> None:
    """Every bound is finite: nothing is unbounded, and nothing infeasible."""
    box = {"x_lower": 0, "x_upper": [1.7 * k, 2.1 * k], "switch": [0, 0], "p": [0.0]}
    optimal(hm.solve(Problem(Q=np.full((2, 2), 6.0) / k**2, q=np.array([0.0, -2.0]) / k, **box)), -1 / 6)


def test_infeasible_by_scale() -> None:
    """x of 1e8 and entries of 1e-9; and an x without a limit beside one in a finite box."""
    problem = Problem(
        Q=[[9e-18, 6e-18], [6e-18, 4e-18]], q=[0.0, -4e-9], A=[[8e-9, 0.0]], row_upper=-2.0, x_lower=[-3e8, -2e8],
        x_upper=[2e8, 2e8], switch=[0, -1], p=[0.0],
    )  # fmt: skip
    result = hm.solve(problem)
    assert result.has_solution
    assert result.objective <= problem.objective([-2.5e8, 2e8], [1.0]) * (1 - 1e-6)
    problem = Problem(
        Q=[1e-9, 0.0], q=[0.0, -2e4], A=[[2e-5, 3e4]], row_upper=2.0, x_lower=[-3e4, -6e-5], x_upper=[INF, 1e-4],
        switch=[0, -1], p=[0.0],
    )  # fmt: skip
    optimal(hm.solve(problem), -1.3777777777777775)


@pytest.mark.parametrize("options", [{}, {"config": OFF}])
def test_a_switch_that_is_never_on(options: dict) -> None:
    """x without a limit behind a b that must be off: 0, and not unbounded."""
    problem = Problem(q=[-1.0], x_lower=0, x_upper=INF, switch=[0], B=[[1.0]], b_upper=0)
    result = hm.solve(problem, **options)
    assert result.status == "optimal"
    assert result.objective == 0.0


@pytest.mark.parametrize("options", [{}, {"config": OFF}])
def test_entries_that_highs_drops(options: dict) -> None:
    """Entries of 1e-9 and less, multiplied by an x of 1e9 and more, and links to an x of 5e-10."""
    first = Problem(
        q=[0.0, -5e-5], A=[[1e5, -5e-5]], G=[[3.0, 0.0]], row_lower=7.0, x_lower=0, x_upper=[5e-5, 2e5], switch=[1, 0]
    )
    result = hm.solve(first, seed=1, **options)
    optimal(result, -1.0)
    assert result.violation <= 1e-8
    rows = {"A": [[1.0, 5e-10]], "row_lower": 2.0, "x_lower": 0, "x_upper": [1.0, 1e10]}
    optimal(hm.solve(Problem(q=[0.0, 1.0], p=[1.0, 1.0], switch=[0, 1], **rows), **options), 2e9 + 2)
    optimal(hm.solve(Problem(q=[0.0, 1.0], p=[1.0], binaries=1, **rows), **options), 2e9)
    wide = Problem(
        Q=[1, 1e-20], q=[0.0, 1.0], A=[[1.0, 1e-12]], row_lower=2.0, x_lower=0, x_upper=[1.0, INF], switch=[0, 1],
        p=[1.0, 1.0],
    )  # fmt: skip
    optimal(hm.solve(wide, **options), 1 + 1e4 + 1e12 + 2)
    small = Problem(
        q=[-1e10, -1e10], A=[[1e9, 1e9]], row_upper=0.6, x_lower=0, x_upper=5e-10, switch=[0, 1], p=[1.0, 1.0]
    )
    optimal(hm.solve(small, **options), -4.0)


@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e-9, 1e-10, 1e8])
def test_small_costs(scale: float) -> None:
    """Costs of 1e-9 are costs: a knapsack against all of its choices, and fixed charges."""
    rng = np.random.default_rng(1)
    W, v = rng.integers(5, 30, (2, 16)).astype(float), rng.integers(5, 30, 16).astype(float)
    cap = np.floor(W.sum(axis=1) / 2)
    every = np.array(list(itertools.product((0.0, 1.0), repeat=16)))
    best = (every[(every @ W.T <= cap).all(axis=1)] @ v).max()
    optimal(hm.solve(Problem(p=-v * scale, B=W, b_upper=cap)), -best * scale)
    rng = np.random.default_rng(3)
    q, p, u = rng.uniform(1, 5, 14), rng.uniform(5, 50, 14), rng.uniform(5, 15, 14)
    rows = {"A": [np.ones(14)], "row_lower": 40, "row_upper": 40, "x_lower": 0, "x_upper": u, "switch": np.arange(14)}
    optimal(hm.solve(Problem(q=q * scale, p=p * scale, **rows)), 156.70062566 * scale)


@pytest.mark.parametrize("scale", [1e-4, 1e-5, 1e5])
def test_outer_approximation_in_small_units(scale: float) -> None:
    """The bound of the tangents is below the value of a feasible point, also where r^2 is 1e-10."""

    def build(s: float) -> Problem:
        rng = np.random.default_rng(0)
        R = rng.normal(size=(24, 24))
        B = rng.integers(0, 4, (8, 24)).astype(float)
        k = np.floor(B.sum(axis=1) / 5)
        Q, q, p = R @ R.T / 24 + 0.02 * np.eye(24), -rng.uniform(0, 3, 24), rng.uniform(0, 1, 24)
        return Problem(
            Q=Q / s**2, q=q / s, p=p, B=B, b_lower=k, b_upper=k + 3, x_lower=0.05 * s, x_upper=2 * s,
            switch=np.arange(24),
        )  # fmt: skip

    config = Config(threads=1, enumerate_up_to=0)
    plain = hm.solve(build(1.0), time_limit=1.5, config=config)
    other = hm.solve(build(scale), time_limit=1.5, config=config)
    for result in (plain, other):
        for name, bound in result.bounds.items():
            assert bound <= min(plain.objective, other.objective) + 1e-6, name


def test_objectives_near_zero() -> None:
    """The same data times 1e-12 or 1e-20: the same gap, and nothing optimal that is not."""
    rng = np.random.default_rng(5)
    R = rng.normal(size=(20, 20))
    Q = R @ R.T / 20 + 0.1 * np.eye(20)
    gaps = []
    for scale in (1.0, 1e-12, 1e-16, 1e-20):
        problem = Problem(
            Q=Q * scale, A=[np.ones(20)], row_lower=1, row_upper=1, B=[np.ones(20)], b_upper=5, x_lower=0.05,
            x_upper=1, switch=np.arange(20),
        )  # fmt: skip
        result = hm.solve(problem, seed=0)
        assert result.objective / scale == pytest.approx(0.052, rel=1e-3)
        gaps.append(result.gap)
    assert max(gaps) == pytest.approx(min(gaps), rel=1e-6)


@pytest.mark.parametrize("k", [1.0, 1e-3, 1e-6, 1e-8])
def test_tiny_x(k: float) -> None:
    """Rows hold in shares of their size, whatever the units of x."""
    problem = Problem(
        q=np.array([-3.0, -1.0]) / k, A=[np.array([3.0, 2.0]) / k], row_upper=-4.8, x_lower=-2 * k, x_upper=-0.5 * k
    )
    result = hm.solve(problem)
    optimal(result, 3.15)
    assert result.violation <= 1e-8


def test_a_pair_with_a_ratio_of_1e10() -> None:
    """x0 = 1e10 x1, with and without presolve."""
    problem = Problem(
        q=[-1.0, -3.0, 1.0], A=[[1e-5, -1e5, 0], [0, 1, 1.0]], row_lower=0, row_upper=[0, 1.0], x_lower=0,
        x_upper=[5.0, 1.0, 1.0], switch=[0, 0, 1], p=[0.0, 0.1],
    )  # fmt: skip
    for config in (Config(), Config(presolve=False)):
        result = hm.solve(problem, config=config)
        assert result.status == "optimal"
        assert result.objective == pytest.approx(-5.0, rel=1e-8)


@pytest.mark.parametrize("s", [1.0, 1e6, 1e10, 1e12])
def test_large_x(s: float) -> None:
    """sum x = 1e12 is neither 18 % off nor infeasible."""
    problem = Problem(
        Q=[[1.0, 0.3, 0.1], [0.3, 2.0, 0.2], [0.1, 0.2, 3.0]], A=[[1.0, 1.0, 1.0], [1, -1, 0.3]],
        row_lower=[s, 0.1 * s], row_upper=[s, 0.1 * s], x_lower=0, x_upper=s, switch=[0, 1, 2],
    )  # fmt: skip
    optimal(hm.solve(problem), 0.727837 * s**2, rel=1e-5)


# Bounds and certificates


def test_small_slopes_on_unlimited_x() -> None:
    """A bound of 44.7 where a feasible point has 0.05."""
    problem = Problem(
        Q=[[0.0031849707662882924, 6.521643884117914e-07, -88.57895942952233],
           [6.521643884117914e-07, 1.3353918158821415e-10, -0.01813769957136189],
           [-88.57895942952233, -0.01813769957136189, 2463517.7618163256]],
        A=[[0.0, 2e-05, 0.0]], G=[[0.0, 0.0, 0.3]], row_lower=2.0, x_lower=[12.8, 0.0, 2.0**-11],
        x_upper=[INF, INF, 2.0**-11], switch=[1, 0, 2],
    )  # fmt: skip
    point = problem.objective([0.0, 85000.0, 2.0**-11], [1, 0, 1])
    for config in (Config(), OFF, Config.paper()):
        result = hm.solve(problem, config=config, seed=1)
        assert result.objective <= point * (1 + 1e-9)
        assert max(result.bounds.values()) <= point
        assert result.bound <= point


def through_json(certificate: Certificate) -> Certificate:
    """As a forger would hand it over."""
    return Certificate.from_dict(json.loads(json.dumps(certificate.to_dict())))


def test_forged_certificates() -> None:
    """Large multipliers make no slope zero: on a duplicated equation, or on an unrelated column."""
    none = np.zeros
    twice = Problem(q=[-1.0], A=[[1.0], [1.0]], row_lower=5, row_upper=5, x_lower=0)
    forged = Certificate(none(1), none(1), np.array([1e12, -1e12]), none(0), claimed=-0.05, problem_hash=twice.hash)
    assert not through_json(forged).verify(twice)
    unrelated = Problem(
        q=[-1.0, 0.0], A=[[1.0, 0.0], [0.0, 1.0]], row_lower=[-INF, 0], row_upper=[5, 0], x_lower=0, x_upper=[INF, 0]
    )
    forged = Certificate(none(2), none(2), np.array([0.0, 1e15]), none(0), claimed=0.0, problem_hash=unrelated.hash)
    assert not through_json(forged).verify(unrelated)
    flat = Problem(Q=[[1, 1e-17], [1e-17, 1e-34]], q=[-1, 1e-17], x_lower=[-1, -1e17], x_upper=[1, 1e17])
    forged = Certificate(np.array([1.0, 0.0]), none(2), none(0), none(0), claimed=-1.3, problem_hash=flat.hash)
    assert not through_json(forged).verify(flat)


def test_own_certificates() -> None:
    """A slope of 1e-10 beside a cost of 1e3; a free row on b alone, which presolve takes out."""
    problem = Problem(q=[-1e-10, 1e3], A=[[1.0, 0.0]], row_upper=1e12, x_lower=0, x_upper=[INF, 1.0])
    result = hm.solve(problem)
    optimal(result, -100.0)
    assert result.certificate.claimed <= -100 * (1 - 1e-9)
    assert through_json(result.certificate).verify(problem)
    problem = Problem(
        p=[3.0, 2.0, 4.0], A=np.zeros((1, 0)), G=[[-1.0, 0.0, 1.0]], B=[[1.0, 1.0, 1.0]], b_lower=2, b_upper=2
    )
    for config in (Config.quick(), Config()):
        result = hm.solve(problem, config=config)
        optimal(result, 5.0)
        assert result.certificate.verify(problem)


def test_indefinite_q_is_refused() -> None:
    """-1e-9 of the largest entry is all that there is, in the units of its own x."""
    with pytest.raises(ProblemError, match="indefinite"):
        Problem(Q=[[1, 3e-5], [3e-5, 0]], x_lower=[-10, 0], x_upper=[10, 1e5])
    with pytest.raises(ProblemError, match="indefinite"):
        Problem(Q=[1.0, -5e-10], x_lower=[-10, -1e6], x_upper=[10, 1e6])


@pytest.mark.parametrize(
    "change",
    [
        {"bound": 10**400}, {"diagonal": [10**400, 0]}, {"bound": "1"}, {"bound": [1.0]}, {"bound": math.nan},
        {"point": [[1.0]]}, {"multipliers": {"a": 1}}, {"diagonal": [None, 1]}, {"point": "abc"}, {"bound": True},
    ],
)  # fmt: skip
def test_hostile_certificates(change: dict) -> None:
    """A certificate that is none is refused in one line, never by another exception."""
    document = hm.solve(Problem(Q=[1.0, 2.0], q=[-1, -1], x_lower=0, x_upper=3, switch=[0, 1])).certificate.to_dict()
    with pytest.raises(FileError) as error:
        Certificate.from_dict({**document, **change})
    assert "\n" not in str(error.value)


def test_rows_on_b_with_small_coefficients() -> None:
    """1e-8 (b0 + b1) <= 1e-8 allows one of two, and says so in a certificate too."""
    problem = Problem(p=[-2.0, -1.0], B=[[1e-8, 1e-8]], b_upper=1e-8)
    result = hm.solve(problem)
    optimal(result, -2.0)
    assert result.certificate.verify(problem)
