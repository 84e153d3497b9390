"""The tree alone, on small problems of every kind, and its proofs: checked, by plain loops too, and tampered with."""

from __future__ import annotations

import copy
import io
import json
import math
import multiprocessing
import os
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from problems import BINARY_ROWS, BOUNDS, NoReference, Recipe, about, all_members, make, optimum, restricted_value
from states import make_state

import hybridmip as hm
from hybridmip.bounds.proof_tree import Branch, ProofTree, Reason
from hybridmip.errors import FileError
from hybridmip.exact import branch
from hybridmip.exact.branch import Branching
from hybridmip.model.binaries import BinarySet
from hybridmip.model.implied import implied_bounds
from hybridmip.model.units import Proof, Units
from hybridmip.relax.node import Shared, root_relaxation
from hybridmip.relax.protocol import Setting
from hybridmip.run.phases import QuickStart, Start, Tree
from hybridmip.run.progress import TextProgress
from hybridmip.run.result import StopReason

#: How many times as many cases as usual: HYBRIDMIP_EXAMPLES=20 for thousands.
TIMES = int(os.environ.get("HYBRIDMIP_EXAMPLES", "1"))
ALONE = hm.Config(phases=(Start(), QuickStart(), Tree(1.0, last=True)), threads=1)

recipes = st.builds(
    Recipe,
    seed=st.integers(0, 10**6),
    binaries=st.integers(2, 8),
    quadratic=st.sampled_from(["diagonal", "dense", "singular", "sparse", "factor"]),
    binary_rows=st.sampled_from(BINARY_ROWS),
    bounds=st.sampled_from(BOUNDS),
    equations=st.integers(0, 2),
    inequalities=st.integers(0, 2),
    mixed_rows=st.booleans(),
    costs=st.booleans(),
    unswitched=st.integers(0, 2),
    shared=st.booleans(),
)


def portfolio(seed: int, assets: int = 25, held: int = 5) -> hm.Problem:
    returns, covariance = hm.market(assets=assets, seed=seed).sample_estimates()
    target = float(np.quantile(returns, 0.6))
    return hm.Portfolio(returns, covariance, assets=held, min_weight=0.05, target_return=target).problem()


def terms_by_loops(
    problem: hm.Problem, proof: ProofTree, reason: Reason, there: list[int], box: list[list[float]]
) -> tuple[float, list[float]]:
    """Constant and cost of every b of the closed formula, one number at a time, without rounding errors."""
    Q, A, G = problem.Q.toarray(), problem.A.toarray(), problem.G.toarray()
    D, y = proof.diagonals[reason.diagonal], reason.point
    if reason.products >= 0:
        products = proof.products[reason.products]
        assert not products.rows.any()
        assert not products.chords.any()
        Q = Q - products.pairs.toarray()
    block = Q[np.ix_(there, there)] - np.diag(D[there])
    assert not there or np.linalg.eigvalsh(block).min() >= -1e-8 * max(1.0, np.abs(block).max())
    lower, upper = box
    constant = problem.offset
    for row, price in enumerate(reason.rows):
        limit = problem.row_lower[row] if price > 0 else problem.row_upper[row]
        constant += price * limit if price and math.isfinite(limit) else 0.0
    costs = [float(problem.p[i] - sum(G[r, i] * reason.rows[r] for r in range(problem.rows))) for i in range(problem.m)]
    for j in there:
        half = sum(Q[j, k] * y[k] for k in there) - D[j] * y[j]
        constant -= y[j] * half
        v = problem.q[j] + 2 * half - sum(A[r, j] * reason.rows[r] for r in range(problem.rows))
        x = -v / (2 * D[j]) if D[j] > 0 else (lower[j] if v > 0 else upper[j] if v < 0 else 0.0)
        x = min(max(x, lower[j]), upper[j])
        least = (D[j] * x + v) * x
        if problem.switch[j] < 0:
            constant += least
        else:
            costs[problem.switch[j]] += least
    return float(constant), costs


def checked_by_loops(problem: hm.Problem, proof: ProofTree) -> bool:
    """Whether every feasible b ends at a reason that gives it at least the value claimed."""
    problem = about(problem, proof)
    members = all_members(problem.B.toarray(), problem.b_lower, problem.b_upper, problem.m)
    slack = 1e-9 * (1.0 + abs(proof.claimed))

    def value(number: int, b: np.ndarray, off: set[int], box: list[list[float]]) -> float:
        there = [j for j in range(problem.n) if problem.switch[j] < 0 or problem.switch[j] not in off]
        constant, costs = terms_by_loops(problem, proof, proof.reasons[number], there, box)
        return constant + sum(cost for cost, on in zip(costs, b, strict=True) if on)

    loose = np.array(BinarySet(problem).group) < 0

    limits = implied_bounds(problem) if proof.implied_bounds else (problem.x_lower, problem.x_upper)

    def ends(b: np.ndarray, node: Branch, on: set[int], off: set[int], number: tuple[int, int]) -> bool:
        spread(on, off, number)
        for reason, fixed, limit in node.steps:
            if limit is not None:
                j, side, at = limit
                beyond = [list(part) for part in box]
                beyond[0 if side > 0 else 1][j] = at
                if b[problem.switch[j]] and value(reason, b, off, beyond) < proof.claimed - slack:
                    return False
                box[1 if side > 0 else 0][j] = at
            for i, side in fixed:
                if bool(b[i]) != (side > 0):
                    return value(reason, b, off, box) >= proof.claimed - slack
            for i, side in fixed:
                (on if side > 0 else off).add(i)
            spread(on, off, number)
        if node.closed is not None:
            return node.closed >= 0 and value(node.closed, b, off, box) >= proof.claimed - slack
        if node.count is not None:
            most, more = node.count[1], int(b[loose].sum()) > node.count[1]
            number = (max(number[0], most + 1), number[1]) if more else (number[0], min(number[1], most))
            return ends(b, node.children[0 if more else 1], on, off, number)
        if node.binary is None:
            return False
        taken = bool(b[node.binary])
        (on if taken else off).add(node.binary)
        return ends(b, node.children[0 if taken else 1], on, off, number)

    def spread(on: set[int], off: set[int], number: tuple[int, int]) -> None:
        """What the members that are left have in common."""
        left = [
            b
            for b in members
            if all(b[i] for i in on) and not any(b[i] for i in off) and number[0] <= b[loose].sum() <= number[1]
        ]
        for i in range(problem.m):
            if left and not any(b[i] for b in left):
                off.add(i)

    for b in members:
        box = [list(part) for part in limits]
        if not ends(b, proof.root, set(), set(), (0, problem.m)):
            return False
    return True


@settings(max_examples=60 * TIMES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(recipes)
def test_small_problems_of_every_kind(recipe: Recipe) -> None:
    problem = make(recipe)
    try:
        best, _ = optimum(problem)
    except NoReference:
        return
    result = hm.solve(problem, config=ALONE, prove=True, time_limit=20.0)
    if result.x is None:
        return
    scale = 1e-6 * (1.0 + abs(best))
    assert result.objective >= best - scale
    assert result.bound <= best + scale
    if result.status == "optimal":
        assert abs(result.objective - best) <= scale
    if result.proof is not None:
        found = result.proof.verify(problem)
        assert found, found.reason
        assert result.proof.claimed <= best + scale


@pytest.mark.parametrize("seed", range(6))
def test_the_checker_agrees_with_plain_loops(seed: int) -> None:
    problem = portfolio(seed, assets=9, held=3)
    proof = hm.solve(problem, config=ALONE, prove=True).proof
    assert proof.verify(problem)
    assert checked_by_loops(problem, proof)
    more = copy.copy(proof)
    more.claimed = proof.claimed * 1.05
    assert not more.verify(problem)
    assert not checked_by_loops(problem, more)


def buy_in(assets: int, seed: int) -> hm.Problem:
    """Minimum weights and no count, as Pardalos and Rodgers make them: how many are held is what decides."""
    rng = np.random.default_rng(seed)
    entries = np.triu(rng.integers(1, 11, (assets, assets)), 1).astype(float)
    Q = entries + entries.T + np.diag(rng.integers(10 * assets, 20 * assets + 1, assets).astype(float))
    lower, upper = rng.uniform(0.15, 0.3, assets), rng.uniform(0.375, 0.425, assets)
    returns = rng.uniform(0.002, 0.01, assets)
    return hm.Portfolio(
        returns, Q, min_weight=lower, max_weight=upper, target_return=0.006, return_sense="at_least"
    ).problem()


def test_a_split_by_the_number_that_are_on() -> None:
    """Few nodes where nothing counts the binaries; the checker, plain loops and a reader take the same proof."""
    counted = 0
    for seed in range(4):
        problem = buy_in(9, seed)
        proof = hm.solve(problem, config=ALONE, prove=True).proof
        assert proof.verify(problem)
        assert ProofTree.from_dict(json.loads(json.dumps(proof.to_dict()))).verify(problem)
        assert checked_by_loops(problem, proof)
        counts = [node for node in proof.root.walk() if node.count is not None]
        counted += len(counts)
        for node in counts:  # what is left out is missed
            group, most = node.count
            for wrong in ((group, most + 1), (group, most - 1), (group + 1, most), (-1, most), (group, -1)):
                node.count = wrong
                found = proof.verify(problem)
                assert not found or checked_by_loops(problem, proof)
            node.count = (group, most)
            node.children.reverse()
            assert not proof.verify(problem)
            node.children.reverse()
    assert counted > 0
    result = hm.solve(buy_in(60, 1), prove=True)
    assert result.status == "optimal"
    assert 0 < result.nodes < 100


def best_subset(rows: int, columns: int, held: int) -> hm.Problem:
    """Least squares with few columns, whose coefficients have no limits; neighboring columns are alike."""
    rng = np.random.default_rng(7)
    X = rng.standard_normal((rows, columns))
    X[:, 1:] = 0.6 * X[:, :-1] + 0.8 * X[:, 1:]
    y = X[:, :: columns // held].sum(axis=1) + rng.standard_normal(rows)
    return hm.Problem(
        Q=X.T @ X / rows, q=-2 * X.T @ y / rows, offset=float(y @ y) / rows, B=np.ones((1, columns)), b_lower=0,
        b_upper=held, x_lower=-np.inf, x_upper=np.inf, switch=np.arange(columns),
    )  # fmt: skip


def test_x_without_limits() -> None:
    """Curvature takes the place of limits: best subset selection needs no big M."""
    problem = best_subset(24, 8, 3)
    result = hm.solve(problem, config=ALONE, prove=True)
    assert result.status == "optimal"
    assert result.objective == pytest.approx(optimum(problem)[0], rel=1e-6)
    assert result.proof.verify(problem)
    assert checked_by_loops(problem, result.proof)
    result = hm.solve(best_subset(150, 50, 5), prove=True)
    assert result.status == "optimal"
    assert 0 < result.nodes < 100
    assert result.proof.verify(result.problem)


def test_limits_of_x_that_the_objective_implies() -> None:
    """Where x has no limits what is worse than the answer gives some; each is a step of the proof that is checked."""
    problem = best_subset(24, 8, 3)
    result = hm.solve(problem, config=ALONE, prove=True)
    document = result.proof.to_dict()
    limits = [at for at, step in enumerate(document["nodes"][0]["steps"]) if len(step) == 3]
    assert len(limits) >= problem.n
    for at in limits:
        other = copy.deepcopy(document)
        j, side, value = other["nodes"][0]["steps"][at][2]
        if result.b[j]:  # the answer itself is beyond the first
            for wrong in ([j, side, result.x[j] - side * 0.01], [j, -side, value]):
                other["nodes"][0]["steps"][at][2] = wrong
                assert not holds(problem, other)
        for bad in ([problem.n, side, value], [j, 0, value], [j, side, None], [j, side], [j, side, 1e300]):
            other["nodes"][0]["steps"][at][2] = bad
            assert not holds(problem, other)


@pytest.mark.parametrize("form", ["counted", "priced", "with equations"])
def test_best_subset_of_generated_data(form: str) -> None:
    """Limits of x that the objective implies against trying every b, with and without equations."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        columns = 7
        X = rng.standard_normal((20, columns)) @ (np.eye(columns) + 0.4 * rng.standard_normal((columns, columns)))
        y = X[:, 0] - X[:, 2] + rng.standard_normal(20)
        given: dict[str, Any] = {"p": np.full(columns, 2.0)} if form == "priced" else {"B": np.ones((1, columns))}
        if form != "priced":
            given |= {"b_lower": 0, "b_upper": 3}
        if form == "with equations":
            given |= {"A": rng.standard_normal((1, columns)), "row_lower": 0.5, "row_upper": 0.5}
        problem = hm.Problem(
            Q=X.T @ X, q=-2 * X.T @ y, offset=float(y @ y), x_lower=-np.inf, x_upper=np.inf,
            switch=np.arange(columns), **given,
        )  # fmt: skip
        result = hm.solve(problem, config=ALONE, prove=True)
        assert result.status == "optimal"
        assert result.objective == pytest.approx(optimum(problem)[0], rel=1e-6)
        assert result.proof.verify(problem)
        assert checked_by_loops(problem, result.proof)


@pytest.mark.parametrize("rows", BINARY_ROWS)
def test_rows_on_b_of_every_kind(rows: str) -> None:
    proven = 0
    for seed in range(12):
        problem = make(Recipe(seed=seed, binaries=7, binary_rows=rows, costs=True))
        result = hm.solve(problem, config=ALONE, prove=True, time_limit=20.0)
        if result.proof is not None:
            proven += 1
            assert result.proof.verify(problem)
            assert checked_by_loops(problem, result.proof)
    assert proven >= 6


def test_portfolios_are_proven_with_few_nodes() -> None:
    for seed in range(3):
        result = hm.solve(portfolio(seed, assets=60, held=8), prove=True)
        assert result.status == "optimal"
        assert result.rests_on == "proven"
        assert result.stop_reason is StopReason.EXHAUSTED
        assert 0 < result.nodes < 2000
        assert result.proof.verify(result.problem)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.9])
def test_a_row_with_one_limit_is_no_equation(share: float) -> None:
    """The bound of a node has the price of such a row right: the formula reaches the relaxation's own value."""
    returns, covariance = hm.market(assets=20, seed=1).sample_estimates()
    target = float(np.quantile(returns, share))
    problem = hm.Portfolio(
        returns, covariance, assets=4, min_weight=0.05, target_return=target, return_sense="at_least"
    ).problem()
    setting = Setting(Units.of(problem).problem)
    relaxed = root_relaxation(Shared.of(setting), setting.phi)
    assert relaxed is not None
    x, b, rows, binary_rows = relaxed
    assert rows[int(np.flatnonzero(np.isinf(setting.problem.row_upper))[0])] >= 0
    value = float(x @ setting.problem.Q.toarray() @ x + setting.phi @ (x**2 / b - x**2))
    bound, _ = setting.formula.claim(Proof(setting.phi, x, rows, binary_rows))
    assert value * (1 - 1e-4) <= bound <= value * (1 + 1e-9)


def test_few_open_nodes_where_memory_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The deepest first: as few are open as a tree is deep, and the same is proven."""
    problem = best_subset(80, 60, 20)
    usual = hm.solve(problem, config=ALONE, prove=True)
    assert usual.nodes > 100
    open_nodes = []
    push = Branching._push

    def watched(branching: Branching, node: Any) -> None:
        push(branching, node)
        open_nodes.append(len(branching._open))

    monkeypatch.setattr(branch, "MOST_NUMBERS", 0.0)
    monkeypatch.setattr(branch, "FEWEST_OPEN", 4)
    monkeypatch.setattr(Branching, "_push", watched)
    for prove in (True, False):
        open_nodes.clear()
        result = hm.solve(problem, config=ALONE, prove=prove, time_limit=60)
        assert result.status == "optimal"
        assert result.objective == pytest.approx(usual.objective, rel=1e-6)
        assert result.bound >= usual.objective * (1 - 1e-6)
        assert max(open_nodes) < 60
    monkeypatch.undo()
    result = hm.solve(problem, config=ALONE, prove=True)
    assert result.proof.to_dict() == usual.proof.to_dict()


def test_threads_do_not_matter() -> None:
    problem = portfolio(3, assets=60, held=8)
    one, two = (hm.solve(problem, config=hm.Config(threads=threads), prove=True) for threads in (1, 2))
    assert one.proof.to_dict() == two.proof.to_dict()
    assert np.array_equal(one.x, two.x)
    assert (one.nodes, one.bound) == (two.nodes, two.bound)


def test_without_a_tree_there_is_no_proof() -> None:
    result = hm.solve(portfolio(0), config=hm.Config(tree=hm.TreeSettings(work=0)), prove=True)
    assert result.nodes == 0
    assert result.proof is None


@pytest.fixture(scope="module")
def proven() -> tuple[hm.Problem, dict[str, Any]]:
    """A proof with a tree of some size, as a document."""
    for seed in range(20):
        problem = portfolio(seed, assets=30, held=6)
        proof = hm.solve(problem, config=ALONE, prove=True).proof
        if proof is not None and proof.nodes >= 5:
            return problem, json.loads(json.dumps(proof.to_dict()))
    raise AssertionError("no proof has more than a node")


def holds(problem: hm.Problem, document: dict[str, Any]) -> bool:
    """Whether a document is accepted; one that cannot be read is not."""
    try:
        return bool(ProofTree.from_dict(document).verify(problem))
    except FileError:
        return False


def numbers_of(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths to every number."""
    if isinstance(document, bool) or document is None or isinstance(document, str):
        return []
    if isinstance(document, int | float):
        return [path]
    items = document.items() if isinstance(document, dict) else enumerate(document)
    return [found for key, value in items for found in numbers_of(value, (*path, key))]


def changed(document: dict[str, Any], path: tuple[Any, ...], change: Any) -> dict[str, Any]:
    """A copy with one number changed."""
    other = copy.deepcopy(document)
    place = other
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = change(place[path[-1]])
    return other


def paths_of(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths to every part, of lists the first two entries."""
    items: Any = ()
    if isinstance(document, dict):
        items = document.items()
    elif isinstance(document, list):
        items = enumerate(document[:2])
    return [path, *(found for key, value in items for found in paths_of(value, (*path, key)))]


@pytest.mark.parametrize("other", [None, True, "a", -1, 1e400, [], {}, [1], {"a": 1}, [[]], [{}], math.nan])
def test_parts_of_another_kind_are_refused_or_harmless(proven: tuple[hm.Problem, dict[str, Any]], other: Any) -> None:
    """Whatever stands in place of a part of the document, it is read or refused in one line: nothing else is raised."""
    problem, document = proven
    paths = [path for path in paths_of(document) if path]
    assert len(paths) > 20
    accepted = [path for path in paths if holds(problem, changed(document, path, lambda _: other))]
    assert len(accepted) < len(paths) / 2


def test_tampering_with_any_number_leaves_a_valid_proof_or_is_found(proven: tuple[hm.Problem, dict[str, Any]]) -> None:
    problem, document = proven
    assert holds(problem, document)
    best = hm.solve(problem).objective
    rng = np.random.default_rng(0)
    paths = numbers_of(document)
    refused = 0
    for at in rng.choice(len(paths), 150, replace=False):
        for change in (lambda v: -v, lambda v: v + 1, lambda v: 1.5 * v if isinstance(v, float) else v - 1):
            other = changed(document, paths[at], change)
            if holds(problem, other):
                # Whatever it says now is true: no more is claimed than holds.
                assert (other["bound"] or -math.inf) <= best + 1e-9 * abs(best)
            else:
                refused += 1
    assert refused > 50


def test_dropped_swapped_and_cut_short(proven: tuple[hm.Problem, dict[str, Any]]) -> None:
    problem, document = proven
    nodes = document["nodes"]
    for at in range(len(nodes)):
        other = copy.deepcopy(document)
        del other["nodes"][at]
        assert not holds(problem, other)
    for end in range(len(nodes)):
        assert not holds(problem, {**document, "nodes": nodes[:end]})
    closing = [at for at, node in enumerate(nodes) if "closed" in node]
    for at in closing:
        other = copy.deepcopy(document)
        del other["nodes"][at]["closed"]
        assert not holds(problem, other)
        other["nodes"][at]["closed"] = -1
        assert not holds(problem, other)
    for key in document:
        if key not in ("version", "problem_hash", "implied_bounds"):
            assert not holds(problem, {name: value for name, value in document.items() if name != key} | {"bound": 1.0})
    assert not holds(problem, {**document, "bound": hm.solve(problem).objective * (1 + 1e-5)})
    assert not holds(portfolio(77, assets=30, held=6), document)


def test_a_document_that_is_none_is_told_in_one_line(tmp_path: Any) -> None:
    for text in ("{}", "[]", '{"format": "hybridmip-proof"}', '{"format": "hybridmip-proof", "sizes": [1e99]}'):
        path = tmp_path / "proof.json"
        path.write_text(text)
        with pytest.raises(FileError) as told:
            ProofTree.load(path)
        assert "\n" not in str(told.value)


def hard_portfolio() -> hm.Problem:
    """Few dates more than assets: Q is nearly singular, and the tree has something to do."""
    returns = np.random.default_rng(3).standard_normal((36, 30)) @ np.random.default_rng(4).standard_normal((30, 30))
    covariance, mean = np.cov(returns.T), returns.mean(axis=0)
    return hm.Portfolio(mean, covariance, assets=5, min_weight=0.05, target_return=float(mean.mean())).problem()


class Broken(Executor):
    """An executor whose workers have died."""

    def submit(self, *given: Any, **options: Any) -> Any:
        raise BrokenExecutor("gone")


def test_an_executor_takes_subtrees() -> None:
    """The same answer, and the same proof for any number of workers, in threads or processes; a broken one is said."""
    problem = hard_portfolio()
    alone = hm.solve(problem, prove=True, config=ALONE)
    assert alone.nodes > 20
    documents = []
    context = multiprocessing.get_context("spawn")
    for executor in (ThreadPoolExecutor(1), ThreadPoolExecutor(3), ProcessPoolExecutor(2, mp_context=context)):
        with executor:
            found = hm.solve(problem, prove=True, config=ALONE, executor=executor)
        assert (found.status, found.objective) == ("optimal", alone.objective)
        assert found.proof is not None
        assert found.proof.verify(problem).valid
        documents.append(json.dumps(found.proof.to_dict()))
    assert documents[0] == documents[1] == documents[2]
    found = hm.solve(problem, prove=True, config=ALONE, executor=Broken())
    assert (found.status, found.objective) == ("optimal", alone.objective)
    assert "the executor failed" in found.integrity[0]
    with pytest.raises(hm.ArgumentError, match="executor is a int; it must be an Executor"):
        hm.solve(problem, executor=3)


def test_progress_shows_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes and open nodes in the table; a display without `tree` is told by `tick`; rows much alike are left out."""
    monkeypatch.setattr("hybridmip.run.state.HEARTBEAT", 0.0)
    problem = hard_portfolio()
    stream = io.StringIO()
    result = hm.solve(problem, prove=True, config=ALONE, progress=TextProgress(stream))
    rows = [line for line in stream.getvalue().splitlines() if line.endswith("open")]
    assert rows
    assert " nodes, " in rows[-1]
    assert f"{result.nodes:,} nodes" in stream.getvalue().splitlines()[-1]

    class Old:
        """A display of five methods."""

        def __init__(self) -> None:
            self.told: list[str] = []

        def start(self, *given: object) -> None: ...
        def incumbent(self, *given: object) -> None: ...
        def bound(self, *given: object) -> None: ...
        def finish(self, *given: object) -> None: ...
        def tick(self, seconds: float, phase: str, objective: float, bound: float) -> None:
            self.told.append(phase)

    old = Old()
    hm.solve(problem, prove=True, config=ALONE, progress=old)
    assert "tree" in old.told


@pytest.mark.parametrize("short", [1e-6, 1e-3, 0.5])
def test_multipliers_close_a_b_that_is_infeasible(short: float) -> None:
    """Two assets that miss the target, by little or by much: the formula passes any cut with enough of them."""
    problem = hm.Portfolio([0.1, 0.2, 0.9], np.eye(3), assets=2, target_return=0.2 + short).problem()
    branching = Branching(make_state(problem), Setting(problem))
    b = np.array([True, True, False])
    answer = branching.state.solver.evaluate(b)
    assert not answer.feasible
    reason = branching._solved(b, answer, 1e6)
    assert reason is not None
    assert reason.value >= 1e6
    feasible = np.array([True, False, True])
    rows, of_b = np.split(reason.multipliers, [problem.rows])
    proof = Proof(reason.diagonal.values, reason.point, rows, of_b)
    assert branching.setting.formula.at(feasible, proof) <= restricted_value(problem, feasible)
