"""What it proves that some b were tried: a lower bound on the restricted problems of all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hybridmip.bounds.ledger import STRENGTH, Grade
from hybridmip.model.quadratic import Binary
from hybridmip.model.units import Proof
from hybridmip.relax.protocol import Setting
from hybridmip.restricted.protocol import Evaluation, Moves
from hybridmip.run.state import SearchState
from hybridmip.tolerances import INFEASIBLE, KERNEL_FEASIBLE

#: A value counts as it stands where it is above the incumbent by this share of the objective's terms; nearer ones get a
#: bound of their own.
NEAR = 1e-6
#: What the compiled kernels let pass, on every x and row, in their own units.
ERRORS = 100 * KERNEL_FEASIBLE
#: Where x has no limits the solver's word is checked for x of this many times its size.
FAR = 1000.0


@dataclass(frozen=True)
class Tried:
    """A lower bound on some restricted problems, and what it rests on."""

    value: float
    grade: Grade

    def and_then(self, other: Tried) -> Tried:
        """The bound on both."""
        return Tried(min(self.value, other.value), max(self.grade, other.grade, key=STRENGTH.__getitem__))


NOTHING_TRIED = Tried(np.inf, Grade.PROVEN)
UNDECIDED = Tried(-np.inf, Grade.TRUSTED)


def least_value(setting: Setting, b: Binary, answer: Evaluation) -> Tried:
    """A lower bound on the restricted problem at b: infinite where it is infeasible, -inf where the solver gave up.

    From its multipliers, by the closed formula. Where x has no limits that may prove nothing, and infeasibility may be
    clear but not proven: then the solver's word stands for what lies far away.
    """
    if not answer.feasible:
        if answer.certain:
            return Tried(np.inf, Grade.TRIED)
        return Tried(np.inf, Grade.TRUSTED) if answer.infeasibility > INFEASIBLE else UNDECIDED
    if answer.x is None or answer.row_multipliers is None or not answer.certain:
        return UNDECIDED
    nothing = np.zeros(setting.problem.B.shape[0])
    proof = Proof(np.zeros(setting.problem.n), answer.x, answer.row_multipliers, nothing)
    value = setting.formula.at(b, proof)
    if np.isneginf(value) and not setting.problem.is_linear:
        # An x without limits: curvature keeps its minimum finite.
        value = setting.formula.at(b, proof._replace(diagonal=setting.phi))
    if np.isneginf(value):
        far = FAR * max(1.0, float(np.abs(answer.x).max(initial=0.0)))
        return Tried(setting.formula.within(far).at(b, proof), Grade.TRUSTED)
    return Tried(value, Grade.TRIED)


def least_of(state: SearchState, setting: Setting, candidates: NDArray[np.bool_], moves: Moves) -> Tried:
    """A lower bound on the restricted problems of all candidates, given what the solver said of them.

    Values well above the incumbent count as they are, less what the kernels let pass; each that is near gets a proof.
    """
    problem, best = state.problem, state.best
    feasible = moves.infeasibility == 0.0
    known = best.objective if best.feasible else -np.inf
    curvature = float(problem.Q.diagonal().max(initial=0.0)) or float(np.abs(problem.q).max(initial=0.0))
    margin = NEAR * (state.size if best.feasible else 0.0) + ERRORS * curvature * (1.0 + float(np.sqrt(problem.n)))
    far = feasible & moves.certain & (moves.values > known + margin)
    least = Tried(float(moves.values[far].min(initial=np.inf)) - margin, Grade.TRIED)
    for c in np.flatnonzero((feasible & ~far) | (~feasible & ~moves.certain)):
        state.check()
        b = candidates[c]
        if not feasible[c] and moves.infeasibility[c] > INFEASIBLE and state.solver.refuted(b):
            least = least.and_then(Tried(np.inf, Grade.TRIED))
            continue
        least = least.and_then(least_value(setting, b, state.solver.evaluate(b)))
        if np.isneginf(least.value):
            break
    return least
