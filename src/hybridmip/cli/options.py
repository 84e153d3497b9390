"""Options that several commands have, and what their texts mean."""

from __future__ import annotations

import math
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hybridmip.errors import ArgumentError

if TYPE_CHECKING:
    from hybridmip.run.config import Config


class Configuration(StrEnum):
    """Which parameters the solver runs with."""

    DEFAULT = "default"
    QUICK = "quick"
    PAPER = "paper"


def positive_seconds(value: float | None) -> float | None:
    """The limit; None for none, which is what infinitely many seconds are."""
    if value is None or value == math.inf:
        return None
    if not value > 0:
        raise ArgumentError(f"--time-limit is {value:g}; give a positive number of seconds")
    return value


COMMON = "Every command"
Seed = Annotated[
    int,
    typer.Option(min=0, metavar="N", help="Seed of all randomness; same seed, same answer.", rich_help_panel=COMMON),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Write one JSON document on standard output.", rich_help_panel=COMMON)
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        callback=positive_seconds,
        metavar="SECONDS",
        show_default=False,
        help="Seconds; the best so far is returned.",
        rich_help_panel=COMMON,
    ),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="No progress on standard error; warnings stay.", rich_help_panel=COMMON)
]
Gap = Annotated[
    str | None,
    typer.Option(metavar="G", show_default=False, help="Stop when proven this close to optimal: 0.0001 or 0.01%."),
]
CertificateFile = Annotated[
    Path | None, typer.Option(metavar="FILE.json", show_default=False, help="Write the proof of the bound here.")
]
Prove = Annotated[bool, typer.Option("--prove", help="Go on until the answer is proven, or the time limit is reached.")]
Dask = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", show_default=False, help="Work on a Dask cluster, such as tcp://host:8786."),
]
ProofFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.json",
        show_default=False,
        help="Write the whole proof of optimality here (means --prove), for hybridmip verify.",
    ),
]
ConfigName = Annotated[
    Configuration, typer.Option(help="The best known parameters; the search alone, without bounds; or the paper's.")
]
FixedCharge = Annotated[
    float | None,
    typer.Option(metavar="F", show_default=False, help="Price of opening an arc of a DIMACS min-cost-flow file."),
]


def as_gap(gap: str | None) -> float | None:
    """--gap as a number."""
    value = None if gap is None else fraction("--gap", gap)
    if value is not None and value < 0:
        raise ArgumentError(f"--gap is {gap}; give a number of at least 0, such as 1e-4")
    return value


def settings(name: Configuration) -> Config:
    """The configuration of that name."""
    from hybridmip.run.config import Config

    return {Configuration.PAPER: Config.paper, Configuration.QUICK: Config.quick}.get(name, Config)()


def fraction(what: str, text: str) -> float:
    """0.005 or 0.5% as a number; `what` is what messages call it."""
    stripped = text.strip()
    number = stripped.removesuffix("%")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        remedy = f"write {stripped.replace(',', '.', 1)}" if "," in number else "give a number such as 0.005 or 0.5%"
        raise ArgumentError(f"{what} is {text!r}; {remedy}")
    # 0.5 / 100 is nearer to what is meant than 0.5 * 0.01.
    return value / 100 if stripped.endswith("%") else value
