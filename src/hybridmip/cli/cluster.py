"""--dask: a cluster that takes part of the work."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from hybridmip.errors import ArgumentError, MissingDependencyError


@contextmanager
def executor_of(address: str | None) -> Iterator[Executor | None]:
    """The executor of a running Dask cluster, if an address is given."""
    if address is None:
        yield None
        return
    try:
        from distributed import Client
    except ImportError:
        raise MissingDependencyError("--dask needs the package distributed: pip install 'hybridmip[dask]'") from None
    try:
        client = Client(address, timeout="10s")
    except (OSError, ValueError, TimeoutError) as error:
        raise ArgumentError(f"--dask is {address!r}; no cluster answers there ({error})") from None
    try:
        yield client.get_executor()
    finally:
        client.close()
