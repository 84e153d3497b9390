"""Pyomo models solved by the class and through .nl files: values of HiGHS, statuses, bounds, and what is refused."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from hybridmip.cli import ampl, main
from hybridmip.errors import ArgumentError, FileError
from hybridmip.files import read_text
from hybridmip.io.convert import to_problem
from hybridmip.io.model import Model
from hybridmip.io.mps import parse_mps
from hybridmip.io.nl import read_nl

pyo = pytest.importorskip("pyomo.environ")
pytest.importorskip("pyomo", minversion="6.10.1")

from pyomo.contrib.solver.common.factory import SolverFactory  # noqa: E402
from pyomo.contrib.solver.common.results import SolutionStatus, TerminationCondition  # noqa: E402
from pyomo.contrib.solver.common.util import NoDualsError, NoOptimalSolutionError  # noqa: E402
from pyomo.contrib.solver.solvers.asl_sol_reader import parse_asl_sol_file  # noqa: E402
from pyomo_models import MODELS, best_value, knapsack, portfolio  # noqa: E402

import hybridmip.pyomo  # noqa: E402
from hybridmip.adapters.pyomo import OWN_OPTIONS  # noqa: E402

WHATEVER: dict[str, Any] = {"load_solutions": False, "raise_exception_on_nonoptimal_result": False}


def solver() -> Any:
    """The class, as Pyomo's factory makes it."""
    return SolverFactory("hybridmip")


def violation(model: Any) -> float:
    """The most by which a row, a bound or a domain of the model is missed at the values it has."""
    worst = 0.0
    for row in model.component_data_objects(pyo.Constraint, active=True):
        body, low, high = pyo.value(row.body), row.lb, row.ub
        worst = max(worst, 0.0 if low is None else low - body, 0.0 if high is None else body - high)
    for variable in model.component_data_objects(pyo.Var):
        value, (low, high) = variable.value, variable.bounds
        worst = max(worst, 0.0 if low is None else low - value, 0.0 if high is None else value - high)
        worst = max(worst, 0.0 if variable.is_continuous() else abs(value - round(value)))
    return worst


def objective_of(model: Any) -> Any:
    return next(model.component_data_objects(pyo.Objective, active=True))


@pytest.fixture(scope="module")
def optima() -> dict[str, float]:
    """The optimum of every model, by another solver."""
    return {make.__name__: best_value(make()) for make in MODELS}


@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
def test_the_class_agrees_with_highs(make: Callable[[], Any], optima: dict[str, float]) -> None:
    """Objective, bound and status; the point that is loaded holds every row and has that value."""
    model, optimum = make(), optima[make.__name__]
    results = solver().solve(model)
    assert results.solution_status is SolutionStatus.optimal
    assert results.termination_condition is TerminationCondition.convergenceCriteriaSatisfied
    assert results.incumbent_objective == pytest.approx(optimum, rel=2e-6, abs=1e-9)
    assert results.objective_bound == pytest.approx(optimum, rel=2e-6, abs=1e-9)
    assert results.extra_info.gap <= 1e-6
    assert violation(model) <= 1e-6
    objective = objective_of(model)
    assert pyo.value(objective) == pytest.approx(results.incumbent_objective, rel=1e-7, abs=1e-9)
    sign = 1 if objective.sense == pyo.minimize else -1
    assert sign * results.objective_bound <= sign * results.incumbent_objective + 1e-9


@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
def test_nl_and_sol_agree_with_highs(make: Callable[[], Any], optima: dict[str, float], tmp_path: Path) -> None:
    """Pyomo writes the .nl file, the command solves it, Pyomo reads the .sol: solved, feasible, and of that value."""
    model, optimum = make(), optima[make.__name__]
    _, ids = model.write(str(tmp_path / "model.nl"), io_options={"symbolic_solver_labels": True})
    variables = model.solutions.symbol_map[ids].bySymbol
    with pytest.raises(SystemExit) as ending:
        main([str(tmp_path / "model"), "-AMPL"])
    assert ending.value.code == 0
    with (tmp_path / "model.sol").open() as file:
        answer = parse_asl_sol_file(file)
    assert answer.solve_code == 0
    assert answer.ampl_options == [1, 1, 0]
    assert answer.unparsed is None
    names = (tmp_path / "model.col").read_text().split()
    assert len(answer.primals) == len(names)
    for k, value in enumerate(answer.primals):
        variables[f"v{k}"].set_value(value, skip_validation=True)
    for variable in model.component_data_objects(pyo.Var):
        if variable.value is None:  # in no row and not in the objective
            variable.set_value(variable.lb)
    assert pyo.value(objective_of(model)) == pytest.approx(optimum, rel=2e-6, abs=1e-9)
    assert violation(model) <= 1e-6
    assert answer.obj_suffixes["bestbound"][0] == pytest.approx(optimum, rel=2e-6, abs=1e-9)
    assert answer.problem_suffixes["relmipgap"] <= 1e-6


def market_split() -> Any:
    """Four equations over 30 binaries that hardly any choice meets: no solver is done with it in a second."""
    weights = np.random.default_rng(0).integers(0, 100, (4, 30))
    m = pyo.ConcreteModel("split")
    m.b = pyo.Var(range(30), domain=pyo.Binary)
    m.over = pyo.Var(range(4), domain=pyo.NonNegativeReals)
    m.under = pyo.Var(range(4), domain=pyo.NonNegativeReals)
    m.split = pyo.Constraint(
        range(4),
        rule=lambda m, r: (
            sum(int(weights[r, k]) * m.b[k] for k in range(30)) + m.over[r] - m.under[r] == int(weights[r].sum()) // 2
        ),
    )
    m.off = pyo.Objective(expr=sum(m.over[r] + m.under[r] for r in range(4)) + 1)
    return m


def test_a_time_limit_gives_the_point_and_the_bound() -> None:
    """Status, termination, a point that holds the rows, and a bound below its value."""
    model = market_split()
    results = solver().solve(model, time_limit=1, raise_exception_on_nonoptimal_result=False)
    assert results.termination_condition is TerminationCondition.maxTimeLimit
    assert results.solution_status is SolutionStatus.feasible
    assert -1e-9 <= results.objective_bound < results.incumbent_objective
    assert results.extra_info.gap > 1e-3
    assert "time limit, feasible solution; objective" in results.extra_info.solver_message
    assert violation(model) <= 1e-6
    assert pyo.value(model.off) == pytest.approx(results.incumbent_objective)
    with pytest.raises(NoOptimalSolutionError):
        solver().solve(model, time_limit=0.2)


def test_a_time_limit_in_a_sol_file(tmp_path: Path) -> None:
    """Code 402 (a limit), the point, and the bound below its value in a suffix."""
    model = market_split()
    model.write(str(tmp_path / "model.nl"))
    with pytest.raises(SystemExit):
        main([str(tmp_path / "model"), "-AMPL", "time_limit=1"])
    with (tmp_path / "model.sol").open() as file:
        answer = parse_asl_sol_file(file)
    assert answer.solve_code == 402
    stated = read_nl(tmp_path / "model.nl").model
    point = np.array(answer.primals)
    np.testing.assert_allclose(stated.matrix @ point, stated.row_lower, atol=1e-6)
    assert answer.obj_suffixes["bestbound"][0] < stated.objective(point)


def test_a_gap_that_is_reached_is_enough() -> None:
    """With rel_gap the solve ends earlier, as solved in Pyomo's sense."""
    results = solver().solve(portfolio(), rel_gap=0.5)
    assert results.solution_status is SolutionStatus.optimal
    assert results.extra_info.gap <= 0.5


def infeasible() -> Any:
    m = pyo.ConcreteModel("infeasible")
    m.b = pyo.Var(range(4), domain=pyo.Binary)
    m.few = pyo.Constraint(expr=sum(m.b[k] for k in range(4)) <= 1)
    m.many = pyo.Constraint(expr=m.b[0] + m.b[1] + 2 * m.b[2] + m.b[3] >= 3)
    m.cost = pyo.Objective(expr=sum(m.b[k] for k in range(4)))
    return m


def unbounded() -> Any:
    m = pyo.ConcreteModel("unbounded")
    m.b = pyo.Var(domain=pyo.Binary)
    m.x = pyo.Var(domain=pyo.NonNegativeReals)
    m.row = pyo.Constraint(expr=m.x >= 3 * m.b)
    m.gain = pyo.Objective(expr=m.x + m.b, sense=pyo.maximize)
    return m


def crossed() -> Any:
    """An integer between two whole numbers."""
    m = infeasible()
    m.del_component(m.many)
    m.n = pyo.Var(domain=pyo.Integers, bounds=(0.2, 0.8))
    m.with_n = pyo.Constraint(expr=m.n + m.b[0] <= 3)
    return m


@pytest.mark.parametrize(
    ("make", "condition", "code"),
    [
        (infeasible, TerminationCondition.provenInfeasible, 200),
        (crossed, TerminationCondition.provenInfeasible, 200),
        (unbounded, TerminationCondition.unbounded, 300),
    ],
)
def test_no_solution(make: Callable[[], Any], condition: Any, code: int, tmp_path: Path) -> None:
    """Infeasible and unbounded models have their status, in the class and in the .sol, and no point."""
    results = solver().solve(make(), **WHATEVER)
    assert results.termination_condition is condition
    assert results.solution_status is SolutionStatus.noSolution
    assert results.incumbent_objective is None
    with pytest.raises(NoOptimalSolutionError):
        solver().solve(make())
    make().write(str(tmp_path / "model.nl"))
    with pytest.raises(SystemExit) as ending:
        main([str(tmp_path / "model.nl"), "-AMPL"])
    assert ending.value.code == 0
    with (tmp_path / "model.sol").open() as file:
        answer = parse_asl_sol_file(file)
    assert answer.solve_code == code
    assert not answer.primals


def _saddle() -> Any:
    m = pyo.ConcreteModel("saddle")
    m.x, m.y = pyo.Var(bounds=(0, 4)), pyo.Var(bounds=(0, 4))
    m.b = pyo.Var(domain=pyo.Binary)
    m.row = pyo.Constraint(expr=m.x + m.y >= m.b)
    m.cost = pyo.Objective(expr=m.x**2 + m.y**2 - 7 * m.x * m.y + m.b)
    return m


def _sine() -> Any:
    m = _saddle()
    m.cost.set_value(m.x**2)
    m.wave = pyo.Constraint(expr=pyo.sin(m.x) + m.y <= 1)
    return m


def _disc() -> Any:
    m = _saddle()
    m.cost.set_value(m.x**2)
    m.disc = pyo.Constraint(expr=m.x**2 + m.y**2 <= 3)
    return m


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (_saddle, "Pyomo model 'saddle': the objective is not convex .*see its term -7 x \\* y"),
        (_sine, r"row wave has sin\(...\); only linear and quadratic"),
        (_disc, r"row disc is quadratic \(its term 1 x\^2\); only the objective may be"),
    ],
)
def test_what_is_not_convex_quadratic_is_refused(make: Callable[[], Any], message: str) -> None:
    """One line that names the row and the term, in Pyomo's names."""
    with pytest.raises(FileError, match=message) as caught:
        solver().solve(make())
    assert "\n" not in str(caught.value)


def test_settings() -> None:
    """Options are checked by name and range; the seed and the configuration reach the solver."""
    with pytest.raises(ArgumentError, match=r"solver_options has 'sed'; choose from seed, config, prove"):
        solver().solve(knapsack(), solver_options={"sed": 3})
    with pytest.raises(ArgumentError, match="config is 'best'; choose from default, quick, paper"):
        solver().solve(knapsack(), solver_options={"config": "best"})
    with pytest.raises(ArgumentError, match="abs_gap is 1; only a relative gap"):
        solver().solve(knapsack(), abs_gap=1.0)
    values = [
        solver().solve(market_split(), solver_options={"config": "quick", "seed": seed}, threads=1, **WHATEVER)
        for seed in (7, 7, 8)
    ]
    for results in values:  # no relaxation, so no proof
        assert results.solution_status is SolutionStatus.feasible
        assert results.objective_bound < 0 < results.incumbent_objective
        assert results.termination_condition is TerminationCondition.unknown
    assert values[0].incumbent_objective == values[1].incumbent_objective
    assert values[0].solution_loader.get_vars() != values[2].solution_loader.get_vars()


def test_log_files_and_suffixes(tmp_path: Path) -> None:
    """The log is kept, the .nl file where a folder is given, and the bound in a suffix that is asked for."""
    model = portfolio()
    model.bestbound = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    model.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    results = solver().solve(model, working_dir=tmp_path / "files")
    assert "optimal (" in results.solver_log
    assert (tmp_path / "files" / "hybridmip.nl").read_text().startswith("g3")
    assert model.bestbound[model.variance] == results.objective_bound
    assert len(model.dual) == 0
    with pytest.raises(NoDualsError):
        results.solution_loader.get_duals()
    assert results.solver_version == hybridmip.pyomo.HybridMIP().version()


def test_presolved_and_scaled_by_pyomo(optima: dict[str, float]) -> None:
    """What Pyomo's writer eliminates or scales comes back in the model's own units."""
    model = portfolio()
    model.twice = pyo.Var()
    model.is_twice = pyo.Constraint(expr=model.twice == 2 * model.weight[0])
    model.scaling_factor = pyo.Suffix(direction=pyo.Suffix.EXPORT)
    model.scaling_factor[model.variance] = 100.0
    model.scaling_factor[model.weight[1]] = 10.0
    results = solver().solve(model, writer_config={"linear_presolve": True, "scale_model": True})
    assert results.incumbent_objective == pytest.approx(optima["portfolio"], rel=2e-6)
    assert results.objective_bound == pytest.approx(optima["portfolio"], rel=2e-6)
    assert violation(model) <= 1e-6


def test_models_without_anything_to_decide() -> None:
    """Two objectives: the first. No variables: Pyomo's own status."""
    model = knapsack()
    first = best_value(knapsack())
    model.other = pyo.Objective(expr=model.take[0])
    assert solver().solve(model).incumbent_objective == pytest.approx(first)
    empty = pyo.ConcreteModel()
    empty.cost = pyo.Objective(expr=3)
    assert solver().solve(empty, **WHATEVER).termination_condition is TerminationCondition.emptyModel


def test_the_older_interface(optima: dict[str, float]) -> None:
    """`pyo.SolverFactory` gives the class in the clothes of Pyomo's older interface."""
    model = knapsack()
    answer = pyo.SolverFactory("hybridmip").solve(model, timelimit=20)
    assert answer.solver.termination_condition == pyo.TerminationCondition.optimal
    assert answer.problem.lower_bound == pytest.approx(optima["knapsack"])
    assert pyo.value(model.value) == pytest.approx(optima["knapsack"])


PROGRAM = """
import sys
sys.path.insert(0, {folder!r})
import pyomo.environ as pyo
from pyomo_models import knapsack
opt = pyo.SolverFactory("hybridmip")
assert opt.type == "asl", opt.type
assert opt.available()
model = knapsack()
answer = opt.solve(model, options={{"time_limit": 20, "gap": 1e-7}})
print(answer.solver.termination_condition, round(pyo.value(model.value), 6), opt.version()[:3])
model.none = pyo.Constraint(expr=sum(model.take[k] for k in range(12)) >= 11)
print(opt.solve(model, load_solutions=False).solver.termination_condition)
"""


def test_any_ampl_solver_of_pyomo(tmp_path: Path, optima: dict[str, float]) -> None:
    """Without our module Pyomo finds the command on the path and calls it as it calls every solver of AMPL's kind."""
    command = tmp_path / "hybridmip"
    command.write_text(f"#!{sys.executable}\nfrom hybridmip.cli import main\nmain()\n")
    command.chmod(0o755)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
    }
    answer = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(folder=str(Path(__file__).parent))],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    version = ".".join(map(str, hybridmip.pyomo.HybridMIP().version()))
    lines = answer.stdout.splitlines()
    assert lines[0] == f"optimal {optima['knapsack']} ({version.replace('.', ', ')})"
    assert lines[1] == "infeasible"


def test_without_pyomo() -> None:
    """The error has the pip command."""
    code = (
        "import sys; sys.modules['pyomo'] = None\n"
        "try:\n    import hybridmip.pyomo\nexcept ImportError as error:\n    print(type(error).__name__, error)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.startswith("MissingDependencyError")
    assert "pip install 'hybridmip[pyomo]'" in answer.stdout


PAGE = (Path(__file__).resolve().parents[2] / "docs" / "pyomo.md").read_text(encoding="utf-8")


def test_the_page_about_pyomo(capsys: pytest.CaptureFixture[str]) -> None:
    """Its program prints what is shown below it; the message and the options that it names are those there are."""
    ((program, output),) = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    exec(compile(program, "docs/pyomo.md", "exec"), {})
    assert capsys.readouterr().out == output
    with pytest.raises(FileError) as caught:
        solver().solve(_saddle())
    assert " ".join(str(caught.value).split()) in " ".join(PAGE.split())
    for name in re.findall(r"`(\w+)`", PAGE.split("| `solver_options` |")[1].split("|")[0]):
        assert name in OWN_OPTIONS
    codes = set(map(int, re.findall(r"\b\d{1,3}\b", ", ".join(re.findall(r"^\| (\d[\d, ]*) \|", PAGE, re.MULTILINE)))))
    limits = {code for pair in ampl.STOPPED.values() for code in pair}
    assert codes == limits | {ampl.SOLVED, ampl.UNPROVEN, ampl.INFEASIBLE, ampl.UNBOUNDED, ampl.FAILURE, ampl.NO_POINT}


# ---- what Pyomo writes of a model of ours is that model


def as_pyomo(model: Model) -> Any:
    """A model of ours, stated in Pyomo, with the names of its columns and rows as indices."""
    m = pyo.ConcreteModel()
    names, rows = range(len(model.names)), range(len(model.row_names))

    def limits(low: float, high: float) -> tuple[float | None, float | None]:
        return None if low <= -1e20 else float(low), None if high >= 1e20 else float(high)

    m.v = pyo.Var(names, bounds=lambda _, k: limits(model.lower[k], model.upper[k]))
    for k in names:
        if model.integer[k]:
            m.v[k].domain = pyo.Binary if (model.lower[k], model.upper[k]) == (0, 1) else pyo.Integers
    matrix = sparse.csr_array(model.matrix)

    def row(m: Any, r: int) -> Any:
        start, end = matrix.indptr[r], matrix.indptr[r + 1]
        body = sum(float(matrix.data[e]) * m.v[int(matrix.indices[e])] for e in range(start, end))
        low, high = limits(model.row_lower[r], model.row_upper[r])
        if start == end or (low is None and high is None):
            return pyo.Constraint.Skip
        return body == low if low is not None and low == high else (low, body, high)

    m.r = pyo.Constraint(rows, rule=row)
    expression = sum(float(model.cost[k]) * m.v[k] for k in names) + model.offset
    if model.quadratic is not None:
        entries = model.quadratic.tocoo()
        expression += sum(
            float(value) * m.v[int(i)] * m.v[int(j)]
            for i, j, value in zip(entries.row, entries.col, entries.data, strict=True)
        )
    m.objective = pyo.Objective(expr=expression, sense=pyo.maximize if model.maximise else pyo.minimize)
    return m


def require_same(model: Model, path: Path, rng: np.random.Generator) -> None:
    """Written by Pyomo and read by us, the model has the same columns, rows, bounds and values, in another order."""
    as_pyomo(model).write(str(path), io_options={"symbolic_solver_labels": True})
    theirs = read_nl(path).model
    at = np.array([int(name[2:-1]) for name in theirs.names])
    left_out = np.setdiff1d(np.arange(len(model.names)), at)
    assert not model.cost[left_out].any()
    assert model.matrix[:, left_out].nnz == 0
    np.testing.assert_array_equal(theirs.lower, np.where(model.lower[at] <= -1e20, -np.inf, model.lower[at]))
    np.testing.assert_array_equal(theirs.upper, np.where(model.upper[at] >= 1e20, np.inf, model.upper[at]))
    np.testing.assert_array_equal(theirs.integer, model.integer[at])
    assert theirs.maximise == model.maximise
    rows = np.array([int(name[2:-1]) for name in theirs.row_names], dtype=int)
    np.testing.assert_allclose(
        theirs.row_lower, np.where(model.row_lower[rows] <= -1e20, -np.inf, model.row_lower[rows])
    )
    np.testing.assert_allclose(theirs.row_upper, np.where(model.row_upper[rows] >= 1e20, np.inf, model.row_upper[rows]))
    difference = sparse.csr_array(model.matrix)[rows][:, at] - theirs.matrix
    assert np.abs(difference.data).max(initial=0.0) <= 1e-12
    for _ in range(5):
        point = rng.uniform(-2, 2, len(model.names))
        point[left_out] = 0.0
        assert theirs.objective(point[at]) == pytest.approx(model.objective(point), rel=1e-9, abs=1e-9)
    ours, read = to_problem(model), to_problem(theirs)
    assert sorted(map(len, (ours.problem.x_names, ours.problem.b_names))) != [0, 0]
    assert (read.problem.m, int(read.problem.switched.sum())) == (ours.problem.m, int(ours.problem.switched.sum()))
    assert sorted(read.problem.x_upper) == pytest.approx(
        sorted(np.delete(ours.problem.x_upper, ours.original.x_index[left_out]))
    )


@pytest.mark.parametrize(
    "name",
    [
        *(f"mip/{name}" for name in ("p0033", "lseu", "egout", "bell5", "misc03", "rgn", "fixnet3", "pk1")),
        *(f"miqp/{name}" for name in ("alan", "gbd", "meanvarx", "slay04m", "fac3")),
    ],
)
def test_data_files_by_way_of_pyomo(name: str, data_dir: Path, tmp_path: Path) -> None:
    """Public instances with binaries, general integers, ranges, switches and quadratic objectives."""
    path = data_dir / f"{name}.mps.gz"
    if not path.exists():
        pytest.skip(f"no {path}")
    require_same(parse_mps(read_text(path), name), tmp_path / "model.nl", np.random.default_rng(0))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), curved=st.booleans())
def test_generated_models_by_way_of_pyomo(tmp_path_factory: pytest.TempPathFactory, seed: int, curved: bool) -> None:
    """Every kind of bound, row and integer, with and without products of all of them."""
    rng = np.random.default_rng(seed)
    columns, rows = int(rng.integers(2, 9)), int(rng.integers(1, 6))
    integer = rng.random(columns) < 0.5
    binary = integer & (rng.random(columns) < 0.6)
    lower = np.where(binary, 0.0, rng.choice([-3.0, 0.0, 1.0], columns))
    upper = np.where(binary, 1.0, rng.choice([2.0, 5.0], columns))
    free = ~integer & (rng.random(columns) < 0.3)
    lower[free], upper[free & (rng.random(columns) < 0.5)] = -np.inf, np.inf
    matrix = rng.integers(-3, 4, (rows, columns)) * (rng.random((rows, columns)) < 0.7)
    low = np.where(rng.random(rows) < 0.4, -np.inf, rng.integers(-5, 1, rows))
    high = np.where(np.isfinite(low) & (rng.random(rows) < 0.4), np.inf, rng.integers(1, 9, rows))
    high = np.where(rng.random(rows) < 0.3, np.where(np.isfinite(low), low, high), high)
    root = rng.normal(size=(columns, columns)) * (rng.random((columns, columns)) < 0.5)
    maximise = bool(rng.integers(2))
    model = Model(
        source="generated", names=[f"v[{k}]" for k in range(columns)], cost=rng.normal(size=columns),
        lower=lower, upper=upper, integer=integer, semicontinuous=np.zeros(columns, dtype=bool),
        matrix=sparse.csr_array(matrix.astype(float)), row_lower=low, row_upper=high,
        row_names=[f"r[{k}]" for k in range(rows)], offset=float(rng.normal()), maximise=maximise,
        quadratic=sparse.csr_array(root @ root.T * (-1.0 if maximise else 1.0)) if curved else None,
    )  # fmt: skip
    require_same(model, tmp_path_factory.mktemp("written") / "model.nl", rng)
