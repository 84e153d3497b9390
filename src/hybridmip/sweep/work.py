"""What a worker does: points of a frontier, solved one by one, from nothing but the arguments."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np

from hybridmip.engines.compiled import be_patient
from hybridmip.run.config import Config
from hybridmip.run.result import Result
from hybridmip.run.solve import descend_from, solve
from hybridmip.sweep.family import Family
from hybridmip.sweep.store import Record

#: A point to solve: its number, its parameter, lists of the binaries that are on in starts to try.
Job = tuple[int, float, list[list[int]]]


def solve_points(
    jobs: Sequence[Job], family: Family, phase: str, config: Config, seed: int, seconds: float | None
) -> dict[int, Record]:
    """Solve some points; `seconds` is the limit of each.

    Phase `search` looks for good answers, `neighbors` only descends from the starts that are given (the answers of
    neighboring points), `proof` adds the bounds.
    """
    be_patient()
    answers: dict[int, Record] = {}
    for point, value, starts in jobs:
        began = time.perf_counter()
        problem = family.problem(value)
        warm = [np.isin(np.arange(problem.m), start) for start in starts]
        if phase == "neighbors":
            record = as_record(descend_from(problem, warm, config, seed))
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
        "size": result.size,
        "found_by": result.found_by,
        "evaluations": result.evaluations,
        "time_helps": result.suggested_time_limit is not None,
        "b": [], "x": [],
    }  # fmt: skip
    if result.x is not None and result.b is not None:
        record["b"] = np.flatnonzero(result.b).tolist()
        record["x"] = [[int(j), float(result.x[j])] for j in np.flatnonzero(result.x)]
    return record


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
