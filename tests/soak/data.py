"""A problem as plain arrays, so that the oracle and the generators need nothing of the package."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

INF = np.inf


@dataclass(frozen=True)
class Data:
    """minimise x'Qx + q'x + p'b + offset; see `hybridmip.Problem`. Q is a full matrix here, or None."""

    q: np.ndarray
    p: np.ndarray
    A: np.ndarray
    G: np.ndarray
    row_lower: np.ndarray
    row_upper: np.ndarray
    B: np.ndarray
    b_lower: np.ndarray
    b_upper: np.ndarray
    x_lower: np.ndarray
    x_upper: np.ndarray
    switch: np.ndarray
    Q: np.ndarray | None = None
    offset: float = 0.0
    #: `dense`, `sparse`, `diagonal` or `factor`: how Q is handed over.
    form: str = "dense"
    #: T with Q = v T T' + diag(d), for `factor`.
    loadings: np.ndarray | None = None
    specific: np.ndarray | None = None
    factor_variance: float = 1.0
    notes: tuple[str, ...] = field(default=())

    @property
    def n(self) -> int:
        return int(self.q.size)

    @property
    def m(self) -> int:
        return int(self.p.size)

    def matrix(self) -> np.ndarray:
        """Q, zero where there is none."""
        return np.zeros((self.n, self.n)) if self.Q is None else self.Q

    def bounds_given(self, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        on = np.array([1.0 if s < 0 else float(b[s]) for s in self.switch])
        return np.where(on > 0, self.x_lower, 0.0), np.where(on > 0, self.x_upper, 0.0)

    def objective(self, x: np.ndarray, b: np.ndarray) -> float:
        return float(x @ self.matrix() @ x + self.q @ x + self.p @ b + self.offset)

    def size(self, x: np.ndarray, b: np.ndarray) -> float:
        """The sum of the sizes of the objective's terms."""
        x, b = np.abs(x), np.abs(b)
        return float(x @ np.abs(self.matrix()) @ x + np.abs(self.q) @ x + np.abs(self.p) @ b + abs(self.offset))

    def missed(self, x: np.ndarray, b: np.ndarray) -> tuple[float, str]:
        """The largest share of its size by which a row or bound is missed, and which."""
        worst, name = 0.0, ""
        lower, upper = self.bounds_given(b)
        for j in range(self.n):
            miss = max(lower[j] - x[j], x[j] - upper[j], 0.0)
            if miss > 0:
                worst, name = max((worst, name), (miss / max(abs(x[j]), 1e-300), f"bound of x{j}"))
        for i in range(self.row_lower.size):
            terms = np.concatenate([self.A[i] * x, self.G[i] * b])
            value, size = terms.sum(), np.abs(terms).sum()
            # An x of a thousandth of its range is nothing.
            reach = np.where(np.isfinite(self.x_lower), np.abs(self.x_lower), 0.0)
            reach = np.maximum(reach, np.where(np.isfinite(self.x_upper), np.abs(self.x_upper), 0.0))
            for limit, miss in (
                (self.row_lower[i], self.row_lower[i] - value),
                (self.row_upper[i], value - self.row_upper[i]),
            ):
                if np.isfinite(limit) and miss > 0:
                    floor = 1e-3 * float((np.abs(self.A[i]) * reach).max(initial=0.0))
                    worst, name = max((worst, name), (miss / max(size + abs(limit), floor, 1e-300), f"row {i}"))
        for i in range(self.b_lower.size):
            value, size = self.B[i] @ b, np.abs(self.B[i]) @ b
            for limit, miss in ((self.b_lower[i], self.b_lower[i] - value), (self.b_upper[i], value - self.b_upper[i])):
                if np.isfinite(limit) and miss > 1e-11 * (size + abs(limit)):
                    worst, name = max((worst, name), (1.0, f"row {i} on b"))
        return worst, name

    def rescaled(self, columns: np.ndarray, rows: np.ndarray, b_rows: np.ndarray, objective: float) -> Data:
        """The same problem in x / columns, with rows, rows on b and the objective multiplied."""
        outer = np.outer(columns, columns)
        return replace(
            self, q=self.q * columns * objective, p=self.p * objective, offset=self.offset * objective,
            Q=None if self.Q is None else self.Q * outer * objective,
            A=self.A * columns * rows[:, None], G=self.G * rows[:, None], row_lower=self.row_lower * rows,
            row_upper=self.row_upper * rows, B=self.B * b_rows[:, None], b_lower=self.b_lower * b_rows,
            b_upper=self.b_upper * b_rows, x_lower=self.x_lower / columns, x_upper=self.x_upper / columns,
            loadings=None if self.loadings is None else self.loadings * columns[:, None],
            factor_variance=self.factor_variance * objective,
            specific=None if self.specific is None else self.specific * columns**2 * objective,
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """A document that keeps every bit."""
        document: dict[str, Any] = {}
        for entry in fields(self):
            value = getattr(self, entry.name)
            if isinstance(value, np.ndarray):
                numbers = [float(v).hex() if entry.name != "switch" else int(v) for v in value.ravel()]
                document[entry.name] = {"shape": list(value.shape), "values": numbers}
            else:
                document[entry.name] = float(value).hex() if isinstance(value, float) else value
        return document

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Data:
        """Read what `to_json` made."""
        values: dict[str, Any] = {}
        for name, value in document.items():
            if isinstance(value, dict):
                read = int if name == "switch" else float.fromhex
                array = np.array([read(v) for v in value["values"]], dtype=int if name == "switch" else float)
                values[name] = array.reshape(value["shape"])
            elif name in ("offset", "factor_variance"):
                values[name] = float.fromhex(value)
            else:
                values[name] = tuple(value) if name == "notes" else value
        return cls(**values)
