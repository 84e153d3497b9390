"""The optimum by trying every b: PIQP on each QP, HiGHS's simplex without presolve on each LP, both checked by duality.

Nothing of the package is used. Each restricted problem gives an interval, from a feasible point and from multipliers;
where it is wide the oracle says so.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import piqp
from scipy.optimize import linprog

from tests.soak.data import Data

INF = np.inf


class Inconclusive(Exception):
    """The oracle's own solvers do not agree well enough to judge by."""


@dataclass(frozen=True)
class Optimum:
    """The optimum lies between `low` and `high`; both infinite when there is no feasible point."""

    low: float
    high: float
    size: float
    x: np.ndarray | None
    b: np.ndarray | None

    @property
    def infeasible(self) -> bool:
        return self.high == INF


def optimum(data: Data) -> Optimum:
    """Try every b.

    Raises
    ------
    Inconclusive
        If a restricted problem has no clear answer.
    """
    best, low = Optimum(INF, INF, 0.0, None, None), INF
    for bits in itertools.product((0.0, 1.0), repeat=data.m):
        b = np.array(bits)
        if not _member(data, b):
            continue
        found = restricted(data, b)
        if found is None:
            continue
        value, least, x = found
        low = min(low, least)
        if value < best.high:
            best = Optimum(low, value, data.size(x, b), x, b)
    if best.infeasible:
        return best
    return Optimum(min(low, best.high), best.high, best.size, best.x, best.b)


def _member(data: Data, b: np.ndarray) -> bool:
    value, size = data.B @ b, np.abs(data.B) @ b
    slack = 1e-12 * (size + 1e-300)
    low = data.b_lower - slack - 1e-12 * np.where(np.isfinite(data.b_lower), np.abs(data.b_lower), 0)
    high = data.b_upper + slack + 1e-12 * np.where(np.isfinite(data.b_upper), np.abs(data.b_upper), 0)
    return bool(((value >= low) & (value <= high)).all())


def restricted(data: Data, b: np.ndarray) -> tuple[float, float, np.ndarray] | None:
    """(value, lower bound, x) of the restricted problem; None where it is infeasible."""
    lower, upper = data.bounds_given(b)
    shift = data.G @ b
    low, high = data.row_lower - shift, data.row_upper - shift
    if not _fixed_by_equations(data.A, low, high, lower, upper):
        return None
    # What is fixed leaves; what is left is a plain QP or LP.
    free = np.flatnonzero(lower < upper)
    x = np.where(lower == upper, lower, 0.0)
    held = data.A @ x
    Q = data.matrix()
    cost = (data.q + 2 * Q @ x)[free]
    A, low, high = data.A[:, free], low - held, high - held
    size = np.abs(data.A) @ np.abs(x) + np.abs(data.G) @ b
    scale = np.where(np.isfinite(low), np.abs(low), 0.0) + np.where(np.isfinite(high), np.abs(high), 0.0) + size
    constant = data.objective(x, b)
    empty = np.abs(A).max(axis=1, initial=0.0) == 0.0
    if ((low[empty] > 1e-10 * scale[empty]) | (high[empty] < -1e-10 * scale[empty])).any():
        return None
    kept = ~empty & (np.isfinite(low) | np.isfinite(high))
    A, low, high = A[kept], low[kept], high[kept]
    if free.size == 0:
        return constant, constant, x
    H = Q[np.ix_(free, free)]
    if _clearly_empty(A, low, high, lower[free], upper[free]):
        return None
    try:
        if not H.any():
            z, multipliers = _linear(cost, A, low, high, lower[free], upper[free])
        else:
            z, multipliers = _quadratic(H, cost, A, low, high, lower[free], upper[free])
        x[free] = z
        activity = A @ z
        size = np.abs(A) @ np.abs(z) + np.abs(A).max(axis=1, initial=0.0) * max(1.0, float(np.abs(z).max()))
        if ((low - activity > 1e-8 * size) | (activity - high > 1e-8 * size)).any():
            raise Inconclusive("the reference solver's point misses a row")
        value = data.objective(x, b)
        least = constant + dual_value(H, cost, A, low, high, lower[free], upper[free], z, multipliers)
        spread = 1e-6 * max(data.size(x, b), abs(value)) + 1e-12
        if not np.isfinite(value) or (np.isfinite(least) and value - least > spread):
            raise Inconclusive(f"value {value}, dual {least}")
    except Inconclusive:
        # Perhaps because there is no point at all.
        if feasible_point(A, low, high, lower[free], upper[free]) is None:
            return None
        raise
    return value, least if np.isfinite(least) else value - spread, x


def _fixed_by_equations(A, low, high, lower, upper):
    """Fix every x that is alone in an equation, in place; False where that is beyond its bounds."""
    found = True
    while found:
        found = False
        for i in np.flatnonzero(low == high):
            open_ones = np.flatnonzero((A[i] != 0) & (lower < upper))
            if open_ones.size != 1:
                continue
            j = int(open_ones[0])
            held = np.where((A[i] != 0) & (lower == upper), A[i] * np.where(np.isfinite(lower), lower, 0.0), 0.0)
            z = (low[i] - held.sum()) / A[i, j]
            size = max(1.0, abs(z), (abs(low[i]) + np.abs(held).sum()) / abs(A[i, j]))
            if z < lower[j] - 1e-7 * size or z > upper[j] + 1e-7 * size:
                return False
            if z < lower[j] - 1e-12 * size or z > upper[j] + 1e-12 * size:
                raise Inconclusive(f"an equation leaves x{j} next to its bound")
            lower[j] = upper[j] = min(max(z, lower[j]), upper[j])
            found = True
    return True


def _clearly_empty(A, low, high, lower, upper):
    """Whether a single row cannot hold, by far, for any x within its bounds."""
    with np.errstate(invalid="ignore"):
        ends = np.where(A != 0, A * lower, 0.0), np.where(A != 0, A * upper, 0.0)
    least, most = np.minimum(*ends).sum(axis=1), np.maximum(*ends).sum(axis=1)
    room = 1e-6 * (np.maximum(*(np.abs(end) for end in ends)).sum(axis=1) + np.abs(A).max(axis=1, initial=0.0))
    return bool(((least - room > high) | (most + room < low)).any())


def _slacks(A, low, high):
    norms = np.linalg.norm(A, axis=1)
    return A / norms[:, None], low / norms, high / norms


def feasible_point(A, low, high, lower, upper):
    """A point, None where there is none; unclear where the rows are missed by next to nothing."""
    if A.shape[0] == 0:
        return np.clip(0.0, lower, upper)
    A, low, high = _slacks(A, low, high)
    rows, n = A.shape
    matrix = np.hstack([A, np.eye(rows), -np.eye(rows)])
    answer = _simplex(
        np.concatenate([np.zeros(n), np.ones(2 * rows)]), matrix, low, high,
        np.concatenate([lower, np.zeros(2 * rows)]), np.concatenate([upper, np.full(2 * rows, INF)]),
    )  # fmt: skip
    if answer is None:
        raise Inconclusive("phase one has no answer")
    total = float(answer[0][n:].sum())
    reach = max(1.0, float(np.abs(answer[0][:n]).max(initial=0.0)))
    if total <= 1e-9 * reach:
        return answer[0][:n]
    if total > 1e-7 * reach:
        return None
    raise Inconclusive(f"rows are missed by {total}")


def _simplex(cost, A, low, high, lower, upper):
    """(x, multipliers of the rows) of an LP, None where there is no optimum."""
    equal = low == high
    blocks, limits, origin = [], [], []
    for sign, limit in ((1.0, high), (-1.0, low)):
        use = np.isfinite(limit) & ~equal
        blocks.append(sign * A[use])
        limits.append(sign * limit[use])
        origin.append((sign, np.flatnonzero(use)))
    answer = linprog(
        cost, A_ub=np.vstack(blocks) if sum(len(b) for b in blocks) else None,
        b_ub=np.concatenate(limits) if sum(len(b) for b in blocks) else None,
        A_eq=A[equal] if equal.any() else None, b_eq=low[equal] if equal.any() else None,
        bounds=np.column_stack([lower, upper]), method="highs-ds",
        options={"presolve": False, "primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )  # fmt: skip
    if answer.status == 3:
        raise Inconclusive("no lower limit")
    if answer.status != 0:
        return None
    multipliers = np.zeros(A.shape[0])
    if equal.any():
        multipliers[equal] = answer.eqlin.marginals
    at = 0
    for sign, rows in origin:
        multipliers[rows] += sign * answer.ineqlin.marginals[at : at + rows.size]
        at += rows.size
    return np.clip(answer.x, lower, upper), multipliers


def _linear(cost, A, low, high, lower, upper):
    scale = float(np.abs(cost).max()) or 1.0
    answer = _simplex(cost / scale, A, low, high, lower, upper)
    if answer is None:
        raise Inconclusive("an LP has no answer")
    return answer[0], answer[1] * scale


def _quadratic(H, cost, A, low, high, lower, upper):
    solver = piqp.DenseSolver()
    solver.settings.eps_abs, solver.settings.eps_rel = 1e-11, 1e-11
    solver.settings.eps_duality_gap_abs, solver.settings.eps_duality_gap_rel = 1e-12, 1e-12
    solver.settings.max_iter = 1000
    scale = 1.0 / max(float(np.abs(H).max()), 1e-300)
    equal = low == high
    rest = ~equal
    matrix = lambda M: np.asfortranarray(M) if len(M) else None  # noqa: E731
    vector = lambda v: v if v.size else None  # noqa: E731
    solver.setup(
        np.asfortranarray(2 * scale * H), scale * cost, matrix(A[equal]), vector(low[equal]), matrix(A[rest]),
        vector(low[rest]), vector(high[rest]), lower, upper,
    )  # fmt: skip
    solver.solve()
    result = solver.result
    x = np.clip(np.array(result.x), lower, upper)
    multipliers = np.zeros(A.shape[0])
    multipliers[equal] = -np.array(result.y) / scale
    multipliers[rest] = (np.array(result.z_l) - np.array(result.z_u)) / scale
    if not np.isfinite(x).all():
        raise Inconclusive(f"PIQP says {result.info.status}")
    return x, multipliers


def dual_value(H, cost, A, low, high, lower, upper, z, multipliers):
    """A lower bound from any point and multipliers; -inf where a slope leads nowhere."""
    la = np.where(((multipliers > 0) & np.isinf(low)) | ((multipliers < 0) & np.isinf(high)), 0.0, multipliers)
    slope = cost + 2 * H @ z - A.T @ la
    value = -float(z @ H @ z)
    for j in range(z.size):
        end = lower[j] if slope[j] > 0 else upper[j]
        if np.isfinite(end):
            value += slope[j] * end
        elif abs(slope[j]) > 1e-9 * (abs(cost[j]) + 2 * np.abs(H[j]) @ np.abs(z) + np.abs(A[:, j]) @ np.abs(la)):
            return -INF
    for i in range(la.size):
        if la[i] != 0:
            value += la[i] * (low[i] if la[i] > 0 else high[i])
    return value
