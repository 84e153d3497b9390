"""A real Dask cluster on loopback: a scheduler and two worker processes."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from test_accounts import market, numbers, some_accounts
from test_sweep_run import portfolio

import hybridmip as hm

pytest.importorskip("distributed", reason="the package distributed is not installed (pip install 'hybridmip[dask]')")


def free_port() -> int:
    """A port nobody uses at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def cluster() -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Address of the scheduler, and its two workers."""
    from distributed import Client

    address = f"tcp://127.0.0.1:{free_port()}"
    quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    environment = {**os.environ, "DASK_DISTRIBUTED__WORKER__DAEMON": "False", "PYTHONPATH": os.pathsep.join(sys.path)}
    port = address.rsplit(":", 1)[1]
    base = [sys.executable, "-m", "distributed.cli"]
    scheduler = subprocess.Popen(
        [*base[:2], "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard"],
        env=environment, **quiet,
    )  # fmt: skip
    workers = [
        subprocess.Popen(
            [*base[:2], "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"],
            env=environment, **quiet,
        )
        for _ in range(2)
    ]  # fmt: skip
    try:
        with Client(address, timeout="30s") as client:
            client.wait_for_workers(2, timeout=60)
        yield address, workers
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def test_same_numbers_on_a_cluster_and_a_dead_worker_loses_nothing(
    cluster: tuple[str, list[subprocess.Popen[bytes]]],
) -> None:
    """The numbers of one process; then again with a worker killed in the middle."""
    from distributed import Client

    address, workers = cluster
    asked = portfolio(assets=20, hold=5)
    alone = hm.frontier(asked, points=12)
    expected = [(point.status, point.objective, point.bound, point.selected) for point in alone.points]
    with Client(address) as client:
        found = hm.frontier(asked, points=12, executor=client.get_executor())
        assert [(p.status, p.objective, p.bound, p.selected) for p in found.points] == expected

        class Killer:
            """Kills a worker when a few answers are there."""

            killed = 0.0

            def update(self, phase: str, done: int, total: int, counts: dict[str, int], seconds: float) -> None:
                if not self.killed and done >= 3:
                    workers[0].kill()
                    self.killed = time.time()

        killer = Killer()
        found = hm.frontier(asked, points=12, executor=client.get_executor(), progress=killer)
        assert killer.killed
        assert [(p.status, p.objective, p.bound, p.selected) for p in found.points] == expected


def test_accounts_on_a_cluster(cluster: tuple[str, list[subprocess.Popen[bytes]]]) -> None:
    """The same answers as in one process."""
    from distributed import Client

    address, _ = cluster
    asked = market()
    accounts = some_accounts(40, asked.names)
    with Client(address) as client:
        found = hm.rebalance(accounts, asked, executor=client.get_executor())
    assert numbers(found) == numbers(hm.rebalance(accounts, asked))
