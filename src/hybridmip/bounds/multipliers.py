"""Multipliers of rows: which limits they price, and at what."""

from __future__ import annotations

import numpy as np

from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Vector
from hybridmip.model.units import Proof


def usable_multipliers(multipliers: Vector, lower: Vector, upper: Vector) -> Vector:
    """Multipliers with those removed that price a limit which is not there."""
    wrong = ((multipliers > 0) & np.isneginf(lower)) | ((multipliers < 0) & np.isposinf(upper))
    return np.where(wrong, 0.0, multipliers)


def usable(problem: Problem, proof: Proof) -> Proof:
    """The proof without multipliers that price a limit which is not there."""
    rows = usable_multipliers(proof.rows, problem.row_lower, problem.row_upper)
    binary_rows = usable_multipliers(proof.binary_rows, problem.b_lower, problem.b_upper)
    return proof._replace(rows=rows, binary_rows=binary_rows)


def priced_limits(multipliers: Vector, lower: Vector, upper: Vector) -> Vector:
    """multiplier * limit, with the lower limit for a positive and the upper for a negative multiplier."""
    limit = np.where(multipliers > 0, lower, upper)
    return np.where(multipliers != 0, multipliers * np.where(np.isfinite(limit), limit, 0.0), 0.0)
