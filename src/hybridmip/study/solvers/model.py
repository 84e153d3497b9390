"""The model that other solvers get, and what they answer.

The quadratic form is scaled so that its mean diagonal is 1 and every row so that its largest coefficient is 1;
tolerances are tight and the absolute gap is 0, since variances near 1e-4 would drown in the solvers' defaults.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hybridmip.model.problem import Problem

#: Tolerance for rows, bounds and reduced costs in the scaled model.
TOLERANCE = 1e-9

Array = NDArray[np.float64]


class Refused(Exception):
    """The model is beyond the size the licence allows."""


@dataclass(frozen=True)
class Row:
    """lower <= coefficients @ (x, b) <= upper; b_j is column n + j."""

    coefficients: dict[int, float]
    lower: float
    upper: float


@dataclass(frozen=True)
class Scaled:
    """Minimise x'Hx + q'x + p'b + offset over rows of largest coefficient 1; one switch for every x."""

    H: Array
    q: Array
    p: Array
    offset: float
    A: Array
    row_lower: Array
    row_upper: Array
    B: Array
    b_lower: Array
    b_upper: Array
    x_lower: Array
    x_upper: Array

    @classmethod
    def of(cls, problem: Problem) -> Scaled:
        """Scale a problem whose x_j is switched by b_j, and whose rows are over x or over b.

        Raises
        ------
        ValueError
            If the problem is not of that kind.
        """
        if problem.G.nnz or problem.m != problem.n or not np.array_equal(problem.switch, np.arange(problem.n)):
            raise ValueError("peers take one switch for every x, and rows over x or over b")
        H, A = problem.Q.toarray(), problem.A.toarray()
        H = (H + H.T) / 2  # a factor model multiplied out is symmetric only up to rounding
        size = np.abs(A).max(axis=1)
        size[size == 0] = 1.0
        unit = H.diagonal().mean()
        return cls(
            H / unit, problem.q / unit, problem.p / unit, problem.offset / unit,
            A / size[:, None], problem.row_lower / size, problem.row_upper / size,
            problem.B.toarray(), problem.b_lower, problem.b_upper, problem.x_lower, problem.x_upper,
        )  # fmt: skip

    @property
    def n(self) -> int:
        """Number of x."""
        return len(self.x_lower)

    def x_limits(self) -> tuple[list[float], list[float]]:
        """Least and greatest x, on or off."""
        return np.minimum(self.x_lower, 0.0).tolist(), np.maximum(self.x_upper, 0.0).tolist()

    def rows(self) -> list[Row]:
        """All rows: those on x, those on b, and x_lower b <= x <= x_upper b."""
        rows = []
        for matrix, lower, upper, first in (
            (self.A, self.row_lower, self.row_upper, 0),
            (self.B, self.b_lower, self.b_upper, self.n),
        ):
            for i in range(matrix.shape[0]):
                coefficients = {first + int(j): float(matrix[i, j]) for j in np.flatnonzero(matrix[i])}
                rows.append(Row(coefficients, float(lower[i]), float(upper[i])))
        for j in range(self.n):
            rows.append(Row(_on_switch(j, self.n + j, float(self.x_upper[j])), -math.inf, 0.0))
            rows.append(Row(_on_switch(j, self.n + j, float(self.x_lower[j])), 0.0, math.inf))
        return rows


def _on_switch(x: int, b: int, limit: float) -> dict[int, float]:
    return {x: 1.0, b: -limit} if limit else {x: 1.0}


@dataclass(frozen=True)
class Outcome:
    """What a solver answers.

    Attributes
    ----------
    status : str
        `optimal` and `infeasible` as the solver claims it, `feasible` or `none` (no point).
    x, b : array or None
    seconds : float
        Of the solve alone, without building the model.
    found_at : float
        When the last improvement came; NaN if nobody looked.
    gap : float
        Relative gap as the solver claims it; NaN if it does not say.
    """

    status: str
    x: Array | None
    b: Array | None
    seconds: float
    found_at: float = math.nan
    gap: float = math.nan
