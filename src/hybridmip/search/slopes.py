"""Slope scaling (Kim and Pardalos 1999): what a switch costs, charged to the x it switches.

In proportion to how much they carried last time; LPs are solved until that settles: good b within seconds, however
many there are.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import sparse

from hybridmip.engines.highs import Halt, LinearModel
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Binary, Vector
from hybridmip.model.structure import is_fixed_charge
from hybridmip.relax.protocol import Setting
from hybridmip.run.state import SearchState
from hybridmip.search.charges import CARRIES, follows_from_x, needed_by, rows_when_on


class Slopes:
    """The LP of slope scaling: the cost of b spread over the x it switches; where x tells the b it needs, without b.

    Such an LP has none of the rows that link x to b, and takes a small part of the time of a relaxation.

    Parameters
    ----------
    setting : Setting
    halt : Halt, optional
        What ends its LPs.
    """

    def __init__(self, setting: Setting, halt: Halt | None = None) -> None:
        problem = setting.problem
        self.problem = problem
        self.applies = serves(problem)
        if not self.applies:
            return
        self.without_b = told_by_x(problem)
        if self.without_b:
            rows = rows_when_on(problem)
            self.model = LinearModel(
                problem.q, problem.A, *rows, setting.hull_lower, setting.hull_upper, halt=halt
            )  # fmt: skip
        else:
            matrix, row_lower, row_upper, _, _ = setting.joint_rows
            lower = np.concatenate([setting.hull_lower, np.zeros(problem.m)])
            upper = np.concatenate([setting.hull_upper, np.ones(problem.m)])
            cost = np.concatenate([problem.q, problem.p])
            self.model = LinearModel(cost, matrix, row_lower, row_upper, lower, upper, halt=halt)
        #: Of the last step.
        self.x = np.zeros(problem.n)
        self._calibrate = False
        self._has_x = has_x(problem)
        capacity = np.where(np.isfinite(setting.upper), np.maximum(np.abs(setting.upper), 1e-9), 1.0)
        self._loads = loads(problem) if self.without_b else _own_loads(problem)
        self._full = np.maximum(np.abs(self._loads) @ capacity, 1e-9)

    def restart(self, rng: np.random.Generator, spread: float, calibrated: bool = False) -> None:
        """Begin with what a full switch costs per unit, perturbed.

        Such prices are too low, and what was not used yet is tried for many rounds. Calibrated, it is priced after the
        first of them as if it carried as small a part of what it can as others do: settled in a few rounds, if not
        quite as well.
        """
        self._calibrate = calibrated
        noise = np.exp(rng.uniform(-math.log(spread), math.log(spread), self.problem.m)) if spread > 1 else 1.0
        self.price = np.maximum(self.problem.p, 0.0) * noise / self._full

    def step(self, time_limit: float | None) -> Binary | None:
        """Solve at the present prices; returns the b of what carries something."""
        problem = self.problem
        cost = problem.q + self._loads.T @ self.price
        self.model.change_cost(cost if self.without_b else np.concatenate([cost, np.minimum(problem.p, 0.0)]))
        answer = self.model.solve(time_limit)
        if answer.x is None:
            return None
        self.x = x = answer.x[: problem.n]
        load = self._loads @ x
        carrying = load > CARRIES
        others = self.price
        if self._calibrate and carrying.any():
            others = others * float(np.median(self._full[carrying] / np.maximum(load[carrying], CARRIES)))
        self._calibrate = False
        self.price = np.where(carrying, np.maximum(problem.p, 0.0) / np.maximum(load, CARRIES), others)
        if self.without_b:
            return needed_by(problem, x)
        return np.where(self._has_x, carrying, answer.x[problem.n :] > 0.5)


def serves(problem: Problem) -> bool:
    """Whether there is something to charge, and an x to charge it to."""
    return bool(problem.switched.any()) and bool((problem.p > 0).any())


def told_by_x(problem: Problem) -> bool:
    """Whether x tells the b that it needs, so that the LP of slope scaling has no b in it."""
    return is_fixed_charge(problem) or follows_from_x(problem)


def has_x(problem: Problem) -> Binary:
    """Which b switch some x."""
    found = np.zeros(problem.m, dtype=bool)
    found[problem.switch[problem.switched]] = True
    return found


def _own_loads(problem: Problem) -> sparse.csr_array:
    """What each b carries as a function of x: the x that it switches."""
    own = np.flatnonzero(problem.switched)
    sign = np.where(problem.x_upper > 0, 1.0, -1.0)[own]
    return sparse.csr_array((sign, (problem.switch[own], own)), shape=(problem.m, problem.n))


def loads(problem: Problem) -> sparse.csr_array:
    """What each b carries as a function of x: where it switches some, these; else what is in its rows."""
    G = problem.G.tocoo()
    at = ~has_x(problem)[G.col] & (G.data != 0)
    if not at.any():
        return _own_loads(problem)
    # It is needed for what goes beyond an upper limit, where its entry is negative, or below a lower one.
    shares = sparse.csr_array((-1.0 / G.data[at], (G.col[at], G.row[at])), shape=(problem.m, problem.rows))
    return sparse.csr_array(_own_loads(problem) + shares @ problem.A)


def used(state: SearchState, b: Binary, x: Vector) -> Binary:
    """b without what is paid for and not used, where the rows on b allow that."""
    problem = state.problem
    carrying = np.zeros(problem.m, dtype=bool)
    on = problem.switched & (np.abs(x) > CARRIES)
    carrying[problem.switch[on]] = True
    lean = b & (carrying | ~has_x(problem) | (problem.p <= 0))
    return lean if state.binaries.contains(lean) else b
