"""The walk over vertices: what it applies to, and that every vertex is what it says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from problems import optimum

from hybridmip import Problem
from hybridmip.engines.highs import LinearModel
from hybridmip.model.structure import is_fixed_charge
from hybridmip.relax.protocol import Setting
from hybridmip.search.charges import needed_upper, rows_when_on
from hybridmip.search.vertices import Vertices


def transport(sources: int, sinks: int, seed: int, shared: bool = False, inequalities: bool = False) -> Problem:
    """Fixed-charge transportation; `shared`: one switch per source, whose capacity is a row with that switch."""
    rng = np.random.default_rng(seed)
    n = sources * sinks
    demand = rng.integers(3, 10, sinks).astype(float)
    supply = np.ceil(rng.dirichlet(np.ones(sources)) * demand.sum()) + 4.0
    of_source = np.kron(np.eye(sources), np.ones(sinks))
    of_sink = np.kron(np.ones(sources), np.eye(sinks))
    A = np.vstack([of_source, of_sink])
    if inequalities:  # as much as is wanted, or more, and weights that no network has
        A = A * rng.uniform(0.5, 2.0, n)
        supply, demand = 3.0 * supply, 0.4 * demand
    free = np.full(sources, -math.inf)
    G = np.vstack([-np.diag(supply), np.zeros((sinks, sources))]) if shared else None
    return Problem(
        q=rng.integers(1, 8, n).astype(float),
        p=rng.integers(5, 40, sources if shared else n).astype(float),
        A=A,
        G=G,
        row_lower=np.concatenate([free, demand]),
        row_upper=np.concatenate(
            [0.0 * supply if shared else supply, np.full(sinks, np.inf) if inequalities else demand]
        ),
        x_lower=np.zeros(n),
        x_upper=np.full(n, 2.0 * demand.max() if inequalities else demand.max()),
        switch=np.repeat(np.arange(sources), sinks) if shared else np.arange(n),
    )


CASES = [(False, False), (True, False), (False, True), (True, True)]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("shared", "inequalities"), CASES)
def test_every_vertex_is_feasible_and_costs_what_it_says(seed: int, shared: bool, inequalities: bool) -> None:
    problem = transport(4, 6, seed, shared, inequalities)
    vertices = Vertices(Setting(problem), is_fixed_charge(problem))
    assert vertices.applies
    assert vertices.begin(np.ones(problem.m, dtype=bool), None)
    rng = np.random.default_rng(seed)
    for _ in range(30):
        vertices.search(rng, math.inf, 1)
        at = vertices.now
        assert at is not None
        x, b = at.z[: problem.n], vertices.on(at.z)
        assert problem.violation(x, b) <= 1e-7
        assert problem.objective(x, b) == pytest.approx(at.value + problem.offset, rel=1e-9)
        assert np.unique(at.basis).size == problem.rows


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("shared", "inequalities"), CASES)
def test_small_ones_are_solved(seed: int, shared: bool, inequalities: bool) -> None:
    """Against enumeration: not above the optimum after a hundred rounds, and never below."""
    problem = transport(3, 4, seed, shared, inequalities)
    best, _ = optimum(problem)
    vertices = Vertices(Setting(problem), is_fixed_charge(problem))
    assert vertices.begin(np.ones(problem.m, dtype=bool), None)
    vertices.search(np.random.default_rng(0), math.inf, 100)
    assert vertices.best is not None
    assert vertices.best.value + problem.offset == pytest.approx(best, rel=1e-7)


@pytest.mark.parametrize("seed", range(30))
def test_upper_bounds_without_need_are_implied_by_the_others(seed: int) -> None:
    """Against LPs: without all of them at once no x can be above one of them."""
    rng = np.random.default_rng(seed)
    rows, n = int(rng.integers(1, 5)), int(rng.integers(2, 9))
    A = rng.choice([-1.0, 0.0, 0.5, 1.0, 2.0], (rows, n), p=[0.1, 0.3, 0.2, 0.3, 0.1]) * rng.choice([-1.0, 1.0])
    lower = rng.choice([0.0, -1.0, 0.5], n, p=[0.8, 0.1, 0.1])
    middle = A @ (lower + rng.uniform(0.0, 0.5, n))
    problem = Problem(
        q=np.ones(n),
        A=A,
        row_lower=np.where(rng.random(rows) < 0.5, middle - 1.0, -np.inf),
        row_upper=middle + rng.integers(0, 2, rows),
        x_lower=lower,
        x_upper=lower + rng.uniform(0.5, 6.0, n),
    )
    limits = rows_when_on(problem)
    upper = needed_upper(problem, limits, problem.x_lower, problem.x_upper)
    assert ((upper == problem.x_upper) | np.isinf(upper)).all()
    for j in np.flatnonzero(np.isinf(upper)):
        answer = LinearModel(-np.eye(n)[j], problem.A, *limits, problem.x_lower, upper).solve()
        assert answer.x is not None, "there is a point, so that it has no end without the bound"
        assert answer.x[j] <= problem.x_upper[j] + 1e-6


def test_sinks_with_one_source_leave_no_empty_arcs_in_the_tree() -> None:
    """Where an x can be no more than what a sink wants that is no bound of its own, so that vertices have one name."""
    problem = transport(10, 30, 0)
    vertices = Vertices(Setting(problem), is_fixed_charge(problem))
    assert np.isinf(vertices.upper[: problem.n]).all()
    assert vertices.begin(np.ones(problem.m, dtype=bool), None)
    vertices.search(np.random.default_rng(0), math.inf, 5)
    assert vertices.best is not None
    z = vertices.best.z
    assert (z[: problem.n] > 1e-8).sum() >= 30
    empty = (np.abs(z[vertices.best.basis]) < 1e-8).sum()
    assert empty <= 5  # with the bounds it is as many as there are sinks with a single source


def test_same_seed_same_walk() -> None:
    problem = transport(6, 9, 3)
    values = []
    for _ in range(2):
        vertices = Vertices(Setting(problem), is_fixed_charge(problem))
        vertices.begin(np.ones(problem.m, dtype=bool), None)
        vertices.search(np.random.default_rng(5), math.inf, 10)
        values.append([value for value, _ in vertices.kept])
    assert values[0] == values[1]


def test_kept_ones_differ() -> None:
    problem = transport(8, 12, 1)
    vertices = Vertices(Setting(problem), is_fixed_charge(problem))
    vertices.begin(np.ones(problem.m, dtype=bool), None)
    vertices.search(np.random.default_rng(0), math.inf, 60)
    kept = [b for _, b in vertices.kept]
    assert len(kept) > 3
    assert all((one != other).any() for k, one in enumerate(kept) for other in kept[:k])
    assert vertices.kept[0][0] == vertices.best.value


@pytest.mark.parametrize(
    ("change", "applies"),
    [
        ({}, True),
        ({"p": [-1.0, 1.0]}, False),  # being on pays
        ({"x_lower": [1.0, 0.0]}, False),  # zero or at least one: not concave
        ({"x_lower": [-1.0, 0.0]}, False),  # zero is inside, no vertex
        ({"B": [[1.0, 1.0]], "b_upper": [1.0]}, False),
        ({"G": [[-1.0, 0.0]]}, False),  # the row holds an x of the other b
        ({"switch": [0, 0], "p": [1.0, 1.0]}, False),  # a b without x
    ],
)
def test_where_it_applies(change: dict[str, object], applies: bool) -> None:
    given: dict[str, object] = {
        "q": [1.0, 2.0], "p": [1.0, 1.0], "A": [[1.0, 1.0]], "row_lower": [1.0], "row_upper": [1.0],
        "x_lower": [0.0, 0.0], "x_upper": [2.0, 2.0], "switch": [0, 1],
    }  # fmt: skip
    assert is_fixed_charge(Problem(**{**given, **change})) is applies


def test_basis_of_an_lp() -> None:
    model = LinearModel(
        np.array([1.0, 2.0]), np.array([[1.0, 1.0]]), np.array([1.0]), np.array([1.0]), np.zeros(2), np.ones(2) * 5
    )
    model.solve()
    basis = model.basis()
    assert basis is not None
    assert basis.tolist() == [0]
