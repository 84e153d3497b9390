"""Problem files of every family: ours against HiGHS (MILP) and SCIP (MIQP) at the same time limit and threads."""

from __future__ import annotations

import csv
import math
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np

import hybridmip as hm
from benchmarks.common import NOTHING, Options, Record, Skip, data_dir, number, say, section, table
from benchmarks.peers import warm_up_files
from hybridmip.engines.left import settle
from hybridmip.io.model import ReadProblem
from hybridmip.io.problems import read_model

#: Seconds of every method; families, by folder.
SECONDS = 30.0
FAMILIES = ("network/fctp", "network/fcnet", "network/canad", "network/warehouse", "miqp", "qplib", "regression", "mip")
FIXED_CHARGE = ("network/fctp", "network/fcnet", "network/canad", "network/warehouse")
#: Gaps that count as good: fixed-charge files, and the others.
GOOD, CLOSE = 0.01, 0.001
#: Families whose files are also looked at together.
TOGETHER = {
    "fixed charges in all": FIXED_CHARGE,
    "linear in all": (*FIXED_CHARGE, "mip"),
    "quadratic in all": ("miqp", "qplib", "regression"),
}
#: Seconds of a peer up to which a file is small, and the share by which a bound is weaker.
SMALL_SECONDS, WEAKER = 0.1, 0.01
#: Share of the time within which a peer proves what ours should prove as well; and what a time limit may be passed by,
#: in seconds or as a share of it.
EARLY, LATE, LATE_SHARE = 2 / 3, 0.1, 0.01
#: Relative gap of records that do not say theirs: HiGHS's own was left in place there.
DEFAULT_GAP = 1e-4


def run(options: Options) -> None:
    """Measure, and write files.json."""
    folder = data_dir()
    warm_up_files(options.threads)
    known = _known(folder / "reference" / "best_known.csv")
    for seconds in options.limits:
        record = Record(options, record_name("files", seconds), seconds=seconds, gap=options.file_gap)
        known_entries = {(entry["family"], entry["file"]): entry for entry in record.entries}
        entries = []
        for family in FAMILIES:
            files = sorted(file for file in (folder / family).glob("*") if file.is_file())
            for file in files[:1] if options.quick else files:
                try:
                    read = read_model(file)
                except hm.HybridMIPError as reason:
                    say(f"  {file.name} refused: {reason}")
                    continue
                if read.problem.m:
                    best = known.get(f"{family}/{file.name}", math.nan)
                    before = known_entries.pop((family, file.name), None)
                    entries.append(measure(file, file.name, family, read, best, seconds, options, before))
                    record.write(entries=[*entries, *known_entries.values()])  # a long run: what there is stays
        if not entries:
            raise Skip("no problem files in the data folder")


def record_name(part: str, seconds: float) -> str:
    """Name of the result file; that of the usual limit has no seconds in it."""
    return part if seconds == SECONDS else f"{part}-{seconds:g}s"


def _known(file: Path) -> dict[str, float]:
    if not file.is_file():
        return {}
    with file.open(newline="") as lines:
        return {row["file"]: float(row["best_known"]) for row in csv.DictReader(lines) if row["best_known"]}


def measure(
    file: Path,
    name: str,
    family: str,
    read: ReadProblem,
    best: float,
    seconds: float,
    options: Options,
    before: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Ours with every seed, and the peer, on one problem; what an earlier run has of it is not measured again."""
    runs = [] if before is None else [before["ours"], *before["more"]]
    seeds = [seed for seed in options.file_seeds if seed not in [run["seed"] for run in runs]]
    if before is not None and not seeds:
        return before
    for seed in seeds:
        config = hm.Config(threads=options.threads)
        began = time.perf_counter()
        result = hm.solve(read.problem, time_limit=seconds, gap=options.file_gap, config=config, seed=seed)
        took = time.perf_counter() - began
        settle()  # what may still be under way is not to be in anybody's way
        runs.append(
            {
                "seed": seed,
                "value": read.objective(result.objective) if result.has_solution else None,
                "bound": read.objective(result.bound) if math.isfinite(result.bound) else None,
                "seconds": took,
                "found_at": result.trace[-1].seconds if result.trace else None,
                "violation": result.violation if result.has_solution else None, "status": str(result.status),
                "found_by": result.found_by,
                "trace": [[step.seconds, read.objective(step.objective)] for step in result.trace],
            }
        )  # fmt: skip
    entry: dict[str, Any] = {"file": name, "family": family, "best": best, "maximise": read.maximise, "ours": runs[0]}
    entry["more"] = runs[1:]
    linear = read.problem.is_linear
    gap = options.file_gap
    if before is not None:
        entry["peer"] = before["peer"]
    else:
        entry["peer"] = _highs(file, seconds, options.threads, gap) if linear else _scip(file, read, seconds, gap)
    theirs = entry["peer"] or {}
    say(f"  {family}/{name}: {runs[0]['value']} in {runs[0]['seconds']:.1f} s (best known {best}), "
        f"peer {theirs.get('value')} in {theirs.get('seconds')}")  # fmt: skip
    return entry


def primal_integral(trace: list[list[float]], best: float, maximise: bool, until: float) -> float:
    """Berthold's (2013): the gap to the best value, 1 without an answer, added up over time; in seconds."""
    total, since, now = 0.0, 0.0, 1.0
    for at, value in [*trace, [until, math.nan]]:
        at = min(max(at, since), until)
        total, since = total + now * (at - since), at
        if not math.isnan(value):
            size = max(abs(value), abs(best))
            worse = (best - value) if maximise else (value - best)
            # Values on both sides of zero count as no answer.
            now = 0.0 if worse <= 0 or size == 0 else 1.0 if value * best < 0 else min(worse / size, 1.0)
    return total


def proof_seconds(side: dict[str, Any], gap: float, limit: float) -> float:
    """When the answer was proven to the gap, by its status or its bound; the limit where it was not."""
    value, bound = side.get("value"), side.get("bound")
    if side.get("status") == "optimal":
        return min(float(side["seconds"]), limit)
    if value is None or bound is None or abs(value - bound) > gap * max(abs(value), 1e-9) * (1 + 1e-6):
        return limit
    return min(float(side["seconds"]), limit)


def shifted_mean(values: list[float], shift: float = 1.0) -> float:
    """Geometric mean of values that a shift was added to, without it."""
    return math.exp(sum(math.log(value + shift) for value in values) / len(values)) - shift if values else math.nan


def _highs(file: Path, seconds: float, threads: int, gap: float) -> dict[str, Any] | None:
    """HiGHS on the file itself where it can read it, else on our model of it."""
    import tempfile

    import highspy

    from hybridmip.io.write import write_mps

    highs = highspy.Highs()
    highs.resetGlobalScheduler(True)  # ours uses one thread a model, and all models of a process share theirs
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", threads)
    highs.setOptionValue("time_limit", seconds)
    highs.setOptionValue("mip_rel_gap", gap)
    highs.setOptionValue("mip_abs_gap", 0.0)
    with tempfile.TemporaryDirectory() as folder:
        path = file
        if ".mps" not in file.name:
            path = Path(folder) / "model.mps"
            write_mps(read_model(file).problem, path)
        highs.readModel(str(path))
    trace: list[list[float]] = []

    def improved(event: Any) -> None:
        trace.append([time.perf_counter() - began, float(event.data_out.objective_function_value)])

    highs.cbMipImprovingSolution.subscribe(improved)
    began = time.perf_counter()
    highs.run()
    taken = time.perf_counter() - began
    info = highs.getInfo()
    feasible = info.primal_solution_status == 2
    optimal = highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
    highs.resetGlobalScheduler(True)
    return {
        "name": "HiGHS", "value": info.objective_function_value if feasible else None, "bound": info.mip_dual_bound,
        "seconds": taken, "found_at": trace[-1][0] if trace else math.nan, "trace": trace,
        "status": "optimal" if optimal else "limit",
    }  # fmt: skip


def _scip(file: Path, read: ReadProblem, seconds: float, gap: float) -> dict[str, Any] | None:
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
    model.setParam("limits/gap", gap)
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
    # Of the solutions that it still has: each when it was found, the better ones only.
    sign = -1.0 if read.maximise else 1.0
    trace: list[list[float]] = []
    for at, its in sorted((model.getSolTime(s), read.objective(model.getSolObjVal(s))) for s in model.getSols()):
        if not trace or sign * its < sign * trace[-1][1]:
            trace.append([at, its])
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
        "found_at": found_at, "trace": trace,
    }  # fmt: skip


def reference(entry: dict[str, Any]) -> float:
    """The best known value, or the best of all seeds and the peer where none is."""
    if not math.isnan(entry["best"] if entry["best"] is not None else math.nan):
        return float(entry["best"])
    sides = [entry["ours"], *entry.get("more", []), entry.get("peer") or {}]
    values = [side["value"] for side in sides if side.get("value") is not None]
    return (max if entry["maximise"] else min)(values, default=math.nan)


def gap(entry: dict[str, Any], value: float | None) -> float:
    """How far a value is from the reference, relative to that; infinite without one."""
    if value is None:
        return math.inf
    best = reference(entry)
    worse = (best - value) if entry["maximise"] else (value - best)
    return worse / max(abs(best), 1e-9)


def report(documents: list[dict[str, Any]]) -> str:
    """The section of RESULTS.md, a part for each time limit."""
    return "\n\n".join(describe(document, "Problem files", unfinished(document, documents)) for document in documents)


def unfinished(document: dict[str, Any], documents: list[dict[str, Any]]) -> str:
    """In words: how many files a run has not come to, which another run has measured."""
    names = [{(entry["family"], entry["file"]) for entry in one["entries"]} for one in (document, *documents)]
    every = set().union(*names)
    missing = len(every - names[0])
    return f"**Not finished: {missing} of {len(every)} files are missing.**" if missing else ""


def _times(document: dict[str, Any]) -> str:
    """By family: time to the best answer, time to the proof, primal integral, as shifted geometric means."""
    limit, tolerance = document["settings"]["seconds"], document["settings"].get("gap", DEFAULT_GAP)
    families: dict[str, list[list[float]]] = {}
    for entry in document["entries"]:
        best = reference(entry)
        sides = [[entry["ours"], *entry.get("more", [])], [entry["peer"]] if entry.get("peer") else []]
        columns = families.setdefault(entry["family"], [[] for _ in range(6)])
        for place, runs in enumerate(sides):
            for side in runs:
                at = side.get("found_at")
                columns[place].append(limit if side.get("value") is None or at is None else min(at, limit))
                columns[2 + place].append(proof_seconds(side, tolerance, limit))
                if side.get("trace") is not None and not math.isnan(best):
                    columns[4 + place].append(primal_integral(side["trace"], best, entry["maximise"], limit))
    for name, members in TOGETHER.items():
        parts = [families[family] for family in members if family in families]
        if len(parts) > 1:
            families[name] = [[value for part in parts for value in part[place]] for place in range(6)]
    rows = [[family, *(number(shifted_mean(values)) for values in columns)] for family, columns in families.items()]
    return table(["family", "best at s", "peer's", "proof at s", "peer's", "primal integral s", "peer's"], rows)


def beside_the_peer(document: dict[str, Any]) -> str:
    """In words: proofs of linear files in all, how much longer ours takes where both prove, and on small files."""
    limit, tolerance = document["settings"]["seconds"], document["settings"].get("gap", DEFAULT_GAP)
    linear: tuple[list[float], list[float]] = ([], [])
    both, small = [], []
    for entry in document["entries"]:
        peer = entry.get("peer")
        if not peer:
            continue
        ours, its = proof_seconds(entry["ours"], tolerance, limit), proof_seconds(peer, tolerance, limit)
        if peer["name"] == "HiGHS":
            linear[0].append(ours)
            linear[1].append(its)
        if ours < limit and its < limit:
            both.append((ours / its, entry["file"]))
            if peer["name"] == "HiGHS" and its < SMALL_SECONDS:
                small.append(ours - its)
    if not both:
        return ""
    both.sort()
    words = [
        f"Of the {len(both)} files that both prove ours takes {statistics.median(r for r, _ in both):.2f} times as "
        f"long in the median, and {both[-1][0]:.1f} times at most ({both[-1][1].split('.')[0]})."
    ]
    if linear[0]:
        words.append(
            f"Linear files are proven in {number(shifted_mean(linear[0]))} s, by HiGHS in "
            f"{number(shifted_mean(linear[1]))} s."
        )
    if small:
        words.append(
            f"Those that HiGHS solves within {SMALL_SECONDS:g} s take {1000 * statistics.median(small):.0f} ms longer "
            f"in the median of {len(small)}."
        )
    return " ".join(words)


def where_it_falls_short(document: dict[str, Any]) -> str:
    """In words: what the peer proves and ours does not, weaker bounds, answers that are off, limits that were passed.

    With several seeds the worst of them, and how many have it.
    """
    limit, tolerance = document["settings"]["seconds"], document["settings"].get("gap", DEFAULT_GAP)
    found: dict[str, list[str]] = {}
    for entry in document["entries"]:
        peer, runs = entry.get("peer") or {}, [entry["ours"], *entry.get("more", [])]
        proofs = [proof_seconds(run, tolerance, limit) for run in runs]
        early = bool(peer) and proof_seconds(peer, tolerance, limit) <= EARLY * limit
        missed = [float(early and at >= limit) for at in proofs]
        its_gap = gap(entry, peer.get("value"))
        off = [gap(entry, run.get("value")) for run in runs]
        late = [run["seconds"] - limit for run in runs]
        weaker = [_weaker(entry, run, peer) if at >= limit else 0.0 for run, at in zip(runs, proofs, strict=True)]
        for what, values, most, shown in (
            (f"Proven by the peer within {EARLY * limit:g} s, not by ours", missed, 0.0, ""),
            ("Bounds of open files that are weaker by more than 1 %", weaker, WEAKER, "{0:.1%}"),
            ("Answers off the best known value by more than 0.1 %", off, CLOSE, f"{{0:.2%}}, peer {its_gap:.2%}"),
            (f"Limits passed by more than {LATE:g} s and {100 * LATE_SHARE:g} %", late, max(LATE, LATE_SHARE * limit),
             "{0:.2f} s"),
        ):  # fmt: skip
            count = sum(value > most for value in values)
            if count:
                said = [shown.format(max(values)).replace("%", " %")] if shown else []
                said += [f"{count} of {len(runs)} seeds"] if len(runs) > 1 else []
                name = entry["file"].split(".")[0]
                found.setdefault(what, []).append(f"{name} ({', '.join(said)})" if said else name)
    return " ".join(f"{what}: {'; '.join(files)}." for what, files in found.items())


def _weaker(entry: dict[str, Any], run: dict[str, Any], peer: dict[str, Any]) -> float:
    """By what share of the peer's bound ours is weaker; 0 where one is missing."""
    ours, its = run.get("bound"), peer.get("bound")
    if ours is None or its is None:
        return 0.0
    return float((ours - its if entry["maximise"] else its - ours) / max(abs(its), 1e-9))


def describe(document: dict[str, Any], title: str, remark: str = "") -> str:
    """Tables of one run, with a remark before them."""
    documents = [document]
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
    seconds = document["settings"]["seconds"]
    return section(
        title if seconds == SECONDS else f"{title}, {seconds:g} s",
        documents,
        *filter(None, [remark]),
        f"At most {document['settings']['seconds']:g} s each; HiGHS on linear files with as many threads as ours, "
        "SCIP, which has one, on quadratic ones. Gaps and bounds are relative to the best known value, or where there "
        "is none to the best of all seeds and the peer. Good is at most 1 % on fixed-charge files and 0.1 % on the "
        "others:",
        table(["family", "files", "ours good", "peer good", "ours better", "peer better"], summary),
        "Shifted geometric means (shift 1 s) over files and seeds; what is not found or proven counts as the limit. "
        "The primal integral is Berthold's; a dash is a run that did not keep when it found what:",
        _times(document),
        *filter(None, [beside_the_peer(document), where_it_falls_short(document)]),
        table(
            ["family", "file", "best known", "ours", "bound below", "best at s", "seconds", "peer's", "bound below",
             "best at s", "seconds", "status", "peer"],
            rows,
        ),
    )  # fmt: skip
