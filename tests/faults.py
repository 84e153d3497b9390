"""`python -m tests.faults --kills 100`: runs that are killed at random moments, again and again, and must not notice.

Three kinds of runs, each killed so many times with SIGKILL, at any moment from its start on, and resumed each time. The
table at the end must be that of an undisturbed run, nothing may be left behind, and no process may go on.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

#: What is added to the command line of each kind of run.
KINDS: dict[str, tuple[str, ...]] = {
    "one process": (),
    "two processes": ("--jobs", "2"),
    "the paper's algorithm": ("--config", "paper"),
}
POINTS = 60


def command(out: Path, *more: str) -> list[str]:
    """The command line of one run on generated data."""
    data = out.parent / "returns.csv"
    if not data.exists():
        rng = np.random.default_rng(2)
        frame = pd.DataFrame(0.002 + 0.02 * rng.standard_normal((80, 16)), columns=[f"A{j:02d}" for j in range(16)])
        frame.insert(0, "date", pd.date_range("2020-01-03", periods=80, freq="W").strftime("%Y-%m-%d"))
        frame.to_csv(data, index=False)
    return [
        sys.executable, "-m", "hybridmip", "frontier", str(data), "--kind", "returns", "--assets", "4", "--min-weight",
        "0.03", "--points", str(POINTS), "--no-pictures", "--quiet", "--out", str(out), *more,
    ]  # fmt: skip


def table(out: Path) -> pd.DataFrame:
    """frontier.csv without its timing column, as text."""
    return pd.read_csv(out / "frontier.csv", dtype=str).drop(columns="seconds")


def kill_again_and_again(folder: Path, kind: str, kills: int, rng: np.random.Generator) -> int:
    """Run a kind of run, killed so many times; returns how often it was resumed with something stored.

    When a run ends before the next kill, another one begins.
    """
    more = KINDS[kind]
    whole = folder / "whole"
    began = time.perf_counter()
    subprocess.run(command(whole, *more), check=True, capture_output=True)
    longest = time.perf_counter() - began
    expected, killed, resumed, number = table(whole), 0, 0, 0
    while killed < kills:
        out = folder / f"killed{number}"
        number += 1
        while True:
            store = out / "run.sqlite"
            there = store.exists() and store.stat().st_size > 0
            resumed += there
            process = subprocess.Popen(
                command(out, *more, *(["--resume"] if there else [])), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )
            # Some early, some late; seldom so late that the run is over.
            wait = longest * rng.beta(1.5, 2.0) if killed < kills else 10 * longest + 60
            try:
                _, said = process.communicate(timeout=wait)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                killed += 1
                continue
            assert process.returncode == 0, said.decode()
            break
        pd.testing.assert_frame_equal(table(out), expected)
        left = sorted(path.name for path in out.iterdir())
        assert left == sorted(path.name for path in whole.iterdir()), left
    wait_for_the_end(folder)
    return resumed


def wait_for_the_end(folder: Path, seconds: float = 20.0) -> None:
    """No process that works in the folder is left."""
    end = time.perf_counter() + seconds
    while (left := working_in(folder)) and time.perf_counter() < end:
        time.sleep(0.2)
    assert not left, f"processes {left} are left"


def working_in(folder: Path) -> list[int]:
    """Processes whose command line names the folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes()
        except OSError:
            continue
        if str(folder).encode() in words:
            found.append(int(entry.parent.name))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--kills", type=int, default=100, help="kills of each kind of run (default 100)")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            resumed = kill_again_and_again(Path(folder), kind, given.kills, rng)
            seconds = time.perf_counter() - began
            outcome = f"killed {given.kills} times, resumed {resumed} times, same table, nothing left"
            print(f"{kind}: {outcome}, {seconds:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
