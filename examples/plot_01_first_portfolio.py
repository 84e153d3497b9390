"""
A first portfolio
=================

Ten of sixty assets, at the least variance for a wanted return.
"""

import hybridmip as hm

market = hm.market(assets=60, seed=0)
portfolio = market.portfolio(assets=10, min_weight=0.01, target_return=0.0032)
answer = portfolio.read(hm.solve(portfolio.problem(), time_limit=5, seed=0))
print(answer.weights.round(4))
