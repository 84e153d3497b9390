"""Network problems in their collections' own formats: OR-Library warehouses, Canad designs, DIMACS flows.

Each reader gives a Problem whose links are in place: nothing has to be recognised.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.errors import ArgumentError, FileError
from hybridmip.io.orlib import shorten
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Vector

#: Sizes beyond this are a damaged file.
MOST = 2_000_000
#: Flows of one problem, commodities times arcs.
MOST_FLOWS = 20_000_000


def is_warehouse(text: str) -> bool:
    """Whether the text starts as a warehouse file does: two whole numbers, then lines of two."""
    lines = [line.split() for line in text[:4000].splitlines() if line.strip()][:2]
    return len(lines) == 2 and all(len(line) == 2 for line in lines) and all(w.isdecimal() for w in lines[0])


def is_canad(text: str) -> bool:
    """Whether the text starts as a Canad file does: a title, three whole numbers, then lines of seven."""
    lines = [line.split() for line in text[:4000].splitlines() if line.strip()][:3]
    return [len(line) for line in lines[1:]] == [3, 7] and all(word.isdecimal() for word in lines[1])


def is_dimacs(text: str) -> bool:
    """Whether the first line that is no comment is `p min` with two sizes."""
    first = next((line.split() for line in text.splitlines() if line.strip() and line.split()[0] != "c"), [])
    return len(first) == 4 and first[:2] == ["p", "min"]


def parse_warehouse(text: str, source: str) -> Problem:
    """Capacitated warehouse location: m n; m lines of capacity and fixed cost; per customer the demand and m costs.

    x is the share of a customer's demand that a warehouse serves, at most the warehouse's binary.

    Raises
    ------
    FileError
        If the text is truncated or garbled; the message gives the line.
    """
    values, lines = _numbers(text, source)
    if values.size < 2:
        raise FileError(
            f"{source}, line {lines[-1]}: expected the numbers of warehouses and customers; it is truncated"
        )
    warehouses = _size(values[0], source, lines[0], "the number of warehouses")
    customers = _size(values[1], source, lines[1], "the number of customers")
    expected = 2 + 2 * warehouses + customers * (1 + warehouses)
    if values.size != expected:
        state = "truncated" if values.size < expected else "too long"
        raise FileError(
            f"{source}, line {lines[-1]}: the file is {state}: {warehouses} warehouses and {customers} customers need "
            f"{expected} numbers, found {values.size}"
        )
    table = values[2 : 2 + 2 * warehouses].reshape(warehouses, 2)
    capacity, fixed = table[:, 0], table[:, 1]
    rest = values[2 + 2 * warehouses :].reshape(customers, 1 + warehouses)
    demand, cost = rest[:, 0], rest[:, 1:]
    for what, numbers, first, step in (
        ("capacity", capacity, 2, 2),
        ("demand", demand, 2 + 2 * warehouses, 1 + warehouses),
    ):
        for k in np.flatnonzero(numbers < 0):
            raise FileError(
                f"{source}, line {lines[first + step * k]}: the {what} is {numbers[k]:g}; it must not be negative"
            )
    # x by customer, then by warehouse: the order of the costs.
    n = customers * warehouses
    customer, warehouse = np.divmod(np.arange(n), warehouses)
    serve = sparse.csr_array((np.ones(n), (customer, np.arange(n))), shape=(customers, n))
    load = sparse.csr_array((demand[customer], (warehouse, np.arange(n))), shape=(warehouses, n))
    G = sparse.vstack([sparse.csr_array((customers, warehouses)), -sparse.diags_array(capacity)])
    return Problem(
        q=cost.ravel(), p=fixed, A=sparse.vstack([serve, load]), G=G,
        row_lower=np.concatenate([np.ones(customers), np.full(warehouses, -np.inf)]),
        row_upper=np.concatenate([np.ones(customers), np.zeros(warehouses)]),
        x_lower=np.zeros(n), x_upper=np.ones(n), switch=warehouse, binaries=warehouses,
        x_names=[f"x_{i}_{j}" for j in range(1, customers + 1) for i in range(1, warehouses + 1)],
        b_names=[f"open_{i}" for i in range(1, warehouses + 1)],
        row_names=[f"demand_{j}" for j in range(1, customers + 1)]
        + [f"capacity_{i}" for i in range(1, warehouses + 1)],
    )  # fmt: skip


class Design(NamedTuple):
    """What a Canad file says; nodes are counted from 0."""

    nodes: int
    tail: NDArray[np.intp]
    head: NDArray[np.intp]
    cost: Vector
    capacity: Vector
    fixed: Vector
    origin: NDArray[np.intp]
    target: NDArray[np.intp]
    demand: Vector


def parse_design(text: str, source: str) -> Design:
    """Multicommodity capacitated fixed-charge network design (`.dow`).

    A title; nodes, arcs, commodities; per arc: from, to, unit cost, capacity, fixed cost and two numbers to ignore;
    per commodity: origin, destination, demand.

    Raises
    ------
    FileError
        If the text is truncated or garbled; the message gives the line.
    """
    lines = [(k, line) for k, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if len(lines) < 2:
        raise FileError(
            f"{source}, line {lines[-1][0] if lines else 1}: nodes, arcs and commodities are missing; it is truncated"
        )
    sizes = _fields(lines[1], 3, "nodes, arcs and commodities", source)
    nodes, arcs, commodities = (
        _size(value, source, lines[1][0], f"the number of {what}")
        for value, what in zip(sizes, ("nodes", "arcs", "commodities"), strict=True)
    )
    if nodes > 2 * arcs:
        raise FileError(f"{source}, line {lines[1][0]}: {arcs} arcs cannot reach {nodes} nodes; check the sizes")
    if arcs * commodities > MOST_FLOWS:
        raise FileError(
            f"{source}, line {lines[1][0]}: {arcs} arcs times {commodities} commodities are too many flows "
            f"(at most {MOST_FLOWS})"
        )
    needed = 2 + arcs + commodities
    if len(lines) != needed:
        state = "truncated" if len(lines) < needed else "too long"
        raise FileError(
            f"{source}, line {lines[-1][0]}: the file is {state}: {arcs} arcs and {commodities} commodities need "
            f"{needed} lines, found {len(lines)}"
        )
    arc_lines, commodity_lines = lines[2 : 2 + arcs], lines[2 + arcs :]
    arc_table = np.array(
        [_fields(line, 7, "from, to, cost, capacity, fixed cost and two more", source) for line in arc_lines]
    )
    wanted = np.array([_fields(line, 3, "origin, destination and demand", source) for line in commodity_lines])
    tail, head = (_nodes(arc_table[:, k], nodes, arc_lines, source) for k in (0, 1))
    origin, target = (_nodes(wanted[:, k], nodes, commodity_lines, source) for k in (0, 1))
    cost, capacity, fixed = arc_table[:, 2], arc_table[:, 3], arc_table[:, 4]
    demand = wanted[:, 2]
    for what, numbers, where in (("capacity", capacity, arc_lines), ("demand", demand, commodity_lines)):
        for k in np.flatnonzero(numbers < 0):
            raise FileError(f"{source}, line {where[k][0]}: the {what} is {numbers[k]:g}; it must not be negative")
    return Design(nodes, tail, head, cost, capacity, fixed, origin, target, demand)


def parse_canad(text: str, source: str) -> Problem:
    """The problem of a Canad file: x is the flow of a commodity on an arc, b whether the arc is open.

    Raises
    ------
    FileError
        If the text is truncated or garbled; the message gives the line.
    """
    nodes, tail, head, cost, capacity, fixed, origin, target, demand = parse_design(text, source)
    arcs, commodities = tail.size, demand.size
    # x by commodity, then by arc; out of a node less into it is what the commodity brings there.
    n = commodities * arcs
    commodity, arc = np.divmod(np.arange(n), arcs)
    balance = _incidence(tail, head, nodes)
    conservation = sparse.kron(sparse.eye_array(commodities), balance, format="csr")
    supply = np.zeros((commodities, nodes))
    np.add.at(supply, (np.arange(commodities), origin), demand)
    np.add.at(supply, (np.arange(commodities), target), -demand)
    together = sparse.csr_array((np.ones(n), (arc, np.arange(n))), shape=(arcs, n))
    G = sparse.vstack([sparse.csr_array((commodities * nodes, arcs)), -sparse.diags_array(capacity)])
    arc_names = _arc_names(tail, head)
    return Problem(
        q=np.tile(cost, commodities), p=fixed, A=sparse.vstack([conservation, together]), G=G,
        row_lower=np.concatenate([supply.ravel(), np.full(arcs, -np.inf)]),
        row_upper=np.concatenate([supply.ravel(), np.zeros(arcs)]),
        x_lower=np.zeros(n), x_upper=np.minimum(capacity[arc], demand[commodity]), switch=arc, binaries=arcs,
        x_names=[f"flow_{k}_{name}" for k in range(1, commodities + 1) for name in arc_names],
        b_names=[f"open_{name}" for name in arc_names],
        row_names=[f"balance_{k}_{v}" for k in range(1, commodities + 1) for v in range(1, nodes + 1)]
        + [f"capacity_{name}" for name in arc_names],
    )  # fmt: skip


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
    nodes = arcs = -1
    supply_of: dict[int, float] = {}
    table: list[list[float]] = []
    arc_lines: list[tuple[int, str]] = []
    number = 0
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words or words[0] == "c":
            continue
        if words[0] == "p":
            if nodes >= 0:
                raise FileError(f"{source}, line {number}: a second p line; there must be one")
            if len(words) != 4 or words[1] != "min":
                raise FileError(f"{source}, line {number}: expected `p min nodes arcs`, found {shorten(line.strip())}")
            sizes = _fields((number, " ".join(words[2:])), 2, "nodes and arcs", source)
            nodes = _size(sizes[0], source, number, "the number of nodes")
            arcs = _size(sizes[1], source, number, "the number of arcs")
            continue
        if nodes < 0:
            raise FileError(f"{source}, line {number}: {shorten(line.strip())} comes before the p line")
        if words[0] == "n":
            node, amount = _fields((number, " ".join(words[1:])), 2, "node and supply", source)
            if node != int(node) or not 1 <= node <= nodes:
                raise FileError(f"{source}, line {number}: node {words[1]} is not from 1 to {nodes}")
            if int(node) - 1 in supply_of:
                raise FileError(f"{source}, line {number}: node {words[1]} is listed twice")
            supply_of[int(node) - 1] = amount
        elif words[0] == "a":
            table.append(_fields((number, " ".join(words[1:])), 5, "from, to, lower, capacity and cost", source))
            arc_lines.append((number, line))
        else:
            raise FileError(f"{source}, line {number}: {shorten(words[0])} is none of c, p, n, a")
    if nodes < 0:
        raise FileError(f"{source}: there is no line `p min nodes arcs`")
    if len(table) != arcs:
        state = "truncated" if len(table) < arcs else "too long"
        raise FileError(f"{source}, line {number}: the file is {state}: {arcs} arcs announced, found {len(table)}")
    data = np.array(table, dtype=np.float64).reshape(arcs, 5)
    tail, head = (_nodes(data[:, k], nodes, arc_lines, source) for k in (0, 1))
    lower, capacity, cost = data[:, 2], data[:, 3], data[:, 4]
    for k in np.flatnonzero((lower > capacity) & (capacity >= 0) | (lower < 0)):
        raise FileError(
            f"{source}, line {arc_lines[k][0]}: the bounds are {lower[k]:g} and {capacity[k]:g}; "
            "the lower one must not be negative or above the capacity"
        )
    supply = np.zeros(nodes)
    supply[list(supply_of)] = list(supply_of.values())
    if abs(supply.sum()) > 1e-9 * np.abs(supply).sum():
        raise FileError(f"{source}: the supplies add up to {supply.sum():g}; they must add up to 0")
    # A negative capacity means none: no more than everything can flow anyway, but for cycles that pay.
    capacity = np.where(capacity < 0, np.inf, capacity)
    names = _arc_names(tail, head)
    common = {
        "q": cost, "A": _incidence(tail, head, nodes), "row_lower": supply, "row_upper": supply, "x_lower": lower,
        "x_names": [f"flow_{name}" for name in names], "row_names": [f"balance_{v}" for v in range(1, nodes + 1)],
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


def _numbers(text: str, source: str) -> tuple[Vector, list[int]]:
    """All numbers of a text and the line of each."""
    values: list[float] = []
    lines: list[int] = []
    for number, line in enumerate(text.splitlines(), start=1):
        for token in line.split():
            value = _finite(token)
            if value is None:
                if token.lower() == "capacity":
                    raise FileError(
                        f"{source}, line {number}: the capacity is left open; put a number in place of {shorten(token)}"
                    )
                raise FileError(f"{source}, line {number}: {shorten(token)} is not a finite number")
            values.append(value)
            lines.append(number)
    return np.array(values), lines


def _finite(token: str) -> float | None:
    try:
        value = float(token)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in token else None


def _fields(line: tuple[int, str], count: int, what: str, source: str) -> list[float]:
    """The numbers of one line, which must be as many as `count`."""
    number, text = line
    words = text.split()
    if len(words) != count:
        raise FileError(f"{source}, line {number}: expected {count} numbers ({what}), found {len(words)}")
    result = []
    for word in words:
        value = _finite(word)
        if value is None:
            raise FileError(f"{source}, line {number}: {shorten(word)} is not a finite number")
        result.append(value)
    return result


def _size(value: float, source: str, line: int, what: str) -> int:
    if value != int(value) or not 1 <= value <= MOST:
        raise FileError(f"{source}, line {line}: {what} is {value:g}; it must be a whole number from 1 to {MOST}")
    return int(value)


def _nodes(values: Vector, nodes: int, lines: list[tuple[int, str]], source: str) -> NDArray[np.intp]:
    """Node numbers from 0."""
    for k in np.flatnonzero((values != np.floor(values)) | (values < 1) | (values > nodes)):
        raise FileError(f"{source}, line {lines[k][0]}: node {values[k]:g} is not from 1 to {nodes}")
    return values.astype(np.intp) - 1
