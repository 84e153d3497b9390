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
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hybridmip.applications.arguments import vector, whole
from hybridmip.applications.network import canad, checks, frames, graphs, limits, program
from hybridmip.applications.network.names import ONE_COMMODITY, Commodity, Indices, Node, distinct, name_arcs
from hybridmip.applications.network.result import NEGLIGIBLE_FLOW, NetworkResult
from hybridmip.errors import ArgumentError
from hybridmip.files import PathLike, read_text
from hybridmip.io.arcs import read_arcs, read_commodities, read_nodes
from hybridmip.io.canad import parse_design
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Matrix, Vector, frozen

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from hybridmip.run.result import Result


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

    Examples
    --------
    >>> import hybridmip as hm
    >>> network = hm.FixedChargeNetwork(
    ...     nodes=["mill", "port", "town"], arcs=[("mill", "port"), ("port", "town"), ("mill", "town")],
    ...     supply={"mill": 4, "town": -4}, capacity=10, unit_cost=[1, 1, 5], fixed_cost=[3, 3, 2],
    ... )
    >>> answer = network.read(hm.solve(network))
    >>> answer.open_arcs, answer.cost
    (('mill->port', 'port->town'), 14.0)
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
        known = checks.checked_nodes(nodes)
        place = {node: i for i, node in enumerate(known)}
        pairs = checks.checked_arcs(arcs, place)
        names = name_arcs(pairs)
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
            "supply": None if supply is None else checks.checked_supply(supply, known, place),
            "capacity": vector("capacity", capacity, keys, names, "arc", default=np.inf, no_limit=True),
            **costs,
            "commodities": None if commodities is None else checks.checked_commodities(commodities, place),
            "max_open": None if most is None or most >= len(pairs) else most,
            "min_open": fewest or None,
            "positions": None if positions is None else checks.checked_positions(positions, known),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        limits.check_circles(self)

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

        Examples
        --------
        >>> import hybridmip as hm
        >>> import networkx as nx
        >>> graph = nx.DiGraph()
        >>> graph.add_node("mill", demand=-4)
        >>> graph.add_node("town", demand=4)
        >>> graph.add_edge("mill", "town", weight=5, fixed_cost=2)
        >>> hm.FixedChargeNetwork.from_networkx(graph).total
        4.0
        """
        arguments = graphs.from_graph(
            graph,
            demand=demand,
            supply=supply,
            capacity=capacity,
            unit_cost=unit_cost,
            fixed_cost=fixed_cost,
            quadratic_cost=quadratic_cost,
            position=position,
            commodities=commodities,
        )
        return cls(**arguments, max_open=max_open, min_open=min_open)

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

        Examples
        --------
        >>> import hybridmip as hm
        >>> import pandas as pd
        >>> arcs = pd.DataFrame({"from": ["mill", "port"], "to": ["port", "town"], "unit_cost": 1, "fixed_cost": 3})
        >>> nodes = pd.DataFrame({"node": ["mill", "town"], "supply": [4, -4]})
        >>> hm.FixedChargeNetwork.from_frames(arcs, nodes)
        <FixedChargeNetwork of 3 nodes, 2 arcs>
        """
        return cls(**frames.from_tables(arcs, nodes, commodities), max_open=max_open, min_open=min_open)

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
        """A network from CSV files with the columns that `from_frames` takes, plain or gzipped.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import hybridmip as hm
        >>> tables = hm.example_network(nodes=6).to_frames()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     files = [pathlib.Path(folder, name) for name in ("arcs.csv", "nodes.csv")]
        ...     for table, file in zip(tables, files):
        ...         table.to_csv(file, index=False)
        ...     network = hm.FixedChargeNetwork.from_csv(*files)
        >>> network
        <FixedChargeNetwork of 6 nodes, 22 arcs>
        """
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
        """A network from a Canad `.dow` file, plain or gzipped; its nodes are "1", "2" and so on.

        Its problem is the one that `read_problem` gives for that file.
        """
        design = parse_design(read_text(path), str(path))
        return cls(**canad.from_design(design, str(path)), max_open=max_open, min_open=min_open)

    def to_networkx(self) -> nx.DiGraph:
        """A networkx DiGraph (MultiDiGraph if arcs are parallel) with the attributes that `from_networkx` reads.

        Examples
        --------
        >>> import hybridmip as hm
        >>> hm.example_network(nodes=6).to_networkx().number_of_nodes()
        6
        """
        return graphs.to_graph(self)

    def to_frames(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """(arcs, nodes) as `from_frames` takes them; an arc without a limit has capacity NaN.

        Examples
        --------
        >>> import hybridmip as hm
        >>> arcs, nodes = hm.example_network(nodes=6).to_frames()
        >>> list(arcs.columns), list(nodes.columns)
        (['from', 'to', 'capacity', 'unit_cost', 'fixed_cost', 'quadratic_cost'], ['node', 'supply', 'x', 'y'])
        """
        return frames.to_tables(self)

    # Names and positions --------------------------------------------------------------------------------------

    @cached_property
    def arc_names(self) -> tuple[str, ...]:
        """Name of every arc, "A->B"; the second of parallel arcs is "A->B #2"."""
        return name_arcs(self.arcs)

    @cached_property
    def commodity_names(self) -> tuple[str, ...]:
        """Name of every commodity, "A to B"; with `supply` there is one, called "all"."""
        if self.commodities is None:
            return (ONE_COMMODITY,)
        return distinct(f"{origin} to {destination}" for origin, destination, _ in self.commodities)

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
        """The most of each commodity (rows) that an optimal flow need carry on each arc (columns)."""
        return limits.commodity_limits(self)

    @cached_property
    def may_circle(self) -> NDArray[np.bool_]:
        """Arcs on a circle of arcs one of which has a negative cost: flow may run in circles there."""
        return limits.may_circle(self)

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

        Examples
        --------
        >>> import hybridmip as hm
        >>> hm.example_network().problem().describe()
        'MILP: 44 continuous (44 switched), 44 binary, 12 rows, 7 binary rows'
        """
        return self._problem

    @cached_property
    def _problem(self) -> Problem:
        return program.build(self)

    def read(self, result: Result) -> NetworkResult:
        """The answer of a solve of `problem()`, labelled.

        Raises
        ------
        ArgumentError
            If the result has no solution, or belongs to another network.

        Examples
        --------
        >>> import hybridmip as hm
        >>> network = hm.example_network(nodes=6)
        >>> answer = network.read(hm.solve(network))
        >>> answer
        <NetworkResult: 5 of 22 arcs open, cost 1776.1 (fixed 1449, linear 327.1)>
        """
        if result.x is None or result.b is None:
            raise ArgumentError(f"result has no solution (status {result.status}); ask has_solution first")
        problem = self.problem()
        if result.problem.x_names != problem.x_names or result.problem.b_names != problem.b_names:
            raise ArgumentError("result is of another network; read it with the network that built the problem")
        commodity, arc = program.flow_columns(self)
        flows = np.zeros((len(self.supplies), len(self.arcs)))
        flows[commodity, arc] = result.x[: len(arc)]
        is_open = flows.sum(axis=0) > NEGLIGIBLE_FLOW * max(self.total, float(flows.max(initial=0.0)))
        is_open[self.has_binary] = result.b
        return NetworkResult(
            self, frozen(flows), tuple(bool(value) for value in is_open), result.objective, result.bound,
            result.gap, str(result.status),
        )  # fmt: skip
