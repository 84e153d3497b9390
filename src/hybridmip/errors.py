"""One family of exceptions: every error HybridMIP raises on purpose is a `HybridMIPError`.

A message names the argument, the rule it breaks and, where there is one, the remedy,
in one line.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self


class Argument(str):
    """What a message calls an argument, as one writes it in Python: "min_weight", "kind='prices'".

    Given to an error as a part of its own, it can be spelled otherwise by who has another name for it.
    """

    __slots__ = ()


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
        return type(self)(*(spelling.get(part, part) if isinstance(part, Argument) else part for part in self.parts))


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
