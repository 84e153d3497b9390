"""The rules of a portfolio in words: one entry for each that says something."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hybridmip.model.quadratic import Vector

if TYPE_CHECKING:
    from hybridmip.applications.portfolio.groups import Group
    from hybridmip.applications.portfolio.portfolio import Portfolio
    from hybridmip.applications.portfolio.rows import Limited


def percent(value: float) -> str:
    """A share in percent."""
    return f"{100 * value:.6g} %"


def described(portfolio: Portfolio, varied: str = "") -> dict[str, str]:
    """What is asked, by the names of the arguments with blanks.

    Parameters
    ----------
    portfolio : Portfolio
    varied : str
        The argument that changes along a frontier: its value is not told.
    """
    rules = {"objective": _objective(portfolio)}
    sense = "exactly" if portfolio.return_sense == "equal" else "at least"
    if varied == "target_return":
        rules["return sense"] = f"expected return {sense} the target"
    elif portfolio.target_return is not None:
        rules["target return"] = f"{sense} {percent(portfolio.target_return)}"
    if varied != "assets":
        low, high = portfolio.count_range
        held = "any number" if portfolio.assets is None else f"exactly {low}" if low == high else f"{low} to {high}"
        rules["assets"] = f"{held} of {portfolio.n}"
    else:
        rules["assets"] = f"varied, of {portfolio.n}"
    rules["weight"] = f"{_limits(portfolio.min_weight, portfolio.max_weight)} where held"
    if varied != "budget" and portfolio.budget != 1.0:
        rules["budget"] = percent(portfolio.budget)
    for name in ("max_gross", "max_short", "max_turnover"):
        value = getattr(portfolio, name)
        if value is not None:
            rules[name.replace("_", " ")] = percent(value)
    rules |= _trades(portfolio)
    if portfolio.exclude:
        rules["exclude"] = ", ".join(portfolio.exclude)
    rules |= {f"exposure to {name}": _between(row) for name, row in portfolio.exposures.items()}
    rules |= {f"constraint {name}": _between(row) for name, row in portfolio.constraints.items()}
    return rules | {f"group {name}": _group(group) for name, group in portfolio.groups.items()}


def group_of_each(portfolio: Portfolio) -> dict[str, str]:
    """Group of every asset that is in one; the names of several joined."""
    belongs: dict[str, list[str]] = {}
    for name, group in portfolio.groups.items():
        for member in group.members:
            belongs.setdefault(str(member), []).append(name)
    return {asset: ", ".join(groups) for asset, groups in belongs.items()}


def _objective(portfolio: Portfolio) -> str:
    words = {
        "variance": "least variance",
        "utility": f"largest expected return less {portfolio.risk_aversion:g} times the variance",
        "tracking": "least variance of the difference to the benchmark",
        "sharpe": f"largest Sharpe ratio, risk-free return {percent(portfolio.risk_free)}",
    }
    cost = f", {portfolio.cost_weight:g} times the costs added" if portfolio.cost_weight else ""
    return words[portfolio.objective] + cost


def _limits(lower: Vector, upper: Vector) -> str:
    """Limits of the weights, as one range or as that of the lowest and highest."""
    if np.ptp(lower) == 0 and np.ptp(upper) == 0:
        return f"{percent(float(lower[0]))} to {percent(float(upper[0]))}"
    return (
        f"at least {percent(float(lower.min()))} to {percent(float(lower.max()))}, "
        f"at most {percent(float(upper.min()))} to {percent(float(upper.max()))}, by asset,"
    )


def _trades(portfolio: Portfolio) -> dict[str, str]:
    if not portfolio.trading.matters:
        return {}
    rules: dict[str, str] = {}
    buying, selling = portfolio.trade_cost
    costs = np.concatenate([buying, selling])
    if costs.any():
        rules["trade cost"] = _range(costs)
    if portfolio.fixed_trade_cost.any():
        rules["fixed trade cost"] = _range(portfolio.fixed_trade_cost)
    if portfolio.min_trade.any():
        rules["min trade"] = _range(portfolio.min_trade)
    if portfolio.max_trades is not None:
        rules["max trades"] = str(portfolio.max_trades)
    return rules


def _range(values: Vector) -> str:
    low, high = float(values.min()), float(values.max())
    return percent(low) if low == high else f"{percent(low)} to {percent(high)}"


def _between(row: Limited) -> str:
    _, low, high = row
    parts = [] if low is None else [f"at least {low:.6g}"]
    return ", ".join(parts if high is None else [*parts, f"at most {high:.6g}"]) or "no limit"


def _group(group: Group) -> str:
    parts = [f"{len(group.members)} assets"]
    if group.min_assets:
        parts.append(f"at least {group.min_assets} held")
    if group.max_assets is not None:
        parts.append(f"at most {group.max_assets} held")
    if group.min_weight is not None:
        parts.append(f"weight at least {percent(group.min_weight)}")
    if group.max_weight is not None:
        parts.append(f"weight at most {percent(group.max_weight)}")
    return ", ".join(parts)
