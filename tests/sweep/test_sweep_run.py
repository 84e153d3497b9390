"""The sweep: as good as point by point, the same however it is run, and nothing lost when it is not."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import hybridmip as hm
from hybridmip.errors import ArgumentError, FileError
from hybridmip.io.orlib import read_port, read_portef
from hybridmip.sweep.curve import unconstrained_variances
from hybridmip.sweep.store import Store
from tests.faults import command, table

COLUMNS = [
    "point", "target_return", "status", "objective", "bound", "gap", "expected_return", "risk", "risk_gap",
    "sharpe_ratio", "assets", "found_by", "seconds", "selected",
]  # fmt: skip


def portfolio(assets: int = 14, hold: int = 4) -> hm.Portfolio:
    """A market small enough for many runs, large enough not to be enumerated at once."""
    returns, covariance = hm.market(assets=assets, seed=11).sample_estimates()
    return hm.Portfolio(returns, covariance, assets=hold, min_weight=0.03)


def same(one: hm.Frontier, other: hm.Frontier) -> None:
    """All but the seconds, bit for bit."""
    pd.testing.assert_frame_equal(
        one.to_frame().drop(columns="seconds"), other.to_frame().drop(columns="seconds"), check_exact=True
    )
    pd.testing.assert_frame_equal(one.weights(), other.weights(), check_exact=True)


def square_costs(count: float) -> hm.Problem:
    """A family that is no portfolio: exactly so many of eight plants make 100."""
    rng = np.random.default_rng(5)
    return hm.Problem(
        Q=rng.uniform(0.01, 0.05, 8), q=rng.uniform(0.5, 1.5, 8), p=rng.uniform(5, 30, 8), A=np.ones((1, 8)),
        row_lower=100, row_upper=100, B=np.ones((1, 8)), b_lower=count, b_upper=count, x_lower=5, x_upper=60,
        switch=np.arange(8),
    )  # fmt: skip


def test_as_good_as_point_by_point() -> None:
    """Every point has the value that a solve of its own finds, bounds hold, and infeasible ones are said to be."""
    asked = portfolio()
    found = hm.frontier(asked, points=9)
    for point in found.points:
        alone = hm.solve(asked.with_target(point.parameter).problem())
        if alone.has_solution:
            assert point.objective <= alone.objective * (1 + 1e-9)
            assert point.bound <= point.objective
            assert sum(point.weights.values()) == pytest.approx(1.0)
            assert point.expected_return == pytest.approx(point.parameter, abs=1e-9)
        else:
            assert point.status == "infeasible"
    assert list(found.to_frame().columns) == COLUMNS
    assert found.counts["infeasible"] >= 1
    assert found.counts["optimal"] >= 1


def test_unconstrained_frontier_is_below() -> None:
    """Without the rules the risk is never higher, at the same returns."""
    asked = portfolio()
    found = hm.frontier(asked, points=5, config=hm.Config.quick())
    assert found.unconstrained is not None
    returns, variances = found.unconstrained
    for point in found.points:
        if np.isfinite(point.objective):
            assert np.interp(point.parameter, returns, variances) <= point.objective * (1 + 1e-4)


def test_cardinalities_and_any_family() -> None:
    """The parameter may be the number of assets, or whatever a function makes a problem of."""
    counted = hm.frontier(portfolio().with_target(0.002), [2, 3, 4, 5], vary="assets")
    values = [point.objective for point in counted.points]
    assert [len(point.weights) for point in counted.points if np.isfinite(point.objective)] == [
        int(point.parameter) for point in counted.points if np.isfinite(point.objective)
    ]
    assert np.isfinite(values).any()
    plants = hm.frontier(square_costs, [2, 3, 4, 5, 6], vary="plants")
    for point in plants.points:
        assert point.objective == pytest.approx(hm.solve(square_costs(point.parameter)).objective, rel=1e-9)
    assert "plants" in plants.to_frame()


def test_numbers_do_not_depend_on_the_workers(tmp_path: Path) -> None:
    """In this process, in threads, in two processes; in memory or with a store."""
    asked = portfolio()
    alone = hm.frontier(asked, points=7)
    with ThreadPoolExecutor(3) as executor:
        same(alone, hm.frontier(asked, points=7, executor=executor))
    same(alone, hm.frontier(asked, points=7, jobs=2, store=tmp_path / "run.sqlite"))


class DeadlyFamily:
    """Kills the process that asks for the third point, once."""

    parameter = "target_return"

    def __init__(self, asked: hm.Portfolio, marker: Path) -> None:
        self.asked, self.marker, self.home = asked, marker, os.getpid()

    def problem(self, value: float) -> hm.Problem:
        """The problem, or the end."""
        if os.getpid() != self.home and value > 0.0025 and not self.marker.exists():
            self.marker.touch()
            os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))  # Windows has one way to kill
        return self.asked.with_target(value).problem()


def test_a_worker_that_dies_loses_no_point(tmp_path: Path) -> None:
    """Its points are done again by a new one, with the same numbers."""
    asked, grid = portfolio(), [0.0015, 0.002, 0.0027, 0.003]
    marker = tmp_path / "died"
    found = hm.frontier(DeadlyFamily(asked, marker), grid, jobs=2, config=hm.Config.quick())
    assert marker.exists()
    expected = hm.frontier(asked, grid, config=hm.Config.quick())
    assert [point.objective for point in found.points] == [point.objective for point in expected.points]


def test_resume_does_nothing_twice(tmp_path: Path) -> None:
    """A finished run is read, not solved; a half finished one is finished, with the same numbers."""
    asked, path = portfolio(), tmp_path / "run.sqlite"
    whole = hm.frontier(asked, points=8, store=path)
    again = hm.frontier(asked, points=8, store=path, resume=True)
    same(whole, again)
    with sqlite3.connect(path) as connection:
        total = connection.execute("SELECT count(*) FROM answers").fetchone()[0]
        connection.execute("DELETE FROM answers WHERE phase != 'search' OR point IN (2, 5)")
    connection.close()
    same(whole, hm.frontier(asked, points=8, store=path, resume=True))
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM answers").fetchone()[0] == total
    connection.close()


def test_another_run_is_not_mixed_in(tmp_path: Path) -> None:
    """Other data, grid, configuration or seed: refused, and the store stays as it was."""
    asked, path = portfolio(), tmp_path / "run.sqlite"
    quick = hm.Config.quick()
    hm.frontier(asked, points=4, store=path, config=quick)
    with pytest.raises(FileError, match="resume"):
        hm.frontier(asked, points=4, store=path, config=quick)
    for changed, name in (
        ({"points": 5}, "problem|grid"),
        ({"seed": 1}, "seed"),
        ({"config": hm.Config.quick(descent={"patience": 5})}, "configuration"),
    ):
        with pytest.raises(FileError, match=name):
            hm.frontier(asked, **{"points": 4, "store": path, "config": quick, "resume": True, **changed})
    with pytest.raises(FileError, match="problem"):
        hm.frontier(portfolio(hold=5), points=4, store=path, config=quick, resume=True)
    assert len(hm.frontier(asked, points=4, store=path, config=quick, resume=True)) == 4


def test_one_process_at_a_time(tmp_path: Path) -> None:
    """A second user of the same file is refused, and the first is not disturbed."""
    path = tmp_path / "run.sqlite"
    first = Store(path, {"seed": "0"})
    first.put("search", 0, {0: {"objective": 1.0}})
    with pytest.raises(FileError, match="in use"):
        Store(path, {"seed": "0"}, resume=True)
    first.put("search", 0, {1: {"objective": 2.0}})
    first.close()
    again = Store(path, {"seed": "0"}, resume=True)
    assert set(again.get("search", 0)) == {0, 1}
    again.close()


def test_a_full_disk_keeps_what_was_stored(tmp_path: Path) -> None:
    """The error says so in one line; what is there can be read."""
    path = tmp_path / "run.sqlite"
    store = Store(path, {"seed": "0"})
    store.put("search", 0, {0: {"objective": 1.0}})
    store._connection.execute("PRAGMA max_page_count = 6")
    large = {point: {"objective": 1.0, "x": list(range(2000))} for point in range(1, 50)}
    with pytest.raises(FileError, match="full") as error:
        store.put("search", 0, large)
    assert "\n" not in str(error.value)
    store.close()
    again = Store(path, {"seed": "0"}, resume=True)
    assert 0 in again.get("search", 0)
    again.close()


def test_not_a_run(tmp_path: Path) -> None:
    """Any other file, a directory, a place that is not there."""
    other = tmp_path / "other.sqlite"
    other.write_text("hello " * 1000)
    with pytest.raises(FileError, match="not a run"):
        hm.frontier(portfolio(), points=2, store=other, resume=True)
    with pytest.raises(FileError):
        hm.frontier(portfolio(), points=2, store=tmp_path / "nowhere" / "run.sqlite")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"points": 0}, "points"),
        ({"grid": []}, "grid is empty"),
        ({"grid": ["a"]}, "grid must be"),
        ({"grid": [float("nan")]}, "finite"),
        ({"jobs": 0}, "jobs"),
        ({"seed": -1}, "seed"),
        ({"time_limit": 0}, "time_limit"),
        ({"between": "somewhere"}, "between"),
        ({"vary": "names"}, "vary"),
        ({"vary": "assets"}, "grid is missing"),
    ],
)
def test_bad_arguments(arguments: dict, message: str) -> None:
    """One line each, before anything is solved."""
    with pytest.raises(ArgumentError, match=message):
        hm.frontier(portfolio(), **arguments)


def test_a_time_limit_is_kept() -> None:
    """Also along a frontier; what is there is returned."""
    asked = portfolio(assets=60, hold=10)
    hm.frontier(asked, points=2)
    began = time.perf_counter()
    found = hm.frontier(asked, points=400, time_limit=1.0)
    assert time.perf_counter() - began < 6.0
    assert len(found) == 400


def test_killed_five_times(tmp_path: Path) -> None:
    """SIGKILL at random moments, five times over one run: the CSV is that of an undisturbed run."""
    subprocess.run(command(tmp_path / "whole"), check=True, capture_output=True)
    rng = np.random.default_rng(0)
    out, kills = tmp_path / "killed", 0
    store = out / "run.sqlite"
    for _ in range(5):
        before = store.stat().st_mtime_ns if store.exists() else 0
        resume = ["--resume"] if before else []
        process = subprocess.Popen(command(out, *resume), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        # From the first new answer on: with every kill something is stored, and something is under way.
        while process.poll() is None and (not store.exists() or store.stat().st_mtime_ns == before):
            time.sleep(0.002)
        time.sleep(0.06 * rng.random())
        kills += process.poll() is None
        process.kill()
        process.communicate()
    assert kills == 5, "the run is too short for this test"
    last = subprocess.run(command(out, "--resume"), capture_output=True, text=True, check=False)
    assert last.returncode == 0, last.stderr
    pd.testing.assert_frame_equal(table(out), table(tmp_path / "whole"))


def test_the_command_refuses_in_one_line(tmp_path: Path) -> None:
    """A run that is there, a place that cannot be written, bad targets."""
    out = tmp_path / "run"
    subprocess.run(command(out, "--config", "quick"), check=True, capture_output=True)
    for more, message in (
        (["--config", "quick"], "--resume"),
        (["--config", "quick", "--resume", "--seed", "5"], "seed"),
        (["--targets", "a,b"], "--targets"),
        (["--range", "0.2:0.1"], "lower"),
        (["--range", "sideways"], "--range"),
        (["--jobs", "2", "--dask", "tcp://127.0.0.1:1"], "one of them"),
    ):
        done = subprocess.run(command(out, *more), capture_output=True, text=True, check=False)
        assert done.returncode == 2, done.stderr
        assert message in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1


def test_points_by_number() -> None:
    """A frontier is a sequence of points: indices from either end, slices, iteration; what is not there is an error."""
    found = hm.frontier(portfolio(), points=4, config=hm.Config.quick())
    assert found[0] is found.points[0]
    assert found[-1] is found[3] is found[np.int64(3)] is found.points[3]
    assert found[1:3] == found.points[1:3]
    assert list(found) == list(found.points)
    for wrong in (4, 99, -5):
        with pytest.raises(IndexError, match=rf"frontier\[{wrong}\]: there are 4 points, 0 to 3"):
            found[wrong]
    with pytest.raises(TypeError, match="whole number or a slice"):
        found["a"]  # type: ignore[call-overload]


def test_plot_into_axes_of_ones_own(tmp_path: Path) -> None:
    """The axes are drawn into and given back, for risk and return as along a parameter; anything else is refused."""
    from matplotlib.figure import Figure

    curve = hm.frontier(portfolio(), points=5, config=hm.Config.quick())
    counted = hm.frontier(portfolio().with_target(0.002), [3, 4, 5], vary="assets", config=hm.Config.quick())
    for found, labels in ((curve, ("risk", "expected return")), (counted, ("assets", "risk"))):
        axes = Figure().add_subplot()
        assert found.plot(tmp_path / "own.png", ax=axes, title="mine") is axes
        assert axes.get_title() == "mine"
        assert axes.get_xlabel().startswith(labels[0])
        assert axes.get_ylabel().startswith(labels[1])
        assert (tmp_path / "own.png").read_bytes().startswith(b"\x89PNG")
        assert found.plot()._repr_png_().startswith(b"\x89PNG")
        with pytest.raises(ArgumentError, match="ax is 3; it must be Axes of Matplotlib"):
            found.plot(ax=3)


def test_progress_is_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    """True writes a row for every point on standard error, False nothing; what cannot be told is refused."""
    found = hm.frontier(portfolio(), points=5, progress=True)
    rows = capsys.readouterr().err.splitlines()
    assert rows[0].split() == ["time", "phase", "point", "target_return", "status", "objective", "gap"]
    last = {int(row.split()[2]): row.split() for row in rows[1:] if " done: " not in row}
    assert set(last) == set(range(5))
    for point in found:
        assert last[point.point][4] == point.status
        assert float(last[point.point][3]) == pytest.approx(point.parameter, rel=1e-5)
        if np.isfinite(point.objective):
            assert float(last[point.point][5]) == pytest.approx(point.objective, rel=1e-8)
    hm.frontier(portfolio(), points=2, progress=False)
    assert capsys.readouterr().err == ""
    with pytest.raises(ArgumentError, match="progress is 3; it must be True, False or an object"):
        hm.frontier(portfolio(), points=2, progress=3)


def test_numbers_of_a_point_are_those_of_its_weights() -> None:
    """Return, risk, Sharpe ratio and both gaps, computed anew; the best ratio is the largest; single assets."""
    asked = portfolio().replace(risk_free=0.0005)
    found = hm.frontier(asked, points=6, config=hm.Config.quick(relaxations=("persp",)))
    ratios = {}
    for point in (point for point in found if point.risk is not None):
        x = np.array([point.weights.get(name, 0.0) for name in asked.names])
        variance = asked.variance(x)
        assert point.expected_return == pytest.approx(float(asked.returns @ x))
        assert point.risk == pytest.approx(np.sqrt(variance))
        ratios[point.point] = (float(asked.returns @ x) - 0.0005) / np.sqrt(variance)
        assert point.sharpe_ratio == pytest.approx(ratios[point.point])
        assert point.gap == pytest.approx(1 - point.bound / point.objective, abs=1e-12)
        assert point.risk_gap == pytest.approx(1 - np.sqrt(point.bound / point.objective), abs=1e-12)
        assert 1 - point.gap == pytest.approx((1 - point.risk_gap) ** 2)
    assert found.best_sharpe.point == max(ratios, key=ratios.__getitem__)
    returns, risks = found.single_assets
    assert risks[3] == pytest.approx(np.sqrt(asked.variance(np.eye(asked.n)[3])))
    np.testing.assert_allclose(returns, asked.returns)


def test_runs_of_older_versions_are_read(tmp_path: Path) -> None:
    """A store whose answers lack what was added later is resumed, with the same numbers."""
    asked, path = portfolio(), tmp_path / "run.sqlite"
    whole = hm.frontier(asked, points=4, store=path)
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT phase, round, point, record FROM answers").fetchall()
        for phase, round_, point, record in rows:
            old = {key: value for key, value in json.loads(record).items() if key != "time_helps"}
            connection.execute(
                "UPDATE answers SET record = ? WHERE phase = ? AND round = ? AND point = ?",
                (json.dumps(old), phase, round_, point),
            )
    connection.close()
    same(whole, hm.frontier(asked, points=4, store=path, resume=True))


def test_open_points_say_what_would_help() -> None:
    """Where the work for proofs was used up, a limit above the time spent is suggested; where all is proven, none."""
    returns, covariance = hm.market(assets=200, seed=3).sample_estimates()
    asked = hm.Portfolio(returns, covariance, assets=10, min_weight=0.01)
    open_ = hm.frontier(asked, [0.003, 0.004], config=hm.Config(tree=hm.TreeSettings(work=0.01)))
    assert open_.counts["feasible"] == 2
    assert open_.suggested_time_limit > 3 * open_.seconds
    assert f"time_limit={open_.suggested_time_limit:g} tightens the bound" in open_._repr_html_()
    proven = hm.frontier(portfolio(), [0.002])
    assert (proven.counts["optimal"], proven.suggested_time_limit) == (1, None)


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_unconstrained_frontier_is_that_of_orlib(number: int, data_dir: Path) -> None:
    """Computed, not looked up, it agrees with OR-Library's file to the digits that has."""
    port = read_port(data_dir / "orlib" / f"port{number}.txt")
    returns, variances = read_portef(data_dir / "orlib" / f"portef{number}.txt")
    picked = np.linspace(1, len(returns) - 2, 25).astype(int)
    asked = hm.Portfolio(port.returns, port.covariance)
    np.testing.assert_allclose(
        unconstrained_variances(asked, returns[picked]), variances[picked], rtol=1e-5, atol=2e-10
    )
