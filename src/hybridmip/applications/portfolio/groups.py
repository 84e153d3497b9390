"""Groups of assets, with limits on their count and their weight."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from hybridmip.applications.arguments import hint, number, whole
from hybridmip.applications.portfolio.labels import unique
from hybridmip.errors import ArgumentError, HybridMIPError


@dataclass(frozen=True)
class Group:
    """Limits on some of the assets: a sector, a country, a currency.

    Parameters
    ----------
    members : iterable of str or int
        Names of assets, or positions counted from 0.
    min_assets, max_assets : int, int or None
        How many members are held; None for no upper limit.
    min_weight, max_weight : float or None
        Limits of the members' total weight; None for no limit.

    Examples
    --------
    >>> import hybridmip as hm
    >>> market = hm.market(assets=12, sectors=["Banks", "Energy"], seed=1)
    >>> banks = hm.Group(market.groups()["Banks"], max_assets=1, max_weight=0.25)
    >>> answer = market.portfolio(assets=4, groups={"Banks": banks}).solve()
    >>> sum(name in banks.members for name in answer.weights.index)
    1
    """

    members: Sequence[str | int]
    min_assets: int = 0
    max_assets: int | None = None
    min_weight: float | None = None
    max_weight: float | None = None

    def __post_init__(self) -> None:
        if isinstance(self.members, str) or not isinstance(self.members, Iterable):
            raise ArgumentError(f"members is {self.members!r}; give a list of names or positions")
        object.__setattr__(self, "members", tuple(self.members))


def checked_groups(groups: Any, names: tuple[str, ...], most: int) -> dict[str, Group]:
    """The groups, every limit and member checked."""
    if groups is None:
        return {}
    if not isinstance(groups, Mapping):
        raise ArgumentError("groups must be a mapping of a name to a Group")
    allowed = [item.name for item in fields(Group)]
    checked: dict[str, Group] = {}
    for name, value in groups.items():
        label = f"group {str(name)!r}"
        if isinstance(value, Mapping):
            for key in value:
                if key not in allowed:
                    raise ArgumentError(f"{label} has the key {key!r}; known are {', '.join(allowed)}")
            if "members" not in value:
                raise ArgumentError(f"{label} has no members; give a list of names or positions")
            try:
                value = Group(**value)
            except HybridMIPError as error:
                raise ArgumentError(f"{label}: {error}") from None
        if not isinstance(value, Group):
            raise ArgumentError(f"{label} is a {type(value).__name__}; give a Group or a dict of its fields")
        checked[str(name)] = _group(label, value, names, most)
    return checked


def _group(label: str, group: Group, names: tuple[str, ...], most: int) -> Group:
    known = set(names)
    members: list[str] = []
    for member in group.members:
        if isinstance(member, str):
            if member not in known:
                raise ArgumentError(f"{label} has the member {member!r}, which is no asset; {hint(member, names)}")
            members.append(member)
        elif isinstance(member, int | np.integer) and not isinstance(member, bool):
            if not 0 <= member < len(names):
                raise ArgumentError(
                    f"{label} has the member {member}, which is no position from 0 to {len(names) - 1}; "
                    "give positions as numbers and names as text"
                )
            members.append(names[member])
        else:
            raise ArgumentError(f"{label} has the member {member!r}; give names or positions")
    if not members:
        raise ArgumentError(f"{label} has no members; name at least one asset")
    unique(f"{label}, members,", tuple(members))
    fewest = whole(f"{label}, min_assets,", group.min_assets, 0)
    upper = None if group.max_assets is None else whole(f"{label}, max_assets,", group.max_assets, 0)
    if fewest > len(members):
        raise ArgumentError(f"{label}, min_assets, is {fewest} but it has {len(members)} members; lower it")
    if upper is not None and fewest > upper:
        raise ArgumentError(f"{label}, min_assets, is {fewest}, above its max_assets {upper}; lower it")
    if fewest > most:
        raise ArgumentError(f"{label}, min_assets, is {fewest} but at most {most} assets are held; lower it")
    low = None if group.min_weight is None else number(f"{label}, min_weight,", group.min_weight)
    high = None if group.max_weight is None else number(f"{label}, max_weight,", group.max_weight)
    if low is not None and high is not None and low > high:
        raise ArgumentError(f"{label}, min_weight, is {low:g}, above its max_weight {high:g}; lower it")
    return Group(members, fewest, upper, low, high)
