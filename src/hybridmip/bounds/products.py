"""Products of what is not negative: a reformulation that lies below the objective wherever a point is feasible.

For a pair of x that are not negative x_i x_j >= 0; for a row a'x >= r and such an x (a'x - r) x_i >= 0, and for
a'x <= r the opposite (an equation has both); and l b <= x <= u b means (x - l b)(u b - x) >= 0. Multiples of all these
may be taken off the objective. With N >= 0 off the diagonal, w_k for row k (positive entries price its lower limit,
negative ones the upper) and c >= 0,

    x'Qx + q'x + p'b  >=  x'Q'x + q''x + p''b,
    Q' = Q - N - sum_k (a_k w_k' + w_k a_k') / 2 + diag(c),   q'' = q + sum_k r_k w_k - c (l + u),   p'' = p + c l u

More fits below Q' than below Q: where Q is singular, so that no diagonal does, Q' need not be. If it is convex this is
an ordinary problem over the same rows and binaries, and the closed formula applies.

Rounding is paid for here, once: what the entries of Q' can be wrong by is taken off its diagonal
(2 |x_i x_j| <= x_i^2 + x_j^2), and likewise off q'' and p'', whose x and b are not negative. So the numbers that come
out of this are below the objective as they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from hybridmip.errors import ProblemError
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import DenseForm, Matrix, Vector, quadratic_form
from hybridmip.model.semidefinite import roots

EPS = float(np.finfo(float).eps)
#: Share of the pairs up to which a document has them one by one.
FEW = 0.3


class Lowered(NamedTuple):
    """An objective that lies below the one given."""

    Q: Matrix
    q: Vector
    p: Vector
    offset: float


@dataclass(frozen=True, eq=False)
class Products:
    """Multiples of products that are not negative; see the module.

    Attributes
    ----------
    pairs : sparse array, shape (n, n)
        N: symmetric, not negative, zero on the diagonal. An array is taken as well.
    rows : ndarray, shape (rows, n)
        w.
    chords : ndarray, shape (n,)
        c.
    """

    pairs: sparse.csr_array
    rows: Matrix
    chords: Vector

    def __post_init__(self) -> None:
        pairs = sparse.csr_array(self.pairs)
        pairs.eliminate_zeros()
        pairs.sort_indices()
        object.__setattr__(self, "pairs", pairs)

    @cached_property
    def digest(self) -> bytes:
        """Tells these products from others."""
        pairs = self.pairs
        parts = (pairs.indptr, pairs.indices, pairs.data, self.rows, self.chords)
        return hashlib.blake2b(b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).digest()

    def fault(self, problem: Problem, lower: Vector, upper: Vector) -> str:
        """Why this proves nothing about a problem with these limits of x; empty where it does."""
        n = problem.n
        if self.pairs.shape != (n, n) or self.rows.shape != (problem.rows, n) or self.chords.shape != (n,):
            return "products do not fit the problem"
        if not all(np.isfinite(values).all() for values in (self.pairs.data, self.rows, self.chords)):
            return "products have an entry that is not a finite number"
        if (self.pairs.data < 0).any() or (self.chords < 0).any():
            return "products have a negative multiple"
        if (self.pairs != self.pairs.T).nnz or self.pairs.diagonal().any():
            return "products of pairs are not symmetric, or have a diagonal"
        negative = lower < 0
        if np.diff(self.pairs.indptr)[negative].any() or self.rows[:, negative].any() or self.chords[negative].any():
            return "products have an x that can be negative"
        if (self.chords[np.isinf(upper)] != 0).any():
            return "products have an x without an upper limit"
        if self.rows[np.diff(problem.G.indptr) > 0].any():
            return "products have a row with binaries"
        wrong = (self.rows > 0) & np.isneginf(problem.row_lower)[:, None]
        wrong |= (self.rows < 0) & np.isposinf(problem.row_upper)[:, None]
        return "products price a limit that a row does not have" if wrong.any() else ""

    def lowered(self, problem: Problem, lower: Vector, upper: Vector) -> Lowered:
        """The objective below that of the problem, rounding taken off; for products without a fault only."""
        A, w, c = problem.A.toarray(), self.rows, self.chords
        Q, times = problem.Q.toarray(), 2 * (problem.rows + 6) * EPS
        mixed, in_mixed = A.T @ w, np.abs(A).T @ np.abs(w)
        pairs = self.pairs.toarray()
        below = Q - pairs - (mixed + mixed.T) / 2
        error = times * (np.abs(Q) + pairs + (in_mixed + in_mixed.T) / 2)
        at = np.arange(problem.n)
        error[at, at] += times * c
        below[at, at] += c
        below = _rounded_down(below, error, Q)
        limits = np.where(w > 0, problem.row_lower[:, None], problem.row_upper[:, None])
        priced = w * np.where(w != 0, limits, 0.0)
        l, u = np.where(c > 0, lower, 0.0), np.where(c > 0, upper, 0.0)
        touched = w.any(axis=0) | (c > 0)
        in_q = times * (np.abs(problem.q) + np.abs(priced).sum(axis=0) + c * (np.abs(l) + np.abs(u)))
        q = np.where(touched, problem.q + priced.sum(axis=0) - c * (l + u) - in_q, problem.q)
        p, offset, at_zero = problem.p.copy(), problem.offset, c * l * u
        switched = problem.switched & (c > 0)
        added = np.bincount(problem.switch[switched], at_zero[switched], problem.m)
        p += added - np.where(added > 0, 2 * (problem.n + 6) * EPS * (np.abs(problem.p) + added), 0.0)
        more = float(at_zero[~problem.switched].sum())
        offset += more - 2 * (problem.n + 6) * EPS * (abs(offset) + more) if more > 0 else 0.0
        return Lowered(below, q, p, offset)

    def apply(self, problem: Problem, lower: Vector, upper: Vector) -> Problem | None:
        """The problem with the objective below; None where that proves nothing or is not convex."""
        if self.fault(problem, lower, upper):
            return None
        Q, q, p, offset = self.lowered(problem, lower, upper)
        try:
            form = quadratic_form(DenseForm(Q), problem.n)
        except ProblemError:
            return None
        assert form is not None
        return problem.with_objective(form, q, p, offset)

    def rescaled(self, columns: Any, rows: Any, objective: int) -> Products:
        """The same for the problem whose `Problem.rescaled` this is for: powers of two, no digit changes."""
        pairs = self.pairs.tocoo()
        moved = np.ldexp(pairs.data, -columns[pairs.row] - columns[pairs.col] - objective)
        return Products(
            sparse.csr_array((moved, (pairs.row, pairs.col)), shape=pairs.shape),
            np.ldexp(self.rows, rows[:, None] - columns[None, :] - objective),
            np.ldexp(self.chords, -2 * columns - objective),
        )

    def to_dict(self) -> dict[str, Any]:
        """A document ready for JSON: of the pairs the lower triangle, row by row, of the x that have any.

        Where most are zero `few` has the others instead: (x, x, multiple).
        """
        some = np.diff(self.pairs.indptr) > 0
        there = np.flatnonzero(some | self.rows.any(axis=0) | (self.chords != 0))
        if self.pairs.nnz > FEW * there.size**2:
            block = self.pairs.toarray()[np.ix_(there, there)]
            pairs: dict[str, Any] = {"pairs": block[np.tril_indices(there.size, -1)].tolist()}
        else:
            below = sparse.tril(self.pairs, -1, format="coo")
            entries = zip(below.row.tolist(), below.col.tolist(), below.data.tolist(), strict=True)
            pairs = {"few": [list(entry) for entry in entries]}
        return {
            "x": there.tolist(),
            **pairs,
            "rows": [[int(k), self.rows[k, there].tolist()] for k in np.flatnonzero(self.rows.any(axis=1))],
            "chords": self.chords[there].tolist(),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], rows: int, n: int) -> Products:
        """Read a document made by `to_dict`.

        Raises
        ------
        ValueError, TypeError, KeyError, OverflowError
            If it is not one for so many rows and x.
        """
        there = np.array(document["x"], dtype=np.int64)
        if there.ndim != 1 or np.unique(there).size != there.size or ((there < 0) | (there >= n)).any():
            raise ValueError
        pairs, w, chords = np.zeros((n, n)), np.zeros((rows, n)), np.zeros(n)
        if "few" in document:
            for i, j, multiple in document["few"]:
                if any(isinstance(k, bool) or not isinstance(k, int) or not 0 <= k < n for k in (i, j)) or i == j:
                    raise ValueError
                pairs[i, j] = pairs[j, i] = _numbers([multiple], 1)[0]
        else:
            block = np.zeros((there.size, there.size))
            block[np.tril_indices(there.size, -1)] = _numbers(document["pairs"], there.size * (there.size - 1) // 2)
            pairs[np.ix_(there, there)] = block + block.T
        for k, values in document["rows"]:
            if isinstance(k, bool) or not isinstance(k, int) or not 0 <= k < rows:
                raise ValueError
            w[k, there] = _numbers(values, there.size)
        chords[there] = _numbers(document["chords"], there.size)
        return cls(pairs, w, chords)


def less_pairs(Q: Matrix, pairs: sparse.csr_array, rows: int) -> Matrix:
    """What products of pairs alone leave of Q in a problem with so many rows, as `Products.lowered` has it."""
    error = np.abs(Q)
    below = Q.copy()
    i = np.repeat(np.arange(len(Q)), np.diff(pairs.indptr))
    below[i, pairs.indices] -= pairs.data
    error[i, pairs.indices] += pairs.data
    return _rounded_down(below, 2 * (rows + 6) * EPS * error, Q)


def _rounded_down(below: Matrix, error: Matrix, Q: Matrix) -> Matrix:
    """What the entries can be wrong by taken off the diagonal, in place."""
    # e |x_i x_j| <= e (r_i / r_j x_i^2 + r_j / r_i x_j^2) / 2, with r near the deviations: units do not count.
    size = np.ldexp(1.0, roots(np.maximum(np.diag(Q), 0.0)))
    at = np.arange(len(Q))
    below[at, at] -= size * (error / size).sum(axis=1)
    return below


def _numbers(entry: Any, size: int) -> Vector:
    values = np.array(entry, dtype=np.float64)
    if values.shape != (size,) or not np.isfinite(values).all():
        raise ValueError
    return values
