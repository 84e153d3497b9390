"""Prices or returns over time: what is left of a table at every step from the file to the estimates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hybridmip.errors import Message
from hybridmip.files import PathLike
from hybridmip.io.dates import Moments
from hybridmip.model.quadratic import Matrix, Vector

#: Rows that a covariance needs.
FEWEST = {"prices": 3, "returns": 2}

Mask: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True)
class Panel:
    """Values of assets over time, the oldest first; NaN for a gap.

    Attributes
    ----------
    source : path
        What messages call the table.
    kind : str
        `prices` or `returns`.
    names, labels, lines : tuple
        Of the columns; of the rows, and the lines they stand on.
    moments : ndarray or None
        When each row was, in seconds; None where that is not known.
    values : ndarray, shape (rows, columns)
    before : ndarray, shape (columns,)
        The last value of each asset before the first row; NaN if it had none.
    left_out : tuple of str
        Assets of the table that are no columns any more.
    warnings : tuple of Message
        What was done to get here.
    ended : frozenset of str
        Assets that were filled to the end.
    """

    source: PathLike
    kind: str
    names: tuple[str, ...]
    labels: tuple[str, ...]
    lines: tuple[int, ...]
    moments: Moments | None
    values: Matrix
    before: Vector
    left_out: tuple[str, ...] = ()
    warnings: tuple[Message, ...] = ()
    ended: frozenset[str] = frozenset()

    @property
    def fewest(self) -> int:
        """Rows that a covariance needs."""
        return FEWEST[self.kind]

    @property
    def one(self) -> str:
        """What a single value is called."""
        return self.kind[:-1]

    @property
    def observed(self) -> NDArray[np.intp]:
        """How many values each asset has."""
        counts: NDArray[np.intp] = np.isfinite(self.values).sum(axis=0)
        return counts

    def rows(self, keep: Mask) -> Panel:
        """The panel with some of its rows."""
        places = np.flatnonzero(keep)
        return replace(
            self,
            labels=tuple(self.labels[i] for i in places),
            lines=tuple(self.lines[i] for i in places),
            moments=None if self.moments is None else self.moments[keep],
            values=self.values[keep],
        )

    def columns(self, keep: Mask) -> Panel:
        """The panel with some of its assets; the others are left out."""
        out = tuple(name for name, kept in zip(self.names, keep, strict=True) if not kept)
        names = tuple(name for name, kept in zip(self.names, keep, strict=True) if kept)
        left_out = (*self.left_out, *out)
        return replace(self, names=names, values=self.values[:, keep], before=self.before[keep], left_out=left_out)

    def telling(self, *parts: str, about: Iterable[str] = ()) -> Panel:
        """The panel with one more warning, of no use to who leaves out the assets it is about."""
        message = Message(f"{self.source}: ", *parts, about=([name] for name in about))
        return replace(self, warnings=(*self.warnings, message))


def carried_forward(values: Matrix) -> Matrix:
    """Every gap with the value above it, if there is one."""
    there = np.isfinite(values)
    last = np.maximum.accumulate(np.where(there, np.arange(len(there))[:, None], 0), axis=0)
    return np.take_along_axis(values, last, axis=0)
