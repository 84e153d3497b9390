"""Links that rows imply: found where they are, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from hybridmip import Problem
from hybridmip.model.links import implied_links
from hybridmip.relax.protocol import Setting


def random_problem(seed: int) -> Problem:
    """Few x and b, rows of small whole numbers, some of them x_1 + x_2 <= u b."""
    rng = np.random.default_rng(seed)
    n, m, rows = 4, 3, 4
    A = rng.integers(-1, 3, (rows, n)) * (rng.random((rows, n)) < 0.6)
    G = -rng.integers(-1, 5, (rows, m)) * (rng.random((rows, m)) < 0.5)
    upper = rng.integers(0, 3, rows).astype(float) * (rng.random(rows) < 0.5)
    lower = np.where(rng.random(rows) < 0.2, -2.0, -np.inf)
    return Problem(
        q=np.ones(n), p=np.ones(m), A=A.astype(float), G=G.astype(float), row_lower=lower, row_upper=upper,
        x_lower=np.where(rng.random(n) < 0.3, -2.0, 0.0), x_upper=rng.integers(1, 6, n).astype(float),
        switch=rng.integers(-1, m, n),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(60))
def test_what_is_called_implied_is(seed: int) -> None:
    """Over the rows alone, b between 0 and 1, no x is beyond a link that is called implied (by an LP for each)."""
    problem = random_problem(seed)
    below, above = implied_links(problem, problem.x_lower, problem.x_upper)
    n, m = problem.n, problem.m
    rows = np.hstack([problem.A.toarray(), problem.G.toarray()])
    low = np.where(problem.switched, np.minimum(problem.x_lower, 0.0), problem.x_lower)
    high = np.where(problem.switched, np.maximum(problem.x_upper, 0.0), problem.x_upper)
    finite_low, finite_high = np.isfinite(problem.row_lower), np.isfinite(problem.row_upper)
    matrix = np.vstack([rows[finite_high], -rows[finite_low]])
    right = np.concatenate([problem.row_upper[finite_high], -problem.row_lower[finite_low]])
    box = [*zip(low, high, strict=True), *[(0.0, 1.0)] * m]
    for side, found, limit in ((1.0, above, problem.x_upper), (-1.0, below, problem.x_lower)):
        for j in np.flatnonzero(found):
            cost = np.zeros(n + m)
            cost[j], cost[n + problem.switch[j]] = -side, side * limit[j]
            answer = linprog(cost, matrix, right, bounds=box)
            assert answer.status == 2 or -answer.fun <= 1e-7


def test_shared_rows_imply_their_links() -> None:
    """x_1 + x_2 <= 3 b implies x_1 <= 3 b and not x_1 <= 2 b; nor does a row with an x that may be negative."""

    def links(upper: float, lower: float) -> list[bool]:
        problem = Problem(
            q=[1, 1], p=[1], A=[[1.0, 1.0]], G=[[-3.0]], row_upper=0.0, x_lower=[0.0, lower], x_upper=[upper, 3.0],
            switch=[0, 0],
        )  # fmt: skip
        return implied_links(problem, problem.x_lower, problem.x_upper)[1].tolist()

    assert links(3.0, 0.0) == [True, True]
    assert links(2.0, 0.0) == [False, True]
    assert links(3.0, -1.0) == [False, True]


def test_needed_rows_are_those_of_the_problem_and_links_that_say_something() -> None:
    """No row of the problem is left out; of the links those are that a row implies."""
    problem = Problem(
        q=[1, 1, 1], p=[1, 1], A=[[1.0, 1.0, 0.0]], G=[[-3.0, 0.0]], row_upper=0.0, x_lower=0.0, x_upper=3.0,
        switch=[0, 0, 1], B=[[1.0, 1.0]], b_lower=1.0,
    )  # fmt: skip
    setting = Setting(problem)
    assert setting.needed_rows.tolist() == [True, True, False, False, True]
