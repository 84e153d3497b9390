"""Enumeration: all members and no other, the optimum by it, and its limits."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from problems import BINARY_ROWS, QUADRATIC, Recipe, all_members, make, optimum
from states import make_state, portfolio_like

from hybridmip.exact.enumerate import enumerate_all, members
from hybridmip.model.binaries import BinarySet
from hybridmip.model.problem import Problem
from hybridmip.relax.protocol import Setting
from hybridmip.run.clock import StopSearch
from hybridmip.run.config import Config


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("binary_rows", BINARY_ROWS)
def test_members_are_all_there_are(binary_rows: str, seed: int) -> None:
    """The walk that cuts off finds exactly the b that trying all 2^m finds, each once."""
    problem = make(Recipe(seed=seed, binaries=8, quadratic="zero", binary_rows=binary_rows))
    expected = all_members(problem.B.toarray(), problem.b_lower, problem.b_upper, 8)
    found = members(BinarySet(problem), 4096)
    assert found is not None
    assert found.dtype == bool
    assert len(found) == len(expected)
    assert {b.tobytes() for b in found} == {b.tobytes() for b in expected}


def test_rows_without_x_count() -> None:
    """Rows of A and G that have no x restrict the members too."""
    problem = Problem(A=np.zeros((1, 2)), G=[[1.0, 2.0, 3.0]], row_lower=3.0, row_upper=3.0)
    found = members(BinarySet(problem), 100)
    assert found is not None
    np.testing.assert_array_equal(sorted(map(tuple, found)), [(False, False, True), (True, True, False)])


def test_limit() -> None:
    """As many members as the limit are listed; one more, and there is no list."""
    binaries = BinarySet(Problem(B=np.ones((1, 6)), b_lower=3, b_upper=3))
    assert len(members(binaries, 20)) == 20
    assert members(binaries, 19) is None


def test_no_members() -> None:
    """A set that is empty has no rows in its list, of the right width."""
    binaries = BinarySet(Problem(B=[[2.0, 4.0, 6.0]], b_lower=3, b_upper=3))
    assert members(binaries, 100).shape == (0, 3)


def test_no_binaries() -> None:
    """Without binaries the one member is the empty b."""
    assert members(BinarySet(Problem(q=[1.0])), 1).shape == (1, 0)


def test_many_binaries_are_not_walked() -> None:
    """Too many binaries are given up at once, and too many dead ends soon."""
    assert members(BinarySet(Problem(binaries=200)), 10**9) is None
    # 2^40 partial sums of which hardly any ends in a member.
    weights = np.random.default_rng(0).integers(10**6, 10**7, size=(1, 40)).astype(float)
    binaries = BinarySet(Problem(B=weights, b_lower=weights.sum() / 2, b_upper=weights.sum() / 2))
    began = time.perf_counter()
    assert members(binaries, 1000) is None
    assert time.perf_counter() - began < 2.0


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("quadratic", QUADRATIC)
def test_enumeration_finds_the_optimum(quadratic: str, seed: int) -> None:
    """The incumbent afterwards is the optimum of the independent enumeration, or there is none in both."""
    problem = make(Recipe(seed=60 + seed, binaries=5, quadratic=quadratic, binary_rows="range", wild=seed == 2))
    state = make_state(problem)
    least = enumerate_all(state, Setting(problem, state.binaries), 4096)
    assert least is not None
    best, _ = optimum(problem)
    assert state.best.feasible == math.isfinite(best)
    if math.isfinite(best):
        assert state.best.objective == pytest.approx(best, rel=1e-6, abs=1e-6)
        assert state.found_by == "enumeration"
        assert best - 1e-6 * max(1.0, abs(best)) <= least.value <= best + 1e-7 * max(1.0, abs(best))
    else:
        assert least.value == math.inf


def test_nothing_is_done_beyond_the_limit() -> None:
    """A set that is too large is left alone: no bound, and nothing evaluated."""
    state = make_state(portfolio_like(12, 6))
    assert enumerate_all(state, Setting(state.problem, state.binaries), 100) is None
    assert state.solver.evaluations == 0


def many_rows(n: int = 12) -> Problem:
    """A small set of b beside more rows than the kernel takes, so that each b costs milliseconds."""
    rng = np.random.default_rng(0)
    return Problem(
        Q=np.eye(n), q=rng.normal(size=n), A=rng.normal(size=(60, n)), row_lower=-50.0, row_upper=50.0,
        B=np.ones((1, n)), b_lower=n // 2, b_upper=n // 2, x_lower=0.1, x_upper=1.0, switch=np.arange(n),
    )  # fmt: skip


def test_time_limit_keeps_the_best_so_far() -> None:
    """When the time is up half way, the best b that was tried is the incumbent."""
    state = make_state(many_rows())
    state.solver.evaluate(state.binaries.random(state.rng))  # loads the solver before the clock starts
    state.clock.deadline = time.perf_counter() + 0.1
    with pytest.raises(StopSearch):
        enumerate_all(state, Setting(state.problem, state.binaries), 4096)
    assert state.solver.evaluations > 2
    assert state.best.feasible


def test_evaluation_limit() -> None:
    """With a limit of 10 at most 10 restricted problems are solved, and the best of them is kept."""
    state = make_state(portfolio_like(9, 3), Config(evaluation_limit=10, threads=1))
    with pytest.raises(StopSearch):
        enumerate_all(state, Setting(state.problem, state.binaries), 4096)
    assert state.solver.evaluations <= 10
    assert state.best.feasible
