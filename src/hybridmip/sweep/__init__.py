"""A sweep of problems along one parameter: run, stored, resumed, spread over processes and machines."""

from hybridmip.sweep.curve import Frontier, Point
from hybridmip.sweep.family import Family, PortfolioFamily, ProblemFamily
from hybridmip.sweep.run import frontier

__all__ = ["Family", "Frontier", "Point", "PortfolioFamily", "ProblemFamily", "frontier"]
