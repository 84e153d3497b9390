"""What scikit-learn checks of the data, in the versions that there are."""

from __future__ import annotations

from typing import Any

import numpy as np

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before scikit-learn 1.6
    validate_data = None


def checked_data(estimator: Any, X: Any, y: Any = "no_validation", *, reset: bool = True, **rules: Any) -> Any:
    """X (or X and y) as arrays of floats, finite; names and number of columns are kept, or compared with those kept.

    Parameters
    ----------
    estimator : object
        An estimator of scikit-learn, which gets `n_features_in_` and, where X has names, `feature_names_in_`.
    X : array_like or DataFrame (observations, columns)
    y : array_like, optional
        Returned beside X where it is given.
    reset : bool
        True in `fit`; False where X must look like that of `fit`.
    **rules
        As of `sklearn.utils.check_array`.
    """
    rules.setdefault("dtype", np.float64)
    if validate_data is None:
        return estimator._validate_data(X, y, reset=reset, **rules)
    return validate_data(estimator, X, y, reset=reset, **rules)


def note_columns(estimator: Any, X: Any) -> None:
    """Only the names and the number of columns are kept; whoever X is handed on to checks its entries."""
    if validate_data is None:
        estimator._check_feature_names(X, reset=True)
        estimator._check_n_features(X, reset=True)
    else:
        validate_data(estimator, X, reset=True, skip_check_array=True)
