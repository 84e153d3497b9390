"""The answer to a portfolio: as a JSON document, and for people."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hybridmip.cli.output import make_console, percent
from hybridmip.errors import ProblemError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from hybridmip.applications.portfolio import Portfolio, PortfolioResult
    from hybridmip.run.result import Result


#: Trades that are listed.
MOST_TRADES = 10
#: Seconds for the returns that can be had.
RANGE_SECONDS = 5.0


def portfolio_document(
    asked: Portfolio, result: Result, reading: PortfolioResult | None, periods_per_year: float | None = None
) -> dict[str, Any]:
    """The answer ready for JSON; its numbers are per period, and per year as well if that is asked for.

    `x` and `selected` are of the problem that was solved, whose x are weights of modes, or scaled, where `weights` are
    those of the assets: `hybridmip verify` checks them.
    """
    document = {**result.to_dict("weights"), "x": dict(result.nonzeros())}
    document["expected_return"] = None if reading is None else reading.expected_return
    document["risk"] = None if reading is None else reading.risk
    document["violation"] = None if reading is None else result.violation
    known = reading is not None and math.isfinite(reading.risk_gap)
    document["risk_gap"] = reading.risk_gap if known and reading is not None else None
    if reading is not None:
        document |= _beyond_variance(asked, reading)
    if reading is not None and periods_per_year is not None:
        yearly = {key: value for key, value in reading.per_year(periods_per_year)._asdict().items() if key in document}
        document["per_year"] = {"periods": periods_per_year, **yearly}
    if result.status == "infeasible" and asked.target_return is not None:
        document["unconstrained_returns"] = list(asked.efficient_range())
    return document


def _beyond_variance(asked: Portfolio, reading: PortfolioResult) -> dict[str, Any]:
    """What there is to say beside weights, return and risk."""
    more: dict[str, Any] = {}
    if asked.modes.count != asked.n or asked.objective == "sharpe":  # x are not the weights
        more["weights"] = {str(name): float(weight) for name, weight in reading.weights.items()}
    if asked.trading.matters:
        more["trades"] = {str(name): float(trade) for name, trade in reading.trades.items()}
        more |= {"turnover": reading.turnover, "cost": reading.cost, "net_return": reading.net_return}
    if asked.benchmark is not None:
        more["tracking_error"] = reading.tracking_error
    if asked.objective == "sharpe":
        more["sharpe_ratio"] = reading.sharpe_ratio
    return more


def _in_words(reading: PortfolioResult, periods_per_year: float | None) -> list[RenderableType]:
    """The same for people: trades, costs, tracking error, Sharpe ratio."""
    from hybridmip.applications.portfolio.cost_advice import advice_at

    asked, lines = reading.portfolio, []
    yearly = None if periods_per_year is None else reading.per_year(periods_per_year)
    if asked.trading.matters:
        trades = reading.trades
        moved = [f"{name} {'+' if trade > 0 else '-'}{percent(abs(trade))}" for name, trade in trades.items()]
        shown = ", ".join(moved[:MOST_TRADES]) + (
            f", {len(moved) - MOST_TRADES} more" if len(moved) > MOST_TRADES else ""
        )
        lines.append(f"trades: {shown or 'none'}")
        lines.append(
            f"turnover {percent(reading.turnover)}, cost {percent(reading.cost)}, net return "
            f"{percent(reading.net_return)}"
        )
    if advice_at(asked, reading.x):
        lines.append(advice_at(asked, reading.x))
    if asked.benchmark is not None:
        more = "" if yearly is None else f", {percent(yearly.tracking_error)} per year"
        lines.append(f"tracking error {percent(reading.tracking_error)} per period{more}")
    if asked.objective == "sharpe":
        more = "" if yearly is None else f", {yearly.sharpe_ratio:.4g} per year"
        lines.append(f"Sharpe ratio {reading.sharpe_ratio:.4g} per period{more}")
    return [*lines, ""] if lines else []


def portfolio_report(
    result: Result,
    reading: PortfolioResult,
    groups: Mapping[str, str] | None = None,
    group_title: str = "group",
    periods_per_year: float | None = None,
    advise: bool = True,
) -> list[RenderableType]:
    from hybridmip.applications.portfolio.result import OBJECTIVE_NAMES
    from hybridmip.report.terminal import portfolio_table, summary

    table = reading.table()
    if groups is None and "group" in table:
        groups = {str(name): str(group) for name, group in table["group"].items()}
    idle = [f"    {len(reading.idle)} more selected at weight 0"] if reading.idle else []
    return [
        portfolio_table(
            [str(name) for name in table.index],
            table["weight"],
            table["expected_return"],
            table["risk_contribution"],
            groups=groups,
            group_title=group_title,
            ascii_only=make_console().options.ascii_only,
        ),
        *idle,
        "",
        *_in_words(reading, periods_per_year),
        summary(
            result,
            expected_return=reading.expected_return,
            risk=reading.risk,
            objective_name=OBJECTIVE_NAMES[reading.portfolio.objective],
            periods_per_year=periods_per_year,
            risk_gap=reading.risk_gap if math.isfinite(reading.risk_gap) else None,
            advise=advise,
        ),
    ]


def no_solution_report(asked: Portfolio, result: Result, periods_per_year: float | None = None) -> list[RenderableType]:
    from rich.text import Text

    from hybridmip.report.terminal import summary

    if result.status != "infeasible":
        advice = "no portfolio was found and none was ruled out; give more time or loosen a rule"
        return [Text(advice, style="bold yellow"), "", summary(result)]
    parts: list[RenderableType] = [Text("proven infeasible: no portfolio satisfies every rule", style="bold red")]
    if result.clashing_rows:
        parts.append(Text(f"these rules clash: {', '.join(result.clashing_rows)}"))
    if asked.max_turnover is not None and not asked.current.any():
        parts.append(
            Text(
                f"nothing is held today, so that all is bought, and the turnover of {percent(asked.max_turnover)} that "
                "is allowed counts from cash; give what is held with --current FILE.csv, or leave --max-turnover out"
            )
        )
    if asked.target_return is not None:
        parts += [Text(line) for line in _within_reach(asked, asked.target_return, periods_per_year)]
    return [*parts, "", summary(result)]


def _within_reach(asked: Portfolio, target: float, periods_per_year: float | None) -> list[str]:
    """What can be had instead of a target that cannot."""
    try:
        low, high = asked.attainable_range(time_limit=RANGE_SECONDS)
    except ProblemError:
        return [f"the target is {percent(target)}; no portfolio was found for any other target either"]
    between = ", though not every one between" if low <= target <= high else ""
    lines = [
        f"the target is {percent(target)} per period; with all other rules returns from {percent(low)} to "
        f"{percent(high)} can be had{between}"
    ]
    if periods_per_year is not None and low <= target / periods_per_year <= high:
        lines.append(
            f"{percent(target)} per year is {percent(target / periods_per_year)} per period: "
            f"--target-return {100 * target / periods_per_year:.4g}%"
        )
    return lines
