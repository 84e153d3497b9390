"""Search for linear problems: vertices, slope scaling, and neighborhoods that HiGHS solves as small MIPs.

With Q = 0 the restricted problem is an LP and says little about b: what is paid for switching on is not in it. Several
things share the time. *Slope scaling* (`search.slopes`) finds good b in seconds, and where switching on only costs
*walks over vertices* (`search.vertices`) go on from them. *Neighborhoods*: binaries are fixed like the best b where
little speaks against it (`search.fixing`), and what is left is a MIP small enough for HiGHS. *The whole problem* by
HiGHS's branch and cut (`search.whole`), begun before everything else where there are a time limit and a thread for it,
brings its own answers, and a bound.
"""

from __future__ import annotations

import contextlib
import math
import os
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hybridmip.engines import compiled
from hybridmip.engines.highs import Outcome
from hybridmip.errors import UnboundedError
from hybridmip.model.quadratic import Binary
from hybridmip.relax.protocol import Relaxed, Setting
from hybridmip.run.result import relative_gap
from hybridmip.run.state import SearchState
from hybridmip.search import trees_kernel, vertices_kernel
from hybridmip.search.fixing import FIRST_OPEN, FIRST_SECONDS, MOST_SECONDS, Fixing
from hybridmip.search.slopes import Slopes, used
from hybridmip.search.vertices import Vertices
from hybridmip.search.whole import BranchAndCut, MixedModel

#: Rounds of slope scaling from one start.
SLOPE_ROUNDS = 12
#: Neighborhoods without improvement after which the search ends, where no time limit does; and nodes of a MIP then.
PATIENCE = 6
MOST_NODES = 2000
#: Walks over vertices in one turn then.
WALKS = 20
WHOLE_NODES = 20_000
#: With one thread: up to so many binaries HiGHS gets all the time for the whole problem, beyond a share of it.
ALONE = 40
SHARE_ALONE = 0.3
#: Beside HiGHS a small MIP gets no more than this share of the time so far, so that its end cannot be late by more.
SHARE_BESIDE = 0.2
LEAST_BESIDE = 0.1
#: Walks over vertices, and small MIPs between two walks that bring nothing, at most.
VERTICES = "vertices"
LONGEST_PAUSE = 8
#: Where walks over vertices were never used before in a process: seconds for which it does without, unless rows have
#: more entries than this, and seconds that must be left for them to be loaded.
UNLOADED = 0.5
LARGE = 5000
LOADING = 2.0
#: How far threads of the searches stand back behind HiGHS on the whole problem.
NICE = 10
#: After so many neighborhoods without improvement, and half of the time, the searches wait for HiGHS's proof this many
#: times as long as they work, where they could bring no more than this share.
FRUITLESS = 12
PAUSES = 3.0
LITTLE = 0.01
#: Where HiGHS's b are whole numbers by its tolerance only: the gap at which its word ends the search.
AS_GOOD = 1e-4
#: Seconds to wait for HiGHS's first point where nothing else can find one.
WAITING = 0.05


def search_linear(
    state: SearchState, setting: Setting, relaxed: dict[str, Relaxed], whole: BranchAndCut | None
) -> None:
    """Search a linear problem until the time is up, the gap closed or nothing improves; `whole` is what runs beside."""
    if whole is None:
        whole = BranchAndCut(state, setting)
        if state.remaining is None:
            whole.run(None, WHOLE_NODES)
        else:
            whole.run(state.remaining if state.problem.m <= ALONE else SHARE_ALONE * state.remaining, 2**31 - 1)
    whole.fetch()
    if _over(state, whole):
        return
    workers = _threads(state)
    with ThreadPoolExecutor(workers, initializer=_stand_back if whole.running else None) as pool:
        try:
            _neighborhoods(state, setting, relaxed, whole, pool, workers)
        except BaseException:
            whole.halt.halt()  # the pool waits for what it has begun
            raise


def _stand_back() -> None:
    """Let HiGHS go first where cores are scarce: this thread, and those that it starts, which end with the search."""
    if sys.platform == "linux":  # elsewhere a priority is that of the whole process
        with contextlib.suppress(OSError):
            here = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, here, max(os.getpriority(os.PRIO_PROCESS, here), NICE))


def _threads(state: SearchState) -> int:
    return state.config.threads or os.cpu_count() or 1


def _over(state: SearchState, whole: BranchAndCut) -> bool:
    """Whether HiGHS has decided the whole problem.

    Raises
    ------
    UnboundedError
        If it has no lower limit.
    """
    if whole.answer is not None and whole.answer.status is Outcome.UNBOUNDED:
        state.evaluate(state.binaries.nearest(np.ones(state.problem.m, dtype=bool)), "start")  # says what to limit
        if whole.ended:
            raise UnboundedError("the objective is unbounded below; give every x a finite x_lower and x_upper")
    if not whole.done or whole.exact:
        return whole.ended
    # By its tolerance, which a row with a large coefficient may make a lot of.
    return state.best.feasible and relative_gap(state.best.objective, whole.bound, state.size) <= AS_GOOD


class _Turns:
    """Which neighborhood comes next: all in turn, one that improved the answer again, walks rarer if they did not."""

    def __init__(self, with_vertices: bool) -> None:
        self._mips = ("undecided", "around rows", "union") if with_vertices else ("undecided", "around rows")
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
            elif self._with_vertices and self._until_walk <= 0 and VERTICES not in kinds:
                kinds.append(VERTICES)
            else:
                kinds.append(self._mips[self._count % len(self._mips)])
                self._count += 1
                self._until_walk -= 1
            self._again = None
        return kinds

    def tell(self, kind: str, improved: bool) -> None:
        """Say whether a neighborhood improved the answer."""
        if improved:
            self._again = kind
        if kind == VERTICES:
            self._pause = 1 if improved else min(2 * self._pause, LONGEST_PAUSE)
            self._until_walk = self._pause


def _neighborhoods(
    state: SearchState,
    setting: Setting,
    relaxed: dict[str, Relaxed],
    whole: BranchAndCut,
    pool: ThreadPoolExecutor,
    threads: int,
) -> None:
    elite = Fixing(state, relaxed.get("line") or relaxed.get("persp"))
    slopes, vertices = Slopes(setting, state.structure.fixed_charge), _vertices(state, setting)
    turns = _Turns(vertices is not None and vertices.applies)
    _scale(state, slopes, elite, whole, 1.0)
    models: list[MixedModel] = []
    open_ones, seconds, idle = FIRST_OPEN, FIRST_SECONDS, 0
    while idle < PATIENCE or state.remaining is not None:
        state.check()
        whole.fetch()
        if _over(state, whole):
            return
        if vertices is None:
            vertices = _vertices(state, setting)
            turns = turns if vertices is None else _Turns(vertices.applies)
        elite.add(state.best_b if state.best.feasible else None, state.best.objective)
        if not elite.members:
            _scale(state, slopes, elite, whole, 1.3)
            idle += 1
            if not slopes.applies and not whole.running:
                return
            if not elite.members:
                whole.wait(WAITING)
            continue
        before, began = state.best.objective, time.perf_counter()
        # Without a time limit one at a time, so that the answer does not depend on the number of threads.
        kinds = turns.next(max(1, threads - whole.running) if state.remaining is not None else 1)
        jobs: list[tuple[str, Future[Any]]] = []
        for worker, kind in enumerate(kinds):
            if kind == VERTICES:
                assert vertices is not None
                jobs.append((kind, pool.submit(_walk, state, vertices, whole, seconds, int(state.rng.integers(2**31)))))
                continue
            if worker >= len(models):
                models.extend(MixedModel(setting, halt=whole.halt) for _ in range(worker + 1 - len(models)))
            if kind == "union":
                assert vertices is not None
                fixed = elite.within(vertices.union() | elite.members[0][1])
            else:
                choose = elite.undecided if kind == "undecided" else elite.around_rows
                fixed = choose(open_ones, state.rng)
            jobs.append((kind, pool.submit(_small_mip, state, models[worker], fixed, _beside(state, whole, seconds))))
        statuses = []
        for kind, job in jobs:
            status, b = job.result()
            if kind != VERTICES:
                statuses.append(status)
            improved = False
            if b is not None:
                evaluation = state.solver.evaluate(b)
                improved = state.offer(b, evaluation, kind if kind == VERTICES else "small MIP")
                elite.add(b, evaluation.objective)
            turns.tell(kind, improved)
        if statuses and all(status == "optimal" for status in statuses):
            open_ones = min(int(1.3 * open_ones) + 10, state.problem.m)
        elif statuses:
            open_ones = max(int(0.8 * open_ones), 20)
            seconds = min(1.2 * seconds, MOST_SECONDS)
        better = state.best.objective < before - 1e-9 * abs(before)
        idle = 0 if better else idle + 1
        if idle >= FRUITLESS and whole.running and _little_is_left(state):
            whole.wait(PAUSES * (time.perf_counter() - began))
        if not better and idle % 4 == 3 and not (vertices is not None and vertices.applies):
            _scale(state, slopes, elite, whole, 1.25)  # something new


def _little_is_left(state: SearchState) -> bool:
    """Whether nothing better was found for half of the time, and nothing much better can be."""
    gap = relative_gap(state.best.objective, state.bound, state.size)
    return gap <= LITTLE and bool(state.trace) and state.seconds > 2 * state.trace[-1].seconds


def _vertices(state: SearchState, setting: Setting) -> Vertices | None:
    """The walks over vertices; None while what they need is being compiled and there is a clock."""
    charges = state.structure.fixed_charge
    kernels = (*vertices_kernel.KERNELS, *trees_kernel.KERNELS)
    # Loading them takes a while, in which nobody would see that HiGHS has ended, or that the time is up.
    if charges and state.remaining is not None and not all(kernel.loaded for kernel in kernels):
        early = state.seconds < UNLOADED and state.problem.A.nnz <= LARGE
        if early or state.remaining < LOADING or not compiled.soon(kernels):
            return None
    return Vertices(setting, charges)


def _beside(state: SearchState, whole: BranchAndCut, seconds: float) -> float:
    """Seconds of a small MIP: HiGHS may end beside it, and this one does not look up while it solves an LP."""
    return min(seconds, max(SHARE_BESIDE * state.seconds, LEAST_BESIDE)) if whole.running else seconds


def _small_mip(
    state: SearchState, model: MixedModel, fixed: NDArray[np.int8], seconds: float
) -> tuple[str, Binary | None]:
    """Solve with some binaries fixed, from the best point; returns the status and b."""
    limit = None if state.remaining is None else min(seconds, state.remaining)
    if state.best.x is not None and state.best_b is not None:
        model.start_from(state.best.x, state.best_b)
    answer = model.solve(fixed, limit, MOST_NODES if limit is None else 2**31 - 1, 1e-4)
    return answer.status, None if answer.x is None else answer.x[state.problem.n :] > 0.5


def _walk(
    state: SearchState, vertices: Vertices, whole: BranchAndCut, seconds: float, seed: int
) -> tuple[str, Binary | None]:
    """Walk over vertices for a while, from where it stopped or from a better answer found elsewhere."""
    best, b = vertices.best, state.best_b
    if b is not None and state.best.feasible:
        known = math.inf if best is None else best.value + state.problem.offset
        if best is None or state.best.objective < known - 1e-7 * abs(known):
            vertices.begin(b, state.remaining)
    timed = state.remaining is not None
    deadline = min(time.perf_counter() + seconds, state.deadline) if timed else math.inf
    vertices.search(np.random.default_rng(seed), deadline, None if timed else WALKS, lambda: whole.halt.halted)
    return "", None if vertices.best is None else vertices.on(vertices.best.z)


def _scale(state: SearchState, slopes: Slopes, elite: Fixing, whole: BranchAndCut, spread: float) -> None:
    """One run of slope scaling, from perturbed prices when `spread` is above 1."""
    if not slopes.applies:
        return
    slopes.restart(state.rng, spread)
    seen: set[bytes] = set()
    for _ in range(SLOPE_ROUNDS):
        state.check()
        b = slopes.step(state.remaining)
        if b is None or b.tobytes() in seen:
            break
        seen.add(b.tobytes())
        try:
            b = state.binaries.nearest(b, None if state.remaining is None else _beside(state, whole, state.remaining))
        except TimeoutError:
            break
        evaluation = state.solver.evaluate(b)
        if evaluation.feasible and evaluation.x is not None:
            b = used(state, b, evaluation.x)
            evaluation = state.solver.evaluate(b)
        state.offer(b, evaluation, "slope scaling")
        elite.add(b, evaluation.objective)
        whole.fetch()
