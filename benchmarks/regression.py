"""Best subset regression: least squares with few columns, the files there are and generated ones.

minimise |y - X x|^2 / n + ridge |x|^2, at most k of x not zero, without limits on x; beside it the penalised form
|y - X x|^2 / 2n + l2 |x|^2 + l0 (number of x), which is that of l0bnb (Hazimeh, Mazumder and Saab 2022).
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

import hybridmip as hm
from benchmarks.common import NOTHING, Options, Record, Skip, data_dir, number, say, section, table
from benchmarks.peers import PEERS, warm_up
from hybridmip.io.problems import read_problem
from hybridmip.model.quadratic import Matrix, Vector

SECONDS = 60.0
GAP = 1e-6
#: (columns, rows for each, correlation of neighbors, columns held, ridge)
CASES = tuple(
    (columns, rows, correlation, held, ridge)
    for columns, rows, ridges in ((100, 5, (0.0, 0.01)), (300, 3, (0.0,)), (500, 2, (0.0,)))
    for correlation in (0.0, 0.5, 0.9)
    for held in (5, 10, 20)
    for ridge in ridges
)
QUICK = ((30, 3, 0.5, 5, 0.0), (30, 3, 0.5, 5, 0.01))
#: Signal over noise of what is generated.
SIGNAL = 5.0
#: Peers get those with at most so many columns, this correlation and so many held, and a box of so many times the
#: largest coefficient: they need one.
PEER_COLUMNS = 100
PEER_CORRELATION = 0.5
PEER_HELD = (5, 10)
BOX = 2.0
#: Gaps beyond this say nothing.
MOST_SHOWN = 10.0


def generate(columns: int, rows: int, correlation: float, held: int, seed: int = 0) -> tuple[Matrix, Vector]:
    """(X, y): columns in a chain of correlations, coefficients of 1 or -1, evenly spaced, and noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows * columns, columns))
    for j in range(1, columns):
        X[:, j] = correlation * X[:, j - 1] + math.sqrt(1 - correlation**2) * X[:, j]
    true = np.zeros(columns)
    true[np.linspace(0, columns - 1, held).round().astype(int)] = rng.choice([-1.0, 1.0], held)
    signal = X @ true
    return X, signal + rng.standard_normal(len(X)) * math.sqrt(float(signal.var()) / SIGNAL)


def problem(X: Matrix, y: Vector, held: int, ridge: float, box: float = math.inf) -> hm.Problem:
    """At most so many columns."""
    n, columns = X.shape
    return hm.Problem(
        Q=X.T @ X / n + ridge * np.eye(columns), q=-2 * X.T @ y / n, offset=float(y @ y) / n,
        B=np.ones((1, columns)), b_lower=0, b_upper=held, x_lower=-box, x_upper=box, switch=np.arange(columns),
    )  # fmt: skip


def penalised(X: Matrix, y: Vector, price: float, ridge: float) -> hm.Problem:
    """Every column has its price."""
    n, columns = X.shape
    return hm.Problem(
        Q=0.5 * X.T @ X / n + ridge * np.eye(columns), q=-X.T @ y / n, offset=0.5 * float(y @ y) / n,
        p=np.full(columns, price), x_lower=-math.inf, x_upper=math.inf, switch=np.arange(columns),
    )  # fmt: skip


def run(options: Options) -> None:
    """Measure, and write regression.json."""
    seconds = 2.0 if options.quick else SECONDS
    record = Record(options, "regression", seconds=seconds, gap=GAP, signal=SIGNAL, box=BOX)
    warm_up(options.threads)
    entries = []
    try:
        files = sorted((data_dir() / "regression").glob("*.mps.gz"))
    except Skip:
        files = []
    for file in files:
        entries.append({"name": file.name.split(".")[0]} | _ours(read_problem(file), seconds, options.threads)[0])
    for case in QUICK if options.quick else CASES:
        columns, rows, correlation, held, ridge = case
        X, y = generate(columns, rows, correlation, held)
        entry: dict[str, Any] = {"case": case}
        mine, result = _ours(problem(X, y, held, ridge), seconds, options.threads)
        entry |= mine
        for_peers = columns <= PEER_COLUMNS and correlation == PEER_CORRELATION and held in PEER_HELD
        if for_peers and result.x is not None:
            box = BOX * float(np.abs(result.x).max())
            for key in options.peers:
                answer = PEERS[key].solve(problem(X, y, held, ridge, box), seconds, options.threads, GAP)
                if answer.ran:
                    entry[key] = {"seconds": answer.seconds, "gap": answer.gap}
                elif answer.note:
                    record.note(answer.note)
            if ridge > 0:
                entry["penalised"] = _beside_l0bnb(X, y, mine["objective"], ridge, seconds, options, record)
        entries.append(entry)
        say(f"  {case}: gap {number(mine['gap'], 2)}, {mine['nodes']} nodes, {number(mine['seconds'])} s")
    record.write(entries=entries)


def _ours(asked: hm.Problem, seconds: float, threads: int) -> tuple[dict[str, Any], hm.Result]:
    started = time.perf_counter()
    result = hm.solve(asked, config=hm.Config(threads=threads), time_limit=seconds)
    taken = time.perf_counter() - started
    return {"objective": result.objective, "gap": result.gap, "nodes": result.nodes, "seconds": taken}, result


def _beside_l0bnb(
    X: Matrix, y: Vector, residual: float, ridge: float, seconds: float, options: Options, record: Record
) -> dict[str, Any]:
    """The penalised form, a column being worth what noise gives for it, by ours and by l0bnb."""
    n, columns = X.shape
    price = residual * math.log(columns) / n
    mine, result = _ours(penalised(X, y, price, ridge), seconds, options.threads)
    found: dict[str, Any] = {"ours": mine}
    if not hasattr(np, "Inf"):
        setattr(np, "Inf", np.inf)  # noqa: B010  l0bnb 1.0 was written for NumPy 1
    try:
        from l0bnb.tree import BNBTree
    except ImportError:
        record.note("l0bnb is not installed; `pip install l0bnb` mends that")
        return found
    if result.x is None:
        return found
    root, box = math.sqrt(n), BOX * float(np.abs(result.x).max())
    # A short run first: it compiles.
    BNBTree(X / root, y / root).solve(price, ridge, box, warm_start=result.x, time_limit=1)
    tree = BNBTree(X / root, y / root)
    started = time.perf_counter()
    answer = tree.solve(price, ridge, box, gap_tol=1e-4, warm_start=result.x, time_limit=seconds)
    taken = time.perf_counter() - started
    found["l0bnb"] = {
        "objective": answer.cost, "gap": answer.gap, "seconds": taken, "nodes": tree.number_of_nodes
    }  # fmt: skip
    return found


def _shown(found: dict[str, Any] | None, gap: float = GAP) -> str:
    """Seconds where it is proven, else the gap that is left."""
    if found is None:
        return NOTHING
    left = math.inf if found["gap"] is None else found["gap"]
    if left > MOST_SHOWN:
        return f"over {100 * MOST_SHOWN:g} %"
    return f"{number(found['seconds'])} s" if left <= gap else number(100 * left, 2, " %")


def report(documents: list[dict[str, Any]]) -> str:
    """The section of RESULTS.md."""
    (document,) = documents
    settings, entries = document["settings"], document["entries"]
    rows: list[list[object]] = []
    for entry in entries:
        if "case" in entry:
            columns, factor, correlation, held, ridge = entry["case"]
            line: list[object] = ["generated", columns, factor * columns, correlation, held, ridge]
        else:
            line = [entry["name"], *[NOTHING] * 5]
        both = entry.get("penalised", {})
        line += [number(entry["gap"], 2), entry["nodes"], number(entry["seconds"])]
        line += [_shown(entry.get(peer)) for peer in PEERS]
        rows.append([*line, _shown(both.get("ours")), _shown(both.get("l0bnb"), 1e-4)])
    return section(
        "Best subset regression",
        documents,
        f"At most so many columns, coefficients without limits, to {settings['gap']:g} in {settings['seconds']:g} s. "
        f"Peers get a box of {settings['box']:g} times the largest coefficient of our answer, and seconds are theirs "
        "where they prove it, else the gap they leave. The last two columns are the penalised form: ours to 1e-6, "
        "l0bnb to 1e-4 with our answer to begin with.",
        table(
            [
                "instance", "columns", "rows", "correlation", "held", "ridge", "gap", "nodes", "s",
                *(PEERS[key].name for key in PEERS), "penalised", "l0bnb",
            ],
            rows,
        ),
    )  # fmt: skip
