"""study(): run what the plan says, keep every answer, and write tables, figures and reports."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

from hybridmip import __version__
from hybridmip.bounds import mixing
from hybridmip.engines.compiled import be_patient, load
from hybridmip.errors import ArgumentError
from hybridmip.exact import core_kernel, fit_kernel
from hybridmip.relax import node_kernel
from hybridmip.run.result import relative_gap
from hybridmip.search import descent_kernel
from hybridmip.study import plan
from hybridmip.study.plan import Options
from hybridmip.study.reference import check_installed
from hybridmip.study.sets import MarketSet, load_set
from hybridmip.study.work import Task, run_tasks
from hybridmip.sweep.store import Record, Store
from hybridmip.sweep.workers import Workers

#: The file of a study, in its folder.
RUN_FILE = "study.sqlite"
#: Tasks given to a worker at once: few, since that is what a kill can lose; of one kind, so that a worker can use
#: again what depends on the covariance alone.
TOGETHER = 4
#: How often workers may die of a task.
MOST_DEATHS = 3
#: Gap at which a value counts as proven.
PROVEN_GAP = 1e-6


class StudyProgress(Protocol):
    """Told of every answer."""

    def update(self, step: str, done: float, total: float, seconds: float) -> None:
        """`done` of `total` of the work that is known of by now."""


class Answers:
    """Every answer of a study, by (set, method, seed, point)."""

    def __init__(self, options: Options, markets: Sequence[MarketSet]) -> None:
        self.options = options
        self.markets = {market.name: market for market in markets}
        self.records: dict[tuple[str, str, int, int], Record] = {}

    def add(self, task: Task, record: Record) -> None:
        """Keep the answer to a task."""
        self.records[task.market, task.method, task.round, task.point] = record

    def get(self, market: str, method: str, seed: int, point: int) -> Record | None:
        """The answer, None if there is none."""
        return self.records.get((market, method, seed, point))

    def targets(self, market: str) -> dict[str, list[int]]:
        """Numbers of the targets that are feasible, proven infeasible, and open."""
        found: dict[str, list[int]] = {"feasible": [], "infeasible": [], "open": []}
        for k in self.options.points:
            records = [r for s in self.options.seeds if (r := self.get(market, "ours", s, k)) is not None]
            if any(r["objective"] is not None for r in records):
                found["feasible"].append(k)
            elif any(r["status"] == "infeasible" for r in records):
                found["infeasible"].append(k)
            else:
                found["open"].append(k)
        return found

    def hardest(self, market: str) -> int | None:
        """The target with the largest certified gap, after fitting; the later one where all are closed."""
        gaps = []
        for k in self.targets(market)["feasible"]:
            seed = self.options.seeds[0]
            records = [self.get(market, method, seed, k) for method in ("ours", "fitted")]
            bounds = [r["bound"] for r in records if r is not None and r["bound"] is not None]
            values = [r["objective"] for r in records if r is not None and r["objective"] is not None]
            gap = relative_gap(min(values), max(bounds)) if bounds and values else math.inf
            work = max(r["evaluations"] for r in records if r is not None)
            gaps.append((gap if gap > PROVEN_GAP else 0.0, work, k))
        return max(gaps)[2] if gaps else None


@dataclass(frozen=True)
class Sitting:
    """One run of the command, from its start to its end or interruption.

    Attributes
    ----------
    seconds : float
        Wall time.
    processor : float or None
        Processor time of all its processes, where it is known.
    reference : bool
        Whether reference solvers were at work.
    """

    seconds: float
    processor: float | None = None
    reference: bool = False


class Study:
    """A finished study: its answers, and how long they took.

    Attributes
    ----------
    answers : Answers
    jobs : int
    sittings : tuple of Sitting
        All runs that led to the answers.
    """

    def __init__(self, answers: Answers, jobs: int, sittings: Sequence[Sitting]) -> None:
        self.answers, self.jobs, self.sittings = answers, jobs, tuple(sittings)

    @property
    def seconds(self) -> float:
        """Wall time of all sittings."""
        return sum(sitting.seconds for sitting in self.sittings)

    @property
    def options(self) -> Options:
        """What was asked."""
        return self.answers.options


def study(
    data: str | Path,
    out: str | Path,
    options: Options | None = None,
    *,
    jobs: int = 1,
    resume: bool = False,
    progress: StudyProgress | None = None,
) -> Study:
    """Run the study, or go on with it.

    Parameters
    ----------
    data : path
        Folder of OR-Library's port and portef files (`hybridmip data orlib` fetches them).
    out : path
        Folder of the run's file, study.sqlite; the same folder again resumes it.
    options : Options, optional
    jobs : int
        Processes that work side by side; 1 for none but this one.
    resume : bool
        Go on with the run that is in `out`; nothing is done twice. Reference solvers may be added.
    progress : optional
        Told of every answer.

    Raises
    ------
    ArgumentError, FileError, MissingDependencyError
        Before anything is computed, if an argument, a file or a reference solver is not there or not right.
    KeyboardInterrupt
        After Ctrl-C; what was answered is stored.
    """
    options = Options() if options is None else options
    _check(options, jobs)
    check_installed(options.reference)
    folder = Path(data).expanduser()
    markets = [load_set(folder, name) for name in options.sets]
    settings = {
        "kind": "study",
        "choice_of_sets": json.dumps([[market.name, market.hash] for market in markets]),
        "choice_of_seeds": json.dumps(options.seeds),
        "scope": "quick" if options.quick else "full",
        "configuration": json.dumps(
            {
                name: asdict(config)
                for name, config in (("ours", plan.ours()), ("paper", plan.paper()), ("fitted", plan.fitted()),
                                     *plan.ablations().items())
            },
            sort_keys=True,
        ),
        "version": __version__,
    }  # fmt: skip
    store = Store(Path(out).expanduser() / RUN_FILE, settings, resume)
    run = _Run(folder, Answers(options, markets), store, jobs, progress)
    try:
        run.everything(markets)
        run.close(wait=True)
    finally:
        run.close()
        sittings = run.sittings()
        store.close()
    return Study(run.answers, jobs, sittings)


def _check(options: Options, jobs: int) -> None:
    if jobs < 1:
        raise ArgumentError(f"--jobs is {jobs}; give at least 1")
    for name, values in (("--sets", options.sets), ("--seeds", options.seeds), ("--reference", options.reference)):
        if len(set(values)) < len(values):
            raise ArgumentError(f"{name} names something twice; give each once")
    if not options.sets or not options.seeds:
        raise ArgumentError("--sets and --seeds must each have at least one entry")
    if min(options.seeds) < 0:
        raise ArgumentError(f"--seeds has {min(options.seeds)}; give whole numbers of at least 0")
    if not options.reference_seconds > 0 or not math.isfinite(options.reference_seconds):
        raise ArgumentError(f"--reference-seconds is {options.reference_seconds:g}; give a positive number")


class _Run:
    """One run: what is answered, and who works on the rest."""

    def __init__(self, folder: Path, answers: Answers, store: Store, jobs: int, progress: StudyProgress | None) -> None:
        self.folder, self.answers, self.store, self.jobs, self.progress = folder, answers, store, jobs, progress
        self.began = time.perf_counter()
        self.processor_before = _processor_seconds()
        self.worked = self.asked_reference = self.complete = False
        self.workers: Workers[Task, list[Record]] = Workers(
            run_tasks, jobs, MOST_DEATHS, _too_many_deaths, prepare=_load_kernels
        )

    def everything(self, markets: Sequence[MarketSet]) -> None:
        """The three steps of the plan."""
        options = self.answers.options
        first = plan.first_tasks(options, markets)
        # What follows is known only when the first step is done; for the bar it is guessed from all points.
        everywhere = {market.name: options.points for market in markets}
        guess = sum(map(plan.expected_seconds, plan.second_tasks(options, markets, everywhere)))
        traces = 2 * len(markets) * plan.EXPECTED["trace"]
        self.step("our answers", first, 0.0, guess + traces)
        feasible = {market.name: self.answers.targets(market.name)["feasible"] for market in markets}
        second = plan.second_tasks(options, markets, feasible)
        done = sum(map(plan.expected_seconds, first))
        self.step("all methods", second, done, traces)
        hardest = {market.name: self.answers.hardest(market.name) for market in markets}
        done += sum(map(plan.expected_seconds, second))
        self.step("convergence", plan.third_tasks(options, markets, hardest), done, 0.0)

    def step(self, name: str, tasks: list[Task], before: float, after: float) -> None:
        """Have all tasks answered: from the store, else by working."""
        stored: dict[tuple[str, int], dict[int, Record]] = {}
        pending = []
        total = before + sum(map(plan.expected_seconds, tasks)) + after
        done = before
        for task in tasks:
            key = (task.phase, task.round)
            if key not in stored:
                stored[key] = self.store.get(*key)
            record = stored[key].get(task.point)
            if record is None:
                pending.append(task)
            else:
                self.answers.add(task, record)
                done += plan.expected_seconds(task)
        self.tell(name, done, total)
        self.worked = self.worked or bool(pending)
        self.asked_reference = self.asked_reference or any(task.kind == "reference" for task in pending)
        for some, records in self.work_on(pending):
            for task, record in zip(some, records, strict=True):
                self.store.put(task.phase, task.round, {task.point: record})
                self.answers.add(task, record)
                done += plan.expected_seconds(task)
            self.tell(name, done, total)

    def sittings(self) -> list[Sitting]:
        """All sittings; this one is stored if anything was done."""
        stored = self.store.get("sittings", 0)
        if self.worked:
            # Of workers that were not waited for the processor time is unknown.
            processor = _processor_seconds() - self.processor_before if self.complete else None
            this = Sitting(time.perf_counter() - self.began, processor, self.asked_reference)
            stored[len(stored)] = asdict(this)
            self.store.put("sittings", 0, {len(stored) - 1: asdict(this)})
        return [Sitting(**stored[place]) for place in sorted(stored)]

    def tell(self, name: str, done: float, total: float) -> None:
        if self.progress is not None:
            self.progress.update(name, done, total, time.perf_counter() - self.began)

    def work_on(self, tasks: list[Task]) -> Iterator[tuple[list[Task], list[Record]]]:
        """Answers as they come."""
        if self.jobs == 1:
            for task in tasks:
                yield [task], run_tasks([task], self.folder)
            return
        yield from self.workers.map(_grouped(tasks)[::-1], self.folder)

    def close(self, wait: bool = False) -> None:
        """Let the workers go; `wait` for them where all is done."""
        self.workers.close(wait=wait)
        self.complete = self.complete or wait


def _load_kernels() -> None:
    """Compiled once, here, rather than by every worker."""
    be_patient()
    tree = (*fit_kernel.KERNELS, *node_kernel.KERNELS)
    load((*descent_kernel.KERNELS, *mixing.KERNELS, *core_kernel.KERNELS, *tree))


def _too_many_deaths(tasks: Sequence[Task]) -> str:
    where = f"{tasks[0].phase}, points {', '.join(str(task.point) for task in tasks)}"
    return f"workers died {MOST_DEATHS} times ({where}); give fewer --jobs and --resume"


def _processor_seconds() -> float:
    """Processor time of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _grouped(tasks: list[Task]) -> list[list[Task]]:
    """Tasks of one phase and round, a few at a time; slow ones alone."""
    groups: list[list[Task]] = []
    for task in tasks:
        last = groups[-1] if groups else []
        same = last and (last[0].phase, last[0].round) == (task.phase, task.round)
        if same and len(last) < TOGETHER and plan.expected_seconds(task) < 0.5:
            last.append(task)
        else:
            groups.append([task])
    return groups
