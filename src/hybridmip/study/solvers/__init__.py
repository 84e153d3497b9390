"""Other mixed-integer solvers, where they are installed: CPLEX, Gurobi and SCIP on the same well-scaled model."""

from __future__ import annotations

from collections.abc import Callable

from hybridmip.study.solvers.cplex import solve_with_cplex
from hybridmip.study.solvers.gurobi import solve_with_gurobi
from hybridmip.study.solvers.model import TOLERANCE, Outcome, Refused, Scaled
from hybridmip.study.solvers.scip import solve_with_scip

__all__ = ["NAMES", "PACKAGES", "SOLVERS", "TOLERANCE", "Outcome", "Refused", "Scaled"]

#: Package and name of every solver that can be asked.
PACKAGES = {"cplex": "cplex", "gurobi": "gurobipy", "scip": "pyscipopt"}
NAMES = {"cplex": "CPLEX", "gurobi": "Gurobi", "scip": "SCIP"}
#: From a model, seconds, threads, the relative gap that counts as proven, and whether to note when the last
#: improvement came, to the outcome.
SOLVERS: dict[str, Callable[[Scaled, float, int, float, bool], Outcome]] = {
    "cplex": solve_with_cplex,
    "gurobi": solve_with_gurobi,
    "scip": solve_with_scip,
}
