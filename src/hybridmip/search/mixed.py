"""The whole problem as a MIP for HiGHS: over (x, b), or in the words of its author."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hybridmip.engines.highs import Halt, LinearAnswer, LinearModel, Outcome, Scales
from hybridmip.engines.slices import MOST_POINTS
from hybridmip.model.links import own_box
from hybridmip.model.quadratic import Binary, Vector
from hybridmip.model.wording import Worded
from hybridmip.relax.protocol import Setting


class MixedModel:
    """The problem as a MIP over (x, b) for HiGHS, in which binaries can be fixed.

    Columns have the bounds that were given, not those that rows imply: these would keep HiGHS's presolve from leaving
    columns out. Links that another row implies are no rows.

    Parameters
    ----------
    setting : Setting
    threads : int
        Threads of HiGHS.
    halt : Halt, optional
        What ends its solves.
    as_given : bool
        Whether HiGHS gets the problem as the caller measures it, where its tolerances mean something there.
    seed : int
        HiGHS's random seed.
    heuristics : bool
        Whether HiGHS looks for points by MIPs within the MIP.
    presolve : bool
        Whether HiGHS may presolve it.
    """

    def __init__(
        self,
        setting: Setting,
        threads: int = 1,
        halt: Halt | None = None,
        as_given: bool = False,
        seed: int = 0,
        heuristics: bool = True,
        presolve: bool = True,
    ) -> None:
        problem = setting.problem
        self.n, self.m = problem.n, problem.m
        matrix, row_lower, row_upper, _, _ = setting.joint_rows
        needed = setting.needed_rows
        lower, upper = own_box(problem)
        self.lower = np.concatenate([lower, np.zeros(self.m)])
        self.upper = np.concatenate([upper, np.ones(self.m)])
        integer = np.concatenate([np.zeros(self.n, dtype=bool), np.ones(self.m, dtype=bool)])
        cost = np.concatenate([problem.q, problem.p])
        scales = scales_as_given(setting) if as_given else None
        if scales is not None:
            scales = scales._replace(rows=scales.rows[needed])
        self.model = LinearModel(
            cost, matrix[needed], row_lower[needed], row_upper[needed], self.lower, self.upper, integer, threads,
            reach=np.concatenate([np.maximum(np.abs(setting.hull_lower), np.abs(setting.hull_upper)), np.ones(self.m)]),
            halt=halt, scales=scales, seed=seed, heuristics=heuristics, presolve=presolve, offset=problem.offset,
        )  # fmt: skip
        self.offset = problem.offset
        # Links to infinite bounds are no rows: without them the model is a relaxation, and may have no minimum.
        endless = np.isinf(setting.hull_lower) | np.isinf(setting.hull_upper)
        self.relaxed = bool((problem.switched & endless).any())
        self.largest = float(np.abs(cost).max(initial=0.0))
        self._found: list[Vector] = []

    def collect(self) -> None:
        """Keep the points of its solves as they come."""
        self.model.on_improvement(lambda values, bound: self._found.append(values.copy()))

    def fetch(self) -> list[Binary]:
        """The b of points that came since last time, where these are kept; from any thread."""
        found, self._found = self._found[-MOST_POINTS:], []
        return [values[self.n :] > 0.5 for values in found]

    def start_from(self, x: Vector, b: Binary) -> None:
        """Give HiGHS a point to begin with."""
        self.model.start_from(self.values(x, b))

    def values(self, x: Vector, b: NDArray[np.generic]) -> Vector:
        """Values of its columns at (x, b)."""
        return np.concatenate([x, np.asarray(b, dtype=np.float64)])

    def point(self, values: Vector) -> tuple[Vector, Vector]:
        """(x, b) at values of its columns."""
        return values[: self.n], values[self.n :]

    def whole_numbers(self, values: Vector) -> Vector:
        """Those of the values that are to be whole numbers."""
        return values[self.n :]

    def solve(
        self, fixed: NDArray[np.integer], seconds: float | None, nodes: int, gap: float, deadline: float = math.inf
    ) -> LinearAnswer:
        """Solve with some binaries fixed: 1 on, -1 off, 0 open.

        `deadline` as of `LinearModel.solve`: a MILP that was given up then is the last.
        """
        if self.model.given_up:
            return LinearAnswer(Outcome.LIMIT)
        self.fix(fixed)
        return self.model.solve(seconds, gap, nodes, deadline=deadline)

    def fix(self, fixed: NDArray[np.integer]) -> None:
        """Fix some binaries, and let the others go: 1 on, -1 off, 0 open."""
        lower, upper = self.lower.copy(), self.upper.copy()
        lower[self.n :] = np.where(fixed > 0, 1.0, 0.0)
        upper[self.n :] = np.where(fixed < 0, 0.0, 1.0)
        self.model.change_columns(lower, upper)


class AuthorsModel:
    """The problem as a MIP for HiGHS in the words of its author.

    Parameters
    ----------
    worded : Worded
    threads, halt, heuristics, presolve
        As of `MixedModel`.
    """

    #: Its rows are all there.
    relaxed = False

    def __init__(
        self, worded: Worded, threads: int = 1, halt: Halt | None = None, heuristics: bool = True, presolve: bool = True
    ) -> None:
        wording, unit = worded.wording, worded.units.objective
        cost = np.ldexp(wording.cost, unit)
        self._worded = worded
        self.offset = float(np.ldexp(wording.offset, unit))
        self.largest = float(np.abs(cost).max(initial=0.0))
        scales = Scales(np.ones(cost.size), np.ones(wording.row_lower.size), float(np.ldexp(1.0, -unit)))
        self.model = LinearModel(
            cost, wording.matrix, wording.row_lower, wording.row_upper, wording.lower, wording.upper, wording.integer,
            threads, reach=worded.reach, halt=halt, scales=scales, heuristics=heuristics, presolve=presolve,
            offset=self.offset,
        )  # fmt: skip

    def values(self, x: Vector, b: NDArray[np.generic]) -> Vector:
        """Values of its columns at (x, b)."""
        return self._worded.values(x, b)

    def point(self, values: Vector) -> tuple[Vector, Vector]:
        """(x, b) at values of its columns."""
        return self._worded.point(values)

    def whole_numbers(self, values: Vector) -> Vector:
        """Those of the values that are to be whole numbers."""
        return np.asarray(values[self._worded.wording.integer])

    def start_from(self, x: Vector, b: Binary) -> None:
        """Give HiGHS a point to begin with."""
        self.model.start_from(self.values(x, b))


def scales_as_given(setting: Setting) -> Scales | None:
    """The scales by which HiGHS gets (x, b) and the joint rows as the caller measures them; None for no others."""
    measures = setting.measures
    if measures is None or not measures.tame:
        return None
    joint, exponents = setting.joint_rows, measures.columns
    # A link x - u b is measured as its x is.
    rows = np.concatenate([-measures.rows, -measures.b_rows, exponents[joint.below], exponents[joint.above]])
    columns = np.concatenate([-exponents, np.zeros(setting.problem.m, dtype=np.int64)])
    return Scales(np.ldexp(1.0, columns), np.ldexp(1.0, rows), float(np.ldexp(1.0, -measures.objective)))
