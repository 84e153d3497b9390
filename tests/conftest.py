"""Fixtures shared by the tests."""

from __future__ import annotations

import importlib
import os
from pathlib import Path

import pytest

if os.environ.get("NUMBA_DISABLE_JIT") == "1":
    import uncompiled

    uncompiled.install()

# No test depends on what was compiled on this machine before, nor does what it starts.
os.environ["HYBRIDMIP_PATIENT"] = "1"


def pytest_configure(config: pytest.Config) -> None:
    """Before tests are spread over processes: compile what is not in the cache, once, and not in each of them."""
    if hasattr(config, "workerinput") or not getattr(config.option, "numprocesses", None):
        return
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        return
    from hybridmip.engines import compiled

    package = Path(compiled.__file__).resolve().parents[1]
    found: list[compiled.Kernel] = []
    for file in sorted(package.rglob("*.py")):
        if "\nKERNELS" in file.read_text(encoding="utf-8"):
            name = ".".join(("hybridmip", *file.relative_to(package).with_suffix("").parts))
            found += importlib.import_module(name).KERNELS
    missing = [kernel for kernel in dict.fromkeys(found) if not kernel.cached]
    missing.sort(key=lambda kernel: not kernel.slow)
    helpers = [compiled._start_helper(missing[part::2]) for part in (0, 1) if missing[part::2]]
    for helper in helpers:
        if helper is not None:
            helper.wait()


@pytest.fixture(scope="session", autouse=True)
def _nothing_is_said_of_compiling() -> None:
    """What a test finds on standard error does not depend on what was compiled before either."""
    from hybridmip.engines import compiled

    compiled._soon.said = True


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder of public instances: HYBRIDMIP_DATA, else ../shared/data; skips if there is none."""
    given = os.environ.get("HYBRIDMIP_DATA")
    folder = Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no data at {folder}; set HYBRIDMIP_DATA to the folder of instances")
    return folder
