"""Processes that do tasks side by side, replaced when they die."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from typing import Any, Generic, TypeVar

from hybridmip.errors import ArgumentError, HybridMIPError

Item = TypeVar("Item")
Answer = TypeVar("Answer")

#: Tasks handed over at once, for each worker: one to work on, one to go on with.
AHEAD = 2


def check_workers(seed: object, jobs: object, executor: object) -> None:
    """Refuse a seed and a number of processes that are none, and two places to work at."""
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ArgumentError(f"seed is {seed!r}; it must be a whole number of at least 0")
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1):
        raise ArgumentError(f"jobs is {jobs!r}; it must be a whole number of at least 1, or None")
    if jobs is not None and executor is not None:
        raise ArgumentError("jobs and executor are both given; give one of them")


class Workers(Generic[Item, Answer]):
    """Where tasks (lists of items) are done: in a pool that is renewed when a worker dies, or where the caller says.

    Parameters
    ----------
    work : callable
        Done by a worker: from a task, and what `map` is given beside it, to its answer. A function of a module.
    count : int
        How many work side by side.
    most_deaths : int
        How often a worker may die of an item before all is given up.
    too_many : callable
        From a task whose workers died that often to what is said of it.
    executor : Executor, optional
        One that the caller made; it cannot be renewed.
    prepare : callable, optional
        Called here before a pool is made.
    """

    def __init__(
        self,
        work: Callable[..., Answer],
        count: int,
        most_deaths: int,
        too_many: Callable[[Sequence[Item]], str],
        executor: Executor | None = None,
        prepare: Callable[[], None] | None = None,
    ) -> None:
        self.work, self.count, self.most_deaths, self.too_many = work, count, most_deaths, too_many
        self._given, self._prepare = executor, prepare
        self._pool: Executor | None = None

    def map(self, tasks: Sequence[list[Item]], *shared: Any) -> Iterator[tuple[list[Item], Answer]]:
        """Tasks, from the last to the first, and their answers as they come.

        Raises
        ------
        HybridMIPError
            If workers died too often, or the caller's executor is broken.
        """
        waiting = [(task, 0) for task in tasks]
        running: dict[Future[Answer], tuple[list[Item], int]] = {}
        while waiting or running:
            lost: list[tuple[list[Item], int]] = []
            try:
                while waiting and len(running) < AHEAD * self.count:
                    lost = [waiting.pop()]
                    running[self._executor().submit(self.work, lost[0][0], *shared)] = lost[0]
                    lost = []
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    lost = [running.pop(future)]
                    answer = future.result()
                    task, lost = lost[0][0], []
                    yield task, answer
            except BrokenExecutor:
                # Every task of a broken pool is lost, not only the one whose worker died.
                lost += running.values()
                running.clear()
                self._renew()
                for task, deaths in lost:
                    if deaths + 1 >= self.most_deaths:
                        raise HybridMIPError(self.too_many(task)) from None
                    waiting += [([item], deaths + 1) for item in task]

    def _executor(self) -> Executor:
        if self._given is not None:
            return self._given
        if self._pool is None:
            if self._prepare is not None:
                self._prepare()
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.count, mp_context=context, initializer=_begin)
        return self._pool

    def _renew(self) -> None:
        if self._given is not None:
            raise HybridMIPError("the executor is broken: a worker died and it cannot go on; resume with a new one")
        self.close()

    def close(self, wait: bool = False, now: bool = False) -> None:
        """Let the pool that was made here go; `wait` for its processes, or end them `now`, whatever they are at."""
        if self._pool is not None:
            processes = list((getattr(self._pool, "_processes", None) or {}).values())
            self._pool.shutdown(wait=wait, cancel_futures=True)
            self._pool = None
            for process in processes if now else []:
                process.terminate()


def _begin() -> None:
    """Leave Ctrl-C, which goes to every process of a terminal, to the one that stores the answers; end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    """A worker whose parent was killed would wait for ever."""
    parent.join()
    os._exit(1)
