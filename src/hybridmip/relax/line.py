"""Line: let b range over [0, 1]; the optimal b are the scores."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from hybridmip.engines.conic import solve_qp
from hybridmip.engines.highs import LinearModel, Outcome
from hybridmip.model.quadratic import QuadraticForm, Vector
from hybridmip.model.units import Proof
from hybridmip.relax.protocol import Relaxation, RelaxationFailed, Relaxed, Setting


class Line(Relaxation):
    """The continuous relaxation of the problem.

    The bound is the closed formula of `bounds.formula` at the solver's point and multipliers, so it
    holds whatever the solver's tolerance was.
    """

    name = "line"
    dominated_by = ("persp",)
    others_need_it = True

    def solve(self, setting: Setting, earlier: dict[str, Relaxed], time_limit: float | None) -> Relaxed:
        """Solve the relaxation: HiGHS for an LP, Clarabel for a QP."""
        problem = setting.problem
        x, b, la, mu, low, high = solve_relaxation(setting, problem.Q, problem.q, problem.p, time_limit)
        bound, proof = setting.formula.claim(Proof(np.zeros(problem.n), x, la, mu))
        if np.isneginf(bound) and not problem.is_linear:
            # An x without limits and a slope that is not quite zero: curvature from Phi keeps the minimum finite.
            bound, proof = setting.formula.claim(Proof(setting.phi, x, la, mu))
        return Relaxed("line", b, 0.5, x, b, bound, la, mu, low, high, proof)


def solve_relaxation(
    setting: Setting, Q: QuadraticForm, q: Vector, p: Vector, time_limit: float | None
) -> tuple[Vector, Vector, Vector, Vector, Vector, Vector]:
    """Minimise x'Qx + q'x + p'b with b in [0, 1]: (x, b, row, binary, lower and upper link multipliers).

    Raises
    ------
    RelaxationFailed
        If there is no answer; `status` says infeasible, limit or error.
    """
    problem, n, m = setting.problem, setting.problem.n, setting.problem.m
    matrix, row_lower, row_upper, below, above = setting.joint_rows
    lower = np.concatenate([setting.hull_lower, np.zeros(m)])
    upper = np.concatenate([setting.hull_upper, setting.b_upper])
    cost = np.concatenate([q, p])
    if Q.is_zero:
        largest = float(np.abs(cost).max(initial=0.0)) or 1.0
        model = LinearModel(cost / largest, matrix, row_lower, row_upper, lower, upper, halt=setting.halt)
        linear = model.solve(time_limit)
        if linear.status != "optimal" or linear.x is None or linear.row_duals is None:
            raise RelaxationFailed(linear.status)
        z, duals = linear.x, linear.row_duals * largest
    else:
        P, T = Q.split()
        padded = sparse.block_diag([P, sparse.csc_array((m, m))], format="csc")
        root = None if T is None else np.vstack([T, np.zeros((m, T.shape[1]))])
        conic = solve_qp(padded, root, cost, matrix, row_lower, row_upper, lower, upper, time_limit=time_limit)
        if conic.x is None or conic.row_multipliers is None or conic.status is Outcome.INFEASIBLE:
            raise RelaxationFailed(conic.status)
        z, duals = conic.x, conic.row_multipliers
    rows, b_rows = problem.rows, problem.B.shape[0]
    link_lower, link_upper = np.zeros(n), np.zeros(n)
    link_lower[below] = np.maximum(duals[rows + b_rows : rows + b_rows + below.size], 0.0)
    link_upper[above] = np.maximum(-duals[rows + b_rows + below.size :], 0.0)
    x = np.clip(z[:n], setting.hull_lower, setting.hull_upper)
    return x, np.clip(z[n:], 0.0, 1.0), duals[:rows], duals[rows : rows + b_rows], link_lower, link_upper


__all__ = ["Line", "solve_relaxation"]
