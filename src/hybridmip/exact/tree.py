"""Branch and bound over the closed formula.

A node fixes some binaries on and off. Its bound is the formula over the b that are left, at the point and multipliers
of its perspective relaxation (`relax.node_kernel`), with a diagonal fitted to the x that are left: those that are on
for certain need none, so the others may have more. Binaries that the bound decides are fixed; a node whose bound
passes the cut is done; a node with one b left is solved; every other one is split.

Nodes are taken best bound first, a fixed number at a time, and each is worked on by itself, so that nothing depends
on the number of threads. What rules a node out is kept: all of it together is a proof.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hybridmip.bounds.null_vectors import NullVectors, null_vectors
from hybridmip.bounds.products import Products
from hybridmip.bounds.proof_tree import Branch, Counts
from hybridmip.exact.fit_kernel import fit
from hybridmip.model.quadratic import Matrix, Vector
from hybridmip.model.semidefinite import lacking
from hybridmip.relax.node import Shared
from hybridmip.relax.node_kernel import COUNTS, solve_node

Status = NDArray[np.int8]

#: Columns of the factor that the diagonal is found with.
RANK = 16
#: Rounds of fitting the diagonal at the root, and at every second level below it.
ROOT_ROUNDS = 30
ROUNDS = 2
#: Sweeps of one fit, and the change at which it ends.
SWEEPS = 60
STOP = 3e-3
#: Least weight, as a share of the largest; how far to go towards a new diagonal; and how far to stretch it.
FLOOR = 0.01
STEP = 0.3
STRETCH = 0.08
#: A fit is worth another when it gained this share of what is left.
WORTH = 0.02
#: A diagonal entry below this share of Q's counts as none.
NEGLIGIBLE = 1e-7
#: A narrow null vector is branched on when an x on it is at least this share of the largest, in standard deviations.
CARRIES = 0.05
#: An x has no curvature to speak of below this share of what is usual, over its whole range; and most that may be so.
FLAT = 1e-3
FEW = 0.1
#: Share of a diagonal that is there for the x without a limit.
GROUND = 1e-3
#: b beyond this is no longer fractional.
WHOLE = 1.0 - 1e-6
#: And a number of them is whole when it is nearer to one than this.
WHOLE_COUNT = 0.05
#: What a child gains counts at least as this share of what is left.
LEAST_GAIN = 1e-3


@dataclass(frozen=True)
class Diagonal:
    """A diagonal D, and what Q - D lacks to being semidefinite on the x that are left.

    Where products were taken off the objective first, it is below what these leave of Q.
    """

    values: Vector
    slack: Vector
    products: Products | None = None
    #: Where it is made of one below a part of Q (`exact.mixtures`), that.
    inner: Vector | None = None


@dataclass(frozen=True)
class Reason:
    """What rules something out: the formula with this diagonal, point and multipliers."""

    diagonal: Diagonal
    point: Vector
    multipliers: Vector
    value: float
    #: What was taken off the objective first, if something was.
    products: Products | None = None


@dataclass
class Node:
    """A set of binaries fixed on (1) and off (-1), with what its parent left."""

    status: Status
    diagonal: Diagonal
    weights: Vector
    factor: Matrix
    start: Vector
    bound: float
    #: The counts of b that are left.
    counts: Counts
    depth: int = 0
    #: How many x had no diagonal for a null vector, at the parent.
    without: int = 0
    #: Whether a split by the number of binaries that are on has a chance.
    by_count: bool = True
    #: The curved x that were in play when null vectors were last asked for, and these.
    null: tuple[NDArray[np.intp], NullVectors] | None = None
    #: Where what is done at this node is kept, if it is.
    branch: Branch | None = None


@dataclass
class Outcome:
    """What became of a node: closed where its bound is at least the cut, and there is no leaf.

    Binaries are fixed for what is below the cut only: that itself is then a bound on what was left out.
    """

    bound: float
    children: list[Node] = field(default_factory=list)
    #: The best bound without a branch, and what gives it.
    reason: Reason | None = None
    #: Whether nothing was fixed on the way.
    whole: bool = True
    #: The relaxed b, to round.
    relaxed: Vector | None = None
    #: What was done: a reason, and the binaries that it fixed (to 1 or -1).
    steps: list[tuple[Reason, list[tuple[int, int]]]] = field(default_factory=list)
    #: What closes the node, if a reason does; and the binary that it is split by, if one does.
    closed: Reason | None = None
    binary: int | None = None
    #: Or the count: a group, and how many of it are on at most.
    count: tuple[int, int] | None = None
    #: The one b that is left, if so.
    leaf: NDArray[np.bool_] | None = None
    solves: int = 0
    iterations: int = 0
    fits: int = 0
    work: float = 0.0


def rank_of(size: int) -> int:
    """Columns of the factor that serve so many x."""
    return 8 if size <= 36 else 12 if size <= 80 else RANK


class Worker:
    """Works on nodes; holds nothing that changes but the sign to stop.

    Parameters
    ----------
    shared : Shared
    products : Products, optional
        What was taken off the problem's objective to get that of `shared`.
    """

    def __init__(self, shared: Shared, products: Products | None = None) -> None:
        self.shared, self.products = shared, products
        #: Made nonzero by whoever has no more time; a node that is being worked on ends with what it has.
        self.stop = np.zeros(1)
        self._own = np.diag(shared.Q).copy()
        self._curved = self._own > 0
        self._flat = self._without_curvature()
        self._any_flat = bool(self._flat.any())
        self._all_counted = bool((shared.group >= 0).all())
        #: Whether a null vector of Q has an entry on a curved x.
        self.singular = bool((null_vectors(shared.Q).touched & self._curved).any())
        nowhere = np.zeros(shared.q.size, dtype=bool)
        self._no_null_vectors = NullVectors(nowhere, nowhere, np.zeros((0, shared.q.size)))
        slack = lacking(shared.Q, shared.ground) if shared.ground.any() else None
        self._ground = None if slack is None else Diagonal(shared.ground, slack)

    def within(self, lower: Vector, upper: Vector) -> Worker:
        """The same with other limits of x."""
        return Worker(self.shared.within(lower, upper), self.products)

    def form_of(self, diagonal: Diagonal) -> Matrix:
        """The Q that a diagonal is below."""
        return self.shared.Q

    def _without_curvature(self) -> NDArray[np.bool_]:
        """Which x have a switch and hardly any curvature beside the others, where these are few."""
        shared = self.shared
        reach = np.maximum(np.abs(shared.lower), np.abs(shared.upper))
        curvature = np.where(self._curved, self._own, 0.0) * np.where(self._curved, reach, 1.0) ** 2
        switched = shared.switch >= 0
        flat = switched & (curvature < FLAT * float(np.median(curvature[switched]))) if switched.any() else switched
        return flat if flat.sum() <= max(1, FEW * switched.sum()) else np.zeros_like(flat)

    @property
    def start_status(self) -> Status:
        """What is off where nothing is decided: binaries that are never on."""
        return np.where(self.shared.counts.possible, 0, -1).astype(np.int8)

    def root(self, diagonal: Vector | None = None) -> Node:
        """The node in which nothing is fixed but what is never on."""
        shared, n = self.shared, self.shared.q.size
        status = self.start_status
        factor = np.random.default_rng(0).standard_normal((n, RANK))
        found = Diagonal(np.zeros(n), np.zeros(n))
        if diagonal is not None:
            diagonal = np.where(self.free(status), diagonal, 0.0)
            found = self.certain(diagonal, status) or found
        start = np.zeros(shared.size_of_iterate)
        node = Node(status, found, np.full(n, -1.0), factor, start, -math.inf, shared.counts)
        if diagonal is None:
            width = shared.upper - shared.lower
            size = np.where(np.isfinite(width) & (width > 0), width, 1.0)
            node.diagonal = self.fit(node, size, np.full(shared.p.size, 0.5), 1.0) or found
        return node

    def in_play(self, status: Status) -> NDArray[np.bool_]:
        """Which x are not off for certain."""
        owner = self.shared.switch
        return np.asarray((owner < 0) | (status[np.maximum(owner, 0)] >= 0))

    def free(self, status: Status) -> NDArray[np.bool_]:
        """Which x have a switch that is not decided."""
        owner = self.shared.switch
        return np.asarray((owner >= 0) & (status[np.maximum(owner, 0)] == 0))

    def null_vectors(self, node: Node) -> NullVectors:
        """Of Q on the curved x in play; kept with the node, since they change only when an x leaves."""
        n = self.shared.q.size
        if not self.singular:
            return self._no_null_vectors
        there = np.flatnonzero(self.in_play(node.status) & self._curved)
        if node.null is None or not np.array_equal(there, node.null[0]):
            found = null_vectors(self.shared.Q[np.ix_(there, there)])
            implied, touched, narrow = (
                np.zeros(n, dtype=bool),
                np.zeros(n, dtype=bool),
                np.zeros((len(found.narrow), n)),
            )
            implied[there], touched[there], narrow[:, there] = found
            node.null = there, NullVectors(implied, touched, narrow)
        return node.null[1]

    def without(self, node: Node) -> int:
        """How many x have no diagonal for a null vector."""
        return int((self.null_vectors(node).touched & self.free(node.status)).sum()) if self.singular else 0

    def certain(self, diagonal: Vector, status: Status) -> Diagonal | None:
        """The diagonal with a proof that it is below Q on the x in play; None where there is none."""
        shared, there = self.shared, np.flatnonzero(self.in_play(status))
        if there.size == 0:
            return Diagonal(diagonal, np.zeros(diagonal.size))
        found = lacking(shared.Q[np.ix_(there, there)], diagonal[there])
        if found is None:
            return None
        slack = np.zeros(diagonal.size)
        slack[there] = found
        return Diagonal(diagonal, slack)

    def fit(self, node: Node, x: Vector, b: Vector, step: float) -> Diagonal | None:
        """A diagonal nearer to the best one for a point (x, b): a step towards the largest weighted trace.

        Changes the node's weights and factor, from which the next fit goes on.
        """
        shared, status = self.shared, node.status
        implied, touched, _ = self.null_vectors(node)
        fitted = self.free(status) & self._curved & ~touched
        free = np.flatnonzero(fitted)
        rest = np.flatnonzero(self.in_play(status) & self._curved & ~fitted & ~implied)
        if free.size < 2:
            return None
        base = np.maximum(b[shared.switch[free]], 1e-9)
        weight = np.maximum(x[free] ** 2 / base - x[free] ** 2, 0.0)
        before = node.weights[free]
        weight = np.where(before >= 0, 0.5 * (weight + before), weight)
        largest = float(weight.max())
        if not largest > 0:
            return None
        node.weights = node.weights.copy()
        node.weights[free] = weight
        weight = np.maximum(weight, FLOOR * largest)
        rank = rank_of(free.size)
        V = np.ascontiguousarray(node.factor[free, :rank])
        found = np.zeros(free.size)
        old = node.diagonal.values[free]
        proven = fit(shared.Q, old, free, rest, weight, V, step, STRETCH, SWEEPS, STOP, found)
        node.factor = node.factor.copy()
        node.factor[free, :rank] = V
        if not found.any():
            return None
        values = np.zeros(shared.q.size)
        # What is nothing beside Q is nothing: where Q is singular only rounding would be left of it.
        values[free] = np.where(found > NEGLIGIBLE * self._own[free], found, 0.0)
        if proven and not implied.any():
            return Diagonal(values, np.zeros(values.size))
        return self.certain(values, status) or self.certain(values * (1 - 1e-7), status)

    def grounded(self, diagonal: Diagonal) -> Diagonal:
        """The diagonal with something of the ground in it, so that no x is without a limit and a diagonal."""
        if self._ground is None:
            return diagonal
        own, share = 1.0 - GROUND, GROUND
        return Diagonal(
            (own * diagonal.values + share * self._ground.values) * (1.0 - 1e-15),
            (own * diagonal.slack + share * self._ground.slack) * (1.0 + 1e-15),
        )

    def bound(self, node: Node, diagonal: Diagonal, cut: float, outcome: Outcome) -> tuple[Reason, Vector, Any]:
        """The bound of a node with a diagonal, the relaxed b, and what every binary pays for being flipped."""
        shared = self.shared
        n, m, r = shared.q.size, shared.p.size, shared.low.size
        x, b, y, cost = np.zeros(n), np.zeros(m), np.zeros(r), np.zeros(m)
        last, following = np.zeros(shared.group_low.size), np.zeros(shared.group_low.size)
        numbers, start = np.zeros(5), np.zeros(shared.size_of_iterate)
        low, high = shared.limits(node.counts)
        value = solve_node(
            self.form_of(diagonal), diagonal.values, shared.q, shared.p, shared.Mx, shared.Mb, low, high, shared.rows,
            shared.lower, shared.upper, shared.switch, node.status, shared.kind, shared.group, node.counts.low,
            node.counts.high, diagonal.slack, cut - shared.offset, node.start, start, x, b, y, cost, last, following,
            numbers, self.stop,
        )  # fmt: skip
        value += shared.offset
        value -= 4e-16 * (abs(value) + abs(shared.offset))
        if start[-1] > 0.0:
            node.start = start
        outcome.solves += 1
        outcome.iterations += int(numbers[0])
        outcome.work += float(numbers[3])
        products = self.products if diagonal.products is None else diagonal.products
        return Reason(diagonal, x, y[: shared.own_rows], value, products), b, (cost, last, following)

    def fixed(self, node: Node, value: float, costs: Any, cut: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Binaries that must be on, and that must be off, for anything below the cut."""
        shared, status = self.shared, node.status
        cost, last, following = costs
        free = status == 0
        if not math.isfinite(value):
            return np.zeros_like(free), np.zeros_like(free)
        if shared.kind == COUNTS:
            with np.errstate(invalid="ignore"):
                if not self._all_counted:
                    last, following = np.append(last, 0.0), np.append(following, 0.0)
                # Forced on it pays its cost less what it pushes out; forced off, what replaces it less its cost.
                on = value + np.maximum(cost - last[shared.group], 0.0)
                off = value + np.maximum(following[shared.group] - cost, 0.0)
        else:
            on, off = value + np.maximum(cost, 0.0), value + np.maximum(-cost, 0.0)
        margin = 1e-12 * (abs(value) + np.abs(cost))
        return free & (off - margin > cut), free & (on - margin > cut)

    def work(self, node: Node, cut: float, most: float = math.inf) -> Outcome:
        """Bound a node, fix what can be fixed, and split it unless it is done.

        Beyond so much work its diagonal is not fitted any further.
        """
        outcome = Outcome(node.bound)
        if not node.counts.propagate(node.status):
            return Outcome(max(node.bound, cut))
        if not (node.status == 0).any():
            return self._leaf(node, cut, outcome)
        if node.depth == 0:
            node.diagonal = self.grounded(node.diagonal)
        reason, b, costs = self.bound(node, node.diagonal, cut, outcome)
        outcome.reason = reason
        outcome.bound = max(outcome.bound, reason.value)
        if reason.value >= cut:
            outcome.closed = reason
            return outcome
        done = self._fix(node, reason, costs, cut, outcome)
        without = self.without(node)
        # Where a null vector is gone there is much to gain again.
        fresh = node.depth == 0 or without < node.without - 1
        rounds = ROOT_ROUNDS if fresh else ROUNDS if node.depth % 2 == 0 else 0
        step, best = STEP, reason
        for turn in range(rounds):
            if done is not None:
                return done
            if outcome.work > most or self.stop[0]:
                break
            tried = self.fit(node, best.point, b, step)
            if tried is None:
                break
            tried = self.grounded(tried)
            outcome.fits += 1
            reason, b_new, costs_new = self.bound(node, tried, cut, outcome)
            if reason.value > best.value and outcome.whole:
                outcome.reason = reason
            outcome.bound = max(outcome.bound, reason.value)
            if reason.value >= cut:
                outcome.closed = reason
                return outcome
            gain = reason.value - best.value
            if gain > 0:
                best, b, costs, node.diagonal = reason, b_new, costs_new, tried
                done = self._fix(node, best, costs, cut, outcome)
            else:
                step *= 0.5
            left = cut - best.value
            if fresh:
                if (0 < gain < 0.01 * left and turn > 3) or step < 0.03:
                    break
            elif gain < WORTH * left:
                break
        if done is not None:
            return done
        outcome.relaxed = b
        self._split(node, best, b, cut, outcome)
        for child in outcome.children:
            child.without, child.null = without, node.null
        return outcome

    def _split(self, node: Node, reason: Reason, b: Vector, cut: float, outcome: Outcome) -> None:
        """Split a node: by a binary, or by how many are on, whichever raises the bounds of its children more."""
        dependent = self._dependent(node, reason.point)
        children = self._by_binary(node, b, outcome, dependent)
        by_count = None if dependent is not None else self._by_count(node, b, outcome.bound)
        if by_count is not None:
            room = cut - reason.value
            gains = [self._gain(pair, reason.value, room, outcome) for pair in (children, by_count[1])]
            if gains[1] > gains[0]:
                outcome.binary, outcome.count, children = None, by_count[0], by_count[1]
            else:
                for child in children:
                    child.by_count = False
        outcome.children = children

    def _child(self, node: Node, status: Status, counts: Counts, bound: float) -> Node:
        parts = node.diagonal, node.weights, node.factor, node.start
        return Node(status, *parts, bound, counts, node.depth + 1, by_count=node.by_count)

    def _by_binary(self, node: Node, b: Vector, outcome: Outcome, dependent: int | None) -> list[Node]:
        """The children with a binary on, and off: the one that a null vector depends on, if there is one."""
        i = outcome.binary = self._binary(node, b) if dependent is None else dependent
        children = []
        for side in (1, -1):
            status = node.status.copy()
            status[i] = side
            children.append(self._child(node, status, node.counts, outcome.bound))
        return children

    def _by_count(self, node: Node, b: Vector, bound: float) -> tuple[tuple[int, int], list[Node]] | None:
        """A count of the binaries that no row counts, and the children with more on, and fewer; None for none."""
        g, counts = self.shared.loose, node.counts
        if g < 0 or not (node.by_count and math.isfinite(bound)):
            return None
        number = float(b[self.shared.group == g].sum())
        most = math.floor(number)
        if not (WHOLE_COUNT < number - most < 1 - WHOLE_COUNT and counts.low[g] <= most < counts.high[g]):
            return None
        return (g, most), [self._child(node, node.status.copy(), part, bound) for part in counts.split(g, most)]

    def _gain(self, children: list[Node], value: float, room: float, outcome: Outcome) -> float:
        """The product of what the bounds of the children are above a value, each at most the room."""
        gain = 1.0
        for child in children:
            status, above = child.status.copy(), room
            if child.counts.propagate(status):
                copy = replace(child, status=status)
                reason, _, _ = self.bound(copy, child.diagonal, value + room, outcome)
                above = min(max(reason.value - value, 0.0), room)
            gain *= above + LEAST_GAIN * room
        return gain

    def _binary(self, node: Node, b: Vector) -> int:
        """The binary that a node is split by: where rows count them the largest below 1, else the most fractional."""
        free = np.flatnonzero(node.status == 0)
        if self.shared.loose == 0 and node.counts.low[0] < node.counts.high[0]:
            score = -np.abs(b[free] - 0.5)
        else:
            score = np.where(b[free] < WHOLE, b[free], 0.0)
            if not score.any():  # nothing is fractional, and yet the bound is below the cut
                score = -np.abs(b[free] - 0.5)
        return int(free[int(np.argmax(score))])

    def _dependent(self, node: Node, x: Vector) -> int | None:
        """The binary to decide first because of a null vector of Q; None where there is none.

        An x without curvature is one by itself: a b as small as its limits let it be costs nothing. Of the others that
        with the largest x on it counts, and of its entries the largest: without a mixture its members have a diagonal
        again, without one of many members they have little.
        """
        if not (self.singular or self._any_flat):
            return None
        free = self.free(node.status)
        flat = np.where(free & self._flat, np.abs(x), 0.0)
        if flat.max(initial=0.0) > CARRIES * np.abs(x).max(initial=0.0):
            return int(self.shared.switch[np.argmax(flat)])
        size = np.where(free, np.abs(x) * np.sqrt(np.maximum(self._own, 0.0)), 0.0)
        heaviest, found = CARRIES * float(size.max(initial=0.0)), None
        for vector in self.null_vectors(node).narrow:
            there = np.flatnonzero((vector != 0.0) & free)
            if size[there].max(initial=0.0) > heaviest:
                heaviest = float(size[there].max())
                found = int(self.shared.switch[there[np.lexsort((size[there], np.round(vector[there], 6)))[-1]]])
        return found

    def _fix(self, node: Node, reason: Reason, costs: Any, cut: float, outcome: Outcome) -> Outcome | None:
        """Fix what the bound decides; an outcome where that ends the node."""
        on, off = self.fixed(node, reason.value, costs, cut)
        if not (on | off).any():
            return None
        both = np.flatnonzero(on & off)
        if both.size:  # neither value is left
            outcome.steps.append((reason, [(int(both[0]), 1)]))
            outcome.bound, outcome.closed = max(outcome.bound, cut), reason
            return outcome
        fixed = [(int(i), 1) for i in np.flatnonzero(on)] + [(int(i), -1) for i in np.flatnonzero(off)]
        outcome.steps.append((reason, fixed))
        node.status[on], node.status[off], outcome.whole = 1, -1, False
        if not node.counts.propagate(node.status):
            outcome.bound = max(outcome.bound, cut)
            return outcome
        return None if (node.status == 0).any() else self._leaf(node, cut, outcome)

    def _leaf(self, node: Node, cut: float, outcome: Outcome) -> Outcome:
        """One b is left: closed where its bound is, else to be solved."""
        nothing = self.certain(np.zeros(self.shared.q.size), node.status)
        if nothing is not None:
            reason, _, _ = self.bound(node, self.grounded(nothing), cut, outcome)
            if reason.value >= cut:
                outcome.bound, outcome.closed = max(outcome.bound, reason.value), reason
                return outcome
        outcome.leaf = node.status == 1
        return outcome
