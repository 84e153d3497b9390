"""The command line: `hybridmip demo`, `portfolio`, `solve`, `verify` (the last two in `cli_files`).

Exit codes: 0 a solution, 2 bad input or usage, 3 proven infeasible, 4 none found. Every error is one line on
standard error. The numerical modules are imported inside the commands, so that help comes at once.
"""

from __future__ import annotations

import contextlib
import difflib
import json
import math
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hybridmip import __version__
from hybridmip.errors import ArgumentError, FileError, HybridMIPError, ProblemError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from hybridmip.applications.portfolio import Group, Portfolio, PortfolioResult
    from hybridmip.run.config import Config
    from hybridmip.run.progress import TextProgress
    from hybridmip.run.result import Result
    from hybridmip.sweep import Frontier

EXIT_SOLUTION = 0
EXIT_USAGE = 2
EXIT_INFEASIBLE = 3
EXIT_NONE_FOUND = 4
EXIT_INTERRUPTED = 130

#: Least weight of an asset held in the demo.
MIN_WEIGHT = 0.01
#: The demo's targets go up to this share of the way to the highest return that can be had.
HIGHEST_TARGET = 0.999

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
    QUICK = "quick"
    PAPER = "paper"


def _show_version(wanted: bool) -> None:
    if wanted:
        _write(f"hybridmip {__version__}\n")
        raise typer.Exit


def _positive_seconds(value: float | None) -> float | None:
    """The limit; None for none, which is what infinitely many seconds are."""
    if value is None or value == math.inf:
        return None
    if not value > 0:
        raise ArgumentError(f"--time-limit is {value:g}; give a positive number of seconds")
    return value


COMMON = "Every command"
Seed = Annotated[
    int,
    typer.Option(min=0, metavar="N", help="Seed of all randomness; same seed, same answer.", rich_help_panel=COMMON),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Write one JSON document on standard output.", rich_help_panel=COMMON)
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        callback=_positive_seconds,
        metavar="SECONDS",
        show_default=False,
        help="Seconds; the best so far is returned.",
        rich_help_panel=COMMON,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.", rich_help_panel=COMMON)]


PortfolioFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help="An OR-Library port file, a CSV of prices or returns (dates by assets), or a CSV of means.",
    ),
]
CovarianceFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE2", show_default=False, help="CSV of the covariance; FILE then holds the means."),
]
KindOfNumbers = Annotated[Kind | None, typer.Option(show_default=False, help="What the numbers of a CSV FILE are.")]
AssetCounts = Annotated[
    str | None,
    typer.Option(metavar="K|A:B", show_default=False, help="Hold exactly K assets, or between A and B."),
]
MinWeight = Annotated[str, typer.Option(metavar="W", help="Least weight of an asset that is held: 0.01 or 1%.")]
MaxWeight = Annotated[str, typer.Option(metavar="W", help="Greatest weight of an asset: 0.3 or 30%.")]
GroupLimits = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=A,B:LIMITS",
        show_default=False,
        help="Limits of a group of assets: min_assets, max_assets, min_weight, max_weight. Repeatable.",
    ),
]
GroupsFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE.csv", show_default=False, help="CSV of asset and group, one row per asset."),
]
MinGroupAssets = Annotated[
    int | None,
    typer.Option(min=0, metavar="N", show_default=False, help="Fewest assets of each group of --groups."),
]
MaxGroupAssets = Annotated[
    int | None,
    typer.Option(min=0, metavar="N", show_default=False, help="Most assets of each group of --groups."),
]
MaxGroupWeight = Annotated[
    str | None,
    typer.Option(metavar="W", show_default=False, help="Greatest weight of each group of --groups."),
]
Gap = Annotated[
    str | None,
    typer.Option(metavar="G", show_default=False, help="Stop when proven this close to optimal: 0.0001 or 0.01%."),
]
CertificateFile = Annotated[
    Path | None, typer.Option(metavar="FILE.json", show_default=False, help="Write the proof of the bound here.")
]
ConfigName = Annotated[
    Configuration, typer.Option(help="The best known parameters; the search alone, without bounds; or the paper's.")
]


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
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the tables and pictures go.")] = Path(
        "hybridmip-demo"
    ),
    no_picture: Annotated[bool, typer.Option("--no-picture", help="Tables only, no pictures, no page.")] = False,
    time_limit: Annotated[
        float | None,
        typer.Option(
            callback=_positive_seconds,
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
    _make_directory(out)

    import numpy as np
    from rich.text import Text

    from hybridmip.applications.market import market
    from hybridmip.cli_frontier import Bar
    from hybridmip.run.solve import solve
    from hybridmip.sweep import frontier as sweep

    stocks = market(assets=assets, seed=seed)
    asked = stocks.portfolio(assets=hold, min_weight=MIN_WEIGHT)
    ticker = _Ticker(quiet)
    ticker.show("looking for the highest return (the very first solve on a machine compiles the kernel)")
    low, high = _returns_to_show(asked, time_limit, seed)
    asked = asked.with_target((low + high) / 2)
    sectors = dict(zip(stocks.names, stocks.sectors, strict=True))
    rules = f"{hold} of {assets} assets, each at least {100 * MIN_WEIGHT:g} %"
    show = _ignore if as_json else _print

    ticker.clear()
    show(Text(f"{rules}: the least risk for an expected return of {_percent(asked.target_return)}", "bold"), "")
    ticker.show("solving the portfolio")
    result = solve(asked.problem(), time_limit=None if time_limit is None else time_limit / 4, seed=seed)
    reading = asked.read(result) if result.has_solution else None
    ticker.clear()
    if reading is not None:
        show(*_portfolio_report(result, reading, sectors, "sector"), "")
    else:
        show(*_no_solution_report(asked, result), "")

    document = _document(asked, result, reading)
    unwritten: FileError | None = None
    if result.stop_reason != "interrupted":
        show(Text(f"The same for {points} returns from {_percent(low)} to {_percent(high)}", "bold"), "")
        found = sweep(
            asked,
            [float(value) for value in np.linspace(low, high, points)],
            time_limit=None if time_limit is None else max(time_limit - result.seconds, 0.01),
            seed=seed,
            progress=Bar(ticker),
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
        _write_json(document)
    if unwritten is not None:
        raise unwritten
    raise typer.Exit(_exit_code(result))


@app.command()
def portfolio(
    file: PortfolioFile,
    covariance: CovarianceFile = None,
    kind: KindOfNumbers = None,
    assets: AssetCounts = None,
    min_weight: MinWeight = "0",
    max_weight: MaxWeight = "1",
    target_return: Annotated[
        str | None,
        typer.Option(
            show_default=False,
            metavar="R",
            help="Return of the portfolio per period, as in the data: 0.005 or 0.5%.",
        ),
    ] = None,
    at_least: Annotated[
        bool, typer.Option("--at-least", help="The target is a minimum; otherwise it is met exactly.")
    ] = False,
    group: GroupLimits = None,
    groups: GroupsFile = None,
    min_group_assets: MinGroupAssets = None,
    max_group_assets: MaxGroupAssets = None,
    max_group_weight: MaxGroupWeight = None,
    gap: Gap = None,
    config: ConfigName = Configuration.DEFAULT,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", show_default=False, help="Write the weights here.")
    ] = None,
    certificate: CertificateFile = None,
    save_problem: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.json", show_default=False, help="Write the problem here, for hybridmip verify and solve."
        ),
    ] = None,
    time_limit: TimeLimit = None,
    seed: Seed = 0,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Choose which assets to hold and how much of each, at the least risk.

    Examples:

    hybridmip portfolio port1.txt --assets 10 --min-weight 0.01 --target-return 0.005

    hybridmip portfolio prices.csv --kind prices --assets 5:10 --target-return 0.001 --at-least

    hybridmip portfolio port1.txt --assets 10 --certificate proof.json --save-problem problem.json

    hybridmip portfolio mean.csv --covariance cov.csv --assets 8 --group "Banks=AAA,BBB:max_weight=0.3"
    """
    target = None if target_return is None else _fraction("--target-return", target_return)
    if at_least and target is None:
        raise ArgumentError("--at-least needs --target-return, the return that is to be had at least")
    closeness = _closeness(gap)
    rules = _Rules(
        file, covariance, kind, assets, min_weight, max_weight, group, groups, min_group_assets, max_group_assets,
        max_group_weight,
    )  # fmt: skip
    _check_writable(out, file, covariance, groups)
    _check_writable(certificate, file, covariance, groups, out, option="--certificate")
    _check_writable(save_problem, file, covariance, groups, out, certificate, option="--save-problem")
    if certificate is not None and certificate in (out, save_problem):
        raise ArgumentError(f"--certificate is {certificate}, which another option names too; give each its own file")
    asked, warnings = rules.read(target, at_least, quiet)
    # Only now what takes longest to import: bad input is told at once.
    from hybridmip.run.solve import solve

    if save_problem is not None:
        from hybridmip.io.problem_json import write_problem_json

        write_problem_json(asked.problem(), save_problem)
    result = solve(
        asked.problem(),
        config=_settings(config),
        time_limit=time_limit,
        gap=closeness,
        seed=seed,
        progress=_progress(quiet),
    )
    reading = asked.read(result) if result.has_solution else None
    unwritten: FileError | None = None
    if out is not None and reading is not None:
        from hybridmip.io.files import write_text

        try:
            write_text(out, reading.table().to_csv(), "the weights")
        except FileError as error:
            unwritten = error  # told after the answer, which must not be lost
    if certificate is not None:
        from hybridmip.cli_files import save_certificate

        unwritten = save_certificate(result, certificate) or unwritten
    if as_json:
        _write_json({**_document(asked, result, reading), "warnings": warnings})
    elif reading is not None:
        _print(*_portfolio_report(result, reading))
        written = [path for path in (out, certificate, save_problem) if path is not None and path.exists()]
        if written and unwritten is None:
            _print("", f"written: {', '.join(map(str, written))}")
    else:
        _print(*_no_solution_report(asked, result))
    if unwritten is not None:
        raise unwritten
    raise typer.Exit(_exit_code(result))


class _Rules:
    """What the options say of a portfolio: checked at once, read from its files when asked."""

    def __init__(
        self,
        file: Path,
        covariance: Path | None,
        kind: Kind | None,
        assets: str | None,
        min_weight: str,
        max_weight: str,
        group: list[str] | None,
        groups: Path | None,
        min_group_assets: int | None,
        max_group_assets: int | None,
        max_group_weight: str | None,
    ) -> None:
        self.file, self.covariance, self.kind = file, covariance, kind
        self.group, self.groups = group or [], groups
        self.counts = _asset_counts(assets)
        self.least, self.greatest = _fraction("--min-weight", min_weight), _fraction("--max-weight", max_weight)
        self.shared = _shared_limits(groups, min_group_assets, max_group_assets, max_group_weight)

    def read(self, target: float | None, at_least: bool, quiet: bool) -> tuple[Portfolio, list[str]]:
        """The portfolio, and warnings about its data (told unless quiet)."""
        from hybridmip.applications.portfolio import Portfolio
        from hybridmip.io.tables import read_portfolio_data

        with _options_in_messages():
            kind = None if self.kind is None else str(self.kind)
            data = read_portfolio_data(self.file, covariance=self.covariance, kind=kind)
            asked = Portfolio(
                data.returns,
                data.covariance,
                names=data.names,
                assets=self.counts,
                min_weight=self.least,
                max_weight=self.greatest,
                target_return=target,
                return_sense="at_least" if at_least else "equal",
                groups=_groups(self.group, self.groups, self.shared, data.names) or None,
            )
        if not quiet:
            for warning in data.warnings:
                _tell(f"warning: {warning}")
        return asked, list(data.warnings)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit; the entry point of the `hybridmip` command."""
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal cannot show must not end the program.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    import hybridmip.cli_files
    import hybridmip.cli_frontier
    import hybridmip.cli_study  # noqa: F401  (all add their commands)

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
    except OSError as error:
        _forget_output()
        code = _fail(f"cannot write the output: {error.strerror or error}")
    except (KeyboardInterrupt, typer.Abort):
        code = EXIT_INTERRUPTED
    if code == EXIT_INTERRUPTED:
        _tell("interrupted")
    sys.exit(code if isinstance(code, int) else EXIT_SOLUTION)


# ---------------------------------------------------------------- errors


def _fail(message: str) -> int:
    """One line on standard error; the exit code for bad input."""
    _tell(f"error: {message}")
    return EXIT_USAGE


def _tell(message: str) -> None:
    """One line on standard error; if nobody can be told, nobody is."""
    with contextlib.suppress(OSError):
        sys.stderr.write(f"hybridmip: {' '.join(message.split())}\n")
        sys.stderr.flush()


@contextlib.contextmanager
def _options_in_messages() -> Iterator[None]:
    """Errors that name an argument of the Python interface name the option instead."""
    try:
        yield
    except HybridMIPError as error:
        message = str(error)
        message = re.sub(r"\bkind='(\w+)'", r"--kind \1", message).replace("covariance=PATH", "--covariance FILE2")
        message = re.sub(r"^(kind|assets)\b", r"--\1", message)
        # Limits of groups have these names on the command line too, and a file may.
        if not isinstance(error, FileError) and not message.startswith(("group", "--group")):
            message = re.sub(r"\b(min|max)_weight\b", r"--\1-weight", message)
        raise type(error)(message) from None


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


def _check_writable(path: Path | None, *inputs: Path | None, option: str = "--out") -> None:
    """Find out before a long solve, not after it."""
    if path is None:
        return
    for given in inputs:
        if given is not None and path.exists() and given.exists() and path.samefile(given):
            raise FileError(f"{option} {path} is a file that is read; give another name")
    if path.is_dir():
        raise FileError(f"{option} {path} is a directory; give the name of a file")
    if not path.parent.is_dir():
        raise FileError(f"{option} {path}: there is no directory {path.parent}; create it first")
    if path.exists() and not path.is_file():
        return  # a device or a pipe: opening it could block
    new = not path.exists()
    try:
        # Append, or what is there would be lost even if nothing is found.
        path.open("ab").close()
        if new:
            path.unlink()
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}; choose another place") from None


def _make_directory(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=path).close()
    except (FileExistsError, NotADirectoryError):
        raise FileError(f"--out {path} is a file, or in one; give the name of a directory") from None
    except OSError as error:
        raise FileError(f"cannot write into {path}: {error.strerror or error}; choose another place") from None


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


def _closeness(gap: str | None) -> float | None:
    """--gap as a number."""
    value = None if gap is None else _fraction("--gap", gap)
    if value is not None and value < 0:
        raise ArgumentError(f"--gap is {gap}; give a number of at least 0, such as 1e-4")
    return value


def _settings(name: Configuration) -> Config:
    """The configuration of that name."""
    from hybridmip.run.config import Config

    return {Configuration.PAPER: Config.paper, Configuration.QUICK: Config.quick}.get(name, Config)()


def _fraction(what: str, text: str) -> float:
    """0.005 or 0.5% as a number; `what` is what messages call it."""
    stripped = text.strip()
    number = stripped.removesuffix("%")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        point = number.replace(",", ".", 1)
        remedy = f"write {point}" if point != number else "give a number such as 0.005 or 0.5%"
        raise ArgumentError(f"{what} is {text!r}; {remedy}")
    # 0.5 / 100 is nearer to what is meant than 0.5 * 0.01.
    return value / 100 if stripped.endswith("%") else value


def _shared_limits(
    file: Path | None, min_assets: int | None, max_assets: int | None, max_weight: str | None
) -> dict[str, Any]:
    """Limits of every group of --groups, as arguments of Group."""
    if file is not None:
        from hybridmip.io.files import read_text

        read_text(file)  # a missing file is the first thing to tell
    given = {
        "--min-group-assets": min_assets,
        "--max-group-assets": max_assets,
        "--max-group-weight": max_weight,
    }
    given = {option: value for option, value in given.items() if value is not None}
    if file is None and given:
        raise ArgumentError(f"{next(iter(given))} needs --groups FILE.csv, which says the group of each asset")
    if file is not None and not given:
        raise ArgumentError(
            "--groups sets no limit by itself; add --max-group-weight, --max-group-assets or --min-group-assets"
        )
    return {
        "min_assets": min_assets or 0,
        "max_assets": max_assets,
        "max_weight": None if max_weight is None else _fraction("--max-group-weight", max_weight),
    }


def _groups(
    texts: Sequence[str], file: Path | None, shared: Mapping[str, Any], names: Sequence[str]
) -> dict[str, Group]:
    """Groups of --group and --groups together."""
    if not texts and file is None:
        return {}
    from hybridmip.applications.portfolio import Group
    from hybridmip.io.tables import read_groups

    limits: dict[str, Group] = {}
    for text in texts:
        name, members, options = _parse_group(text)
        if name in limits:
            raise ArgumentError(f"--group {name!r} is given twice; names of groups must be unique")
        limits[name] = Group(members, **options)
    for name, members in ({} if file is None else read_groups(file, names)).items():
        if name in limits:
            raise ArgumentError(f"group {name!r} is in --group and in {file}; names of groups must be unique")
        limits[name] = Group(members, **shared)
    return limits


def _parse_group(text: str) -> tuple[str, list[str], dict[str, Any]]:
    """NAME=A,B:min_assets=1,max_weight=0.3 -> name, members, limits."""
    rule = 'write it like "Banks=AAA,BBB:min_assets=1,max_weight=0.3"'
    head, _, tail = text.rpartition(":")
    name, _, members = head.partition("=")
    names = [member.strip() for member in members.split(",") if member.strip()]
    if not name.strip() or not names or not tail.strip():
        raise ArgumentError(f"--group is {text!r}; {rule}")
    known = ("min_assets", "max_assets", "min_weight", "max_weight")
    limits: dict[str, Any] = {}
    for item in tail.split(","):
        key, _, value = (part.strip() for part in item.partition("="))
        if key not in known:
            raise ArgumentError(f"--group {name.strip()!r} has the limit {key!r}; known are {', '.join(known)}")
        if key.endswith("weight"):
            limits[key] = _fraction(f"--group {name.strip()!r}: {key}", value)
            continue
        try:
            limits[key] = int(value)
        except ValueError:
            raise ArgumentError(f"--group {name.strip()!r}: {key} is {value!r}; give a whole number") from None
    return name.strip(), names, limits


# ---------------------------------------------------------------- output


def _exit_code(result: Result) -> int:
    if result.has_solution:
        return EXIT_SOLUTION
    return EXIT_INFEASIBLE if result.status == "infeasible" else EXIT_NONE_FOUND


def _write(text: str) -> None:
    """Write to standard output; a reader that has gone away is no error, a full disk is one."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_output()
    except OSError as error:
        _forget_output()
        raise FileError(f"cannot write the answer on standard output: {error.strerror or error}") from None


def _forget_output() -> None:
    """What is left in the buffer must not raise again when Python exits."""
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
    from hybridmip.run.progress import TextProgress

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


def _returns_to_show(asked: Portfolio, time_limit: float | None, seed: int) -> tuple[float, float]:
    """Lowest and highest target of the demo: from the least risk nearly to the most return that can be had."""
    low, high = asked.efficient_range()
    try:
        least, most = asked.attainable_range(time_limit=None if time_limit is None else time_limit / 10, seed=seed)
    except ProblemError:
        return low, high  # no time: the sweep will say so
    low = min(max(low, least), most)
    return low, low + HIGHEST_TARGET * (most - low)


def _document(asked: Portfolio, result: Result, reading: PortfolioResult | None) -> dict[str, Any]:
    """The answer ready for JSON."""
    document = result.to_dict("weights")
    document["expected_return"] = None if reading is None else reading.expected_return
    document["risk"] = None if reading is None else reading.risk
    document["violation"] = None if reading is None else result.violation
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
    idle = [f"    {len(reading.idle)} more selected at weight 0"] if reading.idle else []
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
        *idle,
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


def _frontier_report(found: Frontier, reading: PortfolioResult | None) -> list[RenderableType]:
    import numpy as np
    from rich.table import Table

    from hybridmip.report.terminal import finder_in_words, frontier_chart, optimality_in_words

    console = _console()
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
    for heading in ("target return", "risk", "how good", "found by", "time"):
        words = heading in ("how good", "found by")
        table.add_column(heading, justify="left" if words else "right", no_wrap=True)
    for point in found.points:
        if point.risk is None:
            risk, quality = "-", "proven infeasible" if point.status == "infeasible" else "none found"
        else:
            risk = f"{100 * point.risk:.4f} %"
            quality = optimality_in_words(point.objective, point.bound, point.status == "optimal")
            quality = quality.removesuffix(" (proven)")
        table.add_row(
            f"{100 * point.parameter:.4f} %",
            risk,
            quality,
            finder_in_words(point.found_by),
            f"{point.seconds:.2f} s",
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
