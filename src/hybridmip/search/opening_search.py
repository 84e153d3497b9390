"""Openings beside HiGHS: from a first b, from what the relaxation has on, and from the best b, perturbed."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np

from hybridmip.model.quadratic import Binary, Vector
from hybridmip.relax.protocol import Setting
from hybridmip.restricted.protocol import Evaluation
from hybridmip.run.state import SearchState
from hybridmip.search.fixing import MOST_SECONDS
from hybridmip.search.openings import Openings
from hybridmip.search.small import beside
from hybridmip.search.whole import Race

#: Whose points they are.
OPENINGS = "openings"
#: How many are switched off, and how many on, before openings go on from the best b.
KICK = 2
#: On is what the relaxation has on by more than this; where no x goes with that, by more than the next one.
ROUNDED = (0.5, 0.25, 0.1, 1e-6)


class OpeningSearch:
    """Searches by `Openings`, whose points are offered as they come.

    Parameters
    ----------
    state : SearchState
    setting : Setting
    race : Race
        What runs beside it.
    keep : callable
        Told every b that is better than the one before it, and its value.
    """

    def __init__(self, state: SearchState, setting: Setting, race: Race, keep: Callable[[Binary, float], None]) -> None:
        self._state, self._race, self._keep = state, race, keep
        self._openings = Openings(setting, race.halt)

    def go_from(self, b: Binary, until: float = math.inf) -> bool:
        """Exchanges from a b until there is none better, or the time is up; whether it has an x."""
        state, race, openings = self._state, self._race, self._openings
        openings.limit, openings.fixed = state.remaining, state.fixed
        counted, start = openings.evaluations, openings.at(b)
        state.check()  # where there is no x it may be that the time is up
        if start is None:
            return False
        for found in itertools.chain([start], openings.improve(start)):
            if found is not None:
                state.offer(found.b, Evaluation(found.value, 0.0, found.x, certain=False), OPENINGS)
                self._keep(found.b, found.value)
            state.solver.evaluations += openings.evaluations - counted
            counted = openings.evaluations
            state.check()
            if race.halt.halted or (state.remaining is not None and state.seconds > until):
                break
            openings.limit, openings.fixed = state.remaining, state.fixed
        return True

    def kick(self, best: Callable[[], Binary]) -> None:
        """Some of the best b switched off and others on, and exchanges from there, for a while."""
        state = self._state
        until = state.seconds + beside(state, self._race, MOST_SECONDS)
        while not self._race.halt.halted:
            b = best().copy()
            on, off = np.flatnonzero(b & (state.fixed <= 0)), np.flatnonzero(~b & (state.fixed >= 0))
            b[state.rng.permutation(off)[:KICK]] = True
            fewer = b.copy()
            fewer[state.rng.permutation(on)[:KICK]] = False
            if not self.go_from(fewer, until):
                self.go_from(b, until)
            # Without a time limit the answer does not depend on what takes how long.
            if state.remaining is None or state.seconds > until:
                return

    def round(self, relaxed: Vector) -> None:
        """Exchanges from what a relaxation has on, for a while."""
        state = self._state
        until = state.seconds + beside(state, self._race, MOST_SECONDS)
        for least in ROUNDED:
            if self._race.halt.halted or self.go_from(relaxed > least, until):
                return
