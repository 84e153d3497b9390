"""The bound of a node, compiled: an interior-point method whose every iterate is put into the closed formula.

A node is a problem with some binaries fixed. For a diagonal D below Q its perspective relaxation

    min x'(Q - D)x + sum d_j x_j^2 / b_s(j) + q'x + p'b   over the rows, l b <= x <= u b, 0 <= b <= 1

is solved by a primal-dual method (Mehrotra 1992): b is eliminated first, one number each, then x by one Cholesky
factorisation, then the rows. Nothing rests on how far it gets: point and multipliers of each iterate go into the
formula of `bounds.formula`, with rounding charged, and the best value counts. It ends as soon as that passes the cut.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit, types

from hybridmip.engines.compiled import Kernel

EPS = 2.220446049250313e-16
FAST = {"contract", "reassoc", "nsz", "arcp"}
#: An iterate is kept for the children once its complementarity is this share of the objective.
SAVED = 1e-2
#: Share of the way to the nearest limit that is gone: nearer, x / b is no longer smooth.
KEPT = 0.97
#: And where an x has a switch and no limits, so that x / b may be anything.
KEPT_WIDE = 0.7
#: Most iterations.
MOST_ITERATIONS = 60
#: It has converged when what it can still gain is this share of what is missing to the cut.
SETTLED = 0.02
#: Kinds of the set of b: counts over disjoint sets (their minimum is exact), or rows that are priced.
COUNTS, PRICED = 0, 1

_vector, _matrix, _whole = types.float64[::1], types.float64[:, ::1], types.int64[::1]
#: Signature of `solve_node`.
SOLVE = types.float64(
    _matrix, _vector, _vector, _vector, _matrix, _matrix, _vector, _vector, types.int64, _vector, _vector, _whole,
    types.int8[::1], types.int64, _whole, _whole, _whole, _vector, types.float64, _vector, _vector, _vector, _vector,
    _vector, _vector, _vector, _vector, _vector, _vector,
)  # fmt: skip


@njit(fastmath=FAST, error_model="numpy", cache=True)
def finish(K, i, first):
    """Entries of row i of a factor from a column on, and its diagonal, inverted; False where that fails."""
    for j in range(first, i):
        h = K[i, j]
        for t in range(j):
            h -= K[i, t] * K[j, t]
        K[i, j] = h * K[j, j]
    h = K[i, i]
    for t in range(i):
        h -= K[i, t] * K[i, t]
    if not h > 0.0:
        return False
    K[i, i] = 1.0 / math.sqrt(h)
    return True


@njit(fastmath=FAST, error_model="numpy", cache=True)
def settle(K, i, j, h0, h1, h2, h3):
    """Four entries of row i of a factor, from column j on, what the columns before leave of them given."""
    h0 *= K[j, j]
    h1 = (h1 - h0 * K[j + 1, j]) * K[j + 1, j + 1]
    h2 = (h2 - h0 * K[j + 2, j] - h1 * K[j + 2, j + 1]) * K[j + 2, j + 2]
    h3 = (h3 - h0 * K[j + 3, j] - h1 * K[j + 3, j + 1] - h2 * K[j + 3, j + 2]) * K[j + 3, j + 3]
    K[i, j], K[i, j + 1], K[i, j + 2], K[i, j + 3] = h0, h1, h2, h3


@njit(fastmath=FAST, error_model="numpy", cache=True)
def factor(K, k):
    """K = L L' in the lower triangle, with inverses on the diagonal; False where that fails.

    Two rows and four columns at a time, so that what is loaded is used more than once: twice as fast from 50 rows on.
    """
    for i in range(0, k - 1, 2):
        j = 0
        while j + 4 <= i:
            a0, a1, a2, a3, c0, c1, c2, c3 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for t in range(j):
                u, v = K[i, t], K[i + 1, t]
                p0, p1, p2, p3 = K[j, t], K[j + 1, t], K[j + 2, t], K[j + 3, t]
                a0 += u * p0
                a1 += u * p1
                a2 += u * p2
                a3 += u * p3
                c0 += v * p0
                c1 += v * p1
                c2 += v * p2
                c3 += v * p3
            settle(K, i, j, K[i, j] - a0, K[i, j + 1] - a1, K[i, j + 2] - a2, K[i, j + 3] - a3)
            settle(K, i + 1, j, K[i + 1, j] - c0, K[i + 1, j + 1] - c1, K[i + 1, j + 2] - c2, K[i + 1, j + 3] - c3)
            j += 4
        if not (finish(K, i, j) and finish(K, i + 1, j)):
            return False
    return k % 2 == 0 or finish(K, k - 1, 0)


@njit(fastmath=FAST, error_model="numpy", cache=True)
def forward(K, k, v):
    """v <- L^-1 v."""
    for i in range(k):
        h = v[i]
        for t in range(i):
            h -= K[i, t] * v[t]
        v[i] = h * K[i, i]


@njit(fastmath=FAST, error_model="numpy", cache=True)
def backward(K, k, v):
    """v <- L'^-1 v."""
    for i in range(k - 1, -1, -1):
        h = v[i] * K[i, i]
        v[i] = h
        for t in range(i):
            v[t] -= K[i, t] * h


@njit(fastmath=FAST, error_model="numpy", cache=True)
def dot(u, v, n):
    """Their product."""
    h = 0.0
    for a in range(n):
        h += u[a] * v[a]
    return h


@njit(fastmath=FAST, error_model="numpy", cache=True)
def add(u, v, h, n):
    """u <- u + h v."""
    for a in range(n):
        u[a] += h * v[a]


@njit(error_model="numpy", cache=True)
def least_over_counts(cost, status, group, low, high, last, following):
    """(min of cost'b over counts per group, sum of the sizes of what is taken); infinite where there is no b.

    `last[g]` becomes what one more that is forced on can push out, `following[g]` what replaces one forced off.
    """
    m, groups = cost.size, low.size
    value, size = 0.0, 0.0
    taken, free = np.zeros(groups, dtype=np.int64), np.zeros(groups, dtype=np.int64)
    for i in range(m):
        g = group[i]
        if status[i] == 1:
            value += cost[i]
            size += abs(cost[i])
            if g >= 0:
                taken[g] += 1
        elif status[i] == 0:
            if g >= 0:
                free[g] += 1
            elif cost[i] < 0.0:
                value += cost[i]
                size -= cost[i]
    used = np.zeros(m, dtype=np.bool_)
    for g in range(groups):
        last[g], following[g] = -np.inf, np.inf
        if taken[g] > high[g] or taken[g] + free[g] < low[g]:
            return np.inf, 0.0
        while True:  # the least that is not taken yet
            at = -1
            for i in range(m):
                if group[i] == g and status[i] == 0 and not used[i] and (at < 0 or cost[i] < cost[at]):
                    at = i
            if at < 0:
                break
            if taken[g] >= high[g] or (cost[at] >= 0.0 and taken[g] >= low[g]):
                following[g] = cost[at]
                break
            used[at] = True
            value += cost[at]
            size += abs(cost[at])
            last[g] = cost[at]
            taken[g] += 1
        if taken[g] < high[g]:
            last[g] = max(last[g], 0.0)
        if taken[g] > low[g]:
            following[g] = min(following[g], 0.0)
    return value, size


@njit(error_model="numpy", cache=True)
def formula(
    Q, d, q, p, Mx, Mb, low, high, rows, lower, upper,
    switch, status, kind, group, group_low, group_high, slack, J, k,
    x, half, y, charge, cost, last, following,
):  # fmt: skip
    """The closed formula at point x and multipliers y, lowered by what rounding can have added if `charge`.

    `half` is (Q - D) x. The costs of b, lowered too, are left in `cost`.
    """
    m, r = p.size, low.size
    error = np.zeros(m)
    terms = k + r + m + 16
    value, size, wrong = 0.0, 0.0, 0.0
    for i in range(m):
        cost[i] = p[i]
        error[i] = abs(p[i])
    for t in range(rows):
        yt = y[t]
        if yt > 0.0:
            if low[t] == -np.inf:
                return -np.inf
            value += yt * low[t]
            size += abs(yt * low[t])
        elif yt < 0.0:
            if high[t] == np.inf:
                return -np.inf
            value += yt * high[t]
            size += abs(yt * high[t])
        else:
            continue
        for i in range(m):
            if Mb[t, i] != 0.0:
                cost[i] -= yt * Mb[t, i]
                error[i] += abs(yt * Mb[t, i])
    for i in range(m):
        error[i] *= terms * EPS
    for a in range(k):
        j = J[a]
        xj, dj = x[a], d[j]
        value -= xj * half[a]
        v = q[j] + 2.0 * half[a]
        for t in range(rows):
            v -= y[t] * Mx[t, j]
        in_v = 0.0
        if charge:
            inside = dj * abs(xj)
            for c in range(k):
                inside += abs(Q[j, J[c]] * x[c])
            size += abs(xj) * inside
            in_v = abs(q[j]) + 2.0 * inside
            for t in range(rows):
                in_v += abs(y[t] * Mx[t, j])
            in_v *= terms * EPS
        if dj > 0.0:
            best, first, second = -v / (2.0 * dj), -(v + in_v) / (2.0 * dj), -(v - in_v) / (2.0 * dj)
        else:
            best = lower[j] if v > 0.0 else upper[j]
            first = lower[j] if v + in_v > 0.0 else upper[j]
            second = lower[j] if v - in_v > 0.0 else upper[j]
        best = min(max(best, lower[j]), upper[j])
        cj = (dj * best + v) * best
        if not np.isfinite(cj):
            return -np.inf
        in_c = 0.0
        if charge:
            reach = max(abs(min(max(first, lower[j]), upper[j])), abs(min(max(second, lower[j]), upper[j])))
            in_c = reach * in_v + 8.0 * EPS * reach * (dj * reach + abs(v)) + terms * EPS * abs(cj)
            if slack[j] > 0.0:
                away = max(abs(lower[j] - xj), abs(upper[j] - xj))
                in_c += slack[j] * away * away
                wrong += slack[j] * xj * xj
        i = switch[j]
        if i < 0:
            value += cj
            size += abs(cj)
            wrong += in_c
        else:
            cost[i] += cj
            error[i] += in_c
    if charge:
        for i in range(m):
            cost[i] -= error[i]
        value -= wrong
    if kind == COUNTS:
        least, more = least_over_counts(cost, status, group, group_low, group_high, last, following)
        value += least
        size += more
    else:
        for t in range(rows, r):
            yt = y[t]
            if (yt > 0.0 and low[t] == -np.inf) or (yt < 0.0 and high[t] == np.inf) or yt == 0.0:
                continue
            limit = yt * low[t] if yt > 0.0 else yt * high[t]
            value += limit
            size += abs(limit)
            for i in range(m):
                if Mb[t, i] != 0.0:
                    cost[i] -= yt * Mb[t, i]
                    if charge:
                        cost[i] -= terms * EPS * abs(yt * Mb[t, i])
        for i in range(m):
            if status[i] == 1 or (status[i] == 0 and cost[i] < 0.0):
                value += cost[i]
                size += abs(cost[i])
    if charge:
        value -= 4.0 * terms * EPS * size
    return value


@njit(error_model="numpy", cache=True)
def inside(value, low, high, share):
    """The value, moved to at least this share of the width away from the ends."""
    if low > -np.inf and high < np.inf:
        room = share * (high - low)
        return min(max(value, low + room), high - room)
    if low > -np.inf:
        return max(value, low + share * max(1.0, abs(low)))
    if high < np.inf:
        return min(value, high - share * max(1.0, abs(high)))
    return value


@njit(error_model="numpy", cache=True)
def gather(Mx, Mb, low, high, status, J, k, F, f, W, A):
    """Rows that say something of what is open, with what is fixed taken to the other side; how many.

    A row of A: its entries in x, then those in b, then its limits.
    """
    g = np.int64(0)
    for t in range(low.size):
        some = False
        for a in range(k):
            A[g, a] = Mx[t, J[a]]
            some = some or A[g, a] != 0.0
        for i in range(f):
            A[g, k + i] = Mb[t, F[i]]
            some = some or A[g, k + i] != 0.0
        shift = 0.0
        for i in range(status.size):
            if status[i] == 1:
                shift += Mb[t, i]
        if some and (low[t] > -np.inf or high[t] < np.inf):
            A[g, k + f], A[g, k + f + 1] = low[t] - shift, high[t] - shift
            W[g] = t
            g += 1
    return g


@njit(error_model="numpy", cache=True)
def limits(k, f, g, owner, lo, up, A, equal, place, part):
    """Every limit as one number that must stay positive: part'(x, b, w, 1) of the three places; how many."""
    count = np.int64(0)
    for a in range(k):
        o = owner[a]
        for side in range(2):
            limit, sign = (lo[a], 1.0) if side == 0 else (up[a], -1.0)
            if np.isfinite(limit):
                place[count, 0], place[count, 1], place[count, 2] = a, o, g
                part[count, 0] = sign
                part[count, 1] = 0.0 if o == f else -sign * limit
                part[count, 2] = 0.0
                part[count, 3] = -sign * limit if o == f else 0.0
                count += 1
    for i in range(f):
        for side in range(2):
            place[count, 0], place[count, 1], place[count, 2] = k, i, g
            part[count, 0], part[count, 1], part[count, 2] = 0.0, 1.0 - 2.0 * side, 0.0
            part[count, 3] = float(side)
            count += 1
    for e in range(g):
        if equal[e]:
            continue
        for side in range(2):
            limit, sign = (A[e, k + f], 1.0) if side == 0 else (A[e, k + f + 1], -1.0)
            if np.isfinite(limit):
                place[count, 0], place[count, 1], place[count, 2] = k, f, e
                part[count, 0], part[count, 1], part[count, 2], part[count, 3] = 0.0, 0.0, sign, -sign * limit
                count += 1
    return count


@njit(error_model="numpy", cache=True)
def distances(count, place, part, x, b, w, s, constant):
    """s <- part'(x, b, w, constant)."""
    for c in range(count):
        s[c] = (
            part[c, 0] * x[place[c, 0]] + part[c, 1] * b[place[c, 1]] + part[c, 2] * w[place[c, 2]]
            + part[c, 3] * constant
        )  # fmt: skip


@njit(error_model="numpy", cache=True)
def spread(count, place, part, push, rx, rb, rw):
    """Add every push times its part to x, b and w."""
    for c in range(count):
        rx[place[c, 0]] += part[c, 0] * push[c]
        rb[place[c, 1]] += part[c, 1] * push[c]
        rw[place[c, 2]] += part[c, 2] * push[c]


@njit(error_model="numpy", cache=True)
def curvature(
    count, k, several, place, part, s, z, x, b, dd, lo, up, owner, f, R, K, hxb, hb, hw,
):  # fmt: skip
    """The matrix of the step: K for x with b eliminated, and what b and w are eliminated with.

    A binary with one x: the two by two block is a sum of squares (1, -ratio), (1, -l), (1, -u), (0, 1), each with its
    weight, and what is left for x is the sum over pairs of them of weights times squared determinants: no cancellation.
    """
    low, high, own = np.zeros(k), np.zeros(k), np.empty(k)
    for i in range(hb.size):
        hb[i] = 0.0
    for e in range(hw.size):
        hw[e] = 0.0
    for c in range(count):
        h = z[c] / s[c]
        a = place[c, 0]
        if a < k:
            if part[c, 0] > 0.0:
                low[a] = h
            else:
                high[a] = h
        else:
            hb[place[c, 1]] += h * part[c, 1] ** 2
            hw[place[c, 2]] += h * part[c, 2] ** 2
    for a in range(k):
        o = owner[a]
        own[a] = 2.0 * dd[a] / b[o]
        for c in range(a):
            K[a, c] = 2.0 * R[a, c]
        K[a, a] = 2.0 * R[a, a]
        hxb[a] = 0.0
        if o == f:
            K[a, a] += own[a] + low[a] + high[a]
        elif not several:
            ratio, alone = x[a] / b[o], hb[o]
            l, u = (lo[a] if low[a] > 0.0 else 0.0), (up[a] if high[a] > 0.0 else 0.0)
            total = own[a] + low[a] + high[a]
            hxb[a] = -(own[a] * ratio + low[a] * l + high[a] * u)
            hb[o] += own[a] * ratio * ratio + low[a] * l * l + high[a] * u * u
            pairs = own[a] * (low[a] * (ratio - l) ** 2 + high[a] * (u - ratio) ** 2)
            K[a, a] += (pairs + low[a] * high[a] * (u - l) ** 2 + total * alone) / hb[o]
    if several:
        for a in range(k):
            o = owner[a]
            if o < f:
                ratio = x[a] / b[o]
                l, u = (lo[a] if low[a] > 0.0 else 0.0), (up[a] if high[a] > 0.0 else 0.0)
                K[a, a] += own[a] + low[a] + high[a]
                hxb[a] = -(own[a] * ratio + low[a] * l + high[a] * u)
                hb[o] += own[a] * ratio * ratio + low[a] * l * l + high[a] * u * u
        for a in range(k):
            o = owner[a]
            if o < f:
                for c in range(a):
                    if owner[c] == o:
                        K[a, c] -= hxb[a] * hxb[c] / hb[o]
                K[a, a] -= hxb[a] ** 2 / hb[o]
    for a in range(k):
        K[a, a] *= 1.0 + 1e-13


@njit(error_model="numpy", cache=True)
def schur(k, f, g, A, owner, hxb, hb, hw, K, N, S):
    """What is left for the multipliers of the rows, factored: N K^-1 N' and more."""
    for e in range(g):
        for a in range(k):
            h = A[e, a]
            if owner[a] < f:
                h -= A[e, k + owner[a]] * hxb[a] / hb[owner[a]]
            N[e, a] = h
        forward(K, k, N[e])
    for e in range(g):
        for c in range(e + 1):
            h = dot(N[e], N[c], k)
            for i in range(f):
                h += A[e, k + i] * A[c, k + i] / hb[i]
            S[e, c] = h
        S[e, e] = S[e, e] * (1.0 + 1e-12) + (1.0 / hw[e] if hw[e] > 0.0 else 0.0) + 1e-300
    for e in range(g):
        own = S[e, e]
        for c in range(e):
            S[e, c] = (S[e, c] - dot(S[e], S[c], c)) * S[c, c]
        h = own - dot(S[e], S[e], e)
        # A row that others imply: its multiplier stays.
        S[e, e] = 1.0 / math.sqrt(h if h > 1e-13 * own else 1e13 * own + 1.0)


@njit(error_model="numpy", cache=True)
def direction(
    k, f, g, A, owner, equal, hxb, hb, hw, K, N, S,
    rx, rb, rw, rp, dx, db, dw, dy,
):  # fmt: skip
    """Solve for the step, given the right-hand sides of x, b, w and the rows."""
    for a in range(k):
        o = owner[a]
        dx[a] = rx[a] - (hxb[a] * rb[o] / hb[o] if o < f else 0.0)
    forward(K, k, dx)
    for e in range(g):
        h = rp[e] - dot(N[e], dx, k)
        if not equal[e]:
            h += rw[e] / hw[e]
        for i in range(f):
            h -= A[e, k + i] * rb[i] / hb[i]
        dy[e] = h
    forward(S, g, dy)
    backward(S, g, dy)
    for e in range(g):
        add(dx, N[e], dy[e], k)
    backward(K, k, dx)
    for i in range(f):
        db[i] = rb[i]
        for e in range(g):
            db[i] += A[e, k + i] * dy[e]
    for a in range(k):
        if owner[a] < f:
            db[owner[a]] -= hxb[a] * dx[a]
    for i in range(f):
        db[i] /= hb[i]
    for e in range(g):
        dw[e] = 0.0 if equal[e] else (rw[e] - dy[e]) / hw[e]


@njit(error_model="numpy", cache=True)
def longest(count, s, ds):
    """How much of a step keeps everything positive, at most 1."""
    step = 1.0
    for c in range(count):
        if s[c] + step * ds[c] <= 0.0:
            step = -s[c] / ds[c]
    return step


@njit(error_model="numpy", cache=True)
def begin(
    k, f, g, A, equal, owner, lo, up, share, warm, n, m,
    r, J, F, W, x, b, w, y,
):  # fmt: skip
    """A first point: the parent's, moved inside, or one in the middle; returns whether it was the parent's."""
    is_warm = warm[warm.size - 1] > 0.0
    for i in range(f):
        b[i] = inside(warm[n + F[i]], 0.0, 1.0, 1e-3) if is_warm else share[i]
    b[f] = 1.0
    for a in range(k):
        base = b[owner[a]]
        x[a] = inside(warm[J[a]] if is_warm else 0.0, lo[a] * base, up[a] * base, 1e-2 if is_warm else 0.1)
    x[k], w[g] = 0.0, 0.0
    for e in range(g):
        h = 0.0
        for a in range(k):
            h += A[e, a] * x[a]
        for i in range(f):
            h += A[e, k + i] * b[i]
        low, high = A[e, k + f], A[e, k + f + 1]
        w[e] = low if equal[e] else inside(h, low, high, 1e-2 if is_warm else 0.1)
        y[e] = warm[n + m + W[e]] if is_warm else 0.0
    return is_warm


@njit(error_model="numpy", cache=True, nogil=True)
def solve_node(
    Q, d, q, p, Mx, Mb, low, high, rows, lower, upper,
    switch, status, kind, group, group_low, group_high, slack, cut,
    warm, start, found_x, found_b, found_y, cost, last, following, numbers, stop,
):  # fmt: skip
    """The best bound of a node, charged; its point, relaxed b, multipliers and costs of b are left in `found_*`.

    Parameters
    ----------
    warm, start : ndarray, shape (n + m + r + 1,)
        An iterate to begin with (x, b, y and its mean complementarity, 0 for none), and where one is left for children.
    numbers : ndarray, shape (5,)
        Iterations, whether it converged, the bound before rounding is charged, the work done, and what is open of the
        relaxation as a share of it.
    stop : ndarray, shape (1,)
        It ends with what it has when somebody makes this nonzero.
    """
    n, m, r = q.size, p.size, low.size
    J, F, position = np.empty(n, dtype=np.int64), np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    k, f = np.int64(0), np.int64(0)
    several, converged, charge = np.bool_(False), np.bool_(False), np.int64(0)
    for i in range(m):
        if status[i] == 0:
            F[f] = i
            position[i] = f
            f += 1
    for j in range(n):
        if switch[j] < 0 or status[switch[j]] >= 0:
            J[k] = j
            k += 1
    # Owner f is no binary: a base of 1.
    owner, seen = np.full(k, f, dtype=np.int64), np.zeros(f + 1, dtype=np.bool_)
    lo, up, dd = np.empty(k), np.empty(k), np.empty(k)
    R, kept = np.empty((k, k)), KEPT
    for a in range(k):
        j = J[a]
        if switch[j] >= 0 and status[switch[j]] == 0:
            owner[a] = position[switch[j]]
            several = several or seen[owner[a]]
            seen[owner[a]] = True
        lo[a], up[a], dd[a] = lower[j], upper[j], d[j]
        if owner[a] < f and not (np.isfinite(lo[a]) and np.isfinite(up[a])):
            kept = KEPT_WIDE
        width = 1e-4 * (abs(lo[a]) + abs(up[a])) + 1e-12
        if up[a] - lo[a] <= width:  # no interior: the formula knows the true limits
            lo[a] -= 0.5 * width
            up[a] += 0.5 * width
        for c in range(k):
            R[a, c] = Q[j, J[c]]
        R[a, a] -= dd[a]
    A, W = np.empty((r + 1, k + f + 2)), np.empty(r, dtype=np.int64)
    g = gather(Mx, Mb, low, high, status, J, k, F, f, W, A)
    equal = np.empty(g, dtype=np.bool_)
    for e in range(g):
        bottom, top = A[e, k + f], A[e, k + f + 1]
        width = top - bottom
        equal[e] = width < np.inf and width <= 1e-12 * (abs(top) + abs(bottom)) + 1e-300
    share = np.full(f, 0.5)
    if kind == COUNTS:
        for c in range(group_low.size):
            size, on = 0, 0
            for i in range(m):
                if group[i] == c:
                    size += status[i] == 0
                    on += status[i] == 1
            middle = 0.5 * (max(group_low[c] - on, 0) + min(group_high[c] - on, size)) / max(size, 1)
            for i in range(f):
                if group[F[i]] == c:
                    share[i] = min(max(middle, 0.02), 0.98)
    x, b, w, y = np.zeros(k + 1), np.ones(f + 1), np.zeros(g + 1), np.zeros(g)
    is_warm = begin(k, f, g, A, equal, owner, lo, up, share, warm, n, m, r, J, F, W, x, b, w, y)
    most = 2 * (k + f + g)
    place, part = np.empty((most, 3), dtype=np.int64), np.empty((most, 4))
    count = limits(k, f, g, owner, lo, up, A, equal, place, part)
    s, z, ds, dz, twist, push = (
        np.empty(most), np.empty(most), np.empty(most), np.empty(most), np.zeros(most), np.empty(most)
    )  # fmt: skip
    K, N, S = np.empty((k, k)), np.empty((g, k)), np.empty((g, g))
    half, gx, rx, dx, hxb = np.empty(k), np.empty(k), np.empty(k + 1), np.zeros(k + 1), np.empty(k)
    gb, rb, db, hb = np.empty(f + 1), np.empty(f + 1), np.zeros(f + 1), np.empty(f + 1)
    rw, dw, hw, rp, dy = np.empty(g + 1), np.zeros(g + 1), np.empty(g + 1), np.empty(g), np.empty(g)
    full, trial = np.zeros(r), np.empty(m)
    best, least, iteration = -np.inf, np.inf, 0
    start[start.size - 1] = 0.0
    mu = 0.0
    while True:
        # Where it stands: slopes, the formula, what the rows are missed by.
        objective = 0.0
        for i in range(f):
            gb[i] = p[F[i]]
            objective += p[F[i]] * b[i]
        gb[f] = 0.0
        for a in range(k):
            half[a] = dot(R[a], x, k)
            ratio = x[a] / b[owner[a]]
            gx[a] = q[J[a]] + 2.0 * (half[a] + dd[a] * ratio)
            objective += x[a] * (q[J[a]] + half[a] + dd[a] * ratio)
            gb[owner[a]] -= dd[a] * ratio * ratio
        missed = 0.0
        for e in range(g):
            rp[e] = w[e] - dot(A[e], x, k)
            for i in range(f):
                rp[e] -= A[e, k + i] * b[i]
            missed = max(missed, abs(rp[e]))
            full[W[e]] = y[e]
            if (y[e] > 0.0 and low[W[e]] == -np.inf) or (y[e] < 0.0 and high[W[e]] == np.inf):
                full[W[e]] = 0.0
        value = formula(
            Q, d, q, p, Mx, Mb, low, high, rows, lower, upper, switch, status, kind, group, group_low, group_high,
            slack, J, k, x, half, full, charge, trial, last, following,
        )  # fmt: skip
        if value > best:
            best = value
            for a in range(k):
                found_x[a] = x[a]
            for i in range(f):
                found_b[i] = b[i]
            for t in range(r):
                found_y[t] = full[t]
        distances(count, place, part, x, b, w, s, 1.0)
        if iteration == 0:
            # Multipliers of the limits: all products alike, and as large as the slopes are.
            mu = warm[warm.size - 1]
            if not is_warm:
                for a in range(k):
                    room = min(x[a] - lo[a] * b[owner[a]], up[a] * b[owner[a]] - x[a])
                    mu += abs(gx[a]) * (room if room < np.inf else 1.0)
                mu = mu / max(k, 1) + 1e-12
            for c in range(count):
                z[c] = mu / s[c]
        total = dot(s, z, count)
        mu = total / max(count, 1)
        room = 5e-7 * (abs(objective) + (abs(best) if best > -np.inf else 0.0))
        if cut < np.inf and best > -np.inf:
            room = cut - best
        least = min(least, total)
        # Where it turns away from what it had reached no more is to be had.
        lost = count > 0 and (not mu > 0.0 or (iteration > 8 and total > 100.0 * least))
        if best > cut or iteration >= MOST_ITERATIONS or lost or stop[0] != 0.0:
            break
        # What the limits leave over is what is open only where the slopes agree: the formula tells.
        settled = missed < 1e-7 and total < SETTLED * room and objective - best < 3.0 * SETTLED * room
        if settled or (missed < 1e-9 and total < 1e-10 * (abs(objective) + 1e-300) and iteration > 1):
            converged = True
            break
        if start[start.size - 1] == 0.0 and total < SAVED * (abs(objective) + (abs(cut) if cut < np.inf else 0.0)):
            for a in range(start.size):
                start[a] = 0.0
            for a in range(k):
                start[J[a]] = x[a]
            for i in range(f):
                start[n + F[i]] = b[i]
            for e in range(g):
                start[n + m + W[e]] = y[e]
            start[start.size - 1] = mu
        iteration += 1
        curvature(count, k, several, place, part, s, z, x, b, dd, lo, up, owner, f, R, K, hxb, hb, hw)
        if not factor(K, k):
            break
        schur(k, f, g, A, owner, hxb, hb, hw, K, N, S)
        target, step, dual_step = 0.0, 1.0, 1.0
        for c in range(count):
            twist[c] = 0.0
        for turn in range(2):
            # The first turn aims at zero, the second at what that leaves over (Mehrotra).
            for c in range(count):
                push[c] = (target - twist[c]) / s[c]
            for a in range(k):
                rx[a] = -gx[a]
            for i in range(f):
                rb[i] = -gb[i]
            rb[f] = 0.0
            for e in range(g):
                add(rx, A[e], y[e], k)
                for i in range(f):
                    rb[i] += A[e, k + i] * y[e]
                rw[e] = -y[e]
            spread(count, place, part, push, rx, rb, rw)
            direction(k, f, g, A, owner, equal, hxb, hb, hw, K, N, S, rx, rb, rw, rp, dx, db, dw, dy)
            db[f] = 0.0
            distances(count, place, part, dx, db, dw, ds, 0.0)
            for c in range(count):
                dz[c] = (target - twist[c] - z[c] * ds[c]) / s[c] - z[c]
            step, dual_step = longest(count, s, ds), longest(count, z, dz)
            if turn == 0:
                after = 0.0
                for c in range(count):
                    after += (s[c] + step * ds[c]) * (z[c] + dual_step * dz[c])
                    twist[c] = ds[c] * dz[c]
                share_left = max(after, 0.0) / total
                target = mu * min(max(share_left * share_left * share_left, 1e-4), 1.0)
        step, dual_step = min(1.0, kept * step), min(1.0, kept * dual_step)
        add(x, dx, step, k)
        add(b, db, step, f)
        add(w, dw, step, g)
        add(y, dy, step, g)
        add(z, dz, dual_step, count)
    charge = np.int64(1)  # the best once more, with rounding charged
    for a in range(k):
        half[a] = dot(R[a], found_x, k)
    value = formula(
        Q, d, q, p, Mx, Mb, low, high, rows, lower, upper, switch, status, kind, group, group_low, group_high,
        slack, J, k, found_x, half, found_y, charge, cost, last, following,
    )  # fmt: skip
    numbers[0], numbers[1], numbers[2] = iteration, converged, best
    numbers[4] = least / (abs(objective) + 1e-300)
    numbers[3] = (iteration + 1) * (k * k * k / 3.0 + 20.0 * k * k)
    for a in range(k - 1, -1, -1):
        h, found_x[a] = found_x[a], 0.0
        found_x[J[a]] = h
    for i in range(f - 1, -1, -1):
        h, found_b[i] = found_b[i], 0.0
        found_b[F[i]] = h
    for i in range(m):
        if status[i] == 1:
            found_b[i] = 1.0
    return value


KERNELS = (Kernel(solve_node, SOLVE, slow=True, later=True),)
