"""The command line: exit codes, one JSON document, one-line errors."""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import hybridmip as hm
from hybridmip import __version__
from hybridmip.bounds.ledger import Grade
from hybridmip.cli import main
from hybridmip.cli.certificate import save_proof
from hybridmip.cli.rules import asset_counts, parse_group
from hybridmip.errors import ArgumentError

MEANS = (0.001, 0.002, 0.003, 0.004, 0.005, 0.006)
DEVIATIONS = (0.020, 0.025, 0.030, 0.035, 0.045, 0.050)
SOLVE_KEYS = [
    "status", "stop_reason", "objective", "bound", "gap", "selected", "weights", "found_by", "evaluations",
    "seconds", "seed", "version", "rests_on", "x",
]  # fmt: skip
PORTFOLIO_KEYS = ["expected_return", "risk", "violation", "risk_gap"]


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str


Run = Callable[..., Answer]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a command line in this process; what it wrote and its exit code."""

    def call(*arguments: object) -> Answer:
        capfd.readouterr()
        with pytest.raises(SystemExit) as ending:
            main([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        assert isinstance(ending.value.code, int)
        return Answer(ending.value.code, captured.out, captured.err)

    return call


def port_text(correlation: float = 0.3) -> str:
    """A port file of six assets, any two correlated alike."""
    n = len(MEANS)
    lines = [str(n)]
    lines += [f"{mean} {deviation}" for mean, deviation in zip(MEANS, DEVIATIONS, strict=True)]
    lines += [f"{i + 1} {j + 1} {1.0 if i == j else correlation}" for i in range(n) for j in range(i, n)]
    return "\n".join(lines) + "\n"


@pytest.fixture
def port(tmp_path: Path) -> Path:
    path = tmp_path / "port.txt"
    path.write_text(port_text())
    return path


def pair(folder: Path, means: list[object], covariance: list[list[object]]) -> tuple[Path, Path]:
    """CSVs of means and covariance of assets A, B, C, ..."""
    names = [chr(ord("A") + i) for i in range(len(means))]
    mean_file, covariance_file = folder / "mean.csv", folder / "covariance.csv"
    mean_file.write_text("".join(f"{name},{value}\n" for name, value in zip(names, means, strict=True)))
    rows = [",".join(["", *names])]
    rows += [",".join([name, *map(str, row)]) for name, row in zip(names, covariance, strict=True)]
    covariance_file.write_text("\n".join(rows) + "\n")
    return mean_file, covariance_file


def assert_bad_input(answer: Answer, *words: str) -> None:
    """Exit code 2, nothing on standard output, one line on standard error with the given words."""
    assert answer.code == 2
    assert answer.out == ""
    assert answer.err.startswith("hybridmip: error: ")
    assert answer.err.endswith("\n")
    assert answer.err.count("\n") == 1
    for word in words:
        assert word in answer.err


def test_json_is_one_document_with_the_promised_keys(run: Run, port: Path) -> None:
    """--json: standard output parses as one document, whose weights obey every rule that was asked for."""
    answer = run(
        "portfolio",
        port,
        "--assets",
        3,
        "--min-weight",
        0.05,
        "--target-return",
        0.004,
        "--json",
        "--seed",
        7,
    )
    assert answer.code == 0
    assert answer.err == ""
    document = json.loads(answer.out)
    assert list(document) == [*SOLVE_KEYS, *PORTFOLIO_KEYS, "warnings"]
    assert document["warnings"] == []
    assert (document["seed"], document["version"]) == (7, __version__)
    weights = document["weights"]
    assert sorted(weights) == sorted(document["selected"])
    assert len(weights) == 3
    assert min(weights.values()) >= 0.05 - 1e-9
    assert sum(weights.values()) == pytest.approx(1.0, abs=1e-8)
    position = {f"asset{i + 1}": i for i in range(len(MEANS))}
    x = np.zeros(len(MEANS))
    for name, weight in weights.items():
        x[position[name]] = weight
    assert x @ MEANS == pytest.approx(0.004, abs=1e-9)
    correlation = np.full((6, 6), 0.3) + 0.7 * np.eye(6)
    variance = x @ (np.outer(DEVIATIONS, DEVIATIONS) * correlation) @ x
    assert document["objective"] == pytest.approx(variance, rel=1e-8)
    assert document["bound"] <= document["objective"] * (1 + 1e-9)
    assert document["expected_return"] == pytest.approx(x @ MEANS)
    assert document["risk"] == pytest.approx(np.sqrt(variance))
    assert 0 <= document["violation"] < 1e-7


def test_same_seed_same_document(run: Run, port: Path) -> None:
    """Two runs with one seed differ in nothing but the time they took."""
    arguments = ("portfolio", port, "--assets", "2:4", "--min-weight", 0.1, "--json", "--seed", 3)
    documents = [json.loads(run(*arguments).out) for _ in range(2)]
    for document in documents:
        del document["seconds"]
    assert documents[0] == documents[1]


def test_table_for_people(run: Run, port: Path) -> None:
    """Without --json: held assets by falling weight, then what is proven; nothing on standard error."""
    answer = run("portfolio", port, "--assets", 3, "--min-weight", 0.05, "--target-return", 0.004)
    assert answer.code == 0
    assert answer.err == ""
    weights = [
        float(line.split("%")[0].split()[-1])
        for line in answer.out.splitlines()
        if line.strip()[:1] in "123" and "asset" in line
    ]
    assert len(weights) == 3
    assert weights == sorted(weights, reverse=True)
    assert sum(weights) == pytest.approx(100.0, abs=0.02)
    assert "proven" in answer.out
    assert "found by" in answer.out


def test_weights_are_written(run: Run, port: Path, tmp_path: Path) -> None:
    """--out writes the weights that the document gives."""
    import pandas as pd

    target = tmp_path / "weights.csv"
    answer = run("portfolio", port, "--assets", 3, "--min-weight", 0.05, "--out", target, "--json")
    written = pd.read_csv(target, index_col="asset")["weight"]
    assert written.to_dict() == pytest.approx(json.loads(answer.out)["weights"])


def test_at_least_is_no_worse_than_exactly(run: Run, port: Path) -> None:
    """A target as a minimum allows more; below the least-risk return the variance then falls."""
    arguments = ("portfolio", port, "--assets", 3, "--target-return", 0.0012, "--json")
    exactly = json.loads(run(*arguments).out)["objective"]
    at_least = json.loads(run(*arguments, "--at-least").out)["objective"]
    assert at_least < exactly


def test_groups_on_the_command_line_and_in_a_file_agree(run: Run, port: Path, tmp_path: Path) -> None:
    """The same limits through --group and through --groups give the same weights, and they hold."""
    arguments = ("portfolio", port, "--assets", 4, "--min-weight", 0.02, "--target-return", 0.003, "--json")
    halves = {"low": ("asset1", "asset2", "asset3"), "high": ("asset4", "asset5", "asset6")}
    texts = [f"{name}={','.join(members)}:max_weight=0.55,max_assets=2" for name, members in halves.items()]
    file = tmp_path / "groups.csv"
    rows = [f"{member},{name}" for name, members in halves.items() for member in members]
    file.write_text("\n".join(["name,group", *rows]) + "\n")
    typed = run(*arguments, "--group", texts[0], "--group", texts[1])
    read = run(*arguments, "--groups", file, "--max-group-weight", 0.55, "--max-group-assets", 2)
    assert (typed.code, read.code) == (0, 0)
    weights = json.loads(typed.out)["weights"]
    assert weights == json.loads(read.out)["weights"]
    for members in halves.values():
        held = [weights[member] for member in members if member in weights]
        assert len(held) == 2
        assert sum(held) <= 0.55 + 1e-8


def test_prices_give_what_their_returns_give(run: Run, tmp_path: Path) -> None:
    """--kind prices and --kind returns agree on the same history."""
    rng = np.random.default_rng(1)
    returns = rng.normal(0.002, 0.02, (40, 5))
    prices = 50 * np.vstack([np.ones(5), np.cumprod(1 + returns, axis=0)])
    objectives = []
    for kind, values in (("prices", prices), ("returns", returns)):
        file = tmp_path / f"{kind}.csv"
        lines = ["date,A,B,C,D,E"]
        lines += [",".join([str(k), *(repr(float(v)) for v in row)]) for k, row in enumerate(values)]
        file.write_text("\n".join(lines) + "\n")
        answer = run("portfolio", file, "--kind", kind, "--assets", 3, "--json")
        objectives.append(json.loads(answer.out)["objective"])
    assert objectives[0] == pytest.approx(objectives[1], rel=1e-7)


def test_paper_configuration_obeys_the_same_bound(run: Run, port: Path) -> None:
    """--config paper solves the same problem: its value is not below the default's proven bound."""
    arguments = ("portfolio", port, "--assets", 3, "--min-weight", 0.05, "--target-return", 0.004, "--json")
    default, paper = (json.loads(run(*arguments, "--config", name).out) for name in ("default", "paper"))
    assert paper["objective"] >= default["bound"] * (1 - 1e-7)


def test_infeasible_target(run: Run, port: Path) -> None:
    """A return above every asset's is proven infeasible: exit code 3, and what can be had instead."""
    arguments = ("portfolio", port, "--assets", 3, "--min-weight", 0.05, "--target-return", 0.05)
    shown = run(*arguments)
    assert shown.code == 3
    assert "proven infeasible" in shown.out
    assert "return" in shown.out
    reach = re.search(r"from (\S+) % to (\S+) % can be had", " ".join(shown.out.split()))
    assert reach is not None
    highest = float(reach[2])  # in percent, to four digits
    assert highest < 0.6  # the highest mean, which three assets have not
    assert run(*arguments[:-1], f"{highest - 0.001}%").code == 0
    assert run(*arguments[:-1], f"{highest + 0.001}%").code == 3
    answer = run(*arguments, "--json")
    assert answer.code == 3
    document = json.loads(answer.out)
    assert (document["status"], document["objective"], document["weights"]) == ("infeasible", None, {})
    assert [document[key] for key in PORTFOLIO_KEYS] == [None] * len(PORTFOLIO_KEYS)
    assert document["unconstrained_returns"][1] == pytest.approx(0.006)


def test_a_target_per_year_is_told_per_period(run: Run, port: Path) -> None:
    """A target that is out of reach per period, and within it per year, is most likely one per year."""
    arguments = ("portfolio", port, "--assets", 3, "--min-weight", 0.05, "--target-return", "20%")
    shown = run(*arguments, "--periods-per-year", 52)
    assert shown.code == 3
    assert "20 % per year is 0.3846 % per period: --target-return 0.3846%" in shown.out
    assert run(*arguments[:-1], "0.3846%").code == 0
    assert "per year is" not in run(*arguments).out


def test_infeasible_by_count_alone(run: Run, port: Path) -> None:
    """A target only two assets can reach is infeasible for three, although the frontier reaches it."""
    answer = run("portfolio", port, "--assets", 3, "--min-weight", 0.3, "--target-return", 0.0058, "--json")
    assert answer.code == 3


def test_nothing_found(run: Run, port: Path) -> None:
    """No time at all: nothing found, nothing proven, exit code 4, and the document says so."""
    arguments = ("portfolio", port, "--assets", 3, "--target-return", 0.004, "--time-limit", "1e-9")
    answer = run(*arguments, "--json")
    assert answer.code == 4
    document = json.loads(answer.out)
    assert (document["status"], document["stop_reason"]) == ("unknown", "time_limit")
    shown = run(*arguments)
    assert shown.code == 4
    assert "more time" in shown.out


BAD_FILES = {
    "empty": ("", ["empty"]),
    "truncated": (port_text()[:-30], ["port.txt"]),
    "garbled": (port_text().replace("0.035", "0.0x5"), ["line 5", "0.0x5"]),
    "binary": ("\x00\x01\x02\x03", ["port.txt"]),
    "nan": (port_text().replace("0.035", "nan"), ["line 5", "nan"]),
    "infinite": (port_text().replace("0.035", "inf"), ["line 5", "inf"]),
    "indefinite": (port_text(correlation=-0.9), ["covariance"]),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_port_file(run: Run, tmp_path: Path, case: str) -> None:
    """A port file that is empty, cut off, garbled, not finite or not a covariance: one line, exit code 2."""
    text, words = BAD_FILES[case]
    path = tmp_path / "port.txt"
    path.write_text(text)
    assert_bad_input(run("portfolio", path, "--assets", 3), *words)


BAD_TABLES = {
    "text": ("date,A,B\n1,0.01,0.02\n2,-0.01,oops\n3,0.02,0.01\n", ["line 3", "'B'", "oops"]),
    "gap": ("date,A,B\n1,0.01,0.02\n2,-0.01,\n3,0.02,0.01\n", ["line 3", "'B'"]),
    "one row": ("date,A,B\n1,0.01,-0.02\n", ["1 row"]),
    "no row": ("date,A,B\n", ["no row"]),
    "ragged": ("date,A,B\n1,0.01,0.02\n2,-0.01\n", ["line 3"]),
    "duplicate names": ("date,A,A\n1,0.01,0.02\n2,-0.01,0.01\n", ["'A'", "twice"]),
    "nan": ("date,A,B\n1,0.01,nan\n2,-0.01,0.01\n", ["line 2", "'B'"]),
    "infinite": ("date,A,B\n1,0.01,inf\n2,-0.01,0.01\n", ["line 2", "'B'"]),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_bad_table(run: Run, tmp_path: Path, case: str) -> None:
    """A CSV of returns with text, gaps, one row, or two columns of one name: one line that says where."""
    text, words = BAD_TABLES[case]
    path = tmp_path / "returns.csv"
    path.write_text(text)
    assert_bad_input(run("portfolio", path, "--kind", "returns", "--assets", 1), *words)


BAD_PAIRS: dict[str, tuple[list[object], list[list[object]], list[str]]] = {
    "asymmetric": ([0.1, 0.2], [[1, 0.5], [0.4, 1]], ["symmetric"]),
    "indefinite": ([0.1, 0.2], [[1, 2], [2, 1]], ["covariance", "semidefinite"]),
    "negative variance": ([0.1, 0.2], [[-1, 0], [0, 1]], ["covariance", "negative"]),
    "nan": ([0.1, 0.2], [[1, "nan"], ["nan", 1]], ["line 2"]),
    "infinite mean": ([0.1, "inf"], [[1, 0], [0, 1]], ["line 2", "inf"]),
}


@pytest.mark.parametrize("case", BAD_PAIRS)
def test_bad_mean_and_covariance(run: Run, tmp_path: Path, case: str) -> None:
    """A covariance that is asymmetric, indefinite or not finite: one line, exit code 2."""
    means, covariance, words = BAD_PAIRS[case]
    mean_file, covariance_file = pair(tmp_path, means, covariance)
    answer = run("portfolio", mean_file, "--covariance", covariance_file, "--assets", 1)
    assert_bad_input(answer, *words)


BAD_OPTIONS = {
    "more assets than there are": (["--assets", "7"], ["--assets is 7", "6"]),
    "minimum weights above the budget": (["--assets", "3", "--min-weight", "0.4"], ["--assets * --min-weight", "1.2"]),
    "maximum weights below the budget": (["--assets", "3", "--max-weight", "0.3"], ["--assets * --max-weight", "0.9"]),
    "not a number of assets": (["--assets", "few"], ["--assets", "few", "5:10"]),
    "range upside down": (["--assets", "4:2"], ["--assets", "4", "2"]),
    "more at least than there are": (["--assets", "7:"], ["the fewest of --assets is 7", "6"]),
    "none at most": (["--assets", ":0"], ["the most of --assets is 0", "at least 1"]),
    "unknown option": (["--asets", "3"], ["--asets", "--assets", "portfolio --help"]),
    "unknown option, nothing like it": (["--zzz"], ["--zzz", "portfolio --help"]),
    "negative time limit": (["--time-limit", "-1"], ["--time-limit", "-1", "positive"]),
    "no time": (["--time-limit", "0"], ["--time-limit", "positive"]),
    "time limit not a number": (["--time-limit", "nan"], ["--time-limit", "positive"]),
    "time limit text": (["--time-limit", "soon"], ["--time-limit", "portfolio --help"]),
    "negative seed": (["--seed", "-1"], ["--seed"]),
    "negative gap": (["--gap", "-0.1"], ["--gap"]),
    "target not finite": (["--target-return", "nan"], ["--target-return", "nan"]),
    "target not a number": (["--target-return", "high"], ["--target-return", "'high'", "0.5%"]),
    "target with a comma": (["--target-return", "0,5%"], ["--target-return", "0,5%", "0.5"]),
    "weight not a number": (["--min-weight", "1 %%"], ["--min-weight", "'1 %%'"]),
    "least above greatest weight": (["--min-weight", "60%", "--max-weight", "0.5"], ["--min-weight", "--max-weight"]),
    "minimum of no target": (["--at-least"], ["--at-least", "--target-return"]),
    "gap not a number": (["--gap", "small"], ["--gap", "small"]),
    "kind of a port file": (["--kind", "prices"], ["--kind is for a CSV"]),
    "unknown kind": (["--kind", "guesses"], ["--kind", "prices"]),
    "unknown configuration": (["--config", "best"], ["--config", "paper"]),
    "option without its value": (["--assets"], ["--assets"]),
    "one argument too many": (["again"], ["again"]),
    "group without limits": (["--group", "Low=asset1,asset2"], ["--group", "max_weight"]),
    "group with a wrong limit": (["--group", "Low=asset1:size=3"], ["Low", "size", "max_assets"]),
    "group with a wrong value": (["--group", "Low=asset1:max_assets=some"], ["Low", "some", "whole"]),
    "group of strangers": (["--group", "Low=asset1,asset99:max_weight=0.5"], ["Low", "asset99"]),
    "group of a misspelt asset": (["--group", "Low=aset1:max_weight=0.5"], ["'aset1'", "did you mean 'asset1'?"]),
    "group with a wrong weight": (["--group", "Low=asset1:max_weight=much"], ["Low", "max_weight is 'much'"]),
    "groups file before its limits": (["--groups", "absent.csv"], ["absent.csv", "does not exist"]),
    "group limit without groups": (["--max-group-weight", "0.5"], ["--max-group-weight", "--groups"]),
    "missing groups file": (["--groups", "absent.csv", "--max-group-assets", "1"], ["absent.csv"]),
    "missing directory": (["--out", "no/such/place.csv"], ["no/such", "directory"]),
    "directory as file": (["--out", "."], ["directory"]),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_OPTIONS)
@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_bad_option(run: Run, port: Path, case: str, as_json: bool) -> None:
    """Every misuse: one line that names the option and the remedy, exit code 2, with --json as without."""
    arguments, words = BAD_OPTIONS[case]
    assert_bad_input(run("portfolio", port, *(["--json"] if as_json else []), *arguments), *words)


def test_percentages(run: Run, port: Path) -> None:
    """0.4% and 0.004 are the same number, wherever a share is asked for."""
    arguments = ("portfolio", port, "--assets", 3, "--json")
    group = "Low=asset1,asset2,asset3:max_weight="
    one = run(
        *arguments, "--min-weight", "5%", "--max-weight", "60 %", "--target-return", "0.4%", "--group", f"{group}30%"
    )
    two = run(*arguments, "--min-weight", 0.05, "--max-weight", 0.6, "--target-return", 0.004, "--group", f"{group}0.3")
    assert (one.code, two.code) == (0, 0)
    assert json.loads(one.out)["weights"] == json.loads(two.out)["weights"]


def test_no_time_limit(run: Run, port: Path) -> None:
    """--time-limit inf is no limit, as when it is left out."""
    answer = run("portfolio", port, "--assets", 3, "--json", "--time-limit", "inf")
    assert answer.code == 0
    assert json.loads(answer.out)["stop_reason"] != "time_limit"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a device without room")
@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_answer_is_shown_when_it_cannot_be_written(run: Run, port: Path, as_json: bool) -> None:
    """--out on a full device: the answer on standard output all the same, then one line and exit code 2."""
    answer = run("portfolio", port, "--assets", 3, "--out", "/dev/full", *(["--json"] if as_json else []))
    assert (answer.code, answer.err.count("\n")) == (2, 1)
    assert "cannot write /dev/full" in answer.err
    if as_json:
        assert len(json.loads(answer.out)["weights"]) == 3
    else:
        assert "proven optimal" in answer.out
        assert "written" not in answer.out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a device without room")
@pytest.mark.parametrize("arguments", [["--json"], [], ["--help"]], ids=["json", "text", "help"])
def test_standard_output_without_room(port: Path, arguments: list[str]) -> None:
    """Standard output on a full device: one line on standard error, exit code 2, no traceback."""
    line = [sys.executable, "-m", "hybridmip", "portfolio", str(port), "--assets", "3", *arguments]
    with open("/dev/full", "w") as full:
        done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, text=True, timeout=300, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("hybridmip: error: cannot write")
    assert done.stderr.count("\n") == 1


def test_out_is_tried_before_the_solve(run: Run, port: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A place that refuses to be opened is told first; a file that is read is not written over."""

    def never(*arguments: object, **options: object) -> object:
        raise AssertionError("solved before --out was tried")

    monkeypatch.setattr(importlib.import_module("hybridmip.run.solve"), "solve", never)
    arguments = ("portfolio", port, "--assets", 3, "--out")
    too_long = tmp_path / ("x" * 300)
    assert_bad_input(run(*arguments, too_long), "cannot write", "too long")
    assert_bad_input(run(*arguments, port), "port.txt", "another name")
    assert port.read_text() == port_text()


def test_out_leaves_nothing_behind_without_an_answer(run: Run, port: Path, tmp_path: Path) -> None:
    """Trying the place creates no file, and keeps what was in it."""
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text("mine\n")
    for path in (old, new):
        assert run("portfolio", port, "--target-return", "5%", "--out", path).code == 3
    assert old.read_text() == "mine\n"
    assert not new.exists()


def test_singular_covariance_is_told(run: Run, tmp_path: Path) -> None:
    """Fewer rows than assets: a warning on standard error, with --quiet too, and in the document."""
    from hybridmip.applications.market import market

    file = tmp_path / "prices.csv"
    market(30, periods=5, seed=1).prices().to_csv(file)
    arguments = ("portfolio", file, "--kind", "prices", "--assets", 8, "--time-limit", 2)
    shown = run(*arguments)
    assert shown.code == 0
    assert shown.err.startswith("hybridmip: warning: ")
    assert shown.err.count("\n") == 1
    assert "5 returns of 30 assets" in shown.err
    # The variance is 0 but for rounding: no share of it, and no word against the proof.
    assert "optimal" in shown.out
    assert "no useful" not in shown.out
    rows = [row.split() for row in shown.out.splitlines()[1:] if row[:1].isdigit()]
    assert rows
    assert all(row[-1] == "-" for row in rows)
    quiet = run(*arguments, "--quiet", "--json")
    assert quiet.err == shown.err
    assert "singular" in json.loads(quiet.out)["warnings"][0]


def test_selected_but_not_held(run: Run, tmp_path: Path) -> None:
    """Assets that the count makes selected but that get no weight are counted below the table, not listed."""
    # A hedges nothing and is risky; B is all there is to hold, but two must be selected.
    mean_file, covariance_file = pair(tmp_path, [0.01, 0.02], [[1, 0.5], [0.5, 0.5]])
    answer = run("portfolio", mean_file, "--covariance", covariance_file, "--assets", 2, "--target-return", 0.02)
    assert answer.code == 0
    assert "1 more selected at weight 0" in answer.out
    assert " A " not in answer.out


def test_files_that_pandas_writes(run: Run, tmp_path: Path) -> None:
    """Means, covariance and sectors as to_csv writes them, headings and all."""
    import pandas as pd

    from hybridmip.applications.market import market

    made = market(10, periods=60, seed=2)
    returns = made.returns()
    returns.mean().to_csv(tmp_path / "mean.csv")
    returns.cov().to_csv(tmp_path / "cov.csv")
    pd.Series(made.sectors, made.names, name="sector").rename_axis("asset").to_csv(tmp_path / "sectors.csv")
    answer = run(
        "portfolio", tmp_path / "mean.csv", "--covariance", tmp_path / "cov.csv", "--assets", 4,
        "--groups", tmp_path / "sectors.csv", "--max-group-weight", "60%", "--json",
    )  # fmt: skip
    assert answer.code == 0
    weights = json.loads(answer.out)["weights"]
    for members in made.groups().values():
        assert sum(weights.get(member, 0.0) for member in members) <= 0.6 + 1e-8
    # Without the covariance the remedy is an option, not an argument.
    assert_bad_input(run("portfolio", tmp_path / "mean.csv"), "means", "with --covariance FILE2")


def test_kind_is_asked_for_as_an_option(run: Run, tmp_path: Path) -> None:
    """On the command line the remedy is --kind prices, not kind='prices'."""
    file = tmp_path / "numbers.csv"
    file.write_text("date,A,B\n1,1.5,2\n2,-2.5,3\n3,0.7,1\n")
    assert_bad_input(run("portfolio", file), "say which with --kind prices or --kind returns")


def test_options_are_named_and_assets_keep_their_names(run: Run, tmp_path: Path) -> None:
    """Where a message names an argument the command line says its option; an asset of that name stays as it is."""
    mean_file, covariance_file = pair(tmp_path, [0.1, 0.2], [[1, 0], [0, 1]])
    for file in (mean_file, covariance_file):
        file.write_text(file.read_text().replace("A", "max_weight"))
    answer = run("portfolio", mean_file, "--covariance", covariance_file, "--min-weight", 0.6, "--max-weight", 0.5)
    assert_bad_input(answer, "--min-weight of max_weight is 0.6, above its --max-weight 0.5")


def test_missing_file_and_missing_argument(run: Run, tmp_path: Path) -> None:
    """A file that is not there, a directory, and no file at all."""
    assert_bad_input(run("portfolio", tmp_path / "absent.txt", "--assets", 3), "absent.txt", "does not exist")
    assert_bad_input(run("portfolio", tmp_path, "--assets", 3), "directory")
    assert_bad_input(run("portfolio", "--assets", 3), "FILE", "portfolio --help")


def test_unknown_command(run: Run) -> None:
    """A misspelt command is answered with the right one."""
    assert_bad_input(run("porfolio"), "porfolio", "'portfolio'", "hybridmip --help")


def test_bad_groups_file(run: Run, port: Path, tmp_path: Path) -> None:
    """A groups file with a row that is no pair, or with nothing in it."""
    file = tmp_path / "groups.csv"
    for text, word in (("asset1,low\nasset2\n", "asset2"), ("name,group\n", "empty"), ("", "empty")):
        file.write_text(text)
        assert_bad_input(run("portfolio", port, "--groups", file, "--max-group-assets", 1), "groups.csv", word)


def test_names_with_markup_are_shown_as_they_are(run: Run, tmp_path: Path) -> None:
    """Asset names are data: brackets in them are not taken for markup."""
    file = tmp_path / "returns.csv"
    file.write_text("date,[bold]A,B[/x]\n1,0.01,-0.02\n2,-0.01,0.03\n3,0.02,0.01\n")
    answer = run("portfolio", file, "--kind", "returns")
    assert answer.code == 0
    assert "[bold]A" in answer.out
    assert "B[/x]" in answer.out


def test_asset_counts() -> None:
    """A number, a range, and ranges open at one end."""
    assert asset_counts("10") == 10
    assert asset_counts("5:10") == (5, 10)
    assert asset_counts(":10") == (None, 10)
    assert asset_counts("5:") == (5, None)
    assert asset_counts(None) is None
    with pytest.raises(ArgumentError):
        asset_counts("1:2:3")


def test_group_syntax() -> None:
    """Spaces are allowed, and a colon inside a name is not the end of the members."""
    assert parse_group("My Banks = AAA, B:B : min_assets=1, max_weight=0.3") == (
        "My Banks",
        ["AAA", "B:B"],
        {"min_assets": 1, "max_weight": 0.3},
    )
    assert parse_group("A=x:max_weight=30%")[2] == {"max_weight": 0.3}


def test_demo(run: Run, tmp_path: Path) -> None:
    """The demo writes the frontier and says how good each point is; its JSON holds the same points."""
    import pandas as pd

    folder = tmp_path / "demo"
    arguments = ("demo", "--assets", 15, "--hold", 4, "--points", 4, "--out", folder, "--time-limit", 30)
    shown = run(*arguments)
    assert shown.code == 0
    assert shown.err == ""
    assert "infeasible" not in shown.out
    assert (folder / "frontier.png").read_bytes().startswith(b"\x89PNG")
    table = pd.read_csv(folder / "frontier.csv")
    assert len(table) == 4
    assert (table["bound"] <= table["objective"] * (1 + 1e-9)).all()  # every target has an answer

    (folder / "frontier.png").unlink()
    answer = run(*arguments, "--json", "--no-picture")
    document = json.loads(answer.out)
    assert list(document) == [*SOLVE_KEYS, *PORTFOLIO_KEYS, "frontier", "files"]
    assert [point["parameter"] for point in document["frontier"]] == pytest.approx(list(table["target_return"]))
    assert [str(folder / name) for name in ("frontier.csv", "weights.csv")] == document["files"]
    assert not (folder / "frontier.png").exists()


def test_demo_goes_up_to_what_can_be_had(run: Run, tmp_path: Path) -> None:
    """The last target is just below the return of the best asset with all others at their least weight."""
    from hybridmip.applications.market import market

    arguments = ("demo", "--assets", 12, "--hold", 5, "--points", 2, "--out", tmp_path, "--no-picture", "--json")
    points = json.loads(run(*arguments, "--time-limit", "inf").out)["frontier"]
    best = np.sort(market(assets=12).expected_returns)[::-1]
    highest = best[0] * 0.96 + 0.01 * best[1:5].sum()
    assert points[1]["status"] != "infeasible"
    assert highest - 0.002 * (highest - points[0]["parameter"]) < points[1]["parameter"] < highest


def test_demo_where_only_equal_weights_are_left(run: Run, tmp_path: Path) -> None:
    """100 assets of at least 1 % each leave one portfolio, which is found; one asset more is refused."""
    arguments = ("demo", "--points", 2, "--out", tmp_path, "--no-picture", "--json", "--assets")
    document = json.loads(run(*arguments, 100, "--hold", 100).out)
    assert list(document["weights"].values()) == pytest.approx([0.01] * 100)
    assert_bad_input(run(*arguments, 110, "--hold", 101), "--hold", "101", "at most 100")


def test_demo_keeps_the_answer_when_it_cannot_write(run: Run, tmp_path: Path) -> None:
    """A frontier.csv that cannot be written: the document all the same, then one line and exit code 2."""
    (tmp_path / "frontier.csv").mkdir()
    answer = run("demo", "--assets", 8, "--hold", 3, "--points", 2, "--out", tmp_path, "--no-picture", "--json")
    assert (answer.code, answer.err.count("\n")) == (2, 1)
    assert "frontier.csv" in answer.err
    assert len(json.loads(answer.out)["frontier"]) == 2


def test_demo_refuses_a_file_as_directory(run: Run, port: Path) -> None:
    """--out must not name a file; this is found before anything is solved."""
    assert_bad_input(run("demo", "--out", port), "port.txt", "directory")


def command(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    line = [sys.executable, "-m", "hybridmip", *arguments]
    return subprocess.run(line, capture_output=True, text=True, timeout=300, check=False, **options)  # type: ignore[call-overload]


def test_version_and_help_in_a_real_process() -> None:
    """--version and --help work, and help does not import what only a solve needs."""
    assert command("--version").stdout == f"hybridmip {__version__}\n"
    module = subprocess.run([sys.executable, "-m", "hybridmip", "--version"], capture_output=True, check=False)
    assert module.stdout.decode() == f"hybridmip {__version__}\n"
    helped = command("portfolio", "--help")
    assert helped.returncode == 0
    assert "--target-return" in helped.stdout
    program = (
        "import sys\nfrom hybridmip.cli import main\n"
        "try:\n    main(['--help'])\n"
        "except SystemExit:\n    pass\n"
        "heavy = {'numpy', 'scipy', 'numba', 'pandas', 'highspy', 'clarabel', 'matplotlib'}\n"
        "heavy &= set(sys.modules)\n"
        "sys.stderr.write(' '.join(sorted(heavy)))"
    )
    probe = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (probe.returncode, probe.stderr) == (0, "")


def test_help_is_quick() -> None:
    """--help takes less than 0.8 s of processor time, which does not depend on what else runs."""
    resource = pytest.importorskip("resource", reason="needs the time of child processes, which Windows does not tell")

    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    command("--help")  # the first run may compile Python files
    before = used()
    command("--help")
    assert used() - before < 0.8


@pytest.mark.skipif(sys.platform == "win32", reason="needs the pipes of a Unix shell")
def test_reader_that_leaves_early(port: Path) -> None:
    """A closed pipe on standard output is no error: no traceback, and the exit code of the result."""
    line = f"{sys.executable} -m hybridmip portfolio {port} --assets 3 --json"
    shell = f"set -o pipefail; ( {line}; echo $? >&2 ) | true"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, timeout=300, check=False)
    assert done.stderr == "0\n"


def test_terminal_without_unicode(port: Path) -> None:
    """With an ASCII standard output the table is drawn in ASCII instead of failing."""
    done = command("portfolio", str(port), "--assets", "3", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert "####" in done.stdout


def test_public_names_in_any_order() -> None:
    """hm.solve is the function whichever way and in whichever order the submodule was imported."""
    programs = (
        "import hybridmip as hm; from hybridmip.run.solve import solve; assert hm.solve is solve",
        "from hybridmip.run.solve import solve; import hybridmip as hm; assert hm.solve is solve",
        "import hybridmip.run.solve; import hybridmip as hm; assert callable(hm.solve)",
        "import hybridmip as hm; a = hm.solve; import hybridmip.run.solve; assert hm.solve is a and callable(a)",
        "from hybridmip import solve, market; assert callable(solve) and callable(market)",
        "import hybridmip as hm; assert all(getattr(hm, name) is not None for name in hm.__all__)",
        "import hybridmip as hm, hybridmip.applications.market as m; assert hm.market is m.market",
        "import hybridmip as hm; from hybridmip.io.tables import read_portfolio_data as r; "
        "assert hm.read_portfolio_data is r",
    )
    for program in programs:
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{program}\n{done.stderr}"


def test_problem_files(run: Run, tmp_path: Path) -> None:
    """A problem is converted, solved under its own names, written as .sol, and its proof verified."""
    model = tmp_path / "model.lp"
    model.write_text(
        "maximize\n obj: 3 x + 2 y - 4 open\nsubject to\n cap: x + y <= 8\n link: x - 5 open <= 0\n"
        "bounds\n 0 <= x <= 5\n 0 <= y <= 6\nbinary\n open\nend\n"
    )
    shown = run("solve", model, "--out", tmp_path / "model.sol", "--certificate", tmp_path / "proof.json")
    assert shown.code == 0, shown.err
    assert "maximises" in shown.out
    lines = dict(line.split() for line in (tmp_path / "model.sol").read_text().splitlines() if line)
    assert float(lines["x"]) == pytest.approx(5.0)
    document = json.loads(run("solve", model, "--json").out)
    assert document["objective"] == pytest.approx(17.0)
    assert document["sense"] == "maximise"
    assert run("convert", model, tmp_path / "model.mps.gz").code == 0
    again = json.loads(run("solve", tmp_path / "model.mps.gz", "--json").out)
    assert again["objective"] == pytest.approx(-17.0)
    assert run("verify", model, tmp_path / "proof.json").code == 0
    assert_bad_input(run("convert", model, tmp_path / "model.xyz"), ".mps", "model.xyz")
    assert_bad_input(run("solve", tmp_path / "absent.mps"), "absent.mps", "does not exist")


def test_network_files(run: Run, tmp_path: Path) -> None:
    """Arcs and nodes from CSV: the cheapest way is opened, and drawn."""
    arcs, nodes = tmp_path / "arcs.csv", tmp_path / "nodes.csv"
    arcs.write_text("from,to,capacity,unit_cost,fixed_cost\nA,B,10,1,5\nA,C,10,2,1\nB,C,10,1,1\n")
    nodes.write_text("node,supply\nA,5\nC,-5\n")
    picture = tmp_path / "network.png"
    shown = run("network", arcs, "--nodes", nodes, "--figure", picture)
    assert shown.code == 0, shown.err
    assert "A->C" in shown.out
    assert picture.read_bytes().startswith(b"\x89PNG")
    document = json.loads(run("network", arcs, "--nodes", nodes, "--json").out)
    assert document["objective"] == pytest.approx(11.0)
    assert document["open"] == ["A->C"]
    nodes.write_text("node,supply\nA,5\nC,-4\n")
    assert_bad_input(run("network", arcs, "--nodes", nodes), "supply")


def test_network_design_files(run: Run, tmp_path: Path) -> None:
    """A .dow file: names, a picture, a limit on open arcs; tables of nodes are for CSV."""
    design, picture = tmp_path / "a.dow", tmp_path / "network.png"
    design.write_text("title\n3 4 1\n1 2 5 10 100 1 1\n2 3 1 10 50 1 2\n1 3 30 10 20 1 3\n3 1 2 10 10 1 4\n1 3 6\n")
    shown = run("network", design, "--figure", picture, "--max-open", "2")
    assert shown.code == 0, shown.err
    assert "1->2" in shown.out
    assert picture.read_bytes().startswith(b"\x89PNG")
    one = json.loads(run("network", design, "--max-open", "1", "--json").out)
    assert one["open"] == ["1->3"]
    assert_bad_input(run("network", design, "--nodes", tmp_path / "n.csv"), "--nodes", "CSV")


@pytest.mark.parametrize(
    ("option", "given", "remedy"),
    [
        ("--target-return", "0,06%", "write 0.06%"),
        ("--min-weight", "0,5%", "write 0.5%"),
        ("--min-weight", "0,005", "write 0.005"),
        ("--min-weight", "3", "for that many percent write 3%"),
        ("--min-weight", "300%", "give at most 100%"),
        ("--min-weight", "300", "give at most 100%"),
    ],
)
def test_remedies_mean_what_was_meant(run: Run, port: Path, option: str, given: str, remedy: str) -> None:
    """A decimal comma is mended without losing the percent sign, and a weight above 1 is taken for percent."""
    answer = run("portfolio", port, "--assets", 3, option, given)
    assert_bad_input(answer, f"{option} is ")
    assert answer.err.endswith(f"; {remedy}\n")


def test_nothing_to_write_for_an_infeasible_answer(run: Run, port: Path, tmp_path: Path) -> None:
    """No document shows that rules clash: that is said of both, and neither advises the other."""
    proof, certificate = tmp_path / "proof.json", tmp_path / "certificate.json"
    answer = run(
        "portfolio", port, "--assets", 2, "--target-return", "5%", "--proof", proof, "--certificate", certificate, "-q"
    )
    assert answer.code == 3
    told = answer.err.splitlines()
    assert len(told) == 2
    assert all("the answer is infeasible, and there is no document that shows that" in line for line in told)
    assert "--certificate writes" not in answer.err
    assert not proof.exists()
    assert not certificate.exists()


@pytest.mark.parametrize(
    ("rests_on", "words"),
    [
        ("proven", "the gap was closed by one bound, without a tree"),
        ("tried", "every choice that the bound leaves over was tried, which no document shows"),
        ("trusted", "the gap was closed by HiGHS, whose word no document shows"),
    ],
)
def test_optimal_without_a_tree(
    rests_on: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    """--proof says what an optimal answer without a tree rests on, and where its bound is to be had."""
    result = hm.solve(hm.Problem(q=[3, 1], A=[1, 1], row_lower=2, x_lower=0, x_upper=5))
    assert (result.status, result.proof) == ("optimal", None)
    place = tmp_path / "proof.json"
    assert save_proof(dataclasses.replace(result, rests_on=Grade(rests_on)), place) is None
    told = capsys.readouterr().err
    said = f"there is no proof to write: {words}; {place} was not written; --certificate writes"
    assert f"{said} that bound, which is the whole proof\n" in told
    assert not place.exists()
    assert result.certificate is not None
    lower = dataclasses.replace(result.certificate, claimed=result.certificate.claimed - 1)
    assert save_proof(dataclasses.replace(result, rests_on=Grade(rests_on), certificate=lower), place) is None
    assert f"{said} the best bound that can be checked\n" in capsys.readouterr().err


def test_bound_is_that_of_the_proof(run: Run, port: Path, tmp_path: Path) -> None:
    """With --proof the answer's bound and gap are those that the document proves, of `portfolio` and of `solve`."""
    proof, problem = tmp_path / "proof.json", tmp_path / "problem.json"
    asked = ("--assets", 3, "--min-weight", 0.05, "--proof", proof, "--save-problem", problem, "--json", "-q")
    for command in (("portfolio", port, *asked), ("solve", problem, "--proof", proof, "--json", "-q")):
        answer = run(*command)
        assert answer.code == 0
        document = json.loads(answer.out)
        claimed = json.loads(proof.read_text())["bound"]
        assert document["bound"] == claimed
        assert document["gap"] == pytest.approx((document["objective"] - claimed) / document["objective"])
        assert 0 < document["gap"] <= 1e-6
        said = run("verify", problem, proof)
        assert said.code == 0
        assert re.search(
            r"\((?:1 node|\d\d* nodes) of a tree, (?:1 evaluation|\d+ evaluations) of the formula\)", said.out
        )
        assert not re.search(r"\b1 (?:nodes|evaluations)", said.out)


def test_gap_in_the_status(run: Run, port: Path) -> None:
    """An optimal answer has closed its gap; one that stopped at a gap has reached the one that was asked for."""
    result = hm.solve(hm.Problem(p=[1, -2]), config=hm.Config(enumerate_up_to=4))
    assert (result.status, result.stop_reason) == ("optimal", "gap_reached")
    assert str(result).splitlines()[0] == "status: optimal (the gap is closed)"
    stopped = dataclasses.replace(result, status=hm.Status.FEASIBLE)
    assert str(stopped).splitlines()[0] == "status: feasible (the gap asked for is reached)"
