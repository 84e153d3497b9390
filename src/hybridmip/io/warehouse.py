"""OR-Library's files of capacitated warehouse location."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hybridmip.errors import FileError
from hybridmip.io.fields import numbers, size
from hybridmip.model.quadratic import Matrix, Vector


class Warehouses(NamedTuple):
    """What a warehouse file says; `cost` of serving all of a customer (columns) from a warehouse (rows)."""

    capacity: Vector
    fixed: Vector
    demand: Vector
    cost: Matrix


def is_warehouse(text: str) -> bool:
    """Whether the text starts as a warehouse file does: two whole numbers, then lines of two."""
    lines = [line.split() for line in text[:4000].splitlines() if line.strip()][:2]
    return len(lines) == 2 and all(len(line) == 2 for line in lines) and all(w.isdecimal() for w in lines[0])


def parse_warehouses(text: str, source: str) -> Warehouses:
    """Capacitated warehouse location: m n; m lines of capacity and fixed cost; per customer the demand and m costs.

    Raises
    ------
    FileError
        If the text is truncated or garbled; the message gives the line.
    """
    values, lines = numbers(text, source)
    if values.size < 2:
        raise FileError(
            f"{source}, line {lines[-1]}: expected the numbers of warehouses and customers; it is truncated"
        )
    warehouses = size(values[0], source, lines[0], "the number of warehouses")
    customers = size(values[1], source, lines[1], "the number of customers")
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
    for what, found, first, step in (
        ("capacity", capacity, 2, 2),
        ("fixed cost", fixed, 3, 2),
        ("demand", demand, 2 + 2 * warehouses, 1 + warehouses),
    ):
        for k in np.flatnonzero(found < 0):
            raise FileError(
                f"{source}, line {lines[first + step * k]}: the {what} is {found[k]:g}; it must not be negative"
            )
    return Warehouses(capacity, fixed, demand, cost.T)
