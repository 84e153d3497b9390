"""Figures and terminal charts: what is drawn is what was given."""

from __future__ import annotations

import io
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from hybridmip.errors import ArgumentError, FileError
from hybridmip.report import figures
from hybridmip.report.figures import AREA_COLOURS, Beside, Line, as_axes, curve_figure, frontier_figure, save_figure
from hybridmip.report.marks import is_log, near
from hybridmip.report.terminal import (
    Series,
    bar,
    chart,
    frontier_chart,
    portfolio_table,
    ticks,
)
from hybridmip.run.config import DEFAULT_RELAXATIONS
from hybridmip.run.result import StopReason, relative_gap
from hybridmip.run.words import STOP_WORDS, finder_in_words, gap_in_words, larger_limit, risk_gap, round_up

RETURNS = np.array([0.001, 0.002, 0.003, 0.004])
VARIANCES = np.array([4e-4, 5e-4, 7e-4, 1.1e-3])
BOUNDS = 0.98 * VARIANCES


def weights(columns: int = 3) -> pd.DataFrame:
    values = np.random.default_rng(0).dirichlet(np.ones(columns), size=len(RETURNS))
    return pd.DataFrame(values, columns=[f"A{j}" for j in range(columns)])


def line(figure: object, label: str) -> np.ndarray:
    axes = figure.axes[0]  # type: ignore[attr-defined]
    return np.asarray(next(curve for curve in axes.lines if curve.get_label() == label).get_xydata())


def test_points_are_risk_against_return() -> None:
    """The marked points are (standard deviation, return), in order of return."""
    order = [2, 0, 3, 1]
    figure = frontier_figure(RETURNS[order], VARIANCES[order], BOUNDS[order])
    drawn = line(figure, "best found, not proven optimal")
    np.testing.assert_allclose(drawn, np.column_stack([np.sqrt(VARIANCES), RETURNS]))
    assert len(figure.axes) == 1


def test_band_lies_between_bound_and_value() -> None:
    """The certified band reaches from the root of the bound to that of the value, and its label is true."""
    figure = frontier_figure(RETURNS, VARIANCES, BOUNDS)
    band = figure.axes[0].collections[0]
    outline = band.get_paths()[0].vertices
    for level, variance, bound in zip(RETURNS, VARIANCES, BOUNDS, strict=True):
        across = outline[np.isclose(outline[:, 1], level), 0]
        assert across.min() == pytest.approx(math.sqrt(bound))
        assert across.max() == pytest.approx(math.sqrt(variance))
    # The gap is relative to the variance found; 1 - sqrt(0.98) = 1.005 % of the risk, rounded up.
    assert band.get_label() == "certified: gap at most 2.0 %, risk gap 1.1 %"


def test_points_without_answer_are_left_out() -> None:
    """An infeasible target has no variance: its point and its weights are not drawn."""
    variances = VARIANCES.copy()
    variances[3] = math.nan
    figure = frontier_figure(RETURNS, variances, BOUNDS, weights=weights())
    assert len(line(figure, "best found, not proven optimal")) == 3
    assert figure.axes[1].get_xlim() == pytest.approx((RETURNS[0], RETURNS[2]))


def test_weights_fill_the_panel() -> None:
    """The areas of the lower panel add up to the whole at every target."""
    table = weights(4)
    figure = frontier_figure(RETURNS, VARIANCES, BOUNDS, weights=table)
    height = np.zeros(len(RETURNS))
    for area in figure.axes[1].collections:
        outline = area.get_paths()[0].vertices
        for k, level in enumerate(RETURNS):
            up = outline[np.isclose(outline[:, 0], level), 1]
            height[k] += up.max() - up.min()
    np.testing.assert_allclose(height, 1.0)


@pytest.mark.parametrize("columns", [len(AREA_COLOURS), len(AREA_COLOURS) + 15])
def test_no_colour_means_two_things(columns: int) -> None:
    """However many assets there are, every entry of the legend has a colour of its own."""
    figure = frontier_figure(RETURNS, VARIANCES, BOUNDS, weights=weights(columns))
    handles = figure.legends[0].legend_handles
    colours = {tuple(np.round(np.ravel(handle.get_facecolor()), 6)) for handle in handles if handle is not None}  # type: ignore[attr-defined]
    assert len(colours) == len(handles) == len(AREA_COLOURS)


def test_groups_share_a_colour() -> None:
    """With groups the legend names groups, not assets."""
    groups = {"A0": "Banks", "A1": "Energy", "A2": "Banks"}
    figure = frontier_figure(RETURNS, VARIANCES, BOUNDS, weights=weights(), groups=groups)
    assert sorted(text.get_text() for text in figure.legends[0].get_texts()) == ["Banks", "Energy"]


def dots(figure: object, label: str) -> object:
    axes = figure.axes[0]  # type: ignore[attr-defined]
    return next(curve for curve in axes.lines if curve.get_label() == label)


def test_filled_dots_are_proven_optimal() -> None:
    """A dot is filled where its point is proven optimal, hollow where not; as said, or as the gap tells."""
    bounds = np.array([1.0, 0.98, 1.0, 0.98]) * VARIANCES
    for optimal, proven in ((None, [0, 2]), ([True, True, True, False], [0, 1, 2])):
        figure = frontier_figure(RETURNS, VARIANCES, bounds, optimal=optimal)
        full, hollow = dots(figure, "proven optimal"), dots(figure, "best found, not proven optimal")
        np.testing.assert_allclose(full.get_ydata(), RETURNS[proven])  # type: ignore[attr-defined]
        np.testing.assert_allclose(hollow.get_ydata(), np.delete(RETURNS, proven))  # type: ignore[attr-defined]
        assert full.get_markerfacecolor() != "white"  # type: ignore[attr-defined]
        assert hollow.get_markerfacecolor() == "white"  # type: ignore[attr-defined]
    with pytest.raises(ArgumentError, match="optimal has 1 entries"):
        frontier_figure(RETURNS, VARIANCES, bounds, optimal=[True])


def test_short_positions_are_below_zero() -> None:
    """Areas above zero add up to the long weights, those below to the short ones."""
    table = pd.DataFrame({"A": [0.8, 0.9, 1.0, 1.1], "B": [-0.1, -0.2, 0.1, -0.3], "C": [0.3, 0.3, -0.1, 0.2]})
    lower = frontier_figure(RETURNS, VARIANCES, BOUNDS, weights=table).axes[1]
    up, down = np.zeros(4), np.zeros(4)
    for area in lower.collections:
        outline = area.get_paths()[0].vertices
        for k, level in enumerate(RETURNS):
            across = outline[np.isclose(outline[:, 0], level), 1]
            (up if across.max() > 1e-12 else down)[k] += across.max() - across.min()
    np.testing.assert_allclose(up, table.clip(lower=0).sum(axis=1))
    np.testing.assert_allclose(-down, table.clip(upper=0).sum(axis=1))
    assert lower.get_ylim()[0] <= -0.3


def test_what_is_drawn_beside_the_points() -> None:
    """Single assets near the frontier, not those far away; the point of the best Sharpe ratio; infeasible returns."""
    beside = Beside(
        infeasible=[0.005], single_assets=([0.002, 0.003, 0.5], [0.04, 0.03, 0.9]), sharpe=(0.003, 0.02, "best")
    )
    figure = frontier_figure(RETURNS, VARIANCES, BOUNDS, beside=beside)
    np.testing.assert_allclose(line(figure, "single assets"), [[0.04, 0.002], [0.03, 0.003]])
    np.testing.assert_allclose(line(figure, "best"), [[0.02, 0.003]])
    assert line(figure, "proven infeasible")[:, 1].tolist() == [0.005]


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        (np.geomspace(1e-3, 10, 9), True),
        ([1, 2, 5, 10, 20, 50], True),
        ([0.1, 0.3, 1, 3, 10], True),
        ([8, 4, 2, 1], True),
        (np.linspace(0.001, 0.005, 9), False),
        ([1, 2, 3, 4, 5], False),
        ([100, 101, 102], False),
        ([-1, 10, 100], False),
        ([1, 10], False),
        ([1, 1, 1], False),
    ],
)
def test_a_log_grid_is_seen(grid: object, expected: bool) -> None:
    """Values spaced by ratios are on a logarithmic axis, values spaced by differences are not."""
    assert is_log(list(grid)) is expected  # type: ignore[call-overload]
    values = np.arange(1.0, 1 + len(list(grid)))  # type: ignore[call-overload]
    axes = curve_figure(Line(list(grid), values, values, label="penalty", log=is_log(list(grid)))).axes[0]  # type: ignore[call-overload]
    assert (axes.get_xscale() == "log") is expected
    assert axes.get_xlabel() == "penalty"


def test_only_neighbors_of_the_frontier_are_near() -> None:
    """Near is within one width of the frontier; without a frontier everything finite is."""
    assert near([1.0, 2.0], [0.0, -0.1, 3.0, 3.1]).tolist() == [True, False, True, False]
    assert near([], [1.0, math.inf]).tolist() == [True, False]


def test_a_figure_is_a_picture_in_a_notebook() -> None:
    """IPython asks for `_repr_png_`; axes of somebody else are taken as they are, anything else is refused."""
    figure = frontier_figure(RETURNS, VARIANCES, BOUNDS)
    assert figure._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]
    assert as_axes(figure.axes[0]) is figure.axes[0]
    with pytest.raises(ArgumentError, match="ax is 3; it must be Axes"):
        as_axes(3)


def test_a_suggested_limit_is_larger_than_what_was_spent() -> None:
    """At least three times as much, and a round number of seconds; every stop reason has its words."""
    for seconds in (0.0, 0.4, 5.0, 9.9, 30.0, 1000.0, 5000.0, 1e5):
        assert larger_limit(seconds) >= max(3 * seconds, 10.0)
    assert [larger_limit(seconds) for seconds in (1.0, 5.0, 2000.0)] == [10.0, 30.0, 7200.0]
    assert set(STOP_WORDS) == set(StopReason)


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_figure_is_written(tmp_path: Path, ending: str) -> None:
    """The ending of the file chooses the format."""
    figure = frontier_figure(
        RETURNS, VARIANCES, BOUNDS, beside=Beside(unconstrained=(RETURNS, BOUNDS), chosen=(0.002, 5e-4))
    )
    path = save_figure(figure, tmp_path / f"figure.{ending}")
    start = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}[ending]
    assert path.read_bytes().startswith(start)


def test_errors_name_the_argument(tmp_path: Path) -> None:
    """Lengths that differ and a place that cannot be written are errors of our own family."""
    with pytest.raises(ArgumentError, match="bounds has 2 entries"):
        frontier_figure(RETURNS, VARIANCES, BOUNDS[:2])
    with pytest.raises(ArgumentError, match="weights has 3 rows"):
        frontier_figure(RETURNS, VARIANCES, BOUNDS, weights=weights().iloc[:3])
    with pytest.raises(FileError, match="cannot write"):
        save_figure(frontier_figure(RETURNS, VARIANCES, BOUNDS), tmp_path / "absent" / "figure.png")


def test_no_global_state() -> None:
    """Drawing changes no setting of matplotlib and does not load pyplot."""
    program = (
        "import sys, matplotlib as mpl\nbefore = mpl.rcParams.copy()\n"
        "from hybridmip.report.figures import frontier_figure, save_figure\n"
        "import io\nframe = frontier_figure([1, 2], [1, 2], [1, 1.9])\nframe.savefig(io.BytesIO())\n"
        "assert mpl.rcParams.copy() == before\nassert 'matplotlib.pyplot' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@given(st.floats(1e-9, 1e9), st.integers(1, 4))
def test_rounding_up_never_promises_more(value: float, digits: int) -> None:
    """The text is at least the number (a claim "at most" stays true) and close to it."""
    shown = float(round_up(value, digits))
    assert shown >= value * (1 - 1e-11)
    assert shown <= value * (1 + 10.0 ** (1 - digits)) * (1 + 1e-9)


@given(st.floats(1e-6, 1e6), st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.sampled_from([1.0, -1.0]))
def test_the_gap_covers_every_possible_optimum(size: float, share: float, place: float, sign: float) -> None:
    """Wherever the optimum lies between bound and objective, it is lower by at most the gap, and so is its root."""
    objective, bound = (size, size * share) if sign > 0 else (-size * share, -size)
    optimum = bound + place * (objective - bound)
    if objective != 0.0:
        assert (objective - optimum) / abs(objective) <= relative_gap(objective, bound) * (1 + 1e-9) + 1e-9
    if bound > 0.0:
        lower = 1 - math.sqrt(optimum) / math.sqrt(objective)
        assert lower <= risk_gap(objective, bound) * (1 + 1e-9) + 1e-9


def test_quality_in_words() -> None:
    """Closed, open and missing bounds read differently."""
    assert gap_in_words(2.0, 2.0) == "proven optimal"
    assert gap_in_words(1.0, 0.99) == "1.0 % (proven: the optimum is at most this much lower)"
    assert "no useful" in gap_in_words(1.0, -math.inf)
    assert "no useful" in gap_in_words(1.0, -1.0)


def test_quality_of_an_objective_near_zero() -> None:
    """Words and status agree: where terms of size 1 cancel, what is left is rounding, and the gap closed."""
    for objective, bound in ((1e-20, -1e-21), (-6e-21, -1e-20), (0.0, -1e-19), (1e-19, 0.0)):
        assert relative_gap(objective, bound, 1.0) < 1e-6
        assert gap_in_words(objective, bound, optimal=True) == "proven optimal"
    assert relative_gap(1e-20, 5e-21) == 0.5
    assert relative_gap(0.0, -1e-300) == math.inf
    assert "no useful" in gap_in_words(1e-6, 0.0)


def test_finders_in_words() -> None:
    """The parts of the solver have names that say what they are; an unknown one is shown as it is."""
    assert finder_in_words("line") == "Line relaxation"
    assert finder_in_words("rounded augm") == "rounded Augm relaxation"
    assert all(finder_in_words(name).endswith(" relaxation") for name in DEFAULT_RELAXATIONS)
    assert finder_in_words("") == "-"
    assert finder_in_words("oracle") == "oracle"


@given(st.floats(-1e3, 1e3), st.floats(1e-6, 1e3), st.integers(2, 10))
def test_ticks_are_few_and_inside(low: float, span: float, count: int) -> None:
    """Ticks lie in the range and are neither none nor too many."""
    values = ticks(low, low + span, count)
    slack = 1e-6 * (abs(low) + span)
    assert all(low - slack <= value <= low + span + slack for value in values)
    assert 1 <= len(values) <= count + 1


def test_bar_length() -> None:
    """A bar is as long as its fraction, and always as wide as asked, so that columns line up."""
    assert bar(0.5, 10) == "█████     "
    assert bar(0.5, 10, ascii_only=True) == "#####     "
    assert bar(0.05, 10) == "▌         "
    assert all(len(bar(fraction, 7)) == 7 for fraction in (-1.0, 0.0, 0.3, 0.99, 1.0, 2.0))


def test_chart_places_points() -> None:
    """The corner points of a chart are drawn in their corners, and nothing is wider than asked."""
    points = Series("points", np.array([0.0, 1.0]), np.array([0.0, 1.0]), marker="●")
    lines = chart([points], width=40, height=9).plain.splitlines()
    rows = [k for k, text in enumerate(lines[:9]) if "●" in text]
    assert rows[0] < 2
    assert rows[-1] > 6
    assert lines[rows[0]].index("●") > 30
    assert lines[rows[-1]].index("●") < 14
    assert max(len(text) for text in lines[:10]) <= 40


def test_chart_survives_degenerate_data() -> None:
    """One point, equal points, nothing finite: a chart all the same."""
    for values in ([0.5], [0.5, 0.5], [math.nan], []):
        array = np.array(values, dtype=float)
        assert chart([Series("points", array, array, marker="●")]).plain
        assert frontier_chart(array, array, unconstrained=(array, array), ascii_only=True).plain.isascii()


def test_portfolio_table_is_ranked_and_leaves_out_what_is_not_held() -> None:
    """Largest weight first; an asset of weight zero is not listed."""
    table = portfolio_table(["low", "none", "high"], [0.3, 0.0, 0.7], [0.01, 0.02, 0.03], [0.4, 0.0, 0.6])
    stream = io.StringIO()
    Console(file=stream, width=100).print(table)
    text = stream.getvalue()
    assert text.index("high") < text.index("low")
    assert "none" not in text
    assert "70.00 %" in text


def test_portfolio_table_of_odd_weights() -> None:
    """Short positions have bars too; weights that are rounding are left out; no share of no risk."""
    nothing = [math.nan] * 3
    table = portfolio_table(["long", "tiny", "short"], [1.5, 1e-17, -0.5], [0.0] * 3, nothing, ascii_only=True)
    stream = io.StringIO()
    Console(file=stream, width=100).print(table)
    lines = {row.split()[1]: row for row in stream.getvalue().splitlines()[1:]}
    assert list(lines) == ["long", "short"]
    assert (lines["long"].count("#"), lines["short"].count("#")) == (18, 6)
    assert "-50.00 %" in lines["short"]
    assert all(row.split()[-1] == "-" for row in lines.values())


def test_an_asset_has_one_colour() -> None:
    """The areas of the picture and those of the page in the light have the same colours in the same order."""
    style = (Path(figures.__file__).parent / "page.css").read_text(encoding="utf-8").partition("dark")[0]
    page = [line.split()[1].rstrip(";").upper() for line in style.splitlines() if line.startswith("  --area-")]
    assert tuple(page) == AREA_COLOURS
