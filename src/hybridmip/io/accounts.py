"""Accounts to rebalance, from tables of any length: one row a holding, or one row an account.

One row a holding has the columns account, asset and weight, and the rows of an account follow each other. One row an
account has the column account and a column for every asset that anyone holds. Both may have columns for rules of an
account (`RULES`); an empty cell leaves the rule as it is for all. Tables are read a piece at a time.
"""

from __future__ import annotations

import csv
import hashlib
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from hybridmip.errors import ArgumentError, FileError
from hybridmip.io.orlib import shorten

#: Rows of a Parquet file that are in memory at a time.
ROWS_AT_A_TIME = 10_000


class Row(NamedTuple):
    """A row of a table: where it is, its cells by column, and what is wrong with it."""

    where: str
    cells: dict[str, str]
    fault: str = ""


@dataclass(frozen=True)
class Account:
    """An account: its name, weights held by name, rules that differ from those of all, and what is wrong with it."""

    name: str
    holdings: dict[str, float] = field(default_factory=dict)
    rules: dict[str, Any] = field(default_factory=dict)
    fault: str = ""

    @cached_property
    def key(self) -> str:
        """Tells the account from another, or from what it was."""
        parts = self.name, sorted(self.holdings.items()), sorted(self.rules.items(), key=str), self.fault
        return hashlib.blake2b(repr(parts).encode(), digest_size=12).hexdigest()


def _number(cell: str) -> float:
    text = cell.strip()
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


def _count(cell: str) -> Any:
    if ":" not in cell:
        return int(cell)
    low, high = cell.split(":")
    return int(low) if low.strip() else None, int(high) if high.strip() else None


def _names(cell: str) -> list[str]:
    return [name.strip() for name in re.split("[;,]", cell) if name.strip()]


#: Columns with rules of an account, and how their cells are read.
RULES: dict[str, Callable[[str], Any]] = {
    "assets": _count, "min_weight": _number, "max_weight": _number, "target_return": _number,
    "risk_aversion": _number, "trade_cost": _number, "fixed_trade_cost": _number, "cost_weight": _number,
    "max_turnover": _number, "min_trade": _number, "max_trades": int, "exclude": _names,
}  # fmt: skip
#: What such cells hold.
GIVEN: dict[Callable[[str], Any], str] = {
    _count: "a number of assets such as 10, or a range such as 5:10", _number: "a number such as 0.05, or 5%",
    int: "a whole number", _names: "names with semicolons between",
}  # fmt: skip


def accounts_of(source: Any, names: Sequence[str]) -> Iterator[Account]:
    """Accounts from a path of a CSV or Parquet file, a DataFrame, or anything that gives accounts or mappings.

    Raises
    ------
    FileError, ArgumentError
        If there is no such table, or its columns are not those of one; what is wrong with one account is kept with it.
    """
    if isinstance(source, str | Path):
        path = Path(source).expanduser()
        read = _parquet_rows if path.suffix.lower() in (".parquet", ".pq") else _csv_rows
        return _from_rows(read(path), names, str(path), _scattered(read(path)))
    if hasattr(source, "itertuples") and hasattr(source, "columns"):
        return _from_rows(_frame_rows(source), names, "accounts", _scattered(_frame_rows(source)))
    if isinstance(source, Iterable) and not isinstance(source, Mapping | bytes):
        return _distinct(_given(one) for one in source)
    raise ArgumentError(f"accounts is a {type(source).__name__}; give a file, a DataFrame, or a sequence of accounts")


def _given(one: Any) -> Account:
    if isinstance(one, Account):
        return one
    if not isinstance(one, Mapping) or "account" not in one:
        raise ArgumentError("accounts has an entry without 'account'; give mappings with account, holdings and rules")
    rules = {str(key): value for key, value in one.items() if key not in ("account", "holdings")}
    name = str(one["account"])
    unknown = [key for key in rules if key not in RULES]
    if unknown:
        return Account(name, fault=f"there is no rule {unknown[0]!r}; choose from {', '.join(RULES)}")
    holdings = {str(asset): weight for asset, weight in dict(one.get("holdings") or {}).items()}
    return Account(name, holdings, rules, "" if holdings else "it has no holdings; give an asset and its weight")


def _distinct(accounts: Iterable[Account]) -> Iterator[Account]:
    """The accounts; one whose name was there before is at fault."""
    seen: set[int] = set()
    for account in accounts:
        key = hash(account.name)
        if key in seen:
            fault = "an account of this name was there before; give each a name of its own"
            account = Account(account.name, fault=fault)
        seen.add(key)
        yield account


def _scattered(rows: Iterator[Row]) -> dict[str, str]:
    """Accounts whose rows are not together, and where that is seen; what they hold cannot be told a piece at a time."""
    seen: set[int] = set()
    found: dict[str, str] = {}
    last = None
    for row in rows:
        name = row.cells.get("account", "")
        if name != last and hash(name) in seen:
            found.setdefault(name, row.where)
        seen.add(hash(name))
        last = name
    return found


def _csv_rows(path: Path) -> Iterator[Row]:
    """(where, cells by column) of every row."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            reader = csv.reader(stream)
            header = [cell.strip() for cell in next(reader, [])]
            if not any(header):
                raise FileError(f"{path} is empty; its first line names the columns, account among them")
            for cells in reader:
                if not any(cell.strip() for cell in cells):
                    continue
                fault = ""
                if len(cells) != len(header):
                    fault = f"it has {len(cells)} cells, the first line {len(header)}; mend that row"
                padded = itertools.chain((cell.strip() for cell in cells), itertools.repeat(""))
                yield Row(f"line {reader.line_num}", dict(zip(header, padded, strict=False)), fault)
    except OSError as error:
        raise FileError(f"cannot read {path} ({error.strerror or error}); check the path") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise FileError(f"{path} is not a CSV file in UTF-8 ({error}); export it again") from None


def _parquet_rows(path: Path) -> Iterator[Row]:
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise FileError(f"{path} is Parquet, which pyarrow reads; pip install pyarrow, or give a CSV file") from None
    try:
        number = 0
        for batch in parquet.ParquetFile(path).iter_batches(ROWS_AT_A_TIME):
            for row in batch.to_pylist():
                number += 1
                cells = {str(key): "" if value is None else str(value) for key, value in row.items()}
                yield Row(f"row {number}", cells)
    except (OSError, ArrowException) as error:
        raise FileError(f"cannot read {path} ({shorten(str(error))}); check the file") from None


def _frame_rows(frame: Any) -> Iterator[Row]:
    columns = [str(column) for column in frame.columns]
    for number, values in enumerate(frame.itertuples(index=False, name=None), start=1):
        cells = ["" if value is None or value != value else str(value) for value in values]
        yield Row(f"row {number}", dict(zip(columns, cells, strict=True)))


def _from_rows(rows: Iterator[Row], names: Sequence[str], source: str, scattered: dict[str, str]) -> Iterator[Account]:
    first = next(rows, None)
    if first is None:
        raise FileError(f"{source} has no accounts; give a row for each, or for each holding")
    columns = set(first.cells)
    if "account" not in columns:
        shown = shorten(", ".join(first.cells))
        raise FileError(f"{source} has no column 'account' but {shown}; name the one with the accounts so")
    long = {"asset", "weight"} <= columns
    known = set(names)
    unknown = [one for one in first.cells if one not in RULES and one not in ("account", "asset", "weight")]
    unknown = [one for one in unknown if long or one not in known]
    if unknown:
        remedy = "" if long else ", or asset and weight for one row a holding"
        raise FileError(
            f"{source} has a column {unknown[0]!r}, which is neither an asset nor a rule; rules are "
            f"{', '.join(RULES)}{remedy}"
        )
    return _grouped(itertools.chain([first], rows), long, known, source, scattered)


def _grouped(
    rows: Iterator[Row], long: bool, known: set[str], source: str, scattered: dict[str, str]
) -> Iterator[Account]:
    """An account for every run of rows with its name; of one with several runs, one that is at fault."""
    told: set[str] = set()
    for name, part in itertools.groupby(rows, lambda row: row.cells["account"]):
        if name not in scattered:
            yield _account(name, list(part), long, known, source)
        elif name not in told:
            told.add(name)
            yield Account(name, fault=f"its rows are not together ({scattered[name]}); sort the table by account")


def _account(name: str, rows: list[Row], long: bool, known: set[str], source: str) -> Account:
    """One account; the first thing that is wrong with it is kept."""
    if not name:
        return Account("", fault=f"{rows[0].where} of {source} has no name of an account; give one")
    broken = next((row for row in rows if row.fault), None)
    if broken is not None:
        return Account(name, fault=f"{broken.where}: {broken.fault}")
    holdings: dict[str, float] = {}
    rules: dict[str, Any] = {}
    if not long and len(rows) > 1:
        return Account(name, fault=f"it has two rows ({rows[0].where} and {rows[1].where}); give one row an account")
    for where, cells, _ in rows:
        held = [(cells["asset"], cells["weight"])] if long else [(key, cells[key]) for key in cells if key in known]
        for asset, cell in held:
            if not cell and (not long or not asset):
                continue
            if asset in holdings:
                return Account(name, fault=f"{asset} is there twice ({where}); give each asset one row")
            if asset not in known:
                return Account(
                    name, fault=f"{where}: {asset!r} is none of the market's assets; check its spelling, and whether "
                    "it was left out for its gaps or its history",
                )  # fmt: skip
            try:
                holdings[asset] = _number(cell)
            except ValueError:
                return Account(name, fault=f"{where}: the weight of {asset} is {cell!r}; give a number")
        for key, read in RULES.items():
            cell = cells.get(key, "")
            if not cell:
                continue
            try:
                value = read(cell)
            except ValueError:
                return Account(name, fault=f"{where}: {key} is {cell!r}; give {GIVEN[read]}")
            if rules.setdefault(key, value) != value:
                return Account(name, fault=f"{where}: {key} is {cell!r}, and something else before; give it once")
    holdings = {asset: weight for asset, weight in holdings.items() if weight != 0.0}
    return Account(name, holdings, rules, "" if holdings else "it has no holdings; give an asset and its weight")
