"""docs/names.md: every name in Python, frames, JSON, pages and on the terminal is there, once."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import hybridmip as hm
from hybridmip.applications.portfolio import Portfolio, PortfolioResult
from hybridmip.cli import main
from hybridmip.report.page import frontier_page
from hybridmip.run.words import result_lines
from hybridmip.sweep import Frontier, Point
from hybridmip.sweep.accounts import COLUMNS

PAGE = Path(__file__).parents[1] / "docs" / "names.md"
PLACES = {"P", "F", "J", "W", "T"}


def table() -> dict[str, set[str]]:
    """The names of the page, and where each is."""
    found: dict[str, set[str]] = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        match = re.match(r"\| `([^`]+)` \| ([PFJWT ]+) \| (.+) \|", line)
        if match is None:
            assert not line.startswith("| `"), f"not a row: {line}"
            continue
        assert match[1] not in found, f"{match[1]} is there twice"
        found[match[1]] = set(match[2].split())
    return found


def wanted(names: object, place: str) -> None:
    """All of the names are in the table, for this place."""
    known = table()
    missing = [name for name in names if place not in known.get(name, set())]  # type: ignore[attr-defined]
    assert not missing, f"docs/names.md lacks {missing} for {place}"


def run(*arguments: object) -> int:
    """The command line; its exit code."""
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return int(str(ended.value.code))


def underscored(heading: str) -> str:
    return heading.strip().replace(" ", "_").lower()


@pytest.fixture(scope="module")
def asked() -> Portfolio:
    returns, covariance = hm.market(assets=10, seed=4).sample_estimates()
    held = dict.fromkeys(returns.index[:4], 0.25)
    group = {"first": hm.Group(list(returns.index[:5]), max_weight=0.8)}
    return hm.Portfolio(
        returns, covariance, assets=3, min_weight=0.05, current=held, trade_cost=0.0005, max_turnover=1.9, groups=group
    )


@pytest.fixture(scope="module")
def along(asked: Portfolio) -> Frontier:
    return hm.frontier(asked, points=3, config=hm.Config.quick())


def test_the_page_is_a_table() -> None:
    """It has the fixed keys of a solve, with known places and a meaning each."""
    known = table()
    for name, places in known.items():
        assert places <= PLACES, name
    fixed = "status stop_reason objective bound gap selected weights x found_by evaluations seconds seed version"
    assert all("J" in known[name] for name in fixed.split())


def test_names_of_results(asked: Portfolio, along: Frontier) -> None:
    """Attributes and properties of a result, of a portfolio's answer and of a point."""
    wanted({item.name for item in dataclasses.fields(hm.Result)}, "P")
    wanted({item.name for item in dataclasses.fields(Point)}, "P")
    public = {name for name, value in vars(PortfolioResult).items() if isinstance(value, property)}
    wanted(public | {"x", "b", "portfolio", "result"}, "P")
    assert along[0].expected_return == along[0].portfolio_return


def test_columns_of_frames(asked: Portfolio, along: Frontier) -> None:
    """Of a frontier, of a portfolio's table, of accounts and their trades."""
    wanted(along.to_frame().columns, "F")
    wanted(hm.frontier(asked, [3], vary="assets", config=hm.Config.quick()).to_frame().columns, "F")
    read = asked.solve()
    wanted([*read.table().columns, read.table().index.name], "F")
    wanted(COLUMNS, "F")
    wanted(["account", "asset", "trade", "weight"], "F")


def test_keys_of_documents(along: Frontier, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a frontier and its points, and of what portfolio, solve, network, rebalance and verify print as JSON."""
    wanted(along.document(), "J")
    wanted(along.document()["points"][0], "J")

    def printed(*arguments: object) -> dict[str, object]:
        capsys.readouterr()
        assert run(*arguments, "--json") in (0, 3)
        return json.loads(capsys.readouterr().out)

    rng = np.random.default_rng(0)
    prices = pd.DataFrame(100 * np.exp(np.cumsum(0.02 * rng.standard_normal((60, 6)), axis=0)), columns=list("ABCDEF"))
    prices.insert(0, "date", pd.date_range("2020-01-03", periods=60, freq="W").strftime("%Y-%m-%d"))
    prices.to_csv(tmp_path / "prices.csv", index=False)
    (tmp_path / "held.csv").write_text("asset,weight\nA,0.5\nB,0.5\n")
    (tmp_path / "accounts.csv").write_text("account,asset,weight\nA1,A,1\nA2,Z,1\n")
    (tmp_path / "arcs.csv").write_text("from,to,capacity,unit_cost,fixed_cost\na,b,5,1,2\n")
    (tmp_path / "nodes.csv").write_text("node,supply\na,3\nb,-3\n")
    portfolio = ("portfolio", tmp_path / "prices.csv", "--kind", "prices", "--assets", ":3", "--quiet")
    wanted(
        printed(*portfolio, "--current", tmp_path / "held.csv", "--trade-cost", "0.1%", "--objective", "sharpe"), "J"
    )
    wanted(printed(*portfolio, "--target-return", "9"), "J")
    proof, problem = tmp_path / "proof.json", tmp_path / "problem.json"
    wanted(printed(*portfolio, "--certificate", proof, "--save-problem", problem), "J")
    wanted(printed("verify", problem, proof), "J")
    wanted(printed("solve", problem), "J")
    wanted(printed("network", tmp_path / "arcs.csv", "--nodes", tmp_path / "nodes.csv"), "J")
    rebalance = ("rebalance", tmp_path / "prices.csv", tmp_path / "accounts.csv", "--kind", "prices", "--quiet")
    wanted(printed(*rebalance, "--out", tmp_path / "run"), "J")


def test_headings_of_the_page(along: Frontier) -> None:
    """Columns of the page's table and of its CSV file, and what notebooks show, are names of the table."""
    script = frontier_page(along.document())
    titles = re.findall(r'key: "\w+", title: "([^"]+)"', script)
    assert {"expected return", "risk gap", "found by", "seconds"} <= set(titles)
    wanted(map(underscored, titles), "W")
    facts = re.findall(r'facts\.push\(\["([^"]+)"', script)
    wanted(map(underscored, facts), "W")
    wanted(map(underscored, re.findall(r'<th scope="row"[^>]*>([^<]+)</th>', along._repr_html_())), "W")


def test_labels_of_the_terminal(
    asked: Portfolio, along: Frontier, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Lines of a summary and headings of tables are names of the table."""
    result = hm.solve(asked.problem())
    # The reason is in words behind the status.
    wanted([underscored(name) for name, _ in result_lines(result, True)], "T")
    wanted([underscored(name) for name, _ in result_lines(result, True)], "W")
    data = tmp_path / "mean.csv"
    asked_returns = pd.Series(asked.returns, index=asked.names, name="mean")
    asked_returns.to_csv(data, index_label="asset")
    pd.DataFrame(asked.covariance.toarray(), asked.names, asked.names).to_csv(tmp_path / "cov.csv")
    given = [str(data), "--covariance", str(tmp_path / "cov.csv"), "--assets", "3", "--quiet"]
    assert run("portfolio", *given) == 0
    lines = capsys.readouterr().out.splitlines()
    headings = re.split(r"\s{2,}", lines[0].strip())
    wanted(map(underscored, headings), "T")
    labels = [re.split(r"\s{2,}", line)[0] for line in lines[lines.index("") + 1 :] if line.strip()]
    assert {"status", "objective", "gap", "expected return", "risk", "found by", "seconds"} <= set(labels)
    wanted(map(underscored, labels), "T")
    assert run("frontier", *given, "--points", "2", "--no-pictures", "--out", tmp_path / "run") == 0
    headings = re.split(r"\s{2,}", capsys.readouterr().out.splitlines()[2].strip())
    assert headings == ["target return", "expected return", "risk", "assets", "gap"]
    wanted(map(underscored, headings), "T")
