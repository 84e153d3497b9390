"""Diagonals below Q: certain, and as large as promised."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from hybridmip.bounds.diagonal import largest_trace, phi, remembered_largest_trace
from hybridmip.model.quadratic import DenseForm, DiagonalForm, FactorModel, QuadraticForm, SparseForm


def forms(seed: int) -> list[QuadraticForm]:
    """A Q of every form, a nearly singular one among them."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(12, 12))
    thin = rng.normal(size=(12, 5))
    blocks = sparse.block_diag([root[:5, :5] @ root[:5, :5].T, root[5:, 5:] @ root[5:, 5:].T])
    return [
        DenseForm(root @ root.T),
        DenseForm(thin @ thin.T),
        DenseForm(thin @ thin.T + 1e-6 * np.eye(12)),
        SparseForm(blocks),
        DiagonalForm(rng.uniform(0, 1, 12)),
        FactorModel(thin, np.eye(5), rng.uniform(0.1, 1, 12)),
    ]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("find", [phi, largest_trace])
def test_below_q(find: object, seed: int) -> None:
    """0 <= D and Q - D >= 0 up to rounding, for every form."""
    for Q in forms(seed):
        d = find(Q)  # type: ignore[operator]
        matrix = Q.toarray()
        assert (d >= 0).all()
        assert np.linalg.eigvalsh(matrix - np.diag(d))[0] >= -1e-11 * np.abs(matrix).max()


@pytest.mark.parametrize("seed", range(4))
def test_largest_trace_is_largest(seed: int) -> None:
    """No less than Phi and the smallest eigenvalue; and no diagonal nearby that fits below Q is larger."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(15, 15))
    Q = DenseForm(root @ root.T)
    d = largest_trace(Q)
    assert d.sum() >= phi(Q).sum() * (1 - 1e-6)
    assert d.sum() >= 15 * np.linalg.eigvalsh(Q.matrix)[0] * (1 - 1e-6)
    better = 0
    for _ in range(200):
        move = rng.normal(size=15) * 1e-3 * d.mean()
        candidate = d + move
        feasible = (candidate >= 0).all() and np.linalg.eigvalsh(Q.matrix - np.diag(candidate))[0] >= 0
        better += feasible and candidate.sum() > d.sum() * (1 + 1e-4)
    assert better == 0


def test_found_once_for_equal_q() -> None:
    """Two forms with the same numbers share one diagonal; other numbers give another."""
    root = np.random.default_rng(0).normal(size=(8, 8))
    first, second = DenseForm(root @ root.T), DenseForm(root @ root.T)
    assert remembered_largest_trace(first) is remembered_largest_trace(second)
    assert remembered_largest_trace(DenseForm(2 * root @ root.T)) is not remembered_largest_trace(first)
