"""LinearModel: HiGHS's statuses are read before its values, and changed models are solved again."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from hybridmip.engines.highs import LinearModel

INF = np.inf


def model(cost: Any, rows: Any, low: Any, high: Any, lower: Any, upper: Any, integer: Any = None) -> LinearModel:
    """A model from lists."""
    vectors = [np.array(v, dtype=float) for v in (low, high, lower, upper)]
    mask = None if integer is None else np.array(integer, dtype=bool)
    return LinearModel(np.array(cost, dtype=float), np.array(rows, dtype=float), *vectors, integer=mask)  # type: ignore[misc]


def hard_model(n: int = 40, rows: int = 5) -> LinearModel:
    """A market split: subset sums of five rows at once, out of reach of branch and bound."""
    rng = np.random.default_rng(1)
    matrix = rng.integers(1, 100, size=(rows, n)).astype(float)
    half = np.floor(matrix.sum(axis=1) / 2)
    identity = np.eye(rows)
    return LinearModel(
        np.concatenate([np.zeros(n), np.ones(2 * rows)]),
        np.hstack([matrix, identity, -identity]),
        half,
        half,
        np.zeros(n + 2 * rows),
        np.concatenate([np.ones(n), np.full(2 * rows, INF)]),
        integer=np.arange(n + 2 * rows) < n,
    )


def test_optimal_linear_program() -> None:
    """x, value and duals of a small LP: min -x - 2y, x + y <= 3, y <= 2, x <= 2."""
    answer = model([-1, -2], [[1, 1]], [-INF], [3], [0, 0], [2, 2]).solve()
    assert answer.status == "optimal"
    np.testing.assert_allclose(answer.x, [1, 2], atol=1e-9)
    assert answer.objective == pytest.approx(-5)
    assert answer.bound == pytest.approx(-5)
    # gradient = A' dual + bound multipliers: the row's limit from above has a dual that is not positive
    np.testing.assert_allclose(answer.row_duals, [-1], atol=1e-9)


def test_optimal_integer_program() -> None:
    """A knapsack whose relaxation is fractional: min -5a - 4b - 3c, 2a + 3b + c <= 5."""
    answer = model([-5, -4, -3], [[2, 3, 1]], [-INF], [5], [0, 0, 0], [1, 1, 1], [1, 1, 1]).solve()
    assert answer.status == "optimal"
    np.testing.assert_allclose(answer.x, [1, 1, 0], atol=1e-9)
    assert answer.objective == pytest.approx(-9)
    assert answer.bound == pytest.approx(-9)


@pytest.mark.parametrize("integer", [None, [1, 1]], ids=["linear", "integer"])
def test_infeasible(integer: Any) -> None:
    """An infeasible model is said to be so and has no point."""
    answer = model([1, 1], [[1, 1]], [3], [INF], [0, 0], [1, 1], integer).solve()
    assert answer.status == "infeasible"
    assert answer.x is None
    assert answer.objective == INF


def test_infeasible_only_for_integers() -> None:
    """2a + 2b = 1 has a solution in numbers, none in whole numbers."""
    arguments = ([0, 0], [[2, 2]], [1], [1], [0, 0], [1, 1])
    assert model(*arguments).solve().status == "optimal"
    assert model(*arguments, [1, 1]).solve().status == "infeasible"


@pytest.mark.parametrize("integer", [None, [1, 0]], ids=["linear", "integer"])
def test_unbounded(integer: Any) -> None:
    """An unbounded model is said to be so and has no point."""
    answer = model([-1, 0], [[1, -1]], [-INF], [1], [0, 0], [INF, INF], integer).solve()
    assert answer.status == "unbounded"
    assert answer.x is None


def test_unbounded_objective_on_infeasible_rows() -> None:
    """Where the presolve cannot tell unbounded from infeasible, it is found out."""
    answer = model([-1, 0], [[0, 1]], [2], [INF], [0, 0], [INF, 1]).solve()
    assert answer.status == "infeasible"


def test_time_limit() -> None:
    """A model that is not finished in time says so, soon; its point, if any, is feasible and above its bound."""
    hard = hard_model()
    began = time.perf_counter()
    answer = hard.solve(0.2)
    assert time.perf_counter() - began < 2.0
    assert answer.status == "limit"
    assert answer.row_duals is None
    if answer.x is not None:
        assert answer.objective >= answer.bound
        assert np.all(np.abs(answer.x[:40] - np.round(answer.x[:40])) <= 1e-6)


def test_time_limit_counts_from_each_call() -> None:
    """The second solve of a model has its own limit though HiGHS's clock runs on over all calls."""
    hard = hard_model()
    hard.solve(0.3)
    hard.change_cost(np.zeros(50))
    answer = hard.solve(0.2)
    assert answer.status == "optimal", "without a cost any point is optimal, and zeros with slacks are one"


def test_changes_are_taken() -> None:
    """Cost, bounds and limits changed after a solve give what a new model gives."""
    lp = model([1, 1], [[1, 2]], [2], [INF], [0, 0], [5, 5])
    assert lp.solve().objective == pytest.approx(1)  # y = 1
    lp.change_cost(np.array([1.0, 3.0]))
    assert lp.solve().objective == pytest.approx(2)  # x = 2
    lp.change_columns(np.array([0.0, 0.0]), np.array([1.0, 5.0]))
    assert lp.solve().objective == pytest.approx(2.5)  # x = 1, y = 1/2
    lp.change_rows(np.array([9.0]), np.array([INF]))
    assert lp.solve().objective == pytest.approx(13)  # x = 1, y = 4
    lp.change_rows(np.array([12.0]), np.array([INF]))
    assert lp.solve().status == "infeasible"
    lp.change_rows(np.array([2.0]), np.array([INF]))
    assert lp.solve().objective == pytest.approx(2.5)


def test_no_rows() -> None:
    """Without rows every variable goes to its better bound."""
    answer = LinearModel(
        np.array([1.0, -1.0]), np.zeros((0, 2)), np.zeros(0), np.zeros(0), np.zeros(2), np.ones(2)
    ).solve()
    assert answer.status == "optimal"
    np.testing.assert_allclose(answer.x, [0, 1])


def test_nothing_at_all() -> None:
    """A model without variables has the empty point as its optimum."""
    empty = np.zeros(0)
    answer = LinearModel(empty, np.zeros((0, 0)), empty, empty, empty, empty).solve()
    assert answer.status == "optimal"
    assert answer.x.shape == (0,)
