"""Numbers and names in words."""

from __future__ import annotations

import math

from hybridmip.study.tables import LABELS

NOTHING = "–"


def number(value: float | None, digits: int = 4) -> str:
    """With so many decimals; a dash for nothing, and no minus before a zero."""
    if value is None or not math.isfinite(value):
        return NOTHING
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def listed(parts: object) -> str:
    """The parts as a list in words."""
    words = [str(part) for part in parts]  # type: ignore[attr-defined]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def counted(value: int, word: str) -> str:
    """A number and its word, in the plural where needed."""
    plural = word + ("es" if word.endswith("s") else "s")
    return f"{value} {word if value == 1 else plural}"


def seeds_named(seeds: tuple[int, ...]) -> str:
    """The seeds in words."""
    return f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {listed(seeds)}"


def paper_name(column: str) -> str:
    """What the paper calls a method."""
    return "*Ours*" if column == "paper" else LABELS[column]
