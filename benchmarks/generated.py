"""Generated fixed-charge problems, the same for the same seed, beside HiGHS: on none of them was a constant chosen.

Transportation as Sun, Aronson, McKeown and Drinka (1998) generate it, single-commodity and multicommodity networks,
lot sizing with a capacity that items share, capacitated facility location.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import hybridmip as hm
from benchmarks import files
from benchmarks.common import Options, Record
from benchmarks.peers import warm_up_files
from hybridmip.io.model import ReadProblem
from hybridmip.io.write import write_mps

#: Seeds of the problems that are measured; constants are chosen on problems of other seeds, 1,000 and above.
INSTANCES = (0, 1, 2)
#: Charges that are cheap and dear beside unit costs of 3 to 8: types B and H of Sun and others.
CHEAP, DEAR = (100, 400), (6400, 25600)
#: Nodes and arcs of the networks.
NETWORKS = ((40, 200), (100, 600), (250, 2000))


@dataclass(frozen=True)
class Generated:
    """A problem, and what it is called."""

    family: str
    name: str
    make: Callable[[], hm.Problem]


def transportation(sources: int, sinks: int, charges: tuple[int, int], seed: int) -> hm.Problem:
    """Every source may serve every sink, at a charge and a cost per unit; what there is is what is wanted."""
    rng = np.random.default_rng([seed, sources, sinks, charges[0]])
    total = 500 * sinks
    supply = 1.0 + rng.multinomial(total - sources, rng.dirichlet(np.full(sources, 8.0)))
    demand = 1.0 + rng.multinomial(total - sinks, rng.dirichlet(np.full(sinks, 8.0)))
    both = np.concatenate([supply, demand])
    return hm.Problem(
        q=rng.integers(3, 9, sources * sinks).astype(float),
        p=rng.integers(charges[0], charges[1] + 1, sources * sinks).astype(float),
        A=sparse.vstack(
            [
                sparse.kron(sparse.eye_array(sources), np.ones((1, sinks))),
                sparse.kron(np.ones((1, sources)), sparse.eye_array(sinks)),
            ]
        ),
        row_lower=both,
        row_upper=both,
        x_lower=np.zeros(sources * sinks),
        x_upper=np.minimum.outer(supply, demand).ravel(),
        switch=np.arange(sources * sinks),
    )


def network(nodes: int, arcs: int, seed: int) -> hm.Problem:
    """One commodity from a fifth of the nodes to half of them, over random arcs, a fourth of them narrow."""
    rng = np.random.default_rng([seed, nodes, arcs])
    pairs = _arcs(nodes, arcs, rng)
    supply = np.zeros(nodes)
    role = rng.permutation(nodes)
    givers, takers = role[: nodes // 5], role[nodes // 5 : nodes // 5 + nodes // 2]
    supply[takers] = -rng.integers(5, 50, takers.size).astype(float)
    total = -supply.sum()
    supply[givers] = 1.0 + rng.multinomial(int(total) - givers.size, np.full(givers.size, 1.0 / givers.size))
    capacity = np.full(len(pairs), total)
    # The arcs of the first circle stay wide, so that everything can be shipped.
    narrow = nodes + rng.choice(len(pairs) - nodes, size=(len(pairs) - nodes) // 4, replace=False)
    capacity[narrow] = np.ceil(total * rng.uniform(0.02, 0.2, narrow.size))
    at, (tails, heads) = np.arange(arcs), np.array(pairs).T
    entries = np.concatenate([np.ones(arcs), -np.ones(arcs)])
    return hm.Problem(
        q=rng.integers(1, 11, arcs).astype(float),
        p=rng.integers(50, 500, arcs).astype(float),
        A=sparse.csr_array((entries, (np.concatenate([tails, heads]), np.tile(at, 2))), shape=(nodes, arcs)),
        row_lower=supply,
        row_upper=supply,
        x_lower=np.zeros(arcs),
        x_upper=capacity,
        switch=at,
    )


def multicommodity(nodes: int, arcs: int, commodities: int, seed: int) -> hm.Problem:
    """Pairs of nodes with a demand, over random arcs that they share."""
    rng = np.random.default_rng([seed, nodes, arcs, commodities])
    pairs = _arcs(nodes, arcs, rng)
    demands = []
    for _ in range(commodities):
        origin, destination = rng.choice(nodes, size=2, replace=False)
        demands.append((int(origin), int(destination), float(rng.integers(5, 30))))
    total = sum(demand for *_, demand in demands)
    capacity = np.ceil(total * rng.uniform(0.1, 0.4, len(pairs)))
    capacity[:nodes] = total
    return hm.FixedChargeNetwork(
        list(range(nodes)),
        pairs,
        None,
        capacity,
        rng.integers(1, 11, len(pairs)).astype(float),
        rng.integers(100, 1000, len(pairs)).astype(float),
        commodities=demands,
    ).problem()


def _arcs(nodes: int, arcs: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """So many different arcs, first a circle through all nodes."""
    circle = rng.permutation(nodes)
    found = dict.fromkeys((int(i), int(j)) for i, j in zip(circle, np.roll(circle, -1), strict=True))
    while len(found) < arcs:
        i, j = rng.choice(nodes, size=2, replace=False)
        found[int(i), int(j)] = None
    return list(found)


def lot_sizing(items: int, periods: int, seed: int) -> hm.Problem:
    """Items made on one machine, with set-up costs and times, and stocks between the periods."""
    rng = np.random.default_rng([seed, items, periods])
    demand = rng.integers(0, 100, (items, periods)) * (rng.random((items, periods)) < 0.8)
    setup_time = rng.integers(5, 30, items).astype(float)
    # A machine that is busy for four fifths of its time on the way through all demand.
    capacity = np.full(periods, np.ceil((demand.sum() + setup_time.sum() * periods * 0.5) / periods / 0.8))
    made, left = items * periods, demand[:, ::-1].cumsum(axis=1)[:, ::-1]
    # x: production, stocks at the ends of the periods, and what is bought dearly in the first period.
    steps = sparse.eye_array(periods) - sparse.eye_array(periods, k=-1)
    first = sparse.csr_array(np.eye(periods)[:, :1])
    A = sparse.vstack(
        [
            sparse.hstack(
                [sparse.eye_array(made), -sparse.kron(sparse.eye_array(items), steps), _blocks(items, first)]
            ),
            sparse.hstack(
                [
                    sparse.kron(np.ones((1, items)), sparse.eye_array(periods)),
                    sparse.csr_array((periods, made + items)),
                ]
            ),
        ]
    )
    G = sparse.vstack(
        [sparse.csr_array((made, made)), sparse.hstack([t * sparse.eye_array(periods) for t in setup_time])]
    )
    wanted = demand.ravel().astype(float)
    return hm.Problem(
        q=np.concatenate([np.zeros(made), np.repeat(rng.integers(1, 6, items), periods), np.full(items, 500.0)]),
        p=np.repeat(rng.integers(200, 2000, items), periods).astype(float),
        A=A,
        G=G,
        row_lower=np.concatenate([wanted, np.full(periods, -np.inf)]),
        row_upper=np.concatenate([wanted, capacity]),
        x_lower=np.zeros(2 * made + items),
        x_upper=np.concatenate(
            [
                np.minimum(left, np.maximum(capacity - setup_time[:, None], 0.0)).ravel(),
                left.ravel(),
                demand.sum(axis=1),
            ]
        ),
        switch=np.concatenate([np.arange(made), np.full(made + items, -1)]),
    )


def _blocks(count: int, block: sparse.csr_array) -> Any:
    return sparse.kron(sparse.eye_array(count), block)


def facilities(sites: int, customers: int, seed: int) -> hm.Problem:
    """Sites and customers on a map, after Cornuejols, Sridharan and Thizy (1991)."""
    rng = np.random.default_rng([seed, sites, customers])
    demand = rng.integers(5, 36, customers).astype(float)
    capacity = rng.integers(10, 161, sites).astype(float)
    capacity = np.ceil(capacity * 5.0 * demand.sum() / capacity.sum())
    fixed = np.round(rng.integers(0, 91, sites) + rng.integers(100, 111, sites) * np.sqrt(capacity))
    points, others = rng.random((sites, 2)), rng.random((customers, 2))
    distance = np.linalg.norm(points[:, None, :] - others[None, :, :], axis=2)
    return hm.FacilityLocation(capacity, fixed, demand, np.round(10.0 * distance * demand, 2)).problem()


def instances(seeds: tuple[int, ...] = INSTANCES) -> Iterator[Generated]:
    """All of them, by family and size."""
    for name, charges in (("cheap", CHEAP), ("dear", DEAR)):
        for seed in seeds:
            yield Generated(
                "transportation", f"50x100 {name} {seed}", lambda c=charges, s=seed: transportation(50, 100, c, s)
            )
    for nodes, arcs in NETWORKS:
        for seed in seeds:
            yield Generated("network", f"{nodes}x{arcs} {seed}", lambda n=nodes, a=arcs, s=seed: network(n, a, s))
    for seed in seeds:
        yield Generated("multicommodity", f"30x200x20 {seed}", lambda s=seed: multicommodity(30, 200, 20, s))
    for seed in seeds:
        yield Generated("lot sizing", f"20x30 {seed}", lambda s=seed: lot_sizing(20, 30, s))
    for seed in seeds:
        yield Generated("facilities", f"100x500 {seed}", lambda s=seed: facilities(100, 500, s))


def run(options: Options) -> None:
    """Measure, and write generated.json."""
    warm_up_files(options.threads)
    for seconds in options.limits:
        record = Record(options, files.record_name("generated", seconds), seconds=seconds, gap=options.file_gap)
        known = {(entry["family"], entry["file"]): entry for entry in record.entries}
        entries = []
        for made in instances(INSTANCES[:1] if options.quick else INSTANCES):
            problem = made.make()
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "model.mps"
                write_mps(problem, path)
                read = ReadProblem.of_problem(problem, made.name)
                before = known.pop((made.family, made.name), None)
                best = float("nan")
                entries.append(files.measure(path, made.name, made.family, read, best, seconds, options, before))
            record.write(entries=[*entries, *known.values()])


def report(documents: list[dict[str, Any]]) -> str:
    """The section of RESULTS.md, a part for each time limit."""
    return "\n\n".join(files.describe(document, "Generated problems") for document in documents)
