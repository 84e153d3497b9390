"""The mixed-integer program of a location problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from hybridmip.model.problem import Problem

if TYPE_CHECKING:
    from hybridmip.applications.facility.location import FacilityLocation

#: Capacities may miss the demand by this share of it.
CAPACITY_TOLERANCE = 1e-9


def build(location: FacilityLocation) -> Problem:
    """The program; see `FacilityLocation.problem` for its names."""
    facility, customer = location.pairs
    sites, takers, n = len(location.facilities), len(location.customers), len(facility)
    names = [f"{location.facilities[i]} -> {location.customers[j]}" for i, j in zip(facility, customer, strict=True)]
    column = np.arange(n)
    served = sparse.csr_array((np.ones(n), (customer, column)), shape=(takers, n))
    load = sparse.csr_array((location.demand[customer], (facility, column)), shape=(sites, n))
    most = np.asarray(load @ location.share_limits[facility, customer])
    binds = np.flatnonzero(most > location.capacity)
    open_load = sparse.csr_array((-location.capacity[binds], (np.arange(len(binds)), binds)), shape=(len(binds), sites))
    needed = [f"customer {name}" for name in location.customers]
    limited = [f"capacity of {location.facilities[i]}" for i in binds]
    linear = location.service_cost[facility, customer]
    square = location.quadratic_cost[facility, customer]
    # Not needed for correctness, but it rules out most choices of facilities at once.
    total = float(location.demand.sum())
    enough = sparse.csr_array(np.minimum(location.capacity, total)[None, :])
    least = total * (1.0 - CAPACITY_TOLERANCE)
    low = np.concatenate([np.ones(takers), np.full(len(binds), -np.inf)])
    high = np.concatenate([np.ones(takers), np.zeros(len(binds))])
    if location.single_source:
        # b^2 = b: the square of a share that is 0 or 1 is linear.
        use = sparse.hstack(
            [sparse.csr_array((-np.ones(n), (column, facility)), shape=(n, sites)), sparse.eye_array(n)]
        )
        return Problem(
            p=np.concatenate([location.fixed_cost, linear + square]),
            B=sparse.csr_array(
                sparse.vstack(
                    [
                        sparse.hstack([sparse.csr_array((takers, sites)), served]),
                        sparse.hstack([open_load, load[binds]]),
                        sparse.hstack([enough, sparse.csr_array((1, n))]),
                        use,
                    ]
                )
            ),
            b_lower=np.concatenate([low, [least], np.full(n, -np.inf)]),
            b_upper=np.concatenate([high, [np.inf], np.zeros(n)]),
            b_names=[*location.facilities, *names],
            b_row_names=[
                *needed,
                *limited,
                "enough capacity",
                *(
                    f"{location.facilities[i]} serves {location.customers[j]}"
                    for i, j in zip(facility, customer, strict=True)
                ),
            ],
        )
    return Problem(
        Q=square,
        q=linear,
        p=location.fixed_cost,
        A=sparse.csr_array(sparse.vstack([served, load[binds]])),
        G=sparse.csr_array(sparse.vstack([sparse.csr_array((takers, sites)), open_load])),
        row_lower=low,
        row_upper=high,
        B=enough if len(binds) else np.ones((1, sites)),
        b_lower=[least if len(binds) else 1.0],
        b_upper=[np.inf],
        x_lower=np.zeros(n),
        x_upper=location.share_limits[facility, customer],
        switch=facility,
        binaries=sites,
        x_names=names,
        b_names=location.facilities,
        row_names=[*needed, *limited],
        b_row_names=["enough capacity"],
    )
