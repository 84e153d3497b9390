"""The largest Sharpe ratio, exactly: the portfolio scaled until its excess return is 1.

With y = k w and k = 1 / (excess return of w), k > 0, the ratio is 1 / sqrt(y'Vy): it is largest where the variance of y
is least. A limit l <= w <= u of a mode that is on becomes l k <= y <= u k; where l is not 0, or being on has a price,
the product z = k b is needed, which rows tie to k and b.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.applications.portfolio.modes import Modes
from hybridmip.applications.portfolio.program import rules, spread, stacked
from hybridmip.applications.portfolio.return_range import least_variance
from hybridmip.errors import ProblemError
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import DiagonalForm, QuadraticForm, Vector

if TYPE_CHECKING:
    from hybridmip.applications.portfolio.portfolio import Portfolio

#: How much wider the range of k is than what was found: rounding.
WIDER = 1e-6
#: A risk below this share of another is none.
NO_RISK = 1e-6
SCALE, PRODUCT = "scale", "scale while held"


def build(portfolio: Portfolio, modes: Modes) -> Problem:
    """Variables: y of every mode, z of the modes that need it, k."""
    rows = rules(portfolio, modes)
    count = modes.count
    x_part, b_part = np.array(rows.x), np.array(rows.b)
    cost_x, cost_b, cost_constant = modes.cost.row(modes.asset)
    needed = np.flatnonzero((modes.lower != 0) | b_part.any(axis=0) | (cost_b != 0))
    low, high = _range(portfolio)
    z, k = count + np.arange(needed.size), count + needed.size
    scaled = _Scaled(k + 1)
    for name, x, b, lower, upper in zip(rows.names, x_part, b_part, rows.lower, rows.upper, strict=True):
        row = np.zeros(k + 1)
        row[:count], row[z] = x, b[needed]
        if lower == upper:
            row[k] = -lower
            scaled.add(name, row, 0.0, 0.0)
            continue
        for sign, limit in ((1.0, lower), (-1.0, upper)):
            if np.isfinite(limit):
                one = sign * row
                one[k] = -sign * limit
                scaled.add(name if sign > 0 or not np.isfinite(lower) else f"{name}, most", one, 0.0, np.inf)
    row = np.zeros(k + 1)
    row[:count], row[z] = portfolio.returns[modes.asset] - cost_x, -cost_b[needed]
    row[k] = -portfolio.risk_free * portfolio.budget - cost_constant
    scaled.add("excess return", row, 1.0, 1.0)
    _tie(scaled, modes, needed, z, k, portfolio.budget)
    G = _tie_to_binaries(scaled, modes, needed, z, k, high)
    form = spread(portfolio.covariance, modes)
    return Problem(
        Q=_beside(form, count, k + 1), A=stacked(scaled.rows, k + 1), G=G,
        row_lower=scaled.lower, row_upper=scaled.upper,
        x_lower=np.concatenate([_least(modes, low, high), np.full(needed.size, low), [low]]),
        x_upper=np.concatenate([_most(modes, low, high), np.full(needed.size, high), [high]]),
        switch=np.concatenate([np.arange(count), needed, [-1]]).astype(np.intp), binaries=count,
        x_names=[*modes.names, *(f"{PRODUCT}: {modes.names[j]}" for j in needed), SCALE], b_names=modes.names,
        row_names=scaled.names, **rows.on_binaries(),
    )  # fmt: skip


def weights(portfolio: Portfolio, x: Vector) -> Vector:
    """Weights of the modes, of a point of the scaled problem."""
    return np.asarray(x / x[-1])[: portfolio.modes.count]


class _Scaled:
    """Rows over y, z and k."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.names: list[str] = []
        self.rows: list[Vector] = []
        self.lower: list[float] = []
        self.upper: list[float] = []

    def add(self, name: str, row: Vector, lower: float, upper: float) -> None:
        self.names.append(name)
        self.rows.append(row)
        self.lower.append(lower)
        self.upper.append(upper)

    def between(self, name: str, upper: float, entries: dict[int, float]) -> None:
        """A row of few entries, at most `upper`."""
        row = np.zeros(self.width)
        for column, value in entries.items():
            row[column] = value
        self.add(name, row, -np.inf, upper)


def _tie(rows: _Scaled, modes: Modes, needed: NDArray[np.intp], z: NDArray[np.intp], k: int, budget: float) -> None:
    """Limits of y: by z where there is one, else by k where the budget does not imply them."""
    place = dict(zip(needed.tolist(), z.tolist(), strict=True))
    whole = bool((modes.lower >= 0).all())
    for j in range(modes.count):
        lower, upper, name = float(modes.lower[j]), float(modes.upper[j]), modes.names[j]
        scale = place.get(j, k)
        if j in place and lower != 0:
            rows.between(f"least of {name}", 0.0, {j: -1.0, scale: lower})
        if j in place or not (whole and upper >= budget):
            rows.between(f"most of {name}", 0.0, {j: 1.0, scale: -upper})


def _tie_to_binaries(
    rows: _Scaled, modes: Modes, needed: NDArray[np.intp], z: NDArray[np.intp], k: int, high: float
) -> sparse.csr_array | None:
    """z = k where b is on: z <= k, and k - z <= high (1 - b)."""
    if not needed.size:
        return None
    entries: list[tuple[int, int, float]] = []
    for j, column in zip(needed.tolist(), z.tolist(), strict=True):
        rows.between(f"{PRODUCT}: {modes.names[j]}, most", 0.0, {column: 1.0, k: -1.0})
        rows.between(f"{PRODUCT}: {modes.names[j]}, least", high, {k: 1.0, column: -1.0})
        entries.append((len(rows.rows) - 1, j, high))
    where, columns, values = zip(*entries, strict=True)
    return sparse.csr_array((values, (where, columns)), shape=(len(rows.rows), modes.count))


def _least(modes: Modes, low: float, high: float) -> Vector:
    return np.where(modes.lower < 0, modes.lower * high, modes.lower * low)


def _most(modes: Modes, low: float, high: float) -> Vector:
    return np.where(modes.upper > 0, modes.upper * high, modes.upper * low)


def _beside(form: QuadraticForm, count: int, width: int) -> NDArray[np.float64]:
    """A form with zero rows and columns for what is beside y; for a diagonal one that."""
    if isinstance(form, DiagonalForm):
        return np.concatenate([form.values, np.zeros(width - count)])
    matrix = form.toarray()
    whole = np.zeros((width, width))
    whole[:count, :count] = matrix
    return whole


def _range(portfolio: Portfolio) -> tuple[float, float]:
    """Between which k of the best portfolio is: 1 / the largest excess return, and by a portfolio that was found.

    Raises
    ------
    ProblemError
        If no portfolio is found whose excess return is positive.
    """
    free = portfolio.risk_free * portfolio.budget
    most = portfolio.efficient_range()[1] - free
    if not most > 0:
        raise ProblemError(f"no portfolio has an expected return above risk_free ({portfolio.risk_free:g}); lower it")
    smallest = np.sqrt(max(least_variance(portfolio), 0.0))
    excess, risk = _some(portfolio)
    if not smallest > NO_RISK * risk:
        raise ProblemError("covariance allows a portfolio without risk, whose Sharpe ratio has no limit; shrink it")
    # The best ratio is at least that of the portfolio found, and no risk is below the least: excess >= ratio * risk.
    return (1 - WIDER) / most, (1 + WIDER) * risk / (excess * smallest)


def _some(portfolio: Portfolio) -> tuple[float, float]:
    """(excess return, risk) of a portfolio with a positive excess return, and a good ratio of the two."""
    free = portfolio.risk_free * portfolio.budget
    best: tuple[float, float] | None = None
    aversion = 0.0
    for _ in range(4):
        asked = portfolio.replace(objective="utility", risk_aversion=aversion)
        try:
            found = asked.solve()
        except ProblemError:
            break
        excess, risk = found.net_return - free, found.risk
        if not excess > 0 or (best is not None and excess * best[1] <= best[0] * risk * (1 + WIDER)):
            break
        best = (excess, risk)
        if not risk > 0:
            break
        aversion = excess / (2 * risk * risk)
    if best is None:
        raise ProblemError(
            f"no portfolio was found with an expected return above risk_free ({portfolio.risk_free:g}) after costs; "
            "lower it"
        )
    return best
