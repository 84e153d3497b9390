"""Which returns a portfolio can have: with its rules, and without most of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from hybridmip.applications.portfolio.program import build
from hybridmip.engines.conic import solve_cone_program
from hybridmip.errors import ProblemError
from hybridmip.model.quadratic import QuadraticForm, Vector

if TYPE_CHECKING:
    from hybridmip.applications.portfolio.portfolio import Portfolio


def efficient_range(portfolio: Portfolio) -> tuple[float, float]:
    """Returns between which an unrestricted frontier is efficient; see `Portfolio.efficient_range`."""
    lower = np.minimum(portfolio.min_weight, 0.0)
    upper = np.maximum(portfolio.max_weight, 0.0)
    # With one equation and bounds the LP is a continuous knapsack: fill up in order of return.
    order = np.argsort(-portfolio.returns, kind="stable")
    room = (upper - lower)[order]
    left = portfolio.budget - lower.sum()
    taken = np.clip(left - (np.cumsum(room) - room), 0.0, room)
    highest = float(portfolio.returns @ lower + portfolio.returns[order] @ taken)
    lowest = float(portfolio.returns @ _least_variance(portfolio.covariance, portfolio.budget, lower, upper))
    return min(lowest, highest), highest


def attainable_range(portfolio: Portfolio, time_limit: float | None, seed: int) -> tuple[float, float]:
    """Lowest and highest return with every rule but the target; see `Portfolio.attainable_range`."""
    from hybridmip.run.solve import solve  # with Numba 0.5 s, which building a portfolio does not need

    modes = portfolio.modes
    rules = build(portfolio.with_target(None), modes)
    cost, price, constant = modes.cost.row(modes.asset)
    gain = portfolio.returns[modes.asset] - cost
    ends = []
    for sign in (1.0, -1.0):
        problem = rules.replace(Q=None, q=sign * gain, p=-sign * price, offset=0.0)
        result = solve(problem, time_limit=None if time_limit is None else time_limit / 2, seed=seed)
        if result.x is None or result.b is None:
            raise ProblemError(f"no portfolio was found, whatever its return (status {result.status})")
        ends.append(float(gain @ result.x - price @ result.b) - constant)
    return min(ends), max(ends)


def least_variance(portfolio: Portfolio) -> float:
    """The least variance of any portfolio, without most rules."""
    lower, upper = np.minimum(portfolio.min_weight, 0.0), np.maximum(portfolio.max_weight, 0.0)
    return portfolio.covariance.value(_least_variance(portfolio.covariance, portfolio.budget, lower, upper))


def _least_variance(covariance: QuadraticForm, budget: float, lower: Vector, upper: Vector) -> Vector:
    """The x of least variance over sum x = budget, lower <= x <= upper."""
    n = covariance.n
    mean_variance = float(covariance.diagonal().mean())
    # Clarabel's tolerances are absolute too, and variances are near 1e-4: work on a mean variance of 1.
    scale = 1.0 / mean_variance if mean_variance > 0 else 1.0
    plain, root = covariance.split()
    blocks: list[Any] = [2 * scale * plain]
    equations = sparse.csr_array(np.ones((1, n)))
    factors = 0
    if root is not None:
        # y = T'x as variables of their own keep the factor model factored: x'Qx = x'Px + y'y.
        factors = root.shape[1]
        blocks.append(2 * sparse.eye_array(factors))
        exposures = sparse.hstack([np.sqrt(scale) * sparse.csr_array(root.T), -sparse.eye_array(factors)])
        equations = sparse.vstack([sparse.hstack([equations, sparse.csr_array((1, factors))]), exposures], format="csr")
    right = np.concatenate([[budget], np.zeros(factors)])
    # The return of a minimum is only as exact as the square root of the gap: ask for all there is.
    answer = solve_cone_program(
        sparse.block_diag(blocks), np.zeros(n + factors), equations, right, right, lower, upper, tolerance=1e-13
    )
    x = None if answer.x is None else np.clip(answer.x[:n], lower, upper)
    if x is None or abs(x.sum() - budget) > 1e-6 * max(1.0, abs(budget), np.abs(x).sum()):
        raise ProblemError(f"least variance not found (Clarabel: {answer.status}); check the covariance")
    return x
