"""One family of exceptions: every error HybridMIP raises on purpose is a `HybridMIPError`.

A message names the argument, the rule it breaks and, where there is one, the remedy,
in one line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Self

#: Signs around the value of an argument in Python.
QUOTES = "'\""


class Argument(str):
    """What a message calls an argument, as one writes it in Python: "min_weight", "kind='prices'".

    Given to an error as a part of its own, it can be spelled otherwise by who has another name for it.
    """

    __slots__ = ()


def spelled_parts(parts: Sequence[str], spelling: Mapping[str, str]) -> list[str]:
    """The parts with the arguments that `spelling` has an entry for called what that says.

    An argument with its value, "min_history=12" or "missing='fill'", is spelled by the entry of its name and then the
    value without quotes, unless it has an entry of its own.
    """
    return [_spelled(part, spelling) if isinstance(part, Argument) else part for part in parts]


def _spelled(part: Argument, spelling: Mapping[str, str]) -> str:
    name, equals, value = part.partition("=")
    if part in spelling or not equals or name not in spelling:
        return spelling.get(part, part)
    return f"{spelling[name]} {value.strip(QUOTES)}"


class Message(str):
    """A message that is no error, in parts like those of one: a string that can be spelled otherwise.

    `about` are sets of names; it has nothing to say to who leaves out one of each.
    """

    parts: tuple[str, ...]
    about: tuple[frozenset[str], ...]

    def __new__(cls, *parts: str, about: Iterable[Iterable[str]] = ()) -> Self:
        """The parts in a row."""
        message = super().__new__(cls, "".join(parts))
        message.parts, message.about = parts, tuple(frozenset(names) for names in about)
        return message

    def is_void_without(self, names: Iterable[str]) -> bool:
        """Whether it has nothing to say where these names are left out."""
        out = frozenset(names)
        return bool(self.about) and all(out & some for some in self.about)

    def spelled(self, spelling: Mapping[str, str]) -> Self:
        """The same message with the arguments that `spelling` has an entry for called what that says."""
        return type(self)(*spelled_parts(self.parts, spelling), about=self.about)


class HybridMIPError(Exception):
    """Base of every error this package raises on purpose.

    Parameters
    ----------
    *parts : str
        The message, in one piece, or in several where arguments in it are an `Argument`.
    """

    def __init__(self, *parts: str) -> None:
        super().__init__("".join(parts))
        self.parts = parts

    def spelled(self, spelling: Mapping[str, str]) -> Self:
        """The same error with the arguments that `spelling` has an entry for called what that says."""
        return type(self)(*spelled_parts(self.parts, spelling))


class ProblemError(HybridMIPError, ValueError):
    """The data of a model break a rule (shape, sign, finiteness, convexity)."""


class ArgumentError(HybridMIPError, ValueError):
    """An option or argument of a call is out of its range."""


class FileError(HybridMIPError, ValueError):
    """A file is missing, unreadable or not what it should be."""


class UnboundedError(HybridMIPError):
    """The objective has no lower limit on the feasible set."""


class EngineError(HybridMIPError):
    """HiGHS or Clarabel gave no answer, and not for lack of time."""


class MissingDependencyError(HybridMIPError, ImportError):
    """An optional package is needed; the message gives the pip command that installs it."""


class ScaleWarning(UserWarning):
    """Numbers that cannot be meant, or told apart; the message names them and a remedy."""
