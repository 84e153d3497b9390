"""Search over the vertices of the x-polyhedron, where switching on only costs.

Where no row limits b, nothing is gained by being on, and an x that is on may be as small as it likes, the cost as a
function of x alone is concave: a best x is a vertex. A walk from vertex to vertex along edges (`vertices_kernel`) with
a tabu list sees what every edge costs, charges included, in microseconds (for transportation problems: Sun, Aronson,
McKeown and Drinka 1998). When it finds nothing more, charges are changed at random for a while, and it goes on from
there (iterated local search). Where the rows are those of a network it walks over spanning trees instead (`trees`),
hundreds of times as many, and by turns what arcs carry is rerouted (`reroutes`); that is done, too, where there are
several networks which share charges and capacities (`commodities`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.engines import compiled
from hybridmip.engines.highs import LinearModel
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Binary, Vector
from hybridmip.relax.protocol import Setting
from hybridmip.run.state import SearchState
from hybridmip.search import commodities_kernel, reroutes_kernel, trees_kernel, vertices_kernel
from hybridmip.search.charges import needed_upper, rows_when_on
from hybridmip.search.commodities import Commodities, SharedNetworks
from hybridmip.search.crossing import Crossing, Tree
from hybridmip.search.reroutes import Reroutes
from hybridmip.search.trees import Network, Trees
from hybridmip.search.vertices_kernel import VALUE_TOLERANCE

#: Rows up to which the basis is inverted, and lines of the tableau: the most promising ones.
MOST_ROWS = 1200
MOST_LINES = 2000
#: Steps for which a variable that left may not come back, at least; twice that at most.
TENURE = 20
#: Steps without improvement after which a walk ends; and with changed charges.
PATIENCE = 50
SHORT_PATIENCE = 8
#: Steps of one compiled call.
MOST_STEPS = 200
#: Charges are changed by up to this factor, as a logarithm: more after a round that came back, less after one that lost
#: too much. An end is accepted up to this much above the last.
NOISE = 1.0
LEAST_NOISE, STRONGER, WEAKER = 0.05, 1.2, 1.1
ACCEPTED = 0.003
#: Chance to go back to the best vertex since the last fresh start; that comes after so many rounds without a better
#: one, with charges changed by up to this factor, as a logarithm.
BACK = 0.05
STALE = 40
FRESH = 3.0
#: Of a network: arcs that may come into a tree, for each of its nodes.
PROMISING = 15
#: Steps of crossing in one turn where there is a time limit: all members are made in one, and later turns are about as
#: long as two of rerouting.
CROSSED_AT_ONCE = 12
#: Of so many turns of walks over trees and of rerouting all but one are of who brought the last better vertex.
FAVOUR = 3
#: Seconds of an LP whose time is up, at least.
LAST_LP = 0.05
#: Whose points they are.
VERTICES = "vertices"
#: Walks in one turn where no time limit ends it.
WALKS = 20
#: What is compiled for them.
KERNELS = (
    *vertices_kernel.KERNELS, *trees_kernel.KERNELS, *reroutes_kernel.KERNELS, *commodities_kernel.KERNELS,
)  # fmt: skip
#: Where they were never used before in a process: seconds for which it does without, unless rows have more entries than
#: this, and seconds that must be left for them to be loaded.
UNLOADED = 0.5
LARGE = 5000
LOADING = 2.0
#: Different b that are kept, and the share in which they differ at least.
MOST_KEPT = 10
DIFFERENT = 0.02


@dataclass
class Vertex:
    """A vertex: its value, the variables in the basis, and the values of x and of the rows."""

    value: float
    basis: NDArray[np.int64]
    z: Vector


def _with_slacks(problem: Problem) -> sparse.csc_array:
    """The rows, each with a variable of its own that is what it comes to."""
    return sparse.csc_array(sparse.hstack([problem.A, -sparse.eye_array(problem.rows)]))


def _network(problem: Problem) -> Network | None:
    """The network of a problem, where its rows are one and no two x share a switch."""
    shared = np.bincount(problem.switch[problem.switched]).max(initial=0) > 1
    return None if shared else Network.of(_with_slacks(problem))


def walks_over_trees(setting: Setting, fixed_charge: bool) -> bool:
    """Whether the walks are those over spanning trees, which find good points in no time."""
    return fixed_charge and setting.problem.rows > 0 and _network(setting.problem) is not None


def when_loaded(state: SearchState, setting: Setting) -> Vertices | None:
    """The walks over vertices; None while what they need is being compiled and there is a clock."""
    charges = state.structure.fixed_charge
    # Loading them takes a while, in which nobody would see that HiGHS has ended, or that the time is up.
    if charges and state.remaining is not None and not all(kernel.loaded for kernel in KERNELS):
        early = state.seconds < UNLOADED and state.problem.A.nnz <= LARGE
        if early or state.remaining < LOADING or not compiled.soon(KERNELS):
            return None
    return Vertices(setting, charges)


class Vertices:
    """Iterated local search over vertices.

    Parameters
    ----------
    setting : Setting
    fixed_charge : bool
        Whether a switch is nothing but a charge; if not it does not apply.
    """

    def __init__(self, setting: Setting, fixed_charge: bool) -> None:
        problem = setting.problem
        self.problem = problem
        self.applies = fixed_charge and problem.rows > 0
        if not self.applies:
            return
        rows = problem.rows
        low, high = rows_when_on(problem)
        self.matrix = _with_slacks(problem)
        hull = setting.hull_lower, needed_upper(problem, (low, high), setting.hull_lower, setting.hull_upper)
        self.lower, self.upper = np.concatenate([hull[0], low]), np.concatenate([hull[1], high])
        self.cost = np.concatenate([problem.q, np.zeros(rows)])
        self.owner = np.concatenate([np.where(problem.switched, problem.switch, -1), np.full(rows, -1)]).astype(
            np.int64
        )
        self.owned = self.owner >= 0
        network = _network(problem)
        shared = SharedNetworks.of(problem, (low, high)) if network is None else None
        #: Whether there are walks, over trees or by a tableau.
        self._walks = network is not None or rows <= MOST_ROWS
        self.applies = self._walks or shared is not None
        if not self.applies:
            return
        self.model = LinearModel(problem.q, problem.A, low, high, *hull, halt=setting.halt)
        self._hull = hull
        #: What x can be at most in size.
        self._capacity = np.maximum(np.abs(setting.hull_lower), np.abs(setting.hull_upper))
        self.now: Vertex | None = None
        self.best: Vertex | None = None
        self._offered: Vertex | None = None
        #: The best since the last fresh start, and the rounds since it was found.
        self.record: Vertex | None = None
        self.stale = 0
        self.strength = NOISE / 3.0
        self.kept: list[tuple[float, Binary]] = []
        #: The search over trees, where there is a network, those that are crossed, and the best of which they know.
        self.trees: Trees | None = None
        self._crossing: Crossing | None = None
        self._crossed: Vertex | None = None
        #: The search by rerouting, the best vertex it knows of, and whether it is its turn.
        self.reroutes: Reroutes | Commodities | None = None
        self._rerouted: Vertex | None = None
        self._its_turn = True
        #: Whether rerouting brought the last better vertex, and the turns since then.
        self._by_rerouting = True
        self._turns = 0
        if network is not None:
            charge = np.zeros(self.owner.size)
            charge[self.owned] = problem.p[self.owner[self.owned]]
            candidates = self._promising(charge, network)
            self.trees = Trees(network, self.lower, self.upper, self.cost, charge, candidates)
            self._crossing = Crossing(self.trees)
            self.reroutes = Reroutes(network, self.trees.about, candidates)
            return
        compiled.load(vertices_kernel.KERNELS)
        if shared is not None:
            self.reroutes = Commodities(problem, shared, (low, high), setting.hull_lower, setting.hull_upper)

    def _promising(self, charge: Vector, network: Network) -> NDArray[np.int64]:
        """Variables that may come into a tree: those of least reduced cost, charges spread over capacities."""
        n = self.problem.n
        capacity = np.concatenate([self._capacity, np.maximum(np.abs(self.lower[n:]), np.abs(self.upper[n:]))])
        moving = np.flatnonzero((self.upper - self.lower > VALUE_TOLERANCE) & (network.ends[:, 0] >= 0))
        most = PROMISING * network.nodes
        if moving.size <= most:
            return moving
        sign = np.where(self.upper > 0, 1.0, -1.0)
        slope = self.cost + sign * charge / np.maximum(np.where(np.isfinite(capacity), capacity, 1.0), VALUE_TOLERANCE)
        self.model.change_cost(slope[:n])
        answer = self.model.solve()
        self.model.change_cost(self.problem.q)
        prices = np.zeros(self.problem.rows) if answer.row_duals is None else answer.row_duals
        reduced = np.abs(slope - self.matrix.T @ prices)
        return moving[np.sort(np.argsort(reduced[moving], kind="stable")[:most])]

    def begin(self, b: Binary, time_limit: float | None) -> bool:
        """Go to a vertex with no more than b switched on; False where there is none."""
        off = np.zeros(self.problem.n, dtype=bool)
        off[self.owned[: self.problem.n]] = ~b[self.problem.switch[self.owned[: self.problem.n]]]
        self.model.change_columns(*(np.where(off, 0.0, bound) for bound in self._hull))
        answer = self.model.solve(time_limit)
        if answer.x is None:
            return False
        basis = self.model.basis()
        if basis is None:
            return False
        self._arrive(Vertex(0.0, basis, np.concatenate([answer.x, self.problem.A @ answer.x])))
        return self.now is not None

    def _arrive(self, vertex: Vertex) -> None:
        """Make a vertex the one to go on from, and keep it if it is good."""
        vertex.value = float(self.cost @ vertex.z + self.problem.p @ self.on(vertex.z))
        self.now = vertex
        if self.best is None or vertex.value < self.best.value:
            self.best = vertex
        if self.record is None or vertex.value < self.record.value:
            self.record, self.stale = vertex, 0
        self._keep(vertex)

    def on(self, z: Vector) -> Binary:
        """The b that is switched on at a vertex."""
        b = np.zeros(self.problem.m, dtype=bool)
        b[self.owner[self.owned & (np.abs(z) > VALUE_TOLERANCE)]] = True
        return b

    def _keep(self, vertex: Vertex) -> None:
        """Keep b if it is good and no better one is much like it."""
        b = self.on(vertex.z)
        least = max(1.0, DIFFERENT * float(b.sum()))
        like = [k for k, (_, other) in enumerate(self.kept) if (other != b).sum() < least]
        if any(self.kept[k][0] <= vertex.value for k in like):
            return
        self.kept = [member for k, member in enumerate(self.kept) if k not in like]
        self.kept = sorted([*self.kept, (vertex.value, b)], key=lambda member: member[0])[:MOST_KEPT]

    def union(self) -> Binary:
        """What is on in any of the b kept."""
        return np.asarray(np.any([b for _, b in self.kept], axis=0), dtype=bool)

    def search(
        self, rng: np.random.Generator, deadline: float, rounds: int | None, enough: Callable[[], bool] = lambda: False
    ) -> None:
        """Walk until the deadline, for some rounds, or until it is enough."""
        done = 0

        def over() -> bool:
            return enough() or time.perf_counter() >= deadline

        while self.now is not None and not over() and (rounds is None or done < rounds):
            done += 1
            try:
                before = self.best
                if self.reroutes is not None and self._its_turn:
                    self._reroute(self.reroutes, rng, over, deadline)
                elif self._crossing is not None:
                    self._cross(self._crossing, self.now, rng, over, CROSSED_AT_ONCE if rounds is None else 1)
                else:
                    self._round(self.now, rng, deadline)
                self._take_turns(self.best is not before)
            except np.linalg.LinAlgError:  # a basis that rounding errors have spoiled
                self.now = None if self.now is self.best and self.reroutes is None else self.best
                self._by_rerouting = self._its_turn = True  # which needs no basis
                if self._crossing is not None:
                    self._crossing.forget()
                    self._crossed = self.best

    def walk(
        self, state: SearchState, seconds: float, seed: int, enough: Callable[[], bool]
    ) -> tuple[str, Binary | None]:
        """Walk for a while, from where it stopped or from a better answer found elsewhere; returns no word, and b."""
        b = state.best_b
        if b is not None and state.best.feasible:
            known = math.inf if self.best is None else self.best.value + self.problem.offset
            if self.best is None or state.best.objective < known - 1e-7 * abs(known):
                self.begin(b, state.remaining)
        timed = state.remaining is not None
        deadline = min(time.perf_counter() + seconds, state.deadline) if timed else math.inf
        self.search(np.random.default_rng(seed), deadline, None if timed else WALKS, enough)
        return "", None if self.best is None else self.on(self.best.z)

    def offer(self, state: SearchState) -> bool:
        """Offer the best b so far, where that is new and its vertex better than the answer; whether it is taken."""
        best = self.best
        if best is None or best is self._offered:
            return False
        self._offered, value = best, best.value + self.problem.offset
        if value >= state.best.objective - 1e-9 * abs(value):
            return False
        b = self.on(best.z)
        return state.offer(b, state.solver.evaluate(b), VERTICES)

    def _take_turns(self, improved: bool) -> None:
        """Who brought the last better vertex goes on, but for one turn of a few."""
        if improved:
            self._by_rerouting, self._turns = self._its_turn, 0
        else:
            self._turns += 1
        self._its_turn = not self._walks or self._by_rerouting ^ (self._turns % FAVOUR == FAVOUR - 1)

    def _reroute(
        self, reroutes: Reroutes | Commodities, rng: np.random.Generator, enough: Callable[[], bool], deadline: float
    ) -> None:
        """Search by rerouting for a while, from where it stopped or from a better vertex; walks go on from its best."""
        assert self.best is not None
        if self._rerouted is not self.best:
            reroutes.begin(self.best.z)
            self._rerouted = self.best
        value, z = reroutes.search(rng, enough)
        if value >= self.best.value - VALUE_TOLERANCE * abs(value):
            return
        left = None if math.isinf(deadline) else max(deadline - time.perf_counter(), LAST_LP)
        if not self.begin(self.on(z), left):
            if self._walks:
                return
            self._arrive(Vertex(0.0, np.empty(0, dtype=np.int64), z))  # nobody needs its basis
        self._rerouted = self.best

    def _cross(
        self, crossing: Crossing, start: Vertex, rng: np.random.Generator, enough: Callable[[], bool], steps: int
    ) -> None:
        """Further trees, or those of several that are crossed; a better one found elsewhere is among them."""
        assert self.best is not None
        if self._crossed is not self.best:
            crossing.take(Tree(self.best.value, self.best.basis, self.best.z))
        for _ in range(steps):
            end = Vertex(*crossing.step(Tree(start.value, start.basis, start.z), rng, enough))
            if np.abs(self.matrix @ end.z).max() > 1e-6 * (1.0 + np.abs(end.z).max()):
                raise np.linalg.LinAlgError
            self._arrive(end)
            self._crossed = self.best
            stopped = crossing.stopped  # where it was left: others than the best differ
            self._keep(Vertex(stopped.value, stopped.basis, stopped.z))
            if enough():
                return

    def _round(self, start: Vertex, rng: np.random.Generator, deadline: float) -> None:
        """Change the charges and walk, then walk with the true ones."""
        charge = self.problem.p
        self.stale += 1
        fresh = self.stale > STALE
        strength = FRESH if fresh else self.strength * rng.uniform(0.5, 1.5)
        walk = _Walk(self, start, rng)
        noise = charge * np.exp(strength * rng.uniform(-1.0, 1.0, charge.size))
        walk.go(noise, int(rng.integers(2, SHORT_PATIENCE)), rng, deadline)
        end = walk.go(charge.copy(), PATIENCE, rng, deadline)
        if np.abs(self.matrix @ end.z).max() > 1e-6 * (1.0 + np.abs(end.z).max()):
            raise np.linalg.LinAlgError
        if fresh:
            self.record = None
        self._arrive(end)
        if not fresh:
            # Strong enough to leave, weak enough not to lose what was gained.
            if abs(end.value - start.value) <= 1e-9 * abs(start.value):
                self.strength = min(STRONGER * self.strength, NOISE)
            elif end.value > start.value + ACCEPTED * abs(start.value):
                self.strength = max(self.strength / WEAKER, LEAST_NOISE)
            if end.value > start.value + ACCEPTED * rng.random() * abs(start.value):
                self.now = start
        if rng.random() < BACK:
            self.now = self.record


class _Walk:
    """The tableau of a vertex, and walks from it."""

    def __init__(self, search: Vertices, start: Vertex, rng: np.random.Generator) -> None:
        self.search = search
        owner, owned, p = search.owner, search.owned, search.problem.p
        lower, upper, z = search.lower, search.upper, start.z.copy()
        flow = np.zeros(p.size)
        np.add.at(flow, owner[owned], np.abs(z)[owned])
        used = flow > VALUE_TOLERANCE
        # What a unit would be charged on a switch that is off, were it to carry about as much as the others do.
        typical = float(flow[used].mean()) if used.any() else 1.0
        self.guess = p / (typical * math.exp(rng.normal()))
        slope = search.cost.copy()
        slope[owned] += np.where(used, 0.0, self.guess)[owner[owned]]
        inverse = np.linalg.inv(search.matrix[:, start.basis].toarray())
        reduced = slope - search.matrix.T @ (slope[start.basis] @ inverse)
        outside = np.ones(z.size, dtype=bool)
        outside[start.basis] = False
        lines = np.flatnonzero(outside)
        at_lower = z[lines] - lower[lines] <= upper[lines] - z[lines]
        resting = np.where(at_lower, lower[lines], upper[lines])
        z[lines] = np.where(np.isfinite(resting), resting, z[lines])
        z[start.basis] = -inverse @ (search.matrix[:, lines] @ z[lines])
        z = np.clip(z, lower, upper)
        if lines.size > MOST_LINES:
            promise = np.where(at_lower, reduced[lines], -reduced[lines])
            promise += 0.3 * float(np.abs(promise).mean()) * rng.random(lines.size)
            lines = np.sort(lines[np.argpartition(promise, MOST_LINES)[:MOST_LINES]])
        self.z, self.basis, self.lines = z, start.basis.copy(), lines.astype(np.int64)
        self.table = np.ascontiguousarray(search.matrix[:, lines].T @ inverse.T)
        self.where, self.many = vertices_kernel.pack(self.table)
        self.counts = np.zeros(p.size, dtype=np.int64)
        np.add.at(self.counts, owner[owned & (np.abs(z) > VALUE_TOLERANCE)], 1)

    def go(self, charge: Vector, patience: int, rng: np.random.Generator, deadline: float) -> Vertex:
        """Walk until nothing better is found for a while; returns the best vertex on the way."""
        search = self.search
        forbidden = np.zeros(self.z.size, dtype=np.int64)
        best_z, best_basis = np.empty_like(self.z), np.empty_like(self.basis)
        best, clock, since = math.inf, 0, 0
        end = Vertex(math.inf, self.basis, self.z)
        while since < patience and time.perf_counter() < deadline:
            tenures = rng.integers(TENURE, 2 * TENURE + 1, MOST_STEPS)
            value, clock, since = vertices_kernel.walk(
                self.table, self.where, self.many, self.basis, self.lines, self.z, search.lower, search.upper,
                search.cost, search.owner, charge, self.guess, self.counts, forbidden, clock, since,
                patience, tenures, best, best_z, best_basis,
            )  # fmt: skip
            if value < best:
                best, end = value, Vertex(value, best_basis.copy(), best_z.copy())
        return end
