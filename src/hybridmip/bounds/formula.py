"""The closed formula for lower bounds: valid for every point and every multiplier.

With D diagonal, 0 <= D and Q - D >= 0, convexity gives x'(Q - D)x >= 2 y'(Q - D)x - y'(Q - D)y for
any y. What is left after the rows are priced by multipliers is separable, so

    v = q + 2 (Q - D) y - A' la,   c_j = min over l_j <= x <= u_j of d_j x^2 + v_j x
    bound = offset - y'(Q - D) y + la . limits + sum of c_j over x without a switch
            + min over feasible b of sum_i (p_i - (G' la)_i + sum of c_j over x switched by i) b_i

where la . limits takes the lower limit of a row for a positive multiplier and the upper for a
negative one. Line's value is this with D = 0 at Line's own point and multipliers; since it holds for
any others too, a solver's tolerance can make the bound weaker but never wrong.
"""

from __future__ import annotations

import numpy as np

from hybridmip.bounds.diagonal import semidefinite_slack
from hybridmip.model.binaries import BinarySet
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Vector

#: Shares of a diagonal that are tried, until one proves something.
SHARES = (1.0, 1 - 1e-7, 1 - 1e-5, 0.0)
#: A slope this small (relative to what it is the difference of) counts as zero on an unlimited side.
SLOPE_TOLERANCE = 1e-9


def usable_multipliers(multipliers: Vector, lower: Vector, upper: Vector) -> Vector:
    """Multipliers with those removed that price a limit which is not there."""
    wrong = ((multipliers > 0) & np.isneginf(lower)) | ((multipliers < 0) & np.isposinf(upper))
    return np.where(wrong, 0.0, multipliers)


def priced_limits(multipliers: Vector, lower: Vector, upper: Vector) -> Vector:
    """multiplier * limit, with the lower limit for a positive and the upper for a negative multiplier."""
    limit = np.where(multipliers > 0, lower, upper)
    return np.where(multipliers != 0, multipliers * np.where(np.isfinite(limit), limit, 0.0), 0.0)


def box_minimum(d: Vector, v: Vector, lower: Vector, upper: Vector, magnitude: Vector) -> Vector:
    """min of d x^2 + v x over lower <= x <= upper, entry by entry; -inf where there is none.

    `magnitude` is the size of what v is a sum of: on an unlimited side with d = 0 a slope below
    1e-9 of it counts as zero.
    """
    flat = (d <= 0) & (np.abs(v) <= SLOPE_TOLERANCE * magnitude) & (np.isinf(lower) | np.isinf(upper))
    v = np.where(flat, 0.0, v)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        x = np.where(d > 0, -v / (2 * d), np.where(v > 0, lower, np.where(v < 0, upper, 0.0)))
        x = np.clip(x, lower, upper)
        value = np.where(np.isfinite(x), (d * x + v) * x, -np.inf)
    return np.where((v == 0) & (d <= 0), 0.0, value)


def switch_costs(problem: Problem, per_variable: Vector, row_multipliers: Vector) -> Vector:
    """p_i - (G' la)_i + the sum of `per_variable` over the x that binary i switches."""
    costs = problem.p - problem.G.T @ row_multipliers
    switched = problem.switched
    np.add.at(costs, problem.switch[switched], per_variable[switched])
    return np.asarray(costs)


def least_over_binaries(
    problem: Problem, binaries: BinarySet, costs: Vector, errors: Vector, binary_multipliers: Vector | None
) -> tuple[float, float]:
    """(min of costs'b over the feasible b or a lower bound on it, how far off rounding can have made it).

    Exact where the rows on b are counts over disjoint sets; else the rows are priced. `errors` are those of costs.
    """
    if np.isneginf(costs).any():
        return -np.inf, np.inf
    if binaries.kind in ("free", "disjoint"):
        chosen = binaries.maximise(-costs)
        worst = float(errors[binaries.maximise(errors)].sum())
        return float(costs[chosen].sum()), worst + _rounding(problem.m) * float(np.abs(costs[chosen]).sum())
    if binary_multipliers is None:
        binary_multipliers = np.zeros(problem.B.shape[0])
    mu = usable_multipliers(binary_multipliers, problem.b_lower, problem.b_upper)
    priced = priced_limits(mu, problem.b_lower, problem.b_upper)
    rest = np.minimum(costs - problem.B.T @ mu, 0.0)
    magnitude = float(np.abs(priced).sum() + np.abs(costs).sum() + (abs(problem.B.T) @ np.abs(mu)).sum())
    size = problem.m + problem.B.shape[0]
    return float(priced.sum() + rest.sum()), float(errors.sum()) + _rounding(size) * magnitude


def _rounding(terms: int) -> float:
    """Relative error of a sum of so many products, at most."""
    return (terms + 8) * float(np.finfo(float).eps)


def lagrangian_formula(
    problem: Problem,
    binaries: BinarySet,
    lower: Vector,
    upper: Vector,
    point: Vector,
    row_multipliers: Vector,
    binary_multipliers: Vector | None = None,
    diagonal: Vector | None = None,
) -> tuple[float, float]:
    """(value of the module's formula, how far off rounding can have made it).

    Parameters
    ----------
    lower, upper : ndarray
        Bounds of x while switched on (the problem's own, or tighter ones that rows imply).
    point, row_multipliers, binary_multipliers : ndarray
        Any values; the better, the tighter.
    diagonal : ndarray, optional
        D; zero if left out. The caller answers for Q - D >= 0.
    """
    d = np.zeros(problem.n) if diagonal is None else diagonal
    la = usable_multipliers(row_multipliers, problem.row_lower, problem.row_upper)
    size = np.abs(la)
    in_half = problem.Q.absolute_matvec(point) + d * np.abs(point)
    half = problem.Q.matvec(point) - d * point
    v = problem.q + 2 * half - problem.A.T @ la
    magnitude = np.abs(problem.q) + 2 * in_half + abs(problem.A.T) @ size
    in_v = _rounding(problem.n + problem.rows) * magnitude
    c = box_minimum(d, v, lower, upper, np.maximum(magnitude, magnitude.max(initial=0.0) * 1e-3))
    # c is a minimum over x of something linear in v: an error in v counts times the x that can attain it.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        far = np.where(d > 0, (np.abs(v) + in_v) / (2 * d), np.inf)
        reach = np.maximum(np.abs(np.clip(far, lower, upper)), np.abs(np.clip(-far, lower, upper)))
        in_c = np.where(np.isfinite(reach), reach * in_v + _rounding(4) * reach * (d * reach + np.abs(v)), 0.0)
    priced = priced_limits(la, problem.row_lower, problem.row_upper)
    unswitched = ~problem.switched
    curvature = float(point @ half)
    costs = switch_costs(problem, c, la)
    in_costs = _rounding(problem.rows) * (np.abs(problem.p) + abs(problem.G.T) @ size)
    np.add.at(in_costs, problem.switch[problem.switched], (in_c + _rounding(problem.n) * np.abs(c))[problem.switched])
    least, in_least = least_over_binaries(problem, binaries, costs, in_costs, binary_multipliers)
    value = problem.offset - curvature + float(priced.sum()) + float(c[unswitched].sum()) + least
    if not np.isfinite(value):
        return -np.inf, 0.0
    parts = abs(problem.offset) + float(np.abs(point) @ in_half) + float(np.abs(priced).sum()) + abs(least)
    parts += float(np.abs(c[unswitched]).sum())
    error = in_least + float(in_c[unswitched].sum()) + 2 * _rounding(problem.n + problem.rows) * parts
    return value, error


def proven_formula(
    problem: Problem,
    binaries: BinarySet,
    lower: Vector,
    upper: Vector,
    point: Vector,
    row_multipliers: Vector,
    binary_multipliers: Vector | None,
    diagonal: Vector,
) -> tuple[float, float]:
    """`lagrangian_formula` with Q - D >= 0 checked, and what it lacks to that charged; -inf where it is not so."""
    slack = semidefinite_slack(problem.Q, diagonal)
    if slack is None:
        return -np.inf, 0.0
    value, error = lagrangian_formula(
        problem, binaries, lower, upper, point, row_multipliers, binary_multipliers, diagonal
    )
    if slack > 0 and np.isfinite(value):
        # Q - D >= -slack I costs at most slack |x - y|^2.
        off = np.where(problem.switched, np.abs(point), 0.0)
        away = np.maximum(np.maximum(np.abs(lower - point), np.abs(upper - point)), off)
        if not np.isfinite(away).all():
            return -np.inf, 0.0
        error += slack * float(away @ away) * (1 + 1e-9)
    return value, error


def provable(
    problem: Problem,
    binaries: BinarySet,
    lower: Vector,
    upper: Vector,
    point: Vector,
    row_multipliers: Vector,
    binary_multipliers: Vector | None,
    diagonal: Vector,
) -> tuple[float, Vector]:
    """(bound that a certificate can claim, the diagonal it is claimed with).

    Twice the error is taken off: a check on another machine rounds differently. Where x has no limit rounding has no
    room, and the diagonal is lowered a little.
    """
    for share in SHARES:
        value, error = proven_formula(
            problem, binaries, lower, upper, point, row_multipliers, binary_multipliers, share * diagonal
        )
        if np.isfinite(value):
            return value - 2 * error, share * diagonal
    return -np.inf, diagonal


def lagrangian_bound(
    problem: Problem,
    binaries: BinarySet,
    lower: Vector,
    upper: Vector,
    point: Vector,
    row_multipliers: Vector,
    binary_multipliers: Vector | None = None,
    diagonal: Vector | None = None,
) -> float:
    """`lagrangian_formula`, lowered by what rounding can have added."""
    value, error = lagrangian_formula(
        problem, binaries, lower, upper, point, row_multipliers, binary_multipliers, diagonal
    )
    return value - error
