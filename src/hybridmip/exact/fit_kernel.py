"""A diagonal fitted to a node, compiled.

The x that are on for certain need no diagonal: what is left of Q for the others is the Schur complement C. A few sweeps
of the mixing method (`bounds.mixing`), from where the parent's ended, lead towards the diagonal below C with the
largest weighted trace; a step is taken in its direction, as far as a Cholesky factorisation runs through.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit, types

from hybridmip.bounds.mixing import sweep
from hybridmip.engines.compiled import Kernel
from hybridmip.relax.node_kernel import EPS, FAST, dot, factor, forward

#: How many halvings of a stretch are tried, and how many times a step is shortened.
HALVINGS = 5
SHORTENED = 8

_vector, _matrix, _whole = types.float64[::1], types.float64[:, ::1], types.int64[::1]
#: Signature of `fit`.
FIT = types.boolean(
    _matrix, _vector, _whole, _whole, _vector, _matrix, types.float64, types.float64, types.int64, types.float64,
    _vector,
)  # fmt: skip


@njit(fastmath=FAST, error_model="numpy", cache=True)
def definite(C, taken, more, room, L):
    """Whether C - (1 + more) diag(taken) - diag(room) has a Cholesky factorisation."""
    n = taken.size
    for i in range(n):
        for j in range(i):
            L[i, j] = C[i, j]
        L[i, i] = C[i, i] - (1.0 + more) * taken[i] - room[i]
    return factor(L, n)


@njit(error_model="numpy", cache=True, nogil=True)
def fit(Q, old, free, rest, weight, V, step, stretch, sweeps, stop, found):
    """A new diagonal for the free x in `found`, False where there is none; V (free x rank) is changed.

    Q - D >= 0 over the free and the others is proven where it returns True, with nothing lacking: a Cholesky
    factorisation of it, scaled to a diagonal of 1, runs through with more than its rounding error to spare.
    """
    n, o, rank = free.size, rest.size, V.shape[1]
    T, L = np.empty((n, max(o, 1))), np.empty((max(n, o), max(n, o)))
    for i in range(o):
        for j in range(i + 1):
            L[i, j] = Q[rest[i], rest[j]]
        L[i, i] *= 1.0 + 1e-12
    if o > 0 and not factor(L, o):
        return False
    C, Cs = np.empty((n, n)), np.empty((n, n))
    for i in range(n):
        for t in range(o):
            T[i, t] = Q[free[i], rest[t]]
        if o > 0:
            forward(L, o, T[i])
        for j in range(i + 1):
            C[i, j] = Q[free[i], free[j]] - (dot(T[i], T[j], o) if o > 0 else 0.0)
            C[j, i] = C[i, j]
    mean = 0.0
    for i in range(n):
        mean += weight[i] * C[i, i]
    if not mean > 0.0:
        return False
    s = np.empty(n)
    for i in range(n):
        s[i] = math.sqrt(weight[i] * n / mean)
    for i in range(n):
        for j in range(n):
            Cs[i, j] = C[i, j] * s[i] * s[j]
        size = math.sqrt(dot(V[i], V[i], rank))
        for t in range(rank):
            V[i, t] = V[i, t] / size if size > 1e-6 else 1.0 / math.sqrt(rank)
    aim, g, room = np.zeros(n), np.empty(rank), np.empty(n)
    sweep(Cs, V, aim, g, sweeps, stop)
    shrink, fine = 0.0, False
    for i in range(n):
        aim[i] = old[i] + step * (aim[i] / (s[i] * s[i]) - old[i])
        room[i] = 1e-11 * C[i, i]
    for _ in range(SHORTENED):
        for i in range(n):
            found[i] = aim[i] * (1.0 - shrink)
        if definite(C, found, 0.0, room, L):
            fine = True
            break
        shrink = max(0.005, 2.0 * shrink)
    if not fine:
        return False
    more = stretch
    for _ in range(HALVINGS):
        if definite(C, found, more, room, L):
            for i in range(n):
                found[i] *= 1.0 + more
        more *= 0.5
    # Now the proof, of Q itself.
    k = n + o
    index, r = np.empty(k, dtype=np.int64), np.empty(k)
    trace = 0.0
    for i in range(k):
        index[i] = free[i] if i < n else rest[i - n]
        r[i] = 1.0 / math.sqrt(Q[index[i], index[i]])
    M, L = np.empty((k, k)), np.empty((k, k))
    taken, room = np.zeros(k), np.empty(k)
    for i in range(k):
        for j in range(i + 1):
            M[i, j] = Q[index[i], index[j]] * r[i] * r[j]
        trace += M[i, i]
    for i in range(k):
        room[i] = 8.0 * (k + 8) * EPS * trace
    for _ in range(2):
        for i in range(n):
            taken[i] = found[i] * r[i] * r[i]
        if definite(M, taken, 0.0, room, L):
            return True
        for i in range(n):
            found[i] *= 1.0 - 1e-7
    return False


KERNELS = (Kernel(fit, FIT, later=True),)
