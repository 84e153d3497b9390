"""What a worker does: one method at one point of one set, from nothing but the arguments."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hybridmip.engines.blas import one_thread
from hybridmip.engines.compiled import be_patient, load
from hybridmip.errors import HybridMIPError
from hybridmip.model.problem import Problem
from hybridmip.relax.augm import Augm
from hybridmip.relax.discretise import discretise
from hybridmip.relax.dual import Dual
from hybridmip.relax.line import Line
from hybridmip.relax.protocol import Relaxation, RelaxationFailed, Relaxed, Setting
from hybridmip.restricted import restricted_solver
from hybridmip.run.config import Config
from hybridmip.run.result import Result
from hybridmip.run.solve import solve
from hybridmip.study.reference import reference_answer
from hybridmip.study.sets import load_set
from hybridmip.sweep.store import Record
from hybridmip.sweep.work import as_record

RELAXATIONS = ("line", "dual", "augm")
#: An answer may violate a constraint by this much; weights are of order 1.
FEASIBLE = 1e-7


@dataclass(frozen=True)
class Task:
    """One thing to compute; (phase, round, point) is where the store keeps it.

    Attributes
    ----------
    market : str
        Name of the set.
    kind : str
        `relaxations`, `solve`, `weighted`, `trace` or `reference`.
    method : str
        What the answer belongs to: relaxations, ours, paper, fitted, an ablation, the name of a reference solver.
    round : int
        The seed.
    point : int
        Number of the target (or lambda).
    value : float
        The target return (or lambda).
    config : Config or None
    seconds : float
        Time limit of a reference solver; else 0.
    """

    market: str
    kind: str
    method: str
    round: int
    point: int
    value: float
    config: Config | None = None
    seconds: float = 0.0

    @property
    def phase(self) -> str:
        """Set and method."""
        return f"{self.market}/{self.method}"


def run_tasks(tasks: list[Task], folder: Path) -> list[Record]:
    """The answers, in the order of the tasks.

    Raises
    ------
    KeyboardInterrupt
        If a solve was interrupted: its answer is not one of the study.
    """
    be_patient()
    return [_run(folder, task) for task in tasks]


def _run(folder: Path, task: Task) -> Record:
    market = load_set(folder, task.market)
    problem = market.weighted_problem(task.value) if task.kind == "weighted" else market.target_problem(task.value)
    if task.kind == "relaxations":
        with one_thread(problem.n):  # as in solve: sums in the same order whatever else the machine does
            return relaxations(problem)
    if task.kind == "reference":
        return reference_answer(task.method, problem, task.seconds)
    assert task.config is not None
    if task.kind == "trace":
        watch = Watch()
        result = solve(problem, config=task.config, seed=task.round, progress=watch)
        return {**_record(result), "objectives": watch.objectives, "bounds": watch.bounds}
    return _record(solve(problem, config=task.config, seed=task.round))


def _record(result: Result) -> Record:
    if result.stop_reason == "interrupted":
        raise KeyboardInterrupt
    if result.has_solution and result.violation > FEASIBLE:
        raise HybridMIPError(f"an answer violates a constraint by {result.violation:.1e}; this is a bug, please report")
    return {
        **as_record(result),
        "seconds": result.seconds,
        "gap": result.gap if math.isfinite(result.gap) else None,
        "phases": [[p.name, p.seconds, p.evaluations, p.improvements] for p in result.phases],
    }


def relaxations(problem: Problem) -> Record:
    """Line, Dual and Augm, each discretised and its restricted problem solved."""
    setting = Setting(problem)
    solver = restricted_solver(problem, 1)
    load(solver.kernels)
    earlier: dict[str, Relaxed] = {}
    answers: Record = {}
    asked: tuple[Relaxation, ...] = (Line(), Dual(), Augm(Config.paper().augm.weight))
    try:
        for relaxation in asked:
            began = time.perf_counter()
            try:
                relaxed = relaxation.solve(setting, earlier, None)
            except RelaxationFailed as failure:
                answers[relaxation.name] = {
                    "status": failure.status,
                    "objective": None,
                    "bound": None,
                    "b": [],
                    "x": [],
                }
                continue
            earlier[relaxation.name] = relaxed
            b = discretise(relaxed, setting.binaries)
            found = solver.evaluate(b)
            answer: dict[str, Any] = {
                "status": "feasible" if found.feasible else "infeasible",
                "objective": None, "bound": relaxed.bound if math.isfinite(relaxed.bound) else None,
                "b": np.flatnonzero(b).tolist(), "x": [], "evaluations": 1, "found_by": relaxation.name,
            }  # fmt: skip
            if found.feasible and found.x is not None:
                answer["objective"] = problem.objective(found.x, b)
                answer["x"] = [[int(j), float(found.x[j])] for j in np.flatnonzero(found.x)]
            answer["seconds"] = time.perf_counter() - began
            answers[relaxation.name] = answer
    finally:
        solver.close()
    return answers


class Watch:
    """Objective and bound over time, as `solve(progress=...)` tells them."""

    def __init__(self) -> None:
        self.objectives: list[list[float]] = []
        self.bounds: list[list[float]] = []

    def start(self, *_: object) -> None:
        """Nothing to note yet."""

    def incumbent(self, incumbent: Any) -> None:
        """A better answer."""
        self.objectives.append([incumbent.seconds, incumbent.objective])

    def bound(self, seconds: float, phase: str, objective: float, bound: float) -> None:
        """A better bound."""
        if math.isfinite(bound) and (not self.bounds or bound > self.bounds[-1][1]):
            self.bounds.append([seconds, bound])

    def tick(self, *_: object) -> None:
        """Nothing new."""

    def finish(self, result: Result) -> None:
        """Close both curves."""
        if result.has_solution:
            self.objectives.append([result.seconds, result.objective])
            self.bounds.append([result.seconds, result.bound])
