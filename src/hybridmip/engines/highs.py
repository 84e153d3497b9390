"""Thin layer over HiGHS: models from arrays, statuses checked before values are read."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.model.quadratic import Vector


@dataclass(frozen=True)
class LinearAnswer:
    """What HiGHS said. `status` is optimal, infeasible, unbounded, limit or error."""

    status: str
    x: Vector | None = None
    objective: float = np.inf
    row_duals: Vector | None = None
    bound: float = -np.inf


class LinearModel:
    """An LP or MILP min c'x, lo <= Mx <= up, l <= x <= u that can be changed and solved again.

    A changed model starts from the basis of the last solve.
    """

    def __init__(
        self,
        cost: Vector,
        matrix: Any,
        row_lower: Vector,
        row_upper: Vector,
        lower: Vector,
        upper: Vector,
        integer: NDArray[np.bool_] | None = None,
        threads: int = 1,
    ) -> None:
        import highspy

        self._highspy = highspy
        self.columns = int(cost.shape[0])
        self.rows = int(row_lower.shape[0])
        csc = sparse.csc_array(matrix)
        lp = highspy.HighsLp()
        lp.num_col_ = self.columns
        lp.num_row_ = self.rows
        lp.col_cost_ = np.asarray(cost, dtype=np.float64)
        lp.col_lower_ = np.asarray(lower, dtype=np.float64)
        lp.col_upper_ = np.asarray(upper, dtype=np.float64)
        lp.row_lower_ = np.asarray(row_lower, dtype=np.float64)
        lp.row_upper_ = np.asarray(row_upper, dtype=np.float64)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_ = csc.indptr.astype(np.int32)
        lp.a_matrix_.index_ = csc.indices.astype(np.int32)
        lp.a_matrix_.value_ = np.asarray(csc.data, dtype=np.float64)
        if integer is not None and integer.any():
            kinds = highspy.HighsVarType
            lp.integrality_ = [kinds.kInteger if i else kinds.kContinuous for i in integer]
        self._all_columns = np.arange(self.columns, dtype=np.int32)
        self._all_rows = np.arange(self.rows, dtype=np.int32)
        self.highs = highspy.Highs()
        self.highs.setOptionValue("output_flag", False)
        self.highs.setOptionValue("threads", threads)
        if integer is None or not integer.any():  # a MILP keeps HiGHS's own: tighter ones make it refuse twins
            self.highs.setOptionValue("primal_feasibility_tolerance", 1e-9)
            self.highs.setOptionValue("dual_feasibility_tolerance", 1e-9)
        self._integer = integer is not None and bool(integer.any())
        if self._integer:
            self.highs.HandleUserInterrupt = True
        self.highs.passModel(lp)

    def change_cost(self, cost: Vector) -> None:
        """Replace the objective."""
        self.highs.changeColsCost(self.columns, self._all_columns, np.asarray(cost, dtype=np.float64))

    def change_columns(self, lower: Vector, upper: Vector) -> None:
        """Replace the bounds of the variables."""
        self.highs.changeColsBounds(self.columns, self._all_columns, lower, upper)

    def change_rows(self, lower: Vector, upper: Vector) -> None:
        """Replace the limits of the rows."""
        if self.rows:
            self.highs.changeRowsBounds(self.rows, self._all_rows, lower, upper)

    def basis(self) -> NDArray[np.int64] | None:
        """Columns in the basis of the last LP, then its rows, counted on; None where HiGHS has none."""
        found = self.highs.getBasis()
        if not found.valid:
            return None
        basic = self._highspy.HighsBasisStatus.kBasic
        return np.flatnonzero([status == basic for status in (*found.col_status, *found.row_status)])

    def _run(self) -> Any:
        """Run HiGHS; a MILP in a thread of its own, so that Ctrl-C can end it."""
        if not self._integer:
            return self.highs.run()
        outcome: list[Any] = []
        thread = threading.Thread(target=lambda: outcome.append(self.highs.run()), daemon=True)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(0.1)
        except KeyboardInterrupt:
            self.highs.cancelSolve()
            thread.join()
            raise
        return outcome[0] if outcome else self._highspy.HighsStatus.kError

    def solve(self, time_limit: float | None = None) -> LinearAnswer:
        """Solve, and read only what the status allows."""
        if time_limit is not None:
            # HiGHS counts the run clock of an LP over all calls, that of a MILP anew.
            before = 0.0 if self._integer else self.highs.getRunTime()
            self.highs.setOptionValue("time_limit", before + max(time_limit, 1e-3))
        else:
            self.highs.setOptionValue("time_limit", float("inf"))
        if self._run() == self._highspy.HighsStatus.kError:
            return LinearAnswer("error")
        model = self.highs.getModelStatus()
        kinds = self._highspy.HighsModelStatus
        info = self.highs.getInfo()
        if model == kinds.kOptimal:
            solution = self.highs.getSolution()
            return LinearAnswer(
                "optimal",
                np.array(solution.col_value),
                float(info.objective_function_value),
                np.array(solution.row_dual) if solution.dual_valid else None,
                float(info.mip_dual_bound) if info.mip_node_count >= 0 else float(info.objective_function_value),
            )
        if model == kinds.kModelEmpty:
            lp = self.highs.getLp()
            low, high = np.array(lp.row_lower_), np.array(lp.row_upper_)
            if self.columns or (low > 1e-9).any() or (high < -1e-9).any():
                return LinearAnswer("infeasible")
            return LinearAnswer("optimal", np.zeros(0), 0.0, np.zeros(self.rows), 0.0)
        if model == kinds.kInfeasible:
            return LinearAnswer("infeasible")
        if model == kinds.kUnboundedOrInfeasible:
            self.highs.setOptionValue("presolve", "off")
            self.highs.run()
            self.highs.setOptionValue("presolve", "choose")
            model = self.highs.getModelStatus()
            if model == kinds.kInfeasible:
                return LinearAnswer("infeasible")
            return LinearAnswer("unbounded" if model == kinds.kUnbounded else "error")
        if model == kinds.kUnbounded:
            return LinearAnswer("unbounded")
        if model in (
            kinds.kInterrupt,
            kinds.kTimeLimit,
            kinds.kIterationLimit,
            kinds.kSolutionLimit,
            kinds.kObjectiveBound,
        ):
            feasible = info.primal_solution_status == self._highspy.SolutionStatus.kSolutionStatusFeasible
            point = np.array(self.highs.getSolution().col_value) if feasible else None
            value = float(info.objective_function_value) if feasible else np.inf
            return LinearAnswer("limit", point, value, None, float(info.mip_dual_bound))
        return LinearAnswer("error")
