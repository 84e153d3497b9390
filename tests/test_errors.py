"""Errors: one message, whose arguments can be spelled as a caller knows them."""

from __future__ import annotations

import pickle

import pytest

from hybridmip.errors import Argument, ArgumentError, FileError, HybridMIPError, Message, MissingDependencyError

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


def test_an_argument_with_its_value_is_spelled_by_its_name() -> None:
    """kind='prices' becomes --kind prices without an entry of its own; one that has its own keeps it."""
    error = ArgumentError("say ", Argument("kind='prices'"), " or ", Argument("min_history=12"))
    assert str(error) == "say kind='prices' or min_history=12"
    assert str(error.spelled(SPELLING)) == "say --kind prices or min_history=12"
    assert str(error.spelled({**SPELLING, "kind='prices'": "-p"})) == "say -p or min_history=12"


def test_a_message_is_a_string_that_can_be_spelled() -> None:
    """It is void only where one of each of the sets it is about is left out, also after it was sent or spelled."""
    message = Message("leave out with ", Argument("kind"), about=(["A"], ["B", "C"]))
    assert message == "leave out with kind"
    for one in (message, message.spelled(SPELLING), pickle.loads(pickle.dumps(message))):
        assert not one.is_void_without(["A"])
        assert one.is_void_without(["A", "C"])
    assert str(pickle.loads(pickle.dumps(message)).spelled(SPELLING)) == "leave out with --kind"
    assert not Message("always").is_void_without(["A"])
