"""Whole subtrees for an executor: what is sent to a worker elsewhere, and what comes back."""

from __future__ import annotations

import heapq
import pickle
import time
from functools import lru_cache

from hybridmip.engines.blas import one_thread
from hybridmip.engines.compiled import ready
from hybridmip.exact import fit_kernel
from hybridmip.exact.tree import Node, Outcome, Worker
from hybridmip.relax import node_kernel

#: Nodes of a subtree, at most.
SUBTREE = 64
#: Problems that a process keeps at hand.
KEPT = 4

#: Nodes in the order in which they were worked on, and what became of them.
Grown = list[tuple[Node, Outcome]]


def grow(worker: Worker, root: Node, cut: float, seconds: float | None = None) -> Grown:
    """Work on a node and on what comes of it, best bound first, until so many are done or the time is up."""
    until = None if seconds is None else time.perf_counter() + seconds
    waiting, grown, count = [(root.bound, 0, root)], Grown(), 0
    while waiting and len(grown) < SUBTREE and (until is None or time.perf_counter() < until or not grown):
        node = heapq.heappop(waiting)[2]
        outcome = worker.work(node, cut)
        grown.append((node, outcome))
        if outcome.leaf is None and outcome.bound < cut:
            for child in outcome.children:
                count += 1
                heapq.heappush(waiting, (child.bound, count, child))
    return grown


def grow_elsewhere(packed: bytes, root: Node, cut: float, seconds: float | None) -> Grown:
    """`grow`, for a worker that is sent to another process."""
    worker = _unpacked(packed)
    with one_thread(worker.shared.q.size):
        return grow(worker, root, cut, seconds)


@lru_cache(KEPT)
def _unpacked(packed: bytes) -> Worker:
    ready((*fit_kernel.KERNELS, *node_kernel.KERNELS), wait=True)
    worker = pickle.loads(packed)
    assert isinstance(worker, Worker)
    return worker
