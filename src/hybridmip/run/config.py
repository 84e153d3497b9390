"""Config: every knob of the solver, with the paper's symbol for it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hybridmip.errors import ArgumentError, FileError

if TYPE_CHECKING:
    from hybridmip.run.phase import Phase

DEFAULT_RELAXATIONS = ("persp", "line", "dual", "augm")
PAPER_RELAXATIONS = ("line", "dual", "augm")


@dataclass(frozen=True)
class Config:
    """How `solve` goes about it. `Config()` is the best we know, `Config.paper()` the paper's algorithm,
    `Config.quick()` the search without the bounds.

    Attributes
    ----------
    phases : tuple of Phase, optional
        The steps, in order (`hybridmip.run.phases` has those of the three algorithms); each runs where it serves the
        problem. Left out, those of the algorithm that the other settings ask for.
    relaxations : tuple of str
        Which relaxations feed the pool (M_relax of them), in this order. Where Persp was solved and Line would
        take long, Line and Dual, which it dominates, are left out.
    augmentation : float
        Weight of the squared rows in Augm (paper: lambda_g = 1e-7).
    random_solutions : int
        Uniform random members of the pool (paper: M_random).
    rounded_solutions : int
        Randomised roundings of the relaxed b in the pool (not in the paper).
    keep_percent : float
        Share of the pool that survives a competition (paper: p %).
    spread : float
        The genetic phase ends when (worst - best) / best is at most this (paper: l).
    mutation_percent : float
        Probability of a mutation (paper: m %).
    generations : int
        Most competitions of the genetic phase.
    neighborhood : str
        `paper` (random exchanges from neighbor to neighbor) or `descent` (best improvement, shaken).
    neighbor_limit : int
        Exchanges without improvement after which the paper's neighborhood search ends.
    descents : int
        Members of the pool that are starts of a descent (`descent` only).
    patience : int
        Shakes and crossovers in a row without improvement after which the search has converged.
    fit_rounds : int or None
        Rounds of fitting Persp's diagonal to the problem, after the search; None for none unless there is a time
        limit or a gap to reach.
    presolve : bool
        Leave out rows and x that others determine, before anything else.
    enumerate_up_to : int
        Problems with at most this many choices of b are solved by trying all of them; 0 for never.
    evaluation_limit : int or None
        Most restricted problems to solve.
    threads : int or None
        Threads for batches of restricted problems; None for all cores. The answer does not depend on it.
    """

    name: str = "default"
    phases: tuple[Phase, ...] | None = None
    relaxations: tuple[str, ...] = DEFAULT_RELAXATIONS
    augmentation: float = 1e-7
    random_solutions: int = 10
    rounded_solutions: int = 10
    keep_percent: float = 95.0
    spread: float = 1e-3
    mutation_percent: float = 20.0
    generations: int = 0
    neighborhood: str = "descent"
    neighbor_limit: int = 500
    descents: int = 4
    patience: int = 40
    fit_rounds: int | None = None
    presolve: bool = True
    enumerate_up_to: int = 4096
    evaluation_limit: int | None = None
    threads: int | None = None

    def __post_init__(self) -> None:
        unknown = [r for r in self.relaxations if r not in DEFAULT_RELAXATIONS]
        if unknown:
            from hybridmip.relax.registry import RELAXATIONS  # it loads what `--help` does not need

            unknown = [r for r in unknown if r not in RELAXATIONS]
        if unknown:
            raise ArgumentError(f"relaxations has {unknown[0]!r}; choose from {', '.join(RELAXATIONS)}")
        if self.neighborhood not in ("paper", "descent"):
            raise ArgumentError(f"neighborhood is {self.neighborhood!r}; choose 'paper' or 'descent'")
        if not 0 < self.keep_percent <= 100:
            raise ArgumentError(f"keep_percent is {self.keep_percent}; it must be above 0 and at most 100")
        if not 0 <= self.mutation_percent <= 100:
            raise ArgumentError(f"mutation_percent is {self.mutation_percent}; it must be between 0 and 100")
        if self.threads is not None and self.threads < 1:
            raise ArgumentError(f"threads is {self.threads}; it must be at least 1, or None for all cores")
        counts = (
            "random_solutions",
            "rounded_solutions",
            "generations",
            "neighbor_limit",
            "descents",
            "patience",
        )
        for name in (*counts, "enumerate_up_to", "augmentation", "spread"):
            if getattr(self, name) < 0:
                raise ArgumentError(f"{name} is {getattr(self, name)}; it must not be negative")
        if self.fit_rounds is not None and self.fit_rounds < 0:
            raise ArgumentError(f"fit_rounds is {self.fit_rounds}; it must not be negative, or None")
        if self.evaluation_limit is not None and self.evaluation_limit < 1:
            raise ArgumentError(f"evaluation_limit is {self.evaluation_limit}; it must be at least 1, or None")

    @classmethod
    def paper(cls, **changes: object) -> Config:
        """The paper's algorithm to the letter.

        The paper leaves M_random, p, l, m and the neighbor limit open; the values here are ours. With
        p = 95 a pool of 100 shrinks, competition by competition, to a stable score of survivors.
        """
        settings: dict[str, object] = {
            "name": "paper",
            "relaxations": PAPER_RELAXATIONS,
            "augmentation": 1e-7,
            "random_solutions": 97,
            "rounded_solutions": 0,
            "keep_percent": 95.0,
            "spread": 1e-4,
            "mutation_percent": 20.0,
            "generations": 5000,
            "neighborhood": "paper",
            "neighbor_limit": 500,
            "fit_rounds": 0,
            "presolve": False,
            "enumerate_up_to": 0,
        }
        return cls(**{**settings, **changes})  # type: ignore[arg-type]

    @classmethod
    def quick(cls, **changes: object) -> Config:
        """Answers in milliseconds and no bounds: the search alone, from a few random starts."""
        settings: dict[str, object] = {
            "name": "quick",
            "relaxations": (),
            "random_solutions": 4,
            "rounded_solutions": 0,
            "patience": 4,
        }
        return cls(**{**settings, **changes})  # type: ignore[arg-type]

    @classmethod
    def from_file(cls, path: str | Path) -> Config:
        """A configuration from a TOML file: its settings by name, on top of `base = "default"`, "quick" or "paper".

        Raises
        ------
        FileError
            If the file cannot be read, or has a setting that there is none of.
        ArgumentError
            If a setting is out of its range.
        """
        import tomllib

        try:
            settings = tomllib.loads(Path(path).expanduser().read_text(encoding="utf-8"))
        except OSError as error:
            raise FileError(f"{path} cannot be read ({error.strerror}); check the path") from None
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise FileError(f"{path} is not TOML: {error}") from None
        bases = {"default": cls, "quick": cls.quick, "paper": cls.paper}
        base = settings.pop("base", "default")
        if base not in bases:
            raise FileError(f"{path}: base is {base!r}; choose from {', '.join(bases)}")
        known = {entry.name: entry for entry in dataclasses.fields(cls) if entry.name != "phases"}
        for name, value in settings.items():
            if name not in known:
                raise FileError(f"{path}: there is no setting {name}; choose from base, {', '.join(known)}")
            kind, wanted = type(value).__name__, str(known[name].type)
            allowed = {"list": "tuple", "int": "int float"}.get(kind, kind).split()
            if not any(word in wanted for word in allowed):
                raise FileError(f"{path}: {name} is a {kind}; it must be {wanted}")
        if "relaxations" in settings:
            settings["relaxations"] = tuple(settings["relaxations"])
        return bases[base](**settings)  # type: ignore[operator,no-any-return]

    def replace(self, **changes: object) -> Config:
        """A copy with some settings changed."""
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]
