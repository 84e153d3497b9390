"""HybridMIP as a solver of Pyomo's current interface (`pyomo.contrib.solver`).

Pyomo's own writer gives the model as an .nl file, in memory; its reader of .sol files loads the point.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO, cast

from hybridmip import __version__
from hybridmip.adapters.solving import Outcome, solve_nl
from hybridmip.adapters.words import Options, read_words
from hybridmip.errors import ArgumentError, MissingDependencyError
from hybridmip.io.nl import COLUMN_NAMES, ROW_NAMES, parse_nl_file
from hybridmip.run.progress import TextProgress
from hybridmip.run.result import StopReason

try:
    from pyomo.common.collections import ComponentMap
    from pyomo.common.errors import InfeasibleConstraintException
    from pyomo.common.timing import default_timer
    from pyomo.contrib.solver.common.base import Availability, SolverBase
    from pyomo.contrib.solver.common.config import BranchAndBoundConfig
    from pyomo.contrib.solver.common.factory import SolverFactory
    from pyomo.contrib.solver.common.results import Results, SolutionStatus, TerminationCondition
    from pyomo.contrib.solver.common.util import (
        NoDualsError,
        NoOptimalSolutionError,
        NoReducedCostsError,
        NoSolutionError,
    )
    from pyomo.contrib.solver.solvers.asl_sol_reader import ASLSolFileData, ASLSolFileSolutionLoader
    from pyomo.core.staleflag import StaleFlagManager
    from pyomo.repn.plugins.nl_writer import NLWriter, NLWriterInfo
except ImportError as error:
    raise MissingDependencyError(
        f"hybridmip.pyomo needs the package pyomo, 6.10.1 or newer ({error}): pip install 'hybridmip[pyomo]'"
    ) from None

logger = logging.getLogger(__name__)

#: Options of `solver_options`; the last three are settings of Pyomo's own as well, which go first.
OWN_OPTIONS = ("seed", "config", "prove", "time_limit", "gap", "threads")
#: Why a solve without a proof ended, as Pyomo says it.
ENDINGS = {
    StopReason.TIME_LIMIT: TerminationCondition.maxTimeLimit,
    StopReason.EVALUATION_LIMIT: TerminationCondition.iterationLimit,
    StopReason.INTERRUPTED: TerminationCondition.interrupted,
    StopReason.ENGINE_FAILED: TerminationCondition.error,
}


class HybridMIPConfig(BranchAndBoundConfig):  # type: ignore[misc]
    """What `solve` takes: Pyomo's settings (`time_limit`, `rel_gap`, `threads`, `tee`, ...) and those of its writer.

    `solver_options` may have `seed`, `config` ("default", "quick", "paper") and `prove`, and `time_limit`, `gap` and
    `threads` as well, which give way to Pyomo's own settings. The writer leaves the model as it is (`linear_presolve`
    is off): rows x <= u b are recognised as switches.

    Examples
    --------
    >>> import hybridmip.pyomo
    >>> config = hybridmip.pyomo.HybridMIPConfig()
    >>> config.time_limit, config.writer_config.linear_presolve
    (None, False)
    """

    def __init__(self, *args: Any, **kwds: Any) -> None:
        super().__init__(*args, **kwds)
        self.writer_config = self.declare("writer_config", NLWriter.CONFIG())
        self.writer_config.linear_presolve = False


class HybridMIPLoader(ASLSolFileSolutionLoader):  # type: ignore[misc]
    """Loads the point; there are no multipliers, and the bound and the gap are suffixes of the objective."""

    def get_duals(self, cons_to_load: Sequence[Any] | None = None) -> dict[Any, float]:
        """There are none."""
        raise NoDualsError

    def get_reduced_costs(self, vars_to_load: Sequence[Any] | None = None) -> Mapping[Any, float]:
        """There are none."""
        raise NoReducedCostsError

    def load_import_suffixes(self) -> None:
        """Clear the model's import suffixes; `bestbound` and `relmipgap` get their values."""
        suffixes = self._collect_and_clear_import_suffixes()
        for name, values in self._sol_data.obj_suffixes.items():
            if name in suffixes:
                suffixes[name].update(ComponentMap((self._nl_info.objectives[k], v) for k, v in values.items()))


class HybridMIP(SolverBase):  # type: ignore[misc]
    """HybridMIP for Pyomo: linear and convex quadratic models with binaries.

    opt = SolverFactory("hybridmip")
    results = opt.solve(model, time_limit=30, rel_gap=1e-4, raise_exception_on_nonoptimal_result=False)
    results.incumbent_objective, results.objective_bound, results.extra_info.gap

    Examples
    --------
    >>> import pyomo.environ as pyo
    >>> import hybridmip.pyomo
    >>> from pyomo.contrib.solver.common.factory import SolverFactory
    >>> model = pyo.ConcreteModel()
    >>> model.x, model.b = pyo.Var(bounds=(0, 5)), pyo.Var(domain=pyo.Binary)
    >>> model.row = pyo.Constraint(expr=model.x <= 5 * model.b)
    >>> model.cost = pyo.Objective(expr=(model.x - 2) ** 2 + model.b)
    >>> results = SolverFactory("hybridmip").solve(model)
    >>> round(results.incumbent_objective, 6), round(pyo.value(model.x), 6)
    (1.0, 2.0)
    """

    CONFIG = HybridMIPConfig()

    def available(self) -> Availability:
        """It is, wherever this class is."""
        return Availability.FullLicense

    def version(self) -> tuple[int, ...]:
        """The version of HybridMIP."""
        return tuple(int(part) for part in __version__.split(".")[:3])

    def solve(self, model: Any, **kwds: Any) -> Results:
        """Solve a Pyomo model.

        Parameters
        ----------
        model : Block
        **kwds
            Settings of `HybridMIPConfig`.

        Returns
        -------
        Results
            `extra_info` has `gap`, `stop_reason`, `rests_on`, `nodes` and `solver_message`.

        Raises
        ------
        FileError
            If the model is not linear or convex quadratic; the message names the row and the term.
        ArgumentError
            If a setting is out of its range.
        NoOptimalSolutionError, NoSolutionError
            Where the settings ask for them, as for every solver of Pyomo.

        Examples
        --------
        >>> import pyomo.environ as pyo
        >>> import hybridmip.pyomo
        >>> model = pyo.ConcreteModel()
        >>> model.b = pyo.Var([0, 1, 2], domain=pyo.Binary)
        >>> model.row = pyo.Constraint(expr=2 * model.b[0] + 3 * model.b[1] + 4 * model.b[2] <= 5)
        >>> model.value = pyo.Objective(expr=3 * model.b[0] + 4 * model.b[1] + 5 * model.b[2], sense=pyo.maximize)
        >>> results = hybridmip.pyomo.HybridMIP().solve(model, time_limit=30)
        >>> round(results.incumbent_objective, 6), round(results.objective_bound, 6)
        (7.0, 7.0)
        """
        started = default_timer()
        results = Results()
        results.timing_info.start_timestamp = datetime.now(UTC)
        results.solver_name, results.solver_version = self.name, self.version()
        config = self.config(value=kwds, preserve_implicit=True)
        results.solver_config = config
        options = _options(config)
        StaleFlagManager.mark_all_as_stale()
        text, info = _written(model, config)
        if info is None:
            results.termination_condition = TerminationCondition.provenInfeasible
            results.solution_status = SolutionStatus.noSolution
            info = NLWriterInfo()
        elif not info.variables:
            _without_variables(results, info, model)
        else:
            _solved(results, config, options, text, info, model)
        results.timing_info.wall_time = default_timer() - started
        if config.raise_exception_on_nonoptimal_result and results.solution_status != SolutionStatus.optimal:
            raise NoOptimalSolutionError
        if config.load_solutions:
            if results.solution_status == SolutionStatus.noSolution:
                raise NoSolutionError
            results.solution_loader.load_solution()
        return results


SolverFactory.register("hybridmip", doc="HybridMIP: linear and convex quadratic models with binaries")(HybridMIP)


def _options(config: Any) -> Options:
    """The settings as ours."""
    if config.abs_gap is not None:
        raise ArgumentError(f"abs_gap is {config.abs_gap:g}; only a relative gap can be asked for: give rel_gap")
    given = config.solver_options.value()
    for name in given:
        if name not in OWN_OPTIONS:
            raise ArgumentError(f"solver_options has {name!r}; choose from {', '.join(OWN_OPTIONS)}")
    asked = {"time_limit": config.time_limit, "gap": config.rel_gap, "threads": config.threads}
    given |= {name: value for name, value in asked.items() if value is not None}
    return read_words([f"{name}={int(value) if isinstance(value, bool) else value}" for name, value in given.items()])


def _written(model: Any, config: Any) -> tuple[str, Any]:
    """The .nl file and what Pyomo knows of it; None for that where its writer proves the model infeasible."""
    text = io.StringIO()
    try:
        info = NLWriter().write(model, text, config=config.writer_config)
    except InfeasibleConstraintException:
        return "", None
    if config.working_dir is not None:
        folder = Path(config.working_dir)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "hybridmip.nl").write_text(text.getvalue(), encoding="utf-8", newline="\n")
    return text.getvalue(), info


def _without_variables(results: Any, info: Any, model: Any) -> None:
    """Nothing is left to decide."""
    if not info.eliminated_vars:
        results.termination_condition = TerminationCondition.emptyModel
        results.solution_status = SolutionStatus.noSolution
        return
    results.termination_condition = TerminationCondition.convergenceCriteriaSatisfied
    results.solution_status = SolutionStatus.optimal
    results.solution_loader = HybridMIPLoader(ASLSolFileData(), info, model)


def _solved(results: Any, config: Any, options: Options, text: str, info: Any, model: Any) -> None:
    """Solve, and fill in the results."""
    if len(info.objectives) > 1:
        logger.warning("the model has %d active objectives; the first is solved for", len(info.objectives))
    beside = {
        COLUMN_NAMES: _lines(variable.name for variable in info.variables),
        ROW_NAMES: _lines(part.name for part in (*info.constraints, *info.objectives)),
    }
    stated = parse_nl_file(text.encode(), f"Pyomo model {model.name!r}", beside)
    log = io.StringIO()
    outcome = solve_nl(stated, options, TextProgress(cast(TextIO, _Streams([log, *config.tee]))))
    results.solver_log = log.getvalue()
    results.extra_info.solver_message = outcome.message
    data = ASLSolFileData()
    data.message, data.primals = outcome.message, [] if outcome.values is None else outcome.values.tolist()
    # What the writer scaled is given back in the model's own units.
    scale = info.scaling.objectives[0] if info.scaling and info.scaling.objectives else 1.0
    maximise = stated.model.maximise
    results.objective_bound = (float("inf") if maximise else -float("inf")) if outcome.bound is None else (
        outcome.bound / scale
    )  # fmt: skip
    if outcome.objective is not None and info.objectives:
        results.incumbent_objective = outcome.objective / scale
    found = outcome.result
    results.extra_info.gap = None if found is None or outcome.values is None else found.gap
    if found is not None:
        results.extra_info.stop_reason = str(found.stop_reason)
        results.extra_info.rests_on = None if found.rests_on is None else str(found.rests_on)
        results.extra_info.nodes = found.nodes
        results.timing_info.solve_seconds = found.seconds
        if outcome.bound is not None and info.objectives:
            data.obj_suffixes = {"bestbound": {0: results.objective_bound}}
            data.obj_suffixes |= {} if outcome.values is None else {"relmipgap": {0: found.gap}}
    results.solution_loader = HybridMIPLoader(data, info, model)
    results.termination_condition, results.solution_status = _status(outcome)


def _status(outcome: Outcome) -> tuple[Any, Any]:
    if outcome.infeasible:
        return TerminationCondition.provenInfeasible, SolutionStatus.noSolution
    if outcome.unbounded:
        return TerminationCondition.unbounded, SolutionStatus.noSolution
    if outcome.solved:
        return TerminationCondition.convergenceCriteriaSatisfied, SolutionStatus.optimal
    ending = TerminationCondition.unknown
    if outcome.stop_reason is not None:
        ending = ENDINGS.get(outcome.stop_reason, TerminationCondition.unknown)
    return ending, SolutionStatus.noSolution if outcome.values is None else SolutionStatus.feasible


def _lines(names: Any) -> str:
    return "".join(f"{' '.join(name.split())}\n" for name in names)


class _Streams:
    """Several streams as one."""

    def __init__(self, streams: Sequence[Any]) -> None:
        self._streams = streams

    def write(self, text: str) -> None:
        """To all of them."""
        for stream in self._streams:
            stream.write(text)

    def flush(self) -> None:
        """All of them."""
        for stream in self._streams:
            stream.flush()
