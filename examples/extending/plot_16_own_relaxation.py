"""
Your own relaxation
===================

Add a relaxation of your own to the solver, and let it claim only what it can prove.

You will see the one formula that all bounds rest on, why *any* numbers that you put into it
give a valid bound, and how one line makes the solver use your class.
"""

# %%
# The formula
# -----------
# For every diagonal :math:`D \ge 0` with :math:`Q - D` positive semidefinite, every point
# :math:`y` and all multipliers of the rows there is a lower bound in closed form. A relaxation
# is a way to find good ones. The better :math:`D` is, the more of the risk is charged to the
# assets one by one, and the more the choice of eight of them costs.
#
# ``setting`` has the problem, the formula and the diagonals that the solver knows: ``diagonal``
# has the largest trace. ``earlier`` is what the relaxations before this one found. Ours takes
# the point and the multipliers of the perspective relaxation, and only a share of its diagonal.

from dataclasses import replace

import hybridmip as hm
from hybridmip.model.units import Proof


class Blend(hm.Relaxation):
    """The perspective relaxation's point and multipliers, with a share of its diagonal."""

    def __init__(self, share):
        self.share, self.name = share, f"blend {share:.2f}"

    def solve(self, setting, earlier, time_limit):
        known = earlier["persp"]
        numbers = Proof(
            self.share * setting.diagonal,
            known.x,
            known.row_multipliers,
            known.binary_multipliers,
        )
        bound, proof = setting.formula.claim(numbers)
        return replace(known, name=self.name, bound=bound, proof=proof, guides=False)


# %%
# Two lines
# ---------
# A registration and a configuration. (``share=share`` keeps the value of each turn of the
# loop.)

shares = [0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 1.0]
for share in shares:
    hm.RELAXATIONS[f"blend {share:.2f}"] = lambda config, share=share: Blend(share)

names = tuple(f"blend {share:.2f}" for share in shares)
returns, covariance = hm.market(assets=60, seed=3).sample_estimates()
portfolio = hm.Portfolio(returns, covariance, assets=8, min_weight=0.05, target_return=0.003)
problem = portfolio.problem()
result = hm.solve(problem, config=hm.Config(relaxations=("persp", *names)), time_limit=30)
print(f"{result.status}, variance {result.objective:.6e}")
for name in ("persp", *names):
    print(f"{name:10}  bound {result.bounds[name]:.6e}")

# %%
# Every one of them is below the optimum, as it must be, and the whole diagonal is the best.
# None closes the gap alone; the tree does that, with a diagonal fitted to what is left at each
# node.
#
# What if it lies?
# ----------------
# A bound above a feasible point is wrong, whoever claims it: it is dropped, and the result says
# so. A lie that no point contradicts would not be seen in this way. That is why bounds come
# from ``formula.claim``, whose numbers anyone can check later (``result.certificate``).


class TooGood(hm.Relaxation):
    """Claims twice what the perspective relaxation found."""

    name = "too good"

    def solve(self, setting, earlier, time_limit):
        known = earlier["persp"]
        return replace(known, name=self.name, bound=2 * known.bound, proof=None, guides=False)


hm.RELAXATIONS["too good"] = lambda config: TooGood()
lying = hm.solve(problem, config=hm.Config(relaxations=("persp", "too good")), time_limit=30)
print(f"{lying.status}, variance {lying.objective:.6e}")
print(lying.integrity[0].partition(" was ")[0], "was dropped")

# %%

import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(4.8, 3.5), layout="constrained")
bounds = [1e4 * result.bounds[name] for name in names]
axes.axhline(1e4 * result.objective, color="#D55E00", label="the optimum")
axes.plot(shares, bounds, "o-", color="#0072B2", label="bound of the relaxation")
axes.set_xlabel("share of the diagonal")
axes.set_ylabel("variance, 1e-4")
axes.legend(fontsize=8, loc="lower right")
axes.set_title("More diagonal, higher bound, never above the optimum", fontsize=10)
plt.show()

# %%
# What to change: the point, the multipliers, or the diagonal (``setting.phi`` is another one
# below Q). Scores say which binaries should rather be on, and go into the pool of candidates.
# More: :doc:`/extending`.
