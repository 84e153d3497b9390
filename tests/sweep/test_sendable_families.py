"""Families that cannot be sent to other processes: told in one line, before anything is solved."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

import hybridmip as hm
from hybridmip.errors import ArgumentError

GRID = [0.001, 0.002]


def member(target: float) -> hm.Problem:
    """The problem of a small portfolio."""
    returns, covariance = hm.market(assets=6, seed=1).sample_estimates()
    return hm.Portfolio(returns, covariance, assets=2, target_return=target).problem()


class Locked:
    """A family with something in it that no other process can have."""

    parameter = "target"

    def __init__(self) -> None:
        self.lock = threading.Lock()

    def problem(self, value: float) -> hm.Problem:
        """The problem at a value."""
        return member(value)


def local_family():
    """A function that only this function knows."""

    def inside(target: float) -> hm.Problem:
        return member(target)

    return inside


@pytest.mark.parametrize(
    ("family", "name"),
    [(lambda target: member(target), "<lambda>"), (local_family(), "inside"), (Locked(), "Locked")],
    ids=["lambda", "local function", "lock"],
)
def test_what_pickle_cannot_take(family, name):
    """The message names what it is and what to do; without processes the same family is solved."""
    with pytest.raises(ArgumentError) as caught:
        hm.frontier(family, GRID, jobs=2)
    message = str(caught.value)
    assert message.startswith("family cannot be sent to the processes of jobs (")
    assert name in message
    assert message.endswith("a function or a class of a module, and plain data, or leave out jobs")
    assert "\n" not in message
    with ProcessPoolExecutor(1) as pool, pytest.raises(ArgumentError, match="or leave out executor"):
        hm.frontier(family, GRID, executor=pool)
    alone = hm.frontier(family, GRID)
    with ThreadPoolExecutor(1) as threads:
        assert hm.frontier(family, GRID, executor=threads).counts == alone.counts


PROGRAM = """
import hybridmip as hm
def make(target):
    returns, covariance = hm.market(assets=6, seed=1).sample_estimates()
    return hm.Portfolio(returns, covariance, assets=2, target_return=target).problem()
try:
    hm.frontier(make, [0.001], jobs=1)
except hm.ArgumentError as error:
    print(error)
"""


def test_a_function_that_was_typed_in():
    """Another process would not find it: told, instead of workers that die one after the other."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=100, check=True)
    assert "the function make was typed in, so they do not find it); put it into a module" in done.stdout
    done = subprocess.run([sys.executable, "-"], input=PROGRAM, capture_output=True, text=True, timeout=100, check=True)
    assert "cannot be sent" in done.stdout or "which is no file (<stdin>); save it first" in done.stdout
    assert done.stderr == ""
