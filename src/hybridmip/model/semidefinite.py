"""Proofs that a symmetric matrix is semidefinite, by a Cholesky factorisation with its rounding charged.

The matrix is first scaled to a diagonal between 1 and 4, by powers of two, so that what is let pass is measured x by x
and not against the largest entry: 1e-9 beside a 1 may be all that there is in the units of its own variable. Of rows
that are copies of each other, to the last digit, one is enough: that proves a singular matrix with nothing lacking.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hybridmip.tolerances import SEMIDEFINITE

EPS = float(np.finfo(float).eps)


def roots(diagonal: NDArray[np.float64]) -> NDArray[np.int64]:
    """k with 1 <= d / 4^k < 4, entry by entry; 0 where d = 0."""
    mantissa, exponent = np.frexp(diagonal)
    return np.where(mantissa != 0, (exponent.astype(np.int64) - 1) // 2, 0)


def lacking(
    matrix: NDArray[np.float64],
    taken: NDArray[np.float64] | None = None,
    tolerance: float = SEMIDEFINITE,
    size: NDArray[np.float64] | None = None,
) -> NDArray[np.float64] | None:
    """e >= 0 for which matrix - diag(taken) + diag(e) >= 0 is proven, as small as it can be had; None where it is not.

    Parameters
    ----------
    matrix : ndarray, shape (n, n)
        Symmetric.
    taken : ndarray, shape (n,), optional
        What is taken off the diagonal; zero if left out.
    tolerance : float
        Most that may be lacking, as a share of the diagonal.
    size : ndarray, shape (n,), optional
        What the shares are of; the diagonal if left out.

    Notes
    -----
    A Cholesky factorisation that runs through proves its matrix semidefinite up to its rounding error, at most n + 1
    units of half an epsilon times the trace (Rump 2006); here twice that, for what is rounded before it.
    """
    from scipy.linalg import lapack  # 0.1 s, which linear problems do not need

    diagonal = np.diag(matrix) if size is None else size
    rest = np.diag(matrix) if taken is None else np.diag(matrix) - taken
    slack = np.zeros(diagonal.size)
    # Nothing is rounded here: a row of zeros needs none, a negative entry beside no slack is a proof of the opposite.
    nothing = diagonal <= 0.0
    if (rest[nothing] != 0.0).any() or matrix[nothing].any():
        return None
    if (rest < -(tolerance + EPS) * diagonal).any():
        return None
    kept = np.flatnonzero(~nothing)
    if kept.size == 0:
        return slack
    root = roots(diagonal[kept])
    scaled = np.ldexp(matrix[np.ix_(kept, kept)], -(root[:, None] + root[None, :]))
    own = np.ldexp(rest[kept], -2 * root)
    if kept.size == 1:
        slack[kept] = 0.0 if own[0] >= 0.0 else np.ldexp(-own, 2 * root)
        return slack
    rounding = (kept.size + 2) * EPS * float(np.ldexp(diagonal[kept], -2 * root).sum())
    # First with something to spare, then with as little room as a singular matrix needs, then with more.
    for room in (-rounding, 0.1 * rounding, rounding, 10 * rounding, 1e-11, 1e-10, 0.5 * tolerance):
        if room > max(tolerance, 10 * rounding):
            break
        if room == 0.1 * rounding and (copies := _copies(scaled, kept, taken, len(matrix))) is not None:
            exponents = np.zeros(len(matrix), dtype=np.int64)
            exponents[kept] = root
            return _without(copies, exponents, matrix, taken, tolerance, diagonal)
        tried = np.array(scaled, order="F")
        tried[np.diag_indices(kept.size)] = own + room
        if (own + room > 0.0).all() and lapack.dpotrf(tried, lower=1, overwrite_a=1)[1] == 0:
            if room > 0:
                slack[kept] = np.ldexp(np.full(kept.size, room + rounding), 2 * root)
            return slack
    return None


def _copies(
    scaled: NDArray[np.float64], kept: NDArray[np.intp], taken: NDArray[np.float64] | None, size: int
) -> NDArray[np.intp] | None:
    """For every x the first one with the very same row, among those that nothing is taken of; None where all differ.

    The same but for their units, which are powers of two: rows are those of the scaled matrix of the x that are kept.
    """
    first, known, count = np.arange(size), dict[bytes, np.intp](), 0
    for row, i in zip(scaled, kept, strict=True):
        if taken is None or taken[i] == 0.0:
            first[i] = known.setdefault(row.tobytes(), i)
            count += 1
    return None if len(known) == count else first


def _without(
    first: NDArray[np.intp],
    exponents: NDArray[np.int64],
    matrix: NDArray[np.float64],
    taken: NDArray[np.float64] | None,
    tolerance: float,
    size: NDArray[np.float64],
) -> NDArray[np.float64] | None:
    """`lacking` with one of each set of copies: x'Qx knows their sum only, and (sum of g)^2 <= g times the squares."""
    own = np.flatnonzero(first == np.arange(first.size))
    found = lacking(matrix[np.ix_(own, own)], None if taken is None else taken[own], tolerance, size[own])
    if found is None:
        return None
    slack = np.zeros(first.size)
    slack[own] = found
    times = np.bincount(first, minlength=first.size)[first]
    return np.asarray(np.ldexp(slack[first] * times, 2 * (exponents - exponents[first])))
