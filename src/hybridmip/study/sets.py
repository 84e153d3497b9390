"""The sets of the study: OR-Library's markets with their unconstrained frontiers, and the problems made of them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np

from hybridmip.applications.portfolio import Portfolio
from hybridmip.errors import ArgumentError, FileError
from hybridmip.io.download import check_file
from hybridmip.io.orlib import read_port, read_portef
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Matrix, Vector

#: The paper's setting: assets held, least and greatest weight of one that is held, targets.
ASSETS = 10
MIN_WEIGHT = 0.01
MAX_WEIGHT = 1.0
TARGETS = 50
#: Numbers of lambdas in the classical setting; Chang et al. take 50, others 51.
LAMBDAS = (50, 51)

SETS = ("port1", "port2", "port3", "port4", "port5")
TITLES = {
    "port1": "Hang Seng",
    "port2": "DAX 100",
    "port3": "FTSE 100",
    "port4": "S&P 100",
    "port5": "Nikkei 225",
}


@dataclass(frozen=True, eq=False)
class MarketSet:
    """One market.

    Attributes
    ----------
    name : str
    returns, covariance : ndarray
    free_returns, free_variances : ndarray
        The unconstrained frontier, as OR-Library has it.
    """

    name: str
    returns: Vector = field(repr=False)
    covariance: Matrix = field(repr=False)
    free_returns: Vector = field(repr=False)
    free_variances: Vector = field(repr=False)

    @property
    def n(self) -> int:
        """How many assets there are to choose from."""
        return len(self.returns)

    @property
    def title(self) -> str:
        """Name of the set and of its market."""
        return f"{self.name} ({TITLES[self.name]})" if self.name in TITLES else self.name

    @property
    def free_risks(self) -> Vector:
        """Standard deviations of the unconstrained frontier."""
        return np.sqrt(self.free_variances)

    @property
    def targets(self) -> Vector:
        """The 50 target returns, evenly spaced over those of the unconstrained frontier."""
        return np.linspace(self.free_returns.min(), self.free_returns.max(), TARGETS)

    @property
    def hash(self) -> str:
        """SHA-256 of all numbers."""
        digest = hashlib.sha256()
        for part in (self.returns, self.covariance, self.free_returns, self.free_variances):
            digest.update(np.ascontiguousarray(part).tobytes())
        return digest.hexdigest()

    def target_problem(self, target: float) -> Problem:
        """Least variance of ten assets for a return that is met exactly."""
        return Portfolio(
            self.returns, self.covariance, assets=ASSETS, min_weight=MIN_WEIGHT, max_weight=MAX_WEIGHT,
            target_return=float(target),
        ).problem()  # fmt: skip

    def weighted_problem(self, weight: float) -> Problem:
        """The classical setting: minimise weight x'Qx - (1 - weight) r'x.

        Divided by the weight where that is positive: the same portfolios, and what depends on Q alone is found once.
        """
        ones = np.ones((1, self.n))
        return Problem(
            Q=self.covariance if weight > 0 else None, q=-(1 - weight) / (weight or 1.0) * self.returns,
            A=ones, row_lower=1.0, row_upper=1.0, B=ones, b_lower=ASSETS, b_upper=ASSETS,
            x_lower=MIN_WEIGHT, x_upper=MAX_WEIGHT, switch=np.arange(self.n),
        )  # fmt: skip

    def risk_and_return(self, x: list[list[float]]) -> tuple[float, float]:
        """Standard deviation and expected return of weights given as pairs of place and weight."""
        places = [int(place) for place, _ in x]
        weights = np.array([weight for _, weight in x])
        variance = float(weights @ self.covariance[np.ix_(places, places)] @ weights)
        return float(np.sqrt(max(variance, 0.0))), float(weights @ self.returns[places])


def lambdas() -> list[float]:
    """Every lambda of both grids, once."""
    return sorted({float(value) for count in LAMBDAS for value in np.linspace(0.0, 1.0, count)})


@lru_cache(maxsize=8)
def load_set(folder: Path, name: str) -> MarketSet:
    """Read a set from a folder that holds port<name>.txt and portef<name>.txt, or has them in `orlib`.

    Raises
    ------
    ArgumentError
        If the name does not begin with port.
    FileError
        If a file is missing, damaged, or not what OR-Library published under that name.
    """
    if not name.startswith("port") or name == "port":
        raise ArgumentError(f"--sets has {name!r}; choose from {', '.join(SETS)}")
    files = (f"{name}.txt", f"portef{name.removeprefix('port')}.txt")
    place = next((p for p in (folder, folder / "orlib") if (p / files[0]).is_file()), None)
    if place is None or not (place / files[1]).is_file():
        missing = files[0] if place is None else files[1]
        raise FileError(f"there is no {missing} in {folder}; fetch it with: hybridmip data orlib --out {folder}")
    for file in files:
        check_file(place / file)
    data = read_port(place / files[0])
    returns, variances = read_portef(place / files[1])
    if len(data.returns) < ASSETS:
        raise FileError(f"{place / files[0]} has {len(data.returns)} assets; the study holds {ASSETS} of them")
    if returns.size < 2:
        raise FileError(f"{place / files[1]} has one point; a frontier needs two")
    return MarketSet(name, data.returns, data.covariance, returns, variances)
