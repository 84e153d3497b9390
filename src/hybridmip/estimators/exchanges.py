"""Least squares with few columns: best exchanges of one column for another, all of them priced at once.

With S the columns held, G = X_S'X_S + ridge, M = G^-1, w = M X_S'y, H = X'X_S and T = H M, leaving out column i of S
and taking in j instead changes the squares by

    w_i^2 / M_ii - rho_ji^2 / s_ji,   rho_ji = (X'y - H w)_j + T_ji w_i / M_ii,
                                      s_ji = |x_j|^2 + ridge - (T H')_jj + T_ji^2 / M_ii

(the inverse without row i by its Schur complement). That is a few operations for every pair once H is there, and a
move needs one new column of it: X'X is never formed.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hybridmip.model.quadratic import Matrix, Vector

#: A column of which the others leave less than this share is a mixture of them.
MIXTURE = 1e-10
#: A move must gain this share of the squares of y.
GAIN = 1e-10
#: Numbers in the products of columns that are kept.
KEPT = 2e7
#: Shaken searches, how many in a row without a gain end them, and the share of the columns that is shaken at most.
SHAKEN = 60
PATIENCE = 25
LARGEST_SHAKE = 0.5
#: Columns among which shaking draws, for each that is held.
DRAWN_FROM = 10
TINY = float(np.finfo(float).tiny)


@dataclass(frozen=True)
class Held:
    """Columns and their coefficients.

    Attributes
    ----------
    columns : ndarray of int
    coefficients : ndarray
    value : float
        Squares of what is left, with the ridge and the price of the columns.
    """

    columns: NDArray[np.intp]
    coefficients: Vector
    value: float


class Columns:
    """Least squares |y - X w|^2 + ridge |w|^2 + price (number of columns), by columns.

    Parameters
    ----------
    X : ndarray, shape (rows, columns)
    y : ndarray, shape (rows,)
    ridge, price : float
    """

    def __init__(self, X: Matrix, y: Vector, ridge: float = 0.0, price: float = 0.0) -> None:
        self.X, self.y, self.ridge, self.price = X, y, ridge, price
        self.c: Vector = X.T @ y
        self.squares: Vector = np.einsum("ij,ij->j", X, X) + ridge
        self.total = float(y @ y)
        self._products: OrderedDict[int, Vector] = OrderedDict()
        self._most = max(64, int(KEPT / max(X.shape[1], 1)))

    @property
    def count(self) -> int:
        """How many columns there are."""
        return int(self.X.shape[1])

    def products(self, j: int) -> Vector:
        """X'x_j, with the ridge."""
        found = self._products.get(j)
        if found is None:
            found = self.X.T @ self.X[:, j]
            found[j] += self.ridge
            self._products[j] = found
            if len(self._products) > self._most:
                self._products.popitem(last=False)
        return found

    def held(self, columns: NDArray[np.intp]) -> Held:
        """The best coefficients of some columns."""
        columns = np.sort(np.asarray(columns, dtype=np.intp))
        if columns.size == 0:
            return Held(columns, np.zeros(0), self.total)
        G = np.stack([self.products(int(j))[columns] for j in columns])
        w = np.asarray(np.linalg.lstsq(G, self.c[columns], rcond=None)[0], dtype=np.float64)
        value = self.total - float(w @ self.c[columns]) + self.price * columns.size
        return Held(columns, w, value)


class _Position:
    """Columns held and what every move is worth."""

    def __init__(self, data: Columns, columns: list[int]) -> None:
        self.data, self.columns = data, columns
        self.H = np.empty((data.count, len(columns)), order="F")
        for place, j in enumerate(columns):
            self.H[:, place] = data.products(j)
        self._settle()

    def _settle(self) -> None:
        data, S = self.data, self.columns
        self.M = np.linalg.inv(self.H[S]) if S else np.zeros((0, 0))
        self.w = self.M @ data.c[S]
        self.T = self.H @ self.M
        self.left = data.c - self.H @ self.w
        self.own = data.squares - np.einsum("ij,ij->i", self.T, self.H)
        #: What leaving out a column costs.
        self.cost = self.w**2 / np.diag(self.M) if S else np.zeros(0)
        self.value = data.total - float(self.w @ data.c[S]) + data.price * len(S)

    def gains(self) -> Vector:
        """What taking in a column saves, the price not counted; nothing for mixtures of those held."""
        data = self.data
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = np.where(self.own > MIXTURE * data.squares, self.left**2 / self.own, 0.0)
        gain[self.columns] = -np.inf
        return np.asarray(gain)

    def best_exchange(self) -> tuple[float, int, int]:
        """(what it saves, the place it leaves, the column it takes in)."""
        data = self.data
        best = (-math.inf, -1, -1)
        for place in range(len(self.columns)):
            t, own = self.T[:, place], self.M[place, place]
            rho = self.left + t * (self.w[place] / own)
            size = self.own + t**2 / own
            with np.errstate(divide="ignore", invalid="ignore"):
                gain = np.where(size > MIXTURE * data.squares, rho**2 / size, 0.0)
            gain[self.columns] = -np.inf
            j = int(np.argmax(gain))
            saved = float(gain[j]) - float(self.cost[place])
            if saved > best[0]:
                best = (saved, place, j)
        return best

    def add(self, j: int) -> None:
        """Take a column in."""
        self.columns.append(j)
        self.H = np.asfortranarray(np.column_stack([self.H, self.data.products(j)]))
        self._settle()

    def drop(self, place: int) -> None:
        """Leave a column out."""
        del self.columns[place]
        self.H = np.asfortranarray(np.delete(self.H, place, axis=1))
        self._settle()

    def exchange(self, place: int, j: int) -> None:
        """Take a column in where another was."""
        self.columns[place] = j
        self.H[:, place] = self.data.products(j)
        self._settle()


class Exchanges:
    """Search among the columns: forward, by exchanges, shaken.

    Parameters
    ----------
    data : Columns
    most : int
        Columns held at most.
    seed : int
        Of what is shaken.
    """

    def __init__(self, data: Columns, most: int, seed: int = 0) -> None:
        self.data, self.most = data, min(most, data.count, data.X.shape[0] if data.ridge == 0.0 else data.count)
        self._rng = np.random.default_rng(seed)
        self._least = GAIN * max(data.total, TINY)
        #: How often every column was held at the end of a search.
        self.often = np.zeros(data.count)

    def run(self, starts: list[NDArray[np.intp]] | None = None, seconds: float = math.inf) -> Held:
        """The best that is found; the same for the same seed, unless the time is up first."""
        end = time.perf_counter() + seconds
        best: _Position | None = None
        forward = self._forward(_Position(self.data, []), self.most, end)
        begun = [forward]
        beyond = self._forward(_Position(self.data, list(forward.columns)), 2 * self.most, end)
        begun.append(self._backward(beyond))
        begun += [self._of(start[: self.most]) for start in starts or []]
        for position in begun:
            found = self._descend(position, end)
            if best is None or found.value < best.value - self._least:
                best = found
        assert best is not None
        without = 0
        for _ in range(SHAKEN):
            if without >= PATIENCE or time.perf_counter() > end or not best.columns:
                break
            found = self._descend(self._shaken(best), end)
            without += 1
            if found.value < best.value - self._least:
                best, without = found, 0
        return self.data.held(np.array(best.columns, dtype=np.intp))

    def candidates(self, best: Held, count: int) -> NDArray[np.intp]:
        """The most useful columns beside those held: those of other searches, then what gains most."""
        position = self._of(best.columns)
        worth = np.maximum(position.gains(), 0.0) / max(self.data.total, TINY) + self.often
        worth[position.columns] = np.inf
        return np.sort(np.argsort(-worth, kind="stable")[: min(count, self.data.count)])

    def _of(self, columns: NDArray[np.intp]) -> _Position:
        """These columns, without those that are mixtures of the others."""
        position = _Position(self.data, [])
        for j in columns:
            if position.own[j] > MIXTURE * self.data.squares[j] and int(j) not in position.columns:
                position.add(int(j))
        return position

    def _forward(self, position: _Position, most: int, end: float) -> _Position:
        """Take in what gains most until there are enough, or nothing pays."""
        while len(position.columns) < min(most, self.data.count) and time.perf_counter() < end:
            gain = position.gains()
            j = int(np.argmax(gain))
            if gain[j] <= max(self.data.price, self._least):
                break
            position.add(j)
        return position

    def _backward(self, position: _Position) -> _Position:
        """Leave out what costs least until there are few enough."""
        while len(position.columns) > self.most:
            position.drop(int(np.argmin(position.cost)))
        return position

    def _descend(self, position: _Position, end: float) -> _Position:
        """The best move, again and again."""
        price = self.data.price
        while time.perf_counter() < end:
            if position.columns and price - position.cost.min() > self._least:
                position.drop(int(np.argmin(position.cost)))
                continue
            if len(position.columns) < self.most:
                gain = position.gains()
                j = int(np.argmax(gain))
                if gain[j] - price > self._least:
                    position.add(j)
                    continue
            saved, place, j = position.best_exchange()
            if not saved > self._least:
                break
            position.exchange(place, j)
        self.often[position.columns] += 1
        return position

    def _shaken(self, best: _Position) -> _Position:
        """Some of the columns replaced by others that are worth something, or are like those that leave."""
        k = len(best.columns)
        count = int(self._rng.integers(1, max(1, int(LARGEST_SHAKE * k)) + 1))
        leaving = self._rng.choice(k, count, replace=False)
        staying = [j for place, j in enumerate(best.columns) if place not in leaving]
        position = _Position(self.data, staying)
        gain = position.gains()
        pool = np.argsort(-gain, kind="stable")[: DRAWN_FROM * max(k, 1)]
        pool = pool[gain[pool] > self._least]
        for j in self._rng.choice(pool, min(count, pool.size), replace=False) if pool.size else ():
            if position.gains()[j] > 0:
                position.add(int(j))
        return position
