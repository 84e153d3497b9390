"""The command line: `hybridmip demo`, `hybridmip portfolio`.

Exit codes: 0 a solution, 2 bad input or usage, 3 proven infeasible, 4 none found. Every error is one line on
standard error. The numerical modules are imported inside the commands, so that help comes at once.
"""

from __future__ import annotations

import csv
import difflib
import json
import math
import os
import re
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hybridmip import __version__
from hybridmip.errors import ArgumentError, FileError, HybridMIPError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from hybridmip.applications.portfolio import Group, Portfolio, PortfolioResult
    from hybridmip.progress import TextProgress
    from hybridmip.report.demo import FrontierPoint
    from hybridmip.result import Result

EXIT_SOLUTION = 0
EXIT_USAGE = 2
EXIT_INFEASIBLE = 3
EXIT_NONE_FOUND = 4
EXIT_INTERRUPTED = 130

#: Least weight of an asset held in the demo.
MIN_WEIGHT = 0.01

# Base of all errors in a command line. Typer brings its own copy of click or uses click itself, by version.
_CommandLineError: type[Exception] = typer.BadParameter.__mro__[2]

app = typer.Typer(
    name="hybridmip",
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 a solution, 2 bad input or usage, 3 proven infeasible, 4 none found.",
)


class Kind(StrEnum):
    """What the numbers of a CSV file are."""

    PRICES = "prices"
    RETURNS = "returns"


class Configuration(StrEnum):
    """Which parameters the solver runs with."""

    DEFAULT = "default"
    PAPER = "paper"


def _show_version(wanted: bool) -> None:
    if wanted:
        _write(f"hybridmip {__version__}\n")
        raise typer.Exit


def _positive_seconds(value: float | None) -> float | None:
    if value is not None and not (math.isfinite(value) and value > 0):
        raise ArgumentError(f"--time-limit is {value:g}; give a positive number of seconds")
    return value


def _valid_gap(value: float | None) -> float | None:
    if value is not None and not (math.isfinite(value) and value >= 0):
        raise ArgumentError(f"--gap is {value:g}; give a number of at least 0, such as 1e-4")
    return value


COMMON = "Every command"
Seed = Annotated[
    int,
    typer.Option(min=0, metavar="N", help="Seed of all randomness; same seed, same answer.", rich_help_panel=COMMON),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Write one JSON document on standard output.", rich_help_panel=COMMON)
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.", rich_help_panel=COMMON)]


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Mixed-integer programs with binary variables, solved with a proof of how good the answer is.

    Start with [bold]hybridmip demo[/bold]: it needs no data.
    """
    if context.invoked_subcommand is None:
        _write(context.get_help())
        raise typer.Exit(EXIT_USAGE)


@app.command()
def demo(
    assets: Annotated[int, typer.Option(min=2, metavar="N", help="Assets to choose from.")] = 60,
    hold: Annotated[int, typer.Option(min=1, metavar="N", help="Assets to hold.")] = 10,
    points: Annotated[int, typer.Option(min=2, metavar="N", help="Targets along the frontier.")] = 15,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where frontier.png and frontier.csv go.")] = Path(
        "hybridmip-demo"
    ),
    no_picture: Annotated[bool, typer.Option("--no-picture", help="Do not draw frontier.png.")] = False,
    time_limit: Annotated[
        float,
        typer.Option(
            callback=_positive_seconds,
            metavar="SECONDS",
            help="Seconds for everything; the best so far is shown.",
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
    _make_directory(out)

    import numpy as np
    from rich.text import Text

    from hybridmip.applications.market import market
    from hybridmip.report.demo import save_frontier, sweep, unconstrained_frontier
    from hybridmip.solve import solve

    stocks = market(assets=assets, seed=seed)
    asked = stocks.portfolio(assets=hold, min_weight=MIN_WEIGHT)
    low, high = asked.efficient_range()
    asked = asked.with_target((low + high) / 2)
    sectors = dict(zip(stocks.names, stocks.sectors, strict=True))
    rules = f"{hold} of {assets} assets, each at least {100 * MIN_WEIGHT:g} %"
    show = _ignore if as_json else _print
    ticker = _Ticker(quiet)

    show(Text(f"{rules}: the least risk for an expected return of {_percent(asked.target_return)}", "bold"), "")
    ticker.show("solving the portfolio (the very first solve on a machine compiles the kernel)")
    result = solve(asked.problem(), time_limit=time_limit / 4, seed=seed)
    reading = asked.read(result) if result.has_solution else None
    ticker.clear()
    if reading is not None:
        show(*_portfolio_report(result, reading, sectors, "sector"), "")
    else:
        show(*_no_solution_report(asked, result), "")

    document = result.to_dict("weights")
    if result.stop_reason != "interrupted":
        show(Text(f"The same for {points} returns from {_percent(low)} to {_percent(high)}", "bold"), "")
        ticker.show(f"frontier: 0 of {points} targets solved")
        frontier = sweep(
            asked,
            np.linspace(low, high, points),
            time_limit=max(time_limit - result.seconds, 0.01),
            seed=seed,
            on_point=lambda count, _: ticker.show(f"frontier: {count} of {points} targets solved"),
        )
        ticker.show("drawing")
        free = unconstrained_frontier(asked)
        files = save_frontier(out, frontier, free, reading, sectors, rules, picture=not no_picture)
        ticker.clear()
        document["frontier"] = [point.to_dict() for point in frontier]
        document["files"] = [str(path) for path in files]
        show(*_frontier_report(frontier, free, reading), "")
        show(f"written: {', '.join(map(str, files))}", "", *_what_next())
    if as_json:
        _write_json(document)
    raise typer.Exit(_exit_code(result))


@app.command()
def portfolio(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            show_default=False,
            help="An OR-Library port file, a CSV of prices or returns (dates by assets), or a CSV of means.",
        ),
    ],
    covariance: Annotated[
        Path | None,
        typer.Option(metavar="FILE2", show_default=False, help="CSV of the covariance; FILE then holds the means."),
    ] = None,
    kind: Annotated[
        Kind | None,
        typer.Option(show_default=False, help="What the numbers of a CSV FILE are."),
    ] = None,
    assets: Annotated[
        str | None,
        typer.Option(metavar="K|A:B", show_default=False, help="Hold exactly K assets, or between A and B."),
    ] = None,
    min_weight: Annotated[float, typer.Option(metavar="W", help="Least weight of an asset that is held.")] = 0.0,
    max_weight: Annotated[float, typer.Option(metavar="W", help="Greatest weight of an asset.")] = 1.0,
    target_return: Annotated[
        float | None,
        typer.Option(
            show_default=False,
            metavar="R",
            help="Return of the portfolio per period, as in the data: 0.005 is half a percent.",
        ),
    ] = None,
    at_least: Annotated[
        bool, typer.Option("--at-least", help="The target is a minimum; otherwise it is met exactly.")
    ] = False,
    group: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=A,B:LIMITS",
            show_default=False,
            help="Limits of a group of assets: min_assets, max_assets, min_weight, max_weight. Repeatable.",
        ),
    ] = None,
    groups: Annotated[
        Path | None,
        typer.Option(metavar="FILE.csv", show_default=False, help="CSV of asset and group, one row per asset."),
    ] = None,
    min_group_assets: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", show_default=False, help="Fewest assets of each group of --groups."),
    ] = None,
    max_group_assets: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", show_default=False, help="Most assets of each group of --groups."),
    ] = None,
    max_group_weight: Annotated[
        float | None,
        typer.Option(metavar="W", show_default=False, help="Greatest weight of each group of --groups."),
    ] = None,
    gap: Annotated[
        float | None,
        typer.Option(
            callback=_valid_gap,
            metavar="G",
            show_default=False,
            help="Stop when proven this close to optimal: 1e-4 is 0.01 %.",
        ),
    ] = None,
    config: Annotated[
        Configuration, typer.Option(help="The best known parameters, or those of the paper.")
    ] = Configuration.DEFAULT,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", show_default=False, help="Write the weights here.")
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            callback=_positive_seconds,
            metavar="SECONDS",
            show_default=False,
            help="Seconds; the best so far is returned.",
            rich_help_panel=COMMON,
        ),
    ] = None,
    seed: Seed = 0,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Choose which assets to hold and how much of each, at the least risk.

    Examples:

    hybridmip portfolio port1.txt --assets 10 --min-weight 0.01 --target-return 0.005

    hybridmip portfolio prices.csv --kind prices --assets 5:10 --target-return 0.001 --at-least

    hybridmip portfolio mean.csv --covariance cov.csv --assets 8 --group "Banks=AAA,BBB:max_weight=0.3"
    """
    counts = _asset_counts(assets)
    _check_writable(out)
    limits = _groups(group or [], groups, min_group_assets, max_group_assets, max_group_weight)

    from hybridmip.applications.portfolio import Portfolio
    from hybridmip.io.tables import read_portfolio_data

    data = read_portfolio_data(file, covariance=covariance, kind=None if kind is None else str(kind))
    asked = Portfolio(
        data.returns,
        data.covariance,
        names=data.names,
        assets=counts,
        min_weight=min_weight,
        max_weight=max_weight,
        target_return=target_return,
        return_sense="at_least" if at_least else "equal",
        groups=limits or None,
    )
    # Only now what takes longest to import: bad input is told at once.
    from hybridmip.config import Config
    from hybridmip.solve import solve

    result = solve(
        asked.problem(),
        config=Config.paper() if config is Configuration.PAPER else Config(),
        time_limit=time_limit,
        gap=gap,
        seed=seed,
        progress=_progress(quiet),
    )
    reading = asked.read(result) if result.has_solution else None
    if out is not None and reading is not None:
        from hybridmip.report.demo import save_table

        save_table(reading.table(), out)
    if as_json:
        _write_json(_document(asked, result))
    elif reading is not None:
        _print(*_portfolio_report(result, reading))
        if out is not None:
            _print("", f"written: {out}")
    else:
        _print(*_no_solution_report(asked, result))
    raise typer.Exit(_exit_code(result))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit; the entry point of the `hybridmip` command."""
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal cannot show must not end the program.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    given = list(sys.argv[1:] if arguments is None else arguments)
    command = typer.main.get_command(app)
    try:
        code = command.main(args=given, prog_name="hybridmip", standalone_mode=False)
    except _CommandLineError as error:
        code = _fail(_usage_message(error))
    except HybridMIPError as error:
        code = _fail(str(error))
    except MemoryError:
        code = _fail("not enough memory for this problem; take fewer assets or a machine with more")
    except (KeyboardInterrupt, typer.Abort):
        code = EXIT_INTERRUPTED
    if code == EXIT_INTERRUPTED:
        sys.stderr.write("hybridmip: interrupted before anything was found\n")
    sys.exit(code if isinstance(code, int) else EXIT_SOLUTION)


# ---------------------------------------------------------------- errors


def _fail(message: str) -> int:
    """One line on standard error; the exit code for bad input."""
    sys.stderr.write(f"hybridmip: error: {' '.join(message.split())}\n")
    return EXIT_USAGE


def _usage_message(error: Exception) -> str:
    """What is wrong with the command line, the closest right name, and where the help is."""
    message = str(getattr(error, "format_message", error.__str__)()).rstrip(".")
    message = message.replace("Value error, ", "")
    message = re.sub(r"\. Did you mean (.*)\?$", r" (did you mean \1?)", message)
    context = getattr(error, "ctx", None)
    unknown = getattr(error, "option_name", None)
    if unknown is not None and context is not None and hasattr(error, "possibilities"):
        known = [name for parameter in context.command.params for name in parameter.opts]
        close = difflib.get_close_matches(unknown, known, n=1)
        message = f"no such option: {unknown}" + (f" (did you mean {close[0]}?)" if close else "")
    path = "hybridmip" if context is None else context.command_path
    return f"{message[:1].lower()}{message[1:]}; try '{path} --help'"


def _check_writable(path: Path | None) -> None:
    """Find out before a long solve, not after it."""
    if path is None:
        return
    if path.is_dir():
        raise FileError(f"--out {path} is a directory; give the name of a file")
    if not path.parent.is_dir():
        raise FileError(f"--out {path}: there is no directory {path.parent}; create it first")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise FileError(f"cannot write {path}: permission denied; choose another place")


def _make_directory(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise FileError(f"--out {path} is a file; give the name of a directory") from None
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}; choose another place") from None
    if not os.access(path, os.W_OK):
        raise FileError(f"cannot write into {path}: permission denied; choose another place")


# ---------------------------------------------------------------- options


def _asset_counts(text: str | None) -> int | tuple[int | None, int | None] | None:
    """10 -> 10; 5:10 -> (5, 10); :10 -> (None, 10); 5: -> (5, None)."""
    if text is None:
        return None
    try:
        if ":" not in text:
            return int(text)
        low, high = text.split(":")
        return (int(low) if low.strip() else None, int(high) if high.strip() else None)
    except ValueError:
        raise ArgumentError(f"--assets is {text!r}; give a number such as 10, or a range such as 5:10") from None


def _groups(
    texts: Sequence[str],
    file: Path | None,
    min_assets: int | None,
    max_assets: int | None,
    max_weight: float | None,
) -> dict[str, Group]:
    """Groups of --group and --groups together."""
    shared = {
        "--min-group-assets": min_assets,
        "--max-group-assets": max_assets,
        "--max-group-weight": max_weight,
    }
    given = [option for option, value in shared.items() if value is not None]
    if file is None and given:
        raise ArgumentError(f"{given[0]} needs --groups FILE.csv, which says the group of each asset")
    if file is not None and not given:
        raise ArgumentError(
            "--groups sets no limit by itself; add --max-group-weight, --max-group-assets or --min-group-assets"
        )
    if not texts and file is None:
        return {}
    from hybridmip.applications.portfolio import Group

    limits: dict[str, Group] = {}
    for text in texts:
        name, members, options = _parse_group(text)
        if name in limits:
            raise ArgumentError(f"--group {name!r} is given twice; names of groups must be unique")
        limits[name] = Group(members, **options)
    for name, members in ({} if file is None else _read_groups(file)).items():
        if name in limits:
            raise ArgumentError(f"group {name!r} is in --group and in {file}; names of groups must be unique")
        limits[name] = Group(members, min_assets=min_assets or 0, max_assets=max_assets, max_weight=max_weight)
    return limits


def _parse_group(text: str) -> tuple[str, list[str], dict[str, Any]]:
    """NAME=A,B:min_assets=1,max_weight=0.3 -> name, members, limits."""
    rule = 'write it like "Banks=AAA,BBB:min_assets=1,max_weight=0.3"'
    head, _, tail = text.rpartition(":")
    name, _, members = head.partition("=")
    names = [member.strip() for member in members.split(",") if member.strip()]
    if not name.strip() or not names or not tail.strip():
        raise ArgumentError(f"--group is {text!r}; {rule}")
    kinds: Mapping[str, type[int] | type[float]] = {
        "min_assets": int,
        "max_assets": int,
        "min_weight": float,
        "max_weight": float,
    }
    limits: dict[str, Any] = {}
    for item in tail.split(","):
        key, _, value = (part.strip() for part in item.partition("="))
        if key not in kinds:
            raise ArgumentError(f"--group {name.strip()!r} has the limit {key!r}; known are {', '.join(kinds)}")
        try:
            limits[key] = kinds[key](value)
        except ValueError:
            what = "a whole number" if kinds[key] is int else "a number"
            raise ArgumentError(f"--group {name.strip()!r}: {key} is {value!r}; give {what}") from None
    return name.strip(), names, limits


def _read_groups(path: Path) -> dict[str, list[str]]:
    """Members of each group from a CSV of asset and group; a first row `name,group` is a heading."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            rows = [[cell.strip() for cell in row] for row in csv.reader(stream) if any(row)]
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}; check --groups") from None
    except (UnicodeDecodeError, csv.Error):
        raise FileError(f"{path} is not a CSV text file; give rows of asset and group") from None
    if rows and [cell.lower() for cell in rows[0][1:]] == ["group"]:
        rows = rows[1:]
    if not rows:
        raise FileError(f"{path} is empty; give rows of asset and group")
    members: dict[str, list[str]] = {}
    for number, row in enumerate(rows, start=1):
        if len(row) != 2 or not all(row):
            raise FileError(f"{path}, entry {number}: {','.join(row)!r} is not an asset and a group; mend that row")
        members.setdefault(row[1], []).append(row[0])
    return members


# ---------------------------------------------------------------- output


def _exit_code(result: Result) -> int:
    if result.has_solution:
        return EXIT_SOLUTION
    return EXIT_INFEASIBLE if result.status == "infeasible" else EXIT_NONE_FOUND


def _write(text: str) -> None:
    """Write to standard output; a reader that has gone away is no error."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        # What is left in the buffer must not raise again when Python exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write_json(document: Mapping[str, Any]) -> None:
    _write(json.dumps(document, indent=2, allow_nan=False) + "\n")


def _console() -> Console:
    from rich.console import Console

    # Rich takes 80 columns for a file or a pipe, where nothing forces it to.
    wide = None if sys.stdout.isatty() or "COLUMNS" in os.environ else 100
    return Console(file=sys.stdout, highlight=False, width=wide)


def _print(*parts: RenderableType) -> None:
    """Show the parts below each other; a plain string is shown as it is, without markup or line breaks."""
    console = _console()
    with console.capture() as captured:
        for part in parts:
            console.print(part, markup=False, soft_wrap=isinstance(part, str))
    _write(captured.get())


def _ignore(*parts: RenderableType) -> None:
    """In the place of `_print` where standard output is kept for JSON."""


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.4g} %"


def _progress(quiet: bool) -> TextProgress | None:
    if quiet or not sys.stderr.isatty():
        return None
    from hybridmip.progress import TextProgress

    return TextProgress(sys.stderr)


class _Ticker:
    """One line on standard error that is written over; nothing when that is no terminal."""

    def __init__(self, quiet: bool) -> None:
        self.on = not quiet and sys.stderr.isatty()

    def show(self, text: str) -> None:
        if self.on:
            sys.stderr.write(f"\r\x1b[2K{text} ...")
            sys.stderr.flush()

    def clear(self) -> None:
        if self.on:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()


def _document(asked: Portfolio, result: Result) -> dict[str, Any]:
    document = result.to_dict("weights")
    if result.status == "infeasible" and asked.target_return is not None:
        document["unconstrained_returns"] = list(asked.efficient_range())
    return document


def _portfolio_report(
    result: Result,
    reading: PortfolioResult,
    groups: Mapping[str, str] | None = None,
    group_title: str = "group",
) -> list[RenderableType]:
    from hybridmip.report.terminal import portfolio_table, summary

    table = reading.table()
    if groups is None and "group" in table:
        groups = {str(name): str(group) for name, group in table["group"].items()}
    return [
        portfolio_table(
            [str(name) for name in table.index],
            table["weight"],
            table["expected return"],
            table["risk contribution"],
            groups=groups,
            group_title=group_title,
            ascii_only=_console().options.ascii_only,
        ),
        "",
        summary(result, expected_return=reading.expected_return, risk=reading.risk, objective_name="variance"),
    ]


def _no_solution_report(asked: Portfolio, result: Result) -> list[RenderableType]:
    from rich.text import Text

    from hybridmip.report.terminal import summary

    if result.status != "infeasible":
        advice = "no portfolio was found and none was ruled out; give more time or loosen a rule"
        return [Text(advice, style="bold yellow"), "", summary(result)]
    parts: list[RenderableType] = [Text("proven infeasible: no portfolio satisfies every rule", style="bold red")]
    if result.clashing_rows:
        parts.append(Text(f"these rules clash: {', '.join(result.clashing_rows)}"))
    if asked.target_return is not None:
        low, high = asked.efficient_range()
        parts.append(
            Text(
                f"the target is {_percent(asked.target_return)}; without count, minimum weights and groups "
                f"the frontier runs from {_percent(low)} (least risk) to {_percent(high)} (most return)"
            )
        )
    return [*parts, "", summary(result)]


def _frontier_report(
    frontier: Sequence[FrontierPoint],
    free: tuple[Any, Any],
    reading: PortfolioResult | None,
) -> list[RenderableType]:
    import numpy as np
    from rich.table import Table
    from rich.text import Text

    from hybridmip.report.terminal import frontier_chart, optimality_in_words

    console = _console()
    solved = [point for point in frontier if point.portfolio is not None]
    picture = frontier_chart(
        [point.target for point in solved],
        [point.portfolio.risk for point in solved if point.portfolio is not None],
        unconstrained=(free[0], np.sqrt(np.maximum(free[1], 0.0))),
        chosen=None if reading is None else (reading.expected_return, reading.risk),
        width=min(console.width, 96),
        ascii_only=console.options.ascii_only,
    )
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("target return", "risk", "how good", "found by", "time"):
        words = heading in ("how good", "found by")
        table.add_column(heading, justify="left" if words else "right", no_wrap=True)
    for point in frontier:
        result = point.result
        if point.portfolio is None:
            risk, quality = "-", "proven infeasible" if result.status == "infeasible" else "none found"
        else:
            risk = f"{100 * point.portfolio.risk:.4f} %"
            quality = optimality_in_words(result.objective, result.bound).removesuffix(" (proven)")
        table.add_row(
            f"{100 * point.target:.4f} %",
            risk,
            quality,
            Text(result.found_by or "-"),
            f"{result.seconds:.2f} s",
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


if __name__ == "__main__":
    main()
