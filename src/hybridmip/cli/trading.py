"""Options of `hybridmip portfolio` for what goes beyond the least variance of a fresh portfolio."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from hybridmip.cli.options import fraction

PANEL = "Trades and objectives"


class Objective(StrEnum):
    """What is best."""

    VARIANCE = "variance"
    UTILITY = "utility"
    TRACKING = "tracking"
    SHARPE = "sharpe"


def _option(metavar: str, text: str) -> Any:
    return typer.Option(metavar=metavar, show_default=False, help=text, rich_help_panel=PANEL)


ObjectiveName = Annotated[
    Objective,
    typer.Option(
        help="Least variance; expected return less risk aversion times variance; a benchmark; the Sharpe ratio.",
        rich_help_panel=PANEL,
    ),
]
RiskAversion = Annotated[float | None, _option("A", "For --objective utility (1 by default).")]
RiskFree = Annotated[str | None, _option("R", "Return without risk per period, for --objective sharpe.")]
BenchmarkFile = Annotated[
    Path | None, _option("FILE.csv", "Weights of the benchmark, a row of asset and weight each, for tracking.")
]
CurrentFile = Annotated[
    Path | None, _option("FILE.csv", "Weights held today, a row of asset and weight (0.25 or 25%) each.")
]
TradeCost = Annotated[
    str | None,
    _option(
        "C|B:S",
        "Cost of a trade of weight 1, as a return per period (divide it by the periods that a position is held): "
        "0.001 or 0.1%; buying and selling apart.",
    ),
]
FixedTradeCost = Annotated[
    str | None,
    _option("C", "Cost of any trade of an asset, as a return per period: a ticket of 5 on 100,000 is 0.00005."),
]
CostWeight = Annotated[
    float | None, _option("W", "What a unit of cost counts beside a variance or a tracking variance.")
]
MaxTurnover = Annotated[str | None, _option("W", "Most that is bought and sold together: 0.3 or 30%.")]
MinTrade = Annotated[str | None, _option("W", "Smallest trade of an asset.")]
MaxTrades = Annotated[
    int | None,
    typer.Option(min=0, metavar="N", show_default=False, help="Most assets that are traded.", rich_help_panel=PANEL),
]
MaxGross = Annotated[str | None, _option("W", "Most that the sizes of all weights add up to: 1.6 for 130/30.")]
MaxShort = Annotated[str | None, _option("W", "Most that the short weights add up to: 0.3 for 130/30.")]
Exclude = Annotated[
    list[str] | None,
    _option("A,B,...", "Assets that are not to be held (may be repeated); what is held of them is sold."),
]

_TRADED_BACK = "Trade back, or sell, what is held beyond the limits of the weights, as after prices have moved"
Drifted = Annotated[bool, typer.Option("--drifted", help=f"{_TRADED_BACK}; else an error.", rich_help_panel=PANEL)]
DriftedAccounts = Annotated[
    bool,
    typer.Option(
        "--drifted/--no-drifted",
        help=f"{_TRADED_BACK}; with --no-drifted such an account is bad input.",
        rich_help_panel=PANEL,
    ),
]

#: What arguments of the Python interface are called here.
NAMES = {
    name: f"--{name.replace('_', '-')}"
    for name in (
        "objective", "risk_aversion", "risk_free", "benchmark", "current", "trade_cost", "fixed_trade_cost",
        "cost_weight", "max_turnover", "min_trade", "max_trades", "max_gross", "max_short", "exclude",
    )
} | {"drifted=True": "--drifted"}  # fmt: skip


def arguments(given: dict[str, Any]) -> dict[str, Any]:
    """Arguments of `Portfolio`, from the options that were given."""
    from hybridmip.io.tables import read_weights

    found: dict[str, Any] = {}
    for name, value in given.items():
        if value is None:
            continue
        if isinstance(value, Path):
            found[name] = read_weights(value)
        elif name == "exclude":
            found[name] = [part.strip() for text in value for part in text.split(",") if part.strip()]
        elif name == "trade_cost" and ":" in value:
            found[name] = tuple(fraction(NAMES[name], part) for part in value.split(":", 1))
        else:
            found[name] = fraction(NAMES[name], value) if isinstance(value, str) and name != "objective" else value
    return found
