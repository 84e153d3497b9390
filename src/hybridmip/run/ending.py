"""The end of a solve: polish the answer, check it against the caller's data, put the Result together."""

from __future__ import annotations

import math
import time

import numpy as np

from hybridmip.bounds.certificate import Certificate
from hybridmip.model.problem import Problem
from hybridmip.restricted.protocol import Binary
from hybridmip.run.presolve import Presolved
from hybridmip.run.progress import Progress
from hybridmip.run.result import Result, Status, StopReason, relative_gap
from hybridmip.run.state import SearchState

#: Relative gap at which an answer counts as optimal.
OPTIMAL_GAP = 1e-6
#: Bounds that no certificate of ours proves.
FROM_ELSEWHERE = ("dual", "augm", "branch and cut", "outer approximation")
#: What rounding in the presolve can have added to a bound, at most.
ROUNDING = 1e-9
#: An x this small beside the largest is rounding.
NEGLIGIBLE = 1e-13


class Ending:
    """What is known when the phases end."""

    def __init__(self, state: SearchState | None) -> None:
        self.state = state
        self.reason = StopReason.CONVERGED
        self.infeasible = False
        self.exhausted = False
        #: Whether a MILP was asked for a feasible point.
        self.asked = False
        self.clashing_rows: tuple[str, ...] = ()

    def proves_infeasible(self) -> bool:
        """Whether there is a proof that no point is feasible."""
        return self.infeasible

    @classmethod
    def infeasible_binaries(cls, rows: tuple[str, ...]) -> Ending:
        """The rows on b alone clash."""
        ending = cls(None)
        ending.infeasible, ending.reason = True, StopReason.PROVEN_INFEASIBLE
        ending.clashing_rows = rows
        return ending


def finish(ending: Ending, reduced: Presolved, display: Progress | None, started: float, seed: int) -> Result:
    """Polish, check against the caller's data, and put the result together."""
    from hybridmip import __version__

    state, problem = ending.state, reduced.original
    x = b = certificate = None
    objective, bound, status = math.inf, -math.inf, Status.UNKNOWN
    if state is not None:
        bound = state.bound
        if state.proof is not None:
            method, d, y, la, mu = state.proof
            certificate = Certificate.make(problem, *reduced.proof_of(d, y, la, mu), method, state.binaries)
            others = [value for name, value in state.bounds.items() if name in FROM_ELSEWHERE]
            if reduced.problem is not problem:  # proven for the smaller problem; put back, the proof may lose some
                others.append(state.bound - ROUNDING * abs(state.bound))
            bound = max(certificate.claimed, *others) if others else certificate.claimed
        if state.best.feasible and state.best_b is not None and state.best.x is not None:
            x, b = polish(problem, reduced.x_of(state.best.x, state.best_b), state.best_b)
            objective = problem.objective(x, b)
            status = Status.FEASIBLE
            if ending.exhausted:
                if display is not None and objective > bound:
                    display.bound(state.seconds, "enumeration", objective, objective)
                bound = max(bound, objective)
                state.bounds["enumeration"] = objective
            bound = min(bound, objective)
            if relative_gap(objective, bound) <= min(state.gap, OPTIMAL_GAP):
                status = Status.OPTIMAL
        elif ending.exhausted:
            ending.infeasible = True
    if ending.infeasible:
        status, bound = Status.INFEASIBLE, math.inf
    result = Result(
        problem=problem,
        status=status,
        stop_reason=ending.reason,
        x=x,
        b=b,
        objective=objective,
        bound=bound,
        gap=relative_gap(objective, bound),
        found_by=state.found_by if state is not None and x is not None else "",
        trace=tuple(state.trace) if state is not None else (),
        phases=state.statistics() if state is not None else (),
        bounds=dict(state.bounds) if state is not None else {},
        evaluations=state.solver.evaluations if state is not None else 0,
        seconds=time.perf_counter() - started,
        seed=seed,
        version=__version__,
        clashing_rows=ending.clashing_rows if ending.infeasible else (),
        certificate=certificate if status is not Status.INFEASIBLE else None,
    )
    if display is not None:
        display.finish(result)
    return result


def polish(problem: Problem, x: np.ndarray, b: Binary) -> tuple[np.ndarray, Binary]:
    """The final x exactly within its bounds, and read-only."""
    lower, upper = problem.bounds_given(b)
    x = np.clip(x, lower, upper)
    x[(np.abs(x) <= NEGLIGIBLE * np.abs(x).max(initial=0.0)) & (lower <= 0) & (upper >= 0)] = 0.0
    b = b.copy()
    x.setflags(write=False)
    b.setflags(write=False)
    return x, b
