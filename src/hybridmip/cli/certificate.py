"""--certificate and --proof: what was proven, as files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hybridmip.cli.output import tell
from hybridmip.errors import FileError

if TYPE_CHECKING:
    from hybridmip.run.result import Result

#: Why there is no document for a problem that has no feasible point.
NO_DOCUMENT = "the answer is infeasible, and there is no document that shows that"
#: What an optimal answer without a tree rests on, by `rests_on`.
RESTS_ON = {
    "proven": "the gap was closed by one bound, without a tree",
    "tried": "every choice that the bound leaves over was tried, which no document shows",
    "trusted": "the gap was closed by HiGHS, whose word no document shows",
}


def as_proven(result: Result) -> Result:
    """The result with the bound that its proof claims: a little lower, as a check of it rounds otherwise."""
    from hybridmip.run.words import relative_gap

    if result.proof is None or not result.has_solution:
        return result
    bound = min(result.bound, result.proof.claimed)
    return replace(result, bound=bound, gap=relative_gap(result.objective, bound, result.size))


def _without_a_tree(result: Result) -> str:
    """Why there is no tree."""
    if result.status == "infeasible":
        return NO_DOCUMENT
    if result.status != "optimal":
        return f"the answer is {result.status}, not proven optimal"
    return RESTS_ON.get(str(result.rests_on), RESTS_ON["tried"])


def _certified(result: Result) -> str:
    """What the certificate is, which there is in the place of a tree."""
    from hybridmip.run.words import relative_gap
    from hybridmip.tolerances import OPTIMAL_GAP

    assert result.certificate is not None
    closes = relative_gap(result.objective, result.certificate.claimed, result.size) <= OPTIMAL_GAP
    return "that bound, which is the whole proof" if closes else "the best bound that can be checked"


def save_certificate(result: Result, path: Path | None) -> FileError | None:
    """Write the certificate if it is asked for; an error is returned, to be told after the answer."""
    if path is None:
        return None
    if result.certificate is None:
        why = NO_DOCUMENT if result.status == "infeasible" else "no bound is known"
        tell(f"there is nothing to certify: {why}; {path} was not written")
        return None
    try:
        result.certificate.save(path)
    except FileError as error:
        return error
    return None


def save_proof(result: Result, path: Path | None) -> FileError | None:
    """Write the tree's proof if it is asked for; an error is returned, to be told after the answer."""
    if path is None:
        return None
    if result.proof is None:
        bound = "" if result.certificate is None else f"; --certificate writes {_certified(result)}"
        tell(f"there is no proof to write: {_without_a_tree(result)}; {path} was not written{bound}")
        return None
    try:
        result.proof.save(path)
    except FileError as error:
        return error
    return None
