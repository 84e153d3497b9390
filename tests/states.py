"""A portfolio-like problem of any size, and a search state on a problem, for tests of single phases."""

from __future__ import annotations

import numpy as np

from hybridmip.model.binaries import BinarySet
from hybridmip.model.problem import Problem
from hybridmip.restricted import restricted_solver
from hybridmip.run.clock import Clock
from hybridmip.run.config import Config
from hybridmip.run.state import SearchState
from hybridmip.search.pool import Member


def portfolio_like(n: int, hold: int, seed: int = 0) -> Problem:
    """Least variance at a given return, `hold` of n, with a minimum buy-in: no relaxation closes its gap."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, n))
    return Problem(
        Q=root @ root.T / n + 0.01 * np.eye(n),
        q=0.01 * rng.normal(size=n),
        A=np.vstack([np.ones(n), rng.normal(size=n)]),
        row_lower=[1.0, 0.05],
        row_upper=[1.0, 0.05],
        B=np.ones((1, n)),
        b_lower=hold,
        b_upper=hold,
        x_lower=0.3 / hold,
        x_upper=1.0,
        switch=np.arange(n),
    )


def make_state(
    problem: Problem, config: Config | None = None, seed: int = 0, time_limit: float | None = None
) -> SearchState:
    """A state as `solve` would make it, with no limits but that of time."""
    config = config if config is not None else Config(threads=1)
    return SearchState(
        problem,
        config,
        restricted_solver(problem, config.threads),
        BinarySet(problem),
        np.random.default_rng(seed),
        Clock(time_limit),
        0.0,
    )


def member(state: SearchState, b: np.ndarray, origin: str = "test") -> Member:
    """b with its restricted problem solved, without making it the incumbent."""
    return Member(b, state.solver.evaluate(b), origin)
