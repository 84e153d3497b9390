"""Many accounts: tables of them, what is wrong with one, the same numbers for any workers, killed and resumed."""

from __future__ import annotations

import csv
import itertools
import math
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import hybridmip as hm
from hybridmip.errors import ArgumentError, FileError
from hybridmip.io.accounts import Account, accounts_of
from hybridmip.report.accounts import BARS, _Histogram
from hybridmip.sweep import accounts as module
from hybridmip.sweep.accounts import portfolio_of

HEADER = "account,asset,weight,exclude,max_turnover"


def market(assets: int = 15, **rules: Any) -> hm.Portfolio:
    returns, covariance = hm.market(assets=assets, seed=3).sample_estimates()
    given = {"trade_cost": 0.001, "fixed_trade_cost": 1e-4, "objective": "utility", "risk_aversion": 4.0, **rules}
    return hm.Portfolio(returns, covariance, assets=(None, 6), max_weight=0.5, **given)


def some_accounts(number: int, names: tuple[str, ...]) -> list[Account]:
    rng = np.random.default_rng(1)
    found = []
    for a in range(number):
        held = rng.choice(len(names), 4, replace=False)
        weights = np.round(rng.dirichlet(np.full(4, 8.0)), 3)
        holdings = {names[j]: min(float(w), 0.5) for j, w in zip(held, weights, strict=True)}
        rules: dict[str, Any] = (
            {"exclude": [names[held[0]]]} if a % 3 == 0 else {"max_turnover": 0.4} if a % 3 == 1 else {}
        )
        found.append(Account(f"A{a}", holdings, rules))
    return found


def as_csv(accounts: list[Account]) -> str:
    lines = [HEADER]
    for account in accounts:
        for at, (asset, weight) in enumerate(account.holdings.items()):
            exclude = ";".join(account.rules.get("exclude", [])) if at == 0 else ""
            turnover = account.rules.get("max_turnover", "") if at == 0 else ""
            lines.append(f"{account.name},{asset},{weight!r},{exclude},{turnover}")
    return "\n".join(lines) + "\n"


def numbers(found: hm.Rebalanced) -> list[dict[str, Any]]:
    return [{key: value for key, value in record.items() if key != "seconds"} for record in found.records()]


def test_each_account_is_the_portfolio_it_says() -> None:
    """Value, bound, trades and costs are those of the account's own portfolio, solved to the end."""
    asked = market()
    accounts = some_accounts(9, asked.names)
    found = hm.rebalance(accounts, asked)
    assert len(found) == 9
    assert found.counts["within gap"] + found.counts["open"] == 9
    for account, record in zip(accounts, found.records(), strict=True):
        portfolio = portfolio_of(account, asked)
        best = hm.solve(portfolio, time_limit=20)
        assert best.status == "optimal"
        size = 1e-6 * max(abs(best.objective), 1e-3)
        assert record["bound"] <= best.objective + size
        assert record["objective"] >= best.objective - size
        weights = np.array([account.holdings.get(name, 0.0) for name in asked.names])
        held = weights.copy()
        for asset, change, weight in record["changes"]:
            weights[asked.names.index(asset)] += change
            assert weights[asked.names.index(asset)] == pytest.approx(weight, abs=1e-12)
        change = np.abs(weights - held)
        assert record["turnover"] == pytest.approx(change.sum(), abs=1e-12)
        assert record["cost"] == pytest.approx(0.001 * change.sum() + 1e-4 * len(record["changes"]), abs=1e-12)
        assert weights.sum() == pytest.approx(1.0, abs=1e-7)
        for name in account.rules.get("exclude", []):
            assert weights[asked.names.index(name)] == pytest.approx(0.0, abs=1e-12)
    summary = found.summary
    assert list(summary.index) == [account.name for account in accounts]
    assert len(found.trades) == summary["trades"].sum()


def test_what_nobody_may_hold_is_sold_by_all() -> None:
    asked = market()
    names = asked.names
    accounts = [Account("A", {names[0]: 0.5, names[1]: 0.5}), Account("B", {names[0]: 0.4}, {"exclude": [names[2]]})]
    for record in hm.rebalance(accounts, asked.replace(exclude=[names[0]])).records():
        sold = {asset: weight for asset, _, weight in record["changes"]}
        assert sold[names[0]] == 0.0


def test_more_work_closes_more_gaps() -> None:
    asked = market(assets=60)
    accounts = some_accounts(6, asked.names)
    little, much = (hm.rebalance(accounts, asked, work=work) for work in (1e-3, 5.0))
    assert much.counts["within gap"] == 6
    for one, other in zip(little.records(), much.records(), strict=True):
        assert other["bound"] >= one["bound"] - 1e-9
        assert other["objective"] <= one["objective"] + 1e-9


def test_every_layout_gives_the_same_accounts(tmp_path: Path) -> None:
    asked = market()
    accounts = some_accounts(6, asked.names)
    long = tmp_path / "long.csv"
    long.write_text(as_csv(accounts))
    wide = tmp_path / "wide.csv"
    with wide.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["account", *asked.names, "exclude", "max_turnover"])
        for account in accounts:
            cells = [account.holdings.get(name, "") for name in asked.names]
            exclude = ";".join(account.rules.get("exclude", []))
            writer.writerow([account.name, *cells, exclude, account.rules.get("max_turnover", "")])
    frame = pd.read_csv(long)
    sources: list[Any] = [long, str(wide), frame, accounts]
    sources.append([{"account": one.name, "holdings": one.holdings, **one.rules} for one in accounts])
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (pip install 'hybridmip[parquet]')")
    frame.to_parquet(tmp_path / "long.parquet")
    sources.append(tmp_path / "long.parquet")
    read = [
        [(one.name, dict(sorted(one.holdings.items())), one.rules, one.fault) for one in accounts_of(s, asked.names)]
        for s in sources
    ]
    assert all(other == read[0] for other in read[1:])
    assert not any(fault for *_, fault in read[0])


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (["X,{a},0.4,,", "X,{a},0.6,,"], "twice"),
        (["X,,,,"], "no holdings"),
        (["X,{a},0,,"], "no holdings"),
        (["X,NOBODY,1,,"], "whether it was left out for its gaps or its history"),
        (["X,{a},much,,"], "give a number"),
        (["X,{a},0.9,,"], "max_weight"),
        (["X,{a},0.5,NOBODY,"], "exclude"),
        (["X,{a},0.5,,-1"], "max_turnover"),
        (["X,{a},0.5,,many"], "max_turnover is 'many'; give a number such as 0.05, or 5%"),
        (["X,{a},0.2,,0.1"], "turnover"),  # 0.8 cannot be bought with that
        ([",{a},0.5,,"], "no name"),
        (["X,{a},0.5,,", "X,{b},0.5,,", "X,{c},0.4,,"], "0.25 or 25%"),
        (["X,{a},40,,", "X,{b},60,,"], "0.25 or 25%"),
        (["X,{a}"], "2 cells"),
        (["X,{a},0.5,,,,"], "7 cells"),
    ],
)
def test_what_is_wrong_with_an_account_is_its_answer(tmp_path: Path, rows: list[str], reason: str) -> None:
    asked = market()
    path = tmp_path / "accounts.csv"
    lines = [row.format(a=asked.names[0], b=asked.names[1], c=asked.names[2]) for row in rows]
    path.write_text(as_csv(some_accounts(2, asked.names)) + "\n".join(lines) + "\n")
    found = hm.rebalance(path, asked)
    good, other, bad = found.records()
    assert good["status"] in ("within gap", "open")
    assert other["status"] in ("within gap", "open")
    assert bad["status"] in ("bad input", "infeasible")
    assert reason in bad["reason"]
    assert "\n" not in bad["reason"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"), ("account,asset,weight\n", "no accounts"), ("name,asset,weight\nA,B,1\n", "no column 'account'"),
        ("account,asset,weight,colour\nA,B,1,red\n", "colour"),
        ("account,NOBODY\nA,1\n", "NOBODY"),
    ],
)  # fmt: skip
def test_a_table_that_is_none(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "accounts.csv"
    path.write_text(text)
    with pytest.raises(FileError, match=words) as told:
        hm.rebalance(path, market())
    assert "\n" not in str(told.value)


def test_rows_that_are_not_together_are_no_account(tmp_path: Path) -> None:
    """Half an account must not pass for a whole one; the others are served."""
    asked = market()
    text = as_csv(some_accounts(3, asked.names))
    path = tmp_path / "accounts.csv"
    path.write_text(text + f"A0,{asked.names[0]},0.1,,\n")
    for source in (path, pd.read_csv(path)):
        first, *others = hm.rebalance(source, asked).records()
        assert len(others) == 2
        assert first["status"] == "bad input"
        assert "not together" in first["reason"]
        assert all("turnover" in other for other in others)


def test_a_changed_account_is_done_again(tmp_path: Path) -> None:
    asked, store = market(), tmp_path / "run.sqlite"
    accounts = some_accounts(5, asked.names)
    hm.rebalance(accounts, asked, store=store).close()
    accounts[2] = Account(accounts[2].name, {asked.names[0]: 0.5})
    accounts[3] = Account(accounts[3].name, {"NOBODY": 0.5})
    again = hm.rebalance(accounts, asked, store=store, resume=True)
    assert numbers(again) == numbers(hm.rebalance(accounts, asked))
    assert again.counts["bad input"] == 1
    assert len(again) == 5
    again.close()
    fewer = hm.rebalance(accounts[:3], asked, store=store, resume=True)
    assert numbers(fewer) == numbers(hm.rebalance(accounts[:3], asked))
    assert len(fewer) == 3
    fewer.close()
    dearer = market(trade_cost=(0.001, 0.002))  # to sell, which a market without holdings does not show
    with pytest.raises(FileError, match="other rules"):
        hm.rebalance(accounts, dearer, store=store, resume=True)


def test_bad_arguments() -> None:
    asked = market()
    with pytest.raises(FileError, match="cannot read"):
        hm.rebalance("nowhere.csv", asked)
    with pytest.raises(ArgumentError, match="market"):
        hm.rebalance([], hm.Problem(Q=np.ones(2)))
    for changes in (
        {"gap": 0.0},
        {"gap": 2.0},
        {"work": 0},
        {"seed": -1},
        {"jobs": 0},
        {"jobs": 2, "executor": object()},
    ):
        with pytest.raises(ArgumentError):
            hm.rebalance([], asked, **changes)
    with pytest.raises(ArgumentError, match="without 'account'"):
        hm.rebalance([{"holdings": {}}], asked)
    with pytest.raises(ArgumentError, match="accounts is a int"):
        hm.rebalance(3, asked)


def test_costs_above_every_gain_keep_the_holdings_and_none_give_the_fresh_portfolio() -> None:
    dear, free = market(trade_cost=0.9), market(trade_cost=0.0, fixed_trade_cost=0.0)
    accounts = [
        Account(one.name, {key: value / sum(one.holdings.values()) for key, value in one.holdings.items()})
        for one in some_accounts(4, dear.names)
    ]
    for record in hm.rebalance(accounts, dear).records():
        assert record["changes"] == []
        assert record["status"] == "within gap"
    fresh = hm.solve(free, time_limit=20)
    for record in hm.rebalance(accounts, free, gap=1e-6).records():
        assert record["bound"] <= fresh.objective + 1e-9
        assert record["objective"] == pytest.approx(fresh.objective, abs=1e-5)


def test_same_numbers_for_any_workers_and_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = market()
    accounts = some_accounts(40, asked.names)
    accounts[7] = Account("bad", {"NOBODY": 1.0})
    here = hm.rebalance(accounts, asked)
    path = tmp_path / "run.sqlite"
    monkeypatch.setattr(module, "PIECE", 10)
    monkeypatch.setattr(module, "TASK", 3)

    def ends_early() -> Any:
        yield from accounts[:17]
        raise KeyboardInterrupt

    part = hm.rebalance(ends_early(), asked, store=path)
    assert part.interrupted
    assert 10 <= len(part) < 40
    part.close()
    whole = hm.rebalance(accounts, asked, store=path, resume=True, jobs=2)
    assert numbers(whole) == numbers(here)
    assert whole.counts == here.counts
    assert whole.counts["bad input"] == 1
    whole.close()
    with pytest.raises(FileError, match="holds a run"):
        hm.rebalance(accounts, asked, store=path)
    with pytest.raises(FileError, match="gap"):
        hm.rebalance(accounts, asked, store=path, resume=True, gap=0.01)
    with pytest.raises(FileError, match="other rules"):
        hm.rebalance(accounts, market(trade_cost=0.002), store=path, resume=True)


def command(folder: Path, out: Path, *more: str) -> list[str]:
    rules = ["--assets", ":6", "--max-weight", "0.5", "--trade-cost", "0.1%", "--risk-aversion", "4"]
    files = [str(folder / "mean.csv"), str(folder / "accounts.csv"), "--covariance", str(folder / "covariance.csv")]
    return [sys.executable, "-m", "hybridmip", "rebalance", *files, *rules, "--out", str(out), "--quiet", *more]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    returns, covariance = hm.market(assets=15, seed=3).sample_estimates()
    returns.to_csv(tmp_path / "mean.csv")
    pd.DataFrame(covariance, returns.index, returns.index).to_csv(tmp_path / "covariance.csv")
    (tmp_path / "accounts.csv").write_text(as_csv(some_accounts(150, tuple(returns.index))))
    return tmp_path


def test_killed_and_resumed_gives_the_same_tables(files: Path) -> None:
    whole = subprocess.run(command(files, files / "whole"), check=True, capture_output=True, text=True)
    assert "150 accounts" in whole.stdout
    out = files / "killed"
    store = out / "run.sqlite"
    for _ in range(3):
        before = store.stat().st_mtime_ns if store.exists() else 0
        process = subprocess.Popen(command(files, out, *(["--resume"] if before else [])), stdout=subprocess.DEVNULL)
        while process.poll() is None and (not store.exists() or store.stat().st_mtime_ns == before):
            time.sleep(0.002)
        time.sleep(0.05)
        process.kill()
        process.communicate()
    assert not (out / "accounts.csv").exists(), "the run is too short for this test"
    subprocess.run(command(files, out, "--resume"), check=True, capture_output=True)
    for name in ("accounts.csv", "trades.csv"):
        tables = [
            pd.read_csv(folder / name).drop(columns="seconds", errors="ignore") for folder in (files / "whole", out)
        ]
        pd.testing.assert_frame_equal(*tables)
    page = (out / "report.html").read_text()
    assert "150" in page
    assert "<script" not in page


def test_the_command_refuses_in_one_line(files: Path) -> None:
    out = files / "out"
    for more, words in (
        (["--resume"], "--resume"),
        (["--jobs", "2", "--dask", "tcp://127.0.0.1:1"], "one of them"),
        (["--trade-cost", "-1"], "trade-cost"),
        (["--gap", "-1"], "--gap"),
    ):
        done = subprocess.run(command(files, out, *more), capture_output=True, text=True, check=False)
        assert done.returncode == 2, done.stderr
        assert words in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1


def test_a_histogram_counts_everything_it_is_given() -> None:
    rng = np.random.default_rng(0)
    values = [0.0, 1e-12, *np.exp(rng.normal(-5, 3, 500))]
    found = _Histogram()
    for value in values:
        found.add(value)
    assert sum(found.bars) == found.number == len(values)
    assert found.most == max(values) < BARS * found.width
    edges = np.arange(BARS + 1) * found.width
    assert found.bars == list(np.histogram(values, edges)[0])
    assert math.isclose(found.total, sum(values))
    assert "none" in _Histogram().picture("nothing")


def test_accounts_come_one_at_a_time() -> None:
    """No more than a piece is taken from an endless source before it is solved."""
    asked = market(assets=6)
    taken = itertools.count()

    def endless() -> Any:
        while True:
            if next(taken) > 3 * module.PIECE:
                raise KeyboardInterrupt
            yield Account("again", {asked.names[0]: 0.5})

    found = hm.rebalance(endless(), asked)
    assert found.interrupted
    assert len(found) == 3 * module.PIECE
    assert found.counts["bad input"] == 3 * module.PIECE - 1
