"""The demo's sweep: every point an answer of its own, and what is written is what was found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hybridmip.applications.market import market
from hybridmip.applications.portfolio import Portfolio
from hybridmip.errors import FileError
from hybridmip.report import demo
from hybridmip.report.demo import FrontierPoint, save_frontier, save_table, sweep, unconstrained_frontier


@pytest.fixture(scope="module")
def portfolio() -> Portfolio:
    return market(assets=12, seed=3).portfolio(assets=3, min_weight=0.05)


@pytest.fixture(scope="module")
def points(portfolio: Portfolio) -> tuple[FrontierPoint, ...]:
    low, high = portfolio.efficient_range()
    return sweep(portfolio, np.linspace(low, high, 5))


def test_points_meet_their_targets(portfolio: Portfolio, points: tuple[FrontierPoint, ...]) -> None:
    """Every answer has its own target return, three assets, and a variance within what its bound proves."""
    solved = [point for point in points if point.portfolio is not None]
    assert len(solved) >= 3
    for point in solved:
        assert point.portfolio is not None
        assert point.portfolio.expected_return == pytest.approx(point.target, abs=1e-9)
        assert len(point.portfolio.weights) == 3
        assert point.result.bound <= point.result.objective * (1 + 1e-9)


def test_limits_cost_something(portfolio: Portfolio, points: tuple[FrontierPoint, ...]) -> None:
    """No constrained point lies below the unconstrained frontier, which itself rises with the return."""
    returns, variances = unconstrained_frontier(portfolio, 5)
    assert (np.diff(variances) > 0).all()
    np.testing.assert_allclose(returns, [point.target for point in points])
    for variance, point in zip(variances, points, strict=True):
        assert point.result.objective >= variance * (1 - 1e-7)


def test_ctrl_c_keeps_what_was_solved(portfolio: Portfolio, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt at the third target leaves two points."""
    real, calls = demo.solve, []

    def interrupted(*arguments: object, **options: object) -> object:
        calls.append(options)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(demo, "solve", interrupted)
    low, high = portfolio.efficient_range()
    targets = np.linspace(low, (low + high) / 2, 5)
    seen: list[int] = []
    found = sweep(portfolio, targets, time_limit=10.0, on_point=lambda count, _: seen.append(count))
    assert [point.target for point in found] == pytest.approx(list(targets[:2]))
    assert seen == [1, 2]
    # Each target starts from its neighbour, and gets a share of the time that is left.
    assert calls[0]["warm_start"] is None  # type: ignore[index]
    np.testing.assert_array_equal(calls[1]["warm_start"], found[0].result.b)  # type: ignore[index]
    assert calls[0]["time_limit"] == pytest.approx(2.0, abs=0.5)  # type: ignore[index]


def test_table_holds_the_weights(portfolio: Portfolio, points: tuple[FrontierPoint, ...], tmp_path: Path) -> None:
    """frontier.csv gives each point's weights, which add up to 1, and no picture unless asked."""
    sectors = dict.fromkeys(portfolio.names, "all")
    free = unconstrained_frontier(portfolio, 3)
    assert save_frontier(tmp_path, points, free, None, sectors, "title", picture=False) == [tmp_path / "frontier.csv"]
    table = pd.read_csv(tmp_path / "frontier.csv")
    held = table[[name for name in portfolio.names if name in table]]
    solved = table["variance"].notna()
    np.testing.assert_allclose(held[solved].sum(axis=1), 1.0)
    assert held[~solved].isna().all(axis=None)


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    """The error names the file."""
    with pytest.raises(FileError, match=r"absent.table\.csv"):
        save_table(pd.DataFrame({"a": [1]}), tmp_path / "absent" / "table.csv")
