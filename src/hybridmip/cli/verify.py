"""`hybridmip verify`: a bound, and a solution, checked from the problem's data alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hybridmip.cli.exits import EXIT_DOES_NOT_HOLD
from hybridmip.cli.options import AsJson
from hybridmip.cli.output import print_parts, write_json
from hybridmip.errors import FileError
from hybridmip.files import read_json
from hybridmip.tolerances import OPTIMAL_GAP

if TYPE_CHECKING:
    from hybridmip.model.problem import Problem

#: A solution may violate a row by this much, relative to its limit.
FEASIBLE = 1e-6
#: What is the matter where an older document of a portfolio does not fit.
WEIGHTS_ALONE = "the file has weights of assets and not the problem's own x; write it anew with --json"


def verify(
    file: Annotated[
        Path, typer.Argument(metavar="PROBLEM_FILE", show_default=False, help="The problem, as given to solve.")
    ],
    certificate: Annotated[
        Path, typer.Argument(metavar="PROOF", show_default=False, help="What --certificate or --proof wrote.")
    ],
    solution: Annotated[
        Path | None,
        typer.Option(
            metavar="JSON", show_default=False, help="A solution to check as well: the JSON document of a solve."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check a bound, and a solution, from the problem's data alone.

    Takes nothing on trust: every matrix less its diagonal is factorised, the formula evaluated anew, every row of the
    problem checked, and of a tree that its leaves cover all choices. Exit code 0 when all holds, 1 when it does not.

    Examples:

    hybridmip verify problem.json proof.json

    hybridmip verify problem.json proof.json --solution solution.json
    """
    from hybridmip.bounds.certificate import Certificate
    from hybridmip.bounds.proof_tree import FORMAT, ProofTree
    from hybridmip.io.csv_table import count_of
    from hybridmip.io.problems import read_problem

    problem = read_problem(file)
    read = read_json(certificate, "proof")
    is_tree = isinstance(read, dict) and read.get("format") == FORMAT
    proof: Certificate | ProofTree = (ProofTree if is_tree else Certificate).from_dict(read, str(certificate))
    found = proof.verify(problem)
    document: dict[str, Any] = {
        "valid": found.valid,
        "claimed": proof.to_dict()["bound"],
        "bound": found.bound if found.bound > float("-inf") else None,
        "reason": found.reason,
    }
    lines = [
        f"the bound {proof.claimed:.10g} holds: no feasible point is below it"
        if found
        else f"the {'proof' if is_tree else 'certificate'} does not hold: {found.reason}"
    ]
    if found and isinstance(proof, ProofTree):
        evaluations = count_of(len(proof.reasons), "evaluation")
        lines.append(f"({count_of(proof.nodes, 'node')} of a tree, {evaluations} of the formula)")
    if found and not math.isfinite(proof.claimed):
        lines = ["the certificate claims no bound"]
    holds = found.valid
    if solution is not None:
        checked = check_solution(problem, solution)
        document["solution"] = checked.document
        holds = holds and checked.holds
        lines += checked.lines(proof.claimed if found else None)
    if as_json:
        write_json(document)
    else:
        print_parts(*lines)
    raise typer.Exit(0 if holds else EXIT_DOES_NOT_HOLD)


@dataclass(frozen=True)
class CheckedSolution:
    """What a check of a solution found.

    Attributes
    ----------
    document : dict
        The same for JSON.
    size : float
        The sum of the sizes of the objective's terms, which the gap is measured by where they cancel.
    own : bool
        Whether the file has the problem's own point, and not weights of assets alone.
    """

    document: dict[str, Any]
    size: float
    own: bool

    @property
    def holds(self) -> bool:
        """Whether it is feasible, with the objective that its file claims."""
        return bool(self.document["feasible"] and self.document["objective_as_claimed"])

    def lines(self, bound: float | None) -> list[str]:
        """The same for people; the gap to a bound that holds goes into the document as well."""
        from hybridmip.run.words import gap_in_words, relative_gap

        found = self.document
        if not found["feasible"]:
            said = f"the solution is not feasible: a row or bound is violated by {found['violation']:.4g}"
            return [said] if self.own else [said, f"({WEIGHTS_ALONE})"]
        objective = found["objective"]
        lines = [
            f"the solution is feasible (largest violation {found['violation']:.1e}),",
            f"its objective is {objective:.10g}",
        ]
        if bound is not None:
            gap = relative_gap(objective, bound, self.size)
            found["gap"] = gap if math.isfinite(gap) else None
            lines.append(f"gap: {gap_in_words(objective, bound, gap=gap)}")
            if found["claims_optimal"] and not gap <= OPTIMAL_GAP:
                lines.append(
                    "(it is said to be optimal: the solver tried all that this bound leaves over, one by one, "
                    "which no certificate shows)"
                )
        if not found["objective_as_claimed"]:
            lines.append("but that is not the objective its file claims")
        return lines


def check_solution(problem: Problem, path: Path) -> CheckedSolution:
    """Objective and violation of the solution in a JSON file, computed from the problem's data.

    Its point is `x` and `selected`; documents of portfolios had only `weights` once, which are the x of plain ones.
    """
    import numpy as np

    from hybridmip.run.words import relative_gap

    document = read_json(path, "solution")
    if not isinstance(document, dict) or "selected" not in document:
        raise FileError(f"{path} is not a solution: it has no list 'selected'; give what --json or --out wrote")
    own = "x" in document
    values = document["x"] if own else document.get("weights", {})
    if not isinstance(values, dict) or not isinstance(document["selected"], list):
        raise FileError(f"{path} is not a solution: 'selected' must be a list of names and 'x' names with numbers")
    x, b = np.zeros(problem.n), np.zeros(problem.m, dtype=bool)
    for target, names, kind in ((x, problem.x_names, "x"), (b, problem.b_names, "b")):
        places = {name: i for i, name in enumerate(names)}
        given = values.items() if kind == "x" else ((name, True) for name in document["selected"])
        for name, value in given:
            if name not in places:
                why = "names must agree" if kind == "b" or own else WEIGHTS_ALONE
                raise FileError(f"{path}: the problem has no {kind} named {name!r}; {why}")
            if isinstance(value, str) or not math.isfinite(float(value)):
                raise FileError(f"{path}: {name} is {value!r}; it must be a number")
            target[places[name]] = value
    violation = problem.violation(x, b)
    scale = max(1.0, float(np.abs(x).max(initial=0.0)))
    size = problem.sizes(x, b)
    objective, claimed = problem.objective(x, b), document.get("objective")
    if isinstance(claimed, int | float) and document.get("sense") == "maximise":
        claimed = -claimed
    agrees = claimed is None
    if isinstance(claimed, int | float):
        agrees = relative_gap(max(claimed, objective), min(claimed, objective), size) <= FEASIBLE
    found = {
        "feasible": bool(violation <= FEASIBLE * scale),
        "violation": violation,
        "objective": objective,
        "objective_as_claimed": bool(agrees),
        "claims_optimal": document.get("status") == "optimal",
    }
    return CheckedSolution(found, size, own)
