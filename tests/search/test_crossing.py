"""Trees that are crossed: what is kept, what is begun from, and that every tree found is what it says."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from problems import optimum, random_network

from hybridmip import Problem
from hybridmip.relax.protocol import Setting
from hybridmip.search import crossing as crossed
from hybridmip.search.crossing import Crossing, Tree
from hybridmip.search.vertices import Vertices


def begun(problem: Problem) -> tuple[Vertices, Crossing, Tree]:
    """Walks at their first vertex, trees to be crossed, and that vertex."""
    vertices = Vertices(Setting(problem), True)
    assert vertices.begin(np.ones(problem.m, dtype=bool), None)
    assert vertices.trees is not None
    assert vertices.now is not None
    return vertices, Crossing(vertices.trees), Tree(vertices.now.value, vertices.now.basis, vertices.now.z)


def never() -> bool:
    return False


@pytest.mark.parametrize("seed", range(4))
def test_every_tree_is_feasible_and_costs_what_it_says(seed: int) -> None:
    """Members far from the start, and what comes of crossing: points of the problem, at their value, trees of it."""
    problem = random_network(9, 30, seed)
    vertices, crossing, start = begun(problem)
    rng = np.random.default_rng(seed)
    for _ in range(crossed.MEMBERS + 6):
        found = crossing.step(start, rng, never)
        x, b = found.z[: problem.n], vertices.on(found.z)
        assert problem.violation(x, b) <= 1e-7
        assert problem.objective(x, b) == pytest.approx(found.value + problem.offset, rel=1e-9)
        assert np.unique(found.basis).size == problem.rows
    assert len(crossing.members) == crossed.MEMBERS


@pytest.mark.parametrize("seed", range(4))
def test_annealing_stays_on_its_arcs_and_keeps_account(seed: int) -> None:
    """Only arcs that may come in do, and the value that it ends at is that of the flow that it ends at."""
    problem = random_network(10, 40, seed)
    vertices, _, start = begun(problem)
    trees = vertices.trees
    assert trees is not None
    rng = np.random.default_rng(seed)
    arcs = np.sort(rng.permutation(trees.candidates)[:20])
    assert trees.begin(start.basis, start.z)
    best, basis, z = trees.anneal(rng, arcs, 500, 2.0, 0.1)
    assert set(basis) | set(trees.basis) <= set(arcs) | set(start.basis)
    for value, at in ((best, z), (trees.value, trees.z)):
        x, b = at[: problem.n], vertices.on(at)
        assert problem.violation(x, b) <= 1e-7
        assert problem.objective(x, b) == pytest.approx(value + problem.offset, rel=1e-9)
    assert best <= min(trees.value, start.value)


def test_hot_goes_up_and_cold_does_not() -> None:
    """Annealing without heat never ends above where it began; with much of it it does."""
    problem = random_network(12, 60, 1)
    vertices, _, start = begun(problem)
    trees = vertices.trees
    assert trees is not None
    ends = []
    for heat in (1e-9, 50.0):
        assert trees.begin(start.basis, start.z)
        trees.anneal(np.random.default_rng(0), trees.candidates, 400, heat, heat)
        ends.append(trees.value)
    assert ends[0] <= start.value < ends[1]


def test_it_is_asked_whether_it_is_enough() -> None:
    """Annealing ends after the first of its calls where somebody says so."""
    problem = random_network(12, 60, 1)
    vertices, _, start = begun(problem)
    trees = vertices.trees
    assert trees is not None
    assert trees.begin(start.basis, start.z)
    asked = itertools.count()
    trees.anneal(np.random.default_rng(0), trees.candidates, 1_000_000, 1.0, 0.1, lambda: next(asked) >= 0)
    assert next(asked) == 1


@pytest.mark.parametrize("seed", range(6))
def test_small_networks_are_solved(seed: int) -> None:
    """Against enumeration: crossing alone finds the optimum, and nothing below it."""
    problem = random_network(7, 14, seed)
    best, _ = optimum(problem)
    _, crossing, start = begun(problem)
    rng = np.random.default_rng(seed)
    found = min(crossing.step(start, rng, never).value for _ in range(crossed.MEMBERS + 8))
    assert found + problem.offset == pytest.approx(best, rel=1e-7)


def a_tree(value: float, used: tuple[int, ...]) -> Tree:
    z = np.zeros(40)
    z[list(used)] = 1.0
    return Tree(value, np.zeros(0, dtype=np.int64), z)


def test_who_takes_whose_place() -> None:
    """The most similar one's where better, the worst one's where it differs from all; nobody's where it is worse."""
    _, crossing, _ = begun(random_network(6, 12, 0))
    for k in range(crossed.MEMBERS):
        assert crossing.take(a_tree(100.0 + k, (3 * k, 3 * k + 1, 3 * k + 2)))
    like_the_fourth = a_tree(101.5, (9, 10))
    assert crossing.take(like_the_fourth)
    assert crossing.members[3] is like_the_fourth
    assert not crossing.take(a_tree(101.6, (9, 10)))
    unlike_all = a_tree(102.5, (36, 37, 38, 39))
    assert crossing.take(unlike_all)
    assert crossing.members[-1] is unlike_all
    assert not crossing.take(a_tree(500.0, (0, 39)))
    assert len(crossing.members) == crossed.MEMBERS


def test_what_finds_nothing_any_more_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many trees that found no place the members are forgotten; the best is not, which the walks keep."""
    monkeypatch.setattr(crossed, "STALE", 1)
    problem = random_network(6, 12, 2)
    vertices, _, _ = begun(problem)
    vertices.reroutes = None
    many = []
    for seed in range(5 * crossed.MEMBERS):
        vertices.search(np.random.default_rng(seed), math.inf, 1)
        assert vertices._crossing is not None
        many.append(len(vertices._crossing.members))
    assert max(many) == crossed.MEMBERS
    assert any(later < earlier for earlier, later in itertools.pairwise(many))
    best, _ = optimum(problem)
    assert vertices.best is not None
    assert vertices.best.value + problem.offset == pytest.approx(best, rel=1e-7)
