"""Columns that are mixtures of others: found with their weights, and proofs with products of their own."""

from __future__ import annotations

import copy
import json
import math
import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from problems import NoReference, optimum
from test_tree import ALONE, checked_by_loops

import hybridmip as hm
from hybridmip.bounds.products import Products, less_pairs
from hybridmip.bounds.proof_tree import ProofTree
from hybridmip.exact.mixtures import Demand, Unmixing, mixtures_in, unmixing
from hybridmip.exact.tree import Worker
from hybridmip.relax.node import Shared
from hybridmip.relax.protocol import Setting

TIMES = int(os.environ.get("HYBRIDMIP_EXAMPLES", "1"))


def mixed_market(seed: int, n: int, kinds: tuple[str, ...], shuffled: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Returns and covariance of n assets and of mixtures of them."""
    rng = np.random.default_rng(seed)
    rows = [np.eye(n)]
    for kind in kinds:
        fund = np.zeros(n)
        if kind == "copy":
            fund[rng.integers(n)] = 1.0
        elif kind != "cash":
            members = rng.choice(n, 3 if kind in ("fund", "short fund") else n, replace=False)
            fund[members] = rng.dirichlet(np.ones(members.size))
            fund[members[0]] *= -1.0 if kind == "short fund" else 1.0
        rows.append(fund[None])
    mixture = np.concatenate(rows)
    if shuffled:
        mixture = mixture[rng.permutation(len(mixture))]
    factors = rng.normal(size=(n, 3)) * 0.1
    covariance = mixture @ (factors @ factors.T + np.diag(rng.uniform(0.01, 0.05, n))) @ mixture.T
    return mixture @ rng.uniform(0.0, 0.1, n), 0.5 * (covariance + covariance.T)


@pytest.mark.parametrize("seed", range(10))
def test_mixtures_are_found_with_weights_that_are_not_negative(seed: int) -> None:
    """Whatever the order: the columns are the mixtures that they are said to be, and the members independent."""
    _, Q = mixed_market(seed, 12, ("copy", "fund", "fund of all"))
    members, mixed, weights = mixtures_in(Q)
    assert (members.size, mixed.size) == (12, 3)
    assert sorted([*members, *mixed]) == list(range(15))
    assert np.allclose(Q[:, mixed], Q[:, members] @ weights, atol=1e-9 * Q.max())
    assert np.linalg.eigvalsh(Q[np.ix_(members, members)])[0] > 1e-4
    assert (weights >= 0).all()


def test_no_mixtures() -> None:
    """A regular matrix has none, nor has cash, nor a matrix with one column."""
    _, regular = mixed_market(0, 8, ())
    assert mixtures_in(regular) is None
    assert mixtures_in(np.pad(regular, (0, 1))) is None
    assert mixtures_in(np.ones((1, 1))) is None


def test_who_works_on_nodes() -> None:
    """Mixtures are known where the products have a sign: not for x that may be negative, not where there are none."""
    returns, Q = mixed_market(1, 8, ("copy", "fund"))

    def worker(**changes: object) -> Worker:
        given = {"assets": 3, "target_return": 0.05, "return_sense": "at_least", **changes}
        setting = Setting(hm.Portfolio(returns, Q, **given).problem())
        return unmixing(Worker(Shared.of(setting)), setting)

    assert isinstance(worker(), Unmixing)
    n = len(returns)
    setting = Setting(
        hm.Problem(Q=Q, A=np.ones((1, n)), row_lower=1, row_upper=1, x_lower=-1, x_upper=1, switch=range(n))
    )
    assert not isinstance(unmixing(Worker(Shared.of(setting)), setting), Unmixing)
    returns, Q = mixed_market(1, 8, ())
    assert not isinstance(worker(), Unmixing)


@pytest.mark.parametrize("seed", range(5))
def test_pairs_alone_are_what_products_leave(seed: int) -> None:
    """The quick way gives the numbers that the checker finds, to the last digit."""
    rng = np.random.default_rng(seed)
    returns, Q = mixed_market(seed, 7, ("fund",))
    problem = hm.Portfolio(returns, Q, assets=3, target_return=0.05).problem()
    pairs = np.triu(rng.exponential(size=(8, 8)) * (rng.random((8, 8)) < 0.4), 1)
    products = Products(pairs + pairs.T, np.zeros((problem.rows, 8)), np.zeros(8))
    expected = products.lowered(problem, problem.x_lower, problem.x_upper).Q
    assert np.array_equal(less_pairs(problem.Q.toarray(), products.pairs, problem.rows), expected)


def random_demand(seed: int, mixtures: int = 2) -> tuple[Demand, np.ndarray]:
    """Members of one mixture, of two and of none at a point, what they are worth, and a diagonal below V."""
    rng = np.random.default_rng(seed)
    members = 9
    weights = np.where(rng.random((members, mixtures)) < 0.6, rng.uniform(0.05, 0.6, (members, mixtures)), 0.0)
    x, of_mixtures = np.where(rng.random(members) < 0.6, rng.random(members), 0.0), rng.random(mixtures)
    gains = np.where(rng.random(members) < 0.8, rng.exponential(size=members), 0.0)
    gains_of_mixtures = np.where(rng.random(mixtures) < 0.5, rng.exponential(0.2, mixtures), 0.0)
    return Demand(weights, gains, gains_of_mixtures, x, of_mixtures), rng.exponential(size=members)


@pytest.mark.parametrize("seed", range(40))
def test_what_members_keep_is_made_up_for(seed: int) -> None:
    """sum e_k z_k^2, less the diagonal and the products that are taken, is semidefinite, and nothing is negative."""
    demand, e = random_demand(seed)
    prices = demand.prices(e)
    given, kept = demand.met(prices)
    left = demand.for_mixtures(e, prices)
    assert (left >= -1e-9 * e.max()).all()
    assert (prices >= demand.gains_of_mixtures).all()
    z = np.concatenate([np.eye(e.size), demand.weights], axis=1)
    products = z.T @ ((given * e)[:, None] * z)
    np.fill_diagonal(products, 0.0)
    assert (products >= 0.0).all()
    diagonal = np.concatenate([kept * e, left])
    assert np.linalg.eigvalsh(z.T @ (e[:, None] * z) - products - np.diag(diagonal))[0] >= -1e-9 * e.max()


@pytest.mark.parametrize("seed", range(20))
def test_the_shares_that_are_taken_are_the_best(seed: int) -> None:
    """One mixture: no shares on a grid are worth more, together with what is left for the mixture, at the price."""
    demand, e = random_demand(seed, mixtures=1)
    price = demand.prices(e)
    given, kept = demand.met(price)
    alone = demand.weights[:, 0] > 0.0
    w, g, c = demand.weights[:, 0], demand.gains, float(price[0])
    apart = demand.x * demand.x_of_mixtures[0]

    def value(share: np.ndarray, d: np.ndarray) -> np.ndarray:
        """What a member brings: its diagonal, what it leaves to the mixture, less its product."""
        rest = np.maximum(e - d, 1e-300)
        made_up = np.where(share < 1.0, 1.0 - (1.0 - share) ** 2 * e / rest, 1.0)
        return g * d - 2.0 * share * e * w * apart + c * e * w**2 * made_up

    found = value(given, kept * e)
    assert np.allclose(found, e * demand.worth(price), rtol=1e-6, atol=1e-9)
    assert (demand.worth(price) >= -1e-12).all()
    for share in np.linspace(0.0, 1.0, 21):
        for part in np.linspace(0.0, 0.999, 41):
            assert (value(np.full(e.size, share), part * e) <= found + 1e-9)[alone].all()


kinds = st.lists(st.sampled_from(["copy", "fund", "short fund", "fund of all", "cash"]), min_size=1, max_size=3)


@settings(max_examples=40 * TIMES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6), st.integers(4, 7), kinds, st.integers(1, 4), st.sampled_from([0.0, 0.1]), st.booleans())
def test_small_problems_with_mixtures(
    seed: int, n: int, kinds: list[str], held: int, least: float, exactly: bool
) -> None:
    """The tree alone against trying every b; its proof is checked, by plain loops too, and as a document."""
    returns, Q = mixed_market(seed, n, tuple(kinds))
    target = float(np.quantile(returns, 0.6))
    problem = hm.Portfolio(
        returns, Q, assets=held if exactly else (None, held), min_weight=least, target_return=target,
        return_sense="at_least",
    ).problem()  # fmt: skip
    try:
        best, _ = optimum(problem)
    except NoReference:
        return
    result = hm.solve(problem, config=ALONE, prove=True)
    if not math.isfinite(best):
        assert result.x is None
        return
    assert result.status == "optimal"
    assert abs(result.objective - best) <= 1e-6 * (1e-3 + abs(best))
    assert result.proof.claimed <= best * (1 + 1e-9) + 1e-15
    again = ProofTree.from_dict(json.loads(json.dumps(result.proof.to_dict())))
    assert again.verify(problem)
    assert checked_by_loops(problem, again)


def test_tampered_products_are_found_or_prove_no_more() -> None:
    """Every multiple made larger, smaller, negative, of another x, or left out: refused, or a proof all the same."""
    returns, Q = mixed_market(3, 10, ("copy", "fund of all"))
    problem = hm.Portfolio(returns, Q, assets=3, min_weight=0.1, target_return=0.05).problem()
    proof = hm.solve(problem, config=ALONE, prove=True).proof
    document = proof.to_dict()
    few = [number for number, products in enumerate(document["products"]) if "few" in products]
    assert few
    best, _ = optimum(problem)
    refused = 0
    for number in few[:4]:
        products = document["products"][number]
        for at in range(len(products["few"])):
            for change in (lambda one: [*one[:2], 3 * one[2]], lambda one: [*one[:2], -one[2]], lambda one: None,
                           lambda one: [one[0], (one[1] + 1) % problem.n, one[2]]):  # fmt: skip
                damaged = copy.deepcopy(document)
                changed = change(products["few"][at])
                damaged["products"][number]["few"][at : at + 1] = [] if changed is None else [changed]
                try:
                    found = ProofTree.from_dict(damaged).verify(problem)
                except hm.HybridMIPError:
                    refused += 1
                    continue
                refused += not found
                if found:
                    assert proof.claimed <= best
    assert refused


@pytest.mark.parametrize("seed", [3, 6])
def test_a_fund_of_all_that_is_held_costs_few_nodes(seed: int) -> None:
    """Its members keep most of a diagonal: not 29 and 83 nodes, as where each of them gives its product."""
    returns, covariance = hm.market(assets=20, seed=seed).sample_estimates()
    fund = np.random.default_rng([seed, 20])
    weights = np.zeros(20)
    weights[fund.choice(20, 20, replace=False)] = fund.dirichlet(np.ones(20))
    mixture = np.concatenate([np.eye(20), weights[None]])
    Q = mixture @ np.asarray(covariance) @ mixture.T
    result = hm.solve(hm.Portfolio(mixture @ returns, 0.5 * (Q + Q.T), assets=5).problem(), prove=True)
    assert result.status == "optimal"
    assert result.x[-1] > 0.1
    assert result.nodes <= 20  # 17 and 9, or fewer: the last bits of BLAS decide
    assert result.proof.verify(hm.Portfolio(mixture @ returns, 0.5 * (Q + Q.T), assets=5).problem())
