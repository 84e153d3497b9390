"""FacilityLocation: against brute force over the open facilities, what it refuses, and what it reads back."""

from __future__ import annotations

import itertools
import re

import clarabel
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.optimize import linprog

import hybridmip as hm
from hybridmip.applications.facility import FacilityLocation
from hybridmip.errors import ArgumentError, HybridMIPError, ProblemError


def location(seed: int = 0, sites: int = 4, takers: int = 6, **changes) -> FacilityLocation:
    """A few facilities of which about two are needed; service is cheap nearby."""
    rng = np.random.default_rng(seed)
    data = {
        "capacity": rng.integers(15, 30, sites),
        "fixed_cost": rng.integers(20, 60, sites),
        "demand": rng.integers(2, 9, takers),
        "service_cost": rng.integers(3, 40, (sites, takers)),
    }
    return FacilityLocation(**{**data, **changes})


def enumerated(problem: FacilityLocation) -> float:
    """The best over every set of open facilities; each leaves an LP, a QP, or all assignments."""
    sites, takers = problem.service_cost.shape
    best = np.inf
    for choice in itertools.product((0.0, 1.0), repeat=sites):
        on = np.array(choice)
        room = np.where(np.isfinite(problem.capacity), problem.capacity, 1e6) * on
        if problem.single_source:
            value = assigned(problem, on, room)
        else:
            value = shared(problem, on, room, sites, takers)
        best = min(best, float(problem.fixed_cost @ on) + value)
    return best


def assigned(problem: FacilityLocation, on: np.ndarray, room: np.ndarray) -> float:
    cost = problem.service_cost + problem.quadratic_cost
    best = np.inf
    for who in itertools.product(np.flatnonzero(on), repeat=len(problem.customers)):
        load = np.bincount(np.array(who, dtype=int), problem.demand, len(on))
        if (load <= room).all():
            best = min(best, float(cost[list(who), range(len(who))].sum()))
    return best


def shared(problem: FacilityLocation, on: np.ndarray, room: np.ndarray, sites: int, takers: int) -> float:
    serve = np.tile(np.eye(takers), sites)
    load = np.kron(np.eye(sites), problem.demand[None, :])
    upper = np.repeat(on, takers)
    cost = problem.service_cost.ravel()
    if not problem.quadratic_cost.any():
        bounds = np.column_stack([0 * upper, upper])
        answer = linprog(cost, A_eq=serve, b_eq=np.ones(takers), A_ub=load, b_ub=room, bounds=bounds)
        return float(answer.fun) if answer.status == 0 else np.inf
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    eye = np.eye(sites * takers)
    solution = clarabel.DefaultSolver(
        sparse.csc_matrix(np.diag(2 * problem.quadratic_cost.ravel())),
        cost,
        sparse.csc_matrix(np.vstack([serve, load, eye, -eye])),
        np.concatenate([np.ones(takers), room, upper, 0 * upper]),
        [clarabel.ZeroConeT(takers), clarabel.NonnegativeConeT(sites + 2 * sites * takers)],
        settings,
    ).solve()
    return float(solution.obj_val) if solution.status == clarabel.SolverStatus.Solved else np.inf


@pytest.mark.parametrize("seed", range(4))
def test_solve_finds_the_optimum(seed: int):
    """The answer is the enumerated optimum, satisfies the caller's data, and its costs add up."""
    problem = location(seed)
    result = hm.solve(problem.problem(), time_limit=5)
    reading = problem.read(result)
    best = enumerated(problem)
    assert result.objective == pytest.approx(best, rel=1e-6)
    assert result.bound <= best * (1 + 1e-6)
    assert reading.cost == pytest.approx(result.objective)
    assert reading.violation <= 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_solve_finds_the_optimum_with_quadratic_service(seed: int):
    """Squares of shares as in the separable quadratic location problem, without and with capacities."""
    square = np.random.default_rng(seed).uniform(5, 60, (4, 6))
    for problem in (
        FacilityLocation(None, location(seed).fixed_cost, quadratic_cost=square),
        location(seed, quadratic_cost=square),
    ):
        result = hm.solve(problem.problem(), time_limit=5)
        reading = problem.read(result)
        assert result.objective == pytest.approx(enumerated(problem), rel=1e-5)
        assert reading.cost_split["quadratic"] > 0
        assert reading.violation <= 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_single_source_serves_each_customer_from_one_place(seed: int):
    """Shares are 0 or 1, the optimum is the enumerated one, and sharing can only be cheaper."""
    problem = location(seed, takers=5, single_source=True, quadratic_cost=np.full((4, 5), 2.0))
    result = hm.solve(problem.problem(), time_limit=5)
    reading = problem.read(result)
    assert result.objective == pytest.approx(enumerated(problem))
    assert set(np.unique(reading.shares)) <= {0.0, 1.0}
    assert reading.violation <= 1e-9
    assert len(reading.assignment) == 5
    split = location(seed, takers=5, quadratic_cost=np.full((4, 5), 2.0))
    assert enumerated(split) <= result.objective + 1e-6


def test_rows_and_names_of_the_problem():
    """Shares are switched by their facility; a capacity is a row only where it can bind."""
    problem = FacilityLocation(
        [10, None], [5, 7], [4, 8], [[1, 2], [3, 4]], facilities=["N", "S"], customers=["a", "b"]
    )
    program = problem.problem()
    assert program.x_names == ("N -> a", "N -> b", "S -> a", "S -> b")
    assert program.b_names == ("N", "S")
    assert program.row_names == ("customer a", "customer b", "capacity of N")
    np.testing.assert_array_equal(program.switch, [0, 0, 1, 1])
    np.testing.assert_array_equal(program.A.toarray()[2], [4, 8, 0, 0])
    np.testing.assert_array_equal(program.G.toarray()[2], [-10, 0])
    np.testing.assert_array_equal(program.B.toarray(), [[10, 12]])
    half = FacilityLocation([4, 20], [5, 7], [4, 8], [[1, 2], [3, 4]])
    np.testing.assert_array_equal(half.share_limits, [[1, 0.5], [1, 1]])


def test_reading_is_labelled():
    """Tables by the caller's names."""
    costs = pd.DataFrame([[1.0, 9.0, 9.0], [9.0, 1.0, 1.0]], index=["north", "south"], columns=["x", "y", "z"])
    problem = FacilityLocation({"north": 5, "south": None}, 3, {"x": 4, "y": 2, "z": 2}, costs)
    reading = problem.read(hm.solve(problem.problem(), time_limit=5))
    assert reading.open_facilities == ("north", "south")
    assert reading.assignment.set_index("customer")["facility"].to_dict() == {"x": "north", "y": "south", "z": "south"}
    assert reading.table().loc["north", "use"] == pytest.approx(0.8)
    assert reading.table().loc["south", "customers"] == 2
    assert reading.cost_split == pytest.approx({"fixed": 6.0, "linear": 3.0, "quadratic": 0.0})
    assert repr(reading) == "<FacilityResult: 2 of 2 facilities open, cost 9 (fixed 6, linear 3)>"


def test_order_of_facilities_does_not_matter():
    """Permuting facilities permutes the answer; a frame's own order is matched by name."""
    problem = location(1)
    order = [2, 0, 3, 1]
    permuted = FacilityLocation(
        problem.capacity[order], problem.fixed_cost[order], problem.demand, problem.service_cost[order]
    )
    one = problem.read(hm.solve(problem.problem(), time_limit=5))
    other = permuted.read(hm.solve(permuted.problem(), time_limit=5))
    assert other.cost == pytest.approx(one.cost)
    assert [one.is_open[i] for i in order] == list(other.is_open)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"service_cost": None}, ArgumentError, "service_cost and quadratic_cost are both None"),
        ({"service_cost": [1, 2, 3]}, ProblemError, "service_cost has shape (3,); it must be (facilities, customers)"),
        ({"service_cost": np.full((4, 6), np.nan)}, ProblemError, "service_cost of F1, C1 is NaN"),
        ({"service_cost": [["a"] * 6] * 4}, ProblemError, "service_cost is not numeric"),
        ({"quadratic_cost": np.ones((2, 2))}, ProblemError, "quadratic_cost has shape (2, 2); it must be (4, 6)"),
        ({"quadratic_cost": -np.ones((4, 6))}, ProblemError, "quadratic_cost of F1, C1 is -1; it must be 0 or more"),
        ({"capacity": [1, 2, 3, -4]}, ProblemError, "capacity of F4 is -4; it must be 0 or more"),
        ({"capacity": 1}, ArgumentError, "capacity adds up to 4, below the demand"),
        ({"fixed_cost": [1, 2]}, ProblemError, "fixed_cost has shape (2,)"),
        ({"fixed_cost": {"F9": 2}}, ArgumentError, "fixed_cost names 'F9', which is no facility; check the spelling"),
        ({"demand": [1, 2, 3, 4, 5, -6]}, ProblemError, "demand of C6 is -6"),
        ({"single_source": "yes"}, ArgumentError, "single_source is 'yes'; it must be True or False"),
        ({"facilities": ["a", "a", "b", "c"]}, ArgumentError, "facilities has 'a' twice"),
        ({"customers": ["a"]}, ArgumentError, "customers has 1 names but the costs are for 6"),
    ],
)
def test_bad_data_in_one_line(changes: dict, error: type[HybridMIPError], message: str):
    """Every error names the argument, the entry and the rule."""
    with pytest.raises(error, match=re.escape(message)) as caught:
        location(**changes)
    assert "\n" not in str(caught.value)


def test_read_refuses_another_result():
    """A result is read only by the object that it is of."""
    result = hm.solve(location(0).problem(), time_limit=5)
    with pytest.raises(ArgumentError, match="other facilities"):
        location(0, sites=3, capacity=40).read(result)
