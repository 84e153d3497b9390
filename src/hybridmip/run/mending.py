"""Points whose rows are missed by a solver's tolerance, moved until they hold to the last digits."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import lsqr

from hybridmip.arrays import least_squares
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Binary, Vector
from hybridmip.tolerances import NOTHING

#: An x this small, in the solver's units, is rounding.
NOUGHT = 1e-13
#: Rows that are nearer to their limit than this share of their size stay where they are while others are mended.
TIGHT = 1e-9
#: What is nearer to a bound than this is put there before rows are mended; rounds of that, and entries of the largest
#: system for it.
MARGINS = (0.0, 1e-9, 1e-7)
MENDING = 3
#: Rows that are missed by no more than this share hold to the last digits.
ROUNDED = 1e-15
LARGEST_SYSTEM = 4_000_000
#: Work of a dense factorisation (entries times the shorter side) up to which the system is solved by one, some
#: hundredths of a second; beyond, by iterations that use what entries there are, so many at most.
DENSE_WORK = 3e7
ITERATIONS = 300


def mended(problem: Problem, x: Vector, b: Binary) -> Vector:
    """x within its bounds and with its rows held to the last digits, moved as little as that takes."""
    lower, upper = problem.bounds_given(b)
    x = np.clip(x, lower, upper)
    x[(np.abs(x) <= NOUGHT) & (lower <= 0) & (upper >= 0)] = 0.0
    missed, _ = problem.worst_row(x, b, NOTHING)
    for margin in MARGINS:
        if missed <= ROUNDED:
            break
        moved = x
        for _ in range(MENDING):
            nearer = _nearer(problem, moved, b, lower, upper, margin)
            if nearer is None:
                break
            moved = nearer
            now, _ = problem.worst_row(moved, b, NOTHING)
            if now < missed:
                x, missed = moved, now
    return x


def _nearer(problem: Problem, x: Vector, b: Binary, lower: Vector, upper: Vector, margin: float) -> Vector | None:
    """x moved within its bounds so that rows that are missed hold and tight ones stay so; None if that is too large.

    What is within the margin of a bound is put there, and stays.
    """
    x = np.where(x - lower <= margin, lower, np.where(upper - x <= margin, upper, x))
    on = b.astype(np.float64)
    activity = problem.A @ x + problem.G @ on
    size = problem.magnitudes.A @ np.abs(x) + problem.magnitudes.G @ on
    below, above = problem.row_lower - activity, activity - problem.row_upper
    reach = TIGHT * (size + np.where(np.isfinite(problem.row_lower), np.abs(problem.row_lower), 0.0)) + margin
    wanted = np.where(below >= -reach, below, np.where(above >= -reach, -above, np.nan))
    rows, free = np.flatnonzero(np.isfinite(wanted)), np.flatnonzero((lower < x) & (x < upper))
    if rows.size == 0 or free.size == 0 or rows.size * free.size > LARGEST_SYSTEM:
        return None
    step = _shortest(problem.A[rows][:, free], wanted[rows])
    moved = x.copy()
    moved[free] = np.clip(x[free] + step, lower[free], upper[free])
    return moved


def _shortest(matrix: sparse.csr_array, wanted: Vector) -> Vector:
    """The shortest step that changes the rows as wanted, or nearly so: whoever takes it looks at the rows again."""
    rows, columns = matrix.shape
    if rows * columns * min(rows, columns) <= DENSE_WORK:
        return least_squares(matrix.toarray(), wanted, 1e-12)
    return np.asarray(lsqr(matrix, wanted, atol=1e-14, btol=1e-14, iter_lim=ITERATIONS)[0], dtype=np.float64)
