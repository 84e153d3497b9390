"""Slope scaling (Kim and Pardalos 1999): what a switch costs, charged to the x it switches.

In proportion to how much they carried last time; LPs are solved until that settles: good b within seconds, however
many there are.
"""

from __future__ import annotations

import math

import numpy as np

from hybridmip.engines.highs import LinearModel
from hybridmip.model.quadratic import Binary, Vector
from hybridmip.relax.protocol import Setting
from hybridmip.run.state import SearchState
from hybridmip.search.charges import rows_when_on


class Slopes:
    """The LP of slope scaling: the cost of b spread over the x it switches; where that is all b does, without b."""

    def __init__(self, setting: Setting, fixed_charge: bool) -> None:
        problem = setting.problem
        self.problem = problem
        switched = problem.switched
        self.applies = bool(switched.any()) and bool((problem.p > 0).any())
        if not self.applies:
            return
        self.without_b = fixed_charge
        if self.without_b:
            rows = rows_when_on(problem)
            self.model = LinearModel(
                problem.q, problem.A, *rows, setting.hull_lower, setting.hull_upper, halt=setting.halt
            )  # fmt: skip
        else:
            matrix, row_lower, row_upper, _, _ = setting.joint_rows
            lower = np.concatenate([setting.hull_lower, np.zeros(problem.m)])
            upper = np.concatenate([setting.hull_upper, np.ones(problem.m)])
            cost = np.concatenate([problem.q, problem.p])
            self.model = LinearModel(cost, matrix, row_lower, row_upper, lower, upper, halt=setting.halt)
        self.capacity = np.where(np.isfinite(setting.upper), np.maximum(np.abs(setting.upper), 1e-9), 1.0)

    def restart(self, rng: np.random.Generator, spread: float) -> None:
        """Begin with what a full switch costs per unit, perturbed."""
        problem = self.problem
        total = np.zeros(problem.m)
        np.add.at(total, problem.switch[problem.switched], self.capacity[problem.switched])
        self.flow = np.maximum(total, 1e-9)
        noise = np.exp(rng.uniform(-math.log(spread), math.log(spread), problem.m)) if spread > 1 else 1.0
        self.price = np.maximum(problem.p, 0.0) * noise / self.flow

    def step(self, time_limit: float | None) -> Binary | None:
        """Solve at the present prices; returns the b of what carries something."""
        problem = self.problem
        switched = problem.switched
        cost = problem.q.copy()
        sign = np.where(problem.x_upper > 0, 1.0, -1.0)
        cost[switched] += (sign * self.price[problem.switch])[switched]
        self.model.change_cost(cost if self.without_b else np.concatenate([cost, np.minimum(problem.p, 0.0)]))
        answer = self.model.solve(time_limit)
        if answer.x is None:
            return None
        x = answer.x[: problem.n]
        flow = np.zeros(problem.m)
        np.add.at(flow, problem.switch[switched], np.abs(x)[switched])
        carrying = flow > 1e-9
        self.price = np.where(carrying, np.maximum(problem.p, 0.0) / np.maximum(flow, 1e-9), self.price)
        if self.without_b:
            return carrying
        has_x = np.zeros(problem.m, dtype=bool)
        has_x[problem.switch[switched]] = True
        return np.where(has_x, carrying, answer.x[problem.n :] > 0.5)


def used(state: SearchState, b: Binary, x: Vector) -> Binary:
    """b without what is paid for and not used, where the rows on b allow that."""
    problem = state.problem
    carrying = np.zeros(problem.m, dtype=bool)
    on = problem.switched & (np.abs(x) > 1e-9)
    carrying[problem.switch[on]] = True
    has_x = np.zeros(problem.m, dtype=bool)
    has_x[problem.switch[problem.switched]] = True
    lean = b & (carrying | ~has_x | (problem.p <= 0))
    return lean if state.binaries.contains(lean) else b
