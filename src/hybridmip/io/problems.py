"""Problem files of every kind, told apart by their names and their contents."""

from __future__ import annotations

from pathlib import Path

from hybridmip.errors import ArgumentError, FileError, ProblemError
from hybridmip.io.model import ReadProblem
from hybridmip.model.problem import Problem

#: What a problem file can be, by the end of its name (.gz may follow).
#: Longer files are refused: read line by line they would take minutes, and what they hold is beyond this solver.
MOST_LINES = 4_000_000
READERS = {
    ".mps": "MPS",
    ".qps": "MPS",
    ".lp": "LP",
    ".qplib": "QPLIB",
    ".json": "a problem that HybridMIP wrote",
    ".dow": "a Canad network design",
    ".dmx": "a DIMACS min-cost flow",
    ".min": "a DIMACS min-cost flow",
    ".net": "a DIMACS min-cost flow",
}
JSON = READERS[".json"]
DIMACS = "a DIMACS min-cost flow"
WAREHOUSE = "an OR-Library warehouse location"


def read_problem(path: str | Path, fixed_charge: float | None = None) -> Problem:
    """Read a problem file: MPS, LP, QPLIB, JSON, Canad, OR-Library warehouses, DIMACS; plain or gzipped.

    Parameters
    ----------
    path : path
        The kind is told by the end of the name, else by the contents.
    fixed_charge : float, optional
        For a DIMACS min-cost flow: what every arc costs once it is used. Without it such a problem has no binaries.

    Returns
    -------
    Problem
        To be minimised; `read_model` also says what the file itself asks for.

    Raises
    ------
    FileError
        If there is none, its kind is not known, it is damaged, or it says what a Problem cannot.
    ArgumentError
        If a fixed charge is given for a file of another kind.
    """
    return read_model(path, fixed_charge).problem


def read_model(path: str | Path, fixed_charge: float | None = None) -> ReadProblem:
    """As `read_problem`, with the file's sense, the name of its objective and the way back to its columns."""
    from hybridmip.io.files import read_text

    path = Path(path).expanduser()
    source = str(path)
    name = path.name.lower().removesuffix(".gz")
    kind = READERS.get(Path(name).suffix)
    text = "" if kind == JSON else read_text(path)
    if (lines := text.count("\n")) > MOST_LINES:
        raise FileError(f"{source} has {lines:,} lines; models of at most {MOST_LINES:,} lines are read")
    if kind is None and (kind := _kind_of(text)) is None:
        raise FileError(f"{source}: {_unknown(text)}")
    if fixed_charge is not None and kind != DIMACS:
        raise ArgumentError(f"fixed_charge is given but {source} is {kind}; it is for DIMACS min-cost flows only")
    if kind == JSON:
        from hybridmip.io.problem_json import read_problem_json

        return ReadProblem.of_problem(read_problem_json(path), source)
    if kind in ("MPS", "LP", "QPLIB"):
        from hybridmip.io.convert import to_problem
        from hybridmip.io.lp import parse_lp
        from hybridmip.io.mps import parse_mps
        from hybridmip.io.qplib import parse_qplib

        parse = {"MPS": parse_mps, "LP": parse_lp, "QPLIB": parse_qplib}[kind]
        return to_problem(parse(text, source))
    from hybridmip.io.networks import parse_canad, parse_dimacs, parse_warehouse

    try:
        if kind == DIMACS:
            problem = parse_dimacs(text, source, fixed_charge)
        else:
            problem = (parse_canad if kind == READERS[".dow"] else parse_warehouse)(text, source)
    except ProblemError as error:
        raise FileError(f"{source}: {error}") from None
    return ReadProblem.of_problem(problem, source, "cost")


def _kind_of(text: str) -> str | None:
    """The kind of a file whose name does not say it."""
    from hybridmip.io.lp import is_lp
    from hybridmip.io.mps import is_mps
    from hybridmip.io.networks import is_canad, is_dimacs, is_warehouse
    from hybridmip.io.qplib import is_qplib

    tests = (
        ("MPS", is_mps), ("QPLIB", is_qplib), (DIMACS, is_dimacs), (READERS[".dow"], is_canad),
        (WAREHOUSE, is_warehouse), ("LP", is_lp),
    )  # fmt: skip
    return next((kind for kind, test in tests if test(text)), None)


def _unknown(text: str) -> str:
    from hybridmip.io.orlib import looks_like_port

    if looks_like_port(text):
        return "this looks like OR-Library's port data; read it as a portfolio (hybridmip portfolio FILE)"
    known: dict[str, list[str]] = {}
    for suffix, what in READERS.items():
        known.setdefault(what, []).append(suffix)
    listed = ", ".join(f"{' '.join(suffixes)} ({what})" for what, suffixes in known.items())
    return f"no such kind of problem file is known; its name must end in one of {listed}, or it must be {WAREHOUSE}"
