"""Augm: Q replaced by the diagonal Phi, the equations also as a squared term."""

from __future__ import annotations

import numpy as np

from hybridmip.bounds.formula import rounding
from hybridmip.bounds.ledger import Grade
from hybridmip.bounds.multipliers import priced_limits, usable_multipliers
from hybridmip.model.quadratic import DiagonalForm, Vector
from hybridmip.relax.dual import costs_on_b, dual_value, priced_links, tie_break
from hybridmip.relax.line import solve_relaxation
from hybridmip.relax.protocol import Relaxation, Relaxed, Setting

#: Curvature given to an x without any, as a share of the largest cost over its range.
CURVATURE = 0.1


class Augm(Relaxation):
    """The augmented dual: with M = Phi + lg A'A over the equations A x = c_a,

        x^ = -M^-1 (g - 2 lg A'c_a) / 2,
        h(l) = -x^'M x^ + lg c_a'c_a + sum_i min(0, c_i) - la'c_a - lb'c_b.

    Since the square vanishes wherever the equations hold, the best multipliers are those of the
    continuous relaxation with Phi in place of Q, whatever lg is: that diagonal problem is solved, and
    h evaluated with M as a diagonal plus low rank (Woodbury), never as an n x n matrix.

    Where Phi is 0 (a singular Q, or a MILP) an x with finite bounds gets a curvature all the same:
    (x - l b)(x - u b) <= 0 at every feasible point, so phi (x^2 - (l + u) x + l u b) can be added to
    the objective and only lowers it. The relaxed x is then pulled away from the ends of its range,
    which is what makes Augm's scores differ from Dual's on a MILP.

    Parameters
    ----------
    weight : float
        lg, the paper's lambda_g.
    """

    name = "augm"
    dominated_by = ("persp",)

    def __init__(self, weight: float = 1e-7) -> None:
        self.weight = weight

    def solve(self, setting: Setting, earlier: dict[str, Relaxed], time_limit: float | None) -> Relaxed:
        """Solve the diagonal relaxation, then evaluate h."""
        problem = setting.problem
        diagonal, q, p, offset = diagonal_objective(setting)
        form = DiagonalForm(diagonal)
        x, b, la, mu, low, high = solve_relaxation(setting, form, q, p, time_limit)
        found = Relaxed("augm", b, 0.0, x, b, -np.inf, la, mu, low, high)
        costs = costs_on_b(setting, p, found)
        bound, slack = -np.inf, setting.formula.slack(setting.phi)
        open_ones = np.isinf(setting.hull_lower) | np.isinf(setting.hull_upper)
        if slack is not None:
            # Moving curvature into q and p rounds; as if that much were lacking.
            slack = slack + 8 * np.finfo(float).eps * diagonal
            bound = max(
                dual_value(setting, form, q, offset, costs, found, slack, np.where(open_ones, diagonal, 0.0)),
                self._augmented_value(setting, diagonal, q, offset, costs, found, slack),
            )
        scores = -costs + tie_break(problem, costs, x)
        return Relaxed("augm", scores, 0.0, x, b, bound, la, mu, low, high, grade=Grade.PROVEN)

    def _augmented_value(
        self, setting: Setting, diagonal: Vector, q: Vector, offset: float, costs: Vector, found: Relaxed, slack: Vector
    ) -> float:
        """The class's formula for h, by Woodbury, with rounding taken off; -inf where some Phi_j is 0."""
        problem, lg = setting.problem, self.weight
        if diagonal.size == 0 or diagonal.min() <= 0:
            return -np.inf
        la = usable_multipliers(found.row_multipliers, problem.row_lower, problem.row_upper)
        mu = usable_multipliers(found.binary_multipliers, problem.b_lower, problem.b_upper)
        # The square holds only for equations in x alone.
        only_x = np.diff(problem.G.indptr) == 0 if problem.rows else np.zeros(0, dtype=bool)
        equations = np.flatnonzero((problem.row_lower == problem.row_upper) & only_x)
        A, c_a = problem.A[equations].toarray(), problem.row_lower[equations]
        g = q - problem.transposed.A @ la - found.link_lower + found.link_upper - 2 * lg * (A.T @ c_a)
        size = np.abs(q) + problem.transposed_magnitudes.A @ np.abs(la) + found.link_lower + found.link_upper
        in_g = rounding(2 * problem.rows) * (size + 2 * lg * (np.abs(A.T) @ np.abs(c_a)))
        # M^-1 g with M = Phi + lg A'A
        solved = g / diagonal
        if equations.size and lg > 0:
            weighted = A / diagonal
            core = np.eye(equations.size) / lg + weighted @ A.T
            solved = solved - weighted.T @ np.linalg.lstsq(core, A @ solved, rcond=None)[0]
        # g'M^-1 g is at most 2 s'g - s'M s + r'Phi^-1 r for any s, with r = g - M s, since M >= Phi.
        product = diagonal * solved + lg * (A.T @ (A @ solved))
        inside = diagonal * np.abs(solved) + lg * (np.abs(A.T) @ (np.abs(A) @ np.abs(solved)))
        missing = np.abs(g - product) + in_g + rounding(problem.n + 2 * problem.rows) * (np.abs(g) + inside)
        most = 2 * float(solved @ g) - float(solved @ product) + float((missing / diagonal) @ missing)
        most += 2 * float(np.abs(solved) @ in_g)
        most += 2 * rounding(problem.n + problem.rows) * float(np.abs(solved) @ (2 * np.abs(g) + inside))
        parts = [
            np.array([offset, -0.25 * most, lg * float(c_a @ c_a)]),
            np.where(setting.binaries.possible, np.minimum(costs, 0.0), 0.0),
            priced_limits(la, problem.row_lower, problem.row_upper),
            priced_limits(mu, problem.b_lower, problem.b_upper),
        ]
        total = float(sum(part.sum() for part in parts))
        in_costs = float(
            (problem.transposed_magnitudes.B @ np.abs(mu)).sum() + (problem.transposed_magnitudes.G @ np.abs(la)).sum()
        )
        reach = np.maximum(np.abs(setting.hull_lower), np.abs(setting.hull_upper))
        in_costs += float(np.abs(problem.p).sum()) + priced_links(setting, found)
        with np.errstate(invalid="ignore"):
            lacking = float(np.where(slack > 0, slack * reach * reach, 0.0).sum())
        terms = problem.n + problem.m + problem.rows
        error = lacking + 2 * rounding(terms) * (sum(np.abs(part).sum() for part in parts) + in_costs)
        return total - error if np.isfinite(total) and np.isfinite(error) else -np.inf


def diagonal_objective(setting: Setting) -> tuple[Vector, Vector, Vector, float]:
    """(diagonal, q, p, offset) of a diagonal objective that is nowhere above the problem's own."""
    problem = setting.problem
    diagonal = setting.phi.copy()
    q, p, offset = problem.q.copy(), problem.p.copy(), problem.offset
    lower, upper = setting.lower, setting.upper
    flat = (diagonal <= 0) & np.isfinite(lower) & np.isfinite(upper) & (upper > lower)
    if flat.any():
        width = np.where(flat, upper - lower, 1.0)
        costs = np.concatenate([np.abs(q) * np.where(flat, width, 0.0), np.abs(p)])
        scale = float(costs.max(initial=0.0))
        added = np.where(flat, CURVATURE * np.maximum(np.abs(q) * width, 1e-3 * scale) / width**2, 0.0)
        diagonal += added
        low, high = np.where(flat, lower, 0.0), np.where(flat, upper, 0.0)
        q = q - added * (low + high)
        product = added * low * high
        switched = problem.switched
        np.add.at(p, problem.switch[switched], product[switched])
        offset += float(product[~switched].sum())
    return diagonal, q, p, offset
