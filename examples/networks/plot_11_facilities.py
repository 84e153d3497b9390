"""
Where to put facilities
=======================

Open some of twelve warehouses so that forty customers are served at the least cost.

You will see the trade-off between many near warehouses and few cheap ones, what capacities do
to it, and what it costs to give every customer one warehouse only.
"""

# %%
# A map
# -----
# Customers are in three towns and around them, sites anywhere. Serving all of a customer's
# demand costs its distance times the demand; a warehouse costs something to open and has a
# capacity.

import numpy as np

import hybridmip as hm

rng = np.random.default_rng(4)
towns = np.array([[2.0, 2.0], [7.5, 3.0], [5.0, 7.5]])
customers = towns[rng.integers(0, 3, 40)] + rng.normal(0, 1.2, (40, 2))
sites = rng.uniform(0.5, 9.0, (12, 2))
demand = rng.integers(2, 10, 40)
distance = np.linalg.norm(sites[:, None] - customers[None], axis=2)
price = 90.0

location = hm.FacilityLocation(
    capacity=90, fixed_cost=price, demand=demand, service_cost=distance * demand
)
answer = location.read(hm.solve(location.problem(), time_limit=30))
print(answer)
print(answer.status, {name: round(cost, 1) for name, cost in answer.cost_split.items() if cost})

# %%
# Where a warehouse is full, a customer may be served by two:

shared = (answer.shares > 1e-9).sum(axis=0) > 1
print("customers served by more than one warehouse:", int(shared.sum()))

# %%
# One warehouse each
# ------------------
# ``single_source=True`` makes every assignment a choice as well: 480 more binaries. The cost is
# never lower, and here hardly higher.

single = hm.FacilityLocation(
    capacity=90,
    fixed_cost=price,
    demand=demand,
    service_cost=distance * demand,
    single_source=True,
)
alone = single.read(hm.solve(single.problem(), time_limit=30))
print(f"cost {answer.cost:.1f} with shares, {alone.cost:.1f} without ({alone.status})")

# %%
# What is a warehouse worth?
# --------------------------
# With the price of opening one, their number changes. That is the question behind the model:
# how much nearness is worth the rent?

for rent in (5, 20, 50, 90):
    other = hm.FacilityLocation(
        capacity=90, fixed_cost=rent, demand=demand, service_cost=distance * demand
    )
    found = other.read(hm.solve(other.problem(), time_limit=30))
    travelled = found.cost_split["linear"]
    print(f"price {rent:3}: {len(found.open_facilities):2} open, distance {travelled:6.1f}")

# %%
# The map of the answer. A line is as strong as the share that is served over it.

import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(4.8, 4.4), layout="constrained")
for i, j in zip(*np.nonzero(answer.shares > 1e-9), strict=True):
    ends = np.array([sites[i], customers[j]])
    axes.plot(*ends.T, color="#0072B2", alpha=0.6, linewidth=1.6 * answer.shares[i, j])
axes.scatter(*customers.T, s=8 * demand, color="#E69F00", label="customer, by demand", zorder=3)
on = np.array(answer.is_open)
axes.scatter(*sites[on].T, marker="s", s=70, color="#009E73", label="open", zorder=4)
axes.scatter(*sites[~on].T, marker="s", s=40, color="#BBBBBB", label="not opened", zorder=2)
axes.set_aspect("equal")
axes.set_xticks([])
axes.set_yticks([])
axes.legend(fontsize=8, loc="upper right")
axes.set_title(f"{on.sum()} of 12 warehouses serve 40 customers", fontsize=10)
plt.show()

# %%
# What to change: a list of capacities and prices, one for each site; ``quadratic_cost`` where
# splitting is to be rewarded; a DataFrame as ``service_cost`` names sites and customers. Files
# of OR-Library: ``hm.FacilityLocation.from_orlib("cap71.txt")``.
