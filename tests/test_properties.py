"""solve() against trying every b, on generated problems of every kind that Hypothesis picks."""

from __future__ import annotations

import math
import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from problems import BINARY_ROWS, BOUNDS, QUADRATIC, NoReference, Recipe, make, optimum

from hybridmip.run.config import Config
from hybridmip.run.result import Status
from hybridmip.run.solve import solve

recipes = st.builds(
    Recipe,
    seed=st.integers(0, 2**32 - 1),
    binaries=st.sampled_from([1, 2, 3, 4, 5, 6, 6, 7, 8, 8]),
    quadratic=st.sampled_from(QUADRATIC),
    binary_rows=st.sampled_from(BINARY_ROWS),
    bounds=st.sampled_from(BOUNDS),
    equations=st.integers(0, 2),
    inequalities=st.integers(0, 2),
    mixed_rows=st.booleans(),
    costs=st.booleans(),
    unswitched=st.integers(0, 2),
    shared=st.booleans(),
    idle=st.integers(0, 2),
    wild=st.booleans(),
)
SEARCH_ONLY = Config(enumerate_up_to=0)
#: How many times as many cases as usual: HYBRIDMIP_EXAMPLES=5 for thousands of each.
TIMES = int(os.environ.get("HYBRIDMIP_EXAMPLES", "1"))
quiet = settings(
    max_examples=80 * TIMES,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)


def check(recipe: Recipe, config: Config) -> bool:
    """Everything that must hold for any answer; returns whether it is optimal."""
    problem = make(recipe)
    try:
        best, _ = optimum(problem)
    except NoReference:
        reject()
    result = solve(problem, config=config, seed=1)
    scale = max(1.0, abs(best)) if math.isfinite(best) else 1.0
    if math.isinf(best):
        assert result.status in (Status.INFEASIBLE, Status.UNKNOWN)
        assert result.status == Status.INFEASIBLE, "an infeasible problem must be said to be so"
        assert result.x is None
        return True
    assert result.status in (Status.OPTIMAL, Status.FEASIBLE), result.status
    assert result.violation <= 1e-7
    assert result.objective == pytest.approx(problem.objective(result.x, result.b), rel=1e-12, abs=1e-12)
    assert result.objective >= best - 1e-7 * scale
    for name, bound in result.bounds.items():
        assert bound <= best + 1e-7 * scale, f"bound of {name} is above the optimum"
    assert result.bound <= result.objective
    optimal = result.objective <= best + 1e-7 * scale
    if result.status == Status.OPTIMAL:
        assert result.objective <= best + 2e-6 * scale
    return optimal


@quiet
@given(recipe=recipes)
def test_default_configuration_is_exact_on_small_problems(recipe: Recipe) -> None:
    """With Config() every small problem is solved: right value, right bounds, infeasible exactly where so."""
    assert check(recipe, Config())


def test_search_alone_finds_the_optimum_of_nearly_all() -> None:
    """Without enumeration the search finds the optimum in at least 99 % of the cases, and never lies."""
    outcome: Counter[bool] = Counter()

    @settings(quiet, max_examples=150)
    @given(recipe=recipes)
    def run(recipe: Recipe) -> None:
        outcome[check(recipe, SEARCH_ONLY)] += 1

    run()
    assert outcome[True] >= 0.99 * outcome.total(), outcome


@settings(quiet, max_examples=60)
@given(recipe=recipes)
def test_paper_configuration_never_lies(recipe: Recipe) -> None:
    """Config.paper() may miss the optimum but is feasible, above it, and its bounds are below."""
    check(recipe, Config.paper(pool={"random": 20}, walk={"limit": 50}))


@pytest.mark.parametrize("binary_rows", BINARY_ROWS)
@pytest.mark.parametrize("quadratic", QUADRATIC)
def test_twelve_binaries(quadratic: str, binary_rows: str) -> None:
    """The largest size of the enumeration check, once for every kind of Q and of rows on b."""
    recipe = Recipe(seed=7, binaries=12 if binary_rows != "none" else 10, quadratic=quadratic, binary_rows=binary_rows)
    assert check(recipe, Config())
