"""HiGHS: models from arrays, statuses checked before values are read, and nothing believed that is known to be unsafe.

What is known (1.10 to 1.15.1):

* entries below `small_matrix_value` are dropped without a word. Here they are left out on purpose, and the limits of
  their rows widened by as much as they can be: the model is then a relaxation, and its bound still one;
* the presolve of mixed-integer models is wrong now and then, where a continuous column is made integral by an equation
  (HiGHS issue 3274). So small models go without presolve, in larger ones such columns are declared integral beforehand,
  and "infeasible" is never believed without a second look the other way;
* an error is tried again the other way;
* a point that somebody hands over while a MILP is solved is compared with HiGHS's best before what presolve has added
  to the objective is taken off, so that one that is better by less than that is refused without a word. A constant that
  lowers the objective by more makes it look at every one (`LinearModel.on_request`).

A callback in Python waits until no other thread is in Python, which may take 5 ms, and HiGHS waits with it; it looks up
thousands of times a second. So its callbacks are asleep until somebody has something to say, or wants to hear
something (`LinearModel.wake`, `LinearModel.ask_for_point`), and go back to sleep when they have been called.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import gcd, lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.arrays import Vector
from hybridmip.engines.left import leave

#: Entries up to this are left out; HiGHS takes none of them. What it leaves out itself unless told otherwise: it is
#: not told where there is nothing that small, since its cuts are others then.
SMALLEST = 1e-12
HIGHS_SMALLEST = 1e-9
#: HiGHS's own share of the work for heuristics.
HEURISTIC_EFFORT = 0.05
#: Models with at most so many columns and rows go without presolve.
SMALL = 400
#: Models with at most so many go without feasibility jump: it takes 6 ms at least, in which HiGHS has points by its LP.
JUMPLESS = 3000
#: Where points are handed over a constant lowers the objective, and what it is larger than the values, these lose in
#: digits. Presolve may round once for every column: all of that is charged to bounds, and is at most so much of the
#: largest cost.
ROUNDING = 2.0**-53
MOST_ROUNDED = 1e-8
#: Seconds for which HiGHS is waited for beyond its time limit, where it is asked to be punctual.
OVERTIME = 0.03
#: A column made integral by an equation is declared so if its values are at most so many.
MOST_VALUES = 2**20
#: Denominators up to this count as those of integral data.
LARGEST_DENOMINATOR = 2**20


class Outcome(StrEnum):
    """What an engine says of a model."""

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    LIMIT = "limit"
    ERROR = "error"


@dataclass(frozen=True)
class LinearAnswer:
    """What HiGHS said; `x` is there where there is a feasible point."""

    status: Outcome
    x: Vector | None = None
    objective: float = np.inf
    row_duals: Vector | None = None
    bound: float = -np.inf


class Scales(NamedTuple):
    """Other units for a model on its way to HiGHS, powers of two, so that they change no digit.

    Attributes
    ----------
    columns, rows : ndarray
        A variable is this many times HiGHS's; HiGHS's row is this many times the row.
    objective : float
        HiGHS's objective is this many times the objective.
    """

    columns: Vector
    rows: Vector
    objective: float


class Halt:
    """Ends the solves of models that listen to it, in whatever threads they run, and those begun later."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._models: list[LinearModel] = []
        self.halted = False

    def halt(self) -> None:
        """End them: HiGHS stops when it looks up next."""
        with self._lock:
            self.halted = True
            for model in self._models:
                model.cancel()

    def watch(self, model: LinearModel) -> None:
        """Have a model listen."""
        with self._lock:
            self._models.append(model)
            if self.halted:
                model.cancel()


class LinearModel:
    """An LP or MILP min c'x, lo <= Mx <= up, l <= x <= u that can be changed and solved again.

    A changed model starts from the basis of the last solve.

    Parameters
    ----------
    cost, matrix, row_lower, row_upper, lower, upper
        The model.
    integer : ndarray of bool, optional
        Which columns are integral.
    threads : int
        Threads of HiGHS.
    reach : ndarray, optional
        The largest |x| that the bounds will ever allow, where they are changed later; that of the bounds if left out.
    halt : Halt, optional
        What ends its solves from another thread, for good.
    scales : Scales, optional
        Units in which HiGHS gets the model; everything said here, and everything answered, is in the caller's.
    seed : int
        HiGHS's random seed.
    heuristics : bool
        As of `use_heuristics`.
    presolve : bool
        Whether HiGHS may presolve a MILP; small ones go without in any case.
    tolerance : float
        By how much a row of a MILP, and a whole number, may be missed: HiGHS's own, since smaller ones make it refuse
        twins.
    offset : float
        What is added to the objective where gaps are relative to it; all values said here are without it.
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
        reach: Vector | None = None,
        halt: Halt | None = None,
        scales: Scales | None = None,
        seed: int = 0,
        heuristics: bool = True,
        presolve: bool = True,
        tolerance: float = 1e-6,
        offset: float = 0.0,
    ) -> None:
        import highspy  # by who solves with it: most solves need one of the two engines

        self._highspy = highspy
        self.columns = int(cost.shape[0])
        self.rows = int(row_lower.shape[0])
        self._integer = integer is not None and bool(integer.any())
        self._heuristics = self._heuristics_wanted = heuristics
        self._reach = np.maximum(np.abs(lower), np.abs(upper)) if reach is None else reach
        self._unit, self._declared = np.ones(self.columns), np.zeros(self.columns, dtype=bool)
        self._row_unit, self._value_unit, self._offset = np.ones(self.rows), 1.0, offset
        #: In HiGHS's units: what its objective is below ours, and what rounding that costs; whether it is lowered at
        #: all, and the relative gap at which a solve ends.
        self._lowered = self._rounded = self._gap = 0.0
        self._is_lowered = False
        csc = sparse.csc_array(matrix)
        if scales is not None:
            self._unit, self._row_unit, self._value_unit = scales
            csc = _scaled(csc, self._row_unit, self._unit)
        sizes = np.abs(csc.data[csc.data != 0])
        self._smallest = SMALLEST if not self._integer or sizes.min(initial=1.0) <= HIGHS_SMALLEST else HIGHS_SMALLEST
        csc, self._more = self._without_small(csc)
        plain = self.columns + self.rows <= SMALL or (self._integer and not presolve)
        if self._integer and not plain:
            assert integer is not None
            step, whole = made_integral(
                sparse.csr_array(csc), row_lower * self._row_unit, row_upper * self._row_unit, lower / self._unit,
                upper / self._unit, integer,
            )  # fmt: skip
            csc = _scaled(csc, np.ones(self.rows), step)
            self._unit, self._declared = self._unit * step, whole & ~integer
            integer = whole
        self._box = lower, upper = self._in_units(lower, upper)
        row_lower, row_upper = self._widened(row_lower, row_upper)
        self._all_columns = np.arange(self.columns, dtype=np.int32)
        self._all_rows = np.arange(self.rows, dtype=np.int32)
        self._highs = highspy.Highs()
        self._set("output_flag", False)
        self._set("threads", threads)
        self._set("random_seed", seed)
        self._set("small_matrix_value", self._smallest)
        if self._integer:
            self._set("mip_feasibility_tolerance", tolerance)
            self._set("mip_heuristic_run_feasibility_jump", self.columns + self.rows > JUMPLESS)
            self.use_heuristics(heuristics)
        kinds_of_check = self._highs.cbMipInterrupt, self._highs.cbSimplexInterrupt, self._highs.cbIpmInterrupt
        self._checks = tuple(check.callback_type for check in kinds_of_check)
        if self._integer or halt is not None:
            for check in kinds_of_check:
                check.subscribe(self._on_check if check is kinds_of_check[0] else self._on_check_of_lp)
            self._sleep()
        if not self._integer:
            self._set("primal_feasibility_tolerance", 1e-9)
            self._set("dual_feasibility_tolerance", 1e-9)
        self._presolve = "off" if plain else "choose"
        self._set("presolve", self._presolve)
        kinds = np.zeros(self.columns) if integer is None else integer
        self._cost = self._costs(cost)
        self._sound = self._pass(csc, self._cost, (lower, upper), (row_lower, row_upper), kinds)
        self._cancelled = False
        #: Whether HiGHS was left alone with the model, and nobody else may use it.
        self.given_up = False
        self._start: Vector | None = None
        self._hears = False
        self._told: Callable[[Vector, float], None] | None = None
        self._asked: Callable[[float], bool] | None = None
        self._requested: Callable[[float], Vector | None] | None = None
        if halt is not None:
            halt.watch(self)

    def _pass(
        self,
        csc: sparse.csc_array,
        cost: Vector,
        box: tuple[Vector, Vector],
        limits: tuple[Vector, Vector],
        integer: NDArray[np.generic],
    ) -> bool:
        """Give HiGHS the model, as arrays: its model object takes those of the matrix entry by entry, which is slow."""
        known = self._highspy
        status = self._highs.passModel(
            self.columns, self.rows, csc.nnz, int(known.MatrixFormat.kColwise), int(known.ObjSense.kMinimize),
            self._offset * self._value_unit, cost, *box, *limits, csc.indptr.astype(np.int32),
            csc.indices.astype(np.int32), np.asarray(csc.data, dtype=np.float64), np.asarray(integer, dtype=np.int32),
        )  # fmt: skip
        return bool(status != known.HighsStatus.kError)

    def _set(self, option: str, value: object) -> None:
        self._highs.setOptionValue(option, value)

    def _without_small(self, csc: sparse.csc_array) -> tuple[sparse.csc_array, tuple[Vector, Vector]]:
        """The matrix without entries that HiGHS would drop, and how far that widens the limits of the rows."""
        small = (np.abs(csc.data) <= self._smallest) & (csc.data != 0)
        more = np.zeros(csc.shape[0])
        if not small.any():
            return csc, (more, more)
        column = np.repeat(np.arange(csc.shape[1]), np.diff(csc.indptr))
        with np.errstate(invalid="ignore"):
            part = np.where(small, np.abs(csc.data) * (self._reach / self._unit)[column], 0.0)
        np.add.at(more, csc.indices, part)
        kept = csc.copy()
        kept.data = np.where(small, 0.0, csc.data)
        kept.eliminate_zeros()
        return kept, (more, more)

    def _widened(self, lower: Vector, upper: Vector) -> tuple[Vector, Vector]:
        below, above = self._more
        lower, upper = lower * self._row_unit - below, upper * self._row_unit + above
        return np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)

    def _costs(self, cost: Vector) -> Vector:
        """The objective as HiGHS gets it."""
        return np.asarray(cost * self._unit * self._value_unit, dtype=np.float64)

    def _value(self, value: float) -> float:
        """A value of HiGHS as one of the objective."""
        return (float(value) + self._lowered) / self._value_unit - self._offset

    def _bound(self, bound: float) -> float:
        """A bound of HiGHS as one on the objective."""
        return self._value(bound) - self._rounded / self._value_unit

    def _in_units(self, lower: Vector, upper: Vector) -> tuple[Vector, Vector]:
        """Bounds as HiGHS gets them: those of columns declared integral are rounded inward."""
        lower, upper = np.asarray(lower / self._unit), np.asarray(upper / self._unit)
        if not self._declared.any():
            return lower, upper
        low, high = np.ceil(lower - 1e-9), np.floor(upper + 1e-9)
        return np.where(self._declared, low, lower), np.where(self._declared, high, upper)

    def use_heuristics(self, wanted: bool) -> None:
        """Whether HiGHS looks for points of a MILP by MIPs within it; who has good ones has a proof sooner without."""
        self._heuristics = self._heuristics_wanted = wanted
        self._set("mip_heuristic_effort", HEURISTIC_EFFORT if wanted else 0.0)
        for name in ("rins", "rens", "root_reduced_cost"):
            self._set(f"mip_heuristic_run_{name}", wanted)

    def go_on_with_heuristics(self, wanted: bool) -> None:
        """As `use_heuristics`, while a MILP is solved: off only once HiGHS has branched; from any thread."""
        if wanted != self._heuristics_wanted:
            self._heuristics_wanted = wanted
            self.wake()

    def change_cost(self, cost: Vector) -> None:
        """Replace the objective."""
        self._cost = self._costs(cost)
        self._highs.changeColsCost(self.columns, self._all_columns, self._cost)

    def change_columns(self, lower: Vector, upper: Vector) -> None:
        """Replace the bounds of the variables."""
        lower, upper = self._in_units(lower, upper)
        # To tell HiGHS of all of them takes as long as an LP in which few have changed.
        changed = np.flatnonzero((lower != self._box[0]) | (upper != self._box[1])).astype(np.int32)
        if changed.size:
            self._highs.changeColsBounds(changed.size, changed, lower[changed], upper[changed])
            self._box = lower, upper

    def change_rows(self, lower: Vector, upper: Vector) -> None:
        """Replace the limits of the rows that the model was made with."""
        if self.rows:
            self._highs.changeRowsBounds(self.rows, self._all_rows, *self._widened(lower, upper))

    def add_row(self, columns: NDArray[np.intp], values: Vector, lower: float, upper: float = np.inf) -> None:
        """One more row; entries that are too small for HiGHS are left out and the limits widened by what they can be.

        The row is divided by a power of two so that its largest entry is near 1.
        """
        largest = float(np.abs(values).max(initial=0.0))
        if largest == 0.0:
            return
        unit = 2.0 ** -(float(np.frexp(largest)[1]) - 1)
        values, lower, upper = values * unit, lower * unit, upper * unit
        small = np.abs(values) <= self._smallest
        if small.any():
            used = small & (values != 0)
            more = float((np.abs(values[used]) * self._reach[columns[used]]).sum())
            if not np.isfinite(more):
                return
            columns, values, lower, upper = columns[~small], values[~small], lower - more, upper + more
        entries = np.asarray(values * self._unit[columns], dtype=np.float64)
        self._highs.addRow(lower, upper, columns.size, columns.astype(np.int32), entries)

    def forbid(self, b: NDArray[np.bool_], columns: NDArray[np.intp]) -> None:
        """Cut off one choice of binary columns: every other one differs from it in at least one place."""
        self.add_row(columns, np.where(b, -1.0, 1.0), 1.0 - float(b.sum()))

    def start_from(self, x: Vector) -> None:
        """Give HiGHS a point to begin its next solve with, whatever is changed before that."""
        self._start = x

    def on_improvement(self, told: Callable[[Vector, float], None]) -> None:
        """Have every better point of a MILP, and the bound by then, told as they come."""

        self._hear_of_points()
        self._told = told

    def _hear_of_points(self) -> None:
        if not self._hears:
            self._hears = True
            self._highs.cbMipImprovingSolution.subscribe(self._on_improvement)

    def _on_improvement(self, happened: Any) -> None:
        self._allow_gap(happened.data_out.objective_function_value)
        if self._told is not None:
            self._told(
                np.asarray(happened.data_out.mip_solution) * self._unit,
                self._bound(happened.data_out.mip_dual_bound),
            )

    def _allow_gap(self, value: float) -> None:
        """Say what gap a solve may end with, given HiGHS's value of its new best point, before it is that.

        Where the objective is lowered HiGHS's own relative gap would be relative to that.
        """
        if self._is_lowered:
            self._set("mip_abs_gap", self._gap * abs(value + self._lowered))

    def on_check(self, asked: Callable[[float], bool]) -> None:
        """Have somebody asked at the next check, and after every `wake`, given the bound by then, whether to stop."""
        self._asked = asked
        self.wake()

    def wake(self) -> None:
        """Have HiGHS look up at its next check, which mostly comes many times a second; from any thread."""
        for kind in self._checks:
            self._highs.startCallback(kind)

    def _sleep(self) -> None:
        for kind in self._checks:
            self._highs.stopCallback(kind)

    def _on_check(self, happened: Any) -> None:
        self._sleep()  # before anything is looked up: what is said from now on wakes it again
        wanted = self._heuristics_wanted
        # HiGHS looks these up whenever it might begin one; those at its root find what nobody else does.
        if wanted != self._heuristics and (wanted or happened.data_out.mip_node_count > 0):
            self.use_heuristics(wanted)
        # What was said in an earlier solve stands until it is taken back.
        bound = self._bound(happened.data_out.mip_dual_bound)
        ends = (self._asked is not None and self._asked(bound)) or self._cancelled
        happened.data_in.user_interrupt = ends
        if ends:
            self.wake()

    def _on_check_of_lp(self, happened: Any) -> None:
        # There is no bound of a MILP here, and nobody to be asked; who waits to be asked at another check stays awake.
        for kind in self._checks[1:]:
            self._highs.stopCallback(kind)
        happened.data_in.user_interrupt = self._cancelled
        if self._cancelled:
            self.wake()

    def on_request(self, requested: Callable[[float], Vector | None]) -> None:
        """Have somebody asked, given the value of HiGHS's best point, for a better one of a MILP.

        That is once it has begun, and after every `ask_for_point`. HiGHS takes it where it holds every row, by its own
        tolerance, and is better. To be called between solves.
        """
        if self._requested is None:
            self._highs.cbMipUserSolution.subscribe(self._on_request)
            self._hear_of_points()
            self._lower()
        self._requested = requested
        self.ask_for_point()

    def _lower(self) -> None:
        """Lower the objective by more than presolve can add to it: what columns that have bounds can cost."""
        with np.errstate(invalid="ignore"):
            most = np.abs(self._cost) * (self._reach / self._unit)
        total = float(most[np.isfinite(most)].sum())
        once = (4 + self.columns) * ROUNDING
        limit = MOST_ROUNDED * float(np.abs(self._cost).max(initial=0.0)) / once
        # A power of two, so that what is whole stays so.
        lowered = 2.0 ** math.ceil(math.log2(total)) if total > 0.0 else 0.0
        while lowered > limit:
            lowered *= 0.5
        self._lowered, self._rounded = lowered + self._offset * self._value_unit, once * lowered
        self._is_lowered = True
        self._highs.changeObjectiveOffset(-lowered)

    def ask_for_point(self) -> None:
        """Have HiGHS ask for a point when it can use one next, where somebody is there to be asked; from any thread."""
        if self._requested is not None:
            self._highs.startCallback(self._highs.cbMipUserSolution.callback_type)

    def _on_request(self, happened: Any) -> None:
        assert self._requested is not None
        self._highs.stopCallback(self._highs.cbMipUserSolution.callback_type)  # before, as in `_on_check`
        point = self._requested(self._value(happened.data_out.mip_primal_bound))
        if point is not None:
            values = np.asarray(point / self._unit, dtype=np.float64)
            self._allow_gap(self._value_at(values))
            happened.data_in.setSolution(values)

    def _value_at(self, values: Vector) -> float:
        """HiGHS's value of a point of its own."""
        return float(self._cost @ values) + self._offset * self._value_unit - self._lowered

    def cancel(self) -> None:
        """End a solve that runs in another thread, and those begun later."""
        self._cancelled = True
        self.wake()

    def basis(self) -> NDArray[np.int64] | None:
        """Columns in the basis of the last LP, then its rows, counted on; None where HiGHS has none."""
        found = self._highs.getBasis()
        if not found.valid:
            return None
        basic = self._highspy.HighsBasisStatus.kBasic
        return np.flatnonzero([status == basic for status in (*found.col_status, *found.row_status)])

    def _run(self, until: float = math.inf) -> Any:
        """Run HiGHS; a MILP in a thread of its own, so that Ctrl-C, which the main thread gets, can end it."""
        elsewhere = threading.current_thread() is not threading.main_thread()
        if not self._integer or (elsewhere and math.isinf(until)):
            return self._highs.run()
        outcome: list[Any] = []
        thread = threading.Thread(target=lambda: outcome.append(self._highs.run()), daemon=True)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(min(0.1, max(until - time.perf_counter(), 0.0)))
                if time.perf_counter() >= until and thread.is_alive():
                    # It goes on to use the model until it looks up: nobody else may from now on.
                    self._sound, self.given_up = False, True
                    self.cancel()
                    leave(thread, 0.0)
                    return None
        except KeyboardInterrupt:
            self.cancel()
            thread.join()
            raise
        return outcome[0] if outcome else self._highspy.HighsStatus.kError

    def solve(
        self,
        time_limit: float | None = None,
        gap: float = 0.0,
        nodes: int | None = None,
        first: bool = False,
        punctual: bool = False,
        deadline: float = math.inf,
    ) -> LinearAnswer:
        """Solve, and read only what the status allows.

        Parameters
        ----------
        time_limit : float, optional
            Seconds.
        gap, nodes : of a MILP
            Relative gap at which it is solved, and most nodes.
        first : bool
            Whether the first feasible point of a MILP is enough.
        punctual : bool
            Whether a MILP is given up for good where HiGHS does not look at the clock in time: the answer is then
            that there was a limit, and the model cannot be solved again.
        deadline : float
            By `time.perf_counter()`: a MILP that has not ended `OVERTIME` later is given up in the same way, whatever
            its limit.
        """
        if not self._sound:
            return LinearAnswer(Outcome.LIMIT if self.given_up else Outcome.ERROR)
        if self._integer:
            self._gap = gap
            self._set("mip_rel_gap", 0.0 if self._is_lowered else gap)
            self._set("mip_abs_gap", 0.0)
            self._set("mip_max_nodes", 2**31 - 1 if nodes is None else nodes)
            self._set("mip_max_improving_sols", 1 if first else 2**31 - 1)
        began = time.perf_counter()
        self._give_start()
        answer = self._solve(time_limit, punctual, deadline)
        if answer.status in (Outcome.ERROR, Outcome.UNBOUNDED) or (
            answer.status is Outcome.INFEASIBLE and self._integer
        ):
            # A second look, the other way: with presolve what was said without it, and the reverse.
            self._set("presolve", "choose" if self._presolve == "off" else "off")
            left = None if time_limit is None else time_limit - (time.perf_counter() - began)
            again = self._solve(left, punctual, deadline)
            if self.given_up:
                return again
            self._set("presolve", self._presolve)
            if again.status in (answer.status, Outcome.LIMIT) or again.x is not None:
                return again
            if answer.status is Outcome.ERROR:
                return again if not self._integer else LinearAnswer(Outcome.ERROR)
            return answer if again.status is Outcome.ERROR and not self._integer else LinearAnswer(Outcome.ERROR)
        return answer

    def _give_start(self) -> None:
        """Hand over the point to begin with, last of all: HiGHS forgets it when a bound is changed."""
        if self._start is not None:
            values = self._start / self._unit
            self._allow_gap(self._value_at(values))
            solution = self._highspy.HighsSolution()
            solution.col_value = values.tolist()
            self._highs.setSolution(solution)
            self._start = None

    def _solve(self, time_limit: float | None, punctual: bool, deadline: float) -> LinearAnswer:
        if time_limit is not None:
            # HiGHS counts the run clock of an LP over all calls, that of a MILP anew.
            before = 0.0 if self._integer else self._highs.getRunTime()
            self._set("time_limit", before + max(time_limit, 1e-3))
        else:
            self._set("time_limit", float("inf"))
        limit = time.perf_counter() + time_limit if punctual and time_limit is not None else math.inf
        status = self._run(min(limit, deadline) + OVERTIME)
        if self.given_up:
            return LinearAnswer(Outcome.LIMIT)
        if status == self._highspy.HighsStatus.kError:
            return LinearAnswer(Outcome.ERROR)
        model = self._highs.getModelStatus()
        kinds = self._highspy.HighsModelStatus
        info = self._highs.getInfo()
        if model == kinds.kOptimal:
            solution = self._highs.getSolution()
            duals = np.array(solution.row_dual)[: self.rows] if solution.dual_valid else None
            bound = float(info.mip_dual_bound if info.mip_node_count >= 0 else info.objective_function_value)
            return LinearAnswer(
                Outcome.OPTIMAL,
                np.array(solution.col_value) * self._unit,
                self._value(info.objective_function_value),
                None if duals is None else duals * self._row_unit / self._value_unit,
                self._bound(bound),
            )
        if model == kinds.kModelEmpty:
            lp = self._highs.getLp()
            low, high = np.array(lp.row_lower_), np.array(lp.row_upper_)
            if self.columns or (low > 1e-9).any() or (high < -1e-9).any():
                return LinearAnswer(Outcome.INFEASIBLE)
            return LinearAnswer(Outcome.OPTIMAL, np.zeros(0), 0.0, np.zeros(self.rows), 0.0)
        if model == kinds.kInfeasible:
            return LinearAnswer(Outcome.INFEASIBLE)
        if model == kinds.kUnboundedOrInfeasible:
            self._set("presolve", "off")
            self._highs.run()
            self._set("presolve", self._presolve)
            model = self._highs.getModelStatus()
            if model == kinds.kInfeasible:
                return LinearAnswer(Outcome.INFEASIBLE)
            return LinearAnswer(Outcome.UNBOUNDED if model == kinds.kUnbounded else Outcome.ERROR)
        if model == kinds.kUnbounded:
            return LinearAnswer(Outcome.UNBOUNDED)
        if model in (
            kinds.kInterrupt,
            kinds.kTimeLimit,
            kinds.kIterationLimit,
            kinds.kSolutionLimit,
            kinds.kObjectiveBound,
        ):
            feasible = info.primal_solution_status == self._highspy.SolutionStatus.kSolutionStatusFeasible
            point = np.array(self._highs.getSolution().col_value) * self._unit if feasible else None
            value = self._value(info.objective_function_value) if feasible else np.inf
            bound = self._bound(info.mip_dual_bound) if self._integer else -np.inf
            return LinearAnswer(Outcome.LIMIT, point, value, None, bound)
        return LinearAnswer(Outcome.ERROR)


def _scaled(csc: sparse.csc_array, rows: Vector, columns: Vector) -> sparse.csc_array:
    """The matrix with its rows and columns multiplied; a copy."""
    scaled = csc.copy()
    scaled.data = csc.data * rows[csc.indices] * np.repeat(columns, np.diff(csc.indptr))
    return scaled


def made_integral(
    matrix: sparse.csr_array,
    row_lower: Vector,
    row_upper: Vector,
    lower: Vector,
    upper: Vector,
    integer: NDArray[np.bool_],
) -> tuple[Vector, NDArray[np.bool_]]:
    """(units in which they are integral, which columns are integral), with those that an equation makes so.

    An equation with one continuous column and rational ratios gives that column as a multiple of some unit.
    """
    unit, integer = np.ones(integer.size), integer.copy()
    equations = np.flatnonzero((row_lower == row_upper) & np.isfinite(row_lower))
    # How many columns of each row are not integral: only equations with one of them say something.
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    still_open = np.bincount(row[~integer[matrix.indices]], minlength=matrix.shape[0])
    if not (still_open[equations] == 1).any():
        return unit, integer
    by_column = sparse.csc_array(matrix)
    found = True
    while found:
        found = False
        for r in equations:
            if still_open[r] != 1:
                continue
            part = slice(matrix.indptr[r], matrix.indptr[r + 1])
            columns, values = matrix.indices[part], matrix.data[part]
            at = int(np.flatnonzero(~integer[columns])[0])
            j = int(columns[at])
            others = [Fraction(float(v * unit[k])) for v, k in zip(values, columns, strict=True) if k != j]
            step = _step([*others, Fraction(float(row_upper[r]))], Fraction(float(values[at])))
            if step is None or not (upper[j] - lower[j]) / step <= MOST_VALUES:
                continue
            unit[j], integer[j], found = step, True, True
            still_open[by_column.indices[by_column.indptr[j] : by_column.indptr[j + 1]]] -= 1
    return unit, integer


def _step(terms: list[Fraction], divisor: Fraction) -> float | None:
    """The largest number of which all terms / divisor are multiples; None where that is no short number."""
    ratios = [abs(term / divisor) for term in terms if term]
    if not ratios or any(ratio.denominator > LARGEST_DENOMINATOR for ratio in ratios):
        return None
    below = lcm(*(ratio.denominator for ratio in ratios))
    if below > LARGEST_DENOMINATOR:
        return None
    step = Fraction(gcd(*(int(ratio * below) for ratio in ratios)), below)
    value = float(step)
    return value if Fraction(value) == step else None
