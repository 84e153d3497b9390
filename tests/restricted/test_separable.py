"""Restricted problems that fall apart: formulas against a general solver."""

from __future__ import annotations

import math

import numpy as np
import pytest
from problems import restricted_value

from hybridmip import Problem, UnboundedError
from hybridmip.model.structure import is_separable
from hybridmip.restricted import restricted_solver
from hybridmip.restricted.protocol import moved
from hybridmip.restricted.separable import SeparableSolver


def apart(seed: int, linear: bool = False) -> Problem:
    """Up to three rows for each x, rows of b alone, x with and without a switch, some without curvature."""
    rng = np.random.default_rng(seed)
    n, m, rows = 9, 6, 20
    A = np.zeros((rows, n))
    for r in range(rows - 2):
        A[r, rng.integers(n)] = rng.choice([-2.0, -1.0, 1.0, 3.0])
    G = np.where(rng.random((rows, m)) < 0.4, rng.integers(-3, 4, (rows, m)), 0).astype(float)
    lower = np.where(rng.random(rows) < 0.5, -rng.uniform(0.0, 6.0, rows), -math.inf)
    return Problem(
        Q=None if linear else np.where(rng.random(n) < 0.6, rng.uniform(0.1, 2.0, n), 0.0),
        q=rng.normal(size=n), p=rng.normal(size=m), offset=1.0, A=A, G=G, row_lower=lower,
        row_upper=np.maximum(lower, 0.0) + rng.uniform(0.0, 6.0, rows), x_lower=rng.uniform(-2.0, 0.5, n),
        x_upper=rng.uniform(1.0, 4.0, n), switch=rng.integers(-1, m, n), binaries=m,
    )  # fmt: skip


@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_values_are_those_of_a_general_solver(seed: int, linear: bool) -> None:
    problem = apart(seed, linear)
    assert is_separable(problem)
    solver = SeparableSolver(problem)
    for number in range(2**problem.m):
        b = (number >> np.arange(problem.m)) % 2 == 1
        answer = solver.evaluate(b)
        value = restricted_value(problem, b)
        assert answer.feasible == math.isfinite(value)
        if answer.feasible:
            assert answer.objective == pytest.approx(value, rel=1e-6, abs=1e-6)
            assert problem.violation(answer.x, b) <= 1e-7


@pytest.mark.parametrize("seed", range(6))
def test_multipliers_explain_the_slopes(seed: int) -> None:
    """Where neither a bound nor a switch holds x, its slope is what the rows push by."""
    problem = apart(seed)
    solver = SeparableSolver(problem)
    for number in range(2**problem.m):
        b = (number >> np.arange(problem.m)) % 2 == 1
        answer = solver.evaluate(b)
        if not answer.feasible:
            continue
        left = problem.q + 2 * problem.Q.matvec(answer.x) - problem.A.T @ answer.row_multipliers
        low, high = problem.bounds_given(b)
        inside = (answer.x > low + 1e-7) & (answer.x < high - 1e-7)
        assert np.abs(left[inside]).max(initial=0.0) <= 1e-6


def test_moves_are_evaluations() -> None:
    problem = apart(3)
    solver = SeparableSolver(problem)
    b = np.array([True, False, True, False, True, False])
    outs, ins = np.array([[0], [2], [-1], [4]]), np.array([[1], [-1], [3], [5]])
    objectives, far, _ = solver.evaluate_moves(b, outs, ins)
    for k in range(4):
        alone = solver.evaluate(moved(b, outs[k], ins[k]))
        assert objectives[k] == pytest.approx(alone.objective)
        assert far[k] == pytest.approx(alone.infeasibility)


def test_chosen_where_the_kernel_does_not_apply() -> None:
    many = 400
    A = np.eye(many)
    problem = Problem(Q=np.ones(many), A=A, row_upper=np.ones(many), x_upper=2.0, x_lower=0.0, switch=np.arange(many))
    solver = restricted_solver(problem)
    assert isinstance(solver, SeparableSolver)
    solver.close()


def test_unbounded_is_said() -> None:
    problem = Problem(q=[-1.0], A=[[1.0]], row_lower=[0.0], x_lower=[0.0], switch=[0])
    with pytest.raises(UnboundedError, match="x0"):
        SeparableSolver(problem).evaluate(np.array([True]))
