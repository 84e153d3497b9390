"""Best subset regression: against trying every choice of columns, scikit-learn's own checks, and many columns."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.linear_model import OrthogonalMatchingPursuit
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import hybridmip as hm
from hybridmip.errors import ArgumentError
from hybridmip.estimators import BestSubsetRegressor, BestSubsetRegressorCV, subset
from hybridmip.estimators.exchanges import Columns, Exchanges, _Position
from hybridmip.estimators.relaxed_columns import RelaxedColumns, certificate_at, not_needed
from hybridmip.estimators.subset import Rules, subset_problem


def some_data(rows: int, columns: int, seed: int = 0, correlation: float = 0.5, held: int = 3) -> Any:
    """(X, y, the columns that made y)."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    for j in range(1, columns):
        X[:, j] = correlation * X[:, j - 1] + math.sqrt(1 - correlation**2) * X[:, j]
    chosen = np.linspace(0, columns - 1, held).round().astype(int)
    signal = X[:, chosen] @ rng.choice([-1.0, 1.0], held)
    return X, signal + 0.5 * rng.standard_normal(rows), chosen


def ridge_value(X: np.ndarray, y: np.ndarray, columns: tuple[int, ...], ridge: float) -> float:
    """Least |y - X w|^2 / n + ridge |w|^2 with these columns, by least squares with rows added."""
    n = len(y)
    if not columns:
        return float(y @ y) / n
    part = np.vstack([X[:, columns], math.sqrt(n * ridge) * np.eye(len(columns))])
    right = np.concatenate([y, np.zeros(len(columns))])
    w = np.linalg.lstsq(part, right, rcond=None)[0]
    return float(((right - part @ w) ** 2).sum()) / n


def by_trying(
    X: np.ndarray, y: np.ndarray, most: int, ridge: float, penalty: float = 0.0
) -> dict[tuple[int, ...], float]:
    """The value of every choice."""
    return {
        chosen: ridge_value(X, y, chosen, ridge) + penalty * len(chosen)
        for size in range(most + 1)
        for chosen in itertools.combinations(range(X.shape[1]), size)
    }


@pytest.mark.parametrize("seed", range(6))
def test_moves_are_worth_what_they_are_said_to_be(seed: int) -> None:
    """Adding, dropping and exchanging change the value by as much as fitting again does."""
    X, y, _ = some_data(20, 9, seed)
    ridge = 0.1 * (seed % 2)
    data = Columns(X, y, 20 * ridge)
    held = np.random.default_rng(seed).choice(9, 3, replace=False).tolist()
    position = _Position(data, list(held))
    before = 20 * ridge_value(X, y, tuple(held), ridge)
    assert position.value == pytest.approx(before)
    for place in range(3):
        without = tuple(j for k, j in enumerate(held) if k != place)
        assert before + position.cost[place] == pytest.approx(20 * ridge_value(X, y, without, ridge))
    gains = position.gains()
    for j in set(range(9)) - set(held):
        assert before - gains[j] == pytest.approx(20 * ridge_value(X, y, (*held, j), ridge))
    saved, place, taken = position.best_exchange()
    every = {
        (k, j): before - 20 * ridge_value(X, y, (*(c for i, c in enumerate(held) if i != k), j), ridge)
        for k in range(3)
        for j in set(range(9)) - set(held)
    }
    assert saved == pytest.approx(max(every.values()))
    assert every[place, taken] == pytest.approx(saved)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("many", [False, True])
def test_the_best_of_all_choices(seed: int, many: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a count, a price, a ridge: the value is that of trying every choice, the bound below it; also the way that
    is for many columns."""
    if many:
        monkeypatch.setattr(subset, "MOST_COLUMNS", 6)
        monkeypatch.setattr(subset, "CANDIDATES", 7)
    X, y, _ = some_data(25, 10, seed)
    X, y = X - X.mean(axis=0), y - y.mean()
    rng = np.random.default_rng(seed)
    most, ridge, penalty = int(rng.integers(1, 4)), float(rng.choice([0.0, 0.01, 0.3])), float(rng.choice([0.0, 0.05]))
    best = min(by_trying(X, y, most, ridge, penalty).values())
    model = BestSubsetRegressor(most, ridge=ridge, penalty=penalty or None).fit(X, y)
    assert model.n_nonzero_ <= most
    assert model.bound_ <= best + 1e-9
    assert model.objective_ == pytest.approx(best, rel=1e-6)
    left = y - model.predict(X)
    value = float(left @ left) / 25 + ridge * float(model.coef_ @ model.coef_) + penalty * model.n_nonzero_
    assert model.objective_ == pytest.approx(value, rel=1e-9)
    if model.certificate_ is not None:
        assert model.certificate_.verify(model.problem_)
        assert model.certificate_.bound() <= best + 1e-9
    if not many:
        assert model.gap_ <= 1e-6


def test_penalty_alone() -> None:
    """Without a count the price alone decides how many columns are held."""
    X, y, _ = some_data(30, 8, 3)
    centred = X - X.mean(axis=0), y - y.mean()
    best = min(by_trying(*centred, 8, 0.0, 0.1).values())
    model = BestSubsetRegressor(penalty=0.1).fit(X, y)
    assert model.objective_ == pytest.approx(best, rel=1e-6)
    assert model.gap_ <= 1e-6


@pytest.mark.parametrize("seed", range(5))
def test_columns_that_are_left_out_are_in_nothing_better(seed: int) -> None:
    """Relaxation, certificate and screening: no choice below the cut has a column that is said not to be needed."""
    X, y, _ = some_data(20, 11, seed)
    ridge, most = 0.2, 3
    every = by_trying(X, y, most, ridge)
    best = min(every.values())
    rules = Rules(most, 0.0, ridge, np.full(11, -np.inf), np.full(11, np.inf))
    problem = subset_problem(X, y, rules, factored=True)
    relaxed = RelaxedColumns(X, y, ridge, most).solve(np.zeros(11))
    assert relaxed.b.sum() <= most + 1e-9
    certificate = certificate_at(problem, relaxed.point, ridge)
    assert certificate.verify(problem)
    assert certificate.claimed == pytest.approx(relaxed.bound, rel=1e-6)
    assert certificate.claimed <= best
    # It is the perspective relaxation: the solver's own is not better with the same diagonal.
    for cut in (best, 1.1 * best, 2 * best):
        off = not_needed(problem, certificate, most, cut)
        for chosen, value in every.items():
            assert value > cut - 1e-9 or not off[list(chosen)].any()
    assert not_needed(problem, certificate, most, certificate.claimed - 0.01).any()


def test_limits_and_groups() -> None:
    """Coefficients stay within limits, groups are held whole; values as by trying."""
    X, y, _ = some_data(30, 6, 1)
    centred = X - X.mean(axis=0), y - y.mean()
    limited = BestSubsetRegressor(2, bounds=(0.0, 0.5)).fit(X, y)
    assert (limited.coef_ >= 0).all()
    assert (limited.coef_ <= 0.5 + 1e-12).all()
    assert limited.objective_ >= BestSubsetRegressor(2).fit(X, y).objective_
    labels = ["a", "b", "a", "c", "c", "b"]
    grouped = BestSubsetRegressor(1, groups=labels).fit(X, y)
    members = [tuple(j for j in range(6) if labels[j] == label) for label in "abc"]
    assert grouped.objective_ == pytest.approx(min(ridge_value(*centred, group, 0.0) for group in members))
    assert {labels[j] for j in grouped.support_} == {labels[grouped.support_[0]]}


def test_more_columns_than_the_solver_gets() -> None:
    """1,500 columns of 80 rows: the columns that made y, a certificate that holds, never behind matching pursuit."""
    X, y, chosen = some_data(80, 1500, 2, held=5)
    model = BestSubsetRegressor(5, ridge=0.05).fit(X, y)
    assert model.support_.tolist() == chosen.tolist()
    assert isinstance(model.problem_.Q, hm.FactorModel)
    assert model.certificate_.verify(model.problem_)
    assert 0.0 < model.bound_ <= model.objective_
    assert model.certificate_.claimed <= model.bound_ + 1e-12
    plain = BestSubsetRegressor(5).fit(X, y)
    pursuit = OrthogonalMatchingPursuit(n_nonzero_coefs=5).fit(X, y)
    assert plain.objective_ <= float(((y - pursuit.predict(X)) ** 2).mean()) + 1e-12
    assert plain.bound_ == 0.0  # nothing is known without a ridge where columns outnumber rows: it says so
    assert plain.gap_ == 1.0


def test_copies_and_constants_change_nothing() -> None:
    """A copy of a column and a constant one: proven all the same, with the value without them."""
    X, y, _ = some_data(40, 8, 7)
    more = np.column_stack([X, X[:, 2], np.ones(40), X[:, 5]])
    alone, beside = BestSubsetRegressor(3).fit(X, y), BestSubsetRegressor(3).fit(more, y)
    assert beside.objective_ == pytest.approx(alone.objective_, rel=1e-9)
    assert beside.gap_ <= 1e-6
    assert beside.coef_.size == 11
    # With a ridge a copy is worth having: two halves of a coefficient have half its squares.
    with_copies = BestSubsetRegressor(11, ridge=1.0).fit(more, y).objective_
    assert with_copies < BestSubsetRegressor(8, ridge=1.0).fit(X, y).objective_
    # Supports that are handed on along the numbers are no singular matrices either.
    BestSubsetRegressorCV([1, 5, 9], cv=2).fit(more[:14], y[:14])


def test_exchanges_end_in_time_and_repeat() -> None:
    """Same seed, same columns; no time, still an answer."""
    X, y, _ = some_data(40, 200, 4, correlation=0.9, held=8)
    first, second = (Exchanges(Columns(X, y), 8, seed=3).run() for _ in range(2))
    assert first.columns.tolist() == second.columns.tolist()
    assert Exchanges(Columns(X, y), 8).run(seconds=0.0).value <= float(y @ y)


def test_numbers_by_cross_validation(tmp_path: Path) -> None:
    """Scores are those of the regressor for every number; the path is a frontier with bounds, a table and a page."""
    X, y, _ = some_data(60, 10, 5, held=3)
    model = BestSubsetRegressorCV(4, cv=3).fit(X, y)
    for number, scores in zip(model.numbers_, model.scores_, strict=True):
        alone = BestSubsetRegressor(int(number))
        assert scores == pytest.approx(cross_val_score(alone, X, y, cv=3, scoring="neg_mean_squared_error"), rel=1e-5)
    assert model.best_n_nonzero_ == model.numbers_[np.argmax(model.scores_.mean(axis=1))]
    assert model.coef_ == pytest.approx(BestSubsetRegressor(model.best_n_nonzero_).fit(X, y).coef_, rel=1e-5)
    assert [point.status for point in model.path_.points] == ["optimal"] * 4
    values = [point.objective for point in model.path_.points]
    assert values == sorted(values, reverse=True)
    assert model.objective_ == values[model.best_n_nonzero_ - 1]
    page = model.path_.report(tmp_path / "path.html").read_text()
    assert "n nonzero" in page
    some = BestSubsetRegressorCV([1, 3], cv=2, scoring="r2").fit(X, y)
    assert some.numbers_.tolist() == [1, 3]
    assert some.best_n_nonzero_ == 3


def test_in_a_search_over_parameters() -> None:
    """clone and GridSearchCV."""
    X, y, _ = some_data(60, 8, 6)
    search = GridSearchCV(BestSubsetRegressor(ridge=0.01), {"n_nonzero": [1, 3, 5]}, cv=3).fit(X, y)
    assert search.best_params_["n_nonzero"] in (3, 5)
    assert clone(search.best_estimator_).get_params()["ridge"] == 0.01


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_nonzero": 0}, "n_nonzero is 0; it must be a whole number from 1 to 4"),
        ({"n_nonzero": 9}, "n_nonzero is 9"),
        ({"n_nonzero": 1.5}, "n_nonzero is 1.5"),
        ({"ridge": -1.0}, "ridge is -1.0; it must be a number that is zero or positive"),
        ({"penalty": math.nan}, "penalty is nan"),
        ({"bounds": 3}, "bounds is 3; give a pair"),
        ({"bounds": (1.0, 0.0)}, "bounds of column 0 are 1 and 0"),
        ({"bounds": ([0.0, 1.0], None)}, "bounds has lower limits"),
        ({"groups": [0, 1]}, "groups has shape"),
        ({"groups": {"a": 1}}, "groups is a mapping; give a label for each column"),
        ({"time_limit": -1.0}, "time_limit is -1.0; it must be a positive number"),
        ({"seed": "a"}, "seed is 'a'; it must be a whole number"),
        ({"config": "fast"}, "config is a str; it must be a Config"),
        ({"n_nonzero": 3, "groups": [0, 0, 1, 1]}, "from 1 to 2, the groups"),
    ],
)
def test_bad_parameters_are_told(parameters: dict[str, Any], message: str) -> None:
    """One line that names the parameter, at fit."""
    X, y, _ = some_data(10, 4)
    with pytest.raises(ArgumentError, match=message) as told:
        BestSubsetRegressor(**parameters).fit(X, y)
    assert "\n" not in str(told.value)


def test_numbers_that_cannot_be_tried_are_told() -> None:
    X, y, _ = some_data(10, 4)
    for numbers in ([], 5, [0, 2]):
        with pytest.raises(ArgumentError, match="n_nonzero"):
            BestSubsetRegressorCV(numbers).fit(X, y)


def test_sparse_data_are_refused() -> None:
    """scikit-learn's own message, which says what to do."""
    from scipy import sparse

    X, y, _ = some_data(10, 4)
    with pytest.raises(TypeError, match="parse"):
        BestSubsetRegressor(2).fit(sparse.csr_array(X), y)


@parametrize_with_checks(  # type: ignore[untyped-decorator]  # scikit-learn has no types
    [BestSubsetRegressor(), BestSubsetRegressorCV(cv=2)]
)
def test_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    """All of them; none is left out."""
    check(estimator)
