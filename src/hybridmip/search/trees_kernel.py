"""Compiled search over the spanning trees of a network, under linear costs and charges for what is not zero.

A vertex of a network's flows is a spanning tree and a bound for every other arc. An arc that comes in closes one cycle:
walking it up the tree tells how far flow can go round, who leaves, and what all charges on the way come to. No tableau
is kept, so any arc can be looked at, in well below a microsecond.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit, types

from hybridmip.engines.compiled import Kernel

#: What counts as zero for a flow.
FLOW_TOLERANCE = 1e-8
#: What is kept of each node: its parent, the arc to it, its depth, its first child, the children beside it.
PARENT, ARC, DEPTH, CHILD, NEXT, LAST = range(6)
#: What is kept of each arc.
LOWER, UPPER, COST, CHARGE, GUESS = range(5)
#: What is kept of each arc of a cycle: the arc, its direction, the node below it, whether the head's side is its own.
CYCLE_ARC, CYCLE_SIGN, CYCLE_NODE, CYCLE_SIDE = range(4)

_REALS = types.float64[::1]
_INTEGERS = types.int64[::1]
_TABLE = types.float64[:, ::1]
_PLACES = types.int64[:, ::1]
#: Signatures of `hang`, `balance`, `changes`, `search` and `anneal`.
HANG = types.void(_PLACES, _PLACES, _INTEGERS)
BALANCE = types.void(_PLACES, _PLACES, _REALS)
CHANGES = _REALS(_INTEGERS, _PLACES, _TABLE, _PLACES, _REALS)
SEARCH = types.UniTuple(types.float64, 2)(
    _PLACES, _TABLE, _PLACES, _REALS, _INTEGERS, _INTEGERS, _INTEGERS, _TABLE, types.float64, types.float64,
    types.int64, _REALS, _INTEGERS,
)  # fmt: skip
ANNEAL = types.UniTuple(types.float64, 2)(
    _PLACES, _TABLE, _PLACES, _REALS, _INTEGERS, _TABLE, types.float64, types.float64, types.float64, types.float64,
    _REALS, _INTEGERS,
)  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def hang(ends, tree, basis):
    """Hang the tree of the arcs in a basis from the root, the last node; a depth stays -1 where it does not reach."""
    nodes = tree.shape[0]
    degree = np.zeros(nodes + 1, dtype=np.int64)
    for arc in basis:
        degree[ends[arc, 0]] += 1
        degree[ends[arc, 1]] += 1
    start = np.zeros(nodes + 1, dtype=np.int64)
    for i in range(nodes):
        start[i + 1] = start[i] + degree[i]
    filled = start[:nodes].copy()
    touching = np.zeros(2 * basis.size, dtype=np.int64)
    for arc in basis:
        for side in range(2):
            i = ends[arc, side]
            touching[filled[i]] = arc
            filled[i] += 1
    tree[:, :] = -1
    root = nodes - 1
    tree[root, DEPTH] = 0
    stack = np.empty(nodes, dtype=np.int64)
    stack[0], high = root, 1
    while high > 0:
        high -= 1
        i = stack[high]
        for place in range(start[i], start[i + 1]):
            arc = touching[place]
            j = ends[arc, 0] if ends[arc, 1] == i else ends[arc, 1]
            if tree[j, DEPTH] < 0:
                _link(tree, j, i, arc)
                tree[j, DEPTH] = tree[i, DEPTH] + 1
                stack[high] = j
                high += 1


@njit(cache=True, nogil=True, error_model="numpy")
def balance(ends, tree, flow):
    """Give the arcs of the tree the flows that the others leave to them."""
    nodes = tree.shape[0]
    missing = np.zeros(nodes)
    for i in range(nodes - 1):
        flow[tree[i, ARC]] = 0.0
    for arc in range(flow.size):
        if flow[arc] != 0.0:
            missing[ends[arc, 0]] -= flow[arc]
            missing[ends[arc, 1]] += flow[arc]
    for i in np.argsort(-tree[:, DEPTH]):
        arc = tree[i, ARC]
        if arc >= 0:  # what comes in too much goes up
            flow[arc] = missing[i] if ends[arc, 0] == i else -missing[i]
            missing[tree[i, PARENT]] += missing[i]


@njit(cache=True, nogil=True, error_model="numpy")
def _link(tree, node, parent, arc):
    """Make a node the first child of another."""
    after = tree[parent, CHILD]
    tree[node, PARENT], tree[node, ARC], tree[node, NEXT], tree[node, LAST] = parent, arc, after, -1
    if after >= 0:
        tree[after, LAST] = node
    tree[parent, CHILD] = node


@njit(cache=True, nogil=True, error_model="numpy")
def _unlink(tree, node):
    """Take a node out of the children of its parent."""
    before, after = tree[node, LAST], tree[node, NEXT]
    if before >= 0:
        tree[before, NEXT] = after
    else:
        tree[tree[node, PARENT], CHILD] = after
    if after >= 0:
        tree[after, LAST] = before


@njit(cache=True, nogil=True, error_model="numpy")
def _cycle(arc, ends, about, tree, flow, cycle):
    """The cycle that an arc closes: arcs on it, how far flow can go round, who stops it, and its slope."""
    forward = flow[arc] - about[arc, LOWER] <= about[arc, UPPER] - flow[arc]
    sign = 1 if forward else -1
    length, stops, slope, count = about[arc, UPPER] - about[arc, LOWER], 0, sign * about[arc, COST], 1
    cycle[0, CYCLE_ARC], cycle[0, CYCLE_SIGN], cycle[0, CYCLE_NODE] = arc, sign, -1
    to, back = (ends[arc, 1], ends[arc, 0]) if forward else (ends[arc, 0], ends[arc, 1])
    while to != back:
        if tree[to, DEPTH] >= tree[back, DEPTH]:
            node, side = to, 1
            other = tree[node, ARC]
            sign = 1 if ends[other, 0] == node else -1
            to = tree[node, PARENT]
        else:
            node, side = back, 0
            other = tree[node, ARC]
            sign = 1 if ends[other, 1] == node else -1
            back = tree[node, PARENT]
        room = about[other, UPPER] - flow[other] if sign > 0 else flow[other] - about[other, LOWER]
        if room < length:
            length, stops = room, count
        slope += sign * about[other, COST]
        cycle[count, CYCLE_ARC], cycle[count, CYCLE_SIGN] = other, sign
        cycle[count, CYCLE_NODE], cycle[count, CYCLE_SIDE] = node, side
        count += 1
    return count, max(length, 0.0), stops, slope


@njit(cache=True, nogil=True, error_model="numpy")
def _charges(count, length, about, flow, cycle):
    """What flow round a cycle adds in charges."""
    total = 0.0
    for place in range(count):
        arc = cycle[place, CYCLE_ARC]
        charge = about[arc, CHARGE]
        if charge != 0.0:
            was = abs(flow[arc]) > FLOW_TOLERANCE
            now = abs(flow[arc] + cycle[place, CYCLE_SIGN] * length) > FLOW_TOLERANCE
            if was != now:
                total += charge if now else -charge
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def _guessed(count, about, flow, cycle):
    """What the guesses for charges that are not paid yet add to the slope of a cycle."""
    total = 0.0
    for place in range(count):
        arc = cycle[place, CYCLE_ARC]
        if abs(flow[arc]) <= FLOW_TOLERANCE:
            total += cycle[place, CYCLE_SIGN] * about[arc, GUESS]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def _take(count, length, stops, ends, about, tree, flow, cycle, stack):
    """Send flow round a cycle, and change the tree unless the arc that came in stops it itself."""
    for place in range(count):
        arc = cycle[place, CYCLE_ARC]
        flow[arc] += cycle[place, CYCLE_SIGN] * length
    leaving = cycle[stops, CYCLE_ARC]
    flow[leaving] = about[leaving, UPPER] if cycle[stops, CYCLE_SIGN] > 0 else about[leaving, LOWER]
    if stops == 0:
        return
    arc, forward = cycle[0, CYCLE_ARC], cycle[0, CYCLE_SIGN] > 0
    to, back = (ends[arc, 1], ends[arc, 0]) if forward else (ends[arc, 0], ends[arc, 1])
    node, parent = (to, back) if cycle[stops, CYCLE_SIDE] == 1 else (back, to)
    top, last = node, cycle[stops, CYCLE_NODE]
    while True:  # the path from the arc that came in to the one that leaves is turned round
        following, its_arc = tree[node, PARENT], tree[node, ARC]
        _unlink(tree, node)
        _link(tree, node, parent, arc)
        if node == last:
            break
        parent, arc, node = node, its_arc, following
    stack[0], high = top, 1
    while high > 0:
        high -= 1
        node = stack[high]
        tree[node, DEPTH] = tree[tree[node, PARENT], DEPTH] + 1
        child = tree[node, CHILD]
        while child >= 0:
            stack[high] = child
            high += 1
            child = tree[child, NEXT]


@njit(cache=True, nogil=True, error_model="numpy")
def changes(candidates, ends, about, tree, flow):
    """What each candidate would change by coming in, of those that can carry something."""
    cycle = np.zeros((tree.shape[0] + 1, 4), dtype=np.int64)
    found = np.empty(candidates.size)
    many = 0
    for arc in candidates:
        if tree[ends[arc, 0], ARC] == arc or tree[ends[arc, 1], ARC] == arc:
            continue
        count, length, _, slope = _cycle(arc, ends, about, tree, flow, cycle)
        if length > FLOW_TOLERANCE and not math.isinf(length):
            found[many] = slope * length + _charges(count, length, about, flow, cycle)
            many += 1
    return found[:many].copy()


@njit(cache=True, nogil=True, error_model="numpy")
def _descend(begin, patience, candidates, ends, about, tree, flow, cycle, stack):
    """Take every arc that makes it cheaper, in turn, until so many in a row do not; returns what that changes."""
    total, idle, turned = 0.0, 0, 0
    place = begin
    while idle < patience:
        arc = candidates[place]
        place = place + 1 if place + 1 < candidates.size else 0
        idle += 1
        node = ends[arc, 0]
        if tree[node, ARC] == arc or tree[ends[arc, 1], ARC] == arc:
            continue
        count, length, stops, slope = _cycle(arc, ends, about, tree, flow, cycle)
        if length <= FLOW_TOLERANCE:
            if stops > 0 and turned < tree.shape[0] and slope + _guessed(count, about, flow, cycle) < -1e-9:
                turned += 1
                _take(count, 0.0, stops, ends, about, tree, flow, cycle, stack)
            continue
        if math.isinf(length):
            continue
        hope = about[arc, CHARGE] if abs(flow[arc]) <= FLOW_TOLERANCE else 0.0
        hope -= about[cycle[stops, CYCLE_ARC], CHARGE]
        if slope * length + hope >= -1e-9:
            continue
        change = slope * length + _charges(count, length, about, flow, cycle)
        if change < -1e-9:
            _take(count, length, stops, ends, about, tree, flow, cycle, stack)
            total += change
            idle = 0
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def search(ends, about, tree, flow, candidates, start, touching, draws, value, heat, patience, best_flow, best_basis):
    """Iterated local search, a round for each line of draws: a few arcs near each other come in, then it descends.

    Returns the value it ends at and the best one.
    """
    nodes = tree.shape[0]
    cycle = np.zeros((nodes + 1, 4), dtype=np.int64)
    stack = np.empty(nodes + 1, dtype=np.int64)
    kept_tree, kept_flow = tree.copy(), flow.copy()
    kept_value = best = value
    kicks = draws.shape[1] - 4
    for turn in range(draws.shape[0]):
        line = draws[turn]
        node = int(line[0] * (nodes - 1))
        for kick in range(1 + int(line[1] * kicks)):
            many = start[node + 1] - start[node]
            if many == 0:
                break
            arc = touching[start[node] + int(line[4 + kick] * many)]
            node = ends[arc, 0] if ends[arc, 1] == node else ends[arc, 1]
            if tree[ends[arc, 0], ARC] == arc or tree[ends[arc, 1], ARC] == arc:
                continue
            count, length, stops, slope = _cycle(arc, ends, about, tree, flow, cycle)
            if math.isinf(length):
                continue
            if length > FLOW_TOLERANCE:
                value += slope * length + _charges(count, length, about, flow, cycle)
            if length > FLOW_TOLERANCE or stops > 0:
                _take(count, length, stops, ends, about, tree, flow, cycle, stack)
            if node == nodes - 1:
                break
        begin = int(line[2] * candidates.size)
        value += _descend(begin, patience, candidates, ends, about, tree, flow, cycle, stack)
        if value < best - 1e-9 * abs(value):
            best = value
            best_flow[:] = flow
            best_basis[:] = tree[:-1, ARC]
        if value <= kept_value - heat * math.log(max(line[3], 1e-300)):
            kept_tree[:, :] = tree
            kept_flow[:] = flow
            kept_value = value
        else:
            tree[:, :] = kept_tree
            flow[:] = kept_flow
            value = kept_value
    return value, best


@njit(cache=True, nogil=True, error_model="numpy")
def anneal(ends, about, tree, flow, candidates, draws, hot, cold, value, best, best_flow, best_basis):
    """Let an arc come in for each line of draws where what it costs is not too much for the temperature.

    Returns the value it ends at and the best one.
    """
    nodes, steps = tree.shape[0], draws.shape[0]
    cycle = np.zeros((nodes + 1, 4), dtype=np.int64)
    stack = np.empty(nodes + 1, dtype=np.int64)
    heat = hot
    cooling = (cold / hot) ** (1.0 / max(steps, 1))
    for step in range(steps):
        heat *= cooling
        arc = candidates[int(draws[step, 0] * candidates.size)]
        if tree[ends[arc, 0], ARC] == arc or tree[ends[arc, 1], ARC] == arc:
            continue
        count, length, stops, slope = _cycle(arc, ends, about, tree, flow, cycle)
        if math.isinf(length):
            continue
        if length <= FLOW_TOLERANCE:
            if stops > 0:
                _take(count, 0.0, stops, ends, about, tree, flow, cycle, stack)
            continue
        most = -heat * math.log(max(draws[step, 1], 1e-300))
        hope = about[arc, CHARGE] if abs(flow[arc]) <= FLOW_TOLERANCE else 0.0
        hope -= about[cycle[stops, CYCLE_ARC], CHARGE]
        if slope * length + hope > most:
            continue
        change = slope * length + _charges(count, length, about, flow, cycle)
        if change <= most:
            _take(count, length, stops, ends, about, tree, flow, cycle, stack)
            value += change
            if value < best - 1e-9 * abs(value):
                best = value
                best_flow[:] = flow
                best_basis[:] = tree[:-1, ARC]
    return value, best


#: What is compiled here.
KERNELS = (
    Kernel(hang, HANG), Kernel(balance, BALANCE), Kernel(changes, CHANGES), Kernel(search, SEARCH),
    Kernel(anneal, ANNEAL),
)  # fmt: skip
