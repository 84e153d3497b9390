"""The pool between the phases: discretised relaxations, randomised roundings, random members."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from hybridmip.model.quadratic import Binary
from hybridmip.relax.discretise import discretise
from hybridmip.relax.protocol import Relaxed
from hybridmip.restricted.protocol import Evaluation
from hybridmip.run.state import SearchState


@dataclass(frozen=True)
class Member:
    """A candidate b with its restricted problem's answer and where it came from."""

    b: Binary
    evaluation: Evaluation
    origin: str


#: Share of a time limit that roundings and random members may take.
SHARE_OF_TIME = 0.1


def build_pool(state: SearchState, relaxed: dict[str, Relaxed], given: list[Binary]) -> list[Member]:
    """M = M_relax + M_random members, best first; warm starts, where given, before all.

    Members that are equal are kept once, except that random ones are kept as drawn, as in the paper.
    """
    settings, members = state.config.pool, []
    seen: set[bytes] = set()

    def add(b: Binary, origin: str) -> None:
        if b.tobytes() in seen and origin != "random":
            return
        seen.add(b.tobytes())
        members.append(Member(b, state.evaluate(b, origin), origin))

    for b in given:
        add(b, "warm start")
    for relaxation in relaxed.values():
        add(discretise(relaxation, state.binaries), relaxation.name)
    # Persp's b are the best probabilities there are; Line's and Augm's keep the pool diverse.
    rounding = [r for r in relaxed.values() if r.fractional]
    # Where the rows on b make every member a MILP, the search must not wait for all of them.
    end = np.inf if state.remaining is None else time.perf_counter() + SHARE_OF_TIME * state.remaining
    for k in range(settings.rounded if rounding else 0):
        if time.perf_counter() > end:
            break
        source = rounding[k % len(rounding)]
        add(state.binaries.round(source.b, state.rng), f"rounded {source.name}")
    for _ in range(settings.random):
        if time.perf_counter() > end and members:
            break
        add(state.binaries.random(state.rng, state.best_b), "random")
    members.sort(key=lambda member: member.evaluation.rank)
    return members
