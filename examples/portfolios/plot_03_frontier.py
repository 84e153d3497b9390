"""
The frontier
============

The least risk for every return, with six assets, and what the proofs say about it.

You will see how to solve a whole row of targets at once, how to read the table and the picture,
and how to let the number of assets vary instead.
"""

# %%
# Solve along the returns
# -----------------------
# ``between="attainable"`` spreads the points between the lowest and the highest return that six
# assets of at least 2 % each can have. Neighbouring points help each other, so that a frontier
# takes less time than its points one by one.

import hybridmip as hm

market = hm.market(assets=40, seed=1)
portfolio = market.portfolio(assets=6, min_weight=0.02)
frontier = hm.frontier(portfolio, points=15, between="attainable", time_limit=60)
print(frontier)

# %%
# One row for every point. ``gap`` is how much lower the optimum can be at most, ``risk_gap``
# the same in terms of the risk. Both are nothing but rounding here: every point is proven.

table = frontier.to_frame()
print(
    table[["target_return", "status", "risk", "risk_gap", "sharpe_ratio"]].round(5).to_string()
)

# %%
# Above the row with the least risk there is always a portfolio with more return and less risk:
# nobody should hold these. ``between="efficient"`` (the default) leaves them out. The best
# Sharpe ratio, return per unit of risk, is further down.
#
# ``frontier[3]`` is a point, ``frontier.weights()`` a table of what is held where. Few names
# change from point to point:

weights = frontier.weights()
held = weights > 0
changed = (held != held.shift()).iloc[1:].sum(axis=1) // 2
print("names exchanged from point to point:", changed.tolist())

# %%
# Draw it
# -------
# The grey line is the frontier without a limit on the number. The distance to the dots is the
# price of holding six. A filled dot is proven optimal; a hollow one would be the best that was
# found.

import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(4.8, 5.0), layout="constrained")
frontier.plot(ax=axes, title="Least risk for each return, six assets")
axes.get_legend().remove()  # it would cover some of the assets
figure.legend(loc="outside lower center", fontsize=8)
plt.show()

# %%
# ``frontier.plot()`` without axes draws the weights below it, and
# ``frontier.report("frontier.html")`` writes a page that works offline, where points can be
# compared and sorted.
#
# Along the number of assets
# --------------------------
# ``vary="assets"`` with a grid of numbers asks another question: how many names are enough for
# one return?

by_number = hm.frontier(
    portfolio.with_target(0.003), grid=[3, 4, 5, 6, 8, 10, 12, 15], vary="assets", time_limit=60
)
print(
    by_number.to_frame()[["assets", "status", "risk"]]
    .astype({"assets": int})
    .round(5)
    .to_string()
)

# %%
# About ten are enough. More names must not be better, since each has to have its 2 %: with
# fifteen the risk is higher again. (``assets=(None, 15)`` would ask for *at most* fifteen.)

figure, axes = plt.subplots(figsize=(4.8, 3.3), layout="constrained")
by_number.plot(ax=axes, title="Risk by number of assets, return 0.3 %")
plt.show()

# %%
# What to change: ``points``, ``config=hm.Config.quick()`` for answers without bounds,
# ``jobs=4`` for four processes (inside ``if __name__ == "__main__":``), ``store="run.sqlite"``
# with ``resume=True`` for a run that may be interrupted.
