"""Convex QPs by Clarabel: min x'Px + |T'x|^2 + c'x with two-sided rows and bounds, scaled inside.

What it says is a claim: whoever asks checks points, and proofs of infeasibility and of no lower limit, for himself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
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
    import clarabel

    n = int(cost.shape[0])
    P = sparse.csc_array(P)
    rows = sparse.csr_array(rows)
    curvature = float(P.diagonal().max(initial=0.0))
    if T is not None and T.size:
        curvature = max(curvature, float((T * T).sum(axis=1).max()))
    largest = curvature if curvature > 0 else float(np.abs(cost).max(initial=0.0))
    scale = 1.0 / largest if largest > 0 else 1.0
    norms = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel()) if rows.shape[0] else np.zeros(0)
    norms[norms == 0.0] = 1.0
    rows = sparse.csr_array(sparse.diags_array(1.0 / norms) @ rows) if rows.shape[0] else rows
    row_lower, row_upper = row_lower / norms, row_upper / norms
    factors = 0 if T is None else T.shape[1]
    extra = sparse.csc_array((n, factors))
    total = sparse.block_array(
        [[2 * scale * P, extra], [extra.T, 2 * scale * sparse.eye_array(factors)]], format="csc"
    ) if factors else sparse.csc_array(2 * scale * P)  # fmt: skip
    equal = row_lower == row_upper
    low = np.isfinite(row_lower) & ~equal
    high = np.isfinite(row_upper) & ~equal
    fixed = lower == upper
    column_low = np.isfinite(lower) & ~fixed
    column_high = np.isfinite(upper) & ~fixed
    identity = sparse.eye_array(n, format="csr")
    blocks = [
        rows[equal],
        identity[fixed],
        -rows[low],
        rows[high],
        -identity[column_low],
        identity[column_high],
    ]
    rhs = [
        row_lower[equal],
        lower[fixed],
        -row_lower[low],
        row_upper[high],
        -lower[column_low],
        upper[column_high],
    ]
    stacked = sparse.vstack(blocks, format="csc")
    equations = int(equal.sum() + fixed.sum())
    if factors:
        link = sparse.hstack([sparse.csr_array(T.T), -sparse.eye_array(factors)])  # type: ignore[union-attr]
        padded = sparse.hstack([stacked, sparse.csc_array((stacked.shape[0], factors))])
        stacked = sparse.vstack([link, padded], format="csc")
        rhs = [np.zeros(factors), *rhs]
        equations += factors
    inequalities = stacked.shape[0] - equations
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.equilibrate_enable = equilibrate
    settings.tol_gap_rel = settings.tol_feas = tolerance
    settings.tol_gap_abs = ABSOLUTE * tolerance
    settings.tol_infeas_abs = settings.tol_infeas_rel = 1e-9
    if time_limit is not None:
        settings.time_limit = max(time_limit, 1e-3)
    cones = [clarabel.ZeroConeT(equations), clarabel.NonnegativeConeT(inequalities)]
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(sparse.triu(total)),
        np.concatenate([scale * cost, np.zeros(factors)]),
        sparse.csc_matrix(stacked),
        np.concatenate(rhs),
        [cone for cone, size in zip(cones, (equations, inequalities), strict=True) if size],
        settings,
    )
    solution = solver.solve()
    status = str(solution.status)
    if status in ("Solved", "AlmostSolved", "InsufficientProgress", "MaxIterations", "MaxTime"):
        good = status in ("Solved", "AlmostSolved")
        x = np.array(solution.x)[:n]
        dual = np.array(solution.z)[factors:]
        parts = np.split(dual, np.cumsum([block.shape[0] for block in blocks])[:-1])
        row_multipliers = np.zeros(rows.shape[0])
        row_multipliers[equal] = -parts[0]
        row_multipliers[low] += parts[2]
        row_multipliers[high] -= parts[3]
        kind = Outcome.OPTIMAL if good else (Outcome.LIMIT if status == "MaxTime" else Outcome.ERROR)
        if not (np.isfinite(x).all() and np.isfinite(dual).all()):
            return ConicAnswer(Outcome.ERROR)
        return ConicAnswer(kind, x, row_multipliers / norms / scale)
    if status in ("PrimalInfeasible", "AlmostPrimalInfeasible"):
        return ConicAnswer(Outcome.INFEASIBLE)
    if status in ("DualInfeasible", "AlmostDualInfeasible"):
        return ConicAnswer(Outcome.UNBOUNDED)
    return ConicAnswer(Outcome.ERROR)
