"""Proofs that there is no feasible point, with the rows that clash."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from hybridmip.bounds.farkas import Clashes, of_unit_size
from hybridmip.engines.highs import LinearModel
from hybridmip.relax.protocol import Setting
from hybridmip.tolerances import INFEASIBLE as MARGIN


def clashing_rows(setting: Setting, time_limit: float | None = None) -> tuple[str, ...] | None:
    """Names of rows that cannot hold together even with b in [0, 1]; None if that is not proven.

    The least total violation of the rows is an LP. Its multipliers y are a certificate: over the box
    of (x, b), y'(rows) stays below what the limits ask for. That is evaluated here from the problem's
    data, so the LP solver's tolerance cannot make a feasible problem infeasible.
    """
    problem = setting.problem
    matrix, row_lower, row_upper, below, above = setting.joint_rows
    matrix, row_lower, row_upper = of_unit_size(matrix, row_lower, row_upper)
    rows, columns = matrix.shape
    # Not the setting's own hull: a row that keeps a binary off is one of those that clash.
    switched = problem.switched
    lower = np.where(switched, np.minimum(setting.lower, 0.0), setting.lower)
    upper = np.where(switched, np.maximum(setting.upper, 0.0), setting.upper)
    lower, upper = np.concatenate([lower, np.zeros(problem.m)]), np.concatenate([upper, np.ones(problem.m)])
    identity = sparse.eye_array(rows)
    model = LinearModel(
        np.concatenate([np.zeros(columns), np.ones(2 * rows)]),
        sparse.hstack([matrix, identity, -identity]),
        row_lower,
        row_upper,
        np.concatenate([lower, np.zeros(2 * rows)]),
        np.concatenate([upper, np.full(2 * rows, np.inf)]),
    )
    answer = model.solve(time_limit)
    if answer.status != "optimal" or answer.row_duals is None or answer.objective <= MARGIN:
        return None
    clash = Clashes(matrix).proven(answer.row_duals, row_lower, row_upper, lower, upper)
    if clash is None:
        return None
    names = list(problem.row_names) + list(problem.b_row_names)
    names += [f"{problem.x_names[j]} >= lower * switch" for j in below]
    names += [f"{problem.x_names[j]} <= upper * switch" for j in above]
    used = np.flatnonzero(clash.multipliers)
    proper = [names[i] for i in used if i < problem.rows + problem.B.shape[0]]
    return tuple(proper) if proper else tuple(names[i] for i in used)
