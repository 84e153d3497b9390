"""What the phases share while a solve runs: incumbent and bounds, beside the clock, the guidance and the counts."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hybridmip.bounds.grid import Grid
from hybridmip.bounds.ledger import Bound, Grade, Ledger
from hybridmip.bounds.products import Products
from hybridmip.bounds.proof_tree import ProofTree
from hybridmip.model.binaries import BinarySet
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Binary
from hybridmip.model.structure import Structure
from hybridmip.model.units import Proof, Units
from hybridmip.restricted.protocol import Evaluation, RestrictedSolver
from hybridmip.run.clock import Clock, StopSearch
from hybridmip.run.config import Config
from hybridmip.run.guidance import Guidance
from hybridmip.run.mending import mended
from hybridmip.run.progress import Progress
from hybridmip.run.result import Incumbent, StopReason, relative_gap
from hybridmip.run.statistics import Statistics
from hybridmip.tolerances import CONTRADICTION, FEASIBLE, NEGLIGIBLE, NOTHING, ZERO_GAP

#: An answer must be better by this share to count as an improvement.
IMPROVEMENT = 1e-9
#: A point that misses a row by more than this share of its size is not worth mending.
MENDABLE = 1e-4
#: Contradictions that are kept.
MOST_NOTES = 20


#: Seconds between two signs of life where nothing else happens.
HEARTBEAT = 2.0


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
    clock : Clock
    gap : float
        Relative gap at which the answer counts as optimal.
    progress, callback : optional
        Told of every improvement; a callback that returns True ends the solve.
    prove : bool
        Whether to go on until the tree has a proof.
    executor : Executor, optional
        Where subtrees are grown.
    """

    def __init__(
        self,
        problem: Problem,
        config: Config,
        solver: RestrictedSolver,
        binaries: BinarySet,
        rng: np.random.Generator,
        clock: Clock,
        gap: float,
        progress: Progress | None = None,
        callback: Callable[[Incumbent], object] | None = None,
        prove: bool = False,
        executor: Executor | None = None,
    ) -> None:
        self.problem = problem
        self.config = config
        self.solver = solver
        self.binaries = binaries
        binaries.end = lambda: clock.end
        self.rng = rng
        self.clock = clock
        self.structure = Structure.of(problem, solver.compiled, binaries.kind, binaries.choices)
        self.gap = max(gap, ZERO_GAP)
        self.progress = progress
        self.callback = callback
        self.prove = prove
        self.executor = executor
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
        self.statistics = Statistics(lambda: (solver.evaluations, len(self.trace)))
        self.guidance = Guidance(np.zeros(problem.n))
        self._ticked = clock.started
        #: Fetches what is found beside the phases, at every check; it may raise StopSearch.
        self.beside: Callable[[], None] | None = None
        #: Nodes of the tree so far, those open while it runs, and its proof once it is closed, given the units.
        self.nodes = self.open_nodes = 0
        self.proof: Callable[[Units], ProofTree | None] | None = None

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return self.clock.seconds

    @property
    def remaining(self) -> float | None:
        """Time left, None without a limit."""
        return self.clock.remaining

    @property
    def deadline(self) -> float:
        """When the time is up, by `time.perf_counter()`."""
        return self.clock.deadline

    @property
    def phase(self) -> str:
        """The phase that runs."""
        return self.statistics.phase

    def in_phase(self, name: str) -> AbstractContextManager[None]:
        """Count time, evaluations and improvements towards a phase."""
        return self.statistics.in_phase(name)

    def guide(self, **changes: object) -> None:
        """Put another guidance in the place of this one."""
        self.guidance = replace(self.guidance, **changes)  # type: ignore[arg-type]

    def check(self) -> None:
        """Raise StopSearch when the time or the evaluations are used up."""
        if self.beside is not None:
            self.beside()
        now = time.perf_counter()
        if now >= self.deadline:
            raise StopSearch(StopReason.TIME_LIMIT)
        if self.progress is not None and now - self._ticked >= HEARTBEAT:
            self._ticked = now
            tell = getattr(self.progress, "tree", None) if self.open_nodes else None
            if tell is not None:
                tell(self.seconds, self.best.objective, self.bound, self.nodes, self.open_nodes)
            else:
                self.progress.tick(self.seconds, self.phase, self.best.objective, self.bound)
        limit = self.config.evaluation_limit
        if limit is not None and self.solver.evaluations >= limit:
            raise StopSearch(StopReason.EVALUATION_LIMIT)

    @property
    def evaluations_left(self) -> int:
        """How many more restricted problems may be solved."""
        limit = self.config.evaluation_limit
        return 2**60 if limit is None else max(limit - self.solver.evaluations, 0)

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
        return self.guidance.fixed(self.problem.m, self.best.objective)

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
        self,
        source: str,
        value: float,
        grade: Grade = Grade.PROVEN,
        proof: Proof | None = None,
        stop: bool = True,
        products: Products | None = None,
    ) -> None:
        """Take note of a lower bound, of what it rests on, and of its proof where the closed formula gives it.

        `products` are what the proof takes off the objective first.

        Raises
        ------
        StopSearch
            If the gap is closed, unless `stop` is False.
        """
        claimed, value = float(value), self._grid.up(float(value))
        if self.ledger.add(Bound(value, source, grade, proof, claimed, products)):
            if self.best.feasible:
                self._drop_contradicted()
            if self.progress is not None and self.bound == value:
                self.progress.bound(self.seconds, source, self.best.objective, self.bound)
            if stop:
                self._stop_when_closed()

    def _stop_when_closed(self) -> None:
        if self.prove:  # the tree ends it, when its proof is complete
            return
        if self.best.feasible and relative_gap(self.best.objective, self.bound, self.size) <= self.gap:
            raise StopSearch(StopReason.GAP_REACHED)
