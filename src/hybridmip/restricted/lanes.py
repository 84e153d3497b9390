"""The dense kernel's fast path: many restricted problems at once, one per SIMD lane, in Numba.

A primal-dual active-set method (semismooth Newton; Hintermüller, Ito and Kunisch 2002): guess which
bounds and rows bind, solve the equations that leaves, correct the guess where a sign is wrong. From a
neighbor's active set it is mostly right at once or after a correction or two. A lane is done only when
the full KKT conditions hold; a lane that does not get there (cycling, infeasible, singular) is left
unsolved for the dual active-set method of `restricted.kernel`.

Fixed variables and idle rows are masked (an identity row), so that all lanes run the same instructions;
the innermost loops run over the lanes and become vector instructions. A finished lane takes the next
candidate.
"""

from __future__ import annotations

import numpy as np
from numba import njit

#: Problems side by side: 32 up to a support of 12, 16 up to 24, else 8, so that the caches hold them.
LANES = (32, 16, 8)
#: Largest support: beyond, eight problems side by side outgrow the caches and one at a time is faster.
LARGEST = 100
UNSOLVED = -1
SOLVED = 0
#: Corrections after which a lane is given up.
ROUNDS = 6
#: Violations (rows have unit norm) and wrong signs (relative) below this count as none.
TOLERANCE = 1e-10
#: A pivot below this share of the diagonal is singular.
PIVOT = 1e-10

_FAST = {"contract", "reassoc", "nsz", "arcp"}


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_FAST)
def _factor(K, r, n, H, f, A, L, inv, rhs, y, Y, free, xfix, bad, acc):
    """Masked Cholesky of every lane, with the right-hand side and the rows solved forward."""
    for i in range(K):
        for l in range(n):
            acc[l] = f[i, l] + H[i, i, l] * xfix[i, l]
        for j in range(i):
            for l in range(n):
                acc[l] += H[i, j, l] * xfix[j, l]
        for j in range(i + 1, K):
            for l in range(n):
                acc[l] += H[j, i, l] * xfix[j, l]
        for l in range(n):
            rhs[i, l] = -acc[l] * free[i, l]
    for i in range(K):
        for j in range(i):
            for l in range(n):
                acc[l] = H[i, j, l] * free[i, l] * free[j, l]
            for q in range(j):
                for l in range(n):
                    acc[l] -= L[i, q, l] * L[j, q, l]
            for l in range(n):
                L[i, j, l] = acc[l] * inv[j, l]
        for l in range(n):
            acc[l] = H[i, i, l] * free[i, l] + (1.0 - free[i, l])
        for q in range(i):
            for l in range(n):
                acc[l] -= L[i, q, l] * L[i, q, l]
        for l in range(n):
            small = PIVOT * (H[i, i, l] * free[i, l] + (1.0 - free[i, l]))
            if acc[l] <= small:
                bad[l] = 1.0
                acc[l] = 1.0
        for l in range(n):
            inv[i, l] = 1.0 / np.sqrt(acc[l])
        for l in range(n):
            acc[l] = rhs[i, l]
        for q in range(i):
            for l in range(n):
                acc[l] -= L[i, q, l] * y[q, l]
        for l in range(n):
            y[i, l] = acc[l] * inv[i, l]
        for t in range(r):
            for l in range(n):
                acc[l] = A[i, t, l] * free[i, l]
            for q in range(i):
                for l in range(n):
                    acc[l] -= L[i, q, l] * Y[t, q, l]
            for l in range(n):
                Y[t, i, l] = acc[l] * inv[i, l]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_FAST)
def _multipliers(K, r, n, A, y, Y, xfix, target, on, S, sinv, lam, bad, acc):
    """Multipliers of the rows that bind, from the Schur complement of every lane."""
    for t in range(r):
        for l in range(n):
            acc[l] = target[t, l]
        for i in range(K):
            for l in range(n):
                acc[l] -= A[i, t, l] * xfix[i, l] + Y[t, i, l] * y[i, l]
        for l in range(n):
            lam[t, l] = acc[l] * on[t, l]
        for s in range(t + 1):
            for l in range(n):
                acc[l] = 0.0
            for i in range(K):
                for l in range(n):
                    acc[l] += Y[t, i, l] * Y[s, i, l]
            for l in range(n):
                S[t, s, l] = acc[l] * on[t, l] * on[s, l]
    for t in range(r):
        for s in range(t):
            for q in range(s):
                for l in range(n):
                    S[t, s, l] -= S[t, q, l] * S[s, q, l]
            for l in range(n):
                S[t, s, l] *= sinv[s, l]
        for l in range(n):
            full = S[t, t, l] + 1.0 - on[t, l]
            pivot = full
            for q in range(t):
                pivot -= S[t, q, l] * S[t, q, l]
            if pivot <= PIVOT * full or pivot <= 1e-14:
                bad[l] = 1.0
                pivot = 1.0
            sinv[t, l] = 1.0 / np.sqrt(pivot)
        for q in range(t):
            for l in range(n):
                lam[t, l] -= S[t, q, l] * lam[q, l]
        for l in range(n):
            lam[t, l] *= sinv[t, l]
    for t in range(r - 1, -1, -1):
        for q in range(t + 1, r):
            for l in range(n):
                lam[t, l] -= S[q, t, l] * lam[q, l]
        for l in range(n):
            lam[t, l] *= sinv[t, l]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_FAST)
def _point(K, r, n, H, f, A, L, inv, y, Y, free, xfix, lam, x, z, activity, acc):
    """x by back substitution, the gradient of the Lagrangian z, and the activity of the rows."""
    for i in range(K - 1, -1, -1):
        for l in range(n):
            acc[l] = y[i, l]
        for t in range(r):
            for l in range(n):
                acc[l] += lam[t, l] * Y[t, i, l]
        for q in range(i + 1, K):
            for l in range(n):
                acc[l] -= L[q, i, l] * x[q, l]
        for l in range(n):
            x[i, l] = acc[l] * inv[i, l] * free[i, l]
    for i in range(K):
        for l in range(n):
            x[i, l] += xfix[i, l]
    for i in range(K):
        for l in range(n):
            acc[l] = f[i, l] + H[i, i, l] * x[i, l]
        for t in range(r):
            for l in range(n):
                acc[l] -= A[i, t, l] * lam[t, l]
        for j in range(i):
            for l in range(n):
                acc[l] += H[i, j, l] * x[j, l]
        for j in range(i + 1, K):
            for l in range(n):
                acc[l] += H[j, i, l] * x[j, l]
        for l in range(n):
            z[i, l] = acc[l]
    for t in range(r):
        for l in range(n):
            acc[l] = 0.0
        for i in range(K):
            for l in range(n):
                acc[l] += A[i, t, l] * x[i, l]
        for l in range(n):
            activity[t, l] = acc[l]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_FAST)
def _prepare(K, r, n, state, lo, up, free, xfix, row_state, row_lo, row_up, on, target, bad):
    """Masks and fixed values from the states of the variables and rows."""
    for l in range(n):
        bad[l] = 0.0
    for i in range(K):
        for l in range(n):
            s = state[i, l]
            free[i, l] = 1.0 if s == 0.0 else 0.0
            at_lower = lo[i, l] if s == -1.0 or s == 2.0 else 0.0
            xfix[i, l] = up[i, l] if s == 1.0 else at_lower
    for t in range(r):
        for l in range(n):
            s = row_state[t, l]
            on[t, l] = 0.0 if s == 0.0 else 1.0
            at_lower = row_lo[t, l] if s == -1.0 or s == 2.0 else 0.0
            target[t, l] = row_up[t, l] if s == 1.0 else at_lower


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_FAST)
def _check(
    K, r, n, x, z, f, lo, up, state, row_state, row_lo, row_up, target, lam, activity, scale, worst, value, changed
):  # fmt: skip
    """Correct the states where a bound is violated or a sign is wrong; count the corrections."""
    for l in range(n):
        scale[l] = 1.0
        worst[l] = 0.0
        value[l] = 0.0
        changed[l] = 0.0
    for t in range(r):
        for l in range(n):
            scale[l] = max(scale[l], abs(lam[t, l]))
    for i in range(K):
        for l in range(n):
            s = state[i, l]
            xi = x[i, l]
            zi = z[i, l]
            wrong = TOLERANCE * scale[l]
            value[l] += xi * (zi + f[i, l])
            below = -1.0 if xi < lo[i, l] - TOLERANCE else 0.0
            moved = 1.0 if xi > up[i, l] + TOLERANCE else below
            released = 0.0 if zi < -wrong else -1.0
            released_above = 0.0 if zi > wrong else 1.0
            new = s
            new = moved if s == 0.0 else new
            new = released if s == -1.0 else new
            new = released_above if s == 1.0 else new
            slope = abs(zi) if s == 0.0 else 0.0
            worst[l] = max(worst[l], slope)
            changed[l] += 1.0 if new != s else 0.0
            state[i, l] = new
    for t in range(r):
        for l in range(n):
            s = row_state[t, l]
            v = activity[t, l]
            wrong = TOLERANCE * scale[l]
            value[l] += lam[t, l] * v
            below = -1.0 if v < row_lo[t, l] - TOLERANCE else 0.0
            moved = 1.0 if v > row_up[t, l] + TOLERANCE else below
            released = 0.0 if lam[t, l] < -wrong else -1.0
            released_above = 0.0 if lam[t, l] > wrong else 1.0
            new = s
            new = moved if s == 0.0 else new
            new = released if s == -1.0 else new
            new = released_above if s == 1.0 else new
            miss = abs(v - target[t, l]) * scale[l]
            miss = 0.0 if s == 0.0 else miss
            worst[l] = max(worst[l], miss)
            changed[l] += 1.0 if new != s else 0.0
            row_state[t, l] = new


@njit(cache=True, nogil=True, error_model="numpy")
def _load(
    dense, H_full, T, diagonal, f_full, AT_full, GT, row_lo_full, row_up_full, x_lo, x_up, variable_start,
    variable_list, unswitched, base, outs, ins, K, guess, row_guess, support, lane, H, f, A, lo, up, state,
    row_lo, row_up, row_state,
):  # fmt: skip
    """Put the candidate `base - outs + ins` into a lane; False if its support is larger than K."""
    r = AT_full.shape[1]
    factors = T.shape[1]
    k = base.shape[0] - base.shape[0]
    fits = True
    for i in range(r):
        row_lo[i, lane] = row_lo_full[i]
        row_up[i, lane] = row_up_full[i]
    for t in range(base.shape[0] + ins.shape[0]):
        if t < base.shape[0]:
            item = base[t]
            for s in range(outs.shape[0]):
                if outs[s] == item:
                    item = -1
                    break
        else:
            item = ins[t - base.shape[0]]
        if item < 0:
            continue
        if GT.shape[0] > 0:
            for i in range(r):
                row_lo[i, lane] -= GT[item, i]
                row_up[i, lane] -= GT[item, i]
        for s in range(variable_start[item], variable_start[item + 1]):
            if k >= K:
                fits = False
                break
            support[k] = variable_list[s]
            k += 1
    if k + unswitched.shape[0] > K:
        fits = False
    if not fits:
        return False
    for s in range(unswitched.shape[0]):
        support[k] = unswitched[s]
        k += 1
    for i in range(k):
        v = support[i]
        f[i, lane] = f_full[v]
        lo[i, lane] = x_lo[v]
        up[i, lane] = x_up[v]
        state[i, lane] = 2.0 if x_lo[v] == x_up[v] else guess[v]
        for t in range(r):
            A[i, t, lane] = AT_full[v, t]
        if dense:
            for j in range(i + 1):
                H[i, j, lane] = H_full[v, support[j]]
        else:
            for j in range(i + 1):
                w = support[j]
                total = 0.0
                for t in range(factors):
                    total += T[v, t] * T[w, t]
                H[i, j, lane] = total
            H[i, i, lane] += diagonal[v]
    for i in range(k, K):
        f[i, lane] = 0.0
        state[i, lane] = 3.0
        for t in range(r):
            A[i, t, lane] = 0.0
        for j in range(i + 1):
            H[i, j, lane] = 0.0
    for t in range(r):
        row_state[t, lane] = 2.0 if row_lo[t, lane] == row_up[t, lane] else row_guess[t]
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def evaluate_lanes(
    dense, H_full, T, diagonal, f_full, AT_full, GT, row_lo_full, row_up_full, x_lo, x_up, variable_start,
    variable_list, unswitched, base, outs, ins, K, guess, row_guess, values, statuses,
):  # fmt: skip
    """Solve what can be solved of the candidates `base - outs[c] + ins[c]`; the rest stays UNSOLVED.

    The arguments are those of `kernel.evaluate_moves`; K is the largest support, `guess[j]` is -1, 1 or 0
    where x_j is expected at its lower bound, its upper bound or between, and `row_guess` likewise for rows.
    """
    n = LANES[0] if K <= 12 else (LANES[1] if K <= 24 else LANES[2])
    r = AT_full.shape[1]
    rows = max(r, 1)
    count = outs.shape[0]
    H = np.zeros((K, K, n))
    L = np.zeros((K, K, n))
    A = np.zeros((K, rows, n))
    Y = np.zeros((rows, K, n))
    S = np.zeros((rows, rows, n))
    f = np.zeros((K, n))
    lo = np.zeros((K, n))
    up = np.zeros((K, n))
    inv = np.zeros((K, n))
    rhs = np.zeros((K, n))
    y = np.zeros((K, n))
    x = np.zeros((K, n))
    z = np.zeros((K, n))
    free = np.zeros((K, n))
    xfix = np.zeros((K, n))
    row_lo = np.zeros((rows, n))
    row_up = np.zeros((rows, n))
    on = np.zeros((rows, n))
    target = np.zeros((rows, n))
    lam = np.zeros((rows, n))
    sinv = np.ones((rows, n))
    activity = np.zeros((rows, n))
    state = np.full((K, n), 3.0)  # -1 lower, 0 free, 1 upper, 2 fixed, 3 absent
    row_state = np.zeros((rows, n))  # -1 lower, 0 idle, 1 upper, 2 equation
    bad = np.zeros(n)
    scale = np.zeros(n)
    worst = np.zeros(n)
    value = np.zeros(n)
    changed = np.zeros(n)
    job = np.full(n, -1, np.int64)
    rounds = np.zeros(n, np.int64)
    support = np.empty(K + 1, np.int64)
    acc = np.zeros(n)
    upcoming = 0
    working = 0
    for c in range(count):
        statuses[c] = UNSOLVED
        values[c] = np.inf
    while True:
        for lane in range(n):
            while job[lane] < 0 and upcoming < count:
                c = upcoming
                upcoming += 1
                if not _load(
                    dense, H_full, T, diagonal, f_full, AT_full, GT, row_lo_full, row_up_full, x_lo, x_up,
                    variable_start, variable_list, unswitched, base, outs[c], ins[c], K, guess, row_guess,
                    support, lane, H, f, A, lo, up, state, row_lo, row_up, row_state,
                ):  # fmt: skip
                    continue
                rounds[lane] = 0
                job[lane] = c
                working += 1
        if working == 0:
            return
        _prepare(K, r, n, state, lo, up, free, xfix, row_state, row_lo, row_up, on, target, bad)
        _factor(K, r, n, H, f, A, L, inv, rhs, y, Y, free, xfix, bad, acc)
        if r > 0:
            _multipliers(K, r, n, A, y, Y, xfix, target, on, S, sinv, lam, bad, acc)
        _point(K, r, n, H, f, A, L, inv, y, Y, free, xfix, lam, x, z, activity, acc)
        _check(
            K,
            r,
            n,
            x,
            z,
            f,
            lo,
            up,
            state,
            row_state,
            row_lo,
            row_up,
            target,
            lam,
            activity,
            scale,
            worst,
            value,
            changed,
        )
        for lane in range(n):
            c = job[lane]
            if c < 0:
                continue
            rounds[lane] += 1
            if bad[lane] != 0.0 or rounds[lane] >= ROUNDS:
                job[lane] = -1
                working -= 1
            elif changed[lane] == 0.0:
                job[lane] = -1
                working -= 1
                # Stationarity and the binding rows hold by construction; their rounding is checked.
                if worst[lane] <= 1e-8 * scale[lane]:
                    statuses[c] = SOLVED
                    values[c] = 0.5 * value[lane]
