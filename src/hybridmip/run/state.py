"""What the phases share while a solve runs: the clock, the incumbent, the bound, and the counts."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hybridmip.bounds.grid import Grid
from hybridmip.bounds.ledger import Bound, Grade, Ledger
from hybridmip.model.binaries import BinarySet
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Binary, Vector
from hybridmip.model.units import Proof
from hybridmip.restricted.protocol import Evaluation, RestrictedSolver
from hybridmip.run.config import Config
from hybridmip.run.mending import mended
from hybridmip.run.progress import Progress
from hybridmip.run.result import Incumbent, PhaseStatistics, StopReason, relative_gap
from hybridmip.tolerances import CONTRADICTION, FEASIBLE, NEGLIGIBLE, NOTHING, ZERO_GAP

#: An answer must be better by this share to count as an improvement.
IMPROVEMENT = 1e-9
#: A point that misses a row by more than this share of its size is not worth mending.
MENDABLE = 1e-4
#: Contradictions that are kept.
MOST_NOTES = 20


#: Seconds between two signs of life where nothing else happens.
HEARTBEAT = 2.0


class StopSearch(Exception):
    """Raised inside a phase when the solve must end; `solve` catches it and returns the best so far."""

    def __init__(self, reason: StopReason) -> None:
        super().__init__(reason)
        self.reason = reason


def better(candidate: tuple[float, float], than: tuple[float, float]) -> bool:
    """Whether the rank (infeasibility, value) is better by more than rounding."""
    if candidate[0] != than[0]:
        return candidate[0] < than[0] - IMPROVEMENT * max(than[0] if math.isfinite(than[0]) else 0.0, 1e-3)
    if not math.isfinite(than[1]):
        return math.isfinite(candidate[1])
    return candidate[1] < than[1] - IMPROVEMENT * abs(than[1]) - 1e-300


class SearchState:
    """One solve in progress.

    Parameters
    ----------
    problem, config, solver, binaries
        What is solved and with what.
    rng : numpy.random.Generator
        The only source of randomness.
    started, deadline : float
        `time.perf_counter()` values.
    gap : float
        Relative gap at which the answer counts as optimal.
    progress, callback : optional
        Told of every improvement; a callback that returns True ends the solve.
    """

    def __init__(
        self,
        problem: Problem,
        config: Config,
        solver: RestrictedSolver,
        binaries: BinarySet,
        rng: np.random.Generator,
        started: float,
        deadline: float,
        gap: float,
        progress: Progress | None = None,
        callback: Callable[[Incumbent], object] | None = None,
    ) -> None:
        self.problem = problem
        self.config = config
        self.solver = solver
        self.binaries = binaries
        self.rng = rng
        self.started = started
        self.deadline = deadline
        self.gap = max(gap, ZERO_GAP)
        self.progress = progress
        self.callback = callback
        self.best_b: Binary | None = None
        self.best = Evaluation(math.inf, math.inf)
        self.found_by = ""
        #: The sum of the sizes of the terms of the incumbent's objective.
        self.size = 0.0
        self.ledger = Ledger()
        self._grid = Grid(problem)
        #: Contradictions, and what was dropped.
        self.integrity: list[str] = []
        self.trace: list[Incumbent] = []
        self.phase = "start"
        #: Diagonal below Q for screening moves; zero until a relaxation gives one.
        self.diagonal = np.zeros(problem.n)
        #: The relaxed b that says most about which binaries are on; None until a relaxation gives one.
        self.probabilities: Vector | None = None
        #: (base, w) of the best bound: f(b) >= base + what each b_i that differs from w_i < 0 adds, |w_i|.
        self.penalties: tuple[float, Vector] | None = None
        #: The incumbent's value when the core was last tried.
        self.core_tried_at = math.inf
        self._ticked = started
        self._statistics: dict[str, list[float]] = {}

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return time.perf_counter() - self.started

    @property
    def remaining(self) -> float | None:
        """Time left, None without a limit."""
        return None if math.isinf(self.deadline) else max(self.deadline - time.perf_counter(), 0.0)

    def check(self) -> None:
        """Raise StopSearch when the time or the evaluations are used up."""
        now = time.perf_counter()
        if now >= self.deadline:
            raise StopSearch(StopReason.TIME_LIMIT)
        if self.progress is not None and now - self._ticked >= HEARTBEAT:
            self._ticked = now
            self.progress.tick(self.seconds, self.phase, self.best.objective, self.bound)
        limit = self.config.evaluation_limit
        if limit is not None and self.solver.evaluations >= limit:
            raise StopSearch(StopReason.EVALUATION_LIMIT)

    @contextmanager
    def for_a_share(self, share: float) -> Iterator[None]:
        """Give what runs inside only a share of the time that is left; it ends quietly when that is used up."""
        deadline = self.deadline
        if self.remaining is not None:
            self.deadline = time.perf_counter() + share * self.remaining
        try:
            yield
        except StopSearch as stop:
            if stop.reason is not StopReason.TIME_LIMIT or time.perf_counter() >= deadline:
                raise
        finally:
            self.deadline = deadline

    @property
    def evaluations_left(self) -> int:
        """How many more restricted problems may be solved."""
        limit = self.config.evaluation_limit
        return 2**60 if limit is None else max(limit - self.solver.evaluations, 0)

    @contextmanager
    def in_phase(self, name: str) -> Iterator[None]:
        """Count time, evaluations and improvements towards a phase."""
        outer, self.phase = self.phase, name
        began, evaluated, improved = time.perf_counter(), self.solver.evaluations, len(self.trace)
        try:
            yield
        finally:
            totals = self._statistics.setdefault(name, [0.0, 0, 0])
            totals[0] += time.perf_counter() - began
            totals[1] += self.solver.evaluations - evaluated
            totals[2] += len(self.trace) - improved
            self.phase = outer

    def statistics(self) -> tuple[PhaseStatistics, ...]:
        """Time and work per phase, in the order they first ran."""
        return tuple(PhaseStatistics(name, t, int(e), int(i)) for name, (t, e, i) in self._statistics.items())

    def evaluate(self, b: Binary, found_by: str) -> Evaluation:
        """Solve the restricted problem at b and keep it if it is the best."""
        self.check()
        evaluation = self.solver.evaluate(b)
        self.offer(b, evaluation, found_by)
        return evaluation

    def offer(self, b: Binary, evaluation: Evaluation, found_by: str) -> bool:
        """Make b the incumbent if it is better; returns whether it was.

        Raises
        ------
        StopSearch
            If the gap is reached or the callback asks to stop.
        """
        if not better(evaluation.rank, self.best.rank):
            return False
        if evaluation.feasible:
            checked = self._checked(b, evaluation, found_by)
            if checked is None or not better(checked.rank, self.best.rank):
                return False
            evaluation = checked
        self.best_b, self.best, self.found_by = b.copy(), evaluation, found_by
        if evaluation.feasible:
            assert evaluation.x is not None
            self.size = self.problem.sizes(evaluation.x, b)
            self._drop_contradicted()
            incumbent = Incumbent(self.seconds, self.phase, found_by, evaluation.objective, self.bound, self.best_b)
            self.trace.append(incumbent)
            if self.progress is not None:
                self.progress.incumbent(incumbent)
            answer = self.callback(incumbent) if self.callback is not None else None
            if isinstance(answer, bool | np.bool_) and answer:
                raise StopSearch(StopReason.CALLBACK)
            self._stop_when_closed()
        return True

    @property
    def fixed(self) -> NDArray[np.int64]:
        """1 for every binary that is on, -1 for every one that is off, in all b better than the incumbent."""
        if self.penalties is None or not self.best.feasible:
            return np.zeros(self.problem.m, dtype=np.int64)
        base, w = self.penalties
        return np.where(np.abs(w) > self.best.objective - base, np.where(w < 0, 1, -1), 0).astype(np.int64)

    def _checked(self, b: Binary, evaluation: Evaluation, found_by: str) -> Evaluation | None:
        """A point that is said to be feasible, if it is or can be made so by next to nothing; if not, that is noted."""
        share, row = np.inf, "everything: there is no x"
        if evaluation.x is not None:
            share, row = self.problem.worst_row(evaluation.x, b, NOTHING)
            if FEASIBLE < share <= MENDABLE:
                x = mended(self.problem, evaluation.x, b)
                share, row = self.problem.worst_row(x, b, NOTHING)
                evaluation = replace(evaluation, x=x, objective=self.problem.objective(x, b))
        if share <= FEASIBLE and self.binaries.contains(b):
            return evaluation
        if share <= FEASIBLE:
            share, row = self.problem.worst_binary_row(b)
        self.note(f"a point of {found_by} misses {row} by {share:.1e} of its size and was left out")
        return None

    def note(self, text: str) -> None:
        """Keep a contradiction for the result."""
        if text not in self.integrity and len(self.integrity) < MOST_NOTES:
            self.integrity.append(text)

    def _drop_contradicted(self) -> None:
        """A bound above a feasible point is wrong, whatever it rests on."""
        limit = self.best.objective + CONTRADICTION * self.size + NEGLIGIBLE
        for bound in self.ledger.drop_above(limit):
            self.note(
                f"the bound of {bound.source} ({bound.grade}) was {bound.value:.10g}, a feasible point has "
                f"{self.best.objective:.10g}; the bound was dropped (in the solver's units)"
            )

    @property
    def bound(self) -> float:
        """The best lower bound so far."""
        return self.ledger.value

    def raise_bound(
        self, source: str, value: float, grade: Grade = Grade.PROVEN, proof: Proof | None = None, stop: bool = True
    ) -> None:
        """Take note of a lower bound, of what it rests on, and of its proof where the closed formula gives it.

        Raises
        ------
        StopSearch
            If the gap is closed, unless `stop` is False.
        """
        claimed, value = float(value), self._grid.up(float(value))
        if self.ledger.add(Bound(value, source, grade, proof, claimed)):
            if self.best.feasible:
                self._drop_contradicted()
            if self.progress is not None and self.bound == value:
                self.progress.bound(self.seconds, source, self.best.objective, self.bound)
            if stop:
                self._stop_when_closed()

    def _stop_when_closed(self) -> None:
        if self.best.feasible and relative_gap(self.best.objective, self.bound, self.size) <= self.gap:
            raise StopSearch(StopReason.GAP_REACHED)
