"""Files of prices as they come: gaps, weekends, delistings, double listings, dates written in many ways.

A message names what can be done. Here that is taken at its word: each remedy is done, and must give a portfolio.
"""

from __future__ import annotations

import itertools
import json
import re
import sys
import time
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from hybridmip.applications.market import market
from hybridmip.cli import main
from hybridmip.cli.rules import OPTIONS
from hybridmip.errors import ArgumentError, FileError, MissingDependencyError
from hybridmip.io.tables import PortfolioData, read_portfolio_data

ASSETS, DATES = 8, 120


class Answer(NamedTuple):
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
        return Answer(int(str(ending.value.code)), captured.out, captured.err)

    return call


def frame(assets: int = ASSETS, dates: int = DATES, seed: int = 3) -> pd.DataFrame:
    """Prices of S0, S1, ... on days of trading from 2 January 2020 on."""
    prices = market(assets, periods=dates - 1, seed=seed, frequency="daily").prices()
    prices.columns = pd.Index([f"S{i}" for i in range(assets)])
    prices.index = pd.bdate_range("2020-01-02", periods=dates, name="date")
    return prices


def saved(prices: pd.DataFrame, folder: Path, name: str = "prices.csv", **options: object) -> Path:
    path = folder / name
    prices.to_csv(path, **options)  # type: ignore[call-overload]
    return path


def moments(prices: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Mean and sample covariance of the returns of prices without gaps, by pandas."""
    returns = prices.pct_change().iloc[1:]
    return returns.mean().to_numpy(), returns.cov().to_numpy()


def assert_same(data: PortfolioData, prices: pd.DataFrame) -> None:
    mean, covariance = moments(prices)
    assert data.names == tuple(prices.columns)
    np.testing.assert_allclose(data.returns, mean, atol=1e-12)
    np.testing.assert_allclose(data.covariance, covariance, atol=1e-12)


def remedies(message: str) -> list[list[str]]:
    """The command-line options that a message offers, each remedy by itself."""
    offered = re.sub(r"\([^()]*\)", "", message.rpartition("; use ")[2])
    found = [re.findall(r"--\S+|[^-\s]\S*", part) for part in re.split(r",\s| or ", offered)]
    return [[word for word in words if word != "with"] for words in found]


def as_arguments(options: list[str]) -> dict[str, object]:
    """Options of the command line as arguments of read_portfolio_data."""
    pairs = zip(options[::2], options[1::2], strict=True)
    names = {option: name for name, option in OPTIONS.items() if name.isidentifier()}
    return {names[option]: int(value) if value.isdigit() else value for option, value in pairs}


def with_gaps() -> pd.DataFrame:
    """S0 begins late, S1 has a gap in the middle, S2 ends early."""
    prices = frame()
    prices.iloc[:12, 0] = np.nan
    prices.iloc[50:53, 1] = np.nan
    prices.iloc[-20:, 2] = np.nan
    return prices


def test_one_message_counts_all_gaps(run: Run, tmp_path: Path) -> None:
    """Gaps are counted by column, with where they are; every remedy that is named gives a portfolio."""
    path = saved(with_gaps(), tmp_path)
    answer = run("portfolio", path, "--assets", 3)
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert (
        "prices.csv has 35 gaps in 3 of 8 columns: 'S2' 20 (all at the end), 'S0' 12 (all at the start) and 'S1' 3; use"
    ) in answer.err
    offered = remedies(answer.err)
    assert [words[:2] for words in offered] == [
        ["--missing", "drop-assets"], ["--missing", "drop-dates"], ["--missing", "fill"], ["--missing", "fill"]
    ]  # fmt: skip
    for options in offered:
        mended = run("portfolio", path, "--assets", 3, "--json", *options)
        assert mended.code == 0, (options, mended.err)
        document = json.loads(mended.out)
        assert len(document["weights"]) == 3
        assert document["warnings"]
        assert mended.err.count("hybridmip: warning: ") == mended.err.count("\n") == len(document["warnings"])


def test_the_remedy_in_python(tmp_path: Path) -> None:
    """The function names its arguments, as one writes them."""
    with pytest.raises(FileError) as caught:
        read_portfolio_data(saved(with_gaps(), tmp_path))
    for words in (
        "missing='drop-assets' (leaves 5 of 8 assets)",
        "missing='drop-dates' (leaves 85 of 120 dates)",
        "missing='fill' with since='2020-01-20' (leaves 108 of 120 dates)",
        "missing='fill' with min_history=109 (leaves 6 of 8 assets)",
    ):
        assert words in str(caught.value)


def test_what_each_way_means(tmp_path: Path) -> None:
    """Moments are those that pandas gives after dropna and ffill; what was done is told, what is out is listed."""
    prices = with_gaps()
    path = saved(prices, tmp_path)
    data = read_portfolio_data(path, missing="drop-assets")
    assert_same(data, prices.dropna(axis=1))
    assert data.left_out == ("S0", "S1", "S2")
    assert_same(read_portfolio_data(path, missing="drop-dates"), prices.dropna())
    data = read_portfolio_data(path, missing="fill", since="2020-01-20")
    assert_same(data, prices.ffill().loc["2020-01-20":])
    assert any("'S2' (flat for 20 dates)" in warning for warning in data.warnings)
    data = read_portfolio_data(path, missing="fill", min_history=109)
    assert_same(data, prices.ffill().drop(columns=["S0", "S2"]))
    assert data.left_out == ("S0", "S2")
    assert "with fewer than 109 prices left out: 'S2' 100 and 'S0' 108" in data.warnings[0]


def test_a_price_before_the_window_is_carried_into_it(tmp_path: Path) -> None:
    """An asset that has begun before the window, with a gap on its first date, is filled from before."""
    prices = frame()
    prices.iloc[30:33, 4] = np.nan
    data = read_portfolio_data(saved(prices, tmp_path), missing="fill", since=prices.index[30].date())
    assert_same(data, prices.ffill().iloc[30:])


def test_missing_returns_are_filled_with_nothing_gained(tmp_path: Path) -> None:
    """For returns fill is 0; the empty first row that pandas' pct_change leaves is left out with a word."""
    returns = frame().pct_change()
    returns.iloc[40:42, 3] = np.nan
    path = saved(returns, tmp_path, "returns.csv")
    with pytest.raises(FileError, match="has 2 gaps in 1 of 8 columns: 'S3' 2; use"):
        read_portfolio_data(path)
    data = read_portfolio_data(path, missing="fill")
    filled = returns.iloc[1:].fillna(0.0)
    np.testing.assert_allclose(data.covariance, filled.cov().to_numpy(), atol=1e-12)
    assert "1 date without any return left out (2020-01-02)" in data.warnings[0]


def random_gaps(rng: np.random.Generator, assets: int, dates: int) -> pd.DataFrame:
    """Prices with assets that begin late, end early, miss dates, or are not there at all."""
    prices = frame(assets, dates, int(rng.integers(100)))
    for j in range(assets):
        kind = rng.integers(6)
        if kind == 0:
            prices.iloc[: int(rng.integers(1, dates)), j] = np.nan
        elif kind == 1:
            prices.iloc[int(rng.integers(1, dates)) :, j] = np.nan
        elif kind == 2:
            prices.iloc[rng.random(dates) < 0.1, j] = np.nan
        elif kind == 3 and rng.random() < 0.3:
            prices.iloc[:, j] = np.nan
    return prices


@pytest.mark.parametrize("seed", range(60))
def test_every_remedy_works(tmp_path: Path, seed: int) -> None:
    """Whatever the gaps and the window, whichever way was tried: each remedy that a message names reads the file."""
    rng = np.random.default_rng(seed)
    prices = random_gaps(rng, int(rng.integers(2, 8)), int(rng.integers(6, 30)))
    path = saved(prices, tmp_path)
    first = int(rng.integers(len(prices) - 3)) if seed % 2 else 0
    given = {"kind": "prices", "since": prices.index[first].date().isoformat() if first else None}
    inside = prices.iloc[first:].dropna(how="all")
    for way in ("error", "drop-assets", "drop-dates", "fill"):
        try:
            data = read_portfolio_data(path, **given, missing=way)
        except FileError as error:
            message = str(error.spelled(OPTIONS))
        else:
            assert np.isfinite(data.covariance).all()
            continue
        if "; use " not in message:
            assert "dates in common" in message or "a covariance needs at least 3" in message, message
            assert len(inside) < 3 or not inside.notna().all().any()
            assert len(inside.dropna()) < 3
            continue
        for options in remedies(message):
            mended = read_portfolio_data(path, **{**given, **as_arguments(options)})
            assert np.isfinite(mended.covariance).all()


def test_a_remedy_of_two_steps(tmp_path: Path) -> None:
    """Where neither assets nor dates are without gaps, and assets begin late: the longest histories alone."""
    prices = frame(3, 12)
    prices.iloc[:6, 0] = np.nan
    prices.iloc[6:, 1] = np.nan
    prices.iloc[:2, 2] = np.nan
    path = saved(prices, tmp_path)
    with pytest.raises(FileError, match="use missing='fill' with since='2020-01-10'") as caught:
        read_portfolio_data(path, kind="prices")
    assert "drop" not in str(caught.value)
    running = prices.reset_index(drop=True)  # without dates there is no since
    path = saved(running, tmp_path)
    with pytest.raises(FileError) as caught:
        read_portfolio_data(path, kind="prices")
    for options in remedies(str(caught.value.spelled(OPTIONS))):
        assert read_portfolio_data(path, kind="prices", **as_arguments(options)).names == ("S2",)


def test_weekends(tmp_path: Path) -> None:
    """Weekends without prices change nothing; weekends that were filled are told, with how many."""
    prices = frame()
    data = read_portfolio_data(saved(prices.asfreq("D"), tmp_path))
    assert_same(data, prices)
    (warning,) = data.warnings
    assert "48 dates without any price left out (2020-01-04, 2020-01-05 and 46 more)" in warning
    (warning,) = read_portfolio_data(saved(prices.asfreq("D").ffill(), tmp_path)).warnings
    assert "nothing changes on 48 of 167 dates (2020-01-04, 2020-01-05 and 46 more)" in warning


def test_weekends_of_some_assets(run: Run, tmp_path: Path) -> None:
    """A currency that trades on every day beside stocks: gaps of the stocks, and each remedy gives a portfolio."""
    prices = frame().asfreq("D")
    prices["COIN"] = 100 + np.random.default_rng(1).normal(size=len(prices)).cumsum()
    path = saved(prices, tmp_path)
    answer = run("portfolio", path, "--assets", 3)
    assert answer.code == 2
    offered = remedies(answer.err)
    assert ["--missing", "drop-dates"] in offered
    assert ["--missing", "fill"] in offered
    for options in offered:
        assert run("portfolio", path, *options, "--quiet").code == 0


def test_two_listings_of_one_company(run: Run, tmp_path: Path) -> None:
    """Told by name, with the remedy; done so, the warning is gone and only one of them can be held."""
    prices = frame()
    prices["S0.L"] = 0.8 * prices["S0"]
    noise = np.random.default_rng(0).normal(scale=3e-4, size=DATES)
    prices["S1.L"] = prices["S1"] * (1 + noise)
    path = saved(prices, tmp_path)
    answer = run("portfolio", path, "--assets", 3, "--json")
    assert answer.code == 0
    (warning,) = json.loads(answer.out)["warnings"]
    assert warning in answer.err
    assert "'S0.L' as 'S0' (the same returns) and 'S1.L' as 'S1' (correlation 0.9" in warning
    assert warning.endswith("leave the other out with --exclude")
    answer = run("portfolio", path, "--assets", 3, "--json", "--exclude", "S0.L,S1")
    assert json.loads(answer.out)["warnings"] == []
    assert answer.err == ""


def test_a_delisted_and_a_flat_stock(run: Run, tmp_path: Path) -> None:
    """A flat column gives a risk of zero, and is warned of; excluded, the risk is that of the others."""
    prices = frame()
    prices["GONE"] = 12.5
    prices.iloc[60:, 3] = float(prices["S3"].iloc[60])
    path = saved(prices, tmp_path)
    answer = run("portfolio", path, "--assets", ":3", "--json")
    document = json.loads(answer.out)
    assert document["risk"] == pytest.approx(0.0, abs=1e-9)
    flat, stale = document["warnings"]
    assert "'GONE' is flat over all dates" in flat
    assert "'S3' (its last 59 returns)" in stale
    for warning in (flat, stale):
        assert warning.endswith("leave out with --exclude")
    answer = run("portfolio", path, "--assets", ":3", "--json", "--exclude", "GONE,S3")
    document = json.loads(answer.out)
    assert (document["warnings"], answer.err) == ([], "")
    assert document["risk"] > 1e-3


def test_a_delisted_stock_that_is_filled_is_told(run: Run, tmp_path: Path) -> None:
    """--missing fill to the end: a warning by name, whose remedies lead to a file without that stock, or without its
    flat end."""
    prices = frame()
    prices.iloc[-40:, 5] = np.nan
    path = saved(prices, tmp_path)
    told = run("portfolio", path).err  # the gap alone: at once with what leaves out the stock
    assert "--missing fill with --min-history 81 (leaves 7 of 8 assets)" in told
    assert "--missing fill (keeps what was delisted, flat to the end)" in told
    answer = run("portfolio", path, "--missing", "fill")
    assert answer.code == 0
    assert "looks as safe as cash: 'S5' (flat for 40 dates)" in answer.err
    found = re.search(r"(--min-history \d+).*(--until \S+)", answer.err)
    assert found is not None
    for option in found.groups():
        mended = run("portfolio", path, "--missing", "fill", *option.split())
        assert mended.code == 0
        assert "as safe as cash" not in mended.err
    assert "as safe as cash" not in run("portfolio", path, "--missing", "fill", "--exclude", "S5").err
    prices.iloc[-10:, :] = np.nan
    prices.iloc[-10:, 0] = 1.0 + np.arange(10)
    path = saved(prices.drop(columns="S5").iloc[:, :2].rename(columns={"S1": "OLD", "S0": "LATE"}), tmp_path)
    (warning,) = [one for one in read_portfolio_data(path, missing="fill").warnings if "as safe as cash" in one]
    assert "; leave out what was delisted with min_history=111 (leaves 1 of 2 assets) or end with until=" in warning


def test_at_most_a_handful_of_names(tmp_path: Path) -> None:
    """Of many flat columns five are named, and the number of the others."""
    prices = pd.concat([frame(), pd.DataFrame(1.0, frame().index, [f"F{i}" for i in range(30)])], axis=1)
    (warning,) = read_portfolio_data(saved(prices, tmp_path), kind="prices").warnings
    assert "'F0', 'F1', 'F2', 'F3', 'F4' and 25 more are flat" in warning


FORMATS = ["%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y%m%d", "%d-%b-%Y", "%b %d, %Y", "%m/%d/%y", "%Y-%m-%d %H:%M:%S"]


@pytest.mark.parametrize("form", FORMATS)
def test_other_ways_to_write_dates(tmp_path: Path, form: str) -> None:
    """However the dates are written, a window takes the same rows, in either order of time."""
    prices = frame()
    wanted = prices.loc["2020-02-03":"2020-04"]
    for order in (1, -1):
        path = saved(prices[::order], tmp_path, date_format=form, sep=";")
        data = read_portfolio_data(path, since="2020-02-03", until="2020-04")
        assert_same(data, wanted)
        assert data.warnings == ()


def test_windows(tmp_path: Path) -> None:
    """Days, months and years; strings and dates; both ends count."""
    prices = frame(4, 400)
    path = saved(prices, tmp_path)
    for since, until, wanted in (
        ("2020-03-02", None, prices.loc["2020-03-02":]),
        ("2020-03", "2020-03", prices.loc["2020-03"]),
        ("2021", None, prices.loc["2021":]),
        (None, "2020", prices.loc[:"2020"]),
        (date(2020, 3, 2), datetime(2020, 4, 30), prices.loc["2020-03-02":"2020-04-30"]),
        (pd.Timestamp("2020-12-01"), "31.12.2020", prices.loc["2020-12"]),
        ("20200615", "2020/12", prices.loc["2020-06-15":"2020-12"]),
    ):
        assert_same(read_portfolio_data(path, since=since, until=until), wanted)


def test_dates_that_can_be_read_in_two_ways(run: Run, tmp_path: Path) -> None:
    """The first of every month: the even steps tell, and that is said; where nothing tells it is asked for."""
    prices = frame(3, 24)
    prices.index = pd.date_range("2020-01-01", periods=24, freq="MS", name="date")
    for form, word in (("%d/%m/%Y", "day/month/year"), ("%m/%d/%Y", "month/day/year")):
        path = saved(prices, tmp_path, date_format=form)
        assert read_portfolio_data(path).warnings == ()  # nothing depends on it
        data = read_portfolio_data(path, since="2020-05")
        assert_same(data, prices.loc["2020-05":])
        (warning,) = data.warnings
        assert f"the dates were read as {word}" in warning
    prices = prices.iloc[:4]
    prices.index = pd.Index(["01/02/2020", "02/03/2020", "03/04/2020", "04/05/2020"], name="date")
    path = saved(prices, tmp_path)
    read_portfolio_data(path, kind="prices")
    answer = run("portfolio", path, "--kind", "prices", "--since", "2020-02-01")
    assert (answer.code, answer.err.count("\n")) == (2, 1)
    assert "can be read as day/month/year or month/day/year ('01/02/2020'); for --since write them like" in answer.err
    prices.index = pd.Index(["01/04/2020", "02/03/2020", "03/02/2020", "04/01/2020"], name="date")
    with pytest.raises(FileError, match="with the newest first or last; write them like 2024-12-31"):
        read_portfolio_data(saved(prices, tmp_path), kind="prices")


def swapped(prices: pd.DataFrame) -> pd.DataFrame:
    return prices.iloc[[0, 2, 1, *range(3, DATES)]]


def twice(prices: pd.DataFrame) -> pd.DataFrame:
    return prices.iloc[[0, 1, 1, *range(2, DATES)]]


def odd(prices: pd.DataFrame) -> pd.DataFrame:
    prices.index = pd.Index([*map(str, pd.DatetimeIndex(prices.index).date[:-1]), "Total"], name="date")
    return prices


def same(prices: pd.DataFrame) -> pd.DataFrame:
    return prices


BAD = {
    "out of order": (swapped, "", ["line 4: '2020-01-03' comes after '2020-01-06'", "sort the rows by date"]),
    "a date twice": (twice, "", ["line 4: '2020-01-03' comes after '2020-01-03'", "keep one row of each date"]),
    "one that is no date": (odd, "", ["line 121: 'Total' is no date like '2020-01-02'"]),
    "since is no date": (same, "--since someday", ["--since is 'someday'; give a date such as"]),
    "since in two ways": (same, "--since 01/02/2020", ["can be 2020-01-02 or 2020-02-01"]),
    "since after the end": (same, "--since 2030-01-01", ["--since is 2030-01-01", "ends on 2020-06-17"]),
    "until before the start": (same, "--until 2010", ["--until is 2010", "begins on 2020-01-02"]),
    "ends crossed": (same, "--since 2020-05 --until 2020-03", ["--since is 2020-05, after --until 2020-03"]),
    "a short window": (same, "--since 2020-06-16", ["has 2 rows of prices in the window", "widen --since"]),
    "no date in the window": (same, "--since 2020-01-04 --until 2020-01-05", ["no date between"]),
    "longer than the data": (same, "--min-history 121", ["--min-history is 121 but", "has 120 dates"]),
    "no shrinkage": (same, "--shrink wolf", ["--shrink", "'wolf'", "'ledoit-wolf', 'oas', 'none'"]),
    "no way to mend": (same, "--missing drop", ["--missing", "'drop'", "'drop-assets'"]),
    "no periods": (same, "--periods-per-year 0", ["--periods-per-year is 0"]),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_clear_line(run: Run, tmp_path: Path, case: str) -> None:
    """Exit code 2, nothing on standard output, one line on standard error."""
    change, options, words = BAD[case]
    path = saved(change(frame()), tmp_path)
    for command in ("portfolio", "frontier"):
        answer = run(command, path, *options.split())
        assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1), answer
        assert answer.err.startswith("hybridmip: error: ")
        for word in words:
            assert word in answer.err


def test_bad_arguments(tmp_path: Path) -> None:
    """The same in Python, where the arguments are called otherwise."""
    path = saved(with_gaps(), tmp_path)
    for given, words in (
        ({"shrink": "wolf"}, "shrink is 'wolf'; choose from ledoit-wolf, oas, none"),
        ({"missing": "drop"}, "missing is 'drop'; choose from error, drop-assets, drop-dates, fill"),
        ({"min_history": 2.5}, "min_history is 2.5"),
        ({"since": 2020}, "since is 2020; give a date such as"),
        ({"since": ""}, "since is ''"),
        ({"periods_per_year": True}, "periods_per_year is True"),
    ):
        with pytest.raises(ArgumentError, match=re.escape(words)):
            read_portfolio_data(path, **given)
    port = tmp_path / "port.txt"
    port.write_text(" 2\n .001 .02\n .002 .03\n 1 1 1\n 1 2 .5\n 2 2 1\n")
    assert read_portfolio_data(port, periods_per_year=52).periods_per_year == 52
    for given in ({"missing": "fill"}, {"since": "2020"}, {"min_history": 3}, {"shrink": "oas"}):
        with pytest.raises(ArgumentError, match=f"{next(iter(given))} is for a CSV of prices or returns"):
            read_portfolio_data(port, **given)


def test_since_without_dates(tmp_path: Path) -> None:
    """Running numbers are no dates; that is said, and what to do."""
    path = saved(frame().reset_index(drop=True), tmp_path)
    with pytest.raises(FileError, match=r"the first column holds no dates that can be read \('0'\); leave out since"):
        read_portfolio_data(path, since="2020")


@pytest.mark.parametrize("name", ["ledoit-wolf", "oas"])
def test_shrinkage_is_that_of_scikit_learn(tmp_path: Path, name: str) -> None:
    """The covariance is the estimator's, to the last digit but few; 'none' is the sample covariance."""
    covariance = pytest.importorskip("sklearn.covariance")
    prices = frame()
    path = saved(prices, tmp_path)
    returns = prices.pct_change().iloc[1:].to_numpy()
    estimator = covariance.LedoitWolf() if name == "ledoit-wolf" else covariance.OAS()
    data = read_portfolio_data(path, shrink=name)
    np.testing.assert_allclose(data.covariance, estimator.fit(returns).covariance_, rtol=1e-9)
    assert_same(read_portfolio_data(path, shrink="none"), prices)


def test_fewer_dates_than_assets(run: Run, tmp_path: Path) -> None:
    """The remedy of the warning makes the covariance one of full rank, and the warning goes."""
    pytest.importorskip("sklearn")
    path = saved(frame(20, 12), tmp_path)
    answer = run("portfolio", path, "--kind", "prices", "--assets", 5)
    assert answer.code == 0
    (options,) = re.findall(r"use (--shrink \S+),", answer.err)
    answer = run("portfolio", path, "--kind", "prices", "--assets", 5, *options.split())
    assert (answer.code, answer.err) == (0, "")
    data = read_portfolio_data(path, kind="prices", shrink=options.split()[1])
    assert np.linalg.eigvalsh(data.covariance).min() > 1e-8


def test_scikit_learn_is_not_there(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it the message has the command that installs it; nothing else needs it."""
    monkeypatch.setitem(sys.modules, "sklearn.covariance", None)
    path = saved(frame(), tmp_path)
    with pytest.raises(MissingDependencyError, match=r"shrink needs scikit-learn: pip install 'hybridmip\[sklearn\]'"):
        read_portfolio_data(path, shrink="oas")
    answer = run("portfolio", path, "--shrink", "oas")
    assert (answer.code, answer.err.count("\n")) == (2, 1)
    assert "--shrink needs scikit-learn: pip install" in answer.err
    assert run("portfolio", path).code == 0


def test_results_per_year(run: Run, tmp_path: Path) -> None:
    """Means times the periods, deviations times their root; the solve and its numbers stay per period."""
    path = saved(frame(), tmp_path)
    plain = json.loads(run("portfolio", path, "--assets", 3, "--json").out)
    yearly = json.loads(run("portfolio", path, "--assets", 3, "--json", "--periods-per-year", 252).out)
    assert yearly["objective"] == plain["objective"]
    assert yearly["risk"] == plain["risk"]
    assert "per_year" not in plain
    assert yearly["per_year"] == {
        "periods": 252.0,
        "expected_return": pytest.approx(252 * plain["expected_return"]),
        "risk": pytest.approx(np.sqrt(252) * plain["risk"]),
    }
    shown = run("portfolio", path, "--assets", 3, "--periods-per-year", 252).out
    assert f"{100 * np.sqrt(252) * plain['risk']:.2f} % per year" in shown
    options = ("--objective", "sharpe", "--assets", 3, "--periods-per-year", 252, "--quiet", "--json")
    document = json.loads(run("portfolio", path, *options).out)
    assert document["per_year"]["sharpe_ratio"] == pytest.approx(np.sqrt(252) * document["sharpe_ratio"])


def test_frontier_and_rebalance_read_the_same(run: Run, tmp_path: Path) -> None:
    """Both refuse gaps and take the options; standard output is one document, warnings are on standard error."""
    path = saved(with_gaps(), tmp_path)
    accounts = tmp_path / "accounts.csv"
    accounts.write_text("account,asset,weight\nA,S4,0.5\nA,S5,0.5\n")
    lines = {
        "frontier": ("frontier", path, "--points", 2, "--assets", 3, "--no-pictures", "--out", tmp_path / "curve"),
        "rebalance": ("rebalance", path, accounts, "--assets", ":3", "--out", tmp_path / "tonight"),
    }
    for line in lines.values():
        answer = run(*line)
        assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
        assert "35 gaps" in answer.err
        options = ("--missing", "fill", "--since", "2020-01-20", "--shrink", "none", "--min-history", 50)
        answer = run(*line, "--json", *options)
        assert answer.code == 0
        warnings = json.loads(answer.out)["warnings"]
        assert any("'S2' (flat for 20 dates)" in warning for warning in warnings)
        for warning in warnings:
            assert f"hybridmip: warning: {warning}\n" in answer.err
    line = tuple(str(word).replace("curve", "years") for word in lines["frontier"])
    shown = run(*line, "--missing", "drop-dates", "--periods-per-year", 252, "--exclude", "S3", "--quiet")
    assert shown.code == 0
    assert "risk per year" in shown.out
    rows = [row.split() for row in shown.out.splitlines() if row.endswith("proven optimal")]
    assert rows
    assert all(re.fullmatch(r"-?\d+\.\d\d", cell) for row in rows for cell in (row[4], row[6])), rows
    counts = tuple(":3" if word == "3" else str(word).replace("years", "fewer") for word in line)
    shown = run(*counts, "--missing", "drop-dates", "--quiet")
    assert "at most 3 of 8 assets" in shown.out


def test_holdings_of_an_asset_that_is_left_out(run: Run, tmp_path: Path) -> None:
    """It cannot be left out silently: the message names the remedy, which works; to exclude it is no error."""
    path = saved(with_gaps(), tmp_path)
    held = tmp_path / "held.csv"
    held.write_text("S1,0.4\nS4,0.6\n")
    options = ("--objective", "utility", "--current", held)
    answer = run("portfolio", path, *options, "--missing", "drop-assets")
    assert answer.code == 2
    assert "--current names 'S1', which was left out for its gaps" in answer.err
    assert "keep it with --missing fill" in answer.err
    answer = run("portfolio", path, *options, "--missing", "fill", "--min-history", 118)
    assert "--current names 'S1', which was left out" in answer.err
    assert "keep it with less than 118 for --min-history and --missing fill" in answer.err
    assert run("portfolio", path, *options, "--missing", "fill", "--since", "2020-01-20").code == 0
    assert run("portfolio", path, "--exclude", "S1,S4", "--missing", "drop-assets").code == 0
    group = ("--group", "G=S1,S4,S5:max_weight=0.3")
    answer = run("portfolio", path, *group, "--missing", "drop-assets", "--json")
    weights = json.loads(answer.out)["weights"]
    assert weights.get("S4", 0.0) + weights.get("S5", 0.0) <= 0.3 + 1e-8


def test_groups_of_assets_that_are_not_there(run: Run, tmp_path: Path) -> None:
    """A groups file of a larger universe: one warning that names a few; the limits hold for those that are there."""
    path = saved(frame(), tmp_path)
    groups = tmp_path / "groups.csv"
    rows = [f"S{i},{'odd' if i % 2 else 'even'}" for i in range(ASSETS)]
    groups.write_text("\n".join(["asset,group", *rows, *(f"X{i},far" for i in range(9))]) + "\n")
    answer = run("portfolio", path, "--groups", groups, "--max-group-weight", 0.5, "--json")
    assert answer.code == 0
    document = json.loads(answer.out)
    (warning,) = document["warnings"]
    assert warning in answer.err
    assert "9 assets that" in warning
    assert "left out of the groups: 'X0', 'X1', 'X2', 'X3', 'X4' and 4 more" in warning
    for rest in (0, 1):
        assert sum(w for name, w in document["weights"].items() if int(name[1:]) % 2 == rest) <= 0.5 + 1e-8
    groups.write_text("asset,group\nX0,far\nX1,far\nX2,near\n")
    answer = run("portfolio", path, "--groups", groups, "--max-group-weight", 0.5)
    assert (answer.code, answer.err.count("\n")) == (2, 1)
    assert "names none of the assets of" in answer.err


def test_a_thousand_columns(tmp_path: Path) -> None:
    """1000 assets over 500 dates with gaps of every kind are read in seconds, and so is the message."""
    rng = np.random.default_rng(0)
    prices = pd.DataFrame(
        100 * np.exp(np.cumsum(rng.normal(scale=0.01, size=(500, 1000)), axis=0)),
        pd.bdate_range("2020-01-02", periods=500, name="date"),
        [f"A{j}" for j in range(1000)],
    )
    prices = prices.mask(rng.random(prices.shape) < 0.001)
    for j in range(0, 1000, 50):
        prices.iloc[: int(rng.integers(1, 100)), j] = np.nan
    path = saved(prices, tmp_path)
    began = time.process_time()
    with pytest.raises(FileError, match=r"gaps in \d+ of 1000 columns: .* and \d+ more; use") as caught:
        read_portfolio_data(path)
    assert len(str(caught.value)) < 700
    used = time.process_time() - began
    for options in remedies(str(caught.value.spelled(OPTIONS))):
        began = time.process_time()
        data = read_portfolio_data(path, **as_arguments(options))
        used = max(used, time.process_time() - began)
        assert all(len(warning) < 700 for warning in data.warnings)
    assert used < 10


def test_signs_for_no_value(tmp_path: Path) -> None:
    """What vendors write where there is no value is a gap; other text is still an error with its place."""
    prices = frame()
    for sign in ("", "NA", "#N/A", "n/a", "null", "-", ".", "#N/A N/A", "NaN"):
        text = prices.to_csv().splitlines()
        cells = text[5].split(",")
        text[5] = ",".join([*cells[:3], sign, *cells[4:]])
        path = tmp_path / "prices.csv"
        path.write_text("\n".join(text))
        with pytest.raises(FileError, match=r"has 1 gap in 1 of 8 columns: 'S2' 1 \(line 6\); use"):
            read_portfolio_data(path)
    path.write_text("\n".join(text).replace("NaN", "closed"))
    with pytest.raises(FileError, match="line 6, column 'S2' is 'closed'; it must be a finite number"):
        read_portfolio_data(path)


def test_prices_of_zero(tmp_path: Path) -> None:
    """A price of 0 stands for none with some vendors: the message says to leave the cell empty, and that works."""
    prices = frame()
    prices.iloc[4, 2] = 0.0
    with pytest.raises(FileError, match=r"line 6, column 'S2': the price is 0; .*leave the cell empty"):
        read_portfolio_data(saved(prices, tmp_path), kind="prices")
    prices.iloc[4, 2] = np.nan
    assert_same(read_portfolio_data(saved(prices, tmp_path), missing="fill"), prices.ffill())


def test_order_of_columns_does_not_matter(tmp_path: Path) -> None:
    """Moments by name are the same however columns and rows are turned, with every way to mend."""
    prices = with_gaps()
    turned = prices.iloc[::-1, ::-1]
    for way, since in itertools.product(("drop-assets", "drop-dates", "fill"), (None, "2020-01-20")):
        if way == "fill" and since is None:
            continue
        one = read_portfolio_data(saved(prices, tmp_path), missing=way, since=since)
        two = read_portfolio_data(saved(turned, tmp_path), missing=way, since=since)
        assert two.names == one.names[::-1]
        np.testing.assert_allclose(two.covariance[::-1, ::-1], one.covariance, atol=1e-15)


def test_excluded_assets_have_no_gaps_and_may_be_given_one_by_one(run: Run, tmp_path: Path) -> None:
    """Gaps of assets that are left out do not count; --exclude twice excludes both; a name that is none is told."""
    rng = np.random.default_rng(3)
    prices = 100 * np.exp(np.cumsum(0.01 * rng.normal(size=(60, 6)), axis=0))
    frame = pd.DataFrame(prices, columns=list("ABCDEF"), index=pd.bdate_range("2024-01-01", periods=60))
    frame.loc[frame.index[:10], "B"] = np.nan
    frame.loc[frame.index[-5:], "D"] = np.nan
    path = tmp_path / "prices.csv"
    frame.to_csv(path)
    with pytest.raises(FileError, match="15 gaps in 2 of 6 columns"):
        read_portfolio_data(path)
    data = read_portfolio_data(path, exclude=["B", "D"])
    assert data.names == ("A", "C", "E", "F")
    assert data.left_out == ("B", "D")
    with pytest.raises(ArgumentError, match="exclude names 'Q', which is no asset"):
        read_portfolio_data(path, exclude=["Q"])
    with pytest.raises(ArgumentError, match="exclude is the text 'B'"):
        read_portfolio_data(path, exclude="B")
    answer = run("portfolio", path, "--assets", "2", "--exclude", "B", "--exclude", "D,A", "--json")
    assert answer.code == 0, answer.err
    assert not {"A", "B", "D"} & set(json.loads(answer.out)["weights"])


def test_prices_called_returns_are_doubted(tmp_path: Path) -> None:
    """Returns that are above 100 % in most places: one warning with what to say."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(90 + 20 * rng.random((40, 3)), columns=list("ABC"))
    path = tmp_path / "prices.csv"
    frame.to_csv(path)
    (warning,) = [text for text in read_portfolio_data(path, kind="returns").warnings if "half of" in text]
    assert "if these are prices, say kind='prices'" in warning


@pytest.mark.parametrize("kind", ["prices", "returns", None])
def test_a_frame_is_as_good_as_its_file(kind: str | None, tmp_path: Path) -> None:
    """The same numbers to the last bit, the same names; newest first, and running numbers for dates, too."""
    table = frame() if kind != "returns" else frame().pct_change().iloc[1:]
    path = saved(table, tmp_path)
    for given in (table, table.iloc[::-1], table.reset_index(drop=True)):
        here, there = read_portfolio_data(given, kind=kind), read_portfolio_data(path, kind=kind)
        assert here.names == there.names
        assert (here.returns == there.returns).all()
        assert (here.covariance == there.covariance).all()


def test_gaps_of_a_frame(tmp_path: Path) -> None:
    """They are counted, and mended, as in a file."""
    table = with_gaps()
    path = saved(table, tmp_path)
    with pytest.raises(FileError) as here:
        read_portfolio_data(table)
    with pytest.raises(FileError) as there:
        read_portfolio_data(path)
    assert str(here.value) == str(there.value).replace(str(path), "the DataFrame (as CSV)")
    mended = [read_portfolio_data(given, missing="drop-assets", since="2020-01-20") for given in (table, path)]
    assert mended[0].names == mended[1].names
    assert mended[0].left_out == mended[1].left_out
    assert (mended[0].covariance == mended[1].covariance).all()


def test_frames_that_are_none() -> None:
    """Each is refused in one line that says what to give."""
    table = frame()
    levels = pd.concat({"Close": table, "Open": table}, axis=1)
    for given, options, words in (
        (table.to_numpy(), {}, "path is a ndarray; give the path of a file, or a DataFrame"),
        (table["S1"], {}, "path is a Series; give the path of a file, or a DataFrame"),
        (levels, {}, "columns have 2 levels; choose one, such as frame"),
        (levels.stack(0, future_stack=True), {}, "index has 2 levels; give dates by assets"),
        (table.iloc[:0], {}, "0 rows"),
        (table, {"covariance": "covariance.csv"}, "covariance is for files"),
    ):
        with pytest.raises(ArgumentError, match=words):
            read_portfolio_data(given, **options)
    with pytest.raises(FileError, match=r"the DataFrame \(as CSV\) line 3, column 'S1': the price is -1; it must be"):
        read_portfolio_data(table.assign(S1=[50.0, -1.0, *table["S1"][2:]]), kind="prices")
