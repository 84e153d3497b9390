"""SCIP."""

from __future__ import annotations

import importlib
import math
import time
from typing import Any

import numpy as np

from hybridmip.study.solvers.model import TOLERANCE, Outcome, Scaled


def solve_with_scip(model: Scaled, seconds: float, threads: int, gap: float, watch: bool = False) -> Outcome:
    """Solve a model, on one thread: on two, solveConcurrent ends later and with worse values on the frontiers tried.

    SCIP notes itself when its last improvement came.
    """
    pyscipopt: Any = importlib.import_module("pyscipopt")
    n = model.n
    solver = pyscipopt.Model()
    solver.hideOutput()
    solver.setParams({
        "limits/time": seconds, "limits/gap": gap, "limits/absgap": 0.0, "numerics/feastol": TOLERANCE,
        "numerics/dualfeastol": TOLERANCE, "timing/clocktype": 2,
    })  # fmt: skip
    x = [solver.addVar(lb=low, ub=high) for low, high in zip(*model.x_limits(), strict=True)]
    columns = x + [solver.addVar(vtype="B") for _ in range(n)]
    for row in model.rows():
        total = pyscipopt.quicksum(value * columns[j] for j, value in row.coefficients.items())
        if row.lower == row.upper:
            solver.addCons(total == row.lower)
            continue
        if math.isfinite(row.lower):
            solver.addCons(total >= row.lower)
        if math.isfinite(row.upper):
            solver.addCons(total <= row.upper)
    # SCIP's objective is linear: minimise t + q'x + p'b, t >= x'Hx.
    t = solver.addVar(lb=0.0, ub=None)
    pairs = ((i, j) for i in range(n) for j in range(i + 1) if model.H[i, j])
    form = pyscipopt.quicksum((1 if i == j else 2) * float(model.H[i, j]) * x[i] * x[j] for i, j in pairs)
    solver.addCons(form - t <= 0)
    linear = zip(columns, [*model.q, *model.p], strict=True)
    solver.setObjective(t + pyscipopt.quicksum(float(cost) * column for column, cost in linear if cost) + model.offset)
    started = time.perf_counter()
    solver.optimize()
    taken = time.perf_counter() - started
    status = solver.getStatus()
    if solver.getNSols():
        best = solver.getBestSol()
        values = np.array([solver.getSolVal(best, column) for column in columns])
        proven = status in ("optimal", "gaplimit")
        found_at = solver.getSolTime(best)
        return Outcome("optimal" if proven else "feasible", values[:n], values[n:], taken, found_at, solver.getGap())
    return Outcome("infeasible" if status == "infeasible" else "none", None, None, taken)
