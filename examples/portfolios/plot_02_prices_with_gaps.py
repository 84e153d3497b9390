"""
From a CSV of prices with gaps
==============================

Read a file of prices as it comes, decide what to do about its gaps, and hold five assets.

You will see what the reader says about a file that is not clean, and why the choice of a remedy
matters. The file (:download:`prices_with_gaps.csv`; put it beside the script) has weekly prices
of twelve made-up assets: the dates in the first column, the names in the first row. Your own
file needs the same shape and nothing more.
"""

# %%
# The first try
# -------------
# Without an instruction gaps are an error, not a guess. The message counts them and lists the
# remedies, each with what it would leave of *this* file.

import hybridmip as hm

try:
    hm.read_portfolio_data("prices_with_gaps.csv")
except hm.FileError as error:
    print(str(error).replace("; ", ";\n").replace("), ", "),\n").replace(" or ", " or\n"))

# %%
# Where are they?
# ---------------
# Look before you choose. A late listing, a halt, some lost values and a takeover are four
# different things.

import pandas as pd

prices = pd.read_csv("prices_with_gaps.csv", index_col="date", parse_dates=True)
gaps = prices.isna().sum()
print(gaps[gaps > 0])

# %%
# Choose
# ------
# FIR has less than two of three years: leave it out (``min_history``). Of the others a missing
# price is the one before (``fill``), which is what a holder would have seen. That is right for
# BEECH and PINE. The reader warns of what it is not right for: MAPLE was taken over, and a
# price that stands still looks as safe as cash.

data = hm.read_portfolio_data(
    "prices_with_gaps.csv", missing="fill", min_history=120, periods_per_year=52
)
print(*data.warnings, sep="\n")

# %%
# So MAPLE goes as well, and with it the warning.

data = hm.read_portfolio_data(
    "prices_with_gaps.csv",
    missing="fill",
    min_history=120,
    periods_per_year=52,
    exclude=["MAPLE"],
)
print(*data.warnings, sep="\n")
print(f"{len(data.names)} assets are left")

# %%
# Solve
# -----
# Five of them with at least 5 % each, at the least variance. With 156 returns for ten assets
# the sample covariance is usable; with fewer dates than assets give ``shrink="ledoit-wolf"``.

portfolio = hm.Portfolio(
    data.returns, data.covariance, names=data.names, assets=5, min_weight=0.05
)
answer = portfolio.solve(time_limit=30)
print(answer)
year = answer.per_year(data.periods_per_year)
print(f"risk per year {year.risk:.1%}")

# %%
# The gaps, and what is held in the end:

import matplotlib.pyplot as plt
from matplotlib.colors import ListedColormap

figure, axes = plt.subplots(figsize=(4.8, 3.5), layout="constrained")
missing = prices.isna().T
axes.imshow(
    missing, aspect="auto", interpolation="none", cmap=ListedColormap(["#DCE6EE", "#D55E00"])
)
labels = [
    f"{name} {answer.weights[name]:.0%}" if name in answer.weights else name
    for name in prices.columns
]
axes.set_yticks(range(len(labels)), labels)
for label, name in zip(axes.get_yticklabels(), prices.columns, strict=True):
    label.set_fontweight("bold" if name in answer.weights else "normal")
years = [
    place
    for place, date in enumerate(prices.index)
    if place == 0 or date.year != prices.index[place - 1].year
]
axes.set_xticks(years, [str(prices.index[place].year) for place in years])
axes.set_title("Missing prices (orange), and assets held (bold)", fontsize=10)
plt.show()

# %%
# What to change: ``missing="drop-assets"`` leaves out every asset with a gap,
# ``missing="drop-dates"`` every date, ``since="2006"`` what is old. All options and messages:
# :doc:`/data`. The same on the command line::
#
#     hybridmip portfolio prices_with_gaps.csv --missing fill --min-history 120 \
#         --exclude MAPLE --assets 5 --min-weight 5%
