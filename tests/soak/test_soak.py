"""A short part of the soak, with what it ever found; `python -m tests.soak --problems 100000` is the whole."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import hybridmip as hm
from tests.soak.__main__ import FOUND
from tests.soak.case import Case, Failure, check, judge, problem_of, shrunk
from tests.soak.data import Data
from tests.soak.families import FAMILIES
from tests.soak.oracle import Inconclusive, optimum

#: Seeds beyond those of the recorded run.
FIRST = 10_000_000


def holds(case: Case) -> None:
    """Everything that must hold does, or the oracle cannot judge."""
    try:
        check(case)
    except Inconclusive as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize("part", range(8))
def test_problems_of_every_kind(part: int) -> None:
    """Random families, units and ways to ask; each claim against the oracle."""
    judged = 0
    for seed in range(FIRST + 25 * part, FIRST + 25 * (part + 1)):
        try:
            check(Case.make(seed))
            judged += 1
        except Inconclusive:
            continue
    assert judged >= 20


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_to_the_last_bit_in_all_units(family: str) -> None:
    """Columns, rows and objective times powers of two up to 2^30: the same b, x and status."""
    for seed in range(FIRST, FIRST + 8):
        for way in ("default", "no enumeration"):
            try:
                check(Case.make(seed, family, "powers of two", way))
            except Inconclusive:
                continue


def test_integer_data_without_enumeration() -> None:
    """MILPs in which equations make x integral: what HiGHS's presolve gets wrong."""
    for seed in range(FIRST, FIRST + 60):
        check(Case.make(seed, "made integral", "as made", "no enumeration"))


@pytest.mark.parametrize("path", sorted(FOUND.glob("*.json")), ids=lambda path: path.stem)
def test_what_was_found(path: Path) -> None:
    """What a soak ever found, made as small as it could be."""
    holds(Case.from_json(json.loads(path.read_text())))


def small() -> Data:
    """min x0^2 + x1^2 - 2 x0 - 2 x1 + b0 + 0.5 b1 over x0 + x1 <= 1, 0 <= x <= b: -0.5, at x1 alone."""
    return Data(
        q=np.array([-2.0, -2.0]), p=np.array([1.0, 0.5]), A=np.ones((1, 2)), G=np.zeros((1, 2)),
        row_lower=np.array([-np.inf]), row_upper=np.array([1.0]), B=np.zeros((0, 2)), b_lower=np.zeros(0),
        b_upper=np.zeros(0), x_lower=np.zeros(2), x_upper=np.ones(2), switch=np.arange(2), Q=np.eye(2),
    )  # fmt: skip


def case_of(data: Data) -> Case:
    """As it is, asked in the default way."""
    ones = np.ones
    return Case(data, ones(data.n), ones(data.row_lower.size), ones(data.b_lower.size), 1.0, "default")


def test_the_oracle() -> None:
    """A value worked out by hand; no point; and one worked out by the solver's rows and bounds."""
    best = optimum(small())
    assert best.high == pytest.approx(-0.5, abs=1e-9)
    assert best.low == pytest.approx(-0.5, abs=1e-9)
    assert best.b is not None
    assert best.b.tolist() == [0.0, 1.0]
    assert optimum(replace(small(), row_lower=np.array([3.0]), row_upper=np.array([3.0]))).infeasible


@pytest.mark.parametrize(
    "lie",
    [
        {"objective": -0.6}, {"bound": -0.4}, {"bounds": {"line": -0.3}}, {"status": hm.Status.INFEASIBLE},
        {"x": np.array([0.0, 2.0])}, {"integrity": ("something was dropped",)},
    ],
    ids=str,
)  # fmt: skip
def test_a_lie_is_found(lie: dict) -> None:
    """The judge refuses every kind of false claim, and accepts the true one."""
    data = small()
    result, best = hm.solve(problem_of(data)), optimum(data)
    judge(case_of(data), data, result, best, compare_point=True)
    with pytest.raises(Failure):
        judge(case_of(data), data, replace(result, **lie), best, compare_point=True)


def test_shrinking_keeps_the_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left fails too, and nothing can be taken from it."""

    def failing(case: Case) -> str:
        if case.data.row_lower.size >= 1:
            raise Failure("there is a row")
        return "optimal"

    monkeypatch.setattr("tests.soak.case.check", failing)
    left = shrunk(Case.make(FIRST, "portfolio"))
    assert (left.data.row_lower.size, left.data.n, left.data.m) == (1, 0, 0)
    assert Case.from_json(json.loads(json.dumps(left.to_json()))).data.to_json() == left.data.to_json()
