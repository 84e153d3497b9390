"""b fixed: the QP or LP in x that everything turns on. One protocol, a dense kernel, a general solver."""

from __future__ import annotations

from hybridmip.model.problem import Problem
from hybridmip.model.structure import is_separable
from hybridmip.restricted.dense import DenseSolver, kernel_applies
from hybridmip.restricted.general import GeneralSolver
from hybridmip.restricted.protocol import Evaluation, RestrictedSolver
from hybridmip.restricted.separable import SeparableSolver


def restricted_solver(problem: Problem, threads: int | None = None) -> RestrictedSolver:
    """The solver that fits the problem: the dense kernel or formulas where they apply, else the general one."""
    if kernel_applies(problem):
        return DenseSolver(problem, threads)
    return SeparableSolver(problem) if is_separable(problem) else GeneralSolver(problem)


__all__ = ["Evaluation", "GeneralSolver", "RestrictedSolver", "restricted_solver"]
