"""Many accounts on one market: each with its own holdings and rules, each solved with a bound, one after the other.

What depends on the market alone (its diagonal, the compiled kernels) is made once in every process. Accounts come a
piece at a time and answers go into the store, so that memory does not grow with their number; an account's answer
depends on nothing but the account, so it is the same for any number of workers. What is wrong with an account is its
answer, and never stops the others.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from hybridmip import __version__
from hybridmip.applications.portfolio import Portfolio
from hybridmip.engines.blas import one_thread
from hybridmip.engines.compiled import be_patient
from hybridmip.errors import ArgumentError, HybridMIPError
from hybridmip.io.accounts import Account, accounts_of
from hybridmip.notebook import card
from hybridmip.report.accounts import save_accounts
from hybridmip.run.config import Config
from hybridmip.run.phases import Feasibility, QuickStart, Start, Tree
from hybridmip.run.result import relative_gap
from hybridmip.run.settings import TreeSettings
from hybridmip.run.solve import solve
from hybridmip.sweep.store import Record, Store
from hybridmip.sweep.workers import Workers, check_workers

if TYPE_CHECKING:
    import pandas as pd

#: The gap at which an account is done, and the work of its tree at most (as `TreeSettings.work`).
GAP = 1e-3
WORK = 0.06
#: Accounts of one task, and those that are looked at together.
TASK = 16
PIECE = 512
#: How often workers may die of an account.
MOST_DEATHS = 4
#: Weights of an account may add up to this much of the budget; the rest of it is cash, to be invested.
MOST_HELD = 1.01
#: Weights that add up to more are percent.
PERCENT = 10.0
PERCENT_MEANT = "its weights are beyond 1, percent perhaps; give shares of the account such as 0.25 or 25%"
PHASE = "account"
#: Statuses of an account, and what they are called in a sentence.
STATUS_WORDS = {
    "within gap": "within the gap", "open": "with a wider gap", "infeasible": "without any portfolio",
    "unknown": "not solved", "bad input": "with bad input",
}  # fmt: skip
#: What is kept of every account that has an answer, beside its trades.
COLUMNS = (
    "account", "status", "gap", "objective", "bound", "expected_return", "risk", "turnover", "cost", "trades", "assets",
    "seconds", "reason",
)  # fmt: skip

Job = tuple[int, Account]


class AccountsProgress(Protocol):
    """Told of every piece."""

    def update(self, done: int, counts: dict[str, int], seconds: float) -> None:
        """So many accounts are done; counts are by status."""


def config_of_accounts(work: float = WORK) -> Config:
    """How an account is solved: a first answer, then the tree for a bounded amount of work."""
    phases = (Start(), QuickStart(), Feasibility(), Tree(1.0, last=False, guides=False))
    return Config(phases=phases, tree=TreeSettings(work=work), threads=1)


def rebalance(
    accounts: Any,
    market: Portfolio,
    *,
    gap: float = GAP,
    work: float = WORK,
    config: Config | None = None,
    seed: int = 0,
    store: str | Path | None = None,
    resume: bool = False,
    executor: Executor | None = None,
    jobs: int | None = None,
    progress: AccountsProgress | None = None,
) -> Rebalanced:
    """Rebalance many accounts on one market.

    Parameters
    ----------
    accounts : path, DataFrame or iterable
        A CSV or Parquet file or a frame with one row a holding (account, asset, weight) or one row an account (account,
        and a column for every asset); or mappings with account, holdings and rules. Columns named like rules of
        `Portfolio` (assets, max_weight, max_turnover, exclude, ...) are those of the account. Weights are shares of the
        account; what they lack to the budget is cash, to be invested.
    market : Portfolio
        Returns, covariance, and the rules of every account that has none of its own.
    gap : float
        Relative gap at which an account is done.
    work : float
        Most work of an account's tree, in 1e9 multiplications, about a second each: more closes more gaps.
    config : Config, optional
        How each is solved, in place of a first answer and a tree of so much work.
    seed : int
    store : path, optional
        SQLite file for the answers as they come; in memory if left out.
    resume : bool
        Go on with the run in `store`; nothing is done twice but accounts that have changed.
    executor : concurrent.futures.Executor, optional
        Where accounts are solved, such as Dask's `Client.get_executor()`; the numbers do not depend on it.
    jobs : int, optional
        Processes of a pool made for this run.
    progress : optional
        Told how far it is.

    Returns
    -------
    Rebalanced
        Also after Ctrl-C, with what there is.

    Raises
    ------
    ArgumentError
        If an argument is out of its range.
    FileError
        If the table is none of accounts, or `store` cannot be used.

    Examples
    --------
    >>> import hybridmip as hm
    >>> returns, covariance = hm.market(assets=12, seed=1).sample_estimates()
    >>> market = hm.Portfolio(returns, covariance, assets=(None, 5), objective="utility", trade_cost=0.001)
    >>> names = market.names
    >>> held = [{"account": "A1", "holdings": {names[0]: 0.5, names[1]: 0.5}, "exclude": [names[2]]}]
    >>> hm.rebalance(held, market).counts["within gap"]
    1
    """
    if not isinstance(market, Portfolio):
        raise ArgumentError(f"market is a {type(market).__name__}; give a Portfolio with the rules of every account")
    if not 0 < gap < 1:
        raise ArgumentError(f"gap is {gap!r}; it must be a number between 0 and 1, such as 0.001")
    check_workers(seed, jobs, executor)
    if not work > 0:
        raise ArgumentError(f"work is {work!r}; it must be a positive number, such as 0.5 for narrower gaps")
    config = (config_of_accounts(work) if config is None else config).replace(threads=1)
    given = accounts_of(accounts, market.names)
    settings = {
        "what": "accounts", "gap": repr(gap), "seed": str(seed), "version": __version__,
        "configuration": json.dumps(asdict(config.replace(phases=None)), sort_keys=True) + _in_words(config),
        "problem": f"{market.problem().hash} {_costs(market)}{' drifted' if market.drifted else ''}",
    }  # fmt: skip
    answers = Store(store, settings, resume)
    return _Run(given, market, config, gap, seed, answers, progress).everything(executor, jobs)


def _costs(market: Portfolio) -> str:
    """Tells what trades cost: a problem without holdings has no sales in it."""
    parts = (*market.trade_cost, market.fixed_trade_cost, market.min_trade)
    return hashlib.blake2b(b"".join(part.tobytes() for part in parts), digest_size=8).hexdigest()


def _in_words(config: Config) -> str:
    """The phases of a configuration, the same in every process."""
    return ", ".join(f"{type(phase).__name__}{sorted(vars(phase).items())}" for phase in config.phases or ())


class _Run:
    """One run: accounts come in pieces, what is not stored yet is solved."""

    def __init__(
        self, accounts: Iterator[Account], market: Portfolio, config: Config, gap: float, seed: int, store: Store,
        progress: AccountsProgress | None,
    ) -> None:  # fmt: skip
        self.accounts, self.market, self.store, self.progress = accounts, market, store, progress
        self.shared = (market, config, gap, seed)
        self.counts: Counter[str] = Counter()
        self.began = time.perf_counter()

    def everything(self, executor: Executor | None, jobs: int | None) -> Rebalanced:
        """All accounts."""
        interrupted = False
        workers = None
        try:
            for _, record in self.store.each(PHASE):
                self.counts[record["status"]] += 1
            if executor is not None or jobs is not None:
                count = jobs or max(int(getattr(executor, "_max_workers", 0) or 0), 4)
                workers = Workers(solve_accounts, count, MOST_DEATHS, _too_many, executor)
            numbered, count = enumerate(self.accounts), 0
            while piece := list(itertools.islice(numbered, PIECE)):
                self._solve(piece, workers)
                count = piece[-1][0] + 1
            for record in self.store.cut(PHASE, count):  # accounts that are not there any more
                self.counts[record["status"]] -= 1
        except KeyboardInterrupt:
            interrupted = True
        except BaseException:
            self.store.close()
            raise
        finally:
            if workers is not None:
                workers.close(now=interrupted)
        return Rebalanced(self.market, self.store, self.counts, time.perf_counter() - self.began, interrupted)

    def _solve(self, piece: list[Job], workers: Workers[Job, dict[int, Record]] | None) -> None:
        there = self.store.between(PHASE, piece[0][0], piece[-1][0])
        # An account that is not what it was is done again.
        pending = [job for job in piece if there.get(job[0], {}).get("key") != job[1].key]
        for number, _ in pending:
            if number in there:
                self.counts[there[number]["status"]] -= 1
        tasks = [pending[k : k + TASK] for k in range(0, len(pending), TASK)]
        if workers is None:
            found: Iterator[dict[int, Record]] = (solve_accounts(task, *self.shared) for task in tasks)
        else:
            found = (answer for _, answer in workers.map(tasks[::-1], *self.shared))
        for answers in found:
            self.store.put(PHASE, 0, answers)
            for record in answers.values():
                self.counts[record["status"]] += 1
            if self.progress is not None:
                self.progress.update(sum(self.counts.values()), dict(self.counts), time.perf_counter() - self.began)


def _too_many(task: Sequence[Job]) -> str:
    return f"workers died {MOST_DEATHS} times on the accounts {', '.join(account.name for _, account in task)}"


def solve_accounts(
    jobs: Sequence[Job], market: Portfolio, config: Config, gap: float, seed: int
) -> dict[int, Record]:  # fmt: skip
    """Solve some accounts, one by one, from nothing but the arguments."""
    import scipy.linalg  # noqa: F401  its BLAS must be there before it is limited

    be_patient()
    with one_thread(market.n):
        return {number: {**_solved(account, market, config, gap, seed), "key": account.key} for number, account in jobs}


def portfolio_of(account: Account, market: Portfolio) -> Portfolio:
    """The portfolio of an account: the market's rules, with its own where it has some."""
    rules = dict(account.rules)
    rules["exclude"] = [*market.exclude, *rules.get("exclude", ())]
    return market.replace(current=account.holdings, **rules)


def _solved(account: Account, market: Portfolio, config: Config, gap: float, seed: int) -> Record:
    began = time.perf_counter()
    if account.fault:
        return {"account": account.name, "status": "bad input", "reason": account.fault}
    try:
        portfolio = portfolio_of(account, market)
        held = float(portfolio.current.sum())
        if (portfolio.min_weight >= 0).all() and held > MOST_HELD * portfolio.budget:
            raise ArgumentError(
                f"its weights add up to {held:g}, the budget is {portfolio.budget:g}; give shares such as 0.25 or 25%"
            )
        problem = portfolio.problem()
        result = solve(problem, config=config, gap=gap, seed=seed)
    except HybridMIPError as error:
        if sum(abs(weight) for weight in account.holdings.values()) > PERCENT:
            return {"account": account.name, "status": "bad input", "reason": PERCENT_MEANT}
        return {"account": account.name, "status": "bad input", "reason": str(error)}
    record: Record = {"account": account.name, "status": str(result.status), "seconds": time.perf_counter() - began}
    if not result.has_solution:
        rows = ", ".join(result.clashing_rows)
        reason = f"no portfolio satisfies its rules{f' ({rows})' if rows else ''}"
        return record | {"reason": reason if record["status"] == "infeasible" else "nothing was found; allow more work"}
    found = portfolio.read(result)
    change = portfolio.trading.trades(found.x)
    left = relative_gap(result.objective, result.bound, result.size)
    record["status"] = "within gap" if left <= gap else "open"
    return record | {
        "gap": left if math.isfinite(left) else None, "objective": result.objective,
        "bound": result.bound if math.isfinite(result.bound) else None, "expected_return": found.expected_return,
        "risk": found.risk, "turnover": found.turnover, "cost": found.cost,
        "assets": int(np.count_nonzero(np.abs(found.x) > 1e-9)),
        "changes": [
            [market.names[i], float(change[i]), float(found.x[i])] for i in np.flatnonzero(change)
        ],
    }  # fmt: skip


class Rebalanced:
    """Answers of a run over accounts.

    Attributes
    ----------
    counts : dict
        Accounts by status.
    seconds : float
    interrupted : bool

    Examples
    --------
    >>> import hybridmip as hm
    >>> market = hm.market(assets=12, seed=1).portfolio(assets=(None, 5), objective="utility", trade_cost=0.001)
    >>> held = [
    ...     {"account": "A1", "holdings": {market.names[0]: 0.5, market.names[1]: 0.5}},
    ...     {"account": "A2", "holdings": {"no such": 1.0}},
    ... ]
    >>> found = hm.rebalance(held, market)
    >>> {status: number for status, number in found.counts.items() if number}
    {'within gap': 1, 'bad input': 1}
    >>> [record["account"] for record in found.records() if "reason" in record]
    ['A2']
    """

    def __init__(
        self, market: Portfolio, store: Store, counts: Counter[str], seconds: float, interrupted: bool
    ) -> None:
        self.market, self._store = market, store
        self.counts = {status: counts[status] for status in STATUS_WORDS}
        self.seconds, self.interrupted = seconds, interrupted

    def __len__(self) -> int:
        return sum(self.counts.values())

    def __repr__(self) -> str:
        words = ", ".join(f"{number} {STATUS_WORDS[key]}" for key, number in self.counts.items() if number)
        return f"<Rebalanced: {len(self)} accounts in {self.seconds:.1f} s: {words}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: how many accounts there are of every status, and the first of them."""
        facts: list[tuple[str, object]] = [("accounts", f"{len(self):,}")]
        facts += [(STATUS_WORDS[key], f"{number:,}") for key, number in self.counts.items() if number]
        facts.append(("seconds", f"{self.seconds:.1f}"))

        def share(value: float | None) -> str:
            return "-" if value is None else f"{100 * value:.4g} %"

        shown = ("gap", "expected_return", "risk", "turnover", "cost")
        rows = ([one["account"], one["status"], *(share(one.get(key)) for key in shown)] for one in self.records())
        columns = ["account", "status", *(key.replace("_", " ") for key in shown)]
        return card("Rebalanced", facts, "", columns, rows)

    def records(self) -> Iterator[Record]:
        """Answers in the order of the accounts, one at a time.

        Examples
        --------
        >>> import hybridmip as hm
        >>> market = hm.market(assets=12, seed=1).portfolio(assets=(None, 5), objective="utility", trade_cost=0.001)
        >>> found = hm.rebalance([{"account": "A1", "holdings": {market.names[0]: 1.0}}], market)
        >>> [(record["account"], record["status"]) for record in found.records()]
        [('A1', 'within gap')]
        """
        for _, record in self._store.each(PHASE):
            yield record

    def summary_rows(self) -> Iterator[list[Any]]:
        """A row for every account, columns as `COLUMNS`."""
        for record in self.records():
            row = {**record, "trades": len(record["changes"]) if "changes" in record else None}
            yield [row.get(column) for column in COLUMNS]

    def trade_rows(self) -> Iterator[list[Any]]:
        """A row for every trade: account, asset, what is bought (positive) or sold, the weight afterwards."""
        for record in self.records():
            for asset, change, weight in record.get("changes", []):
                yield [record["account"], asset, change, weight]

    @property
    def summary(self) -> pd.DataFrame:
        """A row for every account."""
        import pandas as pd  # 0.3 s, which a worker does not need

        return pd.DataFrame(self.summary_rows(), columns=list(COLUMNS)).set_index("account")

    @property
    def trades(self) -> pd.DataFrame:
        """A row for every trade."""
        import pandas as pd

        return pd.DataFrame(self.trade_rows(), columns=["account", "asset", "trade", "weight"])

    def save(self, folder: str | Path, title: str = "", page: bool = True) -> list[Path]:
        """Write accounts.csv, trades.csv and report.html into a folder; returns what was written.

        Examples
        --------
        >>> import tempfile
        >>> import hybridmip as hm
        >>> market = hm.market(assets=12, seed=1).portfolio(assets=(None, 5), objective="utility", trade_cost=0.001)
        >>> found = hm.rebalance([{"account": "A1", "holdings": {market.names[0]: 1.0}}], market)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     files = found.save(folder)
        >>> [file.name for file in files]
        ['accounts.csv', 'trades.csv', 'report.html']
        """
        return save_accounts(self, Path(folder), title, page, COLUMNS, STATUS_WORDS)

    def close(self) -> None:
        """Let the store go; nothing can be read afterwards."""
        self._store.close()
