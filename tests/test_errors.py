"""Errors: one message, whose arguments can be spelled as a caller knows them."""

from __future__ import annotations

import pickle

import pytest

from hybridmip.errors import Argument, ArgumentError, FileError, HybridMIPError, MissingDependencyError

SPELLING = {"kind": "--kind"}


@pytest.mark.parametrize("kind", [ArgumentError, FileError, HybridMIPError, MissingDependencyError])
def test_only_arguments_are_spelled_otherwise(kind: type[HybridMIPError]) -> None:
    """The message is its parts in a row; text that happens to be equal to an argument stays as it is."""
    error = kind(Argument("kind"), " is for ", "kind", " and not for ", Argument("assets"))
    assert str(error) == "kind is for kind and not for assets"
    again = error.spelled(SPELLING)
    assert type(again) is kind
    assert str(again) == "--kind is for kind and not for assets"


def test_an_error_of_a_worker_keeps_its_arguments() -> None:
    """Errors of other processes arrive pickled."""
    error = pickle.loads(pickle.dumps(ArgumentError(Argument("kind"), " is wrong")))
    assert str(error) == "kind is wrong"
    assert str(error.spelled(SPELLING)) == "--kind is wrong"
