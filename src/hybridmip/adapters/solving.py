"""A model that another tool stated, solved: what .nl files and Pyomo have in common."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hybridmip import __version__
from hybridmip.adapters.words import Options
from hybridmip.errors import UnboundedError
from hybridmip.io.convert import INTEGER_TOLERANCE, to_problem
from hybridmip.io.model import Model, ReadProblem
from hybridmip.io.nl import NlFile
from hybridmip.model.quadratic import Binary, Vector
from hybridmip.run.config import Config
from hybridmip.run.progress import Progress
from hybridmip.run.result import Result, Status, StopReason
from hybridmip.run.solve import solve
from hybridmip.tolerances import OPTIMAL_GAP

#: The gap where none is asked for. Such tools expect that a solver goes on until the answer is proven; `solve` does so
#: for every gap but its own default.
UNTIL_PROVEN = 0.999 * OPTIMAL_GAP


@dataclass(frozen=True, eq=False)
class Outcome:
    """What came of a model, in its own columns and its own sense.

    Attributes
    ----------
    result : Result or None
        None where no solve was needed, or the objective has no limit.
    message : str
        One line that says it.
    infeasible, unbounded : bool
    solved : bool
        Whether the answer is optimal, or as close to that as was asked for.
    values : ndarray or None
        The point, in the file's columns.
    objective, bound : float or None
    """

    result: Result | None = field(repr=False)
    message: str
    infeasible: bool = False
    unbounded: bool = False
    solved: bool = False
    values: Vector | None = field(default=None, repr=False)
    objective: float | None = None
    bound: float | None = None

    @property
    def stop_reason(self) -> StopReason | None:
        """Why the search ended, if there was one."""
        return None if self.result is None else self.result.stop_reason


def solve_nl(stated: NlFile, options: Options, progress: Progress | None = None) -> Outcome:
    """Solve what an .nl file states; its initial guess is a start where it has every binary.

    Raises
    ------
    FileError
        If no `Problem` says what the file does: its objective is not convex, an integer has no bounds.
    """
    crossed = _crossed(stated.model)
    if crossed is not None:
        return Outcome(None, _said(f"infeasible problem; {crossed}"), infeasible=True)
    read = to_problem(stated.model)
    config = {"quick": Config.quick, "paper": Config.paper}.get(options.config, Config)()
    try:
        result = solve(
            read.problem,
            config=config if options.threads is None else config.replace(threads=options.threads),
            time_limit=options.time_limit,
            gap=UNTIL_PROVEN if options.gap is None else options.gap,
            seed=options.seed,
            warm_start=_start(read, stated.start),
            progress=progress,
            prove=options.prove,
        )
    except UnboundedError as error:
        return Outcome(None, _said(f"unbounded problem; {error}"), unbounded=True)
    return _outcome(stated.model, read, result)


def _outcome(model: Model, read: ReadProblem, result: Result) -> Outcome:
    bound = read.objective(result.bound) if np.isfinite(result.bound) else None
    reason, seconds = str(result.stop_reason).replace("_", " "), f"{result.seconds:.3g} s"
    if result.x is None or result.b is None:
        infeasible = result.status is Status.INFEASIBLE
        clash = ", ".join(result.clashing_rows[:5])
        found = f"infeasible problem{f'; these rows clash: {clash}' if clash else ''}"
        found = found if infeasible else f"{reason}, no feasible solution"
        return Outcome(result, _said(f"{found} ({seconds})"), infeasible=infeasible, bound=bound)
    values = read.original.values(result.x, result.b)
    # The bits of an integer give it up to rounding.
    values[model.integer] = np.rint(values[model.integer])
    objective = read.objective(result.objective)
    # JuMP looks for "time limit, feasible solution".
    found = "optimal solution" if result.status is Status.OPTIMAL else f"{reason}, feasible solution"
    found += f"; objective {objective:.10g}, bound {'none' if bound is None else f'{bound:.10g}'}"
    found += f", gap {result.gap:.3g}" if np.isfinite(result.gap) else ""
    solved = result.status is Status.OPTIMAL or result.stop_reason is StopReason.GAP_REACHED
    message = _said(f"{found} ({seconds})")
    return Outcome(result, message, solved=solved, values=values, objective=objective, bound=bound)


def _said(text: str) -> str:
    return f"HybridMIP {__version__}: {text}"


def _crossed(model: Model) -> str | None:
    """A column or row that has no value between its limits, which makes a model infeasible, not wrong."""
    slack = np.where(model.integer, INTEGER_TOLERANCE, 0.0)
    lower = np.where(model.integer, np.ceil(model.lower - slack), model.lower)
    upper = np.where(model.integer, np.floor(model.upper + slack), model.upper)
    for what, names, low, high in (
        ("variable", model.names, lower, upper),
        ("row", model.row_names, model.row_lower, model.row_upper),
    ):
        for k in np.flatnonzero(low > high):
            return f"{what} {names[k]} has no value between its limits"
    return None


def _start(read: ReadProblem, guess: Vector) -> Binary | None:
    """The b of an initial guess; None unless it has a whole number for every binary."""
    in_b = read.original.b_index >= 0
    if not read.problem.m or not in_b.any() or not np.isin(guess[in_b], (0.0, 1.0)).all():
        return None
    _, b = read.point(np.nan_to_num(guess))
    return b > 0.5
