"""`python -m tests.soak`: run it, print what was found by family, store failures."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

FOUND = Path(__file__).parent / "found"
#: Problems that a worker takes at a time.
SHARE = 50
#: Seconds after which a problem has no end.
LONGEST = 120


def work(
    seeds: list[int], family: str | None, units: str | None, way: str | None
) -> list[tuple[int, str, str, str, str, str]]:
    """(seed, family, units, way, outcome, message) of some problems."""
    from tests.soak.case import Case, Failure, check
    from tests.soak.oracle import Inconclusive

    def late(*_: object) -> None:
        raise Failure(f"no end after {LONGEST} s")

    signal.signal(signal.SIGALRM, late)
    found = []
    for seed in seeds:
        case = Case.make(seed, family, units, way)
        message = ""
        signal.alarm(LONGEST)
        try:
            outcome = check(case)
        except Inconclusive as reason:
            outcome, message = "not judged", str(reason)
        except Failure as failure:
            outcome, message = "FAILED", str(failure)
        finally:
            signal.alarm(0)
        found.append((seed, case.family, case.units, case.way, outcome, message))
    return found


def store(seed: int, family: str, units: str, way: str, message: str) -> Path:
    """Shrink a failure and keep it."""
    from tests.soak.case import Case, shrunk

    case = shrunk(Case.make(seed, family, units, way))
    FOUND.mkdir(exist_ok=True)
    path = FOUND / f"{family}-{units}-{way}-{seed}.json".replace(" ", "_")
    path.write_text(json.dumps({"message": message, **case.to_json()}) + "\n")
    return path


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--problems", type=int, default=1000, help="how many problems (default 1000)")
    parser.add_argument("--first", type=int, default=0, help="seed of the first one (default 0)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: all cores)")
    parser.add_argument("--family", help="only one family, such as 'general'")
    parser.add_argument("--units", help="only one kind of units, such as 'columns 1e5'")
    parser.add_argument("--way", help="only one way to ask, such as 'no enumeration'")
    parser.add_argument("--keep", action="store_true", help="shrink failures and store them for the tests")
    parser.add_argument("--out", type=Path, help="write the table, as Markdown, to this file")
    given = parser.parse_args()
    if not hasattr(signal, "SIGALRM"):
        raise SystemExit("the soak ends problems by SIGALRM, which Windows lacks; run it on Linux or macOS")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    seeds = list(range(given.first, given.first + given.problems))
    shares = [seeds[i : i + SHARE] for i in range(0, len(seeds), SHARE)]
    counts: dict[str, Counter[str]] = {}
    failures, began, done = [], time.perf_counter(), 0
    with ProcessPoolExecutor(given.jobs) as pool:
        jobs = [pool.submit(work, share, given.family, given.units, given.way) for share in shares]
        for job in jobs:
            for seed, family, units, way, outcome, message in job.result():
                for kind in (f"family: {family}", f"units: {units}", f"way: {way}"):
                    counts.setdefault(kind, Counter())[outcome] += 1
                if outcome == "FAILED":
                    failures.append((seed, family, units, way, message))
                    print(f"FAILED seed {seed} ({family}, {units}, {way}): {message}", flush=True)
                done += 1
            if sys.stderr.isatty():
                print(f"\r{done} of {len(seeds)}, {len(failures)} failed", end="", file=sys.stderr, flush=True)
    seconds = time.perf_counter() - began
    text = table(counts, given.first, len(seeds), seconds)
    print(text)
    if given.out is not None:
        given.out.write_text(text)
    if given.keep:
        for failure in failures:
            print("stored", store(*failure))
    return 1 if failures else 0


def table(counts: dict[str, Counter[str]], first: int, number: int, seconds: float) -> str:
    """What was found, by family, by units and by the way it was asked."""
    columns = ["optimal", "feasible", "infeasible", "unknown", "refused", "not judged", "FAILED"]
    lines = [
        f"{number} problems, seeds {first} to {first + number - 1}, {seconds:.0f} s",
        "",
        "| | problems | " + " | ".join(columns) + " |",
        "|---|" + "---:|" * (len(columns) + 1),
    ]
    for kind in sorted(counts):
        found = counts[kind]
        lines.append(f"| {kind} | {found.total()} | " + " | ".join(str(found[column]) for column in columns) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
