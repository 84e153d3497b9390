"""A MILP that HiGHS solves in a thread: all the time, or in slices between which it waits inside a callback.

A MILP that was stopped by its time limit begins anew when it is solved again: presolve, cuts at the root and the tree
are gone. Here other work can be done in between, by the same thread of the machine.

HiGHS does not look up while it solves an LP, or a MIP within the MIP. Nobody waits for that long: a thread that was
told to end and has not is left to end by itself (`engines/left.py::settle` waits for such).
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

import numpy as np

from hybridmip.arrays import Vector
from hybridmip.engines.highs import LinearAnswer, LinearModel
from hybridmip.engines.left import leave

#: Points that are kept until they are fetched.
MOST_POINTS = 4
#: Seconds after which HiGHS is asked again how far it is.
ASKING = 0.05
#: Seconds to wait for the thread in the end, unless told otherwise.
LONGEST_END = 2.0
#: Seconds, and share of the time so far, that a solve waits in the end: mostly HiGHS looks up many times a second.
SHORTEST_END = 0.03
SHARE_OF_END = 0.005


def patience(seconds: float, left: float) -> float:
    """Seconds for which HiGHS is waited for in the end, after so many seconds of a solve and with so many left."""
    return SHORTEST_END + min(SHARE_OF_END * seconds, max(left, 0.0))


class Slices:
    """Solves a model in a thread that works only while `go_on` is waiting for it, or after `run` to the end.

    The model must not be changed before there is an answer.

    Parameters
    ----------
    model : LinearModel
        With integral columns.
    gap : float
        Relative gap at which it is solved.
    time_limit : float, optional
        Seconds from the first slice on, waiting included, after which HiGHS stops by itself.
    told : callable, optional
        Called with the answer, in the thread, before anybody else can see it.
    """

    def __init__(
        self,
        model: LinearModel,
        gap: float,
        time_limit: float | None = None,
        told: Callable[[LinearAnswer], None] | None = None,
    ) -> None:
        self._model, self._gap, self._time_limit, self._told = model, gap, time_limit, told
        self._turn = threading.Condition()
        self._until = -math.inf
        self._waits = self._ended = False
        self._bound, self._asked_at = -math.inf, -math.inf
        self._points: list[Vector] = []
        self._answer: LinearAnswer | None = None
        model.on_check(self._check)
        model.on_improvement(self._improved)
        self._thread = threading.Thread(target=self._solve, daemon=True)

    def go_on(self, seconds: float) -> LinearAnswer | None:
        """Solve on for so long; the answer, None while there is none.

        HiGHS looks at the clock when it calls back, mostly many times a second. Where it does so late it goes on
        beside the caller until then.
        """
        with self._turn:
            self._work(time.perf_counter() + seconds)
            try:
                self._turn.wait_for(lambda: self._waits or self._answer is not None, timeout=seconds)
            except KeyboardInterrupt:
                self._stop()
                raise
            if not self._waits and self._answer is None:
                self._model.wake()  # to wait from its next check on
            return self._answer

    def run(self) -> None:
        """Solve on until there is an answer, beside the caller."""
        with self._turn:
            self._work(math.inf)

    def pause(self) -> None:
        """Wait from now on, until it is told to go on."""
        with self._turn:
            self._until = -math.inf
            self._model.wake()

    def wait(self, seconds: float) -> None:
        """Wait until there is an answer or a point to fetch, at most so long."""
        with self._turn:
            self._turn.wait_for(lambda: bool(self._points) or self._answer is not None, timeout=seconds)

    def _work(self, until: float) -> None:
        self._until, self._waits = until, False
        if not self._thread.ident:
            self._thread.start()
        self._turn.notify_all()

    @property
    def answer(self) -> LinearAnswer | None:
        """What HiGHS said; None while it is at work."""
        return self._answer

    @property
    def bound(self) -> float:
        """The bound when HiGHS was last asked, in the model's units; it is asked again now and then."""
        now = time.perf_counter()
        if self._answer is None and now - self._asked_at >= ASKING:
            self._asked_at = now
            self._model.wake()
        return self._bound

    def look_for_points(self) -> None:
        """Have HiGHS look for points by MIPs within the MIP from now on."""
        self._model.go_on_with_heuristics(True)

    def ask_for_point(self) -> None:
        """Have HiGHS ask for a better point, where somebody is there to be asked."""
        self._model.ask_for_point()

    def fetch(self) -> list[Vector]:
        """The last points that HiGHS found since this was last called."""
        with self._turn:
            points, self._points = self._points, []
        return points

    def end(self, longest: float = LONGEST_END) -> None:
        """Give up; HiGHS stops when it calls back next, which is waited for so many seconds at most."""
        with self._turn:
            self._stop()
        if self._thread.ident:
            leave(self._thread, longest)

    def _stop(self) -> None:
        self._ended = True
        self._model.wake()
        self._turn.notify_all()

    def _solve(self) -> None:
        answer = self._model.solve(self._time_limit, self._gap)
        if self._told is not None:
            self._told(answer)
        with self._turn:
            self._answer = answer
            self._turn.notify_all()

    def _check(self, bound: float) -> bool:
        """Called by HiGHS: wait until it is its turn; whether to stop."""
        with self._turn:
            self._bound = max(self._bound, bound)
            while time.perf_counter() >= self._until and not self._ended:
                self._waits = True
                self._turn.notify_all()
                self._turn.wait()
            return self._ended

    def _improved(self, values: Vector, bound: float) -> None:
        with self._turn:
            self._points = [*self._points, np.array(values)][-MOST_POINTS:]
            self._bound = max(self._bound, bound)
            self._turn.notify_all()
