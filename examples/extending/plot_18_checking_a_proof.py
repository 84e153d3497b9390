"""
Reading and checking a proof
============================

The solver says *optimal*. How would you know, without trusting it?

You will see how to keep a proof as a file, how to check it with the data alone, how a tampered
one is refused, and what is inside: a formula that fits on one line, and a tree of cases.
"""

# %%
# A proof as a file
# -----------------
# ``prove=True`` goes on until the answer is proven and keeps the proof. Somebody else may check
# it: an auditor, a client, or you in a year.

import json
import tempfile
from pathlib import Path

import numpy as np

import hybridmip as hm

returns, covariance = hm.market(assets=60, seed=2).sample_estimates()
rules = {"assets": 8, "min_weight": 0.02, "max_weight": 0.3, "target_return": 0.0035}
problem = hm.Portfolio(returns, covariance, **rules).problem()
result = hm.solve(problem, prove=True)
print(f"{result.status}, {result.rests_on}: variance {result.objective:.8e}")

folder = tempfile.TemporaryDirectory()
file = Path(folder.name) / "proof.json"
result.proof.save(file)

# %%
# Check it
# --------
# The check knows the problem and the formula, and nothing of how the proof was found. It runs
# no solver, and every rounding error is charged against the claim.

proof = hm.ProofTree.load(file)
check = proof.verify(problem)
print(f"holds: {check.valid}, no portfolio has a variance below {check.bound:.8e}")
print(f"the answer is above that by {result.objective / check.bound - 1:.0e} of it")

# %%
# Tamper with it
# --------------
# A claim that is 0.1 % too high, a diagonal that is too large, a step that is left out, a
# problem in which one expected return is another: each is refused, with the reason.

document = json.loads(file.read_text())


def tampered(**changes):
    """The reason for which the changed document is refused."""
    return hm.ProofTree.from_dict({**document, **changes}).verify(problem).reason


places, values = document["diagonals"][0]
larger = [[places, [1.5 * value for value in values]], *document["diagonals"][1:]]
first, *others = document["nodes"]
print("claim:   ", tampered(bound=1.001 * document["bound"]))
print("diagonal:", tampered(diagonals=larger))
print("step:    ", tampered(nodes=[{**first, "steps": first["steps"][1:]}, *others]))
moved = returns.copy()
moved.iloc[0] += 1e-6
other = hm.Portfolio(moved, covariance, **rules).problem()
print("problem: ", proof.verify(other).reason)

# %%
# The formula by hand
# -------------------
# A *certificate* is the simplest proof, without cases. It holds a diagonal :math:`D`, a point
# :math:`y` and multipliers :math:`\lambda`. With :math:`Q - D` positive semidefinite,
# :math:`x'(Q - D)x \ge 2 y'(Q - D) x - y'(Q - D) y`, and what is left falls apart into the
# assets: each costs :math:`c_j`, its least :math:`d_j x^2 + v_j x` between 2 and 30 %, and the
# eight cheapest are a bound. In NumPy, with :math:`q = 0` here:

certificate = result.certificate
D, y, la = certificate.diagonal, certificate.point, certificate.multipliers
Q, A = covariance.to_numpy(), problem.A.toarray()
rest = Q - np.diag(D)
assert np.linalg.eigvalsh(rest).min() > 0

v = 2 * rest @ y - A.T @ la
with np.errstate(divide="ignore", invalid="ignore"):
    lowest = np.where(D > 0, -v / (2 * D), np.where(v > 0, -np.inf, np.inf))
x = np.clip(lowest, 0.02, 0.3)
c = D * x**2 + v * x
bound = -y @ rest @ y + la @ problem.row_lower + np.sort(c)[:8].sum()
print(f"by hand {bound:.8e}, the solver's {certificate.bound():.8e}")

# %%
# That is within a few percent of the optimum. The tree closes the rest: it fixes what a formula
# like this one rules out, splits by an asset that is held or not, and has a formula with
# numbers of its own for each case.

best = result.objective
print(
    f"certificate {certificate.bound() / best:.2%} of the optimum, "
    f"proof {check.bound / best:.4%}"
)
print(f"{len(document['nodes'])} nodes, {len(document['reasons'])} formulas")

# %%
# The tree
# --------
# Nodes come in the file as one walks through the tree: a node, then all of its first branch
# (the asset is held), then all of its second (it is not).


def grown(nodes, depth=0, leaves=0):
    """The next node of the list with its place and what is below it, and the leaves so far."""
    node = next(nodes)
    if "binary" not in node:
        return {"at": (leaves, -depth), "name": "", "below": []}, leaves + 1
    held, leaves = grown(nodes, depth + 1, leaves)
    out, leaves = grown(nodes, depth + 1, leaves)
    middle = (held["at"][0] + out["at"][0]) / 2
    name = problem.b_names[node["binary"]]
    return {"at": (middle, -depth), "name": name, "below": [held, out]}, leaves


root, leaves = grown(iter(document["nodes"]))

import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(4.8, 4.0), layout="constrained")
stack = [root]
while stack:
    node = stack.pop()
    for below, colour in zip(node["below"], ("#0072B2", "#D55E00"), strict=False):
        axes.plot(
            *zip(node["at"], below["at"], strict=True), color=colour, linewidth=1.5, zorder=1
        )
        stack.append(below)
    if node["below"]:
        box = {"boxstyle": "round", "facecolor": "white", "edgecolor": "#8A8A8A"}
        axes.text(*node["at"], node["name"], ha="center", va="center", fontsize=8, bbox=box)
    else:
        axes.plot(*node["at"], "s", color="#009E73", markersize=7, zorder=2)
axes.plot([], [], color="#0072B2", label="held")
axes.plot([], [], color="#D55E00", label="not held")
axes.plot([], [], "s", color="#009E73", label="ruled out by a formula")
axes.legend(fontsize=8)
axes.margins(0.1)
axes.axis("off")
axes.set_title(f"A proof: {leaves} cases, each ruled out by a formula", fontsize=10)
plt.show()

# %%
# What to change: more assets held make larger trees. On the command line the problem is kept as
# well, so that the check needs two files and nothing else::
#
#     hybridmip portfolio prices.csv --assets 8 --save-problem problem.json --proof proof.json
#     hybridmip verify problem.json proof.json
