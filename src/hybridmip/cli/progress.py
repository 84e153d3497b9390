"""Progress on standard error: of a solve, of a frontier, of a study."""

from __future__ import annotations

import math
import sys
import time
from typing import TYPE_CHECKING

from hybridmip.cli.output import tell

if TYPE_CHECKING:
    from hybridmip.run.progress import TextProgress

#: Seconds between two lines of progress where standard error is no terminal.
BETWEEN_LINES = 15.0


def solve_progress(quiet: bool) -> TextProgress | None:
    """The table of a solve; none when it is not wanted or standard error is no terminal."""
    if quiet or not sys.stderr.isatty():
        return None
    from hybridmip.run.progress import TextProgress

    return TextProgress(sys.stderr)


class Ticker:
    """One line on standard error that is written over; nothing when that is no terminal."""

    def __init__(self, quiet: bool) -> None:
        self.on = not quiet and sys.stderr.isatty()

    def show(self, text: str) -> None:
        """Show a text in the place of the last one."""
        if self.on:
            sys.stderr.write(f"\r\x1b[2K{text} ...")
            sys.stderr.flush()

    def clear(self) -> None:
        """Leave an empty line."""
        if self.on:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()


class FrontierBar:
    """Progress in one line: how far, how long still, and what the points are by now."""

    def __init__(self, ticker: Ticker) -> None:
        self.ticker = ticker
        self.phase, self.started, self.before = "", 0.0, 0

    def update(self, phase: str, done: int, total: int, counts: dict[str, int], seconds: float) -> None:
        """Show it."""
        if phase != self.phase:
            self.phase, self.started, self.before = phase, seconds, done
        words = {"search": "searching", "neighbors": "neighbors help", "proof": "proving"}[phase]
        ahead = ""
        if done > self.before and total > done:
            left = (seconds - self.started) * (total - done) / (done - self.before)
            ahead = f", about {max(math.ceil(left), 1)} s left"
        filled = int(20 * done / total) if total else 20
        bar = "#" * filled + "." * (20 - filled)
        shown = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
        self.ticker.show(f"[{bar}] {words} {done}/{total}{ahead}; {shown}")


class StudyBar:
    """Progress in one line on a terminal, else a line now and then."""

    def __init__(self, quiet: bool) -> None:
        self.ticker, self.lines = Ticker(quiet), not quiet and not sys.stderr.isatty()
        self.said_at = -math.inf
        self.first: tuple[float, float] | None = None

    def update(self, step: str, done: float, total: float, seconds: float) -> None:
        """Show how far it is, and how long still."""
        if self.first is None:
            self.first = done, seconds
        share = done / total if total else 1.0
        ahead = ""
        if self.first[0] < done < total and seconds - self.first[1] > 3:
            left = (seconds - self.first[1]) * (total - done) / (done - self.first[0])
            ahead = f", about {left / 60:.0f} min left" if left > 90 else f", about {max(math.ceil(left), 1)} s left"
        bar = "#" * int(24 * share) + "." * (24 - int(24 * share))
        self.show(f"[{bar}] {100 * share:3.0f} % {step}{ahead}", always=share >= 1)

    def show(self, text: str, always: bool = True) -> None:
        """On a terminal over the last line; else as a line of its own, now and then."""
        self.ticker.show(text)
        if self.lines and (always or time.monotonic() - self.said_at >= BETWEEN_LINES):
            self.said_at = time.monotonic()
            tell(text)

    def clear(self) -> None:
        """Nothing more to come."""
        self.ticker.clear()
