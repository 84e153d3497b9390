"""What a network is made of, checked: nodes, arcs, supplies, commodities and positions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hybridmip.applications.arguments import hint, is_list, number, vector
from hybridmip.applications.network.names import Commodity, Node
from hybridmip.errors import ArgumentError, ProblemError
from hybridmip.model.quadratic import Vector

#: Supplies may miss a sum of 0 by this share of the total: decimals do not cancel exactly.
BALANCE_TOLERANCE = 1e-9


def checked_nodes(nodes: Any) -> tuple[Node, ...]:
    if not is_list(nodes):
        raise ArgumentError(f"nodes is {nodes!r}; give a list of names")
    known = tuple(nodes)
    if not known:
        raise ArgumentError("nodes is empty; give at least one name")
    seen: dict[str, Node] = {}
    for node in known:
        try:
            hash(node)
        except TypeError:
            raise ArgumentError(f"nodes has {node!r}, which cannot be a name; give text or numbers") from None
        if str(node) in seen:
            other = seen[str(node)]
            twice = f"{node!r} twice" if type(other) is type(node) else f"{other!r} and {node!r}, which read the same"
            raise ArgumentError(f"nodes has {twice}; names must be unique")
        seen[str(node)] = node
    return known


def checked_arcs(arcs: Any, place: Mapping[Node, int]) -> tuple[tuple[Node, Node], ...]:
    if not is_list(arcs):
        raise ArgumentError(f"arcs is {arcs!r}; give a list of (from, to) pairs")
    pairs: list[tuple[Node, Node]] = []
    for a, arc in enumerate(arcs):
        if not is_list(arc) or len(pair := tuple(arc)) != 2:
            raise ArgumentError(f"arcs[{a}] is {arc!r}; give a pair (from, to)")
        for node in pair:
            _known_node(f"arcs[{a}]", node, place)
        if pair[0] == pair[1]:
            raise ArgumentError(f"arcs[{a}] leads from {pair[0]!r} to itself; leave it out")
        pairs.append(pair)
    if not pairs:
        raise ArgumentError("arcs is empty; give at least one (from, to) pair")
    return tuple(pairs)


def _known_node(argument: str, node: Any, place: Mapping[Node, int]) -> None:
    try:
        found = node in place
    except TypeError:
        found = False
    if not found:
        raise ArgumentError(f"{argument} names {node!r}, which is no node; {hint(node, place)}")


def checked_supply(supply: Any, nodes: tuple[Node, ...], place: Mapping[Node, int]) -> Vector:
    if np.ndim(supply) == 0 and not isinstance(supply, Mapping) and not hasattr(supply, "to_dict"):
        raise ArgumentError(f"supply is {supply!r}; give a mapping by node, or one number per node")
    values = vector("supply", supply, place, [str(node) for node in nodes], "node", minimum=None)
    total = float(values[values > 0].sum())
    rest = float(values.sum())
    if abs(rest) > BALANCE_TOLERANCE * max(total, -float(values[values < 0].sum())):
        side, remedy = ("more than is wanted", "takes") if rest > 0 else ("less than is wanted", "sends")
        raise ProblemError(
            f"supply adds up to {rest:g}, {side}; it must add up to 0 (add a node that {remedy} {abs(rest):g})"
        )
    return values


def checked_commodities(commodities: Any, place: Mapping[Node, int]) -> tuple[Commodity, ...]:
    if not is_list(commodities):
        raise ArgumentError(f"commodities is {commodities!r}; give a list of (origin, destination, demand)")
    result: list[Commodity] = []
    for k, item in enumerate(commodities):
        if not is_list(item) or len(triple := tuple(item)) != 3:
            raise ArgumentError(f"commodities[{k}] is {item!r}; give a triple (origin, destination, demand)")
        for node in triple[:2]:
            _known_node(f"commodities[{k}]", node, place)
        if triple[0] == triple[1]:
            raise ArgumentError(f"commodities[{k}] goes from {triple[0]!r} to itself; leave it out")
        demand = number(f"demand of commodities[{k}]", triple[2])
        if demand <= 0:
            raise ArgumentError(f"demand of commodities[{k}] is {demand:g}; it must be positive")
        result.append(Commodity(triple[0], triple[1], demand))
    if not result:
        raise ArgumentError("commodities is empty; give at least one (origin, destination, demand)")
    return tuple(result)


def checked_positions(positions: Any, nodes: tuple[Node, ...]) -> dict[Node, tuple[float, float]]:
    if not isinstance(positions, Mapping):
        raise ArgumentError("positions must be a mapping of a node to (x, y)")
    placed: dict[Node, tuple[float, float]] = {}
    for node in nodes:
        if node not in positions:
            raise ArgumentError(f"positions lacks {node!r}; give (x, y) of every node")
        point = positions[node]
        if not is_list(point) or len(pair := tuple(point)) != 2:
            raise ArgumentError(f"positions of {node} is {point!r}; give (x, y)")
        placed[node] = number(f"positions of {node}", pair[0]), number(f"positions of {node}", pair[1])
    return placed
