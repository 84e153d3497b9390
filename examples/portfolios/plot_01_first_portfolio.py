"""
A first portfolio
=================

Ten of sixty assets, at the least risk for a wanted return.

You will see how to state the choice, what comes back, and what the limit to ten assets costs.
It needs no data of your own: ``hm.market`` makes up a market of assets with expected returns, a
covariance and sectors.
"""

# %%
# State it
# --------
# An asset is either left out or held with at least 1 % of the money. Exactly ten are held, and
# together they are expected to earn 0.32 % a week. Among all such portfolios we want the one
# with the least variance. Choosing *which* is what makes this hard: there are 75 billion ways
# to take ten of sixty.

import hybridmip as hm

market = hm.market(assets=60, seed=0)
portfolio = market.portfolio(assets=10, min_weight=0.01, target_return=0.0032)
answer = portfolio.solve(time_limit=30)
print(answer)

# %%
# Read it
# -------
# The last line is the point of this solver: the answer is not only good, no other choice of ten
# assets is better (but for rounding, a millionth of the variance). ``answer.result`` has the
# numbers behind these words.
#
# ``bound`` is a value that no portfolio within these rules is below, and ``gap`` the difference
# to it as a share.

result = answer.result
print(result.status)
print(f"variance {result.objective:.6e}, bound {result.bound:.6e}, gap {result.gap:.0e}")

# %%
# Risk is a standard deviation per period, here per week. For a year, returns are multiplied by
# 52 and risk by its root.

year = answer.per_year(52)
print(f"per year: return {year.expected_return:.1%}, risk {year.risk:.1%}")

# %%
# Which asset carries how much of the risk? ``table`` has that beside the weights; the shares
# add up to 1.

table = answer.table()
print(table.round(4))

# %%
# What does the limit cost?
# -------------------------
# Less than it seems. The same target with any number of assets, down to three:

risks = {}
for most in (3, 4, 5, 6, 8, 10, 15, 20):
    fewer = market.portfolio(assets=(None, most), min_weight=0.01, target_return=0.0032).solve(
        time_limit=30
    )
    risks[most] = fewer.risk
    print(f"at most {most:2} assets: risk {fewer.risk:.3%}, {len(fewer.weights):2} held")

# %%
# Ten assets have almost the risk of twenty, and each of them is one line less to trade and to
# watch.

import matplotlib.pyplot as plt

figure, (left, right) = plt.subplots(1, 2, figsize=(4.8, 3.5), layout="constrained")
held = table.iloc[::-1]
left.barh(held.index, 100 * held["weight"], color="#0072B2", label="weight")
left.plot(
    100 * held["risk_contribution"], held.index, "o", color="#D55E00", label="share of the risk"
)
left.set_xlabel("%")
left.legend(fontsize=8, loc="lower right")
left.set_title("Weight, share of risk", fontsize=10)
right.plot(list(risks), [100 * risk for risk in risks.values()], "o-", color="#0072B2")
right.set_xlabel("assets held at most")
right.set_ylabel("risk per week, %")
right.set_title("Risk by number held", fontsize=10)
plt.show()

# %%
# What to change: ``assets=(5, 10)`` for a range, ``max_weight=0.15``,
# ``return_sense="at_least"``, or ``groups={"banks": hm.Group(market.groups()["Banks"],
# max_weight=0.2)}`` for a limit on a sector. With your own data, ``hm.Portfolio(returns,
# covariance, ...)`` takes NumPy arrays or pandas objects; the next example reads a file.
