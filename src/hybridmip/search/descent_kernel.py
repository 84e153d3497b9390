"""A whole best-improvement descent in one compiled call, for disjoint counts on b and the dense kernel.

The same descent as `search.descent`: the marginal costs w of every binary at the current point bound each
flip and exchange from below; what can still win is solved in the order of promise. Everything here is in the
kernel's scaled units. The GIL is released, so descents from several starts run side by side.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hybridmip.restricted.kernel import INFEASIBLE, SOLVED, TROUBLE, evaluate_moves
from hybridmip.restricted.lanes import LARGEST, evaluate_lanes

DONE, STOPPED, STUCK = 0, 1, 2
#: Moves tried together at first; the batch doubles up to the largest.
FIRST_BATCH = 64
LARGEST_BATCH = 1024
#: Moves tried from an infeasible point, the most promising first.
REPAIRS = 512


@njit(cache=True, nogil=True, error_model="numpy")
def _ascending(values):
    """Indices that sort `values` (heapsort: a few lines that compile at once, where np.argsort takes seconds)."""
    n = values.shape[0]
    order = np.arange(n)
    start, end = n // 2, n
    while end > 1:
        if start > 0:
            start -= 1
        else:
            end -= 1
            order[0], order[end] = order[end], order[0]
        root = start
        while True:
            child = 2 * root + 1
            if child >= end:
                break
            if child + 1 < end and values[order[child]] < values[order[child + 1]]:
                child += 1
            if values[order[root]] >= values[order[child]]:
                break
            order[root], order[child] = order[child], order[root]
            root = child
    return order


@njit(cache=True, nogil=True, error_model="numpy")
def _marginal_costs(
    dense, H, T, diagonal, f, AT, GT, x_lo, x_up, start, members, unswitched, p, D, support, k, x, lam, w, v, here
):  # fmt: skip
    """w_i: lower bound on what binary i adds to the objective, exact for the current point."""
    n, r = f.shape[0], AT.shape[1]
    m = p.shape[0]
    for j in range(n):
        v[j] = f[j]
        for t in range(r):
            v[j] -= AT[j, t] * lam[t]
    if dense:
        for s in range(k):
            j = support[s]
            xs = x[s]
            if xs != 0.0:
                for i in range(n):
                    v[i] += H[j, i] * xs
    else:
        factors = T.shape[1]
        for t in range(factors):
            exposure = 0.0
            for s in range(k):
                exposure += T[support[s], t] * x[s]
            for i in range(n):
                v[i] += T[i, t] * exposure
        for s in range(k):
            v[support[s]] += diagonal[support[s]] * x[s]
    for s in range(k):
        v[support[s]] -= 2.0 * D[support[s]] * x[s]
    # `here` is x where the switch is on (the minimum is there, whatever rounding says), else NaN.
    for j in range(n):
        here[j] = np.nan
    for s in range(k):
        here[support[s]] = x[s]
    for i in range(m):
        total = p[i]
        if GT.shape[0] > 0:
            for t in range(r):
                total -= GT[i, t] * lam[t]
        for s in range(start[i], start[i + 1]):
            j = members[s]
            slope = v[j]
            if not np.isnan(here[j]):
                total += (D[j] * here[j] + slope) * here[j]
                continue
            if D[j] > 0.0:
                xj = min(max(-slope / (2.0 * D[j]), x_lo[j]), x_up[j])
            else:
                xj = x_lo[j] if slope > 0.0 else x_up[j]
            if slope == 0.0 and D[j] <= 0.0:
                continue
            if np.isinf(xj):
                total = -1e300
                break
            total += (D[j] * xj + slope) * xj
        w[i] = total


@njit(cache=True, nogil=True, error_model="numpy")
def _repair_scores(AT, GT, x_lo, x_up, start, members, support, k, x, lack, b, w, current):
    """w_i: first-order estimate of how binary i changes the rows' lack when it is flipped (negative helps)."""
    n, r = AT.shape[0], AT.shape[1]
    m = w.shape[0]
    for j in range(n):
        current[j] = 0.0
    for s in range(k):
        current[support[s]] = x[s]
    for i in range(m):
        total = 0.0
        if GT.shape[0] > 0:
            for t in range(r):
                total -= GT[i, t] * lack[t]
        for s in range(start[i], start[i + 1]):
            j = members[s]
            slope = 0.0
            for t in range(r):
                slope += AT[j, t] * lack[t]
            if b[i]:
                total -= slope * current[j]
            else:
                low = max(x_lo[j], -1e3)
                high = min(x_up[j], 1e3)
                total -= max(slope * low, slope * high)
        w[i] = total


@njit(cache=True, nogil=True, error_model="numpy")
def _candidates(base, zeros, w, feasible, keep, threshold, group, can_flip, outs, ins, change, write):
    """Count, and write if asked, the flips and exchanges whose bound is below the threshold.

    When a binary is off, w is what it would add; when on, what it adds now (or, in repair, a flip's effect).
    """
    total = zeros.shape[0] - zeros.shape[0]
    for s in range(base.shape[0] + 1):
        # The last round has nothing going off: additions alone.
        nothing = s == base.shape[0]
        i = -1 if nothing else base[s]
        without = 0.0
        if not nothing:
            without = -w[i] if feasible else w[i]
        if total > 4_000_000:
            break
        for t in range(zeros.shape[0]):
            j = zeros[t]
            d = without + w[j]
            if d >= threshold:
                continue
            allowed = can_flip[j] if nothing else group[i] == group[j] or (can_flip[i] and can_flip[j])
            if allowed:
                if write:
                    outs[total, 0] = i
                    ins[total, 0] = j
                    change[total] = d
                total += 1
        if not nothing and can_flip[i] and without < threshold and (feasible or not keep):
            if write:
                outs[total, 0] = i
                ins[total, 0] = -1
                change[total] = without
            total += 1
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def descend(
    dense, H, T, diagonal, f, AT, GT, row_lo, row_up, x_lo, x_up, start, members, unswitched,
    p, constant, D, curved, group, group_low, group_high, b, most_support, improvement, stop, budget, keep,
):  # fmt: skip
    """Descend from b (changed in place); returns (evaluations, outcome).

    The outcome is DONE at a local optimum; STOPPED when `stop` was set or the budget of evaluations used up;
    STUCK when the support outgrew the kernel or a restricted problem gave it trouble. b is the best so far.
    While the point is infeasible, `keep` rules out switching off without switching on.
    """
    m = p.shape[0]
    n, r = f.shape[0], AT.shape[1]
    groups = group_low.shape[0]
    w = np.empty(m)
    v = np.empty(n)
    here = np.empty(n)
    counts = np.zeros(groups, np.int64)
    can_flip = np.zeros(m, np.bool_)
    none = np.full((1, 1), -1, np.int64)
    one_value = np.empty(1)
    one_infeasibility = np.empty(1)
    one_status = np.empty(1, np.int64)
    guess = np.zeros(n)
    row_guess = np.zeros(r)
    evaluations = 0
    value = np.inf
    infeasibility = np.inf
    widest = 0
    for i in range(m):
        widest = max(widest, start[i + 1] - start[i])
    while True:
        base = np.flatnonzero(b)
        zeros = np.flatnonzero(~b)
        size = unswitched.shape[0]
        cost = constant
        for t in range(base.shape[0]):
            size += start[base[t] + 1] - start[base[t]]
            cost += p[base[t]]
        if size > most_support:
            return evaluations, STUCK
        limit = min(size + widest, most_support)
        x_out = np.empty(limit + 1)
        support = np.empty(limit + 1, np.int64)
        multipliers = np.zeros(limit + r + 1)
        k = evaluate_moves(
            dense, H, T, diagonal, f, AT, GT, row_lo, row_up, x_lo, x_up, start, members, unswitched,
            base, none, none, limit, stop[0] >= 0, one_value, one_infeasibility, one_status,
            x_out, support, multipliers,
        )  # fmt: skip
        evaluations += 1
        feasible = one_status[0] == SOLVED
        if not feasible and (one_status[0] != INFEASIBLE or not one_infeasibility[0] > 1e-9):
            return evaluations, STUCK
        infeasibility = 0.0 if feasible else one_infeasibility[0]
        value = one_value[0] + cost if feasible else np.inf
        if feasible:
            _marginal_costs(
                dense, H, T, diagonal, f, AT, GT, x_lo, x_up, start, members, unswitched, p, D,
                support, k, x_out, multipliers, w, v, here,
            )  # fmt: skip
            for j in range(n):
                guess[j] = 0.0
            for s in range(k):
                j = support[s]
                if x_out[s] <= x_lo[j]:
                    guess[j] = -1.0
                elif x_out[s] >= x_up[j]:
                    guess[j] = 1.0
            for t in range(r):
                row_guess[t] = -1.0 if multipliers[t] > 0.0 else (1.0 if multipliers[t] < 0.0 else 0.0)
        else:
            _repair_scores(AT, GT, x_lo, x_up, start, members, support, k, x_out, multipliers, b, w, v)
            for j in range(n):
                guess[j] = 0.0
            for t in range(r):
                row_guess[t] = 0.0
        # Which binaries may be flipped alone.
        for g in range(groups):
            counts[g] = 0
        for t in range(base.shape[0]):
            if group[base[t]] >= 0:
                counts[group[base[t]]] += 1
        for i in range(m):
            g = group[i]
            if g < 0:
                can_flip[i] = True
            elif b[i]:
                can_flip[i] = counts[g] - 1 >= group_low[g]
            else:
                can_flip[i] = counts[g] + 1 <= group_high[g]
        # Rounding of x'Hx (H has a largest diagonal of 1) must not pass for progress where the optimum is near 0.
        noise = 0.0
        for s in range(k):
            noise += 1e-13 * x_out[s] * x_out[s]
        threshold = -improvement * abs(value) - noise if feasible else np.inf
        total = _candidates(
            base, zeros, w, feasible, keep, threshold, group, can_flip, none, none, one_value, stop[0] < 0
        )
        if total == 0:
            return evaluations, DONE
        outs = np.empty((total, 1), np.int64)
        ins = np.empty((total, 1), np.int64)
        change = np.empty(total)
        _candidates(base, zeros, w, feasible, keep, threshold, group, can_flip, outs, ins, change, stop[0] >= 0)
        order = _ascending(change)
        if not feasible:
            order = order[:REPAIRS]
        best_value, best_infeasibility, best = value, infeasibility, -1
        position = 0
        troubles = 0
        # Fewer at a time where each takes long, so that a stop is seen soon.
        largest_batch = max(16, min(LARGEST_BATCH, int(LARGEST_BATCH * (16.0 / limit) ** 2)))
        batch = min(FIRST_BATCH, largest_batch)
        while position < order.shape[0]:
            if stop[0] != 0 or evaluations >= budget:
                return evaluations, STOPPED
            if feasible and value + change[order[position]] >= best_value:
                break
            part = order[position : position + min(batch, budget - evaluations)]
            position += batch
            batch = min(2 * batch, largest_batch)
            size = part.shape[0]
            values = np.empty(size)
            away = np.zeros(size)
            statuses = np.empty(size, np.int64)
            part_outs = outs[part]
            part_ins = ins[part]
            if curved and limit <= LARGEST:
                evaluate_lanes(
                    dense, H, T, diagonal, f, AT, GT, row_lo, row_up, x_lo, x_up, start, members, unswitched,
                    base, part_outs, part_ins, limit, guess, row_guess, values, statuses,
                )  # fmt: skip
            else:
                statuses[:] = -1
            rest = np.flatnonzero(statuses != SOLVED)
            if rest.shape[0] > 0:
                rest_values = np.empty(rest.shape[0])
                rest_away = np.empty(rest.shape[0])
                rest_status = np.empty(rest.shape[0], np.int64)
                evaluate_moves(
                    dense, H, T, diagonal, f, AT, GT, row_lo, row_up, x_lo, x_up, start, members, unswitched,
                    base, part_outs[rest], part_ins[rest], limit, not feasible,
                    rest_values, rest_away, rest_status, x_out, support, multipliers,
                )  # fmt: skip
                for t in range(rest.shape[0]):
                    values[rest[t]] = rest_values[t]
                    away[rest[t]] = rest_away[t]
                    troubles += 1 if rest_status[t] == TROUBLE else 0
            evaluations += size
            for t in range(size):
                c = part[t]
                if away[t] > 0.0:
                    if away[t] < best_infeasibility - improvement * max(best_infeasibility, 1e-3):
                        best_infeasibility, best_value, best = away[t], np.inf, c
                    continue
                candidate = values[t] + cost
                if outs[c, 0] >= 0:
                    candidate -= p[outs[c, 0]]
                if ins[c, 0] >= 0:
                    candidate += p[ins[c, 0]]
                if best_infeasibility > 0.0 or candidate < best_value - improvement * abs(best_value) - noise:
                    best_infeasibility, best_value, best = 0.0, candidate, c
            if best >= 0 and (position >= LARGEST_BATCH or not feasible):
                break
        if best < 0:
            return evaluations, DONE if troubles == 0 else STUCK
        if outs[best, 0] >= 0:
            b[outs[best, 0]] = False
        if ins[best, 0] >= 0:
            b[ins[best, 0]] = True
