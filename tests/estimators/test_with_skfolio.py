"""SparsePortfolio as one of skfolio's optimisers: priors, walks forward, populations, fallbacks, its own data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import hybridmip as hm
from hybridmip.errors import ArgumentError, ProblemError

pytest.importorskip("skfolio")

from skfolio import MultiPeriodPortfolio, Population
from skfolio import Portfolio as SkfolioPortfolio
from skfolio.datasets import load_sp500_dataset
from skfolio.model_selection import CombinatorialPurgedCV, WalkForward, cross_val_predict
from skfolio.moments import LedoitWolf, ShrunkMu
from skfolio.optimization import BaseOptimization, EqualWeighted, MeanRisk, ObjectiveFunction
from skfolio.portfolio import FailedPortfolio
from skfolio.pre_selection import SelectKExtremes
from skfolio.preprocessing import prices_to_returns
from skfolio.prior import EmpiricalPrior, TimeSeriesFactorModel
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from hybridmip.estimators import SparsePortfolio

#: Three years of the 20 stocks that skfolio brings with it.
STOCKS = prices_to_returns(load_sp500_dataset()).iloc[-756:]
QUARTERS = WalkForward(train_size=252, test_size=126)


def test_it_is_an_optimiser_of_skfolio() -> None:
    """Weights that skfolio's portfolio has, with the measures of the same weights by plain formulas."""
    estimator = SparsePortfolio(5, min_weight=0.05).fit(STOCKS)
    assert isinstance(estimator, BaseOptimization)
    portfolio = estimator.predict(STOCKS)
    assert isinstance(portfolio, SkfolioPortfolio)
    np.testing.assert_array_equal(portfolio.weights, estimator.weights_)
    own = STOCKS.to_numpy() @ estimator.weights_
    np.testing.assert_allclose(portfolio.returns, own)
    assert estimator.score(STOCKS) == pytest.approx(own.mean() / own.std(ddof=1))
    assert portfolio.variance == pytest.approx(estimator.answer_.variance)
    assert portfolio.name == "SparsePortfolio"


def test_without_a_count_it_is_skfolio_s_own_answer() -> None:
    """Least variance and utility over the same estimates: `MeanRisk` by another solver has the same weights."""
    theirs = MeanRisk(max_weights=0.2).fit(STOCKS)
    np.testing.assert_allclose(SparsePortfolio(max_weight=0.2).fit(STOCKS).weights_, theirs.weights_, atol=2e-4)
    utility = MeanRisk(
        objective_function=ObjectiveFunction.MAXIMIZE_UTILITY, risk_aversion=5.0, transaction_costs=1e-3,
        previous_weights=np.full(20, 0.05), max_weights=0.2,
    ).fit(STOCKS)  # fmt: skip
    ours = SparsePortfolio(
        objective="utility", risk_aversion=5.0, trade_cost=1e-3, previous_weights=np.full(20, 0.05), max_weight=0.2
    ).fit(STOCKS)
    np.testing.assert_allclose(ours.weights_, utility.weights_, atol=2e-4)
    assert ours.predict(STOCKS).total_cost == pytest.approx(utility.predict(STOCKS).total_cost, rel=1e-2)
    assert ours.predict(STOCKS).total_cost == pytest.approx(ours.trade_cost_paid)


def test_cardinality_is_at_least_as_good_as_with_scip() -> None:
    """At most five assets: the variance is not above that of skfolio with SCIP, and both hold at most five."""
    pytest.importorskip("pyscipopt")
    theirs = MeanRisk(cardinality=5, solver="SCIP", max_weights=0.5).fit(STOCKS.iloc[:, :12])
    ours = SparsePortfolio((None, 5), max_weight=0.5, prove=True).fit(STOCKS.iloc[:, :12])
    covariance = ours.portfolio_.covariance
    assert ours.result_.status == "optimal"
    assert covariance.value(ours.weights_) <= covariance.value(theirs.weights_) * (1 + 1e-4)
    assert np.count_nonzero(ours.weights_ > 1e-9) <= 5
    assert ours.result_.bound <= covariance.value(theirs.weights_) * (1 + 1e-4)


def test_priors_of_skfolio() -> None:
    """Mean and covariance are those of the prior, shrunk or of factors; its parameters can be set from outside."""
    prior = EmpiricalPrior(mu_estimator=ShrunkMu(), covariance_estimator=LedoitWolf())
    estimator = SparsePortfolio(4, objective="utility", risk_aversion=2.0, prior_estimator=prior).fit(STOCKS)
    found = clone(prior).fit(STOCKS).return_distribution_
    expected = hm.Portfolio(found.mu, found.covariance, assets=4, objective="utility", risk_aversion=2.0).solve()
    np.testing.assert_allclose(estimator.weights_, expected.x, atol=1e-6)
    np.testing.assert_allclose(estimator.prior_estimator_.return_distribution_.covariance, found.covariance)
    assert "prior_estimator__covariance_estimator" in estimator.get_params()
    plain = SparsePortfolio(4).fit(STOCKS)
    np.testing.assert_allclose(
        SparsePortfolio(4, prior_estimator=EmpiricalPrior()).fit(STOCKS).weights_, plain.weights_, atol=1e-6
    )


def test_a_prior_of_factors() -> None:
    """Factors go to the prior, whose covariance is the portfolio's: the weights are those of a portfolio with it."""
    stocks = STOCKS.iloc[:252, 3:11]
    factors = STOCKS.iloc[:252, :3].add_prefix("factor ")
    estimator = SparsePortfolio(4, prior_estimator=TimeSeriesFactorModel()).fit(stocks, factors=factors)
    found = estimator.prior_estimator_.return_distribution_
    assert np.abs(found.covariance - stocks.cov().to_numpy()).max() > 1e-6
    expected = hm.Portfolio(found.mu, found.covariance, assets=4).solve()
    np.testing.assert_allclose(estimator.weights_, expected.x, atol=1e-6)


def test_walks_forward() -> None:
    """Every window's weights are those of a fit to its past alone."""
    walk = cross_val_predict(SparsePortfolio(4, max_weight=0.5), STOCKS, cv=QUARTERS)
    assert isinstance(walk, MultiPeriodPortfolio)
    assert len(walk) == 4
    for portfolio, (past, future) in zip(walk, QUARTERS.split(STOCKS), strict=True):
        own = SparsePortfolio(4, max_weight=0.5).fit(STOCKS.iloc[past])
        np.testing.assert_allclose(portfolio.weights, own.weights_, atol=1e-9)
        np.testing.assert_allclose(portfolio.returns, STOCKS.iloc[future].to_numpy() @ own.weights_)


def turnover_of(walk: MultiPeriodPortfolio) -> float:
    """What is bought and sold after the first window."""
    weights = [portfolio.weights for portfolio in walk]
    return float(sum(np.abs(b - a).sum() for a, b in zip(weights, weights[1:], strict=False)))


@pytest.mark.parametrize("drift", [False, True])
def test_holdings_go_from_window_to_window(drift: bool) -> None:
    """Costs lower the turnover, since each window starts from what the last one held; costs are what was traded."""
    rules = {"assets": (None, 5), "min_weight": 0.05, "max_weight": 0.4, "objective": "utility", "risk_aversion": 8.0}
    free = cross_val_predict(SparsePortfolio(**rules), STOCKS, cv=QUARTERS)
    costs = {"trade_cost": (2e-4, 4e-4), "fixed_trade_cost": 1e-5}
    parameters = {"weight_drift": True} if drift else None
    walk = cross_val_predict(SparsePortfolio(**rules, **costs, portfolio_params=parameters), STOCKS, cv=QUARTERS)
    assert turnover_of(walk) < 0.8 * turnover_of(free)
    held = np.zeros(20)
    for portfolio, (past, future) in zip(walk, QUARTERS.split(STOCKS), strict=True):
        np.testing.assert_allclose(portfolio.previous_weights, held, atol=1e-12)
        change = portfolio.weights - held
        moved = np.abs(change) > 1e-9
        paid = 2e-4 * change[change > 0].sum() - 4e-4 * change[change < 0].sum() + 1e-5 * moved.sum()
        assert portfolio.total_cost == pytest.approx(paid, rel=1e-6)
        on = portfolio.weights > 1e-9
        assert (portfolio.weights[on] <= 0.4 + 1e-9).all()
        assert (portfolio.weights[on] >= 0.05 - 1e-9).all()
        assert past[-1] < future[0]
        held = portfolio.weights
        if drift:
            grown = held * np.prod(1 + STOCKS.iloc[future].to_numpy(), axis=0)
            held = grown / grown.sum()


def test_the_first_window_may_have_other_rules() -> None:
    """A limit on turnover leaves nothing to start from; skfolio lifts it for the first window."""
    estimator = SparsePortfolio(4, max_turnover=0.3)
    with pytest.raises(ProblemError, match="no portfolio was found"):
        estimator.fit(STOCKS)
    walk = cross_val_predict(estimator, STOCKS, cv=QUARTERS, entry_rebalancing_params={"max_turnover": None})
    weights = [portfolio.weights for portfolio in walk]
    assert all(np.abs(b - a).sum() <= 0.3 + 1e-6 for a, b in zip(weights, weights[1:], strict=False))


def test_populations_compare_it_with_others() -> None:
    """Paths of combinatorial splits are a Population; so are several optimisers side by side."""
    paths = cross_val_predict(SparsePortfolio(4), STOCKS, cv=CombinatorialPurgedCV(n_folds=4, n_test_folds=2))
    assert isinstance(paths, Population)
    assert len(paths) == 3
    both = Population([SparsePortfolio(4).fit_predict(STOCKS), EqualWeighted().fit(STOCKS).predict(STOCKS)])
    summary = both.summary()
    assert list(summary.columns) == ["SparsePortfolio", "EqualWeighted"]
    weights = both[0].weights
    assert np.count_nonzero(weights > 1e-9) == 4
    assert float(summary.loc["Effective Number of Assets", "SparsePortfolio"]) == pytest.approx(1 / (weights @ weights))


def test_assets_that_a_selection_drops_are_sold() -> None:
    """In a pipeline the assets may be others in every window: what is gone is sold, at its cost, and is no error."""
    pipeline = Pipeline(
        [("few", SelectKExtremes(k=8)), ("portfolio", SparsePortfolio(3, trade_cost=1e-4, fixed_trade_cost=1e-5))]
    ).set_output(transform="pandas")
    walk = cross_val_predict(pipeline, STOCKS, cv=QUARTERS)
    seen = [set(portfolio.assets) for portfolio in walk]
    assert any(first - then for first, then in zip(seen, seen[1:], strict=False))
    held: dict[str, float] = {}
    for portfolio in walk:
        new = dict(zip(portfolio.assets, portfolio.weights, strict=True))
        changes = np.array([new.get(name, 0.0) - held.get(name, 0.0) for name in {*new, *held}])
        moved = np.abs(changes) > 1e-9
        assert portfolio.total_cost == pytest.approx(1e-4 * np.abs(changes).sum() + 1e-5 * moved.sum(), rel=1e-6)
        held = new


def test_assets_without_an_estimate_are_left_out() -> None:
    """A prior that has no estimate of an asset (NaN): it is not held, and the others are as if it was not there."""
    covariance, mu = STOCKS.cov().to_numpy(), STOCKS.mean().to_numpy()

    class Gaps(EmpiricalPrior):  # type: ignore[misc]
        def fit(self, X: pd.DataFrame, y: object = None, **_: object) -> Gaps:
            super().fit(X, y)
            found = self.return_distribution_
            object.__setattr__(found, "mu", np.where(np.arange(20) == 3, np.nan, mu))
            holes = covariance.copy()
            holes[[3]], holes[:, [3]] = np.nan, np.nan
            object.__setattr__(found, "covariance", holes)
            return self

    estimator = SparsePortfolio(4, prior_estimator=Gaps(), exclude=[STOCKS.columns[0]]).fit(STOCKS)
    rest = STOCKS.drop(columns=[STOCKS.columns[0], STOCKS.columns[3]])
    expected = hm.Portfolio(rest.mean(), rest.cov(), assets=4).solve()
    assert estimator.weights_[3] == estimator.weights_[0] == 0.0
    np.testing.assert_allclose(np.delete(estimator.weights_, [0, 3]), expected.x, atol=1e-6)


def test_fallbacks_and_failures_are_skfolio_s() -> None:
    """A fallback takes over where no portfolio was found; without one and without raising, predictions are failed."""
    impossible = {"target_return": 1.0}
    estimator = SparsePortfolio(4, fallback=EqualWeighted(), **impossible).fit(STOCKS)
    np.testing.assert_allclose(estimator.weights_, 0.05)
    assert "no portfolio was found" in estimator.fallback_chain_[0][1]
    assert not hasattr(estimator, "result_")
    held = np.full(20, 0.05)
    kept = SparsePortfolio(4, fallback="previous_weights", previous_weights=held, trade_cost=1e-3, **impossible)
    assert kept.needs_previous_weights
    assert kept.fit(STOCKS).predict(STOCKS).total_cost == pytest.approx(0.0)
    with pytest.warns(UserWarning, match="no portfolio was found"):
        failed = SparsePortfolio(4, raise_on_failure=False, **impossible).fit(STOCKS)
    assert isinstance(failed.predict(STOCKS), FailedPortfolio)
    with pytest.raises(ArgumentError, match="assets is 99"):
        SparsePortfolio(99).fit(STOCKS)
