"""Mean and covariance of returns, and what to doubt about them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hybridmip.errors import Argument, ArgumentError, Message, MissingDependencyError
from hybridmip.files import PathLike
from hybridmip.io.csv_table import count_of, list_of
from hybridmip.io.orlib import shorten
from hybridmip.model.quadratic import Matrix

#: Estimators that shrink the sample covariance, all of scikit-learn.
SHRINKAGES = ("ledoit-wolf", "oas")
NO_SHRINKAGE = "none"
#: Arguments that messages name.
SHRINK, EXCLUDE = Argument("shrink"), Argument("exclude")
LEDOIT_WOLF = Argument(f"{SHRINK}='ledoit-wolf'")
#: Deviations of a return that are rounding.
ROUNDING = 1e-12
#: Two assets are one from this correlation on (two listings of a company have about 0.998), over so many returns.
SAME, LONG = 0.995, 30
#: An asset is stale if it does not change at one end for so many returns, and for this share of all.
STALE, STALE_SHARE = 10, 0.1
#: More dates than this share on which nothing changes are days without trading.
QUIET_SHARE = 0.05


def check_shrink(shrink: str | None) -> str | None:
    """The estimator; None for the sample covariance.

    Raises
    ------
    ArgumentError
        If there is no such estimator.
    MissingDependencyError
        If scikit-learn is not there.
    """
    if shrink is None or shrink == NO_SHRINKAGE:
        return None
    if shrink not in SHRINKAGES:
        raise ArgumentError(SHRINK, f" is {shrink!r}; choose from {', '.join((*SHRINKAGES, NO_SHRINKAGE))}")
    _estimators()
    return shrink


def _estimators() -> dict[str, object]:
    try:
        from sklearn.covariance import ledoit_wolf, oas  # a second and more, for who shrinks
    except ImportError:
        raise MissingDependencyError(SHRINK, " needs scikit-learn: pip install 'hybridmip[sklearn]'") from None
    return {"ledoit-wolf": ledoit_wolf, "oas": oas}


def covariance_of(returns: Matrix, shrink: str | None) -> Matrix:
    """The sample covariance (divided by the number of returns less 1), or what scikit-learn makes of it."""
    n = returns.shape[1]
    if shrink is None:
        return np.cov(returns, rowvar=False, ddof=1).reshape(n, n)
    estimate = _estimators()[shrink]
    assert callable(estimate)
    return np.asarray(estimate(returns)[0], dtype=np.float64).reshape(n, n)


def doubts(
    names: tuple[str, ...],
    labels: tuple[str, ...],
    returns: Matrix,
    shrink: str | None,
    source: PathLike,
    told: frozenset[str],
) -> list[Message]:
    """What a covariance of these returns would hide: flat, stale and double columns, quiet dates, too few dates.

    `labels` are those of the dates, `told` assets that were told to be flat at their end.
    """  # fmt: skip
    flat = np.ptp(returns, axis=0) <= ROUNDING * (1.0 + np.abs(returns).max(axis=0))
    return [
        *_flat(names, flat, source),
        *_stale(names, returns, flat, source, told),
        *_double(names, returns, flat, source),
        *_quiet(labels, returns, source),
        *_few(returns, shrink, source),
    ]


def _flat(names: tuple[str, ...], flat: NDArray[np.bool_], source: PathLike) -> list[Message]:
    found = [names[j] for j in np.flatnonzero(flat)]
    if not found:
        return []
    verb = "is" if len(found) == 1 else "are"
    return [
        Message(
            f"{source}: {list_of(map(shorten, found))} {verb} flat over all dates, so without risk: cash, or filled "
            "after a delisting; if not cash, leave out with ",
            EXCLUDE,
            about=([name] for name in found),
        )
    ]


def _stale(
    names: tuple[str, ...], returns: Matrix, flat: NDArray[np.bool_], source: PathLike, told: frozenset[str]
) -> list[Message]:
    """Assets that were filled, in the file, after their end or before their beginning."""
    moved = returns != 0.0
    least = max(STALE, STALE_SHARE * len(returns))
    found: dict[str, str] = {}
    for j in np.flatnonzero(~flat & moved.any(axis=0)):
        start, end = int(moved[:, j].argmax()), int(moved[::-1, j].argmax())
        if end >= least and names[j] not in told:
            found[names[j]] = f"{shorten(names[j])} (its last {end} returns)"
        elif start >= least:
            found[names[j]] = f"{shorten(names[j])} (its first {start} returns)"
    if not found:
        return []
    return [
        Message(
            f"{source}: no change at one end, as if filled there, which shows risk as too low: "
            f"{list_of(found.values())}; leave out with ",
            EXCLUDE,
            about=([name] for name in found),
        )
    ]


def _double(names: tuple[str, ...], returns: Matrix, flat: NDArray[np.bool_], source: PathLike) -> list[Message]:
    """Pairs of columns that are one asset."""
    moving = np.flatnonzero(~flat)
    apart = returns[:, moving] - returns[:, moving].mean(axis=0)
    sizes = np.sqrt((apart**2).sum(axis=0))
    standard = apart / sizes
    correlation = np.triu(standard.T @ standard, 1)
    same = correlation >= SAME if len(returns) >= LONG else correlation >= 1.0 - 1e-9
    found: dict[tuple[str, str], str] = {}
    for j in np.flatnonzero(same.any(axis=0)):
        i = int(same[:, j].argmax())
        equal = np.abs(returns[:, moving[i]] - returns[:, moving[j]]).max() <= ROUNDING * 1e3
        if len(returns) < LONG and not equal:
            continue  # a few returns can be proportional by chance
        how = "the same returns" if equal else f"correlation {correlation[i, j]:.4f}"
        one, other = names[moving[i]], names[moving[j]]
        found[one, other] = f"{shorten(other)} as {shorten(one)} ({how})"
    if not found:
        return []
    return [
        Message(
            f"{source}: the same asset twice: {list_of(found.values())}; keep one of each, leave the other out with ",
            EXCLUDE,
            about=found,
        )
    ]


def _quiet(labels: tuple[str, ...], returns: Matrix, source: PathLike) -> list[Message]:
    """Dates on which nothing changes: weekends and holidays that were filled."""
    quiet = np.flatnonzero((returns == 0.0).all(axis=1))
    periods, n = returns.shape
    if n < 2 or len(quiet) <= QUIET_SHARE * periods or len(quiet) == periods:
        return []
    shown = list_of((labels[i] for i in quiet), 2)
    return [
        Message(
            f"{source}: nothing changes on {len(quiet)} of {count_of(periods, 'date')} ({shown}), as on weekends that "
            "were filled; remove these rows, since they show risk per period as too low"
        )
    ]


def _few(returns: Matrix, shrink: str | None, source: PathLike) -> list[Message]:
    """Too few rows for a covariance of full rank."""
    periods, n = returns.shape
    if periods > n or shrink is not None:
        return []
    return [
        Message(
            f"{source} has {count_of(periods, 'return')} of {count_of(n, 'asset')}; the sample covariance is then "
            "singular and shows risk as too low; use ",
            LEDOIT_WOLF,
            ", more dates than assets, or a covariance of your own",
        )
    ]
