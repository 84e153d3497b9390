"""Problem files of every family: ours against HiGHS (MILP) and SCIP (MIQP) at the same time limit and threads."""

from __future__ import annotations

import csv
import math
import time
from pathlib import Path
from typing import Any

import numpy as np

import hybridmip as hm
from benchmarks.common import NOTHING, Options, Record, Skip, data_dir, number, say, section, table
from benchmarks.peers import warm_up
from hybridmip.io.model import ReadProblem
from hybridmip.io.problems import read_model

#: Seconds of every method; families, by folder.
SECONDS = 30.0
FAMILIES = ("network/fctp", "network/fcnet", "network/canad", "network/warehouse", "miqp", "qplib", "regression", "mip")
FIXED_CHARGE = ("network/fctp", "network/fcnet", "network/canad", "network/warehouse")
#: Gaps that count as good: fixed-charge files, and the others.
GOOD, CLOSE = 0.01, 0.001


def run(options: Options) -> None:
    """Measure, and write files.json."""
    folder = data_dir()
    seconds = 2.0 if options.quick else SECONDS
    record = Record(options, "files", seconds=seconds)
    warm_up(options.threads)
    known = _known(folder / "reference" / "best_known.csv")
    entries = []
    for family in FAMILIES:
        files = sorted(file for file in (folder / family).glob("*") if file.is_file())
        for file in files[:1] if options.quick else files:
            entry = _one(file, family, known, seconds, options.threads)
            if entry is not None:
                entries.append(entry)
                record.write(entries=entries)  # a long run: what there is stays
    if not entries:
        raise Skip("no problem files in the data folder")


def _known(file: Path) -> dict[str, float]:
    if not file.is_file():
        return {}
    with file.open(newline="") as lines:
        return {row["file"]: float(row["best_known"]) for row in csv.DictReader(lines) if row["best_known"]}


def _one(file: Path, family: str, known: dict[str, float], seconds: float, threads: int) -> dict[str, Any] | None:
    try:
        read = read_model(file)
    except hm.HybridMIPError as reason:
        say(f"  {file.name} refused: {reason}")
        return None
    if read.problem.m == 0:
        return None
    result = hm.solve(read.problem, time_limit=seconds, config=hm.Config(threads=threads))
    taken = result.seconds  # without compiling, the first time on a machine
    best = known.get(f"{family}/{file.name}", math.nan)
    ours = {
        "value": read.objective(result.objective) if result.has_solution else None,
        "bound": read.objective(result.bound) if math.isfinite(result.bound) else None,
        "seconds": taken, "found_at": result.trace[-1].seconds if result.trace else None,
        "violation": result.violation if result.has_solution else None, "status": str(result.status),
        "found_by": result.found_by,
    }  # fmt: skip
    entry: dict[str, Any] = {"file": file.name, "family": family, "best": best, "maximise": read.maximise, "ours": ours}
    entry["peer"] = _highs(file, seconds, threads) if read.problem.is_linear else _scip(file, read, seconds)
    say(f"  {family}/{file.name}: {ours['value']} in {taken:.1f} s (best known {best}), peer {entry.get('peer')}")
    return entry


def _highs(file: Path, seconds: float, threads: int) -> dict[str, Any] | None:
    """HiGHS on the file itself where it can read it, else on our model of it."""
    import tempfile

    import highspy

    from hybridmip.io.write import write_mps

    highs = highspy.Highs()
    highs.resetGlobalScheduler(True)  # ours uses one thread a model, and all models of a process share theirs
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", threads)
    highs.setOptionValue("time_limit", seconds)
    with tempfile.TemporaryDirectory() as folder:
        path = file
        if ".mps" not in file.name:
            path = Path(folder) / "model.mps"
            write_mps(read_model(file).problem, path)
        highs.readModel(str(path))
    found_at = math.nan

    def improved(_: Any) -> None:
        nonlocal found_at
        found_at = time.perf_counter() - began

    highs.cbMipImprovingSolution.subscribe(improved)
    began = time.perf_counter()
    highs.run()
    info = highs.getInfo()
    feasible = info.primal_solution_status == 2
    highs.resetGlobalScheduler(True)
    return {
        "name": "HiGHS", "value": info.objective_function_value if feasible else None, "bound": info.mip_dual_bound,
        "seconds": time.perf_counter() - began, "found_at": found_at,
    }  # fmt: skip


def _scip(file: Path, read: ReadProblem, seconds: float) -> dict[str, Any] | None:
    """SCIP on our model of the file; its answer is evaluated by our Problem."""
    try:
        import pyscipopt
    except ImportError:
        return None
    import tempfile

    from hybridmip.io.write import write_mps

    model = pyscipopt.Model()
    model.hideOutput()
    model.setParam("limits/time", seconds)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.mps"
        try:
            write_mps(read.problem, path)
        except hm.HybridMIPError:
            return None
        model.readProblem(str(path))
    began = time.perf_counter()
    model.optimize()
    taken = time.perf_counter() - began
    value, found_at = None, math.nan
    if model.getNSols():
        solution = model.getBestSol()
        found_at = model.getSolTime(solution)
        values = {variable.name: solution[variable] for variable in model.getVars()}
        again = ReadProblem.of_problem(read.problem, str(file))
        try:
            x, b = again.point({name: values.get(name, 0.0) for name in again.original.names})
            value = read.objective(read.problem.objective(x, np.round(b)))
        except (KeyError, hm.HybridMIPError):
            value = read.objective(float(model.getObjVal()))
    bound = float(model.getDualbound())
    return {
        "name": "SCIP", "value": value, "bound": read.objective(bound) if abs(bound) < 1e19 else None, "seconds": taken,
        "found_at": found_at,
    }  # fmt: skip


def reference(entry: dict[str, Any]) -> float:
    """The best known value, or the better of the two where none is."""
    if not math.isnan(entry["best"] if entry["best"] is not None else math.nan):
        return float(entry["best"])
    values = [side["value"] for side in (entry["ours"], entry.get("peer") or {}) if side.get("value") is not None]
    return (max if entry["maximise"] else min)(values, default=math.nan)


def gap(entry: dict[str, Any], value: float | None) -> float:
    """How far a value is from the reference, relative to that; infinite without one."""
    if value is None:
        return math.inf
    best = reference(entry)
    worse = (best - value) if entry["maximise"] else (value - best)
    return worse / max(abs(best), 1e-9)


def report(documents: list[dict[str, Any]]) -> str:
    """The section of RESULTS.md."""
    (document,) = documents
    rows: list[list[object]] = []
    counts: dict[str, list[int]] = {}

    def percent(value: float) -> str:
        if math.isnan(value):
            return NOTHING
        return "none" if math.isinf(value) else f"{100 * value + 0.0:.3f} %" if abs(value) > 5e-6 else "0"

    for entry in document["entries"]:
        sides = entry["ours"], entry.get("peer") or {}
        limit = GOOD if entry["family"] in FIXED_CHARGE else CLOSE
        group = counts.setdefault(entry["family"], [0, 0, 0, 0, 0])
        gaps = [gap(entry, side.get("value")) if side else math.nan for side in sides]
        group[0] += 1
        for place, found in enumerate(gaps):
            group[1 + place] += found <= limit
        group[3] += gaps[0] < gaps[1] - 1e-6
        group[4] += gaps[1] < gaps[0] - 1e-6
        row = [entry["family"], entry["file"], number(reference(entry), 9)]
        for side, found in zip(sides, gaps, strict=True):
            below = -gap(entry, side.get("bound")) if side.get("bound") is not None else math.inf
            shown = side.get("found_at")
            row += [
                percent(found),
                percent(below),
                NOTHING if shown is None else number(shown),
                number(side.get("seconds")),
            ]
        rows.append([*row, entry["ours"]["status"], sides[1].get("name", NOTHING)])
    summary = [[family, *numbers] for family, numbers in counts.items()]
    return section(
        "Problem files",
        documents,
        f"At most {document['settings']['seconds']:g} s each; HiGHS on linear files with as many threads as ours, "
        "SCIP, which has one, on quadratic ones. Gaps and bounds are relative to the best known value, or where there "
        "is none to the better of the two. Good is at most 1 % on fixed-charge files and 0.1 % on the others:",
        table(["family", "files", "ours good", "peer good", "ours better", "peer better"], summary),
        table(
            ["family", "file", "best known", "ours", "bound below", "best at s", "seconds", "peer's", "bound below",
             "best at s", "seconds", "status", "peer"],
            rows,
        ),
    )  # fmt: skip
