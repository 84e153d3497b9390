"""Frontier: the points of a sweep as tables, pictures and a page.

Pandas (0.3 s) and what draws (0.05 s) are imported where they are used: every worker process imports this module.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hybridmip import __version__
from hybridmip.engines.blas import one_thread
from hybridmip.errors import ArgumentError
from hybridmip.files import write_text
from hybridmip.model.problem import Problem
from hybridmip.restricted import restricted_solver
from hybridmip.run.result import relative_gap
from hybridmip.sweep.family import Family, PortfolioFamily
from hybridmip.tolerances import OPTIMAL_GAP

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from hybridmip.applications.portfolio import Portfolio

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
    portfolio_return, risk, risk_bound : float or None
        Of a portfolio: expected return, standard deviation, and the certified least standard deviation.
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
    portfolio_return: float | None = None
    risk: float | None = None
    risk_bound: float | None = None


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
        if self.portfolio is not None and math.isfinite(objective):
            x = self.portfolio.weights_at(x)
            plain = self.portfolio.objective == "variance" and not self.portfolio.cost_weight
            variance = objective if plain else self.portfolio.variance(x)
            of_portfolio = {
                "portfolio_return": self.portfolio.portfolio_return(x),
                "risk": math.sqrt(max(variance, 0.0)),
            }
            if plain and bound > 0:  # a variance is never negative: that much needs no proof and tells nothing
                of_portfolio["risk_bound"] = math.sqrt(max(bound, 0.0))
        weights = {self.x_names[j]: float(x[j]) for j in np.flatnonzero(x)} if record["x"] else {}
        return Point(
            i, value, status, objective, bound, gap, weights, tuple(self.b_names[j] for j in record["b"]),
            record["found_by"], record["evaluations"], record["seconds"], **of_portfolio,
        )  # fmt: skip

    @property
    def portfolio(self) -> Portfolio | None:
        """The portfolio this is the frontier of, if it is one."""
        return self.family.portfolio if isinstance(self.family, PortfolioFamily) else None

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {status}" for status, count in self.counts.items() if count)
        return f"<Frontier of {len(self)} points along {self.parameter}: {counts}>"

    @property
    def counts(self) -> dict[str, int]:
        """How many points there are of every status."""
        statuses = [point.status for point in self.points]
        return {status: statuses.count(status) for status in ("optimal", "feasible", "infeasible", "unknown")}

    def to_frame(self) -> pd.DataFrame:
        """One row per point; what is missing is NaN."""
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
                "portfolio_return": number(point.portfolio_return),
                "risk": number(point.risk),
                "assets" if self.parameter != "assets" else "held": len(point.selected),
                "seconds": point.seconds,
                "selected": ";".join(point.selected),
            }
            for point in self.points
        ]
        return pd.DataFrame(rows)

    def weights(self) -> pd.DataFrame:
        """Weights by point (index) and name, of all that are ever held; NaN for a point without an answer."""
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

    def plot(
        self,
        path: str | Path | None = None,
        title: str = "",
        groups: Mapping[str, str] | None = None,
        group_title: str = "group",
        chosen: tuple[float, float] | None = None,
    ) -> Figure:
        """The frontier with its certified band and the weights along it; written to `path` if that is given.

        Parameters
        ----------
        groups, group_title
            Group of each asset, to colour the weights by, and what a group is called.
        chosen : pair of float, optional
            Return and variance of one portfolio to mark.
        """
        from hybridmip.report.figures import curve_figure, frontier_figure, save_figure  # with Rich 50 ms

        frame = self.to_frame()
        if self.unconstrained is not None:
            figure = frontier_figure(
                frame[self.parameter], frame["objective"], frame["bound"], unconstrained=self.unconstrained,
                weights=self.weights(), groups=groups, group_title=group_title, chosen=chosen, title=title,
                infeasible=[point.parameter for point in self.points if point.status == "infeasible"],
            )  # fmt: skip
        else:
            figure = curve_figure(
                frame[self.parameter], frame["objective"], frame["bound"], label=self.parameter.replace("_", " "),
                title=title,
            )  # fmt: skip
        if path is not None:
            save_figure(figure, path)
        return figure

    def document(self, title: str = "") -> dict[str, Any]:
        """The frontier as a document ready for JSON, as the page takes it."""

        def number(value: float | None) -> float | None:
            return None if value is None or not math.isfinite(value) else float(value)

        free = self.unconstrained
        held = [name for name in self.x_names if any(name in point.weights for point in self.points)]
        counts = self.counts
        proven = f"{counts['optimal']} of {len(self)} points proven optimal"
        return {
            "title": title or "Frontier",
            "subtitle": f"{proven}, {counts['feasible']} feasible, {counts['infeasible']} infeasible",
            "version": __version__,
            "settings": {key: self.settings[key] for key in ("seed", "version") if key in self.settings},
            "x_label": "risk (standard deviation per period)",
            "y_label": "expected return per period",
            "parameter_label": self.parameter.replace("_", " "),
            "points": [
                {
                    "point": point.point, "parameter": point.parameter, "status": point.status,
                    "objective": number(point.objective), "bound": number(point.bound), "gap": number(point.gap),
                    "return": number(point.portfolio_return), "risk": number(point.risk),
                    "risk_bound": number(point.risk_bound), "assets": len(point.selected), "seconds": point.seconds,
                    "weights": dict(point.weights),
                }
                for point in self.points
            ],
            "unconstrained": None
            if free is None
            else {"risk": np.sqrt(np.maximum(free[1], 0.0)).tolist(), "return": free[0].tolist()},
            "names": held,
        }  # fmt: skip

    def report(self, path: str | Path, title: str = "") -> Path:
        """Write the page: one HTML file that works offline."""
        from hybridmip.report.page import frontier_page  # as in `plot`

        write_text(path, frontier_page(self.document(title)), "the page")
        return Path(path)

    def save(self, folder: str | Path, title: str = "", pictures: bool = True, **drawing: Any) -> list[Path]:
        """Write frontier.csv, weights.csv and, if asked, frontier.png, frontier.svg and report.html into a folder.

        `drawing` is passed on to `plot`.
        """
        folder = Path(folder)
        files = [folder / "frontier.csv", folder / "weights.csv"]
        write_text(files[0], self.to_frame().to_csv(index=False), "the table")
        write_text(files[1], self.weights().to_csv(), "the weights")
        if pictures:
            from hybridmip.report.figures import save_figure  # as in `plot`

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
