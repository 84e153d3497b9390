"""SparsePortfolio in scikit-learn: the answers of `Portfolio`, and all that scikit-learn does with estimators."""

from __future__ import annotations

import importlib
import json
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import hybridmip as hm
from hybridmip.errors import ArgumentError, HybridMIPError, MissingDependencyError, ProblemError

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.covariance import LedoitWolf
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, TimeSeriesSplit, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from hybridmip.estimators import SparsePortfolio
from hybridmip.estimators.base import WITH_SKFOLIO

MARKET = hm.market(assets=12, seed=4, periods=240)
RETURNS = MARKET.returns()


def sharpe(weights: np.ndarray, returns: pd.DataFrame) -> float:
    """The Sharpe ratio of fixed weights, by its formula."""
    own = returns.to_numpy() @ weights
    return float(own.mean() / own.std(ddof=1))


#: Checks of scikit-learn that skfolio's own `predict`, which ours is where it is installed, does not pass.
LEFT_OUT = {
    "check_estimators_nan_inf": "fit refuses NaN; skfolio's predict allows it, for assets that are not listed yet",
    "check_methods_sample_order_invariance": "predict gives skfolio's Portfolio, which has no rows to reorder",
    "check_fit2d_predict1d": "skfolio's predict refuses one observation without a shape in words of its own",
}


@parametrize_with_checks(  # type: ignore[untyped-decorator]  # scikit-learn has no types
    [SparsePortfolio(), SparsePortfolio(assets=(None, 2), min_weight=0.1, trade_cost=1e-3)],
    expected_failed_checks=lambda estimator: LEFT_OUT if WITH_SKFOLIO else {},
)
def test_checks_of_scikit_learn(estimator: SparsePortfolio, check: Callable[[object], None]) -> None:
    """All that scikit-learn asks of estimators, but for what is listed above with its reason."""
    check(estimator)


def test_the_page_names_the_checks_that_are_left_out() -> None:
    """docs/estimators.md lists these checks and no others."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "estimators.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(check_\w+)` \|", page, re.MULTILINE)) == set(LEFT_OUT)


@pytest.mark.parametrize(
    "rules",
    [
        {"assets": 4, "min_weight": 0.05},
        {"assets": (None, 5), "objective": "utility", "risk_aversion": 3.0, "max_weight": 0.4},
        {"assets": (2, 6), "target_return": float(RETURNS.mean().mean()), "return_sense": "at_least"},
        {"assets": (None, 6), "objective": "sharpe", "max_weight": 0.5},
        {"assets": 3, "objective": "tracking", "benchmark": np.full(12, 1 / 12)},
        {"assets": (None, 6), "groups": {"first": {"members": list(RETURNS.columns[:4]), "max_assets": 1}}},
        {"assets": (None, 6), "exclude": list(RETURNS.columns[:6]), "constraints": {"c": (np.ones(12), 0.9, None)}},
    ],
)
def test_fit_is_the_portfolio_of_the_same_estimates(rules: dict) -> None:
    """Weights, bound and status are those of `Portfolio` with the sample's mean and covariance."""
    expected = hm.Portfolio(RETURNS.mean(), RETURNS.cov(), **rules).solve(seed=3)
    estimator = SparsePortfolio(**rules, seed=3).fit(RETURNS)
    np.testing.assert_allclose(estimator.weights_, expected.x, atol=1e-7)
    assert estimator.result_.objective == pytest.approx(expected.result.objective, rel=1e-8)
    assert estimator.result_.bound == pytest.approx(expected.result.bound, rel=1e-6)
    assert estimator.gap_ == estimator.result_.gap
    assert estimator.portfolio_.names == tuple(RETURNS.columns)
    assert list(estimator.feature_names_in_) == list(RETURNS.columns)
    assert estimator.result_.certificate.verify(estimator.result_.problem).valid


def test_the_default_is_the_least_variance() -> None:
    """Of two assets that do not move together the weights are by the inverse variances, as the formula has it."""
    X = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 2.0], [0.0, -2.0]]) / 100
    estimator = SparsePortfolio().fit(X)
    np.testing.assert_allclose(estimator.weights_, [0.8, 0.2], atol=1e-6)
    assert estimator.result_.status == "optimal"
    assert not hasattr(estimator, "feature_names_in_")


def test_parameters_of_the_solver_reach_it() -> None:
    """Configuration and proof: the one that proves has a proof tree that can be checked."""
    proven = SparsePortfolio(4, prove=True, config=hm.Config(threads=1)).fit(RETURNS)
    assert proven.result_.status == "optimal"
    assert proven.result_.proof.verify(proven.result_.problem).valid
    with pytest.raises(ArgumentError, match="time_limit"):
        SparsePortfolio(4, time_limit=-1.0).fit(RETURNS)


def test_clone_and_pickle_keep_the_answer() -> None:
    """A clone has the parameters and no weights; what was pickled has both."""
    estimator = SparsePortfolio(3, min_weight=0.1, config=hm.Config(threads=1)).fit(RETURNS)
    other = clone(estimator)
    assert other.get_params()["assets"] == 3
    assert not hasattr(other, "weights_")
    again = pickle.loads(pickle.dumps(estimator))
    np.testing.assert_array_equal(again.weights_, estimator.weights_)
    assert again.score(RETURNS) == estimator.score(RETURNS)
    assert str(again.answer_) == str(estimator.answer_)
    np.testing.assert_array_equal(other.fit(RETURNS).weights_, estimator.weights_)


def test_scores_are_sharpe_ratios_out_of_sample() -> None:
    """`cross_val_score` fits on each past and scores the time after it, by the formula."""
    cv = TimeSeriesSplit(3)
    scores = cross_val_score(SparsePortfolio(4), RETURNS, cv=cv)
    for score, (past, future) in zip(scores, cv.split(RETURNS), strict=True):
        past_returns = RETURNS.iloc[past]
        weights = hm.Portfolio(past_returns.mean(), past_returns.cov(), assets=4).solve().x
        assert score == pytest.approx(sharpe(weights, RETURNS.iloc[future]), abs=1e-6)


def test_grid_search_over_the_number_of_assets() -> None:
    """The best number is the one whose mean score over the folds is largest."""
    cv = TimeSeriesSplit(2)
    search = GridSearchCV(SparsePortfolio(), {"assets": [2, 4, 6]}, cv=cv).fit(RETURNS)
    by_hand = {count: cross_val_score(SparsePortfolio(count), RETURNS, cv=cv).mean() for count in (2, 4, 6)}
    assert search.best_params_["assets"] == max(by_hand, key=by_hand.__getitem__)
    assert search.best_score_ == pytest.approx(max(by_hand.values()))
    assert np.count_nonzero(search.best_estimator_.weights_ > 1e-9) == search.best_params_["assets"]


def first_assets(X: pd.DataFrame, count: int = 6) -> pd.DataFrame:
    """The first columns only."""
    return X.iloc[:, :count]


def test_a_pipeline_chooses_the_assets_before() -> None:
    """What the step before leaves over is what weights are of; its parameters can be searched over, too."""
    pipeline = Pipeline([("first", FunctionTransformer(first_assets)), ("portfolio", SparsePortfolio(3))])
    pipeline.fit(RETURNS)
    few = RETURNS.iloc[:, :6]
    np.testing.assert_allclose(
        pipeline[-1].weights_, hm.Portfolio(few.mean(), few.cov(), assets=3).solve().x, atol=1e-7
    )
    pipeline.set_params(portfolio__assets=2, first__kw_args={"count": 5}).fit(RETURNS)
    assert pipeline[-1].weights_.size == 5
    assert np.count_nonzero(pipeline[-1].weights_) == 2


def test_names_go_with_the_columns() -> None:
    """Limits by name follow a column to wherever it is; data with other columns are refused in `predict`."""
    first = RETURNS.columns[0]
    limits = {"min_weight": {first: 0.3}, "max_weight": {first: 0.35}, "assets": 4}
    weights = pd.Series(SparsePortfolio(**limits).fit(RETURNS).weights_, index=RETURNS.columns)
    turned = RETURNS[RETURNS.columns[::-1]]
    again = pd.Series(SparsePortfolio(**limits).fit(turned).weights_, index=turned.columns)
    np.testing.assert_allclose(again[RETURNS.columns], weights, atol=1e-6)
    assert weights[first] == 0.0 or 0.3 - 1e-9 <= weights[first] <= 0.35 + 1e-9
    with pytest.raises(ValueError, match="feature names"):
        SparsePortfolio(4).fit(RETURNS).predict(turned)


def test_a_covariance_of_scikit_learn_is_a_prior() -> None:
    """Ledoit and Wolf's covariance and its mean are what the portfolio is made of."""
    shrunk = LedoitWolf().fit(RETURNS)
    estimator = SparsePortfolio(4, prior_estimator=LedoitWolf()).fit(RETURNS)
    expected = hm.Portfolio(shrunk.location_, shrunk.covariance_, assets=4).solve()
    np.testing.assert_allclose(estimator.weights_, expected.x, atol=1e-7)
    np.testing.assert_allclose(estimator.prior_estimator_.covariance_, shrunk.covariance_)
    search = GridSearchCV(estimator, {"prior_estimator__assume_centered": [True, False]}, cv=2).fit(RETURNS)
    assert search.best_estimator_.weights_.size == 12


def test_costs_hold_on_to_what_is_held() -> None:
    """With costs the holdings of before are left less; the answer is that of `Portfolio` with these holdings."""
    held = SparsePortfolio(4).fit(RETURNS.iloc[:120]).weights_
    rules = {"assets": (None, 6), "objective": "utility", "risk_aversion": 4.0}
    later = RETURNS.iloc[120:]
    turnovers = []
    for cost in (0.0, 1e-4, 1e-3, 1e-1):
        estimator = SparsePortfolio(**rules, trade_cost=cost, fixed_trade_cost=cost / 10, previous_weights=held)
        assert estimator.needs_previous_weights == (cost > 0)
        estimator.fit(later)
        expected = hm.Portfolio(
            later.mean(), later.cov(), **rules, trade_cost=cost, fixed_trade_cost=cost / 10,
            current=np.where(np.abs(held) < 1e-9, 0.0, held),
        ).solve()  # fmt: skip
        np.testing.assert_allclose(estimator.weights_, expected.x, atol=1e-6)
        assert estimator.trade_cost_paid == pytest.approx(expected.cost, abs=1e-9)
        turnovers.append(np.abs(estimator.weights_ - held).sum())
    assert all(less <= more + 1e-9 for more, less in zip(turnovers, turnovers[1:], strict=False))
    assert turnovers[-1] < 1e-8 < 1e-2 < turnovers[0]


def test_rounding_in_what_is_held_is_no_trade() -> None:
    """A holding that is at its limit but for rounding is kept: nothing is traded, no fixed cost is paid."""
    held = np.zeros(12)
    held[:5] = 0.2
    blurred = held + np.where(held > 0, 3e-17, 1e-18)
    estimator = SparsePortfolio(
        5, min_weight=0.2, max_weight=0.2, previous_weights=blurred, fixed_trade_cost=0.1, objective="utility"
    ).fit(RETURNS)
    np.testing.assert_allclose(estimator.weights_, held, atol=1e-12)
    assert estimator.trade_cost_paid == 0.0


def test_what_has_drifted_is_brought_back() -> None:
    """Holdings above and below the limits are no error: they are traded until they are within them."""
    held = {RETURNS.columns[0]: 0.7, RETURNS.columns[1]: 0.01, RETURNS.columns[2]: 0.29, "GONE": 0.1}
    estimator = SparsePortfolio(
        (None, 5), min_weight=0.05, max_weight=0.4, previous_weights=held, trade_cost=0.5, objective="utility"
    ).fit(RETURNS)
    weights = estimator.weights_
    assert weights[0] == pytest.approx(0.4)
    assert weights[2] >= 0.29 - 1e-9
    on = weights > 1e-9
    assert (weights[on] >= 0.05 - 1e-9).all()
    known = pd.Series(held).reindex(RETURNS.columns).fillna(0.0).to_numpy()
    assert estimator.trade_cost_paid == pytest.approx(0.5 * (np.abs(weights - known).sum() + 0.1))


def test_the_benchmark_is_y() -> None:
    """For tracking y has the benchmark's returns; one made of weights in the assets gives what the weights give."""
    weights = np.random.default_rng(0).dirichlet(np.ones(12))
    by_weights = SparsePortfolio(4, objective="tracking", benchmark=weights).fit(RETURNS)
    by_returns = SparsePortfolio(4, objective="tracking").fit(RETURNS, RETURNS @ weights)
    np.testing.assert_allclose(by_returns.weights_, by_weights.weights_, atol=1e-6)
    with pytest.raises(ArgumentError, match="needs the weights of what is followed; give benchmark"):
        SparsePortfolio(4, objective="tracking").fit(RETURNS)
    with pytest.raises(ArgumentError, match=r"y has shape \(240, 12\)"):
        SparsePortfolio(4, objective="tracking").fit(RETURNS, RETURNS)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"assets": 0}, "assets is 0"),
        ({"assets": 99}, "assets is 99 but there are 12 to choose from"),
        ({"min_weight": 0.5, "max_weight": 0.4}, "min_weight of .* above its max_weight"),
        ({"min_weight": "much"}, "min_weight is not numeric"),
        ({"objective": "best"}, "objective is 'best'; choose from variance"),
        ({"return_sense": "about"}, "return_sense is 'about'"),
        ({"previous_weights": [1.0]}, r"previous_weights has shape \(1,\)"),
        ({"previous_weights": {"GONE": "much"}}, r"previous_weights\['GONE'\]"),
        ({"trade_cost": -1.0}, "trade_cost of .* is -1; it must be 0 or more"),
        ({"seed": -1}, "seed"),
        ({"exclude": "AAA"}, "exclude is 'AAA'; give a list"),
        ({"prior_estimator": LedoitWolf}, "prior_estimator is .* give an instance"),
        ({"prior_estimator": "empirical"}, "prior_estimator is 'empirical'"),
    ],
)
def test_bad_parameters_are_told_at_fit(parameters: dict, message: str) -> None:
    """`__init__` takes anything, as scikit-learn wants it; `fit` names the parameter and the rule, in one line."""
    estimator = SparsePortfolio(**parameters)
    with pytest.raises(HybridMIPError, match=message) as told:
        estimator.fit(RETURNS)
    assert "\n" not in str(told.value)
    assert not hasattr(estimator, "weights_")


def test_a_prior_without_moments_is_refused() -> None:
    """An estimator of something else is told from a prior."""
    with pytest.raises(ArgumentError, match="a LinearRegression, which has neither return_distribution_"):
        SparsePortfolio(prior_estimator=LinearRegression()).fit(RETURNS, RETURNS.iloc[:, 0])


def test_limits_that_no_portfolio_has_are_an_error_of_the_family() -> None:
    """A return beyond that of every asset: a ProblemError; nothing is left of the fit before."""
    estimator = SparsePortfolio(3).fit(RETURNS)
    estimator.set_params(target_return=float(RETURNS.mean().max()) + 1.0)
    with pytest.raises(ProblemError, match="no portfolio was found"):
        estimator.fit(RETURNS)
    assert not hasattr(estimator, "weights_")
    assert not hasattr(estimator, "result_")


def run_without(module: str, code: str) -> dict:
    """What a new process in which a module cannot be imported prints, as JSON."""
    program = f"import sys, json; sys.modules[{module!r}] = None\n{code}"
    return json.loads(
        subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    )


def test_without_skfolio_it_is_the_same_portfolio() -> None:
    """Weights and score do not depend on skfolio; `predict` gives a Series or an array, and all checks pass."""
    found = run_without(
        "skfolio",
        """
import numpy as np, hybridmip as hm, pickle
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator
from hybridmip.estimators import SparsePortfolio
X = hm.market(assets=12, seed=4, periods=240).returns()
estimator = SparsePortfolio(4, trade_cost=1e-3, fixed_trade_cost=1e-4, risk_free=1e-4).fit(X)
series, array = estimator.predict(X), clone(estimator).fit(X.to_numpy()).predict(X.to_numpy())
assert series.index.equals(X.index) and np.array_equal(series.to_numpy(), array)
again = pickle.loads(pickle.dumps(estimator))
told = []
for name, value in {"fallback": "previous_weights", "portfolio_params": {}, "raise_on_failure": False}.items():
    try:
        SparsePortfolio(**{name: value}).fit(X)
    except hm.MissingDependencyError as error:
        told.append(str(error))
results = check_estimator(SparsePortfolio(), on_fail=None, on_skip=None)
print(json.dumps({
    "weights": estimator.weights_.tolist(), "score": again.score(X), "returns": array.tolist(), "told": told,
    "needs": estimator.needs_previous_weights, "loaded": sorted(name for name in sys.modules if "cvxpy" in name),
    "failed": [str(one["exception"]) for one in results if one["status"] == "failed"], "checks": len(results),
}))
""",
    )
    estimator = SparsePortfolio(4, trade_cost=1e-3, fixed_trade_cost=1e-4, risk_free=1e-4).fit(RETURNS)
    np.testing.assert_allclose(found["weights"], estimator.weights_, atol=1e-9)
    assert found["score"] == pytest.approx(estimator.score(RETURNS), rel=1e-6)
    expected = RETURNS.to_numpy() @ estimator.weights_ - 1e-3 - 4 * 1e-4
    np.testing.assert_allclose(found["returns"], expected, atol=1e-8)
    assert len(found["told"]) == 3
    assert all("pip install 'hybridmip[skfolio]'" in told for told in found["told"])
    assert found["needs"]
    assert found["loaded"] == []
    assert found["failed"] == []
    assert found["checks"] > 30


def test_without_scikit_learn_the_remedy_is_told() -> None:
    """The package imports without scikit-learn; its estimators say which command installs it."""
    found = run_without(
        "sklearn",
        """
import hybridmip
try:
    import hybridmip.estimators
except hybridmip.MissingDependencyError as error:
    print(json.dumps({"told": str(error)}))
""",
    )
    assert found["told"].endswith("pip install 'hybridmip[sklearn]'")


def test_names_of_the_package() -> None:
    """Estimators are listed, and other names raise what they raise in any module."""
    package = importlib.import_module("hybridmip.estimators")
    assert "SparsePortfolio" in dir(package)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = package.nonsense
    assert issubclass(MissingDependencyError, ImportError)


def test_gaps_are_refused_with_what_to_do() -> None:
    """scikit-learn's message stays, and a note says what to do with returns; other errors have none."""
    returns = np.random.default_rng(0).normal(0.001, 0.02, (50, 5))
    with pytest.raises(ValueError, match="minimum of 2") as caught:
        SparsePortfolio(assets=2).fit(returns[:1])
    assert not hasattr(caught.value, "__notes__")
    returns[3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN") as caught:
        SparsePortfolio(assets=2).fit(returns)
    assert "drop the dates or the assets with gaps" in caught.value.__notes__[0]
