"""The most that an optimal flow need carry on each arc, and the arcs on which it may run in circles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components

from hybridmip.applications.network.names import Indices
from hybridmip.errors import ProblemError
from hybridmip.model.quadratic import Matrix, Vector, frozen

if TYPE_CHECKING:
    from hybridmip.applications.network.fixed_charge import FixedChargeNetwork

#: Rounds of passing limits on from arc to arc, at most.
LIMIT_ROUNDS = 20
#: Searches for what reaches what are left out where sources times arcs exceed this.
REACH_WORK = 2e8


def commodity_limits(network: FixedChargeNetwork) -> Matrix:
    """The most of each commodity (rows) that an optimal flow need carry on each arc (columns).

    Costs never fall with the flow, so some optimal flow runs in no circle; what it carries on an arc
    comes from sources before the arc and goes to sinks behind it. Arcs on a circle with a negative
    cost are the exception: there only the capacity counts.
    """
    tails, heads = network.tails, network.heads
    usable = network.capacity > 0
    circles = network.may_circle
    limits = np.empty((len(network.supplies), len(network.arcs)))
    into, out = _reachable(network, usable)
    for k, supply in enumerate(network.supplies):
        limit = np.minimum(network.capacity, np.minimum(into[k, tails], out[k, heads]))
        if network.commodities is not None:
            # Without circles nothing comes back to the origin, or leaves the destination.
            limit[(heads == supply.argmax()) | (tails == supply.argmin())] = 0.0
        limit[circles] = network.capacity[circles]
        limits[k] = _passed_on(network, limit, supply, circles)
    return frozen(limits)


def may_circle(network: FixedChargeNetwork) -> NDArray[np.bool_]:
    """Arcs on a circle of arcs one of which has a negative cost: flow may run in circles there."""
    negative = network.unit_cost < 0
    if not negative.any():
        return np.zeros(len(network.arcs), dtype=bool)
    n = len(network.nodes)
    links = sparse.csr_array((np.ones(len(network.arcs)), (network.tails, network.heads)), shape=(n, n))
    _, part = connected_components(links, directed=True, connection="strong")
    inside = part[network.tails] == part[network.heads]
    mask: NDArray[np.bool_] = inside & np.isin(part[network.tails], part[network.tails[negative & inside]])
    return mask


def check_circles(network: FixedChargeNetwork) -> None:
    """Flow that runs in circles and earns by it must have a limit."""
    for a in np.flatnonzero(network.may_circle & np.isinf(network.capacity)):
        negative = np.flatnonzero((network.unit_cost < 0) & network.may_circle)[0]
        raise ProblemError(
            f"capacity of {network.arc_names[a]} is None, but unit_cost of {network.arc_names[negative]} is negative "
            "and flow could run in circles there; give every such arc a capacity"
        )


def _reachable(network: FixedChargeNetwork, usable: NDArray[np.bool_]) -> tuple[Matrix, Matrix]:
    """Per commodity: what can arrive at each node, and what of it is wanted there and behind."""
    n = len(network.nodes)
    sources = np.flatnonzero((network.supplies > 0).any(axis=0))
    sinks = np.flatnonzero((network.supplies < 0).any(axis=0))
    sent, wanted = np.maximum(network.supplies, 0.0), np.maximum(-network.supplies, 0.0)
    if (len(sources) + len(sinks)) * float(len(network.arcs) + n) > REACH_WORK:
        total = np.repeat(sent.sum(axis=1)[:, None], n, axis=1)
        return total, total
    tails, heads = network.tails[usable], network.heads[usable]
    ahead = _reach(n, tails, heads, sources)
    behind = _reach(n, heads, tails, sinks)
    return sent[:, sources] @ ahead, wanted[:, sinks] @ behind


def _passed_on(network: FixedChargeNetwork, limit: Vector, supply: Vector, circles: NDArray[np.bool_]) -> Vector:
    """Limits lowered to what the arcs before and behind can bring and take, over and over."""
    n, tails, heads = len(network.nodes), network.tails, network.heads
    for _ in range(LIMIT_ROUNDS):
        back = sparse.csr_array((limit, (heads, tails)), shape=(n, n))
        # An arc and its reverse are not both used, so the reverse brings nothing.
        reverse = np.asarray(back[tails, heads]).ravel()
        arriving = np.bincount(heads, limit, n) + np.maximum(supply, 0.0)
        leaving = np.bincount(tails, limit, n) + np.maximum(-supply, 0.0)
        lower = np.minimum(arriving[tails], leaving[heads]) - reverse
        change = (lower < limit * (1.0 - 1e-9)) & ~circles
        if not change.any():
            break
        limit = np.where(change, np.maximum(lower, 0.0), limit)
    return limit


def _reach(n: int, tails: Indices, heads: Indices, starts: Indices) -> Matrix:
    """1 where a node (columns) can be reached from a start (rows), else 0."""
    links = sparse.csr_array((np.ones(len(tails)), (tails, heads)), shape=(n, n))
    result = np.zeros((len(starts), n))
    for row, start in enumerate(starts):
        result[row, breadth_first_order(links, start, directed=True, return_predecessors=False)] = 1.0
    return result
