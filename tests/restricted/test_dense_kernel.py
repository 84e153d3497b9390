"""The dense kernel: values, multipliers and infeasibility, against an independent solver."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from problems import Recipe, make, restricted_value
from restricted_cases import RECIPES, case, kkt_residual, recipe_name
from states import portfolio_like

from hybridmip.errors import UnboundedError
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import FactorModel
from hybridmip.restricted import restricted_solver
from hybridmip.restricted.dense import LARGEST_SUPPORT, MOST_ROWS, DenseSolver, kernel_applies
from hybridmip.restricted.general import GeneralSolver
from hybridmip.restricted.protocol import moved

every_recipe = pytest.mark.parametrize("recipe", RECIPES, ids=recipe_name)


@every_recipe
def test_value_and_point(recipe: Recipe) -> None:
    """Value as the independent solver's, at a point that satisfies the caller's data; infeasible where so."""
    problem, choices, expected = case(recipe)
    solver = DenseSolver(problem, threads=1)
    for b, value in zip(choices, expected, strict=True):
        answer = solver.evaluate(b)
        assert answer.feasible == math.isfinite(value)
        if not answer.feasible:
            assert answer.x is None
            assert math.isinf(answer.objective)
            assert 0 < answer.infeasibility < math.inf
            continue
        assert answer.objective == pytest.approx(value, rel=1e-6, abs=1e-6)
        assert answer.objective == problem.objective(answer.x, b)
        lower, upper = problem.bounds_given(b)
        assert np.all((lower <= answer.x) & (answer.x <= upper)), "bounds hold exactly"
        activity = problem.A @ answer.x + problem.G @ b.astype(float)
        assert np.all(activity >= problem.row_lower - 1e-8)
        assert np.all(activity <= problem.row_upper + 1e-8)
    assert solver.evaluations == len(choices)


def test_cases_are_of_both_kinds() -> None:
    """The cases above hold feasible and infeasible restricted problems in plenty."""
    finite = np.concatenate([np.isfinite(case(recipe)[2]) for recipe in RECIPES])
    assert 0.2 < finite.mean() < 0.8
    assert finite.size >= 300


@every_recipe
def test_multipliers(recipe: Recipe) -> None:
    """x and the row multipliers satisfy the optimality conditions in the caller's units."""
    problem, choices, expected = case(recipe)
    solver = DenseSolver(problem, threads=1)
    for b in choices[np.isfinite(expected)]:
        assert kkt_residual(problem, b, solver.evaluate(b)) <= 1e-6


@pytest.mark.parametrize("rows", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_units_of_the_multipliers(size: float, rows: float) -> None:
    """min s (x0^2 + x1^2) with r (x0 + x1) = r has x = 1/2 and the multiplier s / r, whatever s and r are."""
    problem = Problem(
        Q=[size, size], A=[[rows, rows]], row_lower=rows, row_upper=rows, x_lower=0, x_upper=1, switch=[0, 1]
    )
    answer = DenseSolver(problem, 1).evaluate(np.array([True, True]))
    np.testing.assert_allclose(answer.x, [0.5, 0.5], rtol=1e-9)
    assert answer.objective == pytest.approx(size / 2)
    assert answer.row_multipliers == pytest.approx([size / rows])


def test_multiplier_is_the_price_of_the_row() -> None:
    """Moving a row's limit changes the value at the rate of its multiplier."""
    step = 1e-6

    def value(limit: float) -> tuple[float, float]:
        problem = Problem(
            Q=[[2.0, 0.5], [0.5, 1.0]],
            q=[1.0, -1.0],
            A=[[1.0, 3.0]],
            row_lower=limit,
            x_lower=0,
            x_upper=5,
            switch=[0, 1],
        )
        answer = DenseSolver(problem, 1).evaluate(np.array([True, True]))
        return answer.objective, float(answer.row_multipliers[0])

    (low, _), (_, price), (high, _) = value(4 - step), value(4.0), value(4 + step)
    assert price > 0
    assert (high - low) / (2 * step) == pytest.approx(price, rel=1e-5)


def neighbors(problem: Problem, b: np.ndarray, count: int, width: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Random moves from b: up to `width` binaries off and on, padded by -1."""
    rng = np.random.default_rng(int(b.sum()) + count)
    outs, ins = np.full((count, width), -1), np.full((count, width), -1)
    for c in range(count):
        for moves, pool in ((outs, np.flatnonzero(b)), (ins, np.flatnonzero(~b))):
            chosen = rng.permutation(pool)[: rng.integers(0, width + 1)]
            moves[c, : chosen.size] = chosen
    return outs.astype(np.intp), ins.astype(np.intp)


@every_recipe
def test_moves_equal_evaluations_one_by_one(recipe: Recipe) -> None:
    """evaluate_moves gives what evaluate gives at each neighbor, with and without an answer nearby."""
    problem, choices, _ = case(recipe)
    solver = DenseSolver(problem, threads=1)
    b = choices[1]
    outs, ins = neighbors(problem, b, 12)
    before = solver.evaluations
    values, infeasibility, _ = solver.evaluate_moves(b, outs, ins)
    assert solver.evaluations == before + 12
    again = solver.evaluate_moves(b, outs, ins, near=solver.evaluate(b))
    for c in range(12):
        answer = solver.evaluate(moved(b, outs[c], ins[c]))
        for found, distance in ((values[c], infeasibility[c]), (again[0][c], again[1][c])):
            assert found == pytest.approx(answer.objective, rel=1e-8, abs=1e-8)
            assert distance == pytest.approx(answer.infeasibility, rel=1e-5)
            assert (distance == 0) == answer.feasible


@every_recipe
def test_moves_against_the_independent_solver(recipe: Recipe) -> None:
    """Values of a few neighbors, which the fast path may have answered, are right."""
    problem, choices, _ = case(recipe)
    solver = DenseSolver(problem, threads=1)
    b = choices[2]
    outs, ins = neighbors(problem, b, 3)
    values, *_ = solver.evaluate_moves(b, outs, ins, near=solver.evaluate(b))
    for c in range(3):
        assert values[c] == pytest.approx(restricted_value(problem, moved(b, outs[c], ins[c])), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("hold", [4, 12])
def test_threads_do_not_change_a_bit(hold: int) -> None:
    """A batch large enough to be shared out has the same bits on 1, 2 and 5 threads, and in any order."""
    problem = portfolio_like(40, hold)
    b = np.arange(40) < hold
    outs, ins = (grid.reshape(-1, 1) for grid in np.meshgrid(np.arange(hold), np.arange(hold, 40), indexing="ij"))
    outs, ins = np.tile(outs, (8, 1)), np.tile(ins, (8, 1))
    assert outs.shape[0] >= 512
    one = DenseSolver(problem, 1)
    near = one.evaluate(b)
    expected = one.evaluate_moves(b, outs, ins, near=near)
    for threads in (2, 5):
        solver = DenseSolver(problem, threads)
        found = solver.evaluate_moves(b, outs, ins, near=near)
        solver.close()
        for x, y in zip(expected, found, strict=True):
            assert x.tobytes() == y.tobytes()
    order = np.random.default_rng(0).permutation(outs.shape[0])
    shuffled = one.evaluate_moves(b, outs[order], ins[order], near=near)
    for x, y in zip(expected, shuffled, strict=True):
        assert x[order].tobytes() == y.tobytes()


@pytest.mark.parametrize(
    ("row_lower", "row_upper", "distance"),
    [(-np.inf, 2.0, 0.0), (2.0, np.inf, 0.0), (2.5, 3.0, 0.5), (-1.0, -1.0, 1.0), (4.0, np.inf, 2.0)],
)
def test_infeasibility_by_hand(row_lower: float, row_upper: float, distance: float) -> None:
    """How far x0 + x1 <= 2 is from its limits, with the row scaled to unit norm; 0 exactly when feasible."""
    problem = Problem(
        Q=[1.0, 1.0], A=[[10.0, 10.0]], row_lower=10 * row_lower, row_upper=10 * row_upper,
        x_lower=0.0, x_upper=1.0, switch=[0, 1],
    )  # fmt: skip
    answer = DenseSolver(problem, 1).evaluate(np.array([True, True]))
    assert answer.feasible == (distance == 0)
    assert answer.infeasibility == pytest.approx(distance / math.sqrt(2), rel=1e-4)


def test_infeasibility_falls_on_the_way_to_feasibility() -> None:
    """The further the target is out of reach, the larger the measure: a search can descend on it."""
    distances = []
    for target in (0.9, 1.1, 1.5, 3.0):
        problem = Problem(Q=[1.0, 2.0], A=[[1.0, 0.5]], row_lower=target, x_lower=0, x_upper=[1, 1], switch=[0, 1])
        distances.append(DenseSolver(problem, 1).evaluate(np.array([True, False])).infeasibility)
    assert distances[0] == 0
    assert distances == sorted(distances)
    assert len(set(distances)) == 4


def test_rank_puts_feasible_first() -> None:
    """Ranks sort by infeasibility, then by value."""
    problem = Problem(
        Q=[1.0, 1.0], p=[5.0, 0.0], A=[[1.0, 1.0]], row_lower=1, x_lower=0, x_upper=[1.0, 0.5], switch=[0, 1]
    )
    solver = DenseSolver(problem, 1)
    choices = np.array([[1, 1], [1, 0], [0, 1], [0, 0]], dtype=bool)
    both, first, second, none = (solver.evaluate(b) for b in choices)
    ordered = sorted([none, second, first, both], key=lambda answer: answer.rank)
    assert [id(a) for a in ordered] == [id(a) for a in (both, first, second, none)]


def test_deadline_that_has_passed() -> None:
    """After the deadline nothing is solved: infinite in both, and not counted."""
    problem = portfolio_like(20, 4)
    for threads in (1, 2):
        solver = DenseSolver(problem, threads)
        outs, ins = np.zeros((600, 1), dtype=np.intp), np.full((600, 1), 10)
        values, infeasibility, _ = solver.evaluate_moves(np.arange(20) < 4, outs, ins, time.perf_counter() - 1.0)
        assert np.isinf(values).all()
        assert np.isinf(infeasibility).all()
        assert solver.evaluations == 0


def test_deadline_on_the_way() -> None:
    """A deadline inside the batch leaves the rest unsolved; what was solved is right, and it returns soon."""
    problem = portfolio_like(120, 30)
    solver = DenseSolver(problem, 1)
    b = np.arange(120) < 30
    outs, ins = (grid.reshape(-1, 1) for grid in np.meshgrid(np.arange(30), np.arange(30, 120), indexing="ij"))
    outs, ins = np.tile(outs, (6, 1)), np.tile(ins, (6, 1))
    began = time.perf_counter()
    values, infeasibility, _ = solver.evaluate_moves(b, outs, ins)
    whole = time.perf_counter() - began
    began = time.perf_counter()
    cut, distance, _ = solver.evaluate_moves(b, outs, ins, began + whole / 3)
    assert time.perf_counter() - began < whole
    solved = np.isfinite(distance)
    assert 0 < solved.sum() < solved.size
    np.testing.assert_array_equal(cut[solved], values[solved])
    np.testing.assert_array_equal(distance[solved], infeasibility[solved])
    assert np.isinf(cut[~solved]).all()


def test_large_support_goes_to_the_general_solver() -> None:
    """A support beyond the kernel's limit is solved all the same, by the solver behind it."""
    n = LARGEST_SUPPORT + 12
    problem = portfolio_like(n, n)
    solver = DenseSolver(problem, 1)
    everything = np.ones(n, dtype=bool)
    answer = solver.evaluate(everything)
    assert solver.fallbacks == 1
    assert answer.objective == pytest.approx(GeneralSolver(problem).evaluate(everything).objective, rel=1e-7)
    outs = np.array([[0], [1]])
    values, *_ = solver.evaluate_moves(everything, outs, np.full((2, 1), -1))
    for c in range(2):
        expected = GeneralSolver(problem).evaluate(moved(everything, outs[c], np.array([-1])))
        assert values[c] == pytest.approx(expected.objective, rel=1e-7)


def test_where_the_kernel_applies() -> None:
    """Many rows go to the general solver; the right one is picked."""
    few, many = (Problem(A=np.eye(rows) + np.eye(rows, k=1)) for rows in (MOST_ROWS, MOST_ROWS + 1))
    assert kernel_applies(few)
    assert not kernel_applies(many)
    assert isinstance(restricted_solver(few, 1), DenseSolver)
    assert isinstance(restricted_solver(many, 1), GeneralSolver)


def test_no_candidates() -> None:
    """An empty batch is answered by empty arrays."""
    none = np.zeros((0, 1), dtype=np.intp)
    values, infeasibility, _ = DenseSolver(portfolio_like(6, 2), 1).evaluate_moves(np.arange(6) < 2, none, none)
    assert values.shape == infeasibility.shape == (0,)


def test_unbounded() -> None:
    """A restricted problem without a minimum raises, and the message names a variable to limit."""
    problem = Problem(Q=[1.0, 0.0], q=[-1.0, -1.0], x_lower=0.0, switch=[0, 1], x_names=["steel", "flow"])
    solver = DenseSolver(problem, 1)
    assert solver.evaluate(np.array([True, False])).objective == pytest.approx(-0.25)
    with pytest.raises(UnboundedError, match=r"unbounded below.*(steel|flow)"):
        solver.evaluate(np.array([True, True]))


def test_redundant_and_contradicting_equations() -> None:
    """The same equation twice changes nothing; the same left side with another right side is infeasible."""
    rows = np.array([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]])
    on = np.ones(3, dtype=bool)
    for right, feasible in (([1.0, 2.0], True), ([1.0, 2.5], False)):
        problem = Problem(Q=np.eye(3), A=rows, row_lower=right, row_upper=right, x_lower=0, x_upper=1, switch=[0, 1, 2])
        answer = DenseSolver(problem, 1).evaluate(on)
        assert answer.feasible == feasible
        if feasible:
            np.testing.assert_allclose(answer.x, np.full(3, 1 / 3), atol=1e-9)


def test_rows_without_x() -> None:
    """A row on b alone makes the b that breaks it infeasible, and costs the others nothing."""
    problem = Problem(
        Q=[1.0, 1.0], A=np.zeros((1, 2)), G=[[1.0, 1.0]], row_upper=1.0, x_lower=0.5, x_upper=1, switch=[0, 1]
    )
    solver = DenseSolver(problem, 1)
    assert solver.evaluate(np.array([True, False])).objective == pytest.approx(0.25)
    assert not solver.evaluate(np.array([True, True])).feasible
    assert solver.evaluate(np.array([False, False])).objective == pytest.approx(0.0)


@pytest.mark.parametrize("size", [1e-8, 1e-4, 1e4])
def test_scaling_scales(size: float) -> None:
    """Multiplying the objective leaves x and multiplies the value, however small the variances are."""
    problem = portfolio_like(12, 5)
    scaled = Problem(
        Q=size * problem.Q.toarray(), q=size * problem.q, A=problem.A, row_lower=problem.row_lower,
        row_upper=problem.row_upper, x_lower=problem.x_lower, x_upper=problem.x_upper, switch=problem.switch,
    )  # fmt: skip
    b = np.arange(12) % 2 == 0
    one, other = DenseSolver(problem, 1).evaluate(b), DenseSolver(scaled, 1).evaluate(b)
    assert other.objective == pytest.approx(size * one.objective, rel=1e-9)
    np.testing.assert_allclose(other.x, one.x, atol=1e-9)


def test_factor_model_equals_its_matrix() -> None:
    """The kernel works with the factors as with the matrix they stand for."""
    rng = np.random.default_rng(1)
    factor = FactorModel(rng.normal(size=(15, 3)), np.diag([1.0, 0.5, 2.0]), rng.uniform(0.05, 0.2, 15))
    arguments = {"q": rng.normal(size=15), "A": np.ones((1, 15)), "row_lower": 1.0, "row_upper": 1.0,
                 "x_lower": 0.02, "x_upper": 0.6, "switch": np.arange(15)}  # fmt: skip
    one, other = (DenseSolver(Problem(Q=Q, **arguments), 1) for Q in (factor, factor.toarray()))
    for b in rng.random((10, 15)) < 0.5:
        assert one.evaluate(b).objective == pytest.approx(other.evaluate(b).objective, rel=1e-9)


def test_moved() -> None:
    """-1 stands for nothing, and b itself is left alone."""
    b = np.array([True, True, False])
    np.testing.assert_array_equal(moved(b, np.array([0, -1]), np.array([-1, 2])), [False, True, True])
    np.testing.assert_array_equal(b, [True, True, False])


def test_singular_block_on_the_support() -> None:
    """Two assets that are one and the same: the value is right though x is not unique."""
    problem = Problem(
        Q=np.ones((2, 2)), A=[[1.0, 1.0]], row_lower=1, row_upper=1, x_lower=0.1, x_upper=1, switch=[0, 1]
    )
    answer = DenseSolver(problem, 1).evaluate(np.array([True, True]))
    assert answer.objective == pytest.approx(1.0)
    assert problem.violation(answer.x, [True, True]) <= 1e-9


def test_shared_switch_needs_all_its_variables() -> None:
    """One binary that switches two x puts both into the support, with both buy-ins."""
    problem = make(Recipe(seed=4, quadratic="diagonal", shared=True, equations=0, inequalities=0, binary_rows="none"))
    b = np.zeros(problem.m, dtype=bool)
    b[problem.switch[0]] = True
    answer = DenseSolver(problem, 1).evaluate(b)
    own = problem.switch == problem.switch[0]
    expected = np.clip(-problem.q[own] / (2 * problem.Q.diagonal()[own]), problem.x_lower[own], problem.x_upper[own])
    np.testing.assert_allclose(answer.x[own], expected, atol=1e-9)
    assert not answer.x[~own].any()


@pytest.mark.parametrize("curvature", [0.0, 1e-9], ids=["linear", "nearly linear"])
def test_rows_that_leave_one_point(curvature: float) -> None:
    """Two equations for x0 = 1 and x1 = -0.72: there is one feasible point, and it is found."""
    A = np.array([[2.04, -2.56], [0.42, -0.57]])
    point = np.array([1.0, -0.72])
    problem = Problem(
        Q=[curvature, curvature], q=[1.0, 1.0], A=A, row_lower=A @ point, row_upper=A @ point,
        x_lower=[1.0, -1.0], x_upper=[1.0, 2.0], switch=[0, -1],
    )  # fmt: skip
    assert problem.violation(point, [True]) == 0.0
    answer = DenseSolver(problem, 1).evaluate(np.array([True]))
    assert answer.feasible
    np.testing.assert_allclose(answer.x, point, atol=1e-7)


def test_linear_rows_that_leave_one_point() -> None:
    """The same for many random linear systems: as many equations as determine x, all consistent."""
    missed = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        A, point = rng.normal(size=(3, 3)), np.array([1.0, 1.0, rng.uniform(-1, 2)])
        problem = Problem(
            q=np.ones(3), A=A, row_lower=A @ point, row_upper=A @ point,
            x_lower=[1, 1, -1], x_upper=[1, 1, 2], switch=[0, 1, -1],
        )  # fmt: skip
        missed += not DenseSolver(problem, 1).evaluate(np.array([True, True])).feasible
    assert missed == 0
