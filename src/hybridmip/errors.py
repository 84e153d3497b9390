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

    Examples
    --------
    >>> import hybridmip as hm
    >>> try:
    ...     hm.market(assets=1)
    ... except hm.HybridMIPError as error:
    ...     print(error)
    assets is 1; it must be a whole number, at least 2
    """

    def __init__(self, *parts: str) -> None:
        super().__init__("".join(parts))
        self.parts = parts

    def spelled(self, spelling: Mapping[str, str]) -> Self:
        """The same error with the arguments that `spelling` has an entry for called what that says.

        Examples
        --------
        >>> import hybridmip as hm
        >>> try:
        ...     hm.Portfolio([0.01, 0.02], [[0.1, 0], [0, 0.1]], min_weight=0.5, max_weight=0.2)
        ... except hm.HybridMIPError as error:
        ...     print(error.spelled({"min_weight": "--min-weight", "max_weight": "--max-weight"}))
        --min-weight of asset1 is 0.5, above its --max-weight 0.2; lower must not exceed upper
        """
        return type(self)(*spelled_parts(self.parts, spelling))


class ProblemError(HybridMIPError, ValueError):
    """The data of a model break a rule (shape, sign, finiteness, convexity).

    Examples
    --------
    >>> import hybridmip as hm
    >>> try:
    ...     hm.Problem(q=[1.0, float("nan")])
    ... except hm.ProblemError as error:
    ...     print(error)
    q[1] is nan; every entry must be finite
    """


class ArgumentError(HybridMIPError, ValueError):
    """An option or argument of a call is out of its range.

    Examples
    --------
    >>> import hybridmip as hm
    >>> try:
    ...     hm.solve(hm.Problem(q=[1]), time_limit=-1)
    ... except hm.ArgumentError as error:
    ...     print(error)
    time_limit is -1; it must be a positive number of seconds, or None
    """


class FileError(HybridMIPError, ValueError):
    """A file is missing, unreadable or not what it should be.

    Examples
    --------
    >>> import hybridmip as hm
    >>> try:
    ...     hm.read_problem("no-such-file.mps")
    ... except hm.FileError as error:
    ...     print(error)
    no-such-file.mps does not exist; check the path
    """


class UnboundedError(HybridMIPError):
    """The objective has no lower limit on the feasible set.

    Examples
    --------
    >>> import hybridmip as hm
    >>> try:
    ...     hm.solve(hm.Problem(q=[-1], x_lower=0))
    ... except hm.UnboundedError as error:
    ...     print(error)
    the objective is unbounded below; give x0 (and others with no limit) a finite x_lower and x_upper
    """


class EngineError(HybridMIPError):
    """HiGHS or Clarabel gave no answer, and not for lack of time.

    Examples
    --------
    >>> import hybridmip as hm
    >>> issubclass(hm.EngineError, hm.HybridMIPError), hm.StopReason.ENGINE_FAILED.value
    (True, 'engine_failed')
    """


class MissingDependencyError(HybridMIPError, ImportError):
    """An optional package is needed; the message gives the pip command that installs it.

    Examples
    --------
    >>> from unittest import mock
    >>> import hybridmip as hm
    >>> network = hm.example_network()
    >>> with mock.patch.dict("sys.modules", {"networkx": None}):  # as if it were not installed
    ...     try:
    ...         network.to_networkx()
    ...     except hm.MissingDependencyError as error:
    ...         print(error)
    networkx is needed for graphs; install it with: pip install networkx
    """


class ScaleWarning(UserWarning):
    """Numbers that cannot be meant, or told apart; the message names them and a remedy.

    Examples
    --------
    >>> import warnings
    >>> import hybridmip as hm
    >>> problem = hm.Problem(q=[1, 1], A=[1, 1e-20], row_lower=1, x_lower=0, x_upper=1)
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     result = hm.solve(problem)
    >>> told[0].category.__name__
    'ScaleWarning'
    >>> str(told[0].message).partition(";")[2]
    ' give the others smaller bounds or coefficients, or split the row'
    """
