"""
Tracking an index with few names
================================

Follow an index of fifty names with ten of them.

You will see how close few names can come, how that depends on their number, and that the
tracking error that was estimated is about what comes true.
"""

# %%
# The index
# ---------
# Its weights are those of fifty made-up companies by their size: some large ones and many small
# ones.

import numpy as np

import hybridmip as hm

market = hm.market(assets=50, periods=520, seed=2)
sizes = np.random.default_rng(2).lognormal(0.0, 1.0, market.n)
index = dict(zip(market.names, sizes / sizes.sum(), strict=True))
largest = sorted(index.values(), reverse=True)
print(f"the ten largest are {sum(largest[:10]):.0%} of the index")

# %%
# Ten names
# ---------
# ``objective="tracking"`` minimises the variance of the difference to the benchmark. A name may
# have a larger weight than in the index, where it stands for others that move with it.

tracker = market.portfolio(
    assets=(None, 10), min_weight=0.01, objective="tracking", benchmark=index
).solve(time_limit=30)
print(tracker)

# %%
# Beside it the usual short cut, the ten largest in proportion. Its tracking error is computed
# by the same formula, :math:`\sqrt{(x - w)'V(x - w)}` with the index :math:`w`.

top = np.argsort(-sizes)[:10]
shortcut = np.zeros(market.n)
shortcut[top] = sizes[top] / sizes[top].sum()
apart = shortcut - sizes / sizes.sum()
error = np.sqrt(market.covariance.value(apart))
both = len({market.names[i] for i in top} & set(tracker.weights.index))
print(
    f"ten largest: tracking error {error:.3%} a week; "
    f"ours: {tracker.tracking_error:.3%}, with {both} of them"
)

# %%
# Most of the names are the same; what they weigh is not.
#
# How many names are enough?
# --------------------------
# Every point is proven: with so many names nobody tracks this index closer, as far as the
# covariance is right.

errors = {}
for most in (3, 5, 8, 10, 15, 20, 30):
    answer = market.portfolio(
        assets=(None, most), min_weight=0.01, objective="tracking", benchmark=index
    )
    errors[most] = answer.solve(time_limit=30)
    print(
        f"{most:2} names: {errors[most].tracking_error:.3%} a week, "
        f"{errors[most].result.status}"
    )

# %%
# Does it come true?
# ------------------
# Ten years of simulated weeks, which the choice has not seen: the market's covariance is known
# here, its returns are not.

history = market.returns()
of_index = history @ np.array(list(index.values()))
of_tracker = history @ tracker.x
realised = (of_tracker - of_index).std()
print(f"tracking error expected {tracker.tracking_error:.3%}, realised {realised:.3%} a week")

# %%

import matplotlib.pyplot as plt

figure, (upper, lower) = plt.subplots(2, 1, figsize=(4.8, 4.8), layout="constrained")
upper.plot((1 + of_index).cumprod(), color="black", label="index of 50 names")
upper.plot((1 + of_tracker).cumprod(), color="#D55E00", label="ten names")
upper.set_ylabel("value, first week = 1")
upper.tick_params(axis="x", labelsize=7)
upper.legend(fontsize=8)
upper.set_title("The index and ten names that follow it", fontsize=10)
lower.plot(
    list(errors),
    [100 * answer.tracking_error for answer in errors.values()],
    "o-",
    color="#0072B2",
)
lower.plot(
    10,
    100 * error,
    "x",
    color="#D55E00",
    markersize=9,
    markeredgewidth=2,
    label="ten largest in proportion",
)
lower.set_xlabel("names held at most")
lower.set_ylabel("tracking error per week, %")
lower.legend(fontsize=8)
lower.set_title("The tracking error falls with the number of names", fontsize=10)
plt.show()

# %%
# What to change: ``trade_cost`` and ``current`` with ``cost_weight`` for a tracker that is kept
# up to date, ``exposures={"size": (numbers, low, high)}`` to stay near the index in a factor
# too. If the weights of the index are not known, give
# ``benchmark=hm.Benchmark.from_returns(index_returns, asset_returns)``.
