"""The figures of the study: frontiers, objective gaps, convergence, ablation.

Matplotlib takes half a second and is loaded by who draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from hybridmip.run.config import DEFAULT_RELAXATIONS
from hybridmip.study.plan import PARTS
from hybridmip.study.run import Answers
from hybridmip.study.sets import MarketSet
from hybridmip.study.tables import LABELS, Best, methods_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours: every kind of colour vision tells them apart; so do the shapes.
COLOURS = {
    "line": "#E69F00", "dual": "#009E73", "augm": "#CC79A7", "paper": "#D55E00", "ours": "#0072B2",
    "cplex": "#555555", "gurobi": "#8A6D3B", "scip": "#6A4C93",
}  # fmt: skip
MARKERS = {"line": "^", "dual": "v", "augm": "s", "paper": "D", "ours": "o", "cplex": "x", "gurobi": "+", "scip": "1"}
_INK, _FAINT = "#222222", "#8A8A8A"
STYLE: Any = {
    "font.family": "sans-serif", "font.size": 8.5, "axes.spines.top": False, "axes.spines.right": False,
    "axes.edgecolor": _FAINT, "axes.labelcolor": _INK, "axes.titlesize": 9.0, "axes.titleweight": "bold",
    "axes.titlelocation": "left", "axes.grid": True, "axes.axisbelow": True, "grid.color": "#E8E8E8",
    "grid.linewidth": 0.6, "xtick.color": _INK, "ytick.color": _INK, "legend.frameon": False, "legend.fontsize": 8.0,
    "svg.hashsalt": "hybridmip", "svg.fonttype": "path",
}  # fmt: skip
#: Gaps up to this (percent) are shown in the column of zeros.
ZERO = 1e-4


def draw(make: Callable[..., Figure], *arguments: Any) -> Figure:
    """A figure in the study's style."""
    import matplotlib

    with matplotlib.rc_context(STYLE):
        return make(*arguments)


def frontier_figure(market: MarketSet, points: pd.DataFrame, methods: list[str]) -> Figure:
    """Risk and return of every method's portfolios beside the unconstrained frontier; below, what they cost more."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter

    figure = Figure(figsize=(7.2, 5.4), layout="constrained")
    grid = figure.add_gridspec(2, 1, height_ratios=(1.9, 1.0))
    top, below = figure.add_subplot(grid[0]), figure.add_subplot(grid[1])
    order = np.argsort(market.free_returns)
    top.plot(
        100 * market.free_risks[order], 100 * market.free_returns[order], color=_INK, linewidth=1.0,
        label="unconstrained frontier", zorder=1,
    )  # fmt: skip
    own = points[points["set"] == market.name]
    shown = own[own["method"].isin(methods)]
    sizes = {"ours": 3.4, "paper": 4.6}
    for method in [m for m in methods if m != "ours"] + ["ours"]:
        rows = shown[
            (shown["method"] == method) & (shown["seed"] == shown.loc[shown["method"] == method, "seed"].min())
        ]
        top.plot(
            100 * rows["risk"], 100 * rows["return"], linestyle="none", marker=MARKERS[method],
            markersize=sizes.get(method, 5.0), color=COLOURS[method],
            markerfacecolor=COLOURS[method] if method == "ours" else "none", markeredgewidth=0.9,
            label=LABELS[method], zorder=4 if method == "ours" else 2,
        )  # fmt: skip
        extra = 100 * (np.sqrt(rows["objective"] / rows["best_known"]) - 1)
        below.plot(
            100 * rows["target_return"], np.maximum(extra, 0.0), marker=MARKERS[method],
            markersize=0.8 * sizes.get(method, 5.0), color=COLOURS[method],
            markerfacecolor=COLOURS[method] if method == "ours" else "none", markeredgewidth=0.8,
            linewidth=0.7, zorder=4 if method == "ours" else 2,
        )  # fmt: skip
    # A relaxation's worst portfolios would press all others into a corner.
    widest = 100 * 1.25 * max(float(market.free_risks.max()), float(own.loc[own["method"] == "ours", "risk"].max()))
    hidden = int((100 * shown["risk"] > widest).sum())
    top.set_xlim(right=min(widest, 100 * 1.03 * float(np.nanmax([market.free_risks.max(), shown["risk"].max()]))))
    top.set_title(f"{market.title}: 10 of {market.n} assets" + (f" ({hidden} portfolios beyond)" if hidden else ""))
    top.set_xlabel("risk: standard deviation per week (%)")
    top.set_ylabel("expected return per week (%)")
    handles, labels = top.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), columnspacing=1.2, handletextpad=0.3)
    below.set_yscale("symlog", linthresh=0.1, linscale=0.6)
    below.set_ylim(-0.02, max(1.0, below.get_ylim()[1]))
    below.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    below.set_xlabel("target return per week (%)")
    below.set_ylabel("risk above the\nbest known (%)")
    return figure


def gaps_figure(answers: Answers, points: pd.DataFrame) -> Figure:
    """Objective gap of every method at every target: one panel per set, one dot per answer."""
    from matplotlib.figure import Figure

    methods = methods_of(answers, points)
    names = list(answers.markets)
    highest = float(np.nanmax(points["objective_gap_percent"].to_numpy(dtype=float), initial=1.0))
    zero_at, first = ZERO / 10, ZERO
    nowhere = 10 ** (math.ceil(math.log10(highest)) + 0.7)
    figure = Figure(figsize=(7.2, 0.7 + (0.26 * len(methods) + 0.42) * len(names)), layout="constrained")
    panels = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
    rng = np.random.default_rng(0)
    for axes, name in zip(panels, names, strict=True):
        for row, method in enumerate(methods):
            own = points[(points["set"] == name) & (points["method"] == method)]
            gaps = own["objective_gap_percent"].to_numpy(dtype=float)
            places = np.where(np.isnan(gaps), nowhere, np.where(gaps <= ZERO, zero_at, np.maximum(gaps, first)))
            spread = rng.uniform(-0.28, 0.28, len(places))
            aside = np.where((places == zero_at) | (places == nowhere), rng.uniform(-0.3, 0.3, len(places)), 0.0)
            axes.plot(
                places * 10**aside,
                row + spread, linestyle="none", marker="o", markersize=2.4, alpha=0.55, markeredgewidth=0,
                color=COLOURS[method], rasterized=True,
            )  # fmt: skip
            zeros, none = int((gaps <= ZERO).sum()), int(np.isnan(gaps).sum())
            axes.text(zero_at / 3.2, row, f"{zeros}/{len(gaps)}", ha="right", va="center", fontsize=7, color=_INK)
            if none:
                axes.text(nowhere * 3.2, row, f"{none}", ha="left", va="center", fontsize=7, color=_INK)
        axes.set_xscale("log")
        axes.set_xlim(zero_at / 25, nowhere * 9)
        axes.set_yticks(range(len(methods)), [LABELS[method] for method in methods])
        axes.set_ylim(len(methods) - 0.4, -0.6)
        axes.grid(visible=False, axis="y")
        for edge in (zero_at * 10**0.5, nowhere / 10**0.42):
            axes.axvline(edge, color=_FAINT, linewidth=0.6, linestyle=":")
        axes.set_title(answers.markets[name].title)
    # The decades next to the two columns are left unlabelled: their labels would run into each other.
    decades = range(math.ceil(math.log10(first)) + 1, math.ceil(math.log10(highest)))
    ticks = [zero_at, *(10.0**d for d in decades), nowhere]
    labels = ["best\nknown", *(f"{10.0**d:g} %" for d in decades), "infea-\nsible"]
    panels[-1].set_xticks(ticks, labels)
    panels[-1].minorticks_off()
    panels[-1].set_xlabel("objective gap: variance above the best known")
    return figure


def convergence_figure(answers: Answers, best: dict[tuple[str, int], Best]) -> Figure:
    """Objective and bound over time at the hardest target of every set."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter

    seed = answers.options.seeds[0]
    names = [name for name in answers.markets if answers.hardest(name) is not None]
    columns = min(3, max(len(names), 1))
    rows = max(1, math.ceil((len(names) + (len(names) > 1)) / columns))
    figure = Figure(figsize=(2.55 * columns + (0.4 if columns > 1 else 2.2), 2.4 * rows + 0.3), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, name in zip(panels, names, strict=False):
        k = answers.hardest(name)
        assert k is not None
        value = best[name, k].objective
        for method, which, style in (
            ("ours", "objectives", {"color": COLOURS["ours"], "linewidth": 1.6}),
            ("ours", "bounds", {"color": COLOURS["ours"], "linewidth": 1.2, "linestyle": (0, (3, 1.5))}),
            ("paper", "objectives", {"color": COLOURS["paper"], "linewidth": 1.3}),
        ):
            record = answers.get(name, f"trace {method}", seed, k)
            curve = np.array(record[which] if record is not None else [])
            if curve.size == 0:
                continue
            times, values = np.maximum(curve[:, 0], 1e-3), 100 * (curve[:, 1] / value - 1)
            label = {"objectives": "objective", "bounds": "certified bound"}[which]
            axes.step(times, values, where="post", label=f"{LABELS[method]}: {label}", **style)
        axes.axhline(0.0, color=_FAINT, linewidth=0.7)
        axes.set_xscale("log")
        first, last = axes.get_xlim()
        axes.set_xlim(10 ** math.floor(math.log10(first) + 0.1), 10 ** math.ceil(math.log10(last) - 0.1))
        axes.set_yscale("symlog", linthresh=1.0, linscale=0.8)
        axes.set_ylim(-100, 300)
        axes.set_yticks([-100, -10, -1, 0, 1, 10, 100])
        axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:+g}" if v else "best"))
        axes.set_title(f"{name}, target {k + 1}")
        axes.set_xlabel("seconds")
    panels[0].set_ylabel("% above the best known")
    for axes in panels[len(names) :]:
        axes.axis("off")
    handles, labels = panels[0].get_legend_handles_labels()
    if len(panels) > len(names):
        panels[len(names)].legend(handles, labels, loc="center left", fontsize=8.5)
    else:
        panels[0].legend(handles, labels)
    return figure


def ablation_figure(table: pd.DataFrame) -> Figure:
    """What is lost without each part, with 95 % intervals: the paper's pipeline on the left, ours on the right."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 3.1), layout="constrained")
    left, middle, right = figure.subplots(1, 3, sharey=True)
    _intervals(left, table, "paper", "objective_gap", "Paper with Persp:\nobjective gap")
    _intervals(middle, table, "ours", "objective_gap", "Ours, no patience:\nobjective gap")
    _intervals(right, table, "ours", "certified_gap", "Ours, no patience:\ncertified gap")
    left.set_yticks(
        range(len(PARTS)), [f"without {part.title() if part in DEFAULT_RELAXATIONS else part}" for part in PARTS]
    )
    left.set_ylim(len(PARTS) - 0.5, -0.5)
    return figure


def _intervals(axes: Axes, table: pd.DataFrame, pipeline: str, what: str, title: str) -> None:
    colour = COLOURS[pipeline]
    own = table[table["pipeline"] == pipeline].set_index("without")
    axes.axvline(0.0, color=_FAINT, linewidth=0.8)
    for row, part in enumerate(PARTS):
        if part not in own.index:
            axes.text(0.02, row, "not a part of its own", transform=axes.get_yaxis_transform(), fontsize=7,
                      color=_FAINT, va="center", ha="left")  # fmt: skip
            continue
        mean, low, high = (float(own[f"{what}_{end}"][part]) for end in ("more", "low", "high"))
        if not math.isfinite(mean):
            axes.text(
                0.02, row, "some targets unanswered", transform=axes.get_yaxis_transform(), fontsize=7, va="center"
            )
            continue
        axes.plot([low, high], [row, row], color=colour, linewidth=1.6, solid_capstyle="butt")
        axes.plot([mean], [row], marker="o", markersize=5, color=colour, markeredgecolor="white", markeredgewidth=0.7)
    base = float(own[f"{what}_percent"]["nothing"]) if "nothing" in own.index else math.nan
    axes.set_title(title)
    axes.set_xlabel(f"percentage points more\n(all parts: {base:.4f} %)")
    axes.grid(visible=False, axis="y")
    low, high = axes.get_xlim()
    reach = max(high - low, 0.05)
    axes.set_xlim(min(low, -0.08 * reach), max(high, 0.92 * reach))
    axes.locator_params(axis="x", nbins=4)
