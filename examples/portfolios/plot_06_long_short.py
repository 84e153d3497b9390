"""
Long and short: 130/30
======================

Hold 130 % of the money in what should rise, and be short 30 % of what should not.

You will see how short positions are stated, what they gain over a portfolio that may only hold,
and how to keep the whole neutral to a factor.
"""

# %%
# Only long
# ---------
# The utility is the expected return less eight times the variance. At most twenty names, none
# above 15 %.

import hybridmip as hm

market = hm.market(assets=60, seed=0)
returns, covariance = market.sample_estimates()
utility = {"assets": (None, 20), "objective": "utility", "risk_aversion": 8, "max_weight": 0.15}
long_only = hm.Portfolio(returns, covariance, **utility).solve(time_limit=30)
print(long_only)

# %%
# 130/30
# ------
# A negative ``min_weight`` allows short positions, down to -10 % each. ``max_short`` limits
# what they add up to, and ``max_gross`` the sizes of all weights together: 1.3 + 0.3 = 1.6. The
# weights still add up to 1.

rules = {**utility, "min_weight": -0.10, "max_short": 0.3, "max_gross": 1.6}
answer = hm.Portfolio(returns, covariance, **rules).solve(time_limit=30)
weights = answer.weights
print(
    f"long {weights[weights > 0].sum():.0%}, short {-weights[weights < 0].sum():.0%}, "
    f"{len(weights)} names"
)
print(answer.result.status)

# %%
# A name is either long, short or not held, and the proof covers these three cases for each of
# the sixty: no other such portfolio has a larger utility (the solver minimises, so that the
# utility is minus the objective).

for name, found in {"long only": long_only, "130/30": answer}.items():
    print(
        f"{name:9}  utility {-1e4 * found.result.objective:5.1f} bp, "
        f"return {1e4 * found.expected_return:5.1f} bp, risk {found.risk:.2%} a week"
    )

# %%
# Where does it come from? The short names have low estimated returns, and what they bring in
# pays for more of the others.

for side, names in {
    "long": weights.index[weights > 0],
    "short": weights.index[weights < 0],
}.items():
    print(
        f"{side:5} {len(names):2} names, mean of their estimated returns "
        f"{1e4 * returns[names].mean():5.1f} bp a week"
    )

# %%
# Neutral to a factor
# -------------------
# ``exposures`` limit the portfolio's loading on anything that each asset has a number of. Here
# the first style factor of the market, between -0.05 and 0.05. The price is the utility that is
# lost.

style = dict(
    zip(market.names, market.loadings[:, market.factor_names.index("Style 1")], strict=True)
)
neutral = hm.Portfolio(
    returns, covariance, **rules, exposures={"style 1": (style, -0.05, 0.05)}
).solve(time_limit=30)
for name, found in {"130/30": answer, "neutral": neutral}.items():
    exposure = sum(weight * style[asset] for asset, weight in found.weights.items())
    print(
        f"{name:8} exposure {exposure:+.3f}, utility {-1e4 * found.result.objective:.1f} bp, "
        f"{found.result.status}"
    )

# %%

import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(4.8, 4.2), layout="constrained")
shown = weights.sort_values()
colours = ["#D55E00" if weight < 0 else "#0072B2" for weight in shown]
axes.barh(shown.index, 100 * shown, color=colours)
axes.axvline(0, color="black", linewidth=0.8)
axes.tick_params(axis="y", labelsize=8)
axes.set_xlabel("weight, %")
axes.set_title("130/30: long (blue) and short (orange) positions", fontsize=10)
plt.show()

# %%
# What to change: ``budget=0`` with ``max_gross=2`` for a portfolio whose long and short sides
# are equal; ``fixed_trade_cost`` and ``current`` as in the example on rebalancing, which go
# together with short positions.
