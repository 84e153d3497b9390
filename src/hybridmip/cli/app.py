"""All commands together, and the entry point."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from typer.exceptions import TyperException

from hybridmip import __version__
from hybridmip.cli.ampl import is_ampl_call, run_ampl
from hybridmip.cli.convert import convert
from hybridmip.cli.data import data
from hybridmip.cli.demo import demo
from hybridmip.cli.errors import Commands, fail, usage_message
from hybridmip.cli.exits import EXIT_INTERRUPTED, EXIT_SOLUTION, EXIT_USAGE
from hybridmip.cli.frontier import frontier
from hybridmip.cli.network import network
from hybridmip.cli.output import forget_output, tell, write
from hybridmip.cli.portfolio import portfolio
from hybridmip.cli.problem_file import OfProblemFile
from hybridmip.cli.rebalance import rebalance
from hybridmip.cli.solve import solve
from hybridmip.cli.study import study
from hybridmip.cli.verify import verify
from hybridmip.errors import HybridMIPError

app = typer.Typer(
    name="hybridmip",
    cls=Commands,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 a solution, 1 verify: does not hold, 2 bad input or usage, 3 proven infeasible, "
    "4 none found, 130 interrupted before an answer.",
)
for command in (demo, portfolio, rebalance, solve, verify, convert, network, frontier, study, data):
    app.command(cls=OfProblemFile if command in (solve, convert) else None)(command)


def _show_version(wanted: bool) -> None:
    if wanted:
        write(f"hybridmip {__version__}\n")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", "-v", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Mixed-integer programs with binary variables, solved with a proof of how good the answer is.

    Start with [bold]hybridmip demo[/bold]: it needs no data.
    """
    if context.invoked_subcommand is None:
        write(context.get_help())
        raise typer.Exit(EXIT_USAGE)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit; the entry point of the `hybridmip` command."""
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal cannot show must not end the program.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if is_ampl_call(given):
            code = run_ampl(given)
        else:
            code = typer.main.get_command(app).main(args=given, prog_name="hybridmip", standalone_mode=False)
    except TyperException as error:
        code = fail(usage_message(error))
    except HybridMIPError as error:
        code = fail(str(error))
    except MemoryError:
        code = fail("not enough memory for this problem; take fewer assets or a machine with more")
    except OSError as error:
        forget_output()
        code = fail(f"cannot write the output: {error.strerror or error}")
    except (KeyboardInterrupt, typer.Abort):
        code = EXIT_INTERRUPTED
    if code == EXIT_INTERRUPTED:
        tell("interrupted")
    sys.exit(code if isinstance(code, int) else EXIT_SOLUTION)
