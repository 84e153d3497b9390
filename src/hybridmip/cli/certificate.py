"""--certificate and --proof: what was proven, as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hybridmip.cli.output import tell
from hybridmip.errors import FileError

if TYPE_CHECKING:
    from hybridmip.run.result import Result


def save_certificate(result: Result, path: Path | None) -> FileError | None:
    """Write the certificate if it is asked for; an error is returned, to be told after the answer."""
    if path is None:
        return None
    if result.certificate is None:
        tell(f"there is no bound to certify (the problem is {result.status}); {path} was not written")
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
        what = "its proof is of another kind" if result.status == "optimal" else f"the answer is {result.status}"
        tell(f"there is no tree to write ({what}); {path} was not written, --certificate has the best bound")
        return None
    try:
        result.proof.save(path)
    except FileError as error:
        return error
    return None
