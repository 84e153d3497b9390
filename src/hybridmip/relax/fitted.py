"""The diagonal fitted to a problem: the D below Q that makes Persp's bound largest.

Persp's value is a minimum over (x, b) of something linear in D, so it is concave in D, and at the relaxed point its
slope in d_j is x_j^2 / b_j - x_j^2. The D below Q that gains most at that slope is a largest-trace diagonal with
weights (`bounds.diagonal`). Moving towards it and solving again (Frank and Wolfe 1956) raises the bound step by step;
whatever the steps were, every bound is one.
"""

from __future__ import annotations

import time

import numpy as np

from hybridmip.bounds.diagonal import LARGEST_TRACE, largest_trace
from hybridmip.model.quadratic import DenseForm, SparseForm, Vector
from hybridmip.relax.persp import Persp
from hybridmip.relax.protocol import RelaxationFailed, Relaxed, Setting

#: Shares of the way to the new diagonal that are tried, until one is better than what there was.
STEPS = (0.5, 0.2, 0.07)
#: Entries of D that do not matter at the relaxed point get this share of the largest weight: they matter next to it.
FLOOR = 0.01
#: A round that gains less than this, relative to the bound, is the last.
GAIN = 1e-5


def slope_in_diagonal(setting: Setting, relaxed: Relaxed) -> Vector:
    """How Persp's value changes with every entry of D, at the relaxed point."""
    problem = setting.problem
    switched = problem.switched
    b = np.ones(problem.n)
    b[switched] = relaxed.b[problem.switch[switched]]
    square = relaxed.x**2
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        slope = np.where(square > 0, square / np.maximum(b, 1e-9) - square, 0.0)
    return np.maximum(slope, 0.0)


def fits(setting: Setting) -> bool:
    """Whether there is a choice of D that is worth the search: an off-diagonal Q of moderate size."""
    return isinstance(setting.problem.Q, DenseForm | SparseForm) and setting.problem.n <= LARGEST_TRACE


def fitted(setting: Setting, start: Relaxed, rounds: int, time_limit: float | None = None) -> Relaxed:
    """Persp with a diagonal fitted in so many rounds; `start` itself if none is better.

    Parameters
    ----------
    start : Relaxed
        Persp with some diagonal.
    """
    end = np.inf if time_limit is None else time.perf_counter() + time_limit
    best = start
    if start.proof is None or not fits(setting):
        return best
    for _ in range(rounds):
        left = end - time.perf_counter()
        weights = slope_in_diagonal(setting, best)
        if left <= 0 or not weights.any():
            break
        assert best.proof is not None
        now = best.proof.diagonal
        weights = np.maximum(weights, FLOOR * weights.max())
        target = largest_trace(setting.problem.Q, weights, None if np.isinf(left) else 0.5 * left)
        improved = None
        for step in STEPS:
            left = end - time.perf_counter()
            if left <= 0:
                break
            diagonal = now + step * (target - now)
            try:
                tried = Persp(diagonal).solve(setting, {}, None if np.isinf(left) else left)
            except RelaxationFailed:
                break
            if tried.bound > (best.bound if improved is None else improved.bound):
                improved = tried
                continue
            if improved is not None:
                break
        if improved is None:
            break
        gained, best = improved.bound - best.bound, improved
        if gained <= GAIN * abs(best.bound):
            break
    return best
