"""The whole of a linear problem by HiGHS's branch and cut: alone, or in a thread beside everything else.

Beside the searches it begins before anything else and uses one thread. Its better points go to the search and the
search's better points to it, its bound is told as it rises, and when it has ended whatever runs beside it is halted.

Who has good points proves them sooner, by a third, without HiGHS's MIPs within the MIP, which look for points; who has
none needs these. So there are two runs (`Race`): with HiGHS's heuristics and without. Where the searches are strong the
one without begins, and has a thread all the time, else the other one; the second gets what the searches leave of their
time. Where the searches turn out to be less strong than thought the two change places, and where nobody has found a
better point for long both go on without heuristics.

The first run has the problem as its author wrote it (`model.wording`), or else as the caller measures it. With presolve
and heuristics HiGHS does then what it does without us, until it is handed a point; not so where it goes without one of
the two, or where a continuous column is known to be whole and is declared so. The second has the problem in units of
its own: since the same problem in other units, with its columns in another order, or with another random seed, takes
HiGHS a third of the time or three times as long, it may be done first also by chance. And it is over those binaries
only that may be otherwise in a better point, by what the relaxation proves: where the gap is small that is a far
smaller problem, and it begins anew where that has become much smaller.
"""

from __future__ import annotations

import math
import threading
import time

import numpy as np

from hybridmip.bounds.ledger import Grade
from hybridmip.engines.highs import Halt, LinearAnswer, Outcome
from hybridmip.engines.slices import MOST_POINTS, Slices, patience
from hybridmip.model.quadratic import Binary, Vector
from hybridmip.relax.protocol import Setting
from hybridmip.restricted.protocol import Evaluation
from hybridmip.run.result import relative_gap
from hybridmip.run.state import IMPROVEMENT, SearchState
from hybridmip.search.mixed import AuthorsModel, MixedModel
from hybridmip.tolerances import FEASIBLE, NOTHING, OPTIMAL_GAP, TRUSTED

#: Seconds by which HiGHS ends before the time is up, since it looks at the clock now and then.
EARLIER = 0.03
#: Seconds after which it is looked up what else there is, while the second run works.
LOOK = 0.05
#: Seconds, and share of the time so far, without a better point after which HiGHS looks for none by MIPs in the MIP.
SETTLED_SECONDS = 1.0
SETTLED_SHARE = 0.5
#: Random seed of the second run.
OTHER_SEED = 1
#: The second run begins anew where less than this share of the binaries that it decides on is still undecided.
FEWER = 0.6
#: What is nearer than this to a whole number is one.
WHOLE = 1e-9
#: Nobody is told of a bound that is higher by less than this share of what lies between it and the answer.
WORTH_TELLING = 1e-3


def without_offset(gap: float, value: float, offset: float) -> float:
    """A gap relative to a value as one relative to what HiGHS has for it, which is without the offset; never larger."""
    return gap * min(1.0, abs(value) / max(abs(value - offset), 1e-300)) if math.isfinite(value) else gap


class Handover:
    """The search's best point on its way to a MIP that runs in another thread, where that knows of none as good.

    Parameters
    ----------
    offset : float
        Of the problem: HiGHS's values are without it.
    """

    def __init__(self, offset: float) -> None:
        #: The best value that the MIP knows of.
        self.known = math.inf
        #: Points that it was given.
        self.given = 0
        self._offset = offset
        self._lock = threading.Lock()
        self._waiting: tuple[float, Vector] | None = None

    def is_news(self, value: float) -> bool:
        """Whether a value is better than what the MIP knows of."""
        return value < self.known - IMPROVEMENT * abs(value)

    def put(self, value: float, point: Vector) -> None:
        """Leave a better point."""
        self.known = value
        with self._lock:
            self._waiting = value, point

    def requested(self, value: float) -> Vector | None:
        """Called by HiGHS, whose best point has this value: what was left for it, where that is better."""
        with self._lock:
            waiting, self._waiting = self._waiting, None
        if waiting is None or not waiting[0] < value + self._offset:
            return None
        self.given += 1
        return waiting[1]


class BranchAndCut:
    """HiGHS on the whole problem; answers and bounds are fetched by the search.

    Parameters
    ----------
    state : SearchState
        Who is told, by `fetch`.
    setting : Setting
    halt : Halt, optional
        Halted when the problem is decided; it ends this one too.
    again : bool
        Whether it is the second run of the problem: in units of its own, with another random seed, and over what may be
        otherwise in a better point than the incumbent.
    heuristics : bool
        Whether HiGHS looks for points by MIPs within the MIP.
    presolve : bool
        Whether HiGHS may presolve it.
    """

    def __init__(
        self,
        state: SearchState,
        setting: Setting,
        halt: Halt | None = None,
        again: bool = False,
        heuristics: bool = True,
        presolve: bool = True,
    ) -> None:
        #: What whoever works beside it listens to.
        self.halt = Halt() if halt is None else halt
        #: Where it is only over what can be better than the answer, the value of that: no bound of it is higher.
        self._ceiling = math.inf
        tame = setting.measures is not None and setting.measures.tame
        #: How many binaries it decides on.
        self.undecided = state.problem.m
        self.mixed: MixedModel | AuthorsModel
        if setting.worded is not None and tame and not again:
            self.mixed = AuthorsModel(setting.worded, halt=self.halt, heuristics=heuristics, presolve=presolve)
        else:
            self.mixed = mixed = MixedModel(
                setting, halt=self.halt, as_given=not again, seed=OTHER_SEED if again else 0, heuristics=heuristics,
                presolve=presolve,
            )  # fmt: skip
            fixed = state.fixed
            if again and fixed.any():
                self.undecided, self._ceiling = int((fixed == 0).sum()), state.best.objective
                mixed.fix(fixed)
        self._heuristics = heuristics
        self.answer: LinearAnswer | None = None
        self.handover = Handover(self.mixed.offset)
        self._name = "second branch and cut" if again else "branch and cut"
        self._state = state
        self._told = -math.inf
        self._taken = self._given_up = False
        #: b of the last point that was taken with HiGHS's own x.
        self._rough: Binary | None = None
        self._slices: Slices | None = None
        #: Points of a run that is not in a thread.
        self._found: list[Vector] = []
        if state.best.feasible and state.best.x is not None and state.best_b is not None:
            self.mixed.start_from(state.best.x, state.best_b)
            self.handover.known = state.best.objective

    def _gap(self) -> float:
        """At which HiGHS stops: half of what is asked for."""
        return min(self._state.gap, 1e-6) / 2

    def run(self, seconds: float | None, nodes: int) -> None:
        """Solve, here."""
        self.mixed.model.on_improvement(lambda values, bound: self._found.append(values.copy()))
        self.answer = self.mixed.model.solve(seconds, self._gap(), nodes)

    def begin(self, seconds: float) -> Slices:
        """Have it solved in a thread, in slices, of the time that is left."""
        self.mixed.model.on_request(self.handover.requested)
        # Earlier by a little, since HiGHS looks at the clock now and then.
        limit = max(seconds - EARLIER, 0.5 * seconds)
        self._slices = Slices(self.mixed.model, self._gap(), limit, told=self._ended)
        return self._slices

    def start(self, seconds: float) -> None:
        """Solve, in a thread, all the time that is left."""
        self.begin(seconds).run()

    def go_on_all_the_time(self) -> None:
        """Solve on beside the caller, where it was begun."""
        if self._slices is not None:
            self._slices.run()

    def pause(self) -> None:
        """Wait until it is told to go on."""
        if self._slices is not None:
            self._slices.pause()

    def go_on(self, seconds: float) -> None:
        """Solve on for so long, where it was begun, and wait for that."""
        if self._slices is not None and self.answer is None:
            self._slices.go_on(seconds)

    def _ended(self, answer: LinearAnswer) -> None:
        self.answer = answer
        if self.ended and (not self.done or self.exact) and not self._given_up:
            self.halt.halt()

    @property
    def done(self) -> bool:
        """Whether HiGHS says that there is nothing better."""
        return self.answer is not None and self.answer.status is Outcome.OPTIMAL

    @property
    def exact(self) -> bool:
        """Whether the b of HiGHS's answer are whole numbers, and not by its tolerance only."""
        if self.answer is None or self.answer.x is None:
            return False
        whole = self.mixed.whole_numbers(self.answer.x)
        return bool((np.abs(whole - np.round(whole)) <= WHOLE).all())

    @property
    def bound(self) -> float:
        """The bound of HiGHS's answer; -inf while there is none."""
        return -math.inf if self.answer is None else self._on_the_whole(self.answer.bound)

    def _on_the_whole(self, bound: float) -> float:
        """A bound of HiGHS as one on the whole problem; none where it would be that there is no point."""
        return min(bound + self.mixed.offset, self._ceiling) if bound < math.inf else -math.inf

    @property
    def ended(self) -> bool:
        """Whether HiGHS has decided the problem: there is nothing better, no point, or no minimum."""
        if self.answer is None:
            return False
        unbounded = self.answer.status is Outcome.UNBOUNDED and not self.mixed.relaxed
        no_point = self.answer.status is Outcome.INFEASIBLE and math.isinf(self._ceiling)
        return unbounded or no_point or self.answer.status is Outcome.OPTIMAL

    @property
    def running(self) -> bool:
        """Whether it is at work in a thread."""
        return self._slices is not None and self.answer is None

    def wait(self, seconds: float) -> None:
        """Wait for the end, at most so long; what points are found are offered to the search as they come."""
        until = time.perf_counter() + seconds
        while self.running and (left := until - time.perf_counter()) > 0:
            assert self._slices is not None
            self._slices.wait(left)
            self._take_points()

    def give_up(self) -> bool:
        """End the thread, which nobody waits for; False where it has just ended by itself, with an answer."""
        # Before the answer is looked for; its thread looks at this after there is one: one of the two is seen.
        self._given_up = True
        if self.answer is not None:
            self._given_up = False
            return False
        if self._slices is not None:
            self._slices.end(0.0)
        return True

    def stop(self) -> None:
        """End the thread."""
        self.halt.halt()
        if self._slices is not None:
            self._slices.end(patience(self._state.seconds, self._state.clock.seconds_left))

    def fetch(self) -> None:
        """Offer what was found to the search, raise its bound, and have HiGHS given the search's better point.

        Raises
        ------
        StopSearch
            If the gap is closed, or somebody asks to stop.
        """
        state, answer = self._state, self.answer
        self._take_points()
        bound = -math.inf if self._slices is None else self._on_the_whole(self._slices.bound)
        if answer is not None and not self._taken:
            self._taken = True
            if answer.x is not None:
                self._offer(answer.x)
            bound = max(bound, self.bound)
        # That of a problem without points is infinite: who says so is asked again elsewhere.
        if self._worth_telling(bound) or (answer is not None and math.isfinite(bound) and bound > self._told):
            self._told = bound
            charge = TRUSTED * (abs(bound) + self.mixed.largest)
            state.raise_bound(self._name, bound - charge, Grade.TRUSTED)
        self._solve_for_x()
        best = state.best
        if best.feasible and best.x is not None and state.best_b is not None and self.handover.is_news(best.objective):
            self.handover.put(best.objective, self.mixed.values(best.x, state.best_b))
            self.mixed.model.ask_for_point()

    def look_for_points(self, wanted: bool) -> None:
        """Whether HiGHS goes on to look for points by MIPs within the MIP, if it was made to; from any thread."""
        self.mixed.model.go_on_with_heuristics(wanted and self._heuristics)

    def _take_points(self) -> None:
        found, self._found = self._found[-MOST_POINTS:], []
        for values in found if self._slices is None else self._slices.fetch():
            self._offer(values)

    def _worth_telling(self, bound: float) -> bool:
        if not math.isfinite(bound) or not math.isfinite(self._told):
            return math.isfinite(bound)
        best = self._state.best.objective
        return bound > self._told + WORTH_TELLING * (best - self._told if math.isfinite(best) else abs(self._told))

    def _offer(self, values: Vector) -> None:
        """Offer a point of HiGHS as it is where that holds every row; the best x for its b is found later, or now."""
        state, problem = self._state, self._state.problem
        x, on = self.mixed.point(values)
        b = on > 0.5
        x = np.clip(x, *problem.bounds_given(b))
        known = state.best.feasible and state.best_b is not None and np.array_equal(b, state.best_b)
        if known and problem.objective(x, b) >= state.best.objective:
            return  # HiGHS's answer is mostly the last of its points
        if problem.worst_row(x, b, NOTHING)[0] <= FEASIBLE and state.binaries.contains(b):
            # One LP is what a small problem is solved in: nobody waits for it while HiGHS may be done at any moment.
            self._rough = b
            state.offer(b, Evaluation(problem.objective(x, b), 0.0, x, certain=False), self._name)
        else:
            state.offer(b, state.solver.evaluate(b), self._name)
        self._know()

    def _solve_for_x(self) -> None:
        """Offer the best x for the b of the last point that was taken as it is, unless nothing can be gained by it."""
        state, b, self._rough = self._state, self._rough, None
        if b is not None and relative_gap(state.best.objective, state.bound, state.size) > min(state.gap, OPTIMAL_GAP):
            state.offer(b, state.solver.evaluate(b), self._name)
            self._know()

    def _know(self) -> None:
        if self._state.best.feasible:
            self.handover.known = min(self.handover.known, self._state.best.objective)


class Race:
    """Two runs of branch and cut on one problem: the first all the time, the second when it is let.

    Parameters
    ----------
    state : SearchState
    setting : Setting
    points_known : bool
        Whether the searches can be expected to have good points soon: the first run does without heuristics then, the
        second has them. Else it is the other way round.
    presolve : bool
        Whether HiGHS may presolve the first run; it may always presolve the second.
    """

    def __init__(self, state: SearchState, setting: Setting, points_known: bool = False, presolve: bool = True) -> None:
        self._state, self._setting = state, setting
        #: Whether the run that has a thread all the time is the one without heuristics.
        self.points_known = points_known
        self._first_has_heuristics = not points_known
        self.first = BranchAndCut(state, setting, heuristics=self._first_has_heuristics, presolve=presolve)
        self.second: BranchAndCut | None = None
        #: What whoever works beside them listens to.
        self.halt = self.first.halt

    @property
    def _changed(self) -> bool:
        return not self.points_known and not self._first_has_heuristics

    @property
    def runs(self) -> tuple[BranchAndCut, ...]:
        """Those that were begun."""
        return (self.first,) if self.second is None else (self.first, self.second)

    @property
    def running(self) -> bool:
        """Whether they are at work in threads."""
        return self._steady.running

    @property
    def _steady(self) -> BranchAndCut:
        """The run that has a thread all the time."""
        return self.second if self._changed and self.second is not None and self.second.running else self.first

    def fetch(self) -> None:
        """Take what they found, and give each the search's better point; see `BranchAndCut.fetch`."""
        settled = self._settled
        for run in self.runs:
            run.look_for_points(not settled)
            run.fetch()
        if self._changed and self._steady is self.first:
            self.first.go_on_all_the_time()  # the other one has ended, and decided nothing

    @property
    def _settled(self) -> bool:
        """Whether the best point has been the best for so long that proving it is what is left to do."""
        state = self._state
        if not state.best.feasible or not state.trace:
            return False
        return state.seconds - state.trace[-1].seconds >= max(SETTLED_SECONDS, SETTLED_SHARE * state.seconds)

    def stop(self) -> None:
        """End both."""
        for run in self.runs:
            run.stop()

    def begin_second(self) -> BranchAndCut:
        """The second run, which begins when it is first asked for, and again where far less is left to be decided."""
        if self._overtaken:
            assert self.second is not None
            self.second.fetch()
            if self.second.give_up():
                self.second = None
        if self.second is None:
            self.second = BranchAndCut(
                self._state, self._setting, self.halt, again=True, heuristics=not self._first_has_heuristics
            )
            self.second.begin(self._state.clock.seconds_left)
        return self.second

    @property
    def _overtaken(self) -> bool:
        """Whether the second run is over far more than what is left by now."""
        if self.second is None or not self.second.running or self._steady is self.second:
            return False
        return bool((self._state.fixed == 0).sum() < FEWER * self.second.undecided)

    def change_places(self) -> None:
        """Let the run with heuristics have the thread all the time, where the other one has it."""
        if self.points_known and self.running and (second := self.begin_second()).running:
            self.points_known = False
            second.go_on_all_the_time()
            self.first.pause()

    def go_on(self, seconds: float) -> None:
        """Let the run that has no thread work, and wait for it; whatever else happens is heard of meanwhile.

        Raises
        ------
        StopSearch
            If the gap is closed, the time is up, or somebody asks to stop.
        """
        until = time.perf_counter() + seconds
        while self.running and not self.halt.halted and (left := until - time.perf_counter()) > 0:
            second = self.begin_second()
            steady, other = (self.first, second) if self._steady is self.first else (second, self.first)
            if other.running:
                other.go_on(min(left, LOOK))
            else:
                steady.wait(min(left, LOOK))
            self._state.check()
        if self._steady is not self.first:
            self.first.pause()
