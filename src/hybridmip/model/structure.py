"""What a problem is, found once; everything that chooses how to go about it reads this."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import DiagonalForm


@dataclass(frozen=True)
class Structure:
    """Facts about a presolved problem.

    Attributes
    ----------
    binaries, variables, rows : int
        How many b, x and rows there are, rows on b among them.
    linear : bool
        Q = 0.
    fixed_charge : bool
        A switch is nothing but a charge: b can be left out.
    binaries_determine_x : bool
        Every x has one value while its switch is on.
    separable : bool
        With b fixed every x is on its own.
    compiled : bool
        The compiled kernels serve the restricted problem: moves cost microseconds.
    rows_on_b : str
        `free` (none), `disjoint` (counts over disjoint sets), `nested` (these and choices within them) or `general`.
    choices : int
        How many of the rows let at most one of their binaries be on.
    """

    binaries: int
    variables: int
    rows: int
    linear: bool
    fixed_charge: bool
    binaries_determine_x: bool
    separable: bool
    compiled: bool
    rows_on_b: str
    choices: int = 0

    @classmethod
    def of(cls, problem: Problem, compiled: bool, rows_on_b: str, choices: int = 0) -> Structure:
        """Look at a problem."""
        return cls(
            problem.m, problem.n, problem.rows + problem.B.shape[0], problem.is_linear, is_fixed_charge(problem),
            binaries_determine_x(problem), is_separable(problem), compiled, rows_on_b, choices,
        )  # fmt: skip

    @property
    def dear_moves(self) -> bool:
        """Whether moves one by one are too dear, or the rows on b too many for them."""
        return self.binaries > 0 and (not self.compiled or self.rows_on_b == "general")


def is_fixed_charge(problem: Problem) -> bool:
    """Whether b can be left out: it is on where one of its x is not zero, and that is all there is to it."""
    switched = problem.switched
    if problem.B.shape[0] or not switched.any() or (problem.p < 0).any():
        return False
    if np.unique(problem.switch[switched]).size < problem.m:
        return False
    if ((problem.x_lower[switched] != 0) & (problem.x_upper[switched] != 0)).any():
        return False
    if not problem.G.nnz:
        return True
    # A row with a b may only limit that b's own x, and must hold when both are zero.
    G, owner = problem.G, np.where(switched, problem.switch, -1)
    rows = np.flatnonzero(np.diff(G.indptr))
    if (np.diff(G.indptr) > 1).any() or (problem.row_lower[rows] > 0).any() or (problem.row_upper[rows] < 0).any():
        return False
    column = np.full(problem.rows, -1)
    column[rows] = G.indices
    row = np.repeat(np.arange(problem.rows), np.diff(problem.A.indptr))
    return bool((owner[problem.A.indices] == column[row])[column[row] >= 0].all())


def binaries_determine_x(problem: Problem) -> bool:
    """Whether every x has a switch, and one value while that is on."""
    return bool((problem.switched & (problem.x_lower == problem.x_upper)).all()) and problem.m > 0


def is_separable(problem: Problem) -> bool:
    """Whether every x is on its own once b is fixed."""
    if not isinstance(problem.Q, DiagonalForm) or not problem.rows:
        return False
    return bool((np.diff(problem.A.indptr) <= 1).all() and (problem.A.data != 0).all())
