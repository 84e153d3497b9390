"""Portfolios with few assets as an estimator: returns in, weights out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from hybridmip.applications.portfolio import Benchmark, Portfolio
from hybridmip.errors import ArgumentError, HybridMIPError
from hybridmip.estimators.base import WITH_SKFOLIO, PortfolioEstimator
from hybridmip.estimators.holdings import Holdings, cost_rates
from hybridmip.estimators.moments import moments_of
from hybridmip.run.config import Config

#: Parameters that go to `Portfolio` as they are.
RULES = (
    "assets", "min_weight", "max_weight", "target_return", "return_sense", "budget", "groups", "objective",
    "risk_aversion", "risk_free", "trade_cost", "fixed_trade_cost", "cost_weight", "max_turnover", "min_trade",
    "max_trades", "max_gross", "max_short", "exposures", "constraints",
)  # fmt: skip
#: Parameters that go to `solve`.
SOLVING = ("time_limit", "gap", "seed", "config", "prove")
#: What `fit` leaves behind.
FITTED = ("weights_", "portfolio_", "answer_", "result_", "gap_", "prior_estimator_")
#: What messages of `Portfolio` call by another name.
SPELLING = {"current": "previous_weights"}


class SparsePortfolio(PortfolioEstimator):
    """The best portfolio with few assets, each either left out or held within limits.

    An estimator of scikit-learn; where skfolio is installed it is one of skfolio's optimisers, and `predict` gives
    skfolio's `Portfolio`. Parameters are checked in `fit`.

    Parameters
    ----------
    assets : int or (int or None, int or None), optional
        How many to hold: exactly so many, or between two numbers; None for any number.
    min_weight, max_weight : float, array_like (n,), Series or dict
        Limits of the weight of a held asset; an asset not held has weight 0.
    objective : {"variance", "utility", "tracking", "sharpe"}
        As of `hybridmip.Portfolio`.
    risk_aversion, risk_free : float
        For the utility, and for the Sharpe ratio (also that of `score`).
    target_return : float, optional
        Expected return of the portfolio per period, after costs.
    return_sense : {"equal", "at_least"}
        Whether the return is exactly the target, or that or more.
    budget : float
        What the weights add up to.
    groups : mapping of str to Group or dict, optional
        Limits on the counts and the weights of groups of assets.
    benchmark : array_like (n,), Series, dict or Benchmark, optional
        For objective="tracking": weights of the benchmark in the assets, or its covariances with them. Without it, the
        y of `fit` is the benchmark's returns.
    previous_weights : float, array_like (n,), Series or dict, optional
        Weights held before; nothing by default. They may be beyond the limits, as after prices have moved. Assets that
        X lacks are sold. skfolio's `cross_val_predict` sets it from window to window.
    trade_cost : float, array_like (n,), Series, dict, a pair or {"buy": ..., "sell": ...}
        What a trade of weight 1 costs, as a return per period (of X); a pair for buying and selling.
    fixed_trade_cost : float, array_like (n,), Series or dict
        What any trade of an asset costs beside that.
    cost_weight : float
        What a unit of cost counts where the objective is a variance or tracking.
    max_turnover, min_trade, max_trades, max_gross, max_short, exposures, constraints, exclude
        As of `hybridmip.Portfolio`.
    prior_estimator : object, optional
        Where expected returns and covariance are from: a prior of skfolio, or a covariance of scikit-learn such as
        `LedoitWolf()`. The sample's mean and covariance by default.
    time_limit, gap, seed, config, prove
        As of `hybridmip.solve`.
    portfolio_params, fallback, raise_on_failure
        As of skfolio's `BaseOptimization`; with skfolio only.

    Attributes
    ----------
    weights_ : ndarray (n,)
        Weight of every asset.
    answer_ : PortfolioResult
        The weights with the assets' names, return, risk, trades, costs.
    result_ : Result
        The solver's answer: status, bound, certificate.
    gap_ : float
        Relative gap between the answer and its bound.
    portfolio_ : Portfolio
        What was solved: the estimates and the rules.
    prior_estimator_ : object or None
        The fitted `prior_estimator`.
    n_features_in_ : int
        Number of assets.
    feature_names_in_ : ndarray of str
        Names of the assets, where X has some.

    Examples
    --------
    >>> import hybridmip as hm
    >>> from hybridmip.estimators import SparsePortfolio
    >>> returns = hm.market(assets=12, seed=1).returns()
    >>> model = SparsePortfolio(assets=4, min_weight=0.05).fit(returns)
    >>> model.answer_.weights.round(3).to_dict()
    {'ENER03': 0.419, 'BANK05': 0.276, 'ENER01': 0.201, 'BANK02': 0.103}
    """

    def __init__(
        self,
        assets: Any = None,
        *,
        min_weight: Any = 0.0,
        max_weight: Any = 1.0,
        objective: str = "variance",
        risk_aversion: float = 1.0,
        risk_free: float = 0.0,
        target_return: float | None = None,
        return_sense: str = "equal",
        budget: float = 1.0,
        groups: Mapping[str, Any] | None = None,
        benchmark: Any = None,
        previous_weights: Any = None,
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
        prior_estimator: Any = None,
        time_limit: float | None = None,
        gap: float | None = None,
        seed: int = 0,
        config: Config | None = None,
        prove: bool = False,
        portfolio_params: dict[str, Any] | None = None,
        fallback: Any = None,
        raise_on_failure: bool = True,
    ) -> None:
        self.assets = assets
        self.min_weight = min_weight
        self.max_weight = max_weight
        self.objective = objective
        self.risk_aversion = risk_aversion
        self.risk_free = risk_free
        self.target_return = target_return
        self.return_sense = return_sense
        self.budget = budget
        self.groups = groups
        self.benchmark = benchmark
        self.previous_weights = previous_weights
        self.trade_cost = trade_cost
        self.fixed_trade_cost = fixed_trade_cost
        self.cost_weight = cost_weight
        self.max_turnover = max_turnover
        self.min_trade = min_trade
        self.max_trades = max_trades
        self.max_gross = max_gross
        self.max_short = max_short
        self.exposures = exposures
        self.constraints = constraints
        self.exclude = exclude
        self.prior_estimator = prior_estimator
        self.time_limit = time_limit
        self.gap = gap
        self.seed = seed
        self.config = config
        self.prove = prove
        self.portfolio_params = portfolio_params
        self.fallback = fallback
        self.raise_on_failure = raise_on_failure

    def get_metadata_routing(self) -> Any:
        """What is handed on to the prior's `fit`, where scikit-learn's metadata routing is enabled."""
        return MetadataRouter(owner=type(self).__name__).add(
            prior_estimator=self.prior_estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit")
        )

    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> Self:
        """Estimate, and find the weights.

        Parameters
        ----------
        X : array_like or DataFrame (observations, assets)
            Returns of the assets.
        y : array_like (observations,), optional
            Returns of the benchmark, for objective="tracking"; factors, for a prior that wants them.
        **fit_params
            For the prior, by scikit-learn's metadata routing.

        Raises
        ------
        ArgumentError
            If a parameter is out of its range, or two of them contradict each other.
        ProblemError
            If no portfolio satisfies every rule, or none was found in time.

        Examples
        --------
        >>> import hybridmip as hm
        >>> from hybridmip.estimators import SparsePortfolio
        >>> returns = hm.market(assets=12, seed=1).returns()
        >>> model = SparsePortfolio(assets=4).fit(returns.iloc[:400])
        >>> int((model.weights_ > 1e-9).sum()), model.gap_ < 1e-6
        (4, True)
        """
        for name in FITTED:
            self.__dict__.pop(name, None)
        if not WITH_SKFOLIO:
            self.check_base()
        routed = process_routing(self, "fit", **fit_params)
        moments = moments_of(self, X, y, self.prior_estimator, routed.prior_estimator.fit)
        self.prior_estimator_ = moments.prior
        names = self._names()
        try:
            self.portfolio_ = Portfolio(
                moments.mean, moments.covariance, names=names, benchmark=self._benchmark(X, y),
                current=self._holdings().rounded(self.min_weight, self.max_weight, names), drifted=True,
                exclude=self._excluded([name for name, known in zip(names, moments.known, strict=True) if not known]),
                **{name: getattr(self, name) for name in RULES},
            )  # fmt: skip
            answer = self.portfolio_.solve(**{name: getattr(self, name) for name in SOLVING})
        except HybridMIPError as error:
            raise error.spelled(SPELLING) from None
        assert answer.result is not None  # of `solve`
        self.answer_, self.result_, self.gap_ = answer, answer.result, answer.result.gap
        self.weights_ = np.array(answer.x)
        return self

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        """`fit`, then `predict`, on the same X."""
        return self.fit(X, y).predict(X)

    @property
    def needs_previous_weights(self) -> bool:
        """Whether `previous_weights` change the answer: skfolio then hands them on from window to window."""
        limits = self.max_turnover is not None or self.max_trades is not None
        if limits or any(map(_something, (self.trade_cost, self.fixed_trade_cost, self.min_trade))):
            return True
        return bool(getattr(super(), "needs_previous_weights", False))  # skfolio's: for drift, or a fallback

    @property
    def risk_free_rate(self) -> float:
        """What skfolio calls `risk_free`."""
        return self.risk_free

    @property
    def transaction_costs(self) -> Any:
        """What skfolio's portfolios are charged per unit traded: what the trades of `fit` cost, fixed costs included.

        A dict by name where X has names, else one for each asset; None before `fit`.
        """
        if getattr(self, "weights_", None) is None:
            return None
        rates, gone = self._cost_rates()
        if not hasattr(self, "feature_names_in_"):
            return rates
        return {**dict(zip(self._names(), rates.tolist(), strict=True)), **gone}

    @property
    def trade_cost_paid(self) -> float:
        """What the trades from `previous_weights` to `weights_` cost, as a return per period."""
        rates, gone = self._cost_rates()
        holdings = self._holdings()
        sold = sum(rate * abs(holdings.gone[name]) for name, rate in gone.items())
        return float(rates @ np.abs(self.weights_ - holdings.current)) + sold

    def _cost_rates(self) -> tuple[Any, dict[str, float]]:
        return cost_rates(self.weights_, self._holdings(), self.trade_cost, self.fixed_trade_cost, self._names())

    def _names(self) -> tuple[str, ...]:
        if hasattr(self, "feature_names_in_"):
            return tuple(str(name) for name in self.feature_names_in_)
        return tuple(f"asset{i + 1}" for i in range(self.n_features_in_))

    def _holdings(self) -> Holdings:
        return Holdings.of(self.previous_weights, self._names(), hasattr(self, "feature_names_in_"))

    def _excluded(self, unknown: list[str]) -> Any:
        """Assets that are not to be held: those of the parameter, and those without an estimate."""
        if not unknown or isinstance(self.exclude, str):
            return self.exclude
        return [*(self.exclude or ()), *unknown]

    def _benchmark(self, X: Any, y: Any) -> Any:
        """The parameter; for tracking, what y and X say where there is none."""
        if self.benchmark is not None or self.objective != "tracking" or y is None:
            return self.benchmark
        returns = np.asarray(y, dtype=np.float64)
        if returns.ndim == 2 and returns.shape[1] == 1:
            returns = returns[:, 0]
        if returns.ndim != 1:
            raise ArgumentError(
                f"y has shape {returns.shape}; for objective='tracking' it is the returns of the benchmark, a vector"
            )
        return Benchmark.from_returns(returns, np.asarray(X, dtype=np.float64))


def _something(cost: Any) -> bool:
    """Whether a cost is not nothing: a number, an array, a dict or pairs of them."""
    if isinstance(cost, Mapping):
        return any(map(_something, cost.values()))
    if isinstance(cost, tuple | list):
        return any(map(_something, cost))
    try:
        return bool(np.any(np.asarray(cost, dtype=np.float64) != 0.0))
    except (TypeError, ValueError):  # what it is, `fit` says
        return True
