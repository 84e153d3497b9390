"""`hybridmip portfolio`: which assets to hold, and how much of each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hybridmip.cli import history, trading
from hybridmip.cli.certificate import as_proven, save_certificate, save_proof
from hybridmip.cli.cluster import executor_of
from hybridmip.cli.exits import exit_code
from hybridmip.cli.options import (
    AsJson,
    CertificateFile,
    ConfigName,
    Configuration,
    Dask,
    Gap,
    ProofFile,
    Prove,
    Quiet,
    Seed,
    TimeLimit,
    as_gap,
    fraction,
    settings,
)
from hybridmip.cli.output import print_parts, write_json
from hybridmip.cli.places import check_writable
from hybridmip.cli.portfolio_report import no_solution_report, portfolio_document, portfolio_report
from hybridmip.cli.progress import solve_progress
from hybridmip.cli.rules import (
    AssetCounts,
    CovarianceFile,
    GroupLimits,
    GroupsFile,
    KindOfNumbers,
    MaxGroupAssets,
    MaxGroupWeight,
    MaxWeight,
    MinGroupAssets,
    MinWeight,
    PortfolioFile,
    Rules,
)
from hybridmip.errors import ArgumentError, FileError
from hybridmip.files import write_text


def portfolio(
    file: PortfolioFile,
    covariance: CovarianceFile = None,
    kind: KindOfNumbers = None,
    missing: history.MissingValues = history.Missing.ERROR,
    since: history.Since = None,
    until: history.Until = None,
    min_history: history.MinHistory = None,
    shrink: history.ShrinkName = history.Shrink.NONE,
    periods_per_year: history.PeriodsPerYear = None,
    assets: AssetCounts = None,
    min_weight: MinWeight = "0",
    max_weight: MaxWeight = "1",
    target_return: Annotated[
        str | None,
        typer.Option(
            show_default=False,
            metavar="R",
            help="Return of the portfolio per period, as in the data: 0.005 or 0.5%.",
        ),
    ] = None,
    at_least: Annotated[
        bool, typer.Option("--at-least", help="The target is a minimum; otherwise it is met exactly.")
    ] = False,
    group: GroupLimits = None,
    groups: GroupsFile = None,
    min_group_assets: MinGroupAssets = None,
    max_group_assets: MaxGroupAssets = None,
    max_group_weight: MaxGroupWeight = None,
    objective: trading.ObjectiveName = trading.Objective.VARIANCE,
    risk_aversion: trading.RiskAversion = None,
    risk_free: trading.RiskFree = None,
    benchmark: trading.BenchmarkFile = None,
    current: trading.CurrentFile = None,
    trade_cost: trading.TradeCost = None,
    fixed_trade_cost: trading.FixedTradeCost = None,
    cost_weight: trading.CostWeight = None,
    max_turnover: trading.MaxTurnover = None,
    min_trade: trading.MinTrade = None,
    max_trades: trading.MaxTrades = None,
    max_gross: trading.MaxGross = None,
    max_short: trading.MaxShort = None,
    exclude: trading.Exclude = None,
    drifted: trading.Drifted = False,
    gap: Gap = None,
    config: ConfigName = Configuration.DEFAULT,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", show_default=False, help="Write the weights here.")
    ] = None,
    certificate: CertificateFile = None,
    prove: Prove = False,
    proof: ProofFile = None,
    dask: Dask = None,
    save_problem: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.json", show_default=False, help="Write the problem here, for hybridmip verify and solve."
        ),
    ] = None,
    time_limit: TimeLimit = None,
    seed: Seed = 0,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Choose which assets to hold and how much of each, at the least risk.

    Examples:

    hybridmip portfolio port1.txt --assets 10 --min-weight 0.01 --target-return 0.005

    hybridmip portfolio prices.csv --kind prices --assets 5:10 --target-return 0.001 --at-least

    hybridmip portfolio prices.csv --since 2020 --missing fill --min-history 500 --shrink ledoit-wolf --assets 10

    hybridmip portfolio port1.txt --assets 10 --proof proof.json --save-problem problem.json

    hybridmip portfolio mean.csv --covariance cov.csv --assets 8 --group "Banks=AAA,BBB:max_weight=0.3"

    hybridmip portfolio prices.csv --assets :10 --current held.csv --objective utility --trade-cost 0.1% --max-trades 5
    """
    given = {
        "objective": str(objective), "risk_aversion": risk_aversion, "risk_free": risk_free, "benchmark": benchmark,
        "current": current, "trade_cost": trade_cost, "fixed_trade_cost": fixed_trade_cost, "cost_weight": cost_weight,
        "max_turnover": max_turnover, "min_trade": min_trade, "max_trades": max_trades, "max_gross": max_gross,
        "max_short": max_short, "exclude": exclude, "drifted": drifted,
    }  # fmt: skip
    more = trading.arguments(given)
    target = None if target_return is None else fraction("--target-return", target_return)
    if at_least and target is None:
        raise ArgumentError("--at-least needs --target-return, the return that is to be had at least")
    closeness = as_gap(gap)
    rules = Rules(
        file, covariance, kind, assets, min_weight, max_weight, group, groups, min_group_assets, max_group_assets,
        max_group_weight, history.arguments(missing, since, until, min_history, shrink, periods_per_year),
    )  # fmt: skip
    check_writable(out, file, covariance, groups)
    check_writable(certificate, file, covariance, groups, out, option="--certificate")
    check_writable(proof, file, covariance, groups, out, certificate, option="--proof")
    check_writable(save_problem, file, covariance, groups, out, certificate, option="--save-problem")
    if certificate is not None and certificate in (out, save_problem):
        raise ArgumentError(f"--certificate is {certificate}, which another option names too; give each its own file")
    asked, warnings = rules.read(target, at_least, more)
    # Only now what takes longest to import: bad input is told at once.
    from hybridmip.run.solve import solve

    problem = asked.problem()
    if save_problem is not None:
        from hybridmip.io.problem_json import write_problem_json

        write_problem_json(problem, save_problem)
    with executor_of(dask) as executor:
        result = solve(
            problem,
            config=settings(config),
            time_limit=time_limit,
            gap=closeness,
            seed=seed,
            progress=solve_progress(quiet),
            prove=prove or proof is not None,
            executor=executor,
        )
    if proof is not None:
        result = as_proven(result)
    reading = asked.read(result) if result.has_solution else None
    unwritten: FileError | None = None
    if out is not None and reading is not None:
        try:
            write_text(out, reading.table().to_csv(), "the weights")
        except FileError as error:
            unwritten = error  # told after the answer, which must not be lost
    if certificate is not None:
        unwritten = save_certificate(result, certificate) or unwritten
    unwritten = save_proof(result, proof) or unwritten
    if as_json:
        write_json({**portfolio_document(asked, result, reading, periods_per_year), "warnings": warnings})
    elif reading is not None:
        print_parts(*portfolio_report(result, reading, periods_per_year=periods_per_year))
        written = [path for path in (out, certificate, proof, save_problem) if path is not None and path.exists()]
        if written and unwritten is None:
            print_parts("", f"written: {', '.join(map(str, written))}")
    else:
        print_parts(*no_solution_report(asked, result, periods_per_year))
    if unwritten is not None:
        raise unwritten
    raise typer.Exit(exit_code(result))
