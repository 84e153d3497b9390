"""AMPL's .nl files: text and binary, every segment, what is refused with its line, the writer, the command's .sol."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest
from damage import damaged
from hypothesis import given, settings
from hypothesis import strategies as st
from test_write_files import points, problem_of

import hybridmip as hm
from hybridmip.adapters.words import Options, read_words, words_of
from hybridmip.cli import main
from hybridmip.errors import ArgumentError, FileError, HybridMIPError
from hybridmip.io.ampl_solution import write_sol
from hybridmip.io.convert import to_problem
from hybridmip.io.model import Model
from hybridmip.io.nl import parse_nl, parse_nl_file, read_nl
from hybridmip.io.nl_scan import is_nl
from hybridmip.io.nl_write import write_nl

#: Two rows and two objectives over x, y (quadratic), n (integer, quadratic), z, and the binaries b, c:
#: minimise (x + 2y - n)^2 + 3 x^2 + x x / 4 - (-5) + z + 5 b.
TEXT = """\
g3 1 1 0\t# problem small
 6 3 2 1 1\t# vars, constraints, objectives, ranges, eqns
 0 1\t# nonlinear constraints, objectives
 0 0\t# network constraints: nonlinear, linear
 0 3 0\t# nonlinear vars in constraints, objectives, both
 0 0 0 1\t# linear network variables; functions; arith, flags
 2 0 0 0 1\t# discrete variables: binary, integer, nonlinear (b,c,o)
 8 6\t# nonzeros in Jacobian, gradients
 0 0\t# max name lengths: constraints, variables
 0 0 1 0 0\t# common exprs: b,c,o,c1,o1
S0 2 priority
0 3
4 1
S6 1 weight
0 2.5
C0\t#first
n0
C1
n0
C2
o0
n1.5
o2
n2
v3
V6 2 0
0 1
1 2
o16
v2
O0 0
o54
4
o5
v6
n2
o2
n3
o2
v0
v0
o3
o2
v0
v0
s4
o16
l-5
O1 1
n0
x2
0 0.5
4 1
d1
1 0.25
r
1 0
0 1 3
4 3.5
b
0 0 4
0 -1 4
0 0 9
2 -1
0 0 1
0 0 1
k5
2
3
4
6
7
J0 2
0 1
4 -4
J1 4
0 1
1 1
3 -1
5 1
J2 2
2 1
3 1
G0 5
0 0
1 0
2 0
3 1
4 5
G1 1
3 1
"""


def value_of(x: float, y: float, n: float, z: float, b: float, c: float) -> float:
    """The first objective of TEXT."""
    return (x + 2 * y - n) ** 2 + 3 * x * x + x * x / 4 + 5 + z + 5 * b + 0 * c


def parse(text: str) -> Model:
    return parse_nl(text.encode(), "f")


def as_binary(text: str, order: str) -> bytes:
    """The binary form of an .nl file, for both orders of bytes ("<" and ">")."""
    lines = [line.partition("#")[0].split() for line in text.splitlines()]
    header = text.splitlines()[:10]
    header[0] = "b" + header[0][1:]
    words = header[5].partition("#")[0].split()
    header[5] = f" {words[0]} {words[1]} {1 if order == '<' else 2} {words[3]}"
    sizes = [int(word) for word in lines[1]]
    out = bytearray("".join(f"{line}\n" for line in header).encode())

    def integer(*values: str) -> bytes:
        return b"".join(struct.pack(f"{order}i", int(value)) for value in values)

    def real(value: str) -> bytes:
        return struct.pack(f"{order}d", float(value))

    at = 10
    while at < len(lines):
        letter, first, *rest = lines[at][0][0], lines[at][0][1:], *lines[at][1:]
        at += 1
        pairs, whole = 0, False
        if letter in "oCVOJGxdkS":
            out += letter.encode() + integer(first)
        if letter == "n":
            out += b"n" + real(first)
        elif letter == "s":
            out += b"s" + struct.pack(f"{order}h", int(first))
        elif letter in "lv":
            out += letter.encode() + integer(first)
        elif letter == "o" and first == "54":
            out += integer(lines[at][0])
            at += 1
        elif letter in "OJGV":
            out += integer(*rest)
            pairs = 0 if letter == "O" else int(rest[0])
        elif letter in "xd":
            pairs = int(first)
        elif letter == "S":
            out += integer(rest[0], str(len(rest[1]))) + rest[1].encode()
            pairs, whole = int(rest[0]), not int(first) & 4
        elif letter == "k":
            out += integer(*(line[0] for line in lines[at : at + int(first)]))
            at += int(first)
        elif letter in "rb":
            out += letter.encode()
            for _ in range(sizes[1] if letter == "r" else sizes[0]):
                kind, *numbers = lines[at]
                out += kind.encode() + b"".join(map(real, numbers))
                at += 1
        for place, value in (line[:2] for line in lines[at : at + pairs]):
            out += integer(place) + (integer(value) if whole else real(value))
        at += pairs
    return bytes(out)


def require_small(model: Model) -> None:
    """That a model is the one of TEXT."""
    assert model.names == ["v0", "v1", "v2", "v3", "v4", "v5"]
    assert model.row_names == ["c0", "c1", "c2"]
    assert model.integer.tolist() == [False, False, True, False, True, True]
    np.testing.assert_array_equal(model.lower, [0, -1, 0, -1, 0, 0])
    np.testing.assert_array_equal(model.upper, [4, 4, 9, np.inf, 1, 1])
    # The third row has 1.5 + 2 v3 in its expression beside v2 + v3.
    np.testing.assert_array_equal(
        model.matrix.toarray(), [[1, 0, 0, 0, -4, 0], [1, 1, 0, -1, 0, 1], [0, 0, 1, 3, 0, 0]]
    )
    np.testing.assert_array_equal(model.row_lower, [-np.inf, 1, 2])
    np.testing.assert_array_equal(model.row_upper, [0, 3, 2])
    assert not model.maximise
    rng = np.random.default_rng(0)
    for _ in range(20):
        point = rng.normal(size=6)
        assert model.objective(point) == pytest.approx(value_of(*point), rel=1e-12)


def test_every_segment() -> None:
    """Rows, ranges, constants in rows, defined variables, products, quotients, suffixes, guesses and counts."""
    stated = parse_nl_file(TEXT.encode(), "f")
    require_small(stated.model)
    np.testing.assert_array_equal(stated.start, [0.5, np.nan, np.nan, np.nan, 1, np.nan])
    assert stated.header.options == (1, 1, 0)


@pytest.mark.parametrize("order", ["<", ">"])
def test_binary_files(order: str, tmp_path: Path) -> None:
    """The binary form says the same, least byte first or last, and is read through the general reader too."""
    content = as_binary(TEXT, order)
    require_small(parse_nl(content, "f"))
    (tmp_path / "a.nl").write_bytes(content)
    (tmp_path / "b.nl.gz").write_bytes(gzip.compress(TEXT.encode()))
    assert hm.read_problem(tmp_path / "a.nl").hash == hm.read_problem(tmp_path / "b.nl.gz").hash


def test_other_objectives() -> None:
    """The second objective is maximised; a third there is not; without any the objective is nothing."""
    second = parse_nl_file(TEXT.encode(), "f", objective=1).model
    assert second.maximise
    assert second.objective([1, 2, 3, 4, 5, 6]) == 4
    with pytest.raises(FileError, match="f has 2 objectives; number 3 is not one of them"):
        parse_nl_file(TEXT.encode(), "f", objective=2)
    start, rest = TEXT.split("O0 0\n")
    none = f"{start}x2\n" + rest.split("\nx2\n")[1].split("G0")[0]
    none = none.replace(" 6 3 2 1 1", " 6 3 0 1 1").replace(" 8 6", " 8 0").replace("S6 1 weight\n0 2.5\n", "")
    assert parse(none).objective([1, 2, 3, 4, 5, 6]) == 0


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("o1 o2 n2 v0 v1", lambda x, y: 2 * x - y),
        ("o0 o5 v0 n2 o5 v1 n1", lambda x, y: x * x + y),
        ("o2 o0 v0 n1 o1 v1 v0", lambda x, y: (x + 1) * (y - x)),
        ("o76 o0 v0 v1 n2", lambda x, y: (x + y) ** 2),
        ("o77 o1 v0 v1", lambda x, y: (x - y) ** 2),
        ("o5 v0 n0", lambda x, y: 1),
        ("o5 n3 n4", lambda x, y: 81),
        ("o3 o54 3 v0 v1 n1 n8", lambda x, y: (x + y + 1) / 8),
        ("o16 o2 v0 o16 v1", lambda x, y: x * y),
        ("o54 1 v1", lambda x, y: y),
        ("o2 n0 o5 v0 n2", lambda x, y: 0),
    ],
)
def test_operators(lines: str, expected: object) -> None:
    """Values at random points of expressions in prefix order."""
    model = parse(expression(lines))
    rng = np.random.default_rng(1)
    for x, y in rng.normal(size=(10, 2)):
        assert model.objective([x, y]) == pytest.approx(expected(x, y))  # type: ignore[operator]


def expression(nodes: str, row: str = "n0") -> str:
    """A file of two variables, a row and an objective, with expressions given in one line."""
    header = [
        "g3 1 1 0",
        " 2 1 1 0 0",
        " 1 1",
        " 0 0",
        " 2 2 2",
        " 0 0 0 1",
        " 0 0 0 0 0",
        " 2 2",
        " 0 0",
        " 0 0 0 0 0",
    ]
    rest = ["r", "1 4", "b", "3", "0 -1 1", "k1", "1", "J0 2", "0 0", "1 0", "G0 2", "0 0", "1 0"]
    return "\n".join([*header, "C0", *row.split(), "O0 0", *nodes.split(), *rest]) + "\n"


def test_long_sums_take_linear_time_and_no_recursion() -> None:
    """A chain of 30,000 additions, each the first operand of the one before it."""
    count = 30_000
    nodes = " ".join(["o0"] * count + ["o5 v0 n2"] + ["v1"] * count)
    assert parse(expression(nodes)).objective([3, 2]) == 9 + 2 * count


@pytest.mark.parametrize("dense", [True, False])
def test_products_of_long_sums(dense: bool) -> None:
    """(a'v + 1)^2 - 2 (b'v) (c'v) / 4 over 15 variables and more, and a row in which such products cancel."""
    rng = np.random.default_rng(2)
    columns = 15 if dense else 400
    forms = [np.zeros(columns) for _ in range(3)]
    for form in forms:
        form[rng.choice(columns, 12, replace=False)] = rng.integers(1, 9, 12) / 4  # of which squares cancel exactly

    def linear(form: np.ndarray, constant: float) -> str:
        terms = " ".join(f"o2 n{float(form[k])!r} v{k}" for k in np.flatnonzero(form))
        return f"o54 13 {terms} n{constant}"

    a, b, c = forms
    objective = f"o1 o5 {linear(a, 1)} n2 o3 o2 n2 o2 {linear(b, 0)} {linear(c, 0)} n4"
    row = f"o0 v0 o1 o77 {linear(a, 0)} o5 {linear(a, 0)} n2"
    text = expression(objective, row).replace(" 2 1 1 0 0\n", f" {columns} 1 1 0 0\n")
    text = text.replace(" 2 2 2\n", f" 0 {columns} 0\n").replace("b\n3\n", "b\n" + "3\n" * (columns - 1))
    text = text.replace("k1\n1\n", "")
    model = parse(text)
    np.testing.assert_array_equal(model.matrix.toarray()[0], np.eye(columns)[0])
    for _ in range(5):
        v = rng.normal(size=columns)
        assert model.objective(v) == pytest.approx((a @ v + 1) ** 2 - (b @ v) * (c @ v) / 2)
    with pytest.raises(FileError, match="row c0 is quadratic"):
        parse(text.replace("o77", "o16\no77", 1))


@pytest.mark.parametrize(
    ("nodes", "row", "message"),
    [
        ("o41 v0", "n0", r"objective obj has sin(...); only linear and quadratic"),
        ("n0", "o0 v0 o44 v1", r"row c0 has exp(...); only linear"),
        ("n0", "o2 n3 o2 v0 v1", "row c0 is quadratic (its term 3 v0 * v1); only the objective may be"),
        ("n0", "o5 v1 n2", "row c0 is quadratic (its term 1 v1^2)"),
        ("o5 v0 n3", "n0", "objective obj has pow(..., 3)"),
        ("o5 n2 v0", "n0", "objective obj has pow(..., ...)"),
        ("o5 v0 n0.5", "n0", "objective obj has pow(..., 0.5)"),
        ("o2 o5 v0 n2 v1", "n0", "objective obj has a product of degree 3"),
        ("o77 o5 v0 n2", "n0", "objective obj has a product of degree 4"),
        ("o3 v0 v1", "n0", "objective obj has a division by variables"),
        ("o3 v0 n0", "n0", "objective obj has a division by zero"),
        ("o11 2 v0 v1", "n0", "objective obj has min(...)"),
        ("o15 v0", "n0", "objective obj has abs(...)"),
        ("o999 v0", "n0", "objective obj has the operator o999, which is not known"),
        ("f0 1 v0", "n0", "objective obj calls a function(...)"),
        ("v2", "n0", "v2 is no variable and no expression defined above"),
        ("o54 0 v0", "n0", "a sum has 0 terms"),
        ("o2 n1e300 o2 n1e300 v0", "n0", "objective obj has a coefficient that is not finite"),
        ("o5 n-8 n0.5", "n0", "objective obj has -8^0.5, which is no number"),
    ],
)
def test_what_is_refused(nodes: str, row: str, message: str) -> None:
    """Another operator or too high a degree: one line with the place and its name."""
    with pytest.raises(FileError) as caught:
        parse(expression(nodes, row))
    assert str(caught.value).startswith("f, line ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_quadratic_terms_that_cancel() -> None:
    """A row whose squares cancel is linear."""
    model = parse(expression("n0", "o1 o5 v0 n2 o1 o2 v0 v0 v1"))
    np.testing.assert_array_equal(model.matrix.toarray(), [[0, 1]])


@pytest.mark.parametrize(
    ("nodes", "term"),
    [
        ("o2 n-2 o5 v0 n2", "-2 v0^2"),
        ("o2 n3 o2 v0 v1", "3 v0 * v1"),
        ("o54 3 o5 v0 n2 o2 n-9 o2 v0 v1 o5 v1 n2", "-9 v0 * v1"),
    ],
)
def test_the_term_that_makes_an_objective_not_convex(nodes: str, term: str) -> None:
    """It is named, as the file has it; of one that is maximised too."""
    with pytest.raises(FileError, match="not convex") as caught:
        to_problem(parse(expression(nodes)))
    assert f"see its term {term})" in str(caught.value)
    with pytest.raises(FileError, match="not concave") as caught:
        to_problem(parse(expression(f"o16 {nodes}").replace("O0 0", "O0 1")))
    number, name = term.split(" ", 1)
    assert f"see its term {-float(number):g} {name})" in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("g3 1 1 0", "q3 1 1 0", 1, "begins with g or b"),
        ("g3 1 1 0\t#", "g3 1 1\t#", 1, "3 whole numbers"),
        (" 6 3 2 1 1\t", " 6 3\t", 2, "expected 3 numbers or more, found 2"),
        (" 6 3 2 1 1\t", " 6 3 2 1 1 4\t", 2, "4 logical constraints"),
        (" 6 3 2 1 1\t", " 6 x 2 1 1\t", 2, "'x' is not a whole number"),
        (" 6 3 2 1 1\t", " 6 99999999 2 1 1\t", 2, "'99999999' is not a whole number from 0"),
        (" 6 3 2 1 1\t", " 6 4000000 2 1 1\t", 2, "do not fit into this file"),
        (" 0 3 0\t", " 0 7 0\t", 5, "more nonlinear variables"),
        (" 2 0 0 0 1\t", " 2 0 0 0 4\t", 7, "more discrete variables"),
        ("S0 2 priority", "S0 2 sosno", 11, "special ordered sets"),
        ("0 3\n4 1", "0 3\n0 1", 13, "the suffix priority: an index is there twice"),
        ("C1\nn0", "C3\nn0", 18, "row 3 is not from 0 to 2"),
        ("C1\nn0", "C0\nn0", 18, "row 0 is there twice"),
        ("C1\nn0", "C1\nn", 19, "'' (a constant) is not a finite number"),
        ("C1\nn0", "C1\nn1e400", 19, "'1e400'"),
        ("C1\nn0", "C1\nn1_0", 19, "'1_0'"),
        ("C1\nn0", "C\nn0", 18, "expected 1 whole numbers behind the letter, found 0"),
        ("C1\nn0", "C1\nz0", 19, "'z0' should be a node of an expression"),
        ("C1\nn0", "F0 1 -1 gamma\nC1\nn0", 18, "declares the function 'gamma'"),
        ("C1\nn0", "L0\nn0", 18, "a logical constraint"),
        ("C1\nn0", "Q1\nn0", 18, "'Q' begins no segment"),
        ("V6 2 0", "V5 2 0", 26, "V5 should be 6 or more"),
        ("0 1\n1 2", "0 1\n7 2", 28, "the index 7 (terms of V6) is not from 0 to 5"),
        ("O0 0", "O0 2", 31, "the sense of objective 0 is 2"),
        ("1 0\n0 1 3", "5 1 2\n0 1 3", 57, "row c0 is a complementarity condition"),
        ("1 0\n0 1 3", "6 1 2\n0 1 3", 57, "a kind from 0 to 5"),
        ("1 0\n0 1 3", "1 0\n0 1", 58, "the limits of row c1 of kind 0 should have 2 numbers, found 1"),
        ("2 -1\n", "2 nan\n", 64, "'nan' (the bounds of v3)"),
        ("k5", "k4", 67, "k should have 5 numbers, not 4"),
        ("J1 4", "J1 7", 76, "should have from 0 to 6 entries, not 7"),
        ("3 -1\n5 1", "3 one\n5 1", 79, "'one' (entries of row c1) is not a finite number"),
        ("3 -1\n5 1", "3 -1\n6 1", 80, "the index 6 (entries of row c1) is not from 0 to 5"),
        ("3 -1\n5 1", "3 -1 2\n5 1", 79, "expected an index and a number"),
        ("3 -1\n5 1", "-3 -1\n5 1", 79, "the index -3"),
        ("x2\n", "x2\n0 0.5\n4 1\nx2\n", 54, "a second segment x"),
        ("G1 1\n3 1\n", "", 89, "ends with 5 of 6 entries of objectives (G)"),
    ],
)
def test_bad_lines(old: str, new: str, line: int, message: str) -> None:
    """One line that names the file, the line, and what is wrong there."""
    assert old in TEXT
    with pytest.raises(FileError) as caught:
        parse_nl(TEXT.replace(old, new, 1).encode(), "small.nl")
    assert str(caught.value).startswith(f"small.nl, line {line}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_truncated_anywhere() -> None:
    """However much is missing at the end, text or bytes, the file is refused with its place."""
    for kept in range(1, len(TEXT)):
        with pytest.raises(FileError, match=r"^f, line \d+: "):
            parse_nl(TEXT[:kept].encode(), "f")
    content = as_binary(TEXT, "<")
    for kept in range(1, len(content)):
        with pytest.raises(FileError, match=r"^f, (line|byte) \d+: "):
            parse_nl(content[:kept], "f")


def answers(content: bytes) -> bool:
    """Whether a file is read, or refused by an error of ours in one line; any other error is raised."""
    try:
        to_problem(parse_nl(content, "f"))
    except HybridMIPError as error:
        return "\n" not in str(error)
    return True


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_damaged_texts_raise_only_our_errors(data: st.DataObject) -> None:
    """A changed byte, line or field gives a model or an error of ours in one line, never anything else."""
    assert answers(damaged(data, TEXT).encode())


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_damaged_bytes_raise_only_our_errors(data: st.DataObject) -> None:
    """The same for a few bytes of a binary file."""
    content = bytearray(as_binary(TEXT, data.draw(st.sampled_from("<>"))))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    assert answers(bytes(content))


def test_names_beside_the_file(tmp_path: Path) -> None:
    """.row and .col name rows, objectives and variables; lists of another length are refused."""
    (tmp_path / "a.nl").write_text(TEXT)
    (tmp_path / "a.col").write_text("x\ny\nn\nz\nb[one]\nc two\n")
    (tmp_path / "a.row").write_text("link\nrange\nequal\ncost\nother\n")
    model = read_nl(tmp_path / "a.nl").model
    assert model.names == ["x", "y", "n", "z", "b[one]", "c two"]
    assert model.row_names == ["link", "range", "equal"]
    assert model.objective_name == "cost"
    problem = hm.read_problem(tmp_path / "a.nl")
    assert problem.b_names[:2] == ("b[one]", "c two")
    # x <= 4 b is a switch.
    assert problem.switch[problem.x_names.index("x")] == 0
    assert problem.x_upper[problem.x_names.index("x")] == 4
    (tmp_path / "a.nl").write_text(TEXT.replace("C1\nn0", "C1\no39\nv0"))
    with pytest.raises(FileError, match=r"row range has sqrt\(...\)"):
        read_nl(tmp_path / "a.nl")
    (tmp_path / "a.col").write_text("x\ny\n")
    with pytest.raises(FileError, match="has 2 names for 6"):
        read_nl(tmp_path / "a.nl")
    (tmp_path / "a.col").write_text("x\ny\nn\nz\nb\nx\n")
    with pytest.raises(FileError, match="has 'x' twice"):
        read_nl(tmp_path / "a.nl")


def test_binaries_without_bounds() -> None:
    """What the header counts as binary is in [0, 1], also where the file calls it free; an integer keeps its bounds."""
    text = TEXT.replace("2 -1\n0 0 1\n0 0 1\n", "2 -1\n3\n0 -2 7\n")
    model = parse(text)
    assert (model.lower[4], model.upper[4], model.lower[5], model.upper[5]) == (0, 1, 0, 1)
    model = parse(text.replace(" 2 0 0 0 1\t", " 1 1 0 0 1\t"))
    assert (model.lower[4], model.upper[4], model.lower[5], model.upper[5]) == (0, 1, -2, 7)


def test_recognised_by_content(tmp_path: Path) -> None:
    """A text file without a suffix is known by its first two lines."""
    assert is_nl(TEXT)
    (tmp_path / "a").write_text(TEXT)
    (tmp_path / "a.nl").write_text(TEXT)
    assert hm.read_problem(tmp_path / "a").hash == hm.read_problem(tmp_path / "a.nl").hash


# ---- written


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6), packed=st.booleans(), form=st.sampled_from(["dense", "diagonal", "factor", "none"]))
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, seed: int, packed: bool, form: str) -> None:
    """Written and read back: the same values and the same feasible points, by name, and the same switches."""
    problem = problem_of(seed, form)
    path = tmp_path_factory.mktemp("written") / ("p.nl.gz" if packed else "p.nl")
    assert [file.name for file in write_nl(problem, path)] == [path.name, "p.row", "p.col"]
    read = hm.read_model(path)
    renamed = ["a", "b", "c", "d", "end", "x_1", "a_2", "u", "min", "3v"]
    assert sorted(renamed) == sorted(read.original.names)
    for x, b in points(problem, np.random.default_rng(seed)):
        theirs = read.point(dict(zip(renamed, np.concatenate([x, b]), strict=True)))
        assert read.problem.objective(*theirs) == pytest.approx(problem.objective(x, b), rel=1e-12, abs=1e-12)
        assert (read.problem.violation(*theirs) <= 1e-9) == (problem.violation(x, b) <= 1e-9)
    for j, name in enumerate(renamed[:6]):
        k = read.problem.x_names.index(name)
        assert (read.problem.switch[k] >= 0) == (problem.switch[j] >= 0)
        assert (read.problem.x_lower[k], read.problem.x_upper[k]) == (problem.x_lower[j], problem.x_upper[j])


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("form", ["dense", "none"])
def test_scip_reads_what_is_written(form: str, binary: bool, tmp_path: Path) -> None:
    """Another reader of the format, and of these tests' binary form, finds the same optimum in the file."""
    pyscipopt = pytest.importorskip("pyscipopt")
    problem = problem_of(1, form)
    write_nl(problem, tmp_path / "p.nl")
    if binary:
        (tmp_path / "p.nl").write_bytes(as_binary((tmp_path / "p.nl").read_text(), "<"))
    scip = pyscipopt.Model()
    scip.hideOutput()
    scip.readProblem(str(tmp_path / "p.nl"))
    scip.optimize()
    assert scip.getStatus() == "optimal"
    ours = hm.solve(hm.read_problem(tmp_path / "p.nl"))
    assert ours.status == "optimal"
    assert scip.getObjVal() == pytest.approx(ours.objective, rel=1e-6, abs=1e-6)


def test_binary_variables_alone(tmp_path: Path) -> None:
    """A problem without x and without rows."""
    problem = hm.Problem(p=[1.0, -2.0], offset=3.0)
    write_nl(problem, tmp_path / "p.nl")
    assert hm.read_problem(tmp_path / "p.nl").hash == problem.hash


def test_convert(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`hybridmip convert` writes .nl from other files and other files from .nl."""
    problem = problem_of(3)
    write_nl(problem, tmp_path / "p.nl")
    for source, target in (("p.nl", "q.mps"), ("q.mps", "r.nl")):
        with pytest.raises(SystemExit) as ending:
            main(["convert", str(tmp_path / source), str(tmp_path / target)])
        assert not ending.value.code
    assert "r.nl" in capsys.readouterr().out
    assert hm.read_problem(tmp_path / "r.nl").hash == hm.read_problem(tmp_path / "p.nl").hash


# ---- as AMPL calls it


#: The least of (x - 2)^2 + b over x <= 3 b, 0 <= x: b = 1, x = 2.
SOLVABLE = """\
g3 1 1 0
 2 1 1 0 0
 0 1
 0 0
 0 1 0
 0 0 0 1
 1 0 0 0 0
 2 2
 0 0
 0 0 0 0 0
C0
n0
O0 0
o5
o1
v0
n2
n2
r
1 0
b
2 0
0 0 1
k1
1
J0 2
0 1
1 -3
G0 2
0 0
1 1
"""


def call(*arguments: str) -> int | str | None:
    with pytest.raises(SystemExit) as ending:
        main(list(arguments))
    return ending.value.code


@pytest.mark.parametrize("stub", ["model", "model.nl"])
def test_a_call_of_ampl(stub: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The .sol repeats the option words, has the point, the code and the bound; the first line says who it is."""
    (tmp_path / "model.nl").write_text(SOLVABLE)
    assert call(str(tmp_path / stub), "-AMPL", "time_limit=20", "seed=3") == 0
    assert capsys.readouterr().out == f"HybridMIP {hm.__version__}: time_limit=20 seed=3\n"
    lines = (tmp_path / "model.sol").read_text().splitlines()
    assert lines[0].startswith(f"HybridMIP {hm.__version__}: optimal solution; objective 1, bound ")
    assert lines[1:10] == ["", "Options", "3", "1", "1", "0", "1", "0", "2"]
    assert lines[10] == "2"
    assert [float(line) for line in lines[11:13]] == pytest.approx([2, 1])
    assert lines[13] == "objno 0 0"
    assert lines[14:16] == ["suffix 6 1 10 0 0", "bestbound"]
    assert float(lines[16].split()[1]) == pytest.approx(1)


def test_the_tolerance_of_ampl_is_repeated(tmp_path: Path) -> None:
    """Where the second option word is 3, a number follows, which counts for two words in the .sol."""
    stated = parse_nl_file(SOLVABLE.replace("g3 1 1 0", "g3 1 3 0 1e-5").encode(), "f")
    write_sol(tmp_path / "a.sol", stated.header, "one\n\ntwo", 200)
    lines = (tmp_path / "a.sol").read_text().splitlines()
    assert lines == ["one", " ", "two", "", "Options", "5", "1", "3", "0", "1", "0", "2", "0", "1e-05", "objno 0 200"]


def test_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The environment's words come first, the command's last; objno picks an objective, outlev shows progress."""
    (tmp_path / "model.nl").write_text(SOLVABLE)
    monkeypatch.setenv("hybridmip_options", "time_limit = 5  mipgap=1e-3 outlev=1")
    assert call(str(tmp_path / "model"), "-AMPL", "outlev=0") == 0
    assert capsys.readouterr().out.count("\n") == 1
    assert call(str(tmp_path / "model"), "-AMPL") == 0
    assert "gap 0.001" in capsys.readouterr().out
    monkeypatch.setenv("hybridmip_options", "objno=2")
    assert call(str(tmp_path / "model"), "-AMPL") == 2
    assert "number 2 is not one of them" in capsys.readouterr().err
    assert call(str(tmp_path / "model"), "-AMPL", "objno=1") == 0
    assert read_words(words_of("timelim = 3 prove=yes")) == Options(time_limit=3.0, prove=True)


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("time_limt=3", "no such option 'time_limt' (did you mean time_limit?); choose from time_limit, gap"),
        ("time_limit", "option 'time_limit' has no value; write time_limit=value"),
        ("time_limit=soon", "time_limit is 'soon'; give a positive number of seconds"),
        ("time_limit=0", "time_limit is '0'"),
        ("gap=-1", "gap is '-1'; give a number of at least 0"),
        ("seed=1.5", "seed is '1.5'; give a whole number"),
        ("threads=0", "threads is '0'"),
        ("prove=perhaps", "prove is 'perhaps'; give 1 (yes) or 0 (no)"),
    ],
)
def test_words_that_are_not_understood(word: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One clear line, the exit code of bad usage, and no .sol."""
    assert call("model", "-AMPL", word) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    with pytest.raises(ArgumentError):
        read_words([word])


def test_files_that_cannot_be_solved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line with the file, exit code 2 and no .sol: missing, garbled, not convex."""
    assert call(str(tmp_path / "none"), "-AMPL") == 2
    assert "none.nl does not exist" in capsys.readouterr().err
    for old, new, message in (("C0\nn0", "C0\nn", "line 12"), ("O0 0", "O0 1", "not concave")):
        (tmp_path / "model.nl").write_text(SOLVABLE.replace(old, new))
        assert call(str(tmp_path / "model"), "-AMPL") == 2
        error = capsys.readouterr().err
        assert f"{tmp_path / 'model.nl'}" in error
        assert message in error
        assert error.count("\n") == 1
    assert not (tmp_path / "model.sol").exists()


def test_version_and_list_of_options(capsys: pytest.CaptureFixture[str]) -> None:
    """-v and --version are the same; -= lists what can be set."""
    assert call("-v") == 0
    short = capsys.readouterr().out
    assert call("--version") == 0
    assert short == capsys.readouterr().out == f"hybridmip {hm.__version__}\n"
    assert call("-=") == 0
    assert "time_limit" in capsys.readouterr().out


@pytest.mark.parametrize("b", [0, 1])
def test_a_guess_is_a_start(b: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An initial guess with every binary is handed to the search, good or bad; one that lacks a binary is not."""
    given: list[object] = []

    def remember(*arguments: object, **options: object) -> hm.Result:
        given.append(options["warm_start"])
        return hm.solve(*arguments, **options)

    monkeypatch.setattr("hybridmip.adapters.solving.solve", remember)
    (tmp_path / "model.nl").write_text(SOLVABLE.replace("r\n1 0", f"x2\n0 2\n1 {b}\nr\n1 0"))
    assert call(str(tmp_path / "model"), "-AMPL") == 0
    assert float((tmp_path / "model.sol").read_text().splitlines()[11]) == pytest.approx(2)
    (tmp_path / "model.nl").write_text(SOLVABLE.replace("r\n1 0", "x1\n0 2\nr\n1 0"))
    assert call(str(tmp_path / "model"), "-AMPL") == 0
    np.testing.assert_array_equal(given[0], [bool(b)])
    assert given[1] is None
