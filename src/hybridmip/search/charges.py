"""Problems in which a switch is nothing but a charge: paid where one of its x is not zero, and that is all it does.

The cost is then a function of x alone, and a concave one: `search.slopes` and `search.vertices` build on that.
"""

from __future__ import annotations

import numpy as np

from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Vector

#: A bound is implied if the row allows no more than this beyond it, relative to its size.
SLACK = 1e-9


def rows_when_on(problem: Problem) -> tuple[Vector, Vector]:
    """Limits of A x with every b on."""
    on = np.asarray(problem.G.sum(axis=1)).ravel() if problem.G.nnz else np.zeros(problem.rows)
    return problem.row_lower - on, problem.row_upper - on


def needed_upper(problem: Problem, rows: tuple[Vector, Vector], lower: Vector, upper: Vector) -> Vector:
    """The upper bounds of x, infinite where a row and the others' lower bounds imply them.

    A vertex at which such a bound holds has two names: x outside the basis, at its bound, and another one in the basis
    with nothing in it, which blocks the edges through it; or simply x in the basis. Without the bound only the second
    is left. In a transportation problem that is every sink with a single source.

    Parameters
    ----------
    problem : Problem
    rows : tuple of ndarray
        Lower and upper limits of A x.
    lower, upper : ndarray
        Of x.
    """
    A = problem.A
    row, column = np.repeat(np.arange(problem.rows), np.diff(A.indptr)), A.indices
    implied = np.full(problem.n, np.inf)
    for a, limits in ((A.data, rows[1]), (-A.data, -rows[0])):
        # Nothing in the row can make room for more of x but the others' being below their lower bounds.
        only = np.bincount(row, (a < 0) | ((a > 0) & np.isinf(lower[column])), problem.rows) == 0
        at = (a > 0) & (only & np.isfinite(limits))[row]
        least = np.where(at, a * np.where(np.isfinite(lower), lower, 0.0)[column], 0.0)
        total = np.bincount(row, least, problem.rows)
        here = row[at]
        np.minimum.at(implied, column[at], (limits[here] - total[here] + least[at]) / a[at])
    return np.where(implied <= upper + SLACK * (1.0 + np.abs(upper)), np.inf, upper)
