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

import numpy as np

from hybridmip.errors import ArgumentError
from hybridmip.report import marks
from hybridmip.run.words import advice, finder_in_words, gap_in_words, round_up

_STATUSES = ("optimal", "feasible", "infeasible", "unknown")
_NUMBERS = (
    "parameter", "objective", "bound", "gap", "expected_return", "risk", "risk_bound", "risk_gap", "sharpe_ratio",
    "seconds",
)  # fmt: skip
#: What can be drawn: risk and return, or risk or objective against the parameter.
CHARTS = ("risk_return", "risk", "objective")
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
        - `parameter`, `parameter_label` : str, what changes from point to point: its name in tables, and in words. A
          label that speaks of return (or risk) puts the marks of infeasible points on that axis; such values are shown
          in percent.
        - `chart` : str, optional; `risk_return`, or `risk` or `objective` against the parameter. Left out, it is risk
          and return where some point has both.
        - `log` : bool, optional, whether the parameter's axis is logarithmic
        - `objective_label` : str, optional, "objective" if left out
        - `rules` : mapping of str to str, optional: limits, groups and what is best, in words
        - `groups` : mapping of asset to group, optional: a second chart of the weights
        - `points` : sequence of mappings with `point`, `parameter`, `status` (optimal, feasible, infeasible
          or unknown), `objective`, `bound`, `gap`, `expected_return`, `risk`, `risk_bound`, `risk_gap`,
          `sharpe_ratio`, `assets`, `found_by`, `seconds` and `weights` (name to weight, nonzero ones). Numbers may be
          None.
        - `risk_free` : float, optional, to which the Sharpe ratios belong
        - `suggested_time_limit` : float, optional, with which bounds would become tighter
        - `unconstrained` : mapping with `risk` and `expected_return`, two lists of one length, or None
        - `single_assets` : mapping with `names`, `risk` and `expected_return`, or None
        - `names` : sequence of str, all assets in order

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
    chart = _chart(document, points)
    objective_label = str(document.get("objective_label") or "objective")
    parameter_label = str(_part(document, "parameter_label"))
    held, weights, unit = _compact_weights(points, [str(name) for name in document.get("names") or ()])
    columns: dict[str, list[Any]] = {key: [_number(point, key) for point in points] for key in _NUMBERS}
    columns["point"] = [point.get("point", k) for k, point in enumerate(points)]
    columns["status"] = [str(point["status"]) for point in points]
    columns["assets"] = [int(point.get("assets") or 0) for point in points]
    columns["found_by"] = [finder_in_words(str(point.get("found_by") or "")) for point in points]
    columns["words"] = [_in_words(point) for point in points]
    free = _pairs("unconstrained", document.get("unconstrained"))
    log = bool(document.get("log")) and all((_number(point, "parameter") or 0.0) > 0 for point in points)
    groups = {str(name): str(group) for name, group in (document.get("groups") or {}).items()}
    data = {
        "chart": chart,
        "log": log,
        "parameter": str(document.get("parameter") or "parameter"),
        "x_label": str(document.get("x_label") or "risk"),
        "y_label": str(document.get("y_label") or "expected return"),
        "parameter_label": parameter_label,
        "objective_label": objective_label,
        "columns": columns,
        "held": held,
        "weights": weights,
        "unit": unit,
        "groups": [groups.get(name, marks.NO_GROUP) for name in held] if groups else None,
        "unconstrained": free,
        "single_assets": _single_assets(document, points, free) if chart == "risk_return" else None,
        "sharpe": _sharpe(document, points),
        "legend": {
            "free": marks.FREE, "optimal": marks.OPTIMAL, "feasible": marks.FEASIBLE, "band": marks.BAND,
            "infeasible": marks.INFEASIBLE, "single": marks.SINGLE,
        },
    }  # fmt: skip
    style, script = _asset("page.css"), _asset("page.js")
    policy = (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return Template(_asset("page.html")).substitute(
        policy=escape(policy),
        style=style,
        script=script,
        title=_text(_part(document, "title")),
        subtitle=_text(document.get("subtitle") or ""),
        version=_text(document.get("version") or ""),
        reading=_text(_reading(chart, parameter_label, objective_label)),
        tally=_tally(points) + _advice(document),
        frontier_title=_text(_heading(chart, parameter_label, objective_label)),
        rules=_list(document.get("rules")),
        settings=_list(document.get("settings")),
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


def _chart(document: Mapping[str, Any], points: Sequence[Mapping[str, Any]]) -> str:
    """What is drawn: as asked, else risk and return if some point has both, or none has anything and the label says so.

    What is asked is not drawn where no point has it.
    """
    asked = document.get("chart")
    if asked is not None and asked not in CHARTS:
        raise ArgumentError(f"chart is {asked!r}; it must be {', '.join(CHARTS)}")
    has = {key for key in ("risk", "expected_return") for point in points if _number(point, key) is not None}
    if all(point["status"] in ("infeasible", "unknown") for point in points):
        label = str(_part(document, "parameter_label")).lower()
        return str(asked or ("risk_return" if any(word in label for word in ("return", "risk")) else "objective"))
    both = any(_number(point, "risk") is not None and _number(point, "expected_return") is not None for point in points)
    if asked == "risk":
        return "risk" if "risk" in has else "objective"
    return "objective" if asked == "objective" or not both else "risk_return"


def _list(entries: Mapping[str, Any] | None) -> str:
    """Names and texts as entries of a list; HTML. A number and its percent sign stay together."""
    return "".join(
        f"<div><dt>{_text(name)}</dt><dd>{_text(str(value).replace(' %', chr(160) + '%'))}</dd></div>"
        for name, value in (entries or {}).items()
    )


def _pairs(part: str, curve: Mapping[str, Sequence[float]] | None) -> dict[str, list[float]] | None:
    """Risks and returns of one length; those that are not finite are left out."""
    if not curve:
        return None
    risk, level = curve["risk"], curve["expected_return"]
    if len(risk) != len(level):
        raise ArgumentError(f"{part} has {len(risk)} risks and {len(level)} returns; give one of each per point")
    pairs = [(x, y) for x, y in zip(risk, level, strict=True) if math.isfinite(x) and math.isfinite(y)]
    return {"risk": [float(x) for x, _ in pairs], "expected_return": [float(y) for _, y in pairs]}


def _single_assets(
    document: Mapping[str, Any], points: Sequence[Mapping[str, Any]], free: Mapping[str, list[float]] | None
) -> dict[str, Any] | None:
    """The single assets that are near enough to be drawn, and how many are not."""
    single = document.get("single_assets")
    if not single:
        return None
    _pairs("single_assets", single)
    inside = np.ones(len(single["risk"]), dtype=bool)
    for key in ("risk", "expected_return"):
        drawn = [value for point in points if (value := _number(point, key)) is not None]
        inside &= marks.near([*drawn, *(free[key] if free else [])], single[key])
    chosen = np.flatnonzero(inside)
    return {
        "names": [str(single["names"][j]) for j in chosen],
        "risk": [float(single["risk"][j]) for j in chosen],
        "expected_return": [float(single["expected_return"][j]) for j in chosen],
        "outside": int((~inside).sum()),
    }


def _sharpe(document: Mapping[str, Any], points: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Place of the point with the largest Sharpe ratio, if one is above 0, and what it is called."""
    ratios = [(_number(point, "sharpe_ratio") or 0.0, -i) for i, point in enumerate(points)]
    ratio, i = max(ratios, default=(0.0, 0))
    if ratio <= 0.0:
        return None
    return {"i": -i, "label": marks.sharpe_label(ratio, float(document.get("risk_free") or 0.0))}


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
    return gap_in_words(objective, bound, point["status"] == "optimal", _number(point, "gap"))


def _heading(chart: str, parameter_label: str, objective_label: str) -> str:
    if chart == "risk_return":
        return "Risk and return"
    shown = "Risk" if chart == "risk" else f"{objective_label[:1].upper()}{objective_label[1:]}"
    return f"{shown} by {parameter_label}"


def _reading(chart: str, parameter_label: str, objective_label: str) -> str:
    gap = f" The gap is the share of the {objective_label} by which the optimum can be lower at most"
    if chart != "objective":
        return (
            f"Each dot is the best portfolio that was found for one value of {parameter_label}; the shaded band "
            "reaches from it to the least risk that proof does not rule out: the true optimum lies inside it."
            f"{gap}; the risk gap is the same in terms of risk (volatility, the standard deviation)."
        )
    return (
        f"Each dot is the best {objective_label} that was found for one value of {parameter_label}; the shaded band "
        f"reaches from it to the proven bound, so the true optimum lies inside the band.{gap}."
    )


def _advice(document: Mapping[str, Any]) -> str:
    """What would close open gaps; HTML."""
    limit = document.get("suggested_time_limit")
    if limit is None:
        return ""
    return f" {_text(advice(limit))} (on the command line {_text(advice(limit, '--time-limit ').split(' tight')[0])})."


def _tally(points: Sequence[Mapping[str, Any]]) -> str:
    """How many points there are of each kind, how good they are at worst, and the time they took; HTML."""
    count = {status: sum(point["status"] == status for point in points) for status in _STATUSES}
    parts = [f"<b>{len(points)}</b> {'point' if len(points) == 1 else 'points'}"]
    if count["optimal"]:
        parts.append(f"<b>{count['optimal']}</b> proven optimal")
    if count["feasible"]:
        gaps = [_widest(points, key) for key in ("gap", "risk_gap")]
        said = [
            f"{name} at most {round_up(100 * gap)} %"
            for name, gap in zip(("gap", "risk gap"), gaps, strict=True)
            if gap
        ]
        known = f" ({', '.join(said)})" if said else ""
        parts.append(f"<b>{count['feasible']}</b> feasible, not proven optimal{known}")
    if count["infeasible"]:
        parts.append(f"<b>{count['infeasible']}</b> infeasible")
    if count["unknown"]:
        parts.append(f"<b>{count['unknown']}</b> without an answer")
    seconds = sum(_number(point, "seconds") or 0.0 for point in points)
    return ", ".join(parts) + f"; <b>{seconds:.{1 if seconds < 100 else 0}f}</b> seconds in all."


def _widest(points: Sequence[Mapping[str, Any]], key: str) -> float | None:
    """The widest gap of points that are not proven optimal; None where one of them has none."""
    found = [_number(point, key) for point in points if point["status"] == "feasible"]
    known = [gap for gap in found if gap is not None]
    return max(known) if known and len(known) == len(found) else None
