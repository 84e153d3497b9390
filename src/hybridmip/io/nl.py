"""AMPL's .nl files, as AMPL, Pyomo and JuMP write them: text and binary, linear and quadratic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy import sparse

from hybridmip.errors import FileError
from hybridmip.files import read_content, read_text
from hybridmip.io.model import Model
from hybridmip.io.nl_expressions import Polynomial, read_polynomial
from hybridmip.io.nl_scan import Header, Indices, Scanner, limits, read_header
from hybridmip.model.quadratic import Vector

#: Ends of the files of names that may lie beside a model: those of rows and objectives, and those of variables.
ROW_NAMES, COLUMN_NAMES = ".row", ".col"
#: A suffix that adds a condition, unlike priorities, starting values and statuses.
SPECIAL_ORDERED_SETS = "sosno"


@dataclass(frozen=True, eq=False)
class NlFile:
    """What an .nl file holds.

    Attributes
    ----------
    model : Model
        With the objective that was asked for.
    header : Header
    start : ndarray, shape (columns,)
        The initial guess; NaN where the file gives none.
    objective : int
        Place of the model's objective among those of the file, from 0.
    """

    model: Model
    header: Header
    start: Vector = field(repr=False)
    objective: int


def parse_nl(content: bytes, source: str, beside: Mapping[str, str] | None = None) -> Model:
    """The model of an .nl file; of several objectives the first.

    Parameters
    ----------
    content : bytes
    source : str
        What messages call it.
    beside : mapping of str to str, optional
        Texts of the files of names beside it, by their ends, .row and .col.

    Raises
    ------
    FileError
        If it is truncated or garbled, or says what no linear or quadratic model does; the message gives the line.
    """
    return parse_nl_file(content, source, beside).model


def read_nl(path: str | Path, objective: int = 0) -> NlFile:
    """Read an .nl file with the names beside it.

    Raises
    ------
    FileError
        As for `parse_nl`.
    """
    path = Path(path).expanduser()
    return parse_nl_file(read_content(path), str(path), names_beside(path), objective)


def names_beside(path: Path) -> dict[str, str]:
    """The texts of the .row and .col files beside an .nl file, where there are any."""
    stem = path.name.removesuffix(".gz").removesuffix(".nl")
    found = {end: path.with_name(stem + end) for end in (ROW_NAMES, COLUMN_NAMES)}
    return {end: read_text(file) for end, file in found.items() if file.is_file() and file.stat().st_size}


def parse_nl_file(content: bytes, source: str, beside: Mapping[str, str] | None = None, objective: int = 0) -> NlFile:
    """All of an .nl file; `objective` is the place of the objective that is wanted, from 0.

    Raises
    ------
    FileError
        As for `parse_nl`, or if there is no such objective.
    """
    header, scanner = read_header(content, source)
    if header.objectives and not 0 <= objective < header.objectives:
        raise FileError(f"{source} has {header.objectives} objectives; number {objective + 1} is not one of them")
    names = _names((beside or {}).get(COLUMN_NAMES), header.variables, 0, "v", f"{source} ({COLUMN_NAMES})")
    row_names = _names((beside or {}).get(ROW_NAMES), header.rows, header.objectives, "c", f"{source} ({ROW_NAMES})")
    reader = _Segments(header, scanner, names, row_names, objective)
    reader.read()
    return NlFile(reader.model(source), header, reader.start, objective)


def _names(text: str | None, count: int, more: int, letter: str, source: str) -> list[str]:
    """`count` names and up to `more` of objectives, from the text of a file or as the .nl file counts them."""
    if text is None:
        return [f"{letter}{k}" for k in range(count)] + ["obj" if k == 0 else f"obj{k}" for k in range(more)]
    names = text.splitlines()
    if not count <= len(names) <= count + more:
        raise FileError(f"{source} has {len(names)} names for {count} of them; write it anew, or take it away")
    names += [f"obj{k}" for k in range(len(names) - count, more)]
    twice = next((name for name, times in Counter(names).items() if times > 1), None)
    if twice is not None:
        raise FileError(f"{source} has {twice!r} twice; names must be unique")
    return names


class _Segments:
    """The segments of a file, each put where the model needs it."""

    def __init__(
        self, header: Header, scanner: Scanner, names: Sequence[str], row_names: Sequence[str], objective: int
    ) -> None:
        self.header, self.scanner, self.wanted = header, scanner, objective
        self.names, self.row_names = list(names), list(row_names)
        self.start = np.full(header.variables, np.nan)
        self.lower = np.full(header.variables, -np.inf)
        self.upper = np.full(header.variables, np.inf)
        self.row_lower = np.full(header.rows, -np.inf)
        self.row_upper = np.full(header.rows, np.inf)
        self.row_parts: dict[int, Polynomial] = {}
        self.row_entries: dict[int, tuple[Indices, Vector]] = {}
        self.objective_parts: dict[int, Polynomial] = {}
        self.gradients: dict[int, tuple[Indices, Vector]] = {}
        self.maximise: dict[int, bool] = {}
        self.defined: dict[int, Polynomial] = {}
        self.functions: dict[int, str] = {}
        self.seen: set[str] = set()

    def read(self) -> None:
        """All segments, and whether all are there."""
        readers = {
            "C": self._row, "O": self._objective, "V": self._defined, "F": self._function, "S": self._suffix,
            "x": self._start, "d": self._multipliers, "r": self._row_limits, "b": self._bounds, "k": self._columns,
            "K": self._columns, "J": self._row_coefficients, "G": self._gradient, "L": self._logical,
        }  # fmt: skip
        while letter := self.scanner.segment():
            if letter not in readers:
                raise self.scanner.fail(f"{letter!r} begins no segment of an .nl file (one of {' '.join(readers)})")
            readers[letter]()
        self._complete()

    def _complete(self) -> None:
        header = self.header
        for what, found, wanted in (
            ("expressions of rows (C)", len(self.row_parts), header.rows),
            ("objectives (O)", len(self.objective_parts), header.objectives),
            ("limits of rows (r)", header.rows if "r" in self.seen else 0, header.rows),
            ("bounds of variables (b)", header.variables if "b" in self.seen else 0, header.variables),
            ("entries of rows (J)", sum(p.size for p, _ in self.row_entries.values()), header.row_entries),
            ("entries of objectives (G)", sum(p.size for p, _ in self.gradients.values()), header.objective_entries),
        ):
            if found != wanted:
                raise self.scanner.fail(f"the file ends with {found} of {wanted} {what}; it is truncated or garbled")

    # ---- segments

    def _once(self, letter: str) -> None:
        if letter in self.seen:
            raise self.scanner.fail(f"a second segment {letter}; there can be one only")
        self.seen.add(letter)

    def _place(self, index: int, size: int, taken: Mapping[int, object], what: str) -> int:
        if not 0 <= index < size:
            raise self.scanner.fail(f"{what} {index} is not from 0 to {size - 1}")
        if index in taken:
            raise self.scanner.fail(f"{what} {index} is there twice")
        return index

    def _expression(self, where: str) -> Polynomial:
        return read_polynomial(self.scanner, where, self.header.variables, self.defined, self.functions)

    def _row(self) -> None:
        row = self._place(self.scanner.integers(1)[0], self.header.rows, self.row_parts, "row")
        part = self._expression(f"row {self.row_names[row]}")
        if part.degree == 2:
            left = part.matrix(self.header.variables).tocoo()
            if left.nnz:  # else its quadratic terms cancel
                i, j = int(left.row[0]), int(left.col[0])
                term = self._term((i, j), float(left.data[0]) * (1.0 if i == j else 2.0))
                raise self.scanner.fail(
                    f"row {self.row_names[row]} is quadratic (its term {term}); only the objective may be"
                )
        self.row_parts[row] = part

    def _term(self, pair: tuple[int, int], value: float) -> str:
        first, second = self.names[pair[0]], self.names[pair[1]]
        return f"{value:g} {first}^2" if first == second else f"{value:g} {first} * {second}"

    def _objective(self) -> None:
        index, sense = self.scanner.integers(2)
        self._place(index, self.header.objectives, self.objective_parts, "objective")
        if sense not in (0, 1):
            raise self.scanner.fail(f"the sense of objective {index} is {sense}; it must be 0 (least) or 1 (most)")
        self.maximise[index] = sense == 1
        self.objective_parts[index] = self._expression(f"objective {self.row_names[self.header.rows + index]}")

    def _defined(self) -> None:
        index, terms, _ = self.scanner.integers(3)
        first = self.header.variables
        if index < first or index in self.defined:
            raise self.scanner.fail(f"V{index} should be {first} or more, and there once")
        if terms < 0:
            raise self.scanner.fail(f"V{index} has {terms} linear terms")
        places, values = self.scanner.entries(terms, max([first, *(k + 1 for k in self.defined)]), f"terms of V{index}")
        total = self._expression(f"the defined variable V{index}")
        for place, value in zip(places.tolist(), values.tolist(), strict=True):
            if place < first:
                total.linear[place] = total.linear.get(place, 0.0) + value
            elif place in self.defined:
                total = total.plus(self.defined[place].copy().times(value))
            else:
                raise self.scanner.fail(f"V{index} uses v{place}, which is not defined above")
        self.defined[index] = total

    def _function(self) -> None:
        index, _, _ = self.scanner.integers(3)
        name = self.scanner.name()
        self.functions[index] = name
        raise self.scanner.fail(
            f"the model declares the function {name!r}; only linear and quadratic expressions can be solved"
        )

    def _logical(self) -> None:
        raise self.scanner.fail("a logical constraint (L); only linear rows can be solved")

    def _suffix(self) -> None:
        kind, count = self.scanner.integers(2)
        name = self.scanner.name()
        if name == SPECIAL_ORDERED_SETS:
            raise self.scanner.fail(
                "the suffix sosno states special ordered sets, which are not read; state them with binaries"
            )
        size = (self.header.variables, self.header.rows, self.header.objectives, 1)[kind & 3]
        self._entries(count, size, f"the suffix {name}", whole=not kind & 4)

    def _entries(self, count: int, size: int, what: str, whole: bool = False) -> tuple[Indices, Vector]:
        if not 0 <= count <= size:
            raise self.scanner.fail(f"{what} should have from 0 to {size} entries, not {count}")
        places, values = self.scanner.entries(count, size, what, whole)
        if np.unique(places).size < places.size:
            raise self.scanner.fail(f"{what}: an index is there twice")
        return places, values

    def _start(self) -> None:
        self._once("x")
        places, values = self._entries(self.scanner.integers(1)[0], self.header.variables, "the initial guess")
        self.start[places] = values

    def _multipliers(self) -> None:
        self._once("d")
        self._entries(self.scanner.integers(1)[0], self.header.rows, "the initial multipliers")

    def _row_limits(self) -> None:
        self._once("r")
        for row in range(self.header.rows):
            kind, numbers = self.scanner.bound(f"the limits of row {self.row_names[row]}")
            if kind == 5:
                raise self.scanner.fail(
                    f"row {self.row_names[row]} is a complementarity condition; only linear rows can be solved"
                )
            self.row_lower[row], self.row_upper[row] = limits(kind, numbers)

    def _bounds(self) -> None:
        self._once("b")
        for column in range(self.header.variables):
            kind, numbers = self.scanner.bound(f"the bounds of {self.names[column]}")
            if kind == 5:
                raise self.scanner.fail(f"the bounds of {self.names[column]} are of kind 5; it must be from 0 to 4")
            self.lower[column], self.upper[column] = limits(kind, numbers)
        # What the header calls binary is, whatever its bounds say.
        binaries, integers, *_ = self.header.discrete
        end = self.header.variables - integers
        binary = slice(end - binaries, end)
        self.lower[binary] = np.maximum(self.lower[binary], 0.0)
        self.upper[binary] = np.minimum(self.upper[binary], 1.0)

    def _columns(self) -> None:
        """Where the columns of the Jacobian begin, which its rows say again."""
        self._once("k")
        count = self.scanner.integers(1)[0]
        if count != max(self.header.variables - 1, 0):
            raise self.scanner.fail(f"k should have {max(self.header.variables - 1, 0)} numbers, not {count}")
        for _ in range(count):
            self.scanner.integer("the length of a column")

    def _row_coefficients(self) -> None:
        row, count = self.scanner.integers(2)
        self._place(row, self.header.rows, self.row_entries, "row")
        self.row_entries[row] = self._entries(count, self.header.variables, f"entries of row {self.row_names[row]}")

    def _gradient(self) -> None:
        index, count = self.scanner.integers(2)
        self._place(index, self.header.objectives, self.gradients, "objective")
        self.gradients[index] = self._entries(count, self.header.variables, "entries of the objective")

    # ---- the model

    def model(self, source: str) -> Model:
        """What the segments state."""
        header, columns = self.header, self.header.variables
        nothing = (np.empty(0, dtype=np.intp), np.empty(0))
        rows, places, values = [], [], []
        shift = np.zeros(header.rows)
        for row in range(header.rows):
            part, (at, entries) = self.row_parts[row], self.row_entries.get(row, nothing)
            shift[row] = part.constant
            places += [at, np.fromiter(part.linear, dtype=np.intp, count=len(part.linear))]
            values += [entries, np.fromiter(part.linear.values(), dtype=np.float64, count=len(part.linear))]
            rows.append(np.full(at.size + len(part.linear), row, dtype=np.intp))
        matrix = sparse.csr_array(
            (np.concatenate([np.empty(0), *values]), (_joined(rows), _joined(places))), shape=(header.rows, columns)
        )
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        objective = self.objective_parts.get(self.wanted, Polynomial())
        quadratic = objective.matrix(columns) if objective.degree == 2 else None
        if quadratic is not None and not np.isfinite(quadratic.data).all():
            raise self.scanner.fail("the objective has a coefficient that is not finite; use other units")
        cost = np.zeros(columns)
        at, entries = self.gradients.get(self.wanted, nothing)
        cost[at] = entries
        for k, value in objective.linear.items():
            cost[k] += value
        return Model(
            source=source,
            names=self.names,
            cost=cost,
            lower=self.lower,
            upper=self.upper,
            integer=header.integer(),
            semicontinuous=np.zeros(columns, dtype=bool),
            matrix=matrix,
            row_lower=self.row_lower - shift,
            row_upper=self.row_upper - shift,
            row_names=self.row_names[: header.rows],
            quadratic=quadratic if quadratic is not None and quadratic.nnz else None,
            offset=objective.constant,
            maximise=self.maximise.get(self.wanted, False),
            objective_name=self.row_names[header.rows + self.wanted] if header.objectives else "obj",
        )


def _joined(parts: Sequence[Indices]) -> Indices:
    return np.concatenate([np.empty(0, dtype=np.intp), *parts])
