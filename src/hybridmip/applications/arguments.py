"""Checks that applications share: numbers, counts and labelled vectors, with errors that name the entry."""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np

from hybridmip.errors import ArgumentError, ProblemError
from hybridmip.model.quadratic import Vector, frozen


def hint(name: object, names: Iterable[object]) -> str:
    """What to do about an unknown name: the closest one that is known, or look again."""
    close = difflib.get_close_matches(str(name), [str(known) for known in names], n=1)
    return f"did you mean {close[0]!r}?" if close else "check the spelling"


def number(argument: str, value: Any) -> float:
    """A finite number that is not a bool."""
    if isinstance(value, bool | str):
        raise ArgumentError(argument, f" is {value!r}; it must be a number")
    try:
        converted = float(value)
    except (TypeError, ValueError):
        raise ArgumentError(argument, f" is {value!r}; it must be a number") from None
    if not np.isfinite(converted):
        raise ArgumentError(argument, f" is {converted}; it must be finite")
    return converted


def at_least_zero(argument: str, value: Any) -> float:
    """A finite number that is not negative."""
    converted = number(argument, value)
    if converted < 0:
        raise ArgumentError(argument, f" is {converted:g}; it must be 0 or more")
    return converted


def whole(argument: str, value: Any, at_least: int) -> int:
    """A whole number, not below `at_least`."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise ArgumentError(argument, f" is {value!r}; it must be a whole number")
    if value < at_least:
        raise ArgumentError(argument, f" is {value}; it must be at least {at_least}")
    return int(value)


def is_list(values: Any) -> TypeGuard[Iterable[Any]]:
    """Whether values can be gone through one by one; text cannot."""
    return isinstance(values, Iterable) and not isinstance(values, str | bytes)


def vector(
    argument: str,
    values: Any,
    places: Mapping[Hashable, int],
    labels: Sequence[str],
    what: str,
    default: float = 0.0,
    minimum: float | None = 0.0,
    no_limit: bool = False,
) -> Vector:
    """One number per entry, from a number, a vector, or a mapping or pandas Series by key.

    Parameters
    ----------
    argument, what : str
        Name of the argument, and of an entry ("arc", "node"), for messages.
    values : object
        What the caller gave; None stands for `default`.
    places : mapping
        Position of every key that a mapping may use.
    labels : sequence of str
        How messages call the entries.
    default : float
        Value of entries that a mapping leaves out.
    minimum : float, optional
        Smallest value allowed.
    no_limit : bool
        Whether None and infinity are allowed and stand for "no limit".
    """
    size = len(labels)
    if hasattr(values, "to_dict") and hasattr(values, "index") and type(values.index).__name__ != "RangeIndex":
        values = values.to_dict()
    if isinstance(values, Mapping):
        entries = np.full(size, default)
        for key, value in values.items():
            if key not in places:
                close = hint(key, [*labels])
                raise ArgumentError(f"{argument} names {key!r}, which is no {what}; {close}")
            unlimited = no_limit and (value is None or value == np.inf)
            entries[places[key]] = np.inf if unlimited else number(f"{argument} of {labels[places[key]]}", value)
        values = entries
    if values is None:
        values = default
    if no_limit and isinstance(values, list | tuple):
        values = [np.inf if value is None else value for value in values]
    try:
        if np.iscomplexobj(values):
            raise ProblemError(f"{argument} is complex; give real numbers")
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, ProblemError):
            raise
        raise ProblemError(f"{argument} is not numeric ({error}); give numbers") from None
    if array.ndim == 0:
        array = np.full(size, float(array))
    if array.shape != (size,):
        raise ProblemError(f"{argument} has shape {array.shape}; it must be a number or ({size},), one per {what}")
    bad = np.isnan(array) if no_limit else ~np.isfinite(array)
    for i in map(int, np.flatnonzero(bad)):
        shown = "NaN" if np.isnan(array[i]) else "infinite"
        rule = "give a number, or None for no limit" if no_limit else "every entry must be finite"
        raise ProblemError(f"{argument} of {labels[i]} is {shown}; {rule}")
    if minimum is not None:
        for i in map(int, np.flatnonzero(array < minimum)):
            raise ProblemError(f"{argument} of {labels[i]} is {array[i]:g}; it must be {minimum:g} or more")
    return frozen(array)


def matrix(
    argument: str, values: Any, rows: Sequence[str], columns: Sequence[str], minimum: float | None = None
) -> Vector:
    """A finite matrix of the size that rows and columns give, read-only."""
    try:
        if np.iscomplexobj(values):
            raise ProblemError(f"{argument} is complex; give real numbers")
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, ProblemError):
            raise
        raise ProblemError(f"{argument} is not numeric ({error}); give numbers") from None
    shape = (len(rows), len(columns))
    if array.shape != shape:
        raise ProblemError(f"{argument} has shape {array.shape}; it must be {shape}")
    for i, j in np.argwhere(~np.isfinite(array)):
        shown = "NaN" if np.isnan(array[i, j]) else "infinite"
        raise ProblemError(f"{argument} of {rows[i]}, {columns[j]} is {shown}; every entry must be finite")
    if minimum is not None:
        for i, j in np.argwhere(array < minimum):
            raise ProblemError(
                f"{argument} of {rows[i]}, {columns[j]} is {array[i, j]:g}; it must be {minimum:g} or more"
            )
    return frozen(array)
