"""The core: penalties that are valid for every b, a listing that misses none, and proofs that hold."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from problems import BINARY_ROWS, Recipe, make, optimum, restricted_value

from hybridmip.exact.core_kernel import list_all
from hybridmip.relax.persp import Persp
from hybridmip.relax.protocol import Setting
from hybridmip.run.config import Config
from hybridmip.run.result import Status
from hybridmip.run.solve import solve


@pytest.mark.parametrize("binary_rows", BINARY_ROWS)
@pytest.mark.parametrize("quadratic", ["dense", "factor", "diagonal"])
def test_penalties_bound_every_choice(quadratic: str, binary_rows: str) -> None:
    """base + penalties is below the restricted problem's value at every b that satisfies the rows on b."""
    recipe = Recipe(seed=3, binaries=6, quadratic=quadratic, binary_rows=binary_rows, costs=True, mixed_rows=True)
    problem = make(recipe)
    setting = Setting(problem)
    relaxed = Persp().solve(setting, {}, None)
    assert relaxed.proof is not None
    found = setting.formula.penalties(relaxed.proof)
    assert found is not None
    base, w = found
    finite = 0
    for bits in itertools.product((False, True), repeat=6):
        b = np.array(bits)
        if not setting.binaries.contains(b):
            continue
        value = restricted_value(problem, b)
        bound = base + np.maximum(w, 0)[b].sum() + np.maximum(-w, 0)[~b].sum()
        assert bound <= value + 1e-7 * max(1.0, abs(value) if math.isfinite(value) else 1.0)
        finite += math.isfinite(value)
    assert finite > 0


@pytest.mark.parametrize("seed", range(5))
def test_listing_is_complete(seed: int) -> None:
    """Against all 2^10 choices: those within the budget and the rows are listed, each once, and no others."""
    rng = np.random.default_rng(seed)
    w, C = rng.normal(size=10), rng.integers(-2, 4, size=(10, 2)).astype(float)
    d, budget = np.array([6.0, 8.0]), 2.5
    on, off = np.maximum(w, 0), np.maximum(-w, 0)
    leaves = np.zeros((2000, 10), dtype=bool)
    count, complete = list_all(on, off, budget, C, d, leaves, 10**6)
    every = np.array(list(itertools.product((False, True), repeat=10)))
    expected = every[(every @ on + ~every @ off <= budget) & (every @ C <= d).all(axis=1)]
    assert complete
    assert {b.tobytes() for b in leaves[:count]} == {b.tobytes() for b in expected}
    assert count == len(expected)


def test_listing_looks_at_the_rows_where_nothing_is_open() -> None:
    """With every binary fixed a row that does not hold leaves nothing over, and one that does leaves one choice."""
    none, leaves = np.zeros(0), np.zeros((9, 0), dtype=bool)
    assert list_all(none, none, 1.0, np.zeros((0, 1)), np.array([-5.0]), leaves, 99) == (0, True)
    assert list_all(none, none, 1.0, np.zeros((0, 1)), np.array([0.0]), leaves, 99) == (1, True)


def test_listing_says_when_it_stopped_short() -> None:
    """Too little room or too few steps: not complete."""
    none, leaves = np.zeros(8), np.zeros((10, 8), dtype=bool)
    assert not list_all(none, none, 1.0, np.zeros((8, 0)), np.zeros(0), leaves, 10**6)[1]
    assert not list_all(none, none, 1.0, np.zeros((8, 0)), np.zeros(0), np.zeros((500, 8), dtype=bool), 50)[1]


def test_proof_agrees_with_enumeration() -> None:
    """What the core calls optimal without enumeration is the optimum, and it does so in most cases."""
    proven = 0
    for seed in range(30):
        problem = make(Recipe(seed=seed, binaries=8, quadratic="dense", binary_rows="count"))
        result = solve(problem, config=Config(enumerate_up_to=0))
        best, _ = optimum(problem)
        if result.status == Status.OPTIMAL:
            proven += 1
            assert result.objective == pytest.approx(best, rel=1e-6, abs=1e-7)
    assert proven >= 15


@pytest.mark.parametrize("limit", [20, 60, 120, 200])
def test_no_proof_from_a_list_cut_short(limit: int) -> None:
    """Where the limit on evaluations leaves candidates untried, nothing is called optimal that is not."""
    for seed in range(6):
        problem = make(Recipe(seed=seed, binaries=8, quadratic="dense", binary_rows="none"))
        result = solve(problem, config=Config(enumerate_up_to=0, evaluation_limit=limit))
        if result.status == Status.OPTIMAL:
            assert result.objective == pytest.approx(optimum(problem)[0], rel=1e-6, abs=1e-7)
