"""Problem files of every kind, told apart by their names and their contents."""

from __future__ import annotations

from pathlib import Path

from hybridmip.errors import FileError
from hybridmip.problem import Problem

#: What a problem file can be, by the end of its name (.gz may follow).
READERS = {".json": "a problem that HybridMIP wrote"}


def read_problem(path: str | Path) -> Problem:
    """Read a problem file.

    Raises
    ------
    FileError
        If there is none, or its kind is not known.
    """
    path = Path(path).expanduser()
    name = path.name.lower().removesuffix(".gz")
    if name.endswith(".json"):
        from hybridmip.io.problem_json import read_problem_json

        return read_problem_json(path)
    if not path.exists():
        raise FileError(f"{path} does not exist; check the path")
    known = ", ".join(f"{suffix} ({what})" for suffix, what in READERS.items())
    raise FileError(f"{path}: no such kind of problem file is known; its name must end in one of {known}")
