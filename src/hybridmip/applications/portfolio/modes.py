"""The ways in which an asset can be held: each an interval of weights over which everything is linear.

An asset that is not held is in no mode; one that is held is in exactly one: kept as it was, sold in part, bought; short
or long. What matters beside the weight (costs, turnover, size) is a line over each mode, and a number for no mode.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hybridmip.model.quadratic import Vector

if TYPE_CHECKING:
    from hybridmip.applications.portfolio.portfolio import Portfolio


@dataclass(frozen=True, eq=False)
class Lines:
    """A quantity that is linear in each mode: slope * weight + fixed, and `absent` for every asset in none."""

    slope: Vector
    fixed: Vector
    absent: Vector

    def row(self, asset: NDArray[np.intp]) -> tuple[Vector, Vector, float]:
        """(coefficients of x, of b, constant): what is absent is a constant that being in a mode takes back."""
        return self.slope, self.fixed - self.absent[asset], float(self.absent.sum())


@dataclass(frozen=True, eq=False)
class Modes:
    """All modes of all assets, in the order of the assets.

    Attributes
    ----------
    asset : ndarray of int
        Whose mode it is.
    names : tuple of str
        The asset's name, with that of the mode where there are several.
    lower, upper : ndarray
        Weights in this mode.
    cost, turnover, gross, short : Lines
        Trade costs, what is bought and sold, sizes of positions and of short ones.
    traded : Lines
        1 where it is a trade.
    must : ndarray of bool
        Which assets cannot be left out: selling all would be too small a trade.
    """

    asset: NDArray[np.intp]
    names: tuple[str, ...]
    lower: Vector
    upper: Vector
    cost: Lines
    turnover: Lines
    gross: Lines
    short: Lines
    traded: Lines
    must: NDArray[np.bool_]

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.names)

    @property
    def several(self) -> NDArray[np.bool_]:
        """Which assets have more than one mode."""
        return np.bincount(self.asset, minlength=self.must.size) > 1


@dataclass(frozen=True)
class _Piece:
    """An interval of weights, on one side of what is held and on one side of zero."""

    name: str
    lower: float
    upper: float


def modes_of(portfolio: Portfolio) -> Modes:
    """The modes of a portfolio's assets."""
    trading, n = portfolio.trading, portfolio.n
    signs = portfolio.max_gross is not None or portfolio.max_short is not None
    pieces = [_pieces(portfolio, i, signs) for i in range(n)]
    asset = np.repeat(np.arange(n), [len(each) for each in pieces])
    flat = [piece for each in pieces for piece in each]
    names = tuple(
        portfolio.names[i] if len(pieces[i]) == 1 else f"{portfolio.names[i]} ({piece.name})"
        for i, piece in zip(asset, flat, strict=True)
    )
    lower, upper = np.array([piece.lower for piece in flat]), np.array([piece.upper for piece in flat])
    held = trading.current
    kept = np.array([piece.name == "kept" for piece in flat], dtype=bool)
    up, down = ~kept & (lower >= held[asset]), ~kept & (upper <= held[asset])
    if not trading.matters:
        up, down = np.ones_like(up), np.zeros_like(down)
    down &= ~up
    moves = np.where(up, 1.0, 0.0) - np.where(down, 1.0, 0.0)
    turnover = Lines(moves, -moves * held[asset], np.abs(held))
    rate = np.where(up, trading.buying[asset], 0.0) - np.where(down, trading.selling[asset], 0.0)
    all_sold = np.where(held > 0, trading.selling, trading.buying) * np.abs(held)
    fixed = np.where(kept, 0.0, trading.fixed[asset])
    cost = Lines(rate, fixed - rate * held[asset], all_sold + np.where(held != 0, trading.fixed, 0.0))
    sign, nothing = np.where(upper <= 0, -1.0, 1.0), np.zeros(n)
    zeros = np.zeros(len(flat))
    return Modes(
        asset, names, lower, upper, cost, turnover, Lines(sign, zeros, nothing),
        Lines(np.where(sign < 0, -1.0, 0.0), zeros, nothing),
        Lines(zeros, np.where(kept, 0.0, 1.0), np.where(held != 0, 1.0, 0.0)),
        np.asarray((held != 0) & (np.abs(held) < trading.min_trade)),
    )  # fmt: skip


def _pieces(portfolio: Portfolio, i: int, signs: bool) -> list[_Piece]:
    """The modes of an asset."""
    trading, name = portfolio.trading, "long"
    low, high, held = float(portfolio.min_weight[i]), float(portfolio.max_weight[i]), float(trading.current[i])
    pieces = [_Piece(name, low, high)]
    if trading.matters:
        step = float(trading.min_trade[i])
        pieces = [_Piece("sold", low, min(held - step, high)), _Piece("bought", max(held + step, low), high)]
        if held == 0.0 and low >= 0.0:
            pieces = pieces[1:]
        if trading.counts and held != 0.0 and low <= held <= high:
            pieces = [_Piece("kept", held, held), *pieces]
    if signs:
        pieces = [part for piece in pieces for part in _by_sign(piece)]
    return [piece for piece in pieces if piece.lower <= piece.upper]


def _by_sign(piece: _Piece) -> list[_Piece]:
    if not piece.lower < 0.0 < piece.upper:
        return [piece]
    name = "" if piece.name == "long" else f"{piece.name}, "
    return [_Piece(f"{name}short", piece.lower, 0.0), _Piece(f"{name}long", 0.0, piece.upper)]
