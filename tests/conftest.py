"""Fixtures shared by the tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

if os.environ.get("NUMBA_DISABLE_JIT") == "1":
    import uncompiled

    uncompiled.install()

# No test depends on what was compiled on this machine before, nor does what it starts.
os.environ["HYBRIDMIP_PATIENT"] = "1"


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
