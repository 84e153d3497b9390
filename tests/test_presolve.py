"""Presolve: the same b, the same values, and certificates that hold for the problem given."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import NoReference, make, optimum, restricted_value
from test_properties import quiet, recipes

from hybridmip import Config, FitSettings, Problem, solve
from hybridmip.model.binaries import NoFeasibleBinaries
from hybridmip.run.presolve import presolve, unchanged


def written_out(m: int, seed: int, curved: bool) -> Problem:
    """Semicontinuous y = x + l b, written with both x and y; x may be squared; t is in no row; one row twice."""
    rng = np.random.default_rng(seed)
    low, room = rng.uniform(0.05, 0.2, m), rng.uniform(0.3, 0.6, m)
    root = rng.normal(size=(m, m))
    Q = np.zeros((3 * m, 3 * m))
    Q[m : 2 * m, m : 2 * m] = root @ root.T / m
    if curved:
        Q[:m, :m] = np.diag(rng.uniform(0.5, 2.0, m))
    eye, none = np.eye(m), np.zeros((m, m))
    total = np.concatenate([np.zeros(m), np.ones(m), np.zeros(m)])
    A = np.vstack([np.hstack([-2.0 * eye, 2.0 * eye, none]), total, total, total])
    G = np.vstack([np.diag(-2.0 * low), np.zeros((3, m))])
    return Problem(
        Q=Q,
        q=np.concatenate([rng.normal(size=m), np.zeros(m), rng.uniform(0.0, 1.0, m)]),
        p=rng.uniform(0.0, 0.3, m),
        A=A,
        G=G,
        row_lower=np.concatenate([np.zeros(m), [1.0, 0.9, -50.0]]),
        row_upper=np.concatenate([np.zeros(m), [1.0, 1.1, 50.0]]),
        x_lower=np.concatenate([np.zeros(m), low, rng.uniform(0.0, 0.1, m)]),
        x_upper=np.concatenate([room, low + room, np.full(m, math.inf)]),
        switch=np.tile(np.arange(m), 3),
    )


@pytest.mark.parametrize("curved", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_what_is_written_out_is_written_back(seed: int, curved: bool) -> None:
    """Two of three x go, with all rows but one; every b keeps its value, and x comes back feasible."""
    problem = written_out(5, seed, curved)
    reduced = presolve(problem)
    assert (reduced.problem.n, reduced.problem.rows) == (5, 1)
    rng = np.random.default_rng(seed)
    for _ in range(8):
        b = rng.random(5) < 0.7
        value = restricted_value(problem, b)
        assert restricted_value(reduced.problem, b) == pytest.approx(value, rel=1e-6, abs=1e-7)
    result = solve(problem)
    assert result.violation <= 1e-8
    best, _ = optimum(problem)
    assert result.objective == pytest.approx(best, rel=1e-6)
    assert result.certificate is not None
    assert result.certificate.verify(problem)
    plain = solve(problem, config=Config(presolve=False))
    assert plain.objective == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("curved", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_bound_is_that_of_the_smaller_problem(seed: int, curved: bool) -> None:
    """Put back, the proof is as good where nothing squared was left out; else it may lose, and the bound does not."""
    problem = written_out(12, seed, curved)
    result = solve(problem, config=Config(enumerate_up_to=0, fit=FitSettings(rounds=0)))
    assert result.certificate is not None
    assert result.certificate.verify(problem)
    inner = max(value for name, value in result.bounds.items() if name in ("persp", "line"))
    assert result.certificate.claimed <= inner + 1e-9
    assert result.bound >= inner - 1e-8 * abs(inner)
    if not curved:
        assert result.certificate.claimed == pytest.approx(inner, rel=1e-6, abs=1e-9)


@settings(quiet, max_examples=120)
@given(recipes, st.integers(0, 2**16))
def test_every_b_keeps_its_value(recipe: object, seed: int) -> None:
    """Problems of every kind: restricted problems have the same value before and after."""
    try:
        problem = make(recipe)
    except (NoFeasibleBinaries, NoReference):
        return
    reduced = presolve(problem)
    b = np.random.default_rng(seed).random(problem.m) < 0.5
    try:
        before, after = restricted_value(problem, b), restricted_value(reduced.problem, b)
    except NoReference:
        return
    assert after == pytest.approx(before, rel=1e-6, abs=1e-6) or (math.isinf(before) and math.isinf(after))


def test_nothing_to_do() -> None:
    problem = Problem(Q=np.eye(3), A=[[1.0, 1.0, 1.0]], row_lower=[1.0], row_upper=[1.0], x_upper=1.0, switch=[0, 1, 2])
    assert presolve(problem).problem is problem
    np.testing.assert_array_equal(unchanged(problem).x_of(np.arange(3.0), np.ones(3)), np.arange(3.0))


def test_unlimited_x_that_pays_stays() -> None:
    """What makes the problem unbounded is not presolved away."""
    problem = Problem(q=[-1.0, 1.0], x_lower=[0.0, 0.0], x_upper=[math.inf, 1.0], switch=[0, 1])
    reduced = presolve(problem)
    assert reduced.problem.x_names == ("x0",)


def test_chain() -> None:
    """x0 = 2 x1, x1 = x2 + 1: both go, one after the other, with the costs they have by then."""
    problem = Problem(
        Q=np.diag([0.0, 0.0, 1.0, 1.0]), q=[1.0, 1.0, -3.0, 0.0], A=[[1.0, -2.0, 0.0, 0.0], [0.0, 1.0, -1.0, 0.0],
        [0.0, 0.0, 1.0, 1.0]], row_lower=[0.0, 1.0, 2.0], row_upper=[0.0, 1.0, 9.0], x_lower=0.0, x_upper=[8.0, 9.0,
        9.0, 5.0], switch=[-1, -1, -1, 0], p=[0.5],
    )  # fmt: skip
    reduced = presolve(problem)
    assert reduced.problem.n == 2
    result = solve(problem)
    best, _ = optimum(problem)
    assert result.objective == pytest.approx(best, rel=1e-7)
    assert result.violation <= 1e-9
    assert result.certificate is not None
    assert result.certificate.verify(problem)
