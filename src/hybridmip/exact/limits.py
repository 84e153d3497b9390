"""Limits of x that the objective implies: what lies beyond them is worse than what is known.

Among the points that satisfy the equations the objective is least at x*, and grows by h'Qh with the distance h from it.
Where no more than R may be lost, x_j is within sqrt(R C_jj) of x*_j, C being the inverse of Q on the directions that
the equations leave. Where x has no limits of its own, or very loose ones, the bounds of a tree are worth much more with
these. Each is a reason like any other of the tree: the closed formula with x_j beyond the limit passes the cut.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hybridmip.bounds.formula import Formula, rounding
from hybridmip.exact.tree import Diagonal, Reason, Status
from hybridmip.model.quadratic import Vector
from hybridmip.model.units import Proof
from hybridmip.relax.node import Shared
from hybridmip.relax.protocol import Setting

#: Limits are worth their price where the middle one leaves this share of the range at most.
NARROW = 0.25
#: How far beyond the limit the cut is passed, as a share of the distance: room for rounding.
MARGIN = 1e-6


@dataclass(frozen=True)
class Limit:
    """x_j, while on, is at most (side 1) or at least (side -1) a value, for the reason given."""

    j: int
    side: int
    value: float
    reason: Reason


@dataclass(frozen=True)
class _Ellipsoid:
    """Where the objective is least on the equations, what it is there, its inverse curvature and the multipliers."""

    centre: Vector
    least: float
    inverse: np.ndarray
    rows: np.ndarray
    #: Multipliers at the centre, and their change with x along the columns of the inverse.
    multipliers: Vector
    slopes: np.ndarray


def _ellipsoid(shared: Shared, there: np.ndarray) -> _Ellipsoid | None:
    """That of the x there; None where the objective has no curvature in some direction."""
    Q, q = shared.Q[np.ix_(there, there)], shared.q[there]
    own = slice(shared.rows)
    equations = (shared.low[own] == shared.high[own]) & ~shared.Mb[own].any(axis=1)
    rows = np.flatnonzero(equations & shared.Mx[own][:, there].any(axis=1))
    E, right = shared.Mx[rows][:, there], shared.low[rows]
    try:
        np.linalg.cholesky(Q)
        inverse = np.linalg.inv(Q)
        centre = -0.5 * inverse @ q
        across = inverse @ E.T
        dual = np.linalg.inv(E @ across)
    except np.linalg.LinAlgError:
        return None
    half = dual @ (right - E @ centre)
    centre = centre + across @ half
    least = float(centre @ (Q @ centre) + q @ centre)
    # 2 Q x + q = E'la at x = x* + t C_j / C_jj but for the entry of j.
    return _Ellipsoid(centre, least, inverse - across @ dual @ across.T, rows, 2.0 * half, -2.0 * dual @ across.T)


def limits_of_objective(
    setting: Setting, plain: Shared, lower: Vector, upper: Vector, status: Status, cut: float
) -> list[Limit]:
    """Limits beyond which no point below the cut lies; none where they are not worth it.

    Parameters
    ----------
    plain : Shared
        The problem, with its own objective and limits.
    lower, upper : ndarray
        Limits so far.
    status : ndarray
        Binaries that are on (1) and off (-1) in all that is left.
    """
    owner, status = plain.switch, status.copy()
    if not plain.counts.propagate(status):
        return []
    there = np.flatnonzero((owner < 0) | (status[np.maximum(owner, 0)] >= 0))
    if there.size == 0 or plain.Q.shape[0] == 0:
        return []
    found = _ellipsoid(plain, there)
    if found is None or not np.isfinite(found.least):
        return []
    room = cut - plain.offset - found.least - plain.counts.least(plain.p, status)[0]
    if not (room > 0 and math.isfinite(room)):
        return []
    width = np.sqrt(room * np.maximum(np.diag(found.inverse), 0.0)) * (1.0 + MARGIN)
    low, high = lower[there], upper[there]
    with np.errstate(invalid="ignore", divide="ignore"):
        kept = np.minimum(high, found.centre + width) - np.maximum(low, found.centre - width)
        share = np.where(np.isinf(high - low), 0.0, np.where(high > low, kept / (high - low), 1.0))
    if not float(np.median(share)) <= NARROW:
        return []
    diagonal = (1.0 - MARGIN) * plain.ground
    slack = setting.formula.slack(diagonal)
    if slack is None:
        return []
    limits = []
    lower, upper = lower.copy(), upper.copy()
    for k in np.flatnonzero(width > 0):
        for side in (1, -1):
            value = float(found.centre[k] + side * width[k])
            j = int(there[k])
            if not (lower[j] < value < upper[j]):
                continue
            y, la = np.zeros(plain.q.size), np.zeros(plain.own_rows)
            step = side * float(width[k]) / float(found.inverse[k, k])
            y[there] = found.centre + step * found.inverse[:, k]
            la[found.rows] = found.multipliers + step * found.slopes[:, k]
            reason = Reason(Diagonal(diagonal, slack), y, la, math.inf)
            if _beyond(setting, plain, lower, upper, status, (j, side, value), reason) >= cut:
                limits.append(Limit(j, side, value, reason))
                (upper if side > 0 else lower)[j] = value
    return limits


def _beyond(
    setting: Setting, plain: Shared, lower: Vector, upper: Vector, status: Status, limit: tuple[int, int, float],
    reason: Reason,
) -> float:  # fmt: skip
    """A lower bound on what is left where x_j is on and beyond a limit."""
    j, side, value = limit
    problem, owner = setting.problem, plain.switch
    off = (owner >= 0) & (status[np.maximum(owner, 0)] < 0)
    low, high = np.where(off, 0.0, lower), np.where(off, 0.0, upper)
    (low if side > 0 else high)[j] = value
    la = reason.multipliers
    proof = Proof(reason.diagonal.values, reason.point, la[: problem.rows], la[problem.rows :])
    terms = Formula(problem, setting.binaries, low, high).terms(proof, reason.diagonal.slack)
    if terms is None:
        return -math.inf
    if owner[j] >= 0:
        status = status.copy()
        status[owner[j]] = 1
    least, size = plain.counts.least(terms.costs - terms.errors, status)
    size += abs(terms.constant)
    return terms.constant + least - terms.error - 4 * rounding(problem.m) * size
