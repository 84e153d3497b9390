"""The set of b that satisfy every row on b alone: which moves stay in it, and its best member for scores.

`B b` within its limits, and rows of A and G that have no x. Rows that are counts over disjoint sets
(one cardinality row, sectors), also with sets inside them of which at most one is on (the modes of a quantity), are
handled by sorting; of few binaries all members are listed; anything else is a small MILP.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.engines.highs import LinearModel, Outcome
from hybridmip.errors import EngineError, HybridMIPError
from hybridmip.model.alike import alike
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Binary, Vector
from hybridmip.tolerances import FEASIBLE_BINARY

#: Answers of HiGHS that turn out to miss a row by more than rounding, and are cut off, at most.
MOST_CUTS = 1000
#: With at most so many binaries the members of a general set are listed.
LISTED = 12
#: Pairs of entries that are looked at at once.
MOST_MEETINGS = 2_000_000


class _Entries(NamedTuple):
    """Entries of some columns, by row: their place among the columns, their row, their value."""

    place: NDArray[np.intp]
    row: NDArray[np.intp]
    value: Vector


class NoFeasibleBinaries(HybridMIPError):
    """No b satisfies the rows on b alone; `rows` names those involved, `counted` is False where HiGHS says so."""

    def __init__(self, rows: tuple[str, ...], counted: bool = True) -> None:
        super().__init__(f"no choice of binaries satisfies {', '.join(rows)}")
        self.rows = rows
        self.counted = counted


def _rounding(M: sparse.csr_array, lower: Vector, upper: Vector) -> Vector:
    """What a sum of a row of M may be off by rounding, and no more."""
    limits = np.maximum(*(np.where(np.isfinite(limit), np.abs(limit), 0.0) for limit in (lower, upper)))
    return FEASIBLE_BINARY * (np.asarray(abs(M).sum(axis=1)).ravel() + limits)


def _in_own_units(M: sparse.csr_array, lower: Vector, upper: Vector) -> tuple[sparse.csr_array, Vector, Vector]:
    """Rows times powers of two, the largest entry between 1 and 2: a set is the same whatever the units of its rows."""
    row = np.repeat(np.arange(M.shape[0]), np.diff(M.indptr))
    largest = np.zeros(M.shape[0])
    np.maximum.at(largest, row, np.abs(M.data))
    power = np.where(largest > 0, 1 - np.frexp(largest)[1].astype(np.int64), 0)
    scaled = sparse.csr_array((np.ldexp(M.data, power[row]), M.indices, M.indptr), shape=M.shape)
    return scaled, np.ldexp(lower, power), np.ldexp(upper, power)


def _telling(M: sparse.csr_array, lower: Vector, upper: Vector) -> NDArray[np.intp]:
    """The rows that say something: not those that hold for every b, nor those that another one with the same entries
    implies."""
    row = np.repeat(np.arange(M.shape[0]), np.diff(M.indptr))
    least = np.bincount(row, np.minimum(M.data, 0.0), M.shape[0])
    most = np.bincount(row, np.maximum(M.data, 0.0), M.shape[0])
    told = ~((least >= lower) & (most <= upper))
    seen: dict[bytes, int] = {}
    for r, key in alike(M):
        if not told[r]:
            continue
        other = seen.setdefault(key, r)
        if other == r:
            continue
        if lower[other] >= lower[r] and upper[other] <= upper[r]:
            told[r] = False
        elif lower[r] >= lower[other] and upper[r] <= upper[other]:
            told[other] = False
            seen[key] = r
    return np.flatnonzero(told)


class BinarySet:
    """All binary b with lower <= M b <= upper.

    Parameters
    ----------
    problem : Problem
        Its B and the rows of A and G without x give M.

    Attributes
    ----------
    slack : ndarray
        What a row may be missed by: rounding.
    kind : str
        `free` (no rows), `disjoint` (counts over disjoint sets), `nested` (these, and disjoint sets of which at most
        one is on, each within one count or outside of all) or `general`.
    group, group_lower, group_upper : ndarray
        The count that each binary is in (-1 for none), and the limits of each.
    choice, choice_lower : ndarray
        The set of which at most one is on that each binary is in (-1 for none), and whether one must be.
    """

    def __init__(self, problem: Problem) -> None:
        self.m = problem.m
        only_b = np.flatnonzero(np.diff(problem.A.indptr) == 0) if problem.rows else np.zeros(0, dtype=np.intp)
        M = problem.B
        if only_b.size:
            M = sparse.csr_array(sparse.vstack([problem.B, problem.G[only_b]], format="csr"))
        lower = np.concatenate([problem.b_lower, problem.row_lower[only_b]])
        upper = np.concatenate([problem.b_upper, problem.row_upper[only_b]])
        M, lower, upper = _in_own_units(M, lower, upper)
        kept = _telling(M, lower, upper)
        self.matrix = M = M if kept.size == M.shape[0] else sparse.csr_array(M[kept])
        self.lower, self.upper = lower[kept], upper[kept]
        names = (*problem.b_row_names, *(problem.row_names[i] for i in only_b))
        self.names = tuple(names[i] for i in kept)
        self.slack = _rounding(M, self.lower, self.upper)
        self.group = np.full(self.m, -1, dtype=np.intp)
        self.group_lower: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self.group_upper: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self.choice = np.full(self.m, -1, dtype=np.intp)
        self.choice_lower: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self.kind = self._recognise()
        if self.kind == "nested":
            self._take_the_top(np.zeros(self.m))  # where there is no member that is told at once
        self._model: LinearModel | None = None
        #: When a MILP must have ended, by `time.perf_counter()`, where nobody says how long it may take.
        self.end: Callable[[], float] = lambda: math.inf

    @cached_property
    def _by_column(self) -> sparse.csc_array:
        return sparse.csc_array(self.matrix)

    def _recognise(self) -> str:
        """Find out whether the rows are counts over disjoint sets, and choices within them."""
        M = self.matrix
        if M.shape[0] == 0:
            return "free"
        most_rows = np.bincount(M.indices, minlength=self.m).max(initial=0)
        if most_rows > 2:
            return "general"
        members, low, high = [], [], []
        for row in range(M.shape[0]):
            part = slice(M.indptr[row], M.indptr[row + 1])
            data = M.data[part]
            if data.size and (data[0] == 0 or not np.all(data == data[0])):
                return "general"
            unit = float(data[0]) if data.size else 1.0
            limits = sorted((self.lower[row] / unit, self.upper[row] / unit))
            slack = self.slack[row] / abs(unit)
            members.append(M.indices[part])
            low.append(0 if limits[0] == -math.inf else max(0, math.ceil(limits[0] - slack)))
            high.append(data.size if limits[1] == math.inf else min(data.size, math.floor(limits[1] + slack)))
            if low[row] > high[row] and most_rows == 1:
                raise NoFeasibleBinaries((self.names[row],))
        choices = self._choices(members, high) if most_rows == 2 else []
        if choices is None or any(least > most for least, most in zip(low, high, strict=True)):
            return "general"
        counts = [row for row in range(M.shape[0]) if row not in choices]
        for number, row in enumerate(counts):
            self.group[members[row]] = number
        for number, row in enumerate(choices):
            self.choice[members[row]] = number
        self.group_lower = np.array([low[row] for row in counts], dtype=np.int64)
        self.group_upper = np.array([high[row] for row in counts], dtype=np.int64)
        self.choice_lower = np.array([low[row] for row in choices], dtype=np.int64)
        return "nested" if choices else "disjoint"

    def _choices(self, members: list[NDArray[np.int32]], high: list[int]) -> list[int] | None:
        """The rows of which at most one binary is on, each within one other row; None where others overlap."""
        by_size = sorted(range(len(members)), key=lambda row: members[row].size)
        inner, outer = np.full(self.m, -1), np.full(self.m, -1)
        choices: list[int] = []
        rows = np.bincount(self.matrix.indices, minlength=self.m)
        for row in by_size:
            mine = members[row]
            within = high[row] == 1 and (inner[mine] < 0).all() and (rows[mine] == 2).all()
            (inner if within else outer)[mine] = row
            if within:
                choices.append(row)
            elif ((rows[mine] == 2) & (inner[mine] < 0)).any():
                return None
        for row in choices:
            if (outer[members[row]] != outer[members[row][0]]).any():
                return None
        return sorted(choices)

    @property
    def choices(self) -> int:
        """How many rows let at most one of their binaries be on."""
        return int(self.choice_lower.size + (self.group_upper <= 1).sum())

    @property
    def by_milp(self) -> bool:
        """Whether the best member for scores takes a MILP."""
        return self.kind == "general" and self.m > LISTED

    def contains(self, b: Binary) -> bool:
        """Whether b satisfies every row."""
        activity = self.matrix @ b.astype(np.float64)
        return bool(np.all(activity >= self.lower - self.slack) and np.all(activity <= self.upper + self.slack))

    def contains_each(self, many: NDArray[np.bool_], places: NDArray[np.intp], rest: Binary) -> NDArray[np.bool_]:
        """Which b satisfy every row: those whose binaries at `places` are a line of `many`, and the others `rest`."""
        outside = rest.copy()
        outside[places] = False
        activity = many.astype(np.float64) @ self.matrix[:, places].toarray().T
        activity += self.matrix @ outside.astype(np.float64)
        inside = (activity >= self.lower - self.slack) & (activity <= self.upper + self.slack)
        return np.asarray(inside.all(axis=1))

    def maximise(self, scores: Vector, threshold: float = 0.0, time_limit: float | None = None) -> Binary:
        """The member with the largest total of scores, counting each score from `threshold`.

        Raises
        ------
        NoFeasibleBinaries
            If the set is empty.
        TimeoutError
            If the time is up.
        EngineError
            If HiGHS has no answer.
        """
        gain = scores - threshold
        if self.kind == "free":
            return gain > 0
        if self.kind in ("disjoint", "nested"):
            return self._take_the_top(gain)
        if self._members is not None:
            if self._members.shape[0] == 0:
                raise NoFeasibleBinaries(self.names)
            return np.array(self._members[int(np.argmax(self._members @ gain))])
        if self._model is None:
            self._model = LinearModel(
                np.zeros(self.m), self.matrix, self.lower, self.upper, np.zeros(self.m), np.ones(self.m),
                integer=np.ones(self.m, dtype=bool),
            )  # fmt: skip
        largest = float(np.abs(gain).max(initial=0.0))
        self._model.change_cost(-gain / largest if largest > 0 else np.zeros(self.m))
        end = self.end()
        until = end if time_limit is None else time.perf_counter() + time_limit
        for _ in range(MOST_CUTS):
            left = max(until - time.perf_counter(), 0.0) if math.isfinite(until) else None
            # Who has a share of the time only waits for what HiGHS has by then.
            answer = self._model.solve(left, punctual=until >= end)
            if self._model.given_up:
                self._model = None  # HiGHS still has it
                raise TimeoutError("no member of the set was found in time")
            if answer.status is Outcome.INFEASIBLE:
                raise NoFeasibleBinaries(self.names, counted=False)
            if answer.x is None and answer.status is Outcome.LIMIT:
                raise TimeoutError("no member of the set was found in time")
            if answer.x is None:
                raise EngineError(
                    f"HiGHS gave no answer for the rows on b ({answer.status}): {', '.join(self.names[:5])}"
                )
            b = np.asarray(answer.x > 0.5)
            if self.contains(b):
                return b
            # HiGHS's tolerance let pass what is no member.
            self._model.forbid(b, np.arange(self.m))
        raise EngineError(f"HiGHS found no b that holds {', '.join(self.names[:5])} but for its tolerance")

    @cached_property
    def _members(self) -> NDArray[np.bool_] | None:
        """All members, one a line, where they are few."""
        if self.m > LISTED:
            return None
        every = (np.arange(2**self.m)[:, None] >> np.arange(self.m)) & 1 == 1
        return np.asarray(every[self.contains_each(every, np.arange(self.m), np.zeros(self.m, dtype=bool))])

    @cached_property
    def possible(self) -> Binary:
        """Which binaries can be on at all, as far as single rows tell."""
        M = self.matrix
        row = np.repeat(np.arange(M.shape[0]), np.diff(M.indptr))
        least = np.bincount(row, np.minimum(M.data, 0.0), M.shape[0])
        most = np.bincount(row, np.maximum(M.data, 0.0), M.shape[0])
        low = least[row] - np.minimum(M.data, 0.0) + M.data
        high = most[row] - np.maximum(M.data, 0.0) + M.data
        broken = (low > self.upper[row] + self.slack[row]) | (high < self.lower[row] - self.slack[row])
        possible = np.ones(self.m, dtype=bool)
        possible[M.indices[broken]] = False
        if self.kind in ("disjoint", "nested"):
            possible &= (self.group < 0) | (np.append(self.group_upper, 1)[self.group] > 0)
        return possible

    def one_of_each(self, gain: Vector) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """(the best of every choice and what is in none, those of them that must be on)."""
        if self.kind != "nested":
            return np.ones(self.m, dtype=bool), np.zeros(self.m, dtype=bool)
        order = np.lexsort((-gain, self.choice))
        order = order[self.choice[order] >= 0]
        best = order[np.searchsorted(self.choice[order], np.arange(self.choice_lower.size))]
        there = self.choice < 0
        there[best] = True
        forced = np.zeros(self.m, dtype=bool)
        forced[best] = self.choice_lower > 0
        return there, forced

    def _take_the_top(self, gain: Vector) -> Binary:
        there, forced = self.one_of_each(gain)
        gain = np.where(forced, np.inf, gain)
        b = (gain > 0) & (self.group < 0) & there
        order = np.argsort(-gain, kind="stable")
        grouped = order[(self.group[order] >= 0) & there[order]]
        by_group = grouped[np.argsort(self.group[grouped], kind="stable")]
        starts = np.searchsorted(self.group[by_group], np.arange(len(self.group_lower) + 1))
        for g in range(len(self.group_lower)):
            members = by_group[starts[g] : starts[g + 1]]
            wanted = int((gain[members] > 0).sum())
            low, high = max(int(self.group_lower[g]), int(forced[members].sum())), int(self.group_upper[g])
            if low > min(high, members.size):
                raise NoFeasibleBinaries(self.names)
            b[members[: min(max(wanted, low), high)]] = True
        return b

    def random(self, rng: np.random.Generator, like: Binary | None = None) -> Binary:
        """A random member; uniform where the rows on b are equal counts over disjoint sets.

        Where a count is left open it is drawn first: near that of `like` if given, else evenly on a
        logarithmic scale, since a b with half its entries on is seldom what anyone looks for.
        """
        scores = rng.standard_normal(self.m)
        if self.kind == "general":
            if like is not None and self.m:
                # Shift the scores so that about as many are positive as `like` has ones.
                scores -= np.quantile(scores, 1.0 - min(1.0, float(like.mean()) * rng.uniform(0.6, 1.4)))
            return self.maximise(scores)
        b = np.zeros(self.m, dtype=bool)
        there, forced = self.one_of_each(scores)
        scores = np.where(forced, np.inf, scores)
        for g in range(-1, len(self.group_lower)):
            members = np.flatnonzero((self.group == g) & there)
            low = max(0 if g < 0 else int(self.group_lower[g]), int(forced[members].sum()))
            high = members.size if g < 0 else min(int(self.group_upper[g]), members.size)
            if low > high:
                raise NoFeasibleBinaries(self.names)
            if low == high:
                count = low
            elif like is not None:
                count = round(int(like[members].sum()) * rng.uniform(0.6, 1.4))
            else:
                count = math.floor(math.exp(rng.uniform(math.log(max(low, 1)), math.log(high + 1))))
            order = members[np.argsort(-scores[members], kind="stable")]
            b[order[: min(max(count, low), high)]] = True
        return b

    def round(self, probabilities: Vector, rng: np.random.Generator) -> Binary:
        """A member drawn with the relaxed b as probabilities."""
        p = np.clip(probabilities, 1e-6, 1 - 1e-6)
        return self.maximise(np.log(p / (1 - p)) + rng.logistic(size=self.m))

    def nearest(self, b: Binary, time_limit: float | None = None) -> Binary:
        """A member as close to b as possible, or as can be found in time.

        Raises
        ------
        TimeoutError
            If none is found in time.
        """
        return b.copy() if self.contains(b) else self.maximise(np.where(b, 1.0, -1.0), time_limit=time_limit)

    def _activity(self, b: Binary) -> Vector:
        return np.asarray(self.matrix @ b.astype(np.float64))

    def flips(self, b: Binary) -> NDArray[np.intp]:
        """Indices that can be flipped alone without leaving the set."""
        if self.kind == "free":
            return np.arange(self.m)
        if self.kind == "disjoint":
            counts = np.append(np.bincount(self.group[b & (self.group >= 0)], minlength=len(self.group_lower)), 0)
            low, high = np.append(self.group_lower, -1), np.append(self.group_upper, self.m + 1)
            allowed = np.where(b, counts[self.group] - 1 >= low[self.group], counts[self.group] + 1 <= high[self.group])
            return np.flatnonzero(allowed)
        activity = self._activity(b)
        step = np.where(b, -1.0, 1.0)
        bad = np.zeros(self.m, dtype=bool)
        columns = self._by_column
        row = columns.indices
        column = np.repeat(np.arange(self.m), np.diff(columns.indptr))
        after = activity[row] + columns.data * step[column]
        broken = (after < self.lower[row] - self.slack[row]) | (after > self.upper[row] + self.slack[row])
        # A row that is already violated may be left so only if the flip does not touch it.
        bad[column[broken]] = True
        return np.flatnonzero(~bad)

    def exchanges(self, b: Binary, outs: NDArray[np.intp], ins: NDArray[np.intp]) -> NDArray[np.bool_]:
        """mask[i, j]: whether switching outs[i] off and ins[j] on stays in the set."""
        if self.kind == "free":
            return np.ones((outs.size, ins.size), dtype=bool)
        if self.kind == "disjoint":
            alone = np.zeros(self.m, dtype=bool)
            alone[self.flips(b)] = True
            same = self.group[outs][:, None] == self.group[ins][None, :]
            return np.asarray(same | (alone[outs][:, None] & alone[ins][None, :]))
        # How many rows each pair breaks: those that b breaks, with what either does to its own rows, and where both
        # are in a row what they do to it together instead.
        activity = self._activity(b)
        already = self._breaks(np.arange(activity.size), activity)
        off, on = self._entries(outs), self._entries(ins)
        without = self._breaks(off.row, activity[off.row] - off.value)
        within = self._breaks(on.row, activity[on.row] + on.value)
        lone_outs = np.bincount(off.place, without - already[off.row], minlength=outs.size)
        lone_ins = np.bincount(on.place, within - already[on.row], minlength=ins.size)
        count = already.sum() + lone_outs[:, None] + lone_ins[None, :]
        for first, second in _meetings(off.row, on.row):
            row = off.row[first]
            together = self._breaks(row, activity[row] - off.value[first] + on.value[second])
            instead = together - without[first] - within[second] + already[row]
            pair = off.place[first] * ins.size + on.place[second]
            count += np.bincount(pair, instead, minlength=count.size).reshape(count.shape)
        return np.asarray(count == 0)

    def _breaks(self, row: NDArray[np.intp], activity: Vector) -> NDArray[np.int64]:
        """1 for rows that would be broken with such activities, 0 for others."""
        low, high = self.lower[row] - self.slack[row], self.upper[row] + self.slack[row]
        return ((activity < low) | (activity > high)).astype(np.int64)

    def _entries(self, columns: NDArray[np.intp]) -> _Entries:
        part = sparse.csr_array(self._by_column[:, columns])
        row = np.repeat(np.arange(part.shape[0]), np.diff(part.indptr))
        return _Entries(part.indices.astype(np.intp), row, part.data)

    def exchange_at_random(self, b: Binary, rng: np.random.Generator, tries: int = 40) -> Binary:
        """b with a random 1 and a random 0 exchanged, within the set (the paper's move).

        Where no exchange is possible a single flip is tried, and last a flip whose rows are repaired.
        """
        ones, zeros = np.flatnonzero(b), np.flatnonzero(~b)
        if ones.size and zeros.size:
            for _ in range(tries):
                neighbor = b.copy()
                neighbor[ones[rng.integers(ones.size)]] = False
                neighbor[zeros[rng.integers(zeros.size)]] = True
                if self.kind == "free" or self.contains(neighbor):
                    return neighbor
        flips = self.flips(b)
        if flips.size:
            neighbor = b.copy()
            i = rng.choice(flips)
            neighbor[i] = ~neighbor[i]
            return neighbor
        return self.flip_and_repair(b, int(rng.integers(self.m)), rng) if self.m else b.copy()

    def flip_and_repair(self, b: Binary, index: int, rng: np.random.Generator) -> Binary:
        """The member nearest to b in which `index` is flipped; b itself if there is none."""
        scores = np.where(b, 1.0, -1.0) * (1.0 + 0.1 * rng.random(self.m))
        scores[index] = -np.sign(scores[index]) * (2.0 * self.m + 1.0)
        return self.maximise(scores)


def _meetings(one: NDArray[np.intp], other: NDArray[np.intp]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """All pairs of places at which two sorted lists have the same entry, in parts that fit into memory."""
    begin, end = np.searchsorted(other, one, "left"), np.searchsorted(other, one, "right")
    number = end - begin
    part = np.cumsum(number) // MOST_MEETINGS
    for which in np.split(np.arange(one.size), np.flatnonzero(np.diff(part)) + 1):
        first = np.repeat(which, number[which])
        if first.size:
            before = np.cumsum(number[which]) - number[which]
            yield first, np.arange(first.size) - np.repeat(before, number[which]) + begin[first]
