"""Charges switched off and on one by one: the search where a switch opens much, and no network says where it goes.

What x is best for a choice of b is an LP that begins where the last one ended: a few milliseconds. Off goes first what
costs most for what it carries; on what the multipliers of the rows promise most of, and then off what that may replace.
Every LP is a bound for those of fewer b: what cannot pay is not tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hybridmip.engines.highs import Halt, LinearModel, Outcome
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Binary, Vector
from hybridmip.relax.protocol import Setting
from hybridmip.search.charges import CARRIES, needed_by
from hybridmip.search.slopes import loads
from hybridmip.tolerances import FEASIBLE, NOTHING

#: How many are tried to be switched on, those first that promise most, and how many to be switched off for each.
MOST_ON = 40
MOST_OFF = 8
#: A choice is better if its value is lower by this, relative to its size.
BETTER = 1e-9


@dataclass(frozen=True)
class Opening:
    """A choice of b without what its x does not need, and the best x.

    Attributes
    ----------
    b : ndarray of bool
    x : ndarray
    value : float
    multipliers : ndarray
        Of the rows.
    """

    b: Binary
    x: Vector
    value: float
    multipliers: Vector


class Openings:
    """Search by LPs for problems where x tells the b that it needs.

    Parameters
    ----------
    setting : Setting
    halt : Halt, optional
        What ends its LPs.
    """

    def __init__(self, setting: Setting, halt: Halt | None = None) -> None:
        problem = setting.problem
        self.problem = problem
        #: LPs so far.
        self.evaluations = 0
        #: Seconds that an LP may take.
        self.limit: float | None = None
        #: What every b that is looked for has: 1 on, -1 off, 0 either.
        self.fixed: NDArray[np.integer] = np.zeros(problem.m, dtype=np.int64)
        self._box = setting.hull_lower, setting.hull_upper
        self._set = setting.binaries
        self._loads = np.abs(loads(problem))
        self._model = LinearModel(
            np.asarray(problem.q), problem.A, problem.row_lower, problem.row_upper, *self._box, halt=halt
        )  # fmt: skip
        self._transposed = problem.A.T.tocsr(), problem.G.T.tocsr()
        self._owner = _owners(problem)

    def at(self, b: Binary, keep: int = -1) -> Opening | None:
        """The best x for a choice of b, one of which is kept on in any case; None for no x, or where the time is up."""
        problem = self.problem
        if not self._set.contains(b):
            return None
        self.evaluations += 1
        shift = problem.G @ b.astype(np.float64)
        self._model.change_columns(*problem.bounds_given(b))
        self._model.change_rows(problem.row_lower - shift, problem.row_upper - shift)
        answer = self._model.solve(self.limit)
        if answer.status is not Outcome.OPTIMAL or answer.x is None or answer.row_duals is None:
            return None
        lean = b & needed_by(problem, answer.x)
        if keep >= 0:
            lean[keep] = True
        for fewest in (lean, b):
            x = np.clip(answer.x, *problem.bounds_given(fewest))
            if self._set.contains(fewest) and problem.worst_row(x, fewest, NOTHING)[0] <= FEASIBLE:
                return Opening(fewest, x, problem.objective(x, fewest), answer.row_duals)
        return None

    def improve(self, start: Opening) -> Iterator[Opening | None]:
        """Better and better choices, one after the other; None after every one that was tried and is not.

        Ends where no exchange brings anything.
        """
        now = start
        while True:
            for found in self._exchanges(now):
                if found is not None and found.value < now.value - BETTER * abs(now.value):
                    now = found
                    yield now
                    break
                yield None
            else:
                return

    def _exchanges(self, now: Opening) -> Iterator[Opening | None]:
        yield from self._without(now)
        off = np.flatnonzero(~now.b & (self.fixed >= 0))
        for i in off[np.argsort(self.promised(now)[off], kind="stable")][:MOST_ON]:
            more = now.b.copy()
            more[i] = True
            found = self.at(more, keep=int(i))
            yield found
            if found is not None:
                yield from self._without(found, keep=int(i), below=now.value)

    def _without(self, now: Opening, keep: int = -1, below: float = np.inf) -> Iterator[Opening | None]:
        """One after the other switched off, the dearest for what it carries first, and off for good where that pays.

        As long as it can lead below a value.
        """
        problem, misses = self.problem, 0
        carried = np.maximum(self._loads @ np.abs(now.x), CARRIES)
        order = np.flatnonzero(now.b & (self.fixed <= 0) & (np.arange(problem.m) != keep))
        order = order[np.argsort(-problem.p[order] / carried[order], kind="stable")]
        for at, j in enumerate(order):
            # Fewer b make no x better: what can be saved is their charges.
            left = problem.p[order[at:]] @ now.b[order[at:]]
            if misses >= MOST_OFF or now.value - left >= below:
                return
            if not now.b[j]:
                continue
            fewer = now.b.copy()
            fewer[j] = False
            found = self.at(fewer, keep)
            pays = found is not None and found.value < now.value
            now, misses = (found, 0) if found is not None and pays else (now, misses + 1)
            yield found

    def promised(self, now: Opening) -> Vector:
        """What switching on would change the value by at best, its charge aside, by the multipliers of the rows."""
        # A row that holds x at zero as long as b is off may have any multiplier that is large enough, or none.
        idle = (self._owner >= 0) & ~now.b[self._owner]
        return np.maximum(self._reduced(now.multipliers), self._reduced(np.where(idle, 0.0, now.multipliers)))

    def _reduced(self, multipliers: Vector) -> Vector:
        problem, (columns, switches) = self.problem, self._transposed
        slope, (lower, upper) = problem.q - columns @ multipliers, self._box
        with np.errstate(invalid="ignore"):
            least = np.where(slope < 0, slope * upper, np.where(slope > 0, slope * lower, 0.0))
        at = problem.switched
        return np.asarray(np.bincount(problem.switch[at], least[at], problem.m) - switches @ multipliers)


def _owners(problem: Problem) -> NDArray[np.int64]:
    """The b of each row that has one, and no x but those that it switches; -1 for every other row."""
    owner = np.full(problem.rows, -1, dtype=np.int64)
    with_b = np.flatnonzero(np.diff(problem.G.indptr))
    owner[with_b] = problem.G.indices[problem.G.indptr[with_b]]
    row = np.repeat(np.arange(problem.rows), np.diff(problem.A.indptr))
    owner[row[problem.switch[problem.A.indices] != owner[row]]] = -1
    return owner
