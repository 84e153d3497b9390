"""Reference solvers, where they are installed: CPLEX, Gurobi and SCIP.

The objective is computed again from the selected assets: the restricted problem at the solver's b is solved exactly.
"""

from __future__ import annotations

import importlib
import time

import numpy as np

from hybridmip.errors import ArgumentError, MissingDependencyError
from hybridmip.model.problem import Problem
from hybridmip.restricted import restricted_solver
from hybridmip.study.solvers import NAMES, PACKAGES, SOLVERS, Refused, Scaled
from hybridmip.sweep.store import Record

#: The relative gap that counts as proven.
PROVEN = 1e-7


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
    nothing: Record = {"objective": None, "bound": None, "b": [], "x": [], "seconds": 0.0, "note": ""}
    began = time.perf_counter()
    try:
        outcome = SOLVERS[name](Scaled.of(problem), seconds, 1, PROVEN, False)
    except Refused as refusal:
        return {**nothing, "status": "refused", "note": str(refusal)}
    except KeyboardInterrupt:
        raise
    except Exception as error:  # noqa: BLE001  (another solver's failure is a result, not the end of the study)
        return {**nothing, "status": "failed", "note": f"{NAMES[name]} failed: {' '.join(str(error).split())}"}
    taken = time.perf_counter() - began
    status = outcome.status
    if outcome.b is None:
        return {**nothing, "status": status, "seconds": taken}
    chosen = np.asarray(outcome.b) > 0.5
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
