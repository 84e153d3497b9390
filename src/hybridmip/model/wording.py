"""How its author wrote a problem: the columns and rows of a file, or of somebody's model, and where they are in it.

Solvers of MILPs are chaotic: the same problem with its columns in another order takes a third of the time, or three
times as long. A solver that gets it as its author wrote it, with the same options, does with it what it does for the
author.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hybridmip.model.implied import implied_bounds
from hybridmip.model.quadratic import Vector

if TYPE_CHECKING:
    from hybridmip.model.problem import Problem
    from hybridmip.model.units import Units


@dataclass(frozen=True, eq=False)
class Original:
    """Where the file's columns are in a Problem.

    Attributes
    ----------
    names : tuple of str
        The file's columns, in its order.
    x_index, b_index : ndarray of int
        Place of a column among x or among b; -1 where it is not there.
    constant : ndarray
        Value of a column that the file fixes and the Problem does not hold.
    twins : ndarray of int, shape (twins,)
        The x that repeat a binary, the last ones of x; `Problem.switch` says which binary.
    semicontinuous : ndarray of int
        The x whose switch the file does not hold as a column.
    integers : tuple of (int, float, ndarray, ndarray)
        For each expanded integer: its x, its lowest value, its binaries and their weights.
    """

    names: tuple[str, ...] = field(repr=False)
    x_index: NDArray[np.intp] = field(repr=False)
    b_index: NDArray[np.intp] = field(repr=False)
    constant: Vector = field(repr=False)
    twins: NDArray[np.intp] = field(repr=False)
    semicontinuous: NDArray[np.intp] = field(repr=False)
    integers: tuple[tuple[int, float, NDArray[np.intp], Vector], ...] = field(repr=False)

    @classmethod
    def of_problem(cls, problem: Problem) -> Original:
        """The mapping of a file that holds the Problem as it is: x first, then b."""
        n, m = problem.n, problem.m
        nothing = np.empty(0, dtype=np.intp)
        return cls(
            names=(*problem.x_names, *problem.b_names),
            x_index=np.concatenate([np.arange(n), np.full(m, -1)]).astype(np.intp),
            b_index=np.concatenate([np.full(n, -1), np.arange(m)]).astype(np.intp),
            constant=np.zeros(n + m),
            twins=nothing,
            semicontinuous=nothing,
            integers=(),
        )

    def values(self, x: ArrayLike, b: ArrayLike) -> Vector:
        """Values of the file's columns at (x, b)."""
        x, b = np.asarray(x, dtype=np.float64), np.asarray(b, dtype=np.float64)
        result = self.constant.copy()
        in_x, in_b = self.x_index >= 0, self.b_index >= 0
        result[in_x] = x[self.x_index[in_x]]
        result[in_b] = b[self.b_index[in_b]]
        return result

    def point(self, values: Vector, problem: Problem) -> tuple[Vector, Vector]:
        """(x, b) of the Problem at values of the file's columns: the way forth of `values`."""
        x, b = np.zeros(problem.n), np.zeros(problem.m)
        in_x, in_b = self.x_index >= 0, self.b_index >= 0
        x[self.x_index[in_x]] = values[in_x]
        b[self.b_index[in_b]] = values[in_b]
        b[problem.switch[self.semicontinuous]] = x[self.semicontinuous] != 0
        x[self.twins] = b[problem.switch[self.twins]]
        for j, lowest, bits, weights in self.integers:
            rest = round(x[j] - lowest)
            for bit in np.argsort(-weights, kind="stable"):
                if rest >= weights[bit]:
                    b[bits[bit]] = 1.0
                    rest -= int(weights[bit])
        return x, b


@dataclass(frozen=True, eq=False)
class Wording:
    """A linear problem as its author wrote it, to be minimised.

    Attributes
    ----------
    original : Original
        Where its columns are in the Problem.
    cost, lower, upper : ndarray, shape (columns,)
    integer : ndarray of bool, shape (columns,)
    matrix : sparse, shape (rows, columns)
    row_lower, row_upper : ndarray, shape (rows,)
    offset : float
    """

    original: Original
    cost: Vector = field(repr=False)
    lower: Vector = field(repr=False)
    upper: Vector = field(repr=False)
    integer: NDArray[np.bool_] = field(repr=False)
    matrix: sparse.csr_array = field(repr=False)
    row_lower: Vector = field(repr=False)
    row_upper: Vector = field(repr=False)
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class Worded:
    """The author's words for a problem that is solved in units of its own, perhaps with fewer x; and the way there.

    Attributes
    ----------
    wording : Wording
    units : Units
        Of the problem that was worded.
    columns : ndarray of int
        Which of its x are left.
    whole : callable
        All of them, given those that are left and b.
    """

    wording: Wording
    units: Units = field(repr=False)
    columns: NDArray[np.intp] = field(repr=False)
    whole: Callable[[Vector, NDArray[np.generic]], Vector] = field(repr=False)

    def values(self, x: Vector, b: NDArray[np.generic]) -> Vector:
        """Values of the author's columns at (x, b)."""
        return self.wording.original.values(self.units.x_of(self.whole(x, b)), np.asarray(b, dtype=np.float64))

    def point(self, values: Vector) -> tuple[Vector, Vector]:
        """(x, b) at values of the author's columns."""
        x, b = self.wording.original.point(values, self.units.given)
        return self.units.x_in(x)[self.columns], b

    @property
    def reach(self) -> Vector:
        """How large the author's columns can be, as far as bounds and rows tell."""
        wording, given = self.wording, self.units.given
        reach = np.maximum(np.abs(wording.lower), np.abs(wording.upper))
        here = wording.original.x_index >= 0
        hull = np.maximum(*(np.abs(bound) for bound in implied_bounds(given)))
        reach[here] = np.minimum(reach[here], hull[wording.original.x_index[here]])
        return reach
