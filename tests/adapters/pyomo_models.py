"""A dozen small Pyomo models, of the kinds that people solve."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pyomo.environ as pyo
from pyomo.contrib.solver.common.factory import SolverFactory


def knapsack() -> Any:
    """The most value within a weight: maximised, binaries alone."""
    rng = np.random.default_rng(1)
    weight, value = rng.integers(3, 20, 12), rng.integers(3, 20, 12)
    m = pyo.ConcreteModel("knapsack")
    m.take = pyo.Var(range(12), domain=pyo.Binary)
    m.weight = pyo.Constraint(expr=sum(int(weight[k]) * m.take[k] for k in range(12)) <= 60)
    m.value = pyo.Objective(expr=sum(int(value[k]) * m.take[k] for k in range(12)) + 3.5, sense=pyo.maximize)
    return m


def facility() -> Any:
    """Sites to open and shares of customers, with capacities."""
    rng = np.random.default_rng(2)
    cost = rng.uniform(1, 9, (4, 7))
    m = pyo.ConcreteModel("facility")
    m.open = pyo.Var(range(4), domain=pyo.Binary)
    m.share = pyo.Var(range(4), range(7), bounds=(0, 1))
    m.served = pyo.Constraint(range(7), rule=lambda m, j: sum(m.share[i, j] for i in range(4)) == 1)
    m.link = pyo.Constraint(range(4), range(7), rule=lambda m, i, j: m.share[i, j] <= m.open[i])
    m.capacity = pyo.Constraint(range(4), rule=lambda m, i: sum(m.share[i, j] for j in range(7)) <= 3 * m.open[i])
    m.cost = pyo.Objective(
        expr=sum(6 * m.open[i] for i in range(4)) + sum(cost[i, j] * m.share[i, j] for i in range(4) for j in range(7))
    )
    return m


def unit_commitment() -> Any:
    """Generators on and off over six hours, with starts."""
    demand, low, high = [50, 80, 120, 150, 90, 60], [20, 30, 10], [80, 100, 40]
    m = pyo.ConcreteModel("commitment")
    m.on = pyo.Var(range(3), range(6), domain=pyo.Binary)
    m.starts = pyo.Var(range(3), range(1, 6), domain=pyo.Binary)
    m.power = pyo.Var(range(3), range(6), domain=pyo.NonNegativeReals)
    m.demand = pyo.Constraint(range(6), rule=lambda m, t: sum(m.power[g, t] for g in range(3)) >= demand[t])
    m.high = pyo.Constraint(range(3), range(6), rule=lambda m, g, t: m.power[g, t] <= high[g] * m.on[g, t])
    m.low = pyo.Constraint(range(3), range(6), rule=lambda m, g, t: m.power[g, t] >= low[g] * m.on[g, t])
    m.start = pyo.Constraint(range(3), range(1, 6), rule=lambda m, g, t: m.starts[g, t] >= m.on[g, t] - m.on[g, t - 1])
    m.cost = pyo.Objective(
        expr=sum([2.0, 1.5, 4.0][g] * m.power[g, t] + [30, 50, 5][g] * m.on[g, t] for g in range(3) for t in range(6))
        + sum(40 * m.starts[g, t] for g in range(3) for t in range(1, 6))
    )
    return m


def quadratic_commitment() -> Any:
    """The same in two hours, with quadratic cost of fuel."""
    m = pyo.ConcreteModel("fuel")
    m.on = pyo.Var(range(3), range(2), domain=pyo.Binary)
    m.power = pyo.Var(range(3), range(2), bounds=(0, 100))
    m.demand = pyo.Constraint(range(2), rule=lambda m, t: sum(m.power[g, t] for g in range(3)) == [90, 140][t])
    m.high = pyo.Constraint(range(3), range(2), rule=lambda m, g, t: m.power[g, t] <= 80 * m.on[g, t])
    m.low = pyo.Constraint(range(3), range(2), rule=lambda m, g, t: m.power[g, t] >= 25 * m.on[g, t])
    m.cost = pyo.Objective(
        expr=sum(
            0.01 * (g + 1) * m.power[g, t] ** 2 + (2 - 0.5 * g) * m.power[g, t] + 30 * m.on[g, t]
            for g in range(3)
            for t in range(2)
        )
    )
    return m


def lot_sizing() -> Any:
    """Production in lots: set-ups, stock kept."""
    demand = [20, 0, 35, 40, 10, 25, 30]
    m = pyo.ConcreteModel("lots")
    m.made = pyo.Var(range(7), domain=pyo.NonNegativeReals)
    m.stock = pyo.Var(range(8), domain=pyo.NonNegativeReals)
    m.setup = pyo.Var(range(7), domain=pyo.Binary)
    m.stock[0].fix(5)
    m.balance = pyo.Constraint(range(7), rule=lambda m, t: m.stock[t] + m.made[t] - demand[t] == m.stock[t + 1])
    m.link = pyo.Constraint(range(7), rule=lambda m, t: m.made[t] <= 70 * m.setup[t])
    m.cost = pyo.Objective(expr=sum(45 * m.setup[t] + m.made[t] + 0.8 * m.stock[t + 1] for t in range(7)))
    return m


def portfolio() -> Any:
    """At most three of six assets, each of a least weight; the variance is a double sum."""
    rng = np.random.default_rng(3)
    root = rng.normal(size=(9, 6)) * 0.1
    covariance, returns = root.T @ root, rng.uniform(0.0, 0.1, 6)
    m = pyo.ConcreteModel("portfolio")
    m.weight = pyo.Var(range(6), bounds=(0, 1), initialize=0.2)
    m.held = pyo.Var(range(6), domain=pyo.Binary, initialize=0)
    m.budget = pyo.Constraint(expr=sum(m.weight[i] for i in range(6)) == 1)
    m.returns = pyo.Constraint(expr=sum(returns[i] * m.weight[i] for i in range(6)) >= 0.05)
    m.count = pyo.Constraint(expr=sum(m.held[i] for i in range(6)) <= 3)
    m.most = pyo.Constraint(range(6), rule=lambda m, i: m.weight[i] <= 0.6 * m.held[i])
    m.least = pyo.Constraint(range(6), rule=lambda m, i: m.weight[i] >= 0.1 * m.held[i])
    m.variance = pyo.Objective(
        expr=sum(covariance[i, j] * m.weight[i] * m.weight[j] for i in range(6) for j in range(6))
    )
    return m


def utility() -> Any:
    """A concave utility, maximised; the risk is an expression that is used twice."""
    rng = np.random.default_rng(4)
    factors = rng.normal(size=(2, 6)) * 0.2
    m = pyo.ConcreteModel("utility")
    m.weight = pyo.Var(range(6), bounds=(0, 0.5))
    m.held = pyo.Var(range(6), domain=pyo.Binary)
    m.budget = pyo.Constraint(expr=(0.9, sum(m.weight[i] for i in range(6)), 1.0))
    m.link = pyo.Constraint(range(6), rule=lambda m, i: m.weight[i] <= 0.5 * m.held[i])
    m.risk = pyo.Expression(
        expr=sum(sum(float(factors[k, i]) * m.weight[i] for i in range(6)) ** 2 for k in range(2))
        + 0.05 * sum(m.weight[i] ** 2 for i in range(6))
    )
    m.utility = pyo.Objective(
        expr=sum((0.02 + 0.01 * i) * m.weight[i] - 0.004 * m.held[i] for i in range(6)) - m.risk - 0.5 * m.risk,
        sense=pyo.maximize,
    )
    return m


def regression() -> Any:
    """Best subset of three columns, with a big M; free coefficients and residuals as squares of linear expressions."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(15, 6))
    y = X @ np.array([2.0, 0, -1.5, 0, 0.3, 0]) + 0.1 * rng.normal(size=15)
    m = pyo.ConcreteModel("regression")
    m.beta = pyo.Var(range(6))
    m.constant = pyo.Var()
    m.used = pyo.Var(range(6), domain=pyo.Binary)
    m.upper = pyo.Constraint(range(6), rule=lambda m, j: m.beta[j] <= 10 * m.used[j])
    m.lower = pyo.Constraint(range(6), rule=lambda m, j: m.beta[j] >= -10 * m.used[j])
    m.count = pyo.Constraint(expr=sum(m.used[j] for j in range(6)) <= 2)
    m.loss = pyo.Objective(
        expr=sum((y[i] - m.constant - sum(X[i, j] * m.beta[j] for j in range(6))) ** 2 for i in range(15)) / 15
    )
    return m


def cover() -> Any:
    """Few sets that have every element."""
    sets = [{0, 1, 2}, {2, 3}, {3, 4, 5}, {0, 5}, {1, 4}, {2, 5}, {0, 3, 4}]
    m = pyo.ConcreteModel("cover")
    m.take = pyo.Var(range(7), domain=pyo.Binary)
    m.element = pyo.Constraint(range(6), rule=lambda m, e: sum(m.take[s] for s in range(7) if e in sets[s]) >= 1)
    m.cost = pyo.Objective(expr=sum((1 + 0.1 * s) * m.take[s] for s in range(7)))
    return m


def integers() -> Any:
    """General integers, one of them negative, and one that is fixed by its bounds."""
    m = pyo.ConcreteModel("integers")
    m.n = pyo.Var(range(3), domain=pyo.Integers, bounds=(-4, 11))
    m.fixed = pyo.Var(domain=pyo.Integers, bounds=(2, 2))
    m.x = pyo.Var(bounds=(-3, 8))
    m.one = pyo.Constraint(expr=3 * m.n[0] + 5 * m.n[1] - 2 * m.n[2] + m.x >= 7.5)
    m.two = pyo.Constraint(expr=m.n[0] - m.n[1] + m.fixed <= 3)
    m.three = pyo.Constraint(expr=(-2, m.n[2] + m.x, 9.25))
    m.cost = pyo.Objective(expr=4 * m.n[0] + 6.5 * m.n[1] - m.n[2] + 1.25 * m.x + 2 * m.fixed)
    return m


def scheduling() -> Any:
    """Three jobs on one machine, either before or after each other, by a big M; the end is free."""
    length, weight = [3, 5, 2], [2, 1, 3]
    m = pyo.ConcreteModel("scheduling")
    m.start = pyo.Var(range(3), bounds=(0, 10))
    m.end = pyo.Var()
    m.before = pyo.Var([(0, 1), (0, 2), (1, 2)], domain=pyo.Binary)
    m.first = pyo.Constraint(
        [(0, 1), (0, 2), (1, 2)], rule=lambda m, i, j: m.start[i] + length[i] <= m.start[j] + 20 * (1 - m.before[i, j])
    )
    m.second = pyo.Constraint(
        [(0, 1), (0, 2), (1, 2)], rule=lambda m, i, j: m.start[j] + length[j] <= m.start[i] + 20 * m.before[i, j]
    )
    m.last = pyo.Constraint(range(3), rule=lambda m, i: m.end >= m.start[i] + length[i])
    m.cost = pyo.Objective(expr=m.end + sum(weight[i] * m.start[i] for i in range(3)))
    return m


def network() -> Any:
    """Flow over arcs that cost once they are used; a switch is a sum of flows."""
    arcs = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 4), (3, 4)]
    m = pyo.ConcreteModel("network")
    m.flow = pyo.Var(arcs, bounds=(0, 6))
    m.open = pyo.Var(arcs, domain=pyo.Binary)
    m.link = pyo.Constraint(arcs, rule=lambda m, i, j: m.flow[i, j] <= 6 * m.open[i, j])
    supply = [7, 0, -2, 0, -5]
    m.balance = pyo.Constraint(
        range(5),
        rule=lambda m, k: (
            sum(m.flow[a] for a in arcs if a[0] == k) - sum(m.flow[a] for a in arcs if a[1] == k) == supply[k]
        ),
    )
    m.cost = pyo.Objective(expr=sum((1 + k % 3) * m.flow[a] + (5 - k % 2) * m.open[a] for k, a in enumerate(arcs)))
    return m


def semicontinuous() -> Any:
    """Ingredients in nothing or an interval, of which products with binaries are in the objective."""
    m = pyo.ConcreteModel("blend")
    m.amount = pyo.Var(range(5), bounds=(0, 10))
    m.used = pyo.Var(range(5), domain=pyo.Binary)
    m.least = pyo.Constraint(range(5), rule=lambda m, i: m.amount[i] >= 2 * m.used[i])
    m.most = pyo.Constraint(range(5), rule=lambda m, i: m.amount[i] <= (4 + i) * m.used[i])
    m.total = pyo.Constraint(expr=sum(m.amount[i] for i in range(5)) == 9)
    m.cost = pyo.Objective(
        expr=sum((m.amount[i] - i) ** 2 / 4 for i in range(5)) + 2 * m.used[0] * m.used[1] + 3 * m.used[2] * m.used[3]
        + sum(m.used[i] ** 2 for i in range(5))
    )  # fmt: skip
    return m


MODELS: tuple[Callable[[], Any], ...] = (
    knapsack, facility, unit_commitment, quadratic_commitment, lot_sizing, portfolio, utility, regression, cover,
    integers, scheduling, network, semicontinuous,
)  # fmt: skip


def best_value(model: Any) -> float:
    """The optimum: HiGHS's for a linear model, the best of HiGHS's over all settings of the binaries for another."""
    objective = next(model.component_data_objects(pyo.Objective, active=True))
    better = max if objective.sense == pyo.maximize else min
    highs = SolverFactory("highs")
    settings = {"load_solutions": False, "raise_exception_on_nonoptimal_result": False, "rel_gap": 0.0}
    if objective.expr.polynomial_degree() == 1:
        value: float = highs.solve(model, **settings).incumbent_objective
        return value
    binaries = [v for v in model.component_data_objects(pyo.Var) if v.is_binary()]
    for variable in binaries:  # HiGHS takes no integers beside a quadratic objective, fixed or not
        variable.domain = pyo.Reals
    found = []
    for choice in itertools.product((0, 1), repeat=len(binaries)):
        for variable, setting in zip(binaries, choice, strict=True):
            variable.fix(setting)
        answer = highs.solve(model, **settings).incumbent_objective
        found += [] if answer is None else [answer]
    for variable in binaries:
        variable.domain = pyo.Binary
        variable.unfix()
    return better(found)
