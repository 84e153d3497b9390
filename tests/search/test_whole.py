"""HiGHS's branch and cut beside the searches: what it says, what it is given, and how it ends."""

from __future__ import annotations

import contextlib
import math
import os
import sys
import threading
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from states import make_state

from hybridmip import Config, FacilityLocation, Problem, Status, StopReason, solve
from hybridmip.bounds.ledger import Grade
from hybridmip.engines import compiled
from hybridmip.engines.highs import Halt, LinearAnswer, LinearModel, Outcome
from hybridmip.engines.left import settle
from hybridmip.engines.slices import Slices
from hybridmip.model.binaries import BinarySet
from hybridmip.model.units import Measures, Units
from hybridmip.relax.protocol import Setting
from hybridmip.relax.registry import RELAXATIONS
from hybridmip.restricted.protocol import Evaluation
from hybridmip.run import mending, phases
from hybridmip.run.clock import Clock, StopSearch
from hybridmip.run.phases import beside
from hybridmip.run.state import SearchState
from hybridmip.search import mips, small
from hybridmip.search.mixed import MixedModel, scales_as_given
from hybridmip.search.vertices import VERTICES, walks_over_trees
from hybridmip.search.whole import FEWER, BranchAndCut, Race
from hybridmip.tolerances import FEASIBLE, NOTHING

#: Long enough for a machine that others use too.
LONG = 120.0
TWO = Config(threads=2)


def transport(sources: int, sinks: int, seed: int) -> Problem:
    """Fixed-charge transportation: every lane has a price to open."""
    rng = np.random.default_rng(seed)
    demand = rng.integers(5, 20, sinks).astype(float)
    supply = np.full(sources, np.ceil(1.2 * demand.sum() / sources))
    A = np.vstack([np.kron(np.eye(sources), np.ones(sinks)), np.kron(np.ones(sources), np.eye(sinks))])
    return Problem(
        q=rng.integers(1, 6, sources * sinks).astype(float), p=rng.integers(10, 60, sources * sinks).astype(float),
        A=A, row_lower=np.concatenate([np.zeros(sources), demand]), row_upper=np.concatenate([supply, demand]),
        x_lower=0.0, x_upper=np.minimum.outer(supply, demand).ravel(), switch=np.arange(sources * sinks),
    )  # fmt: skip


def knapsacks(rows: int, columns: int, seed: int) -> Problem:
    """Binaries only, several knapsacks at once."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(5, 60, (rows, columns)).astype(float)
    return Problem(
        p=-rng.integers(5, 60, columns).astype(float), B=weights, b_upper=np.floor(0.4 * weights.sum(axis=1)),
        q=np.zeros(0),
    )  # fmt: skip


def by_highs_alone(problem: Problem) -> float:
    """The optimum by HiGHS on the problem as it is."""
    mixed = MixedModel(Setting(problem))
    answer = mixed.solve(np.zeros(problem.m, dtype=np.int8), None, 2**31 - 1, 1e-7)
    assert answer.status is Outcome.OPTIMAL
    return answer.objective + problem.offset


MADE = [(transport, (4, 6)), (transport, (5, 9)), (knapsacks, (4, 25)), (knapsacks, (6, 35))]


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(("make", "size"), MADE)
def test_value_and_proof_are_those_of_highs_alone(make: Any, size: tuple[int, int], seed: int) -> None:
    """With a time limit that is not reached: the same optimum, proven, and no thread is left."""
    problem = make(*size, seed)
    assert beside(problem, TWO, LONG)
    before = set(threading.enumerate())
    result = solve(problem, time_limit=LONG, config=TWO)
    settle(LONG)
    assert set(threading.enumerate()) <= before
    assert result.status is Status.OPTIMAL
    assert result.objective == pytest.approx(by_highs_alone(problem), rel=1e-6)
    assert result.bound <= result.objective
    assert result.violation <= 1e-9
    assert not result.integrity


def test_it_is_beside_where_there_is_a_clock_and_a_thread() -> None:
    """Not without a time limit, where the answer must not depend on who is faster, nor with one thread."""
    problem = transport(3, 5, 0)
    assert beside(problem, TWO, 10.0)
    assert not beside(problem, TWO, None)
    assert not beside(problem, Config(threads=1), 10.0)
    assert not beside(problem, Config.quick(threads=2), 10.0)
    assert not beside(problem, Config.paper(threads=2), 10.0)


def test_few_choices_are_tried_and_not_believed() -> None:
    """Where every b can be tried that is done, since it rests on more than HiGHS's word."""
    result = solve(transport(2, 4, 1), time_limit=LONG, config=TWO)
    assert result.status is Status.OPTIMAL
    assert result.rests_on is not Grade.TRUSTED


def test_a_better_point_of_the_search_reaches_highs() -> None:
    """HiGHS asks for points while it runs; the one it is given is its best from then on."""
    problem = transport(12, 20, 7)
    good = solve(problem, time_limit=2.0, config=TWO).b
    assert good is not None
    state = make_state(problem, TWO)
    whole = BranchAndCut(state, Setting(problem))
    known: list[tuple[int, float]] = []
    requested = whole.handover.requested

    def listen(value: float) -> Any:
        point = requested(value)
        known.append((whole.handover.given, value))
        return point

    whole.handover.requested = listen  # type: ignore[method-assign]
    state.offer(good, state.solver.evaluate(good), "known")
    whole.fetch()
    whole.start(LONG)
    end = time.monotonic() + LONG
    while whole.running and time.monotonic() < end and not (known and known[-1][0] and known[-1][1] < np.inf):
        whole.wait(0.05)
        whole.mixed.model.ask_for_point()  # else it asks no more than once
    whole.stop()
    settle(LONG)
    assert whole.handover.given == 1
    after = [value for given, value in known if given]
    assert after[-1] <= state.best.objective + 1e-6 * abs(state.best.objective)
    assert not whole.running


def test_the_first_run_goes_without_presolve_where_it_is_told_to() -> None:
    """HiGHS may presolve the second run in any case; both have the same optimum."""
    problem = transport(8, 20, 3)
    race = Race(make_state(problem, TWO), Setting(problem), presolve=False)
    presolves = [run.mixed.model._highs.getOptionValue("presolve")[1] for run in (race.first, race.begin_second())]
    assert presolves == ["off", "choose"]
    race.stop()
    found = [MixedModel(Setting(problem), presolve=presolve).model.solve(LONG) for presolve in (True, False)]
    assert found[0].objective == pytest.approx(found[1].objective)


def test_facilities_are_begun_without_presolve(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where b are only paid for; not where walks over trees have points, and not where x does not tell its b."""
    told: list[bool] = []

    class Listening(Race):
        def __init__(self, state: Any, setting: Setting, points_known: bool = False, presolve: bool = True) -> None:
            told.append(presolve)
            super().__init__(state, setting, points_known, presolve)

    monkeypatch.setattr(phases, "Race", Listening)
    rng = np.random.default_rng(0)
    demand, fixed = rng.integers(5, 20, 20).astype(float), rng.integers(50, 90, 12).astype(float)
    location = FacilityLocation(np.full(12, 60.0), fixed, demand, rng.uniform(1, 9, (12, 20)) * demand)
    for problem in (location.problem(), transport(8, 12, 1), knapsacks(3, 30, 0)):
        assert solve(problem, time_limit=LONG, config=TWO).status == Status.OPTIMAL
    assert told == [False, True, True]


def test_its_bound_is_told_while_it_runs() -> None:
    """Bounds of branch and cut rise, never above the answer, and are trusted."""
    told: list[tuple[str, float]] = []

    class Listener:
        def start(self, *_: object) -> None: ...
        def incumbent(self, *_: object) -> None: ...
        def tick(self, *_: object) -> None: ...
        def finish(self, *_: object) -> None: ...
        def bound(self, seconds: float, source: str, objective: float, bound: float) -> None:
            told.append((source, bound))

    problem = transport(8, 12, 5)
    result = solve(problem, time_limit=4.0, config=TWO, progress=Listener())
    bounds = [bound for source, bound in told if source == "branch and cut"]
    assert bounds == sorted(bounds)
    assert len(bounds) >= 1
    assert max(bounds) <= result.objective * (1 + 1e-6)
    assert "branch and cut" in result.bounds


@pytest.mark.parametrize("how", ["asked", "interrupted"])
def test_an_interruption_ends_it_with_the_best_answer(how: str) -> None:
    """A callback that asks to stop, or Ctrl-C: the answer so far, and no thread is left."""
    problem = transport(12, 20, 7)
    before = set(threading.enumerate())

    def callback(found: object) -> bool:
        if how == "interrupted":
            raise KeyboardInterrupt
        return True

    result = solve(problem, time_limit=10 * LONG, config=TWO, callback=callback)
    settle(LONG)
    assert set(threading.enumerate()) <= before
    assert result.stop_reason is (StopReason.CALLBACK if how == "asked" else StopReason.INTERRUPTED)
    assert result.has_solution
    assert result.seconds < LONG


@pytest.mark.parametrize("integral", [False, True])
def test_what_is_halted_ends(integral: bool) -> None:
    """Models that listen end, those that run and those begun later; others go on."""
    problem = knapsacks(12, 90, 1)
    setting = Setting(problem)
    matrix, low, high, _, _ = setting.joint_rows
    columns = problem.n + problem.m
    integer = np.arange(columns) >= problem.n if integral else None

    def make(halt: Halt | None) -> LinearModel:
        return LinearModel(
            np.concatenate([problem.q, problem.p]), matrix, low, high, np.zeros(columns),
            np.concatenate([setting.hull_upper, np.ones(problem.m)]), integer, halt=halt,
        )  # fmt: skip

    halt = Halt()
    running, later = make(halt), threading.Timer(0.5, halt.halt)
    later.start()
    if integral:
        assert running.solve(10 * LONG).status is Outcome.LIMIT
    later.join()
    assert make(halt).solve(10 * LONG).status is Outcome.LIMIT
    other = make(None).solve(0.5 if integral else LONG)
    assert other.status is (Outcome.LIMIT if integral else Outcome.OPTIMAL)
    assert other.x is not None


def test_small_problems_wait_for_no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """What HiGHS decides at once needs nothing compiled, nor loaded; the bound that a relaxation proves is kept."""

    def refuse(kernels: object) -> None:
        raise AssertionError("kernels were asked for")

    monkeypatch.setattr(compiled, "load", refuse)
    monkeypatch.setattr(compiled, "soon", lambda kernels: False)
    monkeypatch.setattr(phases, "FIRST_WAIT", LONG)
    for problem in (transport(3, 5, 2), knapsacks(2, 14, 0)):
        result = solve(problem, time_limit=20 * LONG, config=TWO)
        assert result.status is Status.OPTIMAL
        assert "line" in result.bounds
        assert result.certificate is not None
        assert result.certificate.verify(problem)


def test_the_start_solves_no_milp_over_the_rows_on_b(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a linear problem is mostly rows on b, the cheapest b is nearly its answer: it is not looked for first."""
    asked: list[str] = []
    maximise = BinarySet.maximise

    def count(self: BinarySet, *arguments: Any, **options: Any) -> Any:
        asked.append(self.kind)
        return maximise(self, *arguments, **options)

    monkeypatch.setattr(BinarySet, "maximise", count)
    problem = knapsacks(4, 25, 1)
    for time_limit in (None, LONG):
        assert solve(problem, time_limit=time_limit, config=TWO).status is Status.OPTIMAL
    assert "general" not in asked


@pytest.mark.parametrize("time_limit", [None, LONG])
def test_no_point_at_all(time_limit: float | None) -> None:
    """Rows on b that no b holds, as a relaxation does not see: infeasible, with a clock and without."""
    rows = np.zeros((3, 15))
    rows[0, [0, 1]], rows[1, [1, 2]], rows[2, [0, 2]] = 1.0, 1.0, 1.0
    problem = Problem(p=np.ones(15), q=np.zeros(0), B=rows, b_lower=1.0, b_upper=1.0)
    assert solve(problem, time_limit=time_limit, config=TWO).status is Status.INFEASIBLE


class Unknown:
    """A kernel that is neither loaded nor in the cache."""

    loaded = cached = False
    later = slow = False
    compiled = 0

    def compile(self) -> None:
        self.loaded = True
        self.compiled += 1


def test_kernels_are_compiled_beside_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Never where time runs; one line on standard error says why, once; they are loaded when they are there."""
    kernel = Unknown()
    started: list[Any] = []

    def start(kernels: list[Any], nice: int = 0) -> object:
        started.append(kernels)
        return object()

    monkeypatch.setattr(compiled, "_soon", compiled._Soon())
    monkeypatch.setattr(compiled, "_start_helper", start)
    asked: Any = [kernel]
    assert not compiled.soon(asked)
    assert not compiled.soon(asked)
    assert len(started) == 1
    assert capsys.readouterr().err == compiled.COMPILING + "\n"
    assert kernel.compiled == 0
    kernel.cached = True
    assert compiled.soon(asked)
    assert kernel.compiled == 1
    assert capsys.readouterr().err == ""


def test_time_is_kept_for_the_end() -> None:
    """As much as is asked for, a share at most, and none without a limit."""
    clock = Clock(100.0)
    full = clock.deadline
    clock.reserve(1.0)
    assert clock.deadline == pytest.approx(full - 1.0)
    clock.reserve(1000.0)
    assert full - 30.0 < clock.deadline < full - 15.0
    endless = Clock()
    endless.reserve(5.0)
    assert np.isinf(endless.deadline)


@pytest.mark.parametrize("dense", [True, False])
def test_points_are_mended_either_way(dense: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A point that misses rows by a solver's tolerance holds them afterwards, by factorisation and by iterations."""
    monkeypatch.setattr(mending, "DENSE_WORK", np.inf if dense else 0.0)
    problem = transport(6, 9, 4)
    b = np.ones(problem.m, dtype=bool)
    # What every source sends to every sink in equal parts, and a little off.
    parts = np.tile(problem.row_lower[6:] / 6, 6)
    off = parts * (1 + 1e-7 * np.random.default_rng(0).normal(size=problem.n))
    assert problem.worst_row(off, b, NOTHING)[0] > FEASIBLE
    mended = mending.mended(problem, off, b)
    assert problem.worst_row(mended, b, NOTHING)[0] <= 1e-14
    assert np.abs(mended - off).max() <= 1e-5


@pytest.mark.skipif(sys.platform != "linux", reason="a thread has a priority of its own on Linux only")
def test_the_searches_stand_back_and_nobody_else_does() -> None:
    """The threads of the pool, and those that they start, have a lower priority; the caller's stays as it was."""
    before, seen = os.getpriority(os.PRIO_PROCESS, 0), []

    def look() -> None:
        seen.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))

    def work() -> None:
        small.stand_back()
        look()
        inner = threading.Thread(target=look)
        inner.start()
        inner.join()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [max(before, small.NICE)] * 2
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == before


def wide_knapsack(seed: int) -> tuple[Problem, float | None]:
    """Small and large weights in one row, which HiGHS does not tell apart, and the least value, by trying."""
    rng = np.random.default_rng(seed)
    m, digits, rows = 15, int(rng.integers(4, 9)), int(rng.integers(1, 4))
    large = rng.integers(10**digits // 2, 10**digits, (rows, m))
    weights = np.where(rng.random((rows, m)) < 0.5, rng.integers(1, 20, (rows, m)), large)
    right = weights @ (rng.random(m) < 0.5) + int(rng.random() < 0.3)
    p = rng.integers(-30, 30, m)
    every = (np.arange(2**m)[:, None] >> np.arange(m)) & 1
    holds = (every @ weights.T == right).all(axis=1)
    problem = Problem(
        p=p.astype(float), B=weights.astype(float), b_lower=right.astype(float), b_upper=right.astype(float),
        q=np.zeros(0),
    )  # fmt: skip
    return problem, float((every @ p)[holds].min()) if holds.any() else None


def test_a_b_of_highs_that_rows_refuse_is_not_the_end() -> None:
    """Where HiGHS's answer holds a row by its tolerance only, another is looked for, or shown not to be there."""
    config = Config(threads=2, enumerate_up_to=0)
    found = {"answered": 0, "none": 0}
    for seed in range(25):
        problem, best = wide_knapsack(seed)
        result = solve(problem, time_limit=LONG, config=config)
        if best is None:
            assert not result.has_solution
            found["none"] += result.status is Status.INFEASIBLE
        else:
            assert result.status in (Status.OPTIMAL, Status.FEASIBLE)
            assert result.objective >= best - 1e-9
            assert result.status is not Status.OPTIMAL or result.objective == pytest.approx(best)
            found["answered"] += 1
    assert found["answered"] > 10
    assert found["none"] > 1


def test_who_asked_to_stop_is_not_told_again() -> None:
    """A callback that returns True is called no more, though HiGHS may have found something meanwhile."""
    calls: list[float] = []

    def stop(incumbent: Any) -> bool:
        calls.append(incumbent.objective)
        return True

    result = solve(transport(8, 14, 3), time_limit=LONG, config=TWO, callback=stop)
    assert result.has_solution
    assert len(calls) == 1


def test_a_closed_standard_error_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said of compiling is left out where nobody can read it."""
    import io

    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr(sys, "stderr", closed)
    compiled._Soon().say()


def scaled(problem: Problem, seed: int) -> tuple[Setting, Problem]:
    """A problem in units of its own, with how it was measured before; and as it was."""
    rng = np.random.default_rng(seed)
    given = problem.rescaled(
        rng.integers(-4, 5, problem.n), rng.integers(-4, 5, problem.rows), rng.integers(-4, 5, problem.B.shape[0]), 3
    )
    units = Units.of(given)
    measures = units.measures(np.arange(problem.n), np.arange(problem.rows))
    return Setting(units.problem, None, measures), given


@pytest.mark.parametrize(("make", "size"), [(transport, (3, 5)), (transport, (12, 15)), (knapsacks, (3, 20))])
def test_highs_gets_the_problem_as_the_caller_measures_it(make: Any, size: tuple[int, int]) -> None:
    """Its matrix, costs and limits are those given, to the last digit; what it answers is in the solver's units."""
    setting, given = scaled(make(*size, 1), 2)
    asked = MixedModel(setting, as_given=True)
    direct = MixedModel(Setting(given, setting.binaries))
    one, other = asked.model._highs.getLp(), direct.model._highs.getLp()
    for name in ("col_cost_", "col_lower_", "col_upper_", "row_lower_", "row_upper_"):
        assert np.array_equal(np.array(getattr(one, name)), np.array(getattr(other, name))), name
    assert np.array_equal(np.array(one.a_matrix_.value_), np.array(other.a_matrix_.value_))
    nothing = np.zeros(given.m, dtype=np.int8)
    in_units, as_given = asked.solve(nothing, LONG, 2**31 - 1, 1e-3), direct.solve(nothing, LONG, 2**31 - 1, 1e-3)
    assert setting.measures is not None
    assert in_units.objective == np.ldexp(as_given.objective, setting.measures.objective)
    assert in_units.bound == np.ldexp(as_given.bound, setting.measures.objective)
    assert in_units.x is not None
    assert as_given.x is not None
    assert np.array_equal(np.ldexp(in_units.x[: given.n], setting.measures.columns), as_given.x[: given.n])


def test_a_start_and_duals_are_measured_as_the_rest() -> None:
    """A point that HiGHS is given is the one meant, and multipliers of an LP prove its value."""
    setting, _ = scaled(transport(4, 7, 3), 5)
    problem, measures = setting.problem, setting.measures
    assert measures is not None
    scales = scales_as_given(setting)
    assert scales is not None
    matrix, low, high, _, _ = setting.joint_rows
    columns = (
        np.concatenate([setting.hull_lower, np.zeros(problem.m)]),
        np.concatenate([setting.hull_upper, np.ones(problem.m)]),
    )
    cost = np.concatenate([problem.q, problem.p])
    answer = LinearModel(cost, matrix, low, high, *columns, scales=scales).solve()
    plain = LinearModel(cost, matrix, low, high, *columns).solve()
    assert answer.objective == pytest.approx(plain.objective, rel=1e-9)
    assert answer.row_duals is not None
    reduced = cost - matrix.T @ answer.row_duals
    sides = np.where(answer.row_duals > 0, low, high)
    proven = answer.row_duals @ np.where(answer.row_duals == 0, 0.0, sides)
    proven += np.where(reduced > 0, reduced * columns[0], reduced * columns[1]).sum()
    assert proven == pytest.approx(plain.objective, rel=1e-7)


@pytest.mark.parametrize("exponent", [-20, -8, 25, 40])
def test_units_in_which_tolerances_mean_nothing_are_not_used(exponent: int) -> None:
    """Tiny or huge x, rows or costs: HiGHS gets the problem in units of the solver's own."""
    setting, _ = scaled(transport(3, 5, 1), 2)
    problem, measures = setting.problem, setting.measures
    assert measures is not None
    assert measures.tame
    for odd in (
        measures._replace(columns=np.full(problem.n, exponent)),
        measures._replace(rows=np.full(problem.rows, -exponent)),
        measures._replace(objective=-exponent),
    ):
        assert not Measures(*odd).tame
        asked = MixedModel(Setting(problem, setting.binaries, odd), as_given=True)
        plain = MixedModel(Setting(problem, setting.binaries))
        assert np.array_equal(asked.model._highs.getLp().col_cost_, plain.model._highs.getLp().col_cost_)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("points_known", [True, False])
def test_both_runs_of_a_race_say_the_same(points_known: bool, seed: int) -> None:
    """The first and the second run, each to its end, have the same optimum; no bound is above it."""
    problem = transport(4, 7, seed) if seed % 2 else knapsacks(3, 24, seed)
    state = make_state(problem, TWO, time_limit=LONG)
    race = Race(state, Setting(problem), points_known)
    race.first.start(LONG)
    second = race.begin_second()
    end = time.monotonic() + LONG
    while (race.first.running or second.running) and time.monotonic() < end:
        second.go_on(0.05)
        race.first.wait(0.05)
        if race.halt.halted:
            break
    values = [run.answer.objective for run in race.runs if run.done and run.answer is not None]
    race.stop()
    settle(LONG)
    assert values
    expected = by_highs_alone(problem) - problem.offset
    assert values == pytest.approx([expected] * len(values), rel=1e-6)
    for run in race.runs:
        assert run.bound <= expected + problem.offset + 1e-6 * abs(expected)


def test_a_second_run_that_lies_takes_nothing_from_the_first() -> None:
    """Bounds of the two are kept apart: one that a point contradicts is dropped, the other one stays."""
    problem = transport(4, 7, 1)
    state = make_state(problem, TWO, time_limit=LONG)
    race = Race(state, Setting(problem))
    race.first.run(LONG, 2**31 - 1)
    race.fetch()
    bound = state.bound
    second = race.begin_second()
    assert race.first.answer is not None
    second.answer = replace(race.first.answer, bound=2 * race.first.answer.bound)
    race.fetch()
    race.stop()
    settle(LONG)
    assert state.integrity
    assert state.bound == bound


def nearly_solved(problem: Problem, known: bool = True) -> tuple[SearchState, Setting]:
    """A state with what the relaxation says of b, and with an optimal point if it is to be known."""
    setting, state = Setting(problem), make_state(problem, TWO, time_limit=LONG)
    proof = RELAXATIONS["line"](TWO).solve(setting, {}, None).proof
    assert proof is not None
    state.guide(penalties=setting.formula.penalties(proof))
    if known:
        x, b = best_of(problem)
        state.offer(b, Evaluation(problem.objective(x, b), 0.0, x), "known")
    return state, setting


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("make", [lambda seed: knapsacks(3, 30, seed), lambda seed: transport(5, 9, seed)])
def test_the_second_run_is_over_what_can_be_better(make: Any, seed: int) -> None:
    """With the optimum known: over fewer binaries, the same optimum, and no bound above it."""
    problem = make(seed)
    state, setting = nearly_solved(problem)
    best = state.best.objective
    race = Race(state, setting)
    second = race.begin_second()
    assert 0 < second.undecided < problem.m
    second.go_on_all_the_time()
    second.wait(LONG)
    assert second.ended
    assert second.answer is not None
    assert second.answer.objective + problem.offset == pytest.approx(best, rel=1e-6)
    assert best - 2e-6 * abs(best) <= second.bound <= best
    with contextlib.suppress(StopSearch):
        race.fetch()
    race.stop()
    settle(LONG)
    assert not state.integrity
    assert state.best.objective - state.bound <= 1e-5 * abs(best)


def test_what_is_left_may_have_no_point() -> None:
    """That contradicts the answer, and says nothing: the whole problem is neither decided nor without a point."""
    problem = transport(4, 7, 1)
    state, setting = nearly_solved(problem)
    second = BranchAndCut(state, setting, again=True)
    nothing = np.full(problem.m, -1)
    second.mixed.fix(nothing)
    second.run(LONG, 1000)
    assert second.answer is not None
    assert second.answer.status is Outcome.INFEASIBLE
    assert second.undecided < problem.m
    assert not second.ended
    assert second.bound == -math.inf
    second.fetch()
    assert state.bound == -math.inf
    second._slices = Slices(second.mixed.model, 0.0)
    second._slices._bound = math.inf  # what HiGHS may say before there has been a second look
    second.fetch()
    assert state.bound == -math.inf
    second._slices._bound = 2 * state.best.objective
    second.fetch()
    assert (1 - 1e-6) * state.best.objective <= state.bound <= state.best.objective
    whole = BranchAndCut(*nearly_solved(problem, known=False), again=True)
    whole.answer = LinearAnswer(Outcome.INFEASIBLE)
    assert whole.undecided == problem.m
    assert whole.ended


def test_the_second_run_begins_anew_where_far_less_is_left() -> None:
    """With a far better answer than at its start; not again without one, and not where it has the thread for good."""
    problem = knapsacks(4, 60, 3)
    x, b = best_of(problem)
    for points_known in (False, True):
        state, setting = nearly_solved(problem, known=False)
        race = Race(state, setting, points_known)
        race.first.start(LONG)
        second = race.begin_second()
        assert second.undecided == problem.m
        if points_known:
            race.change_places()
        assert race.begin_second() is second
        state.offer(b, Evaluation(problem.objective(x, b), 0.0, x), "known")
        assert (state.fixed == 0).sum() <= FEWER * problem.m
        again = race.begin_second()
        if points_known:
            assert again is second
        else:
            assert again is not second
            assert again.undecided == (state.fixed == 0).sum()
            assert race.begin_second() is again
        race.stop()
        settle(LONG)


def test_a_second_run_over_nothing_is_not_begun_anew() -> None:
    """Where every b is told by the relaxation there is nothing less to begin with; it goes on to its end."""
    problem = transport(4, 7, 1)
    state, setting = nearly_solved(problem)
    b = state.best_b
    assert b is not None
    on_or_off = np.where(b, -1.0, 1.0) * 2 * abs(state.best.objective)
    state.guide(penalties=(state.best.objective, on_or_off))
    race = Race(state, setting)
    second = race.begin_second()
    assert second.undecided == 0
    race.first.start(LONG)
    second.begin(LONG)
    assert race.begin_second() is second
    second.go_on(LONG)
    assert second.done
    assert second.bound == pytest.approx(state.best.objective, rel=1e-6)
    race.stop()
    settle(LONG)


def test_the_first_run_goes_on_where_the_second_has_decided_nothing() -> None:
    """After the two have changed places, or before: branch and cut on the whole does not stand still."""
    for before in (True, False):
        problem = transport(12, 20, 7)
        state = make_state(problem, TWO, time_limit=LONG)
        race = Race(state, Setting(problem), points_known=True)
        race.first.start(LONG)
        second = race.begin_second()
        if before:
            second.answer = LinearAnswer(Outcome.ERROR)
            race.change_places()
            assert race.points_known
        else:
            race.change_places()
            assert race.second is second
            second.pause()
            second.answer = LinearAnswer(Outcome.ERROR)
            race.fetch()
        assert race.running
        told = state.bound
        end = time.monotonic() + LONG
        while state.bound <= told and race.first.running and time.monotonic() < end:
            race.go_on(0.1)
        assert state.bound > told or race.first.done
        race.stop()
        settle(LONG)


def test_who_is_given_up_halts_nobody() -> None:
    """An answer that comes when nobody waits for it any more is no end; one that was there before is kept."""
    problem = knapsacks(3, 24, 0)
    for late in (True, False):
        state, setting = nearly_solved(problem, known=False)
        run = BranchAndCut(state, setting)
        run.begin(LONG)
        answer = LinearAnswer(Outcome.OPTIMAL, np.zeros(problem.m), 0.0, bound=0.0)
        if late:
            assert run.give_up()
            run._ended(answer)
        else:
            run._ended(answer)
            assert not run.give_up()
        assert run.halt.halted != late


def test_points_of_highs_are_taken_while_it_is_waited_for() -> None:
    """The first points are in the trace when they are found, not when the first wait is over."""
    problem = transport(12, 20, 7)
    state = make_state(problem, TWO, time_limit=LONG)
    race = Race(state, Setting(problem))
    race.first.start(2.0)
    race.first.wait(1.0)
    race.stop()
    settle(LONG)
    assert state.best.feasible
    assert state.trace[0].seconds < 0.9


def test_which_problems_are_walked_over_trees() -> None:
    """Transportation is; knapsacks have no rows, and x that share a switch are no arcs."""
    assert walks_over_trees(Setting(transport(3, 5, 0)), True)
    assert not walks_over_trees(Setting(transport(3, 5, 0)), False)
    assert not walks_over_trees(Setting(knapsacks(2, 10, 0)), True)
    problem = transport(3, 4, 0)
    shared = Problem(
        q=problem.q, p=problem.p[:6], A=problem.A, row_lower=problem.row_lower, row_upper=problem.row_upper,
        x_lower=0.0, x_upper=problem.x_upper, switch=np.arange(12) % 6,
    )  # fmt: skip
    assert not walks_over_trees(Setting(shared), True)


def test_shares_of_the_searches() -> None:
    """All of the time while the gap is wide, less where little is left to bring, or HiGHS's heuristics are as good."""
    problem = transport(12, 20, 7)
    state = make_state(problem, TWO, time_limit=LONG)
    b = np.ones(problem.m, dtype=bool)
    for _ in range(2):  # without a point, and with one
        assert mips._share(state, True) >= mips.ALL_OF_IT
        assert mips._share(state, False) == mips.WITHOUT_SLOPES
        state.offer(b, state.solver.evaluate(b), VERTICES)
    state.raise_bound("known", state.best.objective * (1 - 1e-4))
    assert mips._share(state, True) == mips._share(state, False) == mips.SMALLEST_SHARE


def test_the_runs_change_places() -> None:
    """The one with heuristics has the thread from then on, the other one waits; both can go on to the end."""
    problem = transport(6, 10, 2)
    state = make_state(problem, TWO, time_limit=LONG)
    race = Race(state, Setting(problem), points_known=True)
    race.first.start(LONG)
    race.change_places()
    assert not race.points_known
    race.change_places()  # once
    second = race.second
    assert second is not None
    end = time.monotonic() + LONG
    while race.running and time.monotonic() < end:
        race.go_on(0.05)
    race.stop()
    settle(LONG)
    assert any(run.done for run in race.runs)
    values = [run.answer.objective for run in race.runs if run.done and run.answer is not None]
    assert values == pytest.approx([by_highs_alone(problem) - problem.offset] * len(values), rel=1e-6)


def test_a_paused_run_waits() -> None:
    """No work is done while it waits, and it can be ended."""
    state = make_state(knapsacks(12, 90, 1), TWO, time_limit=LONG)
    whole = BranchAndCut(state, Setting(state.problem))
    whole.start(LONG)
    time.sleep(0.3)
    whole.pause()
    time.sleep(1.0)  # it may call back late
    before = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - before < 0.3
    assert whole.running
    whole.stop()
    settle(LONG)
    assert not whole.running


def begun(problem: Problem) -> tuple[Any, BranchAndCut]:
    """A search, and HiGHS that has not begun."""
    state = make_state(problem, TWO)
    return state, BranchAndCut(state, Setting(problem, state.binaries))


def best_of(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """An optimal point."""
    result = solve(problem, time_limit=LONG, config=TWO)
    assert result.x is not None
    assert result.b is not None
    return result.x, result.b


def test_a_point_that_holds_every_row_is_taken_without_an_lp() -> None:
    """It is the incumbent at once; the best x for its b comes when what is found is fetched next."""
    problem = transport(4, 6, 0)
    x, b = best_of(problem)
    state, run = begun(problem)
    run._offer(np.concatenate([x, b.astype(float)]))
    assert state.best.feasible
    assert state.best.x == pytest.approx(x)
    assert state.solver.evaluations == 0
    run.fetch()
    assert state.solver.evaluations == 1
    run.fetch()
    assert state.solver.evaluations == 1


def test_a_point_that_misses_a_row_is_not_taken_as_it_is() -> None:
    """By more than its size allows: then the LP says what x there is for its b."""
    problem = transport(4, 6, 0)
    x, b = best_of(problem)
    state, run = begun(problem)
    run._offer(np.concatenate([x * (1 - 1e-6), b.astype(float)]))
    assert state.solver.evaluations == 1
    assert state.best.objective == pytest.approx(problem.objective(x, b), rel=1e-9)
    assert problem.worst_row(state.best.x, state.best_b, NOTHING)[0] <= FEASIBLE
    assert not state.integrity


def test_a_b_that_its_rows_refuse_is_never_taken() -> None:
    """Rows on b hold up to rounding, not up to HiGHS's tolerance, also where x is taken as it is."""
    problem = knapsacks(2, 12, 1)
    state, run = begun(problem)
    assert not state.binaries.contains(np.ones(12, dtype=bool))
    run._offer(np.ones(12))
    assert not state.best.feasible


def test_no_lp_where_the_gap_is_closed() -> None:
    """Nothing is gained by a better x for a b that is proven to be the best."""
    problem = transport(4, 6, 0)
    x, b = best_of(problem)
    state, run = begun(problem)
    run._offer(np.concatenate([x, b.astype(float)]))
    state.raise_bound("told", problem.objective(x, b), Grade.TRUSTED, stop=False)
    run._solve_for_x()
    assert state.solver.evaluations == 0


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_small_problem_is_relaxed_also_where_highs_is_faster(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, beside HiGHS: what the closed formula proves does not rest on HiGHS's word, and there is a certificate."""
    solved: list[str] = []
    relaxation = RELAXATIONS["line"]

    def noting(config: Config) -> Any:
        solved.append("line")
        return relaxation(config)

    monkeypatch.setitem(RELAXATIONS, "line", noting)
    result = solve(transport(4, 6, seed), time_limit=LONG, config=TWO)
    assert result.status is Status.OPTIMAL
    assert solved == ["line"]
    assert result.certificate is not None
    assert result.certificate.bound() <= result.objective


def test_what_a_relaxation_proves_is_said_to_be_proven() -> None:
    """An LP whose vertices are whole: the answer rests on the formula, though HiGHS ends first."""
    rng = np.random.default_rng(5)
    rows = np.vstack([np.kron(np.eye(6), np.ones(6)), np.kron(np.ones(6), np.eye(6))])
    problem = Problem(
        p=rng.integers(1, 50, 36).astype(float), q=np.zeros(0), B=rows, b_lower=np.ones(12), b_upper=np.ones(12)
    )
    result = solve(problem, time_limit=LONG, config=TWO)
    assert result.status is Status.OPTIMAL
    assert result.rests_on is Grade.PROVEN


def test_a_share_of_the_time_is_not_the_end_of_it() -> None:
    """What is for all: a MILP in a phase that has a share of the time may take longer, but not beyond the limit."""
    clock = Clock(100.0)
    end = clock.end
    with clock.for_a_share(0.1):
        assert clock.deadline < end
        assert clock.end == end
    clock.reserve(5.0)
    assert clock.end == pytest.approx(end - 5.0)
