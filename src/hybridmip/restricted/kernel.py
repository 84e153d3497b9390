"""Dense kernel for the restricted problem: a dual active-set method in Numba on flat arrays.

The method is that of Goldfarb and Idnani (1983): start at the unconstrained minimum, add the most
violated constraint, drop those whose multiplier would turn negative. It needs no feasible start,
and it proves infeasibility where it meets it. Bounds cost no matrix product: the row of a bound is
a unit vector. A singular Hessian is made definite by a proximal term that is iterated away.

The problem is a column of a table (see `restricted.gather`), the rest are flat arrays that the caller provides:
nothing is allocated here. The functions release the GIL, so threads run side by side.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from hybridmip.engines.compiled import Kernel
from hybridmip.restricted.gather import INTEGERS, LISTS, REALS, ROWS, TABLE, gather, pointer
from hybridmip.tolerances import KERNEL_FEASIBLE as FEASIBILITY

SOLVED = 0
INFEASIBLE = 1
TROUBLE = 2
#: Infeasible, but the numbers do not prove it.
UNPROVEN = 3

#: Signature of `evaluate_moves`, which other compiled functions call by its address (see `gather.Callable`).
EVALUATE = types.int64(
    INTEGERS, REALS, INTEGERS, LISTS, LISTS, types.int64, types.int64, TABLE, REALS, TABLE, LISTS,
    REALS, REALS, INTEGERS, REALS,
)  # fmt: skip
#: KKT residuals above this send the candidate to the general solver.
KKT_TOLERANCE = 1e-9
#: A pivot below this share of its diagonal entry is one of a singular matrix.
SINGULAR = 1e-12
#: Proximal weight relative to the largest diagonal entry of the Hessian.
PROXIMAL = 1e-6
#: Curvature of x beside the unit curvature of the slacks in the infeasibility problem.
ELASTIC = 1e-7
#: How often the infeasibility problem is solved, each time around the x of the last one, until its slacks are a proof.
CENTERS = 8
#: What is wanted of an infeasible candidate: nothing, by how much its rows are missed, or a proof too.
VERDICT, DISTANCE, PROOF = 0, 1, 2


@njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _places(K, r):
    """Where the bounds, A and the limits of the rows begin in the table."""
    lo = K * (K + 1) // 2 + K
    A = lo + 2 * K
    return lo, lo + K, A, A + K * r, A + K * r + r


@njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _cholesky_inverse(k, table, shift, low, JT):
    """JT = inverse of the Cholesky factor of H + shift I (rows are columns of L^-T); False if singular."""
    for i in range(k):
        for j in range(i + 1):
            s = table[i * (i + 1) // 2 + j, 0]
            for t in range(j):
                s -= low[i, t] * low[j, t]
            if i == j:
                s += shift
                if s <= SINGULAR * (table[i * (i + 3) // 2, 0] + shift) or s <= 0.0:
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


@njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
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


@njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _activity(k, r, table, row, x):
    """Product of a row of A (`row` is where its first entry stands) with x."""
    total = 0.0
    for j in range(k):
        total += table[row + j * r, 0] * x[j]
    return total


@njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _choose(k, r, K, table, x, is_active):
    """The constraint to add: an equation that is not active yet, else the most violated.

    Returns (constraint or -1, side, violation, whether it is an equation).
    """
    lo = K * (K + 1) // 2 + K
    A = lo + 2 * K
    chosen = k - k - 1
    side = 1
    worst = FEASIBILITY
    for t in range(k + r):
        # Rows first: an equation among them binds many variables at once.
        c = k + t if t < r else t - r
        if is_active[c] != 0:
            continue
        value = _activity(k, r, table, A + t, x) if t < r else x[c]
        place = A + K * r + t if t < r else lo + c
        low = table[place, 0]
        high = table[place + (r if t < r else K), 0]
        excess = value - high
        lack = low - value
        if low == high:
            return c, 1 if lack >= 0.0 else -1, abs(lack), True
        if lack > worst:
            worst, chosen, side = lack, c, 1
        if excess > worst:
            worst, chosen, side = excess, c, -1
    return chosen, side, worst, False


@njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _active_set(k, r, K, table, f, x, active, sign, u, R, JT, d, z, rr, is_active):
    """Goldfarb-Idnani from the unconstrained minimum; returns (status, active count).

    `JT` holds the inverse factor of the Hessian on entry and is overwritten. Constraints 0..k-1 are
    the bounds, k..k+r-1 the rows. `sign` is +1 for a lower and -1 for an upper limit, 2 or -2 where
    the limit is an equation.
    """
    A = K * (K + 1) // 2 + 3 * K
    for i in range(k + r):
        is_active[i] = 0
    for i in range(k):
        x[i] = 0.0
    furthest = 0.0
    for i in range(k):
        s = 0.0
        for j in range(i + 1):
            s += JT[i, j] * f[j]
        for j in range(i + 1):
            x[j] -= s * JT[i, j]
    for i in range(k):
        furthest = max(furthest, abs(x[i]))
    q = k - k  # a count, and not the literal 0, which Numba would compile apart
    for _ in range(50 * (k + r) + 100):
        chosen, side, violation, equation = _choose(k, r, K, table, x, is_active)
        if chosen < 0:
            return SOLVED, q
        u_new = 0.0
        while True:
            # d = J' n
            norm = 0.0
            zn = 0.0
            for i in range(k):
                if chosen < k:
                    s = JT[i, chosen]
                else:
                    s = 0.0
                    for j in range(k):
                        s += JT[i, j] * table[A + j * r + chosen - k, 0]
                d[i] = side * s
                norm += s * s
                if i >= q:
                    zn += s * s
            t_dual = np.inf
            position = q - q - 1
            for i in range(q - 1, -1, -1):
                s = d[i]
                for j in range(i + 1, q):
                    s -= R[i, j] * rr[j]
                s /= R[i, i]
                rr[i] = s
                if abs(sign[i]) == 1 and s > 1e-13 and u[i] < t_dual * s:
                    t_dual = u[i] / s
                    position = i
            t_full = np.inf
            if zn > 1e-18 * norm and q < k:
                t_full = violation / zn
            elif violation <= 1e-9 and (equation or position < 0):
                is_active[chosen] = 1  # redundant, or holds to rounding; the KKT check at the end sees it
                break
            elif position < 0:
                # May be rounding on the way from a far unconstrained minimum.
                return TROUBLE if violation <= 1e-10 * furthest else INFEASIBLE, q
            t = min(t_full, t_dual)
            for i in range(q):
                u[i] -= t * rr[i]
            u_new += t
            if t_full < np.inf:
                for i in range(k):
                    z[i] = 0.0
                for i in range(q, k):
                    factor = d[i]
                    for j in range(k):
                        z[j] += factor * JT[i, j]
                for j in range(k):
                    x[j] += t * z[j]
                violation -= t * zn
            if t_full <= t_dual:
                # Householder on d[q:], applied to the rows of JT; z already holds half the product.
                alpha = np.sqrt(zn)
                if d[q] > 0.0:
                    alpha = -alpha
                beta = 1.0 / (zn - alpha * d[q])
                for j in range(k):
                    z[j] -= alpha * JT[q, j]
                for i in range(q, k):
                    factor = beta * (d[i] - alpha if i == q else d[i])
                    for j in range(k):
                        JT[i, j] -= factor * z[j]
                for i in range(q):
                    R[i, q] = d[i]
                R[q, q] = alpha
                active[q] = chosen
                sign[q] = 2 * side if equation else side
                u[q] = u_new
                is_active[chosen] = 1
                q += 1
                break
            is_active[active[position]] = 0
            q = _drop(k, q, position, active, sign, u, R, JT)
    return TROUBLE, q


@njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _gradient(k, K, table, x, z):
    """z = Hx + f; returns the objective."""
    f = K * (K + 1) // 2
    value = 0.0
    for i in range(k):
        s = 0.0
        for j in range(i):
            s += table[i * (i + 1) // 2 + j, 0] * x[j]
        for j in range(i, k):
            s += table[j * (j + 1) // 2 + i, 0] * x[j]
        value += (0.5 * s + table[f + i, 0]) * x[i]
        z[i] = s + table[f + i, 0]
    return value


@njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _residual(k, r, q, K, table, x, active, sign, u, z):
    """Largest KKT residual: stationarity (z is the gradient), feasibility and the sign of the multipliers."""
    lo, up, A, row_lo, row_up = _places(K, r)
    scale = 1.0
    for i in range(k):
        scale = max(scale, abs(z[i]))
    for i in range(q):
        c = active[i]
        factor = u[i] if sign[i] > 0 else -u[i]
        if c < k:
            z[c] -= factor
        else:
            for j in range(k):
                z[j] -= factor * table[A + j * r + c - k, 0]
    worst = 0.0
    for i in range(k):
        worst = max(worst, abs(z[i]) / scale, max(table[lo + i, 0] - x[i], x[i] - table[up + i, 0]))
    for c in range(r):
        value = _activity(k, r, table, A + c, x)
        worst = max(worst, table[row_lo + c, 0] - value, value - table[row_up + c, 0])
    for i in range(q):
        if abs(sign[i]) == 1:
            worst = max(worst, -u[i] / scale)
    return worst


@njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _solve(k, r, K, table, x, active, sign, u, R, JT, low, d, z, rr, is_active, f, center):
    """Minimise x'Hx/2 + f'x; returns (status, active count, value)."""
    linear = K * (K + 1) // 2
    lo, up = linear + K, linear + 2 * K
    largest = 0.0
    for i in range(k):
        if table[lo + i, 0] > table[up + i, 0]:
            return INFEASIBLE, k - k, np.inf
        f[i] = table[linear + i, 0]
        center[i] = min(max(0.0, table[lo + i, 0]), table[up + i, 0])
        largest = max(largest, table[i * (i + 3) // 2, 0], abs(f[i]))
    # One round for a definite Hessian; for a singular one a proximal term is added and iterated away.
    shift = 0.0
    status = TROUBLE
    q = k - k
    for _ in range(41):
        if not _cholesky_inverse(k, table, shift, low, JT):
            if shift > 0.0:
                return TROUBLE, q, np.inf
            shift = PROXIMAL * largest if largest > 0.0 else 1.0
            for i in range(k):
                f[i] -= shift * center[i]
            continue
        status, q = _active_set(k, r, K, table, f, x, active, sign, u, R, JT, d, z, rr, is_active)
        if status != SOLVED or shift == 0.0:
            break
        moved = 0.0
        size = 1.0
        for i in range(k):
            moved = max(moved, abs(x[i] - center[i]))
            size = max(size, abs(x[i]))
            center[i] = x[i]
            f[i] = table[linear + i, 0] - shift * x[i]
        if moved <= 1e-9 * size:
            break
        status = TROUBLE
    if status != SOLVED:
        return status, q, np.inf
    _gradient(k, K, table, x, z)
    if not _residual(k, r, q, K, table, x, active, sign, u, z) <= KKT_TOLERANCE:
        return TROUBLE, q, np.inf
    for i in range(k):
        x[i] = min(max(x[i], table[lo + i, 0]), table[up + i, 0])
    return SOLVED, q, _gradient(k, K, table, x, z)


@njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _clash(k, r, K, table, slacks):
    """Whether the slacks, as multipliers of the rows, prove that no x in its bounds satisfies them (Farkas)."""
    lo, up, A, row_lo, row_up = _places(K, r)
    asked, size = 0.0, 0.0
    for t in range(r):
        s = slacks[k + t]
        if s != 0.0:
            priced = s * table[(row_lo if s > 0.0 else row_up) + t, 0]
            asked += priced
            size += abs(priced)
    for j in range(k):
        slope, magnitude = 0.0, 0.0
        for t in range(r):
            part = slacks[k + t] * table[A + j * r + t, 0]
            slope += part
            magnitude += abs(part)
        if magnitude == 0.0:
            continue
        error = 1e-15 * (r + 8) * magnitude
        low, high = table[lo + j, 0], table[up + j, 0]
        most = max(
            max((slope + error) * low, (slope - error) * low), max((slope + error) * high, (slope - error) * high)
        )
        asked -= most
        size += abs(most)
    return asked > 1e-15 * (k + r + 8) * size


@njit(cache=True, nogil=True, error_model="numpy")
def evaluate_moves(
    integers, reals, base, outs, ins, limit, wanted, table, matrices, vectors, indices,
    values, infeasibility, statuses, last,
):  # fmt: skip
    """Solve the restricted problem of every candidate `base - outs[c] + ins[c]`.

    `integers` and `reals` are the data of the problem (see `restricted.gather`), `base` the indices of the
    binaries that are 1, and `outs[c]`, `ins[c]` lists of binaries to switch off and on, padded by -1.
    `limit` is the largest size of a support, `wanted` says how far infeasible ones are looked into. Fills `values`,
    `infeasibility` (0 when feasible) and `statuses`.
    `table`, `matrices`, `vectors` and `indices` are room to work in (see `workspace`). For the last candidate `last`
    gets x on its support, the row multipliers and the bound multipliers (for an infeasible one: the nearest x, and
    what the rows lack), and the last row of `indices` its support. Returns the size of the last support.
    """
    r = integers[ROWS]
    K = limit + r
    squares = matrices[: 3 * K * K].reshape((3, K, K))
    low, JT, R = squares[0], squares[1], squares[2]
    f, center, x, d, z, rr, u = vectors[0], vectors[1], vectors[2], vectors[3], vectors[4], vectors[5], vectors[6]
    active, sign, is_active, support = indices[0], indices[1], indices[2], indices[3]
    linear = K * (K + 1) // 2
    lo, up, A = linear + K, linear + 2 * K, linear + 3 * K
    k = limit - limit
    for c in range(outs.shape[0]):
        k = gather(
            pointer(integers, 0), pointer(reals, 0), pointer(base, 0), base.shape[0],
            pointer(outs, c * outs.shape[1]), outs.shape[1], pointer(ins, c * ins.shape[1]), ins.shape[1],
            K, pointer(support, 0), pointer(table, 0), 1, 0,
        )  # fmt: skip
        if k < 0 or k > limit:
            statuses[c] = TROUBLE
            values[c] = np.inf
            infeasibility[c] = np.inf
            continue
        size = k
        for attempt in range(1 + CENTERS):
            status, q, value = _solve(size, r, K, table, x, active, sign, u, R, JT, low, d, z, rr, is_active, f, center)
            if attempt > 0:
                if status != SOLVED:
                    break
                s = 0.0
                for i in range(r):
                    s += x[k + i] * x[k + i]
                    last[k + i] = x[k + i]
                infeasibility[c] = np.sqrt(s)
                for i in range(k):
                    last[i] = x[i]
                if _clash(k, r, K, table, x):
                    statuses[c] = INFEASIBLE
                    break
                if wanted != PROOF or not infeasibility[c] > 1e-9:
                    break
                # The curvature of x is in the way of the proof: once more around this x.
                for i in range(k):
                    table[linear + i, 0] = -ELASTIC * x[i]
                continue
            statuses[c] = status
            values[c] = value
            infeasibility[c] = 0.0 if status == SOLVED else np.inf
            for i in range(k):
                last[i] = x[i]
            for i in range(k, 2 * k + r):
                last[i] = 0.0
            if status == SOLVED:
                for i in range(q):
                    factor = u[i] if sign[i] > 0 else -u[i]
                    # Constraint k + t is row t, and has the place k + t; bounds follow the rows.
                    last[active[i] if active[i] >= k else k + r + active[i]] = factor
            if status != INFEASIBLE or wanted == VERDICT:
                break
            # Once more as least squares on the rows: x keeps its bounds, every row gets a slack.
            statuses[c] = UNPROVEN
            size = k + r
            for i in range(size):
                for j in range(i):
                    table[i * (i + 1) // 2 + j, 0] = 0.0
                table[i * (i + 3) // 2, 0] = ELASTIC if i < k else 1.0
                table[linear + i, 0] = 0.0
            for i in range(r):
                table[lo + k + i, 0] = -np.inf
                table[up + k + i, 0] = np.inf
                for t in range(r):
                    table[A + (k + i) * r + t, 0] = 1.0 if i == t else 0.0
    return k


#: What is compiled here.
KERNELS = (Kernel(evaluate_moves, EVALUATE, slow=True),)


def workspace(
    limit: int, r: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Arrays `table`, `matrices`, `vectors` and `indices` for supports of at most `limit` and r rows."""
    K = limit + r
    return (
        np.zeros((K * (K + 1) // 2 + 3 * K + K * r + 2 * r, 1)), np.zeros(3 * K * K), np.zeros((7, K)),
        np.zeros((4, K + r + 1), dtype=np.int64),
    )  # fmt: skip
