"""What a portfolio is made of, checked: returns, covariance, number of assets, limits of weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from hybridmip.applications.arguments import hint, number, whole
from hybridmip.applications.portfolio.labels import index_labels, is_frame, is_series, places, unique
from hybridmip.errors import Argument, ArgumentError, ProblemError
from hybridmip.model.quadratic import QuadraticForm, Vector, frozen, quadratic_form

AssetCount: TypeAlias = int | tuple[int | None, int | None]
#: The argument, and its two ends where it is a pair, as messages name them.
ASSETS, FEWEST, MOST = Argument("assets"), Argument("assets[0]"), Argument("assets[1]")


def checked_returns(returns: Any, names: Sequence[str] | None, covariance: Any) -> tuple[tuple[str, ...], Vector]:
    """(names, expected returns in that order)."""
    if isinstance(names, str):
        raise ArgumentError(f"names is {names!r}; give a list of names")
    given = None if names is None else unique("names", tuple(str(name) for name in names))
    own = index_labels(returns.index) if is_series(returns) else None
    if isinstance(returns, Mapping):
        own, returns = tuple(str(name) for name in returns), list(returns.values())
    if own is not None:
        unique("returns", own)
    mean = _numbers("returns", returns)
    if mean.ndim != 1 or mean.size == 0:
        raise ProblemError(f"returns has shape {mean.shape}; it must be a vector with one entry per asset")
    n = mean.size
    if given is not None and len(given) != n:
        raise ProblemError(f"names has {len(given)} entries but returns has {n}; sizes must agree")
    if given is not None and own is not None:
        mean = mean[places("returns", own, "names", given)]
    labels = index_labels(covariance.columns) if is_frame(covariance) else None
    if labels is not None and len(labels) != n:
        raise ProblemError(f"covariance is for {len(labels)} assets but returns has {n}; sizes must agree")
    known = given or own or labels or tuple(f"asset{i + 1}" for i in range(n))
    return known, _finite("returns", mean, known)


def checked_covariance(covariance: Any, names: tuple[str, ...], n: int) -> QuadraticForm:
    """The covariance as a validated form, in the order of the names."""
    if covariance is None:
        raise ProblemError("covariance is None; give a matrix, a vector for a diagonal, or a FactorModel")
    if is_frame(covariance):
        matrix = _numbers("covariance", covariance)
        for axis, index in ((0, covariance.index), (1, covariance.columns)):
            labels = index_labels(index)
            if labels is not None:
                matrix = matrix.take(places("covariance", unique("covariance", labels), "returns", names), axis)
        covariance = matrix
    elif is_series(covariance):
        labels = index_labels(covariance.index)
        vector = _numbers("covariance", covariance)
        if labels is not None:
            vector = vector[places("covariance", unique("covariance", labels), "returns", names)]
        covariance = vector
    elif sparse.issparse(covariance):
        _refuse_complex("covariance", covariance)
    elif not isinstance(covariance, QuadraticForm):
        covariance = _numbers("covariance", covariance)
    size = covariance.n if isinstance(covariance, QuadraticForm) else covariance.shape[0] if covariance.ndim else 0
    if size != n:
        raise ProblemError(f"covariance is for {size} assets but returns has {n}; sizes must agree")
    if isinstance(covariance, np.ndarray) and covariance.ndim == 2:
        for i in np.flatnonzero(covariance.diagonal() < 0):
            raise ProblemError(
                f"covariance[{i}, {i}] ({names[i]}) is {covariance[i, i]:g}; a variance is never negative"
            )
    form = quadratic_form(covariance, n, "covariance")
    assert form is not None  # only for None, which is excluded above
    return form


def checked_count(assets: Any, n: int) -> AssetCount | None:
    """How many of n assets to hold."""
    if assets is None:
        return None
    if not isinstance(assets, tuple | list):
        count = whole(ASSETS, assets, 1)
        if count > n:
            raise ArgumentError(ASSETS, f" is {count} but there are {n} to choose from; lower it")
        return count
    if len(assets) != 2:
        raise ArgumentError(ASSETS, f" is {assets!r}; give a number, or a pair (fewest, most)")
    low = None if assets[0] is None else whole(FEWEST, assets[0], 0)
    high = None if assets[1] is None else whole(MOST, assets[1], 1)
    if low is not None and low > n:
        raise ArgumentError(FEWEST, f" is {low} but there are {n} to choose from; lower it")
    if low is not None and high is not None and low > high:
        raise ArgumentError(ASSETS, f" is ({low}, {high}); the fewest must not exceed the most")
    return low, None if high is None else min(high, n)


def checked_weights(argument: str, values: Any, names: tuple[str, ...], default: float) -> Vector:
    """One finite limit per asset, from a number, a vector, a Series or a dict by name."""
    n = len(names)
    if isinstance(values, Mapping):
        place = {name: i for i, name in enumerate(names)}
        vector = np.full(n, default)
        for name, value in values.items():
            if str(name) not in place:
                raise ArgumentError(argument, f" names {name!r}, which is no asset; {hint(str(name), names)}")
            vector[place[str(name)]] = number(f"{argument}[{name!r}]", value)
        return frozen(vector)
    if is_series(values) and (labels := index_labels(values.index)) is not None:
        values = _numbers(argument, values)[places(argument, unique(argument, labels), "returns", names)]
    vector = _numbers(argument, values)
    if vector.ndim == 0:
        vector = np.full(n, number(argument, float(vector)))
    if vector.shape != (n,):
        raise ProblemError(argument, f" has shape {vector.shape}; it must be a number or ({n},)")
    return _finite(argument, vector, names)


def by_name(argument: str, values: Any) -> Any:
    """A Series as a dict, which may leave assets out, such as the weights of an answer; anything else as it is."""
    if is_series(values) and (labels := index_labels(values.index)) is not None:
        return dict(zip(unique(argument, labels), values, strict=True))
    return values


def _numbers(argument: str, values: Any) -> Vector:
    """values as an array of floats, of any shape."""
    _refuse_complex(argument, values)
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ProblemError(argument, f" is not numeric ({error}); give numbers") from None


def _refuse_complex(argument: str, values: Any) -> None:
    """Converting to float would drop imaginary parts without a word."""
    try:
        found = np.iscomplexobj(values)
    except ValueError:  # ragged: refused where it is converted
        return
    if found:
        raise ProblemError(argument, " is complex; give real numbers (.real, if the imaginary parts are rounding)")


def _finite(argument: str, values: Vector, names: tuple[str, ...]) -> Vector:
    """values, read-only; an error names the first entry that is not finite, and its asset."""
    for i in np.flatnonzero(~np.isfinite(values)):
        shown = "NaN" if np.isnan(values[i]) else "infinite"
        raise ProblemError(f"{argument}[{i}] ({names[i]}) is {shown}; every entry must be finite")
    return frozen(values)


def checked_names(argument: str, given: Any, known: tuple[str, ...]) -> tuple[str, ...]:
    """Names of assets that there are, each once."""
    if given is None:
        return ()
    if isinstance(given, str):
        raise ArgumentError(f"{argument} is {given!r}; give a list of names, such as [{given!r}]")
    names = tuple(dict.fromkeys(str(name) for name in given))
    for name in names:
        if name not in known:
            raise ArgumentError(f"{argument} names {name!r}, which is no asset; {hint(name, known)}")
    return names
