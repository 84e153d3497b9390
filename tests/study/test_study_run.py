"""The study from beginning to end on a small market: whole, repeatable, resumable, and clear when it cannot be."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import hybridmip as hm
from hybridmip.cli import main
from hybridmip.errors import ArgumentError, FileError, MissingDependencyError
from hybridmip.study import Options, Study, plan, study
from hybridmip.study import reference as reference_solvers
from hybridmip.study.report import Findings, save_report
from hybridmip.study.sets import SETS, load_set
from hybridmip.study.solvers import PACKAGES
from hybridmip.study.work import relaxations
from hybridmip.sweep.curve import unconstrained_variances

SMALL = "portsmall"
OPTIONS = Options(sets=(SMALL,), seeds=(0, 1), quick=True)
TIMES = ["seconds", "mean_seconds", "max_seconds"]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A market of 26 assets as OR-Library would write it, with its unconstrained frontier."""
    folder = tmp_path_factory.mktemp("data")
    returns, covariance = hm.market(assets=26, seed=3).sample_estimates()
    mean, cov = returns.to_numpy(), covariance.to_numpy()
    deviation = np.sqrt(np.diag(cov))
    lines = [" 26"] + [f" {m:.10f} {s:.10f}" for m, s in zip(mean, deviation, strict=True)]
    correlation = cov / np.outer(deviation, deviation)
    lines += [f" {i + 1} {j + 1} {correlation[i, j]:.10f}" for i in range(26) for j in range(i, 26)]
    (folder / f"{SMALL}.txt").write_text("\n".join(lines) + "\n")
    asked = hm.Portfolio(mean, cov)
    low, high = asked.efficient_range()
    grid = np.linspace(low, high, 25)[::-1]
    points = zip(grid, unconstrained_variances(asked, grid), strict=True)
    (folder / "portefsmall.txt").write_text("\n".join(f" {r:.12f} {v:.14f}" for r, v in points) + "\n")
    return folder


@pytest.fixture(scope="module")
def finished(data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Path]:
    """A study that ran through, with its report."""
    out = tmp_path_factory.mktemp("finished")
    found = study(data, out, OPTIONS)
    save_report(found, out)
    return found, out


def same(one: Study, other: Study) -> None:
    """All tables but the seconds, bit for bit."""
    first, second = Findings(one).frames, Findings(other).frames
    for name, frame in first.items():
        drop = [column for column in TIMES if column in frame]
        pd.testing.assert_frame_equal(frame.drop(columns=drop), second[name].drop(columns=drop), check_exact=True)


def test_facts(finished: tuple[Study, Path]) -> None:
    """Nobody is below the reference, bounds are not above it, counts add up, gaps are within their limits."""
    findings = Findings(finished[0])
    points = findings.points
    assert (points["objective_gap_percent"].dropna() >= 0).all()
    assert (points["bound"].dropna() <= points.loc[points["bound"].notna(), "best_known"] * (1 + 1e-9)).all()
    assert (points["objective"].dropna() >= 0).all()
    assert points["binary_sum"].dropna().between(0, 20).all()
    assert (points["binary_sum"].dropna() % 2 == 0).all()
    assert (2 * points["binary_half"] == points["binary_sum"]).all()
    assert (points["percentage_error"].dropna() >= 0).all()
    ours = points[points["method"] == "ours"]
    assert (ours["objective_gap_percent"] <= 1e-4).all()
    # The least variance has the least percentage error at its return.
    for _, group in points.groupby("target"):
        least = group.loc[group["method"] == "ours", "percentage_error"].min()
        assert (group["percentage_error"].dropna() >= least - 1e-6).all()
    targets = findings.answers.targets(SMALL)
    assert sum(map(len, targets.values())) == 10
    assert targets["infeasible"], "the top of a frontier is out of reach of ten assets"
    assert len(ours) == 2 * len(targets["feasible"])
    assert np.allclose(points["return"].dropna(), points.loc[points["return"].notna(), "target_return"], rtol=1e-6)


def test_against_solves_of_their_own(finished: tuple[Study, Path], data: Path) -> None:
    """The values are those that `solve` and an exhaustive look at the relaxations give."""
    answers = finished[0].answers
    market = load_set(data, SMALL)
    k = answers.targets(SMALL)["feasible"][3]
    problem = market.target_problem(float(market.targets[k]))
    record = answers.get(SMALL, "paper", 1, k)
    assert record is not None
    alone = hm.solve(problem, config=hm.Config.paper(threads=1), seed=1)
    assert record["objective"] == alone.objective
    for answer in relaxations(problem).values():
        if answer["objective"] is not None:
            x = np.zeros(problem.n)
            for j, weight in answer["x"]:
                x[j] = weight
            b = np.isin(np.arange(problem.n), answer["b"])
            assert b.sum() == 10
            assert problem.violation(x, b) <= 1e-9
            assert problem.objective(x, b) == pytest.approx(answer["objective"], rel=1e-12)
            assert answer["bound"] <= alone.objective * (1 + 1e-9)


def test_classical_setting(data: Path) -> None:
    """All weight on the return gives the ten best assets at their limits, all on the variance the least variance."""
    market = load_set(data, SMALL)
    best = np.sort(market.returns)[::-1][:10]
    greedy = hm.solve(market.weighted_problem(0.0))
    assert greedy.objective == pytest.approx(-(0.91 * best[0] + 0.01 * best[1:].sum()), rel=1e-9)
    safe = hm.solve(market.weighted_problem(1.0))
    everywhere = hm.Portfolio(market.returns, market.covariance, assets=10, min_weight=0.01).problem()
    assert safe.objective == pytest.approx(hm.solve(everywhere).objective, rel=1e-9)


def test_what_is_written(finished: tuple[Study, Path]) -> None:
    """Reports, tables and figures, each whole; the page is complete in itself."""
    out = finished[1]
    names = {path.name for path in out.iterdir()}
    assert names == {"study.md", "study.html", "study", "study.sqlite"}
    files = {path.name for path in (out / "study").iterdir()}
    for figure in (f"frontier_{SMALL}", "objective_gaps", "convergence", "ablation"):
        assert {f"{figure}.png", f"{figure}.svg"} <= files
        assert (out / "study" / f"{figure}.png").read_bytes().startswith(b"\x89PNG")
        assert "</svg>" in (out / "study" / f"{figure}.svg").read_text()
    text = (out / "study.md").read_text()
    for name in files:
        if name.endswith(".png"):
            assert f"(study/{name})" in text
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert len(tables) > 40
    assert "nan" not in text
    assert "inf " not in text
    page = (out / "study.html").read_text()
    assert page.count('<img src="data:image/svg+xml;base64,') == 4
    assert page.rstrip().endswith("</html>")
    frame = pd.read_csv(out / "study" / "points.csv")
    assert set(frame["method"]) == {"line", "dual", "augm", "paper", "ours", "fitted"}


def test_ablation(finished: tuple[Study, Path]) -> None:
    """Eight rows of the paper's pipeline, seven of ours; intervals contain their means; nothing differs from itself."""
    frame = Findings(finished[0]).frames["ablation"]
    assert frame["pipeline"].value_counts().to_dict() == {"paper": 8, "ours": 7}
    for what in ("objective_gap", "certified_gap"):
        finite = frame[np.isfinite(frame[f"{what}_more"])]
        assert (finite[f"{what}_low"] <= finite[f"{what}_more"] + 1e-12).all()
        assert (finite[f"{what}_more"] <= finite[f"{what}_high"] + 1e-12).all()
        assert (frame.loc[frame["without"] == "nothing", f"{what}_more"] == 0).all()


def test_ablations_leave_one_out() -> None:
    """Without Persp the paper's pipeline is the paper's algorithm; every variant differs from the whole in one part."""
    variants = plan.ablations()
    assert variants["paper, persp"] == plan.paper()
    assert len({repr(config) for config in variants.values()}) == len(variants)


def test_resume(finished: tuple[Study, Path], data: Path, tmp_path: Path) -> None:
    """A run that is interrupted twice and resumed gives what one without interruption gives, and does nothing twice."""

    class Impatient:
        def __init__(self, share: float) -> None:
            self.share = share

        def update(self, step: str, done: float, total: float, seconds: float) -> None:
            if done > self.share * total:
                raise KeyboardInterrupt

    for share in (0.05, 0.6):
        with pytest.raises(KeyboardInterrupt):
            study(data, tmp_path, OPTIONS, resume=share > 0.1, progress=Impatient(share))
    with sqlite3.connect(tmp_path / "study.sqlite") as file:
        before = dict(file.execute("SELECT phase || round || '-' || point, record FROM answers").fetchall())
    assert len(before) > 20
    found = study(data, tmp_path, OPTIONS, resume=True)
    with sqlite3.connect(tmp_path / "study.sqlite") as file:
        after = dict(file.execute("SELECT phase || round || '-' || point, record FROM answers").fetchall())
    assert all(after[key] == record for key, record in before.items())
    same(finished[0], found)
    again = study(data, tmp_path, OPTIONS, resume=True)
    assert again.sittings == found.sittings
    assert len(found.sittings) == 3
    assert found.sittings[0].processor is None
    assert (found.sittings[2].processor or 0.0) > 0


def test_processes_do_not_matter(finished: tuple[Study, Path], data: Path, tmp_path: Path) -> None:
    """Two processes give the numbers of one."""
    same(finished[0], study(data, tmp_path, OPTIONS, jobs=2))


def test_a_run_is_not_overwritten(finished: tuple[Study, Path], data: Path) -> None:
    """Without --resume a run that is there is refused; so is one with other settings."""
    with pytest.raises(FileError, match="--resume"):
        study(data, finished[1], OPTIONS)
    with pytest.raises(FileError, match="seeds"):
        study(data, finished[1], Options(sets=(SMALL,), seeds=(0,), quick=True), resume=True)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (Options(sets=("dax",)), "--sets"),
        (Options(sets=(SMALL, SMALL)), "twice"),
        (Options(sets=(SMALL,), seeds=()), "at least one"),
        (Options(sets=(SMALL,), seeds=(-1,)), "--seeds"),
        (Options(sets=(SMALL,), reference=("xpress",)), "cplex, gurobi, scip"),
        (Options(sets=(SMALL,), reference_seconds=0.0), "--reference-seconds"),
    ],
)
def test_bad_arguments(data: Path, tmp_path: Path, options: Options, words: str) -> None:
    """Told before anything is computed or written."""
    with pytest.raises(ArgumentError, match=words):
        study(data, tmp_path, options)
    assert list(tmp_path.iterdir()) == []


def test_missing_reference_solver(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pip command that mends it, before anything is computed."""
    monkeypatch.setitem(PACKAGES, "cplex", "no_such_package")
    with pytest.raises(MissingDependencyError, match="pip install no_such_package"):
        study(data, tmp_path, Options(sets=(SMALL,), reference=("cplex",)))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["cplex", "gurobi", "scip"])
def test_reference_solvers(data: Path, name: str) -> None:
    """Where one is installed it finds what we find, and is not below our bound."""
    pytest.importorskip(PACKAGES[name])
    market = load_set(data, SMALL)
    problem = market.target_problem(float(market.targets[20]))
    answer = reference_solvers.reference_answer(name, problem, 5.0)
    if answer["status"] in ("refused", "failed"):
        pytest.skip(answer["note"])
    ours = hm.solve(problem)
    assert answer["objective"] >= ours.bound * (1 - 1e-9)
    assert answer["objective"] >= ours.objective * (1 - 1e-6)
    if answer["status"] == "optimal":
        assert answer["objective"] == pytest.approx(ours.objective, rel=1e-6)
    infeasible = reference_solvers.reference_answer(name, market.target_problem(float(market.targets[49])), 5.0)
    assert infeasible["status"] == "infeasible"
    assert infeasible["objective"] is None


def test_damaged_data(data: Path, tmp_path: Path) -> None:
    """A missing frontier, a truncated file and a file that is not what its name says: each is told by name."""
    (tmp_path / f"{SMALL}.txt").write_text((data / f"{SMALL}.txt").read_text())
    with pytest.raises(FileError, match=r"no portefsmall\.txt"):
        study(tmp_path, tmp_path / "out", OPTIONS)
    (tmp_path / "port1.txt").write_text((data / f"{SMALL}.txt").read_text())
    (tmp_path / "portef1.txt").write_text((data / "portefsmall.txt").read_text())
    with pytest.raises(FileError, match=r"port1\.txt.*SHA-256"):
        load_set(tmp_path, "port1")
    (tmp_path / "portcut.txt").write_text((data / f"{SMALL}.txt").read_text()[:400])
    (tmp_path / "portefcut.txt").write_text((data / "portefsmall.txt").read_text())
    with pytest.raises(FileError, match=r"portcut\.txt"):
        load_set(tmp_path, "portcut")


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run a command line in this process: exit code, standard output, standard error."""

    def call(*arguments: object) -> tuple[int, str, str]:
        capfd.readouterr()
        with pytest.raises(SystemExit) as ending:
            main([str(argument) for argument in arguments])
        written = capfd.readouterr()
        return int(ending.value.code or 0), written.out, written.err

    return call


def test_command(
    finished: tuple[Study, Path],
    data: Path,
    run: Callable[..., tuple[int, str, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A finished run is reported again at once; --json gives one document."""
    asked = ("study", "--data", data, "--out", finished[1], "--quick", "--sets", SMALL, "--seeds", "0,1", "--resume")
    code, out, err = run(*asked, "--json")
    assert code == 0
    document = json.loads(out)
    assert document["sets"][0]["ours"]["max_objective_gap_percent"] <= 1e-4
    assert math.isfinite(document["seconds"])
    assert "100 %" in err
    files = [Path("study.md"), Path("study.html"), Path("study/a.csv")]
    monkeypatch.setattr("hybridmip.study.report.save_report", lambda study, folder: files)
    code, out, err = run(*asked, "--quiet")
    assert (code, err) == (0, "")
    assert "Ours" in out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--data", "nowhere"), "hybridmip data orlib"),
        (("--seeds", "1,two"), "--seeds"),
        (("--sets", "port9"), "port9.txt"),
        (("--reference", "glpk"), "--reference"),
    ],
)
def test_command_errors(
    data: Path, tmp_path: Path, run: Callable[..., tuple[int, str, str]], options: tuple[str, ...], words: str
) -> None:
    """Exit code 2, one line, nothing written."""
    code, out, err = run("study", "--data", data, "--out", tmp_path / "out", *options)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err
    assert not list(tmp_path.glob("out/*"))


def test_interrupted_command(
    data: Path, tmp_path: Path, run: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line that says how to go on, and no report."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("hybridmip.study.run.run_tasks", interrupt)
    code, out, err = run("study", "--data", data, "--out", tmp_path, "--sets", SMALL, "--jobs", "1", "--quick", "-q")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "--resume" in err
    assert [path.name for path in tmp_path.iterdir()] == ["study.sqlite"]


def test_real_sets(data_dir: Path) -> None:
    """The five sets are read and checked; the targets are those of the reference values."""
    if not (data_dir / "orlib" / "port1.txt").is_file():
        pytest.skip(f"no port1.txt in {data_dir / 'orlib'}; set HYBRIDMIP_DATA to the folder of instances")
    markets = [load_set(data_dir, name) for name in SETS]
    assert [market.n for market in markets] == [31, 85, 89, 98, 225]
    # What ten assets can return at most decides which of the targets can be met.
    feasible = []
    for market in markets:
        best = np.sort(market.returns)[::-1]
        feasible.append(int((market.targets <= 0.91 * best[0] + 0.01 * best[1:10].sum()).sum()))
    assert feasible == [46, 47, 47, 48, 49]
    path = data_dir / "reference" / "port1.json"
    if path.is_file():
        points = json.loads(path.read_text())["points"]
        assert markets[0].targets == pytest.approx([point["target_return"] for point in points], rel=1e-9)
