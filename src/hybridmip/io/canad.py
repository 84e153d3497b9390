"""Canad files (`.dow`): multicommodity capacitated fixed-charge network design."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hybridmip.errors import FileError
from hybridmip.io.fields import fields, nodes, size
from hybridmip.model.quadratic import Vector

#: Flows of one problem, commodities times arcs.
MOST_FLOWS = 20_000_000


def is_canad(text: str) -> bool:
    """Whether the text starts as a Canad file does: a title, three whole numbers, then lines of seven."""
    lines = [line.split() for line in text[:4000].splitlines() if line.strip()][:3]
    return [len(line) for line in lines[1:]] == [3, 7] and all(word.isdecimal() for word in lines[1])


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
    sizes = fields(lines[1], 3, "nodes, arcs and commodities", source)
    count, arcs, commodities = (
        size(value, source, lines[1][0], f"the number of {what}")
        for value, what in zip(sizes, ("nodes", "arcs", "commodities"), strict=True)
    )
    if count > 2 * arcs:
        raise FileError(f"{source}, line {lines[1][0]}: {arcs} arcs cannot reach {count} nodes; check the sizes")
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
        [fields(line, 7, "from, to, cost, capacity, fixed cost and two more", source) for line in arc_lines]
    )
    wanted = np.array([fields(line, 3, "origin, destination and demand", source) for line in commodity_lines])
    tail, head = (nodes(arc_table[:, k], count, arc_lines, source) for k in (0, 1))
    origin, target = (nodes(wanted[:, k], count, commodity_lines, source) for k in (0, 1))
    cost, capacity, fixed = arc_table[:, 2], arc_table[:, 3], arc_table[:, 4]
    demand = wanted[:, 2]
    for k in np.flatnonzero(tail == head):
        raise FileError(f"{source}, line {arc_lines[k][0]}: an arc leads from {tail[k] + 1} to itself; leave it out")
    for what, found, where in (
        ("capacity", capacity, arc_lines),
        ("fixed cost", fixed, arc_lines),
        ("demand", demand, commodity_lines),
    ):
        for k in np.flatnonzero(found < 0):
            raise FileError(f"{source}, line {where[k][0]}: the {what} is {found[k]:g}; it must not be negative")
    return Design(count, tail, head, cost, capacity, fixed, origin, target, demand)
