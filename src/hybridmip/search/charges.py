"""Problems in which switching on costs, and makes nothing worse beside: x tells which b are needed.

Where a switch is nothing but a charge, paid where one of its x is not zero, the cost is a function of x alone, and a
concave one: `search.vertices` builds on that. `search.slopes` needs no more than that b can be told from x.
"""

from __future__ import annotations

import numpy as np

from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Binary, Vector

#: A bound is implied if the row allows no more than this beyond it, relative to its size.
SLACK = 1e-9
#: An x beyond this is one that its switch must be on for.
CARRIES = 1e-9


def follows_from_x(problem: Problem) -> bool:
    """Whether x tells which b are needed: switching on only costs and loosens rows, each of which has one b at most."""
    switched, G = problem.switched, problem.G
    if (problem.p < 0).any() or not _met_by_all(problem):
        return False
    if ((problem.x_lower[switched] > 0) | (problem.x_upper[switched] < 0)).any():
        return False
    if (np.diff(G.indptr) > 1).any():
        return False
    row = np.repeat(np.arange(problem.rows), np.diff(G.indptr))
    tightens = ((G.data > 0) & np.isfinite(problem.row_upper[row])) | (
        (G.data < 0) & np.isfinite(problem.row_lower[row])
    )
    return not tightens.any()


def _met_by_all(problem: Problem) -> bool:
    """Whether rows on b only ask that enough are on: switching on loosens them, and with every b on they hold."""
    B = problem.B
    row = np.repeat(np.arange(B.shape[0]), np.diff(B.indptr))
    tightens = ((B.data > 0) & np.isfinite(problem.b_upper[row])) | ((B.data < 0) & np.isfinite(problem.b_lower[row]))
    total = np.asarray(B.sum(axis=1)).ravel()
    return not tightens.any() and bool(((total >= problem.b_lower) & (total <= problem.b_upper)).all())


def needed_by(problem: Problem, x: Vector) -> Binary:
    """The least b at which x is feasible, rows on b aside, where `follows_from_x` holds.

    What switches an x that is not zero, and what a row needs that x misses without it.

    Parameters
    ----------
    problem : Problem
    x : ndarray
        Feasible with every b on.
    """
    b = np.zeros(problem.m, dtype=bool)
    b[problem.switch[problem.switched & (np.abs(x) > CARRIES)]] = True
    rows = np.flatnonzero(np.diff(problem.G.indptr))
    if rows.size:
        activity = problem.A @ x
        misses = np.maximum(problem.row_lower - activity, activity - problem.row_upper)[rows]
        b[problem.G.indices[misses > SLACK * (1.0 + np.abs(activity[rows]))]] = True
    return b


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
