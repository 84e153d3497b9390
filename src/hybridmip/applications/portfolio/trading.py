"""What it costs to get from one portfolio to another: holdings, trade costs, turnover, numbers of trades."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hybridmip.applications.portfolio.checks import checked_weights
from hybridmip.errors import Argument, ArgumentError, ScaleWarning
from hybridmip.model.quadratic import Vector

#: Arguments that messages name.
CURRENT, TRADE_COST, FIXED_COST = Argument("current"), Argument("trade_cost"), Argument("fixed_trade_cost")
MIN_TRADE = Argument("min_trade")
#: A trade below this share of the budget is rounding.
NEGLIGIBLE_TRADE = 1e-9


@dataclass(frozen=True, eq=False)
class Trading:
    """Holdings, and what is paid and allowed for changing them.

    Attributes
    ----------
    current : ndarray
        Weights held today.
    buying, selling : ndarray
        What a trade of weight 1 costs, as a return per period.
    fixed : ndarray
        What any trade of an asset costs beside that.
    min_trade : ndarray
        Smallest trade of an asset.
    max_turnover : float, optional
        Most that is bought and sold, as a sum of weights.
    max_trades : int, optional
        Most assets that are traded.
    """

    current: Vector
    buying: Vector
    selling: Vector
    fixed: Vector
    min_trade: Vector
    max_turnover: float | None = None
    max_trades: int | None = None

    @cached_property
    def counts(self) -> bool:
        """Whether it matters if an asset is traded at all."""
        return bool(self.fixed.any() or self.min_trade.any() or self.max_trades is not None)

    @cached_property
    def matters(self) -> bool:
        """Whether it matters how much is traded, or if."""
        return self.counts or bool(self.buying.any() or self.selling.any()) or self.max_turnover is not None

    def trades(self, weights: Vector) -> Vector:
        """What is bought (positive) and sold of every asset; what is only rounding is no trade."""
        change = weights - self.current
        size = max(1.0, float(np.abs(weights).max(initial=0.0)))
        return np.where(np.abs(change) > NEGLIGIBLE_TRADE * size, change, 0.0)

    def turnover(self, weights: Vector) -> float:
        """Sum of all that is bought and sold."""
        return float(np.abs(self.trades(weights)).sum())

    def cost_of_each(self, weights: Vector) -> Vector:
        """What the trade of every asset costs."""
        trades = self.trades(weights)
        proportional = self.buying * np.maximum(trades, 0.0) + self.selling * np.maximum(-trades, 0.0)
        return np.asarray(proportional + np.where(trades != 0.0, self.fixed, 0.0))

    def cost(self, weights: Vector) -> float:
        """What all trades cost."""
        return float(self.cost_of_each(weights).sum())


def both_ways(cost: Any, names: tuple[str, ...]) -> tuple[Vector, Vector]:
    """Costs of buying and of selling, from one number or vector for both, a pair, or a dict of the two."""
    if isinstance(cost, Mapping) and set(cost) <= {"buy", "sell"}:
        cost = (cost.get("buy", 0.0), cost.get("sell", 0.0))
    if isinstance(cost, tuple) and len(cost) == 2:
        buy, sell = (not_negative(TRADE_COST, part, names) for part in cost)
        return buy, sell
    both = not_negative(TRADE_COST, cost, names)
    return both, both


def warn_of_costs(trading: Trading, names: Sequence[str]) -> None:
    """Warn where a trade costs more than what is traded: most likely a percentage was given."""
    dear = np.flatnonzero(np.maximum(trading.buying, trading.selling) >= 1.0)
    if dear.size:
        i = int(dear[0])
        cost = max(float(trading.buying[i]), float(trading.selling[i]))
        others = f" ({dear.size - 1} more like it)" if dear.size > 1 else ""
        warnings.warn(
            f"trade_cost of {names[i]} is {cost:g}, {100 * cost:g} % of what is traded{others}; it is a share of that: "
            "0.05 % is 0.0005",
            ScaleWarning, stacklevel=4,
        )  # fmt: skip


def not_negative(argument: Argument, values: Any, names: Sequence[str]) -> Vector:
    """One number per asset, none below zero."""
    vector = checked_weights(argument, values, tuple(names), 0.0)
    for i in map(int, np.flatnonzero(vector < 0)):
        raise ArgumentError(argument, f" of {names[i]} is {vector[i]:g}; it must be 0 or more")
    return vector


def check_holdings(
    trading: Trading, names: Sequence[str], lower: Vector, upper: Vector, sold: NDArray[np.bool_]
) -> None:
    """What is held is within what may be held, or is sold in any case."""
    held: NDArray[np.bool_] = (trading.current != 0) & ~sold
    for which, limit, limits, change, beyond in (
        ("above", Argument("max_weight"), upper, "raise", trading.current > upper),
        ("below", Argument("min_weight"), lower, "lower", trading.current < lower),
    ):
        for i in map(int, np.flatnonzero(held & beyond)):
            raise ArgumentError(
                CURRENT, f" of {names[i]} is {trading.current[i]:g}, {which} its ", limit, f" {limits[i]:g}; {change} "
                "that for it, or give ", Argument("drifted=True"), " to trade it back",
            )  # fmt: skip
