"""Results in the terminal: a ranked portfolio, the answer in plain words, a frontier in characters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from rich.table import Table
from rich.text import Text

from hybridmip.run.result import Result, Status
from hybridmip.run.words import CLOSED, advice, result_lines, risk_gap_in_words

#: Weights up to this size are not shown as held.
NEGLIGIBLE_WEIGHT = 1e-9

_EIGHTHS = " ▏▎▍▌▋▊▉█"
# Dots of one Braille character, by column (2) and row (4).
_BRAILLE = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))


def bar(fraction: float, width: int, ascii_only: bool = False) -> str:
    """A horizontal bar, `fraction` of `width` characters long, in eighths of a character."""
    fraction = min(max(fraction, 0.0), 1.0)
    if ascii_only:
        return ("#" * round(fraction * width)).ljust(width)
    eighths = round(fraction * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(width)


def portfolio_table(
    names: Sequence[str],
    weights: ArrayLike,
    expected_returns: ArrayLike,
    risk_shares: ArrayLike,
    *,
    groups: Mapping[str, str] | None = None,
    group_title: str = "group",
    ascii_only: bool = False,
) -> Table:
    """Held assets, largest weight first.

    Parameters
    ----------
    names, weights, expected_returns, risk_shares : sequences of one length
        One entry per asset; assets of zero weight are left out. Fractions, not percent; a share of
        the risk that is not finite is shown as a dash.
    groups : mapping, optional
        Group of each asset, shown in a column of its own.
    ascii_only : bool
        Whether the terminal can show nothing but ASCII.
    """
    weight = np.asarray(weights, dtype=float)
    expected = np.asarray(expected_returns, dtype=float)
    share = np.asarray(risk_shares, dtype=float)
    largest = float(np.abs(weight).max(initial=0.0)) or 1.0

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("", justify="right", style="dim")
    table.add_column("asset", no_wrap=True)
    if groups is not None:
        table.add_column(group_title, style="dim", no_wrap=True)
    table.add_column("weight", no_wrap=True)
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("expected return", justify="right", no_wrap=True)
    table.add_column("risk contribution", justify="right", no_wrap=True)
    held = [int(j) for j in np.argsort(-weight, kind="stable") if abs(weight[j]) > NEGLIGIBLE_WEIGHT]
    for rank, j in enumerate(held, start=1):
        cells: list[str | Text] = [str(rank), Text(names[j])]
        if groups is not None:
            cells.append(Text(groups.get(names[j], "")))
        cells += [
            Text(bar(abs(weight[j]) / largest, 18, ascii_only), style="cyan" if weight[j] > 0 else "magenta"),
            f"{100 * weight[j]:.2f} %",
            f"{100 * expected[j]:.3f} %",
            f"{100 * share[j]:.1f} %" if math.isfinite(share[j]) else "-",
        ]
        table.add_row(*cells)
    return table


def summary(
    result: Result,
    *,
    expected_return: float | None = None,
    risk: float | None = None,
    objective_name: str = "",
    risk_gap: float | None = None,
    advise: bool = True,
    periods_per_year: float | None = None,
) -> Table:
    """What was found, how good it is, what found it, how long it took, what would close the gap: one line each.

    With `periods_per_year` return and risk are shown per year as well.
    """
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    style = {Status.OPTIMAL: "green", Status.FEASIBLE: "yellow"}.get(result.status, "red")
    for name, text in result_lines(result, result.has_solution, objective_name):
        if name == "status":
            said, _, why = text.partition(" ")
            table.add_row(name, Text(said, style=style) + Text(f" {why}", style="default"))
            continue
        table.add_row(name, Text(text))
        if name == "gap" and risk_gap is not None and risk_gap > CLOSED:
            table.add_row("risk gap", Text(risk_gap_in_words(risk_gap)))
        if name == "gap" and expected_return is not None:
            yearly = "" if periods_per_year is None else f", {100 * expected_return * periods_per_year:.2f} % per year"
            table.add_row("expected return", f"{100 * expected_return:.4f} % per period{yearly}")
        if name == "gap" and risk is not None:
            root = 0.0 if periods_per_year is None else math.sqrt(periods_per_year)
            yearly = f", {100 * risk * root:.2f} % per year" if root else ""
            table.add_row("risk", f"{100 * risk:.4f} % per period{yearly} (standard deviation)")
    help_ = advice(result.suggested_time_limit, "--time-limit ") if advise else ""
    if help_:
        table.add_row("", Text(help_))
    return table


@dataclass(frozen=True)
class Series:
    """One curve of a chart: points joined by a line, or single points when `marker` is given."""

    label: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    style: str = ""
    marker: str | None = None
    ascii_marker: str = "o"


def ticks(low: float, high: float, count: int) -> list[float]:
    """About `count` round numbers in [low, high]."""
    raw = (high - low) / max(count, 1)
    magnitude = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * magnitude for factor in (1, 2, 2.5, 5, 10) if factor * magnitude >= raw * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)]


def _tick_labels(values: Sequence[float]) -> list[str]:
    """Percent labels with as many decimals as tell the values apart."""
    for decimals in range(0, 7):
        labels = [f"{100 * value:.{decimals}f}" for value in values]
        if all(abs(float(label) - 100 * value) < 1e-9 for label, value in zip(labels, values, strict=True)):
            break
    return [f"{label} %" for label in labels]


def _range(series: Sequence[Series], axis: str) -> tuple[float, float]:
    values = np.concatenate([getattr(curve, axis) for curve in series])
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    margin = 0.04 * (high - low) or 0.05 * abs(high) or 1.0
    return low - margin, high + margin


def chart(
    series: Sequence[Series],
    *,
    width: int = 80,
    height: int = 18,
    x_label: str = "",
    y_label: str = "",
    ascii_only: bool = False,
) -> Text:
    """Lines and points on a character grid, with axes in percent and a legend.

    Parameters
    ----------
    series : sequence of Series
        Drawn in order, later ones on top; points that are not finite are left out.
    width, height : int
        Characters of the whole chart across, and of the plotting area down.
    """
    x_low, x_high = _range(series, "x")
    y_low, y_high = _range(series, "y")
    y_ticks = ticks(y_low, y_high, max(2, height // 3))
    y_names = _tick_labels(y_ticks)
    margin = max((len(name) for name in y_names), default=0) + 1
    columns = max(20, width - margin - 2)
    x_ticks = ticks(x_low, x_high, max(2, columns // 10))
    x_names = _tick_labels(x_ticks)

    def column(x: ArrayLike) -> NDArray[np.float64]:
        return (np.asarray(x, dtype=float) - x_low) / (x_high - x_low) * (columns - 1)

    def row(y: ArrayLike) -> NDArray[np.float64]:
        return (y_high - np.asarray(y, dtype=float)) / (y_high - y_low) * (height - 1)

    cells = [[" "] * columns for _ in range(height)]
    styles = [[""] * columns for _ in range(height)]
    for curve in series:
        keep = np.isfinite(curve.x) & np.isfinite(curve.y)
        across, down = column(curve.x[keep]), row(curve.y[keep])
        if curve.marker is None:
            for i, j, character in _line(across, down, ascii_only):
                if 0 <= i < height and 0 <= j < columns:
                    cells[i][j], styles[i][j] = character, curve.style
        else:
            for i, j in zip(np.rint(down).astype(int), np.rint(across).astype(int), strict=True):
                cells[i][j] = curve.ascii_marker if ascii_only else curve.marker
                styles[i][j] = curve.style

    axis, tick, corner, floor, foot = "|++-+" if ascii_only else "│┤└─┬"
    label_at = {round(float(row(value))): name for value, name in zip(y_ticks, y_names, strict=True)}
    text = Text(no_wrap=True)
    if y_label:
        text.append(f"{'':{margin}}{y_label}\n", style="bold")
    for i in range(height):
        name = label_at.get(i)
        text.append(f"{name or '':>{margin}}", style="dim")
        text.append(f"{tick if name else axis}", style="dim")
        for character, style in zip(cells[i], styles[i], strict=True):
            text.append(character, style=style or None)
        text.append("\n")
    line, below = [floor] * columns, [" "] * (columns + margin)
    for value, name in zip(x_ticks, x_names, strict=True):
        j = round(float(column(value)))
        line[j] = foot
        start = min(max(0, margin + 1 + j - len(name) // 2), len(below) - len(name))
        if all(character == " " for character in below[max(0, start - 2) : start + len(name)]):
            below[start : start + len(name)] = name
    text.append(f"{'':{margin}}{corner}{''.join(line)}\n{''.join(below)}\n", style="dim")
    if x_label:
        text.append(f"{x_label:>{margin + columns + 1}}\n", style="bold")
    text.append(" " * margin)
    for curve in series:
        sign = (curve.ascii_marker if ascii_only else curve.marker) if curve.marker else ("." if ascii_only else "⠤⠤")
        text.append(f" {sign}", style=curve.style or None)
        text.append(f" {curve.label}  ")
    return text


def _line(across: NDArray[np.float64], down: NDArray[np.float64], ascii_only: bool) -> list[tuple[int, int, str]]:
    """Characters (row, column, character) of a polyline through the given cell positions."""
    dots: dict[tuple[int, int], int] = {}
    for k in range(max(len(across) - 1, 0)):
        steps = 1 + int(8 * max(abs(across[k + 1] - across[k]), abs(down[k + 1] - down[k])))
        for t in np.linspace(0.0, 1.0, steps + 1):
            # The centre of a character cell is at a whole number, hence the half.
            u = across[k] + t * (across[k + 1] - across[k]) + 0.5
            v = down[k] + t * (down[k + 1] - down[k]) + 0.5
            i, j = math.floor(v), math.floor(u)
            dot = _BRAILLE[int(2 * (u - j))][int(4 * (v - i))]
            dots[i, j] = dots.get((i, j), 0) | dot
    return [(i, j, "." if ascii_only else chr(0x2800 | bits)) for (i, j), bits in dots.items()]


def frontier_chart(
    returns: ArrayLike,
    risks: ArrayLike,
    *,
    unconstrained: tuple[ArrayLike, ArrayLike] | None = None,
    chosen: tuple[float, float] | None = None,
    width: int = 80,
    height: int = 18,
    ascii_only: bool = False,
) -> Text:
    """Risk (standard deviation) across, expected return up.

    Parameters
    ----------
    returns, risks : array_like
        Points of the constrained frontier, as fractions.
    unconstrained : pair of array_like, optional
        Returns and risks of the frontier without cardinality and minimum weights, drawn as a line.
    chosen : pair of float, optional
        Return and risk of one portfolio to mark.
    """
    series = []
    if unconstrained is not None:
        up, across = (np.asarray(values, dtype=float) for values in unconstrained)
        series.append(Series("without the limits", across, up, "bright_black"))
    series.append(
        Series(
            "best found",
            np.asarray(risks, dtype=float),
            np.asarray(returns, dtype=float),
            "bold cyan",
            "●",
            "o",
        )
    )
    if chosen is not None:
        point = Series("portfolio above", np.array([chosen[1]]), np.array([chosen[0]]), "bold yellow", "◆", "X")
        series.append(point)
    return chart(
        series,
        width=width,
        height=height,
        x_label="risk (standard deviation per period)",
        y_label="expected return per period",
        ascii_only=ascii_only,
    )
