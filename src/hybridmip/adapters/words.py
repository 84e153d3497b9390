"""Options as words, `time_limit=30 gap=1e-4`, as AMPL and its kin give them to solvers."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from hybridmip.errors import ArgumentError

#: Other names that solvers have for the same option.
ALIASES = {"timelim": "time_limit", "timelimit": "time_limit", "mipgap": "gap", "mip_gap": "gap", "rel_gap": "gap"}
CONFIGURATIONS = ("default", "quick", "paper")


@dataclass(frozen=True)
class Options:
    """What a modelling tool may ask of a solve.

    Attributes
    ----------
    time_limit : float or None
        Seconds.
    gap : float or None
        Stop when the relative gap is at most this; None goes on until the answer is proven.
    seed : int
    threads : int or None
    config : str
        "default", "quick" or "paper".
    prove : bool
        Whether the proof should be one that anybody can check.
    outlev : int
        1 for a table of progress.
    objno : int
        Which of several objectives, from 1.
    wantsol : int
        Taken for AMPL's sake; a .sol file is always written.
    """

    time_limit: float | None = None
    gap: float | None = None
    seed: int = 0
    threads: int | None = None
    config: str = "default"
    prove: bool = False
    outlev: int = 0
    objno: int = 1
    wantsol: int = 1


def _number(least: float, rule: str) -> Callable[[str, str], float | None]:
    def convert(name: str, text: str) -> float | None:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not value >= least or (least == 0 and name == "time_limit" and value == 0):
            raise ArgumentError(f"{name} is {text!r}; give {rule}")
        return value if math.isfinite(value) else None

    return convert


def _whole(least: int, rule: str) -> Callable[[str, str], int]:
    def convert(name: str, text: str) -> int:
        if not re.fullmatch(r"\d{1,9}", text, re.ASCII) or int(text) < least:
            raise ArgumentError(f"{name} is {text!r}; give {rule}")
        return int(text)

    return convert


def _flag(name: str, text: str) -> bool:
    flags = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
    if text.lower() not in flags:
        raise ArgumentError(f"{name} is {text!r}; give 1 (yes) or 0 (no)")
    return flags[text.lower()]


def _configuration(name: str, text: str) -> str:
    if text not in CONFIGURATIONS:
        raise ArgumentError(f"{name} is {text!r}; choose from {', '.join(CONFIGURATIONS)}")
    return text


#: For every option what reads its value, and what it is.
KNOWN: dict[str, tuple[Callable[[str, str], Any], str]] = {
    "time_limit": (_number(0.0, "a positive number of seconds"), "seconds; the best so far is returned"),
    "gap": (_number(0.0, "a number of at least 0, such as 1e-4"), "stop when proven this close to optimal"),
    "seed": (_whole(0, "a whole number, zero or more"), "seed of all randomness; same seed, same answer"),
    "threads": (_whole(1, "a whole number, 1 or more"), "cores to use; all by default"),
    "config": (_configuration, "default, quick (the search without bounds) or paper"),
    "prove": (_flag, "1 for a proof that anybody can check"),
    "outlev": (_whole(0, "0 (nothing) or 1 (progress)"), "1 for a table of progress"),
    "objno": (_whole(1, "the number of an objective, from 1"), "which of several objectives"),
    "wantsol": (_whole(0, "a whole number"), "of no effect: a .sol file is always written"),
}


def read_words(words: Iterable[str], options: Options | None = None) -> Options:
    """The options of words `key=value`, on top of others; the last of several words counts.

    Raises
    ------
    ArgumentError
        If a word is not such a pair, its key is not known or its value is out of its range.
    """
    options = Options() if options is None else options
    for word in words:
        given, equals, value = word.partition("=")
        name = ALIASES.get(given.strip().lower(), given.strip().lower())
        if name not in KNOWN:
            close = difflib.get_close_matches(name, [*KNOWN, *ALIASES], n=1)
            hint = f" (did you mean {close[0]}?)" if close else ""
            raise ArgumentError(f"no such option {given!r}{hint}; choose from {', '.join(KNOWN)}")
        if not equals:
            raise ArgumentError(f"option {given!r} has no value; write {given}=value")
        options = replace(options, **{name: KNOWN[name][0](given, value.strip().strip("\"'"))})
    return options


def words_of(text: str) -> list[str]:
    """The words of an environment variable; blanks around an equals sign are left out."""
    return re.sub(r"\s*=\s*", "=", text.strip()).split()
