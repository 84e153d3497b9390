"""BLAS threads: on small matrices they cost more than they bring, above all on a busy machine."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

#: Up to this many rows one BLAS thread is used.
SMALL = 800


@cache
def _controller() -> Any:
    return ThreadpoolController()


def one_thread(size: int) -> AbstractContextManager[Any]:
    """A context in which BLAS runs on one thread if matrices have at most `SMALL` rows."""
    if size > SMALL:
        return nullcontext()
    context: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return context
