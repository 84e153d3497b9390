"""Families of problems with one parameter: return targets, numbers of assets, budgets, or anything a function makes."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from hybridmip.applications.portfolio import Portfolio
from hybridmip.errors import ArgumentError
from hybridmip.model.problem import Problem

#: Attainable returns are taken from this share of their range inside its ends.
WITHIN = 1e-6
#: Problems of a family that are kept.
KEPT = 256
#: What of a portfolio can be varied.
VARIED = ("target_return", "assets", "budget")


class Family(Protocol):
    """Problems with the same binaries, one for every value of a parameter. It must survive pickling."""

    #: What the parameter is called.
    parameter: str

    def problem(self, value: float) -> Problem:
        """The problem at a value of the parameter."""


class ProblemFamily:
    """The problems that a function makes of a number.

    Parameters
    ----------
    make : callable
        From the parameter to a Problem. To be sent to other processes it must be a function of a module.
    parameter : str
        What the parameter is called.
    """

    def __init__(self, make: Callable[[float], Problem], parameter: str = "parameter") -> None:
        self.make = make
        self.parameter = parameter

    def problem(self, value: float) -> Problem:
        """The problem at a value of the parameter."""
        problem = self.make(value)
        if not isinstance(problem, Problem):
            raise ArgumentError(f"the function gave a {type(problem).__name__} for {value:g}; it must give a Problem")
        return problem


class PortfolioFamily:
    """A portfolio with its target return, its number of assets or its budget varied."""

    def __init__(self, portfolio: Portfolio, vary: str = "target_return") -> None:
        if vary not in VARIED:
            raise ArgumentError(f"vary is {vary!r}; choose from {', '.join(VARIED)}")
        self.portfolio = portfolio
        self.parameter = vary
        self._made: OrderedDict[float, Problem] = OrderedDict()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_made": OrderedDict()}

    def member(self, value: float) -> Portfolio:
        """The portfolio at a value of the parameter."""
        if self.parameter == "target_return":
            return self.portfolio.with_target(float(value))
        if self.parameter == "assets":
            if value != int(value):
                raise ArgumentError(f"assets is {value:g} along the frontier; give whole numbers")
            return self.portfolio.replace(assets=int(value))
        return self.portfolio.replace(budget=float(value))

    def problem(self, value: float) -> Problem:
        """The problem at a value of the parameter; the last ones are kept."""
        found = self._made.get(value)
        if found is None:
            found = self._made[value] = self.member(value).problem()
            if len(self._made) > KEPT:
                self._made.popitem(last=False)
        return found

    def default_grid(self, points: int, which: str) -> list[float]:
        """Evenly spaced targets over the returns of the unconstrained frontier, or over those that can be had."""
        if self.parameter != "target_return":
            raise ArgumentError(f"grid is missing: give the values of {self.parameter} along the frontier")
        return spread(self.portfolio, which, points)


def spread(portfolio: Portfolio, which: str, points: int) -> list[float]:
    """Evenly spaced returns over the `efficient` or the `attainable` range of a portfolio."""
    if which == "efficient":
        low, high = portfolio.efficient_range()
    else:
        low, high = portfolio.attainable_range()
        # At the very end only one portfolio is left, and rounding can take it away.
        inside = WITHIN * (high - low)
        low, high = low + inside, high - inside
    return [float(value) for value in np.linspace(low, high, points)]


def family_hash(family: Family, grid: Sequence[float]) -> str:
    """SHA-256 over the parameter, the grid and the problem at every value (of a portfolio its ends tell everything)."""
    digest = hashlib.sha256(family.parameter.encode())
    digest.update(np.asarray(grid, dtype=np.float64).tobytes())
    for value in (grid[0], grid[-1]) if isinstance(family, PortfolioFamily) else grid:
        digest.update(family.problem(value).hash.encode())
    return digest.hexdigest()


def as_family(source: Any, vary: str | None) -> Family:
    """What the caller gave, as a family."""
    if isinstance(source, Portfolio):
        return PortfolioFamily(source, vary or "target_return")
    if hasattr(source, "problem") and hasattr(source, "parameter"):
        family: Family = source
        return family
    if callable(source):
        return ProblemFamily(source, vary or "parameter")
    raise ArgumentError(
        f"family is a {type(source).__name__}; give a Portfolio, a function from a number to a Problem, or a Family"
    )
