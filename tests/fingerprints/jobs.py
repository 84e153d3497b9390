"""The solves that are recorded: portfolios with three configurations and seeds, and files that end by themselves."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import hybridmip as hm

SEEDS = (0, 1, 2)
CONFIGS: dict[str, Any] = {"default": hm.Config, "quick": hm.Config.quick, "paper": hm.Config.paper}
FILES = ("mip", "miqp", "qplib", "regression", "network/fctp", "network/fcnet", "network/canad", "network/warehouse")


def data_folder() -> Path:
    """The public instances."""
    given = os.environ.get("HYBRIDMIP_DATA")
    return Path(given) if given else Path(__file__).resolve().parents[3] / "shared" / "data"


def names(folder: Path) -> Iterator[tuple[str, ...]]:
    """(kind, instance, ...) of every job."""
    for number in range(1, 6):
        for config in CONFIGS:
            for seed in SEEDS:
                for target in range(0, 50, 1 if number <= 3 else 3):
                    yield "orlib", f"port{number}", str(target), config, str(seed)
    for path in sorted((folder / "mv").glob("*.mat")):
        for config in ("default", "quick"):
            yield "mv", path.stem, config
    for family in FILES:
        for path in sorted((folder / family).glob("*")):
            yield "file", f"{family}/{path.name}"


def problem_of(folder: Path, name: tuple[str, ...]) -> hm.Problem:
    """The problem of a job."""
    if name[0] == "orlib":
        from hybridmip.io.orlib import read_port, read_portef

        data = read_port(folder / "orlib" / f"{name[1]}.txt")
        returns, _ = read_portef(folder / "orlib" / f"{name[1].replace('port', 'portef')}.txt")
        target = float(np.linspace(returns.min(), returns.max(), 50)[int(name[2])])
        return hm.Portfolio(data.returns, data.covariance, assets=10, min_weight=0.01, target_return=target).problem()
    if name[0] == "mv":
        from benchmarks.mv import read

        return read(folder / "mv" / name[1]).problem()
    return hm.read_problem(folder / name[1])


def options_of(name: tuple[str, ...]) -> dict[str, Any]:
    """How a job is asked."""
    if name[0] == "orlib":
        return {"config": CONFIGS[name[3]](), "seed": int(name[4])}
    return {"config": CONFIGS[name[2]]()} if name[0] == "mv" else {}


def fingerprint(result: hm.Result) -> dict[str, Any]:
    """What must not change, to the last bit."""
    b = "" if result.b is None else np.packbits(result.b).tobytes().hex()
    return {
        "status": str(result.status), "stop": str(result.stop_reason), "objective": float(result.objective).hex(),
        "bound": float(result.bound).hex(), "b": b, "evaluations": int(result.evaluations),
    }  # fmt: skip
