"""The rules of a portfolio: options that `portfolio`, `frontier` and `rebalance` share, read and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hybridmip.cli import history, trading
from hybridmip.cli.options import fraction
from hybridmip.cli.output import tell
from hybridmip.errors import Argument, ArgumentError, FileError, HybridMIPError, Message
from hybridmip.files import read_text

if TYPE_CHECKING:
    from hybridmip.applications.portfolio import Group, Portfolio
    from hybridmip.io.tables import PortfolioData


class Kind(StrEnum):
    """What the numbers of a CSV file are."""

    PRICES = "prices"
    RETURNS = "returns"


PortfolioFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help="An OR-Library port file, a CSV of prices or returns (dates by assets), or a CSV of means.",
    ),
]
CovarianceFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE2", show_default=False, help="CSV of the covariance; FILE then holds the means."),
]
KindOfNumbers = Annotated[Kind | None, typer.Option(show_default=False, help="What the numbers of a CSV FILE are.")]
AssetCounts = Annotated[
    str | None,
    typer.Option(
        metavar="K|A:B",
        show_default=False,
        help="Hold exactly K assets, or A to B of them; :B is at most B, A: at least A.",
    ),
]
MinWeight = Annotated[str, typer.Option(metavar="W", help="Least weight of an asset that is held: 0.01 or 1%.")]
MaxWeight = Annotated[str, typer.Option(metavar="W", help="Greatest weight of an asset: 0.3 or 30%.")]
GroupLimits = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=A,B:LIMITS",
        show_default=False,
        help="Limits of a group of assets: min_assets, max_assets, min_weight, max_weight. Repeatable.",
    ),
]
GroupsFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE.csv", show_default=False, help="CSV of asset and group, one row per asset."),
]
MinGroupAssets = Annotated[
    int | None,
    typer.Option(min=0, metavar="N", show_default=False, help="Fewest assets of each group of --groups."),
]
MaxGroupAssets = Annotated[
    int | None,
    typer.Option(min=0, metavar="N", show_default=False, help="Most assets of each group of --groups."),
]
MaxGroupWeight = Annotated[
    str | None,
    typer.Option(metavar="W", show_default=False, help="Greatest weight of each group of --groups."),
]


#: What arguments of the Python interface are called here; limits of groups have the same names in both.
OPTIONS = {
    "assets": "--assets",
    "assets[0]": "the fewest of --assets",
    "assets[1]": "the most of --assets",
    "min_weight": "--min-weight",
    "max_weight": "--max-weight",
    **trading.NAMES,
    **history.NAMES,
    "kind": "--kind",
    "covariance=PATH": "--covariance FILE2",
}


class Rules:
    """What the options say of a portfolio: checked at once, read from its files when asked."""

    def __init__(
        self,
        file: Path,
        covariance: Path | None,
        kind: Kind | None,
        assets: str | None,
        min_weight: str,
        max_weight: str,
        group: list[str] | None,
        groups: Path | None,
        min_group_assets: int | None,
        max_group_assets: int | None,
        max_group_weight: str | None,
        history: Mapping[str, Any],
    ) -> None:
        self.history = history
        self.file, self.covariance, self.kind = file, covariance, kind
        self.group, self.groups = group or [], groups
        self.counts = asset_counts(assets)
        self.least, self.greatest = fraction("--min-weight", min_weight), fraction("--max-weight", max_weight)
        if self.least > 1:
            raise ArgumentError(f"--min-weight is {min_weight}, more than the whole portfolio; {_share(min_weight)}")
        self.shared = _shared_limits(groups, min_group_assets, max_group_assets, max_group_weight)

    def read(
        self,
        target: float | None,
        at_least: bool,
        more: Mapping[str, Any] | None = None,
        sells: bool = False,
    ) -> tuple[Portfolio, list[str]]:
        """The portfolio (with more of its arguments), and warnings about its data, which are told.

        Excluded assets are left out of the data, unless they are held or followed, or `sells` says that they may be.
        """
        from hybridmip.applications.portfolio import Portfolio
        from hybridmip.io.tables import read_portfolio_data

        kind, given = None if self.kind is None else str(self.kind), more or {}
        needed = {*(given.get("current") or ()), *(given.get("benchmark") or ())}
        out = [] if sells else [asset for asset in given.get("exclude", ()) if asset not in needed]
        try:
            data = read_portfolio_data(
                self.file, covariance=self.covariance, kind=kind, exclude=out, **self.history
            )  # fmt: skip
            groups, warnings = _groups(self.group, self.groups, self.shared, data, self.file)
            asked = Portfolio(
                data.returns,
                data.covariance,
                names=data.names,
                assets=self.counts,
                min_weight=self.least,
                max_weight=self.greatest,
                target_return=target,
                return_sense="at_least" if at_least else "equal",
                groups=groups or None,
                **_of_what_is_left(given, data, self.history.get("min_history")),
            )
        except HybridMIPError as error:
            raise error.spelled(OPTIONS) from None
        warnings = [*_spelled(data.warnings, asked.exclude), *warnings]
        for warning in warnings:
            tell(f"warning: {warning}")
        return asked, warnings


def _spelled(warnings: Sequence[str], excluded: Sequence[str]) -> list[str]:
    """Warnings that name options, without those of assets that are excluded."""
    messages = [warning if isinstance(warning, Message) else Message(warning) for warning in warnings]
    return [str(message.spelled(OPTIONS)) for message in messages if not message.is_void_without(excluded)]


def _of_what_is_left(more: Mapping[str, Any], data: PortfolioData, least: int | None) -> dict[str, Any]:
    """Arguments of `Portfolio` without assets that are left out anyway; one that is held cannot be."""
    found, out = dict(more), set(data.left_out)
    fill = Argument("missing='fill'")
    remedy = (fill,) if least is None else (f"less than {least} for ", Argument("min_history"), " and ", fill)
    for name in ("current", "benchmark"):
        for asset in found.get(name) or ():
            if asset in out:
                raise ArgumentError(
                    Argument(name), f" names {asset!r}, which was left out for its gaps or its short history; keep it "
                    "with ", *remedy, ", or take it out of that file",
                )  # fmt: skip
    if "exclude" in found:
        found["exclude"] = [asset for asset in found["exclude"] if asset not in out]
    return found


def _share(text: str) -> str:
    """How a weight above 1 was likely meant."""
    text = text.strip()
    return "give at most 100%" if text.endswith("%") or float(text) > 100 else f"for that many percent write {text}%"


def asset_counts(text: str | None) -> int | tuple[int | None, int | None] | None:
    """10 -> 10; 5:10 -> (5, 10); :10 -> (None, 10); 5: -> (5, None)."""
    if text is None:
        return None
    try:
        if ":" not in text:
            return int(text)
        low, high = text.split(":")
        return (int(low) if low.strip() else None, int(high) if high.strip() else None)
    except ValueError:
        raise ArgumentError(f"--assets is {text!r}; give a number such as 10, or a range such as 5:10") from None


def _shared_limits(
    file: Path | None, min_assets: int | None, max_assets: int | None, max_weight: str | None
) -> dict[str, Any]:
    """Limits of every group of --groups, as arguments of Group."""
    if file is not None:
        read_text(file)  # a missing file is the first thing to tell
    given = {
        "--min-group-assets": min_assets,
        "--max-group-assets": max_assets,
        "--max-group-weight": max_weight,
    }
    given = {option: value for option, value in given.items() if value is not None}
    if file is None and given:
        raise ArgumentError(f"{next(iter(given))} needs --groups FILE.csv, which says the group of each asset")
    if file is not None and not given:
        raise ArgumentError(
            "--groups sets no limit by itself; add --max-group-weight, --max-group-assets or --min-group-assets"
        )
    return {
        "min_assets": min_assets or 0,
        "max_assets": max_assets,
        "max_weight": None if max_weight is None else fraction("--max-group-weight", max_weight),
    }


def _groups(
    texts: Sequence[str], file: Path | None, shared: Mapping[str, Any], data: PortfolioData, source: Path
) -> tuple[dict[str, Group], list[str]]:
    """Groups of --group and --groups together, and a warning of assets that are none.

    A file of groups may name more assets than there are prices of; who writes --group means the assets named there.
    """
    if not texts and file is None:
        return {}, []
    from hybridmip.applications.portfolio import Group
    from hybridmip.io.csv_table import count_of, list_of
    from hybridmip.io.tables import read_groups

    known, out = set(data.names), set(data.left_out)
    limits: dict[str, Group] = {}
    for text in texts:
        name, members, options = parse_group(text)
        if name in limits:
            raise ArgumentError(f"--group {name!r} is given twice; names of groups must be unique")
        limits[name] = Group([member for member in members if member not in out], **options)
    if file is None:
        return limits, []
    unknown: list[str] = []
    found = 0
    for name, members in read_groups(file, data.names).items():
        if name in limits:
            raise ArgumentError(f"group {name!r} is in --group and in {file}; names of groups must be unique")
        unknown += [member for member in members if member not in known]
        there = [member for member in members if member in known]
        found += len(there)
        if there:
            limits[name] = Group(there, **shared)
    if not found:
        raise FileError(
            f"{file} names none of the assets of {source} but {list_of(map(repr, unknown))}; names must agree"
        )
    if not unknown:
        return limits, []
    listed = list_of(repr(name) for name in unknown)
    return limits, [
        f"{file}: {count_of(len(unknown), 'asset')} that {source} has not, left out of the groups: {listed}"
    ]


def parse_group(text: str) -> tuple[str, list[str], dict[str, Any]]:
    """NAME=A,B:min_assets=1,max_weight=0.3 -> name, members, limits."""
    rule = 'write it like "Banks=AAA,BBB:min_assets=1,max_weight=0.3"'
    head, _, tail = text.rpartition(":")
    name, _, members = head.partition("=")
    names = [member.strip() for member in members.split(",") if member.strip()]
    if not name.strip() or not names or not tail.strip():
        raise ArgumentError(f"--group is {text!r}; {rule}")
    known = ("min_assets", "max_assets", "min_weight", "max_weight")
    limits: dict[str, Any] = {}
    for item in tail.split(","):
        key, _, value = (part.strip() for part in item.partition("="))
        if key not in known:
            raise ArgumentError(f"--group {name.strip()!r} has the limit {key!r}; known are {', '.join(known)}")
        if key.endswith("weight"):
            limits[key] = fraction(f"--group {name.strip()!r}: {key}", value)
            continue
        try:
            limits[key] = int(value)
        except ValueError:
            raise ArgumentError(f"--group {name.strip()!r}: {key} is {value!r}; give a whole number") from None
    return name.strip(), names, limits
