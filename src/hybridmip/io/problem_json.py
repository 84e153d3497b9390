"""Any Problem as a JSON file: its arguments by name, exact to the last bit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from hybridmip.errors import FileError, ProblemError
from hybridmip.files import parse_json, write_text
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import (
    DenseForm,
    DiagonalForm,
    FactorModel,
    QuadraticForm,
    SparseForm,
    require_finite,
    require_square,
    require_symmetric,
)

FORMAT = "hybridmip-problem"
LIMITS = ("row_lower", "row_upper", "b_lower", "b_upper", "x_lower", "x_upper")
NAMES = ("x_names", "b_names", "row_names", "b_row_names")


def write_problem_json(problem: Problem, path: str | Path) -> None:
    """Write a problem as JSON (gzipped if the name ends in .gz)."""
    write_text(path, json.dumps(problem_to_dict(problem)) + "\n", "the problem")


def parse_problem_json(text: str, source: str) -> Problem:
    """The problem in a text that `write_problem_json` wrote.

    Raises
    ------
    FileError
        If the text is not one.
    """
    return problem_from_dict(parse_json(text, source, "problem"), source)


def problem_to_dict(problem: Problem) -> dict[str, Any]:
    """The problem as a document ready for JSON; a limit that is not there is null."""
    document: dict[str, Any] = {"format": FORMAT, "Q": _form(problem.Q), "offset": problem.offset}
    document |= {name: getattr(problem, name).tolist() for name in ("q", "p", "switch")}
    document |= {name: _entries(getattr(problem, name)) for name in ("A", "G", "B")}
    for name in LIMITS:
        document[name] = [value if np.isfinite(value) else None for value in getattr(problem, name).tolist()]
    return document | {name: list(getattr(problem, name)) for name in NAMES}


def problem_from_dict(document: Any, source: str = "problem") -> Problem:
    """Read a document made by `problem_to_dict`."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise FileError(f"{source} is not a problem: it has no format {FORMAT!r}")
    arguments: dict[str, Any] = {}
    try:
        for name in ("q", "p", "offset", "switch", *NAMES):
            arguments[name] = document[name]
        for name in LIMITS:
            missing = -np.inf if name.endswith("lower") else np.inf
            arguments[name] = [missing if value is None else float(value) for value in document[name]]
        for name in ("A", "G", "B"):
            arguments[name] = _matrix(document[name])
        arguments["Q"] = _read_form(document["Q"])
        for name in ("A", "G"):
            if not document[name]["shape"][0]:
                arguments[name] = None
        if arguments["A"] is None:
            arguments["row_lower"] = arguments["row_upper"] = arguments["row_names"] = None
        if not document["B"]["shape"][0]:
            arguments["B"] = arguments["b_lower"] = arguments["b_upper"] = arguments["b_row_names"] = None
        return Problem(**arguments)
    except KeyError as error:
        raise FileError(f"{source} is not a complete problem: {error.args[0]} is missing") from None
    except ProblemError as error:
        raise FileError(f"{source}: {error}") from None
    except (TypeError, ValueError, IndexError, AttributeError) as error:
        raise FileError(f"{source} is not a problem file ({error})") from None


def _form(Q: QuadraticForm) -> dict[str, Any]:
    if isinstance(Q, DiagonalForm):
        return {"kind": "diagonal", "values": Q.values.tolist()}
    if isinstance(Q, DenseForm):
        return {"kind": "dense", "matrix": Q.matrix.tolist()}
    if isinstance(Q, FactorModel):
        parts = ("loadings", "factor_covariance", "specific_variance")
        return {"kind": "factor", **{name: getattr(Q, name).tolist() for name in parts}}
    assert isinstance(Q, SparseForm)
    return {"kind": "sparse", "entries": _entries(Q.matrix)}


def _read_form(document: Mapping[str, Any]) -> Any:
    kind = document["kind"]
    if kind == "diagonal":
        require_finite("Q", np.array(document["values"], dtype=float))
        return DiagonalForm(document["values"])
    if kind == "dense":
        return DenseForm(_symmetric(np.array(document["matrix"], dtype=float)))
    if kind == "factor":
        return FactorModel(document["loadings"], document["factor_covariance"], document["specific_variance"])
    if kind == "sparse":
        entries = _matrix(document["entries"])
        require_finite("Q", entries.data)
        return SparseForm(_symmetric(entries))
    raise ValueError(f"Q is of kind {kind!r}")


def _symmetric(matrix: Any) -> Any:
    """A matrix of which bounds may read one triangle: as it is, or its symmetric part where rounding made it differ."""
    require_square("Q", matrix.shape)
    if not sparse.issparse(matrix):
        require_finite("Q", matrix)
    require_symmetric("Q", matrix)
    differs = (matrix != matrix.T).nnz if sparse.issparse(matrix) else (matrix != matrix.T).any()
    return (matrix + matrix.T) / 2 if differs else matrix


def _entries(matrix: Any) -> dict[str, Any]:
    matrix = sparse.csr_array(matrix)
    return {
        "shape": [int(size) for size in matrix.shape],
        "starts": matrix.indptr.tolist(),
        "columns": matrix.indices.tolist(),
        "values": matrix.data.tolist(),
    }


def _matrix(document: Mapping[str, Any]) -> sparse.csr_array:
    parts = (
        np.array(document["values"], dtype=float), np.array(document["columns"], dtype=int),
        np.array(document["starts"], dtype=int),
    )  # fmt: skip
    rows, columns = (int(size) for size in document["shape"])
    return sparse.csr_array(parts, shape=(rows, columns))
