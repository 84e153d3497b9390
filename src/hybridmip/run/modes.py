"""A solve of a problem whose quantities are in modes (`bounds.modes`), told in terms of the problem given."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hybridmip.bounds.modes import Recognised
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Binary
from hybridmip.model.units import Units
from hybridmip.restricted import restricted_solver
from hybridmip.run.config import Config
from hybridmip.run.mending import mended
from hybridmip.run.progress import Progress
from hybridmip.run.result import Incumbent, Result, Status, relative_gap
from hybridmip.tolerances import CONTRADICTION, FEASIBLE, FEASIBLE_BINARY, NEGLIGIBLE, NOTHING, OPTIMAL_GAP

#: Share of a time limit that is left for a solve in any case.
LEAST_SHARE = 0.1
#: Rows that are missed by no more than this share are rounded, and left as they are.
ROUNDED = 1e-14


@dataclass(frozen=True)
class Asked:
    """What `solve` was asked, beside the problem."""

    config: Config
    time_limit: float | None
    gap: float
    seed: int
    display: Progress | None
    callback: Callable[[Incumbent], object] | None
    prove: bool
    executor: Executor | None

    def since(self, began: float) -> Asked:
        """The same with the time that is left of the limit: a little at least, for a point that is easily found."""
        if self.time_limit is None:
            return self
        left = self.time_limit - (time.perf_counter() - began)
        return replace(self, time_limit=max(left, LEAST_SHARE * self.time_limit))


def in_terms_of(
    modes: Recognised,
    asked: Asked,
    given: list[Binary],
    solve: Callable[[Problem, Asked, list[Binary]], Result],
    began: float,
) -> Result | None:
    """The result of the problem with modes for the problem given; None where that does not agree with its rows."""
    told, callback = None, asked.callback
    if callback is not None:

        def told(found: Incumbent) -> object:
            assert callback is not None
            return callback(replace(found, b=modes.binaries_of(found.b)))

    display: Any = None if asked.display is None else _Given(asked.display, modes.given)
    found = solve(modes.problem, replace(asked, callback=told, display=display), _starts(modes, given))
    result = _translated(modes, found, time.perf_counter() - began)
    if result is not None and asked.display is not None:
        asked.display.finish(result)
    return result


def _starts(modes: Recognised, given: list[Binary]) -> list[Binary]:
    """Warm starts: which mode a quantity is in is said by the x that is best for the b given."""
    if not given:
        return []
    units = Units.of(modes.given)
    solver = restricted_solver(units.problem, 1)
    try:
        answers = [(solver.evaluate(b), b) for b in given]
    finally:
        solver.close()
    return [modes.modes_at(units.x_of(answer.x), b) for answer, b in answers if answer.x is not None]


def _translated(modes: Recognised, found: Result, seconds: float) -> Result | None:
    """A result in terms of the problem given, its point and value computed anew."""
    problem = modes.given
    given = {*problem.row_names, *problem.b_row_names}
    result = replace(
        found,
        problem=problem,
        seconds=seconds,
        trace=tuple(replace(step, b=modes.binaries_of(step.b)) for step in found.trace),
        clashing_rows=tuple(name for name in found.clashing_rows if name in given),
        certificate=None
        if found.certificate is None
        else replace(found.certificate, problem=problem, problem_hash=problem.hash, modes=modes.diagonal),
        proof=None if found.proof is None else replace(found.proof, problem_hash=problem.hash, modes=modes.diagonal),
    )
    if found.x is None or found.b is None:
        return result
    x, b = modes.point_of(found.x, found.b)
    units = Units.of(problem)
    own = np.clip(units.x_in(x), *units.problem.bounds_given(b))
    if units.problem.worst_row(own, b, NOTHING)[0] > ROUNDED:
        own = mended(units.problem, own, b)
    holds = units.problem.worst_row(own, b, NOTHING)[0] <= FEASIBLE
    if not (holds and problem.worst_binary_row(b)[0] <= FEASIBLE_BINARY):
        return None
    x = units.x_of(own)
    for values in (x, b):
        values.setflags(write=False)
    objective, size = problem.objective(x, b), problem.sizes(x, b)
    if found.bound > objective + CONTRADICTION * size + units.value_of(NEGLIGIBLE):
        return None  # what says so is not to be believed
    bound = min(found.bound, objective) if math.isfinite(found.bound) else found.bound
    gap, status = relative_gap(objective, bound, size), found.status
    if status is Status.OPTIMAL and gap > max(OPTIMAL_GAP, 2 * found.gap):
        status = Status.FEASIBLE
    return replace(result, x=x, b=b, objective=objective, bound=bound, gap=gap, status=status)


class _Given:
    """A display that is told of the problem given, and not of the end: the result is not there yet."""

    def __init__(self, display: Progress, problem: Problem) -> None:
        self._display, self._problem = display, problem

    def start(self, problem: Problem, config: Config, time_limit: float | None, gap: float) -> None:
        """The solve begins."""
        self._display.start(self._problem, config, time_limit, gap)

    def finish(self, result: Result) -> None:
        """Told later."""

    def __getattr__(self, name: str) -> object:
        return getattr(self._display, name)
