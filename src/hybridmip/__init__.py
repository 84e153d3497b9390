"""HybridMIP: mixed-integer programs with binary variables, linear or convex quadratic.

    import hybridmip as hm

    portfolio = hm.Portfolio(returns, covariance, assets=10, min_weight=0.01, target_return=0.005)
    result = hm.solve(portfolio.problem(), time_limit=5)
    result.status, result.objective, result.bound, result.gap

The names below are imported when they are first used, so that `import hybridmip` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hybridmip.adapters import cvxpy as cvxpy
    from hybridmip.applications.facility import FacilityLocation, FacilityResult
    from hybridmip.applications.market import Market, market
    from hybridmip.applications.network import FixedChargeNetwork, NetworkResult, example_network
    from hybridmip.applications.portfolio import Benchmark, Group, Portfolio
    from hybridmip.bounds.certificate import Certificate, Verification
    from hybridmip.bounds.proof_tree import ProofTree
    from hybridmip.errors import (
        ArgumentError,
        EngineError,
        FileError,
        HybridMIPError,
        MissingDependencyError,
        ProblemError,
        ScaleWarning,
        UnboundedError,
    )
    from hybridmip.io.model import ReadProblem
    from hybridmip.io.problems import read_model, read_problem, write_problem
    from hybridmip.io.readers import READERS, Reader
    from hybridmip.io.tables import read_portfolio_data
    from hybridmip.model.problem import Problem
    from hybridmip.model.quadratic import FactorModel
    from hybridmip.relax.protocol import Relaxation
    from hybridmip.relax.registry import RELAXATIONS
    from hybridmip.report.network_figure import network_figure
    from hybridmip.run.config import Config
    from hybridmip.run.phase import Phase
    from hybridmip.run.result import Result, Status, StopReason
    from hybridmip.run.settings import (
        AugmSettings,
        DescentSettings,
        FitSettings,
        GeneticSettings,
        PoolSettings,
        TreeSettings,
        WalkSettings,
    )
    from hybridmip.run.solve import solve
    from hybridmip.sweep import Frontier, frontier
    from hybridmip.sweep.accounts import Rebalanced, rebalance

__version__ = "0.1.0"

__all__ = [
    "READERS",
    "RELAXATIONS",
    "ArgumentError",
    "AugmSettings",
    "Benchmark",
    "Certificate",
    "Config",
    "DescentSettings",
    "EngineError",
    "FacilityLocation",
    "FacilityResult",
    "FactorModel",
    "FileError",
    "FitSettings",
    "FixedChargeNetwork",
    "Frontier",
    "GeneticSettings",
    "Group",
    "HybridMIPError",
    "Market",
    "MissingDependencyError",
    "NetworkResult",
    "Phase",
    "PoolSettings",
    "Portfolio",
    "Problem",
    "ProblemError",
    "ProofTree",
    "ReadProblem",
    "Reader",
    "Rebalanced",
    "Relaxation",
    "Result",
    "ScaleWarning",
    "Status",
    "StopReason",
    "TreeSettings",
    "UnboundedError",
    "Verification",
    "WalkSettings",
    "__version__",
    "example_network",
    "frontier",
    "market",
    "network_figure",
    "read_model",
    "read_portfolio_data",
    "read_problem",
    "rebalance",
    "solve",
    "write_problem",
]

#: The module that each name is imported from when it is first used.
_HOME = {
    "EngineError": "errors",
    "Phase": "run.phase",
    "Rebalanced": "sweep.accounts",
    "rebalance": "sweep.accounts",
    "RELAXATIONS": "relax.registry",
    "Relaxation": "relax.protocol",
    "ScaleWarning": "errors",
    "READERS": "io.readers",
    "ReadProblem": "io.model",
    "Reader": "io.readers",
    "read_model": "io.problems",
    "ArgumentError": "errors",
    "AugmSettings": "run.settings",
    "Certificate": "bounds.certificate",
    "ProofTree": "bounds.proof_tree",
    "Config": "run.config",
    "DescentSettings": "run.settings",
    "FacilityLocation": "applications.facility",
    "FacilityResult": "applications.facility",
    "FactorModel": "model.quadratic",
    "FileError": "errors",
    "FitSettings": "run.settings",
    "TreeSettings": "run.settings",
    "FixedChargeNetwork": "applications.network",
    "Frontier": "sweep",
    "GeneticSettings": "run.settings",
    "Benchmark": "applications.portfolio",
    "Group": "applications.portfolio",
    "HybridMIPError": "errors",
    "Market": "applications.market",
    "MissingDependencyError": "errors",
    "NetworkResult": "applications.network",
    "PoolSettings": "run.settings",
    "Portfolio": "applications.portfolio",
    "Problem": "model.problem",
    "ProblemError": "errors",
    "Result": "run.result",
    "Status": "run.result",
    "StopReason": "run.result",
    "UnboundedError": "errors",
    "Verification": "bounds.certificate",
    "WalkSettings": "run.settings",
    "example_network": "applications.network",
    "frontier": "sweep",
    "market": "applications.market",
    "network_figure": "report.network_figure",
    "read_portfolio_data": "io.tables",
    "read_problem": "io.problems",
    "solve": "run.solve",
    "write_problem": "io.problems",
}


#: Modules that are imported when they are first used, as they need an optional package.
_MODULES = {"cvxpy": "adapters.cvxpy"}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{_MODULES[name]}")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
