"""Spanning trees of networks: which rows are one, and that every tree found is what it says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from problems import optimum, random_network
from scipy import sparse

from hybridmip import Problem
from hybridmip.model.structure import is_fixed_charge
from hybridmip.relax.protocol import Setting
from hybridmip.search.trees import Network
from hybridmip.search.vertices import Vertex, Vertices


def over_trees(problem: Problem) -> Vertices:
    """The walks over trees alone."""
    vertices = Vertices(Setting(problem), is_fixed_charge(problem))
    vertices.reroutes = None
    return vertices


@pytest.mark.parametrize("seed", range(5))
def test_a_network_is_found_in_any_units(seed: int) -> None:
    """Rows of both signs and any units: each x, in its arc's unit, leaves one row and enters another as much."""
    rng = np.random.default_rng(seed)
    rows, columns = 6, 15
    plain = np.zeros((rows, columns))
    for j in range(columns):
        one, other = rng.choice(rows, size=2, replace=False)
        plain[one, j] = 1.0
        if j % 4:
            plain[other, j] = -1.0
    units = rng.choice([-1.0, 1.0], rows) * 2.0 ** rng.integers(-9, 9, rows)
    matrix = units[:, None] * plain * 2.0 ** rng.integers(-9, 9, columns)
    network = Network.of(sparse.csc_array(matrix))
    assert network is not None
    assert network.nodes == rows + 1
    incidence = np.zeros((rows + 1, columns))
    incidence[network.ends[:, 0], np.arange(columns)] += 1.0
    incidence[network.ends[:, 1], np.arange(columns)] -= 1.0
    # Row by row the same equations, times a number.
    for mine, its in zip(incidence[:rows], matrix * network.scale, strict=True):
        assert np.linalg.matrix_rank(np.vstack([mine, its])) <= 1


@pytest.mark.parametrize(
    "matrix",
    [
        [[1.0], [1.0], [1.0]],  # three rows
        [[1.0, 1.0], [-1.0, -2.0]],  # one of them loses half on the way
        [[1.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]],  # an odd circle of undirected ones
    ],
)
def test_what_is_no_network(matrix: list[list[float]]) -> None:
    """Rows that no multipliers turn into those of a network are left to the tableau."""
    assert Network.of(sparse.csc_array(np.array(matrix))) is None


@pytest.mark.parametrize("seed", range(6))
def test_every_tree_is_feasible_and_costs_what_it_says(seed: int) -> None:
    """With capacities and nodes without supply: feasible points, true costs, and as many arcs as rows."""
    problem = random_network(9, 30, seed)
    vertices = over_trees(problem)
    assert vertices.trees is not None
    assert vertices.begin(np.ones(problem.m, dtype=bool), None)
    rng = np.random.default_rng(seed)
    for _ in range(5):
        vertices.search(rng, math.inf, 1)
        at = vertices.now
        assert at is not None
        x, b = at.z[: problem.n], vertices.on(at.z)
        assert problem.violation(x, b) <= 1e-7
        assert problem.objective(x, b) == pytest.approx(at.value + problem.offset, rel=1e-9)
        assert np.unique(at.basis).size == problem.rows
        # The search keeps its own account of the value while it goes on.
        x, b = vertices.trees.z[: problem.n], vertices.on(vertices.trees.z)
        assert problem.violation(x, b) <= 1e-7
        assert problem.objective(x, b) == pytest.approx(vertices.trees.value + problem.offset, rel=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_small_networks_are_solved(seed: int) -> None:
    """Against enumeration: the optimum after a few rounds, and nothing below it."""
    problem = random_network(6, 12, seed)
    best, _ = optimum(problem)
    vertices = over_trees(problem)
    assert vertices.begin(np.ones(problem.m, dtype=bool), None)
    vertices.search(np.random.default_rng(0), math.inf, 3)
    assert vertices.best is not None
    assert vertices.best.value + problem.offset == pytest.approx(best, rel=1e-7)


def test_same_seed_same_trees() -> None:
    """The draws alone decide."""
    problem = random_network(12, 50, 3)
    found = []
    for _ in range(2):
        vertices = Vertices(Setting(problem), is_fixed_charge(problem))
        vertices.begin(np.ones(problem.m, dtype=bool), None)
        vertices.search(np.random.default_rng(5), math.inf, 3)
        found.append(([value for value, _ in vertices.kept], vertices.now.z.tobytes() if vertices.now else b""))
    assert found[0] == found[1]


@pytest.mark.parametrize("unit", [0.0625, 1024.0])
@pytest.mark.parametrize("seed", range(3))
def test_units_change_no_walk(seed: int, unit: float) -> None:
    """What a round may end above the last one by is measured by the problem: costs in other units, the same trees."""
    plain = random_network(12, 50, seed)
    other = plain.replace(q=unit * plain.q, p=unit * plain.p)
    one, two = (over_trees(problem) for problem in (plain, other))
    assert one.begin(np.ones(plain.m, dtype=bool), None)
    assert one.now is not None
    two._arrive(Vertex(0.0, one.now.basis.copy(), one.now.z.copy()))
    for vertices in (one, two):
        vertices.search(np.random.default_rng(7), math.inf, 3)
    assert one.trees is not None
    assert two.trees is not None
    np.testing.assert_array_equal(one.trees.z, two.trees.z)
    assert two.trees.value == pytest.approx(unit * one.trees.value, rel=1e-12)


def test_a_switch_of_several_arcs_is_left_to_the_tableau() -> None:
    """A tree counts a charge for each arc; one for several is not what it knows."""
    problem = Problem(
        q=[1.0, 2.0], p=[3.0], A=[[1.0, 1.0]], row_lower=[1.0], row_upper=[1.0], x_lower=[0.0, 0.0],
        x_upper=[2.0, 2.0], switch=[0, 0],
    )  # fmt: skip
    vertices = Vertices(Setting(problem), True)
    assert vertices.applies
    assert vertices.trees is None
