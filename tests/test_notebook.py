"""Notebooks: results show themselves as HTML without scripts, plots as pictures without magic."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import hybridmip as hm
from hybridmip.notebook import card
from hybridmip.report.terminal import summary

NOTEBOOK = Path(__file__).parents[1] / "docs" / "notebooks" / "portfolio.ipynb"
HOSTILE = "</td><script>alert(1)</script><img src=x onerror=alert(1)>"


class Tags(HTMLParser):
    """Tags that are opened, each of which is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.open.append(tag)
        assert not [name for name, _ in attrs if name.startswith("on") or name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def checked(page: str) -> str:
    """HTML that nests, runs nothing and loads nothing."""
    assert set(Tags(page).tags) <= {"div", "table", "thead", "tbody", "tr", "th", "td", "p"}
    # On any ground: no colour of its own but a half-transparent grey.
    assert set(re.findall(r"(?<!-)color:([^;\"]+)", page)) <= {"inherit"}
    return page


def hostile_portfolio() -> hm.Portfolio:
    returns, covariance = hm.market(assets=8, seed=2).sample_estimates()
    names = [HOSTILE, *(f"A{j}" for j in range(7))]
    return hm.Portfolio(returns.to_numpy(), covariance.to_numpy(), names=names, assets=8, min_weight=0.05)


def test_names_cannot_become_markup() -> None:
    """A hostile name is text in every card, and what UTF-8 cannot hold is replaced."""
    checked(card("\ud800", [("\udfff", "\ud800")])).encode("utf-8")
    portfolio = hostile_portfolio()
    result = hm.solve(portfolio.problem())
    shown = [result._repr_html_(), portfolio.read(result)._repr_html_()]
    frontier = hm.frontier(portfolio, [8], vary="assets", config=hm.Config.quick())
    shown += [frontier._repr_html_(), frontier[0]._repr_html_()]
    for page in shown:
        checked(page)
    assert all("&lt;script&gt;" in page for page in (shown[0], shown[1], shown[3]))


def test_a_card_says_how_much_it_leaves_out() -> None:
    """The first rows are shown, the others counted; without rows there is no second table."""
    page = checked(
        card("Title", [("a & b", 1)], "a note", ("name", "value"), ((f"r{k}", k) for k in range(20)), shown=5)
    )
    assert "a &amp; b" in page
    assert "r4" in page
    assert "r5" not in page
    assert "and 15 more" in page
    assert checked(card("Title", [("a", 1)])).count("<table") == 1


def test_results_of_every_kind() -> None:
    """With an answer, infeasible, without an answer; a certificate, a proof, accounts."""
    portfolio = hm.market(assets=12, seed=3).portfolio(assets=4, min_weight=0.05)
    proven = hm.solve(portfolio.problem(), prove=True)
    assert "proven optimal" in checked(proven._repr_html_())
    assert f"{proven.certificate.claimed:.10g}" in checked(proven.certificate._repr_html_())
    assert f"{proven.proof.nodes:,}" in checked(proven.proof._repr_html_())
    impossible = hm.solve(portfolio.with_target(9.0).problem())
    assert "infeasible" in checked(impossible._repr_html_())
    accounts = [{"account": HOSTILE, "holdings": {"ZZZ": 1.0}}, {"account": "A", "holdings": {portfolio.names[0]: 1.0}}]
    found = hm.rebalance(accounts, portfolio.replace(objective="utility", trade_cost=0.001))
    assert "&lt;script&gt;" in checked(found._repr_html_())
    text = str(proven).splitlines()
    assert text[0] == "status: optimal (every possibility was covered)"
    assert [line.partition(":")[0] for line in text[1:4]] == ["objective", "bound", "gap"]


def test_an_open_gap_says_what_would_close_it() -> None:
    """A larger limit than was spent, in Python's words; with such a limit the bound is higher."""
    returns, covariance = hm.market(assets=200, seed=3).sample_estimates()
    portfolio = hm.Portfolio(returns, covariance, assets=10, min_weight=0.01, target_return=0.004)
    short = hm.solve(portfolio.problem(), config=hm.Config(tree=hm.TreeSettings(work=0.01)))
    assert (short.status, short.stop_reason) == ("feasible", "converged")
    assert short.suggested_time_limit >= 3 * short.seconds
    advice = f"time_limit={short.suggested_time_limit:g} tightens the bound"
    assert str(short).splitlines()[-1] == advice
    assert advice in checked(short._repr_html_())
    assert advice in checked(portfolio.read(short)._repr_html_())
    assert short.to_dict()["suggested_time_limit"] == short.suggested_time_limit
    written = io.StringIO()
    Console(file=written, width=100).print(summary(short))
    assert f"--time-limit {short.suggested_time_limit:g} tightens the bound" in written.getvalue()
    longer = hm.solve(portfolio.problem(), time_limit=3)
    assert longer.bound > short.bound


def test_nothing_is_said_where_nothing_would_help() -> None:
    """Proven, infeasible, with the gap asked for, ended by the caller, or without anything that bounds."""
    portfolio = hm.market(assets=40, seed=1).portfolio(assets=6, min_weight=0.02, target_return=0.003)
    problem = portfolio.problem()
    assert hm.solve(problem).suggested_time_limit is None
    assert hm.solve(portfolio.with_target(9.0).problem()).suggested_time_limit is None
    within = hm.solve(problem, gap=0.5)
    assert (within.stop_reason, within.suggested_time_limit) == ("gap_reached", None)
    ended = hm.solve(problem, callback=lambda incumbent: True)
    assert (ended.stop_reason, ended.suggested_time_limit) == ("callback", None)
    quick = hm.solve(problem, config=hm.Config.quick())
    assert (quick.status, quick.suggested_time_limit) == ("feasible", None)


def test_the_notebook_runs() -> None:
    """Every cell, in a kernel of its own: HTML where a result is shown, a picture where a figure is, no error."""
    nbformat = pytest.importorskip("nbformat", reason="needs nbformat: pip install nbformat")
    nbclient = pytest.importorskip("nbclient", reason="needs nbclient: pip install nbclient")
    pytest.importorskip("ipykernel", reason="needs ipykernel: pip install ipykernel")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "the notebook is kept without outputs"
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    cells = {cell["id"]: cell.get("outputs", []) for cell in notebook.cells}

    def data(name: str) -> dict[str, Any]:
        return {kind: value for output in cells[name] for kind, value in output.get("data", {}).items()}

    for outputs in cells.values():
        assert not [output for output in outputs if output["output_type"] == "error"]
    for name in ("solve", "read", "certificate", "frontier", "point"):
        checked(data(name)["text/html"])
    assert "RETA02" in data("read")["text/html"]
    for name in ("plot", "axes"):
        assert data(name)["image/png"].startswith("iVBOR")  # a PNG in base 64
    # No magic was needed: pyplot comes only in the last cell.
    assert [cell["id"] for cell in notebook.cells if "pyplot" in cell["source"] or "%" in cell["source"]] == ["axes"]
    rows = "".join(output["text"] for output in cells["frontier"] if output["output_type"] == "stream").splitlines()
    assert "target_return" in rows[0]
    assert sum(row.split()[1] == "search" and len(row.split()) == 7 for row in rows[1:]) == 8
    assert np.isfinite(float(rows[1].split()[3]))
