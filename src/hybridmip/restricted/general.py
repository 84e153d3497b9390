"""Restricted problems of any size: LPs by HiGHS with warm starts, QPs by Clarabel on the support.

What the solvers say is checked: a point by the rows, "infeasible" by multipliers that prove it (Farkas), "no lower
limit" by a direction in which there is none. What does not pass is tried another way.
"""

from __future__ import annotations

import math
import time
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.arrays import least_squares
from hybridmip.bounds.farkas import Clash, Clashes, of_unit_size
from hybridmip.engines.blas import one_thread
from hybridmip.engines.compiled import Kernel
from hybridmip.engines.conic import solve_qp
from hybridmip.engines.highs import LinearModel, Outcome
from hybridmip.errors import UnboundedError
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Binary, Vector
from hybridmip.restricted.protocol import Evaluation, Moves, moved
from hybridmip.tolerances import GENERAL_FEASIBLE, INFEASIBLE

#: Tolerances that Clarabel is asked for, one after the other: a solver that gives up on the last digits gets fewer.
TOLERANCES = (1e-9, 1e-8, 1e-7, 1e-6)
#: Where a solver sees no lower limit and there is one, x is limited to this.
FAR = 2.0**20
#: A direction must gain this much for a length of 1.
FALLING = 1e-7
#: What x without a limit is paid for a unit, in search of a proof that its b is infeasible.
PUSHES = (1e-6, 1e-3)
#: Multipliers that proved some b infeasible, kept to be tried on others.
MOST_CLASHES = 16
#: Largest system of equations by which the last digits of a QP are found.
LARGEST_POLISH = 400


class GeneralSolver:
    """`RestrictedSolver` for every Problem, without a limit on size."""

    compiled = False
    kernels: tuple[Kernel, ...] = ()

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.evaluations = 0
        self._known_clashes: list[Clash] = []

    # Not before they are needed: beside HiGHS the first point may be the last one.
    @cached_property
    def _rows(self) -> tuple[sparse.csr_array, Vector]:
        """The rows with norms near 1, and what they were multiplied by."""
        ones = np.ones(self.problem.rows)
        matrix, units, _ = of_unit_size(self.problem.A, ones, ones)
        return matrix, units

    @property
    def _A(self) -> sparse.csr_array:
        return self._rows[0]

    @property
    def _units(self) -> Vector:
        return self._rows[1]

    @cached_property
    def _columns(self) -> sparse.csc_array:
        return sparse.csc_array(self._A)

    @cached_property
    def _reach(self) -> Vector:
        return np.maximum(np.abs(self.problem.x_lower), np.abs(self.problem.x_upper))

    @cached_property
    def _clashes(self) -> Clashes:
        return Clashes(self._A)

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
            reach=np.concatenate([self._reach, np.full(2 * r, np.inf)]),
        )

    @cached_property
    def _linear(self) -> LinearModel:
        """The LP of a MILP; only bounds and limits change from b to b."""
        problem = self.problem
        return LinearModel(
            np.asarray(problem.q), self._A, np.full(problem.rows, -np.inf), np.full(problem.rows, np.inf),
            np.zeros(problem.n), np.zeros(problem.n), reach=self._reach,
        )  # fmt: skip

    def _limits(self, b: Binary) -> tuple[Vector, Vector]:
        shift = self.problem.G @ b.astype(np.float64)
        return (self.problem.row_lower - shift) * self._units, (self.problem.row_upper - shift) * self._units

    def infeasibility(self, b: Binary) -> float:
        """Least total violation of the (scaled) rows over the bounds that b leaves."""
        return self._least_violation(b)[0]

    def _least_violation(self, b: Binary, push: float = 0.0) -> tuple[float, Vector | None, Vector | None]:
        """(least total violation of the rows, the x that has it, multipliers of the rows).

        x without a limit is paid for going there, by `push` a unit, so that slopes in the multipliers have the sign
        that a proof needs, and not only up to rounding.
        """
        if self.problem.rows == 0:
            return 0.0, None, None
        lower, upper = self.problem.bounds_given(b)
        row_lower, row_upper = self._limits(b)
        r = self.problem.rows
        model = self._elastic
        pushed = push * (np.isneginf(lower).astype(float) - np.isposinf(upper)) if push else np.zeros(self.problem.n)
        model.change_cost(np.concatenate([pushed, np.ones(2 * r)]))
        model.change_columns(np.concatenate([lower, np.zeros(2 * r)]), np.concatenate([upper, np.full(2 * r, np.inf)]))
        model.change_rows(row_lower, row_upper)
        answer = model.solve()
        if answer.status is not Outcome.OPTIMAL or answer.x is None:
            return math.inf, None, None
        return answer.objective, np.clip(answer.x[: self.problem.n], lower, upper), answer.row_duals

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
        solve = self._solve_linear if self.problem.is_linear else self._solve_quadratic
        answer = solve(b, lower, upper, row_lower, row_upper)
        return answer if answer is not None else self._without_answer(b, lower, upper, row_lower, row_upper)

    def _without_answer(
        self, b: Binary, lower: Vector, upper: Vector, row_lower: Vector, row_upper: Vector
    ) -> Evaluation:
        """Where the solver has no point: how infeasible b is, with a proof where that can be had, or some point."""
        violation, x, multipliers = self._least_violation(b)
        if violation > INFEASIBLE:
            certain = self._proven(b, multipliers, lower, upper, row_lower, row_upper)
            return Evaluation(math.inf, violation, certain=certain)
        if x is not None and self._violation(x, row_lower, row_upper) <= GENERAL_FEASIBLE:
            return Evaluation(self.problem.objective(x, b), 0.0, x, certain=False)
        return Evaluation(math.inf, INFEASIBLE, certain=False)

    def _proven(
        self, b: Binary, multipliers: Vector | None, lower: Vector, upper: Vector, row_lower: Vector, row_upper: Vector
    ) -> bool:
        """Whether the multipliers of the least violation, or others, prove that b is infeasible."""
        for push in (0.0, *PUSHES):
            if push:
                multipliers = self._least_violation(b, push)[2]
            if multipliers is None:
                continue
            clash = self._clashes.proven(multipliers, row_lower, row_upper, lower, upper)
            if clash is not None:
                self._known_clashes = [clash, *self._known_clashes[: MOST_CLASHES - 1]]
                return True
            if np.isfinite(lower).all() and np.isfinite(upper).all():
                break
        return False

    def refuted(self, b: Binary) -> bool:
        """Whether b is proven to be infeasible: by what did so for another b, or else by multipliers of its own."""
        lower, upper = self.problem.bounds_given(b)
        box = *self._limits(b), lower, upper
        for at, known in enumerate(self._known_clashes):
            if known.holds(*box):
                self._known_clashes.insert(0, self._known_clashes.pop(at))
                return True
        violation, _, multipliers = self._least_violation(b)
        return violation > INFEASIBLE and self._proven(b, multipliers, lower, upper, *box[:2])

    def clash(self, b: Binary) -> Vector | None:
        """Multipliers of the rows that prove b infeasible; None where there are none."""
        return np.asarray(self._known_clashes[0].multipliers * self._units) if self.refuted(b) else None

    def _violation(self, x: Vector, row_lower: Vector, row_upper: Vector) -> float:
        activity = self._A @ x
        return max(float((row_lower - activity).max(initial=0.0)), float((activity - row_upper).max(initial=0.0)))

    def _falls(self, lower: Vector, upper: Vector, row_lower: Vector, row_upper: Vector) -> bool:
        """Whether there is a direction in which the objective falls for ever and every row and bound stays true."""
        problem = self.problem
        open_ones = np.flatnonzero(np.isinf(lower) | np.isinf(upper))
        if open_ones.size == 0:
            return False
        rows, parts = self._columns[:, open_ones], [sparse.csr_array(self._columns[:, open_ones])]
        low, high = np.where(np.isfinite(row_lower), 0.0, -np.inf), np.where(np.isfinite(row_upper), 0.0, np.inf)
        if not problem.is_linear:
            flat = sparse.csr_array(problem.Q.block(np.arange(problem.n), open_ones))
            parts.append(flat)
            low, high = np.concatenate([low, np.zeros(problem.n)]), np.concatenate([high, np.zeros(problem.n)])
        cost = problem.q[open_ones]
        size = float(np.abs(cost).max(initial=0.0))
        if size == 0.0 or rows.shape[1] == 0:
            return False
        answer = LinearModel(
            cost / size, sparse.vstack(parts), low, high, np.where(np.isinf(lower[open_ones]), -1.0, 0.0),
            np.where(np.isinf(upper[open_ones]), 1.0, 0.0),
        ).solve()  # fmt: skip
        return answer.status is Outcome.OPTIMAL and answer.objective < -FALLING

    def _unbounded(self, b: Binary, lower: Vector, upper: Vector, row_lower: Vector, row_upper: Vector) -> None:
        """Raise an UnboundedError where that is true."""
        if self._falls(lower, upper, row_lower, row_upper) and self._least_violation(b)[0] <= GENERAL_FEASIBLE:
            raise UnboundedError(_unbounded_message(self.problem, lower, upper))

    def _solve_linear(
        self, b: Binary, lower: Vector, upper: Vector, row_lower: Vector, row_upper: Vector
    ) -> Evaluation | None:
        model = self._linear
        model.change_columns(lower, upper)
        model.change_rows(row_lower, row_upper)
        answer = model.solve()
        if answer.status is Outcome.UNBOUNDED:
            self._unbounded(b, lower, upper, row_lower, row_upper)
            model.change_columns(np.maximum(lower, -FAR), np.minimum(upper, FAR))
            answer = model.solve()
        if answer.status is not Outcome.OPTIMAL or answer.x is None:
            return None
        x = np.clip(answer.x, lower, upper)
        if self._violation(x, row_lower, row_upper) > GENERAL_FEASIBLE * max(1.0, float(np.abs(x).max(initial=0.0))):
            return None
        duals = answer.row_duals * self._units if answer.row_duals is not None else None
        return Evaluation(self.problem.objective(x, b), 0.0, x, duals)

    def _solve_quadratic(
        self, b: Binary, lower: Vector, upper: Vector, row_lower: Vector, row_upper: Vector
    ) -> Evaluation | None:
        problem = self.problem
        free = np.flatnonzero(lower < upper)
        x = np.where(lower == upper, lower, 0.0)
        held = self._A @ x
        if free.size == 0:
            if self._violation(x, row_lower, row_upper) > GENERAL_FEASIBLE:
                return None
            return Evaluation(problem.objective(x, b), 0.0, x, np.zeros(problem.rows))
        P, T = problem.Q.split()
        cost = problem.q[free] + 2 * problem.Q.matvec(x)[free]
        data = (
            P[free][:, free], None if T is None else T[free], cost, self._columns[:, free], row_lower - held,
            row_upper - held,
        )  # fmt: skip
        box = lower[free], upper[free]
        for tolerance in TOLERANCES:
            answer = solve_qp(*data, *box, tolerance=tolerance)
            if answer.status is Outcome.UNBOUNDED:
                self._unbounded(b, lower, upper, row_lower, row_upper)
                box = np.maximum(box[0], -FAR), np.minimum(box[1], FAR)
                answer = solve_qp(*data, *box, tolerance=tolerance)
            if answer.status is not Outcome.ERROR:
                break
        if answer.x is None or answer.status is Outcome.INFEASIBLE:
            return None
        x[free] = np.clip(answer.x, lower[free], upper[free])
        assert answer.row_multipliers is not None
        x, la = self._polished(x, answer.row_multipliers, lower, upper, row_lower, row_upper)
        violation = self._violation(x, row_lower, row_upper)
        if answer.status is not Outcome.OPTIMAL and violation > GENERAL_FEASIBLE:
            return None
        if violation > 1e-6 or (violation > GENERAL_FEASIBLE and self.infeasibility(b) > GENERAL_FEASIBLE):
            return None
        return Evaluation(problem.objective(x, b), 0.0, x, la * self._units)

    def _polished(
        self, x: Vector, la: Vector, lower: Vector, upper: Vector, row_lower: Vector, row_upper: Vector
    ) -> tuple[Vector, Vector]:
        """x and multipliers to the last digits, from the equations of what binds; as they were where that is no better.

        An interior-point method leaves open which bounds bind exactly: that side is taken of which the distance is less
        than the multiplier.
        """
        problem = self.problem
        slope = problem.q + 2 * problem.Q.matvec(x) - self._A.T @ la
        activity = self._A @ x
        scale = max(1.0, float(np.abs(problem.q + 2 * problem.Q.matvec(x)).max(initial=0.0)))
        at_lower = (lower == upper) | (x - lower < slope / scale)
        at_upper = ~at_lower & (upper - x < -slope / scale)
        low_row = (row_lower == row_upper) | (activity - row_lower < la / scale)
        high_row = ~low_row & (row_upper - activity < -la / scale)
        free, binding = np.flatnonzero(~(at_lower | at_upper)), np.flatnonzero(low_row | high_row)
        size = free.size + binding.size
        if size == 0 or size > LARGEST_POLISH:
            return x, la
        fixed = np.where(at_lower, lower, np.where(at_upper, upper, 0.0))
        if not np.isfinite(fixed).all():
            return x, la
        rows = self._A[binding].toarray()
        hessian, A = 2 * problem.Q.block(free, free), rows[:, free]
        system = np.block([[hessian, -A.T], [A, np.zeros((binding.size, binding.size))]])
        limits = np.where(low_row, row_lower, row_upper)[binding]
        right = np.concatenate([-(problem.q + 2 * problem.Q.matvec(fixed))[free], limits - rows @ fixed])
        box = lower, upper, row_lower, row_upper
        before = self._residual(x, la, *box)
        for solve in (
            np.linalg.solve,
            least_squares,
        ):  # the second for a singular system, which takes ten times as long
            try:
                with one_thread(size):
                    found = solve(system, right)
            except np.linalg.LinAlgError:
                continue
            if not np.isfinite(found).all():
                continue
            better, multipliers = fixed.copy(), np.zeros(problem.rows)
            better[free], multipliers[binding] = found[: free.size], found[free.size :]
            better = np.clip(better, lower, upper)
            if self._residual(better, multipliers, *box) < before:
                return better, multipliers
        return x, la

    def _residual(
        self, x: Vector, la: Vector, lower: Vector, upper: Vector, row_lower: Vector, row_upper: Vector
    ) -> float:
        """How far x and multipliers are from the conditions of an optimum."""
        slope = self.problem.q + 2 * self.problem.Q.matvec(x) - self._A.T @ la
        activity = self._A @ x
        with np.errstate(invalid="ignore"):
            bound = np.where(slope > 0, np.minimum(slope, x - lower), np.minimum(-slope, upper - x))
            row = np.where(la > 0, np.minimum(la, activity - row_lower), np.minimum(-la, row_upper - activity))
        return max(
            float(np.abs(bound).max(initial=0.0)), float(np.abs(row).max(initial=0.0)),
            self._violation(x, row_lower, row_upper),
        )  # fmt: skip

    def evaluate_moves(
        self,
        b: Binary,
        outs: NDArray[np.intp],
        ins: NDArray[np.intp],
        deadline: float = math.inf,
        near: Evaluation | None = None,
        distances: bool = True,
    ) -> Moves:
        """Objectives and infeasibilities of the neighbors of b, one after the other."""
        moves = Moves.unsolved(outs.shape[0])
        for c in range(outs.shape[0]):
            if time.perf_counter() > deadline:
                break
            moves.take(c, self.evaluate(moved(b, outs[c], ins[c])))
        return moves

    def close(self) -> None:
        """Nothing to release."""


def _unbounded_message(problem: Problem, lower: Vector, upper: Vector) -> str:
    q, flat = problem.q, problem.Q.diagonal() <= 0
    guilty = flat & ((np.isposinf(upper) & (q < 0)) | (np.isneginf(lower) & (q > 0)))
    infinite = np.flatnonzero(guilty if guilty.any() else np.isinf(lower) | np.isinf(upper))
    name = problem.x_names[int(infinite[0])] if infinite.size else "x"
    return f"the objective is unbounded below; give {name} (and others with no limit) a finite x_lower and x_upper"
