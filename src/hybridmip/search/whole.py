"""The whole of a linear problem by HiGHS's branch and cut: alone, or in a thread beside everything else.

Beside the searches it begins before anything else and uses one thread. Its better points go to the search and the
search's better points to it, its bound is told as it rises, and when it has ended whatever runs beside it is halted.
"""

from __future__ import annotations

import math
import threading

import numpy as np
from numpy.typing import NDArray

from hybridmip.bounds.ledger import Grade
from hybridmip.engines.highs import Halt, LinearAnswer, LinearModel, Outcome
from hybridmip.model.quadratic import Binary, Vector
from hybridmip.relax.protocol import Setting
from hybridmip.run.state import IMPROVEMENT, SearchState
from hybridmip.tolerances import TRUSTED

#: Seconds by which HiGHS ends before the time is up, since it looks at the clock now and then.
EARLIER = 0.03
#: Points of HiGHS that are kept until they are fetched.
MOST_POINTS = 3
#: Seconds to wait in the end for HiGHS to look up: mostly it does many times a second, not while it solves one LP.
LONGEST_END = 10.0
#: What is nearer than this to a whole number is one.
WHOLE = 1e-9
#: Nobody is told of a bound that is higher by less than this share of what lies between it and the answer.
WORTH_TELLING = 1e-3


def without_offset(gap: float, value: float, offset: float) -> float:
    """A gap relative to a value as one relative to what HiGHS has for it, which is without the offset; never larger."""
    return gap * min(1.0, abs(value) / max(abs(value - offset), 1e-300)) if math.isfinite(value) else gap


class Handover:
    """The search's best point on its way to a MIP that runs in another thread, where that knows of none as good.

    Parameters
    ----------
    offset : float
        Of the problem: HiGHS's values are without it.
    """

    def __init__(self, offset: float) -> None:
        #: The best value that the MIP knows of.
        self.known = math.inf
        #: Points that it was given.
        self.given = 0
        self._offset = offset
        self._lock = threading.Lock()
        self._waiting: tuple[float, Vector] | None = None

    def is_news(self, value: float) -> bool:
        """Whether a value is better than what the MIP knows of."""
        return value < self.known - IMPROVEMENT * abs(value)

    def put(self, value: float, point: Vector) -> None:
        """Leave a better point."""
        self.known = value
        with self._lock:
            self._waiting = value, point

    def requested(self, value: float) -> Vector | None:
        """Called by HiGHS, whose best point has this value: what was left for it, where that is better."""
        with self._lock:
            waiting, self._waiting = self._waiting, None
        if waiting is None or not waiting[0] < value + self._offset:
            return None
        self.given += 1
        return waiting[1]


class MixedModel:
    """The problem as a MIP over (x, b) for HiGHS, in which binaries can be fixed.

    Parameters
    ----------
    setting : Setting
    threads : int
        Threads of HiGHS.
    halt : Halt, optional
        What ends its solves.
    """

    def __init__(self, setting: Setting, threads: int = 1, halt: Halt | None = None) -> None:
        problem = setting.problem
        self.n, self.m = problem.n, problem.m
        matrix, row_lower, row_upper, _, _ = setting.joint_rows
        self.lower = np.concatenate([setting.hull_lower, np.zeros(self.m)])
        self.upper = np.concatenate([setting.hull_upper, np.ones(self.m)])
        integer = np.concatenate([np.zeros(self.n, dtype=bool), np.ones(self.m, dtype=bool)])
        cost = np.concatenate([problem.q, problem.p])
        self.model = LinearModel(
            cost, matrix, row_lower, row_upper, self.lower, self.upper, integer, threads, halt=halt,
        )  # fmt: skip
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
    """HiGHS on the whole problem; answers and bounds are fetched by the search.

    Parameters
    ----------
    state : SearchState
        Who is told, by `fetch`.
    setting : Setting
    """

    def __init__(self, state: SearchState, setting: Setting) -> None:
        self.mixed = MixedModel(setting)
        self.answer: LinearAnswer | None = None
        #: What whoever works beside it listens to.
        self.halt = Halt()
        self._state = state
        self._lock = threading.Lock()
        self._found: list[Vector] = []
        self._bound = -math.inf
        self._told = -math.inf
        self.handover = Handover(self.mixed.offset)
        self._taken = False
        self._thread: threading.Thread | None = None
        self._over = threading.Event()
        self.mixed.model.on_improvement(self._improved)
        if state.best.feasible and state.best.x is not None and state.best_b is not None:
            self.mixed.start_from(state.best.x, state.best_b)
            self.handover.known = state.best.objective

    def run(self, seconds: float | None, nodes: int) -> None:
        """Solve, here."""
        nothing, state = np.zeros(self.mixed.m, dtype=np.int8), self._state
        gap = without_offset(min(state.gap, 1e-6) / 2, state.best.objective, state.problem.offset)
        self.answer = self.mixed.solve(nothing, seconds, nodes, gap)

    def start(self, seconds: float) -> None:
        """Solve, in a thread, of the time that is left."""
        self.mixed.model.on_check(self._checked)
        self.mixed.model.on_request(self.handover.requested)
        self._thread = threading.Thread(target=self._beside, args=(max(seconds - EARLIER, 0.5 * seconds),), daemon=True)
        self._thread.start()

    def _beside(self, seconds: float) -> None:
        try:
            self.run(seconds, 2**31 - 1)
        finally:
            if self.ended and (not self.done or self.exact):
                self.halt.halt()
            self._over.set()

    def _improved(self, values: Vector, bound: float) -> None:
        with self._lock:
            self._found = [*self._found, values.copy()][-MOST_POINTS:]
            self._raise(bound)

    def _checked(self, bound: float) -> bool:
        with self._lock:
            self._raise(bound)
        return False

    def _raise(self, bound: float) -> None:
        if math.isfinite(bound):
            self._bound = max(self._bound, bound + self.mixed.offset)

    @property
    def done(self) -> bool:
        """Whether HiGHS says that there is nothing better."""
        return self.answer is not None and self.answer.status is Outcome.OPTIMAL

    @property
    def exact(self) -> bool:
        """Whether the b of HiGHS's answer are whole numbers, and not by its tolerance only."""
        if self.answer is None or self.answer.x is None:
            return False
        b = self.answer.x[self.mixed.n :]
        return bool((np.abs(b - np.round(b)) <= WHOLE).all())

    @property
    def bound(self) -> float:
        """The bound of HiGHS's answer; -inf while there is none."""
        return -math.inf if self.answer is None else self.answer.bound + self.mixed.offset

    @property
    def ended(self) -> bool:
        """Whether HiGHS has decided the problem: there is nothing better, no point, or no minimum."""
        if self.answer is None:
            return False
        unbounded = self.answer.status is Outcome.UNBOUNDED and not self.mixed.relaxed
        return unbounded or self.answer.status in (Outcome.OPTIMAL, Outcome.INFEASIBLE)

    @property
    def running(self) -> bool:
        """Whether the thread is at work."""
        return self._thread is not None and not self._over.is_set()

    def wait(self, seconds: float) -> None:
        """Wait for the thread to end, at most so long."""
        if self._thread is not None:
            self._over.wait(seconds)

    def stop(self) -> None:
        """End the thread."""
        self.halt.halt()
        if self._thread is not None:
            self.mixed.model.cancel()
            self._thread.join(LONGEST_END)

    def fetch(self) -> None:
        """Offer what was found to the search, raise its bound, and have HiGHS given the search's better point.

        Raises
        ------
        StopSearch
            If the gap is closed, or somebody asks to stop.
        """
        state = self._state
        with self._lock:
            found, self._found = self._found, []
            bound = self._bound
        for values in found:
            self._offer(values)
        answer = self.answer
        if answer is not None and not self._taken:
            self._taken = True
            if answer.x is not None:
                self._offer(answer.x)
            bound = max(bound, self.bound)
        if self._worth_telling(bound) or (answer is not None and bound > self._told):
            self._told = bound
            charge = TRUSTED * (abs(bound) + self.mixed.largest)
            state.raise_bound("branch and cut", bound - charge, Grade.TRUSTED)
        best = state.best
        if best.feasible and best.x is not None and state.best_b is not None and self.handover.is_news(best.objective):
            self.handover.put(best.objective, np.concatenate([best.x, state.best_b.astype(np.float64)]))

    def _worth_telling(self, bound: float) -> bool:
        if not math.isfinite(bound) or not math.isfinite(self._told):
            return math.isfinite(bound)
        best = self._state.best.objective
        return bound > self._told + WORTH_TELLING * (best - self._told if math.isfinite(best) else abs(self._told))

    def _offer(self, values: Vector) -> None:
        state, b = self._state, values[self.mixed.n :] > 0.5
        state.offer(b, state.solver.evaluate(b), "branch and cut")
        if state.best.feasible:
            self.handover.known = min(self.handover.known, state.best.objective)
