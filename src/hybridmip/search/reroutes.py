"""Flows of a network, searched by rerouting what an arc carries (Ghamlouche, Crainic and Gendreau 2003).

Where charges are dear, or nodes need not be used, good flows differ by whole paths: from tree to tree (`trees`) these
are many steps, the first of which only cost.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hybridmip.engines import compiled
from hybridmip.model.quadratic import Vector
from hybridmip.search import reroutes_kernel, trees_kernel
from hybridmip.search.trees import Network, touching_arcs

#: Arcs that are looked at in one search, about, and rounds at most.
LOOKS = 10_000_000
MOST_ROUNDS = 1000
#: Rounds after which it is asked whether it is enough: about so many arcs, at most so many rounds; and arcs looked at
#: after which it is asked in any case.
ARCS_AT_ONCE = 10_000
MOST_AT_ONCE = 20
LOOKS_AT_ONCE = 5_000_000
#: Charges are changed by up to this factor, as a logarithm.
NOISE = 1.0
#: Searches without a better one after which it begins anew, elsewhere: down with charges changed by up to this factor,
#: as a logarithm. Where one ends differs by percents.
STALE = 4
FRESH = 3.0
#: A round may end above the last one by this much, times the negative logarithm of a uniform number; the unit is the
#: median of the charges.
HEAT = 0.2


class Reroutes:
    """Iterated local search over flows.

    Parameters
    ----------
    network : Network
    about : ndarray, shape (arcs, 5)
        Bounds, cost and charge of every arc, as of `Trees`.
    arcs : ndarray of int
        Those whose flow may change.
    """

    def __init__(self, network: Network, about: NDArray[np.float64], arcs: NDArray[np.int64]) -> None:
        compiled.load(reroutes_kernel.KERNELS)
        self.network, self.about, self.arcs = network, about, arcs
        self.start, self.touching = touching_arcs(network, arcs)
        charges = about[arcs, trees_kernel.CHARGE]
        self.heat = HEAT * float(np.median(charges[charges > 0])) if (charges > 0).any() else 0.0
        self.flow = np.zeros(about.shape[0])
        self.side = 0
        #: The best value since it began, there or anew, and the searches since then.
        self.record = np.inf
        self.stale = 0

    def begin(self, z: Vector) -> None:
        """Go to the flows of a vertex."""
        self.flow = np.ascontiguousarray(z / self.network.scale)
        self.record, self.stale = np.inf, 0
        if self.side == 0:
            # Ways to one source, or from one sink, are short from one of their ends, and everywhere from the other.
            looks = [self._run(side, self.arcs, self.flow.copy(), np.zeros((0, 2)))[3] for side in (1, -1)]
            self.side = 1 if looks[0] <= looks[1] else -1

    def _run(
        self,
        side: int,
        order: NDArray[np.int64],
        flow: Vector,
        draws: NDArray[np.float64],
        noise: Vector | None = None,
        heat: float = 0.0,
    ) -> tuple[float, float, Vector, int]:
        best_flow = np.empty_like(flow)
        value, best, looks = reroutes_kernel.search(
            self.network.ends, self.about, flow, order, self.start, self.touching, side, draws,
            np.zeros((0, order.size)) if noise is None else noise, heat, LOOKS_AT_ONCE, best_flow,
        )  # fmt: skip
        return value, best, best_flow, looks

    def search(self, rng: np.random.Generator, enough: Callable[[], bool] = lambda: False) -> tuple[float, Vector]:
        """Search for a while, or until it is enough, from where it is; returns the best value and its z."""
        order = rng.permutation(self.arcs)
        rounds = min(max(1, ARCS_AT_ONCE // max(order.size, 1)), MOST_AT_ONCE)
        best, best_flow, looks = np.inf, self.flow, 0
        if self.stale >= STALE:
            self.record, self.stale = np.inf, 0
            noise = rng.uniform(-FRESH, FRESH, (1, order.size))
            looks += self._run(self.side, order, self.flow, np.zeros((1, 2)), noise, np.inf)[3]  # to wherever it ends
        for _ in range(0, MOST_ROUNDS, rounds):
            draws = rng.random((rounds, 2))
            noise = NOISE * rng.random((rounds, 1)) * rng.uniform(-1.0, 1.0, (rounds, order.size))
            _, value, flow, looked = self._run(self.side, order, self.flow, draws, noise, self.heat)
            looks += looked
            if value < best:
                best, best_flow = value, flow
            if looks > LOOKS or enough():
                break
        self.stale = 0 if best < self.record else self.stale + 1
        self.record = min(best, self.record)
        return best, best_flow * self.network.scale
