"""Bounds on x that the rows imply: where it has none, and smaller ones for x with a switch.

A smaller u in x <= u b is a tighter relaxation: models written with a u that is large enough for anything profit.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Vector

ROUNDS = 4
#: Relative rounding error of a row's sum, generously.
ROUNDING = 1e-13
#: A finite bound is replaced only by one that is nearer by this share.
WORTH_IT = 1e-3


#: What was found for problems that are still in use: they never change, and are asked for several times a solve.
_known: WeakKeyDictionary[Problem, tuple[Vector, Vector]] = WeakKeyDictionary()


def implied_bounds(problem: Problem) -> tuple[Vector, Vector]:
    """x_lower and x_upper, with what the rows imply where that says more.

    Infinite entries are replaced, and finite ones of a switched x where the implied one is nearer to zero. A bound
    found here holds for every feasible point, so for a switched x it holds while the switch is on.
    """
    known = _known.get(problem)
    if known is None:
        known = _known[problem] = _implied(problem)
        for bounds in known:
            bounds.setflags(write=False)
    return known


def carry_over(problem: Problem, rescaled: Problem, columns: NDArray[np.int64]) -> None:
    """Let a problem in other units have the bounds found for it before: powers of two change no digit of them."""
    lower, upper = implied_bounds(problem)
    _known[rescaled] = np.ldexp(lower, -columns), np.ldexp(upper, -columns)
    for bounds in _known[rescaled]:
        bounds.setflags(write=False)


def _implied(problem: Problem) -> tuple[Vector, Vector]:
    lower, upper = problem.x_lower.copy(), problem.x_upper.copy()
    switched = problem.switched
    open_ended = np.isinf(lower).any() or np.isinf(upper).any()
    if not problem.rows or not (open_ended or switched.any()):
        return lower, upper
    A = problem.A
    row = np.repeat(np.arange(problem.rows), np.diff(A.indptr))
    column, a = A.indices, A.data
    positive = a > 0
    binary_row = np.repeat(np.arange(problem.rows), np.diff(problem.G.indptr))
    g_low = np.bincount(binary_row, np.minimum(problem.G.data, 0.0), problem.rows)
    g_high = np.bincount(binary_row, np.maximum(problem.G.data, 0.0), problem.rows)
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
            # What rounding can have taken from a sum of large terms.
            size = np.abs(base) + np.bincount(row[finite], weights=np.abs(parts[finite]), minlength=problem.rows)
            value = np.full(a.shape, np.nan)
            value[usable] = (limits[row][usable] - others[usable] + sense * ROUNDING * size[row][usable]) / a[usable]
            # a x <= limit - others (sense 1): an upper bound where a > 0, a lower one where a < 0.
            above = usable & (positive == (sense > 0))
            below = usable & ~above
            for mask, bounds, worse in ((above, upper, np.inf), (below, lower, -np.inf)):
                new = np.full(problem.n, worse)
                if worse > 0:
                    np.minimum.at(new, column[mask], value[mask])
                else:
                    np.maximum.at(new, column[mask], value[mask])
                slack = 1e-9 * np.abs(np.where(np.isfinite(new), new, 0.0))
                new = new + np.sign(worse) * slack
                fill = np.isinf(bounds) & np.isfinite(new)
                with np.errstate(invalid="ignore"):
                    nearer = np.sign(worse) * (bounds - new) > WORTH_IT * np.abs(bounds)
                # Toward zero and not past it: off is always allowed by the switch.
                fill |= switched & nearer & (np.sign(worse) * bounds > 0) & (np.sign(worse) * new >= 0)
                if fill.any():
                    bounds[fill] = new[fill]
                    changed = True
        if not changed:
            break
    # A switched x is also 0, so an implied bound on the wrong side of 0 says only that.
    crossed = lower > upper
    lower[crossed], upper[crossed] = problem.x_lower[crossed], problem.x_upper[crossed]
    return lower, upper
