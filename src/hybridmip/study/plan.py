"""What is computed: the tasks of the study, in three steps that build on each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hybridmip.run.config import DEFAULT_RELAXATIONS, PAPER_RELAXATIONS, Config
from hybridmip.run.settings import FitSettings, PoolSettings, WalkSettings
from hybridmip.study.sets import SETS, TARGETS, MarketSet, lambdas
from hybridmip.study.work import Task

#: Rounds of fitting the diagonal, for the bounds of Table 4 and for the convergence figure.
FIT_ROUNDS = 5
TRACE_ROUNDS = 20
#: The ablation takes every so many targets, from this one on.
ABLATION_STEP = 5
ABLATION_FIRST = 2
#: Shakes without improvement in the ablation of ours: so few that a difference has a chance to show.
ABLATION_PATIENCE = 0


@dataclass(frozen=True)
class Options:
    """What to run.

    Attributes
    ----------
    sets : tuple of str
    seeds : tuple of int
        For Paper, Ours and the ablation; everything else uses the first.
    quick : bool
        Ten targets and ten lambdas only.
    reference : tuple of str
        Reference solvers: cplex, gurobi, scip.
    reference_seconds : float
        Time limit of a reference solver for one target.
    """

    sets: tuple[str, ...] = SETS
    seeds: tuple[int, ...] = (0, 1, 2)
    quick: bool = False
    reference: tuple[str, ...] = ()
    reference_seconds: float = 10.0

    @property
    def points(self) -> list[int]:
        """Numbers of the targets."""
        return thinned(TARGETS, 10) if self.quick else list(range(TARGETS))

    @property
    def lambda_points(self) -> list[int]:
        """Numbers of the lambdas."""
        count = len(lambdas())
        return thinned(count, 10) if self.quick else list(range(count))

    @property
    def ablation_seeds(self) -> tuple[int, ...]:
        """Seeds of the ablation."""
        return self.seeds[:1] if self.quick else self.seeds

    @property
    def ablation_points(self) -> list[int]:
        """Numbers of the targets of the ablation."""
        return self.points[::2] if self.quick else self.points[ABLATION_FIRST::ABLATION_STEP]


def thinned(count: int, wanted: int) -> list[int]:
    """So many of 0 .. count - 1, evenly spaced, ends included."""
    return sorted({round(place) for place in np.linspace(0, count - 1, min(count, wanted))})


def ours() -> Config:
    """The default configuration; one thread, since the points are what runs side by side."""
    return Config(threads=1)


def paper() -> Config:
    """The paper's algorithm."""
    return Config.paper(threads=1)


def fitted(rounds: int = FIT_ROUNDS) -> Config:
    """The default configuration with time for better bounds."""
    return Config(threads=1, fit=FitSettings(rounds))


def ablations() -> dict[str, Config]:
    """Every configuration of the ablation by name: pipeline, then what is left out of it.

    The paper's pipeline gets Persp as a fourth relaxation, so that all seven parts are there to be left out; without
    it that is `Config.paper()`. In ours the crossovers are part of the neighborhood search.
    """
    full = paper().replace(relaxations=(*PAPER_RELAXATIONS, "persp"))
    hasty = ours().replace(descent={"patience": ABLATION_PATIENCE})
    variants = {
        "paper, all": full,
        "paper, random": full.replace(pool={"random": 0}),
        "paper, genetic": full.replace(genetic={"generations": 0}),
        "paper, neighborhood": full.replace(walk=WalkSettings(0)),
        "ours, all": hasty,
        "ours, random": hasty.replace(pool=PoolSettings(0, 0)),
        "ours, neighborhood": hasty.replace(neighborhood="paper", walk=WalkSettings(0)),
    }
    for name in DEFAULT_RELAXATIONS:
        for pipeline, config in (("paper", full), ("ours", hasty)):
            rest = tuple(other for other in config.relaxations if other != name)
            variants[f"{pipeline}, {name}"] = config.replace(relaxations=rest)
    return variants


#: The order of the parts in tables and figures.
PARTS = ("line", "dual", "augm", "persp", "random", "genetic", "neighborhood")


def first_tasks(options: Options, markets: Sequence[MarketSet]) -> list[Task]:
    """Ours at every target, which also says which targets are infeasible; and the classical setting."""
    values = lambdas()
    tasks = []
    for market in markets:
        for seed in options.seeds:
            for k in options.points:
                tasks.append(Task(market.name, "solve", "ours", seed, k, float(market.targets[k]), ours()))
        for k in options.lambda_points:
            tasks.append(Task(market.name, "weighted", "weighted", options.seeds[0], k, values[k], ours()))
    return tasks


def second_tasks(options: Options, markets: Sequence[MarketSet], feasible: Mapping[str, Sequence[int]]) -> list[Task]:
    """Every other method at the feasible targets."""
    tasks = []
    for market in markets:

        def add(kind: str, method: str, seed: int, points: Sequence[int], config: Config | None = None,
                seconds: float = 0.0, market: MarketSet = market) -> None:  # fmt: skip
            for k in points:
                tasks.append(Task(market.name, kind, method, seed, k, float(market.targets[k]), config, seconds))

        points = feasible[market.name]
        add("relaxations", "relaxations", 0, points)
        for seed in options.seeds:
            add("solve", "paper", seed, points, paper())
        add("solve", "fitted", options.seeds[0], points, fitted())
        chosen = [k for k in options.ablation_points if k in points]
        for name, config in ablations().items():
            for seed in options.ablation_seeds:
                add("solve", name, seed, chosen, config)
        for solver in options.reference:
            add("reference", solver, 0, points, None, options.reference_seconds)
    return tasks


def third_tasks(options: Options, markets: Sequence[MarketSet], hardest: Mapping[str, int | None]) -> list[Task]:
    """Objective and bound over time at the hardest target of every set."""
    tasks = []
    for market in markets:
        k = hardest[market.name]
        if k is None:
            continue
        for method, config in (("trace ours", fitted(TRACE_ROUNDS)), ("trace paper", paper())):
            tasks.append(Task(market.name, "trace", method, options.seeds[0], k, float(market.targets[k]), config))
    return tasks


#: Rough seconds of a task, for the progress bar.
EXPECTED = {"relaxations": 0.1, "solve": 0.2, "weighted": 0.2, "trace": 2.0}


def expected_seconds(task: Task) -> float:
    """How long a task takes, roughly."""
    if task.kind == "reference":
        return task.seconds / 3
    return 0.6 if task.method == "fitted" else EXPECTED[task.kind]
