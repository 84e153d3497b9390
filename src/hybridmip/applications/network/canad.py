"""Networks from Canad files (`.dow`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridmip.errors import FileError
from hybridmip.io.canad import Design


def from_design(design: Design, source: str) -> dict[str, Any]:
    """The arguments of a network that a design holds; its nodes are "1", "2" and so on.

    What goes from a node to itself, or is nothing, is left out.
    """
    names = [str(node + 1) for node in range(design.nodes)]
    wanted = np.flatnonzero((design.demand > 0) & (design.origin != design.target))
    if not wanted.size:
        raise FileError(f"{source}: no commodity goes from one node to another; there is nothing to ship")
    return {
        "nodes": names,
        "arcs": [(names[i], names[j]) for i, j in zip(design.tail, design.head, strict=True)],
        "capacity": design.capacity,
        "unit_cost": design.cost,
        "fixed_cost": design.fixed,
        "commodities": [(names[design.origin[k]], names[design.target[k]], float(design.demand[k])) for k in wanted],
    }
