"""A made-up network, to try things with."""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import minimum_spanning_tree

from hybridmip.applications.arguments import whole
from hybridmip.applications.network.fixed_charge import FixedChargeNetwork
from hybridmip.applications.network.names import Indices
from hybridmip.model.quadratic import Matrix


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

    Examples
    --------
    >>> import hybridmip as hm
    >>> hm.example_network(seed=1, nodes=8)
    <FixedChargeNetwork of 8 nodes, 30 arcs>
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
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    near = minimum_spanning_tree(distance).toarray() > 0
    rows = np.arange(len(points))[:, None]
    near[rows, np.argsort(distance, axis=1, kind="stable")[:, 1 : links + 1]] = True
    tails, heads = np.nonzero(near | near.T)
    return tails.astype(np.intp), heads.astype(np.intp)


def _can_ship(network: FixedChargeNetwork) -> bool:
    """Whether the demands can be met with every arc open."""
    from scipy.optimize import linprog  # 0.2 s, which other networks do not need

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
