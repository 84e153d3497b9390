"""Quantities in one of several modes, recognised where a problem states them with variables and rows of its own.

A holding is kept, bought or sold, long or short: of the x that say so at most one is not zero. Where w is the quantity
and x_m its modes, w = sum of x_m and w^2 = sum of x_m^2, so that a diagonal below the Q of the quantities is one for
every mode (`spread`), and d x_m^2 / b_m may be used for each of them. Stated with an x for the quantity and others for
what is bought and sold, or with all of them in Q, no diagonal fits below Q, or it is on an x without a switch. Two ways
to state it are recognised:

- **a trade**: w = c + up - down, by an equation; w alone is in Q. The modes are w = c, w above c, w below c;
- **columns alike**: x_i and x_j whose columns of Q are the same but for the sign.

That no two modes are on at once is said by a row on b, or costs keep them apart: taking the same off both, and
switching off what is zero then, breaks no row and costs nothing. Every optimum of the problem given is one of the
problem with modes (`Recognised.problem`), with the same value, and points go back and forth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.bounds.mode_form import diagonal_on, spread
from hybridmip.bounds.mode_reading import Alike, Quantity, Reader, alike, rounded_sum, trades
from hybridmip.model.names import fresh
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Binary, DenseForm, SparseForm, Vector
from hybridmip.model.units import Units

#: Most x of a problem with modes: Q is dense there.
LARGEST = 2000
#: Most x of a quantity as it is stated: itself, what is bought and what is sold.
STATED = 3
#: A trade below this share of what is held is none.
NO_TRADE = 1e-12
#: Relative error of a few sums and products.
ROUNDING = 8.0 * float(np.finfo(float).eps)
KEPT, UP, DOWN = "kept", "up", "down"


@dataclass(frozen=True)
class Mode:
    """A way in which a quantity can be: x and b of the problem with modes."""

    kind: str
    x: int
    b: int


@dataclass(frozen=True, eq=False)
class Recognised:
    """A problem, the same one with modes, and the way there and back.

    Attributes
    ----------
    given, problem : Problem
    diagonal : ndarray, shape (given.n,)
        The diagonal below Q that the modes have.
    """

    given: Problem
    problem: Problem
    diagonal: Vector
    #: x = x_of_x x' + x_of_b b' + x_constant, and b likewise.
    x_of_x: sparse.csr_array = field(repr=False)
    x_of_b: sparse.csr_array = field(repr=False)
    x_constant: Vector = field(repr=False)
    b_of_b: sparse.csr_array = field(repr=False)
    b_constant: Vector = field(repr=False)
    quantities: tuple[tuple[Quantity, tuple[Mode, ...]], ...] = field(repr=False)
    alike: tuple[Alike, ...] = field(repr=False)

    def binaries_of(self, b: Binary) -> Binary:
        """The b given, of one of the problem with modes."""
        return np.asarray(self.b_of_b @ b.astype(np.float64) + self.b_constant > 0.5)

    def point_of(self, x: Vector, b: Binary) -> tuple[Vector, Binary]:
        """The point given, of one of the problem with modes."""
        found = self.x_of_x @ x + self.x_of_b @ b.astype(np.float64) + self.x_constant
        return np.asarray(found), self.binaries_of(b)

    def modes_at(self, x: Vector, b: Binary) -> Binary:
        """The b of the problem with modes, at a point of the one given."""
        switch, result = self.given.switch, np.zeros(self.problem.m, dtype=bool)
        # What stays: one binary of the problem with modes each.
        own = np.diff(self.b_of_b.indptr) == 1
        own &= self.b_constant == 0.0
        result[self.b_of_b.indices[self.b_of_b.indptr[:-1][own]]] = b[own]
        for quantity, modes in self.quantities:
            result[[mode.b for mode in modes]] = False
            held = int(switch[quantity.column])
            if held >= 0 and not b[held]:
                continue
            places = {mode.kind: mode.b for mode in modes}
            trade = float(x[quantity.column]) - quantity.constant
            none = abs(trade) <= NO_TRADE * max(1.0, abs(quantity.constant))
            still = none and not any(part.switch >= 0 and b[part.switch] for part in quantity.parts)
            if still and KEPT not in places and quantity.constant == 0.0 and held < 0:
                continue
            wanted = KEPT if still and KEPT in places else UP if trade >= 0 else DOWN
            result[places.get(wanted, next(iter(places.values())))] = True
        for entry in self.alike:
            for i, j in entry.apart:
                if switch[i] == switch[j]:
                    for k in (i, j):
                        result[self.problem.switch[self._place(k)]] = bool(x[k] != 0)
                    if x[i] == 0 and x[j] == 0:
                        result[self.problem.switch[self._place(i)]] = bool(b[switch[i]])
        return result

    def _place(self, column: int) -> int:
        """The x of the problem with modes that an x given is."""
        return int(self.x_of_x.indices[self.x_of_x.indptr[column]])


def recognised(problem: Problem, diagonal: Vector | None = None) -> Recognised | None:
    """The problem with modes; None where there are none to be seen.

    Parameters
    ----------
    problem : Problem
    diagonal : ndarray, optional
        A diagonal below Q for the modes, such as `Recognised.diagonal` of another time; found if left out.
    """
    if problem.is_linear or problem.m == 0 or problem.n > STATED * LARGEST:
        return None
    if not _may_have_some(problem):
        return None
    reader = Reader(problem)
    quantities = trades(reader)
    taken = {column for q in quantities for column in (q.column, *(part.column for part in q.parts))}
    same = alike(reader, taken)
    if not (quantities or same):
        return None
    return _Builder(reader, quantities, same).build(diagonal)


def _may_have_some(problem: Problem) -> bool:
    """A quick look that most problems do not pass: an equation of two or three x, equal entries on Q's diagonal."""
    width = np.diff(problem.A.indptr)
    if ((width >= 2) & (width <= 3) & (problem.row_lower == problem.row_upper)).any():
        return True
    if not isinstance(problem.Q, DenseForm | SparseForm) or problem.Q.below is not None:
        return False
    own = problem.Q.diagonal()[problem.switched]
    own = own[own > 0]
    return np.unique(own).size < own.size


class _Builder:
    """Puts the problem with modes together: first what stays, then the modes."""

    def __init__(self, reader: Reader, quantities: list[Quantity], alike: list[Alike]) -> None:
        self.reader, self.problem = reader, reader.problem
        self.quantities, self.alike = quantities, alike
        problem = self.problem
        gone_x = {column for q in quantities for column in (q.column, *(part.column for part in q.parts))}
        gone_b = {int(problem.switch[column]) for column in gone_x} - {-1}
        split = {int(problem.switch[i]) for a in alike for i, j in a.apart if problem.switch[i] == problem.switch[j]}
        self.x_kept = [j for j in range(problem.n) if j not in gone_x]
        self.b_kept = [i for i in range(problem.m) if i not in gone_b | split]
        place_b = {i: k for k, i in enumerate(self.b_kept)}
        self.lower = problem.x_lower[self.x_kept].tolist()
        self.upper = problem.x_upper[self.x_kept].tolist()
        self.switch = [place_b.get(int(problem.switch[j]), -1) for j in self.x_kept]
        self.x_names = [problem.x_names[j] for j in self.x_kept]
        self.b_names = [problem.b_names[i] for i in self.b_kept]
        #: The column of Q that every x has, and its sign.
        self.column, self.sign = list(self.x_kept), [1.0] * len(self.x_kept)
        # Entries of the maps: (given, with modes, value).
        self.x_of_x = [(j, k, 1.0) for k, j in enumerate(self.x_kept)]
        self.x_of_b: list[tuple[int, int, float]] = []
        self.b_of_b = [(i, k, 1.0) for k, i in enumerate(self.b_kept)]
        self.x_constant, self.b_constant = np.zeros(problem.n), np.zeros(problem.m)
        #: Binaries of which one is on, at least so many, by name.
        self.sets: list[tuple[list[int], float, str]] = []

    def build(self, diagonal: Vector | None) -> Recognised | None:
        """The problem with modes; None where a quantity can be in no mode."""
        problem = self.problem
        found = []
        for quantity in self.quantities:
            modes = self._modes(quantity)
            if not modes:
                return None
            found.append((quantity, tuple(modes)))
        for entry in self.alike:
            self._keep_apart(entry)
        n, m = len(self.column), len(self.b_names)
        if n > LARGEST:
            return None
        if diagonal is None:
            # In units of their own, which are powers of two, so that it is the same in all units.
            units = Units.of(problem)
            found_there = diagonal_on(units.problem.Q, np.unique(self.column))
            diagonal = np.ldexp(found_there, -2 * units.columns - units.objective)
        shape = problem.n, problem.m
        Tx, Tb = _sparse(self.x_of_x, (shape[0], n)), _sparse(self.x_of_b, (shape[0], m))
        Sb = _sparse(self.b_of_b, (shape[1], m))
        gone = {quantity.row for quantity in self.quantities}
        rows = np.array([row for row in range(problem.rows) if row not in gone], dtype=np.intp)
        A, G = sparse.csr_array(problem.A[rows]), sparse.csr_array(problem.G[rows])
        A_new, G_new = sparse.csr_array(A @ Tx), sparse.csr_array(A @ Tb + G @ Sb)
        shift = A @ self.x_constant + G @ self.b_constant
        B_new = sparse.csr_array(problem.B @ Sb)
        for matrix in (A_new, G_new, B_new):
            matrix.eliminate_zeros()
        # What rounding can have changed is given: the problem with modes is never better than it may be.
        error, b_error, in_objective = self._rounding(Tx, Tb, Sb)
        if not (np.isfinite(error).all() and np.isfinite(b_error).all() and math.isfinite(in_objective)):
            return None
        error = error[rows]
        low, high = problem.row_lower[rows] - shift - error, problem.row_upper[rows] - shift + error
        moved = problem.B @ self.b_constant
        b_low, b_high = problem.b_lower - moved - b_error, problem.b_upper - moved + b_error
        names = [problem.row_names[row] for row in rows]
        # Rows that have no x left are rows on b.
        with_x = np.diff(A_new.indptr) > 0
        says = np.diff(G_new.indptr) > 0
        only_b = np.flatnonzero(~with_x & says)
        one_of = _sparse(
            [(k, i, 1.0) for k, (members, _, _) in enumerate(self.sets) for i in members], (len(self.sets), m)
        )
        kept = np.flatnonzero(with_x | (~says & ((low > 0) | (high < 0))))
        new = Problem(
            Q=spread(problem.Q, np.array(self.column, dtype=np.intp), diagonal, np.array(self.sign)),
            q=Tx.T @ problem.q, p=Tb.T @ problem.q + Sb.T @ problem.p,
            offset=problem.offset + float(problem.q @ self.x_constant + problem.p @ self.b_constant) - in_objective,
            A=A_new[kept], G=G_new[kept], row_lower=low[kept], row_upper=high[kept],
            row_names=[names[row] for row in kept],
            B=sparse.csr_array(sparse.vstack([B_new, G_new[only_b], one_of])),
            b_lower=np.concatenate([b_low, low[only_b], [least for _, least, _ in self.sets]]),
            b_upper=np.concatenate([b_high, high[only_b], np.ones(len(self.sets))]),
            b_row_names=fresh(
                [*problem.b_row_names, *(names[row] for row in only_b), *(name for _, _, name in self.sets)], set(), " "
            ),
            x_lower=self.lower, x_upper=self.upper, switch=np.array(self.switch, dtype=np.intp), binaries=m,
            x_names=fresh(self.x_names, set(), " "), b_names=fresh(self.b_names, set(), " "),
        )  # fmt: skip
        return Recognised(
            problem, new, diagonal, Tx, Tb, self.x_constant, Sb, self.b_constant, tuple(found), tuple(self.alike)
        )

    def _rounding(
        self, Tx: sparse.csr_array, Tb: sparse.csr_array, Sb: sparse.csr_array
    ) -> tuple[Vector, Vector, float]:
        """What rounding can have changed of every row, of every row on b and of the objective, at most.

        Copies of entries are exact, and so are sums of whole numbers; what is bought and sold is neither.
        """
        problem = self.problem
        parts = [part.column for quantity in self.quantities for part in quantity.parts]
        reach = np.maximum(np.abs(self.lower), np.abs(self.upper))
        size_x = abs(Tx) @ np.where(np.isfinite(reach), reach, np.inf) + abs(Tb).sum(axis=1) + np.abs(self.x_constant)
        size_b = abs(Sb).sum(axis=1) + np.abs(self.b_constant)
        split = np.ones(problem.m, dtype=bool)
        split[self.b_kept] = False

        def inexact(matrix: sparse.csr_array) -> NDArray[np.bool_]:
            broken = sparse.csr_array(
                (matrix.data != np.round(matrix.data), matrix.indices, matrix.indptr), matrix.shape
            )
            return np.asarray(broken @ split.astype(float) > 0)

        def charged(matrix: sparse.csr_array, size: Vector) -> Vector:
            with np.errstate(invalid="ignore"):
                terms = np.where(matrix.data != 0, np.abs(matrix.data) * size[matrix.indices], 0.0)
            row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
            return np.bincount(row, terms, matrix.shape[0]).astype(float)

        traded = np.zeros(problem.n)
        traded[parts] = 1.0
        rough = (abs(problem.A) @ traded > 0) | inexact(problem.G)
        error = np.where(rough, ROUNDING * (charged(problem.A, size_x) + charged(problem.G, size_b)), 0.0)
        b_error = np.where(inexact(problem.B), ROUNDING * charged(problem.B, size_b), 0.0)
        in_objective = 0.0
        if problem.q[parts].any() or problem.p[split].any():
            mixed = np.array(
                [column for q in self.quantities for column in (q.column, *(p.column for p in q.parts))], int
            )
            with np.errstate(invalid="ignore"):
                terms = np.where(problem.q[mixed] != 0, np.abs(problem.q[mixed]) * size_x[mixed], 0.0)
            in_objective = ROUNDING * float(
                terms.sum() + np.abs(problem.p[split]) @ size_b[split] + abs(problem.offset)
            )
        return np.where(rough, error, 0.0), b_error, in_objective

    def _new(self, name: str, lower: float, upper: float, column: int) -> Mode:
        """A new x with a switch of its own."""
        x, b = len(self.column), len(self.b_names)
        self.column.append(column)
        self.sign.append(1.0)
        self.lower.append(lower)
        self.upper.append(upper)
        self.switch.append(b)
        self.x_names.append(name)
        self.b_names.append(name)
        return Mode("", x, b)

    def _modes(self, quantity: Quantity) -> list[Mode]:
        """The modes of a quantity, and what the x and b given are in terms of them."""
        problem, w, c = self.problem, quantity.column, quantity.constant
        name, held = problem.x_names[w], int(problem.switch[w])
        low, high = float(problem.x_lower[w]), float(problem.x_upper[w])
        up, down = quantity.up, quantity.down
        absent = self._may_be_absent(quantity, held)
        ranges: list[tuple[str, float, float]] = []
        # Absent is held no longer: where that may not be switched off it is no way to be still.
        off = held < 0 or self.reader.can_be_switched_off(held)
        if all(part.switch >= 0 for part in quantity.parts) and low <= c <= high and (c != 0.0 or not (off and absent)):
            ranges.append((KEPT, c, c))
        if down is not None:
            ends = rounded_sum(c, -down.upper, -math.inf), rounded_sum(c, -down.lower, math.inf)
            ranges.append((DOWN, max(low, ends[0]), min(high, ends[1])))
        if up is not None:
            ends = rounded_sum(c, up.lower, -math.inf), rounded_sum(c, up.upper, math.inf)
            ranges.append((UP, max(low, ends[0]), min(high, ends[1])))
        still = any(kind == KEPT for kind, _, _ in ranges) or (c == 0.0 and absent and off)
        modes = [
            Mode(kind, *_numbers(self._new(f"{name} ({kind})", lower, upper, w)))
            for kind, lower, upper in ranges
            if lower <= upper and not (kind != KEPT and lower == upper == c and still)
        ]
        by_kind = {mode.kind: mode for mode in modes}
        self.x_of_x += [(w, mode.x, 1.0) for mode in modes]
        for part, kind, sign, leaves in ((up, UP, 1.0, c < 0), (down, DOWN, -1.0, c > 0)):
            if part is None:
                continue
            if kind in by_kind:
                mode = by_kind[kind]
                self.x_of_x.append((part.column, mode.x, sign / part.scale))
                self.x_of_b.append((part.column, mode.b, -sign * c / part.scale))
                if part.switch >= 0:
                    self.b_of_b.append((part.switch, mode.b, 1.0))
            if absent and leaves:  # all of it is sold, or bought back
                self.x_constant[part.column] += abs(c) / part.scale
                self.x_of_b += [(part.column, mode.b, -abs(c) / part.scale) for mode in modes]
                if part.switch >= 0:
                    self.b_constant[part.switch] += 1.0
                    self.b_of_b += [(part.switch, mode.b, -1.0) for mode in modes]
        if held >= 0:
            self.b_of_b += [(held, mode.b, 1.0) for mode in modes]
        if modes and (len(modes) > 1 or not absent):
            self.sets.append(([mode.b for mode in modes], 0.0 if absent else 1.0, f"one way of {name}"))
        return modes

    def _may_be_absent(self, quantity: Quantity, held: int) -> bool:
        """Whether a quantity can be zero without being in any mode."""
        problem, w, c = self.problem, quantity.column, quantity.constant
        if held < 0:
            return c == 0.0 and bool(problem.x_lower[w] <= 0 <= problem.x_upper[w])
        part = quantity.down if c > 0 else quantity.up
        return c == 0.0 or (part is not None and part.lower <= abs(c) <= part.upper)

    def _keep_apart(self, entry: Alike) -> None:
        """Columns that are alike: the first one's column with a sign; switches of their own, one of which is on."""
        place = {j: k for k, j in enumerate(self.x_kept)}
        for j, sign in zip(entry.columns, entry.signs, strict=True):
            self.column[place[j]], self.sign[place[j]] = entry.columns[0], sign
        for i, j in entry.apart:
            if self.problem.switch[i] == self.problem.switch[j]:
                shared = int(self.problem.switch[i])
                for k in (i, j):
                    b = len(self.b_names)
                    self.b_names.append(f"{self.problem.b_names[shared]} ({self.problem.x_names[k]})")
                    self.switch[place[k]] = b
                    self.b_of_b.append((shared, b, 1.0))
            both = [self.switch[place[k]] for k in (i, j)]
            self.sets.append((both, 0.0, f"{self.problem.x_names[i]} or {self.problem.x_names[j]}"))


def _numbers(mode: Mode) -> tuple[int, int]:
    return mode.x, mode.b


def _sparse(entries: list[tuple[int, int, float]], shape: tuple[int, int]) -> sparse.csr_array:
    rows, columns, values = zip(*entries, strict=True) if entries else ((), (), ())
    matrix = sparse.csr_array((np.array(values, dtype=np.float64), (rows, columns)), shape=shape)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix
