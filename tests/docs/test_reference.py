"""The reference says what the code does: names, commands, settings, exit codes, JSON documents, messages."""

from __future__ import annotations

import copy
import importlib.util
import inspect
import json
import re
import tomllib
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from site_extensions import extension
from typer.main import get_command

import hybridmip as hm
from hybridmip.cli import exits, main
from hybridmip.cli.app import app
from hybridmip.io.problem_json import write_problem_json
from hybridmip.run.overview import parameters
from hybridmip.run.settings import RULES

ROOT = Path(__file__).resolve().parents[2]
PAGES = {file.stem: file.read_text(encoding="utf-8") for file in sorted((ROOT / "docs" / "reference").glob("*.md"))}


reference: Any = extension("reference")


def on_pages() -> set[str]:
    """Names that a directive of some page documents."""
    return set(re.findall(r"^\.\. (?:auto|py:)\w+:: (\S+)$", "\n".join(PAGES.values()), re.MULTILINE))


@pytest.mark.parametrize("name", hm.__all__)
def test_public_name_is_on_a_page(name: str) -> None:
    """Every name of `hybridmip.__all__` is documented under the name that a user writes."""
    assert f"hybridmip.{name}" in on_pages()


def test_names_on_pages_exist() -> None:
    """No page documents what is not there any more."""
    for name in on_pages():
        parts = name.split(".")
        found: Any = hm
        for at, part in enumerate(parts[1:], start=2):
            module = ".".join(parts[:at])
            if not hasattr(found, part) and importlib.util.find_spec(module) is not None:
                importlib.import_module(module)
            found = getattr(found, part)


@pytest.mark.parametrize("page", PAGES)
def test_marks_are_replaced(page: str) -> None:
    """Every part that is made from the code is there, as plain text for Markdown."""
    text = reference.filled(PAGES[page])
    assert "made from the code:" not in text
    assert "\x1b" not in text
    assert not re.search(r"\[/?(?:bold|dim)\]", text)


def test_commands_are_complete() -> None:
    """Every command is there with every argument, every option, its default, and its examples."""
    text = reference.commands()
    group: Any = get_command(app)
    parts = dict(re.findall(r"^## hybridmip (\S+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    assert list(parts) == list(group.commands)
    for name, command in group.commands.items():
        for parameter in (one for one in command.params if one.name != "help"):
            if parameter.param_type_name == "option":
                assert all(re.search(rf"`{option}[ `]", parts[name]) for option in parameter.opts), parameter.opts
            elif parameter.metavar:
                assert f"`{parameter.metavar}`\n: " in parts[name]
            assert parameter.help is None or reference._escaped(reference._plain(parameter.help)) in parts[name]
        examples = inspect.cleandoc(command.help).partition("Examples:")[2]
        assert all(f"$ {line}" in parts[name] for line in examples.splitlines() if line)
    assert parts["data"].count("**Arguments**\n\n`orlib`\n: ") == 1  # the choices of an argument without a name
    assert "Default: `0`." in parts["solve"]  # of --seed: a default that is false in a condition
    assert "Default: all cores." in parts["study"]  # a default in words
    assert "no more is said" not in text


def test_exit_codes_are_complete() -> None:
    """The table has every code that the commands end with."""
    codes = {value for name, value in vars(exits).items() if name.startswith("EXIT_")}
    assert set(exits.MEANINGS) == codes
    assert all(f"| {code} | " in reference.exit_codes() for code in codes)


#: Values that break the rules.
BROKEN = {
    "enumerate_up_to": -1, "evaluation_limit": 0, "threads": 0, "augm.weight": float("inf"), "pool.random": -1,
    "pool.rounded": 0.5, "genetic.keep_percent": 0, "genetic.spread": -1e-9, "genetic.mutation_percent": 101,
    "genetic.generations": -1, "walk.limit": -1, "descent.starts": 0, "descent.patience": -1, "fit.rounds": -1,
    "tree.work": -1,
}  # fmt: skip


@pytest.mark.parametrize("name", RULES)
def test_range_shown_is_the_one_checked(name: str) -> None:
    """A value beyond its range is refused in the words that the page shows."""
    group, _, setting = name.rpartition(".")
    change: dict[str, Any] = {group: {setting: BROKEN[name]}} if group else {name: BROKEN[name]}
    with pytest.raises(hm.ArgumentError) as refused:
        hm.Config().replace(**change)
    shown = next(one for one in parameters() if one.name == name)
    assert str(refused.value) == f"{name} is {BROKEN[name]!r}; it must be {shown.range}"
    assert f"`{name}`\n: `{shown.kind}`, {shown.range}. Default: `{shown.default}`." in reference.settings()


def test_every_setting_is_shown() -> None:
    """Every field of `Config` and of its groups has a type, a range, a default and a meaning."""
    found = parameters()
    groups = {name for name in vars(hm.Config()) if type(getattr(hm.Config(), name)).__name__.endswith("Settings")}
    expected = set(vars(hm.Config())) - groups
    expected |= {f"{group}.{name}" for group in groups for name in vars(getattr(hm.Config(), group))}
    assert {one.name for one in found} == expected
    assert all(all(one) for one in found)


def _gaps(folder: Path) -> None:
    prices = hm.market(assets=3, periods=20).prices()
    prices.iloc[3:6, 1] = None
    prices.to_csv(folder / "prices.csv")
    hm.read_portfolio_data(folder / "prices.csv")


def _twice(folder: Path) -> None:
    for _ in range(2):
        hm.frontier(hm.market(assets=6).portfolio(assets=2), points=1, store=folder / "run.sqlite")


def _damaged(folder: Path) -> None:
    (folder / "model.mps").write_text("NAME x\nROWS\n Z  c\n")
    hm.read_problem(folder / "model.mps")


def _without_networkx(folder: Path) -> None:
    with mock.patch.dict("sys.modules", {"networkx": None}):
        hm.example_network(nodes=6).to_networkx()


#: What raises the errors of the page.
WRONG: tuple[Callable[[Path], object], ...] = (
    lambda _: hm.market(assets=1),
    lambda _: hm.market(assets=6).portfolio(groups={"A": {"members": [0, 1, 2], "min_assets": 2, "max_assets": 1}}),
    lambda _: hm.Problem(Q=[[1, 2], [2, 1]]),
    lambda _: hm.Problem(q=[1.0, float("nan")]),
    lambda _: hm.Problem(q=[1, 2], A=[[1]]),
    lambda _: hm.market(assets=6).portfolio(assets=2, target_return=1.0).solve(),
    lambda folder: hm.read_problem(folder / "none.mps"),
    lambda _: hm.solve(hm.Problem(q=[-1], x_lower=0)),
    _damaged, _gaps, _twice, _without_networkx,
)  # fmt: skip


def test_messages_are_those_of_the_code(tmp_path: Path) -> None:
    """Every message that the page of errors quotes is one that is raised, of the class that the page says."""
    told = []
    for cause in WRONG:
        with pytest.raises(hm.HybridMIPError) as error:
            cause(tmp_path)
        told.append(f"`{type(error.value).__name__}`: {error.value}")
    quoted = re.findall(r"^\| (`\w+Error`: .*?) \|", PAGES["errors"], re.MULTILINE)
    assert len(quoted) == len(WRONG)
    for pattern in quoted:
        wanted = ".*".join(map(re.escape, pattern.split("...")))
        assert [message for message in told if re.fullmatch(wanted, message)], pattern


def test_every_error_is_described() -> None:
    """Every public error and warning is on the page, with what to do about it."""
    errors = [name for name in hm.__all__ if name.endswith(("Error", "Warning")) and name != "HybridMIPError"]
    table, _, directives = PAGES["errors"].partition("## Exceptions")
    assert all(f"| `{name}`" in table and f"hybridmip.{name}\n" in directives for name in errors)


@pytest.mark.parametrize("page", [page for page, text in PAGES.items() if "```python" in text])
def test_programs_run(page: str) -> None:
    """The programs of a page run, one after the other."""
    names: dict[str, Any] = {}
    for program in re.findall(r"^```python\n(.*?)^```$", PAGES[page], re.MULTILINE | re.DOTALL):
        exec(program, names)
    assert len(names) > 1


def test_extras_exist() -> None:
    """What a page says to install is an extra of the package."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = set(re.findall(r"hybridmip\[(\w+)\]", "\n".join(PAGES.values())))
    assert named
    assert named <= set(extras)


# ---- JSON documents

jsonschema = pytest.importorskip("jsonschema")
SCHEMAS = {
    file.name.removesuffix(".schema.json"): json.loads(file.read_text(encoding="utf-8"))
    for file in (files("hybridmip") / "schemas").iterdir()
    if file.name.endswith(".schema.json")
}


def faults(name: str, document: Any) -> list[str]:
    """What a schema finds wrong with a document."""
    return [error.message for error in jsonschema.Draft202012Validator(SCHEMAS[name]).iter_errors(document)]


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[Any, int]:
    """The document that a command prints, and its exit code."""
    with pytest.raises(SystemExit) as ending:
        main([*map(str, words), "--json", *([] if words[0] == "verify" else ["--quiet"])])
    return json.loads(capsys.readouterr().out), int(ending.value.code or 0)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of generated data."""
    folder = tmp_path_factory.mktemp("documents")
    market = hm.market(assets=12, periods=150, seed=1)
    market.prices().to_csv(folder / "prices.csv")
    rows = ["account,asset,weight", f"A1,{market.names[0]},0.5", f"A1,{market.names[1]},0.5", "A2,no such,1"]
    (folder / "accounts.csv").write_text("\n".join(rows))
    (folder / "held.csv").write_text(f"asset,weight\n{market.names[0]},0.6\n{market.names[1]},0.4\n")
    arcs, nodes = hm.example_network(nodes=6).to_frames()
    arcs.to_csv(folder / "arcs.csv", index=False)
    nodes.to_csv(folder / "nodes.csv", index=False)
    (folder / "model.lp").write_text("max\nvalue: 3 x + 2 y\nst\nroom: x + y <= 3.5\nbounds\nx <= 3\nbinary\ny\nend\n")
    return folder


def damaged(name: str, document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The document without a field that must be there, with a field of another type, and with one too many."""
    for field in SCHEMAS[name]["required"]:
        yield f"without {field}", {key: value for key, value in document.items() if key != field}
    for field in document:
        yield f"{field} of another type", {**document, field: {"what": ["is this"]}}
    yield "one too many", {**document, "no such field": 1}


def accepted(name: str, document: dict[str, Any]) -> None:
    """The schema takes the document, and none of its damaged copies."""
    assert faults(name, document) == []
    for what, bad in damaged(name, document):
        assert faults(name, bad), what


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema_is_one(name: str) -> None:
    """Every schema is valid, says what each field is, and is on the page."""
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[name])
    assert all("description" in field for field in SCHEMAS[name]["properties"].values())
    assert f"<!-- made from the code: schema {name} -->" in PAGES["documents"]


def test_portfolio_documents(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What `hybridmip portfolio` prints and writes: the answer, the problem, the certificate and the proof."""
    places = {name: made / f"{name}.json" for name in ("problem", "certificate", "proof")}
    answer, code = run(
        capsys, "portfolio", made / "prices.csv", "--assets", 4, "--min-weight", 0.05, "--save-problem",
        places["problem"], "--certificate", places["certificate"], "--proof", places["proof"],
    )  # fmt: skip
    assert code == 0
    accepted("portfolio", answer)
    for name, place in places.items():
        accepted(name, json.loads(place.read_text()))
    for proof in (places["certificate"], places["proof"]):
        checked, code = run(capsys, "verify", places["problem"], proof)
        assert code == 0
        accepted("verify", checked)


@pytest.mark.parametrize(
    ("options", "expected", "more"),
    [
        (["--objective", "sharpe", "--trade-cost", "0.1%", "--periods-per-year", "52"], 0, "sharpe_ratio"),
        (["--current", "held.csv", "--objective", "utility", "--max-trades", "3"], 0, "turnover"),
        (["--objective", "tracking", "--benchmark", "held.csv"], 0, "tracking_error"),
        (["--target-return", "0.5"], 3, "unconstrained_returns"),
    ],
)
def test_further_portfolio_documents(
    options: list[str], expected: int, more: str, made: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Fields that only some questions have, and the document of an infeasible one."""
    monkeypatch.chdir(made)
    answer, code = run(capsys, "portfolio", "prices.csv", "--assets", 4, *options)
    assert code == expected
    assert more in answer
    accepted("portfolio", answer)


def test_solve_and_verify_documents(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What `hybridmip solve` prints is what it writes, and `verify` says what it found of it."""
    answer, code = run(capsys, "solve", made / "model.lp", "--out", made / "solution.json")
    assert (code, answer["sense"]) == (0, "maximise")
    assert answer == json.loads((made / "solution.json").read_text())
    accepted("solve", answer)
    problem, certificate = made / "small.json", made / "bound.json"
    write_problem_json(hm.read_problem(made / "model.lp"), problem)
    _, code = run(capsys, "solve", problem, "--certificate", certificate, "--out", made / "own.json")
    assert code == 0
    checked, code = run(capsys, "verify", problem, certificate, "--solution", made / "own.json")
    assert code == 0
    accepted("verify", checked)
    accepted("certificate", json.loads(certificate.read_text()))


def test_frontier_document(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What `hybridmip frontier` prints."""
    words = ("--assets", 4, "--points", 3, "--no-pictures", "--periods-per-year", 52, "--out", tmp_path / "run")
    answer, code = run(capsys, "frontier", made / "prices.csv", *words)
    assert code == 0
    accepted("frontier", answer)
    for field in answer["points"][0]:
        worse = copy.deepcopy(answer)
        del worse["points"][0][field]
        assert faults("frontier", worse), field


def test_rebalance_document(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What `hybridmip rebalance` prints, also where an account is bad."""
    answer, code = run(capsys, "rebalance", made / "prices.csv", made / "accounts.csv", "--out", tmp_path / "run")
    assert (code, answer["counts"]["bad input"]) == (0, 1)
    accepted("rebalance", answer)


def test_network_document(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What `hybridmip network` prints."""
    answer, code = run(capsys, "network", made / "arcs.csv", "--nodes", made / "nodes.csv")
    assert code == 0
    accepted("network", answer)


def test_demo_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What `hybridmip demo` prints."""
    words = ("--assets", 20, "--hold", 4, "--points", 2, "--no-picture", "--out", tmp_path / "demo")
    answer, code = run(capsys, "demo", *words)
    assert code == 0
    accepted("demo", answer)


def test_data_document(data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What `hybridmip data` prints."""
    if not (data_dir / "orlib" / "port1.txt").is_file():
        pytest.skip("no files of OR-Library; set HYBRIDMIP_DATA to the folder of instances")
    answer, code = run(capsys, "data", "orlib", "--from", data_dir / "orlib", "--out", tmp_path)
    assert (code, {file["state"] for file in answer["files"]}) == (0, {"copied"})
    accepted("data", answer)


def test_study_document(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What `hybridmip study` prints."""
    n = 12
    returns, covariance = hm.market(assets=n, seed=3).sample_estimates()
    mean, cov = returns.to_numpy(), covariance.to_numpy()
    deviation = np.sqrt(np.diag(cov))
    correlation = cov / np.outer(deviation, deviation)
    lines = [str(n), *(f"{m:.10f} {s:.10f}" for m, s in zip(mean, deviation, strict=True))]
    lines += [f"{i + 1} {j + 1} {correlation[i, j]:.10f}" for i in range(n) for j in range(i, n)]
    (tmp_path / "portsmall.txt").write_text("\n".join(lines))
    curve = hm.frontier(hm.Portfolio(mean, cov), points=5)
    points = [f"{point.parameter:.12f} {point.objective:.14f}" for point in curve]
    (tmp_path / "portefsmall.txt").write_text("\n".join(reversed(points)))
    monkeypatch.setattr("hybridmip.study.report.save_report", lambda study, folder: [Path("study.md")])
    words = ("--sets", "portsmall", "--seeds", "0", "--jobs", 1, "--quick")
    answer, code = run(capsys, "study", "--data", tmp_path, "--out", tmp_path / "out", *words)
    assert code == 0
    accepted("study", answer)


@pytest.mark.parametrize(
    "Q",
    [
        [1.0, 2.0, 3.0],
        np.diag([1.0, 2.0, 3.0]) + 0.1,
        hm.FactorModel([[1.0], [0.5], [2.0]], [0.04], [0.01, 0.02, 0.03]),
        None,
    ],
)
def test_problem_documents(Q: Any, tmp_path: Path) -> None:
    """Problems with every kind of Q, with limits that are not there, and read back as they were."""
    problem = hm.Problem(Q=Q, q=[1, 2, 3], A=[1, 1, 1], row_lower=1, x_lower=0, switch=[0, 1, -1], binaries=2)
    write_problem_json(problem, tmp_path / "problem.json")
    accepted("problem", json.loads((tmp_path / "problem.json").read_text()))
    assert hm.read_problem(tmp_path / "problem.json").hash == problem.hash


def test_documents_that_schemas_refuse_are_refused() -> None:
    """A certificate or proof without its numbers is refused by the program as by its schema."""
    problem = hm.market(assets=30, seed=2).portfolio(assets=5, min_weight=0.05, target_return=0.003).problem()
    result = hm.solve(problem, prove=True)
    assert result.certificate is not None
    assert result.proof is not None
    proof = result.proof.to_dict()
    accepted("certificate", result.certificate.to_dict())
    accepted("proof", proof)
    for field in ("diagonals", "reasons", "nodes", "sizes"):
        with pytest.raises(hm.FileError):
            hm.ProofTree.from_dict({key: value for key, value in proof.items() if key != field})
    split = copy.deepcopy(proof)
    node = next(node for node in split["nodes"] if "binary" in node or "count" in node)
    node["closed"] = 0
    assert faults("proof", split)
