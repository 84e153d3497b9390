"""Problems in which a switch is nothing but a charge: paid where one of its x is not zero, and that is all it does.

The cost is then a function of x alone, and a concave one: `search.slopes` and `search.vertices` build on that.
"""

from __future__ import annotations

import numpy as np

from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Vector


def only_costs(problem: Problem) -> bool:
    """Whether b can be left out: it is on where one of its x is not zero, and that is all there is to it."""
    switched = problem.switched
    if problem.B.shape[0] or not switched.any() or (problem.p < 0).any():
        return False
    if np.unique(problem.switch[switched]).size < problem.m:
        return False
    if ((problem.x_lower[switched] != 0) & (problem.x_upper[switched] != 0)).any():
        return False
    if not problem.G.nnz:
        return True
    # A row with a b may only limit that b's own x, and must hold when both are zero.
    G, owner = problem.G, np.where(switched, problem.switch, -1)
    rows = np.flatnonzero(np.diff(G.indptr))
    if (np.diff(G.indptr) > 1).any() or (problem.row_lower[rows] > 0).any() or (problem.row_upper[rows] < 0).any():
        return False
    column = np.full(problem.rows, -1)
    column[rows] = G.indices
    row = np.repeat(np.arange(problem.rows), np.diff(problem.A.indptr))
    return bool((owner[problem.A.indices] == column[row])[column[row] >= 0].all())


def rows_when_on(problem: Problem) -> tuple[Vector, Vector]:
    """Limits of A x with every b on."""
    on = np.asarray(problem.G.sum(axis=1)).ravel() if problem.G.nnz else np.zeros(problem.rows)
    return problem.row_lower - on, problem.row_upper - on
