"""How an author wrote a problem: HiGHS gets it so, and points go there and back."""

from __future__ import annotations

import pickle
from typing import Any

import highspy
import numpy as np
import pytest
from scipy import sparse
from states import make_state

import hybridmip as hm
from hybridmip.io.convert import to_problem
from hybridmip.io.model import Model
from hybridmip.io.write import write_mps
from hybridmip.model.binaries import BinarySet
from hybridmip.model.units import Units
from hybridmip.model.wording import Worded
from hybridmip.relax.protocol import Setting
from hybridmip.run.presolve import presolve
from hybridmip.search.mixed import AuthorsModel, MixedModel
from hybridmip.search.whole import BranchAndCut

SEEDS = range(6)


def authored(seed: int, products: int = 12, maximise: bool = False) -> Model:
    """Set-ups, amounts and lots (general integers) in any order, in whole numbers of the author's units.

    An amount needs its set-up by a row of its own; one column is fixed, one is what an equation leaves over.
    """
    rng = np.random.default_rng(seed)
    kinds = np.repeat(np.arange(3), products)  # amounts, set-ups, lots
    count = 3 * products + 2  # the last two: a fixed integer, and a slack with a cost
    order = rng.permutation(count)
    place = np.argsort(order)
    amount, setup, lot = (place[np.flatnonzero(kinds == kind)] for kind in range(3))
    fixed, slack = place[-2], place[-1]
    rows: list[tuple[dict[int, float], float, float]] = []
    capacity = rng.integers(20, 90, products).astype(float)
    for i in range(products):
        rows.append(({amount[i]: 1.0, setup[i]: -capacity[i]}, -np.inf, 0.0))
        rows.append(({amount[i]: 1.0, lot[i]: -8.0}, -np.inf, 0.0))
    wanted = float(rng.integers(60, 120))
    rows.append(({**dict.fromkeys(amount, 1.0), fixed: 5.0, slack: -1.0}, wanted, wanted))
    rows.append((dict.fromkeys(setup, 1.0), -np.inf, float(products - 2)))
    rows = [rows[k] for k in rng.permutation(len(rows))]
    matrix = np.zeros((len(rows), count))
    for r, (entries, _, _) in enumerate(rows):
        for column, value in entries.items():
            matrix[r, column] = value
    cost, lower, upper = np.zeros(count), np.zeros(count), np.full(count, np.inf)
    cost[amount], cost[setup], cost[lot] = (rng.integers(1, top, products) for top in (9, 300, 40))
    cost[slack], cost[fixed], upper[slack] = 2.0, 7.0, 500.0
    upper[setup], upper[lot] = 1.0, 11.0
    lower[fixed] = upper[fixed] = 3.0
    integer = np.zeros(count, dtype=bool)
    integer[[*setup, *lot, fixed]] = True
    return Model(
        source="authored", names=[f"v{k}" for k in range(count)], cost=-cost if maximise else cost, lower=lower,
        upper=upper, integer=integer, semicontinuous=np.zeros(count, dtype=bool), matrix=sparse.csr_array(matrix),
        row_lower=np.array([low for _, low, _ in rows]), row_upper=np.array([high for _, _, high in rows]),
        row_names=[f"r{k}" for k in range(len(rows))], offset=17.0, maximise=maximise,
    )  # fmt: skip


def worded(problem: hm.Problem) -> tuple[Setting, Worded]:
    """What a solve has of the problem and of its words."""
    units = Units.of(problem)
    reduced = presolve(units.problem)
    assert problem.wording is not None
    words = Worded(problem.wording, units, reduced.columns, reduced.x_of)
    measures = units.measures(reduced.columns, reduced.rows)
    return Setting(reduced.problem, BinarySet(reduced.problem), measures, words), words


def highs_of(model: Model) -> Any:
    """HiGHS with the author's model, as it would read it itself; minimising."""
    lp = highspy.HighsLp()
    sign = -1.0 if model.maximise else 1.0
    columns = sparse.csc_array(model.matrix)
    lp.num_col_, lp.num_row_ = len(model.names), model.row_lower.size
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = sign * model.cost, model.lower, model.upper
    lp.row_lower_, lp.row_upper_, lp.offset_ = model.row_lower, model.row_upper, sign * model.offset
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = columns.indptr, columns.indices, columns.data
    lp.integrality_ = [highspy.HighsVarType(int(whole)) for whole in model.integer]
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.passModel(lp)
    return highs


@pytest.mark.parametrize("maximise", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_highs_gets_what_the_author_wrote(seed: int, maximise: bool) -> None:
    """Columns, rows, limits and whole numbers of the model, to the last digit and in its order."""
    model = authored(seed, maximise=maximise)
    _, words = worded(to_problem(model).problem)
    mine, its = AuthorsModel(words).model._highs.getLp(), highs_of(model).getLp()
    for name in ("col_cost_", "col_lower_", "col_upper_", "row_lower_", "row_upper_"):
        assert np.array_equal(np.array(getattr(mine, name)), np.array(getattr(its, name))), name
    for name in ("start_", "index_", "value_"):
        assert np.array_equal(np.array(getattr(mine.a_matrix_, name)), np.array(getattr(its.a_matrix_, name))), name
    assert mine.offset_ == its.offset_
    assert [int(kind) for kind in mine.integrality_] == [int(kind) for kind in its.integrality_]


@pytest.mark.parametrize("seed", SEEDS)
def test_points_go_there_and_back(seed: int) -> None:
    """HiGHS's answer to the author's model is a point of the problem solved, at the same value; and back it is itself.

    The bound is one on the problem, also where general integers are binaries there and presolve has left out columns.
    """
    model = authored(seed)
    problem = to_problem(model).problem
    setting, words = worded(problem)
    assert setting.problem.n < problem.n  # presolve has something to leave out
    mine = AuthorsModel(words)
    answer = mine.model.solve(gap=0.0)
    assert answer.x is not None
    x, b = words.point(np.where(model.integer, np.round(answer.x), answer.x))
    assert setting.problem.violation(x, b) <= 1e-6
    value = setting.problem.objective(x, b)
    assert value == pytest.approx(answer.objective + mine.offset, rel=1e-9)
    assert answer.bound + mine.offset <= value + 1e-9 * abs(value)
    direct = MixedModel(setting).model.solve(gap=0.0)
    assert direct.objective + setting.problem.offset == pytest.approx(value, rel=1e-6)
    back = words.values(x, b)
    assert np.allclose(back, answer.x, atol=1e-6)
    # In the author's own rows, and at the author's value.
    activity = model.matrix @ back
    assert (activity >= model.row_lower - 1e-6).all()
    assert (activity <= model.row_upper + 1e-6).all()
    assert words.units.value_of(value) == pytest.approx(model.objective(back), rel=1e-9)


@pytest.mark.parametrize("maximise", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_solve_agrees_with_highs_on_the_authors_model(seed: int, maximise: bool) -> None:
    """With a second thread, where HiGHS runs beside the searches and points go both ways: the optimum, proven."""
    model = authored(seed, 25, maximise)
    read = to_problem(model)
    result = hm.solve(read.problem, time_limit=30.0, config=hm.Config(threads=2, enumerate_up_to=0))
    highs = highs_of(model)
    highs.run()
    assert result.status == hm.Status.OPTIMAL
    sign = -1.0 if maximise else 1.0
    assert sign * read.objective(result.objective) == pytest.approx(highs.getObjectiveValue(), rel=2e-6)
    assert result.bound <= result.objective


def test_a_start_is_the_first_point() -> None:
    """The optimum, given as a start in the solver's columns, is what HiGHS has when it ends with its first point.

    Without a start its first point is worse, of some of these problems.
    """
    worse = 0
    for seed in SEEDS:
        setting, words = worded(to_problem(authored(seed)).problem)
        best = MixedModel(setting).model.solve(gap=0.0)
        assert best.x is not None
        n = setting.problem.n
        started, alone = AuthorsModel(words), AuthorsModel(words)
        started.start_from(best.x[:n], best.x[n:] > 0.5)
        first, without = started.model.solve(first=True), alone.model.solve(first=True)
        least = best.objective + setting.problem.offset
        assert first.objective + started.offset == pytest.approx(least, rel=1e-6)
        worse += without.objective + alone.offset > least + 1e-3 * abs(least)
    assert worse


def test_only_the_problem_itself_has_the_words(tmp_path: Any) -> None:
    """One that was made of it, with other costs or in other units, has none; in another process it has them still."""
    read = to_problem(authored(0))
    problem = read.problem
    assert problem.wording is not None
    assert problem.replace(p=np.zeros(problem.m)).wording is None
    assert Units.of(problem).problem.wording is None
    assert hm.Problem(q=[1.0], x_lower=0.0).wording is None
    assert pickle.loads(pickle.dumps(problem)).wording is not None
    file = tmp_path / "model.mps"
    write_mps(problem, file)
    again = hm.read_model(file).problem
    assert again.wording is not None
    assert again.wording.cost.size == problem.n + problem.m


def test_words_of_tiny_or_huge_units_are_not_used() -> None:
    """Where HiGHS's tolerances would mean nothing it gets the problem in units of the solver's own."""
    model = authored(1)
    huge = Model(**{**model.__dict__, "cost": model.cost * 2.0**40, "offset": model.offset * 2.0**40})
    for authors, expected in ((model, AuthorsModel), (huge, MixedModel)):
        setting, _ = worded(to_problem(authors).problem)
        run = BranchAndCut(make_state(setting.problem, hm.Config(), time_limit=5.0), setting)
        assert isinstance(run.mixed, expected)
        again = BranchAndCut(make_state(setting.problem, hm.Config(), time_limit=5.0), setting, again=True)
        assert isinstance(again.mixed, MixedModel)
