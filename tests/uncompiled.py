"""Kernels as plain Python, for coverage.

With `NUMBA_DISABLE_JIT=1` Numba's decorators leave functions as they are; its intrinsics (addresses, vectors of the
processor, functions as arguments) need a stand-in.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridmip.restricted import kernel, lanes
from hybridmip.restricted.vector import WIDTH
from hybridmip.search import descent_kernel


def pointer(array: Any, place: int) -> Any:
    """What begins at an entry of a C-contiguous array, counted flat."""
    return array.reshape(-1)[place:]


def load(array: Any, row: int) -> Any:
    """A vector."""
    return array[row].copy()


def store(array: Any, row: int, value: Any) -> None:
    """Write a vector to a row."""
    array[row] = value


def splat(value: float) -> Any:
    """The same number everywhere."""
    return np.full(WIDTH, value)


def absolute(value: Any) -> Any:
    """Absolute value of every number."""
    return np.abs(value)


def where_less(left: Any, right: Any, then: Any, otherwise: Any) -> Any:
    """`then` where left < right."""
    return np.where(left < right, then, otherwise)


def where_equal(left: Any, right: Any, then: Any, otherwise: Any) -> Any:
    """`then` where left == right."""
    return np.where(left == right, then, otherwise)


def kernels() -> tuple[Any, Any]:
    """Arguments of `descend`."""
    return kernel.evaluate_moves, lanes.evaluate_lanes


STAND_INS: tuple[tuple[Any, tuple[Any, ...]], ...] = (
    (kernel, (pointer,)),
    (lanes, (pointer, load, store, splat, absolute, where_less, where_equal)),
    (descent_kernel, (kernels,)),
)


def install() -> None:
    """Put the stand-ins in place."""
    for module, functions in STAND_INS:
        for function in functions:
            setattr(module, function.__name__, function)
