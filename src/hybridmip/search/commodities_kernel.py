"""Compiled search over the flows of networks that share charges and capacities, by rerouting.

As `reroutes_kernel`, where every arc has a charge of its own. Here a charge is paid once for all arcs that it opens,
those of many commodities, and what they carry together is limited. To save it all of them are emptied, one after
another, each on the cheapest way through its network as the ones before it have left it. What turns out dearer is taken
back.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit, types

from hybridmip.engines.compiled import Kernel
from hybridmip.search.reroutes_kernel import CLEARLY, LESS, MOST_LABELS, _is_on_the_way
from hybridmip.search.trees_kernel import COST, FLOW_TOLERANCE, LOWER, UPPER

#: What is kept of each arc beside its bounds and cost: which charge it pays, which capacity it takes of; -1 for none.
OWNER, ROW = range(2)
#: How often what an arc carries is halved where capacities have no room for it as a whole.
MOST_HALVES = 1
#: Arcs that are emptied at once, at most.
MOST_EMPTIED = 200
#: Share of a capacity by which it may be passed: rounding of sums.
LOAD_TOLERANCE = 1e-9

_REALS = types.float64[::1]
_INTEGERS = types.int64[::1]
_TABLE = types.float64[:, ::1]
_PLACES = types.int64[:, ::1]
#: Signature of `search`.
SEARCH = types.Tuple((types.float64, types.float64, types.int64))(
    _PLACES, _TABLE, _PLACES, _REALS, _REALS, _REALS, _INTEGERS, _INTEGERS, _REALS, _INTEGERS, _INTEGERS, _INTEGERS,
    types.int64, _TABLE, _TABLE, types.float64, types.int64, _REALS,
)  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def _change(arc, sign, amount, about, place, weight, capacity, charge, flow, load, users):
    """What so much more (sign 1) or less (-1) through an arc adds; infinite where it is not possible."""
    before = flow[arc]
    after = before + sign * amount
    if after < about[arc, LOWER] - FLOW_TOLERANCE or after > about[arc, UPPER] + FLOW_TOLERANCE:
        return np.inf
    row = place[arc, ROW]
    if row >= 0 and sign > 0:
        most = capacity[row]
        if load[row] + weight[arc] * amount > most + LOAD_TOLERANCE * (1.0 + abs(most)):
            return np.inf
    change = sign * about[arc, COST] * amount
    owner = place[arc, OWNER]
    if owner >= 0:
        if before == 0.0:
            if users[owner] == 0:
                change += charge[owner]
        elif abs(after) <= FLOW_TOLERANCE and users[owner] == 1:
            change -= charge[owner]
    return change


@njit(cache=True, nogil=True, error_model="numpy")
def _set(arc, after, place, weight, flow, load, users):
    """Have an arc carry so much."""
    if abs(after) <= FLOW_TOLERANCE:
        after = 0.0
    row, owner = place[arc, ROW], place[arc, OWNER]
    if row >= 0:
        load[row] += weight[arc] * (after - flow[arc])
    if owner >= 0:
        if flow[arc] == 0.0 and after != 0.0:
            users[owner] += 1
        elif flow[arc] != 0.0 and after == 0.0:
            users[owner] -= 1
    flow[arc] = after


@njit(cache=True, nogil=True, error_model="numpy")
def _labels(
    emptied, barred, side, source, target, amount, limit, budget, ends, about, place, weight, capacity, charge, flow,
    load, users, start, touching, label, by, room,
):  # fmt: skip
    """Label the nodes by what the cheapest way to them adds, up to a limit, looking at about so many arcs at most.

    No way goes through the arc that is emptied, or opens another one of the charge that is barred. `room` has the nodes
    that were labelled, a queue, and whether a node is in it. Returns how many were labelled, arcs looked at, whether
    a capacity was in the way.
    """
    nodes = label.size
    seen, queue, queued = room[0], room[1], room[2]
    label[source], seen[0], queue[0], queued[source] = 0.0, source, source, 1
    many, first, waiting, looks, done, tight = 1, 0, 1, 0, 0, False
    while waiting > 0 and done < MOST_LABELS * (many + 10) and looks < budget:
        done += 1
        node = queue[first]
        first = first + 1 if first + 1 < nodes else 0
        waiting -= 1
        queued[node] = 0
        most = min(limit, label[target])
        if label[node] >= most:
            continue
        looks += start[node + 1] - start[node]
        for position in range(start[node], start[node + 1]):
            arc = touching[position]
            leaves = ends[arc, 0] == node
            other = ends[arc, 1] if leaves else ends[arc, 0]
            if arc == emptied or other == source:
                continue
            sign = side if leaves else -side
            if sign > 0 and place[arc, OWNER] == barred and barred >= 0:
                continue
            change = _change(arc, sign, amount, about, place, weight, capacity, charge, flow, load, users)
            if change == np.inf:
                room_left = about[arc, UPPER] + FLOW_TOLERANCE - flow[arc]
                if sign > 0 and place[arc, ROW] >= 0 and amount <= room_left:
                    worth, owner = label[node] + about[arc, COST] * amount, place[arc, OWNER]
                    if owner >= 0 and users[owner] == 0:
                        worth += charge[owner]
                    tight = tight or worth < min(most, label[other])
                continue
            found = label[node] + change
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
    return many, looks, tight


@njit(cache=True, nogil=True, error_model="numpy")
def _empty(
    arcs, count, barred, side, budget, ends, about, place, weight, capacity, charge, flow, load, users, start, touching,
    label, by, room, kept, amounts,
):  # fmt: skip
    """Empty some arcs if what they carry has cheaper ways; returns what that changes, and arcs looked at.

    Where looking at so many arcs is not enough all stays as it is. `kept` and `amounts` have room for the arcs that
    change and for what they carried before.
    """
    total, changed, looks = 0.0, 0, 0
    for position in range(count):
        arc = arcs[position]
        sign = -1 if flow[arc] > 0.0 else 1
        total += _change(arc, sign, abs(flow[arc]), about, place, weight, capacity, charge, flow, load, users)
        kept[changed], amounts[changed] = arc, flow[arc]
        changed += 1
        _set(arc, 0.0, place, weight, flow, load, users)
    good = total < 0.0
    for position in range(count):
        arc, rest = arcs[position], abs(amounts[position])
        forward = amounts[position] > 0.0
        source, target = (ends[arc, 0], ends[arc, 1]) if forward == (side > 0) else (ends[arc, 1], ends[arc, 0])
        amount, halves = rest, 0
        while good and rest > FLOW_TOLERANCE:
            limit = -total - CLEARLY * (1.0 + abs(total))
            many, looked, tight = _labels(
                arc, barred, side, source, target, amount, limit, budget - looks, ends, about, place, weight, capacity,
                charge, flow, load, users, start, touching, label, by, room,
            )  # fmt: skip
            looks += looked
            found = label[target] < limit and looks < budget
            node = target
            # Arcs on the way may share a charge or a capacity: what counts is what each adds when its turn has come.
            while found and good and node != source:
                on = by[node]
                enters = ends[on, 1] == node
                sign = side if enters else -side
                change = _change(on, sign, amount, about, place, weight, capacity, charge, flow, load, users)
                if change == np.inf or changed == kept.size:
                    good = False
                    break
                total += change
                kept[changed], amounts[changed] = on, flow[on]
                changed += 1
                _set(on, flow[on] + sign * amount, place, weight, flow, load, users)
                node = ends[on, 0] if enters else ends[on, 1]
            for labelled in range(many):
                label[room[0, labelled]] = np.inf
                room[2, room[0, labelled]] = 0
            if found:
                rest -= amount
                amount = rest
            else:
                good = good and tight and halves < MOST_HALVES and looks < budget
                amount *= 0.5
                halves += 1
    if good and total < -CLEARLY * (1.0 + abs(total)):
        return total, looks
    for position in range(changed - 1, -1, -1):
        _set(kept[position], amounts[position], place, weight, flow, load, users)
    return 0.0, looks


@njit(cache=True, nogil=True, error_model="numpy")
def _descend(
    begin, side, most, candidates, ends, about, place, weight, capacity, charge, flow, load, users, first, members,
    start, touching, label, by, room, kept, amounts, chosen,
):  # fmt: skip
    """Empty what makes it cheaper, in turn, until nothing does, or so many arcs are looked at; returns how many.

    Candidates are charges, and behind them arcs, counted on.
    """
    charges = first.size - 1
    idle, position, looks = 0, begin, 0
    while idle < candidates.size and looks < most:
        which = candidates[position]
        position = position + 1 if position + 1 < candidates.size else 0
        idle += 1
        looks += 1
        count, barred = 0, -1
        if which < charges:
            if users[which] == 0 or users[which] > MOST_EMPTIED:
                continue
            barred = which
            looks += first[which + 1] - first[which]
            for at in range(first[which], first[which + 1]):
                if flow[members[at]] != 0.0:
                    chosen[count] = members[at]
                    count += 1
            # What carries most has the first choice of what is left of capacities.
            for one in range(1, count):
                arc, other = chosen[one], one - 1
                while other >= 0 and abs(flow[chosen[other]]) < abs(flow[arc]):
                    chosen[other + 1] = chosen[other]
                    other -= 1
                chosen[other + 1] = arc
        elif flow[which - charges] != 0.0:
            chosen[0], count = which - charges, 1
        fixed = count == 0
        for one in range(count):
            arc = chosen[one]
            fixed = fixed or about[arc, LOWER] > 0.0 or about[arc, UPPER] < 0.0 or ends[arc, 0] < 0
        if fixed:
            continue
        change, looked = _empty(
            chosen, count, barred, side, most - looks, ends, about, place, weight, capacity, charge, flow, load, users,
            start, touching, label, by, room, kept, amounts,
        )  # fmt: skip
        looks += looked
        if change < 0.0:
            idle = 0
    return looks


@njit(cache=True, nogil=True, error_model="numpy")
def _value(about, charge, flow, users):
    """What flows cost, with their charges."""
    total = 0.0
    for arc in range(flow.size):
        total += about[arc, COST] * flow[arc]
    for owner in range(users.size):
        if users[owner] > 0:
            total += charge[owner]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def _count(place, weight, flow, load, users):
    """What capacities carry, and how many arcs pay for each charge."""
    load[:] = 0.0
    users[:] = 0
    for arc in range(flow.size):
        if flow[arc] != 0.0:
            if place[arc, ROW] >= 0:
                load[place[arc, ROW]] += weight[arc] * flow[arc]
            if place[arc, OWNER] >= 0:
                users[place[arc, OWNER]] += 1


@njit(cache=True, nogil=True, error_model="numpy")
def search(
    ends, about, place, weight, capacity, charge, first, members, flow, candidates, start, touching, side, draws, noise,
    heat, most, best_flow,
):  # fmt: skip
    """Iterated local search, a round for each line of draws: down with other charges, then with the true ones.

    `noise` has the logarithms of the factors of the charges, in each round. Without rounds it only goes down. It ends
    when `most` arcs were looked at, in the middle of a round if need be. Returns the value it ends at, the best one,
    and how many arcs were looked at.
    """
    nodes = start.size - 1
    label, by, room = np.full(nodes, np.inf), np.zeros(nodes, dtype=np.int64), np.zeros((3, nodes), dtype=np.int64)
    load, users = np.zeros(capacity.size), np.zeros(charge.size, dtype=np.int64)
    # A way has no more arcs than nodes, and only those of one network; what needs more room is left alone.
    kept, amounts = np.zeros(8 * nodes + MOST_EMPTIED, dtype=np.int64), np.zeros(8 * nodes + MOST_EMPTIED)
    chosen = np.zeros(MOST_EMPTIED, dtype=np.int64)
    for arc in range(flow.size):
        if abs(flow[arc]) <= FLOW_TOLERANCE:
            flow[arc] = 0.0
    _count(place, weight, flow, load, users)
    other = charge.copy()
    looks = _descend(
        0, side, most, candidates, ends, about, place, weight, capacity, charge, flow, load, users, first, members,
        start, touching, label, by, room, kept, amounts, chosen,
    )  # fmt: skip
    kept_flow, kept_value = flow.copy(), _value(about, charge, flow, users)
    best = kept_value
    best_flow[:] = flow
    for turn in range(draws.shape[0]):
        if looks >= most:
            break
        begin = int(draws[turn, 0] * candidates.size)
        for owner in range(charge.size):
            other[owner] = charge[owner] * math.exp(noise[turn, owner])
        for paid in (other, charge):
            looks += _descend(
                begin, side, most - looks, candidates, ends, about, place, weight, capacity, paid, flow, load, users,
                first, members, start, touching, label, by, room, kept, amounts, chosen,
            )  # fmt: skip
        value = _value(about, charge, flow, users)
        if value < best - LESS * abs(value):
            best = value
            best_flow[:] = flow
        if value <= kept_value - heat * math.log(max(draws[turn, 1], 1e-300)):
            kept_flow[:] = flow
            kept_value = value
        else:
            flow[:] = kept_flow
        _count(place, weight, flow, load, users)  # sums of loads are rounded
    return kept_value, best, looks


#: What is compiled here.
KERNELS = (Kernel(search, SEARCH),)
