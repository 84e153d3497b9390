"""Flows of several networks that share charges and capacities: commodities on one map, sites and their customers.

What an open arc costs is paid once, whoever uses it, and what they ship through it together is limited. A charge is
saved by emptying all that it opens, each on the cheapest way that the others leave (`commodities_kernel`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.engines import compiled
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Vector
from hybridmip.search import commodities_kernel, trees_kernel
from hybridmip.search.trees import Network, touching_arcs

#: Arcs that are looked at in one search, about, and in one compiled call.
LOOKS = 3_000_000
LOOKS_AT_ONCE = 1_000_000
#: Rounds of one search at most, and of one compiled call: about so many charges and arcs.
MOST_ROUNDS = 1000
ARCS_AT_ONCE = 100_000
MOST_AT_ONCE = 10
#: Charges are changed by up to this factor, as a logarithm.
NOISE = 1.0
#: Searches without a better one after which it begins anew, elsewhere: down with charges changed by up to this factor,
#: as a logarithm.
STALE = 12
FRESH = 3.0
#: A round may end above the last one by this much, times the negative logarithm of a uniform number; the unit is the
#: median of the charges.
HEAT = 0.2


@dataclass(frozen=True)
class Capacities:
    """Which arcs share what is left of which capacity.

    Attributes
    ----------
    row : ndarray of int
        Of every arc; -1 of what takes of none.
    weight : ndarray
        What a unit of its flow takes.
    limit : ndarray
    """

    row: NDArray[np.int64]
    weight: Vector
    limit: Vector


@dataclass(frozen=True)
class SharedNetworks:
    """The networks of a problem, once the capacities that they share are left out.

    Attributes
    ----------
    network : Network
        Its arcs are the x, and behind them what each of the rows comes to.
    rows : ndarray of int
        Those that are nodes.
    capacities : Capacities
    """

    network: Network
    rows: NDArray[np.intp]
    capacities: Capacities

    @classmethod
    def of(cls, problem: Problem, limits: tuple[Vector, Vector]) -> SharedNetworks | None:
        """Those of a fixed-charge problem, given the limits of its rows with every b on; None where it has none.

        A capacity is a row of x that are not negative and add up to an upper limit, each x in one of them at most.
        """
        A, count = problem.A, problem.rows
        row = np.repeat(np.arange(count), np.diff(A.indptr))
        entries = A.data != 0
        positive = np.bincount(row, (A.data > 0), count) == np.bincount(row, entries, count)
        negative = np.bincount(row, (A.data < 0), count) == np.bincount(row, entries, count)
        low, high = limits
        has_b = np.diff(problem.G.indptr) > 0
        above = positive & np.isfinite(high) & (np.isneginf(low) | (has_b & (low <= 0)))
        below = negative & np.isfinite(low) & (np.isposinf(high) | (has_b & (high >= 0)))
        is_capacity = (above | below) & (np.bincount(row, entries, count) > 1)
        used = problem.x_lower[A.indices] >= 0
        is_capacity &= np.bincount(row, ~used & entries, count) == 0
        # An x in two of them: only those with a charge are capacities, the others nodes.
        twice = np.bincount(A.indices, is_capacity[row] & entries, problem.n) > 1
        if twice.any():
            is_capacity &= has_b
            twice = np.bincount(A.indices, is_capacity[row] & entries, problem.n) > 1
        if twice.any() or is_capacity.all():
            return None
        rows = np.flatnonzero(~is_capacity)
        network = Network.of(sparse.csc_array(sparse.hstack([A[rows], -sparse.eye_array(rows.size)])))
        if network is None:
            return None
        arcs = problem.n + rows.size
        place, weight = np.full(arcs, -1, dtype=np.int64), np.zeros(arcs)
        at = is_capacity[row] & entries
        number = np.cumsum(is_capacity) - 1
        place[A.indices[at]] = number[row[at]]
        weight[A.indices[at]] = np.abs(A.data[at])
        weight *= network.scale
        limit = np.where(above, high, -low)[is_capacity]
        return cls(network, rows, Capacities(place, weight, limit))


class Commodities:
    """Iterated local search over flows.

    Parameters
    ----------
    problem : Problem
        With fixed charges (`model.structure`).
    shared : SharedNetworks
    limits : tuple of ndarray
        Of the rows, with every b on.
    lower, upper : ndarray
        Of x.
    """

    def __init__(
        self, problem: Problem, shared: SharedNetworks, limits: tuple[Vector, Vector], lower: Vector, upper: Vector
    ) -> None:
        compiled.load(commodities_kernel.KERNELS)
        network, n = shared.network, problem.n
        self.problem, self.shared = problem, shared
        low = np.concatenate([lower, limits[0][shared.rows]]) / network.scale
        high = np.concatenate([upper, limits[1][shared.rows]]) / network.scale
        cost = np.concatenate([problem.q, np.zeros(shared.rows.size)]) * network.scale
        nothing = np.zeros(cost.size)
        self.about = np.ascontiguousarray(np.stack([low, high, cost, nothing, nothing], axis=1))
        owner = np.concatenate([np.where(problem.switched, problem.switch, -1), np.full(shared.rows.size, -1)])
        self.place = np.ascontiguousarray(np.stack([owner, shared.capacities.row], axis=1).astype(np.int64))
        moving = np.flatnonzero((high - low > trees_kernel.FLOW_TOLERANCE) & (network.ends[:, 0] >= 0))
        self.start, self.touching = touching_arcs(network, moving)
        own = np.flatnonzero(problem.switched)
        order = np.argsort(problem.switch[own], kind="stable")
        self.members = own[order].astype(np.int64)
        many = np.bincount(problem.switch[own], minlength=problem.m)
        self.first = np.concatenate([[0], np.cumsum(many)]).astype(np.int64)
        self.charge = problem.p.copy()
        dear = self.charge[self.charge > 0]
        self.heat = HEAT * float(np.median(dear)) if dear.size else 0.0
        #: Charges, then arcs: a single one of several that share a charge may go elsewhere, too.
        self.candidates = np.concatenate([np.flatnonzero(many), problem.m + moving[moving < n]]).astype(np.int64)
        self.flow = np.zeros(cost.size)
        self.side = 0
        #: The best value since it began, there or anew, and the searches since then.
        self.record = np.inf
        self.stale = 0

    def begin(self, z: Vector) -> None:
        """Go to the flows of a vertex: x, and what the rows come to."""
        n = self.problem.n
        flow = np.concatenate([z[:n], z[n:][self.shared.rows]])
        self.flow = np.ascontiguousarray(flow / self.shared.network.scale)
        self.record, self.stale = np.inf, 0
        if self.side == 0:
            # Ways to one source, or from one sink, are short from one of their ends, and everywhere from the other.
            tried = [self._run(side, self.candidates, self.flow.copy(), np.zeros((0, 2))) for side in (1, -1)]
            looks = [(min(many, LOOKS_AT_ONCE), value) for value, _, _, many in tried]
            self.side = 1 if looks[0] <= looks[1] else -1

    def _run(
        self,
        side: int,
        order: NDArray[np.int64],
        flow: Vector,
        draws: NDArray[np.float64],
        noise: NDArray[np.float64] | None = None,
        heat: float = 0.0,
    ) -> tuple[float, float, Vector, int]:
        best_flow = np.empty_like(flow)
        value, best, looks = commodities_kernel.search(
            self.shared.network.ends, self.about, self.place, self.shared.capacities.weight,
            self.shared.capacities.limit, self.charge, self.first, self.members, flow, order, self.start, self.touching,
            side, draws, np.zeros((0, self.charge.size)) if noise is None else noise, heat, LOOKS_AT_ONCE, best_flow,
        )  # fmt: skip
        return value, best, best_flow, looks

    def search(self, rng: np.random.Generator, enough: Callable[[], bool] = lambda: False) -> tuple[float, Vector]:
        """Search for a while, or until it is enough, from where it is; returns the best value and its z."""
        order, size = rng.permutation(self.candidates), self.charge.size
        best, best_flow, looks = np.inf, self.flow, 0
        if self.stale >= STALE:
            self.record, self.stale = np.inf, 0
            noise = rng.uniform(-FRESH, FRESH, (1, size))
            looks += self._run(self.side, order, self.flow, np.zeros((1, 2)), noise, np.inf)[3]  # to wherever it ends
        rounds = min(max(1, ARCS_AT_ONCE // max(order.size, 1)), MOST_AT_ONCE)
        for _ in range(0, MOST_ROUNDS, rounds):
            draws = rng.random((rounds, 2))
            noise = NOISE * rng.random((rounds, 1)) * rng.uniform(-1.0, 1.0, (rounds, size))
            _, value, flow, looked = self._run(self.side, order, self.flow, draws, noise, self.heat)
            looks += looked
            if value < best:
                best, best_flow = value, flow
            if looks > LOOKS or enough():
                break
        self.stale = 0 if best < self.record else self.stale + 1
        self.record = min(best, self.record)
        x = (best_flow * self.shared.network.scale)[: self.problem.n]
        return best, np.concatenate([x, self.problem.A @ x])
