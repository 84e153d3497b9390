"""
Best subset regression
======================

Explain a response with five of forty columns, and know that no other five do better.

You will see where the Lasso and the exact choice differ, how to choose the number of columns,
and how to check the claim. Needs scikit-learn: ``pip install 'hybridmip[sklearn]'``.
"""

# %%
# Columns that look alike
# -----------------------
# Five of forty columns matter. Neighbouring columns are correlated by 0.8, which is what makes
# the choice hard: a column can stand in for the one beside it.

import numpy as np
from sklearn.linear_model import lars_path

from hybridmip.estimators import BestSubsetRegressor, BestSubsetRegressorCV

rng = np.random.default_rng(7)
rows, columns = 200, 40
noise = rng.normal(size=(rows, columns))
X = noise.copy()
for j in range(1, columns):
    X[:, j] = 0.8 * X[:, j - 1] + 0.6 * noise[:, j]
truth = np.zeros(columns)
truth[[8, 10, 22, 24, 34]] = [1.0, -1.0, 0.8, -0.8, 0.6]
y = X @ truth + rng.normal(size=rows)

# %%
# The best five
# -------------
# ``gap_`` is how much smaller the sum of squares of any other five columns can be, as a share.

model = BestSubsetRegressor(n_nonzero=5, time_limit=30).fit(X, y)
print("columns", model.support_, "coefficients", model.coef_[model.support_].round(2))
print(f"mean squared error {model.objective_:.4f}, gap {model.gap_:.0e}")

# %%
# The claim needs no trust: the certificate is checked with the data alone. What the formula
# proves by itself, without trying cases, is the bound that it claims.

check = model.certificate_.verify(model.problem_)
print(f"the certificate holds: {bool(check)}, and proves at least {check.bound:.4f}")

# %%
# Beside the Lasso
# ----------------
# The Lasso has no choice of columns: it shrinks, and the first five to come in along its path
# are a by-product. Least squares on these five is what it offers here.


def least_squares(chosen):
    """Mean squared error of the best fit with these columns, and an intercept."""
    centred = X[:, chosen] - X[:, chosen].mean(axis=0)
    fit = np.linalg.lstsq(centred, y - y.mean(), rcond=None)[0]
    return np.mean((y - y.mean() - centred @ fit) ** 2)


centred = X - X.mean(axis=0)
_, order, _ = lars_path(centred, y - y.mean(), method="lasso", max_iter=5)
lasso = sorted(int(j) for j in order[:5])
for name, chosen in {"Lasso": lasso, "ours": model.support_.tolist()}.items():
    print(f"{name:5} {chosen}, mean squared error {least_squares(chosen):.4f}")

# %%
# Where effects of neighbours have opposite signs they hide each other: each alone looks like
# nothing, and the Lasso sees them late. Trying pairs is what a search over subsets does.
#
# How many?
# ---------
# Cross-validation tells. ``path_`` has the answers along the number of columns with their
# bounds.

search = BestSubsetRegressorCV(n_nonzero=6, cv=3, time_limit=60).fit(X, y)
print("chosen:", search.best_n_nonzero_, "columns", search.support_)
print(search.path_)

# %%

import matplotlib.pyplot as plt

figure, (upper, lower) = plt.subplots(2, 1, figsize=(4.8, 4.6), layout="constrained")
upper.axhline(0, color="#8A8A8A", linewidth=0.8)
upper.vlines(np.flatnonzero(truth), 0, truth[truth != 0], color="#8A8A8A", linewidth=3)
upper.plot(
    np.flatnonzero(truth), truth[truth != 0], "_", color="black", markersize=12, label="truth"
)
upper.plot(model.support_, model.coef_[model.support_], "o", color="#0072B2", label="best five")
upper.plot(
    lasso, np.zeros(5), "x", color="#D55E00", markersize=8, label="first five of the Lasso"
)
upper.set_xlabel("column")
upper.set_ylabel("coefficient")
upper.set_ylim(-1.3, 3.0)
upper.legend(fontsize=8, loc="upper right")
upper.set_title("Coefficients: the truth and the best five columns", fontsize=10)
scores = np.mean(search.scores_, axis=1)
lower.plot(search.numbers_, scores, "o-", color="#0072B2")
lower.axvline(search.best_n_nonzero_, color="#8A8A8A", linestyle=":")
lower.set_xlabel("columns held")
lower.set_ylabel("score on held-out rows")
lower.set_title("Cross-validation chooses the number of columns", fontsize=10)
plt.show()

# %%
# What to change: ``ridge`` (with more columns than rows it is what gives a bound), ``penalty``
# for a price per column instead of a number, ``groups`` for columns that come together:
# :doc:`/regression`.
