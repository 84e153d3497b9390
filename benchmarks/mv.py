"""Instances of the MV set (Frangioni and Gentile): mean-variance with minimum buy-in."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import hybridmip as hm
from benchmarks.common import Skip


def read(stem: Path) -> hm.Portfolio:
    """Read an instance from its files .txt, .bds, .rho and .mat."""
    numbers = np.array(stem.with_suffix(".txt").read_text().split(), dtype=float)
    n = int(numbers[0])
    mu = numbers[1 : 1 + 2 * n : 2]
    bounds = np.loadtxt(stem.with_suffix(".bds")).reshape(n, 2)
    rho = float(stem.with_suffix(".rho").read_text().split()[0])
    matrix = np.array(stem.with_suffix(".mat").read_text().split(), dtype=float)
    if int(matrix[0]) != n or matrix.size != 1 + n * n:
        raise Skip(f"{stem.name}.mat has {matrix.size} numbers; {1 + n * n} were expected")
    return hm.Portfolio(
        mu, matrix[1:].reshape(n, n), min_weight=bounds[:, 0], max_weight=bounds[:, 1],
        target_return=rho, return_sense="at_least",
    )  # fmt: skip
