"""The default search: descents from the pool, then shakes and crossovers of the best until converged."""

from __future__ import annotations

import numpy as np

from hybridmip.model.quadratic import Binary
from hybridmip.run.state import SearchState, better
from hybridmip.search.descents import GROWN, Descents
from hybridmip.search.genetic import crossover
from hybridmip.search.pool import Member
from hybridmip.search.wide_exchanges import WideExchanges

#: Distinct local optima kept as parents.
ELITE = 12
#: How much more patient the search is when it has a time limit.
PATIENCE_WITH_TIME = 5
#: Local optima from which wider exchanges are tried.
WIDENED = 3
#: Starts made together.
ROUND = 4


def shake(state: SearchState, b: Binary, strength: int) -> Binary:
    """b after `strength` random exchanges (or flips, where the rows on b allow them)."""
    shaken = b
    for _ in range(strength):
        flips = state.binaries.flips(shaken)
        if flips.size and state.rng.random() < 0.3:
            shaken = shaken.copy()
            index = int(state.rng.choice(flips))
            shaken[index] = ~shaken[index]
        else:
            shaken = state.binaries.exchange_at_random(shaken, state.rng)
    return shaken


def grow(state: SearchState, b: Binary) -> Binary | None:
    """b with one or two more switched on, likely ones first; None where the rows on b leave no room.

    The rows that mix x and b may not hold there: the descent then repairs by exchanges, and so reaches points
    with more binaries on than single feasible moves lead to.
    """
    grown = b.copy()
    for _ in range(1 + int(state.rng.random() < 0.3)):
        room = state.binaries.flips(grown)
        room = room[~grown[room]]
        if room.size == 0:
            break
        weight = np.full(room.size, 1.0 / room.size)
        if state.guidance.probabilities is not None:
            weight = state.guidance.probabilities[room] + 0.1 * state.guidance.probabilities.mean() + 1e-9
        grown[state.rng.choice(room, p=weight / weight.sum())] = True
    return grown if grown.sum() > b.sum() else None


class Elite:
    """The best distinct local optima, best first."""

    def __init__(self) -> None:
        self.members: list[Member] = []
        self._keys: set[bytes] = set()

    def add(self, member: Member) -> None:
        """Keep the member if it is new and among the best."""
        key = member.b.tobytes()
        if key in self._keys:
            return
        self.members.append(member)
        self.members.sort(key=lambda m: m.evaluation.rank)
        self._keys.add(key)
        if len(self.members) > ELITE:
            self._keys.discard(self.members.pop().b.tobytes())


def shaking(state: SearchState, pool: list[Member]) -> Member:
    """Variable neighborhood search around the best, fed by crossovers of the elite.

    Starts are made in rounds of `ROUND`, so that their descents can run side by side whatever the number
    of threads. Each start is tried once: what was a start before is remembered.
    """
    settings, elite, descents = state.config.descent, Elite(), Descents(state)
    started = {member.b.tobytes() for member in pool[: settings.starts]}
    for member in descents.run([(member.b, "descent") for member in pool[: settings.starts]]):
        elite.add(member)
    wide, widened = WideExchanges(state), set[bytes]()
    widen(elite, wide, descents, widened)
    tries, improved_at = 0, 0
    # Converged: as many tries again as it took to find the best, and `patience` at least; more of it where the
    # caller has set a time limit and so said that there is time.
    patience = settings.patience * (1 if state.remaining is None else PATIENCE_WITH_TIME)
    while tries - improved_at < max(patience, improved_at) and state.problem.m > 1:
        starts: list[tuple[Binary, str]] = []
        best = elite.members[0]
        for _ in range(ROUND):
            start, kind = next_start(state, elite, tries)
            tries += 1
            if start.tobytes() not in started:
                started.add(start.tobytes())
                starts.append((start, kind))
        for found in descents.run(starts) if starts else []:
            elite.add(found)
        widen(elite, wide, descents, widened)
        if better(elite.members[0].evaluation.rank, best.evaluation.rank):
            improved_at = tries
    return elite.members[0]


def widen(elite: Elite, wide: WideExchanges, descents: Descents, done: set[bytes]) -> None:
    """Try wider exchanges from the best few that were not tried yet, and descend from what they find."""
    for member in elite.members[:WIDENED]:
        current: Member | None = member
        while current is not None and current.b.tobytes() not in done:
            done.add(current.b.tobytes())
            current = wide.improve(current)
            if current is not None:
                current = descents.run([(current.b, current.origin)])[0]
                elite.add(current)


def next_start(state: SearchState, elite: Elite, tries: int) -> tuple[Binary, str]:
    """The next point to descend from: mostly the best, shaken; sometimes a crossover or a new random b."""
    rng, best = state.rng, elite.members[0].b
    if tries % 3 == 2 and len(elite.members) > 1:
        i, j = rng.choice(len(elite.members), size=2, replace=False)
        child = crossover(state.binaries, elite.members[i].b, elite.members[j].b, rng)
        return shake(state, child, int(rng.integers(0, 2))), "crossed"
    if tries % 4 == 1:
        grown = grow(state, elite.members[int(rng.integers(min(3, len(elite.members))))].b)
        if grown is not None:
            return grown, GROWN
    if tries % 4 == 3 and state.guidance.probabilities is not None:
        return state.binaries.round(state.guidance.probabilities, rng), "rounded"
    if tries % 10 == 9:
        return state.binaries.random(rng, best), "restarted"
    ones = int(best.sum())
    strongest = max(2, min(8, max(ones, best.size - ones, 2) // 2))
    return shake(state, best, 2 + tries % strongest), "shaken"
