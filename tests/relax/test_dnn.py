"""Products of what is not negative, and the doubly nonnegative relaxation: never above the optimum, and checked."""

from __future__ import annotations

import copy
import json
import math
import os
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from problems import NoReference, Recipe, make, optimum

import hybridmip as hm
from hybridmip.bounds.certificate import Certificate
from hybridmip.bounds.products import Products
from hybridmip.bounds.proof_tree import ProofTree
from hybridmip.engines.compiled import ready
from hybridmip.errors import FileError
from hybridmip.relax import dnn_kernel
from hybridmip.run.phases import QuickStart, Start, Tree

TIMES = int(os.environ.get("HYBRIDMIP_EXAMPLES", "1"))
#: The tree alone, with the relaxation at its root from the beginning.
LIFTED = hm.Config(phases=(Start(), QuickStart(), Tree(1.0, last=True, plain=0.0)), threads=1)
PLAIN = hm.Config(phases=(Start(), QuickStart(), Tree(1.0, last=True, plain=math.inf)), threads=1)


def few_dates(seed: int, assets: int = 30, dates: int = 15, held: int = 4, sense: str = "at_least") -> hm.Problem:
    """A market with fewer dates than assets: Q is singular, and no diagonal fits below it."""
    returns = hm.market(assets=assets, seed=seed, periods=dates).returns().to_numpy()
    means, covariance = returns.mean(axis=0), np.cov(returns.T)
    return hm.Portfolio(
        means, (covariance + covariance.T) / 2, assets=held, min_weight=0.02,
        target_return=float(np.quantile(means, 0.6)), return_sense=sense,
    ).problem()  # fmt: skip


def exact(values: Any) -> Any:
    """Numbers without rounding."""
    return np.vectorize(Fraction, otypes=[object])(np.asarray(values, dtype=np.float64))


@settings(max_examples=60 * TIMES, deadline=None, derandomize=True)
@given(st.integers(0, 10**6))
def test_what_products_leave_is_below_the_objective_without_rounding(seed: int) -> None:
    """At feasible points, every number taken as the fraction it is."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    on = rng.random(n) < 0.6
    x = np.where(on, rng.integers(1, 9, n) / 4.0, 0.0)
    x[0] = max(x[0], 0.25)  # it has no switch
    A = rng.integers(-3, 4, (3, n)).astype(float)
    activity = A @ x
    root = rng.normal(size=(n, 2))
    problem = hm.Problem(
        Q=root @ root.T, q=rng.normal(size=n), p=rng.normal(size=n), offset=0.3, A=A,
        row_lower=[activity[0], activity[1] - rng.integers(0, 3), -np.inf],
        row_upper=[activity[0], np.inf, activity[2] + rng.integers(0, 3)],
        x_lower=0.25, x_upper=2.5, switch=np.where(np.arange(n) == 0, -1, np.arange(n)), binaries=n,
    )  # fmt: skip
    pairs = rng.exponential(size=(n, n)) * (rng.random((n, n)) < 0.5)
    pairs = np.triu(pairs, 1) + np.triu(pairs, 1).T
    rows = rng.normal(size=(3, n)) * np.array([[1.0], [0.0], [0.0]])
    rows[1], rows[2] = rng.exponential(size=n), -rng.exponential(size=n)
    products = Products(pairs, rows, rng.exponential(size=n))
    assert not products.fault(problem, problem.x_lower, problem.x_upper)
    lowered = products.lowered(problem, problem.x_lower, problem.x_upper)
    point, b = exact(x), exact(on.astype(float))

    def value(Q: Any, q: Any, p: Any, offset: float) -> Fraction:
        return point @ exact(Q) @ point + exact(q) @ point + exact(p) @ b + Fraction(offset)

    own = value(problem.Q.toarray(), problem.q, problem.p, problem.offset)
    below = value(*lowered)
    assert below <= own
    # And by no more than what was taken off.
    taken = point @ exact(pairs) @ point
    taken += sum(exact(rows)[k] @ point * (exact(A)[k] @ point - limit) for k, limit in _limits_of(problem))
    inside = [c * (v - Fraction(0.25) * s) * (Fraction(2.5) * s - v) for c, v, s in _chords(products, point, b)]
    taken += sum(inside)
    assert own - below - taken <= Fraction(1e-11) * (1 + abs(own) + taken)


def _limits_of(problem: hm.Problem) -> list[tuple[int, Fraction]]:
    return [
        (0, Fraction(problem.row_lower[0])), (1, Fraction(problem.row_lower[1])), (2, Fraction(problem.row_upper[2]))
    ]  # fmt: skip


def _chords(products: Products, point: Any, b: Any) -> list[tuple[Fraction, Fraction, Fraction]]:
    """Multiple, x and switch (1 for the first, which has none)."""
    switches = [Fraction(1), *b[1:]]
    return [(Fraction(c), x, s) for c, x, s in zip(products.chords, point, switches, strict=True)]


def test_products_that_prove_nothing_are_refused() -> None:
    problem = few_dates(0)
    lower, upper = problem.x_lower, problem.x_upper
    none = Products(np.zeros((problem.n, problem.n)), np.zeros((problem.rows, problem.n)), np.zeros(problem.n))
    assert not none.fault(problem, lower, upper)

    def changed(name: str, at: Any, value: float) -> Products:
        values = none.pairs.toarray() if name == "pairs" else getattr(none, name).copy()
        values[at] = value
        return replace(none, **{name: values})

    assert "symmetric" in changed("pairs", (0, 1), 1.0).fault(problem, lower, upper)
    assert "diagonal" in changed("pairs", (1, 1), 1.0).fault(problem, lower, upper)
    assert "negative" in changed("pairs", ([0, 1], [1, 0]), -1.0).fault(problem, lower, upper)
    assert "negative" in changed("chords", 0, -1.0).fault(problem, lower, upper)
    assert "finite" in changed("chords", 0, math.nan).fault(problem, lower, upper)
    row = int(np.flatnonzero(np.isposinf(problem.row_upper))[0])
    assert "does not have" in changed("rows", (row, 0), -1.0).fault(problem, lower, upper)
    assert not changed("rows", (row, 0), 1.0).fault(problem, lower, upper)
    assert "can be negative" in changed("rows", (row, 0), 1.0).fault(problem, np.full(problem.n, -1.0), upper)
    assert "upper limit" in changed("chords", 0, 1.0).fault(problem, lower, np.full(problem.n, np.inf))
    assert "fit" in none.fault(few_dates(0, assets=29), lower, upper)


@pytest.mark.parametrize("seed", range(20))
def test_the_projection_is_nearest(seed: int) -> None:
    """No point of the set is nearer than the one found, which is in it."""
    ready(dnn_kernel.KERNELS, wait=True)
    rng = np.random.default_rng(seed)
    n, held = 6, 2
    q, p = rng.normal(0.4, 0.7, n), rng.normal(0.4, 0.7, n)
    l, u = np.where(rng.random(n) < 0.5, 0.05, 0.0), rng.uniform(0.5, 3.0, n)
    x, X, b, prices = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(1)
    low = held if seed % 2 else 0
    dnn_kernel.project(
        q, p, l, u, np.arange(n + 1), np.arange(n), np.zeros(n, dtype=np.int8), np.zeros(n),
        np.zeros(n, dtype=np.int64), np.array([low]), np.array([held]), prices, x, X, b,
    )  # fmt: skip

    def distance(x: Any, X: Any) -> float:
        return float((2 * (x - q) ** 2 + (X - p) ** 2).sum())

    assert (x * x <= b * X + 1e-9).all()
    assert ((l + u) * x - l * u * b + 1e-9 >= X).all()
    assert (l * b - 1e-9 <= x).all()
    assert (x <= u * b + 1e-9).all()
    assert (b <= 1).all()
    assert b.sum() <= held * (1 + 2 * dnn_kernel.CLOSE)
    for _ in range(3000):
        share = rng.dirichlet(np.full(n, 0.5)) * held
        share = np.minimum(share, 1.0) if low == 0 else share
        if (share > 1).any():
            continue
        one = rng.uniform(l, u)
        Y = rng.uniform(one * one, (l + u) * one - l * u)
        t = rng.random()  # between the point found and another: where it counts
        assert (
            distance((1 - t) * x + t * share * one, (1 - t) * X + t * share * Y)
            >= distance(x, X) - 10 * dnn_kernel.CLOSE
        )


recipes = st.builds(
    Recipe,
    seed=st.integers(0, 10**6),
    binaries=st.integers(3, 8),
    quadratic=st.sampled_from(["singular", "dense", "factor"]),
    binary_rows=st.sampled_from(["count", "none"]),
    bounds=st.sampled_from(["buy-in", "from zero", "twins", "unlimited"]),
    equations=st.integers(0, 2),
    inequalities=st.integers(0, 2),
    mixed_rows=st.booleans(),
    costs=st.booleans(),
    unswitched=st.integers(0, 2),
    shared=st.booleans(),
)


@settings(max_examples=40 * TIMES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(recipes)
def test_never_above_the_optimum(recipe: Recipe) -> None:
    problem = make(recipe)
    try:
        best, _ = optimum(problem)
    except NoReference:
        return
    result = hm.solve(problem, config=LIFTED, prove=True, time_limit=20.0)
    if result.x is None:
        return
    scale = 1e-6 * (1.0 + abs(best))
    assert result.objective >= best - scale
    assert all(bound <= best + scale for bound in result.bounds.values())
    if result.certificate is not None:
        found = result.certificate.verify(problem)
        assert found, found.reason
    if result.proof is not None:
        found = result.proof.verify(problem)
        assert found, found.reason
        assert result.proof.claimed <= best + scale


@pytest.mark.parametrize("sense", ["equal", "at_least"])
@pytest.mark.parametrize("seed", range(3))
def test_better_than_persp_where_dates_are_few(seed: int, sense: str) -> None:
    problem = few_dates(seed, sense=sense)
    lifted, plain = (hm.solve(problem, config=config, prove=True) for config in (LIFTED, PLAIN))
    assert lifted.status == plain.status == "optimal"
    assert lifted.objective == pytest.approx(plain.objective, rel=1e-6)
    assert lifted.bounds["dnn"] > plain.bounds["root"] + 1e-3 * plain.objective
    assert lifted.nodes < plain.nodes
    assert lifted.certificate.method == "dnn"
    assert lifted.certificate.verify(problem)
    assert lifted.proof.products
    assert lifted.proof.verify(problem)


@pytest.fixture(scope="module")
def proven() -> tuple[hm.Problem, hm.Result]:
    problem = few_dates(1, assets=16, dates=8, held=3)
    return problem, hm.solve(problem, config=LIFTED, prove=True)


def test_documents_go_back_and_forth(proven: tuple[hm.Problem, hm.Result], tmp_path: Any) -> None:
    problem, result = proven
    result.proof.save(tmp_path / "proof.json.gz")
    again = ProofTree.load(tmp_path / "proof.json.gz")
    assert again.to_dict() == result.proof.to_dict()
    assert again.verify(problem)
    result.certificate.save(tmp_path / "certificate.json")
    certificate = Certificate.load(tmp_path / "certificate.json")
    assert certificate.to_dict() == result.certificate.to_dict()
    assert certificate.verify(problem)
    assert certificate.products is not None


def numbers_in(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths to every number."""
    if isinstance(document, bool) or document is None or isinstance(document, str):
        return []
    if isinstance(document, int | float):
        return [path]
    items = document.items() if isinstance(document, dict) else enumerate(document)
    return [found for key, value in items for found in numbers_in(value, (*path, key))]


@pytest.mark.parametrize("kind", [ProofTree, Certificate])
def test_tampering_with_products_leaves_a_valid_proof_or_is_found(
    proven: tuple[hm.Problem, hm.Result], kind: Any
) -> None:
    problem, result = proven
    document = json.loads(json.dumps((result.proof if kind is ProofTree else result.certificate).to_dict()))
    paths = [path for path in numbers_in(document) if path[0] in ("products", "reasons")]
    rng, refused = np.random.default_rng(0), 0
    changes = (lambda v: -v, lambda v: v + 1, lambda v: 1.5 * v if isinstance(v, float) else v - 1)
    for at in rng.choice(len(paths), 120, replace=False):
        for change in changes:
            other = copy.deepcopy(document)
            place = other
            for key in paths[at][:-1]:
                place = place[key]
            place[paths[at][-1]] = change(place[paths[at][-1]])
            try:
                held = kind.from_dict(other).verify(problem)
            except FileError:
                held = False
            refused += not held
            # What is accepted is true.
            assert not held or (other["bound"] or -math.inf) <= result.objective * (1 + 1e-9)
    assert refused > 60
    assert not kind.from_dict({**document, "bound": result.objective * (1 + 1e-5)}).verify(problem)
    without = {name: value for name, value in document.items() if name != "products"}
    assert not kind.from_dict(without).verify(problem)


def test_without_products_a_document_is_as_it_was(proven: tuple[hm.Problem, hm.Result]) -> None:
    problem, _ = proven
    result = hm.solve(problem, config=PLAIN, prove=True)
    assert "products" not in result.proof.to_dict()
    assert "products" not in result.certificate.to_dict()
    assert all(len(reason) == 4 for reason in result.proof.to_dict()["reasons"])


def test_a_relaxation_by_itself() -> None:
    """Named in a configuration, its bound lies between Persp's and the optimum, with a certificate."""
    problem = few_dates(2)
    best = hm.solve(problem, config=PLAIN, prove=True).objective
    config = hm.Config(relaxations=("persp", "dnn"), tree=hm.TreeSettings(work=0), enumerate_up_to=0)
    result = hm.solve(problem, config=config)
    assert result.bounds["persp"] < result.bounds["dnn"] <= best * (1 + 1e-9)
    assert result.certificate.method == "dnn"
    assert result.certificate.verify(problem)


def test_negative_x_are_left_to_the_others() -> None:
    problem = make(Recipe(seed=3, binaries=5, quadratic="singular", binary_rows="count", bounds="short"))
    result = hm.solve(problem, config=hm.Config(relaxations=("persp", "dnn")))
    assert "dnn" not in result.bounds


def test_an_executor_makes_the_same_proof_as_its_own_threads() -> None:
    from concurrent.futures import ThreadPoolExecutor

    problem = few_dates(0, assets=40, dates=20, held=5)
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(2) as two:
        proofs = [hm.solve(problem, config=LIFTED, prove=True, executor=pool).proof for pool in (one, two)]
    assert proofs[0].products
    assert proofs[0].to_dict() == proofs[1].to_dict()
    assert proofs[0].verify(problem)
