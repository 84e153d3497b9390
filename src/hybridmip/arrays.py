"""The kinds of arrays that travel through the package."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Binary = NDArray[np.bool_]
Matrix = NDArray[np.float64]


#: Systems of at most so many rows are solved by singular values; beyond, QR with pivoting takes a tenth of the time.
BY_SINGULAR_VALUES = 60


def least_squares(A: Matrix, right: Vector, rcond: float = 1e-14) -> Vector:
    """The shortest of the x with the least |Ax - right|."""
    if A.shape[0] <= BY_SINGULAR_VALUES:
        return np.asarray(np.linalg.lstsq(A, right, rcond=rcond)[0], dtype=np.float64)
    from scipy.linalg import lstsq  # not needed for `--help`

    return np.asarray(lstsq(A, right, cond=rcond, lapack_driver="gelsy", check_finite=False)[0], dtype=np.float64)
