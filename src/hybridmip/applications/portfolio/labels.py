"""Names of assets: those that pandas objects carry, and their order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hybridmip.errors import ArgumentError, ProblemError


def is_series(values: Any) -> bool:
    """Whether values is a pandas Series, told without importing pandas."""
    return hasattr(values, "to_numpy") and hasattr(values, "index") and getattr(values, "ndim", 0) == 1


def is_frame(values: Any) -> bool:
    """Whether values is a pandas DataFrame, told without importing pandas."""
    return hasattr(values, "to_numpy") and hasattr(values, "columns") and hasattr(values, "index")


def index_labels(index: Any) -> tuple[str, ...] | None:
    """Names in a pandas index; None for the plain 0, 1, 2, ... that pandas makes up."""
    if type(index).__name__ == "RangeIndex":
        return None
    return tuple(str(label) for label in index)


def unique(argument: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names, none of which occurs twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ArgumentError(f"{argument} has {name!r} twice; names must be unique")
        seen.add(name)
    return names


def places(argument: str, labels: tuple[str, ...], order_of: str, order: tuple[str, ...]) -> NDArray[np.intp]:
    """Where each name of `order` stands in `labels`; both must hold the same names."""
    place = {label: i for i, label in enumerate(labels)}
    for name in order:
        if name not in place:
            raise ProblemError(f"{argument} lacks {name!r}, which is in {order_of}; names must agree")
    if len(place) > len(order):
        extra = next(label for label in labels if label not in set(order))
        raise ProblemError(f"{argument} has {extra!r}, which is not in {order_of}; names must agree")
    return np.array([place[name] for name in order], dtype=np.intp)
