"""The perspective relaxation of least squares with few columns and a ridge, for more columns than can be squared.

    minimise |y - X w|^2 / n + ridge sum of w_j^2 / b_j + price sum of b_j,   sum of b_j <= k, 0 <= b <= 1

by accelerated gradients; what is not smooth is minimised in closed form but for the price of b. Any w gives a
certificate of the problem with all its columns, with D = ridge: its bound leaves out columns that nothing better can
have.
"""

from __future__ import annotations

import math
import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hybridmip.bounds.certificate import Certificate
from hybridmip.bounds.formula import Formula, rounding
from hybridmip.model.binaries import BinarySet
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Matrix, Vector
from hybridmip.model.units import Proof

#: Iterations, at least so many, between two looks at the bound, and of the power method for the step.
ITERATIONS = 2000
LEAST_ITERATIONS = 100
BETWEEN = 20
POWER = 30
#: Numbers of X that are read at most, all iterations taken together.
WORK = 2e9
#: The relaxation is done where its bound is this close to its value.
CLOSE = 1e-5
#: Halvings in the search for the price of b.
HALVINGS = 60
#: Room for the error of the power method.
ROOM = 1.05
TINY = float(np.finfo(float).tiny)


class Relaxed(NamedTuple):
    """Where the relaxation ended.

    Attributes
    ----------
    point : ndarray
        The w of the best bound.
    b : ndarray
        How much of every column is held there.
    bound : float
        As it was computed, rounding not charged.
    """

    point: Vector
    b: Vector
    bound: float


class RelaxedColumns:
    """The relaxation of a problem with a count, a price, or both."""

    def __init__(self, X: Matrix, y: Vector, ridge: float, most: int | None, price: float = 0.0) -> None:
        self.X, self.y, self.ridge, self.price = X, y, ridge, price
        self.rows, self.count = int(X.shape[0]), int(X.shape[1])
        self.most = self.count if most is None else min(most, self.count)

    def solve(self, start: Vector, seconds: float = math.inf) -> Relaxed:
        """Gradient steps with momentum, restarted where they overshoot, until the bound is close or the time is up.

        Parameters
        ----------
        start : ndarray
            Coefficients to start from: those of a good answer give a good bound at once.
        seconds : float
        """
        end = time.perf_counter() + seconds
        step = self._step()
        w = momentum = start
        b = np.where(start != 0, 1.0, 0.0)
        best = Relaxed(w, b, self._bound(w))
        t = 1.0
        most = max(LEAST_ITERATIONS, min(ITERATIONS, int(WORK / self.X.size)))
        for iteration in range(1, most + 1):
            left = self.y - self.X @ momentum
            moved, b = self._nearest(momentum + step * (2.0 / self.rows) * (self.X.T @ left), step)
            change = moved - w
            if float((momentum - moved) @ change) > 0:  # overshot
                t = 1.0
            following = (1.0 + math.sqrt(1.0 + 4.0 * t * t)) / 2.0
            momentum = moved + ((t - 1.0) / following) * change
            w, t = moved, following
            if iteration % BETWEEN == 0 or time.perf_counter() > end:
                value, bound = self._value(w, b), self._bound(w)
                if bound > best.bound:
                    best = Relaxed(w.copy(), b.copy(), bound)
                if value - best.bound <= CLOSE * abs(value) or time.perf_counter() > end:
                    break
        return best

    def _step(self) -> float:
        """One over the largest curvature of the squares."""
        v: Vector = np.random.default_rng(0).standard_normal(self.count)
        largest = 0.0
        for _ in range(POWER):
            v = v / max(float(np.linalg.norm(v)), TINY)
            v = self.X.T @ (self.X @ v)
            largest = float(np.linalg.norm(v))
        return 1.0 / max(2.0 / self.rows * ROOM * largest, TINY)

    def _nearest(self, v: Vector, step: float) -> tuple[Vector, Vector]:
        """(w, b) that minimise |w - v|^2 / 2 + step (ridge sum w^2 / b + price sum b): w = v b / (b + a)."""
        a, size = 2.0 * step * self.ridge, np.abs(v)

        def held(theta: float) -> Vector:
            # a + b = |v| sqrt(a / 2 theta), where the derivative of v^2 a / 2 (a + b) + theta b is zero
            if theta <= 0.0:
                return np.where(size > 0, 1.0, 0.0)
            return np.clip(size * math.sqrt(a / (2.0 * theta)) - a, 0.0, 1.0)

        low = step * self.price
        b = held(low)
        if b.sum() > self.most:
            high = max(low, 0.5 * float(size.max()) ** 2 / a)  # nothing is held at this
            for _ in range(HALVINGS):
                middle = 0.5 * (low + high)
                if held(middle).sum() > self.most:
                    low = middle
                else:
                    high = middle
            b = held(high)
        return v * b / (b + a), b

    def _value(self, w: Vector, b: Vector) -> float:
        left = self.y - self.X @ w
        on = b > 0
        curved = float((w[on] ** 2 / b[on]).sum())
        return float(left @ left) / self.rows + self.ridge * curved + self.price * float(b.sum())

    def _bound(self, w: Vector) -> float:
        """The closed formula at w, rounding not charged."""
        left = self.y - self.X @ w
        slopes = (self.X.T @ left) / self.rows
        costs = np.minimum(self.price - slopes**2 / self.ridge, 0.0)
        cheapest = np.partition(costs, self.most - 1)[: self.most] if self.most < self.count else costs
        return float(2.0 * left @ self.y - left @ left) / self.rows + float(cheapest.sum())


def certificate_at(problem: Problem, point: Vector, ridge: float) -> Certificate:
    """The certificate with D = ridge at a point."""
    diagonal = np.full(problem.n, ridge)
    return Certificate.make(problem, diagonal, point, np.zeros(problem.rows), method="persp")


def not_needed(problem: Problem, certificate: Certificate, most: int, cut: float) -> NDArray[np.bool_]:
    """Columns whose presence alone makes the bound pass the cut, rounding charged: nothing below it has them."""
    proof = Proof(certificate.diagonal, certificate.point, certificate.multipliers, certificate.binary_multipliers)
    formula = Formula(problem, BinarySet(problem), problem.x_lower, problem.x_upper)
    slack = formula.slack(proof.diagonal)
    terms = None if slack is None else formula.terms(proof, slack)
    if terms is None:
        return np.zeros(problem.m, dtype=bool)
    costs = terms.costs - 2.0 * terms.errors
    gains = np.sort(np.minimum(costs, 0.0))[: min(most, problem.m)]
    base = terms.constant + float(gains.sum()) - 2.0 * terms.error
    base -= 4.0 * rounding(problem.m) * (abs(terms.constant) + float(np.abs(costs).sum()))
    pushed_out = float(gains[-1]) if gains.size == min(most, problem.m) < problem.m else 0.0
    return np.asarray(base - pushed_out + costs > cut)
