"""Links l b <= x <= u b that rows imply: x_1 + x_2 <= u b says that no x of it is above u b."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Vector

#: A link is implied if the row allows no more than this beyond it, relative to its size.
SLACK = 1e-9


def own_box(problem: Problem) -> tuple[Vector, Vector]:
    """The box that holds x whatever b is, by the bounds given alone."""
    lower = np.where(problem.switched, np.minimum(problem.x_lower, 0.0), problem.x_lower)
    upper = np.where(problem.switched, np.maximum(problem.x_upper, 0.0), problem.x_upper)
    return lower, upper


def implied_links(problem: Problem, lower: Vector, upper: Vector) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Of which x a single row implies l b <= x, and of which x <= u b, also for b between 0 and 1.

    A row a x + g b + others <= c implies x <= (c - least others - g b) / a: a line over b, which is below the link if
    it is so at both ends.

    Parameters
    ----------
    problem : Problem
    lower, upper : ndarray
        l and u of the links.
    """
    A, G, count = problem.A, problem.G, problem.rows
    if not G.nnz:  # it is the switch in the row that does it
        return np.zeros(problem.n, dtype=bool), np.zeros(problem.n, dtype=bool)
    row, binary_row = (np.repeat(np.arange(count), np.diff(M.indptr)) for M in (A, G))
    column, owner = A.indices, problem.switch[A.indices]
    low, high = own_box(problem)
    below, above = np.zeros(problem.n, dtype=bool), np.zeros(problem.n, dtype=bool)
    for sign, limits in ((1.0, problem.row_upper), (-1.0, -problem.row_lower)):
        a = sign * A.data
        with np.errstate(invalid="ignore"):
            least = np.where(a > 0, a * low[column], np.where(a < 0, a * high[column], 0.0))
        endless = np.isinf(least)
        finite = np.where(endless, 0.0, least)
        total = np.bincount(row, finite, count) + np.bincount(binary_row, np.minimum(sign * G.data, 0.0), count)
        entries = np.flatnonzero((owner >= 0) & (a != 0) & np.isfinite(limits[row]))
        if entries.size == 0:
            continue
        g = sign * np.asarray(G[row[entries], owner[entries]]).ravel()
        # The others have a least value, and it is the switch that lets x be more than nothing.
        kept = (g < 0) & (np.bincount(row, endless, count)[row[entries]] == endless[entries])
        entries, g = entries[kept], g[kept]
        here, x, size = row[entries], column[entries], np.abs(a[entries])
        left = limits[here] - (total[here] - finite[entries] - g)
        for side, bound, found in ((1.0, upper, above), (-1.0, -lower, below)):
            slack = SLACK * (1.0 + np.abs(bound[x]))
            implied = (left / size <= slack) & ((left - g) / size <= bound[x] + slack)
            found[x[implied & (side * a[entries] > 0)]] = True
    return below, above
