"""Columns that are mixtures of others (a copy, a fund), and the products that leave all of them a diagonal.

Where the columns F of Q are mixtures W of the columns K, with V = Q_KK,

    x'Qx = z'Vz,   z = x_K + W x_F

For D below V, z'Vz = z'(V - D)z + sum_k d_k z_k^2. Of z_k^2 = (x_k + sum_f w_kf x_f)^2 the squares are a diagonal, and
the products are not negative where x and weights are not: they may be taken off the objective (`bounds.products`). Then
every x_k has d_k, as it would have without the mixtures, and every x_f the sum of d_k w_kf^2.

What is taken off is lost where both are on, so d_k is worth g_k = x_k^2 / b_k - x_k^2, and w_kf^2 times as much of
every mixture, less the products at the point; where that is negative d_k is 0. So every node has products of its own.

A member of one mixture only need not give its product, if the others make up for it. With e below V, d_k <= e_k and a
share t_k of its product,

    e_k (x_k + w_k x_f)^2 - d_k x_k^2 - 2 t_k e_k w_k x_k x_f >= e_k w_k^2 (1 - (1 - t_k)^2 e_k / (e_k - d_k)) x_f^2

and what these add up to is left for d_f. Where one of d_f is worth a price c, the best is t_k = 1 and d_k = e_k where
c g_k >= (x_k x_f)^2; else t_k = 0 and d_k = e_k (1 - w_k sqrt(c / g_k)), or, where that is negative, d_k = 0 and
t_k = 1 - x_k x_f / (c w_k) where that is not. The price is g_f, or as much more as it takes for the sum not to be
negative.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.bounds.products import Products, less_pairs
from hybridmip.exact.fit_kernel import fit
from hybridmip.exact.tree import FLOOR, NEGLIGIBLE, STEP, STOP, STRETCH, SWEEPS, Diagonal, Node, Worker, rank_of
from hybridmip.model.quadratic import Matrix, Vector
from hybridmip.model.semidefinite import lacking
from hybridmip.relax.node import Shared
from hybridmip.relax.protocol import Setting

#: What the others leave of a mixture, as a share of its diagonal entry; weights below this are none, scaled likewise.
NONE = 1e-9
NO_WEIGHT = 1e-7
#: A mixture is wide where the squares of its weights, in deviations, are less than this.
WIDE = 0.5
#: How far products go towards those that are best for a point, when the diagonal goes a whole step.
STEP_OF_PRODUCTS = 0.5
#: Halvings of what is known of a price, and the least of it as a share of the largest.
HALVINGS = 12
LEAST_PRICE = 1e-12
#: Exchanges of a mixture and a member, so that weights are not negative.
MOST_EXCHANGES = 50
#: Shares of a diagonal that are left out, until the rest is certain.
SHARES = (0.0, 1e-9, 1e-7, 1e-5)


class Mixtures(NamedTuple):
    """Which columns are mixtures of which others.

    Attributes
    ----------
    members, mixtures : ndarray of int
        Columns that are independent, and those that are mixtures of them.
    weights : ndarray, shape (members, mixtures)
    """

    members: NDArray[np.intp]
    mixtures: NDArray[np.intp]
    weights: Matrix


class Demand(NamedTuple):
    """What a diagonal of members and mixtures is worth at a point, with what products cost there.

    Attributes
    ----------
    weights : ndarray, shape (members, mixtures)
        Of the mixtures in play; 0 of the others.
    gains, gains_of_mixtures : ndarray
        What one of the diagonal is worth by itself.
    x, x_of_mixtures : ndarray
    """

    weights: Matrix
    gains: Vector
    gains_of_mixtures: Vector
    x: Vector
    x_of_mixtures: Vector

    def met(self, prices: Vector) -> tuple[Vector, Vector]:
        """The shares of their products that members give, and of the diagonal that they keep, at prices."""
        of = self.weights != 0.0
        weight, price, apart = self.weights.sum(axis=1), of @ prices, self.x * (of @ self.x_of_mixtures)
        alone = of.sum(axis=1) == 1
        whole = ~alone | (price * self.gains >= apart**2)
        dear = ~whole & (self.gains > weight**2 * price)
        given, kept = np.where(whole, 1.0, 0.0), np.where(whole, 1.0, 0.0)
        kept[dear] = 1.0 - weight[dear] * np.sqrt(price[dear] / self.gains[dear])
        cheap = ~whole & ~dear & (apart >= 0.0) & (apart < weight * price)
        given[cheap] = 1.0 - apart[cheap] / (weight[cheap] * price[cheap])
        return given, kept

    def left(self, given: Vector, kept: Vector) -> Vector:
        """What one of the diagonal below V leaves for the mixtures, as a multiple of the squares of its weights."""
        return np.where(given < 1.0, 1.0 - (1.0 - given) ** 2 / np.maximum(1.0 - kept, LEAST_PRICE), 1.0)

    def worth(self, prices: Vector) -> Vector:
        """What one of the diagonal below V is worth, at prices of the mixtures' entries."""
        given, kept = self.met(prices)
        mixed = self.x + self.weights @ self.x_of_mixtures
        lost = mixed**2 - self.x**2 - self.weights**2 @ self.x_of_mixtures**2
        return np.asarray(self.gains * kept + self.left(given, kept) * (self.weights**2 @ prices) - given * lost)

    def for_mixtures(self, diagonal: Vector, prices: Vector) -> Vector:
        """What is left of a diagonal below V for the entries of the mixtures."""
        return np.asarray((self.weights**2).T @ (self.left(*self.met(prices)) * diagonal))

    def prices(self, diagonal: Vector) -> Vector:
        """What one of each mixture's diagonal is worth: the least at which what is left for it is not negative."""
        low = np.array(self.gains_of_mixtures)
        apart = (self.weights != 0.0) * np.outer(self.x, self.x_of_mixtures)
        ratio = np.divide(apart**2, self.gains[:, None], out=np.zeros_like(apart), where=self.gains[:, None] > 0.0)
        most = (1.0 + LEAST_PRICE) * ratio.max(axis=0, initial=0.0)
        high = np.maximum(most, low)
        low = np.maximum(low, LEAST_PRICE * high)
        if not (high > low).any():
            return np.asarray(high)
        met = self.for_mixtures(diagonal, low) >= 0.0
        if met.all():
            return np.asarray(low)
        for _ in range(HALVINGS):
            middle = np.sqrt(low * high)
            enough = self.for_mixtures(diagonal, middle) >= 0.0
            low, high = np.where(enough | met, low, middle), np.where(enough, middle, high)
        return np.asarray(np.where(met, low, high))


def mixtures_in(matrix: Matrix) -> Mixtures | None:
    """The mixtures among the columns of a semidefinite matrix that are not zero; None for none."""
    from scipy.linalg import lapack, solve_triangular  # 0.1 s, which linear problems do not need

    there = np.flatnonzero(np.diag(matrix) > 0.0)
    if there.size < 2:
        return None
    size = np.sqrt(np.diag(matrix)[there])
    factor, order, rank, _ = lapack.dpstrf(matrix[np.ix_(there, there)] / np.outer(size, size), tol=NONE, lower=1)
    if rank == there.size:
        return None
    lower, order = np.tril(factor[:, :rank]), order - 1
    table = solve_triangular(lower[:rank], lower[rank:].T, lower=True, trans="T")
    table[np.abs(table) < NO_WEIGHT] = 0.0
    members, mixed = order[:rank].copy(), order[rank:].copy()
    # A column with one positive weight and negative ones is a member of the mixture that the positive one is of.
    for _ in range(MOST_EXCHANGES):
        wrong = np.flatnonzero((table < 0.0).any(axis=0) & ((table > 0.0).sum(axis=0) == 1))
        if wrong.size == 0:
            break
        f = int(wrong[0])
        k = int(np.argmax(table[:, f]))
        column, row = table[:, f] / table[k, f], table[k].copy()
        table = table - np.outer(column, row)
        table[:, f], table[k] = -column, row / row[f]
        table[k, f] = 1.0 / row[f]
        table[np.abs(table) < NO_WEIGHT] = 0.0
        members[k], mixed[f] = mixed[f], members[k]
    weights = table * size[mixed][None, :] / size[members][:, None]
    return Mixtures(there[members], there[mixed], weights)


def unmixing(worker: Worker, setting: Setting) -> Worker:
    """A worker that knows mixtures, where there are any with products that have a sign; else the one given."""
    shared = worker.shared
    if not worker.singular or worker.products is not None or shared.ground.any():
        return worker
    found = mixtures_in(shared.Q)
    if found is None:
        return worker
    aware = Unmixing(shared, found, setting.problem.rows)
    return aware if aware.serves else worker


class Unmixing(Worker):
    """Works on nodes of a problem with mixtures: each has the products that are best for it.

    Parameters
    ----------
    shared : Shared
    mixtures : Mixtures
    rows : int
        How many the problem has.
    """

    def __init__(self, shared: Shared, mixtures: Mixtures, rows: int) -> None:
        super().__init__(shared)
        self._mixtures, self._rows = mixtures, rows
        members, mixed, weights = mixtures
        signed = (shared.lower[members] >= 0.0)[:, None] & (shared.lower[mixed] >= 0.0)[None, :] & (weights >= 0.0)
        self._wrong = (weights != 0.0) & ~signed
        self.singular = False
        # A mixture of many has little of a diagonal: it is decided before its members.
        spread = (weights**2 * np.diag(shared.Q)[members][:, None]).sum(axis=0) / np.diag(shared.Q)[mixed]
        self._flat[mixed[spread < WIDE]] = True
        self._any_flat = bool(self._flat.any())

    @property
    def serves(self) -> bool:
        """Whether some member of a mixture can have a diagonal."""
        members = (self._mixtures.weights != 0.0).any(axis=1)
        return bool((members & ~self._wrong.any(axis=1)).any())

    def within(self, lower: Vector, upper: Vector) -> Worker:
        """The same with other limits of x."""
        return Unmixing(self.shared.within(lower, upper), self._mixtures, self._rows)

    def without(self, node: Node) -> int:
        """How many mixtures are undecided, times two: where one is decided there is much to gain again."""
        return 2 * int(self.free(node.status)[self._mixtures.mixtures].sum())

    def form_of(self, diagonal: Diagonal) -> Matrix:
        """What the products of a diagonal leave of Q."""
        products = diagonal.products
        return self.shared.Q if products is None else less_pairs(self.shared.Q, products.pairs, self._rows)

    def root(self, diagonal: Vector | None = None) -> Node:
        """The node in which nothing is fixed but what is never on; its diagonal is found here."""
        node = super().root(np.zeros(self.shared.q.size))
        width = self.shared.upper - self.shared.lower
        size = np.where(np.isfinite(width) & (width > 0), width, 1.0)
        found = self._fit(node, size**2, np.zeros(size.size), 1.0)
        if found is not None:
            node.diagonal = found
        return node

    def fit(self, node: Node, x: Vector, b: Vector, step: float) -> Diagonal | None:
        """A diagonal nearer to the best one for a point (x, b), and its products."""
        base = np.maximum(b[np.maximum(self.shared.switch, 0)], 1e-9)
        return self._fit(node, np.maximum(x**2 / base - x**2, 0.0), x, step)

    def _fit(self, node: Node, gains: Vector, x: Vector, step: float) -> Diagonal | None:
        """The same from what a diagonal is worth by itself, and the point whose products are lost."""
        members, mixed, table = self._mixtures
        there, free = self.in_play(node.status), self.free(node.status)
        gains, x = np.where(free, gains, 0.0), np.where(there, x, 0.0)
        table = np.where(there[mixed][None, :], table, 0.0)
        touched = table != 0.0
        demand = Demand(table, gains[members], gains[mixed], x[members], x[mixed])
        old = node.diagonal
        worth = demand.worth(gains[mixed] if old.inner is None else demand.prices(old.inner[members]))
        curved = there[members] | touched.any(axis=1)
        fitted = curved & (worth > 0.0) & ~(self._wrong & touched).any(axis=1)
        if fitted.sum() < 2:
            return None
        inner = self._inner(node, members[fitted], members[curved & ~fitted], worth[fitted], step)
        if inner is None:
            return None
        values, pairs = self._taken(inner, demand, free, there)
        if old.inner is not None:
            # What the step aims at is best for one point only.
            share = STEP_OF_PRODUCTS * min(1.0, step / STEP)
            before = 0.0 * pairs if old.products is None else old.products.pairs
            values = (1.0 - share) * np.where(free, old.values, 0.0) + share * values
            pairs = sparse.csr_array((1.0 - share) * before + share * pairs)
        return self._certain(values, pairs, inner, there)

    def _inner(self, node: Node, free: Vector, rest: Vector, worth: Vector, step: float) -> Vector | None:
        """The diagonal below V of the members, x by x."""
        before = node.weights[free]
        worth = np.where(before >= 0, 0.5 * (worth + before), worth)
        node.weights = node.weights.copy()
        node.weights[free] = worth
        rank = rank_of(free.size)
        V = np.ascontiguousarray(node.factor[free, :rank])
        found = np.zeros(free.size)
        old = np.zeros(free.size) if node.diagonal.inner is None else node.diagonal.inner[free]
        fit(
            self.shared.Q, old, free, rest, np.maximum(worth, FLOOR * float(worth.max())), V, step, STRETCH, SWEEPS,
            STOP, found,
        )  # fmt: skip
        node.factor = node.factor.copy()
        node.factor[free, :rank] = V
        if not found.any():
            return None
        inner = np.zeros(node.weights.size)
        inner[free] = np.where(found > NEGLIGIBLE * np.diag(self.shared.Q)[free], found, 0.0)
        return inner

    def _taken(
        self, inner: Vector, demand: Demand, free: NDArray[np.bool_], there: NDArray[np.bool_]
    ) -> tuple[Vector, sparse.csr_array]:
        """The diagonal that one of the members leaves everybody, and the products that it takes."""
        members, mixed, _ = self._mixtures
        n, own, table = inner.size, inner[members], demand.weights
        prices = demand.prices(own)
        given, kept = demand.met(prices)
        across = (given * own)[:, None] * table
        between = table.T @ across
        values = np.zeros(n)
        values[members], values[mixed] = kept * own, np.maximum(demand.for_mixtures(own, prices), 0.0)
        k, f = np.nonzero(across * there[members][:, None])
        g, h = np.nonzero(np.triu(between, 1))
        i, j = np.concatenate([members[k], mixed[g]]), np.concatenate([mixed[f], mixed[h]])
        taken = np.concatenate([across[k, f], between[g, h]])
        both = np.concatenate([taken, taken]), (np.concatenate([i, j]), np.concatenate([j, i]))
        return np.where(free, values, 0.0), sparse.csr_array(both, shape=(n, n))

    def _certain(
        self, values: Vector, pairs: sparse.csr_array, inner: Vector, there: NDArray[np.bool_]
    ) -> Diagonal | None:
        """The diagonal with the products that were taken, a little smaller where it must be; None for none."""
        n = values.size
        products = Products(pairs, np.zeros((self._rows, n)), np.zeros(n)) if pairs.nnz else None
        Q, at = self.form_of(Diagonal(values, values, products)), np.flatnonzero(there)
        for share in SHARES:
            tried = (1.0 - share) * values
            lack = lacking(Q[np.ix_(at, at)], tried[at])
            if lack is not None:
                slack = np.zeros(n)
                slack[at] = lack
                return Diagonal(tried, slack, products, inner)
        return None
