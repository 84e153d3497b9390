"""The core: the b that the Lagrangian bound of a relaxation does not rule out, tried one and all.

At a relaxation's point and multipliers the closed formula of `bounds.formula` is linear in b,

    f(b) >= base + sum of on_i over b_i = 1 + sum of off_i over b_i = 0,   on, off >= 0

so a b whose penalties exceed what is left between `base` and the incumbent cannot be better. Binaries with a
penalty that large are fixed; the b over the rest are listed by rising penalty as far as that is few. When all
that could beat the incumbent have been tried, the incumbent is optimal, and that is a proof.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hybridmip.bounds.ledger import Grade
from hybridmip.engines.compiled import load
from hybridmip.exact import core_kernel
from hybridmip.exact.tried import NOTHING_TRIED, Tried, least_of
from hybridmip.model.activities import activity_ranges
from hybridmip.model.quadratic import Matrix, Vector
from hybridmip.relax.protocol import Setting
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
#: Slack of the rows that are looked at on the way, relative: more than rounding, so that nothing is left out by it.
ROUNDING = 1e-9


def try_the_core(state: SearchState, setting: Setting) -> Tried | None:
    """Try the b that can still beat the incumbent, least penalty first.

    Returns
    -------
    Tried or None
        When all were tried: a lower bound on the problem. None when there are too many.
    """
    problem = state.problem
    if not state.best.feasible or problem.m == 0 or problem.rows > 200:
        return None
    if state.guidance.penalties is None:
        return None
    load(core_kernel.KERNELS)
    base, w = state.guidance.penalties
    listed = -1.0  # every b with a penalty up to this was tried
    tried = NOTHING_TRIED  # a lower bound on all of them
    for share in SHARES:
        state.check()
        gap = state.best.objective - base
        if gap <= 0:
            return tried.and_then(Tried(base + max(listed, 0.0), Grade.PROVEN))
        budget = share * gap
        open_ones = np.flatnonzero(np.abs(w) <= budget)
        if open_ones.size > MOST_OPEN:
            return None
        open_ones = open_ones[np.argsort(-np.abs(w[open_ones]), kind="stable")]
        fixed = w < 0
        fixed[open_ones] = False
        C, d = _rows(state, open_ones, fixed)
        most = MOST_LISTED if state.structure.compiled else MOST_LISTED_SLOWLY
        leaves = np.zeros((most, open_ones.size), dtype=bool)
        on, off = np.maximum(w[open_ones], 0.0), np.maximum(-w[open_ones], 0.0)
        nodes = MOST_NODES if state.remaining is None else min(MOST_NODES, int(NODES_A_SECOND * state.remaining))
        count, complete = core_kernel.list_all(on, off, budget, C, d, leaves, nodes)
        found = leaves[:count]
        found = found[found @ on + ~found @ off > listed]
        # The listing lets rounding pass on the rows on b; the set itself decides.
        found = found[state.binaries.contains_each(found, open_ones, fixed)]
        candidates = np.tile(fixed, (len(found), 1))
        candidates[:, open_ones] = found
        least = _try(state, setting, candidates)
        if not complete or least is None:
            return None
        tried, listed = tried.and_then(least), budget
    return tried.and_then(Tried(base + listed, Grade.PROVEN))


def _try(state: SearchState, setting: Setting, candidates: NDArray[np.bool_]) -> Tried | None:
    """Evaluate the candidates and keep the best; a lower bound on them, None when the limit on evaluations ends it."""
    number = len(candidates)
    candidates = candidates[: max(state.evaluations_left - 1, 0)]
    if len(candidates) == 0:
        return NOTHING_TRIED if number == 0 else None
    row, column = np.nonzero(candidates)
    sizes = candidates.sum(axis=1)
    ins = np.full((len(candidates), max(1, int(sizes.max()))), -1, dtype=np.intp)
    ins[row, np.arange(row.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)] = column
    outs = np.full((len(ins), 1), -1, dtype=np.intp)
    nothing = np.zeros(state.problem.m, dtype=bool)
    moves = state.solver.evaluate_moves(nothing, outs, ins, state.deadline, state.best)
    state.check()
    best = candidates[int(np.lexsort((moves.values, moves.infeasibility))[0])]
    state.evaluate(best, "core")
    return least_of(state, setting, candidates, moves) if len(candidates) == number else None


def _rows(state: SearchState, open_ones: NDArray[np.intp], fixed: NDArray[np.bool_]) -> tuple[Matrix, Vector]:
    """Rows C b <= d over the open binaries: the rows on b, and what rows in x leave possible at all."""
    problem, binaries = state.problem, state.binaries
    low, high, free_low, free_high = activity_ranges(problem)
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
        slack = ROUNDING * (np.abs(limit[usable]) + np.abs(constant[usable]) + np.abs(part).sum(axis=0))
        limits.append(limit[usable] - constant[usable] - part[fixed].sum(axis=0) + slack)
    return np.ascontiguousarray(np.concatenate(columns, axis=1)), np.concatenate(limits)
