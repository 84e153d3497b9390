"""MPS files: every section and bound type, both formats, and what is refused with its line."""

from __future__ import annotations

import gzip
from pathlib import Path

import highspy
import numpy as np
import pytest
from damage import answers, damaged
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from hybridmip.errors import FileError
from hybridmip.io.model import Model
from hybridmip.io.mps import parse_mps
from hybridmip.io.problems import read_model, read_problem

TEXT = """\
* a comment
NAME small
ROWS
 N cost
 L c1
 G c2
 E c3
 N other
COLUMNS
 x cost 1 c1 2
 x c2 3
 M1 'MARKER' 'INTORG'
 y cost 1 c1 1
 z c3 1 other 3
 M2 'MARKER' 'INTEND'
 w c1 1
RHS
 RHS cost -5 c1 4
 RHS c2 1 c3 2
RANGES
 R c1 2 c3 -1
 R c2 3
BOUNDS
 UP B w 7
QUADOBJ
 x x 2
 w x 3
 w w 9
ENDATA
"""


def with_bounds(*lines: str) -> Model:
    return parse_mps(TEXT.replace(" UP B w 7\n", "".join(f" {line}\n" for line in lines)), "small.mps")


def bounds(model: Model, name: str) -> tuple[float, float, bool]:
    k = model.names.index(name)
    return float(model.lower[k]), float(model.upper[k]), bool(model.integer[k])


def test_every_section() -> None:
    """Rows, ranges, the objective's constant (trap 6: minus its right-hand side), QUADOBJ's half, free rows dropped."""
    model = parse_mps(TEXT, "small.mps")
    assert model.names == ["x", "y", "z", "w"]
    assert model.row_names == ["c1", "c2", "c3"]
    assert model.objective_name == "cost"
    assert model.offset == 5.0
    np.testing.assert_array_equal(model.row_lower, [2, 1, 1])
    np.testing.assert_array_equal(model.row_upper, [4, 4, 2])
    np.testing.assert_array_equal(model.integer, [False, True, True, False])
    point = np.array([2.0, 1.0, 0.0, 3.0])
    # 5 + x + y + (2 x^2 + 2 * 3 x w + 9 w^2) / 2
    assert model.objective(point) == pytest.approx(5 + 2 + 1 + (2 * 4 + 6 * 6 + 9 * 9) / 2)


@pytest.mark.parametrize(
    ("lines", "name", "expected"),
    [
        ([], "x", (0, np.inf, False)),
        ([], "y", (0, 1, True)),  # an integer without bounds is a binary
        (["UP B y 5"], "y", (0, 5, True)),
        (["LO B y 2"], "y", (2, np.inf, True)),
        (["UP B w -3"], "w", (-np.inf, -3, False)),  # a negative upper bound frees the lower one
        (["UP B w -3", "LO B w -4"], "w", (-4, -3, False)),
        (["LO B w -4", "UP B w -3"], "w", (-4, -3, False)),
        (["FX B w 2.5"], "w", (2.5, 2.5, False)),
        (["FR B w"], "w", (-np.inf, np.inf, False)),
        (["MI B w"], "w", (-np.inf, np.inf, False)),
        (["MI B w", "UP B w 4"], "w", (-np.inf, 4, False)),
        (["PL B w"], "w", (0, np.inf, False)),
        (["BV B w"], "w", (0, 1, True)),
        (["BV w"], "w", (0, 1, True)),
        (["BV B w 1"], "w", (0, 1, True)),
        (["LI B w 2"], "w", (2, np.inf, True)),
        (["UI B w 9"], "w", (0, 9, True)),
        (["UP w 6"], "w", (0, 6, False)),  # no set name
        (["UP B w 1d1"], "w", (0, 10, False)),  # Fortran's exponent
        (["UP B w inf"], "w", (0, np.inf, False)),
    ],
)
def test_bounds(lines: list[str], name: str, expected: tuple[float, float, bool]) -> None:
    """Every bound type means what solvers agree it means."""
    assert bounds(with_bounds(*lines), name) == expected


def test_semicontinuous_columns() -> None:
    """SC makes a column zero or within its bounds; the Problem gives it a binary of its own."""
    model = with_bounds("SC B w 9", "LO B w 4")
    assert model.semicontinuous.tolist() == [False, False, False, True]
    assert bounds(model, "w") == (4, 9, False)


@pytest.mark.parametrize(
    ("text", "maximise"),
    [("OBJSENSE\n    MAX\n", True), ("OBJSENSE MAXIMIZE\n", True), ("OBJSENSE\n MINIMIZE\n", False), ("", False)],
)
def test_sense(text: str, maximise: bool) -> None:
    """OBJSENSE counts on its own line and on the next one."""
    assert parse_mps(TEXT.replace("ROWS\n", text + "ROWS\n"), "f").maximise is maximise


def test_objname_chooses_the_objective() -> None:
    """OBJNAME makes another free row the objective."""
    model = parse_mps(TEXT.replace("ROWS\n", "OBJNAME\n other\nROWS\n"), "f")
    assert model.objective_name == "other"
    assert model.cost.tolist() == [0, 0, 3, 0]
    assert model.offset == 0.0


def test_qmatrix_lists_both_halves() -> None:
    """QMATRIX is the whole matrix, QUADOBJ one triangle: the same objective."""
    full = TEXT.replace("QUADOBJ", "QMATRIX").replace(" w x 3\n", " w x 3\n x w 3\n")
    point = np.array([2.0, 1.0, 0.0, 3.0])
    assert parse_mps(full, "f").objective(point) == parse_mps(TEXT, "f").objective(point)
    with pytest.raises(FileError, match="QMATRIX has different values"):
        parse_mps(TEXT.replace("QUADOBJ", "QMATRIX"), "f")


def test_fixed_format_with_blanks_in_names() -> None:
    """Names may hold blanks where fields have fixed columns."""
    text = (
        "NAME          two words\nROWS\n N  obj\n L  row one\nCOLUMNS\n"
        "    my col    obj                1.0   row one            2.0\n"
        "    other     obj                1.0\n"
        "RHS\n    RHS       row one            4.0\nBOUNDS\n UP BND       my col             3.0\nENDATA\n"
    )
    model = parse_mps(text, "f")
    assert model.names == ["my col", "other"]
    assert model.row_names == ["row one"]
    assert model.row_upper.tolist() == [4.0]
    assert bounds(model, "my col") == (0, 3, False)


def test_sets_without_names_and_text_after_the_end() -> None:
    """RHS lines may leave out the set; what follows ENDATA is not read; line ends may be those of DOS."""
    plain = parse_mps(TEXT, "f")
    other = TEXT.replace(" RHS cost", " cost").replace(" RHS c2", " c2") + "anything at all\n"
    for text in (other, TEXT.replace("\n", "\r\n")):
        model = parse_mps(text, "f")
        assert model.offset == plain.offset
        np.testing.assert_array_equal(model.row_lower, plain.row_lower)


def test_gzip_and_content_without_a_suffix(tmp_path: Path) -> None:
    """A gzipped file reads as the plain one does, and a file without a suffix by its contents."""
    (tmp_path / "a.mps").write_text(TEXT)
    (tmp_path / "a.mps.gz").write_bytes(gzip.compress(TEXT.encode()))
    (tmp_path / "plain").write_text(TEXT)
    hashes = {read_problem(tmp_path / name).hash for name in ("a.mps", "a.mps.gz", "plain")}
    assert len(hashes) == 1


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("RANGES", "FRANGES", 20, "'FRANGES' is not a section"),
        ("RANGES", "SOS", 20, "special ordered sets"),
        ("QUADOBJ", "QCMATRIX c1", 25, "'c1' (quadratic constraints)"),
        ("QUADOBJ", "QSECTION c1", 25, "row 'c1' is quadratic"),
        (" x c2 3", " x nowhere 3", 11, "row 'nowhere' is not in ROWS"),
        (" UP B w 7", " UP B v 7", 24, "column 'v' is not in COLUMNS"),
        (" w x 3", " w v 3", 27, "column 'v' is not in COLUMNS"),
        (" w c1 1", " x c3 1", 16, "comes again after others"),
        (" x c2 3", " x c1 3", 11, "two entries in row 'c1'"),
        (" x c2 3", " x c2 three", 11, "'three' is not a number"),
        (" x c2 3", " x c2 1_0", 11, "'1_0' is not a number"),
        (" x c2 3", " x c2 1e400", 11, "'1e400' is not a finite number"),
        (" x c2 3", " x c2 nan", 11, "'nan' is not a finite number"),
        (" x c2 3", " x c2 1e30", 11, "must be below"),
        (" x c2 3", " x c2", 11, "found 2 fields"),
        (" UP B w 7", " UP B w 1e400", 24, "'1e400' is not a finite number"),
        (" UP B w 7", " UP B w 12abc", 24, "'12abc' is not a number"),
        (" UP B w 7", " XX B w 7", 24, "bound type 'XX' is not known"),
        (" UP B w 7", " UP B w 7\n UP C w 8", 25, "second set 'C'"),
        (" L c1", " Q c1", 5, "types are N, L, G and E"),
        (" G c2", " G c1", 6, "row 'c1' is there twice"),
        ("'INTORG'", "'SOSORG'", 12, "'SOSORG'"),
        (" M2 'MARKER' 'INTEND'\n", "", 28, "no 'INTEND'"),
        ("ROWS\n", "OBJSENSE\n UP\nROWS\n", 4, "it must be MIN or MAX"),
        (" w x 3", " w x 3\n x w 3", 28, "list each pair once"),
        (" RHS c2 1 c3 2", " RHS c1 1 c3 2", 19, "two right-hand sides"),
        ("COLUMNS\n", "RHS\nCOLUMNS\n", 9, "comes before COLUMNS"),
    ],
)
def test_bad_lines(old: str, new: str, line: int, message: str) -> None:
    """One line that names the file, the line, and what is wrong there."""
    assert old in TEXT
    with pytest.raises(FileError) as caught:
        parse_mps(TEXT.replace(old, new, 1), "small.mps")
    assert str(caught.value).startswith(f"small.mps, line {line}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_truncated_at_every_line() -> None:
    """However many lines are missing at the end, the file is refused with a line number."""
    lines = TEXT.splitlines(keepends=True)
    for kept in range(1, len(lines)):
        with pytest.raises(FileError, match=r"^f, line \d+: .*truncated") as caught:
            parse_mps("".join(lines[:kept]), "f")
        assert "\n" not in str(caught.value)


def highs_model(path: Path) -> highspy.HighsModel:
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    assert solver.readModel(str(path)) == highspy.HighsStatus.kOk
    return solver.getModel()


def assert_same_as_highs(model: Model, path: Path) -> None:
    """HiGHS reads the same columns, rows, bounds, constant and Hessian."""
    theirs = highs_model(path)
    lp, hessian = theirs.lp_, theirs.hessian_
    assert list(lp.col_names_) == model.names
    assert list(lp.row_names_) == model.row_names
    sign = lp.sense_ == highspy.ObjSense.kMaximize
    assert sign == model.maximise
    assert lp.offset_ == model.offset
    for ours, other in (
        (model.cost, lp.col_cost_), (model.lower, lp.col_lower_), (model.upper, lp.col_upper_),
        (model.row_lower, lp.row_lower_), (model.row_upper, lp.row_upper_),
    ):  # fmt: skip
        np.testing.assert_array_equal(ours, np.array(other))
    kinds = [int(kind) for kind in lp.integrality_] or [0] * len(model.names)
    np.testing.assert_array_equal(model.integer, np.array(kinds) == 1)
    parts = (np.array(lp.a_matrix_.value_), np.array(lp.a_matrix_.index_), np.array(lp.a_matrix_.start_))
    assert abs(sparse.csc_array(parts, shape=(lp.num_row_, lp.num_col_)) - model.matrix).sum() == 0
    if model.quadratic is not None:
        parts = (np.array(hessian.value_), np.array(hessian.index_), np.array(hessian.start_))
        half = sparse.csc_array(parts, shape=(hessian.dim_, hessian.dim_))
        full = half + half.T - sparse.diags_array(half.diagonal())
        assert abs(full / 2 - model.quadratic).max() <= 1e-15 * abs(full).max()


def test_same_as_highs(tmp_path: Path) -> None:
    """An independent reader sees the same model."""
    path = tmp_path / "a.mps"
    path.write_text(TEXT)
    assert_same_as_highs(parse_mps(TEXT, "f"), path)


def test_same_as_highs_on_public_files(data_dir: Path) -> None:
    """As above, on every MPS file of the collections."""
    from hybridmip.files import read_text

    files = sorted(data_dir.glob("**/*.mps.gz"))
    assert files
    for path in files:
        assert_same_as_highs(parse_mps(read_text(path), path.name), path)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_damaged_texts_raise_only_our_errors(data: st.DataObject) -> None:
    """A changed byte, line or field gives a model or an error of ours in one line, never anything else."""
    assert answers(parse_mps, damaged(data, TEXT))


def test_maximisation_is_turned_round(tmp_path: Path) -> None:
    """A maximum is minimised with its sign turned, and reported in the file's own sense."""
    text = TEXT.replace("ROWS\n", "OBJSENSE MAX\nROWS\n").split("QUADOBJ")[0] + "ENDATA\n"
    (tmp_path / "a.mps").write_text(text)
    read = read_model(tmp_path / "a.mps")
    assert read.maximise
    assert read.objective_name == "cost"
    assert read.problem.offset == -5.0
    assert read.objective(-12.0) == 12.0
    concave = TEXT.replace("ROWS\n", "OBJSENSE MAX\nROWS\n")
    (tmp_path / "b.mps").write_text(concave)
    with pytest.raises(FileError, match="not concave"):
        read_problem(tmp_path / "b.mps")
