"""A model as a file states it (columns, rows, integrality, sense), and the way back from a Problem to its names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hybridmip.errors import FileError
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Vector
from hybridmip.model.wording import Original

#: A limit at or beyond this is no limit, as in the solvers that write such files.
INFINITE = 1e20


@dataclass(frozen=True, eq=False)
class Model:
    """What a file states, in its own terms and its own sense.

    minimise or maximise  v'Qv + cost'v + offset
    subject to            row_lower <= matrix v <= row_upper,  lower <= v <= upper

    Attributes
    ----------
    source : str
        What messages call the model.
    names, row_names : list of str
    cost, lower, upper : ndarray, shape (columns,)
    integer, semicontinuous : ndarray of bool, shape (columns,)
        A semicontinuous v is 0 or within its bounds.
    matrix : sparse, shape (rows, columns)
    row_lower, row_upper : ndarray, shape (rows,)
    quadratic : sparse, shape (columns, columns), or None
        Q, symmetric; note v'Qv, not half of it.
    offset : float
    maximise : bool
    objective_name : str
    """

    source: str
    names: list[str] = field(repr=False)
    cost: Vector = field(repr=False)
    lower: Vector = field(repr=False)
    upper: Vector = field(repr=False)
    integer: NDArray[np.bool_] = field(repr=False)
    semicontinuous: NDArray[np.bool_] = field(repr=False)
    matrix: sparse.csr_array = field(repr=False)
    row_lower: Vector = field(repr=False)
    row_upper: Vector = field(repr=False)
    row_names: list[str] = field(repr=False)
    quadratic: sparse.csr_array | None = field(default=None, repr=False)
    offset: float = 0.0
    maximise: bool = False
    objective_name: str = "obj"

    def objective(self, values: ArrayLike) -> float:
        """Value of a point, in the file's own sense."""
        v = np.asarray(values, dtype=np.float64)
        curved = 0.0 if self.quadratic is None else float(v @ (self.quadratic @ v))
        return curved + float(self.cost @ v) + self.offset


@dataclass(frozen=True, eq=False)
class ReadProblem:
    """A Problem with what is needed to report on it in the terms of the file it was read from.

    Attributes
    ----------
    problem : Problem
        Always to be minimised.
    maximise : bool
        Whether the file asks for a maximum; the Problem's objective is then minus the file's.
    objective_name : str
    source : str
        The file.
    original : Original
        Where the file's columns are.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import hybridmip as hm
    >>> lines = ["max", "value: 3 x + 2 y", "st", "room: x + y <= 3.5", "bounds", "x <= 3", "binary", "y", "end"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "model.lp")
    ...     _ = file.write_text(chr(10).join(lines))
    ...     model = hm.read_model(file)
    >>> model.maximise, model.objective_name
    (True, 'value')
    """

    problem: Problem
    maximise: bool
    objective_name: str
    source: str
    original: Original = field(repr=False)

    def objective(self, value: float) -> float:
        """A value (or bound) of the Problem in the file's own sense.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import hybridmip as hm
        >>> lines = ["max", "value: 3 x + 2 y", "st", "room: x + y <= 3.5", "bounds", "x <= 3", "binary", "y", "end"]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "model.lp")
        ...     _ = file.write_text(chr(10).join(lines))
        ...     model = hm.read_model(file)
        >>> model.objective(-9.5)
        9.5
        """
        return -value if self.maximise else value

    @classmethod
    def of_problem(cls, problem: Problem, source: str, objective_name: str = "obj") -> ReadProblem:
        """A Problem that the file holds as it is.

        Examples
        --------
        >>> import hybridmip as hm
        >>> hm.ReadProblem.of_problem(hm.Problem(q=[1]), "mine").objective(3.0)
        3.0
        """
        return cls(problem, False, objective_name, source, Original.of_problem(problem))

    def values(self, x: ArrayLike, b: ArrayLike) -> dict[str, float]:
        """Values of the file's own columns, by name; twins and the binaries of integers are left out.

        A name that the file gives to an x and to a b alike is that of the x; the b gets `b:` before it.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import hybridmip as hm
        >>> lines = ["max", "value: 3 x + 2 y", "st", "room: x + y <= 3.5", "bounds", "x <= 3", "binary", "y", "end"]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "model.lp")
        ...     _ = file.write_text(chr(10).join(lines))
        ...     model = hm.read_model(file)
        >>> model.values([2.5], [1])
        {'x': 2.5, 'y': 1.0}
        """
        values: dict[str, float] = {}
        for name, value in zip(self.original.names, self.original.values(x, b).tolist(), strict=True):
            values[f"b:{name}" if name in values else name] = value
        return values

    def point(self, values: Mapping[str, float] | ArrayLike) -> tuple[Vector, Vector]:
        """(x, b) of the Problem at a point given in the file's columns: the way forth of `values`.

        Parameters
        ----------
        values : mapping of name to value, or array_like in the file's order
            A name left out is zero.

        Raises
        ------
        FileError
            If a name is not one of the file's.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import hybridmip as hm
        >>> lines = ["max", "value: 3 x + 2 y", "st", "room: x + y <= 3.5", "bounds", "x <= 3", "binary", "y", "end"]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "model.lp")
        ...     _ = file.write_text(chr(10).join(lines))
        ...     model = hm.read_model(file)
        >>> model.point({"x": 2.5, "y": 1})
        (array([2.5]), array([1.]))
        """
        original, problem = self.original, self.problem
        if isinstance(values, Mapping):
            place = {name: k for k, name in enumerate(original.names)}
            point = np.zeros(len(original.names))
            for name, value in values.items():
                if name not in place:
                    raise FileError(f"{self.source} has no column {name!r}; check the name")
                point[place[name]] = value
        else:
            point = np.asarray(values, dtype=np.float64)
        return original.point(point, problem)
