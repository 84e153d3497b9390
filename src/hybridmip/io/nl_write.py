"""Problems as AMPL's .nl files, in text, with the names beside them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy import sparse

from hybridmip.files import write_text
from hybridmip.io.nl import COLUMN_NAMES, ROW_NAMES
from hybridmip.io.nl_expressions import PLUS, POWER, SUM, TIMES
from hybridmip.io.write import FileRows
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Vector


def write_nl(problem: Problem, path: str | Path) -> tuple[Path, ...]:
    """Write a problem as an .nl file (gzipped if the name ends in .gz), and its names as .row and .col files beside it.

    The format has the variables in an order of its own: those with quadratic terms, the other x, then b.

    Returns
    -------
    tuple of Path
        The files.

    Raises
    ------
    FileError
        If the place cannot be written to.
    ProblemError
        If a switched x has no limit, which no row can say, if a number is one that files take for infinite, or if there
        are no variables.
    """
    rows = FileRows(problem, clean=False)
    n, m = problem.n, problem.m
    first, second, products = rows.quadratic()
    curved = np.zeros(n, dtype=bool)
    curved[first] = curved[second] = True
    order = np.concatenate([np.flatnonzero(curved), np.flatnonzero(~curved), n + np.arange(m)])
    place = np.empty(n + m, dtype=np.intp)
    place[order] = np.arange(n + m)
    matrix = sparse.csr_array(rows.matrix[:, order])
    matrix.sort_indices()
    cost = rows.cost[order]
    nonlinear = int(curved.sum())
    used = np.flatnonzero((cost != 0) | (np.arange(n + m) < nonlinear))
    low, high = rows.row_lower, rows.row_upper
    equal = low == high
    ranges = np.isfinite(low) & np.isfinite(high) & ~equal
    count = matrix.shape[0]
    out = [
        "g3 1 1 0\t# problem hybridmip",
        f" {n + m} {count} 1 {int(ranges.sum())} {int(equal.sum())}\t# vars, constraints, objectives, ranges, eqns",
        f" 0 {int(nonlinear > 0)}\t# nonlinear constraints, objectives",
        " 0 0\t# network constraints: nonlinear, linear",
        f" 0 {nonlinear} 0\t# nonlinear vars in constraints, objectives, both",
        " 0 0 0 1\t# linear network variables; functions; arith, flags",
        f" {m} 0 0 0 0\t# discrete variables: binary, integer, nonlinear (b,c,o)",
        f" {matrix.nnz} {used.size}\t# nonzeros in Jacobian, gradients",
        f" {_longest([*rows.row_names, rows.objective_name])} {_longest(rows.names)}\t# max name lengths: cons, vars",
        " 0 0 0 0 0\t# common exprs: b,c,o,c1,o1",
    ]
    for row in range(count):
        out += [f"C{row}", "n0"]
    out.append("O0 0")
    terms = [
        _term(int(place[i]), int(place[j]), value if i == j else 2.0 * value)
        for i, j, value in zip(first, second, products.tolist(), strict=True)
    ]
    terms += [[f"n{problem.offset!r}"]] if problem.offset or not terms else []
    if len(terms) > 1:
        out += [f"o{PLUS}"] if len(terms) == 2 else [f"o{SUM}", str(len(terms))]
    out += [line for term in terms for line in term]
    if count:
        out.append("r")
        out += [_limits(float(low[r]), float(high[r])) for r in range(count)]
    out.append("b")
    lower = np.concatenate([rows.x_lower, np.zeros(m)])[order]
    upper = np.concatenate([rows.x_upper, np.ones(m)])[order]
    out += [_limits(float(lower[k]), float(upper[k])) for k in range(n + m)]
    if matrix.nnz:
        lengths = np.bincount(matrix.indices, minlength=n + m)
        out.append(f"k{n + m - 1}")
        out += [str(total) for total in np.cumsum(lengths)[:-1].tolist()]
    out += _linear("J", matrix)
    out += _linear("G", sparse.csr_array((cost[used], used, [0, used.size]), shape=(1, n + m)))
    path = Path(path).expanduser()
    stem = path.name.removesuffix(".gz").removesuffix(".nl")
    row_file, column_file = path.with_name(stem + ROW_NAMES), path.with_name(stem + COLUMN_NAMES)
    names = [rows.names[k] for k in order]
    write_text(path, "\n".join(out) + "\n", "the problem")
    write_text(row_file, "\n".join([*rows.row_names, rows.objective_name]) + "\n", "the names of its rows")
    write_text(column_file, "\n".join(names) + "\n", "the names of its variables")
    return path, row_file, column_file


def _longest(names: list[str]) -> int:
    return max(map(len, names), default=0)


def _term(first: int, second: int, value: float) -> list[str]:
    """value times the product of two variables, in the order that operators come first."""
    product = [f"o{POWER}", f"v{first}", "n2"] if first == second else [f"o{TIMES}", f"v{first}", f"v{second}"]
    return [f"o{TIMES}", f"n{value!r}", *product]


def _limits(low: float, high: float) -> str:
    if low == high:
        return f"4 {low!r}"
    if low == -np.inf:
        return "3" if high == np.inf else f"1 {high!r}"
    return f"2 {low!r}" if high == np.inf else f"0 {low!r} {high!r}"


def _linear(letter: str, matrix: sparse.csr_array) -> list[str]:
    """A segment for every row that has entries."""
    starts, places, values = matrix.indptr.tolist(), matrix.indices.tolist(), _plain(matrix.data)
    lines = []
    for row, (start, end) in enumerate(zip(starts, starts[1:], strict=False)):
        if end > start:
            lines.append(f"{letter}{row} {end - start}")
            lines += [f"{places[e]} {values[e]!r}" for e in range(start, end)]
    return lines


def _plain(values: Vector) -> list[float]:
    numbers: list[float] = values.tolist()
    return numbers
