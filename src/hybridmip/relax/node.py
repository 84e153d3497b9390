"""A problem as dense arrays, for the compiled bound of a node."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hybridmip.bounds.products import Lowered
from hybridmip.bounds.proof_tree import Counts
from hybridmip.model.quadratic import Matrix, Vector
from hybridmip.relax.node_kernel import COUNTS, PRICED, solve_node
from hybridmip.relax.protocol import RelaxationFailed, Setting

#: What may be open of a relaxation that counts as solved, as a share of its value.
CLOSE = 1e-4
#: Most x and rows for which that is worth it.
LARGEST = 1200
MOST_ROWS = 60
#: And most multiplications of an iteration for rows on b of which at most one is on.
MOST_FOR_CHOICES = 6e7


@dataclass(frozen=True)
class Shared:
    """What all nodes share: the problem as dense arrays."""

    Q: Matrix
    q: Vector
    p: Vector
    offset: float
    Mx: Matrix
    Mb: Matrix
    low: Vector
    high: Vector
    rows: int
    lower: Vector
    upper: Vector
    switch: NDArray[np.int64]
    kind: int
    group: NDArray[np.int64]
    group_low: NDArray[np.int64]
    group_high: NDArray[np.int64]
    counts: Counts
    #: The group of binaries that no row counts, -1 for none: its row is the last.
    loose: int
    #: A diagonal below Q with entries for the x that have no limit; without one these have no least value.
    ground: Vector

    @classmethod
    def of(cls, setting: Setting) -> Shared:
        """From the problem and its set of b."""
        problem, binaries = setting.problem, setting.binaries
        priced = binaries.kind not in ("free", "disjoint")
        counts = Counts.of(problem, binaries)
        loose = counts.low.size - 1 if not priced and counts.low.size > binaries.group_lower.size else -1
        last = (counts.group == loose).astype(np.float64)[None, :][: 1 if loose >= 0 else 0]
        Mx = np.concatenate([problem.A.toarray(), np.zeros((problem.B.shape[0] + len(last), problem.n))])
        Mb = np.concatenate([problem.G.toarray(), problem.B.toarray(), last])
        unlimited = np.full(len(last), np.inf)
        unlimited_x = np.isinf(setting.lower) | np.isinf(setting.upper)
        return cls(
            np.ascontiguousarray(problem.Q.toarray()), np.array(problem.q), np.array(problem.p), float(problem.offset),
            np.ascontiguousarray(Mx), np.ascontiguousarray(Mb),
            np.concatenate([problem.row_lower, problem.b_lower, -unlimited]),
            np.concatenate([problem.row_upper, problem.b_upper, unlimited]),
            problem.rows, np.array(setting.lower), np.array(setting.upper), np.array(problem.switch, dtype=np.int64),
            PRICED if priced else COUNTS, counts.group, counts.low, counts.high, counts, loose,
            np.where(unlimited_x, setting.phi, 0.0) if unlimited_x.any() else np.zeros(problem.n),
        )  # fmt: skip

    def lowered(self, objective: Lowered) -> Shared:
        """The same with an objective that lies below."""
        return replace(self, Q=np.ascontiguousarray(objective.Q), q=objective.q, p=objective.p, offset=objective.offset)

    def within(self, lower: Vector, upper: Vector) -> Shared:
        """The same with other limits of x."""
        unlimited = np.isinf(lower) | np.isinf(upper)
        return replace(self, lower=lower, upper=upper, ground=np.where(unlimited, self.ground, 0.0))

    @property
    def most_cost(self) -> float:
        """More than any x within its limits and any b costs, without the offset."""
        reach = np.maximum(np.abs(self.lower), np.abs(self.upper))
        if not np.isfinite(reach).all():
            return np.inf
        most = float(reach @ np.abs(self.Q) @ reach + np.abs(self.q) @ reach + np.abs(self.p).sum())
        return 2.0 * most  # rounding is far below that

    @property
    def own_rows(self) -> int:
        """How many rows are the problem's own."""
        return self.low.size - (self.loose >= 0)

    def limits(self, counts: Counts) -> tuple[Vector, Vector]:
        """The limits of the rows where these counts hold."""
        g = self.loose
        if g < 0 or counts is self.counts:
            return self.low, self.high
        low, high = self.low.copy(), self.high.copy()
        if counts.low[g] > self.group_low[g]:
            low[-1] = counts.low[g]
        if counts.high[g] < self.group_high[g]:
            high[-1] = counts.high[g]
        return low, high

    @property
    def size_of_iterate(self) -> int:
        """How many numbers an iterate has that children start from."""
        return self.q.size + self.p.size + self.low.size + 1

    @classmethod
    def serves(cls, setting: Setting) -> bool:
        """Whether a problem is small enough, and curved."""
        problem = setting.problem
        rows = problem.rows + problem.B.shape[0]
        small = problem.n <= LARGEST and few_rows(problem.n, rows, setting.binaries.choices)
        return small and not problem.is_linear and problem.m > 0


def few_rows(variables: int, rows: int, choices: int) -> bool:
    """Whether the rows of a problem are few enough, of which some are choices."""
    return rows - choices <= MOST_ROWS and choices * variables * (variables + choices) <= MOST_FOR_CHOICES


def root_relaxation(shared: Shared, diagonal: Vector) -> tuple[Vector, Vector, Vector, Vector] | None:
    """(x, b, row multipliers, binary multipliers) of the perspective relaxation; None where it did not converge.

    Raises
    ------
    RelaxationFailed
        If what it gives is above what any x within its limits can cost: then no point is feasible.
    """
    n, m, r = shared.q.size, shared.p.size, shared.low.size
    x, b, y, cost = np.zeros(n), np.zeros(m), np.zeros(r), np.zeros(m)
    last, following = np.zeros(shared.group_low.size), np.zeros(shared.group_low.size)
    numbers, start = np.zeros(5), np.zeros(shared.size_of_iterate)
    status = np.where(shared.counts.possible, 0, -1).astype(np.int8)
    diagonal = np.array(diagonal)  # the kernel takes none that is read-only
    value = solve_node(
        shared.Q, diagonal, shared.q, shared.p, shared.Mx, shared.Mb, shared.low, shared.high, shared.rows,
        shared.lower, shared.upper, shared.switch, status, shared.kind, shared.group, shared.group_low,
        shared.group_high, np.zeros(n), np.inf, start, np.zeros(start.size), x, b, y, cost, last, following,
        numbers, np.zeros(1),
    )  # fmt: skip
    if value > shared.most_cost:
        raise RelaxationFailed("infeasible")
    if not (numbers[4] <= CLOSE and np.isfinite(value)):
        return None
    return x, b, y[: shared.rows], y[shared.rows : shared.own_rows]
