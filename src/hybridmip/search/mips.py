"""Search for linear problems: vertices, slope scaling, and neighborhoods that HiGHS solves as small MIPs.

With Q = 0 the restricted problem is an LP and says little about b: what is paid for switching on is not in it. Several
things share the time. *Slope scaling* (`search.slopes`) finds good b in seconds, and where switching on only costs
*walks over vertices* (`search.vertices`) go on from them. *Neighborhoods*: binaries are fixed like the best b where
little speaks against it (`search.fixing`), and what is left is a MIP small enough for HiGHS. *The whole problem* by
HiGHS's branch and cut, side by side with the others where there is a thread for it, brings its own answers, and a
bound.
"""

from __future__ import annotations

import contextlib
import math
import os
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hybridmip.bounds.ledger import Grade
from hybridmip.engines.highs import LinearAnswer, LinearModel, Outcome
from hybridmip.errors import UnboundedError
from hybridmip.model.quadratic import Binary, Vector
from hybridmip.relax.protocol import Relaxed, Setting
from hybridmip.run.clock import StopSearch
from hybridmip.run.state import SearchState
from hybridmip.search.fixing import FIRST_OPEN, FIRST_SECONDS, MOST_SECONDS, Fixing
from hybridmip.search.slopes import Slopes, used
from hybridmip.search.vertices import Vertices
from hybridmip.tolerances import TRUSTED

#: Rounds of slope scaling from one start.
SLOPE_ROUNDS = 12
#: Neighborhoods without improvement after which the search ends, where no time limit does; and nodes of a MIP then.
PATIENCE = 6
MOST_NODES = 2000
#: Walks over vertices in one turn then.
WALKS = 20
WHOLE_NODES = 20_000
#: Up to so many binaries HiGHS gets the whole problem and all the time; beyond the other, it does not get it at all.
ALONE = 40
LARGEST_WHOLE = 3000
#: Walks over vertices, and small MIPs between two walks that bring nothing, at most.
VERTICES = "vertices"
LONGEST_PAUSE = 8


class MixedModel:
    """The problem as a MIP over (x, b) for HiGHS, in which binaries can be fixed."""

    def __init__(self, setting: Setting, threads: int = 1) -> None:
        problem = setting.problem
        self.n, self.m = problem.n, problem.m
        matrix, row_lower, row_upper, _, _ = setting.joint_rows
        self.lower = np.concatenate([setting.hull_lower, np.zeros(self.m)])
        self.upper = np.concatenate([setting.hull_upper, np.ones(self.m)])
        integer = np.concatenate([np.zeros(self.n, dtype=bool), np.ones(self.m, dtype=bool)])
        cost = np.concatenate([problem.q, problem.p])
        self.model = LinearModel(cost, matrix, row_lower, row_upper, self.lower, self.upper, integer, threads)
        self.offset = problem.offset
        # Links to infinite bounds are no rows: without them the model is a relaxation, and may have no minimum.
        self.relaxed = bool((problem.switched & (np.isinf(self.lower) | np.isinf(self.upper))[: self.n]).any())
        self.largest = float(np.abs(cost).max(initial=0.0))

    def start_from(self, x: Vector, b: Binary) -> None:
        """Give HiGHS a point to begin with."""
        self.model.start_from(np.concatenate([x, b.astype(np.float64)]))

    def solve(self, fixed: NDArray[np.int8], seconds: float | None, nodes: int, gap: float) -> LinearAnswer:
        """Solve with some binaries fixed: 1 on, -1 off, 0 open."""
        lower, upper = self.lower.copy(), self.upper.copy()
        lower[self.n :] = np.where(fixed > 0, 1.0, 0.0)
        upper[self.n :] = np.where(fixed < 0, 0.0, 1.0)
        self.model.change_columns(lower, upper)
        return self.model.solve(seconds, gap, nodes)


class BranchAndCut:
    """HiGHS on the whole problem, in a thread; answers and bounds are fetched by the search."""

    def __init__(self, state: SearchState, setting: Setting) -> None:
        self.mixed = MixedModel(setting)
        self.found: list[Binary] = []
        self.bound = -math.inf
        self.answer: LinearAnswer | None = None
        self._lock = threading.Lock()
        self._state = state
        self._thread: threading.Thread | None = None
        self.mixed.model.on_improvement(self._improved)
        if state.best.feasible and state.best.x is not None and state.best_b is not None:
            self.mixed.start_from(state.best.x, state.best_b)

    def _improved(self, values: Vector, bound: float) -> None:
        with self._lock:
            self.found.append(values[self.mixed.n :] > 0.5)
            if math.isfinite(bound):
                self.bound = max(self.bound, bound + self.mixed.offset)

    def run(self, seconds: float | None, nodes: int) -> None:
        """Solve, here."""
        nothing = np.zeros(self.mixed.m, dtype=np.int8)
        self.answer = self.mixed.solve(nothing, seconds, nodes, min(self._state.gap, 1e-6) / 2)

    def start(self, seconds: float) -> None:
        """Solve, in a thread."""
        self._thread = threading.Thread(target=self.run, args=(seconds, 2**31 - 1), daemon=True)
        self._thread.start()

    @property
    def done(self) -> bool:
        """Whether all is said."""
        return self.answer is not None and self.answer.status == "optimal"

    @property
    def running(self) -> bool:
        """Whether the thread is at work."""
        return self._thread is not None and self._thread.is_alive()

    def stop(self) -> None:
        """End the thread."""
        if self._thread is not None:
            self.mixed.model.cancel()
            self._thread.join(2.0)

    def fetch(self) -> None:
        """Offer what was found to the search, and raise its bound."""
        with self._lock:
            found, self.found = self.found, []
        state = self._state
        for b in found[-3:]:
            state.offer(b, state.solver.evaluate(b), "branch and cut")
        if self.answer is not None:
            if self.answer.x is not None:
                b = self.answer.x[self.mixed.n :] > 0.5
                state.offer(b, state.solver.evaluate(b), "branch and cut")
            self.bound = max(self.bound, self.answer.bound + self.mixed.offset)
        if math.isfinite(self.bound):
            charge = TRUSTED * (abs(self.bound) + self.mixed.largest)
            state.raise_bound("branch and cut", self.bound - charge, Grade.TRUSTED)


def search_linear(state: SearchState, setting: Setting, relaxed: dict[str, Relaxed]) -> None:
    """Search a linear problem until the time is up, the gap closed or nothing improves."""
    threads = state.config.threads or os.cpu_count() or 1
    whole = BranchAndCut(state, setting)
    try:
        if state.remaining is None:
            whole.run(None, WHOLE_NODES)
        elif threads == 1 or state.problem.m <= ALONE:
            whole.run(state.remaining if state.problem.m <= ALONE else 0.3 * state.remaining, 2**31 - 1)
        elif state.problem.m <= LARGEST_WHOLE:
            whole.start(state.remaining)
        whole.fetch()
        if whole.answer is not None and whole.answer.status in (Outcome.OPTIMAL, Outcome.INFEASIBLE):
            return
        if whole.answer is not None and whole.answer.status is Outcome.UNBOUNDED:
            state.evaluate(state.binaries.nearest(np.ones(state.problem.m, dtype=bool)), "start")  # says what to limit
            if not whole.mixed.relaxed:
                raise UnboundedError("the objective is unbounded below; give every x a finite x_lower and x_upper")
        with ThreadPoolExecutor(threads) as pool:
            _neighborhoods(state, setting, relaxed, whole, pool, threads)
    finally:
        whole.stop()
        if state.best.feasible:
            with contextlib.suppress(StopSearch):  # it is over anyway
                whole.fetch()


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
    slopes, vertices = Slopes(setting, state.structure.fixed_charge), Vertices(setting, state.structure.fixed_charge)
    turns = _Turns(vertices.applies)
    _scale(state, slopes, elite, whole, 1.0)
    models: list[MixedModel] = []
    open_ones, seconds, idle = FIRST_OPEN, FIRST_SECONDS, 0
    while idle < PATIENCE or state.remaining is not None:
        state.check()
        whole.fetch()
        if whole.done and not whole.running:
            return
        elite.add(state.best_b if state.best.feasible else None, state.best.objective)
        if not elite.members:
            _scale(state, slopes, elite, whole, 1.3)
            idle += 1
            if not slopes.applies and not whole.running:
                return
            if not elite.members and whole.running:
                time.sleep(0.05)
            continue
        before = state.best.objective
        # Without a time limit one at a time, so that the answer does not depend on the number of threads.
        kinds = turns.next(max(1, threads - whole.running) if state.remaining is not None else 1)
        jobs: list[tuple[str, Future[Any]]] = []
        for worker, kind in enumerate(kinds):
            if kind == VERTICES:
                jobs.append((kind, pool.submit(_walk, state, vertices, whole, seconds, int(state.rng.integers(2**31)))))
                continue
            if worker >= len(models):
                models.extend(MixedModel(setting) for _ in range(worker + 1 - len(models)))
            if kind == "union":
                fixed = elite.within(vertices.union() | elite.members[0][1])
            else:
                choose = elite.undecided if kind == "undecided" else elite.around_rows
                fixed = choose(open_ones, state.rng)
            jobs.append((kind, pool.submit(_small_mip, state, models[worker], fixed, seconds)))
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
        if not better and idle % 4 == 3 and not vertices.applies:
            _scale(state, slopes, elite, whole, 1.25)  # something new


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
    vertices.search(np.random.default_rng(seed), deadline, None if timed else WALKS, lambda: whole.done)
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
        b = state.binaries.nearest(b)
        evaluation = state.solver.evaluate(b)
        if evaluation.feasible and evaluation.x is not None:
            b = used(state, b, evaluation.x)
            evaluation = state.solver.evaluate(b)
        state.offer(b, evaluation, "slope scaling")
        elite.add(b, evaluation.objective)
        whole.fetch()
