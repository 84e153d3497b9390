"""Best subset regression as estimators of scikit-learn."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import get_scorer
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted

from hybridmip.errors import ArgumentError
from hybridmip.estimators.subset import Effort, Rules, Subset, best_subset, subset_problem
from hybridmip.estimators.validation import checked_data
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import FactorModel, Matrix, Vector
from hybridmip.run.config import Config
from hybridmip.sweep.curve import Frontier

#: Without a word about it, this share of the columns is held, as by scikit-learn's orthogonal matching pursuit.
DEFAULT_SHARE = 0.1
#: Without a word about it, a cross-validation goes up to this number of columns.
DEFAULT_MOST = 10


class _Linear(RegressorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """What both have: centred data, rules from the parameters, predictions."""

    def predict(self, X: Any) -> Vector:
        """X w and the intercept.

        Parameters
        ----------
        X : array_like or DataFrame (observations, columns)

        Examples
        --------
        >>> import numpy as np
        >>> from hybridmip.estimators import BestSubsetRegressor
        >>> X = np.random.default_rng(0).normal(size=(50, 8))
        >>> y = 3 * X[:, 1] - 2 * X[:, 5]
        >>> bool(np.allclose(BestSubsetRegressor(n_nonzero=2).fit(X, y).predict(X), y))
        True
        """
        check_is_fitted(self, "coef_")
        return np.asarray(checked_data(self, X, reset=False) @ self.coef_ + self.intercept_)

    def _data(self, X: Any, y: Any) -> tuple[Matrix, Vector, Vector, float]:
        """(X, y, means of X, mean of y), centred where there is an intercept."""
        X, y = checked_data(self, X, y, y_numeric=True, ensure_min_samples=2)
        y = np.asarray(y, dtype=np.float64)
        x_mean, y_mean = np.zeros(X.shape[1]), 0.0
        if self.fit_intercept:
            x_mean, y_mean = X.mean(axis=0), float(y.mean())
            X, y = X - x_mean, y - y_mean
        return X, y, x_mean, y_mean

    def _rules(self, columns: int, most: int | None) -> Rules:
        for name in ("ridge", "penalty"):
            value = getattr(self, name)
            if value is not None and not (_is_number(value) and math.isfinite(value) and value >= 0):
                raise ArgumentError(f"{name} is {value!r}; it must be a number that is zero or positive")
        lower, upper = _limits(self.bounds, columns)
        group = None if self.groups is None else _groups(self.groups, columns)
        if most is not None:
            there = columns if group is None else int(group.max()) + 1
            if not isinstance(most, int | np.integer) or isinstance(most, bool) or not 1 <= most <= there:
                what = "columns" if group is None else "groups"
                raise ArgumentError(f"n_nonzero is {most!r}; it must be a whole number from 1 to {there}, the {what}")
            most = int(most)
        return Rules(most, float(self.penalty or 0.0), float(self.ridge), lower, upper, group)

    def _effort(self) -> Effort:
        return Effort(self.time_limit, self.gap, self.seed, self.config)

    def _keep(self, found: Subset, x_mean: Vector, y_mean: float) -> None:
        """The attributes of a fit."""
        self.coef_ = found.coefficients
        self.intercept_ = y_mean - float(x_mean @ found.coefficients)
        self.support_ = found.support
        self.objective_, self.bound_, self.gap_ = found.objective, found.bound, found.gap
        self.certificate_, self.problem_, self.result_ = found.certificate, found.problem, found.result
        self.n_nonzero_ = int(found.support.size)


class BestSubsetRegressor(_Linear):
    """Least squares with at most so many columns, and a proven bound on what any others could do.

    Minimises `|y - X w|^2 / n + ridge |w|^2 + penalty (number of columns held)`.

    Parameters
    ----------
    n_nonzero : int, optional
        Columns (or groups) held at most. Left out, together with `penalty`, a tenth of them, as by scikit-learn's
        `OrthogonalMatchingPursuit`.
    penalty : float, optional
        What a column (or group) costs.
    ridge : float
        Price of the squares of the coefficients. A little of it makes the proof possible where columns outnumber rows.
    groups : sequence, optional
        A label for every column; columns with the same label are held together or not at all, and count once.
    fit_intercept : bool
    bounds : pair, optional
        Least and largest coefficient of a column that is held: numbers, or one for every column; None for no limit.
    time_limit : float, optional
        Seconds for a fit. Without it the amount of work is bounded and the answer the same every time.
    gap : float, optional
        Relative gap at which it is done; 1e-6 by default.
    seed : int
    config : Config, optional
        Of `hybridmip.solve`.

    Attributes
    ----------
    coef_, intercept_ : ndarray, float
    support_ : ndarray of int
        Columns that are held.
    n_nonzero_ : int
        How many.
    objective_, bound_, gap_ : float
        What is minimised, with centred columns; what no other choice is below; the relative difference.
    certificate_ : Certificate or None
        A proof for `problem_` that anyone can check. `bound_` can be above what it proves: where branch and bound went
        on, or columns were left out that nothing better can have.
    problem_ : Problem
        With the columns; without copies of others and constant ones where that changes nothing.
    result_ : Result
        Of the solver; with more than 1,000 columns it had those that were left.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from hybridmip.estimators import BestSubsetRegressor
    >>> X = np.random.default_rng(0).normal(size=(50, 8))
    >>> y = 3 * X[:, 1] - 2 * X[:, 5]
    >>> model = BestSubsetRegressor(n_nonzero=2).fit(X, y)
    >>> model.support_, model.coef_.round(3)
    (array([1, 5]), array([ 0.,  3.,  0.,  0.,  0., -2.,  0.,  0.]))
    """

    def __init__(
        self,
        n_nonzero: int | None = None,
        *,
        penalty: float | None = None,
        ridge: float = 0.0,
        groups: Sequence[Any] | None = None,
        fit_intercept: bool = True,
        bounds: tuple[Any, Any] | None = None,
        time_limit: float | None = None,
        gap: float | None = None,
        seed: int = 0,
        config: Config | None = None,
    ) -> None:
        self.n_nonzero = n_nonzero
        self.penalty = penalty
        self.ridge = ridge
        self.groups = groups
        self.fit_intercept = fit_intercept
        self.bounds = bounds
        self.time_limit = time_limit
        self.gap = gap
        self.seed = seed
        self.config = config

    def fit(self, X: Any, y: Any) -> BestSubsetRegressor:
        """Find the columns.

        Parameters
        ----------
        X : array_like or DataFrame (observations, columns)
            Dense; up to 10,000 columns or so.
        y : array_like (observations,)

        Raises
        ------
        ArgumentError
            If a parameter is out of its range.

        Examples
        --------
        >>> import numpy as np
        >>> from hybridmip.estimators import BestSubsetRegressor
        >>> X = np.random.default_rng(0).normal(size=(50, 8))
        >>> y = 3 * X[:, 1] - 2 * X[:, 5]
        >>> BestSubsetRegressor(n_nonzero=2).fit(X, y).gap_ < 1e-6
        True
        """
        X, y, x_mean, y_mean = self._data(X, y)
        most = self.n_nonzero
        if most is None and self.penalty is None:
            group = None if self.groups is None else _groups(self.groups, X.shape[1])
            most = max(1, int(DEFAULT_SHARE * (X.shape[1] if group is None else int(group.max()) + 1)))
        found = best_subset(X, y, self._rules(X.shape[1], most), self._effort())
        self._keep(found, x_mean, y_mean)
        return self


class BestSubsetRegressorCV(_Linear):
    """Best subset regression with the number of columns chosen by cross-validation.

    Parameters
    ----------
    n_nonzero : int or sequence of int, optional
        Numbers of columns to try; an int for all up to it. Up to 10 by default.
    cv : int, splitter or iterable, optional
        As everywhere in scikit-learn; five folds by default.
    scoring : str or callable, optional
        What the number is chosen by; by default the mean squared error.
    ridge, groups, fit_intercept, bounds, gap, seed, config
        As of `BestSubsetRegressor`.
    time_limit : float, optional
        Seconds for each of the fits.

    Attributes
    ----------
    n_nonzero_ : int
        Columns held by the answer.
    numbers_ : ndarray of int
        The numbers that were tried.
    scores_ : ndarray (numbers, folds)
        Larger is better.
    best_n_nonzero_ : int
        The number with the best mean score, the smallest of equals.
    path_ : Frontier
        The answers on all data along the numbers, each with its bound: a table, a picture, a page.
    coef_, intercept_, support_, objective_, bound_, gap_, certificate_, problem_, result_
        Of the answer with `best_n_nonzero_` columns on all data, as of `BestSubsetRegressor`.

    Examples
    --------
    >>> import numpy as np
    >>> from hybridmip.estimators import BestSubsetRegressorCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 8))
    >>> y = 3 * X[:, 1] - 2 * X[:, 5] + rng.normal(size=60)
    >>> model = BestSubsetRegressorCV(n_nonzero=4, cv=3).fit(X, y)
    >>> model.best_n_nonzero_, model.support_
    (2, array([1, 5]))
    """

    def __init__(
        self,
        n_nonzero: int | Sequence[int] | None = None,
        *,
        cv: Any = None,
        scoring: Any = None,
        ridge: float = 0.0,
        groups: Sequence[Any] | None = None,
        fit_intercept: bool = True,
        bounds: tuple[Any, Any] | None = None,
        time_limit: float | None = None,
        gap: float | None = None,
        seed: int = 0,
        config: Config | None = None,
    ) -> None:
        self.n_nonzero = n_nonzero
        self.cv = cv
        self.scoring = scoring
        self.ridge = ridge
        self.groups = groups
        self.fit_intercept = fit_intercept
        self.bounds = bounds
        self.time_limit = time_limit
        self.gap = gap
        self.seed = seed
        self.config = config

    #: Columns have no price here: their number is what is chosen.
    penalty = None

    def fit(self, X: Any, y: Any) -> BestSubsetRegressorCV:
        """Choose the number of columns, and the columns.

        Parameters
        ----------
        X : array_like or DataFrame (observations, columns)
        y : array_like (observations,)

        Raises
        ------
        ArgumentError
            If a parameter is out of its range.
        """
        given_X, given_y = checked_data(self, X, y, y_numeric=True, ensure_min_samples=2)
        numbers = self._numbers(given_X.shape[1])
        scorer = get_scorer("neg_mean_squared_error" if self.scoring is None else self.scoring)
        scores = []
        for training, held_out in check_cv(self.cv).split(given_X, given_y):
            fold = [self._score(scorer, answer, given_X, given_y, held_out) for answer in
                    self._along(numbers, given_X[training], np.asarray(given_y)[training])]  # fmt: skip
            scores.append(fold)
        self.numbers_ = np.array(numbers)
        self.scores_ = np.array(scores).T
        best = int(np.argmax(self.scores_.mean(axis=1)))
        self.best_n_nonzero_ = int(numbers[best])
        began = time.perf_counter()
        answers = self._along(numbers, given_X, np.asarray(given_y))
        self.path_ = self._frontier(given_X, given_y, numbers, answers, time.perf_counter() - began)
        found, x_mean, y_mean = answers[best]
        self._keep(found, x_mean, y_mean)
        return self

    def _numbers(self, columns: int) -> list[int]:
        there = columns if self.groups is None else int(_groups(self.groups, columns).max()) + 1
        asked: Any = self.n_nonzero
        if asked is None:
            return list(range(1, min(DEFAULT_MOST, there) + 1))
        if isinstance(asked, int | np.integer) and not isinstance(asked, bool):
            self._rules(columns, int(asked))
            return list(range(1, int(asked) + 1))
        numbers = sorted({int(number) for number in asked})
        if not numbers:
            raise ArgumentError("n_nonzero is empty; give a number, or the numbers to try")
        for number in numbers:
            self._rules(columns, number)
        return numbers

    def _along(self, numbers: list[int], X: Matrix, y: Vector) -> list[tuple[Subset, Vector, float]]:
        """Answers for growing numbers, each starting from the one before."""
        x_mean, y_mean = np.zeros(X.shape[1]), 0.0
        if self.fit_intercept:
            x_mean, y_mean = X.mean(axis=0), float(y.mean())
        X, y = X - x_mean, y - y_mean
        answers: list[tuple[Subset, Vector, float]] = []
        for number in numbers:
            starts = [answers[-1][0].support] if answers else []
            answers.append((best_subset(X, y, self._rules(X.shape[1], number), self._effort(), starts), x_mean, y_mean))
        return answers

    def _score(
        self, scorer: Any, answer: tuple[Subset, Vector, float], X: Matrix, y: Any, held_out: NDArray[np.intp]
    ) -> float:
        found, x_mean, y_mean = answer
        fitted = _Fitted(found.coefficients, y_mean - float(x_mean @ found.coefficients))
        return float(scorer(fitted, X[held_out], np.asarray(y)[held_out]))

    def _frontier(
        self, X: Matrix, y: Any, numbers: list[int], answers: list[tuple[Subset, Vector, float]], seconds: float
    ) -> Frontier:
        x_mean, y_mean = answers[0][1:]
        X, y = X - x_mean, np.asarray(y, dtype=np.float64) - y_mean
        names = getattr(self, "feature_names_in_", None)
        family = _Path(X, y, self._rules(X.shape[1], None), isinstance(answers[0][0].problem.Q, FactorModel), names)
        records = []
        for found, _, _ in answers:
            bound = found.bound if math.isfinite(found.bound) else None
            held = found.support if self.groups is None else np.unique(_groups(self.groups, X.shape[1])[found.support])
            records.append({
                "status": "feasible", "objective": found.objective, "bound": bound, "size": found.result.size,
                "found_by": found.result.found_by, "evaluations": found.result.evaluations,
                "seconds": found.result.seconds, "b": held.tolist(),
                "x": [[int(j), float(found.coefficients[j])] for j in found.support],
            })  # fmt: skip
        return Frontier(family, [float(number) for number in numbers], records, seconds)


@dataclass
class _Path:
    """Problems along the number of columns."""

    X: Matrix
    y: Vector
    rules: Rules
    factored: bool
    names: Any
    parameter: str = "n_nonzero"

    def problem(self, value: float) -> Problem:
        """At most so many columns."""
        made = subset_problem(self.X, self.y, replace(self.rules, most=int(value)), self.factored)
        if self.names is None:
            return made
        names = [str(name) for name in self.names]
        return made.replace(x_names=names, b_names=names if self.rules.group is None else None)


class _Fitted(RegressorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Coefficients, as a scorer takes them."""

    def __init__(self, coefficients: Vector, intercept: float) -> None:
        self.coefficients, self.intercept = coefficients, intercept

    def fit(self, X: Any, y: Any = None) -> _Fitted:
        """Nothing to do."""
        return self

    def predict(self, X: Any) -> Vector:
        """X w and the intercept."""
        return np.asarray(X @ self.coefficients + self.intercept)

    def __sklearn_is_fitted__(self) -> bool:
        return True


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _limits(bounds: Any, columns: int) -> tuple[Vector, Vector]:
    """Least and largest coefficient of every column."""
    if bounds is None:
        return np.full(columns, -np.inf), np.full(columns, np.inf)
    try:
        lower, upper = bounds
    except (TypeError, ValueError):
        raise ArgumentError(f"bounds is {bounds!r}; give a pair: the least and the largest coefficient") from None
    found = []
    for side, values, none in (("lower", lower, -np.inf), ("upper", upper, np.inf)):
        try:
            vector = np.array(np.broadcast_to(none if values is None else values, columns), dtype=np.float64)
        except (TypeError, ValueError):
            raise ArgumentError(f"bounds has {side} limits that are not a number, or {columns} of them") from None
        if np.isnan(vector).any():
            raise ArgumentError(f"bounds[{0 if side == 'lower' else 1}] has NaN; give numbers, or None for no limit")
        found.append(vector)
    if (found[0] > found[1]).any():
        j = int(np.argmax(found[0] > found[1]))
        pair = f"{found[0][j]:g} and {found[1][j]:g}"
        raise ArgumentError(f"bounds of column {j} are {pair}; the first must not be larger")
    return found[0], found[1]


def _groups(groups: Any, columns: int) -> NDArray[np.intp]:
    if isinstance(groups, Mapping):
        raise ArgumentError("groups is a mapping; give a label for each column, in their order")
    labels = np.asarray(groups)
    if labels.shape != (columns,):
        raise ArgumentError(f"groups has shape {labels.shape}; it must have a label for each of the {columns} columns")
    _, index = np.unique(labels, return_inverse=True)
    return np.asarray(index, dtype=np.intp)
