"""Wider exchanges around a local optimum: up to two binaries off and two on at once.

There are too many of these to try them all, so the binaries that may come on are a short list: those that the
bound of `search.descent` and the relaxed b speak for. Combinations that break a row on b, or whose x cannot
satisfy a row within their bounds, are left out before anything is solved.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hybridmip.model.activities import activity_ranges
from hybridmip.model.quadratic import Vector
from hybridmip.restricted.protocol import moved
from hybridmip.run.state import IMPROVEMENT, SearchState, better
from hybridmip.search.descent import marginal_costs
from hybridmip.search.pool import Member

#: Binaries that may come on, binaries that may go off, and combinations that are solved, at most.
SHORT_LIST = 48
LEAVING = 24
MOST_SOLVED = 4000
#: More rows than this, and checking them costs more than it saves.
MOST_ROWS = 200


@lru_cache(maxsize=4)
def _pairs(size: int) -> NDArray[np.intp]:
    """Nothing, every single and every pair of `size` things, as rows of two indices padded by `size`."""
    first, second = np.triu_indices(size, k=1)
    single = np.arange(size)
    padding = np.full(size, size)
    return np.vstack([[[size, size]], np.column_stack([single, padding]), np.column_stack([first, second])])


class WideExchanges:
    """Finds better points by wider exchanges, for one solve."""

    def __init__(self, state: SearchState) -> None:
        self.state = state
        problem = state.problem
        self.applies = problem.rows <= MOST_ROWS and problem.m * max(problem.rows, 1) <= 2_000_000
        if self.applies:
            self.low, self.high, self.free_low, self.free_high = activity_ranges(problem)

    def improve(self, member: Member) -> Member | None:
        """The best better point that differs by up to two off and two on, or None."""
        state = self.state
        if not (self.applies and member.evaluation.feasible):
            return None
        b, evaluation = member.b, member.evaluation
        costs = marginal_costs(state, b, evaluation)
        fixed = state.fixed
        ones, zeros = np.flatnonzero(b & (fixed <= 0)), np.flatnonzero(~b & (fixed >= 0))
        going = ones[np.argsort(-costs[ones], kind="stable")[:LEAVING]]
        coming = zeros[np.argsort(costs[zeros], kind="stable")[:SHORT_LIST]]
        if state.guidance.probabilities is not None:
            likely = zeros[np.argsort(-state.guidance.probabilities[zeros], kind="stable")[: SHORT_LIST // 2]]
            coming = np.unique(np.concatenate([coming[: SHORT_LIST // 2], likely]))
        outs = np.append(going, -1)[_pairs(going.size)]
        ins = np.append(coming, -1)[_pairs(coming.size)]
        allowed, change = self._possible(b, outs, ins, costs)
        i, j = np.nonzero(allowed & (change < -IMPROVEMENT * abs(evaluation.objective)))
        # What the descent has tried is left out: up to one off and one on.
        wider = (i > going.size) | (j > coming.size)
        i, j = i[wider], j[wider]
        promise = change[i, j]
        most = min(MOST_SOLVED, max(state.evaluations_left - 1, 0))
        order = np.argpartition(promise, most)[:most] if promise.size > most else np.arange(promise.size)
        if order.size == 0:
            return None
        state.check()
        chosen_outs, chosen_ins = outs[i[order]], ins[j[order]]
        values, infeasibility, _ = state.solver.evaluate_moves(
            b, chosen_outs, chosen_ins, state.deadline, evaluation, distances=False
        )
        best = int(np.lexsort((values, infeasibility))[0])
        if not better((float(infeasibility[best]), float(values[best])), evaluation.rank):
            return None
        found = moved(b, chosen_outs[best], chosen_ins[best])
        return Member(found, state.evaluate(found, "wide exchange"), "wide exchange")

    def _possible(
        self, b: NDArray[np.bool_], outs: NDArray[np.intp], ins: NDArray[np.intp], costs: Vector
    ) -> tuple[NDArray[np.bool_], Vector]:
        """Which combinations can satisfy every row, and the bound on their change of the objective."""
        problem, binaries = self.state.problem, self.state.binaries

        def total(values: Vector, which: NDArray[np.intp]) -> Vector:
            padded: Vector = np.append(values, 0.0)[which].sum(axis=1)
            return padded

        change = total(costs, ins)[None, :] - total(costs, outs)[:, None]
        allowed = np.ones(change.shape, dtype=bool)
        activity = binaries.matrix @ b.astype(np.float64)
        for row in range(binaries.matrix.shape[0]):
            line = binaries.matrix[[row]].toarray().ravel()
            after = activity[row] + total(line, ins)[None, :] - total(line, outs)[:, None]
            slack = 1e-9 * (1 + np.abs(line).sum())
            allowed &= (after >= binaries.lower[row] - slack) & (after <= binaries.upper[row] + slack)
        for row in range(problem.rows):
            for part, base, limit, sign in (
                (self.low[:, row], self.free_low[row], problem.row_upper[row], 1.0),
                (self.high[:, row], self.free_high[row], problem.row_lower[row], -1.0),
            ):
                if np.isfinite(limit) and np.isfinite(base) and np.isfinite(part).all():
                    after = base + part[b].sum() + total(part, ins)[None, :] - total(part, outs)[:, None]
                    allowed &= sign * after <= sign * limit + 1e-9 * (1 + abs(limit))
        return allowed, change
