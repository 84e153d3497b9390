"""What a run over accounts leaves: two tables of any length, and a page of one screen."""

from __future__ import annotations

import csv
import heapq
import math
import os
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any, Protocol

from hybridmip.errors import FileError

#: Bars of a histogram, and accounts that the page lists.
BARS = 24
LISTED = 30
_STYLE = """
:root { color-scheme: light dark; --ink: #1b2733; --soft: #5d6b78; --line: #d7dde3; --bar: #2f6fa7; --back: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6ebf0; --soft: #9fadba; --line: #33414e; --bar: #6ba7dd; --back: #12181e; }
}
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--back); margin: 2rem auto;
  max-width: 62rem; padding: 0 1rem; }
h1 { font-size: 1.35rem; margin: 0 0 .2rem; } h2 { font-size: 1.02rem; margin: 1.8rem 0 .4rem; }
p { margin: .2rem 0; color: var(--soft); }
.cards { display: flex; flex-wrap: wrap; gap: .8rem; margin: 1rem 0; }
.card { border: 1px solid var(--line); border-radius: 8px; padding: .5rem .9rem; }
.card b { display: block; font-size: 1.25rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); gap: 1.2rem; }
svg { width: 100%; height: auto; } svg rect { fill: var(--bar); } svg text { fill: var(--soft); font-size: 11px; }
svg line { stroke: var(--line); }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid var(--line); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
"""


class Accounts(Protocol):
    """What is shown here."""

    counts: dict[str, int]
    seconds: float

    def records(self) -> Iterable[dict[str, Any]]: ...

    def summary_rows(self) -> Iterable[list[Any]]: ...

    def trade_rows(self) -> Iterable[list[Any]]: ...


def save_accounts(
    found: Accounts, folder: Path, title: str, page: bool, columns: Sequence[str], words: dict[str, str]
) -> list[Path]:
    """Write accounts.csv (with these columns), trades.csv and, where asked, report.html; returns what was written.

    Raises
    ------
    FileError
        If the folder cannot be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        written = [
            _table(folder / "accounts.csv", columns, found.summary_rows()),
            _table(folder / "trades.csv", ("account", "asset", "trade", "weight"), found.trade_rows()),
        ]
        if page:
            target = folder / "report.html"
            target.write_text(accounts_page(found, title, words), encoding="utf-8")
            written.append(target)
    except OSError as error:
        raise FileError(f"cannot write into {folder} ({error.strerror or error}); give another place") from None
    return written


def _table(path: Path, columns: Sequence[str], rows: Iterable[list[Any]]) -> Path:
    """A CSV file, row by row: all of it or nothing."""
    part = path.with_name(f".{path.name}.part")
    with part.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([repr(cell) if isinstance(cell, float) else cell for cell in row] for row in rows)
    os.replace(part, path)
    return path


class _Histogram:
    """Counts of numbers over bars of one width, which is doubled as larger ones come: nothing else is kept."""

    def __init__(self) -> None:
        self.bars, self.width, self.number, self.total, self.most = [0] * BARS, 1e-9, 0, 0.0, 0.0

    def add(self, value: float) -> None:
        """Count a number, not negative."""
        value = max(value, 0.0)
        while value >= BARS * self.width:
            self.bars = [sum(self.bars[2 * k : 2 * k + 2]) for k in range(BARS // 2)] + [0] * (BARS // 2)
            self.width *= 2
        self.bars[int(value / self.width)] += 1
        self.number += 1
        self.total += value
        self.most = max(self.most, value)

    def picture(self, label: str) -> str:
        """As SVG, from zero to the largest."""
        if not self.number:
            return f"<p>{escape(label)}: none</p>"
        used = min(BARS, int(self.most / self.width) + 1)
        highest, step = max(self.bars), 300 / used
        bars = "".join(
            f'<rect x="{k * step + 1:.1f}" y="{100 - 86 * count / highest:.1f}" width="{max(step - 2, 1):.1f}" '
            f'height="{86 * count / highest:.1f}"><title>{_percent(k * self.width)} to '
            f"{_percent((k + 1) * self.width)}: {count}</title></rect>"
            for k, count in enumerate(self.bars[:used])
        )
        words = f"{label}: mean {_percent(self.total / self.number)}, largest {_percent(self.most)}"
        return (
            f'<figure style="margin:0"><svg viewBox="0 0 300 118" role="img" aria-label="{escape(words)}">{bars}'
            f'<line x1="0" y1="14" x2="300" y2="14"/><text x="300" y="11" text-anchor="end">{highest:,} accounts</text>'
            f'<text x="0" y="114">0</text><text x="300" y="114" text-anchor="end">'
            f"{_percent(used * self.width)}</text></svg><figcaption>{escape(words)}</figcaption></figure>"
        )


def _percent(value: float) -> str:
    return f"{100 * value:.3g} %"


def accounts_page(found: Accounts, title: str, words: dict[str, str]) -> str:
    """The page: how many are done, how gaps, turnover and costs are spread, what is widest open, what is wrong."""
    gaps, turnover, costs = _Histogram(), _Histogram(), _Histogram()
    widest: list[tuple[float, int, dict[str, Any]]] = []
    wrong: list[dict[str, Any]] = []
    number = 0
    for number, record in enumerate(found.records(), start=1):
        if record.get("reason") and len(wrong) < LISTED:
            wrong.append(record)
        if "turnover" not in record:
            continue
        turnover.add(record["turnover"])
        costs.add(record["cost"])
        gap = record["gap"]
        if gap is not None:
            gaps.add(gap)
        heapq.heappush(widest, (math.inf if gap is None else gap, -number, record))
        if len(widest) > LISTED:
            heapq.heappop(widest)
    cards = [(f"{number:,}", "accounts"), (f"{found.seconds:,.1f} s", "this run")]
    cards += [(f"{count:,}", words[key]) for key, count in found.counts.items() if count]
    shown = "".join(f'<div class="card"><b>{value}</b>{escape(what)}</div>' for value, what in cards)
    charts = "".join(
        one.picture(label)
        for one, label in ((gaps, "Gap proven"), (turnover, "Turnover"), (costs, "Cost"))
    )  # fmt: skip
    open_rows = [
        [record["account"], _percent(gap) if math.isfinite(gap) else "unknown", _percent(record["turnover"]),
         _percent(record["cost"]), str(len(record["changes"]))]
        for gap, _, record in sorted(widest, key=lambda one: (-one[0], -one[1])) if gap > 0
    ]  # fmt: skip
    wrong_rows = [[record["account"], record["status"], record["reason"]] for record in wrong]
    parts = [
        _listed("Widest gaps", ["account", "gap", "turnover", "cost", "trades"], open_rows, 1),
        _listed("Accounts without an answer", ["account", "status", "reason"], wrong_rows, 3),
    ]
    heading = escape(title or "Accounts")
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{heading}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head><body><h1>{heading}</h1>"
        "<p>Every account with what is proven of its answer: no portfolio is better by more than the gap. "
        "All of it is in accounts.csv and trades.csv.</p>"
        f'<div class="cards">{shown}</div><div class="charts">{charts}</div>{"".join(parts)}</body></html>\n'
    )


def _listed(title: str, columns: list[str], rows: list[list[str]], numbers_from: int) -> str:
    if not rows:
        return ""
    kind = ["" if k < numbers_from else ' class="number"' for k in range(len(columns))]
    head = "".join(f"<th{style}>{escape(name)}</th>" for name, style in zip(columns, kind, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{s}>{escape(str(cell))}</td>" for cell, s in zip(row, kind, strict=True)) + "</tr>"
        for row in rows
    )
    return f'<h2>{escape(title)}</h2><div class="wide"><table><tr>{head}</tr>{body}</table></div>'
