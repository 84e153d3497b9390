"""What `problem.solve(solver=HYBRIDMIP, ...)` takes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

from hybridmip.errors import ArgumentError
from hybridmip.run.config import Config
from hybridmip.run.result import Incumbent

#: Configurations by name.
CONFIGURATIONS: dict[str, Callable[[], Config]] = {"default": Config, "quick": Config.quick, "paper": Config.paper}
#: Meant for cvxpy itself, which hands it on.
OF_CVXPY = ("use_quad_obj",)


@dataclass(frozen=True)
class Options:
    """The options of `hybridmip.solve`, and `threads`.

    Attributes
    ----------
    time_limit : float, optional
        Seconds.
    gap : float, optional
        Relative gap at which the answer counts as optimal.
    seed : int
    threads : int, optional
        Threads for batches of restricted problems; all cores by default.
    config : Config or str, optional
        "default", "quick" or "paper" for those of `hybridmip.Config`.
    prove : bool, optional
        Go on until the answer is proven, or the time is up. Left out, that is so where neither `time_limit` nor `gap`
        nor `config` is given, as with other solvers of cvxpy; False then ends after a bounded amount of work.
    callback : callable, optional
        Called with every new incumbent; returning True ends the solve.
    executor : concurrent.futures.Executor, optional
        Where subtrees of branch and bound are worked on.
    """

    time_limit: float | None = None
    gap: float | None = None
    seed: int = 0
    threads: int | None = None
    config: Config | str | None = None
    prove: bool | None = None
    callback: Callable[[Incumbent], object] | None = None
    executor: Executor | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Options:
        """The options from what cvxpy was given.

        Raises
        ------
        ArgumentError
            If there is no such option.
        """
        known = [entry.name for entry in dataclasses.fields(cls)]
        given = {name: value for name, value in given.items() if name not in OF_CVXPY}
        for name in given:
            if name not in known:
                raise ArgumentError(f"HYBRIDMIP has no option {name!r}; choose from {', '.join(known)}")
        return cls(**given)

    def arguments(self) -> dict[str, Any]:
        """The arguments of `hybridmip.solve`."""
        config = self.config if self.config is not None else Config()
        if isinstance(config, str) and config in CONFIGURATIONS:
            config = CONFIGURATIONS[config]()
        if not isinstance(config, Config):
            words = ", ".join(repr(word) for word in CONFIGURATIONS)
            raise ArgumentError(f"config is {config!r}; it must be {words} or a hybridmip.Config")
        for name, value in (("time_limit", self.time_limit), ("gap", self.gap)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int | float | np.number)):
                raise ArgumentError(f"{name} is {value!r}; it must be a number")
        if self.threads is not None:
            config = config.replace(threads=self.threads)
        prove = self.prove
        if prove is None:
            prove = self.time_limit is None and self.gap is None and self.config is None
        return {
            "config": config, "time_limit": self.time_limit, "gap": self.gap, "seed": self.seed, "prove": prove,
            "callback": self.callback, "executor": self.executor,
        }  # fmt: skip
