"""Is there a feasible point at all? Rows, links and binaries are linear, so a MILP decides, whatever Q is."""

from __future__ import annotations

import numpy as np

from hybridmip.relax.line import relaxation_rows
from hybridmip.relax.role import Setting
from hybridmip.restricted.highs import LinearModel
from hybridmip.restricted.protocol import Binary


def find_feasible(setting: Setting, time_limit: float | None = None, threads: int = 1) -> tuple[str, Binary | None]:
    """(`feasible`, b), (`infeasible`, None) when proven, or (`unknown`, None).

    Links to an infinite bound cannot be written as rows and are left out: a b found without them is
    a candidate still to be checked, and infeasibility without them is infeasibility with them.
    """
    problem = setting.problem
    matrix, row_lower, row_upper, _, _ = relaxation_rows(setting)
    largest = float(np.abs(problem.p).max(initial=0.0)) or 1.0
    model = LinearModel(
        np.concatenate([np.zeros(problem.n), problem.p / largest]),
        matrix,
        row_lower,
        row_upper,
        np.concatenate([setting.hull_lower, np.zeros(problem.m)]),
        np.concatenate([setting.hull_upper, np.ones(problem.m)]),
        integer=np.concatenate([np.zeros(problem.n, dtype=bool), np.ones(problem.m, dtype=bool)]),
        threads=threads,
    )
    model.highs.setOptionValue("mip_max_improving_sols", 1)
    answer = model.solve(time_limit)
    if answer.status == "infeasible":
        return "infeasible", None
    if answer.x is None:
        return "unknown", None
    return "feasible", np.asarray(answer.x[problem.n :] > 0.5)
