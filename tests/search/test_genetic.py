"""The paper's genetic algorithm: crossover, spread, competition, mutation; and the pool it starts from."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from problems import BINARY_ROWS, Recipe, all_members, make
from states import make_state, member, portfolio_like

from hybridmip.model.binaries import BinarySet
from hybridmip.model.problem import Problem
from hybridmip.relax.line import Line
from hybridmip.relax.protocol import Setting
from hybridmip.restricted.protocol import Evaluation
from hybridmip.run.config import Config
from hybridmip.run.settings import GeneticSettings, PoolSettings
from hybridmip.search.genetic import crossover, genetic, spread
from hybridmip.search.pool import Member, build_pool

every_kind = pytest.mark.parametrize("binary_rows", BINARY_ROWS)


def fake(objective: float, infeasibility: float = 0.0, b: Any = (True,)) -> Member:
    """A member with a value of our choosing."""
    return Member(np.array(b, dtype=bool), Evaluation(objective, infeasibility), "fake")


# Crossover


@pytest.mark.parametrize("seed", range(4))
@every_kind
def test_child_is_in_the_set_and_keeps_what_is_shared(binary_rows: str, seed: int) -> None:
    """Ones and zeros that the parents share stay, and the child satisfies the rows on b, whatever they are."""
    problem = make(Recipe(seed=seed, binaries=8, quadratic="zero", binary_rows=binary_rows))
    binaries = BinarySet(problem)
    members = all_members(problem.B.toarray(), problem.b_lower, problem.b_upper, 8)
    rng = np.random.default_rng(seed)
    for _ in range(6):
        father, mother = members[rng.integers(len(members), size=2)]
        child = crossover(binaries, father, mother, rng)
        assert binaries.contains(child)
        shared = father == mother
        np.testing.assert_array_equal(child[shared], father[shared])


def test_disputed_ones_are_drawn_evenly() -> None:
    """With one cardinality row every disputed place is taken equally often, and every child can come up."""
    binaries = BinarySet(Problem(B=np.ones((1, 7)), b_lower=3, b_upper=3))
    father = np.array([1, 1, 1, 0, 0, 0, 0], dtype=bool)
    mother = np.array([1, 0, 0, 1, 1, 0, 0], dtype=bool)
    rng = np.random.default_rng(0)
    children = np.array([crossover(binaries, father, mother, rng) for _ in range(3000)])
    share = children.mean(axis=0)
    np.testing.assert_allclose(share, [1, 0.5, 0.5, 0.5, 0.5, 0, 0], atol=5 * math.sqrt(0.25 / 3000))
    assert len({child.tobytes() for child in children}) == math.comb(4, 2)


def test_child_of_one_parent_is_that_parent() -> None:
    """Crossing b with itself gives b."""
    binaries = BinarySet(Problem(B=np.ones((1, 6)), b_lower=2, b_upper=4))
    b = np.array([1, 0, 1, 0, 0, 1], dtype=bool)
    np.testing.assert_array_equal(crossover(binaries, b, b, np.random.default_rng(0)), b)


# Spread


@pytest.mark.parametrize(
    ("pool", "expected"),
    [
        ([fake(2.0), fake(2.5), fake(3.0)], 0.5),
        ([fake(-2.0), fake(-1.0)], 0.5),
        ([fake(4.0), fake(4.0)], 0.0),
        ([fake(0.0), fake(1.0)], math.inf),
        ([fake(0.0), fake(0.0)], 0.0),
        ([fake(1.0), fake(math.inf, 0.5)], math.inf),
        ([fake(math.inf, 0.5), fake(math.inf, 2.0)], 3.0),
        ([fake(math.inf, 0.5), fake(math.inf, 0.5)], 0.0),
        ([fake(1e-4)], 0.0),
    ],
)
def test_spread(pool: list[Member], expected: float) -> None:
    """(worst - best) / |best|; by infeasibility while all are infeasible, infinite while some are."""
    assert spread(pool) == pytest.approx(expected)


# Competition


def sorted_pool(state: Any, count: int, seed: int = 1) -> list[Member]:
    """Distinct random members, best first."""
    rng = np.random.default_rng(seed)
    found: dict[bytes, Member] = {}
    while len(found) < count:
        b = state.binaries.random(rng)
        found.setdefault(b.tobytes(), member(state, b))
    return sorted(found.values(), key=lambda m: m.evaluation.rank)


def run_generations(
    count: int, generations: int, keep: float = 50.0, **changes: Any
) -> tuple[list[Member], list[Member], int]:
    """(pool before, pool after, evaluations) of so many generations on a small portfolio."""
    settings = GeneticSettings(
        **{"keep_percent": keep, "spread": 0, "mutation_percent": 0, **changes}, generations=generations
    )
    state = make_state(portfolio_like(14, 4), Config(genetic=settings, threads=1))
    pool = sorted_pool(state, count)
    before = state.solver.evaluations
    after = genetic(state, pool)
    return pool, after, state.solver.evaluations - before


def test_no_generations() -> None:
    """With none the pool is left as it is."""
    before, after, evaluations = run_generations(8, 0)
    assert after == before
    assert evaluations == 0


@pytest.mark.parametrize(("count", "keep", "kept"), [(10, 50, 5), (10, 95, 10), (9, 50, 5), (10, 1, 2), (20, 95, 19)])
def test_the_best_share_survives(count: int, keep: float, kept: int) -> None:
    """One generation keeps the best p % (rounded up, two at least) and puts one child among them."""
    before, after, evaluations = run_generations(count, 1, keep)
    assert len(after) == kept + 1
    assert evaluations == 1
    survivors = [m for m in after if m.origin != "genetic"]
    assert [m.b.tobytes() for m in survivors] == [m.b.tobytes() for m in before[:kept]]
    (child,) = (m for m in after if m.origin == "genetic")
    assert child.b.sum() == 4


@pytest.mark.parametrize("seed", range(5))
def test_pool_stays_sorted(seed: int) -> None:
    """After many generations the pool is best first, and its best is no worse than at the start."""
    settings = GeneticSettings(generations=60, keep_percent=90, spread=0)
    state = make_state(portfolio_like(14, 4), Config(genetic=settings, threads=1), seed)
    before = sorted_pool(state, 30, seed)
    after = genetic(state, before)
    ranks = [m.evaluation.rank for m in after]
    assert ranks == sorted(ranks)
    assert ranks[0] <= before[0].evaluation.rank
    assert all(state.binaries.contains(m.b) for m in after)


def test_pool_shrinks_to_a_fixed_size() -> None:
    """With p = 80 a pool of 12 shrinks to 8 survivors and a child: of these 9 the best 8 stay again."""
    _, after, _ = run_generations(12, 40, 80.0)
    assert len(after) == 9


def test_ends_when_the_spread_is_small() -> None:
    """A pool whose members are within l of each other is not crossed any more."""
    before, after, evaluations = run_generations(10, 50, 50.0, spread=1e9)
    assert evaluations == 0
    assert after == before[:5]


def test_one_member_is_no_pair() -> None:
    """A pool of one is returned as it is."""
    before, after, evaluations = run_generations(1, 10)
    assert after == before
    assert evaluations == 0


def test_children_become_incumbents() -> None:
    """What the genetic phase evaluates is offered as the best answer."""
    settings = GeneticSettings(generations=80, keep_percent=60, spread=0)
    state = make_state(portfolio_like(14, 4), Config(genetic=settings, threads=1))
    after = genetic(state, sorted_pool(state, 20))
    children = [m for m in after if m.origin == "genetic"]
    assert children
    best = min(m.evaluation.objective for m in children)
    assert state.best.objective <= best
    assert state.found_by == "genetic"


# Mutation


def offspring(mutation: float, seed: int) -> np.ndarray:
    """The child of two equal parents, which differ only in what we say they are worth."""
    problem = portfolio_like(12, 4)
    settings = GeneticSettings(generations=1, keep_percent=100, spread=0, mutation_percent=mutation)
    state = make_state(problem, Config(genetic=settings, threads=1), seed)
    b = np.arange(12) < 4
    after = genetic(state, [fake(1.0, b=b), fake(2.0, b=b)])
    (child,) = (m for m in after if m.origin == "genetic")
    return child.b


def test_mutation_exchanges_a_one_and_a_zero() -> None:
    """With m = 100 every child has one 1 and one 0 exchanged; with m = 0 none has."""
    parent = np.arange(12) < 4
    for seed in range(10):
        np.testing.assert_array_equal(offspring(0.0, seed), parent)
        mutated = offspring(100.0, seed)
        assert (mutated != parent).sum() == 2
        assert mutated.sum() == 4


def test_mutation_comes_with_its_probability() -> None:
    """With m = 30 about 30 of 100 children are mutated."""
    parent = np.arange(12) < 4
    mutated = sum(bool((offspring(30.0, seed) != parent).any()) for seed in range(100))
    assert 15 <= mutated <= 45


# The pool


def test_pool_holds_what_was_asked_for() -> None:
    """Warm starts, the relaxation, roundings and random members, each evaluated, in the order of their values."""
    problem = portfolio_like(20, 5)
    state = make_state(problem, Config(pool=PoolSettings(random=6, rounded=4), threads=1))
    relaxed = {"line": Line().solve(Setting(problem, state.binaries), {}, None)}
    given = np.arange(20) < 5
    pool = build_pool(state, relaxed, [given])
    origins = [m.origin for m in pool]
    assert origins.count("warm start") == 1
    assert origins.count("line") == 1
    assert origins.count("random") == 6
    assert 1 <= origins.count("rounded line") <= 4
    ranks = [m.evaluation.rank for m in pool]
    assert ranks == sorted(ranks)
    assert all(state.binaries.contains(m.b) for m in pool)
    assert state.best.rank == ranks[0]


def test_equal_members_are_kept_once() -> None:
    """A warm start that the relaxation finds too is one member, and solved once."""
    problem = Problem(p=[3.0, -1.0, 2.0, -4.0], B=np.ones((1, 4)), b_lower=3, b_upper=3)
    state = make_state(problem, Config(pool=PoolSettings(random=0, rounded=0), threads=1))
    line = Line().solve(Setting(problem, state.binaries), {}, None)
    pool = build_pool(state, {"line": line}, [np.array([False, True, True, True])])
    assert [m.origin for m in pool] == ["warm start"]
    assert state.solver.evaluations == 1


def test_random_members_are_kept_as_drawn() -> None:
    """M_random is the number of random members, also where some of them are equal, as in the paper."""
    problem = portfolio_like(4, 2)
    state = make_state(problem, Config.paper(pool={"random": 30}, threads=1))
    pool = build_pool(state, {}, [])
    assert [m.origin for m in pool].count("random") == 30
