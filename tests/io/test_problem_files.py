"""Files of every kind: what is read, what is refused and why, and solutions of others checked in our terms."""

from __future__ import annotations

import contextlib
import csv
import gzip
import math
from pathlib import Path

import highspy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hybridmip as hm
from hybridmip.errors import FileError
from hybridmip.io.model import ReadProblem
from hybridmip.io.problem_json import problem_from_dict, problem_to_dict, write_problem_json
from hybridmip.io.problems import read_model, read_problem
from hybridmip.io.write import write_mps
from hybridmip.model.problem import Problem

FOLDERS = ("mip", "network", "qplib", "miqp", "regression")
#: Files that no Problem says, and why; the two CSVs hold data, not a problem.
REFUSED = {
    "QPLIB_0018.qplib": "not convex",
    "QPLIB_0031.qplib": "not convex",
    "QPLIB_0032.qplib": "not convex",
    "QPLIB_0343.qplib": "not convex",
    "diabetes_data_raw.csv.gz": "no such kind of problem file",
    "diabetes_target.csv.gz": "no such kind of problem file",
}


def test_every_public_file(data_dir: Path) -> None:
    """Every file of the collections is read, or refused for its reason; binaries are as many as are listed."""
    with (data_dir / "reference" / "best_known.csv").open() as file:
        listed = {row["file"]: row for row in csv.DictReader(file)}
    files = [path for folder in FOLDERS for path in sorted((data_dir / folder).rglob("*")) if path.is_file()]
    assert files
    for path in files:
        reason = REFUSED.get(path.name)
        if reason:
            with pytest.raises(FileError, match=reason) as caught:
                read_problem(path)
            assert "\n" not in str(caught.value)
            continue
        read = read_model(path)
        row = listed.get(str(path.relative_to(data_dir)))
        if row and row["binaries"]:
            binaries = int((read.original.b_index >= 0).sum())
            fixed = int(((read.original.b_index < 0) & (read.original.x_index < 0)).sum())
            assert binaries <= int(row["binaries"]) <= binaries + fixed, path.name


@pytest.mark.parametrize(
    ("name", "links", "rows"),
    [
        ("network/fctp/ran10x10a.mps.gz", 100, 20),
        ("network/fcnet/p50x288.mps.gz", 288, 50),
        ("mip/fixnet6.mps.gz", 378, 100),
        ("miqp/squfl010-025.mps.gz", 250, 25),
        ("regression/diabetes10_k3.mps.gz", 10, 0),
        ("qplib/QPLIB_3871.qplib.gz", 1000, 40),
    ],
)
def test_links_of_public_files(data_dir: Path, name: str, links: int, rows: int) -> None:
    """Every variable that has a switch has a link, and only the other rows are left."""
    problem = read_problem(data_dir / name)
    assert int(problem.switched.sum()) == links
    assert problem.rows == rows


def test_no_published_value_below_a_proven_bound(data_dir: Path, tmp_path: Path) -> None:
    """Trap 5: a table may be wrong; a value below the relaxation of what we read would show it, or a misread file."""
    with (data_dir / "reference" / "best_known.csv").open() as file:
        listed = {row["file"]: row for row in csv.DictReader(file)}
    files = [name for name in listed if name.startswith(("network/fc", "network/warehouse"))]
    assert files
    for name in files:
        lowest = relaxation(read_problem(data_dir / name), tmp_path / "p.mps")
        best = float(listed[name]["best_known"])
        assert lowest <= best + 1e-6 * abs(best), name
        assert lowest > 0, name


def relaxation(problem: Problem, path: Path) -> float:
    """The value with b anywhere between 0 and 1, by HiGHS."""
    write_mps(problem, path)
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("solve_relaxation", True)
    assert solver.readModel(str(path)) == highspy.HighsStatus.kOk
    solver.run()
    assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return float(solver.getInfo().objective_function_value)


@pytest.mark.parametrize(
    "name",
    [
        "mip/p0033.mps.gz", "mip/egout.mps.gz", "mip/vpm1.mps.gz", "mip/misc06.mps.gz", "mip/khb05250.mps.gz",
        "mip/modglob.mps.gz", "mip/dcmulti.mps.gz", "mip/bell5.mps.gz", "mip/blend2.mps.gz", "mip/gen.mps.gz",
        "mip/set1ch.mps.gz", "mip/aflow30a.mps.gz", "mip/qiu.mps.gz",
        "network/fctp/bal8x12.mps.gz", "network/fcnet/beavma.mps.gz", "network/fcnet/p50x288.mps.gz",
    ],
)  # fmt: skip
def test_solutions_of_highs(data_dir: Path, name: str) -> None:
    """What HiGHS finds in less than a second, from the same file, is feasible here and has the same value (trap 6)."""
    solver = highspy.Highs()
    for option, value in (("output_flag", False), ("threads", 1), ("time_limit", 0.8)):
        solver.setOptionValue(option, value)
    assert solver.readModel(str(data_dir / name)) == highspy.HighsStatus.kOk
    solver.run()
    if solver.getInfo().primal_solution_status != 2:
        pytest.skip("no solution within a second")
    values = np.array(solver.getSolution().col_value)
    read = read_model(data_dir / name)
    kinds = np.array([int(kind) for kind in solver.getLp().integrality_])
    values[kinds == 1] = np.round(values[kinds == 1])
    assert_agrees(read, values, solver.getInfo().objective_function_value)


@pytest.mark.parametrize("name", ["alan", "fac3", "gbd", "meanvarx", "slay04m", "squfl010-025", "netmod_kar1"])
def test_solutions_of_scip(data_dir: Path, name: str) -> None:
    """What SCIP finds in two seconds, from the same file, is feasible here and has the same value (trap 6)."""
    scip = pytest.importorskip("pyscipopt", reason="pip install pyscipopt to compare with SCIP")
    path = data_dir / "miqp" / f"{name}.mps.gz"
    model = scip.Model()
    model.hideOutput()
    model.readProblem(str(path))
    model.setParam("limits/time", 2.0)
    model.optimize()
    if not model.getNSols():
        pytest.skip("no solution within two seconds")
    best = model.getBestSol()
    found = {variable.name: model.getSolVal(best, variable) for variable in model.getVars(transformed=False)}
    read = read_model(path)
    values = np.array([found[column] for column in read.original.names])
    values[read.original.b_index >= 0] = np.round(values[read.original.b_index >= 0])
    assert_agrees(read, values, model.getObjVal())


def assert_agrees(read: ReadProblem, values: np.ndarray, objective: float) -> None:
    x, b = read.point(values)
    size = max(1.0, float(np.abs(values).max()))
    assert read.problem.violation(x, b) <= 1e-6 * size
    assert read.objective(read.problem.objective(x, b)) == pytest.approx(objective, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "best"),
    [("network/warehouse/cap41.txt", 1040444.375), ("network/warehouse/cap131.txt", 793439.5625),
     ("network/canad/r01.1.dow", 74079), ("network/mincostflow/sample.dmx", 9),
     ("network/mincostflow/Network3.dmx", 12909051)],
)  # fmt: skip
def test_published_optima_of_networks(data_dir: Path, tmp_path: Path, name: str, best: float) -> None:
    """HiGHS, given the problem as we read it, finds the published optimum."""
    write_mps(read_problem(data_dir / name), tmp_path / "p.mps")
    solver = highspy.Highs()
    for option, value in (("output_flag", False), ("threads", 1), ("time_limit", 10.0), ("mip_rel_gap", 0.0)):
        solver.setOptionValue(option, value)
    assert solver.readModel(str(tmp_path / "p.mps")) == highspy.HighsStatus.kOk
    solver.run()
    assert solver.getInfo().objective_function_value == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("name", ["a.mps", "a.lp", "a.qplib", "a.json", "a.dow", "a.dmx", "a", "a.txt", "a.xyz"])
def test_files_that_are_nothing(tmp_path: Path, name: str) -> None:
    """Missing, empty, a directory, garbage, a damaged gzip file: one line that helps, for every kind."""
    path = tmp_path / name
    with pytest.raises(FileError, match="does not exist; check the path"):
        read_problem(path)
    path.mkdir()
    with pytest.raises(FileError, match="is a directory; give a file in it"):
        read_problem(path)
    path.rmdir()
    contents = {
        b"": "is empty",
        b"\n \n": "is empty",
        bytes(range(256)): "is not UTF-8 text",
        b"hello world\n": "",
        b"\xef\xbb\xbf1 2 3\n": "",
        gzip.compress(b"NAME\nROWS\n")[:-9]: "damaged gzip",
        b"\x1f\x8bnothing": "damaged gzip",
    }
    for content, message in contents.items():
        path.write_bytes(content)
        with pytest.raises(FileError) as caught:
            read_problem(path)
        assert message in str(caught.value)
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)


@settings(max_examples=80, deadline=None)
@given(
    content=st.one_of(
        st.binary(max_size=200),
        st.text(alphabet=st.sampled_from("01 2.e-+x\n\tpanRb:<=[]^*#QCGL"), max_size=200).map(str.encode),
    ),
    packed=st.booleans(),
    suffix=st.sampled_from(["", ".txt", ".mps", ".lp", ".qplib", ".dow", ".dmx"]),
)
def test_garbage_raises_only_our_errors(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, packed: bool, suffix: str
) -> None:
    """Whatever the bytes, a problem or an error of ours."""
    path = tmp_path_factory.mktemp("garbage") / f"a{suffix}"
    path.write_bytes(gzip.compress(content) if packed else content)
    with contextlib.suppress(FileError):
        read_problem(path)


def test_portfolio_data_is_no_problem(tmp_path: Path) -> None:
    """OR-Library's port files are recognised, and the command for them is named."""
    (tmp_path / "port.txt").write_text(" 2\n .1 .2\n .1 .2\n 1 1 1\n 1 2 .5\n 2 2 1\n")
    with pytest.raises(FileError, match="hybridmip portfolio"):
        read_problem(tmp_path / "port.txt")


def test_json_reads_back(tmp_path: Path) -> None:
    """A problem that we wrote is read by the same function, with the identity as the way back."""
    problem = Problem(q=[1.0], p=[2.0], switch=[0], x_lower=0.0, x_upper=1.0)
    write_problem_json(problem, tmp_path / "p.json.gz")
    read = read_model(tmp_path / "p.json.gz")
    assert read.problem.hash == problem.hash
    assert read.original.names == ("x0", "b0")


def test_json_with_a_q_that_is_none() -> None:
    """Bounds read one triangle of Q, so one that is not symmetric is refused; only rounding is evened out."""
    problem = Problem(Q=[[1.0, 0.5], [0.5, 1.0]], x_lower=0.0, x_upper=1.0, switch=[0, 1])
    document = problem_to_dict(problem)
    assert problem_from_dict(document).hash == problem.hash
    entries = {"shape": [2, 2], "starts": [0, 2, 3], "columns": [0, 1, 1], "values": [1.0, -10.0, 1.0]}
    for Q, reason in (
        ({"kind": "dense", "matrix": [[1.0, -10.0], [0.0, 1.0]]}, "must be symmetric"),
        ({"kind": "sparse", "entries": entries}, "must be symmetric"),
        ({"kind": "sparse", "entries": entries | {"values": [1.0, math.nan, 1.0]}}, "must be finite"),
        ({"kind": "dense", "matrix": [[1.0, math.nan], [math.nan, 1.0]]}, "must be finite"),
        ({"kind": "dense", "matrix": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]}, "must be square"),
        ({"kind": "diagonal", "values": [1.0, math.inf]}, "must be finite"),
    ):
        with pytest.raises(FileError, match=reason):
            problem_from_dict(document | {"Q": Q})
    rounded = problem_from_dict(document | {"Q": {"kind": "dense", "matrix": [[1.0, 0.5], [0.5 + 1e-15, 1.0]]}})
    assert (rounded.Q.toarray() == rounded.Q.toarray().T).all()


def test_sense_and_columns_are_kept(tmp_path: Path) -> None:
    """A maximisation with an integer and a semicontinuous column: the answer in the file's own terms, and back."""
    path = tmp_path / "a.lp"
    path.write_text(
        "maximize\n gain: 3 k + 2 s + y\nsubject to\n room: k + s + 2 y <= 7.5\nbounds\n 0 <= k <= 5\n 2 <= s <= 3\n"
        "general\n k\nbinary\n y\nsemi-continuous\n s\nend\n"
    )
    model = hm.read_model(path)
    assert isinstance(model, hm.ReadProblem)
    assert (model.maximise, model.objective_name, model.source) == (True, "gain", str(path))
    assert model.problem.hash == hm.read_problem(path).hash
    result = hm.solve(model.problem)
    assert model.objective(result.objective) == pytest.approx(20)
    values = model.values(result.x, result.b)
    assert values == pytest.approx({"k": 5, "s": 2.5, "y": 0})
    x, b = model.point(values)
    assert model.problem.violation(x, b) <= 1e-9
    assert model.problem.objective(x, b) == pytest.approx(-20)
