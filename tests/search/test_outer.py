"""Outer approximation of problems with many rows: bound <= optimum <= answer, with a clock and without."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from problems import Recipe, make, optimum
from states import make_state

from hybridmip import Config, Problem, Status, StopReason, solve
from hybridmip.bounds.diagonal import largest_trace
from hybridmip.bounds.ledger import Grade
from hybridmip.engines.highs import LinearModel
from hybridmip.relax.protocol import Setting
from hybridmip.run import phases
from hybridmip.run.result import Incumbent
from hybridmip.search import outer
from hybridmip.search.outer import Outer
from hybridmip.search.outer_model import OuterModel, squares
from hybridmip.tolerances import OPTIMAL_GAP

#: What leaves the proof to outer approximation.
OUTER = Config(
    phases=(phases.Start(), phases.Relaxations(), phases.Pool(), phases.Moves(), phases.OuterApproximation())
)
#: The same with the MIP over all b in a thread, where there is a time limit.
BESIDE = Config(phases=(phases.Start(), phases.Relaxations(), phases.OuterBeside(), *OUTER.phases[2:]), threads=2)


def layout(boxes: int, seed: int) -> Problem:
    """Boxes on a line near their targets, none over another: for each pair a binary says which is on the left.

    The rows on b say that such orders are transitive.
    """
    rng = np.random.default_rng(seed)
    width, target = rng.uniform(1.0, 3.0, boxes), rng.uniform(0.0, 5.0, boxes)
    weight, most = rng.uniform(0.5, 2.0, boxes), 20.0
    pairs = [(i, j) for i in range(boxes) for j in range(i)]
    A, G = np.zeros((2 * len(pairs), boxes)), np.zeros((2 * len(pairs), len(pairs)))
    lower = np.zeros(2 * len(pairs))
    for k, (i, j) in enumerate(pairs):
        apart = (width[i] + width[j]) / 2
        A[2 * k, [i, j]], G[2 * k, k], lower[2 * k] = [1.0, -1.0], most, apart
        A[2 * k + 1, [i, j]], G[2 * k + 1, k], lower[2 * k + 1] = [-1.0, 1.0], -most, apart - most
    place = {pair: k for k, pair in enumerate(pairs)}
    triples = [(i, j, k) for i in range(boxes) for j in range(i) for k in range(j)]
    B = np.zeros((len(triples), len(pairs)))
    for row, (i, j, k) in enumerate(triples):
        B[row, [place[i, j], place[j, k], place[i, k]]] = [1.0, 1.0, -1.0]
    return Problem(
        Q=weight, q=-2 * weight * target, offset=float(weight @ target**2), A=A, G=G, row_lower=lower,
        row_upper=np.full(2 * len(pairs), np.inf), B=B, b_lower=np.zeros(len(triples)), b_upper=np.ones(len(triples)),
        x_lower=np.full(boxes, -5.0), x_upper=np.full(boxes, 10.0),
        switch=np.full(boxes, -1), binaries=len(pairs),
    )  # fmt: skip


@pytest.mark.parametrize("config", [OUTER, BESIDE], ids=["by turns", "beside"])
@pytest.mark.parametrize("time_limit", [None, 20.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_layouts_are_proven(seed: int, time_limit: float | None, config: Config) -> None:
    """The optimum is that of enumeration, the bound never above it; with a time limit the gap is closed."""
    problem = layout(5, seed)
    best, _ = optimum(problem)
    result = solve(problem, time_limit=time_limit, config=config)
    assert "outer approximation" in result.bounds
    assert result.objective == pytest.approx(best, rel=1e-6)
    assert result.bound <= best + 1e-6 * abs(best)
    if time_limit is not None:
        assert result.status == Status.OPTIMAL
        assert result.rests_on is Grade.TRUSTED


def test_the_mip_over_all_b_may_miss_a_tangent_by_less_than_the_gap() -> None:
    """HiGHS is told so; with its own tolerance, for every term, the gap stays open (seen on layouts with many rows)."""
    problem = layout(5, 3)
    setting, d = Setting(problem), largest_trace(problem.Q)
    T = squares(setting, d)
    assert T is not None
    model = OuterModel(setting, d, T)
    model.grid(1e-3)
    answer = model.begin_whole(None, 1e-6, None).go_on(120.0)
    assert answer is not None
    assert answer.x is not None
    assert model._whole is not None
    assert model._whole._highs.getOptionValue("mip_feasibility_tolerance")[1] <= 1e-2 * OPTIMAL_GAP
    assert min(values @ answer.x[columns] - low for columns, values, low in model._tangents) >= -1e-2 * OPTIMAL_GAP


def test_highs_looks_for_points_where_it_does_not_prove_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a point to begin with it proves only, for a share of the time."""
    wanted: list[bool] = []
    monkeypatch.setattr(LinearModel, "go_on_with_heuristics", lambda model, points: wanted.append(points))
    monkeypatch.setattr(outer, "SHARE_OF_PROVING", 0.01)
    result = solve(layout(9, 1), time_limit=4.0, config=BESIDE)
    assert wanted
    assert all(wanted)
    assert np.isfinite(result.bound)


@pytest.mark.parametrize("quadratic", ["dense", "diagonal", "singular", "sparse"])
@pytest.mark.parametrize("bounds", ["buy-in", "short", "unlimited"])
def test_the_grid_is_below_the_curve(quadratic: str, bounds: str) -> None:
    """Tangents over what x can be make a model whose bound is at most the optimum, also where x has no limit."""
    problem = make(Recipe(seed=5, binaries=6, quadratic=quadratic, bounds=bounds, inequalities=6, mixed_rows=True))
    setting = Setting(problem)
    d = largest_trace(problem.Q)
    T = squares(setting, d)
    assert T is not None
    model = OuterModel(setting, d, T)
    before = model.solve(np.zeros(problem.m, dtype=np.int8), None, 10_000, 0.0)
    model.tangents(np.ones(problem.n), np.ones(problem.m))
    added = model.grid(10.0)
    assert added <= model.mip.rows + problem.n + T.shape[1]
    if bounds == "unlimited":
        return  # no grid over an infinite range
    answer = model.solve(np.zeros(problem.m, dtype=np.int8), None, 10_000, 0.0)
    best, _ = optimum(problem)
    assert np.isfinite(best)
    assert before.bound <= answer.bound + 1e-7
    assert answer.bound + problem.offset <= best + 1e-6 * max(1.0, abs(best))


def test_a_grid_lacks_little_between_its_tangents() -> None:
    """Where the terms are few the first MIP is near the optimum: without the grid most of the gap is left."""
    problem = layout(5, 2)
    setting = Setting(problem)
    best, _ = optimum(problem)
    bounds = []
    for gap in (0.0, abs(best)):
        d = largest_trace(problem.Q)
        T = squares(setting, d)
        assert T is not None
        model = OuterModel(setting, d, T)
        model.tangents(np.ones(problem.n), np.ones(problem.m))
        assert (model.grid(gap) > 0) == (gap > 0)
        bounds.append(model.solve(np.zeros(problem.m, dtype=np.int8), None, 10_000, 0.0).bound + problem.offset)
    assert bounds[0] < bounds[1] <= best + 1e-6
    assert best - bounds[1] < 0.5 * (best - bounds[0])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("quadratic", ["dense", "diagonal", "singular", "sparse"])
def test_what_is_found_beside_holds(quadratic: str, seed: int) -> None:
    """MIPs over all b in a thread, searches beside them: never a bound above the optimum, and the optimum is found."""
    problem = make(Recipe(seed=seed, binaries=6, quadratic=quadratic, binary_rows="general", mixed_rows=True))
    best, _ = optimum(problem)
    result = solve(problem, time_limit=20.0, config=BESIDE)
    if not np.isfinite(best):
        assert not result.has_solution
        return
    assert result.bound <= best + 1e-6 * max(1.0, abs(best))
    assert result.objective == pytest.approx(best, rel=1e-6, abs=1e-7)


def test_a_term_gets_a_grid_once() -> None:
    """A second grid that is no finer adds nothing."""
    problem = layout(5, 4)
    d = largest_trace(problem.Q)
    T = squares(Setting(problem), d)
    assert T is not None
    model = OuterModel(Setting(problem), d, T)
    assert model.grid(1.0) > 0
    assert model.grid(1.0) == 0


def test_a_search_that_is_cut_short_says_so() -> None:
    """Too many boxes for a second: the time was up, and more of it would help; no thread is left."""
    before = set(threading.enumerate())
    result = solve(layout(8, 12), time_limit=1.0, config=BESIDE)
    assert result.stop_reason is StopReason.TIME_LIMIT
    assert result.gap > 1e-3
    assert result.suggested_time_limit is not None
    _all_ended(before)


def test_somebody_who_asks_to_stop_is_heard() -> None:
    """A callback that returns True ends everything, also what is under way in threads, and is not called again."""
    before, called = set(threading.enumerate()), []

    def stop(found: Incumbent) -> bool:
        called.append(found)
        return True

    result = solve(layout(8, 11), time_limit=60.0, config=BESIDE, callback=stop)
    assert result.stop_reason is StopReason.CALLBACK
    assert len(called) == 1
    _all_ended(before)


def _all_ended(before: set[threading.Thread]) -> None:
    """HiGHS ends when it looks up next."""
    for thread in set(threading.enumerate()) - before:
        thread.join(20.0)
        assert not thread.is_alive()


def test_small_mips_that_are_cut_short_are_not_taken_for_hard() -> None:
    """What is left open, and for how long, stays as it was when the MIP over all b asked for its tangents."""
    problem = layout(6, 7)
    setting = Setting(problem)
    state = make_state(problem)
    outer = Outer.of(state, setting, {})
    assert outer is not None
    state.evaluate(state.binaries.random(state.rng), "start")
    outer.elite.add(state.best_b, 1.0)
    outer.open_ones, outer.seconds = 5, 1.0
    outer._wanted.set()
    outer._small("undecided", 1.0)
    assert (outer.open_ones, outer.seconds) == (5, 1.0)
    outer._wanted.clear()
    outer._small("undecided", 1.0)
    assert outer.open_ones > 5


def sums(groups: int, members: int, seed: int, unit: float = 1.0) -> Problem:
    """Members put into groups; the square of each group's sum of weights counts, beside what pairs of them earn."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 9, members) * unit
    where = np.arange(groups * members).reshape(groups, members)
    A, G = np.eye(groups), np.zeros((groups, groups * members))
    B = np.zeros((members + 1, groups * members))
    B[members, [where[0, 0], where[0, 1], where[1, 2]]] = 1.0  # not all three of them: rows on b that overlap
    for g in range(groups):
        G[g, where[g]] = -weights
        B[np.arange(members), where[g]] = 1.0
    return Problem(
        Q=np.full(groups, 1.0 / unit**2), q=-rng.integers(1, 9, groups) / unit,
        p=rng.integers(-20, 20, groups * members).astype(float), A=A, G=G, row_lower=0.0, row_upper=0.0, B=B,
        b_lower=np.append(np.ones(members), 0.0), b_upper=np.append(np.ones(members), 2.0), x_lower=0.0,
        x_upper=float(weights.sum()),
    )  # fmt: skip


@pytest.mark.parametrize("unit", [1.0, 0.375, 8.0])
@pytest.mark.parametrize("seed", range(3))
def test_chords_of_sums_lack_nothing(seed: int, unit: float) -> None:
    """Sums of whole weights: with all chords the MILP has the optimum of the problem, and no chord is above it."""
    problem = sums(2, 5, seed, unit)
    setting = Setting(problem)
    d = problem.Q.diagonal()
    T = squares(setting, d)
    assert T is not None
    model = OuterModel(setting, d, T)
    assert (model._step == unit).all()
    assert model.grid(1e-3) > 0
    answer = model.solve(np.zeros(problem.m, dtype=np.int8), None, 10_000, 0.0)
    best, _ = optimum(problem)
    assert answer.bound + problem.offset == pytest.approx(best, rel=1e-7, abs=1e-6)
    # Laid once: no point brings another one.
    assert model.grid(1e-6) == 0
    assert model.tangents(np.full(problem.n, 2.5 * unit), np.ones(problem.m)) == 0


@pytest.mark.parametrize("time_limit", [None, 20.0])
def test_sums_are_proven(time_limit: float | None) -> None:
    """The optimum is that of enumeration, with a clock and without."""
    problem = sums(3, 4, 1)
    best, _ = optimum(problem)
    result = solve(problem, time_limit=time_limit, config=OUTER if time_limit is None else BESIDE)
    assert "outer approximation" in result.bounds
    assert result.objective == pytest.approx(best, rel=1e-9)
    assert result.bound <= best + 1e-6 * abs(best)
    assert result.status == Status.OPTIMAL


def test_an_x_that_is_no_multiple_gets_tangents() -> None:
    """A sum with a part that may be anything has no step; nor has one of weights that share none."""
    whole = sums(2, 4, 0)
    loose = Problem(
        Q=whole.Q.diagonal(), q=whole.q, p=whole.p, A=whole.A, G=whole.G, row_lower=-0.1, row_upper=0.1, B=whole.B,
        b_lower=whole.b_lower, b_upper=whole.b_upper, x_lower=0.0, x_upper=whole.x_upper,
    )  # fmt: skip
    odd = sums(2, 4, 0, unit=1 / 3)
    for problem in (loose, odd):
        d = problem.Q.diagonal()
        T = squares(Setting(problem), d)
        assert T is not None
        assert not OuterModel(Setting(problem), d, T)._step.any()
