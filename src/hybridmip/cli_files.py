"""The commands that work on problem files: `hybridmip solve`, `verify`, `convert` and `network`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, cast

import typer
from typer.core import TyperCommand

from hybridmip.cli import (
    AsJson,
    CertificateFile,
    ConfigName,
    Configuration,
    Gap,
    Quiet,
    Seed,
    TimeLimit,
    _check_writable,
    _closeness,
    _exit_code,
    _print,
    _progress,
    _settings,
    _tell,
    _write_json,
    app,
)
from hybridmip.errors import ArgumentError, FileError

if TYPE_CHECKING:
    from hybridmip.applications.network import FixedChargeNetwork
    from hybridmip.io.model import ReadProblem
    from hybridmip.model.problem import Problem
    from hybridmip.run.result import Result

FixedCharge = Annotated[
    float | None,
    typer.Option(metavar="F", show_default=False, help="Price of opening an arc of a DIMACS min-cost-flow file."),
]
EXIT_DOES_NOT_HOLD = 1
#: Names shown of a long answer.
SHOWN = 30
#: A solution may violate a row by this much, relative to its limit.
FEASIBLE = 1e-6


class _OfProblemFile(TyperCommand):
    """A command whose help lists the kinds of problem files when it is shown: by then others may have added theirs."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        from hybridmip.io.readers import known_kinds

        for parameter in self.params:
            if parameter.name == "file":
                cast(Any, parameter).help = f"The problem: {known_kinds()}; also gzipped (.gz)."
        super().format_help(ctx, formatter)


@app.command(cls=_OfProblemFile)
def solve(
    file: Annotated[Path, typer.Argument(metavar="PROBLEM_FILE", show_default=False)],
    fixed_charge: FixedCharge = None,
    time_limit: TimeLimit = None,
    gap: Gap = None,
    config: ConfigName = Configuration.DEFAULT,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", show_default=False, help="Write the solution here: .json or .sol.")
    ] = None,
    certificate: CertificateFile = None,
    seed: Seed = 0,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Solve a problem file.

    Rows x <= u b are recognised as switches, so that big-M models profit from the perspective relaxation too.

    Examples:

    hybridmip solve model.mps.gz --time-limit 30

    hybridmip solve model.qplib --out model.sol

    hybridmip solve problem.json --out solution.json --certificate proof.json
    """
    closeness = _closeness(gap)
    _check_writable(out, file)
    _check_writable(certificate, file, option="--certificate")

    from hybridmip.io.problems import read_model

    read = read_model(file, fixed_charge)
    problem = read.problem

    from hybridmip.run.solve import solve as solve_problem

    result = solve_problem(
        problem,
        config=_settings(config),
        time_limit=time_limit,
        gap=closeness,
        seed=seed,
        progress=_progress(quiet),
    )
    document = _solution(read, result)
    unwritten = save_certificate(result, certificate)
    if out is not None and result.has_solution:
        try:
            _save_solution(out, read, result, document)
        except FileError as error:
            unwritten = error
    if as_json:
        _write_json(document)
    else:
        _print(*_report(read, result))
    if unwritten is not None:
        raise unwritten
    raise typer.Exit(_exit_code(result))


def save_certificate(result: Result, path: Path | None) -> FileError | None:
    """Write the certificate if it is asked for; an error is returned, to be told after the answer."""
    if path is None:
        return None
    if result.certificate is None:
        _tell(f"there is no bound to certify (the problem is {result.status}); {path} was not written")
        return None
    try:
        result.certificate.save(path)
    except FileError as error:
        return error
    return None


def _solution(read: ReadProblem, result: Result) -> dict[str, Any]:
    """The answer ready for JSON, with objective and bound in the file's own sense."""
    document = {**result.to_dict(), "violation": result.violation if result.has_solution else None}
    document["sense"] = "maximise" if read.maximise else "minimise"
    for key in ("objective", "bound"):
        if document[key] is not None:
            document[key] = read.objective(document[key])
    return document


def _save_solution(path: Path, read: ReadProblem, result: Result, document: dict[str, Any]) -> None:
    if path.name.removesuffix(".gz").endswith(".sol"):
        from hybridmip.io.write import write_solution

        assert result.x is not None
        assert result.b is not None
        write_solution(path, read, result.x, result.b, result.objective)
        return
    import json

    from hybridmip.io.files import write_text

    write_text(path, json.dumps(document, indent=2) + "\n", "the solution")


def _report(read: ReadProblem, result: Result) -> list[Any]:
    from hybridmip.report.terminal import summary

    problem = read.problem
    parts: list[Any] = [problem.describe(), ""]
    if read.maximise:
        shown = f"{read.objective(result.objective):.10g}" if result.has_solution else "none"
        parts = [problem.describe(), f"the file maximises: {shown}; below is its negative, which is minimised", ""]
    if result.has_solution:
        selected = result.selected
        more = f" and {len(selected) - SHOWN} more" if len(selected) > SHOWN else ""
        parts.append(f"on: {', '.join(selected[:SHOWN]) or 'none'}{more}")
        values = list(result.nonzeros())
        shown = ", ".join(f"{name} = {value:.6g}" for name, value in values[:SHOWN])
        more = f" and {len(values) - SHOWN} more" if len(values) > SHOWN else ""
        parts += [f"x: {shown or 'all zero'}{more}", ""]
    elif result.clashing_rows:
        parts.append(f"proven infeasible: these rows clash: {', '.join(result.clashing_rows[:SHOWN])}")
    return [*parts, summary(result)]


@app.command()
def verify(
    file: Annotated[
        Path, typer.Argument(metavar="PROBLEM_FILE", show_default=False, help="The problem, as given to solve.")
    ],
    certificate: Annotated[
        Path, typer.Argument(metavar="CERTIFICATE", show_default=False, help="The proof, as --certificate wrote it.")
    ],
    solution: Annotated[
        Path | None,
        typer.Option(
            metavar="JSON", show_default=False, help="A solution to check as well: the JSON document of a solve."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check a bound, and a solution, from the problem's data alone.

    Takes nothing on trust: the matrix less the diagonal is factorised, the formula evaluated anew, every row of the
    problem checked. Exit code 0 when all holds, 1 when it does not.

    Examples:

    hybridmip verify problem.json proof.json

    hybridmip verify problem.json proof.json --solution solution.json
    """
    from hybridmip.bounds.certificate import Certificate
    from hybridmip.io.problems import read_problem

    problem = read_problem(file)
    proof = Certificate.load(certificate)
    found = proof.verify(problem)
    document: dict[str, Any] = {
        "valid": found.valid,
        "claimed": proof.to_dict()["bound"],
        "bound": found.bound if found.bound > float("-inf") else None,
        "reason": found.reason,
    }
    lines = [
        f"the bound {proof.claimed:.10g} holds: no feasible point is below it"
        if found
        else f"the certificate does not hold: {found.reason}"
    ]
    if found and not math.isfinite(proof.claimed):
        lines = ["the certificate claims no bound"]
    holds = found.valid
    if solution is not None:
        checked = check_solution(problem, solution)
        document["solution"] = checked
        holds = holds and checked["feasible"]
        if checked["feasible"]:
            lines.append(f"the solution is feasible (largest violation {checked['violation']:.1e}),")
            lines.append(f"its objective is {checked['objective']:.10g}")
            if found:
                from hybridmip.report.terminal import optimality_in_words
                from hybridmip.run.result import relative_gap

                gap = relative_gap(checked["objective"], proof.claimed)
                checked["gap"] = gap if math.isfinite(gap) else None
                lines.append(f"so it is {optimality_in_words(checked['objective'], proof.claimed)}")
                if checked["claims_optimal"] and not gap <= 1e-6:
                    lines.append(
                        "(it is said to be optimal: the solver tried all that this bound leaves over, one by one, "
                        "which no certificate shows)"
                    )
            if not checked["objective_as_claimed"]:
                holds = False
                lines.append("but that is not the objective its file claims")
        else:
            lines.append(f"the solution is not feasible: a row or bound is violated by {checked['violation']:.4g}")
    if as_json:
        _write_json(document)
    else:
        _print(*lines)
    raise typer.Exit(0 if holds else EXIT_DOES_NOT_HOLD)


def check_solution(problem: Problem, path: Path) -> dict[str, Any]:
    """Objective and violation of the solution in a JSON file, computed from the problem's data."""
    import numpy as np

    from hybridmip.io.files import read_json

    document = read_json(path, "solution")
    if not isinstance(document, dict) or "selected" not in document:
        raise FileError(f"{path} is not a solution: it has no list 'selected'; give what --json or --out wrote")
    values = document.get("x", document.get("weights", {}))
    if not isinstance(values, dict) or not isinstance(document["selected"], list):
        raise FileError(f"{path} is not a solution: 'selected' must be a list of names and 'x' names with numbers")
    x, b = np.zeros(problem.n), np.zeros(problem.m, dtype=bool)
    for target, names, kind in ((x, problem.x_names, "x"), (b, problem.b_names, "b")):
        places = {name: i for i, name in enumerate(names)}
        given = values.items() if kind == "x" else ((name, True) for name in document["selected"])
        for name, value in given:
            if name not in places:
                raise FileError(f"{path}: the problem has no {kind} named {name!r}")
            if isinstance(value, str) or not math.isfinite(float(value)):
                raise FileError(f"{path}: {name} is {value!r}; it must be a number")
            target[places[name]] = value
    violation = problem.violation(x, b)
    scale = max(1.0, float(np.abs(x).max(initial=0.0)))
    objective, claimed = problem.objective(x, b), document.get("objective")
    if isinstance(claimed, int | float) and document.get("sense") == "maximise":
        claimed = -claimed
    agrees = claimed is None or (
        isinstance(claimed, int | float) and abs(claimed - objective) <= FEASIBLE * max(abs(objective), 1e-12)
    )
    return {
        "feasible": bool(violation <= FEASIBLE * scale),
        "violation": violation,
        "objective": objective,
        "objective_as_claimed": bool(agrees),
        "claims_optimal": document.get("status") == "optimal",
    }


@app.command(cls=_OfProblemFile)
def convert(
    file: Annotated[Path, typer.Argument(metavar="PROBLEM_FILE", show_default=False)],
    out: Annotated[
        Path, typer.Argument(metavar="OUT", show_default=False, help="What to write: .mps, .lp or .json; also .gz.")
    ],
    fixed_charge: FixedCharge = None,
) -> None:
    """Read a problem file of any kind and write it as MPS, LP or JSON.

    A problem that is maximised is written as the minimisation of its negative.

    Examples:

    hybridmip convert model.qplib model.mps.gz

    hybridmip convert cap41.txt cap41.lp
    """
    _check_writable(out, file, option="OUT")

    from hybridmip.io.problem_json import write_problem_json
    from hybridmip.io.problems import read_model
    from hybridmip.io.write import write_lp, write_mps

    writers = {".mps": write_mps, ".lp": write_lp, ".json": write_problem_json}
    suffix = Path(out.name.removesuffix(".gz")).suffix.lower()
    if suffix not in writers:
        raise FileError(f"{out}: no such kind can be written; its name must end in .mps, .lp or .json (.gz may follow)")
    problem = read_model(file, fixed_charge).problem
    writers[suffix](problem, out)
    _print(f"{problem.describe()}", f"written: {out}")


@app.command()
def network(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            show_default=False,
            help="A CSV of arcs (from, to, capacity, unit_cost, fixed_cost); or a Canad .dow, OR-Library warehouse or "
            "DIMACS file.",
        ),
    ],
    nodes: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", show_default=False, help="CSV of node and supply.")
    ] = None,
    commodities: Annotated[
        Path | None,
        typer.Option(metavar="FILE.csv", show_default=False, help="CSV of origin, destination and demand."),
    ] = None,
    max_open: Annotated[
        int | None, typer.Option(min=0, metavar="N", show_default=False, help="Most arcs that may be open.")
    ] = None,
    min_open: Annotated[
        int | None, typer.Option(min=0, metavar="N", show_default=False, help="Fewest arcs that may be open.")
    ] = None,
    figure: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.png", show_default=False, help="Draw the opened arcs and their flows (CSV and .dow)."
        ),
    ] = None,
    fixed_charge: FixedCharge = None,
    time_limit: TimeLimit = None,
    seed: Seed = 0,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Which arcs to open, and what flows on them, at the least cost.

    Examples:

    hybridmip network arcs.csv --nodes nodes.csv --figure network.png

    hybridmip network c33.dow --time-limit 30 --json
    """
    _check_writable(figure, file, nodes, commodities, option="--figure")
    from hybridmip.applications.network import FixedChargeNetwork

    kind = Path(file.name.lower().removesuffix(".gz")).suffix
    limits = {"max_open": max_open, "min_open": min_open}
    if kind == ".csv":
        asked = FixedChargeNetwork.from_csv(file, nodes, commodities=commodities, **limits)
        _solve_network(asked, figure, time_limit, seed, as_json, quiet)
    tables = [("--nodes", nodes), ("--commodities", commodities)]
    drawn = [("--max-open", max_open), ("--min-open", min_open), ("--figure", figure)]
    for option, value in tables if kind == ".dow" else [*tables, *drawn]:
        if value is not None:
            which = "a CSV of arcs" if (option, value) in tables else "a CSV of arcs or a .dow file"
            raise ArgumentError(f"{option} is for {which}, and {file.name} is none; leave it out")
    if kind == ".dow" and fixed_charge is None:
        _solve_network(FixedChargeNetwork.from_canad(file, **limits), figure, time_limit, seed, as_json, quiet)
    from hybridmip.io.problems import read_model
    from hybridmip.run.solve import solve as solve_problem

    read = read_model(file, fixed_charge)
    result = solve_problem(read.problem, time_limit=time_limit, seed=seed, progress=_progress(quiet))
    if as_json:
        _write_json(_solution(read, result))
    else:
        _print(*_report(read, result))
    raise typer.Exit(_exit_code(result))


def _solve_network(
    asked: FixedChargeNetwork,
    figure: Path | None,
    time_limit: float | None,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> NoReturn:
    """Solve, report and exit."""
    from hybridmip.report.terminal import summary
    from hybridmip.run.solve import solve as solve_problem

    result = solve_problem(asked.problem(), time_limit=time_limit, seed=seed, progress=_progress(quiet))
    document = {**result.to_dict(), "violation": result.violation if result.has_solution else None}
    parts: list[Any] = []
    unwritten: FileError | None = None
    if result.has_solution:
        answer = asked.read(result)
        document |= {"open": list(answer.open_arcs), "cost_split": answer.cost_split}
        parts = [str(answer), ""]
        if figure is not None:
            from hybridmip.report.network_figure import network_figure

            try:
                network_figure(answer, figure)
                parts += [f"written: {figure}", ""]
            except FileError as error:
                unwritten = error
    elif result.clashing_rows:
        parts = [f"proven infeasible: these rows clash: {', '.join(result.clashing_rows[:SHOWN])}", ""]
    if as_json:
        _write_json(document)
    else:
        _print(*parts, summary(result))
    if unwritten is not None:
        raise unwritten
    raise typer.Exit(_exit_code(result))
