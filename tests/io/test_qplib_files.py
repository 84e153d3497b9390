"""QPLIB's format: the half in its terms, types, defaults and infinities, and what is refused with its line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from damage import answers, damaged
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridmip.errors import FileError
from hybridmip.io.problems import read_model, read_problem
from hybridmip.io.qplib import is_qplib, parse_qplib

#: Mixed-binary, as the collection writes it: type letter G, code 1 with bounds [0, 1].
TEXT = """\
SMALL
CGL
minimize
3 # number of variables
2 # number of constraints
4 # number of quadratic terms in objective
1 1 4.0
2 1 2.0
2 2 8.0
3 3 6.0
0.5 # default value for linear coefficients in objective
1 # number of non-default linear coefficients in objective
3 -1.0
10.0 # objective constant
4 # number of linear terms in all constraints
1 1 1.0
1 2 1.0
2 1 1.0
2 3 -5.0
1.79769313486232E+308 # value for infinity
-1.79769313486232E+308 # default left-hand-side value
1 # number of non-default left-hand-sides
1 1.0
0.0 # default right-hand-side value
1 # number of non-default right-hand-sides
1 1.0
0.0 # default variable lower bound value
0 # number of non-default variable lower bounds
1.79769313486232E+308 # default variable upper bound value
1 # number of non-default variable upper bounds
3 1.0
0 # default variable type
1 # number of non-default variable types
3 1
0.0 # default variable primal value in starting point
0 # number of non-default variable primal values in starting point
0.0 # default constraint dual value in starting point
0 # number of non-default constraint dual values in starting point
0.0 # default variable bound dual value in starting point
0 # number of non-default variable bound dual values in starting point
1 # number of non-default variable names
3 use
0 # number of non-default constraint names
"""


def test_every_term_counts_half() -> None:
    """Trap 1: (v / 2) x_i x_j for squares and products alike, each pair once."""
    model = parse_qplib(TEXT, "f")
    x1, x2, x3 = 3.0, 5.0, 1.0
    expected = (4 * x1**2 + 2 * x2 * x1 + 8 * x2**2 + 6 * x3**2) / 2 + 0.5 * x1 + 0.5 * x2 - x3 + 10
    assert model.objective([x1, x2, x3]) == pytest.approx(expected)


def test_mixed_binaries_and_infinity(tmp_path: Path) -> None:
    """Trap 2: code 1 with bounds [0, 1] is a binary; 1.79769313486232E+308 is no limit."""
    model = parse_qplib(TEXT, "f")
    np.testing.assert_array_equal(model.upper, [np.inf, np.inf, 1])
    np.testing.assert_array_equal(model.row_lower, [1, -np.inf])
    np.testing.assert_array_equal(model.row_upper, [1, 0])
    (tmp_path / "a.qplib").write_text(TEXT)
    problem = read_problem(tmp_path / "a.qplib")
    assert problem.b_names == ("use",)
    assert problem.x_names == ("x1", "x2")
    # The second row is x1 <= 5 use, a link.
    assert problem.switch.tolist() == [0, -1]
    assert problem.x_upper[0] == 5
    assert problem.rows == 1
    # The square of a binary alone is linear.
    assert problem.p.tolist() == [-1 + 6 / 2]


def test_words_for_infinity_and_binary_code() -> None:
    """`inf` is a number here; code 2 is a binary whatever its bounds."""
    text = TEXT.replace("1.79769313486232E+308 # default variable upper", "inf # default variable upper")
    text = text.replace("\n3 1\n0.0 # default variable primal", "\n2 2\n0.0 # default variable primal")
    model = parse_qplib(text, "f")
    assert model.upper.tolist() == [np.inf, 1, 1]
    assert model.integer.tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("kind", "rows", "bounds"), [("QBL", True, False), ("QBN", False, False), ("CCB", False, True)]
)
def test_types_leave_sections_out(kind: str, rows: bool, bounds: bool) -> None:
    """All-binary files list no bounds, unconstrained ones no rows, continuous ones no types."""
    lines = [kind, kind, "maximize", "2"]
    lines += ["1"] if rows else []
    lines += ["1", "2 1 4.0", "0.0", "0", "0.0"]
    lines += ["2", "1 1 1.0", "1 2 1.0"] if rows else []
    lines += ["1e300"]
    lines += ["-1e300", "0", "1.0", "0"] if rows else []
    lines += ["0.0", "0", "2.0", "0"] if bounds else []
    lines += ["0.0", "0"] * (3 if rows else 2) + ["0"] * (2 if rows else 1)
    model = parse_qplib("\n".join(lines) + "\n", "f")
    assert model.maximise
    assert model.objective([1, 1]) == 2
    assert model.integer.all() == (kind[1] == "B")
    np.testing.assert_array_equal(model.upper, [2, 2] if bounds else [1, 1])
    assert model.matrix.shape == (1 if rows else 0, 2)


def test_nonconvex_on_continuous_variables_is_refused(tmp_path: Path) -> None:
    """The message gives the most negative eigenvalue."""
    (tmp_path / "a.qplib").write_text(TEXT.replace("2 1 2.0", "2 1 40.0"))
    lowest = np.linalg.eigvalsh([[2, 10], [10, 4]])[0]
    with pytest.raises(FileError, match=f"not convex .most negative eigenvalue {lowest:.6g}"):
        read_problem(tmp_path / "a.qplib")


def test_quadratic_constraints_are_refused() -> None:
    """They are named by their number."""
    text = TEXT.replace("CGL", "CGQ").replace("10.0 # objective constant\n", "10.0\n1\n2 1 1 3.0\n")
    with pytest.raises(FileError, match="constraint 2 is quadratic"):
        parse_qplib(text, "f")


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("CGL", "XGL", 2, "three letters"),
        ("minimize", "minimal", 3, "minimize or maximize"),
        ("3 # number of variables", "3.5", 4, "whole number"),
        ("3 # number of variables", "0", 4, "whole number, 1 or more"),
        ("2 1 2.0", "2 4 2.0", 8, "'4' (quadratic terms in the objective) is not a whole number from 1 to 3"),
        ("2 1 2.0", "2 1", 8, "expected 3 values"),
        ("2 1 2.0", "2 1 two", 8, "'two'"),
        ("2 1 2.0", "2 1 1e400", 8, "'1e400'"),
        ("2 1 2.0", "2 1 1_0", 8, "'1_0'"),
        ("2 1 2.0", "2 1 inf", 8, "'inf'"),
        ("2 1 2.0", "inf 1 2.0", 8, "'inf'"),
        ("10.0 # objective constant", "inf", 14, "must be finite"),
        ("10.0 # objective constant", "ten", 14, "the objective's constant is 'ten'"),
        ("1 1.0\n0.0 # default right", "3 1.0\n0.0 # default right", 23, "not a whole number from 1 to 2"),
        ("3 use", "4 use", 42, "from 1 to 3"),
        ("0 # number of non-default constraint names", "0\nmore", 44, "follows the end"),
    ],
)
def test_bad_lines(old: str, new: str, line: int, message: str) -> None:
    """One line that names the file, the line, and what is wrong there."""
    assert old in TEXT
    with pytest.raises(FileError) as caught:
        parse_qplib(TEXT.replace(old, new, 1), "small.qplib")
    assert str(caught.value).startswith(f"small.qplib, line {line}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("2 1 2.0", "1 1 2.0", "pair .1, 1. of the objective is listed twice"),
        ("1 2 1.0\n", "1 1 1.0\n", "lists a variable twice"),
        ("3 1\n0.0 # default variable primal", "3 7\n0.0 # default variable primal", "variable 3 is of type 7"),
    ],
)
def test_bad_tables(old: str, new: str, message: str) -> None:
    """What is wrong with a table as a whole."""
    assert old in TEXT
    with pytest.raises(FileError, match=message):
        parse_qplib(TEXT.replace(old, new, 1), "f")


def test_truncated_at_every_line() -> None:
    """However many lines are missing at the end, the file is refused with a line number."""
    lines = TEXT.splitlines(keepends=True)
    for kept in range(1, len(lines)):
        with pytest.raises(FileError, match=rf"^f, line {kept}: .*truncated"):
            parse_qplib("".join(lines[:kept]), "f")


def test_recognised_by_content(tmp_path: Path) -> None:
    """A file without a suffix is known by its second and third lines."""
    assert is_qplib(TEXT)
    (tmp_path / "a").write_text(TEXT)
    (tmp_path / "a.qplib").write_text(TEXT)
    assert read_problem(tmp_path / "a").hash == read_problem(tmp_path / "a.qplib").hash


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_damaged_texts_raise_only_our_errors(data: st.DataObject) -> None:
    """A changed byte, line or field gives a model or an error of ours in one line, never anything else."""
    assert answers(parse_qplib, damaged(data, TEXT))


def test_published_value(data_dir: Path) -> None:
    """A selection of QPLIB_10050, which is all products, has the value published for it: trap 1 on real data."""
    read = read_model(data_dir / "qplib" / "QPLIB_10050.qplib.gz")
    chosen = [
        1, 4, 8, 9, 11, 12, 13, 17, 20, 21, 29, 30, 32, 34, 47, 48, 50, 52, 53, 55, 57, 58, 63, 66, 69, 70, 72, 76, 77,
        78, 79, 80, 81, 82, 83, 88, 89, 91, 97, 100, 101, 103, 104, 105, 106, 111, 116, 119, 120, 121, 122, 123, 129,
        133, 135, 140, 141, 142, 144, 148, 150,
    ]  # fmt: skip
    x, b = read.point({f"x{k}": 1.0 for k in chosen})
    assert read.problem.violation(x, b) == 0
    assert read.problem.objective(x, b) == pytest.approx(-25.69766163, abs=5e-9)
