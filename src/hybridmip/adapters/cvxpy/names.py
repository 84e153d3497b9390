"""The solver under its name, for libraries that take no other: `solver="HYBRIDMIP"`."""

from __future__ import annotations

import sys

from cvxpy.reductions.solvers import defines

from hybridmip.adapters.cvxpy.solver import HYBRIDMIP, NAME

#: cvxpy's lists of names, and those that libraries made of them when they were imported.
LISTS = (
    ("cvxpy.reductions.solvers.defines", "CONIC_SOLVERS"),
    ("cvxpy.reductions.solvers.defines", "MI_SOLVERS"),
    ("cvxpy.reductions.solvers.defines", "MI_SOCP_SOLVERS"),
    ("cvxpy.reductions.solvers.defines", "INSTALLED_SOLVERS"),
    ("cvxpy.reductions.solvers.defines", "INSTALLED_CONIC_SOLVERS"),
    ("cvxpy.reductions.solvers.defines", "INSTALLED_MI_SOLVERS"),
    ("skfolio.optimization.convex._base", "INSTALLED_SOLVERS"),
)


def register() -> None:
    """Make `solver="HYBRIDMIP"` known to cvxpy, and to skfolio, for as long as this process runs.

    It comes last in cvxpy's lists, so no problem is given to it that does not ask for it while another solver is there.

    Examples
    --------
    >>> import cvxpy as cp
    >>> import hybridmip as hm
    >>> x, b = cp.Variable(3, nonneg=True), cp.Variable(3, boolean=True)
    >>> problem = cp.Problem(cp.Minimize(cp.sum_squares(x)), [cp.sum(x) == 1, x <= b, cp.sum(b) <= 2])
    >>> hm.cvxpy.register()
    >>> round(float(problem.solve(solver="HYBRIDMIP")), 6)
    0.5
    """
    defines.SOLVER_MAP_CONIC[NAME] = HYBRIDMIP
    for module, attribute in LISTS:
        names = getattr(sys.modules.get(module), attribute, None)
        if isinstance(names, list) and NAME not in names:
            names.append(NAME)
