"""The answer of a network: open arcs, flows, costs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hybridmip.applications.network.names import Node
from hybridmip.applications.opened import Opened
from hybridmip.model.quadratic import Matrix, Vector, frozen

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from hybridmip.applications.network.fixed_charge import FixedChargeNetwork

#: A flow below this share of all that is shipped is rounding.
NEGLIGIBLE_FLOW = 1e-9
#: Arcs that the text of a `NetworkResult` lists.
ARCS_SHOWN = 12


@dataclass(frozen=True, eq=False, repr=False)
class NetworkResult(Opened):
    """Open arcs and flows with their names, and what they cost.

    Attributes
    ----------
    network : FixedChargeNetwork
        What was asked.
    commodity_flow : ndarray, shape (commodities, arcs)
        Flow of every commodity on every arc, in the network's order.
    is_open : tuple of bool
        Whether each arc is open; one that is may carry nothing (see `idle`).
    objective, bound, gap, status
        Of the solve.

    Examples
    --------
    >>> import hybridmip as hm
    >>> network = hm.FixedChargeNetwork(
    ...     nodes=["mill", "port", "town"], arcs=[("mill", "port"), ("port", "town"), ("mill", "town")],
    ...     supply={"mill": 4, "town": -4}, capacity=10, unit_cost=[1, 1, 5], fixed_cost=[3, 3, 2],
    ... )
    >>> answer = network.read(hm.solve(network))
    >>> print(answer)
    2 of 3 arcs open, cost 14 (fixed 6, linear 8)
      mill->port           4 of 10
      port->town           4 of 10
    >>> answer.flow, answer.cost_split
    (array([4., 4., 0.]), {'fixed': 6.0, 'linear': 8.0, 'quadratic': 0.0})
    """

    what = "arcs"
    network: FixedChargeNetwork
    commodity_flow: Matrix
    is_open: tuple[bool, ...]
    objective: float
    bound: float
    gap: float
    status: str

    def __str__(self) -> str:
        flow, names = self.flow, self.network.arc_names
        opened = [a for a in np.argsort(-flow, kind="stable") if self.is_open[a]]
        shown = opened[:ARCS_SHOWN]
        width = max((len(names[a]) for a in shown), default=0)
        lines = [self.headline]
        lines += [f"  {names[a]:{width}}  {flow[a]:10.6g}{self._use(a)}" for a in shown]
        if len(opened) > len(shown):
            lines.append(f"  and {len(opened) - len(shown)} more")
        return "\n".join(lines)

    def _use(self, a: int) -> str:
        capacity = self.network.capacity[a]
        return f" of {capacity:.6g}" if np.isfinite(capacity) else ""

    @cached_property
    def flow(self) -> Vector:
        """Flow on every arc, of all commodities together."""
        return frozen(self.commodity_flow.sum(axis=0))

    @property
    def open_arcs(self) -> tuple[str, ...]:
        """Names of the open arcs, in the network's order."""
        return self._open_of(self.network.arc_names)

    @property
    def idle(self) -> tuple[str, ...]:
        """Names of the arcs that are open but carry nothing."""
        least = self._negligible
        items = zip(self.network.arc_names, self.is_open, self.flow, strict=True)
        return tuple(name for name, on, flow in items if on and flow <= least)

    @property
    def cost_split(self) -> dict[str, float]:
        """Cost of opening arcs (`fixed`), of units (`linear`) and of congestion (`quadratic`)."""
        network, flow = self.network, self.flow
        return {
            "fixed": float(network.fixed_cost @ np.array(self.is_open, dtype=float)),
            "linear": float(network.unit_cost @ flow),
            "quadratic": float(network.quadratic_cost @ flow**2),
        }

    @property
    def violation(self) -> float:
        """Largest violation of conservation, capacity, sign or closed arcs, in units of flow."""
        network = self.network
        worst = float(np.maximum(-self.commodity_flow, 0.0).max(initial=0.0))
        limit = np.where(self.is_open, network.capacity, self._negligible)
        worst = max(worst, float((self.flow - limit).max(initial=0.0)))
        n = len(network.nodes)
        for flow, supply in zip(self.commodity_flow, network.supplies, strict=True):
            net = np.bincount(network.tails, flow, n) - np.bincount(network.heads, flow, n)
            worst = max(worst, float(np.abs(net - supply).max(initial=0.0)))
        return worst

    @property
    def arcs(self) -> pd.DataFrame:
        """One row per arc, indexed by name: from, to, open, flow, capacity, use, unit cost, fixed cost.

        `use` is the share of the capacity that is used, 0 without a limit. Where there are quadratic costs,
        `quadratic cost` is a column too.
        """
        import pandas as pd  # 0.3 s, for who asks for a table

        network, flow = self.network, self.flow
        with np.errstate(invalid="ignore", divide="ignore"):
            use = np.where(network.capacity > 0, flow / network.capacity, 0.0)
        table = pd.DataFrame(
            {
                "from": [tail for tail, _ in network.arcs],
                "to": [head for _, head in network.arcs],
                "open": list(self.is_open),
                "flow": flow.copy(),
                "capacity": network.capacity.copy(),
                "use": use,
                "unit cost": network.unit_cost.copy(),
                "fixed cost": network.fixed_cost.copy(),
            },
            index=pd.Index(list(network.arc_names), name="arc", dtype=object),
        )
        if network.quadratic_cost.any():
            table["quadratic cost"] = network.quadratic_cost.copy()
        return table

    @property
    def flows(self) -> pd.DataFrame:
        """The rows of `arcs` that are open, without the column `open`."""
        table = self.arcs
        return table[table["open"]].drop(columns="open")

    @property
    def commodity_flows(self) -> pd.DataFrame:
        """One row per commodity and arc that it uses: commodity, from, to, flow."""
        import pandas as pd  # 0.3 s, for who asks for a table

        network = self.network
        commodity, arc = np.nonzero(self.commodity_flow > self._negligible)
        return pd.DataFrame(
            {
                "commodity": [network.commodity_names[k] for k in commodity],
                "from": [network.arcs[a][0] for a in arc],
                "to": [network.arcs[a][1] for a in arc],
                "flow": self.commodity_flow[commodity, arc],
            },
            index=pd.Index([network.arc_names[a] for a in arc], name="arc", dtype=object),
        )

    def to_networkx(self, closed: bool = False) -> nx.DiGraph:
        """The open arcs (with `closed`, all) as a networkx graph; edges carry `flow` and `open` besides.

        Examples
        --------
        >>> import hybridmip as hm
        >>> network = hm.example_network(nodes=6)
        >>> graph = network.read(hm.solve(network)).to_networkx()
        >>> sum(open_ for _, _, open_ in graph.edges(data="open"))
        5
        """
        graph = self.network.to_networkx()
        taken: dict[tuple[Node, Node], int] = {}
        for a, (tail, head) in enumerate(self.network.arcs):
            key = taken.get((tail, head), 0)
            taken[tail, head] = key + 1
            edge = (tail, head, key) if graph.is_multigraph() else (tail, head)
            if self.is_open[a] or closed:
                graph.edges[edge].update(flow=float(self.flow[a]), open=self.is_open[a])
            else:
                graph.remove_edge(*edge)
        return graph

    @property
    def _negligible(self) -> float:
        return NEGLIGIBLE_FLOW * max(self.network.total, float(self.flow.max(initial=0.0)))
