"""Multipliers moved until slopes have the sign that x without limits needs.

An x that may grow without limit needs a slope of zero or more. Solvers give it up to their tolerance, which is not
enough: a slope of -1e-17 makes the bound minus infinity. The least change of the multipliers that mends all such slopes
is a small linear program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from hybridmip.bounds.multipliers import usable
from hybridmip.engines.highs import LinearModel
from hybridmip.model.units import Proof

if TYPE_CHECKING:
    from hybridmip.bounds.formula import Formula

#: Slopes are mended to this many times their rounding error.
MARGIN = 8.0
#: More open slopes than this are not mended.
MOST_OPEN = 20_000
#: Multipliers are rounded to so many bits below the largest: sums of their products with short numbers are then exact.
BITS = 36


def repaired(formula: Formula, proof: Proof) -> Proof | None:
    """The proof with multipliers that make its slopes right; None where there are none, or nothing is wrong."""
    problem, (d, y, la, mu) = formula.problem, usable(formula.problem, proof)
    above, below = np.isposinf(formula.upper), np.isneginf(formula.lower)
    flat = np.flatnonzero((d <= 0) & (above | below))
    if flat.size == 0 or flat.size > MOST_OPEN or problem.rows == 0:
        return None
    half = problem.Q.matvec(y) - d * y
    size = np.abs(problem.q) + 2 * problem.Q.absolute_matvec(y) + problem.transposed_magnitudes.A @ np.abs(la)
    v = (problem.q + 2 * half - problem.transposed.A @ la)[flat]
    margin = MARGIN * (problem.n + problem.rows + 8) * np.finfo(float).eps * size[flat]
    both = above[flat] & below[flat]
    # A'change <= v - margin where x may grow, >= v + margin where it may fall, = v where both.
    high = np.where(both, v, np.where(above[flat], v - margin, np.inf))
    low = np.where(both, v, np.where(below[flat], v + margin, -np.inf))
    unit = float(max(np.maximum(-np.where(np.isfinite(high), high, 0.0), 0.0).max(initial=0.0),
                     np.maximum(np.where(np.isfinite(low), low, 0.0), 0.0).max(initial=0.0)))  # fmt: skip
    if unit > 0.0:
        least = np.where(np.isposinf(problem.row_upper), -la, -np.inf)
        most = np.where(np.isneginf(problem.row_lower), -la, np.inf)
        rows, columns = problem.rows, sparse.csr_array(problem.transposed.A[flat])
        limits = np.maximum(*(np.where(np.isfinite(l), np.abs(l), 0.0) for l in (problem.row_lower, problem.row_upper)))
        identity = sparse.eye_array(rows)
        # |change| is at most the second half of the variables, which is paid for.
        model = LinearModel(
            np.concatenate([np.zeros(rows), 1.0 + limits]),
            sparse.vstack([
                sparse.hstack([columns, sparse.csr_array(columns.shape)]), sparse.hstack([identity, -identity]),
                sparse.hstack([-identity, -identity]),
            ]),
            np.concatenate([low / unit, np.full(2 * rows, -np.inf)]),
            np.concatenate([high / unit, np.zeros(2 * rows)]),
            np.concatenate([least / unit, np.zeros(rows)]),
            np.concatenate([most / unit, np.full(rows, np.inf)]),
        )  # fmt: skip
        answer = model.solve()
        if answer.x is None or answer.status != "optimal":
            return None
        la = la + unit * answer.x[:rows]
    elif not both.any():
        return None
    largest = float(np.abs(la).max(initial=0.0))
    if both.any() and largest > 0:
        grid = 2.0 ** (np.frexp(largest)[1] - BITS)
        la = np.round(la / grid) * grid
    return Proof(d, y, la, mu)
