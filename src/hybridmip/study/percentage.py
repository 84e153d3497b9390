"""The percentage error of Chang et al. (2000): how far a portfolio is from the unconstrained frontier."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hybridmip.errors import ArgumentError
from hybridmip.model.quadratic import Vector


@dataclass(frozen=True)
class PercentageErrors:
    """Errors in percent, one per portfolio; NaN where undefined.

    Attributes
    ----------
    in_risk : ndarray
        100 |s - s*| / s*, with s* the frontier's standard deviation at the portfolio's return; undefined where that
        return is outside the frontier's returns.
    in_return : ndarray
        100 |r - r*| / |r*|, with r* the frontier's return at the portfolio's standard deviation; undefined where that
        risk is outside the frontier's risks.
    smaller : ndarray
        The smaller of the two that are defined.
    """

    in_risk: Vector
    in_return: Vector
    smaller: Vector


def percentage_errors(
    risks: ArrayLike, returns: ArrayLike, free_risks: ArrayLike, free_returns: ArrayLike
) -> PercentageErrors:
    """Distance of portfolios to the unconstrained frontier, which is interpolated linearly between its points.

    Parameters
    ----------
    risks, returns : array_like
        Standard deviation and expected return of each portfolio; NaN where there is none.
    free_risks, free_returns : array_like
        Points of the unconstrained frontier, in any order.

    Raises
    ------
    ArgumentError
        If the frontier has no two points, or lengths differ.
    """
    s, r = np.asarray(risks, dtype=float), np.asarray(returns, dtype=float)
    free_s, free_r = np.asarray(free_risks, dtype=float), np.asarray(free_returns, dtype=float)
    if s.shape != r.shape or free_s.shape != free_r.shape:
        raise ArgumentError("risks and returns differ in length; give one of each per portfolio and per frontier point")
    if free_s.ndim != 1 or free_s.size < 2:
        raise ArgumentError("free_risks has fewer than two points; a frontier needs two")
    in_risk = _relative(s, _interpolate(r, free_r, free_s))
    in_return = _relative(r, _interpolate(s, free_s, free_r))
    return PercentageErrors(in_risk, in_return, np.fmin(in_risk, in_return))


def _interpolate(at: Vector, grid: Vector, values: Vector) -> Vector:
    """Linear interpolation; NaN outside the grid."""
    order = np.lexsort((values, grid))
    result = np.interp(at, grid[order], values[order], left=np.nan, right=np.nan)
    # A target that is the frontier's end is on it, whatever the last digit says.
    span = 1e-9 * max(abs(grid).max(), 1e-300)
    for end, place in ((grid[order[0]], order[0]), (grid[order[-1]], order[-1])):
        result = np.where(np.isnan(result) & (np.abs(at - end) <= span), values[place], result)
    return np.asarray(result, dtype=float)


def _relative(value: Vector, reference: Vector) -> Vector:
    with np.errstate(divide="ignore", invalid="ignore"):
        error = 100 * np.abs(value - reference) / np.abs(reference)
    return np.where(np.isfinite(error), error, np.nan)
