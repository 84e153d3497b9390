"""Signs of sums of products, without rounding."""

from __future__ import annotations

import math

import numpy as np

from hybridmip.model.quadratic import Vector

#: Veltkamp's constant: splits a number into two halves of 26 bits.
SPLITTER = 134217729.0
#: Products whose exponents lie within this have exact parts.
WIDEST = 900


def sign_of_sum(first: Vector, second: Vector) -> int | None:
    """The sign of sum(first * second), exact; None where parts would underflow or overflow.

    Each product is split into two numbers whose sum it is (Dekker 1971), and `math.fsum` adds without error.
    """
    used = (first != 0.0) & (second != 0.0)
    a, b = first[used], second[used]
    if a.size == 0:
        return 0
    exponents = np.frexp(a)[1] + np.frexp(b)[1]
    too_wide = max(abs(int(exponents.min())), abs(int(exponents.max()))) > WIDEST
    if too_wide or max(float(np.abs(a).max()), float(np.abs(b).max())) > 1e290:
        return None
    product = a * b
    a_high, b_high = _high(a), _high(b)
    a_low, b_low = a - a_high, b - b_high
    rest = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    total = math.fsum(product.tolist() + rest.tolist())
    return (total > 0) - (total < 0)


def _high(values: Vector) -> Vector:
    scaled = SPLITTER * values
    return scaled - (scaled - values)
