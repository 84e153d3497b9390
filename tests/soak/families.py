"""Generators: each makes a small problem whose optimum can be found by trying every b.

The numbers are integers, halves, decimals or reals; Q is of every kind; bounds, rows and rows on b of every kind, also
degenerate, duplicated, redundant, contradictory and empty ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tests.soak.data import INF, Data

Generator = np.random.Generator


def numbers(rng: Generator, shape, kind: str, span: int = 5) -> np.ndarray:
    """Random numbers of a kind."""
    if kind == "integers":
        return rng.integers(-span, span + 1, shape).astype(float)
    if kind == "halves":
        return rng.integers(-2 * span, 2 * span + 1, shape) / 2.0
    if kind == "decimals":
        return np.round(rng.uniform(-span, span, shape), 1)
    return rng.normal(size=shape) * span / 2


def quadratic(rng: Generator, n: int, kind: str, data: str) -> dict:
    """Q of a kind, with the form in which it is handed over."""
    if kind == "zero" or n == 0:
        return {"Q": None}
    if kind == "diagonal":
        values = np.abs(numbers(rng, n, data)) * (rng.random(n) < 0.8)
        return {"Q": np.diag(values), "form": rng.choice(["diagonal", "dense", "sparse"])}
    if kind == "factor":
        loadings, specific = numbers(rng, (n, 2), data, 2), np.abs(numbers(rng, n, data, 2))
        return {"Q": loadings @ loadings.T + np.diag(specific), "form": "factor", "loadings": loadings,
                "specific": specific}  # fmt: skip
    rank = n if kind == "dense" else max(1, n // 2)
    root = numbers(rng, (n, rank), data, 3)
    if kind == "duplicates" and n > 1:
        root[-1] = root[0] * (1 if rng.random() < 0.7 else -1)
    if kind == "gaps":
        root[rng.random(n) < 0.4] = 0.0
    Q = root @ root.T
    if kind == "dense":
        Q = Q + np.diag(np.full(n, 0.25 if data in ("integers", "halves") else rng.uniform(0.01, 1.0)))
    if kind == "blocks" and n > 2:
        half = n // 2
        Q[:half, half:] = 0.0
        Q[half:, :half] = 0.0
    return {"Q": (Q + Q.T) / 2, "form": rng.choice(["dense", "sparse"]) if kind in ("gaps", "blocks") else "dense"}


QUADRATICS = ("zero", "zero", "diagonal", "dense", "singular", "duplicates", "gaps", "blocks", "factor")


def bounds(rng: Generator, n: int, data: str) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper bounds of every kind."""
    lower, upper = np.zeros(n), np.zeros(n)
    kind_of_all = rng.choice(["zero", "buy-in", "short", "twins", "mixed", "negative", "loose"])
    for j in range(n):
        kind = (
            rng.choice(["zero", "buy-in", "short", "twins", "negative", "loose", "nothing"])
            if kind_of_all == "mixed"
            else kind_of_all
        )
        width = float(np.abs(numbers(rng, (), data, 4))) + (1.0 if data in ("integers", "halves") else 0.1)
        start = float(np.abs(numbers(rng, (), data, 2)))
        if kind == "zero":
            lower[j], upper[j] = 0.0, width
        elif kind == "buy-in":
            lower[j], upper[j] = start + (0.5 if start == 0 else 0.0), start + 0.5 + width
        elif kind == "short":
            lower[j], upper[j] = -start, width
        elif kind == "twins":
            lower[j] = upper[j] = width
        elif kind == "negative":
            lower[j], upper[j] = -start - width, -start
        elif kind == "loose":
            lower[j], upper[j] = 0.0, width * 10.0 ** int(rng.integers(2, 7))
        # "nothing": fixed to zero
    return lower, upper


def binary_rows(rng: Generator, m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows on b of every kind."""
    kind = rng.choice(
        ["none", "count", "range", "sectors", "overlapping", "weighted", "free", "twice", "equal weights"]
    )
    if kind == "none" or m == 0:
        return np.zeros((0, m)), np.zeros(0), np.zeros(0)
    if kind == "count":
        k = float(rng.integers(0, m + 1))
        return np.ones((1, m)), np.array([k]), np.array([k])
    if kind == "range":
        least = int(rng.integers(0, m + 1))
        return np.ones((1, m)), np.array([float(least)]), np.array([float(rng.integers(least, m + 1))])
    if kind == "sectors" and m > 1:
        B = np.zeros((2, m))
        B[0, : m // 2], B[1, m // 2 :] = 1.0, 1.0
        return B, np.array([0.0, 1.0]), np.array([float(max(1, m // 2 - 1)), float(m)])
    if kind == "free":
        return rng.integers(-2, 3, (1, m)).astype(float), np.array([-INF]), np.array([INF])
    if kind == "twice":
        k = float(rng.integers(0, m + 1))
        return np.ones((2, m)), np.array([0.0, k]), np.array([k, float(m)])
    if kind == "equal weights":
        weight = float(rng.choice([0.1, 0.3, 1e-8, 7.0, -0.7]))
        k = int(rng.integers(0, m + 1))
        limits = sorted((weight * k, weight * (k if rng.random() < 0.5 else m)))
        return np.full((1, m), weight), np.array([limits[0]]), np.array([limits[1]])
    count = int(rng.integers(1, 4))
    B = (
        (rng.random((count, m)) < 0.6).astype(float)
        if kind == "overlapping"
        else rng.integers(-4, 8, (count, m)).astype(float)
    )
    activity = B @ (rng.random(m) < 0.5)
    low = np.where(rng.random(count) < 0.5, -INF, activity - rng.integers(0, 3, count))
    high = np.where(rng.random(count) < 0.5, INF, activity + rng.integers(0, 3, count))
    return B, low, high


def general(rng: Generator) -> Data:
    """Everything at once."""
    data = str(rng.choice(["integers", "integers", "halves", "decimals", "reals"]))
    m = int(rng.integers(1, 7))
    owners = list(range(m)) if rng.random() < 0.7 else list(rng.integers(0, m, int(rng.integers(1, m + 2))))
    owners += [-1] * int(rng.integers(0, 3))
    switch = np.array(owners, dtype=int)
    n = switch.size
    lower, upper = bounds(rng, n, data)
    B, b_lower, b_upper = binary_rows(rng, m)
    rows = int(rng.integers(0, 5))
    A = numbers(rng, (rows, n), data) * (rng.random((rows, n)) < rng.uniform(0.3, 1.0))
    G = numbers(rng, (rows, m), data) * (rng.random((rows, m)) < 0.5) * (rng.random() < 0.6)
    if rows and rng.random() < 0.4:
        A[0] = 1.0
    if rows > 1 and rng.random() < 0.2:
        A[-1], G[-1] = A[0] * rng.choice([1.0, -1.0, 2.0]), G[0]
    b = (rng.random(m) < 0.5).astype(float)
    on = np.where(switch < 0, 1.0, b[np.maximum(switch, 0)])
    share = rng.random(n) if data == "reals" else rng.integers(0, 3, n) / 2.0
    x = on * (lower + np.minimum(upper - lower, 10.0) * share)
    activity = A @ x + G @ b
    if rng.random() < 0.25:
        activity = activity + numbers(rng, rows, data, 2)
    row_lower, row_upper = activity.copy(), activity.copy()
    for i in range(rows):
        kind = rng.integers(5)
        more, less = np.abs(numbers(rng, 2, data, 2))
        if kind == 0:
            row_lower[i] = -INF
            row_upper[i] += more
        elif kind == 1:
            row_upper[i] = INF
            row_lower[i] -= less
        elif kind == 2:
            row_lower[i] -= less
            row_upper[i] += more
        elif kind == 3 and rng.random() < 0.1:
            row_lower[i], row_upper[i] = -INF, INF
    p = numbers(rng, m, data) if rng.random() < 0.6 else np.zeros(m)
    return Data(
        q=numbers(rng, n, data), p=p, offset=float(numbers(rng, (), data)) * (rng.random() < 0.5), A=A, G=G,
        row_lower=row_lower, row_upper=row_upper, B=B, b_lower=b_lower, b_upper=b_upper, x_lower=lower, x_upper=upper,
        switch=switch, **quadratic(rng, n, str(rng.choice(QUADRATICS)), data),
    )  # fmt: skip


def unlimited(rng: Generator) -> Data:
    """x without limits on one side or both; growing costs, or curvature keeps it."""
    made = general(rng)
    lower, upper = made.x_lower.copy(), made.x_upper.copy()
    q, Q = made.q.copy(), made.matrix()
    for j in range(made.n):
        if rng.random() < 0.5:
            curved = np.linalg.eigvalsh(Q)[0] > 1e-6 if made.n else False
            side = rng.integers(3)
            if side != 1:
                upper[j] = INF
                q[j] = q[j] if curved else abs(q[j])
            if side != 0 and (curved or side == 1):
                lower[j] = -INF
                if not curved:
                    q[j] = -abs(q[j]) if np.isfinite(upper[j]) else 0.0
    return replace(made, x_lower=lower, x_upper=np.maximum(lower, upper), q=q)


def made_integral(rng: Generator) -> Data:
    """MILPs with small integers in which equations make continuous x integral, or multiples of 1.5."""
    n, m = int(rng.integers(1, 3)), int(rng.integers(3, 7))
    rows, low, high, lower, upper = [], [], [], [], []
    point = np.zeros(n + m)
    point[n:] = rng.integers(0, 2, m)
    for j in range(n):
        row = np.zeros(n + m)
        row[j] = 1.0
        chosen = rng.choice(m, int(rng.integers(1, 4)), replace=False)
        row[n + chosen] = -rng.choice([1, 1, 1, 2, -1], chosen.size) * (1.5 if rng.random() < 0.15 else 1.0)
        if j and rng.random() < 0.4:
            row[0] = rng.choice([-1, 1])
        constant = float(rng.integers(-1, 3))
        rows.append(row)
        low.append(constant)
        high.append(constant)
        point[j] = constant - row @ np.concatenate([point[:j], np.zeros(n - j), point[n:]])
        if rng.random() < 0.7:
            lower.append(point[j] - rng.integers(0, 3))
            upper.append(point[j] + rng.integers(0, 3))
        else:
            lower.append(constant - 5)
            upper.append(constant + 5)
    for _ in range(int(rng.integers(2, 6))):
        row = np.zeros(n + m)
        row[int(rng.integers(n))] = rng.integers(1, 6) * rng.choice([-1, 1])
        chosen = rng.choice(m, int(rng.integers(1, 3)), replace=False)
        row[n + chosen] = rng.integers(-4, 5, chosen.size)
        room = float(rng.integers(0, 4)) if rng.random() < 0.75 else rng.integers(0, 4) + 0.5
        rows.append(row)
        below = rng.random() < 0.5
        low.append(-INF if below else row @ point - room)
        high.append(row @ point + room if below else INF)
    matrix = np.array(rows)
    none = np.zeros(0)
    return Data(
        q=(rng.integers(-2, 3, n) * (rng.random() < 0.6)).astype(float), p=rng.integers(-3, 4, m).astype(float),
        A=matrix[:, :n], G=matrix[:, n:], row_lower=np.array(low), row_upper=np.array(high),
        B=np.zeros((0, m)), b_lower=none, b_upper=none, x_lower=np.array(lower, dtype=float),
        x_upper=np.maximum(np.array(upper, dtype=float), np.array(lower, dtype=float)), switch=np.full(n, -1),
    )  # fmt: skip


def portfolio(rng: Generator) -> Data:
    """A budget, a return, a count, a buy-in; covariances of real size."""
    n = int(rng.integers(4, 9))
    dates = int(rng.integers(3, 3 * n))
    returns = rng.normal(0.005, 0.03, (dates, n))
    if rng.random() < 0.2:
        returns[:, -1] = returns[:, 0]  # a duplicate
    if rng.random() < 0.2:
        returns[:, 1] = 0.002  # cash
    if rng.random() < 0.2:
        returns[:, 2] = returns[:, 3:].mean(axis=1)  # a fund of the others
    covariance = np.atleast_2d(np.cov(returns.T))
    mean = returns.mean(axis=0)
    k = int(rng.integers(1, n))
    target = float(np.sort(mean)[::-1][:k].mean()) * rng.uniform(0.3, 1.0)
    equal = rng.random() < 0.5
    return Data(
        Q=(covariance + covariance.T) / 2, q=np.zeros(n), p=np.zeros(n), A=np.vstack([np.ones(n), mean]),
        G=np.zeros((2, n)), row_lower=np.array([1.0, target]), row_upper=np.array([1.0, target if equal else INF]),
        B=np.ones((1, n)), b_lower=np.array([float(k) if rng.random() < 0.7 else 1.0]), b_upper=np.array([float(k)]),
        x_lower=np.full(n, rng.choice([0.0, 0.01, 0.05])), x_upper=np.full(n, rng.choice([1.0, 0.6])),
        switch=np.arange(n),
    )  # fmt: skip


def charges(rng: Generator) -> Data:
    """Fixed-charge transportation: integers, equations, capacities that are just enough."""
    sources, sinks = int(rng.integers(1, 3)), int(rng.integers(2, 4))
    arcs = [(i, j) for i in range(sources) for j in range(sinks)]
    flow = rng.integers(0, 6, (sources, sinks)).astype(float)
    A = np.zeros((sources + sinks, len(arcs)))
    for a, (i, j) in enumerate(arcs):
        A[i, a], A[sources + j, a] = 1.0, 1.0
    sides = np.concatenate([flow.sum(axis=1), flow.sum(axis=0)])
    low, high = sides.copy(), sides.copy()
    if rng.random() < 0.5:
        low[:sources] = -INF
        high[:sources] += rng.integers(0, 3, sources)
    size = len(arcs)
    upper = (
        np.array([min(sides[i], sides[sources + j]) for i, j in arcs]) if rng.random() < 0.7 else np.full(size, 1000.0)
    )
    none = np.zeros(0)
    curved = rng.random() < 0.3
    return Data(
        q=rng.integers(0, 6, size).astype(float), p=rng.integers(0, 30, size).astype(float), A=A,
        G=np.zeros((sources + sinks, size)), row_lower=low, row_upper=high, B=np.zeros((0, size)), b_lower=none,
        b_upper=none, x_lower=np.zeros(size), x_upper=upper, switch=np.arange(size),
        Q=np.diag(rng.integers(0, 3, size) / 8.0) if curved else None, form="diagonal",
    )  # fmt: skip


def knapsack(rng: Generator) -> Data:
    """Pure binaries, linear or with products of twins."""
    m = int(rng.integers(4, 9))
    count = int(rng.integers(1, 4))
    B = rng.integers(0, 30, (count, m)).astype(float)
    high = np.floor(B.sum(axis=1) * rng.uniform(0.2, 0.9, count))
    twins = rng.random() < 0.5
    n = m if twins else 0
    root = rng.integers(-3, 4, (n, max(n, 1))).astype(float)
    none = np.zeros(0)
    return Data(
        q=np.zeros(n), p=-rng.integers(0, 40, m).astype(float), A=np.zeros((0, n)), G=np.zeros((0, m)), row_lower=none,
        row_upper=none, B=B, b_lower=np.full(count, -INF), b_upper=high, x_lower=np.ones(n), x_upper=np.ones(n),
        switch=np.arange(n), Q=root @ root.T if twins else None,
    )  # fmt: skip


FAMILIES: dict[str, Callable[[Generator], Data]] = {
    "general": general,
    "unlimited": unlimited,
    "made integral": made_integral,
    "portfolio": portfolio,
    "fixed charges": charges,
    "knapsack": knapsack,
}


def powers(rng: Generator, size: int, span: int) -> np.ndarray:
    return 2.0 ** rng.integers(-span, span + 1, size)


def decades(rng: Generator, size: int, span: float) -> np.ndarray:
    return 10.0 ** rng.uniform(-span, span, size)


def rescale(rng: Generator, data: Data, units: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Factors of the columns, the rows, the rows on b and the objective."""
    n, rows, b_rows = data.n, data.row_lower.size, data.b_lower.size
    ones = np.ones
    columns, r, s, objective = ones(n), ones(rows), ones(b_rows), 1.0
    if units == "powers of two":
        columns, r, s = powers(rng, n, 30), powers(rng, rows, 30), powers(rng, b_rows, 30)
        objective = float(2.0 ** rng.integers(-30, 31))
    elif units == "columns 1e3":
        columns = decades(rng, n, 3)
    elif units == "columns 1e5":
        columns = decades(rng, n, 5)
    elif units == "everything 1e5":
        columns, r, s = decades(rng, n, 5), decades(rng, rows, 5), decades(rng, b_rows, 5)
        objective = float(10.0 ** rng.uniform(-5, 5))
    elif units == "small x":
        columns = np.full(n, 1e6)
    elif units == "large x":
        columns = np.full(n, 1e-8)
    elif units == "objective":
        objective = float(10.0 ** rng.uniform(-18, 12))
    elif units == "rows":
        r, s = decades(rng, rows, 6), decades(rng, b_rows, 6)
    return columns, r, s, objective


UNITS = (
    "as made", "as made", "powers of two", "columns 1e3", "columns 1e5", "everything 1e5", "small x", "large x",
    "objective", "rows",
)  # fmt: skip
