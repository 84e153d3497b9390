"""Diagonals D with 0 <= D <= Q."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from hybridmip.bounds.null_vectors import null_vectors
from hybridmip.engines.blas import one_thread
from hybridmip.engines.compiled import load
from hybridmip.model.quadratic import (
    DenseForm,
    DiagonalForm,
    FactorModel,
    Matrix,
    QuadraticForm,
    SparseForm,
    Vector,
)
from hybridmip.model.semidefinite import lacking

#: Largest factor model whose Phi is computed; beyond, its specific variances serve.
LARGEST_FACTOR_PHI = 3000
#: Largest dense Q for which the largest-trace diagonal is computed.
LARGEST_TRACE = 1200
#: Rounds of the mixing method between two looks at the eigenvalue, and how many looks at most.
SWEEPS = 60
MOST_ROUNDS = 60
#: Q - D counts as semidefinite when it is so up to this share of Q's diagonal, which is charged.
SEMIDEFINITE = 1e-12
#: A pivot below this share of its diagonal entry (as roots) is one of a singular matrix.
SINGULAR = 1e-6
#: The mixing method has converged when a sweep moves this little.
MIXING_STOP = 1e-9


def phi(Q: QuadraticForm) -> Vector:
    """The paper's Phi: 1 / sum_k |Q^-1_jk|, so that 0 <= diag(Phi) <= Q.

    The inverse is formed of no more than it needs: not at all for a diagonal, block by block for a
    sparse Q, and a strip of rows at a time through the factors for a factor model. Where a block of Q
    is singular its inverse does not exist: Phi is 0 where null vectors have entries, and elsewhere that of what these x
    leave of the block.
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
    from scipy.linalg import lapack  # 0.1 s, which linear problems do not need

    scale = float(np.abs(matrix).max(initial=0.0))
    if scale == 0.0:
        return np.zeros(matrix.shape[0])
    factor, info = lapack.dpotrf(matrix / scale, lower=1)
    small = info != 0 or bool((np.diag(factor) < SINGULAR * np.sqrt(np.diag(matrix) / scale)).any())
    if small and (info != 0 or null_vectors(matrix).touched.any()):
        return _without_null_vectors(matrix, _phi_of_matrix)
    inverse, info = lapack.dpotri(factor, lower=1)
    if info != 0:
        return np.zeros(matrix.shape[0])
    lower = np.tril(np.abs(inverse))
    sums = lower.sum(axis=1) + lower.sum(axis=0) - np.diag(lower)
    return certain(matrix, scale / sums)


def _without_null_vectors(matrix: Matrix, regular: Callable[[Matrix], Vector]) -> Vector:
    """A diagonal: 0 where null vectors have entries; elsewhere that of the Schur complement, which is regular."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve  # as in `_phi_of_matrix`

    result = np.zeros(matrix.shape[0])
    implied, touched, _ = null_vectors(matrix)
    kept, others = np.flatnonzero(~touched), np.flatnonzero(touched & ~implied)
    if kept.size == 0 or kept.size == touched.size:
        return result
    left = matrix[np.ix_(kept, kept)]
    if others.size:
        across = matrix[np.ix_(others, kept)]
        try:
            left = left - across.T @ cho_solve(cho_factor(matrix[np.ix_(others, others)]), across)
        except LinAlgError:
            return result
    result[kept] = regular(0.5 * (left + left.T))
    return certain(matrix, result)


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


def largest_trace(
    Q: QuadraticForm, weights: Vector | None = None, time_limit: float | None = None, rounds: int = MOST_ROUNDS
) -> Vector:
    """The diagonal D below Q with the largest sum of weights * D, to a good accuracy (or after so many rounds).

    A factor model keeps its specific variances (never multiplied out), a diagonal itself. A sparse Q is
    treated block by block. Whatever the method reaches, `certain` makes Q - D >= 0 at the end.
    """
    if isinstance(Q, DiagonalForm):
        return np.asarray(Q.diagonal())
    if isinstance(Q, FactorModel):
        return np.asarray(Q.specific_variance)
    end = np.inf if time_limit is None else time.perf_counter() + time_limit
    if isinstance(Q, SparseForm):
        result = np.zeros(Q.n)
        for component in Q.components():
            left = None if time_limit is None else max(end - time.perf_counter(), 0.0)
            part = None if weights is None else weights[component]
            result[component] = _largest_trace(Q.block(component, component), part, left, rounds)
        return result
    assert isinstance(Q, DenseForm)
    return _largest_trace(Q.matrix, weights, time_limit, rounds)


#: Diagonals by the content of Q. They depend on nothing else, so this saves time and changes no answer.
_known: OrderedDict[bytes, Vector] = OrderedDict()
MOST_KNOWN = 32
_lock = threading.Lock()


def remembered_largest_trace(
    Q: QuadraticForm, time_limit: float | None = None, rounds: int = MOST_ROUNDS, weights: Vector | None = None
) -> Vector:
    """`largest_trace` (Phi for a Q beyond `LARGEST_TRACE` rows), computed once for each Q, rounds and weights.

    What a time limit cut short is not remembered.
    """
    key = _key(Q, f"{rounds} rounds {b'' if weights is None else weights.tobytes()!r}")
    known = _recall(key)
    if known is not None:
        return known
    began = time.perf_counter()
    large = isinstance(Q, DenseForm) and Q.n > LARGEST_TRACE
    diagonal = phi(Q) if large else largest_trace(Q, weights, time_limit, rounds)
    diagonal.setflags(write=False)
    if time_limit is None or time.perf_counter() - began < time_limit:
        _remember(key, diagonal)
    return diagonal


def remembered_phi(Q: QuadraticForm) -> Vector:
    """`phi`, computed once for each Q."""
    key = _key(Q, "phi")
    known = _recall(key)
    if known is not None:
        return known
    diagonal = np.array(phi(Q))
    diagonal.setflags(write=False)
    _remember(key, diagonal)
    return diagonal


def _key(Q: QuadraticForm, what: str) -> bytes:
    digest = hashlib.blake2b(f"{type(Q).__name__} {what}".encode())
    for part in Q.parts():
        digest.update(np.ascontiguousarray(part).data)
    return digest.digest()


def _recall(key: bytes) -> Vector | None:
    with _lock:
        if key in _known:
            _known.move_to_end(key)
        return _known.get(key)


def _remember(key: bytes, diagonal: Vector) -> None:
    with _lock:
        _known[key] = diagonal
        while len(_known) > MOST_KNOWN:
            _known.popitem(last=False)


def _largest_trace(matrix: Matrix, weights: Vector | None, time_limit: float | None, rounds: int) -> Vector:
    from hybridmip.bounds import mixing  # with Numba 0.5 s, which checking a certificate does not need

    load(mixing.KERNELS)
    with one_thread(matrix.shape[0]):
        touched = null_vectors(matrix).touched
        if not touched.any():
            return _mixing(matrix, weights, time_limit, rounds, mixing.sweep)
        part = None if weights is None else weights[~touched]
        return _without_null_vectors(matrix, lambda left: _mixing(left, part, time_limit, rounds, mixing.sweep))


def _mixing(matrix: Matrix, weights: Vector | None, time_limit: float | None, rounds: int, sweep: Any) -> Vector:
    n = matrix.shape[0]
    scale = float(np.abs(matrix).max(initial=0.0))
    if n == 1 or scale == 0.0:
        return np.maximum(np.diag(matrix), 0.0)
    end = np.inf if time_limit is None else time.perf_counter() + time_limit
    # D -> S D S with s = sqrt(weights) turns the weighted sum into a trace.
    s = np.ones(n) if weights is None else np.sqrt(np.maximum(weights, 1e-6 * float(weights.max(initial=0.0)) + 1e-300))
    s = s / np.sqrt((s * s * np.diag(matrix)).mean() or 1.0)
    scaled = np.ascontiguousarray(matrix * np.outer(s, s))
    rank = min(n, int(np.ceil(np.sqrt(2 * n))) + 2)
    V = np.random.default_rng(0).standard_normal((n, rank))  # any start will do; a fixed one, so that answers repeat
    V /= np.linalg.norm(V, axis=1)[:, None]
    d = np.zeros(n)
    best, best_sum, flat, change = np.zeros(n), -1.0, 0, np.inf
    for _ in range(rounds):
        for _ in range(SWEEPS // 10):
            change = sweep(scaled, V, d, np.zeros(rank), 10, MIXING_STOP)
            if time.perf_counter() > end:
                break
        candidate = shifted(scaled, d)
        total = float(candidate.sum())
        flat = flat + 1 if total <= best_sum * (1 + 1e-5) else 0
        if total > best_sum:
            best, best_sum = candidate, total
        if flat >= 2 or change <= MIXING_STOP * n or time.perf_counter() > end:
            break
    return certain(matrix, best / (s * s))


def shifted(matrix: Matrix, diagonal: Vector) -> Vector:
    """`diagonal` lowered until matrix - diagonal has no negative eigenvalue: evenly, or by a factor.

    Lowering evenly costs least, but an entry at zero cannot be lowered; with Q > 0 a factor always works:
    Q - theta D >= 0 for theta up to one over the largest eigenvalue of D^1/2 Q^-1 D^1/2.
    """
    from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh  # as in `_phi_of_matrix`

    n = matrix.shape[0]
    lowest = float(eigh(matrix - np.diag(diagonal), eigvals_only=True, subset_by_index=[0, 0])[0])
    if lowest >= 0:
        return diagonal
    if diagonal.min() + lowest >= 0:
        return diagonal + lowest
    try:
        root = np.sqrt(diagonal)
        inverse = cho_solve(cho_factor(matrix), np.diag(root))
        largest = float(eigh(root[:, None] * inverse, eigvals_only=True, subset_by_index=[n - 1, n - 1])[0])
    except LinAlgError:
        return np.zeros(n)
    return diagonal * min(1.0, 1.0 / largest) if largest > 0 else diagonal


def semidefinite_slack(Q: QuadraticForm, diagonal: Vector) -> Vector | None:
    """e >= 0 for which Q - diag(diagonal) + diag(e) >= 0 is proven, zero where it can be; None where it is not so."""
    if not (np.isfinite(diagonal).all() and (diagonal >= 0).all()):
        return None
    own = Q.slack if Q.slack is not None else Q.lacking()
    if own is None or not diagonal.any():
        return own
    nothing = np.zeros(Q.n)
    if isinstance(Q, DiagonalForm):
        return nothing if (diagonal <= Q.values).all() else None
    if isinstance(Q, FactorModel):
        if (diagonal <= Q.specific_variance).all():
            return nothing  # F W F' >= 0
        return lacking(Q.toarray(), diagonal, SEMIDEFINITE) if Q.n <= LARGEST_FACTOR_PHI else None
    own = own.copy()
    if isinstance(Q, SparseForm):
        blocks = Q.components()
    else:
        assert isinstance(Q, DenseForm)
        alone = Q.alone
        rest = np.flatnonzero(~alone)
        blocks = [*np.flatnonzero(alone)[:, None], *([rest] if rest.size else [])]
    for block in blocks:
        taken = diagonal[block]
        if not taken.any():
            continue
        if block.size == 1:
            if taken[0] > Q.diagonal()[block[0]]:
                return None
            continue
        part = lacking(Q.block(block, block), taken, SEMIDEFINITE)
        if part is None:
            return None
        own[block] = part
    return own


def certain(matrix: Matrix, diagonal: Vector) -> Vector:
    """`diagonal`, shrunk until matrix - diagonal >= 0 is proven: with nothing lacking if that takes little."""
    for most_lacking in (0.0, SEMIDEFINITE):
        shrink = 1e-9
        while shrink < 1.0:
            candidate = (1 - shrink) * diagonal
            slack = lacking(matrix, candidate, SEMIDEFINITE)
            if slack is not None and (most_lacking > 0.0 or not slack.any()):
                return candidate
            if most_lacking == 0.0 and shrink > 1e-6:
                break  # a singular matrix
            shrink = max(shrink * 30, 1e-8)
    return np.zeros_like(diagonal)
