"""Threads inside HiGHS that were told to end, and that nobody waits for any longer."""

from __future__ import annotations

import atexit
import threading
import time

#: Seconds for which threads that were left are waited for where the process ends.
LONGEST_EXIT = 60.0

_left: list[threading.Thread] = []
_lock = threading.Lock()


def settle(seconds: float = LONGEST_EXIT) -> None:
    """Wait for threads that were told to end and had not, at most so long.

    Where the process ends that is done anyway: a thread inside HiGHS must not outlive the interpreter.
    """
    until = time.perf_counter() + seconds
    with _lock:
        threads = list(_left)
    for thread in threads:
        thread.join(max(until - time.perf_counter(), 0.0))
    with _lock:
        _left[:] = [thread for thread in _left if thread.is_alive()]


atexit.register(settle)


def leave(thread: threading.Thread, seconds: float) -> None:
    """Wait for a thread that was told to end, at most so long; where it does not, leave it to end by itself."""
    thread.join(seconds)
    if thread.is_alive():
        with _lock:
            _left[:] = [*(other for other in _left if other.is_alive()), thread]
