"""HybridMIP as cvxpy's solver: cvxpy's own contract, cones that are objectives, statuses, duals, other libraries."""

from __future__ import annotations

import itertools
import math
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import hybridmip as hm

cp = pytest.importorskip("cvxpy")
helpers = pytest.importorskip("cvxpy.tests.solver_test_helpers")

HYBRIDMIP = hm.cvxpy.HYBRIDMIP
PAGE = Path(__file__).resolve().parents[2] / "docs" / "cvxpy.md"


def names_of(kind) -> list[str]:
    """The tests of one of cvxpy's classes of them."""
    return [name for name in dir(kind) if name.startswith("test_")]


#: It asks the package of another solver whether it is to run.
NEEDS_SDPA = "test_lp_7"
#: Those of cvxpy's second-order cone programs whose cones are the objective; the others limit something by a cone.
OBJECTIVES = ("test_socp_0", "test_socp_2")
CONSTRAINTS = tuple(name for name in names_of(helpers.StandardTestSOCPs) if name not in OBJECTIVES)


# ---- cvxpy's own tests


@pytest.mark.parametrize("name", [name for name in names_of(helpers.StandardTestLPs) if name != NEEDS_SDPA])
def test_contract_for_linear_programs(name: str) -> None:
    """cvxpy's tests of LP and MILP solvers: values, points, duals, statuses, bounds as attributes."""
    getattr(helpers.StandardTestLPs, name)(solver=HYBRIDMIP)


@pytest.mark.parametrize("name", names_of(helpers.StandardTestQPs))
def test_contract_for_quadratic_programs(name: str) -> None:
    """cvxpy's tests of QP solvers, with duals and changed parameters."""
    getattr(helpers.StandardTestQPs, name)(solver=HYBRIDMIP)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_contract_for_cones_that_are_objectives(name: str) -> None:
    """cvxpy's tests of SOCP solvers that minimise a norm, or only state one."""
    getattr(helpers.StandardTestSOCPs, name)(solver=HYBRIDMIP)


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_cones_that_limit_are_refused(name: str) -> None:
    """The other SOCPs have cones as constraints: refused by one line that names the variables."""
    with pytest.raises(hm.cvxpy.NotServedError, match="second-order cone over var") as refusal:
        getattr(helpers.StandardTestSOCPs, name)(solver=HYBRIDMIP)
    assert isinstance(refusal.value, cp.SolverError)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("name", ["test_lp_ineq_constraints", "test_lp_eq_constraints"])
def test_contract_for_infeasible_programs(name: str) -> None:
    """Duals of an infeasible LP prove that it is (Farkas)."""
    if not hasattr(helpers, "StandardTestInfeasibleProblems"):
        pytest.skip("this version of cvxpy has no such tests")
    getattr(helpers.StandardTestInfeasibleProblems, name)(solver=HYBRIDMIP)


def test_the_ill_posed_program() -> None:
    """The LP that cvxpy asks of SDPA only: every a is the same, at no cost."""
    stated = helpers.lp_7()
    stated.solve(HYBRIDMIP)
    stated.verify_objective(places=6)


# ---- one risk in many words


def market(assets: int = 12, dates: int = 40, seed: int = 0):
    """(returns of dates by assets, their covariance)."""
    rng = np.random.default_rng(seed)
    returns = rng.standard_normal((dates, assets)) * rng.uniform(0.5, 1.5, assets) + rng.standard_normal((dates, 1))
    returns -= returns.mean(axis=0)
    return returns, returns.T @ returns / dates


def least_variance(covariance, held: int, least: float = 0.0) -> float:
    """The least variance of at most so many assets, w >= least: that of weights without limits, for every choice.

    Where limits of the best choice of all bind, a smaller one is as good (least = 0); below that none may bind.
    """
    best, weights = math.inf, np.zeros(1)
    for count in range(1, held + 1):
        for chosen in itertools.combinations(range(len(covariance)), count):
            part = np.linalg.solve(covariance[np.ix_(chosen, chosen)], np.ones(count))
            if 1 / part.sum() < best and (least < 0 or part.min() >= 0):
                best, weights = 1 / part.sum(), part / part.sum()
    assert weights.min() >= least
    return best


def stated(kind: str, w, returns, covariance):
    """(objective, constraints, value from the variance) of one way to state the same risk."""
    root = np.linalg.cholesky(covariance).T
    t, g = cp.Variable(), cp.Variable(nonneg=True)
    minimise = cp.Minimize
    return {
        "quad_form": lambda: (minimise(cp.quad_form(w, cp.psd_wrap(covariance))), [], lambda v: v),
        "sum_squares": lambda: (minimise(cp.sum_squares(returns @ w)), [], lambda v: len(returns) * v),
        # |R w - 1|^2 = |R w|^2 + dates, as the returns have a mean of zero.
        "shifted": lambda: (minimise(cp.sum_squares(returns @ w - 1) + 2), [], lambda v: len(returns) * (v + 1) + 2),
        "cone, squared": lambda: (minimise(1000 * g**2), [cp.SOC(g, root @ w)], lambda v: 1000 * v),
        "cone, scaled": lambda: (minimise(cp.square(2 * g)), [cp.SOC(3 * g, 3 * (root @ w))], lambda v: 4 * v),
        "norm": lambda: (minimise(cp.norm(root @ w)), [], math.sqrt),
        "cone, linear": lambda: (minimise(3 * g + 1), [cp.SOC(g, root @ w)], lambda v: 3 * math.sqrt(v) + 1),
        "epigraph": lambda: (minimise(t), [cp.sum_squares(root @ w) <= t], lambda v: v),
        "epigraph of a norm": lambda: (minimise(2 * t), [cp.norm(root @ w) <= t], lambda v: 2 * math.sqrt(v)),
        "rotated": lambda: (minimise(t), [cp.SOC(2 + t, cp.hstack([2 - t, 2 * (root @ w)]))], lambda v: v / 2),
        "maximised": lambda: (cp.Maximize(2 - cp.quad_form(w, cp.psd_wrap(covariance))), [], lambda v: 2 - v),
    }[kind]()


KINDS = (
    "quad_form", "sum_squares", "shifted", "cone, squared", "cone, scaled", "norm", "cone, linear", "epigraph",
    "epigraph of a norm", "rotated", "maximised",
)  # fmt: skip


@pytest.fixture(scope="module")
def best_of_three() -> float:
    """The least variance of at most three of the assets of `market`."""
    return least_variance(market()[1], 3)


@pytest.mark.parametrize("kind", KINDS)
def test_every_statement_of_a_risk_is_the_same_problem(kind: str, best_of_three: float) -> None:
    """Norms, their squares, cones and epigraphs give one answer, a bound beside it, and a problem without cones."""
    returns, covariance = market()
    w, b = cp.Variable(12), cp.Variable(12, boolean=True)
    objective, constraints, value = stated(kind, w, returns, covariance)
    problem = cp.Problem(objective, [cp.sum(w) == 1, w >= 0, w <= b, cp.sum(b) <= 3, *constraints])
    problem.solve(solver=HYBRIDMIP)
    assert problem.status == "optimal"
    assert problem.value == pytest.approx(value(best_of_three), rel=1e-6)
    assert all(constraint.violation() == pytest.approx(0, abs=1e-7) for constraint in constraints)
    assert float(w.value @ covariance @ w.value) == pytest.approx(best_of_three, rel=1e-6)
    sign = -1 if kind == "maximised" else 1
    assert sign * hm.cvxpy.bound(problem) <= sign * problem.value + 1e-12
    assert hm.cvxpy.bound(problem) == pytest.approx(problem.value, rel=1e-5)
    solved = problem.solver_stats.extra_stats["result"].problem
    assert (solved.n, solved.m, solved.rows) == (12, 12, 1)
    assert solved.switched.all()


@pytest.mark.parametrize("order", range(2))
def test_a_limit_of_a_limit(order: int) -> None:
    """t <= 5 and -w <= t, with w below a switch: what leaves t out must not leave w without its limit."""
    b, w, t = cp.Variable(boolean=True), cp.Variable(), cp.Variable()
    rows = [[t <= 5, -w <= t, w <= 10 * b - 3], [-w - t <= 0, t <= 5, w <= 10 * b - 3]][order]
    problem = cp.Problem(cp.Minimize(b + 0 * t), rows)
    assert problem.solve(solver=HYBRIDMIP) == pytest.approx(0.0)
    assert hm.cvxpy.bound(problem) <= 1e-9


def test_a_bound_before_a_solve_is_told() -> None:
    """And so are options of the wrong kind, before anything is solved."""
    problem = cp.Problem(cp.Minimize(cp.Variable(boolean=True)))
    with pytest.raises(hm.ArgumentError, match="problem has no bound yet"):
        hm.cvxpy.bound(problem)
    for option, value in (("time_limit", "3"), ("gap", "x"), ("config", "fast")):
        with pytest.raises(hm.ArgumentError, match=f"{option} is '"):
            problem.solve(solver=HYBRIDMIP, **{option: value})
    assert problem.solve(solver=HYBRIDMIP, config="quick") == pytest.approx(0.0)


def test_a_gap_that_was_asked_for_and_reached_is_optimal() -> None:
    """As with other solvers; the gap that is left is in the statistics."""
    rng = np.random.default_rng(0)
    root = rng.normal(size=(30, 12))
    w, b = cp.Variable(30), cp.Variable(30, boolean=True)
    problem = cp.Problem(
        cp.Minimize(cp.sum_squares(root.T @ w) + 0.05 * cp.sum_squares(w)),
        [cp.sum(w) == 1, w >= 0, w <= b, cp.sum(b) <= 5],
    )
    problem.solve(solver=HYBRIDMIP, gap=0.9)
    assert problem.status == "optimal"
    assert problem.solver_stats.extra_stats["gap"] <= 0.9


def test_without_quadratic_objectives_cvxpy_states_cones() -> None:
    """`use_quad_obj=False` makes rotated cones of squares; these come back as the quadratic form."""
    _, covariance = market()
    w, b = cp.Variable(12), cp.Variable(12, boolean=True)
    limits = [cp.sum(w) == 1, w >= 0, w <= b, cp.sum(b) <= 3]
    problem = cp.Problem(cp.Minimize(cp.quad_form(w, cp.psd_wrap(covariance)) + cp.sum(b) * 0.01), limits)
    expected = problem.solve(solver=HYBRIDMIP)
    assert problem.solve(solver=HYBRIDMIP, use_quad_obj=False) == pytest.approx(expected, rel=1e-6)


def test_factors_stay_factors() -> None:
    """Few factors and a diagonal, by equations or by a cone, are a FactorModel that is never multiplied out."""
    rng = np.random.default_rng(1)
    loadings, specific = rng.standard_normal((12, 3)), rng.uniform(0.5, 1.0, 12)
    W = np.diag([1.0, 2.0, 0.5]) + 0.1
    w, b, f, g = cp.Variable(12), cp.Variable(12, boolean=True), cp.Variable(3), cp.Variable(nonneg=True)
    limits = [cp.sum(w) == 1, w >= 0, w <= b, cp.sum(b) <= 3]
    own = cp.multiply(np.sqrt(specific), w)
    by_equations = cp.Problem(cp.Minimize(cp.quad_form(f, W) + cp.sum_squares(own)), [*limits, f == loadings.T @ w])
    terms = cp.hstack([np.linalg.cholesky(W).T @ loadings.T @ w, own])
    by_cone = cp.Problem(cp.Minimize(g**2), [*limits, cp.SOC(g, terms)])
    expected = least_variance(loadings @ W @ loadings.T + np.diag(specific), 3)
    for problem in (by_equations, by_cone):
        problem.solve(solver=HYBRIDMIP)
        solved = problem.solver_stats.extra_stats["result"].problem
        assert isinstance(solved.Q, hm.FactorModel)
        assert solved.n == 12
        assert problem.value == pytest.approx(expected, rel=1e-6)
    assert f.value == pytest.approx(loadings.T @ w.value, abs=1e-7)


def test_absolute_values_below_a_switch() -> None:
    """|w| <= M b, which cvxpy states by a variable between, is a link and no row is left of it."""
    _, covariance = market()
    w, b = cp.Variable(12), cp.Variable(12, boolean=True)
    limits = [cp.sum(w) == 1, cp.abs(w) <= 2 * b, cp.sum(b) <= 3]
    problem = cp.Problem(cp.Minimize(cp.quad_form(w, cp.psd_wrap(covariance))), limits)
    problem.solve(solver=HYBRIDMIP)
    solved = problem.solver_stats.extra_stats["result"].problem
    assert (solved.n, solved.rows, bool(solved.switched.all())) == (12, 1, True)
    assert problem.value == pytest.approx(least_variance(covariance, 3, least=-2.0), rel=1e-6)
    assert max(constraint.violation().max() for constraint in limits) <= 1e-7


# ---- generated problems


def generated(seed: int):
    """A small problem with binaries, integers, links, rows and a convex objective of several terms."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 5)), int(rng.integers(2, 5))
    x, b = cp.Variable(n), cp.Variable(m, boolean=True)
    z = cp.Variable(integer=True)
    linked = min(n, m)
    cost, price = rng.integers(-5, 6, n), rng.integers(-5, 6, m)
    objective = cost @ x + price @ b + int(rng.integers(-3, 4)) * z
    if rng.random() < 0.7:
        root = rng.integers(-2, 3, (int(rng.integers(1, n + 1)), n))
        objective = objective + cp.sum_squares(root @ x - rng.integers(-2, 3, len(root)))
    if rng.random() < 0.5:
        objective = objective + cp.sum_squares(b - 0.3) + cp.norm1(x) * 0.5
    limits = [
        x[:linked] <= 3 * b[:linked], x[:linked] >= -2 * b[:linked], cp.abs(x) <= 3, z >= -2, z <= 3,
        rng.integers(-3, 4, n) @ x + rng.integers(-3, 4, m) @ b + z <= int(rng.integers(0, 5)),
        cp.sum(b) >= 1,
    ]  # fmt: skip
    if rng.random() < 0.3:
        limits.append(rng.integers(-2, 3, n) @ x + z == int(rng.integers(-2, 3)))
    return cp.Problem(cp.Minimize(objective), limits), b, z


def by_enumeration(problem, b, z) -> float:
    """The best value over all b and z, each by Clarabel."""
    fixed_b, fixed_z = cp.Parameter(b.size), cp.Parameter()
    relaxed, whole = cp.Variable(b.size), cp.Variable()
    swap = {id(b): relaxed, id(z): whole}
    limits = [constraint.tree_copy(id_objects=swap) for constraint in problem.constraints]
    inner = cp.Problem(problem.objective.tree_copy(id_objects=swap), [*limits, relaxed == fixed_b, whole == fixed_z])
    best = math.inf
    for bits in itertools.product((0.0, 1.0), repeat=b.size):
        for value in range(-2, 4):
            fixed_b.value, fixed_z.value = np.array(bits), float(value)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                inner.solve(solver="CLARABEL")
            if inner.status in ("optimal", "optimal_inaccurate"):
                best = min(best, inner.value)
    return best


@pytest.mark.parametrize("seed", range(16))
def test_generated_problems_against_enumeration(seed: int) -> None:
    """bound <= value = that of the best of all choices, and the point holds every constraint."""
    problem, b, z = generated(seed)
    value = problem.solve(solver=HYBRIDMIP)
    if problem.status != "infeasible":
        assert problem.status == "optimal"
        assert max(float(np.max(constraint.violation())) for constraint in problem.constraints) <= 1e-6
    expected = by_enumeration(problem, b, z)
    slack = 0.0 if expected == math.inf else 2e-5 * max(1.0, abs(expected))
    assert value == pytest.approx(expected, abs=slack)
    assert hm.cvxpy.bound(problem) <= expected + slack


# ---- duals


@pytest.mark.parametrize("kind", ["quad_form", "sum_squares", "cone, squared", "norm", "epigraph of a norm", "rotated"])
def test_duals_of_continuous_problems(kind: str) -> None:
    """At the duals of all constraints the Lagrangian is stationary and slack times dual is zero, cones included."""
    returns, covariance = market(6)
    w = cp.Variable(6)
    objective, constraints, _ = stated(kind, w, returns, covariance)
    limits = [cp.sum(w) == 1, w >= 0.05, w[0] + w[1] <= 0.2, w <= 0.9]
    problem = cp.Problem(objective, [*limits, *constraints])
    problem.solve(solver=HYBRIDMIP)
    ours = [np.asarray(constraint.dual_value) for constraint in limits]
    problem.solve(solver="CLARABEL")
    for mine, constraint in zip(ours, limits, strict=True):
        assert mine == pytest.approx(np.asarray(constraint.dual_value), abs=1e-4 * len(returns))


@pytest.mark.parametrize("seed", range(12))
def test_duals_of_generated_problems(seed: int) -> None:
    """The conditions of Karush, Kuhn and Tucker by cvxpy's own checks: rows, bounds and equations, LP and QP."""
    rng = np.random.default_rng(seed)
    n, rows = int(rng.integers(2, 6)), int(rng.integers(1, 5))
    x = cp.Variable(n)
    inside = rng.standard_normal(n)
    A, E = rng.standard_normal((rows, n)), rng.standard_normal((1, n))
    objective = rng.standard_normal(n) @ x
    if seed % 3:
        objective = objective + cp.sum_squares(rng.standard_normal((int(rng.integers(1, n + 1)), n)) @ x - 1)
    limits = [
        A @ x <= A @ inside + rng.choice([0.0, 0.5], rows), E @ x == E @ inside,
        x >= inside - rng.uniform(0.2, 2, n), 3 * x <= 3 * inside + rng.uniform(0.2, 5, n), -x <= 9,
    ]  # fmt: skip
    whole = helpers.SolverTestHelper((cp.Minimize(objective), None), [(x, None)], [(limit, None) for limit in limits])
    whole.solve(HYBRIDMIP)
    whole.check_primal_feasibility(places=6)
    whole.check_dual_domains(places=6)
    whole.check_complementarity(places=5)
    whole.check_stationary_lagrangian(places=5)


def test_duals_of_cones() -> None:
    """The dual of a cone in the objective is Clarabel's."""
    _, covariance = market(6)
    w, g = cp.Variable(6), cp.Variable(nonneg=True)
    cone = cp.SOC(g, np.linalg.cholesky(covariance).T @ w)
    problem = cp.Problem(cp.Minimize(g**2), [cp.sum(w) == 1, w >= 0, cone])
    problem.solve(solver=HYBRIDMIP)
    mine = [np.array(part) for part in cone.dual_value]
    problem.solve(solver="CLARABEL")
    for part, theirs in zip(mine, cone.dual_value, strict=True):
        assert part.ravel() == pytest.approx(np.asarray(theirs).ravel(), abs=1e-5)


# ---- statuses and options


def test_a_time_limit_keeps_the_point_and_the_bound() -> None:
    """`optimal_inaccurate`, a feasible point, a bound below it: nothing that was found is thrown away."""
    _, covariance = market(80, 50, seed=3)
    w, b = cp.Variable(80), cp.Variable(80, boolean=True)
    limits = [cp.sum(w) == 1, cp.abs(w) <= b, cp.sum(b) == 20]
    problem = cp.Problem(cp.Minimize(cp.quad_form(w, cp.psd_wrap(covariance))), limits)
    with pytest.warns(UserWarning, match="inaccurate"):
        problem.solve(solver=HYBRIDMIP, time_limit=0.5)
    statistics = problem.solver_stats.extra_stats
    assert problem.status == "optimal_inaccurate"
    assert statistics["stop_reason"] == "time_limit"
    assert hm.cvxpy.bound(problem) < problem.value
    assert statistics["gap"] > 1e-6
    assert max(float(np.max(constraint.violation())) for constraint in limits) <= 1e-6
    assert statistics["certificate"] is None or statistics["certificate"].verify(statistics["result"].problem)


def test_statuses_without_a_point() -> None:
    """Infeasible by rows, by bounds and by integrality; unbounded; each with the value that cvxpy gives it."""
    x, b, z = cp.Variable(2), cp.Variable(2, boolean=True), cp.Variable(integer=True)
    assert cp.Problem(cp.Minimize(cp.sum(x)), [x <= b, cp.sum(x) >= 3]).solve(solver=HYBRIDMIP) == math.inf
    assert cp.Problem(cp.Minimize(cp.sum(x)), [x >= 1, x <= 0]).solve(solver=HYBRIDMIP) == math.inf
    assert cp.Problem(cp.Minimize(z), [z >= 0.2, z <= 0.8]).solve(solver=HYBRIDMIP) == math.inf
    problem = cp.Problem(cp.Minimize(cp.sum(x)), [x <= b])
    assert problem.solve(solver=HYBRIDMIP) == -math.inf
    assert problem.status == "unbounded"
    assert cp.Problem(cp.Maximize(cp.sum(x)), [x >= b]).solve(solver=HYBRIDMIP) == math.inf


def test_what_is_refused() -> None:
    """Not convex, an integer without limits, another kind of cone, an unknown option: one reason each."""
    x, b, z = cp.Variable(2), cp.Variable(2, boolean=True), cp.Variable(integer=True, name="lots")
    with pytest.raises(cp.DCPError):
        cp.Problem(cp.Maximize(cp.sum_squares(x)), [x <= b]).solve(solver=HYBRIDMIP)
    with pytest.raises(hm.cvxpy.NotServedError, match="integer column 'lots' ranges over"):
        cp.Problem(cp.Minimize(cp.square(z - 0.3))).solve(solver=HYBRIDMIP)
    with pytest.raises(cp.SolverError, match="HYBRIDMIP"):
        cp.Problem(cp.Minimize(cp.sum(cp.exp(x))), [x >= b]).solve(solver=HYBRIDMIP)
    with pytest.raises(hm.cvxpy.NotServedError, match=re.escape("not squared, beside other terms")):
        cp.Problem(cp.Minimize(cp.norm(x) - x[0]), [x <= b, x >= -1]).solve(solver=HYBRIDMIP)
    with pytest.raises(hm.ArgumentError, match="no option 'limit'; choose from time_limit"):
        cp.Problem(cp.Minimize(cp.sum(x)), [x >= b]).solve(solver=HYBRIDMIP, limit=3)
    with pytest.raises(hm.ArgumentError, match="time_limit is -1"):
        cp.Problem(cp.Minimize(cp.sum(x)), [x >= b]).solve(solver=HYBRIDMIP, time_limit=-1)


def test_options_reach_the_solver(capsys: pytest.CaptureFixture[str]) -> None:
    """The seed, the configuration, the gap and threads are those of the result; progress goes to standard output."""
    _, covariance = market()
    w, b = cp.Variable(12), cp.Variable(12, boolean=True)
    limits = [cp.sum(w) == 1, w >= 0, w <= b, cp.sum(b) <= 3]
    problem = cp.Problem(cp.Minimize(cp.quad_form(w, cp.psd_wrap(covariance))), limits)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        problem.solve(solver=HYBRIDMIP, seed=5, gap=0.5, threads=1, config=hm.Config(name="mine"), verbose=True)
    printed = capsys.readouterr().out
    assert "12 binary" in printed
    assert "gap 0.5; configuration mine" in printed
    assert problem.solver_stats.extra_stats["result"].seed == 5
    assert problem.solver_stats.solver_name == "HYBRIDMIP"


def test_parameters_and_warm_starts() -> None:
    """A problem with a parameter is compiled once; the second solve starts from what the first one left."""
    _, covariance = market()
    w, b, target = cp.Variable(12), cp.Variable(12, boolean=True), cp.Parameter()
    gains = np.linspace(0, 1, 12)
    limits = [cp.sum(w) == 1, w >= 0, w <= b, cp.sum(b) <= 3, gains @ w >= target]
    problem = cp.Problem(cp.Minimize(cp.quad_form(w, cp.psd_wrap(covariance))), limits)
    values = []
    for level in (0.3, 0.8):
        target.value = level
        values.append(problem.solve(solver=HYBRIDMIP))
    assert values[0] < values[1]
    assert problem.solver_stats.extra_stats["result"].status == "optimal"
    kept = b.value.round() > 0
    target.value = 0.75
    firsts = []
    for warm_start in (True, False):
        b.value = kept.astype(float)
        config = hm.Config(relaxations=(), enumerate_up_to=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            problem.solve(solver=HYBRIDMIP, config=config, warm_start=warm_start, callback=lambda found: True)
        firsts.append(problem.solver_stats.extra_stats["result"].trace[0].b)
    assert (firsts[0] == kept).all()
    assert (firsts[1] != kept).any()
    data, _, _ = problem.get_problem_data(HYBRIDMIP)
    assert np.isfinite(data["init_value"]).all()


def test_relaxed_problems_are_solved_too() -> None:
    """The same model with b in [0, 1] needs no other solver, and has Clarabel's value."""
    _, covariance = market()
    w, b = cp.Variable(12), cp.Variable(12, bounds=[0, 1])
    objective = cp.quad_form(w, cp.psd_wrap(covariance)) + 0.1 * cp.sum(b)
    problem = cp.Problem(cp.Minimize(objective), [cp.sum(w) == 1, w >= 0, w <= b, cp.sum(b) <= 3])
    ours = problem.solve(solver=HYBRIDMIP)
    assert ours == pytest.approx(problem.solve(solver="CLARABEL"), rel=1e-6)


# ---- libraries


def small_returns():
    """Returns of ten assets over sixty days, as a table."""
    pandas = pytest.importorskip("pandas")
    returns, _ = market(10, 60, seed=2)
    days = pandas.bdate_range("2024-01-01", periods=60)
    return pandas.DataFrame(0.01 * returns + 0.001, index=days, columns=[f"A{i}" for i in range(10)])


def test_pyportfolioopt() -> None:
    """A cardinality added to its efficient frontier: the least variance of four."""
    library = pytest.importorskip("pypfopt")
    returns = small_returns()
    covariance = returns.cov()
    frontier = library.EfficientFrontier(returns.mean(), covariance, solver=HYBRIDMIP)
    b = cp.Variable(10, boolean=True)
    frontier.add_constraint(lambda w: w <= b)
    frontier.add_constraint(lambda w: cp.sum(b) <= 4)
    frontier.min_volatility()
    w = np.asarray(frontier.weights)
    assert w @ covariance.to_numpy() @ w == pytest.approx(least_variance(covariance.to_numpy(), 4), rel=1e-5)


def test_riskfolio() -> None:
    """Its `card` with the variance as a cone: the least variance of four."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        library = pytest.importorskip("riskfolio")
        returns = small_returns()
        portfolio = library.Portfolio(returns=returns, card=4)
        portfolio.assets_stats(method_mu="hist", method_cov="hist")
        portfolio.solvers = [HYBRIDMIP]
        w = portfolio.optimization(model="Classic", rm="MV", obj="MinRisk")["weights"].to_numpy()
    covariance = returns.cov().to_numpy()
    assert w @ covariance @ w == pytest.approx(least_variance(covariance, 4), rel=1e-5)


def test_skfolio() -> None:
    """Its `cardinality`, with the solver by name: the least variance of four."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        library = pytest.importorskip("skfolio.optimization")
        hm.cvxpy.register()
        returns = small_returns()
        model = library.MeanRisk(solver="HYBRIDMIP", cardinality=4).fit(returns)
    covariance = returns.cov().to_numpy()
    w = model.weights_
    assert w @ covariance @ w == pytest.approx(least_variance(covariance, 4), rel=1e-5)


def test_the_name_is_known_after_it_was_registered() -> None:
    """`solver="HYBRIDMIP"` works in a process that registered it, and in no other."""
    code = """
import cvxpy as cp, hybridmip as hm
b = cp.Variable(2, boolean=True)
problem = cp.Problem(cp.Maximize(b[0] + 2 * b[1]), [cp.sum(b) <= 1])
try:
    problem.solve(solver="HYBRIDMIP")
except cp.SolverError:
    hm.cvxpy.register()
    hm.cvxpy.register()
    print(problem.solve(solver="HYBRIDMIP"), cp.installed_solvers().count("HYBRIDMIP"))
"""
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "2.0 1\n"


# ---- the package


def test_cvxpy_is_loaded_when_it_is_used() -> None:
    """`import hybridmip` loads no cvxpy; where there is none `hm.cvxpy` says how to install it."""
    code = """
import sys, hybridmip as hm
print("cvxpy" in sys.modules)
sys.modules["cvxpy"] = None
try:
    hm.cvxpy
except hm.MissingDependencyError as error:
    print(error)
"""
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert printed == "False\nhybridmip.cvxpy needs the package cvxpy: pip install 'hybridmip[cvxpy]'\n"


PROGRAMS = re.findall(
    r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
)


@pytest.mark.parametrize(("program", "output"), PROGRAMS, ids=[str(i + 1) for i in range(len(PROGRAMS))])
def test_the_page_prints_what_it_shows(program: str, output: str, tmp_path: Path) -> None:
    """A program of docs/cvxpy.md, run alone, prints the text below it."""
    if "skfolio" in program:
        pytest.importorskip("skfolio")
    answer = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], cwd=tmp_path, capture_output=True, text=True
    )
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.strip("\n") == output.strip("\n")
