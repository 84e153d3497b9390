"""Networks from networkx graphs, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridmip.applications.arguments import number
from hybridmip.applications.network.names import Node
from hybridmip.errors import ArgumentError, MissingDependencyError

if TYPE_CHECKING:
    import networkx as nx

    from hybridmip.applications.network.fixed_charge import FixedChargeNetwork


def from_graph(
    graph: nx.Graph,
    *,
    demand: str,
    supply: str | None,
    capacity: str,
    unit_cost: str,
    fixed_cost: str,
    quadratic_cost: str,
    position: str,
    commodities: Sequence[tuple[Node, Node, float]] | None,
) -> dict[str, Any]:
    """The arguments of a network that a graph holds; see `FixedChargeNetwork.from_networkx`."""
    _networkx()
    if not hasattr(graph, "edges") or not hasattr(graph, "is_directed"):
        raise ArgumentError(f"graph is a {type(graph).__name__}; give a networkx DiGraph or MultiDiGraph")
    if not graph.is_directed():
        raise ArgumentError("graph is undirected; give graph.to_directed(), in which every edge is two arcs")
    edges = list(graph.edges(data=True))
    nodes = list(graph.nodes)
    if commodities is None:
        commodities = graph.graph.get("commodities")
    sign, attribute = (1.0, supply) if supply is not None else (-1.0, demand)
    sent: dict[Node, Any] | None = None
    if commodities is None:
        sent = {node: sign * _attribute(data, attribute, node) for node, data in graph.nodes(data=True)}
    placed = {node: data[position] for node, data in graph.nodes(data=True) if position in data}
    return {
        "nodes": nodes,
        "arcs": [(tail, head) for tail, head, _ in edges],
        "supply": sent,
        "capacity": [data.get(capacity) for *_, data in edges],
        "unit_cost": [data.get(unit_cost, 0.0) for *_, data in edges],
        "fixed_cost": [data.get(fixed_cost, 0.0) for *_, data in edges],
        "quadratic_cost": [data.get(quadratic_cost, 0.0) for *_, data in edges],
        "commodities": commodities,
        "positions": placed if nodes and len(placed) == len(nodes) else None,
    }


def to_graph(network: FixedChargeNetwork) -> nx.DiGraph:
    """A networkx DiGraph (MultiDiGraph if arcs are parallel) with the attributes that `from_networkx` reads."""
    networkx = _networkx()
    graph = networkx.MultiDiGraph() if len(set(network.arcs)) < len(network.arcs) else networkx.DiGraph()
    for i, node in enumerate(network.nodes):
        placed = {} if network.positions is None else {"pos": network.positions[node]}
        sent = {} if network.supply is None else {"demand": -float(network.supply[i]) + 0.0}
        graph.add_node(node, **sent, **placed)
    for a, (tail, head) in enumerate(network.arcs):
        limit = {"capacity": float(network.capacity[a])} if np.isfinite(network.capacity[a]) else {}
        graph.add_edge(
            tail,
            head,
            **limit,
            weight=float(network.unit_cost[a]),
            fixed_cost=float(network.fixed_cost[a]),
            quadratic_cost=float(network.quadratic_cost[a]),
        )
    if network.commodities is not None:
        graph.graph["commodities"] = [tuple(commodity) for commodity in network.commodities]
    return graph


def _networkx() -> Any:
    try:
        import networkx
    except ImportError:
        raise MissingDependencyError("networkx is needed for graphs; install it with: pip install networkx") from None
    return networkx


def _attribute(data: Mapping[str, Any], name: str, node: Node) -> float:
    return number(f"{name} of {node}", data.get(name, 0.0))
