"""Dense kernel for the restricted problem: a dual active-set method in Numba on flat arrays.

The method is that of Goldfarb and Idnani (1983): start at the unconstrained minimum, add the most
violated constraint, drop those whose multiplier would turn negative. It needs no feasible start,
and it proves infeasibility where it meets it. Bounds cost no matrix product: the row of a bound is
a unit vector. A singular Hessian is made definite by a proximal term that is iterated away.

Nothing is allocated per candidate; the functions release the GIL, so threads run side by side.
"""

from __future__ import annotations

import numpy as np
from numba import njit

SOLVED = 0
INFEASIBLE = 1
TROUBLE = 2

#: Violations below this (rows have unit norm) count as satisfied.
FEASIBILITY = 1e-10
#: KKT residuals above this send the candidate to the general solver.
KKT_TOLERANCE = 1e-7
#: Proximal weight relative to the largest diagonal entry of the Hessian.
PROXIMAL = 1e-6
#: Curvature of x beside the unit curvature of the slacks in the infeasibility problem.
ELASTIC = 1e-7


@njit(cache=True, nogil=True, error_model="numpy")
def _cholesky_inverse(k, H, shift, low, JT):
    """JT = inverse of the Cholesky factor of H + shift I (rows are columns of L^-T); False if singular."""
    largest = 0.0
    for i in range(k):
        largest = max(largest, H[i, i])
    for i in range(k):
        for j in range(i + 1):
            s = H[i, j]
            for t in range(j):
                s -= low[i, t] * low[j, t]
            if i == j:
                s += shift
                if s <= 1e-12 * (largest + shift) or s <= 0.0:
                    return False
                low[i, i] = np.sqrt(s)
            else:
                low[i, j] = s / low[j, j]
    # L^-1 row by row: JT[i, :] is row i of L^-1, that is column i of L^-T.
    for i in range(k):
        inverse = 1.0 / low[i, i]
        for j in range(k):
            JT[i, j] = 0.0
        for t in range(i):
            factor = low[i, t]
            for j in range(t + 1):
                JT[i, j] -= factor * JT[t, j]
        for j in range(i):
            JT[i, j] *= inverse
        JT[i, i] = inverse
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def _drop(k, q, position, active, sign, u, R, JT):
    """Remove the constraint at `position` from the active set; returns the new count."""
    for j in range(position, q - 1):
        active[j] = active[j + 1]
        sign[j] = sign[j + 1]
        u[j] = u[j + 1]
        for i in range(j + 2):
            R[i, j] = R[i, j + 1]
    q -= 1
    for j in range(position, q):
        a = R[j, j]
        b = R[j + 1, j]
        if b == 0.0:
            continue
        h = np.sqrt(a * a + b * b)
        c = a / h
        s = b / h
        R[j, j] = h
        R[j + 1, j] = 0.0
        for t in range(j + 1, q):
            first = R[j, t]
            second = R[j + 1, t]
            R[j, t] = c * first + s * second
            R[j + 1, t] = c * second - s * first
        for t in range(k):
            first = JT[j, t]
            second = JT[j + 1, t]
            JT[j, t] = c * first + s * second
            JT[j + 1, t] = c * second - s * first
    return q


@njit(cache=True, nogil=True, error_model="numpy")
def _active_set(k, r, f, AT, row_lo, row_up, lo, up, x, active, sign, u, R, JT, d, z, rr, is_active):
    """Goldfarb-Idnani from the unconstrained minimum; returns (status, active count).

    `JT` holds the inverse factor of the Hessian on entry and is overwritten. Constraints 0..k-1 are
    the bounds, k..k+r-1 the rows. `sign` is +1 for a lower and -1 for an upper limit, 2 or -2 where
    the limit is an equation.
    """
    for i in range(k):
        x[i] = 0.0
        is_active[i] = 0
    for i in range(r):
        is_active[k + i] = 0
    for i in range(k):
        s = 0.0
        for j in range(i + 1):
            s += JT[i, j] * f[j]
        for j in range(i + 1):
            x[j] -= s * JT[i, j]
    furthest = 0.0
    for i in range(k):
        furthest = max(furthest, abs(x[i]))
    q = k - k  # a count, and not the literal 0, which Numba would compile apart
    pending = 0  # equations first, in order; then the most violated
    for _ in range(50 * (k + r) + 100):
        chosen = -1
        side = 1
        worst = FEASIBILITY
        equation = False
        while pending < k + r:
            c = pending
            pending += 1
            if c < r:
                c = k + c
                if row_lo[c - k] != row_up[c - k]:
                    continue
                value = 0.0
                for j in range(k):
                    value += AT[j, c - k] * x[j]
                residual = row_lo[c - k] - value
            else:
                c = c - r
                if lo[c] != up[c]:
                    continue
                residual = lo[c] - x[c]
            chosen = c
            equation = True
            side = 1 if residual >= 0.0 else -1
            worst = abs(residual)
            break
        if not equation:
            for c in range(k):
                if is_active[c] != 0:
                    continue
                v = lo[c] - x[c]
                if v > worst:
                    worst = v
                    chosen = c
                    side = 1
                v = x[c] - up[c]
                if v > worst:
                    worst = v
                    chosen = c
                    side = -1
            for c in range(r):
                if is_active[k + c] != 0:
                    continue
                value = 0.0
                for j in range(k):
                    value += AT[j, c] * x[j]
                v = row_lo[c] - value
                if v > worst:
                    worst = v
                    chosen = k + c
                    side = 1
                v = value - row_up[c]
                if v > worst:
                    worst = v
                    chosen = k + c
                    side = -1
            if chosen < 0:
                return SOLVED, q
        violation = worst
        u_new = 0.0
        while True:
            # d = J' n
            norm = 0.0
            if chosen < k:
                for i in range(k):
                    d[i] = side * JT[i, chosen]
            else:
                for i in range(k):
                    s = 0.0
                    for j in range(k):
                        s += JT[i, j] * AT[j, chosen - k]
                    d[i] = side * s
            for i in range(k):
                norm += d[i] * d[i]
            zn = 0.0
            for i in range(q, k):
                zn += d[i] * d[i]
            for i in range(q - 1, -1, -1):
                s = d[i]
                for j in range(i + 1, q):
                    s -= R[i, j] * rr[j]
                rr[i] = s / R[i, i]
            dependent = zn <= 1e-18 * norm or q >= k or norm == 0.0
            t_dual = np.inf
            position = q - q - 1
            for i in range(q):
                if abs(sign[i]) == 1 and rr[i] > 1e-13:
                    t = u[i] / rr[i]
                    if t < t_dual:
                        t_dual = t
                        position = i
            if dependent:
                if equation and violation <= 1e-9:
                    break  # a redundant equation
                if position < 0:
                    if violation <= 1e-9:
                        is_active[chosen] = 1  # holds to rounding; the KKT check at the end sees it
                        break
                    if violation <= 1e-10 * furthest:
                        return TROUBLE, q  # may be rounding on the way from a far unconstrained minimum
                    return INFEASIBLE, q
                for i in range(q):
                    u[i] -= t_dual * rr[i]
                u_new += t_dual
                is_active[active[position]] = 0
                q = _drop(k, q, position, active, sign, u, R, JT)
                continue
            t_full = violation / zn
            t = min(t_full, t_dual)
            for i in range(k):
                z[i] = 0.0
            for i in range(q, k):
                factor = d[i]
                for j in range(k):
                    z[j] += factor * JT[i, j]
            for j in range(k):
                x[j] += t * z[j]
            for i in range(q):
                u[i] -= t * rr[i]
            u_new += t
            if t_full <= t_dual:
                # Householder on d[q:], applied to the rows of JT; z already holds half the product.
                alpha = np.sqrt(zn)
                if d[q] > 0.0:
                    alpha = -alpha
                head = d[q] - alpha
                beta = 1.0 / (zn - alpha * d[q])
                for j in range(k):
                    z[j] -= alpha * JT[q, j]
                for i in range(q + 1, k):
                    factor = beta * d[i]
                    for j in range(k):
                        JT[i, j] -= factor * z[j]
                factor = beta * head
                for j in range(k):
                    JT[q, j] -= factor * z[j]
                for i in range(q):
                    R[i, q] = d[i]
                R[q, q] = alpha
                active[q] = chosen
                sign[q] = 2 * side if equation else side
                u[q] = u_new
                is_active[chosen] = 1
                q += 1
                break
            violation -= t * zn
            is_active[active[position]] = 0
            q = _drop(k, q, position, active, sign, u, R, JT)
    return TROUBLE, q


@njit(cache=True, nogil=True, error_model="numpy")
def _residual(k, r, q, H, f, AT, row_lo, row_up, lo, up, x, active, sign, u, z):
    """Largest KKT residual: stationarity, feasibility and the sign of the multipliers."""
    scale = 1.0
    for i in range(k):
        s = f[i]
        for j in range(k):
            s += H[i, j] * x[j]
        z[i] = s
        scale = max(scale, abs(s))
    for i in range(q):
        c = active[i]
        factor = u[i] if sign[i] > 0 else -u[i]
        if c < k:
            z[c] -= factor
        else:
            for j in range(k):
                z[j] -= factor * AT[j, c - k]
    worst = 0.0
    for i in range(k):
        worst = max(worst, abs(z[i]) / scale)
        worst = max(worst, lo[i] - x[i], x[i] - up[i])
    for c in range(r):
        value = 0.0
        for j in range(k):
            value += AT[j, c] * x[j]
        worst = max(worst, row_lo[c] - value, value - row_up[c])
    for i in range(q):
        if abs(sign[i]) == 1:
            worst = max(worst, -u[i] / scale)
    return worst


@njit(cache=True, nogil=True, error_model="numpy")
def _solve(k, r, H, f, AT, row_lo, row_up, lo, up, x, active, sign, u, R, JT, low, d, z, rr, is_active, f2, x2):
    """Minimise x'Hx/2 + f'x; returns (status, active count, value)."""
    for i in range(k):
        if lo[i] > up[i]:
            return INFEASIBLE, 0, np.inf
    for i in range(k):
        f2[i] = f[i]
        x2[i] = min(max(0.0, lo[i]), up[i])
    # One round for a definite Hessian; for a singular one a proximal term is added and iterated away.
    shift = 0.0
    status = TROUBLE
    q = k - k
    for _ in range(41):
        if not _cholesky_inverse(k, H, shift, low, JT):
            if shift > 0.0:
                return TROUBLE, q, np.inf
            largest = 0.0
            for i in range(k):
                largest = max(largest, H[i, i], abs(f[i]))
            shift = PROXIMAL * largest if largest > 0.0 else 1.0
            for i in range(k):
                f2[i] = f[i] - shift * x2[i]
            continue
        status, q = _active_set(k, r, f2, AT, row_lo, row_up, lo, up, x, active, sign, u, R, JT, d, z, rr, is_active)
        if status != SOLVED or shift == 0.0:
            break
        moved = 0.0
        size = 1.0
        for i in range(k):
            moved = max(moved, abs(x[i] - x2[i]))
            size = max(size, abs(x[i]))
            x2[i] = x[i]
            f2[i] = f[i] - shift * x2[i]
        if moved <= 1e-9 * size:
            break
        status = TROUBLE
    if status != SOLVED:
        return status, q, np.inf
    if not _residual(k, r, q, H, f, AT, row_lo, row_up, lo, up, x, active, sign, u, z) <= KKT_TOLERANCE:
        return TROUBLE, q, np.inf
    value = 0.0
    for i in range(k):
        x[i] = min(max(x[i], lo[i]), up[i])
    for i in range(k):
        s = 0.0
        for j in range(k):
            s += H[i, j] * x[j]
        value += (0.5 * s + f[i]) * x[i]
    return SOLVED, q, value


@njit(cache=True, nogil=True, error_model="numpy")
def evaluate_moves(
    dense, H_full, T, diagonal, f_full, AT_full, GT, row_lo_full, row_up_full, x_lo, x_up, variable_start,
    variable_list, unswitched, base, outs, ins, limit, want_infeasibility,
    values, infeasibility, statuses, x_out, support_out, multipliers_out,
):  # fmt: skip
    """Solve the restricted problem of every candidate `base - outs[c] + ins[c]`.

    Parameters are the scaled data of the problem (see `restricted.dense`), `base` the indices of the
    binaries that are 1, and `outs[c]`, `ins[c]` lists of binaries to switch off and on, padded by -1.
    `limit` is the largest size of a support. Fills `values`, `infeasibility` (0 when feasible) and
    `statuses`; for the last candidate also x on its support, the support and the row multipliers
    followed by the bound multipliers (for an infeasible one: the nearest x, and what the rows lack).
    Returns the size of the last support.
    """
    r = AT_full.shape[1]
    factors = T.shape[1]
    size = limit + r
    H = np.empty((size, size))
    low = np.empty((size, size))
    JT = np.empty((size, size))
    R = np.empty((size, size))
    AT = np.empty((size, max(r, 1)))
    f = np.empty(size)
    f2 = np.empty(size)
    x = np.empty(size)
    x2 = np.empty(size)
    lo = np.empty(size)
    up = np.empty(size)
    d = np.empty(size)
    z = np.empty(size)
    rr = np.empty(size)
    u = np.empty(size)
    row_lo = np.empty(max(r, 1))
    row_up = np.empty(max(r, 1))
    active = np.empty(size, np.int64)
    sign = np.empty(size, np.int64)
    is_active = np.empty(size + r, np.int64)
    support = np.empty(limit + 1, np.int64)
    k = outs.shape[0] - outs.shape[0]
    for c in range(outs.shape[0]):
        k = outs.shape[0] - outs.shape[0]
        overflow = False
        for i in range(r):
            row_lo[i] = row_lo_full[i]
            row_up[i] = row_up_full[i]
        total = base.shape[0] + ins.shape[1]
        for t in range(total):
            if t < base.shape[0]:
                on = base[t]
                for s in range(outs.shape[1]):
                    if outs[c, s] == on:
                        on = -1
                        break
            else:
                on = ins[c, t - base.shape[0]]
            if on < 0:
                continue
            if GT.shape[0] > 0:
                for i in range(r):
                    row_lo[i] -= GT[on, i]
                    row_up[i] -= GT[on, i]
            for s in range(variable_start[on], variable_start[on + 1]):
                if k >= limit:
                    overflow = True
                    break
                support[k] = variable_list[s]
                k += 1
        if k + unswitched.shape[0] > limit:
            overflow = True
        if overflow:
            statuses[c] = TROUBLE
            values[c] = np.inf
            infeasibility[c] = np.inf
            continue
        for s in range(unswitched.shape[0]):
            support[k] = unswitched[s]
            k += 1
        for i in range(k):
            v = support[i]
            f[i] = f_full[v]
            lo[i] = x_lo[v]
            up[i] = x_up[v]
            for t in range(r):
                AT[i, t] = AT_full[v, t]
            if dense:
                for j in range(i + 1):
                    H[i, j] = H_full[v, support[j]]
                    H[j, i] = H[i, j]
            else:
                for j in range(i + 1):
                    w = support[j]
                    s = 0.0
                    for t in range(factors):
                        s += T[v, t] * T[w, t]
                    H[i, j] = s
                    H[j, i] = s
                H[i, i] += diagonal[v]
        size_now = k
        for attempt in range(2):
            status, q, value = _solve(
                size_now, r, H, f, AT, row_lo, row_up, lo, up, x, active, sign, u, R, JT, low, d, z, rr, is_active,
                f2, x2,
            )  # fmt: skip
            if attempt == 1:
                if status == SOLVED:
                    s = 0.0
                    for i in range(r):
                        s += x[k + i] * x[k + i]
                    infeasibility[c] = np.sqrt(s)
                    if c == outs.shape[0] - 1:
                        for i in range(k):
                            x_out[i] = x[i]
                        for i in range(r):
                            multipliers_out[i] = x[k + i]
                break
            statuses[c] = status
            values[c] = value
            infeasibility[c] = 0.0 if status == SOLVED else np.inf
            if c == outs.shape[0] - 1:
                for i in range(r + k):
                    multipliers_out[i] = 0.0
                for i in range(k):
                    support_out[i] = support[i]
                    x_out[i] = x[i]
                if status == SOLVED:
                    for i in range(q):
                        factor = u[i] if sign[i] > 0 else -u[i]
                        if active[i] < k:
                            multipliers_out[r + active[i]] = factor
                        else:
                            multipliers_out[active[i] - k] = factor
            if status != INFEASIBLE or not want_infeasibility:
                break
            # Once more as least squares on the rows: x keeps its bounds, every row gets a slack.
            for i in range(k + r):
                for j in range(k + r):
                    H[i, j] = 0.0
                H[i, i] = ELASTIC if i < k else 1.0
                f[i] = 0.0
            for i in range(r):
                lo[k + i] = -np.inf
                up[k + i] = np.inf
                for t in range(r):
                    AT[k + i, t] = 0.0
                AT[k + i, i] = 1.0
            size_now = k + r
    return k
