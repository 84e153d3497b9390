"""Loading compiled functions: from Numba's cache, or compiling them, the first time on a machine.

Numba compiles on one core only. What takes longest is therefore compiled by a helper process on another core, which
leaves it in the cache; should that fail, it is compiled here. What a first solve can do without is compiled by a helper
that nobody waits for: its users ask whether it is `ready`.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HELPER = """
from hybridmip.engines.compiled import compile_by_name
compile_by_name({names!r}, {nice})
"""
#: Where this is set in the environment everything is waited for.
PATIENT = "HYBRIDMIP_PATIENT"
#: What is said where kernels are compiled while a solve goes on.
COMPILING = "hybridmip: kernels are being compiled, once on this machine; the solve goes on beside it"
#: What is said where it has to wait for them.
WAITING = "hybridmip: kernels are being compiled, once on this machine; that takes from 15 seconds to a minute or so"
#: How far the helper that nobody waits for stands back, and for how long no second one is started (seconds).
NICE = 15
#: How far one stands back whose work is wanted soon.
NICE_SOON = 1
ANOTHER_AFTER = 180.0


_compiling = threading.RLock()
#: Kernels that were found to be loaded.
_loaded: set[Kernel] = set()


@dataclass(frozen=True, eq=False)
class Kernel:
    """A function for Numba and the types that it is compiled for.

    The module that it is in lists it in `KERNELS`, where a helper process finds it.

    Attributes
    ----------
    function : Dispatcher
        What `numba.njit` made.
    signature : Signature
        Types of the result and of the arguments.
    slow : bool
        Whether compiling it takes as long as all the others together: a helper process does it, beside these.
    later : bool
        Whether a first solve can do without it.
    """

    function: Any
    signature: Any
    slow: bool = False
    later: bool = False

    @property
    def loaded(self) -> bool:
        """Whether there is nothing left to do (nor is there for plain Python, with NUMBA_DISABLE_JIT)."""
        if self not in _loaded:  # asking Numba takes a while
            if hasattr(self.function, "overloads") and self.signature.args not in self.function.overloads:
                return False
            _loaded.add(self)
        return True

    @property
    def cached(self) -> bool:
        """Whether it was compiled on this machine before, as it is now: Numba's index is not empty."""
        try:
            return bool(self.function._cache._cache_file._load_index())
        except (AttributeError, OSError, ValueError, EOFError, pickle.UnpicklingError):
            return False  # another Numba, or a damaged index: then it is compiled

    @property
    def name(self) -> tuple[str, str]:
        """Module and name, by which a helper finds it."""
        return self.function.py_func.__module__, self.function.py_func.__name__

    def compile(self) -> None:
        """Compile, or take from the cache; other types are refused from then on."""
        with _compiling:
            if not self.loaded:  # another thread may have been faster
                self.function.compile(self.signature)
                self.function.disable_compile()


class _Later:
    """What is compiled by the helper that nobody waits for."""

    def __init__(self) -> None:
        self.patient = os.environ.get(PATIENT, "") not in ("", "0")
        self.helper: subprocess.Popen[bytes] | None = None

    @property
    def at_work(self) -> bool:
        return self.helper is not None and self.helper.poll() is None

    def waits_for(self, kernel: Kernel) -> bool:
        """Whether a kernel is not there yet; it is no longer waited for when the helper has ended without it."""
        return self.at_work or (self.helper is None and not kernel.cached)

    def start(self, kernels: list[Kernel]) -> bool:
        """Have a helper at work, for this process or for another; False where there can be none."""
        if self.helper is not None:
            return True
        mark = Path(kernels[0].function.stats.cache_path) / "hybridmip-helper"
        try:
            if mark.exists() and time.time() - mark.stat().st_mtime < ANOTHER_AFTER:
                return True
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.touch()
        except OSError:
            return False
        self.helper = _start_helper(kernels, NICE)
        return self.helper is not None


_later = _Later()


def be_patient() -> None:
    """From now on everything is waited for: where many solves make one result, it must not depend on when."""
    _later.patient = True


class _Soon:
    """What is compiled by a helper while other work is done."""

    def __init__(self) -> None:
        self.helper: subprocess.Popen[bytes] | None = None
        self.said = False

    def say(self, words: str = COMPILING) -> None:
        """Say on standard error, once, why the first solve has less to work with, or has to wait."""
        if not self.said and sys.stderr is not None:
            self.said = True
            with contextlib.suppress(OSError, ValueError):  # it may be closed
                print(words, file=sys.stderr, flush=True)


_soon = _Soon()


def soon(kernels: Iterable[Kernel]) -> bool:
    """Whether kernels can be called; where they are not in the cache a helper is put to compiling them meanwhile.

    That is said on standard error. They are never compiled here, where somebody's time runs: where there can be no
    helper, or it ended without them, this process does without.
    """
    missing = [kernel for kernel in dict.fromkeys(kernels) if not kernel.loaded]
    unknown = [kernel for kernel in missing if not kernel.cached]
    if unknown:
        if _soon.helper is None:
            _soon.say()
            _soon.helper = _start_helper(unknown, NICE_SOON)
        return False
    load(missing)
    return True


def load(kernels: Iterable[Kernel]) -> None:
    """Make kernels ready to be called, but for those that are for later; those that are ready cost nothing."""
    missing = [kernel for kernel in dict.fromkeys(kernels) if not kernel.loaded]
    if not missing:
        return
    with _compiling:
        _load([kernel for kernel in missing if not kernel.loaded])


def _load(missing: list[Kernel]) -> None:
    later = [kernel for kernel in missing if kernel.later and not _later.patient and _later.waits_for(kernel)]
    if later and _later.start(later):
        missing = [kernel for kernel in missing if kernel not in later]
    unknown = [kernel for kernel in missing if not kernel.cached]
    if unknown:
        _soon.say(WAITING)
    slow = [kernel for kernel in unknown if kernel.slow]
    helpers = {} if len(missing) == 1 else {kernel: _start_helper([kernel]) for kernel in slow}
    for kernel in missing:
        if helpers.get(kernel) is None:
            kernel.compile()
    for kernel, helper in helpers.items():
        if helper is not None:
            helper.wait()
            kernel.compile()  # from the cache, where the helper left it


def ready(kernels: Iterable[Kernel], wait: bool = False) -> bool:
    """Whether kernels can be called; what is for later is loaded when it is there, and waited for if asked."""
    missing = [kernel for kernel in kernels if not kernel.loaded]
    if not missing:
        return True
    wait = wait or _later.patient
    if wait and _later.at_work:
        _soon.say(WAITING)
    if wait and _later.helper is not None:
        _later.helper.wait()
    if not wait and any(_later.waits_for(kernel) for kernel in missing):
        return False
    if any(not kernel.cached for kernel in missing):
        _soon.say(WAITING)
    for kernel in missing:
        kernel.compile()
    return True


def compile_by_name(names: Sequence[tuple[str, str]], nice: int) -> None:
    """What a helper process does."""
    if nice and hasattr(os, "nice"):
        os.nice(nice)
    for module, name in names:
        for kernel in importlib.import_module(module).KERNELS:
            if kernel.name == (module, name):
                kernel.compile()


def _start_helper(kernels: Sequence[Kernel], nice: int = 0) -> subprocess.Popen[bytes] | None:
    if not sys.executable or (os.cpu_count() or 1) < 2:
        return None
    code = HELPER.format(names=[kernel.name for kernel in kernels], nice=nice)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    try:
        return subprocess.Popen(
            [sys.executable, "-c", code], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, process_group=0 if nice and os.name == "posix" else None,
        )  # fmt: skip
    except OSError:
        return None
