"""Descent: no move that could help is screened out, and what it returns is a local optimum by brute force."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from problems import BINARY_ROWS, BOUNDS, QUADRATIC, Recipe, all_members, make, optimum, restricted_value
from states import make_state, member, portfolio_like

from hybridmip.bounds.diagonal import phi
from hybridmip.model.problem import Problem
from hybridmip.restricted.protocol import moved
from hybridmip.run.clock import StopSearch
from hybridmip.run.config import Config
from hybridmip.run.settings import WalkSettings
from hybridmip.run.state import SearchState, better
from hybridmip.search.descent import best_move, candidate_moves, descend, marginal_costs
from hybridmip.search.descents import Descents
from hybridmip.search.neighborhood import neighborhood
from hybridmip.search.pool import Member
from hybridmip.search.shaking import ELITE, Elite, shake, shaking

SHAPES = (
    {"costs": True},
    {"equations": 2, "inequalities": 0, "mixed_rows": True, "unswitched": 1},
    {"equations": 0, "inequalities": 2, "shared": True, "costs": True},
    {"idle": 1, "unswitched": 2, "inequalities": 2},
)
RECIPES = tuple(
    Recipe(
        seed=500 + i, binaries=6, quadratic=quadratic, bounds=bounds, binary_rows=BINARY_ROWS[i % 6], **SHAPES[i % 4]
    )
    for i, (quadratic, bounds) in enumerate(itertools.product(QUADRATIC, BOUNDS))
)


def recipe_name(recipe: Recipe) -> str:
    """A short id."""
    return f"{recipe.quadratic}-{recipe.bounds}-{recipe.binary_rows}-{recipe.seed}"


every_recipe = pytest.mark.parametrize("recipe", RECIPES, ids=recipe_name)


def members_of(problem: Problem) -> np.ndarray:
    """Every b that satisfies the rows on b."""
    return all_members(problem.B.toarray(), problem.b_lower, problem.b_upper, problem.m)


def near(problem: Problem, b: np.ndarray) -> np.ndarray:
    """Members that differ from b by one flip or by the exchange of a 1 and a 0."""
    everything = members_of(problem)
    off, on = (b & ~everything).sum(axis=1), (~b & everything).sum(axis=1)
    return everything[(off <= 1) & (on <= 1) & (off + on > 0)]


# Screening


@pytest.mark.parametrize("diagonal", ["none", "phi"])
@every_recipe
def test_screening_bound_is_valid(recipe: Recipe, diagonal: str) -> None:
    """From a feasible b every flip and exchange has a value at least f(b) + what its marginal costs say."""
    problem = make(recipe)
    state = make_state(problem)
    if diagonal == "phi":
        state.guide(diagonal=phi(problem.Q))
    everything = members_of(problem)
    starts = np.random.default_rng(recipe.seed).permutation(len(everything))
    feasible = [m for m in (member(state, everything[i]) for i in starts[:8]) if m.evaluation.feasible][:2]
    for current in feasible:
        value = current.evaluation.objective
        outs, ins, change = candidate_moves(state, current.b, marginal_costs(state, current.b, current.evaluation))
        for k in range(outs.size):
            true = restricted_value(problem, moved(current.b, outs[[k]], ins[[k]]))
            assert true >= value + change[k] - 1e-6 * max(1.0, abs(value))


def test_screening_bound_holds_for_any_member() -> None:
    """The bound is linear in b, so it holds for every other b at once, not only for neighbors."""
    problem = make(Recipe(seed=31, binaries=6, quadratic="dense", binary_rows="range", costs=True))
    state = make_state(problem)
    state.guide(diagonal=phi(problem.Q))
    everything = members_of(problem)
    values = np.array([restricted_value(problem, b) for b in everything])
    for b, value in zip(everything, values, strict=True):
        if not math.isfinite(value):
            continue
        costs = marginal_costs(state, b, state.solver.evaluate(b))
        bound = value + everything @ costs - costs @ b
        assert np.all(values >= bound - 1e-6 * max(1.0, abs(value)))


def test_screening_is_exact_without_curvature_and_rows() -> None:
    """For a linear objective without rows the marginal costs are the true changes."""
    problem = Problem(q=[-1.0, 2.0, -3.0], p=[0.5, 0.25, 4.0], x_lower=0.5, x_upper=1.0, switch=[0, 1, 2])
    state = make_state(problem)
    b = np.array([True, False, True])
    costs = marginal_costs(state, b, state.solver.evaluate(b))
    np.testing.assert_allclose(costs, [-0.5, 1.25, 1.0], atol=1e-7)


def test_screening_rules_out_most_moves() -> None:
    """It is worth having: with a diagonal Q most exchanges at a local optimum need no QP."""
    dense = portfolio_like(40, 8)
    problem = Problem(
        Q=dense.Q.diagonal(), q=dense.q, A=dense.A, row_lower=dense.row_lower, row_upper=dense.row_upper,
        B=dense.B, b_lower=8, b_upper=8, x_lower=dense.x_lower, x_upper=1.0, switch=dense.switch,
    )  # fmt: skip
    state = make_state(problem)
    state.guide(diagonal=phi(problem.Q))
    top = descend(state, member(state, np.arange(40) < 8))
    _, _, change = candidate_moves(state, top.b, marginal_costs(state, top.b, top.evaluation))
    assert change.size == 8 * 32
    assert (change < 0).mean() < 0.2


# Moves


@every_recipe
def test_candidate_moves_are_all_there_are(recipe: Recipe) -> None:
    """Every flip and exchange that keeps the rows on b is a candidate, once, and nothing else is."""
    problem = make(recipe)
    state = make_state(problem)
    for b in members_of(problem)[::5]:
        outs, ins, change = candidate_moves(state, b, None)
        found = [moved(b, outs[[k]], ins[[k]]).tobytes() for k in range(outs.size)]
        assert len(found) == len(set(found))
        assert set(found) == {neighbor.tobytes() for neighbor in near(problem, b)}
        assert np.isneginf(change).all()


@every_recipe
def test_best_move_is_the_best(recipe: Recipe) -> None:
    """best_move() is the best of all flips and exchanges, or None where none is better."""
    problem = make(recipe)
    state = make_state(problem)
    state.guide(diagonal=phi(problem.Q))
    everything = members_of(problem)
    for b in everything[np.random.default_rng(1).permutation(len(everything))[:3]]:
        current = member(state, b)
        if not current.evaluation.feasible:
            continue
        value = current.evaluation.objective
        best = min((restricted_value(problem, neighbor) for neighbor in near(problem, b)), default=math.inf)
        found = best_move(state, current)
        tolerance = 1e-6 * max(1.0, abs(value))
        if found is None:
            assert best >= value - tolerance
        else:
            assert found.evaluation.objective < value
            assert found.evaluation.objective == pytest.approx(best, abs=tolerance)


def check_local_optimum(problem: Problem, state: SearchState, end: Member) -> None:
    """No flip and no exchange of the b is better, by the independent solver."""
    assert state.binaries.contains(end.b)
    if end.evaluation.feasible:
        value = end.evaluation.objective
        assert value == pytest.approx(restricted_value(problem, end.b), rel=1e-6, abs=1e-6)
        for neighbor in near(problem, end.b):
            assert restricted_value(problem, neighbor) >= value - 1e-6 * max(1.0, abs(value))
    else:
        for neighbor in near(problem, end.b):
            assert not better(state.solver.evaluate(neighbor).rank, end.evaluation.rank)


@every_recipe
def test_descend_ends_in_a_local_optimum(recipe: Recipe) -> None:
    """From a random start: no flip and no exchange of the b it returns is better."""
    problem = make(recipe)
    state = make_state(problem, seed=3)
    state.guide(diagonal=phi(problem.Q))
    start = member(state, state.binaries.random(np.random.default_rng(recipe.seed)))
    end = descend(state, start)
    assert end.evaluation.rank <= start.evaluation.rank
    check_local_optimum(problem, state, end)


@every_recipe
def test_descents_side_by_side_end_in_local_optima(recipe: Recipe) -> None:
    """The same for several starts at once, compiled where the rows on b are disjoint counts."""
    problem = make(recipe)
    state = make_state(problem, seed=3)
    state.guide(diagonal=phi(problem.Q))
    rng = np.random.default_rng(recipe.seed)
    starts = [(state.binaries.random(rng), f"start {k}") for k in range(3)]
    given = [b.copy() for b, _ in starts]
    ends = Descents(state).run(starts)
    assert [end.origin for end in ends] == ["start 0", "start 1", "start 2"]
    for (b, _), before, end in zip(starts, given, ends, strict=True):
        np.testing.assert_array_equal(b, before)
        assert end.evaluation.rank <= state.solver.evaluate(b).rank
        check_local_optimum(problem, state, end)
    assert state.best.rank == min(end.evaluation.rank for end in ends)


def test_descents_with_unlimited_x() -> None:
    """min q'x + 5 b0 with a'x = 1, one of two on, x >= 0: from b0 the exchange to b1 is always better."""
    stuck = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        problem = Problem(
            q=rng.uniform(0.1, 1, 2), p=[5.0, 0.0], A=[rng.uniform(0.5, 2, 2)], row_lower=1, row_upper=1, x_lower=0.0,
            switch=[0, 1], B=[[1, 1]], b_lower=1, b_upper=1,
        )  # fmt: skip
        (end,) = Descents(make_state(problem)).run([(np.array([True, False]), "start")])
        stuck += bool(end.b[0])
    assert stuck == 0


def test_descents_ask_the_general_solver_too() -> None:
    """A small linear problem on which the kernel leaves the best flip to the general solver: it is still found."""
    recipe = Recipe(
        seed=213171021, binaries=7, quadratic="zero", binary_rows="none", bounds="twins", equations=1, inequalities=0,
        costs=True, unswitched=1, shared=True,
    )  # fmt: skip
    problem = make(recipe)
    state = make_state(problem)
    (end,) = Descents(state).run([(state.binaries.random(np.random.default_rng(0)), "start")])
    check_local_optimum(problem, state, end)


@pytest.mark.parametrize("threads", [2, 4])
def test_descents_do_not_depend_on_threads(threads: int) -> None:
    """The same local optima, values and counts on one thread and on several."""
    problem = portfolio_like(40, 6)
    ends, counts = [], []
    for k in (1, threads):
        state = make_state(problem, Config(threads=k))
        rng = np.random.default_rng(0)
        found = Descents(state).run([(state.binaries.random(rng), "start") for _ in range(6)])
        state.solver.close()
        ends.append([(end.b.tobytes(), end.evaluation.objective) for end in found])
        counts.append(state.solver.evaluations)
    assert ends[0] == ends[1]
    assert counts[0] == counts[1]


def test_descents_equal_the_descent_in_python() -> None:
    """Both take the best of all neighbors, so from one start they end at one value."""
    problem = portfolio_like(30, 5)
    for seed in range(4):
        state = make_state(problem)
        state.guide(diagonal=phi(problem.Q))
        b = state.binaries.random(np.random.default_rng(seed))
        (compiled,) = Descents(state).run([(b, "start")])
        assert compiled.evaluation.objective == pytest.approx(descend(state, member(state, b)).evaluation.objective)


def test_descend_keeps_the_incumbent() -> None:
    """Whatever is found on the way is the state's best, and its value falls from incumbent to incumbent."""
    problem = portfolio_like(30, 6)
    state = make_state(problem)
    start = np.arange(30) < 6
    end = descend(state, Member(start, state.evaluate(start, "start"), "start"))
    assert state.best.rank == end.evaluation.rank
    np.testing.assert_array_equal(state.best_b, end.b)
    values = [incumbent.objective for incumbent in state.trace]
    assert values == sorted(values, reverse=True)
    assert len(values) >= 2


def test_descend_from_an_infeasible_start() -> None:
    """Near the top of the frontier nearly every b is infeasible: descending on infeasibility finds one that is not."""
    n = 30
    returns = np.linspace(0.0, 1.0, n)
    problem = Problem(
        Q=np.eye(n), A=np.vstack([np.ones(n), returns]), row_lower=[1.0, 0.985], row_upper=[1.0, np.inf],
        B=np.ones((1, n)), b_lower=3, b_upper=3, x_lower=0.01, x_upper=1.0, switch=np.arange(n),
    )  # fmt: skip
    state = make_state(problem)
    start = member(state, np.arange(n) < 3)
    assert not start.evaluation.feasible
    assert descend(state, start).evaluation.feasible


# Ranks and shakes


@pytest.mark.parametrize(
    ("candidate", "than", "expected"),
    [
        ((0.0, 1.0), (0.0, 2.0), True),
        ((0.0, 2.0), (0.0, 1.0), False),
        ((0.0, 1.0), (0.0, 1.0), False),
        ((0.0, 1.0), (0.0, 1.0 + 1e-12), False),
        ((0.0, -1.0), (0.0, -1.0 + 1e-6), True),
        ((0.0, 99.0), (0.1, math.inf), True),
        ((0.1, math.inf), (0.0, 99.0), False),
        ((0.1, math.inf), (0.2, math.inf), True),
        ((0.1, math.inf), (math.inf, math.inf), True),
        ((math.inf, math.inf), (math.inf, math.inf), False),
        ((0.0, 0.0), (0.0, 1e-15), True),
    ],
)
def test_better(candidate: tuple[float, float], than: tuple[float, float], expected: bool) -> None:
    """Feasible before infeasible, then the value; better means by more than rounding."""
    assert better(candidate, than) is expected


@pytest.mark.parametrize("binary_rows", BINARY_ROWS)
def test_shake_stays_in_the_set(binary_rows: str) -> None:
    """Shakes of every strength are members, and the given b is not written into."""
    problem = make(Recipe(seed=2, binaries=8, quadratic="zero", binary_rows=binary_rows))
    state = make_state(problem)
    b = state.binaries.random(np.random.default_rng(0))
    before = b.copy()
    for strength in (1, 2, 5):
        assert state.binaries.contains(shake(state, b, strength))
    np.testing.assert_array_equal(b, before)


def test_elite_keeps_the_best_distinct() -> None:
    """At most ELITE members, no two equal, best first."""
    state = make_state(portfolio_like(12, 4))
    elite = Elite()
    offered = [member(state, state.binaries.random(state.rng)) for _ in range(60)]
    for m in [*offered, *offered]:
        elite.add(m)
    distinct = {m.b.tobytes(): m.evaluation.rank for m in offered}
    assert [m.evaluation.rank for m in elite.members] == sorted(distinct.values())[:ELITE]
    assert len({m.b.tobytes() for m in elite.members}) == ELITE


@pytest.mark.parametrize("seed", range(6))
def test_shaking_finds_the_optimum_of_a_small_problem(seed: int) -> None:
    """From one poor start, the optimum of 8 choose 3 by trying every b."""
    problem = portfolio_like(8, 3, seed)
    state = make_state(problem, seed=seed)
    start = member(state, np.arange(8) < 3)
    assert shaking(state, [start]).evaluation.objective == pytest.approx(optimum(problem)[0], rel=1e-7)


# The paper's neighborhood


def count_evaluations(state: SearchState, start: Member) -> int:
    """Restricted problems solved by the paper's search from `start`."""
    before = state.solver.evaluations
    neighborhood(state, start)
    return state.solver.evaluations - before


def test_neighborhood_ends_after_its_limit() -> None:
    """From the optimum nothing is better: exactly `walk.limit` neighbors are tried."""
    problem = portfolio_like(8, 3)
    state = make_state(problem)
    state.config = state.config.replace(walk=WalkSettings(limit=25))
    best = optimum(problem)[1]
    assert count_evaluations(state, member(state, best)) == 25


def test_neighborhood_moves_to_what_is_better() -> None:
    """With patience it finds the optimum of a small problem; what it returns is no worse than its start."""
    problem = portfolio_like(8, 3)
    state = make_state(problem)
    state.config = state.config.replace(walk=WalkSettings(limit=400))
    start = member(state, np.arange(8) < 3)
    end = neighborhood(state, start)
    assert end.evaluation.objective == pytest.approx(optimum(problem)[0], rel=1e-7)
    assert end.evaluation.rank <= start.evaluation.rank


def test_neighborhood_walks_on_from_a_worse_neighbor() -> None:
    """As in the paper the walk goes on from the last neighbor, so with two steps it is two exchanges away."""
    problem = portfolio_like(12, 6)
    state = make_state(problem)
    state.config = state.config.replace(walk=WalkSettings(limit=6))
    visited: list[np.ndarray] = []
    evaluate = state.evaluate

    def spy(b: np.ndarray, found_by: str) -> object:
        visited.append(b.copy())
        return evaluate(b, found_by)

    state.evaluate = spy
    start = descend(state, member(state, np.arange(12) < 6))
    visited.clear()
    neighborhood(state, start)
    steps = [start.b, *visited]
    assert all((a != b).sum() == 2 for a, b in itertools.pairwise(steps))
    assert max((start.b != b).sum() for b in visited) > 2


def test_evaluations_end_at_their_limit() -> None:
    """State.evaluate raises once the evaluations are used up."""
    state = make_state(portfolio_like(8, 3))
    state.config = state.config.replace(evaluation_limit=3)
    for k in range(3):
        state.evaluate(state.binaries.random(state.rng), str(k))
    with pytest.raises(StopSearch):
        state.evaluate(state.binaries.random(state.rng), "one too many")
