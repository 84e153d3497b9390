"""The dense kernel's fast path: many restricted problems at once, one per SIMD lane, in Numba.

A primal-dual active-set method (semismooth Newton; Hintermüller, Ito and Kunisch 2002): guess which
bounds and rows bind, solve the equations that leaves, correct the guess where a sign is wrong. From a
neighbor's active set it is mostly right at once or after a correction or two. A lane is done only when
the full KKT conditions hold; a lane that does not get there (cycling, infeasible, singular) is left
unsolved for the dual active-set method of `restricted.kernel`.

Fixed variables and idle rows are masked, so that all lanes run the same instructions.
A finished lane takes the next candidate. All numbers are rows of one table with a column per lane.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from hybridmip.engines.compiled import Kernel
from hybridmip.restricted.gather import INTEGERS, LISTS, REALS, ROWS, TABLE, gather, pointer
from hybridmip.restricted.vector import WIDTH, absolute, load, splat, store, where_equal, where_less
from hybridmip.tolerances import KERNEL_FEASIBLE as TOLERANCE

#: Signature of `evaluate_lanes`, which other compiled functions call by its address (see `gather.Callable`).
EVALUATE = types.void(
    INTEGERS, REALS, INTEGERS, LISTS, LISTS, types.int64, REALS, REALS, TABLE, INTEGERS, REALS, INTEGERS
)  # fmt: skip
#: Largest support: beyond, the problems side by side outgrow the caches and one at a time is faster.
LARGEST = 100
UNSOLVED = -1
SOLVED = 0
#: Corrections after which a lane is given up.
ROUNDS = 6
#: A pivot below this share of the diagonal is singular.
PIVOT = 1e-10
#: Stationarity and the binding rows hold by construction; their rounding must be below this.
ROUNDING = 1e-11


def workspace(K: int, r: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Arrays `table` and `jobs` for supports of at most K and r rows."""
    rows = 3 * K * (K + 1) // 2 + 8 * K + 2 * K * r + r * (r + 1) // 2 + 6 * r + 5
    return np.zeros((rows, WIDTH)), np.zeros(K + 2 * WIDTH, dtype=np.int64)


@njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _newton(K, r, table):
    """One round in every lane: solve the equations of the guess, then correct the guess.

    States of variables: -1 lower, 0 free, 1 upper, 2 fixed, 3 absent; of rows: -1 lower, 0 idle, 1 upper,
    2 equation. Leaves in the last five rows: a singular system, the scale of the multipliers, the largest
    residual, twice the objective, and how many states were corrected.
    """
    H, f = 0, K * (K + 1) // 2
    lo, up = f + K, f + 2 * K
    A = up + K
    row_lo = A + K * r
    row_up = row_lo + r
    state = row_up + r
    row_state = state + K
    M = row_state + r
    L = M + f
    Y = L + f
    S = Y + r * K
    inverse = S + r * (r + 1) // 2
    y = inverse + K
    x = y + K
    fixed = x + K
    lam = fixed + K
    pivots = lam + r
    last = pivots + r
    zero, one, minus, two = splat(0.0), splat(1.0), splat(-1.0), splat(2.0)
    tiny = splat(TOLERANCE)
    bad = zero
    for i in range(K):
        s = load(table, state + i)
        at = where_equal(s, one, load(table, up + i), where_equal(s, minus, load(table, lo + i), zero))
        store(table, fixed + i, where_equal(s, two, load(table, lo + i), at))
    # H = L D L', with the right-hand side and the rows solved forward. M is L D. A variable that is not free has 0
    # for the inverse of its pivot, so that its column of L is 0 and nothing else depends on it.
    ti = H
    for i in range(K):
        right = load(table, f + i)
        tj = H
        for j in range(i):
            h = load(table, ti + j)
            right = right + h * load(table, fixed + j)
            for q in range(j):
                h = h - load(table, M + ti + q) * load(table, L + tj + q)
            store(table, M + ti + j, h)
            store(table, L + ti + j, h * load(table, inverse + j))
            tj += j + 1
        h = load(table, ti + i)
        tj = ti
        for j in range(i, K):
            right = right + load(table, tj + i) * load(table, fixed + j)
            tj += j + 1
        a = h
        right = zero - right
        for q in range(i):
            entry = load(table, L + ti + q)
            a = a - load(table, M + ti + q) * entry
            right = right - entry * load(table, y + q)
        s = load(table, state + i)
        singular = splat(PIVOT) * h
        bad = where_equal(s, zero, where_less(singular, a, bad, one), bad)
        store(table, inverse + i, where_equal(s, zero, one, zero) / where_less(singular, a, a, one))
        store(table, y + i, right)
        for t in range(r):
            a = load(table, A + i * r + t)
            for q in range(i):
                a = a - load(table, L + ti + q) * load(table, Y + t * K + q)
            store(table, Y + t * K + i, a)
        ti += i + 1
    # Multipliers of the rows that bind, from the Schur complement; an idle row again has 0 for its pivot.
    largest = one
    tt = S
    for t in range(r):
        s = load(table, row_state + t)
        right = where_equal(s, one, load(table, row_up + t), load(table, row_lo + t))
        for i in range(K):
            right = right - load(table, A + i * r + t) * load(table, fixed + i)
            right = right - load(table, Y + t * K + i) * load(table, y + i) * load(table, inverse + i)
        ts = S
        for c in range(t + 1):
            a = zero
            for i in range(K):
                a = a + load(table, Y + t * K + i) * load(table, Y + c * K + i) * load(table, inverse + i)
            full = a
            for q in range(c):
                a = a - load(table, tt + q) * load(table, ts + q) * load(table, pivots + q)
            store(table, tt + c, a)
            if c < t:
                right = right - a * load(table, lam + c)
            else:
                singular = splat(PIVOT) * full
                singular = where_less(singular, splat(1e-14), splat(1e-14), singular)
                bad = where_equal(s, zero, bad, where_less(singular, a, bad, one))
                pivot = where_equal(s, zero, zero, one) / where_less(singular, a, a, one)
                store(table, pivots + t, pivot)
                store(table, lam + t, where_equal(s, zero, zero, right * pivot))
            ts += c + 1
        tt += t + 1
    for t in range(r - 1, -1, -1):
        a = load(table, lam + t)
        for q in range(t + 1, r):
            a = a - load(table, S + q * (q + 1) // 2 + t) * load(table, pivots + t) * load(table, lam + q)
        store(table, lam + t, a)
        a = absolute(a)
        largest = where_less(largest, a, a, largest)
    # x by back substitution.
    for i in range(K - 1, -1, -1):
        a = load(table, y + i)
        for t in range(r):
            a = a + load(table, lam + t) * load(table, Y + t * K + i)
        a = a * load(table, inverse + i)
        tq = L + (i + 1) * (i + 2) // 2
        for q in range(i + 1, K):
            a = a - load(table, tq + i) * load(table, x + q)
            tq += q + 1
        store(table, x + i, a)
    for i in range(K):
        store(table, x + i, load(table, x + i) + load(table, fixed + i))
    # Correct the states where a bound is violated or a sign is wrong.
    wrong = tiny * largest
    worst, value, changed = zero, zero, zero
    ti = H
    for i in range(K):
        xi = load(table, x + i)
        fi = load(table, f + i)
        z = fi
        for t in range(r):
            z = z - load(table, A + i * r + t) * load(table, lam + t)
        tj = ti
        for j in range(i):
            z = z + load(table, ti + j) * load(table, x + j)
        for j in range(i, K):
            z = z + load(table, tj + i) * load(table, x + j)
            tj += j + 1
        ti += i + 1
        value = value + xi * (z + fi)
        s = load(table, state + i)
        moved = where_less(xi, load(table, lo + i) - tiny, minus, zero)
        moved = where_less(load(table, up + i) + tiny, xi, one, moved)
        new = where_equal(s, zero, moved, s)
        new = where_equal(s, minus, where_less(z, zero - wrong, zero, minus), new)
        new = where_equal(s, one, where_less(wrong, z, zero, one), new)
        slope = where_equal(s, zero, absolute(z), zero)
        worst = where_less(worst, slope, slope, worst)
        changed = changed + where_equal(new, s, zero, one)
        store(table, state + i, new)
    for t in range(r):
        v = zero
        for i in range(K):
            v = v + load(table, A + i * r + t) * load(table, x + i)
        multiplier = load(table, lam + t)
        value = value + multiplier * v
        s = load(table, row_state + t)
        moved = where_less(v, load(table, row_lo + t) - tiny, minus, zero)
        moved = where_less(load(table, row_up + t) + tiny, v, one, moved)
        new = where_equal(s, zero, moved, s)
        new = where_equal(s, minus, where_less(multiplier, zero - wrong, zero, minus), new)
        new = where_equal(s, one, where_less(wrong, multiplier, zero, one), new)
        goal = where_equal(s, one, load(table, row_up + t), load(table, row_lo + t))
        miss = where_equal(s, zero, zero, absolute(v - goal) * largest)
        worst = where_less(worst, miss, miss, worst)
        changed = changed + where_equal(new, s, zero, one)
        store(table, row_state + t, new)
    store(table, last, bad)
    store(table, last + 1, largest)
    store(table, last + 2, worst)
    store(table, last + 3, value)
    store(table, last + 4, changed)
    return last


@njit(cache=True, nogil=True, error_model="numpy")
def evaluate_lanes(
    integers, reals, base, outs, ins, K, guess, row_guess, table, jobs, values, statuses
):  # fmt: skip
    """Solve what can be solved of the candidates `base - outs[c] + ins[c]`; the rest stays UNSOLVED.

    The arguments are those of `kernel.evaluate_moves`; K is the largest support, `guess[j]` is -1, 1 or 0
    where x_j is expected at its lower bound, its upper bound or between, and `row_guess` likewise for rows.
    `table` and `jobs` are room to work in (see `workspace`).
    """
    r = integers[ROWS]
    count, out, into = outs.shape[0], outs.shape[1], ins.shape[1]
    f = K * (K + 1) // 2
    lo, up = f + K, f + 2 * K
    A = up + K
    row_lo = A + K * r
    row_up = row_lo + r
    state = row_up + r
    row_state = state + K
    rounds, support = WIDTH, jobs[2 * WIDTH :]
    for lane in range(WIDTH):
        jobs[lane] = -1
        for i in range(K):
            table[state + i, lane] = 3.0
    for c in range(count):
        statuses[c] = UNSOLVED
        values[c] = np.inf
    upcoming = count - count  # a count, and not the literal 0, which Numba would compile apart
    working = count - count
    while True:
        for lane in range(WIDTH):
            while jobs[lane] < 0 and upcoming < count:
                k = gather(
                    pointer(integers, 0), pointer(reals, 0), pointer(base, 0), base.shape[0],
                    pointer(outs, upcoming * out), out, pointer(ins, upcoming * into), into,
                    K, pointer(support, 0), pointer(table, 0), WIDTH, lane,
                )  # fmt: skip
                upcoming += 1
                if k < 0:
                    continue
                for i in range(k):
                    at = guess[support[i]]
                    table[state + i, lane] = 2.0 if table[lo + i, lane] == table[up + i, lane] else at
                for i in range(k, K):
                    table[state + i, lane] = 3.0
                    for j in range(i * (i + 1) // 2, (i + 1) * (i + 2) // 2):
                        table[j, lane] = 0.0
                    table[f + i, lane] = 0.0
                    for t in range(r):
                        table[A + i * r + t, lane] = 0.0
                for t in range(r):
                    at = row_guess[t]
                    table[row_state + t, lane] = 2.0 if table[row_lo + t, lane] == table[row_up + t, lane] else at
                jobs[rounds + lane] = 0
                jobs[lane] = upcoming - 1
                working += 1
        if working == 0:
            return
        last = _newton(K, r, table)
        for lane in range(WIDTH):
            c = jobs[lane]
            if c < 0:
                continue
            jobs[rounds + lane] += 1
            if table[last, lane] != 0.0 or jobs[rounds + lane] >= ROUNDS:
                jobs[lane] = -1
                working -= 1
            elif table[last + 4, lane] == 0.0:
                jobs[lane] = -1
                working -= 1
                if table[last + 2, lane] <= ROUNDING * table[last + 1, lane]:
                    statuses[c] = SOLVED
                    values[c] = 0.5 * table[last + 3, lane]


#: What is compiled here.
KERNELS = (Kernel(evaluate_lanes, EVALUATE),)
