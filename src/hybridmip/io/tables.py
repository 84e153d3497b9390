"""Portfolio data from tables: CSVs of prices, of returns, or of means and a covariance."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from hybridmip.errors import Argument, ArgumentError, FileError
from hybridmip.files import PathLike, read_text
from hybridmip.io.orlib import looks_like_port, parse_port, shorten
from hybridmip.model.quadratic import Matrix, Vector, frozen

KINDS = ("prices", "returns")
#: Arguments that messages name.
KIND, KIND_PRICES, KIND_RETURNS = Argument("kind"), Argument("kind='prices'"), Argument("kind='returns'")
COVARIANCE_PATH = Argument("covariance=PATH")
#: What spreadsheets and data vendors write where there is no value.
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "#n/a"})
DATE_FORMATS = ("%Y/%m/%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y", "%m-%d-%Y")
#: How the name of a column of dates may start.
TIME_WORDS = ("date", "time", "year", "quarter", "month", "week", "day", "period", "index")
#: A number written with a comma for the point, or with commas between thousands.
WITH_COMMA = re.compile(r"[+-]?\d+(,\d+)+(\.\d*)?%?")
#: What pandas writes at the head of a Series without a name.
PANDAS_NO_NAME = "0"


@dataclass(frozen=True, eq=False)
class PortfolioData:
    """Names, expected returns and covariance per period of some assets.

    Attributes
    ----------
    names : tuple of str
    returns : ndarray, shape (n,)
    covariance : ndarray, shape (n, n)
    warnings : tuple of str
        What a user of the data should know, one line each; empty if there is nothing.
    """

    names: tuple[str, ...] = field(repr=False)
    returns: Vector = field(repr=False)
    covariance: Matrix = field(repr=False)
    warnings: tuple[str, ...] = ()


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
            raise ArgumentError(KIND, " is for a CSV of prices or returns; leave it out with a covariance file")
        return read_mean_and_covariance(path, covariance)
    text = read_text(path)
    if not looks_like_port(text):
        return _prices_or_returns(text, path, kind)
    if kind is not None:
        raise ArgumentError(KIND, f" is for a CSV of prices or returns; {path} is an OR-Library port file")
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
        Lines `name, value`, with or without a header; a Series written by pandas is one.
    covariance_path : path
        A square table with the names in its first row and its first column, in any order.

    Raises
    ------
    FileError
        If a file is missing or garbled, or the names of the two differ.
    """
    means_text = read_text(mean_path)
    table = _read_table(read_text(covariance_path), covariance_path)
    names, means = _read_means(means_text, mean_path, table.labels)
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


def read_groups(path: PathLike, names: Sequence[str]) -> dict[str, list[str]]:
    """Members of each group, from a CSV with an asset and its group in every row.

    The first row is a heading if it names no asset and its group is that of no other row.

    Parameters
    ----------
    path : path
        The CSV, plain or gzipped.
    names : sequence of str
        Names of all assets.

    Raises
    ------
    FileError
        If the file is missing, empty or has a row that is no asset and group.
    """
    rows = _rows(read_text(path), path)
    first = rows[0][1]
    known = set(names)
    if len(first) == 2 and first[0] not in known and all(row[1:] != first[1:] for _, row in rows[1:]):
        rows = rows[1:]
    if not rows:
        raise FileError(f"{path} is empty but for its first line; give rows of asset and group")
    members: dict[str, list[str]] = {}
    for line, row in rows:
        if len(row) != 2 or not all(row):
            raise FileError(f"{path} line {line}: {shorten(','.join(row))} is not an asset and a group; mend that row")
        members.setdefault(row[1], []).append(row[0])
    return members


def read_weights(path: PathLike) -> dict[str, float]:
    """Weight of each asset, from a CSV with an asset and its weight in every row; the first row may be a heading.

    Raises
    ------
    FileError
        If the file is missing, empty, has a row that is no asset and weight, or an asset twice.
    """
    rows = _rows(read_text(path), path)
    if len(rows[0][1]) == 2 and _number(rows[0][1][1]) is None:
        rows = rows[1:]
    if not rows:
        raise FileError(f"{path} is empty but for its first line; give rows of asset and weight")
    weights: dict[str, float] = {}
    for line, row in rows:
        value = _number(row[1]) if len(row) == 2 and row[0] else None
        if value is None:
            raise FileError(f"{path} line {line}: {shorten(','.join(row))} is not an asset and a weight; mend that row")
        if row[0] in weights:
            raise FileError(f"{path} line {line}: {row[0]} is there twice; give each asset one row")
        weights[row[0]] = value
    return weights


def _check_kind(kind: str | None) -> None:
    if kind is not None and kind not in KINDS:
        raise ArgumentError(KIND, f" is {kind!r}; it must be 'prices' or 'returns'")


def _prices_or_returns(text: str, source: PathLike, kind: str | None) -> PortfolioData:
    table = _read_table(text, source)
    _refuse_other_layouts(table, kind)
    values = table.values[_in_time(table)]
    kind = kind if kind is not None else _guess_kind(values, source)
    needed = 3 if kind == "prices" else 2
    if len(values) < needed:
        raise FileError(f"{source} has {_count(len(values), 'row')} of {kind}; a covariance needs at least {needed}")
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
    warnings = [*_doubts_about_dates(table), *_doubts_about_length(values, source)]
    return PortfolioData(table.columns, frozen(values.mean(axis=0)), frozen(covariance), tuple(warnings))


def _refuse_other_layouts(table: _Table, kind: str | None) -> None:
    """A table of prices or returns that is transposed, or none but a list of means."""
    if _look_like_dates(table.columns) and not _readings(table.labels):
        raise FileError(
            f"{table.source} has dates in its first row, so it looks transposed; put dates in the first column "
            "and assets in the first row (in pandas: table.T)"
        )
    if kind is None and len(table.columns) == 1 and all(table.labels) and not _readings(table.labels):
        raise FileError(
            f"{table.source} has a name and a number in every row, as a file of means has; "
            "give the covariance as well, with ",
            COVARIANCE_PATH,
        )


def _look_like_dates(labels: Sequence[str]) -> bool:
    """Whether labels are dates in order, not numbers that happen to be in order."""
    if len(labels) < 2:
        return False
    for times in _dates(labels):
        steps = np.diff(times)
        if (steps > 0).all() or (steps < 0).all():
            return True
    return False


def _doubts_about_dates(table: _Table) -> list[str]:
    """A first column of numbers with decimals may be an asset and not dates."""
    numbers = [_number(label) for label in table.labels]
    named_so = not table.corner or table.corner.lower().startswith(TIME_WORDS)
    if named_so or all(number is None or number == round(number) for number in numbers):
        return []
    return [
        f"{table.source}: the first column ({table.corner}) holds numbers with decimals and was taken for dates; "
        "if it is an asset, put a column of dates before it"
    ]


def _doubts_about_length(values: Matrix, source: PathLike) -> list[str]:
    """Too few rows for a covariance of full rank."""
    periods, n = values.shape
    if periods > n:
        return []
    return [
        f"{source} has {_count(periods, 'return')} of {_count(n, 'asset')}; the sample covariance is then singular "
        "and shows risk as too low; give more rows than assets, or a covariance of your own"
    ]


def _guess_kind(values: Matrix, source: PathLike) -> str:
    if len(values) > 1 and (values > 0).all() and np.median(np.abs(values[1:] / values[:-1] - 1.0)) < 0.2:
        return "prices"
    if (values < 0).any() and (values > 0).any() and np.mean(np.abs(values) < 0.5) >= 0.95:
        return "returns"
    means = (" (means need ", COVARIANCE_PATH, ")") if values.shape[1] == 1 else ()
    kinds = (KIND_PRICES, " or ", KIND_RETURNS)
    raise FileError(f"{source} could hold prices or returns; say which with ", *kinds, *means)


def _read_means(text: str, path: PathLike, known: Sequence[str]) -> tuple[tuple[str, ...], Vector]:
    """Names and means; a first line that is no name and number, or none of a known name, is a heading."""
    rows = _rows(text, path)
    if len(rows) > 1 and len(rows[0][1]) == 2:
        name, cell = rows[0][1]
        if not name or _number(cell) is None or (cell == PANDAS_NO_NAME and name not in known):
            rows = rows[1:]
    names: list[str] = []
    means: list[float] = []
    for line, row in rows:
        if len(row) != 2:
            raise FileError(f"{path} line {line}: expected a name and a value, found {_count(len(row), 'field')}")
        value = _number(row[1])
        if value is None:
            rule = _rule(row[1], "it must be a number")
            raise FileError(f"{path} line {line}: the mean of {row[0]!r} is {_shown(row[1])}; {rule}")
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
            # 0,5 without quotes is two fields where one is meant.
            commas = len(row) == 2 * len(head) - 1
            hint = "; write decimals with a point, not a comma" if commas else ""
            raise FileError(
                f"{source} line {line} has {_count(len(row), 'field')} but the first row has {len(head)}{hint}"
            )
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
                        else _rule(cell, "it must be a finite number")
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


def _rule(cell: str, rule: str) -> str:
    """The rule, or what is likely the matter with the cell."""
    return "write decimals with a point, thousands without a sign" if WITH_COMMA.fullmatch(cell) else rule


def _count(number: int, what: str) -> str:
    """1 row, 2 rows."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


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
    numbers = all(_number(label) is not None for label in table.labels)
    hint = "; if it is an asset, put a column of dates before it" if numbers else ""
    raise FileError(
        f"{table.source} line {table.lines[row]}: {table.labels[row]!r} comes after "
        f"{table.labels[row - 1]!r}; the first column ({table.corner or 'no name'}) "
        f"must hold dates in order, each once{hint}"
    )


def _readings(labels: Sequence[str]) -> list[NDArray[np.float64]]:
    """The labels as times, in each way all of them can be read."""
    numbers = [_number(label) for label in labels]
    if all(number is not None for number in numbers):
        return [np.array(numbers, dtype=np.float64)]
    return _dates(labels)


def _dates(labels: Sequence[str]) -> list[NDArray[np.float64]]:
    """The labels as dates, in each format that fits all of them."""
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
