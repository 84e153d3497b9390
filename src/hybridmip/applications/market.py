"""Made-up markets that look like real ones: a factor model from a seed, and returns simulated from it.

Every asset follows one market factor, the factor of its sector and a few style factors, and moves
on its own besides. Nothing of size n x n is formed unless `Market.sample_estimates` is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hybridmip.applications.portfolio import Portfolio
from hybridmip.errors import ArgumentError
from hybridmip.model.quadratic import FactorModel, Vector, frozen

if TYPE_CHECKING:
    import pandas as pd

#: Weeks in a period; means and variances grow with it.
WEEKS = {"daily": 0.2, "weekly": 1.0, "monthly": 52 / 12}
#: Limits of an asset's weekly standard deviation and expected return.
VOLATILITY_RANGE = (0.02, 0.06)
RETURN_RANGE = (0.0005, 0.006)
#: Degrees of freedom of the Student t that shocks follow; about what weekly stock returns show.
TAIL = 5.0
#: Shocks are cut off at so many standard deviations, and returns at a loss of 95 %.
LARGEST_SHOCK, LARGEST_LOSS = 10.0, -0.95
SECTORS = (
    "Banks", "Energy", "Health", "Retail", "Software", "Utilities", "Chemicals", "Transport", "Media",
    "Insurance", "Machinery", "Mining", "Telecom", "Foods", "Property", "Semiconductors", "Automobiles",
    "Pharma", "Leisure", "Aerospace", "Paper", "Textiles", "Gas", "Construction",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Market:
    """A market of assets with known expected returns and covariance; `market` makes one.

    Attributes
    ----------
    names, sectors : tuple of str
        Name and sector of each asset.
    factor_names : tuple of str
        Names of the factors, the columns of the loadings.
    expected_returns : ndarray, shape (n,)
        Per period.
    covariance : FactorModel
        Of the returns, per period.
    periods, frequency, seed
        What `returns` simulates.

    Examples
    --------
    >>> import hybridmip as hm
    >>> market = hm.market(assets=12, sectors=["Banks", "Energy"], seed=1)
    >>> market.n, market.factor_names
    (12, ('Market', 'Banks', 'Energy', 'Style 1', 'Style 2', 'Style 3'))
    >>> market.names[:3]
    ('BANK01', 'BANK02', 'BANK03')
    """

    names: tuple[str, ...] = field(repr=False)
    sectors: tuple[str, ...] = field(repr=False)
    factor_names: tuple[str, ...]
    expected_returns: Vector = field(repr=False)
    covariance: FactorModel = field(repr=False)
    periods: int
    frequency: str
    seed: int

    @property
    def n(self) -> int:
        """Number of assets."""
        return len(self.names)

    @property
    def loadings(self) -> Vector:
        """Exposure of each asset to each factor."""
        return self.covariance.loadings

    @property
    def volatilities(self) -> Vector:
        """Standard deviation of each asset's return per period."""
        return np.sqrt(self.covariance.diagonal())

    def returns(self) -> pd.DataFrame:
        """Simulated simple returns, dates by assets; the same at every call.

        Examples
        --------
        >>> import hybridmip as hm
        >>> hm.market(assets=3, periods=4, sectors=1).returns().round(3)
                    BANK01  BANK02  BANK03
        date
        2005-01-14   0.040   0.039   0.007
        2005-01-21  -0.077  -0.060  -0.029
        2005-01-28  -0.029  -0.032  -0.004
        2005-02-04   0.103   0.054   0.045
        """
        import pandas as pd  # 0.3 s, for who asks for a table

        rng = np.random.default_rng([self.seed, 1])
        factors = self.loadings.shape[1]
        normal = rng.standard_normal((self.periods, factors))
        # One divisor per date for all factors: in a crash everything falls together.
        shocks = _fat(normal, rng.chisquare(TAIL, (self.periods, 1)))
        values, vectors = np.linalg.eigh(self.covariance.factor_covariance)
        factor_returns = shocks @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
        shape = (self.periods, self.n)
        simulated = _fat(rng.standard_normal(shape), rng.chisquare(TAIL, shape))
        simulated *= np.sqrt(self.covariance.specific_variance)
        simulated += factor_returns @ self.loadings.T
        simulated += self.expected_returns
        np.maximum(simulated, LARGEST_LOSS, out=simulated)
        return pd.DataFrame(simulated, index=self._dates(1), columns=list(self.names))

    def prices(self) -> pd.DataFrame:
        """Prices that start between 10 and 200 and have `returns` as their changes; one row more.

        Examples
        --------
        >>> import hybridmip as hm
        >>> hm.market(assets=3, periods=4, sectors=1).prices().shape
        (5, 3)
        """
        import pandas as pd  # 0.3 s, for who asks for a table

        rng = np.random.default_rng([self.seed, 2])
        start = np.exp(rng.uniform(np.log(10.0), np.log(200.0), self.n))
        growth = np.vstack([np.ones(self.n), 1.0 + self.returns().to_numpy()])
        return pd.DataFrame(start * np.cumprod(growth, axis=0), index=self._dates(0), columns=list(self.names))

    def sample_estimates(self) -> tuple[pd.Series[float], pd.DataFrame]:
        """Mean and covariance of the simulated returns, as an investor would estimate them.

        The covariance is n x n, unlike everything else here.

        Examples
        --------
        >>> import hybridmip as hm
        >>> mean, covariance = hm.market(assets=12).sample_estimates()
        >>> mean.shape, covariance.shape
        ((12,), (12, 12))
        """
        returns = self.returns()
        return returns.mean(), returns.cov()

    def portfolio(self, **options: Any) -> Portfolio:
        """A `Portfolio` of these assets with the true mean and covariance; options as there.

        Examples
        --------
        >>> import hybridmip as hm
        >>> hm.market(assets=12).portfolio(assets=4, max_weight=0.4)
        <Portfolio of 12 candidates, assets=4>
        """
        options.setdefault("names", self.names)
        return Portfolio(self.expected_returns, self.covariance, **options)

    def groups(self) -> dict[str, list[str]]:
        """The names of the assets in each sector.

        Examples
        --------
        >>> import hybridmip as hm
        >>> {sector: len(names) for sector, names in hm.market(assets=12, sectors=["Banks", "Energy"]).groups().items()}
        {'Banks': 7, 'Energy': 5}
        """
        members: dict[str, list[str]] = {}
        for name, sector in zip(self.names, self.sectors, strict=True):
            members.setdefault(sector, []).append(name)
        return members

    def _dates(self, first: int) -> pd.DatetimeIndex:
        """Dates of the rows from `first` (0 is the date before the first return) to the last."""
        import pandas as pd  # 0.3 s, for who asks for a table

        if self.frequency == "monthly":
            months = np.datetime64("2005-02") + np.arange(first, self.periods + 1)
            days = months.astype("datetime64[D]") - 1
        elif self.frequency == "weekly":
            days = np.datetime64("2005-01-07") + 7 * np.arange(first, self.periods + 1)
        else:
            days = np.busday_offset(np.datetime64("2005-01-03"), np.arange(first, self.periods + 1))
        return pd.DatetimeIndex(days.astype("datetime64[s]"), name="date")


def market(
    assets: int = 60,
    *,
    periods: int = 520,
    factors: int | None = None,
    sectors: int | Sequence[str] | None = None,
    seed: int = 0,
    frequency: str = "weekly",
) -> Market:
    """Make up a market.

    Parameters
    ----------
    assets : int
        How many, from 2.
    periods : int
        Length of the history that `Market.returns` simulates, from 2.
    factors : int, optional
        All factors together: the market, then one for each sector as far as they last, then styles.
        Left out, there is one for every sector and three styles.
    sectors : int or sequence of str, optional
        How many sectors, or their names; left out, one for every five assets up to ten.
    seed : int
        Same seed and sizes, same market.
    frequency : {"daily", "weekly", "monthly"}
        Length of a period. Per week, standard deviations lie between 2 and 6 % and expected
        returns between 0.05 and 0.6 %.

    Returns
    -------
    Market

    Raises
    ------
    ArgumentError
        If an option is out of its range.

    Examples
    --------
    >>> import hybridmip as hm
    >>> market = hm.market(assets=60, periods=260, seed=7)
    >>> market.n, market.names[0], market.returns().shape
    (60, 'BANK01', (260, 60))
    """
    n = _whole("assets", assets, 2)
    _whole("periods", periods, 2)
    _whole("seed", seed, 0)
    if frequency not in WEEKS:
        raise ArgumentError(f"frequency is {frequency!r}; it must be one of {', '.join(WEEKS)}")
    sector_names = _sector_names(sectors, n)
    count = 1 + len(sector_names) + 3 if factors is None else _whole("factors", factors, 1)
    with_factor = min(len(sector_names), count - 1)
    styles = count - 1 - with_factor
    rng = np.random.default_rng([seed, 0])

    home = _homes(n, len(sector_names), rng)
    betas = np.clip(rng.normal(1.0, 0.28, n), 0.3, 2.0)
    loadings = np.zeros((n, count))
    loadings[:, 0] = betas
    follows = np.flatnonzero(home < with_factor)
    loadings[follows, 1 + home[follows]] = np.clip(rng.normal(1.0, 0.3, follows.size), 0.2, 1.8)
    loadings[:, count - styles :] = rng.normal(0.0, 1.0, (n, styles))

    deviations = np.concatenate([[0.019], rng.uniform(0.009, 0.015, with_factor), rng.uniform(0.004, 0.008, styles)])
    # A factor covariance that is not diagonal: correlations of +-0.1 from one hidden common cause.
    signs = rng.choice([-1.0, 1.0], count)
    correlation = 0.9 * np.eye(count) + 0.1 * np.outer(signs, signs)
    factor_covariance = correlation * np.outer(deviations, deviations)
    specific = 0.026 * np.exp(rng.normal(0.0, 0.35, n))

    # Scale an asset as a whole into the range of volatilities; its correlations stay.
    common = np.einsum("ij,jk,ik->i", loadings, factor_covariance, loadings, optimize=True)
    volatility = np.sqrt(common + specific**2)
    leverage = np.clip(volatility, *VOLATILITY_RANGE) / volatility
    loadings *= leverage[:, None]
    specific *= leverage

    sector_premium = rng.normal(0.0, 0.0003, len(sector_names))
    style_premium = rng.normal(0.0, 0.0002, styles)
    premium = (
        0.0009
        + 0.0015 * loadings[:, 0]
        + sector_premium[home]
        + loadings[:, count - styles :] @ style_premium
        + rng.normal(0.0, 0.0007, n)
    )
    weeks = WEEKS[frequency]
    return Market(
        names=_asset_names(home, sector_names),
        sectors=tuple(sector_names[h] for h in home),
        factor_names=(
            "Market",
            *sector_names[:with_factor],
            *(f"Style {i + 1}" for i in range(styles)),
        ),
        expected_returns=frozen(weeks * _soft_clip(premium, *RETURN_RANGE)),
        covariance=FactorModel(loadings, weeks * factor_covariance, weeks * specific**2),
        periods=int(periods),
        frequency=frequency,
        seed=int(seed),
    )


def _whole(argument: str, value: Any, at_least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < at_least:
        raise ArgumentError(f"{argument} is {value!r}; it must be a whole number, at least {at_least}")
    return int(value)


def _sector_names(sectors: int | Sequence[str] | None, n: int) -> tuple[str, ...]:
    if sectors is None:
        sectors = max(1, min(10, n // 5))
    if isinstance(sectors, str):
        raise ArgumentError(f"sectors is {sectors!r}; give a number or a list of names")
    if isinstance(sectors, Sequence):
        names = tuple(str(name) for name in sectors)
        if not names or len(set(names)) != len(names):
            raise ArgumentError("sectors must be at least one name, and none twice")
    else:
        count = _whole("sectors", sectors, 1)
        names = SECTORS[:count] + tuple(f"Sector {i + 1}" for i in range(len(SECTORS), count))
    if len(names) > n:
        raise ArgumentError(f"sectors gives {len(names)} sectors for {n} assets; each needs at least one asset")
    return names


def _homes(n: int, sectors: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Sector of each asset, in order, sizes uneven, none empty."""
    shares = rng.dirichlet(np.full(sectors, 4.0))
    sizes = 1 + rng.multinomial(n - sectors, shares)
    return np.repeat(np.arange(sectors), sizes)


def _asset_names(home: NDArray[np.intp], sectors: tuple[str, ...]) -> tuple[str, ...]:
    """Four letters of the sector and a number, e.g. BANK03."""
    sizes = np.bincount(home)
    width = max(2, len(str(int(sizes.max()))))
    used: set[str] = set()
    names: list[str] = []
    for sector, size in zip(sectors, sizes, strict=True):
        letters = "".join(c for c in sector.upper() if c.isalpha() and c.isascii())[:4]
        prefix, tries = letters, 0
        while len(prefix) < 2 or prefix in used:
            # Taken or too short: two letters of it and a running AAA, AAB, ...
            prefix = letters[:2] + "".join(chr(65 + tries // 26**k % 26) for k in (2, 1, 0))
            tries += 1
        used.add(prefix)
        names += [f"{prefix}{i + 1:0{width}d}" for i in range(size)]
    return tuple(names)


def _soft_clip(values: Vector, low: float, high: float) -> Vector:
    """Values pressed into (low, high) without piling up at the ends; slope 1 in the middle."""
    half = (high - low) / 2
    return (low + high) / 2 + half * np.tanh((values - (low + high) / 2) / half)


def _fat(normal: Vector, chi_square: Vector) -> Vector:
    """Student t shocks with variance 1, cut off far out."""
    shocks = normal * np.sqrt((TAIL - 2) / chi_square)
    return np.clip(shocks, -LARGEST_SHOCK, LARGEST_SHOCK, out=shocks)
