"""The general solver: values, multipliers and infeasibility of restricted problems of any shape."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from problems import Recipe, restricted_value
from restricted_cases import RECIPES, case, kkt_residual, recipe_name
from scipy import sparse
from states import portfolio_like

from hybridmip.errors import UnboundedError
from hybridmip.model.problem import Problem
from hybridmip.restricted.dense import DenseSolver, kernel_applies
from hybridmip.restricted.general import GeneralSolver
from hybridmip.restricted.protocol import moved
from hybridmip.tolerances import GENERAL_FEASIBLE

every_recipe = pytest.mark.parametrize("recipe", RECIPES, ids=recipe_name)


@every_recipe
def test_value_and_point(recipe: Recipe) -> None:
    """Value as the independent solver's, at a point that satisfies the caller's data; infeasible where so."""
    problem, choices, expected = case(recipe)
    solver = GeneralSolver(problem)
    for b, value in zip(choices, expected, strict=True):
        answer = solver.evaluate(b)
        assert answer.feasible == math.isfinite(value)
        if not answer.feasible:
            assert answer.x is None
            assert math.isinf(answer.objective)
            assert GENERAL_FEASIBLE <= answer.infeasibility < math.inf
            continue
        assert answer.objective == pytest.approx(value, rel=1e-6, abs=1e-6)
        assert answer.objective == problem.objective(answer.x, b)
        lower, upper = problem.bounds_given(b)
        assert np.all((lower <= answer.x) & (answer.x <= upper)), "bounds hold exactly"
        activity = problem.A @ answer.x + problem.G @ b.astype(float)
        assert np.all(activity >= problem.row_lower - 1e-6)
        assert np.all(activity <= problem.row_upper + 1e-6)
    assert solver.evaluations == len(choices)


@every_recipe
def test_multipliers(recipe: Recipe) -> None:
    """x and the row multipliers satisfy the optimality conditions in the caller's units."""
    problem, choices, expected = case(recipe)
    solver = GeneralSolver(problem)
    for b in choices[np.isfinite(expected)]:
        # An interior-point solver stops at a distance from the boundary.
        assert kkt_residual(problem, b, solver.evaluate(b)) <= 1e-4


@every_recipe
def test_infeasibility_is_zero_exactly_where_feasible(recipe: Recipe) -> None:
    """The least total violation of the rows is 0 (to tolerance) for a feasible b and above it for others."""
    problem, choices, expected = case(recipe)
    solver = GeneralSolver(problem)
    for b, value in zip(choices, expected, strict=True):
        assert (solver.infeasibility(b) <= GENERAL_FEASIBLE) == math.isfinite(value)


def test_moves_equal_evaluations_one_by_one() -> None:
    """evaluate_moves gives what evaluate gives at each neighbor."""
    problem, choices, _ = case(RECIPES[20])
    b = choices[1]
    on, off = np.flatnonzero(b), np.flatnonzero(~b)
    outs = np.array([[on[0], -1], [-1, -1], [on[0], on[1]]])
    ins = np.array([[off[0]], [off[0]], [-1]])
    solver = GeneralSolver(problem)
    values, infeasibility, _ = solver.evaluate_moves(b, outs, ins)
    assert solver.evaluations == 3
    for c in range(3):
        answer = GeneralSolver(problem).evaluate(moved(b, outs[c], ins[c]))
        assert values[c] == pytest.approx(answer.objective, rel=1e-7)
        assert infeasibility[c] == pytest.approx(answer.infeasibility, rel=1e-6)


def test_answers_do_not_depend_on_the_order() -> None:
    """LPs are solved from the last basis; the values are those of a fresh solver all the same."""
    for recipe in RECIPES[:10]:
        problem, choices, expected = case(recipe)
        solver = GeneralSolver(problem)
        for k in (0, 3, 1, 3, 4, 2, 0):
            assert solver.evaluate(choices[k]).objective == pytest.approx(expected[k], rel=1e-7, abs=1e-7)


def test_deadline() -> None:
    """After the deadline nothing is solved, and nothing is counted."""
    problem = portfolio_like(10, 3)
    solver = GeneralSolver(problem)
    outs, ins = np.zeros((4, 1), dtype=np.intp), np.full((4, 1), 7)
    values, infeasibility, _ = solver.evaluate_moves(np.arange(10) < 3, outs, ins, time.perf_counter() - 1.0)
    assert np.isinf(values).all()
    assert np.isinf(infeasibility).all()
    assert solver.evaluations == 0


@pytest.mark.parametrize("Q", [None, [0.0, 1.0]], ids=["linear", "semidefinite"])
def test_unbounded(Q: list[float] | None) -> None:
    """Without a minimum it raises, and the message names a variable to limit."""
    problem = Problem(Q=Q, q=[-1.0, 1.0], x_lower=0.0, x_upper=[np.inf, 1.0], switch=[0, 1], x_names=["flow", "y"])
    solver = GeneralSolver(problem)
    assert solver.evaluate(np.array([False, True])).objective == pytest.approx(0.0, abs=1e-8)
    with pytest.raises(UnboundedError, match="flow"):
        solver.evaluate(np.array([True, False]))


def test_unbounded_and_infeasible_is_infeasible() -> None:
    """Rows that cannot hold win over an objective that falls without limit."""
    problem = Problem(q=[-1.0, 0.0], A=[[0.0, 1.0]], row_lower=2.0, x_lower=0.0, x_upper=[np.inf, 1.0], switch=[0, 1])
    answer = GeneralSolver(problem).evaluate(np.array([True, True]))
    assert not answer.feasible
    assert answer.infeasibility == pytest.approx(1.0)


def test_everything_fixed() -> None:
    """With nothing left to choose the rows are only checked."""
    problem = Problem(Q=[1.0, 2.0], A=[[1.0, 1.0]], row_lower=1, row_upper=1, x_lower=1.0, x_upper=1.0, switch=[0, 1])
    solver = GeneralSolver(problem)
    assert solver.evaluate(np.array([True, False])).objective == 1.0
    assert solver.evaluate(np.array([False, True])).objective == 2.0
    for b in ([True, True], [False, False]):
        answer = solver.evaluate(np.array(b))
        assert not answer.feasible
        assert answer.infeasibility == pytest.approx(1.0)


def test_many_rows() -> None:
    """A chain of 60 rows, more than the kernel takes: x_(j+1) - x_j <= 0.01 from a fixed start."""
    n = 61
    steps = sparse.csr_array(sparse.diags_array([-np.ones(n - 1), np.ones(n - 1)], offsets=[0, 1], shape=(n - 1, n)))
    problem = Problem(
        Q=1e-4 * np.ones(n), q=np.full(n, -1e-3), A=steps, row_upper=0.01, x_lower=0.0,
        x_upper=np.append(0.0, np.ones(n - 1)), switch=np.arange(n),
    )  # fmt: skip
    assert not kernel_applies(problem)
    answer = GeneralSolver(problem).evaluate(np.ones(n, dtype=bool))
    np.testing.assert_allclose(answer.x, 0.01 * np.arange(n), atol=1e-6)


def test_agrees_with_the_kernel_on_a_larger_problem() -> None:
    """Two ways to one value, with 60 assets of 90 held."""
    problem = portfolio_like(90, 60)
    b = np.arange(90) < 60
    one, other = GeneralSolver(problem).evaluate(b), DenseSolver(problem, 1).evaluate(b)
    assert one.objective == pytest.approx(other.objective, rel=1e-7)
    np.testing.assert_allclose(one.row_multipliers, other.row_multipliers, rtol=1e-4, atol=1e-6)


def test_solver_that_gives_up_is_not_believed() -> None:
    """A small and well-scaled QP on which Clarabel stops early: the value is still the optimum, as the kernel's."""
    problem = Problem(
        Q=[1.14, 1.64, 1.91, 0.86, 0.69],
        q=[-0.65, -0.95, 2.65, -0.82, -0.06],
        A=[[1, 1, 1, 1, 1], [0, -0.04, 0, 0, -0.546], [0.5, -0.1, 0.075, -0.24, 0]],
        row_lower=[6.08, -1.1833, -np.inf],
        row_upper=[6.08, -1.1833, 2.0],
        x_lower=[0.1, 0.1, 0.1, 0.1, -1.0],
        x_upper=[np.inf, np.inf, np.inf, np.inf, 2.0],
        switch=np.arange(5),
    )
    on = np.ones(5, dtype=bool)
    assert GeneralSolver(problem).evaluate(on).objective == pytest.approx(restricted_value(problem, on), rel=1e-6)
