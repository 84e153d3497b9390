"""Compiled search over the flows of a network by rerouting, under linear costs and charges for what is not zero.

An arc is emptied: what it carries goes from its one end to the other on the cheapest way through the network in which
an arc costs what so much more flow through it, or less, adds in costs and charges. So a way may open several arcs and
close several others at once, where a step from tree to tree opens one. Closing one is a gain, so that ways are found by
correcting labels, and never go through a node twice.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit, types

from hybridmip.engines.compiled import Kernel
from hybridmip.search.trees_kernel import CHARGE, COST, FLOW_TOLERANCE, LOWER, UPPER

#: A way must be cheaper than what is saved by this share of it, and a label than the one before by so much.
CLEARLY = 1e-7
LESS = 1e-9
#: Labels that are looked at for one way, for each node.
MOST_LABELS = 20

_REALS = types.float64[::1]
_INTEGERS = types.int64[::1]
_TABLE = types.float64[:, ::1]
_PLACES = types.int64[:, ::1]
#: Signature of `search`.
SEARCH = types.Tuple((types.float64, types.float64, types.int64))(
    _PLACES, _TABLE, _REALS, _INTEGERS, _INTEGERS, _INTEGERS, types.int64, _TABLE, _TABLE, types.float64, types.int64,
    _REALS,
)  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def _change(arc, sign, amount, about, charge, flow):
    """What so much more (sign 1) or less (-1) through an arc adds; infinite where it is not possible."""
    before = flow[arc]
    after = before + sign * amount
    if after < about[arc, LOWER] - FLOW_TOLERANCE or after > about[arc, UPPER] + FLOW_TOLERANCE:
        return np.inf
    change = sign * about[arc, COST] * amount
    was, now = abs(before) > FLOW_TOLERANCE, abs(after) > FLOW_TOLERANCE
    if was != now:
        change += charge[arc] if now else -charge[arc]
    return change


@njit(cache=True, nogil=True, error_model="numpy")
def _is_on_the_way(node, last, source, ends, by):
    """Whether the way to `last` goes through a node."""
    while last != source:
        if last == node:
            return True
        arc = by[last]
        last = ends[arc, 0] if ends[arc, 1] == last else ends[arc, 1]
    return False


@njit(cache=True, nogil=True, error_model="numpy")
def _labels(emptied, side, source, target, amount, limit, ends, about, charge, flow, start, touching, label, by, room):
    """Label the nodes by what the cheapest way to them adds, up to a limit; returns how many, and arcs looked at.

    `room` has the nodes that were labelled, a queue, and whether a node is in it.
    """
    nodes = label.size
    seen, queue, queued = room[0], room[1], room[2]
    label[source], seen[0], queue[0], queued[source] = 0.0, source, source, 1
    many, first, waiting, looks = 1, 0, 1, 0
    for _ in range(MOST_LABELS * nodes):
        if waiting == 0:
            break
        node = queue[first]
        first = first + 1 if first + 1 < nodes else 0
        waiting -= 1
        queued[node] = 0
        most = min(limit, label[target])
        if label[node] >= most:
            continue
        looks += start[node + 1] - start[node]
        for place in range(start[node], start[node + 1]):
            arc = touching[place]
            leaves = ends[arc, 0] == node
            other = ends[arc, 1] if leaves else ends[arc, 0]
            if arc == emptied or other == source:
                continue
            found = label[node] + _change(arc, side if leaves else -side, amount, about, charge, flow)
            if found >= label[other] - LESS or found >= most:
                continue
            if label[other] == np.inf:
                seen[many] = other
                many += 1
            elif _is_on_the_way(other, node, source, ends, by):
                continue
            label[other], by[other] = found, arc
            if queued[other] == 0 and other != target:
                queued[other] = 1
                if waiting > 0 and found < label[queue[first]]:  # small ones first
                    first = first - 1 if first > 0 else nodes - 1
                    queue[first] = other
                else:
                    queue[(first + waiting) % nodes] = other
                waiting += 1
    return many, looks


@njit(cache=True, nogil=True, error_model="numpy")
def _reroute(arc, side, ends, about, charge, flow, start, touching, label, by, room):
    """Empty an arc if what it carries has a cheaper way; returns what that changes, and arcs looked at.

    Ways are looked for from where the arc leaves (side 1), or from where it enters, backwards (-1).
    """
    amount, sign = abs(flow[arc]), 1 if flow[arc] > 0.0 else -1
    saved = -_change(arc, -sign, amount, about, charge, flow)
    source, target = (ends[arc, 0], ends[arc, 1]) if sign * side > 0 else (ends[arc, 1], ends[arc, 0])
    limit = saved - CLEARLY * (1.0 + abs(saved))
    many, looks = _labels(
        arc, side, source, target, amount, limit, ends, about, charge, flow, start, touching, label, by, room
    )
    change = 0.0
    if label[target] < limit:
        # Labels on the way may have become smaller since: the sum is what counts.
        node, total = target, -saved
        while node != source:
            on = by[node]
            enters = ends[on, 1] == node
            total += _change(on, side if enters else -side, amount, about, charge, flow)
            node = ends[on, 0] if enters else ends[on, 1]
        if total < 0.0:
            node, change = target, total
            while node != source:
                on = by[node]
                enters = ends[on, 1] == node
                flow[on] += (side if enters else -side) * amount
                if abs(flow[on]) <= FLOW_TOLERANCE:
                    flow[on] = 0.0
                node = ends[on, 0] if enters else ends[on, 1]
            flow[arc] = 0.0
    for place in range(many):
        label[room[0, place]] = np.inf
        room[2, room[0, place]] = 0
    return change, looks


@njit(cache=True, nogil=True, error_model="numpy")
def _descend(begin, side, most, candidates, ends, about, charge, flow, start, touching, label, by, room):
    """Empty every arc that makes it cheaper, in turn, until none does, or so many are looked at; returns how many."""
    idle, place, looks = 0, begin, 0
    while idle < candidates.size and looks < most:
        arc = candidates[place]
        place = place + 1 if place + 1 < candidates.size else 0
        idle += 1
        if abs(flow[arc]) <= FLOW_TOLERANCE or about[arc, LOWER] > 0.0 or about[arc, UPPER] < 0.0:
            continue
        change, looked = _reroute(arc, side, ends, about, charge, flow, start, touching, label, by, room)
        looks += looked
        if change < 0.0:
            idle = 0
    return looks


@njit(cache=True, nogil=True, error_model="numpy")
def _value(about, flow):
    """What flows cost, with their charges."""
    total = 0.0
    for arc in range(flow.size):
        if flow[arc] != 0.0:
            total += about[arc, COST] * flow[arc]
            if abs(flow[arc]) > FLOW_TOLERANCE:
                total += about[arc, CHARGE]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def search(ends, about, flow, candidates, start, touching, side, draws, noise, heat, most, best_flow):
    """Iterated local search, a round for each line of draws: down with other charges, then with the true ones.

    `noise` has the logarithms of the factors of the candidates' charges, in each round. Without rounds it only goes
    down. It ends when `most` arcs were looked at, in the middle of a round if need be. Returns the value it ends at,
    the best one, and how many arcs were looked at.
    """
    nodes = start.size - 1
    label, by, room = np.full(nodes, np.inf), np.zeros(nodes, dtype=np.int64), np.zeros((3, nodes), dtype=np.int64)
    charge = about[:, CHARGE].copy()
    other = charge.copy()
    looks = _descend(0, side, most, candidates, ends, about, charge, flow, start, touching, label, by, room)
    kept_flow, kept_value = flow.copy(), _value(about, flow)
    best = kept_value
    best_flow[:] = flow
    for turn in range(draws.shape[0]):
        if looks >= most:
            break
        begin = int(draws[turn, 0] * candidates.size)
        for place in range(candidates.size):
            arc = candidates[place]
            other[arc] = charge[arc] * math.exp(noise[turn, place])
        for paid in (other, charge):
            left = most - looks
            looks += _descend(begin, side, left, candidates, ends, about, paid, flow, start, touching, label, by, room)
        value = _value(about, flow)
        if value < best - LESS * abs(value):
            best = value
            best_flow[:] = flow
        if value <= kept_value - heat * math.log(max(draws[turn, 1], 1e-300)):
            kept_flow[:] = flow
            kept_value = value
        else:
            flow[:] = kept_flow
    return kept_value, best, looks


#: What is compiled here.
KERNELS = (Kernel(search, SEARCH),)
