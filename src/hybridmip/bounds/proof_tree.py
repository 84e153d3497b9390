"""A tree of certificates: a proof that no feasible point is below a value, which anyone can check.

Every node of the tree is a set of binaries fixed on and off. Its steps are reasons, each a diagonal, a point and
multipliers for the closed formula (`bounds.certificate`), taken over the b that are left: a reason may rule out one
value of some binaries, an x beyond a limit, or all that is left, which closes the node. A node that is not closed is
split by one binary, or by how many of a group are on.
The leaves of the tree cover every b, so that whatever is feasible is at least as large as the value.

The check knows the problem and the formula, and nothing of how the tree was found: no solver, every rounding error
charged, Q - D >= 0 by a Cholesky factorisation for every diagonal.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hybridmip.bounds.certificate import NO_MODES, Verification, modes_in, reformulated
from hybridmip.bounds.products import Lowered, Products
from hybridmip.errors import FileError
from hybridmip.files import read_json, write_text
from hybridmip.model.binaries import BinarySet, NoFeasibleBinaries
from hybridmip.model.implied import implied_bounds
from hybridmip.model.problem import Asks, Problem, problem_of
from hybridmip.model.quadratic import Matrix, Vector
from hybridmip.model.semidefinite import lacking
from hybridmip.notebook import card

FORMAT = "hybridmip-proof"
EPS = float(np.finfo(float).eps)
#: A row on b is missed only when it is so by more than this share of its entries.
ROUNDING = 1e-9

Status = NDArray[np.int8]


@dataclass(frozen=True)
class Counts:
    """The rows on b: counts over disjoint sets, or rows that are priced.

    Binaries that no count has are a last group, which any number of may be on: nodes can be split by that number.
    """

    disjoint: bool
    group: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    matrix: Matrix
    row_low: Vector
    row_high: Vector
    possible: NDArray[np.bool_]

    @classmethod
    def of(cls, problem: Problem, binaries: BinarySet) -> Counts:
        """Those of a problem."""
        disjoint = binaries.kind in ("free", "disjoint")
        group, low, high = (
            np.array(part, dtype=np.int64) for part in (binaries.group, binaries.group_lower, binaries.group_upper)
        )
        if not disjoint:
            group, low, high = np.full(problem.m, -1, dtype=np.int64), low[:0], high[:0]
        loose = group < 0
        if disjoint and loose.any():
            group[loose] = low.size
            low, high = np.append(low, 0), np.append(high, loose.sum())
        return cls(
            disjoint, group, low, high, problem.B.toarray(), problem.b_lower, problem.b_upper,
            np.array(binaries.possible),
        )  # fmt: skip

    def split(self, group: int, most: int) -> tuple[Counts, Counts]:
        """The counts with more than `most` of a group, and with at most so many."""
        low, high = self.low.copy(), self.high.copy()
        low[group], high[group] = max(low[group], most + 1), min(high[group], most)
        return replace(self, low=low), replace(self, high=high)

    def propagate(self, status: Status) -> bool:
        """Fix what the rows leave no choice of; False where no b is left."""
        return self._propagate_counts(status) if self.disjoint else self._propagate_rows(status)

    def _propagate_counts(self, status: Status) -> bool:
        for g in range(self.low.size):
            members = self.group == g
            on, free = int((status[members] == 1).sum()), int((status[members] == 0).sum())
            if on > self.high[g] or on + free < self.low[g]:
                return False
            if free and on == self.high[g]:
                status[members & (status == 0)] = -1
            elif free and on + free == self.low[g]:
                status[members & (status == 0)] = 1
        return True

    def _propagate_rows(self, status: Status) -> bool:
        M, size = self.matrix, np.abs(self.matrix)
        slack = ROUNDING * (1.0 + size.sum(axis=1))
        low, high = self.row_low - slack, self.row_high + slack
        while True:
            on, free = status == 1, status == 0
            least = M[:, on].sum(axis=1) + np.minimum(M[:, free], 0).sum(axis=1)
            most = M[:, on].sum(axis=1) + np.maximum(M[:, free], 0).sum(axis=1)
            if (least > high).any() or (most < low).any():
                return False
            up, down = (least[:, None] + size > high[:, None]), (most[:, None] - size < low[:, None])
            off = free & ((up & (M > 0)) | (down & (M < 0))).any(axis=0)
            must = free & ((up & (M < 0)) | (down & (M > 0))).any(axis=0)
            if (off & must).any():
                return False
            if not (off | must).any():
                return True
            status[off], status[must] = -1, 1

    def least(self, cost: Vector, status: Status) -> tuple[float, float]:
        """(min of cost'b over what is left, sum of the sizes of what is taken); infinite where nothing is left."""
        taken = status == 1
        loose = (status == 0) & (self.group < 0) & (cost < 0)
        value, size = float(cost[taken | loose].sum()), float(np.abs(cost[taken | loose]).sum())
        for g in range(self.low.size):
            members = self.group == g
            on = int((taken & members).sum())
            free = np.sort(cost[members & (status == 0)])
            if on > self.high[g] or on + free.size < self.low[g]:
                return math.inf, 0.0
            number = max(int(self.low[g]) - on, min(int(self.high[g]) - on, int((free < 0).sum())))
            value += float(free[:number].sum())
            size += float(np.abs(free[:number]).sum())
        return value, size


@dataclass(frozen=True, eq=False)
class Reason:
    """What a bound is proven by: the number of a diagonal, a point, multipliers of rows and of rows on b.

    Where it names products the diagonal is below what these leave of Q.
    """

    diagonal: int
    point: Vector
    rows: Vector
    binary_rows: Vector
    #: The number of the products that were taken off the objective first; -1 for none.
    products: int = -1


class Step(NamedTuple):
    """A reason by its number, and what it rules out.

    Attributes
    ----------
    reason : int
    fixed : list of (int, int)
        Binaries that are 1, or off (-1), by it.
    limit : (int, int, float), optional
        An x, a side and a value: while on x is at most (1) or at least (-1) so large, in the node and below it.
    """

    reason: int
    fixed: list[tuple[int, int]]
    limit: tuple[int, int, float] | None = None


@dataclass(eq=False)
class Branch:
    """A node: steps, then what closes it, or the binary it is split by, with the node where that is on and the one
    where it is off.

    `closed` is the number of a reason, or -1 where the rows on b leave nothing over. `count` splits by a number
    instead: (group, most), with the node where more of the group are on, and the one where at most so many are.
    """

    steps: list[Step] = field(default_factory=list)
    closed: int | None = None
    binary: int | None = None
    children: list[Branch] = field(default_factory=list)
    count: tuple[int, int] | None = None

    def walk(self) -> Iterator[Branch]:
        """All nodes, this one first."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))


@dataclass(eq=False)
class ProofTree:
    """A proof that every feasible point of a problem has at least the value `claimed`.

    Attributes
    ----------
    claimed : float
    diagonals : list of ndarray
        In the order and the units of the problem's x.
    reasons : list of Reason
    root : Branch
    implied_bounds : bool
        Whether an x that has no limit of its own is given the limit that the rows imply.
    problem_hash, version : str
    products : list of Products
        What reasons take off the objective first, so that more fits below what is left.
    modes : ndarray, optional
        The diagonal of the modes, where it is about the problem with modes (`bounds.modes`), which a check makes anew.

    Examples
    --------
    >>> import hybridmip as hm
    >>> problem = hm.market(assets=30, seed=2).portfolio(assets=5, min_weight=0.05, target_return=0.003).problem()
    >>> proof = hm.solve(problem, prove=True).proof
    >>> proof.nodes > 1, proof.verify(problem).valid
    (True, True)
    """

    claimed: float
    diagonals: list[Vector]
    reasons: list[Reason]
    root: Branch
    implied_bounds: bool = False
    problem_hash: str = ""
    version: str = ""
    products: list[Products] = field(default_factory=list)
    modes: Vector | None = None

    @property
    def nodes(self) -> int:
        """How many nodes the tree has."""
        return sum(1 for _ in self.root.walk())

    def __repr__(self) -> str:
        return f"<ProofTree of {self.claimed:.10g}: {self.nodes} nodes, {len(self.reasons)} reasons>"

    def _repr_html_(self) -> str:
        """What a notebook shows: what is proven, by how much, and how to check it."""
        facts = [
            ("bound", f"{self.claimed:.10g}"), ("nodes", f"{self.nodes:,}"), ("reasons", f"{len(self.reasons):,}"),
            ("problem hash", self.problem_hash[:16] or "-"), ("version", self.version or "-"),
        ]  # fmt: skip
        return card("Proof by a tree", facts, "proof.verify(problem) checks it from the data alone")

    def verify(self, problem: Problem | Asks) -> Verification:
        """Check the proof against a problem, from that problem's data alone.

        Examples
        --------
        >>> import hybridmip as hm
        >>> problem = hm.market(assets=30, seed=2).portfolio(assets=5, min_weight=0.05, target_return=0.003).problem()
        >>> proof = hm.solve(problem, prove=True).proof
        >>> proof.verify(problem.replace(offset=1.0)).reason
        'it was made for another problem: the hashes differ'
        """
        problem = problem_of(problem)
        if self.problem_hash and self.problem_hash != problem.hash:
            return Verification(False, -math.inf, "it was made for another problem: the hashes differ")
        if math.isnan(self.claimed):
            return Verification(False, -math.inf, "it claims no number")
        with_modes = reformulated(problem, self.modes)
        if with_modes is None:
            return Verification(False, -math.inf, NO_MODES)
        problem = with_modes
        sizes = (problem.n, problem.rows, problem.B.shape[0])
        for at, reason in enumerate(self.reasons):
            if (reason.point.size, reason.rows.size, reason.binary_rows.size) != sizes:
                return Verification(False, -math.inf, f"reason {at} does not fit the problem")
            if not 0 <= reason.diagonal < len(self.diagonals):
                return Verification(False, -math.inf, f"reason {at} names a diagonal that is not there")
            if not -1 <= reason.products < len(self.products):
                return Verification(False, -math.inf, f"reason {at} names products that are not there")
        for at, diagonal in enumerate(self.diagonals):
            if diagonal.size != problem.n or not (np.isfinite(diagonal).all() and (diagonal >= 0).all()):
                return Verification(False, -math.inf, f"diagonal {at} does not fit the problem, or is negative")
        try:
            check = Check(problem, self)
            fault = check.fault_of_products() or check.fault()
        except NoFeasibleBinaries:
            return Verification(True, math.inf)
        return Verification(not fault, self.claimed if not fault else -math.inf, fault)

    def to_dict(self) -> dict[str, Any]:
        """A document ready for JSON; nodes are listed in the order of a walk, the on side first.

        Examples
        --------
        >>> import hybridmip as hm
        >>> problem = hm.market(assets=30, seed=2).portfolio(assets=5, min_weight=0.05, target_return=0.003).problem()
        >>> document = hm.solve(problem, prove=True).proof.to_dict()
        >>> document["format"], document["sizes"]
        ('hybridmip-proof', [30])
        """
        nodes = []
        for node in self.root.walk():
            entry: dict[str, Any] = {}
            if node.steps:
                entry["steps"] = [
                    [step.reason, [list(pair) for pair in step.fixed]] + ([list(step.limit)] if step.limit else [])
                    for step in node.steps
                ]
            if node.closed is not None:
                entry["closed"] = node.closed
            if node.binary is not None:
                entry["binary"] = node.binary
            if node.count is not None:
                entry["count"] = list(node.count)
            nodes.append(entry)
        document = {
            "format": FORMAT,
            "version": self.version,
            "problem_hash": self.problem_hash,
            "bound": self.claimed if math.isfinite(self.claimed) else None,
            "implied_bounds": self.implied_bounds,
            "diagonals": [_sparse(values) for values in self.diagonals],
            "reasons": [
                [reason.diagonal, _sparse(reason.point), reason.rows.tolist(), reason.binary_rows.tolist()]
                + ([reason.products] if reason.products >= 0 else [])
                for reason in self.reasons
            ],
            "nodes": nodes,
            "sizes": [self.diagonals[0].size if self.diagonals else 0],
        }
        if self.products:
            document["products"] = [products.to_dict() for products in self.products]
        if self.modes is not None:
            document["modes"] = self.modes.tolist()
        return document

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], source: str = "proof") -> ProofTree:
        """Read a document made by `to_dict`.

        Raises
        ------
        FileError
            If it is not one.
        """
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise FileError(f"{source} is not a proof: it has no format {FORMAT!r}")
        try:
            n = int(document["sizes"][0])
            if not 0 <= n <= 10**7:
                raise ValueError
            diagonals = [_dense(entry, n) for entry in document["diagonals"]]
            reasons = [
                Reason(_index(number), _dense(point, n), _numbers(rows), _numbers(binary_rows), *map(_index, products))
                for number, point, rows, binary_rows, *products in document["reasons"]
            ]
            rows = reasons[0].rows.size if reasons else 0
            products = [Products.from_dict(entry, rows, n) for entry in document.get("products", [])]
            nodes = [_node(entry) for entry in document["nodes"]]
            root = _tree(nodes)
            bound = document.get("bound")
            claimed = -math.inf if bound is None else float(bound)
            if isinstance(bound, bool | str):
                raise ValueError
        except (AttributeError, KeyError, TypeError, ValueError, IndexError, OverflowError):
            raise FileError(f"{source} is damaged: it is not what ProofTree.save writes") from None
        return cls(
            claimed, diagonals, reasons, root, bool(document.get("implied_bounds", False)),
            str(document.get("problem_hash", "")), str(document.get("version", "")), products,
            modes_in(document, source),
        )  # fmt: skip

    def save(self, path: str | Path) -> None:
        """Write the proof as JSON (compressed where the name ends in .gz)."""
        write_text(path, json.dumps(self.to_dict(), separators=(",", ":")) + "\n", "proof")

    @classmethod
    def load(cls, path: str | Path) -> ProofTree:
        """Read a proof from a JSON file.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import hybridmip as hm
        >>> problem = hm.market(assets=30, seed=2).portfolio(assets=5, min_weight=0.05, target_return=0.003).problem()
        >>> proof = hm.solve(problem, prove=True).proof
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     proof.save(pathlib.Path(folder, "proof.json.gz"))
        ...     read = hm.ProofTree.load(pathlib.Path(folder, "proof.json.gz"))
        >>> read.claimed == proof.claimed
        True
        """
        return cls.from_dict(read_json(path, "proof"), str(path))


class Box(NamedTuple):
    """Limits of x while on."""

    lower: Vector
    upper: Vector


class Check:
    """One check of a proof against a problem."""

    def __init__(self, problem: Problem, proof: ProofTree) -> None:
        self.problem, self.proof = problem, proof
        self.counts = Counts.of(problem, BinarySet(problem))
        lower, upper = implied_bounds(problem) if proof.implied_bounds else (problem.x_lower, problem.x_upper)
        self.lower, self.upper = np.array(lower), np.array(upper)
        #: The objective, and at the numbers of the products what they leave of it.
        own = Lowered(problem.Q.toarray(), problem.q, problem.p, problem.offset)
        self.objectives = {-1: own}
        self.A, self.G, self.B = problem.A.toarray(), problem.G.toarray(), problem.B.toarray()
        self._slack: dict[tuple[int, int], list[tuple[NDArray[np.bool_], Vector]]] = {}

    def fault_of_products(self) -> str:
        """What is wrong with the products; empty where nothing is."""
        for number, products in enumerate(self.proof.products):
            fault = products.fault(self.problem, self.lower, self.upper)
            if fault:
                return f"products {number}: {fault}"
            self.objectives[number] = products.lowered(self.problem, self.lower, self.upper)
        return ""

    def fault(self) -> str:
        """What is wrong with the proof; empty where nothing is."""
        status = np.where(self.counts.possible, 0, -1).astype(np.int8)
        stack = [(self.proof.root, status, self.counts, Box(self.lower, self.upper))]
        seen = 0
        while stack:
            node, status, counts, box = stack.pop()
            seen += 1
            if not counts.propagate(status):
                continue  # nothing is left here
            box = Box(box.lower.copy(), box.upper.copy()) if any(step.limit for step in node.steps) else box
            reason = self._steps(node, status, counts, box)
            if reason == "":
                continue
            if reason is not None:
                return f"node {seen}: {reason}"
            if (node.binary is None) == (node.count is None) or len(node.children) != 2:
                return f"node {seen} is neither closed nor split: the tree does not cover every b"
            if node.count is not None:
                group, most = node.count
                if not (counts.disjoint and 0 <= group < counts.low.size and 0 <= most < status.size):
                    return f"node {seen} is split by a count that is not there"
                for child, limited in zip(node.children, counts.split(group, most), strict=True):
                    stack.append((child, status.copy(), limited, box))
                continue
            assert node.binary is not None
            if not 0 <= node.binary < status.size:
                return f"node {seen} is split by a binary that is not there"
            for side, child in zip((-1, 1), reversed(node.children), strict=True):
                if status[node.binary] in (0, side):
                    fixed = status.copy()
                    fixed[node.binary] = side
                    stack.append((child, fixed, counts, box))
        return ""

    def _steps(self, node: Branch, status: Status, counts: Counts, box: Box) -> str | None:
        """Follow the steps of a node: empty where they close it, None where it must be split, else what is wrong.

        Status and box are changed to what is left.
        """
        for number, fixed, limit in node.steps:
            if not 0 <= number < len(self.proof.reasons):
                return f"reason {number} is not there"
            if limit is not None:
                fault = self._limit(number, limit, status, counts, box)
                if fault:
                    return fault
                continue
            terms = self._terms(self.proof.reasons[number], status, box)
            if terms is None:
                return f"reason {number} proves nothing: Q minus its diagonal is not semidefinite, or x has no limit"
            before = status.copy()
            for binary, side in fixed:
                if not (0 <= binary < status.size and side in (1, -1)):
                    return f"reason {number} fixes a binary that is not there"
                if before[binary] not in (0, side):
                    return f"reason {number} fixes binary {binary}, which is fixed already"
                other = before.copy()
                other[binary] = -side
                if before[binary] == 0 and self._value(terms, other, counts) < self.proof.claimed:
                    return f"reason {number} does not rule out the other value of binary {binary}"
                status[binary] = side
            if not counts.propagate(status):
                return ""
        if node.closed is None:
            return None
        if node.closed == -1:
            return "it is said to have no b left, but has"
        if not 0 <= node.closed < len(self.proof.reasons):
            return f"reason {node.closed} is not there"
        terms = self._terms(self.proof.reasons[node.closed], status, box)
        if terms is None:
            return f"reason {node.closed} proves nothing: Q minus its diagonal is not semidefinite, or x has no limit"
        value = self._value(terms, status, counts)
        if not value >= self.proof.claimed:
            return f"reason {node.closed} gives {value:.12g}, less than the {self.proof.claimed:.12g} claimed"
        return ""

    def _limit(
        self, number: int, limit: tuple[int, int, float], status: Status, counts: Counts, box: Box
    ) -> str:  # fmt: skip
        """What is wrong with a limit; where nothing is it is in the box from then on."""
        j, side, value = limit
        if not (0 <= j < self.problem.n and side in (1, -1)):
            return f"reason {number} limits an x that is not there"
        if not box.lower[j] <= value <= box.upper[j]:
            return f"reason {number} gives x {j} a limit outside of those it has"
        beyond = Box(box.lower.copy(), box.upper.copy())
        (beyond.lower if side > 0 else beyond.upper)[j] = value
        on = status.copy()
        owner = int(self.problem.switch[j])
        if owner >= 0:
            if status[owner] < 0:
                return ""  # off: it has none
            on[owner] = 1
        terms = self._terms(self.proof.reasons[number], on, beyond)
        if terms is None or not self._value(terms, on, counts) >= self.proof.claimed:
            return f"reason {number} does not rule out x {j} beyond {value:.12g}"
        (box.upper if side > 0 else box.lower)[j] = value
        return ""

    def _lacking(self, reason: Reason, there: NDArray[np.intp]) -> Vector | None:
        """What Q - D lacks to being semidefinite on some x; None where it is not.

        What holds for more x holds for fewer.
        """
        known = self._slack.setdefault((reason.diagonal, reason.products), [])
        mask = np.zeros(self.problem.n, dtype=bool)
        mask[there] = True
        for more, slack in known:
            if not (mask & ~more).any():
                return slack[there]
        Q = self.objectives[reason.products].Q
        found = lacking(Q[np.ix_(there, there)], self.proof.diagonals[reason.diagonal][there])
        if found is not None:
            slack = np.zeros(self.problem.n)
            slack[there] = found
            known.append((mask, slack))
        return found

    def _terms(self, reason: Reason, status: Status, box: Box) -> tuple[float, Vector] | None:
        """(constant, cost of every b), rounding taken off: f(x, b) >= constant + cost'b for all that is left."""
        problem, owner, objective = self.problem, self.problem.switch, self.objectives[reason.products]
        there = np.flatnonzero((owner < 0) | (status[np.maximum(owner, 0)] >= 0))
        slack = self._lacking(reason, there)
        if slack is None:
            return None
        terms = (there.size + problem.rows + problem.m + 16) * EPS
        d, y, la = self.proof.diagonals[reason.diagonal][there], reason.point[there], reason.rows
        low, high = problem.row_lower, problem.row_upper
        la = np.where(((la > 0) & np.isneginf(low)) | ((la < 0) & np.isposinf(high)), 0.0, la)
        priced = la * np.where(la > 0, low, np.where(la < 0, high, 0.0)) if la.size else np.zeros(0)
        priced = np.where(la == 0, 0.0, priced)
        Q, q, A = objective.Q[np.ix_(there, there)], objective.q[there], self.A[:, there]
        half, in_half = Q @ y - d * y, np.abs(Q) @ np.abs(y) + d * np.abs(y)
        v = q + 2 * half - A.T @ la
        in_v = terms * (np.abs(q) + 2 * in_half + np.abs(A).T @ np.abs(la))
        lower, upper = box.lower[there], box.upper[there]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ends = [np.where(d > 0, -w / (2 * d), np.where(w > 0, lower, upper)) for w in (v, v + in_v, v - in_v)]
            best, first, second = (np.clip(end, lower, upper) for end in ends)
            c = (d * best + v) * best
            reach = np.maximum(np.abs(first), np.abs(second))
            in_c = reach * in_v + 8 * EPS * reach * (d * reach + np.abs(v)) + terms * np.abs(c)
            away = np.maximum(np.abs(lower - y), np.abs(upper - y))
            in_c = in_c + np.where(slack > 0, slack * away * away, 0.0)
        if not (np.isfinite(c).all() and np.isfinite(in_c).all()):
            return None
        cost = objective.p - self.G.T @ la
        error = terms * (np.abs(objective.p) + np.abs(self.G).T @ np.abs(la))
        switched = owner[there] >= 0
        np.add.at(cost, owner[there][switched], c[switched])
        np.add.at(error, owner[there][switched], in_c[switched])
        constant = objective.offset - float(y @ half) + float(priced.sum()) + float(c[~switched].sum())
        size = float(abs(objective.offset)) + float(np.abs(y) @ in_half) + float(np.abs(priced).sum())
        size += float(np.abs(c[~switched]).sum())
        constant -= float((slack * y * y).sum()) + float(in_c[~switched].sum()) + 4 * terms * size
        cost = cost - error
        if not self.counts.disjoint:
            mu = reason.binary_rows
            low, high = problem.b_lower, problem.b_upper
            mu = np.where(((mu > 0) & np.isneginf(low)) | ((mu < 0) & np.isposinf(high)), 0.0, mu)
            limits = np.where(mu > 0, low, np.where(mu < 0, high, 0.0))
            priced = np.where(mu == 0, 0.0, mu * np.where(np.isfinite(limits), limits, 0.0))
            cost = cost - self.B.T @ mu - terms * (np.abs(self.B).T @ np.abs(mu))
            constant += float(priced.sum()) - 4 * terms * float(np.abs(priced).sum())
        if not (math.isfinite(constant) and np.isfinite(cost).all()):
            return None
        return constant, cost

    def _value(self, terms: tuple[float, Vector], status: Status, counts: Counts) -> float:
        """The least of constant + cost'b over what is left."""
        constant, cost = terms
        least, size = counts.least(cost, status)
        return constant + least - 4 * (cost.size + 16) * EPS * (abs(constant) + size)


def _sparse(values: Vector) -> list[list[float]]:
    """Places and values of what is not zero."""
    places = np.flatnonzero(values)
    return [places.tolist(), values[places].tolist()]


def _dense(entry: Any, n: int) -> Vector:
    places, values = np.array(entry[0], dtype=np.int64), _numbers(entry[1])
    if places.shape != values.shape or (places.size and not (places.min() >= 0 and places.max() < n)):
        raise ValueError
    if np.unique(places).size != places.size:
        raise ValueError
    dense = np.zeros(n)
    dense[places] = values
    return dense


def _numbers(entry: Any) -> Vector:
    values = np.array(entry, dtype=np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ValueError
    return values


def _index(entry: Any) -> int:
    if isinstance(entry, bool) or not isinstance(entry, int):
        raise ValueError
    return entry


def _limit(entry: Any) -> tuple[int, int, float]:
    j, side, value = entry
    return _index(j), _index(side), float(_numbers([value])[0])


def _node(entry: Any) -> Branch:
    steps = [
        Step(_index(reason), [(_index(i), _index(value)) for i, value in fixed], *(_limit(one) for one in limit))
        for reason, fixed, *limit in entry.get("steps", [])
    ]
    closed, binary, count = entry.get("closed"), entry.get("binary"), entry.get("count")
    branch = Branch(steps, None if closed is None else _index(closed), None if binary is None else _index(binary))
    if count is not None:
        group, most = count
        branch.count = (_index(group), _index(most))
    return branch


def _tree(nodes: list[Branch]) -> Branch:
    """The tree of nodes listed in the order of a walk."""
    waiting: list[Branch] = []
    for at, node in enumerate(nodes):
        if at:
            parent = waiting[-1]
            parent.children.append(node)
            if len(parent.children) == 2:
                waiting.pop()
        if node.binary is not None or node.count is not None:
            waiting.append(node)
    if waiting or not nodes:
        raise ValueError
    return nodes[0]
