"""Reference solvers, where they are installed: CPLEX, Gurobi and SCIP on the same well-scaled model.

The quadratic form is scaled so that its mean diagonal is 1 and every row so that its largest coefficient is 1;
tolerances are tight and the absolute gap is 0, since variances near 1e-4 would drown in the solvers' defaults. The
objective is computed again from the selected assets: the restricted problem at the solver's b is solved exactly.
"""

from __future__ import annotations

import importlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hybridmip.errors import ArgumentError, MissingDependencyError
from hybridmip.model.problem import Problem
from hybridmip.sweep.store import Record

#: Package and name of every solver that can be asked.
PACKAGES = {"cplex": "cplex", "gurobi": "gurobipy", "scip": "pyscipopt"}
NAMES = {"cplex": "CPLEX", "gurobi": "Gurobi", "scip": "SCIP"}
#: Tolerance for rows, bounds and reduced costs in the scaled model, and the relative gap that counts as proven.
TOLERANCE = 1e-9
PROVEN = 1e-7

Array = NDArray[np.float64]
#: Status (optimal, feasible, infeasible, none) and b.
Outcome = tuple[str, Array | None]


class Refused(Exception):
    """The model is beyond the size the licence allows."""


@dataclass(frozen=True)
class Scaled:
    """Minimise x'Hx over rows of largest coefficient 1; one switch for every x."""

    H: Array
    rows: list[tuple[Array, Array, float, float]]
    lower: Array
    upper: Array

    @classmethod
    def of(cls, problem: Problem) -> Scaled:
        """Scale a portfolio's problem."""
        H, A, B = problem.Q.toarray(), problem.A.toarray(), problem.B.toarray()
        none = np.zeros(problem.n)
        rows = []
        for row, low, high in zip(A, problem.row_lower, problem.row_upper, strict=True):
            size = float(np.abs(row).max()) or 1.0
            rows.append((row / size, none, float(low) / size, float(high) / size))
        for row, low, high in zip(B, problem.b_lower, problem.b_upper, strict=True):
            rows.append((none, row, float(low), float(high)))
        for j in range(problem.n):
            unit = none.copy()
            unit[j] = 1.0
            rows.append((unit, -problem.x_upper[j] * unit, -math.inf, 0.0))
            rows.append((unit, -problem.x_lower[j] * unit, 0.0, math.inf))
        return cls((H + H.T) / 2 / H.diagonal().mean(), rows, problem.x_lower, problem.x_upper)


def check_installed(names: tuple[str, ...]) -> None:
    """Raise if a solver is unknown or cannot be imported.

    Raises
    ------
    ArgumentError, MissingDependencyError
    """
    for name in names:
        if name not in PACKAGES:
            raise ArgumentError(f"--reference has {name!r}; choose from {', '.join(PACKAGES)}")
        try:
            importlib.import_module(PACKAGES[name])
        except ImportError as error:
            reason = "is not installed" if isinstance(error, ModuleNotFoundError) else f"cannot be loaded ({error})"
            raise MissingDependencyError(
                f"--reference {name}: {NAMES[name]} {reason}; pip install {PACKAGES[name]}, or leave it out"
            ) from None


def reference_answer(name: str, problem: Problem, seconds: float) -> Record:
    """The record of a reference solver; `refused` (licence) and `failed` come with a note."""
    solver: dict[str, Callable[[Scaled, float], Outcome]] = {"cplex": _cplex, "gurobi": _gurobi, "scip": _scip}
    nothing: Record = {"objective": None, "bound": None, "b": [], "x": [], "seconds": 0.0, "note": ""}
    began = time.perf_counter()
    try:
        status, b = solver[name](Scaled.of(problem), seconds)
    except Refused as refusal:
        return {**nothing, "status": "refused", "note": str(refusal)}
    except KeyboardInterrupt:
        raise
    except Exception as error:  # noqa: BLE001  (another solver's failure is a result, not the end of the study)
        return {**nothing, "status": "failed", "note": f"{NAMES[name]} failed: {' '.join(str(error).split())}"}
    taken = time.perf_counter() - began
    if b is None:
        return {**nothing, "status": status, "seconds": taken}
    from hybridmip.restricted import restricted_solver

    chosen = np.asarray(b) > 0.5
    exact = restricted_solver(problem, 1)
    try:
        found = exact.evaluate(chosen)
    finally:
        exact.close()
    if not found.feasible or found.x is None:
        return {**nothing, "status": "none", "seconds": taken, "note": f"{NAMES[name]} chose an infeasible b"}
    objective = problem.objective(found.x, chosen)
    return {
        "status": status, "objective": objective, "bound": objective * (1 - PROVEN) if status == "optimal" else None,
        "b": np.flatnonzero(chosen).tolist(), "x": [[int(j), float(found.x[j])] for j in np.flatnonzero(found.x)],
        "seconds": taken, "note": "",
    }  # fmt: skip


def _cplex(model: Scaled, seconds: float) -> Outcome:
    cplex: Any = importlib.import_module("cplex")
    n = len(model.lower)
    with cplex.Cplex() as solver:
        for stream in (
            solver.set_results_stream, solver.set_log_stream, solver.set_warning_stream, solver.set_error_stream,
        ):  # fmt: skip
            stream(None)
        p = solver.parameters
        p.threads.set(1)
        p.timelimit.set(seconds)
        p.mip.tolerances.absmipgap.set(0.0)
        p.mip.tolerances.mipgap.set(PROVEN)
        p.mip.tolerances.integrality.set(0.0)
        p.simplex.tolerances.feasibility.set(TOLERANCE)
        p.simplex.tolerances.optimality.set(TOLERANCE)
        p.barrier.convergetol.set(1e-12)
        solver.variables.add(
            lb=np.minimum(model.lower, 0.0).tolist() + [0.0] * n,
            ub=np.maximum(model.upper, 0.0).tolist() + [1.0] * n,
            types=["C"] * n + ["B"] * n,
        )
        for x_row, b_row, low, high in model.rows:
            row = np.concatenate([x_row, b_row])
            places = np.flatnonzero(row)
            pair = cplex.SparsePair(places.tolist(), row[places].tolist())
            if low == high:
                solver.linear_constraints.add([pair], "E", [low])
            else:
                if math.isfinite(high):
                    solver.linear_constraints.add([pair], "L", [high])
                if math.isfinite(low):
                    solver.linear_constraints.add([pair], "G", [low])
        everything = list(range(n))
        quadratic = [cplex.SparsePair(everything, (2 * model.H[j]).tolist()) for j in range(n)]
        solver.objective.set_quadratic(quadratic + [cplex.SparsePair([], [])] * n)
        try:
            solver.solve()
        except cplex.exceptions.CplexSolverError as error:
            if len(error.args) > 2 and error.args[2] == cplex.exceptions.error_codes.CPXERR_RESTRICTED_VERSION:
                raise Refused("CPLEX's community edition takes at most 1000 variables and 1000 rows") from None
            raise
        solution = solver.solution
        if solution.is_primal_feasible():
            status = solution.status
            proven = solution.get_status() in (status.MIP_optimal, status.optimal_tolerance)
            return "optimal" if proven else "feasible", np.array(solution.get_values())[n:]
        words = solution.get_status_string()
        return "infeasible" if "infeasible" in words and "time" not in words else "none", None


def _gurobi(model: Scaled, seconds: float) -> Outcome:
    gp: Any = importlib.import_module("gurobipy")
    n = len(model.lower)
    with gp.Env(params={"OutputFlag": 0}) as env, gp.Model(env=env) as solver:
        for name, value in {
            "Threads": 1, "TimeLimit": seconds, "MIPGap": PROVEN, "MIPGapAbs": 0.0, "IntFeasTol": TOLERANCE,
            "FeasibilityTol": TOLERANCE, "OptimalityTol": TOLERANCE, "BarConvTol": 1e-12,
        }.items():  # fmt: skip
            solver.setParam(name, value)
        x = solver.addMVar(n, lb=np.minimum(model.lower, 0.0), ub=np.maximum(model.upper, 0.0))
        b = solver.addMVar(n, vtype=gp.GRB.BINARY)
        for x_row, b_row, low, high in model.rows:
            if low == high:
                solver.addConstr(x_row @ x + b_row @ b == low)
            else:
                if math.isfinite(high):
                    solver.addConstr(x_row @ x + b_row @ b <= high)
                if math.isfinite(low):
                    solver.addConstr(x_row @ x + b_row @ b >= low)
        solver.setObjective(x @ model.H @ x)
        try:
            solver.optimize()
        except gp.GurobiError as error:
            if error.errno == gp.GRB.Error.SIZE_LIMIT_EXCEEDED:
                raise Refused("Gurobi's pip licence takes at most 200 variables with a quadratic objective") from None
            raise
        if solver.SolCount:
            return "optimal" if solver.Status == gp.GRB.OPTIMAL else "feasible", np.asarray(b.X)
        return "infeasible" if solver.Status in (gp.GRB.INFEASIBLE, gp.GRB.INF_OR_UNBD) else "none", None


def _scip(model: Scaled, seconds: float) -> Outcome:
    pyscipopt: Any = importlib.import_module("pyscipopt")
    n = len(model.lower)
    solver = pyscipopt.Model()
    solver.hideOutput()
    solver.setParams({
        "limits/time": seconds, "limits/gap": PROVEN, "limits/absgap": 0.0, "numerics/feastol": TOLERANCE,
        "numerics/dualfeastol": TOLERANCE, "timing/clocktype": 2,
    })  # fmt: skip
    x = [
        solver.addVar(lb=min(float(low), 0.0), ub=max(float(high), 0.0))
        for low, high in zip(model.lower, model.upper, strict=True)
    ]
    columns = x + [solver.addVar(vtype="B") for _ in range(n)]
    for x_row, b_row, low, high in model.rows:
        row = np.concatenate([x_row, b_row])
        total = pyscipopt.quicksum(float(row[j]) * columns[j] for j in np.flatnonzero(row))
        if low == high:
            solver.addCons(total == low)
        else:
            if math.isfinite(high):
                solver.addCons(total <= high)
            if math.isfinite(low):
                solver.addCons(total >= low)
    # SCIP's objective is linear: minimise t, t >= x'Hx.
    t = solver.addVar(lb=0.0, ub=None)
    pairs = ((i, j) for i in range(n) for j in range(i + 1) if model.H[i, j])
    form = pyscipopt.quicksum((1 if i == j else 2) * float(model.H[i, j]) * x[i] * x[j] for i, j in pairs)
    solver.addCons(form - t <= 0)
    solver.setObjective(t)
    solver.optimize()
    status = solver.getStatus()
    if solver.getNSols():
        best = solver.getBestSol()
        b = np.array([solver.getSolVal(best, column) for column in columns[n:]])
        return "optimal" if status in ("optimal", "gaplimit") else "feasible", b
    return "infeasible" if status == "infeasible" else "none", None
