"""`hybridmip network`: which arcs to open, and what flows on them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from hybridmip.cli.exits import exit_code
from hybridmip.cli.options import AsJson, FixedCharge, Quiet, Seed, TimeLimit
from hybridmip.cli.output import print_parts, write_json
from hybridmip.cli.places import check_writable
from hybridmip.cli.problem_report import SHOWN, problem_document, problem_report
from hybridmip.cli.progress import solve_progress
from hybridmip.errors import ArgumentError, FileError

if TYPE_CHECKING:
    from hybridmip.applications.network import FixedChargeNetwork


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
    check_writable(figure, file, nodes, commodities, option="--figure")
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
    result = solve_problem(read.problem, time_limit=time_limit, seed=seed, progress=solve_progress(quiet))
    if as_json:
        write_json(problem_document(read, result))
    else:
        print_parts(*problem_report(read, result))
    raise typer.Exit(exit_code(result))


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

    result = solve_problem(asked.problem(), time_limit=time_limit, seed=seed, progress=solve_progress(quiet))
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
        write_json(document)
    else:
        print_parts(*parts, summary(result))
    if unwritten is not None:
        raise unwritten
    raise typer.Exit(exit_code(result))
