"""BLAS threads: on small matrices they cost more than they bring, above all on a busy machine."""

from __future__ import annotations

import sys
import threading
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

#: Up to this many rows one BLAS thread is used.
SMALL = 800


@cache
def _controller(loaded: tuple[str, ...]) -> Any:
    """Of the libraries that there are once these modules are loaded: each brings its own BLAS, and when it likes."""
    return ThreadpoolController()


def _current() -> Any:
    return _controller(tuple(name for name in ("numpy", "scipy.linalg") if name in sys.modules))


class _OneThread(AbstractContextManager[None]):
    """The limit holds until the last who asked for it, of whatever thread, is done."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._limit = _current().limit(limits=1, user_api="blas")
                self._limit.__enter__()
            self._inside += 1

    def __exit__(self, *failure: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._limit.__exit__(*failure)


_one_thread = _OneThread()


def one_thread(size: int) -> AbstractContextManager[Any]:
    """A context in which BLAS runs on one thread if matrices have at most `SMALL` rows."""
    return nullcontext() if size > SMALL else _one_thread
