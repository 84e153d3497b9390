"""From a file's model to a Problem: which columns are binaries, which rows are switches, which terms need a twin.

Nothing changes the set of feasible points or a value on it:

- an integer column with bounds [0, 1] is a b, one that its bounds fix is a constant, any other bounded one stays an x
  and is tied by an equation to binaries of its own;
- rows that hold one x and one b, and together with x's bounds say l b <= x <= u b, become a link;
- an x that a row with one binary forces to zero while that is off (sum of a_j x_j <= u b, x >= 0) is switched by it,
  and the row stays;
- a binary with a quadratic term of its own alone pays it linearly, since b^2 = b; one in a product gets a twin, a
  switched x with l = u = 1, on whose square the objective is shifted until it is convex.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from hybridmip.errors import FileError, ProblemError
from hybridmip.io.model import INFINITE, Model, ReadProblem
from hybridmip.model.names import fresh
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import (
    DenseForm,
    DiagonalForm,
    Matrix,
    QuadraticForm,
    SparseForm,
    Vector,
)
from hybridmip.model.semidefinite import lacking
from hybridmip.model.wording import Original, Wording

#: A general integer may take one value more than this.
LARGEST_RANGE = 2**16 - 1
#: Binaries that the general integers of one model may need together.
MOST_EXTRA_BINARIES = 2_000
#: Bounds of integers are rounded inwards past this.
INTEGER_TOLERANCE = 1e-9
#: A sparse Q with more of its entries than this is kept dense.
DENSE_SHARE = 0.2
#: A block of Q with more variables than this is not analysed for convexity (memory for a dense copy).
LARGEST_BLOCK = 12_000
#: Rounds of bound tightening for integers that have no usable bounds of their own.
TIGHTENING_ROUNDS = 10

Indices = NDArray[np.intp]


def to_problem(model: Model) -> ReadProblem:
    """The Problem of a model, with the way back.

    Raises
    ------
    FileError
        If no Problem says the same: the objective is not convex, an integer has no bounds, bounds cross.
    """
    try:
        return _convert(model)
    except ProblemError as error:
        raise FileError(f"{model.source}: {error}") from None


def _convert(model: Model) -> ReadProblem:
    count = len(model.names)
    sign = -1.0 if model.maximise else 1.0
    matrix = sparse.csr_array(model.matrix, dtype=np.float64, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    row_lower, row_upper = _infinite(model.row_lower), _infinite(model.row_upper)
    lower, upper = _column_bounds(model, matrix, row_lower, row_upper)
    cost, offset = sign * model.cost, sign * model.offset
    quadratic = _symmetric(model, sign)

    # Columns that integrality fixes leave the model.
    fixed = model.integer & (lower == upper) & ~model.semicontinuous
    constant = np.where(fixed, lower, 0.0)
    if fixed.any():
        shift = matrix @ constant
        row_lower, row_upper = row_lower - shift, row_upper - shift
        offset += float(cost @ constant)
        if quadratic is not None:
            offset += float(constant @ (quadratic @ constant))
            cost = cost + 2.0 * (quadratic @ constant)

    is_binary = model.integer & ~fixed & ~model.semicontinuous & (lower == 0) & (upper == 1)
    x_columns, b_columns = np.flatnonzero(~is_binary & ~fixed), np.flatnonzero(is_binary)
    n, m = x_columns.size, b_columns.size
    q, p = cost[x_columns], cost[b_columns]
    x_lower, x_upper = lower[x_columns], upper[x_columns]
    x_names, b_names = [model.names[k] for k in x_columns], [model.names[k] for k in b_columns]
    switch = np.full(n, -1, dtype=np.intp)

    # Semicontinuous: x = 0 or within its bounds, by a binary of its own.
    semi = np.flatnonzero(model.semicontinuous[x_columns])
    switch[semi] = m + np.arange(semi.size)
    taken = set(b_names)
    b_names += fresh((f"{x_names[j]}_on" for j in semi), taken)

    # General integers: x = lowest + weights'bits, an equation.
    integers, extra_names = _expansions(model, x_columns, x_lower, x_upper, m + semi.size)
    b_names += fresh(extra_names, taken)
    m_all = len(b_names)

    A, G = matrix[:, x_columns], _widened(matrix[:, b_columns], m_all)
    p = np.concatenate([p, np.zeros(m_all - m)])
    links = _links(A, G, row_lower, row_upper, x_lower, x_upper, switch)
    x_lower, x_upper, switch = links.x_lower, links.x_upper, links.switch

    # Quadratic terms on binaries.
    Q: sparse.csr_array | None = None
    twin_of = np.empty(0, dtype=np.intp)
    if quadratic is not None:
        Q, twin_of, on_b = _quadratic(model, quadratic, x_columns, b_columns)
        p[:m] += on_b
    twins = n + np.arange(twin_of.size)
    if twin_of.size:
        q = np.concatenate([q, np.zeros(twin_of.size)])
        x_lower = np.concatenate([x_lower, np.ones(twin_of.size)])
        x_upper = np.concatenate([x_upper, np.ones(twin_of.size)])
        switch = np.concatenate([switch, twin_of])
        x_names += fresh((f"{b_names[i]}_twin" for i in twin_of), set(x_names))
        A = _widened(A, n + twin_of.size)

    # Rows: links are gone, rows without limits say nothing, rows in b alone are B.
    in_x, in_b = np.diff(A.indptr), np.diff(G.indptr)
    says = np.isfinite(row_lower) | np.isfinite(row_upper)
    slack = INTEGER_TOLERANCE * np.maximum(1.0, np.abs(matrix) @ np.abs(constant))
    says &= (in_x + in_b > 0) | (row_lower > slack) | (row_upper < -slack)
    says[links.rows] = False
    mixed, of_b = np.flatnonzero(says & (in_x > 0)), np.flatnonzero(says & (in_x == 0))
    A_rows, G_rows, low, high = A[mixed], G[mixed], row_lower[mixed], row_upper[mixed]
    row_names = [model.row_names[r] for r in mixed]
    if integers:
        equations = len(integers)
        at = np.arange(equations)
        tied = np.array([j for j, _, _, _ in integers], dtype=np.intp)
        bit_rows = np.repeat(at, [bits.size for _, _, bits, _ in integers])
        bits = np.concatenate([bits for _, _, bits, _ in integers])
        weights = np.concatenate([weights for _, _, _, weights in integers])
        lowest = np.array([value for _, value, _, _ in integers])
        A_rows = sparse.vstack([A_rows, sparse.csr_array((np.ones(equations), (at, tied)), (equations, A.shape[1]))])
        G_rows = sparse.vstack([G_rows, sparse.csr_array((-weights, (bit_rows, bits)), (equations, m_all))])
        low, high = np.concatenate([low, lowest]), np.concatenate([high, lowest])
        row_names += fresh((f"{x_names[j]}_bits" for j in tied), set(row_names))

    problem = Problem(
        Q=_form(Q), q=q, p=p, offset=offset,
        A=A_rows, G=G_rows, row_lower=low, row_upper=high, row_names=row_names,
        B=G[of_b], b_lower=row_lower[of_b], b_upper=row_upper[of_b], b_row_names=[model.row_names[r] for r in of_b],
        x_lower=x_lower, x_upper=x_upper, switch=switch, binaries=m_all, x_names=x_names, b_names=b_names,
    )  # fmt: skip
    x_index, b_index = np.full(count, -1, dtype=np.intp), np.full(count, -1, dtype=np.intp)
    x_index[x_columns] = np.arange(n)
    b_index[b_columns] = np.arange(m)
    original = Original(tuple(model.names), x_index, b_index, constant, twins, semi, tuple(integers))
    if quadratic is None and not model.semicontinuous.any():
        problem = problem.worded(
            Wording(
                original, sign * model.cost, _infinite(model.lower), _infinite(model.upper), model.integer, matrix,
                _infinite(model.row_lower), _infinite(model.row_upper), sign * model.offset,
            )
        )  # fmt: skip
    return ReadProblem(problem, model.maximise, model.objective_name, model.source, original)


def _infinite(limits: Vector) -> Vector:
    """Limits with everything at or beyond INFINITE as no limit."""
    limits = np.array(limits, dtype=np.float64)
    far = np.abs(limits) >= INFINITE
    limits[far] = np.copysign(np.inf, limits[far])
    return limits


def _widened(matrix: sparse.csr_array, columns: int) -> sparse.csr_array:
    """The matrix with empty columns behind it."""
    matrix = sparse.csr_array(matrix)
    return sparse.csr_array((matrix.data, matrix.indices, matrix.indptr), shape=(matrix.shape[0], columns))


# ---- bounds and integers


def _column_bounds(
    model: Model, matrix: sparse.csr_array, row_lower: Vector, row_upper: Vector
) -> tuple[Vector, Vector]:
    """Bounds of the columns: those of integers whole numbers, and finite ones where the rows imply them."""
    lower, upper = _infinite(model.lower), _infinite(model.upper)
    whole = model.integer
    lower[whole], upper[whole] = _rounded(lower[whole], upper[whole])
    _require_order(model, lower, upper)
    wide = whole & (upper - lower > LARGEST_RANGE)
    if wide.any():
        implied_lower, implied_upper = _implied_bounds(matrix, row_lower, row_upper, lower, upper, wide)
        lower[wide], upper[wide] = _rounded(implied_lower[wide], implied_upper[wide])
        _require_order(model, lower, upper)
    return lower, upper


def _rounded(lower: Vector, upper: Vector) -> tuple[Vector, Vector]:
    return np.ceil(lower - INTEGER_TOLERANCE) + 0.0, np.floor(upper + INTEGER_TOLERANCE) + 0.0


def _require_order(model: Model, lower: Vector, upper: Vector) -> None:
    for k in np.flatnonzero(~(lower <= upper) | (lower == np.inf) | (upper == -np.inf)):
        what = "integer column" if model.integer[k] else "column"
        raise FileError(
            f"{model.source}: {what} {model.names[k]!r} has no value between its bounds "
            f"{model.lower[k]:.12g} and {model.upper[k]:.12g}; the lower one must not exceed the upper one"
        )


def _implied_bounds(
    matrix: sparse.csr_array,
    row_lower: Vector,
    row_upper: Vector,
    lower: Vector,
    upper: Vector,
    wanted: NDArray[np.bool_],
) -> tuple[Vector, Vector]:
    """Bounds that the rows imply, tightened for the wanted columns only."""
    entries = matrix.tocoo()
    rows, columns, values = entries.row, entries.col, entries.data
    lower, upper = lower.copy(), upper.copy()
    at = np.flatnonzero(wanted[columns])
    row, column, value = rows[at], columns[at], values[at]
    size = matrix.shape[0]
    for _ in range(TIGHTENING_ROUNDS):
        with np.errstate(invalid="ignore"):
            least = np.where(values > 0, values * lower[columns], values * upper[columns])
            most = np.where(values > 0, values * upper[columns], values * lower[columns])
        before = upper - lower
        for limits, parts, side in ((row_upper, least, 1.0), (row_lower, most, -1.0)):
            # What the other entries of a row take at least: infinite if any of them is.
            free = ~np.isfinite(parts)
            infinite = np.bincount(rows, weights=free, minlength=size)
            total = np.bincount(rows, weights=np.where(free, 0.0, parts), minlength=size)
            own = np.where(free[at], 0.0, parts[at])
            room = limits[row] - (total[row] - own)
            usable = (infinite[row] - free[at] == 0) & np.isfinite(limits[row])
            reach = room / value
            above = usable & (value * side > 0)
            below = usable & (value * side < 0)
            np.minimum.at(upper, column[above], reach[above])
            np.maximum.at(lower, column[below], reach[below])
        lower[wanted], upper[wanted] = _rounded(lower[wanted], upper[wanted])
        with np.errstate(invalid="ignore"):
            after = upper - lower
        if not np.any(after[wanted] < before[wanted]):
            break
    return lower, upper


def _expansions(
    model: Model, x_columns: Indices, lower: Vector, upper: Vector, first_bit: int
) -> tuple[list[tuple[int, float, Indices, Vector]], list[str]]:
    """For each general integer among the x: its place, its lowest value, its binaries and weights; and their names."""
    integers: list[tuple[int, float, Indices, Vector]] = []
    names: list[str] = []
    for j in np.flatnonzero(model.integer[x_columns]):
        name = model.names[x_columns[j]]
        lowest, highest = float(lower[j]), float(upper[j])
        if model.semicontinuous[x_columns[j]]:
            lowest, highest = min(lowest, 0.0), max(highest, 0.0)
        if not highest - lowest <= LARGEST_RANGE:
            raise FileError(
                f"{model.source}: integer column {name!r} ranges over [{lowest:.12g}, {highest:.12g}]; give it bounds "
                f"at most {LARGEST_RANGE} apart, as integers are expanded into binaries"
            )
        weights = _weights(int(highest - lowest))
        bits = first_bit + len(names) + np.arange(weights.size, dtype=np.intp)
        names += [f"{name}_bit{k}" for k in range(weights.size)]
        if len(names) > MOST_EXTRA_BINARIES:
            raise FileError(
                f"{model.source}: its general integers need more than {MOST_EXTRA_BINARIES} binaries "
                f"(reached at {name!r}); tighten their bounds"
            )
        integers.append((int(j), lowest, bits, weights))
    return integers, names


def _weights(largest: int) -> Vector:
    """Weights whose sums over subsets are exactly 0, 1, ..., largest: powers of two, the last one cut."""
    bits = largest.bit_length()
    weights: Vector = np.ldexp(1.0, np.arange(bits))
    if bits:
        weights[-1] = largest - (2.0 ** (bits - 1) - 1)
    return weights


# ---- links


@dataclass(frozen=True, eq=False)
class _Links:
    switch: Indices
    x_lower: Vector
    x_upper: Vector
    rows: Indices  # that the links replace


def _links(
    A: sparse.csr_array,
    G: sparse.csr_array,
    row_lower: Vector,
    row_upper: Vector,
    x_lower: Vector,
    x_upper: Vector,
    switch: Indices,
) -> _Links:
    """Which x are switched by which binary: by rows of their own, then by rows that force them to zero."""
    switch, x_lower, x_upper = switch.copy(), x_lower.copy(), x_upper.copy()
    in_x, in_b = np.diff(A.indptr), np.diff(G.indptr)
    pair_rows = np.flatnonzero((in_x == 1) & (in_b == 1))
    pair_rows = pair_rows[switch[A.indices[A.indptr[pair_rows]]] < 0]
    used = np.empty(0, dtype=np.intp)
    if pair_rows.size:
        j, a = A.indices[A.indptr[pair_rows]].astype(np.intp), A.data[A.indptr[pair_rows]]
        i, g = G.indices[G.indptr[pair_rows]].astype(np.intp), G.data[G.indptr[pair_rows]]
        low, high = row_lower[pair_rows], row_upper[pair_rows]
        keys, group = np.unique(j * (G.shape[1] + 1) + i, return_inverse=True)
        first = np.full(keys.size, -1, dtype=np.intp)
        first[group[::-1]] = np.arange(group.size)[::-1]
        pair_j, pair_i = j[first], i[first]
        # The interval of x that a pair's rows and x's bounds leave, with the binary off and on.
        boxes = []
        for on in (0.0, 1.0):
            ends = np.stack([(low - on * g) / a, (high - on * g) / a])
            lowest, highest = x_lower[pair_j].copy(), x_upper[pair_j].copy()
            np.maximum.at(lowest, group, ends.min(axis=0))
            np.minimum.at(highest, group, ends.max(axis=0))
            boxes.append((lowest, highest))
        (off_low, off_high), (on_low, on_high) = boxes
        is_link = (off_low == 0) & (off_high == 0) & (on_low <= on_high)
        found = np.flatnonzero(is_link)
        if found.size:
            width = on_high[found] - on_low[found]
            best = found[np.lexsort((found, width, pair_j[found]))]
            best = best[np.concatenate([[True], np.diff(pair_j[best]) > 0])]
            switch[pair_j[best]] = pair_i[best]
            x_lower[pair_j[best]], x_upper[pair_j[best]] = on_low[best] + 0.0, on_high[best] + 0.0
            used = pair_rows[np.isin(group, best)]
    _switch_by_sums(A, G, row_lower, row_upper, x_lower, x_upper, switch)
    return _Links(switch, x_lower, x_upper, used)


def _switch_by_sums(
    A: sparse.csr_array,
    G: sparse.csr_array,
    row_lower: Vector,
    row_upper: Vector,
    x_lower: Vector,
    x_upper: Vector,
    switch: Indices,
) -> None:
    """Switch the x of rows `sum of a_j x_j <= u b` with every a_j x_j >= 0; the last three arguments are filled in."""
    one = np.flatnonzero((np.diff(G.indptr) == 1) & (np.diff(A.indptr) > 0))
    if not one.size:
        return
    entries = A[one].tocoo()
    row, column, value = entries.row, entries.col.astype(np.intp), entries.data
    binary, g = G.indices[G.indptr[one]].astype(np.intp), G.data[G.indptr[one]]
    free = switch < 0
    # A switched x may be zero whatever its bounds.
    lowest = np.where(free, x_lower, np.minimum(x_lower, 0.0))
    highest = np.where(free, x_upper, np.maximum(x_upper, 0.0))
    candidates: list[tuple[Indices, Indices, Vector]] = []
    for side, limit in ((1.0, row_upper[one]), (-1.0, -row_lower[one])):
        coefficient, price = side * value, side * g
        nonnegative = np.where(coefficient > 0, lowest[column] >= 0, highest[column] <= 0)
        good = (limit == 0) & (price < 0)
        good &= np.bincount(row, weights=~nonnegative, minlength=one.size) == 0
        at = np.flatnonzero(good[row] & free[column])
        at = at[np.where(coefficient[at] > 0, x_lower[column[at]], x_upper[column[at]]) == 0]
        candidates.append((column[at], binary[row[at]], -price[row[at]] / coefficient[at]))
    columns, binaries, reach = (np.concatenate(parts) for parts in zip(*candidates, strict=True))
    order = np.lexsort((np.abs(reach), columns))
    order = order[np.concatenate([[True], np.diff(columns[order]) > 0])] if order.size else order
    j, reach = columns[order], reach[order]
    switch[j] = binaries[order]
    x_upper[j] = np.where(reach > 0, np.minimum(x_upper[j], reach), x_upper[j])
    x_lower[j] = np.where(reach < 0, np.maximum(x_lower[j], reach), x_lower[j])


# ---- the quadratic form


def _symmetric(model: Model, sign: float) -> sparse.csr_array | None:
    """The objective's matrix, to be minimised; None if there is none."""
    if model.quadratic is None:
        return None
    matrix = sparse.csr_array(model.quadratic, dtype=np.float64) * sign
    matrix = sparse.csr_array((matrix + matrix.T) * 0.5)
    matrix.eliminate_zeros()
    return matrix if matrix.nnz else None


def _quadratic(
    model: Model, quadratic: sparse.csr_array, x_columns: Indices, b_columns: Indices
) -> tuple[sparse.csr_array | None, Indices, Vector]:
    """(Q over the x and the twins behind them, the binary of each twin, what moves to the binaries' costs)."""
    on_b = quadratic.diagonal()[b_columns]
    count = quadratic.shape[0]
    # Products that still are there once the constants are gone, squares aside.
    entries = quadratic.tocoo()
    kept = np.zeros(count, dtype=bool)
    kept[x_columns] = kept[b_columns] = True
    product = kept[entries.row] & kept[entries.col] & (entries.row != entries.col)
    in_product = np.zeros(count, dtype=bool)
    in_product[entries.row[product]] = True
    twin_of = np.flatnonzero(in_product[b_columns])
    on_b[twin_of] = 0.0
    columns = np.concatenate([x_columns, b_columns[twin_of]])
    Q = sparse.csr_array(quadratic[columns][:, columns])
    Q.eliminate_zeros()
    if not Q.nnz:
        return None, twin_of, on_b
    shift = _convex_shift(model, Q, x_columns.size, columns)
    if shift.any():
        Q = sparse.csr_array(Q + sparse.diags_array(shift))
        on_b[twin_of] -= shift[x_columns.size :]
    return Q, twin_of, on_b


def _convex_shift(model: Model, Q: sparse.csr_array, continuous: int, columns: Indices) -> Vector:
    """The diagonal, zero on the first `continuous` variables, that makes Q semidefinite.

    `columns` says which of the model's columns the variables of Q are.

    Raises
    ------
    FileError
        If there is none: Q is indefinite on the continuous variables, or in their products with binaries.
    """
    size = Q.shape[0]
    shift = np.zeros(size)
    diagonal = Q.diagonal()
    radius = np.asarray(np.abs(Q).sum(axis=1)).ravel() - np.abs(diagonal)
    dominant = diagonal >= radius
    if dominant.all():
        return shift
    blocks, labels = connected_components(Q, directed=False)
    order = np.argsort(labels, kind="stable")
    suspect = np.zeros(blocks, dtype=bool)
    suspect[labels[~dominant]] = True
    worst, blamed = 0.0, ""
    for label, block in enumerate(np.split(order, np.searchsorted(labels[order], np.arange(1, blocks)))):
        if not suspect[label]:
            continue
        if block.size > LARGEST_BLOCK:
            raise FileError(
                f"{model.source}: the objective couples {block.size} variables, too many to check that it is convex "
                f"(at most {LARGEST_BLOCK})"
            )
        matrix = Q[block][:, block].toarray()
        if lacking(matrix) is not None:
            continue
        twins = block >= continuous
        amount = _smallest_shift(matrix, twins)
        if amount is None:
            values, vectors = np.linalg.eigh(matrix)
            if values[0] < worst:
                worst, blamed = float(values[0]), _most_negative(model, matrix, vectors[:, 0], columns[block])
        else:
            shift[block[twins]] = amount
    if worst < 0:
        goal = "maximised, it is not concave (most positive" if model.maximise else "not convex (most negative"
        value = -worst if model.maximise else worst
        raise FileError(
            f"{model.source}: the objective is {goal} eigenvalue {value:.6g} of Q in x'Qx; see its term "
            f"{blamed}), and not on binaries alone; only convex problems can be solved"
        )
    return shift


def _most_negative(model: Model, matrix: Matrix, direction: Vector, columns: Indices) -> str:
    """A term that keeps the form from being convex, as the file has it.

    A negative square; else a product too large for the two squares beside it; else what is least in the direction.
    """
    diagonal = matrix.diagonal()
    minors = np.triu(np.outer(diagonal, diagonal) - matrix**2, 1)
    if diagonal.min() < 0:
        parts = np.diag(diagonal)
    elif minors.min() < -1e-12 * np.abs(matrix).max() ** 2:
        parts = minors
    else:
        parts = np.triu(matrix * np.outer(direction, direction))
        parts += np.triu(parts, 1)
    i, j = np.unravel_index(int(parts.argmin()), parts.shape)
    value = float(matrix[i, j]) * (1.0 if i == j else 2.0) * (-1.0 if model.maximise else 1.0)
    first, second = model.names[columns[i]], model.names[columns[j]]
    return f"{value:.6g} {first}^2" if i == j else f"{value:.6g} {first} * {second}"


def _smallest_shift(matrix: Matrix, twins: NDArray[np.bool_]) -> float | None:
    """The least amount that, added to the twins' diagonal, makes the matrix semidefinite; None if none does."""
    if not twins.any():
        return None
    rest = ~twins
    complement = matrix[np.ix_(twins, twins)]
    if rest.any():
        inner, cross = matrix[np.ix_(rest, rest)], matrix[np.ix_(rest, twins)]
        if lacking(inner) is None:
            return None
        # Schur complement: semidefinite exactly when it is, given that the cross terms are in the range of the rest.
        solved = np.linalg.pinv(inner, rcond=1e-12, hermitian=True) @ cross
        if np.abs(inner @ solved - cross).max() > 1e-7 * max(1.0, float(np.abs(cross).max())):
            return None
        complement = complement - cross.T @ solved
    amount = max(0.0, -float(np.linalg.eigvalsh((complement + complement.T) / 2)[0]))
    # What rounding made too small grows until it is proven.
    for more in (0.0, 1e-12, 1e-10, 1e-8):
        larger = amount + more * max(amount, float(np.abs(complement).max(initial=0.0)))
        if lacking(matrix + np.diag(np.where(twins, larger, 0.0))) is not None:
            return larger
    return None


def _form(Q: sparse.csr_array | None) -> QuadraticForm | None:
    """Q as a form, dense where most of it is there."""
    if Q is None:
        return None
    size, diagonal = Q.shape[0], Q.diagonal()
    form: QuadraticForm
    if Q.nnz == np.count_nonzero(diagonal):
        form = DiagonalForm(diagonal)
    elif Q.nnz > DENSE_SHARE * size**2:
        form = DenseForm(Q.toarray())
    else:
        form = SparseForm(Q)
    return form
