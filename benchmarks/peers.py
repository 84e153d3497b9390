"""The peers: one mixed-integer solver each, given the same well-scaled model.

The quadratic form is scaled so that its mean diagonal is 1 and every row so that its largest coefficient
is 1; tolerances are tight, the absolute gap is 0. Values are computed again from the weights, in the
caller's units. A peer's clock runs during its solve only, not while its model is built.
"""

from __future__ import annotations

import importlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import hybridmip as hm
from benchmarks.common import EQUAL, FEASIBLE

#: Tolerance for rows, bounds and reduced costs, in the scaled model.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Answer:
    """What a method gave.

    Attributes
    ----------
    status : str
        `optimal` and `infeasible` as the method claims it, `feasible`, `none` (no point), `refused`
        (beyond the licence), `missing` (not installed) or `failed`.
    objective : float
        From the weights, in the caller's units; infinite without a feasible point.
    seconds, found_at : float
        Time of the solve, and when its last improvement came.
    violation : float
        Largest violation of a constraint in the caller's units.
    note : str
        Why there is nothing.
    gap : float
        Relative gap as the method claims it; NaN if it does not say.
    """

    status: str
    objective: float = math.inf
    seconds: float = math.nan
    found_at: float = math.nan
    violation: float = math.nan
    note: str = ""
    gap: float = math.nan

    @property
    def ran(self) -> bool:
        """Whether the method had a go at all."""
        return self.status not in ("refused", "missing", "failed")

    @property
    def raw(self) -> dict[str, Any]:
        """For the result file."""
        return {
            "status": self.status,
            "objective": self.objective,
            "seconds": round(self.seconds, 4),
            "found_at": round(self.found_at, 4),
            "violation": self.violation,
        }


@dataclass(frozen=True)
class Scaled:
    """The model a peer gets: minimise x'Hx with rows of largest coefficient 1."""

    H: np.ndarray
    A: np.ndarray
    row_lower: np.ndarray
    row_upper: np.ndarray
    B: np.ndarray
    b_lower: np.ndarray
    b_upper: np.ndarray
    x_lower: np.ndarray
    x_upper: np.ndarray
    n: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", self.H.shape[0])

    @classmethod
    def of(cls, problem: hm.Problem) -> Scaled:
        """Scale a problem whose x_j is switched by b_j and whose only cost is x'Qx."""
        plain = not problem.q.any() and not problem.p.any() and not problem.G.nnz and problem.offset == 0
        if not plain or not np.array_equal(problem.switch, np.arange(problem.n)) or problem.m != problem.n:
            raise ValueError("peers take a pure x'Qx with one switch for every x")
        H = problem.Q.toarray()
        H = (H + H.T) / 2  # a factor model multiplied out is symmetric only up to rounding
        A = problem.A.toarray()
        size = np.abs(A).max(axis=1)
        size[size == 0] = 1.0
        return cls(
            H / H.diagonal().mean(), A / size[:, None], problem.row_lower / size, problem.row_upper / size,
            problem.B.toarray(), problem.b_lower, problem.b_upper, problem.x_lower, problem.x_upper,
        )  # fmt: skip


#: Status, x, b, seconds, time of the last improvement.
#: Status, x, b, seconds, time of the last improvement; and the gap the peer claims, if it says.
Outcome = tuple[Any, ...]
Solver = Callable[[Scaled, float, int, float], Outcome]


class Refused(Exception):
    """The model is beyond the size the licence allows."""


def _rows(model: Scaled) -> list[tuple[dict[int, float], float, float]]:
    """All rows as (coefficients, lower, upper); b_j is column n + j."""
    n = model.n
    rows = []
    for matrix, low, high, first in (
        (model.A, model.row_lower, model.row_upper, 0),
        (model.B, model.b_lower, model.b_upper, n),
    ):
        for i in range(matrix.shape[0]):
            columns = np.flatnonzero(matrix[i])
            rows.append(({first + int(j): float(matrix[i, j]) for j in columns}, float(low[i]), float(high[i])))
    for j in range(n):
        rows.append(({j: 1.0, n + j: -float(model.x_upper[j])}, -math.inf, 0.0))
        rows.append(({j: 1.0, n + j: -float(model.x_lower[j])}, 0.0, math.inf))
    return rows


def _cplex(model: Scaled, seconds: float, threads: int, gap: float) -> Outcome:
    import cplex
    from cplex.callbacks import MIPInfoCallback

    n = model.n
    improved: list[tuple[float, float]] = []

    class Watch(MIPInfoCallback):
        def __call__(self) -> None:
            if self.has_incumbent():
                value = self.get_incumbent_objective_value()
                if not improved or value < improved[-1][0]:
                    improved.append((value, time.perf_counter()))

    with cplex.Cplex() as solver:
        for stream in (solver.set_results_stream, solver.set_log_stream, solver.set_warning_stream):
            stream(None)
        solver.set_error_stream(None)
        p = solver.parameters
        p.threads.set(threads)
        p.timelimit.set(seconds)
        p.mip.tolerances.absmipgap.set(0.0)
        p.mip.tolerances.mipgap.set(gap)
        p.mip.tolerances.integrality.set(0.0)
        p.simplex.tolerances.feasibility.set(TOLERANCE)
        p.simplex.tolerances.optimality.set(TOLERANCE)
        p.barrier.convergetol.set(1e-12)
        solver.variables.add(
            lb=[min(float(l), 0.0) for l in model.x_lower] + [0.0] * n,
            ub=[max(float(u), 0.0) for u in model.x_upper] + [1.0] * n,
            types=["C"] * n + ["B"] * n,
        )
        # CPLEX has one-sided rows, equations and ranges.
        for coefficients, low, high in _rows(model):
            pair = cplex.SparsePair(list(coefficients), list(coefficients.values()))
            if low == high:
                solver.linear_constraints.add([pair], "E", [low])
            elif math.isinf(low):
                solver.linear_constraints.add([pair], "L", [high])
            elif math.isinf(high):
                solver.linear_constraints.add([pair], "G", [low])
            else:
                solver.linear_constraints.add([pair], "R", [low], [high - low])
        everything = list(range(n))
        quadratic = [cplex.SparsePair(everything, (2 * model.H[j]).tolist()) for j in range(n)]
        solver.objective.set_quadratic(quadratic + [cplex.SparsePair([], [])] * n)
        solver.register_callback(Watch)
        started = time.perf_counter()
        try:
            solver.solve()
        except cplex.exceptions.CplexSolverError as error:
            if len(error.args) > 2 and error.args[2] == cplex.exceptions.error_codes.CPXERR_RESTRICTED_VERSION:
                raise Refused("CPLEX's community edition takes at most 1000 variables and 1000 rows") from None
            raise
        taken = time.perf_counter() - started
        # The callback is not called after the last node: without a later call, the end is all we know.
        found = improved[-1][1] - started if improved else taken
        solution = solver.solution
        if solution.is_primal_feasible():
            values = np.array(solution.get_values())
            status = solution.status
            proven = solution.get_status() in (status.MIP_optimal, status.optimal_tolerance)
            if improved and solution.get_objective_value() < improved[-1][0] * (1 - EQUAL):
                found = taken
            claimed = solution.MIP.get_mip_relative_gap()
            return "optimal" if proven else "feasible", values[:n], values[n:], taken, min(found, taken), claimed
        infeasible = "infeasible" in solution.get_status_string() and "time" not in solution.get_status_string()
        return "infeasible" if infeasible else "none", None, None, taken, math.nan


def _gurobi(model: Scaled, seconds: float, threads: int, gap: float) -> Outcome:
    import gurobipy as gp

    n = model.n
    found = [math.nan]

    def watch(inner: Any, where: int) -> None:
        if where == gp.GRB.Callback.MIPSOL:
            found[0] = inner.cbGet(gp.GRB.Callback.RUNTIME)

    with gp.Env(params={"OutputFlag": 0}) as env, gp.Model(env=env) as solver:
        for name, value in {
            "Threads": threads, "TimeLimit": seconds, "MIPGap": gap, "MIPGapAbs": 0.0, "IntFeasTol": TOLERANCE,
            "FeasibilityTol": TOLERANCE, "OptimalityTol": TOLERANCE, "BarConvTol": 1e-12,
        }.items():  # fmt: skip
            solver.setParam(name, value)
        x = solver.addMVar(n, lb=np.minimum(model.x_lower, 0.0), ub=np.maximum(model.x_upper, 0.0))
        b = solver.addMVar(n, vtype=gp.GRB.BINARY)
        for matrix, low, high, variables in (
            (model.A, model.row_lower, model.row_upper, x),
            (model.B, model.b_lower, model.b_upper, b),
        ):
            for i in range(matrix.shape[0]):
                if low[i] == high[i]:
                    solver.addConstr(matrix[i] @ variables == low[i])
                    continue
                if math.isfinite(low[i]):
                    solver.addConstr(matrix[i] @ variables >= low[i])
                if math.isfinite(high[i]):
                    solver.addConstr(matrix[i] @ variables <= high[i])
        solver.addConstr(x <= model.x_upper * b)
        solver.addConstr(x >= model.x_lower * b)
        solver.setObjective(x @ model.H @ x)
        solver.update()
        started = time.perf_counter()
        try:
            solver.optimize(watch)
        except gp.GurobiError as error:
            if error.errno == gp.GRB.Error.SIZE_LIMIT_EXCEEDED:
                raise Refused("Gurobi's pip licence takes at most 200 variables with a quadratic objective") from None
            raise
        taken = time.perf_counter() - started
        if solver.SolCount:
            proven = solver.Status == gp.GRB.OPTIMAL
            return "optimal" if proven else "feasible", x.X, b.X, taken, found[0]
        infeasible = solver.Status in (gp.GRB.INFEASIBLE, gp.GRB.INF_OR_UNBD)
        return "infeasible" if infeasible else "none", None, None, taken, math.nan


def _scip(model: Scaled, seconds: float, threads: int, gap: float) -> Outcome:
    import pyscipopt

    n = model.n
    solver = pyscipopt.Model()
    solver.hideOutput()
    solver.setParams({
        "limits/time": seconds, "limits/gap": gap, "limits/absgap": 0.0, "numerics/feastol": TOLERANCE,
        "numerics/dualfeastol": TOLERANCE, "timing/clocktype": 2,
    })  # fmt: skip
    limits = zip(model.x_lower, model.x_upper, strict=True)
    x = [solver.addVar(lb=min(float(low), 0.0), ub=max(float(high), 0.0)) for low, high in limits]
    columns = x + [solver.addVar(vtype="B") for _ in range(n)]
    for coefficients, low, high in _rows(model):
        row = pyscipopt.quicksum(value * columns[j] for j, value in coefficients.items())
        if low == high:
            solver.addCons(row == low)
            continue
        if math.isfinite(low):
            solver.addCons(row >= low)
        if math.isfinite(high):
            solver.addCons(row <= high)
    # SCIP's objective is linear: minimise t, t >= x'Hx.
    t = solver.addVar(lb=0.0, ub=None)
    pairs = ((i, j) for i in range(n) for j in range(i + 1) if model.H[i, j])
    form = pyscipopt.quicksum((1 if i == j else 2) * float(model.H[i, j]) * x[i] * x[j] for i, j in pairs)
    solver.addCons(form - t <= 0)
    solver.setObjective(t)
    started = time.perf_counter()
    # One thread: on two, SCIP's solveConcurrent ends later and with worse values on the frontiers tried.
    solver.optimize()
    taken = time.perf_counter() - started
    status = solver.getStatus()
    if solver.getNSols():
        best = solver.getBestSol()
        values = np.array([solver.getSolVal(best, column) for column in columns])
        proven = status in ("optimal", "gaplimit")
        return "optimal" if proven else "feasible", values[:n], values[n:], taken, solver.getSolTime(best)
    return "infeasible" if status == "infeasible" else "none", None, None, taken, math.nan


@dataclass(frozen=True)
class Peer:
    """A mixed-integer solver that may be installed."""

    name: str
    package: str
    solver: Solver
    remark: str = ""

    @property
    def missing(self) -> str:
        """Why it cannot be used; empty if it can."""
        try:
            importlib.import_module(self.package)
        except ImportError as error:
            reason = "not installed" if isinstance(error, ModuleNotFoundError) else f"cannot be loaded ({error})"
            return f"{self.name} is {reason}; `pip install {self.package}` mends that"
        return ""

    def solve(self, problem: hm.Problem, seconds: float, threads: int, gap: float) -> Answer:
        """Solve the problem, whatever may come of it."""
        if self.missing:
            return Answer("missing", note=self.missing)
        try:
            status, x, b, taken, found_at, *claimed = self.solver(Scaled.of(problem), seconds, threads, gap)
        except Refused as refusal:
            return Answer("refused", note=str(refusal))
        except Exception as error:  # noqa: BLE001  (a peer's failure is a result, not the end of the run)
            return Answer("failed", note=f"{self.name} failed: {error}")
        if x is None:
            return Answer(status, seconds=taken)
        b = np.round(b)
        x = np.where(b > 0, x, 0.0)
        violation = problem.violation(x, b)
        if violation > FEASIBLE:
            return Answer("none", seconds=taken, violation=violation, note=f"{self.name} gave an infeasible point")
        claim = claimed[0] if claimed else math.nan
        return Answer(status, problem.objective(x, b), taken, found_at, violation, gap=claim)


PEERS = {
    "cplex": Peer("CPLEX", "cplex", _cplex),
    "gurobi": Peer("Gurobi", "gurobipy", _gurobi),
    "scip": Peer(
        "SCIP", "pyscipopt", _scip, "SCIP gets one thread: its concurrent solve on two did worse where tried."
    ),
}


def ours(
    problem: Callable[[], hm.Problem],
    seed: int,
    threads: int,
    seconds: float | None = None,
    config: Callable[..., hm.Config] = hm.Config,
    warm_start: Any = None,
) -> tuple[Answer, hm.Result]:
    """HybridMIP on a problem; its clock runs while the problem is built, too."""
    started = time.perf_counter()
    result = hm.solve(problem(), config=config(threads=threads), seed=seed, time_limit=seconds, warm_start=warm_start)
    taken = time.perf_counter() - started
    if result.x is None:
        status = "infeasible" if result.status == hm.Status.INFEASIBLE else "none"
        return Answer(status, seconds=taken), result
    found_at = result.trace[-1].seconds if result.trace else math.nan
    if result.violation > FEASIBLE:
        return Answer("none", seconds=taken, violation=result.violation), result
    status = "optimal" if result.status == hm.Status.OPTIMAL else "feasible"
    value = result.problem.objective(result.x, result.b)
    return Answer(status, value, taken, found_at, result.violation), result


def warm_up(threads: int) -> None:
    """Load (or compile) the kernel before any clock runs."""
    market = hm.market(assets=30, seed=1)
    returns, covariance = market.sample_estimates()
    target = float(returns.mean())
    for form in (market.covariance, covariance):
        portfolio = hm.Portfolio(returns.to_numpy(), form, assets=5, min_weight=0.01, target_return=target)
        hm.solve(portfolio.problem(), config=hm.Config(threads=threads, enumerate_up_to=0), time_limit=2)
