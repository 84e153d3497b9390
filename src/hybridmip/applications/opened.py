"""What answers share that open something at a charge: how much is open, and what it costs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar


class Opened(ABC):
    """An answer that opens arcs or facilities; costs are computed from the caller's own data."""

    #: What is opened, in the plural.
    what: ClassVar[str]
    is_open: tuple[bool, ...]

    @property
    @abstractmethod
    def cost_split(self) -> dict[str, float]:
        """Cost of opening (`fixed`), of use (`linear`) and of its square (`quadratic`)."""

    @property
    def cost(self) -> float:
        """All costs together, computed from the caller's own data."""
        return sum(self.cost_split.values())

    @property
    def headline(self) -> str:
        """How many are open and what that costs, in one line."""
        parts = ", ".join(f"{name} {value:.6g}" for name, value in self.cost_split.items() if value)
        opened = f"{sum(self.is_open)} of {len(self.is_open)} {self.what} open, cost {self.cost:.6g}"
        return f"{opened} ({parts})" if parts else opened

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.headline}>"

    def _open_of(self, names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name, on in zip(names, self.is_open, strict=True) if on)
