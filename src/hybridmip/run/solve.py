"""solve(): the paper's figure as code. Presolve, relax, pool, evolve, search, polish."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from hybridmip.bounds.diagonal import phi
from hybridmip.bounds.ledger import Grade
from hybridmip.engines import compiled
from hybridmip.engines.blas import one_thread
from hybridmip.errors import HybridMIPError
from hybridmip.model.binaries import BinarySet, NoFeasibleBinaries
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Binary, DenseForm
from hybridmip.model.units import Proof, Units
from hybridmip.relax.role import Relaxed, Setting
from hybridmip.restricted import restricted_solver
from hybridmip.restricted.dense import DenseSolver
from hybridmip.restricted.protocol import RestrictedSolver
from hybridmip.run.arguments import check_arguments, warm_starts
from hybridmip.run.config import Config
from hybridmip.run.gate import Verdicts, close
from hybridmip.run.presolve import presolve, unchanged
from hybridmip.run.progress import InUnits, Progress, TextProgress, in_units
from hybridmip.run.result import Incumbent, Result, StopReason
from hybridmip.run.state import SearchState, StopSearch
from hybridmip.search.descents import Descents
from hybridmip.search.pool import Member, build_pool
from hybridmip.tolerances import OPTIMAL_GAP

#: Random b tried before the relaxations, and the size up to which Phi is at hand for their descents.
QUICK_STARTS = 4
QUICK_SIZE = 600
#: Share of the time left that finding the diagonal for Persp may take.
DIAGONAL_SHARE = 0.3
#: Line and Dual are left out after Persp where they take longer than this.
DOMINATED_SECONDS = 0.02
#: Rounds of fitting the diagonal, at most, where there is time; and the share of the gap left at which the core is
#: tried again.
FIT_ROUNDS = 30
WORTH_A_TRY = 0.85
#: Share of the time for the quick start.
SHARE_OF_QUICK_START = 0.1
#: Share of the time left for tabu search where b says all.
SHARE_OF_FLIPS = 0.8
#: Share of the time left for moves from an infeasible b, where MIPs follow.
SHARE_OF_REPAIR = 0.1
#: Share of the time left for moves one by one, before the small MIPs of a quadratic problem.
SHARE_OF_MOVES = 0.3


def solve(
    problem: Problem,
    *,
    config: Config | None = None,
    time_limit: float | None = None,
    gap: float | None = None,
    seed: int = 0,
    warm_start: ArrayLike | Sequence[ArrayLike] | None = None,
    progress: Progress | bool | None = None,
    callback: Callable[[Incumbent], object] | None = None,
) -> Result:
    """Solve a mixed-integer program with binary variables.

    Parameters
    ----------
    problem : Problem
    config : Config, optional
        `Config()` by default; `Config.paper()` for the paper's algorithm.
    time_limit : float, optional
        Seconds; without one the solve ends when the search has converged. The clock starts when the
        compiled kernel is loaded (its very first use on a machine compiles it for about 15 seconds).
    gap : float, optional
        Stop when the relative gap is at most this; 1e-6 by default.
    seed : int
        Same seed, same answer, bit for bit (as long as no time limit cuts the search).
    warm_start : array_like or sequence of array_like, optional
        One or more b (or x) to start from.
    progress : Progress or bool, optional
        True for a table on standard error, or any object with the methods of `Progress`.
    callback : callable, optional
        Called with every new `Incumbent`; returning True ends the solve.

    Returns
    -------
    Result
        With the best point found, also after a time limit or Ctrl-C.

    Raises
    ------
    ArgumentError
        If an argument is out of its range.
    UnboundedError
        If the objective has no lower limit.
    """
    config = config if config is not None else Config()
    gap = OPTIMAL_GAP if gap is None else gap
    check_arguments(problem, config, time_limit, gap, seed, progress, callback)
    given = warm_starts(problem, warm_start)
    display = TextProgress() if progress is True else (progress or None)
    began = time.perf_counter()
    units = Units.of(problem)
    units.warn()
    reduced = presolve(units.problem) if config.presolve else unchanged(units.problem)
    spent = time.perf_counter() - began
    solver = restricted_solver(reduced.problem, config.threads)
    _load_compiled(reduced.problem, solver, config)
    started = time.perf_counter() - spent
    deadline = math.inf if time_limit is None else started + time_limit
    if display is not None:
        display.start(problem, config, time_limit, gap)
        display = InUnits(display, units)
    verdicts, state = Verdicts(), None
    try:
        binaries = BinarySet(reduced.problem)
        rng = np.random.default_rng(seed)
        told = None if callback is None else lambda found: callback(in_units(found, units))
        state = SearchState(reduced.problem, config, solver, binaries, rng, started, deadline, gap, display, told)
        with one_thread(problem.n):
            verdicts.reason = _phases(state, given, verdicts)
    except NoFeasibleBinaries as proof:
        verdicts.no_point(Grade.PROVEN if proof.counted else Grade.TRUSTED, proof.rows)
        verdicts.reason = StopReason.PROVEN_INFEASIBLE
    except StopSearch as stop:
        verdicts.reason = stop.reason
    except TimeoutError:
        verdicts.reason = StopReason.TIME_LIMIT
    except KeyboardInterrupt:
        verdicts.reason = StopReason.INTERRUPTED
    finally:
        solver.close()
    with one_thread(problem.n):
        return close(verdicts, state, units, reduced, gap, display, started, seed)


def descend_from(problem: Problem, starts: Sequence[Binary], config: Config, seed: int) -> Result:
    """The best of the local optima below the starts: no relaxation, no bound, no time limit."""
    units = Units.of(problem)
    solver = restricted_solver(units.problem, config.threads)
    verdicts, state, now = Verdicts(), None, time.perf_counter()
    try:
        if isinstance(solver, DenseSolver):
            compiled.load_descent()
        binaries = BinarySet(units.problem)
        rng = np.random.default_rng(seed)
        state = SearchState(units.problem, config, solver, binaries, rng, now, math.inf, 0.0)
        with one_thread(problem.n):
            state.diagonal = phi(units.problem.Q)
            Descents(state).run([(binaries.nearest(start), "neighbor") for start in starts])
    except (HybridMIPError, StopSearch):
        pass  # the answer so far stands
    finally:
        solver.close()
    return close(verdicts, state, units, unchanged(units.problem), 0.0, None, now, seed)


def _load_compiled(problem: Problem, solver: RestrictedSolver, config: Config) -> None:
    """Load what is compiled (the first time on a machine: compile it), before the clock starts."""
    if config.neighborhood == "descent" and isinstance(solver, DenseSolver):
        compiled.load_descent()
    if "persp" in config.relaxations:
        compiled.load_proofs()
    if config.neighborhood == "descent":
        from hybridmip.search.flips import b_says_all

        if b_says_all(problem):
            compiled.load_flips()
    if problem.is_linear and problem.m > 0 and config.neighborhood == "descent":
        from hybridmip.search.charges import only_costs

        if only_costs(problem):
            compiled.load_vertices()


def _phases(state: SearchState, given: list[Binary], verdicts: Verdicts) -> StopReason:
    """The pipeline, phase by phase; returns why it ended."""
    from hybridmip.exact.enumerate import enumerate_all
    from hybridmip.search.flips import b_says_all, flips
    from hybridmip.search.genetic import genetic
    from hybridmip.search.neighborhood import neighborhood
    from hybridmip.search.shaking import shaking

    config = state.config
    setting = Setting(state.problem, state.binaries)
    # Something to return, whatever happens later: warm starts, any b that satisfies the rows on b, and
    # the bound that holds without any multiplier.
    with state.in_phase("start"):
        none = np.zeros(state.problem.n)
        nothing = none, np.zeros(state.problem.rows), np.zeros(state.problem.B.shape[0])
        for b in given:  # before the clock is looked at: what was given is not thrown away
            start = state.binaries.nearest(b)
            state.offer(start, state.solver.evaluate(start), "warm start")
        state.raise_bound("trivial", *_graded(setting.formula.claim(Proof(none, *nothing))))
        state.evaluate(state.binaries.maximise(-state.problem.p, time_limit=state.remaining), "start")
        if not _by_small_mips(state):
            with state.for_a_share(SHARE_OF_QUICK_START):
                _quick_start(state, setting)
    # Phase 1: mixed relaxations, discretised, pooled with random solutions.
    with state.in_phase("relaxation"):
        relaxed = _relax(state, setting, verdicts)
    if verdicts.no_point_exists():
        return StopReason.PROVEN_INFEASIBLE
    if config.enumerate_up_to:
        with state.in_phase("enumeration"):
            tried = enumerate_all(state, setting, config.enumerate_up_to)
            if tried is not None and tried.value == math.inf and not state.best.feasible:
                verdicts.no_point(tried.grade)
                return StopReason.PROVEN_INFEASIBLE
            if tried is not None and math.isfinite(tried.value) and state.best.feasible:
                state.raise_bound("enumeration", tried.value, tried.grade, stop=False)
                return StopReason.EXHAUSTED
    if _by_small_mips(state):
        from hybridmip.search.mips import search_linear

        with state.in_phase("small MIPs"):
            search_linear(state, setting, relaxed)
        if not state.best.feasible:
            _ask_for_feasibility(state, setting, [], verdicts)
        return StopReason.PROVEN_INFEASIBLE if verdicts.no_point_exists() else StopReason.CONVERGED
    with state.in_phase("pool"):
        pool = build_pool(state, relaxed, [state.binaries.nearest(b) for b in given])
        if not state.best.feasible:
            pool = _ask_for_feasibility(state, setting, pool, verdicts)
    if verdicts.no_point_exists():
        return StopReason.PROVEN_INFEASIBLE
    # Phase 2: the genetic algorithm, then neighborhood search around its best.
    with state.in_phase("genetic"):
        pool = genetic(state, pool)
    if _core(state, setting, relaxed):
        return StopReason.EXHAUSTED
    if b_says_all(state.problem) and config.neighborhood == "descent":
        with state.in_phase("flips"), state.for_a_share(SHARE_OF_FLIPS):
            flips(state)
    if _by_tangents(state) and "persp" in relaxed:
        from hybridmip.search.outer import search_quadratic

        if state.best.feasible:
            with state.in_phase("neighborhood"), state.for_a_share(SHARE_OF_MOVES):
                shaking(state, pool)
        with state.in_phase("small MIPs"):
            if search_quadratic(state, setting, relaxed) and state.best.feasible:
                return StopReason.CONVERGED
    if not state.best.feasible and not verdicts.asked:
        with state.in_phase("pool"):
            pool = _decide_feasibility(state, setting, pool, verdicts)
        if verdicts.no_point_exists():
            return StopReason.PROVEN_INFEASIBLE
    with state.in_phase("neighborhood"):
        if config.neighborhood == "paper":
            neighborhood(state, pool[0])
        else:
            shaking(state, pool)
    # Phase 3: with a better incumbent, or a better bound, the core may be small enough.
    if _core(state, setting, relaxed) or _fit(state, setting, relaxed):
        return StopReason.EXHAUSTED
    return StopReason.CONVERGED


def _graded(found: tuple[float, Proof]) -> tuple[float, Grade, Proof]:
    return found[0], Grade.PROVEN, found[1]


def _by_small_mips(state: SearchState) -> bool:
    """Whether the search is that for linear problems."""
    problem, config = state.problem, state.config
    return problem.is_linear and problem.m > 0 and config.neighborhood == "descent" and bool(config.relaxations)


def _by_tangents(state: SearchState) -> bool:
    """Whether moves one by one are too dear, or the rows on b too many for them."""
    general = not isinstance(state.solver, DenseSolver) or state.binaries.kind == "general"
    return general and state.config.neighborhood == "descent" and state.problem.m > 0


def _fit(state: SearchState, setting: Setting, relaxed: dict[str, Relaxed]) -> bool:
    """Fit the diagonal of Persp round by round, trying the core as the bound rises; True when all was tried.

    Without being asked (by a time limit, a gap, or the configuration) nobody is kept waiting for a better bound.
    """
    from hybridmip.relax.fitted import fitted

    rounds = state.config.fit_rounds
    if rounds is None:
        rounds = FIT_ROUNDS if state.remaining is not None or state.gap != OPTIMAL_GAP else 0
    if "persp" not in relaxed or not state.best.feasible:
        return False
    tried_at = state.bound
    for _ in range(rounds):
        state.check()
        with state.in_phase("fitting"):
            better = fitted(setting, relaxed["persp"], 1, state.remaining)
            if better is relaxed["persp"]:
                break
            relaxed["persp"] = better
            assert better.proof is not None
            state.penalties = setting.formula.penalties(better.proof) or state.penalties
            state.raise_bound("fitted", better.bound, Grade.PROVEN, better.proof)
        if state.best.objective - state.bound <= WORTH_A_TRY * (state.best.objective - tried_at):
            tried_at = state.bound
            state.core_tried_at = math.inf
            if _core(state, setting, relaxed):
                return True
    return False


def _core(state: SearchState, setting: Setting, relaxed: dict[str, Relaxed]) -> bool:
    """Try what the best bound does not rule out; True when nothing is left and the incumbent is optimal."""
    from hybridmip.exact.core import try_the_core

    if "persp" not in relaxed or state.config.neighborhood != "descent":
        return False
    if not state.best.feasible or state.core_tried_at <= state.best.objective:
        return False
    state.core_tried_at = state.best.objective
    with state.in_phase("core"):
        tried = try_the_core(state, setting)
        state.core_tried_at = state.best.objective
        if tried is None or not math.isfinite(tried.value):
            return False
        state.raise_bound("core", tried.value, tried.grade, stop=False)
    return True


def _quick_start(state: SearchState, setting: Setting) -> None:
    """Descents from random b where that takes milliseconds, so that the relaxations start with an answer."""
    if state.config.neighborhood == "descent" and isinstance(state.solver, DenseSolver) and state.problem.m:
        starts = [state.binaries.random(state.rng) for _ in range(QUICK_STARTS)]
        members = [(b, state.evaluate(b, "random").rank) for b in starts]
        if state.problem.n <= QUICK_SIZE:
            state.diagonal = setting.phi
        members.sort(key=lambda member: member[1])
        # The least b of all is where adding one by one begins: a greedy construction.
        least = state.binaries.maximise(-np.ones(state.problem.m), time_limit=state.remaining)
        Descents(state).run([(least, "quick start"), (members[0][0], "quick start")])


def _relax(state: SearchState, setting: Setting, verdicts: Verdicts) -> dict[str, Relaxed]:
    """Run the relaxations of the configuration; note their bounds, and infeasibility where they prove it."""
    from hybridmip.relax.augm import Augm
    from hybridmip.relax.dual import Dual
    from hybridmip.relax.infeasible import clashing_rows
    from hybridmip.relax.line import Line
    from hybridmip.relax.persp import Persp
    from hybridmip.relax.role import Relaxation, RelaxationFailed

    roles: dict[str, Relaxation] = {
        "line": Line(),
        "dual": Dual(),
        "augm": Augm(state.config.augmentation),
        "persp": Persp(),
    }
    relaxed: dict[str, Relaxed] = {}
    # For Q = 0 Persp is Line, and HiGHS solves it.
    for name in ("line",) if _by_small_mips(state) else state.config.relaxations:
        state.check()
        expected = _expected_seconds(state.problem)
        if state.remaining is not None and expected > state.remaining:
            break
        if name in ("line", "dual") and "persp" in relaxed and expected > DOMINATED_SECONDS:
            continue
        if name == "persp" and state.remaining is not None:
            setting.find_diagonal(DIAGONAL_SHARE * state.remaining)
        try:
            relaxed[name] = roles[name].solve(setting, relaxed, state.remaining)
        except RelaxationFailed as failure:
            state.check()
            if failure.status == "infeasible":
                rows = clashing_rows(setting, state.remaining)
                if rows is not None:
                    verdicts.no_point(Grade.PROVEN, rows)
                    return relaxed
            if name == "line":  # what is read off Line has no answer either
                break
            continue
        if name == "persp":
            state.diagonal, state.probabilities = setting.diagonal, relaxed[name].b
        proof = relaxed[name].proof
        if (name == "persp" or _by_small_mips(state)) and proof is not None:
            state.penalties = setting.formula.penalties(proof)
        state.raise_bound(name, relaxed[name].bound, Grade.PROVEN, proof)
    if not state.diagonal.any():
        state.diagonal = setting.phi
    return relaxed


def _expected_seconds(problem: Problem) -> float:
    """Rough time of one relaxation: a dense Q of n rows means factorisations of that size."""
    return 3e-9 * problem.n**3 if isinstance(problem.Q, DenseForm) else 0.0


def _ask_for_feasibility(state: SearchState, setting: Setting, pool: list[Member], verdicts: Verdicts) -> list[Member]:
    """No member of the pool is feasible: descend on infeasibility, then let a MILP decide, now or after the search."""
    from hybridmip.search.flips import b_says_all

    by_tangents = _by_tangents(state)
    if pool:
        with state.for_a_share(SHARE_OF_REPAIR if by_tangents else 1.0):
            repaired = Descents(state).run([(pool[0].b, "repair")])
            pool = sorted([*repaired, *pool], key=lambda member: member.evaluation.rank)
    if state.best.feasible:
        return pool
    if by_tangents and state.remaining is not None and not b_says_all(state.problem):
        return pool  # the MIPs that follow look for a feasible point, and for a good one
    return _decide_feasibility(state, setting, pool, verdicts)


def _decide_feasibility(state: SearchState, setting: Setting, pool: list[Member], verdicts: Verdicts) -> list[Member]:
    """Let a MILP find a feasible point, or prove that there is none."""
    from hybridmip.exact.feasibility import find_feasible
    from hybridmip.relax.infeasible import clashing_rows

    verdicts.asked = True

    def accept(b: Binary) -> bool:
        return state.evaluate(b, "feasibility").feasible

    clashing = clashing_rows(setting, state.remaining)
    if clashing is not None:
        verdicts.no_point(Grade.PROVEN, clashing)
        return pool
    answer, b = find_feasible(setting, accept, state.remaining)
    state.check()
    if answer == "infeasible":
        verdicts.no_point(Grade.TRUSTED)
    if b is not None:
        pool = [Member(b, state.evaluate(b, "feasibility"), "feasibility"), *pool]
        pool.sort(key=lambda member: member.evaluation.rank)
    return pool
