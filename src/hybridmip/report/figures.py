"""Figures for paper: the frontier with its certified band, and the weights along it.

`matplotlib.figure.Figure` is used directly, so no backend is chosen and no global state is touched.
Matplotlib takes half a second and is loaded by who draws.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hybridmip.errors import ArgumentError, FileError
from hybridmip.report import marks
from hybridmip.run.words import relative_gap
from hybridmip.tolerances import OPTIMAL_GAP

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

# Okabe and Ito's colours for points and lines, Tol's muted ones for areas: every kind of colour vision
# tells them apart.
_BLUE, _SKY, _VERMILION, _ORANGE = "#0072B2", "#56B4E9", "#D55E00", "#E69F00"
# An asset has the same colour on the page (--area-0 and so on); the last is for all others.
AREA_COLOURS = (
    "#332288", "#88CCEE", "#117733", "#DDCC77", "#882255", "#44AA99", "#661100",
    "#CC6677", "#6699CC", "#999933", "#AA4499", "#EE8866", "#B4BAC2",
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


@dataclass(frozen=True)
class Beside:
    """What is drawn beside the points of a frontier.

    Attributes
    ----------
    unconstrained : pair of array_like, optional
        Returns and variances of the frontier without cardinality and minimum weights.
    infeasible : array_like
        Returns that no portfolio has, proven.
    chosen : pair of float, optional
        Return and variance of one portfolio to mark.
    single_assets : pair of array_like, optional
        Return and risk of each asset alone; those far from the frontier are left out.
    sharpe : (float, float, str), optional
        Return and risk of the point with the largest Sharpe ratio, and what it is called.
    """

    unconstrained: tuple[ArrayLike, ArrayLike] | None = None
    infeasible: ArrayLike = ()
    chosen: tuple[float, float] | None = None
    single_assets: tuple[ArrayLike, ArrayLike] | None = None
    sharpe: tuple[float, float, str] | None = None


@dataclass(frozen=True)
class Line:
    """A parameter and what was found along it, for `draw_curve`.

    Attributes
    ----------
    values, found, bounds : array_like
        Of each point: the parameter, the value found (NaN for none) and its proven lower bound.
    label, y_label : str
    optimal : array_like of bool, optional
        Which points are proven optimal, hence filled; those whose gap is closed if left out.
    infeasible : array_like
        Values of the parameter for which there is no answer, proven.
    percent, whole, log : bool
        Whether what was found is shown in percent; whether the parameter is a count; whether its axis is logarithmic.
    """

    values: ArrayLike
    found: ArrayLike
    bounds: ArrayLike
    label: str
    y_label: str = "objective"
    optimal: ArrayLike | None = None
    infeasible: ArrayLike = ()
    percent: bool = False
    whole: bool = False
    log: bool = False


def frontier_figure(
    returns: ArrayLike,
    variances: ArrayLike,
    bounds: ArrayLike,
    *,
    optimal: ArrayLike | None = None,
    beside: Beside | None = None,
    weights: pd.DataFrame | None = None,
    groups: Mapping[str, str] | None = None,
    group_title: str = "group",
    title: str = "Efficient frontier",
) -> Figure:
    """Constrained points against the unconstrained frontier, and the weights along them below.

    Parameters
    ----------
    returns, variances, bounds : array_like
        Of each point: expected return, variance found, and proven lower bound of the variance. A point that
        is not finite in return or variance is left out; a bound that is not finite leaves a hole in the band.
    optimal : array_like of bool, optional
        Which points are proven optimal: their dots are filled, the others hollow. Those whose gap is closed if left
        out.
    beside : Beside, optional
        What is drawn beside them.
    weights : pandas.DataFrame, optional
        One row per point, one column per asset; without it there is no lower panel. Short positions are below zero.
    groups : mapping, optional
        Group of each asset. The areas are then coloured by group, else by asset.
    group_title : str
        What a group is called: sector, country.
    title : str
        Heading of the upper panel.

    Returns
    -------
    matplotlib.figure.Figure
        Not attached to any window; `save_figure` writes it, a notebook shows it.

    Raises
    ------
    ArgumentError
        When the arguments differ in length.
    """
    import matplotlib as mpl

    from hybridmip.report.inline_figure import InlineFigure  # with Matplotlib

    level = np.asarray(returns, dtype=float)
    if weights is not None and len(weights) != len(level):
        raise ArgumentError(f"weights has {len(weights)} rows and returns has {len(level)}; give one per point")
    order = np.argsort(level, kind="stable")
    order = order[np.isfinite(level[order])]
    with mpl.rc_context(_STYLE):
        figure = InlineFigure(figsize=(7.0, 7.6 if weights is not None else 4.2), layout="constrained")
        grid = None if weights is None else figure.add_gridspec(2, 1, height_ratios=(1.25, 1.0))
        axes = figure.add_subplot() if grid is None else figure.add_subplot(grid[0])
        draw_frontier(axes, returns, variances, bounds, optimal=optimal, beside=beside, title=title)
        # Below the axes, where it hides no point.
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2)
        if grid is not None and weights is not None:
            order = order[np.isfinite(np.asarray(variances, dtype=float)[order])]
            _draw_weights(figure.add_subplot(grid[1]), level[order], weights.iloc[order], groups, group_title)
    return figure


def curve_figure(line: Line, title: str = "") -> Figure:
    """What was found and the certified bound along any parameter."""
    import matplotlib as mpl

    from hybridmip.report.inline_figure import InlineFigure  # with Matplotlib

    with mpl.rc_context(_STYLE):
        figure = InlineFigure(figsize=(6.4, 4.2), layout="constrained")
        draw_curve(figure.add_subplot(), line, title)
    return figure


def draw_curve(axes: Axes, line: Line, title: str = "") -> None:
    """The same into axes that are there already."""
    from matplotlib.ticker import MaxNLocator

    at, value, bound = (np.asarray(part, dtype=float) for part in (line.values, line.found, line.bounds))
    full = _filled(line.optimal, value, bound)
    held = np.isfinite(value)
    certified = np.isfinite(bound) & held
    if certified.any():
        axes.fill_between(at, bound, value, where=certified, color=_SKY, alpha=0.45, linewidth=0, label=marks.BAND)
    axes.plot(at[held], value[held], color=_BLUE, linewidth=0.9, alpha=0.6)
    _draw_dots(axes, at, value, full, held)
    missing = np.asarray(line.infeasible, dtype=float)
    if missing.size:
        axes.plot(
            missing, np.zeros(missing.size), linestyle="none", marker="x", markersize=5, color=_VERMILION,
            transform=axes.get_xaxis_transform(), clip_on=False, label=marks.INFEASIBLE,
        )  # fmt: skip
    axes.set_title(title)
    axes.set_xlabel(line.label)
    axes.set_ylabel(line.y_label)
    if line.log:
        axes.set_xscale("log")
    elif line.whole:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if line.percent:
        _percent_axis(axes.yaxis)
    axes.legend()


def as_axes(ax: object) -> Axes:
    """The axes that a caller gave.

    Raises
    ------
    ArgumentError
        If it is something else.
    """
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise ArgumentError(f"ax is {ax!r}; it must be Axes of Matplotlib, such as figure.add_subplot() gives")
    return ax


def _filled(optimal: ArrayLike | None, value: NDArray[np.float64], bound: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which dots are filled: those said to be proven optimal, else those whose gap is closed."""
    if optimal is not None:
        full = np.asarray(optimal, dtype=bool)
        if len(full) != len(value):
            raise ArgumentError(
                f"optimal has {len(full)} entries and there are {len(value)} points; give one per point"
            )
        return full
    pairs = zip(value.tolist(), bound.tolist(), strict=True)
    return np.array([relative_gap(one, low) <= OPTIMAL_GAP for one, low in pairs], dtype=bool)


def _draw_dots(
    axes: Axes, x: NDArray[np.float64], y: NDArray[np.float64], full: NDArray[np.bool_], held: NDArray[np.bool_]
) -> None:
    """Filled dots for what is proven optimal, hollow ones for what is only the best found: as on the page."""
    for which, label, face, edge, width in (
        (held & full, marks.OPTIMAL, _BLUE, "white", 0.7),
        (held & ~full, marks.FEASIBLE, "white", _BLUE, 1.3),
    ):
        if which.any():
            axes.plot(
                x[which], y[which], linestyle="none", marker="o", markersize=5, color=_BLUE, markerfacecolor=face,
                markeredgecolor=edge, markeredgewidth=width, label=label, zorder=3,
            )  # fmt: skip


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


def draw_frontier(
    axes: Axes,
    returns: ArrayLike,
    variances: ArrayLike,
    bounds: ArrayLike,
    *,
    optimal: ArrayLike | None = None,
    beside: Beside | None = None,
    title: str = "",
) -> None:
    """The upper panel of `frontier_figure` into axes that are there already; arguments as there."""
    level, variance, bound = (np.asarray(values, dtype=float) for values in (returns, variances, bounds))
    for name, length in (("variances", len(variance)), ("bounds", len(bound))):
        if length != len(level):
            raise ArgumentError(f"{name} has {length} entries and returns has {len(level)}; give one per point")
    full = _filled(optimal, variance, bound)
    order = np.argsort(level, kind="stable")
    order = order[np.isfinite(level[order]) & np.isfinite(variance[order])]
    level, variance, bound, full = level[order], variance[order], bound[order], full[order]
    beside = beside or Beside()
    risk = np.sqrt(np.maximum(variance, 0.0))
    proven = np.sqrt(np.maximum(bound, 0.0))
    free_level, free_variance = (
        (np.asarray(values, dtype=float) for values in beside.unconstrained)
        if beside.unconstrained is not None
        else (np.zeros(0), np.zeros(0))
    )
    free_risk = np.sqrt(np.maximum(free_variance, 0.0))
    if free_risk.size:
        axes.plot(
            free_risk, free_level, color=_FAINT, linewidth=1.2, linestyle=(0, (4, 2)), label=f"frontier {marks.FREE}"
        )
    if beside.single_assets is not None:
        up, across = (np.asarray(values, dtype=float) for values in beside.single_assets)
        inside = marks.near(np.append(risk, free_risk), across) & marks.near(np.append(level, free_level), up)
        axes.plot(
            across[inside], up[inside], linestyle="none", marker="o", markersize=2, color=_FAINT, label=marks.SINGLE
        )
    infeasible = np.asarray(beside.infeasible, dtype=float)
    if infeasible.size:
        around = np.append(risk, free_risk)
        left = 0.97 * float(around.min()) if around.size else 0.0
        axes.plot(
            np.full(infeasible.size, left), infeasible, linestyle="none", marker="x", markersize=5, color=_VERMILION,
            label=marks.INFEASIBLE,
        )  # fmt: skip
    certified = np.isfinite(bound)
    if certified.any():
        words = marks.gap_at_most(variance[certified], bound[certified])
        label = f"certified: {words}" if words else marks.BAND
        axes.fill_betweenx(level, proven, risk, where=certified, color=_SKY, alpha=0.45, linewidth=0, label=label)
    axes.plot(risk, level, color=_BLUE, linewidth=0.9, alpha=0.6)
    _draw_dots(axes, risk, level, full, np.ones(len(level), dtype=bool))
    if beside.sharpe is not None:
        axes.plot(
            [beside.sharpe[1]], [beside.sharpe[0]], linestyle="none", marker="*", markersize=14, color=_ORANGE,
            markeredgecolor=_INK, markeredgewidth=0.7, label=beside.sharpe[2], zorder=2.5,
        )  # fmt: skip
    if beside.chosen is not None:
        axes.plot(
            [np.sqrt(beside.chosen[1])], [beside.chosen[0]], linestyle="none", marker="D", markersize=7,
            color=_VERMILION, markeredgecolor="white", markeredgewidth=0.8, label="portfolio of the example", zorder=4,
        )  # fmt: skip
    axes.set_title(title)
    axes.set_xlabel("risk per period (standard deviation)")
    axes.set_ylabel("expected return per period")
    _percent_axis(axes.xaxis)
    _percent_axis(axes.yaxis)
    axes.legend(loc="best")


def _draw_weights(
    axes: Axes,
    level: NDArray[np.float64],
    weights: pd.DataFrame,
    groups: Mapping[str, str] | None,
    group_title: str,
) -> None:
    held = weights.loc[:, (weights.fillna(0.0) != 0.0).any(axis=0)].fillna(0.0)
    total = held.abs().sum(axis=0).sort_values(ascending=False, kind="stable")
    label_of = {name: str(name) if groups is None else groups.get(str(name), marks.NO_GROUP) for name in total.index}
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

    # Long positions are stacked upwards from zero, short ones downwards.
    base = {1.0: np.zeros(len(level)), -1.0: np.zeros(len(level))}
    for label in labels:
        first = True
        for name in (name for name in total.index if label_of[name] == label):
            weight = held[name].to_numpy(dtype=float)
            for sign in (1.0, -1.0):
                part = np.where(sign * weight > 0, weight, 0.0)
                if not part.any():
                    continue
                axes.fill_between(
                    level, base[sign], base[sign] + part, color=colour[label], alpha=0.9, edgecolor="white",
                    linewidth=0.5, label=label if first else None,
                )  # fmt: skip
                base[sign], first = base[sign] + part, False
    axes.set_title("Weights along the frontier" + ("" if groups is None else f", by {group_title}"))
    axes.set_xlabel("expected return per period")
    axes.set_ylabel("weight")
    _percent_axis(axes.xaxis)
    _percent_axis(axes.yaxis)
    axes.grid(False)
    if len(level) > 1 and level[-1] > level[0]:
        axes.set_xlim(level[0], level[-1])
    if len(level):
        lowest = float(base[-1.0].min())
        axes.set_ylim(1.02 * lowest, float(base[1.0].max()) * (1.02 if lowest < 0 else 1.0))
        if lowest < 0:
            axes.axhline(0.0, color=_INK, linewidth=0.8)
    axes.figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=min(5, len(labels) or 1))
