"""The paper's genetic algorithm: compete, check the spread, cross, mutate, compete again."""

from __future__ import annotations

import math

import numpy as np

from hybridmip.model.binaries import BinarySet
from hybridmip.model.quadratic import Binary
from hybridmip.run.state import SearchState
from hybridmip.search.pool import Member


def crossover(binaries: BinarySet, father: Binary, mother: Binary, rng: np.random.Generator) -> Binary:
    """A child in which shared ones stay and the rest of the ones are drawn evenly from the disputed.

    The child is the member of the set with the largest total of scores, in which shared ones count
    far above, disputed ones evenly at random, and shared zeros far below: so B b stays feasible for
    any B, and where B is one cardinality row the child is the paper's.
    """
    scores = np.where(father == mother, np.where(father, 1.0, -1.0) * (2.0 * father.size + 1.0), 0.0)
    disputed = father != mother
    scores[disputed] = rng.uniform(-1.0, 1.0, int(disputed.sum()))
    return binaries.maximise(scores)


def spread(pool: list[Member]) -> float:
    """(worst - best) / best over the pool; by infeasibility while members are infeasible."""
    worst, best = pool[-1].evaluation, pool[0].evaluation
    if worst.feasible:
        difference, base = worst.objective - best.objective, abs(best.objective)
    elif best.feasible:
        return math.inf
    else:
        difference, base = worst.infeasibility - best.infeasibility, best.infeasibility
    if difference <= 0:
        return 0.0
    return difference / base if base > 0 else math.inf


def genetic(state: SearchState, pool: list[Member]) -> list[Member]:
    """Evolve the pool until its members are within `spread` of each other; best first."""
    settings, rng = state.config.genetic, state.rng
    for _ in range(settings.generations):
        state.check()
        # p %: at least two, so that there is a pair of parents.
        keep = max(2, math.ceil(len(pool) * settings.keep_percent / 100))
        pool = pool[:keep]
        if len(pool) < 2 or spread(pool) <= settings.spread:
            break
        i, j = rng.choice(len(pool), size=2, replace=False)
        child = crossover(state.binaries, pool[i].b, pool[j].b, rng)
        if 100 * rng.random() < settings.mutation_percent:
            child = state.binaries.exchange_at_random(child, rng)
        member = Member(child, state.evaluate(child, "genetic"), "genetic")
        position = sum(other.evaluation.rank <= member.evaluation.rank for other in pool)
        pool = [*pool[:position], member, *pool[position:]]
    return pool
