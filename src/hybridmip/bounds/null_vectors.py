"""Where a diagonal below a singular matrix may be positive.

With Q v = 0 and 0 <= D <= Q, v'Dv = 0: D is 0 wherever a null vector has an entry, and elsewhere it need not be. A
column that others determine (a copy, a fixed mixture) thus costs its own entries of D and theirs, and nothing else. The
same holds nearly for what is nearly determined: v'Dv <= v'Qv.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hybridmip.model.quadratic import Matrix

#: What others leave of a column, as a share of its diagonal entry: none (the column is implied), and nearly none.
NONE = 1e-12
LITTLE = 1e-5
#: A diagonal entry that can be no more than this share of the matrix's is given up.
GIVEN_UP = 1e-3
#: What is left of a column counts as no less than this: rounding.
ROUNDING = 1e-15
#: A null vector is narrow when the squares of its entries sum up to no more than this, the largest being 1.
SPREAD = 2.5


class NullVectors(NamedTuple):
    """What the null vectors of a matrix with n columns say of it.

    Attributes
    ----------
    implied : ndarray of bool, shape (n,)
        Columns that the others imply: without them the matrix is regular.
    touched : ndarray of bool, shape (n,)
        Columns of which a null vector has an entry.
    narrow : ndarray, shape (vectors, n)
        Those of a basis that are mostly of few x (a copy, a mixture): the sizes of their entries, in units in which the
        matrix has a diagonal of 1; of each the largest is 1, and what is too small to matter is 0.
    """

    implied: NDArray[np.bool_]
    touched: NDArray[np.bool_]
    narrow: Matrix


def null_vectors(matrix: Matrix) -> NullVectors:
    """By a Cholesky factorisation with pivoting, the diagonal scaled to 1: what it leaves are combinations."""
    from scipy.linalg import lapack, solve_triangular  # 0.1 s, which linear problems do not need

    n = matrix.shape[0]
    diagonal = np.diag(matrix)
    implied = diagonal <= 0.0
    flat = NullVectors(implied, implied.copy(), np.eye(n)[implied])
    kept = np.flatnonzero(~implied)
    if kept.size < 2:
        return flat
    root = 1.0 / np.sqrt(diagonal[kept])
    factor, order, rank, _ = lapack.dpstrf(matrix[np.ix_(kept, kept)] * np.outer(root, root), tol=NONE, lower=1)
    order = kept[order - 1]
    implied[order[rank:]] = True
    regular = int((np.diag(factor)[:rank] ** 2 > LITTLE).sum())
    if regular == kept.size:
        return flat
    lower = np.tril(factor[:, :rank])
    weights = solve_triangular(lower[:regular, :regular], lower[regular:, :regular].T, lower=True, trans="T").T
    # What is left of each column; the weights are those of the scaled columns.
    left = (lower[regular:, regular:] ** 2).sum(axis=1)
    found = np.zeros((kept.size - regular, n))
    found[:, order[:regular]] = np.where(GIVEN_UP * weights**2 > np.maximum(left, ROUNDING)[:, None], weights, 0.0)
    found[np.arange(len(found)), order[regular:]] = -1.0
    found = np.abs(found) / np.abs(found).max(axis=1)[:, None]
    touched = flat.touched | (found != 0.0).any(axis=0)
    narrow = found[(found**2).sum(axis=1) <= SPREAD]
    return NullVectors(implied, touched, np.concatenate([flat.narrow, narrow]))
