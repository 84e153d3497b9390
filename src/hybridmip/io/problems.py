"""Problem files of every kind, told apart by their names and their contents."""

from __future__ import annotations

from pathlib import Path

from hybridmip.errors import ArgumentError, FileError, ProblemError
from hybridmip.files import read_content, read_text
from hybridmip.io.model import Model, ReadProblem
from hybridmip.io.nl_write import write_nl
from hybridmip.io.orlib import looks_like_port
from hybridmip.io.problem_json import write_problem_json
from hybridmip.io.readers import MOST_LINES, READERS, known_kinds, reader_by_contents, reader_by_name
from hybridmip.io.write import write_lp, write_mps
from hybridmip.model.problem import Asks, Problem, problem_of

#: Who writes problems, by the end of the file's name.
WRITERS = {".mps": write_mps, ".lp": write_lp, ".nl": write_nl, ".json": write_problem_json}


def read_problem(path: str | Path, fixed_charge: float | None = None) -> Problem:
    """Read a problem file: MPS, LP, QPLIB, .nl, JSON, Canad, OR-Library warehouses, DIMACS; plain or gzipped.

    A problem is always minimised: of a file that maximises this is the negative, and integers and semicontinuous
    columns have become binaries. `read_model` gives the same problem with the way back.

    Parameters
    ----------
    path : path
        The kind is told by the end of the name, else by the contents; `READERS` lists them.
    fixed_charge : float, optional
        For a DIMACS min-cost flow: what every arc costs once it is used. Without it such a problem has no binaries.

    Raises
    ------
    FileError
        If there is none, its kind is not known, it is damaged, or it says what a Problem cannot.
    ArgumentError
        If a fixed charge is given for a file of another kind.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import hybridmip as hm
    >>> lines = ["max", "value: 3 x + 2 y", "st", "room: x + y <= 3.5", "bounds", "x <= 3", "binary", "y", "end"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "model.lp")
    ...     _ = file.write_text(chr(10).join(lines))
    ...     problem = hm.read_problem(file)
    >>> problem
    <Problem MILP: 1 continuous (0 switched), 1 binary, 1 rows, 0 binary rows>
    >>> hm.solve(problem).objective
    -9.5
    """
    return read_model(path, fixed_charge).problem


def read_model(path: str | Path, fixed_charge: float | None = None) -> ReadProblem:
    """Read a problem file, with its sense and the way back to its columns.

        model = hm.read_model("model.lp")
        result = hm.solve(model.problem)
        model.objective(result.objective), model.values(result.x, result.b)

    Parameters
    ----------
    path, fixed_charge
        As for `read_problem`.

    Returns
    -------
    ReadProblem
        Its `problem` is what `read_problem` returns; `maximise` says what the file asks for.

    Raises
    ------
    FileError, ArgumentError
        As for `read_problem`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import hybridmip as hm
    >>> lines = ["max", "value: 3 x + 2 y", "st", "room: x + y <= 3.5", "bounds", "x <= 3", "binary", "y", "end"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "model.lp")
    ...     _ = file.write_text(chr(10).join(lines))
    ...     model = hm.read_model(file)
    >>> result = hm.solve(model.problem)
    >>> model.objective(result.objective), model.values(result.x, result.b)
    (9.5, {'x': 2.5, 'y': 1.0})
    """
    path = Path(path).expanduser()
    source = str(path)
    reader = reader_by_name(path.name)
    content = read_content(path) if reader is not None and reader.binary else read_text(path)
    most = MOST_LINES if reader is None else reader.most_lines
    lines = content.count("\n") if isinstance(content, str) else content.count(b"\n")
    if most is not None and lines > most:
        raise FileError(f"{source} has {lines:,} lines; models of at most {most:,} lines are read")
    if reader is None:
        assert isinstance(content, str)
        reader = reader_by_contents(content)
        if reader is None:
            raise FileError(f"{source}: {_unknown(content)}")
        content = content.encode() if reader.binary else content
    options = reader.lies_beside(path)
    if fixed_charge is not None:
        if not reader.fixed_charge:
            kinds = " and ".join(dict.fromkeys(other.kind for other in READERS.values() if other.fixed_charge))
            raise ArgumentError(f"fixed_charge is given but {source} is {reader.kind}; it is for {kinds} only")
        options["fixed_charge"] = fixed_charge
    try:
        stated = reader.parse(content, source, **options)
    except ProblemError as error:
        raise FileError(f"{source}: {error}") from None
    if isinstance(stated, Model):
        from hybridmip.io.convert import to_problem  # with SciPy's graphs 0.1 s, which a problem in JSON does not need

        return to_problem(stated)
    return ReadProblem.of_problem(stated, source) if isinstance(stated, Problem) else stated


def write_problem(problem: Problem | Asks, path: str | Path) -> None:
    """Write a problem as MPS, LP, AMPL's .nl or JSON, by the end of the name; gzipped where .gz follows.

    JSON keeps every number to the last digit and all names: what a certificate or a proof is checked against.

    Parameters
    ----------
    problem : Problem
        Or what has one, such as a `Portfolio`.
    path : path
        An .nl file gets its names in two files beside it, .row and .col.

    Raises
    ------
    FileError
        If the name ends in none of these, or the file cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import hybridmip as hm
    >>> problem = hm.Problem(q=[1.0], p=[2.0], A=[[1.0]], row_lower=3, x_lower=0, x_upper=5, switch=[0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "problem.json")
    ...     hm.write_problem(problem, file)
    ...     again = hm.read_problem(file)
    >>> hm.solve(again).objective
    5.0
    """
    suffix = Path(Path(path).name.removesuffix(".gz")).suffix.lower()
    if suffix not in WRITERS:
        raise FileError(
            f"{path}: no such kind can be written; its name must end in .mps, .lp, .nl or .json (.gz may follow)"
        )
    WRITERS[suffix](problem_of(problem), path)


def _unknown(text: str) -> str:
    if looks_like_port(text):
        return "this looks like OR-Library's port data; read it as a portfolio (hybridmip portfolio FILE)"
    return (
        f"no such kind of problem file is known; its name must end in one of {known_kinds()}, "
        "or its contents must show the kind"
    )
