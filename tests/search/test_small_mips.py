"""Slope scaling, small MIPs and outer approximation: valid models, and answers as good as enumeration's."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from problems import Recipe, facilities, make, optimum
from states import make_state

from hybridmip import Config, Problem, Status, solve
from hybridmip.bounds.diagonal import largest_trace
from hybridmip.engines.highs import OVERTIME, LinearAnswer, Outcome
from hybridmip.engines.left import settle
from hybridmip.relax.line import Line
from hybridmip.relax.protocol import Setting
from hybridmip.search.fixing import OPEN_AT_FIRST, Fixing, fewest_open, first_open
from hybridmip.search.mips import BESIDE_TREES, _Turns
from hybridmip.search.mixed import MixedModel
from hybridmip.search.outer_model import OuterModel, squares
from hybridmip.search.slopes import Slopes, used
from hybridmip.search.small import MOST_NODES, small_mip


def transport(sources: int, sinks: int, seed: int) -> Problem:
    """Fixed-charge transportation: every lane has a price to open."""
    rng = np.random.default_rng(seed)
    demand = rng.integers(5, 20, sinks).astype(float)
    supply = np.full(sources, demand.sum() / sources)
    n = sources * sinks
    A = np.zeros((sources + sinks, n))
    for i in range(sources):
        A[i, i * sinks : (i + 1) * sinks] = 1.0
    for j in range(sinks):
        A[sources + j, j::sinks] = 1.0
    limits = np.concatenate([supply, demand])
    upper = np.minimum(np.repeat(supply, sinks), np.tile(demand, sources))
    return Problem(
        q=rng.uniform(1, 5, n), p=rng.uniform(10, 60, n), A=A, row_lower=limits, row_upper=limits, x_lower=0.0,
        x_upper=upper, switch=np.arange(n),
    )  # fmt: skip


def test_slope_scaling_gives_feasible_b() -> None:
    """Every step's b leaves a feasible LP, and is no worse than all switched on."""
    problem = transport(4, 7, 0)
    state = make_state(problem)
    slopes = Slopes(Setting(problem))
    slopes.restart(state.rng, 1.0)
    everything = state.solver.evaluate(np.ones(problem.m, dtype=bool)).objective
    for _ in range(4):
        b = slopes.step(None)
        assert b is not None
        answer = state.solver.evaluate(b)
        assert answer.feasible
        assert answer.objective < everything


def test_what_is_not_used_is_dropped() -> None:
    """Switching off what carries nothing saves its price and keeps x."""
    problem = transport(3, 4, 1)
    state = make_state(problem)
    b = np.ones(problem.m, dtype=bool)
    answer = state.solver.evaluate(b)
    assert answer.x is not None
    lean = used(state, b, answer.x)
    assert lean.sum() < b.sum()
    assert state.solver.evaluate(lean).objective <= answer.objective - problem.p[b & ~lean].sum() + 1e-6


def test_fixed_binaries_stay_fixed() -> None:
    """A small MIP answers with what was fixed, and is never below the optimum."""
    problem = transport(2, 3, 2)
    best, _ = optimum(problem)
    model = MixedModel(Setting(problem))
    fixed = np.zeros(problem.m, dtype=np.int8)
    fixed[0], fixed[1] = 1, -1
    answer = model.solve(fixed, None, 1000, 0.0)
    assert answer.x is not None
    b = answer.x[problem.n :]
    assert b[0] == pytest.approx(1.0)
    assert b[1] == pytest.approx(0.0)
    assert answer.objective + problem.offset >= best - 1e-7
    whole = model.solve(np.zeros(problem.m, dtype=np.int8), None, 10_000, 0.0)
    assert whole.objective + problem.offset == pytest.approx(best, rel=1e-7)


def test_a_small_mip_ends_when_the_time_is_up() -> None:
    """HiGHS is asked to end before that, and left alone where it is late; without a limit it has its nodes."""
    problem = transport(4, 7, 0)
    for limit in (10.0, 0.02, None):
        state = make_state(problem, time_limit=limit)
        asked: list[tuple[float | None, int, float]] = []

        class Noting(MixedModel):
            def solve(self, fixed, seconds, nodes, gap, deadline=math.inf):
                asked.append((seconds, nodes, deadline))  # noqa: B023
                return LinearAnswer(Outcome.LIMIT)

        assert small_mip(state, Noting(Setting(problem)), np.zeros(problem.m, dtype=np.int8), 60.0) == ("limit", None)
        (seconds, nodes, deadline) = asked[0]
        if limit is None:
            assert seconds is None
            assert nodes == MOST_NODES
            assert deadline == math.inf
        else:
            assert seconds is not None
            assert 0.0 < seconds <= max(limit - OVERTIME, 0.5 * limit)
            assert deadline < state.deadline


class Late:
    """HiGHS that ends long after its time limit."""

    def __init__(self, highs: object, seconds: float) -> None:
        self._highs, self._seconds = highs, seconds

    def run(self) -> object:
        """Begin late."""
        time.sleep(self._seconds)
        return self._highs.run()  # type: ignore[attr-defined]

    def __getattr__(self, name: str) -> object:
        return getattr(self._highs, name)


def test_nobody_waits_for_a_late_small_mip() -> None:
    """It is left alone a little before the time is up, and what is left alone is asked nothing more."""
    problem, late = transport(4, 7, 0), 3.0
    state, model = make_state(problem, time_limit=0.5), MixedModel(Setting(problem))
    model.model._highs = Late(model.model._highs, late)
    began = time.perf_counter()
    nothing = np.zeros(problem.m, dtype=np.int8)
    assert small_mip(state, model, nothing, 60.0) == (Outcome.LIMIT, None)
    assert time.perf_counter() - began < 0.5 * late
    assert model.model.given_up
    assert model.solve(nothing, None, 1000, 0.0).status is Outcome.LIMIT
    settle()


@pytest.mark.parametrize("m", [1, 5, 20, 100, 1000])
def test_the_first_neighborhood_is_no_more_than_half(m: int) -> None:
    """One binary that may be switched on at least, two thirds of what is open off the best b's."""
    assert 1 <= fewest_open(m) <= first_open(m) <= OPEN_AT_FIRST
    assert 3 * first_open(m) <= max(0.5 * m, 3)


def test_neighborhoods_leave_alone_what_no_better_b_has() -> None:
    """What the relaxation proves of every better b is fixed so in every neighborhood."""
    problem = facilities(30, 60, 2)
    setting, state = Setting(problem), make_state(problem)
    relaxed = Line().solve(setting, {}, None)
    assert relaxed.proof is not None
    state.guide(penalties=setting.formula.penalties(relaxed.proof))
    best = solve(problem, time_limit=60.0)
    assert best.b is not None
    state.offer(best.b, state.solver.evaluate(best.b), "known")
    known = state.fixed
    assert known.any()
    fixing = Fixing(state, relaxed)
    fixing.add(best.b, state.best.objective)
    everything = np.ones(problem.m, dtype=bool)
    for fixed in (
        fixing.undecided(problem.m, state.rng), fixing.around_rows(problem.m, state.rng), fixing.within(everything)
    ):  # fmt: skip
        assert (fixed[known != 0] == known[known != 0]).all()
        assert (fixed == 0).any()


def test_linear_problems_are_proven() -> None:
    """Branch and cut closes the gap of a small one, and says so."""
    problem = transport(3, 5, 3)
    result = solve(problem, config=Config(enumerate_up_to=0))
    assert result.status == Status.OPTIMAL
    assert result.certificate is not None
    assert result.certificate.verify(problem)
    assert result.certificate.claimed <= result.bound <= result.objective


def test_the_time_limit_of_a_linear_problem() -> None:
    """A large one ends when it should, with an answer and a bound."""
    problem = transport(25, 40, 4)
    solve(transport(2, 3, 2), time_limit=1)
    began = time.perf_counter()
    result = solve(problem, time_limit=2.0)
    assert time.perf_counter() - began < 5.0
    assert result.has_solution
    assert result.violation <= 1e-7
    assert np.isfinite(result.bound)


@pytest.mark.parametrize("quadratic", ["dense", "diagonal", "sparse", "singular"])
@pytest.mark.parametrize("binary_rows", ["count", "general"])
def test_tangents_are_below_the_curve(quadratic: str, binary_rows: str) -> None:
    """At every feasible (x, b) the approximation is at most the objective, wherever the tangents were drawn."""
    problem = make(Recipe(seed=3, binaries=5, quadratic=quadratic, binary_rows=binary_rows))
    setting = Setting(problem)
    d = largest_trace(problem.Q)
    T = squares(setting, d)
    assert T is not None
    np.testing.assert_allclose(T @ T.T + np.diag(d), problem.Q.toarray(), atol=1e-8)
    model = OuterModel(setting, d, T)
    rng = np.random.default_rng(0)
    for _ in range(6):
        model.tangents(rng.normal(size=problem.n), rng.random(problem.m))
    best, _ = optimum(problem)
    answer = model.solve(np.zeros(problem.m, dtype=np.int8), None, 10_000, 0.0)
    if np.isfinite(best):
        assert answer.bound + problem.offset <= best + 1e-6 * max(1.0, abs(best))


def test_turns_walk_less_often_while_that_brings_nothing() -> None:
    """All kinds in turn; what improved the answer again; the pause between two walks doubles, up to a limit."""
    turns = _Turns(with_vertices=True)
    seen = []
    for _ in range(60):
        (kind,) = turns.next(1)
        seen.append(kind)
        turns.tell(kind, improved=False, seconds=1.0)
    walks = [place for place, kind in enumerate(seen) if kind == "vertices"]
    assert np.diff(walks)[:4].tolist() == [3, 5, 9, 9]
    assert set(seen) == {"vertices", "undecided", "around rows", "union"}
    turns.tell("around rows", improved=True, seconds=1.0)
    assert turns.next(1) == ["around rows"]
    both = turns.next(2)
    assert len(both) == 2
    assert both.count("vertices") <= 1
    assert "vertices" not in _Turns(with_vertices=False).next(3)


def test_turns_by_time_keep_most_of_it_for_walks() -> None:
    """Small MIPs get a share of the time of walks that bring nothing, and one that brought something comes again."""
    turns, spent = _Turns(with_vertices=True, by_time=True), {True: 0.0, False: 0.0}
    for _ in range(200):
        (kind,) = turns.next(1)
        spent[kind == "vertices"] += 1.0
        turns.tell(kind, improved=False, seconds=1.0)
    assert 0.5 * BESIDE_TREES * spent[True] <= spent[False] <= BESIDE_TREES * spent[True] + 2.0
    turns.tell("union", improved=True, seconds=1.0)
    assert turns.next(1) == ["union"]


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("time_limit", [None, 20.0])
@pytest.mark.parametrize("config", [Config(enumerate_up_to=0), Config.quick(enumerate_up_to=0)])
def test_infeasible_quadratics_are_proven_so(fixed: bool, time_limit: float | None, config: Config) -> None:
    """x of 1 each, or of 0.9 to 1.1, that must add up to 2.5: the relaxation can, no b does; also with a time limit."""
    m = 12
    rows = np.vstack([np.ones(m), np.arange(m) < 6, np.random.default_rng(0).integers(0, 3, m)]).astype(float)
    problem = Problem(
        Q=np.eye(m) + 0.1, A=np.ones((1, m)), row_lower=[2.5], row_upper=[2.5], x_lower=1.0 if fixed else 0.9,
        x_upper=1.0 if fixed else 1.1, switch=np.arange(m), B=rows, b_lower=[1.0, 0.0, 0.0], b_upper=[6.0, 4.0, 9.0],
    )  # fmt: skip
    result = solve(problem, config=config, time_limit=time_limit)
    assert result.status is Status.INFEASIBLE
