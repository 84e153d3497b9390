"""What relaxations tell the searches: where to look first, and what need not be looked at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hybridmip.model.quadratic import Vector


@dataclass(frozen=True)
class Guidance:
    """An immutable value: relaxations put another in its place, searches read it when they need it.

    Attributes
    ----------
    diagonal : ndarray
        A diagonal below Q for screening moves; zero until a relaxation gives one.
    probabilities : ndarray, optional
        The relaxed b that says most about which binaries are on.
    penalties : tuple, optional
        (base, w) of the best bound: f(b) >= base + what each b_i that differs from w_i < 0 adds, |w_i|.
    """

    diagonal: Vector
    probabilities: Vector | None = None
    penalties: tuple[float, Vector] | None = None

    def fixed(self, m: int, objective: float) -> NDArray[np.int64]:
        """1 for every binary that is on, -1 for every one that is off, in all b better than the objective."""
        if self.penalties is None or not np.isfinite(objective):
            return np.zeros(m, dtype=np.int64)
        base, w = self.penalties
        return np.where(np.abs(w) > objective - base, np.where(w < 0, 1, -1), 0).astype(np.int64)
