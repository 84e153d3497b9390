"""What notebooks show in the place of a text: a small table in HTML.

It has no script and no style but its own, and takes its colours from the page it is in, so that it can be read on light
and on dark ground. Every text is escaped: a name cannot become markup.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from html import escape

#: Rows of a table that are shown; of a longer one it is said how many more there are.
ROWS_SHOWN = 12

_BOX = (
    "display:inline-block;max-width:100%;overflow-x:auto;padding:.5em .9em .6em;border:1px solid rgba(128,128,128,.45);"
)
_BOX += "border-radius:6px;font-size:13px;line-height:1.45;color:inherit;background:transparent"
_TABLE = "border-collapse:collapse;margin:.35em 0 0;color:inherit;background:transparent;font-size:inherit"
_CELL = "padding:.1em .9em .1em 0;border:none;background:transparent;vertical-align:top;text-align:"
_HEAD = f"border-bottom:1px solid rgba(128,128,128,.45);font-weight:600;{_CELL.replace('border:none;', '')}"
_SOFT = "margin:.35em 0 0;opacity:.75"


def text(value: object) -> str:
    """Escaped for HTML; what UTF-8 cannot hold is replaced."""
    return escape(str(value).encode("utf-8", "replace").decode())


def card(
    title: str,
    facts: Sequence[tuple[str, object]],
    note: str = "",
    columns: Sequence[str] = (),
    rows: Iterable[Sequence[object]] = (),
    shown: int = ROWS_SHOWN,
) -> str:
    """A box of HTML: a title, named facts, a note, and a table of which the first rows are shown.

    Parameters
    ----------
    title : str
    facts : sequence of (name, value)
    note : str
        A sentence below the facts.
    columns : sequence of str
        Heading of the table; the first column is of names, the others are of numbers.
    rows : iterable of sequences
    shown : int
        How many rows are shown.
    """
    lines = "".join(
        f'<tr style="background:transparent"><th scope="row" style="{_CELL}left;font-weight:600">{text(name)}</th>'
        f'<td style="{_CELL}left">{text(value)}</td></tr>'
        for name, value in facts
    )
    parts = [f'<div style="{_BOX}"><div style="font-weight:600">{text(title)}</div>']
    parts.append(f'<table style="{_TABLE}"><tbody>{lines}</tbody></table>')
    if note:
        parts.append(f'<p style="{_SOFT}">{text(note)}</p>')
    rest = iter(rows)
    first = list(itertools.islice(rest, shown))
    if first:
        parts.append(f'<table style="{_TABLE}"><thead>{_row(columns, "th", _HEAD)}</thead><tbody>')
        parts += [_row(row, "td", _CELL) for row in first]
        parts.append("</tbody></table>")
        more = sum(1 for _ in rest)
        if more:
            parts.append(f'<p style="{_SOFT}">and {more:,} more</p>')
    return "".join([*parts, "</div>"])


def _row(cells: Sequence[object], tag: str, style: str) -> str:
    sides = ("left" if k == 0 else "right" for k in range(len(cells)))
    drawn = "".join(
        f'<{tag} style="{style}{side}">{text(cell)}</{tag}>' for cell, side in zip(cells, sides, strict=True)
    )
    return f'<tr style="background:transparent">{drawn}</tr>'
