"""HybridMIP as a solver of cvxpy: `problem.solve(solver=hm.cvxpy.HYBRIDMIP, time_limit=5)`."""

from __future__ import annotations

from hybridmip.errors import MissingDependencyError

try:
    import cvxpy as _cvxpy  # noqa: F401  asked for first, so that its absence is told in one line
except ModuleNotFoundError as error:
    if error.name != "cvxpy":
        raise
    raise MissingDependencyError("hybridmip.cvxpy needs the package cvxpy: pip install 'hybridmip[cvxpy]'") from None

from hybridmip.adapters.cvxpy.names import register
from hybridmip.adapters.cvxpy.program import NotServedError
from hybridmip.adapters.cvxpy.solver import HYBRIDMIP, HybridMIP, bound

__all__ = ["HYBRIDMIP", "HybridMIP", "NotServedError", "bound", "register"]
