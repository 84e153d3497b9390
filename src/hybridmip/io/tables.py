"""Portfolio data from tables: CSVs of prices, of returns, or of means and a covariance."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from hybridmip.errors import ArgumentError, FileError
from hybridmip.io.orlib import PathLike, looks_like_port, parse_port, read_text, shorten
from hybridmip.quadratic import Matrix, Vector, frozen

KINDS = ("prices", "returns")
#: What spreadsheets and data vendors write where there is no value.
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "#n/a"})
DATE_FORMATS = ("%Y/%m/%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y", "%m-%d-%Y")


@dataclass(frozen=True, eq=False)
class PortfolioData:
    """Names, expected returns and covariance per period of some assets.

    Attributes
    ----------
    names : tuple of str
    returns : ndarray, shape (n,)
    covariance : ndarray, shape (n, n)
    """

    names: tuple[str, ...] = field(repr=False)
    returns: Vector = field(repr=False)
    covariance: Matrix = field(repr=False)


@dataclass(frozen=True)
class _Table:
    """A CSV: column names, row labels, and a matrix of numbers with the line each row stands on."""

    source: PathLike
    corner: str
    columns: tuple[str, ...]
    labels: tuple[str, ...]
    lines: tuple[int, ...]
    values: Matrix

    def where(self, row: int, column: int) -> str:
        return f"{self.source} line {self.lines[row]}, column {self.columns[column]!r}"


def read_portfolio_data(path: PathLike, covariance: PathLike | None = None, kind: str | None = None) -> PortfolioData:
    """Read expected returns and covariance from whatever file holds them.

    Parameters
    ----------
    path : path
        An OR-Library port file (its first line is one whole number), a CSV of prices or returns,
        or, if `covariance` is given, a CSV of means. Any of them may be gzipped.
    covariance : path, optional
        CSV of the covariance that belongs to the means in `path`.
    kind : {"prices", "returns"}, optional
        What a CSV holds; left out, it is told from the values (see `read_prices_or_returns`).

    Raises
    ------
    FileError
        If a file is missing or not what it should be.
    ArgumentError
        If `kind` is given for a file that is no CSV of prices or returns.
    """
    _check_kind(kind)
    if covariance is not None:
        if kind is not None:
            raise ArgumentError("kind is for a CSV of prices or returns; leave it out with a covariance file")
        return read_mean_and_covariance(path, covariance)
    text = read_text(path)
    if not looks_like_port(text):
        return _prices_or_returns(text, path, kind)
    if kind is not None:
        raise ArgumentError(f"kind is for a CSV of prices or returns; {path} is an OR-Library port file")
    data = parse_port(text, path)
    return PortfolioData(data.names, data.returns, data.covariance)


def read_prices_or_returns(path: PathLike, kind: str | None = None) -> PortfolioData:
    """Mean and sample covariance of simple returns, from a CSV of dates by assets.

    The first row holds the names of the assets, the first column dates (or running numbers), in
    order; the newest may come first. Fields are separated by commas, semicolons or tabs.

    Parameters
    ----------
    path : path
        The CSV, plain or gzipped.
    kind : {"prices", "returns"}, optional
        Left out, values are prices if all are positive and at least half of their changes from row
        to row are below 20 %, and returns if both signs occur and 95 % lie within (-0.5, 0.5).
        Anything else is an error that asks for `kind`.

    Raises
    ------
    FileError
        If the file is missing, or has text, a gap or an impossible value; the message gives the
        line and the column.
    """
    _check_kind(kind)
    return _prices_or_returns(read_text(path), path, kind)


def read_mean_and_covariance(mean_path: PathLike, covariance_path: PathLike) -> PortfolioData:
    """Expected returns and covariance from two CSVs, matched by name.

    Parameters
    ----------
    mean_path : path
        Lines `name, value`, with or without a header.
    covariance_path : path
        A square table with the names in its first row and its first column, in any order.

    Raises
    ------
    FileError
        If a file is missing or garbled, or the names of the two differ.
    """
    names, means = _read_means(mean_path)
    table = _read_table(read_text(covariance_path), covariance_path)
    _unique(table.labels, "row", covariance_path)
    by_row = _places(table.labels, names, f"{covariance_path} has no row", mean_path)
    by_column = _places(table.columns, names, f"{covariance_path} has no column", mean_path)
    for what, labels in (("row", table.labels), ("column", table.columns)):
        for label in labels:
            if label not in set(names):
                raise FileError(f"{mean_path} has no mean for {label!r}, a {what} of {covariance_path}; add it")
    matrix = table.values[np.ix_(by_row, by_column)]
    difference = np.abs(matrix - matrix.T)
    if difference.max() > 1e-9 * np.abs(matrix).max():
        i, j = (int(k) for k in np.unravel_index(int(difference.argmax()), matrix.shape))
        raise FileError(
            f"{covariance_path} is not symmetric: {names[i]!r}, {names[j]!r} is {matrix[i, j]:g} "
            f"but {names[j]!r}, {names[i]!r} is {matrix[j, i]:g}"
        )
    return PortfolioData(names, means, frozen(matrix))


def _check_kind(kind: str | None) -> None:
    if kind is not None and kind not in KINDS:
        raise ArgumentError(f"kind is {kind!r}; it must be 'prices' or 'returns'")


def _prices_or_returns(text: str, source: PathLike, kind: str | None) -> PortfolioData:
    table = _read_table(text, source)
    values = table.values[_in_time(table)]
    kind = kind if kind is not None else _guess_kind(values, source)
    needed = 3 if kind == "prices" else 2
    if len(values) < needed:
        rows = "1 row" if len(values) == 1 else f"{len(values)} rows"
        raise FileError(f"{source} has {rows} of {kind}; a covariance needs at least {needed}")
    if kind == "prices":
        for row, column in np.argwhere(table.values <= 0):
            raise FileError(
                f"{table.where(row, column)}: the price is {table.values[row, column]:g}; it must be positive"
            )
        values = values[1:] / values[:-1] - 1.0
    else:
        for row, column in np.argwhere(table.values < -1):
            raise FileError(
                f"{table.where(row, column)}: the return is {table.values[row, column]:g}, "
                "a loss of more than all; give shares, not percent"
            )
    covariance = np.cov(values, rowvar=False, ddof=1).reshape(len(table.columns), len(table.columns))
    return PortfolioData(table.columns, frozen(values.mean(axis=0)), frozen(covariance))


def _guess_kind(values: Matrix, source: PathLike) -> str:
    if len(values) > 1 and (values > 0).all() and np.median(np.abs(values[1:] / values[:-1] - 1.0)) < 0.2:
        return "prices"
    if (values < 0).any() and (values > 0).any() and np.mean(np.abs(values) < 0.5) >= 0.95:
        return "returns"
    raise FileError(f"{source} could hold prices or returns; say which with kind='prices' or kind='returns'")


def _read_means(path: PathLike) -> tuple[tuple[str, ...], Vector]:
    rows = _rows(read_text(path), path)
    if len(rows) > 1 and len(rows[0][1]) == 2 and _number(rows[0][1][1]) is None:
        rows = rows[1:]
    names: list[str] = []
    means: list[float] = []
    for line, row in rows:
        if len(row) != 2:
            raise FileError(f"{path} line {line}: expected a name and a value, found {len(row)} fields")
        value = _number(row[1])
        if value is None:
            raise FileError(f"{path} line {line}: the mean of {row[0]!r} is {_shown(row[1])}; it must be a number")
        names.append(row[0])
        means.append(value)
    _unique(names, "row", path)
    return tuple(names), frozen(means)


def _read_table(text: str, source: PathLike) -> _Table:
    """A CSV with names in the first row and labels in the first column; the rest are finite numbers."""
    (head_line, head), *body = _rows(text, source)
    if len(head) < 2:
        raise FileError(
            f"{source} is neither a port file (its first line is one whole number) nor a CSV table "
            f"(its first line holds names separated by commas): it starts with {shorten(','.join(head))}"
        )
    columns = tuple(head[1:])
    for place, column in enumerate(columns, start=2):
        if not column:
            raise FileError(f"{source} line {head_line}: column {place} has no name; name every asset")
    if all(_number(column) is not None for column in columns) and len(set(columns)) < len(columns):
        raise FileError(f"{source} line {head_line} holds numbers; the first row must hold the names of the assets")
    _unique(columns, "column", source)
    if not body:
        raise FileError(f"{source} has names but no row of numbers; check that it was written completely")
    for line, row in body:
        if len(row) != len(head):
            raise FileError(f"{source} line {line} has {len(row)} fields but the first row has {len(head)}")
    cells = [row[1:] for _, row in body]
    lines = tuple(line for line, _ in body)
    try:
        values = np.array(cells, dtype=np.str_).astype(np.float64)
        sound = bool(np.isfinite(values).all())
    except ValueError:
        sound = False
    if not sound:
        for line, row in zip(lines, cells, strict=True):
            for column, cell in zip(columns, row, strict=True):
                if _number(cell) is None:
                    rule = (
                        "fill the gap, or drop the row or the column"
                        if cell.lower() in MISSING
                        else "it must be a finite number"
                    )
                    raise FileError(f"{source} line {line}, column {column!r} is {_shown(cell)}; {rule}")
    return _Table(source, head[0], columns, tuple(row[0] for _, row in body), lines, values)


def _rows(text: str, source: PathLike) -> list[tuple[int, list[str]]]:
    """(line, fields) of every row that is not blank; the separator is the one the first row uses most."""
    first = next(line for line in text.splitlines() if line.strip())
    separator = max(",;\t", key=first.count)
    reader = csv.reader(text.splitlines(), delimiter=separator, strict=True, skipinitialspace=True)
    rows: list[tuple[int, list[str]]] = []
    try:
        for row in reader:
            fields = [cell.strip() for cell in row]
            if any(fields):
                rows.append((reader.line_num, fields))
    except csv.Error as error:
        raise FileError(f"{source} line {reader.line_num} is not CSV ({error}); check its quotes") from None
    return rows


def _number(cell: str) -> float | None:
    try:
        value = float(np.float64(cell))
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def _shown(cell: str) -> str:
    return "empty" if not cell else f"missing ({cell})" if cell.lower() in MISSING else shorten(cell)


def _unique(names: Sequence[str], what: str, source: PathLike) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise FileError(f"{source} has the {what} {name!r} twice; names must be unique")
        seen.add(name)


def _places(labels: Sequence[str], order: Sequence[str], lacks: str, needed_by: PathLike) -> NDArray[np.intp]:
    place = {label: i for i, label in enumerate(labels)}
    for name in order:
        if name not in place:
            raise FileError(f"{lacks} {name!r}, which is in {needed_by}; names must agree")
    return np.array([place[name] for name in order], dtype=np.intp)


def _in_time(table: _Table) -> NDArray[np.intp]:
    """The rows from the oldest to the newest.

    Labels that are no dates we can read are taken as they stand; dates out of order are an error,
    since changes from row to row would then mean nothing.
    """
    forward = np.arange(len(table.labels))
    readings = _readings(table.labels)
    if not readings:
        for line, label in zip(table.lines, table.labels, strict=True):
            if not label:
                raise FileError(f"{table.source} line {line} has no date; the first column must hold dates")
        return forward
    for times in readings:
        steps = np.diff(times)
        if (steps > 0).all():
            return forward
        if (steps < 0).all():
            return forward[::-1]
    steps = np.diff(readings[0])
    falling = np.mean(steps < 0) > 0.5
    row = 1 + int(np.flatnonzero(steps >= 0 if falling else steps <= 0)[0])
    raise FileError(
        f"{table.source} line {table.lines[row]}: {table.labels[row]!r} comes after "
        f"{table.labels[row - 1]!r}; the first column ({table.corner or 'no name'}) "
        "must hold dates in order, each once"
    )


def _readings(labels: Sequence[str]) -> list[NDArray[np.float64]]:
    """The labels as times, in each way all of them can be read."""
    numbers = [_number(label) for label in labels]
    if all(number is not None for number in numbers):
        return [np.array(numbers, dtype=np.float64)]
    readings: list[NDArray[np.float64]] = []
    for form in (None, *DATE_FORMATS):
        try:
            # Compared without a time zone: a summer-time switch must not reorder two dates.
            dates = [datetime.fromisoformat(v) if form is None else datetime.strptime(v, form) for v in labels]
        except ValueError:
            continue
        start = datetime(1970, 1, 1)
        readings.append(np.array([(d.replace(tzinfo=None) - start).total_seconds() for d in dates]))
    return readings
