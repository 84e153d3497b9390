"""What a portfolio is to follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hybridmip.applications.arguments import number
from hybridmip.applications.portfolio.checks import checked_weights
from hybridmip.errors import Argument, ArgumentError
from hybridmip.model.quadratic import QuadraticForm, Vector

BENCHMARK = Argument("benchmark")


@dataclass(frozen=True, eq=False)
class Benchmark:
    """A benchmark by what its returns have to do with those of the assets.

    Attributes
    ----------
    covariance : ndarray
        Covariance of each asset with it.
    variance : float
        Its own variance.
    expected_return : float
        Its expected return per period.

    Examples
    --------
    >>> import hybridmip as hm
    >>> market = hm.market(assets=12, seed=1)
    >>> index = hm.Benchmark(covariance=market.covariance.matvec([1 / 12] * 12), variance=0.0004)
    >>> market.portfolio(assets=4, objective="tracking", benchmark=index)
    <Portfolio of 12 candidates, assets=4>
    """

    covariance: Vector
    variance: float
    expected_return: float = 0.0

    @classmethod
    def from_returns(cls, returns: Any, assets: Any) -> Benchmark:
        """From its returns and those of the assets over the same dates, by the sample's moments.

        Parameters
        ----------
        returns : array_like (dates,) or Series
        assets : array_like (dates, n) or DataFrame
            The returns from which the covariance of the assets was estimated. Dates of a Series and a DataFrame must be
            the same.

        Raises
        ------
        ArgumentError
            If the dates differ, are fewer than two, or a return is no number.

        Examples
        --------
        >>> import hybridmip as hm
        >>> returns = hm.market(assets=12, seed=1).returns()
        >>> index = hm.Benchmark.from_returns(returns.mean(axis=1), returns)
        >>> portfolio = hm.Portfolio(returns.mean(), returns.cov(), assets=6, objective="tracking", benchmark=index)
        >>> round(portfolio.solve().tracking_error, 4)
        0.0069
        """
        own, others = np.asarray(returns, dtype=np.float64), np.asarray(assets, dtype=np.float64)
        if own.ndim != 1 or others.ndim != 2 or own.size != others.shape[0]:
            raise ArgumentError(
                f"returns of the benchmark have the shape {own.shape}, those of the assets {others.shape}; give one "
                "for every date, and a row of the assets' for the same date"
            )
        labels = getattr(returns, "index", None), getattr(assets, "index", None)
        if labels[0] is not None and labels[1] is not None and not labels[0].equals(labels[1]):
            raise ArgumentError("returns of the benchmark and of the assets have other dates; align them first")
        if own.size < 2 or not (np.isfinite(own).all() and np.isfinite(others).all()):
            raise ArgumentError("returns of the benchmark and of the assets must be numbers, of two dates at least")
        apart = own - own.mean()
        covariance = (others - others.mean(axis=0)).T @ apart / (own.size - 1)
        return cls(covariance, float(apart @ apart) / (own.size - 1), float(own.mean()))


def checked_benchmark(given: Any, names: tuple[str, ...], returns: Vector, covariance: QuadraticForm) -> Benchmark:
    """A benchmark, from its weights in the assets or from its covariances."""
    if isinstance(given, Benchmark):
        moments = checked_weights(BENCHMARK, given.covariance, names, 0.0)
        variance = number("benchmark, variance,", given.variance)
        if variance < 0:
            raise ArgumentError(f"benchmark, variance, is {variance:g}; a variance is never negative")
        return Benchmark(moments, variance, number("benchmark, expected_return,", given.expected_return))
    weights = checked_weights(BENCHMARK, given, names, 0.0)
    if not weights.any():
        raise ArgumentError("benchmark has no weight that is not 0; give its weights in the assets")
    moments = np.asarray(covariance.matvec(weights))
    return Benchmark(moments, float(weights @ moments), float(weights @ returns))
