"""Further rows on the weights: exposures to factors, and whatever else is linear."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hybridmip.applications.arguments import is_list, number
from hybridmip.applications.portfolio.checks import checked_weights
from hybridmip.errors import ArgumentError
from hybridmip.model.quadratic import Vector


@dataclass(frozen=True, eq=False)
class WeightRow:
    """lower <= coefficients' w <= upper, with a name."""

    name: str
    coefficients: Vector
    lower: float
    upper: float

    @property
    def limits(self) -> tuple[float | None, float | None]:
        """Lowest and highest, None for no limit."""
        return self.lower if np.isfinite(self.lower) else None, self.upper if np.isfinite(self.upper) else None


def checked_exposures(exposures: Any, names: tuple[str, ...]) -> tuple[WeightRow, ...]:
    """Limits on exposures: a mapping of a factor's name to (the assets' exposures, lowest, highest)."""
    if exposures is None:
        return ()
    if not isinstance(exposures, Mapping):
        raise ArgumentError("exposures must be a mapping of a factor to (exposures of the assets, lowest, highest)")
    return tuple(_row("exposures", f"exposure to {name}", str(name), entry, names) for name, entry in exposures.items())


def checked_constraints(constraints: Any, names: tuple[str, ...]) -> tuple[WeightRow, ...]:
    """Any rows: a mapping of a name to (coefficients, lowest, highest)."""
    if constraints is None:
        return ()
    if not isinstance(constraints, Mapping):
        raise ArgumentError("constraints must be a mapping of a name to (coefficients, lowest, highest)")
    return tuple(_row("constraints", str(name), str(name), entry, names) for name, entry in constraints.items())


def _row(argument: str, name: str, key: str, entry: Any, names: tuple[str, ...]) -> WeightRow:
    label = f"{argument}[{key!r}]"
    if not is_list(entry) or isinstance(entry, Mapping):
        raise ArgumentError(f"{label} is {entry!r}; give (coefficients, lowest, highest), None for no limit")
    parts: Sequence[Any] = tuple(entry)
    if len(parts) != 3:
        raise ArgumentError(
            f"{label} has {len(parts)} entries; give (coefficients, lowest, highest), None for no limit"
        )
    lower = -np.inf if parts[1] is None else number(f"{label}, lowest,", parts[1])
    upper = np.inf if parts[2] is None else number(f"{label}, highest,", parts[2])
    if lower > upper:
        raise ArgumentError(f"{label}, lowest, is {lower:g}, above its highest {upper:g}; lower it")
    return WeightRow(name, checked_weights(label, parts[0], names, 0.0), lower, upper)
