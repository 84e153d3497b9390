"""
Your own phase
==============

Put a search of your own in front of the solver's, and see what it is good for.

You will see what a phase is, how a greedy search is written as one, where it goes wrong, and
how the phases after it mend that.
"""

# %%
# A phase
# -------
# A solve is a row of phases. Each says which problems it serves (``supports``) and then runs:
# it tries choices of b by ``state.evaluate``, which solves for x and keeps the best. Whatever
# it offers is checked against the data, so that a phase can be useless but not wrong.
#
# This one begins with nothing and switches on what helps most, one by one, until nothing helps.

import numpy as np

import hybridmip as hm
from hybridmip.run.phases import DEFAULT, Start


class Greedy(hm.Phase):
    """Switch on what helps most, one by one, from nothing."""

    name = "greedy"
    share = 0.2  # of the time left, at most

    def supports(self, structure, config):
        return structure.compiled and structure.rows_on_b == "free"

    def run(self, run):
        state, m = run.state, run.state.problem.m
        b = np.zeros(m, dtype=bool)
        best = state.evaluate(b, "greedy")
        while not b.all():
            off = np.flatnonzero(~b)
            tried = [state.evaluate(b | (np.arange(m) == i), "greedy") for i in off]
            nearest = min(tried, key=lambda answer: answer.rank)
            if nearest.rank >= best.rank:
                break
            best = nearest
            b[off[tried.index(best)]] = True


# %%
# A problem
# ---------
# Best subset regression with a price for each column, stated as a ``hm.Problem``: minimise
# :math:`|y - Xw|^2 + 4 \cdot` (columns held). Neighbouring columns are alike and some effects
# have opposite signs, which is where one by one goes wrong.

rng = np.random.default_rng(2)
X = rng.normal(size=(120, 30))
for j in range(1, 30):
    X[:, j] = 0.9 * X[:, j - 1] + 0.45 * X[:, j]
y = X[:, [4, 6, 15, 17, 25]] @ np.array([1.5, -1.5, 1.2, -1.2, 0.8]) + 0.5 * rng.normal(
    size=120
)
problem = hm.Problem(
    Q=X.T @ X,
    q=-2 * X.T @ y,
    p=np.full(30, 4.0),
    offset=float(y @ y),
    x_lower=-10,
    x_upper=10,
    switch=np.arange(30),
    b_names=[f"column {j}" for j in range(30)],
)

# %%
# Alone
# -----
# ``Start`` makes something to return, whatever happens later; then comes ours, and nothing
# else.

alone = hm.solve(problem, config=hm.Config(phases=(Start(), Greedy())))
print(f"greedy alone: {alone.objective:.3f} with {len(alone.selected)} columns, {alone.status}")

# %%
# In front of the others
# ----------------------
# ``DEFAULT`` is the tuple of phases that ``hm.solve`` runs otherwise.

both = hm.solve(
    problem, config=hm.Config(phases=(Start(), Greedy(), *DEFAULT[1:])), time_limit=30
)
print(f"with the others: {both.objective:.3f}, {both.status}")
print(", ".join(both.selected))

# %%
# Who found what? ``phases`` counts the restricted problems that each solved and how often it
# improved the answer; ``trace`` has every improvement. (What is counted as ``start`` is
# ``Start`` and the quick local searches after ours.)

for phase in both.phases:
    if phase.evaluations:
        print(
            f"{phase.name:12} {phase.evaluations:6} tried, {phase.improvements:2} improvements"
        )

# %%

import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(4.8, 3.5), layout="constrained")
values = np.array([step.objective for step in both.trace])
ours = np.array([step.phase == "greedy" for step in both.trace])
places = np.arange(1, values.size + 1)
axes.step(places, values, where="post", color="#8A8A8A", linewidth=1)
axes.plot(places[ours], values[ours], "o", color="#E69F00", label="found by the greedy phase")
axes.plot(places[~ours], values[~ours], "s", color="#0072B2", label="found by another phase")
axes.axhline(both.bound, color="#D55E00", linestyle="--", label="proven bound")
axes.set_xlabel("improvement")
axes.set_ylabel("objective")
axes.legend(fontsize=8)
axes.set_title("Greedy gets stuck, others go on to the optimum", fontsize=10)
plt.show()

# %%
# What to change: let it also switch off; begin at ``run.pool`` or at the rounded b of a
# relaxation (``run.relaxed``); raise a bound by ``state.raise_bound``. What else a phase can
# say: :doc:`/extending`.
