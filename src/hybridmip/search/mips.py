"""Search for linear problems: vertices, slope scaling, and neighborhoods that HiGHS solves as small MIPs.

With Q = 0 the restricted problem is an LP and says little about b: what is paid for switching on is not in it. Several
things share the time. *Slope scaling* (`search.slopes`) finds good b in seconds, before all this where it can
(`search.scaling`), and where switching on only costs *walks over vertices* (`search.vertices`) go on from them.
*Neighborhoods*: binaries are fixed like the best b where little speaks against it (`search.fixing`), and what is left
is a MIP small enough for HiGHS. *The whole problem* by HiGHS's branch and cut (`search.whole`), begun before everything
else where there are a time limit and a thread for it, brings its own answers, and a bound.
"""

from __future__ import annotations

import math
import os
import time
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from hybridmip.engines.highs import Outcome
from hybridmip.errors import UnboundedError
from hybridmip.relax.protocol import Relaxed, Setting
from hybridmip.run.result import relative_gap
from hybridmip.run.state import SearchState
from hybridmip.search.fixing import FIRST_SECONDS, MOST_SECONDS, fewest_open, first_open
from hybridmip.search.mixed import MixedModel
from hybridmip.search.scaling import SLOPES, SPREAD, Scaling
from hybridmip.search.small import LOOK, SMALL_MIP, beside, small_mip, stand_back, take_points
from hybridmip.search.vertices import VERTICES, Vertices, when_loaded
from hybridmip.search.whole import BranchAndCut, Race

#: Neighborhoods without improvement after which the search ends, where no time limit does.
PATIENCE = 6
WHOLE_NODES = 20_000
#: With one thread: up to so many binaries HiGHS gets all the time for the whole problem, beyond a share of it.
ALONE = 40
SHARE_ALONE = 0.3
#: Small MIPs between two walks over vertices that bring nothing, at most.
LONGEST_PAUSE = 8
#: Another run of slope scaling, and the MIP over what is on in its best b.
SCALED = "scaled"
#: What small MIPs get of the time of walks over trees, at most, unless one has just brought something.
BESIDE_TREES = 0.2
#: Where the gap is this much, searches and a second run of branch and cut get the same share of the time, and searches
#: a smaller one the smaller it is, down to this.
LITTLE = 0.01
SMALLEST_SHARE = 0.1
#: Share of the time without a better point after which they get less.
PATIENT = 0.2
#: Their share at most, where there is no slope scaling: of small MIPs HiGHS has its own.
WITHOUT_SLOPES = 0.5
#: Seconds, and share of the time, after which it is seen whether walks and slope scaling are what brings points.
TRUST = 2.0
SHARE_OF_TRUST = 0.1
#: From this share on they get all of the time.
ALL_OF_IT = 0.95
#: Where HiGHS's b are whole numbers by its tolerance only: the gap at which its word ends the search.
AS_GOOD = 1e-4
#: Seconds to wait for HiGHS's first point where nothing else can find one.
WAITING = 0.05


def search_linear(
    state: SearchState,
    setting: Setting,
    relaxed: dict[str, Relaxed],
    race: Race | None,
    scaling: Scaling | None = None,
) -> None:
    """Search a linear problem until the time is up, the gap closed or nothing improves.

    Parameters
    ----------
    state : SearchState
    setting : Setting
    relaxed : dict
        What the relaxations found, by name.
    race : Race, optional
        What runs beside it.
    scaling : Scaling, optional
        Slope scaling, where it was begun.
    """
    if race is None:
        race = Race(state, setting)
        if state.remaining is None:
            race.first.run(None, WHOLE_NODES)
        else:
            share = 1.0 if state.problem.m <= ALONE else SHARE_ALONE
            race.first.run(share * state.remaining, 2**31 - 1)
    race.fetch()
    if _over(state, race):
        return
    workers = _threads(state)
    with ThreadPoolExecutor(workers, initializer=stand_back if race.running else None) as pool:
        try:
            _neighborhoods(state, setting, relaxed, race, scaling, pool, workers)
        except BaseException:
            race.halt.halt()  # the pool waits for what it has begun
            raise


def _threads(state: SearchState) -> int:
    return state.config.threads or os.cpu_count() or 1


def _over(state: SearchState, race: Race) -> bool:
    """Whether HiGHS has decided the whole problem.

    Raises
    ------
    UnboundedError
        If it has no lower limit.
    """
    return any(_decided(state, run) for run in race.runs)


def _decided(state: SearchState, run: BranchAndCut) -> bool:
    if run.answer is not None and run.answer.status is Outcome.UNBOUNDED:
        state.evaluate(state.binaries.nearest(np.ones(state.problem.m, dtype=bool)), "start")  # says what to limit
        if run.ended:
            raise UnboundedError("the objective is unbounded below; give every x a finite x_lower and x_upper")
    if not run.done or run.exact:
        return run.ended
    # By its tolerance, which a row with a large coefficient may make a lot of.
    return state.best.feasible and relative_gap(state.best.objective, run.bound, state.size) <= AS_GOOD


class _Turns:
    """Which neighborhood comes next: all in turn, one that improved the answer again, walks rarer if they did not.

    Walks over trees bring more than small MIPs do, if seldom at last: they have most of the time if there is a limit.

    Parameters
    ----------
    with_vertices : bool
        Whether there are walks over vertices.
    by_time : bool
        Whether they have most of the time.
    scaled : bool
        Whether there is slope scaling, which walks over vertices need no more of.
    """

    def __init__(self, with_vertices: bool, by_time: bool = False, scaled: bool = False) -> None:
        self._most = BESIDE_TREES if by_time else math.inf
        self._seconds = {True: 0.0, False: 0.0}
        first, last = (SCALED,) if scaled and not with_vertices else (), ("union",) if with_vertices else ()
        self._mips = (*first, "undecided", "around rows", *last)
        self._with_vertices = with_vertices
        self._count = 0
        self._pause, self._until_walk = 1, 0
        self._again: str | None = None

    def next(self, workers: int) -> list[str]:
        """One for each worker, at most one of them a walk over vertices."""
        kinds: list[str] = []
        for _ in range(workers):
            if self._again is not None and self._again not in kinds:
                kinds.append(self._again)
            elif self._with_vertices and self._due and VERTICES not in kinds:
                kinds.append(VERTICES)
            else:
                if self._mips[self._count % len(self._mips)] == SCALED and SCALED in kinds:
                    self._count += 1
                kinds.append(self._mips[self._count % len(self._mips)])
                self._count += 1
                self._until_walk -= 1
            self._again = None
        return kinds

    @property
    def _due(self) -> bool:
        """Whether it is a walk's turn."""
        return self._until_walk <= 0 or self._seconds[False] > self._most * self._seconds[True]

    def tell(self, kind: str, improved: bool, seconds: float) -> None:
        """Say whether a neighborhood improved the answer, and how long it took."""
        self._seconds[kind == VERTICES] += seconds
        if improved:
            self._again = kind
        if kind == VERTICES:
            self._pause = 1 if improved else min(2 * self._pause, LONGEST_PAUSE)
            self._until_walk = self._pause


def _turns(state: SearchState, vertices: Vertices | None, scaling: Scaling) -> _Turns:
    if vertices is None or not vertices.applies:
        return _Turns(False, scaled=scaling.applies)
    # Without a time limit the answer does not depend on what takes how long.
    return _Turns(True, by_time=vertices.trees is not None and state.remaining is not None)


def _neighborhoods(
    state: SearchState,
    setting: Setting,
    relaxed: dict[str, Relaxed],
    race: Race,
    scaling: Scaling | None,
    pool: ThreadPoolExecutor,
    threads: int,
) -> None:
    if scaling is None:
        scaling = Scaling(state, setting, race)
        scaling.run(1.0)
    vertices = scaling.vertices or when_loaded(state, setting)
    elite = scaling.elite
    guide = relaxed.get("line") or relaxed.get("persp")
    elite.guide(guide)
    if guide is not None:
        began = time.perf_counter()
        if scaling.round(guide.b):
            _let_it_go_on(state, race, scaling, began)
    turns = _turns(state, vertices, scaling)
    models: list[MixedModel] = []
    open_ones, seconds, idle = first_open(state.problem.m), FIRST_SECONDS, 0
    while idle < PATIENCE or state.remaining is not None:
        state.check()
        race.fetch()
        if _over(state, race):
            return
        if vertices is None:
            vertices = when_loaded(state, setting)
            turns = turns if vertices is None else _turns(state, vertices, scaling)
        elite.add(state.best_b if state.best.feasible else None, state.best.objective)
        if not elite.members:
            scaling.run(SPREAD)
            idle += 1
            if not scaling.applies and not race.running:
                return
            if not elite.members:
                race.go_on(WAITING)
            continue
        before, began = state.best.objective, time.perf_counter()
        # Without a time limit one at a time, so that the answer does not depend on the number of threads.
        kinds = turns.next(max(1, threads - race.running) if state.remaining is not None else 1)
        jobs: list[tuple[str, Future[Any]]] = []
        length = beside(state, race, seconds)
        for worker, kind in enumerate(kinds):
            if kind == VERTICES:
                assert vertices is not None
                seed = int(state.rng.integers(2**31))
                jobs.append((kind, pool.submit(vertices.walk, state, seconds, seed, lambda: race.halt.halted)))
                continue
            if worker >= len(models):
                models.extend(_collecting(setting, race) for _ in range(worker + 1 - len(models)))
            most = length
            if kind == SCALED:
                scaling.run(SPREAD)
                fixed, most = elite.within(scaling.union()), beside(state, race, MOST_SECONDS)
            elif kind == "union":
                assert vertices is not None
                fixed = elite.within(vertices.union() | elite.members[0][1])
            else:
                choose = elite.undecided if kind == "undecided" else elite.around_rows
                fixed = choose(open_ones, state.rng)
            jobs.append((kind, pool.submit(small_mip, state, models[worker], fixed, most)))
        walked, found_by_mip = _wait(
            state, race, vertices if VERTICES in kinds else None, models, [job for _, job in jobs]
        )
        statuses = []
        for kind, job in jobs:
            status, b = job.result()
            if kind == SCALED:
                scaling.tell(status == Outcome.OPTIMAL)
            elif kind != VERTICES:
                statuses.append(status)
            improved = walked if kind == VERTICES else found_by_mip
            if b is not None:
                evaluation = state.solver.evaluate(b)
                improved |= state.offer(b, evaluation, kind if kind == VERTICES else SMALL_MIP)
                scaling.keep(b, evaluation.objective)
            turns.tell(kind, improved, time.perf_counter() - began)
        if statuses and all(status == "optimal" for status in statuses):
            open_ones = min(int(1.3 * open_ones) + 10, state.problem.m)
        elif statuses:
            open_ones = max(int(0.8 * open_ones), fewest_open(state.problem.m))
            seconds = min(1.2 * seconds, MOST_SECONDS)
        better = state.best.objective < before - 1e-9 * abs(before)
        idle = 0 if better else idle + 1
        if state.seconds > min(TRUST, SHARE_OF_TRUST * state.clock.limit) and state.found_by not in (VERTICES, SLOPES):
            race.change_places()
        _let_it_go_on(state, race, scaling, began)


def _collecting(setting: Setting, race: Race) -> MixedModel:
    """A model for small MIPs whose points are taken as they come."""
    model = MixedModel(setting, halt=race.halt)
    model.collect()
    return model


def _wait(
    state: SearchState, race: Race, vertices: Vertices | None, models: list[MixedModel], jobs: list[Future[Any]]
) -> tuple[bool, bool]:
    """Wait for neighborhoods, taking what they and HiGHS find meanwhile.

    Returns whether the walk brought something, and whether a small MIP did.

    Raises
    ------
    StopSearch
        If the gap is closed, the time is up, or somebody asks to stop.
    """
    improved, by_mip = False, False
    while race.running and wait(jobs, LOOK).not_done:
        state.check()
        if _over(state, race):
            race.halt.halt()
        for model in models:
            by_mip |= take_points(state, model)
        improved |= vertices is not None and vertices.offer(state)
    wait(jobs)
    for model in models:
        model.fetch()  # the last of them is the answer
    return improved, by_mip


def _let_it_go_on(state: SearchState, race: Race, scaling: Scaling, began: float) -> None:
    """Let a second run of branch and cut go on, for as long as is its due after what was begun then."""
    share = _share(state, scaling.applies)
    if race.running and share < ALL_OF_IT:
        race.go_on((time.perf_counter() - began) * (1.0 - share) / share)


def _share(state: SearchState, scaled: bool) -> float:
    """Share of the time that the searches get beside a second run of branch and cut: they can bring the gap at most.

    Without slope scaling they get less once nobody has found a better point for a while, the longer that lasts; walks
    may bring something after long.
    """
    gap = relative_gap(state.best.objective, state.bound, state.size) if state.best.feasible else math.inf
    worth = gap**2 / (gap**2 + LITTLE**2) if math.isfinite(gap) else 1.0
    share = worth if scaled else min(worth, WITHOUT_SLOPES)
    if state.best.feasible and state.trace and not scaled:
        idle = max(state.seconds - state.trace[-1].seconds, 1e-9)
        share *= min(1.0, PATIENT * state.clock.limit / idle)
    return max(share, SMALLEST_SHARE)
