"""What each binary can contribute to each row."""

from __future__ import annotations

import numpy as np

from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Vector


def activity_ranges(problem: Problem) -> tuple[Vector, Vector, Vector, Vector]:
    """(least, most) activity that each binary's x can give each row, and what unswitched x can, when on."""
    A = problem.A.toarray()
    with np.errstate(invalid="ignore"):
        at_lower = np.where(A != 0, A * problem.x_lower, 0.0)
        at_upper = np.where(A != 0, A * problem.x_upper, 0.0)
    least, most = np.minimum(at_lower, at_upper), np.maximum(at_lower, at_upper)
    switched = problem.switched
    G = problem.G.toarray()
    low, high = G.T.copy(), G.T.copy()
    np.add.at(low, problem.switch[switched], least.T[switched])
    np.add.at(high, problem.switch[switched], most.T[switched])
    return low, high, least[:, ~switched].sum(axis=1), most[:, ~switched].sum(axis=1)
