"""What every solver of the restricted problem must satisfy: cases of every kind, and a check of KKT."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
from problems import BOUNDS, QUADRATIC, Recipe, make, restricted_value

from hybridmip.model.problem import Problem
from hybridmip.restricted.protocol import Evaluation

#: Rows of every kind, more than one x per switch, x without one, and rows that hardly any b satisfies.
SHAPES = (
    {"equations": 1, "inequalities": 1},
    {"equations": 2, "inequalities": 2, "mixed_rows": True, "costs": True, "unswitched": 2},
    {"equations": 0, "inequalities": 2, "shared": True, "costs": True},
    {"equations": 1, "inequalities": 2, "wild": True, "idle": 1, "shared": True, "unswitched": 1},
    {"equations": 0, "inequalities": 0, "costs": True},
)
RECIPES = tuple(
    Recipe(seed=100 * i + j, quadratic=quadratic, bounds=bounds, binary_rows="none", **SHAPES[(i + j) % len(SHAPES)])
    for i, (quadratic, bounds) in enumerate(itertools.product(QUADRATIC, BOUNDS))
    for j in range(2)
)


def recipe_name(recipe: Recipe) -> str:
    """A short id."""
    return f"{recipe.quadratic}-{recipe.bounds}-{recipe.seed}"


@cache
def case(recipe: Recipe, count: int = 5) -> tuple[Problem, np.ndarray, np.ndarray]:
    """(problem, some b, their values by the independent solver; infinite where infeasible)."""
    problem = make(recipe)
    choices = np.random.default_rng(recipe.seed).random((count, problem.m)) < 0.6
    choices[0] = False
    return problem, choices, np.array([restricted_value(problem, b) for b in choices])


def kkt_residual(problem: Problem, b: np.ndarray, answer: Evaluation) -> float:
    """Largest violation of the optimality conditions in the caller's units, relative to the parts of the gradient.

    With r = 2 Q x + q - A'la: r is 0 strictly between two bounds, not negative at a lower and not
    positive at an upper one; la is 0 for a row strictly within its limits, and has the sign of the
    limit that binds.
    """
    x, la = answer.x, answer.row_multipliers
    assert x is not None
    assert la is not None
    lower, upper = problem.bounds_given(b)
    curvature, prices = 2 * problem.Q.matvec(x), problem.A.T @ la
    r = curvature + problem.q - prices
    activity = problem.A @ x + problem.G @ b.astype(float)
    at_lower, at_upper = x <= lower + 1e-6, x >= upper - 1e-6
    worst = np.where(~at_lower, np.maximum(r, 0), 0) + np.where(~at_upper, np.maximum(-r, 0), 0)
    row_low, row_high = activity <= problem.row_lower + 1e-6, activity >= problem.row_upper - 1e-6
    norms = np.sqrt(problem.A.multiply(problem.A).sum(axis=1)) if problem.rows else np.zeros(0)
    priced = la * norms
    row_worst = np.where(~row_low, np.maximum(priced, 0), 0) + np.where(~row_high, np.maximum(-priced, 0), 0)
    scale = max(*(np.abs(part).max(initial=0.0) for part in (curvature, problem.q, prices)), 1e-12)
    return float(max(worst.max(initial=0.0), row_worst.max(initial=0.0)) / scale)
