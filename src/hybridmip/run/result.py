"""Result: what a solve found, why it stopped, and a check of the answer against the caller's data."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hybridmip.notebook import card
from hybridmip.run.words import advice, result_lines
from hybridmip.run.words import relative_gap as relative_gap

if TYPE_CHECKING:
    from hybridmip.bounds.certificate import Certificate
    from hybridmip.bounds.ledger import Grade
    from hybridmip.bounds.proof_tree import ProofTree
    from hybridmip.model.problem import Problem


class Status(StrEnum):
    """What we have.

    Examples
    --------
    >>> import hybridmip as hm
    >>> [str(status) for status in hm.Status]
    ['optimal', 'feasible', 'infeasible', 'unknown']
    >>> hm.Status.OPTIMAL == "optimal"
    True
    """

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"


class StopReason(StrEnum):
    """Why we stopped; never mixed with what we have.

    Examples
    --------
    >>> import hybridmip as hm
    >>> [str(reason) for reason in hm.StopReason][:5]
    ['gap_reached', 'converged', 'exhausted', 'time_limit', 'evaluation_limit']
    >>> hm.solve(hm.Problem(p=[1, -2]), config=hm.Config(enumerate_up_to=4)).stop_reason
    <StopReason.GAP_REACHED: 'gap_reached'>
    """

    GAP_REACHED = "gap_reached"
    CONVERGED = "converged"
    EXHAUSTED = "exhausted"
    TIME_LIMIT = "time_limit"
    EVALUATION_LIMIT = "evaluation_limit"
    INTERRUPTED = "interrupted"
    CALLBACK = "callback"
    PROVEN_INFEASIBLE = "proven_infeasible"
    ENGINE_FAILED = "engine_failed"


@dataclass(frozen=True)
class Incumbent:
    """A new best answer, as it was found.

    Examples
    --------
    >>> import hybridmip as hm
    >>> result = hm.solve(hm.market(assets=30).portfolio(assets=5))
    >>> best = result.trace[-1]
    >>> abs(best.objective - result.objective) < 1e-9, best.found_by == result.found_by
    (True, True)
    """

    seconds: float
    phase: str
    found_by: str
    objective: float
    bound: float
    b: NDArray[np.bool_] = field(repr=False)

    @property
    def gap(self) -> float:
        """Relative gap to the bound known at that moment."""
        return relative_gap(self.objective, self.bound)


@dataclass(frozen=True)
class PhaseStatistics:
    """Time and work of one phase, and how often it improved the incumbent.

    Examples
    --------
    >>> import hybridmip as hm
    >>> result = hm.solve(hm.market(assets=30).portfolio(assets=5))
    >>> sum(phase.evaluations for phase in result.phases) <= result.evaluations
    True
    """

    name: str
    seconds: float
    evaluations: int
    improvements: int


@dataclass(frozen=True)
class Result:
    """Answer of `hybridmip.solve`.

    Attributes
    ----------
    status : Status
        `optimal` (gap closed), `feasible`, `infeasible` (proven) or `unknown`.
    stop_reason : StopReason
        Why the search ended.
    x, b : ndarray or None
        The point, in the caller's order and units; None without a feasible point.
    objective, bound, gap : float
        Value of (x, b); proven lower bound (-inf if none); `(objective - bound) / |objective|`.
    found_by : str
        The part of the solver that found the final b.
    trace : tuple of Incumbent
        Every improvement with its time.
    phases : tuple of PhaseStatistics
        Time, restricted problems solved and improvements per phase.
    bounds : dict
        The lower bound each relaxation gave.
    certificate : Certificate or None
        Proof of the bound that anyone can check. Where all that the bound left over was tried one by one (`exhausted`),
        `bound` is above it.
    clashing_rows : tuple of str
        For an infeasible problem: names of rows that cannot hold together, as far as known.
    rests_on : Grade or None
        What the bound (or "infeasible") rests on: `proven` (the certificate, or multipliers that prove infeasibility),
        `tried` (every b that the formula leaves over was tried), `trusted` (the word of HiGHS). None without a bound.
    integrity : tuple of str
        Contradictions that were found and what was dropped because of them; empty if all is well.
    nodes : int
        Nodes of the tree that were worked on.
    proof : ProofTree or None
        With `prove=True`, and where the tree closed the gap: a proof that anyone can check. What it claims may be below
        `bound`, within the gap of an optimal answer: room is left for a check that rounds otherwise, and `bound` is the
        best of all bounds. With `--proof` the command line shows the claim as the bound.
    suggested_time_limit : float or None
        A time limit with which the bound would become tighter; None where the gap is closed, or no limit would help.

    Examples
    --------
    >>> import hybridmip as hm
    >>> problem = hm.Problem(
    ...     Q=[2, 1, 3], A=[1, 1, 1], row_lower=1, row_upper=1,
    ...     x_lower=0, x_upper=1, switch=[0, 1, 2],
    ...     B=[1, 1, 1], b_upper=2,
    ... )
    >>> result = hm.solve(problem)
    >>> result.has_solution, result.violation < 1e-9, str(result.rests_on)
    (True, True, 'proven')
    >>> round(result.certificate.claimed, 6)
    0.666667
    """

    problem: Problem = field(repr=False)
    status: Status
    stop_reason: StopReason
    x: NDArray[np.float64] | None = field(repr=False)
    b: NDArray[np.bool_] | None = field(repr=False)
    objective: float
    bound: float
    gap: float
    found_by: str
    trace: tuple[Incumbent, ...] = field(repr=False)
    phases: tuple[PhaseStatistics, ...] = field(repr=False)
    bounds: dict[str, float] = field(repr=False)
    evaluations: int
    seconds: float
    seed: int
    version: str
    clashing_rows: tuple[str, ...] = ()
    certificate: Certificate | None = field(default=None, repr=False)
    rests_on: Grade | None = None
    integrity: tuple[str, ...] = ()
    nodes: int = 0
    proof: ProofTree | None = field(default=None, repr=False)
    suggested_time_limit: float | None = None

    def __str__(self) -> str:
        lines = [f"{name}: {text}" for name, text in result_lines(self, self.has_solution)]
        help_ = advice(self.suggested_time_limit)
        return "\n".join([*lines, help_] if help_ else lines)

    def _repr_html_(self) -> str:
        """What a notebook shows: what was found, how good it is, and the nonzero x."""
        return card(
            "Result",
            result_lines(self, self.has_solution),
            advice(self.suggested_time_limit),
            ("x", "value"),
            ((name, f"{value:.6g}") for name, value in self.nonzeros()),
        )

    @property
    def has_solution(self) -> bool:
        """Whether there is a feasible point."""
        return self.x is not None

    @property
    def violation(self) -> float:
        """Largest violation of any row, bound, link or binary row at (x, b), in the caller's units.

        Recomputed from the caller's data; infinite when there is no point.
        """
        if self.x is None or self.b is None:
            return math.inf
        return self.problem.violation(self.x, self.b)

    @property
    def size(self) -> float:
        """The sum of the sizes of the objective's terms at (x, b): what its rounding is in proportion to."""
        return 0.0 if self.x is None or self.b is None else self.problem.sizes(self.x, self.b)

    @property
    def selected(self) -> tuple[str, ...]:
        """Names of the binaries that are 1."""
        if self.b is None:
            return ()
        return tuple(self.problem.b_names[i] for i in np.flatnonzero(self.b))

    def nonzeros(self) -> Iterator[tuple[str, float]]:
        """(name, value) of every nonzero x.

        Examples
        --------
        >>> import hybridmip as hm
        >>> result = hm.solve(hm.Problem(q=[3, 1], A=[1, 1], row_lower=2, x_lower=0, x_upper=5))
        >>> list(result.nonzeros())
        [('x1', 2.0)]
        """
        if self.x is None:
            return
        for j in np.flatnonzero(self.x):
            yield self.problem.x_names[j], float(self.x[j])

    def to_dict(self, values: str = "x") -> dict[str, Any]:
        """The result as a document ready for JSON; infinite numbers become None.

        Parameters
        ----------
        values : str
            Key under which the nonzero x are given, by name (`x`, or `weights` for a portfolio).

        Examples
        --------
        >>> import hybridmip as hm
        >>> document = hm.solve(hm.Problem(q=[3, 1], A=[1, 1], row_lower=2, x_lower=0, x_upper=5)).to_dict()
        >>> document["status"], document["objective"], document["x"]
        ('optimal', 2.0, {'x1': 2.0})
        """

        def number(value: float) -> float | None:
            return float(value) if math.isfinite(value) else None

        document: dict[str, Any] = {
            "status": str(self.status),
            "stop_reason": str(self.stop_reason),
            "objective": number(self.objective),
            "bound": number(self.bound),
            "gap": number(self.gap),
            "selected": list(self.selected),
            values: dict(self.nonzeros()),
            "found_by": self.found_by,
            "evaluations": self.evaluations,
            "seconds": self.seconds,
            "seed": self.seed,
            "version": self.version,
        }
        document["rests_on"] = None if self.rests_on is None else str(self.rests_on)
        if self.nodes:
            document["nodes"] = self.nodes
        if self.suggested_time_limit is not None:
            document["suggested_time_limit"] = self.suggested_time_limit
        if self.clashing_rows:
            document["clashing_rows"] = list(self.clashing_rows)
        if self.integrity:
            document["integrity"] = list(self.integrity)
        return document
