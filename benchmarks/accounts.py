"""Many accounts on one market: how many a second with a proven gap each, memory, a sample through cvxpy and SCIP."""

from __future__ import annotations

import csv
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import hybridmip as hm
from benchmarks.common import NOTHING, Options, Record, median, number, say, section, table
from benchmarks.peers import warm_up
from benchmarks.trading import by_cvxpy, value_of
from hybridmip.io.accounts import Account
from hybridmip.sweep.accounts import portfolio_of

ASSETS = 200
ACCOUNTS = 10_000
QUICK_ACCOUNTS = 40
#: Accounts of the sample, and seconds of SCIP for one of them.
SAMPLE = 50
PEER_SECONDS = 5.0
SEED = 5
RULES = {
    "assets": (None, 20), "max_weight": 0.2, "objective": "utility", "risk_aversion": 5.0, "trade_cost": 5e-4,
    "fixed_trade_cost": 1e-4,
}  # fmt: skip


def market(assets: int = ASSETS) -> hm.Portfolio:
    """The market with the rules of all accounts."""
    returns, covariance = hm.market(assets=assets, seed=SEED).sample_estimates()
    return hm.Portfolio(returns, covariance, **RULES)


def accounts(number_of: int, names: tuple[str, ...]) -> Iterator[Account]:
    """Holdings of 8 to 20 assets, and a few that are not to be held."""
    rng = np.random.default_rng(SEED)
    for at in range(number_of):
        count = int(rng.integers(8, 21))
        held = rng.choice(len(names), count, replace=False)
        weights = np.minimum(np.round(rng.dirichlet(np.full(count, 5.0)), 4), 0.2)
        excluded = [names[j] for j in rng.choice(len(names), 5, replace=False)]
        holdings = {names[j]: float(w) for j, w in zip(held, weights, strict=True) if w > 0}
        yield Account(f"A{at:06d}", holdings, {"exclude": excluded})


class Memory:
    """Largest resident memory of this process and its children, in MB, looked at now and then."""

    def __init__(self) -> None:
        self.seen: list[tuple[float, float]] = []
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def _look(self) -> None:
        began = time.perf_counter()
        while not self._end.wait(2.0):
            self.seen.append((time.perf_counter() - began, _resident()))

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()


def _resident() -> float:
    """Of this process, from /proc where there is one."""
    import resource  # not on Windows

    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return pages * resource.getpagesize() / 2**20


def run(options: Options) -> None:
    """Measure, and write accounts.json."""
    count = QUICK_ACCOUNTS if options.quick else ACCOUNTS
    asked = market(40 if options.quick else ASSETS)
    record = Record(options, "accounts", assets=asked.n, accounts=count, jobs=options.threads, seconds=PEER_SECONDS)
    warm_up(options.threads)
    hm.rebalance(list(accounts(4, asked.names)), asked, jobs=options.threads)  # compiles
    with tempfile.TemporaryDirectory() as folder, Memory() as memory:
        found = hm.rebalance(
            accounts(count, asked.names), asked, jobs=options.threads, store=Path(folder) / "run.sqlite"
        )
        gaps = [one["gap"] for one in found.records() if one.get("gap") is not None]
        seconds, counts = found.seconds, found.counts
        found.save(folder)
        with (Path(folder) / "trades.csv").open() as stream:
            trades = sum(1 for _ in csv.reader(stream)) - 1
        found.close()
    say(f"  {count} accounts in {seconds:.1f} s: {count / seconds:.1f} a second; {counts}")
    third = max(len(memory.seen) // 3, 1)
    entry: dict[str, Any] = {
        "seconds": seconds, "counts": counts, "trades": trades,
        "gaps": [float(np.quantile(gaps, share)) for share in (0.5, 0.9, 0.99, 1.0)],
        "memory_early": median([mb for _, mb in memory.seen[:third]]) if memory.seen else None,
        "memory_late": median([mb for _, mb in memory.seen[-third:]]) if memory.seen else None,
    }  # fmt: skip
    entry["sample"] = _sample(asked, 2 if options.quick else SAMPLE, options, record)
    record.write(entry=entry)


def _sample(asked: hm.Portfolio, size: int, options: Options, record: Record) -> list[dict[str, Any]]:
    """Some accounts one by one, by ours and through cvxpy and SCIP."""
    rows: list[dict[str, Any]] = []
    mean, V = asked.returns, asked.covariance.toarray()
    for account in accounts(size, asked.names):
        started = time.perf_counter()
        (answer,) = hm.rebalance([account], asked).records()
        taken = time.perf_counter() - started
        portfolio = portfolio_of(account, asked)
        row: dict[str, Any] = {"ours": {"value": answer["objective"], "seconds": taken, "gap": answer["gap"]}}
        if "scip" in options.peers:
            rules = {**RULES, "max_weight": portfolio.max_weight}
            try:
                row["scip"] = by_cvxpy(mean, V, portfolio.current, rules, PEER_SECONDS)
            except ImportError:
                record.note("cvxpy is not installed; `pip install cvxpy pyscipopt` mends that")
            weights = portfolio.current.copy()
            for asset, change, _ in answer["changes"]:
                weights[asked.names.index(asset)] += change
            row["ours"]["value"] = value_of(weights, mean, V, portfolio.current, rules)
        rows.append(row)
    return rows


def report(documents: list[dict[str, Any]]) -> str:
    """The section of RESULTS.md."""
    (document,) = documents
    settings, entry = document["settings"], document["entry"]
    count, seconds = settings["accounts"], entry["seconds"]
    sample = entry["sample"]
    theirs = [row["scip"] for row in sample if "scip" in row]
    valued = [row for row in sample if "scip" in row and row["scip"]["value"] is not None]
    better = sum(row["ours"]["value"] < row["scip"]["value"] - 1e-9 for row in valued)
    worse = sum(row["ours"]["value"] > row["scip"]["value"] + 1e-9 for row in valued)
    mine, took = [row["ours"]["seconds"] for row in sample], [peer["seconds"] for peer in theirs]
    gaps = [f"{100 * gap:.2g} %" for gap in entry["gaps"]]
    rows: list[list[object]] = [
        ["accounts", f"{count:,}"],
        ["seconds", number(seconds)],
        ["accounts a second", number(count / seconds)],
        ["within the gap asked for (0.1 %)", f"{entry['counts']['within gap']:,}"],
        ["gap proven: median, 90 %, 99 %, largest", ", ".join(gaps)],
        ["trades", f"{entry['trades']:,}"],
        ["memory of the run in its first and last third, MB",
         NOTHING if entry["memory_early"] is None else f"{entry['memory_early']:.0f}, {entry['memory_late']:.0f}"],
        ["hours for a million accounts, at that rate", number(1e6 / (count / seconds) / 3600)],
        [f"a sample of {len(sample)}, one by one: ours, median s", number(median(mine))],
        ["cvxpy and SCIP, median s (at most 5)", number(median(took)) if theirs else NOTHING],
        ["of these proven by SCIP", f"{sum(t['proven'] for t in theirs)} of {len(theirs)}" if theirs else NOTHING],
        ["ours better, worse than SCIP's answer", f"{better}, {worse} of {len(valued)}" if valued else NOTHING],
    ]  # fmt: skip
    return section(
        "Many accounts",
        documents,
        f"{count:,} generated accounts on a market of {settings['assets']} assets: at most 20 held, fixed and "
        f"proportional costs, five exclusions each; `hm.rebalance` in {settings['jobs']} processes, answers "
        "stored as they come.",
        table(["", "value"], rows),
    )
