"""A sweep of problems along one parameter: run, stored, resumed, spread over processes and machines."""

from hybridmip.frontier.curve import Frontier, Point
from hybridmip.frontier.family import Family, PortfolioFamily, ProblemFamily
from hybridmip.frontier.run import frontier

__all__ = ["Family", "Frontier", "Point", "PortfolioFamily", "ProblemFamily", "frontier"]
