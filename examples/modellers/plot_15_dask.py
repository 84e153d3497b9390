"""
A cluster with Dask
===================

A frontier whose points are solved by the workers of a cluster, with the same numbers.

You will see how to hand a run to Dask, and what does and does not depend on where it runs.
Needs Dask's scheduler: ``pip install 'hybridmip[dask]'``.
"""

# %%
# Here
# ----
# Twelve points of a frontier, solved in this process.

import hybridmip as hm

portfolio = hm.market(assets=60, seed=8).portfolio(assets=8, min_weight=0.02)
here = hm.frontier(portfolio, points=12, between="attainable")
print(here)

# %%
# There
# -----
# A cluster of two workers. They are threads of this process, so that the example runs anywhere;
# ``Client("tcp://scheduler:8786")`` would be a real one, and nothing else would change.
# ``get_executor`` makes of it what ``hm.frontier`` takes: any executor of Python's
# ``concurrent.futures`` will do.

from distributed import Client

with Client(
    processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None
) as client:
    cluster = client.get_executor()
    there = hm.frontier(portfolio, points=12, between="attainable", executor=cluster)
print(there)

# %%
# What stays the same
# -------------------
# All of it, to the last bit: who solves a point does not matter for the answer, nor in which
# order they come back. Neighbouring points help each other in rounds, and a round starts when
# the one before is complete. (A time limit would change that: what is done by then depends on
# the machine.)

columns = ["target_return", "status", "objective", "bound", "selected"]
same = here.to_frame()[columns].equals(there.to_frame()[columns])
print("the same answers and bounds:", same)
print("the same weights:", here.weights().equals(there.weights()))

# %%

import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(4.8, 3.5), layout="constrained")
for run, style, name in ((here, "o", "in this process"), (there, "x", "on the cluster")):
    table = run.to_frame()
    axes.plot(
        100 * table["risk"],
        100 * table["expected_return"],
        style,
        markersize=9 if style == "o" else 6,
        fillstyle="none",
        color="#0072B2" if style == "o" else "#D55E00",
        label=name,
    )
axes.set_xlabel("risk per week, %")
axes.set_ylabel("expected return per week, %")
axes.legend(fontsize=8)
axes.set_title("Twelve points, the same in both places", fontsize=10)
plt.show()

# %%
# What to change: ``jobs=8`` instead of ``executor`` for eight processes of this machine,
# without Dask (inside ``if __name__ == "__main__":``); ``store="run.sqlite"`` keeps every
# answer as it comes, and ``resume=True`` goes on after a crash. Thousands of accounts go the
# same way: ``hm.rebalance(accounts, market, executor=...)``. On the command line::
#
#     hybridmip frontier prices.csv --assets 8 --dask tcp://scheduler:8786 --out run
