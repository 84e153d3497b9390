"""What a problem states of quantities in several modes, with x and rows of its own: trades, and columns alike."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy import sparse

from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import DenseForm, SparseForm, Vector

#: A row on b with more binaries than this is not looked at for pairs that exclude each other.
LARGEST_SET = 100


class Part(NamedTuple):
    """What is bought or sold of a quantity: `scale` times an x, within limits, by a switch (-1 for none)."""

    column: int
    scale: float
    lower: float
    upper: float
    switch: int


@dataclass(frozen=True)
class Quantity:
    """x[column] = constant + up - down, by a row."""

    column: int
    row: int
    constant: float
    up: Part | None
    down: Part | None

    @property
    def parts(self) -> Iterator[Part]:
        """Those that there are."""
        return (part for part in (self.up, self.down) if part is not None)


@dataclass(frozen=True)
class Alike:
    """Columns of Q that are those of the first but for their signs, of which at most one x is not zero."""

    columns: tuple[int, ...]
    signs: tuple[float, ...]
    #: Pairs whose switches are made to exclude each other.
    apart: tuple[tuple[int, int], ...]


class Reader:
    """A problem, and what is asked of it again and again."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.curvature = problem.Q.diagonal()
        switched = np.flatnonzero(problem.switched)
        #: The x of every binary.
        self.users: dict[int, set[int]] = {}
        for j in switched:
            self.users.setdefault(int(problem.switch[j]), set()).add(int(j))
        self._A, self._G, self._B = (sparse.csc_array(M) for M in (problem.A, problem.G, problem.B))
        self._sets = _exclusive_sets(problem)
        low, high = problem.x_lower, problem.x_upper
        hull = (
            np.where(problem.switched, np.minimum(low, 0.0), low),
            np.where(problem.switched, np.maximum(high, 0.0), high),
        )
        none, one = np.zeros(problem.m), np.ones(problem.m)
        reach = [a + g for a, g in zip(_range(problem.A, *hull), _range(problem.G, none, one), strict=True)]
        self._limits = _that_bind(problem.row_lower, problem.row_upper, *reach)
        self._b_limits = _that_bind(problem.b_lower, problem.b_upper, *_range(problem.B, none, one))

    def _entries(self, matrix: sparse.csc_array, column: int) -> dict[int, float]:
        part = slice(matrix.indptr[column], matrix.indptr[column + 1])
        return dict(zip(matrix.indices[part].tolist(), matrix.data[part].tolist(), strict=True))

    def exclude(self, i: int, j: int) -> bool:
        """Whether a row on b lets at most one of two binaries be on."""
        return i >= 0 and j >= 0 and i != j and bool(self._sets.get(i, set()) & self._sets.get(j, set()))

    def can_be_switched_off(self, binary: int) -> bool:
        """Whether switching a binary off breaks no row and costs nothing, its x being zero."""
        problem = self.problem
        if problem.p[binary] < 0:
            return False
        in_rows, on_b = self._entries(self._G, binary), self._entries(self._B, binary)
        return _may_fall(in_rows, *self._limits) and _may_fall(on_b, *self._b_limits)

    def may_both_fall(self, i: int, j: int, scale: Fraction, without: int = -1) -> bool:
        """Whether taking t off x_i and scale * t off x_j breaks no row but one, and costs nothing: without rounding."""
        problem = self.problem
        if Fraction(problem.q[i]) + scale * Fraction(problem.q[j]) < 0:
            return False
        change = {row: Fraction(value) for row, value in self._entries(self._A, i).items()}
        for row, value in self._entries(self._A, j).items():
            change[row] = change.get(row, Fraction(0)) + scale * Fraction(value)
        change.pop(without, None)
        return _may_fall(change, *self._limits)


def _range(matrix: sparse.csr_array, lower: Vector, upper: Vector) -> tuple[Vector, Vector]:
    """The least and the largest that rows can be, for entries within limits."""
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    with np.errstate(invalid="ignore"):
        ends = np.stack([matrix.data * lower[matrix.indices], matrix.data * upper[matrix.indices]])
        ends = np.where(matrix.data != 0, ends, 0.0)
    least, most = (
        np.bincount(row, part, matrix.shape[0]).astype(float) for part in (ends.min(axis=0), ends.max(axis=0))
    )
    return least, most


def _that_bind(lower: Vector, upper: Vector, least: Vector, most: Vector) -> tuple[Vector, Vector]:
    """Limits, but for those that are no limits."""
    return np.where(lower <= least, -np.inf, lower), np.where(upper >= most, np.inf, upper)


def _may_fall(change: Mapping[int, float | Fraction], lower: Vector, upper: Vector) -> bool:
    """Whether rows may fall by multiples of these."""
    return all(
        (change[row] >= 0 or upper[row] == math.inf) and (change[row] <= 0 or lower[row] == -math.inf) for row in change
    )


def _exclusive_sets(problem: Problem) -> dict[int, set[int]]:
    """For every binary the rows on b that let no two of theirs be on."""
    B, sets = problem.B, dict[int, set[int]]()
    for row in np.flatnonzero(
        (np.diff(B.indptr) >= 2) & (np.diff(B.indptr) <= LARGEST_SET) & np.isfinite(problem.b_upper)
    ):
        part = slice(B.indptr[row], B.indptr[row + 1])
        values = np.sort(B.data[part])
        if values[0] > 0 and values[0] + values[1] > problem.b_upper[row] * (1 + 1e-9):
            for i in B.indices[part]:
                sets.setdefault(int(i), set()).add(int(row))
    return sets


def trades(reader: Reader) -> list[Quantity]:
    """Quantities that an equation ties to what is bought and sold."""
    problem, A = reader.problem, reader.problem.A
    width = np.diff(A.indptr)
    tied = (width >= 2) & (width <= 3) & (np.diff(problem.G.indptr) == 0) & (problem.row_lower == problem.row_upper)
    found, used = [], set[int]()
    for row in np.flatnonzero(tied):
        quantity = _trade(reader, int(row))
        if quantity is None:
            continue
        columns = {quantity.column, *(part.column for part in quantity.parts)}
        if not columns & used:
            used |= columns
            found.append(quantity)
    return found


def _trade(reader: Reader, row: int) -> Quantity | None:
    problem, A = reader.problem, reader.problem.A
    at = slice(A.indptr[row], A.indptr[row + 1])
    columns, values = A.indices[at].astype(int), A.data[at]
    curved = reader.curvature[columns] > 0
    if curved.sum() != 1:
        return None
    w, own = int(columns[curved][0]), float(values[curved][0])
    sides: dict[bool, Part] = {}
    for y, value in zip(columns[~curved].tolist(), values[~curved].tolist(), strict=True):
        factor, lower, upper = -value / own, float(problem.x_lower[y]), float(problem.x_upper[y])
        switch = int(problem.switch[y])
        if lower < 0 or (switch < 0 and lower != 0) or not upper > 0 or (factor > 0) in sides:
            return None
        scale = abs(factor)
        if not _exact(factor, own, -value):
            return None
        limits = _product(scale, lower, -math.inf), _product(scale, upper, math.inf)
        sides[factor > 0] = Part(y, scale, limits[0] if lower > 0 else 0.0, limits[1], switch)
    constant, right = float(problem.row_lower[row]) / own, float(problem.row_lower[row])
    quantity = Quantity(w, row, constant, sides.get(True), sides.get(False))
    return quantity if _exact(constant, own, right) and _is_one(reader, quantity) else None


def _exact(factor: float, other: float, product: float) -> bool:
    """Whether a product of two numbers is what it is said to be, to the last digit."""
    return Fraction(factor) * Fraction(other) == Fraction(product)


def _rounded(value: float, side: float) -> float:
    """A number that rounding cannot have moved past the true one."""
    return math.nextafter(value, side) if math.isfinite(value) else value


def _product(one: float, other: float, side: float) -> float:
    """A product, rounded to a side where it is rounded at all."""
    found = one * other
    return found if not math.isfinite(found) or _exact(one, other, found) else _rounded(found, side)


def rounded_sum(one: float, other: float, side: float) -> float:
    """A sum, rounded to a side where it is rounded at all."""
    total = one + other
    if not math.isfinite(total) or Fraction(one) + Fraction(other) == Fraction(total):
        return total
    return _rounded(total, side)


def _is_one(reader: Reader, quantity: Quantity) -> bool:
    """Whether nothing else depends on its switches, and at most one side of it is not zero."""
    held = int(reader.problem.switch[quantity.column])
    switches = {part.switch for part in quantity.parts if part.switch >= 0}
    if held in switches or (held < 0 and not switches):
        return False
    if held >= 0 and reader.users[held] != {quantity.column}:
        return False
    columns = {part.column for part in quantity.parts}
    if any(not reader.users[switch] <= columns or not reader.can_be_switched_off(switch) for switch in switches):
        return False
    up, down = quantity.up, quantity.down
    if up is None or down is None or reader.exclude(up.switch, down.switch):
        return True
    if up.lower > 0 or down.lower > 0:
        return False
    return reader.may_both_fall(up.column, down.column, Fraction(up.scale) / Fraction(down.scale), quantity.row)


def alike(reader: Reader, taken: set[int]) -> list[Alike]:
    """Sets of columns of Q that are the same but for their signs, with switches that exclude each other."""
    problem, Q = reader.problem, reader.problem.Q
    if not isinstance(Q, DenseForm | SparseForm):
        return []
    own = np.where(problem.switched, reader.curvature, 0.0)
    own[list(taken)] = 0.0
    candidates = np.flatnonzero(own > 0)
    values, group, count = np.unique(own[candidates], return_inverse=True, return_counts=True)
    found = []
    everything = np.arange(problem.n)
    for g in np.flatnonzero(count > 1):
        left = candidates[group == g].tolist()
        while len(left) > 1:
            first = left.pop(0)
            line = Q.block(np.array([first]), everything).ravel()
            same = [(j, math.copysign(1.0, line[j])) for j in left if abs(line[j]) == values[g]]
            same = [
                (j, sign) for j, sign in same if np.array_equal(Q.block(np.array([j]), everything).ravel(), sign * line)
            ]
            entry = _one_of(reader, [(first, 1.0), *same])
            if entry is not None:
                left = [j for j in left if j not in entry.columns]
                found.append(entry)
    return found


def _one_of(reader: Reader, columns: list[tuple[int, float]]) -> Alike | None:
    """The columns as a set of which one is not zero; None where that is not so."""
    if len(columns) < 2:
        return None
    apart = []
    for (i, sign), (j, other) in combinations(columns, 2):
        switches = [int(reader.problem.switch[k]) for k in (i, j)]
        if reader.exclude(*switches):
            continue
        users = set().union(*(reader.users[switch] for switch in switches))
        free = users == {i, j} and all(map(reader.can_be_switched_off, switches))
        limits = reader.problem.x_lower[[i, j]]
        if not (free and sign != other and not limits.any() and reader.may_both_fall(i, j, Fraction(1.0))):
            return None
        apart.append((i, j))
    if apart and len(columns) > 2:
        return None
    return Alike(tuple(i for i, _ in columns), tuple(sign for _, sign in columns), tuple(apart))
