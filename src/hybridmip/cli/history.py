"""Options of the commands that read prices or returns: which part of a file is used, and how."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

PANEL = "Prices and returns"


class Missing(StrEnum):
    """What is done about gaps."""

    ERROR = "error"
    DROP_ASSETS = "drop-assets"
    DROP_DATES = "drop-dates"
    FILL = "fill"


class Shrink(StrEnum):
    """How the covariance is estimated."""

    LEDOIT_WOLF = "ledoit-wolf"
    OAS = "oas"
    NONE = "none"


def _option(metavar: str, text: str) -> Any:
    return typer.Option(metavar=metavar, show_default=False, help=text, rich_help_panel=PANEL)


MissingValues = Annotated[
    Missing,
    typer.Option(
        help="Gaps: an error that counts them, leave out assets or dates with gaps, or carry the last price forward.",
        rich_help_panel=PANEL,
    ),
]
Since = Annotated[str | None, _option("DATE", "First date that is used: 2020-01-31, 2020-01 or 2020.")]
Until = Annotated[str | None, _option("DATE", "Last date that is used.")]
MinHistory = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        show_default=False,
        help="Leave out assets with fewer prices (or returns) than that.",
        rich_help_panel=PANEL,
    ),
]
ShrinkName = Annotated[
    Shrink,
    typer.Option(
        help="Estimator of the covariance, of scikit-learn; none is the sample covariance.", rich_help_panel=PANEL
    ),
]
PeriodsPerYear = Annotated[
    float | None, _option("P", "Show results per year as well: 252 for days of trading, 52 for weeks, 12 for months.")
]

#: What arguments of the Python interface are called here.
NAMES = {
    name: f"--{name.replace('_', '-')}"
    for name in ("missing", "since", "until", "min_history", "shrink", "periods_per_year")
}


def arguments(
    missing: Missing,
    since: str | None,
    until: str | None,
    min_history: int | None,
    shrink: Shrink,
    periods_per_year: float | None = None,
) -> dict[str, Any]:
    """Arguments of `read_portfolio_data`."""
    return {
        "missing": str(missing), "since": since, "until": until, "min_history": min_history, "shrink": str(shrink),
        "periods_per_year": periods_per_year,
    }  # fmt: skip
