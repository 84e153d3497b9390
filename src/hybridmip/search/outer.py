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

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.bounds.ledger import Grade
from hybridmip.engines.highs import LinearAnswer, LinearModel, Outcome
from hybridmip.model.quadratic import Binary, DenseForm, DiagonalForm, FactorModel, Matrix, SparseForm, Vector
from hybridmip.relax.protocol import Relaxed, Setting
from hybridmip.run.state import SearchState
from hybridmip.search.fixing import FIRST_OPEN, FIRST_SECONDS, MOST_SECONDS, Fixing
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
#: Share of the time left for a MIP that has to find a feasible point.
SHARE_OF_FIRST = 0.6
MOST_NODES = 500
#: Share of the bound that is charged for HiGHS's tolerances on many rows.
CHARGED = 1e-8


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
        self.lp = LinearModel(cost, *rows, self.lower, self.upper)
        self.cuts = 0

    def tangents(self, x: Vector, b: Vector) -> int:
        """Add the tangents at a point; returns how many."""
        problem = self.problem
        owner = problem.switch[self.tied]
        at = np.where(owner >= 0, b[np.maximum(owner, 0)], 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(at > 1e-7, x[self.tied] / np.maximum(at, 1e-7), 0.0)
        rows: list[tuple[list[int], list[float], float]] = []
        for place in np.flatnonzero(ratio != 0.0):
            r, j, i = float(ratio[place]), int(self.tied[place]), int(owner[place])
            d = float(self.d[j])
            columns, values = [self.first_t + int(place), j], [1.0, -2 * d * r]
            if i >= 0:
                rows.append(([*columns, self.n + i], [*values, d * r * r], 0.0))
            else:
                rows.append((columns, values, -d * r * r))
        s = self.T.T @ x
        for k in np.flatnonzero(np.abs(s) > 1e-12):
            rows.append(([self.first_w + int(k), self.first_s + int(k)], [1.0, -2 * float(s[k])], -(float(s[k]) ** 2)))
        for columns, values, low in rows:
            for model in (self.mip, self.lp):
                model.add_row(np.array(columns), np.array(values), low)
        self.cuts += len(rows)
        return len(rows)

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

    def start_from(self, x: Vector, b: Binary) -> None:
        """Give HiGHS a point to begin with: its curvature is on or above every tangent."""
        s = self.T.T @ x
        self.mip.start_from(np.concatenate([x, b.astype(float), self.d[self.tied] * x[self.tied] ** 2, s, s**2]))

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
    elite = Fixing(state, persp or relaxed.get("line"))
    everything = np.zeros(state.problem.m, dtype=np.int8)
    open_ones, seconds, idle, turn = FIRST_OPEN, FIRST_SECONDS, 0, 0
    while (idle < PATIENCE or state.remaining is not None) and model.cuts < MOST_CUTS:
        state.check()
        timed = state.remaining is not None
        elite.add(state.best_b if state.best.feasible else None, state.best.objective)
        whole = turn % 3 == 0 or not elite.members or open_ones >= state.problem.m
        before = state.best.objective
        if whole:
            first = SHARE_OF_FIRST * (state.remaining or 0.0) if not state.best.feasible else 0.0
            fixed, limit = everything, None if not timed else min(max(3 * seconds, first), state.remaining or 0.0)
        else:
            fixed = elite.around_rows(open_ones, state.rng) if turn % 3 == 1 else elite.undecided(open_ones, state.rng)
            limit = None if not timed else min(seconds, state.remaining or 0.0)
        turn += 1
        began = time.perf_counter()
        if state.best.feasible and state.best.x is not None and state.best_b is not None:
            model.start_from(state.best.x, state.best_b)
        answer = model.solve(fixed, limit, 2**31 - 1 if timed else MOST_NODES, 1e-5)
        if whole and math.isfinite(answer.bound):
            bound = answer.bound + state.problem.offset
            charge = CHARGED * abs(bound) + TRUSTED * model.largest
            state.raise_bound("outer approximation", bound - charge, Grade.TRUSTED)
        if answer.status is Outcome.INFEASIBLE and whole:
            return True
        added = 0
        if answer.x is not None:
            x, b = answer.x[: model.n], answer.x[model.n : model.n + model.m] > 0.5
            added = model.tangents(x, b.astype(float))
            evaluation = state.solver.evaluate(b)
            state.offer(b, evaluation, "outer approximation")  # also when the time is up
            if evaluation.feasible and evaluation.x is not None:
                added += model.tangents(evaluation.x, b.astype(float))
                _lean(state, b, evaluation.x, elite)
                elite.add(b, evaluation.objective)
        if answer.status is Outcome.OPTIMAL and time.perf_counter() - began < 0.7 * seconds:
            open_ones = min(int(1.3 * open_ones) + 10, state.problem.m)
        elif answer.status is not Outcome.OPTIMAL:
            open_ones = max(int(0.8 * open_ones), 20)
            seconds = min(1.2 * seconds, MOST_SECONDS)
        improved = state.best.objective < before - 1e-9 * abs(before)
        idle = 0 if improved else idle + 1
        if whole and added == 0 and answer.status is Outcome.OPTIMAL:
            break
    return True


def _lean(state: SearchState, b: Binary, x: Vector, elite: Fixing) -> None:
    """Try b without what is paid for and not used."""
    lean = used(state, b, x)
    if not np.array_equal(lean, b):
        evaluation = state.evaluate(lean, "outer approximation")
        elite.add(lean, evaluation.objective)


def _root(state: SearchState, model: OuterModel, persp: Relaxed | None) -> None:
    """Tangents at the relaxation's point, and at those of the LP until it settles."""
    if persp is not None:
        model.tangents(persp.x, persp.b)
    if state.best.feasible and state.best.x is not None and state.best_b is not None:
        model.tangents(state.best.x, state.best_b.astype(float))
    for _ in range(ROOT_ROUNDS):
        state.check()
        answer = model.lp.solve(state.remaining)
        if answer.x is None or answer.status is not Outcome.OPTIMAL:
            return
        bound = answer.objective
        if model.lacking(answer.x) <= LACKING * max(abs(bound), 1e-9) or model.cuts > MOST_CUTS // 2:
            return
        if not model.tangents(answer.x[: model.n], answer.x[model.n : model.n + model.m]):
            return
