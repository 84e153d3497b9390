"""Figures for paper: the frontier with its certified band, and the weights along it.

`matplotlib.figure.Figure` is used directly, so no backend is chosen and no global state is touched.
Matplotlib takes half a second and is loaded by who draws.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hybridmip.errors import ArgumentError, FileError
from hybridmip.report.terminal import CLOSED, percent_above, round_up

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

# Okabe and Ito's colours for points and lines, Tol's muted ones for areas: every kind of colour vision
# tells them apart.
_BLUE, _SKY, _VERMILION = "#0072B2", "#56B4E9", "#D55E00"
AREA_COLOURS = (
    "#332288", "#88CCEE", "#44AA99", "#117733", "#999933",
    "#DDCC77", "#CC6677", "#882255", "#AA4499", "#BBBBBB",
)  # fmt: skip
_OTHERS = "all others"
_INK = "#222222"
_FAINT = "#8A8A8A"
_STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": _FAINT,
    "axes.labelcolor": _INK,
    "axes.titlesize": 10.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.6,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
}


def frontier_figure(
    returns: ArrayLike,
    variances: ArrayLike,
    bounds: ArrayLike,
    *,
    unconstrained: tuple[ArrayLike, ArrayLike] | None = None,
    weights: pd.DataFrame | None = None,
    groups: Mapping[str, str] | None = None,
    group_title: str = "group",
    chosen: tuple[float, float] | None = None,
    title: str = "Efficient frontier",
    infeasible: ArrayLike | None = None,
) -> Figure:
    """Constrained points against the unconstrained frontier, and the weights along them below.

    Parameters
    ----------
    returns, variances, bounds : array_like
        Of each point: expected return, variance found, and proven lower bound of the variance. A point that
        is not finite in return or variance is left out; a bound that is not finite leaves a hole in the band.
    unconstrained : pair of array_like, optional
        Returns and variances of the frontier without cardinality and minimum weights.
    weights : pandas.DataFrame, optional
        One row per point, one column per asset; without it there is no lower panel.
    groups : mapping, optional
        Group of each asset. The areas are then coloured by group, else by asset.
    group_title : str
        What a group is called: sector, country.
    chosen : pair of float, optional
        Return and variance of one portfolio to mark.
    title : str
        Heading of the upper panel.
    infeasible : array_like, optional
        Returns that no portfolio has, proven.

    Returns
    -------
    matplotlib.figure.Figure
        Not attached to any window; `save_figure` writes it.

    Raises
    ------
    ArgumentError
        When the arguments differ in length.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    level, variance, bound = (np.asarray(values, dtype=float) for values in (returns, variances, bounds))
    for name, length in (("variances", len(variance)), ("bounds", len(bound))):
        if length != len(level):
            raise ArgumentError(f"{name} has {length} entries and returns has {len(level)}; give one per point")
    if weights is not None and len(weights) != len(level):
        raise ArgumentError(f"weights has {len(weights)} rows and returns has {len(level)}; give one per point")

    order = np.argsort(level, kind="stable")
    order = order[np.isfinite(level[order]) & np.isfinite(variance[order])]
    level, variance, bound = level[order], variance[order], bound[order]
    without = None if infeasible is None else np.asarray(infeasible, dtype=float)
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(7.0, 7.6 if weights is not None else 4.2), layout="constrained")
        if weights is None:
            _draw_frontier(figure.add_subplot(), level, variance, bound, unconstrained, chosen, title, without)
        else:
            grid = figure.add_gridspec(2, 1, height_ratios=(1.25, 1.0))
            _draw_frontier(figure.add_subplot(grid[0]), level, variance, bound, unconstrained, chosen, title, without)
            _draw_weights(figure.add_subplot(grid[1]), level, weights.iloc[order], groups, group_title)
    return figure


def curve_figure(values: ArrayLike, objectives: ArrayLike, bounds: ArrayLike, *, label: str, title: str = "") -> Figure:
    """The best value found and the certified bound along any parameter."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(6.4, 4.2), layout="constrained")
        axes = figure.add_subplot()
        at, value, bound = (np.asarray(part, dtype=float) for part in (values, objectives, bounds))
        certified = np.isfinite(bound) & np.isfinite(value)
        if certified.any():
            axes.fill_between(
                at, bound, value, where=certified, color=_SKY, alpha=0.45, linewidth=0,
                label="where the optimum can lie",
            )  # fmt: skip
        axes.plot(at, value, color=_BLUE, marker="o", markersize=5, linewidth=0.9, label="best found")
        axes.set_title(title)
        axes.set_xlabel(label)
        axes.set_ylabel("objective")
        axes.legend()
    return figure


def save_figure(figure: Figure, path: str | Path, dpi: int = 200) -> Path:
    """Write a figure; the ending of `path` (.png, .pdf, .svg) chooses the format."""
    path = Path(path)
    try:
        figure.savefig(path, dpi=dpi)
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}; choose another place") from None
    return path


def _percent_axis(axis: Axis) -> None:
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.6g} %"))


def _draw_frontier(
    axes: Axes,
    level: NDArray[np.float64],
    variance: NDArray[np.float64],
    bound: NDArray[np.float64],
    unconstrained: tuple[ArrayLike, ArrayLike] | None,
    chosen: tuple[float, float] | None,
    title: str,
    infeasible: NDArray[np.float64] | None = None,
) -> None:
    risk = np.sqrt(np.maximum(variance, 0.0))
    proven = np.sqrt(np.maximum(bound, 0.0))
    if unconstrained is not None:
        free_level, free_variance = (np.asarray(values, dtype=float) for values in unconstrained)
        label = "frontier without the limits"
        axes.plot(
            np.sqrt(np.maximum(free_variance, 0.0)),
            free_level,
            color=_FAINT,
            linewidth=1.2,
            linestyle=(0, (4, 2)),
            label=label,
        )
    if infeasible is not None and infeasible.size:
        free = [] if unconstrained is None else np.sqrt(np.maximum(np.asarray(unconstrained[1], dtype=float), 0.0))
        left = 0.97 * np.nanmin(np.append(risk, free))
        axes.plot(
            np.full(infeasible.size, left), infeasible, linestyle="none", marker="x", markersize=5, color=_VERMILION,
            label="no such portfolio (proven)",
        )  # fmt: skip
    certified = np.isfinite(bound)
    if certified.any():
        label = "where the optimum can lie"
        if (bound[certified] > 0.0).all():
            worst = max(
                percent_above(float(value), float(low))
                for value, low in zip(variance[certified], bound[certified], strict=True)
            )
            label = f"certified: variance at most {round_up(max(worst, CLOSED))} % above the optimum"
        axes.fill_betweenx(level, proven, risk, where=certified, color=_SKY, alpha=0.45, linewidth=0, label=label)
    axes.plot(risk, level, color=_BLUE, linewidth=0.9, alpha=0.6)
    axes.plot(
        risk,
        level,
        linestyle="none",
        marker="o",
        markersize=5,
        color=_BLUE,
        markeredgecolor="white",
        markeredgewidth=0.7,
        label="best portfolio found",
        zorder=3,
    )
    if chosen is not None:
        axes.plot(
            [np.sqrt(chosen[1])],
            [chosen[0]],
            linestyle="none",
            marker="D",
            markersize=7,
            color=_VERMILION,
            markeredgecolor="white",
            markeredgewidth=0.8,
            label="portfolio of the example",
            zorder=4,
        )
    axes.set_title(title)
    axes.set_xlabel("risk per period (standard deviation)")
    axes.set_ylabel("expected return per period")
    _percent_axis(axes.xaxis)
    _percent_axis(axes.yaxis)
    axes.legend(loc="lower right")


def _draw_weights(
    axes: Axes,
    level: NDArray[np.float64],
    weights: pd.DataFrame,
    groups: Mapping[str, str] | None,
    group_title: str,
) -> None:
    held = weights.loc[:, (weights.fillna(0.0) != 0.0).any(axis=0)].fillna(0.0)
    total = held.sum(axis=0).sort_values(ascending=False, kind="stable")
    label_of = {name: str(name) if groups is None else groups.get(str(name), "none") for name in total.index}
    share: dict[str, float] = {}
    for name, value in total.items():
        share[label_of[name]] = share.get(label_of[name], 0.0) + float(value)
    labels = sorted(share, key=lambda label: -share[label])
    if len(labels) > len(AREA_COLOURS):
        kept = labels[: len(AREA_COLOURS) - 1]
        label_of = {name: label if label in kept else _OTHERS for name, label in label_of.items()}
        labels = [*kept, _OTHERS]
    colour = dict(zip(labels, AREA_COLOURS, strict=False))
    if _OTHERS in colour:
        colour[_OTHERS] = AREA_COLOURS[-1]

    base = np.zeros(len(level))
    for label in labels:
        first = True
        for name in (name for name in total.index if label_of[name] == label):
            top = base + held[name].to_numpy(dtype=float)
            axes.fill_between(
                level,
                base,
                top,
                color=colour[label],
                alpha=0.9,
                edgecolor="white",
                linewidth=0.5,
                label=label if first else None,
            )
            base, first = top, False
    axes.set_title("Weights along the frontier" + ("" if groups is None else f", by {group_title}"))
    axes.set_xlabel("expected return per period")
    axes.set_ylabel("weight")
    _percent_axis(axes.xaxis)
    _percent_axis(axes.yaxis)
    axes.grid(False)
    if len(level) > 1 and level[-1] > level[0]:
        axes.set_xlim(level[0], level[-1])
    if base.size:
        axes.set_ylim(0.0, float(base.max()))
    axes.figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=min(5, len(labels) or 1))
