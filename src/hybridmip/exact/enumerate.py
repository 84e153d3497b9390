"""Every feasible b of a small set, so that small problems are solved to proven optimality."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hybridmip.exact.tried import Tried, least_of
from hybridmip.model.binaries import BinarySet
from hybridmip.relax.protocol import Setting
from hybridmip.run.state import SearchState


def count(binaries: BinarySet) -> int:
    """How many members the set has; for rows that are no disjoint counts, how many there may be at most."""
    if binaries.kind != "disjoint":
        # The rows may cut this down a lot, so up to 2^20 the list is begun.
        return 1 << min(binaries.m, 64) if binaries.kind == "free" or binaries.m > 20 else 0
    total = 1 << int((binaries.group < 0).sum())
    for g, (low, high) in enumerate(zip(binaries.group_lower, binaries.group_upper, strict=True)):
        size = int((binaries.group == g).sum())
        total *= sum(math.comb(size, k) for k in range(int(low), int(high) + 1))
    return total


def members(binaries: BinarySet, limit: int) -> NDArray[np.bool_] | None:
    """All members as rows, or None when there are more than `limit` (or too many to look for).

    One binary at a time, keeping only what can still satisfy every row.
    """
    if count(binaries) > limit:
        return None
    m, M = binaries.m, binaries.matrix.toarray()
    # Least and most that the columns from i on can still add to each row.
    padding = np.zeros((M.shape[0], 1))
    least = np.concatenate([np.cumsum(np.minimum(M, 0)[:, ::-1], axis=1)[:, ::-1], padding], axis=1)
    most = np.concatenate([np.cumsum(np.maximum(M, 0)[:, ::-1], axis=1)[:, ::-1], padding], axis=1)
    slack = binaries.slack
    found, activity = np.zeros((1, m), dtype=bool), np.zeros((1, M.shape[0]))
    for i in range(m):
        on = found.copy()
        on[:, i] = True
        found = np.concatenate([found, on])
        activity = np.concatenate([activity, activity + M[:, i]])
        possible = np.all(activity + least[:, i + 1] <= binaries.upper + slack, axis=1)
        possible &= np.all(activity + most[:, i + 1] >= binaries.lower - slack, axis=1)
        found, activity = found[possible], activity[possible]
        if len(found) > 4 * limit:
            return None
    return found if len(found) <= limit else None


def enumerate_all(state: SearchState, setting: Setting, limit: int) -> Tried | None:
    """Try every b if there are at most `limit`; returns a lower bound on all of them, None where that was not done.

    Infinite when there is no feasible one.
    """
    everything = members(state.binaries, limit)
    if everything is None:
        return None
    number, m = everything.shape
    width = max(1, int(everything.sum(axis=1).max(initial=0)))
    ins = np.full((number, width), -1, dtype=np.intp)
    for row, b in zip(ins, everything, strict=True):
        ones = np.flatnonzero(b)
        row[: ones.size] = ones
    outs = np.full((number, 1), -1, dtype=np.intp)
    state.check()
    # One evaluation is kept for the best, which is then solved in full.
    allowed = min(number, max(state.evaluations_left - 1, 1))
    moves = state.solver.evaluate_moves(np.zeros(m, dtype=bool), outs[:allowed], ins[:allowed], state.deadline)
    if allowed:
        best = everything[int(np.lexsort((moves.values, moves.infeasibility))[0])]
        state.offer(best, state.solver.evaluate(best), "enumeration")
    state.check()
    return least_of(state, setting, everything, moves) if allowed == number else None
