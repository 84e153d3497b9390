"""Networks that share charges and capacities: flows are feasible and cost what they say, and good ones are found."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from problems import optimum
from scipy import sparse

import hybridmip as hm
from hybridmip import Problem
from hybridmip.engines import compiled
from hybridmip.model.structure import is_fixed_charge
from hybridmip.relax.protocol import Setting
from hybridmip.restricted import GeneralSolver
from hybridmip.run.presolve import presolve
from hybridmip.run.state import SearchState
from hybridmip.search import commodities_kernel
from hybridmip.search.charges import rows_when_on
from hybridmip.search.commodities import Commodities, SharedNetworks
from hybridmip.search.vertices import KERNELS, Vertices


def multicommodity(nodes: int, arcs: int, commodities: int, seed: int, tight: float = 1.0) -> Problem:
    """Pairs of nodes with a demand over arcs that they share; those of a circle are wide and dear."""
    rng = np.random.default_rng([seed, nodes, arcs, commodities])
    circle = rng.permutation(nodes)
    pairs = dict.fromkeys((int(i), int(j)) for i, j in zip(circle, np.roll(circle, -1), strict=True))
    while len(pairs) < arcs:
        i, j = rng.choice(nodes, size=2, replace=False)
        pairs[int(i), int(j)] = None
    demands = []
    for _ in range(commodities):
        origin, destination = rng.choice(nodes, size=2, replace=False)
        demands.append((int(origin), int(destination), float(rng.integers(5, 30))))
    total = sum(demand for *_, demand in demands)
    capacity = np.ceil(total * rng.uniform(0.2, 0.6, arcs) / tight)
    capacity[:nodes] = total
    costs, charges = rng.integers(1, 11, arcs).astype(float), rng.integers(50, 800, arcs).astype(float)
    charges[:nodes] *= 2
    return hm.FixedChargeNetwork(
        list(range(nodes)), list(pairs), None, capacity, costs, charges, commodities=demands
    ).problem()  # fmt: skip


def walks(problem: Problem) -> tuple[Vertices, Commodities]:
    """The walks of a problem, at the vertex that an LP with everything on gives, and the search over flows."""
    vertices = Vertices(Setting(problem), is_fixed_charge(problem))
    assert isinstance(vertices.reroutes, Commodities)
    assert vertices.begin(np.ones(problem.m, dtype=bool), None)
    assert vertices.best is not None
    return vertices, vertices.reroutes


@pytest.mark.parametrize("tight", [1.0, 3.0])
@pytest.mark.parametrize("seed", range(4))
def test_every_flow_is_feasible_and_costs_what_it_says(seed: int, tight: float) -> None:
    """From both sides, presolved, and in other units: rows and capacities hold, and the value is the objective."""
    given = multicommodity(8, 28, 6, seed, tight)
    other = given.rescaled(np.arange(given.n) % 5 - 2, np.arange(given.rows) % 3, np.zeros(0, dtype=np.int64), 1)
    for problem in (given, presolve(given).problem, other):
        vertices, search = walks(problem)
        assert vertices.best is not None
        rng = np.random.default_rng(seed)
        for side in (1, -1):
            search.begin(vertices.best.z)
            search.side = side
            for _ in range(3):
                value, z = search.search(rng)
                x, b = z[: problem.n], vertices.on(z)
                assert problem.violation(x, b) <= 1e-7
                assert problem.objective(x, b) == pytest.approx(value + problem.offset, rel=1e-9)
                np.testing.assert_allclose(z[problem.n :], problem.A @ x)
                assert value <= vertices.best.value + 1e-9 * abs(value)
                # Where it goes on from need not be the best.
                x = (search.flow * search.shared.network.scale)[: problem.n]
                assert problem.violation(x, vertices.on(np.append(x, np.zeros(problem.rows)))) <= 1e-7


@pytest.mark.parametrize("seed", range(6))
def test_small_ones_are_solved(seed: int) -> None:
    """Against enumeration: the optimum, which rerouting and the LPs of its b find, and nothing below it."""
    problem = multicommodity(5, 12, 4, seed)
    best, _ = optimum(problem)
    vertices, _ = walks(problem)
    vertices._walks = False  # by rerouting alone
    vertices.search(np.random.default_rng(0), time.perf_counter() + 60.0, 3)
    assert vertices.best is not None
    assert vertices.best.value + problem.offset == pytest.approx(best, rel=1e-7)


def parallel(capacities: list[float], charges: list[float]) -> Problem:
    """Two commodities of 5 from node 0 to node 1, over arcs beside each other that they share."""
    arcs = len(charges)
    A = np.zeros((4 + arcs, 2 * arcs))
    for commodity in (0, 1):
        for arc in range(arcs):
            A[2 * commodity, commodity * arcs + arc], A[2 * commodity + 1, commodity * arcs + arc] = 1.0, -1.0
            A[4 + arc, commodity * arcs + arc] = 1.0
    G = np.concatenate([np.zeros((4, arcs)), -np.diag(capacities)])
    ends = np.array([5.0, -5.0, 5.0, -5.0])
    return Problem(
        q=np.zeros(2 * arcs), p=charges, A=A, G=G, row_lower=np.append(ends, np.full(arcs, -np.inf)),
        row_upper=np.append(ends, np.zeros(arcs)), x_lower=np.zeros(2 * arcs), x_upper=np.full(2 * arcs, 5.0),
        switch=np.tile(np.arange(arcs), 2),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("capacities", "expected"), [([10.0, 10.0], 7.0), ([10.0, 9.0], 10.0), ([10.0, 5.0, 5.0], 8.0)]
)
def test_a_charge_is_saved_by_emptying_all_that_it_opens(capacities: list[float], expected: float) -> None:
    """One commodity alone only costs elsewhere; together they save, where there is room for both, on two arcs even."""
    charges = [10.0, 7.0] if len(capacities) == 2 else [10.0, 4.0, 4.0]
    problem = parallel(capacities, charges)
    vertices, search = walks(problem)
    assert vertices.begin(np.arange(len(charges)) == 0, None)
    assert vertices.now is not None
    assert vertices.now.value == 10.0
    search.begin(vertices.now.z)
    value, _, flow, _ = search._run(1, search.candidates, search.flow.copy(), np.zeros((0, 2)))
    assert value == expected
    x = (flow * search.shared.network.scale)[: problem.n]
    assert problem.violation(x, vertices.on(np.append(x, np.zeros(problem.rows)))) <= 1e-9


def test_what_is_given_back_is_as_it_was() -> None:
    """A descent in which nothing is cheaper elsewhere leaves every flow as it is, though it has tried."""
    problem = parallel([10.0, 9.0], [10.0, 7.0])
    vertices, search = walks(problem)
    assert vertices.begin(np.array([True, False]), None)
    assert vertices.now is not None
    search.begin(vertices.now.z)
    flow = search.flow.copy()
    _, _, _, looks = search._run(-1, search.candidates, flow, np.zeros((0, 2)))
    assert looks > 0
    np.testing.assert_array_equal(flow, search.flow)


def test_which_rows_are_capacities() -> None:
    """Those that x share and that limit their sum; what else has more than two entries in a column is no network."""
    problem = parallel([10.0, 9.0, 8.0], [10.0, 7.0, 3.0])
    shared = SharedNetworks.of(problem, rows_when_on(problem))
    assert shared is not None
    np.testing.assert_array_equal(shared.rows, np.arange(4))
    np.testing.assert_array_equal(shared.capacities.limit, [10.0, 9.0, 8.0])
    np.testing.assert_array_equal(shared.capacities.row[:6], [0, 1, 2, 0, 1, 2])
    assert (shared.capacities.row[6:] == -1).all()
    # With another row over all x there is an x in two capacities, and a column of four entries.
    A = sparse.vstack([problem.A, np.arange(1.0, problem.n + 1)[None, :]])
    G = sparse.vstack([problem.G, sparse.csr_array((1, problem.m))])
    for low, high in ((-np.inf, 100.0), (1.0, 100.0)):
        more = problem.replace(
            A=A, G=G, row_lower=np.append(problem.row_lower, low), row_upper=np.append(problem.row_upper, high),
            row_names=[f"r{k}" for k in range(problem.rows + 1)],
        )  # fmt: skip
        assert SharedNetworks.of(more, rows_when_on(more)) is None


def test_an_x_of_no_node_stays_where_it_is() -> None:
    """It shares a charge and a capacity only: the charge cannot be saved by rerouting."""
    plain = parallel([10.0, 10.0], [10.0, 7.0])
    A = sparse.hstack([plain.A, sparse.csr_array(([1.0], ([4], [0])), shape=(plain.rows, 1))])
    problem = Problem(
        q=np.append(plain.q, -1.0), p=plain.p, A=A, G=plain.G, row_lower=plain.row_lower, row_upper=plain.row_upper,
        x_lower=np.zeros(5), x_upper=np.append(plain.x_upper, 3.0), switch=np.append(plain.switch, 0),
    )  # fmt: skip
    vertices, search = walks(problem)
    assert vertices.best is not None
    search.begin(vertices.best.z)
    value, z = search.search(np.random.default_rng(0))
    assert problem.violation(z[:5], vertices.on(z)) <= 1e-9
    assert problem.objective(z[:5], vertices.on(z)) == pytest.approx(value)


def test_work_is_limited() -> None:
    """However much there is to look at, one compiled call ends after about as much as it may; flows stay feasible."""
    problem = multicommodity(12, 60, 20, 0)
    vertices, search = walks(problem)
    assert vertices.best is not None
    search.begin(vertices.best.z)
    free = search._run(1, search.candidates, search.flow.copy(), np.zeros((0, 2)))[3]
    for most in (1, 50, 500):
        assert free > 4 * most
        flow, best = search.flow.copy(), np.empty_like(search.flow)
        shared = search.shared
        _, _, looks = commodities_kernel.search(
            shared.network.ends, search.about, search.place, shared.capacities.weight, shared.capacities.limit,
            search.charge, search.first, search.members, flow, search.candidates, search.start, search.touching, 1,
            np.zeros((3, 2)), np.zeros((3, search.charge.size)), 0.0, most, best,
        )  # fmt: skip
        assert looks <= 2 * most + search.touching.size + int(np.diff(search.first).max())
        x = (flow * shared.network.scale)[: problem.n]
        assert problem.violation(x, vertices.on(np.append(x, np.zeros(problem.rows)))) <= 1e-7


def test_solve_uses_it_before_the_relaxation(monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes on from slope scaling, in its phase, and the b that it ends with is as good as its vertex."""
    phases: list[str] = []
    walk = Vertices.walk

    def listen(self: Vertices, state: SearchState, *others: Any) -> Any:
        phases.append(state.phase)
        word, b = walk(self, state, *others)
        assert b is not None
        assert self.best is not None
        assert problem_value(state, b) <= self.best.value + state.problem.offset + 1e-6 * abs(self.best.value)
        return word, b

    def problem_value(state: SearchState, b: np.ndarray) -> float:
        return GeneralSolver(state.problem).evaluate(b).objective

    monkeypatch.setattr(Vertices, "walk", listen)
    compiled.load(KERNELS)
    problem = multicommodity(40, 300, 30, 1, tight=2.0)
    result = hm.solve(problem, time_limit=6.0, config=hm.Config(threads=2))
    assert phases
    assert phases[0] == "slope scaling"
    assert result.x is not None
    assert result.violation <= 1e-9
