"""Which binaries a small MIP fixes, and which it leaves open."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.model.quadratic import Binary, Vector
from hybridmip.relax.protocol import Relaxed
from hybridmip.run.state import SearchState

#: b that are kept.
MOST_KEPT = 8
#: Binaries that may be switched on in the first neighborhood of a linear problem; more while such MIPs are solved,
#: fewer when not, down to so many; at first and at last no more than one in six.
OPEN_AT_FIRST = 30
OPEN_AT_LAST = 20
SHARE_OPEN = 6
#: Seconds of one neighborhood, at first and at most.
FIRST_SECONDS = 1.0
MOST_SECONDS = 8.0
#: b closer than this to 0 or 1 counts as integral in the relaxation.
INTEGRAL = 1e-6


def first_open(m: int) -> int:
    """How many of m binaries may be switched on in the first neighborhood: with twice as many off that is half."""
    return min(OPEN_AT_FIRST, max(m // SHARE_OPEN, 1))


def fewest_open(m: int) -> int:
    """How many of m binaries may be switched on in the smallest neighborhood."""
    return min(OPEN_AT_LAST, first_open(m))


class Fixing:
    """Keeps the best distinct b, and says what to fix like the best of them: 1 on, -1 off, 0 open."""

    def __init__(self, state: SearchState, line: Relaxed | None) -> None:
        self.members: list[tuple[float, Binary]] = []
        problem = state.problem
        self.m = problem.m
        self.guide(line)
        self._state = state
        # Which rows a binary touches, by itself or by its x.
        owned = np.flatnonzero(problem.switched)
        by_x = sparse.csr_array(
            (np.ones(owned.size), (problem.switch[owned], owned)),
            shape=(self.m, problem.n),
        )  # fmt: skip
        touched = by_x @ problem.transposed_magnitudes.A + problem.transposed_magnitudes.G
        self.rows = sparse.csr_array(sparse.hstack([touched, problem.transposed_magnitudes.B]) != 0)
        self.binaries = sparse.csr_array(self.rows.T)
        # A row that holds nearly all of them says nothing about who is near.
        self.telling = np.diff(self.binaries.indptr) <= max(0.5 * self.m, 10)

    def guide(self, line: Relaxed | None) -> None:
        """Have the relaxed b, where there is one."""
        self.relaxed = None if line is None else line.b

    def add(self, b: Binary | None, objective: float) -> None:
        """Keep b if it is new and among the best."""
        if b is None or not math.isfinite(objective) or any(np.array_equal(b, other) for _, other in self.members):
            return
        self.members.append((objective, b.copy()))
        self.members.sort(key=lambda member: member[0])
        del self.members[MOST_KEPT:]

    def _open(self, score: Vector, count: int) -> NDArray[np.int8]:
        """All fixed like the best b but the highest scores: `count` of what is off, twice as many of what is on.

        Of what a better b can have otherwise.
        """
        best, known = self.members[0][1], self._state.fixed
        free = known == 0
        fixed = np.where(free, np.where(best, 1, -1), known).astype(np.int8)
        for which, most in ((~best, count), (best, 2 * count)):
            places = np.flatnonzero(which & free)
            if places.size > most:
                places = places[np.argpartition(-score[places], most)[:most]]
            fixed[places] = 0
        return fixed

    def _promise(self) -> Vector:
        """From 1 for what is cheapest to switch on, by the relaxation, down to 0 for what costs most."""
        # What switching on adds to the bound: the smaller, the likelier it pays.
        penalties = self._state.guidance.penalties
        if penalties is None:
            return np.zeros(self.m)
        rank = np.argsort(np.argsort(penalties[1], kind="stable"), kind="stable") / max(self.m - 1, 1)
        return np.asarray(1.0 - rank)

    def undecided(self, count: int, rng: np.random.Generator) -> NDArray[np.int8]:
        """Open what the best b and the relaxation disagree on, and what would pay soonest."""
        best = self.members[0][1]
        share = np.array([b for _, b in self.members], dtype=float).mean(axis=0)
        score = np.minimum(share, 1 - share) + self._promise() + 0.3 * rng.random(self.m)
        if self.relaxed is not None:
            score += np.abs(self.relaxed - best) * (self.relaxed > INTEGRAL)
        return self._open(score, count)

    def within(self, union: Binary) -> NDArray[np.int8]:
        """Open what is on in any of several good b, as far as a better one can have it otherwise."""
        fixed = self._state.fixed
        return np.where(fixed == 0, np.where(union, 0, -1), fixed).astype(np.int8)

    def around_rows(self, count: int, rng: np.random.Generator) -> NDArray[np.int8]:
        """Open what lies around a random row: its binaries, those of the rows that the ones among them lead to."""
        best = self.members[0][1]
        rows = np.flatnonzero(self.telling)
        if rows.size == 0:
            return self.undecided(count, rng)
        near = np.zeros(self.rows.shape[1])
        reached = rng.choice(rows, size=1)
        level = 1.0
        for _ in range(6):
            near[reached] = np.maximum(near[reached], level)
            members = np.unique(self.binaries[reached].indices)
            members = members[best[members]]
            following = np.unique(self.rows[members].indices)
            following = following[self.telling[following] & (near[following] == 0)]
            if following.size == 0 or (near > 0).sum() > 0.5 * near.size:
                break
            reached = rng.permutation(following)[: max(2, following.size // 2)]
            level *= 0.8
        # A binary is as near as its rows are on average.
        touching = np.maximum(np.diff(self.rows.indptr), 1)
        closeness = (self.rows @ near) / touching
        return self._open(closeness + 0.3 * self._promise() + 0.1 * rng.random(self.m), count)
