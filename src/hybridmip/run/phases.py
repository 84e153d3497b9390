"""The phases, and the three algorithms made of them, side by side.

Each phase says which problems it serves; `solve` runs those of the configuration that serve the problem at hand, in
this order. The paper's claim is `PAPER`; what goes beyond it is what the other two have more or less than that.
"""

from __future__ import annotations

import contextlib
import math
import os
import time

import numpy as np

from hybridmip.bounds import mixing
from hybridmip.bounds.ledger import Grade
from hybridmip.engines.compiled import Kernel, ready
from hybridmip.exact import core_kernel, fit_kernel
from hybridmip.exact.branch import SHARE_OF_LIFTING, Branching, gap_is_open
from hybridmip.exact.core import try_the_core
from hybridmip.exact.enumerate import enumerate_all, members
from hybridmip.exact.feasibility import Verdict, find_feasible
from hybridmip.exact.lifting import lifts
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Binary, DenseForm
from hybridmip.model.structure import Structure
from hybridmip.model.units import Proof
from hybridmip.relax import dnn_kernel, node, node_kernel
from hybridmip.relax.fitted import fitted
from hybridmip.relax.infeasible import clashing_rows
from hybridmip.relax.protocol import RelaxationFailed
from hybridmip.relax.registry import RELAXATIONS
from hybridmip.run.clock import StopSearch
from hybridmip.run.config import Config
from hybridmip.run.phase import Phase, Run
from hybridmip.run.result import StopReason
from hybridmip.run.state import SearchState
from hybridmip.search import (
    descent_kernel,
    flips,
    flips_kernel,
    mips,
    slopes,
    vertices,
)
from hybridmip.search.descents import Descents
from hybridmip.search.genetic import genetic
from hybridmip.search.neighborhood import neighborhood
from hybridmip.search.outer import Outer
from hybridmip.search.outer import beside as outer_beside
from hybridmip.search.pool import Member, build_pool
from hybridmip.search.scaling import Scaling
from hybridmip.search.shaking import shaking
from hybridmip.search.vertices import walks_over_trees
from hybridmip.search.whole import Race
from hybridmip.tolerances import OPTIMAL_GAP

#: Random b tried before the relaxations, and the size up to which Phi is at hand for their descents.
QUICK_STARTS = 4
QUICK_SIZE = 600
#: A relaxation that an earlier one dominates is left out where it takes longer than this.
DOMINATED_SECONDS = 5e-4
#: Seconds that are kept for the end where HiGHS is at work beside: its threads, on their way out, take time from it.
ENDING = 0.04
#: Share of the time left that a relaxation gets where openings wait for it: a large one may take all of it for nothing.
SHARE_WAITED_FOR = 0.5
#: Rounds of fitting the diagonal, at most, where there is time; and the share of the gap left at which the core is
#: tried again.
FIT_ROUNDS = 30
WORTH_A_TRY = 0.85
#: Choices of b that are tried where each is an LP, and HiGHS follows, which needs no longer for the whole.
MOST_LPS = 512
#: Seconds, and share of the time, for which HiGHS is waited for before any search begins beside it; and how many
#: columns and rows a relaxation that is solved meanwhile may have.
FIRST_WAIT = 0.1
SHARE_OF_FIRST_WAIT = 0.05
SMALL_LP = 1000
#: Columns and rows from which on HiGHS presolves a problem with charges.
PRESOLVED = 10_000
#: What is said where a solve ends before the tree is there.
STILL_COMPILING = "what proves is still being compiled, once on this machine: solve again, or ask with prove=True"
#: Share of the time left for moves from an infeasible b, where MIPs follow.
SHARE_OF_REPAIR = 0.1
#: Seconds of moves before the MIPs of a quadratic problem, at most: these go on with moves where they do not end soon.
MOVES_SECONDS = 2.0
#: Work of the tree, as in `TreeSettings`, after which the doubly nonnegative relaxation is tried at its root.
PLAIN_WORK = 1e9


def by_small_mips(structure: Structure, config: Config) -> bool:
    """Whether the search is that for linear problems."""
    descent = config.neighborhood == "descent"
    return structure.linear and structure.binaries > 0 and descent and bool(config.relaxations)


def beside(problem: Problem, config: Config, time_limit: float | None) -> bool:
    """Whether HiGHS begins on the whole problem at once, and everything else is done beside it.

    Not without a time limit: the answer must not depend on who is faster.
    """
    linear = problem.is_linear and problem.m > 0 and config.neighborhood == "descent" and bool(config.relaxations)
    if not linear or time_limit is None or (config.threads or os.cpu_count() or 1) < 2:
        return False
    return any(isinstance(phase, LinearSearch) for phase in phases_of(config))


def scaled_first(run: Run) -> bool:
    """Whether slope scaling comes before the relaxation: its LP is far smaller where there is no b in it.

    Not without a time limit, where HiGHS comes first, and not where walks over trees follow, which find more.
    """
    race = run.race
    return race is not None and race.running and not race.points_known and only_charged(run.state.problem)


def only_charged(problem: Problem) -> bool:
    """Whether b are there to be paid for, and x tells which it needs."""
    return slopes.serves(problem) and slopes.told_by_x(problem)


def few_choices(state: SearchState) -> bool:
    """Whether the b of a linear problem are few enough to try every one of them."""
    most = min(state.config.enumerate_up_to, MOST_LPS)
    return members(state.binaries, most) is not None


def by_tangents(structure: Structure, config: Config) -> bool:
    """Whether the search is that for quadratic problems whose moves are dear."""
    return structure.dear_moves and config.neighborhood == "descent"


def by_tree(structure: Structure, config: Config) -> bool:
    """Whether branch and bound over the formula serves the problem: curvature, and rows few enough to be dense."""
    few_rows = node.few_rows(structure.variables, structure.rows, structure.choices)
    small = structure.variables <= node.LARGEST and few_rows
    return small and not structure.linear and structure.binaries > 0 and config.tree.work > 0


def descent_kernels(structure: Structure) -> tuple[Kernel, ...]:
    """What compiled descents need."""
    return descent_kernel.KERNELS if structure.compiled else ()


def begin_with_what_is_known(run: Run) -> None:
    """Warm starts, and the closed formula at zero, which takes next to no time."""
    state, problem, none = run.state, run.state.problem, np.zeros(run.state.problem.n)
    for b in run.given:  # before the clock is looked at: what was given is not thrown away
        start = state.binaries.nearest(b)
        state.offer(start, state.solver.evaluate(start), "warm start")
    nothing = Proof(none, none, np.zeros(problem.rows), np.zeros(problem.B.shape[0]))
    bound, proof = run.setting.formula.claim(nothing)
    state.raise_bound("trivial", bound, Grade.PROVEN, proof)


class Start(Phase):
    """Something to return, whatever happens later: warm starts, any b that satisfies the rows on b, a first bound."""

    name = "start"

    def run(self, run: Run) -> StopReason | None:
        state, problem = run.state, run.state.problem
        if run.race is None:  # beside HiGHS that is done by now
            begin_with_what_is_known(run)
        # Where the rows on b are most of a linear problem that would be to solve it, and HiGHS does so anyway; where
        # slope scaling follows it has points sooner than it is known how infeasible that b is.
        linear = by_small_mips(state.structure, state.config)
        if not (linear and (state.binaries.by_milp or scaled_first(run))):
            state.evaluate(state.binaries.maximise(-problem.p, time_limit=state.remaining), "start")
        state.check()
        return None


class QuickStart(Phase):
    """Descents from random b where that takes milliseconds, so that the relaxations start with an answer."""

    name = "start"
    share = 0.1

    def kernels(self, structure: Structure, config: Config) -> tuple[Kernel, ...]:
        return descent_kernels(structure)

    def supports(self, structure: Structure, config: Config) -> bool:
        return structure.compiled and structure.binaries > 0 and not by_small_mips(structure, config)

    def run(self, run: Run) -> StopReason | None:
        state = run.state
        starts = [state.binaries.random(state.rng) for _ in range(QUICK_STARTS)]
        members = [(b, state.evaluate(b, "random").rank) for b in starts]
        if state.problem.n <= QUICK_SIZE:
            state.guide(diagonal=run.setting.phi)
        members.sort(key=lambda member: member[1])
        # The least b of all is where adding one by one begins: a greedy construction.
        least = state.binaries.maximise(-np.ones(state.problem.m), time_limit=state.remaining)
        Descents(state).run([(least, "quick start"), (members[0][0], "quick start")])
        return None


class SlopeScaling(Phase):
    """Linear problems with charges: slope scaling, and what goes on from it, beside HiGHS on the whole."""

    name = "slope scaling"
    share = 0.15

    def supports(self, structure: Structure, config: Config) -> bool:
        return by_small_mips(structure, config)

    def ready(self, run: Run) -> bool:
        return scaled_first(run)

    def run(self, run: Run) -> StopReason | None:
        assert run.race is not None
        if run.scaling is None:
            run.scaling = Scaling(run.state, run.setting, run.race)
        run.scaling.begin()
        return None


class Tree(Phase):
    """Branch and bound over the closed formula: a little at first, the rest when the search has ended.

    Parameters
    ----------
    share_of_work : float
        Share of the work that is allowed where nobody asked for a proof; what comes first has no more in any case.
    last : bool
        Whether it goes on until the time is up where somebody asked.
    plain : float
        Work after which the last one tries the doubly nonnegative relaxation at the root.
    guides : bool
        Whether what its root finds guides the searches that follow, and is kept as a certificate.
    instead : float
        Share of the time left for one that comes before searches whose moves are dear, and only where they are; 0 for
        one that runs anywhere.
    """

    name = "tree"

    def __init__(
        self, share_of_work: float, last: bool, plain: float = PLAIN_WORK, instead: float = 0.0, guides: bool = True
    ) -> None:
        self.share_of_work, self.last, self.plain, self.instead = share_of_work, last, plain, instead
        self.guides = guides
        self.share = instead or 1.0
        self.tightens = last

    def kernels(self, structure: Structure, config: Config) -> tuple[Kernel, ...]:
        return (*mixing.KERNELS, *fit_kernel.KERNELS, *node_kernel.KERNELS, *dnn_kernel.KERNELS)

    def supports(self, structure: Structure, config: Config) -> bool:
        if self.instead and not by_tangents(structure, config):
            return False
        first = bool(self.instead) or not self.last
        return by_tree(structure, config) and not (first and structure.binaries_determine_x)

    def ready(self, run: Run) -> bool:
        state = run.state
        if not (gap_is_open(state) or (state.prove and state.best.feasible)):
            return False
        with state.clock.stopped():
            compiled = ready(self.kernels(state.structure, state.config), wait=self._asked(state))
        if not compiled and self.last and STILL_COMPILING not in run.verdicts.notes:
            run.verdicts.notes.append(STILL_COMPILING)
        return compiled

    def _asked(self, state: SearchState) -> bool:
        """Whether it goes on until the gap is closed."""
        return self.last and (state.remaining is not None or state.gap != OPTIMAL_GAP or state.prove)

    def run(self, run: Run) -> StopReason | None:
        state = run.state
        if run.branching is None:
            known = run.guide is not None or state.problem.Q.below is not None
            run.branching = Branching(state, run.setting, run.setting.diagonal if known else None, guides=self.guides)
        work = math.inf if self._asked(state) else self.share_of_work * state.config.tree.work * 1e9
        if self.last and not run.branching.lifted:
            first = min(work, self.plain)
            if run.branching.run(first):
                return StopReason.EXHAUSTED
            work -= first
            if lifts(run.setting, SHARE_OF_LIFTING * work, state.remaining):
                run.branching = Branching(state, run.setting, run.setting.diagonal, lifted=True)
        return StopReason.EXHAUSTED if run.branching.run(work) else None


class Relaxations(Phase):
    """The mixed relaxations: bounds, scores for the pool, guidance for the searches, infeasibility where proven."""

    name = "relaxation"

    def kernels(self, structure: Structure, config: Config) -> tuple[Kernel, ...]:
        if "persp" not in config.relaxations:
            return ()
        return (*mixing.KERNELS, *(node_kernel.KERNELS if by_tree(structure, config) else ()))

    def run(self, run: Run) -> StopReason | None:
        state, setting = run.state, run.setting
        linear = by_small_mips(state.structure, state.config)
        treed = any(
            isinstance(phase, Tree) and not phase.last and phase.supports(state.structure, state.config)
            for phase in phases_of(state.config)
        )
        expected = _expected_seconds(state.problem)
        # For Q = 0 Persp is Line, and HiGHS solves it.
        for name in ("line",) if linear else state.config.relaxations:
            if name in run.relaxed:
                continue
            relaxation = RELAXATIONS[name](state.config)
            state.check()
            if state.remaining is not None and expected > state.remaining:
                self._from_the_answer(run)
                break
            if expected > DOMINATED_SECONDS and any(other in run.relaxed for other in relaxation.dominated_by):
                continue
            try:
                found = relaxation.solve(setting, run.relaxed, self._limit(run))
            except RelaxationFailed as failure:
                state.check()
                if failure.status == "infeasible":
                    rows = clashing_rows(setting, state.remaining)
                    if rows is not None:
                        run.verdicts.no_point(Grade.PROVEN, rows)
                        return None
                if relaxation.others_need_it:
                    break
                continue
            run.relaxed[name] = found
            if found.guides:
                state.guide(diagonal=setting.diagonal, probabilities=found.b)
            # Where the tree follows its root says more, and most problems end there.
            if (linear or (found.guides and not treed)) and found.proof is not None:
                state.guide(penalties=setting.formula.penalties(found.proof))
            state.raise_bound(name, found.bound, found.rests_on, found.proof, products=found.products)
        return None

    @staticmethod
    def _limit(run: Run) -> float | None:
        """Seconds; not all that are left where a search waits for it that can go on without."""
        remaining = run.state.remaining
        if remaining is None or run.scaling is None or not run.scaling.opens:
            return remaining
        return SHARE_WAITED_FOR * remaining

    @staticmethod
    def _from_the_answer(run: Run) -> None:
        """Where there is no time for a relaxation: the formula at the best point so far, at next to no cost."""
        state, setting = run.state, run.setting
        best, below = state.best, state.problem.Q.below
        if best.x is None or best.row_multipliers is None:
            return
        diagonal = np.zeros(state.problem.n) if below is None else setting.phi
        nothing = np.zeros(state.problem.B.shape[0])
        bound, proof = setting.formula.claim(Proof(diagonal, best.x, best.row_multipliers, nothing))
        state.raise_bound("answer", bound, Grade.PROVEN, proof)


def _expected_seconds(problem: Problem) -> float:
    """Rough time of one relaxation: a dense Q of n rows means factorisations of that size."""
    return 3e-9 * problem.n**3 if isinstance(problem.Q, DenseForm) else 0.0


class Enumeration(Phase):
    """Few b are simply tried."""

    name = "enumeration"

    def supports(self, structure: Structure, config: Config) -> bool:
        return config.enumerate_up_to > 0

    def ready(self, run: Run) -> bool:
        return not run.state.prove  # what was tried is in no document

    def run(self, run: Run) -> StopReason | None:
        state, most = run.state, run.state.config.enumerate_up_to
        if by_small_mips(state.structure, state.config):
            most = min(most, MOST_LPS)
        tried = enumerate_all(state, run.setting, most)
        if tried is not None and tried.value == math.inf and not state.best.feasible:
            run.verdicts.no_point(tried.grade)
            return None
        if tried is not None and math.isfinite(tried.value) and state.best.feasible:
            state.raise_bound("enumeration", tried.value, tried.grade, stop=False)
            return StopReason.EXHAUSTED
        return None


class LinearSearch(Phase):
    """Linear problems: slope scaling, vertices, small MIPs, and the whole by HiGHS; nothing follows."""

    name = "small MIPs"
    tightens = True
    final = True

    def kernels(self, structure: Structure, config: Config) -> tuple[Kernel, ...]:
        if not structure.fixed_charge:
            return ()
        return vertices.KERNELS

    def supports(self, structure: Structure, config: Config) -> bool:
        return by_small_mips(structure, config)

    def begin(self, run: Run) -> None:
        state, setting = run.state, run.setting
        # What can be tried rests on more than HiGHS's word.
        if not beside(state.problem, state.config, state.remaining) or few_choices(state):
            return
        assert state.remaining is not None
        state.clock.reserve(ENDING)
        points_known = walks_over_trees(setting, state.structure.fixed_charge)
        small = sum(setting.joint_rows.matrix.shape) <= PRESOLVED
        # There HiGHS's presolve takes longer than it saves.
        plain = small and not points_known and only_charged(state.problem)
        run.race = race = Race(state, setting, points_known, presolve=not plain)
        until = time.perf_counter() + min(FIRST_WAIT, SHARE_OF_FIRST_WAIT * state.clock.seconds_left)
        race.first.start(state.remaining)
        with state.in_phase(Start.name):
            begin_with_what_is_known(run)
        follow = {type(phase) for phase in phases_of(state.config)}
        if SlopeScaling in follow and scaled_first(run):
            with state.in_phase(SlopeScaling.name):
                run.scaling = Scaling(state, setting, race)
                run.scaling.first_point(until - time.perf_counter())
        if Relaxations in follow and sum(setting.joint_rows.matrix.shape) <= SMALL_LP:
            # HiGHS has a thread of its own: meanwhile a relaxation costs no time, and may prove what else rests on
            # HiGHS's word.
            with state.in_phase(Relaxations.name):
                Relaxations().run(run)
        race.first.wait(until - time.perf_counter())
        state.beside, setting.halt = race.fetch, race.halt

    def end(self, run: Run) -> None:
        if run.race is not None:
            run.state.beside = None
            run.race.stop()
            run.state.callback = None  # it may be that who is told asked to stop
            with contextlib.suppress(StopSearch):  # it is over anyway
                run.race.fetch()

    def run(self, run: Run) -> StopReason | None:
        mips.search_linear(run.state, run.setting, run.relaxed, run.race, run.scaling)
        if run.race is not None:
            run.race.fetch()
        state = run.state
        if not state.best.feasible and state.binaries.by_milp:
            # A b of HiGHS that rows on b refuse is forbidden there, and another one found.
            state.beside = None
            state.evaluate(state.binaries.maximise(-state.problem.p, time_limit=state.remaining), "start")
        if not state.best.feasible:
            decide_feasibility(run)
        return StopReason.PROVEN_INFEASIBLE if run.verdicts.no_point_exists() else StopReason.CONVERGED


class Pool(Phase):
    """Discretised relaxations, randomised roundings, random members; where none is feasible, one that is."""

    name = "pool"

    def kernels(self, structure: Structure, config: Config) -> tuple[Kernel, ...]:
        return descent_kernels(structure) if config.neighborhood == "descent" else ()

    def run(self, run: Run) -> StopReason | None:
        state = run.state
        if not state.guidance.diagonal.any():  # no relaxation gave one
            state.guide(diagonal=run.setting.phi)
        run.pool = build_pool(state, run.relaxed, [state.binaries.nearest(b) for b in run.given])
        if state.best.feasible:
            return None
        mips_follow = by_tangents(state.structure, state.config)
        if run.pool:
            with state.clock.for_a_share(SHARE_OF_REPAIR if mips_follow else 1.0):
                repaired = Descents(state).run([(run.pool[0].b, "repair")])
                run.pool = sorted([*repaired, *run.pool], key=lambda member: member.evaluation.rank)
        if run.state.best.feasible:
            return None
        if mips_follow and state.remaining is not None and not flips.serves(state.structure):
            return None  # the MIPs that follow look for a feasible point, and for a good one
        decide_feasibility(run)
        return None


class Genetic(Phase):
    """The paper's genetic algorithm on the pool."""

    name = "genetic"

    def run(self, run: Run) -> StopReason | None:
        run.pool = genetic(run.state, run.pool)
        return None


class Core(Phase):
    """Try what the best bound does not rule out; when nothing is left the incumbent is optimal."""

    name = "core"

    def kernels(self, structure: Structure, config: Config) -> tuple[Kernel, ...]:
        return core_kernel.KERNELS if "persp" in config.relaxations else ()

    def ready(self, run: Run) -> bool:
        best = run.state.best
        return run.guide is not None and best.feasible and run.core_tried_at > best.objective

    def run(self, run: Run) -> StopReason | None:
        state = run.state
        run.core_tried_at = state.best.objective
        tried = try_the_core(state, run.setting)
        run.core_tried_at = state.best.objective
        if tried is None or not math.isfinite(tried.value):
            return None
        state.raise_bound("core", tried.value, tried.grade, stop=False)
        return StopReason.EXHAUSTED


class Flips(Phase):
    """Tabu search where the binaries determine x."""

    name = "flips"
    share = 0.8

    def kernels(self, structure: Structure, config: Config) -> tuple[Kernel, ...]:
        return flips_kernel.KERNELS

    def supports(self, structure: Structure, config: Config) -> bool:
        return flips.serves(structure)

    def run(self, run: Run) -> StopReason | None:
        flips.flips(run.state)
        return None


class Moves(Phase):
    """Moves one by one for a while, before the small MIPs of a quadratic problem."""

    name = "neighborhood"
    share = 0.1

    def supports(self, structure: Structure, config: Config) -> bool:
        return by_tangents(structure, config)

    def ready(self, run: Run) -> bool:
        return run.guide is not None and run.state.best.feasible

    def run(self, run: Run) -> StopReason | None:
        remaining = run.state.remaining
        with run.state.clock.for_a_share(1.0 if remaining is None else MOVES_SECONDS / max(remaining, MOVES_SECONDS)):
            shaking(run.state, run.pool)
        return None


class OuterBeside(Phase):
    """Outer approximation begins, in threads of its own, where there is a time limit and no tree follows."""

    name = "small MIPs"

    def supports(self, structure: Structure, config: Config) -> bool:
        quadratic = not structure.linear and by_tangents(structure, config)
        return quadratic and not by_tree(structure, config)

    def ready(self, run: Run) -> bool:
        return run.guide is not None and outer_beside(run.state)

    def run(self, run: Run) -> StopReason | None:
        run.outer = Outer.of(run.state, run.setting, run.relaxed)
        if run.outer is not None:
            run.state.clock.reserve(ENDING)
            run.outer.begin()
        return None

    def end(self, run: Run) -> None:
        if run.outer is not None:
            run.outer.end()


class OuterApproximation(Phase):
    """Quadratic problems whose moves are dear: tangents, and MIPs by HiGHS."""

    name = "small MIPs"
    tightens = True

    def supports(self, structure: Structure, config: Config) -> bool:
        return by_tangents(structure, config)

    def ready(self, run: Run) -> bool:
        return run.guide is not None

    def run(self, run: Run) -> StopReason | None:
        run.outer = run.outer or Outer.of(run.state, run.setting, run.relaxed)
        if run.outer is None:
            return None
        run.outer.search()
        return StopReason.CONVERGED if run.state.best.feasible else None

    def end(self, run: Run) -> None:
        if run.outer is not None:
            run.outer.end()


class Feasibility(Phase):
    """Nothing feasible yet: a MILP decides, unless it was asked before."""

    name = "pool"

    def ready(self, run: Run) -> bool:
        return not run.state.best.feasible and not run.verdicts.asked

    def run(self, run: Run) -> StopReason | None:
        decide_feasibility(run)
        return None


def decide_feasibility(run: Run) -> None:
    """Let a MILP find a feasible point, or prove that there is none."""
    state = run.state
    run.verdicts.asked = True

    def accept(b: Binary) -> bool:
        return state.evaluate(b, "feasibility").feasible

    clashing = clashing_rows(run.setting, state.remaining)
    if clashing is not None:
        run.verdicts.no_point(Grade.PROVEN, clashing)
        return
    verdict, b = find_feasible(run.setting, accept, state.remaining)
    state.check()
    if verdict is Verdict.INFEASIBLE:
        run.verdicts.no_point(Grade.TRUSTED)
    if b is not None:
        run.pool = [Member(b, state.evaluate(b, "feasibility"), "feasibility"), *run.pool]
        run.pool.sort(key=lambda member: member.evaluation.rank)


class Neighborhood(Phase):
    """The paper's neighborhood search around the best of the pool."""

    name = "neighborhood"

    def run(self, run: Run) -> StopReason | None:
        neighborhood(run.state, run.pool[0])
        return None


class Shaking(Phase):
    """Descents from the pool, shaken and crossed until converged."""

    name = "neighborhood"

    def kernels(self, structure: Structure, config: Config) -> tuple[Kernel, ...]:
        return descent_kernels(structure)

    def run(self, run: Run) -> StopReason | None:
        shaking(run.state, run.pool)
        return None


class Persistence(Phase):
    """Nothing left to prove with, and time left: search on from new starts until it is up."""

    name = "neighborhood"

    def kernels(self, structure: Structure, config: Config) -> tuple[Kernel, ...]:
        return descent_kernels(structure)

    def supports(self, structure: Structure, config: Config) -> bool:
        return structure.binaries > 1 and not by_small_mips(structure, config)

    def ready(self, run: Run) -> bool:
        return run.state.remaining is not None and gap_is_open(run.state)

    def run(self, run: Run) -> StopReason | None:
        state = run.state
        while gap_is_open(state):  # ended by the clock
            starts = [state.binaries.random(state.rng, state.best_b) for _ in range(state.config.descent.starts)]
            pool = [Member(b, state.evaluate(b, "restarted"), "restarted") for b in starts]
            assert state.best_b is not None
            shaking(state, [Member(state.best_b, state.best, state.found_by), *pool])
        return None


class Fit(Phase):
    """Fit the diagonal of the guiding relaxation, round by round, trying the core as the bound rises.

    Without being asked (by a time limit, a gap, or the configuration) nobody is kept waiting for a better bound.
    """

    name = "fitting"
    tightens = True

    def supports(self, structure: Structure, config: Config) -> bool:
        return config.fit.rounds != 0 and not (config.fit.rounds is None and by_tree(structure, config))

    def ready(self, run: Run) -> bool:
        return run.guide is not None and run.state.best.feasible

    def run(self, run: Run) -> StopReason | None:
        state, core, tried_at = run.state, Core(), run.state.bound
        rounds = state.config.fit.rounds
        if rounds is None:
            rounds = FIT_ROUNDS if state.remaining is not None or state.gap != OPTIMAL_GAP else 0
        for _ in range(rounds):
            state.check()
            guide = run.guide
            assert guide is not None
            better = fitted(run.setting, guide, 1, state.remaining)
            if better is guide:
                break
            run.relaxed[guide.name] = better
            assert better.proof is not None
            state.guide(penalties=run.setting.formula.penalties(better.proof) or state.guidance.penalties)
            state.raise_bound("fitted", better.bound, better.rests_on, better.proof)
            if state.best.objective - state.bound <= WORTH_A_TRY * (state.best.objective - tried_at):
                tried_at = state.bound
                run.core_tried_at = math.inf
                if state.config.neighborhood == "descent" and core.ready(run):
                    with state.in_phase(core.name):
                        reason = core.run(run)
                    if reason is not None:
                        return reason
        return None


#: The best we know.
DEFAULT: tuple[Phase, ...] = (
    Start(), QuickStart(), SlopeScaling(), Relaxations(), OuterBeside(), Enumeration(), LinearSearch(), Pool(),
    Genetic(), Tree(0.5, last=False), Core(), Flips(), Tree(0.5, last=True, instead=0.5), Moves(), OuterApproximation(),
    Feasibility(), Shaking(), Core(), Fit(), Tree(1.0, last=True), Persistence(),
)  # fmt: skip
#: The search without the bounds.
QUICK: tuple[Phase, ...] = (
    Start(), QuickStart(), Enumeration(), Pool(), Genetic(), Flips(), Feasibility(), Shaking(),
)  # fmt: skip
#: The paper's algorithm step by step, its formulas as corrected.
PAPER: tuple[Phase, ...] = (
    Start(), Relaxations(), Enumeration(), Pool(), Genetic(), Feasibility(), Neighborhood(), Fit(),
)  # fmt: skip


def phases_of(config: Config) -> tuple[Phase, ...]:
    """The steps of a configuration: its own, or those of the algorithm that its settings ask for."""
    if config.phases is not None:
        return config.phases
    if config.neighborhood == "paper":
        return PAPER
    return DEFAULT if config.relaxations else QUICK
