"""Portfolio data from tables: CSVs of prices, of returns, or of means and a covariance."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hybridmip.errors import Argument, ArgumentError, FileError, Message
from hybridmip.files import PathLike, read_text
from hybridmip.io.csv_table import (
    Table,
    as_number,
    as_share,
    check_unique,
    count_of,
    likely_rule,
    read_table,
    rows_of,
    shown,
)
from hybridmip.io.dates import SINCE, UNTIL, dates_of, look_like_dates
from hybridmip.io.estimates import SHRINK, check_shrink, covariance_of, doubts
from hybridmip.io.gaps import ERROR, MIN_HISTORY, MISSING
from hybridmip.io.history import Cut, panel_of
from hybridmip.io.orlib import looks_like_port, parse_port, shorten
from hybridmip.io.panel import Panel
from hybridmip.model.quadratic import Matrix, Vector, frozen

if TYPE_CHECKING:
    from pandas import DataFrame

KINDS = ("prices", "returns")
#: Arguments that messages name.
KIND, KIND_PRICES, KIND_RETURNS = Argument("kind"), Argument("kind='prices'"), Argument("kind='returns'")
COVARIANCE_PATH, PERIODS = Argument("covariance=PATH"), Argument("periods_per_year")
EXCLUDE = Argument("exclude")
#: How the name of a column of dates may start.
TIME_WORDS = ("date", "time", "year", "quarter", "month", "week", "day", "period", "index")
#: Returns of which half are above this are none.
LIKELY_PRICE = 0.5
#: A return above this is a damaged number.
MOST_RETURN = 1e6
#: What messages call a DataFrame; they give lines, of which the first holds the names.
FRAME = "the DataFrame (as CSV)"
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
    left_out : tuple of str
        Assets of the file that are not among the names, for their gaps or their short history.
    periods_per_year : float or None
        As given; `returns` and `covariance` are per period all the same.

    Examples
    --------
    >>> import hybridmip as hm
    >>> from hybridmip.io.tables import PortfolioData
    >>> data = PortfolioData(("Oak", "Elm"), returns=[0.010, 0.012], covariance=[[0.10, 0.02], [0.02, 0.12]])
    >>> hm.Portfolio(data.returns, data.covariance, names=data.names, assets=1)
    <Portfolio of 2 candidates, assets=1>
    """

    names: tuple[str, ...] = field(repr=False)
    returns: Vector = field(repr=False)
    covariance: Matrix = field(repr=False)
    warnings: tuple[str, ...] = ()
    left_out: tuple[str, ...] = field(default=(), repr=False)
    periods_per_year: float | None = None


def read_portfolio_data(
    path: PathLike | DataFrame,
    covariance: PathLike | None = None,
    kind: str | None = None,
    *,
    missing: str = ERROR,
    since: str | date | None = None,
    until: str | date | None = None,
    min_history: int | None = None,
    shrink: str | None = None,
    periods_per_year: float | None = None,
    exclude: Sequence[str] = (),
) -> PortfolioData:
    """Read expected returns and covariance from whatever file holds them, or estimate them from a DataFrame.

    Parameters
    ----------
    path : path or DataFrame
        An OR-Library port file (its first line is one whole number), a CSV of prices or returns,
        or, if `covariance` is given, a CSV of means. Any of them may be gzipped. A DataFrame of prices or returns,
        dates by assets, is taken as if it had been written to a CSV: the same checks, the same numbers.
    covariance : path, optional
        CSV of the covariance that belongs to the means in `path`.
    kind : {"prices", "returns"}, optional
        What a CSV holds; left out, it is told from the values (see `read_prices_or_returns`).
    missing : {"error", "drop-assets", "drop-dates", "fill"}
        What is done about gaps in prices or returns: an error that counts them; assets or dates with a gap are left
        out; or a price is carried forward (a return is 0) from the first of its asset on.
    since, until : str or date, optional
        First and last date that is used, such as "2024-12-31", "2024-12" or "2024"; both count.
    min_history : int, optional
        Prices (or returns) that an asset must have between these dates; assets with fewer are left out.
    shrink : {"ledoit-wolf", "oas", "none"}, optional
        Estimator of the covariance, of scikit-learn; the sample covariance by default.
    periods_per_year : float, optional
        How many periods of the data make a year (252 for days of trading, 12 for months). It is kept with the data
        and changes none of the numbers, which are per period; see `PortfolioResult.per_year`.
    exclude : sequence of str
        Assets that are left out before anything else: their gaps do not count.

    Raises
    ------
    FileError
        If a file is missing or not what it should be, or has gaps.
    ArgumentError
        If an option is out of its range, leaves nothing of the data, or is given for a file that is no CSV of prices
        or returns.
    MissingDependencyError
        If scikit-learn is needed and not there.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import hybridmip as hm
    >>> prices = hm.market(assets=8, periods=100, seed=1).prices()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     prices.to_csv(pathlib.Path(folder, "prices.csv"))
    ...     data = hm.read_portfolio_data(pathlib.Path(folder, "prices.csv"), since="2005-06")
    >>> data.names[:2], data.covariance.shape, data.warnings
    (('BANK01', 'BANK02'), (8, 8), ())
    >>> same = hm.read_portfolio_data(prices, since="2005-06")
    >>> bool((same.covariance == data.covariance).all())
    True
    """
    _check_kind(kind)
    _check_periods(periods_per_year)
    cut = Cut(missing, since, until, min_history, _names_of(exclude))
    shrink = check_shrink(shrink)
    given = [
        argument
        for argument, value in (
            (KIND, kind),
            (SINCE, since),
            (UNTIL, until),
            (MIN_HISTORY, min_history),
            (SHRINK, shrink),
        )
        if value is not None
    ] + [MISSING] * (missing != ERROR)
    if not isinstance(path, str | os.PathLike):
        if covariance is not None:
            raise ArgumentError(
                "covariance is for files; give means and covariance that are in memory to hm.Portfolio itself"
            )
        return _prices_or_returns(_text_of(path), FRAME, kind, cut, shrink, periods_per_year)
    if covariance is not None:
        if given:
            raise ArgumentError(given[0], " is for a CSV of prices or returns; leave it out with a covariance file")
        data = read_mean_and_covariance(path, covariance)
        return _without(data.names, data.returns, data.covariance, cut.exclude, periods_per_year)
    text = read_text(path)
    if not looks_like_port(text):
        return _prices_or_returns(text, path, kind, cut, shrink, periods_per_year)
    if given:
        raise ArgumentError(given[0], f" is for a CSV of prices or returns; {path} is an OR-Library port file")
    port = parse_port(text, path)
    return _without(port.names, port.returns, port.covariance, cut.exclude, periods_per_year)


def _text_of(frame: Any) -> str:
    """A DataFrame as CSV, which keeps every bit of its numbers."""
    if not hasattr(frame, "to_csv") or not hasattr(frame, "columns"):
        raise ArgumentError(
            f"path is a {type(frame).__name__}; give the path of a file, or a DataFrame of prices or returns "
            "(dates by assets)"
        )
    if frame.columns.nlevels > 1:
        raise ArgumentError(
            f"path is a DataFrame whose columns have {frame.columns.nlevels} levels; choose one, such as frame['Close']"
        )
    if frame.index.nlevels > 1:
        raise ArgumentError(
            f"path is a DataFrame whose index has {frame.index.nlevels} levels; give dates by assets (see unstack)"
        )
    if frame.empty:
        raise ArgumentError(f"path is a DataFrame of {frame.shape[0]} rows and {frame.shape[1]} columns; fill it")
    return str(frame.to_csv())


def _names_of(exclude: Any) -> tuple[str, ...]:
    if isinstance(exclude, str):
        raise ArgumentError(EXCLUDE, f" is the text {exclude!r}; give a list of names")
    return tuple(str(name) for name in exclude)


def _check_excluded(exclude: Sequence[str], names: Sequence[str]) -> None:
    known = set(names)
    for name in exclude:
        if name not in known:
            raise ArgumentError(EXCLUDE, f" names {name!r}, which is no asset; check the spelling")
    if known and not known - set(exclude):
        raise ArgumentError(EXCLUDE, " names every asset; leave some")


def _without(
    names: tuple[str, ...], returns: Vector, covariance: Matrix, exclude: Sequence[str], periods: float | None
) -> PortfolioData:
    """Data without some of the assets."""
    _check_excluded(exclude, names)
    kept = np.array([j for j, name in enumerate(names) if name not in exclude], dtype=np.intp)
    out = tuple(name for name in names if name in exclude)
    if not out:
        return PortfolioData(names, returns, covariance, periods_per_year=periods)
    left = tuple(names[j] for j in kept)
    return PortfolioData(left, frozen(returns[kept]), frozen(covariance[np.ix_(kept, kept)]), (), out, periods)


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
        If the file is missing, or has text, gaps or an impossible value; the message gives the
        line and the column, or counts the gaps.
    """
    _check_kind(kind)
    return _prices_or_returns(read_text(path), path, kind, Cut(), None, None)


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
    table = read_table(read_text(covariance_path), covariance_path)
    names, means = _read_means(means_text, mean_path, table.labels)
    check_unique(table.labels, "row", covariance_path)
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
    rows = rows_of(read_text(path), path)
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
    """Weight of each asset, from a CSV with an asset and its weight (0.5 or 50%) in every row, perhaps below a heading.

    Under a heading that begins with `asset,weight` further columns may follow, as in what `hybridmip portfolio --out`
    writes; they are passed over.

    Raises
    ------
    FileError
        If the file is missing, empty, has a row that is no asset and weight, or an asset twice.
    """
    rows = rows_of(read_text(path), path)
    heading = rows[0][1]
    titled = [title.lower() for title in heading[:2]] == ["asset", "weight"]
    if titled or (len(heading) == 2 and as_share(heading[1]) is None):
        rows = rows[1:]
    if not rows:
        raise FileError(f"{path} is empty but for its first line; give rows of asset and weight")
    width = len(heading) if titled else 2
    weights: dict[str, float] = {}
    for line, row in rows:
        value = as_share(row[1]) if len(row) == width and row[0] else None
        if value is None:
            raise FileError(f"{path} line {line}: {shorten(','.join(row))} is not an asset and a weight; mend that row")
        if row[0] in weights:
            raise FileError(f"{path} line {line}: {row[0]} is there twice; give each asset one row")
        weights[row[0]] = value
    return weights


def _check_kind(kind: str | None) -> None:
    if kind is not None and kind not in KINDS:
        raise ArgumentError(KIND, f" is {kind!r}; it must be 'prices' or 'returns'")


def _check_periods(periods: Any) -> None:
    if periods is None:
        return
    if isinstance(periods, bool) or not isinstance(periods, int | float | np.number) or not 0 < periods < math.inf:
        raise ArgumentError(PERIODS, f" is {periods!r}; give a positive number such as 252, 52 or 12")


def _prices_or_returns(
    text: str, source: PathLike, kind: str | None, cut: Cut, shrink: str | None, periods_per_year: float | None
) -> PortfolioData:
    table = read_table(text, source, gaps=True)
    _refuse_other_layouts(table, kind)
    _check_excluded(cut.exclude, table.columns)
    panel = panel_of(table, kind if kind is not None else _guess_kind(table.values, source), cut)
    values, labels = panel.values, panel.labels
    if panel.kind == "prices":
        _refuse(panel, values <= 0, "price", "it must be positive (leave the cell empty if there is none)")
        with np.errstate(over="ignore"):
            values, labels = values[1:] / values[:-1] - 1.0, labels[1:]
        beyond = np.vstack([np.zeros_like(values[:1], dtype=np.bool_), values > MOST_RETURN])
        _refuse(panel, beyond, "price", "more than a million times the one before; mend one of them")
    else:
        _refuse(panel, values < -1, "return", "a loss of more than all; give shares, not percent")
        _refuse(panel, values > MOST_RETURN, "return", "more than a millionfold; mend it")
        panel = _doubting_returns(panel)
    warnings = [
        *panel.warnings,
        *_doubts_about_dates(table),
        *doubts(panel.names, labels, values, shrink, source, panel.ended),
    ]
    covariance = frozen(covariance_of(values, shrink))
    return PortfolioData(
        panel.names, frozen(values.mean(axis=0)), covariance, tuple(warnings), panel.left_out, periods_per_year
    )


def _doubting_returns(panel: Panel) -> Panel:
    """Returns above 100 % in most places are prices, or percent."""
    middle = float(np.median(np.abs(panel.values)))
    if middle < LIKELY_PRICE:
        return panel
    return panel.telling(
        f"half of the returns are above {100 * middle:.3g} %; if these are prices, say ", KIND_PRICES,
        "; if they are percent, divide by 100",
    )  # fmt: skip


def _refuse(panel: Panel, bad: NDArray[np.bool_], what: str, rule: str) -> None:
    for row, column in np.argwhere(bad)[:1]:
        raise FileError(
            f"{panel.source} line {panel.lines[row]}, column {shorten(panel.names[column])}: the {what} is "
            f"{panel.values[row, column]:g}{';' if what == 'price' else ','} {rule}"
        )


def _refuse_other_layouts(table: Table, kind: str | None) -> None:
    """A table of prices or returns that is transposed, or none but a list of means."""
    if look_like_dates(table.columns) and not _are_times(table.labels):
        raise FileError(
            f"{table.source} has dates in its first row, so it looks transposed; put dates in the first column "
            "and assets in the first row (in pandas: table.T)"
        )
    if kind is None and len(table.columns) == 1 and all(table.labels) and not _are_times(table.labels):
        raise FileError(
            f"{table.source} has a name and a number in every row, as a file of means has; "
            "give the covariance as well, with ",
            COVARIANCE_PATH,
        )


def _are_times(labels: Sequence[str]) -> bool:
    """Whether labels can be dates or running numbers."""
    return all(as_number(label) is not None for label in labels) or bool(dates_of(labels))


def _doubts_about_dates(table: Table) -> list[Message]:
    """A first column of numbers with decimals may be an asset and not dates."""
    numbers = [as_number(label) for label in table.labels]
    named_so = not table.corner or table.corner.lower().startswith(TIME_WORDS)
    if named_so or all(number is None or number == round(number) for number in numbers):
        return []
    return [
        Message(
            f"{table.source}: the first column ({table.corner}) holds numbers with decimals and was taken for dates; "
            "if it is an asset, put a column of dates before it"
        )
    ]


def _guess_kind(values: Matrix, source: PathLike) -> str:
    known = values[np.isfinite(values)]
    if not known.size:
        raise FileError(f"{source} has no number in any column; check that it was written completely")
    if len(values) > 1 and (known > 0).all():
        with np.errstate(over="ignore"):
            changes = np.abs(values[1:] / values[:-1] - 1.0)
        changes = changes[np.isfinite(changes)]
        if changes.size and np.median(changes) < 0.2:
            return "prices"
    if (known < 0).any() and (known > 0).any() and np.mean(np.abs(known) < 0.5) >= 0.95:
        return "returns"
    means = (" (means need ", COVARIANCE_PATH, ")") if values.shape[1] == 1 else ()
    kinds = (KIND_PRICES, " or ", KIND_RETURNS)
    raise FileError(f"{source} could hold prices or returns; say which with ", *kinds, *means)


def _read_means(text: str, path: PathLike, known: Sequence[str]) -> tuple[tuple[str, ...], Vector]:
    """Names and means; a first line that is no name and number, or none of a known name, is a heading."""
    rows = rows_of(text, path)
    if len(rows) > 1 and len(rows[0][1]) == 2:
        name, cell = rows[0][1]
        if not name or as_number(cell) is None or (cell == PANDAS_NO_NAME and name not in known):
            rows = rows[1:]
    names: list[str] = []
    means: list[float] = []
    for line, row in rows:
        if len(row) != 2:
            raise FileError(f"{path} line {line}: expected a name and a value, found {count_of(len(row), 'field')}")
        value = as_number(row[1])
        if value is None:
            rule = likely_rule(row[1], "it must be a number")
            raise FileError(f"{path} line {line}: the mean of {row[0]!r} is {shown(row[1])}; {rule}")
        names.append(row[0])
        means.append(value)
    check_unique(names, "row", path)
    return tuple(names), frozen(means)


def _places(labels: Sequence[str], order: Sequence[str], lacks: str, needed_by: PathLike) -> NDArray[np.intp]:
    place = {label: i for i, label in enumerate(labels)}
    for name in order:
        if name not in place:
            raise FileError(f"{lacks} {name!r}, which is in {needed_by}; names must agree")
    return np.array([place[name] for name in order], dtype=np.intp)
