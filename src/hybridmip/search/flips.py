"""Search for problems in which b determines x: every x has one value while its switch is on.

The objective is then a quadratic function of b, a move changes it by what two numbers say, and all moves are looked at
in microseconds: tabu search (`flips_kernel`), started anew from changed copies of the best b.
"""

from __future__ import annotations

import math
import time

import numpy as np
from scipy import sparse

from hybridmip.engines import compiled
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Binary
from hybridmip.model.structure import Structure
from hybridmip.run.state import SearchState
from hybridmip.search import flips_kernel

#: Binaries up to which W is kept.
MOST_BINARIES = 4000
#: Steps of one compiled call, and steps without improvement after which b is changed at random.
MOST_STEPS = 500
PATIENCE = 1500
#: Exchanges looked at in one step, at most.
MOST_PAIRS = 20_000
#: Steps for which a binary stays as it is, at least and at most, and per binary.
TENURE = (4, 14)
PER_BINARY = 0.02
#: Share of b that is changed for a new start, at least and at most.
CHANGED = (0.03, 0.3)
#: Starts without improvement after which the search ends, where no time limit does.
STARTS = 6


def serves(structure: Structure) -> bool:
    """Whether tabu search over b serves the problem."""
    return structure.binaries_determine_x and not structure.linear and structure.binaries <= MOST_BINARIES


class Flips:
    """The problem in b alone, and tabu search on it."""

    def __init__(self, problem: Problem) -> None:
        compiled.load(flips_kernel.KERNELS)
        m = problem.m
        # x = V b
        V = sparse.csr_array((problem.x_upper, (np.arange(problem.n), problem.switch)), shape=(problem.n, m))
        S, L = problem.Q.split()
        W = (V.T @ S @ V).toarray()
        if L is not None:
            root = V.T @ L
            W += root @ root.T
        self.linear = np.ascontiguousarray(V.T @ problem.q + problem.p + np.diag(W))
        np.fill_diagonal(W, 0.0)
        self.W = np.ascontiguousarray((W + W.T) / 2.0)
        rows = sparse.csr_array(sparse.vstack([problem.B, problem.A @ V + problem.G]))
        lower = np.concatenate([problem.b_lower, problem.row_lower])
        upper = np.concatenate([problem.b_upper, problem.row_upper])
        size = abs(rows).max(axis=1).toarray().ravel() if rows.shape[0] else np.zeros(0)
        scale = 1.0 / np.where(size > 0, size, 1.0)
        columns = sparse.csc_array(sparse.diags_array(scale) @ rows)
        self.lower, self.upper = lower * scale, upper * scale
        self.starts, self.places = columns.indptr.astype(np.int64), columns.indices.astype(np.int64)
        self.entries = np.ascontiguousarray(columns.data, dtype=np.float64)
        self.offset = problem.offset
        self.m = m

    def search(self, b: Binary, best: float, rng: np.random.Generator, deadline: float) -> tuple[Binary, float]:
        """Tabu search from b until nothing better than `best` comes for a while; returns the best b and its value."""
        at, best_b = b.copy(), b.copy()
        slopes = np.abs(self.linear + 2.0 * self.W @ at)
        price = np.full(self.lower.size, float(np.median(slopes)) + 1e-12)
        forbidden = np.zeros(self.m, dtype=np.int64)
        clock, before, steps = 0, best, 0
        best -= self.offset
        low, high = (min(limit + int(PER_BINARY * self.m), self.m // 4) for limit in TENURE)
        while steps < PATIENCE and time.perf_counter() < deadline:
            tenures = rng.integers(low, high + 1, MOST_STEPS)
            found, clock = flips_kernel.tabu(
                self.W, self.linear, self.starts, self.places, self.entries, self.lower, self.upper, at, price,
                forbidden, clock, PATIENCE, best, best_b, tenures, MOST_PAIRS,
            )  # fmt: skip
            steps = 0 if found < best else steps + MOST_STEPS
            best = found
        return best_b, min(best + self.offset, before)


def flips(state: SearchState) -> None:
    """Tabu search from the best b, and from changed copies of it, until the time is up or nothing improves."""
    search = Flips(state.problem)
    b = state.best_b if state.best_b is not None else state.binaries.random(state.rng)
    idle = 0
    while idle < STARTS or state.remaining is not None:
        state.check()
        known = state.best.objective if state.best.feasible else math.inf
        found, value = search.search(b, known, state.rng, state.deadline)
        if value < known:
            state.offer(found, state.solver.evaluate(found), "flips")  # also when the time is up
        idle = 0 if state.best.feasible and state.best.objective < known - 1e-9 * abs(known) else idle + 1
        start = state.best_b if state.best_b is not None else b
        changed = state.rng.random(search.m) < state.rng.uniform(*CHANGED)
        b = np.where(changed, state.rng.random(search.m) < start.mean(), start)  # the search finds back to the rows
