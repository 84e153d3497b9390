"""Progress of a solve: the protocol a display follows, and a plain text table."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, TextIO

from hybridmip.run.result import relative_gap

if TYPE_CHECKING:
    from hybridmip.model.problem import Problem
    from hybridmip.model.units import Units
    from hybridmip.run.config import Config
    from hybridmip.run.result import Incumbent, Result


class Progress(Protocol):
    """What `solve(progress=...)` calls; any object with these five methods will do."""

    def start(self, problem: Problem, config: Config, time_limit: float | None, gap: float) -> None:
        """The solve begins."""

    def incumbent(self, incumbent: Incumbent) -> None:
        """A better answer was found."""

    def bound(self, seconds: float, phase: str, objective: float, bound: float) -> None:
        """The lower bound rose."""

    def tick(self, seconds: float, phase: str, objective: float, bound: float) -> None:
        """A sign of life every few seconds."""

    def finish(self, result: Result) -> None:
        """The solve ended."""


class TextProgress:
    """Sizes and tolerances first, then one fixed-width row per improvement.

    Parameters
    ----------
    stream : TextIO, optional
        Where to write; standard error by default.
    """

    HEADER = "    time  phase          objective             bound        gap"

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream if stream is not None else sys.stderr

    def _write(self, text: str) -> None:
        self.stream.write(text + "\n")
        self.stream.flush()

    def _row(self, mark: str, seconds: float, phase: str, objective: float, bound: float, gap: float) -> None:
        shown = f"{100 * gap:9.4f}%" if math.isfinite(gap) else "         -"
        low = f"{bound:17.9g}" if math.isfinite(bound) else "                -"
        high = f"{objective:16.9g}" if math.isfinite(objective) else "               -"
        self._write(f"{mark} {seconds:5.2f}s  {phase:<12s} {high} {low} {shown}")

    def start(self, problem: Problem, config: Config, time_limit: float | None, gap: float) -> None:
        """Write the sizes and the tolerances."""
        limit = "none" if time_limit is None else f"{time_limit:g} s"
        self._write(problem.describe())
        self._write(f"limits: time {limit}, gap {gap:g}; configuration {config.name}")
        self._write(self.HEADER)

    def incumbent(self, incumbent: Incumbent) -> None:
        """Write a row marked with a star."""
        self._row("*", incumbent.seconds, incumbent.phase, incumbent.objective, incumbent.bound, incumbent.gap)

    def bound(self, seconds: float, phase: str, objective: float, bound: float) -> None:
        """Write a row for a better bound."""
        self._row(" ", seconds, phase, objective, bound, relative_gap(objective, bound))

    def tick(self, seconds: float, phase: str, objective: float, bound: float) -> None:
        """Write where the solve is."""
        self.bound(seconds, phase, objective, bound)

    def finish(self, result: Result) -> None:
        """Write how it ended."""
        self._write(
            f"{result.status} ({result.stop_reason}) after {result.seconds:.2f} s, "
            f"{result.evaluations} restricted problems solved"
        )


def in_units(incumbent: Incumbent, units: Units) -> Incumbent:
    """An incumbent in the caller's units."""
    return replace(incumbent, objective=units.value_of(incumbent.objective), bound=units.value_of(incumbent.bound))


class InUnits:
    """A display that is told everything in the caller's units."""

    def __init__(self, display: Progress, units: Units) -> None:
        self._display, self._units = display, units

    def start(self, problem: Problem, config: Config, time_limit: float | None, gap: float) -> None:
        """The solve begins."""
        self._display.start(problem, config, time_limit, gap)

    def incumbent(self, incumbent: Incumbent) -> None:
        """A better answer was found."""
        self._display.incumbent(in_units(incumbent, self._units))

    def bound(self, seconds: float, phase: str, objective: float, bound: float) -> None:
        """The lower bound rose."""
        self._display.bound(seconds, phase, self._units.value_of(objective), self._units.value_of(bound))

    def tick(self, seconds: float, phase: str, objective: float, bound: float) -> None:
        """A sign of life every few seconds."""
        self._display.tick(seconds, phase, self._units.value_of(objective), self._units.value_of(bound))

    def finish(self, result: Result) -> None:
        """The solve ended."""
        self._display.finish(result)
