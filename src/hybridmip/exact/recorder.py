"""What was done at every node of a tree, kept as a proof."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hybridmip import __version__
from hybridmip.bounds.products import Products
from hybridmip.bounds.proof_tree import Branch, ProofTree, Step
from hybridmip.bounds.proof_tree import Reason as Given
from hybridmip.exact.limits import Limit
from hybridmip.exact.tree import Diagonal, Node, Outcome, Reason
from hybridmip.model.implied import implied_bounds
from hybridmip.model.quadratic import Vector
from hybridmip.model.units import Proof, Units


class Recorder:
    """Keeps the tree; diagonals and reasons are kept once, whoever uses them."""

    def __init__(self) -> None:
        self.root = Branch()
        #: Whether something was closed for a reason that no document can hold.
        self.broken = False
        self._reasons: dict[int, tuple[int, Reason]] = {}
        self._diagonals: dict[bytes, tuple[int, Diagonal]] = {}
        self._products: dict[bytes, tuple[int, Products]] = {}

    def _number(self, reason: Reason) -> int:
        self._diagonals.setdefault(_key(reason.diagonal), (len(self._diagonals), reason.diagonal))
        if reason.products is not None:
            self._products.setdefault(reason.products.digest, (len(self._products), reason.products))
        return self._reasons.setdefault(id(reason), (len(self._reasons), reason))[0]

    def add(self, node: Node, outcome: Outcome) -> None:
        """Keep what was done at a node, and give its children their places."""
        branch = node.branch
        assert branch is not None
        self.fix(node, outcome)
        if outcome.closed is not None:
            branch.closed = self._number(outcome.closed)
        if outcome.children:
            branch.binary, branch.count = outcome.binary, outcome.count
            for child in outcome.children:
                child.branch = Branch()
                branch.children.append(child.branch)

    def fix(self, node: Node, outcome: Outcome) -> None:
        """Keep what was fixed at a node."""
        assert node.branch is not None
        node.branch.steps += [Step(self._number(reason), fixed) for reason, fixed in outcome.steps]

    def limit(self, limits: list[Limit]) -> None:
        """Keep limits that hold in the whole tree."""
        self.root.steps += [Step(self._number(one.reason), [], (one.j, one.side, one.value)) for one in limits]

    def close(self, node: Node, reason: Reason | None) -> None:
        """Close a node whose one b was solved."""
        assert node.branch is not None
        if reason is None:
            self.broken = True
        else:
            node.branch.closed = self._number(reason)

    def proof(self, claimed: float, units: Units) -> ProofTree:
        """The proof, for the problem given, in its units."""
        rows = units.problem.rows
        diagonals, reasons = [], []
        for _, diagonal in self._diagonals.values():
            moved = units.proof_of(Proof(diagonal.values, diagonal.values, *_no_rows(units)))
            diagonals.append(moved.diagonal)
        for _, reason in self._reasons.values():
            y = reason.multipliers
            moved = units.proof_of(Proof(reason.diagonal.values, reason.point, y[:rows], y[rows:]))
            number = self._diagonals[_key(reason.diagonal)][0]
            taken = -1 if reason.products is None else self._products[reason.products.digest][0]
            reasons.append(Given(number, moved.point, moved.rows, moved.binary_rows, taken))
        products = [one.rescaled(units.columns, units.rows, units.objective) for _, one in self._products.values()]
        # What is kept is in the solver's units; limits hold in the whole tree, so they are at its root.
        steps = [
            step if step.limit is None else step._replace(limit=_moved(step.limit, units)) for step in self.root.steps
        ]
        given = units.given
        own = (given.x_lower, given.x_upper)
        implied = any((one != other).any() for one, other in zip(own, implied_bounds(given), strict=True))
        return ProofTree(
            claimed, diagonals, reasons, replace(self.root, steps=steps), implied, given.hash, __version__, products
        )


def _key(diagonal: Diagonal) -> bytes:
    return diagonal.values.tobytes()


def _moved(limit: tuple[int, int, float], units: Units) -> tuple[int, int, float]:
    j, side, value = limit
    return j, side, float(np.ldexp(value, units.columns[j]))


def _no_rows(units: Units) -> tuple[Vector, Vector]:
    return np.zeros(units.problem.rows), np.zeros(units.problem.B.shape[0])
