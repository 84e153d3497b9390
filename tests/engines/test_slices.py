"""A MILP in slices of time: the same answer as in one go, and bounds that hold while it waits."""

from __future__ import annotations

import time
from types import SimpleNamespace

import numpy as np
import pytest

from hybridmip.engines.highs import LinearModel, Outcome
from hybridmip.engines.slices import LONGEST_END, Slices


def knapsacks(rows: int, columns: int, seed: int, offset: float = 0.0) -> LinearModel:
    """Several knapsacks at once."""
    rng = np.random.default_rng(seed)
    matrix = rng.integers(5, 60, (rows, columns)).astype(float)
    return LinearModel(
        -rng.integers(5, 60, columns).astype(float), matrix, np.full(rows, -np.inf), 0.4 * matrix.sum(axis=1),
        np.zeros(columns), np.ones(columns), np.ones(columns, dtype=bool), offset=offset,
    )  # fmt: skip


def test_slices_give_the_answer_of_one_go() -> None:
    """Whatever the slices, the optimum is the same; no bound on the way is above it, and points are on or above it."""
    at_once = knapsacks(6, 30, 0).solve()
    assert at_once.status is Outcome.OPTIMAL
    slices = Slices(knapsacks(6, 30, 0), 0.0)
    answer, turns = None, 0
    while answer is None and turns < 5000:
        answer = slices.go_on(0.01)
        turns += 1
        assert slices.bound <= at_once.objective + 1e-6
    assert answer is not None
    assert answer.objective == pytest.approx(at_once.objective)
    assert len(slices.fetch()) >= 1
    assert slices.fetch() == []


def test_a_gap_is_relative_to_the_objective_with_its_offset() -> None:
    """What is said is without it, on the way as well; without it HiGHS stops when the gap is ten times as wide."""
    plain, gap = knapsacks(8, 40, 0).solve(gap=0.02), 0.02
    assert plain.objective - plain.bound > 0.1 * gap * abs(plain.objective)
    offset = -0.9 * plain.objective
    told: list[tuple[float, float]] = []
    model = knapsacks(8, 40, 0, offset)
    rng = np.random.default_rng(0)
    rng.integers(5, 60, (8, 40))
    cost = -rng.integers(5, 60, 40).astype(float)
    model.on_improvement(lambda values, bound: told.append((float(cost @ values), bound)))
    answer = model.solve(gap=gap)
    assert answer.status is Outcome.OPTIMAL
    assert answer.x is not None
    assert answer.objective == pytest.approx(float(cost @ answer.x))
    assert answer.objective - answer.bound <= gap * abs(answer.objective + offset) * (1 + 1e-9)
    assert told
    assert all(bound <= answer.objective <= value + 1e-9 * abs(value) for value, bound in told)


def test_highs_is_left_alone_until_it_is_woken() -> None:
    """Nobody is asked at a check, or for a point, but once, unless somebody wants that."""
    checks, requests = [], []
    model = knapsacks(6, 30, 0)

    def asked(bound: float) -> bool:
        checks.append(bound)
        if len(checks) > most:
            model.wake()
            model.ask_for_point()
        return False

    def requested(value: float) -> None:
        requests.append(value)

    for most in (2**31, 0):
        checks.clear()
        requests.clear()
        model.on_check(asked)
        model.on_request(requested)
        assert model.solve().status is Outcome.OPTIMAL
        if most:
            assert (len(checks), len(requests)) == (1, 1)
    assert len(checks) > 10
    assert len(requests) > 1


@pytest.mark.parametrize("offset", [3.0, 1e6, -1e6])
def test_a_point_is_taken_whatever_presolve_has_added_to_the_objective(offset: float) -> None:
    """A column that presolve fixes costs more than points differ by, and a constant more still; HiGHS asks at once."""
    rng, columns, rows = np.random.default_rng(5), 600, 20
    matrix = rng.integers(5, 60, (rows, columns)).astype(float)
    cost = np.append(-rng.integers(5, 60, columns).astype(float), 1e5)
    both = np.block([[matrix, np.zeros((rows, 1))], [np.zeros((1, columns)), np.ones((1, 1))]])

    def made(offset: float) -> LinearModel:
        return LinearModel(
            cost, both, np.append(np.full(rows, -np.inf), 1.0), np.append(0.4 * matrix.sum(axis=1), np.inf),
            np.zeros(columns + 1), np.ones(columns + 1), np.ones(columns + 1, dtype=bool), offset=offset,
        )  # fmt: skip

    good = made(0.0).solve(10.0, gap=1e-4)
    assert good.x is not None
    values: list[float] = []
    bounds: list[float] = []
    handed: list[int] = []
    model, begun = made(offset), time.perf_counter()

    def requested(value: float) -> np.ndarray | None:
        values.append(value)
        if handed or not np.isfinite(value):  # HiGHS takes anything while it has nothing
            return None
        handed.append(len(values))
        return good.x

    def asked(bound: float) -> bool:
        bounds.append(bound)
        model.ask_for_point()
        model.wake()
        return bool(handed and len(values) > handed[0]) or time.perf_counter() - begun > 20.0

    model.on_check(asked)
    model.on_request(requested)
    model.use_heuristics(False)
    assert model.solve(20.0).status is Outcome.LIMIT
    assert values[handed[0] - 1] > good.objective + 1.0  # it had something worse, and at the next request has this
    assert values[handed[0]] == pytest.approx(good.objective, rel=1e-9)
    assert max(bounds) <= good.objective + 1e-9 * abs(good.objective)


def test_a_gap_is_that_of_the_objective_where_points_are_handed_over() -> None:
    """HiGHS stops at the same gap, and no sooner, as where nobody is asked for points."""
    gap = 0.02
    plain, asked = knapsacks(8, 40, 0, -10.0), knapsacks(8, 40, 0, -10.0)
    asked.on_request(lambda value: None)
    first, second = plain.solve(gap=gap), asked.solve(gap=gap)
    assert second.objective == pytest.approx(first.objective, rel=1e-12)
    assert second.bound == pytest.approx(first.bound, rel=1e-12)
    assert 0.1 * gap * abs(second.objective) < second.objective - second.bound <= gap * abs(second.objective)


def test_a_check_of_an_lp_tells_no_bound() -> None:
    """What HiGHS says there of the bound of a MILP is none; who waits for the next check of the MILP is still heard."""
    model, bounds = knapsacks(6, 30, 0), []
    model.on_check(lambda bound: bool(bounds.append(bound)))  # type: ignore[func-returns-value]
    happened = SimpleNamespace(
        data_out=SimpleNamespace(mip_dual_bound=0.0), data_in=SimpleNamespace(user_interrupt=None)
    )
    for called in model._highs.cbSimplexInterrupt.callbacks:
        called(happened)
    assert (bounds, happened.data_in.user_interrupt) == ([], False)
    assert model.solve().status is Outcome.OPTIMAL
    assert len(bounds) == 1
    assert bounds[0] < 0.0
    model.cancel()
    for called in model._highs.cbSimplexInterrupt.callbacks:
        called(happened)
    assert happened.data_in.user_interrupt is True


def test_it_waits_between_slices_and_can_be_ended() -> None:
    """No processor time is used while it waits; what was begun ends when told, with a bound."""
    slices = Slices(knapsacks(12, 90, 1), 0.0)
    assert slices.go_on(0.5) is None
    time.sleep(0.3)  # it may call back late
    before = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - before < 0.2
    bound = slices.bound
    assert np.isfinite(bound)
    began = time.perf_counter()
    slices.end()
    assert time.perf_counter() - began < LONGEST_END
    assert slices.go_on(0.0) is not None  # what HiGHS says when it was stopped
    assert slices.bound >= bound - 1e-9 * abs(bound)  # it is told once more, and never falls


def test_a_model_can_be_solved_again_after_it_ended() -> None:
    """Rows are added to a model that was solved in slices, and count in the next solve."""
    model = knapsacks(4, 15, 2)
    first = Slices(model, 0.0).go_on(60.0)
    assert first is not None
    assert first.x is not None
    model.add_row(np.arange(15), -np.ones(15), 1.0 - float(np.round(first.x).sum()))
    second = Slices(model, 0.0).go_on(60.0)
    assert second is not None
    assert second.x is not None
    assert np.round(second.x).sum() <= np.round(first.x).sum() - 1
    assert second.objective >= first.objective - 1e-9


def test_it_runs_to_the_end_beside_the_caller() -> None:
    """The answer is that of one go, and is told in the thread; `go_on` waits for it."""
    at_once = knapsacks(6, 30, 0).solve()
    told: list[float] = []
    slices = Slices(knapsacks(6, 30, 0), 0.0, told=lambda answer: told.append(answer.objective))
    slices.run()
    answer = slices.go_on(60.0)
    assert answer is not None
    assert answer.objective == pytest.approx(at_once.objective)
    slices.end()
    assert slices.answer is answer
    assert told == [answer.objective]


def test_a_model_that_was_stopped_can_be_solved_again() -> None:
    """To stop one solve is not to stop the next."""
    at_once = knapsacks(6, 30, 0).solve()
    model = knapsacks(6, 30, 0)
    stopped = Slices(model, 0.0)
    stopped.go_on(0.01)
    stopped.end()
    again = Slices(model, 0.0).go_on(60.0)
    assert again is not None
    assert again.status is Outcome.OPTIMAL
    assert again.objective == pytest.approx(at_once.objective)
