"""Progress of a frontier: a plain text table with a row for every better answer."""

from __future__ import annotations

import math
import sys
from typing import TextIO

from hybridmip.run.words import relative_gap
from hybridmip.sweep.store import Record


class TextFrontierProgress:
    """A row for every point that has a new answer, a line at the end of every phase.

    Parameters
    ----------
    stream : TextIO, optional
        Where to write; standard error by default.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream if stream is not None else sys.stderr
        self._begun = False

    def point(self, phase: str, point: int, parameter: str, value: float, record: Record, seconds: float) -> None:
        """Write the row of a point."""
        if not self._begun:
            self._begun = True
            self._write(f"    time  phase      point  {parameter:>14}  status             objective        gap")
        objective, bound = record["objective"], record["bound"]
        gap = math.inf
        if objective is not None and bound is not None:
            gap = relative_gap(objective, bound, record.get("size", 0.0))
        shown = f"{100 * gap:9.4f}%" if math.isfinite(gap) else "         -"
        high = "               -" if objective is None else f"{objective:16.9g}"
        self._write(f"{seconds:7.2f}s  {phase:<9s} {point:6d}  {value:14.7g}  {record['status']:<10s} {high} {shown}")

    def update(self, phase: str, done: int, total: int, counts: dict[str, int], seconds: float) -> None:
        """Write a line when all points of a phase are there."""
        if total and done == total:
            words = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
            self._write(f"{seconds:7.2f}s  {phase:<9s} {total} done: {words}")

    def _write(self, text: str) -> None:
        self.stream.write(f"{text}\n")
        self.stream.flush()
