"""Tables in CSV: names in the first row, labels in the first column, numbers and gaps in between."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from hybridmip.errors import FileError
from hybridmip.files import PathLike
from hybridmip.io.orlib import shorten
from hybridmip.model.quadratic import Matrix

#: What spreadsheets and data vendors write where there is no value.
MISSING = frozenset({
    "", "na", "n/a", "nan", "null", "none", "-", "--", ".", "<na>", "#n/a", "#n/a n/a", "#value!", "#ref!", "#div/0!",
})  # fmt: skip
#: A number written with a comma for the point, or with commas between thousands.
WITH_COMMA = re.compile(r"[+-]?\d+(,\d+)+(\.\d*)?%?")
#: Signs that spreadsheets put beside amounts.
CURRENCIES = "$€£¥ \u00a0"
#: Names that a message lists; of more it says how many.
NAMES_SHOWN = 5


@dataclass(frozen=True)
class Table:
    """A CSV: column names, row labels, and a matrix of numbers (NaN for a gap) with the line each row stands on."""

    source: PathLike
    corner: str
    columns: tuple[str, ...]
    labels: tuple[str, ...]
    lines: tuple[int, ...]
    values: Matrix


def read_table(text: str, source: PathLike, gaps: bool = False) -> Table:
    """A CSV with names in the first row and labels in the first column; the rest are finite numbers.

    Parameters
    ----------
    text : str
    source : path
        What messages call the file.
    gaps : bool
        Whether a cell may be empty, or hold one of `MISSING`.

    Raises
    ------
    FileError
        If it is no such table; the message gives the line and the column.
    """
    (head_line, head), *body = rows_of(text, source)
    if len(head) < 2:
        raise FileError(
            f"{source} is neither a port file (its first line is one whole number) nor a CSV table "
            f"(its first line holds names separated by commas): it starts with {shorten(','.join(head))}"
        )
    columns = tuple(head[1:])
    for place, column in enumerate(columns, start=2):
        if not column:
            raise FileError(f"{source} line {head_line}: column {place} has no name; name every asset")
    if all(as_number(column) is not None for column in columns) and len(set(columns)) < len(columns):
        raise FileError(f"{source} line {head_line} holds numbers; the first row must hold the names of the assets")
    check_unique(columns, "column", source)
    if not body:
        raise FileError(f"{source} has names but no row of numbers; check that it was written completely")
    for line, row in body:
        if len(row) != len(head):
            # 0,5 without quotes is two fields where one is meant.
            commas = len(row) == 2 * len(head) - 1
            hint = "; write decimals with a point, not a comma" if commas else ""
            raise FileError(
                f"{source} line {line} has {count_of(len(row), 'field')} but the first row has {len(head)}{hint}"
            )
    values = np.empty((len(body), len(columns)))
    for place, (line, row) in enumerate(body):
        cells = row[1:]
        try:
            values[place] = [float(cell) for cell in cells]
        except ValueError:
            values[place] = [np.nan if (value := as_number(cell)) is None else value for cell in cells]
        for bad in np.flatnonzero(~np.isfinite(values[place])):
            cell = cells[bad]
            absent = cell.lower() in MISSING
            if absent and gaps:
                continue
            rule = "it must be a finite number"
            if all(as_number(other[bad + 1]) is None for _, other in body):
                rule = "the column holds text; give a column of numbers for each asset (in pandas: table.pivot)"
            rule = "fill the gap, or drop the row or the column" if absent else likely_rule(cell, rule)
            raise FileError(f"{source} line {line}, column {shorten(columns[bad])} is {shown(cell)}; {rule}")
    return Table(source, head[0], columns, tuple(row[0] for _, row in body), tuple(line for line, _ in body), values)


def rows_of(text: str, source: PathLike) -> list[tuple[int, list[str]]]:
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


def as_number(cell: str) -> float | None:
    """The finite number in a cell; None if there is none."""
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def as_share(cell: str) -> float | None:
    """The finite number in a cell, 0.5 or 50%; None if there is none."""
    text = cell.strip()
    value = as_number(text.removesuffix("%"))
    return value / 100 if value is not None and text.endswith("%") else value


def shown(cell: str) -> str:
    """A cell as messages show it."""
    return "empty" if not cell else f"missing ({cell})" if cell.lower() in MISSING else shorten(cell)


def likely_rule(cell: str, rule: str) -> str:
    """The rule, or what is likely the matter with the cell."""
    if WITH_COMMA.fullmatch(cell):
        return "write decimals with a point, thousands without a sign"
    share, amount = as_number(cell.removesuffix("%")), as_number(cell.strip(CURRENCIES))
    if share is not None and cell.endswith("%"):
        return f"write it as a share, {share / 100:g}"
    return rule if amount is None else f"write the number alone, {amount:g}"


def count_of(number: int, what: str) -> str:
    """1 row, 2 rows."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def list_of(items: Iterable[str], most: int = NAMES_SHOWN) -> str:
    """The first items, and how many more there are."""
    listed = list(items)
    more = len(listed) - most
    if more > 0:
        return f"{', '.join(listed[:most])} and {more} more"
    return " and ".join([", ".join(listed[:-1]), listed[-1]]) if len(listed) > 1 else "".join(listed)


def check_unique(names: Sequence[str], what: str, source: PathLike) -> None:
    """Refuse a name that is there twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise FileError(f"{source} has the {what} {shorten(name)} twice; names must be unique")
        seen.add(name)
