"""frontier(): solve a family of problems along a grid, with neighbors helping each other.

The points are first solved on their own, with bounds but little search. Then, round by round, every point whose
neighbor has a new answer descends from that answer, in both directions, until nothing improves; where that found
something better the bounds are tried again. A round starts when the one before is complete, so the answers depend
neither on the number of workers nor on interruptions.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from hybridmip import __version__
from hybridmip.errors import ArgumentError
from hybridmip.run.config import Config
from hybridmip.run.settings import PoolSettings
from hybridmip.sweep.curve import Frontier
from hybridmip.sweep.family import Family, PortfolioFamily, as_family, family_hash
from hybridmip.sweep.progress import TextFrontierProgress
from hybridmip.sweep.store import Record, Store
from hybridmip.sweep.work import Job, solve_points
from hybridmip.sweep.workers import Workers, check_sendable, check_workers

#: A neighbor's answer must be better by this share to be taken.
BETTER = 1e-9
#: Tasks per worker, so that all end at about the same time.
TASKS_PER_WORKER = 6
#: Points in a task at most: what a kill can lose.
LARGEST_TASK = 8
#: Assets from which on threads pay for points side by side.
SIDE_BY_SIDE = 50
#: How often workers may die of a point.
MOST_DEATHS = 4


class FrontierProgress(Protocol):
    """Told of every answer.

    Where it has a method `point(phase, point, parameter, value, record, seconds)`, that is called for every point that
    has a new answer, with the name and the value of the parameter and what is known of the point.
    """

    def update(self, phase: str, done: int, total: int, counts: dict[str, int], seconds: float) -> None:
        """`done` of `total` points of this phase are there; counts are of all points by status."""


def frontier(
    family: Any,
    grid: Sequence[float] | None = None,
    *,
    points: int = 50,
    between: str = "efficient",
    vary: str | None = None,
    config: Config | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    store: str | Path | None = None,
    resume: bool = False,
    executor: Executor | None = None,
    jobs: int | None = None,
    progress: FrontierProgress | bool | None = None,
) -> Frontier:
    """Solve a family of problems along a grid.

    Parameters
    ----------
    family : Portfolio, callable or Family
        A portfolio whose target return (or `vary`) runs over the grid; or a function from a number to a Problem.
    grid : sequence of float, optional
        Values of the parameter, neighbors next to each other; for a portfolio's target returns `points` evenly
        spaced ones if left out.
    points : int
        How many, where no grid is given.
    between : str
        `efficient`: from the return of the least variance to the highest return, both without counts and minimum
        weights; `attainable`: between the lowest and the highest return that satisfy every rule.
    vary : str, optional
        `target_return` (default), `assets` or `budget` of a portfolio.
    config, seed
        As for `solve`. `Config.quick()` leaves out the bounds; with `Config.paper()` each point is solved on its own.
    time_limit : float, optional
        Seconds for all; numbers are repeatable only without one.
    store : path, optional
        SQLite file to keep the answers in as they come.
    resume : bool
        Go on with the run in `store`; nothing is done twice.
    executor : concurrent.futures.Executor, optional
        Where points are solved, such as a process pool or Dask's `Client.get_executor()`. The numbers do not
        depend on it.
    jobs : int, optional
        Processes of a pool made for this run; in this process if left out.
    progress : FrontierProgress or bool, optional
        True for a table on standard error, or any object with the method of `FrontierProgress`.

    Returns
    -------
    Frontier
        Also after Ctrl-C, with what there is.

    Raises
    ------
    ArgumentError
        If an argument is out of its range.
    FileError
        If `store` cannot be used.

    Examples
    --------
    >>> import hybridmip as hm
    >>> portfolio = hm.market(assets=12, seed=1).portfolio(assets=4, min_weight=0.05)
    >>> curve = hm.frontier(portfolio, points=5, between="attainable")
    >>> [round(point.risk, 4) for point in curve]
    [0.032, 0.0224, 0.0216, 0.0231, 0.0393]
    >>> by_count = hm.frontier(portfolio, [2, 3, 4], vary="assets")
    >>> [len(point.selected) for point in by_count]
    [2, 3, 4]
    """
    members = as_family(family, vary)
    config = Config() if config is None else config
    _check(config, points, between, seed, time_limit, jobs, executor)
    check_sendable("family", members, jobs, executor)
    display = _display(progress)
    if grid is None:
        if not isinstance(members, PortfolioFamily):
            raise ArgumentError("grid is missing: give the values of the parameter along the frontier")
        grid = members.default_grid(points, between)
    values = _grid(grid)
    settings = {
        "grid": json.dumps([values[0], values[-1], len(values)]),
        "configuration": json.dumps(asdict(config.replace(threads=None)), sort_keys=True),
        "seed": str(seed),
        "version": __version__,
        "problem": family_hash(members, values),
    }
    answers = Store(store, settings, resume)
    run = _Run(members, values, config, seed, answers, time_limit, display)
    began = time.perf_counter()
    try:
        run.workers = _workers(executor, jobs)
        run.everything()
    except KeyboardInterrupt:
        run.interrupted = True
    finally:
        if run.workers is not None:
            run.workers.close(now=run.interrupted)
        answers.close()
    return Frontier(members, values, run.best(), time.perf_counter() - began, run.interrupted, settings)


class _Run:
    """One run: which answers there are, and which are still to be found."""

    def __init__(
        self,
        family: Family,
        values: list[float],
        config: Config,
        seed: int,
        store: Store,
        time_limit: float | None,
        progress: FrontierProgress | None,
    ) -> None:
        self.family, self.values, self.config, self.seed = family, values, config, seed
        self.store, self.progress = store, progress
        self.end = math.inf if time_limit is None else time.perf_counter() + time_limit
        self.workers: Workers[Job, dict[int, Record]] | None = None
        self.answers: list[Record | None] = [None] * len(values)
        self.began = time.perf_counter()
        self.interrupted = False

    def everything(self) -> None:
        """All phases; see the module."""
        everywhere = set(range(len(self.values)))
        config = self._config_of_a_point()
        self.phase("search", 0, everywhere, config)
        if self.config.neighborhood != "descent" or len(self.values) == 1:
            return
        fresh, round_ = everywhere, 0  # the points whose neighbors have not heard of them yet
        while fresh:
            settled: set[int] = set()
            while fresh:
                near = {i + step for i in fresh for step in (-1, 1)} & everywhere
                near = {i for i in near if self._status(i) not in ("optimal", "infeasible")}
                fresh = self.phase("neighbors", round_, near, self.config)
                settled |= fresh
                round_ += 1
            # A better answer leaves less over to be tried, so a proof may succeed now.
            if self.config.relaxations:
                fresh = self.phase("proof", round_, settled, config)
                round_ += 1

    def _config_of_a_point(self) -> Config:
        """The configuration, with the strongest bound alone and a search that leaves work to the neighbors."""
        config = self.config
        if config.neighborhood != "descent":
            return config
        quick = Config.quick()
        return config.replace(
            relaxations=("persp",) if "persp" in config.relaxations else config.relaxations,
            pool=PoolSettings(
                random=min(config.pool.random, quick.pool.random),
                rounded=min(config.pool.rounded, quick.pool.random),
            ),
            descent={"patience": min(config.descent.patience, quick.descent.patience)},
        )

    def phase(self, name: str, round_: int, wanted: set[int], config: Config) -> set[int]:
        """Solve the points that are not stored yet; returns those whose answer has improved."""
        before = list(self.answers)
        stored = self.store.get(name, round_)
        for point in sorted(stored):
            self._take(point, stored[point])
        pending = sorted(wanted - set(stored))
        done = len(wanted) - len(pending)
        self._tell(name, done, len(wanted))
        jobs: list[Job] = [(i, self.values[i], self._starts(name, i, before)) for i in pending]
        jobs = [job for job in jobs if name != "neighbors" or job[2]]
        for found in self._solve(name, jobs, config):
            self.store.put(name, round_, found)
            for point, record in found.items():
                known = self.answers[point]
                self._take(point, record)
                self._show(name, point, known)
            done += len(found)
            self._tell(name, done, len(wanted))
        return {i for i in wanted if self._improved(before[i], self.answers[i])}

    def _starts(self, phase: str, point: int, answers: list[Record | None]) -> list[list[int]]:
        """Binaries that are on in the answers that may help: the neighbors', or the point's own for its bound."""
        places = (point - 1, point + 1) if phase == "neighbors" else (point,) if phase == "proof" else ()
        starts: list[list[int]] = []
        own = answers[point]
        for place in places:
            record = answers[place] if 0 <= place < len(answers) else None
            if record is None or record["objective"] is None or record["b"] in starts:
                continue
            if phase == "proof" or own is None or record["b"] != own["b"]:
                starts.append(record["b"])
        return starts

    def _solve(self, phase: str, jobs: list[Job], config: Config) -> Iterator[dict[int, Record]]:
        left = self.end - time.perf_counter()
        if left <= 0 or not jobs:
            return
        count = self._threads(config) if self.workers is None else self.workers.count
        seconds = None if math.isinf(left) or phase == "neighbors" else left * count / len(jobs)
        for found in self._answers(phase, jobs, config, seconds):
            yield found
            if time.perf_counter() > self.end:
                return

    def _answers(
        self, phase: str, jobs: list[Job], config: Config, seconds: float | None
    ) -> Iterator[dict[int, Record]]:
        """Answers as they come, of this process or of the workers."""
        if self.workers is None:
            yield from self._here(phase, jobs, config, seconds)
            return
        size = max(1, min(LARGEST_TASK, -(-len(jobs) // (self.workers.count * TASKS_PER_WORKER))))
        tasks = [jobs[k : k + size] for k in range(0, len(jobs), size)]
        config = config.replace(threads=1)  # the points are what runs side by side
        for _, found in self.workers.map(tasks, self.family, phase, config, self.seed, seconds):
            yield found

    def _threads(self, config: Config) -> int:
        """How many points are solved side by side in this process: only those of a portfolio, whose problems are made
        by nobody else's function, and which is large enough for most of the time to be spent in the kernels."""
        served = isinstance(self.family, PortfolioFamily) and self.family.portfolio.n >= SIDE_BY_SIDE
        return (config.threads or os.cpu_count() or 1) if served else 1

    def _here(self, phase: str, jobs: list[Job], config: Config, seconds: float | None) -> Iterator[dict[int, Record]]:
        """Answers of this process, in order."""
        threads = min(self._threads(config), len(jobs))
        if threads <= 1:
            for job in jobs:
                yield solve_points([job], self.family, phase, config, self.seed, seconds)
            return
        alone = config.replace(threads=1)
        pool = ThreadPoolExecutor(threads)
        try:
            given = (self.family, phase, alone, self.seed, seconds)
            waiting = [pool.submit(solve_points, [job], *given) for job in jobs]
            for future in waiting:
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)

    def _take(self, point: int, record: Record) -> None:
        """Keep the better of two answers, the higher of two bounds, and the seconds of both."""
        old = self.answers[point]
        if old is None:
            self.answers[point] = record
            return
        seconds = old["seconds"] + record["seconds"]
        bounds = [value for value in (old["bound"], record["bound"]) if value is not None]
        best = record if self._improved(old, record) else old
        proven = record if record["status"] in ("optimal", "infeasible") else old
        status = best["status"]
        if proven["status"] == "infeasible" or (proven["status"] == "optimal" and not self._improved(proven, best)):
            best, status = proven, proven["status"]
        self.answers[point] = {
            **best, "status": status, "seconds": seconds, "bound": max(bounds) if bounds else None,
            "evaluations": old["evaluations"] + record["evaluations"],
            "time_helps": bool(old.get("time_helps") or record.get("time_helps")),
        }  # fmt: skip

    @staticmethod
    def _improved(old: Record | None, new: Record | None) -> bool:
        if new is None or new["objective"] is None:
            return False
        if old is None or old["objective"] is None:
            return True
        return bool(new["objective"] < old["objective"] - BETTER * abs(old["objective"]))

    def _status(self, point: int) -> str:
        record = self.answers[point]
        return "unknown" if record is None else str(record["status"])

    def _show(self, phase: str, point: int, before: Record | None) -> None:
        """Tell of a point whose answer or status has changed."""
        show, now = getattr(self.progress, "point", None), self.answers[point]
        if show is None or now is None:
            return
        if before is None or self._improved(before, now) or before["status"] != now["status"]:
            seconds = time.perf_counter() - self.began
            show(phase, point, self.family.parameter, self.values[point], now, seconds)

    def _tell(self, phase: str, done: int, total: int) -> None:
        if self.progress is not None:
            counts = dict.fromkeys(("optimal", "feasible", "infeasible", "unknown"), 0)
            for i in range(len(self.values)):
                counts[self._status(i)] += 1
            self.progress.update(phase, done, total, counts, time.perf_counter() - self.began)

    def best(self) -> list[Record | None]:
        """The answers as they stand."""
        return self.answers


def _workers(executor: Executor | None, jobs: int | None) -> Workers[Job, dict[int, Record]] | None:
    """Where points are solved; None for in this process."""
    if executor is None and jobs is None:
        return None
    count = jobs or max(int(getattr(executor, "_max_workers", 0) or 0), 4)

    def too_many(task: Sequence[Job]) -> str:
        return f"workers died {MOST_DEATHS} times on the points {', '.join(str(job[0]) for job in task)}"

    return Workers(solve_points, count, MOST_DEATHS, too_many, executor)


def _display(progress: FrontierProgress | bool | None) -> FrontierProgress | None:
    """Whom to tell."""
    if progress is True:
        return TextFrontierProgress()
    if progress is None or progress is False:
        return None
    if not hasattr(progress, "update"):
        raise ArgumentError(
            f"progress is {progress!r}; it must be True, False or an object with the method update of FrontierProgress"
        )
    return progress


def _grid(grid: Sequence[float]) -> list[float]:
    try:
        values = [float(value) for value in grid]
    except (TypeError, ValueError):
        raise ArgumentError("grid must be a sequence of numbers") from None
    if not values:
        raise ArgumentError("grid is empty; give at least one value")
    if not np.isfinite(values).all():
        raise ArgumentError("grid has a value that is not finite; every value must be a number")
    return values


def _check(
    config: Config, points: int, between: str, seed: int, time_limit: float | None, jobs: int | None, executor: object
) -> None:
    if not isinstance(config, Config):
        raise ArgumentError(f"config is a {type(config).__name__}; it must be a Config")
    if isinstance(points, bool) or not isinstance(points, int) or points < 1:
        raise ArgumentError(f"points is {points!r}; it must be a whole number of at least 1")
    if between not in ("efficient", "attainable"):
        raise ArgumentError(f"between is {between!r}; choose 'efficient' or 'attainable'")
    if time_limit is not None and not time_limit > 0:
        raise ArgumentError(f"time_limit is {time_limit}; it must be a positive number of seconds, or None")
    check_workers(seed, jobs, executor)
