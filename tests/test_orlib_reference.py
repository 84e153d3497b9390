"""The OR-Library portfolios against reference values that two other methods found: value, or infeasible."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hybridmip.applications.portfolio import Portfolio
from hybridmip.io.orlib import PortData, read_port, read_portef
from hybridmip.run.config import Config
from hybridmip.run.result import Result, Status
from hybridmip.run.solve import solve

#: Every how many of the 50 targets of a set are solved.
STEP = {"port1": 1, "port2": 5, "port3": 5}
POINTS = [(name, point) for name, step in STEP.items() for point in range(0, 50, step)]


def read(data_dir: Path, name: str) -> PortData:
    """The means and covariances of a set; skips where it is not there."""
    path = data_dir / "orlib" / f"{name}.txt"
    if not path.is_file():
        pytest.skip(f"no {path.name} in {path.parent}; set HYBRIDMIP_DATA to the folder of instances")
    return read_port(path)


def references(data_dir: Path, name: str) -> list[dict[str, Any]]:
    """Targets and values of a set; skips where they are not there."""
    path = data_dir / "reference" / f"{name}.json"
    if not path.is_file():
        pytest.skip(f"no {path.name} in {path.parent}; set HYBRIDMIP_DATA to the folder of instances")
    document = json.loads(path.read_text())
    assert (document["assets"], document["min_weight"], document["max_weight"]) == (10, 0.01, 1.0)
    return list(document["points"])


def hold_ten(data: PortData, target: float) -> Result:
    """Ten assets of weight 0.01 to 1 at a target return, with the default configuration."""
    portfolio = Portfolio(data.returns, data.covariance, assets=10, min_weight=0.01, target_return=target)
    return solve(portfolio.problem(), config=Config(), seed=0)


@pytest.mark.parametrize(("name", "point"), POINTS, ids=[f"{name}-{point}" for name, point in POINTS])
def test_reference_values(data_dir: Path, name: str, point: int) -> None:
    """The best known value to 1e-6, a bound that is not above it, and infeasible exactly where that is proven."""
    reference = references(data_dir, name)[point]
    result = hold_ten(read(data_dir, name), reference["target_return"])
    if not reference["feasible"]:
        assert result.status == Status.INFEASIBLE
        return
    assert result.status in (Status.OPTIMAL, Status.FEASIBLE)
    assert result.objective == pytest.approx(reference["objective"], rel=1e-6)
    assert result.bound <= reference["objective"] * (1 + 1e-7)
    assert result.violation <= 1e-9
    assert result.b.sum() == 10
    assert np.all(result.x[result.b] >= 0.01)
    assert not result.x[~result.b].any()


@pytest.mark.parametrize(("name", "feasible"), [("port4", 48), ("port5", 49)])
def test_top_of_the_frontier(data_dir: Path, name: str, feasible: int) -> None:
    """Of 50 evenly spaced targets the last two (port4) or the last one (port5) cannot be met, the ones below can."""
    data = read(data_dir, name)
    returns, _ = read_portef(data_dir / "orlib" / f"{name.replace('port', 'portef')}.txt")
    targets = np.linspace(returns.min(), returns.max(), 50)
    for point in range(46, 50):
        result = hold_ten(data, float(targets[point]))
        if point < feasible:
            assert result.status in (Status.OPTIMAL, Status.FEASIBLE), point
            assert result.violation <= 1e-9
        else:
            assert result.status == Status.INFEASIBLE, point
