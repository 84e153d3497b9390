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
    """

    covariance: Vector
    variance: float
    expected_return: float = 0.0


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
