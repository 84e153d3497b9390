"""Best-improvement descent over exchange, add and drop, with moves screened by a valid bound.

At a feasible b with optimal x and row multipliers la, the formula of `bounds.formula` at y = x gives for
every other b' a lower bound that is linear in b', and exact at b itself:

    f(b') >= f(b) + sum over binaries switched on of w_i - sum over those switched off of w_i,
    w_i = p_i - (G' la)_i + sum over its x of min over l <= x <= u of d x^2 + (q + 2 (Q - D) y - A' la) x

So most moves are ruled out without solving anything, and the rest are tried in the order of promise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hybridmip.bounds.formula import box_minimum, switch_costs
from hybridmip.model.quadratic import Binary, Vector
from hybridmip.restricted.protocol import Evaluation, moved
from hybridmip.run.state import IMPROVEMENT, SearchState, better
from hybridmip.search.pool import Member

#: Moves tried together; the first batch is small because the best move is usually among the first.
FIRST_BATCH = 64
LARGEST_BATCH = 4096
#: Most exchanges looked at from one point; with more, the least promising are left out.
MOST_EXCHANGES = 2_000_000
#: Moves whose rows on b must be repaired by a MILP, tried when no simple move is left.
REPAIRED_MOVES = 64
#: Slopes below this share of the largest are rounding.
ROUNDING = 1e-9


def marginal_costs(state: SearchState, b: Binary, evaluation: Evaluation) -> Vector:
    """w of the module's formula at b, whose restricted problem's answer is `evaluation`."""
    problem, d = state.problem, state.guidance.diagonal
    assert evaluation.x is not None
    la = evaluation.row_multipliers if evaluation.row_multipliers is not None else np.zeros(problem.rows)
    v = problem.q + 2 * (problem.Q.matvec(evaluation.x) - d * evaluation.x) - problem.transposed.A @ la
    # Screening only: a slope that is rounding counts as zero, so that an x without limits says something.
    v = np.where(np.abs(v) <= ROUNDING * np.abs(v).max(initial=0.0), 0.0, v)
    per_variable = box_minimum(d, v, problem.x_lower, problem.x_upper)
    # Where the switch is on the minimum is at x itself; a slope that is rounding must not say otherwise.
    on = problem.switched & b[np.maximum(problem.switch, 0)] if problem.m else np.zeros(problem.n, dtype=bool)
    per_variable = np.where(on, (d * evaluation.x + v) * evaluation.x, per_variable)
    return switch_costs(problem, np.maximum(per_variable, -1e300), la)


def candidate_moves(
    state: SearchState, b: Binary, costs: Vector | None
) -> tuple[NDArray[np.intp], NDArray[np.intp], Vector]:
    """(outs, ins, bound on the change) of every flip and exchange that keeps the rows on b.

    -1 stands for nothing. Without costs all bounds are -inf.
    """
    binaries = state.binaries
    flips = binaries.flips(b)
    ones, zeros = np.flatnonzero(b), np.flatnonzero(~b)
    if ones.size * zeros.size > MOST_EXCHANGES:
        keep = max(1, MOST_EXCHANGES // ones.size)
        zeros = (
            zeros[np.argsort(costs[zeros], kind="stable")[:keep]]
            if costs is not None
            else state.rng.permutation(zeros)[:keep]
        )
    mask = binaries.exchanges(b, ones, zeros)
    first, second = np.nonzero(mask)
    drops, adds = flips[b[flips]], flips[~b[flips]]
    nothing = np.full(drops.size + adds.size, -1, dtype=np.intp)
    outs = np.concatenate([ones[first], drops, nothing[: adds.size]])
    ins = np.concatenate([zeros[second], nothing[: drops.size], adds])
    if costs is None:
        return outs, ins, np.full(outs.size, -np.inf)
    padded = np.append(costs, 0.0)
    return outs, ins, padded[ins] - padded[outs]


def best_move(state: SearchState, current: Member) -> Member | None:
    """The best neighbor that is better than `current`, or None at a local optimum."""
    b, evaluation = current.b, current.evaluation
    costs = marginal_costs(state, b, evaluation) if evaluation.feasible else None
    outs, ins, change = candidate_moves(state, b, costs)
    limit = -np.inf
    if costs is not None:
        value = evaluation.objective
        limit = -IMPROVEMENT * abs(value)
        promising = np.flatnonzero(change < limit)
        order = promising[np.argsort(change[promising], kind="stable")]
    else:
        order = state.rng.permutation(outs.size)[: 4 * LARGEST_BATCH]
    order = order[: max(state.evaluations_left - 1, 0)]
    best_rank, best_index = evaluation.rank, -1
    position, size = 0, FIRST_BATCH
    while position < order.size:
        state.check()
        batch = order[position : position + size]
        position, size = position + size, min(2 * size, LARGEST_BATCH)
        if costs is not None:
            batch = batch[evaluation.objective + change[batch] < best_rank[1]]
            if batch.size == 0:
                break
        values, infeasibility, _ = state.solver.evaluate_moves(
            b, outs[batch][:, None], ins[batch][:, None], state.deadline, evaluation
        )
        index = int(np.lexsort((values, infeasibility))[0])
        rank = (float(infeasibility[index]), float(values[index]))
        if better(rank, best_rank):
            best_rank, best_index = rank, int(batch[index])
        if best_index >= 0 and position >= LARGEST_BATCH:
            break
    if best_index < 0:
        return None
    neighbor = moved(b, outs[[best_index]], ins[[best_index]])
    return Member(neighbor, state.evaluate(neighbor, "descent"), "descent")


def repaired_move(state: SearchState, current: Member) -> Member | None:
    """A better neighbor among flips whose rows on b are repaired, for rows that allow no simple move."""
    if state.binaries.kind != "general":
        return None
    state.check()  # to list the moves takes a tenth of a second where there are thousands of rows on b
    simple = candidate_moves(state, current.b, None)[0].size
    if simple >= state.problem.m:
        return None
    seen = {current.b.tobytes()}
    for index in state.rng.permutation(state.problem.m)[:REPAIRED_MOVES]:
        neighbor = state.binaries.flip_and_repair(current.b, int(index), state.rng)
        if neighbor.tobytes() in seen:
            continue
        seen.add(neighbor.tobytes())
        evaluation = state.evaluate(neighbor, "descent")
        if better(evaluation.rank, current.evaluation.rank):
            return Member(neighbor, evaluation, "descent")
    return None


def descend(state: SearchState, start: Member, origin: str = "descent") -> Member:
    """Move to the best neighbor until there is none better; the incumbent is kept on the way."""
    current = start
    while True:
        neighbor = best_move(state, current) or repaired_move(state, current)
        if neighbor is None or not better(neighbor.evaluation.rank, current.evaluation.rank):
            return Member(current.b, current.evaluation, origin)
        # Rounding of x'Qx must not pass for progress where the optimum is near 0.
        x = neighbor.evaluation.x
        noise = 0.0 if x is None else 1e-13 * float(state.problem.Q.diagonal().max(initial=0.0)) * float(x @ x)
        gained = current.evaluation.objective - neighbor.evaluation.objective
        current = neighbor
        if current.evaluation.feasible and gained <= noise:
            return Member(current.b, current.evaluation, origin)
