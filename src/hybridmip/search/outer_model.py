"""A quadratic problem as a MILP with tangents: what outer approximation solves.

The curvature is split as in Persp: D on the switched x, the rest through a few squares s_k^2 with s = T'x. Each term
is a variable of its own that tangents bound from below,

    t_j >= d_j (2 r x_j - r^2 b_j)   (a perspective cut: exact at x_j = r b_j),   w_k >= 2 r s_k - r^2,

so that the MILP approximates the problem from below, at every b (perspective cuts: Frangioni and Gentile 2006).

An x that rows make a multiple of some step, as a sum of binaries is, gets chords instead,

    t_j >= d_j ((v + w) x_j - v w b_j)   for multiples v and w = v + step next to each other,

which are above the tangents and still below the parabola at every multiple: with all of them nothing is lacking there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.engines.highs import Halt, LinearAnswer, LinearModel, Outcome, made_integral
from hybridmip.engines.slices import Slices
from hybridmip.model.quadratic import Binary, DenseForm, DiagonalForm, FactorModel, Matrix, SparseForm, Vector
from hybridmip.relax.protocol import Setting

#: Largest block of Q that is split into squares.
LARGEST_BLOCK = 700
#: Tangents of the grid, at most: a share of the rows of the model, and so many for one term.
GRID_SHARE = 0.5
MOST_OF_A_TERM = 64
#: Multiples of its step that an x may have between its bounds for all of its chords to be laid at once.
MOST_CHORDS = 256
#: How much finer than the last one a grid must be to be laid.
FINER = 1.5

#: By how much the MIP over all b may miss a tangent: with HiGHS's own tolerance each of many terms may be too low, and
#: the gap is never closed.
EXACT = 1e-8
#: Columns, values and lower limit of a tangent.
Row = tuple[list[int], list[float], float]


def squares(setting: Setting, d: Vector) -> Matrix | None:
    """T with Q - diag(d) = T T' (one column per square), None where it would be too large."""
    Q = setting.problem.Q
    if isinstance(Q, DiagonalForm):
        rest = np.maximum(Q.values - d, 0.0)
        columns = np.flatnonzero(rest > 0)
        if columns.size * Q.n > 4_000_000:
            return None
        T = np.zeros((Q.n, columns.size))
        T[columns, np.arange(columns.size)] = np.sqrt(rest[columns])
        return T
    if isinstance(Q, FactorModel):
        rest = np.maximum(Q.specific_variance - d, 0.0)
        if rest.max(initial=0.0) > 1e-12 * Q.diagonal().max(initial=1.0):
            return None
        return np.asarray(Q.root)
    blocks = Q.components() if isinstance(Q, SparseForm) else [np.arange(Q.n)]
    assert isinstance(Q, SparseForm | DenseForm)
    parts: list[tuple[NDArray[np.intp], Matrix]] = []
    for block in blocks:
        if block.size > LARGEST_BLOCK:
            return None
        values, vectors = np.linalg.eigh(Q.block(block, block) - np.diag(d[block]))
        kept = values > 1e-10 * max(float(values[-1]), 1e-300)
        if kept.any() and values[-1] > 0:
            parts.append((block, vectors[:, kept] * np.sqrt(values[kept])))
    total = sum(part.shape[1] for _, part in parts)
    if total * Q.n > 4_000_000:
        return None
    T = np.zeros((Q.n, total))
    at = 0
    for block, part in parts:
        T[block, at : at + part.shape[1]] = part
        at += part.shape[1]
    return T


def _finite(part: Matrix, limits: Vector) -> Vector:
    """part' limits, where an entry that is zero counts nothing even if its limit is infinite."""
    infinite = np.isinf(limits)
    total = part.T @ np.where(infinite, 0.0, limits)
    reached = (part[infinite] != 0).any(axis=0)
    return np.asarray(np.where(reached, np.nan, total))


class OuterModel:
    """The problem as a MILP with tangents, to which more are added; binaries can be fixed.

    Variables: x, b, t (d_j x_j^2, where d_j > 0), s (free), w (s squared).

    Parameters
    ----------
    setting : Setting
    d : ndarray
        Curvature of single x; what the rest of Q is of squares.
    T : ndarray
        The squares.
    halt : Halt, optional
        What ends all LPs and MIPs.
    """

    def __init__(self, setting: Setting, d: Vector, T: Matrix, halt: Halt | None = None) -> None:
        problem = setting.problem
        self.problem, self.d, self.T = problem, d, T
        n, m, k = problem.n, problem.m, T.shape[1]
        self.n, self.m = n, m
        self.tied = np.flatnonzero(d > 0)
        self.count = self.tied.size
        self.first_t, self.first_s, self.first_w = n + m, n + m + self.count, n + m + self.count + k
        total = self.first_w + k
        matrix, row_lower, row_upper, _, _ = setting.joint_rows
        wide = sparse.hstack([matrix, sparse.csr_array((matrix.shape[0], total - n - m))])
        equal = sparse.hstack([
            sparse.csr_array(T.T), sparse.csr_array((k, m + self.count)), -sparse.eye_array(k), sparse.csr_array((k, k))
        ])  # fmt: skip
        cost = np.concatenate([problem.q, problem.p, np.ones(self.count), np.zeros(k), np.ones(k)])
        self.lower = np.concatenate([
            setting.hull_lower, np.zeros(m + self.count), np.full(k, -np.inf), np.zeros(k)
        ])  # fmt: skip
        self.upper = np.concatenate([setting.hull_upper, np.ones(m), np.full(total - n - m, np.inf)])
        integer = np.zeros(total, dtype=bool)
        integer[n : n + m] = True
        rows = (
            sparse.vstack([wide, equal]), np.concatenate([row_lower, np.zeros(k)]),
            np.concatenate([row_upper, np.zeros(k)]),
        )  # fmt: skip
        self.largest = float(np.abs(cost).max(initial=0.0))
        self.mip = LinearModel(cost, *rows, self.lower, self.upper, integer, halt=halt)
        #: The MIP over all b has a model of its own: it may be under way while the others get tangents.
        self._make_whole = partial(
            LinearModel, cost, *rows, self.lower, self.upper, integer, halt=halt, tolerance=EXACT
        )
        self._whole: LinearModel | None = None
        self._lp = LinearModel(cost, *rows, self.lower, self.upper, halt=halt)
        self._cost = cost
        #: Every tangent, and how many of them the models have: each gets the others before it is solved next.
        self._tangents: list[Row] = []
        self._given = {"mip": 0, "lp": 0, "whole": 0}
        #: The step of which a term's x is a multiple, 0 where there is none; and the chords there are.
        unit, whole = made_integral(
            sparse.csr_array(matrix), row_lower, row_upper, self.lower[: n + m], self.upper[: n + m], integer[: n + m]
        )
        self._step = np.where(whole, unit, 0.0)[self.tied]
        self._chords: set[tuple[int, int]] = set()
        self._low, self._high = self._ranges()
        self._laid = np.zeros(self._low.size)

    @property
    def cuts(self) -> int:
        """Tangents so far."""
        return len(self._tangents)

    def _fresh(self, name: str, model: LinearModel) -> LinearModel:
        """The model with every tangent there is."""
        begin, self._given[name] = self._given[name], len(self._tangents)
        for columns, values, low in self._tangents[begin : self._given[name]]:
            model.add_row(np.array(columns), np.array(values), low)
        return model

    def solve_lp(self, seconds: float | None) -> LinearAnswer:
        """The LP."""
        return self._fresh("lp", self._lp).solve(seconds)

    def tangents(self, x: Vector, b: Vector) -> int:
        """Add the tangents at a point; returns how many."""
        problem = self.problem
        owner = problem.switch[self.tied]
        at = np.where(owner >= 0, b[np.maximum(owner, 0)], 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(at > 1e-7, x[self.tied] / np.maximum(at, 1e-7), 0.0)
        rows: list[Row] = []
        for place in np.flatnonzero(ratio != 0.0):
            rows += self._tangent_of_x(int(place), float(ratio[place]))
        s = self.T.T @ x
        rows += [self._tangent_of_square(int(k), float(s[k])) for k in np.flatnonzero(np.abs(s) > 1e-12)]
        return self._add(rows)

    def _add(self, rows: list[Row]) -> int:
        self._tangents += rows
        return len(rows)

    def _ranges(self) -> tuple[Vector, Vector]:
        """Between which limits each term's root is: sqrt(d_j) x_j, then the squares' s."""
        root = np.sqrt(self.d[self.tied])
        positive, negative = np.maximum(self.T, 0.0), np.minimum(self.T, 0.0)
        lower, upper = self.lower[: self.n], self.upper[: self.n]
        low = np.concatenate([root * lower[self.tied], _finite(positive, lower) + _finite(negative, upper)])
        high = np.concatenate([root * upper[self.tied], _finite(positive, upper) + _finite(negative, lower)])
        return low, high

    def grid(self, lacking: float) -> int:
        """Add tangents at even distances over what x can be, so that the approximation is near the curve everywhere.

        Between two tangents at a distance h a square of curvature 1 lacks h^2 / 4. Where the terms are few this saves
        MIPs: without it each of them finds a b at which no tangent was drawn yet. Where a grid was laid before, a term
        gets another one if that is finer by far.

        Parameters
        ----------
        lacking : float
            What the approximation may lack in all.

        Returns
        -------
        int
            How many were added.
        """
        rows = self._all_chords()
        width = np.where(np.isfinite(self._high - self._low), np.maximum(self._high - self._low, 0.0), 0.0)
        width[np.flatnonzero(self._few_chords())] = 0.0
        terms = np.count_nonzero(width)
        most = GRID_SHARE * self.mip.rows
        if not terms or lacking <= 0 or terms > most:
            return self._add(rows)
        wanted = np.minimum(width / (2 * math.sqrt(lacking / terms)), MOST_OF_A_TERM)
        number = np.ceil(wanted * min(1.0, most / wanted.sum())).astype(int)
        density = np.where(width > 0, number / np.maximum(width, 1e-300), 0.0)
        root = np.sqrt(self.d[self.tied])
        for term in np.flatnonzero((density > 0) & (density >= FINER * self._laid)):
            for place in (np.arange(number[term]) + 0.5) / max(number[term], 1):
                at = float(self._low[term] + place * width[term])
                if term < self.count:
                    rows += self._tangent_of_x(int(term), at / float(root[term]))
                else:
                    rows.append(self._tangent_of_square(int(term) - self.count, at))
            self._laid[term] = density[term]
        return self._add(rows)

    def _few_chords(self) -> NDArray[np.bool_]:
        """Which terms of single x have so few multiples that all of their chords are laid at once."""
        width = self.upper[self.tied] - self.lower[self.tied]
        return np.asarray((self._step > 0) & (width <= MOST_CHORDS * self._step))

    def _all_chords(self) -> list[Row]:
        """The chords, of those terms, that there are not yet."""
        rows: list[Row] = []
        for place in np.flatnonzero(self._few_chords()):
            j, step = int(self.tied[place]), float(self._step[place])
            first, last = math.floor(self.lower[j] / step), math.ceil(self.upper[j] / step)
            for cell in range(first, last):
                rows += self._tangent_of_x(int(place), (cell + 0.5) * step)
        return rows

    def _tangent_of_x(self, place: int, r: float) -> list[Row]:
        """t >= d (2 r x - r^2 b), without b where x has no switch; for an x with a step the chord there, once."""
        j, d, step = int(self.tied[place]), float(self.d[self.tied[place]]), float(self._step[place])
        low = high = r
        if step > 0:
            cell = math.floor(r / step)
            if (place, cell) in self._chords:
                return []
            self._chords.add((place, cell))
            low, high = cell * step, (cell + 1) * step
        i = int(self.problem.switch[j])
        columns, values = [self.first_t + place, j], [1.0, -d * (low + high)]
        if i >= 0:
            return [([*columns, self.n + i], [*values, d * low * high], 0.0)]
        return [(columns, values, -d * low * high)]

    def _tangent_of_square(self, k: int, r: float) -> Row:
        """w >= 2 r s - r^2."""
        return [self.first_w + k, self.first_s + k], [1.0, -2 * r], -r * r

    def value(self, values: Vector) -> float:
        """The MILP's objective at a point of its own, in the problem's terms."""
        return float(self._cost @ values) + self.problem.offset

    def lacking(self, values: Vector) -> float:
        """How much the approximation is below the true curvature at its own point."""
        x, b = values[: self.n], values[self.n : self.n + self.m]
        owner = self.problem.switch[self.tied]
        at = np.where(owner >= 0, b[np.maximum(owner, 0)], 1.0)
        square = np.where(at > 1e-9, x[self.tied] ** 2 / np.maximum(at, 1e-9), 0.0)
        t = values[self.first_t : self.first_s]
        w = values[self.first_w :]
        true = float(self.d[self.tied] @ square) + float(((self.T.T @ x) ** 2).sum())
        return true - float(t.sum()) - float(w.sum())

    def point(self, x: Vector, b: Binary) -> Vector:
        """A point of the problem as one of the models: its curvature is on or above every tangent."""
        s = self.T.T @ x
        return np.concatenate([x, b.astype(float), self.d[self.tied] * x[self.tied] ** 2, s, s**2])

    def begin_whole(
        self,
        start: Vector | None,
        gap: float,
        time_limit: float | None,
        told: Callable[[LinearAnswer], None] | None = None,
        requested: Callable[[float], Vector | None] | None = None,
    ) -> Slices:
        """The MIP over all b, with every tangent there is, to be solved in a thread from a point of its own.

        Parameters
        ----------
        start : ndarray, optional
            The point; without one HiGHS's own heuristics look for some.
        gap, time_limit, told
            As of `Slices`.
        requested : callable, optional
            Asked for a better point now and then, as by `LinearModel.on_request`.
        """
        if self._whole is None:
            self._whole = self._make_whole()
        self._fresh("whole", self._whole)
        self._whole.use_heuristics(start is None)
        if start is not None:
            self._whole.start_from(start)
        if requested is not None:
            self._whole.on_request(requested)
        return Slices(self._whole, gap, time_limit, told)

    def solve(
        self, fixed: NDArray[np.int8], seconds: float | None, nodes: int, gap: float, deadline: float = math.inf
    ) -> LinearAnswer:
        """The MILP with some binaries fixed: 1 on, -1 off, 0 open; objective and bound in the caller's units.

        `deadline` as of `LinearModel.solve`: a MILP that was given up then is the last.
        """
        if self.mip.given_up:
            return LinearAnswer(Outcome.LIMIT)
        lower, upper = self.lower.copy(), self.upper.copy()
        lower[self.n : self.n + self.m] = np.where(fixed > 0, 1.0, 0.0)
        upper[self.n : self.n + self.m] = np.where(fixed < 0, 0.0, 1.0)
        self._fresh("mip", self.mip).change_columns(lower, upper)
        return self.mip.solve(seconds, gap, nodes, deadline=deadline)
