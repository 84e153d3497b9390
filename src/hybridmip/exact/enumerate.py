"""Every feasible b of a small set, so that small problems are solved to proven optimality."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hybridmip.binaries import BinarySet
from hybridmip.search.state import SearchState


def count(binaries: BinarySet) -> int:
    """How many members the set has; for rows that are no disjoint counts, how many there may be at most."""
    if binaries.kind != "disjoint":
        # The walk below visits a fraction of these where the rows cut well; past 2^20 it is not tried.
        return 1 << min(binaries.m, 64) if binaries.kind == "free" or binaries.m > 20 else 0
    total = 1 << int((binaries.group < 0).sum())
    for g, (low, high) in enumerate(zip(binaries.group_lower, binaries.group_upper, strict=True)):
        size = int((binaries.group == g).sum())
        total *= sum(math.comb(size, k) for k in range(int(low), int(high) + 1))
    return total


def members(binaries: BinarySet, limit: int) -> NDArray[np.bool_] | None:
    """All members as rows, or None when there are more than `limit` (or too many to look for).

    A depth-first walk that cuts off where a row cannot be satisfied any more.
    """
    if count(binaries) > limit:
        return None
    m, M = binaries.m, binaries.matrix.toarray()
    # Least and most that the columns from i on can still add to each row.
    least = np.concatenate([np.cumsum(np.minimum(M, 0)[:, ::-1], axis=1)[:, ::-1], np.zeros((M.shape[0], 1))], axis=1)
    most = np.concatenate([np.cumsum(np.maximum(M, 0)[:, ::-1], axis=1)[:, ::-1], np.zeros((M.shape[0], 1))], axis=1)
    slack = 1e-9 * (1 + np.abs(M).sum(axis=1))
    found: list[NDArray[np.bool_]] = []
    stack: list[tuple[int, NDArray[np.bool_], NDArray[np.float64]]] = [
        (0, np.zeros(m, dtype=bool), np.zeros(M.shape[0]))
    ]
    visited = 0
    while stack:
        i, b, activity = stack.pop()
        visited += 1
        if visited > 8 * limit + 1000:
            return None
        if np.any(activity + least[:, i] > binaries.upper + slack) or np.any(
            activity + most[:, i] < binaries.lower - slack
        ):
            continue
        if i == m:
            found.append(b)
            if len(found) > limit:
                return None
            continue
        on = b.copy()
        on[i] = True
        stack.append((i + 1, on, activity + M[:, i]))
        stack.append((i + 1, b, activity))
    return np.array(found, dtype=bool).reshape(len(found), m)


def enumerate_all(state: SearchState, limit: int) -> bool:
    """Try every b if there are at most `limit`; returns whether that was done.

    Afterwards the incumbent is optimal, or there is none and the problem is infeasible.
    """
    everything = members(state.binaries, limit)
    if everything is None:
        return False
    count, m = everything.shape
    width = max(1, int(everything.sum(axis=1).max(initial=0)))
    ins = np.full((count, width), -1, dtype=np.intp)
    for row, b in zip(ins, everything, strict=True):
        ones = np.flatnonzero(b)
        row[: ones.size] = ones
    outs = np.full((count, 1), -1, dtype=np.intp)
    state.check()
    values, infeasibility = state.solver.evaluate_moves(np.zeros(m, dtype=bool), outs, ins, state.deadline)
    state.check()
    if count:
        order = np.lexsort((values, infeasibility))
        state.evaluate(everything[int(order[0])], "enumeration")
    return True
