"""`hybridmip demo`: the main job on built-in data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hybridmip.cli.exits import exit_code
from hybridmip.cli.options import COMMON, AsJson, Quiet, Seed, positive_seconds
from hybridmip.cli.output import ignore_parts, make_console, percent, print_parts, write_json
from hybridmip.cli.places import make_directory
from hybridmip.cli.portfolio_report import no_solution_report, portfolio_document, portfolio_report
from hybridmip.cli.progress import FrontierBar, Ticker
from hybridmip.errors import ArgumentError, FileError, ProblemError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from hybridmip.applications.portfolio import Portfolio, PortfolioResult
    from hybridmip.sweep import Frontier

#: Least weight of an asset held in the demo.
MIN_WEIGHT = 0.01
#: The demo's targets go up to this share of the way to the highest return that can be had.
HIGHEST_TARGET = 0.999


def demo(
    assets: Annotated[int, typer.Option(min=2, metavar="N", help="Assets to choose from.")] = 60,
    hold: Annotated[int, typer.Option(min=1, metavar="N", help="Assets to hold.")] = 10,
    points: Annotated[int, typer.Option(min=2, metavar="N", help="Targets along the frontier.")] = 15,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the tables and pictures go.")] = Path(
        "hybridmip-demo"
    ),
    no_picture: Annotated[bool, typer.Option("--no-picture", help="Tables only, no pictures, no page.")] = False,
    time_limit: Annotated[
        float | None,
        typer.Option(
            callback=positive_seconds,
            metavar="SECONDS",
            help="Seconds for everything; the best so far is shown. inf for no limit.",
            rich_help_panel=COMMON,
        ),
    ] = 60.0,
    seed: Seed = 0,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """The main job on built-in data: the best portfolio of few assets, and its frontier.

    Examples:

    hybridmip demo

    hybridmip demo --assets 120 --hold 8 --points 25 --out my-demo
    """
    if hold > assets:
        raise ArgumentError(f"--hold is {hold} but there are {assets} assets; lower it or raise --assets")
    if hold * MIN_WEIGHT > 1:
        most = int(1 / MIN_WEIGHT)
        raise ArgumentError(
            f"--hold is {hold}, but each asset has at least {100 * MIN_WEIGHT:g} %; hold at most {most}"
        )
    make_directory(out)

    import numpy as np
    from rich.text import Text

    from hybridmip.applications.market import market
    from hybridmip.run.solve import solve
    from hybridmip.sweep import frontier as sweep

    stocks = market(assets=assets, seed=seed)
    asked = stocks.portfolio(assets=hold, min_weight=MIN_WEIGHT)
    ticker = Ticker(quiet)
    ticker.show("looking for the highest return (the very first solve on a machine compiles the kernel)")
    low, high = _returns_to_show(asked, time_limit, seed)
    asked = asked.with_target((low + high) / 2)
    sectors = dict(zip(stocks.names, stocks.sectors, strict=True))
    rules = f"{hold} of {assets} assets, each at least {100 * MIN_WEIGHT:g} %"
    show = ignore_parts if as_json else print_parts

    ticker.clear()
    show(Text(f"{rules}: the least risk for an expected return of {percent(asked.target_return)}", "bold"), "")
    ticker.show("solving the portfolio")
    result = solve(asked.problem(), time_limit=None if time_limit is None else time_limit / 4, seed=seed)
    reading = asked.read(result) if result.has_solution else None
    ticker.clear()
    if reading is not None:
        show(*portfolio_report(result, reading, sectors, "sector", advise=False), "")
    else:
        show(*no_solution_report(asked, result), "")

    document = portfolio_document(asked, result, reading)
    unwritten: FileError | None = None
    if result.stop_reason != "interrupted":
        show(Text(f"The same for {points} returns from {percent(low)} to {percent(high)}", "bold"), "")
        found = sweep(
            asked,
            [float(value) for value in np.linspace(low, high, points)],
            time_limit=None if time_limit is None else max(time_limit - result.seconds, 0.01),
            seed=seed,
            progress=FrontierBar(ticker),
        )
        ticker.show("drawing")
        chosen = None if reading is None else (reading.expected_return, reading.variance)
        files: list[Path] = []
        try:
            files = found.save(
                out, rules, pictures=not no_picture, groups=sectors, group_title="sector", chosen=chosen
            )  # fmt: skip
        except FileError as error:
            unwritten = error
        ticker.clear()
        document["frontier"] = found.document()["points"]
        document["files"] = [str(path) for path in files]
        show(*_frontier_report(found, reading), "")
        if files:
            show(f"written: {', '.join(map(str, files))}", "")
        show(*_what_next())
    if as_json:
        write_json(document)
    if unwritten is not None:
        raise unwritten
    raise typer.Exit(exit_code(result))


def _returns_to_show(asked: Portfolio, time_limit: float | None, seed: int) -> tuple[float, float]:
    """Lowest and highest target of the demo: from the least risk nearly to the most return that can be had."""
    low, high = asked.efficient_range()
    try:
        least, most = asked.attainable_range(time_limit=None if time_limit is None else time_limit / 10, seed=seed)
    except ProblemError:
        return low, high  # no time: the sweep will say so
    low = min(max(low, least), most)
    return low, low + HIGHEST_TARGET * (most - low)


def _frontier_report(found: Frontier, reading: PortfolioResult | None) -> list[RenderableType]:
    import numpy as np
    from rich.table import Table

    from hybridmip.report.terminal import frontier_chart
    from hybridmip.run.words import finder_in_words, gap_in_words

    console = make_console()
    solved = [point for point in found.points if point.risk is not None]
    free = found.unconstrained
    picture = frontier_chart(
        [point.parameter for point in solved],
        [point.risk for point in solved if point.risk is not None],
        unconstrained=None if free is None else (free[0], np.sqrt(np.maximum(free[1], 0.0))),
        chosen=None if reading is None else (reading.expected_return, reading.risk),
        width=min(console.width, 96),
        ascii_only=console.options.ascii_only,
    )
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("target return", "risk", "gap", "found by", "seconds"):
        words = heading in ("gap", "found by")
        table.add_column(heading, justify="left" if words else "right", no_wrap=True)
    for point in found.points:
        if point.risk is None:
            risk, quality = "-", "proven infeasible" if point.status == "infeasible" else "none found"
        else:
            risk = f"{100 * point.risk:.4f} %"
            quality = gap_in_words(point.objective, point.bound, point.status == "optimal", point.gap)
            quality = quality.partition(" (")[0]
        table.add_row(
            f"{100 * point.parameter:.4f} %",
            risk,
            quality,
            finder_in_words(point.found_by),
            f"{point.seconds:.2f}",
        )
    return [picture, "", table]


def _what_next() -> list[RenderableType]:
    from rich.text import Text

    commands = (
        "hybridmip demo --hold 5 --points 30",
        "hybridmip portfolio prices.csv --kind prices --assets 10 --min-weight 0.01 --target-return 0.001",
        "hybridmip portfolio --help",
    )
    return [Text("What next", style="bold"), *(f"  {command}" for command in commands)]
