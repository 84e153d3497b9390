"""Nodes made sharper by the doubly nonnegative relaxation (`relax.dnn`).

Its multipliers leave an objective below the problem's under which a diagonal fits. The bound of a node with that fixes
binaries, so that the relaxation goes on over fewer x; in the end the tree goes on with it. Every step is one of the
tree: the reason names the products.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hybridmip.exact.tree import Node, Outcome, Worker
from hybridmip.model.quadratic import Vector
from hybridmip.relax.dnn import ITERATIONS, Found, Lifted, serves
from hybridmip.relax.protocol import Setting

#: Least iterations that are of use, and about how much work a second sees done.
LEAST_ITERATIONS = 60
WORK_A_SECOND = 1e9
#: Looks without a gain, and share of the work since, after which it ends; before the first gain, more looks.
PATIENCE = 4
SHARE_TO_WAIT = 0.3
FIRST_PATIENCE = 14
#: A gain is this share of what is open, or of the binaries that are free.
GAIN = 0.05
#: Residuals below this leave nothing to gain.
CONVERGED = 1e-6
#: Shares of the diagonal found that are left out, until the rest is certain.
SHARES = (0.0, 1e-9, 1e-7, 1e-5, 1e-3)


def work_of(size: int) -> float:
    """About how much work an iteration is, in multiplications."""
    return 1.5 * size**3 + 3e4 * size


def lifts(setting: Setting, most_work: float, remaining: float | None) -> bool:
    """Whether a problem has what the relaxation needs, and there is time for it."""
    least = LEAST_ITERATIONS * work_of(setting.problem.n + 1)
    return serves(setting) and least <= most_work and (remaining is None or least <= remaining * WORK_A_SECOND)


@dataclass
class Lifting:
    """The relaxation for nodes of one problem.

    Attributes
    ----------
    setting : Setting
    worker : Worker
        Who works on nodes: first the one given, then the one with the best products.
    typical : ndarray
        A point whose entries say how large x is.
    """

    setting: Setting
    worker: Worker
    typical: Vector

    def sharpen(
        self,
        node: Node,
        cut: float,
        most_work: float,
        take: Callable[[Outcome], None],
        end: float = math.inf,
        known: float = -math.inf,
    ) -> tuple[Outcome | None, float]:
        """Bound a node again and again with better products, and fix what they decide.

        Parameters
        ----------
        node : Node
            Its status, diagonal and bound are changed; so is the worker, to the best one for it.
        take : callable
            Told of every outcome but the one that ends it.
        end : float
            When the time is up, by `time.perf_counter()`.
        known : float
            A bound that is there already: what is below it is no gain.

        Returns
        -------
        outcome : Outcome or None
            The last one, where that closes the node or leaves one b.
        work : float
        """
        lifted = Lifted(self.setting, node.status, self.typical)
        done, gained_at, looks = 0.0, 0.0, 0
        while lifted.there.size > 1 and done < most_work and time.perf_counter() < end:
            # What comes after a gain may cost as much again as all before it, in part.
            if looks >= (PATIENCE if gained_at else FIRST_PATIENCE) and done - gained_at > SHARE_TO_WAIT * done:
                break
            lifted.iterate(ITERATIONS, end)
            done += ITERATIONS * work_of(lifted.size)
            looks += 1
            found = self._with_products(lifted.found(), node)
            if found is None:
                continue
            worker, candidate = found
            outcome = worker.work(candidate, cut)
            done += outcome.work
            free, before = int((node.status == 0).sum()), max(known, node.bound)
            node.status = candidate.status
            if outcome.bound >= cut or outcome.leaf is not None:
                return outcome, done
            take(outcome)
            left = int((node.status == 0).sum())
            if outcome.bound > before:
                self.worker, node.diagonal, node.start = worker, candidate.diagonal, candidate.start
                node.weights, node.factor, node.bound = candidate.weights, candidate.factor, outcome.bound
            if left < free:
                lifted = Lifted(self.setting, node.status, self.typical, lifted)
            if left < (1 - GAIN) * free or outcome.bound > before + GAIN * (cut - before):
                looks, gained_at = 0, done
            if max(lifted.residuals) < CONVERGED:
                break
        return None, done

    def _with_products(self, found: Found, node: Node) -> tuple[Worker, Node] | None:
        """Who works with these products, and the node with their diagonal; None where they prove nothing."""
        problem, lower, upper = self.setting.problem, self.setting.lower, self.setting.upper
        products, diagonal = found
        if products.fault(problem, lower, upper):
            return None
        worker = Worker(self.worker.shared.lowered(products.lowered(problem, lower, upper)), products)
        diagonal = np.where(worker.free(node.status), diagonal, 0.0)
        for share in SHARES:
            certain = worker.certain((1 - share) * diagonal, node.status)
            if certain is not None:
                start = np.zeros(node.start.size)
                return worker, Node(
                    node.status.copy(), certain, node.weights, node.factor, start, -math.inf, node.counts
                )
        return None
