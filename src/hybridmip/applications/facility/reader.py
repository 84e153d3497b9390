"""Problems of OR-Library's warehouse files."""

from __future__ import annotations

from hybridmip.applications.facility.location import FacilityLocation
from hybridmip.errors import ArgumentError, FileError, ProblemError
from hybridmip.io.model import ReadProblem
from hybridmip.io.warehouse import parse_warehouses


def read_warehouse(text: str, source: str) -> ReadProblem:
    """The problem of a warehouse file: that of `FacilityLocation.from_orlib`.

    Raises
    ------
    FileError
        If the text is truncated or garbled (the message gives the line), or the capacities are below the demand.
    """
    try:
        problem = FacilityLocation(*parse_warehouses(text, source)).problem()
    except (ArgumentError, ProblemError) as error:
        raise FileError(f"{source}: {error}") from None
    return ReadProblem.of_problem(problem, source, "cost")
