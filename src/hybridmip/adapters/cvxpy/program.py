"""The cone program that cvxpy makes of a model, and the mixed-integer program that says the same without its cones.

cvxpy states   minimise v'Pv / 2 + cost'v + offset   subject to   right - matrix v in K,

K being zeros, then nonnegative numbers, then second-order cones (s_0 >= |s_1..|). Our model has rows, bounds and a
quadratic objective, so this is rewritten, and no feasible point or value is changed by it:

- a row with one column is a bound;
- a free column that an equation defines (cvxpy's t = F w for |F w|^2) is what it is defined as;
- a cone whose t is in the objective only is a part of the objective: t^2 is |u|^2; t >= |u|^2 / g, stated as
  (g + t, g - t, 2u), is that quadratic; and where t is all there is to minimise, so is |u|^2, and t its root;
- a free column that only lies between some and others (|w| <= M b by way of a t) is projected out.

A cone that is left over limits something, and has no place in the model: `NotServedError` names it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from cvxpy.error import SolverError
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.errors import ProblemError
from hybridmip.io.model import Model
from hybridmip.model.quadratic import Matrix, Vector

Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]

#: What messages call the model.
SOURCE = "the cvxpy problem"
#: A column is replaced by its definition where its coefficient is at least this share of the largest one.
SMALLEST_PIVOT = 1e-3
#: Bounds that cross by no more than this are one number, rounded twice.
CROSSED = 1e-9
#: A quadratic form is left in factors where it has this many columns for each; with fewer, products are no slower.
COLUMNS_PER_FACTOR = 2
#: Above so many defined columns, products are formed instead of a root.
MOST_FACTORS = 5_000
#: So many names of a cone's columns are told.
NAMES_TOLD = 4


class NotServedError(ProblemError, SolverError):  # type: ignore[misc]
    """The model has something that ours cannot hold; also a cvxpy `SolverError`, as its callers expect.

    Examples
    --------
    >>> import cvxpy as cp
    >>> import hybridmip as hm
    >>> x, b = cp.Variable(2, name="x"), cp.Variable(2, boolean=True)
    >>> problem = cp.Problem(cp.Minimize(cp.sum(b)), [cp.norm(x) <= 1, x <= b])
    >>> try:
    ...     problem.solve(solver=hm.cvxpy.HYBRIDMIP)
    ... except hm.cvxpy.NotServedError as error:
    ...     print(str(error).partition(":")[0])
    the cvxpy problem has a second-order cone over x[0], x[1] that HYBRIDMIP cannot move into the objective
    """


class NoPointError(Exception):
    """Bounds cross: there is no feasible point."""


@dataclass(frozen=True, eq=False)
class ConeProgram:
    """minimise v'Pv / 2 + cost'v + offset subject to right - matrix v in K, lower <= v <= upper.

    Attributes
    ----------
    quadratic : sparse, shape (columns, columns)
        P, symmetric; note the half.
    cost, lower, upper : ndarray, shape (columns,)
    matrix : sparse, shape (rows, columns)
        First the `zero` equations, then the `nonnegative` inequalities, then the rows of the cones; no entry is zero.
    right : ndarray, shape (rows,)
    cones : list of int
        How many rows each second-order cone has.
    integer : ndarray of bool, shape (columns,)
    names, row_names : list of str
    """

    quadratic: sparse.csr_array = field(repr=False)
    cost: Vector = field(repr=False)
    offset: float
    matrix: sparse.csr_array = field(repr=False)
    right: Vector = field(repr=False)
    zero: int
    nonnegative: int
    cones: list[int]
    lower: Vector = field(repr=False)
    upper: Vector = field(repr=False)
    integer: Mask = field(repr=False)
    names: list[str] = field(repr=False)
    row_names: list[str] = field(repr=False)

    def reduced(self) -> Reduced:
        """The same without cones.

        Raises
        ------
        NotServedError
            If a cone limits something.
        NoPointError
            If bounds cross.
        """
        return _Reduction(self).run()


@dataclass(frozen=True, eq=False)
class _Definition:
    """A column and the row that it was taken from."""

    column: int
    row: int


@dataclass(frozen=True, eq=False)
class _Epigraph:
    """A cone that became a part of the objective: its t, with s_0 = right_0 + factor t, is as small as the rest allows.

    `other` is the row of a rotated cone whose sum or difference with s_0 is `constant`; -1 where there is none.
    """

    column: int
    rows: Indices
    factor: float
    other: int = -1
    constant: float = 0.0
    rest: float = 0.0
    least: float = -math.inf

    def column_value(self, s: Vector, first: float) -> float:
        """t where the other rows of the cone are s, and the constant of s_0 is `first`."""
        if self.other < 0:
            reached = float(np.linalg.norm(s)) - first
        else:
            reached = (float(s @ s) / self.constant - self.rest) / 2
        return max(reached, self.least) / self.factor


@dataclass(frozen=True, eq=False)
class Reduced:
    """The program without cones, and the way back.

    Attributes
    ----------
    model : Model
        As a file would state it, without the factors.
    factors : ndarray or None, shape (factors, columns of the model)
        R, where the objective has |R v|^2 beside what `model` says, with far fewer factors than columns in them.
    root : tuple of (float, float, float, float) or None
        (slope, shift, least, offset) where the model minimises |u|^2 and the program
        slope max(|u| - shift, least) + offset.
    """

    program: ConeProgram = field(repr=False)
    model: Model
    factors: Matrix | None = field(repr=False)
    root: tuple[float, float, float, float] | None
    _columns: Indices = field(repr=False)
    _map: sparse.csr_array = field(repr=False)
    _shift: Vector = field(repr=False)
    _matrix: sparse.csr_array = field(repr=False)
    _right: Vector = field(repr=False)
    _between: tuple[tuple[int, sparse.csr_array, Vector], ...] = field(repr=False)
    _epigraphs: tuple[_Epigraph, ...] = field(repr=False)
    _definitions: tuple[_Definition, ...] = field(repr=False)
    _rows: Indices = field(repr=False)
    _pairs: tuple[tuple[int, int, Indices], ...] = field(repr=False)
    _bound_rows: Indices = field(repr=False)

    def value(self, of_model: float) -> float:
        """A value (or a bound) of the model as one of the program."""
        if self.root is None or not math.isfinite(of_model):
            return of_model
        slope, shift, least, offset = self.root
        return slope * max(math.sqrt(max(of_model, 0.0)) - shift, least) + offset

    def point(self, of_model: Vector) -> Vector:
        """The values of the program's columns at those of the model's."""
        inner = np.zeros(self.program.cost.size)
        inner[self._columns] = of_model
        for column, rows, right in reversed(self._between):
            inner[column] = float((rows @ inner + right).max())
        for epigraph in self._epigraphs:
            rest = np.array([r for r in epigraph.rows[1:] if r != epigraph.other], dtype=np.intp)
            s = self._right[rest] - self._matrix[rest] @ inner
            inner[epigraph.column] = epigraph.column_value(s, float(self._right[epigraph.rows[0]]))
        return np.asarray(self._map @ inner) + self._shift

    def start(self, values: Vector) -> Vector:
        """The values of the model's columns at those of the program's; what is not known (NaN) is zero."""
        return np.nan_to_num(values[self._columns])

    def multipliers(self, of_rows: Vector, point: Vector | None) -> Vector:
        """Duals of all rows of the program by cvxpy's signs: P v + cost + matrix' y = 0, y in the dual of K.

        Parameters
        ----------
        of_rows : ndarray
            Multipliers of the model's rows: gradient of the objective = rows' multipliers + those of bounds.
        point : ndarray or None
            The optimal v. Where there is none the multipliers prove that: matrix' y = 0 and right'y < 0.
        """
        program = self.program
        gradient = np.zeros(program.cost.size) if point is None else program.cost + program.quadratic @ point
        scale = 1.0
        if self.root is not None and point is not None:
            slope, shift, _, offset = self.root
            size = (float(program.cost @ point) + program.offset - offset) / slope + shift
            scale = slope / (2 * size) if size > 0 else 0.0
        y = np.zeros(program.right.size)
        own = self._rows >= 0
        y[self._rows[own]] = -scale * of_rows[own]
        for first, second, rows in self._pairs:
            minus, plus = -scale * of_rows[first], -scale * of_rows[second]
            y[rows] = (minus + plus, plus - minus) if rows.size == 2 else minus
        inner = self._map.T @ gradient
        slack = np.zeros(y.size) if point is None else program.right - program.matrix @ point
        for epigraph in self._epigraphs:
            slope, rows = float(inner[epigraph.column]) / epigraph.factor, epigraph.rows
            divisor = epigraph.constant if epigraph.other >= 0 else float(slack[rows[0]])
            y[rows[0]] = slope
            if divisor > 0:
                y[rows] = slope / divisor * slack[rows] * np.where(np.arange(rows.size) == 0, 1.0, -1.0)
        left = gradient + program.matrix.T @ y
        for definition in self._definitions:
            part = slice(*program.matrix.indptr[definition.row : definition.row + 2])
            columns, entries = program.matrix.indices[part], program.matrix.data[part]
            y[definition.row] = -left[definition.column] / float(entries[columns == definition.column][0])
            left[columns] += entries * y[definition.row]
        return self._with_bounds(y, left)

    def _with_bounds(self, y: Vector, left: Vector) -> Vector:
        """What is left of a column's slope belongs to the row that holds it: the tightest on that side."""
        program = self.program
        best: dict[tuple[int, bool], tuple[float, int, float]] = {}
        for r in self._bound_rows:
            at = program.matrix.indptr[r]
            column, entry = int(program.matrix.indices[at]), float(program.matrix.data[at])
            limit = float(program.right[r]) / entry
            for upper in (True, False) if r < program.zero else (entry > 0,):
                tightness = limit if upper else -limit
                if (column, upper) not in best or tightness < best[column, upper][0]:
                    best[column, upper] = tightness, int(r), entry
        for (column, upper), (_, r, entry) in best.items():
            if (left[column] < 0) == upper and left[column] != 0:
                y[r] = -left[column] / entry
        return y


class _Reduction:
    """One rewriting; what it knows while it goes on."""

    def __init__(self, program: ConeProgram) -> None:
        self.program = program
        self.count = program.cost.size
        self.matrix, self.right = _clean(program.matrix), program.right.copy()
        self.map: sparse.csr_array = sparse.eye_array(self.count, format="csr")
        self.shift = np.zeros(self.count)
        self.alive = np.ones(self.count, dtype=bool)
        #: Rows that are still to be held; those of cones are counted separately.
        self.linear = program.zero + program.nonnegative
        self.held = np.ones(self.linear, dtype=bool)
        self.lower, self.upper = program.lower.copy(), program.upper.copy()
        self.definitions: list[_Definition] = []
        self.epigraphs: list[_Epigraph] = []
        #: (weight, rows) of the squares that cones became.
        self.squares: list[tuple[float, Indices]] = []
        self.root: tuple[float, float, float, float] | None = None
        #: Rows that cones of two became: matrix, right, the cone's rows.
        self.pairs: list[tuple[sparse.csr_array, Vector, Indices]] = []
        self.between: list[tuple[int, sparse.csr_array, Vector]] = []

    def run(self) -> Reduced:
        """All steps, in order."""
        bound_rows = self._bounds()
        while self._replace_definitions():
            pass
        self._cones()
        extra = self._project() if self.program.integer.any() else []
        return self._result(bound_rows, extra)

    # ---- bounds

    def _bounds(self) -> Indices:
        """Rows with one column become its bounds."""
        program = self.program
        single = np.flatnonzero(np.diff(self.matrix.indptr)[: self.linear] == 1)
        at = self.matrix.indptr[single]
        column, entry = self.matrix.indices[at].astype(np.intp), self.matrix.data[at]
        limit = self.right[single] / entry
        equation = single < program.zero
        above, below = equation | (entry > 0), equation | (entry < 0)
        np.minimum.at(self.upper, column[above], limit[above])
        np.maximum.at(self.lower, column[below], limit[below])
        self.held[single] = False
        low, high = self.lower.copy(), self.upper.copy()
        whole = program.integer
        low[whole], high[whole] = np.ceil(low[whole] - CROSSED), np.floor(high[whole] + CROSSED)
        with np.errstate(invalid="ignore"):
            apart = low - high
            close = (apart > 0) & (apart <= CROSSED * np.maximum(1.0, np.abs(low)))
        if (apart[~close] > 0).any():
            raise NoPointError
        self.upper[close] = self.lower[close]
        return single

    # ---- definitions

    def _replace_definitions(self) -> bool:
        """Replace free columns by what defines them; whether there were any."""
        program, matrix = self.program, self.matrix
        entries = matrix[: self.linear].tocoo()
        there = self.held[entries.row]
        row, column, value = entries.row[there], entries.col[there], entries.data[there]
        equation = row < program.zero
        in_equations = np.bincount(column[equation], minlength=self.count)
        in_others = np.bincount(column[~equation], minlength=self.count)
        in_cones = np.zeros(self.count, dtype=bool)
        in_cones[matrix[self.linear :].indices] = True
        curved = np.zeros(self.count, dtype=bool)
        used = np.asarray(abs(program.quadratic).sum(axis=1)).ravel() > 0
        curved[self.map[np.flatnonzero(used)].indices] = True
        cost = self.map.T @ (program.cost + program.quadratic @ self.shift)
        free = self.alive & ~program.integer & np.isneginf(self.lower) & np.isposinf(self.upper)
        defined = free & (in_equations == 1) & (in_others == 0) & (curved | in_cones)
        # t in t >= u alone, with a price: it is u. Of use where u is the t of a cone.
        pressed = free & (in_equations == 0) & (in_others == 1) & ~curved & ~in_cones
        beside_cone = np.bincount(row, weights=in_cones[column], minlength=self.linear) > 0
        largest = np.zeros(self.linear)
        np.maximum.at(largest, row, np.abs(value))
        good = (defined[column] & equation) | (pressed[column] & (cost[column] * value < 0) & beside_cone[row])
        candidates = np.bincount(row, weights=good, minlength=self.linear)
        good &= (candidates[row] == 1) & (np.abs(value) >= SMALLEST_PIVOT * largest[row])
        if not good.any():
            return False
        rows, columns, pivots = row[good], column[good], value[good]
        kept = np.ones(self.count)
        kept[columns] = 0.0
        others = matrix[rows].tocoo()
        step = sparse.csr_array(
            (-others.data / pivots[others.row], (columns[others.row], others.col)), shape=(self.count, self.count)
        )
        step = _clean(sparse.csr_array((step + sparse.diags_array(np.ones(self.count))) * kept[None, :]))
        moved = np.zeros(self.count)
        moved[columns] = self.right[rows] / pivots
        self.shift = self.shift + self.map @ moved
        self.map = _clean(self.map @ step)
        self.right = self.right - matrix @ moved
        self.matrix = _clean(matrix @ step)
        self.held[rows] = False
        self.alive[columns] = False
        self.definitions += [_Definition(int(c), int(r)) for c, r in zip(columns, rows, strict=True)]
        return True

    # ---- cones

    def _cones(self) -> None:
        """Make every cone a part of the objective, or two rows."""
        starts = self.linear + np.concatenate([[0], np.cumsum(self.program.cones)]).astype(np.intp)
        blocks = [np.arange(first, last) for first, last in zip(starts, starts[1:], strict=False)]
        waiting: list[tuple[Indices, _Epigraph]] = []
        used = np.bincount(self.matrix[np.flatnonzero(self.held)].indices, minlength=self.count)
        for rows in blocks:
            used[np.unique(self.matrix[rows].indices)] += 1
        for rows in blocks:
            empty = (np.diff(self.matrix.indptr)[rows] == 0) & (self.right[rows] == 0)
            empty[0] = False
            kept = rows[~empty]
            found = self._epigraph(kept, used)
            if isinstance(found, _Epigraph):
                waiting.append((kept, found))
            elif kept.size <= 2:
                self._as_rows(kept)
            else:
                raise self._refusal(kept, found)
        self._into_objective(waiting)

    def _epigraph(self, rows: Indices, used: NDArray[np.int64]) -> _Epigraph | str:
        """The cone as limits of one column from below, or why it is more than that."""
        program = self.program
        first = self.matrix[[rows[0]]]
        if first.indices.size != 1:
            return "its bound is a constant" if first.indices.size == 0 else "its bound has several variables"
        column, factor = int(first.indices[0]), -float(first.data[0])
        name = program.names[column]
        if used[column] > 1 or program.integer[column]:
            return f"its bound {name} is limited elsewhere too"
        far, near = (self.upper, self.lower) if factor > 0 else (self.lower, self.upper)
        if np.isfinite(far[column]):
            return f"its bound {name} has a limit of its own"
        least = factor * float(near[column])
        constants = self.right[rows]
        rest = self.matrix[rows[1:]]
        own = np.flatnonzero(rest.indices == column)
        if own.size == 0:
            return _Epigraph(column, rows, factor, least=least)
        at = int(np.searchsorted(rest.indptr, own[0], side="right")) - 1
        if own.size > 1 or rest.indptr[at + 1] - rest.indptr[at] != 1:
            return f"its bound {name} is on both sides"
        second = -float(rest.data[own[0]])
        if abs(second) != abs(factor):
            return f"its bound {name} is on both sides"
        sign = -1.0 if second == factor else 1.0
        constant, left = constants[0] + sign * constants[at + 1], constants[0] - sign * constants[at + 1]
        if not constant > 0:
            return f"its bound {name} is on both sides"
        return _Epigraph(column, rows, factor, int(rows[at + 1]), float(constant), float(left), least)

    def _into_objective(self, found: list[tuple[Indices, _Epigraph]]) -> None:
        """The t of cones are replaced in the objective by what they are at least."""
        program = self.program
        cost = self.map.T @ (program.cost + program.quadratic @ self.shift)
        for rows, epigraph in found:
            column, factor = epigraph.column, epigraph.factor
            direction = self.map[:, [column]]
            curvature = sparse.csr_array(self.map.T @ (program.quadratic @ direction)).tocoo()
            there = curvature.data != 0
            mixed = np.any(curvature.row[there] != column)
            square = float(curvature.data[there & (curvature.row == column)].sum()) / factor**2
            slope, name = float(cost[column]) / factor, program.names[column]
            rest = np.array([r for r in rows[1:] if r != epigraph.other], dtype=np.intp)
            if mixed:
                raise self._refusal(rows, f"the objective multiplies its bound {name} by other variables")
            if square == 0 and slope <= 0:
                if slope < 0:
                    continue  # t may grow for ever: the cone says nothing, and the objective has no limit
            elif epigraph.other >= 0:
                if square > 0 or epigraph.least > -epigraph.rest / 2:
                    raise self._refusal(rows, f"its bound {name} is squared or limited")
                self.squares.append((slope / (2 * epigraph.constant), rest))
            elif square > 0:
                if slope != 0 or self.right[rows[0]] != 0 or epigraph.least > 0:
                    raise self._refusal(rows, f"the objective has more of its bound {name} than the square")
                self.squares.append((square / 2, rest))
            else:
                others = np.delete(cost, column)
                if others.any() or program.quadratic.nnz or len(found) > 1:
                    raise self._refusal(rows, f"the objective has its bound {name}, not squared, beside other terms")
                offset = program.offset + float(program.cost @ self.shift)
                self.root = slope, float(self.right[rows[0]]), epigraph.least, offset
                self.squares.append((1.0, rest))
            self.alive[column] = False
            self.epigraphs.append(epigraph)

    def _as_rows(self, rows: Indices) -> None:
        """s_0 >= |s_1| is s_0 >= s_1 and s_0 >= -s_1."""
        signs = np.array([[1.0, -1.0], [1.0, 1.0]]) if rows.size == 2 else np.ones((1, 1))
        self.pairs.append((sparse.csr_array(signs @ self.matrix[rows]), signs @ self.right[rows], rows))

    def _refusal(self, rows: Indices, why: str) -> NotServedError:
        columns = np.unique(self.matrix[rows[1:]].indices)
        told = ", ".join(self.program.names[c] for c in columns[:NAMES_TOLD])
        more = f" and {columns.size - NAMES_TOLD} more" if columns.size > NAMES_TOLD else ""
        return NotServedError(
            f"{SOURCE} has a second-order cone over {told}{more} that HYBRIDMIP cannot move into the objective: {why}; "
            "minimise the square (a variance, quad_form, sum_squares) instead, or choose another solver (SCIP)"
        )

    # ---- columns between others

    def _project(self) -> list[tuple[sparse.csr_array, Vector]]:
        """Leave out free t that only say w <= t <= u, one of u or of w being all there is in it; the rows instead.

        cvxpy states |w| <= M b as w <= t, -w <= t, t <= M b; left out, that is -M b <= w <= M b.
        """
        program = self.program
        held = np.flatnonzero(self.held)
        parts = [self.matrix[held], *(matrix for matrix, _, _ in self.pairs)]
        block = sparse.csc_array(sparse.vstack(parts))
        rows_of_cones = np.concatenate([[0], *(np.unique(self.matrix[rows].indices) for _, rows in self.squares)])
        in_objective = np.zeros(self.count, dtype=bool)
        if self.squares:
            in_objective[rows_of_cones.astype(np.intp)] = True
        used = np.asarray(abs(program.quadratic).sum(axis=1)).ravel() > 0
        in_objective[self.map[np.flatnonzero(used)].indices] = True
        cost = self.map.T @ (program.cost + program.quadratic @ self.shift)
        free = self.alive & ~program.integer & ~in_objective & (cost == 0)
        inequalities = held >= program.zero
        sizes = np.diff(self.matrix.indptr)
        extra: list[tuple[sparse.csr_array, Vector]] = []
        for column in np.flatnonzero(free):
            part = slice(block.indptr[column], block.indptr[column + 1])
            at, values = block.indices[part], block.data[part]
            if not free[column] or at.size == 0 or at.max() >= held.size or not inequalities[at].all():
                continue
            rows = held[at]
            if not self.held[rows].all():  # one is gone with another column
                continue
            above, below = rows[values > 0], rows[values < 0]
            limit = float(self.upper[column])
            tops = above.size + np.isfinite(limit)
            if below.size == 0 or tops != 1 or (above.size and sizes[above[0]] != 2):
                continue
            # below: rest - |a| t <= right, so t >= (rest - right) / |a|, and t >= its own lower bound.
            sides = [self._side(int(r), int(column)) for r in below]
            least = float(self.lower[column])
            if np.isfinite(least):
                sides.append((np.zeros(0, dtype=np.intp), np.zeros(0), least))
            self.between.append((int(column), *_stacked(sides, self.count)))
            self.held[rows] = False
            self.alive[column] = False
            if above.size:
                (other,), (weight,), limit = self._side(int(above[0]), int(column))
                # t <= weight other + limit; what the bounds of the other say anyway (0 <= M b) is left out.
                smallest = limit + min(weight * self.lower[other], weight * self.upper[other])
                combined = [
                    (np.append(columns, other), np.append(entries, -weight), limit - constant)
                    for columns, entries, constant in sides
                    if columns.size or constant > smallest
                ]
            else:
                combined = []
                for columns, entries, constant in sides:
                    if not self._bounded(columns, entries, limit - constant):
                        combined.append((columns, entries, limit - constant))
            if combined:
                extra.append(_stacked(combined, self.count))
                free[extra[-1][0].indices] = False
        return extra

    def _side(self, row: int, column: int) -> tuple[Indices, Vector, float]:
        """A row as a limit of one of its columns: (other columns, coefficients, constant)."""
        part = slice(*self.matrix.indptr[row : row + 2])
        columns, entries = self.matrix.indices[part].astype(np.intp), self.matrix.data[part]
        own = columns == column
        pivot = float(entries[own][0])
        return columns[~own], -entries[~own] / pivot, float(self.right[row]) / pivot

    def _bounded(self, columns: Indices, entries: Vector, limit: float) -> bool:
        """Make `entries'v <= limit` a bound where it has one column; whether that could be done."""
        if columns.size != 1 or self.program.integer[columns[0]]:
            return False
        column, reached = int(columns[0]), limit / float(entries[0])
        lower, upper = float(self.lower[column]), float(self.upper[column])
        lower, upper = (lower, min(upper, reached)) if entries[0] > 0 else (max(lower, reached), upper)
        if lower > upper:
            return False
        self.lower[column], self.upper[column] = lower, upper
        return True

    # ---- the model

    def _result(self, bound_rows: Indices, extra: list[tuple[sparse.csr_array, Vector]]) -> Reduced:
        program = self.program
        columns, held = np.flatnonzero(self.alive), np.flatnonzero(self.held)
        equation = held < program.zero
        parts, rights = [self.matrix[held]], [self.right[held]]
        names = [program.row_names[r] for r in held]
        pairs: list[tuple[int, int, Indices]] = []
        place = held.size
        for matrix, right, rows in self.pairs:
            parts.append(matrix)
            rights.append(right)
            names += [f"{program.row_names[rows[0]]}:{k}" for k in range(right.size)]
            pairs.append((place, place + right.size - 1, rows))
            place += right.size
        for k, (matrix, right) in enumerate(extra):
            parts.append(matrix)
            rights.append(right)
            names += [f"between{k}:{at}" for at in range(right.size)]
        matrix, right = sparse.csr_array(sparse.vstack(parts)), np.concatenate(rights)
        low = np.where(np.concatenate([equation, np.zeros(right.size - held.size, dtype=bool)]), right, -np.inf)
        origin = np.full(right.size, -1, dtype=np.intp)
        origin[: held.size] = held
        cost, offset, base, stacked = self._objective()
        quadratic, factors = _quadratic(base, stacked, columns, program.integer)
        model = Model(
            source=SOURCE,
            names=[program.names[c] for c in columns],
            cost=cost[columns],
            lower=self.lower[columns],
            upper=self.upper[columns],
            integer=program.integer[columns],
            semicontinuous=np.zeros(columns.size, dtype=bool),
            matrix=matrix[:, columns],
            row_lower=low,
            row_upper=right,
            row_names=names,
            quadratic=quadratic,
            offset=offset,
        )
        return Reduced(
            program, model, factors, self.root, columns, self.map, self.shift, self.matrix, self.right,
            tuple(self.between), tuple(self.epigraphs), tuple(self.definitions), origin, tuple(pairs), bound_rows,
        )  # fmt: skip

    def _objective(self) -> tuple[Vector, float, sparse.csr_array, sparse.csr_array]:
        """(cost, offset, base, R) of v'base v + |R v|^2 + cost'v + offset over the columns that are left."""
        program, shift = self.program, self.shift
        P = program.quadratic
        cost = np.asarray(self.map.T @ (program.cost + P @ shift))
        offset = program.offset + float(program.cost @ shift) + 0.5 * float(shift @ (P @ shift))
        if self.root is not None:
            cost, offset = np.zeros(self.count), 0.0
        for epigraph in self.epigraphs:
            if epigraph.other >= 0 and self.root is None:
                offset -= float(cost[epigraph.column]) / epigraph.factor * epigraph.rest / 2
        # Where a column was replaced, what it is replaced by is a factor; those left are the base.
        replaced = np.zeros(self.count, dtype=bool)
        replaced[[definition.column for definition in self.definitions]] = True
        crossing = P.tocoo()
        mine = np.flatnonzero(replaced & (P.diagonal() != 0))
        stacked = []
        if np.any(replaced[crossing.row] != replaced[crossing.col]) or mine.size > MOST_FACTORS:
            base = sparse.csr_array(self.map.T @ P @ self.map) * 0.5
        else:
            stacked.append(_root(sparse.csr_array(P[mine][:, mine]) * 0.5) @ self.map[mine])
            keep = sparse.diags_array((~replaced).astype(float))
            base = sparse.csr_array(keep @ P @ keep) * 0.5
        alive = self.alive.astype(float)
        for weight, rows in self.squares:
            part = self.matrix[rows]
            stacked.append(np.sqrt(weight) * part)
            # |right - part v|^2
            cost = cost - 2 * weight * (part.T @ self.right[rows])
            offset += weight * float(self.right[rows] @ self.right[rows])
        factors = _clean(sparse.csr_array(sparse.vstack(stacked))) if stacked else sparse.csr_array((0, self.count))
        only = sparse.diags_array(alive)
        return cost * alive, offset, _clean(sparse.csr_array(only @ base @ only)), _clean(factors @ only)


def _quadratic(
    base: sparse.csr_array, stacked: sparse.csr_array, columns: Indices, integer: Mask
) -> tuple[sparse.csr_array | None, Matrix | None]:
    """(Q, R) of v'Q v + |R v|^2: R is left as it is where it has few rows and Q is diagonal beside it."""
    base, stacked = base[columns][:, columns], stacked[:, columns]
    sizes = np.diff(stacked.indptr)
    alone = np.flatnonzero(sizes == 1)
    if alone.size:
        own = np.bincount(
            stacked.indices[stacked.indptr[alone]], weights=stacked.data[stacked.indptr[alone]] ** 2,
            minlength=columns.size,
        )  # fmt: skip
        base = sparse.csr_array(base + sparse.diags_array(own))
    stacked = stacked[np.flatnonzero(sizes > 1)]
    touched = np.unique(stacked.indices)
    entries = base.tocoo()
    diagonal = not np.any(entries.data[entries.row != entries.col])
    few = 0 < COLUMNS_PER_FACTOR * stacked.shape[0] <= touched.size
    factored = few and diagonal and not integer[columns[touched]].any()
    if not factored and stacked.shape[0]:
        dense = stacked.toarray() if stacked.nnz > 0.2 * stacked.shape[0] * columns.size else stacked
        base = sparse.csr_array(base + sparse.csr_array(dense.T @ dense))
        base = sparse.csr_array((base + base.T) * 0.5)
    return (base if base.nnz else None), (stacked.toarray() if factored else None)


def _stacked(rows: list[tuple[Indices, Vector, float]], count: int) -> tuple[sparse.csr_array, Vector]:
    """Rows given by their columns and entries as a matrix, and the constants behind them."""
    ends = np.concatenate([[0], np.cumsum([columns.size for columns, _, _ in rows])])
    columns, entries = (np.concatenate([row[k] for row in rows]) for k in (0, 1))
    matrix = sparse.csr_array((entries, columns, ends), shape=(len(rows), count))
    return _clean(matrix), np.array([constant for _, _, constant in rows])


def _root(matrix: sparse.csr_array) -> sparse.csr_array:
    """R with R'R = matrix, which is semidefinite."""
    diagonal = matrix.diagonal()
    if matrix.nnz == np.count_nonzero(diagonal):
        return sparse.csr_array(sparse.diags_array(np.sqrt(np.maximum(diagonal, 0.0))))
    values, vectors = np.linalg.eigh(matrix.toarray())
    return sparse.csr_array(np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T)


def _clean(matrix: sparse.csr_array) -> sparse.csr_array:
    """The matrix with one entry for each place, sorted, and none that is zero."""
    matrix = sparse.csr_array(matrix, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix
