"""The answer of a location problem: open facilities, who serves whom, what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hybridmip.applications.opened import Opened
from hybridmip.model.quadratic import Matrix

if TYPE_CHECKING:
    import pandas as pd

    from hybridmip.applications.facility.location import FacilityLocation

#: A share below this is rounding.
NEGLIGIBLE_SHARE = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class FacilityResult(Opened):
    """Open facilities, who serves whom, and what it costs.

    Attributes
    ----------
    location : FacilityLocation
        What was asked.
    shares : ndarray, shape (facilities, customers)
        Share of each customer's demand that each facility serves.
    is_open : tuple of bool
        Whether each facility is open.
    objective, bound, gap, status
        Of the solve.

    Examples
    --------
    >>> import hybridmip as hm
    >>> location = hm.FacilityLocation(
    ...     capacity=10, fixed_cost=[6, 4], demand=[3, 4, 5], service_cost=[[1, 2, 3], [4, 1, 2]],
    ... )
    >>> answer = location.read(hm.solve(location))
    >>> answer.shares.round(6)
    array([[1., 0., 0.],
           [0., 1., 1.]])
    >>> {kind: round(cost, 6) for kind, cost in answer.cost_split.items()}
    {'fixed': 10.0, 'linear': 4.0, 'quadratic': 0.0}
    """

    what = "facilities"
    location: FacilityLocation
    shares: Matrix
    is_open: tuple[bool, ...]
    objective: float
    bound: float
    gap: float
    status: str

    def __str__(self) -> str:
        lines = [self.headline]
        for name, row in self.table().iterrows():
            use = f" of {row['capacity']:.6g}" if np.isfinite(row["capacity"]) else ""
            lines.append(f"  {name}  load {row['load']:.6g}{use}, {int(row['customers'])} customers")
        return "\n".join(lines)

    @property
    def open_facilities(self) -> tuple[str, ...]:
        """Names of the open facilities."""
        return self._open_of(self.location.facilities)

    @property
    def cost_split(self) -> dict[str, float]:
        """Cost of opening (`fixed`), of service (`linear`) and of squared shares (`quadratic`)."""
        location = self.location
        return {
            "fixed": float(location.fixed_cost @ np.array(self.is_open, dtype=float)),
            "linear": float((location.service_cost * self.shares).sum()),
            "quadratic": float((location.quadratic_cost * self.shares**2).sum()),
        }

    @property
    def violation(self) -> float:
        """Largest violation: of service and signs in shares, of capacities as a share of the total demand."""
        location = self.location
        worst = float(np.abs(self.shares.sum(axis=0) - 1.0).max(initial=0.0))
        limit = np.array(self.is_open, dtype=float)[:, None]
        worst = max(worst, float((-self.shares).max(initial=0.0)), float((self.shares - limit).max(initial=0.0)))
        over = self.shares @ location.demand - location.capacity
        return max(worst, float(over.max(initial=0.0)) / max(float(location.demand.sum()), 1e-300))

    @property
    def assignment(self) -> pd.DataFrame:
        """One row per customer and facility that serves it: customer, facility, share, amount, cost."""
        import pandas as pd  # 0.3 s, for who asks for a table

        location = self.location
        customer, facility = np.nonzero(self.shares.T > NEGLIGIBLE_SHARE)
        share = self.shares[facility, customer]
        cost = (
            location.service_cost[facility, customer] * share + location.quadratic_cost[facility, customer] * share**2
        )
        return pd.DataFrame(
            {
                "customer": [location.customers[j] for j in customer],
                "facility": [location.facilities[i] for i in facility],
                "share": share,
                "amount": share * location.demand[customer],
                "cost": cost,
            }
        )

    def table(self) -> pd.DataFrame:
        """One row per open facility: load, capacity, use (share of the capacity), customers, fixed cost.

        Examples
        --------
        >>> import hybridmip as hm
        >>> location = hm.FacilityLocation(
        ...     capacity=10, fixed_cost=[6, 4], demand=[3, 4, 5], service_cost=[[1, 2, 3], [4, 1, 2]],
        ... )
        >>> location.read(hm.solve(location)).table().round(4)
                  load  capacity  use  customers  fixed cost
        facility
        F1         3.0      10.0  0.3          1         6.0
        F2         9.0      10.0  0.9          2         4.0
        """
        import pandas as pd  # 0.3 s, for who asks for a table

        location = self.location
        on = np.flatnonzero(self.is_open)
        load = self.shares[on] @ location.demand
        with np.errstate(invalid="ignore", divide="ignore"):
            use = np.where(location.capacity[on] > 0, load / location.capacity[on], 0.0)
        return pd.DataFrame(
            {
                "load": load,
                "capacity": location.capacity[on],
                "use": use,
                "customers": (self.shares[on] > NEGLIGIBLE_SHARE).sum(axis=1),
                "fixed cost": location.fixed_cost[on],
            },
            index=pd.Index([location.facilities[i] for i in on], name="facility", dtype=object),
        )
