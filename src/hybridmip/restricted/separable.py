"""Restricted problems that fall apart: Q diagonal, and no row with more than one x. Each x is then a formula.

With b fixed every row is a bound on its x, and the best of x_j between its bounds is where its parabola is lowest.
Many b are evaluated at once.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from hybridmip.engines.compiled import Kernel
from hybridmip.errors import UnboundedError
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Binary, Vector
from hybridmip.restricted.protocol import Evaluation, Moves, moved
from hybridmip.tolerances import GENERAL_FEASIBLE as FEASIBILITY

#: Entries of one batch of b, at most.
BATCH = 2_000_000


class SeparableSolver:
    """`RestrictedSolver` for problems that fall apart."""

    compiled = False
    kernels: tuple[Kernel, ...] = ()

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.evaluations = 0
        self._d = np.asarray(problem.Q.diagonal())
        count = np.diff(problem.A.indptr)
        self._with_x, self._without = np.flatnonzero(count == 1), np.flatnonzero(count == 0)
        # Rows sorted by their x, so that the bounds of one x lie next to each other.
        order = np.argsort(problem.A.indices, kind="stable")
        self._rows, self._entry = self._with_x[order], problem.A.data[order]
        self._x, self._first = np.unique(problem.A.indices[order], return_index=True)

    def evaluate(self, b: Binary) -> Evaluation:
        """Solve the restricted problem at b in full.

        Raises
        ------
        UnboundedError
            If an x has neither curvature nor a bound where its cost leads.
        """
        self.evaluations += 1
        x, far = self._solve(b[None, :])
        if far[0] > FEASIBILITY:
            return Evaluation(np.inf, float(far[0]))
        if not np.isfinite(x).all():
            name = self.problem.x_names[int(np.flatnonzero(~np.isfinite(x[0]))[0])]
            raise UnboundedError(f"the objective is unbounded below in {name}; give it a finite x_lower and x_upper")
        return Evaluation(self.problem.objective(x[0], b), 0.0, x[0], self._multipliers(x[0], b))

    def _multipliers(self, x: Vector, b: Binary) -> Vector:
        """What the rows hold x back by, where its own bounds do not."""
        problem = self.problem
        slope = problem.q + 2.0 * self._d * x
        low, high = problem.bounds_given(b)
        held = np.where(slope > 0, x <= low, x >= high)
        shift = problem.G @ b.astype(np.float64)
        column = np.repeat(self._x, np.diff([*self._first, self._rows.size]))
        push = slope[column]
        limit = np.where((self._entry > 0) == (push > 0), problem.row_lower[self._rows], problem.row_upper[self._rows])
        with np.errstate(invalid="ignore"):
            tight = np.abs((limit - shift[self._rows]) / self._entry - x[column]) <= 1e-9 * (1.0 + np.abs(x[column]))
        multipliers = np.zeros(problem.rows)
        places = np.flatnonzero(tight & ~held[column] & (push != 0))
        _, first = np.unique(column[places], return_index=True)  # one row for each x
        multipliers[self._rows[places[first]]] = push[places[first]] / self._entry[places[first]]
        return multipliers

    def _solve(self, b: NDArray[np.bool_]) -> tuple[NDArray[np.float64], Vector]:
        """x, and how far it is from feasible, for every line of b."""
        problem = self.problem
        values = b.astype(np.float64)
        on = np.ones((b.shape[0], problem.n))
        on[:, problem.switched] = values[:, problem.switch[problem.switched]]
        with np.errstate(invalid="ignore"):
            low = np.where(on > 0, problem.x_lower, 0.0)
            high = np.where(on > 0, problem.x_upper, 0.0)
        shift = (problem.G @ values.T).T
        far = np.zeros(b.shape[0])
        if self._without.size:
            rest = shift[:, self._without]
            far += np.maximum(problem.row_lower[self._without] - rest, 0.0).sum(axis=1)
            far += np.maximum(rest - problem.row_upper[self._without], 0.0).sum(axis=1)
        if self._rows.size:
            ends = (
                (problem.row_lower[self._rows] - shift[:, self._rows]) / self._entry,
                (problem.row_upper[self._rows] - shift[:, self._rows]) / self._entry,
            )
            below, above = np.minimum(*ends), np.maximum(*ends)
            low[:, self._x] = np.maximum(low[:, self._x], np.maximum.reduceat(below, self._first, axis=1))
            high[:, self._x] = np.minimum(high[:, self._x], np.minimum.reduceat(above, self._first, axis=1))
        far += np.maximum(low - high, 0.0).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            lowest = np.where(self._d > 0, -problem.q / (2.0 * self._d), np.sign(-problem.q) * np.inf)
            # Without cost or curvature: as near to zero as it may be.
            lowest = np.where((self._d == 0) & (problem.q == 0), 0.0, lowest)
        return np.minimum(np.maximum(lowest, low), high), far

    def evaluate_moves(
        self,
        b: Binary,
        outs: NDArray[np.intp],
        ins: NDArray[np.intp],
        deadline: float = np.inf,
        near: Evaluation | None = None,
        distances: bool = True,
    ) -> Moves:
        """Objectives and infeasibilities of the neighbors of b, many at once."""
        count, problem = len(outs), self.problem
        objectives, far, certain = found = Moves.unsolved(count)
        size = max(1, BATCH // max(problem.n + problem.rows, 1))
        for start in range(0, count, size):
            if time.perf_counter() > deadline:
                break
            part = slice(start, min(start + size, count))
            moves = np.array([moved(b, out, into) for out, into in zip(outs[part], ins[part], strict=True)])
            x, distance = self._solve(moves)
            self.evaluations += len(moves)
            with np.errstate(invalid="ignore"):
                value = (x * x) @ self._d + x @ problem.q + moves @ problem.p + problem.offset
            feasible = distance <= FEASIBILITY
            far[part] = np.where(feasible, 0.0, distance)
            objectives[part] = np.where(feasible, value, np.inf)
            certain[part] = True
        return found

    def refuted(self, b: Binary) -> bool:
        """Every evaluation is certain, so there is nothing to add."""
        return False

    def clash(self, b: Binary) -> Vector | None:
        """None: what is infeasible here is so without multipliers."""
        return None

    def close(self) -> None:
        """Nothing to release."""
