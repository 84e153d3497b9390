"""The benchmark runner: options, tables, and what happens where a peer is missing."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridmip as hm

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks import __main__ as runner  # noqa: E402
from benchmarks import common, files, frontier, generated, kernel, peers, walkforward  # noqa: E402
from hybridmip.study.solvers import Scaled  # noqa: E402


@pytest.fixture
def problem() -> hm.Problem:
    """Two of four assets, small enough to check by hand; variances far from 1, as real ones are."""
    covariance = 1e-4 * np.diag([1.0, 2.0, 4.0, 8.0])
    return hm.Portfolio([0.001, 0.002, 0.003, 0.004], covariance, assets=2, min_weight=0.1).problem()


@pytest.fixture
def without_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Python in which no peer is installed."""
    for package in ("cplex", "gurobipy", "pyscipopt", "daqp"):
        monkeypatch.setitem(sys.modules, package, None)


def write_frontier(out: Path, answers: list[dict[str, float | None]], **settings: object) -> None:
    """A frontier result of port1 with the objectives given for every target."""
    options = common.Options(out=out)
    defaults = {"assets": 10, "min_weight": 0.01, "points": len(answers), "seeds": [0], "peers": ["cplex"]}
    defaults |= {"seconds_per_target": 10.0, "relative_gap": 1e-9, "assets_to_choose_from": 31}
    points = [
        {
            "point": i,
            "target": 0.001 * i,
            "answers": {
                method: peers.Answer(
                    "infeasible" if value is None else "feasible", math.inf if value is None else value, 2.0, 1.0, 0.0
                ).raw
                for method, value in by_method.items()
            },
        }
        for i, by_method in enumerate(answers)
    ]
    common.Record(options, "frontier-port1", **{**defaults, **settings}).write(points=points)


def test_table_is_aligned_markdown_with_a_dash_for_nothing() -> None:
    """Columns line up, None is a dash, and a row of the wrong length is refused."""
    lines = common.table(["set", "s"], [["port1", None], ["p", "12.5"]]).splitlines()
    assert lines == ["| set   |    s |", "|-------|-----:|", "| port1 |    - |", "| p     | 12.5 |"]
    with pytest.raises(ValueError, match="3 cells"):
        common.table(["a", "b"], [[1, 2, 3]])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (math.nan, "-"),
        (math.inf, "-"),
        (0.0, "0"),
        (12.345, "12.3"),
        (1234.5, "1,234"),
        (2e-7, "2.00e-07"),
    ],
)
def test_number_keeps_three_digits(value: float | None, text: str) -> None:
    """Numbers keep their significant digits, and what is no number is a dash."""
    assert common.number(value) == text


def test_ratio_needs_both_sides() -> None:
    """A ratio is a dash unless both times are there."""
    assert common.ratio(10.0, 4.0) == "2.50x"
    assert [common.ratio(*pair) for pair in ((None, 1.0), (1.0, None), (1.0, 0.0), (math.nan, 1.0))] == ["-"] * 4


def test_options_are_read_and_checked(capsys: pytest.CaptureFixture[str]) -> None:
    """Lists are split, a quick run keeps out of the real results, and a misspelled part is refused by name."""
    only, options, report = runner.parse(
        ["--only", "kernel,growth", "--sets", "port2,port3", "--seconds-per-target", "7"]
    )
    assert (only, report) == (["kernel", "growth"], False)
    assert (options.sets, options.seconds_per_target) == (("port2", "port3"), 7.0)
    assert options.out == ROOT / "benchmarks"
    assert runner.parse(["--quick"])[1].out == ROOT / "benchmarks" / "quick"
    with pytest.raises(SystemExit):
        runner.parse(["--only", "kernal"])
    assert "kernal" in capsys.readouterr().err


@pytest.mark.usefixtures("without_peers")
def test_a_missing_peer_is_an_answer_that_says_how_to_get_it(problem: hm.Problem) -> None:
    """Without its package a peer does not run and names the package to install."""
    for peer in peers.PEERS.values():
        answer = peer.solve(problem, 1.0, 1, 1e-9)
        assert answer.status == "missing"
        assert not answer.ran
        assert f"pip install {peer.package}" in answer.note


@pytest.mark.parametrize("key", sorted(peers.PEERS))
def test_an_installed_peer_finds_the_optimum_in_the_callers_units(key: str, problem: hm.Problem) -> None:
    """Scaling changes nothing: every peer gets 1e-4 * 1 * 2 / (1 + 2), the variance of the two calmest assets."""
    if peers.PEERS[key].missing:
        pytest.skip(peers.PEERS[key].missing)
    answer = peers.PEERS[key].solve(problem, 10.0, 1, 1e-9)
    assert answer.status == "optimal"
    assert answer.objective == pytest.approx(1e-4 * 2 / 3, rel=1e-6)
    assert answer.violation <= 1e-8


def test_the_scaled_model_has_unit_variance_and_rows() -> None:
    """The mean diagonal and the largest coefficient of every row become 1, the feasible set stays."""
    market = hm.market(assets=12, seed=3)
    problem = market.portfolio(assets=4, min_weight=0.05, target_return=0.002).problem()
    model = Scaled.of(problem)
    assert model.H.diagonal().mean() == pytest.approx(1.0)
    np.testing.assert_array_equal(model.H, model.H.T)
    np.testing.assert_allclose(np.abs(model.A).max(axis=1), 1.0)
    np.testing.assert_allclose(model.row_lower[1] / model.A[1], problem.row_lower[1] / problem.A.toarray()[1])


def test_a_missing_peer_is_a_column_of_dashes(tmp_path: Path) -> None:
    """A peer that was asked for but did not run keeps its columns, with dashes, and its note."""
    write_frontier(tmp_path, [{"ours-0": 1.0}, {"ours-0": 2.0}], peers=["cplex", "scip"])
    path = tmp_path / "results" / "frontier-port1.json"
    document = json.loads(path.read_text())
    document["notes"].append("CPLEX is not installed")
    path.write_text(json.dumps(document))
    text = runner.assemble(tmp_path)
    cells = [cell.strip() for cell in next(line for line in text.splitlines() if "| port1 |" in line).split("|")]
    assert cells[1:-1] == ["port1", "31", "4.00", *["-"] * 7]
    assert "- CPLEX is not installed" in text


def test_frontier_summary_counts_against_the_best_of_all(tmp_path: Path) -> None:
    """At best within 1e-6, excess relative to the best, missed and infeasible targets told apart."""
    write_frontier(
        tmp_path,
        [
            {"ours-0": 1.0, "cplex": 1.1},
            {"ours-0": 2.0, "cplex": 2.0 * (1 + 1e-8)},
            {"ours-0": 3.0, "cplex": None},
            {"ours-0": None, "cplex": None},
        ],
    )
    (document,) = common.records(tmp_path, "frontier-*")
    mine, theirs = (frontier.summary(document["points"], method) for method in ("ours-0", "cplex"))
    assert mine is not None
    assert theirs is not None
    assert (mine["at_best"], mine["feasible"], mine["missed"], mine["proven_infeasible"]) == (3, 3, 0, 1)
    assert (theirs["at_best"], theirs["feasible"], theirs["missed"]) == (1, 3, 1)
    assert theirs["largest_excess"] == pytest.approx(0.1)
    assert frontier.summary(document["points"], "gurobi") is None


def test_nothing_is_assembled_from_nothing(tmp_path: Path) -> None:
    """Without result files there is no report, and the command says so with its exit code."""
    assert runner.assemble(tmp_path) == ""
    assert runner.main(["--report", "--out", str(tmp_path)]) == 1
    assert not (tmp_path / "RESULTS.md").exists()


def test_kernel_case_without_daqp_and_its_report(tmp_path: Path) -> None:
    """Ours is measured without the peer, whose cells are dashes."""
    returns, covariance = hm.market(assets=30, seed=2).sample_estimates()
    mean = returns.to_numpy()
    case = kernel._case("market", mean, covariance.to_numpy(), float(mean.mean()), 5, 300, False)
    record = common.Record(common.Options(out=tmp_path), "kernel")
    record.write(cases=[case])
    assert 0 < case["feasible"] <= 300
    assert case["microseconds"]["ours_1"] > 0
    text = kernel.report(common.records(tmp_path, "kernel"))
    rows = [[c.strip() for c in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| market")]
    assert rows[0][-3:] == ["-"] * 3
    assert rows[1][2:] == ["-"] * 5


def test_a_walk_forward_is_measured_by_plain_formulas(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Volatility, turnover and values from weights that are known; its report has a line for each method."""
    pytest.importorskip("skfolio")
    from skfolio.optimization import MeanRisk

    from hybridmip.estimators import SparsePortfolio

    case = walkforward.Case("least variance", "made up", 3, 0.5, 0.0)
    monkeypatch.setitem(walkforward.WINDOWS, "made up", (100, 20, 2, 2))
    X = hm.market(assets=8, seed=1, periods=140).returns()
    ours = SparsePortfolio((None, 3), max_weight=0.5)
    weights = [SparsePortfolio((None, 3), max_weight=0.5).fit(X.iloc[at : at + 100]).weights_ for at in (0, 20)]
    found = walkforward.walk(ours, X, case, ours)
    after = np.concatenate([X.iloc[100:120].to_numpy() @ weights[0], X.iloc[120:140].to_numpy() @ weights[1]])
    assert found["volatility"] == pytest.approx(after.std(ddof=1) * np.sqrt(252))
    assert found["turnover"] == pytest.approx(np.abs(weights[1] - weights[0]).sum(), abs=1e-9)
    assert (found["windows"], found["proven"], found["failed"], found["held"]) == (2, 2, 0, 3)
    assert found["excess"] == pytest.approx([0.0, 0.0])
    free = walkforward.walk(MeanRisk(max_weights=0.5, save_problem=True), X, case, ours)
    assert all(share < -1e-3 for share in free["excess"])  # without a count the variance is lower
    none = walkforward.walk(SparsePortfolio(3, target_return=1.0), X, case)
    assert (none["failed"], none["proven"], none["excess"]) == (2, 0, [])
    record = common.Record(common.Options(out=tmp_path), "walkforward", seconds=1.0, gap=1e-6, risk_aversion=5.0)
    entry = {"name": "least variance", "market": "made up", "ours": found}
    record.write(entries=[entry, {**entry, "scip": free}])
    lines = [
        line for line in walkforward.report(common.records(tmp_path, "walkforward")).splitlines() if "made up," in line
    ]
    assert len(lines) == 4
    assert lines[1].count(" - ") == 7


def test_the_primal_integral_adds_up_gaps_over_time() -> None:
    """By hand: no answer for 1 s, half off for 2 s, the best from then on; better than the best counts as that."""
    trace = [[1.0, 20.0], [3.0, 10.0]]
    assert files.primal_integral(trace, 10.0, False, 10.0) == pytest.approx(1.0 + 2 * 0.5)
    assert files.primal_integral([], 10.0, False, 10.0) == 10.0
    assert files.primal_integral([[1.0, -20.0], [3.0, -10.0]], -10.0, True, 10.0) == pytest.approx(2.0)
    assert files.primal_integral([[2.0, 9.0]], 10.0, False, 10.0) == pytest.approx(2.0)
    assert files.primal_integral([[4.0, 10.0]], 10.0, False, 3.0) == pytest.approx(3.0)


def test_times_of_proofs_and_their_means() -> None:
    """What is not proven to the gap counts as the limit; the shifted mean of equal numbers is that number."""
    proven = {"value": 100.0, "bound": 99.99999, "seconds": 2.0}
    assert files.proof_seconds(proven, 1e-6, 30.0) == 2.0
    assert files.proof_seconds({**proven, "bound": 99.9}, 1e-6, 30.0) == 30.0
    assert files.proof_seconds({**proven, "value": None}, 1e-6, 30.0) == 30.0
    assert files.shifted_mean([3.0, 3.0]) == pytest.approx(3.0)
    assert files.shifted_mean([0.0, 3.0]) == pytest.approx(1.0)  # sqrt(1 * 4) - 1


def test_what_is_said_beside_the_peer() -> None:
    """Ratios, means and what small files cost more, of three files by hand."""

    def side(seconds: float, bound: float, **more: object) -> dict[str, object]:
        return {"value": 100.0, "bound": bound, "seconds": seconds, **more}

    peer = {"name": "HiGHS"}
    entries = [
        {"file": "a.mps", "maximise": False, "ours": side(0.08, 100.0), "peer": side(0.04, 100.0, **peer)},
        {"file": "b.mps", "maximise": False, "ours": side(3.0, 100.0), "peer": side(1.0, 100.0, **peer)},
        {"file": "c.mps", "maximise": False, "ours": side(30.0, 90.0), "peer": side(30.0, 95.0, **peer)},
    ]
    words = files.beside_the_peer({"settings": {"seconds": 30.0, "gap": 1e-6}, "entries": entries})
    assert (
        "Of the 2 files that both prove ours takes 2.50 times as long in the median, and 3.0 times at most (b)" in words
    )
    assert f"proven in {common.number(files.shifted_mean([0.08, 3.0, 30.0]))} s" in words
    assert "take 40 ms longer in the median of 1" in words


def test_where_ours_falls_short_is_said_of_the_worst_seed() -> None:
    """Of every kind one file, by hand, with what the other seeds have; nothing is said of a file that is fine."""

    def side(seconds: float, value: float, bound: float) -> dict[str, object]:
        return {"value": value, "bound": bound, "seconds": seconds}

    good, peer = side(1.0, 100.0, 100.0), {**side(19.0, 100.0, 100.0), "name": "HiGHS"}
    still_open = {**side(30.0, 102.0, 95.0), "name": "HiGHS"}
    common_part = {"family": "mip", "best": 100.0, "maximise": False}
    entries = [
        {"file": "fine.mps", "ours": good, "more": [good], "peer": peer, **common_part},
        {"file": "slow.mps", "ours": good, "more": [side(30.0, 100.0, 99.5)], "peer": peer, **common_part},
        {"file": "weak.mps", "ours": side(30.0, 100.0, 90.0), "more": [side(30.0, 100.0, 92.0)], "peer": still_open,
         **common_part},
        {"file": "off.mps", "ours": side(30.2, 101.0, 95.0), "more": [good], "peer": still_open, **common_part},
        {"file": "late.mps", "ours": side(30.4, 100.0, 95.0), "more": [good], "peer": still_open, **common_part},
    ]  # fmt: skip
    words = files.where_it_falls_short({"settings": {"seconds": 30.0, "gap": 1e-6}, "entries": entries})
    assert words.split(". ") == [
        "Proven by the peer within 20 s, not by ours: slow (1 of 2 seeds)",
        "Bounds of open files that are weaker by more than 1 %: weak (5.3 %, 2 of 2 seeds)",
        "Answers off the best known value by more than 0.1 %: off (1.00 %, peer 2.00 %, 1 of 2 seeds)",
        "Limits passed by more than 0.1 s and 1 %: late (0.40 s, 1 of 2 seeds).",
    ]


@pytest.mark.parametrize("with_trace", [False, True])
def test_files_are_reported_with_and_without_traces(tmp_path: Path, with_trace: bool) -> None:
    """Records of before have no traces, seeds or gap: they are read, and their primal integrals are dashes."""
    side = {"value": 10.0, "bound": 10.0, "seconds": 1.0, "found_at": 0.5, "status": "optimal"}
    peer = {"name": "HiGHS", "value": 11.0, "bound": 9.0, "seconds": 30.0, "found_at": 2.0}
    entry = {"file": "a.mps", "family": "mip", "best": 10.0, "maximise": False, "ours": side, "peer": peer}
    if with_trace:
        side["trace"], peer["trace"] = [[0.5, 10.0]], [[2.0, 11.0]]
        entry["more"] = [dict(side)]
    common.Record(common.Options(out=tmp_path), "files", seconds=30.0).write(entries=[entry])
    lines = files.report(common.records(tmp_path, "files*")).splitlines()
    head = next(k for k, line in enumerate(lines) if "primal integral s" in line)
    cells = [cell.strip() for cell in lines[head + 2].split("|")[1:-1]]
    assert cells[:5] == ["mip", "0.500", "2.00", "1.00", "30.0"]
    assert cells[5:] == (["0.500", "4.55"] if with_trace else ["-", "-"])


@pytest.mark.parametrize(
    "make",
    [
        lambda seed: generated.transportation(3, 4, generated.CHEAP, seed),
        lambda seed: generated.network(8, 20, seed),
        lambda seed: generated.multicommodity(5, 10, 2, seed),
        lambda seed: generated.lot_sizing(2, 4, seed),
        lambda seed: generated.facilities(4, 6, seed),
    ],
)
def test_generated_problems_are_the_same_for_the_same_seed(make: Callable[[int], hm.Problem]) -> None:
    """Same seed, same numbers; another seed, other numbers; and there is an answer."""
    one, again, other = make(3), make(3), make(4)
    assert np.array_equal(one.q, again.q)
    assert np.array_equal(one.p, again.p)
    assert np.array_equal(one.row_upper, again.row_upper)
    assert (one.A != again.A).nnz == 0
    assert not (np.array_equal(one.p, other.p) and np.array_equal(one.q, other.q))
    assert hm.solve(one, time_limit=10.0).has_solution


def test_limits_and_seeds_of_files_are_read(capsys: pytest.CaptureFixture[str]) -> None:
    """Lists by commas; a limit that is not positive is refused."""
    _, options, _ = runner.parse(["--only", "generated", "--limits", "30,120", "--file-seeds", "0,1,2"])
    assert (options.limits, options.file_seeds) == ((30.0, 120.0), (0, 1, 2))
    with pytest.raises(SystemExit):
        runner.parse(["--limits", "0"])
    assert "--limits" in capsys.readouterr().err


def test_a_run_is_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was measured is kept, seeds that are missing are added; other sources or settings begin anew."""
    monkeypatch.setattr(common, "same_sources", lambda measured: True)
    problem = generated.transportation(3, 4, generated.CHEAP, 0)
    made = [generated.Generated("small", f"3x4 {seed}", lambda: problem) for seed in (0, 1)]
    monkeypatch.setattr(generated, "instances", lambda seeds: iter(made))

    def run(**changes: Any) -> dict[str, Any]:
        generated.run(common.Options(out=tmp_path, limits=(5.0,), **changes))
        return json.loads((tmp_path / "results" / "generated-5s.json").read_text())

    first = run()
    again = run(resume=True, file_seeds=(0, 1))
    assert [part["machine"] for part in again["later_parts"]] == [again["machine"]]
    for before, after in zip(first["entries"], again["entries"], strict=True):
        assert (after["ours"], after["peer"]) == (before["ours"], before["peer"])
        assert [more["seed"] for more in after["more"]] == [1]
    assert run(resume=True, file_seeds=(0, 1))["entries"] == again["entries"]
    assert "later_parts" not in run(resume=True, threads=1)
    monkeypatch.setattr(common, "same_sources", lambda measured: False)
    assert "later_parts" not in run(resume=True, threads=1)


def test_sources_are_the_same_or_not() -> None:
    """A commit that is not known, and one that was measured with changes, are none of ours."""
    assert not common.same_sources(None)
    assert not common.same_sources("0000000")
    assert not common.same_sources(f"{common.commit()}+")


def test_a_run_that_has_not_come_to_every_file_says_so() -> None:
    """It is seen from another run that has; a whole one says nothing."""
    entries = [{"family": "mip", "file": name} for name in ("first.mps", "second.mps", "third.mps")]
    whole, cut = {"entries": entries}, {"entries": entries[:1]}
    assert files.unfinished(cut, [cut, whole]) == "**Not finished: 2 of 3 files are missing.**"
    assert files.unfinished(whole, [cut, whole]) == ""


def test_a_run_in_parts_counts_them_and_says_the_largest_load() -> None:
    """What was gone on with has a load of its own."""
    part = {"date": "2026-01-02", "load_at_start": 3.5}
    document = {"date": "2026-01-01", "load_at_start": 0.5, "run_seconds": 60.0, "notes": [], "quick": False}
    assert "in 60.0 s, load at the start 0.5." in common.section("Files", [document])
    text = common.section("Files", [{**document, "later_parts": [part]}])
    assert "Measured 2026-01-01 to 2026-01-02 in 60.0 s and 2 parts, load at the start 3.5." in text
    text = common.section("Files", [{**document, "commit": "a1", "later_parts": [{**part, "commit": "b2"}]}])
    assert "load at the start 3.5, at a1, b2." in text
