"""The .sol files that AMPL, Pyomo and JuMP read a solver's answer from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from hybridmip.files import write_text
from hybridmip.io.nl_scan import Header
from hybridmip.model.quadratic import Vector

#: Kinds of suffixes that hold real numbers: of objectives, and of the problem.
OF_OBJECTIVE, OF_PROBLEM = 6, 7


def write_sol(
    path: str | Path,
    header: Header,
    message: str,
    code: int,
    values: Vector | None = None,
    objective: int = 0,
    suffixes: Mapping[str, float] | None = None,
) -> None:
    """Write the answer to an .nl file.

    Parameters
    ----------
    path : path
    header : Header
        Of the .nl file: its option words are repeated.
    message : str
        What the modelling tool shows.
    code : int
        AMPL's `solve_result_num`: 0 solved, 200 infeasible, 300 unbounded, 400 a limit, 500 a failure.
    values : ndarray, optional
        The point, in the file's order; none for no point. There are no multipliers.
    objective : int
        Place of the objective, from 0.
    suffixes : mapping of str to float, optional
        Numbers for the objective and the problem, by name; those that are not finite are left out.
    """
    # A blank line would end the message.
    lines = [line if line.strip() else " " for line in message.splitlines()]
    # The tolerance counts for two, as AMPL's own library has it.
    count = len(header.options) + (0 if header.tolerance is None else 2)
    primal = [] if values is None else [repr(float(value)) for value in values]
    lines += ["", "Options", str(count), *map(str, header.options)]
    lines += [str(header.rows), "0", str(header.variables), str(len(primal))]
    lines += [] if header.tolerance is None else [repr(header.tolerance)]
    lines += [*primal, f"objno {objective} {code}"]
    for name, value in (suffixes or {}).items():
        if math.isfinite(value):
            for kind, place in ((OF_OBJECTIVE, objective), (OF_PROBLEM, 0)):
                lines += [f"suffix {kind} 1 {len(name) + 1} 0 0", name, f"{place} {value!r}"]
    write_text(path, "\n".join(lines) + "\n", "the solution")
