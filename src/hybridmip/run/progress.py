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


#: A better bound is worth a row when the gap is this share smaller than in the last one, or after so many seconds.
WORTH_A_ROW = 0.1
SECONDS_OF_A_ROW = 1.0


class Progress(Protocol):
    """What `solve(progress=...)` calls; any object with these five methods will do.

    Where it has a method `tree(seconds, objective, bound, nodes, open_nodes)`, branch and bound calls that instead of
    `tick`.
    """

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
        self._last = (-math.inf, math.inf)

    def _write(self, text: str) -> None:
        self.stream.write(text + "\n")
        self.stream.flush()

    def _row(
        self, mark: str, seconds: float, phase: str, objective: float, bound: float, gap: float, more: str = ""
    ) -> None:
        self._last = (seconds, gap)
        shown = f"{100 * gap:9.4f}%" if math.isfinite(gap) else "         -"
        low = f"{bound:17.9g}" if math.isfinite(bound) else "                -"
        high = f"{objective:16.9g}" if math.isfinite(objective) else "               -"
        self._write(f"{mark} {seconds:5.2f}s  {phase:<12s} {high} {low} {shown}{more}")

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
        """Write a row for a better bound, unless it is much like the last one."""
        gap, (before, last) = relative_gap(objective, bound), self._last
        if seconds - before >= SECONDS_OF_A_ROW or not gap > (1 - WORTH_A_ROW) * last:
            self._row(" ", seconds, phase, objective, bound, gap)

    def tick(self, seconds: float, phase: str, objective: float, bound: float) -> None:
        """Write where the solve is."""
        self._row(" ", seconds, phase, objective, bound, relative_gap(objective, bound))

    def tree(self, seconds: float, objective: float, bound: float, nodes: int, open_nodes: int) -> None:
        """Write where branch and bound is."""
        more = f"  {nodes:,} nodes, {open_nodes:,} open"
        self._row(" ", seconds, "tree", objective, bound, relative_gap(objective, bound), more)

    def finish(self, result: Result) -> None:
        """Write how it ended."""
        nodes = f", {result.nodes:,} nodes" if result.nodes else ""
        self._write(
            f"{result.status} ({result.stop_reason}) after {result.seconds:.2f} s, "
            f"{result.evaluations} restricted problems solved{nodes}"
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

    def tree(self, seconds: float, objective: float, bound: float, nodes: int, open_nodes: int) -> None:
        """The sign of life of branch and bound."""
        objective, bound = self._units.value_of(objective), self._units.value_of(bound)
        tell = getattr(self._display, "tree", None)
        if tell is not None:
            tell(seconds, objective, bound, nodes, open_nodes)
        else:
            self._display.tick(seconds, "tree", objective, bound)

    def finish(self, result: Result) -> None:
        """The solve ended."""
        self._display.finish(result)
