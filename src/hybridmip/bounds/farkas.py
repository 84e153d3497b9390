"""Proofs that no x in its bounds satisfies some rows (Farkas), with rounding charged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.bounds.exact_sums import sign_of_sum
from hybridmip.bounds.formula import rounding
from hybridmip.bounds.multipliers import priced_limits, usable_multipliers
from hybridmip.model.quadratic import Vector
from hybridmip.tolerances import INFEASIBLE


def of_unit_size(
    matrix: sparse.csr_array, row_lower: Vector, row_upper: Vector
) -> tuple[sparse.csr_array, Vector, Vector]:
    """The rows with norms near 1, by powers of two: the same rows, to the last digit."""
    norms = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    units = np.ldexp(1.0, np.where(norms > 0, 1 - np.frexp(norms)[1], 0))
    return sparse.csr_array(sparse.diags_array(units) @ matrix), row_lower * units, row_upper * units


@dataclass(frozen=True)
class Clash:
    """Multipliers of rows, with the slope in x that they give them: what proves that no x satisfies the rows (Farkas).

    `error` is that of the slope, at most: none where it counts that it is exactly zero.
    """

    multipliers: Vector
    slope: Vector
    error: Vector

    def holds(self, row_lower: Vector, row_upper: Vector, lower: Vector, upper: Vector) -> bool:
        """Whether no x in its bounds satisfies the rows with these limits: y'(rows) cannot reach what is asked."""
        slope, error = self.slope, self.error
        # The largest that the slope can be, times the x where that counts most.
        with np.errstate(invalid="ignore"):
            ends = np.stack([(slope + error) * upper, (slope - error) * upper, (slope + error) * lower,
                             (slope - error) * lower])  # fmt: skip
        ends[np.isnan(ends)] = 0.0  # a slope of zero, without error, times infinity
        most = ends.max(axis=0)
        asked = priced_limits(self.multipliers, row_lower, row_upper)
        total = float(asked.sum() - most.sum())
        charged = rounding(self.multipliers.size + slope.size) * float(np.abs(asked).sum() + np.abs(most).sum())
        size = float(np.abs(self.multipliers).max(initial=0.0))
        return bool(np.isfinite(total)) and total - charged > 0.5 * INFEASIBLE * size


class Clashes:
    """Proofs that no x in its bounds satisfies the rows `matrix`, for any bounds and limits.

    Parameters
    ----------
    matrix : sparse array
        The rows.
    """

    def __init__(self, matrix: sparse.csr_array) -> None:
        self._columns = sparse.csc_array(matrix)
        self._transposed = sparse.csr_array(matrix.T)
        self._magnitude = abs(self._transposed)

    def _of(self, y: Vector, unlimited: NDArray[np.bool_]) -> Clash:
        """Nothing counts as zero: the slope of an x without a limit is found without rounding where it is small."""
        slope = self._transposed @ y
        error = rounding(y.size) * (self._magnitude @ np.abs(y))
        for j in np.flatnonzero(unlimited & (np.abs(slope) <= error)):
            part = slice(self._columns.indptr[j], self._columns.indptr[j + 1])
            sign = sign_of_sum(self._columns.data[part], y[self._columns.indices[part]])
            if sign is not None:  # certain now: of this size at most, or nothing
                slope[j], error[j] = (0.5 * sign * error[j], 0.5 * error[j]) if sign else (0.0, 0.0)
        return Clash(y, slope, error)

    def proven(
        self, multipliers: Vector, row_lower: Vector, row_upper: Vector, lower: Vector, upper: Vector
    ) -> Clash | None:
        """A proof that no x in its bounds satisfies the rows; None where these multipliers give none.

        An x without a limit needs a slope of exactly the right sign: small multipliers are left out where that helps.
        """
        size = float(np.abs(multipliers).max(initial=0.0))
        unlimited = np.isinf(lower) | np.isinf(upper)
        for smallest in (0.0, 1e-9, 1e-6):
            y = np.where(np.abs(multipliers) > smallest * size, multipliers, 0.0)
            clash = self._of(usable_multipliers(y, row_lower, row_upper), unlimited)
            if clash.holds(row_lower, row_upper, lower, upper):
                return clash
        return None
