"""The gate at the end of a solve: everything recomputed from the caller's data, and alone what says what is claimed.

A point is feasible if every row holds it, by its own size. A bound above a feasible point, or "infeasible" beside one,
is a contradiction: what it came from is dropped, and the result says so. What is left decides between optimal,
feasible, infeasible and unknown.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np

from hybridmip import __version__
from hybridmip.bounds.certificate import Certificate
from hybridmip.bounds.diagonal import semidefinite_slack
from hybridmip.bounds.ledger import STRENGTH, Bound, Grade
from hybridmip.bounds.proof_tree import ProofTree
from hybridmip.model.quadratic import Binary, DiagonalForm, Vector
from hybridmip.model.units import Units
from hybridmip.run.mending import mended
from hybridmip.run.phase import Verdicts
from hybridmip.run.presolve import Presolved
from hybridmip.run.progress import Progress, in_units
from hybridmip.run.result import Result, Status, StopReason, relative_gap
from hybridmip.run.state import SearchState
from hybridmip.run.words import larger_limit
from hybridmip.tolerances import (
    CONTRADICTION,
    FEASIBLE,
    FEASIBLE_BINARY,
    NEGLIGIBLE,
    NOTHING,
    OPTIMAL_GAP,
    ZERO_GAP,
)

#: What rounding in the presolve can have added to a bound, at most, as a share of it.
ROUNDING = 1e-9
CERTIFICATE = "certificate"


def close(
    verdicts: Verdicts,
    state: SearchState | None,
    units: Units,
    reduced: Presolved,
    gap: float,
    display: Progress | None,
    started: float,
    seed: int,
) -> Result:
    """Check everything against the caller's data and put the result together."""
    problem, notes = units.given, [*([] if state is None else state.integrity), *verdicts.notes]
    point = None if state is None else checked_point(state, units, reduced, notes)
    objective, size = math.inf, 0.0
    if point is not None:
        objective, size = problem.objective(*point), problem.sizes(*point)
        if verdicts.infeasible is not None:
            notes.append(f"infeasible ({verdicts.infeasible}) was said, but a point holds every row; the point counts")
            verdicts = replace(verdicts, infeasible=None, clashing_rows=())
    certificate = None if state is None else certified(state, units, reduced)
    bounds = [] if state is None else claimed(state, units, reduced, certificate)
    limit = objective + CONTRADICTION * size + units.value_of(NEGLIGIBLE)
    for bound in bounds:
        if bound.value > limit:
            notes.append(
                f"the bound of {bound.source} ({bound.grade}) was {bound.value:.10g}, the answer has {objective:.10g}; "
                "the bound was dropped"
            )
    bounds = [bound for bound in bounds if bound.value <= limit]
    best = min(max((bound.value for bound in bounds), default=-math.inf), objective)
    status, rests_on = Status.UNKNOWN, None
    if point is not None:
        closing = max(min(gap, OPTIMAL_GAP), ZERO_GAP)
        status = Status.OPTIMAL if relative_gap(objective, best, size) <= closing else Status.FEASIBLE
        rests_on = _strongest(bounds, objective, best, size, closing)
    elif verdicts.infeasible is not None:
        status, best, rests_on, certificate = Status.INFEASIBLE, math.inf, verdicts.infeasible, None
    x, b = point if point is not None else (None, None)
    seconds = time.perf_counter() - started
    ended = verdicts.reason in (StopReason.CONVERGED, StopReason.TIME_LIMIT)
    result = Result(
        problem=problem,
        status=status,
        stop_reason=verdicts.reason,
        x=x,
        b=b,
        objective=objective,
        bound=best,
        gap=relative_gap(objective, best, size),
        found_by=state.found_by if state is not None and x is not None else "",
        trace=tuple(in_units(step, units) for step in state.trace) if state is not None else (),
        phases=state.statistics.table() if state is not None else (),
        bounds={bound.source: bound.value for bound in bounds if bound.source != CERTIFICATE},
        evaluations=state.solver.evaluations if state is not None else 0,
        seconds=seconds,
        seed=seed,
        version=__version__,
        clashing_rows=verdicts.clashing_rows if status is Status.INFEASIBLE else (),
        certificate=certificate,
        rests_on=rests_on,
        integrity=tuple(notes),
        nodes=0 if state is None else state.nodes,
        proof=proof_tree(state, units, reduced) if status is Status.OPTIMAL else None,
        suggested_time_limit=larger_limit(seconds)
        if status is Status.FEASIBLE and ended and verdicts.time_helps
        else None,
    )
    if display is not None:
        display.finish(result)
    return result


def proof_tree(state: SearchState | None, units: Units, reduced: Presolved) -> ProofTree | None:
    """The tree's proof for the caller's problem, if there is one."""
    if state is None or state.proof is None or reduced.problem is not units.problem:
        return None
    return state.proof(units)


def _strongest(bounds: list[Bound], objective: float, best: float, size: float, closing: float) -> Grade | None:
    """What the claim rests on: the strongest grade among the bounds that carry it."""
    if not math.isfinite(best):
        return None
    optimal = relative_gap(objective, best, size) <= closing
    carrying = [
        bound.grade
        for bound in bounds
        if (relative_gap(objective, bound.value, size) <= closing if optimal else bound.value >= best)
    ]
    return min(carrying, key=STRENGTH.__getitem__, default=None)


def checked_point(
    state: SearchState, units: Units, reduced: Presolved, notes: list[str]
) -> tuple[Vector, Binary] | None:
    """The incumbent in the caller's units, exactly within its bounds; None where it does not hold the caller's rows."""
    if not (state.best.feasible and state.best_b is not None and state.best.x is not None):
        return None
    b = state.best_b.copy()
    # Units are powers of two: the rows here are the caller's to the last digit, and so is what they are missed by.
    own = mended(units.problem, reduced.x_of(state.best.x, b), b)
    missed, row = units.problem.worst_row(own, b, NOTHING)
    x = units.x_of(own)
    binary_missed, binary_row = units.given.worst_binary_row(b)
    if binary_missed > FEASIBLE_BINARY:
        missed, row = math.inf, binary_row
    if missed > FEASIBLE:
        notes.append(f"the best point misses row {row} by {missed:.1e} of its size; it is no answer")
        return None
    x.setflags(write=False)
    b.setflags(write=False)
    return x, b


def certified(state: SearchState, units: Units, reduced: Presolved) -> Certificate | None:
    """The certificate for the caller's problem of the best bound that the closed formula proves."""
    # Products are of the rows that were solved with: where some were presolved away another bound has to do.
    best = state.ledger.best_proof(products=reduced.problem is units.problem)
    if best is None or best.proof is None:
        return None
    if best.products is not None:
        products = best.products.rescaled(units.columns, units.rows, units.objective)
        return Certificate.make(units.given, *units.proof_of(best.proof), method=best.source, products=products)
    if reduced.problem is not units.problem:
        return Certificate.make(units.given, *units.proof_of(reduced.proof_of(best.proof)), method=best.source)
    # The same problem in other units, powers of two: what is proven for one is proven for the other.
    certificate = Certificate.of(
        units.given, units.proof_of(best.proof), units.value_of(best.claimed), method=best.source
    )
    if units.objective % 2 and not isinstance(units.given.Q, DiagonalForm):
        # But for the proof that Q - D is semidefinite, which takes roots of the units: an odd power has none.
        lacking = semidefinite_slack(units.given.Q, certificate.diagonal)
        before = semidefinite_slack(units.problem.Q, best.proof.diagonal)
        if lacking is not None and before is not None:
            before = np.ldexp(before, -2 * units.columns - units.objective)
        # No more lacks than before, so that nothing more is charged.
        if lacking is not None and before is not None and (lacking <= before).all():
            return certificate
        found = certificate.bound()
        if not certificate.claimed <= found:
            return replace(certificate, claimed=found - ROUNDING * abs(found))
    return certificate


def claimed(state: SearchState, units: Units, reduced: Presolved, certificate: Certificate | None) -> list[Bound]:
    """The bounds of the solve in the caller's units.

    Those of the closed formula are proven for the problem that was solved. Where that is the caller's, up to units,
    they are what the certificate claims; where rows were presolved away, putting them back may lose some of it, and
    rounding on the way there is charged.
    """
    bounds = []
    for bound in state.ledger.bounds:
        value = units.value_of(bound.value)
        if reduced.problem is not units.problem:
            value -= ROUNDING * abs(value)
        bounds.append(replace(bound, value=value))
    if certificate is not None and math.isfinite(certificate.claimed):
        bounds.append(Bound(certificate.claimed, CERTIFICATE, Grade.PROVEN))
    return bounds
