"""
A fixed-charge network
======================

Which connections to open, when each costs something before anything flows.

You will see how a network is stated, why opening few arcs and using them fully is often best,
and how to read flows and costs from the answer.
"""

# %%
# The network
# -----------
# Two plants serve three shops, by a hub or directly. Every arc has a capacity, a cost for each
# unit and a price for opening it. What a node sends out is positive, what it takes in negative;
# together that is 0.

import hybridmip as hm

arcs = {  # from, to: (cost of a unit, price of opening)
    ("North", "Hub"): (1, 30),
    ("South", "Hub"): (1, 30),
    ("North", "Shop 1"): (2, 45),
    ("South", "Shop 3"): (2, 12),
    ("Hub", "Shop 1"): (1, 20),
    ("Hub", "Shop 2"): (1, 20),
    ("Hub", "Shop 3"): (1, 20),
    ("Shop 1", "Shop 2"): (1, 15),
}
network = hm.FixedChargeNetwork(
    nodes=["North", "South", "Hub", "Shop 1", "Shop 2", "Shop 3"],
    arcs=list(arcs),
    supply={"North": 18, "South": 14, "Shop 1": -12, "Shop 2": -10, "Shop 3": -10},
    capacity=20,
    unit_cost=[unit for unit, _ in arcs.values()],
    fixed_cost=[price for _, price in arcs.values()],
    positions={
        "North": (0, 1),
        "South": (0, 0),
        "Hub": (1, 0.5),
        "Shop 1": (2, 1),
        "Shop 2": (2.3, 0.5),
        "Shop 3": (2, 0),
    },
)
answer = network.read(hm.solve(network.problem(), time_limit=30))
print(answer)
print(answer.status)

# %%
# Without the prices the cheapest way would be taken for every unit. The prices make flows
# share: five arcs carry everything, and the direct way to shop 1 stays closed.

free = hm.FixedChargeNetwork(
    network.nodes, network.arcs, network.supply, 20, unit_cost=network.unit_cost
)
cheap = free.read(hm.solve(free.problem(), time_limit=30))
used = [a for a, flow in enumerate(cheap.flow) if flow > 0]
paid = cheap.cost + sum(network.fixed_cost[a] for a in used)
print(f"cheapest units: {cheap.cost:.0f} for {len(used)} arcs, {paid:.0f} with their prices")
print(f"best together:  {answer.cost:.0f}, of which opening {answer.cost_split['fixed']:.0f}")

# %%
# Draw it
# -------
# ``hm.network_figure`` draws an answer: open arcs as wide as their flow, closed ones in grey.

figure = hm.network_figure(answer)
figure.set_size_inches(5.0, 3.8)

# %%
# A larger one
# ------------
# ``hm.example_network`` makes networks up: plants, hubs and towns on a map. With 20 nodes and
# some 70 arcs there are more ways than anybody would try.

large = hm.example_network(seed=3, nodes=20)
found = large.read(hm.solve(large.problem(), time_limit=30))
print(found.status, "-", found.headline)

# %%
# Most arcs stay closed, and what is open is a tree: a second way to the same place would be
# paid for twice.

bigger = hm.network_figure(found)
bigger.set_size_inches(5.0, 4.4)

# %%
# What to change: ``max_open=4``, ``quadratic_cost``, several ``commodities`` instead of
# ``supply``; ``hm.FixedChargeNetwork.from_networkx(graph)`` and ``from_csv`` take what you
# have. On the command line::
#
#     hybridmip network arcs.csv --nodes nodes.csv --figure network.png
