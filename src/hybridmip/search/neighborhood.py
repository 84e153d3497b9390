"""The paper's neighborhood search: random exchanges from neighbor to neighbor, up to a limit."""

from __future__ import annotations

from hybridmip.run.state import SearchState, better
from hybridmip.search.pool import Member


def neighborhood(state: SearchState, start: Member) -> Member:
    """Exchange a random 1 and 0; move if better, else exchange once more from that neighbor."""
    current, walker = start, start.b
    failures = 0
    while failures < state.config.walk.limit and state.problem.m:
        walker = state.binaries.exchange_at_random(walker, state.rng)
        evaluation = state.evaluate(walker, "neighborhood")
        if better(evaluation.rank, current.evaluation.rank):
            current, failures = Member(walker, evaluation, "neighborhood"), 0
        else:
            failures += 1
    return current
