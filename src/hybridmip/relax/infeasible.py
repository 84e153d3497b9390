"""Proofs that there is no feasible point, with the rows that clash."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from hybridmip.bounds.formula import priced_limits
from hybridmip.engines.highs import LinearModel
from hybridmip.relax.line import relaxation_rows
from hybridmip.relax.role import Setting

#: The violation a proof must leave over, on rows scaled to unit norm.
MARGIN = 1e-7


def clashing_rows(setting: Setting, time_limit: float | None = None) -> tuple[str, ...] | None:
    """Names of rows that cannot hold together even with b in [0, 1]; None if that is not proven.

    The least total violation of the rows is an LP. Its multipliers y are a certificate: over the box
    of (x, b), y'(rows) stays below what the limits ask for. That is evaluated here from the problem's
    data, so the LP solver's tolerance cannot make a feasible problem infeasible.
    """
    problem = setting.problem
    matrix, row_lower, row_upper, below, above = relaxation_rows(setting)
    norms = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    norms[norms == 0.0] = 1.0
    matrix = sparse.csr_array(sparse.diags_array(1 / norms) @ matrix)
    row_lower, row_upper = row_lower / norms, row_upper / norms
    rows, columns = matrix.shape
    lower = np.concatenate([setting.hull_lower, np.zeros(problem.m)])
    upper = np.concatenate([setting.hull_upper, np.ones(problem.m)])
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
    y = np.where(np.abs(answer.row_duals) > 1e-10, answer.row_duals, 0.0)
    y = np.where(((y > 0) & np.isneginf(row_lower)) | ((y < 0) & np.isposinf(row_upper)), 0.0, y)
    slope = matrix.T @ y
    slope = np.where(np.abs(slope) <= 1e-11, 0.0, slope)
    reach = np.where(slope > 0, upper, lower)
    with np.errstate(invalid="ignore"):
        most = np.where(slope != 0, slope * reach, 0.0)
    asked = priced_limits(y, row_lower, row_upper)
    # Slopes set to zero above are charged at the full width of a finite box.
    width = np.where(np.isfinite(upper - lower), np.abs(lower) + np.abs(upper), 0.0)
    proof = float(asked.sum() - most.sum()) - 1e-11 * float(width.sum())
    if not proof > MARGIN / 2:
        return None
    names = list(problem.row_names) + list(problem.b_row_names)
    names += [f"{problem.x_names[j]} >= lower * switch" for j in below]
    names += [f"{problem.x_names[j]} <= upper * switch" for j in above]
    used = np.flatnonzero(y)
    proper = [names[i] for i in used if i < problem.rows + problem.B.shape[0]]
    return tuple(proper) if proper else tuple(names[i] for i in used)
