"""Problems in which a switch is nothing but a charge: paid where one of its x is not zero, and that is all it does.

The cost is then a function of x alone, and a concave one: `search.slopes` and `search.vertices` build on that.
"""

from __future__ import annotations

import numpy as np

from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Vector


def rows_when_on(problem: Problem) -> tuple[Vector, Vector]:
    """Limits of A x with every b on."""
    on = np.asarray(problem.G.sum(axis=1)).ravel() if problem.G.nnz else np.zeros(problem.rows)
    return problem.row_lower - on, problem.row_upper - on
