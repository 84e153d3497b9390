"""Problem: the paper's Prim Model with what real problems need beside it, validated and immutable.

minimise    x'Qx + q'x + p'b + offset
subject to  row_lower <= A x + G b <= row_upper
            b_lower   <= B b       <= b_upper
            l_j b_s(j) <= x_j <= u_j b_s(j)     switched variables
            l_j <= x_j <= u_j                   variables with no switch
            b in {0,1}
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from copy import copy
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hybridmip.errors import ArgumentError, ProblemError
from hybridmip.model.quadratic import DiagonalForm, QuadraticForm, Vector, frozen, quadratic_form

if TYPE_CHECKING:
    from hybridmip.model.wording import Wording


class Matrices(NamedTuple):
    """The three matrices of a problem, in some form."""

    A: Any
    G: Any
    B: Any


class Problem:
    """A mixed-integer program with binary variables; see the module's formula.

    Anything left out is zero (Q, q, p, A, G, B) or no limit (the bounds).

    Parameters
    ----------
    Q : array_like (n, n) or (n,), sparse matrix, FactorModel, optional
        Symmetric positive semidefinite; a vector stands for a diagonal. Note x'Qx, not half of it.
    q, p : array_like, optional
        Costs of x (n) and of b (m).
    offset : float
        Constant of the objective.
    A, G : array_like or sparse, optional
        Coefficients of x (rows x n) and of b (rows x m) in the rows.
    row_lower, row_upper : array_like or float, optional
        Limits of the rows; equal for an equation, infinite for none.
    B : array_like or sparse, optional
        Rows on b alone.
    b_lower, b_upper : array_like or float, optional
        Limits of B b.
    x_lower, x_upper : array_like or float, optional
        l and u; they hold while the switch is on, and x = 0 while it is off.
    switch : array_like of int, optional
        switch[j] is the index of x_j's binary, -1 for none. Left out, nothing is switched.
    binaries : int, optional
        How many binaries, where the rest does not say.
    x_names, b_names, row_names, b_row_names : sequence of str, optional
        Names; x0, b0, row0, brow0 and so on by default.

    Raises
    ------
    ProblemError
        If a shape, a sign, a bound or the convexity is not as it must be.

    Examples
    --------
    >>> import hybridmip as hm
    >>> problem = hm.Problem(
    ...     Q=[2, 1, 3], A=[1, 1, 1], row_lower=1, row_upper=1,
    ...     x_lower=0, x_upper=1, switch=[0, 1, 2],
    ...     B=[1, 1, 1], b_upper=2,
    ... )
    >>> problem
    <Problem MIQP (diagonal Q): 3 continuous (3 switched), 3 binary, 1 rows, 1 binary rows>
    >>> problem.objective([1, 0, 0], [1, 0, 0])
    2.0
    """

    Q: QuadraticForm
    q: Vector
    p: Vector
    offset: float
    A: sparse.csr_array
    G: sparse.csr_array
    B: sparse.csr_array
    row_lower: Vector
    row_upper: Vector
    b_lower: Vector
    b_upper: Vector
    x_lower: Vector
    x_upper: Vector
    switch: NDArray[np.intp]
    x_names: tuple[str, ...]
    b_names: tuple[str, ...]
    row_names: tuple[str, ...]
    b_row_names: tuple[str, ...]

    def __init__(
        self,
        Q: Any = None,
        q: ArrayLike | None = None,
        p: ArrayLike | None = None,
        offset: float = 0.0,
        A: Any = None,
        G: Any = None,
        row_lower: ArrayLike | None = None,
        row_upper: ArrayLike | None = None,
        B: Any = None,
        b_lower: ArrayLike | None = None,
        b_upper: ArrayLike | None = None,
        x_lower: ArrayLike | None = None,
        x_upper: ArrayLike | None = None,
        switch: ArrayLike | None = None,
        binaries: int | None = None,
        x_names: Sequence[str] | None = None,
        b_names: Sequence[str] | None = None,
        row_names: Sequence[str] | None = None,
        b_row_names: Sequence[str] | None = None,
    ) -> None:
        A, G, B = (_matrix(name, M) for name, M in (("A", A), ("G", G), ("B", B)))
        form = quadratic_form(Q, None)
        vectors = {"q": q, "x_lower": x_lower, "x_upper": x_upper, "switch": switch, "p": p}
        for name, values in vectors.items():
            if values is not None and name != "switch":
                try:
                    np.asarray(values, dtype=np.float64)
                except (TypeError, ValueError) as error:
                    raise ProblemError(f"{name} is not numeric ({error}); give numbers") from None
        sizes = {name: len(np.atleast_1d(v)) for name, v in vectors.items() if v is not None and np.ndim(v) == 1}
        n = _agree(
            "x",
            {
                "Q": form.n if form is not None else None,
                "A's columns": A.shape[1] if A is not None else None,
                **{k: v for k, v in sizes.items() if k != "p"},
                "x_names": len(x_names) if x_names is not None else None,
            },
        )
        n = 0 if n is None else n
        self.switch = _switch(switch, n)
        at_least = int(self.switch.max(initial=-1)) + 1
        m = _agree(
            "b",
            {
                "binaries": _count(binaries),
                "p": sizes.get("p"),
                "G's columns": G.shape[1] if G is not None else None,
                "B's columns": B.shape[1] if B is not None else None,
                "b_names": len(b_names) if b_names is not None else None,
            },
        )
        m = at_least if m is None else m
        if at_least > m:
            j = int(self.switch.argmax())
            raise ProblemError(f"switch[{j}] is {at_least - 1} but there are {m} binaries; it must be below {m}")
        self.Q = form if form is not None else DiagonalForm(np.zeros(n))
        self.q = _vector("q", q, n, 0.0)
        self.p = _vector("p", p, m, 0.0)
        try:
            self.offset = float(offset)
        except (TypeError, ValueError):
            raise ProblemError(f"offset is {offset!r}; it must be a number") from None
        if not np.isfinite(self.offset):
            raise ProblemError(f"offset is {offset}; it must be finite")
        rows = _agree(
            "rows",
            {
                "A": A.shape[0] if A is not None else None,
                "G": G.shape[0] if G is not None else None,
                "row_names": len(row_names) if row_names is not None else None,
            },
        )
        rows = 0 if rows is None else rows
        if A is None and G is None and _given(row_lower, row_upper):
            raise ProblemError("row_lower or row_upper is given without A or G; give the rows they belong to")
        b_rows = B.shape[0] if B is not None else 0
        if B is None and _given(b_lower, b_upper):
            raise ProblemError("b_lower or b_upper is given without B; give the rows they belong to")
        self.A = A if A is not None else sparse.csr_array((rows, n))
        self.G = G if G is not None else sparse.csr_array((rows, m))
        self.B = B if B is not None else sparse.csr_array((0, m))
        self.row_lower, self.row_upper = _limits("row_lower", row_lower, "row_upper", row_upper, rows)
        self.b_lower, self.b_upper = _limits("b_lower", b_lower, "b_upper", b_upper, b_rows)
        self.x_lower, self.x_upper = _limits("x_lower", x_lower, "x_upper", x_upper, n)
        self.x_names = _names("x_names", x_names, n, "x")
        self.b_names = _names("b_names", b_names, m, "b")
        self.row_names = _names("row_names", row_names, rows, "row")
        self.b_row_names = _names("b_row_names", b_row_names, b_rows, "brow")
        for matrix in (self.A, self.G, self.B):
            for part in (matrix.data, matrix.indices, matrix.indptr):
                part.setflags(write=False)
        self.switch.setflags(write=False)
        object.__setattr__(self, "_sealed", True)

    def __setattr__(self, name: str, value: object) -> None:
        if getattr(self, "_sealed", False) and name in type(self).__annotations__:
            raise AttributeError(f"a Problem is immutable; build a new one instead of setting {name}")
        object.__setattr__(self, name, value)

    @classmethod
    def prim(
        cls,
        Q: Any,
        q: ArrayLike | None,
        A: Any,
        c_a: ArrayLike | None,
        L: ArrayLike,
        U: ArrayLike,
        B: Any = None,
        c_b: ArrayLike | None = None,
        **names: Any,
    ) -> Problem:
        """The Prim Model in the paper's letters: A x = c_a, L b <= x <= U b, B b = c_b.

        Parameters
        ----------
        Q, q, A, c_a, B, c_b
            As in the paper; q, A and B may be None.
        L, U : float, vector or matrix
            A number or a vector is a diagonal. A matrix (n x m) may have one nonzero in each row,
            which says what binary switches that x; L and U must name the same one.
        **names
            x_names, b_names, row_names, b_row_names.

        Examples
        --------
        >>> import hybridmip as hm
        >>> hm.Problem.prim(Q=[2, 1, 3], q=None, A=[1, 1, 1], c_a=1, L=0.1, U=1, B=[1, 1, 1], c_b=2)
        <Problem MIQP (diagonal Q): 3 continuous (3 switched), 3 binary, 1 rows, 1 binary rows>
        """
        form = quadratic_form(Q, None)
        B = _matrix("B", B)
        n = form.n if form is not None else None
        if n is None:
            n = next((int(np.shape(v)[-1]) for v in (q, A) if v is not None), None)
        if n is None:
            n = next((int(np.shape(v)[0]) for v in (L, U) if np.ndim(v) > 0), None)
        if n is None:
            raise ProblemError("Q, q and A are all None; at least one must say how many variables there are")
        lower, low_switch, low_m = _links("L", L, n)
        upper, high_switch, high_m = _links("U", U, n)
        # A number or a vector says nothing of its own about switches where the other is a matrix.
        if low_m and not high_m:
            high_switch = low_switch
        elif high_m and not low_m:
            low_switch = high_switch
        switch = np.where(high_switch >= 0, high_switch, low_switch)
        clash = (low_switch >= 0) & (high_switch >= 0) & (low_switch != high_switch)
        if clash.any():
            j = int(np.flatnonzero(clash)[0])
            raise ProblemError(
                f"L[{j}] names binary {low_switch[j]} and U[{j}] binary {high_switch[j]}; both must name the same"
            )
        if (switch < 0).any():
            j = int(np.flatnonzero(switch < 0)[0])
            raise ProblemError(f"row {j} of L and U is zero; one of them must name the binary that switches x[{j}]")
        m = max(low_m, high_m) if max(low_m, high_m) else (B.shape[1] if B is not None else n)
        return cls(
            Q=form, q=q, A=A, row_lower=c_a, row_upper=c_a, B=B, b_lower=c_b, b_upper=c_b,
            x_lower=lower, x_upper=upper, switch=switch, binaries=m, **names,
        )  # fmt: skip

    def replace(self, **changes: Any) -> Problem:
        """The same problem with some arguments of the constructor changed, checked anew.

        Example: `problem.replace(q=costs, row_upper=limits)`.

        Examples
        --------
        >>> import hybridmip as hm
        >>> problem = hm.Problem(q=[3, 1], A=[1, 1], row_lower=2, x_lower=0, x_upper=5)
        >>> hm.solve(problem.replace(q=[1, 3])).x
        array([2., 0.])
        """
        arguments = {
            "Q": self.Q, "q": self.q, "p": self.p, "offset": self.offset, "A": self.A, "G": self.G,
            "row_lower": self.row_lower, "row_upper": self.row_upper, "B": self.B, "b_lower": self.b_lower,
            "b_upper": self.b_upper, "x_lower": self.x_lower, "x_upper": self.x_upper, "switch": self.switch,
            "binaries": self.m, "x_names": self.x_names, "b_names": self.b_names, "row_names": self.row_names,
            "b_row_names": self.b_row_names,
        }  # fmt: skip
        for name in changes:
            if name not in arguments:
                raise ProblemError(f"a problem has no {name!r}; choose from {', '.join(arguments)}")
        return Problem(**{**arguments, **changes})

    def worded(self, wording: Wording) -> Problem:
        """The same problem with how its author wrote it; what is made of it by `replace` has that no longer."""
        problem = copy(self)
        object.__setattr__(problem, "_wording", wording)
        return problem

    @property
    def wording(self) -> Wording | None:
        """How its author wrote it, where that is known to be another way."""
        return getattr(self, "_wording", None)

    @property
    def n(self) -> int:
        """Number of x."""
        return int(self.q.shape[0])

    @property
    def m(self) -> int:
        """Number of b."""
        return int(self.p.shape[0])

    @property
    def rows(self) -> int:
        """Number of rows of A and G."""
        return int(self.row_lower.shape[0])

    @property
    def is_linear(self) -> bool:
        """Whether Q = 0 (a MILP)."""
        return self.Q.is_zero

    @cached_property
    def transposed(self) -> Matrices:
        """The transposes of A, G and B."""
        return Matrices(self.A.T, self.G.T, self.B.T)

    @cached_property
    def magnitudes(self) -> Matrices:
        """A, G and B with the sizes of their entries: what the rounding of products with them is in proportion to."""
        return Matrices(abs(self.A), abs(self.G), abs(self.B))

    @cached_property
    def transposed_magnitudes(self) -> Matrices:
        """The transposes of `magnitudes`."""
        return Matrices(*(abs(matrix) for matrix in self.transposed))

    @cached_property
    def switched(self) -> NDArray[np.bool_]:
        """Which x have a switch."""
        mask = self.switch >= 0
        mask.setflags(write=False)
        return mask

    def objective(self, x: ArrayLike, b: ArrayLike) -> float:
        """Value of (x, b).

        Examples
        --------
        >>> import hybridmip as hm
        >>> hm.Problem(Q=[2, 1], p=[10]).objective([1, 3], [1])
        21.0
        """
        x = np.asarray(x, dtype=np.float64)
        b = np.asarray(b, dtype=np.float64)
        return self.Q.value(x) + float(self.q @ x) + float(self.p @ b) + self.offset

    def bounds_given(self, b: ArrayLike) -> tuple[Vector, Vector]:
        """Lower and upper bounds of x when the binaries are b.

        Examples
        --------
        >>> import hybridmip as hm
        >>> problem = hm.Problem(q=[1, 1], x_lower=1, x_upper=5, switch=[0, -1])
        >>> problem.bounds_given([0])
        (array([0., 1.]), array([0., 5.]))
        """
        on = np.ones(self.n)
        on[self.switched] = np.asarray(b, dtype=np.float64)[self.switch[self.switched]]
        with np.errstate(invalid="ignore"):
            lower = np.where(on > 0, self.x_lower * on, 0.0)
            upper = np.where(on > 0, self.x_upper * on, 0.0)
        return lower, upper

    def violation(self, x: ArrayLike, b: ArrayLike) -> float:
        """Largest violation of any row, bound, link, binary row or of b in {0,1}, in the caller's units.

        Examples
        --------
        >>> import hybridmip as hm
        >>> problem = hm.Problem(q=[1, 1], A=[1, 1], row_lower=2, x_lower=0, x_upper=5)
        >>> problem.violation([0.5, 1.0], [])
        0.5
        """
        x = np.asarray(x, dtype=np.float64)
        b = np.asarray(b, dtype=np.float64)
        if not (np.isfinite(x).all() and np.isfinite(b).all()):
            return np.inf
        worst = float(np.abs(b - np.round(b)).max(initial=0.0))
        worst = max(worst, float((-b).max(initial=0.0)), float((b - 1).max(initial=0.0)))
        lower, upper = self.bounds_given(b)
        activity = self.A @ x + self.G @ b
        count = self.B @ b
        for low, value, high in (
            (lower, x, upper),
            (self.row_lower, activity, self.row_upper),
            (self.b_lower, count, self.b_upper),
        ):
            worst = max(worst, float((low - value).max(initial=0.0)), float((value - high).max(initial=0.0)))
        return worst

    def worst_row(self, x: ArrayLike, b: ArrayLike, least: float = 0.0) -> tuple[float, str]:
        """(largest share of its size by which a row on x is missed, its name); x and b are taken to be in their bounds.

        The size of a row is the sum of the sizes of its terms and of its limit, and of `least` times its entries: x of
        this size is nothing. Rows without x (see `worst_binary_row`) are left out.
        """
        x, b = np.asarray(x, dtype=np.float64), np.asarray(b, dtype=np.float64)
        with_x = np.diff(self.A.indptr) > 0
        size = self.magnitudes.A @ (np.abs(x) + least) + self.magnitudes.G @ b
        share = _missed(self.A @ x + self.G @ b, self.row_lower, self.row_upper, size)
        share = np.where(with_x, share, 0.0)
        at = int(share.argmax()) if share.size else -1
        return (float(share[at]), self.row_names[at]) if at >= 0 else (0.0, "")

    def worst_binary_row(self, b: ArrayLike) -> tuple[float, str]:
        """(largest share of its size by which a row on b alone is missed, its name)."""
        b = np.asarray(b, dtype=np.float64)
        only_b = np.flatnonzero(np.diff(self.A.indptr) == 0)
        shares = _missed(self.B @ b, self.b_lower, self.b_upper, self.magnitudes.B @ b)
        if only_b.size:
            G = self.G[only_b]
            more = _missed(G @ b, self.row_lower[only_b], self.row_upper[only_b], abs(G) @ b)
            shares = np.concatenate([shares, more])
        if not shares.size:
            return 0.0, ""
        at = int(shares.argmax())
        known = self.B.shape[0]
        return float(shares[at]), self.b_row_names[at] if at < known else self.row_names[int(only_b[at - known])]

    def sizes(self, x: ArrayLike, b: ArrayLike) -> float:
        """The sum of the sizes of the objective's terms: what its rounding is in proportion to."""
        x, b = np.abs(np.asarray(x, dtype=np.float64)), np.abs(np.asarray(b, dtype=np.float64))
        curved = float(x @ self.Q.absolute_matvec(x))
        return curved + float(np.abs(self.q) @ x) + float(np.abs(self.p) @ b) + abs(self.offset)

    def rescaled(
        self, columns: NDArray[np.int64], rows: NDArray[np.int64], b_rows: NDArray[np.int64], objective: int
    ) -> Problem:
        """The same problem in x / 2^columns, with rows, rows on b and objective times powers of two: no digit changes.

        The data are valid already, so nothing is checked.
        """
        scaled = object.__new__(Problem)
        set_ = partial(object.__setattr__, scaled)
        set_("Q", self.Q.rescaled(columns, objective))
        set_("q", frozen(np.ldexp(self.q, columns + objective)))
        set_("p", frozen(np.ldexp(self.p, objective)))
        set_("offset", float(np.ldexp(self.offset, objective)))
        set_("A", _rescaled(self.A, rows, columns))
        set_("G", _rescaled(self.G, rows, None))
        set_("B", _rescaled(self.B, b_rows, None))
        for name, exponents in (("row", rows), ("b", b_rows), ("x", -columns)):
            for side in ("lower", "upper"):
                set_(f"{name}_{side}", frozen(np.ldexp(getattr(self, f"{name}_{side}"), exponents)))
        for name in ("switch", "x_names", "b_names", "row_names", "b_row_names"):
            set_(name, getattr(self, name))
        set_("_sealed", True)
        return scaled

    def with_objective(self, Q: QuadraticForm, q: Vector, p: Vector, offset: float) -> Problem:
        """The same rows, bounds and binaries with another objective, which must be valid: nothing is checked."""
        other = object.__new__(Problem)
        set_ = partial(object.__setattr__, other)
        for name in type(self).__annotations__:
            set_(name, getattr(self, name))
        set_("Q", Q)
        set_("q", frozen(q))
        set_("p", frozen(p))
        set_("offset", float(offset))
        set_("_sealed", True)
        return other

    @cached_property
    def hash(self) -> str:
        """SHA-256 over everything that defines the problem, names included."""
        digest = hashlib.sha256()
        digest.update(self.Q.kind.encode())
        arrays: list[NDArray[Any]] = [*self.Q.parts(), self.q, self.p, np.array([self.offset])]
        for matrix in (self.A, self.G, self.B):
            arrays += [np.array(matrix.shape), matrix.indptr, matrix.indices, matrix.data]
        arrays += [self.row_lower, self.row_upper, self.b_lower, self.b_upper]
        arrays += [self.x_lower, self.x_upper, self.switch]
        for array in arrays:
            kind = np.float64 if array.dtype.kind == "f" else np.int64
            digest.update(np.ascontiguousarray(array, dtype=kind).tobytes() + b"|")
        for names in (self.x_names, self.b_names, self.row_names, self.b_row_names):
            digest.update("\x1f".join(names).encode() + b"|")
        return digest.hexdigest()

    def describe(self) -> str:
        """One line of sizes.

        Examples
        --------
        >>> import hybridmip as hm
        >>> hm.Problem(q=[1, 1], x_lower=0, x_upper=5, switch=[0, -1]).describe()
        'MILP: 2 continuous (1 switched), 1 binary, 0 rows, 0 binary rows'
        """
        kind = "MILP" if self.is_linear else f"MIQP ({self.Q.kind} Q)"
        return (
            f"{kind}: {self.n} continuous ({int(self.switched.sum())} switched), {self.m} binary, "
            f"{self.rows} rows, {self.B.shape[0]} binary rows"
        )

    def __repr__(self) -> str:
        return f"<Problem {self.describe()}>"


def _matrix(name: str, values: Any) -> sparse.csr_array | None:
    """Rows as a sparse matrix with finite entries; a vector is one row."""
    if values is None:
        return None
    if sparse.issparse(values):
        matrix = sparse.csr_array(values, dtype=np.float64)
        dense = None
    else:
        try:
            dense = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ProblemError(f"{name} is not numeric ({error}); give numbers") from None
        if dense.ndim == 1:
            dense = dense[None, :]
        if dense.ndim != 2:
            raise ProblemError(f"{name} has {dense.ndim} dimensions; it must be a matrix")
        if not np.isfinite(dense).all():
            i, j = (int(k) for k in np.argwhere(~np.isfinite(dense))[0])
            raise ProblemError(f"{name}[{i}, {j}] is {dense[i, j]}; every entry must be finite")
        matrix = sparse.csr_array(dense)
    if not np.isfinite(matrix.data).all():
        raise ProblemError(f"{name} has an entry that is NaN or infinite; every entry must be finite")
    matrix = matrix.copy()
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


def _rescaled(matrix: sparse.csr_array, rows: NDArray[np.int64], columns: NDArray[np.int64] | None) -> sparse.csr_array:
    exponents = np.repeat(rows, np.diff(matrix.indptr))
    if columns is not None:
        exponents = exponents + columns[matrix.indices]
    data = np.ldexp(matrix.data, exponents)
    data.setflags(write=False)
    return sparse.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def _missed(activity: Vector, lower: Vector, upper: Vector, size: Vector) -> Vector:
    """By what share of its size each row is missed; infinite where it has none."""
    miss = np.maximum(np.maximum(lower - activity, activity - upper), 0.0)
    limit = np.where(activity < lower, np.abs(lower), np.abs(upper))
    size = size + np.where(np.isfinite(limit), limit, 0.0)
    return np.where(miss > 0, miss / np.where(size > 0, size, 1.0), 0.0)


def _given(*limits: ArrayLike | None) -> bool:
    """Whether any of the limits has an entry."""
    return any(limit is not None and np.size(limit) > 0 for limit in limits)


def _agree(what: str, sizes: dict[str, int | None]) -> int | None:
    """The one size that all givers agree on."""
    known = {name: size for name, size in sizes.items() if size is not None}
    if not known:
        return None
    (first, size), *others = known.items()
    for name, other in others:
        if other != size:
            kind = {"x": "variables x", "b": "binaries b", "rows": "rows"}[what]
            raise ProblemError(f"{first} is for {size} {kind} but {name} for {other}; sizes must agree")
    return size


def _count(binaries: int | None) -> int | None:
    if binaries is None:
        return None
    numeric = isinstance(binaries, int | float | np.number) and not isinstance(binaries, bool)
    if not numeric or not np.isfinite(binaries) or int(binaries) != binaries or binaries < 0:
        raise ProblemError(f"binaries is {binaries}; it must be a whole number, zero or more")
    return int(binaries)


def _vector(name: str, values: ArrayLike | None, size: int, default: float) -> Vector:
    """A finite vector of the right size; a number is repeated."""
    if values is None:
        return frozen(np.full(size, default))
    vector = _numeric(name, values, size)
    if not np.isfinite(vector).all():
        i = int(np.flatnonzero(~np.isfinite(vector))[0])
        raise ProblemError(f"{name}[{i}] is {vector[i]}; every entry must be finite")
    return frozen(vector)


def _numeric(name: str, values: ArrayLike, size: int) -> Vector:
    try:
        vector = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ProblemError(f"{name} is not numeric ({error}); give numbers") from None
    if vector.ndim == 0:
        vector = np.full(size, float(vector))
    if vector.shape != (size,):
        raise ProblemError(f"{name} has shape {vector.shape}; it must be ({size},)")
    return vector


def _limits(
    low_name: str, low: ArrayLike | None, high_name: str, high: ArrayLike | None, size: int
) -> tuple[Vector, Vector]:
    """Lower and upper limits, infinite where left out, never crossing."""
    lower = np.full(size, -np.inf) if low is None else _numeric(low_name, low, size)
    upper = np.full(size, np.inf) if high is None else _numeric(high_name, high, size)
    for name, values, forbidden in ((low_name, lower, np.inf), (high_name, upper, -np.inf)):
        if np.isnan(values).any():
            i = int(np.flatnonzero(np.isnan(values))[0])
            raise ProblemError(f"{name}[{i}] is NaN; use an infinite value for no limit")
        if (values == forbidden).any():
            i = int(np.flatnonzero(values == forbidden)[0])
            raise ProblemError(f"{name}[{i}] is {forbidden}; no value can satisfy that")
    if (lower > upper).any():
        i = int(np.flatnonzero(lower > upper)[0])
        raise ProblemError(
            f"{low_name}[{i}] = {lower[i]:g} is above {high_name}[{i}] = {upper[i]:g}; lower must not exceed upper"
        )
    return frozen(lower), frozen(upper)


def _switch(values: ArrayLike | None, n: int) -> NDArray[np.intp]:
    if values is None:
        return np.full(n, -1, dtype=np.intp)
    array = np.asarray(values)
    if array.shape != (n,):
        raise ProblemError(f"switch has shape {array.shape}; it must be ({n},), -1 for a variable with no switch")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ProblemError("switch has an entry that is no whole number; give the index of a binary, or -1")
    if array.dtype.kind not in "iuf" or (array.dtype.kind == "f" and not (array == np.round(array)).all()):
        raise ProblemError("switch has an entry that is no whole number; give the index of a binary, or -1")
    if (array < -1).any():
        j = int(np.flatnonzero(array < -1)[0])
        raise ProblemError(f"switch[{j}] is {array[j]}; it must be the index of a binary, or -1 for none")
    return array.astype(np.intp)


def _links(name: str, values: ArrayLike, n: int) -> tuple[Vector, NDArray[np.intp], int]:
    """(bound, binary, number of binaries) from L or U as a number, a vector or a matrix."""
    dense = values.toarray() if sparse.issparse(values) else np.asarray(values, dtype=np.float64)  # type: ignore[union-attr]
    if dense.ndim <= 1:
        return _numeric(name, dense, n), np.arange(n, dtype=np.intp), 0
    if dense.ndim != 2 or dense.shape[0] != n:
        raise ProblemError(f"{name} has shape {dense.shape}; it must be a number, ({n},) or ({n}, binaries)")
    nonzero = dense != 0
    if (nonzero.sum(axis=1) > 1).any():
        j = int(np.flatnonzero(nonzero.sum(axis=1) > 1)[0])
        raise ProblemError(f"{name}[{j}] has several nonzeros; each x is switched by one binary")
    named = nonzero.any(axis=1)
    switch = np.where(named, nonzero.argmax(axis=1), -1).astype(np.intp)
    return np.asarray(dense.sum(axis=1)), switch, dense.shape[1]


def _names(argument: str, names: Sequence[str] | None, size: int, prefix: str) -> tuple[str, ...]:
    if names is None:
        return tuple(f"{prefix}{i}" for i in range(size))
    result = tuple(str(name) for name in names)
    if len(result) != size:
        raise ProblemError(f"{argument} has {len(result)} entries; it must have {size}")
    if len(set(result)) != size:
        seen: set[str] = set()
        for name in result:
            if name in seen:
                raise ProblemError(f"{argument} has {name!r} twice; names must be unique")
            seen.add(name)
    return result


class Asks(Protocol):
    """What is a problem in other words, such as a `Portfolio`."""

    def problem(self) -> Problem:
        """The problem."""


def problem_of(problem: Problem | Asks) -> Problem:
    """The problem, or that of what asks for one.

    Raises
    ------
    ArgumentError
        If it is neither.
    """
    if isinstance(problem, Problem):
        return problem
    make = getattr(problem, "problem", None)
    found = make() if callable(make) else problem
    if not isinstance(found, Problem):
        kind = type(problem).__name__
        own = " (give its .problem)" if isinstance(make, Problem) else ""
        raise ArgumentError(
            f"problem is a {kind}; it must be a Problem, or have a method problem() that gives one{own}"
        )
    return found
