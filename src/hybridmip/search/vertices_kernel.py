"""Compiled walk over the vertices of a polyhedron, by pivots, under linear costs and charges for what is not zero.

The tableau is kept dense, one line per variable outside the basis. A line tells the whole edge that lets its variable
in: how far it goes, who leaves, and what the charges of everything on the way come to.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit, types

from hybridmip.engines.compiled import Kernel

#: What counts as zero in the tableau, and for a value.
ENTRY_TOLERANCE = 1e-9
VALUE_TOLERANCE = 1e-8
#: Pivots in a row that only change the basis of the same vertex.
MOST_IDLE = 4

#: What is kept together of each variable in the basis.
VALUE, LOWER, UPPER, COST, CHARGE, GUESS = range(6)

_REALS = types.float64[::1]
_INTEGERS = types.int64[::1]
_TABLE = types.float64[:, ::1]
_PLACES = types.int32[:, ::1]
#: Signatures of `pack` and `walk`.
PACK = types.Tuple((_PLACES, _INTEGERS))(_TABLE)
WALK = types.Tuple((types.float64, types.int64, types.int64))(
    _TABLE, _PLACES, _INTEGERS, _INTEGERS, _INTEGERS, _REALS, _REALS, _REALS, _REALS, _INTEGERS, _REALS, _REALS,
    _INTEGERS, _INTEGERS, types.int64, types.int64, types.int64, _INTEGERS, types.float64, _REALS, _INTEGERS,
)  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def _edge(k, table, where, many, basics, variable, z, lower, upper, cost):
    """How far the edge of line k goes, the row that stops it (-1: its variable's own bound), and its slope."""
    at = z[variable]
    sign = 1.0 if at - lower[variable] <= upper[variable] - at else -1.0
    length, row, steepest = upper[variable] - lower[variable], -1, 0.0
    linear = cost[variable]
    for c in range(many[k]):
        r, entry = where[k, c], table[k, c]
        linear -= basics[r, COST] * entry
        rate = sign * entry
        limit = basics[r, LOWER] if rate > 0 else basics[r, UPPER]
        room = (basics[r, VALUE] - limit) / rate
        if room <= length + VALUE_TOLERANCE:
            size = abs(rate)
            # Of those that stop it at the same place, the largest pivot.
            if room < length - VALUE_TOLERANCE or size > steepest:
                row, steepest = r, size
            length = min(length, room)
    return max(length, 0.0), row, sign * linear


@njit(cache=True, nogil=True, error_model="numpy")
def _charges(k, table, where, many, basis, variable, length, z, lower, upper, owner, charge, counts, change, touched):
    """What going along an edge adds in charges: each is paid with the first x of its switch and saved with the last."""
    at = z[variable]
    sign = 1.0 if at - lower[variable] <= upper[variable] - at else -1.0
    seen = 0
    for c in range(-1, many[k]):
        v = variable if c < 0 else basis[where[k, c]]
        o = owner[v]
        if o >= 0:
            end = at + sign * length if c < 0 else z[v] - sign * table[k, c] * length
            was, now = abs(z[v]) > VALUE_TOLERANCE, abs(end) > VALUE_TOLERANCE
            if was != now:
                change[o] += 1 if now else -1
                touched[seen] = o
                seen += 1
    total = 0.0
    for place in range(seen):
        o = touched[place]
        if change[o] != 0:
            if counts[o] == 0:
                total += charge[o]
            elif counts[o] + change[o] == 0:
                total -= charge[o]
            change[o] = 0
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def _guessed(k, table, where, many, basics, variable, z, lower, upper, owner, guess, counts):
    """What the guesses for switches that are off add to the slope of an edge."""
    at, own = z[variable], owner[variable]
    total = guess[own] if own >= 0 and counts[own] == 0 else 0.0
    for c in range(many[k]):
        total -= basics[where[k, c], GUESS] * table[k, c]
    return total if at - lower[variable] <= upper[variable] - at else -total


@njit(cache=True, nogil=True, error_model="numpy")
def _collect(basis, z, lower, upper, cost, owner, charge, guess, counts, basics):
    """Put what the edges need of the basis next to each other."""
    for r in range(basis.size):
        v = basis[r]
        o = owner[v]
        basics[r, VALUE], basics[r, LOWER], basics[r, UPPER], basics[r, COST] = z[v], lower[v], upper[v], cost[v]
        basics[r, CHARGE] = charge[o] if o >= 0 else 0.0
        basics[r, GUESS] = guess[o] if o >= 0 and counts[o] == 0 else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _shift(variable, value, z, owner, counts):
    """Give a variable a value, and count what its owner carries."""
    o = owner[variable]
    if o >= 0:
        counts[o] += int(abs(value) > VALUE_TOLERANCE) - int(abs(z[variable]) > VALUE_TOLERANCE)
    z[variable] = value


@njit(cache=True, nogil=True, error_model="numpy")
def _pack(dense, line, where):
    """Write what is not zero to the front of a line, and its places; returns how many there are."""
    many = 0
    for r in range(dense.size):
        entry = dense[r]
        if not -ENTRY_TOLERANCE < entry < ENTRY_TOLERANCE:
            line[many], where[many] = entry, r
            many += 1
    return many


@njit(cache=True, nogil=True, error_model="numpy")
def pack(table):
    """Pack all lines of a table, in place; returns the places, and how many there are in each line."""
    where, many = np.zeros(table.shape, dtype=np.int32), np.zeros(table.shape[0], dtype=np.int64)
    for k in range(table.shape[0]):
        many[k] = _pack(table[k].copy(), table[k], where[k])
    return where, many


@njit(cache=True, nogil=True, error_model="numpy")
def _take(at_line, table, where, many, basis, outside, length, row, z, lower, upper, owner, counts, dense):
    """Go along an edge: new values, and a pivot unless the variable stops at its own bound."""
    variable = outside[at_line]
    line, places, count = table[at_line], where[at_line], many[at_line]
    at = z[variable]
    up = at - lower[variable] <= upper[variable] - at
    sign = 1.0 if up else -1.0
    pivot = 1.0
    for c in range(count):
        r = places[c]
        if r == row:
            pivot = line[c]
        if length > 0:
            v = basis[r]
            value = z[v] - sign * line[c] * length
            _shift(v, min(max(value, lower[v]), upper[v]), z, owner, counts)
    if row < 0:
        _shift(variable, upper[variable] if up else lower[variable], z, owner, counts)
        return
    _shift(variable, min(max(at + sign * length, lower[variable]), upper[variable]), z, owner, counts)
    leaving = basis[row]
    _shift(leaving, lower[leaving] if sign * pivot > 0 else upper[leaving], z, owner, counts)
    for k in range(outside.size):
        if k == at_line:
            continue
        entry = 0.0
        for c in range(many[k]):
            if where[k, c] == row:
                entry = table[k, c]
                break
        if entry == 0.0:
            continue
        factor = entry / pivot
        dense[:] = 0.0
        for c in range(many[k]):
            dense[where[k, c]] = table[k, c]
        for c in range(count):
            dense[places[c]] -= factor * line[c]
        dense[row] = factor
        many[k] = _pack(dense, table[k], where[k])
    for c in range(count):
        line[c] = 1.0 / pivot if places[c] == row else -line[c] / pivot
    basis[row], outside[at_line] = variable, leaving


@njit(cache=True, nogil=True, error_model="numpy")
def walk(
    table,
    where,
    many,
    basis,
    outside,
    z,
    lower,
    upper,
    cost,
    owner,
    charge,
    guess,
    counts,
    forbidden,
    clock,
    since,
    patience,
    tenures,
    best,
    best_z,
    best_basis,
):
    """Take the best edge again and again, until nothing better than `best` is found for a while.

    After a step its variable may not come back for a while. Between two steps the basis of the vertex is changed as
    long as the guessed slopes say that this leads on. Returns the best value, and the two counters, to go on with.
    """
    change, touched = np.zeros(charge.size, dtype=np.int64), np.zeros(basis.size + 1, dtype=np.int64)
    dense, basics = np.zeros(basis.size), np.zeros((basis.size, 8))
    value = 0.0
    for v in range(z.size):
        value += cost[v] * z[v]
    for o in range(charge.size):
        if counts[o] > 0:
            value += charge[o]
    if value < best:
        best = value
        best_z[:] = z
        best_basis[:] = basis
    idle = 0
    end = clock + tenures.size
    while since < patience and clock < end:
        clock += 1
        _collect(basis, z, lower, upper, cost, owner, charge, guess, counts, basics)
        found, found_delta, found_length, found_row = -1, math.inf, 0.0, -1
        other, other_slope, other_row = -1, -1e-9, -1
        for k in range(outside.size):
            variable = outside[k]
            if upper[variable] - lower[variable] <= VALUE_TOLERANCE:
                continue
            length, row, slope = _edge(k, table, where, many, basics, variable, z, lower, upper, cost)
            if math.isinf(length):
                continue
            if length <= VALUE_TOLERANCE:
                if row >= 0:
                    slope += _guessed(k, table, where, many, basics, variable, z, lower, upper, owner, guess, counts)
                    if slope < other_slope:
                        other, other_slope, other_row = k, slope, row
                continue
            least = found_delta
            if forbidden[variable] > clock:  # only if it leads to the best of all
                least = min(least, best - 1e-9 * abs(best) - value)
            # What stops can save its charge; only where that might be enough all charges are counted.
            own = owner[variable]
            hope = charge[own] if own >= 0 and counts[own] == 0 else 0.0
            hope -= basics[row, CHARGE] if row >= 0 else 0.0 if own < 0 else charge[own]
            if slope * length + hope >= least:
                continue
            delta = slope * length + _charges(
                k, table, where, many, basis, variable, length, z, lower, upper, owner, charge, counts, change, touched
            )
            if delta < least:
                found, found_delta, found_length, found_row = k, delta, length, row
        if other >= 0 and idle < MOST_IDLE and found_delta > -1e-9 * abs(best):
            idle += 1
            _take(other, table, where, many, basis, outside, 0.0, other_row, z, lower, upper, owner, counts, dense)
            continue
        idle = 0
        since += 1
        if found < 0:
            continue
        leaving = outside[found] if found_row < 0 else basis[found_row]
        _take(found, table, where, many, basis, outside, found_length, found_row, z, lower, upper, owner, counts, dense)
        forbidden[leaving] = clock + tenures[end - clock]
        value += found_delta
        if value < best - 1e-9 * abs(best):
            best, since = value, 0
            best_z[:] = z
            best_basis[:] = basis
    return best, clock, since


#: What is compiled here.
KERNELS = (Kernel(pack, PACK), Kernel(walk, WALK))
