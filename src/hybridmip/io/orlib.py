"""OR-Library's portfolio files: port (means, deviations, correlations) and portef (a frontier)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hybridmip.errors import FileError
from hybridmip.files import PathLike, read_text
from hybridmip.model.quadratic import Matrix, Vector, frozen

#: Correlations may pass 1 by rounding.
CORRELATION_TOLERANCE = 1e-6
#: A port file with more assets would not fit in memory.
MOST_ASSETS = 1_000_000


@dataclass(frozen=True, eq=False)
class PortData:
    """Contents of a port file.

    Attributes
    ----------
    names : tuple of str
        asset1, asset2, ...; the file has none.
    returns, standard_deviations : ndarray, shape (n,)
        Mean and standard deviation of each asset's weekly return.
    correlation, covariance : ndarray, shape (n, n)
    """

    names: tuple[str, ...] = field(repr=False)
    returns: Vector = field(repr=False)
    standard_deviations: Vector = field(repr=False)
    correlation: Matrix = field(repr=False)
    covariance: Matrix = field(repr=False)


def read_port(path: PathLike) -> PortData:
    """Read an OR-Library port file: n; n lines of mean and deviation; lines `i j correlation`, i <= j.

    Parameters
    ----------
    path : path
        The file, plain or gzipped.

    Raises
    ------
    FileError
        If the file is missing, truncated or garbled, or a value is out of its range; the message
        gives the line.
    """
    return parse_port(read_text(path), path)


def parse_port(text: str, source: PathLike = "port data") -> PortData:
    """As `read_port`, from the text of the file; `source` is what messages call it."""
    values = _numbers(text, source)
    if values[0] != np.round(values[0]) or not 1 <= values[0] <= MOST_ASSETS:
        raise FileError(
            f"{source} line {_line(text, 0)}: the number of assets is {values[0]:g}; "
            f"it must be a whole number from 1 to {MOST_ASSETS}"
        )
    n = int(values[0])
    pairs = n * (n + 1) // 2
    expected = 1 + 2 * n + 3 * pairs
    if values.size != expected:
        _blame_line(text, source, n)
        state = "truncated" if values.size < expected else "too long"
        raise FileError(f"{source} is {state}: {n} assets need {expected} values, found {values.size}")
    moments = values[1 : 1 + 2 * n].reshape(n, 2)
    entries = values[1 + 2 * n :].reshape(pairs, 3)

    def fail(position: int | np.intp, what: str) -> FileError:
        return FileError(f"{source} line {_line(text, position)}: {what}")

    for i in np.flatnonzero(moments[:, 1] < 0):
        raise fail(
            2 + 2 * i,
            f"the standard deviation of asset {i + 1} is {moments[i, 1]:g}; it must not be negative",
        )
    places = entries[:, :2]
    for k in np.flatnonzero(((places < 1) | (places > n) | (places != np.round(places))).any(axis=1)):
        raise fail(1 + 2 * n + 3 * k, f"the pair ({places[k, 0]:g}, {places[k, 1]:g}) is not of assets 1 to {n}")
    correlations = entries[:, 2]
    for k in np.flatnonzero(np.abs(correlations) > 1 + CORRELATION_TOLERANCE):
        raise fail(1 + 2 * n + 3 * k, f"the correlation is {correlations[k]:g}; it must lie in [-1, 1]")
    first = places.min(axis=1).astype(np.intp) - 1
    second = places.max(axis=1).astype(np.intp) - 1
    for k in np.flatnonzero((first == second) & (np.abs(correlations - 1) > CORRELATION_TOLERANCE)):
        raise fail(
            1 + 2 * n + 3 * k,
            f"the correlation of asset {first[k] + 1} with itself is {correlations[k]:g}; it must be 1",
        )
    # There are as many entries as pairs, so that none is missing if none is listed twice.
    order = np.argsort(first * n + second, kind="stable")
    repeated = order[1:][np.diff((first * n + second)[order]) == 0]
    if repeated.size:
        k = repeated.min()
        raise fail(1 + 2 * n + 3 * k, f"the pair ({first[k] + 1}, {second[k] + 1}) is listed twice; list each once")
    correlation = np.empty((n, n))
    correlation[first, second] = correlation[second, first] = np.clip(correlations, -1.0, 1.0)
    deviations = frozen(moments[:, 1])
    return PortData(
        names=tuple(f"asset{i + 1}" for i in range(n)),
        returns=frozen(moments[:, 0]),
        standard_deviations=deviations,
        correlation=frozen(correlation),
        covariance=frozen(correlation * np.outer(deviations, deviations)),
    )


def read_portef(path: PathLike) -> tuple[Vector, Vector]:
    """Read an OR-Library portef file: one point of a frontier per line, return and variance.

    Returns
    -------
    returns, variances : ndarray
        In the order of the file (highest return first).

    Raises
    ------
    FileError
        If the file is missing, truncated or garbled.
    """
    text = read_text(path)
    values = _numbers(text, path)
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line.split()) not in (0, 2):
            raise FileError(f"{path} line {number}: expected return and variance, found {shorten(line.strip())}")
    points = values.reshape(-1, 2)
    for k in np.flatnonzero(points[:, 1] < 0):
        raise FileError(f"{path} line {_line(text, 2 * k)}: the variance is {points[k, 1]:g}; it must not be negative")
    return frozen(points[:, 0]), frozen(points[:, 1])


def looks_like_port(text: str) -> bool:
    """Whether the text starts as a port file does: one whole number alone on the first line."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    return first.strip().isdecimal()


def _numbers(text: str, source: PathLike) -> NDArray[np.float64]:
    """All numbers of the text; an error names the line of the first token that is none."""
    try:
        values = np.array(text.split(), dtype=np.str_).astype(np.float64)
        if np.isfinite(values).all():
            return values
    except ValueError:
        pass
    for number, line in enumerate(text.splitlines(), start=1):
        for token in line.split():
            if not _is_number(token):
                raise FileError(f"{source} line {number}: {shorten(token)} is not a finite number")
    raise FileError(f"{source} holds something that is not a finite number")


def _is_number(token: str) -> bool:
    try:
        return bool(np.isfinite(np.float64(token)))
    except ValueError:
        return False


def shorten(text: str) -> str:
    """Text in quotes, cut to what fits in a message."""
    return repr(text if len(text) <= 40 else text[:37] + "...")


def _line(text: str, position: int | np.intp) -> int:
    """Line of the text (from 1) that holds the token at a position (from 0)."""
    counts = [len(line.split()) for line in text.splitlines()]
    return 1 + int(np.searchsorted(np.cumsum(counts), position, side="right"))


def _blame_line(text: str, source: PathLike, n: int) -> None:
    """Raise for the first line that has not as many values as its place asks for, if there is one."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    for place, (number, line) in enumerate(lines[:-1]):
        wanted, what = (
            (1, "the number of assets")
            if place == 0
            else (2, "mean and standard deviation")
            if place <= n
            else (3, "i, j and correlation")
        )
        found = len(line.split())
        if found != wanted:
            raise FileError(
                f"{source} line {number}: expected {wanted} values ({what}), found {found}: {shorten(line.strip())}"
            )
