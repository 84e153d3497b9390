"""Dates in the first column of a table: how they are written, in which order they are, and what lies in a window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hybridmip.errors import Argument, ArgumentError, FileError
from hybridmip.files import PathLike
from hybridmip.io.csv_table import Table, as_number
from hybridmip.io.orlib import shorten

Moments: TypeAlias = NDArray[np.float64]

#: How dates are written, and what people call it; ISO 8601 is tried before all of them.
FORMATS = {
    "%Y/%m/%d": "year/month/day", "%d/%m/%Y": "day/month/year", "%m/%d/%Y": "month/day/year",
    "%d.%m.%Y": "day.month.year", "%d-%m-%Y": "day-month-year", "%m-%d-%Y": "month-day-year",
    "%d/%m/%y": "day/month/year", "%m/%d/%y": "month/day/year", "%d.%m.%y": "day.month.year",
    "%d-%b-%Y": "day-month-year", "%d-%b-%y": "day-month-year", "%d %b %Y": "day month year",
    "%b %d, %Y": "month day, year", "%d/%m/%Y %H:%M": "day/month/year", "%m/%d/%Y %H:%M": "month/day/year",
    "%Y-%m": "year-month", "%Y/%m": "year/month", "%m/%Y": "month/year", "%b %Y": "month year",
}  # fmt: skip
ISO = "year-month-day"
#: Dates of digits only, by how many there are.
DIGITS = {8: "%Y%m%d", 6: "%Y%m", 4: "%Y"}
#: Years that four digits, and what starts with them, are taken for.
YEARS = range(1800, 2200)
#: Where so large a share of the labels are dates the others should be.
MOST = 0.5
#: If none of so many labels is written in some way it is not looked for.
LOOKED_AT = 20
#: Of two ways to read the dates the one with steps so many times as even is taken.
MORE_EVEN = 3.0
EPOCH = datetime(1970, 1, 1)
#: Arguments that messages name.
SINCE, UNTIL = Argument("since"), Argument("until")


@dataclass(frozen=True)
class Timeline:
    """The rows of a table in time.

    Attributes
    ----------
    rows : ndarray
        Rows of the table, from the oldest to the newest.
    moments : ndarray or None
        When each of these was, in seconds; None where the labels are no dates.
    reading : str
        How the dates were read, where they can be read in two ways; else empty.
    undecided : str
        The two ways, where nothing tells which is meant; else empty.
    """

    rows: NDArray[np.intp]
    moments: Moments | None = None
    reading: str = ""
    undecided: str = ""


def timeline(table: Table) -> Timeline:
    """The rows from the oldest to the newest.

    Labels none of which is a date we can read are taken as they stand; dates out of order are an error, since changes
    from row to row would then mean nothing.

    Raises
    ------
    FileError
        If the labels are no dates in order, each once, or could be in either order.
    """
    forward = np.arange(len(table.labels))
    if all(as_number(label) is not None for label in table.labels):
        return _numbered(table, forward)
    readings = dates_of(table.labels)
    if not readings:
        _refuse_odd_ones(table)
        return Timeline(forward)
    ordered = {name: moments for name, moments in readings.items() if _direction(moments)}
    if not ordered:
        raise _out_of_order(table, next(iter(readings.values())))
    chosen, certain = _most_even(ordered)
    way = _direction(ordered[chosen])
    if not certain and any(_direction(moments) != way for moments in ordered.values()):
        raise FileError(
            f"{table.source}: the dates can be read as {' or '.join(ordered)} ({table.labels[0]!r}), with the newest "
            "first or last; write them like 2024-12-31"
        )
    rows = forward if way > 0 else forward[::-1]
    doubt = "" if len(ordered) == 1 else " or ".join(ordered)
    return Timeline(rows, ordered[chosen][rows], chosen if doubt and certain else "", "" if certain else doubt)


def _numbered(table: Table, forward: NDArray[np.intp]) -> Timeline:
    """Rows whose labels are numbers, which may be dates of digits only."""
    numbers = np.array([float(label) for label in table.labels])
    if not _direction(numbers):
        raise _out_of_order(table, numbers)
    rows = forward if _direction(numbers) > 0 else forward[::-1]
    moments = _digits(table.labels)
    return Timeline(rows, None if moments is None else moments[rows])


def _digits(labels: Sequence[str]) -> Moments | None:
    """20241231, 202412 or 2024 as moments; None if the labels are not all so."""
    form = DIGITS.get(len(labels[0]))
    if form is None or not all(label.isascii() and label.isdigit() for label in labels):
        return None
    if not all(int(label[:4]) in YEARS and len(label) == len(labels[0]) for label in labels):
        return None
    return _read(labels, form)


def _direction(moments: Moments) -> int:
    """1 if the moments rise, -1 if they fall, 0 if they do neither."""
    steps = np.diff(moments)
    return 1 if (steps > 0).all() else -1 if (steps < 0).all() else 0


def _most_even(ordered: dict[str, Moments]) -> tuple[str, bool]:
    """The reading with the most even steps, and whether that tells it from the others."""
    evenness = {}
    for name, moments in ordered.items():
        steps = np.abs(np.diff(moments))
        evenness[name] = float(steps.max() / np.median(steps)) if steps.size else 1.0
    chosen = min(evenness, key=evenness.__getitem__)
    others = [value for name, value in evenness.items() if name != chosen]
    return chosen, all(value >= MORE_EVEN * evenness[chosen] for value in others)


def _out_of_order(table: Table, moments: Moments) -> FileError:
    steps = np.diff(moments)
    falling = np.mean(steps < 0) > 0.5
    row = 1 + int(np.flatnonzero(steps >= 0 if falling else steps <= 0)[0])
    numbers = all(as_number(label) is not None for label in table.labels)
    twice = "keep one row of each date" if steps[row - 1] == 0 else "sort the rows by date"
    hint = "if it is an asset, put a column of dates before it" if numbers else twice
    return FileError(
        f"{table.source} line {table.lines[row]}: {table.labels[row]!r} comes after "
        f"{table.labels[row - 1]!r}; the first column ({table.corner[:40] or 'no name'}) "
        f"must hold dates in order, each once; {hint}"
    )


def _refuse_odd_ones(table: Table) -> None:
    """An empty label, or one that is no date where most are."""
    for line, label in zip(table.lines, table.labels, strict=True):
        if not label:
            raise FileError(f"{table.source} line {line} has no date; the first column must hold dates")
    best: list[bool] = []
    for form in (None, *FORMATS, *DIGITS.values()):
        if any(_read([label], form) is not None for label in table.labels[:LOOKED_AT]):
            fits = [_read([label], form) is not None for label in table.labels]
            best = max(best, fits, key=sum)
    if sum(best) > MOST * len(table.labels):
        odd, like = best.index(False), table.labels[best.index(True)]
        raise FileError(
            f"{table.source} line {table.lines[odd]}: {shorten(table.labels[odd])} is no date like {like!r}; "
            "write all dates alike, or remove the row"
        )


def look_like_dates(labels: Sequence[str]) -> bool:
    """Whether labels are dates in order, not numbers that happen to be in order."""
    return len(labels) > 1 and any(_direction(moments) for moments in dates_of(labels).values())


def dates_of(labels: Sequence[str]) -> dict[str, Moments]:
    """The labels as dates, in each way all of them can be read: what it is called, and moments in seconds."""
    readings: dict[str, Moments] = {}
    for form, name in ((None, ISO), *FORMATS.items()):
        moments = _read(labels, form)
        if moments is not None and not any(np.array_equal(moments, other) for other in readings.values()):
            readings.setdefault(name, moments)
    return readings


def _read(labels: Sequence[str], form: str | None) -> Moments | None:
    """The labels as moments in one format (None for ISO 8601), if all of them are written so."""
    try:
        dates = [datetime.fromisoformat(v) if form is None else datetime.strptime(v, form) for v in labels]
    except ValueError:
        return None
    return np.array([_seconds(moment) for moment in dates])


def _seconds(moment: datetime) -> float:
    # Compared without a time zone: a summer-time switch must not reorder two dates.
    return (moment.replace(tzinfo=None) - EPOCH).total_seconds()


def as_date(moment: float) -> str:
    """A moment as 2024-12-31, or with its time of day if that is not midnight."""
    found = EPOCH + timedelta(seconds=float(moment))
    return found.date().isoformat() if found.time() == datetime.min.time() else found.isoformat()


def span_of(argument: Argument, value: Any) -> tuple[float, float]:
    """The first moment of a date and the first after it: of a day, a month or a year.

    Raises
    ------
    ArgumentError
        If it is no date, or could be two.
    """
    if isinstance(value, datetime):
        start = _seconds(value)
        return start, start + 1e-6
    if isinstance(value, date):
        start = _seconds(datetime(value.year, value.month, value.day))
        return start, start + 86400.0
    text = value.strip() if isinstance(value, str) else ""
    for form, months in (("%Y-%m", 1), ("%Y/%m", 1), ("%Y", 12)):
        moments = _read([text], form)
        if moments is not None:
            first = EPOCH + timedelta(seconds=float(moments[0]))
            years, month = divmod(first.month - 1 + months, 12)
            if first.year + years > datetime.max.year:
                return float(moments[0]), np.inf
            last = first.replace(year=first.year + years, month=month + 1)
            return float(moments[0]), _seconds(last)
    found = {float(moments[0]) for moments in dates_of([text]).values()} if text else set()
    if len(found) > 1:
        days = " or ".join(as_date(moment) for moment in sorted(found))
        raise ArgumentError(argument, f" is {value!r}, which can be {days}; write the one that is meant")
    if not found:
        raise ArgumentError(argument, f" is {value!r}; give a date such as 2024-12-31")
    start = found.pop()
    return start, start + (86400.0 if start % 86400.0 == 0 else 1e-6)


def window(since: Any, until: Any, table: Table, timeline: Timeline) -> tuple[NDArray[np.bool_], list[str]]:
    """Which rows of a timeline lie between two dates (either may be None), and a word on how dates were read.

    Raises
    ------
    ArgumentError
        If they are no dates, in the wrong order, or outside of the table.
    FileError
        If the table has no dates, or which rows lie between them depends on how its dates are read.
    """
    inside = np.ones(len(timeline.rows), dtype=np.bool_)
    if since is None and until is None:
        return inside, []
    begin = -np.inf if since is None else span_of(SINCE, since)[0]
    end = np.inf if until is None else span_of(UNTIL, until)[1]
    if begin >= end:
        raise ArgumentError(SINCE, f" is {since}, after ", UNTIL, f" {until}; the earlier date comes first")
    argument = UNTIL if since is None else SINCE
    source: PathLike = table.source
    if timeline.undecided:
        raise FileError(
            f"{source}: the dates can be read as {timeline.undecided} ({table.labels[timeline.rows[0]]!r}); for ",
            argument,
            " write them like 2024-12-31",
        )
    if timeline.moments is None:
        label = shorten(table.labels[timeline.rows[0]])
        raise FileError(f"{source}: the first column holds no dates that can be read ({label}); leave out ", argument)
    first, last = timeline.moments[0], timeline.moments[-1]
    if begin > last:
        raise ArgumentError(SINCE, f" is {since} but {source} ends on {as_date(last)}; give an earlier date")
    if end <= first:
        raise ArgumentError(UNTIL, f" is {until} but {source} begins on {as_date(first)}; give a later date")
    inside = (timeline.moments >= begin) & (timeline.moments < end)
    if not inside.any():
        raise ArgumentError(argument, f": {source} has no date between {since} and {until}; widen the window")
    doubt = f"{source}: the dates were read as {timeline.reading}, which makes their steps most even"
    return inside, [doubt] if timeline.reading else []
