"""Openings from what a relaxation has on, and over what a better b may have otherwise."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest
from problems import facilities
from states import make_state

from hybridmip import Config, Problem, solve
from hybridmip.model.quadratic import Binary
from hybridmip.relax.line import Line
from hybridmip.relax.protocol import RelaxationFailed, Setting
from hybridmip.relax.registry import RELAXATIONS
from hybridmip.run.state import SearchState
from hybridmip.search.opening_search import OPENINGS, ROUNDED, OpeningSearch
from hybridmip.search.openings import Opening, Openings
from hybridmip.search.whole import Race

#: Long enough for a machine that others use too.
LONG = 120.0


def searching(problem: Problem) -> tuple[SearchState, OpeningSearch, list[tuple[float, Binary]]]:
    """A state, the search on it, and what it keeps."""
    setting, state = Setting(problem), make_state(problem)
    kept: list[tuple[float, Binary]] = []
    search = OpeningSearch(state, setting, Race(state, setting), lambda b, value: kept.append((value, b.copy())))
    return state, search, kept


@pytest.mark.parametrize("seed", range(4))
def test_rounding_is_near_the_best(seed: int) -> None:
    """From the relaxed b: feasible, all of it kept, and within 3 % of the optimum."""
    problem = facilities(15, 40, seed)
    relaxed = RELAXATIONS["line"](Config()).solve(Setting(problem), {}, None)
    state, search, kept = searching(problem)
    search.round(relaxed.b)
    assert state.best.feasible
    assert not state.integrity
    assert {step.found_by for step in state.trace} == {OPENINGS}
    assert min(value for value, _ in kept) == pytest.approx(state.best.objective)
    best = solve(problem, time_limit=LONG).objective
    assert best - 1e-6 * best <= state.best.objective <= 1.03 * best


def test_more_is_on_where_there_is_no_x(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is on by more than a half has no room for all: more are on then, and no more than are needed."""
    problem = facilities(15, 40, 1)
    relaxed = np.linspace(0.05, 0.3, problem.m)
    counts = [int((relaxed > least).sum()) for least in ROUNDED]
    assert len(set(counts)) == len(ROUNDED)
    tried: list[tuple[int, bool]] = []
    at = Openings.at

    def noting(openings: Openings, b: Binary, keep: int = -1) -> Opening | None:
        found = at(openings, b, keep)
        tried.append((int(b.sum()), found is not None))
        return found

    monkeypatch.setattr(Openings, "at", noting)
    state, search, _ = searching(problem)
    search.round(relaxed)
    first = [has_x for _, has_x in tried].index(True)
    assert first > 0
    assert [count for count, _ in tried[: first + 1]] == counts[: first + 1]
    assert state.best.feasible


def test_what_no_better_b_has_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the relaxation proves to be off in every better b is left alone by exchanges and kicks."""
    problem = facilities(30, 60, 2)
    setting = Setting(problem)
    best = solve(problem, time_limit=LONG)
    assert best.b is not None
    proof = RELAXATIONS["line"](Config()).solve(setting, {}, None).proof
    assert proof is not None
    state, search, _ = searching(problem)
    state.guide(penalties=setting.formula.penalties(proof))
    state.offer(best.b, state.solver.evaluate(best.b), "known")
    fixed = state.fixed
    assert (fixed < 0).sum() > 2
    assert (fixed == 0).sum() > 2
    assert not best.b[fixed < 0].any()
    tried: list[Binary] = []
    at = Openings.at

    def noting(openings: Openings, b: Binary, keep: int = -1) -> Opening | None:
        tried.append(b.copy())
        return at(openings, b, keep)

    monkeypatch.setattr(Openings, "at", noting)
    for _ in range(3):
        search.kick(lambda: np.asarray(best.b))
    assert len(tried) > 10
    assert all(not b[fixed < 0].any() for b in tried)


def test_openings_go_on_without_a_relaxation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where that takes too long it gets half of the time that is left, and openings go on from the best b."""
    asked: list[tuple[float, float]] = []
    limit, kicks = 3.0, []

    def too_long(line: Line, setting: Setting, earlier: object, time_limit: float | None) -> None:
        assert time_limit is not None
        asked.append((time.perf_counter() - began, time_limit))
        raise RelaxationFailed("limit")

    kick = OpeningSearch.kick

    def noting(search: OpeningSearch, best: Callable[[], Binary]) -> None:
        kicks.append(len(asked))
        kick(search, best)

    monkeypatch.setattr(Line, "solve", too_long)
    monkeypatch.setattr(OpeningSearch, "kick", noting)
    problem = facilities(60, 200, 0)
    began = time.perf_counter()
    result = solve(problem, time_limit=limit, config=Config(threads=2))
    assert result.has_solution
    for after, seconds in asked:
        assert seconds <= 0.5 * (limit - after) + 0.05
    assert asked
    assert kicks
    assert kicks[0] == len(asked)
