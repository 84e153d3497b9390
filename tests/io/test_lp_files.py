"""LP files: the grammar, the sense of a row, and what is refused with its line."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from damage import answers, damaged
from hypothesis import given, settings
from hypothesis import strategies as st
from test_mps_files import assert_same_as_highs

from hybridmip.errors import FileError
from hybridmip.io.lp import parse_lp
from hybridmip.io.problems import read_model, read_problem

TEXT = r"""\ a comment
Minimize
 cost: x + 2 y - 3 z + 7 + [ 2 x^2 + 4 x * w + 8 w^2 ] / 2
Subject To
 c1: x + y <= 4
 c2: x - w >= -3
 c3: x - z >= 1
Bounds
 -5 <= x <= 5
 w free
 y <= 3
General
 y
Binary
 z
End
"""


def changed(old: str, new: str) -> str:
    assert old in TEXT
    return TEXT.replace(old, new, 1)


def test_every_section(tmp_path: Path) -> None:
    """Terms, products with their half, the constant, bounds and integrality; HiGHS agrees."""
    model = parse_lp(TEXT, "f")
    assert model.names == ["x", "y", "z", "w"]
    assert model.objective_name == "cost"
    assert model.objective([1.0, 2.0, 1.0, 3.0]) == pytest.approx(1 + 4 - 3 + 7 + (2 + 4 * 3 + 8 * 9) / 2)
    np.testing.assert_array_equal(model.lower, [-5, 0, 0, -np.inf])
    np.testing.assert_array_equal(model.upper, [5, 3, 1, np.inf])
    np.testing.assert_array_equal(model.integer, [False, True, True, False])
    path = tmp_path / "a.lp"
    path.write_text(TEXT)
    assert_same_as_highs(model, path)


@pytest.mark.parametrize(
    ("row", "coefficients", "lower", "upper"),
    [
        ("c1: -3 <= x - w <= 9", [1, 0, 0, -1], -3, 9),
        ("c1: 9 >= x - w >= -3", [1, 0, 0, -1], -3, 9),
        ("c1: 3 <= x + w", [1, 0, 0, 1], 3, np.inf),
        ("c1: x + y + 3 <= 4", [1, 1, 0, 0], -np.inf, 1),  # a constant on the left counts
        ("c1: x + y <= 4 z", [1, 1, -4, 0], -np.inf, 0),
        ("c1: x >= 4 + y", [1, -1, 0, 0], 4, np.inf),
        ("c1: x + x - 0.5x =< 4", [1.5, 0, 0, 0], -np.inf, 4),
        ("c1: 3x+2y\n + w\n <=\n 4", [3, 2, 0, 1], -np.inf, 4),
        ("c1: - - 2 x + + y = -1e1", [2, 1, 0, 0], -10, -10),
        ("c1: 2 * x < 4", [2, 0, 0, 0], -np.inf, 4),
        ("c1: x >= -inf", [1, 0, 0, 0], -np.inf, np.inf),
        ("x > 2", [1, 0, 0, 0], 2, np.inf),
        ("st: x > 2", [1, 0, 0, 0], 2, np.inf),  # a name that is also a keyword
    ],
)
def test_rows(row: str, coefficients: list[float], lower: float, upper: float) -> None:
    """What a row says, however it is written, and that the next row starts where it should."""
    model = parse_lp(changed("c1: x + y <= 4", row), "f")
    np.testing.assert_allclose(model.matrix.toarray()[0], coefficients)
    assert (model.row_lower[0], model.row_upper[0]) == (lower, upper)
    np.testing.assert_array_equal(model.matrix.toarray()[1:], [[1, 0, 0, -1], [1, 0, -1, 0]])
    np.testing.assert_array_equal(model.row_lower[1:], [-3, 1])


def test_rows_without_names_may_start_with_a_sign() -> None:
    """A right-hand side ends with its line."""
    model = parse_lp(changed(" c2: x - w >= -3\n c3: x - z >= 1\n", " x - w >= -3\n - x - z >= 1\n + 2 x >= 3\n"), "f")
    np.testing.assert_array_equal(model.row_lower, [-np.inf, -3, 1, 3])
    assert model.row_names == ["c1", "R2", "R3", "R4"]


@pytest.mark.parametrize(
    ("line", "bounds"),
    [
        (" y <= 3", (0, 3)),
        (" y >= -inf", (-np.inf, np.inf)),
        (" -inf <= y <= 4", (-np.inf, 4)),
        (" y = 2", (2, 2)),
        (" 1 <= y", (1, np.inf)),
        (" y >= 1\n y <= 2", (1, 2)),
        (" 7 >= y >= -1", (-1, 7)),
        (" y free", (-np.inf, np.inf)),
    ],
)
def test_bounds(line: str, bounds: tuple[float, float]) -> None:
    """Bounds in every order."""
    model = parse_lp(changed(" y <= 3", line), "f")
    assert (model.lower[1], model.upper[1]) == bounds


def test_names_with_brackets() -> None:
    """Names like x[1,2] and x(3) are names, also right before the end of a bracket."""
    model = parse_lp(changed("c1: x", "c1: x[1,2] + 2 x(3)"), "f")
    assert {"x[1,2]", "x(3)"} <= set(model.names)
    assert parse_lp(changed("2 x^2 + 4 x * w + 8 w^2 ]", "2x^2+8w^2+4x*w]"), "f").objective([1, 0, 0, 1]) == 1 + 7 + 7


def test_semicontinuous_and_maximise(tmp_path: Path) -> None:
    """A semicontinuous column gets a switch of its own; a maximum is turned round."""
    text = "Maximize\n obj: x\nSubject To\n c: x + y <= 4\nBounds\n 2 <= x <= 3\nSemi-continuous\n x\nEnd\n"
    (tmp_path / "a.lp.gz").write_bytes(gzip.compress(text.encode()))
    read = read_model(tmp_path / "a.lp.gz")
    assert read.maximise
    problem = read.problem
    assert problem.switch.tolist() == [0, -1]
    assert problem.b_names == ("x_on",)
    assert (problem.x_lower[0], problem.x_upper[0]) == (2, 3)
    assert read.objective(problem.objective([3, 0], [1])) == 3


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("x + y <= 4", "[ x^2 ] + y <= 4", 5, "row 'c1' is quadratic"),
        ("x + y <= 4", "x + y y 3 <= 4", 5, "no relation"),
        ("x + y <= 4", "x + <= 4", 5, "expected a term after a sign"),
        ("x + y <= 4", "x + y <= 1e400", 5, "'1e400' is not a finite number"),
        ("x + y <= 4", "1e30 x + y <= 4", 5, "must be below"),
        ("x + y <= 4", "x + y <= <= 4", 5, "expected a number"),
        ("x + y <= 4", "1 <= x <= 2 <= 3", 5, "three relations"),
        ("x + y <= 4", "1 <= x >= 2", 5, "number <= terms <= number"),
        ("x + y <= 4", "3 <= x <= 2", 5, "above its upper limit"),
        ("x + y <= 4", "x + ^ y <= 4", 5, "'^'"),
        ("c2:", "c1:", 6, "row 'c1' is there twice"),
        ("4 x * w", "4 x w", 3, "x^2 or x * y"),
        ("4 x * w", "4 x^3", 3, "only squares"),
        (" / 2", "", 3, "] / 2"),
        (" y <= 3", " q <= 3", 11, "column 'q' is in no row"),
        (" y <= 3", " y 3", 11, "expected <=, >= or ="),
        (" y <= 3", " y >= inf", 11, "never hold"),
        ("Binary\n z", "Binary\n 3", 15, "expected a column"),
        ("Binary", "SOS", 14, "special ordered sets"),
        ("Subject To", "Bounds\n x <= 1\nSubject To\n c: x >= 1\nSubject To", 8, "there twice"),
        ("Minimize", "Hello", 2, "before the objective"),
        ("Minimize", "Bounds", 2, "start with the objective"),
    ],
)
def test_bad_lines(old: str, new: str, line: int, message: str) -> None:
    """One line that names the file, the line, and what is wrong there."""
    with pytest.raises(FileError) as caught:
        parse_lp(changed(old, new), "small.lp")
    assert str(caught.value).startswith(f"small.lp, line {line}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_crossing_bounds_are_refused(tmp_path: Path) -> None:
    """An upper bound below the lower one leaves no value; the message names the column."""
    (tmp_path / "a.lp").write_text(changed(" y <= 3", " y <= -3"))
    with pytest.raises(FileError, match="integer column 'y' has no value between its bounds 0 and -3"):
        read_problem(tmp_path / "a.lp")


def test_truncated_at_every_line() -> None:
    """However many lines are missing at the end, the file is refused."""
    lines = TEXT.splitlines(keepends=True)
    for kept in range(len(lines)):
        with pytest.raises(FileError):
            parse_lp("".join(lines[:kept]), "f")


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_damaged_texts_raise_only_our_errors(data: st.DataObject) -> None:
    """A changed byte, line or field gives a model or an error of ours in one line, never anything else."""
    assert answers(parse_lp, damaged(data, TEXT))
