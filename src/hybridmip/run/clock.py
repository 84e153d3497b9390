"""The clock of a solve: when it began, when it must end, and shares of what is left."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

from hybridmip.run.result import StopReason

#: Share of the time that is kept for the end, at most.
MOST_RESERVED = 0.2


class StopSearch(Exception):
    """Raised inside a phase when the solve must end; `solve` catches it and returns the best so far."""

    def __init__(self, reason: StopReason) -> None:
        super().__init__(reason)
        self.reason = reason


class Clock:
    """Seconds since the start, and seconds left.

    Parameters
    ----------
    time_limit : float, optional
        Seconds; none if left out.
    """

    def __init__(self, time_limit: float | None = None) -> None:
        self.started = time.perf_counter()
        self.deadline = math.inf if time_limit is None else self.started + time_limit
        #: When the time is up for all, whatever share of it somebody has.
        self.end = self.deadline
        #: Seconds in all, infinite without a limit.
        self.limit = math.inf if time_limit is None else time_limit

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return time.perf_counter() - self.started

    @property
    def remaining(self) -> float | None:
        """Time left, None without a limit."""
        return None if math.isinf(self.deadline) else max(self.deadline - time.perf_counter(), 0.0)

    @property
    def seconds_left(self) -> float:
        """Time left, infinite without a limit."""
        return max(self.deadline - time.perf_counter(), 0.0)

    @property
    def expired(self) -> bool:
        """Whether the time is up."""
        return time.perf_counter() >= self.deadline

    def reserve(self, seconds: float) -> None:
        """Keep so much of the time, or a share of it where that is less, for what is done when the time is up."""
        if math.isfinite(self.deadline):
            kept = min(seconds, MOST_RESERVED * self.seconds_left)
            self.deadline -= kept
            self.end -= kept

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """What runs inside does not count."""
        began = time.perf_counter()
        try:
            yield
        finally:
            spent = time.perf_counter() - began
            self.started += spent
            self.deadline += spent
            self.end += spent

    @contextmanager
    def for_a_share(self, share: float) -> Iterator[None]:
        """Give what runs inside only a share of the time that is left; it ends quietly when that is used up."""
        deadline = self.deadline
        if self.remaining is not None:
            self.deadline = time.perf_counter() + share * self.remaining
        try:
            yield
        except StopSearch as stop:
            if stop.reason is not StopReason.TIME_LIMIT or time.perf_counter() >= deadline:
                raise
        finally:
            self.deadline = min(deadline, self.end)  # some of it may be reserved by now
