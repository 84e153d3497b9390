"""The mixed-integer program of a portfolio: one x and one b for every mode of every asset."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.applications.portfolio.modes import Lines, Modes
from hybridmip.bounds.mode_form import diagonal_of_modes
from hybridmip.bounds.mode_form import spread as spread_over
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import DenseForm, DiagonalForm, FactorModel, QuadraticForm, SparseForm, Vector

if TYPE_CHECKING:
    from hybridmip.applications.portfolio.portfolio import Portfolio


@dataclass
class Rows:
    """Rows on x and b, and rows on b alone, collected."""

    count: int
    x: list[Vector] = field(default_factory=list)
    b: list[Vector] = field(default_factory=list)
    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    only_b: list[Vector] = field(default_factory=list)
    b_lower: list[float] = field(default_factory=list)
    b_upper: list[float] = field(default_factory=list)
    b_names: list[str] = field(default_factory=list)

    def add(self, name: str, x: Vector, lower: float, upper: float, b: Vector | None = None) -> None:
        """A row on x, and on b."""
        self.x.append(x)
        self.b.append(np.zeros(self.count) if b is None else b)
        self.lower.append(lower)
        self.upper.append(upper)
        self.names.append(name)

    def limit(self, name: str, lines: Lines, asset: NDArray[np.intp], upper: float | None) -> None:
        """At most so much of what is linear in every mode."""
        if upper is None:
            return
        x, b, constant = lines.row(asset)
        if x.any():
            self.add(name, x, -np.inf, upper - constant, b)
        else:
            self.count_of(name, b, -np.inf, upper - constant)

    def on_binaries(self) -> dict[str, Any]:
        """The rows on b alone, as arguments of `Problem`."""
        if not self.only_b:
            return {}
        return {
            "B": stacked(self.only_b, self.count), "b_lower": self.b_lower, "b_upper": self.b_upper,
            "b_row_names": self.b_names,
        }  # fmt: skip

    def count_of(self, name: str, b: Vector, lower: float, upper: float) -> None:
        """A row on b alone."""
        self.only_b.append(b)
        self.b_lower.append(lower)
        self.b_upper.append(upper)
        self.b_names.append(name)


def build(portfolio: Portfolio, modes: Modes) -> Problem:
    """The program; see `Portfolio.problem` for its names."""
    rows = rules(portfolio, modes)
    aversion = portfolio.risk_aversion if portfolio.objective == "utility" else 1.0
    q, p, offset = objective(portfolio, modes)
    return assemble(rows, spread(portfolio.covariance, modes, aversion), q, p, offset, modes)


def rules(portfolio: Portfolio, modes: Modes) -> Rows:
    """Every rule of a portfolio as rows."""
    asset, ones = modes.asset, np.ones(modes.count)
    rows = Rows(modes.count)
    rows.add("budget", ones, portfolio.budget, portfolio.budget)
    if portfolio.target_return is not None:
        x, b, constant = modes.cost.row(asset)
        target = portfolio.target_return + constant
        most = target if portfolio.return_sense == "equal" else np.inf
        rows.add("return", portfolio.returns[asset] - x, target, most, -b)
    rows.limit("turnover", modes.turnover, asset, portfolio.trading.max_turnover)
    rows.limit("gross", modes.gross, asset, portfolio.max_gross)
    rows.limit("short", modes.short, asset, portfolio.max_short)
    further = [(f"exposure to {name}", row) for name, row in portfolio.exposures.items()]
    for name, (coefficients, low, high) in (*further, *portfolio.constraints.items()):
        rows.add(name, coefficients[asset], -np.inf if low is None else low, np.inf if high is None else high)
    if portfolio.assets is not None:
        rows.count_of("assets", ones, *portfolio.count_range)
    rows.limit("trades", modes.traded, asset, portfolio.trading.max_trades)
    for name, group in portfolio.groups.items():
        members = np.isin(asset, portfolio.members[name]).astype(np.float64)
        if group.min_weight is not None or group.max_weight is not None:
            least = -np.inf if group.min_weight is None else group.min_weight
            rows.add(f"weight of {name}", members, least, np.inf if group.max_weight is None else group.max_weight)
        if group.min_assets > 0 or group.max_assets is not None:
            most = len(portfolio.members[name]) if group.max_assets is None else group.max_assets
            rows.count_of(f"count of {name}", members, group.min_assets, most)
    for i in np.flatnonzero(modes.several | modes.must):
        one_way = (asset == i).astype(np.float64)
        rows.count_of(f"one way of {portfolio.names[i]}", one_way, float(modes.must[i]), 1.0)
    return rows


def objective(portfolio: Portfolio, modes: Modes) -> tuple[Vector, Vector, float]:
    """(q, p, offset): what is beside the square."""
    asset, n = modes.asset, portfolio.n
    linear, offset = np.zeros(n), 0.0
    weight = portfolio.cost_weight
    if portfolio.objective == "utility":
        linear, weight = -portfolio.returns, 1.0
    elif portfolio.objective == "tracking":
        assert portfolio.benchmark is not None
        linear, offset = -2.0 * portfolio.benchmark.covariance, portfolio.benchmark.variance
    x, b, constant = modes.cost.row(asset)
    return linear[asset] + weight * x, weight * b, offset + weight * constant


def assemble(rows: Rows, Q: Any, q: Vector, p: Vector, offset: float, modes: Modes) -> Problem:
    """The problem of rows and an objective."""
    G = any(b.any() for b in rows.b)
    return Problem(
        Q=Q, q=q if q.any() else None, p=p if p.any() else None, offset=offset,
        A=stacked(rows.x, modes.count), G=stacked(rows.b, modes.count) if G else None,
        row_lower=rows.lower, row_upper=rows.upper,
        x_lower=modes.lower, x_upper=modes.upper, switch=np.arange(modes.count), binaries=modes.count,
        x_names=modes.names, b_names=modes.names, row_names=rows.names, **rows.on_binaries(),
    )  # fmt: skip


def stacked(rows: list[Vector], n: int) -> sparse.csr_array:
    """Rows as a sparse matrix of n columns."""
    columns = [np.flatnonzero(row) for row in rows]
    starts = np.cumsum([0, *(part.size for part in columns)])
    values = [row[part] for row, part in zip(rows, columns, strict=True)]
    return sparse.csr_array((np.concatenate(values), np.concatenate(columns), starts), shape=(len(rows), n))


def spread(covariance: QuadraticForm, modes: Modes, factor: float = 1.0) -> QuadraticForm:
    """factor * w'Vw as a form in the modes, where w is the sum of an asset's modes."""
    form = covariance if factor == 1.0 else _times(covariance, factor)
    if not modes.several.any():
        return form
    below = factor * diagonal_of_modes(covariance)  # found once for all factors
    return spread_over(form, modes.asset, below)


def _times(covariance: QuadraticForm, factor: float) -> QuadraticForm:
    if isinstance(covariance, DiagonalForm):
        return DiagonalForm(factor * covariance.values)
    if isinstance(covariance, FactorModel):
        own = (factor * covariance.factor_covariance, factor * covariance.specific_variance)
        return FactorModel(covariance.loadings, *own)
    if isinstance(covariance, SparseForm):
        return SparseForm(factor * covariance.matrix)
    return DenseForm(factor * covariance.toarray())
