"""Gurobi."""

from __future__ import annotations

import importlib
import math
import time
from typing import Any

import numpy as np

from hybridmip.study.solvers.model import TOLERANCE, Outcome, Refused, Scaled


def solve_with_gurobi(model: Scaled, seconds: float, threads: int, gap: float, watch: bool = False) -> Outcome:
    """Solve a model.

    Raises
    ------
    Refused
        If the licence does not allow its size.
    """
    gp: Any = importlib.import_module("gurobipy")
    n = model.n
    found = [math.nan]

    def note(inner: Any, where: int) -> None:
        if where == gp.GRB.Callback.MIPSOL:
            found[0] = inner.cbGet(gp.GRB.Callback.RUNTIME)

    with gp.Env(params={"OutputFlag": 0}) as env, gp.Model(env=env) as solver:
        for name, value in {
            "Threads": threads, "TimeLimit": seconds, "MIPGap": gap, "MIPGapAbs": 0.0, "IntFeasTol": TOLERANCE,
            "FeasibilityTol": TOLERANCE, "OptimalityTol": TOLERANCE, "BarConvTol": 1e-12,
        }.items():  # fmt: skip
            solver.setParam(name, value)
        lower, upper = model.x_limits()
        x = solver.addMVar(n, lb=lower, ub=upper)
        b = solver.addMVar(n, vtype=gp.GRB.BINARY)
        for row in model.rows():
            coefficients = np.zeros(2 * n)
            coefficients[list(row.coefficients)] = list(row.coefficients.values())
            total = coefficients[:n] @ x + coefficients[n:] @ b
            if row.lower == row.upper:
                solver.addConstr(total == row.lower)
                continue
            if math.isfinite(row.lower):
                solver.addConstr(total >= row.lower)
            if math.isfinite(row.upper):
                solver.addConstr(total <= row.upper)
        solver.setObjective(x @ model.H @ x + model.q @ x + model.p @ b + model.offset)
        solver.update()
        started = time.perf_counter()
        try:
            solver.optimize(note) if watch else solver.optimize()
        except gp.GurobiError as error:
            if error.errno == gp.GRB.Error.SIZE_LIMIT_EXCEEDED:
                raise Refused("Gurobi's pip licence takes at most 200 variables with a quadratic objective") from None
            raise
        taken = time.perf_counter() - started
        if solver.SolCount:
            proven = solver.Status == gp.GRB.OPTIMAL
            point = np.asarray(x.X), np.asarray(b.X)
            return Outcome("optimal" if proven else "feasible", *point, taken, found[0], float(solver.MIPGap))
        infeasible = solver.Status in (gp.GRB.INFEASIBLE, gp.GRB.INF_OR_UNBD)
        return Outcome("infeasible" if infeasible else "none", None, None, taken)
