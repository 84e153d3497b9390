"""The role of a relaxation: what goes in, what comes out."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from hybridmip.bounds.diagonal import phi, remembered_largest_trace
from hybridmip.model.binaries import BinarySet
from hybridmip.model.implied import implied_bounds
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Vector


class RelaxationFailed(Exception):
    """The relaxation gave no answer (infeasible, out of time, or the solver gave up); `status` says which."""

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self.status = status


@dataclass(frozen=True)
class Relaxed:
    """What a relaxation found.

    Attributes
    ----------
    name : str
    scores : ndarray, shape (m,)
        The larger, the rather b_i = 1.
    threshold : float
        A score above this speaks for b_i = 1 where the rows on b leave the choice.
    x, b : ndarray
        The relaxed point.
    bound : float
        A lower bound on the problem's optimum.
    row_multipliers, binary_multipliers : ndarray
        Multipliers of the rows and of B b; gradient of the objective = A' row_multipliers + ...
    link_lower, link_upper : ndarray, shape (n,)
        Multipliers of l b <= x and of x <= u b, not negative (paper: lambda_l, lambda_u).
    """

    name: str
    scores: Vector
    threshold: float
    x: Vector
    b: Vector
    bound: float
    row_multipliers: Vector = field(repr=False)
    binary_multipliers: Vector = field(repr=False)
    link_lower: Vector = field(repr=False)
    link_upper: Vector = field(repr=False)
    #: D of the closed formula (`relax.bound`) that gives the bound at x and the multipliers; None if another does.
    diagonal: Vector | None = field(default=None, repr=False)

    @property
    def proof(self) -> tuple[Vector, Vector, Vector, Vector] | None:
        """D, point, multipliers of the rows and of the rows on b, where the closed formula gives the bound."""
        if self.diagonal is None:
            return None
        return self.diagonal, self.x, self.row_multipliers, self.binary_multipliers


class Setting:
    """A problem with what every relaxation of it needs: the set of b, and finite bounds where rows imply them.

    Parameters
    ----------
    problem : Problem
    binaries : BinarySet, optional
        The set of b; built if left out.
    """

    def __init__(self, problem: Problem, binaries: BinarySet | None = None) -> None:
        self.problem = problem
        self.binaries = binaries if binaries is not None else BinarySet(problem)
        self.lower, self.upper = implied_bounds(problem)
        self._diagonal: Vector | None = None
        switched = problem.switched
        #: The box that holds x whatever b is.
        self.hull_lower: Vector = np.where(switched, np.minimum(self.lower, 0.0), self.lower)
        self.hull_upper: Vector = np.where(switched, np.maximum(self.upper, 0.0), self.upper)

    def find_diagonal(self, time_limit: float | None = None) -> Vector:
        """The diagonal for Persp: the largest-trace one where it can be had in time, else Phi.

        It depends on Q alone, so it is found once for all problems that share their Q.
        """
        if self._diagonal is None:
            self._diagonal = remembered_largest_trace(self.problem.Q, time_limit)
        return self._diagonal

    @property
    def diagonal(self) -> Vector:
        """The diagonal for Persp; see `find_diagonal`."""
        return self.find_diagonal()

    @cached_property
    def phi(self) -> Vector:
        """The paper's diagonal below Q."""
        return phi(self.problem.Q)


class Relaxation(Protocol):
    """A relaxation: give it the setting and what earlier ones found, get scores, a point and a bound."""

    name: str

    def solve(self, setting: Setting, earlier: dict[str, Relaxed], time_limit: float | None) -> Relaxed:
        """Relax the problem.

        Raises
        ------
        RelaxationFailed
            If there is no answer.
        """
