"""CPLEX."""

from __future__ import annotations

import importlib
import math
import time
from typing import Any

import numpy as np

from hybridmip.study.solvers.model import TOLERANCE, Outcome, Refused, Scaled

#: Objectives this close are the same.
EQUAL = 1e-6


def solve_with_cplex(model: Scaled, seconds: float, threads: int, gap: float, watch: bool = False) -> Outcome:
    """Solve a model.

    Raises
    ------
    Refused
        If the licence does not allow its size.
    """
    cplex: Any = importlib.import_module("cplex")
    n = model.n
    improved: list[tuple[float, float]] = []
    with cplex.Cplex() as solver:
        for stream in (
            solver.set_results_stream, solver.set_log_stream, solver.set_warning_stream, solver.set_error_stream,
        ):  # fmt: skip
            stream(None)
        p = solver.parameters
        p.threads.set(threads)
        p.timelimit.set(seconds)
        p.mip.tolerances.absmipgap.set(0.0)
        p.mip.tolerances.mipgap.set(gap)
        p.mip.tolerances.integrality.set(0.0)
        p.simplex.tolerances.feasibility.set(TOLERANCE)
        p.simplex.tolerances.optimality.set(TOLERANCE)
        p.barrier.convergetol.set(1e-12)
        lower, upper = model.x_limits()
        solver.variables.add(lb=lower + [0.0] * n, ub=upper + [1.0] * n, types=["C"] * n + ["B"] * n)
        # CPLEX has one-sided rows, equations and ranges.
        for row in model.rows():
            pair = cplex.SparsePair(list(row.coefficients), list(row.coefficients.values()))
            if row.lower == row.upper:
                solver.linear_constraints.add([pair], "E", [row.lower])
            elif math.isinf(row.lower):
                solver.linear_constraints.add([pair], "L", [row.upper])
            elif math.isinf(row.upper):
                solver.linear_constraints.add([pair], "G", [row.lower])
            else:
                solver.linear_constraints.add([pair], "R", [row.lower], [row.upper - row.lower])
        everything = list(range(n))
        quadratic = [cplex.SparsePair(everything, (2 * model.H[j]).tolist()) for j in range(n)]
        solver.objective.set_quadratic(quadratic + [cplex.SparsePair([], [])] * n)
        solver.objective.set_linear([(j, float(cost)) for j, cost in enumerate([*model.q, *model.p]) if cost])
        solver.objective.set_offset(model.offset)
        if watch:
            solver.register_callback(_watch(improved))
        started = time.perf_counter()
        try:
            solver.solve()
        except cplex.exceptions.CplexSolverError as error:
            if len(error.args) > 2 and error.args[2] == cplex.exceptions.error_codes.CPXERR_RESTRICTED_VERSION:
                raise Refused("CPLEX's community edition takes at most 1000 variables and 1000 rows") from None
            raise
        taken = time.perf_counter() - started
        solution = solver.solution
        if not solution.is_primal_feasible():
            words = solution.get_status_string()
            infeasible = "infeasible" in words and "time" not in words
            return Outcome("infeasible" if infeasible else "none", None, None, taken)
        values = np.array(solution.get_values())
        proven = solution.get_status() in (solution.status.MIP_optimal, solution.status.optimal_tolerance)
        # The callback is not called after the last node: without a later call, the end is all we know.
        found = improved[-1][1] - started if improved else taken
        if improved and solution.get_objective_value() < improved[-1][0] * (1 - EQUAL):
            found = taken
        found_at = min(found, taken) if watch else math.nan
        claimed = solution.MIP.get_mip_relative_gap()
        return Outcome("optimal" if proven else "feasible", values[:n], values[n:], taken, found_at, claimed)


def _watch(improved: list[tuple[float, float]]) -> Any:
    """A callback that notes values and times of improvements."""
    callbacks: Any = importlib.import_module("cplex.callbacks")

    class Watch(callbacks.MIPInfoCallback):  # type: ignore[misc]
        def __call__(self) -> None:
            if self.has_incumbent():
                value = self.get_incumbent_objective_value()
                if not improved or value < improved[-1][0]:
                    improved.append((value, time.perf_counter()))

    return Watch
