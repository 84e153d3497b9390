"""From a file's model to a Problem: the same feasible points and the same values, whatever is recognised."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from hybridmip.errors import FileError
from hybridmip.io.convert import LARGEST_RANGE, to_problem
from hybridmip.io.lp import parse_lp
from hybridmip.io.model import Model, ReadProblem

INF = np.inf


def model_of(
    matrix: Any,
    row_lower: Sequence[float],
    row_upper: Sequence[float],
    lower: Sequence[float],
    upper: Sequence[float],
    kinds: str,
    quadratic: Any = None,
    cost: Sequence[float] | None = None,
    offset: float = 0.0,
    maximise: bool = False,
) -> Model:
    """A model from rows; kinds has a letter for each column: c, i (integer), s (semicontinuous)."""
    count = len(kinds)
    return Model(
        source="f",
        names=[f"v{k}" for k in range(count)],
        cost=np.arange(1.0, count + 1) if cost is None else np.array(cost, dtype=float),
        lower=np.array(lower, dtype=float),
        upper=np.array(upper, dtype=float),
        integer=np.array([kind == "i" for kind in kinds]),
        semicontinuous=np.array([kind == "s" for kind in kinds]),
        matrix=sparse.csr_array(np.array(matrix, dtype=float).reshape(-1, count)),
        row_lower=np.array(row_lower, dtype=float),
        row_upper=np.array(row_upper, dtype=float),
        row_names=[f"r{k}" for k in range(len(row_lower))],
        quadratic=None if quadratic is None else sparse.csr_array(np.array(quadratic, dtype=float)),
        offset=offset,
        maximise=maximise,
    )


def violation(model: Model, point: np.ndarray) -> float:
    """How far a point is from satisfying the model, as the model states it."""
    activity = model.matrix @ point
    worst = max([0.0, *(model.row_lower - activity), *(activity - model.row_upper)])
    outside = np.maximum(model.lower - point, point - model.upper)
    outside[model.semicontinuous & (point == 0)] = 0.0
    fraction = np.abs(point - np.round(point))[model.integer]
    return max([worst, *outside, *fraction])


def assert_same(model: Model, read: ReadProblem, point: np.ndarray) -> None:
    x, b = read.point(point)
    theirs, ours = violation(model, point), read.problem.violation(x, b)
    assert (theirs <= 1e-9) == (ours <= 1e-9), (point, theirs, ours)
    if theirs <= 1e-9:
        value = read.objective(read.problem.objective(x, b))
        assert value == pytest.approx(model.objective(point), rel=1e-9, abs=1e-9)
        np.testing.assert_allclose(list(read.values(x, b).values()), point)


@st.composite
def models(draw: st.DrawFn) -> tuple[Model, list[np.ndarray]]:
    """Small models full of rows that nearly are links, with points where they bite."""
    kinds = draw(st.text(alphabet="ciibs", min_size=1, max_size=6))
    numbers = st.sampled_from([-3.0, -2.0, -1.0, 0.0, 0.0, 1.0, 2.0, 5.0])
    lower, upper = [], []
    for kind in kinds:
        low, high = sorted([draw(numbers), draw(numbers)])
        if kind == "b":
            low, high = 0.0, 1.0
        elif kind == "c" and draw(st.booleans()):
            low, high = draw(st.sampled_from([(0.0, INF), (-INF, 0.0), (-INF, INF), (0.0, 0.0)]))
        lower.append(low)
        upper.append(high)
    count = len(kinds)
    rows, row_lower, row_upper = [], [], []
    for _ in range(draw(st.integers(0, 5))):
        row = np.zeros(count)
        for k in draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=draw(st.sampled_from([2, 2, 4])))):
            row[k] = draw(numbers)
        limit = draw(st.sampled_from([0.0, 0.0, 0.0, 1.0, -2.0]))
        kind = draw(st.sampled_from("LGER"))
        rows.append(row)
        row_lower.append(-INF if kind == "L" else limit)
        row_upper.append(INF if kind == "G" else limit + (2.0 if kind == "R" else 0.0))
    quadratic = None
    if draw(st.booleans()):
        # Convex in everything, then made indefinite on the binaries, which may not matter.
        root = np.array([[draw(st.sampled_from([-1.0, 0.0, 0.0, 1.0, 2.0])) for _ in kinds] for _ in range(2)])
        quadratic = root.T @ root
        binary = np.array([kind == "b" for kind in kinds])
        bump = np.array([[draw(st.sampled_from([0.0, 0.0, -3.0, 2.0])) for _ in kinds] for _ in kinds])
        quadratic += np.where(np.outer(binary, binary), bump + bump.T, 0.0)
    model = model_of(
        np.array(rows).reshape(len(rows), count), row_lower, row_upper, lower, upper, kinds.replace("b", "i"),
        quadratic=quadratic, cost=[draw(numbers) for _ in kinds], offset=draw(numbers),
        maximise=quadratic is None and draw(st.booleans()),
    )  # fmt: skip
    points = []
    for _ in range(12):
        point = []
        for low, high, kind in zip(lower, upper, kinds, strict=True):
            ends = [
                v for v in (low, high, 0.0, low + 1, high - 1, 1.5, 2.0, -1.0) if np.isfinite(v) and low <= v <= high
            ]
            value = draw(st.sampled_from([*ends, 0.0]) if kind == "s" else st.sampled_from(ends))
            point.append(float(np.round(value)) if kind in "ib" else value)
        points.append(np.array(point))
    return model, points


@settings(max_examples=100, deadline=None)
@given(case=models())
def test_same_points_same_values(case: tuple[Model, list[np.ndarray]]) -> None:
    """A point is feasible in the Problem exactly when it is in the model, and has the same value there."""
    model, points = case
    read = to_problem(model)
    for point in points:
        assert_same(model, read, point)


@pytest.mark.parametrize(
    ("row", "low", "high", "box", "link"),
    [
        ([1, -7], -INF, 0, (0, INF), (0, 7)),  # x <= 7 b
        ([1, -7], -INF, 0, (0, 4), (0, 4)),  # x's own bound is tighter
        ([-2, 14], 0, INF, (0, INF), (0, 7)),  # any scale and sign
        ([1, -7], 0, 0, (-INF, INF), (7, 7)),  # an equation
        ([1, 7], 0, INF, (-INF, 0), (-7, 0)),  # x >= -7 b
        ([1, -7], -INF, 0, (-1, INF), None),  # x may be negative while b is off
        ([1, 7], -INF, 7, (0, INF), None),  # x <= 7 (1 - b)
        ([1, -7], -INF, 1, (0, INF), None),  # x <= 1 while b is off
        ([1, -7], -INF, 0, (9, 12), None),  # b must be on, x never zero
    ],
)
def test_links(
    row: list[float], low: float, high: float, box: tuple[float, float], link: tuple[float, float] | None
) -> None:
    """A row of one x and one b is a link exactly when the two say l b <= x <= u b."""
    problem = to_problem(model_of([row], [low], [high], [box[0], 0], [box[1], 1], "ci")).problem
    if link is None:
        assert problem.switch.tolist() == [-1]
        assert problem.rows == 1
    else:
        assert problem.switch.tolist() == [0]
        assert (problem.x_lower[0], problem.x_upper[0]) == link
        assert problem.rows == 0


def test_both_links_of_a_pair() -> None:
    """2 b <= x <= 5 b from two rows."""
    problem = to_problem(model_of([[1, -5], [1, -2]], [-INF, 0], [0, INF], [0, 0], [INF, 1], "ci")).problem
    assert (problem.x_lower[0], problem.x_upper[0], problem.rows) == (2, 5, 0)


def test_the_tightest_of_several_binaries() -> None:
    """x <= 9 b1 and x <= 4 b2: b2 switches x, and the other row stays."""
    problem = to_problem(model_of([[1, -9, 0], [1, 0, -4]], [-INF] * 2, [0, 0], [0] * 3, [INF, 1, 1], "cii")).problem
    assert problem.switch.tolist() == [1]
    assert problem.x_upper[0] == 4
    assert problem.row_names == ("r0",)


def test_sums_switch_their_terms() -> None:
    """x1 + 2 x2 <= 10 b switches both, with the bounds it implies, and stays."""
    problem = to_problem(model_of([[1, 2, -10]], [-INF], [0], [0, 0, 0], [INF, 3, 1], "cci")).problem
    assert problem.switch.tolist() == [0, 0]
    assert problem.x_upper.tolist() == [10, 3]
    assert problem.rows == 1
    # Not with another binary in the row, nor with a term that may be negative.
    other = to_problem(model_of([[1, 2, -10, -1]], [-INF], [0], [0] * 4, [INF, 3, 1, 1], "ccii")).problem
    assert (other.switch == -1).all()
    negative = to_problem(model_of([[1, 2, -10]], [-INF], [0], [0, -1, 0], [INF, 3, 1], "cci")).problem
    assert (negative.switch == -1).all()


def test_rows_are_sorted() -> None:
    """Rows in b alone are B, mixed ones A and G, rows without limits and without entries are dropped; names stay."""
    matrix = [[0, 1, 1], [1, 1, 0], [1, 0, 0], [0, 0, 0]]
    model = model_of(matrix, [1, -INF, -INF, -1], [1, 3, INF, 1], [-1, 0, 0], [5, 1, 1], "cii")
    problem = to_problem(model).problem
    assert problem.b_row_names == ("r0",)
    assert problem.row_names == ("r1",)
    assert problem.x_names == ("v0",)
    assert problem.b_names == ("v1", "v2")


def test_fixed_integers_leave() -> None:
    """An integer that its bounds fix is a constant, in rows and in the objective, and comes back by name."""
    quadratic = [[1, 1, 0], [1, 2, 0], [0, 0, 0]]
    model = model_of([[1, 2, 1]], [-INF], [9], [0, 3, 0], [5, 3, 1], "cii", quadratic)
    read = to_problem(model)
    assert (read.problem.n, read.problem.m) == (1, 1)
    assert read.problem.row_upper.tolist() == [3]
    assert read.values([1.0], [1.0]) == {"v0": 1.0, "v1": 3.0, "v2": 1.0}
    assert_same(model, read, np.array([2.0, 3.0, 1.0]))


@pytest.mark.parametrize("bounds", [(-3, 9), (0, 2), (5, 6), (0, 1000)])
def test_general_integers(bounds: tuple[int, int]) -> None:
    """Every value of a bounded integer has binaries, and no value beyond it has."""
    model = model_of([[1, 1]], [-INF], [5000], [bounds[0], 0], [bounds[1], INF], "ic")
    read = to_problem(model)
    assert read.problem.row_names[-1] == "v0_bits"
    for value in (bounds[0], bounds[1], (bounds[0] + bounds[1]) // 2):
        assert_same(model, read, np.array([value, 1.0]))
    (_, lowest, bits, weights) = read.original.integers[0]
    assert lowest == bounds[0]
    assert weights.sum() == bounds[1] - bounds[0]
    assert bits.size == (bounds[1] - bounds[0]).bit_length()


def test_integers_that_rows_bound() -> None:
    """An integer without an upper bound gets the one that the rows imply."""
    read = to_problem(model_of([[2, 1]], [-INF], [9], [0, 0], [INF, INF], "ic"))
    assert read.problem.x_upper[0] == 4


@pytest.mark.parametrize("upper", [INF, LARGEST_RANGE + 1])
def test_integers_without_bounds_are_refused(upper: float) -> None:
    """The message names the column."""
    with pytest.raises(FileError, match=r"integer column 'v0' ranges over .* give it bounds at most"):
        to_problem(model_of([[1, -1]], [0], [INF], [0, 0], [upper, INF], "ic"))


def test_too_many_binaries_are_refused() -> None:
    """General integers may not need more binaries together than stated."""
    with pytest.raises(FileError, match="more than 2000 binaries"):
        to_problem(model_of(np.empty((0, 201)), [], [], [0] * 201, [1000] * 201, "i" * 201))


def test_slightly_indefinite_is_convex() -> None:
    """Trap 3: an eigenvalue of -1e-14 of the largest entry is rounding, in any unit."""
    for scale in (1e-6, 1.0, 1e6):
        quadratic = scale * np.array([[1.0, 1.0], [1.0, 1.0 - 1e-14]])
        problem = to_problem(model_of(np.empty((0, 2)), [], [], [0, 0], [1, 1], "cc", quadratic)).problem
        assert not problem.is_linear


def test_indefinite_on_binaries_is_shifted() -> None:
    """Trap 4: since b^2 = b the square may grow against the linear term; every value stays."""
    quadratic = [[0.0, 3.0], [3.0, 0.0]]
    model = model_of(np.empty((0, 2)), [], [], [0, 0], [1, 1], "ii", quadratic)
    read = to_problem(model)
    assert read.problem.x_names == ("v0_twin", "v1_twin")
    assert np.linalg.eigvalsh(read.problem.Q.toarray())[0] >= -1e-12
    for point in np.ndindex(2, 2):
        assert_same(model, read, np.array(point, dtype=float))
    assert set(read.values([1, 0], [1, 0])) == {"v0", "v1"}


def test_products_of_a_binary_and_a_convex_variable_are_shifted() -> None:
    """x^2 + 4 x b is convex once b's square is large enough; x b alone never is."""
    model = model_of(np.empty((0, 2)), [], [], [-5, 0], [5, 1], "ci", [[1.0, 2.0], [2.0, 0.0]])
    read = to_problem(model)
    for point in ([3.0, 1.0], [-2.0, 1.0], [1.0, 0.0]):
        assert_same(model, read, np.array(point))
    with pytest.raises(FileError, match="not convex"):
        to_problem(model_of(np.empty((0, 2)), [], [], [-5, 0], [5, 1], "ci", [[0.0, 2.0], [2.0, 0.0]]))


def test_maximising_a_convex_objective_is_refused() -> None:
    """The message speaks of the file's own sense."""
    with pytest.raises(FileError, match=r"not concave .most positive eigenvalue 2"):
        to_problem(model_of(np.empty((0, 1)), [], [], [0], [1], "c", [[2.0]], maximise=True))


def test_without_binaries() -> None:
    """A continuous model is a Problem with no binaries."""
    problem = to_problem(model_of([[1, 1]], [1], [1], [0, 0], [1, 1], "cc")).problem
    assert (problem.n, problem.m) == (2, 0)


def test_points_by_name() -> None:
    """A point can be given by the file's names; unknown ones are refused."""
    read = to_problem(parse_lp("Minimize\n a + b\nSubject To\n c: a - 3 b <= 0\nBinary\n b\nEnd\n", "f"))
    x, b = read.point({"a": 2.0, "b": 1.0})
    assert (x.tolist(), b.tolist()) == ([2.0], [1.0])
    with pytest.raises(FileError, match="no column 'z'"):
        read.point({"z": 1.0})
