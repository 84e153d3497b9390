"""The default search: descents from the pool, then shakes and crossovers of the best until converged."""

from __future__ import annotations

from hybridmip.pool import Member
from hybridmip.restricted.protocol import Binary
from hybridmip.search.descent import descend
from hybridmip.search.genetic import crossover
from hybridmip.search.state import SearchState, better

#: Distinct local optima kept as parents.
ELITE = 12


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

    Each start is tried once: what was evaluated as a start is remembered.
    """
    config, rng, elite = state.config, state.rng, Elite()
    started: set[bytes] = set()
    for member in pool[: max(1, config.descents)]:
        started.add(member.b.tobytes())
        elite.add(descend(state, member))
    best = elite.members[0]
    ones = int(best.b.sum())
    strongest = max(2, min(8, max(ones, best.b.size - ones, 2) // 2))
    failures, strength = 0, 1
    while failures < config.patience and state.problem.m > 1:
        state.check()
        kind = "shaken"
        if failures % 3 == 2 and len(elite.members) > 1:
            i, j = rng.choice(len(elite.members), size=2, replace=False)
            start = crossover(state.binaries, elite.members[i].b, elite.members[j].b, rng)
            kind = "crossed"
            if start.tobytes() in started:
                start = shake(state, start, 1)
        elif failures % 10 == 9:
            start, kind = state.binaries.random(rng), "restarted"
        else:
            strength = strength % strongest + 1
            start = shake(state, best.b, 1 + strength)
        key = start.tobytes()
        if key in started:
            failures += 1
            continue
        started.add(key)
        found = descend(state, Member(start, state.evaluate(start, kind), kind), kind)
        elite.add(found)
        if better(found.evaluation.rank, best.evaluation.rank):
            best, failures, strength = found, 0, 1
        else:
            failures += 1
    return best


__all__ = ["Elite", "shake", "shaking"]
