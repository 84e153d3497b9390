"""A reader of one's own: registered in one line, and known to `read_problem`, the command line, errors and help."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import hybridmip as hm
from hybridmip.cli import main

KNAPSACK = """\
knapsack 10
gold 6 30
books 3 14
piano 4 16
cup 2 9
"""
#: What 10 units hold at best.
BEST = ("gold", "piano")


def read_knapsack(text: str, source: str) -> hm.ReadProblem:
    """`knapsack capacity`, then a line of name, weight and value for each thing; the value is maximised."""
    (_, capacity), *things = (line.split() for line in text.splitlines())
    names = [name for name, *_ in things]
    try:
        weights = [float(weight) for _, weight, _ in things]
        values = [float(value) for *_, value in things]
    except ValueError as error:
        raise hm.FileError(f"{source}: {error}") from None
    problem = hm.Problem(p=[-value for value in values], B=[weights], b_upper=float(capacity), b_names=names)
    kept = hm.ReadProblem.of_problem(problem, source, "value")
    return hm.ReadProblem(problem, True, "value", source, kept.original)


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        hm.READERS, ".knap", hm.Reader("a knapsack", read_knapsack, lambda text: text[:9] == "knapsack ")
    )


@pytest.fixture
def knapsack(tmp_path: Path) -> Path:
    path = tmp_path / "trip.knap"
    path.write_text(KNAPSACK)
    return path


def test_read_and_solved(knapsack: Path) -> None:
    """By the end of the name, in the sense of the file."""
    result = hm.solve(hm.read_problem(knapsack))
    assert result.selected == BEST
    model = hm.read_model(knapsack)
    assert model.maximise
    assert model.objective(result.objective) == pytest.approx(46)
    assert model.values(result.x, result.b) == {"gold": 1, "books": 0, "piano": 1, "cup": 0}


def test_known_by_contents_and_packed(tmp_path: Path) -> None:
    """A name that says nothing, and .gz behind one that does."""
    (tmp_path / "trip").write_text(KNAPSACK)
    (tmp_path / "TRIP.KNAP.gz").write_bytes(gzip.compress(KNAPSACK.encode()))
    assert hm.read_problem(tmp_path / "trip").hash == hm.read_problem(tmp_path / "TRIP.KNAP.gz").hash


def test_errors_and_help(tmp_path: Path, knapsack: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Wherever the kinds of files are listed, it is listed too."""
    (tmp_path / "a.xyz").write_text("nothing\n")
    with pytest.raises(hm.FileError, match=r"\.knap \(a knapsack\)"):
        hm.read_problem(tmp_path / "a.xyz")
    with pytest.raises(hm.ArgumentError, match=r"trip\.knap is a knapsack; it is for a DIMACS min-cost flow only"):
        hm.read_problem(knapsack, fixed_charge=1.0)
    knapsack.write_text(KNAPSACK.replace("14", "fourteen"))
    with pytest.raises(hm.FileError, match=r"trip\.knap: could not convert"):
        hm.read_problem(knapsack)
    for command in ("solve", "convert"):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        assert ".knap" in capsys.readouterr().out


def test_data_that_break_a_rule(knapsack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ProblemError in a reader is told as an error of the file."""
    monkeypatch.setitem(hm.READERS, ".knap", hm.Reader("a knapsack", lambda text, source: hm.Problem(q=[float("nan")])))
    with pytest.raises(hm.FileError, match=r"trip\.knap: q\[0\] is nan"):
        hm.read_problem(knapsack)


def test_no_reader(knapsack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bare function in the table is refused with what to give."""
    monkeypatch.setitem(hm.READERS, ".knap", read_knapsack)
    with pytest.raises(hm.ArgumentError, match=r"READERS\['\.knap'\] is a function; give a Reader"):
        hm.read_problem(knapsack)


def test_command_line(knapsack: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """`hybridmip solve` in a process that has registered the reader."""
    with pytest.raises(SystemExit) as ending:
        main(["solve", str(knapsack), "--json"])
    document = json.loads(capfd.readouterr().out)
    assert ending.value.code == 0
    assert (document["sense"], document["objective"]) == ("maximise", pytest.approx(46))


@pytest.mark.parametrize(("name", "code"), [("my_reader:KNAPSACK", 0), ("my_reader:NOTHING", 2)])
def test_entry_point(knapsack: Path, tmp_path: Path, name: str, code: int) -> None:
    """An installed package names its reader, and the command knows it; one that is not there is told in a line."""
    own = Path(__file__).read_text().split("@pytest.fixture", 1)[0]
    (tmp_path / "my_reader.py").write_text(f"{own}\nKNAPSACK = hm.Reader('a knapsack', read_knapsack)\n")
    info = tmp_path / "my_reader-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-reader\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[hybridmip.readers]\nknap = {name}\n")
    places = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-m", "hybridmip", "solve", str(knapsack), "--json"],
        env={**os.environ, "PYTHONPATH": places}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    if code:
        assert "error: the reader knap = my_reader:NOTHING cannot be loaded" in done.stderr
        assert done.stderr.count("\n") == 1
    else:
        assert tuple(json.loads(done.stdout)["selected"]) == BEST
