"""Time and memory as the market grows: generated factor models, each size in a process of its own."""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import time
from typing import Any

from benchmarks.common import ROOT, Options, Record, number, peak_megabytes, ratio, say, section, table

SIZES = (250, 500, 1000, 2000, 5000, 10000)
QUICK_SIZES = (250, 500)
ASSETS, MIN_WEIGHT = 20, 0.01
#: Seconds after which a solve is cut.
LIMIT = 120.0


def measure(n: int, threads: int, limit: float) -> dict[str, Any]:
    """Solve one size in this process."""
    import hybridmip as hm
    from benchmarks.peers import warm_up

    warm_up(threads)
    before = peak_megabytes()
    portfolio = hm.market(assets=n, seed=0).portfolio(assets=ASSETS, min_weight=MIN_WEIGHT)
    low, high = portfolio.efficient_range()
    started = time.perf_counter()
    problem = portfolio.with_target((low + high) / 2).problem()
    built = time.perf_counter() - started
    result = hm.solve(
        problem, config=hm.Config(threads=threads, fit=hm.FitSettings(rounds=0)), seed=0, time_limit=limit
    )
    seconds = time.perf_counter() - started
    return {
        "n": n,
        "build_seconds": round(built, 4),
        "seconds": round(seconds, 4),
        "first_at": result.trace[0].seconds if result.trace else math.nan,
        "found_at": result.trace[-1].seconds if result.trace else math.nan,
        "memory_before_mb": round(before, 1),
        "memory_mb": round(peak_megabytes(), 1),
        "objective": result.objective,
        "bound": result.bound,
        "gap": result.gap,
        "violation": result.violation,
        "status": str(result.status),
        "stop_reason": str(result.stop_reason),
        "evaluations": result.evaluations,
    }


def run(options: Options) -> None:
    """Measure, and write growth.json."""
    limit = 10.0 if options.quick else LIMIT
    record = Record(options, "growth", assets=ASSETS, min_weight=MIN_WEIGHT, time_limit=limit)
    sizes = []
    for n in QUICK_SIZES if options.quick else SIZES:
        command = [sys.executable, "-m", "benchmarks.growth", str(n), str(options.threads), str(limit)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
            record.note(f"{n} assets failed: {reason}")
            continue
        entry = json.loads(done.stdout.splitlines()[-1])
        say(f"  {n:6,} assets: {number(entry['seconds'])} s, {number(entry['memory_mb'])} MB, {entry['stop_reason']}")
        sizes.append(entry)
    record.write(sizes=sizes)


def report(documents: list[dict[str, Any]]) -> str:
    """The section of RESULTS.md."""
    (document,) = documents
    settings, sizes = document["settings"], document["sizes"]
    first = sizes[0] if sizes else None
    rows = [
        [
            f"{s['n']:,}", number(s["seconds"]), ratio(s["seconds"], first["seconds"]), ratio(s["n"], first["n"]),
            number(s["found_at"]), number(s["memory_mb"]), number(s["memory_mb"] - s["memory_before_mb"]),
            number(s["objective"], 6), number(s["gap"], 2), f"{s['evaluations']:,}", s["stop_reason"],
        ]
        for s in sizes
    ]  # fmt: skip
    return section(
        "Growth with the number of assets",
        documents,
        f"Generated factor models, {settings['assets']} assets, weights 0 or in [{settings['min_weight']}, 1], target "
        f"in the middle of the efficient range, at most {settings['time_limit']:g} s. Every size in a process of its "
        "own; memory is the peak of the process, and what the solve added to it.",
        table(
            ["assets", "seconds", "time ratio", "size ratio", "last improvement s", "peak MB", "added MB", "objective",
             "gap", "evaluations", "stopped"],
            rows,
        ),
    )  # fmt: skip


def main() -> None:
    """Measure one size; prints one JSON document."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth")
    parser.add_argument("n", type=int)
    parser.add_argument("threads", type=int)
    parser.add_argument("limit", type=float)
    arguments = parser.parse_args()
    answer = measure(arguments.n, arguments.threads, arguments.limit)
    finite = {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in answer.items()}
    print(json.dumps(finite))


if __name__ == "__main__":
    main()
