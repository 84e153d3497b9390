"""The closed formula for lower bounds: valid for every diagonal below Q, every point and all multipliers.

With D diagonal, 0 <= D and Q - D >= 0, convexity gives x'(Q - D)x >= 2 y'(Q - D)x - y'(Q - D)y for
any y. What is left after the rows are priced by multipliers is separable, so

    v = q + 2 (Q - D) y - A' la,   c_j = min over l_j <= x <= u_j of d_j x^2 + v_j x
    bound = offset - y'(Q - D) y + la . limits + sum of c_j over x without a switch
            + min over feasible b of sum_i (p_i - (G' la)_i + sum of c_j over x switched by i) b_i

where la . limits takes the lower limit of a row for a positive multiplier and the upper for a
negative one. Line's value is this with D = 0 at Line's own point and multipliers; since it holds for
any others too, a solver's tolerance can make the bound weaker but never wrong.

Rounding is carried along: every sum comes with a bound on its error, which is taken off. Where x has no limit on the
side to which its slope leads, and no curvature, there is no minimum; whether the slope is exactly zero there is decided
without rounding. What Q - D lacks to being semidefinite is charged to every x as far as it can be from y.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from hybridmip.bounds.diagonal import semidefinite_slack
from hybridmip.bounds.exact_sums import sign_of_sum
from hybridmip.bounds.multipliers import priced_limits, usable, usable_multipliers
from hybridmip.bounds.repair import repaired
from hybridmip.model.binaries import BinarySet
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Binary, DenseForm, SparseForm, Vector
from hybridmip.model.units import Proof

#: Shares of a diagonal that are tried, until one proves something.
SHARES = (1.0, 1 - 1e-7, 1 - 1e-5, 0.0)
EPS = float(np.finfo(float).eps)


def box_minimum(d: Vector, v: Vector, lower: Vector, upper: Vector) -> Vector:
    """min of d x^2 + v x over lower <= x <= upper, entry by entry; -inf where there is none."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        x = np.where(d > 0, -v / (2 * d), np.where(v > 0, lower, np.where(v < 0, upper, 0.0)))
        x = np.clip(x, lower, upper)
        value = np.where(np.isfinite(x), (d * x + v) * x, -np.inf)
    return np.where((v == 0) & (d <= 0), 0.0, value)


def switch_costs(problem: Problem, per_variable: Vector, row_multipliers: Vector) -> Vector:
    """p_i - (G' la)_i + the sum of `per_variable` over the x that binary i switches."""
    costs = problem.p - problem.transposed.G @ row_multipliers
    switched = problem.switched
    np.add.at(costs, problem.switch[switched], per_variable[switched])
    return np.asarray(costs)


def rounding(terms: int) -> float:
    """Relative error of a sum of so many products, at most."""
    return (terms + 8) * EPS


def minima(
    d: Vector, v: Vector, in_v: Vector, lower: Vector, upper: Vector, sign: Callable[[int], int | None]
) -> tuple[Vector, Vector]:
    """(min of d x^2 + v x over lower <= x <= upper, what rounding can have added to it), entry by entry.

    Parameters
    ----------
    in_v : ndarray
        Error of v, at most.
    sign : callable
        The sign of an entry of v without rounding, asked where it decides between a minimum and none; None for unknown.
    """
    flat = (d <= 0) & (np.isinf(lower) | np.isinf(upper))
    unknown = np.zeros(v.size, dtype=bool)
    if flat.any():
        v = v.copy()
        # Only the sign of these counts, and whether they are zero: that must be certain.
        for j in np.flatnonzero(flat & (np.abs(v) <= in_v)):
            found = sign(int(j))
            unknown[j] = found is None
            v[j] = 0.0 if not found else found * max(abs(v[j]), float(in_v[j]))
    c = np.where(unknown, -np.inf, box_minimum(d, v, lower, upper))
    # c is a minimum over x of something linear in v: an error in v counts times the x that can attain it.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        first = np.where(d > 0, -(v + in_v) / (2 * d), np.where(v + in_v > 0, -np.inf, np.inf))
        last = np.where(d > 0, -(v - in_v) / (2 * d), np.where(v - in_v < 0, np.inf, -np.inf))
        reach = np.maximum(np.abs(np.clip(first, lower, upper)), np.abs(np.clip(last, lower, upper)))
        # Without curvature the certain sign of v says at which end; at zero x does not matter.
        end = np.where(v > 0, np.abs(lower), np.where(v < 0, np.abs(upper), 0.0))
        reach = np.where(flat, end, reach)
        in_c = np.where(reach > 0, reach * in_v + rounding(4) * reach * (d * reach + np.abs(v)), 0.0)
    return c, np.where(np.isnan(in_c), np.inf, in_c)


@dataclass(frozen=True)
class Terms:
    """The formula before the minimum over b: f(x, b) >= constant + costs'b for every feasible point, up to the errors.

    `error` is that of the constant, `errors` are those of the costs.
    """

    constant: float
    costs: Vector
    error: float
    errors: Vector


class Formula:
    """The formula on one problem.

    Parameters
    ----------
    problem : Problem
    binaries : BinarySet
        The set of b of that problem.
    lower, upper : ndarray
        Bounds of x while switched on: the problem's own, or tighter ones that rows imply.
    """

    def __init__(self, problem: Problem, binaries: BinarySet, lower: Vector, upper: Vector) -> None:
        self.problem, self.binaries, self.lower, self.upper = problem, binaries, lower, upper

    @cached_property
    def _curvature(self) -> Vector:
        return self.problem.Q.diagonal()

    @cached_property
    def _columns(self) -> sparse.csc_array:
        return sparse.csc_array(self.problem.A)

    def slack(self, diagonal: Vector) -> Vector | None:
        """e with Q - D + diag(e) >= 0 proven; None where it is not."""
        return semidefinite_slack(self.problem.Q, diagonal)

    def terms(self, proof: Proof, slack: Vector, choice: Binary | None = None) -> Terms | None:
        """The formula before the minimum over b; None where it has no minimum over x.

        With `choice`, a b, it need have one for that b only.
        """
        problem, (d, y, la, _) = self.problem, usable(self.problem, proof)
        size = np.abs(la)
        with np.errstate(over="ignore", invalid="ignore"):
            in_half = problem.Q.absolute_matvec(y) + d * np.abs(y)
            half = problem.Q.matvec(y) - d * y
            v = problem.q + 2 * half - problem.transposed.A @ la
            in_v = rounding(problem.n + problem.rows) * (
                np.abs(problem.q) + 2 * in_half + problem.transposed_magnitudes.A @ size
            )
            c, in_c = minima(d, v, in_v, self.lower, self.upper, lambda j: self._sign_of_slope(j, y, la))
            # What is lacking costs at most e (x - y)^2; an x that is off pays for y alone.
            switched = problem.switched
            off = np.where(switched, slack * y * y, 0.0)
            away = np.maximum(np.abs(self.lower - y), np.abs(self.upper - y))
            on = np.where(slack > 0, slack * away * away, 0.0)
            in_c = in_c + np.where(switched, np.maximum(on - off, 0.0), on)
            priced = priced_limits(la, problem.row_lower, problem.row_upper)
            constant = problem.offset - float(y @ half) + float(priced.sum()) + float(c[~switched].sum())
            parts = abs(problem.offset) + float(np.abs(y) @ in_half) + float(np.abs(priced).sum())
            parts += float(np.abs(c[~switched]).sum())
            error = float(in_c[~switched].sum()) + 2 * rounding(problem.n + problem.rows) * parts + 2 * float(off.sum())
            costs = switch_costs(problem, c, la)
            errors = rounding(problem.rows) * (np.abs(problem.p) + problem.transposed_magnitudes.G @ size)
            np.add.at(errors, problem.switch[switched], (in_c + rounding(problem.n) * np.abs(c))[switched])
        if not (np.isfinite(constant) and np.isfinite(error)):
            return None
        impossible = ~(np.isfinite(costs) & np.isfinite(errors))
        if impossible.any():
            # No minimum while it is on: fine only for a binary that is never on.
            if impossible[self.binaries.possible if choice is None else choice].any():
                return None
            costs, errors = np.where(impossible, 0.0, costs), np.where(impossible, 0.0, errors)
        return Terms(constant, costs, error, errors)

    def _sign_of_slope(self, j: int, y: Vector, la: Vector) -> int | None:
        """The sign of v_j where d_j = 0, without rounding; None where it cannot be told."""
        problem = self.problem
        columns = self._columns
        part = slice(columns.indptr[j], columns.indptr[j + 1])
        first, second = [problem.q[[j]], -columns.data[part]], [np.ones(1), la[columns.indices[part]]]
        Q = problem.Q
        if self._curvature[j] != 0.0:
            if not isinstance(Q, DenseForm | SparseForm):
                return None
            line = Q.block(np.array([j]), np.arange(problem.n)).ravel()
            first.append(2.0 * line)
            second.append(y)
        return sign_of_sum(np.concatenate(first), np.concatenate(second))

    def least_over_binaries(self, terms: Terms, binary_rows: Vector, times: float = 1.0) -> float:
        """A lower bound on costs'b over the feasible b, with so many times the errors taken off.

        Exact but for those where the rows on b are counts over disjoint sets, or these and choices within them; else
        the rows are priced.
        """
        problem, binaries = self.problem, self.binaries
        costs, errors = terms.costs, times * terms.errors
        # The errors are part of the costs: a binary whose cost is certain to be positive adds none.
        if binaries.kind != "general":
            lowered = costs - errors
            chosen = lowered[binaries.maximise(-lowered)]
            return float(chosen.sum()) - times * rounding(problem.m) * float(np.abs(chosen).sum())
        mu = usable_multipliers(binary_rows, problem.b_lower, problem.b_upper)
        priced = priced_limits(mu, problem.b_lower, problem.b_upper)
        size = rounding(problem.B.shape[0]) * (np.abs(costs) + problem.transposed_magnitudes.B @ np.abs(mu))
        lowered = costs - errors - problem.transposed.B @ mu - times * size
        rest = np.where(binaries.possible, np.minimum(lowered, 0.0), 0.0)
        magnitude = float(np.abs(priced).sum() - rest.sum())
        return float(priced.sum() + rest.sum()) - times * rounding(problem.m + problem.B.shape[0]) * magnitude

    def bound(self, proof: Proof, times: float = 1.0) -> float:
        """What the proof proves: the formula, lowered by what rounding can have added; -inf where that is nothing.

        `times` takes that off more than once, for those who compute it elsewhere.
        """
        slack = self.slack(proof.diagonal)
        terms = None if slack is None else self.terms(proof, slack)
        if terms is None:
            return -np.inf
        least = self.least_over_binaries(terms, proof.binary_rows, times)
        error = terms.error + 4 * EPS * (abs(terms.constant) + abs(least))
        value = terms.constant + least - times * error
        return value if np.isfinite(value) else -np.inf

    def within(self, far: float) -> Formula:
        """The formula for x of at most this size: without that no proof, but a check, where x has no limits."""
        return Formula(self.problem, self.binaries, np.maximum(self.lower, -far), np.minimum(self.upper, far))

    def at(self, b: Binary, proof: Proof) -> float:
        """A lower bound on the restricted problem at b; -inf where the proof gives none."""
        slack = self.slack(proof.diagonal)
        terms = None if slack is None else self.terms(proof, slack, b)
        if terms is None:
            return -np.inf
        costs = terms.costs[b]
        size = abs(terms.constant) + float(np.abs(costs).sum())
        return (
            terms.constant
            + float(costs.sum())
            - terms.error
            - float(terms.errors[b].sum())
            - rounding(costs.size) * size
        )

    def claim(self, proof: Proof) -> tuple[float, Proof]:
        """(bound that a certificate can claim, the proof it is claimed with).

        Twice the error is taken off: a check on another machine rounds differently. Where x has no limit rounding has
        no room: the diagonal is lowered a little, or the multipliers are moved until slopes have the right sign.
        """
        for candidate in (proof, None):
            candidate = repaired(self, proof) if candidate is None else candidate
            if candidate is None:
                break
            for share in SHARES:
                tried = candidate._replace(diagonal=share * candidate.diagonal)
                value = self.bound(tried, times=2.0)
                if np.isfinite(value):
                    return value, tried
        return -np.inf, proof

    def penalties(self, proof: Proof) -> tuple[float, Vector] | None:
        """(base, w): f(b) >= base + sum of max(w, 0) where on + sum of max(-w, 0) where off; None if there is none."""
        problem = self.problem
        slack = self.slack(proof.diagonal)
        terms = None if slack is None else self.terms(proof, slack)
        if terms is None:
            return None
        mu = usable(problem, proof).binary_rows
        priced = priced_limits(mu, problem.b_lower, problem.b_upper)
        w = np.where(self.binaries.possible, terms.costs - problem.transposed.B @ mu, np.inf)
        error = terms.error + float(terms.errors.sum())
        magnitude = abs(terms.constant) + float(np.abs(terms.costs).sum() + np.abs(priced).sum())
        magnitude += float((problem.transposed_magnitudes.B @ np.abs(mu)).sum())
        base = terms.constant + float(priced.sum()) + float(np.minimum(w, 0.0).sum())
        base -= error + 2 * rounding(2 * problem.m + problem.B.shape[0]) * magnitude
        return (base, np.asarray(w)) if np.isfinite(base) else None
