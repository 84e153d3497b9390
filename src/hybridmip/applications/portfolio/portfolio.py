"""Portfolio selection: which assets to hold and how much of each, at the least variance.

minimise    x'Vx   (or the negative utility, the variance of the difference to a benchmark, or of a scaled portfolio)
subject to  sum x = budget,   returns'x = target_return   (or >=)
            assets held within a count;  counts and weights of groups within limits
            a held asset's weight within [min_weight, max_weight], any other's 0
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hybridmip.applications.arguments import at_least_zero, number, whole
from hybridmip.applications.portfolio import return_range, sharpe
from hybridmip.applications.portfolio.benchmark import Benchmark, checked_benchmark
from hybridmip.applications.portfolio.checks import (
    ASSETS,
    AssetCount,
    by_name,
    checked_count,
    checked_covariance,
    checked_names,
    checked_returns,
    checked_weights,
)
from hybridmip.applications.portfolio.groups import Group, checked_groups
from hybridmip.applications.portfolio.modes import Modes, modes_of
from hybridmip.applications.portfolio.program import build
from hybridmip.applications.portfolio.result import PortfolioResult
from hybridmip.applications.portfolio.rows import Limited, checked_rows
from hybridmip.applications.portfolio.trading import (
    CURRENT,
    FIXED_COST,
    MIN_TRADE,
    Trading,
    both_ways,
    check_holdings,
    not_negative,
    warn_of_costs,
)
from hybridmip.errors import Argument, ArgumentError, ProblemError
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import QuadraticForm, Vector, frozen

if TYPE_CHECKING:
    from hybridmip.run.result import Result

#: Sums of limits may pass the budget by this share of it: 10 * 0.1 is not exactly 1 in floating point.
BUDGET_TOLERANCE = 1e-9
RETURN_SENSES = ("equal", "at_least")
#: Arguments beyond the plain portfolio.
LATER = (
    "objective", "risk_aversion", "risk_free", "benchmark", "current", "trade_cost", "fixed_trade_cost", "cost_weight",
    "max_turnover", "min_trade", "max_trades", "max_gross", "max_short", "exposures", "constraints", "exclude",
    "drifted",
)  # fmt: skip
OBJECTIVES = ("variance", "utility", "tracking", "sharpe")
#: Arguments that messages name.
MIN_WEIGHT, MAX_WEIGHT = Argument("min_weight"), Argument("max_weight")


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Portfolio:
    """A portfolio with few assets, each either left out or held within limits.

    Parameters
    ----------
    returns : array_like (n,) or pandas Series
        Expected return of each asset per period. The index of a Series names the assets.
    covariance : array_like (n, n) or (n,), DataFrame, scipy sparse matrix or FactorModel
        Covariance of the returns; a vector stands for a diagonal. A DataFrame is matched to the
        returns by name.
    names : sequence of str, optional
        Names of the assets in order; those of `returns` or `covariance`, else asset1, asset2, ...
    assets : int or (int or None, int or None), optional
        How many to hold: exactly so many, or between two numbers; None for any number.
    min_weight, max_weight : float, array_like (n,), Series or dict
        Limits of the weight of a held asset; an asset not held has weight 0. A negative min_weight
        allows short positions. A dict gives some assets limits of their own; the others keep 0 and 1.
    target_return : float, optional
        Return of the portfolio, in the units of `returns` (times the budget).
    return_sense : {"equal", "at_least"}
        Whether the return is exactly the target, or that or more.
    budget : float
        What the weights add up to.
    groups : mapping of str to Group or dict, optional
        Limits on the counts and the weights of groups of assets, which may overlap.
    objective : {"variance", "utility", "tracking", "sharpe"}
        What is best: the least variance; the largest expected return less `risk_aversion` times the variance; the least
        variance of the difference to `benchmark`; the largest ratio of the expected return above `risk_free` to the
        risk.
    risk_aversion, risk_free : float
        For the utility, and for the Sharpe ratio (a return per period).
    benchmark : array_like (n,), Series, dict or Benchmark, optional
        Weights of the benchmark in the assets, or its covariances with them.
    current : array_like (n,), Series or dict, optional
        Weights held today, such as the `weights` of an earlier answer; nothing by default.
    trade_cost : float, array_like (n,), Series, dict, a pair or {"buy": ..., "sell": ...}
        What a trade of weight 1 costs, as a return per period; a pair for buying and selling. It is set against the
        returns of one period: for positions held over 20 periods give a twentieth of what is paid.
    fixed_trade_cost : float, array_like (n,), Series or dict
        What any trade of an asset costs beside that, likewise: a ticket of 5 on a portfolio of 100,000 is 0.00005, over
        20 periods 0.0000025. Costs lower the expected return wherever it counts.
    cost_weight : float
        What a unit of cost counts where the objective is a variance or tracking.
    max_turnover : float, optional
        Most that is bought and sold together, as a sum of weights.
    min_trade : float, array_like (n,), Series or dict
        Smallest trade of an asset.
    max_trades : int, optional
        Most assets that are traded.
    max_gross, max_short : float, optional
        Most that the sizes of all weights, and of the negative ones, add up to.
    exposures, constraints : mapping of str to (coefficients, lowest, highest), optional
        Limits on exposures to factors, and any further rows on the weights; None for no limit.
    exclude : sequence of str, optional
        Names of assets that are not to be held; what is held of them today is sold.
    drifted : bool
        Whether `current` may be beyond the limits of the weights, as after prices have moved; such an asset is traded
        until it is within them, or sold. Without it that is an error.

    Raises
    ------
    ArgumentError
        If an option is out of its range, or two of them contradict each other.
    ProblemError
        If the data are not finite, their shapes disagree, or the covariance is not symmetric
        positive semidefinite.

    Examples
    --------
    >>> import hybridmip as hm
    >>> portfolio = hm.Portfolio(
    ...     returns=[0.010, 0.012, 0.008, 0.015], covariance=[0.10, 0.12, 0.08, 0.20],
    ...     names=["Oak", "Elm", "Ash", "Fir"], assets=2, min_weight=0.1, target_return=0.010, return_sense="at_least",
    ... )
    >>> print(portfolio.solve())
    2 of 4 assets, expected return 1 %, risk 22.36 % per period
      Ash    50.00 %
      Elm    50.00 %
    gap: proven optimal
    """

    returns: Vector
    covariance: QuadraticForm
    names: tuple[str, ...]
    assets: AssetCount | None
    min_weight: Vector
    max_weight: Vector
    target_return: float | None
    return_sense: str
    budget: float
    groups: Mapping[str, Group]
    objective: str
    risk_aversion: float
    risk_free: float
    benchmark: Benchmark | None
    current: Vector
    trade_cost: tuple[Vector, Vector]
    fixed_trade_cost: Vector
    cost_weight: float
    max_turnover: float | None
    min_trade: Vector
    max_trades: int | None
    max_gross: float | None
    max_short: float | None
    exposures: Mapping[str, Limited]
    constraints: Mapping[str, Limited]
    exclude: tuple[str, ...]
    drifted: bool

    def __init__(
        self,
        returns: Any,
        covariance: Any,
        *,
        names: Sequence[str] | None = None,
        assets: AssetCount | None = None,
        min_weight: Any = 0.0,
        max_weight: Any = 1.0,
        target_return: float | None = None,
        return_sense: str = "equal",
        budget: float = 1.0,
        groups: Mapping[str, Group | Mapping[str, Any]] | None = None,
        objective: str = "variance",
        risk_aversion: float = 1.0,
        risk_free: float = 0.0,
        benchmark: Any = None,
        current: Any = None,
        trade_cost: Any = 0.0,
        fixed_trade_cost: Any = 0.0,
        cost_weight: float = 0.0,
        max_turnover: float | None = None,
        min_trade: Any = 0.0,
        max_trades: int | None = None,
        max_gross: float | None = None,
        max_short: float | None = None,
        exposures: Mapping[str, Any] | None = None,
        constraints: Mapping[str, Any] | None = None,
        exclude: Sequence[str] | None = None,
        drifted: bool = False,
    ) -> None:
        known, mean = checked_returns(returns, names, covariance)
        n = len(mean)
        if return_sense not in RETURN_SENSES:
            raise ArgumentError(f"return_sense is {return_sense!r}; it must be 'equal' or 'at_least'")
        values: dict[str, Any] = {
            "returns": mean,
            "covariance": checked_covariance(covariance, known, n),
            "names": known,
            "assets": checked_count(assets, n),
            "min_weight": checked_weights(MIN_WEIGHT, min_weight, known, 0.0),
            "max_weight": checked_weights(MAX_WEIGHT, max_weight, known, 1.0),
            "target_return": None if target_return is None else number("target_return", target_return),
            "return_sense": return_sense,
            "budget": number("budget", budget),
            "groups": {},
            "objective": objective,
            "risk_aversion": at_least_zero("risk_aversion", risk_aversion),
            "risk_free": number("risk_free", risk_free),
            "cost_weight": at_least_zero("cost_weight", cost_weight),
            "max_turnover": None if max_turnover is None else at_least_zero("max_turnover", max_turnover),
            "max_trades": None if max_trades is None else whole("max_trades", max_trades, 0),
            "current": checked_weights(CURRENT, 0.0 if current is None else by_name(CURRENT, current), known, 0.0),
            "trade_cost": both_ways(trade_cost, known),
            "fixed_trade_cost": not_negative(FIXED_COST, fixed_trade_cost, known),
            "min_trade": not_negative(MIN_TRADE, min_trade, known),
            "max_gross": None if max_gross is None else at_least_zero("max_gross", max_gross),
            "max_short": None if max_short is None else at_least_zero("max_short", max_short),
            "exposures": checked_rows("exposures", exposures, known),
            "constraints": checked_rows("constraints", constraints, known),
            "exclude": checked_names("exclude", exclude, known),
            "drifted": bool(drifted),
        }
        out = np.isin(known, values["exclude"])
        for limit in ("min_weight", "max_weight"):
            values[limit] = frozen(np.where(out, 0.0, values[limit]))
        if objective not in OBJECTIVES:
            raise ArgumentError(f"objective is {objective!r}; choose from {', '.join(OBJECTIVES)}")
        if (benchmark is None) == (objective == "tracking"):
            tracking, followed = Argument("objective='tracking'"), Argument("benchmark")
            if benchmark is None:
                raise ArgumentError(tracking, " needs the weights of what is followed; give ", followed)
            raise ArgumentError(followed, " is followed only with ", tracking, "; give both or neither")
        values["benchmark"] = (
            None if benchmark is None else checked_benchmark(benchmark, known, mean, values["covariance"])
        )
        for name, value in values.items():
            object.__setattr__(self, name, value)
        self._check_weights()
        if not self.drifted:
            check_holdings(self.trading, self.names, self.min_weight, self.max_weight, out)
        warn_of_costs(self.trading, self.names)
        object.__setattr__(self, "groups", checked_groups(groups, known, self.count_range[1]))

    def __repr__(self) -> str:
        target = "" if self.target_return is None else f", target_return={self.target_return:g}"
        return f"<Portfolio of {self.n} candidates, assets={self.assets}{target}>"

    @property
    def n(self) -> int:
        """Number of assets to choose from."""
        return len(self.names)

    @property
    def count_range(self) -> tuple[int, int]:
        """Fewest and most assets that may be held."""
        if self.assets is None:
            return 0, self.n
        if isinstance(self.assets, int):
            return self.assets, self.assets
        low, high = self.assets
        return 0 if low is None else low, self.n if high is None else high

    @cached_property
    def members(self) -> dict[str, NDArray[np.intp]]:
        """Positions of each group's members."""
        place = {name: i for i, name in enumerate(self.names)}
        return {
            name: np.array([place[str(member)] for member in group.members], dtype=np.intp)
            for name, group in self.groups.items()
        }

    @cached_property
    def modes(self) -> Modes:
        """The ways in which each asset can be held: one, unless trades or signs are told apart."""
        return modes_of(self)

    @cached_property
    def trading(self) -> Trading:
        """Holdings, and what changing them costs."""
        return Trading(
            self.current, *self.trade_cost, self.fixed_trade_cost, self.min_trade, self.max_turnover, self.max_trades
        )

    def problem(self) -> Problem:
        """The mixed-integer program; its objective is the variance of the portfolio (or see `objective`).

        Rows are named "budget", "return", "turnover", "gross", "short", "weight of <group>", "exposure to <factor>",
        binary rows "assets", "trades" and "count of <group>"; x and b carry the names of the assets, with the mode
        where an asset has several ("AAA (sold)").

        Examples
        --------
        >>> import hybridmip as hm
        >>> portfolio = hm.market(assets=12, seed=1).portfolio(assets=4, min_weight=0.05)
        >>> problem = portfolio.problem()
        >>> problem.describe()
        'MIQP (factormodel Q): 12 continuous (12 switched), 12 binary, 1 rows, 1 binary rows'
        >>> problem.row_names, problem.b_row_names
        (('budget',), ('assets',))
        """
        if self.objective == "sharpe":
            return sharpe.build(self, self.modes)
        return build(self, self.modes)

    def solve(self, **options: Any) -> PortfolioResult:
        """Solve and read the answer; options as of `hybridmip.solve`.

        Raises
        ------
        ProblemError
            If no portfolio was found.

        Examples
        --------
        >>> import hybridmip as hm
        >>> portfolio = hm.market(assets=12, seed=1).portfolio(assets=4, min_weight=0.05)
        >>> answer = portfolio.solve()
        >>> answer.weights.round(3).to_dict()
        {'ENER03': 0.436, 'BANK05': 0.223, 'BANK02': 0.184, 'ENER01': 0.157}
        >>> round(answer.risk, 5), str(answer.result.status)
        (0.02157, 'optimal')
        """
        from hybridmip.run.solve import solve  # with Numba 0.5 s, which building a portfolio does not need

        result = solve(self.problem(), **options)
        if not result.has_solution:
            clash = f"these rules clash: {', '.join(result.clashing_rows)}; relax one of them"
            remedy = clash if result.clashing_rows else "relax a rule"
            if result.status != "infeasible":
                remedy = "give more time, or relax a rule"
            raise ProblemError(f"no portfolio was found (status {result.status}); {remedy}")
        return self.read(result)

    def with_target(self, target_return: float | None) -> Portfolio:
        """The same portfolio with another target return; None for no target.

        Examples
        --------
        >>> import hybridmip as hm
        >>> portfolio = hm.market(assets=12, seed=1).portfolio(assets=4, min_weight=0.05)
        >>> portfolio.with_target(0.002)
        <Portfolio of 12 candidates, assets=4, target_return=0.002>
        """
        value = None if target_return is None else number("target_return", target_return)
        _ = self.modes, self.trading, self.members  # which do not depend on it
        other = copy.copy(self)
        object.__setattr__(other, "target_return", value)
        return other

    def replace(self, **changes: Any) -> Portfolio:
        """The same portfolio with some arguments changed, checked anew.

        Examples
        --------
        >>> import hybridmip as hm
        >>> portfolio = hm.market(assets=12, seed=1).portfolio(assets=4, min_weight=0.05)
        >>> portfolio.replace(assets=(2, 5), max_weight=0.4)
        <Portfolio of 12 candidates, assets=(2, 5)>
        """
        arguments = {
            "names": self.names, "assets": self.assets, "min_weight": self.min_weight, "max_weight": self.max_weight,
            "target_return": self.target_return, "return_sense": self.return_sense, "budget": self.budget,
            "groups": self.groups or None,
            **{name: getattr(self, name) for name in LATER},
        }  # fmt: skip
        unknown = set(changes) - set(arguments) - {"returns", "covariance"}
        if unknown:
            raise ArgumentError(f"a portfolio has no {sorted(unknown)[0]!r}; choose from {', '.join(arguments)}")
        returns = changes.pop("returns", self.returns)
        return Portfolio(returns, changes.pop("covariance", self.covariance), **{**arguments, **changes})

    def expected_return(self, x: Any) -> float:
        """Expected return of the weights x.

        Examples
        --------
        >>> import hybridmip as hm
        >>> hm.Portfolio([0.01, 0.02], [[0.1, 0.0], [0.0, 0.3]]).expected_return([0.5, 0.5])
        0.015
        """
        return float(self.returns @ self._point(x))

    def portfolio_return(self, x: Any) -> float:
        """The older name of `expected_return`."""
        return self.expected_return(x)

    def variance(self, x: Any) -> float:
        """Variance of the weights x.

        Examples
        --------
        >>> import hybridmip as hm
        >>> hm.Portfolio([0.01, 0.02], [[0.1, 0.0], [0.0, 0.3]]).variance([0.5, 0.5])
        0.1
        """
        return self.covariance.value(self._point(x))

    def read(self, result: Result) -> PortfolioResult:
        """The answer of a solve of `problem()`, labelled.

        Raises
        ------
        ArgumentError
            If the result has no solution, or belongs to other assets.

        Examples
        --------
        >>> import hybridmip as hm
        >>> portfolio = hm.market(assets=12, seed=1).portfolio(assets=4, min_weight=0.05)
        >>> result = hm.solve(portfolio, seed=3)
        >>> answer = portfolio.read(result)
        >>> len(answer.weights), round(float(answer.weights.sum()), 9)
        (4, 1.0)
        """
        if result.x is None or result.b is None:
            raise ArgumentError(f"result has no solution (status {result.status}); ask has_solution first")
        modes = self.modes
        if tuple(result.problem.x_names[: modes.count]) != modes.names:
            raise ArgumentError("result is of other assets; read it with the portfolio that built the problem")
        held = np.zeros(self.n, dtype=bool)
        np.logical_or.at(held, modes.asset, result.b[: modes.count])
        return PortfolioResult(self, frozen(self.weights_at(result.x)), tuple(bool(b) for b in held), result)

    def weights_at(self, x: Vector) -> Vector:
        """Weight of every asset at a point of `problem()`, whose x are modes (or scaled) where there are several."""
        parts = sharpe.weights(self, x) if self.objective == "sharpe" else x
        weights = np.zeros(self.n)
        np.add.at(weights, self.modes.asset, parts[: self.modes.count])
        return weights

    def efficient_range(self) -> tuple[float, float]:
        """Returns between which an unrestricted frontier is efficient, lowest and highest.

        The lower end is the return of the least variance, the upper end the highest return, over
        sum x = budget and min(min_weight, 0) <= x <= max(max_weight, 0): no count, no minimum for a
        held asset, no group. Targets beyond the upper end have no portfolio, those below the lower
        end no reason.

        Examples
        --------
        >>> import hybridmip as hm
        >>> portfolio = hm.market(assets=12, seed=1).portfolio(assets=4, min_weight=0.05)
        >>> [round(end, 6) for end in portfolio.efficient_range()]
        [0.002315, 0.003489]
        """
        return return_range.efficient_range(self)

    def attainable_range(self, *, time_limit: float | None = None, seed: int = 0) -> tuple[float, float]:
        """Lowest and highest return of the portfolios that satisfy every rule but the target.

        Each end is the return of a portfolio that was found, so that it can be had; within the gap of
        `solve` there is none beyond it, unless the time limit ended the search.

        Parameters
        ----------
        time_limit : float, optional
            Seconds for both ends together.
        seed : int
            As for `solve`.

        Raises
        ------
        ProblemError
            If no portfolio was found.

        Examples
        --------
        >>> import hybridmip as hm
        >>> portfolio = hm.market(assets=12, seed=1).portfolio(assets=4, min_weight=0.05)
        >>> [round(end, 6) for end in portfolio.attainable_range()]
        [0.001491, 0.003418]
        """
        return return_range.attainable_range(self, time_limit, seed)

    def _point(self, x: Any) -> Vector:
        point = np.asarray(x, dtype=np.float64)
        if point.shape != (self.n,):
            raise ArgumentError(f"x has shape {point.shape}; it must be ({self.n},), one weight per asset")
        return point

    def _check_weights(self) -> None:
        """The limits of the weights, the count and the budget do not contradict each other."""
        above = np.flatnonzero(self.min_weight > self.max_weight)
        if above.size:
            i = int(above[0])
            raise ArgumentError(
                MIN_WEIGHT,
                f" of {self.names[i]} is {self.min_weight[i]:g}, above its ",
                MAX_WEIGHT,
                f" {self.max_weight[i]:g}; lower must not exceed upper",
            )
        whole_budget = max(1.0, self.budget)
        for i in map(int, np.flatnonzero(self.max_weight > whole_budget * (1 + BUDGET_TOLERANCE))):
            if (self.min_weight >= 0).all():
                raise ArgumentError(
                    MAX_WEIGHT,
                    f" of {self.names[i]} is {self.max_weight[i]:g}, more than the budget {self.budget:g}; weights are "
                    "shares of it: 0.3 for 30 %",
                )
        fewest, most = self.count_range
        slack = BUDGET_TOLERANCE * max(1.0, abs(self.budget))
        least = np.concatenate([[0.0], np.cumsum(np.sort(self.min_weight))])[fewest : most + 1]
        greatest = np.concatenate([[0.0], np.cumsum(np.sort(self.max_weight)[::-1])])[fewest : most + 1]
        if least.min() > self.budget + slack:
            sums = self._spell(MIN_WEIGHT, "smallest", self.min_weight, fewest + int(least.argmin()), least.min())
            raise ArgumentError(*sums, f" exceeds the budget {self.budget:g}; lower one of them")
        if greatest.max() < self.budget - slack:
            count = fewest + int(greatest.argmax())
            sums = self._spell(MAX_WEIGHT, "largest", self.max_weight, count, greatest.max())
            raise ArgumentError(*sums, f" is below the budget {self.budget:g}; raise one of them")

    def _spell(self, argument: Argument, which: str, limits: Vector, count: int, total: float) -> tuple[str, ...]:
        """How a sum of limits comes about: parts of a message."""
        if count and np.all(limits == limits[0]):
            return ASSETS, " * ", argument, f" = {count} * {limits[0]:g} = {total:g}"
        return f"the sum of the {count} {which} ", argument, f", {total:g},"
