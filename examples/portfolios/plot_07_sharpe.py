"""
The best Sharpe ratio
=====================

The most return above the risk-free rate per unit of risk, with four assets: exactly, not the
best of a grid.

You will see why the usual way, computing a frontier and taking its best point, falls short, and
what the line in the picture means.
"""

# %%
# Ask for it
# ----------
# A ratio is neither linear nor quadratic, but scaling the portfolio makes the problem one that
# is. ``objective="sharpe"`` does that, minimum weights and counts included, so that the answer
# comes with a bound as every other.

import hybridmip as hm

returns, covariance = hm.market(assets=30, seed=0).sample_estimates()
rules = {"assets": (None, 4), "min_weight": 0.02, "risk_free": 0.0005}
best = hm.Portfolio(returns, covariance, objective="sharpe", **rules).solve(time_limit=30)
print(best)

# %%
# Per year the ratio is larger by the root of 52, as the return grows with time and the risk
# with its root.

print(f"per year: {best.per_year(52).sharpe_ratio:.2f}")

# %%
# The usual way
# -------------
# A frontier of ten points, from the least variance to the highest return. Its best point is
# near, but a point between two of the grid is better than both.

frontier = hm.frontier(hm.Portfolio(returns, covariance, **rules), points=10, time_limit=60)
nearest = frontier.best_sharpe
print(f"best of the grid {nearest.sharpe_ratio:.5f}, exact {best.sharpe_ratio:.5f}")

# %%
# The line
# --------
# It starts at the risk-free rate, without risk, and its slope is the Sharpe ratio. No portfolio
# of these rules lies above the line through the best one; mixing that one with cash gives every
# point of the line.

import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(4.8, 3.7), layout="constrained")
table = frontier.to_frame()
axes.plot(
    100 * table["risk"],
    100 * table["expected_return"],
    "o",
    color="#0072B2",
    label="frontier, ten points",
)
far = 1.6 * best.risk
axes.plot(
    [0, 100 * far],
    [100 * 0.0005, 100 * (0.0005 + best.sharpe_ratio * far)],
    color="#8A8A8A",
    label="risk-free rate and the best portfolio",
)
axes.plot(
    100 * best.risk,
    100 * best.expected_return,
    "*",
    color="#D55E00",
    markersize=14,
    label="best Sharpe ratio",
)
axes.set_xlim(0, 100 * table["risk"].max() * 1.05)
axes.set_ylim(0, 100 * table["expected_return"].max() * 1.25)
axes.set_xlabel("risk per week, %")
axes.set_ylabel("expected return per week, %")
axes.legend(fontsize=8, loc="lower right")
axes.set_title("The best Sharpe ratio, on the steepest line", fontsize=10)
plt.show()

# %%
# A word of caution. The means of 520 weeks are poor estimates, and the largest ratio is that of
# the luckiest assets: what was 'best' in the past is less good in the future. Fewer freedoms
# (``max_weight``, groups) and shrunk estimates help more than a better optimum does. The next
# example tries it out.
