"""Processes that do tasks side by side, replaced when they die."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
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
    program = sys.modules["__main__"]
    main = getattr(program, "__file__", None) if getattr(program, "__spec__", None) is None else None
    if jobs is not None and main is not None and not os.path.exists(main):
        # What starts a process reads the main program there: without this it would die at once.
        raise ArgumentError(
            f"jobs starts processes that read the main program, which is no file ({main}); save it first"
        )


def check_sendable(what: str, value: object, jobs: int | None, executor: object) -> None:
    """Refuse what cannot be sent to other processes, where these are to work on it.

    Threads need nothing sent, and Dask sends more than pickle can; theirs is not looked at.

    Raises
    ------
    ArgumentError
        If pickle cannot take it, or another process would not find it.
    """
    if jobs is None and not isinstance(executor, ProcessPoolExecutor):
        return
    by = "jobs" if executor is None else "the process pool of executor"
    try:
        pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ArgumentError(
            f"{what} cannot be sent to the processes of {by} ({_culprit(value)}: {' '.join(str(error).split())}); give "
            f"a function or a class of a module, and plain data, or leave out {by.split()[-1]}"
        ) from None
    main = sys.modules["__main__"]
    typed_in = getattr(main, "__spec__", None) is None and not hasattr(main, "__file__")
    parts = (*getattr(value, "__dict__", {}).values(), type(value))
    if typed_in and any(getattr(part, "__module__", "") == "__main__" for part in parts):
        raise ArgumentError(
            f"{what} cannot be sent to the processes of {by} ({_culprit(value)} was typed in, so they do not find it); "
            f"put it into a module, or leave out {by.split()[-1]}"
        )


def _culprit(value: object) -> str:
    """What of a family is likely the matter: its function, or itself."""
    part = getattr(value, "make", value)
    name = getattr(part, "__qualname__", type(part).__qualname__)
    return f"the function {name}" if callable(part) else name


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
