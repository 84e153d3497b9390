"""Where the objective is p'b, with all of p multiples of one number, so are its values: bounds are rounded up."""

from __future__ import annotations

import math

import numpy as np

from hybridmip.model.problem import Problem
from hybridmip.tolerances import GRID

#: p are multiples of something useful when they are at most this many of it.
MOST = 2.0**40


class Grid:
    """The values that p'b + offset can have: offset + step * integer; step 0 where that says nothing."""

    def __init__(self, problem: Problem) -> None:
        self.offset, self.step = problem.offset, 0.0
        if problem.q.any() or not problem.Q.is_zero:
            return
        p = problem.p[problem.p != 0.0]
        if p.size == 0:
            return
        # In whole numbers of the last binary digit that any of them has.
        mantissa, exponent = np.frexp(np.abs(p))
        whole, low = (mantissa * 2.0**53).astype(np.int64), exponent - 53
        trailing = np.frexp((whole & -whole).astype(np.float64))[1] - 1
        unit = int((low + trailing).min())
        if int(exponent.max()) - unit > 60:
            return
        step = math.ldexp(float(np.gcd.reduce(np.ldexp(np.abs(p), -unit).astype(np.int64))), unit)
        if float(np.abs(p).sum()) <= MOST * step:
            self.step = step

    def up(self, bound: float) -> float:
        """The least value that is not below the bound; `GRID` of a step is what a bound may be off."""
        if self.step == 0.0 or not math.isfinite(bound):
            return bound
        return max(bound, self.offset + self.step * math.ceil((bound - self.offset) / self.step - GRID))
