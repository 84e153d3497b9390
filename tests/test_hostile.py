"""Files that are traps, little memory, a clock that jumps, a folder nobody can write to: a clear line, nothing lost."""

from __future__ import annotations

import gzip
import itertools
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import hybridmip as hm
from hybridmip.errors import FileError
from tests.faults import kill_again_and_again

NAME = "x" * 2**20


def refused(path: Path) -> str:
    """The one line with which a file is refused."""
    with pytest.raises(FileError) as error:
        hm.read_problem(path)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("suffix", ["mps", "lp", "qplib", "json", "dow"])
def test_gzip_bombs(tmp_path: Path, suffix: str) -> None:
    """A file of 100 kilobytes that unpacks to a hundred megabytes of nothing."""
    path = tmp_path / f"bomb.{suffix}.gz"
    with gzip.open(path, "wb", 9) as file:
        for _ in range(100):
            file.write(b" " * 2**20)
    assert "far more than a model is" in refused(path)


@pytest.mark.parametrize("suffix", ["mps", "lp", "qplib", "txt"])
def test_ten_million_lines(tmp_path: Path, suffix: str) -> None:
    """Counted before they are parsed."""
    path = tmp_path / f"long.{suffix}"
    path.write_bytes(b"1\n" * 10_000_000)
    began = time.perf_counter()
    assert "10,000,000 lines" in refused(path)
    assert time.perf_counter() - began < 20


def test_names_of_a_megabyte(tmp_path: Path) -> None:
    """They are names like others in models; in a table they are refused."""
    (tmp_path / "a.lp").write_text(f"minimize\n o: {NAME} + y\nsubject to\n c: {NAME} + y >= 1\nbinary\n {NAME}\nend\n")
    (tmp_path / "a.mps").write_text(
        f"NAME t\nROWS\n N o\n G {NAME}\nCOLUMNS\n y o 1 {NAME} 1\nRHS\n r {NAME} 1\nENDATA\n"
    )
    for name in ("a.lp", "a.mps"):
        assert hm.solve(hm.read_problem(tmp_path / name)).objective == pytest.approx(1.0)
    dates = "\n".join(f"2020-01-{day:02d},0.0{day},0.01" for day in range(1, 20))
    (tmp_path / "a.csv").write_text(f"date,{NAME},b\n{dates}\n")
    with pytest.raises(FileError) as error:
        hm.read_portfolio_data(tmp_path / "a.csv", kind="returns")
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 1000


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on the memory of a process, which Linux enforces")
def test_little_memory(tmp_path: Path) -> None:
    """5,000 assets in a gigabyte: one line and exit code 2, or an answer; nothing is left behind."""
    import resource

    rng = np.random.default_rng(0)
    returns = 0.002 + rng.normal(0, 0.02, (60, 6)) @ rng.normal(size=(6, 5000)) + 0.02 * rng.standard_normal((60, 5000))
    frame = pd.DataFrame(returns.round(5), columns=[f"A{j:04d}" for j in range(5000)])
    frame.insert(0, "date", pd.date_range("2020-01-03", periods=60, freq="W").strftime("%Y-%m-%d"))
    frame.to_csv(tmp_path / "returns.csv", index=False)
    done = subprocess.run(
        [sys.executable, "-m", "hybridmip", "portfolio", "returns.csv", "--kind", "returns", "--assets", "10",
         "--time-limit", "5", "--out", "weights.csv"],
        cwd=tmp_path, capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30)),
    )  # fmt: skip
    assert done.returncode in (0, 2), done.stderr
    if done.returncode == 2:
        assert done.stderr.count("\n") == 1
        assert "memory" in done.stderr
        assert sorted(path.name for path in tmp_path.iterdir()) == ["returns.csv"]


def test_a_clock_that_jumps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of day goes back and forth by years: answers and limits do not notice."""
    problem = hm.market(assets=30, seed=3).portfolio(assets=5, min_weight=0.02, target_return=0.002).problem()
    expected = hm.solve(problem)
    jumps = itertools.cycle([0.0, 3e9, 1e9, 2e9])
    monkeypatch.setattr(time, "time", lambda: next(jumps))
    monkeypatch.setattr(time, "time_ns", lambda: int(1e9 * next(jumps)))
    found = hm.solve(problem)
    assert (found.objective, found.bound, found.evaluations) == (
        expected.objective,
        expected.bound,
        expected.evaluations,
    )
    limited = hm.solve(problem, time_limit=30.0)
    assert limited.objective == expected.objective
    assert 0 <= limited.seconds < 30
    curve = hm.frontier(hm.market(assets=12, seed=1).portfolio(assets=3), points=4)
    assert all(0 <= point.seconds < 60 for point in curve.points)


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs /proc, a folder nobody can write to")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """Refused before anything is solved."""
    returns = tmp_path / "returns.csv"
    frame = pd.DataFrame(0.01 * np.random.default_rng(0).standard_normal((30, 6)), columns=list("abcdef"))
    frame.insert(0, "date", pd.date_range("2020-01-03", periods=30, freq="W").strftime("%Y-%m-%d"))
    frame.to_csv(returns, index=False)
    done = subprocess.run(
        [sys.executable, "-m", "hybridmip", "frontier", str(returns), "--kind", "returns", "--assets", "2", "--out",
         "/proc/self/run"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "/proc/self/run" in done.stderr


def test_kills_on_two_processes(tmp_path: Path) -> None:
    """A few of `python -m tests.faults --kills 100`."""
    assert kill_again_and_again(tmp_path, "two processes", 2, np.random.default_rng(1)) >= 1
