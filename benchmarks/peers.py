"""The peers: one mixed-integer solver each, given the same well-scaled model (see `hybridmip.study.solvers`).

Values are computed again from the weights, in the caller's units. A peer's clock runs during its solve only, not while
its model is built.
"""

from __future__ import annotations

import importlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import hybridmip as hm
from benchmarks.common import FEASIBLE
from hybridmip.engines import compiled
from hybridmip.search import descent_kernel, flips_kernel, vertices
from hybridmip.study.solvers import NAMES, PACKAGES, SOLVERS, Refused, Scaled


@dataclass(frozen=True)
class Answer:
    """What a method gave.

    Attributes
    ----------
    status : str
        `optimal` and `infeasible` as the method claims it, `feasible`, `none` (no point), `refused`
        (beyond the licence), `missing` (not installed) or `failed`.
    objective : float
        From the weights, in the caller's units; infinite without a feasible point.
    seconds, found_at : float
        Time of the solve, and when its last improvement came.
    violation : float
        Largest violation of a constraint in the caller's units.
    note : str
        Why there is nothing.
    gap : float
        Relative gap as the method claims it; NaN if it does not say.
    """

    status: str
    objective: float = math.inf
    seconds: float = math.nan
    found_at: float = math.nan
    violation: float = math.nan
    note: str = ""
    gap: float = math.nan

    @property
    def ran(self) -> bool:
        """Whether the method had a go at all."""
        return self.status not in ("refused", "missing", "failed")

    @property
    def raw(self) -> dict[str, Any]:
        """For the result file."""
        return {
            "status": self.status,
            "objective": self.objective,
            "seconds": round(self.seconds, 4),
            "found_at": round(self.found_at, 4),
            "violation": self.violation,
        }


@dataclass(frozen=True)
class Peer:
    """A mixed-integer solver that may be installed."""

    key: str
    remark: str = ""

    @property
    def name(self) -> str:
        """What it is called."""
        return NAMES[self.key]

    @property
    def package(self) -> str:
        """What it is imported from."""
        return PACKAGES[self.key]

    @property
    def missing(self) -> str:
        """Why it cannot be used; empty if it can."""
        try:
            importlib.import_module(self.package)
        except ImportError as error:
            reason = "not installed" if isinstance(error, ModuleNotFoundError) else f"cannot be loaded ({error})"
            return f"{self.name} is {reason}; `pip install {self.package}` mends that"
        return ""

    def solve(self, problem: hm.Problem, seconds: float, threads: int, gap: float) -> Answer:
        """Solve the problem, whatever may come of it."""
        if self.missing:
            return Answer("missing", note=self.missing)
        try:
            found = SOLVERS[self.key](Scaled.of(problem), seconds, threads, gap, True)
        except Refused as refusal:
            return Answer("refused", note=str(refusal))
        except Exception as error:  # noqa: BLE001  (a peer's failure is a result, not the end of the run)
            return Answer("failed", note=f"{self.name} failed: {error}")
        if found.x is None or found.b is None:
            return Answer(found.status, seconds=found.seconds)
        b = np.round(found.b)
        x = np.where(b > 0, found.x, 0.0)
        violation = problem.violation(x, b)
        if violation > FEASIBLE:
            note = f"{self.name} gave an infeasible point"
            return Answer("none", seconds=found.seconds, violation=violation, note=note)
        value = problem.objective(x, b)
        return Answer(found.status, value, found.seconds, found.found_at, violation, gap=found.gap)


PEERS = {
    "cplex": Peer("cplex"),
    "gurobi": Peer("gurobi"),
    "scip": Peer("scip", "SCIP gets one thread: its concurrent solve on two did worse where tried."),
}


def ours(
    problem: Callable[[], hm.Problem],
    seed: int,
    threads: int,
    seconds: float | None = None,
    config: Callable[..., hm.Config] = hm.Config,
    warm_start: Any = None,
) -> tuple[Answer, hm.Result]:
    """HybridMIP on a problem; its clock runs while the problem is built, too."""
    started = time.perf_counter()
    result = hm.solve(problem(), config=config(threads=threads), seed=seed, time_limit=seconds, warm_start=warm_start)
    taken = time.perf_counter() - started
    if result.x is None:
        status = "infeasible" if result.status == hm.Status.INFEASIBLE else "none"
        return Answer(status, seconds=taken), result
    found_at = result.trace[-1].seconds if result.trace else math.nan
    if result.violation > FEASIBLE:
        return Answer("none", seconds=taken, violation=result.violation), result
    status = "optimal" if result.status == hm.Status.OPTIMAL else "feasible"
    value = result.problem.objective(result.x, result.b)
    return Answer(status, value, taken, found_at, result.violation), result


def warm_up(threads: int) -> None:
    """Load (or compile) the kernel before any clock runs."""
    market = hm.market(assets=30, seed=1)
    returns, covariance = market.sample_estimates()
    target = float(returns.mean())
    for form in (market.covariance, covariance):
        portfolio = hm.Portfolio(returns.to_numpy(), form, assets=5, min_weight=0.01, target_return=target)
        hm.solve(portfolio.problem(), config=hm.Config(threads=threads, enumerate_up_to=0), time_limit=2)


def warm_up_files(threads: int) -> None:
    """The same with the kernels that only problem files may need."""
    warm_up(threads)
    compiled.load([*descent_kernel.KERNELS, *vertices.KERNELS, *flips_kernel.KERNELS])
