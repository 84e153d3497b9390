"""Portfolio selection: which assets to hold and how much of each, at the least variance.

minimise    x'Vx
subject to  sum x = budget,   returns'x = target_return   (or >=)
            assets held within a count;  counts and weights of groups within limits
            a held asset's weight within [min_weight, max_weight], any other's 0
"""

from __future__ import annotations

import copy
import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.errors import ArgumentError, HybridMIPError, ProblemError
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import QuadraticForm, Vector, frozen, quadratic_form

if TYPE_CHECKING:
    import pandas as pd

    from hybridmip.run.result import Result

AssetCount: TypeAlias = int | tuple[int | None, int | None]
#: Columns and coefficients of a row.
Row: TypeAlias = tuple[NDArray[np.intp], Vector]

#: Sums of limits may pass the budget by this share of it: 10 * 0.1 is not exactly 1 in floating point.
BUDGET_TOLERANCE = 1e-9
RETURN_SENSES = ("equal", "at_least")
#: A weight below this share of the budget is rounding: such an asset is not shown as held.
NEGLIGIBLE_WEIGHT = 1e-9
#: Below this share of what it would be without diversification, a variance is rounding and has no shares.
NEGLIGIBLE_VARIANCE = 1e-12
#: Weights that the text of a `PortfolioResult` lists.
WEIGHTS_SHOWN = 10


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


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Portfolio:
    """A portfolio with few assets, each either left out or held within limits.

    Parameters
    ----------
    returns : array_like (n,) or pandas Series
        Expected return of each asset per period. The index of a Series names the assets.
    covariance : array_like (n, n) or (n,), DataFrame, scipy sparse matrix or FactorModel
        Covariance of the returns; a vector stands for a diagonal. A DataFrame is matched to the
        returns by name.
    names : sequence of str, optional
        Names of the assets in order; those of `returns` or `covariance`, else asset1, asset2, ...
    assets : int or (int or None, int or None), optional
        How many to hold: exactly so many, or between two numbers; None for any number.
    min_weight, max_weight : float, array_like (n,), Series or dict
        Limits of the weight of a held asset; an asset not held has weight 0. A negative min_weight
        allows short positions. A dict gives some assets limits of their own; the others keep 0 and 1.
    target_return : float, optional
        Return of the portfolio, in the units of `returns` (times the budget).
    return_sense : {"equal", "at_least"}
        Whether the return is exactly the target, or that or more.
    budget : float
        What the weights add up to.
    groups : mapping of str to Group or dict, optional
        Limits on the counts and the weights of groups of assets, which may overlap.

    Raises
    ------
    ArgumentError
        If an option is out of its range, or two of them contradict each other.
    ProblemError
        If the data are not finite, their shapes disagree, or the covariance is not symmetric
        positive semidefinite.
    """

    returns: Vector
    covariance: QuadraticForm
    names: tuple[str, ...]
    assets: AssetCount | None
    min_weight: Vector
    max_weight: Vector
    target_return: float | None
    return_sense: str
    budget: float
    groups: Mapping[str, Group]

    def __init__(
        self,
        returns: Any,
        covariance: Any,
        *,
        names: Sequence[str] | None = None,
        assets: AssetCount | None = None,
        min_weight: Any = 0.0,
        max_weight: Any = 1.0,
        target_return: float | None = None,
        return_sense: str = "equal",
        budget: float = 1.0,
        groups: Mapping[str, Group | Mapping[str, Any]] | None = None,
    ) -> None:
        known, mean = _returns(returns, names, covariance)
        n = len(mean)
        if return_sense not in RETURN_SENSES:
            raise ArgumentError(f"return_sense is {return_sense!r}; it must be 'equal' or 'at_least'")
        values: dict[str, Any] = {
            "returns": mean,
            "covariance": _covariance(covariance, known, n),
            "names": known,
            "assets": _asset_count(assets, n),
            "min_weight": _weights("min_weight", min_weight, known, 0.0),
            "max_weight": _weights("max_weight", max_weight, known, 1.0),
            "target_return": None if target_return is None else _number("target_return", target_return),
            "return_sense": return_sense,
            "budget": _number("budget", budget),
            "groups": {},
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        self._check_weights()
        object.__setattr__(self, "groups", _groups(groups, known, self.count_range[1]))

    def __repr__(self) -> str:
        target = "" if self.target_return is None else f", target_return={self.target_return:g}"
        return f"<Portfolio of {self.n} candidates, assets={self.assets}{target}>"

    @property
    def n(self) -> int:
        """Number of assets to choose from."""
        return len(self.names)

    @property
    def count_range(self) -> tuple[int, int]:
        """Fewest and most assets that may be held."""
        if self.assets is None:
            return 0, self.n
        if isinstance(self.assets, int):
            return self.assets, self.assets
        low, high = self.assets
        return 0 if low is None else low, self.n if high is None else high

    @cached_property
    def members(self) -> dict[str, NDArray[np.intp]]:
        """Positions of each group's members."""
        place = {name: i for i, name in enumerate(self.names)}
        return {
            name: np.array([place[str(member)] for member in group.members], dtype=np.intp)
            for name, group in self.groups.items()
        }

    def problem(self) -> Problem:
        """The mixed-integer program; its objective is the variance of the portfolio.

        Rows are named "budget", "return" and "weight of <group>", binary rows "assets" and
        "count of <group>"; x and b carry the names of the assets.
        """
        n = self.n
        everything = np.arange(n)
        rows: list[Row] = [(everything, np.ones(n))]
        lower, upper, row_names = [self.budget], [self.budget], ["budget"]
        if self.target_return is not None:
            rows.append((everything, self.returns))
            lower.append(self.target_return)
            upper.append(self.target_return if self.return_sense == "equal" else np.inf)
            row_names.append("return")
        b_rows: list[Row] = []
        b_lower, b_upper, b_row_names = [], [], []
        if self.assets is not None:
            fewest, most = self.count_range
            b_rows.append((everything, np.ones(n)))
            b_lower.append(fewest)
            b_upper.append(most)
            b_row_names.append("assets")
        for name, group in self.groups.items():
            members = self.members[name]
            row = (members, np.ones(len(members)))
            if group.min_weight is not None or group.max_weight is not None:
                rows.append(row)
                lower.append(-np.inf if group.min_weight is None else group.min_weight)
                upper.append(np.inf if group.max_weight is None else group.max_weight)
                row_names.append(f"weight of {name}")
            if group.min_assets > 0 or group.max_assets is not None:
                b_rows.append(row)
                b_lower.append(group.min_assets)
                b_upper.append(len(members) if group.max_assets is None else group.max_assets)
                b_row_names.append(f"count of {name}")
        return Problem(
            Q=self.covariance,
            A=_matrix(rows, n),
            row_lower=lower,
            row_upper=upper,
            B=_matrix(b_rows, n) if b_rows else None,
            b_lower=b_lower if b_rows else None,
            b_upper=b_upper if b_rows else None,
            x_lower=self.min_weight,
            x_upper=self.max_weight,
            switch=everything,
            binaries=n,
            x_names=self.names,
            b_names=self.names,
            row_names=row_names,
            b_row_names=b_row_names if b_rows else None,
        )

    def with_target(self, target_return: float | None) -> Portfolio:
        """The same portfolio with another target return; None for no target."""
        value = None if target_return is None else _number("target_return", target_return)
        other = copy.copy(self)
        object.__setattr__(other, "target_return", value)
        return other

    def replace(self, **changes: Any) -> Portfolio:
        """The same portfolio with some arguments changed, checked anew."""
        arguments = {
            "names": self.names, "assets": self.assets, "min_weight": self.min_weight, "max_weight": self.max_weight,
            "target_return": self.target_return, "return_sense": self.return_sense, "budget": self.budget,
            "groups": self.groups or None,
        }  # fmt: skip
        unknown = set(changes) - set(arguments) - {"returns", "covariance"}
        if unknown:
            raise ArgumentError(f"a portfolio has no {sorted(unknown)[0]!r}; choose from {', '.join(arguments)}")
        returns = changes.pop("returns", self.returns)
        return Portfolio(returns, changes.pop("covariance", self.covariance), **{**arguments, **changes})

    def portfolio_return(self, x: Any) -> float:
        """Expected return of the weights x."""
        return float(self.returns @ self._point(x))

    def variance(self, x: Any) -> float:
        """Variance of the weights x."""
        return self.covariance.value(self._point(x))

    def read(self, result: Result) -> PortfolioResult:
        """The answer of a solve of `problem()`, labelled.

        Raises
        ------
        ArgumentError
            If the result has no solution, or belongs to other assets.
        """
        if result.x is None or result.b is None:
            raise ArgumentError(f"result has no solution (status {result.status}); ask has_solution first")
        if tuple(result.problem.x_names) != self.names:
            raise ArgumentError("result is of other assets; read it with the portfolio that built the problem")
        return PortfolioResult(self, frozen(result.x), tuple(bool(b) for b in result.b))

    def efficient_range(self) -> tuple[float, float]:
        """Returns between which an unrestricted frontier is efficient, lowest and highest.

        The lower end is the return of the least variance, the upper end the highest return, over
        sum x = budget and min(min_weight, 0) <= x <= max(max_weight, 0): no count, no minimum for a
        held asset, no group. Targets beyond the upper end have no portfolio, those below the lower
        end no reason.
        """
        lower = np.minimum(self.min_weight, 0.0)
        upper = np.maximum(self.max_weight, 0.0)
        # With one equation and bounds the LP is a continuous knapsack: fill up in order of return.
        order = np.argsort(-self.returns, kind="stable")
        room = (upper - lower)[order]
        left = self.budget - lower.sum()
        taken = np.clip(left - (np.cumsum(room) - room), 0.0, room)
        highest = float(self.returns @ lower + self.returns[order] @ taken)
        lowest = float(self.returns @ _least_variance(self.covariance, self.budget, lower, upper))
        return min(lowest, highest), highest

    def attainable_range(self, *, time_limit: float | None = None, seed: int = 0) -> tuple[float, float]:
        """Lowest and highest return of the portfolios that satisfy every rule but the target.

        Each end is the return of a portfolio that was found, so that it can be had; within the gap of
        `solve` there is none beyond it, unless the time limit ended the search.

        Parameters
        ----------
        time_limit : float, optional
            Seconds for both ends together.
        seed : int
            As for `solve`.

        Raises
        ------
        ProblemError
            If no portfolio was found.
        """
        from hybridmip.run.solve import solve

        rules = self.with_target(None).problem()
        ends = []
        for sign in (1.0, -1.0):
            problem = Problem(
                q=sign * self.returns,
                A=rules.A,
                row_lower=rules.row_lower,
                row_upper=rules.row_upper,
                B=rules.B,
                b_lower=rules.b_lower,
                b_upper=rules.b_upper,
                x_lower=rules.x_lower,
                x_upper=rules.x_upper,
                switch=rules.switch,
                binaries=self.n,
            )
            result = solve(problem, time_limit=None if time_limit is None else time_limit / 2, seed=seed)
            if result.x is None:
                raise ProblemError(f"no portfolio was found, whatever its return (status {result.status})")
            ends.append(self.portfolio_return(result.x))
        return min(ends), max(ends)

    def _point(self, x: Any) -> Vector:
        point = np.asarray(x, dtype=np.float64)
        if point.shape != (self.n,):
            raise ArgumentError(f"x has shape {point.shape}; it must be ({self.n},), one weight per asset")
        return point

    def _check_weights(self) -> None:
        """The limits of the weights, the count and the budget do not contradict each other."""
        above = np.flatnonzero(self.min_weight > self.max_weight)
        if above.size:
            i = int(above[0])
            raise ArgumentError(
                f"min_weight of {self.names[i]} is {self.min_weight[i]:g}, above its max_weight "
                f"{self.max_weight[i]:g}; lower must not exceed upper"
            )
        fewest, most = self.count_range
        slack = BUDGET_TOLERANCE * max(1.0, abs(self.budget))
        least = np.concatenate([[0.0], np.cumsum(np.sort(self.min_weight))])[fewest : most + 1]
        greatest = np.concatenate([[0.0], np.cumsum(np.sort(self.max_weight)[::-1])])[fewest : most + 1]
        if least.min() > self.budget + slack:
            sums = self._spell("min_weight", "smallest", self.min_weight, fewest + int(least.argmin()), least.min())
            raise ArgumentError(f"{sums} exceeds the budget {self.budget:g}; lower one of them")
        if greatest.max() < self.budget - slack:
            count = fewest + int(greatest.argmax())
            sums = self._spell("max_weight", "largest", self.max_weight, count, greatest.max())
            raise ArgumentError(f"{sums} is below the budget {self.budget:g}; raise one of them")

    def _spell(self, argument: str, which: str, limits: Vector, count: int, total: float) -> str:
        """How a sum of limits comes about, for a message."""
        if count and np.all(limits == limits[0]):
            return f"assets * {argument} = {count} * {limits[0]:g} = {total:g}"
        return f"the sum of the {count} {which} {argument}, {total:g},"


@dataclass(frozen=True, eq=False, repr=False)
class PortfolioResult:
    """Weights with the assets' names, and what they are worth.

    Attributes
    ----------
    portfolio : Portfolio
        What was asked.
    x : ndarray
        Weight of every asset, in the portfolio's order.
    b : tuple of bool
        Whether each asset is selected; one that is may have weight 0.
    """

    portfolio: Portfolio
    x: Vector
    b: tuple[bool, ...]

    def __repr__(self) -> str:
        held = self._held()
        shown = [f"{self.portfolio.names[i]} {100 * self.x[i]:.4g} %" for i in held[:3]]
        if len(held) > len(shown):
            shown.append(f"{len(held) - len(shown)} more")
        return (
            f"<PortfolioResult: {len(held)} of {self.portfolio.n} assets, "
            f"expected return {100 * self.expected_return:.4g} %, risk {100 * self.risk:.4g} %: {', '.join(shown)}>"
        )

    def __str__(self) -> str:
        held = self._held()
        names = [self.portfolio.names[i] for i in held[:WEIGHTS_SHOWN]]
        width = max((len(name) for name in names), default=0)
        lines = [
            f"{len(held)} of {self.portfolio.n} assets, expected return {100 * self.expected_return:.4g} %, "
            f"risk {100 * self.risk:.4g} % per period",
            *(f"  {name:{width}}  {100 * self.x[i]:7.2f} %" for name, i in zip(names, held, strict=False)),
        ]
        if len(held) > len(names):
            rest = held[len(names) :]
            lines.append(f"  {len(rest)} more, {100 * self.x[rest].sum():.2f} % together")
        if self.idle:
            lines.append(f"  {len(self.idle)} more selected at weight 0")
        return "\n".join(lines)

    @property
    def expected_return(self) -> float:
        """Return of the portfolio per period."""
        return self.portfolio.portfolio_return(self.x)

    @property
    def variance(self) -> float:
        """Variance of the portfolio per period."""
        return self.portfolio.variance(self.x)

    @property
    def risk(self) -> float:
        """Standard deviation of the portfolio per period."""
        return float(np.sqrt(max(self.variance, 0.0)))

    @property
    def weights(self) -> pd.Series[float]:
        """Weights of the assets held, by name, largest first; what is only rounding is left out."""
        import pandas as pd

        held = self._held()
        labels = [self.portfolio.names[i] for i in held]
        return pd.Series(self.x[held], index=pd.Index(labels, name="asset", dtype=object), name="weight")

    @property
    def idle(self) -> tuple[str, ...]:
        """Names of the assets that are selected, hence counted, but have weight 0."""
        negligible = self._negligible()
        return tuple(
            name for name, b, x in zip(self.portfolio.names, self.b, self.x, strict=True) if b and abs(x) <= negligible
        )

    def table(self) -> pd.DataFrame:
        """One row per asset held, largest weight first.

        Columns: `weight`, `expected return` of the asset, `risk contribution` (its share of the
        portfolio's variance; the shares add up to 1; NaN if the variance is 0 but for rounding) and, if
        there are groups, `group`.
        """
        held = self._held()
        covariance, variance = self.portfolio.covariance, self.variance
        undiversified = float(np.abs(self.x) @ np.sqrt(np.maximum(covariance.diagonal(), 0.0))) ** 2
        if variance > NEGLIGIBLE_VARIANCE * undiversified:
            shares = self.x * covariance.matvec(self.x) / variance
        else:
            shares = np.full(self.portfolio.n, np.nan)
        table = self.weights.to_frame()
        table["expected return"] = self.portfolio.returns[held]
        table["risk contribution"] = shares[held]
        if self.portfolio.groups:
            belongs: list[list[str]] = [[] for _ in self.portfolio.names]
            for name, members in self.portfolio.members.items():
                for i in members:
                    belongs[i].append(name)
            table["group"] = [", ".join(belongs[i]) for i in held]
        return table

    def _held(self) -> NDArray[np.intp]:
        order = np.argsort(-self.x, kind="stable")
        held: NDArray[np.intp] = order[np.abs(self.x[order]) > self._negligible()]
        return held

    def _negligible(self) -> float:
        """Up to this size a weight counts as 0."""
        return NEGLIGIBLE_WEIGHT * max(abs(self.portfolio.budget), float(np.abs(self.x).max(initial=0.0)))


def _is_series(values: Any) -> bool:
    """Whether values is a pandas Series, told without importing pandas."""
    return hasattr(values, "to_numpy") and hasattr(values, "index") and getattr(values, "ndim", 0) == 1


def _is_frame(values: Any) -> bool:
    return hasattr(values, "to_numpy") and hasattr(values, "columns") and hasattr(values, "index")


def _labels(index: Any) -> tuple[str, ...] | None:
    """Names in a pandas index; None for the plain 0, 1, 2, ... that pandas makes up."""
    if type(index).__name__ == "RangeIndex":
        return None
    return tuple(str(label) for label in index)


def _unique(argument: str, names: tuple[str, ...]) -> tuple[str, ...]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ArgumentError(f"{argument} has {name!r} twice; names must be unique")
        seen.add(name)
    return names


def _numbers(argument: str, values: Any) -> Vector:
    _refuse_complex(argument, values)
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ProblemError(f"{argument} is not numeric ({error}); give numbers") from None


def _refuse_complex(argument: str, values: Any) -> None:
    """Converting to float would drop imaginary parts without a word."""
    try:
        found = np.iscomplexobj(values)
    except ValueError:  # ragged: refused where it is converted
        return
    if found:
        raise ProblemError(f"{argument} is complex; give real numbers (.real, if the imaginary parts are rounding)")


def _hint(name: str, names: Iterable[str]) -> str:
    """What to do about a name that is no asset: the closest one that is, or look again."""
    close = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {close[0]!r}?" if close else "check the spelling"


def _finite(argument: str, values: Vector, names: tuple[str, ...]) -> Vector:
    """values, read-only; an error names the first entry that is not finite, and its asset."""
    for i in np.flatnonzero(~np.isfinite(values)):
        shown = "NaN" if np.isnan(values[i]) else "infinite"
        raise ProblemError(f"{argument}[{i}] ({names[i]}) is {shown}; every entry must be finite")
    return frozen(values)


def _number(argument: str, value: Any) -> float:
    """A finite number that is not a bool."""
    if isinstance(value, bool | str):
        raise ArgumentError(f"{argument} is {value!r}; it must be a number")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ArgumentError(f"{argument} is {value!r}; it must be a number") from None
    if not np.isfinite(number):
        raise ArgumentError(f"{argument} is {number}; it must be finite")
    return number


def _whole(argument: str, value: Any, at_least: int) -> int:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise ArgumentError(f"{argument} is {value!r}; it must be a whole number")
    if value < at_least:
        raise ArgumentError(f"{argument} is {value}; it must be at least {at_least}")
    return int(value)


def _returns(returns: Any, names: Sequence[str] | None, covariance: Any) -> tuple[tuple[str, ...], Vector]:
    """(names, expected returns in that order)."""
    if isinstance(names, str):
        raise ArgumentError(f"names is {names!r}; give a list of names")
    given = None if names is None else _unique("names", tuple(str(name) for name in names))
    own = _labels(returns.index) if _is_series(returns) else None
    if isinstance(returns, Mapping):
        own, returns = tuple(str(name) for name in returns), list(returns.values())
    if own is not None:
        _unique("returns", own)
    mean = _numbers("returns", returns)
    if mean.ndim != 1 or mean.size == 0:
        raise ProblemError(f"returns has shape {mean.shape}; it must be a vector with one entry per asset")
    n = mean.size
    if given is not None and len(given) != n:
        raise ProblemError(f"names has {len(given)} entries but returns has {n}; sizes must agree")
    if given is not None and own is not None:
        mean = mean[_places("returns", own, "names", given)]
    labels = _labels(covariance.columns) if _is_frame(covariance) else None
    if labels is not None and len(labels) != n:
        raise ProblemError(f"covariance is for {len(labels)} assets but returns has {n}; sizes must agree")
    known = given or own or labels or tuple(f"asset{i + 1}" for i in range(n))
    return known, _finite("returns", mean, known)


def _places(argument: str, labels: tuple[str, ...], order_of: str, order: tuple[str, ...]) -> NDArray[np.intp]:
    """Where each name of `order` stands in `labels`; both must hold the same names."""
    place = {label: i for i, label in enumerate(labels)}
    for name in order:
        if name not in place:
            raise ProblemError(f"{argument} lacks {name!r}, which is in {order_of}; names must agree")
    if len(place) > len(order):
        extra = next(label for label in labels if label not in set(order))
        raise ProblemError(f"{argument} has {extra!r}, which is not in {order_of}; names must agree")
    return np.array([place[name] for name in order], dtype=np.intp)


def _covariance(covariance: Any, names: tuple[str, ...], n: int) -> QuadraticForm:
    """The covariance as a validated form, in the order of the names."""
    if covariance is None:
        raise ProblemError("covariance is None; give a matrix, a vector for a diagonal, or a FactorModel")
    if _is_frame(covariance):
        matrix = _numbers("covariance", covariance)
        for axis, index in ((0, covariance.index), (1, covariance.columns)):
            labels = _labels(index)
            if labels is not None:
                matrix = matrix.take(_places("covariance", _unique("covariance", labels), "returns", names), axis)
        covariance = matrix
    elif _is_series(covariance):
        labels = _labels(covariance.index)
        vector = _numbers("covariance", covariance)
        if labels is not None:
            vector = vector[_places("covariance", _unique("covariance", labels), "returns", names)]
        covariance = vector
    elif sparse.issparse(covariance):
        _refuse_complex("covariance", covariance)
    elif not isinstance(covariance, QuadraticForm):
        covariance = _numbers("covariance", covariance)
    size = covariance.n if isinstance(covariance, QuadraticForm) else covariance.shape[0] if covariance.ndim else 0
    if size != n:
        raise ProblemError(f"covariance is for {size} assets but returns has {n}; sizes must agree")
    if isinstance(covariance, np.ndarray) and covariance.ndim == 2:
        for i in np.flatnonzero(covariance.diagonal() < 0):
            raise ProblemError(
                f"covariance[{i}, {i}] ({names[i]}) is {covariance[i, i]:g}; a variance is never negative"
            )
    form = quadratic_form(covariance, n, "covariance")
    assert form is not None  # only for None, which is excluded above
    return form


def _asset_count(assets: Any, n: int) -> AssetCount | None:
    if assets is None:
        return None
    if not isinstance(assets, tuple | list):
        count = _whole("assets", assets, 1)
        if count > n:
            raise ArgumentError(f"assets is {count} but there are {n} to choose from; lower it")
        return count
    if len(assets) != 2:
        raise ArgumentError(f"assets is {assets!r}; give a number, or a pair (fewest, most)")
    low = None if assets[0] is None else _whole("assets[0]", assets[0], 0)
    high = None if assets[1] is None else _whole("assets[1]", assets[1], 1)
    if low is not None and low > n:
        raise ArgumentError(f"assets[0] is {low} but there are {n} to choose from; lower it")
    if low is not None and high is not None and low > high:
        raise ArgumentError(f"assets is ({low}, {high}); the fewest must not exceed the most")
    return low, None if high is None else min(high, n)


def _weights(argument: str, values: Any, names: tuple[str, ...], default: float) -> Vector:
    """One finite limit per asset, from a number, a vector, a Series or a dict by name."""
    n = len(names)
    if isinstance(values, Mapping):
        place = {name: i for i, name in enumerate(names)}
        vector = np.full(n, default)
        for name, value in values.items():
            if str(name) not in place:
                raise ArgumentError(f"{argument} names {name!r}, which is no asset; {_hint(str(name), names)}")
            vector[place[str(name)]] = _number(f"{argument}[{name!r}]", value)
        return frozen(vector)
    if _is_series(values) and (labels := _labels(values.index)) is not None:
        values = _numbers(argument, values)[_places(argument, _unique(argument, labels), "returns", names)]
    vector = _numbers(argument, values)
    if vector.ndim == 0:
        vector = np.full(n, _number(argument, float(vector)))
    if vector.shape != (n,):
        raise ProblemError(f"{argument} has shape {vector.shape}; it must be a number or ({n},)")
    return _finite(argument, vector, names)


def _groups(groups: Any, names: tuple[str, ...], most: int) -> dict[str, Group]:
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
                raise ArgumentError(f"{label} has the member {member!r}, which is no asset; {_hint(member, names)}")
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
    _unique(f"{label}, members,", tuple(members))
    fewest = _whole(f"{label}, min_assets,", group.min_assets, 0)
    upper = None if group.max_assets is None else _whole(f"{label}, max_assets,", group.max_assets, 0)
    if fewest > len(members):
        raise ArgumentError(f"{label}, min_assets, is {fewest} but it has {len(members)} members; lower it")
    if upper is not None and fewest > upper:
        raise ArgumentError(f"{label}, min_assets, is {fewest}, above its max_assets {upper}; lower it")
    if fewest > most:
        raise ArgumentError(f"{label}, min_assets, is {fewest} but at most {most} assets are held; lower it")
    low = None if group.min_weight is None else _number(f"{label}, min_weight,", group.min_weight)
    high = None if group.max_weight is None else _number(f"{label}, max_weight,", group.max_weight)
    if low is not None and high is not None and low > high:
        raise ArgumentError(f"{label}, min_weight, is {low:g}, above its max_weight {high:g}; lower it")
    return Group(members, fewest, upper, low, high)


def _matrix(rows: list[Row], n: int) -> sparse.csr_array:
    """Rows over n columns as a sparse matrix."""
    starts = np.cumsum([0] + [len(columns) for columns, _ in rows])
    columns = np.concatenate([columns for columns, _ in rows])
    values = np.concatenate([values for _, values in rows])
    return sparse.csr_array((values, columns, starts), shape=(len(rows), n))


def _least_variance(covariance: QuadraticForm, budget: float, lower: Vector, upper: Vector) -> Vector:
    """The x of least variance over sum x = budget, lower <= x <= upper."""
    import clarabel

    n = covariance.n
    mean_variance = float(covariance.diagonal().mean())
    # Clarabel's tolerances are absolute too, and variances are near 1e-4: work on a mean variance of 1.
    scale = 1.0 / mean_variance if mean_variance > 0 else 1.0
    plain, root = covariance.split()
    blocks: list[Any] = [2 * scale * plain]
    equations = sparse.csc_array(np.ones((1, n)))
    right = [budget]
    factors = 0
    if root is not None:
        # y = T'x as variables of their own keep the factor model factored: x'Qx = x'Px + y'y.
        factors = root.shape[1]
        blocks.append(2 * sparse.eye_array(factors))
        exposures = sparse.hstack([np.sqrt(scale) * sparse.csc_array(root.T), -sparse.eye_array(factors)])
        equations = sparse.vstack([sparse.hstack([equations, sparse.csc_array((1, factors))]), exposures])
        right += [0.0] * factors
    bounds = sparse.hstack([sparse.eye_array(n), sparse.csc_array((n, factors))])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    # The return of a minimum is only as exact as the square root of the gap: ask for all there is.
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-13
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(sparse.triu(sparse.block_diag(blocks), format="csc")),
        np.zeros(n + factors),
        sparse.csc_matrix(sparse.vstack([equations, bounds, -bounds])),
        np.concatenate([right, upper, -lower]),
        [clarabel.ZeroConeT(1 + factors), clarabel.NonnegativeConeT(2 * n)],
        settings,
    )
    solution = solver.solve()
    x = np.clip(np.asarray(solution.x[:n], dtype=np.float64), lower, upper)
    if not np.isfinite(x).all() or abs(x.sum() - budget) > 1e-6 * max(1.0, abs(budget), np.abs(x).sum()):
        raise ProblemError(f"least variance not found (Clarabel: {solution.status}); check the covariance")
    return x
