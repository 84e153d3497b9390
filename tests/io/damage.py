"""Texts damaged at random, for tests of readers."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from hybridmip.errors import HybridMIPError


def damaged(data: st.DataObject, text: str) -> str:
    """The text with a few lines dropped, repeated or exchanged, fields replaced and characters changed."""
    lines = text.splitlines(keepends=True)
    for _ in range(data.draw(st.integers(1, 3))):
        where = data.draw(st.integers(0, len(lines) - 1))
        change = data.draw(st.sampled_from(["drop", "repeat", "swap", "field", "byte"]))
        if change == "drop" and len(lines) > 1:
            del lines[where]
        elif change == "repeat":
            lines.insert(where, lines[data.draw(st.integers(0, len(lines) - 1))])
        elif change == "swap":
            other = data.draw(st.integers(0, len(lines) - 1))
            lines[where], lines[other] = lines[other], lines[where]
        elif change == "field":
            fields = lines[where].split(" ")
            spot = data.draw(st.integers(0, len(fields) - 1))
            fields[spot] = data.draw(
                st.sampled_from(["1e400", "-1", "inf", "x", "", "nan", "999999999999", "'MARKER'"])
            )
            lines[where] = " ".join(fields)
        else:
            spot = data.draw(st.integers(0, len(lines[where])))
            lines[where] = lines[where][:spot] + data.draw(st.characters(codec="utf-8")) + lines[where][spot + 1 :]
    return "".join(lines)


def answers(parse: Callable[[str, str], object], text: str) -> bool:
    """Whether a text is read, or refused by an error of ours in one line; any other error is raised."""
    try:
        parse(text, "f")
    except HybridMIPError as error:
        return "\n" not in str(error)
    return True
