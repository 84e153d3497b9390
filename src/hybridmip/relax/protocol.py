"""What a relaxation is: what goes in, what comes out."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.bounds.diagonal import MOST_ROUNDS, remembered_largest_trace, remembered_phi
from hybridmip.bounds.formula import Formula
from hybridmip.bounds.ledger import Grade
from hybridmip.bounds.products import Products
from hybridmip.engines.highs import Halt
from hybridmip.model.binaries import BinarySet
from hybridmip.model.implied import implied_bounds
from hybridmip.model.links import implied_links
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Vector
from hybridmip.model.units import Measures, Proof
from hybridmip.model.wording import Worded

#: What the diagonal of an x without a switch counts beside that of the others.
UNSWITCHED = 1e-3
#: Share that is left of a diagonal that is known beforehand, so that rounding leaves no doubt.
BELOW = 1e-5


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
    #: What proves the bound by the closed formula; None if something else does.
    proof: Proof | None = field(default=None, repr=False)
    #: What the proof takes off the objective first, if something.
    products: Products | None = field(default=None, repr=False)
    #: What the bound rests on; without a word on it that is the proof, or else somebody's word.
    grade: Grade | None = None
    #: Whether the relaxed b can be taken for probabilities, and rounded.
    fractional: bool = True
    #: Whether its diagonal, b and bound are what the searches are guided by from then on.
    guides: bool = False

    @property
    def rests_on(self) -> Grade:
        """What the bound rests on, as it is taken note of."""
        if self.grade is not None:
            return self.grade
        return Grade.TRUSTED if self.proof is None else Grade.PROVEN


class JointRows(NamedTuple):
    """Rows over (x, b), with their limits, and which x the links at the end are of: first l b <= x, then x <= u b."""

    matrix: sparse.csr_array
    lower: Vector
    upper: Vector
    below: NDArray[np.intp]
    above: NDArray[np.intp]


def _stacked(problem: Problem, *links: tuple[NDArray[np.intp], Vector]) -> sparse.csr_array:
    """Rows (A, G), then (0, B), then x_i - v_i b for every x_i of each of the links (their x, v of every x).

    Put together by hand: scipy's own functions take ten times as long for small matrices.
    """
    A, G, B, n = problem.A, problem.G, problem.B, problem.n
    x_count, b_count = np.diff(A.indptr), np.diff(G.indptr)
    # Of every row first its x, then its b.
    places = np.concatenate([np.repeat(np.arange(problem.rows), x_count), np.repeat(np.arange(problem.rows), b_count)])
    order = np.argsort(places, kind="stable")
    indices = [np.concatenate([A.indices, n + G.indices])[order], n + B.indices]
    data, counts = [np.concatenate([A.data, G.data])[order], B.data], [x_count + b_count, np.diff(B.indptr)]
    for which, values in links:
        indices.append(np.column_stack([which, n + problem.switch[which]]).ravel())
        data.append(np.column_stack([np.ones(which.size), -values[which]]).ravel())
        counts.append(np.full(which.size, 2))
    total = np.concatenate(counts)
    indptr = np.concatenate([[0], np.cumsum(total)]).astype(np.int32)
    return sparse.csr_array(
        (np.concatenate(data), np.concatenate(indices).astype(np.int32), indptr), shape=(total.size, n + problem.m)
    )


class Setting:
    """A problem with what every relaxation of it needs: the set of b, and finite bounds where rows imply them.

    Parameters
    ----------
    problem : Problem
    binaries : BinarySet, optional
        The set of b; built if left out.
    measures : Measures, optional
        How the caller measures the problem, where that is another way.
    worded : Worded, optional
        How its author wrote it, where that is another way.
    """

    def __init__(
        self,
        problem: Problem,
        binaries: BinarySet | None = None,
        measures: Measures | None = None,
        worded: Worded | None = None,
    ) -> None:
        self.problem = problem
        self.measures, self.worded = measures, worded
        self.binaries = binaries if binaries is not None else BinarySet(problem)
        self.lower, self.upper = implied_bounds(problem)
        self._diagonal: Vector | None = None
        #: What ends LPs and MIPs over the problem when something beside them has decided it.
        self.halt: Halt | None = None
        switched = problem.switched
        # An x whose switch is never on is 0.
        never = switched & ~np.append(self.binaries.possible, True)[problem.switch]
        #: 0 for a binary that is never on, else 1.
        self.b_upper: Vector = self.binaries.possible.astype(np.float64)
        #: The closed formula on this problem.
        self.formula = Formula(problem, self.binaries, self.lower, self.upper)
        #: The box that holds x whatever b is.
        self.hull_lower: Vector = np.where(never, 0.0, np.where(switched, np.minimum(self.lower, 0.0), self.lower))
        self.hull_upper: Vector = np.where(never, 0.0, np.where(switched, np.maximum(self.upper, 0.0), self.upper))

    @cached_property
    def joint_rows(self) -> JointRows:
        """Rows over (x, b): the problem's, B b, and the links."""
        problem = self.problem
        switched = np.flatnonzero(problem.switched)
        u, l = self.upper[switched], self.lower[switched]
        above = switched[np.isfinite(u) & (u != 0)]
        below = switched[np.isfinite(l) & (l != 0)]

        matrix = _stacked(problem, (below, self.lower), (above, self.upper))
        free_below, free_above = np.full(below.size, np.inf), np.full(above.size, -np.inf)
        lower = np.concatenate([problem.row_lower, problem.b_lower, np.zeros(below.size), free_above])
        upper = np.concatenate([problem.row_upper, problem.b_upper, free_below, np.zeros(above.size)])
        return JointRows(matrix, lower, upper, below, above)

    @cached_property
    def needed_rows(self) -> NDArray[np.bool_]:
        """Which of the joint rows say something: not links that another row implies, also where b is relaxed.

        Such as those of x that share a row x_1 + x_2 <= u b.
        """
        problem, joint = self.problem, self.joint_rows
        links = problem.rows + problem.B.shape[0]
        below, above = implied_links(problem, self.lower, self.upper)
        needed = np.ones(joint.matrix.shape[0], dtype=bool)
        needed[links:] = ~np.concatenate([below[joint.below], above[joint.above]])
        return needed

    def find_diagonal(self, time_limit: float | None = None, rounds: int = MOST_ROUNDS) -> Vector:
        """The diagonal for Persp: the largest-trace one where it can be had in time, else Phi.

        It depends on Q alone, so it is found once for all problems that share their Q.
        """
        if self._diagonal is None and self.problem.Q.below is not None:
            self._diagonal = (1.0 - BELOW) * self.problem.Q.below
        if self._diagonal is None:
            # What is never off needs no diagonal, but for its minimum where it has no limits.
            switched = self.problem.switched
            weights = None if switched.all() else np.where(switched, 1.0, UNSWITCHED)
            self._diagonal = remembered_largest_trace(self.problem.Q, time_limit, rounds, weights)
        return self._diagonal

    @property
    def diagonal(self) -> Vector:
        """The diagonal for Persp; see `find_diagonal`."""
        return self.find_diagonal()

    @cached_property
    def phi(self) -> Vector:
        """The paper's diagonal below Q, or one that is known to be there."""
        if self.problem.Q.below is not None:
            return (1.0 - BELOW) * self.problem.Q.below
        return remembered_phi(self.problem.Q)


class Relaxation(Protocol):
    """A relaxation: give it the setting and what earlier ones found, get scores, a point and a bound.

    Attributes
    ----------
    name : str
        Under which its bound is known.
    dominated_by : tuple of str
        Relaxations after which it has nothing to add but diversity: it is left out where it takes long.
    others_need_it : bool
        Whether others are read off it: where it has no answer they have none.

    Examples
    --------
    >>> import numpy as np
    >>> import hybridmip as hm
    >>> from hybridmip.model.units import Proof
    >>> from hybridmip.relax.protocol import Relaxed
    >>> class AtZero(hm.Relaxation):
    ...     name = "at zero"
    ...     def solve(self, setting, earlier, time_limit):
    ...         problem = setting.problem
    ...         x, rows, b_rows = np.zeros(problem.n), np.zeros(problem.rows), np.zeros(problem.B.shape[0])
    ...         bound, proof = setting.formula.claim(Proof(setting.phi, x, rows, b_rows))
    ...         return Relaxed(self.name, -problem.p, 0.0, x, np.zeros(problem.m), bound, rows, b_rows, x, x, proof)
    >>> hm.RELAXATIONS["at zero"] = lambda config: AtZero()
    >>> config = hm.Config(relaxations=("at zero",), enumerate_up_to=0)
    >>> hm.solve(hm.market(assets=12).portfolio(assets=4), config=config).bounds["at zero"]
    0.0
    >>> _ = hm.RELAXATIONS.pop("at zero")
    """

    name: str
    dominated_by: tuple[str, ...] = ()
    others_need_it: bool = False

    def solve(self, setting: Setting, earlier: dict[str, Relaxed], time_limit: float | None) -> Relaxed:
        """Relax the problem.

        Raises
        ------
        RelaxationFailed
            If there is no answer.
        """
        ...
