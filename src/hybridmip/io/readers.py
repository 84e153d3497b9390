"""The kinds of problem files: `READERS` says by which end of a name each is known and what reads it.

A reader of your own takes one line, after which `read_problem` and `hybridmip solve` know such files:

    hm.READERS[".knap"] = hm.Reader("a knapsack", read_knapsack)

For the command line, a package names it as an entry point, loaded where a file is of no kind known here:

    [project.entry-points."hybridmip.readers"]
    knap = "my_package:KNAPSACK"
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from hybridmip.errors import ArgumentError, FileError

if TYPE_CHECKING:
    from hybridmip.io.model import Model, ReadProblem
    from hybridmip.model.problem import Problem

    #: Of a text and what errors call it; of the bytes where `Reader.binary` is set.
    Parse: TypeAlias = Callable[..., Problem | Model | ReadProblem]

#: Longer files are refused: read line by line they would take minutes, and what they hold is beyond this solver.
MOST_LINES = 4_000_000
#: Entry points of other packages, each a suffix without its dot and a `Reader`.
ENTRY_POINTS = "hybridmip.readers"


@dataclass(frozen=True)
class Reader:
    """How one kind of problem file is read.

    Parameters
    ----------
    kind : str
        What messages call such a file: "MPS", "a knapsack".
    read : callable, or "module:function" to import it when it is needed
        Takes the text and what errors call the file; returns a `Problem`, a `ReadProblem`, or a
        `hybridmip.io.model.Model`, in which rows x <= u b are then recognised. It raises `FileError`.
    recognises : callable, or "module:function", optional
        Whether a text is of this kind, for files whose names say nothing.
    fixed_charge : bool
        Whether `read` takes a keyword `fixed_charge`.
    most_lines : int, optional
        Files with more lines are refused; None for no limit.
    binary : bool
        Whether `read` takes the bytes of the file, which need not be text.
    beside : callable, or "module:function", optional
        Gives what `read` takes as the keyword `beside` (names in files of their own), for the path of the file.

    Examples
    --------
    >>> import hybridmip as hm
    >>> def read_costs(text, source):
    ...     costs = [float(word) for word in text.split()]
    ...     return hm.Problem(p=costs, B=[[1] * len(costs)], b_lower=1)
    >>> reader = hm.Reader("a list of costs", read_costs)
    >>> reader.parse("3 1 2", "costs.txt")
    <Problem MILP: 0 continuous (0 switched), 3 binary, 0 rows, 1 binary rows>
    >>> hm.READERS[".costs"] = reader  # from now on read_problem("mine.costs") knows it
    >>> _ = hm.READERS.pop(".costs")
    """

    kind: str
    read: Parse | str
    recognises: Callable[[str], bool] | str | None = None
    fixed_charge: bool = False
    most_lines: int | None = MOST_LINES
    binary: bool = False
    beside: Callable[[Path], object] | str | None = None

    def parse(self, content: str | bytes, source: str, **options: Any) -> Problem | Model | ReadProblem:
        """What the text states, or the bytes."""
        parse: Parse = _loaded(self.read)
        return parse(content, source, **options)

    def lies_beside(self, path: Path) -> dict[str, Any]:
        """The keyword for what lies beside the file, if such files have any."""
        return {} if self.beside is None else {"beside": _loaded(self.beside)(path)}

    def is_kind_of(self, text: str) -> bool:
        """Whether the text is of this kind, as far as its contents tell."""
        return self.recognises is not None and bool(_loaded(self.recognises)(text))


_LP = Reader("LP", "hybridmip.io.lp:parse_lp", "hybridmip.io.lp:is_lp")
_WAREHOUSE = Reader(
    "an OR-Library warehouse location",
    "hybridmip.applications.facility.reader:read_warehouse",
    "hybridmip.io.warehouse:is_warehouse",
)
_CANAD = Reader(
    "a Canad network design", "hybridmip.applications.network.reader:read_canad", "hybridmip.io.canad:is_canad"
)
_DIMACS = Reader(
    "a DIMACS min-cost flow",
    "hybridmip.io.dimacs:read_dimacs",
    "hybridmip.io.dimacs:is_dimacs",
    fixed_charge=True,
)
_QPLIB = Reader("QPLIB", "hybridmip.io.qplib:parse_qplib", "hybridmip.io.qplib:is_qplib")
_MPS = Reader("MPS", "hybridmip.io.mps:parse_mps", "hybridmip.io.mps:is_mps")
_NL = Reader(
    "AMPL's .nl",
    "hybridmip.io.nl:parse_nl",
    "hybridmip.io.nl_scan:is_nl",
    binary=True,
    beside="hybridmip.io.nl:names_beside",
)
_JSON = Reader("a problem that HybridMIP wrote", "hybridmip.io.problem_json:parse_problem_json", most_lines=None)

#: By the end of a file's name (.gz may follow). Contents are asked about from the last to the first.
READERS: dict[str, Reader] = {
    ".lp": _LP,
    ".cap": _WAREHOUSE,
    ".dow": _CANAD,
    ".dmx": _DIMACS,
    ".min": _DIMACS,
    ".net": _DIMACS,
    ".qplib": _QPLIB,
    ".mps": _MPS,
    ".qps": _MPS,
    ".nl": _NL,
    ".json": _JSON,
}


def reader_by_name(name: str) -> Reader | None:
    """The reader of a file of this name, if its end is known; the longest end counts."""
    ending = name.lower().removesuffix(".gz")
    for _ in range(2):
        found = [suffix for suffix in READERS if ending.endswith(suffix.lower())]
        if found:
            return _checked(max(found, key=len))
        load_entry_points()
    return None


def reader_by_contents(text: str) -> Reader | None:
    """The reader that recognises the text: of several, the one that was registered last."""
    load_entry_points()
    readers = dict.fromkeys(_checked(suffix) for suffix in reversed(READERS))
    return next((reader for reader in readers if reader.is_kind_of(text)), None)


def known_kinds() -> str:
    """The kinds of files and the ends of their names, for messages and help."""
    load_entry_points()
    suffixes: dict[str, list[str]] = {}
    for suffix in READERS:
        suffixes.setdefault(_checked(suffix).kind, []).append(suffix)
    return ", ".join(f"{' '.join(ends)} ({kind})" for kind, ends in suffixes.items())


@cache
def load_entry_points() -> None:
    """Register the readers of other packages, once; what is registered already stays.

    Raises
    ------
    FileError
        If one of them cannot be imported.
    """
    from importlib.metadata import entry_points  # 30 ms, which `--help` does not need

    for point in entry_points(group=ENTRY_POINTS):
        try:
            READERS.setdefault(f".{point.name.removeprefix('.')}", point.load())
        except (ImportError, AttributeError) as error:
            raise FileError(f"the reader {point.name} = {point.value} cannot be loaded ({error}); mend it") from None


def _checked(suffix: str) -> Reader:
    reader = READERS[suffix]
    if not isinstance(reader, Reader):
        raise ArgumentError(f"READERS[{suffix!r}] is a {type(reader).__name__}; give a Reader")
    return reader


def _loaded(function: Callable[..., Any] | str) -> Callable[..., Any]:
    """The function itself, imported if it is named."""
    if not isinstance(function, str):
        return function
    module, _, name = function.partition(":")
    loaded: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return loaded
