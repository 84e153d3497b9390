"""The percentage error of Chang et al.: against worked examples and what must hold for any frontier."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridmip.errors import ArgumentError
from hybridmip.study.percentage import percentage_errors

RISKS, RETURNS = [1.0, 2.0, 4.0], [1.0, 2.0, 3.0]


def test_worked_example() -> None:
    """At risk 3 the frontier returns 2.5, at return 2 its risk is 2: 20 % and 50 % off, of which 20 % counts."""
    found = percentage_errors([3.0], [2.0], RISKS, RETURNS)
    assert found.in_return == pytest.approx([20.0])
    assert found.in_risk == pytest.approx([50.0])
    assert found.smaller == pytest.approx([20.0])


def test_outside_the_frontier() -> None:
    """The error that is undefined does not count; where both are, there is none."""
    found = percentage_errors([5.0, 0.5, 5.0, np.nan], [2.0, 1.5, 4.0, np.nan], RISKS, RETURNS)
    assert np.isnan(found.in_return).tolist() == [True, True, True, True]
    assert found.smaller[:2] == pytest.approx([150.0, 100 * 1.0 / 1.5])
    assert np.isnan(found.smaller[2:]).all()


def test_the_ends_belong_to_the_frontier() -> None:
    """Rounding does not push a target at the end outside."""
    top = 3.0 * (1 + 1e-12)
    assert percentage_errors([8.0], [top], RISKS, RETURNS).smaller == pytest.approx([100.0])


@given(st.lists(st.floats(0.0, 1.0), min_size=2, max_size=8, unique=True), st.floats(0.01, 100.0), st.floats(0, 1))
def test_facts(steps: list[float], scale: float, share: float) -> None:
    """On the frontier the error is 0; it does not depend on order or units; more risk at one return is worse."""
    risks = np.sort(np.round(np.array(steps), 6)) + 1.0
    if len(np.unique(risks)) < len(risks):
        return
    returns = np.sqrt(risks)
    on = percentage_errors(risks, returns, risks, returns)
    assert on.smaller == pytest.approx(np.zeros(len(risks)), abs=1e-9)
    at = returns[0] + share * (returns[-1] - returns[0])
    worse = percentage_errors([risks[-1] * 1.1, risks[-1] * 1.3], [at, at], risks, returns).smaller
    assert worse[0] <= worse[1]
    other = percentage_errors([scale * risks[-1] * 1.1], [at], scale * risks[::-1], returns[::-1]).smaller
    assert other == pytest.approx(worse[:1], rel=1e-6, abs=1e-9)


def test_least_variance_has_the_least_error() -> None:
    """At a fixed return both errors grow with the risk: what the report says of its floor."""
    many = np.linspace(2.0, 4.0, 50)
    found = percentage_errors(many, np.full(50, 2.0), RISKS, RETURNS)
    for errors in (found.in_risk, found.in_return, found.smaller):
        assert (np.diff(errors) >= -1e-12).all()


@pytest.mark.parametrize("free", [([1.0], [1.0]), ([1.0, 2.0], [1.0])])
def test_no_frontier(free: tuple[list[float], list[float]]) -> None:
    """One point is no frontier, and every risk has a return."""
    with pytest.raises(ArgumentError):
        percentage_errors([1.0], [1.0], *free)
