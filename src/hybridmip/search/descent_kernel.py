"""A whole best-improvement descent in one compiled call, for disjoint counts (and choices) on b and the dense kernel.

The same descent as `search.descent`: the marginal costs w of every binary at the current point bound each
flip and exchange from below; what can still win is solved in the order of promise. Everything here is in the
kernel's scaled units. The GIL is released, so descents from several starts run side by side.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numba import njit, types

from hybridmip.engines.compiled import Kernel
from hybridmip.model.problem import Problem
from hybridmip.restricted import kernel, lanes
from hybridmip.restricted.gather import (
    A_ROWS,
    BINARIES,
    DENSE,
    DIAGONAL,
    FACTORS,
    G_ROWS,
    HAS_G,
    HESSIAN,
    INTEGERS,
    LINEAR,
    LISTS,
    LOADINGS,
    LOWER,
    MEMBERS,
    REALS,
    ROWS,
    STARTS,
    TABLE,
    UNSWITCHED,
    UNSWITCHED_END,
    UPPER,
    VARIABLES,
    Callable,
)
from hybridmip.restricted.kernel import DISTANCE, SOLVED, TROUBLE, VERDICT
from hybridmip.restricted.lanes import LARGEST

DONE, STOPPED, STUCK = 0, 1, 2
#: Moves tried together at first, from a feasible point and from others; the batch doubles up to the largest.
FIRST_BATCH = 64
FIRST_REPAIRS = 8
LARGEST_BATCH = 1024
#: Moves tried from an infeasible point, the most promising first.
REPAIRS = 512
#: Moves that are looked at from one point.
MOST_MOVES = 4_000_000

#: Signature of `descend`.
DESCEND = types.UniTuple(types.int64, 2)(
    types.FunctionType(kernel.EVALUATE), types.FunctionType(lanes.EVALUATE), INTEGERS, REALS, REALS, types.float64,
    REALS, types.boolean, INTEGERS, LISTS, INTEGERS, INTEGERS, INTEGERS, types.boolean[::1], types.int64,
    types.float64, INTEGERS, types.int64, types.boolean, TABLE, REALS, TABLE, LISTS, TABLE, INTEGERS, REALS, TABLE,
    LISTS, LISTS, REALS, types.int64[:, :, ::1], TABLE, INTEGERS,
)  # fmt: skip
_INNER = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


@njit(**_INNER)
def _sift(heap, values, root, end):
    """Let heap[root] sink to its place in a heap with the least value on top."""
    while True:
        child = 2 * root + 1
        if child >= end:
            return
        if child + 1 < end and values[heap[child + 1]] < values[heap[child]]:
            child += 1
        if values[heap[root]] <= values[heap[child]]:
            return
        item = heap[root]
        heap[root] = heap[child]
        heap[child] = item
        root = child


@njit(**_INNER)
def _marginal_costs(integers, reals, p, D, support, k, x, lam, w, v, here):
    """w_i: lower bound on what binary i adds to the objective, exact for the current point."""
    n, r, m, factors = integers[VARIABLES], integers[ROWS], integers[BINARIES], integers[FACTORS]
    dense = integers[DENSE] != 0
    hessian = integers[HESSIAN] if dense else integers[LOADINGS]
    for j in range(n):
        slope = reals[integers[LINEAR] + j]
        for t in range(r):
            slope -= reals[integers[A_ROWS] + j * r + t] * lam[t]
        v[j] = slope
    for t in range(k if dense else factors):
        if dense:
            row = hessian + support[t] * n
            factor = x[t]
            for j in range(n):
                v[j] += factor * reals[row + j]
        else:
            factor = 0.0
            for s in range(k):
                factor += reals[hessian + support[s] * factors + t] * x[s]
            for j in range(n):
                v[j] += factor * reals[hessian + j * factors + t]
    for s in range(k):
        j = support[s]
        v[j] -= 2.0 * D[j] * x[s]
        if not dense:
            v[j] += reals[integers[DIAGONAL] + j] * x[s]
    # `here` is x where the switch is on (the minimum is there, whatever rounding says), else NaN.
    for j in range(n):
        here[j] = np.nan
    for s in range(k):
        here[support[s]] = x[s]
    for i in range(m):
        total = p[i]
        if integers[HAS_G]:
            for t in range(r):
                total -= reals[integers[G_ROWS] + i * r + t] * lam[t]
        for s in range(integers[integers[STARTS] + i], integers[integers[STARTS] + i + 1]):
            j = integers[integers[MEMBERS] + s]
            slope = v[j]
            at = here[j]
            if np.isnan(at):
                if slope == 0.0 and D[j] <= 0.0:
                    continue
                at = -slope / (2.0 * D[j]) if D[j] > 0.0 else (-np.inf if slope > 0.0 else np.inf)
                at = min(max(at, reals[integers[LOWER] + j]), reals[integers[UPPER] + j])
            total += (D[j] * at + slope) * at
        w[i] = total if total > -1e300 else -1e300


@njit(**_INNER)
def _repair_scores(integers, reals, support, k, x, lack, b, w, current):
    """w_i: lower bound on what flipping binary i adds to lack'(limits - rows), over all x (negative may help)."""
    n, r, m = integers[VARIABLES], integers[ROWS], integers[BINARIES]
    for j in range(n):
        current[j] = 0.0
    for s in range(k):
        current[support[s]] = x[s]
    for i in range(m):
        total = 0.0
        if integers[HAS_G]:
            for t in range(r):
                entry = reals[integers[G_ROWS] + i * r + t] * lack[t]
                total += entry if b[i] else -entry
        for s in range(integers[integers[STARTS] + i], integers[integers[STARTS] + i + 1]):
            j = integers[integers[MEMBERS] + s]
            slope = 0.0
            for t in range(r):
                slope += reals[integers[A_ROWS] + j * r + t] * lack[t]
            if b[i]:
                total += slope * current[j]
            elif slope != 0.0:
                total -= slope * (reals[integers[UPPER] + j] if slope > 0.0 else reals[integers[LOWER] + j])
        w[i] = total if total > -1e300 else -1e300


@njit(**_INNER)
def _candidates(
    ones, zeros, base, rest, w, feasible, keep, threshold, group, choice, must, taken, can_flip, fixed, moves, change
):  # fmt: skip
    """Write the flips and exchanges whose bound is below the threshold to `moves` (off, on); returns how many.

    When a binary is off, w is what it would add; when on, what it adds now (or, in repair, a flip's effect).
    """
    total = zeros - zeros
    room = change.shape[0] - zeros - 1
    for s in range(ones + 1):
        # The last round has nothing going off: additions alone.
        i = base[s] if s < ones else -1
        without = 0.0
        own, bound = -1, False
        if i >= 0:
            without = -w[i] if feasible else w[i]
            if total > room:
                break
            if fixed[i] > 0:
                continue
            own = choice[i]
            bound = own >= 0 and must[own] > 0
            if can_flip[i] and not bound and without < threshold and (feasible or not keep):
                moves[0, total] = i
                moves[1, total] = -1
                change[total] = without
                total += 1
        for t in range(zeros):
            j = rest[t]
            d = without + w[j]
            # Of a choice only one is on: another comes for it, or into one that is empty.
            if not (own >= 0 and choice[j] == own) and (bound or (choice[j] >= 0 and taken[choice[j]] > 0)):
                continue
            if (
                d < threshold
                and fixed[j] >= 0
                and ((can_flip[j] and (i < 0 or can_flip[i])) or (i >= 0 and group[i] == group[j]))
            ):
                moves[0, total] = i
                moves[1, total] = j
                change[total] = d
                total += 1
    return total


@njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
def descend(
    evaluate_moves, evaluate_lanes, integers, reals, p, constant, D, curved, group, limits, choice, must, fixed, b,
    most_support, improvement, stop, budget, keep, table, matrices, vectors, indices, lane_table, lane_jobs, last,
    scratch, lists, moves, change, batch_moves, batch_reals, statuses,
):  # fmt: skip
    """Descend from b (changed in place); returns (evaluations, outcome).

    The outcome is DONE at a local optimum; STOPPED when `stop` was set or the budget of evaluations used up;
    STUCK when the support outgrew the kernel or a restricted problem gave it trouble. b is the best so far.
    While the point is infeasible, `keep` rules out switching off without switching on. `group` is the set that
    counts each binary, `limits` the least and most of each set; `choice` is the set of which at most one is on (`must`:
    exactly one). `fixed` is 1 for a binary that is not to be switched
    off, -1 for one that is not to be switched on. From `table` on: room to work in (see `Workspace`).
    """
    m, n, r = integers[BINARIES], integers[VARIABLES], integers[ROWS]
    w, v, here, guess, row_guess = scratch[0], scratch[1], scratch[2], scratch[3, :n], scratch[4, :r]
    base, rest, can_flip, counts, taken, heap = lists[0], lists[1], lists[2], lists[3], lists[4], moves[2]
    support = indices[3]
    starts = integers[STARTS]
    values, away = batch_reals[0], batch_reals[1]
    evaluations = m - m
    gone, come = evaluations - 1, evaluations - 1  # what the last move switched off and on
    last_infeasibility, last_value = np.inf, np.inf
    first = True
    while True:
        ones = m - m
        zeros = m - m
        size = integers[UNSWITCHED_END] - integers[UNSWITCHED]
        cost = constant
        for g in range(limits.shape[1]):
            counts[g] = 0
        for g in range(must.size):
            taken[g] = 0
        for i in range(m):
            if b[i]:
                base[ones] = i
                ones += 1
                size += integers[starts + i + 1] - integers[starts + i]
                cost += p[i]
                if group[i] >= 0:
                    counts[group[i]] += 1
                if choice[i] >= 0:
                    taken[choice[i]] += 1
            else:
                rest[zeros] = i
                zeros += 1
        if size > most_support:
            return evaluations, STUCK
        if stop[0] != 0 or evaluations >= budget:
            return evaluations, STOPPED
        now = size
        limit = size
        batch_moves[0, 0, 0] = -1
        k = evaluate_moves(
            integers, reals, base[:ones], batch_moves[0, :1], batch_moves[0, :1], limit, DISTANCE, table, matrices,
            vectors, indices, values[:1], away[:1], statuses[:1], last,
        )  # fmt: skip
        evaluations += 1
        feasible = statuses[0] == SOLVED
        if not feasible and (statuses[0] == TROUBLE or not away[0] > 1e-9):
            return evaluations, STUCK
        infeasibility = 0.0 if feasible else away[0]
        value = values[0] + cost if feasible else np.inf
        # Solved on its own the point must be better than the one before, too; else rounding would lead in circles.
        better = infeasibility < last_infeasibility or (infeasibility == last_infeasibility and value < last_value)
        if not (first or better):
            if gone >= 0:
                b[gone] = True
            if come >= 0:
                b[come] = False
            return evaluations, DONE
        first, last_infeasibility, last_value = False, infeasibility, value
        for j in range(n):
            guess[j] = 0.0
        for t in range(r):
            row_guess[t] = 0.0
        noise = 0.0
        if feasible:
            _marginal_costs(integers, reals, p, D, support, k, last, last[k:], w, v, here)
            for s in range(k):
                # Rounding of x'Hx (H has a largest diagonal of 1) must not pass for progress near an optimum of 0.
                noise += 1e-13 * last[s] * last[s]
                j = support[s]
                if last[s] <= reals[integers[LOWER] + j]:
                    guess[j] = -1.0
                elif last[s] >= reals[integers[UPPER] + j]:
                    guess[j] = 1.0
            for t in range(r):
                row_guess[t] = -np.sign(last[k + t])
        else:
            _repair_scores(integers, reals, support, k, last, last[k:], b, w, v)
        # Which binaries may be flipped alone.
        for i in range(m):
            g = group[i]
            can_flip[i] = g < 0 or (counts[g] > limits[0, g] if b[i] else counts[g] < limits[1, g])
        # What x lacks is the direction that separates: (lack^2 + change) / lack is a bound on a neighbor's lack.
        threshold = -improvement * abs(value) - noise if feasible else 1e-6 * infeasibility * infeasibility
        left = _candidates(
            ones, zeros, base, rest, w, feasible, keep, threshold, group, choice, must, taken, can_flip, fixed, moves,
            change,
        )  # fmt: skip
        if left == 0:
            return evaluations, DONE
        for c in range(left):
            heap[c] = c
        for c in range(left // 2 - 1, -1, -1):
            _sift(heap, change, c, left)
        best_value, best_infeasibility, best = value, infeasibility, left - left - 1
        tried = left - left
        troubles = 0
        # Fewer at a time where each takes long, so that a stop is seen soon.
        largest_batch = max(8, min(statuses.shape[0], int(statuses.shape[0] * (16.0 / max(now, 1)) ** 3)))
        batch = min(FIRST_BATCH if feasible else FIRST_REPAIRS, largest_batch)
        while left > 0 and (feasible or tried < REPAIRS):
            if stop[0] != 0 or evaluations >= budget:
                return evaluations, STOPPED
            if feasible and value + change[heap[0]] >= best_value:
                break
            size = m - m
            grown = m - m
            # The most promising come off the heap; what is at `heap[left]` and beyond is what is being tried.
            for c in range(min(left, min(batch, budget - evaluations))):
                left -= 1
                item = heap[0]
                heap[0] = heap[left]
                heap[left] = item
                _sift(heap, change, 0, left)
                batch_moves[0, c, 0] = moves[0, item]
                batch_moves[1, c, 0] = moves[1, item]
                change_of_size = m - m
                for t in range(2):
                    i = moves[t, item]
                    if i >= 0:
                        width = integers[starts + i + 1] - integers[starts + i]
                        change_of_size += width if t == 1 else -width
                grown = max(grown, change_of_size)
                statuses[c] = -1
                away[c] = 0.0
                size += 1
            limit = min(now + grown, most_support)
            batch = min(2 * batch, largest_batch)
            if curved and limit <= LARGEST:
                evaluate_lanes(
                    integers, reals, base[:ones], batch_moves[0, :size], batch_moves[1, :size], limit, guess, row_guess,
                    lane_table, lane_jobs, values, statuses,
                )  # fmt: skip
            for c in range(size):
                if statuses[c] != SOLVED:
                    evaluate_moves(
                        integers, reals, base[:ones], batch_moves[0, c : c + 1], batch_moves[1, c : c + 1], limit,
                        VERDICT if feasible else DISTANCE, table, matrices, vectors, indices, values[c : c + 1],
                        away[c : c + 1], statuses[c : c + 1], last,
                    )  # fmt: skip
                    troubles += statuses[c] == TROUBLE
                item = heap[left + size - 1 - c]
                candidate = values[c] + cost
                if moves[0, item] >= 0:
                    candidate -= p[moves[0, item]]
                if moves[1, item] >= 0:
                    candidate += p[moves[1, item]]
                if away[c] > 0.0:
                    if away[c] < best_infeasibility - improvement * max(best_infeasibility, 1e-3):
                        best_infeasibility, best_value, best = away[c], np.inf, item
                elif best_infeasibility > 0.0 or candidate < best_value - improvement * abs(best_value) - noise:
                    best_infeasibility, best_value, best = 0.0, candidate, item
            evaluations += size
            tried += size
            if best >= 0:
                break
        if best < 0:
            return evaluations, DONE if troubles == 0 else STUCK
        gone, come = moves[0, best], moves[1, best]
        if gone >= 0:
            b[gone] = False
        if come >= 0:
            b[come] = True


#: What is compiled here, with what it calls.
KERNELS = (*kernel.KERNELS, *lanes.KERNELS, Kernel(descend, DESCEND))


class Workspace:
    """Memory for `descend`, for supports of at most `most_support`; one descent at a time."""

    def __init__(self, problem: Problem, most_support: int, groups: int) -> None:
        r, m = problem.rows, problem.m
        size = max(m, problem.n, r, groups, 1)
        many = min((m // 2 + 2) ** 2, MOST_MOVES) + m + 2
        self.arrays = (
            *kernel.workspace(most_support, r), *lanes.workspace(min(most_support, LARGEST), r),
            np.zeros(2 * most_support + r + 1), np.zeros((5, size)), np.zeros((5, size), dtype=np.int64),
            np.empty((3, many), dtype=np.int64), np.empty(many), np.zeros((2, LARGEST_BATCH, 1), dtype=np.int64),
            np.zeros((2, LARGEST_BATCH)), np.zeros(LARGEST_BATCH, dtype=np.int64),
        )  # fmt: skip


@cache
def kernels() -> tuple[Callable, Callable]:
    """The two kernels as arguments of `descend`."""
    return Callable(kernel.evaluate_moves, kernel.EVALUATE), Callable(lanes.evaluate_lanes, lanes.EVALUATE)
