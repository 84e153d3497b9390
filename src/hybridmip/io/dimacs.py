"""DIMACS files of min-cost flows."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.errors import ArgumentError, FileError
from hybridmip.io.fields import fields, nodes, size
from hybridmip.io.model import ReadProblem
from hybridmip.io.orlib import shorten
from hybridmip.model.problem import Problem


def is_dimacs(text: str) -> bool:
    """Whether the first line that is no comment is `p min` with two sizes."""
    first = next((line.split() for line in text.splitlines() if line.strip() and line.split()[0] != "c"), [])
    return len(first) == 4 and first[:2] == ["p", "min"]


def read_dimacs(text: str, source: str, fixed_charge: float | None = None) -> ReadProblem:
    """The problem of `parse_dimacs`; its objective is the cost."""
    return ReadProblem.of_problem(parse_dimacs(text, source, fixed_charge), source, "cost")


def parse_dimacs(text: str, source: str, fixed_charge: float | None = None) -> Problem:
    """A DIMACS min-cost flow: `p min nodes arcs`, `n node supply`, `a from to lower capacity cost`.

    Parameters
    ----------
    text, source : str
    fixed_charge : float, optional
        What every arc costs once it is used; each then has a binary. An arc with a positive lower bound is always
        used: its charge is part of the constant. Left out, the problem is linear and has no binaries.

    Raises
    ------
    FileError
        If the text is truncated or garbled, or the supplies do not add up; the message gives the line.
    ArgumentError
        If the fixed charge is not a finite number.
    """
    if fixed_charge is not None and not math.isfinite(fixed_charge):
        raise ArgumentError(f"fixed_charge is {fixed_charge}; it must be a finite number")
    count = arcs = -1
    supply_of: dict[int, float] = {}
    table: list[list[float]] = []
    arc_lines: list[tuple[int, str]] = []
    number = 0
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words or words[0] == "c":
            continue
        if words[0] == "p":
            if count >= 0:
                raise FileError(f"{source}, line {number}: a second p line; there must be one")
            if len(words) != 4 or words[1] != "min":
                raise FileError(f"{source}, line {number}: expected `p min nodes arcs`, found {shorten(line.strip())}")
            sizes = fields((number, " ".join(words[2:])), 2, "nodes and arcs", source)
            count = size(sizes[0], source, number, "the number of nodes")
            arcs = size(sizes[1], source, number, "the number of arcs")
            continue
        if count < 0:
            raise FileError(f"{source}, line {number}: {shorten(line.strip())} comes before the p line")
        if words[0] == "n":
            node, amount = fields((number, " ".join(words[1:])), 2, "node and supply", source)
            if node != int(node) or not 1 <= node <= count:
                raise FileError(f"{source}, line {number}: node {words[1]} is not from 1 to {count}")
            if int(node) - 1 in supply_of:
                raise FileError(f"{source}, line {number}: node {words[1]} is listed twice")
            supply_of[int(node) - 1] = amount
        elif words[0] == "a":
            table.append(fields((number, " ".join(words[1:])), 5, "from, to, lower, capacity and cost", source))
            arc_lines.append((number, line))
        else:
            raise FileError(f"{source}, line {number}: {shorten(words[0])} is none of c, p, n, a")
    if count < 0:
        raise FileError(f"{source}: there is no line `p min nodes arcs`")
    if len(table) != arcs:
        state = "truncated" if len(table) < arcs else "too long"
        raise FileError(f"{source}, line {number}: the file is {state}: {arcs} arcs announced, found {len(table)}")
    data = np.array(table, dtype=np.float64).reshape(arcs, 5)
    tail, head = (nodes(data[:, k], count, arc_lines, source) for k in (0, 1))
    lower, capacity, cost = data[:, 2], data[:, 3], data[:, 4]
    for k in np.flatnonzero((lower > capacity) & (capacity >= 0) | (lower < 0)):
        raise FileError(
            f"{source}, line {arc_lines[k][0]}: the bounds are {lower[k]:g} and {capacity[k]:g}; "
            "the lower one must not be negative or above the capacity"
        )
    supply = np.zeros(count)
    supply[list(supply_of)] = list(supply_of.values())
    if abs(supply.sum()) > 1e-9 * np.abs(supply).sum():
        raise FileError(f"{source}: the supplies add up to {supply.sum():g}; they must add up to 0")
    # A negative capacity means none: no more than everything can flow anyway, but for cycles that pay.
    capacity = np.where(capacity < 0, np.inf, capacity)
    names = _arc_names(tail, head)
    common = {
        "q": cost, "A": _incidence(tail, head, count), "row_lower": supply, "row_upper": supply, "x_lower": lower,
        "x_names": [f"flow_{name}" for name in names], "row_names": [f"balance_{v}" for v in range(1, count + 1)],
    }  # fmt: skip
    if fixed_charge is None:
        return Problem(**common, x_upper=capacity)
    free = np.flatnonzero(lower == 0)
    if (cost[free] < 0).any() and np.isinf(capacity[free]).any():
        raise FileError(f"{source}: an arc without capacity and one with a negative cost; give every arc a capacity")
    everything = float(supply[supply > 0].sum()) + float(lower.sum())
    switch = np.full(arcs, -1, dtype=np.intp)
    switch[free] = np.arange(free.size)
    return Problem(
        **common, x_upper=np.where(np.isinf(capacity), everything, capacity),
        p=np.full(free.size, float(fixed_charge)), offset=float(fixed_charge) * (arcs - free.size),
        switch=switch, binaries=free.size, b_names=[f"open_{names[k]}" for k in free],
    )  # fmt: skip


def _incidence(tail: NDArray[np.intp], head: NDArray[np.intp], nodes: int) -> sparse.csr_array:
    """Node by arc: 1 where an arc leaves, -1 where it arrives."""
    arcs = tail.size
    at = np.arange(arcs)
    ones = np.ones(arcs)
    places = (np.concatenate([tail, head]), np.concatenate([at, at]))
    return sparse.csr_array((np.concatenate([ones, -ones]), places), shape=(nodes, arcs))


def _arc_names(tail: NDArray[np.intp], head: NDArray[np.intp]) -> list[str]:
    """from_to, numbered where arcs are parallel."""
    seen: dict[tuple[int, int], int] = {}
    names = []
    for pair in zip((tail + 1).tolist(), (head + 1).tolist(), strict=True):
        seen[pair] = seen.get(pair, 0) + 1
        names.append(f"{pair[0]}_{pair[1]}" + (f"_{seen[pair]}" if seen[pair] > 1 else ""))
    return names
