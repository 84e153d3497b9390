"""The quadratic form x'Qx of a Problem: zero, diagonal, dense, sparse, or a factor model.

Every form answers the same few questions, so that the rest of the solver never asks which
one it holds, and a factor model is never multiplied out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hybridmip.errors import ProblemError

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

#: A Q counts as semidefinite down to this share of its largest diagonal entry.
SEMIDEFINITE_TOLERANCE = 1e-9
#: A Q counts as symmetric up to this share of its largest entry.
SYMMETRY_TOLERANCE = 1e-9


def frozen(values: ArrayLike) -> NDArray[np.float64]:
    """A read-only float copy."""
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


class QuadraticForm(ABC):
    """x'Qx for a symmetric positive semidefinite Q of size n."""

    n: int
    #: Whether convexity was checked already; a form is immutable, so once is enough.
    convex: bool = False

    @abstractmethod
    def matvec(self, x: Vector) -> Vector:
        """Q x."""

    @abstractmethod
    def absolute_matvec(self, x: Vector) -> Vector:
        """|Q| |x|, or more: what the rounding of Q x is in proportion to."""

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
    def most_negative_eigenvalue(self) -> float:
        """Smallest eigenvalue if it is clearly negative, else 0."""

    @abstractmethod
    def scaled(self, factor: float) -> QuadraticForm:
        """The form factor * x'Qx."""

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

    def most_negative_eigenvalue(self) -> float:
        lowest = float(self.values.min(initial=0.0))
        return lowest if lowest < -SEMIDEFINITE_TOLERANCE * float(np.abs(self.values).max(initial=0.0)) else 0.0

    def scaled(self, factor: float) -> DiagonalForm:
        return DiagonalForm(factor * self.values)

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

    def most_negative_eigenvalue(self) -> float:
        return _most_negative_eigenvalue(self.matrix)

    def scaled(self, factor: float) -> DenseForm:
        return DenseForm(factor * self.matrix)

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
        from scipy.sparse.csgraph import connected_components

        count, labels = connected_components(self.matrix, directed=False)
        order = np.argsort(labels, kind="stable")
        return np.split(order, np.searchsorted(labels[order], np.arange(1, count)))

    def most_negative_eigenvalue(self) -> float:
        worst = 0.0
        # Of all entries: a diagonal of zeros beside other entries is indefinite.
        scale = float(np.abs(self.matrix.data).max(initial=0.0))
        for component in self.components():
            if component.size == 1:
                value = float(self.matrix[component[0], component[0]])
                worst = min(worst, value if value < -SEMIDEFINITE_TOLERANCE * scale else 0.0)
            else:
                worst = min(worst, _most_negative_eigenvalue(self.block(component, component), scale))
        return worst

    def scaled(self, factor: float) -> SparseForm:
        return SparseForm(self.matrix * factor)

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
        if (lowest := _most_negative_eigenvalue(self.factor_covariance)) < 0:
            raise ProblemError(
                f"factor_covariance is indefinite (most negative eigenvalue {lowest:.6g}); "
                "it must be positive semidefinite"
            )
        values, vectors = np.linalg.eigh(self.factor_covariance)
        #: T with T T' = F W F'.
        self.root: Matrix = frozen(self.loadings @ (vectors * np.sqrt(np.maximum(values, 0.0))))

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

    def most_negative_eigenvalue(self) -> float:
        return 0.0

    def scaled(self, factor: float) -> FactorModel:
        return FactorModel(self.loadings, factor * self.factor_covariance, factor * self.specific_variance)

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
        _require_square(name, matrix.shape)
        if not np.isfinite(matrix.data).all():
            entries = matrix.tocoo()
            at = int(np.flatnonzero(~np.isfinite(entries.data))[0])
            shown = "NaN" if np.isnan(entries.data[at]) else "infinite"
            raise ProblemError(f"{name}[{entries.row[at]}, {entries.col[at]}] is {shown}; every entry must be finite")
        difference = abs(matrix - matrix.T)
        if difference.nnz and difference.max() > SYMMETRY_TOLERANCE * abs(matrix).max():
            i, j = np.unravel_index(int(difference.tocsr().toarray().argmax()), matrix.shape)
            raise ProblemError(
                f"{name}[{i}, {j}] = {matrix[i, j]:g} but {name}[{j}, {i}] = {matrix[j, i]:g}; {name} must be symmetric"
            )
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
            _require_square(name, array.shape)
            require_symmetric(name, array)
            form = (
                DenseForm((array + array.T) / 2)
                if np.any(array - np.diag(np.diag(array)))
                else DiagonalForm(np.diag(array))
            )
    if n is not None and form.n != n:
        raise ProblemError(f"{name} is for {form.n} variables but the problem has {n}; sizes must agree")
    if not form.convex and (lowest := form.most_negative_eigenvalue()) < 0:
        raise ProblemError(
            f"{name} is indefinite (most negative eigenvalue {lowest:.6g}); it must be positive semidefinite "
            f"(if that is rounding, add {-lowest:.2g} to its diagonal)"
        )
    form.convex = True
    return form


def require_finite(name: str, values: NDArray[Any]) -> None:
    """Raise a ProblemError that names the first entry that is NaN or infinite."""
    bad = ~np.isfinite(values)
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        shown = "NaN" if np.isnan(values[where]) else "infinite"
        raise ProblemError(f"{name}[{', '.join(map(str, where))}] is {shown}; every entry must be finite")


def require_symmetric(name: str, matrix: Matrix) -> None:
    """Raise a ProblemError that names the pair that differs most."""
    difference = np.abs(matrix - matrix.T)
    if matrix.size and difference.max() > SYMMETRY_TOLERANCE * np.abs(matrix).max():
        i, j = (int(k) for k in np.unravel_index(int(difference.argmax()), matrix.shape))
        raise ProblemError(
            f"{name}[{i}, {j}] = {matrix[i, j]:.12g} but {name}[{j}, {i}] = {matrix[j, i]:.12g}; "
            f"{name} must be symmetric (use ({name} + {name}.T) / 2 if that is rounding)"
        )


def _require_square(name: str, shape: tuple[int, ...]) -> None:
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ProblemError(f"{name} has shape {shape}; it must be square, or a vector for a diagonal")


def _most_negative_eigenvalue(matrix: Matrix, scale: float | None = None) -> float:
    """Smallest eigenvalue where it is below the tolerance, else 0; one Cholesky when all is well."""
    if matrix.size == 0:
        return 0.0
    if scale is None:
        scale = float(np.abs(matrix).max())
    if scale == 0.0:
        return 0.0
    tolerance = SEMIDEFINITE_TOLERANCE * scale
    try:
        np.linalg.cholesky(matrix + tolerance * np.eye(matrix.shape[0]))
        return 0.0
    except np.linalg.LinAlgError:
        lowest = float(np.linalg.eigvalsh(matrix)[0])
        return lowest if lowest < -tolerance else 0.0
