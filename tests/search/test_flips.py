"""Tabu search where b determines x: the same objective, rows kept, and small problems solved."""

from __future__ import annotations

import math

import numpy as np
import pytest
from problems import optimum

from hybridmip import Config, Problem, solve
from hybridmip.model.structure import Structure
from hybridmip.search.flips import Flips, serves


def by_flips(problem: Problem) -> bool:
    """Whether tabu search serves a problem."""
    return serves(Structure.of(problem, True, "free"))


def pure(m: int, seed: int, rows: str) -> Problem:
    """A convex quadratic in b, written with x that are fixed while on; some b have two x, one has none."""
    rng = np.random.default_rng(seed)
    switch = np.concatenate([np.arange(m - 1), [0, 1]])
    n = switch.size
    root = rng.normal(size=(n, n))
    value = rng.uniform(0.5, 2.0, n)
    settings: dict[str, object] = {}
    if rows == "groups":
        B = np.zeros((m // 3 + 1, m))
        for r in range(m // 3):
            B[r, 3 * r : 3 * r + 3] = 1.0
        B[-1, ::3] = 1.0
        one = np.ones(m // 3)
        settings = {"B": B, "b_lower": [*one, 1.0], "b_upper": [*one, 2.0]}
    elif rows == "knapsack":
        settings = {
            "A": rng.uniform(1.0, 9.0, (2, n)), "G": rng.uniform(0.0, 3.0, (2, m)), "row_upper": [4.0 * m, 3.0 * m]
        }  # fmt: skip
    return Problem(
        Q=root @ root.T / n, q=rng.normal(size=n) - 1.0, p=rng.normal(size=m), offset=3.0, x_lower=value,
        x_upper=value, switch=switch, binaries=m, **settings,
    )  # fmt: skip


@pytest.mark.parametrize("rows", ["none", "groups", "knapsack"])
@pytest.mark.parametrize("seed", range(6))
def test_small_ones_are_solved(seed: int, rows: str) -> None:
    problem = pure(12, seed, rows)
    assert by_flips(problem)
    best, _ = optimum(problem)
    rng = np.random.default_rng(seed)
    b, value = np.zeros(12, dtype=bool), math.inf
    for _ in range(6):
        found, reached = Flips(problem).search(rng.random(12) < 0.3, value, rng, math.inf)
        if reached < value:
            b, value = found, reached
    x = np.where(b[problem.switch], problem.x_upper, 0.0)
    assert problem.violation(x, b) <= 1e-9
    assert problem.objective(x, b) == pytest.approx(value, rel=1e-9)
    assert value == pytest.approx(best, rel=1e-7)


@pytest.mark.parametrize("rows", ["none", "groups", "knapsack"])
def test_solve_uses_it(rows: str) -> None:
    """Through solve, larger: at least as good as the search without it, and feasible."""
    problem = pure(48, 1, rows)
    result = solve(problem, config=Config(enumerate_up_to=0), time_limit=4.0)
    assert result.violation <= 1e-9
    assert "flips" in [phase.name for phase in result.phases]
    paper = solve(problem, config=Config.paper())
    assert result.objective <= paper.objective + 1e-9 * abs(paper.objective)


def test_where_it_applies() -> None:
    problem = pure(9, 0, "none")
    assert by_flips(problem)
    free = Problem(Q=np.eye(2), x_lower=[0.0, 1.0], x_upper=[1.0, 1.0], switch=[0, 1])
    assert not by_flips(free)
    assert not by_flips(Problem(q=[1.0], x_lower=1.0, x_upper=1.0, switch=[0]))  # linear
