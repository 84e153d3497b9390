"""Instances of the MV set (Frangioni and Gentile): mean-variance with minimum buy-in."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

import hybridmip as hm
from benchmarks.common import Options, Record, Skip, data_dir, number, say, section, table
from benchmarks.peers import warm_up

#: Seconds for an instance of up to so many assets, and for a larger one; the gap that is asked for.
SECONDS = (10.0, 60.0)
SMALL = 200
GAP = 1e-6
#: Sizes that are generated, and how many of each.
SIZES = (200, 300, 400)
GENERATED = 3


def read(stem: Path) -> hm.Portfolio:
    """Read an instance from its files .txt, .bds, .rho and .mat."""
    numbers = np.array(stem.with_suffix(".txt").read_text().split(), dtype=float)
    n = int(numbers[0])
    mu = numbers[1 : 1 + 2 * n : 2]
    bounds = np.loadtxt(stem.with_suffix(".bds")).reshape(n, 2)
    rho = float(stem.with_suffix(".rho").read_text().split()[0])
    matrix = np.array(stem.with_suffix(".mat").read_text().split(), dtype=float)
    if int(matrix[0]) != n or matrix.size != 1 + n * n:
        raise Skip(f"{stem.name}.mat has {matrix.size} numbers; {1 + n * n} were expected")
    return hm.Portfolio(
        mu, matrix[1:].reshape(n, n), min_weight=bounds[:, 0], max_weight=bounds[:, 1],
        target_return=rho, return_sense="at_least",
    )  # fmt: skip


def generate(assets: int, seed: int) -> hm.Portfolio:
    """An instance made as those of the set are (Pardalos and Rodgers 1990): dominant diagonals, general minima."""
    rng = np.random.default_rng(seed)
    entries = np.triu(rng.integers(1, 11, (assets, assets)), 1).astype(float)
    Q = entries + entries.T + np.diag(rng.integers(10 * assets, 20 * assets + 1, assets).astype(float))
    lower, upper = rng.uniform(0.075, 0.125, assets), rng.uniform(0.375, 0.425, assets)
    return hm.Portfolio(
        rng.uniform(0.002, 0.01, assets), Q, min_weight=lower, max_weight=upper,
        target_return=float(rng.uniform(0.004, 0.007)), return_sense="at_least",
    )  # fmt: skip


def run(options: Options) -> None:
    """Measure, and write mv.json."""
    stems = sorted(file.with_suffix("") for file in (data_dir() / "mv").glob("*.mat"))
    sizes = (50,) if options.quick else SIZES
    made = [(f"generated {n}, {seed}", generate(n, seed)) for n in sizes for seed in range(GENERATED)]
    asked = [(stem.name, read(stem)) for stem in (stems[:1] if options.quick else stems)] + made
    record = Record(options, "mv", seconds=SECONDS, gap=GAP)
    warm_up(options.threads)
    entries = []
    for name, portfolio in asked:
        started = time.perf_counter()
        limit = SECONDS[0] if portfolio.n <= SMALL else SECONDS[1]
        result = hm.solve(portfolio.problem(), config=hm.Config(threads=options.threads), time_limit=limit, gap=GAP)
        entries.append({
            "name": name, "n": portfolio.n, "objective": result.objective, "gap": result.gap, "nodes": result.nodes,
            "seconds": time.perf_counter() - started, "rests_on": str(result.rests_on),
        })  # fmt: skip
        say(f"  {name}: gap {number(result.gap, 2)}, {result.nodes} nodes, {number(entries[-1]['seconds'])} s")
    record.write(entries=entries)


def report(documents: list[dict[str, Any]]) -> str:
    """The section of RESULTS.md."""
    (document,) = documents
    settings = document["settings"]
    rows = [
        [e["name"], e["n"], number(e["objective"], 9), number(e["gap"], 2), e["nodes"], number(e["seconds"])]
        for e in document["entries"]
    ]
    return section(
        "Minimum buy-in, proven",
        documents,
        f"The MV set, and instances generated in the same way: solved to {settings['gap']:g} with at most "
        f"{settings['seconds'][0]:g} s up to {SMALL} assets and {settings['seconds'][1]:g} s beyond; search and "
        "everything included.",
        table(["instance", "assets", "objective", "gap", "nodes", "s"], rows),
    )
