"""BinarySet: its members, its moves and its best member, against trying every b."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest
from problems import BINARY_ROWS, Recipe, all_members, make
from scipy import stats

from hybridmip.bounds.certificate import Certificate
from hybridmip.engines.highs import LinearModel
from hybridmip.model import binaries as module
from hybridmip.model.binaries import BinarySet, NoFeasibleBinaries
from hybridmip.model.problem import Problem

SEEDS = range(6)
#: Kinds that are not recognised as counts over disjoint sets by chance.
KIND = {"none": "free", "count": "disjoint", "range": "disjoint", "sectors": "disjoint", "nested": "nested"}


@pytest.fixture(autouse=True, params=[module.LISTED, 0], ids=["listed", "by MILPs"])
def listed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything holds whether the members of small sets are listed or left to MILPs."""
    monkeypatch.setattr(module, "LISTED", request.param)


def make_set(binary_rows: str, seed: int, m: int = 7) -> tuple[BinarySet, np.ndarray]:
    """A set and all of its members."""
    problem = make(Recipe(seed=seed, binaries=m, quadratic="zero", binary_rows=binary_rows))
    return BinarySet(problem), all_members(problem.B.toarray(), problem.b_lower, problem.b_upper, m)


def of_rows(B: Any, lower: Any = None, upper: Any = None) -> BinarySet:
    """The set of a matrix."""
    return BinarySet(Problem(B=B, b_lower=lower, b_upper=upper))


def keys(rows: np.ndarray) -> set[bytes]:
    """Rows as a set."""
    return {row.tobytes() for row in np.asarray(rows, dtype=bool)}


every_kind = pytest.mark.parametrize("binary_rows", BINARY_ROWS)
every_seed = pytest.mark.parametrize("seed", SEEDS)


@every_kind
def test_kind_is_recognised(binary_rows: str) -> None:
    """No rows, counts over disjoint sets, and anything else are told apart."""
    kinds = {make_set(binary_rows, seed)[0].kind for seed in range(20)}
    if binary_rows in KIND:
        assert kinds <= {KIND[binary_rows], "free", "disjoint"}  # fewer rows where some say nothing
        assert KIND[binary_rows] in kinds
    else:
        assert "general" in kinds


@pytest.mark.parametrize(
    ("B", "lower", "upper", "kind"),
    [
        ([[2.0, 2.0, 0.0]], [1.0], [4.0], "disjoint"),
        ([[-1.0, -1.0, -1.0]], [-2.0], [-1.0], "disjoint"),
        ([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [1.0, 0.0], [1.0, 1.0], "disjoint"),
        ([[0.0, 0.0, 0.0]], [0.0], [1.0], "free"),
        ([[1.0, 2.0, 0.0]], [1.0], [2.0], "general"),
        ([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]], [1.0, 0.0], [1.0, 1.0], "general"),
    ],
)
def test_counts_in_disguise(B: Any, lower: Any, upper: Any, kind: str) -> None:
    """Counts with a common factor, also a negative one, are counts; members and best members are right."""
    binaries = of_rows(B, lower, upper)
    assert binaries.kind == kind
    members = all_members(np.array(B), lower, upper, 3)
    for b in all_members(None, None, None, 3):
        assert binaries.contains(b) == (b.tobytes() in keys(members))
    for scores in np.random.default_rng(0).normal(size=(20, 3)):
        assert scores @ binaries.maximise(scores) == pytest.approx((members @ scores).max())


@pytest.mark.parametrize("unit", [1.0, 2.0**-30, 2.0**30])
def test_units_of_rows_change_nothing(unit: float) -> None:
    """The same row twice, in other units, is one row: a count."""
    twice = of_rows([[1.0, 1.0, 1.0], [unit, unit, unit]], [1.0, 0.0], [2.0, 3 * unit])
    assert twice.kind == "disjoint"
    assert twice.matrix.shape == (1, 3)


def test_rows_without_x_belong_to_the_set() -> None:
    """A row of A and G that has no x is a row on b; one that has an x is not."""
    problem = Problem(
        A=[[0.0], [1.0]], G=[[1.0, 1.0, 1.0], [1.0, 0.0, 0.0]], row_lower=[2.0, 5.0], row_upper=[2.0, 5.0],
        B=[[0.0, 0.0, 1.0]], b_lower=1.0,
    )  # fmt: skip
    binaries = BinarySet(problem)
    inside = [b for b in all_members(None, None, None, 3) if binaries.contains(b)]
    np.testing.assert_array_equal(inside, [[False, True, True], [True, False, True]])


@every_seed
@every_kind
def test_contains(binary_rows: str, seed: int) -> None:
    """contains() is true for the members and for nothing else."""
    binaries, members = make_set(binary_rows, seed)
    for b in all_members(None, None, None, binaries.m):
        assert binaries.contains(b) == (b.tobytes() in keys(members))


@every_seed
@every_kind
def test_flips(binary_rows: str, seed: int) -> None:
    """flips() are exactly the single changes that stay in the set."""
    binaries, members = make_set(binary_rows, seed)
    inside = keys(members)
    for b in members[:: max(1, len(members) // 8)]:
        expected = []
        for i in range(binaries.m):
            neighbor = b.copy()
            neighbor[i] = not neighbor[i]
            if neighbor.tobytes() in inside:
                expected.append(i)
        np.testing.assert_array_equal(binaries.flips(b), expected)


@every_seed
@every_kind
def test_exchanges(binary_rows: str, seed: int) -> None:
    """exchanges() are exactly the pairs of a 1 and a 0 whose exchange stays in the set."""
    binaries, members = make_set(binary_rows, seed)
    inside = keys(members)
    for b in members[:: max(1, len(members) // 8)]:
        outs, ins = np.flatnonzero(b), np.flatnonzero(~b)
        mask = binaries.exchanges(b, outs, ins)
        assert mask.shape == (outs.size, ins.size)
        for i, out in enumerate(outs):
            for j, into in enumerate(ins):
                neighbor = b.copy()
                neighbor[out], neighbor[into] = False, True
                assert mask[i, j] == (neighbor.tobytes() in inside)


@every_seed
def test_exchanges_that_lead_back(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From outside a general set exchanges are those that lead into it; also where pairs are looked at one by one."""
    monkeypatch.setattr(module, "MOST_MEETINGS", 1)
    binaries, members = make_set("general", seed)
    inside = keys(members)
    rng = np.random.default_rng(seed)
    for _ in range(8):
        b = rng.random(binaries.m) < 0.5
        outs, ins = np.flatnonzero(b), np.flatnonzero(~b)
        mask = binaries.exchanges(b, outs, ins)
        for i, out in enumerate(outs):
            for j, into in enumerate(ins):
                neighbor = b.copy()
                neighbor[out], neighbor[into] = False, True
                assert mask[i, j] == (neighbor.tobytes() in inside)


@every_seed
@every_kind
def test_maximise(binary_rows: str, seed: int) -> None:
    """maximise() returns a member, and none has a larger total of scores above the threshold."""
    binaries, members = make_set(binary_rows, seed)
    rng = np.random.default_rng(seed)
    for threshold in (0.0, 0.0, 0.4, -3.0):
        scores = rng.normal(size=binaries.m) * 10.0 ** rng.integers(-6, 6)
        b = binaries.maximise(scores, threshold)
        assert b.dtype == bool
        assert b.tobytes() in keys(members)
        best = (members @ (scores - threshold)).max()
        # A MILP's relative tolerance stands behind general rows.
        assert b @ (scores - threshold) == pytest.approx(best, rel=1e-4 if binaries.kind == "general" else 1e-12)


@every_kind
def test_maximise_does_not_write_into_scores(binary_rows: str) -> None:
    """The scores given are left as they are."""
    binaries, _ = make_set(binary_rows, 1)
    scores = np.random.default_rng(1).normal(size=binaries.m)
    before = scores.copy()
    binaries.maximise(scores, 0.25)
    np.testing.assert_array_equal(scores, before)


@every_seed
@every_kind
def test_nearest(binary_rows: str, seed: int) -> None:
    """nearest() is a member at the least Hamming distance, and a member is its own nearest (a copy)."""
    binaries, members = make_set(binary_rows, seed)
    for b in np.random.default_rng(seed).random((6, binaries.m)) < 0.5:
        near = binaries.nearest(b)
        assert near.tobytes() in keys(members)
        assert (near != b).sum() == (members != b).sum(axis=1).min()
    own = binaries.nearest(members[0])
    np.testing.assert_array_equal(own, members[0])
    assert not np.shares_memory(own, members[0])


@every_seed
@every_kind
def test_drawn_members_are_members(binary_rows: str, seed: int) -> None:
    """random(), round(), exchange_at_random() and flip_and_repair() never leave the set."""
    binaries, members = make_set(binary_rows, seed)
    inside = keys(members)
    rng = np.random.default_rng(seed)
    b = members[0]
    for _ in range(8):
        assert binaries.random(rng).tobytes() in inside
        assert binaries.round(rng.random(binaries.m), rng).tobytes() in inside
        b = binaries.exchange_at_random(b, rng)
        assert b.tobytes() in inside
        assert binaries.flip_and_repair(b, int(rng.integers(binaries.m)), rng).tobytes() in inside


@every_kind
def test_random_like_another(binary_rows: str) -> None:
    """Drawn near the size of another b, be it empty, full or between, it is a member all the same."""
    binaries, members = make_set(binary_rows, 2)
    inside = keys(members)
    rng = np.random.default_rng(0)
    for like in (np.zeros(7, dtype=bool), np.arange(7) < 3, np.ones(7, dtype=bool)):
        for _ in range(10):
            assert binaries.random(rng, like).tobytes() in inside


def chi_square(counts: dict[bytes, int], possible: int) -> float:
    """p-value of the counts being draws from a uniform distribution over `possible` outcomes."""
    observed = np.zeros(possible)
    observed[: len(counts)] = list(counts.values())
    return float(stats.chisquare(observed).pvalue)


def draw(binaries: BinarySet, times: int) -> dict[bytes, int]:
    """How often each member is drawn."""
    rng = np.random.default_rng(2024)
    counts: dict[bytes, int] = {}
    for _ in range(times):
        key = binaries.random(rng).tobytes()
        counts[key] = counts.get(key, 0) + 1
    return counts


@pytest.mark.parametrize(
    ("binaries", "possible"),
    [
        (of_rows(np.ones((1, 5)), [2], [2]), 10),
        (of_rows([[1, 1, 1, 0, 0], [0, 0, 0, 1, 1]], [1, 1], [1, 1]), 6),
    ],
    ids=["one cardinality row", "two sectors"],
)
def test_random_is_uniform(binaries: BinarySet, possible: int) -> None:
    """Every member is drawn equally often (chi-square on 6000 seeded draws)."""
    assert chi_square(draw(binaries, 6000), possible) > 1e-3


def test_the_chi_square_can_fail() -> None:
    """The check above rejects draws that favour a member by half again."""
    counts = {bytes([i]): 900 if i == 0 else 566 for i in range(10)}
    assert chi_square(counts, 10) < 1e-3


def test_round_follows_the_probabilities() -> None:
    """Without rows each b_i is 1 with its relaxed value as probability; 0 and 1 are kept."""
    binaries = BinarySet(Problem(binaries=4))
    rng = np.random.default_rng(3)
    share = np.mean([binaries.round(np.array([0.0, 0.2, 0.7, 1.0]), rng) for _ in range(4000)], axis=0)
    np.testing.assert_allclose(share, [0.0, 0.2, 0.7, 1.0], atol=0.03)


def test_exchange_at_random_exchanges() -> None:
    """With one cardinality row exactly one 1 and one 0 change places, and every pair can be drawn."""
    binaries = of_rows(np.ones((1, 5)), [2], [2])
    b = np.array([True, True, False, False, False])
    rng = np.random.default_rng(0)
    drawn = [binaries.exchange_at_random(b, rng) for _ in range(300)]
    for neighbor in drawn:
        assert (neighbor != b).sum() == 2
        assert neighbor.sum() == 2
    assert len(keys(np.array(drawn))) == 6
    assert b.sum() == 2, "the given b is not written into"


def test_exchange_at_random_flips_where_nothing_can_be_exchanged() -> None:
    """From all zeros of a range only a flip is possible."""
    binaries = of_rows(np.ones((1, 4)), [0], [2])
    neighbor = binaries.exchange_at_random(np.zeros(4, dtype=bool), np.random.default_rng(0))
    assert neighbor.sum() == 1


@every_seed
def test_flip_and_repair(seed: int) -> None:
    """The index asked for is flipped wherever some member allows it."""
    binaries, members = make_set("overlapping", seed)
    rng = np.random.default_rng(seed)
    for b in members[:5]:
        for index in range(binaries.m):
            repaired = binaries.flip_and_repair(b, index, rng)
            if np.any(members[:, index] != b[index]):
                assert repaired[index] != b[index]
            else:
                np.testing.assert_array_equal(repaired, b)


@pytest.mark.parametrize(
    ("B", "lower", "upper", "named"),
    [
        (np.ones((1, 3)), [4], None, "brow0"),
        (np.ones((1, 3)), [1.25], [1.75], "brow0"),
        ([[1, 1, 0], [0, 0, 1]], [0, 2], None, "brow1"),
        ([[0, 0, 0], [1, 1, 1]], [1, 0], None, "brow0"),
        (-np.ones((1, 3)), None, [-4], "brow0"),
        ([[1, 1, 0], [0, 1, 1], [1, 0, 1]], [1, 1, 1], [1, 1, 1], "brow0, brow1, brow2"),
        ([[2, 4, 6]], [3], [3], "brow0"),
    ],
    ids=["too many", "between two counts", "one sector", "no columns", "negative", "odd cycle", "parity"],
)
def test_no_feasible_binaries(B: Any, lower: Any, upper: Any, named: str) -> None:
    """An empty set is proven to be empty, and the message names the rows."""
    with pytest.raises(NoFeasibleBinaries, match=named):
        of_rows(B, lower, upper).maximise(np.zeros(3))


def test_no_binaries_at_all() -> None:
    """With m = 0 the one member is the empty b."""
    binaries = BinarySet(Problem(q=[1.0]))
    assert binaries.maximise(np.zeros(0)).shape == (0,)
    assert binaries.contains(np.zeros(0, dtype=bool))
    assert binaries.flips(np.zeros(0, dtype=bool)).size == 0
    assert binaries.exchange_at_random(np.zeros(0, dtype=bool), np.random.default_rng(0)).shape == (0,)


@pytest.mark.parametrize("seed", range(60))
def test_two_layers_of_counts(seed: int) -> None:
    """Counts with any limits inside and beside each other: members, best ones and moves are those of trying every b."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, 7))
    rows, lower, upper = [], [], []
    for _ in range(int(rng.integers(1, 5))):
        members = rng.random(m) < rng.choice([0.3, 0.6, 1.0])
        high = int(rng.integers(0, 3))
        rows.append(members.astype(float))
        lower.append(float(rng.integers(0, high + 1)) if rng.random() < 0.3 else 0.0)
        upper.append(float(high))
    B = np.array(rows)
    members = all_members(B, lower, upper, m)
    if not len(members):
        with pytest.raises(NoFeasibleBinaries):
            of_rows(B, lower, upper).maximise(rng.standard_normal(m))
        return
    binaries = of_rows(B, lower, upper)
    for _ in range(5):
        scores = rng.standard_normal(m)
        best = binaries.maximise(scores)
        assert binaries.contains(best)
        assert scores[best].sum() == pytest.approx((members @ scores).max(), abs=1e-12)
        assert binaries.contains(binaries.random(rng))
    assert not (members.any(axis=0) & ~binaries.possible).any()


def test_choices_that_leave_no_member_are_told_at_once() -> None:
    """Two sets of which one must be on each, and a count of one: whoever asks for a bound is told, by no exception."""
    B, lower, upper = np.array([[1, 1, 1, 1], [1, 1, 0, 0], [0, 0, 1, 1]]), [0, 1, 1], [1, 1, 1]
    with pytest.raises(NoFeasibleBinaries):
        of_rows(B, lower, upper)
    problem = Problem(Q=np.ones(4), B=B, b_lower=lower, b_upper=upper, x_lower=0, x_upper=1, switch=np.arange(4))
    nothing = np.zeros(4)
    certificate = Certificate(nothing, nothing, np.zeros(0), np.zeros(3), -1.0)
    assert certificate.bound(problem) == np.inf


def test_a_milp_over_the_rows_ends_with_the_solve(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who says nothing of time has what is left of it; where HiGHS is late its model is not used again."""
    rng = np.random.default_rng(3)
    weights = rng.integers(1, 9, (3, 20)).astype(float)
    members = BinarySet(Problem(q=np.zeros(0), p=np.zeros(20), B=weights, b_upper=weights.sum(axis=1) // 2))
    limits: list[float | None] = []
    solve = LinearModel.solve

    def noting(self: Any, time_limit: float | None = None, **more: Any) -> Any:
        limits.append(time_limit)
        self.given_up = time_limit == 0.0
        return solve(self, time_limit, **more)

    monkeypatch.setattr(LinearModel, "solve", noting)
    scores = rng.normal(size=20)
    best = members.maximise(scores)
    members.end = lambda: time.perf_counter() + 50.0
    assert np.array_equal(members.maximise(scores), best)
    assert limits[0] is None
    assert limits[1] == pytest.approx(50.0, abs=5.0)
    members.end = lambda: time.perf_counter() - 1.0
    with pytest.raises(TimeoutError):
        members.maximise(scores)
    members.end = lambda: math.inf
    assert np.array_equal(members.maximise(scores), best)


def test_cuts_share_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where HiGHS's b is none of the set and it is asked again, it gets what is left; it is left only at the end."""
    weights = np.random.default_rng(3).integers(1, 9, (3, 20)).astype(float)
    members = BinarySet(Problem(q=np.zeros(0), p=np.zeros(20), B=weights, b_upper=weights.sum(axis=1) // 2))
    limits: list[float] = []
    left: list[bool] = []
    solve, contains = LinearModel.solve, BinarySet.contains

    def noting(self: Any, time_limit: float, punctual: bool = False, **more: Any) -> Any:
        limits.append(time_limit)
        left.append(punctual)
        return solve(self, time_limit, **more)

    monkeypatch.setattr(LinearModel, "solve", noting)
    monkeypatch.setattr(BinarySet, "contains", lambda self, b: len(limits) % 3 == 0 and contains(self, b))
    members.end = lambda: time.perf_counter() + 50.0
    scores = np.random.default_rng(4).normal(size=20)
    members.maximise(scores, time_limit=20.0)
    members.maximise(scores)
    assert limits[2] < limits[1] < limits[0] <= 20.0
    assert left == [False] * 3 + [True] * 3
