"""What a worker does: points of a frontier, solved one by one, from nothing but the arguments."""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from hybridmip.errors import HybridMIPError
from hybridmip.frontier.family import Family
from hybridmip.frontier.store import Record
from hybridmip.model.problem import Problem
from hybridmip.run.config import Config
from hybridmip.run.result import Result, Status
from hybridmip.run.solve import solve

#: A point to solve: its number, its parameter, lists of the binaries that are on in starts to try.
Job = tuple[int, float, list[list[int]]]


def solve_points(
    family: Family, phase: str, jobs: Sequence[Job], config: Config, seed: int, seconds: float | None
) -> dict[int, Record]:
    """Solve some points; `seconds` is the limit of each.

    Phase `search` looks for good answers, `neighbors` only descends from the starts that are given (the answers of
    neighboring points), `proof` adds the bounds.
    """
    answers: dict[int, Record] = {}
    for point, value, starts in jobs:
        began = time.perf_counter()
        problem = family.problem(value)
        warm = [np.isin(np.arange(problem.m), start) for start in starts]
        if phase == "neighbors":
            record = _descend(problem, warm, config, seed)
        else:
            result = solve(problem, config=config, seed=seed, warm_start=warm or None, time_limit=seconds)
            record = as_record(result)
        record["seconds"] = time.perf_counter() - began
        answers[point] = record
    return answers


def as_record(result: Result) -> Record:
    """What is kept of a result: no problem, no trace, nonzeros only."""
    record: Record = {
        "status": str(result.status),
        "stop_reason": str(result.stop_reason),
        "objective": _number(result.objective),
        "bound": _number(result.bound),
        "found_by": result.found_by,
        "evaluations": result.evaluations,
        "b": [], "x": [],
    }  # fmt: skip
    if result.x is not None and result.b is not None:
        record["b"] = np.flatnonzero(result.b).tolist()
        record["x"] = [[int(j), float(result.x[j])] for j in np.flatnonzero(result.x)]
    return record


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _descend(problem: Problem, starts: Sequence[Any], config: Config, seed: int) -> Record:
    """The best of the local optima below the starts."""
    from hybridmip.bounds.diagonal import phi
    from hybridmip.engines.blas import one_thread
    from hybridmip.engines.compiled import load_descent
    from hybridmip.model.binaries import BinarySet
    from hybridmip.restricted import restricted_solver
    from hybridmip.restricted.dense import DenseSolver
    from hybridmip.run.state import SearchState, StopSearch
    from hybridmip.search.descents import Descents

    solver = restricted_solver(problem, config.threads)
    now = time.perf_counter()
    try:
        if isinstance(solver, DenseSolver):
            load_descent()
        binaries = BinarySet(problem)
        state = SearchState(problem, config, solver, binaries, np.random.default_rng(seed), now, math.inf, 0.0)
        with one_thread(problem.n):
            state.diagonal = phi(problem.Q)
            Descents(state).run([(binaries.nearest(start), "neighbor") for start in starts])
    except (HybridMIPError, StopSearch):
        pass  # the answer so far stands
    finally:
        solver.close()
    best = state.best
    record: Record = {
        "status": str(Status.FEASIBLE if best.feasible else Status.UNKNOWN), "stop_reason": "converged",
        "objective": _number(best.objective), "bound": None, "found_by": state.found_by,
        "evaluations": solver.evaluations, "b": [], "x": [],
    }  # fmt: skip
    if best.feasible and best.x is not None and state.best_b is not None:
        record["b"] = np.flatnonzero(state.best_b).tolist()
        record["x"] = [[int(j), float(best.x[j])] for j in np.flatnonzero(best.x)]
    return record


def begin_worker() -> None:
    """Leave Ctrl-C, which goes to every process of a terminal, to the one that stores the answers; end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    """A worker whose parent was killed would wait for ever."""
    parent.join()
    os._exit(1)
