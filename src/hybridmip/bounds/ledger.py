"""The lower bounds of a solve, each with what it rests on; what a point contradicts is dropped."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum

from hybridmip.bounds.products import Products
from hybridmip.model.units import Proof


class Grade(StrEnum):
    """What a bound, or a verdict, rests on; the first is the strongest."""

    #: The closed formula, or multipliers that prove infeasibility: rounding charged, nobody's word taken.
    PROVEN = "proven"
    #: Every choice of b that the formula leaves over was tried, each restricted problem with a bound of its own.
    TRIED = "tried"
    #: The word of HiGHS, asked in a way that is known to be sound.
    TRUSTED = "trusted"


STRENGTH = {Grade.PROVEN: 0, Grade.TRIED: 1, Grade.TRUSTED: 2}


@dataclass(frozen=True)
class Bound:
    """A lower bound: its value, who found it, what it rests on, and its proof where the closed formula is that.

    `claimed` is what the proof alone gives; the value may have been rounded up to one that the objective can have.
    """

    value: float
    source: str
    grade: Grade
    proof: Proof | None = field(default=None, repr=False)
    claimed: float = -math.inf
    #: What the proof takes off the objective first, if something.
    products: Products | None = field(default=None, repr=False)


class Ledger:
    """The best bound of every source."""

    def __init__(self) -> None:
        self._best: dict[str, Bound] = {}
        self._dropped: set[str] = set()

    def add(self, bound: Bound) -> bool:
        """Take note of a bound; returns whether it is the best one now."""
        if bound.source in self._dropped or math.isnan(bound.value):
            return False
        before = self.value
        known = self._best.get(bound.source)
        if known is None or bound.value > known.value:
            self._best[bound.source] = bound
        return bound.value > before

    @property
    def value(self) -> float:
        """The largest of all."""
        return max((bound.value for bound in self._best.values()), default=-math.inf)

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """The best of every source, in the order in which they were first heard of."""
        return tuple(self._best.values())

    def best_proof(self, products: bool = True) -> Bound | None:
        """The best bound that the closed formula proves, with products taken off the objective first or without."""
        proofs = [
            bound for bound in self._best.values() if bound.proof is not None and (products or bound.products is None)
        ]
        return max(proofs, key=lambda bound: bound.value, default=None)

    def drop_above(self, value: float) -> list[Bound]:
        """Drop sources whose bound is above the value of a point, for good; returns their bounds."""
        wrong = [bound for bound in self._best.values() if bound.value > value]
        for bound in wrong:
            del self._best[bound.source]
            self._dropped.add(bound.source)
        return wrong
