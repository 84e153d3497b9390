"""The answer to a portfolio: as a JSON document, and for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hybridmip.cli.output import make_console, percent

if TYPE_CHECKING:
    from rich.console import RenderableType

    from hybridmip.applications.portfolio import Portfolio, PortfolioResult
    from hybridmip.run.result import Result


def portfolio_document(asked: Portfolio, result: Result, reading: PortfolioResult | None) -> dict[str, Any]:
    """The answer ready for JSON."""
    document = result.to_dict("weights")
    document["expected_return"] = None if reading is None else reading.expected_return
    document["risk"] = None if reading is None else reading.risk
    document["violation"] = None if reading is None else result.violation
    if result.status == "infeasible" and asked.target_return is not None:
        document["unconstrained_returns"] = list(asked.efficient_range())
    return document


def portfolio_report(
    result: Result,
    reading: PortfolioResult,
    groups: Mapping[str, str] | None = None,
    group_title: str = "group",
) -> list[RenderableType]:
    from hybridmip.report.terminal import portfolio_table, summary

    table = reading.table()
    if groups is None and "group" in table:
        groups = {str(name): str(group) for name, group in table["group"].items()}
    idle = [f"    {len(reading.idle)} more selected at weight 0"] if reading.idle else []
    return [
        portfolio_table(
            [str(name) for name in table.index],
            table["weight"],
            table["expected return"],
            table["risk contribution"],
            groups=groups,
            group_title=group_title,
            ascii_only=make_console().options.ascii_only,
        ),
        *idle,
        "",
        summary(result, expected_return=reading.expected_return, risk=reading.risk, objective_name="variance"),
    ]


def no_solution_report(asked: Portfolio, result: Result) -> list[RenderableType]:
    from rich.text import Text

    from hybridmip.report.terminal import summary

    if result.status != "infeasible":
        advice = "no portfolio was found and none was ruled out; give more time or loosen a rule"
        return [Text(advice, style="bold yellow"), "", summary(result)]
    parts: list[RenderableType] = [Text("proven infeasible: no portfolio satisfies every rule", style="bold red")]
    if result.clashing_rows:
        parts.append(Text(f"these rules clash: {', '.join(result.clashing_rows)}"))
    if asked.target_return is not None:
        low, high = asked.efficient_range()
        parts.append(
            Text(
                f"the target is {percent(asked.target_return)}; without count, minimum weights and groups "
                f"the frontier runs from {percent(low)} (least risk) to {percent(high)} (most return)"
            )
        )
    return [*parts, "", summary(result)]
