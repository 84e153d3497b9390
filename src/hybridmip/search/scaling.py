"""Runs of slope scaling, the b that they gave, searches from them, and the MIP over what is on in the best of these.

The first good points of a linear problem: before its relaxation, which may take longer by far.
"""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import Any

import numpy as np

from hybridmip.engines.highs import Outcome
from hybridmip.model.quadratic import Binary, Vector
from hybridmip.relax.protocol import Setting
from hybridmip.restricted.protocol import Evaluation
from hybridmip.run.clock import StopSearch
from hybridmip.run.state import SearchState
from hybridmip.search.charges import needed_by
from hybridmip.search.fixing import MOST_KEPT, Fixing
from hybridmip.search.mixed import MixedModel
from hybridmip.search.opening_search import OpeningSearch
from hybridmip.search.slopes import Slopes, used
from hybridmip.search.small import LEAST_BESIDE, LOOK, SMALL_MIP, beside, small_mip, stand_back, take_points
from hybridmip.search.vertices import VERTICES, Vertices, when_loaded
from hybridmip.search.whole import Race
from hybridmip.tolerances import FEASIBLE, NOTHING

#: Whose points they are.
SLOPES = "slope scaling"
#: Rounds of slope scaling from one start, and those in a row that bring nothing better.
SLOPE_ROUNDS = 40
IDLE_ROUNDS = 8
#: The same where openings follow, which bring more.
IDLE_BEFORE_OPENINGS = 2
#: Until when the first openings go on, as a multiple of the time before them, where there is a limit: the relaxation,
#: which comes then, mostly says more.
SHARE_OF_OPENINGS = 2.0
#: By how much prices are perturbed in a further run, and how many of these in a row may bring nothing before the
#: relaxation is solved.
SPREAD = 1.25
IDLE_RUNS = 2
#: Time of rerouting after a run, as a share of the time before it.
SHARE_OF_WALK = 1.0
#: Time of the MIP after a run, as a share of the time before it, and share of the binaries that it is over at most,
#: if two b do not have more between them.
SHARE_OF_UNION = 2.0
MOST_OPEN = 0.5


class Scaling:
    """Slope scaling on one problem, and every b that it gave.

    Parameters
    ----------
    state : SearchState
    setting : Setting
    race : Race
        What runs beside it.
    """

    def __init__(self, state: SearchState, setting: Setting, race: Race) -> None:
        self._state, self._setting, self._race = state, setting, race
        self.slopes = Slopes(setting, race.halt)
        self.applies = self.slopes.applies
        #: The best of all, for whoever builds on them.
        self.elite = Fixing(state, None)
        #: The walks that go on from them, once they were begun.
        self.vertices: Vertices | None = None
        #: Whether openings follow.
        self.opens = self.applies and self.slopes.without_b and not state.structure.fixed_charge
        self._idle_rounds = IDLE_BEFORE_OPENINGS if self.opens else IDLE_ROUNDS
        self._openings = OpeningSearch(state, setting, race, self.keep) if self.opens else None
        self._found: dict[bytes, tuple[float, Binary]] = {}
        #: How many of them are in the union.
        self._count = MOST_KEPT

    def run(self, spread: float) -> None:
        """One run, from perturbed prices when `spread` is above 1; the first one such that it has good b soon.

        Where openings follow the first run they go on from the best b after that, perturbed.
        """
        if not self.applies:
            return
        state = self._state
        first = not self._found
        if self._openings is not None and not first:
            self._openings.kick(lambda: min(self._found.values(), key=lambda found: found[0])[1])
            return
        self.slopes.restart(state.rng, spread, calibrated=first)
        seen: set[bytes] = set()
        least, best, idle = math.inf, None, 0
        until = math.inf if first or state.remaining is None else state.seconds + beside(state, self._race, math.inf)
        for _ in range(SLOPE_ROUNDS):
            state.check()
            b = self.slopes.step(state.remaining)
            if b is None or b.tobytes() in seen or idle >= self._idle_rounds or state.seconds > until:
                break
            seen.add(b.tobytes())
            try:
                limit = None if state.remaining is None else beside(state, self._race, state.remaining)
                b = state.binaries.nearest(b, limit)
            except TimeoutError:
                break
            if not state.best.feasible:
                self._offer_as_it_is(b)
            b, evaluation = self._evaluated(b)
            if evaluation.objective < least:
                least, best, idle = evaluation.objective, b, 0
            else:
                idle += 1
            state.offer(b, evaluation, SLOPES)
            self.keep(b, evaluation.objective)
            self._race.fetch()
        if self._openings is not None and best is not None:
            self._openings.go_from(best, until=SHARE_OF_OPENINGS * state.seconds)

    def round(self, relaxed: Vector) -> bool:
        """Where openings serve: from what a relaxation has on; whether they do."""
        if self._openings is not None:
            self._openings.round(relaxed)
        return self.opens

    def first_point(self, seconds: float) -> None:
        """Offer what the first LP gives within so long, where x tells the b it needs: something to begin with."""
        if not self.applies or not self.slopes.without_b or self._state.best.feasible:
            return
        self.slopes.restart(self._state.rng, 1.0, calibrated=True)
        b = self.slopes.step(seconds)
        if b is not None and self._state.binaries.contains(b):
            self._offer_as_it_is(b)

    def _offer_as_it_is(self, b: Binary) -> None:
        """Offer b with the x of the LP of slope scaling: something to begin with, before the best x of b is known."""
        state, x = self._state, self.slopes.x
        if self.slopes.without_b and not (needed_by(state.problem, x) & ~b).any():
            x = np.clip(x, *state.problem.bounds_given(b))
            state.offer(b, Evaluation(state.problem.objective(x, b), 0.0, x, certain=False), SLOPES)

    def _evaluated(self, b: Binary) -> tuple[Binary, Evaluation]:
        """b without what its best x does not need, and its value."""
        state = self._state
        evaluation = state.solver.evaluate(b)
        if not evaluation.feasible or evaluation.x is None:
            return b, evaluation
        if self.slopes.without_b:
            lean = b & needed_by(state.problem, evaluation.x)
            x = np.clip(evaluation.x, *state.problem.bounds_given(lean))
            if not state.binaries.contains(lean) or state.problem.worst_row(x, lean, NOTHING)[0] > FEASIBLE:
                return b, evaluation
            # The same x: among those of fewer b there is none better.
            return lean, replace(evaluation, x=x, objective=state.problem.objective(x, lean))
        b = used(state, b, evaluation.x)
        return b, state.solver.evaluate(b)

    def keep(self, b: Binary, objective: float) -> None:
        """Take note of a b, and of its value."""
        if math.isfinite(objective):
            self._found[b.tobytes()] = objective, b.copy()
            self.elite.add(b, objective)

    def union(self) -> Binary:
        """What is on in any of the best, the incumbent among them; of fewer where that is most of all."""
        best = [b for _, b in sorted(self._found.values(), key=lambda found: found[0])]
        if self._state.best.feasible and self._state.best_b is not None:
            best.insert(0, self._state.best_b)
        on = np.zeros(self._state.problem.m, dtype=bool)
        for place, b in enumerate(best[: self._count]):
            if place > 1 and (on | b).sum() > MOST_OPEN * on.size:
                break
            on |= b
        return on

    def begin(self) -> None:
        """Runs from one start after the other, rerouting, and the MIP over what is on in the best of their b.

        Of more of them the sooner such a MIP is solved; until runs bring nothing better any more. Where openings serve
        it is one run: the relaxation comes next, from which they go on.
        """
        if self.opens:
            self.run(1.0)
            return
        idle, spread = 0, 1.0
        model: MixedModel | None = None
        while idle < IDLE_RUNS and self.applies and not self._race.halt.halted:
            before = self._state.best.objective
            self.run(spread)
            self._state.check()
            if not self._found:
                return
            self._walk()
            if model is None:
                model = MixedModel(self._setting, halt=self._race.halt)
                model.collect()
            self.tell(self._over_union(model) == Outcome.OPTIMAL)
            idle, spread = 0 if self._state.best.objective < before else idle + 1, SPREAD

    def tell(self, solved: bool) -> None:
        """Say whether the MIP over the best was solved: the next one is over more of them."""
        self._count = 2 * self._count if solved else self._count

    def _walk(self) -> None:
        """Where networks share their charges: reroute from the best for as long as it took so far."""
        state, race = self._state, self._race
        if self.vertices is None:
            self.vertices = when_loaded(state, self._setting)
        vertices = self.vertices
        if vertices is None or not vertices.applies or vertices.reroutes is None:
            return
        seconds, seed = max(SHARE_OF_WALK * state.seconds, LEAST_BESIDE), int(state.rng.integers(2**31))
        halted = threading.Event()
        with ThreadPoolExecutor(1, initializer=stand_back) as pool:
            job = pool.submit(vertices.walk, state, seconds, seed, lambda: halted.is_set() or race.halt.halted)
            self._wait_for(job, lambda: vertices.offer(state), halted.set)
        _, b = job.result()
        if b is not None:
            self._take(b, VERTICES)

    def _over_union(self, model: MixedModel) -> str:
        """Solve the MIP over the best, taking its points as they come; returns its status."""
        state, seconds = self._state, beside(self._state, self._race, math.inf, SHARE_OF_UNION)
        with ThreadPoolExecutor(1, initializer=stand_back) as pool:
            job = pool.submit(small_mip, state, model, self.elite.within(self.union()), seconds)
            self._wait_for(job, lambda: take_points(state, model), model.model.cancel)
        status, b = job.result()
        if b is not None:
            self._take(b, SMALL_MIP)
        self._race.fetch()
        return status

    def _wait_for(self, job: Future[Any], take: Callable[[], object], stop: Callable[[], None]) -> None:
        """Wait for what is done in a thread, taking what it has found as it comes; stopped where the search ends."""
        try:
            while wait([job], LOOK).not_done:
                self._state.check()
                take()
        except StopSearch:
            stop()  # its pool waits for it
            with contextlib.suppress(StopSearch):
                take()
            raise
        except BaseException:
            stop()
            raise

    def _take(self, b: Binary, whose: str) -> None:
        state = self._state
        if state.best.feasible and state.best_b is not None and np.array_equal(b, state.best_b):
            self.keep(b, state.best.objective)
            return
        evaluation = state.solver.evaluate(b)
        state.offer(b, evaluation, whose)
        self.keep(b, evaluation.objective)
