"""Singular covariances: what cash, copies and funds of the other assets cost the proof, on generated markets."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hybridmip as hm
from benchmarks.common import Options, Record, number, say, section, table
from benchmarks.peers import warm_up

Weights = NDArray[np.float64]

SIZES = (20, 50, 100, 200)
QUICK_SIZES = (20,)
#: Seconds a proof may take.
LIMIT = 60.0
#: Times as many seeds where proofs have few nodes, so that one split decides nothing.
MORE = 3
FEW_NODES = 100
#: Assets held, least weight, and the share of assets whose expected return is below the target (None: no target).
RULES = ((5, 0.0, None), (5, 0.01, 0.6), (10, 0.01, 0.6), (4, 0.05, 0.8))


def _copies(count: int) -> Callable[[int, np.random.Generator], Weights]:
    return lambda n, rng: np.eye(n)[rng.choice(n, count, replace=False)]


def _fund(members: int | None) -> Callable[[int, np.random.Generator], Weights]:
    def weights(n: int, rng: np.random.Generator) -> Weights:
        size = n if members is None else members
        fund = np.zeros((1, n))
        fund[0, rng.choice(n, size, replace=False)] = rng.dirichlet(np.ones(size))
        return fund

    return weights


#: Columns that are added, each a mixture of the assets; of nothing for cash.
COLUMNS: dict[str, Callable[[int, np.random.Generator], Weights]] = {
    "none": lambda n, rng: np.zeros((0, n)),
    "cash": lambda n, rng: np.zeros((1, n)),
    "a copy": _copies(1),
    "two copies": _copies(2),
    "a fund of 5": _fund(5),
    "a fund of all": _fund(None),
}


def portfolio(n: int, seed: int, columns: str, held: int, least: float, above: float | None) -> hm.Problem:
    """A generated market with columns added; cash earns what the worst asset does."""
    returns, covariance = hm.market(assets=n, seed=seed).sample_estimates()
    target = None if above is None else float(np.quantile(returns, above))
    added = COLUMNS[columns](n, np.random.default_rng([seed, n]))
    mixture = np.concatenate([np.eye(n), added])
    everything = mixture @ np.asarray(covariance) @ mixture.T
    means = np.where(mixture.any(axis=1), mixture @ returns, float(returns.min()))
    return hm.Portfolio(
        means, 0.5 * (everything + everything.T), assets=held, min_weight=least, target_return=target
    ).problem()


def run(options: Options) -> None:
    """Measure, and write singular.json."""
    limit = 5.0 if options.quick else LIMIT
    record = Record(options, "singular", time_limit=limit, seeds=list(options.seeds), rules=[list(r) for r in RULES])
    warm_up(options.threads)
    config = hm.Config(threads=options.threads)
    entries: list[dict[str, Any]] = []
    for n in QUICK_SIZES if options.quick else SIZES:
        for columns in COLUMNS:
            times = 1 if options.quick or n > FEW_NODES else MORE
            for seed in range(options.seeds[0], options.seeds[0] + times * len(options.seeds)):
                for held, least, above in RULES:
                    problem = portfolio(n, seed, columns, held, least, above)
                    started = time.perf_counter()
                    result = hm.solve(problem, config=config, prove=True, time_limit=limit)
                    seconds = time.perf_counter() - started
                    checked = result.proof is not None and bool(result.proof.verify(problem))
                    entries.append({
                        "n": n, "columns": columns, "seed": seed, "held": held, "nodes": result.nodes,
                        "seconds": seconds, "gap": result.gap, "status": str(result.status), "checked": checked,
                    })  # fmt: skip
            mine = [entry for entry in entries if (entry["n"], entry["columns"]) == (n, columns)]
            nodes, took = sum(entry["nodes"] for entry in mine), sum(entry["seconds"] for entry in mine)
            say(f"  {n} assets, {columns}: {nodes} nodes, {took:.2f} s")
    record.write(entries=entries)


def report(documents: list[dict[str, Any]]) -> str:
    """The section of RESULTS.md."""
    (document,) = documents
    entries = document["entries"]
    rows = []
    for n in dict.fromkeys(entry["n"] for entry in entries):
        for columns in COLUMNS:
            mine = [entry for entry in entries if (entry["n"], entry["columns"]) == (n, columns)]
            nodes, seconds = sum(entry["nodes"] for entry in mine), sum(entry["seconds"] for entry in mine)
            if columns == "none":
                base = nodes
            proven = f"{sum(entry['status'] == 'optimal' for entry in mine)} of {len(mine)}"
            checked = f"{sum(entry['checked'] for entry in mine)} of {len(mine)}"
            rows.append([n, columns, proven, checked, f"{nodes:,}", f"{nodes / base:.2f}", number(seconds)])
    rules = document["settings"]["rules"]
    return section(
        "Singular covariances",
        documents,
        "Columns that the assets of a generated market imply: the covariance is then singular, its diagonal lost "
        f"where null vectors have entries. {len(rules)} portfolios (4 to 10 assets at most, with and without a least "
        f"weight and a target) for each seed ({MORE} times as many up to {FEW_NODES} assets), proven to 1e-6 with a "
        "document that is checked; nodes and seconds are sums.",
        table(["assets", "added", "proven", "checked", "nodes", "ratio", "s"], rows),
    )
