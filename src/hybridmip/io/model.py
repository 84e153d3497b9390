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
class Original:
    """Where the file's columns are in a Problem.

    Attributes
    ----------
    names : tuple of str
        The file's columns, in its order.
    x_index, b_index : ndarray of int
        Place of a column among x or among b; -1 where it is not there.
    constant : ndarray
        Value of a column that the file fixes and the Problem does not hold.
    twins : ndarray of int, shape (twins,)
        The x that repeat a binary, the last ones of x; `Problem.switch` says which binary.
    semicontinuous : ndarray of int
        The x whose switch the file does not hold as a column.
    integers : tuple of (int, float, ndarray, ndarray)
        For each expanded integer: its x, its lowest value, its binaries and their weights.
    """

    names: tuple[str, ...] = field(repr=False)
    x_index: NDArray[np.intp] = field(repr=False)
    b_index: NDArray[np.intp] = field(repr=False)
    constant: Vector = field(repr=False)
    twins: NDArray[np.intp] = field(repr=False)
    semicontinuous: NDArray[np.intp] = field(repr=False)
    integers: tuple[tuple[int, float, NDArray[np.intp], Vector], ...] = field(repr=False)

    @classmethod
    def of_problem(cls, problem: Problem) -> Original:
        """The mapping of a file that holds the Problem as it is: x first, then b."""
        n, m = problem.n, problem.m
        nothing = np.empty(0, dtype=np.intp)
        return cls(
            names=(*problem.x_names, *problem.b_names),
            x_index=np.concatenate([np.arange(n), np.full(m, -1)]).astype(np.intp),
            b_index=np.concatenate([np.full(n, -1), np.arange(m)]).astype(np.intp),
            constant=np.zeros(n + m),
            twins=nothing,
            semicontinuous=nothing,
            integers=(),
        )

    def values(self, x: ArrayLike, b: ArrayLike) -> Vector:
        """Values of the file's columns at (x, b)."""
        x, b = np.asarray(x, dtype=np.float64), np.asarray(b, dtype=np.float64)
        result = self.constant.copy()
        in_x, in_b = self.x_index >= 0, self.b_index >= 0
        result[in_x] = x[self.x_index[in_x]]
        result[in_b] = b[self.b_index[in_b]]
        return result


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
        x, b = np.zeros(problem.n), np.zeros(problem.m)
        in_x, in_b = original.x_index >= 0, original.b_index >= 0
        x[original.x_index[in_x]] = point[in_x]
        b[original.b_index[in_b]] = point[in_b]
        b[problem.switch[original.semicontinuous]] = x[original.semicontinuous] != 0
        x[original.twins] = b[problem.switch[original.twins]]
        for j, lowest, bits, weights in original.integers:
            rest = round(x[j] - lowest)
            for bit in np.argsort(-weights, kind="stable"):
                if rest >= weights[bit]:
                    b[bits[bit]] = 1.0
                    rest -= int(weights[bit])
        return x, b
