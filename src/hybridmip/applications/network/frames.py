"""Networks from pandas frames, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridmip.applications.arguments import number
from hybridmip.applications.network.names import Node
from hybridmip.errors import ArgumentError
from hybridmip.io.arcs import ARC_COLUMNS, COMMODITY_COLUMNS, NODE_COLUMNS, normal_column

if TYPE_CHECKING:
    import pandas as pd

    from hybridmip.applications.network.fixed_charge import FixedChargeNetwork


def from_tables(
    arcs: pd.DataFrame,
    nodes: pd.DataFrame | None,
    commodities: pd.DataFrame | Sequence[tuple[Node, Node, float]] | None,
) -> dict[str, Any]:
    """The arguments of a network that tables hold; see `FixedChargeNetwork.from_frames`."""
    table = _columns("arcs", arcs, ARC_COLUMNS, ("from", "to"))
    pairs = list(zip(table["from"], table["to"], strict=True))
    known: dict[Node, float] = {}
    positions = None
    if nodes is not None:
        node_table = _columns("nodes", nodes, NODE_COLUMNS, ("node",))
        supplies = node_table.get("supply", [0.0] * len(node_table["node"]))
        for node, sent in zip(node_table["node"], supplies, strict=True):
            if node in known:
                raise ArgumentError(f"nodes has {node!r} twice; give every node one row")
            known[node] = 0.0 if _is_blank(sent) else number(f"supply of {node}", sent)
        if "x" in node_table and "y" in node_table:
            places = zip(node_table["x"], node_table["y"], strict=True)
            positions = dict(zip(node_table["node"], places, strict=True))
    for pair in pairs:
        for node in pair:
            if node not in known:
                known[node] = 0.0
                positions = None
    if commodities is not None and hasattr(commodities, "columns"):
        triples = _columns("commodities", commodities, COMMODITY_COLUMNS, COMMODITY_COLUMNS)
        commodities = list(zip(*(triples[name] for name in COMMODITY_COLUMNS), strict=True))
    elif commodities is None and not any(known.values()):
        raise ArgumentError("nodes gives no supply; give a column supply, or commodities")
    if commodities is not None and any(known.values()):
        raise ArgumentError("nodes gives supplies and there are commodities; give one of the two")
    costs = {
        name: [0.0 if _is_blank(value) else value for value in table.get(name, [0.0] * len(pairs))]
        for name in ("unit_cost", "fixed_cost", "quadratic_cost")
    }
    return {
        "nodes": list(known),
        "arcs": pairs,
        "supply": None if commodities is not None else known,
        "capacity": [None if _is_blank(value) else value for value in table.get("capacity", [None] * len(pairs))],
        **costs,
        "commodities": commodities,
        "positions": positions,
    }


def to_tables(network: FixedChargeNetwork) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(arcs, nodes) as `from_frames` takes them; an arc without a limit has capacity NaN."""
    import pandas as pd  # 0.3 s, for who asks for a table

    arcs = pd.DataFrame(
        {
            "from": [tail for tail, _ in network.arcs],
            "to": [head for _, head in network.arcs],
            "capacity": np.where(np.isfinite(network.capacity), network.capacity, np.nan),
            "unit_cost": network.unit_cost.copy(),
            "fixed_cost": network.fixed_cost.copy(),
            "quadratic_cost": network.quadratic_cost.copy(),
        }
    )
    nodes = pd.DataFrame({"node": list(network.nodes)})
    nodes["supply"] = np.zeros(len(network.nodes)) if network.supply is None else network.supply.copy()
    if network.positions is not None:
        nodes["x"], nodes["y"] = np.array([network.positions[node] for node in network.nodes]).T
    return arcs, nodes


def _is_blank(value: Any) -> bool:
    """Whether a cell of a table is empty: None, NaN or pandas' NA."""
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and np.isnan(value))


def _columns(argument: str, table: Any, known: Sequence[str], required: Sequence[str]) -> dict[str, list[Any]]:
    """Columns of a DataFrame by their normal name; others are left alone."""
    if not hasattr(table, "columns") or not hasattr(table, "to_dict"):
        raise ArgumentError(f"{argument} is a {type(table).__name__}; give a pandas DataFrame")
    found: dict[str, list[Any]] = {}
    for column in table.columns:
        name = normal_column(column)
        if name in known and name in found:
            raise ArgumentError(f"{argument} has the column {name!r} twice; keep one")
        if name in known:
            found[name] = table[column].tolist()
            text = name in ("from", "to", "node", "origin", "destination")
            for row, value in enumerate(found[name]):
                if text and _is_blank(value):
                    raise ArgumentError(f"{argument}, column {name!r}, row {row} is empty; name the node")
    for name in required:
        if name not in found:
            raise ArgumentError(f"{argument} has no column {name!r}; its columns are {', '.join(known)}")
    return found
