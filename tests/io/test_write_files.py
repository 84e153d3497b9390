"""Written problems read back as they were, by us and by others."""

from __future__ import annotations

import gzip
from pathlib import Path

import highspy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hybridmip as hm
from hybridmip.errors import FileError, ProblemError
from hybridmip.io.problems import read_model
from hybridmip.io.write import write_lp, write_mps, write_solution
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import FactorModel

WRITERS = {".mps": write_mps, ".lp": write_lp, ".mps.gz": write_mps, ".lp.gz": write_lp}


def problem_of(seed: int, form: str = "dense") -> Problem:
    """A problem with every kind of row, bound and link."""
    rng = np.random.default_rng(seed)
    n, m = 6, 4
    root = rng.normal(size=(n, 3))
    Q = {
        "dense": root @ root.T,
        "diagonal": np.abs(root[:, 0]),
        "factor": FactorModel(root, np.eye(3), np.ones(n)),
        "none": None,
    }[form]
    row_lower = np.array([-1.0, -np.inf, 0.5, -np.inf])
    row_upper = np.array([2.0, 3.0, 0.5, np.inf])
    return Problem(
        Q=Q, q=rng.normal(size=n), p=rng.normal(size=m), offset=float(rng.normal()),
        A=rng.integers(-2, 3, size=(4, n)), G=rng.integers(-2, 3, size=(4, m)),
        row_lower=row_lower, row_upper=row_upper,
        B=[[1, 1, 1, 0], [0, 0, 1, -1]], b_lower=[1, -np.inf], b_upper=[2, 0],
        x_lower=[0, -2, 0.5, 1, -np.inf, -4], x_upper=[3, 0, 2, 1, np.inf, 5], switch=[0, 1, 1, 2, -1, -1],
        x_names=["a", "b", "c", "d", "end", "x 1"], b_names=["a", "u", "min", "3v"],
        row_names=["c1", "c2", "c3", "c4"], b_row_names=["c1", "k"],
    )  # fmt: skip


def points(problem: Problem, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Points on and off every link and bound."""
    found = []
    for _ in range(40):
        b = rng.integers(0, 2, size=problem.m).astype(float)
        lower, upper = problem.bounds_given(b)
        share = rng.choice([0.0, 0.5, 1.0, 1.2], size=problem.n, p=[0.3, 0.3, 0.3, 0.1])
        lower, upper = np.maximum(lower, -9), np.minimum(upper, 9)
        found.append((lower + share * (upper - lower), b))
    return found


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    suffix=st.sampled_from(list(WRITERS)),
    form=st.sampled_from(["dense", "diagonal", "none"]),
)
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, seed: int, suffix: str, form: str) -> None:
    """The same values and the same feasible points: x first, then b, in the file's order."""
    problem = problem_of(seed, form)
    path = tmp_path_factory.mktemp("written") / f"p{suffix}"
    WRITERS[suffix](problem, path)
    read = read_model(path)
    order = _order(problem, read.original.names, suffix)
    for x, b in points(problem, np.random.default_rng(seed)):
        values = np.concatenate([x, b])[order]
        theirs = read.point(values)
        assert read.problem.objective(*theirs) == pytest.approx(problem.objective(x, b), rel=1e-12, abs=1e-12)
        assert (read.problem.violation(*theirs) <= 1e-9) == (problem.violation(x, b) <= 1e-9)


def _order(problem: Problem, names: tuple[str, ...], suffix: str) -> list[int]:
    """Where each of the file's columns is in (x, b); an LP file has them in the order of their first use."""
    renamed = ["a", "b", "c", "d", "_end" if ".lp" in suffix else "end", "x_1", "a_2", "u"]
    renamed += ["_min", "_3v"] if ".lp" in suffix else ["min", "3v"]
    assert sorted(renamed) == sorted(names)
    return [renamed.index(name) for name in names]


def test_links_come_back(tmp_path: Path) -> None:
    """Every switch is recognised again, with its bounds."""
    problem = problem_of(0)
    write_mps(problem, tmp_path / "p.mps")
    back = read_model(tmp_path / "p.mps").problem
    np.testing.assert_array_equal(back.switch, problem.switch)
    np.testing.assert_array_equal(back.x_lower, problem.x_lower)
    np.testing.assert_array_equal(back.x_upper, problem.x_upper)
    assert back.rows == 3  # the row without limits is gone
    np.testing.assert_allclose(back.Q.toarray(), problem.Q.toarray())


@pytest.mark.parametrize("suffix", [".mps", ".lp"])
def test_highs_reads_what_we_write(tmp_path: Path, suffix: str) -> None:
    """HiGHS finds the same optimum of a MILP as we do, from the file."""
    rng = np.random.default_rng(3)
    n = 8
    problem = Problem(
        q=rng.normal(size=n), p=rng.random(n), offset=2.5, A=np.ones((1, n)), row_lower=1.0, row_upper=3.0,
        B=np.ones((1, n)), b_lower=1, b_upper=3, x_lower=0.2, x_upper=1.0, switch=np.arange(n),
    )  # fmt: skip
    path = tmp_path / f"p{suffix}"
    WRITERS[suffix](problem, path)
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    assert solver.readModel(str(path)) == highspy.HighsStatus.kOk
    solver.run()
    assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    assert solver.getInfo().objective_function_value == pytest.approx(hm.solve(problem, seed=0).objective, abs=1e-7)


def test_factor_models_are_multiplied_out(tmp_path: Path) -> None:
    """A file has no other way to say them."""
    problem = problem_of(1, "factor")
    write_mps(problem, tmp_path / "p.mps")
    np.testing.assert_allclose(read_model(tmp_path / "p.mps").problem.Q.toarray(), problem.Q.toarray(), atol=1e-12)


def test_a_switch_without_a_limit_is_refused(tmp_path: Path) -> None:
    """No row can say it."""
    with pytest.raises(ProblemError, match="switched but has no limit"):
        write_mps(Problem(q=[1.0], switch=[0], x_lower=0.0), tmp_path / "p.mps")


def test_a_place_that_is_not_there(tmp_path: Path) -> None:
    """The error says where it could not write."""
    with pytest.raises(FileError, match="cannot write"):
        write_lp(problem_of(0), tmp_path / "no" / "p.lp")


def test_solution_files(tmp_path: Path) -> None:
    """Names and sense of the file that was read; nonzeros only; twins and bits of integers hidden."""
    text = (
        "Maximize\n obj: 2 x + 3 y + k + [ 2 y * z - 2 y^2 - 2 z^2 ] / 2\nSubject To\n c: x - 4 y <= 0\n"
        "Bounds\n k <= 5\nGeneral\n k\nBinary\n y z\nEnd\n"
    )
    (tmp_path / "p.lp").write_text(text)
    read = read_model(tmp_path / "p.lp")
    x, b = read.point({"x": 4.0, "y": 1.0, "k": 3.0})
    assert read.problem.violation(x, b) == 0
    write_solution(tmp_path / "p.sol", read, x, b, read.problem.objective(x, b))
    assert (tmp_path / "p.sol").read_text() == "=obj= 13.0\nx 4.0\ny 1.0\nk 3.0\n"
    problem = Problem(q=[1.0], p=[2.0], switch=[0], x_lower=0.0, x_upper=1.0)
    write_solution(tmp_path / "q.sol.gz", problem, [0.5], [1.0], 2.5)
    assert gzip.decompress((tmp_path / "q.sol.gz").read_bytes()) == b"=obj= 2.5\nx0 0.5\nb0 1.0\n"
