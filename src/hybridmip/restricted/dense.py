"""Restricted problems by the dense kernel, with the general solver behind it."""

from __future__ import annotations

import math
import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hybridmip.engines import compiled
from hybridmip.engines.compiled import Kernel
from hybridmip.model.binaries import BinarySet
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Binary, FactorModel, Vector
from hybridmip.restricted import kernel, lanes
from hybridmip.restricted.gather import pack
from hybridmip.restricted.general import GeneralSolver
from hybridmip.restricted.protocol import Evaluation, Moves, moved
from hybridmip.tolerances import INFEASIBLE

#: Largest support the kernel takes. Its time grows with the cube of the support; measured on dense covariances it is
#: still three times faster than the general solver at 500, where each takes a tenth of a second.
LARGEST_SUPPORT = 500
#: Most rows the kernel takes.
MOST_ROWS = 48
#: Largest n for which a dense Q is formed.
LARGEST_DENSE = 6000
#: Candidates between two looks at the clock, for supports of ten; fewer for larger ones.
CHUNK = 8192


def kernel_applies(problem: Problem) -> bool:
    """Whether the dense kernel can serve this problem."""
    unswitched = int((~problem.switched).sum())
    factor = isinstance(problem.Q, FactorModel)
    if problem.rows > MOST_ROWS or unswitched > LARGEST_SUPPORT:
        return False
    if problem.G.nnz and problem.rows * problem.m > 5_000_000:
        return False
    return factor or problem.Q.kind in ("zero", "diagonal") or problem.n <= LARGEST_DENSE


class DenseSolver:
    """`RestrictedSolver` on the dense kernel.

    The objective is scaled so that its largest curvature on a variable is 1 and rows are scaled to
    unit norm; values are returned in the caller's units. Candidates the kernel does not answer
    (too large, or a KKT residual that is not small) go to the general solver.

    Parameters
    ----------
    problem : Problem
    threads : int, optional
        Threads for batches of candidates; all cores by default. Results do not depend on it.
    """

    compiled = True
    kernels: tuple[Kernel, ...] = (*kernel.KERNELS, *lanes.KERNELS)

    def __init__(self, problem: Problem, threads: int | None = None) -> None:
        self.problem = problem
        self.evaluations = 0
        self.fallbacks = 0
        self._general: GeneralSolver | None = None
        self.threads = threads if threads is not None else (os.cpu_count() or 1)
        self._pool: ThreadPoolExecutor | None = None
        #: Memory that compiled searches on this problem use one after the other.
        self.workspaces: list[Any] = []
        Q = problem.Q
        curvature = float(Q.diagonal().max(initial=0.0))
        largest = curvature if curvature > 0 else float(np.abs(problem.q).max(initial=0.0))
        self.scale = 1.0 / largest if largest > 0 else 1.0
        A = problem.A.toarray()
        norms = np.sqrt((A * A).sum(axis=1))
        norms[norms == 0.0] = 1.0
        self._row_norms = norms
        H, T, diagonal = None, np.zeros((problem.n, 0)), np.zeros(problem.n)
        if isinstance(Q, FactorModel):
            T = Q.root * math.sqrt(2 * self.scale)
            diagonal = 2 * self.scale * Q.specific_variance
        elif Q.kind in ("zero", "diagonal"):
            diagonal = 2 * self.scale * Q.diagonal()
        else:
            H = Q.toarray() * (2 * self.scale)
        starts, members = _members(problem)
        self.data = pack(
            H, T, diagonal, self.scale * problem.q, problem.x_lower, problem.x_upper, (A / norms[:, None]).T,
            (problem.G.toarray() / norms[:, None]).T if problem.G.nnz else None,
            problem.row_lower / norms, problem.row_upper / norms, starts, members, np.flatnonzero(~problem.switched),
        )  # fmt: skip
        self._unswitched = int((~problem.switched).sum())
        self._width = np.diff(starts)
        # The fast path needs curvature on every x; without it the proximal term of the kernel is used.
        self.curved = bool(problem.n) and bool((Q.diagonal() > 0).all())

    @property
    def general(self) -> GeneralSolver:
        """The solver behind the kernel, built on first use."""
        if self._general is None:
            self._general = GeneralSolver(self.problem)
        return self._general

    @cached_property
    def _functions(self) -> tuple[Any, Any]:
        """The kernels, for one problem and for several at a time, loaded by whoever needs them first."""
        compiled.load(self.kernels)
        return kernel.evaluate_moves, lanes.evaluate_lanes

    @property
    def pool(self) -> ThreadPoolExecutor:
        """Threads for the compiled functions, which release the GIL."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads)
        return self._pool

    def support_size(self, b: Binary) -> int:
        """Number of x that are not fixed to zero at b."""
        return int(self._width[b].sum()) + self._unswitched

    def most_support(self, binaries: BinarySet) -> int:
        """Largest support of a b, where the rows on b are counts over disjoint sets, or these and choices."""
        width, group = self._width.copy(), binaries.group
        if binaries.kind == "nested":  # of a choice the widest one is on
            there, _ = binaries.one_of_each(width.astype(np.float64))
            width[~there] = 0
        size = self._unswitched + int(width[group < 0].sum())
        for g, count in enumerate(binaries.group_upper):
            size += int(np.sort(width[group == g])[::-1][:count].sum())
        return min(size, self.problem.n)

    def _guess(self, near: Evaluation | None) -> tuple[Vector, Vector]:
        """Which bounds and rows bind at a neighbor's answer; none without one."""
        problem = self.problem
        guess, row_guess = np.zeros(problem.n), np.zeros(problem.rows)
        if near is not None and near.x is not None:
            guess[near.x <= problem.x_lower] = -1
            guess[near.x >= problem.x_upper] = 1
            guess[near.x == 0.0] = 0  # off, or it tells nothing about what it would do when on
            if near.row_multipliers is not None:
                row_guess = -np.sign(near.row_multipliers)
        return guess, row_guess

    def _run(
        self, base: NDArray[np.intp], outs: NDArray[np.intp], ins: NDArray[np.intp], limit: int, wanted: int
    ) -> tuple[Vector, Vector, NDArray[np.int64], Vector, NDArray[np.int64]]:
        """Values, infeasibilities, statuses; of the last candidate x, multipliers of rows and bounds, and support."""
        count = outs.shape[0]
        values, infeasibility = np.zeros(count), np.zeros(count)
        statuses = np.zeros(count, dtype=np.int64)
        last = np.zeros(2 * limit + self.problem.rows + 1)
        workspace = kernel.workspace(limit, self.problem.rows)
        k = self._functions[0](
            *self.data, base, outs, ins, limit, wanted, *workspace, values, infeasibility, statuses, last
        )
        return values, infeasibility, statuses, last, workspace[-1][-1, : max(k, 0)]

    def evaluate(self, b: Binary) -> Evaluation:
        """Solve the restricted problem at b in full."""
        self.evaluations += 1
        size = self.support_size(b)
        if size > LARGEST_SUPPORT:
            return self._fall_back(b)
        base = np.flatnonzero(b)
        none = np.full((1, 1), -1, dtype=np.intp)
        _, infeasibility, statuses, last, support = self._run(base, none, none, size, kernel.PROOF)
        status = int(statuses[0])
        if status in (kernel.TROUBLE, kernel.UNPROVEN) or (
            status == kernel.INFEASIBLE and not infeasibility[0] > INFEASIBLE
        ):
            return self._fall_back(b, float(infeasibility[0]))
        if status == kernel.INFEASIBLE:
            return Evaluation(math.inf, float(infeasibility[0]))
        full = np.zeros(self.problem.n)
        k = support.size
        full[support] = last[:k]
        # In the caller's units: the objective was scaled, and the rows by their norms.
        rows = last[k : k + self.problem.rows] / self.scale / self._row_norms
        return Evaluation(self.problem.objective(full, b), 0.0, full, rows)

    def evaluate_moves(
        self,
        b: Binary,
        outs: NDArray[np.intp],
        ins: NDArray[np.intp],
        deadline: float = math.inf,
        near: Evaluation | None = None,
        distances: bool = True,
    ) -> Moves:
        """Objectives and infeasibilities of the neighbors of b."""
        count = outs.shape[0]
        values = np.full(count, np.inf)
        infeasibility = np.full(count, np.inf)
        base = np.flatnonzero(b)
        width = np.append(self._width, 0)  # -1 picks the zero at the end
        grown = int((width[ins].sum(axis=1) - width[outs].sum(axis=1)).max(initial=0))
        limit = min(self.support_size(b) + grown, LARGEST_SUPPORT)
        statuses = np.full(count, -1, dtype=np.int64)
        guesses = self._guess(near)
        pieces = max(1, -(-count // max(4, int(CHUNK * min(1.0, (10 / max(limit, 1)) ** 3)))))
        if count >= 256:
            pieces = -(-pieces // self.threads) * self.threads  # as many for every thread
        edges = np.linspace(0, count, pieces + 1).astype(int)

        _, evaluate_lanes = self._functions  # loaded here, not by several threads at once

        def work(piece: int) -> None:
            if time.perf_counter() > deadline:
                return
            part = slice(edges[piece], edges[piece + 1])
            if self.curved and limit <= lanes.LARGEST:
                evaluate_lanes(
                    *self.data, base, outs[part], ins[part], limit, *guesses,
                    *lanes.workspace(limit, self.problem.rows), values[part], statuses[part],
                )  # fmt: skip
                infeasibility[part][statuses[part] == kernel.SOLVED] = 0.0
                rest = np.flatnonzero(statuses[part] != kernel.SOLVED) + edges[piece]
            else:
                rest = np.arange(edges[piece], edges[piece + 1])
            if rest.size:
                wanted = kernel.DISTANCE if distances else kernel.VERDICT
                values[rest], infeasibility[rest], statuses[rest], *_ = self._run(
                    base, outs[rest], ins[rest], limit, wanted
                )

        def share(first: int) -> None:
            for piece in range(first, pieces, self.threads):
                work(piece)

        if pieces > 1 and self.threads > 1:
            list(self.pool.map(share, range(self.threads)))
        else:
            for piece in range(pieces):
                work(piece)
        constant = self._constants(b, outs, ins)
        self.evaluations += int((statuses >= 0).sum())
        unproven = statuses == (kernel.UNPROVEN if distances else kernel.INFEASIBLE)
        moves = Moves(values / self.scale + constant, infeasibility, (statuses >= 0) & ~unproven)
        trouble = statuses == kernel.TROUBLE
        trouble |= (unproven | (statuses == kernel.INFEASIBLE)) & ~(infeasibility > INFEASIBLE)
        for c in np.flatnonzero(trouble):
            late = time.perf_counter() > deadline
            nothing = Evaluation(math.inf, math.inf, certain=False)
            distance = float(infeasibility[c]) if statuses[c] != kernel.TROUBLE else math.inf
            moves.take(int(c), nothing if late else self._fall_back(moved(b, outs[c], ins[c]), distance))
        return moves

    def _constants(self, b: Binary, outs: NDArray[np.intp], ins: NDArray[np.intp]) -> Vector:
        """Offset and cost of b for every candidate."""
        if not self.problem.p.any():
            return np.full(outs.shape[0], self.problem.offset)
        cost = np.append(self.problem.p, 0.0)  # -1 picks the zero at the end
        total: Vector = (
            self.problem.offset + float(self.problem.p[b].sum()) - cost[outs].sum(axis=1) + cost[ins].sum(axis=1)
        )
        return total

    def _fall_back(self, b: Binary, distance: float = math.inf) -> Evaluation:
        """The general solver's answer; what is infeasible there keeps the kernel's distance, if it has one."""
        self.fallbacks += 1
        far = INFEASIBLE < distance < math.inf
        if far and self.general.refuted(b):
            return Evaluation(math.inf, distance)
        answer = self.general.evaluate(b)
        if not answer.feasible and far:
            return replace(answer, infeasibility=distance)
        return answer

    def refuted(self, b: Binary) -> bool:
        """Whether the general solver can prove that b is infeasible."""
        refuted = self.general.refuted(b)
        self.evaluations += refuted
        return refuted

    def clash(self, b: Binary) -> Vector | None:
        """Those of the general solver."""
        return self.general.clash(b)

    def close(self) -> None:
        """Release the threads."""
        if self._pool is not None:
            self._pool.shutdown(wait=False)
            self._pool = None


def _members(problem: Problem) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For every binary the x it switches, as (starts, list)."""
    switched = np.flatnonzero(problem.switched)
    owners = problem.switch[switched]
    order = np.argsort(owners, kind="stable")
    starts = np.searchsorted(owners[order], np.arange(problem.m + 1))
    return starts.astype(np.int64), switched[order].astype(np.int64)
