"""Time and work of every phase."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hybridmip.run.result import PhaseStatistics


class Statistics:
    """Counts what happens while a phase runs; a phase inside another counts for itself alone.

    Parameters
    ----------
    work : callable
        The restricted problems solved and the improvements found so far.
    """

    def __init__(self, work: Callable[[], tuple[int, int]]) -> None:
        self.phase = "start"
        self._work = work
        self._totals: dict[str, list[float]] = {}
        self._since = (time.perf_counter(), *work())

    def _charge(self, name: str | None) -> None:
        """Count what happened since the last call towards a phase; None for none."""
        now = (time.perf_counter(), *self._work())
        if name is not None:
            totals = self._totals.setdefault(name, [0.0, 0, 0])
            for k in range(3):
                totals[k] += now[k] - self._since[k]
        self._since = now

    @contextmanager
    def in_phase(self, name: str) -> Iterator[None]:
        """Count what runs inside towards a phase."""
        outer = self.phase
        self._charge(outer if outer in self._totals else None)
        self.phase = name
        self._totals.setdefault(name, [0.0, 0, 0])
        try:
            yield
        finally:
            self._charge(name)
            self.phase = outer

    def table(self) -> tuple[PhaseStatistics, ...]:
        """Every phase, in the order in which they first ran."""
        return tuple(PhaseStatistics(name, t, int(e), int(i)) for name, (t, e, i) in self._totals.items())
