"""Flows in networks: rows that are nodes, x that are arcs, vertices that are spanning trees.

The x-polyhedron is that of a network where every x is in at most two rows and numbers can be found by which rows and x
are multiplied so that each x leaves one row and enters the other, as much of it as left. Its vertices can then be
searched far faster than those of others (`trees_kernel`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from hybridmip.engines import compiled
from hybridmip.model.quadratic import Vector
from hybridmip.search import trees_kernel

#: Arcs that come in at random in one round, at most.
MOST_KICKS = 4
#: Rounds of one call: about so many arcs are looked at twice, within these numbers of rounds.
LOOKS = 500_000
FEWEST_ROUNDS, MOST_ROUNDS = 4, 1000
#: Rounds after which it is asked whether it is enough.
ROUNDS_AT_ONCE = 20
#: The same of steps of annealing.
STEPS_AT_ONCE = 5000
#: Share of the arcs that bring nothing, one after another, after which a descent ends: so there are about four times as
#: many rounds as with whole passes.
PATIENCE = 0.25
#: A round may end above the last one by this much, times the negative logarithm of a uniform number; the unit is what
#: an arc that comes in typically costs (the median), which no units of the problem and no constant part of it change.
HEAT = 0.4
#: Relative difference up to which two multipliers of a row are the same.
SAME = 1e-12


@dataclass(frozen=True)
class Network:
    """Arcs of a network, whose last node, the root, takes what leaves all rows.

    Attributes
    ----------
    ends : ndarray of int, shape (variables, 2)
        Where an arc leaves and where it enters; -1 of what is in no row.
    scale : ndarray
        What one unit of an arc's flow is in its variable.
    nodes : int
        With the root.
    """

    ends: NDArray[np.int64]
    scale: Vector
    nodes: int

    @classmethod
    def of(cls, matrix: sparse.csc_array) -> Network | None:
        """The network of the rows `matrix @ z = 0`; None where they are none."""
        matrix = sparse.csc_array(matrix)
        matrix.eliminate_zeros()
        rows, columns = matrix.shape
        many = np.diff(matrix.indptr)
        if many.max(initial=0) > 2:
            return None
        pairs = np.flatnonzero(many == 2)
        first, second = matrix.indptr[pairs], matrix.indptr[pairs] + 1
        factor = _factors(
            matrix.indices[first], matrix.indices[second], -matrix.data[first] / matrix.data[second], rows
        )
        if factor is None:
            return None
        ends = np.full((columns, 2), -1, dtype=np.int64)
        scale = np.ones(columns)
        column = np.repeat(np.arange(columns), many)
        entries = matrix.data * factor[matrix.indices]
        # What leaves a row counts there as plus; one that is in a single row goes to the root, or comes from it.
        ends[many == 1] = rows
        ends[column, np.where(entries > 0, 0, 1)] = matrix.indices
        scale[column] = 1.0 / np.abs(entries)
        return cls(ends, scale, rows + 1)


def _factors(one: NDArray[np.int32], other: NDArray[np.int32], ratio: Vector, rows: int) -> Vector | None:
    """Factors of rows with factor[other] = ratio * factor[one] for every pair; None where there are none."""
    factor = np.ones(rows)
    graph = sparse.csr_array((np.ones(one.size), (one, other)), shape=(rows, rows))
    place: dict[tuple[int, int], int] = {}
    for k, pair in enumerate(zip(one.tolist(), other.tolist(), strict=True)):
        place.setdefault(pair, k)
    _, component = csgraph.connected_components(graph, directed=False)
    for start in np.unique(component, return_index=True)[1]:
        order, before = csgraph.breadth_first_order(graph, start, directed=False)
        for row in order[1:].tolist():
            from_row = int(before[row])
            found = place.get((from_row, row))
            step = ratio[found] if found is not None else 1.0 / ratio[place[row, from_row]]
            factor[row] = factor[from_row] * step
    wanted = ratio * factor[one]
    return factor if (np.abs(wanted - factor[other]) <= SAME * np.abs(wanted)).all() else None


def touching_arcs(network: Network, arcs: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the arcs of each node begin, and those of the given ones that touch it, one node after another."""
    both = np.concatenate([network.ends[arcs, 0], network.ends[arcs, 1]])
    start = np.concatenate([[0], np.cumsum(np.bincount(both, minlength=network.nodes))]).astype(np.int64)
    return start, np.concatenate([arcs, arcs])[np.argsort(both, kind="stable")]


class Trees:
    """Iterated local search over the spanning trees of a network.

    Parameters
    ----------
    network : Network
    lower, upper, cost, charge : ndarray
        Of every variable; a charge is paid where a variable is not zero.
    candidates : ndarray of int
        Arcs that may come in.
    """

    def __init__(
        self,
        network: Network,
        lower: Vector,
        upper: Vector,
        cost: Vector,
        charge: Vector,
        candidates: NDArray[np.int64],
    ) -> None:
        compiled.load(trees_kernel.KERNELS)
        self.network = network
        scale = network.scale
        self.about = np.ascontiguousarray(
            np.stack([lower / scale, upper / scale, cost * scale, charge, np.zeros(cost.size)], axis=1)
        )
        self.charge = charge
        self.candidates = candidates
        self.start, self.touching = touching_arcs(network, candidates)
        self.tree = np.zeros((network.nodes, 6), dtype=np.int64)
        self.flow = np.zeros(cost.size)
        self.value = np.inf

    def begin(self, basis: NDArray[np.int64], z: Vector) -> bool:
        """Go to a vertex; False where its basis is no tree."""
        trees_kernel.hang(self.network.ends, self.tree, basis)
        if (self.tree[:, trees_kernel.DEPTH] < 0).any():
            return False
        self._settle(z / self.network.scale)
        return True

    def _settle(self, flow: Vector) -> None:
        """Put what is outside the tree onto its nearer bound, and the tree's flows to what that leaves."""
        lower, upper = self.about[:, trees_kernel.LOWER], self.about[:, trees_kernel.UPPER]
        resting = np.where(flow - lower <= upper - flow, lower, upper)
        self.flow = np.where(np.isfinite(resting), resting, flow)
        trees_kernel.balance(self.network.ends, self.tree, self.flow)
        self.flow = np.clip(self.flow, lower, upper)
        paid = np.abs(self.flow) > trees_kernel.FLOW_TOLERANCE
        self.value = float(self.about[:, trees_kernel.COST] @ self.flow + self.charge @ paid)
        used = self.flow[paid & (self.charge > 0)]
        typical = float(np.abs(used).mean()) if used.size else 1.0
        self.about[:, trees_kernel.GUESS] = self.charge / typical

    @property
    def basis(self) -> NDArray[np.int64]:
        """The variables of the tree."""
        return self.tree[:-1, trees_kernel.ARC].copy()

    @property
    def z(self) -> Vector:
        """The values of all variables."""
        return self.flow * self.network.scale

    def search(
        self, rng: np.random.Generator, enough: Callable[[], bool] = lambda: False, looks: int = LOOKS
    ) -> tuple[float, NDArray[np.int64], Vector]:
        """Search for a while, or until it is enough, from where it is; returns the best value, its basis and its z."""
        patience = min(max(1, int(PATIENCE * self.candidates.size)), self.candidates.size)
        rounds = min(max(FEWEST_ROUNDS, looks // max(patience, 1)), MOST_ROUNDS)
        order, heat = rng.permutation(self.candidates), HEAT * self.rise(self.candidates)
        draws = rng.random((rounds, MOST_KICKS + 4))
        best, best_flow, best_basis = self.value, self.flow.copy(), self.basis
        for first in range(0, rounds, ROUNDS_AT_ONCE):
            flow, basis = self.flow.copy(), self.basis
            self.value, value = trees_kernel.search(
                self.network.ends, self.about, self.tree, self.flow, order, self.start, self.touching,
                draws[first : first + ROUNDS_AT_ONCE], self.value, heat, patience, flow, basis,
            )  # fmt: skip
            if value < best:
                best, best_flow, best_basis = value, flow, basis
            if enough():
                break
        return best, best_basis, best_flow * self.network.scale

    def anneal(
        self,
        rng: np.random.Generator,
        arcs: NDArray[np.int64],
        steps: int,
        hot: float,
        cold: float,
        enough: Callable[[], bool] = lambda: False,
    ) -> tuple[float, NDArray[np.int64], Vector]:
        """Let arcs come in at random while it cools down; returns the best value, its basis and its z.

        The temperatures are in the unit of `rise`.
        """
        unit = self.rise(arcs) or 1.0
        best, best_flow, best_basis = self.value, self.flow.copy(), self.basis
        for first in range(0, steps, STEPS_AT_ONCE):
            many = min(STEPS_AT_ONCE, steps - first)
            warm, cooler = (hot * (cold / hot) ** (at / steps) for at in (first, first + many))
            self.value, best = trees_kernel.anneal(
                self.network.ends, self.about, self.tree, self.flow, arcs, rng.random((many, 2)), unit * warm,
                unit * cooler, self.value, best, best_flow, best_basis,
            )  # fmt: skip
            if enough():
                break
        return best, best_basis, best_flow * self.network.scale

    def rise(self, arcs: NDArray[np.int64]) -> float:
        """The median of what arcs cost that come in and make it dearer."""
        changes = trees_kernel.changes(arcs, self.network.ends, self.about, self.tree, self.flow)
        rises = changes[changes > 0]
        return float(np.median(rises)) if rises.size else 0.0
