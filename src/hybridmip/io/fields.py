"""Numbers in lines of text, with errors that give the line."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hybridmip.errors import FileError
from hybridmip.io.orlib import shorten
from hybridmip.model.quadratic import Vector

#: Sizes beyond this are a damaged file.
MOST = 2_000_000


def numbers(text: str, source: str) -> tuple[Vector, list[int]]:
    """All numbers of a text and the line of each."""
    values: list[float] = []
    lines: list[int] = []
    for number, line in enumerate(text.splitlines(), start=1):
        for token in line.split():
            value = _finite(token)
            if value is None:
                if token.lower() == "capacity":
                    raise FileError(
                        f"{source}, line {number}: the capacity is left open; put a number in place of {shorten(token)}"
                    )
                raise FileError(f"{source}, line {number}: {shorten(token)} is not a finite number")
            values.append(value)
            lines.append(number)
    return np.array(values), lines


def _finite(token: str) -> float | None:
    try:
        value = float(token)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in token else None


def fields(line: tuple[int, str], count: int, what: str, source: str) -> list[float]:
    """The numbers of one line, which must be as many as `count`."""
    number, text = line
    words = text.split()
    if len(words) != count:
        raise FileError(f"{source}, line {number}: expected {count} numbers ({what}), found {len(words)}")
    result = []
    for word in words:
        value = _finite(word)
        if value is None:
            raise FileError(f"{source}, line {number}: {shorten(word)} is not a finite number")
        result.append(value)
    return result


def size(value: float, source: str, line: int, what: str) -> int:
    """A whole number from 1 to `MOST`."""
    if value != int(value) or not 1 <= value <= MOST:
        raise FileError(f"{source}, line {line}: {what} is {value:g}; it must be a whole number from 1 to {MOST}")
    return int(value)


def nodes(values: Vector, nodes: int, lines: list[tuple[int, str]], source: str) -> NDArray[np.intp]:
    """Node numbers from 0."""
    for k in np.flatnonzero((values != np.floor(values)) | (values < 1) | (values > nodes)):
        raise FileError(f"{source}, line {lines[k][0]}: node {values[k]:g} is not from 1 to {nodes}")
    return values.astype(np.intp) - 1
