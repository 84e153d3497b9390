"""Gaps in prices or returns: counted, mended in one of several ways, and what of these would work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hybridmip.errors import Argument, FileError
from hybridmip.io.csv_table import count_of, list_of
from hybridmip.io.dates import SINCE, UNTIL, as_date
from hybridmip.io.orlib import shorten
from hybridmip.io.panel import Mask, Panel, carried_forward

#: What can be done about gaps.
ERROR, DROP_ASSETS, DROP_DATES, FILL = "error", "drop-assets", "drop-dates", "fill"
MENDING = (DROP_ASSETS, DROP_DATES, FILL)
#: Arguments that messages name.
MISSING, MIN_HISTORY = Argument("missing"), Argument("min_history")


@dataclass(frozen=True)
class Gaps:
    """How many gaps each column has: before its first value, after its last, and in all."""

    start: NDArray[np.intp]
    end: NDArray[np.intp]
    total: NDArray[np.intp]

    @classmethod
    def of(cls, panel: Panel) -> Gaps:
        """The gaps of a panel; a column without a value has all of them at the start."""
        there = np.isfinite(panel.values)
        nothing = ~there.any(axis=0)
        start = np.where(nothing, len(there), there.argmax(axis=0))
        end = np.where(nothing, 0, there[::-1].argmax(axis=0))
        return cls(start, end, (~there).sum(axis=0))

    def place(self, panel: Panel, j: int) -> str:
        """Where the gaps of a column are."""
        start, end, total = int(self.start[j]), int(self.end[j]), int(self.total[j])
        if total == len(panel.values):
            return " (all of it)"
        if total in (start, end) and total > 1:
            return f" (all at the {'start' if start else 'end'})"
        if total == 1:
            line = panel.lines[int(np.flatnonzero(~np.isfinite(panel.values[:, j]))[0])]
            return f" (line {line}, at the {'start' if start else 'end'})" if start or end else f" (line {line})"
        parts = [f"{number} at the {where}" for number, where in ((start, "start"), (end, "end")) if number]
        return f" ({', '.join(parts)})" if parts else ""

    def in_words(self, panel: Panel) -> str:
        """37 gaps in 4 of 10 columns: 'ABC' 12 (all at the start), ..."""
        order = [int(j) for j in np.argsort(-self.total, kind="stable") if self.total[j]]
        listed = list_of(f"{shorten(panel.names[j])} {self.total[j]}{self.place(panel, j)}" for j in order)
        columns = f"{len(order)} of {count_of(len(panel.names), 'column')}"
        return f"{count_of(int(self.total.sum()), 'gap')} in {columns}: {listed}"


def _as_it_is(panel: Panel) -> Panel:
    gaps = Gaps.of(panel)
    if gaps.total.any():
        raise FileError(f"{panel.source} has {gaps.in_words(panel)}; ", *_remedies(panel, MENDING))
    return panel


def _without_assets(panel: Panel) -> Panel:
    gaps = Gaps.of(panel)
    keep = gaps.total == 0
    if not keep.any():
        raise FileError(
            f"{panel.source}: no asset is without a gap ({gaps.in_words(panel)}); ",
            *_remedies(panel, (DROP_DATES, FILL)),
        )
    if keep.all():
        return panel
    out = count_of(int((~keep).sum()), "asset")
    return panel.columns(keep).telling(f"{out} left out for {gaps.in_words(panel)}")


def _without_dates(panel: Panel) -> Panel:
    keep: Mask = np.asarray(np.isfinite(panel.values).all(axis=1))
    if keep.all():
        return panel
    gaps = Gaps.of(panel)
    left = f"{int(keep.sum())} of {count_of(len(keep), 'date')}"
    if keep.sum() < panel.fewest:
        raise FileError(
            f"{panel.source}: only {left} have no gap ({gaps.in_words(panel)}); ",
            *_remedies(panel, (DROP_ASSETS, FILL)),
        )
    out = count_of(int((~keep).sum()), "date")
    return panel.rows(keep).telling(f"{out} left out for {gaps.in_words(panel)}; {left} are left")


def _filled(panel: Panel) -> Panel:
    """Prices carried forward, and returns of 0, from the first value of an asset on."""
    gaps = Gaps.of(panel)
    if not gaps.total.any():
        return panel
    late = _late(panel, gaps)
    if late.size:
        words = list_of(
            f"{shorten(panel.names[j])} {gaps.start[j]}" for j in late[np.argsort(-gaps.start[late], kind="stable")]
        )
        raise FileError(
            f"{panel.source}: {count_of(len(late), 'asset')} cannot be filled before the first {panel.one} (dates "
            f"without: {words}); ",
            *_remedies(panel, MENDING),
        )
    if panel.kind == "prices":
        values = carried_forward(np.vstack([panel.before, panel.values]))[1:]
        what = "with the price before"
    else:
        values = np.where(np.isfinite(panel.values), panel.values, 0.0)
        what = "with a return of 0"
    told = replace(panel, values=values).telling(f"filled {what}: {gaps.in_words(panel)}")
    ended = np.flatnonzero(gaps.end)
    if not ended.size:
        return told
    ended = ended[np.argsort(-gaps.end[ended], kind="stable")]
    words = list_of(f"{shorten(panel.names[j])} (flat for {count_of(int(gaps.end[j]), 'date')})" for j in ended)
    history, until = _by_history(panel, ended), _by_until(panel, gaps)
    rest = [["leave out what was delisted with ", *history]] * bool(history) + [["end with ", *until]] * bool(until)
    remedy = ["; ", *_joined(rest, " or ")] if rest else []
    told = replace(told, ended=frozenset(panel.names[j] for j in ended))
    return told.telling(f"filled to the end, which looks as safe as cash: {words}", *remedy, about=told.ended)


def _late(panel: Panel, gaps: Gaps) -> NDArray[np.intp]:
    """Columns that begin after the first row."""
    return np.flatnonzero((gaps.start > 0) & np.isnan(panel.before))


#: Ways to mend a panel, by name; each raises a FileError where it leaves no portfolio.
MENDED: dict[str, Callable[[Panel], Panel]] = {
    ERROR: _as_it_is, DROP_ASSETS: _without_assets, DROP_DATES: _without_dates, FILL: _filled,
}  # fmt: skip


def _remedies(panel: Panel, ways: tuple[str, ...]) -> list[str]:
    """What of the given ways gives a panel, with what it leaves: parts of a message."""
    there = np.isfinite(panel.values)
    gaps = Gaps.of(panel)
    found: list[list[str]] = []
    if DROP_ASSETS in ways and (left := int(there.all(axis=0).sum())):
        found.append([_way(DROP_ASSETS), f" (leaves {left} of {count_of(len(panel.names), 'asset')})"])
    if DROP_DATES in ways:
        left = int(there.all(axis=1).sum())
        if left >= panel.fewest:
            found.append([_way(DROP_DATES), f" (leaves {left} of {count_of(len(there), 'date')})"])
    late = _late(panel, gaps)
    ended = np.flatnonzero(gaps.end)
    if FILL in ways and not late.size:
        history = _by_history(panel, ended) if ended.size else []
        if history:
            found.append([_way(FILL), " with ", *history])
        found.append([_way(FILL)] + [" (keeps what was delisted, flat to the end)"] * bool(ended.size))
    elif FILL in ways:
        for parts in (_by_since(panel, int(gaps.start[late].max())), _by_history(panel, late)):
            if parts:
                found.append([_way(FILL), " with ", *parts])
    if not found:
        found = [parts for parts in [_longest(panel)] if parts]
    if not found:
        return ["no way to mend them leaves a portfolio; give assets that have dates in common"]
    return ["use ", *_joined(found, " or ")]


def _way(way: str) -> Argument:
    return Argument(f"{MISSING}='{way}'")


def _joined(found: list[list[str]], last: str) -> list[str]:
    """a, b or c, of which each is some parts."""
    parts: list[str] = []
    for place, item in enumerate(found):
        parts += [last if place == len(found) - 1 else ", "] * bool(place) + item
    return parts


def _by_since(panel: Panel, first: int) -> list[str]:
    """The date of a row from which on every asset has begun, if that leaves enough."""
    if panel.moments is None or len(panel.values) - first < panel.fewest:
        return []
    dates = f" (leaves {len(panel.values) - first} of {count_of(len(panel.values), 'date')})"
    return [Argument(f"{SINCE}='{as_date(panel.moments[first])}'"), dates]


def _by_until(panel: Panel, gaps: Gaps) -> list[str]:
    """The date up to which no asset has ended, if that leaves enough."""
    left = len(panel.values) - int(gaps.end.max())
    if panel.moments is None or left < panel.fewest:
        return []
    dates = f" (leaves {left} of {count_of(len(panel.values), 'date')})"
    return [Argument(f"{UNTIL}='{as_date(panel.moments[left - 1])}'"), dates]


def _by_history(panel: Panel, out: NDArray[np.intp]) -> list[str]:
    """The least history that some assets do not have, if others have it."""
    observed = panel.observed
    least = int(observed[out].max()) + 1
    left = int((observed >= least).sum())
    assets = f" (leaves {left} of {count_of(len(panel.names), 'asset')})"
    return [Argument(f"{MIN_HISTORY}={least}"), assets] if left else []


def _longest(panel: Panel) -> list[str]:
    """The assets with the longest history alone, over the dates that they share."""
    observed = panel.observed
    longest = observed == observed.max()
    dates = int(np.isfinite(panel.values[:, longest]).all(axis=1).sum())
    if longest.all() or dates < panel.fewest:
        return []
    assets = f"{int(longest.sum())} of {count_of(len(panel.names), 'asset')}"
    return [
        Argument(f"{MIN_HISTORY}={int(observed.max())}"), " with ", _way(DROP_DATES),
        f" (leaves {assets} and {count_of(dates, 'date')})",
    ]  # fmt: skip
