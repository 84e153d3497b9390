"""Convex QPs and cone programs by Clarabel, with two-sided rows and bounds.

What it says is a claim: whoever asks checks points, and proofs of infeasibility and of no lower limit, for himself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.arrays import Matrix, Vector
from hybridmip.engines.highs import Outcome

#: The gap is relative; where the objective is near zero it need not be smaller than this share of the tolerance.
ABSOLUTE = 1e-4


@dataclass(frozen=True)
class ConicAnswer:
    """What Clarabel said.

    Multipliers obey: gradient of the objective = rows' row_multipliers + multipliers of the bounds, positive where a
    lower limit binds.
    """

    status: Outcome
    x: Vector | None = None
    row_multipliers: Vector | None = None


class Products(NamedTuple):
    """Second-order cones t_i y_i >= x_i^2, as numbers of columns."""

    t: NDArray[np.intp]
    y: NDArray[np.intp]
    x: NDArray[np.intp]


class _Entries:
    """A sparse matrix, made block by block below each other."""

    def __init__(self) -> None:
        self._parts: list[tuple[NDArray[Any], NDArray[Any], Vector]] = []
        self._right: list[Vector] = []
        self.rows = 0

    def add(self, rows: NDArray[Any], columns: NDArray[Any], values: Vector, right: Vector) -> None:
        self._parts.append((rows + self.rows, columns, values))
        self._right.append(right)
        self.rows += right.size

    def some(self, rows: sparse.csr_array, which: NDArray[np.bool_], sign: float, right: Vector) -> None:
        """Some rows of a matrix, times a sign."""
        if not which.any():
            return
        counts = np.diff(rows.indptr)
        taken = np.repeat(which, counts)
        at = np.repeat(np.cumsum(which) - 1, counts)[taken]
        self.add(at, rows.indices[taken], sign * rows.data[taken], sign * right[which])

    def ones(self, which: NDArray[np.bool_], sign: float, right: Vector) -> None:
        """Some columns, each by itself, times a sign."""
        columns = np.flatnonzero(which)
        if columns.size:
            self.add(np.arange(columns.size), columns, np.full(columns.size, sign), sign * right[which])

    def stacked(self, columns: int) -> tuple[Any, Vector]:
        """Matrix and right-hand side."""
        if not self._parts:
            return sparse.csc_matrix((0, columns)), np.zeros(0)
        row, column, value = (np.concatenate(part) for part in zip(*self._parts, strict=True))
        matrix = sparse.coo_matrix((value, (row, column)), shape=(self.rows, columns))
        return matrix.tocsc(), np.concatenate(self._right)


def solve_cone_program(
    P: Any,
    cost: Vector,
    rows: sparse.csr_array,
    row_lower: Vector,
    row_upper: Vector,
    lower: Vector,
    upper: Vector,
    products: Products | None = None,
    *,
    time_limit: float | None = None,
    tolerance: float = 1e-9,
    absolute: float = 1.0,
    equilibrate: bool = True,
) -> ConicAnswer:
    """Minimise x'Px / 2 + cost'x over rows, bounds and products.

    Nothing is scaled here, and the solver's tolerances are absolute: whoever asks brings everything near 1.

    Parameters
    ----------
    P : sparse array
        The upper triangle counts.
    cost, rows, row_lower, row_upper
        As in a LinearModel.
    lower, upper : ndarray
        Bounds of the first columns; the others have none.
    products : Products, optional
        Second-order cones.
    time_limit : float, optional
        Seconds.
    tolerance, absolute : float
        Of the gap and the rows; the absolute one of the gap is this share of it.
    equilibrate : bool
        Whether Clarabel scales.
    """
    import clarabel  # by who solves with it: most solves need one of the two engines

    total = int(cost.size)
    equal = row_lower == row_upper
    low, high = np.isfinite(row_lower) & ~equal, np.isfinite(row_upper) & ~equal
    fixed = lower == upper
    entries = _Entries()
    entries.some(rows, equal, 1.0, row_lower)
    entries.ones(fixed, 1.0, lower)
    equations = entries.rows
    entries.some(rows, low, -1.0, row_lower)
    entries.some(rows, high, 1.0, row_upper)
    entries.ones(np.isfinite(lower) & ~fixed, -1.0, lower)
    entries.ones(np.isfinite(upper) & ~fixed, 1.0, upper)
    inequalities = entries.rows - equations
    cones = 0 if products is None else products.t.size
    if products is not None and cones:
        # (t + y, t - y, 2 x) in the second-order cone: t y >= x^2.
        i = np.arange(cones)
        values = np.concatenate([-np.ones(3 * cones), np.ones(cones), -2 * np.ones(cones)])
        places = np.concatenate([3 * i, 3 * i, 3 * i + 1, 3 * i + 1, 3 * i + 2])
        columns = np.concatenate([products.t, products.y, products.t, products.y, products.x])
        entries.add(places, columns, values, np.zeros(3 * cones))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.equilibrate_enable = equilibrate
    settings.tol_gap_rel = settings.tol_feas = tolerance
    settings.tol_gap_abs = absolute * tolerance
    settings.tol_infeas_abs = settings.tol_infeas_rel = 1e-8 if cones else 1e-9
    if time_limit is not None:
        settings.time_limit = max(time_limit, 1e-3)
    kinds = [clarabel.ZeroConeT(equations)] if equations else []
    kinds += [clarabel.NonnegativeConeT(inequalities)] if inequalities else []
    kinds += [clarabel.SecondOrderConeT(3)] * cones
    solution = clarabel.DefaultSolver(
        sparse.csc_matrix(sparse.triu(P, format="csc")), cost, *entries.stacked(total), kinds, settings
    ).solve()
    status = str(solution.status)
    if status in ("PrimalInfeasible", "AlmostPrimalInfeasible"):
        return ConicAnswer(Outcome.INFEASIBLE)
    if status in ("DualInfeasible", "AlmostDualInfeasible"):
        return ConicAnswer(Outcome.UNBOUNDED)
    x, dual = np.array(solution.x), np.array(solution.z)
    if not (np.isfinite(x).all() and np.isfinite(dual).all()):
        return ConicAnswer(Outcome.ERROR)
    multipliers = np.zeros(rows.shape[0])
    edges = np.cumsum([int(part.sum()) for part in (equal, fixed, low, high)])
    multipliers[equal] = -dual[: edges[0]]
    multipliers[low] += dual[edges[1] : edges[2]]
    multipliers[high] -= dual[edges[2] : edges[3]]
    kinds_of_end = {"Solved": Outcome.OPTIMAL, "AlmostSolved": Outcome.OPTIMAL, "MaxTime": Outcome.LIMIT}
    return ConicAnswer(kinds_of_end.get(status, Outcome.ERROR), x, multipliers)


def of_norm_one(rows: sparse.csr_array) -> tuple[sparse.csr_array, Vector]:
    """The rows divided by their norms, and the norms (1 for an empty row)."""
    norms = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel()) if rows.shape[0] else np.zeros(0)
    norms[norms == 0.0] = 1.0
    scaled = rows.copy()
    scaled.data = rows.data * np.repeat(1 / norms, np.diff(rows.indptr))
    return scaled, norms


def beside(rows: sparse.csr_array, columns: int) -> sparse.csr_array:
    """The rows with so many empty columns more."""
    return sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=(rows.shape[0], rows.shape[1] + columns))


def solve_qp(
    P: Any,
    T: Matrix | None,
    cost: Vector,
    rows: Any,
    row_lower: Vector,
    row_upper: Vector,
    lower: Vector,
    upper: Vector,
    *,
    time_limit: float | None = None,
    tolerance: float = 1e-9,
) -> ConicAnswer:
    """`solve_qp_once`, and once more without the solver's own scaling where it gave up with it."""
    arguments = (P, T, cost, rows, row_lower, row_upper, lower, upper, time_limit, tolerance)
    answer = solve_qp_once(*arguments)
    return solve_qp_once(*arguments, equilibrate=False) if answer.status is Outcome.ERROR else answer


def solve_qp_once(
    P: Any,
    T: Matrix | None,
    cost: Vector,
    rows: Any,
    row_lower: Vector,
    row_upper: Vector,
    lower: Vector,
    upper: Vector,
    time_limit: float | None,
    tolerance: float,
    equilibrate: bool = True,
) -> ConicAnswer:
    """Minimise x'Px + |T'x|^2 + cost'x over row_lower <= rows x <= row_upper, lower <= x <= upper.

    The columns of T enter through one extra variable each, so that a factor model stays sparse. The
    objective is scaled by its largest coefficient and rows to unit norm before the solver sees them:
    its tolerances are absolute.
    """
    n = int(cost.shape[0])
    P, (rows, norms) = sparse.csc_array(P), of_norm_one(sparse.csr_array(rows))
    curvature = float(P.diagonal().max(initial=0.0))
    if T is not None and T.size:
        curvature = max(curvature, float((T * T).sum(axis=1).max()))
    largest = curvature if curvature > 0 else float(np.abs(cost).max(initial=0.0))
    scale = 1.0 / largest if largest > 0 else 1.0
    row_lower, row_upper = row_lower / norms, row_upper / norms
    factors = 0 if T is None else T.shape[1]
    quadratic = 2 * scale * P
    if factors:
        quadratic = sparse.block_diag([quadratic, 2 * scale * sparse.eye_array(factors)], format="csc")
        link = sparse.hstack([sparse.csr_array(T.T), -sparse.eye_array(factors)])  # type: ignore[union-attr]
        rows = sparse.csr_array(sparse.vstack([link, beside(rows, factors)]))
        row_lower, row_upper = (np.concatenate([np.zeros(factors), side]) for side in (row_lower, row_upper))
    answer = solve_cone_program(
        quadratic, np.concatenate([scale * cost, np.zeros(factors)]), rows, row_lower, row_upper, lower, upper,
        time_limit=time_limit, tolerance=tolerance, absolute=ABSOLUTE, equilibrate=equilibrate,
    )  # fmt: skip
    if answer.x is None or answer.row_multipliers is None:
        return answer
    return ConicAnswer(answer.status, answer.x[:n], answer.row_multipliers[factors:] / norms / scale)
