"""Depth-first listing of the b that a Lagrangian bound leaves over, in Numba."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def listing(on, off, budget, C, d, leaves, most_nodes):
    """All b with total penalty at most `budget` and C b <= d; returns (count, complete).

    Parameters
    ----------
    on, off : penalties of switching each binary on and off (one of the two is 0)
    C, d : rows C b <= d, one row of C per binary
    leaves : filled with the b found; complete is False when they do not fit or the walk is too long
    """
    F, R = C.shape
    least = np.zeros((F + 1, R))
    for f in range(F - 1, -1, -1):
        for t in range(R):
            least[f, t] = least[f + 1, t] + min(0.0, C[f, t])
    activity = np.zeros((F + 1, R))
    penalty = np.zeros(F + 1)
    choice = np.full(F + 1, -1, np.int64)
    count = 0
    nodes = 0
    depth = 0
    while depth >= 0:
        if depth == F:
            if count >= leaves.shape[0]:
                return count, False
            for f in range(F):
                leaves[count, f] = choice[f] == 1
            count += 1
            depth -= 1
            continue
        choice[depth] += 1
        if choice[depth] > 1:
            choice[depth] = -1
            depth -= 1
            continue
        nodes += 1
        if nodes > most_nodes:
            return count, False
        value = choice[depth]
        penalty[depth + 1] = penalty[depth] + (on[depth] if value == 1 else off[depth])
        if penalty[depth + 1] > budget:
            continue
        possible = True
        for t in range(R):
            a = activity[depth, t] + value * C[depth, t]
            activity[depth + 1, t] = a
            if a + least[depth + 1, t] > d[t]:
                possible = False
                break
        if possible:
            depth += 1
            choice[depth] = -1
    return count, True
