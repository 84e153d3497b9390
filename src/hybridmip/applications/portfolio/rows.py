"""Further rows on the weights: exposures to factors, and whatever else is linear."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from hybridmip.applications.arguments import is_list, number
from hybridmip.applications.portfolio.checks import checked_weights
from hybridmip.errors import ArgumentError
from hybridmip.model.quadratic import Vector

#: Coefficients of the weights, and the lowest and highest value of the row (None for no limit).
Limited: TypeAlias = tuple[Vector, float | None, float | None]
RULE = "give (coefficients, lowest, highest), None for no limit"


def checked_rows(argument: str, rows: Any, names: tuple[str, ...]) -> dict[str, Limited]:
    """A mapping of a name to (coefficients, lowest, highest)."""
    if rows is None:
        return {}
    if not isinstance(rows, Mapping):
        raise ArgumentError(f"{argument} must be a mapping of a name to (coefficients, lowest, highest)")
    return {str(name): _row(f"{argument}[{str(name)!r}]", entry, names) for name, entry in rows.items()}


def _row(label: str, entry: Any, names: tuple[str, ...]) -> Limited:
    if not is_list(entry) or isinstance(entry, Mapping):
        raise ArgumentError(f"{label} is {entry!r}; {RULE}")
    parts = tuple(entry)
    if len(parts) != 3:
        raise ArgumentError(f"{label} has {len(parts)} entries; {RULE}")
    lower = None if parts[1] is None else number(f"{label}, lowest,", parts[1])
    upper = None if parts[2] is None else number(f"{label}, highest,", parts[2])
    if lower is not None and upper is not None and lower > upper:
        raise ArgumentError(f"{label}, lowest, is {lower:g}, above its highest {upper:g}; lower it")
    return checked_weights(label, parts[0], names, 0.0), lower, upper
