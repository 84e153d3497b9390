"""Search for linear problems: slope scaling, and neighborhoods that HiGHS solves as small MIPs.

With Q = 0 the restricted problem is an LP and says little about b: what is paid for switching on is not in it. Three
things share the time. *Slope scaling* (`search.slopes`) finds good b in seconds. *Neighborhoods*: binaries are fixed
like the best b where little speaks against it (`search.fixing`), and what is left is a MIP small enough for HiGHS. *The
whole problem* by HiGHS's branch and cut, side by side with the others where there is
a thread for it, brings its own answers, and a bound.
"""

from __future__ import annotations

import contextlib
import math
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hybridmip.errors import UnboundedError
from hybridmip.quadratic import Vector
from hybridmip.relax.line import relaxation_rows
from hybridmip.relax.role import Relaxed, Setting
from hybridmip.restricted.highs import LinearAnswer, LinearModel
from hybridmip.restricted.protocol import Binary
from hybridmip.search.fixing import FIRST_OPEN, FIRST_SECONDS, MOST_SECONDS, Fixing
from hybridmip.search.slopes import Slopes, used
from hybridmip.search.state import SearchState, StopSearch

#: Rounds of slope scaling from one start.
SLOPE_ROUNDS = 12
#: Neighborhoods without improvement after which the search ends, where no time limit does; and nodes of a MIP then.
PATIENCE = 6
MOST_NODES = 2000
WHOLE_NODES = 20_000
#: Up to so many binaries HiGHS gets the whole problem and all the time; beyond the other, it does not get it at all.
ALONE = 40
LARGEST_WHOLE = 3000


class MixedModel:
    """The problem as a MIP over (x, b) for HiGHS, in which binaries can be fixed."""

    def __init__(self, setting: Setting, threads: int = 1) -> None:
        problem = setting.problem
        self.n, self.m = problem.n, problem.m
        matrix, row_lower, row_upper, _, _ = relaxation_rows(setting)
        self.lower = np.concatenate([setting.hull_lower, np.zeros(self.m)])
        self.upper = np.concatenate([setting.hull_upper, np.ones(self.m)])
        integer = np.concatenate([np.zeros(self.n, dtype=bool), np.ones(self.m, dtype=bool)])
        cost = np.concatenate([problem.q, problem.p])
        self.model = LinearModel(cost, matrix, row_lower, row_upper, self.lower, self.upper, integer, threads)
        self.offset = problem.offset
        self.model.highs.setOptionValue("mip_abs_gap", 0.0)

    def start_from(self, x: Vector, b: Binary) -> None:
        """Give HiGHS a point to begin with."""
        import highspy

        solution = highspy.HighsSolution()
        solution.col_value = [*x.tolist(), *b.astype(float).tolist()]
        self.model.highs.setSolution(solution)

    def solve(self, fixed: NDArray[np.int8], seconds: float | None, nodes: int, gap: float) -> LinearAnswer:
        """Solve with some binaries fixed: 1 on, -1 off, 0 open."""
        lower, upper = self.lower.copy(), self.upper.copy()
        lower[self.n :] = np.where(fixed > 0, 1.0, 0.0)
        upper[self.n :] = np.where(fixed < 0, 0.0, 1.0)
        self.model.change_columns(lower, upper)
        self.model.highs.setOptionValue("mip_rel_gap", gap)
        self.model.highs.setOptionValue("mip_max_nodes", nodes)
        return self.model.solve(seconds)


class Whole:
    """HiGHS on the whole problem, in a thread; answers and bounds are fetched by the search."""

    def __init__(self, state: SearchState, setting: Setting) -> None:
        self.mixed = MixedModel(setting)
        self.found: list[Binary] = []
        self.bound = -math.inf
        self.answer: LinearAnswer | None = None
        self._lock = threading.Lock()
        self._state = state
        self._thread: threading.Thread | None = None
        highs = self.mixed.model.highs
        highs.cbMipImprovingSolution.subscribe(self._improved)
        if state.best.feasible and state.best.x is not None and state.best_b is not None:
            self.mixed.start_from(state.best.x, state.best_b)

    def _improved(self, event: Any) -> None:
        values = np.asarray(event.data_out.mip_solution)
        bound = float(event.data_out.mip_dual_bound)
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
    def running(self) -> bool:
        """Whether the thread is at work."""
        return self._thread is not None and self._thread.is_alive()

    def stop(self) -> None:
        """End the thread."""
        if self._thread is not None:
            self.mixed.model.highs.cancelSolve()
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
            # HiGHS's own tolerances: its bound is good to about this much.
            state.raise_bound("branch and cut", self.bound - 1e-9 * abs(self.bound))


def search_linear(state: SearchState, setting: Setting, relaxed: dict[str, Relaxed]) -> None:
    """Search a linear problem until the time is up, the gap closed or nothing improves."""
    threads = state.config.threads or os.cpu_count() or 1
    whole = Whole(state, setting)
    try:
        if state.remaining is None:
            whole.run(None, WHOLE_NODES)
        elif threads == 1 or state.problem.m <= ALONE:
            whole.run(state.remaining if state.problem.m <= ALONE else 0.3 * state.remaining, 2**31 - 1)
        elif state.problem.m <= LARGEST_WHOLE:
            whole.start(state.remaining)
        whole.fetch()
        if whole.answer is not None and whole.answer.status in ("optimal", "infeasible"):
            return
        if whole.answer is not None and whole.answer.status == "unbounded":
            state.solver.evaluate(state.binaries.nearest(np.ones(state.problem.m, dtype=bool)))  # says what to limit
            raise UnboundedError("the objective is unbounded below; give every x a finite x_lower and x_upper")
        with ThreadPoolExecutor(threads) as pool:
            _neighborhoods(state, setting, relaxed, whole, pool, threads)
    finally:
        whole.stop()
        if state.best.feasible:
            with contextlib.suppress(StopSearch):  # it is over anyway
                whole.fetch()


def _neighborhoods(
    state: SearchState,
    setting: Setting,
    relaxed: dict[str, Relaxed],
    whole: Whole,
    pool: ThreadPoolExecutor,
    threads: int,
) -> None:
    elite = Fixing(state, relaxed.get("line") or relaxed.get("persp"))
    slopes = Slopes(setting)
    _scale(state, slopes, elite, whole, 1.0)
    models: list[MixedModel] = []
    open_ones, seconds, idle, turn = FIRST_OPEN, FIRST_SECONDS, 0, 0
    while idle < PATIENCE or state.remaining is not None:
        state.check()
        whole.fetch()
        if whole.answer is not None and whole.answer.status == "optimal" and not whole.running:
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
        timed = state.remaining is not None
        # Without a time limit one at a time, so that the answer does not depend on the number of threads.
        side_by_side = max(1, threads - whole.running) if timed else 1
        while len(models) < side_by_side:
            models.append(MixedModel(setting))
        limit = None if state.remaining is None else min(seconds, state.remaining)
        jobs = []
        for model in models[:side_by_side]:
            fixed = elite.around_rows(open_ones, state.rng) if turn % 2 else elite.undecided(open_ones, state.rng)
            turn += 1
            if state.best.x is not None and state.best_b is not None:
                model.start_from(state.best.x, state.best_b)
            jobs.append(pool.submit(model.solve, fixed, limit, 2**31 - 1 if timed else MOST_NODES, 1e-4))
        answers = [job.result() for job in jobs]
        for answer in answers:
            if answer.x is not None:
                b = answer.x[state.problem.n :] > 0.5
                evaluation = state.solver.evaluate(b)
                state.offer(b, evaluation, "small MIP")
                elite.add(b, evaluation.objective)
        if all(answer.status == "optimal" for answer in answers):
            open_ones = min(int(1.3 * open_ones) + 10, state.problem.m)
        else:
            open_ones = max(int(0.8 * open_ones), 20)
            seconds = min(1.2 * seconds, MOST_SECONDS)
        improved = state.best.objective < before - 1e-9 * abs(before)
        idle = 0 if improved else idle + 1
        if not improved and idle % 4 == 3:
            _scale(state, slopes, elite, whole, 1.25)  # something new


def _scale(state: SearchState, slopes: Slopes, elite: Fixing, whole: Whole, spread: float) -> None:
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
