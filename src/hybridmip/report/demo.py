"""The main job on built-in data: one portfolio, then the frontier around it, each with its proof."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hybridmip.applications.portfolio import Portfolio, PortfolioResult
from hybridmip.errors import FileError
from hybridmip.problem import Problem
from hybridmip.report.terminal import percent_above
from hybridmip.result import Result, StopReason
from hybridmip.solve import solve

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class FrontierPoint:
    """One target of a sweep and its answer; `portfolio` is None where there is none."""

    target: float
    result: Result
    portfolio: PortfolioResult | None = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The point as a document ready for JSON."""
        reading = self.portfolio
        return {
            "target_return": self.target,
            "expected_return": None if reading is None else reading.expected_return,
            "risk": None if reading is None else reading.risk,
            **self.result.to_dict("weights"),
        }


def sweep(
    portfolio: Portfolio,
    targets: Sequence[float] | NDArray[np.float64],
    *,
    time_limit: float | None = None,
    gap: float | None = None,
    seed: int = 0,
    warm_start: Result | None = None,
    on_point: Callable[[int, FrontierPoint], None] | None = None,
) -> tuple[FrontierPoint, ...]:
    """Solve a portfolio for each target in turn, each started from its neighbour's answer.

    Parameters
    ----------
    portfolio : Portfolio
        What to solve; its own target is not used.
    targets : sequence of float
        Target returns, neighbours next to each other.
    time_limit : float, optional
        Seconds for all of them; each gets an even share of what is left.
    gap, seed
        As for `solve`.
    warm_start : Result, optional
        Answer of a target near the first.
    on_point : callable, optional
        Called with each point as it is solved, and how many there are by then.

    Returns
    -------
    tuple of FrontierPoint
        In the order of the targets; fewer of them after Ctrl-C.
    """
    end = None if time_limit is None else time.monotonic() + time_limit
    neighbour = None if warm_start is None else warm_start.b
    points: list[FrontierPoint] = []
    for k, target in enumerate(targets):
        share = None if end is None else max(end - time.monotonic(), 1e-3) / (len(targets) - k)
        asked = portfolio.with_target(float(target))
        try:
            result = solve(asked.problem(), time_limit=share, gap=gap, seed=seed, warm_start=neighbour)
        except KeyboardInterrupt:
            break  # Ctrl-C before the solver was ready for it
        reading = asked.read(result) if result.has_solution else None
        points.append(FrontierPoint(float(target), result, reading))
        if on_point is not None:
            on_point(len(points), points[-1])
        if result.stop_reason == StopReason.INTERRUPTED:
            break
        neighbour = result.b if result.b is not None else neighbour
    return tuple(points)


def unconstrained_frontier(portfolio: Portfolio, points: int = 60) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns and variances of the frontier without count, minimum weights of held assets and groups."""
    low, high = portfolio.efficient_range()
    returns = np.linspace(low, high, points)
    rows = np.vstack([np.ones(portfolio.n), portfolio.returns])
    variances = np.empty(points)
    for k, target in enumerate(returns):
        problem = Problem(
            Q=portfolio.covariance,
            A=rows,
            row_lower=[portfolio.budget, target],
            row_upper=[portfolio.budget, target],
            x_lower=np.minimum(portfolio.min_weight, 0.0),
            x_upper=np.maximum(portfolio.max_weight, 0.0),
        )
        variances[k] = solve(problem).objective
    return returns, variances


def frontier_table(points: Sequence[FrontierPoint], names: Sequence[str]) -> pd.DataFrame:
    """One row per target: what was found, what is proven, and the weight of every asset ever held."""
    import pandas as pd

    def number(value: float) -> float:
        return value if math.isfinite(value) else math.nan

    rows = [
        {
            "target_return": point.target,
            "status": str(point.result.status),
            "risk": point.portfolio.risk if point.portfolio is not None else math.nan,
            "variance": number(point.result.objective),
            "bound": number(point.result.bound),
            "gap": number(point.result.gap),
            "percent_above_optimum": number(percent_above(point.result.objective, point.result.bound)),
            "found_by": point.result.found_by,
            "seconds": point.result.seconds,
        }
        for point in points
    ]
    weights = frontier_weights(points, names)
    return pd.concat([pd.DataFrame(rows), weights.loc[:, (weights.fillna(0.0) != 0.0).any(axis=0)]], axis=1)


def frontier_weights(points: Sequence[FrontierPoint], names: Sequence[str]) -> pd.DataFrame:
    """Weights by point and asset; NaN for a point without an answer."""
    import pandas as pd

    values = np.full((len(points), len(names)), math.nan)
    for k, point in enumerate(points):
        if point.portfolio is not None:
            values[k] = point.portfolio.x
    return pd.DataFrame(values, columns=list(names))


def save_table(table: pd.DataFrame, path: Path, index: bool = True) -> Path:
    """Write a table as CSV; FileError if that cannot be done."""
    try:
        table.to_csv(path, index=index)
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}; choose another place") from None
    return path


def save_frontier(
    folder: Path,
    points: Sequence[FrontierPoint],
    free: tuple[NDArray[np.float64], NDArray[np.float64]],
    chosen: PortfolioResult | None,
    sectors: Mapping[str, str],
    title: str,
    picture: bool = True,
) -> list[Path]:
    """Write frontier.csv and, if asked, frontier.png into a folder; the files written.

    Raises
    ------
    FileError
        If one of them cannot be written.
    """
    names = list(sectors)
    table = frontier_table(points, names)
    files = [save_table(table, folder / "frontier.csv", index=False)]
    if picture:
        from hybridmip.report.figures import frontier_figure, save_figure

        figure = frontier_figure(
            table["target_return"],
            table["variance"],
            table["bound"],
            unconstrained=free,
            weights=frontier_weights(points, names),
            groups=sectors,
            group_title="sector",
            chosen=None if chosen is None else (chosen.expected_return, chosen.variance),
            title=title,
        )
        files.append(save_figure(figure, folder / "frontier.png"))
    return files
