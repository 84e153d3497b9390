"""Solves in a process of their own, which is ended when one of them has no end."""

from __future__ import annotations

import warnings
from multiprocessing import get_context
from multiprocessing.connection import Connection

import hybridmip as hm
from tests.fingerprints.jobs import data_folder, fingerprint, options_of, problem_of

#: Seconds for the first solve of a process, which may have to compile.
FIRST = 120.0


def serve(pipe: Connection) -> None:
    """Solve what comes, until nothing does."""
    warnings.simplefilter("ignore")
    folder = data_folder()
    while (name := pipe.recv()) is not None:
        try:
            pipe.send(fingerprint(hm.solve(problem_of(folder, name), **options_of(name))))
        except hm.HybridMIPError as error:
            pipe.send({"error": type(error).__name__})


def run(wanted: list[tuple[str, ...]], patience: float) -> dict[str, dict]:
    """The fingerprints of the jobs that end by themselves."""
    context = get_context("spawn")
    found: dict[str, dict] = {}
    process, mine = None, None
    for name in wanted:
        if process is None:
            mine, theirs = context.Pipe()
            process = context.Process(target=serve, args=(theirs,), daemon=True)
            process.start()
            theirs.close()
        mine.send(name)
        try:
            found[" ".join(name)] = mine.recv() if mine.poll(patience if found else FIRST) else None
        except EOFError:
            found[" ".join(name)] = None
        if found[" ".join(name)] is None:
            process.kill()
            process.join()
            process = None
    if process is not None:
        mine.send(None)
        process.join()
    return {name: print_ for name, print_ in found.items() if print_ is not None}
