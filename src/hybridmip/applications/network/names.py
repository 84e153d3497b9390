"""Names of nodes, arcs and commodities."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Node: TypeAlias = Hashable
Indices: TypeAlias = NDArray[np.intp]

#: How the one commodity of a network with supplies is called.
ONE_COMMODITY = "all"


class Commodity(NamedTuple):
    """So much to be brought from one node to another."""

    origin: Node
    destination: Node
    demand: float


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Names in order, those that occur again numbered: "A->B", "A->B #2"."""
    seen: set[str] = set()
    count: dict[str, int] = {}
    result = []
    for name in names:
        count[name] = count.get(name, 0) + 1
        unique = name if count[name] == 1 else f"{name} #{count[name]}"
        while unique in seen:
            count[name] += 1
            unique = f"{name} #{count[name]}"
        seen.add(unique)
        result.append(unique)
    return tuple(result)


def name_arcs(arcs: Sequence[tuple[Node, Node]]) -> tuple[str, ...]:
    """Name of every arc, "A->B"; the second of parallel arcs is "A->B #2"."""
    return distinct(f"{tail}->{head}" for tail, head in arcs)
