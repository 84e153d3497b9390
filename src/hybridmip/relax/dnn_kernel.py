"""Projection onto what x, its square and its switch can be together, in Numba.

While b is on, (x, x^2) is between the parabola and the chord over l <= x <= u; with b in [0, 1] the hull of that and of
zero is l b <= x <= u b, x^2 / b <= X <= (l + u) x - l u b. For a given b the nearest point of it is on the arc, on the
chord or where the given point is; the square of the distance is convex in b, with its derivative at hand. Counts over
sets of b have a price each.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types

from hybridmip.engines.compiled import Kernel

_F, _I, _B = types.float64[::1], types.int64[::1], types.int8[::1]
#: Signature of `project`.
PROJECT = types.void(_F, _F, _F, _F, _I, _I, _B, _F, _I, _I, _I, _F, _F, _F, _F)

#: Most steps to the best b, and to the price of a count; and the least b.
STEPS = 40
#: How close b and the counts come, as a share.
CLOSE = 1e-5
LEAST = 1e-9


@njit(cache=True, error_model="numpy")
def nearest(q, p, l, u, b):
    """(x, X, derivative of the squared distance by b): the nearest point to (q, p), weights 2 and 1, for this b."""
    low, high = l * b, u * b
    below, above = p * b < q * q, p > (l + u) * q - l * u * b
    if q >= low and q <= high and not below and not above:
        return q, p, 0.0
    best, best_x, best_X, slope = np.inf, 0.0, 0.0, 0.0
    if below:
        # x^3 / b^2 + (1 - p / b) x = |q|, by Newton's method from above.
        x = min(abs(q), np.sqrt(max(b * (p - b), 0.0)) + (abs(q) * b * b) ** (1.0 / 3.0))
        for _ in range(50):
            h = x * x * x / (b * b) + (1.0 - p / b) * x - abs(q)
            step = h / (3.0 * x * x / (b * b) + 1.0 - p / b)
            x -= step
            if abs(step) <= 1e-12 * x:
                break
        x = x if q > 0.0 else -x
        if x <= low or x >= high:
            k = l if x <= low else u
            x = k * b
            X = k * x
            slope = 4.0 * k * (x - q) + 2.0 * k * k * (X - p)
        else:
            X = x * x / b
            slope = -2.0 * (X - p) * X / b
        best, best_x, best_X = 2.0 * (x - q) ** 2 + (X - p) ** 2, x, X
    if above or not below:
        k = l + u
        x = (2.0 * q + k * (p + l * u * b)) / (2.0 + k * k)
        if x <= low or x >= high:
            end = l if x <= low else u
            x = end * b
            X = end * x
            other = 4.0 * end * (x - q) + 2.0 * end * end * (X - p)
        else:
            X = k * x - l * u * b
            other = -2.0 * (X - p) * l * u
        if 2.0 * (x - q) ** 2 + (X - p) ** 2 < best:
            best_x, best_X, slope = x, X, other
    return best_x, best_X, slope


@njit(cache=True, error_model="numpy")
def slope_at(i, q, p, l, u, first, order, price, b):
    """The derivative by b_i of its price and the squared distances of its x."""
    slope = price
    for at in range(first[i], first[i + 1]):
        j = order[at]
        slope += nearest(q[j], p[j], l[j], u[j], b)[2]
    return slope


@njit(cache=True, error_model="numpy")
def share(i, q, p, l, u, first, order, price):
    """The best b_i at a price."""
    low, at_low = LEAST, slope_at(i, q, p, l, u, first, order, price, LEAST)
    if at_low >= 0.0:
        return 0.0
    high, at_high = 1.0, slope_at(i, q, p, l, u, first, order, price, 1.0)
    if at_high <= 0.0:
        return 1.0
    for step in range(STEPS):
        # A secant through the ends; an end that stays counts half the next time (Illinois). Flat parts are halved.
        b = high - at_high * (high - low) / (at_high - at_low) if step % 3 < 2 else 0.5 * (low + high)
        slope = slope_at(i, q, p, l, u, first, order, price, b)
        if slope > 0.0:
            high, at_high, at_low = b, slope, 0.5 * at_low
        elif slope < 0.0:
            low, at_low, at_high = b, slope, 0.5 * at_high
        else:
            return b
        if high - low <= CLOSE * high:
            break
    return 0.5 * (low + high)


@njit(cache=True, error_model="numpy")
def too_many(g, price, q, p, l, u, first, order, status, cost, group, low, high, b):
    """Fill b of a set at a price of its count; returns by how much they are too many (negative: too few)."""
    total = 0.0
    for i in range(status.size):
        if group[i] == g:
            if status[i] == 0:
                b[i] = share(i, q, p, l, u, first, order, cost[i] + price)
            total += b[i]
    if price > 0.0:
        return total - high
    if price < 0.0:
        return total - low
    return max(total - high, 0.0) + min(total - low, 0.0)


@njit(cache=True, nogil=True, error_model="numpy")
def project(q, p, l, u, first, order, status, cost, group, group_low, group_high, prices, x, X, b):
    """Fill x, X and b with the nearest point, and change the prices of the counts, from which it starts.

    Binary i switches x at order[first[i]:first[i + 1]]; what is behind the last of them has no switch. `cost` is that
    of b, in the units of the squared distance; `status` is 1 for a binary that is on, and 0 for one that is free.
    """
    m = status.size
    for i in range(m):
        if status[i] == 1:
            b[i] = 1.0
        elif group[i] < 0:
            b[i] = share(i, q, p, l, u, first, order, cost[i])
    for g in range(group_low.size):
        low, high = float(group_low[g]), float(group_high[g])
        price, step, close = prices[g], 0.002 + 0.02 * abs(prices[g]), CLOSE * max(high, 1.0)
        below, above, at_below, at_above = 0.0, 0.0, np.inf, -np.inf
        for turn in range(STEPS):
            over = too_many(g, price, q, p, l, u, first, order, status, cost, group, low, high, b)
            if abs(over) <= close:
                break
            if over > 0.0:
                below, at_below, at_above = price, over, 0.5 * at_above
            else:
                above, at_above, at_below = price, over, 0.5 * at_below
            if at_above == -np.inf:
                price, step = below + step, 3.0 * step
            elif at_below == np.inf:
                price, step = above - step, 3.0 * step
            elif below < 0.0 < above and low < high and turn < 10:
                price = 0.0
            else:
                price = (below * at_above - above * at_below) / (at_above - at_below)
                if turn % 3 == 2:
                    price = 0.5 * (below + above)
                if above - below <= 1e-12 * (abs(above) + abs(below)):
                    break
        prices[g] = price
    for i in range(m):
        for at in range(first[i], first[i + 1]):
            j = order[at]
            x[j], X[j] = 0.0, 0.0
            if b[i] > 0.0:
                x[j], X[j], _ = nearest(q[j], p[j], l[j], u[j], b[i])
    for at in range(first[m], order.size):
        j = order[at]
        x[j], X[j], _ = nearest(q[j], p[j], l[j], u[j], 1.0)


#: What is compiled here.
KERNELS = (Kernel(project, PROJECT, later=True),)
