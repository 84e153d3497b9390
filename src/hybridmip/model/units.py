"""Units of the solver's own: the same problem with its numbers near 1, by powers of two.

Money in units or in millions, weights in percent or in shares, risk in squares of anything: tolerances of solvers are
absolute and mean something else in each. So the first thing done to a problem is to measure x, the rows, the rows on b
and the objective in units in which their numbers are near 1. Every unit is a power of two: multiplying by it changes no
digit, so a point, a bound or a proof goes from one problem to the other without rounding, and a problem whose columns,
rows or objective somebody has multiplied by powers of two becomes the same problem, bit for bit.

The unit of x is about how large x can sensibly be: its bounds (or those that rows imply), what the other terms and the
limits of its rows can balance, and where its parabola is lowest.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.errors import ProblemError, ScaleWarning
from hybridmip.model.implied import carry_over, implied_bounds
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Vector
from hybridmip.tolerances import WIDEST_ROW

Exponents = NDArray[np.int64]

#: A bound this many powers of two beyond what limits and costs ask for is taken to be loose: the middle is the unit.
LOOSE = 10
#: Bounds that differ by up to this many binary digits are alike.
ALIKE = 4
#: Rounds in which x whose size is not known learn it from the others in their rows.
ROUNDS = 4
#: Numbers within these powers of two leave room for products and squares.
LARGEST_EXPONENT = 480
#: An implied bound this many powers of two below the one given is rounding around zero.
NOISE = 36
#: Sizes of x, of rows and of costs between these powers of two are tame.
SMALLEST_TAME, LARGEST_TAME = -7, 24
#: The largest cost is at most this many powers of two.
WIDEST_COSTS = 20


class Proof(NamedTuple):
    """What proves a bound by the closed formula (`bounds.formula`): D, point, multipliers of rows and of rows on b."""

    diagonal: Vector
    point: Vector
    rows: Vector
    binary_rows: Vector


class Measures(NamedTuple):
    """How somebody else measures a problem, as powers of two.

    Attributes
    ----------
    columns, rows, b_rows : ndarray of int
        Their x is 2^columns times ours, our rows are 2^rows times theirs.
    objective : int
        Our objective is 2^objective times theirs.
    """

    columns: Exponents
    rows: Exponents
    b_rows: Exponents
    objective: int

    @property
    def tame(self) -> bool:
        """Whether absolute tolerances of solvers mean something in those units as well: nothing tiny, nothing huge."""
        sizes = np.concatenate([self.columns, -self.rows, -self.b_rows, [-self.objective]])
        return bool((sizes >= SMALLEST_TAME).all() and (sizes <= LARGEST_TAME).all())


@dataclass(frozen=True)
class Units:
    """A problem, the same one in units of its own, and the way back.

    Attributes
    ----------
    given, problem : Problem
    columns, rows, b_rows : ndarray of int
        x = 2^columns x', and rows of `problem` are 2^rows times those given.
    objective : int
        The objective of `problem` is 2^objective times the one given.
    """

    given: Problem
    problem: Problem
    columns: Exponents
    rows: Exponents
    b_rows: Exponents
    objective: int

    @classmethod
    def of(cls, problem: Problem) -> Units:
        """Find the units of a problem.

        Raises
        ------
        ProblemError
            If numbers are so large or so small that their products leave the range of floating point numbers.
        """
        _require_range(problem)
        columns = _columns(problem)
        entries = np.abs(np.ldexp(problem.A.data, columns[problem.A.indices]))
        rows = -_exponents(np.maximum(_largest(problem.A, entries), _largest(problem.G, np.abs(problem.G.data))))
        b_rows = -_exponents(_largest(problem.B, np.abs(problem.B.data)))
        objective = _objective(problem, columns)
        if not (columns.any() or rows.any() or b_rows.any() or objective):
            return cls(problem, problem, columns, rows, b_rows, objective)
        rescaled = problem.rescaled(columns, rows, b_rows, objective)
        carry_over(problem, rescaled, columns)
        return cls(problem, rescaled, columns, rows, b_rows, objective)

    def measures(self, columns: NDArray[np.intp], rows: NDArray[np.intp]) -> Measures:
        """How the caller measures some of the x and of the rows."""
        return Measures(self.columns[columns], self.rows[rows], self.b_rows, self.objective)

    def x_in(self, x: Vector) -> Vector:
        """x of the caller's units in these."""
        return np.ldexp(x, -self.columns)

    def x_of(self, x: Vector) -> Vector:
        """x in the caller's units."""
        return np.ldexp(x, self.columns)

    def value_of(self, value: float) -> float:
        """A value of the objective, or a bound, in the caller's units."""
        return float(np.ldexp(value, -self.objective))

    def proof_of(self, proof: Proof) -> Proof:
        """A proof for the problem given."""
        return Proof(
            np.ldexp(proof.diagonal, -2 * self.columns - self.objective),
            np.ldexp(proof.point, self.columns),
            np.ldexp(proof.rows, self.rows - self.objective),
            np.ldexp(proof.binary_rows, self.b_rows - self.objective),
        )

    def warn(self) -> None:
        """Warn of rows whose terms differ by more than can be told apart."""
        problem = self.problem
        size = np.abs(np.concatenate([problem.A.data, problem.G.data]))
        row = np.concatenate([np.repeat(np.arange(problem.rows), np.diff(M.indptr)) for M in (problem.A, problem.G)])
        column = np.concatenate([problem.A.indices, problem.n + problem.G.indices])
        least, most = np.full(problem.rows, np.inf), np.zeros(problem.rows)
        np.minimum.at(least, row, size)
        np.maximum.at(most, row, size)
        wide = np.flatnonzero(most > WIDEST_ROW * least)
        if wide.size == 0:
            return
        r = int(wide[np.argmax(most[wide] / least[wide])])
        mine = np.flatnonzero(row == r)
        small = int(column[mine[np.argmin(size[mine])]])
        name = problem.x_names[small] if small < problem.n else problem.b_names[small - problem.n]
        others = f" ({wide.size - 1} more rows like it)" if wide.size > 1 else ""
        warnings.warn(
            f"row {problem.row_names[r]}: the term of {name} is about {least[r] / most[r]:.1e} of the largest one and "
            f"is lost in its rounding{others}; give the others smaller bounds or coefficients, or split the row",
            ScaleWarning, stacklevel=3,
        )  # fmt: skip


def _require_range(problem: Problem) -> None:
    """Refuse numbers whose squares are no numbers."""
    for name in ("q", "p", "x_lower", "x_upper", "row_lower", "row_upper", "b_lower", "b_upper"):
        _require(name, getattr(problem, name))
    for name in ("A", "G", "B"):
        _require(name, getattr(problem, name).data)
    _require("Q", problem.Q.diagonal())


def _require(name: str, values: Vector) -> None:
    exponents = np.frexp(values[np.isfinite(values) & (values != 0)])[1]
    if exponents.size and max(int(exponents.max()), -int(exponents.min())) > LARGEST_EXPONENT:
        raise ProblemError(
            f"{name} has an entry beyond 1e±{int(LARGEST_EXPONENT * 0.3)}; its square is no number: use other units"
        )


def _exponents(values: Vector) -> Exponents:
    """The largest powers of two that are not above the values; 0 for 0 and for infinity."""
    usable = np.isfinite(values) & (values > 0)
    return np.where(usable, np.frexp(np.where(usable, values, 1.0))[1].astype(np.int64) - 1, 0)


def _objective(problem: Problem, columns: Exponents) -> int:
    """The objective's unit, as an exponent: a typical cost is near 1, and the largest not beyond reach."""
    costs = np.concatenate([
        np.abs(np.ldexp(problem.q, columns)), np.ldexp(np.abs(problem.Q.diagonal()), 2 * columns), np.abs(problem.p)
    ])  # fmt: skip
    costs = np.sort(costs[costs > 0])
    if costs.size == 0:
        return 0
    typical, largest = _exponents(costs[[(costs.size - 1) // 2, -1]])
    return -int(max(typical, largest - WIDEST_COSTS))


def _largest(matrix: sparse.csr_array, entries: Vector) -> Vector:
    """The largest entry of every row, 0 for an empty one."""
    most = np.zeros(matrix.shape[0])
    np.maximum.at(most, np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)), entries)
    return most


def _reach(problem: Problem) -> Vector:
    """The largest |x| that the bounds, or rows, allow; infinite where there is none."""
    given = np.maximum(np.abs(problem.x_lower), np.abs(problem.x_upper))
    implied = np.maximum(*(np.abs(bound) for bound in implied_bounds(problem)))
    return np.where(implied > given * 2.0**-NOISE, implied, given)  # below, it says that x is 0 up to rounding


def _columns(problem: Problem) -> Exponents:
    """The unit of every x, as an exponent.

    Everything here is a function of products such as |a_ij| times a bound, of which multiplying columns or rows by
    powers of two changes no digit.
    """
    n, A, diagonal = problem.n, problem.A, problem.Q.diagonal()
    row = np.repeat(np.arange(problem.rows), np.diff(A.indptr))
    entry = np.abs(A.data)
    limits = np.maximum(*(np.where(np.isfinite(v), np.abs(v), 0.0) for v in (problem.row_lower, problem.row_upper)))
    limits = np.maximum(limits, _largest(problem.G, np.abs(problem.G.data)))
    # What the limits of its rows ask of x, and where its parabola is lowest.
    asked = np.zeros(n)
    np.maximum.at(asked, A.indices, limits[row] / entry)
    with np.errstate(divide="ignore", invalid="ignore"):
        asked = np.maximum(asked, np.where(diagonal > 0, np.abs(problem.q) / (2.0 * diagonal), 0.0))
        # Products of x tie their sizes: what has curvature and nothing else is as large as the largest of the others.
        curved = np.where((asked > 0) & (diagonal > 0), asked * asked * diagonal, 0.0)
        if curved.any():
            largest = int(curved.argmax())
            tied = asked[largest] * np.sqrt(diagonal[largest] / diagonal)
            asked = np.where((asked == 0) & (diagonal > 0), tied, asked)
            # So is an x without any limit that a switch chooses among others: where it is on its parabola says little.
            chosen = problem.switched & np.isinf(problem.x_lower) & np.isinf(problem.x_upper) & (diagonal > 0)
            asked = np.where(chosen, np.maximum(asked, tied), asked)
    # Where nothing else tells, the limit on one side does.
    own = np.maximum(*(np.where(np.isfinite(v), np.abs(v), 0.0) for v in (problem.x_lower, problem.x_upper)))
    asked = np.where(asked == 0, own, asked)
    size = _reach(problem)
    size = np.where(size > 0, size, np.inf)  # fixed to zero: its bounds say nothing of its units
    for _ in range(ROUNDS):
        # What the other terms of its rows and their limits can balance; nothing where one of them has no size yet.
        most, second, owner = _two_largest(entry * size[A.indices], row, A.indices, problem.rows)
        others = np.maximum(np.where(owner[row] == A.indices, second[row], most[row]), limits[row])
        balanced = np.zeros(n)
        np.maximum.at(balanced, A.indices, others / entry)
        known = (balanced > 0) & np.isfinite(balanced)
        smaller = np.where(known, np.minimum(size, balanced), size)
        if np.array_equal(smaller, size):
            break
        size = smaller
    # A bound that was given stays the unit where the rows say about the same: problems of one family share their units.
    given = np.maximum(np.abs(problem.x_lower), np.abs(problem.x_upper))
    size = np.where((given > size) & (given <= size * 2.0**ALIKE), given, size)
    loose = (asked > 0) & (size > asked * 2.0**LOOSE)
    unknown = np.isinf(size)
    exponents = np.where(unknown, _exponents(asked), _exponents(size))
    middle = (_exponents(size) + _exponents(asked)) // 2
    exponents = np.where(loose & ~unknown, middle, exponents)
    lost = unknown & (asked == 0)
    return _from_costs(problem, exponents, lost) if lost.any() else exponents


def _from_costs(problem: Problem, exponents: Exponents, lost: NDArray[np.bool_]) -> Exponents:
    """Units for x of which no bound and no limit says anything: so that they cost about what the others do."""
    q, diagonal = np.abs(problem.q), problem.Q.diagonal()
    known = ~lost
    costs = np.concatenate([
        np.ldexp(q, exponents)[known], np.ldexp(diagonal, 2 * exponents)[known], np.abs(problem.p)
    ])  # fmt: skip
    costs = costs[costs > 0]
    if costs.size == 0:
        return exponents
    typical = float(np.sort(costs)[(costs.size - 1) // 2])
    linear, curved = lost & (q > 0), lost & (q == 0) & (diagonal > 0)
    with np.errstate(divide="ignore"):
        exponents = np.where(linear, _exponents(typical / np.where(linear, q, 1.0)), exponents)
        return np.where(curved, _exponents(typical / np.where(curved, diagonal, 1.0)) // 2, exponents)


def _two_largest(
    values: Vector, row: NDArray[np.intp], column: NDArray[np.intp], rows: int
) -> tuple[Vector, Vector, NDArray[np.intp]]:
    """The largest value of every row, the largest of the others, and the column of the first."""
    order = np.lexsort((column, values, row))
    sorted_rows = row[order]
    most, second, owner = np.zeros(rows), np.zeros(rows), np.full(rows, -1, dtype=np.intp)
    last = np.flatnonzero(np.append(sorted_rows[1:] != sorted_rows[:-1], True)) if order.size else order
    most[sorted_rows[last]], owner[sorted_rows[last]] = values[order[last]], column[order[last]]
    before = last[(last > 0) & (np.append(-1, sorted_rows)[last] == sorted_rows[last])] if order.size else last
    second[sorted_rows[before]] = values[order[before - 1]]
    return most, second, owner
