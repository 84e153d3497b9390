"""The answer of a portfolio: weights, return, risk."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hybridmip.applications.portfolio.allocation import Allocation, allocate
from hybridmip.applications.portfolio.cost_advice import advice_at
from hybridmip.errors import ArgumentError
from hybridmip.model.quadratic import Vector
from hybridmip.notebook import card
from hybridmip.run.words import CLOSED, advice, gap_in_words, result_lines, risk_gap, risk_gap_in_words

if TYPE_CHECKING:
    import pandas as pd

    from hybridmip.applications.portfolio.portfolio import Portfolio
    from hybridmip.run.result import Result

#: A weight below this share of the budget is rounding: such an asset is not shown as held.
NEGLIGIBLE_WEIGHT = 1e-9
#: Below this share of what it would be without diversification, a variance is rounding and has no shares.
NEGLIGIBLE_VARIANCE = 1e-12
#: What the value of the objective is.
OBJECTIVE_NAMES = {
    "variance": "variance", "utility": "negative utility", "tracking": "tracking variance",
    "sharpe": "1 / Sharpe ratio squared",
}  # fmt: skip
#: Weights that the text of a `PortfolioResult` lists.
WEIGHTS_SHOWN = 10


class PerYear(NamedTuple):
    """What a portfolio is worth per year: the mean return times the periods, deviations times their square root."""

    expected_return: float
    risk: float
    tracking_error: float
    sharpe_ratio: float


@dataclass(frozen=True, eq=False, repr=False)
class PortfolioResult:
    """Weights with the assets' names, and what they are worth.

    Attributes
    ----------
    portfolio : Portfolio
        What was asked.
    x : ndarray
        Weight of every asset, in the portfolio's order.
    b : tuple of bool
        Whether each asset is selected; one that is may have weight 0.
    result : Result, optional
        The answer of the solver, with its bound.

    Examples
    --------
    >>> import hybridmip as hm
    >>> portfolio = hm.market(assets=12, seed=1).portfolio(assets=4, min_weight=0.05)
    >>> answer = portfolio.solve()
    >>> answer.table().round(4)
            weight  expected_return  risk_contribution
    asset
    ENER03  0.4363           0.0022             0.4363
    BANK05  0.2228           0.0034             0.2228
    BANK02  0.1842           0.0028             0.1842
    ENER01  0.1567           0.0020             0.1567
    >>> round(answer.risk, 6), round(answer.expected_return, 6)
    (0.021567, 0.002534)
    """

    portfolio: Portfolio
    x: Vector
    b: tuple[bool, ...]
    result: Result | None = None

    def __repr__(self) -> str:
        held = self._held()
        shown = [f"{self.portfolio.names[i]} {100 * self.x[i]:.4g} %" for i in held[:3]]
        if len(held) > len(shown):
            shown.append(f"{len(held) - len(shown)} more")
        return (
            f"<PortfolioResult: {len(held)} of {self.portfolio.n} assets, "
            f"expected return {100 * self.expected_return:.4g} %, risk {100 * self.risk:.4g} %: {', '.join(shown)}>"
        )

    def __str__(self) -> str:
        held = self._held()
        names = [self.portfolio.names[i] for i in held[:WEIGHTS_SHOWN]]
        width = max((len(name) for name in names), default=0)
        lines = [
            f"{len(held)} of {self.portfolio.n} assets, expected return {100 * self.expected_return:.4g} %, "
            f"risk {100 * self.risk:.4g} % per period",
            *(f"  {name:{width}}  {100 * self.x[i]:7.2f} %" for name, i in zip(names, held, strict=False)),
        ]
        if len(held) > len(names):
            rest = held[len(names) :]
            lines.append(f"  {len(rest)} more, {100 * self.x[rest].sum():.2f} % together")
        if self.idle:
            lines.append(f"  {len(self.idle)} more selected at weight 0")
        if self.portfolio.trading.matters:
            count = len(self.trades)
            lines.append(
                f"{count} trade{'' if count == 1 else 's'}, turnover {100 * self.turnover:.4g} %, "
                f"cost {100 * self.cost:.4g} % (net return {100 * self.net_return:.4g} %)"
            )
        if advice_at(self.portfolio, self.x):
            lines.append(advice_at(self.portfolio, self.x))
        if self.portfolio.benchmark is not None:
            lines.append(f"tracking error {100 * self.tracking_error:.4g} % per period")
        if self.portfolio.objective == "sharpe":
            lines.append(f"Sharpe ratio {self.sharpe_ratio:.4g} per period")
        if self.result is not None:
            found = self.result
            lines.append(f"gap: {gap_in_words(found.objective, found.bound, found.status == 'optimal', found.gap)}")
            if advice(found.suggested_time_limit):
                lines.append(advice(found.suggested_time_limit))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """What a notebook shows: how good it is, return and risk, and the weights, largest first."""
        facts: list[tuple[str, object]] = [
            ("assets", f"{len(self._held())} of {self.portfolio.n}"),
            ("expected return", f"{100 * self.expected_return:.4g} % per period"),
            ("risk", f"{100 * self.risk:.4g} % per period (standard deviation)"),
        ]
        if self.portfolio.trading.matters:
            facts += [("turnover", f"{100 * self.turnover:.4g} %"), ("cost", f"{100 * self.cost:.4g} %")]
        if self.portfolio.benchmark is not None:
            facts.append(("tracking error", f"{100 * self.tracking_error:.4g} % per period"))
        if self.portfolio.objective == "sharpe":
            facts.append(("sharpe ratio", f"{self.sharpe_ratio:.4g} per period"))
        help_ = ""
        if self.result is not None:
            facts += result_lines(self.result, True, OBJECTIVE_NAMES[self.portfolio.objective])
            if CLOSED < self.risk_gap < math.inf:
                facts.append(("risk gap", risk_gap_in_words(self.risk_gap)))
            help_ = advice(self.result.suggested_time_limit)
        shown = {"weight": 2, "expected_return": 3, "risk_contribution": 1, "trade": 2, "cost": 3}
        table = self.table()
        rows = (
            [
                str(name),
                *(
                    f"{100 * row[key]:.{shown[key]}f} %" if key in shown and math.isfinite(row[key])
                    else "-" if key in shown else row[key]
                    for key in table.columns
                ),
            ]
            for name, row in table.iterrows()
        )  # fmt: skip
        columns = ["asset", *(str(key).replace("_", " ") for key in table.columns)]
        return card("Portfolio", facts, help_, columns, rows)

    @property
    def expected_return(self) -> float:
        """Return of the portfolio per period."""
        return self.portfolio.expected_return(self.x)

    @property
    def risk_bound(self) -> float:
        """Risk below which no portfolio with these rules is, proven; 0 where that is not known.

        Only where the objective is the variance alone.
        """
        plain = self.portfolio.objective == "variance" and not self.portfolio.cost_weight
        known = plain and self.result is not None and self.result.bound > 0
        return math.sqrt(self.result.bound) if known and self.result is not None else 0.0

    @property
    def risk_gap(self) -> float:
        """The gap in terms of risk (volatility): (risk - risk_bound) / risk; infinite where no bound is known."""
        return risk_gap(self.variance, self.risk_bound**2)

    @property
    def net_return(self) -> float:
        """Expected return less the costs of trading."""
        return self.expected_return - self.cost

    @property
    def cost(self) -> float:
        """What the trades cost, as a return per period."""
        return self.portfolio.trading.cost(self.x)

    @property
    def turnover(self) -> float:
        """Sum of what is bought and sold."""
        return self.portfolio.trading.turnover(self.x)

    @property
    def tracking_error(self) -> float:
        """Standard deviation of the difference to the benchmark; NaN without one."""
        benchmark = self.portfolio.benchmark
        if benchmark is None:
            return float("nan")
        return float(np.sqrt(max(self.variance - 2 * float(benchmark.covariance @ self.x) + benchmark.variance, 0.0)))

    @property
    def sharpe_ratio(self) -> float:
        """Expected return after costs above the risk-free one, per unit of risk; NaN without risk."""
        excess = self.net_return - self.portfolio.risk_free * self.portfolio.budget
        return excess / self.risk if self.risk > 0 else float("nan")

    def per_year(self, periods: float) -> PerYear:
        """Return, risk, tracking error and Sharpe ratio per year, for returns that do not depend on those before.

        Parameters
        ----------
        periods : float
            How many periods of the data make a year: 252 for days of trading, 52 for weeks, 12 for months. Returns are
            multiplied by it and not compounded.

        Examples
        --------
        >>> import hybridmip as hm
        >>> portfolio = hm.market(assets=12, seed=1).portfolio(assets=4, min_weight=0.05)
        >>> yearly = portfolio.solve().per_year(52)
        >>> round(yearly.expected_return, 4), round(yearly.risk, 4)
        (0.1318, 0.1555)
        """
        if not 0 < periods < np.inf:
            raise ArgumentError(f"periods is {periods!r}; give a positive number such as 252, 52 or 12")
        root = float(np.sqrt(periods))
        return PerYear(
            periods * self.expected_return, root * self.risk, root * self.tracking_error, root * self.sharpe_ratio
        )

    @property
    def trades(self) -> pd.Series[float]:
        """What is bought (positive) and sold, by name, largest first."""
        import pandas as pd  # 0.3 s, for who asks for a table

        change = self.portfolio.trading.trades(self.x)
        order = np.argsort(-np.abs(change), kind="stable")
        moved = order[change[order] != 0.0]
        labels = [self.portfolio.names[i] for i in moved]
        return pd.Series(change[moved], index=pd.Index(labels, name="asset", dtype=object), name="trade")

    def allocate(self, prices: Any, value: float, lot: int = 1) -> Allocation:
        """Whole lots of shares nearest to the weights, for a sum of money; see `Allocation`.

        Parameters
        ----------
        prices : array_like (n,), Series or dict
            Price of a share of each asset.
        value : float
            What the whole portfolio is worth.
        lot : int
            Shares that are traded together.

        Examples
        --------
        >>> import hybridmip as hm
        >>> market = hm.market(assets=12, seed=1)
        >>> answer = market.portfolio(assets=4, min_weight=0.05).solve()
        >>> bought = answer.allocate(market.prices().iloc[-1], value=10_000)
        >>> bought.table()["shares"].to_dict()
        {'BANK02': 9, 'BANK05': 3, 'ENER01': 36, 'ENER03': 74}
        """
        return allocate(self, prices, value, lot)

    @property
    def variance(self) -> float:
        """Variance of the portfolio per period."""
        return self.portfolio.variance(self.x)

    @property
    def risk(self) -> float:
        """Standard deviation of the portfolio per period."""
        return float(np.sqrt(max(self.variance, 0.0)))

    @property
    def weights(self) -> pd.Series[float]:
        """Weights of the assets held, by name, largest first; what is only rounding is left out."""
        import pandas as pd  # 0.3 s, for who asks for a table

        held = self._held()
        labels = [self.portfolio.names[i] for i in held]
        return pd.Series(self.x[held], index=pd.Index(labels, name="asset", dtype=object), name="weight")

    @property
    def idle(self) -> tuple[str, ...]:
        """Names of the assets that are selected, hence counted, but have weight 0."""
        negligible = self._negligible()
        return tuple(
            name for name, b, x in zip(self.portfolio.names, self.b, self.x, strict=True) if b and abs(x) <= negligible
        )

    def table(self) -> pd.DataFrame:
        """One row per asset held, largest weight first.

        Columns: `weight`, `expected_return` of the asset, `risk_contribution` (its share of the
        portfolio's variance; the shares add up to 1; NaN if the variance is 0 but for rounding), `trade` and `cost`
        where trading matters and, if there are groups, `group`.
        """
        held = self._held()
        covariance, variance = self.portfolio.covariance, self.variance
        undiversified = float(np.abs(self.x) @ np.sqrt(np.maximum(covariance.diagonal(), 0.0))) ** 2
        if variance > NEGLIGIBLE_VARIANCE * undiversified:
            shares = self.x * covariance.matvec(self.x) / variance
        else:
            shares = np.full(self.portfolio.n, np.nan)
        table = self.weights.to_frame()
        table["expected_return"] = self.portfolio.returns[held]
        table["risk_contribution"] = shares[held]
        trading = self.portfolio.trading
        if trading.matters:
            table["trade"], table["cost"] = trading.trades(self.x)[held], trading.cost_of_each(self.x)[held]
        if self.portfolio.groups:
            belongs: list[list[str]] = [[] for _ in self.portfolio.names]
            for name, members in self.portfolio.members.items():
                for i in members:
                    belongs[i].append(name)
            table["group"] = [", ".join(belongs[i]) for i in held]
        return table

    def _held(self) -> NDArray[np.intp]:
        order = np.argsort(-self.x, kind="stable")
        held: NDArray[np.intp] = order[np.abs(self.x[order]) > self._negligible()]
        return held

    def _negligible(self) -> float:
        """Up to this size a weight counts as 0."""
        return NEGLIGIBLE_WEIGHT * max(abs(self.portfolio.budget), float(np.abs(self.x).max(initial=0.0)))
