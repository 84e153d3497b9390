"""Restricted problems of any size: LPs by HiGHS with warm starts, QPs by Clarabel on the support."""

from __future__ import annotations

import math
import time
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.engines.conic import solve_qp
from hybridmip.engines.highs import LinearModel
from hybridmip.errors import UnboundedError
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Vector
from hybridmip.restricted.protocol import Binary, Evaluation, moved

#: Row violations (rows scaled to unit norm) above this are infeasible.
FEASIBILITY = 1e-8


class GeneralSolver:
    """`RestrictedSolver` for every Problem, without a limit on size."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.evaluations = 0
        squares = problem.A.multiply(problem.A).sum(axis=1) if problem.rows else np.zeros(0)
        norms = np.sqrt(np.asarray(squares).ravel())
        norms[norms == 0.0] = 1.0
        self._norms = norms
        self._A = sparse.csr_array(sparse.diags_array(1.0 / norms) @ problem.A) if problem.rows else problem.A
        self._columns = sparse.csc_array(self._A)

    @cached_property
    def _elastic(self) -> LinearModel:
        """Least total violation of the rows, x within its bounds: one slack up and one down per row."""
        n, r = self.problem.n, self.problem.rows
        identity = sparse.eye_array(r)
        return LinearModel(
            np.concatenate([np.zeros(n), np.ones(2 * r)]),
            sparse.hstack([self._A, identity, -identity]),
            np.full(r, -np.inf),
            np.full(r, np.inf),
            np.zeros(n + 2 * r),
            np.concatenate([np.zeros(n), np.full(2 * r, np.inf)]),
        )

    @cached_property
    def _linear(self) -> LinearModel:
        """The LP of a MILP; only bounds and limits change from b to b."""
        problem = self.problem
        return LinearModel(
            np.asarray(problem.q), self._A, np.full(problem.rows, -np.inf), np.full(problem.rows, np.inf),
            np.zeros(problem.n), np.zeros(problem.n),
        )  # fmt: skip

    def _limits(self, b: Binary) -> tuple[Vector, Vector]:
        shift = self.problem.G @ b.astype(np.float64)
        return (self.problem.row_lower - shift) / self._norms, (self.problem.row_upper - shift) / self._norms

    def infeasibility(self, b: Binary) -> float:
        """Least total violation of the (scaled) rows over the bounds that b leaves."""
        if self.problem.rows == 0:
            return 0.0
        lower, upper = self.problem.bounds_given(b)
        row_lower, row_upper = self._limits(b)
        r = self.problem.rows
        model = self._elastic
        model.change_columns(np.concatenate([lower, np.zeros(2 * r)]), np.concatenate([upper, np.full(2 * r, np.inf)]))
        model.change_rows(row_lower, row_upper)
        answer = model.solve()
        return answer.objective if answer.status == "optimal" else math.inf

    def evaluate(self, b: Binary) -> Evaluation:
        """Solve the restricted problem at b in full.

        Raises
        ------
        UnboundedError
            If the objective has no lower limit there.
        """
        self.evaluations += 1
        lower, upper = self.problem.bounds_given(b)
        row_lower, row_upper = self._limits(b)
        if self.problem.is_linear:
            answer = self._solve_linear(b, lower, upper, row_lower, row_upper)
        else:
            answer = self._solve_quadratic(b, lower, upper, row_lower, row_upper)
        if answer is not None:
            return answer
        infeasibility = self.infeasibility(b)
        return Evaluation(math.inf, max(infeasibility, FEASIBILITY))

    def _solve_linear(
        self, b: Binary, lower: Vector, upper: Vector, row_lower: Vector, row_upper: Vector
    ) -> Evaluation | None:
        model = self._linear
        model.change_columns(lower, upper)
        model.change_rows(row_lower, row_upper)
        answer = model.solve()
        if answer.status == "unbounded":
            raise UnboundedError(_unbounded_message(self.problem, lower, upper))
        if answer.status != "optimal" or answer.x is None:
            return None
        x = np.clip(answer.x, lower, upper)
        duals = answer.row_duals / self._norms if answer.row_duals is not None else None
        return Evaluation(self.problem.objective(x, b), 0.0, x, duals)

    def _solve_quadratic(
        self, b: Binary, lower: Vector, upper: Vector, row_lower: Vector, row_upper: Vector
    ) -> Evaluation | None:
        problem = self.problem
        free = np.flatnonzero(lower < upper)
        x = np.where(lower == upper, lower, 0.0)
        held = self._A @ x
        if free.size == 0:
            worst = max(float((row_lower - held).max(initial=0)), float((held - row_upper).max(initial=0)))
            return Evaluation(problem.objective(x, b), 0.0, x, np.zeros(problem.rows)) if worst <= FEASIBILITY else None
        P, T = problem.Q.split()
        cost = problem.q[free] + 2 * problem.Q.matvec(x)[free]
        inner, root, columns = P[free][:, free], None if T is None else T[free], self._columns[:, free]
        for tolerance in (1e-9, 1e-8, 1e-7, 1e-6):  # a solver that gives up on the last digits is asked for fewer
            answer = solve_qp(
                inner, root, cost, columns, row_lower - held, row_upper - held, lower[free], upper[free],
                tolerance=tolerance,
            )  # fmt: skip
            if answer.status != "error":
                break
        if answer.status == "unbounded":
            raise UnboundedError(_unbounded_message(problem, lower, upper))
        if answer.x is None or answer.status == "infeasible":
            return None
        x[free] = np.clip(answer.x, lower[free], upper[free])
        activity = self._A @ x
        violation = max(float((row_lower - activity).max(initial=0.0)), float((activity - row_upper).max(initial=0.0)))
        if answer.status != "optimal" and violation > FEASIBILITY:
            return None
        if violation > 1e-6 or (violation > FEASIBILITY and self.infeasibility(b) > FEASIBILITY):
            return None
        assert answer.row_multipliers is not None
        return Evaluation(problem.objective(x, b), 0.0, x, answer.row_multipliers / self._norms)

    def evaluate_moves(
        self,
        b: Binary,
        outs: NDArray[np.intp],
        ins: NDArray[np.intp],
        deadline: float = math.inf,
        near: Evaluation | None = None,
        distances: bool = True,
    ) -> tuple[Vector, Vector]:
        """Objectives and infeasibilities of the neighbors of b, one after the other."""
        count = outs.shape[0]
        values, infeasibility = np.full(count, np.inf), np.full(count, np.inf)
        for c in range(count):
            if time.perf_counter() > deadline:
                break
            answer = self.evaluate(moved(b, outs[c], ins[c]))
            values[c], infeasibility[c] = answer.objective, answer.infeasibility
        return values, infeasibility

    def close(self) -> None:
        """Nothing to release."""


def _unbounded_message(problem: Problem, lower: Vector, upper: Vector) -> str:
    q, flat = problem.q, problem.Q.diagonal() <= 0
    guilty = flat & ((np.isposinf(upper) & (q < 0)) | (np.isneginf(lower) & (q > 0)))
    infinite = np.flatnonzero(guilty if guilty.any() else np.isinf(lower) | np.isinf(upper))
    name = problem.x_names[int(infinite[0])] if infinite.size else "x"
    return f"the objective is unbounded below; give {name} (and others with no limit) a finite x_lower and x_upper"
