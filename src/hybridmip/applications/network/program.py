"""The mixed-integer program of a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from hybridmip.applications.network.checks import BALANCE_TOLERANCE
from hybridmip.applications.network.names import Indices
from hybridmip.model.problem import Problem

if TYPE_CHECKING:
    from hybridmip.applications.network.fixed_charge import FixedChargeNetwork


def build(network: FixedChargeNetwork) -> Problem:
    """The program; see `FixedChargeNetwork.problem` for its names."""
    commodity, arc = flow_columns(network)
    totals = _totals(network)
    several = network.commodities is not None
    n, flows, nodes = len(arc) + len(totals), len(arc), len(network.nodes)
    arc_of = np.concatenate([arc, totals])
    binary = np.full(len(network.arcs), -1, dtype=np.intp)
    binary[network.has_binary] = np.arange(int(network.has_binary.sum()))
    names, labels = network.arc_names, network.commodity_names
    x_names = [f"{names[a]} [{labels[k]}]" if several else names[a] for k, a in zip(commodity, arc, strict=True)]

    # Conservation: a node that neither sends nor sees a commodity needs no row for it.
    ones, column = np.ones(flows), np.arange(flows)
    places = np.concatenate([commodity * nodes + network.tails[arc], commodity * nodes + network.heads[arc]])
    shape = (len(network.supplies) * nodes, n)
    balance = sparse.csr_array((np.concatenate([ones, -ones]), (places, np.tile(column, 2))), shape=shape)
    needed = (np.diff(balance.indptr) > 0) | (network.supplies.ravel() != 0)
    parts = [balance[needed]]
    lower = [network.supplies.ravel()[needed]]
    upper = [lower[0]]
    row_names = []
    for place in np.flatnonzero(needed):
        k, i = divmod(int(place), nodes)
        row_names.append(f"flow at {network.nodes[i]}" + (f" [{labels[k]}]" if several else ""))

    # What the commodities carry together: the capacity, where it can bind, or the variable that is its total.
    sums = sparse.csr_array((ones, (arc, column)), shape=(len(network.arcs), n))
    binds = np.zeros(len(network.arcs), dtype=bool)
    if several:
        binds = network.commodity_limits.sum(axis=0) > network.capacity
        binds[totals] = False
        parts.append(sums[np.flatnonzero(binds)])
        lower.append(np.full(int(binds.sum()), -np.inf))
        upper.append(np.where(network.has_binary, 0.0, network.capacity)[binds])
        row_names += [f"capacity of {names[a]}" for a in np.flatnonzero(binds)]
        own = sparse.csr_array((-np.ones(len(totals)), (np.arange(len(totals)), flows + np.arange(len(totals)))),
                               shape=(len(totals), n))  # fmt: skip
        parts.append(sums[totals] + own)
        lower.append(np.zeros(len(totals)))
        upper.append(np.zeros(len(totals)))
        row_names += [f"total of {names[a]}" for a in totals]
    rows = sum(part.shape[0] for part in parts)
    m = int(network.has_binary.sum())
    mixed = np.flatnonzero(binds & network.has_binary)
    row_of = parts[0].shape[0] + (np.cumsum(binds) - 1)[mixed]
    G = sparse.csr_array((-network.capacity[mixed], (row_of, binary[mixed])), shape=(rows, m))

    quadratic = network.quadratic_cost[arc_of]
    if several:
        quadratic = np.concatenate([np.zeros(flows), quadratic[flows:]])
    ends, end_names = _arcs_needed(network)
    chosen = [binary[arcs] for arcs, _ in ends]
    fewest, most = [count for _, count in ends], [np.inf] * len(ends)
    if network.max_open is not None or network.min_open is not None:
        chosen.insert(0, np.arange(m))
        fewest.insert(0, network.min_open or 0)
        most.insert(0, m if network.max_open is None else network.max_open)
        end_names = ["open arcs", *end_names]
    starts = np.cumsum([0, *(len(part) for part in chosen)])
    return Problem(
        Q=quadratic,
        q=np.concatenate([network.unit_cost[arc], np.zeros(len(totals))]),
        p=network.fixed_cost[network.has_binary],
        A=sparse.csr_array(sparse.vstack(parts)),
        G=G if m else None,
        row_lower=np.concatenate(lower),
        row_upper=np.concatenate(upper),
        B=sparse.csr_array((np.ones(starts[-1]), np.concatenate(chosen), starts), shape=(len(chosen), m))
        if chosen
        else None,
        b_lower=fewest if chosen else None,
        b_upper=most if chosen else None,
        x_lower=np.zeros(n),
        x_upper=np.concatenate([network.commodity_limits[commodity, arc], network.flow_limits[totals]]),
        switch=binary[arc_of],
        binaries=m,
        x_names=[*x_names, *(names[a] for a in totals)],
        b_names=[names[a] for a in np.flatnonzero(network.has_binary)],
        row_names=row_names,
        b_row_names=end_names if chosen else None,
    )


def flow_columns(network: FixedChargeNetwork) -> tuple[Indices, Indices]:
    """(commodity, arc) of every flow variable."""
    if network.commodities is None:
        return np.zeros(len(network.arcs), dtype=np.intp), np.arange(len(network.arcs), dtype=np.intp)
    commodity, arc = np.nonzero(network.commodity_limits > 0)
    return commodity.astype(np.intp), arc.astype(np.intp)


def _totals(network: FixedChargeNetwork) -> Indices:
    """Arcs that have a variable for their total flow beside those of the commodities."""
    if network.commodities is None:
        return np.empty(0, dtype=np.intp)
    return np.flatnonzero((network.quadratic_cost > 0) & (network.flow_limits > 0)).astype(np.intp)


def _arcs_needed(network: FixedChargeNetwork) -> tuple[list[tuple[Indices, int]], list[str]]:
    """(arcs, how many of them must be open) at sinks and sources, and the names of these rows.

    Redundant for whole b, but not for the relaxations: without them a sink of demand 4 is content with a tenth of
    an arc of capacity 40. No arc is in two of these rows, which keeps it easy to find b that satisfy them; with
    several commodities the links by commodity say as much already.
    """
    rows: list[tuple[Indices, int]] = []
    names: list[str] = []
    if network.commodities is not None:
        return rows, names
    taken = np.zeros(len(network.arcs), dtype=bool)
    for ends, sign, word in ((network.heads, -1.0, "arcs into"), (network.tails, 1.0, "arcs out of")):
        order = np.argsort(ends, kind="stable")
        parts = np.split(order, np.searchsorted(ends[order], np.arange(1, len(network.nodes))))
        for i in np.flatnonzero(sign * network.supplies[0] > 0):
            arcs = parts[i][network.flow_limits[parts[i]] > 0]
            room = np.cumsum(np.sort(network.flow_limits[arcs])[::-1])
            need = abs(float(network.supplies[0, i])) * (1.0 - BALANCE_TOLERANCE)
            if taken[arcs].any() or not network.has_binary[arcs].all() or not room.size or room[-1] < need:
                continue
            taken[arcs] = True
            rows.append((arcs.astype(np.intp), int(np.searchsorted(room, need)) + 1))
            names.append(f"{word} {network.nodes[i]}")
    return rows, names
