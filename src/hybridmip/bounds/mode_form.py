"""The quadratic form over modes: a diagonal below the Q of the quantities is one for every mode.

Of the modes x_m of a quantity w at most one is not zero, so w = sum of x_m and w^2 = sum of x_m^2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.bounds.diagonal import remembered_largest_trace, remembered_phi
from hybridmip.model.quadratic import DenseForm, DiagonalForm, FactorModel, QuadraticForm, SparseForm, Vector

#: Most x for which the diagonal of modes is the largest-trace one, and its rounds; beyond it is Phi.
LARGEST_TRACE = 500
ROUNDS = 4
#: Share of Phi in it.
EVEN = 0.1


def diagonal_of_modes(form: QuadraticForm) -> Vector:
    """A diagonal below a form that leaves no x without: the largest trace alone would."""
    if isinstance(form, DiagonalForm):
        return np.asarray(form.diagonal())
    if isinstance(form, FactorModel):
        return np.asarray(form.specific_variance)
    even = remembered_phi(form)
    if form.n > LARGEST_TRACE:
        return np.asarray(even)
    return np.asarray(EVEN * even + (1.0 - EVEN) * remembered_largest_trace(form, rounds=ROUNDS))


def spread(
    form: QuadraticForm, columns: NDArray[np.intp], diagonal: Vector, signs: Vector | None = None
) -> QuadraticForm:
    """The form over modes, where column k of it is that of `columns[k]` times a sign.

    Two modes of one quantity are never on at once, so the product of their x is zero, and its coefficient can be
    anything. With Q - D >= 0 it is that of Q - D: the form is then as convex as Q itself, with D below it for every
    mode, where with Q's own coefficients it would be singular.
    """
    s = np.ones(columns.size) if signs is None else signs
    if isinstance(form, DiagonalForm):
        return DiagonalForm(form.values[columns])
    if isinstance(form, FactorModel):
        return FactorModel(form.loadings[columns] * s[:, None], form.factor_covariance, form.specific_variance[columns])
    d = diagonal[columns]
    found: QuadraticForm
    if isinstance(form, SparseForm):
        rest = sparse.csr_array(form.matrix) - sparse.diags_array(diagonal)
        at = sparse.csr_array((s, (columns, np.arange(columns.size))), shape=(form.n, columns.size))
        matrix = sparse.lil_array(at.T @ rest @ at)
        matrix.setdiag(form.diagonal()[columns])
        found = SparseForm(sparse.csr_array(matrix))
    else:
        dense = (form.toarray() - np.diag(diagonal))[np.ix_(columns, columns)] * s[:, None] * s[None, :]
        dense[np.diag_indices(columns.size)] = form.diagonal()[columns]  # to the last digit
        found = DenseForm(dense)
    found.below = d
    return found


def diagonal_on(form: QuadraticForm, columns: NDArray[np.intp]) -> Vector:
    """A diagonal below a form on some of its x, of which it has no copies; zero elsewhere."""
    part: QuadraticForm
    if isinstance(form, SparseForm):
        part = SparseForm(form.matrix[columns][:, columns])
    elif isinstance(form, DenseForm):
        part = DenseForm(form.block(columns, columns))
    else:
        return diagonal_of_modes(form)
    diagonal = np.zeros(form.n)
    diagonal[columns] = diagonal_of_modes(part)
    return diagonal
