"""The solver as cvxpy knows solvers: it takes a cone program apart, solves it and gives values, duals and statuses."""

from __future__ import annotations

import math
import sys
import time
from dataclasses import dataclass, field
from typing import Any

import cvxpy.settings as s
import numpy as np
from cvxpy.constraints import SOC
from cvxpy.error import SolverError
from cvxpy.problems.objective import Maximize
from cvxpy.reductions.solution import Solution, failure_solution
from cvxpy.reductions.solvers import utilities
from cvxpy.reductions.solvers.conic_solvers.conic_solver import ConicSolver
from scipy import sparse

from hybridmip.adapters.cvxpy.options import Options
from hybridmip.adapters.cvxpy.program import ConeProgram, NoPointError, NotServedError, Reduced
from hybridmip.errors import ArgumentError, FileError, UnboundedError
from hybridmip.io.convert import to_problem
from hybridmip.io.model import ReadProblem
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import FactorModel, Vector
from hybridmip.model.units import Proof, Units
from hybridmip.restricted.general import GeneralSolver
from hybridmip.run.progress import TextProgress
from hybridmip.run.result import Result, Status, StopReason, relative_gap
from hybridmip.run.solve import solve
from hybridmip.tolerances import OPTIMAL_GAP

NAME = "HYBRIDMIP"
#: Of a time limit, where reading the model has taken most of it.
LEAST_SHARE = 0.1
CITATION = """@misc{hybridmip,
  title = {HybridMIP: mixed-integer programs with binary variables, linear or convex quadratic},
  author = {{The HybridMIP developers}},
}"""


@dataclass(frozen=True, eq=False)
class Answer:
    """What a solve gave, in the terms of cvxpy's cone program (always to be minimised).

    Attributes
    ----------
    status : str
        One of cvxpy's.
    objective, bound : float
        Value of the point and the lower bound, constants included; infinite where there is none.
    values : ndarray or None
        The columns of the program.
    duals : ndarray or None
        Those of all rows, for a problem without integers; where it is infeasible, multipliers that prove it.
    result : Result or None
        Ours, of the problem that was solved; its objective is the square where a norm is minimised.
    """

    status: str
    objective: float = math.inf
    bound: float = -math.inf
    values: Vector | None = field(default=None, repr=False)
    duals: Vector | None = field(default=None, repr=False)
    result: Result | None = field(default=None, repr=False)

    def statistics(self) -> dict[str, Any]:
        """For `problem.solver_stats.extra_stats`."""
        result = self.result
        return {
            "objective": self.objective,
            "bound": self.bound,
            "gap": relative_gap(self.objective, self.bound),
            "certificate": None if result is None else result.certificate,
            "rests_on": None if result is None else result.rests_on,
            "stop_reason": None if result is None else result.stop_reason,
            "result": result,
        }


class HybridMIP(ConicSolver):  # type: ignore[misc]
    """HybridMIP as a cvxpy solver: `problem.solve(solver=HYBRIDMIP, time_limit=5)`.

    Examples
    --------
    >>> import cvxpy as cp
    >>> import hybridmip as hm
    >>> x, b = cp.Variable(3, nonneg=True), cp.Variable(3, boolean=True)
    >>> problem = cp.Problem(cp.Minimize(cp.sum_squares(x)), [cp.sum(x) == 1, x <= b, cp.sum(b) <= 2])
    >>> round(float(problem.solve(solver=hm.cvxpy.HYBRIDMIP)), 6)
    0.5
    >>> problem.status
    'optimal'
    """

    MIP_CAPABLE = True
    BOUNDED_VARIABLES = True
    SUPPORTED_CONSTRAINTS = [*ConicSolver.SUPPORTED_CONSTRAINTS, SOC]  # noqa: RUF012  cvxpy's own kind of attribute
    MI_SUPPORTED_CONSTRAINTS = SUPPORTED_CONSTRAINTS

    def name(self) -> str:
        """The name of the solver."""
        return NAME

    def import_solver(self) -> None:
        """Nothing: it is here."""

    def supports_quad_obj(self) -> bool:
        """Quadratic objectives are taken as they are."""
        return True

    def cite(self, data: object) -> str:
        """BibTeX of the solver."""
        return CITATION

    def apply(self, problem: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The arrays of a cone program, and what `invert` needs."""
        data, inverse = super().apply(problem)
        program = data[s.PARAM_PROB]
        data[s.BOOL_IDX] = [int(index[0]) for index in program.x.boolean_idx]
        data[s.INT_IDX] = [int(index[0]) for index in program.x.integer_idx]
        data[s.LOWER_BOUNDS], data[s.UPPER_BOUNDS] = program.lower_bounds, program.upper_bounds
        data[s.OFFSET] = float(inverse[s.OFFSET])
        data["n_eq"], data["n_ineq"] = program.cone_dims.zero, program.cone_dims.nonneg  # as QP solvers of cvxpy say it
        data["init_value"] = utilities.stack_vals(program.variables, np.nan)
        return data, inverse

    def solve_via_data(
        self,
        data: dict[str, Any],
        warm_start: bool,
        verbose: bool,
        solver_opts: dict[str, Any],
        solver_cache: dict[str, Any] | None = None,
    ) -> Answer:
        """Solve the program.

        Raises
        ------
        NotServedError
            If it has what our model cannot hold.
        ArgumentError
            If an option is none of ours, or out of its range.
        SolverError
            If no feasible point was found.
        """
        began = time.perf_counter()
        options = Options.of(solver_opts)
        arguments = options.arguments()
        program = _program(data)
        try:
            reduced = program.reduced()
        except NoPointError:
            return Answer(s.INFEASIBLE, math.inf, math.inf)
        read = _read(reduced)
        if options.time_limit is not None and options.time_limit > 0:
            # The limit is for all of it; what is left is a little at least, for a point that is easily found.
            spent = time.perf_counter() - began
            arguments["time_limit"] = max(options.time_limit - spent, LEAST_SHARE * options.time_limit)
        if verbose:
            arguments["progress"] = TextProgress(sys.stdout)
        if reduced.root is not None and arguments["gap"] is not None:
            arguments["gap"] *= 2.0 - min(arguments["gap"], 1.0)  # of a square
        if warm_start and program.integer.any():
            arguments["warm_start"] = _start(reduced, read, data["init_value"])
        try:
            result = solve(read.problem, **arguments)
        except UnboundedError:
            return Answer(s.UNBOUNDED, -math.inf)
        return _answer(reduced, read, result, options.gap)

    def invert(self, solution: Answer, inverse_data: Any) -> Solution:
        """The answer for the variables and constraints of the program."""
        attributes: dict[str, Any] = {s.EXTRA_STATS: solution.statistics()}
        if solution.result is not None:
            attributes[s.SOLVE_TIME] = solution.result.seconds
            attributes[s.NUM_ITERS] = solution.result.evaluations
        duals: dict[Any, Any] | None = None
        if solution.duals is not None:
            equations = inverse_data[self.DIMS].zero
            extract = utilities.extract_dual_value
            duals = utilities.get_dual_values(solution.duals[:equations], extract, inverse_data[self.EQ_CONSTR])
            duals |= utilities.get_dual_values(solution.duals[equations:], extract, inverse_data[self.NEQ_CONSTR])
        if solution.values is None:
            failure = failure_solution(solution.status, attributes)
            failure.dual_vars = duals if duals is not None else {}
            return failure
        primal = {inverse_data[self.VAR_ID]: solution.values}
        return Solution(solution.status, solution.objective, primal, duals, attributes)


def bound(problem: Any) -> float:
    """What no point of a solved cvxpy problem can be better than, in the problem's own sense.

    A lower bound of what is minimised, an upper one of what is maximised; infinite where there is none.

    Examples
    --------
    >>> import cvxpy as cp
    >>> import hybridmip as hm
    >>> x, b = cp.Variable(3, nonneg=True), cp.Variable(3, boolean=True)
    >>> problem = cp.Problem(cp.Minimize(cp.sum_squares(x)), [cp.sum(x) == 1, x <= b, cp.sum(b) <= 2])
    >>> _ = problem.solve(solver=hm.cvxpy.HYBRIDMIP)
    >>> round(hm.cvxpy.bound(problem), 4)
    0.5
    """
    statistics = None if problem.solver_stats is None else problem.solver_stats.extra_stats
    if not isinstance(statistics, dict) or "bound" not in statistics:
        raise ArgumentError("problem has no bound yet; solve it with solver=hm.cvxpy.HYBRIDMIP first")
    below = float(statistics["bound"])
    return -below if isinstance(problem.objective, Maximize) else below


def _program(data: dict[str, Any]) -> ConeProgram:
    """The arrays that cvxpy gives, as what they mean."""
    cost, dims, stated = np.asarray(data[s.C], dtype=np.float64), data[ConicSolver.DIMS], data[s.PARAM_PROB]
    count = cost.size
    lower, upper = (
        np.full(count, empty) if data[key] is None else np.array(data[key], dtype=np.float64)
        for key, empty in ((s.LOWER_BOUNDS, -np.inf), (s.UPPER_BOUNDS, np.inf))
    )
    binary = np.array(data[s.BOOL_IDX], dtype=np.intp)
    lower[binary], upper[binary] = np.maximum(lower[binary], 0.0), np.minimum(upper[binary], 1.0)
    integer = np.zeros(count, dtype=bool)
    integer[binary] = integer[np.array(data[s.INT_IDX], dtype=np.intp)] = True
    quadratic = sparse.csr_array(data[s.P] if data.get(s.P) is not None else (count, count), dtype=np.float64)
    quadratic = sparse.csr_array((quadratic + quadratic.T) * 0.5)
    quadratic.eliminate_zeros()
    matrix, right = sparse.csr_array(data[s.A], dtype=np.float64), np.array(data[s.B], dtype=np.float64)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if matrix.shape[0] != right.size:  # cvxpy's b without constraints
        matrix, right = sparse.csr_array((0, count)), np.zeros(0)
    return ConeProgram(
        quadratic, cost, data[s.OFFSET], matrix, right, dims.zero, dims.nonneg, list(dims.soc), lower, upper, integer,
        _column_names(stated, count), _row_names(stated, right.size),
    )  # fmt: skip


def _column_names(stated: Any, count: int) -> list[str]:
    names = [f"v{k}" for k in range(count)]
    for variable in stated.variables:
        first = stated.var_id_to_col[variable.id]
        for k in range(variable.size):
            place = np.unravel_index(k, variable.shape, order="F")
            names[first + k] = f"{variable.name()}[{', '.join(map(str, place))}]" if place else variable.name()
    return names


def _row_names(stated: Any, count: int) -> list[str]:
    names = [f"constraint {constraint.id}[{k}]" for constraint in stated.constraints for k in range(constraint.size)]
    return names if len(names) == count else [f"row {r}" for r in range(count)]


def _read(reduced: Reduced) -> ReadProblem:
    """The Problem, with the way back to the model's columns."""
    try:
        read = to_problem(reduced.model)
    except FileError as error:
        raise NotServedError(str(error)) from None
    if reduced.factors is None:
        return read
    problem, original = read.problem, read.original
    loadings = np.zeros((problem.n, reduced.factors.shape[0]))
    there = original.x_index >= 0
    loadings[original.x_index[there]] = reduced.factors.T[there]
    form = FactorModel(loadings, np.ones(reduced.factors.shape[0]), problem.Q.diagonal())
    return ReadProblem(problem.replace(Q=form), False, read.objective_name, read.source, original)


def _start(reduced: Reduced, read: ReadProblem, values: Vector) -> Vector | None:
    """The b of the values that the variables have; None where those of integers are not all there."""
    if np.isnan(values[reduced.program.integer]).any():
        return None
    start = reduced.start(values)
    whole = reduced.model.integer
    start[whole] = np.clip(np.round(start[whole]), reduced.model.lower[whole], reduced.model.upper[whole])
    return read.point(start)[1].astype(np.float64)


def _answer(reduced: Reduced, read: ReadProblem, result: Result, asked: float | None) -> Answer:
    """A result in cvxpy's terms."""
    below = reduced.value(result.bound)
    if result.status is Status.INFEASIBLE:
        return Answer(s.INFEASIBLE, math.inf, below, duals=_duals(reduced, read.problem), result=result)
    if result.x is None or result.b is None:
        why = "within its time limit; give it more" if result.stop_reason is StopReason.TIME_LIMIT else "and stopped"
        raise SolverError(f"HYBRIDMIP found no feasible point {why} ({result.stop_reason})")
    values = reduced.point(read.original.values(result.x, result.b))
    objective = reduced.value(result.objective)
    # A gap that was asked for and reached is what is called optimal, as by other solvers.
    allowed = OPTIMAL_GAP if asked is None else max(asked, OPTIMAL_GAP)
    close = relative_gap(objective, below) <= allowed
    # The gap of a square says little of a norm with a constant beside it.
    done = close or (result.status is Status.OPTIMAL and reduced.root is None)
    status = s.OPTIMAL if done else s.OPTIMAL_INACCURATE
    duals = _duals(reduced, read.problem, values)
    return Answer(status, objective, below, values, duals, result)


def _duals(reduced: Reduced, problem: Problem, values: Vector | None = None) -> Vector | None:
    """Duals of a continuous problem at its answer, or of one that has none; None where there are integers."""
    if reduced.program.integer.any():
        return None
    units = Units.of(problem)
    solver, nothing = GeneralSolver(units.problem), np.zeros(0, dtype=bool)
    found = solver.clash(nothing) if values is None else solver.evaluate(nothing).row_multipliers
    if found is None:
        return None
    zeros = np.zeros(problem.n)
    rows = units.proof_of(Proof(zeros, zeros, found, np.zeros(problem.B.shape[0]))).rows
    # The rows of the Problem are those of the model, but for such as say nothing.
    place = {name: k for k, name in enumerate(problem.row_names)}
    at = np.array([place.get(name, -1) for name in reduced.model.row_names], dtype=np.intp)
    return reduced.multipliers(np.where(at >= 0, np.append(rows, 0.0)[at], 0.0), values)


#: The solver to give to cvxpy.
HYBRIDMIP = HybridMIP()
