"""The quadratic form x'Qx of a Problem: zero, diagonal, dense, sparse, or a factor model.

Every form answers the same few questions, so that the rest of the solver never asks which
one it holds, and a factor model is never multiplied out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hybridmip.arrays import Binary as Binary
from hybridmip.arrays import Matrix as Matrix
from hybridmip.arrays import Vector as Vector
from hybridmip.errors import ProblemError
from hybridmip.model.semidefinite import lacking, roots
from hybridmip.tolerances import SYMMETRIC


def frozen(values: ArrayLike) -> NDArray[np.float64]:
    """A read-only float copy."""
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


class QuadraticForm(ABC):
    """x'Qx for a symmetric positive semidefinite Q of size n."""

    n: int
    #: e >= 0 with Q + diag(e) >= 0 proven; None until it was looked for. A form is immutable, so once is enough.
    slack: Vector | None = None
    #: A diagonal that fits below it, where whoever made the form knows a good one; nobody takes its word for it.
    below: Vector | None = None

    @abstractmethod
    def matvec(self, x: Vector) -> Vector:
        """Q x."""

    @abstractmethod
    def absolute_matvec(self, x: Vector) -> Vector:
        """`|Q| |x|`, or more: what the rounding of Q x is in proportion to."""

    @abstractmethod
    def diagonal(self) -> Vector:
        """The diagonal of Q."""

    @abstractmethod
    def block(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Matrix:
        """Q[rows][:, columns] as a dense matrix."""

    @abstractmethod
    def split(self) -> tuple[sparse.csc_array, Matrix | None]:
        """(P, T) with Q = P + T T', P sparse, and T dense (n x few) or None."""

    @abstractmethod
    def lacking(self) -> Vector | None:
        """e >= 0 with Q + diag(e) >= 0 proven; None where Q is indefinite by more than rounding."""

    @abstractmethod
    def most_negative_eigenvalue(self) -> float:
        """Smallest eigenvalue, for a message."""

    @abstractmethod
    def _rescaled(self, columns: NDArray[np.int64], objective: int) -> QuadraticForm: ...

    def rescaled(self, columns: NDArray[np.int64], objective: int) -> QuadraticForm:
        """2^objective (S x)'Q(S x) with S = diag(2^columns): powers of two, so that no digit changes."""
        form = self._rescaled(columns, objective)
        if self.slack is not None:
            form.slack = np.ldexp(self.slack, 2 * columns + objective)
        if self.below is not None:
            form.below = np.ldexp(self.below, 2 * columns + objective)
        return form

    @abstractmethod
    def parts(self) -> tuple[NDArray[Any], ...]:
        """The arrays that define the form (for hashing)."""

    def value(self, x: Vector) -> float:
        """x'Qx."""
        return float(x @ self.matvec(x))

    def toarray(self) -> Matrix:
        """Q as a dense matrix; only for sizes where that is sensible."""
        everything = np.arange(self.n)
        return self.block(everything, everything)

    @property
    def is_zero(self) -> bool:
        """Whether Q = 0."""
        return not np.any(self.diagonal())

    @property
    def kind(self) -> str:
        """One word for the form, for descriptions."""
        return "zero" if self.is_zero else type(self).__name__.removesuffix("Form").lower()


class DiagonalForm(QuadraticForm):
    """Q = diag(values); all zero for a linear objective."""

    def __init__(self, values: ArrayLike) -> None:
        self.values = frozen(values)
        self.n = self.values.shape[0]

    def matvec(self, x: Vector) -> Vector:
        return self.values * x

    def absolute_matvec(self, x: Vector) -> Vector:
        return np.abs(self.values * x)

    def diagonal(self) -> Vector:
        return self.values

    def block(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Matrix:
        return np.where(rows[:, None] == columns[None, :], self.values[rows][:, None], 0.0)

    def split(self) -> tuple[sparse.csc_array, Matrix | None]:
        return sparse.csc_array(sparse.diags_array(self.values, format="csc")), None

    def lacking(self) -> Vector | None:
        return None if (self.values < 0).any() else np.zeros(self.n)

    def most_negative_eigenvalue(self) -> float:
        return float(self.values.min(initial=0.0))

    def _rescaled(self, columns: NDArray[np.int64], objective: int) -> DiagonalForm:
        return DiagonalForm(np.ldexp(self.values, 2 * columns + objective))

    def parts(self) -> tuple[NDArray[Any], ...]:
        return (self.values,)


class DenseForm(QuadraticForm):
    """Q as a full matrix."""

    def __init__(self, matrix: ArrayLike) -> None:
        self.matrix = frozen(matrix)
        self.n = self.matrix.shape[0]

    def matvec(self, x: Vector) -> Vector:
        product: Vector = self.matrix @ x
        return product

    def absolute_matvec(self, x: Vector) -> Vector:
        product, size = np.empty(self.n), np.abs(x)
        for start in range(0, self.n, 512):  # a strip at a time: no second matrix
            product[start : start + 512] = np.abs(self.matrix[start : start + 512]) @ size
        return product

    def diagonal(self) -> Vector:
        return self.matrix.diagonal()

    def block(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Matrix:
        part: Matrix = self.matrix[np.ix_(rows, columns)]
        return part

    def split(self) -> tuple[sparse.csc_array, Matrix | None]:
        return sparse.csc_array(self.matrix), None

    @cached_property
    def alone(self) -> NDArray[np.bool_]:
        """Which x are in no mixed term."""
        return np.asarray(np.count_nonzero(self.matrix, axis=1) == (self.matrix.diagonal() != 0.0))

    def lacking(self) -> Vector | None:
        rest = np.flatnonzero(~self.alone)
        if (self.matrix.diagonal() < 0).any():
            return None
        slack = np.zeros(self.n)
        part = lacking(self.matrix[np.ix_(rest, rest)] if rest.size < self.n else self.matrix)
        if part is None:
            return None
        slack[rest] = part
        return slack

    def most_negative_eigenvalue(self) -> float:
        return _least_eigenvalue(self.matrix)

    def _rescaled(self, columns: NDArray[np.int64], objective: int) -> DenseForm:
        return DenseForm(np.ldexp(self.matrix, columns[:, None] + columns[None, :] + objective))

    def parts(self) -> tuple[NDArray[Any], ...]:
        return (self.matrix,)


class SparseForm(QuadraticForm):
    """Q as a sparse matrix."""

    def __init__(self, matrix: Any) -> None:
        self.matrix = sparse.csr_array(matrix, dtype=np.float64, copy=True)
        self.matrix.sum_duplicates()
        for part in (self.matrix.data, self.matrix.indices, self.matrix.indptr):
            part.setflags(write=False)
        self.n = self.matrix.shape[0]

    def matvec(self, x: Vector) -> Vector:
        return np.asarray(self.matrix @ x)

    def absolute_matvec(self, x: Vector) -> Vector:
        return np.asarray(abs(self.matrix) @ np.abs(x))

    def diagonal(self) -> Vector:
        return np.asarray(self.matrix.diagonal())

    def block(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Matrix:
        return np.asarray(self.matrix[rows][:, columns].toarray())

    def split(self) -> tuple[sparse.csc_array, Matrix | None]:
        return sparse.csc_array(self.matrix), None

    def components(self) -> list[NDArray[np.intp]]:
        """Index sets of the blocks Q falls into."""
        from scipy.sparse.csgraph import connected_components  # 0.1 s, for sparse Q only

        count, labels = connected_components(self.matrix, directed=False)
        order = np.argsort(labels, kind="stable")
        return np.split(order, np.searchsorted(labels[order], np.arange(1, count)))

    def lacking(self) -> Vector | None:
        slack, diagonal = np.zeros(self.n), self.diagonal()
        if (diagonal < 0).any():
            return None
        for component in self.components():
            if component.size > 1:
                part = lacking(self.block(component, component))
                if part is None:
                    return None
                slack[component] = part
        return slack

    def most_negative_eigenvalue(self) -> float:
        return min((_least_eigenvalue(self.block(part, part)) for part in self.components()), default=0.0)

    def _rescaled(self, columns: NDArray[np.int64], objective: int) -> SparseForm:
        entries = self.matrix.tocoo()
        row, column = entries.coords
        data = np.ldexp(entries.data, columns[row] + columns[column] + objective)
        return SparseForm(sparse.csr_array((data, (row, column)), shape=self.matrix.shape))

    def parts(self) -> tuple[NDArray[Any], ...]:
        return (self.matrix.indptr, self.matrix.indices, self.matrix.data)


class FactorModel(QuadraticForm):
    """Q = F W F' + diag(d), never multiplied out.

    Parameters
    ----------
    loadings : array_like, shape (n, f)
        F, the exposure of each variable to each factor.
    factor_covariance : array_like, shape (f, f) or (f,)
        W, symmetric positive semidefinite; a vector stands for a diagonal.
    specific_variance : array_like, shape (n,)
        d, nonnegative.

    Raises
    ------
    ProblemError
        If shapes disagree, an entry is not finite, W is not semidefinite or d is negative.

    Examples
    --------
    >>> import hybridmip as hm
    >>> covariance = hm.FactorModel(
    ...     loadings=[[1.0], [0.5], [2.0]], factor_covariance=[0.04], specific_variance=[0.01, 0.02, 0.03]
    ... )
    >>> covariance
    <FactorModel of 3 variables, 1 factors>
    >>> covariance.toarray().round(4)
    array([[0.05, 0.02, 0.08],
           [0.02, 0.03, 0.04],
           [0.08, 0.04, 0.19]])
    """

    def __init__(self, loadings: ArrayLike, factor_covariance: ArrayLike, specific_variance: ArrayLike) -> None:
        self.loadings = frozen(loadings)
        covariance = np.asarray(factor_covariance, dtype=np.float64)
        self.factor_covariance = frozen(np.diag(covariance) if covariance.ndim == 1 else covariance)
        self.specific_variance = frozen(specific_variance)
        if self.loadings.ndim != 2:
            raise ProblemError(f"loadings has {self.loadings.ndim} dimensions; it must be a matrix (n x factors)")
        self.n, factors = self.loadings.shape
        if self.factor_covariance.shape != (factors, factors):
            raise ProblemError(
                f"factor_covariance has shape {self.factor_covariance.shape}; loadings has {factors} columns, "
                f"so it must be ({factors}, {factors})"
            )
        if self.specific_variance.shape != (self.n,):
            raise ProblemError(
                f"specific_variance has shape {self.specific_variance.shape}; loadings has {self.n} rows, "
                f"so it must be ({self.n},)"
            )
        for name in ("loadings", "factor_covariance", "specific_variance"):
            require_finite(name, getattr(self, name))
        require_symmetric("factor_covariance", self.factor_covariance)
        if np.any(self.specific_variance < 0):
            i = int(np.argmin(self.specific_variance))
            raise ProblemError(
                f"specific_variance[{i}] is {self.specific_variance[i]:g}; every entry must be zero or positive"
            )
        if lacking(self.factor_covariance) is None:
            raise ProblemError(
                f"factor_covariance is indefinite (most negative eigenvalue "
                f"{_least_eigenvalue(self.factor_covariance):.6g}); it must be positive semidefinite"
            )
        # Each factor in units of its own, so that a small one is not lost beside a large one.
        unit = roots(np.diag(self.factor_covariance))
        values, vectors = np.linalg.eigh(np.ldexp(self.factor_covariance, -(unit[:, None] + unit[None, :])))
        #: T with T T' = F W F'.
        self.root: Matrix = frozen(np.ldexp(self.loadings, unit) @ (vectors * np.sqrt(np.maximum(values, 0.0))))

    def __repr__(self) -> str:
        return f"<FactorModel of {self.n} variables, {self.loadings.shape[1]} factors>"

    def matvec(self, x: Vector) -> Vector:
        product: Vector = self.root @ (self.root.T @ x) + self.specific_variance * x
        return product

    def absolute_matvec(self, x: Vector) -> Vector:
        root, size = np.abs(self.root), np.abs(x)
        product: Vector = root @ (root.T @ size) + self.specific_variance * size
        return product

    def value(self, x: Vector) -> float:
        exposure = self.root.T @ x
        return float(exposure @ exposure + x @ (self.specific_variance * x))

    def diagonal(self) -> Vector:
        squares: Vector = (self.root * self.root).sum(axis=1) + self.specific_variance
        return squares

    def block(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Matrix:
        product: Matrix = self.root[rows] @ self.root[columns].T
        same = rows[:, None] == columns[None, :]
        product[same] += np.broadcast_to(self.specific_variance[rows][:, None], same.shape)[same]
        return product

    def split(self) -> tuple[sparse.csc_array, Matrix | None]:
        return sparse.csc_array(sparse.diags_array(self.specific_variance, format="csc")), self.root

    def lacking(self) -> Vector | None:
        return np.zeros(self.n)  # T T' + diag(d), d >= 0

    def most_negative_eigenvalue(self) -> float:
        return 0.0

    def _rescaled(self, columns: NDArray[np.int64], objective: int) -> FactorModel:
        # What is odd of the objective's exponent goes to W, so that the loadings keep their digits.
        return FactorModel(
            np.ldexp(self.loadings, columns[:, None]), np.ldexp(self.factor_covariance, objective),
            np.ldexp(self.specific_variance, 2 * columns + objective),
        )  # fmt: skip

    def parts(self) -> tuple[NDArray[Any], ...]:
        return (self.loadings, self.factor_covariance, self.specific_variance)


def quadratic_form(Q: Any, n: int | None, name: str = "Q") -> QuadraticForm | None:
    """The form for whatever the caller gave as Q; None when Q is None.

    Raises
    ------
    ProblemError
        If Q is not square, not finite, not symmetric or not positive semidefinite.
    """
    if Q is None:
        return None
    form: QuadraticForm
    if isinstance(Q, QuadraticForm):
        form = Q
    elif sparse.issparse(Q):
        matrix = sparse.csr_array(Q, dtype=np.float64)
        require_square(name, matrix.shape)
        if not np.isfinite(matrix.data).all():
            entries = matrix.tocoo()
            at = int(np.flatnonzero(~np.isfinite(entries.data))[0])
            shown = "NaN" if np.isnan(entries.data[at]) else "infinite"
            raise ProblemError(f"{name}[{entries.row[at]}, {entries.col[at]}] is {shown}; every entry must be finite")
        require_symmetric(name, matrix)
        matrix = sparse.csr_array((matrix + matrix.T) / 2)
        off_diagonal = matrix - sparse.diags_array(matrix.diagonal())
        form = SparseForm(matrix) if abs(off_diagonal).sum() > 0 else DiagonalForm(matrix.diagonal())
    else:
        try:
            array = np.asarray(Q, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ProblemError(f"{name} is not numeric ({error}); give numbers") from None
        require_finite(name, array)
        if array.ndim == 1:
            form = DiagonalForm(array)
        else:
            require_square(name, array.shape)
            require_symmetric(name, array)
            form = (
                DenseForm((array + array.T) / 2)
                if np.any(array - np.diag(np.diag(array)))
                else DiagonalForm(np.diag(array))
            )
    if n is not None and form.n != n:
        raise ProblemError(f"{name} is for {form.n} variables but the problem has {n}; sizes must agree")
    if form.slack is None:
        form.slack = form.lacking()
    if form.slack is None:
        lowest = form.most_negative_eigenvalue()
        raise ProblemError(
            f"{name} is indefinite (most negative eigenvalue {lowest:.6g}); it must be positive semidefinite "
            f"(if that is rounding, add {abs(lowest):.2g} to its diagonal)"
        )
    return form


def require_finite(name: str, values: NDArray[Any]) -> None:
    """Raise a ProblemError that names the first entry that is NaN or infinite."""
    bad = ~np.isfinite(values)
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        shown = "NaN" if np.isnan(values[where]) else "infinite"
        raise ProblemError(f"{name}[{', '.join(map(str, where))}] is {shown}; every entry must be finite")


def require_symmetric(name: str, matrix: Any) -> None:
    """Raise a ProblemError that names the pair that differs most, dense or sparse.

    x'Qx is that of the symmetric part, so this only finds what was meant differently: pairs are compared with
    themselves and with the diagonal, whatever the units of the rest.
    """
    entries = sparse.coo_array(matrix - matrix.T)
    i, j = entries.coords
    if i.size == 0:
        return
    root = np.sqrt(np.abs(matrix.diagonal()))
    one, other = (np.asarray(matrix[a, b]).ravel() for a, b in ((i, j), (j, i)))
    size = np.maximum(np.abs(one), np.abs(other)) + root[i] * root[j]
    share = np.abs(entries.data) / np.where(size > 0, size, 1.0)
    at = int(share.argmax())
    if share[at] > SYMMETRIC:
        # The lower triangle is named second.
        (row, column), (first, second) = ((int(i[at]), int(j[at])), (one[at], other[at]))
        if row > column:
            row, column, first, second = column, row, second, first
        raise ProblemError(
            f"{name}[{row}, {column}] = {first:.12g} but {name}[{column}, {row}] = {second:.12g}; "
            f"{name} must be symmetric (use ({name} + {name}.T) / 2 if that is rounding)"
        )


def require_square(name: str, shape: tuple[int, ...]) -> None:
    """Raise a ProblemError that names the shape, unless it is that of a square matrix."""
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ProblemError(f"{name} has shape {shape}; it must be square, or a vector for a diagonal")


def _least_eigenvalue(matrix: Matrix) -> float:
    return float(np.linalg.eigvalsh(matrix)[0]) if matrix.size else 0.0
