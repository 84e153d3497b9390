"""Depth-first listing of the b that a Lagrangian bound leaves over, in Numba."""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from hybridmip.engines.compiled import Kernel
from hybridmip.model.quadratic import Matrix, Vector

#: Signature of `listing`.
LISTING = types.Tuple((types.int64, types.boolean))(
    types.float64[::1], types.float64[::1], types.float64, types.float64[:, ::1], types.float64[::1],
    types.boolean[:, ::1], types.int64, types.float64[:, :, ::1], types.float64[::1], types.int64[::1],
)  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
def listing(on, off, budget, C, d, leaves, most_nodes, room, penalty, choice):
    """See `list_all`; `room`, `penalty` and `choice` are room to work in."""
    F, R = C.shape
    least, activity = room[0], room[1]
    for t in range(R):
        least[F, t] = 0.0
        activity[0, t] = 0.0
    penalty[0] = 0.0
    choice[0] = -1
    for f in range(F - 1, -1, -1):
        for t in range(R):
            least[f, t] = least[f + 1, t] + min(0.0, C[f, t])
    count, nodes, depth = F - F, F - F, F - F
    for t in range(R):
        if least[0, t] > d[t]:
            return count, True
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


#: What is compiled here.
KERNELS = (Kernel(listing, LISTING),)


def list_all(
    on: Vector, off: Vector, budget: float, C: Matrix, d: Vector, leaves: NDArray[np.bool_], most_nodes: int
) -> tuple[int, bool]:
    """All b with total penalty at most `budget` and C'b <= d; returns (count, complete).

    Parameters
    ----------
    on, off : penalties of switching each binary on and off (one of the two is 0)
    C, d : the rows, one row of C per binary
    leaves : filled with the b found; complete is False when they do not fit or the walk is too long
    """
    places = len(on) + 1
    count, complete = listing(
        on, off, budget, C, d, leaves, most_nodes,
        np.zeros((2, places, C.shape[1])), np.zeros(places), np.zeros(places, dtype=np.int64),
    )  # fmt: skip
    return int(count), bool(complete)
