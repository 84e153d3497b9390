"""Search for quadratic problems with rows that no simple move respects: outer approximation by HiGHS.

A MILP with tangents approximates the problem from below (`outer_model`). Its answer is a b to try; the tangents at that
point are added, and so on (Duran and Grossmann 1986). Solved for all b its bound is one for the problem; with binaries
fixed around the best b it is a neighborhood.

With a time limit and two threads the MILP over all b is under way in one of them as soon as there is a relaxation, and
everything else is done beside it (`OuterBeside`); elsewhere it goes on in slices between the searches.
"""

from __future__ import annotations

import contextlib
import math
import os
import threading
import time

import numpy as np
from numpy.typing import NDArray

from hybridmip.bounds.ledger import Grade
from hybridmip.engines.highs import Halt, LinearAnswer, Outcome
from hybridmip.engines.left import leave
from hybridmip.engines.slices import Slices, patience
from hybridmip.model.quadratic import Binary, Vector
from hybridmip.relax.protocol import Relaxed, Setting
from hybridmip.restricted.protocol import Evaluation
from hybridmip.run.clock import StopSearch
from hybridmip.run.state import SearchState
from hybridmip.run.words import relative_gap
from hybridmip.search.fixing import FIRST_SECONDS, MOST_SECONDS, Fixing
from hybridmip.search.outer_model import OuterModel, squares
from hybridmip.search.pool import Member
from hybridmip.search.shaking import shaking
from hybridmip.search.slopes import used
from hybridmip.search.whole import EARLIER, Handover, without_offset
from hybridmip.tolerances import TRUSTED

#: Rounds of tangents at the LP before the first MIP, and most tangents of all.
ROOT_ROUNDS = 25
MOST_CUTS = 60_000
#: The LP has settled when the approximation lacks less than this share of the objective.
LACKING = 1e-7
#: MIPs in a row without improvement after which the search ends, where no time limit does; and nodes of each then.
PATIENCE = 8
MOST_NODES = 500
#: What the time is spent on: MIPs over all b, over those around a row or undecided, and moves one by one.
WHOLE, AROUND, UNDECIDED, MOVES = "whole", "around rows", "undecided", "moves"
#: Binaries that may be switched on in the first neighborhood; more while such MIPs are solved, fewer when not.
FIRST_OPEN = 100
#: Seconds that the MIP over all b has before the first search.
FIRST_WHOLE = 3 * FIRST_SECONDS
#: Share of the searches in the time: at first and after one that improved the answer, times this after each that did
#: not, and at least.
LARGEST_SHARE, SHRINKING, SMALLEST_SHARE = 0.5, 0.8, 0.1
#: Share of the time left for a MIP that has to find a feasible point.
SHARE_OF_FIRST = 0.6
#: Share of the bound that is charged for HiGHS's tolerances on many rows.
CHARGED = 1e-8
#: What the grid may lack, as a share of the gap; and the share of the objective that counts as the gap while there is
#: no answer.
GRID_LACKING = 1e-3
SHARE_AS_GAP = 0.01
#: Share of the time for MIPs over all b that are given up, since a point of theirs lacks tangents.
SHARE_IN_VAIN = 0.25
#: Share of the time for which HiGHS proves only; then it looks for points by MIPs within the MIP as well.
SHARE_OF_PROVING = 0.1
#: Seconds between two looks at what is under way, where there is nothing else to do.
LOOK = 0.01


def beside(state: SearchState) -> bool:
    """Whether the MIP over all b has a thread of its own: the answer depends on who is faster, as a time limit does."""
    return state.remaining is not None and (state.config.threads or os.cpu_count() or 1) >= 2


class Outer:
    """MIPs over all b, which prove, and searches around the best b: small MIPs, and moves one by one.

    Parameters
    ----------
    state : SearchState
    model : OuterModel
    relaxed : dict
        What the relaxations found, by name.
    halt : Halt
        What ends the model's LPs and small MIPs.
    """

    @classmethod
    def of(cls, state: SearchState, setting: Setting, relaxed: dict[str, Relaxed]) -> Outer | None:
        """For a problem and its relaxations; None where its Q cannot be split."""
        persp, halt = relaxed.get("persp"), Halt()
        d = setting.diagonal if persp is None or persp.proof is None else persp.proof.diagonal
        T = squares(setting, d)
        return None if T is None else cls(state, OuterModel(setting, d, T, halt), relaxed, halt)

    def __init__(self, state: SearchState, model: OuterModel, relaxed: dict[str, Relaxed], halt: Halt) -> None:
        self.state, self.model, self.halt = state, model, halt
        self.persp = relaxed.get("persp")
        self.elite = Fixing(state, self.persp or relaxed.get("line"))
        self.open_ones, self.seconds = FIRST_OPEN, FIRST_SECONDS
        #: Seconds of the quickest small MIP, with what is done before and after it; 0 while there was none.
        self._quickest = 0.0
        #: Whether the MIPs over all b have nothing left to say.
        self.over = False
        self._whole: Slices | None = None
        self._preparing: threading.Thread | None = None
        #: Whether the LP has got its tangents, and its value then.
        self._settled = False
        self._lp_value = -math.inf
        #: Set where a MIP over all b has ended and waits for more tangents: small MIPs end then.
        self._wanted = threading.Event()
        model.mip.on_check(lambda _: self._wanted.is_set())
        self._deadline, self._first = state.deadline, time.perf_counter()
        #: When the MIP over all b began, the least value of its points, and seconds of such MIPs that were given up.
        self._begun, self._least, self._vain = self._first, math.inf, 0.0
        self._fetching = self._given_up = False
        #: The best point whose tangents were added.
        self._laid: Evaluation | None = None
        self._handover = Handover(state.problem.offset)

    def search(self) -> None:
        """Search until the time is up, the gap closed or nothing improves."""
        if self._preparing is not None:
            self._beside()
        elif self.state.remaining is None:
            self._prepare(self.state.best.objective)
            self._by_turns()
        else:
            self._by_time()

    def begin(self) -> None:
        """Begin with the LP, and then the MIP over all b, in threads; `fetch` is called at every check from now on."""
        self._begin_whole()
        self.state.beside = self.fetch

    def end(self) -> None:
        """End what is under way, and take what it found last; once, whoever asks."""
        self.halt.halt()
        longest = patience(self.state.seconds, self._deadline - time.perf_counter())
        beside, self.state.beside = self._preparing is not None, None
        if self._preparing is not None:
            leave(self._preparing, longest)
        if self._whole is not None:
            self._whole.end(longest)
            if beside:
                self.state.callback = None  # it may be that who is told asked to stop
                with contextlib.suppress(StopSearch):  # it is over anyway
                    self.fetch()
        self._whole = self._preparing = None

    def fetch(self) -> None:
        """Take what the MIP over all b has found, and begin it again with more tangents where it has ended.

        Raises
        ------
        StopSearch
            If the gap is closed, or somebody asks to stop.
        """
        whole = self._whole
        if self._fetching or whole is None:
            return
        self._fetching = True
        try:
            answer = whole.answer
            self._raise(whole.bound)
            for values in whole.fetch():
                self._take(values)
                self._least = min(self._least, self.model.value(values))
            if answer is not None:
                self._whole = None
                self._close(answer)
            elif not self._given_up and self._in_vain():
                self._given_up = True
                whole.end(0.0)  # it is begun again when it has ended
            elif time.perf_counter() - self._begun > SHARE_OF_PROVING * (self._deadline - self._first):
                whole.look_for_points()  # what is not proven by now may have better ones
            self._give()
        finally:
            self._fetching = False

    def _close(self, answer: LinearAnswer) -> None:
        """Take the answer of a MIP over all b, and begin the next where more tangents may bring more."""
        self._wanted.clear()
        given_up, self._given_up = self._given_up, False
        self.over = self._end_of_whole(answer)
        in_time = answer.status is not Outcome.LIMIT or given_up
        if in_time and not self.over and not self.halt.halted and self.model.cuts < MOST_CUTS:
            self._begin_whole()

    def _in_vain(self) -> bool:
        """Whether to begin the MIP over all b again, with more tangents, since a point of its own lacks some.

        Its bound cannot rise above that point's value. What was begun in vain takes a share of the time at most, since
        a MIP that cannot be solved in time has the higher bound the longer it takes.
        """
        best, now = self.state.best, time.perf_counter()
        if self._vain + now - self._begun > SHARE_IN_VAIN * (self._deadline - self._first) or not best.feasible:
            return False
        lacks = relative_gap(best.objective, self._least, self.state.size) > self.state.gap
        if not self._least < best.objective or not lacks:
            return False
        self._vain += now - self._begun
        return True

    def _begin_whole(self) -> None:
        """Begin the MIP over all b in a thread, which first looks for the tangents that it wants."""
        best, start = self.state.best, self._start()
        if best is not self._laid and best.feasible and best.x is not None and self.state.best_b is not None:
            self._laid = best
            self.model.tangents(best.x, self.state.best_b.astype(float))
        known = self._handover.known = best.objective if best.feasible else math.inf
        self._whole, self._begun, self._least = None, time.perf_counter(), math.inf
        self._preparing = threading.Thread(target=self._prepare_and_run, args=(known, start), daemon=True)
        self._preparing.start()

    def _prepare_and_run(self, best: float, start: Vector | None) -> None:
        self._prepare(best)
        seconds = self._deadline - EARLIER - time.perf_counter()
        if seconds > 0 and not self.halt.halted:
            value = best if math.isfinite(best) else self._lp_value + self.state.problem.offset
            gap = without_offset(0.5 * self.state.gap, value, self.state.problem.offset)
            whole = self.model.begin_whole(start, gap, seconds, self._ended, self._handover.requested)
            whole.run()
            self._whole = whole
            whole.ask_for_point()  # what was left for it meanwhile

    def _prepare(self, best: float) -> None:
        """Tangents before a MIP over all b: where the LP goes, and in between.

        Parameters
        ----------
        best : float
            The best value, infinite where there is none.
        """
        if not self._settled:
            try:
                self._lp_value = self._kelley()
            finally:
                self._settled = True
        bound = self._lp_value + self.state.problem.offset
        if not math.isfinite(bound):
            return
        gap = best - bound if math.isfinite(best) else SHARE_AS_GAP * abs(bound)
        self.model.grid(GRID_LACKING * gap)

    def _ended(self, _: LinearAnswer) -> None:
        """Called when the MIP over all b has ended, in its thread: nobody goes on without its tangents."""
        self._wanted.set()
        self.model.mip.wake()

    def _give(self) -> None:
        """Have the MIP over all b given the best point, where that is better than what it knows."""
        best = self.state.best
        start = self._start() if best.feasible and self._handover.is_news(best.objective) else None
        if start is not None:
            self._handover.put(best.objective, start)
            if self._whole is not None:
                self._whole.ask_for_point()

    def _beside(self) -> None:
        """Search beside the MIP over all b."""
        state, turn = self.state, 0
        while not self.over:
            state.check()
            self._remember()
            if not self.elite.members or self.state.problem.m < 2:
                time.sleep(LOOK)
                continue
            by_mips = self._settled and self.model.cuts < MOST_CUTS
            self._turn((AROUND, UNDECIDED, MOVES)[turn % 3] if by_mips else MOVES)
            turn += 1

    def _turn(self, kind: str) -> None:
        remaining = self.state.remaining
        assert remaining is not None
        if kind == MOVES:
            self._moves()
        elif remaining < self._quickest:
            time.sleep(min(LOOK, remaining))  # none would be done in time
        elif self.open_ones < self.state.problem.m:
            self._small(kind, min(self.seconds, remaining))

    def _by_turns(self) -> None:
        """Without a clock: until nothing improves."""
        state, idle, turn = self.state, 0, 0
        while idle < PATIENCE and self.model.cuts < MOST_CUTS:
            state.check()
            before, kind = state.best.objective, (WHOLE, AROUND, UNDECIDED)[turn % 3]
            self._remember()
            turn += 1
            if kind == WHOLE or not self.elite.members or self.open_ones >= state.problem.m:
                answer = self._solve(np.zeros(state.problem.m, dtype=np.int8), None)
                if self._end_of_whole(answer):
                    return
            else:
                self._small(kind, None)
            idle = 0 if self._improved(before) else idle + 1

    def _by_time(self) -> None:
        """With a clock: the MIP over all b goes on between the searches, which get less while they bring nothing."""
        state, share, turn = self.state, LARGEST_SHARE, 0
        length = FIRST_WHOLE
        while self.model.cuts < MOST_CUTS:
            state.check()
            assert state.remaining is not None
            self._remember()
            if self._whole is None:
                self._prepare(state.best.objective)
                self._whole = self.model.begin_whole(self._start(), 0.5 * state.gap, state.remaining)
            if not state.best.feasible:
                length = max(length, SHARE_OF_FIRST * state.remaining)
            answer = self._whole.go_on(min(length, state.remaining))
            self._raise(self._whole.bound)
            for values in self._whole.fetch():
                self._take(values)
            if answer is not None:
                self._whole = None
                if self._end_of_whole(answer):
                    return
                continue
            state.check()
            if not self.elite.members:
                continue
            before, began = state.best.objective, time.perf_counter()
            self._turn((AROUND, UNDECIDED, MOVES)[turn % 3])
            turn += 1
            share = LARGEST_SHARE if self._improved(before) else max(SHRINKING * share, SMALLEST_SHARE)
            length = (time.perf_counter() - began) * (1 - share) / share

    def _remember(self) -> None:
        best = self.state.best
        self.elite.add(self.state.best_b if best.feasible else None, best.objective)

    def _improved(self, before: float) -> bool:
        return bool(self.state.best.objective < before - 1e-9 * abs(before))

    def _start(self) -> Vector | None:
        best, b = self.state.best, self.state.best_b
        return self.model.point(best.x, b) if best.feasible and best.x is not None and b is not None else None

    def _solve(self, fixed: NDArray[np.int8], seconds: float | None) -> LinearAnswer:
        start = self._start()
        if start is not None:
            self.model.mip.start_from(start)
        nodes = MOST_NODES if seconds is None else 2**31 - 1
        return self.model.solve(fixed, seconds, nodes, 1e-5, self._deadline)

    def _small(self, kind: str, seconds: float | None) -> None:
        """A MIP with most binaries fixed like those of the best b; more are left open while such MIPs are solved."""
        fix = self.elite.around_rows if kind == AROUND else self.elite.undecided
        began = time.perf_counter()
        answer = self._solve(fix(self.open_ones, self.state.rng), seconds)
        if answer.x is not None:
            self._take(answer.x)
        if self._wanted.is_set():
            return  # it was cut short: that says nothing of how hard it is
        self._quickest = min(self._quickest or math.inf, time.perf_counter() - began)
        if answer.status is not Outcome.OPTIMAL:
            self.open_ones = max(int(0.8 * self.open_ones), 20)
            self.seconds = min(1.2 * self.seconds, MOST_SECONDS)
        elif time.perf_counter() - began < 0.7 * self.seconds:
            self.open_ones = min(int(1.3 * self.open_ones) + 10, self.state.problem.m)

    def _moves(self) -> None:
        """Moves one by one from the best b, for a while."""
        state = self.state
        assert state.remaining is not None
        with state.clock.for_a_share(min(self.seconds / max(state.remaining, 1e-9), 1.0)):
            known = [b for _, b in self.elite.members]
            shaking(state, [Member(b, state.evaluate(b, "descent"), "descent") for b in known])

    def _end_of_whole(self, answer: LinearAnswer) -> bool:
        """Take what a MIP over all b says; whether there is nothing left to do."""
        self._raise(answer.bound)
        if answer.status is Outcome.INFEASIBLE:
            return True
        added = 0 if answer.x is None else self._take(answer.x)
        return answer.status in (Outcome.OPTIMAL, Outcome.ERROR, Outcome.UNBOUNDED) and added == 0

    def _charged(self, bound: float) -> float:
        """A bound of HiGHS's as one of the problem, less what its tolerances may be worth."""
        bound += self.state.problem.offset
        return bound - CHARGED * abs(bound) - TRUSTED * self.model.largest

    def _raise(self, bound: float) -> None:
        if math.isfinite(bound):
            self.state.raise_bound("outer approximation", self._charged(bound), Grade.TRUSTED)

    def _take(self, values: Vector) -> int:
        """Try the b of a point of a MIP, and add the tangents there and at the best x for that b; how many."""
        state, model = self.state, self.model
        x, b = values[: model.n], values[model.n : model.n + model.m] > 0.5
        added = model.tangents(x, b.astype(float))
        evaluation = state.solver.evaluate(b)
        state.offer(b, evaluation, "outer approximation")  # also when the time is up
        if evaluation.feasible and evaluation.x is not None:
            added += model.tangents(evaluation.x, b.astype(float))
            self._lean(b, evaluation.x)
            self.elite.add(b, evaluation.objective)
        return added

    def _lean(self, b: Binary, x: Vector) -> None:
        """Try b without what is paid for and not used."""
        lean = used(self.state, b, x)
        if not np.array_equal(lean, b):
            evaluation = self.state.solver.evaluate(lean)
            self.state.offer(lean, evaluation, "outer approximation")
            self.elite.add(lean, evaluation.objective)

    def _kelley(self) -> float:
        """Tangents at the points of the LP until it settles; its value."""
        model, bound = self.model, -math.inf
        if self.persp is not None:
            model.tangents(self.persp.x, self.persp.b)
        for _ in range(ROOT_ROUNDS):
            left = self._deadline - time.perf_counter()
            if left <= 0 or self.halt.halted:
                return bound
            answer = model.solve_lp(left if math.isfinite(left) else None)
            if answer.x is None or answer.status is not Outcome.OPTIMAL:
                return bound
            bound = answer.objective
            if model.lacking(answer.x) <= LACKING * max(abs(bound), 1e-9) or model.cuts > MOST_CUTS // 2:
                return bound
            if not model.tangents(answer.x[: model.n], answer.x[model.n : model.n + model.m]):
                return bound
        return bound
