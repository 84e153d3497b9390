"""Few of many columns: `BestSubsetRegressor` beside abess, matching pursuit and the Lasso, in one run.

500 rows, 100 to 10,000 columns. Values are |y - X w|^2 / n with centred columns, computed again from the columns that
each method holds, refitted by least squares: the choice of columns is what is compared.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

import hybridmip as hm
from benchmarks.common import NOTHING, Options, Record, Skip, number, say, section, table
from hybridmip.model.quadratic import Matrix, Vector

ROWS = 500
#: Seconds of ours, and shorter ones that are tried for when it has the best value of the others.
SECONDS = 10.0
SHORTER = (0.1, 0.3, 1.0, 3.0)
#: Ridge of the second run, which has a bound also where columns outnumber rows.
RIDGE = 0.1
CASES = tuple(
    (columns, correlation, held)
    for columns in (100, 1000, 10000)
    for correlation in (0.0, 0.5, 0.9)
    for held in (5, 10, 20)
)
QUICK = ((100, 0.5, 5), (1200, 0.5, 5))
SIGNAL = 5.0
SAME = 1e-9


def generate(columns: int, correlation: float, held: int, seed: int) -> tuple[Matrix, Vector, Vector]:
    """(X, y, the columns that made y): neighbors are correlated, coefficients 1 or -1, evenly spaced."""
    rng = np.random.default_rng([seed, columns, held])
    X = rng.standard_normal((ROWS, columns))
    for j in range(1, columns):
        X[:, j] = correlation * X[:, j - 1] + math.sqrt(1 - correlation**2) * X[:, j]
    chosen = np.linspace(0, columns - 1, held).round().astype(int)
    signal = X[:, chosen] @ rng.choice([-1.0, 1.0], held)
    return X, signal + rng.standard_normal(ROWS) * math.sqrt(float(signal.var()) / SIGNAL), chosen


def value_of(X: Matrix, y: Vector, columns: Vector) -> float:
    """Least squares of these columns and an intercept."""
    part, right = X[:, columns] - X[:, columns].mean(axis=0), y - y.mean()
    left = right - part @ np.linalg.lstsq(part, right, rcond=None)[0]
    return float(left @ left) / len(y)


def _pursuit(X: Matrix, y: Vector, held: int) -> Vector:
    from sklearn.linear_model import OrthogonalMatchingPursuit

    return np.flatnonzero(OrthogonalMatchingPursuit(n_nonzero_coefs=held).fit(X, y).coef_)


def _lasso(X: Matrix, y: Vector, held: int) -> Vector:
    """The last point of the path with so many columns."""
    from sklearn.linear_model import lars_path

    _, _, path = lars_path(X - X.mean(axis=0), y - y.mean(), method="lasso", max_iter=3 * held)
    counts = (path != 0).sum(axis=0)
    return np.flatnonzero(path[:, np.flatnonzero(counts <= held)[-1]])


def _abess(X: Matrix, y: Vector, held: int) -> Vector:
    from abess.linear import LinearRegression

    return np.flatnonzero(LinearRegression(support_size=held).fit(X, y).coef_)


PEERS: dict[str, Callable[[Matrix, Vector, int], Vector]] = {
    "abess": _abess,
    "matching pursuit": _pursuit,
    "Lasso": _lasso,
}


def run(options: Options) -> None:
    """Measure, and write subsets.json."""
    try:
        from hybridmip.estimators import BestSubsetRegressor
    except hm.MissingDependencyError as missing:
        raise Skip(str(missing)) from None
    record = Record(options, "subsets", rows=ROWS, seconds=SECONDS, ridge=RIDGE, signal=SIGNAL, seed=options.seeds[0])
    config = hm.Config(threads=options.threads)
    BestSubsetRegressor(2, config=config).fit(*generate(30, 0.5, 2, 0)[:2])  # compiles
    entries = []
    for columns, correlation, held in QUICK if options.quick else CASES:
        X, y, chosen = generate(columns, correlation, held, options.seeds[0])
        entry: dict[str, Any] = {"columns": columns, "correlation": correlation, "held": held}
        for name, method in PEERS.items():
            started = time.perf_counter()
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found = method(X, y, held)
            except ImportError:
                record.note(f"{name} is not installed; `pip install {name}` mends that")
                continue
            taken = time.perf_counter() - started
            entry[name] = {"seconds": taken} | _judged(X, y, found, chosen)
        best = min((entry[name]["value"] for name in PEERS if name in entry), default=math.inf)
        for limit in (*SHORTER, SECONDS):
            model = BestSubsetRegressor(held, time_limit=limit, config=config, seed=options.seeds[0])
            started = time.perf_counter()
            model.fit(X, y)
            taken = time.perf_counter() - started
            mine = {"seconds": taken, "gap": model.gap_} | _judged(X, y, model.support_, chosen)
            if "reached" not in entry and mine["value"] <= best * (1 + SAME):
                entry["reached"] = taken
        entry["ours"] = mine
        ridged = BestSubsetRegressor(held, ridge=RIDGE, time_limit=SECONDS, config=config).fit(X, y)
        entry["ridged"] = {"gap": ridged.gap_, "checked": bool(ridged.certificate_.verify(ridged.problem_))}
        entries.append(entry)
        say(f"  {columns} columns, {correlation}, {held}: {mine['value']:.6f}, best of the others {best:.6f}")
    record.write(entries=entries)


def _judged(X: Matrix, y: Vector, found: Vector, chosen: Vector) -> dict[str, Any]:
    return {"value": value_of(X, y, found), "recovered": len(set(found.tolist()) & set(chosen.tolist()))}


def report(documents: list[dict[str, Any]]) -> str:
    """The section of RESULTS.md."""
    (document,) = documents
    rows: list[list[object]] = []
    for entry in document["entries"]:
        ours, held = entry["ours"], entry["held"]
        line: list[object] = [entry["columns"], entry["correlation"], held, f"{ours['value']:.5f}"]
        line += [f"{ours['recovered']} of {held}", number(entry.get("reached"))]
        line += ["proven" if ours["gap"] <= 1e-6 else number(100 * ours["gap"], 2, " %")]
        line.append(number(100 * entry["ridged"]["gap"], 2, " %"))
        for name in PEERS:
            found = entry.get(name)
            if found is None:
                line.append(NOTHING)
                continue
            above = 100 * (found["value"] / ours["value"] - 1)
            shown = "same" if abs(above) < 1e-6 else f"{above:+.2g} %"
            line.append(f"{shown}, {found['recovered']} of {held}, {number(found['seconds'])} s")
        rows.append(line)
    settings = document["settings"]
    times = [entry["reached"] for entry in document["entries"] if "reached" in entry]
    closing = f" In the median {number(median(times))} s." if times else ""
    return section(
        "Few of many columns",
        documents,
        f"{settings['rows']} rows, columns correlated with their neighbors, signal {settings['signal']:g} times the "
        "noise; the best choice of so many columns, without a ridge. Value: mean squares of what is left, from the "
        "columns that each method chose. `reached`: seconds of the shortest of our fits that had the best value of "
        f"the others.{closing} `gap`: proven after {settings['seconds']:g} s, which nobody else has; with a ridge of "
        f"{settings['ridge']:g} also where columns outnumber rows. The others: value beside ours, columns recovered, "
        "seconds.",
        table(["columns", "correlation", "held", "ours", "recovered", "reached", "gap", "with ridge", *PEERS], rows),
    )
