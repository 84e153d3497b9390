"""The settings of single phases, with the paper's symbols for them; `Config` is made of these groups."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from numbers import Integral, Real
from typing import Any, NamedTuple

from hybridmip.errors import ArgumentError


def is_whole(value: object, least: int = 0) -> bool:
    """Whether it is a whole number, and not below the least."""
    return not isinstance(value, bool) and isinstance(value, Integral) and int(value) >= least


def is_number(value: object, least: float = 0.0, most: float = math.inf) -> bool:
    """Whether it is a number, and within the limits."""
    return not isinstance(value, bool) and isinstance(value, Real) and least <= float(value) <= most


class Rule(NamedTuple):
    """What a setting must be: in words, and as a check."""

    words: str
    holds: Callable[[Any], bool]


#: The rule of every setting that has a range: checked when a configuration is made, and shown in its documentation.
RULES: dict[str, Rule] = {
    "enumerate_up_to": Rule("0 (never) or more", lambda most: most >= 0),
    "evaluation_limit": Rule("at least 1, or None for no limit", lambda limit: limit is None or limit >= 1),
    "threads": Rule("at least 1, or None for all cores", lambda threads: threads is None or threads >= 1),
    "augm.weight": Rule(
        "a finite number, 0 (no squares) or more", lambda weight: is_number(weight) and math.isfinite(weight)
    ),
    "pool.random": Rule("a whole number, 0 (none) or more", is_whole),
    "pool.rounded": Rule("a whole number, 0 (none) or more", is_whole),
    "genetic.keep_percent": Rule(
        "a number above 0 and at most 100 (all)", lambda keep: is_number(keep, 0, 100) and keep > 0
    ),
    "genetic.spread": Rule("a number, 0 (all equal) or more", is_number),
    "genetic.mutation_percent": Rule(
        "a number from 0 (never) to 100 (always)", lambda mutation: is_number(mutation, 0, 100)
    ),
    "genetic.generations": Rule("a whole number, 0 (none) or more", is_whole),
    "walk.limit": Rule("a whole number, 0 (no walk) or more", is_whole),
    "descent.starts": Rule("a whole number of at least 1", lambda starts: is_whole(starts, 1)),
    "descent.patience": Rule("a whole number, 0 (no shaking) or more", is_whole),
    "fit.rounds": Rule(
        "a whole number, 0 (none) or more, or None (where there is time)",
        lambda rounds: rounds is None or is_whole(rounds),
    ),
    "tree.work": Rule("a number, 0 (no tree) or more", is_number),
}


def require(name: str, value: object) -> None:
    """Refuse a setting that breaks its rule."""
    rule = RULES[name]
    if not rule.holds(value):
        raise ArgumentError(f"{name} is {value!r}; it must be {rule.words}")


def check_group(group: str, settings: Any) -> None:
    """Refuse a group in which a setting breaks its rule."""
    for entry in fields(settings):
        require(f"{group}.{entry.name}", getattr(settings, entry.name))


@dataclass(frozen=True)
class AugmSettings:
    """The relaxation Augm.

    Attributes
    ----------
    weight : float
        Weight of the squared rows (paper: lambda_g = 1e-7).

    Examples
    --------
    >>> import hybridmip as hm
    >>> hm.Config(augm=hm.AugmSettings(weight=1e-6)).augm
    AugmSettings(weight=1e-06)
    """

    weight: float = 1e-7

    def __post_init__(self) -> None:
        check_group("augm", self)


@dataclass(frozen=True)
class PoolSettings:
    """The pool, beside one member for each relaxation (paper: M_relax).

    Attributes
    ----------
    random : int
        Uniform random members (paper: M_random).
    rounded : int
        Randomised roundings of the relaxed b (not in the paper).

    Examples
    --------
    >>> import hybridmip as hm
    >>> hm.Config(pool=hm.PoolSettings(random=20)).pool
    PoolSettings(random=20, rounded=10)
    """

    random: int = 10
    rounded: int = 10

    def __post_init__(self) -> None:
        check_group("pool", self)


@dataclass(frozen=True)
class GeneticSettings:
    """The paper's genetic algorithm.

    Attributes
    ----------
    keep_percent : float
        Share of the pool that survives a competition (paper: p %).
    spread : float
        The algorithm ends when (worst - best) / best over the pool is at most this (paper: l).
    mutation_percent : float
        Probability of a mutation (paper: m %).
    generations : int
        Most competitions; 0 leaves the pool as it is.

    Examples
    --------
    >>> import hybridmip as hm
    >>> hm.Config(genetic=hm.GeneticSettings(keep_percent=90, generations=100)).genetic
    GeneticSettings(keep_percent=90, spread=0.001, mutation_percent=20.0, generations=100)
    """

    keep_percent: float = 95.0
    spread: float = 1e-3
    mutation_percent: float = 20.0
    generations: int = 0

    def __post_init__(self) -> None:
        check_group("genetic", self)


@dataclass(frozen=True)
class WalkSettings:
    """The paper's neighborhood search: a walk of random exchanges from neighbor to neighbor.

    Attributes
    ----------
    limit : int
        Exchanges without improvement after which the walk ends; 0 for no walk.

    Examples
    --------
    >>> import hybridmip as hm
    >>> hm.Config(walk=hm.WalkSettings(limit=1000)).walk
    WalkSettings(limit=1000)
    """

    limit: int = 500

    def __post_init__(self) -> None:
        check_group("walk", self)


@dataclass(frozen=True)
class DescentSettings:
    """The search by descents: best improvement from members of the pool, then from what is shaken and crossed.

    Attributes
    ----------
    starts : int
        Members of the pool that are descended from.
    patience : int
        Shakes and crossovers in a row without improvement after which the search has converged; 0 for none.

    Examples
    --------
    >>> import hybridmip as hm
    >>> hm.Config(descent=hm.DescentSettings(patience=100)).descent
    DescentSettings(starts=4, patience=100)
    """

    starts: int = 4
    patience: int = 40

    def __post_init__(self) -> None:
        check_group("descent", self)


@dataclass(frozen=True)
class FitSettings:
    """Fitting Persp's diagonal to the problem, after the search.

    Attributes
    ----------
    rounds : int or None
        Most rounds of fitting; None for none unless there is a time limit or a gap to reach.

    Examples
    --------
    >>> import hybridmip as hm
    >>> hm.Config(fit=hm.FitSettings(rounds=5)).fit
    FitSettings(rounds=5)
    """

    rounds: int | None = None

    def __post_init__(self) -> None:
        check_group("fit", self)


@dataclass(frozen=True)
class TreeSettings:
    """Branch and bound over the closed formula.

    Attributes
    ----------
    work : float
        Most work where nobody asked for a proof (by a time limit, a gap or `prove`), in 1e9 multiplications, about a
        second each; 0 for no tree at all.

    Examples
    --------
    >>> import hybridmip as hm
    >>> hm.Config(tree=hm.TreeSettings(work=10.0)).tree
    TreeSettings(work=10.0)
    """

    work: float = 2.0

    def __post_init__(self) -> None:
        check_group("tree", self)
