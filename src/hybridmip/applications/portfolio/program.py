"""The mixed-integer program of a portfolio."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Vector

if TYPE_CHECKING:
    from hybridmip.applications.portfolio.portfolio import Portfolio

#: Columns and coefficients of a row.
Row: TypeAlias = tuple[NDArray[np.intp], Vector]


def build(portfolio: Portfolio) -> Problem:
    """The program; see `Portfolio.problem` for its names."""
    n = portfolio.n
    everything = np.arange(n)
    rows: list[Row] = [(everything, np.ones(n))]
    lower, upper, row_names = [portfolio.budget], [portfolio.budget], ["budget"]
    if portfolio.target_return is not None:
        rows.append((everything, portfolio.returns))
        lower.append(portfolio.target_return)
        upper.append(portfolio.target_return if portfolio.return_sense == "equal" else np.inf)
        row_names.append("return")
    b_rows: list[Row] = []
    b_lower, b_upper, b_row_names = [], [], []
    if portfolio.assets is not None:
        fewest, most = portfolio.count_range
        b_rows.append((everything, np.ones(n)))
        b_lower.append(fewest)
        b_upper.append(most)
        b_row_names.append("assets")
    for name, group in portfolio.groups.items():
        members = portfolio.members[name]
        row = (members, np.ones(len(members)))
        if group.min_weight is not None or group.max_weight is not None:
            rows.append(row)
            lower.append(-np.inf if group.min_weight is None else group.min_weight)
            upper.append(np.inf if group.max_weight is None else group.max_weight)
            row_names.append(f"weight of {name}")
        if group.min_assets > 0 or group.max_assets is not None:
            b_rows.append(row)
            b_lower.append(group.min_assets)
            b_upper.append(len(members) if group.max_assets is None else group.max_assets)
            b_row_names.append(f"count of {name}")
    return Problem(
        Q=portfolio.covariance,
        A=_matrix(rows, n),
        row_lower=lower,
        row_upper=upper,
        B=_matrix(b_rows, n) if b_rows else None,
        b_lower=b_lower if b_rows else None,
        b_upper=b_upper if b_rows else None,
        x_lower=portfolio.min_weight,
        x_upper=portfolio.max_weight,
        switch=everything,
        binaries=n,
        x_names=portfolio.names,
        b_names=portfolio.names,
        row_names=row_names,
        b_row_names=b_row_names if b_rows else None,
    )


def _matrix(rows: list[Row], n: int) -> sparse.csr_array:
    """Rows over n columns as a sparse matrix."""
    starts = np.cumsum([0] + [len(columns) for columns, _ in rows])
    columns = np.concatenate([columns for columns, _ in rows])
    values = np.concatenate([values for _, values in rows])
    return sparse.csr_array((values, columns, starts), shape=(len(rows), n))
