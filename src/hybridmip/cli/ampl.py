"""`hybridmip stub -AMPL key=value ...`: as AMPL, Pyomo and JuMP call a solver of .nl files."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hybridmip import __version__
from hybridmip.adapters.words import KNOWN, read_words, words_of
from hybridmip.cli.exits import EXIT_SOLUTION
from hybridmip.cli.output import tell, write
from hybridmip.cli.places import check_writable

if TYPE_CHECKING:
    from hybridmip.adapters.solving import Outcome

#: Options for every call, as AMPL's `option hybridmip_options "..."` hands them over.
ENVIRONMENT = "hybridmip_options"
#: AMPL's solve_result_num, of which the hundreds are the same for every solver; limits with a point and without one.
SOLVED, UNPROVEN, INFEASIBLE, UNBOUNDED, FAILURE = 0, 400, 200, 300, 500
STOPPED = {"interrupted": (401, 471), "time_limit": (402, 472), "evaluation_limit": (400, 470)}
NO_POINT = 470


def is_ampl_call(arguments: Sequence[str]) -> bool:
    """Whether the command line is one of AMPL's: a stub and -AMPL, or -= for the list of options."""
    return list(arguments[1:2]) == ["-AMPL"] or list(arguments) == ["-="]


def run_ampl(arguments: Sequence[str]) -> int:
    """Read stub.nl, solve it, write stub.sol; returns the exit code, 0 where there is a .sol.

    Raises
    ------
    HybridMIPError
        If an option or the file is not what it should be.
    """
    if arguments[0] == "-=":
        write("".join(f"{name:<12s}{what}\n" for name, (_, what) in KNOWN.items()))
        return EXIT_SOLUTION
    words = [*words_of(os.environ.get(ENVIRONMENT, "")), *arguments[2:]]
    options = read_words(words)
    stub = arguments[0]
    path = Path(stub if stub.endswith((".nl", ".nl.gz")) else f"{stub}.nl").expanduser()
    out = path.with_name(path.name.removesuffix(".gz").removesuffix(".nl") + ".sol")
    check_writable(out, path, option=".sol")

    from hybridmip.adapters.solving import solve_nl
    from hybridmip.io.ampl_solution import write_sol
    from hybridmip.io.nl import read_nl
    from hybridmip.run.progress import TextProgress

    stated = read_nl(path, options.objno - 1)
    write(f"HybridMIP {__version__}: {' '.join(dict.fromkeys(words))}\n")
    if stated.header.objectives > 1:
        tell(f"{path} has {stated.header.objectives} objectives; number {options.objno} is solved for (objno=...)")
    outcome = solve_nl(stated, options, TextProgress(sys.stdout) if options.outlev else None)
    write_sol(out, stated.header, outcome.message, _code(outcome), outcome.values, stated.objective, _suffixes(outcome))
    return EXIT_SOLUTION


def _code(outcome: Outcome) -> int:
    if outcome.infeasible or outcome.unbounded:
        return INFEASIBLE if outcome.infeasible else UNBOUNDED
    if outcome.solved:
        return SOLVED
    has_point, reason = outcome.values is not None, outcome.stop_reason
    if reason == "engine_failed":
        return FAILURE
    return STOPPED.get(str(reason), (UNPROVEN, NO_POINT))[0 if has_point else 1]


def _suffixes(outcome: Outcome) -> dict[str, float]:
    """The bound and the gaps by the names that AMPL's solvers have for them."""
    found: dict[str, float] = {}
    if outcome.bound is not None:
        found["bestbound"] = outcome.bound
        if outcome.objective is not None and outcome.result is not None:
            found["absmipgap"] = abs(outcome.objective - outcome.bound)
            found["relmipgap"] = outcome.result.gap
    return found
