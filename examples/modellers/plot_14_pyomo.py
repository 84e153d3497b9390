"""
A model in Pyomo
================

When to produce what: two products, twelve months, and a machine that has to be set up.

You will see a production plan (*lot sizing*) stated in Pyomo, solved by importing one module,
and what is in the results. Needs Pyomo: ``pip install 'hybridmip[pyomo]'``.
"""

# %%
# The model
# ---------
# In each month a product is made or not; making it at all costs a set-up. What is not sold at
# once is kept in stock, which costs too. Few large lots mean much stock, many small ones mean
# many set-ups.

import pyomo.environ as pyo
from pyomo.contrib.solver.common.factory import SolverFactory

import hybridmip.pyomo  # registers the solver

demand = {
    "red": [40, 20, 60, 30, 50, 80, 90, 70, 40, 20, 30, 60],
    "blue": [10, 50, 30, 40, 20, 20, 30, 60, 70, 50, 40, 20],
}
set_up, storage, capacity = {"red": 150, "blue": 120}, {"red": 1.5, "blue": 1.0}, 140

model = pyo.ConcreteModel("lots")
model.product = pyo.Set(initialize=list(demand))
model.month = pyo.RangeSet(12)
model.price = pyo.Param(initialize=1.0, mutable=True)  # of a set-up, beside today's
model.made = pyo.Var(model.product, model.month, bounds=(0, capacity))
model.stock = pyo.Var(model.product, model.month, domain=pyo.NonNegativeReals)
model.ready = pyo.Var(model.product, model.month, domain=pyo.Binary)


@model.Constraint(model.product, model.month)
def balance(m, product, month):
    """What is made and what was in stock is sold or kept."""
    before = m.stock[product, month - 1] if month > 1 else 0
    return (
        before + m.made[product, month] == demand[product][month - 1] + m.stock[product, month]
    )


@model.Constraint(model.product, model.month)
def only_if_ready(m, product, month):
    """Nothing is made without a set-up."""
    return m.made[product, month] <= capacity * m.ready[product, month]


@model.Constraint(model.month)
def machine(m, month):
    """Both products share the machine; a set-up takes the time of ten units."""
    return sum(m.made[p, month] + 10 * m.ready[p, month] for p in m.product) <= capacity


@model.Objective()
def cost(m):
    """Set-ups and stock."""
    return sum(
        m.price * set_up[p] * m.ready[p, t] + storage[p] * m.stock[p, t]
        for p in m.product
        for t in m.month
    )


# %%
# Solve it
# --------
# ``only_if_ready`` is recognised as a switch, so that nothing is lost by stating it with a
# large number.

results = SolverFactory("hybridmip").solve(model, time_limit=60)
print(results.solution_status.name, results.termination_condition.name)
print(f"cost {results.incumbent_objective:.1f}, no less than {results.objective_bound:.1f}")
print(f"the bound is {results.extra_info.rests_on}")

# %%
# The plan, with values where Pyomo has them:

plan = {
    product: [round(model.made[product, month].value) for month in model.month]
    for product in model.product
}
stock = [sum(model.stock[p, month].value for p in model.product) for month in model.month]
for product, made in plan.items():
    print(f"{product:4} {sum(lot > 0 for lot in made)} lots:", made)

# %%
# Both products take turns on the machine, and stock is built up before the summer.

import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(4.8, 3.5), layout="constrained")
months = list(model.month)
axes.bar(months, plan["red"], color="#D55E00", label="red made")
axes.bar(months, plan["blue"], bottom=plan["red"], color="#0072B2", label="blue made")
axes.plot(
    months, stock, "o--", color="black", markersize=4, label="in stock at the end of the month"
)
axes.set_xticks(months)
axes.set_xlabel("month")
axes.set_ylabel("units")
axes.set_ylim(0, 190)
axes.legend(fontsize=8, loc="upper right", ncols=2)
axes.set_title("A production plan: few lots, and stock in between", fontsize=10)
plt.show()

# %%
# Solve again
# -----------
# What if a set-up cost half as much, or twice? The price is a parameter of the model.

for price in (0.5, 1.0, 2.0):
    model.price = price
    results = SolverFactory("hybridmip").solve(model, time_limit=60)
    lots = sum(round(model.ready[p, t].value) for p in model.product for t in model.month)
    print(f"price times {price}: {lots:2} lots, cost {results.incumbent_objective:.0f}")

# %%
# What to change: ``rel_gap=0.01`` to stop earlier, ``tee=True`` to watch, a quadratic cost. A
# limit that ends the solve raises an error unless
# ``raise_exception_on_nonoptimal_result=False`` is given: :doc:`/pyomo`, which also has AMPL
# and JuMP.
