"""One small MIP beside HiGHS on the whole problem: how long it may take, its thread, and its points as they come."""

from __future__ import annotations

import contextlib
import math
import os
import sys
import threading
import time

import numpy as np
from numpy.typing import NDArray

from hybridmip.engines.highs import OVERTIME
from hybridmip.model.quadratic import Binary
from hybridmip.run.state import SearchState
from hybridmip.search.mixed import MixedModel
from hybridmip.search.whole import Race

#: Whose points they are.
SMALL_MIP = "small MIP"
#: Beside HiGHS a small MIP gets no more than this share of the time so far, so that its end cannot be late by more.
SHARE_BESIDE = 0.2
LEAST_BESIDE = 0.1
#: Relative gap of a small MIP.
SMALL_GAP = 1e-4
#: Nodes of a small MIP where no time limit ends it.
MOST_NODES = 2000
#: Seconds between two looks at what HiGHS and the walks have found, while one waits for a neighborhood.
LOOK = 0.02
#: How far threads of the searches stand back behind HiGHS on the whole problem.
NICE = 10


def beside(state: SearchState, race: Race, seconds: float, share: float = SHARE_BESIDE) -> float:
    """Seconds of a small MIP: HiGHS may end beside it, and this one does not look up while it solves an LP."""
    return min(seconds, max(share * state.seconds, LEAST_BESIDE)) if race.running else seconds


def stand_back() -> None:
    """Let HiGHS go first where cores are scarce: this thread, and those that it starts, which end with the search."""
    if sys.platform == "linux":  # elsewhere a priority is that of the whole process
        with contextlib.suppress(OSError):
            here = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, here, max(os.getpriority(os.PRIO_PROCESS, here), NICE))


def small_mip(
    state: SearchState, model: MixedModel, fixed: NDArray[np.int8], seconds: float
) -> tuple[str, Binary | None]:
    """Solve with some binaries fixed, from the best point; returns the status and b."""
    limit, deadline = None, math.inf
    if state.remaining is not None:
        # HiGHS may be late, by no more than it is asked to be early: then it is left alone.
        left = max(state.remaining - OVERTIME, 0.5 * state.remaining)
        limit, deadline = min(seconds, left), time.perf_counter() + left
    if state.best.x is not None and state.best_b is not None:
        model.start_from(state.best.x, state.best_b)
    answer = model.solve(fixed, limit, MOST_NODES if limit is None else 2**31 - 1, SMALL_GAP, deadline)
    return answer.status, None if answer.x is None else answer.x[state.problem.n :] > 0.5


def take_points(state: SearchState, model: MixedModel) -> bool:
    """Offer what a small MIP has found so far; whether that is better than the answer."""
    better = False
    for b in model.fetch():
        better |= state.offer(b, state.solver.evaluate(b), SMALL_MIP)
    return better
