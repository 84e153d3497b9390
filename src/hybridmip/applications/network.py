"""Networks in which every opened arc has a price: which arcs to open, and what flows on them.

minimise    sum over arcs of  fixed_a b_a + unit_a f_a + quadratic_a f_a^2
subject to  what leaves a node - what enters it = its supply      (per commodity)
            0 <= f_a <= capacity_a b_a,   the number of open arcs within limits
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.applications.arguments import hint, is_list, number, vector, whole
from hybridmip.errors import ArgumentError, MissingDependencyError, ProblemError
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Matrix, Vector, frozen

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from hybridmip.io.files import PathLike
    from hybridmip.run.result import Result

Node: TypeAlias = Hashable
Indices: TypeAlias = NDArray[np.intp]

#: Supplies may miss a sum of 0 by this share of the total: decimals do not cancel exactly.
BALANCE_TOLERANCE = 1e-9
#: A flow below this share of all that is shipped is rounding.
NEGLIGIBLE_FLOW = 1e-9
#: Rounds of passing limits on from arc to arc, at most.
LIMIT_ROUNDS = 20
#: Searches for what reaches what are left out where sources times arcs exceed this.
REACH_WORK = 2e8
#: Arcs that the text of a `NetworkResult` lists.
ARCS_SHOWN = 12
#: How the one commodity of a network with supplies is called.
ONE_COMMODITY = "all"


class Commodity(NamedTuple):
    """So much to be brought from one node to another."""

    origin: Node
    destination: Node
    demand: float


@dataclass(frozen=True, init=False, eq=False, repr=False)
class FixedChargeNetwork:
    """Minimum cost flow with arcs to open, for one commodity or several.

    Parameters
    ----------
    nodes : sequence
        Names of the nodes (text, numbers or anything hashable).
    arcs : sequence of pairs
        (from, to) of every arc; parallel arcs are allowed.
    supply : mapping or array_like, optional
        What each node sends out (positive) or takes in (negative); a mapping may leave out nodes of
        supply 0. It must add up to 0. None if `commodities` are given.
    capacity : number, array_like or mapping, optional
        Largest flow of an open arc, of all commodities together; None (also as an entry) for no limit. Here
        and below, a mapping goes by (from, to) or by the arc's name, such as "A->B".
    unit_cost : number, array_like or mapping, optional
        Cost of one unit of flow.
    fixed_cost : number, array_like or mapping, optional
        Cost of opening the arc; an arc where it is 0 is open to begin with.
    quadratic_cost : number, array_like or mapping, optional
        Congestion: the arc also costs this times the square of its flow (of all commodities together).
    commodities : sequence of (origin, destination, demand), optional
        What goes from where to where, instead of `supply`.
    max_open, min_open : int, optional
        Limits of how many arcs are open; all arcs count, also those that cost nothing to open.
    positions : mapping, optional
        (x, y) of every node, for drawing only.

    Raises
    ------
    ArgumentError
        If an option is out of its range, or two of them contradict each other.
    ProblemError
        If the data are not finite, of the wrong size or sign, or supplies do not balance.
    """

    nodes: tuple[Node, ...]
    arcs: tuple[tuple[Node, Node], ...]
    supply: Vector | None
    capacity: Vector
    unit_cost: Vector
    fixed_cost: Vector
    quadratic_cost: Vector
    commodities: tuple[Commodity, ...] | None
    max_open: int | None
    min_open: int | None
    positions: Mapping[Node, tuple[float, float]] | None

    def __init__(
        self,
        nodes: Sequence[Node],
        arcs: Sequence[tuple[Node, Node]],
        supply: Any = None,
        capacity: Any = None,
        unit_cost: Any = 0.0,
        fixed_cost: Any = 0.0,
        quadratic_cost: Any = None,
        commodities: Sequence[tuple[Node, Node, float]] | None = None,
        max_open: int | None = None,
        min_open: int | None = None,
        *,
        positions: Mapping[Node, tuple[float, float]] | None = None,
    ) -> None:
        known = _nodes(nodes)
        place = {node: i for i, node in enumerate(known)}
        pairs = _arcs(arcs, place)
        names = _arc_names(pairs)
        if (supply is None) == (commodities is None):
            which = "both" if commodities is not None else "neither"
            raise ArgumentError(
                f"supply and commodities: {which} given; give supply for one commodity, else commodities"
            )
        keys: dict[Hashable, int] = {name: a for a, name in enumerate(names)}
        times = Counter(pairs)  # which of several parallel arcs is meant, only the name says
        keys.update({pair: a for a, pair in enumerate(pairs) if times[pair] == 1})
        costs = {
            name: vector(name, values, keys, names, "arc", minimum=minimum)
            for name, values, minimum in (
                ("unit_cost", unit_cost, None),
                ("fixed_cost", fixed_cost, 0.0),
                ("quadratic_cost", quadratic_cost, 0.0),
            )
        }
        most = None if max_open is None else whole("max_open", max_open, 0)
        fewest = None if min_open is None else whole("min_open", min_open, 0)
        if fewest is not None and fewest > len(pairs):
            raise ArgumentError(f"min_open is {fewest} but there are {len(pairs)} arcs; lower it")
        if fewest is not None and most is not None and fewest > most:
            raise ArgumentError(f"min_open is {fewest}, above max_open {most}; lower it")
        fields: dict[str, Any] = {
            "nodes": known,
            "arcs": pairs,
            "supply": None if supply is None else _supply(supply, known, place),
            "capacity": vector("capacity", capacity, keys, names, "arc", default=np.inf, no_limit=True),
            **costs,
            "commodities": None if commodities is None else _commodities(commodities, place),
            "max_open": None if most is None or most >= len(pairs) else most,
            "min_open": fewest or None,
            "positions": None if positions is None else _positions(positions, known),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        self._check_limits()

    def __repr__(self) -> str:
        several = "" if self.commodities is None else f", {len(self.commodities)} commodities"
        return f"<FixedChargeNetwork of {len(self.nodes)} nodes, {len(self.arcs)} arcs{several}>"

    # Other forms of a network ---------------------------------------------------------------------------------

    @classmethod
    def from_networkx(
        cls,
        graph: nx.Graph,
        *,
        demand: str = "demand",
        supply: str | None = None,
        capacity: str = "capacity",
        unit_cost: str = "weight",
        fixed_cost: str = "fixed_cost",
        quadratic_cost: str = "quadratic_cost",
        position: str = "pos",
        commodities: Sequence[tuple[Node, Node, float]] | None = None,
        max_open: int | None = None,
        min_open: int | None = None,
    ) -> FixedChargeNetwork:
        """A network from a networkx DiGraph or MultiDiGraph.

        networkx's sign convention holds for `demand`: positive where a node takes in, negative where it
        sends out. Name an attribute as `supply` instead if yours is positive for sources.

        Parameters
        ----------
        graph : networkx.DiGraph or networkx.MultiDiGraph
        demand, supply, position : str
            Node attributes; a node without one has supply 0. `supply` wins over `demand`.
        capacity, unit_cost, fixed_cost, quadratic_cost : str
            Edge attributes; an edge without one has no limit, or costs nothing.
        commodities, max_open, min_open
            As for the class; commodities default to `graph.graph["commodities"]`, if there are any.
        """
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
        return cls(
            nodes,
            [(tail, head) for tail, head, _ in edges],
            sent,
            [data.get(capacity) for *_, data in edges],
            [data.get(unit_cost, 0.0) for *_, data in edges],
            [data.get(fixed_cost, 0.0) for *_, data in edges],
            [data.get(quadratic_cost, 0.0) for *_, data in edges],
            commodities=commodities,
            max_open=max_open,
            min_open=min_open,
            positions=placed if nodes and len(placed) == len(nodes) else None,
        )

    @classmethod
    def from_frames(
        cls,
        arcs: pd.DataFrame,
        nodes: pd.DataFrame | None = None,
        *,
        commodities: pd.DataFrame | Sequence[tuple[Node, Node, float]] | None = None,
        max_open: int | None = None,
        min_open: int | None = None,
    ) -> FixedChargeNetwork:
        """A network from tables.

        Parameters
        ----------
        arcs : pandas.DataFrame
            Columns from, to and, where they matter, capacity (empty for no limit), unit_cost, fixed_cost,
            quadratic_cost (empty for 0).
        nodes : pandas.DataFrame, optional
            Columns node, supply (empty for 0) and, for drawing, x and y. A node that only `arcs` names has supply 0.
        commodities : pandas.DataFrame or sequence of triples, optional
            Columns origin, destination, demand.
        max_open, min_open
            As for the class.
        """
        from hybridmip.io.arcs import ARC_COLUMNS, COMMODITY_COLUMNS, NODE_COLUMNS

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
        return cls(
            list(known),
            pairs,
            None if commodities is not None else known,
            [None if _is_blank(value) else value for value in table.get("capacity", [None] * len(pairs))],
            costs["unit_cost"],
            costs["fixed_cost"],
            costs["quadratic_cost"],
            commodities=commodities,
            max_open=max_open,
            min_open=min_open,
            positions=positions,
        )

    @classmethod
    def from_csv(
        cls,
        arcs: PathLike,
        nodes: PathLike | None = None,
        *,
        commodities: PathLike | None = None,
        max_open: int | None = None,
        min_open: int | None = None,
    ) -> FixedChargeNetwork:
        """A network from CSV files with the columns that `from_frames` takes, plain or gzipped."""
        from hybridmip.io.arcs import read_arcs, read_commodities, read_nodes

        return cls.from_frames(
            read_arcs(arcs),
            None if nodes is None else read_nodes(nodes),
            commodities=None if commodities is None else read_commodities(commodities),
            max_open=max_open,
            min_open=min_open,
        )

    @classmethod
    def from_canad(
        cls, path: PathLike, *, max_open: int | None = None, min_open: int | None = None
    ) -> FixedChargeNetwork:
        """A network from a Canad `.dow` file, plain or gzipped; its nodes are "1", "2" and so on."""
        from hybridmip.io.files import read_text
        from hybridmip.io.networks import parse_design

        design = parse_design(read_text(path), str(path))
        names = [str(node + 1) for node in range(design.nodes)]
        return cls(
            names,
            [(names[i], names[j]) for i, j in zip(design.tail, design.head, strict=True)],
            capacity=design.capacity,
            unit_cost=design.cost,
            fixed_cost=design.fixed,
            commodities=[
                (names[i], names[j], float(demand))
                for i, j, demand in zip(design.origin, design.target, design.demand, strict=True)
            ],
            max_open=max_open,
            min_open=min_open,
        )

    def to_networkx(self) -> nx.DiGraph:
        """A networkx DiGraph (MultiDiGraph if arcs are parallel) with the attributes that `from_networkx` reads."""
        networkx = _networkx()
        graph = networkx.MultiDiGraph() if len(set(self.arcs)) < len(self.arcs) else networkx.DiGraph()
        for i, node in enumerate(self.nodes):
            placed = {} if self.positions is None else {"pos": self.positions[node]}
            sent = {} if self.supply is None else {"demand": -float(self.supply[i]) + 0.0}
            graph.add_node(node, **sent, **placed)
        for a, (tail, head) in enumerate(self.arcs):
            limit = {"capacity": float(self.capacity[a])} if np.isfinite(self.capacity[a]) else {}
            graph.add_edge(
                tail,
                head,
                **limit,
                weight=float(self.unit_cost[a]),
                fixed_cost=float(self.fixed_cost[a]),
                quadratic_cost=float(self.quadratic_cost[a]),
            )
        if self.commodities is not None:
            graph.graph["commodities"] = [tuple(commodity) for commodity in self.commodities]
        return graph

    def to_frames(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """(arcs, nodes) as `from_frames` takes them; an arc without a limit has capacity NaN."""
        import pandas as pd

        arcs = pd.DataFrame(
            {
                "from": [tail for tail, _ in self.arcs],
                "to": [head for _, head in self.arcs],
                "capacity": np.where(np.isfinite(self.capacity), self.capacity, np.nan),
                "unit_cost": self.unit_cost.copy(),
                "fixed_cost": self.fixed_cost.copy(),
                "quadratic_cost": self.quadratic_cost.copy(),
            }
        )
        nodes = pd.DataFrame({"node": list(self.nodes)})
        nodes["supply"] = np.zeros(len(self.nodes)) if self.supply is None else self.supply.copy()
        if self.positions is not None:
            nodes["x"], nodes["y"] = np.array([self.positions[node] for node in self.nodes]).T
        return arcs, nodes

    # Names and positions --------------------------------------------------------------------------------------

    @cached_property
    def arc_names(self) -> tuple[str, ...]:
        """Name of every arc, "A->B"; the second of parallel arcs is "A->B #2"."""
        return _arc_names(self.arcs)

    @cached_property
    def commodity_names(self) -> tuple[str, ...]:
        """Name of every commodity, "A to B"; with `supply` there is one, called "all"."""
        if self.commodities is None:
            return (ONE_COMMODITY,)
        return _distinct(f"{origin} to {destination}" for origin, destination, _ in self.commodities)

    @cached_property
    def tails(self) -> Indices:
        """Position of the node that each arc leaves."""
        place = {node: i for i, node in enumerate(self.nodes)}
        return np.array([place[tail] for tail, _ in self.arcs], dtype=np.intp)

    @cached_property
    def heads(self) -> Indices:
        """Position of the node that each arc enters."""
        place = {node: i for i, node in enumerate(self.nodes)}
        return np.array([place[head] for _, head in self.arcs], dtype=np.intp)

    @cached_property
    def supplies(self) -> Matrix:
        """Supply of every node (columns) of every commodity (rows)."""
        if self.commodities is None:
            assert self.supply is not None
            return frozen(self.supply[None, :])
        place = {node: i for i, node in enumerate(self.nodes)}
        table = np.zeros((len(self.commodities), len(self.nodes)))
        for k, (origin, destination, demand) in enumerate(self.commodities):
            table[k, place[origin]] += demand
            table[k, place[destination]] -= demand
        return frozen(table)

    @property
    def total(self) -> float:
        """All that is shipped."""
        return float(np.maximum(self.supplies, 0.0).sum())

    # The program ----------------------------------------------------------------------------------------------

    @cached_property
    def commodity_limits(self) -> Matrix:
        """The most of each commodity (rows) that an optimal flow need carry on each arc (columns).

        Costs never fall with the flow, so some optimal flow runs in no circle; what it carries on an arc
        comes from sources before the arc and goes to sinks behind it. Arcs on a circle with a negative
        cost are the exception: there only the capacity counts.
        """
        tails, heads = self.tails, self.heads
        usable = self.capacity > 0
        circles = self._may_circle
        limits = np.empty((len(self.supplies), len(self.arcs)))
        into, out = self._reachable(usable)
        for k, supply in enumerate(self.supplies):
            limit = np.minimum(self.capacity, np.minimum(into[k, tails], out[k, heads]))
            if self.commodities is not None:
                # Without circles nothing comes back to the origin, or leaves the destination.
                limit[(heads == supply.argmax()) | (tails == supply.argmin())] = 0.0
            limit[circles] = self.capacity[circles]
            limits[k] = self._passed_on(limit, supply, circles)
        return frozen(limits)

    @cached_property
    def flow_limits(self) -> Vector:
        """The most that an optimal flow need carry on each arc, of all commodities together."""
        return frozen(np.minimum(self.capacity, self.commodity_limits.sum(axis=0)))

    @cached_property
    def has_binary(self) -> NDArray[np.bool_]:
        """Which arcs have a binary: those that cost something to open, and all that a limit on open arcs counts."""
        if self.min_open is not None:
            mask = np.ones(len(self.arcs), dtype=bool)
        else:
            mask = self.flow_limits > 0
            if self.max_open is None:
                mask &= self.fixed_cost > 0
        mask.setflags(write=False)
        return mask

    def problem(self) -> Problem:
        """The mixed-integer program; its objective is the cost of the network.

        One x per arc, named "A->B"; with commodities one per commodity and arc that it can use, named
        "A->B [A to C]", and for arcs with a quadratic cost their total "A->B". Rows are named "flow at A" (with
        "[A to C]" for a commodity), "capacity of A->B" and "total of A->B", binary rows "open arcs", "arcs into C"
        and "arcs out of A". The last two follow from the others: they say how many arcs a sink or a source needs.
        """
        return self._problem

    @cached_property
    def _columns(self) -> tuple[Indices, Indices]:
        """(commodity, arc) of every flow variable."""
        if self.commodities is None:
            return np.zeros(len(self.arcs), dtype=np.intp), np.arange(len(self.arcs), dtype=np.intp)
        commodity, arc = np.nonzero(self.commodity_limits > 0)
        return commodity.astype(np.intp), arc.astype(np.intp)

    @cached_property
    def _totals(self) -> Indices:
        """Arcs that have a variable for their total flow beside those of the commodities."""
        if self.commodities is None:
            return np.empty(0, dtype=np.intp)
        return np.flatnonzero((self.quadratic_cost > 0) & (self.flow_limits > 0)).astype(np.intp)

    @cached_property
    def _problem(self) -> Problem:
        commodity, arc = self._columns
        totals = self._totals
        several = self.commodities is not None
        n, flows, nodes = len(arc) + len(totals), len(arc), len(self.nodes)
        arc_of = np.concatenate([arc, totals])
        binary = np.full(len(self.arcs), -1, dtype=np.intp)
        binary[self.has_binary] = np.arange(int(self.has_binary.sum()))
        names, labels = self.arc_names, self.commodity_names
        x_names = [f"{names[a]} [{labels[k]}]" if several else names[a] for k, a in zip(commodity, arc, strict=True)]

        # Conservation: a node that neither sends nor sees a commodity needs no row for it.
        ones, column = np.ones(flows), np.arange(flows)
        places = np.concatenate([commodity * nodes + self.tails[arc], commodity * nodes + self.heads[arc]])
        shape = (len(self.supplies) * nodes, n)
        balance = sparse.csr_array((np.concatenate([ones, -ones]), (places, np.tile(column, 2))), shape=shape)
        needed = (np.diff(balance.indptr) > 0) | (self.supplies.ravel() != 0)
        parts = [balance[needed]]
        lower = [self.supplies.ravel()[needed]]
        upper = [lower[0]]
        row_names = []
        for place in np.flatnonzero(needed):
            k, i = divmod(int(place), nodes)
            row_names.append(f"flow at {self.nodes[i]}" + (f" [{labels[k]}]" if several else ""))

        # What the commodities carry together: the capacity, where it can bind, or the variable that is its total.
        sums = sparse.csr_array((ones, (arc, column)), shape=(len(self.arcs), n))
        binds = np.zeros(len(self.arcs), dtype=bool)
        if several:
            binds = self.commodity_limits.sum(axis=0) > self.capacity
            binds[totals] = False
            parts.append(sums[np.flatnonzero(binds)])
            lower.append(np.full(int(binds.sum()), -np.inf))
            upper.append(np.where(self.has_binary, 0.0, self.capacity)[binds])
            row_names += [f"capacity of {names[a]}" for a in np.flatnonzero(binds)]
            own = sparse.csr_array((-np.ones(len(totals)), (np.arange(len(totals)), flows + np.arange(len(totals)))),
                                   shape=(len(totals), n))  # fmt: skip
            parts.append(sums[totals] + own)
            lower.append(np.zeros(len(totals)))
            upper.append(np.zeros(len(totals)))
            row_names += [f"total of {names[a]}" for a in totals]
        rows = sum(part.shape[0] for part in parts)
        m = int(self.has_binary.sum())
        mixed = np.flatnonzero(binds & self.has_binary)
        row_of = parts[0].shape[0] + (np.cumsum(binds) - 1)[mixed]
        G = sparse.csr_array((-self.capacity[mixed], (row_of, binary[mixed])), shape=(rows, m))

        quadratic = self.quadratic_cost[arc_of]
        if several:
            quadratic = np.concatenate([np.zeros(flows), quadratic[flows:]])
        ends, end_names = self._arcs_needed
        chosen = [binary[arcs] for arcs, _ in ends]
        fewest, most = [count for _, count in ends], [np.inf] * len(ends)
        if self.max_open is not None or self.min_open is not None:
            chosen.insert(0, np.arange(m))
            fewest.insert(0, self.min_open or 0)
            most.insert(0, m if self.max_open is None else self.max_open)
            end_names = ["open arcs", *end_names]
        starts = np.cumsum([0, *(len(part) for part in chosen)])
        return Problem(
            Q=quadratic,
            q=np.concatenate([self.unit_cost[arc], np.zeros(len(totals))]),
            p=self.fixed_cost[self.has_binary],
            A=sparse.csr_array(sparse.vstack(parts)),
            G=G if m else None,
            row_lower=np.concatenate(lower),
            row_upper=np.concatenate(upper),
            B=sparse.csr_array((np.ones(starts[-1]), np.concatenate(chosen), starts), shape=(len(chosen), m))
            if chosen
            else None,
            b_lower=fewest if chosen else None,
            b_upper=most if chosen else None,
            x_lower=np.zeros(n),
            x_upper=np.concatenate([self.commodity_limits[commodity, arc], self.flow_limits[totals]]),
            switch=binary[arc_of],
            binaries=m,
            x_names=[*x_names, *(names[a] for a in totals)],
            b_names=[names[a] for a in np.flatnonzero(self.has_binary)],
            row_names=row_names,
            b_row_names=end_names if chosen else None,
        )

    @cached_property
    def _arcs_needed(self) -> tuple[list[tuple[Indices, int]], list[str]]:
        """(arcs, how many of them must be open) at sinks and sources, and the names of these rows.

        Redundant for whole b, but not for the relaxations: without them a sink of demand 4 is content with a tenth of
        an arc of capacity 40. No arc is in two of these rows, which keeps it easy to find b that satisfy them; with
        several commodities the links by commodity say as much already.
        """
        rows: list[tuple[Indices, int]] = []
        names: list[str] = []
        if self.commodities is not None:
            return rows, names
        taken = np.zeros(len(self.arcs), dtype=bool)
        for ends, sign, word in ((self.heads, -1.0, "arcs into"), (self.tails, 1.0, "arcs out of")):
            order = np.argsort(ends, kind="stable")
            parts = np.split(order, np.searchsorted(ends[order], np.arange(1, len(self.nodes))))
            for i in np.flatnonzero(sign * self.supplies[0] > 0):
                arcs = parts[i][self.flow_limits[parts[i]] > 0]
                room = np.cumsum(np.sort(self.flow_limits[arcs])[::-1])
                need = abs(float(self.supplies[0, i])) * (1.0 - BALANCE_TOLERANCE)
                if taken[arcs].any() or not self.has_binary[arcs].all() or not room.size or room[-1] < need:
                    continue
                taken[arcs] = True
                rows.append((arcs.astype(np.intp), int(np.searchsorted(room, need)) + 1))
                names.append(f"{word} {self.nodes[i]}")
        return rows, names

    def read(self, result: Result) -> NetworkResult:
        """The answer of a solve of `problem()`, labelled.

        Raises
        ------
        ArgumentError
            If the result has no solution, or belongs to another network.
        """
        if result.x is None or result.b is None:
            raise ArgumentError(f"result has no solution (status {result.status}); ask has_solution first")
        problem = self.problem()
        if result.problem.x_names != problem.x_names or result.problem.b_names != problem.b_names:
            raise ArgumentError("result is of another network; read it with the network that built the problem")
        commodity, arc = self._columns
        flows = np.zeros((len(self.supplies), len(self.arcs)))
        flows[commodity, arc] = result.x[: len(arc)]
        is_open = flows.sum(axis=0) > NEGLIGIBLE_FLOW * max(self.total, float(flows.max(initial=0.0)))
        is_open[self.has_binary] = result.b
        return NetworkResult(
            self, frozen(flows), tuple(bool(value) for value in is_open), result.objective, result.bound,
            result.gap, str(result.status),
        )  # fmt: skip

    # Limits of flows ------------------------------------------------------------------------------------------

    @cached_property
    def _may_circle(self) -> NDArray[np.bool_]:
        """Arcs on a circle of arcs one of which has a negative cost: flow may run in circles there."""
        negative = self.unit_cost < 0
        if not negative.any():
            return np.zeros(len(self.arcs), dtype=bool)
        from scipy.sparse.csgraph import connected_components

        n = len(self.nodes)
        links = sparse.csr_array((np.ones(len(self.arcs)), (self.tails, self.heads)), shape=(n, n))
        _, part = connected_components(links, directed=True, connection="strong")
        inside = part[self.tails] == part[self.heads]
        mask: NDArray[np.bool_] = inside & np.isin(part[self.tails], part[self.tails[negative & inside]])
        return mask

    def _check_limits(self) -> None:
        """Flow that runs in circles and earns by it must have a limit."""
        for a in np.flatnonzero(self._may_circle & np.isinf(self.capacity)):
            negative = np.flatnonzero((self.unit_cost < 0) & self._may_circle)[0]
            raise ProblemError(
                f"capacity of {self.arc_names[a]} is None, but unit_cost of {self.arc_names[negative]} is negative and "
                "flow could run in circles there; give every such arc a capacity"
            )

    def _reachable(self, usable: NDArray[np.bool_]) -> tuple[Matrix, Matrix]:
        """Per commodity: what can arrive at each node, and what of it is wanted there and behind."""
        n = len(self.nodes)
        sources = np.flatnonzero((self.supplies > 0).any(axis=0))
        sinks = np.flatnonzero((self.supplies < 0).any(axis=0))
        sent, wanted = np.maximum(self.supplies, 0.0), np.maximum(-self.supplies, 0.0)
        if (len(sources) + len(sinks)) * float(len(self.arcs) + n) > REACH_WORK:
            total = np.repeat(sent.sum(axis=1)[:, None], n, axis=1)
            return total, total
        tails, heads = self.tails[usable], self.heads[usable]
        ahead = _reach(n, tails, heads, sources)
        behind = _reach(n, heads, tails, sinks)
        return sent[:, sources] @ ahead, wanted[:, sinks] @ behind

    def _passed_on(self, limit: Vector, supply: Vector, circles: NDArray[np.bool_]) -> Vector:
        """Limits lowered to what the arcs before and behind can bring and take, over and over."""
        n, tails, heads = len(self.nodes), self.tails, self.heads
        for _ in range(LIMIT_ROUNDS):
            back = sparse.csr_array((limit, (heads, tails)), shape=(n, n))
            # An arc and its reverse are not both used, so the reverse brings nothing.
            reverse = np.asarray(back[tails, heads]).ravel()
            arriving = np.bincount(heads, limit, n) + np.maximum(supply, 0.0)
            leaving = np.bincount(tails, limit, n) + np.maximum(-supply, 0.0)
            lower = np.minimum(arriving[tails], leaving[heads]) - reverse
            change = (lower < limit * (1.0 - 1e-9)) & ~circles
            if not change.any():
                break
            limit = np.where(change, np.maximum(lower, 0.0), limit)
        return limit


@dataclass(frozen=True, eq=False, repr=False)
class NetworkResult:
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
    """

    network: FixedChargeNetwork
    commodity_flow: Matrix
    is_open: tuple[bool, ...]
    objective: float
    bound: float
    gap: float
    status: str

    def __repr__(self) -> str:
        return f"<NetworkResult: {self._headline()}>"

    def __str__(self) -> str:
        flow, names = self.flow, self.network.arc_names
        opened = [a for a in np.argsort(-flow, kind="stable") if self.is_open[a]]
        shown = opened[:ARCS_SHOWN]
        width = max((len(names[a]) for a in shown), default=0)
        lines = [self._headline()]
        lines += [f"  {names[a]:{width}}  {flow[a]:10.6g}{self._use(a)}" for a in shown]
        if len(opened) > len(shown):
            lines.append(f"  and {len(opened) - len(shown)} more")
        return "\n".join(lines)

    def _headline(self) -> str:
        parts = ", ".join(f"{name} {value:.6g}" for name, value in self.cost_split.items() if value)
        return f"{sum(self.is_open)} of {len(self.is_open)} arcs open, cost {self.cost:.6g}" + (
            f" ({parts})" if parts else ""
        )

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
        return tuple(name for name, on in zip(self.network.arc_names, self.is_open, strict=True) if on)

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
    def cost(self) -> float:
        """All costs together, computed from the network's own data."""
        return sum(self.cost_split.values())

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
        import pandas as pd

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
        import pandas as pd

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
        """The open arcs (with `closed`, all) as a networkx graph; edges carry `flow` and `open` besides."""
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


def example_network(
    seed: int = 0, *, nodes: int = 12, degree: int = 3, quadratic: bool = False, commodities: int | None = None
) -> FixedChargeNetwork:
    """A made-up network on a map: plants (P1, ...) supply towns (T1, ...) by way of hubs (H1, ...).

    Parameters
    ----------
    seed : int
        Same seed, same network.
    nodes : int
        How many, at least 4; one in six is a plant, half of them are towns.
    degree : int
        Every node is linked, both ways, with so many of its nearest.
    quadratic : bool
        Whether arcs also cost by the square of their flow.
    commodities : int, optional
        So many pairs of nodes with a demand, instead of supplies; the nodes are then called A, B, C, ...
    """
    rng = np.random.default_rng(whole("seed", seed, 0))
    count, links = whole("nodes", nodes, 4), whole("degree", degree, 1)
    points = _spread_points(count, rng)
    tails, heads = _neighbours(points, min(links, count - 1))
    plants, towns = max(1, count // 6), count // 2
    # Plants in the west, so that goods cross the map.
    order = np.argsort(points[:, 0] + 0.35 * rng.random(count), kind="stable")
    role = np.full(count, "H", dtype="<U1")
    role[order[:plants]] = "P"
    role[order[plants:][np.sort(rng.permutation(count - plants)[:towns])]] = "T"
    number_of = {kind: iter(range(1, count + 1)) for kind in "PHT"}
    names = [f"{kind}{next(number_of[str(kind)])}" for kind in role]
    supply = np.zeros(count)
    supply[role == "T"] = -rng.integers(4, 16, int((role == "T").sum()))
    shares = rng.multinomial(int(-supply.sum()) - plants, np.full(plants, 1 / plants)) + 1
    supply[role == "P"] = shares
    triples = None
    if commodities is not None:
        names = [chr(ord("A") + i) if count <= 26 else f"N{i + 1}" for i in range(count)]
        pairs = [(i, j) for i in range(count) for j in range(count) if i != j]
        chosen = rng.choice(len(pairs), size=min(whole("commodities", commodities, 1), len(pairs)), replace=False)
        triples = [(names[pairs[c][0]], names[pairs[c][1]], int(rng.integers(3, 11))) for c in chosen]
    total = float(supply[supply > 0].sum()) if triples is None else float(sum(demand for *_, demand in triples))
    length = np.linalg.norm(points[tails] - points[heads], axis=1)
    unit = np.round(1 + 8 * length, 1)
    fixed = np.round((40 + 300 * length) * rng.uniform(0.7, 1.3, len(tails)))
    capacity = np.ceil(total * rng.choice([0.25, 0.4, 0.6], len(tails)))
    square = np.round(rng.uniform(0.05, 0.3, len(tails)), 2) if quadratic else None
    while True:
        network = FixedChargeNetwork(
            names,
            [(names[i], names[j]) for i, j in zip(tails, heads, strict=True)],
            supply if triples is None else None,
            capacity,
            unit,
            fixed,
            square,
            commodities=triples,
            positions={name: (float(x), float(y)) for name, (x, y) in zip(names, np.round(points, 4), strict=True)},
        )
        if _can_ship(network):
            return network
        capacity = np.ceil(1.2 * capacity)


def _networkx() -> Any:
    try:
        import networkx
    except ImportError:
        raise MissingDependencyError("networkx is needed for graphs; install it with: pip install networkx") from None
    return networkx


def _attribute(data: Mapping[str, Any], name: str, node: Node) -> float:
    return number(f"{name} of {node}", data.get(name, 0.0))


def _is_blank(value: Any) -> bool:
    """Whether a cell of a table is empty: None, NaN or pandas' NA."""
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and np.isnan(value))


def _columns(argument: str, table: Any, known: Sequence[str], required: Sequence[str]) -> dict[str, list[Any]]:
    """Columns of a DataFrame by their normal name; others are left alone."""
    from hybridmip.io.arcs import normal_column

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


def _nodes(nodes: Any) -> tuple[Node, ...]:
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


def _arcs(arcs: Any, place: Mapping[Node, int]) -> tuple[tuple[Node, Node], ...]:
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


def _distinct(names: Any) -> tuple[str, ...]:
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


def _arc_names(arcs: Sequence[tuple[Node, Node]]) -> tuple[str, ...]:
    return _distinct(f"{tail}->{head}" for tail, head in arcs)


def _supply(supply: Any, nodes: tuple[Node, ...], place: Mapping[Node, int]) -> Vector:
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


def _commodities(commodities: Any, place: Mapping[Node, int]) -> tuple[Commodity, ...]:
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


def _positions(positions: Any, nodes: tuple[Node, ...]) -> dict[Node, tuple[float, float]]:
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


def _reach(n: int, tails: Indices, heads: Indices, starts: Indices) -> Matrix:
    """1 where a node (columns) can be reached from a start (rows), else 0."""
    from scipy.sparse.csgraph import breadth_first_order

    links = sparse.csr_array((np.ones(len(tails)), (tails, heads)), shape=(n, n))
    result = np.zeros((len(starts), n))
    for row, start in enumerate(starts):
        result[row, breadth_first_order(links, start, directed=True, return_predecessors=False)] = 1.0
    return result


def _spread_points(count: int, rng: np.random.Generator) -> Matrix:
    """Points in a rectangle, none close to another: of several candidates the farthest from the rest."""
    points = rng.random((1, 2)) * [1.5, 1.0]
    while len(points) < count:
        candidates = rng.random((30, 2)) * [1.5, 1.0]
        nearest = np.linalg.norm(candidates[:, None] - points[None], axis=2).min(axis=1)
        points = np.vstack([points, candidates[nearest.argmax()]])
    return points


def _neighbours(points: Matrix, links: int) -> tuple[Indices, Indices]:
    """Arcs, both ways, between near points; a shortest spanning tree keeps all of them connected."""
    from scipy.sparse.csgraph import minimum_spanning_tree

    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    near = minimum_spanning_tree(distance).toarray() > 0
    rows = np.arange(len(points))[:, None]
    near[rows, np.argsort(distance, axis=1, kind="stable")[:, 1 : links + 1]] = True
    tails, heads = np.nonzero(near | near.T)
    return tails.astype(np.intp), heads.astype(np.intp)


def _can_ship(network: FixedChargeNetwork) -> bool:
    """Whether the demands can be met with every arc open."""
    from scipy.optimize import linprog

    problem = network.problem()
    equal = problem.row_lower == problem.row_upper
    mixed = ~equal
    matrix = problem.A
    answer = linprog(
        np.zeros(problem.n),
        A_eq=matrix[np.flatnonzero(equal)],
        b_eq=problem.row_upper[equal],
        A_ub=matrix[np.flatnonzero(mixed)] if mixed.any() else None,
        b_ub=(problem.row_upper - problem.G @ np.ones(problem.m))[mixed] if mixed.any() else None,
        bounds=np.column_stack([problem.x_lower, problem.x_upper]),
        method="highs",
    )
    return bool(answer.status == 0)
