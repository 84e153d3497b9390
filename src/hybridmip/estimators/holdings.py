"""What is held when a portfolio is fitted, and what leaving it costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hybridmip.applications.arguments import number
from hybridmip.applications.portfolio.checks import checked_weights
from hybridmip.applications.portfolio.labels import index_labels, is_series
from hybridmip.applications.portfolio.portfolio import MAX_WEIGHT, MIN_WEIGHT
from hybridmip.applications.portfolio.trading import CURRENT, FIXED_COST, Trading, both_ways, not_negative
from hybridmip.model.quadratic import Vector

#: A holding nearer than this to 0 or to a limit of the weights is there: the difference is rounding, and no trade.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Holdings:
    """Weights held, of the assets there are and of others.

    Attributes
    ----------
    current : ndarray (n,)
    gone : dict of str to float
        Weights of assets that the data lack. They are sold in any case.
    """

    current: Vector
    gone: dict[str, float]

    @classmethod
    def of(cls, previous: Any, names: tuple[str, ...], named: bool) -> Holdings:
        """From `previous_weights`: None, a number, a vector, a Series or a dict.

        Parameters
        ----------
        previous : object
        names : tuple of str
        named : bool
            Whether the names are those of the data; only then a name may be of an asset that is gone.
        """
        if is_series(previous) and (labels := index_labels(previous.index)) is not None:
            previous = dict(zip(labels, previous.to_numpy(), strict=True))
        gone: dict[str, float] = {}
        if isinstance(previous, Mapping) and named:
            known = set(names)
            others = {str(name): weight for name, weight in previous.items() if str(name) not in known}
            gone = {name: number(f"previous_weights[{name!r}]", weight) for name, weight in others.items()}
            previous = {name: weight for name, weight in previous.items() if str(name) in known}
        return cls(checked_weights(CURRENT, 0.0 if previous is None else previous, names, 0.0), gone)

    def rounded(self, lower: Any, upper: Any, names: tuple[str, ...]) -> Vector:
        """`current` without rounding: what is all but 0, or all but a limit of the weights, is that."""
        weights = np.array(self.current)
        places = checked_weights(MIN_WEIGHT, lower, names, 0.0), checked_weights(MAX_WEIGHT, upper, names, 1.0), 0.0
        for place in places:
            weights = np.where(np.abs(weights - place) <= ROUNDING, place, weights)
        return weights


def cost_rates(
    weights: Vector, holdings: Holdings, trade_cost: Any, fixed_trade_cost: Any, names: tuple[str, ...]
) -> tuple[Vector, dict[str, float]]:
    """What each trade costs per unit traded, fixed costs included: of the assets, and of those that are gone.

    For an asset that is not traded it is what buying costs. What is gone is charged where costs are numbers, or dicts.
    """
    trading = Trading(
        holdings.current, *both_ways(trade_cost, names), not_negative(FIXED_COST, fixed_trade_cost, names),
        np.zeros(len(names)),
    )  # fmt: skip
    sizes = np.abs(trading.trades(weights))
    rates = np.where(sizes > 0, trading.cost_of_each(weights) / np.where(sizes > 0, sizes, 1.0), trading.buying)
    gone = tuple(holdings.gone)
    if not gone or not _by_name(trade_cost) or not _by_name(fixed_trade_cost):
        return rates, {}
    everybody = (*names, *gone)
    left = Trading(
        np.concatenate([holdings.current, list(holdings.gone.values())]), *both_ways(trade_cost, everybody),
        not_negative(FIXED_COST, fixed_trade_cost, everybody), np.zeros(len(everybody)),
    )  # fmt: skip
    costs = left.cost_of_each(np.zeros(len(everybody)))[len(names) :]
    return rates, {
        name: float(cost) / abs(weight) if weight else 0.0
        for (name, weight), cost in zip(holdings.gone.items(), costs, strict=True)
    }


def _by_name(cost: Any) -> bool:
    """Whether a cost can be told of any asset by its name: a number, a dict, or a pair of these."""
    if isinstance(cost, tuple) and len(cost) == 2:
        return all(map(_by_name, cost))
    if isinstance(cost, Mapping):
        return all(map(_by_name, cost.values()))
    return np.ndim(cost) == 0
