"""Networks as tables: a CSV of arcs, one of nodes, one of commodities."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hybridmip.errors import FileError
from hybridmip.files import PathLike, read_text
from hybridmip.io.orlib import shorten

if TYPE_CHECKING:
    import pandas as pd

ARC_COLUMNS = ("from", "to", "capacity", "unit_cost", "fixed_cost", "quadratic_cost")
NODE_COLUMNS = ("node", "supply", "x", "y")
COMMODITY_COLUMNS = ("origin", "destination", "demand")
#: What a cell without a value holds: no limit for a capacity, 0 for a cost.
BLANK = frozenset({"", "na", "n/a", "nan", "none", "null", "-", "inf", "infinity"})


def read_arcs(path: PathLike) -> pd.DataFrame:
    """A CSV with the columns from, to, capacity, unit_cost, fixed_cost and quadratic_cost, in any order.

    Only `from` and `to` are required. An empty capacity is no limit (NaN in the frame), an empty cost is 0.

    Raises
    ------
    FileError
        If the file is missing, a column is unknown or missing, or a cell is no number; with line and column.
    """
    return _read(path, ARC_COLUMNS, text=("from", "to"), required=("from", "to"), blank_is_no_limit=("capacity",))


def read_nodes(path: PathLike) -> pd.DataFrame:
    """A CSV with the columns node, supply (positive for a source) and, optionally, x and y for drawing.

    Raises
    ------
    FileError
        As for `read_arcs`.
    """
    return _read(path, NODE_COLUMNS, text=("node",), required=("node",))


def read_commodities(path: PathLike) -> pd.DataFrame:
    """A CSV with the columns origin, destination and demand.

    Raises
    ------
    FileError
        As for `read_arcs`.
    """
    return _read(path, COMMODITY_COLUMNS, text=("origin", "destination"), required=COMMODITY_COLUMNS)


def normal_column(name: object) -> str:
    """A column's name in one spelling: `Unit Cost` and `unit_cost` are the same."""
    return "_".join(str(name).strip().lower().replace("-", " ").replace("_", " ").split())


def _read(
    path: PathLike,
    known: Sequence[str],
    *,
    text: Sequence[str],
    required: Sequence[str],
    blank_is_no_limit: Sequence[str] = (),
) -> pd.DataFrame:
    import pandas as pd  # 0.3 s, for who asks for a table

    content = read_text(path)
    first = content.lstrip().split("\n", 1)[0]
    separator = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=separator)
    try:
        rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader]
    except csv.Error as error:
        raise FileError(f"{path} line {reader.line_num} is no CSV ({error}); check its quotes") from None
    rows = [(line, row) for line, row in rows if any(row) and not row[0].startswith("#")]
    if not rows:
        raise FileError(f"{path} has no rows; its first row must name the columns {', '.join(known)}")
    head_line, head = rows[0]
    columns = [normal_column(name) for name in head]
    for name, given in zip(columns, head, strict=True):
        if name not in known:
            raise FileError(
                f"{path} line {head_line}: unknown column {shorten(given)}; the columns are {', '.join(known)}"
            )
        if columns.count(name) > 1:
            raise FileError(f"{path} line {head_line}: column {name!r} occurs twice; keep one")
    for name in required:
        if name not in columns:
            raise FileError(f"{path} line {head_line}: no column {name!r}; the columns are {', '.join(known)}")
    if len(rows) == 1:
        raise FileError(f"{path} names its columns but has no row below; check that it was written completely")
    values: dict[str, list[str | float]] = {name: [] for name in columns}
    for line, row in rows[1:]:
        if len(row) != len(columns):
            raise FileError(f"{path} line {line} has {len(row)} fields but the first row has {len(columns)}")
        for name, cell in zip(columns, row, strict=True):
            values[name].append(_cell(path, line, name, cell, name in text, name in blank_is_no_limit))
    return pd.DataFrame(values)


def _cell(path: PathLike, line: int, name: str, cell: str, is_text: bool, blank_is_no_limit: bool) -> str | float:
    if is_text:
        if not cell:
            raise FileError(f"{path} line {line}: column {name!r} is empty; name the node")
        return cell
    if cell.lower() in BLANK:
        if not cell or blank_is_no_limit:
            return math.nan if blank_is_no_limit else 0.0
        raise FileError(f"{path} line {line}: {name} is {cell!r}; it must be a finite number")
    try:
        value = float(cell)
    except ValueError:
        raise FileError(f"{path} line {line}: {name} is {shorten(cell)}; it must be a number") from None
    if not math.isfinite(value):
        raise FileError(f"{path} line {line}: {name} is {cell!r}; it must be a finite number")
    return value
