"""The relaxations: every bound is below the optimum, and what each of them promises beside it."""

from __future__ import annotations

import itertools
import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from problems import BINARY_ROWS, BOUNDS, QUADRATIC, Recipe, _linear, all_members, make, optimum
from states import portfolio_like

from hybridmip import Config, solve
from hybridmip.bounds.diagonal import LARGEST_FACTOR_PHI, phi
from hybridmip.bounds.formula import box_minimum
from hybridmip.bounds.multipliers import priced_limits, usable_multipliers
from hybridmip.model.binaries import BinarySet
from hybridmip.model.implied import implied_bounds
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import FactorModel
from hybridmip.model.units import Proof
from hybridmip.relax.augm import Augm, diagonal_objective
from hybridmip.relax.discretise import discretise
from hybridmip.relax.dual import Dual
from hybridmip.relax.infeasible import clashing_rows
from hybridmip.relax.line import Line
from hybridmip.relax.persp import Persp
from hybridmip.relax.protocol import RelaxationFailed, Relaxed, Setting

INF = np.inf
SHAPES = (
    {"costs": True},
    {"equations": 2, "inequalities": 0, "mixed_rows": True, "unswitched": 1},
    {"equations": 0, "inequalities": 2, "shared": True, "costs": True},
    {"idle": 1, "unswitched": 2, "inequalities": 2},
)
RECIPES = tuple(
    Recipe(seed=40 + i, binaries=5, quadratic=quadratic, bounds=bounds, binary_rows=BINARY_ROWS[i % 6], **SHAPES[i % 4])
    for i, (quadratic, bounds) in enumerate(itertools.product(QUADRATIC, BOUNDS))
)


def recipe_name(recipe: Recipe) -> str:
    """A short id."""
    return f"{recipe.quadratic}-{recipe.bounds}-{recipe.binary_rows}-{recipe.seed}"


every_recipe = pytest.mark.parametrize("recipe", RECIPES, ids=recipe_name)


@cache
def case(recipe: Recipe) -> tuple[Setting, float]:
    """(setting, optimum by trying every b); the recipes are feasible."""
    problem = make(recipe)
    best, _ = optimum(problem)
    assert math.isfinite(best)
    return Setting(problem), best


def relax(setting: Setting, weight: float = 1e-7) -> dict[str, Relaxed]:
    """All of them."""
    found: dict[str, Relaxed] = {}
    for role in (Line(), Dual(), Augm(weight), Persp()):
        found[role.name] = role.solve(setting, found, None)
    return found


def slack(value: float) -> float:
    """What the reference solver's own tolerance can be off."""
    return 1e-7 * max(1.0, abs(value))


# Bounds


@every_recipe
def test_bounds_are_below_the_optimum(recipe: Recipe) -> None:
    """Every relaxation gives a number at most the optimum, finite on problems with bounds."""
    setting, best = case(recipe)
    for name, found in relax(setting).items():
        assert found.bound <= best + slack(best), name
        assert found.name == name
        assert found.scores.shape == found.b.shape == (setting.problem.m,)
        assert np.all((found.b >= 0) & (found.b <= 1))
        assert not np.isnan(found.bound)
        if recipe.bounds != "unlimited" and not recipe.unswitched:
            assert np.isfinite(found.bound), name


@pytest.mark.parametrize(
    "recipe", [r for r in RECIPES if r.quadratic in ("diagonal", "dense", "factor")], ids=recipe_name
)
def test_dual_equals_line_for_a_definite_matrix(recipe: Recipe) -> None:
    """Strong duality: with Q > 0 the dual's value is the continuous relaxation's."""
    setting, _ = case(recipe)
    found = relax(setting)
    scale = max(abs(found["line"].bound), abs(found["line"].bound - setting.problem.offset))
    relaxed_value = setting.problem.objective(found["line"].x, found["line"].b)
    assert found["dual"].bound == pytest.approx(relaxed_value, abs=1e-6 * scale)
    if (
        setting.binaries.kind == "general" and setting.binaries.possible.all()
    ):  # else Line's bound keeps the rows on b inside, and may be better
        assert found["line"].bound == pytest.approx(found["dual"].bound, abs=1e-6 * scale)
    assert found["line"].bound >= found["dual"].bound - 1e-6 * scale


@pytest.mark.parametrize("recipe", [r for r in RECIPES if r.bounds != "unlimited"], ids=recipe_name)
def test_persp_dominates_line(recipe: Recipe) -> None:
    """With part of the curvature tied to the switches the bound is no worse than Line's, nor than with D = 0."""
    setting, best = case(recipe)
    line = Line().solve(setting, {}, None).bound
    tied, loose = (Persp(d).solve(setting, {}, None).bound for d in (None, np.zeros(setting.problem.n)))
    if np.isfinite(line):
        assert tied >= line - 1e-6 * max(1.0, abs(best))
        assert loose == pytest.approx(line, abs=1e-5 * max(1.0, abs(best)))


@pytest.mark.parametrize("recipe", RECIPES[::3], ids=recipe_name)
@pytest.mark.parametrize("weight", [0.0, 1e-7, 1e-2, 1.0, 1e3, 1e8])
def test_augm_is_a_bound_for_every_weight(recipe: Recipe, weight: float) -> None:
    """The square vanishes on the feasible set, so h is a bound whatever its weight is."""
    setting, best = case(recipe)
    assert Augm(weight).solve(setting, {}, None).bound <= best + slack(best)


@pytest.mark.parametrize("weight", [1e5, 1e7])
def test_augm_is_a_bound_in_spite_of_rounding(weight: float) -> None:
    """Small curvatures beside a heavy square: what cancels is taken off, and the bound stays one."""
    for seed in range(15):
        rng = np.random.default_rng(seed)
        problem = Problem(
            Q=10.0 ** rng.uniform(-4, 0, 3), q=rng.uniform(0, 1, 3), A=np.ones((1, 3)), row_lower=10, row_upper=10,
            x_lower=0.1, x_upper=9.0, switch=[0, 1, 2],
        )  # fmt: skip
        best, _ = optimum(problem)
        assert Augm(weight).solve(Setting(problem), {}, None).bound <= best + slack(best)


def test_line_has_a_bound_where_an_x_has_none() -> None:
    """With Q > 0 the relaxation has a minimum, and so a bound, though one x has no bounds."""
    problem = make(
        Recipe(seed=838072426, binaries=2, binary_rows="range", bounds="from zero", equations=0, unswitched=1)
    )
    assert np.linalg.eigvalsh(problem.Q.toarray()).min() > 0
    assert np.isfinite(Line().solve(Setting(problem), {}, None).bound)


@pytest.mark.parametrize("weight", [0.0, 1e-7, 1e-2, 10.0])
@pytest.mark.parametrize("quadratic", ["diagonal", "dense", "factor"])
def test_augmented_value_is_the_formula(quadratic: str, weight: float) -> None:
    """h by Woodbury equals h with M = Phi + lg A'A as a full matrix, at any multipliers, and is a bound."""
    problem = make(Recipe(seed=77, binaries=5, quadratic=quadratic, equations=2, inequalities=0, costs=True))
    setting, best = Setting(problem), optimum(problem)[0]
    rng = np.random.default_rng(0)
    diagonal, q, p, offset = diagonal_objective(setting)
    A, c_a, B, c_b = problem.A.toarray(), problem.row_lower, problem.B.toarray(), problem.b_lower
    for _ in range(5):
        la, lb = rng.normal(size=2), rng.normal(size=1)
        low, high = rng.exponential(size=problem.n), rng.exponential(size=problem.n)
        # In the paper's signs: g = q + A'la - ll + lu, c = p + B'lb + L ll - U lu.
        g = q + A.T @ la - low + high
        c = p + B.T @ lb
        np.add.at(c, problem.switch, problem.x_lower * low - problem.x_upper * high)
        M = np.diag(diagonal) + weight * A.T @ A
        x = -np.linalg.solve(M, g - 2 * weight * A.T @ c_a) / 2
        h = -x @ M @ x + weight * c_a @ c_a + np.minimum(c, 0).sum() - la @ c_a - lb @ c_b + offset
        found = Relaxed("augm", c, 0.0, x, c, 0.0, -la, -lb, low, high)
        value = Augm(weight)._augmented_value(setting, diagonal, q, offset, c, found, np.zeros(problem.n))
        assert value == pytest.approx(h, rel=1e-7, abs=1e-7)
        assert value <= best + slack(best)


@pytest.mark.parametrize("diagonal", ["none", "phi"])
@every_recipe
def test_lagrangian_bound_holds_for_any_point_and_multipliers(recipe: Recipe, diagonal: str) -> None:
    """The closed formula is below the optimum at random points and multipliers, small and large."""
    setting, best = case(recipe)
    problem = setting.problem
    rng = np.random.default_rng(recipe.seed)
    D = phi(problem.Q) if diagonal == "phi" else np.zeros(problem.n)
    for size in (0.0, 1e-9, 1e-3, 0.1, 1.0, 1.0, 10.0, 1e4, 1e9):
        parts = (size * rng.normal(size=k) for k in (problem.n, problem.rows, problem.B.shape[0]))
        bound = setting.formula.bound(Proof(D, *parts))
        assert bound <= best + slack(best)
        assert not np.isnan(bound)


@every_recipe
def test_lagrangian_bound_around_the_best_multipliers(recipe: Recipe) -> None:
    """So it is near Line's own point and multipliers, where it is tight; with Phi it is no worse there."""
    setting, best = case(recipe)
    problem, line = setting.problem, Line().solve(setting, {}, None)
    rng = np.random.default_rng(recipe.seed)
    for size in (0.0, 1e-8, 1e-5, 1e-2):
        x = line.x + size * rng.normal(size=problem.n)
        la = line.row_multipliers * (1 + size * rng.normal(size=problem.rows))
        mu = line.binary_multipliers * (1 + size * rng.normal(size=problem.B.shape[0]))
        plain, with_phi = (setting.formula.bound(Proof(D, x, la, mu)) for D in (np.zeros(problem.n), phi(problem.Q)))
        assert plain <= best + slack(best)
        assert with_phi <= best + slack(best)


def test_lagrangian_bound_by_hand() -> None:
    """min x0^2 + x1^2, x0 + x1 = 1, one of two held: at y = (1, 0), la = 2 the bound is the optimum with D = Q."""
    problem = Problem(
        Q=[1.0, 1.0], A=[[1.0, 1.0]], row_lower=1, row_upper=1, B=[[1, 1]], b_lower=1, b_upper=1,
        x_lower=0.5, x_upper=1.0, switch=[0, 1],
    )  # fmt: skip
    setting = Setting(problem)
    point, la, mu = np.array([1.0, 0.0]), np.array([2.0]), np.zeros(1)
    # D = Q: min over [0.5, 1] of x^2 - 2x is -1 at 1; one is taken; 2 * 1 - 1 = 1, the optimum.
    assert setting.formula.bound(Proof(np.ones(2), point, la, mu)) == pytest.approx(1.0)
    # D = 0: y'Qy = 1 off; slopes 0 and -2, so the second is taken at x = 1: -1 + 2 - 2 = -1.
    assert setting.formula.bound(Proof(np.zeros(2), point, la, mu)) == pytest.approx(-1.0)


def test_multipliers_of_missing_limits_are_dropped() -> None:
    """A multiplier prices the limit on its side; where there is none it counts as zero."""
    lower, upper = np.array([1.0, -INF, -INF, 2.0]), np.array([INF, 3.0, INF, 2.0])
    np.testing.assert_array_equal(usable_multipliers(np.array([1.0, 1.0, 1.0, 1.0]), lower, upper), [1, 0, 0, 1])
    np.testing.assert_array_equal(usable_multipliers(-np.ones(4), lower, upper), [0, -1, 0, -1])
    np.testing.assert_array_equal(priced_limits(np.array([2.0, -2.0, 0.0, -1.0]), lower, upper), [2, -6, 0, -2])


def test_box_minimum_against_a_grid() -> None:
    """min of d x^2 + v x over an interval, against a fine grid; -inf exactly where it falls without limit."""
    rng = np.random.default_rng(0)
    d = np.where(rng.random(200) < 0.3, 0.0, rng.exponential(size=200))
    v = rng.normal(size=200) * 3
    lower = -rng.exponential(size=200)
    upper = lower + rng.exponential(size=200) * 3
    found = box_minimum(d, v, lower, upper)
    grid = lower + (upper - lower) * np.linspace(0, 1, 20001)[:, None]
    exact = (d * grid**2 + v * grid).min(axis=0)
    assert np.all(found <= exact + 1e-12)
    np.testing.assert_allclose(found, exact, atol=1e-6)
    values = box_minimum(
        np.array([0.0, 0.0, 1.0, 0.0, 0.0]), np.array([1.0, -1.0, 2.0, 0.0, 1.0]),
        np.array([-INF, 0, -INF, -INF, 2.0]), np.array([0.0, INF, INF, INF, INF]),
    )  # fmt: skip
    np.testing.assert_allclose(values, [-INF, -INF, -1.0, 0.0, 2.0])


# Diagonals


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("quadratic", QUADRATIC)
def test_phi_is_below_q(quadratic: str, seed: int) -> None:
    """0 <= Phi and Q - diag(Phi) >= 0 for every form, up to rounding; positive where Q is definite."""
    form = make(Recipe(seed=seed, binaries=12, quadratic=quadratic)).Q
    diagonal = phi(form)
    matrix = form.toarray()
    assert np.all(diagonal >= 0)
    scale = max(np.abs(matrix).max(), 1e-300)
    assert np.linalg.eigvalsh(matrix - np.diag(diagonal)).min() >= -1e-12 * scale
    if quadratic in ("diagonal", "dense", "factor"):
        assert np.all(diagonal > 0)


def test_phi_is_the_papers() -> None:
    """1 / sum_k |Q^-1_jk|, on a matrix and on the factor model it comes from."""
    rng = np.random.default_rng(0)
    factor = FactorModel(rng.normal(size=(20, 3)), np.diag([1.0, 0.5, 0.1]), rng.uniform(0.1, 1, 20))
    expected = 1 / np.abs(np.linalg.inv(factor.toarray())).sum(axis=1)
    for Q in (factor, factor.toarray()):
        np.testing.assert_allclose(phi(Problem(Q=Q).Q), expected, rtol=1e-6)


def test_phi_of_blocks() -> None:
    """A sparse Q is handled block by block: a singular block gets 0 and does not touch the others."""
    Q = np.zeros((5, 5))
    Q[:2, :2], Q[2:4, 2:4], Q[4, 4] = [[2, 1], [1, 2]], 1.0, 7.0
    from scipy import sparse

    np.testing.assert_allclose(phi(Problem(Q=sparse.csr_array(Q)).Q), [1, 1, 0, 0, 7], atol=1e-6)


def test_phi_of_a_large_factor_model() -> None:
    """Beyond the size whose inverse is formed, the specific variances serve."""
    n = LARGEST_FACTOR_PHI + 1
    factor = FactorModel(np.ones((n, 1)), [[1.0]], np.linspace(0.5, 1.0, n))
    np.testing.assert_array_equal(phi(factor), factor.specific_variance)


def test_diagonal_objective_is_nowhere_above() -> None:
    """Augm's diagonal objective is at most the problem's own at every feasible point of a MILP."""
    problem = make(
        Recipe(seed=5, quadratic="zero", equations=0, inequalities=0, binary_rows="none", unswitched=2, costs=True)
    )
    diagonal, q, p, offset = diagonal_objective(Setting(problem))
    assert np.all(diagonal > 0)
    rng = np.random.default_rng(0)
    for _ in range(200):
        b = rng.random(problem.m) < 0.5
        lower, upper = problem.bounds_given(b)
        x = lower + (upper - lower) * rng.choice([0.0, 1.0, rng.random()], problem.n)
        assert x @ (diagonal * x) + q @ x + p @ b + offset <= problem.objective(x, b) + 1e-12


# Implied bounds


def extremes(problem: Problem, j: int) -> tuple[float, float]:
    """Least and most of x_j over every feasible point with its switch on."""
    low, high = INF, -INF
    for b in all_members(problem.B.toarray(), problem.b_lower, problem.b_upper, problem.m):
        if problem.switched[j] and not b[problem.switch[j]]:
            continue
        lower, upper = problem.bounds_given(b)
        shift = problem.G @ b.astype(float)
        arguments = (problem.A.toarray(), problem.row_lower - shift, problem.row_upper - shift, lower, upper)
        cost = np.zeros(problem.n)
        cost[j] = 1.0
        for sign in (1.0, -1.0):
            box = [np.clip(bounds, -1e4, 1e4) for bounds in (lower, upper)]
            x, feasible = _linear(sign * cost, *arguments[:3], *box)
            if feasible:
                low, high = min(low, x[j]), max(high, x[j])
    return low, high


@pytest.mark.parametrize("seed", range(12))
def test_implied_bounds_are_implied(seed: int) -> None:
    """No feasible point lies outside of a bound that was read off the rows; the caller's only come nearer to zero."""
    recipe = Recipe(
        seed=seed, binaries=3, quadratic="diagonal", bounds="unlimited", binary_rows="none", equations=1,
        inequalities=2, mixed_rows=seed % 2 == 0, unswitched=seed % 3, shared=seed % 4 == 1,
    )  # fmt: skip
    problem = make(recipe)
    lower, upper = implied_bounds(problem)
    given_low, given_high = np.isfinite(problem.x_lower), np.isfinite(problem.x_upper)
    assert (lower >= problem.x_lower).all()
    assert (upper <= problem.x_upper).all()
    kept = ~problem.switched
    np.testing.assert_array_equal(lower[given_low & kept], problem.x_lower[given_low & kept])
    np.testing.assert_array_equal(upper[given_high & kept], problem.x_upper[given_high & kept])
    for j in np.flatnonzero((lower != problem.x_lower) | (upper != problem.x_upper)):
        low, high = extremes(problem, int(j))
        assert low >= lower[j] - 1e-7
        assert high <= upper[j] + 1e-7


def test_implied_bounds_by_hand() -> None:
    """x >= 0 with x0 + x1 + 2 x2 = 1 + b gives 2, 2 and 1; a row that is open on one side gives nothing."""
    problem = Problem(
        A=[[1, 1, 2, 0], [0, 0, 1, -1]], G=[[-1.0], [0.0]], row_lower=[1, -INF], row_upper=[1, 5], x_lower=0,
        switch=[0, -1, 0, -1],
    )  # fmt: skip
    lower, upper = implied_bounds(problem)
    np.testing.assert_array_equal(lower, np.zeros(4))
    np.testing.assert_allclose(upper, [2, 2, 1, INF], rtol=1e-8)


def test_a_large_u_is_made_smaller() -> None:
    """x <= 1000 b, where a row allows 5: the relaxation and its certificate are those of x <= 5 b."""
    bounds = []
    for u in (1000.0, 5.0):
        problem = Problem(
            q=[1.0, 2.0], p=[10.0, 4.0], A=[[1.0, 1.0], [1.0, -1.0]], row_lower=[5.0, -INF], row_upper=[5.0, 9.0],
            x_lower=0.0, x_upper=u, switch=[0, 1],
        )  # fmt: skip
        setting = Setting(problem)
        np.testing.assert_allclose(setting.upper, [5.0, 5.0], rtol=1e-8)
        relaxed = Line().solve(setting, {}, None)
        bounds.append(relaxed.bound)
        result = solve(problem, config=Config(enumerate_up_to=0))
        assert result.certificate is not None
        assert result.certificate.verify(problem)
        assert result.certificate.claimed == pytest.approx(relaxed.bound, rel=1e-6)
    assert bounds[0] == pytest.approx(bounds[1], rel=1e-6)


def test_implied_bounds_chain() -> None:
    """A bound found in one round serves the next: x0 <= 1, x1 <= x0, x2 <= x1."""
    problem = Problem(A=[[1, 0, 0], [-1, 1, 0], [0, -1, 1]], row_upper=[1, 0, 0], x_lower=0)
    np.testing.assert_allclose(implied_bounds(problem)[1], [1, 1, 1], rtol=1e-7)


def test_implied_bound_below_a_buy_in() -> None:
    """Rows that allow a switched x only less than its buy-in leave its bounds as they are: it must be off."""
    problem = Problem(Q=[1.0], A=[[1.0]], row_upper=0.5, x_lower=1.0, switch=[0])
    lower, upper = implied_bounds(problem)
    assert lower[0] <= upper[0]
    assert Line().solve(Setting(problem), {}, None).bound <= 1e-9


# Discretise


def relaxed_with(scores: Any, threshold: float = 0.0) -> Relaxed:
    """A relaxation that says nothing but scores."""
    scores = np.array(scores, dtype=float)
    empty = np.zeros(0)
    return Relaxed("test", scores, threshold, empty, scores, -INF, empty, empty, empty, empty)


@pytest.mark.parametrize("count", range(6))
def test_discretise_takes_the_top(count: int) -> None:
    """One cardinality row: exactly the k largest scores, also where they are negative."""
    binaries = BinarySet(Problem(B=np.ones((1, 5)), b_lower=count, b_upper=count))
    scores = [-1.0, 0.5, -3.0, 0.25, -2.0]
    b = discretise(relaxed_with(scores), binaries)
    assert set(np.flatnonzero(b)) == set(np.argsort(scores)[::-1][:count])


def test_discretise_by_sectors_and_threshold() -> None:
    """Each sector gets its own top; between its limits a score must pass the threshold."""
    binaries = BinarySet(Problem(B=[[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 0]], b_lower=[1, 0], b_upper=[2, 1]))
    for threshold, expected in (
        (0.5, [0, 1, 1, 0, 1, 0]),
        (0.75, [0, 1, 0, 0, 0, 0]),
        (0.95, [0, 1, 0, 0, 0, 0]),
        (0.05, [0, 1, 1, 0, 1, 1]),
    ):
        b = discretise(relaxed_with([0.1, 0.9, 0.6, 0.2, 0.7, 0.3], threshold), binaries)
        np.testing.assert_array_equal(b, np.array(expected, dtype=bool))


@every_recipe
def test_discretised_relaxations_are_members(recipe: Recipe) -> None:
    """Whatever the relaxation says, what comes out satisfies the rows on b."""
    setting, _ = case(recipe)
    for found in relax(setting).values():
        assert setting.binaries.contains(discretise(found, setting.binaries))


def test_line_finds_what_is_already_binary() -> None:
    """Where the continuous relaxation is binary, Line's bound is the optimum and its b the choice."""
    problem = Problem(p=[3.0, -1.0, 2.0, -4.0], B=np.ones((1, 4)), b_lower=3, b_upper=3)
    setting = Setting(problem)
    line = Line().solve(setting, {}, None)
    assert line.bound == pytest.approx(-3.0)
    np.testing.assert_array_equal(discretise(line, setting.binaries), [False, True, True, True])


def test_relaxations_scale_with_the_objective() -> None:
    """A thousandth of a thousandth of the objective gives that of every bound, and the same choice."""
    problem = portfolio_like(20, 5)
    scaled = Problem(
        Q=1e-6 * problem.Q.toarray(), q=1e-6 * problem.q, A=problem.A, row_lower=problem.row_lower,
        row_upper=problem.row_upper, B=problem.B, b_lower=5, b_upper=5, x_lower=problem.x_lower, x_upper=1.0,
        switch=problem.switch,
    )  # fmt: skip
    one, other = Setting(problem), Setting(scaled)
    for a, b in zip(relax(one).values(), relax(other).values(), strict=True):
        assert b.bound == pytest.approx(1e-6 * a.bound, rel=1e-4)
        np.testing.assert_array_equal(discretise(a, one.binaries), discretise(b, other.binaries))


# Infeasible


def clash(**changes: Any) -> Setting:
    """Budget and return that cannot both hold, beside a row that has nothing to do with it."""
    arguments: dict[str, Any] = {
        "Q": np.eye(3),
        "A": [[1, 1, 1], [0.1, 0.2, 0.3], [1, -1, 0]],
        "row_lower": [1, 0.4, -9],
        "row_upper": [1, INF, 9],
        "x_lower": 0,
        "x_upper": 1,
        "switch": [0, 1, 2],
        "row_names": ["budget", "return", "spread"],
        "B": np.ones((1, 3)),
        "b_upper": 3,
        "b_row_names": ["count"],
    }
    return Setting(Problem(**{**arguments, **changes}))


def test_clashing_rows_are_named() -> None:
    """The two rows that cannot hold together are named, and no other."""
    assert set(clashing_rows(clash()) or ()) == {"budget", "return"}


def test_clashing_rows_with_rows_on_b() -> None:
    """A count too small for the budget clashes with it."""
    setting = clash(row_lower=[1, 0.0, -9], x_upper=0.4, b_upper=2)
    assert set(clashing_rows(setting) or ()) == {"budget", "count"}


def test_no_clash() -> None:
    """Where there is a feasible point nothing is proven."""
    assert clashing_rows(clash(row_lower=[1, 0.2, -9])) is None


def test_no_clash_between_numbers_and_none_between_whole_numbers() -> None:
    """What only b in {0, 1} makes infeasible is not proven by b in [0, 1]."""
    assert clashing_rows(clash(row_lower=[1, 0.2, -9], x_lower=0.6, x_upper=0.7)) is None


@pytest.mark.parametrize("seed", range(30))
def test_clash_is_never_claimed_of_a_feasible_problem(seed: int) -> None:
    """On random rows a claim means infeasible by trying every b, and no claim that Line has an answer."""
    recipe = Recipe(
        seed=seed, binaries=4, quadratic=QUADRATIC[seed % 6], bounds=BOUNDS[seed % 5],
        binary_rows=BINARY_ROWS[seed % 6], equations=2, inequalities=2, wild=True, unswitched=seed % 2,
    )  # fmt: skip
    problem = make(recipe)
    setting = Setting(problem)
    rows = clashing_rows(setting)
    if rows is not None:
        assert math.isinf(optimum(problem)[0])
        assert rows
        with pytest.raises(RelaxationFailed, match="infeasible"):
            Line().solve(setting, {}, None)
    elif np.isinf(setting.hull_lower).any():
        assert recipe.unswitched  # an x without limits leaves no room for rounding in a proof
    else:
        assert Line().solve(setting, {}, None).bound <= optimum(problem)[0] + 1e-6
