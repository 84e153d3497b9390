"""FixedChargeNetwork: its program against brute force and networkx, what it refuses, and what it reads back."""

from __future__ import annotations

import builtins
import dataclasses
import itertools
import pickle
import re

import clarabel
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

import hybridmip as hm
from hybridmip.applications.network import FixedChargeNetwork, NetworkResult, example_network
from hybridmip.errors import ArgumentError, FileError, HybridMIPError, MissingDependencyError, ProblemError
from hybridmip.io.arcs import read_arcs
from hybridmip.model.problem import Problem

NODES = ["A", "B", "C", "D"]
ARCS = [("A", "B"), ("A", "C"), ("B", "D"), ("C", "D"), ("B", "C")]
SUPPLY = {"A": 6, "D": -6}


def small(**changes) -> FixedChargeNetwork:
    """Two routes from A to D and a link between them."""
    data = {
        "nodes": NODES, "arcs": ARCS, "supply": SUPPLY, "capacity": [6, 4, 4, 6, None],
        "unit_cost": [1, 2, 1, 1, 0.5], "fixed_cost": [5, 3, 4, 2, 0],
    }  # fmt: skip
    return FixedChargeNetwork(**{**data, **changes})


def split(**changes) -> FixedChargeNetwork:
    """`small` with arcs so narrow that both routes are needed: cost 24, A->C closed."""
    return small(capacity=[6, 4, 4, 4, None], **changes)


def random_network(seed: int, nodes: int = 5, arcs: int = 8, **changes) -> FixedChargeNetwork:
    """A few nodes, arcs that may be parallel, whole numbers; some have no capacity limit or cost nothing to open."""
    rng = np.random.default_rng(seed)
    names = [f"n{i}" for i in range(nodes)]
    ring = [(names[i], names[(i + 1) % nodes]) for i in range(nodes)]
    others = [tuple(str(name) for name in rng.choice(names, 2, replace=False)) for _ in range(arcs - nodes)]
    supply = rng.integers(-5, 6, nodes)
    supply[-1] -= supply.sum()
    data = {
        "nodes": names,
        "arcs": ring + others,
        "supply": supply,
        "capacity": [None if rng.random() < 0.2 else int(rng.integers(6, 20)) for _ in range(arcs)],
        "unit_cost": rng.integers(0, 6, arcs),
        "fixed_cost": rng.integers(0, 20, arcs) * (rng.random(arcs) < 0.8),
    }
    return FixedChargeNetwork(**{**data, **changes})


def raw(network: FixedChargeNetwork) -> tuple:
    """(incidence, supplies, capacities) straight from the data, with a limit so wide that it never binds."""
    place = {node: i for i, node in enumerate(network.nodes)}
    incidence = np.zeros((len(network.nodes), len(network.arcs)))
    for a, (tail, head) in enumerate(network.arcs):
        incidence[place[tail], a] += 1
        incidence[place[head], a] -= 1
    if network.commodities is None:
        supplies = [np.asarray(network.supply)]
    else:
        supplies = []
        for origin, destination, demand in network.commodities:
            supplies.append(np.zeros(len(network.nodes)))
            supplies[-1][place[origin]], supplies[-1][place[destination]] = demand, -demand
    wide = 3 * sum(np.abs(supply).sum() for supply in supplies)
    return incidence, supplies, np.minimum(network.capacity, wide)


def optimum(network: FixedChargeNetwork) -> float:
    """The textbook formulation, with a binary for every arc and no limit tightened, by HiGHS; inf if infeasible."""
    incidence, supplies, capacity = raw(network)
    arcs, several = len(network.arcs), len(supplies)
    eye = np.eye(arcs)
    rows = [np.hstack([np.kron(np.eye(several), incidence), np.zeros((several * len(network.nodes), arcs))])]
    low = [np.concatenate(supplies)]
    high = [np.concatenate(supplies)]
    rows.append(np.hstack([np.tile(eye, several), -np.diag(capacity)]))
    low.append(np.full(arcs, -np.inf))
    high.append(np.zeros(arcs))
    rows.append(np.hstack([np.zeros(several * arcs), np.ones(arcs)])[None, :])
    low.append([network.min_open or 0])
    high.append([arcs if network.max_open is None else network.max_open])
    answer = milp(
        np.concatenate([np.tile(network.unit_cost, several), network.fixed_cost]),
        constraints=LinearConstraint(np.vstack(rows), np.concatenate(low), np.concatenate(high)),
        bounds=Bounds(0, np.concatenate([np.full(several * arcs, np.inf), np.ones(arcs)])),
        integrality=np.concatenate([np.zeros(several * arcs), np.ones(arcs)]),
        options={"mip_rel_gap": 1e-9},
    )
    assert answer.status in (0, 2)
    return float(answer.fun) if answer.status == 0 else np.inf


def optimum_of(problem: Problem) -> float:
    """The optimum of a linear `Problem` by HiGHS; inf if infeasible."""
    n, m = problem.n, problem.m
    on = np.flatnonzero(problem.switch >= 0)
    pick = sparse.csr_array((np.ones(len(on)), (np.arange(len(on)), on)), shape=(len(on), n))
    limit = sparse.csr_array((-problem.x_upper[on], (np.arange(len(on)), problem.switch[on])), shape=(len(on), m))
    rows = sparse.vstack(
        [
            sparse.hstack([problem.A, problem.G]),
            sparse.hstack([sparse.csr_array((problem.B.shape[0], n)), problem.B]),
            sparse.hstack([pick, limit]),
        ]
    )
    answer = milp(
        np.concatenate([problem.q, problem.p]),
        constraints=LinearConstraint(
            rows.toarray(),
            np.concatenate([problem.row_lower, problem.b_lower, np.full(len(on), -np.inf)]),
            np.concatenate([problem.row_upper, problem.b_upper, np.zeros(len(on))]),
        ),
        bounds=Bounds(np.concatenate([problem.x_lower, np.zeros(m)]), np.concatenate([problem.x_upper, np.ones(m)])),
        integrality=np.concatenate([np.zeros(n), np.ones(m)]),
        options={"mip_rel_gap": 1e-9},
    )
    assert answer.status in (0, 2)
    return float(answer.fun) if answer.status == 0 else np.inf


def enumerated(network: FixedChargeNetwork) -> float:
    """The best over every choice of open arcs, each a QP by Clarabel."""
    incidence, supplies, capacity = raw(network)
    arcs, several = len(network.arcs), len(supplies)
    total = np.tile(np.eye(arcs), several)
    square = 2 * total.T @ np.diag(network.quadratic_cost) @ total
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    best = np.inf
    costly = np.flatnonzero(network.fixed_cost > 0)
    for choice in itertools.product((0.0, 1.0), repeat=len(costly)):
        on = np.ones(arcs)
        on[costly] = choice
        if (fixed := float(network.fixed_cost @ on)) >= best:
            continue
        rows = np.vstack([np.kron(np.eye(several), incidence), total, -np.eye(several * arcs)])
        right = np.concatenate([*supplies, on * capacity, np.zeros(several * arcs)])
        equations = several * len(network.nodes)
        solution = clarabel.DefaultSolver(
            sparse.csc_matrix(np.triu(square)),
            np.tile(network.unit_cost, several),
            sparse.csc_matrix(rows),
            right,
            [clarabel.ZeroConeT(equations), clarabel.NonnegativeConeT(len(right) - equations)],
            settings,
        ).solve()
        if solution.status == clarabel.SolverStatus.Solved:
            best = min(best, fixed + solution.obj_val)
    return best


def solved(network: FixedChargeNetwork, time_limit: float = 5.0) -> tuple[hm.Result, NetworkResult]:
    result = hm.solve(network.problem(), time_limit=time_limit)
    return result, network.read(result)


# The program ------------------------------------------------------------------------------------------------------


def test_rows_and_names_of_the_problem():
    """One x per arc, a binary for each that costs something to open, conservation rows, and the rows at the ends."""
    problem = small().problem()
    assert problem.x_names == ("A->B", "A->C", "B->D", "C->D", "B->C")
    assert problem.b_names == ("A->B", "A->C", "B->D", "C->D")
    assert problem.row_names == ("flow at A", "flow at B", "flow at C", "flow at D")
    assert problem.b_row_names == ("arcs into D", "arcs out of A")
    np.testing.assert_array_equal(problem.switch, [0, 1, 2, 3, -1])
    np.testing.assert_array_equal(problem.row_lower, [6, 0, 0, -6])
    np.testing.assert_array_equal(problem.row_upper, [6, 0, 0, -6])
    np.testing.assert_array_equal(problem.x_upper, [6, 4, 4, 6, 6])
    np.testing.assert_array_equal(problem.b_lower, [1, 1])
    np.testing.assert_array_equal(
        problem.A.toarray(), [[1, 1, 0, 0, 0], [-1, 0, 1, 0, 1], [0, -1, 0, 1, -1], [0, 0, -1, -1, 0]]
    )


def test_rows_of_several_commodities():
    """Shares by commodity are linked to the arc's binary, the capacity is a row where it can bind."""
    network = small(supply=None, commodities=[("A", "D", 5), ("A", "C", 3), ("B", "D", 2)])
    problem = network.problem()
    assert "A->B [A to D]" in problem.x_names
    assert "C->D [A to C]" not in problem.x_names, "nothing leaves its destination"
    assert "A->B [B to D]" not in problem.x_names, "nothing comes back to its origin"
    assert [name for name in problem.row_names if name.startswith("capacity")] == [
        f"capacity of {arc}" for arc in ("A->B", "A->C", "B->D", "C->D")
    ]
    row = problem.row_names.index("capacity of A->C")
    assert problem.G[row, problem.b_names.index("A->C")] == -4
    assert problem.row_upper[row] == 0
    column = problem.x_names.index("A->C [A to D]")
    assert problem.x_upper[column] == 4, "the smaller of capacity and demand"
    assert problem.b_names[problem.switch[column]] == "A->C"


def test_congestion_of_several_commodities_is_on_their_total():
    """A quadratic cost gets a variable for the total, switched too, in place of the capacity row."""
    network = small(supply=None, commodities=[("A", "D", 5), ("A", "C", 3)], quadratic_cost={"A->C": 0.5})
    problem = network.problem()
    column = problem.x_names.index("A->C")
    assert problem.Q.diagonal()[column] == 0.5
    assert np.count_nonzero(problem.Q.diagonal()) == 1
    assert problem.b_names[problem.switch[column]] == "A->C"
    assert problem.x_upper[column] == 4
    assert "total of A->C" in problem.row_names
    assert "capacity of A->C" not in problem.row_names


def test_free_arcs_have_a_binary_only_if_they_are_counted():
    """An arc without a price has no binary, unless a limit on open arcs counts it."""
    assert small().problem().m == 4
    assert small(max_open=3).problem().m == 5
    assert small(min_open=1).problem().m == 5
    assert small(max_open=99).problem().m == 4, "no limit at all"
    dead_end = FixedChargeNetwork(["A", "B", "C"], [("A", "B"), ("B", "C")], {"A": 1, "B": -1}, fixed_cost=1)
    assert dead_end.problem().b_names == ("A->B",), "nothing can ever flow to C"


def test_limits_are_what_can_ever_flow():
    """No capacity: what the sources before and the sinks behind the arc allow; else what neighbours pass on."""
    line = FixedChargeNetwork(
        ["S", "M", "T", "U"], [("S", "M"), ("M", "T"), ("M", "U"), ("U", "M")], {"S": 7, "T": -4, "U": -3}
    )
    np.testing.assert_array_equal(line.flow_limits, [7, 4, 3, 0])
    narrow = FixedChargeNetwork(["S", "M", "T"], [("S", "M"), ("S", "T"), ("M", "T")], [9, 0, -9], [2, None, None])
    np.testing.assert_array_equal(narrow.flow_limits, [2, 9, 2])


@pytest.mark.parametrize("seed", range(25))
def test_nothing_optimal_is_cut_off(seed: int):
    """Limits lowered and rows added leave the optimum as the textbook formulation has it, or no answer at all."""
    network = random_network(seed)
    assert optimum_of(network.problem()) == pytest.approx(optimum(network), rel=1e-7)
    rng = np.random.default_rng(seed)
    counted = random_network(seed, max_open=int(rng.integers(3, 8)), min_open=int(rng.integers(0, 3)))
    assert optimum_of(counted.problem()) == pytest.approx(optimum(counted), rel=1e-7)
    costs = rng.integers(-3, 6, 8)
    circles = random_network(seed, unit_cost=costs, capacity=rng.integers(5, 20, 8))
    assert optimum_of(circles.problem()) == pytest.approx(optimum(circles), rel=1e-7)
    triples = [("n0", "n2", 3), ("n1", "n4", 2), ("n0", "n2", 1), ("n3", "n1", 4)]
    several = random_network(seed, supply=None, commodities=triples)
    assert optimum_of(several.problem()) == pytest.approx(optimum(several), rel=1e-7)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_nothing_optimal_is_cut_off_of_larger_networks(seed: int):
    """The same on maps of 12 nodes and about 44 arcs, for one commodity and for four."""
    for network in (example_network(seed), example_network(seed, commodities=4)):
        assert optimum_of(network.problem()) == pytest.approx(optimum(network), rel=1e-7)


# Solved -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_solve_finds_the_optimum_of_small_networks(seed: int):
    """The answer is the enumerated optimum, and satisfies the caller's own data."""
    network = random_network(seed)
    best = optimum(network)
    if np.isinf(best):
        assert hm.solve(network.problem(), time_limit=5).status == "infeasible"
        return
    result, reading = solved(network)
    assert result.objective == pytest.approx(best, rel=1e-6, abs=1e-6)
    assert result.bound <= best + 1e-6 * max(1.0, abs(best))
    assert reading.cost == pytest.approx(result.objective, rel=1e-9, abs=1e-9)
    assert reading.violation <= 1e-6


@pytest.mark.parametrize("seed", [1, 4])
def test_solve_finds_the_optimum_under_congestion(seed: int):
    """With quadratic costs the answer is the enumerated optimum, for one commodity and for several."""
    square = np.random.default_rng(seed).uniform(0.1, 1.0, 7) * [1, 1, 0, 1, 1, 1, 1]
    one = random_network(seed, arcs=7, quadratic_cost=square, supply=[4, 1, -2, 0, -3], capacity=None)
    triples = [("n0", "n2", 3), ("n1", "n4", 2)]
    several = random_network(seed, arcs=7, quadratic_cost=square, supply=None, commodities=triples, capacity=12)
    for network in (one, several):
        best = enumerated(network)
        result, reading = solved(network)
        assert result.objective == pytest.approx(best, rel=1e-5)
        assert reading.cost == pytest.approx(result.objective, rel=1e-8)
        assert reading.violation <= 1e-6
        assert reading.cost_split["quadratic"] > 0


@pytest.mark.parametrize("seed", range(5))
def test_without_prices_of_arcs_it_is_networkx_min_cost_flow(seed: int):
    """If no arc costs anything to open, the cost is that of networkx."""
    network = without_prices(example_network(seed))
    flow = nx.min_cost_flow_cost(integer_costs(network.to_networkx()))
    result, reading = solved(network)
    assert reading.cost == pytest.approx(flow / 10, rel=1e-6)
    assert result.problem.m == 0
    assert reading.violation <= 1e-6


def without_prices(network: FixedChargeNetwork) -> FixedChargeNetwork:
    """The same network with arcs that cost nothing to open."""
    fields = {field.name: getattr(network, field.name) for field in dataclasses.fields(network)}
    return FixedChargeNetwork(**{**fields, "fixed_cost": 0})


def integer_costs(graph: nx.DiGraph) -> nx.DiGraph:
    """Costs times ten as whole numbers: networkx's simplex is only safe with integers."""
    for _, _, data in graph.edges(data=True):
        data["weight"] = round(10 * data["weight"])
        data["capacity"] = int(data["capacity"])
    for _, data in graph.nodes(data=True):
        data["demand"] = int(data["demand"])
    return graph


def test_order_of_arcs_does_not_matter():
    """Permuting the arcs permutes the answer."""
    network = split()
    order = [3, 0, 4, 2, 1]
    permuted = small(
        arcs=[ARCS[a] for a in order],
        capacity=[network.capacity[a] for a in order],
        unit_cost=network.unit_cost[order],
        fixed_cost=network.fixed_cost[order],
    )
    (result, reading), (other, permuted_reading) = solved(network), solved(permuted)
    assert other.objective == pytest.approx(result.objective)
    np.testing.assert_allclose(permuted_reading.flow, reading.flow[order], atol=1e-7)
    assert [permuted_reading.is_open[i] for i in range(5)] == [reading.is_open[a] for a in order]


def test_scaled_flows_and_costs_scale_the_answer():
    """Twice the supplies and capacities at half the unit costs is the same cost."""
    network = small()
    doubled = small(supply={"A": 12, "D": -12}, capacity=2 * network.capacity, unit_cost=network.unit_cost / 2)
    assert solved(doubled)[0].objective == pytest.approx(solved(network)[0].objective)


def test_limits_on_open_arcs_hold():
    """No more and no fewer arcs are open than allowed; a limit below every route leaves no answer."""
    assert solved(small(capacity=None, max_open=2))[1].flow[4] == pytest.approx(0)
    assert sum(solved(small(capacity=None, max_open=2))[1].is_open) == 2
    assert sum(solved(small(capacity=None, min_open=4))[1].is_open) >= 4
    assert hm.solve(small(max_open=1).problem(), time_limit=5).status == "infeasible"


def test_no_way_is_proven_infeasible():
    """A sink that no arc leads to makes the problem infeasible, and says where."""
    network = FixedChargeNetwork(["A", "B", "C"], [("A", "B")], {"A": 1, "C": -1}, fixed_cost=1)
    result = hm.solve(network.problem(), time_limit=5)
    assert result.status == "infeasible"
    with pytest.raises(ArgumentError, match="no solution"):
        network.read(result)


# Reading back -----------------------------------------------------------------------------------------------------


def test_reading_is_labelled():
    """Open arcs, flows, use and costs by name; the costs add up to the objective."""
    result, reading = solved(split())
    assert result.status == "optimal"
    assert reading.open_arcs == ("A->B", "B->D", "C->D", "B->C")
    flows = reading.flows
    assert list(flows.columns) == ["from", "to", "flow", "capacity", "use", "unit cost", "fixed cost"]
    assert flows.loc["B->D", "flow"] == pytest.approx(4)
    assert flows.loc["B->D", "use"] == pytest.approx(1)
    assert flows.loc["B->C", "use"] == 0, "no limit"
    assert len(reading.arcs) == 5
    assert not reading.arcs.loc["A->C", "open"]
    assert reading.cost_split == pytest.approx({"fixed": 11.0, "linear": 13.0, "quadratic": 0.0})
    assert reading.cost == pytest.approx(result.objective)
    assert reading.commodity_flows["commodity"].unique().tolist() == ["all"]
    assert repr(reading) == "<NetworkResult: 4 of 5 arcs open, cost 24 (fixed 11, linear 13)>"
    assert "B->D           4 of 4" in str(reading)


def test_flows_of_commodities_add_up():
    """Every commodity's own flow leaves its origin and reaches its destination, and all together make the total."""
    network = small(supply=None, commodities=[("A", "D", 3), ("A", "C", 3), ("B", "D", 2)])
    _, reading = solved(network)
    table = reading.commodity_flows
    assert set(table["commodity"]) == {"A to D", "A to C", "B to D"}
    for name, origin, demand in (("A to D", "A", 3), ("A to C", "A", 3), ("B to D", "B", 2)):
        own = table[table["commodity"] == name]
        assert own[own["from"] == origin]["flow"].sum() == pytest.approx(demand)
    np.testing.assert_allclose(reading.commodity_flow.sum(axis=0), reading.flow)
    assert reading.violation <= 1e-7


def test_violation_sees_every_fault():
    """A flow that breaks conservation, a capacity or a closed arc is told by its size."""
    _, reading = solved(split())
    flow = np.array(reading.commodity_flow)
    broken = flow.copy()
    broken[0, 0] += 0.5
    assert dataclasses.replace(reading, commodity_flow=broken).violation == pytest.approx(0.5)
    circled = flow.copy()
    circled[0, [2, 3, 4]] += [1.0, -1.0, -1.0]
    assert dataclasses.replace(reading, commodity_flow=circled).violation == pytest.approx(1.0)
    closed = dataclasses.replace(reading, is_open=(True, False, True, False, True))
    assert closed.violation == pytest.approx(flow[0, 3])


def test_read_refuses_another_networks_result():
    """A result is read only by the network that it is of."""
    result = hm.solve(small().problem(), time_limit=5)
    with pytest.raises(ArgumentError, match="another network"):
        small(arcs=[*ARCS[:4], ("C", "B")]).read(result)


# Other forms ------------------------------------------------------------------------------------------------------


def same(one: FixedChargeNetwork, other: FixedChargeNetwork) -> bool:
    """Whether two networks are the same problem and drawing, whatever the order of their arcs."""

    def content(network: FixedChargeNetwork) -> object:
        columns = zip(network.capacity, network.unit_cost, network.fixed_cost, network.quadratic_cost, strict=True)
        arcs = sorted((arc, *map(float, row)) for arc, row in zip(network.arcs, columns, strict=True))
        return network.nodes, arcs, network.supplies.tolist(), network.commodities, network.positions

    return content(one) == content(other)


@pytest.mark.parametrize(
    "network",
    [
        small(),
        small(arcs=[*ARCS[:4], ("A", "B")]),
        small(supply=None, commodities=[("A", "D", 2), ("B", "C", 1)]),
        example_network(3, quadratic=True),
    ],
    ids=["one", "parallel", "commodities", "example"],
)
def test_round_trips(network: FixedChargeNetwork):
    """Through networkx, frames and pickle a network stays what it is."""
    assert same(FixedChargeNetwork.from_networkx(network.to_networkx()), network)
    arcs, nodes = network.to_frames()
    assert same(FixedChargeNetwork.from_frames(arcs, nodes, commodities=network.commodities), network)
    assert pickle.loads(pickle.dumps(network)).problem().hash == network.problem().hash


def test_networkx_signs_and_names_of_attributes():
    """Demand is positive where a node takes in, as in networkx; other attributes can be named."""
    graph = nx.DiGraph()
    graph.add_node(1, demand=-4, out=4)
    graph.add_node(2, demand=4, out=-4)
    graph.add_edge(1, 2, weight=2, toll=3, fixed_cost=7, cap=5)
    network = FixedChargeNetwork.from_networkx(graph)
    assert network.nodes == (1, 2)
    np.testing.assert_array_equal(network.supply, [4, -4])
    assert np.isinf(network.capacity[0])
    assert network.unit_cost[0] == 2
    named = FixedChargeNetwork.from_networkx(graph, supply="out", capacity="cap", unit_cost="toll")
    np.testing.assert_array_equal(named.supply, [4, -4])
    assert (named.capacity[0], named.unit_cost[0], named.fixed_cost[0]) == (5, 3, 7)
    with pytest.raises(ArgumentError, match=r"graph\.to_directed\(\)"):
        FixedChargeNetwork.from_networkx(graph.to_undirected())


def test_answer_as_a_graph():
    """The graph of an answer has the open arcs with their flows; with closed=True, all of them."""
    _, reading = solved(split())
    graph = reading.to_networkx()
    assert set(graph.edges()) == {("A", "B"), ("B", "D"), ("C", "D"), ("B", "C")}
    assert graph.edges["B", "D"]["flow"] == pytest.approx(4)
    everything = reading.to_networkx(closed=True)
    assert len(everything.edges()) == 5
    assert everything.edges["A", "C"]["open"] is False


def test_missing_networkx_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch):
    """Without networkx only what needs it fails, with the pip command."""
    original = builtins.__import__

    def without(name, *rest, **options):
        if name.split(".")[0] == "networkx":
            raise ImportError(name)
        return original(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingDependencyError, match="pip install networkx"):
        small().to_networkx()
    with pytest.raises(MissingDependencyError, match="pip install networkx"):
        FixedChargeNetwork.from_networkx(object())
    assert small().problem().m == 4


def test_frames_with_gaps_and_other_spellings():
    """An empty capacity is no limit, an empty cost is 0, and Unit Cost is unit_cost."""
    arcs = pd.DataFrame({"From": ["a", "b"], "To": ["b", "c"], "Capacity": [3, None], "Unit Cost": [1.0, None]})
    nodes = pd.DataFrame({"node": ["c", "a"], "supply": [-2, 2]})
    network = FixedChargeNetwork.from_frames(arcs, nodes)
    assert network.nodes == ("c", "a", "b")
    np.testing.assert_array_equal(network.capacity, [3, np.inf])
    np.testing.assert_array_equal(network.unit_cost, [1, 0])
    np.testing.assert_array_equal(network.supply, [-2, 2, 0])


def test_csv_of_arcs(tmp_path):
    """Two CSV files make the network that their columns say."""
    arcs, nodes = tmp_path / "arcs.csv", tmp_path / "nodes.csv"
    arcs.write_text("from,to,capacity,unit_cost,fixed_cost\nA,B,6,1,5\nA,C,4,2,3\nB,D,4,1,4\nC,D,6,1,2\nB,C,,0.5,0\n")
    nodes.write_text("node,supply\nA,6\nB,\nC,0\nD,-6\n")
    assert same(FixedChargeNetwork.from_csv(arcs, nodes), small())
    commodities = tmp_path / "commodities.csv"
    commodities.write_text("origin;destination;demand\nA;D;5\n")
    network = FixedChargeNetwork.from_csv(arcs, commodities=commodities)
    assert network.commodity_names == ("A to D",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("from,to,cost\nA,B,1\n", "line 1: unknown column 'cost'"),
        ("from,capacity\nA,1\n", "line 1: no column 'to'"),
        ("from,to,capacity\nA,B,many\n", "line 2: capacity is 'many'; it must be a number"),
        ("from,to,unit_cost\nA,B,nan\n", "line 2: unit_cost is 'nan'; it must be a finite number"),
        ("from,to\nA\n", "line 2 has 1 fields but the first row has 2"),
        ("from,to\nA,\n", "line 2: column 'to' is empty"),
        ("from,to\n", "no row below"),
        ("from,to,to\nA,B,B\n", "column 'to' occurs twice"),
    ],
)
def test_bad_csv_in_one_line(tmp_path, text: str, message: str):
    """The message gives the line, the column and the rule."""
    path = tmp_path / "arcs.csv"
    path.write_text(text)
    with pytest.raises(FileError, match=re.escape(message)) as caught:
        read_arcs(path)
    assert "\n" not in str(caught.value)


# What is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"nodes": "ABCD"}, ArgumentError, "nodes is 'ABCD'; give a list of names"),
        ({"nodes": []}, ArgumentError, "nodes is empty"),
        ({"nodes": ["A", "A"]}, ArgumentError, "nodes has 'A' twice"),
        ({"nodes": [1, "1"]}, ArgumentError, "nodes has 1 and '1', which read the same"),
        ({"nodes": [["A"], "B"]}, ArgumentError, "nodes has ['A'], which cannot be a name"),
        ({"arcs": []}, ArgumentError, "arcs is empty"),
        ({"arcs": [("A", "E")]}, ArgumentError, "arcs[0] names 'E', which is no node; check the spelling"),
        ({"arcs": [("A", "B", "C")]}, ArgumentError, "arcs[0] is ('A', 'B', 'C'); give a pair (from, to)"),
        ({"arcs": [("A", "A")]}, ArgumentError, "arcs[0] leads from 'A' to itself"),
        ({"supply": None}, ArgumentError, "supply and commodities: neither given"),
        ({"commodities": [("A", "B", 1)]}, ArgumentError, "supply and commodities: both given"),
        ({"supply": {"A": 6}}, ProblemError, "supply adds up to 6, more than is wanted; it must add up to 0"),
        ({"supply": {"A": 6, "E": -6}}, ArgumentError, "supply names 'E', which is no node"),
        ({"supply": [1, 2]}, ProblemError, "supply has shape (2,); it must be a number or (4,), one per node"),
        ({"supply": 3}, ArgumentError, "supply is 3; give a mapping by node"),
        ({"supply": [np.nan, 0, 0, 0]}, ProblemError, "supply of A is NaN"),
        ({"capacity": [1, 2, 3, 4, -5]}, ProblemError, "capacity of B->C is -5; it must be 0 or more"),
        ({"capacity": [1, 2, 3, 4, np.nan]}, ProblemError, "capacity of B->C is NaN; give a number, or None"),
        ({"capacity": [1, 2]}, ProblemError, "capacity has shape (2,)"),
        ({"unit_cost": "cheap"}, ProblemError, "unit_cost is not numeric"),
        ({"unit_cost": {("A", "D"): 1}}, ArgumentError, "unit_cost names ('A', 'D'), which is no arc"),
        ({"unit_cost": {"A->B": "x"}}, ArgumentError, "unit_cost of A->B is 'x'; it must be a number"),
        ({"fixed_cost": [1, 1, 1, 1, -1]}, ProblemError, "fixed_cost of B->C is -1; it must be 0 or more"),
        ({"fixed_cost": np.inf}, ProblemError, "fixed_cost of A->B is infinite"),
        ({"quadratic_cost": {"A->B": -1}}, ProblemError, "quadratic_cost of A->B is -1"),
        ({"supply": None, "commodities": []}, ArgumentError, "commodities is empty"),
        ({"supply": None, "commodities": [("A", "D")]}, ArgumentError, "commodities[0] is ('A', 'D'); give a triple"),
        ({"supply": None, "commodities": [("A", "X", 1)]}, ArgumentError, "commodities[0] names 'X', which is no node"),
        ({"supply": None, "commodities": [("A", "A", 1)]}, ArgumentError, "commodities[0] goes from 'A' to itself"),
        ({"supply": None, "commodities": [("A", "D", 0)]}, ArgumentError, "commodities[0] is 0; it must be positive"),
        ({"max_open": 2.5}, ArgumentError, "max_open is 2.5; it must be a whole number"),
        ({"max_open": -1}, ArgumentError, "max_open is -1; it must be at least 0"),
        ({"min_open": 6}, ArgumentError, "min_open is 6 but there are 5 arcs"),
        ({"min_open": 3, "max_open": 2}, ArgumentError, "min_open is 3, above max_open 2"),
        ({"positions": {"A": (0, 0)}}, ArgumentError, "positions lacks 'B'"),
        (
            {"arcs": [*ARCS[:4], ("C", "A")], "unit_cost": [1, 1, 1, 1, -5]},
            ProblemError,
            "capacity of C->A is None, but unit_cost of C->A is negative and flow could run in circles",
        ),
    ],
)
def test_bad_data_in_one_line(changes: dict, error: type[HybridMIPError], message: str):
    """Every error names the argument, the entry, the rule and what to do."""
    with pytest.raises(error, match=re.escape(message)) as caught:
        small(**changes)
    assert "\n" not in str(caught.value)


def test_a_mapping_by_name_tells_parallel_arcs_apart():
    """Of two parallel arcs the second is called #2; the pair alone does not say which is meant."""
    arcs = [("A", "D"), ("A", "D")]
    network = small(arcs=arcs, capacity={"A->D": 4, "A->D #2": 3}, unit_cost=0, fixed_cost=0)
    np.testing.assert_array_equal(network.capacity, [4, 3])
    with pytest.raises(ArgumentError, match="which is no arc"):
        small(arcs=arcs, capacity={("A", "D"): 4}, unit_cost=0, fixed_cost=0)


def test_example_is_the_same_for_a_seed_and_can_be_shipped():
    """Same seed, same network; every example has an answer with all arcs open."""
    assert example_network(4).problem().hash == example_network(4).problem().hash
    assert example_network(4).problem().hash != example_network(5).problem().hash
    for seed in range(8):
        network = example_network(seed)
        incidence, supplies, capacity = raw(network)
        answer = linprog(
            network.unit_cost, A_eq=incidence, b_eq=supplies[0], bounds=np.column_stack([0 * capacity, capacity])
        )
        assert answer.status == 0
        assert len(network.nodes) == 12
