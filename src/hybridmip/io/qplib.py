"""QPLIB's own format.

Each unordered pair of variables is listed once, with v for a term (v / 2) x_i x_j, squares and products alike: what
the collection's published values rest on. Read as the lower triangle of a symmetric matrix, every product would count
twice.
"""

from __future__ import annotations

import contextlib
import math
import re

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.errors import FileError
from hybridmip.io.model import INFINITE, Model
from hybridmip.io.orlib import shorten
from hybridmip.model.quadratic import Vector

#: Objective (linear, diagonal, convex, any), variables (continuous, binary, mixed, integer, general), constraints.
TYPE = re.compile(r"[LDCQ][CBMIG][NBLDCQ]")
COMMENT = re.compile(r"[#!%].*")
#: Sizes beyond this are a damaged file.
MOST = 5_000_000


def is_qplib(text: str) -> bool:
    """Whether the second and third lines are a problem type and a sense."""
    lines = [line for line in (COMMENT.sub("", line).strip() for line in text[:2000].splitlines()) if line]
    return len(lines) > 2 and bool(TYPE.fullmatch(lines[1].upper())) and lines[2].lower()[:5] in ("minim", "maxim")


def parse_qplib(text: str, source: str) -> Model:
    """The model of a QPLIB text; `source` is what messages call it.

    Raises
    ------
    FileError
        If the text is truncated or garbled, or has quadratic constraints; the message gives the line.
    """
    reader = _Reader(text, source)
    reader.word("the problem's name")
    kind = reader.word("the problem's type").upper()
    if not TYPE.fullmatch(kind):
        raise reader.fail(
            f"the type is {shorten(kind)}; it must be three letters: objective (LDCQ), variables (CBMIG), "
            "constraints (NBLDCQ)"
        )
    objective, variables, constraints = kind[0], kind[1], kind[2]
    sense = reader.word("the sense").lower()
    if sense not in ("minimize", "maximize", "minimise", "maximise"):
        raise reader.fail(f"the sense is {shorten(sense)}; it must be minimize or maximize")
    n = reader.count("variables", least=1)
    has_rows, has_bounds = constraints not in "NB", constraints != "N" and variables != "B"
    m = reader.count("constraints") if has_rows else 0
    quadratic = None
    if objective != "L":
        (first, second), values = reader.entries("quadratic terms in the objective", (n, n))
        quadratic = _half(first, second, values, n, reader)
    cost = reader.defaults("linear coefficients of the objective", n)
    offset = reader.number("the objective's constant")
    if abs(offset) >= INFINITE:
        raise reader.fail(f"the objective's constant is {offset:g}; it must be finite")
    if constraints in "DCQ":
        (rows, _, _), _ = reader.entries("quadratic terms in the constraints", (m, n, n))
        if rows.size:
            raise FileError(
                f"{source}: constraint {int(rows[0]) + 1} is quadratic; only the objective of a problem may be"
            )
    matrix = sparse.csr_array((m, n))
    row_lower, row_upper = np.empty(0), np.empty(0)
    if has_rows:
        (rows, columns), values = reader.entries("linear terms in the constraints", (m, n))
        matrix = sparse.csr_array((values, (rows, columns)), shape=(m, n))
        if matrix.nnz < values.size:
            raise FileError(f"{source}: a constraint lists a variable twice; list each once")
    infinity = reader.infinite()
    if has_rows:
        row_lower = reader.limits("left-hand sides", m, infinity)
        row_upper = reader.limits("right-hand sides", m, infinity)
    if variables == "B":
        lower, upper = np.zeros(n), np.ones(n)
    elif has_bounds:
        lower = reader.limits("lower bounds", n, infinity)
        upper = reader.limits("upper bounds", n, infinity)
    else:
        lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
    integer = np.full(n, variables in "BI")
    if variables in "MG":
        codes = reader.defaults("variable types", n)
        for k in np.flatnonzero(~np.isin(codes, (0.0, 1.0, 2.0))):
            raise FileError(
                f"{source}: variable {k + 1} is of type {codes[k]:g}; types are 0 (continuous), 1 (integer), 2 (binary)"
            )
        integer = codes > 0
        lower, upper = (
            np.where(codes == 2, np.maximum(lower, 0), lower),
            np.where(codes == 2, np.minimum(upper, 1), upper),
        )
    reader.defaults("starting values", n)
    if has_rows:
        reader.defaults("starting multipliers of the constraints", m)
    reader.defaults("starting multipliers of the bounds", n)
    names = reader.names("variable", n, "x")
    row_names = reader.names("constraint", m, "c") if has_rows else []
    reader.end()
    for what, low, high in (("constraint", row_lower, row_upper), ("variable", lower, upper)):
        for k in np.flatnonzero((low > high) | (low == np.inf) | (high == -np.inf)):
            raise FileError(
                f"{source}: {what} {k + 1} has no value between its limits {low[k]:.12g} and {high[k]:.12g}; "
                "the lower one must not exceed the upper one"
            )
    return Model(
        source=source,
        names=names,
        cost=cost,
        lower=lower,
        upper=upper,
        integer=integer,
        semicontinuous=np.zeros(n, dtype=bool),
        matrix=matrix,
        row_lower=row_lower,
        row_upper=row_upper,
        row_names=row_names,
        quadratic=quadratic,
        offset=offset,
        maximise=sense.startswith("max"),
    )


def _half(
    first: NDArray[np.intp], second: NDArray[np.intp], values: Vector, n: int, reader: _Reader
) -> sparse.csr_array:
    """Q of v'Qv from pairs listed once, (v / 2) x_i x_j each."""
    order = np.argsort(np.maximum(first, second) * n + np.minimum(first, second), kind="stable")
    key = (np.maximum(first, second) * n + np.minimum(first, second))[order]
    again = order[1:][np.diff(key) == 0]
    if again.size:
        k = int(again.min())
        raise FileError(
            f"{reader.source}: the pair ({first[k] + 1}, {second[k] + 1}) of the objective is listed twice; "
            "list each pair once"
        )
    matrix = sparse.csr_array((values / 4.0, (first, second)), shape=(n, n))
    return sparse.csr_array(matrix + matrix.T)


class _Reader:
    """The lines of a file that hold something, taken one after the other."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        stripped = text.splitlines()
        if any(sign in text for sign in "#!%"):
            stripped = [COMMENT.sub("", line) if any(s in line for s in "#!%") else line for line in stripped]
        self.lines: list[str] = []
        self.numbers: list[int] = []
        for number, line in enumerate(stripped, start=1):
            if line and not line.isspace():
                self.lines.append(line)
                self.numbers.append(number)
        self.total = len(stripped)
        self.at = 0
        self.infinity = "inf"

    def fail(self, what: str, at: int | None = None) -> FileError:
        """An error about the line last taken, or another."""
        at = self.at - 1 if at is None else at
        return FileError(f"{self.source}, line {self.numbers[at]}: {what}")

    def truncated(self, what: str) -> FileError:
        return FileError(f"{self.source}, line {self.total}: the file ends where {what} should follow; it is truncated")

    def word(self, what: str) -> str:
        if self.at >= len(self.lines):
            raise self.truncated(what)
        self.at += 1
        words = self.lines[self.at - 1].split()
        if len(words) > 1 and what != "the problem's name":
            raise self.fail(f"expected {what} alone, found {shorten(self.lines[self.at - 1].strip())}")
        return words[0]

    def number(self, what: str) -> float:
        token = self.word(what)
        value = _value(token, self.infinity)
        if value is None:
            raise self.fail(f"{what} is {shorten(token)}, which is not a finite number")
        return value

    def infinite(self) -> float:
        """The number that stands for infinity; the usual one is just too large for a double."""
        token = self.word("the value for infinity")
        value = _value(token, token.lower())
        if value is None or value <= 0:
            raise self.fail(f"the value for infinity is {shorten(token)}; it must be a positive number")
        self.infinity = token.lower()
        return value

    def count(self, what: str, least: int = 0) -> int:
        token = self.word(f"the number of {what}")
        if not token.isascii() or not token.isdigit() or not least <= int(token[:12]) <= MOST or len(token) > 12:
            raise self.fail(f"the number of {what} is {shorten(token)}; it must be a whole number, {least} or more")
        return int(token)

    def entries(self, what: str, sizes: tuple[int, ...], finite: bool = True) -> tuple[list[NDArray[np.intp]], Vector]:
        """Lines of one index for each size (from 1 in the file, from 0 here) and a number, after their count."""
        count, width = self.count(what), len(sizes) + 1
        if self.at + count > len(self.lines):
            raise self.truncated(f"line {len(self.lines) - self.at + 1} of {count} {what}")
        start = self.at
        fields = [line.split() for line in self.lines[start : start + count]]
        table = None
        if count and set(map(len, fields)) == {width}:
            with contextlib.suppress(ValueError):
                table = np.array([float(token) for line in fields for token in line]).reshape(count, width)
        if count and (table is None or not _sound(table, sizes) or any("_" in line[-1] for line in fields)):
            table = np.array([self.entry(k, what, sizes, finite) for k in range(start, start + count)])
        self.at += count
        if table is None:
            return [np.empty(0, dtype=np.intp) for _ in sizes], np.empty(0)
        return [table[:, k].astype(np.intp) - 1 for k in range(len(sizes))], table[:, -1].copy()

    def entry(self, at: int, what: str, sizes: tuple[int, ...], finite: bool) -> list[float]:
        """One line of `entries`, with errors that say what is wrong with it."""
        fields = self.lines[at].split()
        if len(fields) != len(sizes) + 1:
            raise self.fail(
                f"expected {len(sizes) + 1} values ({what}), found {len(fields)}: {shorten(' '.join(fields))}", at
            )
        row: list[float] = []
        for token, size in zip(fields, sizes, strict=False):
            value = _value(token)
            if value is None or not 1 <= value <= size or value != math.floor(value):
                raise self.fail(f"the index {shorten(token)} ({what}) is not a whole number from 1 to {size}", at)
            row.append(value)
        value = _value(fields[-1], self.infinity)
        if value is None or (finite and abs(value) >= INFINITE):
            raise self.fail(f"{shorten(fields[-1])} ({what}) is not a finite number", at)
        return [*row, value]

    def defaults(self, what: str, size: int, finite: bool = True) -> Vector:
        """A default value, then the exceptions from it."""
        values = np.full(size, self.number(f"the default of {what}"))
        first = self.at
        (places,), exceptions = self.entries(what, (size,), finite)
        if places.size and np.bincount(places).max() > 1:
            order = np.argsort(places, kind="stable")
            k = int(order[1:][np.diff(places[order]) == 0].min())
            raise self.fail(f"{what}: entry {places[k] + 1} is listed twice", first + 1 + k)
        values[places] = exceptions
        if finite and not (np.abs(values) < INFINITE).all():
            raise self.fail(f"{what}: a value is {values[np.abs(values).argmax()]:g}; it must be finite")
        return values

    def limits(self, what: str, size: int, infinity: float) -> Vector:
        values = self.defaults(what, size, finite=False)
        far = np.abs(values) >= min(abs(infinity), INFINITE)
        values[far] = np.copysign(np.inf, values[far])
        return values

    def names(self, what: str, size: int, prefix: str) -> list[str]:
        names = [f"{prefix}{k}" for k in range(1, size + 1)]
        count = self.count(f"{what} names")
        for _ in range(count):
            if self.at >= len(self.lines):
                raise self.truncated(f"the next of {count} {what} names")
            self.at += 1
            fields = self.lines[self.at - 1].split()
            if len(fields) < 2 or not fields[0].isdecimal() or not 1 <= int(fields[0][:12]) <= size:
                raise self.fail(f"expected a {what} from 1 to {size} and its name, found {shorten(' '.join(fields))}")
            names[int(fields[0]) - 1] = " ".join(fields[1:])
        if len(set(names)) < size:
            raise self.fail(f"two {what}s have one name; names must be unique")
        return names

    def end(self) -> None:
        if self.at < len(self.lines):
            self.at += 1
            raise self.fail(f"{shorten(self.lines[self.at - 1].strip())} follows the end; the counts above are wrong")


def _sound(table: Vector, sizes: tuple[int, ...]) -> bool:
    """Whether every index is in its range and every value finite."""
    places = table[:, :-1]
    if not (np.abs(table) < INFINITE).all():
        return False
    return not ((places < 1) | (places > np.array(sizes)) | (places != np.floor(places))).any()


def _value(token: str, infinity: str = "inf") -> float | None:
    """A number, or the word or number for infinity; None for anything else, numbers that overflow among it."""
    try:
        value = float(token)
    except ValueError:
        return None
    if math.isnan(value) or "_" in token:
        return None
    if math.isinf(value) and token.lstrip("+-").lower() not in ("inf", "infinity", infinity):
        return None
    return value
