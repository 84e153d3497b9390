"""The commands that work on problem files: `hybridmip solve` and `hybridmip verify`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hybridmip.cli import (
    AsJson,
    ConfigName,
    Configuration,
    Quiet,
    Seed,
    TimeLimit,
    _check_writable,
    _exit_code,
    _fraction,
    _print,
    _progress,
    _write_json,
    app,
)
from hybridmip.errors import FileError

if TYPE_CHECKING:
    from hybridmip.problem import Problem
    from hybridmip.result import Result

EXIT_DOES_NOT_HOLD = 1
#: Names shown of a long answer.
SHOWN = 30
#: A solution may violate a row by this much, relative to its limit.
FEASIBLE = 1e-6


@app.command()
def solve(
    file: Annotated[
        Path, typer.Argument(metavar="PROBLEM_FILE", show_default=False, help="The problem: a .json that was saved.")
    ],
    time_limit: TimeLimit = None,
    gap: Annotated[
        str | None,
        typer.Option(metavar="G", show_default=False, help="Stop when proven this close to optimal: 0.0001 or 0.01%."),
    ] = None,
    config: ConfigName = Configuration.DEFAULT,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.json", show_default=False, help="Write the solution here.")
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(metavar="FILE.json", show_default=False, help="Write the proof of the bound here."),
    ] = None,
    seed: Seed = 0,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Solve a problem file.

    Examples:

    hybridmip solve problem.json --time-limit 10

    hybridmip solve problem.json --out solution.json --certificate proof.json
    """
    closeness = None if gap is None else _fraction("--gap", gap)
    _check_writable(out, file)
    _check_writable(certificate, file, option="--certificate")

    from hybridmip.io.problems import read_problem

    problem = read_problem(file)

    from hybridmip.config import Config
    from hybridmip.solve import solve as solve_problem

    result = solve_problem(
        problem,
        config={"paper": Config.paper, "quick": Config.quick}.get(config.value, Config)(),
        time_limit=time_limit,
        gap=closeness,
        seed=seed,
        progress=_progress(quiet),
    )
    document = {**result.to_dict(), "violation": result.violation if result.has_solution else None}
    unwritten = save_certificate(result, certificate)
    if out is not None and result.has_solution:
        import json

        from hybridmip.io.files import write_text

        try:
            write_text(out, json.dumps(document, indent=2) + "\n", "the solution")
        except FileError as error:
            unwritten = error
    if as_json:
        _write_json(document)
    else:
        _print(*_report(problem, result))
    if unwritten is not None:
        raise unwritten
    raise typer.Exit(_exit_code(result))


def save_certificate(result: Result, path: Path | None) -> FileError | None:
    """Write the certificate if it is asked for; an error is returned, to be told after the answer."""
    if path is None:
        return None
    if result.certificate is None:
        return FileError(f"there is no bound to certify (the problem is {result.status}); {path} was not written")
    try:
        result.certificate.save(path)
    except FileError as error:
        return error
    return None


def _report(problem: Problem, result: Result) -> list[Any]:
    from hybridmip.report.terminal import summary

    parts: list[Any] = [problem.describe(), ""]
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
            metavar="JSON", show_default=False, help="A solution to check as well, as --json or --out give it."
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
    from hybridmip.certificate import Certificate
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
    holds = found.valid
    if solution is not None:
        checked = check_solution(problem, solution)
        document["solution"] = checked
        holds = holds and checked["feasible"]
        if checked["feasible"]:
            lines.append(f"the solution is feasible (largest violation {checked['violation']:.1e}),")
            lines.append(f"its objective is {checked['objective']:.10g}")
            if found:
                from hybridmip.result import relative_gap

                checked["gap"] = relative_gap(checked["objective"], proof.claimed)
                lines.append(f"so it is at most {100 * checked['gap']:.4g} % above the optimum")
        else:
            lines.append(f"the solution is not feasible: a row or bound is violated by {checked['violation']:.4g}")
    if as_json:
        _write_json(document)
    else:
        _print(*lines)
    raise typer.Exit(0 if holds else EXIT_DOES_NOT_HOLD)


def check_solution(problem: Problem, path: Path) -> dict[str, Any]:
    """Objective and violation of the solution in a JSON file, computed from the problem's data."""
    import math

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
    return {
        "feasible": bool(violation <= FEASIBLE * scale),
        "violation": violation,
        "objective": problem.objective(x, b),
    }
