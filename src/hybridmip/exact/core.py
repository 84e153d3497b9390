"""The core: the b that the Lagrangian bound of a relaxation does not rule out, tried one and all.

At a relaxation's point and multipliers the closed formula of `relax.bound` is linear in b,

    f(b) >= base + sum of on_i over b_i = 1 + sum of off_i over b_i = 0,   on, off >= 0

so a b whose penalties exceed what is left between `base` and the incumbent cannot be better. Binaries with a
penalty that large are fixed; the b over the rest are listed by rising penalty as far as that is few. When all
that could beat the incumbent have been tried, the incumbent is optimal, and that is a proof.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hybridmip.bounds.formula import box_minimum, priced_limits, switch_costs, usable_multipliers
from hybridmip.model.quadratic import Matrix, Vector
from hybridmip.model.ranges import row_ranges
from hybridmip.relax.role import Relaxed, Setting
from hybridmip.restricted.dense import DenseSolver
from hybridmip.run.state import SearchState

#: Most b that are listed at a time, binaries left open, and steps of the listing.
MOST_LISTED = 20_000
#: The same where each takes milliseconds, not microseconds.
MOST_LISTED_SLOWLY = 60
MOST_OPEN = 60
MOST_NODES = 3_000_000
#: Steps of the listing in a second, at least: with a time limit it must not take longer than what is left.
NODES_A_SECOND = 1_000_000
#: Shares of the gap that are listed, one after the other, until there are too many.
SHARES = (0.1, 0.25, 0.5, 1.0)


def penalties(setting: Setting, relaxed: Relaxed) -> tuple[float, Vector] | None:
    """(base, w): f(b) >= base + the sum of max(w, 0) where on and of max(-w, 0) where off; None if there is none."""
    problem, diagonal = setting.problem, relaxed.diagonal
    if diagonal is None:
        return None
    la = usable_multipliers(relaxed.row_multipliers, problem.row_lower, problem.row_upper)
    mu = usable_multipliers(relaxed.binary_multipliers, problem.b_lower, problem.b_upper)
    half = problem.Q.matvec(relaxed.x) - diagonal * relaxed.x
    v = problem.q + 2 * half - problem.A.T @ la
    magnitude = np.full(problem.n, np.abs(v).max(initial=0.0))
    c = box_minimum(diagonal, v, setting.lower, setting.upper, magnitude)
    w = switch_costs(problem, c, la) - problem.B.T @ mu
    constant = problem.offset - float(relaxed.x @ half) + float(c[~problem.switched].sum())
    constant += float(priced_limits(la, problem.row_lower, problem.row_upper).sum())
    constant += float(priced_limits(mu, problem.b_lower, problem.b_upper).sum())
    base = constant + float(np.minimum(w, 0.0).sum())
    # A margin for rounding, generous beside the sums above.
    size = abs(constant) + float(np.abs(w).sum()) + abs(float(relaxed.x @ half))
    return (base - 1e-11 * size, w) if math.isfinite(base) and np.isfinite(w).all() else None


def try_the_core(state: SearchState) -> bool:
    """Try the b that can still beat the incumbent, least penalty first; True when all were tried."""
    from hybridmip.exact.core_kernel import list_all

    problem = state.problem
    if not state.best.feasible or problem.m == 0 or problem.rows > 200:
        return False
    if state.penalties is None:
        return False
    base, w = state.penalties
    listed = -1.0  # every b with a penalty up to this was tried
    for share in SHARES:
        state.check()
        gap = state.best.objective - base
        if gap <= 0:
            return True
        budget = share * gap
        open_ones = np.flatnonzero(np.abs(w) <= budget)
        if open_ones.size > MOST_OPEN:
            return False
        open_ones = open_ones[np.argsort(-np.abs(w[open_ones]), kind="stable")]
        fixed = w < 0
        fixed[open_ones] = False
        C, d = _rows(state, open_ones, fixed)
        most = MOST_LISTED if isinstance(state.solver, DenseSolver) else MOST_LISTED_SLOWLY
        leaves = np.zeros((most, open_ones.size), dtype=bool)
        on, off = np.maximum(w[open_ones], 0.0), np.maximum(-w[open_ones], 0.0)
        nodes = MOST_NODES if state.remaining is None else min(MOST_NODES, int(NODES_A_SECOND * state.remaining))
        count, complete = list_all(on, off, budget, C, d, leaves, nodes)
        found = leaves[:count]
        found = found[found @ on + ~found @ off > listed]
        candidates = np.tile(fixed, (len(found), 1))
        candidates[:, open_ones] = found
        all_tried = _try(state, candidates)
        if not (complete and all_tried):
            return False
        listed = budget
    return True


def _try(state: SearchState, candidates: NDArray[np.bool_]) -> bool:
    """Evaluate the candidates and keep the best; False when the limit on evaluations leaves some out."""
    number = len(candidates)
    candidates = candidates[: max(state.evaluations_left - 1, 0)]
    if len(candidates) == 0:
        return number == 0
    row, column = np.nonzero(candidates)
    sizes = candidates.sum(axis=1)
    ins = np.full((len(candidates), max(1, int(sizes.max()))), -1, dtype=np.intp)
    ins[row, np.arange(row.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)] = column
    outs = np.full((len(ins), 1), -1, dtype=np.intp)
    nothing = np.zeros(state.problem.m, dtype=bool)
    values, infeasibility = state.solver.evaluate_moves(nothing, outs, ins, state.deadline, state.best)
    state.check()
    best = candidates[int(np.lexsort((values, infeasibility))[0])]
    state.evaluate(best, "core")
    return len(candidates) == number


def _rows(state: SearchState, open_ones: NDArray[np.intp], fixed: NDArray[np.bool_]) -> tuple[Matrix, Vector]:
    """Rows C b <= d over the open binaries: the rows on b, and what rows in x leave possible at all."""
    problem, binaries = state.problem, state.binaries
    low, high, free_low, free_high = row_ranges(problem)
    M = binaries.matrix.toarray()
    stacks = [
        (M.T, np.zeros(M.shape[0]), binaries.upper),
        (-M.T, np.zeros(M.shape[0]), -binaries.lower),
        (low, free_low, problem.row_upper),
        (-high, -free_high, -problem.row_lower),
    ]
    columns, limits = [], []
    for matrix, constant, limit in stacks:
        usable = np.isfinite(limit) & np.isfinite(constant) & np.isfinite(matrix).all(axis=0)
        part = matrix[:, usable]
        columns.append(part[open_ones])
        slack = 1e-9 * (1 + np.abs(limit[usable]) + np.abs(part).sum(axis=0))
        limits.append(limit[usable] - constant[usable] - part[fixed].sum(axis=0) + slack)
    return np.ascontiguousarray(np.concatenate(columns, axis=1)), np.concatenate(limits)
