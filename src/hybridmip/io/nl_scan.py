"""The words of an .nl file, text ("g") or binary ("b"): segments, numbers, bounds, nodes of expressions.

D. M. Gay, Writing .nl Files (Sandia, 2005) has the format. Both forms begin with ten lines of text; what follows them
is one item a line, or the same items as 32-bit integers, doubles and single letters.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hybridmip.errors import FileError
from hybridmip.io.orlib import shorten
from hybridmip.model.quadratic import Vector

#: Sizes beyond this are a damaged file.
MOST = 5_000_000
WHOLE = re.compile(r"[+-]?\d{1,10}", re.ASCII)
HEADER_LINES = 10
#: How many numbers follow the kind of a bound or of a row's limits; 5 is a complementarity, with two integers.
BOUND_NUMBERS = {0: 2, 1: 1, 2: 1, 3: 0, 4: 1, 5: 2}

Indices: TypeAlias = NDArray[np.intp]


class Scanner(Protocol):
    """What both forms offer to the reader of segments."""

    def fail(self, what: str) -> FileError:
        """An error about the place that was last read."""

    def segment(self) -> str:
        """The letter of the next segment; empty at the end of the file."""

    def integers(self, count: int) -> list[int]:
        """The numbers behind the letter of a segment."""

    def name(self) -> str:
        """The name that ends the line of a segment."""

    def entries(self, count: int, size: int, what: str, whole: bool = False) -> tuple[Indices, Vector]:
        """Pairs of an index below `size` and a finite number (stored as an integer where it is `whole`)."""

    def integer(self, what: str) -> int:
        """A number that stands alone."""

    def bound(self, what: str) -> tuple[int, list[float]]:
        """The kind of a bound and its numbers."""

    def node(self) -> tuple[str, float]:
        """A node of an expression: its letter (o, n, v, f) and its number."""


@dataclass(frozen=True)
class Header:
    """What the ten lines say.

    Attributes
    ----------
    binary : bool
    options : tuple of int
        AMPL's option words, which a .sol file repeats.
    tolerance : float or None
        Its number `vbtol`, which follows them where the second one is 3.
    variables, rows, objectives : int
    nonlinear : tuple of three int
        Variables that are nonlinear in rows, in objectives, in both.
    discrete : tuple of five int
        Linear binaries, linear integers; integers nonlinear in both, in rows, in objectives.
    row_entries, objective_entries : int
    big_endian : bool
    """

    binary: bool
    options: tuple[int, ...]
    tolerance: float | None
    variables: int
    rows: int
    objectives: int
    nonlinear: tuple[int, int, int]
    discrete: tuple[int, int, int, int, int]
    row_entries: int
    objective_entries: int
    big_endian: bool

    def integer(self) -> NDArray[np.bool_]:
        """Which variables are integers, by their places: the last of every group, and the last of all."""
        in_rows, in_objectives, in_both = self.nonlinear
        binaries, integers, of_both, of_rows, of_objectives = self.discrete
        result = np.zeros(self.variables, dtype=bool)
        for end, count in (
            (in_both, of_both),
            (in_rows, of_rows),
            (max(in_rows, in_objectives), of_objectives),
            (self.variables, binaries + integers),
        ):
            result[end - count : end] = True
        return result


def is_nl(text: str) -> bool:
    """Whether the first line is that of an .nl file and the second has the sizes."""
    lines = text[:2000].splitlines()
    return (
        len(lines) > 2
        and re.fullmatch(r"[gb]\d( -?\d+)+.*", lines[0], re.ASCII) is not None
        and re.fullmatch(r"( \d+){3,}\s*(#.*)?", lines[1], re.ASCII) is not None
    )


def read_header(content: bytes, source: str) -> tuple[Header, Scanner]:
    """The header of a file and what reads the rest.

    Raises
    ------
    FileError
        If a line is missing or is not what it should be.
    """
    lines = content.split(b"\n", HEADER_LINES)
    texts = [line.decode("utf-8", errors="replace").partition("#")[0].split() for line in lines[:HEADER_LINES]]

    def fail(line: int, what: str) -> FileError:
        return FileError(f"{source}, line {line}: {what}")

    first = texts[0]
    if not first or not re.fullmatch(r"[gb]\d", first[0]):
        raise fail(1, "an .nl file begins with g or b and a number, such as g3 1 1 0; this one does not")
    if len(lines) <= HEADER_LINES:
        raise fail(len(lines), f"the file ends within its {HEADER_LINES} lines of header; it is truncated")
    count = int(first[0][1:])
    if len(first) <= count or not all(WHOLE.fullmatch(word) for word in first[1 : count + 1]):
        raise fail(1, f"{shorten(' '.join(first))} should have {count} whole numbers behind its first word")
    options = tuple(int(word) for word in first[1 : count + 1])
    tolerance = None
    if count > 1 and options[1] == 3:
        tolerance = _number(first[count + 1]) if len(first) > count + 1 else None
        if tolerance is None:
            raise fail(1, "a tolerance should follow the option words whose second one is 3")
    # How many numbers each line has at least; those left out at its end are zero.
    wanted = {2: (3, 6), 3: (0, 6), 4: (0, 2), 5: (0, 3), 6: (0, 4), 7: (0, 5), 8: (2, 2), 9: (0, 2), 10: (0, 5)}
    rows: dict[int, list[int]] = {}
    for line, (least, most) in wanted.items():
        words = texts[line - 1]
        if len(words) < least:
            raise fail(line, f"expected {least} numbers or more, found {len(words)}")
        for word in words:
            if not WHOLE.fullmatch(word) or not 0 <= int(word) <= MOST:
                raise fail(line, f"{shorten(word)} is not a whole number from 0 to {MOST}")
        rows[line] = [int(word) for word in words[:most]] + [0] * (most - len(words))
    variables = rows[2][0]
    if rows[2][5]:
        raise fail(2, f"the model has {rows[2][5]} logical constraints; only linear rows can be solved")
    if variables + rows[2][1] > len(lines[HEADER_LINES]):
        raise fail(
            2, f"{variables} variables and {rows[2][1]} rows do not fit into this file; it is truncated or garbled"
        )
    nonlinear = (rows[5][0], rows[5][1], rows[5][2])
    discrete = (rows[7][0], rows[7][1], rows[7][2], rows[7][3], rows[7][4])
    in_rows, in_objectives, in_both = nonlinear
    if max(nonlinear) > variables or in_both > in_rows:
        raise fail(5, f"more nonlinear variables than there are variables ({variables})")
    room = (variables, variables, in_both, in_rows - in_both, max(in_rows, in_objectives) - in_rows)
    if any(count > most for count, most in zip(discrete, room, strict=True)) or discrete[0] + discrete[1] > variables:
        raise fail(7, "more discrete variables than the lines above leave room for")
    arithmetic = rows[6][2]
    binary = first[0][0] == "b"
    if binary and arithmetic not in (0, 1, 2):
        raise fail(6, f"the numbers are of kind {arithmetic}; 1 (least byte first) and 2 (largest first) can be read")
    header = Header(
        binary=binary,
        options=options,
        tolerance=tolerance,
        variables=variables,
        rows=rows[2][1],
        objectives=rows[2][2],
        nonlinear=nonlinear,
        discrete=discrete,
        row_entries=rows[8][0],
        objective_entries=rows[8][1],
        big_endian=arithmetic == 2,
    )
    if binary:
        return header, BinaryScanner(content, len(content) - len(lines[HEADER_LINES]), source, header.big_endian)
    return header, TextScanner(lines[HEADER_LINES].decode("utf-8", errors="replace"), source)


def _number(token: str) -> float | None:
    """A finite number, or None."""
    try:
        value = float(token)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in token and token.isascii() else None


class TextScanner:
    """The text behind the header, line by line."""

    def __init__(self, text: str, source: str) -> None:
        self._lines = text.split("\n")
        # What follows the last end of a line: a number that stops there may have lost digits.
        self._cut = bool(self._lines.pop().strip())
        self._at = 0
        self._rest: list[str] = []
        self._source = source

    def fail(self, what: str) -> FileError:
        return FileError(f"{self._source}, line {HEADER_LINES + self._at}: {what}")

    def _truncated(self, what: str) -> FileError:
        if self._cut:
            self._at = len(self._lines) + 1
            return self.fail(f"the line does not end where {what} should be; the file is truncated")
        self._at = len(self._lines)
        return self.fail(f"the file ends where {what} should follow; it is truncated")

    def _line(self, what: str) -> str:
        if self._at >= len(self._lines):
            raise self._truncated(what)
        line = self._lines[self._at]
        self._at += 1
        return line.partition("#")[0].strip() if "#" in line else line.strip()

    def segment(self) -> str:
        while self._at < len(self._lines):
            line = self._line("a segment")
            if line:
                self._rest = line[1:].split()
                return line[0]
        if self._cut:
            raise self._truncated("the end of the file")
        return ""

    def integers(self, count: int) -> list[int]:
        words, self._rest = self._rest[:count], self._rest[count:]
        if len(words) < count:
            raise self.fail(f"expected {count} whole numbers behind the letter, found {len(words)}")
        return [self._whole(word) for word in words]

    def _whole(self, word: str) -> int:
        if not WHOLE.fullmatch(word):
            raise self.fail(f"{shorten(word)} is not a whole number")
        return int(word)

    def _value(self, word: str, what: str) -> float:
        value = _number(word)
        if value is None:
            raise self.fail(f"{shorten(word)} ({what}) is not a finite number")
        return value

    def name(self) -> str:
        return " ".join(self._rest)

    def entries(self, count: int, size: int, what: str, whole: bool = False) -> tuple[Indices, Vector]:
        start = self._at
        block = [line.partition("#")[0].split() for line in self._lines[start : start + count]]
        if len(block) == count and all(len(words) == 2 for words in block):
            try:
                places = np.array([int(words[0]) for words in block], dtype=np.intp)
                values = np.array([float(words[1]) for words in block])
            except (ValueError, OverflowError):
                pass
            else:
                sound = np.isfinite(values).all() and ((places >= 0) & (places < size)).all()
                if sound and not any("_" in words[0] or "_" in words[1] for words in block):
                    self._at += count
                    return places, values
        # Something is wrong: line by line, to say where.
        for _ in range(count):
            words = self._line(what).split()
            if len(words) != 2:
                raise self.fail(f"expected an index and a number ({what}), found {shorten(' '.join(words))}")
            place = self._whole(words[0])
            if not 0 <= place < size:
                raise self.fail(f"the index {place} ({what}) is not from 0 to {size - 1}")
            self._value(words[1], what)
        raise self.fail(f"{what} cannot be read")

    def integer(self, what: str) -> int:
        words = self._line(what).split()
        if len(words) != 1:
            raise self.fail(f"expected {what} alone, found {shorten(' '.join(words))}")
        return self._whole(words[0])

    def bound(self, what: str) -> tuple[int, list[float]]:
        words = self._line(what).split()
        kind = int(words[0]) if words and words[0] in ("0", "1", "2", "3", "4", "5") else -1
        if kind < 0:
            raise self.fail(f"{what} should begin with a kind from 0 to 5, found {shorten(' '.join(words))}")
        if len(words) != 1 + BOUND_NUMBERS[kind]:
            raise self.fail(f"{what} of kind {kind} should have {BOUND_NUMBERS[kind]} numbers, found {len(words) - 1}")
        return kind, [self._limit(word, what) for word in words[1:]]

    def _limit(self, word: str, what: str) -> float:
        if word.lstrip("+-").lower() in ("inf", "infinity"):
            return -math.inf if word.startswith("-") else math.inf
        return self._value(word, what)

    def node(self) -> tuple[str, float]:
        line = self._line("an expression")
        letter, word = line[:1], line[1:]
        if letter in ("o", "v") and word.isascii() and word.isdigit() and len(word) <= 10:
            return letter, int(word)
        word = word.strip()
        if letter == "n":
            return letter, self._value(word, "a constant")
        if letter in ("s", "l"):
            return "n", float(self._whole(word))
        if letter in ("o", "v"):
            return letter, self._whole(word)
        if letter == "f":
            return letter, self._whole(word.split()[0]) if word else -1
        raise self.fail(f"{shorten(line)} should be a node of an expression (o, n, v)")


class BinaryScanner:
    """The bytes behind the header."""

    def __init__(self, content: bytes, start: int, source: str, big_endian: bool) -> None:
        self._content, self._at, self._source = content, start, source
        order = ">" if big_endian else "<"
        self._integer = struct.Struct(f"{order}i")
        self._short = struct.Struct(f"{order}h")
        self._double = struct.Struct(f"{order}d")
        self._pairs = {
            whole: np.dtype([("place", f"{order}i4"), ("value", f"{order}i4" if whole else f"{order}f8")])
            for whole in (False, True)
        }

    def fail(self, what: str) -> FileError:
        return FileError(f"{self._source}, byte {self._at}: {what}")

    def _take(self, size: int, what: str) -> int:
        """Where the next bytes are."""
        start = self._at
        if start + size > len(self._content):
            raise self.fail(f"the file ends where {what} should follow; it is truncated")
        self._at += size
        return start

    def _letter(self, what: str) -> str:
        return chr(self._content[self._take(1, what)])

    def _int(self, what: str) -> int:
        value: int = self._integer.unpack_from(self._content, self._take(4, what))[0]
        return value

    def _real(self, what: str, finite: bool = True) -> float:
        value: float = self._double.unpack_from(self._content, self._take(8, what))[0]
        if math.isnan(value) or (finite and math.isinf(value)):
            raise self.fail(f"{value} ({what}) is not a finite number")
        return value

    def segment(self) -> str:
        return self._letter("a segment") if self._at < len(self._content) else ""

    def integers(self, count: int) -> list[int]:
        return [self._int("a number of a segment") for _ in range(count)]

    def name(self) -> str:
        size = self._int("the length of a name")
        if not 0 <= size <= len(self._content):
            raise self.fail(f"a name has a length of {size}")
        start = self._take(size, "a name")
        return self._content[start : start + size].decode("utf-8", errors="replace")

    def entries(self, count: int, size: int, what: str, whole: bool = False) -> tuple[Indices, Vector]:
        kind = self._pairs[whole]
        pairs = np.frombuffer(self._content, dtype=kind, count=count, offset=self._take(count * kind.itemsize, what))
        places, values = pairs["place"].astype(np.intp), pairs["value"].astype(np.float64)
        for k in np.flatnonzero((places < 0) | (places >= size)):
            raise self.fail(f"the index {places[k]} ({what}) is not from 0 to {size - 1}")
        if not np.isfinite(values).all():
            raise self.fail(f"{what} has a number that is not finite")
        return places, values

    def integer(self, what: str) -> int:
        return self._int(what)

    def bound(self, what: str) -> tuple[int, list[float]]:
        letter = self._letter(what)
        if letter not in "012345":
            raise self.fail(f"{what} should begin with a kind from 0 to 5, found {letter!r}")
        kind = int(letter)
        if kind == 5:
            return kind, [float(self._int(what)) for _ in range(2)]
        return kind, [self._real(what, finite=False) for _ in range(BOUND_NUMBERS[kind])]

    def node(self) -> tuple[str, float]:
        letter = self._letter("an expression")
        if letter == "n":
            return letter, self._real("a constant")
        if letter == "s":
            return "n", float(self._short.unpack_from(self._content, self._take(2, "a constant"))[0])
        if letter == "l":
            return "n", float(self._int("a constant"))
        if letter in ("o", "v", "f"):
            return letter, self._int("an expression")
        raise self.fail(f"{letter!r} should be a node of an expression (o, n, v)")


def limits(kind: int, numbers: Sequence[float]) -> tuple[float, float]:
    """Lower and upper limit of a kind of bound."""
    if kind == 0:
        return numbers[0], numbers[1]
    if kind == 1:
        return -math.inf, numbers[0]
    if kind == 2:
        return numbers[0], math.inf
    if kind == 4:
        return numbers[0], numbers[0]
    return -math.inf, math.inf
