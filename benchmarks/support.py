"""From few assets to many: time per restricted problem and of a whole solve, and where the dense kernel ends."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import hybridmip as hm
from benchmarks.common import NOTHING, Options, Record, median, number, ratio, say, section, table
from benchmarks.peers import warm_up
from hybridmip.restricted.dense import LARGEST_SUPPORT, DenseSolver
from hybridmip.restricted.general import GeneralSolver

N = 457
SIZES = (5, 10, 20, 30, 40, 50, 60, 80, 100)
QUICK_SIZES = (5, 20, 100)
#: Supports up to and beyond the kernel's limit, restricted problems only, in a larger market.
EDGE = (200, 350, LARGEST_SUPPORT, LARGEST_SUPPORT + 1)
EDGE_N = 800
#: Small enough that even 160 assets leave most of the budget free.
MIN_WEIGHT = 0.001
#: Seconds after which a solve is cut.
LIMIT = 60.0
BLOCKS = 7


def run(options: Options) -> None:
    """Measure, and write support.json."""
    record = Record(
        options, "support", n=N, min_weight=MIN_WEIGHT, time_limit=5.0 if options.quick else LIMIT,
        largest_support=LARGEST_SUPPORT,
    )  # fmt: skip
    warm_up(options.threads)
    markets = {}
    for n in (N, EDGE_N):
        returns, covariance = hm.market(assets=n, periods=2 * n, seed=5).sample_estimates()
        mean = returns.to_numpy()
        markets[n] = mean, covariance.to_numpy(), float(mean.mean() + 0.25 * mean.std())
    sizes = []
    for k in (*(QUICK_SIZES if options.quick else SIZES), *EDGE):
        mean, cov, target = markets[EDGE_N if k in EDGE else N]
        portfolio = hm.Portfolio(mean, cov, assets=k, min_weight=MIN_WEIGHT, target_return=target)
        problem = portfolio.problem()
        entry = {"k": k, **_restricted(problem, k, options.quick)}
        if k not in EDGE:
            config = hm.Config(threads=options.threads, fit=hm.FitSettings(rounds=0))
            started = time.perf_counter()
            result = hm.solve(problem, config=config, seed=0, time_limit=record.document["settings"]["time_limit"])
            entry["solve"] = {
                "seconds": round(time.perf_counter() - started, 4),
                "evaluations": result.evaluations,
                "objective": result.objective,
                "gap": result.gap,
                "stop_reason": str(result.stop_reason),
            }
        sizes.append(entry)
        solve = entry.get("solve")
        say(
            f"  k = {k:3d}: {number(entry['batch_us'])} us per QP in a batch, {number(entry['neighbor_us'])} us per "
            f"exchange, general solver {number(entry['general_us'])} us"
            + (f"; solve {number(solve['seconds'])} s, {solve['stop_reason']}" if solve else "")
        )
    record.write(sizes=sizes)


def _restricted(problem: hm.Problem, k: int, quick: bool) -> dict[str, Any]:
    """Microseconds per restricted problem, one thread: unrelated supports, exchanges, and the general solver."""
    n = problem.n
    rng = np.random.default_rng(k)
    solver = DenseSolver(problem, threads=1)
    general = GeneralSolver(problem)
    # About 0.1 s a block: the work grows with the cube of k, and far more beyond the kernel.
    count = max(16, min(4000, 40_000_000 // (k**3 + 2000))) if k not in EDGE else 4
    if quick:
        count = min(count, 64)
    empty = np.zeros(n, dtype=bool)
    batch, neighbor, behind = [], [], []
    fallbacks = 0
    for _ in range(3 if quick or k in EDGE else BLOCKS):
        supports = np.array([np.sort(rng.choice(n, k, replace=False)) for _ in range(count)])
        nothing = np.full((count, 1), -1, dtype=np.intp)
        before = solver.fallbacks
        started = time.perf_counter()
        solver.evaluate_moves(empty, nothing, supports)
        batch.append((time.perf_counter() - started) / count)
        fallbacks += solver.fallbacks - before
        base = empty.copy()
        base[supports[0]] = True
        near = solver.evaluate(base)
        outs = rng.choice(np.flatnonzero(base), (count, 1))
        ins = rng.choice(np.flatnonzero(~base), (count, 1))
        started = time.perf_counter()
        solver.evaluate_moves(base, outs, ins, near=near)
        neighbor.append((time.perf_counter() - started) / count)
        started = time.perf_counter()
        for support in supports[:4]:
            b = empty.copy()
            b[support] = True
            general.evaluate(b)
        behind.append((time.perf_counter() - started) / 4)
    solver.close()
    return {
        "batch_us": 1e6 * median(batch),
        "neighbor_us": 1e6 * median(neighbor),
        "general_us": 1e6 * median(behind),
        "by_general": fallbacks / (count * len(batch)),
    }


def report(documents: list[dict[str, Any]]) -> str:
    """The section of RESULTS.md."""
    (document,) = documents
    settings, sizes = document["settings"], document["sizes"]
    rows: list[list[object]] = []
    before: dict[str, Any] | None = None
    for entry in sizes:
        solve = entry.get("solve")
        cells = [NOTHING] * 4
        if solve is not None:
            cells = [
                number(solve["seconds"]), f"{solve['evaluations']:,}", number(solve["gap"], 2), solve["stop_reason"],
            ]  # fmt: skip
        share = entry["by_general"]
        rows.append([
            entry["k"], number(entry["batch_us"]),
            NOTHING if before is None else ratio(entry["batch_us"], before["batch_us"]),
            number(entry["neighbor_us"]), number(entry["general_us"]),
            "kernel" if share == 0 else "general" if share == 1 else f"general {100 * share:.1f} %", *cells,
        ])  # fmt: skip
        before = entry
    return section(
        "From few assets to many",
        documents,
        f"Generated market of {settings['n']} assets with a sample covariance, weights 0 or at least "
        f"{settings['min_weight']}. Microseconds per restricted problem on one thread, median of blocks: random "
        "supports in a batch (beside it the ratio to the row above), exchanges around an answer, and the general "
        f"solver on the same supports. The dense kernel takes supports of up to {settings['largest_support']}; beyond, "
        f"the general solver answers (supports of {EDGE[0]} and more: {EDGE_N} assets). Then a whole solve with the "
        f"default settings but no fitting of the diagonal, at most {settings['time_limit']:g} s.",
        table(
            ["k", "batch us", "to row above", "exchange us", "general us", "answered by", "solve s",
             "evaluations", "gap", "stopped"],
            rows,
        ),
    )  # fmt: skip
