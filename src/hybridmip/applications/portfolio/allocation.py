"""Weights as whole shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from hybridmip.applications.arguments import number, whole
from hybridmip.applications.portfolio.checks import checked_weights
from hybridmip.engines.highs import LinearModel
from hybridmip.errors import Argument, ArgumentError, EngineError
from hybridmip.model.quadratic import Vector

if TYPE_CHECKING:
    import pandas as pd

    from hybridmip.applications.portfolio.result import PortfolioResult

PRICES = Argument("prices")
#: Seconds for the small MILP; the best so far is taken then.
TIME_LIMIT = 5.0


@dataclass(frozen=True, eq=False)
class Allocation:
    """Shares of every asset, and the money that is left.

    Attributes
    ----------
    names : tuple of str
    shares : ndarray of int
        Negative where an asset is short.
    prices, weights : ndarray
        Price of a share, and the weight that it comes to.
    left : float
        Money that no whole lot could be bought for.

    Examples
    --------
    >>> import hybridmip as hm
    >>> market = hm.market(assets=12, seed=1)
    >>> answer = market.portfolio(assets=4, min_weight=0.05).solve()
    >>> bought = answer.allocate(market.prices().iloc[-1], value=10_000)
    >>> bought.left >= 0, list(bought.table().columns)
    (True, ['shares', 'price', 'value', 'weight'])
    """

    names: tuple[str, ...]
    shares: Vector
    prices: Vector
    weights: Vector
    left: float

    def table(self) -> pd.DataFrame:
        """One row per asset held: `shares`, `price`, `value`, `weight`."""
        import pandas as pd  # 0.3 s, for who asks for a table

        held = np.flatnonzero(self.shares)
        index = pd.Index([self.names[i] for i in held], name="asset", dtype=object)
        columns = {
            "shares": self.shares[held].astype(np.int64), "price": self.prices[held],
            "value": self.shares[held] * self.prices[held], "weight": self.weights[held],
        }  # fmt: skip
        return pd.DataFrame(columns, index=index)


def allocate(found: PortfolioResult, prices: Any, value: float, lot: int) -> Allocation:
    """The whole lots whose values are nearest to the weights in sum, for no more than the money there is."""
    portfolio = found.portfolio
    price = checked_weights(PRICES, prices, portfolio.names, np.nan if isinstance(prices, dict) else 0.0)
    money, size = number("value", value), whole("lot", lot, 1)
    if not money > 0:
        raise ArgumentError(f"value is {money:g}; it must be a positive sum of money")
    held = np.flatnonzero(found.x)
    for i in held:
        if not price[i] > 0:
            raise ArgumentError(PRICES, f" of {portfolio.names[i]} is {price[i]:g}; it must be positive")
    # Variables: lots, and what their value is off the wanted one by.
    wanted, unit = money * found.x[held] / portfolio.budget, size * price[held]
    n = held.size
    nearest = np.floor(wanted / unit)
    scale = 1.0 / money
    eye = sparse.eye_array(n)
    lots = scale * sparse.diags_array(unit)
    rows = sparse.csr_array(
        sparse.vstack([
            sparse.hstack([sparse.csr_array(scale * unit[None, :]), sparse.csr_array((1, n))]),
            sparse.hstack([lots, eye]), sparse.hstack([lots, -eye]),
        ])
    )  # fmt: skip
    free = np.full(n, np.inf)
    model = LinearModel(
        np.concatenate([np.zeros(n), np.ones(n)]), rows,
        np.concatenate([[-np.inf], scale * wanted, -free]), np.concatenate([[1.0], free, scale * wanted]),
        np.concatenate([nearest, np.zeros(n)]), np.concatenate([nearest + 1, free]),
        integer=np.concatenate([np.ones(n, dtype=bool), np.zeros(n, dtype=bool)]),
    )  # fmt: skip
    answer = model.solve(TIME_LIMIT)
    if answer.x is None:
        raise EngineError(f"HiGHS found no whole shares ({answer.status}); give a larger value")
    shares = np.zeros(portfolio.n)
    shares[held] = size * np.round(answer.x[:n])
    clean = np.where(np.isfinite(price), price, 0.0)
    return Allocation(
        portfolio.names, shares, clean, shares * clean / money * portfolio.budget, money - float(shares @ clean)
    )
