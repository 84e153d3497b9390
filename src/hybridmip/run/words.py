"""Results in plain words, the same on the terminal, on pages and in notebooks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from hybridmip.tolerances import LEAST_OBJECTIVE, LEAST_ZERO, ZERO_OBJECTIVE

#: How each stop reason reads after the status.
STOP_WORDS = {
    "gap_reached": "the gap asked for is reached",
    "converged": "the search found nothing better",
    "exhausted": "every possibility was covered",
    "time_limit": "the time limit ended the search",
    "evaluation_limit": "the evaluation limit ended the search",
    "interrupted": "interrupted; this is the best so far",
    "callback": "the callback ended the search",
    "proven_infeasible": "no answer can satisfy every rule",
    "engine_failed": "a solver underneath gave up",
}

#: An optimal answer has closed the gap, whether or not one was asked for.
OPTIMAL_BY_GAP = ("optimal", "gap_reached")
GAP_CLOSED = "the gap is closed"

#: A gap up to this is what numerical tolerances leave of a closed one.
CLOSED = 1e-6

#: Relaxations that find answers, by their discretised or rounded scores.
_RELAXATIONS = ("persp", "line", "dual", "augm")
#: What `found_by` means, in words; relaxations apart.
FINDERS = {
    "warm start": "neighbouring answer",
    "start": "first try",
    "quick start": "quick local search",
    "random": "random choice",
    "feasibility": "search for a feasible point",
    "repair": "repair of a near miss",
    "genetic": "genetic algorithm",
    "crossed": "cross of two answers",
    "neighborhood": "neighborhood search",
    "descent": "local search",
    "shaken": "local search, shaken",
    "restarted": "local search, restarted",
    "grown": "local search, grown",
    "enumeration": "trying every choice",
}

#: Objectives up to this size are shown as 0.
ROUNDING = 1e-15
#: Time limits that are suggested, in seconds; beyond them whole hours.
LIMITS = (10.0, 30.0, 60.0, 300.0, 600.0, 1800.0, 3600.0)
#: A suggested limit is at least this many times what was spent.
MORE_TIME = 3.0


class Judged(Protocol):
    """What `result_lines` reads of a `Result`."""

    @property
    def status(self) -> str: ...
    @property
    def stop_reason(self) -> str: ...
    @property
    def objective(self) -> float: ...
    @property
    def bound(self) -> float: ...
    @property
    def gap(self) -> float: ...
    @property
    def found_by(self) -> str: ...
    @property
    def evaluations(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def suggested_time_limit(self) -> float | None: ...


def relative_gap(objective: float, bound: float, size: float = 0.0) -> float:
    """(objective - bound) / |objective|: 0 when they meet, infinite when either is missing.

    This is what is called the gap everywhere: the optimum is lower than the objective by at most this share of it.
    `size` is the sum of the sizes of the objective's terms: what is left of them when they cancel is not divided by
    less than `LEAST_OBJECTIVE` of it, or `LEAST_ZERO` where what is left is rounding.
    """
    if not (math.isfinite(objective) and math.isfinite(bound)):
        return math.inf
    difference = max(objective - bound, 0.0)
    if difference == 0.0:
        return 0.0
    zero = abs(objective) <= ZERO_OBJECTIVE * size
    base = max(abs(objective), (LEAST_ZERO if zero else LEAST_OBJECTIVE) * size)
    return difference / base if base > 0.0 else math.inf


def risk_gap(variance: float, bound: float) -> float:
    """The gap of a variance in terms of the risk (volatility, standard deviation): 1 - sqrt(bound / variance).

    Infinite where there is no bound above 0.
    """
    if not (math.isfinite(variance) and math.isfinite(bound)) or bound <= 0.0:
        return math.inf
    return 1.0 - math.sqrt(bound / variance) if variance > bound else 0.0


def round_up(value: float, digits: int = 2) -> str:
    """Text of a positive number with `digits` significant digits, never below the number itself."""
    if value == 0.0 or not math.isfinite(value):
        return f"{value:g}"
    exponent = math.floor(math.log10(value)) - digits + 1
    # Steps are counted with a little slack, or 0.3 / 0.1 would round up to 4 steps.
    steps = math.ceil(value / 10.0**exponent * (1.0 - 1e-12))
    return f"{steps * 10.0**exponent:.{max(0, -exponent)}f}"


def gap_in_words(objective: float, bound: float, optimal: bool = False, gap: float | None = None) -> str:
    """What the bound proves about the objective.

    Parameters
    ----------
    objective, bound : float
    optimal : bool
        Whether the status is that: near 0 percent mean nothing, but the gap can be closed all the same.
    gap : float, optional
        The gap where it is known already, such as that of a `Result`, which looks at the terms that cancel.
    """
    share = relative_gap(objective, bound) if gap is None else gap
    if optimal or share <= CLOSED:
        return "proven optimal"
    if math.isfinite(share) and objective * bound > 0.0:
        return f"{round_up(100 * share)} % (proven: the optimum is at most this much lower)"
    return "no useful lower bound is known"


def risk_gap_in_words(gap: float) -> str:
    """What a gap of the variance means for the risk."""
    if not math.isfinite(gap):
        return "no useful lower bound is known"
    return (
        f"{round_up(100 * gap)} % (the same in terms of volatility, the standard deviation)" if gap > CLOSED else "0 %"
    )


def finder_in_words(found_by: str) -> str:
    """Which part of the solver found an answer."""
    how, _, name = found_by.rpartition(" ")
    if name in _RELAXATIONS:
        return f"{how} {name.capitalize()} relaxation".strip()
    return FINDERS.get(found_by, found_by) or "-"


def larger_limit(seconds: float) -> float:
    """A round time limit well above the seconds that were spent."""
    wanted = MORE_TIME * seconds
    return next((limit for limit in LIMITS if limit >= wanted), 3600.0 * math.ceil(wanted / 3600.0))


def advice(time_limit: float | None, option: str = "time_limit=") -> str:
    """What would close an open gap; empty where nothing is known to.

    `option` is how a time limit is given: to `solve`, or on the command line.
    """
    return "" if time_limit is None else f"{option}{time_limit:g} tightens the bound"


def result_lines(result: Judged, has_solution: bool, objective_name: str = "") -> Sequence[tuple[str, str]]:
    """(name, text) of what a result says of itself; names are those of its JSON document with blanks."""
    why = GAP_CLOSED if (result.status, result.stop_reason) == OPTIMAL_BY_GAP else STOP_WORDS[result.stop_reason]
    lines = [("status", f"{result.status} ({why})")]
    if has_solution:
        shown = f"{result.objective:.8g}" if abs(result.objective) > ROUNDING else "0"
        lines.append(("objective", f"{shown} ({objective_name})" if objective_name else shown))
    if math.isfinite(result.bound):
        lines.append(("bound", f"{result.bound:.8g}" if abs(result.bound) > ROUNDING else "0"))
    if has_solution:
        lines.append(("gap", gap_in_words(result.objective, result.bound, result.status == "optimal", result.gap)))
        lines.append(("found by", finder_in_words(result.found_by)))
    lines.append(("evaluations", f"{result.evaluations:,} restricted problems solved"))
    lines.append(("seconds", f"{result.seconds:.2f}"))
    return lines
