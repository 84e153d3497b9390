"""
Rebalancing with trade costs
============================

What to buy and sell when every trade costs something, and some assets are held already.

You will see that the best portfolio and the best *trade* are different things, and how to read
trades, turnover, costs and whole shares from the answer.
"""

# %%
# Where we are
# ------------
# Eight assets are held in equal parts. Estimates have moved on. A trade costs 0.3 % of what is
# traded, and each ticket 0.02 % of the portfolio on top.
#
# Costs are returns per period, like everything else. A cost is paid once but the gain of a
# trade lasts: if the portfolio is to be kept for 13 weeks, divide what a trade costs by 13.

import hybridmip as hm

returns, covariance = hm.market(assets=40, seed=1).sample_estimates()
held = dict.fromkeys(returns.index[:8], 1 / 8)
weeks = 13
rules = {
    "assets": (None, 10),
    "min_weight": 0.02,
    "objective": "utility",
    "risk_aversion": 5,
    "current": held,
}
costs = {"trade_cost": 0.003 / weeks, "fixed_trade_cost": 0.0002 / weeks}

# %%
# Three answers
# -------------
# The *utility* is the expected return less five times the variance. First as if trading were
# free, then with costs, then with a limit on the turnover as well: at most 60 % bought and sold
# together.

ideal = hm.Portfolio(returns, covariance, **rules).solve(time_limit=30)
aware = hm.Portfolio(returns, covariance, **rules, **costs).solve(time_limit=30)
limited = hm.Portfolio(returns, covariance, **rules, **costs, max_turnover=0.6).solve(
    time_limit=30
)

# %%
# To compare them, all have to pay the same costs, also the first, which knew of none.


def after_costs(answer):
    """Utility of the weights, less what the trades to them cost."""
    paid = costs["trade_cost"] * answer.turnover + costs["fixed_trade_cost"] * len(
        answer.trades
    )
    return answer.expected_return - 5 * answer.variance - paid


for name, answer in {"ideal": ideal, "aware": aware, "limited": limited}.items():
    print(
        f"{name:8} {len(answer.trades):2} trades, turnover {answer.turnover:4.0%}, "
        f"utility after costs {1e4 * after_costs(answer):.2f} bp a week, {answer.result.status}"
    )

# %%
# Who trades as if it were free pays for it. Counting the costs gives up a little of the ideal
# and keeps more.
#
# The trades
# ----------
# Positive is bought, negative sold. An asset that costs more to move than it gains is simply
# kept.

print(limited.trades.map("{:+.2%}".format).to_string())

# %%
# In the end somebody needs whole shares. For 250,000 and one price each:

prices = hm.market(assets=40, seed=1).prices().iloc[-1]
order = limited.allocate(prices, value=250_000)
print(order.table().round(4).to_string())
print(f"left over: {order.left:.2f}")

# %%

import matplotlib.pyplot as plt
import pandas as pd

shown = {"today": pd.Series(held), "ideal": ideal.weights, "limited": limited.weights}
table = pd.DataFrame(shown).fillna(0.0).sort_values(["today", "limited", "ideal"])
figure, axes = plt.subplots(figsize=(4.8, 4.2), layout="constrained")
rows = range(len(table))
axes.hlines(rows, table["today"], table["limited"], color="#8A8A8A", linewidth=1.5)
axes.plot(
    table["today"], rows, "|", color="black", markersize=11, markeredgewidth=2, label="today"
)
axes.plot(
    table["ideal"],
    rows,
    "o",
    color="#E69F00",
    fillstyle="none",
    label="as if trading were free",
)
axes.plot(table["limited"], rows, "o", color="#0072B2", label="costs and turnover limited")
axes.set_yticks(rows, table.index, fontsize=8)
axes.xaxis.set_major_formatter("{x:.0%}")
axes.set_xlabel("weight")
axes.legend(fontsize=8)
axes.set_title("From today's weights to those after rebalancing", fontsize=10)
plt.show()

# %%
# What to change: ``max_trades=4``, ``min_trade=0.01`` (no trade smaller than that),
# ``exclude=[...]`` (what must be sold), ``drifted=True`` where prices have moved weights beyond
# their limits. For thousands of accounts on one market there is ``hm.rebalance``.
