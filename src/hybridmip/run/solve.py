"""solve(): the paper's figure as code. Units, presolve, then the phases of the configuration, then the gate."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext

import numpy as np
from numpy.typing import ArrayLike

from hybridmip.bounds.diagonal import phi
from hybridmip.bounds.ledger import Grade
from hybridmip.bounds.modes import recognised
from hybridmip.engines import compiled
from hybridmip.engines.blas import one_thread
from hybridmip.engines.compiled import Kernel
from hybridmip.errors import EngineError, HybridMIPError
from hybridmip.model.binaries import BinarySet, NoFeasibleBinaries
from hybridmip.model.problem import Asks, Problem, problem_of
from hybridmip.model.quadratic import Binary
from hybridmip.model.structure import Structure
from hybridmip.model.units import Units
from hybridmip.model.wording import Worded
from hybridmip.relax.protocol import Setting
from hybridmip.restricted import GeneralSolver, RestrictedSolver, restricted_solver
from hybridmip.run.arguments import check_arguments, warm_starts
from hybridmip.run.clock import Clock, StopSearch
from hybridmip.run.config import Config
from hybridmip.run.gate import close
from hybridmip.run.modes import Asked, in_terms_of
from hybridmip.run.phase import Phase, Run, Verdicts
from hybridmip.run.phases import Tree, beside, phases_of
from hybridmip.run.presolve import presolve, unchanged
from hybridmip.run.progress import InUnits, Progress, TextProgress, in_units
from hybridmip.run.result import Incumbent, Result, StopReason
from hybridmip.run.state import SearchState
from hybridmip.search.descents import Descents
from hybridmip.tolerances import OPTIMAL_GAP


def solve(
    problem: Problem | Asks,
    *,
    config: Config | None = None,
    time_limit: float | None = None,
    gap: float | None = None,
    seed: int = 0,
    warm_start: ArrayLike | Sequence[ArrayLike] | None = None,
    progress: Progress | bool | None = None,
    callback: Callable[[Incumbent], object] | None = None,
    prove: bool = False,
    executor: Executor | None = None,
) -> Result:
    """Solve a mixed-integer program with binary variables.

    Parameters
    ----------
    problem : Problem
        Or anything with a method `problem` that gives one, such as a `Portfolio`.
    config : Config, optional
        `Config()` by default; `Config.paper()` for the paper's algorithm.
    time_limit : float, optional
        Seconds; without one the solve ends when the search has converged. The clock starts when the
        compiled kernel is loaded (its very first use on a machine compiles it for about 15 seconds); for linear
        problems, with two threads or more, at once, and kernels are compiled while HiGHS works.
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
    prove : bool
        Go on until the answer is proven (or the time is up). Without a time limit, a gap or this a bounded amount of
        work goes into the proof.
    executor : concurrent.futures.Executor, optional
        Where subtrees of branch and bound are worked on, such as a process pool or Dask's `Client.get_executor()`;
        the proof does not depend on how many workers it has. Pays where a proof takes minutes.

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

    Examples
    --------
    >>> import hybridmip as hm
    >>> problem = hm.Problem(
    ...     Q=[2, 1, 3], A=[1, 1, 1], row_lower=1, row_upper=1,
    ...     x_lower=0, x_upper=1, switch=[0, 1, 2],
    ...     B=[1, 1, 1], b_upper=2,
    ... )
    >>> result = hm.solve(problem)
    >>> str(result.status), round(result.objective, 6), result.gap < 1e-6
    ('optimal', 0.666667, True)
    >>> result.selected, result.x.round(4)
    (('b0', 'b1'), array([0.3333, 0.6667, 0.    ]))
    """
    config = config if config is not None else Config()
    gap = OPTIMAL_GAP if gap is None else gap
    problem = problem_of(problem)
    check_arguments(config, time_limit, gap, seed, progress, callback, executor)
    given = warm_starts(problem, warm_start)
    display = TextProgress() if progress is True else (progress or None)
    asked = Asked(config, time_limit, gap, seed, display, callback, prove, executor)
    began = time.perf_counter()
    modes = recognised(problem) if config.presolve else None
    if modes is not None:
        result = in_terms_of(modes, asked.since(began), given, _solve, began)
        if result is not None:
            return result
    return _solve(problem, asked.since(began), given)


def _solve(problem: Problem, asked: Asked, given: list[Binary]) -> Result:
    config, gap, display, prove = asked.config, asked.gap, asked.display, asked.prove
    clock, verdicts, state = Clock(asked.time_limit), Verdicts(), None
    units = Units.of(problem)
    units.warn()
    # A proof is for the problem as it was given.
    reduced = presolve(units.problem) if config.presolve and not prove else unchanged(units.problem)
    besides = beside(reduced.problem, config, asked.time_limit)
    with clock.stopped():
        # Beside HiGHS nothing waits for kernels to be compiled, or loaded.
        solver: RestrictedSolver = (
            GeneralSolver(reduced.problem) if besides else restricted_solver(reduced.problem, config.threads)
        )
    if display is not None:
        display.start(problem, config, asked.time_limit, gap)
        display = InUnits(display, units)
    try:
        began = time.perf_counter()
        binaries = BinarySet(reduced.problem)
        worded = None if problem.wording is None else Worded(problem.wording, units, reduced.columns, reduced.x_of)
        setting = Setting(reduced.problem, binaries, units.measures(reduced.columns, reduced.rows), worded)
        # The gate makes them again, of the problem as it was given.
        clock.reserve(time.perf_counter() - began)
        structure = Structure.of(reduced.problem, solver.compiled, binaries.kind, binaries.choices)
        steps = _steps(config, structure)
        if not besides:
            _load(steps, structure, config, clock, solver.kernels)
        proves = prove and any(isinstance(step, Tree) for step in steps)
        rng, told = np.random.default_rng(asked.seed), _told(asked.callback, units)
        state = SearchState(
            reduced.problem, config, solver, binaries, rng, clock, gap, display, told, proves, asked.executor
        )
        with one_thread(problem.n):
            verdicts.reason = _run(steps, Run(state, setting, given, verdicts))
    except NoFeasibleBinaries as proof:
        verdicts.no_point(Grade.PROVEN if proof.counted else Grade.TRUSTED, proof.rows)
        verdicts.reason = StopReason.PROVEN_INFEASIBLE
    except StopSearch as stop:
        verdicts.reason = stop.reason
    except TimeoutError:
        verdicts.reason = StopReason.TIME_LIMIT
    except EngineError as failure:
        verdicts.reason = StopReason.ENGINE_FAILED
        verdicts.notes.append(str(failure))
    except KeyboardInterrupt:
        verdicts.reason = StopReason.INTERRUPTED
    finally:
        solver.close()
    with one_thread(problem.n):
        return close(verdicts, state, units, reduced, gap, display, clock.started, asked.seed)


def _told(callback: Callable[[Incumbent], object] | None, units: Units) -> Callable[[Incumbent], object] | None:
    return None if callback is None else lambda found: callback(in_units(found, units))


def _steps(config: Config, structure: Structure) -> list[Phase]:
    """The phases that serve the problem, up to one that nothing follows."""
    steps = [phase for phase in phases_of(config) if phase.supports(structure, config)]
    last = next((k for k, phase in enumerate(steps) if phase.final), len(steps))
    return steps[: last + 1]


def _load(steps: list[Phase], structure: Structure, config: Config, clock: Clock, kernels: tuple[Kernel, ...]) -> None:
    """Load what the phases and the solver need compiled, or compile it."""
    with clock.stopped():
        compiled.load([*kernels, *(kernel for phase in steps for kernel in phase.kernels(structure, config))])


def _run(steps: list[Phase], run: Run) -> StopReason:
    """Phase by phase, and what they begin beside one another; returns why it ended."""
    try:
        for phase in steps:
            phase.begin(run)
        return _one_by_one(steps, run)
    finally:
        for phase in steps:
            phase.end(run)


def _one_by_one(steps: list[Phase], run: Run) -> StopReason:
    state = run.state
    # Asked for (by a limit, a gap or for a proof), phases that tighten the bound go on for as long as they can.
    asked = state.remaining is not None or state.gap != OPTIMAL_GAP or state.prove
    for k, phase in enumerate(steps):
        run.verdicts.time_helps = any(step.tightens for step in (steps[k:] if asked else steps))
        if not phase.ready(run):
            continue
        with state.in_phase(phase.name), state.clock.for_a_share(phase.share) if phase.share < 1 else nullcontext():
            reason = phase.run(run)
            if reason is not None:
                run.verdicts.time_helps &= not asked
                return reason
        if run.verdicts.no_point_exists():
            return StopReason.PROVEN_INFEASIBLE
    run.verdicts.time_helps &= not asked
    return StopReason.CONVERGED


def descend_from(problem: Problem, starts: Sequence[Binary], config: Config, seed: int) -> Result:
    """The best of the local optima below the starts: no relaxation, no bound, no time limit."""
    units, clock, state = Units.of(problem), Clock(), None
    solver = restricted_solver(units.problem, config.threads)
    try:
        binaries = BinarySet(units.problem)
        state = SearchState(units.problem, config, solver, binaries, np.random.default_rng(seed), clock, 0.0)
        with one_thread(problem.n):
            state.guide(diagonal=phi(units.problem.Q))
            Descents(state).run([(binaries.nearest(start), "neighbor") for start in starts])
    except (HybridMIPError, StopSearch):
        pass  # the answer so far stands
    finally:
        solver.close()
    return close(Verdicts(), state, units, unchanged(units.problem), 0.0, None, clock.started, seed)
