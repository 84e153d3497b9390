"""A frontier as one web page: charts, holdings of every point, comparison of two, a table and a CSV file.

The page is a single file that needs no network: style, script and data are inside it, and its
Content-Security-Policy lets the browser load nothing else and run no other script.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from hybridmip.errors import ArgumentError
from hybridmip.report.terminal import optimality_in_words, percent_above, round_up

_STATUSES = ("optimal", "feasible", "infeasible", "unknown")
_NUMBERS = ("parameter", "objective", "bound", "gap", "return", "risk", "risk_bound", "seconds")
# From this many weights on, they are written as whole multiples of a millionth of the largest, to keep the page small.
_MANY_WEIGHTS = 100_000


def frontier_page(document: Mapping[str, Any]) -> str:
    """The web page of a frontier, complete in itself.

    Parameters
    ----------
    document : mapping
        Ready for JSON:

        - `title`, `subtitle`, `version` : str
        - `settings` : mapping of str to str, shown small at the end
        - `x_label`, `y_label` : str, axes of risk and return
        - `parameter_label` : str, what changes from point to point. A label that speaks of return (or
          risk) puts the marks of infeasible points on that axis; such values are shown in percent.
        - `objective_label` : str, optional, "objective" if left out
        - `points` : sequence of mappings with `point`, `parameter`, `status` (optimal, feasible, infeasible
          or unknown), `objective`, `bound`, `gap`, `return`, `risk`, `risk_bound`, `assets`, `seconds` and
          `weights` (name to weight, nonzero ones). Numbers may be None.
        - `unconstrained` : mapping with `risk` and `return`, two lists of one length, or None
        - `names` : sequence of str, all assets in order

        Where no point has both risk and return, the chart shows the objective over the parameter.

    Returns
    -------
    str
        HTML, to be written as UTF-8. Beyond 100,000 weights in all, the page has them to a millionth of
        the largest one, otherwise to 12 digits.

    Raises
    ------
    ArgumentError
        When the document lacks a part, has an unknown status, or two lists differ in length.
    """
    points = _checked_points(document)
    curve = _has_curve(points, str(_part(document, "parameter_label")))
    objective_label = str(document.get("objective_label") or "objective")
    parameter_label = str(_part(document, "parameter_label"))
    held, weights, unit = _compact_weights(points, [str(name) for name in document.get("names") or ()])
    columns: dict[str, list[Any]] = {key: [_number(point, key) for point in points] for key in _NUMBERS}
    columns["point"] = [point.get("point", k) for k, point in enumerate(points)]
    columns["status"] = [str(point["status"]) for point in points]
    columns["assets"] = [int(point.get("assets") or 0) for point in points]
    columns["words"] = [_in_words(point) for point in points]
    data = {
        "curve": curve,
        "x_label": str(document.get("x_label") or "risk"),
        "y_label": str(document.get("y_label") or "return"),
        "parameter_label": parameter_label,
        "objective_label": objective_label,
        "columns": columns,
        "held": held,
        "weights": weights,
        "unit": unit,
        "unconstrained": _unconstrained(document.get("unconstrained")),
    }
    style, script = _asset("page.css"), _asset("page.js")
    policy = (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    settings = "".join(
        f"<div><dt>{_text(name)}</dt><dd>{_text(value)}</dd></div>"
        for name, value in (document.get("settings") or {}).items()
    )
    return Template(_asset("page.html")).substitute(
        policy=escape(policy),
        style=style,
        script=script,
        title=_text(_part(document, "title")),
        subtitle=_text(document.get("subtitle") or ""),
        version=_text(document.get("version") or ""),
        reading=_text(_reading(curve, parameter_label, objective_label)),
        tally=_tally(points),
        frontier_title=_text(
            "Risk and return" if curve else f"{objective_label[:1].upper()}{objective_label[1:]} by {parameter_label}"
        ),
        settings=settings,
        document=_embedded(data),
    )


def _asset(name: str) -> str:
    return files("hybridmip.report").joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """Source expression of a Content-Security-Policy that allows this very text and no other."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _text(value: object) -> str:
    """Escaped for HTML; what UTF-8 cannot hold is replaced."""
    return escape(str(value).encode("utf-8", "replace").decode())


def _embedded(data: object) -> str:
    """JSON that cannot end its script element: pure ASCII, with <, > and & as escapes."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _part(document: Mapping[str, Any], key: str) -> Any:
    if key not in document:
        raise ArgumentError(f"document has no {key!r}; the page of a frontier needs it")
    return document[key]


def _checked_points(document: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    points: Sequence[Mapping[str, Any]] = _part(document, "points")
    for k, point in enumerate(points):
        if point.get("status") not in _STATUSES:
            raise ArgumentError(f"points[{k}] has status {point.get('status')!r}; it must be {', '.join(_STATUSES)}")
    return points


def _number(point: Mapping[str, Any], key: str) -> float | None:
    """A finite number, else None: JSON has no others."""
    value = point.get(key)
    return None if value is None or not math.isfinite(value) else float(value)


def _has_curve(points: Sequence[Mapping[str, Any]], parameter_label: str) -> bool:
    """Whether the chart is of risk and return: some point has both, or none has anything and the label says so."""
    if all(point["status"] in ("infeasible", "unknown") for point in points):
        return any(word in parameter_label.lower() for word in ("return", "risk"))
    return any(_number(point, "risk") is not None and _number(point, "return") is not None for point in points)


def _unconstrained(curve: Mapping[str, Sequence[float]] | None) -> dict[str, list[float]] | None:
    if not curve:
        return None
    risk, level = curve["risk"], curve["return"]
    if len(risk) != len(level):
        raise ArgumentError(f"unconstrained has {len(risk)} risks and {len(level)} returns; give one of each per point")
    pairs = [(x, y) for x, y in zip(risk, level, strict=True) if math.isfinite(x) and math.isfinite(y)]
    return {"risk": [float(x) for x, _ in pairs], "return": [float(y) for _, y in pairs]}


def _compact_weights(
    points: Sequence[Mapping[str, Any]], names: Sequence[str]
) -> tuple[list[str], list[list[list[float]]], float]:
    """Names ever held, in order; of each point the steps from index to index and the values; unit of the values."""
    given = [
        {str(name): float(weight) for name, weight in (point.get("weights") or {}).items() if weight}
        for point in points
    ]
    used = {name for weights in given for name in weights}
    held = [name for name in dict.fromkeys(names) if name in used]
    known = set(held)
    held += sorted(used - known)
    index = {name: j for j, name in enumerate(held)}
    many = sum(map(len, given)) > _MANY_WEIGHTS
    largest = max((abs(weight) for weights in given for weight in weights.values()), default=0.0)
    unit = largest * 1e-6 if many else 1.0
    rows: list[list[list[float]]] = []
    for weights in given:
        row = sorted((index[name], weight) for name, weight in weights.items())
        steps = [j - (row[k - 1][0] if k else 0) for k, (j, _) in enumerate(row)]
        values: list[float] = [round(w / unit) if many else float(f"{w:.12g}") for _, w in row]
        rows.append([list(steps), values])
    return held, rows, unit


def _in_words(point: Mapping[str, Any]) -> str:
    """What is known about a point, as a sentence without full stop."""
    if point["status"] == "infeasible":
        return "no answer can satisfy every rule (proven)"
    if point["status"] == "unknown":
        return "no answer was found"
    objective, bound = _number(point, "objective"), _number(point, "bound")
    objective, bound = (math.nan if number is None else number for number in (objective, bound))
    return optimality_in_words(objective, bound, point["status"] == "optimal")


def _reading(curve: bool, parameter_label: str, objective_label: str) -> str:
    if curve:
        return (
            f"Each dot is the portfolio of least risk that was found for one value of {parameter_label}; the shaded "
            "band reaches from it to the least risk that proof does not rule out: the true optimum lies inside it."
        )
    return (
        f"Each dot is the best {objective_label} that was found for one value of {parameter_label}; the shaded band "
        "reaches from it to the proven bound, so the true optimum lies inside the band."
    )


def _tally(points: Sequence[Mapping[str, Any]]) -> str:
    """How many points there are of each kind, how good they are at worst, and the time they took; HTML."""
    count = {status: sum(point["status"] == status for point in points) for status in _STATUSES}
    parts = [f"<b>{len(points)}</b> {'point' if len(points) == 1 else 'points'}"]
    if count["optimal"]:
        parts.append(f"<b>{count['optimal']}</b> proven optimal")
    if count["feasible"]:
        above = [
            percent_above(_number(point, "objective") or 0.0, bound)
            for point in points
            if point["status"] == "feasible" and (bound := _number(point, "bound")) is not None
        ]
        worst = max(above, default=math.inf) if len(above) == count["feasible"] else math.inf
        known = f" (at most {round_up(worst)} % above the optimum)" if math.isfinite(worst) else ""
        parts.append(f"<b>{count['feasible']}</b> feasible, not proven optimal{known}")
    if count["infeasible"]:
        parts.append(f"<b>{count['infeasible']}</b> infeasible")
    if count["unknown"]:
        parts.append(f"<b>{count['unknown']}</b> without an answer")
    seconds = sum(_number(point, "seconds") or 0.0 for point in points)
    return ", ".join(parts) + f"; <b>{seconds:.{1 if seconds < 100 else 0}f}</b> seconds in all."
