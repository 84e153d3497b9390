"""
A model in cvxpy
================

A model that is stated in cvxpy already, solved by naming another solver.

You will see a rule that no ready-made portfolio class has (few sectors, and only assets of
these), how it is stated with booleans, and where the bound is. Needs cvxpy: ``pip install
'hybridmip[cvxpy]'``.
"""

# %%
# The data
# --------
# Forty assets in eight sectors. Risk comes from a few common factors, and from each asset
# itself; :math:`V = F W F' + D`.

import cvxpy as cp
import numpy as np

import hybridmip as hm

market = hm.market(assets=40, seed=6)
F, W = market.covariance.loadings, market.covariance.factor_covariance
D = market.covariance.specific_variance
sectors = list(dict.fromkeys(market.sectors))
belongs = np.array([[sector == s for s in sectors] for sector in market.sectors], dtype=float)

# %%
# The model
# ---------
# An asset is held with 3 to 30 %, or not at all. A sector is *open* or not; assets are held of
# open sectors only, and at most three are open. The objective is written with the factors, so
# that no 40 by 40 matrix is formed; the solver recognises that.

weight = cp.Variable(market.n, name="weight")
held = cp.Variable(market.n, boolean=True, name="held")
is_open = cp.Variable(len(sectors), boolean=True, name="open")

common = cp.sum_squares(np.linalg.cholesky(W).T @ F.T @ weight)
own = cp.sum_squares(cp.multiply(np.sqrt(D), weight))
problem = cp.Problem(
    cp.Minimize(common + own),
    [
        cp.sum(weight) == 1,
        market.expected_returns @ weight >= 0.003,
        weight >= 0.03 * held,
        weight <= 0.30 * held,
        held <= belongs @ is_open,
        cp.sum(is_open) <= 3,
    ],
)

# %%
# Solve it
# --------
# ``hm.cvxpy.HYBRIDMIP`` goes where another solver's name would. Options are those of
# ``hm.solve``.

problem.solve(solver=hm.cvxpy.HYBRIDMIP, time_limit=60)
opened = [sector for sector, on in zip(sectors, is_open.value, strict=True) if on > 0.5]
print(problem.status, opened)
print(f"risk {np.sqrt(problem.value):.4%} a week")

# %%
# A cvxpy problem has a value, but no bound. ``hm.cvxpy.bound`` gives it, in the problem's own
# sense; ``problem.solver_stats.extra_stats`` has the rest, the certificate among it.

stats = problem.solver_stats.extra_stats
print(f"variance {problem.value:.6e}, no less than {hm.cvxpy.bound(problem):.6e}")
print(f"the bound is {stats['rests_on']}")

# %%
# One more sector?
# ----------------
# The answer changes with the rule. cvxpy compiles the model once for all values of a parameter:

most = cp.Parameter(integer=True)
rules = [*problem.constraints[:-1], cp.sum(is_open) <= most]
family = cp.Problem(problem.objective, rules)
risks = {}
for number in (1, 2, 3, 4, 6, 8):
    most.value = number
    family.solve(solver=hm.cvxpy.HYBRIDMIP, time_limit=60)
    risks[number] = np.sqrt(family.value)
    print(f"at most {number}: {family.status}, risk {risks[number]:.3%}")

# %%

import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(4.8, 3.3), layout="constrained")
axes.plot(list(risks), [100 * risk for risk in risks.values()], "o-", color="#0072B2")
axes.set_xlabel("sectors at most")
axes.set_ylabel("least risk per week, %")
axes.set_title("Risk by number of sectors: four almost do", fontsize=10)
plt.show()

# %%
# What to change: norms and standard deviations are served as well as squares; what is refused,
# and why, is on :doc:`/cvxpy`. PyPortfolioOpt, Riskfolio and skfolio state their models in
# cvxpy and take the same solver.
