"""Least squares with few columns: answer, bound and certificate, whatever the number of columns.

    minimise |y - X w|^2 / n + ridge |w|^2 + penalty (number of columns held),   at most k held, lower <= w <= upper

Exchanges find a good answer among all columns (`exchanges`). Up to a number of columns the solver then has them all,
with X'X. Beyond, X'X is never formed: the relaxation bounds the problem (`relaxed_columns`) and leaves out columns that
nothing better can have; the solver gets those that are left, or the most useful ones where too many are left.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hybridmip.bounds.certificate import Certificate
from hybridmip.estimators.exchanges import Columns, Exchanges
from hybridmip.estimators.relaxed_columns import RelaxedColumns, certificate_at, not_needed
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import FactorModel, Matrix, Vector
from hybridmip.run.arguments import check_arguments
from hybridmip.run.config import Config
from hybridmip.run.result import Result, relative_gap
from hybridmip.run.solve import solve
from hybridmip.tolerances import OPTIMAL_GAP

#: Most columns that the solver gets with X'X.
MOST_COLUMNS = 1000
#: Columns that it gets where more are left.
CANDIDATES = 150
#: Shares of the time for exchanges and for the relaxation.
SHARE_OF_EXCHANGES = 0.35
SHARE_OF_RELAXATION = 0.25
#: What is left out is this share above what could be better.
MARGIN = 1e-9


@dataclass(frozen=True)
class Rules:
    """What is asked of the columns.

    Attributes
    ----------
    most : int or None
        Columns (or groups) held at most; None for no limit.
    penalty, ridge : float
    lower, upper : ndarray
        Limits of the coefficients that are not zero.
    group : ndarray of int or None
        The group of every column, from 0 on without gaps; None where every column is its own.
    """

    most: int | None
    penalty: float
    ridge: float
    lower: Vector
    upper: Vector
    group: NDArray[np.intp] | None = None

    @property
    def limited(self) -> bool:
        """Whether a coefficient has a limit."""
        return bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    def of(self, columns: NDArray[np.intp]) -> Rules:
        """The rules of some of the columns, which are their own groups."""
        return Rules(self.most, self.penalty, self.ridge, self.lower[columns], self.upper[columns])


@dataclass(frozen=True)
class Effort:
    """How much is done: as of `hybridmip.solve`."""

    time_limit: float | None = None
    gap: float | None = None
    seed: int = 0
    config: Config | None = None


@dataclass(frozen=True)
class Subset:
    """The answer.

    Attributes
    ----------
    coefficients : ndarray
        Zero for columns that are not held.
    objective, bound, gap : float
    problem : Problem
        With all columns; up to 1,000 of them, without a ridge and limits, without copies and columns of zeros.
    certificate : Certificate or None
        Of that problem; `bound` can be above what it proves where columns were left out, or branch and bound went on.
    result : Result
        Of the solver, which had the columns `kept`.
    """

    coefficients: Vector
    objective: float
    bound: float
    gap: float
    problem: Problem = field(repr=False)
    certificate: Certificate | None
    result: Result = field(repr=False)
    kept: NDArray[np.intp] = field(repr=False)

    @property
    def support(self) -> NDArray[np.intp]:
        """Columns that are held."""
        return np.flatnonzero(self.coefficients)


def subset_problem(X: Matrix, y: Vector, rules: Rules, factored: bool) -> Problem:
    """The problem, with X'X or with X itself as a factor."""
    rows, columns = X.shape
    Q = (
        FactorModel(X.T / math.sqrt(rows), np.ones(rows), np.full(columns, rules.ridge))
        if factored
        else X.T @ X / rows + rules.ridge * np.eye(columns)
    )
    switch = np.arange(columns) if rules.group is None else rules.group
    binaries = int(switch.max()) + 1
    count = rules.most is not None and rules.most < binaries
    return Problem(
        Q=Q, q=-2.0 / rows * (X.T @ y), p=np.full(binaries, rules.penalty), offset=float(y @ y) / rows,
        B=np.ones((1, binaries)) if count else None, b_upper=rules.most if count else None,
        x_lower=rules.lower, x_upper=rules.upper, switch=switch, binaries=binaries,
    )  # fmt: skip


def best_subset(
    X: Matrix, y: Vector, rules: Rules, effort: Effort, starts: list[NDArray[np.intp]] | None = None
) -> Subset:
    """The best columns that are found, with a bound on any others.

    Parameters
    ----------
    X : ndarray, shape (rows, columns)
    y : ndarray, shape (rows,)
    rules : Rules
    effort : Effort
    starts : list of ndarray of int
        Columns to try, such as those of a neighboring number.
    """
    return _Fit(X, y, rules, effort).run(starts or [])


class _Fit:
    """One fit and its clock."""

    def __init__(self, X: Matrix, y: Vector, rules: Rules, effort: Effort) -> None:
        self.X, self.y, self.rules, self.effort = X, y, rules, effort
        self.rows, self.columns = X.shape
        self._began = time.perf_counter()

    def _seconds(self, share: float = 1.0) -> float:
        if self.effort.time_limit is None:
            return math.inf
        return max(share * (self.effort.time_limit - (time.perf_counter() - self._began)), 0.05)

    def run(self, starts: list[NDArray[np.intp]]) -> Subset:
        """The answer."""
        everything = np.arange(self.columns)
        check_arguments(
            Config() if self.effort.config is None else self.effort.config, self.effort.time_limit,
            OPTIMAL_GAP if self.effort.gap is None else self.effort.gap, self.effort.seed, None, None, None,
        )  # fmt: skip
        if self.rules.group is not None:
            problem = subset_problem(self.X, self.y, self.rules, self.columns > MOST_COLUMNS)
            result = self._solve(problem, None)
            return self._answer(result, everything, problem, result.certificate, result.bound)
        most = min(self.columns if self.rules.most is None else self.rules.most, self.columns)
        data = Columns(self.X, self.y, self.rows * self.rules.ridge, self.rows * self.rules.penalty)
        exchanges = Exchanges(data, most, self.effort.seed)
        found = exchanges.run(starts, self._seconds(SHARE_OF_EXCHANGES))
        if self.columns <= MOST_COLUMNS:
            kept = self._distinct(found.columns)
            result = self._solve_some(kept, found.columns)
            return self._answer(result, kept, result.problem, result.certificate, result.bound)
        problem = subset_problem(self.X, self.y, self.rules, factored=True)
        certificate, value, held = None, found.value / self.rows, found.columns
        useful = exchanges.candidates(found, CANDIDATES)
        first: Result | None = None
        if self.rules.limited:  # the exchanges know no limits
            first = self._solve_some(useful, held, SHARE_OF_EXCHANGES)
            assert first.x is not None  # nothing held is always an answer
            value, held = first.objective, useful[first.x != 0]
        kept = everything
        if self.rules.ridge > 0:
            relaxation = RelaxedColumns(self.X, self.y, self.rules.ridge, self.rules.most, self.rules.penalty)
            start = np.zeros(self.columns)
            start[found.columns] = found.coefficients
            relaxed = relaxation.solve(start, self._seconds(SHARE_OF_RELAXATION))
            certificate = certificate_at(problem, relaxed.point, self.rules.ridge)
            cut = value - MARGIN * abs(value)
            kept = np.flatnonzero(~not_needed(problem, certificate, most, cut))
            kept = np.union1d(kept, held)
        whole = kept.size <= MOST_COLUMNS
        if not whole:
            kept = useful
        result = first if first is not None and not whole else self._solve_some(kept, held)
        bound = 0.0 if certificate is None else certificate.claimed
        if whole:  # what was left out is above the cut
            bound = max(bound, min(result.bound, value - MARGIN * abs(value)))
        return self._answer(result, kept, problem, certificate, bound)

    def _distinct(self, held: NDArray[np.intp]) -> NDArray[np.intp]:
        """Columns without copies of others, and without those that are zero: nothing needs both, or these.

        With a ridge two copies share a coefficient at less cost, and within limits they reach farther.
        """
        if self.rules.ridge > 0 or self.rules.limited:
            return np.arange(self.columns)
        order = np.concatenate([held, np.setdiff1d(np.arange(self.columns), held)])
        known: dict[bytes, int] = {}
        for j in order:
            if self.X[:, j].any():
                known.setdefault(self.X[:, j].tobytes(), int(j))
        return np.array(sorted(known.values()), dtype=np.intp) if known else np.arange(self.columns)

    def _solve_some(self, kept: NDArray[np.intp], held: NDArray[np.intp], share: float = 1.0) -> Result:
        problem = subset_problem(self.X[:, kept], self.y, self.rules.of(kept), factored=False)
        return self._solve(problem, np.flatnonzero(np.isin(kept, held)), share)

    def _solve(self, problem: Problem, held: NDArray[np.intp] | None, share: float = 1.0) -> Result:
        start = None if held is None else np.isin(np.arange(problem.m), held)
        seconds = self._seconds(share)
        return solve(
            problem, config=self.effort.config, time_limit=None if math.isinf(seconds) else seconds,
            gap=self.effort.gap, seed=self.effort.seed, warm_start=start,
        )  # fmt: skip

    def _answer(
        self, result: Result, kept: NDArray[np.intp], problem: Problem, certificate: Certificate | None, bound: float
    ) -> Subset:
        assert result.x is not None  # nothing held is always an answer
        assert result.b is not None
        coefficients = np.zeros(self.columns)
        coefficients[kept] = result.x
        bound = min(max(bound, 0.0), result.objective)  # squares, a ridge and prices are not negative
        gap = relative_gap(result.objective, bound, result.size)
        return Subset(coefficients, result.objective, bound, gap, problem, certificate, result, kept)
