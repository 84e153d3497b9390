"""One family of exceptions: every error HybridMIP raises on purpose is a `HybridMIPError`.

A message names the argument, the rule it breaks and, where there is one, the remedy,
in one line.
"""


class HybridMIPError(Exception):
    """Base of every error this package raises on purpose."""


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
    """The numbers of a row differ by more than can be told apart; the message names the row and a remedy."""
