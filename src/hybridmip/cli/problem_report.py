"""The answer to a problem file: as a JSON document, and for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hybridmip.io.model import ReadProblem
    from hybridmip.run.result import Result

#: Names shown of a long answer.
SHOWN = 30


def problem_document(read: ReadProblem, result: Result) -> dict[str, Any]:
    """The answer ready for JSON, with objective and bound in the file's own sense."""
    document = {**result.to_dict(), "violation": result.violation if result.has_solution else None}
    document["sense"] = "maximise" if read.maximise else "minimise"
    for key in ("objective", "bound"):
        if document[key] is not None:
            document[key] = read.objective(document[key])
    return document


def problem_report(read: ReadProblem, result: Result) -> list[Any]:
    from hybridmip.report.terminal import summary

    problem = read.problem
    parts: list[Any] = [problem.describe(), ""]
    if read.maximise:
        shown = f"{read.objective(result.objective):.10g}" if result.has_solution else "none"
        parts = [problem.describe(), f"the file maximises: {shown}; below is its negative, which is minimised", ""]
    if result.has_solution:
        selected = result.selected
        more = f" and {len(selected) - SHOWN} more" if len(selected) > SHOWN else ""
        parts.append(f"on: {', '.join(selected[:SHOWN]) or 'none'}{more}")
        values = list(result.nonzeros())
        shown = ", ".join(f"{name} = {value:.6g}" for name, value in values[:SHOWN])
        more = f" and {len(values) - SHOWN} more" if len(values) > SHOWN else ""
        parts += [f"x: {shown or 'all zero'}{more}", ""]
    elif result.clashing_rows:
        parts.append(f"proven infeasible: these rows clash: {', '.join(result.clashing_rows[:SHOWN])}")
    return [*parts, summary(result)]
