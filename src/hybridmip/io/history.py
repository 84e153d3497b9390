"""Which part of a table of prices or returns is used: a window of dates, and assets with enough of a history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hybridmip.errors import ArgumentError, FileError, Message
from hybridmip.io.csv_table import Table, count_of, list_of
from hybridmip.io.dates import SINCE, UNTIL, span_of, timeline, window
from hybridmip.io.gaps import ERROR, MENDED, MIN_HISTORY, MISSING
from hybridmip.io.orlib import shorten
from hybridmip.io.panel import Mask, Panel, carried_forward
from hybridmip.model.quadratic import Matrix, Vector


@dataclass(frozen=True)
class Cut:
    """Which part of a table is used, and what is done about its gaps; see `read_portfolio_data`."""

    missing: str = ERROR
    since: Any = None
    until: Any = None
    min_history: int | None = None
    exclude: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.missing not in MENDED:
            raise ArgumentError(MISSING, f" is {self.missing!r}; choose from {', '.join(MENDED)}")
        for argument, value in ((SINCE, self.since), (UNTIL, self.until)):
            if value is not None:
                span_of(argument, value)
        least = self.min_history
        if least is not None and (isinstance(least, bool) or not isinstance(least, int | np.integer) or least < 1):
            raise ArgumentError(MIN_HISTORY, f" is {least!r}; it must be a whole number of at least 1")


def panel_of(table: Table, kind: str, cut: Cut) -> Panel:
    """The part of a table that is used, without gaps.

    Raises
    ------
    ArgumentError
        If a window or a length of history leaves nothing.
    FileError
        If there are gaps that are not to be, or cannot be, mended; the message says what can be done.
    """
    times = timeline(table)
    inside, doubts = window(cut.since, cut.until, table, times)
    values = table.values[times.rows]
    whole = Panel(
        table.source, kind, table.columns,
        tuple(table.labels[i] for i in times.rows), tuple(table.lines[i] for i in times.rows),
        times.moments if not times.undecided else None, values, _last_values(values[: int(inside.argmax())]),
        warnings=tuple(Message(doubt) for doubt in doubts),
    )  # fmt: skip
    kept: Mask = np.array([name not in cut.exclude for name in whole.names], dtype=np.bool_)
    panel = _without_empty_rows(whole.columns(kept).rows(inside))
    if len(panel.values) < panel.fewest:
        given = [argument for argument, value in ((SINCE, cut.since), (UNTIL, cut.until)) if value is not None]
        remedy = ("; widen ", given[0]) if given else ()
        rows = f"{count_of(len(panel.values), 'row')} of {kind}"
        raise FileError(
            f"{table.source} has {rows}{' in the window' if given else ''}; a covariance needs at least {panel.fewest}",
            *remedy,
        )
    if cut.min_history is not None:
        panel = _without_empty_rows(_with_history(panel, int(cut.min_history)))
    return MENDED[cut.missing](panel)


def _last_values(values: Matrix) -> Vector:
    """The last value of each column that is there; NaN where none is."""
    last: Vector = carried_forward(np.vstack([np.full(values.shape[1], np.nan), values]))[-1]
    return last


def _without_empty_rows(panel: Panel) -> Panel:
    """Dates without any value (weekends, holidays) tell nothing."""
    empty: Mask = np.asarray(np.isnan(panel.values).all(axis=1))
    if not empty.any():
        return panel
    shown = list_of((panel.labels[i] for i in np.flatnonzero(empty)), 2)
    dates = count_of(int(empty.sum()), "date")
    return panel.rows(~empty).telling(f"{dates} without any {panel.one} left out ({shown})")


def _with_history(panel: Panel, least: int) -> Panel:
    """The assets with enough values."""
    if least > len(panel.values):
        dates = count_of(len(panel.values), "date")
        raise ArgumentError(MIN_HISTORY, f" is {least} but {panel.source} has {dates}; lower it")
    observed = panel.observed
    keep = observed >= least
    if not keep.any():
        most = int(observed.max())
        raise ArgumentError(
            MIN_HISTORY, f" is {least} but no asset of {panel.source} has more than {most} {panel.kind}; lower it"
        )
    if keep.all():
        return panel
    out = np.flatnonzero(~keep)
    listed = list_of(f"{shorten(panel.names[j])} {observed[j]}" for j in out[np.argsort(observed[out], kind="stable")])
    many = f"{count_of(len(out), 'asset')} with fewer than {least} {panel.kind} left out: {listed}"
    return panel.columns(keep).telling(many)
