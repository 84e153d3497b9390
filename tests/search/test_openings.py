"""Charges switched off and on one by one, each choice an LP."""

from __future__ import annotations

import time

import numpy as np
import pytest
from problems import facilities
from states import make_state

from hybridmip import Config, FacilityLocation, Problem, solve
from hybridmip.relax.protocol import Setting
from hybridmip.run.clock import StopSearch
from hybridmip.search.charges import follows_from_x
from hybridmip.search.opening_search import OPENINGS
from hybridmip.search.openings import Opening, Openings
from hybridmip.search.scaling import Scaling
from hybridmip.search.whole import BranchAndCut, Race


def modules(seed: int) -> Problem:
    """Products in rows that need a machine, which switches no x of its own, and x of both signs."""
    rng = np.random.default_rng(seed)
    n, m = 8, 6
    return Problem(
        q=rng.uniform(1, 3, n), p=rng.uniform(2, 9, m),
        A=np.vstack([np.arange(n) < 6, np.arange(n) < 3, np.arange(n) >= 6, np.arange(n) >= 6]).astype(float),
        G=np.array([[0.0] * m, [0, 0, 0, 0, -6.0, 0], [0.0] * m, [0, 0, 0, 0, 0, 4.0]]),
        row_lower=[9.0, -np.inf, -5.0, 1.0], row_upper=[np.inf, 2.5, np.inf, np.inf],
        x_lower=np.where(np.arange(n) < 6, 0.0, -3.0), x_upper=rng.uniform(2, 6, n),
        switch=[0, 1, 2, 3, -1, -1, 2, -1],
    )  # fmt: skip


def openings_of(problem: Problem) -> tuple[Openings, Opening]:
    """The search, and the choice of everything."""
    assert follows_from_x(problem)
    openings = Openings(Setting(problem))
    start = openings.at(np.ones(problem.m, dtype=bool))
    assert start is not None
    return openings, start


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("make", [lambda seed: facilities(12, 25, seed), modules], ids=["facilities", "modules"])
def test_every_choice_is_feasible_and_costs_what_it_says(make, seed: int) -> None:
    """Its x is the best for its b, by another solver, every step better than the last; the end is a local optimum."""
    problem = make(seed)
    state = make_state(problem)
    openings, now = openings_of(problem)
    for found in openings.improve(now):
        if found is None:
            continue
        assert found.value < now.value
        now = found
        assert problem.worst_row(now.x, now.b, 1e-9)[0] <= 1e-6
        assert state.binaries.contains(now.b)
        assert now.value == pytest.approx(problem.objective(now.x, now.b))
        assert now.value == pytest.approx(state.solver.evaluate(now.b).objective, rel=1e-6)
    for j in np.flatnonzero(now.b)[:8]:
        fewer = now.b.copy()
        fewer[j] = False
        if state.binaries.contains(fewer) and now.b.sum() <= 8:
            assert state.solver.evaluate(fewer).objective >= now.value - 1e-6 * abs(now.value)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("make", [lambda seed: facilities(12, 25, seed), modules], ids=["facilities", "modules"])
def test_no_more_than_promised_is_saved(make, seed: int) -> None:
    """What switching on saves in x is never more than the multipliers say, and they say it for some."""
    problem = make(seed)
    state, rng, some = make_state(problem), np.random.default_rng(seed), 0
    openings, _ = openings_of(problem)
    for _ in range(6):
        now = openings.at(state.binaries.nearest(rng.random(problem.m) < 0.6))
        if now is None:
            continue
        promised = openings.promised(now)
        for i in np.flatnonzero(~now.b):
            more = now.b.copy()
            more[i] = True
            saved = state.solver.evaluate(more).objective - problem.p[i] - now.value
            assert saved >= promised[i] - 1e-6 * abs(now.value)
            some += promised[i] < 0
    assert some


def test_one_for_several() -> None:
    """A large site takes the place of two small ones, of which neither alone can be given up for it."""
    problem = FacilityLocation(
        [10.0, 10.0, 20.0], [50.0, 50.0, 90.0], [10.0, 10.0], np.array([[1.0, 5.0], [5.0, 1.0], [2.0, 2.0]])
    ).problem()
    openings = Openings(Setting(problem))
    start = openings.at(np.array([True, True, False]))
    assert start is not None
    assert [found.b.tolist() for found in openings.improve(start) if found is not None] == [[False, False, True]]


def test_local_optima_are_near_the_best() -> None:
    """From everything on, at most a tenth above the optimum on every one of some problems, within 4 % on average."""
    above = []
    for seed in range(5):
        problem = facilities(15, 40, seed)
        openings, now = openings_of(problem)
        for found in openings.improve(now):
            now = found or now
        above.append(now.value / solve(problem, time_limit=60.0).objective - 1)
    assert max(above) <= 0.1
    assert np.mean(above) <= 0.04


def test_runs_go_on_from_the_best() -> None:
    """The first run of slope scaling ends with openings; later ones perturb the best b, alike without a time limit."""
    problem, found = facilities(15, 40, 7), []
    for _ in range(2):
        setting, state = Setting(problem), make_state(problem)
        scaling = Scaling(state, setting, Race(state, setting))
        tried = []
        for _ in range(3):
            scaling.run(1.0)
            tried.append((state.solver.evaluations, len(scaling._found), state.best.objective))
        assert OPENINGS in {step.found_by for step in state.trace}
        assert tried[0][0] < tried[1][0] < tried[2][0]
        assert tried[0][1] < tried[2][1]
        assert not state.integrity
        found.append((tried, state.best_b.tolist()))
    assert found[0] == found[1]


def test_rows_on_b_are_kept() -> None:
    """Where so many must be on, fewer are neither offered nor gone on from."""
    plain = facilities(12, 25, 1)
    least = 7
    problem = Problem(
        q=plain.q, p=plain.p, A=plain.A, G=plain.G, row_lower=plain.row_lower, row_upper=plain.row_upper,
        x_lower=plain.x_lower, x_upper=plain.x_upper, switch=plain.switch, B=np.ones((1, plain.m)), b_lower=[least],
    )  # fmt: skip
    assert solve(plain, time_limit=60.0).b.sum() < least  # the row is in the way
    openings, start = openings_of(problem)
    found = [start, *(each for each in openings.improve(start) if each is not None)]
    assert min(each.b.sum() for each in found) == least
    fewer = np.arange(problem.m) < least - 1
    assert openings.at(fewer) is None
    setting, state = Setting(problem), make_state(problem)
    scaling = Scaling(state, setting, Race(state, setting))
    for _ in range(4):
        scaling.run(1.0)
    assert all(b.sum() >= least for _, b in scaling._found.values())
    assert not state.integrity


def test_the_time_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the time is up before there is a start that is noticed, and none is looked for again and again."""
    problem = facilities(15, 40, 2)
    setting, state = Setting(problem), make_state(problem, time_limit=0.01)
    scaling = Scaling(state, setting, Race(state, setting))
    scaling.keep(np.ones(problem.m, dtype=bool), 1e9)
    monkeypatch.setattr(Openings, "at", lambda openings, b, keep=-1: None)
    time.sleep(0.02)
    with pytest.raises(StopSearch):
        scaling.run(1.0)


def test_lps_count_as_restricted_problems() -> None:
    """A limit of these ends exchanges too."""
    problem, limit = facilities(15, 40, 2), 60
    setting, state = Setting(problem), make_state(problem, config=Config(evaluation_limit=limit))
    scaling = Scaling(state, setting, Race(state, setting))
    runs = [scaling.run] * 20
    with pytest.raises(StopSearch):
        all(run(1.0) is None for run in runs)
    assert limit <= state.solver.evaluations <= limit + 2


def test_the_first_point_is_feasible_and_no_second_one_is_looked_for() -> None:
    """One LP gives a point that holds every row, and nothing where there is a better one."""
    problem = facilities(15, 40, 3)
    setting, state = Setting(problem), make_state(problem)
    scaling = Scaling(state, setting, Race(state, setting))
    scaling.first_point(10.0)
    assert state.best.feasible
    first = state.best.objective
    assert first >= solve(problem, config=Config(threads=1)).objective - 1e-6 * abs(first)
    scaling.first_point(10.0)
    assert len(state.trace) == 1
    assert not state.integrity


def test_solve_has_the_first_point_before_it_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside HiGHS: the LP comes first, then HiGHS is waited for, and the slope scaling that was begun goes on."""
    called: list[tuple[str, int]] = []
    first_point, wait, begin = Scaling.first_point, BranchAndCut.wait, Scaling.begin

    def noting_first(scaling: Scaling, seconds: float) -> None:
        called.append(("first point", id(scaling)))
        first_point(scaling, seconds)

    def noting_wait(run: BranchAndCut, seconds: float) -> None:
        called.append(("wait", 0))
        wait(run, min(seconds, 0.0))  # as if HiGHS had not ended by then

    def noting_begin(scaling: Scaling) -> None:
        called.append(("begin", id(scaling)))
        begin(scaling)

    monkeypatch.setattr(Scaling, "first_point", noting_first)
    monkeypatch.setattr(BranchAndCut, "wait", noting_wait)
    monkeypatch.setattr(Scaling, "begin", noting_begin)
    assert solve(facilities(60, 200, 0), time_limit=3.0, config=Config(threads=2)).has_solution
    assert [name for name, _ in called][:3] == ["first point", "wait", "begin"]
    assert called[0][1] == called[2][1]
