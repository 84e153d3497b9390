"""Market: the same from the same seed, plausible in size, and consistent with what it simulates."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pytest

from hybridmip.applications.market import market
from hybridmip.applications.portfolio import Group
from hybridmip.errors import ArgumentError


def test_seed_decides_everything():
    """Equal seeds give equal markets and histories, another seed another one."""
    one, two, other = market(20, seed=3), market(20, seed=3), market(20, seed=4)
    np.testing.assert_array_equal(one.expected_returns, two.expected_returns)
    np.testing.assert_array_equal(one.covariance.root, two.covariance.root)
    assert one.returns().equals(two.returns())
    assert one.returns().equals(one.returns())
    assert one.prices().equals(two.prices())
    assert not np.array_equal(one.expected_returns, other.expected_returns)
    assert not np.array_equal(one.returns().to_numpy(), other.returns().to_numpy())


@pytest.mark.parametrize("assets", [2, 3, 60, 700])
@pytest.mark.parametrize("seed", [0, 1])
def test_scale_is_that_of_weekly_stock_returns(assets, seed):
    """Volatilities lie in 2 to 6 %, expected returns in 0.05 to 0.6 %, correlations are mostly positive."""
    made = market(assets, seed=seed)
    volatility = made.volatilities
    assert volatility.min() >= 0.02 - 1e-12
    assert volatility.max() <= 0.06 + 1e-12
    assert made.expected_returns.min() >= 0.0005
    assert made.expected_returns.max() <= 0.006
    if assets >= 60:
        correlation = made.covariance.toarray() / np.outer(volatility, volatility)
        off_diagonal = correlation[~np.eye(assets, dtype=bool)]
        assert 0.1 < off_diagonal.mean() < 0.6
        assert np.corrcoef(made.loadings[:, 0], made.expected_returns)[0, 1] > 0.2
        assert len(np.unique(made.expected_returns)) == assets


@pytest.mark.parametrize(("frequency", "weeks"), [("daily", 0.2), ("monthly", 52 / 12)])
def test_frequency_scales_means_and_variances(frequency, weeks):
    """Means and variances are proportional to the length of a period."""
    weekly, other = market(15, seed=1), market(15, seed=1, frequency=frequency)
    np.testing.assert_allclose(other.expected_returns, weeks * weekly.expected_returns)
    np.testing.assert_allclose(other.covariance.toarray(), weeks * weekly.covariance.toarray())


def test_names_are_unique_and_sectors_complete():
    """Names are unique, carry their sector's letters, and groups() partitions the assets."""
    made = market(123, sectors=30, seed=2)
    assert len(set(made.names)) == 123
    groups = made.groups()
    assert len(groups) == 30
    assert sorted(name for members in groups.values() for name in members) == sorted(made.names)
    assert made.names[0] == "BANK01"
    assert made.sectors[0] == "Banks"


def test_sector_names_that_share_letters_keep_names_unique():
    """Sectors given by the caller whose first letters agree, or that have none, still give unique names."""
    made = market(40, sectors=["Technology", "Technical", "Tech", "1", "2"], seed=0)
    assert len(set(made.names)) == 40
    assert set(made.sectors) == {"Technology", "Technical", "Tech", "1", "2"}


@pytest.mark.parametrize(
    ("factors", "sectors", "names"),
    [
        (1, 3, ("Market",)),
        (3, 3, ("Market", "Banks", "Energy")),
        (5, 3, ("Market", "Banks", "Energy", "Health", "Style 1")),
        (None, 1, ("Market", "Banks", "Style 1", "Style 2", "Style 3")),
    ],
)
def test_number_of_factors(factors, sectors, names):
    """Factors are the market, then the sectors as far as they last, then styles."""
    made = market(12, factors=factors, sectors=sectors)
    assert made.factor_names == names
    assert made.loadings.shape == (12, len(names))


def test_assets_load_on_their_own_sector_only():
    """The loading on a sector's factor is zero outside the sector and positive inside."""
    made = market(50, sectors=5, seed=1)
    for k, sector in enumerate(made.factor_names[1:6], start=1):
        inside = np.array([s == sector for s in made.sectors])
        assert (made.loadings[inside, k] > 0).all()
        assert (made.loadings[~inside, k] == 0).all()


def test_simulated_returns_follow_the_model():
    """Over a long history means and covariances are the model's, within sampling error."""
    made = market(8, periods=40_000, seed=5)
    mean, covariance = made.sample_estimates()
    error = made.volatilities / np.sqrt(40_000)
    assert (np.abs(mean.to_numpy() - made.expected_returns) < 5 * error).all()
    scale = np.outer(made.volatilities, made.volatilities)
    assert np.abs((covariance.to_numpy() - made.covariance.toarray()) / scale).max() < 0.08
    assert list(covariance.columns) == list(mean.index) == list(made.names)


def test_returns_have_fat_tails():
    """Excess kurtosis is clearly positive on average, as in real markets."""
    assert 0.5 < market(40, periods=2000, seed=1).returns().kurt().mean() < 20


@pytest.mark.parametrize("frequency", ["daily", "weekly", "monthly"])
def test_prices_are_positive_and_their_changes_are_the_returns(frequency):
    """prices() has one row more than returns(), the same dates, and exactly its changes."""
    made = market(30, periods=100, seed=7, frequency=frequency)
    prices, returns = made.prices(), made.returns()
    assert prices.shape == (101, 30)
    assert (prices > 0).all().all()
    assert prices.index.is_monotonic_increasing
    assert prices.index.is_unique
    np.testing.assert_allclose(prices.pct_change().iloc[1:], returns, atol=1e-12)
    assert (prices.index[1:] == returns.index).all()


def test_portfolio_takes_names_and_options():
    """portfolio() passes options on, and the sectors can serve as groups."""
    made = market(20, sectors=4, seed=0)
    groups = {sector: Group(members, max_assets=1) for sector, members in made.groups().items()}
    problem = made.portfolio(assets=3, min_weight=0.1, groups=groups).problem()
    assert problem.x_names == made.names
    assert problem.B.shape == (5, 20)
    assert (problem.B.toarray()[1:].sum(axis=0) == 1).all()
    with pytest.raises(TypeError, match="asets"):
        made.portfolio(asets=3)


def test_twenty_thousand_assets_without_a_square_matrix():
    """The largest size takes little time and memory far below that of an n x n matrix (3.2 GB)."""
    tracemalloc.start()
    began = time.perf_counter()
    made = market(20_000, seed=0)
    made.portfolio(assets=10, min_weight=0.01, target_return=0.003).problem()
    seconds = time.perf_counter() - began
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert seconds < 10
    assert peak < 100e6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"assets": 1}, "assets is 1; it must be a whole number, at least 2"),
        ({"assets": 2.5}, "assets is 2.5"),
        ({"periods": 1}, "periods is 1"),
        ({"factors": 0}, "factors is 0"),
        ({"sectors": 0}, "sectors is 0"),
        ({"sectors": "Banks"}, "sectors is 'Banks'"),
        ({"sectors": ["A", "A"]}, "none twice"),
        ({"sectors": 61}, "61 sectors for 60 assets"),
        ({"seed": -1}, "seed is -1"),
        ({"frequency": "hourly"}, "frequency is 'hourly'"),
    ],
)
def test_bad_options_are_refused(options, message):
    """Every option out of its range is named."""
    with pytest.raises(ArgumentError, match=message):
        market(**options)
