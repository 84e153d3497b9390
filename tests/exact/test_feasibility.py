"""The MILP that decides whether there is a feasible point at all."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from problems import BINARY_ROWS, BOUNDS, QUADRATIC, Recipe, make, optimum, restricted_value

from hybridmip.exact.feasibility import find_feasible
from hybridmip.model.problem import Problem
from hybridmip.relax.protocol import Setting
from hybridmip.restricted.general import GeneralSolver


def ask(problem: Problem, time_limit: float | None = None) -> tuple[str, np.ndarray | None, int]:
    """(answer, b, how many b were put to the test)."""
    solver = GeneralSolver(problem)
    answer, b = find_feasible(Setting(problem), lambda b: solver.evaluate(b).feasible, time_limit)
    return answer, b, solver.evaluations


RECIPES = tuple(
    Recipe(
        seed=900 + i, binaries=5, quadratic=QUADRATIC[i % 6], bounds=BOUNDS[i % 5],
        binary_rows=BINARY_ROWS[(i // 5) % 6], equations=1 + i % 2, inequalities=1, wild=i % 3 != 0,
        unswitched=i % 2, shared=i % 4 == 0,
    )
    for i in range(45)
)  # fmt: skip


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda r: f"{r.bounds}-{r.binary_rows}-{r.seed}")
def test_answer_is_that_of_trying_every_b(recipe: Recipe) -> None:
    """Feasible with a b that is, or infeasible where no b is feasible by the independent solver."""
    problem = make(recipe)
    answer, b, _ = ask(problem)
    best, _ = optimum(problem)
    assert answer == ("feasible" if math.isfinite(best) else "infeasible")
    if b is not None:
        assert math.isfinite(restricted_value(problem, b))


def test_two_links_that_are_one_equation() -> None:
    """b = (1, 0, 1, 0) with x = b violates nothing, so the answer is not infeasible."""
    recipe = Recipe(seed=398749968, binaries=4, quadratic="dense", binary_rows="count", bounds="twins", inequalities=2)
    problem = make(recipe)
    assert problem.violation([1, 0, 1, 0], [1, 0, 1, 0]) == 0.0
    assert ask(problem)[0] == "feasible"


def test_recipes_are_of_both_kinds() -> None:
    """Among the problems above there are feasible and infeasible ones in plenty."""
    feasible = [math.isfinite(optimum(make(recipe))[0]) for recipe in RECIPES]
    assert 10 <= sum(feasible) <= len(RECIPES) - 10


def test_infeasible_by_binaries_only() -> None:
    """Three of weight 0.4 to 0.45 never add up to 1, though their relaxation does."""
    problem = Problem(A=np.ones((1, 3)), row_lower=1, row_upper=1, x_lower=0.4, x_upper=0.45, switch=[0, 1, 2])
    assert ask(problem)[:2] == ("infeasible", None)


def test_one_b_of_many() -> None:
    """A subset sum with one answer among 2^12 is found."""
    weights = 2.0 ** np.arange(12)
    problem = Problem(A=weights[None, :], row_lower=1365, row_upper=1365, x_lower=1, x_upper=1, switch=np.arange(12))
    answer, b, _ = ask(problem)
    assert answer == "feasible"
    np.testing.assert_array_equal(b, np.arange(12) % 2 == 0)


def test_links_without_a_finite_bound() -> None:
    """x <= inf * b cannot be a row of the MILP: a b that forgets it is refused and cut off, and another found."""
    problem = Problem(p=[1.0, 2.0], A=[[1.0, 1.0]], row_lower=1.0, x_lower=0.0, switch=[0, 1])
    answer, b, tried = ask(problem)
    assert answer == "feasible"
    assert b.any()
    assert tried >= 2


def test_nothing_is_acceptable() -> None:
    """When every b is refused, each is asked about once and the answer is infeasible."""
    asked: list[bytes] = []

    def refuse(b: np.ndarray) -> bool:
        asked.append(b.tobytes())
        return False

    problem = Problem(B=np.ones((1, 4)), b_lower=2, b_upper=2)
    assert find_feasible(Setting(problem), refuse) == ("infeasible", None)
    assert len(asked) == len(set(asked)) == 6


def test_time_limit() -> None:
    """Out of time the answer is unknown, and it comes soon."""
    rng = np.random.default_rng(2)
    weights = rng.integers(1, 100, size=(6, 50)).astype(float)
    half = np.floor(weights.sum(axis=1) / 2)
    problem = Problem(A=weights, row_lower=half, row_upper=half, x_lower=1, x_upper=1, switch=np.arange(50))
    began = time.perf_counter()
    assert ask(problem, 0.2)[0] == "unknown"
    assert time.perf_counter() - began < 2.0


def test_time_limit_that_has_passed() -> None:
    """With no time left nothing is claimed."""
    problem = Problem(A=np.ones((1, 3)), row_lower=1, row_upper=1, x_lower=0.4, x_upper=0.45, switch=[0, 1, 2])
    assert ask(problem, 0.0)[0] == "unknown"
