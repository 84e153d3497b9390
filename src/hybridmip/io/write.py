"""Problems and solutions as files that other solvers read: MPS, LP, and name-value lists."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from hybridmip.errors import ProblemError
from hybridmip.files import write_text
from hybridmip.io.model import INFINITE, ReadProblem
from hybridmip.model.names import fresh
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Vector

#: How many variables a dense quadratic objective may have in a file.
MOST_DENSE = 20_000
#: Terms of an LP file on one line.
TERMS_PER_LINE = 8
LP_NAME = re.compile(r"[A-Za-z_][\w.\[\],#$%&()!?@{}~]*", re.ASCII)
#: Words that an LP file gives another meaning, and names that read as numbers.
LP_RESERVED = re.compile(
    r"(min(imi[sz]e|imum)?|max(imi[sz]e|imum)?|st|s\.t\.|st\.|subject|such|bounds?|gen(erals?)?|int(egers?)?|bin(ary|aries)?"
    r"|semis?|end|free|inf(inity)?|sos[12]?|e[\d.]*|lazy|user|ranges|gencons|pwlobj|scenario)", re.IGNORECASE,
)  # fmt: skip


class FileRows:
    """A problem as columns and rows: x, then b; its rows, its binary rows, its links."""

    def __init__(self, problem: Problem, clean: bool) -> None:
        n, m = problem.n, problem.m
        names = _names([*problem.x_names, *problem.b_names], clean)
        self.problem, self.names = problem, names
        on, lower, upper = problem.switched, problem.x_lower, problem.x_upper
        if n + m == 0:
            raise ProblemError("the problem has no variables; a file needs at least one: nothing is to be solved")
        for k in np.flatnonzero(on & ~(np.isfinite(lower) & np.isfinite(upper))):
            raise ProblemError(
                f"x[{k}] ({problem.x_names[k]!r}) is switched but has no limit while on; "
                "a file of rows needs one: give x_lower and x_upper"
            )
        # l b <= x <= u b, where x's own bounds do not say it already.
        same = on & (lower == upper) & (upper != 0)
        above, below = on & (upper != 0) & ~same, on & (lower != 0) & ~same
        parts = []
        for which, limit, suffix in ((same, upper, "link"), (above, upper, "upper"), (below, lower, "lower")):
            j = np.flatnonzero(which)
            at = np.arange(j.size)
            rows = sparse.csr_array(
                (
                    np.concatenate([np.ones(j.size), -limit[j]]),
                    (np.concatenate([at, at]), np.concatenate([j, n + problem.switch[j]])),
                ),
                shape=(j.size, n + m),
            )
            low = np.zeros(j.size) if suffix != "upper" else np.full(j.size, -np.inf)
            high = np.zeros(j.size) if suffix != "lower" else np.full(j.size, np.inf)
            parts.append((rows, low, high, [f"{problem.x_names[k]}_{suffix}" for k in j]))
        mixed = sparse.hstack([problem.A, problem.G], format="csr")
        of_b = sparse.hstack([sparse.csr_array((problem.B.shape[0], n)), problem.B], format="csr")
        parts = [
            (mixed, problem.row_lower, problem.row_upper, list(problem.row_names)),
            (of_b, problem.b_lower, problem.b_upper, list(problem.b_row_names)),
            *parts,
        ]
        self.matrix = sparse.csr_array(sparse.vstack([part[0] for part in parts]))
        self.matrix.eliminate_zeros()
        self.row_lower = np.concatenate([part[1] for part in parts])
        self.row_upper = np.concatenate([part[2] for part in parts])
        self.row_names = _names([name for part in parts for name in part[3]], clean)
        self.cost = np.concatenate([problem.q, problem.p])
        self.x_lower = np.where(on, np.minimum(lower, 0.0), lower)
        self.x_upper = np.where(on, np.maximum(upper, 0.0), upper)
        self.objective_name = _names([*self.row_names, "obj"], clean)[-1]
        self._require_numbers()

    def _require_numbers(self) -> None:
        """Refuse what every reader takes for infinite."""
        parts = {
            "a coefficient of a row": self.matrix.data, "a cost": self.cost, "a limit of a row": self.row_lower,
            "a limit of a row ": self.row_upper, "a bound of x": self.x_lower, "a bound of x ": self.x_upper,
            "the offset": np.array([self.problem.offset]), "an entry of Q": 4.0 * self.quadratic()[2],
        }  # fmt: skip
        for what, values in parts.items():
            large = np.isfinite(values) & (np.abs(values) >= INFINITE)
            if large.any():
                raise ProblemError(
                    f"{what.strip()} is {float(values[large][0]):g}, which files take for infinite (from {INFINITE:g} "
                    "on); use other units"
                )

    def quadratic(self) -> tuple[Sequence[int], Sequence[int], Vector]:
        """Lower triangle of Q: rows, columns, values."""
        if self.problem.is_linear:
            return [], [], np.empty(0)
        low_rank = self.problem.Q.split()[1] is not None
        if low_rank and self.problem.n > MOST_DENSE:
            raise ProblemError(
                f"Q is a factor model of {self.problem.n} variables; multiplied out it is too large to write"
            )
        Q = sparse.csr_array(self.problem.Q.toarray()) if low_rank else self.problem.Q.split()[0]
        lower = sparse.tril(Q, format="coo")
        keep = lower.data != 0
        return lower.row[keep].tolist(), lower.col[keep].tolist(), lower.data[keep]


def write_mps(problem: Problem, path: str | Path) -> None:
    """Write a problem as free MPS (gzipped if the name ends in .gz), links as rows and Q as QUADOBJ.

    Blanks in names become underscores, and names that are then alike get a number.

    Raises
    ------
    FileError
        If the place cannot be written to.
    ProblemError
        If a switched x has no limit, which no row can say, if a number is one that files take for infinite, or if there
        are no variables.
    """
    rows = FileRows(problem, clean=False)
    out = ["NAME hybridmip", "ROWS", f" N {rows.objective_name}"]
    low, high = rows.row_lower, rows.row_upper
    equal, has_low, has_high = low == high, np.isfinite(low), np.isfinite(high)
    kinds = np.where(equal, "E", np.where(has_high, "L", np.where(has_low, "G", "N")))
    out += [f" {kind} {name}" for kind, name in zip(kinds.tolist(), rows.row_names, strict=True)]
    out.append("COLUMNS")
    columns = sparse.csc_array(rows.matrix)
    indices, values, starts = columns.indices.tolist(), columns.data.tolist(), columns.indptr.tolist()
    for k, name in enumerate(rows.names):
        if k == problem.n:
            out.append(" MARKER 'MARKER' 'INTORG'")
        cost = float(rows.cost[k])
        if cost or starts[k] == starts[k + 1]:
            out.append(f" {name} {rows.objective_name} {cost!r}")
        out += [f" {name} {rows.row_names[indices[e]]} {values[e]!r}" for e in range(starts[k], starts[k + 1])]
    if problem.m:
        out.append(" MARKER 'MARKER' 'INTEND'")
    out.append("RHS")
    if problem.offset:
        out.append(f" RHS {rows.objective_name} {-problem.offset!r}")
    right = np.where(has_high, high, low)
    for r in np.flatnonzero(np.isfinite(right) & (right != 0)):
        out.append(f" RHS {rows.row_names[r]} {float(right[r])!r}")
    both = np.flatnonzero(has_low & has_high & ~equal)
    if both.size:
        out.append("RANGES")
        out += [f" RNG {rows.row_names[r]} {float(high[r] - low[r])!r}" for r in both]
    out.append("BOUNDS")
    for k in range(problem.n):
        out += [f" {kind} BND {rows.names[k]}{value}" for kind, value in _mps_bounds(rows.x_lower[k], rows.x_upper[k])]
    out += [f" BV BND {name}" for name in rows.names[problem.n :]]
    first, second, products = rows.quadratic()
    if products.size:
        out.append("QUADOBJ")
        # The file has half of x'Hx.
        for i, j, value in zip(first, second, (2.0 * products).tolist(), strict=True):
            out.append(f" {rows.names[i]} {rows.names[j]} {value!r}")
    out.append("ENDATA\n")
    write_text(path, "\n".join(out), "the problem")


def _mps_bounds(lower: float, upper: float) -> list[tuple[str, str]]:
    lower, upper = float(lower), float(upper)
    if lower == upper:
        return [("FX", f" {lower!r}")]
    if lower == -np.inf and upper == np.inf:
        return [("FR", "")]
    bounds = []
    if lower == -np.inf:
        bounds.append(("MI", ""))
    elif lower:
        bounds.append(("LO", f" {lower!r}"))
    if upper < np.inf:
        bounds.append(("UP", f" {upper!r}"))
    return bounds


def write_lp(problem: Problem, path: str | Path) -> None:
    """Write a problem as an LP file (gzipped if the name ends in .gz), links as rows and Q as `[ ... ] / 2`.

    Signs in names that the format has another use for become underscores. A row with two limits becomes two rows,
    which every reader takes.

    Raises
    ------
    FileError
        If the place cannot be written to.
    ProblemError
        If a switched x has no limit, which no row can say, if a number is one that files take for infinite, or if there
        are no variables.
    """
    rows = FileRows(problem, clean=True)
    names = rows.names
    out = ["Minimize"]
    written = np.isfinite(rows.row_lower) | np.isfinite(rows.row_upper)
    used = np.diff(sparse.csc_array(rows.matrix[written]).indptr) > 0
    shown = np.flatnonzero((rows.cost != 0) | ~used)
    terms = _terms(names, shown.tolist(), rows.cost[shown].tolist())
    first, second, products = rows.quadratic()
    if products.size:
        # Half of the bracket: 2 Q_ii x_i^2, and 4 Q_ij x_i x_j for the two of a pair.
        squares = [
            f"{_signed((2.0 if i == j else 4.0) * value)} {names[i]}" + ("^2" if i == j else f" * {names[j]}")
            for i, j, value in zip(first, second, products.tolist(), strict=True)
        ]
        terms += ["+ [", *squares, "] / 2"]
    if problem.offset:
        terms.append(_signed(problem.offset))
    out += _wrapped(f" {rows.objective_name}:", terms)
    out.append("Subject To")
    matrix, taken = rows.matrix, set(rows.row_names)
    indices, values, starts = matrix.indices.tolist(), matrix.data.tolist(), matrix.indptr.tolist()
    for r, name in enumerate(rows.row_names):
        low, high = float(rows.row_lower[r]), float(rows.row_upper[r])
        start, end = starts[r], starts[r + 1]
        terms = _terms(names, indices[start:end], values[start:end]) or [f"0 {names[0]}"]
        if low == high:
            out += _wrapped(f" {name}:", [*terms, f"= {high!r}"])
            continue
        if np.isfinite(high):
            out += _wrapped(f" {name}:", [*terms, f"<= {high!r}"])
        if np.isfinite(low):
            other = fresh([f"{name}_low"], taken, "_")[0] if np.isfinite(high) else name
            out += _wrapped(f" {other}:", [*terms, f">= {low!r}"])
    out.append("Bounds")
    for k in range(problem.n):
        low, high = float(rows.x_lower[k]), float(rows.x_upper[k])
        if low == -np.inf and high == np.inf:
            out.append(f" {names[k]} free")
        elif low == high:
            out.append(f" {names[k]} = {low!r}")
        elif low or high < np.inf:
            ends = ("-inf" if low == -np.inf else repr(low), "" if high == np.inf else f" <= {high!r}")
            out.append(f" {ends[0]} <= {names[k]}{ends[1]}")
    if problem.m:
        out.append("Binary")
        out += _wrapped("", names[problem.n :])
    out.append("End\n")
    write_text(path, "\n".join(out), "the problem")


def write_solution(
    path: str | Path, read_or_problem: ReadProblem | Problem, x: ArrayLike, b: ArrayLike, objective: float
) -> None:
    """Write a solution as MIPLIB does: `=obj= value`, then a line `name value` for every nonzero.

    Parameters
    ----------
    path : path
        Gzipped if its name ends in .gz.
    read_or_problem : ReadProblem or Problem
        With a ReadProblem the names, values and sense are those of the file it was read from.
    x, b : array_like
    objective : float
        The Problem's value at (x, b), to be minimised.
    """
    read = read_or_problem
    if isinstance(read, Problem):
        read = ReadProblem.of_problem(read, "problem")
    lines = [f"=obj= {read.objective(float(objective))!r}"]
    lines += [f"{name} {value!r}" for name, value in read.values(x, b).items() if value]
    write_text(path, "\n".join(lines) + "\n", "the solution")


def _signed(value: float) -> str:
    return f"- {-value!r}" if value < 0 else f"+ {value!r}"


def _terms(names: Sequence[str], places: Iterable[int], values: Iterable[float]) -> list[str]:
    return [f"{_signed(value)} {names[k]}" for k, value in zip(places, values, strict=True)]


def _wrapped(label: str, parts: Sequence[str]) -> list[str]:
    """A label and its parts over as many lines as they need."""
    lines = [" ".join([label, *parts[:TERMS_PER_LINE]])]
    for start in range(TERMS_PER_LINE, len(parts), TERMS_PER_LINE):
        lines.append("  " + " ".join(parts[start : start + TERMS_PER_LINE]))
    return lines


def _names(names: Iterable[str], clean: bool) -> list[str]:
    """Names that a file can hold, each of them once."""
    result = []
    for name in names:
        plain = re.sub(r"\s", "_", name) or "_"
        if clean and (not LP_NAME.fullmatch(plain) or LP_RESERVED.fullmatch(plain)):
            plain = re.sub(r"[^\w.]", "_", plain, flags=re.ASCII)
            if not LP_NAME.fullmatch(plain) or LP_RESERVED.fullmatch(plain):
                plain = "_" + plain
        elif not clean and plain.upper().strip("'\"") == "MARKER":
            plain = "_" + plain
        result.append(plain)
    return fresh(result, set(), "_")
