"""The document of a frontier: what the page is made of and `hybridmip frontier --json` prints."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridmip import __version__
from hybridmip.applications.portfolio.description import described, group_of_each
from hybridmip.applications.portfolio.result import OBJECTIVE_NAMES
from hybridmip.report.marks import is_log

if TYPE_CHECKING:
    from hybridmip.sweep.curve import Frontier, Point

RISK_LABEL = "risk (standard deviation per period)"


def chart_of(frontier: Frontier) -> str:
    """What is drawn: `risk_return`, or `risk` or `objective` against the parameter."""
    if frontier.portfolio is None or not any(point.risk is not None for point in frontier.points):
        return "risk_return" if frontier.parameter == "target_return" else "objective"
    return "risk" if frontier.parameter in ("assets", "budget") else "risk_return"


def frontier_document(frontier: Frontier, title: str = "") -> dict[str, Any]:
    """All of a frontier, ready for JSON."""
    free, portfolio = frontier.unconstrained, frontier.portfolio
    counts, single = frontier.counts, frontier.single_assets
    proven = f"{counts['optimal']} of {len(frontier)} points proven optimal"
    name = OBJECTIVE_NAMES.get(portfolio.objective, "") if portfolio is not None else ""
    return {
        "title": title or "Frontier",
        "subtitle": f"{proven}, {counts['feasible']} feasible, {counts['infeasible']} infeasible",
        "version": __version__,
        "settings": {key: frontier.settings[key] for key in ("seed", "version") if key in frontier.settings},
        "chart": chart_of(frontier),
        "parameter": frontier.parameter,
        "parameter_label": frontier.parameter.replace("_", " "),
        "log": is_log(frontier.values),
        "x_label": RISK_LABEL,
        "y_label": "expected return per period",
        "objective_label": f"objective ({name})" if name else "objective",
        "rules": _rules(frontier),
        "groups": {} if portfolio is None else group_of_each(portfolio),
        "risk_free": None if portfolio is None else portfolio.risk_free,
        "suggested_time_limit": frontier.suggested_time_limit,
        "points": [point_document(point) for point in frontier.points],
        "unconstrained": None
        if free is None
        else {"risk": np.sqrt(np.maximum(free[1], 0.0)).tolist(), "expected_return": free[0].tolist()},
        "single_assets": None
        if single is None or portfolio is None
        else {"names": list(portfolio.names), "risk": single[1].tolist(), "expected_return": single[0].tolist()},
        "names": [name for name in frontier.x_names if any(name in point.weights for point in frontier.points)],
    }


def point_document(point: Point) -> dict[str, Any]:
    """One point, ready for JSON."""

    def number(value: float | None) -> float | None:
        return None if value is None or not math.isfinite(value) else float(value)

    return {
        "point": point.point, "parameter": point.parameter, "status": point.status,
        "objective": number(point.objective), "bound": number(point.bound), "gap": number(point.gap),
        "expected_return": number(point.expected_return), "risk": number(point.risk),
        "risk_bound": number(point.risk_bound), "risk_gap": number(point.risk_gap),
        "sharpe_ratio": number(point.sharpe_ratio), "assets": len(point.selected), "found_by": point.found_by,
        "evaluations": point.evaluations, "seconds": point.seconds, "weights": dict(point.weights),
    }  # fmt: skip


def _rules(frontier: Frontier) -> dict[str, str]:
    """What is asked, in words."""
    if frontier.portfolio is not None:
        return described(frontier.portfolio, frontier.parameter)
    return {"objective": "minimised", "problem": frontier.family.problem(frontier.values[0]).describe()}
