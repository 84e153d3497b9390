"""Dual: every row and both links priced by multipliers; the scores are minus the cost left on b."""

from __future__ import annotations

import numpy as np

from hybridmip.bounds.formula import minima, rounding
from hybridmip.bounds.ledger import Grade
from hybridmip.bounds.multipliers import priced_limits, usable_multipliers
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import QuadraticForm, Vector
from hybridmip.relax.line import Line
from hybridmip.relax.protocol import Relaxation, Relaxed, Setting


class Dual(Relaxation):
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
    dominated_by = ("persp",)

    def solve(self, setting: Setting, earlier: dict[str, Relaxed], time_limit: float | None) -> Relaxed:
        """Multipliers from Line (solved first if it was not), then the formula."""
        line = earlier["line"] if "line" in earlier else Line().solve(setting, earlier, time_limit)
        problem = setting.problem
        costs = costs_on_b(setting, problem.p, line)
        # Where an x has no limits a slope that is zero but for rounding has no minimum: curvature keeps it finite.
        open_ones = np.isinf(setting.hull_lower) | np.isinf(setting.hull_upper)
        kept = np.where(open_ones, setting.phi, 0.0) if open_ones.any() else np.zeros(problem.n)
        slack = setting.formula.slack(kept)
        bound = -np.inf
        if slack is not None:
            bound = dual_value(setting, problem.Q, problem.q, problem.offset, costs, line, slack, kept)
        scores = -costs + tie_break(problem, costs, line.x)
        return Relaxed(
            "dual", scores, 0.0, line.x, (costs < 0).astype(np.float64), bound, line.row_multipliers,
            line.binary_multipliers, line.link_lower, line.link_upper, grade=Grade.PROVEN, fractional=False,
        )  # fmt: skip


def costs_on_b(setting: Setting, p: Vector, point: Relaxed) -> Vector:
    """c = p + B'lb + L'll - U'lu, with the rows that mix x and b priced too."""
    problem = setting.problem
    mu = usable_multipliers(point.binary_multipliers, problem.b_lower, problem.b_upper)
    la = usable_multipliers(point.row_multipliers, problem.row_lower, problem.row_upper)
    costs = p - problem.transposed.B @ mu - problem.transposed.G @ la
    switched = np.flatnonzero(problem.switched)
    for multipliers, bounds, sign in (
        (point.link_lower, setting.lower, 1.0),
        (point.link_upper, setting.upper, -1.0),
    ):
        finite = switched[multipliers[switched] > 0]
        np.add.at(costs, problem.switch[finite], sign * bounds[finite] * multipliers[finite])
    return np.asarray(costs)


def dual_value(
    setting: Setting,
    Q: QuadraticForm,
    q: Vector,
    offset: float,
    costs: Vector,
    point: Relaxed,
    slack: Vector,
    curvature: Vector,
) -> float:
    """h at the multipliers of `point`: a lower bound, with rounding taken off.

    `slack` is what Q lacks to being semidefinite, or to being below the problem's own; it is charged. `curvature` is a
    diagonal below Q that stays inside the minimum over x.
    """
    problem, y, d = setting.problem, point.x, curvature
    la = usable_multipliers(point.row_multipliers, problem.row_lower, problem.row_upper)
    mu = usable_multipliers(point.binary_multipliers, problem.b_lower, problem.b_upper)
    links = point.link_lower + point.link_upper
    half = Q.matvec(y) - d * y
    slope = q + 2 * half - problem.transposed.A @ la - point.link_lower + point.link_upper
    inside = Q.absolute_matvec(y) + d * np.abs(y)
    size = np.abs(q) + 2 * inside + problem.transposed_magnitudes.A @ np.abs(la) + links
    in_slope = rounding(problem.n + problem.rows) * size
    low, high = setting.hull_lower, setting.hull_upper
    over_x, in_x = minima(d, slope, in_slope, low, high, lambda j: None)
    parts = [
        np.array([offset, -float(y @ half)]),
        over_x,
        np.where(setting.binaries.possible, np.minimum(costs, 0.0), 0.0),
        priced_limits(la, problem.row_lower, problem.row_upper),
        priced_limits(mu, problem.b_lower, problem.b_upper),
    ]
    value = float(sum(part.sum() for part in parts))
    # What costs are sums of; the links are priced at the bounds of their x.
    in_costs = float(np.abs(problem.p).sum() + (problem.transposed_magnitudes.B @ np.abs(mu)).sum())
    in_costs += float((problem.transposed_magnitudes.G @ np.abs(la)).sum())
    in_costs += priced_links(setting, point)
    with np.errstate(invalid="ignore"):
        away = np.maximum(np.abs(low - y), np.abs(high - y))
        lacking = float(np.where(slack > 0, slack * away * away, 0.0).sum())
    error = float(in_x.sum()) + lacking + rounding(problem.n) * float(np.abs(y) @ inside)
    error += 2 * rounding(problem.n + problem.m + problem.rows) * (sum(np.abs(part).sum() for part in parts) + in_costs)
    return value - error if np.isfinite(value) and np.isfinite(error) else -np.inf


def priced_links(setting: Setting, point: Relaxed) -> float:
    """The sum of the sizes of what the links' multipliers add to the costs of b."""
    return float(sum(
        (multipliers[multipliers > 0] * np.abs(bounds[multipliers > 0])).sum()
        for multipliers, bounds in ((point.link_lower, setting.lower), (point.link_upper, setting.upper))
    ))  # fmt: skip


def tie_break(problem: Problem, costs: Vector, x: Vector) -> Vector:
    """A millionth of the scores' scale, shared out by the relaxed |x| of each binary."""
    weight = np.zeros(problem.m)
    switched = problem.switched
    np.add.at(weight, problem.switch[switched], np.abs(x[switched]))
    largest = float(weight.max(initial=0.0))
    scale = float(np.abs(costs).max(initial=0.0)) or 1.0
    return 1e-6 * scale * weight / largest if largest > 0 else weight
