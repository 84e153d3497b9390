"""Coordinate descent for the largest-trace diagonal, in Numba.

The problem max sum(d), Q - diag(d) >= 0, d >= 0 has the dual min <Q, X>, X_ii >= 1, X >= 0: the max-cut
semidefinite program. With X = V'V and few rows in V (Burer and Monteiro), one column at a time is solved in
closed form (the mixing method of Wang, Chang and Kolter): with g_i = sum over j != i of Q_ij v_j the best v_i
is -g_i / |g_i|, or -g_i / Q_ii where that is longer, and d_i = Q_ii - |g_i| (or 0) at the optimum.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types

from hybridmip.engines.compiled import Kernel

#: Signature of `sweep`.
SWEEP = types.float64(
    types.float64[:, ::1], types.float64[:, ::1], types.float64[::1], types.float64[::1], types.int64, types.float64
)


@njit(
    cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True, fastmath={"contract", "reassoc", "nsz", "arcp"}
)
def sweep(Q, V, d, g, sweeps, stop):
    """Up to `sweeps` rounds over all columns, changing V (n x rank) and d; returns the last relative change.

    g (rank) is room to work in.
    """
    n, rank = V.shape
    change = 0.0
    for _ in range(sweeps):
        change = 0.0
        total = 0.0
        for i in range(n):
            for t in range(rank):
                g[t] = 0.0
            for j in range(n):
                q = Q[i, j]
                if q != 0.0 and j != i:
                    for t in range(rank):
                        g[t] += q * V[j, t]
            norm = 0.0
            for t in range(rank):
                norm += g[t] * g[t]
            norm = np.sqrt(norm)
            total += abs(Q[i, i])
            if norm == 0.0:
                d[i] = Q[i, i]
                continue
            longest = norm if norm > Q[i, i] else 0.0
            divisor = norm if longest == 0.0 or Q[i, i] <= 0.0 else Q[i, i]
            moved = 0.0
            for t in range(rank):
                new = -g[t] / divisor
                moved += (new - V[i, t]) * (new - V[i, t])
                V[i, t] = new
            change += norm * moved
            d[i] = max(Q[i, i] - norm, 0.0)
        if change <= stop * total:
            break
    return change


#: What is compiled here.
KERNELS = (Kernel(sweep, SWEEP),)
