"""Trees that are crossed: several are kept, and what some of them have between them is searched for better ones.

Good flows of a network have most of their arcs in common. Where one search from tree to tree ends is a matter of
chance, by percents; but few arcs that a better flow needs are in none of several ends. So three trees are drawn at
random, and from the first of them a search is annealed on the arcs of these alone; then it goes on over all arcs. What
comes of that takes the place of the tree that is most like it, if it is better.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hybridmip.model.quadratic import Vector
from hybridmip.search.trees import LOOKS, Trees
from hybridmip.search.trees_kernel import FLOW_TOLERANCE

#: Trees that are kept, and those that are crossed.
MEMBERS = 12
PARENTS = 3
#: Steps of annealing for each arc that may come in, and the temperatures between which, in the unit of `Trees.rise`.
STEPS = 25
HOT, COLD = 0.5, 0.02
#: The same for a tree anywhere, from which a further member comes.
STEPS_AWAY = 10
HOT_AWAY, COLD_AWAY = 2.0, 1.0
#: Steps at most.
MOST_STEPS = 200_000
#: Arcs that are looked at after crossing.
LOOKS_AFTER = LOOKS // 4
#: Arcs by which a tree differs from all others at least, where it takes the place of the worst.
DIFFERENT = 4
#: Trees that found no place, for each member, after which all begin anew.
STALE = 10


class Tree(NamedTuple):
    """A spanning tree: the value of its flow, its arcs, and the variables."""

    value: float
    basis: NDArray[np.int64]
    z: Vector


class Crossing:
    """Search over spanning trees that keeps several.

    Parameters
    ----------
    trees : Trees
    """

    def __init__(self, trees: Trees) -> None:
        self._trees = trees
        self.members: list[Tree] = []
        self._stale = 0

    def forget(self) -> None:
        """Begin anew."""
        self.members, self._stale = [], 0

    @property
    def stopped(self) -> Tree:
        """Where the last step was left."""
        return Tree(self._trees.value, self._trees.basis, self._trees.z)

    def take(self, tree: Tree) -> bool:
        """Keep a tree, if it is good enough, in the place of another if there are enough; whether it is kept."""
        if len(self.members) < MEMBERS:
            self.members.append(tree)
            return True
        used = np.abs(tree.z) > FLOW_TOLERANCE
        apart = [int((used != (np.abs(other.z) > FLOW_TOLERANCE)).sum()) for other in self.members]
        place = int(np.argmin(apart))
        if apart[place] > DIFFERENT and tree.value >= self.members[place].value:
            place = int(np.argmax([other.value for other in self.members]))
        if tree.value >= self.members[place].value - 1e-9 * abs(tree.value):
            return False
        self.members[place] = tree
        return True

    def step(self, start: Tree, rng: np.random.Generator, enough: Callable[[], bool]) -> Tree:
        """One more member, from a tree away from the start, or a tree of some that are crossed.

        Raises
        ------
        LinAlgError
            If what begins is no tree.
        """
        trees = self._trees
        if len(self.members) < MEMBERS:
            self._begin(start)
            if self.members:
                trees.anneal(rng, trees.candidates, self._steps(STEPS_AWAY), HOT_AWAY, COLD_AWAY, enough)
            found = Tree(*trees.search(rng, enough))
        else:
            parents = [self.members[k] for k in rng.choice(MEMBERS, PARENTS, replace=False)]
            there = np.zeros(start.z.size, dtype=bool)
            for parent in parents:
                there |= np.abs(parent.z) > FLOW_TOLERANCE
                there[parent.basis] = True
            self._begin(parents[0])
            crossed = Tree(*trees.anneal(rng, np.flatnonzero(there), self._steps(STEPS), HOT, COLD, enough))
            self._begin(crossed)
            found = min(crossed, Tree(*trees.search(rng, enough, LOOKS_AFTER)), key=lambda tree: tree.value)
        self._stale = 0 if self.take(found) else self._stale + 1
        if self._stale > STALE * MEMBERS:
            self.forget()
        return found

    def _steps(self, each: int) -> int:
        return min(each * self._trees.candidates.size, MOST_STEPS)

    def _begin(self, tree: Tree) -> None:
        if not self._trees.begin(tree.basis, tree.z):
            raise np.linalg.LinAlgError
