"""Singular Q: cash, copies and funds cost few nodes, and the diagonal stays where null vectors have no entry."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

import hybridmip as hm
from hybridmip.bounds.diagonal import largest_trace, phi, semidefinite_slack
from hybridmip.bounds.null_vectors import null_vectors
from hybridmip.bounds.products import Products
from hybridmip.bounds.proof_tree import Branch, Reason
from hybridmip.model.quadratic import DenseForm
from hybridmip.model.semidefinite import lacking

Vector = NDArray[np.float64]
#: Assets held, least weight, and the share of assets whose expected return is below the target (None: no target).
RULES = ((5, 0.0, None), (5, 0.01, 0.6), (10, 0.01, 0.6), (4, 0.05, 0.8))


def added(kind: str, n: int, rng: np.random.Generator) -> Vector:
    """Mixtures of n assets, one in a row."""
    if kind == "none":
        return np.zeros((0, n))
    if kind == "cash":
        return np.zeros((1, n))
    if kind == "copies":
        return np.eye(n)[rng.choice(n, 2, replace=False)]
    fund = np.zeros((1, n))
    members = rng.choice(n, 5 if kind == "fund of 5" else n, replace=False)
    fund[0, members] = rng.dirichlet(np.ones(members.size))
    return fund


def market(kind: str, n: int, seed: int) -> tuple[Vector, Vector]:
    """Returns and covariance with the columns added, in an order of their own."""
    returns, covariance = hm.market(assets=n, seed=seed).sample_estimates()
    rng = np.random.default_rng(seed)
    mixture = np.concatenate([np.eye(n), added(kind, n, rng)])
    mixture = mixture[rng.permutation(len(mixture))]
    means = np.where(mixture.any(axis=1), mixture @ returns, returns.min())
    everything = mixture @ np.asarray(covariance) @ mixture.T
    return means, 0.5 * (everything + everything.T)


def nodes(kind: str, n: int, seed: int) -> int:
    """Of all rules together, each proven and its proof checked."""
    total = 0
    returns, _ = market("none", n, seed)
    for held, least, above in RULES:
        target = None if above is None else float(np.quantile(returns, above))
        problem = hm.Portfolio(*market(kind, n, seed), assets=held, min_weight=least, target_return=target).problem()
        result = hm.solve(problem, prove=True, config=hm.Config(threads=1))
        assert result.status == "optimal"
        assert result.proof is not None
        assert result.proof.verify(problem)
        total += result.nodes
    return total


@pytest.mark.parametrize("kind", ["cash", "copies", "fund of 5", "fund of all"])
def test_columns_that_others_imply_cost_no_more_than_twice_the_nodes(kind: str) -> None:
    """In all of three markets: single proofs that end at the root have three nodes where something is decided."""
    cases = [(60, seed) for seed in range(3)]
    assert sum(nodes(kind, *case) for case in cases) <= 2 * sum(nodes("none", *case) for case in cases)


def test_null_vectors_of_copies_funds_and_cash() -> None:
    """A copy touches itself and what it copies, a fund its members, cash itself; nothing touches the others."""
    rng = np.random.default_rng(0)
    root = rng.normal(size=(12, 12))
    fund = np.zeros(12)
    fund[[3, 5, 8]] = 0.2, 0.3, 0.5
    mixture = np.concatenate([np.eye(12), np.eye(12)[[1]], fund[None], np.zeros((1, 12))])
    found = null_vectors(mixture @ root @ root.T @ mixture.T)
    assert set(np.flatnonzero(found.touched)) == {1, 12, 3, 5, 8, 13, 14}
    assert found.implied.sum() == 3
    regular = ~found.implied
    assert np.linalg.eigvalsh((mixture @ root @ root.T @ mixture.T)[np.ix_(regular, regular)])[0] > 1e-6
    assert not null_vectors(root @ root.T).touched.any()


@pytest.mark.parametrize("kind", ["cash", "copies", "fund of 5"])
@pytest.mark.parametrize("find", [phi, largest_trace])
def test_the_diagonal_stays_where_null_vectors_have_no_entry(find: object, kind: str) -> None:
    """It is below Q by proof, 0 where it must be, and elsewhere no less than 0.8 of what it is without the columns."""
    for seed in range(3):
        Q = DenseForm(market(kind, 30, seed)[1])
        found = find(Q)  # type: ignore[operator]
        slack = semidefinite_slack(Q, found)
        assert slack is not None
        assert slack.max() <= 1e-10 * Q.matrix.max()
        touched = null_vectors(Q.matrix).touched
        assert not found[touched].any()
        without = DenseForm(Q.matrix[np.ix_(~touched, ~touched)])
        assert found.sum() >= 0.8 * find(without).sum()  # type: ignore[operator]


def test_copies_to_the_last_digit_lack_nothing() -> None:
    """One of each set is enough for the proof, unless something is taken of one of them."""
    root = np.random.default_rng(1).normal(size=(6, 6))
    index = [0, 1, 2, 3, 4, 5, 2, 2, 4]
    matrix = (root @ root.T)[np.ix_(index, index)]
    nothing = lacking(matrix)
    assert nothing is not None
    assert not nothing.any()
    lowest = float(np.linalg.eigvalsh(root @ root.T)[0])
    taken = np.zeros(9)
    taken[0] = 0.5 * lowest
    fits = lacking(matrix, taken)
    assert fits is not None
    assert not fits.any()
    for tiny in (0.5 * lowest, 1e-6 * lowest):
        taken[6] = tiny
        assert lacking(matrix, taken) is None
    taken[6] = 1e-25
    barely = lacking(matrix, taken)
    assert barely is not None
    assert barely[6] >= 1e-25


def is_semidefinite(matrix: list[list[Fraction]]) -> bool:
    """By elimination, without rounding."""
    while matrix:
        (pivot, *row), *rest = matrix
        if pivot < 0 or (pivot == 0 and any(row)):
            return False
        matrix = [[v - r[0] * w / pivot if pivot else v for v, w in zip(r[1:], row, strict=True)] for r in rest]
    return True


@pytest.mark.parametrize("seed", range(3))
def test_what_is_lacking_is_enough_and_never_negative(seed: int) -> None:
    """On the edge, and with entries of the diagonal that are zero or negative by next to nothing: what is charged is
    not negative, and with it the matrix is semidefinite to the last digit."""
    rng, some = np.random.default_rng(seed), 0
    for number in range(400):
        n = int(rng.integers(1, 6))
        root = rng.standard_normal((n, int(rng.integers(1, n + 1))))
        matrix, taken, j = root @ root.T, np.zeros(n), int(rng.integers(n))
        matrix = (matrix + matrix.T) / 2
        if number % 5 == 1:
            matrix[j, j] = -float(rng.choice([5e-324, 1e-20, 1e-12, 1e-10]))
        elif number % 5 == 2:
            matrix[j, j] *= 1 - float(rng.choice([1e-16, 1e-13, 1e-10, 1e-9, 1e-8]))
        elif number % 5 == 3:
            matrix[j] = matrix[:, j] = 0.0
            matrix[j, j] = float(rng.choice([0.0, -5e-324, -1e-20]))
        elif number % 5 == 4:
            taken[j] = matrix[j, j] * float(rng.choice([1.0, 1 + 1e-15, 1 + 9e-10, 2.0]))
        found = lacking(matrix, taken)
        if found is None:
            continue
        assert (found >= 0).all()
        exact = [[Fraction(entry) for entry in line] for line in matrix.tolist()]
        for i in range(n):
            exact[i][i] += Fraction(float(found[i])) - Fraction(float(taken[i]))
        assert is_semidefinite(exact)
        some += bool(found.any())
    assert some > 20


@pytest.mark.parametrize("beyond", [0.0, 1e-12, 1e-10, 1e-6])
def test_products_that_leave_a_negative_entry_prove_nothing(beyond: float) -> None:
    """A row's product that takes all of Q_00, or a little more: what is left may not be negative, however little."""
    problem = hm.Problem(
        Q=[[1.0, 0.5], [0.5, 1.0]], A=[[1.0, 1.0]], row_lower=1, row_upper=1, x_lower=0.0, x_upper=1.0, switch=[0, 1]
    )
    products = Products(np.zeros((2, 2)), np.array([[1.0 + beyond, 0.0]]), np.zeros(2))
    assert not products.fault(problem, problem.x_lower, problem.x_upper)
    left = products.lowered(problem, problem.x_lower, problem.x_upper)
    assert left.Q[0, 0] < 0  # rounding was taken off
    reason = Reason(0, np.array([0.5, 0.5]), np.zeros(1), np.zeros(0), 0)
    proof = hm.ProofTree(-1e9, [np.zeros(2)], [reason], Branch(closed=0), products=[products])
    assert "proves nothing" in proof.verify(problem).reason
    nothing = np.zeros(2)
    certificate = hm.Certificate(nothing, reason.point, np.zeros(1), np.zeros(0), claimed=-1e9, products=products)
    assert not certificate.verify(problem)


def test_copies_in_other_units_lack_nothing() -> None:
    """Columns that are the same but for a power of two are copies as well."""
    root = np.random.default_rng(2).normal(size=(5, 5))
    index, units = [0, 1, 2, 3, 4, 2, 0], np.array([0, 3, -7, 1, 0, 12, -2])
    matrix = np.ldexp((root @ root.T)[np.ix_(index, index)], units[:, None] + units[None, :])
    nothing = lacking(matrix)
    assert nothing is not None
    assert not nothing.any()
    taken = np.zeros(7)
    taken[1] = 0.5 * float(np.linalg.eigvalsh(root @ root.T)[0]) * 4.0**3
    fits = lacking(matrix, taken)
    assert fits is not None
    assert not fits.any()


def test_nothing_but_cash() -> None:
    """Without a target cash alone has no variance: proven at once, also beside copies."""
    for kind in ("cash", "copies"):
        returns, covariance = market(kind, 20, 0)
        if kind == "copies":
            returns, covariance = np.append(returns, 0.0), np.pad(covariance, (0, 1))
        problem = hm.Portfolio(returns, covariance, assets=5).problem()
        result = hm.solve(problem, prove=True, config=hm.Config(threads=1))
        assert (result.status, result.objective, result.bound) == ("optimal", 0.0, 0.0)
        assert result.proof is not None
        assert result.proof.verify(problem)
        assert math.isclose(result.x[np.argmin(np.diag(covariance))], 1.0)


@pytest.mark.parametrize("kind", ["none", "cash", "copies", "fund of 5", "fund of all"])
@pytest.mark.parametrize("dates", [15, 520])
def test_few_subsets_are_decided_without_being_asked(dates: int, kind: str) -> None:
    """At most 5 of 20 assets, 21,700 subsets: optimal without a limit, also with fewer dates than assets."""
    sample = hm.market(assets=20, seed=3, periods=dates)
    mixture = np.concatenate([np.eye(20), added(kind, 20, np.random.default_rng(3))])
    covariance = mixture @ np.cov(sample.returns().to_numpy().T) @ mixture.T
    returns = np.where(mixture.any(axis=1), mixture @ sample.expected_returns, 0.0)
    for target in (0.5, 0.8):
        limit = float(np.quantile(sample.expected_returns, target))
        problem = hm.Portfolio(returns, 0.5 * (covariance + covariance.T), assets=5, target_return=limit).problem()
        assert hm.solve(problem, config=hm.Config(threads=1)).status == "optimal"
