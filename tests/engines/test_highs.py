"""Models for HiGHS: what is passed, in which thread it runs, and what happens where it does not look at the clock."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from hybridmip.engines.highs import LinearModel, Outcome
from hybridmip.engines.left import settle


def knapsack(integer: bool = True) -> LinearModel:
    """max 5a + 4b + 3c with 2a + 3b + c <= 5 and a, b, c in [0, 1]."""
    kinds = np.array([True, True, False]) if integer else None
    return LinearModel(
        np.array([-5.0, -4.0, -3.0]), sparse.csr_array([[2.0, 3.0, 1.0]]), np.array([-np.inf]), np.array([5.0]),
        np.zeros(3), np.ones(3), kinds,
    )  # fmt: skip


def test_what_is_passed_is_the_model() -> None:
    """Matrix, limits, costs and kinds of columns arrive in HiGHS as they were given."""
    lp = knapsack()._highs.getLp()
    assert list(lp.col_cost_) == [-5.0, -4.0, -3.0]
    assert list(lp.a_matrix_.start_) == [0, 1, 2, 3]
    assert list(lp.a_matrix_.value_) == [2.0, 3.0, 1.0]
    assert list(lp.row_upper_) == [5.0]
    assert [int(kind) for kind in lp.integrality_] == [1, 1, 0]


def test_an_lp_and_a_milp_have_their_optima() -> None:
    """The LP takes two thirds of b, with multipliers; the MILP gives up c or b."""
    relaxed, whole = knapsack(integer=False).solve(), knapsack().solve()
    assert relaxed.status is whole.status is Outcome.OPTIMAL
    assert relaxed.objective == pytest.approx(-5 - 3 - 4 * 2 / 3)
    assert relaxed.row_duals == pytest.approx(np.array([-4 / 3]))
    assert whole.objective == pytest.approx(-9.0)


def test_changed_bounds_are_those_that_count() -> None:
    """However bounds were changed one after the other, HiGHS has the last, and the answer of a model made with them."""
    rng, model = np.random.default_rng(0), knapsack(integer=False)
    for _ in range(20):
        lower = np.where(rng.random(3) < 0.7, 0.0, 0.25)
        upper = np.where(rng.random(3) < 0.5, 1.0, rng.choice([0.25, 0.5, np.inf], 3))
        model.change_columns(lower, upper)
        lp = model._highs.getLp()
        assert list(lp.col_lower_) == lower.tolist()
        assert list(lp.col_upper_) == upper.tolist()
    model.change_columns(np.zeros(3), np.ones(3))
    assert model.solve().objective == pytest.approx(knapsack(integer=False).solve().objective)


def test_heuristics_end_after_the_first_branching() -> None:
    """Told at the root to do without, HiGHS goes on with those there; told to look again, it does so at once."""
    model = knapsack()

    def check(nodes: int) -> bool:
        happened = SimpleNamespace(
            data_out=SimpleNamespace(mip_dual_bound=0.0, mip_node_count=nodes),
            data_in=SimpleNamespace(user_interrupt=None),
        )
        model._on_check(happened)
        return bool(model._highs.getOptionValue("mip_heuristic_effort")[1] > 0)

    model.go_on_with_heuristics(False)
    assert [check(0), check(0), check(1)] == [True, True, False]
    model.go_on_with_heuristics(True)
    assert check(0)


def _runs_in(model: LinearModel) -> list[threading.Thread]:
    """Where its HiGHS runs, from now on."""
    ran: list[threading.Thread] = []
    run = model._highs.run

    def noting() -> Any:
        ran.append(threading.current_thread())
        return run()

    model._highs.run = noting
    return ran


def test_a_milp_of_another_thread_runs_there() -> None:
    """Only the main thread gets Ctrl-C and needs one more to hear of it."""
    model = knapsack()
    ran = _runs_in(model)
    thread = threading.Thread(target=model.solve)
    thread.start()
    thread.join()
    assert ran == [thread]
    model.solve()
    assert ran[1] is not threading.main_thread()


def test_a_milp_that_must_be_punctual_is_given_up() -> None:
    """HiGHS that does not look at the clock is left, and nobody else uses its model afterwards."""
    model, go_on = knapsack(), threading.Event()
    run = model._highs.run

    def busy() -> Any:
        go_on.wait(30.0)
        return run()

    model._highs.run = busy
    began = time.perf_counter()
    answer = model.solve(0.05, punctual=True)
    assert time.perf_counter() - began < 5.0
    assert (answer.status, answer.x) == (Outcome.LIMIT, None)
    assert model.given_up
    assert model.solve(punctual=True).status is Outcome.LIMIT
    go_on.set()
    settle()


def test_a_milp_that_need_not_be_punctual_is_waited_for() -> None:
    """Its model is solved again later, and what it has found is not thrown away."""
    model = knapsack()
    run = model._highs.run

    def late() -> Any:
        time.sleep(0.3)
        return run()

    model._highs.run = late
    assert model.solve(0.05).status is not Outcome.ERROR
    assert not model.given_up
