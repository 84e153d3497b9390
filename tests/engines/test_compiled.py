"""Loading kernels: what is slow to compile is compiled by a helper process, beside the others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hybridmip.bounds import mixing
from hybridmip.engines import compiled
from hybridmip.exact import core_kernel, fit_kernel
from hybridmip.relax import node_kernel
from hybridmip.restricted import kernel, lanes
from hybridmip.search import (
    commodities_kernel,
    descent_kernel,
    flips_kernel,
    reroutes_kernel,
    trees_kernel,
    vertices_kernel,
)

MODULES = (
    mixing, core_kernel, fit_kernel, node_kernel, kernel, lanes, descent_kernel, flips_kernel, reroutes_kernel,
    commodities_kernel, trees_kernel, vertices_kernel,
)  # fmt: skip
#: A module of two kernels, one of them slow, and what loads them.
KERNELS = """
from numba import njit, types
from hybridmip.engines.compiled import Kernel

@njit(cache=True)
def twice(x):
    return 2 * x

@njit(cache=True)
def half(x):
    return x / 2

KERNELS = (Kernel(twice, types.int64(types.int64), slow=True), Kernel(half, types.float64(types.int64)))
"""
LOAD = """
import subprocess
from hybridmip.engines.compiled import load
from own_kernels import KERNELS, half, twice

started = []
Popen = subprocess.Popen
subprocess.Popen = lambda *given, **options: started.append(given) or {opened}
load(KERNELS)
assert (twice(3), half(3)) == (6, 1.5)
print(len(started), sum(twice.stats.cache_hits.values()))
"""


@pytest.mark.parametrize("module", MODULES)
def test_kernels_are_found_by_their_module(module: Any) -> None:
    """A helper process imports the module by name and looks its kernel up in `KERNELS`."""
    for item in module.KERNELS:
        home = sys.modules[item.function.py_func.__module__]
        assert getattr(home, item.function.py_func.__name__) is item.function
        assert item in home.KERNELS
    compiled.load(module.KERNELS)
    assert all(item.loaded for item in module.KERNELS)


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="a helper process needs a core of its own")
def test_what_is_slow_is_compiled_by_a_helper(tmp_path: Path) -> None:
    """It comes from the cache then; a second process needs no helper; one that cannot have any compiles by itself."""
    (tmp_path / "own_kernels.py").write_text(KERNELS)

    def run(opened: str, cache: str) -> str:
        folders = [str(tmp_path), *(path for path in sys.path if path)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders), "NUMBA_CACHE_DIR": str(tmp_path / cache)}
        code = LOAD.format(opened=opened)
        return subprocess.run(
            [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True
        ).stdout

    assert run("Popen(*given, **options)", "one") == "1 1\n"
    assert run("Popen(*given, **options)", "one") == "0 1\n"
    assert run("Popen([*given[0][:2], 'raise SystemExit'], **options)", "two") == "1 0\n"


SAID = """
from hybridmip.engines import compiled
from own_kernels import KERNELS

for kernel in KERNELS:
    compiled.load([kernel])
"""


def test_waiting_for_kernels_is_said_once(tmp_path: Path) -> None:
    """A process that compiles says so in one line on standard error, however often it does; the next finds a cache."""
    (tmp_path / "own_kernels.py").write_text(KERNELS)
    folders = [str(tmp_path), *(path for path in sys.path if path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    for said in (compiled.WAITING + "\n", ""):
        done = subprocess.run(
            [sys.executable, "-c", SAID], env=environment, check=True, capture_output=True, text=True
        )  # fmt: skip
        assert (done.stdout, done.stderr) == ("", said)


@pytest.mark.parametrize("at_work", [True, False])
def test_waiting_for_a_helper_is_said(
    at_work: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who asks for what a helper is compiling is told why it takes a while; where it has ended there is no wait."""

    class Helper:
        def poll(self) -> int | None:
            return None if at_work else 0

        def wait(self) -> None: ...

    class Known:
        loaded, cached = False, True

        def compile(self) -> None: ...

    later, asked = compiled._Later(), [Known()]
    monkeypatch.setattr(later, "helper", Helper())
    monkeypatch.setattr(compiled, "_later", later)
    monkeypatch.setattr(compiled, "_soon", compiled._Soon())
    assert compiled.ready(asked, wait=True)
    assert capsys.readouterr().err == (compiled.WAITING + "\n" if at_work else "")


LATER = """
import os, time
from pathlib import Path
from hybridmip.engines import compiled
from own_kernels import KERNELS, half, twice

print(*[kernel.loaded for kernel in KERNELS])
compiled.load(KERNELS)
print(*[kernel.loaded for kernel in KERNELS], compiled.ready(KERNELS))
{then}
print(*[kernel.loaded for kernel in KERNELS], compiled.ready(KERNELS), (twice(3), half(3)) == (6, 1.5))
"""


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="a helper process needs a core of its own")
def test_nobody_waits_for_what_is_for_later(tmp_path: Path) -> None:
    """A first process goes on without it, and may ask for it; a second finds it; a patient one waits at once."""
    (tmp_path / "own_kernels.py").write_text(KERNELS.replace("slow=True", "later=True"))

    def run(cache: str, then: str) -> list[str]:
        folders = [str(tmp_path), *(path for path in sys.path if path)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders), "NUMBA_CACHE_DIR": str(tmp_path / cache)}
        del environment["HYBRIDMIP_PATIENT"]
        code = LATER.format(then=then)
        return subprocess.run(
            [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True
        ).stdout.splitlines()

    first = run("one", "assert compiled.ready(KERNELS, wait=True)")
    assert first == ["False False", "False True False", "True True True True"]
    assert run("one", "") == ["False False", "True True True", "True True True True"]
    # Another process's helper is at work: no second one is started, and what is asked for is compiled here.
    started = "print(compiled._later.helper); assert compiled.ready(KERNELS, wait=True)"
    folder = tmp_path / "two"
    assert run("two", "compiled._later.helper.wait()")[-1].startswith("False True True")
    for entry in folder.rglob("*.nb[ic]"):
        entry.unlink()
    assert run("two", started)[1:3] == ["False True False", "None"]
    # Where there can be no helper it is compiled at once.
    alone = "compiled.be_patient(); compiled.load(KERNELS)"
    assert run("three", alone)[-1] == "True True True True"
