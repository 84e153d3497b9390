"""Portfolio: the rows it builds, what it refuses, and what it reads back."""

from __future__ import annotations

import dataclasses
import itertools
import pickle
import re
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.optimize import linprog, minimize

import hybridmip as hm
from hybridmip.applications.portfolio import Group, Portfolio
from hybridmip.errors import ArgumentError, HybridMIPError, ProblemError
from hybridmip.io.orlib import read_port, read_portef
from hybridmip.model.quadratic import FactorModel

RETURNS = np.array([0.001, 0.004, 0.002, 0.003])
NAMES = ["A", "B", "C", "D"]


def covariance(n: int = 4, seed: int = 0) -> np.ndarray:
    """A positive definite matrix of the size of weekly variances."""
    root = np.random.default_rng(seed).normal(size=(n, 2 * n)) * 0.03
    return root @ root.T / (2 * n) + 1e-4 * np.eye(n)


def answer(portfolio: Portfolio, x: np.ndarray) -> types.SimpleNamespace:
    """What `read` uses of a result: the problem, a point, a status and how good it is."""
    return types.SimpleNamespace(
        problem=portfolio.problem(), x=x, b=x != 0, status="feasible", objective=1.0, bound=0.9, gap=0.1,
        suggested_time_limit=30.0,
    )  # fmt: skip


def test_rows_and_names_of_the_problem():
    """Every option becomes the row it should, with its name and its limits."""
    portfolio = Portfolio(
        RETURNS,
        covariance(),
        names=NAMES,
        assets=(1, 3),
        min_weight=0.1,
        max_weight=0.7,
        target_return=0.0025,
        groups={
            "tech": Group(["A", 2], max_assets=1, max_weight=0.4),
            "rest": {"members": ["B", "D"], "min_assets": 1, "min_weight": 0.2},
        },
    )
    problem = portfolio.problem()
    assert problem.row_names == ("budget", "return", "weight of tech", "weight of rest")
    assert problem.b_row_names == ("assets", "count of tech", "count of rest")
    assert problem.x_names == problem.b_names == tuple(NAMES)
    np.testing.assert_array_equal(problem.A.toarray(), [[1, 1, 1, 1], RETURNS, [1, 0, 1, 0], [0, 1, 0, 1]])
    np.testing.assert_array_equal(problem.row_lower, [1, 0.0025, -np.inf, 0.2])
    np.testing.assert_array_equal(problem.row_upper, [1, 0.0025, 0.4, np.inf])
    np.testing.assert_array_equal(problem.B.toarray(), [[1, 1, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1]])
    np.testing.assert_array_equal(problem.b_lower, [1, 0, 1])
    np.testing.assert_array_equal(problem.b_upper, [3, 1, 2])
    np.testing.assert_array_equal(problem.switch, range(4))
    assert (problem.x_lower == 0.1).all()
    assert (problem.x_upper == 0.7).all()


def test_only_what_is_asked_for_becomes_a_row():
    """Without a count, a target or limits of a group there is the budget row alone."""
    problem = Portfolio(RETURNS, covariance(), groups={"g": Group([0, 1])}).problem()
    assert problem.row_names == ("budget",)
    assert problem.b_row_names == ()
    assert problem.m == 4


@pytest.mark.parametrize(("sense", "upper"), [("equal", 0.002), ("at_least", np.inf)])
def test_return_sense(sense, upper):
    """`equal` fixes the return, `at_least` leaves it open upwards."""
    problem = Portfolio(RETURNS, covariance(), target_return=0.002, return_sense=sense).problem()
    assert (problem.row_lower[1], problem.row_upper[1]) == (0.002, upper)


@pytest.mark.parametrize(
    ("assets", "limits"),
    [(2, (2, 2)), ((None, 3), (0, 3)), ((2, None), (2, 4)), ([1, 9], (1, 4)), (np.int64(3), (3, 3))],
)
def test_asset_counts(assets, limits):
    """A number is exact, a pair is a range with either end open."""
    problem = Portfolio(RETURNS, covariance(), assets=assets).problem()
    assert (problem.b_lower[0], problem.b_upper[0]) == limits


@pytest.mark.parametrize(
    "form",
    [
        lambda V: V,
        lambda V: V.tolist(),
        lambda V: sparse.csr_array(V),
        lambda V: pd.DataFrame(V, index=NAMES, columns=NAMES),
        lambda V: FactorModel(np.linalg.cholesky(V), np.ones(4), np.zeros(4)),
    ],
    ids=["array", "list", "sparse", "frame", "factors"],
)
def test_covariance_forms_agree(form):
    """Variance and objective are x'Vx whatever form the covariance comes in."""
    V = covariance()
    x = np.array([0.5, 0.2, 0.0, 0.3])
    portfolio = Portfolio(RETURNS, form(V), names=NAMES)
    assert portfolio.variance(x) == pytest.approx(x @ V @ x, rel=1e-12)
    assert portfolio.problem().objective(x, x != 0) == pytest.approx(x @ V @ x, rel=1e-12)
    assert portfolio.portfolio_return(x) == pytest.approx(RETURNS @ x, rel=1e-14)


def test_diagonal_covariance():
    """A vector is a diagonal covariance."""
    portfolio = Portfolio(RETURNS, [1.0, 2.0, 3.0, 4.0])
    assert portfolio.variance([0.5, 0.5, 0, 0]) == pytest.approx(0.75)


def test_pandas_data_are_matched_by_name():
    """A Series and a DataFrame in different orders give the model of the same assets."""
    V = covariance()
    shuffled = ["C", "A", "D", "B"]
    frame = pd.DataFrame(V, NAMES, NAMES).loc[["D", "B", "A", "C"], shuffled]
    portfolio = Portfolio(
        pd.Series(RETURNS, NAMES),
        frame,
        min_weight=pd.Series([0.3, 0.1, 0.4, 0.2], shuffled),
        max_weight={"D": 0.5},
    )
    assert portfolio.names == tuple(NAMES)
    np.testing.assert_array_equal(portfolio.covariance.toarray(), V)
    np.testing.assert_array_equal(portfolio.min_weight, [0.1, 0.2, 0.3, 0.4])
    np.testing.assert_array_equal(portfolio.max_weight, [1, 1, 1, 0.5])


def test_names_order_a_series():
    """`names` sets the order, and a labelled Series follows it."""
    portfolio = Portfolio(pd.Series(RETURNS, NAMES), covariance(), names=NAMES[::-1])
    np.testing.assert_array_equal(portfolio.returns, RETURNS[::-1])


def test_names_from_the_covariance_or_made_up():
    """An array takes the covariance's names; a plain range index counts as none."""
    assert Portfolio(RETURNS, pd.DataFrame(covariance(), NAMES, NAMES)).names == tuple(NAMES)
    plain = Portfolio(pd.Series(RETURNS), pd.DataFrame(covariance()))
    assert plain.names == ("asset1", "asset2", "asset3", "asset4")


def test_permuting_assets_permutes_the_problem():
    """The model of permuted assets is the permuted model."""
    order = np.array([2, 0, 3, 1])
    V = covariance()
    one = Portfolio(RETURNS, V, names=NAMES, groups={"g": Group(["A", "D"], max_weight=0.5)}).problem()
    two = Portfolio(
        RETURNS[order],
        V[np.ix_(order, order)],
        names=[NAMES[i] for i in order],
        groups={"g": Group(["A", "D"], max_weight=0.5)},
    ).problem()
    np.testing.assert_array_equal(one.A.toarray()[:, order], two.A.toarray())
    x = np.array([0.1, 0.2, 0.3, 0.4])
    assert one.objective(x, x != 0) == pytest.approx(two.objective(x[order], x != 0), rel=1e-13)


def test_feasible_points_are_those_the_definition_allows():
    """Enumerated points on a grid violate the problem exactly when they break a stated limit."""
    portfolio = Portfolio(
        RETURNS,
        covariance(),
        assets=(2, 3),
        min_weight=0.25,
        max_weight=0.5,
        groups={"g": Group([0, 1], max_assets=1, min_weight=0.25)},
    )
    problem = portfolio.problem()
    feasible = 0
    for x in itertools.product([0.0, 0.25, 0.5, 0.75], repeat=4):
        held = [w > 0 for w in x]
        allowed = (
            abs(sum(x) - 1) < 1e-12
            and 2 <= sum(held) <= 3
            and max(x) <= 0.5
            and sum(held[:2]) <= 1
            and x[0] + x[1] >= 0.25
        )
        assert (problem.violation(x, held) < 1e-9) == allowed
        feasible += allowed
    assert feasible == 10


def test_with_target_changes_the_target_only():
    """with_target leaves the original alone and shares everything else."""
    portfolio = Portfolio(RETURNS, covariance(), assets=2, target_return=0.002)
    other = portfolio.with_target(0.003)
    assert (portfolio.target_return, other.target_return) == (0.002, 0.003)
    assert other.covariance is portfolio.covariance
    assert portfolio.with_target(None).problem().row_names == ("budget",)
    with pytest.raises(ArgumentError, match="target_return is nan"):
        portfolio.with_target(float("nan"))


def test_portfolio_is_frozen_and_owns_its_data():
    """Fields and arrays cannot be changed, neither directly nor through the caller's array."""
    returns = RETURNS.copy()
    portfolio = Portfolio(returns, covariance())
    returns[0] = 9.0
    assert portfolio.returns[0] == 0.001
    with pytest.raises(dataclasses.FrozenInstanceError):
        portfolio.budget = 2.0  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        portfolio.returns[0] = 1.0


def test_pickle_and_replace_keep_the_problem():
    """A portfolio survives a process boundary, and dataclasses.replace validates again."""
    portfolio = Portfolio(RETURNS, covariance(), names=NAMES, assets=2, groups={"g": Group(["A"], max_assets=1)})
    assert pickle.loads(pickle.dumps(portfolio)).problem().hash == portfolio.problem().hash
    assert dataclasses.replace(portfolio, assets=3).count_range == (3, 3)
    with pytest.raises(ArgumentError, match="assets is 9"):
        dataclasses.replace(portfolio, assets=9)


def test_short_positions_are_allowed():
    """A negative minimum is kept as the lower bound of a held asset, and the budget may be 0."""
    problem = Portfolio(RETURNS, covariance(), assets=2, min_weight=-0.3, max_weight=0.3, budget=0.0).problem()
    assert (problem.x_lower == -0.3).all()
    assert problem.violation([0.2, -0.2, 0, 0], [1, 1, 0, 0]) == 0


def test_ten_times_a_tenth_is_the_budget():
    """Rounding in assets * min_weight is no contradiction."""
    for n in (3, 7, 10, 49):
        Portfolio(np.zeros(n), np.ones(n), assets=n, min_weight=1 / n, max_weight=1 / n)


BAD = [
    ({"returns": [0.1, np.nan, 0.1, 0.1]}, "returns[1] (asset2) is NaN"),
    ({"returns": [0.1, 0.1, np.inf, 0.1]}, "returns[2] (asset3) is infinite"),
    ({"returns": ["a", "b", "c", "d"]}, "returns is not numeric"),
    ({"returns": [[0.1, 0.2]]}, "returns has shape (1, 2)"),
    ({"returns": []}, "returns has shape (0,)"),
    ({"returns": [0.1, 0.2]}, "covariance is for 4 assets but returns has 2"),
    ({"returns": pd.Series(RETURNS, ["A", "B", "A", "C"])}, "returns has 'A' twice"),
    ({"covariance": np.ones((4, 3))}, "covariance has shape (4, 3)"),
    ({"covariance": None}, "covariance is None"),
    ({"covariance": np.eye(4) + np.eye(4, k=1)}, "covariance must be symmetric"),
    (
        {"covariance": np.ones((4, 4)) - 0.5 * np.eye(4)},
        "covariance is indefinite (most negative eigenvalue -0.5)",
    ),
    ({"covariance": np.diag([1.0, -1.0, 1.0, 1.0])}, "covariance[1, 1] (asset2) is -1"),
    ({"covariance": np.where(np.eye(4) > 0, np.nan, 0.0)}, "covariance[0, 0] is NaN"),
    (
        {"covariance": pd.DataFrame(np.eye(4), NAMES, NAMES), "names": ["A", "B", "C", "E"]},
        "covariance lacks 'E'",
    ),
    ({"covariance": pd.DataFrame(np.eye(5), [*NAMES, "E"], [*NAMES, "E"])}, "covariance is for 5 assets"),
    ({"covariance": pd.DataFrame(np.eye(4), ["A", "A", "B", "C"], NAMES)}, "covariance has 'A' twice"),
    ({"names": ["A", "B", "A", "C"]}, "names has 'A' twice"),
    ({"names": ["A", "B"]}, "names has 2 entries but returns has 4"),
    ({"names": "ABCD"}, "names is 'ABCD'"),
    ({"assets": 5}, "assets is 5 but there are 4 to choose from"),
    ({"assets": 0}, "assets is 0; it must be at least 1"),
    ({"assets": -2}, "assets is -2"),
    ({"assets": 2.5}, "assets is 2.5; it must be a whole number"),
    ({"assets": True}, "assets is True; it must be a whole number"),
    ({"assets": "3"}, "assets is '3'; it must be a whole number"),
    ({"assets": (3, 2)}, "assets is (3, 2); the fewest must not exceed the most"),
    ({"assets": (5, None)}, "assets[0] is 5 but there are 4"),
    ({"assets": (1, 2, 3)}, "assets is (1, 2, 3); give a number, or a pair"),
    (
        {"assets": 4, "min_weight": 0.3},
        "assets * min_weight = 4 * 0.3 = 1.2 exceeds the budget 1; lower one of them",
    ),
    ({"assets": (3, 4), "min_weight": 0.4}, "assets * min_weight = 3 * 0.4 = 1.2 exceeds the budget 1"),
    ({"assets": 3, "min_weight": [0.1, 0.5, 0.6, 0.5]}, "the sum of the 3 smallest min_weight, 1.1, exceeds"),
    (
        {"assets": 2, "max_weight": 0.4},
        "assets * max_weight = 2 * 0.4 = 0.8 is below the budget 1; raise one of them",
    ),
    ({"assets": (None, 3), "max_weight": 0.3}, "assets * max_weight = 3 * 0.3 = 0.9 is below the budget 1"),
    ({"max_weight": [0.1, 0.2, 0.3, 0.2]}, "the sum of the 4 largest max_weight, 0.8, is below"),
    ({"min_weight": 0.6, "max_weight": 0.5}, "min_weight of asset1 is 0.6, above its max_weight 0.5"),
    ({"min_weight": [0.1, 0.2]}, "min_weight has shape (2,)"),
    ({"min_weight": [0, 0, np.nan, 0]}, "min_weight[2] (asset3) is NaN"),
    ({"max_weight": np.inf}, "max_weight is inf; it must be finite"),
    ({"max_weight": {"Z": 0.3}}, "max_weight names 'Z', which is no asset"),
    ({"max_weight": {"asset1": "much"}}, "max_weight['asset1'] is 'much'; it must be a number"),
    ({"min_weight": pd.Series([0.1], ["asset1"])}, "min_weight lacks 'asset2'"),
    ({"target_return": np.nan}, "target_return is nan; it must be finite"),
    ({"target_return": "high"}, "target_return is 'high'; it must be a number"),
    ({"budget": np.inf}, "budget is inf; it must be finite"),
    ({"return_sense": "about"}, "return_sense is 'about'; it must be 'equal' or 'at_least'"),
    ({"groups": [Group([0])]}, "groups must be a mapping"),
    ({"groups": {"g": ["asset1"]}}, "group 'g' is a list; give a Group or a dict"),
    ({"groups": {"g": {"max_assets": 1}}}, "group 'g' has no members"),
    ({"groups": {"g": {"members": [0], "most": 1}}}, "group 'g' has the key 'most'"),
    ({"groups": {"g": {"members": "asset1"}}}, "group 'g': members is 'asset1'"),
    ({"groups": {"g": Group([])}}, "group 'g' has no members"),
    ({"groups": {"g": Group(["asset9"])}}, "group 'g' has the member 'asset9', which is no asset"),
    ({"groups": {"g": Group([4])}}, "group 'g' has the member 4, which is no position from 0 to 3"),
    ({"groups": {"g": Group([-1])}}, "group 'g' has the member -1"),
    ({"groups": {"g": Group([1.5])}}, "group 'g' has the member 1.5"),  # type: ignore[list-item]
    ({"groups": {"g": Group([0, "asset1"])}}, "group 'g', members, has 'asset1' twice"),
    ({"groups": {"g": Group([0, 1], min_assets=3)}}, "min_assets, is 3 but it has 2 members"),
    (
        {"groups": {"g": Group([0, 1], min_assets=2, max_assets=1)}},
        "min_assets, is 2, above its max_assets 1",
    ),
    ({"groups": {"g": Group([0, 1], max_assets=-1)}}, "max_assets, is -1"),
    ({"groups": {"g": Group([0, 1], max_assets=1.5)}}, "max_assets, is 1.5"),
    (
        {"assets": 1, "groups": {"g": Group([0, 1], min_assets=2)}},
        "min_assets, is 2 but at most 1 assets are held",
    ),
    (
        {"groups": {"g": Group([0], min_weight=0.5, max_weight=0.4)}},
        "min_weight, is 0.5, above its max_weight 0.4",
    ),
    ({"groups": {"g": Group([0], max_weight=np.nan)}}, "max_weight, is nan"),
]


@pytest.mark.parametrize(("changes", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_input_is_refused_in_one_line(changes, message):
    """Each broken rule raises our own error, on one line, naming the argument."""
    given = {"returns": RETURNS, "covariance": covariance(), **changes}
    with pytest.raises((ArgumentError, ProblemError), match=re.escape(message)) as caught:
        Portfolio(**given)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, HybridMIPError)


def test_misspelled_option_is_refused():
    """No keyword is swallowed."""
    with pytest.raises(TypeError, match="min_wieght"):
        Portfolio(RETURNS, covariance(), min_wieght=0.1)  # type: ignore[call-arg]


def test_read_labels_the_weights():
    """Weights come back by name, held ones only, largest first, with return, risk and shares of it."""
    V = covariance()
    groups = {"left": Group(["A", "B"], max_assets=2), "even": Group(["B", "D"])}
    portfolio = Portfolio(RETURNS, V, names=NAMES, groups=groups)
    x = np.array([0.2, 0.5, 0.0, 0.3])
    read = portfolio.read(answer(portfolio, x))
    assert list(read.weights.items()) == [("B", 0.5), ("D", 0.3), ("A", 0.2)]
    assert read.expected_return == pytest.approx(RETURNS @ x)
    assert read.variance == pytest.approx(x @ V @ x)
    assert read.risk == pytest.approx(np.sqrt(x @ V @ x))
    table = read.table()
    assert list(table.columns) == ["weight", "expected_return", "risk_contribution", "group"]
    assert table["risk_contribution"].sum() == pytest.approx(1.0)
    assert table.loc["D", "risk_contribution"] == pytest.approx(0.3 * (V @ x)[3] / (x @ V @ x))
    assert table.loc["B", "expected_return"] == 0.004
    assert list(table["group"]) == ["left, even", "even", "left"]


def test_read_without_groups_has_no_group_column():
    """The column is there only when there are groups."""
    portfolio = Portfolio(RETURNS, np.zeros(4))
    table = portfolio.read(answer(portfolio, np.array([1.0, 0, 0, 0]))).table()
    assert list(table.columns) == ["weight", "expected_return", "risk_contribution"]


def test_shares_of_no_risk():
    """Where the variance is 0, or 0 but for rounding, there are no shares of it."""
    portfolio = Portfolio(RETURNS, np.zeros(4))
    assert portfolio.read(answer(portfolio, np.array([1.0, 0, 0, 0]))).table()["risk_contribution"].isna().all()
    # Two assets that cancel each other, but for 1e-13 of a weight.
    hedge = Portfolio(RETURNS[:2], np.array([[1.0, -1.0], [-1.0, 1.0]]) * 4e-4)
    table = hedge.read(answer(hedge, np.array([0.5 + 1e-13, 0.5]))).table()
    assert table["risk_contribution"].isna().all()
    # A variance that is small but real keeps its shares.
    tiny = Portfolio(RETURNS, 1e-12 * covariance())
    shares = tiny.read(answer(tiny, np.full(4, 0.25))).table()["risk_contribution"]
    assert shares.sum() == pytest.approx(1.0)


def test_result_in_words():
    """The text of an answer gives return, risk, the largest weights, and how many more there are."""
    portfolio = Portfolio(np.full(14, 0.003), np.full(14, 4e-4))
    x = np.array([0.3, *[0.05] * 12, 0.1])
    read = portfolio.read(answer(portfolio, x))
    text = str(read)
    assert text.splitlines()[0].startswith("14 of 14 assets, expected return 0.3 %, risk ")
    assert [line.split()[0] for line in text.splitlines()[1:3]] == ["asset1", "asset14"]
    assert text.splitlines()[-3].split() == ["4", "more,", "20.00", "%", "together"]
    assert text.splitlines()[-2].startswith("gap: 10 % (proven")
    assert text.splitlines()[-1] == "time_limit=30 tightens the bound"
    assert "\n" not in repr(read)
    for part in ("14 of 14 assets", "0.3 %", "asset1 30 %", "asset14 10 %", "11 more"):
        assert part in repr(read)


def test_weights_that_are_rounding_are_not_held():
    """A selected asset with a weight of 1e-17 is idle: in no table, but not forgotten."""
    portfolio = Portfolio(RETURNS, covariance(), names=NAMES)
    read = portfolio.read(answer(portfolio, np.array([0.4, 1e-17, 0.0, 0.6])))
    assert list(read.weights.index) == list(read.table().index) == ["D", "A"]
    assert read.idle == ("B",)
    assert "1 more selected at weight 0" in str(read)
    assert "2 of 4 assets" in repr(read)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array, lambda v: pd.DataFrame(v, NAMES, NAMES)])
def test_complex_data_are_refused(make):
    """Imaginary parts are never dropped in silence, in whatever the matrix is wrapped."""
    V = make(covariance().astype(complex) + 1j * (np.eye(4, k=1) - np.eye(4, k=-1)))
    with pytest.raises(ProblemError, match="covariance is complex; give real numbers"):
        Portfolio(RETURNS, V)
    with pytest.raises(ProblemError, match="returns is complex"):
        Portfolio(RETURNS.astype(complex), covariance())


def test_unknown_names_are_met_with_the_closest():
    """A misspelt member or key is answered with the asset it resembles, if there is one."""
    with pytest.raises(ArgumentError, match="'asst1', which is no asset; did you mean 'asset1'\\?"):
        Portfolio(RETURNS, covariance(), groups={"g": Group(["asst1"], max_assets=1)})
    with pytest.raises(ArgumentError, match="'Asset2', which is no asset; did you mean 'asset2'\\?"):
        Portfolio(RETURNS, covariance(), max_weight={"Asset2": 0.3})
    with pytest.raises(ArgumentError, match="'zebra', which is no asset; check the spelling"):
        Portfolio(RETURNS, covariance(), groups={"g": Group(["zebra"], max_assets=1)})


@pytest.mark.parametrize("assets", [None, 3, (2, 4)])
@pytest.mark.parametrize("seed", range(3))
def test_attainable_range_against_every_choice(assets, seed):
    """Both ends are those of the best and worst LP over all supports, group limits included."""
    rng = np.random.default_rng(seed)
    n = 6
    returns = rng.normal(0.003, 0.002, n)
    group = Group([int(np.argmax(returns)), 0, 1], max_weight=0.5)
    limits = {"min_weight": 0.1, "max_weight": 0.7}
    portfolio = Portfolio(returns, covariance(n), assets=assets, groups={"g": group}, **limits)
    low, high = portfolio.attainable_range()
    fewest, most = portfolio.count_range
    rows = np.zeros((1, n))
    rows[0, portfolio.members["g"]] = 1.0
    ends = []
    for size in range(max(fewest, 1), most + 1):
        for held in itertools.combinations(range(n), size):
            bounds = [(0.1, 0.7) if i in held else (0.0, 0.0) for i in range(n)]
            for sign in (1.0, -1.0):
                best = linprog(sign * returns, rows, [0.5], np.ones((1, n)), [1.0], bounds)
                if best.status == 0:
                    ends.append(sign * best.fun)
    assert low == pytest.approx(min(ends), abs=1e-7)
    assert high == pytest.approx(max(ends), abs=1e-7)


def test_attainable_range_of_nothing():
    """Rules that no portfolio satisfies are an error, not a range."""
    groups = {"g": Group([0, 1], min_weight=0.6), "h": Group([2, 3], min_weight=0.6)}
    with pytest.raises(ProblemError, match="no portfolio"):
        Portfolio(RETURNS, covariance(), assets=2, groups=groups).attainable_range()


def test_read_refuses_what_it_cannot_read():
    """No solution, and a result of other assets, are errors and not empty tables."""
    portfolio = Portfolio(RETURNS, covariance())
    nothing = types.SimpleNamespace(problem=portfolio.problem(), x=None, b=None, status="infeasible")
    with pytest.raises(ArgumentError, match="no solution \\(status infeasible\\)"):
        portfolio.read(nothing)
    other = Portfolio(RETURNS, covariance(), names=NAMES)
    with pytest.raises(ArgumentError, match="other assets"):
        portfolio.read(answer(other, np.array([1.0, 0, 0, 0])))
    with pytest.raises(ArgumentError, match="x has shape"):
        portfolio.variance([1.0])


@pytest.mark.parametrize("seed", range(4))
def test_efficient_range_against_other_solvers(seed):
    """Both ends agree with SciPy's LP and a general-purpose minimiser, shorts and limits included."""
    rng = np.random.default_rng(seed)
    n = 6
    returns = rng.normal(0.003, 0.002, n)
    V = covariance(n, seed)
    upper = rng.uniform(0.3, 0.6, n)
    lower = np.where(rng.random(n) < 0.5, -0.1, 0.05)
    low, high = Portfolio(returns, V, min_weight=lower, max_weight=upper, assets=3).efficient_range()
    bounds = list(zip(np.minimum(lower, 0), upper, strict=True))
    best = linprog(-returns, A_eq=np.ones((1, n)), b_eq=[1.0], bounds=bounds)
    assert high == pytest.approx(-best.fun, rel=1e-9)
    scaled = V / np.diag(V).mean()
    least = minimize(
        lambda x: x @ scaled @ x,
        np.full(n, 1 / n),
        jac=lambda x: 2 * scaled @ x,
        bounds=bounds,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1, "jac": lambda x: np.ones(n)},
        options={"ftol": 1e-14},
        method="SLSQP",
    )
    assert low == pytest.approx(returns @ least.x, abs=1e-7)


def test_efficient_range_of_a_factor_model_is_that_of_its_matrix():
    """The factored and the multiplied-out covariance give the same range, at any scale."""
    rng = np.random.default_rng(5)
    model = FactorModel(rng.normal(size=(30, 3)), [4e-4, 1e-4, 1e-4], rng.uniform(1e-4, 1e-3, 30))
    returns = rng.normal(0.002, 0.001, 30)
    factored = Portfolio(returns, model).efficient_range()
    assert Portfolio(returns, model.toarray()).efficient_range() == pytest.approx(factored, rel=1e-6)
    assert Portfolio(returns, 1e-6 * model.toarray()).efficient_range() == pytest.approx(factored, rel=1e-6)


def test_efficient_range_is_that_of_the_published_frontier(data_dir):
    """On OR-Library's port1 the range spans the published unconstrained frontier."""
    data = read_port(data_dir / "orlib" / "port1.txt")
    returns, variances = read_portef(data_dir / "orlib" / "portef1.txt")
    portfolio = Portfolio(data.returns, data.covariance, assets=10, min_weight=0.01)
    assert portfolio.efficient_range() == pytest.approx((returns[-1], returns[0]), rel=1e-4)
    best = np.zeros(31)
    best[data.returns.argmax()] = 1.0
    assert portfolio.variance(best) == pytest.approx(variances[0], rel=1e-6)


def test_a_portfolio_stands_for_its_problem(tmp_path: Path) -> None:
    """`write_problem` and the checks of certificates and proofs take a portfolio, or say what to give."""
    portfolio = hm.market(assets=20, seed=2).portfolio(assets=4, min_weight=0.05)
    result = hm.solve(portfolio, prove=True)
    assert result.certificate is not None
    assert result.proof is not None
    hm.write_problem(portfolio, tmp_path / "problem.json")
    assert hm.read_problem(tmp_path / "problem.json").hash == portfolio.problem().hash
    assert result.certificate.verify(portfolio)
    assert result.proof.verify(portfolio)
    wrong: Any = result
    calls: tuple[Callable[[Any], object], ...] = (
        result.certificate.verify, result.proof.verify, lambda what: hm.write_problem(what, tmp_path / "other.json"),
    )  # fmt: skip
    for call in calls:
        with pytest.raises(hm.ArgumentError, match=r"problem is a Result; .* \(give its \.problem\)$"):
            call(wrong)
    assert not (tmp_path / "other.json").exists()
