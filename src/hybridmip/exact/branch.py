"""The tree as a search: which nodes are worked on, what their outcomes mean for the answer and the bound."""

from __future__ import annotations

import heapq
import math
import os
import pickle
import threading
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext

import numpy as np

from hybridmip.bounds.formula import Formula
from hybridmip.bounds.ledger import Grade
from hybridmip.bounds.proof_tree import ProofTree
from hybridmip.engines.blas import one_thread
from hybridmip.exact.lifting import Lifting
from hybridmip.exact.limits import limits_of_objective
from hybridmip.exact.mixtures import unmixing
from hybridmip.exact.recorder import Recorder
from hybridmip.exact.subtree import Grown, grow, grow_elsewhere
from hybridmip.exact.tree import RANK, Diagonal, Node, Outcome, Reason, Worker
from hybridmip.exact.tried import NOTHING_TRIED, Tried, least_value
from hybridmip.model.quadratic import Binary, Vector
from hybridmip.model.units import Proof, Units
from hybridmip.relax.node import Shared
from hybridmip.relax.protocol import Setting
from hybridmip.restricted.protocol import Evaluation
from hybridmip.run.result import relative_gap
from hybridmip.run.state import SearchState
from hybridmip.tolerances import LEAST_OBJECTIVE

#: Nodes that are worked on at a time, whatever the number of threads.
BATCH = 8
#: The cut is this share of the gap below the answer.
SHARE_OF_GAP = 0.5
#: And what is claimed of it in a document is this share of the gap less.
SHARE_OF_CHECK = 0.02
#: Beyond so many numbers in open nodes (and no fewer nodes than that) the deepest come first: their subtrees are small.
MOST_NUMBERS = 5e7
FEWEST_OPEN = 1000
#: In the solver's units, in which x and costs are near 1: what rounding leaves of an objective that is zero.
ROUNDING = 1e-26
#: Share of the time and of the work that the doubly nonnegative relaxation of the root may take.
SHARE_OF_LIFTING = 0.6
#: Limits of x are found again when so much less of the root's binaries is free.
FEWER = 0.2
#: Nodes of a tree that is large.
LARGE_TREE = 64
#: Powers of four that multipliers of an infeasible problem are tried with.
LARGEST_CLASH = 30
SOURCE = "tree"


class Branching:
    """Branch and bound in progress; it can be stopped after any batch, and go on later.

    Parameters
    ----------
    state : SearchState
        The solve: what is found is offered to it, and bounds are raised.
    setting : Setting
    diagonal : ndarray, optional
        A diagonal below Q to begin with; found if left out.
    lifted : bool
        Whether the root is bounded by the doubly nonnegative relaxation first.
    guides : bool
        Whether what the root finds guides searches, and is kept as a certificate.
    """

    def __init__(
        self,
        state: SearchState,
        setting: Setting,
        diagonal: Vector | None = None,
        lifted: bool = False,
        guides: bool = True,
    ) -> None:
        self.state, self.setting, self._diagonal, self.lifted = state, setting, diagonal, lifted
        self._guides = guides
        self._plain = Shared.of(setting)
        self.worker = Worker(self._plain)
        self.nodes = 0
        self.work = 0.0
        self._open: list[tuple[float, int, Node]] = []
        # A node has a factor, weights, a diagonal and its slack, and where its parent ended.
        numbers = (RANK + 4) * setting.problem.n + setting.problem.m
        self._most_open = max(FEWEST_OPEN, int(MOST_NUMBERS / numbers))
        self._closed: Tried = NOTHING_TRIED
        self._count = 0
        self._rounded: set[bytes] = set()
        self._began = False
        self._root: Node | None = None
        self._guiding: Proof | None = None
        #: The cut that the limits of x were found for, and how many binaries were free.
        self._limited_at = (math.inf, math.inf)
        #: The worker, as it is sent to an executor.
        self._packed: bytes | None = None
        #: What was done at every node, where a proof is wanted.
        self.record: Recorder | None = Recorder() if state.prove else None

    @property
    def cut(self) -> float:
        """What a node's bound must pass for the gap to be closed."""
        best = self.state.best.objective
        open_gap = SHARE_OF_GAP * self.state.gap * max(abs(best), LEAST_OBJECTIVE * self.state.size)
        return best - max(open_gap, ROUNDING)

    @property
    def bound(self) -> float:
        """A lower bound on the problem, by now."""
        return min(self._closed.value, self._open[0][0] if self._open else math.inf) if self._began else -math.inf

    @property
    def done(self) -> bool:
        """Whether every node is closed."""
        return self._began and not self._open

    def run(self, work: float) -> bool:
        """Work on nodes until all are closed or so much work is done; returns whether all are closed."""
        state = self.state
        threads = state.config.threads or os.cpu_count() or 1
        until = self.work + work
        with (
            one_thread(state.problem.n),
            ThreadPoolExecutor(threads) if threads > 1 else nullcontext() as pool,
            self._stopped_in_time(),
        ):
            if not self._began:
                if not self.lifted:
                    self.worker = unmixing(self.worker, self.setting)
                self._limit()
                # The diagonal found before is for x in the solver's units, which say little where there were no limits.
                limited = self.worker.shared is not self._plain
                root = self._root = self.worker.root(None if limited else self._diagonal)
                if self.record is not None:
                    root.branch = self.record.root
                self._began = True
                known = self._known()
                if known is not None:
                    self._take(root, Outcome(known.value, closed=known), self.cut, set())
                    state.raise_bound(SOURCE, self.bound, self._closed.grade, stop=False)
                elif not (self.lifted and self._lift(root, work)):
                    self._push(root)
            while self._open and self.work < until:
                state.open_nodes = len(self._open)
                state.check()
                cut = self.cut
                batch = self._next(cut)
                self._close(Tried(cut, Grade.PROVEN))  # what is fixed on the way is only known not to be below it
                if state.executor is None or self.nodes == 0:
                    spread = map if pool is None or len(batch) == 1 else pool.map
                    shares = [(until - self.work) / max(len(batch), 1)] * len(batch)
                    done_here = spread(self.worker.work, batch, [cut] * len(batch), shares)
                    grown = list(zip(batch, done_here, strict=True))
                else:
                    grown = self._elsewhere(state.executor, batch, cut)
                if self.nodes == 0 and not self.lifted and self._guides:
                    self._guide(grown[0][1])
                done = {id(node) for node, _ in grown}
                for node, outcome in grown:
                    self._take(node, outcome, cut, done)
                self._limit()
                state.raise_bound(SOURCE, self.bound, self._closed.grade, stop=bool(self._open))
        state.open_nodes = 0
        if self._guiding is not None and not self.done:
            proof, self._guiding = self._guiding, None
            state.guide(diagonal=proof.diagonal, penalties=self.setting.formula.penalties(proof))
        if self.done and self.record is not None:
            state.proof = self._proof
        return self.done

    @contextmanager
    def _stopped_in_time(self) -> Iterator[None]:
        """Have the nodes at hand end when the time is up."""
        remaining = self.state.remaining
        if remaining is None:
            yield
            return

        def stop() -> None:
            self.worker.stop[0] = 1.0

        timer = threading.Timer(max(remaining, 0.0), stop)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            self.worker.stop[0] = 0.0

    def _limit(self) -> None:
        """Give x the limits that the objective implies, where the answer is better than before or the root smaller."""
        cut, worker = self.cut, self.worker
        status = self._root.status if self._root is not None else worker.start_status
        free = int((status == 0).sum())
        before, were_free = self._limited_at
        if not math.isfinite(cut) or not (cut < before or free < (1 - FEWER) * were_free):
            return
        # Where x has limits others are worth their price in a large tree only.
        unlimited = np.isinf(self._plain.lower) | np.isinf(self._plain.upper)
        if not (unlimited.any() or (self._open and self.nodes >= LARGE_TREE)):
            return
        self._limited_at = cut, free
        shared = worker.shared
        found = limits_of_objective(self.setting, self._plain, shared.lower, shared.upper, status, cut)
        if not found:
            return
        lower, upper = shared.lower.copy(), shared.upper.copy()
        for limit in found:
            (upper if limit.side > 0 else lower)[limit.j] = limit.value
        self.worker, self._packed = worker.within(lower, upper), None
        self._close(Tried(cut, Grade.PROVEN))  # what is beyond them is only known not to be below it
        self.work += float(len(found) * shared.q.size**2)
        if self.record is not None:
            self.record.limit(found)

    def _elsewhere(self, executor: Executor, batch: list[Node], cut: float) -> Grown:
        """Have the caller's executor grow the subtrees of a batch; where it is broken they are grown here."""
        if self._packed is None:
            self._packed = pickle.dumps(self.worker)
        try:
            futures = [executor.submit(grow_elsewhere, self._packed, node, cut, self.state.remaining) for node in batch]
            parts = [future.result() for future in futures]
        except (BrokenExecutor, OSError, pickle.PicklingError) as failure:
            self.state.note(f"the executor failed ({type(failure).__name__}); the tree was grown without it")
            self.state.executor = None
            parts = [grow(self.worker, node, cut, self.state.remaining) for node in batch]
        for node, part in zip(batch, parts, strict=True):
            part[0] = (node, part[0][1])  # the one that the record knows
        return [pair for part in parts for pair in part]

    def _known(self) -> Reason | None:
        """A proof from before that passes the cut, as a reason: nothing is left to do then but to keep it."""
        if self.setting.binaries.kind == "nested":
            return None  # a document prices its rows, whose least b a certificate finds by sorting
        found = self.state.ledger.best_proof(products=False)
        if found is None or found.proof is None or not found.claimed >= self.cut:
            return None
        proof = found.proof
        diagonal = Diagonal(proof.diagonal, np.zeros(proof.point.size))
        return Reason(diagonal, proof.point, np.concatenate([proof.rows, proof.binary_rows]), found.claimed)

    def _lift(self, root: Node, work: float) -> bool:
        """Bound the root by the doubly nonnegative relaxation; returns whether that ends it."""
        state, cut = self.state, self.cut
        assert state.best.x is not None
        lifting = Lifting(self.setting, self.worker, state.best.x)
        self._close(Tried(cut, Grade.PROVEN))
        whole = True

        def take(outcome: Outcome) -> None:
            nonlocal whole
            if self.record is not None:
                self.record.fix(root, outcome)
            if whole:
                self._claim(outcome.reason)
            whole = whole and outcome.whole
            state.raise_bound(SOURCE, min(max(root.bound, outcome.bound), cut), Grade.PROVEN, stop=False)
            state.check()

        remaining = state.remaining
        end = math.inf if remaining is None else time.perf_counter() + SHARE_OF_LIFTING * remaining
        outcome, done = lifting.sharpen(root, cut, SHARE_OF_LIFTING * work, take, end, state.bound)
        self.work += done
        self.worker = lifting.worker
        if outcome is None:
            return False
        if whole:
            self._claim(outcome.reason)
        self._take(root, outcome, cut, set())
        state.raise_bound(SOURCE, self.bound, self._closed.grade, stop=False)
        return True

    def _claim(self, reason: Reason | None) -> None:
        """A bound of the whole problem, with its certificate, where it is better than what is known."""
        if reason is None or reason.products is None or reason.value <= self.state.bound:
            return
        setting, rows = self.setting, self.setting.problem.rows
        lowered = reason.products.apply(setting.problem, setting.lower, setting.upper)
        if lowered is None:
            return
        y = reason.multipliers
        proof = Proof(reason.diagonal.values, reason.point, y[:rows], y[rows:])
        bound, proof = Formula(lowered, setting.binaries, setting.lower, setting.upper).claim(proof)
        self.state.raise_bound("dnn", bound, Grade.PROVEN, proof, stop=False, products=reason.products)

    def _proof(self, units: Units) -> ProofTree | None:
        """The proof, for the problem given; None where no document can hold it."""
        if self.record is None or self.record.broken:
            return None
        base = max(abs(self.state.best.objective), LEAST_OBJECTIVE * self.state.size)
        # A little less than what was found: a check rounds differently.
        return self.record.proof(units.value_of(self.bound - SHARE_OF_CHECK * self.state.gap * base), units)

    def _guide(self, root: Outcome) -> None:
        """What the root found is a proof by itself, and guides the searches that follow."""
        state = self.state
        if root.reason is not None and root.reason.products is not None:
            self._claim(root.reason)
            return
        if root.reason is None or (not root.children and root.reason.value <= state.bound):
            return
        rows = self.worker.shared.rows
        y = root.reason.multipliers
        proof = Proof(root.reason.diagonal.values, root.reason.point, y[:rows], y[rows:])
        bound, proof = self.setting.formula.claim(proof)
        self._guiding = proof if root.children else None
        state.raise_bound("root", bound, Grade.PROVEN, proof, stop=False)

    def _push(self, node: Node) -> None:
        self._count += 1
        heapq.heappush(self._open, (node.bound, self._count, node))

    def _next(self, cut: float) -> list[Node]:
        """The next nodes; those whose bound has passed the cut since are closed."""
        if len(self._open) > self._most_open:
            return self._deepest(cut)
        batch: list[Node] = []
        while self._open and len(batch) < BATCH:
            bound, _, node = heapq.heappop(self._open)
            if bound >= cut and self.record is None:
                self._close(Tried(bound, Grade.PROVEN))
            else:
                batch.append(node)
        return batch

    def _deepest(self, cut: float) -> list[Node]:
        """The deepest nodes, where so many are open that memory counts; those that have passed the cut are closed."""
        if self.record is None:
            passed = [bound for bound, _, _ in self._open if bound >= cut]
            if passed:
                self._close(Tried(min(passed), Grade.PROVEN))
                self._open = [entry for entry in self._open if entry[0] < cut]
        self._open.sort(key=lambda entry: (entry[2].depth, -entry[1]))
        batch = [node for _, _, node in reversed(self._open[-BATCH:])]
        del self._open[-BATCH:]
        heapq.heapify(self._open)
        return batch

    def _close(self, tried: Tried) -> None:
        self._closed = self._closed.and_then(tried)

    def _take(self, node: Node, outcome: Outcome, cut: float, done: set[int]) -> None:
        """What a node's outcome means; children that are done (by their ids) come by themselves."""
        state = self.state
        self.nodes += 1
        state.nodes += 1
        self.work += outcome.work
        if self.record is not None:
            self.record.add(node, outcome)
        if outcome.leaf is not None:
            answer = state.solver.evaluate(outcome.leaf)
            tried = least_value(self.setting, outcome.leaf, answer)
            # The formula at one b, or multipliers that prove it infeasible: nobody's word was taken.
            self._close(Tried(tried.value, Grade.PROVEN if tried.grade is Grade.TRIED else tried.grade))
            state.offer(outcome.leaf, answer, SOURCE)
            if self.record is not None:  # by now: a better answer lowers the cut to its own value
                self.record.close(node, self._solved(outcome.leaf, answer, cut))
            return
        # A document has no place for a bound that is the parent's: what was split for want of one of its own goes on.
        if outcome.bound >= cut and not (self.record is not None and outcome.children):
            self._close(Tried(outcome.bound, Grade.PROVEN))
            return
        for child in outcome.children:
            if id(child) not in done:
                self._push(child)
        if outcome.relaxed is not None:
            self._round(node, outcome.relaxed)

    def _solved(self, b: Binary, answer: Evaluation, cut: float) -> Reason | None:
        """The multipliers of a restricted problem as a reason that closes its b; None where they do not."""
        nothing, none = np.zeros(self.state.problem.n), np.zeros(self.state.problem.B.shape[0])
        if not answer.feasible:
            return self._clash(b, Diagonal(nothing, nothing), min(cut, self.cut))
        if answer.x is None or answer.row_multipliers is None:
            return None
        # Where an x has no limit curvature keeps its minimum finite.
        unlimited = np.isinf(self.setting.lower) | np.isinf(self.setting.upper)
        diagonal = (1 - 1e-6) * self.setting.phi if unlimited.any() else nothing
        if (unlimited & (diagonal <= 0)).any():
            return None
        value = self.setting.formula.at(b, Proof(diagonal, answer.x, answer.row_multipliers, none))
        if not value >= min(cut, self.cut):
            return None
        return Reason(Diagonal(diagonal, nothing), answer.x, np.concatenate([answer.row_multipliers, none]), value)

    def _clash(self, b: Binary, nothing: Diagonal, cut: float) -> Reason | None:
        """Multipliers that prove a b infeasible, as large as it takes to pass the cut; None where there are none."""
        y = self.state.solver.clash(b)
        if y is None:
            return None
        none = np.zeros(self.state.problem.B.shape[0])
        for times in 4.0 ** np.arange(LARGEST_CLASH):
            value = self.setting.formula.at(b, Proof(nothing.values, nothing.values, times * y, none))
            if value >= cut:
                return Reason(nothing, nothing.values, np.concatenate([times * y, none]), value)
        return None

    def _round(self, node: Node, relaxed: np.ndarray) -> None:
        """Try the b that the relaxation of a node is nearest to."""
        binaries = self.state.binaries
        if binaries.kind == "general":
            return
        score = relaxed - 0.5 + 10.0 * node.status
        loose = self.worker.shared.loose
        if loose >= 0:  # as many as the node leaves over
            members = np.flatnonzero(self.worker.shared.group == loose)
            order = members[np.argsort(-score[members], kind="stable")]
            low, high = int(node.counts.low[loose]), int(node.counts.high[loose])
            number = min(max(int((score[members] > 0).sum()), low), high)
            score[order[:number]], score[order[number:]] = 1.0, -1.0
        b: Binary = binaries.maximise(score)
        key = np.packbits(b).tobytes()
        if key not in self._rounded:
            self._rounded.add(key)
            self.state.evaluate(b, SOURCE)


def gap_is_open(state: SearchState) -> bool:
    """Whether there is an answer whose gap is not closed."""
    return state.best.feasible and relative_gap(state.best.objective, state.bound, state.size) > state.gap
