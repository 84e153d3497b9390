"""Rerouting flows in networks: every flow is feasible and costs what it says, and good ones are found."""

from __future__ import annotations

import math

import numpy as np
import pytest
from problems import optimum, random_network
from scipy import sparse

from hybridmip import Problem
from hybridmip.model.structure import is_fixed_charge
from hybridmip.relax.protocol import Setting
from hybridmip.search import reroutes as module
from hybridmip.search.vertices import Vertices


def walks(problem: Problem) -> Vertices:
    """The walks of a problem, at the vertex that an LP with everything on gives."""
    vertices = Vertices(Setting(problem), is_fixed_charge(problem))
    assert vertices.reroutes is not None
    assert vertices.begin(np.ones(problem.m, dtype=bool), None)
    return vertices


def grid(size: int, terminals: int, seed: int, turned: bool) -> Problem:
    """A Steiner problem: a unit from one node of a grid to each of some others, or back; only charges are paid."""
    rng = np.random.default_rng([seed, size])
    ids = np.arange(size * size).reshape(size, size)
    one = np.concatenate([ids[:, :-1].ravel(), ids[:-1].ravel()])
    other = np.concatenate([ids[:, 1:].ravel(), ids[1:].ravel()])
    tails, heads = np.concatenate([one, other]), np.concatenate([other, one])
    charge = np.tile(rng.integers(1, 11, one.size).astype(float), 2)
    chosen = rng.choice(size * size, terminals, replace=False)
    supply = np.zeros(size * size)
    supply[chosen] = -1.0
    supply[chosen[0]] = terminals - 1.0
    arcs = charge.size
    A = sparse.csr_array(
        (np.repeat([1.0, -1.0], arcs), (np.concatenate([tails, heads]), np.tile(np.arange(arcs), 2))),
        shape=(size * size, arcs),
    )
    limit = -supply if turned else supply
    return Problem(
        q=np.zeros(arcs), p=charge, A=A, row_lower=limit, row_upper=limit, x_lower=np.zeros(arcs),
        x_upper=np.full(arcs, terminals - 1.0), switch=np.arange(arcs),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_every_flow_is_feasible_and_costs_what_it_says(seed: int) -> None:
    """With capacities, costs and nodes without supply, from both sides: rows hold, and the value is the objective."""
    problem = random_network(9, 30, seed)
    vertices = walks(problem)
    reroutes, rng = vertices.reroutes, np.random.default_rng(seed)
    assert reroutes is not None
    assert vertices.best is not None
    for side in (1, -1):
        reroutes.begin(vertices.best.z)
        reroutes.side = side
        for _ in range(3):
            value, z = reroutes.search(rng)
            x, b = z[: problem.n], vertices.on(z)
            assert problem.violation(x, b) <= 1e-7
            assert problem.objective(x, b) == pytest.approx(value + problem.offset, rel=1e-9)
            # Where it goes on from need not be the best.
            x, b = (reroutes.flow * reroutes.network.scale)[: problem.n], vertices.on(reroutes.flow)
            assert problem.violation(x, b) <= 1e-7
            assert problem.objective(x, b) >= value + problem.offset - 1e-9 * abs(value)


@pytest.mark.parametrize("seed", range(6))
def test_small_networks_are_solved(seed: int) -> None:
    """Against enumeration: the optimum by rerouting alone, and nothing below it."""
    problem = random_network(6, 12, seed)
    best, _ = optimum(problem)
    vertices = walks(problem)
    assert vertices.reroutes is not None
    assert vertices.best is not None
    vertices.reroutes.begin(vertices.best.z)
    value, _ = vertices.reroutes.search(np.random.default_rng(0))
    assert value + problem.offset == pytest.approx(best, rel=1e-7)


def test_a_way_may_open_several_arcs_at_once() -> None:
    """A detour of two arcs that is cheaper than one arc, each of which alone only costs, is taken in one step."""
    # From 0 to 2 at a charge of 10, or through node 1 at 3 and 3: the basis at the start has one of these, empty.
    problem = Problem(
        q=[0.0, 0.0, 0.0], p=[10.0, 3.0, 3.0], A=[[1.0, 1.0, 0.0], [0.0, -1.0, 1.0], [-1.0, 0.0, -1.0]],
        row_lower=[5.0, 0.0, -5.0], row_upper=[5.0, 0.0, -5.0], x_lower=np.zeros(3), x_upper=np.full(3, 5.0),
        switch=np.arange(3),
    )  # fmt: skip
    vertices = Vertices(Setting(problem), True)
    assert vertices.reroutes is not None
    assert vertices.begin(np.array([True, False, False]), None)
    assert vertices.best is not None
    assert vertices.best.value == 10.0
    vertices.reroutes.begin(vertices.best.z)
    flow = vertices.reroutes.flow.copy()
    value, _, best, _ = vertices.reroutes._run(1, vertices.reroutes.arcs, flow, np.zeros((0, 2)))
    assert value == 6.0
    np.testing.assert_array_equal(best[:3], [0.0, 5.0, 5.0])


@pytest.mark.parametrize("turned", [False, True])
def test_the_side_is_the_one_from_which_less_is_looked_at(turned: bool) -> None:
    """From one source ways are short from where an arc enters, to one sink from where it leaves."""
    vertices = walks(grid(12, 30, 0, turned))
    assert vertices.reroutes is not None
    assert vertices.best is not None
    vertices.reroutes.begin(vertices.best.z)
    assert vertices.reroutes.side == (1 if turned else -1)


def test_walks_end_at_what_rerouting_finds() -> None:
    """On a grid of which half of the nodes are only passed through: by turns no worse than trees alone, as a vertex."""
    problem = grid(10, 40, 1, False)
    both, trees = walks(problem), walks(problem)
    trees.reroutes = None
    for vertices in (both, trees):
        vertices.search(np.random.default_rng(0), math.inf, 6)
    assert both.best is not None
    assert trees.best is not None
    assert both.best.value < trees.best.value
    x, b = both.best.z[: problem.n], both.on(both.best.z)
    assert problem.violation(x, b) <= 1e-7
    assert problem.objective(x, b) == pytest.approx(both.best.value)
    assert np.unique(both.best.basis).size == problem.rows


def test_same_seed_same_flows() -> None:
    """The draws alone decide."""
    found = []
    for _ in range(2):
        vertices = walks(random_network(12, 50, 3))
        vertices.search(np.random.default_rng(5), math.inf, 4)
        assert vertices.best is not None
        assert vertices.reroutes is not None
        found.append((vertices.best.z.tobytes(), vertices.reroutes.flow.tobytes()))
    assert found[0] == found[1]


def test_no_call_looks_at_many_more_arcs_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call ends soon after its limit, in the middle of a descent too, at flows that hold every row."""
    problem = grid(12, 60, 2, True)
    vertices = walks(problem)
    reroutes = vertices.reroutes
    assert reroutes is not None
    assert vertices.best is not None
    reroutes.begin(vertices.best.z)
    whole = reroutes._run(1, reroutes.arcs, reroutes.flow.copy(), np.zeros((0, 2)))[3]
    monkeypatch.setattr(module, "LOOKS_AT_ONCE", whole // 10)
    flow = reroutes.flow.copy()
    value, _, _, looks = reroutes._run(1, reroutes.arcs, flow, np.zeros((3, 2)), np.ones((3, reroutes.arcs.size)))
    assert looks < whole // 2
    x, b = (flow * reroutes.network.scale)[: problem.n], vertices.on(flow)
    assert problem.violation(x, b) <= 1e-7
    assert problem.objective(x, b) == pytest.approx(value)
