"""What the picture and the page of a frontier have in common: the words of the legend, what is filled, what fits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hybridmip.run.words import CLOSED, relative_gap, risk_gap, round_up

#: The legend.
FREE = "without the limits"
OPTIMAL = "proven optimal"
FEASIBLE = "best found, not proven optimal"
BAND = "certified: the optimum lies in here"
INFEASIBLE = "proven infeasible"
SINGLE = "single assets"
NO_GROUP = "no group"
#: Single assets are drawn up to so many widths of the frontier away from it, or it would be too small to read.
WIDTHS_AROUND = 1.0


def filled(status: Sequence[str]) -> NDArray[np.bool_]:
    """Which dots are filled: points that are proven optimal. A hollow one is the best that was found."""
    return np.array([one == "optimal" for one in status], dtype=bool)


def gap_at_most(variances: ArrayLike, bounds: ArrayLike) -> str:
    """The widest gap of some variances and what it means for the risk, in words.

    Empty where one has no bound, or all gaps are closed.
    """
    pairs = list(
        zip(np.asarray(variances, dtype=float).tolist(), np.asarray(bounds, dtype=float).tolist(), strict=True)
    )
    if not pairs or not all(np.isfinite(value) and bound > 0 for value, bound in pairs):
        return ""
    gap = max(relative_gap(value, bound) for value, bound in pairs)
    of_risk = max(risk_gap(value, bound) for value, bound in pairs)
    return f"gap at most {round_up(100 * gap)} %, risk gap {round_up(100 * of_risk)} %" if gap > CLOSED else ""


def near(values: ArrayLike, others: ArrayLike) -> NDArray[np.bool_]:
    """Which of the others are near enough to the values to be drawn beside them."""
    drawn, beside = np.asarray(values, dtype=float), np.asarray(others, dtype=float)
    drawn = drawn[np.isfinite(drawn)]
    if not drawn.size:
        return np.asarray(np.isfinite(beside))
    low, high = float(drawn.min()), float(drawn.max())
    around = WIDTHS_AROUND * (high - low) or 0.5 * abs(high) or 1.0
    return np.asarray((beside >= low - around) & (beside <= high + around))


def sharpe_label(ratio: float, risk_free: float) -> str:
    """How the point of the largest Sharpe ratio is called."""
    return f"largest Sharpe ratio: {ratio:.3g} per period (risk-free return {100 * risk_free:.4g} %)"


def is_log(values: Sequence[float]) -> bool:
    """Whether a grid is spaced evenly by ratios rather than by differences: 1, 10, 100, or 1, 2, 5, 10."""
    grid = np.asarray(values, dtype=float)
    if grid.size < 3 or not (grid > 0).all():
        return False
    ratios, steps = np.abs(np.diff(np.log(grid))), np.abs(np.diff(grid))
    if not (ratios.min() > 0 and steps.min() > 0):
        return False
    spread, linear = ratios.max() / ratios.min(), steps.max() / steps.min()
    return bool(spread <= 1.4 and spread < 0.9 * linear)
