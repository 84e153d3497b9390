"""From returns of the past to what a portfolio is made of: expected returns and a covariance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from hybridmip.errors import ArgumentError, ProblemError
from hybridmip.estimators.validation import checked_data, note_columns
from hybridmip.model.quadratic import Vector

#: What is added where returns have gaps.
GAPS = (
    "Of returns: drop the dates or the assets with gaps (X.dropna(), X.dropna(axis=1)), or fill them before (a price "
    "that is carried forward is a return of 0)."
)


@dataclass(frozen=True, eq=False)
class Moments:
    """Estimates for all assets.

    Attributes
    ----------
    mean : ndarray (n,)
    covariance : ndarray (n, n)
    known : ndarray of bool (n,)
        Of which assets there is an estimate; the others have entries that stand for nothing and are not to be held.
    prior : object or None
        The fitted estimator that they are from.
    """

    mean: Vector
    covariance: NDArray[np.float64]
    known: NDArray[np.bool_]
    prior: Any = None


def moments_of(estimator: Any, X: Any, y: Any, prior: Any, further: Mapping[str, Any]) -> Moments:
    """The sample's moments, or those of a prior fitted to X.

    Parameters
    ----------
    estimator : object
        The estimator that is fitted: it keeps the columns of X.
    X : array_like or DataFrame (observations, assets)
    y : array_like or None
        For the prior.
    prior : object or None
        An estimator that has `return_distribution_` after `fit` (skfolio's priors), or `covariance_` (scikit-learn's
        covariances; the mean is `location_` where there is one).
    further : mapping
        For the prior's `fit`.

    Raises
    ------
    ArgumentError
        If the prior is no such estimator.
    ProblemError
        If there is no asset with an estimate.
    """
    if prior is None:
        values = _checked_returns(estimator, X)
        covariance = np.atleast_2d(np.cov(values, rowvar=False))
        return Moments(values.mean(axis=0), covariance, np.ones(values.shape[1], dtype=bool))
    if isinstance(prior, type) or not hasattr(prior, "fit"):
        raise ArgumentError(f"prior_estimator is {prior!r}; give an instance of an estimator, or None for the sample's")
    note_columns(estimator, X)
    fitted = clone(prior).fit(X, y, **further)
    found = getattr(fitted, "return_distribution_", None)
    if found is not None:
        mean, covariance = found.mu, found.covariance
    elif hasattr(fitted, "covariance_"):
        mean, covariance = getattr(fitted, "location_", None), fitted.covariance_
    else:
        raise ArgumentError(
            f"prior_estimator is a {type(prior).__name__}, which has neither return_distribution_ nor covariance_ "
            "after fit; give a prior of skfolio or a covariance of scikit-learn"
        )
    mean = np.asarray(X, dtype=np.float64).mean(axis=0) if mean is None else np.array(mean, dtype=np.float64)
    return _without_unknown(mean, np.array(covariance, dtype=np.float64), fitted)


def _checked_returns(estimator: Any, X: Any) -> NDArray[np.float64]:
    """Returns as an array; scikit-learn's error about gaps says what can be done about them."""
    try:
        return np.asarray(checked_data(estimator, X, ensure_min_samples=2))
    except ValueError as error:
        if "NaN" in str(error):
            error.add_note(GAPS)
        raise


def _without_unknown(mean: Vector, covariance: NDArray[np.float64], prior: Any) -> Moments:
    """Assets without an estimate (NaN: not listed yet, or no longer) get entries that disturb nothing."""
    known = np.isfinite(mean) & np.isfinite(covariance.diagonal())
    if not known.any():
        raise ProblemError("X has no asset that prior_estimator has an estimate of; give more observations")
    if not known.all():
        mean[~known] = 0.0
        covariance[~known] = 0.0
        covariance[:, ~known] = 0.0
        covariance[~known, ~known] = covariance.diagonal()[known].mean()
    return Moments(mean, covariance, known, prior)
