"""Frontier: the points of a sweep as tables, pictures and a page.

Pandas (0.3 s) is imported where it is used: every worker process imports this module.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from hybridmip.applications.portfolio.description import group_of_each
from hybridmip.engines.blas import one_thread
from hybridmip.errors import ArgumentError
from hybridmip.files import write_text
from hybridmip.model.problem import Problem
from hybridmip.notebook import card
from hybridmip.report.figures import (
    Beside,
    Line,
    as_axes,
    curve_figure,
    draw_curve,
    draw_frontier,
    frontier_figure,
    save_figure,
)
from hybridmip.report.marks import filled, is_log, sharpe_label
from hybridmip.report.page import frontier_page
from hybridmip.restricted import restricted_solver
from hybridmip.run.words import advice, finder_in_words, gap_in_words, larger_limit, relative_gap, risk_gap
from hybridmip.sweep.document import chart_of, frontier_document
from hybridmip.sweep.family import Family, PortfolioFamily
from hybridmip.tolerances import OPTIMAL_GAP

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure, SubFigure

    from hybridmip.applications.portfolio import Portfolio

#: Points that a notebook shows.
SHOWN = 25
#: Points of the unconstrained frontier beside the constrained one.
SMOOTH = 200


@dataclass(frozen=True)
class Point:
    """One value of the parameter and its answer.

    Attributes
    ----------
    point : int
        Number along the grid, from 0.
    parameter : float
    status : str
        `optimal`, `feasible`, `infeasible` (proven) or `unknown`.
    objective, bound, gap : float
        Infinite where there is none.
    weights : dict
        Nonzero x by name.
    selected : tuple of str
        Names of the binaries that are on.
    found_by : str
        The part of the solver that found it.
    evaluations : int
        Restricted problems that were solved.
    seconds : float
    expected_return, risk, risk_bound : float or None
        Of a portfolio: expected return, standard deviation, and the certified least standard deviation.
    risk_gap : float or None
        The gap in terms of risk (volatility): (risk - risk_bound) / risk.
    sharpe_ratio : float or None
        Expected return after costs above the portfolio's `risk_free`, per unit of risk.
    time_helps : bool
        Whether more time would have gone into a higher bound.

    Examples
    --------
    >>> import hybridmip as hm
    >>> portfolio = hm.market(assets=12, seed=1).portfolio(assets=4, min_weight=0.05)
    >>> point = hm.frontier(portfolio, points=3)[0]
    >>> point.parameter == portfolio.efficient_range()[0], point.gap < 1e-6
    (True, True)
    """

    point: int
    parameter: float
    status: str
    objective: float
    bound: float
    gap: float
    weights: Mapping[str, float] = field(repr=False)
    selected: tuple[str, ...] = field(repr=False)
    found_by: str
    evaluations: int
    seconds: float
    expected_return: float | None = None
    risk: float | None = None
    risk_bound: float | None = None
    risk_gap: float | None = None
    sharpe_ratio: float | None = None
    time_helps: bool = field(default=False, repr=False)

    @property
    def portfolio_return(self) -> float | None:
        """The older name of `expected_return`."""
        return self.expected_return

    def _repr_html_(self) -> str:
        """What a notebook shows: how good it is, and the weights."""
        facts: list[tuple[str, object]] = [("parameter", f"{self.parameter:g}"), ("status", self.status)]
        if math.isfinite(self.objective):
            facts.append(("objective", f"{self.objective:.8g}"))
            facts.append(("gap", gap_in_words(self.objective, self.bound, self.status == "optimal", self.gap)))
            for name, value in (("expected return", self.expected_return), ("risk", self.risk)):
                if value is not None:
                    facts.append((name, f"{100 * value:.4f} %"))
            facts.append(("found by", finder_in_words(self.found_by)))
        facts.append(("seconds", f"{self.seconds:.2f}"))
        rows = sorted(self.weights.items(), key=lambda pair: -abs(pair[1]))
        return card(f"Point {self.point}", facts, "", ("name", "weight"), ((name, f"{w:.6g}") for name, w in rows))


class Frontier:
    """What `frontier` found, point by point.

    Attributes
    ----------
    points : tuple of Point
    parameter : str
        What runs along the frontier.
    seconds : float
        Wall time of the run (of this process, if it was resumed).
    interrupted : bool
        Whether it was ended before all was done.

    Examples
    --------
    >>> import hybridmip as hm
    >>> portfolio = hm.market(assets=12, seed=1).portfolio(assets=4, min_weight=0.05)
    >>> curve = hm.frontier(portfolio, points=3, between="attainable")
    >>> len(curve), curve.parameter, curve.counts["optimal"]
    (3, 'target_return', 3)
    >>> str(curve[0].status), len(curve[0].selected)
    ('optimal', 4)
    """

    def __init__(
        self,
        family: Family,
        values: Sequence[float],
        records: Sequence[dict[str, Any] | None],
        seconds: float,
        interrupted: bool = False,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self.family = family
        self.parameter = family.parameter
        self.values = tuple(values)
        self.seconds = seconds
        self.interrupted = interrupted
        self.settings = dict(settings or {})
        first = family.problem(self.values[0])
        self.x_names, self.b_names = tuple(first.x_names), tuple(first.b_names)
        if self.portfolio is not None:  # an asset may have several x and b
            self.x_names = self.portfolio.names
            self.b_names = tuple(self.portfolio.names[i] for i in self.portfolio.modes.asset)
        self._columns = first.n
        self.points = tuple(self._point(i, record) for i, record in enumerate(records))

    def _point(self, i: int, record: dict[str, Any] | None) -> Point:
        value = self.values[i]
        if record is None:
            return Point(i, value, "unknown", math.inf, -math.inf, math.inf, {}, (), "", 0, 0.0)
        objective = math.inf if record["objective"] is None else record["objective"]
        bound = -math.inf if record["bound"] is None else min(record["bound"], objective)
        gap = relative_gap(objective, bound, record.get("size", 0.0))
        status = record["status"]
        if status == "feasible" and gap <= OPTIMAL_GAP:
            status = "optimal"
        x = np.zeros(self._columns)
        for j, entry in record["x"]:
            x[j] = entry
        of_portfolio: dict[str, float] = {}
        helps = bool(record.get("time_helps", False))  # runs of older versions do not say
        if self.portfolio is not None and math.isfinite(objective):
            x = self.portfolio.weights_at(x)
            plain = self.portfolio.objective == "variance" and not self.portfolio.cost_weight
            variance = objective if plain else self.portfolio.variance(x)
            of_portfolio = {
                "expected_return": self.portfolio.expected_return(x),
                "risk": math.sqrt(max(variance, 0.0)),
            }
            excess = of_portfolio["expected_return"] - self.portfolio.trading.cost(x)
            excess -= self.portfolio.risk_free * self._budget(value)
            if of_portfolio["risk"] > 0:
                of_portfolio["sharpe_ratio"] = excess / of_portfolio["risk"]
            if plain and bound > 0:  # a variance is never negative: that much needs no proof and tells nothing
                of_portfolio["risk_bound"] = math.sqrt(max(bound, 0.0))
                of_portfolio["risk_gap"] = risk_gap(variance, bound)
        weights = {self.x_names[j]: float(x[j]) for j in np.flatnonzero(x)} if record["x"] else {}
        return Point(
            i, value, status, objective, bound, gap, weights, tuple(self.b_names[j] for j in record["b"]),
            record["found_by"], record["evaluations"], record["seconds"], time_helps=helps, **of_portfolio,
        )  # fmt: skip

    def _budget(self, value: float) -> float:
        assert self.portfolio is not None
        return value if self.parameter == "budget" else self.portfolio.budget

    @property
    def portfolio(self) -> Portfolio | None:
        """The portfolio this is the frontier of, if it is one."""
        return self.family.portfolio if isinstance(self.family, PortfolioFamily) else None

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    @overload
    def __getitem__(self, i: SupportsIndex) -> Point: ...
    @overload
    def __getitem__(self, i: slice) -> tuple[Point, ...]: ...
    def __getitem__(self, i: SupportsIndex | slice) -> Point | tuple[Point, ...]:
        if isinstance(i, slice):
            return self.points[i]
        if not isinstance(i, SupportsIndex):
            raise TypeError(f"frontier[{i!r}]: points are counted from 0; give a whole number or a slice")
        if not -len(self) <= int(i) < len(self):
            raise IndexError(f"frontier[{int(i)}]: there are {len(self)} points, 0 to {len(self) - 1}")
        return self.points[i]

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {status}" for status, count in self.counts.items() if count)
        return f"<Frontier of {len(self)} points along {self.parameter}: {counts}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: how many points there are of every status, and the first and last of them."""
        counts = ", ".join(f"{count} {status}" for status, count in self.counts.items() if count)
        label = self.parameter.replace("_", " ")
        facts: list[tuple[str, object]] = [("points", f"{len(self)} along {label}"), ("status", counts)]
        best = self.best_sharpe
        if best is not None and best.sharpe_ratio is not None and self.portfolio is not None:
            words = f"{best.sharpe_ratio:.4g} at most (point {best.point}, risk-free return"
            facts.append(("sharpe ratio", f"{words} {100 * self.portfolio.risk_free:.4g} %)"))
        facts.append(("seconds", f"{self.seconds:.2f}"))
        of_portfolio = any(point.risk is not None for point in self.points)

        def share(value: float | None) -> str:
            return "-" if value is None else f"{100 * value:.4f} %"

        def row(point: Point) -> list[object]:
            own = share(point.parameter) if self.parameter == "target_return" else f"{point.parameter:g}"
            found = math.isfinite(point.objective)
            words = gap_in_words(point.objective, point.bound, point.status == "optimal", point.gap).partition(" (")[0]
            values = [share(point.expected_return), share(point.risk)] if of_portfolio else []
            values = values or [f"{point.objective:.6g}" if found else "-"]
            return [point.point, own, point.status, *values, words if found else "-"]

        columns = ["point", label, "status", *(["expected return", "risk"] if of_portfolio else ["objective"]), "gap"]
        return card("Frontier", facts, advice(self.suggested_time_limit), columns, map(row, self.points), SHOWN)

    @property
    def counts(self) -> dict[str, int]:
        """How many points there are of every status."""
        statuses = [point.status for point in self.points]
        return {status: statuses.count(status) for status in ("optimal", "feasible", "infeasible", "unknown")}

    def to_frame(self) -> pd.DataFrame:
        """One row per point; what is missing is NaN.

        Examples
        --------
        >>> import hybridmip as hm
        >>> portfolio = hm.market(assets=12, seed=1).portfolio(assets=4, min_weight=0.05)
        >>> hm.frontier(portfolio, points=3).to_frame()[["target_return", "risk", "status"]].round(4)
           target_return    risk      status
        0         0.0023  0.0219     optimal
        1         0.0029  0.0229     optimal
        2         0.0035     NaN  infeasible
        """
        import pandas as pd  # 0.3 s, for who asks for a table

        def number(value: float | None) -> float:
            return math.nan if value is None or not math.isfinite(value) else value

        rows = [
            {
                "point": point.point,
                self.parameter: point.parameter,
                "status": point.status,
                "objective": number(point.objective),
                "bound": number(point.bound),
                "gap": number(point.gap),
                "expected_return": number(point.expected_return),
                "risk": number(point.risk),
                "risk_gap": number(point.risk_gap),
                "sharpe_ratio": number(point.sharpe_ratio),
                # Where it is the parameter, the number of assets is there already, and is what is held.
                **({} if self.parameter == "assets" else {"assets": len(point.selected)}),
                "found_by": point.found_by,
                "seconds": point.seconds,
                "selected": ";".join(point.selected),
            }
            for point in self.points
        ]
        return pd.DataFrame(rows)

    def weights(self) -> pd.DataFrame:
        """Weights by point (index) and name, of all that are ever held; NaN for a point without an answer.

        Examples
        --------
        >>> import hybridmip as hm
        >>> portfolio = hm.market(assets=12, seed=1).portfolio(assets=4, min_weight=0.05)
        >>> weights = hm.frontier(portfolio, points=3, between="attainable").weights()
        >>> weights.shape, weights.sum(axis=1).round(9).tolist()
        ((3, 9), [1.0, 1.0, 1.0])
        """
        import pandas as pd  # 0.3 s, for who asks for a table

        held = [name for name in self.x_names if any(name in point.weights for point in self.points)]
        values = np.full((len(self), len(held)), math.nan)
        places = {name: j for j, name in enumerate(held)}
        for i, point in enumerate(self.points):
            if math.isfinite(point.objective):
                values[i] = 0.0
                for name, weight in point.weights.items():
                    values[i, places[name]] = weight
        return pd.DataFrame(values, columns=held, index=pd.Index(range(len(self)), name="point"))

    @cached_property
    def unconstrained(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Returns and variances of the frontier without counts, minimum weights and groups; None if not of returns."""
        if self.portfolio is None or self.parameter != "target_return":
            return None
        low, high = self.portfolio.efficient_range()
        asked = np.linspace(low, high, SMOOTH)
        return asked, unconstrained_variances(self.portfolio, asked)

    @cached_property
    def single_assets(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Expected return and risk of the whole budget in each asset alone; None if it is no portfolio."""
        if self.portfolio is None:
            return None
        budget = self.portfolio.budget
        return (
            budget * self.portfolio.returns,
            abs(budget) * np.sqrt(np.maximum(self.portfolio.covariance.diagonal(), 0.0)),
        )

    @property
    def best_sharpe(self) -> Point | None:
        """The point with the largest Sharpe ratio, if one is above 0; the risk-free return is the portfolio's."""
        ratios = [(point.sharpe_ratio, -point.point, point) for point in self.points if point.sharpe_ratio is not None]
        best = max(ratios, default=None)
        return None if best is None or best[0] <= 0 else best[2]

    @property
    def suggested_time_limit(self) -> float | None:
        """Seconds for the whole frontier with which bounds would become tighter; None where none would."""
        helps = any(point.time_helps and point.status == "feasible" for point in self.points)
        return larger_limit(max(self.seconds, sum(point.seconds for point in self.points))) if helps else None

    def plot(
        self,
        path: str | Path | None = None,
        title: str = "",
        groups: Mapping[str, str] | None = None,
        group_title: str = "group",
        chosen: tuple[float, float] | None = None,
        *,
        ax: Any = None,
    ) -> Any:
        """The frontier with its certified band and the weights along it; written to `path` if that is given.

        A filled dot is proven optimal, a hollow one is the best that was found.

        Parameters
        ----------
        path : path, optional
            Its ending (.png, .pdf, .svg) chooses the format.
        title : str
        groups, group_title
            Group of each asset, to colour the weights by, and what a group is called; the portfolio's if left out.
        chosen : pair of float, optional
            Return and variance of one portfolio to mark.
        ax : matplotlib.axes.Axes, optional
            Draw the frontier, without the weights, into these.

        Returns
        -------
        matplotlib.figure.Figure or matplotlib.axes.Axes
            A figure, which a notebook shows; or `ax`.

        Raises
        ------
        ArgumentError
            If `ax` is not of Matplotlib.

        Examples
        --------
        >>> import hybridmip as hm
        >>> portfolio = hm.market(assets=12, seed=1).portfolio(assets=4, min_weight=0.05)
        >>> figure = hm.frontier(portfolio, points=3, between="attainable").plot()
        >>> len(figure.axes) > 0
        True
        """
        axes = None if ax is None else as_axes(ax)
        full = filled([point.status for point in self.points])
        figure: Figure | SubFigure
        if self.unconstrained is not None:
            frame, beside = self.to_frame(), self._beside(chosen)
            given = (
                frame["expected_return"].fillna(frame[self.parameter]),
                frame["risk"] ** 2,
                self._variance_bounds(),
            )
            if axes is not None:
                draw_frontier(axes, *given, optimal=full, beside=beside, title=title)
                figure = axes.figure
            else:
                if groups is None and self.portfolio is not None and self.portfolio.groups:
                    groups = group_of_each(self.portfolio)
                figure = frontier_figure(
                    *given, optimal=full, beside=beside, weights=self.weights(), groups=groups,
                    group_title=group_title, title=title,
                )  # fmt: skip
        else:
            line = self._line(full)
            if axes is not None:
                draw_curve(axes, line, title)
                figure = axes.figure
            else:
                figure = curve_figure(line, title)
        if path is not None:
            save_figure(figure.figure, path)
        return figure if axes is None else axes

    def _variance_bounds(self) -> NDArray[np.float64]:
        """Squares of the least risks that proof does not rule out; NaN where there is none."""
        return np.array([math.nan if point.risk_bound is None else point.risk_bound**2 for point in self.points])

    def _beside(self, chosen: tuple[float, float] | None) -> Beside:
        best = self.best_sharpe
        sharpe = None
        if best is not None and self.portfolio is not None:
            assert best.expected_return is not None
            assert best.risk is not None
            assert best.sharpe_ratio is not None
            label = sharpe_label(best.sharpe_ratio, self.portfolio.risk_free)
            sharpe = (best.expected_return, best.risk, label)
        return Beside(
            unconstrained=self.unconstrained,
            infeasible=[point.parameter for point in self.points if point.status == "infeasible"],
            chosen=chosen,
            single_assets=self.single_assets,
            sharpe=sharpe,
        )

    def _line(self, full: NDArray[np.bool_]) -> Line:
        """What was found along a parameter: the risk of a portfolio, else the objective."""

        def numbers(key: str) -> list[float]:
            found = [getattr(point, key) for point in self.points]
            return [math.nan if one is None or not math.isfinite(one) else one for one in found]

        of_risk = chart_of(self) == "risk"
        return Line(
            self.values,
            numbers("risk" if of_risk else "objective"),
            numbers("risk_bound" if of_risk else "bound"),
            label=self.parameter.replace("_", " "),
            y_label="risk per period (standard deviation)" if of_risk else "objective",
            optimal=full,
            infeasible=[point.parameter for point in self.points if point.status == "infeasible"],
            percent=of_risk,
            whole=all(value == int(value) for value in self.values),
            log=is_log(self.values),
        )

    def document(self, title: str = "") -> dict[str, Any]:
        """The frontier as a document ready for JSON, as the page takes it.

        Examples
        --------
        >>> import hybridmip as hm
        >>> portfolio = hm.market(assets=12, seed=1).portfolio(assets=4, min_weight=0.05)
        >>> document = hm.frontier(portfolio, points=3).document("Three points")
        >>> document["title"], document["parameter"], len(document["points"])
        ('Three points', 'target_return', 3)
        """
        return frontier_document(self, title)

    def report(self, path: str | Path, title: str = "") -> Path:
        """Write the page: one HTML file that works offline.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import hybridmip as hm
        >>> portfolio = hm.market(assets=12, seed=1).portfolio(assets=4, min_weight=0.05)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     page = hm.frontier(portfolio, points=3).report(pathlib.Path(folder, "page.html"), "Three points")
        ...     text = page.read_text(encoding="utf-8")
        >>> "Three points" in text
        True
        """
        write_text(path, frontier_page(self.document(title)), "the page")
        return Path(path)

    def save(self, folder: str | Path, title: str = "", pictures: bool = True, **drawing: Any) -> list[Path]:
        """Write frontier.csv, weights.csv and, if asked, frontier.png, frontier.svg and report.html into a folder.

        `drawing` is passed on to `plot`.

        Examples
        --------
        >>> import tempfile
        >>> import hybridmip as hm
        >>> portfolio = hm.market(assets=12, seed=1).portfolio(assets=4, min_weight=0.05)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     files = hm.frontier(portfolio, points=3).save(folder, pictures=False)
        >>> [file.name for file in files]
        ['frontier.csv', 'weights.csv']
        """
        folder = Path(folder)
        files = [folder / "frontier.csv", folder / "weights.csv"]
        write_text(files[0], self.to_frame().to_csv(index=False), "the table")
        write_text(files[1], self.weights().to_csv(), "the weights")
        if pictures:
            figure = self.plot(title=title, **drawing)
            for suffix in (".png", ".svg"):
                files.append(save_figure(figure, folder / f"frontier{suffix}"))
            files.append(self.report(folder / "report.html", title))
        return files


def unconstrained_variances(
    portfolio: Portfolio, returns: Sequence[float] | NDArray[np.float64]
) -> NDArray[np.float64]:
    """Least variance for each return, without counts, minimum weights of held assets and groups.

    Raises
    ------
    ArgumentError
        If a return cannot be had.
    """
    rows = np.vstack([np.ones(portfolio.n), portfolio.returns])
    variances = np.empty(len(returns))
    for k, target in enumerate(returns):
        problem = Problem(
            Q=portfolio.covariance,
            A=rows,
            row_lower=[portfolio.budget, target],
            row_upper=[portfolio.budget, target],
            x_lower=np.minimum(portfolio.min_weight, 0.0),
            x_upper=np.maximum(portfolio.max_weight, 0.0),
        )
        # Nothing is binary here: the restricted problem is the problem.
        solver = restricted_solver(problem, 1)
        with one_thread(problem.n):
            answer = solver.evaluate(np.zeros(0, dtype=bool))
        solver.close()
        if not answer.feasible:
            raise ArgumentError(f"returns[{k}] is {target:g}; no portfolio has that return")
        variances[k] = answer.objective
    return variances
