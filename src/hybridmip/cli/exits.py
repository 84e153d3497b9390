"""Exit codes, and what each means."""

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
#: What each of them means.
MEANINGS = {
    EXIT_SOLUTION: "a solution (of a frontier or of accounts: at least one), or what was asked for is done",
    EXIT_DOES_NOT_HOLD: "`hybridmip verify`: the bound or the solution does not hold",
    EXIT_USAGE: "bad input or usage; one line on standard error says what and how to mend it",
    EXIT_INFEASIBLE: "proven infeasible: no point satisfies every rule",
    EXIT_NONE_FOUND: "nothing was found and nothing was ruled out; give more time",
    EXIT_INTERRUPTED: "ended by Ctrl-C before there was an answer",
}


def exit_code(result: Result) -> int:
    """The exit code of a solve."""
    if result.has_solution:
        return EXIT_SOLUTION
    return EXIT_INFEASIBLE if result.status == "infeasible" else EXIT_NONE_FOUND
