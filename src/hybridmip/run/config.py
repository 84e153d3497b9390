"""Config: every knob of the solver, by phase."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridmip.errors import ArgumentError, FileError
from hybridmip.run.settings import (
    AugmSettings,
    DescentSettings,
    FitSettings,
    GeneticSettings,
    PoolSettings,
    TreeSettings,
    WalkSettings,
    require,
)

if TYPE_CHECKING:
    from hybridmip.run.phase import Phase

DEFAULT_RELAXATIONS = ("persp", "line", "dual", "augm")
PAPER_RELAXATIONS = ("line", "dual", "augm")
NEIGHBORHOODS = ("paper", "descent")
#: The settings of single phases, by their name in `Config` and in files.
GROUPS: dict[str, type] = {
    "augm": AugmSettings,
    "pool": PoolSettings,
    "genetic": GeneticSettings,
    "walk": WalkSettings,
    "descent": DescentSettings,
    "fit": FitSettings,
    "tree": TreeSettings,
}
#: What a file may have for a setting, by the setting's annotation; for a group it is a table.
ALLOWED = {
    "str": ("a string",),
    "bool": ("a boolean",),
    "int": ("an integer",),
    "int | None": ("an integer",),
    "float": ("a float", "an integer"),
    "tuple[str, ...]": ("an array of strings",),
}


@dataclass(frozen=True)
class Config:
    """How `solve` goes about it. `Config()` is the best we know, `Config.paper()` the paper's algorithm,
    `Config.quick()` the search without the bounds.

    Attributes
    ----------
    name : str
        What the progress display calls it.
    phases : tuple of Phase, optional
        The steps, in order (`hybridmip.run.phases` has those of the three algorithms); each runs where it serves the
        problem. Left out, those of the algorithm that the other settings ask for.
    relaxations : tuple of str
        Which relaxations feed the pool (M_relax of them), in this order. Where Persp was solved and Line would
        take long, Line and Dual, which it dominates, are left out.
    neighborhood : str
        `paper` (random exchanges from neighbor to neighbor) or `descent` (best improvement, shaken).
    presolve : bool
        Leave out rows and x that others determine, before anything else.
    enumerate_up_to : int
        Problems with at most this many choices of b are solved by trying all of them; 0 for never.
    evaluation_limit : int or None
        Most restricted problems to solve.
    threads : int or None
        Threads for batches of restricted problems; None for all cores. The answer does not depend on it.
    augm : AugmSettings
        The relaxation Augm.
    pool : PoolSettings
        How many members the pool gets.
    genetic : GeneticSettings
        The genetic algorithm.
    walk : WalkSettings
        The paper's neighborhood search (`neighborhood="paper"`).
    descent : DescentSettings
        The search by descents (`neighborhood="descent"`).
    fit : FitSettings
        Fitting the bound, after the search.
    tree : TreeSettings
        Branch and bound.

    Raises
    ------
    ArgumentError
        If a setting is out of its range; the message names it (`pool.random`).

    Examples
    --------
    >>> import hybridmip as hm
    >>> config = hm.Config(threads=1, pool=hm.PoolSettings(random=20))
    >>> config.pool
    PoolSettings(random=20, rounded=10)
    >>> try:
    ...     hm.Config(threads=0)
    ... except hm.ArgumentError as error:
    ...     print(error)
    threads is 0; it must be at least 1, or None for all cores
    """

    name: str = "default"
    phases: tuple[Phase, ...] | None = None
    relaxations: tuple[str, ...] = DEFAULT_RELAXATIONS
    neighborhood: str = "descent"
    presolve: bool = True
    enumerate_up_to: int = 4096
    evaluation_limit: int | None = None
    threads: int | None = None
    augm: AugmSettings = field(default_factory=AugmSettings)
    pool: PoolSettings = field(default_factory=PoolSettings)
    genetic: GeneticSettings = field(default_factory=GeneticSettings)
    walk: WalkSettings = field(default_factory=WalkSettings)
    descent: DescentSettings = field(default_factory=DescentSettings)
    fit: FitSettings = field(default_factory=FitSettings)
    tree: TreeSettings = field(default_factory=TreeSettings)

    def __post_init__(self) -> None:
        unknown = [r for r in self.relaxations if r not in DEFAULT_RELAXATIONS]
        if unknown:
            from hybridmip.relax.registry import RELAXATIONS  # it loads what `--help` does not need

            unknown = [r for r in unknown if r not in RELAXATIONS]
        if unknown:
            raise ArgumentError(f"relaxations has {unknown[0]!r}; choose from {', '.join(RELAXATIONS)}")
        if self.neighborhood not in NEIGHBORHOODS:
            choices = " or ".join(map(repr, NEIGHBORHOODS))
            raise ArgumentError(f"neighborhood is {self.neighborhood!r}; choose {choices}")
        for name in ("threads", "evaluation_limit", "enumerate_up_to"):
            require(name, getattr(self, name))
        for name, group in GROUPS.items():
            given = getattr(self, name)
            if not isinstance(given, group):
                raise ArgumentError(
                    f"{name} is a {type(given).__name__}; it must be a {group.__name__} (replace() takes a dict too)"
                )

    @classmethod
    def paper(cls, **changes: object) -> Config:
        """The paper's algorithm, step by step; its formulas as corrected (docs/how/idea.md).

        The paper leaves M_random, p, l, m and the neighbor limit open; the values here are ours. With
        p = 95 a pool of 100 shrinks, competition by competition, to a stable score of survivors. Changes are
        those of `replace`.

        Examples
        --------
        >>> import hybridmip as hm
        >>> hm.Config.paper(walk={"limit": 1000}).walk
        WalkSettings(limit=1000)
        """
        algorithm = cls(
            name="paper",
            relaxations=PAPER_RELAXATIONS,
            neighborhood="paper",
            presolve=False,
            enumerate_up_to=0,
            augm=AugmSettings(weight=1e-7),
            pool=PoolSettings(random=97, rounded=0),
            genetic=GeneticSettings(keep_percent=95.0, spread=1e-4, mutation_percent=20.0, generations=5000),
            walk=WalkSettings(limit=500),
            fit=FitSettings(rounds=0),
        )
        return algorithm.replace(**changes)

    @classmethod
    def quick(cls, **changes: object) -> Config:
        """Answers in milliseconds and no bounds: the search alone, from a few random starts.

        Changes are those of `replace`.

        Examples
        --------
        >>> import hybridmip as hm
        >>> result = hm.solve(hm.market(assets=30).portfolio(assets=5), config=hm.Config.quick())
        >>> str(result.status), result.certificate
        ('feasible', <Certificate of the bound 0 (trivial), n = 30>)
        """
        algorithm = cls(
            name="quick",
            relaxations=(),
            pool=PoolSettings(random=4, rounded=0),
            descent=DescentSettings(patience=4),
        )
        return algorithm.replace(**changes)

    @classmethod
    def from_file(cls, path: str | Path) -> Config:
        """A configuration from a TOML file: its settings by name, a table for each group, on top of
        `base = "default"`, "quick" or "paper".

        Raises
        ------
        FileError
            If the file cannot be read, has a table or a setting that there is none of, or a value of the wrong type.
        ArgumentError
            If a setting is out of its range.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import hybridmip as hm
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "config.toml")
        ...     with file.open("w") as text:
        ...         print('base = "quick"', "pool.random = 8", sep=chr(10), file=text)
        ...     config = hm.Config.from_file(file)
        >>> config.name, config.pool.random
        ('quick', 8)
        """
        import tomllib

        try:
            settings = tomllib.loads(Path(path).expanduser().read_text(encoding="utf-8"))
        except OSError as error:
            raise FileError(f"{path} cannot be read ({error.strerror}); check the path") from None
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise FileError(f"{path} is not TOML: {error}") from None
        bases = {"default": cls(), "quick": cls.quick(), "paper": cls.paper()}
        base = settings.pop("base", "default")
        if not isinstance(base, str) or base not in bases:
            raise FileError(f"{path}: base is {base!r}; choose from {', '.join(bases)}")
        _check_table(path, settings, cls)
        if "relaxations" in settings:
            settings["relaxations"] = tuple(settings["relaxations"])
        return bases[base].replace(**settings)

    def replace(self, **changes: object) -> Config:
        """A copy with some settings changed: `replace(threads=1, pool={"random": 0})`.

        A group is replaced as a whole (`pool=PoolSettings(random=0)`, whose other settings are those of `Config()`), or
        by a dict of the settings that change.

        Examples
        --------
        >>> import hybridmip as hm
        >>> hm.Config().replace(threads=1, pool={"random": 0}).pool
        PoolSettings(random=0, rounded=10)
        """
        for name, change in changes.items():
            if name in GROUPS and isinstance(change, Mapping):
                changes[name] = dataclasses.replace(getattr(self, name), **change)
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]


def _check_table(path: str | Path, table: dict[str, Any], kind: type, group: str = "") -> None:
    """Refuse what is no setting of `kind`, or is one of another type."""
    known = {entry.name: str(entry.type) for entry in dataclasses.fields(kind) if entry.name != "phases"}
    for name, value in table.items():
        full = f"{group}{name}"
        if name not in known:
            what = f"table [{full}]" if isinstance(value, dict) else f"setting {full}"
            choices = [f"[{other}]" if known[other] not in ALLOWED else f"{group}{other}" for other in known]
            choices = choices if group else ["base", *choices]
            raise FileError(f"{path}: there is no {what}; choose from {', '.join(choices)}")
        allowed, found = ALLOWED.get(known[name], ("a table",)), _toml_kind(value)
        if found not in allowed:
            raise FileError(f"{path}: {full} is {found}; it must be {' or '.join(allowed)}")
        if isinstance(value, dict):
            _check_table(path, value, GROUPS[name], f"{name}.")


def _toml_kind(value: object) -> str:
    """What TOML calls a value."""
    if isinstance(value, list):
        return "an array of strings" if all(isinstance(entry, str) for entry in value) else "an array"
    names = {str: "a string", bool: "a boolean", int: "an integer", float: "a float", dict: "a table"}
    return names.get(type(value), "a date or a time")
