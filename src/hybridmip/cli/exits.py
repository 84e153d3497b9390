"""Exit codes: 0 a solution, 2 bad input or usage, 3 proven infeasible, 4 none found."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hybridmip.run.result import Result

EXIT_SOLUTION = 0
#: What was to be verified does not hold.
EXIT_DOES_NOT_HOLD = 1
EXIT_USAGE = 2
EXIT_INFEASIBLE = 3
EXIT_NONE_FOUND = 4
EXIT_INTERRUPTED = 130


def exit_code(result: Result) -> int:
    """The exit code of a solve."""
    if result.has_solution:
        return EXIT_SOLUTION
    return EXIT_INFEASIBLE if result.status == "infeasible" else EXIT_NONE_FOUND
