"""Search for quadratic problems with rows that no simple move respects: outer approximation by HiGHS.

The curvature is split as in Persp: D on the switched x, the rest through a few squares s_k^2 with s = T'x. Each term
is a variable of its own that tangents bound from below,

    t_j >= d_j (2 r x_j - r^2 b_j)   (a perspective cut: exact at x_j = r b_j),   w_k >= 2 r s_k - r^2,

so that a MILP approximates the problem from below, at every b. Its answer is a b to try; the tangents at that point are
added, and so on (Duran and Grossmann 1986; perspective cuts: Frangioni and Gentile 2006). Solved for all b its bound
is one for the problem; with binaries fixed around the best b it is a neighborhood.
"""

from __future__ import annotations

import math
import time
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.bounds.ledger import Grade
from hybridmip.engines.highs import LinearAnswer, LinearModel, Outcome
from hybridmip.engines.slices import Slices
from hybridmip.model.quadratic import Binary, DenseForm, DiagonalForm, FactorModel, Matrix, SparseForm, Vector
from hybridmip.relax.protocol import Relaxed, Setting
from hybridmip.run.state import SearchState
from hybridmip.search.fixing import FIRST_OPEN, FIRST_SECONDS, MOST_SECONDS, Fixing
from hybridmip.search.pool import Member
from hybridmip.search.shaking import shaking
from hybridmip.search.slopes import used
from hybridmip.tolerances import TRUSTED

#: Largest block of Q that is split into squares.
LARGEST_BLOCK = 700
#: Rounds of tangents at the LP before the first MIP, and most tangents of all.
ROOT_ROUNDS = 25
MOST_CUTS = 60_000
#: The LP has settled when the approximation lacks less than this share of the objective.
LACKING = 1e-7
#: MIPs in a row without improvement after which the search ends, where no time limit does; and nodes of each then.
PATIENCE = 8
#: What the time is spent on: MIPs over all b, over those around a row or undecided, and moves one by one.
WHOLE, AROUND, UNDECIDED, MOVES = "whole", "around rows", "undecided", "moves"
#: Seconds that the MIP over all b has before the first search.
FIRST_WHOLE = 3 * FIRST_SECONDS
#: Share of the searches in the time: at first and after one that improved the answer, times this after each that did
#: not, and at least.
LARGEST_SHARE, SHRINKING, SMALLEST_SHARE = 0.5, 0.8, 0.1
#: Share of the time left for a MIP that has to find a feasible point.
SHARE_OF_FIRST = 0.6
MOST_NODES = 500
#: Share of the bound that is charged for HiGHS's tolerances on many rows.
CHARGED = 1e-8
#: Tangents of the grid, at most: a share of the rows of the model, and so many for one term. What it may lack in all,
#: as a share of the gap; and that of the objective which counts as the gap while there is no answer.
GRID_SHARE = 0.5
MOST_OF_A_TERM = 64
GRID_LACKING = 1e-3
SHARE_AS_GAP = 0.01

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
    """

    def __init__(self, setting: Setting, d: Vector, T: Matrix) -> None:
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
        self.mip = LinearModel(cost, *rows, self.lower, self.upper, integer)
        #: The MIP over all b has a model of its own: it may be under way while the others get tangents.
        self._make_whole = partial(LinearModel, cost, *rows, self.lower, self.upper, integer)
        self._whole: LinearModel | None = None
        self.lp = LinearModel(cost, *rows, self.lower, self.upper)
        self.cuts = 0
        self._for_the_whole: list[Row] = []

    def tangents(self, x: Vector, b: Vector) -> int:
        """Add the tangents at a point; returns how many."""
        problem = self.problem
        owner = problem.switch[self.tied]
        at = np.where(owner >= 0, b[np.maximum(owner, 0)], 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(at > 1e-7, x[self.tied] / np.maximum(at, 1e-7), 0.0)
        rows = [self._tangent_of_x(int(place), float(ratio[place])) for place in np.flatnonzero(ratio != 0.0)]
        s = self.T.T @ x
        rows += [self._tangent_of_square(int(k), float(s[k])) for k in np.flatnonzero(np.abs(s) > 1e-12)]
        return self._add(rows)

    def _add(self, rows: list[Row]) -> int:
        for columns, values, low in rows:
            for model in (self.mip, self.lp):
                model.add_row(np.array(columns), np.array(values), low)
        self._for_the_whole += rows
        self.cuts += len(rows)
        return len(rows)

    def grid(self, gap: float) -> int:
        """Add tangents at even distances over what x can be, so that the approximation is near the curve everywhere.

        Between two tangents at a distance h a square of curvature 1 lacks h^2 / 4. Where the terms are few this saves
        MIPs: without it each of them finds a b at which no tangent was drawn yet.

        Parameters
        ----------
        gap : float
            What there is between the answer and the bound.

        Returns
        -------
        int
            How many were added.
        """
        root = np.sqrt(self.d[self.tied])
        positive, negative = np.maximum(self.T, 0.0), np.minimum(self.T, 0.0)
        lower, upper = self.lower[: self.n], self.upper[: self.n]
        with np.errstate(invalid="ignore"):  # 0 * inf
            low = np.concatenate([root * lower[self.tied], _finite(positive, lower) + _finite(negative, upper)])
            high = np.concatenate([root * upper[self.tied], _finite(positive, upper) + _finite(negative, lower)])
        width = np.where(np.isfinite(high - low), high - low, 0.0)
        terms = np.count_nonzero(width)
        most = GRID_SHARE * self.mip.rows
        if not terms or gap <= 0 or terms > most:
            return 0
        wanted = np.minimum(width / (2 * math.sqrt(GRID_LACKING * gap / terms)), MOST_OF_A_TERM)
        number = np.ceil(wanted * min(1.0, most / wanted.sum())).astype(int)
        rows: list[Row] = []
        for term in np.flatnonzero(number):
            for place in (np.arange(number[term]) + 0.5) / number[term]:
                at = float(low[term] + place * width[term])
                if term < self.count:
                    rows.append(self._tangent_of_x(int(term), at / float(root[term])))
                else:
                    rows.append(self._tangent_of_square(int(term) - self.count, at))
        return self._add(rows)

    def _tangent_of_x(self, place: int, r: float) -> Row:
        """t >= d (2 r x - r^2 b), or without b where x has no switch."""
        j, d = int(self.tied[place]), float(self.d[self.tied[place]])
        i = int(self.problem.switch[j])
        columns, values = [self.first_t + place, j], [1.0, -2 * d * r]
        if i >= 0:
            return [*columns, self.n + i], [*values, d * r * r], 0.0
        return columns, values, -d * r * r

    def _tangent_of_square(self, k: int, r: float) -> Row:
        """w >= 2 r s - r^2."""
        return [self.first_w + k, self.first_s + k], [1.0, -2 * r], -r * r

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

    def begin_whole(self, start: Vector | None, gap: float, time_limit: float | None) -> Slices:
        """The MIP over all b, with every tangent there is, to be solved in slices from a point of its own."""
        if self._whole is None:
            self._whole = self._make_whole()
        for columns, values, low in self._for_the_whole:
            self._whole.add_row(np.array(columns), np.array(values), low)
        self._for_the_whole = []
        if start is not None:
            self._whole.start_from(start)
        return Slices(self._whole, gap, time_limit)

    def solve(self, fixed: NDArray[np.int8], seconds: float | None, nodes: int, gap: float) -> LinearAnswer:
        """The MILP with some binaries fixed: 1 on, -1 off, 0 open; objective and bound in the caller's units."""
        lower, upper = self.lower.copy(), self.upper.copy()
        lower[self.n : self.n + self.m] = np.where(fixed > 0, 1.0, 0.0)
        upper[self.n : self.n + self.m] = np.where(fixed < 0, 0.0, 1.0)
        self.mip.change_columns(lower, upper)
        return self.mip.solve(seconds, gap, nodes)


def search_quadratic(state: SearchState, setting: Setting, relaxed: dict[str, Relaxed]) -> bool:
    """Outer approximation until the time is up, the gap closed or nothing improves; False where it does not apply."""
    persp = relaxed.get("persp")
    d = setting.diagonal if persp is None or persp.proof is None else persp.proof.diagonal
    T = squares(setting, d)
    if T is None:
        return False
    model = OuterModel(setting, d, T)
    _root(state, model, persp)
    search = _Search(state, model, Fixing(state, persp or relaxed.get("line")))
    if state.remaining is None:
        search.by_turns()
    else:
        search.by_time()
    return True


class _Search:
    """MIPs over all b, which prove, and searches around the best b: small MIPs, and moves one by one."""

    def __init__(self, state: SearchState, model: OuterModel, elite: Fixing) -> None:
        self.state, self.model, self.elite = state, model, elite
        self.open_ones, self.seconds = FIRST_OPEN, FIRST_SECONDS

    def by_turns(self) -> None:
        """Without a clock: until nothing improves."""
        state, idle, turn = self.state, 0, 0
        while idle < PATIENCE and self.model.cuts < MOST_CUTS:
            state.check()
            before, kind = state.best.objective, (WHOLE, AROUND, UNDECIDED)[turn % 3]
            self._remember()
            turn += 1
            if kind == WHOLE or not self.elite.members or self.open_ones >= state.problem.m:
                answer = self._solve(np.zeros(state.problem.m, dtype=np.int8), None)
                if self._end_of_whole(answer):
                    return
            else:
                self._small(kind, None)
            idle = 0 if self._improved(before) else idle + 1

    def by_time(self) -> None:
        """With a clock: the MIP over all b goes on between the searches, which get less while they bring nothing."""
        state, share, turn = self.state, LARGEST_SHARE, 0
        whole: Slices | None = None
        length = FIRST_WHOLE
        try:
            while self.model.cuts < MOST_CUTS:
                state.check()
                assert state.remaining is not None
                self._remember()
                if whole is None:
                    whole = self.model.begin_whole(self._start(), 0.5 * state.gap, state.remaining)
                if not state.best.feasible:
                    length = max(length, SHARE_OF_FIRST * state.remaining)
                answer = whole.go_on(min(length, state.remaining))
                self._raise(whole.bound)
                for values in whole.fetch():
                    self._take(values)
                if answer is not None:
                    whole = None
                    if self._end_of_whole(answer):
                        return
                    continue
                state.check()
                if not self.elite.members:
                    continue
                before, began = state.best.objective, time.perf_counter()
                kind = (AROUND, UNDECIDED, MOVES)[turn % 3]
                turn += 1
                if kind == MOVES:
                    self._moves()
                elif self.open_ones < state.problem.m:
                    self._small(kind, min(self.seconds, state.remaining))
                share = LARGEST_SHARE if self._improved(before) else max(SHRINKING * share, SMALLEST_SHARE)
                length = (time.perf_counter() - began) * (1 - share) / share
        finally:
            if whole is not None:
                whole.end()

    def _remember(self) -> None:
        best = self.state.best
        self.elite.add(self.state.best_b if best.feasible else None, best.objective)

    def _improved(self, before: float) -> bool:
        return bool(self.state.best.objective < before - 1e-9 * abs(before))

    def _start(self) -> Vector | None:
        best, b = self.state.best, self.state.best_b
        return self.model.point(best.x, b) if best.feasible and best.x is not None and b is not None else None

    def _solve(self, fixed: NDArray[np.int8], seconds: float | None) -> LinearAnswer:
        start = self._start()
        if start is not None:
            self.model.mip.start_from(start)
        return self.model.solve(fixed, seconds, MOST_NODES if seconds is None else 2**31 - 1, 1e-5)

    def _small(self, kind: str, seconds: float | None) -> None:
        """A MIP with most binaries fixed like those of the best b; more are left open while such MIPs are solved."""
        fix = self.elite.around_rows if kind == AROUND else self.elite.undecided
        began = time.perf_counter()
        answer = self._solve(fix(self.open_ones, self.state.rng), seconds)
        if answer.x is not None:
            self._take(answer.x)
        if answer.status is not Outcome.OPTIMAL:
            self.open_ones = max(int(0.8 * self.open_ones), 20)
            self.seconds = min(1.2 * self.seconds, MOST_SECONDS)
        elif time.perf_counter() - began < 0.7 * self.seconds:
            self.open_ones = min(int(1.3 * self.open_ones) + 10, self.state.problem.m)

    def _moves(self) -> None:
        """Moves one by one from the best b, for a while."""
        state = self.state
        assert state.remaining is not None
        with state.clock.for_a_share(min(self.seconds / max(state.remaining, 1e-9), 1.0)):
            shaking(state, [Member(b, state.evaluate(b, "descent"), "descent") for _, b in self.elite.members])

    def _end_of_whole(self, answer: LinearAnswer) -> bool:
        """Take what a MIP over all b says; whether there is nothing left to do."""
        self._raise(answer.bound)
        if answer.status is Outcome.INFEASIBLE:
            return True
        added = 0 if answer.x is None else self._take(answer.x)
        return answer.status in (Outcome.OPTIMAL, Outcome.ERROR) and added == 0

    def _raise(self, bound: float) -> None:
        if math.isfinite(bound):
            bound += self.state.problem.offset
            charge = CHARGED * abs(bound) + TRUSTED * self.model.largest
            self.state.raise_bound("outer approximation", bound - charge, Grade.TRUSTED)

    def _take(self, values: Vector) -> int:
        """Try the b of a point of a MIP, and add the tangents there and at the best x for that b; how many."""
        state, model = self.state, self.model
        x, b = values[: model.n], values[model.n : model.n + model.m] > 0.5
        added = model.tangents(x, b.astype(float))
        evaluation = state.solver.evaluate(b)
        state.offer(b, evaluation, "outer approximation")  # also when the time is up
        if evaluation.feasible and evaluation.x is not None:
            added += model.tangents(evaluation.x, b.astype(float))
            _lean(state, b, evaluation.x, self.elite)
            self.elite.add(b, evaluation.objective)
        return added


def _lean(state: SearchState, b: Binary, x: Vector, elite: Fixing) -> None:
    """Try b without what is paid for and not used."""
    lean = used(state, b, x)
    if not np.array_equal(lean, b):
        evaluation = state.evaluate(lean, "outer approximation")
        elite.add(lean, evaluation.objective)


def _root(state: SearchState, model: OuterModel, persp: Relaxed | None) -> None:
    """Tangents at the relaxation's point, at those of the LP until it settles, and in between."""
    bound = _kelley(state, model, persp) + state.problem.offset
    if math.isfinite(bound):
        answered = state.best.feasible
        model.grid(state.best.objective - bound if answered else SHARE_AS_GAP * abs(bound))


def _kelley(state: SearchState, model: OuterModel, persp: Relaxed | None) -> float:
    """Tangents at the relaxation's point, and at those of the LP until it settles; the LP's value."""
    bound = -math.inf
    if persp is not None:
        model.tangents(persp.x, persp.b)
    if state.best.feasible and state.best.x is not None and state.best_b is not None:
        model.tangents(state.best.x, state.best_b.astype(float))
    for _ in range(ROOT_ROUNDS):
        state.check()
        answer = model.lp.solve(state.remaining)
        if answer.x is None or answer.status is not Outcome.OPTIMAL:
            return bound
        bound = answer.objective
        if model.lacking(answer.x) <= LACKING * max(abs(bound), 1e-9) or model.cuts > MOST_CUTS // 2:
            return bound
        if not model.tangents(answer.x[: model.n], answer.x[model.n : model.n + model.m]):
            return bound
    return bound
