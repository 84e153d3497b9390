"""Is there a feasible point at all? Rows, links and binaries are linear, so a MILP decides, whatever Q is."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from enum import StrEnum

import numpy as np

from hybridmip.engines.highs import LinearModel, Outcome
from hybridmip.model.quadratic import Binary
from hybridmip.relax.protocol import Setting

#: Refused b that are cut off before giving up.
MOST_CUTS = 200


class Verdict(StrEnum):
    """What was found out about feasibility."""

    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"


def find_feasible(
    setting: Setting, accept: Callable[[Binary], bool], time_limit: float | None = None
) -> tuple[Verdict, Binary | None]:
    """Feasible with a b, infeasible when proven, or unknown.

    A link to an infinite bound cannot be written as a row and is left out. So each b found is put to
    `accept`; if its restricted problem has no feasible x after all, that b is cut off and the MILP asked
    again. Infeasibility without those links, or with only refused b cut off, is infeasibility.
    """
    problem = setting.problem
    matrix, row_lower, row_upper, _, _ = setting.joint_rows
    largest = float(np.abs(problem.p).max(initial=0.0)) or 1.0
    model = LinearModel(
        np.concatenate([np.zeros(problem.n), problem.p / largest]),
        matrix,
        row_lower,
        row_upper,
        np.concatenate([setting.hull_lower, np.zeros(problem.m)]),
        np.concatenate([setting.hull_upper, np.ones(problem.m)]),
        integer=np.concatenate([np.zeros(problem.n, dtype=bool), np.ones(problem.m, dtype=bool)]),
    )
    end = math.inf if time_limit is None else time.perf_counter() + time_limit
    for _ in range(MOST_CUTS):
        left = None if time_limit is None else end - time.perf_counter()
        if left is not None and left <= 0:
            break
        answer = model.solve(left, first=True)
        if answer.status is Outcome.INFEASIBLE:
            return Verdict.INFEASIBLE, None
        if answer.x is None:
            break
        b = np.asarray(answer.x[problem.n :] > 0.5)
        if accept(b):
            return Verdict.FEASIBLE, b
        model.forbid(b, np.arange(problem.n, problem.n + problem.m))
    return Verdict.UNKNOWN, None
