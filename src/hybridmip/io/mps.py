"""MPS files, free and fixed, with quadratic objectives.

Read here rather than by HiGHS, whose reader (1.15) takes a few things without a word: `OBJSENSE MAX` on one line is
ignored, `12abc` is 12, a bound on an unknown column makes a new column, and a negative upper bound leaves the lower
one at zero. The tests compare both readers where they should agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from scipy import sparse

from hybridmip.errors import FileError
from hybridmip.io.model import INFINITE, Model
from hybridmip.io.orlib import shorten

#: Sections that are understood, and others that exist but say what a Problem cannot.
SECTIONS = frozenset(
    {"NAME", "ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS", "OBJSENSE", "OBJNAME", "QUADOBJ", "QMATRIX", "QSECTION",
     "ENDATA"}
)  # fmt: skip
REFUSED = {
    "QCMATRIX": "quadratic constraints",
    "CSECTION": "cones",
    "SOS": "special ordered sets",
    "SOS1": "special ordered sets",
    "SOS2": "special ordered sets",
    "SETS": "special ordered sets",
    "INDICATORS": "indicator constraints",
    "GENCONS": "general constraints",
    "PWLOBJ": "piecewise linear costs",
    "LAZYCONS": "lazy constraints",
    "USERCUTS": "user cuts",
    "DELAYEDROWS": "delayed rows",
    "SCENARIOS": "several objectives",
    "MULTIOBJ": "several objectives",
}
#: Bound types with a number, and those without.
VALUED = frozenset({"LO", "UP", "FX", "LI", "UI", "SC", "SI"})
UNVALUED = frozenset({"FR", "MI", "PL", "BV"})
INFINITE_WORDS = frozenset({"inf", "infinity", "1e+inf"})
#: Where fixed format has its fields.
FIELDS = ((1, 3), (4, 12), (14, 22), (24, 36), (39, 47), (49, 61))

Splitter = Callable[[str], list[str]]


def parse_mps(text: str, source: str) -> Model:
    """The model of an MPS text; `source` is what messages call it.

    Raises
    ------
    FileError
        If the text is truncated, garbled or says what a Problem cannot; the message gives the line.
    """
    try:
        return _Reader(text, source, str.split).model()
    except FileError as error:
        # Fixed format allows names with blanks.
        if "\t" in text:
            raise
        try:
            return _Reader(text, source, _fixed_fields).model()
        except FileError:
            raise error from None


def _fixed_fields(line: str) -> list[str]:
    """The fields of a line in fixed format, without those that are blank at its ends."""
    return [field for start, end in FIELDS if (field := line[start:end].strip())]


def is_mps(text: str) -> bool:
    """Whether the text has the sections that every MPS file has."""
    head = "\n" + text
    return "\nROWS" in head and "\nCOLUMNS" in head


class _Reader:
    def __init__(self, text: str, source: str, split: Splitter) -> None:
        self.text, self.source, self.split = text, source, split
        self.line_number = 0
        self.maximise = False
        self.objective: str | None = None
        self.wanted_objective: str | None = None
        self.rows: dict[str, int] = {}  # -1 for the objective, -2 for other free rows
        self.row_types: list[str] = []
        self.row_names: list[str] = []
        self.columns: dict[str, int] = {}
        self.names: list[str] = []
        self.integer: list[bool] = []
        self.entry_rows: list[int] = []
        self.entry_columns: list[int] = []
        self.entry_values: list[float] = []
        self.entry_lines: list[int] = []
        self.costs: dict[int, float] = {}
        self.right: dict[int, float] = {}
        self.offset = 0.0
        self.ranges: dict[int, float] = {}
        self.lower: dict[int, float] = {}
        self.upper: dict[int, float] = {}
        self.bounded: set[int] = set()
        self.semi: set[int] = set()
        self.quadratic: dict[tuple[int, int], float] = {}
        self.full_matrix = False
        self.sets: dict[str, str] = {}
        self.done: set[str] = set()

    def fail(self, what: str) -> FileError:
        return FileError(f"{self.source}, line {self.line_number}: {what}")

    # ---- lines and sections

    def model(self) -> Model:
        section = ""
        handlers: dict[str, Callable[[list[str]], None]] = {
            "ROWS": self.row, "COLUMNS": self.column, "RHS": self.rhs, "RANGES": self.range, "BOUNDS": self.bound,
            "OBJSENSE": self.sense, "OBJNAME": self.objname, "QUADOBJ": self.quadobj, "QMATRIX": self.quadobj,
            "QSECTION": self.quadobj,
        }  # fmt: skip
        handle: Callable[[list[str]], None] | None = None
        self.in_integers = False
        self.current = -1
        split = self.split
        for number, line in enumerate(self.text.splitlines(), start=1):
            if not line or line[0] == "*":
                continue
            self.line_number = number
            if line[0] not in " \t":
                words = line.split()
                if not words:
                    continue
                section = self.header(words)
                if section == "ENDATA":
                    return self.assembled()
                handle = handlers.get(section)
                continue
            fields = split(line)
            if not fields or fields[0][0] == "*":
                continue
            if handle is None:
                if section == "NAME":
                    raise self.fail(f"{shorten(line.strip())} follows NAME; ROWS must")
                raise self.fail(f"{shorten(line.strip())} comes before any section; MPS files start with NAME or ROWS")
            handle(fields)
        raise FileError(f"{self.source}, line {self.line_number}: the file ends without ENDATA; it is truncated")

    def header(self, words: list[str]) -> str:
        section = words[0].upper()
        if section in REFUSED:
            about = f" for {shorten(words[1])}" if len(words) > 1 else ""
            raise self.fail(f"section {section}{about} ({REFUSED[section]}) is not supported")
        if section not in SECTIONS:
            raise self.fail(
                f"{shorten(words[0])} is not a section of an MPS file; sections are {', '.join(sorted(SECTIONS))}, "
                "and other lines start with a blank"
            )
        if section in self.done and section != "NAME":
            raise self.fail(f"section {section} is there twice; give it once")
        self.done.add(section)
        needs = {"COLUMNS": "ROWS", "ENDATA": "COLUMNS"}.get(
            section, "COLUMNS" if section in ("RHS", "RANGES", "BOUNDS", "QUADOBJ", "QMATRIX", "QSECTION") else ""
        )
        if needs and needs not in self.done:
            raise self.fail(f"section {section} comes before {needs}")
        if section == "OBJSENSE" and len(words) > 1:
            self.sense(words[1:])
        if section == "QSECTION" and len(words) > 1 and self.rows.get(words[1]) != -1:
            if self.rows.get(words[1]) is None:
                raise self.fail(f"row {shorten(words[1])} is not in ROWS")
            raise self.fail(f"row {shorten(words[1])} is quadratic; only the objective may be")
        self.full_matrix = self.full_matrix or section == "QMATRIX"
        if {"QUADOBJ", "QMATRIX", "QSECTION"} & self.done - {section} and section in ("QUADOBJ", "QMATRIX", "QSECTION"):
            raise self.fail(f"section {section} is a second quadratic objective; give one")
        if section == "COLUMNS" and self.wanted_objective is not None and self.objective != self.wanted_objective:
            raise self.fail(f"OBJNAME is {shorten(self.wanted_objective)}, which is not a row of type N")
        return section

    def number(self, token: str) -> float:
        try:
            value = float(token)
        except ValueError:
            try:
                value = float(token.lower().replace("d", "e"))  # Fortran's exponent
            except ValueError:
                raise self.fail(f"{shorten(token)} is not a number") from None
        if "_" in token:
            raise self.fail(f"{shorten(token)} is not a number")
        if not math.isfinite(value):
            if token.lstrip("+-").lower() in INFINITE_WORDS:
                return value
            raise self.fail(f"{shorten(token)} is not a finite number")
        return value

    def finite(self, token: str, what: str) -> float:
        value = self.number(token)
        if abs(value) >= INFINITE:
            raise self.fail(f"{what} is {token}; it must be below {INFINITE:g} in size")
        return value

    def row_of(self, name: str) -> int:
        try:
            return self.rows[name]
        except KeyError:
            raise self.fail(f"row {shorten(name)} is not in ROWS") from None

    def column_of(self, name: str) -> int:
        try:
            return self.columns[name]
        except KeyError:
            raise self.fail(f"column {shorten(name)} is not in COLUMNS") from None

    def set_name(self, section: str, name: str) -> None:
        known = self.sets.setdefault(section, name)
        if known != name:
            raise self.fail(f"{section} has a second set {shorten(name)} after {shorten(known)}; keep one of them")

    # ---- one line of each section

    def sense(self, fields: list[str]) -> None:
        word = fields[0].upper()
        if word not in ("MAX", "MAXIMIZE", "MAXIMISE", "MIN", "MINIMIZE", "MINIMISE"):
            raise self.fail(f"OBJSENSE is {shorten(fields[0])}; it must be MIN or MAX")
        self.maximise = word.startswith("MAX")

    def objname(self, fields: list[str]) -> None:
        if "ROWS" in self.done:
            raise self.fail("OBJNAME comes after ROWS; put it before")
        self.wanted_objective = fields[0]

    def row(self, fields: list[str]) -> None:
        if len(fields) != 2:
            raise self.fail(f"expected the type of a row and its name, found {len(fields)} fields")
        kind, name = fields[0].upper(), fields[1]
        if name in self.rows:
            raise self.fail(f"row {shorten(name)} is there twice; names must be unique")
        if kind == "N":
            is_objective = self.objective is None and self.wanted_objective in (None, name)
            self.rows[name] = -1 if is_objective else -2
            if is_objective:
                self.objective = name
        elif kind in ("L", "G", "E"):
            self.rows[name] = len(self.row_names)
            self.row_names.append(name)
            self.row_types.append(kind)
        else:
            raise self.fail(f"row {shorten(name)} is of type {shorten(fields[0])}; types are N, L, G and E")

    def column(self, fields: list[str]) -> None:
        if len(fields) == 3:
            name, row_name, token = fields
            if row_name.strip("'\"").upper() == "MARKER":
                self.marker(token)
                return
        elif len(fields) == 5:
            name, row_name, token = fields[:3]
        else:
            raise self.fail(
                f"expected a column and one or two pairs of row and number, found {len(fields)} fields: "
                f"{shorten(' '.join(fields))}"
            )
        if self.current < 0 or name != self.names[self.current]:
            if name in self.columns:
                raise self.fail(f"column {shorten(name)} comes again after others; keep its entries together")
            self.current = self.columns[name] = len(self.names)
            self.names.append(name)
            self.integer.append(self.in_integers)
        self.entry(row_name, token)
        if len(fields) == 5:
            self.entry(fields[3], fields[4])

    def entry(self, row_name: str, token: str) -> None:
        row = self.rows.get(row_name)
        if row is None:
            raise self.fail(f"row {shorten(row_name)} is not in ROWS")
        try:
            value = float(token)
        except ValueError:
            value = math.nan
        if not -INFINITE < value < INFINITE or "_" in token:
            value = self.finite(token, f"the coefficient in row {shorten(row_name)}")
        if row >= 0:
            self.entry_rows.append(row)
            self.entry_columns.append(self.current)
            self.entry_values.append(value)
            self.entry_lines.append(self.line_number)
        elif row == -1:
            if self.current in self.costs:
                raise self.fail(f"column {shorten(self.names[self.current])} has two entries in row {row_name!r}")
            self.costs[self.current] = value

    def marker(self, token: str) -> None:
        word = token.strip("'\"").upper()
        if word not in ("INTORG", "INTEND"):
            raise self.fail(f"marker {shorten(token)} is not supported; markers are 'INTORG' and 'INTEND'")
        self.in_integers = word == "INTORG"

    def pairs(self, section: str, fields: list[str]) -> Iterator[tuple[str, str]]:
        """Row and number, once or twice, after the name of the set, if that is there."""
        if len(fields) not in (2, 3, 4, 5):
            raise self.fail(
                f"expected a set and one or two pairs of row and number, found {len(fields)} fields: "
                f"{shorten(' '.join(fields))}"
            )
        if len(fields) % 2:
            self.set_name(section, fields[0])
            fields = fields[1:]
        return zip(fields[::2], fields[1::2], strict=True)

    def rhs(self, fields: list[str]) -> None:
        for name, token in self.pairs("RHS", fields):
            row = self.row_of(name)
            if row == -1:
                # The objective's constant, with the opposite sign.
                if "objective" in self.sets:
                    raise self.fail(f"row {shorten(name)} has two right-hand sides")
                self.sets["objective"] = name
                self.offset = -self.finite(token, "the objective's right-hand side")
            elif row >= 0:
                if row in self.right:
                    raise self.fail(f"row {shorten(name)} has two right-hand sides")
                self.right[row] = self.number(token)

    def range(self, fields: list[str]) -> None:
        for name, token in self.pairs("RANGES", fields):
            row = self.row_of(name)
            if row == -1:
                raise self.fail(f"row {shorten(name)} is the objective; it has no range")
            if row >= 0:
                if row in self.ranges:
                    raise self.fail(f"row {shorten(name)} has two ranges")
                self.ranges[row] = self.number(token)

    def bound(self, fields: list[str]) -> None:
        kind = fields[0].upper()
        value = math.nan
        if kind in VALUED:
            if len(fields) == 4:
                self.set_name("BOUNDS", fields[1])
            elif len(fields) != 3:
                raise self.fail(f"expected {kind}, a set, a column and a number, found {len(fields)} fields")
            column = self.column_of(fields[-2])
            value = self.number(fields[-1])
        elif kind in UNVALUED:
            if len(fields) not in (2, 3, 4):
                raise self.fail(f"expected {kind}, a set and a column, found {len(fields)} fields")
            # Some writers add a number that says nothing.
            named = len(fields) == 2 or (
                len(fields) == 3 and fields[2] not in self.columns and fields[1] in self.columns
            )
            if not named:
                self.set_name("BOUNDS", fields[1])
            column = self.column_of(fields[1] if named else fields[2])
        else:
            raise self.fail(
                f"bound type {shorten(fields[0])} is not known; types are {', '.join(sorted(VALUED | UNVALUED))}"
            )
        self.bounded.add(column)
        if kind in ("LO", "LI", "FX"):
            self.lower[column] = value
        if kind in ("UP", "UI", "FX"):
            self.upper[column] = value
        if kind in ("LI", "UI", "SI"):
            self.integer[column] = True
        if kind in ("SC", "SI"):
            self.semi.add(column)
            self.upper[column] = value if value else math.inf  # no number is no limit
        elif kind == "BV":
            self.integer[column], self.lower[column], self.upper[column] = True, 0.0, 1.0
        elif kind in ("FR", "MI"):
            self.lower[column] = -math.inf
        if kind in ("FR", "PL"):
            self.upper[column] = math.inf

    def quadobj(self, fields: list[str]) -> None:
        if len(fields) != 3:
            raise self.fail(f"expected two columns and a number, found {len(fields)} fields")
        first, second = self.column_of(fields[0]), self.column_of(fields[1])
        value = self.finite(fields[2], "the quadratic coefficient")
        key = (first, second) if self.full_matrix else (max(first, second), min(first, second))
        if key in self.quadratic:
            both = f"{shorten(fields[0])} and {shorten(fields[1])}"
            once = "" if self.full_matrix else "; list each pair once"
            raise self.fail(f"the pair {both} is there twice{once}")
        self.quadratic[key] = value

    # ---- the whole

    def assembled(self) -> Model:
        for section in ("ROWS", "COLUMNS"):
            if section not in self.done:
                raise FileError(f"{self.source}: there is no section {section}")
        if self.in_integers:
            raise self.fail("a marker 'INTORG' has no 'INTEND' after it")
        count, height = len(self.names), len(self.row_names)
        if not count:
            raise FileError(f"{self.source}: there are no columns")
        rows = np.array(self.entry_rows, dtype=np.intp)
        columns = np.array(self.entry_columns, dtype=np.intp)
        place = columns * max(height, 1) + rows
        order = np.argsort(place, kind="stable")
        again = order[1:][np.diff(place[order]) == 0]
        if again.size:
            k = int(again.min())
            self.line_number = self.entry_lines[k]
            raise self.fail(
                f"column {shorten(self.names[columns[k]])} has two entries in row {shorten(self.row_names[rows[k]])}"
            )
        cost = np.zeros(count)
        cost[list(self.costs)] = list(self.costs.values())
        lower, upper = np.zeros(count), np.full(count, np.inf)
        integer = np.array(self.integer, dtype=bool)
        # An integer without any bound is a binary: the convention of every solver at hand.
        upper[[k for k in np.flatnonzero(integer) if k not in self.bounded]] = 1.0
        for k, value in self.upper.items():
            upper[k] = value
            if value < 0 and k not in self.lower:
                lower[k] = -np.inf
        lower[list(self.lower)] = list(self.lower.values())
        semi = np.zeros(count, dtype=bool)
        semi[list(self.semi)] = True
        row_lower, row_upper = self.limits()
        return Model(
            source=self.source,
            names=self.names,
            cost=cost,
            lower=lower,
            upper=upper,
            integer=integer,
            semicontinuous=semi,
            matrix=sparse.csr_array((self.entry_values, (rows, columns)), shape=(height, count)),
            row_lower=row_lower,
            row_upper=row_upper,
            row_names=self.row_names,
            quadratic=self.hessian(count),
            offset=self.offset,
            maximise=self.maximise,
            objective_name=self.objective or "obj",
        )

    def limits(self) -> tuple[np.ndarray, np.ndarray]:
        height = len(self.row_names)
        kinds = np.array(self.row_types, dtype="U1")
        right, spread = np.zeros(height), np.full(height, np.nan)
        right[list(self.right)] = list(self.right.values())
        spread[list(self.ranges)] = list(self.ranges.values())
        ranged, size = ~np.isnan(spread), np.abs(spread)
        lower, upper = np.where(kinds == "L", -np.inf, right), np.where(kinds == "G", np.inf, right)
        lower = np.where((kinds == "L") & ranged, right - size, lower)
        upper = np.where((kinds == "G") & ranged, right + size, upper)
        # The range of an equation goes to the side of its sign.
        lower = np.where((kinds == "E") & ranged & (spread < 0), right - size, lower)
        upper = np.where((kinds == "E") & ranged & (spread > 0), right + size, upper)
        for k in np.flatnonzero((lower >= INFINITE) | (upper <= -INFINITE) | np.isnan(lower) | np.isnan(upper)):
            raise FileError(f"{self.source}: row {shorten(self.row_names[k])} can never hold: a limit is infinite")
        return lower, upper

    def hessian(self, count: int) -> sparse.csr_array | None:
        """Q of v'Qv: half of what the file lists, the lower triangle mirrored."""
        if not self.quadratic:
            return None
        pairs = np.array(list(self.quadratic), dtype=np.intp)
        values = np.array(list(self.quadratic.values())) / 2.0
        listed = sparse.csr_array((values, (pairs[:, 0], pairs[:, 1])), shape=(count, count))
        if not self.full_matrix:
            return sparse.csr_array(listed + listed.T - sparse.diags_array(listed.diagonal()))
        difference = abs(listed - listed.T)
        if difference.nnz and difference.max() > 1e-9 * abs(listed).max():
            at = int(difference.tocoo().data.argmax())
            i, j = (int(part[at]) for part in (difference.tocoo().row, difference.tocoo().col))
            raise FileError(
                f"{self.source}: QMATRIX has different values for {shorten(self.names[i])}, {shorten(self.names[j])} "
                "and the other way round; list both alike"
            )
        return listed
