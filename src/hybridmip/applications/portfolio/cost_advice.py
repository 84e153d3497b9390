"""Advice where nothing is traded: costs are set against the returns of one period."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridmip.model.quadratic import Vector

if TYPE_CHECKING:
    from hybridmip.applications.portfolio.portfolio import Portfolio

#: For how many periods a position is held in the example.
PERIODS_HELD = 20


def costs_count(portfolio: Portfolio) -> bool:
    """Whether costs of trades bear on which portfolio is best, or on which is allowed."""
    of_objective = portfolio.cost_weight > 0 or portfolio.objective in ("utility", "sharpe")
    return (of_objective or portfolio.target_return is not None) and _dearest(portfolio) > 0


def advice_on_costs(portfolio: Portfolio) -> str:
    """What to do where costs may have prevented every trade."""
    cost = 100 * _dearest(portfolio)
    return (
        "nothing is traded at these costs, which count in full against the returns of one period; divide them by the "
        f"periods that a position is held: {cost:.4g} % over {PERIODS_HELD} periods is {cost / PERIODS_HELD:.4g} %"
    )


def advice_at(portfolio: Portfolio, weights: Vector) -> str:
    """The advice where something is held, costs count and nothing is traded; else empty."""
    idle = bool(portfolio.current.any()) and portfolio.trading.turnover(weights) == 0.0
    return advice_on_costs(portfolio) if idle and costs_count(portfolio) else ""


def _dearest(portfolio: Portfolio) -> float:
    """What a trade of weight 1 costs at most, or where that is nothing, any trade."""
    trading = portfolio.trading
    each = max(float(trading.buying.max(initial=0.0)), float(trading.selling.max(initial=0.0)))
    return each or float(trading.fixed.max(initial=0.0))
