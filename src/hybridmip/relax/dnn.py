"""Dnn: the doubly nonnegative relaxation, for x that are not negative and a Q under which no diagonal fits.

With Y ~ v v', v = (1, x, s), s the slacks of the rows: minimise <Q, X> over Y semidefinite and not negative entry by
entry, products of the rows with x, and X_ii between the parabola and the chord of x_i and its switch
(`relax.dnn_kernel`). Its multipliers are `bounds.products.Products` (those of X_ij >= 0 and of the rows) and a diagonal
below what these leave of Q.

The method is that of alternating directions: one eigenvalue decomposition an iteration for Y, a projection entry by
entry for its twin Z, and multipliers W of their difference. Equations are a face of the cone, which is projected out.
Whatever it has reached is made safe: signs are kept by clipping, and what is lacking to a semidefinite rest is taken
from the diagonal.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hybridmip.bounds.diagonal import certain
from hybridmip.bounds.products import Products
from hybridmip.engines.compiled import ready
from hybridmip.model.quadratic import Matrix, Vector
from hybridmip.relax import dnn_kernel
from hybridmip.relax.persp import Persp
from hybridmip.relax.protocol import Relaxation, RelaxationFailed, Relaxed, Setting

#: Rows that are multiplied by x, at most.
MOST_ROWS = 12
#: Variances count as at least this share of the median one, as roots, when x is scaled by them.
LEAST_DEVIATION = 0.3
#: Over-relaxation, and the first weight of the difference.
OVER = 1.6
WEIGHT = 0.05
#: The difference should be about so many times what the twin moves by (what counts in the end are the multipliers); the
#: weight is changed where it is off by more than the second, by no more than the third at a time.
RATIO, UNEVEN, CHANGE = 12.0, 2.5, 2.0
#: A slack is measured in so many times what its row varies by.
SLACK_SCALE = 3.0
#: An x without a limit has this one in units of its own, here only.
FAR = 100.0
#: Squares of the equations that are added to what is left of Q, as a share of its largest eigenvalue.
SQUARES = 0.1


#: The relaxation by itself: looks at what is reached, and iterations between them.
LOOKS = 8
ITERATIONS = 25
#: Most x.
LARGEST = 600


def serves(setting: Setting) -> bool:
    """Whether a problem has what it takes: x that are not negative, and counts over disjoint sets or no rows on b."""
    counted = setting.binaries.kind in ("free", "disjoint")
    curved = not setting.problem.is_linear
    return counted and curved and setting.problem.n <= LARGEST and bool((setting.lower >= 0).all())


class Dnn(Relaxation):
    """The relaxation by itself, with a certificate for the whole problem; scores are the relaxed b.

    The tree uses it differently (`exact.lifting`): there it goes on over the x that its own bound leaves over.
    """

    name = "dnn"

    def solve(self, setting: Setting, earlier: dict[str, Relaxed], time_limit: float | None) -> Relaxed:
        """Iterate, and keep the best of what is proven on the way."""
        if not serves(setting):
            raise RelaxationFailed("unsupported")
        ready(dnn_kernel.KERNELS, wait=True)
        end = np.inf if time_limit is None else time.perf_counter() + time_limit
        persp = earlier["persp"] if "persp" in earlier else Persp().solve(setting, earlier, time_limit)
        status = np.where(setting.binaries.possible, 0, -1).astype(np.int8)
        lifted, best = Lifted(setting, status, persp.x), persp
        for _ in range(LOOKS):
            if time.perf_counter() > end:
                break
            lifted.iterate(ITERATIONS, end)
            products, diagonal = lifted.found()
            lowered = products.apply(setting.problem, setting.lower, setting.upper)
            if lowered is None:
                continue
            relaxation = Persp(certain(lowered.Q.toarray(), diagonal))
            left = None if time_limit is None else max(end - time.perf_counter(), 0.0)
            try:
                found = relaxation.solve(Setting(lowered, setting.binaries), {}, left)
            except RelaxationFailed:
                continue
            if found.bound > best.bound:
                best = replace(found, products=products)
        return replace(best, name=self.name, guides=False)


class Found(NamedTuple):
    """Products, and a diagonal below what they leave of Q, for the x that are in play."""

    products: Products
    diagonal: Vector


class Lifted:
    """The relaxation over the x in play, in units of its own, as far as it is solved.

    Parameters
    ----------
    setting : Setting
    status : ndarray of int
        1 for binaries that are on, -1 for those that are off.
    typical : ndarray
        A point whose entries say how large x is where it is not zero.
    before : Lifted, optional
        The same with more x in play, from which it goes on.
    """

    def __init__(
        self, setting: Setting, status: NDArray[np.int8], typical: Vector, before: Lifted | None = None
    ) -> None:
        problem = setting.problem
        self.setting, self.status = setting, status.copy()
        owner = problem.switch
        self.there = np.flatnonzero((owner < 0) | (status[np.maximum(owner, 0)] >= 0))
        there, n = self.there, self.there.size
        diagonal = problem.Q.diagonal()[there]
        deviation = np.sqrt(np.maximum(diagonal, 0.0))
        on = typical[there] != 0
        usual = float(np.median(deviation[on])) if on.any() else 0.0
        deviation = np.maximum(deviation, LEAST_DEVIATION * (usual or float(deviation.max(initial=0.0)) or 1.0))
        size = float(np.sqrt(np.mean((deviation * typical[there])[on] ** 2))) if on.any() else 1.0
        self.scale = (size or 1.0) / deviation
        Q = problem.Q.block(there, there) * np.outer(self.scale, self.scale)
        q = problem.q[there] * self.scale
        x = typical[there] / self.scale
        self.unit = float(np.abs(x) @ np.abs(Q @ x) + np.abs(q) @ np.abs(x)) or 1.0
        held = max(int(on.sum()), 1)
        self._rows(held, before)
        self.size = 1 + n + len(self.slacks)
        self.objective = np.zeros((self.size, self.size))
        self.objective[1 : n + 1, 1 : n + 1] = Q / self.unit
        self.objective[0, 1 : n + 1] = self.objective[1 : n + 1, 0] = q / (2 * self.unit)
        lower, upper = setting.lower[there] / self.scale, setting.upper[there] / self.scale
        self.lower = np.maximum(lower, -FAR)
        self.upper = np.minimum(upper, FAR)
        self.positive = np.zeros((self.size, self.size), dtype=bool)
        signed = np.concatenate([[False], setting.lower[there] >= 0, np.ones(len(self.slacks), dtype=bool)])
        self.positive[np.ix_(signed, signed)] = True
        self.positive[n + 1 :, n + 1 :] = False
        self.positive[0, n + 1 :] = self.positive[n + 1 :, 0] = True
        self._switches()
        self.Z = np.zeros((self.size, self.size))
        self.Z[0, 0] = 1.0
        self.W = np.zeros((self.size, self.size))
        self.rho = WEIGHT
        self.iterations = 0
        self.residuals = (np.inf, np.inf)
        if before is not None:
            self._go_on(before)

    def _rows(self, held: int, before: Lifted | None) -> None:
        """Faces: an equation is orthogonal to v, and so is a row less its slack."""
        problem, n = self.setting.problem, self.there.size
        A = problem.A.toarray()[:, self.there] * self.scale
        pure = (np.diff(problem.G.indptr) == 0) & A.any(axis=1)
        equal = pure & (problem.row_lower == problem.row_upper)
        self.equations = np.flatnonzero(equal)[:MOST_ROWS]
        sided = np.flatnonzero(pure & ~equal)[:MOST_ROWS]
        #: Row, sign and scale of every slack: sign * scale * (a'x - limit).
        self.slacks: list[tuple[int, float, float]] = []
        norms = np.array([float(np.linalg.norm(A[k])) for k in self.equations])
        columns = [np.concatenate([[-problem.row_upper[k]], A[k]]) for k in self.equations]
        basis = np.linalg.qr(np.array([A[k] for k in self.equations]).T)[0] if self.equations.size else np.zeros((n, 0))
        faces: list[Vector] = []
        for k in sided:
            rest = A[k] - basis @ (basis.T @ A[k])
            spread = float(np.sqrt(np.mean(rest**2))) or float(np.sqrt(np.mean(A[k] ** 2)))
            for sign, limit in ((1.0, problem.row_lower[k]), (-1.0, problem.row_upper[k])):
                if np.isfinite(limit) and len(self.slacks) < MOST_ROWS:
                    times = SLACK_SCALE / (held * spread)
                    if before is not None:
                        times = next(other[2] for other in before.slacks if other[:2] == (k, sign))
                    self.slacks.append((int(k), sign, times))
                    faces.append(sign * times * np.concatenate([[-limit], A[k]]))
        total = 1 + n + len(self.slacks)
        G = np.zeros((total, len(columns) + len(faces)))
        for at, column in enumerate([*columns, *faces]):
            G[: n + 1, at] = column / norms[at] if at < norms.size else column
            if at >= norms.size:
                G[1 + n + at - norms.size, at] = -1.0
        self.norms = norms
        self.faces, self.triangle = np.linalg.qr(G)

    def _switches(self) -> None:
        """Binaries in play, in the order of the kernel."""
        problem, binaries, status = self.setting.problem, self.setting.binaries, self.status
        self.binaries = np.flatnonzero(status >= 0)
        place = np.full(problem.m + 1, self.binaries.size)
        place[self.binaries] = np.arange(self.binaries.size)
        owner = np.where(problem.switch[self.there] >= 0, place[problem.switch[self.there]], self.binaries.size)
        self.order = np.argsort(owner, kind="stable").astype(np.int64)
        self.first = np.searchsorted(owner[self.order], np.arange(self.binaries.size + 1)).astype(np.int64)
        counted = binaries.kind in ("free", "disjoint")
        self.group = np.array(binaries.group if counted else np.full(problem.m, -1), dtype=np.int64)[self.binaries]
        self.group_low = np.array(binaries.group_lower if counted else [], dtype=np.int64)
        self.group_high = np.array(binaries.group_upper if counted else [], dtype=np.int64)
        self.prices = np.zeros(self.group_low.size)
        self.b = np.zeros(self.binaries.size)

    def on_faces(self, M: Matrix) -> Matrix:
        """M projected onto what is orthogonal to the faces, from both sides."""
        F = self.faces
        H = (M @ F) @ F.T
        return np.asarray(M - H - H.T + F @ (F.T @ H))

    def iterate(self, times: int, end: float = np.inf) -> None:
        """So many iterations, or fewer where the time is up before (by `time.perf_counter()`)."""
        from scipy.linalg import eigh  # 0.1 s, which linear problems do not need

        n, at = self.there.size, np.arange(1, self.there.size + 1)
        status = self.status[self.binaries]
        cost = self.setting.problem.p[self.binaries] / self.unit
        x, X = np.zeros(n), np.zeros(n)
        for turn in range(times):
            M = self.on_faces(self.Z - self.W - self.objective / self.rho)
            values, vectors = eigh((M + M.T) / 2, check_finite=False, overwrite_a=True, driver="evd")
            V = vectors[:, values > 0]
            Y = (V * values[values > 0]) @ V.T
            T = (OVER * Y - (OVER - 1) * self.Z if self.iterations else Y) + self.W
            dnn_kernel.project(
                T[0, 1 : n + 1].copy(), T[at, at].copy(), self.lower, self.upper, self.first, self.order, status,
                2 * cost / self.rho, self.group, self.group_low, self.group_high, self.prices, x, X, self.b,
            )  # fmt: skip
            before = self.Z
            Z = np.where(self.positive, np.maximum(T, 0.0), T)
            Z[0, 0] = 1.0
            Z[0, 1 : n + 1] = Z[1 : n + 1, 0] = x
            Z[at, at] = X
            self.Z, self.W = Z, T - Z
            self.iterations += 1
            late = time.perf_counter() > end
            if turn == times - 1 or late:
                self.residuals = float(np.linalg.norm(Y - Z)), self.rho * float(np.linalg.norm(Z - before))
                self._adapt()
            if late:
                break

    def _adapt(self) -> None:
        primal, dual = self.residuals
        off = primal / max(RATIO * dual, 1e-300)
        if not 1 / UNEVEN <= off <= UNEVEN:
            times = min(max(float(np.sqrt(off)), 1 / CHANGE), CHANGE)
            self.rho *= times
            self.W /= times

    def _go_on(self, before: Lifted) -> None:
        """Begin where the relaxation with more x in play is."""
        place = np.searchsorted(before.there, self.there)
        # A row whose x are all gone has no slack any more.
        numbers = [one[:2] for one in before.slacks]
        slacks = 1 + before.there.size + np.array([numbers.index(one[:2]) for one in self.slacks], dtype=np.int64)
        kept = np.concatenate([[0], 1 + place, slacks])
        times = before.scale[place] / self.scale
        factor = np.concatenate([[1.0], times, np.ones(slacks.size)])
        both = np.outer(factor, factor)
        self.Z = before.Z[np.ix_(kept, kept)] * both
        self.W = before.W[np.ix_(kept, kept)] / both * (before.unit / self.unit)
        self.rho, self.prices, self.iterations = before.rho, before.prices.copy(), before.iterations

    def found(self) -> Found:
        """What the multipliers by now prove: products, and a diagonal."""
        problem, n, there, scale = self.setting.problem, self.there.size, self.there, self.scale
        La = -self.rho * self.W
        La = (La + La.T) / 2
        rest = self.objective - La
        # v'(rest)v = v'(on_faces(rest))v + 2 (F'v)'(w'v), with F = G triangle^-1.
        F = self.faces
        w = np.linalg.solve(self.triangle, (rest @ F - F @ (F.T @ rest @ F) / 2).T)
        rows = np.zeros((problem.rows, problem.n))
        A = problem.A.toarray()[:, there]
        slack_rows = [sign * times * A[k] for k, sign, times in self.slacks]
        for at, k in enumerate(self.equations):
            own = w[at, 1 : n + 1] / scale
            for number, row in enumerate(slack_rows):
                own = own + w[at, n + 1 + number] * row
            rows[k, there] += 2 * self.unit * own / self.norms[at]
        for number, (k, sign, times) in enumerate(self.slacks):
            multiple = np.maximum(La[n + 1 + number, 1 : n + 1], 0.0) * self.positive[n + 1 + number, 1 : n + 1]
            rows[k, there] += 2 * self.unit * sign * times * multiple / scale
        inner = np.where(self.positive, np.maximum(La, 0.0), 0.0)[1 : n + 1, 1 : n + 1]
        np.fill_diagonal(inner, 0.0)
        diagonal = np.diag(La)[1 : n + 1].copy()
        return self._safe(inner, rows, diagonal)

    def _safe(self, inner: Matrix, rows: Matrix, diagonal: Vector) -> Found:
        """The diagonal lowered until Q' less it is semidefinite."""
        from scipy.linalg import eigh

        problem, there, scale, unit = self.setting.problem, self.there, self.scale, self.unit
        A = problem.A.toarray()[:, there] * scale
        w = rows[:, there] * scale / unit
        mixed = A.T @ w
        S = self.objective[1 : there.size + 1, 1 : there.size + 1] - inner - (mixed + mixed.T) / 2 - np.diag(diagonal)
        values, vectors = eigh(S, check_finite=False, driver="evd")
        negative = values < 0
        V = vectors[:, negative]
        lacking = (V * -values[negative]) @ V.T
        self.lowest = float(values[0])
        # Less of the pairs makes up for it where there is enough; the rest is paid by the diagonal.
        left = inner - lacking
        np.fill_diagonal(left, 0.0)
        short = np.maximum(-left, 0.0)
        weight = np.sqrt(np.maximum(np.diag(self.Z)[1 : there.size + 1], 1e-4))
        paid = np.diag(lacking) + (short * (weight[None, :] / weight[:, None])).sum(axis=1)
        if paid @ weight**2 < -values[0] * float((weight**2).sum()):
            inner, diagonal = np.maximum(left, 0.0), diagonal - paid
        else:
            diagonal = diagonal + min(values[0], 0.0)
        pairs, chords, d = np.zeros((problem.n, problem.n)), np.zeros(problem.n), np.zeros(problem.n)
        pairs[np.ix_(there, there)] = unit * inner / np.outer(scale, scale)
        pairs = (pairs + pairs.T) / 2
        own = unit * diagonal / scale**2
        limited = (self.setting.lower[there] >= 0) & np.isfinite(self.setting.upper[there])
        chords[there] = np.where(limited, np.maximum(-own, 0.0), 0.0)
        d[there] = np.maximum(own, 0.0)
        return Found(Products(pairs, rows, chords), d)
