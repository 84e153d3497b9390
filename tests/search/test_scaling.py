"""Slope scaling before the relaxation: the b that x tells, prices that settle, and MIPs over what is on."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from states import make_state

from hybridmip import Config, FixedChargeNetwork, Problem, solve
from hybridmip.engines.highs import LinearModel
from hybridmip.model.structure import is_fixed_charge
from hybridmip.relax.protocol import Setting
from hybridmip.search.charges import follows_from_x, needed_by, rows_when_on
from hybridmip.search.mixed import MixedModel
from hybridmip.search.scaling import Scaling
from hybridmip.search.slopes import Slopes, told_by_x
from hybridmip.search.whole import Race


def commodities(nodes: int, arcs: int, count: int, seed: int) -> Problem:
    """Pairs of nodes with a demand, over arcs that they share, a circle among these."""
    rng = np.random.default_rng(seed)
    pairs = {(i, (i + 1) % nodes): None for i in range(nodes)}
    while len(pairs) < arcs:
        i, j = rng.choice(nodes, size=2, replace=False)
        pairs[int(i), int(j)] = None
    demands = []
    for _ in range(count):
        i, j = rng.choice(nodes, size=2, replace=False)
        demands.append((int(i), int(j), float(rng.integers(5, 30))))
    total = sum(demand for *_, demand in demands)
    capacity = np.ceil(total * rng.uniform(0.1, 0.4, arcs))
    capacity[:nodes] = total
    variable, fixed = rng.integers(1, 11, arcs).astype(float), rng.integers(100, 1000, arcs).astype(float)
    return FixedChargeNetwork(
        list(range(nodes)), list(pairs), None, capacity, variable, fixed, commodities=demands
    ).problem()


def with_modules(seed: int) -> Problem:
    """Products in two rows that need a machine each, one of them switching some x too, and enough machines in all."""
    rng = np.random.default_rng(seed)
    n, m = 5, 5
    return Problem(
        q=rng.uniform(1, 3, n), p=rng.uniform(1, 9, m),
        A=np.vstack([np.ones(n), np.arange(n) < 3, -(np.arange(n) >= 2).astype(float)]),
        G=np.array([[0.0] * m, [0, 0, 0, -6.0, 0], [0, 0, 0, 0, 7.0]]),
        row_lower=[8.0, -np.inf, 0.5 - 2.0], row_upper=[np.inf, 2.5, np.inf],
        x_lower=0.0, x_upper=rng.uniform(3, 6, n), switch=[0, 1, 2, -1, -1],
        B=np.ones((1, m)), b_lower=[1.0],
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_b_told_by_x_is_feasible_and_least(seed: int) -> None:
    """Of all b at which an x is feasible, rows on b aside, every one has on what x tells, and this is one of them."""
    problem = with_modules(seed)
    assert follows_from_x(problem)
    assert not is_fixed_charge(problem)
    rng = np.random.default_rng(seed)
    lower, upper = problem.bounds_given(np.ones(problem.m, dtype=bool))
    cost = rng.uniform(0, 2, problem.n)
    x = LinearModel(cost, problem.A, *rows_when_on(problem), np.minimum(lower, 0), upper).solve().x
    assert x is not None
    told = needed_by(problem, x)

    def feasible(b: np.ndarray) -> bool:
        low, high = problem.bounds_given(b)
        activity = problem.A @ x + problem.G @ b
        within = (activity >= problem.row_lower - 1e-7).all() and (activity <= problem.row_upper + 1e-7).all()
        return bool(within and (x >= low - 1e-7).all() and (x <= high + 1e-7).all())

    assert feasible(told)
    for choice in itertools.product([False, True], repeat=problem.m):
        b = np.array(choice)
        assert feasible(b) == bool((b | ~told).all())


@pytest.mark.parametrize(
    ("change", "follows"),
    [
        ({}, True),
        ({"p": [1.0, -1.0]}, False),  # being on pays
        ({"G": [[0.0, 1.0]]}, False),  # on takes of what there is
        ({"G": [[-1.0, -1.0]]}, False),  # one of two is enough
        ({"B": [[1.0, 1.0]], "b_upper": [1.0]}, False),  # not both
        ({"B": [[1.0, 1.0]], "b_lower": [1.0]}, True),
        ({"x_lower": [1.0, 0.0]}, False),  # zero or at least one
    ],
)
def test_where_x_tells_b(change: dict[str, object], follows: bool) -> None:
    """Switching on must cost and loosen, row by row and one b in each."""
    given: dict[str, object] = {
        "q": [1.0, 2.0], "p": [1.0, 1.0], "A": [[1.0, 1.0]], "G": [[0.0, -1.0]], "row_upper": [1.0],
        "x_lower": [0.0, 0.0], "x_upper": [2.0, 2.0], "switch": [0, 0],
    }  # fmt: skip
    assert follows_from_x(Problem(**{**given, **change})) is follows


@pytest.mark.parametrize("seed", range(4))
def test_charges_of_what_switches_nothing_are_in_the_prices(seed: int) -> None:
    """Steps give b that leave a feasible LP, also of switches that only rows know of, and their prices change."""
    problem = with_modules(seed)
    state, slopes = make_state(problem), Slopes(Setting(problem))
    assert slopes.without_b
    slopes.restart(state.rng, 1.0)
    before = slopes.price.copy()
    for _ in range(3):
        b = slopes.step(None)
        assert b is not None
        assert state.solver.evaluate(state.binaries.nearest(b)).feasible
    assert (slopes.price[3:] != before[3:]).any()


def test_calibrated_prices_settle_sooner() -> None:
    """Within three rounds they give better b than prices of full switches do, on most networks."""
    better = 0
    for seed in range(5):
        problem = commodities(20, 120, 12, seed)
        state, least = make_state(problem), {}
        for calibrated in (False, True):
            slopes = Slopes(Setting(problem))
            slopes.restart(state.rng, 1.0, calibrated)
            steps = [slopes.step(None) for _ in range(3)]
            least[calibrated] = min(state.solver.evaluate(b).objective for b in steps if b is not None)
        better += least[True] < least[False]
    assert better >= 4


def test_the_union_holds_the_best() -> None:
    """What is on in the best so many and in the incumbent is in the union; solved means more, up to half of all."""
    problem = commodities(8, 24, 4, 0)
    setting, state = Setting(problem), make_state(problem, time_limit=60.0)
    scaling = Scaling(state, setting, Race(state, setting))
    for value in range(20):
        b = np.zeros(problem.m, dtype=bool)
        b[value] = True
        scaling.keep(b, float(value))
    assert scaling.union().tolist() == [value < 8 for value in range(problem.m)]
    scaling.tell(False)
    assert scaling.union().sum() == 8
    scaling.tell(True)
    assert scaling.union().sum() == problem.m // 2


def test_runs_and_unions_reach_the_optimum_of_a_small_one() -> None:
    """Slope scaling and MIPs over unions end by themselves, at most a tenth above the optimum, rows kept."""
    problem = commodities(8, 24, 4, 1)
    assert told_by_x(problem)
    setting, state = Setting(problem), make_state(problem, time_limit=60.0)
    scaling = Scaling(state, setting, Race(state, setting))
    scaling.begin()
    best = solve(problem, config=Config(threads=1)).objective
    assert state.best.feasible
    assert not state.integrity
    assert best - 1e-6 * best <= state.best.objective <= 1.1 * best


def test_a_point_before_the_relaxation() -> None:
    """With a time limit slope scaling has a point before the relaxation is solved."""
    problem = commodities(20, 120, 12, 0)
    result = solve(problem, time_limit=15.0, config=Config(threads=2))
    assert result.has_solution
    names = [phase.name for phase in result.phases]
    assert "slope scaling" in names
    # HiGHS may have the very first one.
    assert any(step.phase == "slope scaling" for step in result.trace)
    # Unless HiGHS has proven the answer by then.
    assert ("relaxation" in names[names.index("slope scaling") :] and "line" in result.bounds) or result.gap <= 1e-6


def test_a_small_mip_begins_with_the_point_it_is_given() -> None:
    """The first point of a MIP is no worse than the one to start from, also where bounds are set after that."""
    problem = commodities(12, 60, 8, 2)
    state, setting = make_state(problem), Setting(problem)
    slopes = Slopes(setting)
    slopes.restart(state.rng, 1.0, calibrated=True)
    b = [slopes.step(None) for _ in range(4)][-1]
    assert b is not None
    start = state.solver.evaluate(b)
    assert start.x is not None
    model = MixedModel(setting)
    values: list[float] = []
    cost = np.concatenate([problem.q, problem.p])
    model.model.on_improvement(lambda point, bound: values.append(float(cost @ point) + problem.offset))
    model.start_from(start.x, b)
    # Which sets the bounds of the columns; over nearly all b, since over these alone no point is worse.
    fixed = np.zeros(problem.m, dtype=np.int8)
    fixed[np.flatnonzero(~b)[0]] = -1
    model.solve(fixed, 20.0, 100, 1e-4)
    assert values
    assert values[0] <= start.objective * (1 + 1e-6)
