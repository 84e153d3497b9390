"""`hybridmip convert`: a problem file as one of another kind."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hybridmip.cli.options import FixedCharge
from hybridmip.cli.output import print_parts
from hybridmip.cli.places import check_writable
from hybridmip.cli.problem_file import ProblemFile


def convert(
    file: ProblemFile,
    out: Annotated[
        Path,
        typer.Argument(metavar="OUT", show_default=False, help="What to write: .mps, .lp, .nl or .json; also .gz."),
    ],
    fixed_charge: FixedCharge = None,
) -> None:
    """Read a problem file of any kind and write it as MPS, LP, AMPL's .nl or JSON.

    A problem that is maximised is written as the minimisation of its negative. An .nl file gets its names in two files
    beside it, .row and .col.

    Examples:

    hybridmip convert model.qplib model.mps.gz

    hybridmip convert cap41.txt cap41.lp
    """
    check_writable(out, file, option="OUT")

    from hybridmip.io.problems import read_model, write_problem

    problem = read_model(file, fixed_charge).problem
    write_problem(problem, out)
    print_parts(f"{problem.describe()}", f"written: {out}")
