"""Generated small problems of every kind, and their optimum by trying every b with an independent solver."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import clarabel
import highspy
import numpy as np
from scipy import sparse

from hybridmip.applications.facility import FacilityLocation
from hybridmip.bounds.certificate import Certificate, reformulated
from hybridmip.bounds.proof_tree import ProofTree
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import FactorModel

QUADRATIC = ("zero", "diagonal", "dense", "singular", "sparse", "factor")
BINARY_ROWS = ("none", "count", "range", "sectors", "nested", "overlapping", "weighted")
BOUNDS = ("buy-in", "from zero", "short", "twins", "unlimited")


@dataclass(frozen=True)
class Recipe:
    """What kind of problem to make; the seed fills in the numbers."""

    seed: int
    binaries: int = 6
    quadratic: str = "dense"
    binary_rows: str = "count"
    bounds: str = "buy-in"
    equations: int = 1
    inequalities: int = 1
    mixed_rows: bool = False
    costs: bool = False
    unswitched: int = 0
    shared: bool = False
    idle: int = 0
    wild: bool = False


class NoReference(Exception):
    """The independent solver gave no answer, so there is nothing to compare with."""


def make(recipe: Recipe) -> Problem:
    """The problem of a recipe. Objectives are bounded below by construction."""
    rng = np.random.default_rng(recipe.seed)
    m = recipe.binaries
    switching = max(1, m - recipe.idle)
    owners = np.arange(switching) if not recipe.shared else rng.integers(0, switching, switching + 2)
    switch = np.concatenate([owners, np.full(recipe.unswitched, -1)]).astype(int)
    n = switch.size
    Q = _quadratic(recipe.quadratic, n, rng)
    lower, upper = _bounds(recipe.bounds, n, rng)
    free = switch < 0
    lower[free], upper[free] = -1.0, 2.0
    curved = recipe.quadratic in ("diagonal", "dense", "factor")
    if curved and recipe.unswitched and rng.random() < 0.5:
        lower[free], upper[free] = -np.inf, np.inf
    q = rng.normal(size=n)
    if recipe.bounds == "unlimited" and not curved:
        q = np.abs(q) + 0.1  # growing x must cost, or there is no minimum
        Q = None if recipe.quadratic == "zero" else np.diag(rng.uniform(0, 1, n) * (rng.random(n) < 0.5))
    B, b_lower, b_upper = _binary_rows(recipe.binary_rows, m, rng)
    rows = recipe.equations + recipe.inequalities
    A = rng.normal(size=(rows, n)) * (rng.random((rows, n)) < 0.8)
    if rows and rng.random() < 0.5:
        A[0] = 1.0
    G = rng.normal(size=(rows, m)) * (rng.random((rows, m)) < 0.5) if recipe.mixed_rows else None
    # Limits around the activity of a point that is feasible for the bounds, unless the recipe is wild.
    b = rng.random(m) < 0.5
    if B is not None:
        b = _some_member(B, b_lower, b_upper, rng)
    on = np.where(free, 1.0, b[np.maximum(switch, 0)])
    low = np.where(on > 0, np.maximum(lower, -3), 0.0)
    high = np.where(on > 0, np.minimum(upper, 3), 0.0)
    x = low + (high - low) * rng.random(n)
    activity = A @ x + (G @ b if G is not None else 0.0)
    if recipe.wild:
        activity = activity + rng.normal(size=rows) * 2.0
    row_lower, row_upper = activity.copy(), activity.copy()
    for i in range(recipe.equations, rows):
        kind = rng.integers(3)
        row_lower[i] = -np.inf if kind == 0 else activity[i] - rng.random()
        row_upper[i] = np.inf if kind == 1 else activity[i] + rng.random()
    return Problem(
        Q=Q, q=q, p=rng.normal(size=m) if recipe.costs else None, offset=float(rng.normal()),
        A=A if rows else None, G=G, row_lower=row_lower if rows else None, row_upper=row_upper if rows else None,
        B=B, b_lower=b_lower, b_upper=b_upper, x_lower=lower, x_upper=upper, switch=switch, binaries=m,
    )  # fmt: skip


def _quadratic(kind: str, n: int, rng: np.random.Generator) -> object:
    if kind == "zero":
        return None
    if kind == "diagonal":
        return rng.uniform(0.1, 2.0, n)
    if kind == "factor":
        return FactorModel(rng.normal(size=(n, 2)), np.diag(rng.uniform(0.1, 1, 2)), rng.uniform(0.1, 1, n))
    if kind == "sparse":
        root = sparse.random_array((n, n), density=0.2, rng=rng) + sparse.diags_array(rng.integers(0, 2, n) * 0.7)
        return sparse.csr_array(root @ root.T)
    root = rng.normal(size=(n, n if kind == "dense" else max(1, n // 2)))
    return root @ root.T * 10.0 ** float(rng.integers(-4, 3)) + (1e-2 * np.eye(n) if kind == "dense" else 0.0)


def _bounds(kind: str, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    lower = {"buy-in": 0.05, "from zero": 0.0, "short": -0.7, "twins": 1.0, "unlimited": 0.1}[kind] * np.ones(n)
    upper = np.full(n, {"twins": 1.0, "unlimited": np.inf}.get(kind, 1.0))
    if kind in ("buy-in", "short"):
        lower, upper = lower * rng.uniform(0.5, 1.5, n), upper * rng.uniform(0.7, 1.5, n)
    return lower, upper


def _binary_rows(kind: str, m: int, rng: np.random.Generator) -> tuple:
    if kind == "none":
        return None, None, None
    if kind == "count":
        count = [int(rng.integers(1, m + 1))]
        return np.ones((1, m)), count, count
    if kind == "range":
        low = int(rng.integers(0, m))
        return np.ones((1, m)), [low], [int(rng.integers(low, m + 1))]
    if kind == "sectors":
        B = np.zeros((2, m))
        B[0, : m // 2], B[1, m // 2 :] = 1.0, 1.0
        return B, [0, 1], [max(1, m // 2 - 1), max(1, m // 2)]
    if kind == "nested":  # a count, and within it sets of which at most one is on, of the last one exactly one
        sets = [[0, 1][:m], [2, 3, 4][: max(m - 2, 0)], [m - 2, m - 1] if m > 6 else []]
        B = np.zeros((1 + len([one for one in sets if len(one) > 1]), m))
        B[0] = 1.0
        for row, members in enumerate([one for one in sets if len(one) > 1], 1):
            B[row, members] = 1.0
        least = [0.0] * len(B)
        least[-1] = 1.0 if m > 6 else 0.0
        return B, least, [float(rng.integers(1, max(2, m - 2)))] + [1.0] * (len(B) - 1)
    if kind == "overlapping":
        B = (rng.random((3, m)) < 0.5).astype(float)
        member = rng.random(m) < 0.5
        activity = B @ member
        return B, activity, [activity[0], activity[1] + 1, np.inf]
    B = rng.integers(-3, 6, size=(2, m)).astype(float)
    activity = B @ (rng.random(m) < 0.5)
    return B, [-np.inf, activity[1] - 2], [activity[0] + 1, np.inf]


def all_members(B: np.ndarray | None, b_lower: object, b_upper: object, m: int) -> np.ndarray:
    """Every b that satisfies the rows on b."""
    every = np.array(list(itertools.product((False, True), repeat=m)), dtype=bool).reshape(-1, m)
    if B is None:
        return every
    activity = every @ np.asarray(B).T
    low = -np.inf if b_lower is None else np.asarray(b_lower, dtype=float)
    high = np.inf if b_upper is None else np.asarray(b_upper, dtype=float)
    return every[np.all((activity >= low - 1e-9) & (activity <= high + 1e-9), axis=1)]


def _some_member(B: np.ndarray, b_lower: object, b_upper: object, rng: np.random.Generator) -> np.ndarray:
    every = all_members(B, b_lower, b_upper, B.shape[1])
    return np.asarray(every[rng.integers(len(every))] if len(every) else rng.random(B.shape[1]) < 0.5)


def about(problem: Problem, document: Certificate | ProofTree) -> Problem:
    """The problem that a certificate or a proof speaks of: the one given, or that with modes."""
    found = reformulated(problem, document.modes)
    assert found is not None
    return found


def optimum(problem: Problem) -> tuple[float, np.ndarray | None]:
    """(value, b) of the best b of all, infinite and None when the problem is infeasible.

    Independent of the solver under test: Clarabel or HiGHS on each restricted problem as it stands.
    """
    best, argument = math.inf, None
    for b in all_members(problem.B.toarray(), problem.b_lower, problem.b_upper, problem.m):
        value = restricted_value(problem, b)
        if value < best:
            best, argument = value, b
    return best, argument


def restricted_value(problem: Problem, b: np.ndarray) -> float:
    """Value of the restricted problem at b, infinite when infeasible."""
    lower, upper = problem.bounds_given(b)
    shift = problem.G @ b.astype(float)
    rows = problem.A.toarray()
    low, high = problem.row_lower - shift, problem.row_upper - shift
    constant = float(problem.p @ b) + problem.offset
    x, feasible = _linear(problem.q if problem.is_linear else 0 * problem.q, rows, low, high, lower, upper)
    if not feasible:
        return math.inf
    if problem.is_linear:
        return float(problem.q @ x) + constant
    return _quadratic_value(problem, rows, low, high, lower, upper) + constant


def _linear(cost, rows, low, high, lower, upper):
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("primal_feasibility_tolerance", 1e-9)
    n = cost.size
    for j in range(n):
        highs.addVar(lower[j], upper[j])
        highs.changeColCost(j, cost[j])
    for i in range(rows.shape[0]):
        where = np.flatnonzero(rows[i]).astype(np.int32)
        highs.addRow(low[i], high[i], where.size, where, rows[i][where])
    highs.run()
    status = highs.getModelStatus()
    assert status in (
        highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kInfeasible,
        highspy.HighsModelStatus.kModelEmpty, highspy.HighsModelStatus.kUnboundedOrInfeasible,
    ), status  # fmt: skip
    if status == highspy.HighsModelStatus.kModelEmpty:
        ok = bool(np.all(low <= 1e-9) and np.all(high >= -1e-9))
        return np.zeros(n), ok
    return np.array(highs.getSolution().col_value), status == highspy.HighsModelStatus.kOptimal


def _quadratic_value(problem, rows, low, high, lower, upper):
    n = problem.n
    scale = 1.0 / max(float(problem.Q.diagonal().max()), 1e-12)
    blocks, rhs = [], []
    for matrix, limit in ((rows, high), (-rows, -low), (np.eye(n), upper), (-np.eye(n), -lower)):
        keep = np.isfinite(limit)
        blocks.append(matrix[keep])
        rhs.append(limit[keep])
    everything = np.vstack(blocks)
    Q = problem.Q.toarray()
    for tolerance in (1e-11, 1e-9, 1e-8):
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
        solution = clarabel.DefaultSolver(
            sparse.csc_matrix(np.triu(2 * scale * Q)), scale * problem.q, sparse.csc_matrix(everything),
            np.concatenate(rhs), [clarabel.NonnegativeConeT(everything.shape[0])], settings,
        ).solve()  # fmt: skip
        if str(solution.status) == "Solved":
            x = np.array(solution.x)
            return float(x @ Q @ x + problem.q @ x)
    raise NoReference(f"the reference solver says {solution.status}")


def random_network(nodes: int, arcs: int, seed: int) -> Problem:
    """A circle and random arcs, a third of them narrow, with nodes that things only pass through."""
    rng = np.random.default_rng(seed)
    pairs = [(i, (i + 1) % nodes) for i in range(nodes)]
    while len(pairs) < arcs:
        i, j = rng.choice(nodes, size=2, replace=False)
        pairs.append((int(i), int(j)))
    supply = np.zeros(nodes)
    supply[: nodes // 2] = rng.integers(-6, 7, nodes // 2)
    supply[0] -= supply.sum()
    total = float(np.abs(supply).sum())
    capacity = np.where((np.arange(arcs) >= nodes) & (rng.random(arcs) < 0.3), rng.integers(1, 5, arcs), total)
    cost, fixed = rng.integers(0, 6, arcs).astype(float), rng.integers(5, 30, arcs).astype(float)
    A = np.zeros((nodes, arcs))
    A[[i for i, _ in pairs], np.arange(arcs)] += 1.0
    A[[j for _, j in pairs], np.arange(arcs)] -= 1.0
    return Problem(
        q=cost, p=fixed, A=A, row_lower=supply, row_upper=supply, x_lower=np.zeros(arcs), x_upper=capacity,
        switch=np.arange(arcs),
    )  # fmt: skip


def facilities(sites: int, customers: int, seed: int) -> Problem:
    """Sites of different sizes and customers on a map."""
    rng = np.random.default_rng(seed)
    demand = rng.integers(5, 36, customers).astype(float)
    capacity = rng.integers(10, 161, sites).astype(float)
    capacity = np.ceil(capacity * 4.0 * demand.sum() / capacity.sum())
    points, others = rng.random((sites, 2)), rng.random((customers, 2))
    distance = np.linalg.norm(points[:, None, :] - others[None, :, :], axis=2)
    fixed = np.round(100 * np.sqrt(capacity))
    return FacilityLocation(capacity, fixed, demand, np.round(10.0 * distance * demand, 2)).problem()
