"""Pyomo's solver `hybridmip`: importing this module registers it.

import hybridmip.pyomo
from pyomo.contrib.solver.common.factory import SolverFactory

results = SolverFactory("hybridmip").solve(model, time_limit=30)
"""

from hybridmip.adapters.pyomo import HybridMIP, HybridMIPConfig

__all__ = ["HybridMIP", "HybridMIPConfig"]
