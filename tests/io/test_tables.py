"""CSV readers: prices, returns, means and covariances, and how they refuse what they cannot read."""

from __future__ import annotations

import gzip
import re

import numpy as np
import pytest

from hybridmip.applications.market import market
from hybridmip.applications.portfolio import Portfolio
from hybridmip.errors import ArgumentError, FileError
from hybridmip.io.tables import (
    read_groups,
    read_mean_and_covariance,
    read_portfolio_data,
    read_prices_or_returns,
)

PRICES = """date,AAA,BBB
2024-01-05,100,50
2024-01-12,110,45
2024-01-19,99,54
2024-01-26,99,27
"""
CHANGES = np.array([[0.1, -0.1], [-0.1, 0.2], [0.0, -0.5]])
RETURNS = """date,AAA,BBB
2024-01-12,0.1,-0.1
2024-01-19,-0.1,0.2
2024-01-26,0.0,-0.4
"""
PORT = " 2\n .001 .02\n .002 .03\n 1 1 1\n 1 2 .5\n 2 2 1\n"


def write(folder, text, name="data.csv"):
    """A file with the text (or bytes)."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_prices_by_hand(tmp_path):
    """Simple returns, their mean and their sample covariance."""
    data = read_prices_or_returns(write(tmp_path, PRICES), "prices")
    assert data.names == ("AAA", "BBB")
    np.testing.assert_allclose(data.returns, CHANGES.mean(axis=0), atol=1e-15)
    np.testing.assert_allclose(data.covariance, np.cov(CHANGES.T), atol=1e-15)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(",", ";"),
        lambda text: text.replace(",", "\t"),
        lambda text: text.replace(",", " , ").replace("\n", "\r\n"),
        lambda text: "\ufeff" + text + "\n\n,,\n",
        lambda text: text.replace("date", "").replace("AAA", '"AAA"'),
        lambda text: "\n".join([text.splitlines()[0], *text.splitlines()[:0:-1]]),
        lambda text: re.sub(r"(\d+)-(\d+)-(\d+),", r"\3/\2/\1,", text),
        lambda text: re.sub(r"(\d+)-(\d+)-(\d+),", r"\2/\3/\1,", text),
        lambda text: re.sub(r"(\d+)-(\d+)-(\d+),", r"\3.\2.\1,", text),
        lambda text: re.sub(r"(\d+)-(\d+)-(\d+),", r"\1\2\3,", text),
        lambda text: re.sub(r"(\d+)-(\d+)-(\d+),", r"\1-\2-\3 16:00:00+01:00,", text),
        lambda text: re.sub(r"(\d+)-(\d+)-(\d+),", r"week \3,", text),
    ],
    ids=[
        "semicolons",
        "tabs",
        "spaces",
        "blank rows",
        "quotes",
        "newest first",
        "day/month/year",
        "month/day/year",
        "day.month.year",
        "digits only",
        "time of day",
        "labels that are no dates",
    ],
)
def test_table_layout_does_not_matter(tmp_path, change):
    """Separators, quotes, blank rows, date formats and the direction of time change nothing."""
    data = read_prices_or_returns(write(tmp_path, change(PRICES)), "prices")
    assert data.names == ("AAA", "BBB")
    np.testing.assert_allclose(data.returns, CHANGES.mean(axis=0), atol=1e-15)


def test_returns_are_taken_as_they_are(tmp_path):
    """A CSV of returns is averaged without differencing."""
    data = read_prices_or_returns(write(tmp_path, RETURNS), "returns")
    np.testing.assert_allclose(data.returns, [0.0, -0.1], atol=1e-15)


def test_one_asset_has_a_one_by_one_covariance(tmp_path):
    """A single column still gives a matrix."""
    data = read_prices_or_returns(write(tmp_path, "d,A\n1,0.1\n2,-0.1\n"), "returns")
    assert data.covariance.shape == (1, 1)
    assert data.covariance[0, 0] == pytest.approx(0.02)


@pytest.mark.parametrize("frequency", ["daily", "weekly", "monthly"])
def test_kind_is_told_from_the_values(tmp_path, frequency):
    """Prices and returns of a made-up market are recognised and agree, and make a Portfolio."""
    made = market(12, periods=80, seed=4, frequency=frequency)
    made.prices().to_csv(tmp_path / "prices.csv.gz")
    made.returns().to_csv(tmp_path / "returns.csv")
    one = read_portfolio_data(tmp_path / "prices.csv.gz")
    two = read_portfolio_data(tmp_path / "returns.csv")
    mean, covariance = made.sample_estimates()
    assert one.names == two.names == made.names
    np.testing.assert_allclose(one.returns, mean, atol=1e-12)
    np.testing.assert_allclose(two.covariance, covariance, atol=1e-12)
    np.testing.assert_allclose(one.covariance, two.covariance, atol=1e-12)
    assert Portfolio(one.returns, one.covariance, names=one.names, assets=3).problem().n == 12


@pytest.mark.parametrize(
    "text",
    [
        "d,A\n1,1.5\n2,-2.5\n3,0.7\n",
        "d,A\n1,0.01\n2,0.03\n3,0.002\n",
        "d,A\n1,0\n2,0\n3,0\n",
        "d,A\n1,5\n",
    ],
    ids=["percent", "positive returns", "zeros", "one row"],
)
def test_kind_that_cannot_be_told_is_asked_for(tmp_path, text):
    """Where values could be either, the reader asks instead of guessing."""
    with pytest.raises(FileError, match="say which with kind='prices' or kind='returns'"):
        read_portfolio_data(write(tmp_path, text))


def test_port_files_are_recognised(tmp_path):
    """One whole number on the first line is a port file, gzipped or not, whatever its name."""
    plain = read_portfolio_data(write(tmp_path, PORT, "x.csv"))
    packed = read_portfolio_data(write(tmp_path, gzip.compress(PORT.encode()), "x.gz"))
    assert plain.names == packed.names == ("asset1", "asset2")
    np.testing.assert_allclose(packed.covariance, [[4e-4, 3e-4], [3e-4, 9e-4]])
    with pytest.raises(FileError, match="truncated"):
        read_portfolio_data(write(tmp_path, "2\n.1 .1\n"))
    with pytest.raises(ArgumentError, match="is an OR-Library port file"):
        read_portfolio_data(tmp_path / "x.gz", kind="prices")


@pytest.mark.parametrize("header", ["", "name,mean\n"])
def test_mean_and_covariance_are_matched_by_name(tmp_path, header):
    """Rows and columns of the covariance may come in any order; the means' order is kept."""
    mean = write(tmp_path, header + "B,0.02\nA,0.01\nC,-0.03\n", "mean.csv")
    table = ",C,A,B\nA,0.1,1,0.2\nB,0.3,0.2,2\nC,3,0.1,0.3\n"
    data = read_portfolio_data(mean, write(tmp_path, table, "covariance.csv"))
    assert data.names == ("B", "A", "C")
    np.testing.assert_array_equal(data.returns, [0.02, 0.01, -0.03])
    np.testing.assert_array_equal(data.covariance, [[2, 0.2, 0.3], [0.2, 1, 0.1], [0.3, 0.1, 3]])


BAD_PAIRS = [
    ("A,1\nB,2\n", ",A,B\nA,1,0\n", "covariance.csv has no row 'B', which is in"),
    ("A,1\nB,2\n", ",A,C\nA,1,0\nB,0,1\n", "covariance.csv has no column 'B', which is in"),
    ("A,1\nB,2\n", ",A,B,C\nA,1,0,0\nB,0,1,0\nC,0,0,1\n", "mean.csv has no mean for 'C', a row of"),
    ("A,1\nB,2\n", ",A,B\nA,1,0.5\nB,0.4,1\n", "is not symmetric: 'A', 'B' is 0.5 but 'B', 'A' is 0.4"),
    ("A,1\nB,2\n", ",A,B\nA,1,\nB,0,1\n", "line 2, column 'B' is empty; fill the gap"),
    ("A,1\nB,2\n", ",A,B\nA,1,0\nA,0,1\n", "has the row 'A' twice"),
    ("A,1\nA,2\n", ",A\nA,1\n", "has the row 'A' twice"),
    ("A,1\nB,two\n", ",A,B\nA,1,0\nB,0,1\n", "line 2: the mean of 'B' is 'two'; it must be a number"),
    ("A,1\nB,\n", ",A,B\nA,1,0\nB,0,1\n", "line 2: the mean of 'B' is empty"),
    ("A,1\nB\n", ",A,B\nA,1,0\nB,0,1\n", "line 2: expected a name and a value, found 1 field"),
    ("A;1\nB;0,5\n", ",A,B\nA,1,0\nB,0,1\n", "line 2: the mean of 'B' is '0,5'; write decimals with a point"),
    ("A,1\nB,1,2\n", ",A,B\nA,1,0\nB,0,1\n", "line 2: expected a name and a value, found 3 fields"),
    ("", ",A\nA,1\n", "is empty"),
    ("A,1\n", "", "is empty"),
]


@pytest.mark.parametrize(("mean", "covariance", "message"), BAD_PAIRS, ids=[m for _, _, m in BAD_PAIRS])
def test_bad_mean_and_covariance_files(tmp_path, mean, covariance, message):
    """What is wrong with either file is named in one line."""
    paths = write(tmp_path, mean, "mean.csv"), write(tmp_path, covariance, "covariance.csv")
    with pytest.raises(FileError, match=re.escape(message)) as caught:
        read_mean_and_covariance(*paths)
    assert "\n" not in str(caught.value)


BAD_TABLES = [
    ("", None, "is empty"),
    ("hello\nworld\n", None, "is neither a port file (its first line is one whole number) nor a CSV table"),
    ("0.1 0.2\n0.3 0.4\n", None, "nor a CSV table"),
    (b"\xff\xfe\x00\x01", None, "is not UTF-8 text"),
    (gzip.compress(PRICES.encode())[:30], None, "is a damaged gzip file"),
    (PRICES.replace("45", "n.a.b"), None, "line 3, column 'BBB' is 'n.a.b'; it must be a finite number"),
    (PRICES.replace("45", "inf"), None, "line 3, column 'BBB' is 'inf'; it must be a finite number"),
    (PRICES.replace(",45", ","), None, "has 1 gap in 1 of 2 columns: 'BBB' 1 (line 3); use missing="),
    (PRICES.replace("45", "NaN"), None, "has 1 gap in 1 of 2 columns: 'BBB' 1 (line 3); use"),
    (PRICES.replace(",45", ""), None, "line 3 has 2 fields but the first row has 3"),
    (PRICES.replace("45", "45,46"), None, "line 3 has 4 fields but the first row has 3"),
    (PRICES.replace("BBB", "AAA"), None, "has the column 'AAA' twice"),
    (PRICES.replace("BBB", ""), None, "line 1: column 3 has no name"),
    (PRICES.replace("45", "0"), "prices", "line 3, column 'BBB': the price is 0; it must be positive"),
    (PRICES.replace("45", "-4"), "prices", "line 3, column 'BBB': the price is -4; it must be positive"),
    (PRICES[: PRICES.index("2024-01-12")], "prices", "has 1 row of prices; a covariance needs at least 3"),
    (PRICES[: PRICES.index("2024-01-19")], "prices", "has 2 rows of prices; a covariance needs at least 3"),
    (
        RETURNS[: RETURNS.index("2024-01-19")],
        "returns",
        "has 1 row of returns; a covariance needs at least 2",
    ),
    ("date,AAA,BBB\n", None, "has names but no row of numbers"),
    ("date,AAA,BBB\n2024-01-05,,\n2024-01-12,,NaN\n", None, "has no number in any column"),
    ("date,AAA\n2024-01-05,,\n", None, "line 2 has 3 fields"),
    (
        "date,name,price\n1,AAA,5\n1,BBB,6\n2,AAA,5\n",
        None,
        "column 'name' is 'AAA'; the column holds text; give a column",
    ),
    (RETURNS.replace("-0.4", "-40%"), None, "line 4, column 'BBB' is '-40%'; write it as a share, -0.4"),
    (PRICES.replace("45", "$45.5"), None, "line 3, column 'BBB' is '$45.5'; write the number alone, 45.5"),
    (PRICES.replace("45", "1e300"), "prices", "the price is 1e+300; more than a million times the one before"),
    (RETURNS.replace("-0.4", "1e9"), "returns", "the return is 1e+09, more than a millionfold"),
    (
        RETURNS.replace("-0.4", "-1.4"),
        "returns",
        "line 4, column 'BBB': the return is -1.4, a loss of more than all",
    ),
    (
        PRICES.replace("01-12", "01-05"),
        None,
        "line 3: '2024-01-05' comes after '2024-01-05'; the first column (date)",
    ),
    (PRICES.replace("01-19", "01-01"), None, "line 4: '2024-01-01' comes after '2024-01-12'"),
    (PRICES.replace("2024-01-12,", ","), None, "line 3 has no date; the first column must hold dates"),
    ("5,7,7\n1,2,3\n2,3,4\n", None, "line 1 holds numbers; the first row must hold the names"),
    (PRICES.replace("AAA", '"AAA'), None, "is not CSV"),
    (PRICES.replace("2024-01-12,110,45", "2024-01-12"), None, "line 3 has 1 field but"),
    (PRICES.replace("110,45", "110,5,45,5"), None, "has 5 fields but the first row has 3; write decimals with a point"),
    (
        PRICES.replace(",", ";").replace("110", "110,5"),
        None,
        "line 3, column 'AAA' is '110,5'; write decimals with a point",
    ),
    ("asset,2024-01-05,2024-01-12\nAAA,100,110\nBBB,50,45\n", None, "looks transposed; put dates in the first column"),
    ("asset,05.01.2024,12.01.2024\nAAA,100,110\nBBB,50,45\n", "prices", "looks transposed"),
    (
        "AAA,BBB\n100.5,50\n110,45\n99,54\n",
        None,
        "the first column (AAA) must hold dates in order, each once; if it is",
    ),
    (",0\nAAA,0.001\nBBB,0.002\n", None, "as a file of means has; give the covariance as well, with covariance=PATH"),
    ("AAA,0.001\nBBB,0.002\nCCC,-0.002\n", None, "as a file of means has"),
    ("d,A\n1,0.01\n2,0.03\n3,0.002\n", None, "kind='returns' (means need covariance=PATH)"),
]


@pytest.mark.parametrize(("text", "kind", "message"), BAD_TABLES, ids=[m for _, _, m in BAD_TABLES])
def test_bad_tables(tmp_path, text, kind, message):
    """Each kind of damage is named in one line with the file, the line and the column."""
    path = write(tmp_path, text)
    with pytest.raises(FileError, match=re.escape(message)) as caught:
        read_portfolio_data(path, kind=kind)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


def test_bad_arguments(tmp_path):
    """An unknown kind, a kind beside a covariance, and paths that are no files are refused."""
    path = write(tmp_path, PRICES)
    with pytest.raises(ArgumentError, match="kind is 'price'"):
        read_prices_or_returns(path, "price")
    with pytest.raises(ArgumentError, match="leave it out with a covariance file"):
        read_portfolio_data(path, path, kind="prices")
    with pytest.raises(FileError, match="does not exist"):
        read_portfolio_data(tmp_path / "none.csv")
    with pytest.raises(FileError, match="is a directory"):
        read_portfolio_data(tmp_path)


@pytest.mark.parametrize("index_name", [None, "asset"])
@pytest.mark.parametrize("name", [None, "mean"])
def test_what_pandas_writes(tmp_path, index_name, name):
    """Series.to_csv and DataFrame.to_csv are read as they come, with whatever heading."""
    returns = market(5, periods=30, seed=2).returns()
    mean, covariance = returns.mean().rename(name).rename_axis(index_name), returns.cov()
    mean.to_csv(tmp_path / "mean.csv")
    covariance.to_csv(tmp_path / "covariance.csv")
    data = read_portfolio_data(tmp_path / "mean.csv", tmp_path / "covariance.csv")
    assert data.names == tuple(mean.index)
    np.testing.assert_allclose(data.returns, mean)


def test_an_asset_is_not_taken_for_a_heading(tmp_path):
    """A first line with a mean of 0 is data if the covariance knows the name, and else an error if it is not 0."""
    table = write(tmp_path, ",A,B\nA,1,0\nB,0,1\n", "covariance.csv")
    assert read_portfolio_data(write(tmp_path, "A,0\nB,1\n"), table).names == ("A", "B")
    with pytest.raises(FileError, match="has no row 'C'"):
        read_portfolio_data(write(tmp_path, "C,1\nA,0\nB,1\n"), table)


@pytest.mark.parametrize(("periods", "singular"), [(5, True), (6, True), (7, False)])
def test_too_few_rows_for_a_covariance(tmp_path, periods, singular):
    """The data carry a warning exactly when the sample covariance of 6 assets cannot have full rank."""
    market(6, periods=periods, seed=1).prices().to_csv(tmp_path / "prices.csv")
    data = read_portfolio_data(tmp_path / "prices.csv", kind="prices")
    assert (np.linalg.matrix_rank(data.covariance) < 6) == singular
    assert len(data.warnings) == singular
    if singular:
        assert f"{periods} returns of 6 assets; the sample covariance is then singular" in data.warnings[0]


def test_a_first_column_that_may_be_an_asset(tmp_path):
    """Numbers with decimals in order are taken for dates, but not without a word, unless they are called so."""
    rows = "{},B,C\n100.5,50,10\n101.25,45,11\n102,54,12\n103,52,11\n"
    (warning,) = read_portfolio_data(write(tmp_path, rows.format("A")), kind="prices").warnings
    assert "the first column (A)" in warning
    assert read_portfolio_data(write(tmp_path, rows.format("Date")), kind="prices").warnings == ()


@pytest.mark.parametrize("header", ["", "asset,sector\n", ",0\n", "name,group\n", "ticker;land\n"])
def test_groups_with_any_heading(tmp_path, header):
    """A first row that names no asset is a heading, whatever it says."""
    text = header + "A,Banks\nB,Energy\nC,Banks\n"
    text = text.replace(",", ";") if ";" in header else text
    assert read_groups(write(tmp_path, text), ["A", "B", "C", "D"]) == {"Banks": ["A", "C"], "Energy": ["B"]}


def test_groups_with_a_misspelt_first_asset(tmp_path):
    """It is no heading if its group has other members: it must be told, not dropped."""
    members = read_groups(write(tmp_path, "Ax,Banks\nB,Energy\nC,Banks\n"), ["A", "B", "C"])
    assert members["Banks"] == ["Ax", "C"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("asset,sector\n", "is empty but for its first line"),
        ("asset,sector\nA,Banks\nB\n", "line 3: 'B' is not an asset and a group"),
        ("A,Banks,big\n", "line 1: 'A,Banks,big' is not an asset and a group"),
        ("A,Banks\nB,\n", "line 2: 'B,' is not"),
    ],
)
def test_bad_groups(tmp_path, text, message):
    """A row that is no pair is named with its line."""
    with pytest.raises(FileError, match=re.escape(message)):
        read_groups(write(tmp_path, text), ["A", "B"])
