"""A smaller problem with the same b: rows and x that can be written in terms of others are left out.

Five reductions, repeated until none applies. Each leaves every b feasible or infeasible as it was, at the same cost:

* an x in no row and not in Q has its cheaper bound;
* an equality row with two x of the same switch (and that switch) gives one of them, if it is in no other row and has
  no mixed term in Q: its cost goes to the other and to the switch (whose square is itself), its bounds to the other's;
* an x without a switch that is in one equality row only and not in Q is what the row leaves over: its cost goes to
  the row's other x and b, its bounds become the row's limits;
* a row that the bounds imply says nothing;
* of two rows with the same entries, one says nothing if the other's limits lie within its own.

What was left out is put back afterwards: the x, and the multipliers, so that a certificate holds for the problem given.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.model.alike import alike
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import DenseForm, DiagonalForm, FactorModel, QuadraticForm, SparseForm, Vector
from hybridmip.model.units import Proof

PASSES = 6
#: A sparse Q that is left with more than this share of its entries is dense.
DENSE_SHARE = 0.3
#: Bounds that cross by no more than this, relative to their size, are equal.
SLACK = 1e-9


@dataclass(frozen=True)
class _Fixed:
    """x[column] = value, times its switch if it has one."""

    column: int
    switch: int
    value: float


@dataclass(frozen=True)
class _Paired:
    """x[column] = factor x[other] + per_switch b[switch] + constant, by a row in which its entry is `entry`.

    `cost` and `curvature` are the coefficients of x[column] and of its square.
    """

    column: int
    other: int
    switch: int
    factor: float
    per_switch: float
    constant: float
    row: int
    entry: float
    cost: float
    curvature: float


@dataclass(frozen=True)
class _Slack:
    """x[column] = (side - the row's other x and b) / entry, at a cost; `row` stays, as a range."""

    column: int
    row: int
    entry: float
    side: float
    cost: float


Step = _Fixed | _Paired | _Slack


def _activity(matrix: sparse.csr_array, row: int, values: Vector) -> float:
    """One row of a matrix times a vector."""
    part = slice(matrix.indptr[row], matrix.indptr[row + 1])
    return float(matrix.data[part] @ values[matrix.indices[part]])


@dataclass(frozen=True)
class Presolved:
    """A problem, the smaller one, and how to come back.

    Attributes
    ----------
    original, problem : Problem
    columns, rows : ndarray
        Which x and rows of the original the smaller one has.
    """

    original: Problem
    problem: Problem
    columns: NDArray[np.intp]
    rows: NDArray[np.intp]
    steps: tuple[Step, ...] = ()

    def x_of(self, x: Vector, b: NDArray[np.generic]) -> Vector:
        """The x of the original problem."""
        if not self.steps:
            return x
        full, on_off = np.zeros(self.original.n), np.asarray(b, dtype=np.float64)
        full[self.columns] = x
        for step in reversed(self.steps):
            if isinstance(step, _Slack):
                full[step.column] = 0.0
                others = _activity(self.original.A, step.row, full) + _activity(self.original.G, step.row, on_off)
                full[step.column] = (step.side - others) / step.entry
                continue
            on = float(b[step.switch]) if step.switch >= 0 else 1.0
            if isinstance(step, _Fixed):
                full[step.column] = step.value * on
            else:
                full[step.column] = step.factor * full[step.other] + step.per_switch * on + step.constant
        return full

    def proof_of(self, proof: Proof) -> Proof:
        """D, point and multipliers for the original problem, from those for the smaller one.

        Curvature that came from an x left out goes back to it, and the multiplier of its row is its slope where the
        other x is best, so that nothing is lost there.
        """
        if not self.steps and self.rows.size == self.original.rows:
            return proof
        small, (d, y, rows, binary_rows) = self.problem, proof
        slope = small.q + 2.0 * (small.Q.matvec(y) - d * y) - small.A.T @ rows
        with np.errstate(divide="ignore", invalid="ignore"):
            flat = np.where(slope > 0, small.x_lower, small.x_upper)
            best = np.where(d > 0, np.clip(-slope / (2.0 * d), small.x_lower, small.x_upper), flat)
        best = np.where(np.isfinite(best), best, 0.0)
        full_d, full_y, full_best = (np.zeros(self.original.n) for _ in range(3))
        full_d[self.columns], full_y[self.columns], full_best[self.columns] = d, y, best
        full_rows = np.zeros(self.original.rows)
        full_rows[self.rows] = rows
        for step in reversed(self.steps):
            if isinstance(step, _Slack):
                full_rows[step.row] += step.cost / step.entry
                continue
            if isinstance(step, _Fixed):
                full_best[step.column] = step.value
                continue
            at = step.factor * full_best[step.other] + step.per_switch + step.constant
            # How far the switch is on in the relaxation, to go by the other x.
            other = float(full_best[step.other])
            share = min(max(float(full_y[step.other]) / other, 0.0), 1.0) if other and step.switch >= 0 else 1.0
            point = step.factor * full_y[step.other] + (step.per_switch + step.constant) * share
            mine = min(step.curvature, full_d[step.other] / step.factor**2)
            full_best[step.column], full_y[step.column], full_d[step.column] = at, point, mine
            full_d[step.other] -= mine * step.factor**2
            slope_there = step.cost + 2.0 * (mine * at + (step.curvature - mine) * point)
            full_rows[step.row] = slope_there / step.entry
        return Proof(full_d, full_y, full_rows, binary_rows)


@dataclass(frozen=True)
class _Work:
    """The problem so far, as arrays over what is left."""

    A: sparse.csr_array
    G: sparse.csr_array
    row_lower: Vector
    row_upper: Vector
    q: Vector
    p: Vector
    offset: float
    x_lower: Vector
    x_upper: Vector
    switch: NDArray[np.intp]
    #: Which x are in Q, which of them in mixed terms, and the coefficient of the square.
    curved: NDArray[np.bool_]
    mixed: NDArray[np.bool_]
    square: Vector
    columns: NDArray[np.intp]
    rows: NDArray[np.intp]

    def without_columns(self, gone: NDArray[np.bool_]) -> _Work:
        left = ~gone
        return replace(
            self, A=sparse.csr_array(self.A[:, left]), q=self.q[left], x_lower=self.x_lower[left],
            x_upper=self.x_upper[left], switch=self.switch[left], curved=self.curved[left],
            mixed=self.mixed[left], square=self.square[left], columns=self.columns[left],
        )  # fmt: skip

    def without_rows(self, gone: NDArray[np.bool_]) -> _Work:
        left = ~gone
        return replace(
            self, A=sparse.csr_array(self.A[left]), G=sparse.csr_array(self.G[left]), row_lower=self.row_lower[left],
            row_upper=self.row_upper[left], rows=self.rows[left],
        )  # fmt: skip


def unchanged(problem: Problem) -> Presolved:
    """The problem as it is."""
    return Presolved(problem, problem, np.arange(problem.n), np.arange(problem.rows))


def presolve(problem: Problem) -> Presolved:
    """The smaller problem; the same one where nothing is to be left out."""
    work = _Work(
        problem.A, problem.G, problem.row_lower, problem.row_upper, problem.q, problem.p, problem.offset,
        problem.x_lower, problem.x_upper, problem.switch, *_curved(problem.Q), problem.Q.diagonal(),
        np.arange(problem.n), np.arange(problem.rows),
    )  # fmt: skip
    steps: list[Step] = []
    for _ in range(PASSES):
        before = work.columns.size, work.rows.size
        work = _implied_rows(_same_rows(_unused(_slacks(_pairs(work, steps), steps), steps)))
        if (work.columns.size, work.rows.size) == before:
            break
    if work.columns.size == problem.n and work.rows.size == problem.rows:
        return unchanged(problem)
    smaller = Problem(
        Q=_restricted(problem.Q, work.columns, work.square), q=work.q, p=work.p, offset=work.offset, A=work.A, G=work.G,
        row_lower=work.row_lower, row_upper=work.row_upper, B=problem.B, b_lower=problem.b_lower,
        b_upper=problem.b_upper, x_lower=work.x_lower, x_upper=work.x_upper, switch=work.switch, binaries=problem.m,
        x_names=[problem.x_names[j] for j in work.columns], b_names=problem.b_names,
        row_names=[problem.row_names[r] for r in work.rows], b_row_names=problem.b_row_names,
    )  # fmt: skip
    return Presolved(problem, smaller, work.columns, work.rows, tuple(steps))


def _curved(Q: QuadraticForm) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which x are in Q, and which in mixed terms."""
    diagonal = Q.diagonal()
    if isinstance(Q, DiagonalForm):
        return diagonal != 0, np.zeros(Q.n, dtype=bool)
    if isinstance(Q, SparseForm) or not diagonal.all():
        total = Q.absolute_matvec(np.ones(Q.n))
        return total != 0, total != np.abs(diagonal)
    return np.ones(Q.n, dtype=bool), np.ones(Q.n, dtype=bool)


def _restricted(Q: QuadraticForm, columns: NDArray[np.intp], square: Vector) -> QuadraticForm:
    """Q on some of the x, with its diagonal replaced."""
    more = square - Q.diagonal()[columns]
    if columns.size == Q.n and not more.any():
        return Q
    if isinstance(Q, DiagonalForm):
        form: QuadraticForm = DiagonalForm(square)
    elif isinstance(Q, FactorModel):
        form = FactorModel(Q.loadings[columns], Q.factor_covariance, Q.specific_variance[columns] + more)
    elif isinstance(Q, SparseForm):
        part = sparse.csr_array(sparse.csr_array(Q.split()[0])[columns][:, columns]) + sparse.diags_array(more)
        form = DenseForm(part.toarray()) if part.nnz > DENSE_SHARE * columns.size**2 else SparseForm(part)
    else:
        form = DenseForm(Q.block(columns, columns) + np.diag(more))
    if Q.slack is not None:  # a part of Q, with more on its diagonal
        form.slack = Q.slack[columns]
    return form


def _pairs(work: _Work, steps: list[Step]) -> _Work:
    """Leave out what an equality row with two x of one switch determines."""
    A, G = work.A, work.G
    gone, gone_rows = np.zeros(work.q.size, dtype=bool), np.zeros(work.rows.size, dtype=bool)
    uses = np.bincount(A.indices, minlength=work.q.size)
    q, p, offset = work.q.copy(), work.p.copy(), work.offset
    lower, upper, square, curved = work.x_lower.copy(), work.x_upper.copy(), work.square.copy(), work.curved.copy()
    touched = np.zeros(work.q.size, dtype=bool)
    candidates = (np.diff(A.indptr) == 2) & (np.diff(G.indptr) <= 1) & (work.row_lower == work.row_upper)
    for r in np.flatnonzero(candidates):
        pair, entries = A.indices[A.indptr[r] : A.indptr[r + 1]], A.data[A.indptr[r] : A.indptr[r + 1]]
        binary, weights = G.indices[G.indptr[r] : G.indptr[r + 1]], G.data[G.indptr[r] : G.indptr[r + 1]]
        owner, side = int(work.switch[pair[0]]), float(work.row_upper[r])
        if work.switch[pair[1]] != owner or touched[pair].any() or (entries == 0).any():
            continue
        if (owner >= 0 and side != 0) or (binary.size and binary[0] != owner):
            continue
        for here in (0, 1):
            j, k = int(pair[here]), int(pair[1 - here])
            if uses[j] > 1 or work.mixed[j]:
                continue
            factor = -float(entries[1 - here] / entries[here])
            per_switch = -float(weights[0] / entries[here]) if binary.size else 0.0
            constant = side / float(entries[here])
            shift = per_switch + constant
            ends = sorted(((lower[j] - shift) / factor, (upper[j] - shift) / factor))
            low, high = max(float(lower[k]), ends[0]), min(float(upper[k]), ends[1])
            if low > high:
                if low > high + SLACK * (1.0 + abs(low)):
                    break  # the row cannot hold while on: not ours to say
                low = high = 0.5 * (low + high)
            cost, curvature = float(q[j]), float(square[j])
            steps.append(
                _Paired(
                    column=int(work.columns[j]), other=int(work.columns[k]), switch=owner, factor=factor,
                    per_switch=per_switch, constant=constant, row=int(work.rows[r]), entry=float(entries[here]),
                    cost=cost, curvature=curvature,
                )
            )  # fmt: skip
            lower[k], upper[k] = low, high
            # (f x + s b)^2 = f^2 x^2 + 2 f s x + s^2 b, since b^2 = b and x b = x; one of the two shifts is zero.
            square[k] += curvature * factor**2
            curved[k] |= curvature != 0
            q[k] += cost * factor + 2.0 * curvature * factor * shift
            if owner >= 0:
                p[owner] += cost * shift + curvature * shift**2
            else:
                offset += cost * shift + curvature * shift**2
            gone[j] = gone_rows[r] = touched[j] = touched[k] = True
            break
    changed = replace(work, q=q, p=p, offset=offset, x_lower=lower, x_upper=upper, square=square, curved=curved)
    return changed.without_rows(gone_rows).without_columns(gone) if gone.any() else work


def _slacks(work: _Work, steps: list[Step]) -> _Work:
    """Leave out x that are what an equality row leaves over."""
    A, G = work.A, work.G
    columns = sparse.csc_array(A)
    once = (np.diff(columns.indptr) == 1) & (work.switch < 0) & ~work.curved
    gone, used = np.zeros(work.q.size, dtype=bool), np.zeros(work.rows.size, dtype=bool)
    q, p, offset = work.q.copy(), work.p.copy(), work.offset
    row_lower, row_upper = work.row_lower.copy(), work.row_upper.copy()
    for j in np.flatnonzero(once):
        r, entry = int(columns.indices[columns.indptr[j]]), float(columns.data[columns.indptr[j]])
        if used[r] or entry == 0.0 or work.row_lower[r] != work.row_upper[r] or A.indptr[r + 1] - A.indptr[r] < 2:
            continue
        side, cost = float(work.row_upper[r]), float(q[j])
        price = cost / entry
        x, b = slice(A.indptr[r], A.indptr[r + 1]), slice(G.indptr[r], G.indptr[r + 1])
        np.subtract.at(q, A.indices[x], price * A.data[x])
        np.subtract.at(p, G.indices[b], price * G.data[b])
        offset += price * side
        ends = sorted((side - entry * work.x_lower[j], side - entry * work.x_upper[j]))
        row_lower[r], row_upper[r] = ends
        gone[j] = used[r] = True
        steps.append(_Slack(int(work.columns[j]), int(work.rows[r]), entry, side, cost))
    changed = replace(work, q=q, p=p, offset=offset, row_lower=row_lower, row_upper=row_upper)
    return changed.without_columns(gone) if gone.any() else work


def _unused(work: _Work, steps: list[Step]) -> _Work:
    """Leave out x that are in no row and not in Q."""
    uses = np.bincount(work.A.indices, weights=work.A.data != 0, minlength=work.q.size)
    value = np.where(work.q >= 0, work.x_lower, work.x_upper)
    # A free x without cost may stay at zero; an unlimited one that pays is for the solver to find.
    value = np.where((work.q == 0) & ~np.isfinite(value), np.clip(0.0, work.x_lower, work.x_upper), value)
    gone = (uses == 0) & ~work.curved & np.isfinite(value)
    if not gone.any():
        return work
    p, offset = work.p.copy(), work.offset
    for j in np.flatnonzero(gone):
        owner, cost = int(work.switch[j]), float(work.q[j] * value[j])
        steps.append(_Fixed(int(work.columns[j]), owner, float(value[j])))
        if owner >= 0:
            p[owner] += cost
        else:
            offset += cost
    return replace(work, p=p, offset=offset).without_columns(gone)


def _same_rows(work: _Work) -> _Work:
    """Leave out rows that another one with the same entries implies."""
    gone = np.zeros(work.rows.size, dtype=bool)
    seen: dict[bytes, int] = {}
    for r, key in alike(work.A, work.G):
        other = seen.setdefault(key, r)
        if other == r:
            continue
        if work.row_lower[other] >= work.row_lower[r] and work.row_upper[other] <= work.row_upper[r]:
            gone[r] = True
        elif work.row_lower[r] >= work.row_lower[other] and work.row_upper[r] <= work.row_upper[other]:
            gone[other] = True
            seen[key] = r
    return work.without_rows(gone) if gone.any() else work


def _implied_rows(work: _Work) -> _Work:
    """Leave out rows that hold whatever x and b are."""
    A, G = work.A, work.G
    switched = work.switch >= 0
    low = np.where(switched, np.minimum(work.x_lower, 0.0), work.x_lower)[A.indices]
    high = np.where(switched, np.maximum(work.x_upper, 0.0), work.x_upper)[A.indices]
    with np.errstate(invalid="ignore"):
        ends = np.where(A.data == 0, 0.0, A.data * low), np.where(A.data == 0, 0.0, A.data * high)
    row, binary_row = (np.repeat(np.arange(work.rows.size), np.diff(M.indptr)) for M in (A, G))
    count = work.rows.size
    least = np.bincount(row, np.minimum(*ends), count) + np.bincount(binary_row, np.minimum(G.data, 0.0), count)
    most = np.bincount(row, np.maximum(*ends), count) + np.bincount(binary_row, np.maximum(G.data, 0.0), count)
    gone = (least >= work.row_lower) & (most <= work.row_upper)
    empty = (np.diff(A.indptr) + np.diff(G.indptr)) == 0
    gone |= empty & (work.row_lower <= 0) & (work.row_upper >= 0)
    return work.without_rows(gone) if gone.any() else work
