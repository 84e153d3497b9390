"""How long until something happens: import, help, the first solve ever, and a solve in a new process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.common import ROOT, Options, Record, Skip, data_dir, median, number, say, section, table

#: Times are medians of so many processes.
REPEATS = 7

SOLVE_PORT = """
import sys, hybridmip as hm
from hybridmip.io.orlib import read_port
data = read_port(sys.argv[1])
problem = hm.Portfolio(data.returns, data.covariance, assets=10, min_weight=0.01, target_return=0.005).problem()
assert hm.solve(problem).has_solution
"""
SOLVE_MARKET = """
import hybridmip as hm
returns, covariance = hm.market(assets=31, seed=0).sample_estimates()
problem = hm.Portfolio(returns, covariance, assets=10, min_weight=0.01, target_return=float(returns.mean())).problem()
assert hm.solve(problem).has_solution
"""


def run(options: Options) -> None:
    """Measure, and write startup.json."""
    repeats = 2 if options.quick else REPEATS
    record = Record(options, "startup", repeats=repeats)
    script = Path(sys.executable).with_name("hybridmip")
    shown = [str(script)] if script.exists() else [sys.executable, "-c", "from hybridmip.cli import main; main()"]
    try:
        port = data_dir() / "orlib" / "port1.txt"
        if not port.is_file():
            raise Skip("orlib/port1.txt not found in the data folder")
        solve, data = [sys.executable, "-c", SOLVE_PORT, str(port)], "port1"
    except Skip as reason:
        record.note(f"{reason}; a generated market of 31 assets stands in for port1")
        solve, data = [sys.executable, "-c", SOLVE_MARKET], "a market of 31 assets"
    cases: list[dict[str, Any]] = []

    def measure(what: str, command: list[str], times: int, cache: str) -> None:
        seconds = [_seconds(command, cache) for _ in range(times)]
        say(f"  {what}: {number(median(seconds))} s")
        cases.append({"what": what, "seconds": [round(value, 4) for value in seconds]})

    with tempfile.TemporaryDirectory() as cache:
        measure("python, doing nothing", [sys.executable, "-c", "pass"], repeats, cache)
        measure("import hybridmip", [sys.executable, "-c", "import hybridmip"], repeats, cache)
        measure("hybridmip --help", [*shown, "--help"], repeats, cache)
        measure(f"first solve ever ({data}; compiles the kernel)", solve, 1, cache)
        measure(f"solve in a new process ({data})", solve, repeats, cache)
    record.write(cases=cases)


def _seconds(command: list[str], cache: str) -> float:
    """Wall time of a process with its own folder of compiled kernels."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    started = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    taken = time.perf_counter() - started
    if done.returncode:
        raise RuntimeError(f"{command[1:3]} failed: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")
    return taken


def report(documents: list[dict[str, Any]]) -> str:
    """The section of RESULTS.md."""
    (document,) = documents
    rows = [
        [case["what"], number(median(case["seconds"])), number(max(case["seconds"])), len(case["seconds"])]
        for case in document["cases"]
    ]
    return section(
        "Start-up",
        documents,
        "Seconds of whole processes, from start to end, with an empty folder of compiled kernels at first. Measure "
        "it where nothing is installed but what `pip install hybridmip` brings: Numba loads coverage and cffi as well "
        "if it finds them, which takes 0.1 s.",
        table(["what", "median s", "slowest s", "runs"], rows),
    )
