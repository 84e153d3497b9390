"""Loading the compiled functions: from Numba's cache, or compiling them, the first time on a machine.

Numba compiles on one core only. The largest function is therefore compiled by a helper process on another
core, which leaves it in the cache; should that fail, it is compiled here.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

HELPER = "from hybridmip.engines.compiled import load_kernel; load_kernel()"


@cache
def load_kernel() -> None:
    """The dual active-set kernel, one restricted problem at a time."""
    from hybridmip.restricted import kernel

    _compile(kernel.evaluate_moves, kernel.EVALUATE)


@cache
def load_restricted() -> None:
    """Both kernels of the restricted problem."""
    from hybridmip.restricted import kernel, lanes

    helper = None if _is_cached(kernel.evaluate_moves) else _start_helper()
    _compile(lanes.evaluate_lanes, lanes.EVALUATE)
    if helper is not None:
        from hybridmip.search import descent_kernel

        _compile(descent_kernel.descend, descent_kernel.DESCEND)
        helper.wait()
    load_kernel()


@cache
def load_descent() -> None:
    """The compiled descent."""
    from hybridmip.search import descent_kernel

    load_restricted()
    _compile(descent_kernel.descend, descent_kernel.DESCEND)


@cache
def load_proofs() -> None:
    """Coordinate descent for the diagonal, and the listing of what a bound leaves over."""
    from hybridmip.bounds import mixing
    from hybridmip.exact import core_kernel

    _compile(mixing.sweep, mixing.SWEEP)
    _compile(core_kernel.listing, core_kernel.LISTING)


@cache
def load_tree() -> None:
    """The bound of a node, and the fit of its diagonal."""
    from hybridmip.bounds import mixing
    from hybridmip.exact import fit_kernel, node_kernel

    _compile(mixing.sweep, mixing.SWEEP)
    _compile(fit_kernel.fit, fit_kernel.FIT)
    _compile(node_kernel.solve_node, node_kernel.SOLVE)


@cache
def load_vertices() -> None:
    """The walk over vertices."""
    from hybridmip.search import vertices_kernel

    _compile(vertices_kernel.pack, vertices_kernel.PACK)
    _compile(vertices_kernel.walk, vertices_kernel.WALK)


@cache
def load_flips() -> None:
    """Tabu search over b."""
    from hybridmip.search import flips_kernel

    _compile(flips_kernel.tabu, flips_kernel.TABU)


def _compile(function: Any, signature: Any) -> None:
    """Compile for one signature, or take that from the cache; other types are refused from then on."""
    if signature.args not in function.overloads:
        function.compile(signature)
        function.disable_compile()


def _is_cached(function: Any) -> bool:
    folder, code = Path(function.stats.cache_path), function.py_func.__code__
    return any(folder.glob(f"{Path(code.co_filename).stem}.{function.py_func.__qualname__}-*.nbi"))


def _start_helper() -> subprocess.Popen[bytes] | None:
    if not sys.executable or (os.cpu_count() or 1) < 2:
        return None
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    try:
        return subprocess.Popen(
            [sys.executable, "-c", HELPER], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
    except OSError:
        return None
