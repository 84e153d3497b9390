"""Compiled tabu search over b for problems in which b says all: flips, and exchanges of one that is on for one off.

The objective is linear'b + b'W b with W's diagonal zero; rows on b may be left for a while, at a price that rises while
they are and falls while they are not (strategic oscillation, Glover 1977).
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit, types

from hybridmip.engines.compiled import Kernel

#: What counts as within a row's limits, its largest entry being 1.
WITHIN = 1e-9
#: Steps after which prices are looked at, and the factors they change by.
LOOK = 10
DEARER, CHEAPER = 1.5, 0.8

_REALS = types.float64[::1]
_INTEGERS = types.int64[::1]
#: Signature of `tabu`.
TABU = types.Tuple((types.float64, types.int64))(
    types.float64[:, ::1], _REALS, _INTEGERS, _INTEGERS, _REALS, _REALS, _REALS, types.boolean[::1], _REALS, _INTEGERS,
    types.int64, types.int64, types.float64, types.boolean[::1], _INTEGERS, types.int64,
)  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def _outside(activity, lower, upper):
    return max(lower - activity - WITHIN, activity - upper - WITHIN, 0.0)


@njit(cache=True, nogil=True, error_model="numpy")
def _priced(i, sign, starts, places, entries, activity, lower, upper, price):
    """What changing b_i by `sign` adds to the priced distance from the rows."""
    total = 0.0
    for c in range(starts[i], starts[i + 1]):
        r = places[c]
        after = activity[r] + sign * entries[c]
        total += price[r] * (_outside(after, lower[r], upper[r]) - _outside(activity[r], lower[r], upper[r]))
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def tabu(
    W, linear, starts, places, entries, lower, upper, b, price, forbidden, clock, patience, best, best_b, tenures, pairs
):
    """Take the best move again and again, until nothing better than `best` comes for a while.

    `pairs` exchanges are looked at in a step, at most. Returns the best value and the clock, to go on with.
    """
    m, rows = b.size, lower.size
    h, activity = np.zeros(m), np.zeros(rows)
    value = 0.0
    for i in range(m):
        if b[i]:
            value += linear[i]
            for k in range(m):
                h[k] += W[i, k]
            for c in range(starts[i], starts[i + 1]):
                activity[places[c]] += entries[c]
    for i in range(m):
        if b[i]:
            value += h[i]
    far = 0.0
    for r in range(rows):
        far += _outside(activity[r], lower[r], upper[r])
    if far == 0.0 and value < best:
        best = value
        best_b[:] = b
    inside, outside, since, end = 0, 0, 0, clock + tenures.size
    while since < patience and clock < end:
        clock += 1
        since += 1
        found, other, found_delta, found_priced = -1, -1, 0.0, math.inf
        ones = 0
        enough = best - 1e-9 * abs(best) - value if best < math.inf else -math.inf
        for i in range(m):
            sign = -1.0 if b[i] else 1.0
            ones += b[i]
            delta = sign * (linear[i] + 2.0 * h[i])
            priced = delta + _priced(i, sign, starts, places, entries, activity, lower, upper, price)
            if priced < found_priced and (forbidden[i] <= clock or delta < enough):
                found, other, found_delta, found_priced = i, -1, delta, priced
        if rows and 0 < ones < m:
            every = max(1, ones * (m - ones) // pairs)
            count = tenures[end - clock] % every
            for i in range(m):
                if not b[i]:
                    continue
                count += 1
                if count % every:
                    continue
                # As if b_i were off already.
                first = -(linear[i] + 2.0 * h[i])
                first_priced = _priced(i, -1.0, starts, places, entries, activity, lower, upper, price)
                for c in range(starts[i], starts[i + 1]):
                    activity[places[c]] -= entries[c]
                for k in range(m):
                    if b[k]:
                        continue
                    delta = first + linear[k] + 2.0 * h[k] - 2.0 * W[i, k]
                    if delta + first_priced >= found_priced and first_priced >= 0.0:
                        continue
                    priced = delta + first_priced
                    priced += _priced(k, 1.0, starts, places, entries, activity, lower, upper, price)
                    if priced < found_priced and ((forbidden[i] <= clock and forbidden[k] <= clock) or delta < enough):
                        found, other, found_delta, found_priced = i, k, delta, priced
                for c in range(starts[i], starts[i + 1]):
                    activity[places[c]] += entries[c]
        if found < 0:
            continue
        for move in range(2):
            i = found if move == 0 else other
            if i < 0:
                continue
            sign = -1.0 if b[i] else 1.0
            b[i] = not b[i]
            for k in range(m):
                h[k] += sign * W[i, k]
            for c in range(starts[i], starts[i + 1]):
                activity[places[c]] += sign * entries[c]
            forbidden[i] = clock + tenures[end - clock]
        value += found_delta
        far = 0.0
        for r in range(rows):
            far += _outside(activity[r], lower[r], upper[r])
        if far == 0.0:
            inside += 1
            outside = 0
            if found_delta < enough or math.isinf(best):
                best, since = value, 0
                best_b[:] = b
        else:
            outside += 1
            inside = 0
        if outside >= LOOK or inside >= LOOK:
            for r in range(rows):
                if outside and _outside(activity[r], lower[r], upper[r]) > 0.0:
                    price[r] *= DEARER
                elif inside:
                    price[r] *= CHEAPER
            inside = outside = 0
    return best, clock


#: What is compiled here.
KERNELS = (Kernel(tabu, TABU),)
