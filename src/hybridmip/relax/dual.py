"""Dual: every row and both links priced by multipliers; the scores are minus the cost left on b."""

from __future__ import annotations

import numpy as np

from hybridmip.bounds.formula import box_minimum, priced_limits, usable_multipliers
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import QuadraticForm, Vector
from hybridmip.relax.line import Line
from hybridmip.relax.role import Relaxed, Setting


class Dual:
    """The Lagrangian dual of the paper, h(l) = min_x {x'Qx + g'x} + sum_i min(0, c_i) - la'c_a - lb'c_b.

    By strong duality the best multipliers are those of Line, so they are read off it rather than
    computed again; the paper's c <= 0 is not imposed, since min(0, c_i) is what the minimum over b gives.

    For a singular Q and for a MILP (Q = 0) the minimum over all x is minus infinity unless g lies in
    the range of Q. There the box that holds x for either value of its switch stays inside the minimum:
    x'Qx is replaced by its tangent at Line's point, which is exact there, and what remains of the slope
    is minimised over the box. The result is a bound for every multiplier, equal to h where h is finite.

    Where c ties (every b strictly between 0 and 1 in Line has c_i = 0) the relaxed x decides.
    """

    name = "dual"

    def solve(self, setting: Setting, earlier: dict[str, Relaxed], time_limit: float | None) -> Relaxed:
        """Multipliers from Line (solved first if it was not), then the formula."""
        line = earlier["line"] if "line" in earlier else Line().solve(setting, earlier, time_limit)
        problem = setting.problem
        costs = costs_on_b(setting, problem.p, line)
        bound = dual_value(setting, problem.Q, problem.q, problem.offset, costs, line)
        scores = -costs + tie_break(problem, costs, line.x)
        return Relaxed(
            "dual", scores, 0.0, line.x, (costs < 0).astype(np.float64), bound, line.row_multipliers,
            line.binary_multipliers, line.link_lower, line.link_upper,
        )  # fmt: skip


def costs_on_b(setting: Setting, p: Vector, point: Relaxed) -> Vector:
    """c = p + B'lb + L'll - U'lu, with the rows that mix x and b priced too."""
    problem = setting.problem
    mu = usable_multipliers(point.binary_multipliers, problem.b_lower, problem.b_upper)
    la = usable_multipliers(point.row_multipliers, problem.row_lower, problem.row_upper)
    costs = p - problem.B.T @ mu - problem.G.T @ la
    switched = np.flatnonzero(problem.switched)
    for multipliers, bounds, sign in (
        (point.link_lower, setting.lower, 1.0),
        (point.link_upper, setting.upper, -1.0),
    ):
        finite = switched[multipliers[switched] > 0]
        np.add.at(costs, problem.switch[finite], sign * bounds[finite] * multipliers[finite])
    return np.asarray(costs)


def dual_value(setting: Setting, Q: QuadraticForm, q: Vector, offset: float, costs: Vector, point: Relaxed) -> float:
    """h at the multipliers of `point`: a lower bound, with rounding taken off."""
    problem = setting.problem
    la = usable_multipliers(point.row_multipliers, problem.row_lower, problem.row_upper)
    mu = usable_multipliers(point.binary_multipliers, problem.b_lower, problem.b_upper)
    half = Q.matvec(point.x)
    slope = q + 2 * half - problem.A.T @ la - point.link_lower + point.link_upper
    magnitude = np.abs(q) + 2 * np.abs(half) + abs(problem.A.T) @ np.abs(la) + point.link_lower + point.link_upper
    magnitude = np.maximum(magnitude, magnitude.max(initial=0.0) * 1e-3)
    over_x = box_minimum(np.zeros(problem.n), slope, setting.hull_lower, setting.hull_upper, magnitude)
    parts = [
        np.array([offset, -float(point.x @ half)]),
        over_x,
        np.minimum(costs, 0.0),
        priced_limits(la, problem.row_lower, problem.row_upper),
        priced_limits(mu, problem.b_lower, problem.b_upper),
    ]
    value = float(sum(part.sum() for part in parts))
    if not np.isfinite(value):
        return -np.inf
    return value - 1e-14 * float(sum(np.abs(part).sum() for part in parts) + np.abs(costs).sum())


def tie_break(problem: Problem, costs: Vector, x: Vector) -> Vector:
    """A millionth of the scores' scale, shared out by the relaxed |x| of each binary."""
    weight = np.zeros(problem.m)
    switched = problem.switched
    np.add.at(weight, problem.switch[switched], np.abs(x[switched]))
    largest = float(weight.max(initial=0.0))
    scale = float(np.abs(costs).max(initial=0.0)) or 1.0
    return 1e-6 * scale * weight / largest if largest > 0 else weight
