"""Certificates: below the optimum, accepted as made, rejected when tampered with, exact in a file."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, reject, settings
from problems import NoReference, about, make, optimum
from test_properties import TIMES, quiet, recipes

from hybridmip import Certificate, Config, FileError, FitSettings, Problem, market, solve
from hybridmip.bounds.diagonal import largest_trace, semidefinite_slack
from hybridmip.errors import ArgumentError
from hybridmip.model.binaries import NoFeasibleBinaries
from hybridmip.model.implied import implied_bounds
from hybridmip.relax.augm import Augm
from hybridmip.relax.dual import Dual
from hybridmip.relax.fitted import fitted
from hybridmip.relax.line import Line
from hybridmip.relax.persp import Persp
from hybridmip.relax.protocol import RelaxationFailed, Setting

VECTORS = ("diagonal", "point", "multipliers", "binary_multipliers")


def by_hand(problem: Problem, certificate: Certificate) -> float:
    """The formula of the module's docstring in plain loops, with every feasible b tried; -inf if D is not below Q."""
    Q, D = problem.Q.toarray(), certificate.diagonal
    if certificate.products is not None:  # pairs of x that are not negative
        assert not certificate.products.rows.any()
        assert not certificate.products.chords.any()
        Q = Q - certificate.products.pairs.toarray()
    if (D < 0).any() or np.linalg.eigvalsh(Q - np.diag(D)).min() < -1e-10 * max(np.abs(Q).max(), 1e-300):
        return -math.inf
    lower, upper = implied_bounds(problem) if certificate.implied_bounds else (problem.x_lower, problem.x_upper)
    y, la = certificate.point, certificate.multipliers
    slope = problem.q + 2 * (Q - np.diag(D)) @ y - problem.A.toarray().T @ la
    size = np.abs(problem.q) + 2 * (np.abs(Q) + np.diag(D)) @ np.abs(y) + np.abs(problem.A.toarray()).T @ np.abs(la)
    c = []
    for j in range(problem.n):
        v = slope[j]
        if (
            D[j] == 0
            and abs(v) <= 1e-8 * size.max(initial=0.0)
            and not (np.isfinite(lower[j]) and np.isfinite(upper[j]))
        ):
            v = 0.0  # an unlimited side: rounding of the slope is let pass
        stationary = [-v / (2 * D[j])] if D[j] > 0 else []
        ends = [end for end in (lower[j], upper[j], *stationary) if lower[j] <= end <= upper[j]]
        if D[j] == 0 and v == 0:
            c.append(0.0)
        else:
            c.append(min((D[j] * x + v) * x if np.isfinite(x) or (v * x < 0 and D[j] == 0) else math.inf for x in ends))
    priced = 0.0
    for multiplier, low, high in zip(la, problem.row_lower, problem.row_upper, strict=True):
        limit = low if multiplier > 0 else high
        priced += multiplier * limit if multiplier != 0 else 0.0
    cost = problem.p - problem.G.toarray().T @ la
    free = 0.0
    for j, i in enumerate(problem.switch):
        if i >= 0:
            cost[i] += c[j]
        else:
            free += c[j]
    B = problem.B.toarray()
    least = math.inf
    for choice in itertools.product((0.0, 1.0), repeat=problem.m):
        b = np.array(choice)
        if ((B @ b >= problem.b_lower - 1e-9) & (B @ b <= problem.b_upper + 1e-9)).all():
            least = min(least, float(np.where(b > 0, cost, 0.0).sum()))
    return float(problem.offset - y @ (Q - np.diag(D)) @ y + priced + free + least)


def case(recipe: object) -> tuple[Problem, float]:
    """A problem and its optimum by trying every b; only feasible ones."""
    problem = make(recipe)
    try:
        best, _ = optimum(problem)
    except NoReference:
        reject()
    if math.isinf(best):
        reject()
    return problem, best


@settings(quiet, max_examples=80 * TIMES)
@given(recipes)
def test_certificates_hold_and_are_accepted(recipe: object) -> None:
    """The certificate of every solve is below the optimum, agrees with plain loops, and verifies."""
    problem, best = case(recipe)
    result = solve(problem, config=Config(enumerate_up_to=0, fit=FitSettings(rounds=2)), seed=2)
    certificate = result.certificate
    assert certificate is not None
    slack = 1e-8 * max(1.0, abs(best))  # the answers hold their rows to about 1e-9, the oracle to 1e-8
    assert certificate.claimed <= best + slack
    assert certificate.verify(problem)
    if math.isfinite(certificate.claimed):
        assert certificate.claimed <= certificate.bound() <= best + slack
        assert certificate.bound() <= by_hand(about(problem, certificate), certificate) + 1e-8 * max(1.0, abs(best))
        assert result.bound >= certificate.claimed - slack


@settings(quiet, max_examples=80 * TIMES)
@given(recipes)
def test_tampering_is_found(recipe: object) -> None:
    """Any entry changed so that the claim no longer follows: rejected. What still follows may pass."""
    problem, best = case(recipe)
    certificate = solve(problem, config=Config(enumerate_up_to=0), seed=2).certificate
    assert certificate is not None
    if not math.isfinite(certificate.claimed):
        reject()
    rng = np.random.default_rng(7)
    scale = max(1.0, abs(best))
    for name in VECTORS:
        original = getattr(certificate, name)
        for _ in range(4 if original.size else 0):
            values = original.copy()
            j = int(rng.integers(values.size))
            values[j] += rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(-6, 3) * (1 + abs(values[j]))
            changed = dataclasses.replace(certificate, **{name: values})
            if changed.verify(problem):
                assert changed.claimed <= by_hand(about(problem, changed), changed) + 1e-8 * scale
    higher = dataclasses.replace(certificate, claimed=certificate.bound() + 1e-9 * scale)
    assert not higher.verify(problem)
    assert "claims" in higher.verify(problem).reason


@settings(quiet, max_examples=40 * TIMES)
@given(recipes)
def test_any_diagonal_point_and_multipliers(recipe: object) -> None:
    """Not only the best ones: whatever is put in, what comes out is below the optimum."""
    problem, best = case(recipe)
    rng = np.random.default_rng(3)
    below = largest_trace(problem.Q)
    for size in (0.0, 1e-4, 1.0, 30.0):
        certificate = Certificate.make(
            problem, below * rng.random(), size * rng.normal(size=problem.n), size * rng.normal(size=problem.rows),
            size * rng.normal(size=problem.B.shape[0]),
        )  # fmt: skip
        assert certificate.claimed <= best + 1e-9 * max(1.0, abs(best))
        assert certificate.verify(problem)


@settings(quiet, max_examples=60 * TIMES)
@given(recipes)
def test_persp_dominates(recipe: object) -> None:
    """Persp is at least as good as Line, Dual and Augm, and the fitted diagonal at least as good as Persp."""
    problem = make(recipe)
    try:
        setting = Setting(problem)
        persp = Persp().solve(setting, {}, None)
    except (RelaxationFailed, NoFeasibleBinaries):
        reject()
    earlier: dict = {}
    slack = 1e-6 * max(1.0, abs(persp.bound) if math.isfinite(persp.bound) else 1.0)
    for role in (Line(), Dual(), Augm(1e-7)):
        try:
            earlier[role.name] = role.solve(setting, earlier, None)
        except RelaxationFailed:
            break
        assert persp.bound >= earlier[role.name].bound - slack
    assert fitted(setting, persp, 2).bound >= persp.bound


def portfolio(assets: int = 12, hold: int = 4) -> Problem:
    """A small portfolio with a dense covariance."""
    returns, covariance = market(assets=assets, seed=5).sample_estimates()
    from hybridmip import Portfolio

    asked = Portfolio(returns, covariance, assets=hold, min_weight=0.05, target_return=float(returns.mean()))
    return asked.problem()


def test_a_file_keeps_every_bit(tmp_path: Path) -> None:
    """Saved and loaded: the same numbers, keys as documented, still valid."""
    problem = portfolio()
    certificate = solve(problem, config=Config(enumerate_up_to=0)).certificate
    assert certificate is not None
    path = tmp_path / "proof.json"
    certificate.save(path)
    document = json.loads(path.read_text())
    assert {"diagonal", "point", "multipliers", "bound", "problem_hash", "version"} <= set(document)
    assert document["bound"] == certificate.claimed
    again = Certificate.load(path)
    for name in VECTORS:
        np.testing.assert_array_equal(getattr(again, name), getattr(certificate, name))
    assert again.verify(problem)
    assert again.bound(problem) == certificate.bound()
    with pytest.raises(ArgumentError, match="problem"):
        again.bound()


def test_another_problem_is_refused() -> None:
    """A certificate is for one problem; also where the sizes agree."""
    certificate = solve(portfolio()).certificate
    assert certificate is not None
    other = market(assets=12, seed=6).portfolio(assets=4, min_weight=0.05, target_return=0.001).problem()
    found = certificate.verify(other)
    assert not found
    assert "another problem" in found.reason
    nameless = dataclasses.replace(certificate, problem_hash="")
    assert "entries" in dataclasses.replace(nameless, point=np.zeros(3)).verify(other).reason


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_numbers_must_be_finite(bad: float) -> None:
    """NaN or infinity anywhere is a reason to reject, not an exception."""
    problem = portfolio()
    certificate = solve(problem).certificate
    assert certificate is not None
    for name in ("diagonal", "point", "multipliers"):
        values = getattr(certificate, name).copy()
        values[0] = bad
        assert "finite" in dataclasses.replace(certificate, **{name: values}).verify(problem).reason
    assert not dataclasses.replace(certificate, claimed=bad).verify(problem)


def test_a_negative_or_too_large_diagonal() -> None:
    """The reason says which."""
    problem = portfolio()
    certificate = solve(problem, config=Config(enumerate_up_to=0)).certificate
    assert certificate is not None
    values = certificate.diagonal.copy()
    values[2] = -1e-12
    assert "negative" in dataclasses.replace(certificate, diagonal=values).verify(problem).reason
    more = dataclasses.replace(certificate, diagonal=certificate.diagonal * 1.001 + 1e-9)
    assert "semidefinite" in more.verify(problem).reason


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[]", "not a certificate"),
        ('{"format": "other"}', "not a certificate"),
        ('{"diagonal": [1], "point": [1]}', "multipliers is missing"),
        ('{"diagonal": [1], "point": ["a"], "multipliers": []}', "point must be"),
        ('{"diagonal": [1], "point": [1], "multipliers": [], "bound": "x"}', "bound must be"),
        ("", "empty"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, message: str) -> None:
    """One line that says what is wrong."""
    path = tmp_path / "proof.json"
    path.write_text(text)
    with pytest.raises(FileError, match=message) as error:
        Certificate.load(path)
    assert "\n" not in str(error.value)


def test_semidefinite_slack_is_tiny_and_honest() -> None:
    """Zero for what is clearly below Q, tiny on the edge, None beyond it."""
    rng = np.random.default_rng(0)
    root = rng.normal(size=(20, 12))
    problem = Problem(Q=root @ root.T + 0.5 * np.eye(20))
    clear = semidefinite_slack(problem.Q, np.full(20, 0.4))
    assert clear is not None
    assert not clear.any()
    edge = semidefinite_slack(problem.Q, np.full(20, 0.5))
    assert edge is not None
    assert edge.max() < 1e-10
    assert semidefinite_slack(problem.Q, np.full(20, 0.5 + 1e-8)) is None
    assert semidefinite_slack(problem.Q, np.full(20, -0.1)) is None


def test_milp_certificate_is_its_duals() -> None:
    """For Q = 0 the multipliers alone prove the bound of the linear relaxation."""
    problem = Problem(
        q=[1.0, 2.0, 3.0], p=[4.0, 1.0, 1.0], A=[[1.0, 1.0, 1.0]], row_lower=2.0, x_lower=0.0, x_upper=[1.5, 1.5, 1.5],
        switch=[0, 1, 2],
    )  # fmt: skip
    result = solve(problem, config=Config(enumerate_up_to=0))
    assert result.certificate is not None
    assert not result.certificate.diagonal.any()
    assert result.certificate.verify(problem)
    assert result.certificate.claimed > 0
