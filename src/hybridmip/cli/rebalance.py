"""`hybridmip rebalance`: many accounts on one market."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hybridmip.cli import history, trading
from hybridmip.cli.cluster import executor_of
from hybridmip.cli.exits import EXIT_INFEASIBLE, EXIT_NONE_FOUND, EXIT_SOLUTION
from hybridmip.cli.frontier import RUN_FILE
from hybridmip.cli.options import AsJson, Dask, Gap, Quiet, Seed, as_gap
from hybridmip.cli.output import print_parts, write_json
from hybridmip.cli.places import make_directory
from hybridmip.cli.progress import Ticker
from hybridmip.cli.rules import (
    AssetCounts,
    CovarianceFile,
    KindOfNumbers,
    MaxWeight,
    MinWeight,
    PortfolioFile,
    Rules,
)
from hybridmip.errors import ArgumentError

if TYPE_CHECKING:
    from hybridmip.applications.portfolio import Portfolio
    from hybridmip.sweep.accounts import Rebalanced


#: Accounts without an answer that are shown with their reason.
SHOWN = 5


class AccountsBar:
    """Progress in one line: how many are done, how fast, and what they are."""

    def __init__(self, ticker: Ticker) -> None:
        self.ticker, self.first = ticker, -1

    def update(self, done: int, counts: dict[str, int], seconds: float) -> None:
        """Show it."""
        from hybridmip.sweep.accounts import STATUS_WORDS

        if self.first < 0:
            self.first = done
        rate = (done - self.first) / seconds if seconds > 0 else 0.0
        words = ", ".join(f"{counts[key]} {name}" for key, name in STATUS_WORDS.items() if counts.get(key))
        self.ticker.show(f"{done} accounts, {rate:.0f} a second; {words}")


def rebalance(
    file: PortfolioFile,
    accounts: Annotated[
        Path,
        typer.Argument(
            metavar="ACCOUNTS.csv|.parquet",
            help="One row a holding (account, asset, weight), or one row an account with a column for every asset; "
            "columns named like rules (assets, max_weight, max_turnover, exclude, ...) are those of the account.",
        ),
    ],
    covariance: CovarianceFile = None,
    kind: KindOfNumbers = None,
    missing: history.MissingValues = history.Missing.ERROR,
    since: history.Since = None,
    until: history.Until = None,
    min_history: history.MinHistory = None,
    shrink: history.ShrinkName = history.Shrink.NONE,
    assets: AssetCounts = None,
    min_weight: MinWeight = "0",
    max_weight: MaxWeight = "1",
    objective: trading.ObjectiveName = trading.Objective.UTILITY,
    risk_aversion: trading.RiskAversion = None,
    benchmark: trading.BenchmarkFile = None,
    trade_cost: trading.TradeCost = None,
    fixed_trade_cost: trading.FixedTradeCost = None,
    cost_weight: trading.CostWeight = None,
    max_turnover: trading.MaxTurnover = None,
    min_trade: trading.MinTrade = None,
    max_trades: trading.MaxTrades = None,
    exclude: trading.Exclude = None,
    drifted: trading.DriftedAccounts = True,
    gap: Gap = None,
    work: Annotated[
        float | None,
        typer.Option(
            min=1e-6,
            metavar="W",
            show_default=False,
            help="Most work for the proof of an account, about seconds (0.06 by default): more closes more gaps.",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the run and its files go.")] = Path(
        "hybridmip-accounts"
    ),
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run that is in --out.")] = False,
    jobs: Annotated[
        int | None, typer.Option(min=1, metavar="N", show_default=False, help="Solve in so many processes.")
    ] = None,
    dask: Dask = None,
    seed: Seed = 0,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Rebalance many accounts: one market, and for each account its holdings and rules.

    Writes accounts.csv (a line an account, with the gap proven), trades.csv and report.html into a folder, and keeps
    every answer in run.sqlite as it comes: after a crash, --resume goes on where it was. An account with bad input has
    its reason in accounts.csv and stops none of the others. Weights are shares of the account (0.25 or 25%); what they
    lack to 1 is cash, to be invested. Names in a cell of the column exclude are separated by semicolons. An account is
    done at a gap of 0.1 % (or --gap). The exit code is 0 where any account has an answer.

    Examples:

    hybridmip rebalance prices.csv accounts.csv --assets :20 --trade-cost 0.1% --fixed-trade-cost 0.0001 --out tonight

    hybridmip rebalance market.csv accounts.parquet --covariance cov.csv --jobs 2 --risk-aversion 5 --out tonight

    hybridmip rebalance prices.csv accounts.csv --dask tcp://cluster:8786 --out tonight --resume
    """
    given = {
        "objective": str(objective), "risk_aversion": risk_aversion, "benchmark": benchmark, "trade_cost": trade_cost,
        "fixed_trade_cost": fixed_trade_cost, "cost_weight": cost_weight, "max_turnover": max_turnover,
        "min_trade": min_trade, "max_trades": max_trades, "exclude": exclude, "drifted": drifted,
    }  # fmt: skip
    more = trading.arguments(given)
    closeness = as_gap(gap)
    if jobs is not None and dask is not None:
        raise ArgumentError("--jobs and --dask are both given; give one of them")
    rules = Rules(
        file, covariance, kind, assets, min_weight, max_weight, None, None, None, None, None,
        history.arguments(missing, since, until, min_history, shrink),
    )  # fmt: skip
    market, warnings = rules.read(None, False, more, sells=True)
    make_directory(out)
    if resume and not (out / RUN_FILE).is_file():
        raise ArgumentError(f"--resume: there is no run in {out}; check --out, or leave --resume out to start one")
    # Only now what takes longest to import: bad input is told at once.
    from hybridmip.sweep.accounts import GAP, WORK
    from hybridmip.sweep.accounts import rebalance as run

    ticker = Ticker(quiet)
    with executor_of(dask) as executor:
        found = run(
            accounts, market, gap=GAP if closeness is None else closeness, work=WORK if work is None else work,
            seed=seed, store=out / RUN_FILE, resume=resume, executor=executor, jobs=jobs, progress=AccountsBar(ticker),
        )  # fmt: skip
    ticker.show("writing the tables and the page")
    files = found.save(out, f"{accounts.name} on {file.name}")
    ticker.clear()
    if as_json:
        write_json({
            "accounts": len(found), "counts": found.counts, "seconds": found.seconds, "interrupted": found.interrupted,
            "files": [str(path) for path in files], "warnings": warnings,
        })  # fmt: skip
    else:
        print_parts(*_report(found, market), "", f"written: {', '.join(str(path) for path in files)}")
        if found.interrupted:
            print_parts(f"interrupted: go on with the same command and --resume --out {out}")
    found.close()
    raise typer.Exit(_code(found))


def _code(found: Rebalanced) -> int:
    counts = found.counts
    if counts["within gap"] or counts["open"]:
        return EXIT_SOLUTION
    return EXIT_INFEASIBLE if counts["infeasible"] == len(found) else EXIT_NONE_FOUND


def _report(found: Rebalanced, market: Portfolio) -> list[Any]:
    from hybridmip.applications.portfolio.cost_advice import advice_on_costs, costs_count
    from hybridmip.sweep.accounts import STATUS_WORDS

    words = ", ".join(f"{number:,} {STATUS_WORDS[key]}" for key, number in found.counts.items() if number)
    total = len(found)
    ending = f": {words}" if words else ""
    lines: list[Any] = [f"{total:,} account{'s' if total != 1 else ''} in {found.seconds:.1f} s{ending}"]
    wrong = [record for record, _ in zip(_wrong(found), range(SHOWN + 1), strict=False)]
    lines += [f"  {record['account'] or '(no name)'}: {record['reason']}" for record in wrong[:SHOWN]]
    lines += ["  and more; all are in accounts.csv"] if len(wrong) > SHOWN else []
    turnovers = (record["turnover"] for record in found.records() if record.get("turnover") is not None)
    if costs_count(market) and next(turnovers, None) == 0.0 and not any(turnovers):
        lines.append(advice_on_costs(market))
    return lines


def _wrong(found: Rebalanced) -> Any:
    return (record for record in found.records() if record.get("reason"))
