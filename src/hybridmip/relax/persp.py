"""Persp: the perspective relaxation, with part of the curvature tied to the switches.

Split Q = (Q - D) + D with D diagonal and Q - D >= 0. Where x_j is switched by b, d_j x_j^2 equals
d_j x_j^2 / b at b = 0 and 1, and that is convex in (x_j, b) jointly; relaxed to b in [0, 1] it lies above
d_j x_j^2. The relaxation is a second-order cone program (t b >= x^2, minimise d t); its point and
multipliers go into the closed formula of `bounds.formula`, which gives a bound that needs no trust in the solver.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from scipy import sparse

from hybridmip.bounds.diagonal import MOST_ROUNDS
from hybridmip.engines.compiled import ready
from hybridmip.engines.conic import Products, beside, of_norm_one, solve_cone_program
from hybridmip.engines.highs import Outcome
from hybridmip.model.quadratic import DenseForm, DiagonalForm, FactorModel, Matrix, QuadraticForm, SparseForm, Vector
from hybridmip.model.units import Proof
from hybridmip.relax import node_kernel
from hybridmip.relax.line import Line
from hybridmip.relax.node import Shared, root_relaxation
from hybridmip.relax.protocol import Relaxation, RelaxationFailed, Relaxed, Setting

#: Share of the time left that finding the diagonal may take.
DIAGONAL_SHARE = 0.3
#: Rounds of looking for it where the tree follows, which fits it to the problem.
ROUNDS_BEFORE_TREE = 4


class Persp(Relaxation):
    """The perspective relaxation with a given diagonal (the largest-trace one if none is given).

    It dominates Line and Dual: with D = 0 it is Line. For Q = 0 there is no curvature to tie and the two
    coincide. Scores are the relaxed b.

    Parameters
    ----------
    diagonal : ndarray, optional
        D, with 0 <= D and Q - D >= 0; the setting's own if left out.
    compiled : bool
        Whether small problems go to the compiled bound of a node, and to Clarabel only where that does not converge.
    """

    name = "persp"

    def __init__(self, diagonal: Vector | None = None, compiled: bool = False) -> None:
        self.diagonal, self._compiled = diagonal, compiled

    def solve(self, setting: Setting, earlier: dict[str, Relaxed], time_limit: float | None) -> Relaxed:
        """Solve the cone program, then evaluate the formula."""
        problem, began = setting.problem, time.perf_counter()
        compiled = self._compiled and Shared.serves(setting) and ready(node_kernel.KERNELS)
        d = self.diagonal
        if d is None:
            rounds = ROUNDS_BEFORE_TREE if compiled else MOST_ROUNDS
            d = setting.find_diagonal(None if time_limit is None else DIAGONAL_SHARE * time_limit, rounds)
        if time_limit is not None:
            time_limit = max(time_limit - (time.perf_counter() - began), 0.0)
        found = root_relaxation(Shared.of(setting), np.array(d)) if compiled else None
        x, b, la, mu = found if found is not None else solve_perspective(setting, d, time_limit)
        bound, proof = setting.formula.claim(Proof(d, x, la, mu))
        nothing = np.zeros(problem.n)
        if np.isneginf(bound):
            # An x without limits and a slope that is not quite zero: Line's point and multipliers serve as well.
            line = earlier["line"] if "line" in earlier else Line().solve(setting, earlier, time_limit)
            assert line.proof is not None
            proof, bound = line.proof, line.bound
        return Relaxed(
            "persp", b, 0.5, proof.point, b, bound, proof.rows, proof.binary_rows, nothing, nothing, proof, guides=True
        )


def without_diagonal(Q: QuadraticForm, d: Vector) -> tuple[Any, Matrix | None]:
    """(P, T) with Q - diag(d) = P + T T'."""
    if isinstance(Q, FactorModel):
        rest = Q.specific_variance - d
        rest = np.where(np.abs(rest) <= 1e-15 * Q.specific_variance, 0.0, rest)
        if (rest >= 0).all():
            return sparse.csc_array(sparse.diags_array(rest, format="csc")), Q.root
        return sparse.csc_array(Q.toarray() - np.diag(d)), None
    if isinstance(Q, DiagonalForm):
        return sparse.csc_array(sparse.diags_array(np.maximum(Q.values - d, 0.0), format="csc")), None
    if isinstance(Q, SparseForm):
        return sparse.csc_array(Q.matrix - sparse.diags_array(d)), None
    assert isinstance(Q, DenseForm)
    return sparse.csc_array(Q.matrix - np.diag(d)), None


def solve_perspective(
    setting: Setting, d: Vector, time_limit: float | None, tolerance: float = 1e-8, equilibrate: bool = True
) -> tuple[Vector, Vector, Vector, Vector]:
    """(x, b, row multipliers, binary multipliers) of the relaxation.

    Raises
    ------
    RelaxationFailed
        If the solver gives no point.
    """
    problem, n, m = setting.problem, setting.problem.n, setting.problem.m
    P, T = without_diagonal(problem.Q, d)
    factors = 0 if T is None else T.shape[1]
    tied = np.flatnonzero(problem.switched & (d > 0))
    own = np.where(problem.switched, 0.0, d)  # curvature of unswitched x stays where it is
    cones = tied.size
    largest = float(problem.Q.diagonal().max(initial=0.0)) or float(np.abs(problem.q).max(initial=0.0)) or 1.0
    scale = 1.0 / largest
    # Variables: x, b, t (one per tied x), factor exposures.
    quadratic = 2 * scale * sparse.csc_array(P + sparse.diags_array(own) if own.any() else P)
    quadratic = sparse.csc_array(
        (quadratic.data, quadratic.indices, np.append(quadratic.indptr, np.full(m + cones, quadratic.nnz))),
        shape=(n + m + cones, n + m + cones),
    )
    cost = scale * np.concatenate([problem.q, problem.p, d[tied], np.zeros(factors)])
    matrix, row_lower, row_upper, _, _ = setting.joint_rows
    matrix, norms = of_norm_one(matrix)
    row_lower, row_upper = row_lower / norms, row_upper / norms
    rows = beside(matrix, cones + factors)
    if T is not None:
        quadratic = sparse.block_diag([quadratic, 2 * scale * sparse.eye_array(factors)], format="csc")
        root = sparse.hstack(
            [sparse.csr_array(T.T), sparse.csr_array((factors, m + cones)), -sparse.eye_array(factors)]
        )
        rows = sparse.csr_array(sparse.vstack([rows, root]))
        row_lower, row_upper = (np.concatenate([side, np.zeros(factors)]) for side in (row_lower, row_upper))
    answer = solve_cone_program(
        quadratic, cost, rows, row_lower, row_upper,
        np.concatenate([setting.hull_lower, np.zeros(m)]), np.concatenate([setting.hull_upper, setting.b_upper]),
        Products(n + m + np.arange(cones), n + problem.switch[tied], tied),
        time_limit=time_limit, tolerance=tolerance, equilibrate=equilibrate,
    )  # fmt: skip
    if answer.status is Outcome.ERROR and equilibrate:
        return solve_perspective(setting, d, time_limit, tolerance, equilibrate=False)
    if answer.x is None or answer.row_multipliers is None:
        raise RelaxationFailed("infeasible" if answer.status is Outcome.INFEASIBLE else "error")
    z, multipliers = answer.x, answer.row_multipliers[: matrix.shape[0]] / (norms * scale)
    x = np.clip(z[:n], setting.hull_lower, setting.hull_upper)
    first, last = problem.rows, problem.rows + problem.B.shape[0]
    return x, np.clip(z[n : n + m], 0.0, 1.0), multipliers[:first], multipliers[first:last]
