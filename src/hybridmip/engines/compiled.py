"""Loading compiled functions: from Numba's cache, or compiling them, the first time on a machine.

Numba compiles on one core only. What takes longest is therefore compiled by a helper process on another core, which
leaves it in the cache; should that fail, it is compiled here.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HELPER = """
from hybridmip.engines.compiled import load
from {module} import KERNELS, {name}
load(kernel for kernel in KERNELS if kernel.function is {name})
"""


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
    """

    function: Any
    signature: Any
    slow: bool = False

    @property
    def loaded(self) -> bool:
        """Whether there is nothing left to do (nor is there for plain Python, with NUMBA_DISABLE_JIT)."""
        return not hasattr(self.function, "overloads") or self.signature.args in self.function.overloads

    @property
    def cached(self) -> bool:
        """Whether it was compiled on this machine before."""
        folder, code = Path(self.function.stats.cache_path), self.function.py_func.__code__
        return any(folder.glob(f"{Path(code.co_filename).stem}.{self.function.py_func.__qualname__}-*.nbi"))

    def compile(self) -> None:
        """Compile, or take from the cache; other types are refused from then on."""
        self.function.compile(self.signature)
        self.function.disable_compile()


def load(kernels: Iterable[Kernel]) -> None:
    """Make kernels ready to be called; those that are cost nothing."""
    missing = [kernel for kernel in dict.fromkeys(kernels) if not kernel.loaded]
    slow = [kernel for kernel in missing if kernel.slow and not kernel.cached]
    helpers = {} if len(missing) == 1 else {kernel: _start_helper(kernel) for kernel in slow}
    for kernel in missing:
        if helpers.get(kernel) is None:
            kernel.compile()
    for kernel, helper in helpers.items():
        if helper is not None:
            helper.wait()
            kernel.compile()  # from the cache, where the helper left it


def _start_helper(kernel: Kernel) -> subprocess.Popen[bytes] | None:
    if not sys.executable or (os.cpu_count() or 1) < 2:
        return None
    code = HELPER.format(module=kernel.function.py_func.__module__, name=kernel.function.py_func.__name__)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    try:
        return subprocess.Popen(
            [sys.executable, "-c", code], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
    except OSError:
        return None
