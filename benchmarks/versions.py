"""Two versions of this package in one run: `python -m benchmarks.versions ../other-checkout`.

Every job runs in both, by turns, each time in a process of its own that first does something small, so that nothing is
compiled while the clock runs. The least of the repeats counts. Values are compared too: a faster wrong answer is none.
A job that reaches its time limit says nothing about speed; what it found then is compared.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import ROOT, Options, Record, data_dir, machine, number, say, table

#: A job that takes this many seconds in the first version is not repeated.
LONG = 10.0


def _warm(hm: Any) -> None:
    returns, covariance = hm.market(assets=31, seed=0).sample_estimates()
    target = float(returns.mean())
    hm.solve(hm.Portfolio(returns, covariance, assets=10, min_weight=0.01, target_return=target).problem())


def _solve(problems: Iterable[Any], **options: Any) -> Iterator[tuple[float, float]]:
    import hybridmip as hm

    for problem in problems:
        result = hm.solve(problem, **options)
        yield result.objective, result.bound


def _port(name: str) -> tuple[np.ndarray, np.ndarray]:
    from hybridmip.io.orlib import read_port

    data = read_port(data_dir() / "orlib" / f"{name}.txt")
    return data.returns, data.covariance


def job_frontier(name: str) -> list[tuple[float, float]]:
    """Ten targets of an OR-Library set, each alone."""
    import hybridmip as hm

    returns, covariance = _port(name)
    targets = np.linspace(np.quantile(returns, 0.3), np.quantile(returns, 0.95), 10)
    asked = hm.Portfolio(returns, covariance, assets=10, min_weight=0.01)
    return list(_solve(asked.with_target(float(target)).problem() for target in targets))


def job_sweep(name: str) -> list[tuple[float, float]]:
    """The frontier of an OR-Library set, 50 points."""
    import hybridmip as hm

    returns, covariance = _port(name)
    found = hm.frontier(hm.Portfolio(returns, covariance, assets=10, min_weight=0.01), points=50)
    return [(point.objective, point.bound) for point in found.points]


def job_market(name: str) -> list[tuple[float, float]]:
    """Ten generated markets of so many assets."""
    import hybridmip as hm

    made = (hm.market(assets=int(name), seed=seed).sample_estimates() for seed in range(10))
    return list(_solve(hm.Portfolio(*pair, assets=8, min_weight=0.02).problem() for pair in made))


def job_mv(name: str) -> list[tuple[float, float]]:
    """Minimum buy-in, with a time limit."""
    from benchmarks.mv import read

    return list(_solve([read(data_dir() / "mv" / name).problem()], time_limit=20.0))


def job_file(name: str) -> list[tuple[float, float]]:
    """A problem file, with a time limit."""
    import hybridmip as hm

    return list(_solve([hm.read_problem(data_dir() / name)], time_limit=FILE_SECONDS))


def job_kernel(name: str) -> list[tuple[float, float]]:
    """Restricted problems of ten assets: one by one, or all exchanges around one."""
    import hybridmip as hm
    from hybridmip.restricted.dense import DenseSolver

    returns, covariance = (np.asarray(part) for part in hm.market(assets=457, seed=0).sample_estimates())
    scaled = covariance / covariance.diagonal().mean()
    target = float(np.quantile(returns, 0.7) / np.abs(returns).max())
    problem = hm.Portfolio(
        returns / np.abs(returns).max(), scaled, assets=10, min_weight=0.01, target_return=target
    ).problem()
    solver, rng, found = DenseSolver(problem, 1), np.random.default_rng(0), []
    for _ in range(3000 if name == "one by one" else 30):
        b = np.zeros(457, dtype=bool)
        b[rng.choice(457, 10, replace=False)] = True
        if name == "one by one":
            found.append((solver.evaluate(b).objective, -math.inf))
        else:
            on, off = np.flatnonzero(b), np.flatnonzero(~b)
            outs, ins = np.repeat(on, off.size)[:, None], np.tile(off, on.size)[:, None]
            moves = solver.evaluate_moves(b, outs, ins)
            found.append((float(np.min(moves[0])), -math.inf))
    return found


def job_start(name: str) -> list[tuple[float, float]]:
    """Nothing but the process, the import and, with `solve`, a small portfolio."""
    import hybridmip as hm

    if name == "solve":
        _warm(hm)
    return []


FILE_SECONDS = 10.0
JOBS = {name[4:]: job for name, job in list(globals().items()) if name.startswith("job_")}


def jobs() -> list[tuple[str, str]]:
    """All of them, with their names."""
    found = [("start", "import"), ("start", "solve"), ("kernel", "one by one"), ("kernel", "exchanges")]
    found += [("market", str(assets)) for assets in (12, 40, 200)]
    folder = data_dir()
    found += [("frontier", f"port{i}") for i in range(1, 6)] + [("sweep", f"port{i}") for i in range(1, 6)]
    found += [("mv", path.stem) for path in sorted((folder / "mv").glob("*.mat"))]
    files = [*sorted((folder / "mip").glob("*.mps.gz")), *sorted((folder / "miqp").glob("*.mps.gz"))]
    return found + [("file", str(path.relative_to(folder))) for path in files]


def measured(source: Path, kind: str, name: str) -> dict[str, Any]:
    """One job in one version, in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": f"{source / 'src'}{os.pathsep}{ROOT}", "PYTHONWARNINGS": "ignore"}
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.versions", "--job", kind, name], cwd=ROOT, env=environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{source}, {kind} {name}: {done.stderr.strip().splitlines()[-1:]}")
    document: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if kind == "start":
        document["seconds"] = time.perf_counter() - began
    return document


def one(kind: str, name: str) -> None:
    """Run a job here, and print what it took and found."""
    import hybridmip as hm

    if kind != "start":
        _warm(hm)
    if kind == "kernel":
        JOBS[kind](name)
    began = time.perf_counter()
    found = JOBS[kind](name)
    seconds = time.perf_counter() - began
    print(json.dumps({"seconds": seconds, "found": [[float(v), float(b)] for v, b in found], "from": hm.__file__}))


def compare(other: Path, only: str, repeats: int) -> list[dict[str, Any]]:
    """Every job in both versions."""
    rows = []
    for source in (other, ROOT):
        measured(source, "start", "solve")  # compiles
    for kind, name in jobs():
        if only and not f"{kind} {name}".startswith(tuple(only.split(","))):
            continue
        runs: list[list[dict[str, Any]]] = [[], []]
        for repeat in range(repeats):
            if repeat and runs[0][0]["seconds"] >= LONG:
                break
            for version, source in enumerate((other, ROOT)):
                runs[version].append(measured(source, kind, name))
        before, after = (min(run["seconds"] for run in each) for each in runs)
        values = [(b[0], a[0]) for b, a in zip(runs[0][0]["found"], runs[1][0]["found"], strict=True)]
        bounds = [(b[1], a[1]) for b, a in zip(runs[0][0]["found"], runs[1][0]["found"], strict=True)]
        row = {
            "kind": kind, "name": name, "before": before, "after": after,
            "worse": max((_difference(*pair) for pair in values), default=0.0),
            "better": max((_difference(after, before) for before, after in values), default=0.0),
            "weaker": max((_difference(after, before) for before, after in bounds), default=0.0),
        }  # fmt: skip
        rows.append(row)
        say(
            f"  {kind} {name}: {number(before)} s, {number(after)} s, ratio {after / before:.2f}; "
            f"worse by {row['worse']:.1e}, better by {row['better']:.1e}, bound weaker by {row['weaker']:.1e}"
        )
    return rows


def _difference(before: float, after: float) -> float:
    """How far the second is above the first, relative to it."""
    if not (math.isfinite(before) and math.isfinite(after)):
        return 0.0 if before == after else math.inf if after > before else 0.0
    return max(after - before, 0.0) / max(abs(before), 1e-12)


def summary(rows: list[dict[str, Any]]) -> str:
    """Totals and ratios by kind, as Markdown."""
    lines = []
    for kind in dict.fromkeys(row["kind"] for row in rows):
        part = [row for row in rows if row["kind"] == kind]
        ended = [row for row in part if kind != "file" or min(row["before"], row["after"]) < 0.95 * FILE_SECONDS]
        ratios = np.array([row["after"] / row["before"] for row in ended])
        lines.append(
            [
                kind,
                str(len(part)),
                number(sum(row["before"] for row in part)),
                number(sum(row["after"] for row in part)),
                number(float(np.exp(np.log(ratios).mean()))) if ratios.size else "-",
                number(float(ratios.max())) if ratios.size else "-",
                str(sum(row["worse"] > 1e-6 for row in part)),
                str(sum(row["better"] > 1e-6 for row in part)),
            ]
        )
    header = ["", "jobs", "s before", "s after", "mean ratio", "worst", "worse values", "better values"]
    return table(header, lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.versions", description=__doc__)
    parser.add_argument("other", type=Path, nargs="?", help="checkout of the version to compare with")
    parser.add_argument("--only", default="", help="jobs whose names begin so, by commas: 'file mip/p,frontier port1'")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each job in each version (default 3)")
    parser.add_argument("--record", default="", help="write results/versions-<this>.json")
    parser.add_argument("--job", nargs=2, metavar=("KIND", "NAME"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.job:
        one(*given.job)
        return 0
    if given.other is None or not (given.other / "src" / "hybridmip").is_dir():
        parser.error("other must be a checkout of this project: a folder with src/hybridmip")
    record = Record(Options(), f"versions-{given.record}", repeats=given.repeats, machine=machine()["processor"])
    rows = compare(given.other.resolve(), given.only, given.repeats)
    say("")
    say(summary(rows))
    if given.record:
        record.write(jobs=rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
