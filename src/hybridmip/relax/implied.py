"""Finite bounds on x where it has none but the rows imply one."""

from __future__ import annotations

import numpy as np

from hybridmip.problem import Problem
from hybridmip.quadratic import Vector

ROUNDS = 4


def implied_bounds(problem: Problem) -> tuple[Vector, Vector]:
    """x_lower and x_upper with infinite entries replaced by what the rows imply, where they do.

    A bound found here holds for every feasible point, so for a switched x it holds while the switch
    is on. Finite bounds of the caller are left as they are.
    """
    lower, upper = problem.x_lower.copy(), problem.x_upper.copy()
    if (np.isfinite(lower).all() and np.isfinite(upper).all()) or not problem.rows:
        return lower, upper
    A = problem.A
    row = np.repeat(np.arange(problem.rows), np.diff(A.indptr))
    column, a = A.indices, A.data
    positive = a > 0
    zero_one = problem.G.toarray() if problem.G.nnz else np.zeros((problem.rows, 0))
    g_low, g_high = np.minimum(zero_one, 0).sum(axis=1), np.maximum(zero_one, 0).sum(axis=1)
    switched = problem.switched
    for _ in range(ROUNDS):
        low = np.where(switched, np.minimum(lower, 0.0), lower)[column]
        high = np.where(switched, np.maximum(upper, 0.0), upper)[column]
        smallest = np.where(positive, a * low, a * high)
        largest = np.where(positive, a * high, a * low)
        changed = False
        for limits, parts, base, sense in (
            (problem.row_upper, smallest, g_low, 1.0),
            (problem.row_lower, largest, g_high, -1.0),
        ):
            finite = np.isfinite(parts)
            infinite = np.bincount(row[~finite], minlength=problem.rows)
            total = base + np.bincount(row[finite], weights=parts[finite], minlength=problem.rows)
            others = total[row] - np.where(finite, parts, 0.0)
            usable = np.isfinite(limits[row]) & (infinite[row] - ~finite == 0) & (a != 0)
            value = np.full(a.shape, np.nan)
            value[usable] = (limits[row][usable] - others[usable]) / a[usable]
            # a x <= limit - others (sense 1): an upper bound where a > 0, a lower one where a < 0.
            above = usable & (positive == (sense > 0))
            below = usable & ~above
            for mask, bounds, worse in ((above, upper, np.inf), (below, lower, -np.inf)):
                new = np.full(problem.n, worse)
                if worse > 0:
                    np.minimum.at(new, column[mask], value[mask])
                else:
                    np.maximum.at(new, column[mask], value[mask])
                slack = 1e-9 * (1 + np.abs(np.where(np.isfinite(new), new, 0.0)))
                fill = np.isinf(bounds) & np.isfinite(new)
                if fill.any():
                    bounds[fill] = (new + np.sign(worse) * slack)[fill]
                    changed = True
        if not changed:
            break
    # A switched x is also 0, so an implied bound on the wrong side of 0 says only that.
    crossed = lower > upper
    lower[crossed], upper[crossed] = problem.x_lower[crossed], problem.x_upper[crossed]
    return lower, upper
