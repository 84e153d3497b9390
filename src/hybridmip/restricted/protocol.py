"""The restricted problem: b is fixed, a QP or an LP in x is left. One protocol for every solver of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hybridmip.engines.compiled import Kernel
from hybridmip.model.quadratic import Binary, Vector


@dataclass(frozen=True)
class Evaluation:
    """Answer to one restricted problem.

    Attributes
    ----------
    objective : float
        Value in the caller's units, infinite if there is no feasible x.
    infeasibility : float
        0 if feasible, else how far the rows (scaled to unit norm) are from holding.
    x : ndarray or None
        The point, full length; None if infeasible.
    row_multipliers : ndarray or None
        Multipliers of the rows: gradient of the objective = A' multipliers + bound multipliers.
    certain : bool
        False where the solver gave up: the point need not be the best, infeasibility is not proven.
    """

    objective: float
    infeasibility: float
    x: Vector | None = field(default=None, repr=False)
    row_multipliers: Vector | None = field(default=None, repr=False)
    certain: bool = True

    @property
    def feasible(self) -> bool:
        """Whether there is a feasible x."""
        return self.infeasibility == 0.0

    @property
    def rank(self) -> tuple[float, float]:
        """Sorts feasible before infeasible, then by value; infeasible ones by how infeasible."""
        return (self.infeasibility, self.objective)


class Moves(NamedTuple):
    """Answers to many restricted problems: objectives, infeasibilities, and whether they are certain (`Evaluation`)."""

    values: Vector
    infeasibility: Vector
    certain: NDArray[np.bool_]

    @classmethod
    def unsolved(cls, count: int) -> Moves:
        """Nothing known yet: infinite in both."""
        return cls(np.full(count, np.inf), np.full(count, np.inf), np.zeros(count, dtype=bool))

    def take(self, place: int, answer: Evaluation) -> None:
        """Put an answer in its place."""
        self.values[place], self.infeasibility[place] = answer.objective, answer.infeasibility
        self.certain[place] = answer.certain


class RestrictedSolver(Protocol):
    """What the search needs from a solver of the restricted problem."""

    #: Whether it is compiled: a restricted problem takes microseconds, and descents can be compiled with it.
    compiled: bool
    #: What it needs compiled, loaded before the clock starts or when it is first asked.
    kernels: tuple[Kernel, ...]
    #: How many restricted problems were solved so far.
    evaluations: int

    def evaluate(self, b: Binary) -> Evaluation:
        """Solve the restricted problem at b in full."""

    def evaluate_moves(
        self,
        b: Binary,
        outs: NDArray[np.intp],
        ins: NDArray[np.intp],
        deadline: float = np.inf,
        near: Evaluation | None = None,
        distances: bool = True,
    ) -> Moves:
        """Objectives and infeasibilities of the neighbors of b.

        Parameters
        ----------
        b : ndarray of bool
            The base point.
        outs, ins : ndarray of int, shape (candidates, any)
            Binaries to switch off and on, padded by -1.
        deadline : float
            `time.perf_counter()` after which the rest is left unsolved (infinite in both).
        near : Evaluation, optional
            The answer at b (or near it): what binds there is the first guess of what binds at a neighbor.
        distances : bool
            False where only feasible neighbors matter: infeasibilities may then be infinite.
        """

    def refuted(self, b: Binary) -> bool:
        """Whether b is proven to be infeasible; False says nothing."""

    def clash(self, b: Binary) -> Vector | None:
        """Multipliers of the rows that prove b infeasible; None where there are none at hand."""

    def close(self) -> None:
        """Release what the solver holds (threads)."""


def moved(b: Binary, out: NDArray[np.intp], into: NDArray[np.intp]) -> Binary:
    """b with some binaries switched off and others on; entries of -1 are skipped."""
    result = b.copy()
    result[out[out >= 0]] = False
    result[into[into >= 0]] = True
    return result
