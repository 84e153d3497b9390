"""Diagonals D with 0 <= D <= Q."""

from __future__ import annotations

import numpy as np

from hybridmip.quadratic import (
    DenseForm,
    DiagonalForm,
    FactorModel,
    Matrix,
    QuadraticForm,
    SparseForm,
    Vector,
)

#: Largest factor model whose Phi is computed; beyond, its specific variances serve.
LARGEST_FACTOR_PHI = 3000


def phi(Q: QuadraticForm) -> Vector:
    """The paper's Phi: 1 / sum_k |Q^-1_jk|, so that 0 <= diag(Phi) <= Q.

    The inverse is formed of no more than it needs: not at all for a diagonal, block by block for a
    sparse Q, and a strip of rows at a time through the factors for a factor model. Where a block of Q
    is singular its inverse does not exist and no positive diagonal need fit below it: Phi is 0 there.
    """
    if isinstance(Q, DiagonalForm):
        return np.asarray(Q.diagonal())
    if isinstance(Q, FactorModel):
        return _phi_of_factors(Q)
    if isinstance(Q, SparseForm):
        result = np.zeros(Q.n)
        for component in Q.components():
            result[component] = _phi_of_matrix(Q.block(component, component))
        return result
    assert isinstance(Q, DenseForm)
    return _phi_of_matrix(Q.matrix)


def _phi_of_matrix(matrix: Matrix) -> Vector:
    from scipy.linalg import lapack

    scale = float(np.abs(matrix).max(initial=0.0))
    if scale == 0.0:
        return np.zeros(matrix.shape[0])
    factor, info = lapack.dpotrf(matrix / scale, lower=1)
    if info != 0 or np.diag(factor).min() < 1e-7:
        return np.zeros(matrix.shape[0])
    inverse, info = lapack.dpotri(factor, lower=1)
    if info != 0:
        return np.zeros(matrix.shape[0])
    lower = np.tril(np.abs(inverse))
    sums = lower.sum(axis=1) + lower.sum(axis=0) - np.diag(lower)
    return certain(matrix, scale / sums)


def _phi_of_factors(Q: FactorModel) -> Vector:
    d = Q.specific_variance
    if Q.n > LARGEST_FACTOR_PHI or d.min(initial=np.inf) <= 1e-12 * float(Q.diagonal().max(initial=0.0)):
        # Q - diag(d) = F W F' >= 0, so the specific variances are a diagonal below Q as well.
        return np.asarray(d)
    scaled = Q.root / d[:, None]
    core = np.linalg.inv(np.eye(Q.root.shape[1]) + Q.root.T @ scaled)
    left = scaled @ core
    sums = np.empty(Q.n)
    for start in range(0, Q.n, 512):
        part = slice(start, min(start + 512, Q.n))
        strip = -left[part] @ scaled.T
        strip[np.arange(strip.shape[0]), np.arange(part.start, part.stop)] += 1 / d[part]
        sums[part] = np.abs(strip).sum(axis=1)
    return (1 - 1e-9) / sums


def certain(matrix: Matrix, diagonal: Vector) -> Vector:
    """`diagonal`, shrunk until a Cholesky factorisation proves matrix - diagonal >= 0 (up to rounding)."""
    scale = float(np.abs(matrix).max(initial=0.0))
    shrink = 1e-9
    while shrink < 1.0:
        candidate = (1 - shrink) * diagonal
        try:
            np.linalg.cholesky(matrix - np.diag(candidate) + 1e-13 * scale * np.eye(matrix.shape[0]))
            return candidate
        except np.linalg.LinAlgError:
            shrink = max(shrink * 30, 1e-8)
    return np.zeros_like(diagonal)
