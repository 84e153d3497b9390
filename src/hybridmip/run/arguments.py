"""What a caller gives to `solve`, checked."""

from __future__ import annotations

from collections.abc import Sequence, Sized

import numpy as np
from numpy.typing import ArrayLike

from hybridmip.errors import ArgumentError
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Binary
from hybridmip.run.config import Config
from hybridmip.run.progress import Progress


def check_arguments(
    config: Config,
    time_limit: float | None,
    gap: float,
    seed: int,
    progress: Progress | bool | None,
    callback: object,
    executor: object,
) -> None:
    if not isinstance(config, Config):
        raise ArgumentError(f"config is a {type(config).__name__}; it must be a Config")
    for name, value in (("time_limit", time_limit), ("gap", gap)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float | np.number)):
            raise ArgumentError(f"{name} is {value!r}; it must be a number")
    if callback is not None and not callable(callback):
        raise ArgumentError(f"callback is a {type(callback).__name__}; it must be callable with an Incumbent")
    if executor is not None and not hasattr(executor, "submit"):
        raise ArgumentError(
            f"executor is a {type(executor).__name__}; it must be an Executor, such as Client.get_executor() of Dask"
        )
    if progress not in (None, True, False) and not hasattr(progress, "incumbent"):
        raise ArgumentError(
            f"progress is {progress!r}; it must be True, False or an object with the methods of Progress"
        )
    if time_limit is not None and not time_limit > 0:
        raise ArgumentError(f"time_limit is {time_limit}; it must be a positive number of seconds, or None")
    if not gap >= 0:
        raise ArgumentError(f"gap is {gap}; it must be zero or positive (0.01 is one percent)")
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ArgumentError(f"seed is {seed!r}; it must be a whole number, zero or more")


def warm_starts(problem: Problem, warm_start: ArrayLike | Sequence[ArrayLike] | None) -> list[Binary]:
    """The b of every start; an x gives the b of its support."""
    if warm_start is None or (isinstance(warm_start, Sized) and len(warm_start) == 0):
        return []
    try:
        array = np.asarray(warm_start, dtype=np.float64)
        starts = [array] if array.ndim == 1 else list(array)
    except (TypeError, ValueError):
        try:
            starts = [np.asarray(start, dtype=np.float64) for start in warm_start]  # type: ignore[union-attr]
        except (TypeError, ValueError):
            raise ArgumentError("warm_start is not numeric; give one or more b (0 or 1) or x") from None
    result = []
    for start in starts:
        if start.ndim != 1 or start.shape[0] not in (problem.m, problem.n):
            raise ArgumentError(
                f"warm_start has shape {start.shape}; it must be ({problem.m},) for b or ({problem.n},) for x"
            )
        if not np.isfinite(start).all():
            raise ArgumentError("warm_start has an entry that is NaN or infinite; every entry must be finite")
        if start.shape[0] == problem.m and np.isin(start, (0.0, 1.0)).all():
            result.append(start > 0.5)
        elif start.shape[0] == problem.n:
            b = np.zeros(problem.m, dtype=bool)
            held = problem.switched & (start != 0)
            b[problem.switch[held]] = True
            result.append(b)
        else:
            raise ArgumentError("warm_start has an entry that is neither 0 nor 1; b must be binary")
    return result
