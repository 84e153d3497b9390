"""Quantities in modes that a problem states with variables and rows of its own: recognised, solved, given back."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from problems import NoReference, optimum

import hybridmip as hm
from hybridmip.bounds import modes
from hybridmip.bounds.mode_form import diagonal_of_modes, spread
from hybridmip.bounds.modes import recognised
from hybridmip.io.problems import read_model
from hybridmip.io.write import write_lp, write_mps
from hybridmip.model.quadratic import DenseForm, DiagonalForm, FactorModel, SparseForm

TIMES = int(os.environ.get("HYBRIDMIP_EXAMPLES", "1"))


@dataclass(frozen=True)
class Trades:
    """A way to state a rebalancing: an x for the weight and two for what is bought and sold, or these two alone."""

    seed: int = 0
    assets: int = 2
    in_weights: bool = True
    held: bool = True
    #: Switches of what is bought and sold: none, one for both, one each, one each and a row that excludes both.
    switches: str = "shared"
    fixed: float = 0.01
    cost: tuple[float, float] = (0.01, 0.02)
    turnover: float | None = None
    at_least: bool = False
    least: float = 0.0
    scale: float = 1.0
    short: bool = False
    exactly: int | None = None

    def problem(self) -> hm.Problem:
        """The problem; columns are weights (if there), purchases, sales."""
        n, rng = self.assets, np.random.default_rng(self.seed)
        root = rng.normal(size=(n, n + 1))
        V = root @ root.T / n + 0.1 * np.eye(n)
        current = np.round(rng.uniform(-0.3 if self.short else 0.0, 0.7, n) * (rng.random(n) < 0.7), 3)
        low = -0.5 if self.short else 0.0
        q = rng.normal(size=n)
        w = n if self.in_weights else 0
        columns = w + 2 * n
        up, down = w + np.arange(n), w + n + np.arange(n)
        A, lower, upper = [], [], []

        def row(values: dict[int, float], least: float, most: float) -> None:
            A.append(np.zeros(columns))
            for column, value in values.items():
                A[-1][column] = value
            lower.append(least)
            upper.append(most)

        s = self.scale
        if self.in_weights:
            Q = np.zeros((columns, columns))
            Q[:n, :n] = V
            costs = np.concatenate([q, np.full(n, s * self.cost[0]), np.full(n, s * self.cost[1])])
            for i in range(n):
                row({i: 2.0, int(up[i]): -2.0 * s, int(down[i]): 2.0 * s}, 2.0 * current[i], 2.0 * current[i])
            row(dict.fromkeys(range(n), 1.0), 1.0, 1.0)
        else:
            signs = np.concatenate([np.full(n, s), np.full(n, -s)])
            Q = np.outer(signs, signs) * np.block([[V, V], [V, V]])
            costs = np.tile(q + 2 * V @ current, 2) * signs
            costs += np.concatenate([np.full(n, s * self.cost[0]), np.full(n, s * self.cost[1])])
            row({k: float(signs[k]) for k in range(2 * n)}, 1.0 - current.sum(), 1.0 - current.sum())
        if self.turnover is not None:
            both = dict.fromkeys([*map(int, up), *map(int, down)], s)
            row(both, self.turnover if self.at_least else -np.inf, np.inf if self.at_least else self.turnover)
        switch = np.full(columns, -1)
        m, B, most, fewest, p = 0, [], [], [], []
        if self.held and self.in_weights:
            switch[:n] = np.arange(n)
            m = n
            p += [0.0] * n
            B.append(set(range(n)))
            most.append(n if self.exactly is None else self.exactly)
            fewest.append(0 if self.exactly is None else self.exactly)
        if self.switches != "none":
            switch[up] = m + np.arange(n)
            m += n
            p += [self.fixed] * n
            if self.switches == "shared":
                switch[down] = switch[up]
            else:
                switch[down] = m + np.arange(n)
                m += n
                p += [self.fixed] * n
                if self.switches == "exclusive":
                    for i in range(n):
                        B.append({int(switch[up[i]]), int(switch[down[i]])})
                        most.append(1)
                        fewest.append(0)
        on_b = np.array([[float(i in members) for i in range(m)] for members in B]).reshape(len(B), m)
        x_lower, x_upper = np.full(columns, self.least if self.switches != "none" else 0.0), np.full(columns, 1.5 / s)
        if self.in_weights:
            x_lower[:n], x_upper[:n] = low, 0.9
        return hm.Problem(
            Q=Q, q=costs, p=p or None, A=np.array(A), row_lower=lower, row_upper=upper,
            B=on_b if len(B) else None, b_lower=fewest or None, b_upper=most or None,
            x_lower=x_lower, x_upper=x_upper, switch=switch, binaries=m, offset=0.25,
        )  # fmt: skip


ways = st.builds(
    Trades,
    seed=st.integers(0, 10**6),
    assets=st.integers(1, 3),
    in_weights=st.booleans(),
    held=st.booleans(),
    switches=st.sampled_from(["none", "shared", "each", "exclusive"]),
    fixed=st.sampled_from([0.0, 0.02, 0.2, -0.1]),
    cost=st.sampled_from([(0.0, 0.0), (0.05, 0.1), (-0.05, 0.1), (-0.2, 0.1)]),
    turnover=st.sampled_from([None, 0.3, 1.0]),
    at_least=st.booleans(),
    least=st.sampled_from([0.0, 0.1]),
    scale=st.sampled_from([1.0, 0.5, 3.0]),
    short=st.booleans(),
    exactly=st.sampled_from([None, 1, 2]),
)


@settings(max_examples=40 * TIMES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(ways)
def test_the_problem_with_modes_has_the_same_optimum(way: Trades) -> None:
    """Beside trying every b of the problem as it is stated; bounds, certificates and proofs are of that problem."""
    problem = way.problem()
    if problem.m == 0:
        return
    try:
        best, b = optimum(problem)
    except NoReference:
        return
    found = recognised(problem)
    if found is not None:
        if b is not None:  # forth and back
            again = found.binaries_of(found.modes_at(*_point(problem, b)))
            assert found.problem.m < 20
            value, _ = optimum(found.problem)
            assert value == pytest.approx(best, abs=1e-6)
            assert again.shape == b.shape
        else:
            assert optimum(found.problem)[0] == math.inf
    for prove in (False, True):
        result = hm.solve(problem, prove=prove, config=hm.Config(threads=1), time_limit=20)
        if b is None:
            assert result.x is None
            continue
        assert result.status == "optimal"
        assert result.objective == pytest.approx(best, abs=1e-6)
        assert result.bound <= best + 1e-6
        assert result.violation <= 1e-7
        assert result.objective == pytest.approx(problem.objective(result.x, result.b), abs=1e-12)
        if result.certificate is not None:
            assert result.certificate.verify(problem), result.certificate.verify(problem).reason
        if result.proof is not None:
            assert result.proof.verify(problem), result.proof.verify(problem).reason


def _point(problem: hm.Problem, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    fixed = problem.replace(
        B=np.eye(problem.m), b_lower=b.astype(float), b_upper=b.astype(float), b_row_names=None
    )  # fmt: skip
    return hm.solve(fixed, config=hm.Config.quick(presolve=False)).x, b


WAYS = {
    "a switch for both": Trades(assets=4),
    "a switch each": Trades(assets=4, switches="each"),
    "a row that excludes both": Trades(assets=4, switches="exclusive", least=0.05),
    "no switch for trades": Trades(assets=4, switches="none", turnover=1.0),
    "no switch for weights": Trades(assets=4, held=False),
    "other units for trades": Trades(assets=4, scale=4.0),
    "bought and sold in Q": Trades(assets=4, in_weights=False),
    "in Q, a switch each": Trades(assets=4, in_weights=False, switches="each"),
    "in Q, excluded": Trades(assets=4, in_weights=False, switches="exclusive", least=0.05),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_ways_that_are_recognised(way: Trades) -> None:
    """The problem with modes has a diagonal below its Q for every mode; the one given has none, or no switch for it."""
    problem = way.problem()
    found = recognised(problem)
    assert found is not None
    own = found.problem.Q.diagonal()
    below = np.where(own > 0, diagonal_of_modes(found.problem.Q), 0.0)
    assert (found.problem.switched[own > 0]).all()
    assert (below[own > 0] > 0).all()


NOT = {
    "trading pays": replace(WAYS["a switch for both"], cost=(-0.2, 0.1)),
    "a switch pays": replace(WAYS["a switch for both"], fixed=-0.1),
    "turnover of at least so much": replace(WAYS["a switch for both"], turnover=0.5, at_least=True),
    "least trades without a row": replace(WAYS["a switch each"], least=0.1),
    "nothing to switch": replace(WAYS["no switch for trades"], held=False),
}


@pytest.mark.parametrize("way", NOT.values(), ids=NOT.keys())
def test_ways_that_are_none(way: Trades) -> None:
    """Where buying and selling at once can pay, or nothing is switched, the problem stays as it is."""
    assert recognised(way.problem()) is None


def test_a_market_in_a_file_is_proven(tmp_path: Path) -> None:
    """Holdings with fixed costs in an LP and an MPS file, weights, purchases and sales in columns of their own."""
    n = 30
    returns, covariance = hm.market(assets=n, seed=4).sample_estimates()
    current = np.zeros(n)
    current[:5] = 0.2
    rules = {"risk_aversion": 5.0, "fixed_trade_cost": 2e-4, "assets": (None, 8)}
    portfolio = hm.Portfolio(returns, covariance, current=current, objective="utility", **rules)
    direct = hm.solve(portfolio)
    assert direct.status == "optimal"
    eye = np.eye(n)
    Q = np.zeros((3 * n, 3 * n))
    Q[:n, :n] = 5.0 * np.asarray(covariance)
    problem = hm.Problem(
        Q=Q, q=np.concatenate([-np.asarray(returns), np.zeros(2 * n)]),
        p=np.concatenate([np.zeros(n), np.full(n, 2e-4)]),
        A=np.block([[eye, -eye, eye], [np.ones((1, n)), np.zeros((1, 2 * n))]]),
        row_lower=[*current, 1.0], row_upper=[*current, 1.0],
        B=np.concatenate([np.ones((1, n)), np.zeros((1, n))], axis=1), b_upper=[8],
        x_lower=0.0, x_upper=1.0, switch=[*range(n), *range(n, 2 * n), *range(n, 2 * n)],
    )  # fmt: skip
    for name, write in (("trades.lp", write_lp), ("trades.mps", write_mps)):
        write(problem, tmp_path / name)
        read = read_model(tmp_path / name)
        result = hm.solve(read.problem)
        assert result.status == "optimal"
        assert result.objective == pytest.approx(direct.objective, rel=1e-6)
        values = read.values(result.x, result.b)
        assert sum(values[f"x{i}"] for i in range(n)) == pytest.approx(1.0)
        assert sum(values[f"b{n + i}"] for i in range(n)) == len(portfolio.read(direct).trades)


def test_warm_starts_callbacks_and_progress_are_in_terms_of_the_problem_given(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What was given is taken, what is told has the b of the problem given."""
    problem = WAYS["a switch for both"].problem()
    best = hm.solve(problem)
    told: list[np.ndarray] = []
    config = hm.Config.quick()
    again = hm.solve(
        problem, warm_start=best.b, callback=lambda found: told.append(found.b), config=config, progress=True
    )
    assert again.objective == pytest.approx(best.objective)
    assert all(b.shape == (problem.m,) for b in told)
    assert again.trace[0].objective == pytest.approx(best.objective)
    assert problem.describe() in capsys.readouterr().err
    by_x = hm.solve(problem, warm_start=best.x, config=config)
    assert by_x.trace[0].objective == pytest.approx(best.objective)


def test_the_largest_is_about_the_problem_with_modes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three x a quantity as it is stated do not count: what is solved has its modes alone."""
    problem = Trades(assets=3).problem()
    found = recognised(problem)
    assert found is not None
    assert found.problem.n < problem.n
    monkeypatch.setattr(modes, "LARGEST", found.problem.n)
    assert recognised(problem) is not None
    monkeypatch.setattr(modes, "LARGEST", found.problem.n - 1)
    assert recognised(problem) is None


def test_units_do_not_matter() -> None:
    """Powers of two in x, rows and objective: the same answer to the last digit."""
    problem = WAYS["a switch for both"].problem()
    n, rng = problem.n, np.random.default_rng(0)
    columns, rows = rng.integers(-9, 9, n), rng.integers(-9, 9, problem.rows)
    other = problem.rescaled(columns, rows, np.zeros(problem.B.shape[0], dtype=int), 7)
    one, two = hm.solve(problem, prove=True), hm.solve(other, prove=True)
    assert recognised(other) is not None
    assert np.array_equal(np.ldexp(two.x, columns), one.x)
    assert two.objective == one.objective * 2.0**7
    assert two.proof.verify(other)


def test_documents_name_the_modes() -> None:
    """Certificate and proof go through JSON; a diagonal that is tampered with is found, or leaves a proof."""
    problem = replace(WAYS["a switch for both"], seed=3, assets=6).problem()
    result = hm.solve(problem, prove=True)
    proof = hm.ProofTree.from_dict(json.loads(json.dumps(result.proof.to_dict())))
    assert proof.verify(problem)
    certificate = hm.Certificate.from_dict(json.loads(json.dumps(result.certificate.to_dict())))
    assert certificate.verify(problem)
    for change in (lambda d: -d, lambda d: 1e3 * d, lambda d: d[:-1], lambda d: d * np.nan):
        assert not replace(proof, modes=change(proof.modes)).verify(problem)
        assert not replace(certificate, modes=change(certificate.modes)).verify(problem)
    assert not replace(proof, modes=None).verify(problem)
    for text in ("x", [1, "y"], [[1]]):
        with pytest.raises(hm.FileError, match="modes must be a list"):
            hm.Certificate.from_dict({**result.certificate.to_dict(), "modes": text})


@pytest.mark.parametrize("kind", ["dense", "sparse", "diagonal", "factor"])
def test_spread_forms_have_the_value_of_the_quantity(kind: str) -> None:
    """Where one mode of each quantity is on the form is that of the sums; it is convex, and the diagonal below it."""
    rng = np.random.default_rng(1)
    root = rng.normal(size=(5, 5))
    form = {
        "dense": DenseForm(root @ root.T),
        "sparse": SparseForm(np.diag([1.0, 2.0, 3.0, 1.0, 1.0]) + np.diag([0.5] * 4, 1) + np.diag([0.5] * 4, -1)),
        "diagonal": DiagonalForm(rng.uniform(1, 2, 5)),
        "factor": FactorModel(root[:, :2], np.eye(2), rng.uniform(1, 2, 5)),
    }[kind]
    columns = np.array([0, 0, 1, 2, 2, 2, 3, 4])
    signs = np.array([1.0, -1.0, 1.0, 1.0, 1.0, -1.0, 1.0, 1.0])
    if kind in ("diagonal", "factor"):
        signs = np.ones(8)
    d = diagonal_of_modes(form)
    found = spread(form, columns, d, signs)
    assert np.linalg.eigvalsh(found.toarray() - np.diag(d[columns]))[0] >= -1e-9
    for _ in range(20):
        on = [int(rng.choice(np.flatnonzero(columns == k))) for k in range(5)]
        x = np.zeros(8)
        x[on] = rng.normal(size=5)
        w = np.bincount(columns, signs * x, 5)
        assert found.value(x) == pytest.approx(form.value(w))


def test_held_at_nothing_is_kept_where_it_may_not_be_switched_off() -> None:
    """Being held earns something and w must be 0: the only part without a switch leaves no other way to say so."""
    problem = hm.Problem(
        Q=np.diag([1.0, 0.0, 0.0]), q=[0, 0.1, 0.1], p=[-5.0, 10.0], A=[[1.0, -1.0, 1.0]], row_lower=[0.0],
        row_upper=[0.0], x_lower=[0, 0, 0], x_upper=[1.0, 1.0, 1.0], switch=[0, 1, -1], binaries=2,
    )  # fmt: skip
    assert recognised(problem) is not None
    result = hm.solve(problem, prove=True)
    assert result.objective == pytest.approx(-5.0)
    assert result.bound <= -5.0 + 1e-9


def _any_trades(rng: np.random.Generator) -> hm.Problem | None:
    """One or two quantities with prices of either sign, parts with and without switches, rows on x and on b."""
    k = int(rng.integers(1, 3))
    root = rng.normal(size=(k, k + 1))
    Q, n = np.zeros((3 * k, 3 * k)), 3 * k
    Q[::3, ::3] = root @ root.T + 0.1 * np.eye(k)
    switch: list[int] = []
    lower: list[float] = []
    upper: list[float] = []
    A, low, high, B, b_low, b_high = [], [], [], [], [], []
    m = 0
    for i in range(k):
        own = []
        for share in (0.7, 0.7, 0.7):
            own.append(m if rng.random() < share else -1)
            m += own[-1] >= 0
        if own[1] >= 0 and own[2] >= 0 and rng.random() < 0.3:
            own[2], m = own[1], m - 1
        switch += own
        least = float(rng.choice([0.0, 0.0, -1.0, 0.1]))
        most = float(rng.choice([0.0, 0.5, 1.0, 2.0]))
        lower += [min(least, most), *(float(rng.choice([0.0, 0.0, 0.1])) if s >= 0 else 0.0 for s in own[1:])]
        upper += [most, float(rng.choice([0.25, 1.0, 2.0])), float(rng.choice([0.25, 1.0, 2.0]))]
        row = np.zeros(n)
        row[3 * i : 3 * i + 3] = 1.0, -float(rng.choice([1.0, 1.0, 2.0, 0.5])), 1.0
        A.append(row)
        low.append(float(rng.choice([0.0, 0.0, 0.0, 0.25, -0.25, 1.0])))
    if m == 0:
        return None
    high += low
    if rng.random() < 0.5:
        A.append(np.tile([0.0, 1.0, 1.0], k))
        low.append(-math.inf)
        high.append(float(rng.choice([0.5, 1.0])))
    if rng.random() < 0.3:
        A.append(np.tile([1.0, 0.0, 0.0], k))
        low.append(float(rng.choice([0.2, 0.5])))
        high.append(math.inf)
    for i in range(k):
        pair = switch[3 * i + 1], switch[3 * i + 2]
        if min(pair) >= 0 and pair[0] != pair[1] and rng.random() < 0.5:
            B.append(np.isin(np.arange(m), pair).astype(float))
            b_low.append(-math.inf)
            b_high.append(1.0)
    if rng.random() < 0.4:
        B.append(np.ones(m))
        b_low.append(float(rng.integers(0, min(3, m + 1))))
        b_high.append(float(max(2, m - 1)))
    q = np.zeros(n)
    q[::3], q[1::3], q[2::3] = rng.normal(size=k), rng.choice([0, 0.1, 0.02], k), rng.choice([0, 0.1, -0.02], k)
    return hm.Problem(
        Q=Q, q=q, p=rng.choice([0, 0.3, 0.05, -0.3, -0.3, 1.0], m), A=np.array(A), row_lower=low, row_upper=high,
        B=np.array(B) if B else None, b_lower=b_low if B else None, b_upper=b_high if B else None,
        x_lower=lower, x_upper=upper, switch=switch, binaries=m,
    )  # fmt: skip


def test_trades_of_every_kind_have_the_optimum_of_trying_everything() -> None:
    """Prices of either sign, switches here and there, least counts: no better point is lost with the modes."""
    rng, found = np.random.default_rng(12), 0
    while found < 150 * TIMES:
        problem = _any_trades(rng)
        if problem is None or recognised(problem) is None:
            continue
        found += 1
        try:
            best, _ = optimum(problem)
        except NoReference:
            continue
        result = hm.solve(problem)
        if math.isinf(best):
            assert result.status == "infeasible"
            continue
        assert result.bound <= best + 1e-7 * (1 + abs(best))
        assert result.objective == pytest.approx(best, rel=1e-6, abs=1e-7)
