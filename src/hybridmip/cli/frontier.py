"""`hybridmip frontier`: the whole curve, stored as it comes."""

from __future__ import annotations

import math
import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hybridmip.cli import history, trading
from hybridmip.cli.cluster import executor_of
from hybridmip.cli.exits import EXIT_INFEASIBLE, EXIT_NONE_FOUND, EXIT_SOLUTION
from hybridmip.cli.options import (
    COMMON,
    AsJson,
    ConfigName,
    Configuration,
    Dask,
    Quiet,
    Seed,
    fraction,
    positive_seconds,
    settings,
)
from hybridmip.cli.output import print_parts, write_json
from hybridmip.cli.places import make_directory
from hybridmip.cli.progress import FrontierBar, Ticker
from hybridmip.cli.rules import (
    AssetCounts,
    CovarianceFile,
    GroupLimits,
    GroupsFile,
    KindOfNumbers,
    MaxGroupAssets,
    MaxGroupWeight,
    MaxWeight,
    MinGroupAssets,
    MinWeight,
    PortfolioFile,
    Rules,
)
from hybridmip.errors import ArgumentError, FileError
from hybridmip.files import read_text

if TYPE_CHECKING:
    from hybridmip.applications.portfolio import Portfolio
    from hybridmip.sweep import Frontier

#: The file of a run, in its folder.
RUN_FILE = "run.sqlite"


class Between(StrEnum):
    """Over which returns the targets are spread."""

    AUTO = "auto"
    EFFICIENT = "efficient"
    ATTAINABLE = "attainable"


def frontier(
    file: PortfolioFile,
    covariance: CovarianceFile = None,
    kind: KindOfNumbers = None,
    missing: history.MissingValues = history.Missing.ERROR,
    since: history.Since = None,
    until: history.Until = None,
    min_history: history.MinHistory = None,
    shrink: history.ShrinkName = history.Shrink.NONE,
    periods_per_year: history.PeriodsPerYear = None,
    assets: AssetCounts = None,
    min_weight: MinWeight = "0",
    max_weight: MaxWeight = "1",
    group: GroupLimits = None,
    groups: GroupsFile = None,
    min_group_assets: MinGroupAssets = None,
    max_group_assets: MaxGroupAssets = None,
    max_group_weight: MaxGroupWeight = None,
    exclude: trading.Exclude = None,
    points: Annotated[int, typer.Option(min=1, metavar="N", help="Targets, evenly spaced.")] = 50,
    between: Annotated[
        str,
        typer.Option(
            "--range",
            metavar="LOW:HIGH|KIND|FILE",
            help="Returns between which the targets lie: two numbers; efficient (the unconstrained frontier's); "
            "attainable (all that satisfy the rules); or an OR-Library portef file. auto is the portef file "
            "beside an OR-Library port file, else efficient.",
        ),
    ] = "auto",
    targets: Annotated[
        str | None,
        typer.Option(metavar="R,R,...|FILE", show_default=False, help="The targets themselves, or a file of them."),
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the run and its files go.")] = Path(
        "hybridmip-frontier"
    ),
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run that is in --out.")] = False,
    jobs: Annotated[
        int | None, typer.Option(min=1, metavar="N", show_default=False, help="Solve in so many processes.")
    ] = None,
    dask: Dask = None,
    no_pictures: Annotated[
        bool, typer.Option("--no-pictures", help="Only the CSV files: no frontier.png, .svg and report.html.")
    ] = False,
    config: ConfigName = Configuration.DEFAULT,
    time_limit: Annotated[
        float | None,
        typer.Option(
            callback=positive_seconds,
            metavar="SECONDS",
            show_default=False,
            rich_help_panel=COMMON,
            help="Seconds for all targets together; what is there by then is written.",
        ),
    ] = None,
    seed: Seed = 0,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """The whole frontier: the least risk for every return, with what is proven of it.

    Writes frontier.csv, weights.csv, frontier.png, frontier.svg and report.html (a page that works offline) into a
    folder, and keeps every answer in run.sqlite as it comes: after a crash, --resume goes on where it was.

    Examples:

    hybridmip frontier port1.txt --assets 10 --min-weight 0.01 --points 50 --out runs/hang-seng

    hybridmip frontier prices.csv --kind prices --assets 5:10 --range attainable --jobs 4 --out runs/mine

    hybridmip frontier prices.csv --since 2020 --missing drop-assets --periods-per-year 252 --assets 10

    hybridmip frontier port1.txt --assets 10 --min-weight 0.01 --out runs/hang-seng --resume
    """
    rules = Rules(
        file, covariance, kind, assets, min_weight, max_weight, group, groups, min_group_assets, max_group_assets,
        max_group_weight, history.arguments(missing, since, until, min_history, shrink, periods_per_year),
    )  # fmt: skip
    if jobs is not None and dask is not None:
        raise ArgumentError("--jobs and --dask are both given; give one of them")
    given = None if targets is None else _targets(targets)
    limits = None if given is not None else _limits(between, file)
    portfolio, warnings = rules.read(None, False, trading.arguments({"exclude": exclude}))
    make_directory(out)
    if resume and not (out / RUN_FILE).is_file():
        raise ArgumentError(f"--resume: there is no run in {out}; check --out, or leave --resume out to start one")
    title = _title(portfolio, file)

    from hybridmip.sweep import frontier as sweep

    grid = given
    if grid is None:
        grid = _spread(portfolio, limits, points)
    ticker = Ticker(quiet)
    with executor_of(dask) as executor:
        found = sweep(
            portfolio, grid,
            config=settings(config),
            seed=seed, time_limit=time_limit, store=out / RUN_FILE, resume=resume, executor=executor, jobs=jobs,
            progress=FrontierBar(ticker),
        )  # fmt: skip
    ticker.show("writing the tables and pictures")
    files = found.save(out, title, pictures=not no_pictures)
    ticker.clear()
    if as_json:
        document = found.document(title)
        if periods_per_year is not None:
            document["periods_per_year"] = periods_per_year
        write_json({**document, "files": [str(path) for path in files], "seconds": found.seconds, "warnings": warnings})
    else:
        print_parts(*_report(found, title, periods_per_year), "", f"written: {', '.join(str(path) for path in files)}")
        if found.interrupted:
            print_parts(f"interrupted: go on with the same command and --resume --out {out}")
    raise typer.Exit(_code(found))


def _code(found: Frontier) -> int:
    counts = found.counts
    if counts["optimal"] or counts["feasible"]:
        return EXIT_SOLUTION
    return EXIT_INFEASIBLE if counts["infeasible"] == len(found) else EXIT_NONE_FOUND


def _title(portfolio: Portfolio, file: Path) -> str:
    low, high = portfolio.count_range
    held = f"{low}" if low == high else f"at most {high}" if low == 0 else f"{low} to {high}"
    return f"{file.name}: {held} of {portfolio.n} assets" if portfolio.assets is not None else f"{file.name}"


def _targets(text: str) -> list[float]:
    """Targets given as a list, or as a file with one in the first column of every line."""
    if not text.strip():
        raise ArgumentError("--targets is empty; give returns such as 0.002,0.003, or a file of them")
    if not Path(text).exists() and ("," in text or re.fullmatch(r"[-+0-9.eE%]+", text.strip())):
        return [fraction("--targets", part) for part in text.split(",") if part.strip()]
    values = []
    column = 0
    for number, line in enumerate(read_text(text).splitlines(), start=1):
        cells = re.split(r"[\s,;]+", line.strip())
        if number == 1 and "target_return" in cells:
            column = cells.index("target_return")
            continue
        cell = cells[column] if column < len(cells) else ""
        if not cell:
            continue
        try:
            values.append(float(cell))
        except ValueError:
            if values or number > 1:
                raise FileError(f"{text}, line {number}: {cell!r} is not a number; give one target a line") from None
    if not values:
        raise FileError(f"{text} has no targets; give one a line")
    return values


def _limits(between: str, file: Path) -> tuple[float, float] | str:
    """Two returns, or the kind of range."""
    if ":" in between and not Path(between).exists():
        low, _, high = between.partition(":")
        ends = fraction("--range", low), fraction("--range", high)
        if not ends[0] <= ends[1]:
            raise ArgumentError(f"--range is {between}; the lower return comes first")
        return ends
    if between in (Between.EFFICIENT, Between.ATTAINABLE):
        return between
    beside = file.with_name(re.sub(r"^port(\d+)", r"portef\1", file.name))
    path = beside if between == Between.AUTO else Path(between)
    if between == Between.AUTO and (beside.name == file.name or not beside.is_file()):
        return "efficient"
    if between != Between.AUTO and not path.exists():
        raise ArgumentError(
            f"--range is {between!r}; give LOW:HIGH, efficient, attainable, or a portef file that exists"
        )
    from hybridmip.io.orlib import read_portef

    returns, _ = read_portef(path)
    return float(returns.min()), float(returns.max())


def _spread(portfolio: Portfolio, limits: tuple[float, float] | str | None, points: int) -> list[float]:
    import numpy as np

    if isinstance(limits, tuple):
        return [float(value) for value in np.linspace(*limits, points)]
    from hybridmip.sweep.family import spread

    return spread(portfolio, limits or "efficient", points)


def _report(found: Frontier, title: str, periods_per_year: float | None) -> list[Any]:
    from rich.table import Table
    from rich.text import Text

    from hybridmip.run.words import advice, gap_in_words

    table = Table(box=None, pad_edge=False, header_style="bold")
    yearly = () if periods_per_year is None else ("target per year", "risk per year")
    beside = () if yearly else ("expected return",)  # what a terminal has room for
    for name in ("target return", *beside, "risk", *yearly, "assets", "gap"):
        table.add_column(name, justify="right")
    shown = list(found.points)
    if len(shown) > 24:  # a long one is thinned: all of it is in frontier.csv
        shown = [found.points[i] for i in sorted({round(k * (len(found) - 1) / 23) for k in range(24)})]
    for point in shown:
        if point.risk is None:
            proven = "infeasible" if point.status == "infeasible" else "none found"
            proven = "not reached" if point.status == "unknown" and not point.evaluations else proven
            target = _per_year(point.parameter, None, periods_per_year)
            table.add_row(f"{100 * point.parameter:.4f} %", *("-" for _ in beside), "-", *target, "-", proven)
            continue
        words = gap_in_words(point.objective, point.bound, point.status == "optimal", point.gap).partition(" (")[0]
        returns = (point.expected_return or 0.0,) if beside else ()
        shares = [f"{100 * value:.4f} %" for value in (point.parameter, *returns, point.risk)]
        per_year = _per_year(point.parameter, point.risk, periods_per_year)
        table.add_row(*shares, *per_year, str(len(point.selected)), words)
    counts = found.counts
    words = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    thinned = [f"({len(shown)} of {len(found)} are shown; all are in frontier.csv)"] if len(shown) < len(found) else []
    total = f"{len(found)} target{'s' if len(found) > 1 else ''} in {found.seconds:.1f} s: {words}"
    help_ = advice(found.suggested_time_limit, "--time-limit ")
    return [Text(title, "bold"), "", table, *thinned, "", total, *([f"{help_} of open points"] if help_ else [])]


def _per_year(target: float, risk: float | None, periods: float | None) -> tuple[str, ...]:
    """Cells with a target and its risk per year, where that is asked for."""
    if periods is None:
        return ()
    risks = "-" if risk is None else f"{100 * risk * math.sqrt(periods):.2f} %"
    return f"{100 * target * periods:.2f} %", risks
