"""Problem: what it accepts, what it means, and how it refuses what it cannot take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from problems import BINARY_ROWS, BOUNDS, QUADRATIC, Recipe, make
from scipy import sparse

from hybridmip.errors import HybridMIPError, ProblemError
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import FactorModel

NAN, INF = np.nan, np.inf


def data(**changes: Any) -> dict[str, Any]:
    """Arguments of a good problem with 3 x, 2 b, 2 rows and 1 row on b; some replaced."""
    good: dict[str, Any] = {
        "Q": [[2.0, 0.5, 0.0], [0.5, 1.0, 0.25], [0.0, 0.25, 3.0]],
        "q": [1.0, -2.0, 0.5],
        "p": [0.25, 4.0],
        "offset": 7.0,
        "A": [[1.0, 1.0, 1.0], [0.0, 2.0, -1.0]],
        "G": [[0.0, 0.0], [3.0, 0.0]],
        "row_lower": [1.0, -INF],
        "row_upper": [1.0, 2.0],
        "B": [[1.0, 1.0]],
        "b_lower": [1.0],
        "b_upper": [2.0],
        "x_lower": [0.1, -1.0, 0.0],
        "x_upper": [1.0, INF, 5.0],
        "switch": [0, 1, -1],
    }
    return {**good, **changes}


def refusal(**changes: Any) -> str:
    """The message with which the changed problem is refused: a ProblemError of one line."""
    with pytest.raises(ProblemError) as caught:
        Problem(**data(**changes))
    message = str(caught.value)
    assert "\n" not in message
    assert isinstance(caught.value, HybridMIPError)
    return message


# What it means


def test_objective_by_hand() -> None:
    """x'Qx (not half of it) + q'x + p'b + offset, on numbers worked out by hand."""
    problem = Problem(**data())
    x, b = [1.0, 2.0, 3.0], [1, 0]
    # x'Qx = 2 + 4 + 27 + 2 (0.5 * 2 + 0.25 * 6) = 38, q'x = -1.5, p'b = 0.25
    assert problem.objective(x, b) == pytest.approx(38 - 1.5 + 0.25 + 7)


def test_forms_of_one_matrix_agree() -> None:
    """A factor model, the same matrix dense and the same sparse give one objective."""
    rng = np.random.default_rng(5)
    factor = FactorModel(rng.normal(size=(6, 2)), [[2.0, 0.3], [0.3, 1.0]], rng.uniform(0.1, 1, 6))
    loadings, W, d = factor.loadings, factor.factor_covariance, factor.specific_variance
    dense = loadings @ W @ loadings.T + np.diag(d)
    forms = [Problem(Q=Q) for Q in (factor, dense, sparse.csr_array(dense), sparse.coo_matrix(dense))]
    for x in rng.normal(size=(5, 6)):
        expected = x @ dense @ x
        for problem in forms:
            assert problem.objective(x, []) == pytest.approx(expected, rel=1e-12)
    assert [p.Q.kind for p in forms] == ["factormodel", "dense", "sparse", "sparse"]


def test_diagonal_in_every_disguise() -> None:
    """A vector, a diagonal matrix and a sparse diagonal are one and the same problem."""
    d = np.array([1.0, 0.0, 2.5])
    disguises = [d, list(d), np.diag(d), sparse.diags_array(d), FactorModel(np.zeros((3, 1)), [1.0], d)]
    problems = [Problem(Q=Q) for Q in disguises]
    assert {p.Q.kind for p in problems[:4]} == {"diagonal"}
    assert len({p.hash for p in problems[:4]}) == 1
    x = np.array([3.0, 1.0, 2.0])
    assert {p.objective(x, []) for p in problems} == {9.0 + 10.0}


def test_factor_covariance_as_a_vector() -> None:
    """A vector of factor variances stands for a diagonal matrix."""
    F, d = np.arange(6.0).reshape(3, 2), np.ones(3)
    np.testing.assert_array_equal(
        FactorModel(F, [2.0, 3.0], d).toarray(), FactorModel(F, np.diag([2.0, 3.0]), d).toarray()
    )


def test_slight_asymmetry_is_averaged() -> None:
    """A Q that is symmetric up to rounding is taken as the mean of itself and its transpose."""
    problem = Problem(Q=[[1.0, 0.5], [0.5 + 1e-12, 1.0]])
    matrix = problem.Q.toarray()
    assert matrix[0, 1] == matrix[1, 0] == pytest.approx(0.5)


def test_left_out_is_zero_or_no_limit() -> None:
    """Costs and matrices left out are zero, limits infinite, and nothing is switched."""
    problem = Problem(q=[1.0, 2.0], binaries=3, A=[1.0, 1.0], B=[[1, 1, 0]])
    assert (problem.n, problem.m, problem.rows) == (2, 3, 1)
    assert problem.is_linear
    assert problem.offset == 0.0
    np.testing.assert_array_equal(problem.p, np.zeros(3))
    assert problem.G.shape == (1, 3)
    for low, high in (("row_lower", "row_upper"), ("b_lower", "b_upper"), ("x_lower", "x_upper")):
        assert np.isneginf(getattr(problem, low)).all()
        assert np.isposinf(getattr(problem, high)).all()
    assert not problem.switched.any()


def test_numbers_are_repeated() -> None:
    """A number stands for a vector of it, for costs and limits alike."""
    one = Problem(
        Q=[1.0, 1.0], q=2.0, p=3.0, binaries=2, x_lower=0.1, x_upper=1, switch=[0, 1], A=np.eye(2), row_upper=4
    )
    two = Problem(
        Q=[1.0, 1.0],
        q=[2, 2],
        p=[3, 3],
        x_lower=[0.1, 0.1],
        x_upper=[1, 1],
        switch=[0, 1],
        A=np.eye(2),
        row_upper=[4, 4],
    )
    assert one.hash == two.hash


def test_empty_problem() -> None:
    """A problem of nothing is a problem; its objective is the offset."""
    problem = Problem(offset=3.0)
    assert (problem.n, problem.m, problem.rows) == (0, 0, 0)
    assert problem.objective([], []) == 3.0
    assert problem.violation([], []) == 0.0


def test_number_of_binaries_from_the_switch() -> None:
    """Where nothing else says how many binaries there are, the largest switch does."""
    assert Problem(q=[1, 1], switch=[4, -1]).m == 5
    assert Problem(q=[1, 1], switch=[4, -1], binaries=9).m == 9
    assert Problem(q=[1.0], switch=[0.0]).switch.dtype == np.intp


def test_bounds_given() -> None:
    """Switched off means zero, also where the bound is infinite; no switch means always on."""
    problem = Problem(**data())
    low, high = problem.bounds_given([True, False])
    np.testing.assert_array_equal(low, [0.1, 0.0, 0.0])
    np.testing.assert_array_equal(high, [1.0, 0.0, 5.0])
    low, high = problem.bounds_given([False, True])
    np.testing.assert_array_equal(low, [0.0, -1.0, 0.0])
    np.testing.assert_array_equal(high, [0.0, INF, 5.0])


@pytest.mark.parametrize(
    ("x", "b", "expected"),
    [
        ([1.0, 0.0, 0.0], [1, 0], 1.0),  # row1: 3 b0 <= 2
        ([0.0, 1.0, 0.0], [0, 1], 0.0),
        ([0.0, 1.5, 0.0], [0, 1], 1.0),  # row1: 3 <= 2 by 1; row0 by 0.5
        ([0.0, 1.25, -0.25], [0, 1], 0.75),  # row1: 2.75 <= 2
        ([0.0, 0.875, -0.25], [0, 1], 0.375),  # row0: 0.625 = 1; x2 >= 0 only by 0.25
        ([0.25, 0.75, 0.0], [0, 1], 0.25),  # x0 though its switch is off
        ([0.0, 0.0, 1.0], [0, 0], 1.0),  # b0 + b1 >= 1
        ([0.0, 1.0, 0.0], [0, 0.75], 0.25),  # b1 is no binary; b0 + b1 >= 1 by as much
        ([0.0, 1.0, 0.0], [0, 2], 1.0),
        ([0.0, 1.0, 0.0], [-1, 1], 1.0),
    ],
)
def test_violation_by_hand(x: list[float], b: list[float], expected: float) -> None:
    """The largest violation of any row, bound, link, binary row or of b in {0, 1}, in the caller's units."""
    assert Problem(**data()).violation(x, b) == pytest.approx(expected)


def test_violation_of_a_nan_point_is_not_zero() -> None:
    """A point that is no number must not pass for feasible."""
    problem = Problem(**data())
    assert not problem.violation([NAN, 1.0, 0.0], [0, 1]) <= 1e-6


def test_names_and_their_defaults() -> None:
    """Names are kept as strings; x0, b0, row0, brow0 and so on where none are given."""
    problem = Problem(**data())
    assert problem.x_names == ("x0", "x1", "x2")
    assert problem.b_names == ("b0", "b1")
    assert problem.row_names == ("row0", "row1")
    assert problem.b_row_names == ("brow0",)
    named = Problem(**data(x_names=["u", "v", 3], b_names="yz", row_names=("r", "s"), b_row_names=["count"]))
    assert named.x_names == ("u", "v", "3")
    assert named.b_names == ("y", "z")
    assert named.row_names == ("r", "s")
    assert named.b_row_names == ("count",)


def test_describe() -> None:
    """One line with the kind and every size; the repr holds it too."""
    text = Problem(**data()).describe()
    assert text == "MIQP (dense Q): 3 continuous (2 switched), 2 binary, 2 rows, 1 binary rows"
    assert text in repr(Problem(**data()))
    assert Problem(q=[1.0], binaries=1).describe().startswith("MILP: 1 continuous (0 switched), 1 binary")
    assert "(zero Q)" not in Problem(Q=np.zeros((3, 3))).describe()


# Immutable


@pytest.mark.parametrize("name", ["q", "Q", "offset", "A", "row_lower", "switch", "x_names"])
def test_attributes_cannot_be_set(name: str) -> None:
    """Setting an attribute is refused, and the message says what to do instead."""
    problem = Problem(**data())
    with pytest.raises(AttributeError, match=f"immutable.*{name}"):
        setattr(problem, name, getattr(problem, name))


@pytest.mark.parametrize(
    "name", ["q", "p", "row_lower", "row_upper", "b_lower", "b_upper", "x_lower", "x_upper", "switch", "switched"]
)
def test_vectors_are_read_only(name: str) -> None:
    """No entry of a vector can be written."""
    with pytest.raises(ValueError, match="read-only"):
        getattr(Problem(**data()), name)[0] = 1


@pytest.mark.parametrize("name", ["A", "G", "B"])
def test_matrices_are_read_only(name: str) -> None:
    """No entry of a sparse matrix can be written."""
    with pytest.raises(ValueError, match="read-only"):
        getattr(Problem(**data()), name).data[0] = 1


def form(kind: str) -> Any:
    """A Q of each kind that could share memory with what the caller holds."""
    matrix = np.array([[2.0, 1.0], [1.0, 2.0]])
    if kind == "factor":
        return FactorModel(np.ones((2, 1)), [[1.0]], np.ones(2))
    return {"dense": matrix, "sparse": sparse.csr_array(matrix), "diagonal": np.ones(2)}[kind]


def arrays_of(Q: Any) -> list[np.ndarray]:
    """The numbers a caller can reach in a Q, given or taken from a Problem."""
    names = ("matrix", "values", "root", "loadings", "factor_covariance", "specific_variance")
    inside = [getattr(Q, name) for name in names if hasattr(Q, name)] or [Q]
    return [part.data if sparse.issparse(part) else part for part in inside]


@pytest.mark.parametrize(
    "kind",
    [
        "dense",
        "diagonal",
        "factor",
        pytest.param("sparse"),
    ],
)
def test_quadratic_form_is_read_only(kind: str) -> None:
    """No entry of Q can be written through the problem."""
    for array in arrays_of(Problem(Q=form(kind)).Q):
        assert not array.flags.writeable


@pytest.mark.parametrize(
    "kind",
    [
        "dense",
        "diagonal",
        pytest.param("sparse"),
    ],
)
def test_quadratic_form_is_a_copy(kind: str) -> None:
    """Writing into what was given as Q afterwards does not change the problem."""
    given = form(kind)
    problem = Problem(Q=given)
    before = problem.objective([1.0, 2.0], [])
    arrays_of(given)[0].flat[0] = 99.0
    assert problem.objective([1.0, 2.0], []) == before


def test_vectors_and_matrices_are_copies() -> None:
    """Writing into what was given afterwards does not change the problem."""
    given = {
        name: sparse.csr_array(value) if name in "AGB" else np.array(value)
        for name, value in data().items()
        if name not in ("Q", "offset")
    }
    problem = Problem(**{**data(), **given})
    before = Problem(**data()).hash
    for array in given.values():
        (array.data if sparse.issparse(array) else array)[0] = 0
    assert problem.hash == before


# The hash


@pytest.mark.parametrize(
    "change",
    [
        {"Q": [[2.0, 0.5, 0.0], [0.5, 1.0, 0.25], [0.0, 0.25, 3.0 + 1e-12]]},
        {"Q": [2.0, 1.0, 3.0]},
        {"Q": None},
        {"q": [1.0, -2.0, 0.5 + 1e-15]},
        {"p": [4.0, 0.25]},
        {"offset": 7.5},
        {"A": [[1.0, 1.0, 1.0], [2.0, 0.0, -1.0]]},
        {"A": [[1.0, 1.0, 1.0], [0.0, 2.0, -1.5]]},
        {"G": [[0.0, 0.0], [0.0, 3.0]]},
        {"G": None},
        {"row_lower": [1.0, -9.0]},
        {"row_upper": [1.0, 3.0]},
        {"B": [[1.0, 2.0]]},
        {"b_lower": [0.0]},
        {"b_upper": [1.0]},
        {"x_lower": [0.2, -1.0, 0.0]},
        {"x_upper": [1.0, INF, 6.0]},
        {"switch": [1, 0, -1]},
        {"switch": [0, 1, 1]},
        {"x_names": ["x0", "x1", "z"]},
        {"b_names": ["b1", "b0"]},
        {"row_names": ["a", "b"]},
        {"b_row_names": ["count"]},
    ],
    ids=str,
)
def test_hash_sees_every_change(change: dict[str, Any]) -> None:
    """Any change of the data or of a name changes the hash."""
    assert Problem(**data(**change)).hash != Problem(**data()).hash


def test_hash_does_not_see_how_data_were_given() -> None:
    """Lists, arrays, integer types and sparse matrices of the same numbers have one hash."""
    arrays = {name: np.array(v) for name, v in data().items() if name != "offset"}
    matrices = {name: sparse.coo_array(np.array(data()[name])) for name in ("A", "G", "B")}
    other = Problem(**{**arrays, **matrices}, offset=7, binaries=2)
    assert other.hash == Problem(**data()).hash


# The paper's letters


def prim_by_hand(**changes: Any) -> Problem:
    """What prim(Q, q, A, c_a, L, U, B, c_b) must be, in Problem's words."""
    arguments: dict[str, Any] = {
        "Q": [2.0, 3.0], "q": [1.0, 1.0], "A": [[1.0, 1.0]], "row_lower": [1.0], "row_upper": [1.0],
        "B": [[1.0, 1.0]], "b_lower": [1.0], "b_upper": [1.0], "x_lower": [0.1, 0.1], "x_upper": [1.0, 1.0],
        "switch": [0, 1],
    }  # fmt: skip
    return Problem(**{**arguments, **changes})


@pytest.mark.parametrize(
    ("L", "U"),
    [
        (0.1, 1.0),
        ([0.1, 0.1], 1),
        (np.diag([0.1, 0.1]), [1.0, 1.0]),
        (0.1, np.eye(2)),
        (sparse.csr_array(0.1 * np.eye(2)), sparse.csr_array(np.eye(2))),
    ],
    ids=["numbers", "vector and number", "matrix and vector", "number and matrix", "sparse matrices"],
)
def test_prim_takes_numbers_vectors_and_matrices(L: Any, U: Any) -> None:
    """L and U as a number, a vector or a matrix give the same problem."""
    problem = Problem.prim([2.0, 3.0], [1.0, 1.0], [[1.0, 1.0]], [1.0], L, U, [[1.0, 1.0]], [1.0])
    assert problem.hash == prim_by_hand().hash


def test_prim_with_shared_switches() -> None:
    """A matrix with two rows on one binary switches both x by it; L may be zero where U names it."""
    L = np.array([[0.1, 0.0], [0.0, 0.0], [0.0, -0.5]])
    U = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 3.0]])
    problem = Problem.prim(np.eye(3), None, None, None, L, U)
    np.testing.assert_array_equal(problem.switch, [0, 0, 1])
    np.testing.assert_array_equal(problem.x_lower, [0.1, 0.0, -0.5])
    np.testing.assert_array_equal(problem.x_upper, [1.0, 2.0, 3.0])
    assert problem.m == 2


def test_prim_with_zero_and_a_matrix() -> None:
    """L = 0 names no binary, so a U that shares switches can stand beside it."""
    U = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 3.0]])
    problem = Problem.prim(np.eye(3), None, None, None, 0.0, U)
    np.testing.assert_array_equal(problem.switch, [0, 0, 1])
    np.testing.assert_array_equal(problem.x_lower, np.zeros(3))


def test_prim_size_from_what_is_given() -> None:
    """Without Q the size comes from q, A, or a vector L or U; names pass through."""
    assert Problem.prim(None, [1.0, 2.0], None, None, 0.0, 1.0).n == 2
    assert Problem.prim(None, None, [[1.0, 2.0, 3.0]], [1.0], 0.0, 1.0).n == 3
    assert Problem.prim(None, None, sparse.eye_array(3), np.ones(3), 0.0, 1.0).n == 3
    problem = Problem.prim(None, None, None, None, 0.0, [1.0, 2.0], x_names=["u", "v"])
    assert problem.x_names == ("u", "v")
    assert problem.m == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((None, None, None, None, 0.0, 1.0), ("Q, q and A", "how many variables")),
        ((np.eye(2), None, None, None, np.eye(2), np.eye(2)[::-1]), ("L[0]", "U[0]", "same")),
        ((np.eye(2), None, None, None, 0 * np.eye(2), np.diag([1.0, 0.0])), ("row 1", "L and U", "x[1]")),
        ((np.eye(2), None, None, None, 0.0, np.ones((2, 2))), ("U[0]", "several nonzeros")),
        ((np.eye(2), None, None, None, np.zeros((3, 2)), 1.0), ("L", "(3, 2)")),
        ((np.eye(2), None, None, None, [0.0, 0.0, 0.0], 1.0), ("L", "(3,)")),
        ((np.eye(2), None, [[1.0, 1.0]], [1.0, 2.0], 0.0, 1.0), ("row_lower", "(2,)", "(1,)")),
    ],
)
def test_prim_refuses(arguments: tuple[Any, ...], words: tuple[str, ...]) -> None:
    """Letters that contradict each other are named in the message."""
    with pytest.raises(ProblemError) as caught:
        Problem.prim(*arguments)
    for word in words:
        assert word in str(caught.value)


# What is refused


@pytest.mark.parametrize("value", [NAN, INF, -INF])
@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("Q", "Q[1, 1]"),
        ("q", "q[1]"),
        ("p", "p[1]"),
        ("offset", "offset"),
        ("A", "A[1, 2]"),
        ("G", "G[1, 0]"),
        ("B", "B[0, 1]"),
    ],
)
def test_entries_that_are_not_finite(name: str, where: str, value: float) -> None:
    """NaN and infinite entries are refused in every argument; the message says which entry."""
    if name == "offset":
        bad: Any = value
    else:
        bad = np.array(data()[name])
        bad[tuple(int(i) for i in where[where.index("[") + 1 : -1].split(","))] = value
    message = refusal(**{name: bad})
    assert message.startswith(where + " is ")
    assert "finite" in message


@pytest.mark.parametrize("value", [NAN, INF])
@pytest.mark.parametrize("name", ["Q", "A", "G", "B"])
def test_sparse_entries_that_are_not_finite(name: str, value: float) -> None:
    """The same for sparse matrices."""
    matrix = np.array(data()[name])
    matrix[-1, -1] = value
    message = refusal(**{name: sparse.csr_array(matrix)})
    assert message.startswith(name)
    assert "finite" in message


def test_sparse_entry_is_named_by_row_and_column() -> None:
    """The entry of a sparse Q that is NaN is named as that of a dense one."""
    message = refusal(Q=sparse.diags_array([1.0, 0.0, NAN]).tocsr(), switch=None, B=None, b_lower=None, b_upper=None)
    assert message.startswith("Q[2, 2] is NaN")


@pytest.mark.parametrize("name", ["row_lower", "row_upper", "b_lower", "b_upper", "x_lower", "x_upper"])
def test_limits_that_are_nan_or_impossible(name: str) -> None:
    """A limit may be infinite, but not NaN, and not infinite on the side where nothing satisfies it."""
    size = len(data()[name])
    bad = np.array(data()[name], dtype=float)
    bad[size - 1] = NAN
    message = refusal(**{name: bad})
    assert message.startswith(f"{name}[{size - 1}] is NaN")
    bad[size - 1] = INF if name.endswith("lower") else -INF
    assert refusal(**{name: bad}).startswith(f"{name}[{size - 1}] is {'inf' if name.endswith('lower') else '-inf'}")


@pytest.mark.parametrize(
    ("change", "first", "second"),
    [
        ({"q": [1.0, 2.0]}, "Q", "q"),
        ({"A": [[1.0, 1.0], [1.0, 1.0]]}, "Q", "A's columns"),
        ({"x_lower": [0.0, 0.0]}, "Q", "x_lower"),
        ({"x_upper": [0.0, 0.0, 1.0, 1.0]}, "Q", "x_upper"),
        ({"switch": [0, 1]}, "Q", "switch"),
        ({"x_names": ["a", "b"]}, "Q", "x_names"),
        ({"p": [1.0]}, "p", "G's columns"),
        ({"G": [[0.0] * 3, [0.0] * 3]}, "p", "G's columns"),
        ({"B": [[1.0, 1.0, 1.0]]}, "p", "B's columns"),
        ({"b_names": ["a"]}, "p", "b_names"),
        ({"binaries": 3}, "binaries", "p"),
        ({"G": [[0.0, 0.0]]}, "A", "G"),
        ({"row_names": ["a", "b", "c"]}, "A", "row_names"),
        ({"Q": np.eye(4)}, "Q", "4"),
    ],
    ids=str,
)
def test_sizes_that_disagree(change: dict[str, Any], first: str, second: str) -> None:
    """Two arguments that are for different sizes are both named."""
    message = refusal(**change)
    assert message.startswith(first)
    assert second in message
    assert "sizes must agree" in message


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"row_lower": [1.0]}, ("row_lower", "(1,)", "(2,)")),
        ({"row_upper": [[1.0, 2.0]]}, ("row_upper", "(1, 2)", "(2,)")),
        ({"b_lower": [1.0, 1.0]}, ("b_lower", "(2,)", "(1,)")),
        ({"b_row_names": ["a", "b"]}, ("b_row_names", "2", "1")),
        ({"q": np.zeros((3, 1))}, ("q", "(3, 1)", "(3,)")),
        ({"A": np.zeros((2, 3, 1))}, ("A", "3 dimensions", "matrix")),
        ({"Q": np.zeros((3, 2))}, ("Q", "(3, 2)", "square")),
        ({"Q": np.zeros((3, 3, 3))}, ("Q", "(3, 3, 3)", "square")),
        ({"Q": sparse.csr_array(np.ones((3, 2)))}, ("Q", "(3, 2)", "square")),
        ({"switch": [[0, 1, -1]]}, ("switch", "(1, 3)", "(3,)")),
        ({"switch": 0}, ("switch", "()", "(3,)")),
    ],
    ids=str,
)
def test_shapes(change: dict[str, Any], words: tuple[str, ...]) -> None:
    """A shape that is wrong is named together with the one it must be."""
    message = refusal(**change)
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"Q": [[1.0, 0.5, 0], [0.2, 1.0, 0], [0, 0, 1]]}, ("Q[0, 1] = 0.5", "Q[1, 0] = 0.2", "symmetric")),
        (
            {"Q": sparse.csr_array([[1.0, 0.5, 0], [0.2, 1.0, 0], [0, 0, 1]])},
            ("Q[0, 1] = 0.5", "Q[1, 0] = 0.2", "symmetric"),
        ),
        ({"Q": [[1.0, 2.0, 0], [2.0, 1.0, 0], [0, 0, 1]]}, ("Q", "indefinite", "eigenvalue -1)", "semidefinite")),
        (
            {"Q": sparse.csr_array([[1.0, 2.0, 0], [2.0, 1.0, 0], [0, 0, 1]])},
            ("Q", "indefinite", "eigenvalue -1)", "semidefinite"),
        ),
        ({"Q": [1.0, -0.25, 1.0]}, ("Q", "indefinite", "eigenvalue -0.25)", "semidefinite")),
        ({"Q": np.diag([1.0, -0.25, 1.0])}, ("Q", "indefinite", "eigenvalue -0.25)")),
        ({"x_lower": [0.1, -1.0, 6.0]}, ("x_lower[2] = 6", "x_upper[2] = 5", "lower must not exceed upper")),
        ({"row_lower": [1.5, 0.0]}, ("row_lower[0] = 1.5", "row_upper[0] = 1")),
        ({"b_upper": [0.0]}, ("b_lower[0] = 1", "b_upper[0] = 0")),
        ({"switch": [0, 1, -2]}, ("switch[2] is -2", "-1 for none")),
        ({"switch": [0, 2, -1]}, ("switch[1] is 2", "2 binaries", "below 2")),
        ({"switch": [0, 0.5, -1]}, ("switch", "whole number")),
        ({"switch": [0, NAN, -1]}, ("switch", "whole number")),
        ({"switch": ["a", "b", "c"]}, ("switch", "whole number")),
        ({"binaries": -1}, ("binaries is -1", "zero or more")),
        ({"binaries": 2.5}, ("binaries is 2.5", "whole number")),
        ({"binaries": True}, ("binaries is True", "whole number")),
        ({"x_names": ["a", "b", "a"]}, ("x_names", "'a' twice", "unique")),
        ({"b_names": ["a", "a"]}, ("b_names", "'a' twice", "unique")),
        ({"row_names": ["r", "r"]}, ("row_names", "'r' twice", "unique")),
        ({"A": None, "G": None}, ("row_lower or row_upper", "A or G")),
        ({"A": None, "G": None, "row_lower": None}, ("row_lower or row_upper", "A or G")),
        ({"B": None}, ("b_lower or b_upper", "without B")),
        ({"B": None, "b_lower": None}, ("b_lower or b_upper", "without B")),
        ({"q": ["a", "b", "c"]}, ("q", "not numeric")),
        ({"Q": "what"}, ("Q", "not numeric")),
        ({"A": [["a"]]}, ("A", "not numeric")),
    ],
    ids=str,
)
def test_rules(change: dict[str, Any], words: tuple[str, ...]) -> None:
    """Every rule that is broken is named with the argument, the entry and its value."""
    message = refusal(**change)
    for word in words:
        assert word in message


UNTYPED = "an argument of the wrong type ends in Python's or NumPy's own error, not a ProblemError"


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"switch": [0, INF, -1]}),
        pytest.param({"q": [[1.0, 2.0], [3.0]]}),
        pytest.param({"offset": "a"}),
        pytest.param({"offset": None}),
        pytest.param({"binaries": "a"}),
        pytest.param({"binaries": NAN}),
        pytest.param({"binaries": INF}),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
def test_types(change: dict[str, Any]) -> None:
    """What is no number at all is refused by a message that names the argument."""
    assert next(iter(change)) in refusal(**change)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((np.ones(3), [[1.0]], np.ones(3)), ("loadings", "matrix")),
        ((np.ones((3, 1)), np.eye(2), np.ones(3)), ("factor_covariance", "(2, 2)", "(1, 1)")),
        ((np.ones((3, 1)), [[1.0]], np.ones(2)), ("specific_variance", "(2,)", "(3,)")),
        ((np.ones((3, 1)), [[1.0]], [1.0, -0.5, 1.0]), ("specific_variance[1] is -0.5", "zero or positive")),
        ((np.ones((3, 2)), [[1.0, 2.0], [0.0, 1.0]], np.ones(3)), ("factor_covariance[0, 1] = 2", "symmetric")),
        ((np.ones((3, 2)), [[1.0, 2.0], [2.0, 1.0]], np.ones(3)), ("factor_covariance", "eigenvalue -1)")),
        (([[1.0], [NAN], [1.0]], [[1.0]], np.ones(3)), ("loadings[1, 0] is NaN",)),
        ((np.ones((3, 1)), [[INF]], np.ones(3)), ("factor_covariance[0, 0] is infinite",)),
        ((np.ones((3, 1)), [[1.0]], [1.0, 1.0, NAN]), ("specific_variance[2] is NaN",)),
    ],
)
def test_factor_model_refuses(arguments: tuple[Any, ...], words: tuple[str, ...]) -> None:
    """A factor model with data that are no factor model is refused before any Problem is built."""
    with pytest.raises(ProblemError) as caught:
        FactorModel(*arguments)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    "Q",
    [
        np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 1.0 - 1e-14]]),
        sparse.csr_array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 1.0 - 1e-14]]),
    ],
    ids=["dense", "sparse"],
)
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
@pytest.mark.parametrize("unit", [1.0, 1e-6, 1e6])
def test_semidefinite_up_to_rounding(Q: Any, scale: float, unit: float) -> None:
    """Q may be indefinite by rounding, x by x; what is lacking is known, and as small as rounding."""
    S = sparse.diags_array([1.0, 1.0, unit])
    problem = Problem(Q=S @ (scale * Q) @ S)
    diagonal = problem.Q.diagonal()
    assert problem.Q.slack is not None
    assert (problem.Q.slack <= 1e-11 * diagonal).all()
    assert problem.Q.slack[2] > 0
    lowest = np.linalg.eigvalsh(problem.Q.toarray() / np.sqrt(np.outer(diagonal, diagonal)))[0]
    assert lowest >= -(problem.Q.slack / diagonal).max()


@pytest.mark.parametrize(
    "Q",
    [
        [[1.0, 3e-5], [3e-5, 0.0]],
        sparse.csr_array([[1.0, 3e-5], [3e-5, 0.0]]),
        [1.0, -5e-10],
        np.diag([1.0, -5e-10]),
        [[1.0, 1e-9], [1e-9, -1e-18]],
    ],
)
def test_what_is_negative_in_its_own_units_is_refused(Q: Any) -> None:
    """However small beside the rest: x may be as large as its curvature is small."""
    with pytest.raises(ProblemError, match="indefinite"):
        Problem(Q=Q)


# Facts of the mathematics


@pytest.mark.parametrize("bounds", BOUNDS)
@pytest.mark.parametrize("quadratic", QUADRATIC)
def test_permuting_permutes(quadratic: str, bounds: str) -> None:
    """Reordering x, b and rows reorders the data: values and violations of points stay."""
    recipe = Recipe(seed=3, quadratic=quadratic, bounds=bounds, unswitched=1, mixed_rows=True, costs=True)
    problem = make(recipe)
    rng = np.random.default_rng(4)
    of_x, of_b, of_rows = (rng.permutation(k) for k in (problem.n, problem.m, problem.rows))
    place = np.append(np.argsort(of_b), -1)  # where each binary went; -1 stays -1
    permuted = Problem(
        Q=problem.Q.toarray()[np.ix_(of_x, of_x)], q=problem.q[of_x], p=problem.p[of_b], offset=problem.offset,
        A=problem.A[of_rows][:, of_x], G=problem.G[of_rows][:, of_b],
        row_lower=problem.row_lower[of_rows], row_upper=problem.row_upper[of_rows],
        B=problem.B[:, of_b], b_lower=problem.b_lower, b_upper=problem.b_upper,
        x_lower=problem.x_lower[of_x], x_upper=problem.x_upper[of_x], switch=place[problem.switch[of_x]],
    )  # fmt: skip
    for _ in range(5):
        x, b = rng.normal(size=problem.n), rng.random(problem.m) < 0.5
        assert permuted.objective(x[of_x], b[of_b]) == pytest.approx(problem.objective(x, b), rel=1e-12)
        assert permuted.violation(x[of_x], b[of_b]) == pytest.approx(problem.violation(x, b), rel=1e-12)


@pytest.mark.parametrize("quadratic", QUADRATIC[1:])
def test_rescaling_changes_no_digit(quadratic: str) -> None:
    """Powers of two on the columns and on the objective, there and back: the same bits, in every form."""
    problem = make(Recipe(seed=8, quadratic=quadratic))
    form = problem.Q
    rng = np.random.default_rng(0)
    columns, x = rng.integers(-30, 31, form.n), rng.normal(size=form.n)
    scaled = form.rescaled(columns, 7)
    assert scaled.kind == form.kind
    assert scaled.value(np.ldexp(x, -columns)) == pytest.approx(2.0**7 * form.value(x), rel=1e-12)
    for one, other in zip(scaled.rescaled(-columns, -7).parts(), form.parts(), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("quadratic", QUADRATIC)
def test_parts_of_a_form_agree_with_its_matrix(quadratic: str) -> None:
    """Products, diagonal, blocks and the sparse plus low-rank split all tell of one matrix."""
    form = make(Recipe(seed=9, quadratic=quadratic, binaries=7)).Q
    matrix = form.toarray()
    x = np.random.default_rng(1).normal(size=form.n)
    tolerance = 1e-12 * (1 + np.abs(matrix).max())
    np.testing.assert_allclose(form.matvec(x), matrix @ x, atol=10 * tolerance)
    np.testing.assert_allclose(form.diagonal(), np.diag(matrix), atol=tolerance)
    rows, columns = np.array([4, 0, 2]), np.array([0, 1, 4, 6])
    np.testing.assert_allclose(form.block(rows, columns), matrix[np.ix_(rows, columns)], atol=tolerance)
    P, T = form.split()
    np.testing.assert_allclose(P.toarray() + (0 if T is None else T @ T.T), matrix, atol=tolerance)


@pytest.mark.parametrize("binary_rows", BINARY_ROWS)
def test_violation_agrees_with_a_loop(binary_rows: str) -> None:
    """violation() on random points, against the definition written as loops."""
    recipe = Recipe(seed=12, binary_rows=binary_rows, shared=True, unswitched=2, mixed_rows=True, inequalities=2)
    problem = make(recipe)
    rng = np.random.default_rng(2)
    for _ in range(20):
        x, b = rng.normal(size=problem.n), rng.random(problem.m) < 0.5
        worst = [0.0]
        for j in range(problem.n):
            s = problem.switch[j]
            on = 1.0 if s < 0 else float(b[s])
            low = problem.x_lower[j] * on if on else 0.0
            high = problem.x_upper[j] * on if on else 0.0
            worst += [low - x[j], x[j] - high]
        for matrix, low_limits, high_limits in (
            (np.hstack([problem.A.toarray(), problem.G.toarray()]), problem.row_lower, problem.row_upper),
            (
                np.hstack([np.zeros((problem.B.shape[0], problem.n)), problem.B.toarray()]),
                problem.b_lower,
                problem.b_upper,
            ),
        ):
            for line, low, high in zip(matrix, low_limits, high_limits, strict=True):
                activity = float(line @ np.concatenate([x, b]))
                worst += [low - activity, activity - high]
        assert problem.violation(x, b) == pytest.approx(max(worst), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("size", [1.0, 1e-8])
def test_sparse_q_with_a_zero_diagonal_is_indefinite(size: float) -> None:
    """Entries beside a diagonal of zeros are no rounding, however small: the form is refused, not read as linear."""
    with pytest.raises(ProblemError, match="indefinite"):
        Problem(Q=sparse.csr_array([[0.0, size], [size, 0.0]]), x_lower=0, x_upper=1, switch=[0, 1])
