"""Portfolio selection: which assets to hold and how much of each, at the least variance."""

from hybridmip.applications.portfolio.benchmark import Benchmark
from hybridmip.applications.portfolio.groups import Group
from hybridmip.applications.portfolio.portfolio import Portfolio
from hybridmip.applications.portfolio.result import PortfolioResult

__all__ = ["Benchmark", "Group", "Portfolio", "PortfolioResult"]
