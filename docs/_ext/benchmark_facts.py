"""Facts of the benchmark results: one form for every result file, means, performance profiles, and where a peer won.

Nothing here knows of Sphinx or of pictures. A result file is read into `Case`s, each with what ours and every peer did;
all figures of the pages beside the tables of `benchmarks` come from these.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from benchmarks import files  # noqa: E402
from benchmarks.__main__ import PARTS  # noqa: E402
from benchmarks.common import EQUAL  # noqa: E402
from benchmarks.peers import PEERS  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results"
Document = dict[str, Any]
OURS = "HybridMIP"
#: What is not in a result file.
NOT_RECORDED = "not recorded"
#: Times below this many seconds count as this in a profile: some are recorded with four decimals.
LEAST_SECONDS = 1e-4
#: A gap up to this is a proof where the file says nothing else.
PROVEN = 1e-6

#: Figures of which a larger one is better.
MORE_IS_BETTER = ("return after the windows",)
#: Result files that no page uses, and why.
LEFT_OUT: dict[str, str] = {}


@dataclass(frozen=True)
class Run:
    """What a method did with a case; None is what was not recorded. Values are minimised.

    Attributes
    ----------
    value, bound, gap : float or None
        The answer's value, the bound on the least value, and the relative gap between the two.
    proven : bool or None
        Whether the method proved its answer, to the gap that it was asked for.
    times : mapping
        Seconds until the `proof`, until the last improvement of the `answer`, and until the `end`, where they can be
        compared with those of others.
    limit : float or None
        Seconds that it had.
    ended : float or None
        Seconds that it took, whatever came of it.
    extras : mapping
        Other figures, less being better (of those in `MORE_IS_BETTER` the negative).
    """

    value: float | None = None
    bound: float | None = None
    gap: float | None = None
    proven: bool | None = None
    times: Mapping[str, float] = field(default_factory=dict)
    limit: float | None = None
    ended: float | None = None
    extras: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """A problem, and what everyone did with it.

    Attributes
    ----------
    group, label : str
        What it belongs to, and what it is called.
    ours : Run
        Of HybridMIP.
    peers : mapping
        Of the others, by name.
    best : float or None
        Best value known before, if any.
    tolerance : float
        An answer within this of the best value, relatively, counts as found.
    sign : float
        -1 where the problem was stated as a maximisation; values are then negated.
    batch : str
        What tells it from the same problem in another run: the time limit, where there are several.
    """

    group: str
    label: str
    ours: Run
    peers: Mapping[str, Run]
    best: float | None = None
    tolerance: float = EQUAL
    sign: float = 1.0
    batch: str = ""

    @property
    def least(self) -> float | None:
        """The best value that anyone has."""
        known = [run.value for run in (self.ours, *self.peers.values())] + [self.best]
        return min((value for value in known if value is not None), default=None)

    def solved_after(self, run: Run, what: str) -> float | None:
        """Seconds until the proof, or until an answer as good as the best; None where it did not come."""
        seconds = run.times.get(what)
        if seconds is None or what == "proof" or self.least is None:
            return seconds
        if run.value is None or _above(run.value, self.least) > self.tolerance:
            return None
        return seconds


@dataclass(frozen=True)
class Loss:
    """A peer was better: in what, and by how much."""

    case: Case
    peer: str
    what: str
    ours: float | None
    theirs: float | None


def _above(value: float, other: float) -> float:
    """By how much a value is above another, relative to the larger of the two."""
    size = max(abs(value), abs(other))
    return 0.0 if size == 0.0 else (value - other) / size


# Figures


def shifted_geometric_mean(values: Sequence[float], shift: float) -> float:
    """Geometric mean of the values with a shift added, less the shift.

    Raises
    ------
    ValueError
        Without values, or where a value and the shift are not above zero together.
    """
    if not values:
        raise ValueError("values is empty; a mean needs at least one")
    if min(values) + shift <= 0.0:
        raise ValueError(f"values has {min(values)} and shift is {shift}; their sum must be above zero")
    return math.exp(math.fsum(math.log(value + shift) for value in values) / len(values)) - shift


@dataclass(frozen=True)
class Profile:
    """Dolan and More's (2002): for each method, the share of cases that it solved within each ratio of the fastest.

    Attributes
    ----------
    cases : int
        All cases, also those that nobody solved.
    ratios : mapping
        By method: time over that of the fastest, in order, of the cases that it solved.
    """

    cases: int
    ratios: Mapping[str, tuple[float, ...]]

    def share(self, method: str, ratio: float) -> float:
        """Share of the cases that the method solved within so many times the time of the fastest."""
        return sum(one <= ratio for one in self.ratios[method]) / self.cases

    def solved(self, method: str) -> int:
        """How many cases it solved at all."""
        return len(self.ratios[method])

    def fastest(self, method: str) -> int:
        """How many cases it solved in the least time."""
        return sum(one <= 1.0 for one in self.ratios[method])

    @property
    def largest(self) -> float:
        """The largest of all ratios."""
        return max((ratio for ratios in self.ratios.values() for ratio in ratios), default=1.0)


def performance_profile(times: Mapping[str, Sequence[float | None]]) -> Profile:
    """The profile of times by method, in the same order of cases; None is a case that was not solved.

    Raises
    ------
    ValueError
        Where the methods have different numbers of cases, or there is none.
    """
    lengths = {len(one) for one in times.values()}
    if len(lengths) != 1 or lengths == {0}:
        raise ValueError(f"times has {sorted(lengths)} cases; every method needs the same, at least one")
    ratios: dict[str, list[float]] = {method: [] for method in times}
    for row in zip(*times.values(), strict=True):
        clocked = [None if seconds is None else max(seconds, LEAST_SECONDS) for seconds in row]
        fastest = min((seconds for seconds in clocked if seconds is not None), default=math.nan)
        for method, seconds in zip(times, clocked, strict=True):
            if seconds is not None:
                ratios[method].append(seconds / fastest)
    return Profile(lengths.pop(), {method: tuple(sorted(found)) for method, found in ratios.items()})


def losses(case: Case) -> Iterator[Loss]:
    """Everything in which a peer was better in a case.

    A value or a bound is better by more than 1e-6, relatively. Times are compared where both have what was waited for:
    both a proof, or both an answer of the same value. Bounds are compared where not both have a proof.
    """
    mine = case.ours
    for name, peer in case.peers.items():
        better_value = peer.value is not None and (mine.value is None or _above(mine.value, peer.value) > EQUAL)
        worse_value = mine.value is not None and (peer.value is None or _above(peer.value, mine.value) > EQUAL)
        if better_value:
            yield Loss(case, name, "value", _signed(case, mine.value), _signed(case, peer.value))
        if peer.proven and mine.proven is False:
            yield Loss(case, name, "proof", mine.ended, peer.times.get("proof", peer.ended))
        if not (peer.proven and mine.proven):
            yield from _bound_losses(case, name, peer)
        for what, seconds in peer.times.items():
            same = what == "proof" or not (better_value or worse_value)
            if same and what in mine.times and seconds < mine.times[what]:
                yield Loss(case, name, f"time to the {what}", mine.times[what], seconds)
        for what, figure in peer.extras.items():
            if what in mine.extras and mine.extras[what] - figure > EQUAL:
                sign = -1.0 if what in MORE_IS_BETTER else 1.0
                yield Loss(case, name, what, sign * mine.extras[what], sign * figure)


def _bound_losses(case: Case, name: str, peer: Run) -> Iterator[Loss]:
    mine = case.ours
    if peer.bound is not None and mine.bound is not None:
        if _above(peer.bound, mine.bound) > EQUAL:
            yield Loss(case, name, "bound", _signed(case, mine.bound), _signed(case, peer.bound))
    elif peer.gap is not None and mine.gap is not None and peer.gap < mine.gap - EQUAL:
        yield Loss(case, name, "gap", mine.gap, peer.gap)


def _signed(case: Case, value: float | None) -> float | None:
    return None if value is None else case.sign * value


# Reading


def documents(part: str, folder: Path = RESULTS) -> list[Document]:
    """The result files of a part, in order of name.

    Raises
    ------
    ValueError
        Where there is no such part.
    """
    if part not in PATTERNS:
        raise ValueError(f"there is no part {part!r}; choose from {', '.join(PATTERNS)}")
    return [json.loads(path.read_text()) for path in sorted(folder.glob(f"{PATTERNS[part]}.json"))]


#: Parts, and the names of the result files of each.
PATTERNS: dict[str, str] = {part: pattern for part, (_, pattern) in PARTS.items()} | {"versions": "versions-*"}


def part_of(name: str) -> str | None:
    """The part that a result file belongs to."""
    return next((part for part, pattern in PATTERNS.items() if fnmatch(name, pattern)), None)


def cases(part: str, folder: Path = RESULTS) -> list[Case]:
    """All cases of a part; none where it has no result file or compares nothing case by case."""
    read = READERS.get(part)
    found = [] if read is None else [case for document in documents(part, folder) for case in read(document)]
    if len({case.batch for case in found}) < 2:
        return found
    return [replace(case, group=f"{case.group}, {case.batch}", label=f"{case.label}, {case.batch}") for case in found]


def _proof_run(found: Mapping[str, Any], limit: float | None, proven: bool, **known: Any) -> Run:
    """Of a method that aims at a proof."""
    times = {"proof": found["seconds"]} if proven else {}
    return Run(gap=found.get("gap"), proven=proven, times=times, limit=limit, ended=found["seconds"], **known)


def _within(found: Mapping[str, Any], gap: float = PROVEN) -> bool:
    return found.get("status") == "optimal" or (found.get("gap") is not None and found["gap"] <= gap)


def _name(key: str) -> str:
    return PEERS[key].name if key in PEERS else key


def _of_proofs(document: Document) -> Iterator[Case]:
    limit = document["settings"]["peer_seconds"]
    for one in document["sets"]:
        # Peers stand beside the last seed of a target.
        for entry in {entry["point"]: entry for entry in one["entries"]}.values():
            mine = _proof_run(entry, limit, entry["status"] == "optimal")
            peers = {_name(key): _proof_run(entry[key], limit, _within(entry[key])) for key in PEERS if key in entry}
            yield Case(one["name"], f"{one['name']}, target {entry['point']}", mine, peers)


def _of_settings(document: Document) -> Iterator[Case]:
    limit = document["settings"]["seconds"]
    for entry in document["entries"]:
        peers = {_name(key): _proof_run(entry[key], limit, _within(entry[key])) for key in PEERS if key in entry}
        label = f"{entry['set']}, {entry['setting']}, {entry['value']:.4g}"
        yield Case(entry["set"], label, _proof_run(entry, limit, _within(entry)), peers)


def _of_mv(document: Document) -> Iterator[Case]:
    for entry in document["entries"]:
        yield Case(f"{entry['n']} assets", entry["name"], _proof_run(entry, None, _within(entry)), {})


def _of_singular(document: Document) -> Iterator[Case]:
    for entry in document["entries"]:
        label = f"{entry['n']} assets, {entry['columns']}, seed {entry['seed']}, {entry['held']} held"
        mine = _proof_run(entry, document["settings"]["time_limit"], _within(entry))
        yield Case(f"{entry['n']} assets", label, mine, {})


def _of_dates(document: Document) -> Iterator[Case]:
    limit = document["settings"]["seconds"]
    for entry in document["entries"]:
        peers = {_name(key): _proof_run(entry[key], limit, _within(entry[key])) for key in PEERS if key in entry}
        label = f"{entry['assets']} assets, {entry['dates']} dates, {entry['held']} held, seed {entry['seed']}"
        yield Case(f"{entry['assets']} assets", label, _proof_run(entry["with"], limit, _within(entry["with"])), peers)


def _of_bounds(document: Document) -> Iterator[Case]:
    limit = document["settings"]["mv_seconds"]
    for entry in document["instances"]:
        theirs = entry.get("cplex")
        peers = {} if theirs is None else {"CPLEX": Run(gap=theirs, proven=theirs <= PROVEN, limit=limit)}
        mine = Run(gap=entry["gap"], proven=_within(entry), limit=limit, ended=entry["seconds"])
        yield Case(f"{entry['n']} assets", entry["name"], mine, peers)


def _of_frontier(document: Document) -> Iterator[Case]:
    """Of ours the worst value and the median times of the seeds; a target is proven if every seed proves it."""
    name, settings = document["name"].removeprefix("frontier-"), document["settings"]
    for point in document["points"]:
        answers = point["answers"]
        mine = [answers[f"ours-{seed}"] for seed in settings["seeds"]]
        peers = {
            _name(key): _answered([answers[key]], settings["seconds_per_target"]) for key in PEERS if key in answers
        }
        label = f"{name}, target {point['point']}"
        yield Case(name, label, _answered(mine, None), peers, point.get("reference"))


def _answered(answers: list[dict[str, Any]], limit: float | None) -> Run:
    values = [answer["objective"] for answer in answers]
    value = None if None in values or not values else max(values)
    proven = all(answer["status"] in ("optimal", "infeasible") for answer in answers)
    end = median(answer["seconds"] for answer in answers)
    # Ours ends without a proof as well, so that ends do not compare.
    times = {"proof": end} if proven else {}
    found = [answer["found_at"] for answer in answers if answer["found_at"] is not None]
    if value is not None and len(found) == len(answers):
        times["answer"] = median(found)
    bounds = [answer.get("bound") for answer in answers]
    bound = None if None in bounds else min(one for one in bounds if one is not None)
    return Run(value, bound, proven=proven, times=times, limit=limit, ended=end)


def _of_buyin(document: Document) -> Iterator[Case]:
    settings = document["settings"]
    for one in document["instances"]:
        mine = _answered([one["answers"][f"ours-{seed}"] for seed in settings["seeds"]], settings["our_seconds"])
        peers = {}
        for key in settings["peers"]:
            for seconds in settings["peer_seconds"]:
                answer = one["answers"].get(f"{key}-{seconds:g}")
                if answer is not None:
                    peers[f"{_name(key)}, {seconds:g} s"] = _answered([answer], seconds)
        yield Case(f"{one['n']} assets", one["name"], mine, peers)


def _of_files(document: Document) -> Iterator[Case]:
    limit = document["settings"]["seconds"]
    gap = document["settings"].get("gap", files.DEFAULT_GAP)
    for entry in document["entries"]:
        sign = -1.0 if entry["maximise"] else 1.0
        theirs = entry.get("peer")
        peers = {} if theirs is None else {theirs["name"]: _of_file(theirs, gap, limit, sign)}
        best = None if entry["best"] is None else sign * entry["best"]
        mine = _worst([_of_file(side, gap, limit, sign) for side in (entry["ours"], *entry.get("more", []))])
        batch = f"{limit:g} s"
        yield Case(entry["family"], entry["file"], mine, peers, best, max(gap, EQUAL), sign, batch)


def _worst(runs: Sequence[Run]) -> Run:
    """Of several seeds: the worst value and bound, a proof where all have one, medians of the times."""
    if len(runs) == 1:
        return runs[0]
    values, bounds = [run.value for run in runs], [run.bound for run in runs]
    common = set.intersection(*(set(run.times) for run in runs))
    return Run(
        None if None in values else max(value for value in values if value is not None),
        None if None in bounds else min(bound for bound in bounds if bound is not None),
        proven=all(run.proven for run in runs),
        times={what: median(run.times[what] for run in runs) for what in runs[0].times if what in common},
        limit=runs[0].limit,
        ended=median(run.ended for run in runs if run.ended is not None),
    )


def _of_file(side: Mapping[str, Any], gap: float, limit: float, sign: float) -> Run:
    value, bound = side.get("value"), side.get("bound")
    proven = side.get("status") == "optimal"
    if value is not None and bound is not None:
        proven = proven or abs(value - bound) <= gap * max(abs(value), 1e-9) * (1 + 1e-6)
    times = {"proof": min(side["seconds"], limit)} if proven else {}
    if value is not None and side.get("found_at") is not None:
        times["answer"] = min(side["found_at"], limit)
    return Run(
        None if value is None else sign * value, None if bound is None else sign * bound, proven=proven, times=times,
        limit=limit, ended=side["seconds"],
    )  # fmt: skip


def _of_trading(document: Document) -> Iterator[Case]:
    settings = document["settings"]
    for entry in document["entries"]:
        mine = _valued(entry["ours"], settings["seconds"])
        peers = {"SCIP": _valued(entry["scip"], settings["peer_seconds"])} if "scip" in entry else {}
        yield Case(f"{entry['stocks']} stocks", f"{entry['stocks']} stocks, {entry['name']}", mine, peers)


def _valued(found: Mapping[str, Any], limit: float | None) -> Run:
    times = {"proof": found["seconds"]} if found["proven"] else {}
    return Run(
        found["value"], found.get("bound"), proven=found["proven"], times=times, limit=limit, ended=found["seconds"]
    )


def _of_accounts(document: Document) -> Iterator[Case]:
    for at, row in enumerate(document["entry"]["sample"]):
        ours = row["ours"]
        mine = Run(
            ours["value"], ours["value"] - ours["gap"] * abs(ours["value"]), ours["gap"],
            ours["gap"] <= PROVEN, ended=ours["seconds"],
        )  # fmt: skip
        peers = {"SCIP": _valued(row["scip"], document["settings"]["seconds"])} if "scip" in row else {}
        yield Case("sample", f"account {at}", mine, peers)


def _of_walkforward(document: Document) -> Iterator[Case]:
    for entry in document["entries"]:
        runs = {}
        for key in ("ours", "scip"):
            if key not in entry:
                continue
            found = entry[key]
            extras = {
                "share of windows without a proof": 1 - found["proven"] / found["windows"],
                "volatility after the windows": found["volatility"],
                "turnover": found["turnover"],
                "return after the windows": -found["return"],
            }
            # What is minimised, window by window: the share of windows in which the other's value is less.
            excess = entry["scip"]["excess"] if "scip" in entry else []
            ahead = sum(share < -EQUAL if key == "ours" else share > EQUAL for share in excess)
            if excess:
                extras["share of windows with the worse value"] = ahead / len(excess)
            runs[key] = Run(times={"end": found["seconds"]}, extras=extras)
        peers = {"SCIP": runs["scip"]} if "scip" in runs else {}
        yield Case(entry["market"], f"{entry['market']}, {entry['name']}", runs["ours"], peers)


def _of_subsets(document: Document) -> Iterator[Case]:
    """The time of ours is that of its shortest fit that has the best value of the others."""
    for entry in document["entries"]:
        held = entry["held"]
        peers = {
            name: Run(
                entry[name]["value"], times={"answer": entry[name]["seconds"]},
                extras={"columns not recovered": held - entry[name]["recovered"]},
            )
            for name in ("abess", "matching pursuit", "Lasso") if name in entry
        }  # fmt: skip
        times = {"answer": entry["reached"]} if "reached" in entry else {}
        missed = {"columns not recovered": held - entry["ours"]["recovered"]}
        mine = Run(entry["ours"]["value"], gap=entry["ours"]["gap"], times=times, extras=missed)
        label = f"{entry['columns']:,} columns, correlation {entry['correlation']:g}, {held} held"
        yield Case(f"{entry['columns']:,} columns", label, mine, peers)


def _of_regression(document: Document) -> Iterator[Case]:
    limit = document["settings"]["seconds"]
    for entry in document["entries"]:
        peers = {_name(key): _proof_run(entry[key], limit, _within(entry[key])) for key in PEERS if key in entry}
        if "case" in entry:
            columns, factor, correlation, held, ridge = entry["case"]
            label = (
                f"{columns} columns, {factor * columns} rows, correlation {correlation:g}, {held} held, ridge {ridge:g}"
            )
        else:
            label = entry["name"]
        group = "generated" if "case" in entry else "files"
        yield Case(group, label, _proof_run(entry, limit, _within(entry)), peers)
        both = entry.get("penalised")
        if both:
            mine = _proof_run(both["ours"], limit, _within(both["ours"]), value=both["ours"]["objective"])
            theirs = {}
            if "l0bnb" in both:
                found = both["l0bnb"]
                theirs["l0bnb"] = _proof_run(found, limit, _within(found, 1e-4), value=found["objective"])
            yield Case("penalised", f"{label}, penalised", mine, theirs)


def _of_modellers(document: Document) -> Iterator[Case]:
    for entry in document["entries"]:
        runs = {}
        for key in ("ours", "scip"):
            found = entry[key]
            times = {} if found["seconds"] is None else {"end": found["seconds"]}
            runs[key] = Run(found["variance"], times=times, limit=document["settings"]["seconds"])
        label = f"{entry['library']}, {entry['held']} of {entry['assets']}"
        # SCIP ran with its own tolerances, which are looser than ours.
        yield Case(entry["library"], label, runs["ours"], {"SCIP": runs["scip"]}, tolerance=1e-4)


def _of_kernel(document: Document) -> Iterator[Case]:
    clocks = {"daqp_bare": "DAQP, call", "daqp_cut": "DAQP, cut and call", "daqp_own": "DAQP, its own clock"}
    for case in document["cases"]:
        for ours, threads in (("ours_1", "1 thread"), ("ours_2", f"{document['settings']['threads']} threads")):
            took = {key: Run(times={"end": 1e-6 * value}) for key, value in case["microseconds"].items()}
            peers = {name: took[key] for key, name in clocks.items() if key in took}
            yield Case(case["name"], f"{case['name']}, {case['k']} assets, {threads}", took[ours], peers)


def _of_versions(document: Document) -> Iterator[Case]:
    for job in document["jobs"]:
        peers = {
            "the version before": Run(times={"end": job["before"]}, extras={"worse value": 0.0, "weaker bound": 0.0})
        }
        mine = Run(times={"end": job["after"]}, extras={"worse value": job["worse"], "weaker bound": job["weaker"]})
        yield Case(job["kind"], f"{job['kind']}, {job['name']}", mine, peers)


READERS: dict[str, Callable[[Document], Iterator[Case]]] = {
    "proofs": _of_proofs,
    "settings": _of_settings,
    "mv": _of_mv,
    "singular": _of_singular,
    "dates": _of_dates,
    "bounds": _of_bounds,
    "frontier": _of_frontier,
    "buyin": _of_buyin,
    "files": _of_files,
    "generated": _of_files,
    "trading": _of_trading,
    "accounts": _of_accounts,
    "walkforward": _of_walkforward,
    "subsets": _of_subsets,
    "regression": _of_regression,
    "modellers": _of_modellers,
    "kernel": _of_kernel,
    "versions": _of_versions,
}


def by_peers(found: Iterable[Case], what: str) -> dict[tuple[str, tuple[str, ...]], list[Case]]:
    """The cases that have peers, by batch and names of these; where answers are waited for, those that have one."""
    groups: dict[tuple[str, tuple[str, ...]], list[Case]] = {}
    for case in found:
        if case.peers and (what != "answer" or case.least is not None):
            groups.setdefault((case.batch, tuple(case.peers)), []).append(case)
    return groups


def times_of(found: Sequence[Case], names: Sequence[str], what: str) -> dict[str, list[float | None]]:
    """Seconds of ours and of the peers, case by case; None where it was not solved."""
    times: dict[str, list[float | None]] = {OURS: [case.solved_after(case.ours, what) for case in found]}
    for name in names:
        times[name] = [case.solved_after(case.peers[name], what) for case in found]
    return times


def counted(case: Case, run: Run, what: str) -> float | None:
    """Seconds that count in a mean: the limit where it was not solved; None where no limit is recorded."""
    seconds = case.solved_after(run, what)
    return seconds if seconds is not None else run.limit
