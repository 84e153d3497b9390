"""Descents from several starts: compiled and side by side where the kernel allows, else one by one."""

from __future__ import annotations

from concurrent.futures import Future, wait
from functools import partial
from typing import Any

import numpy as np

from hybridmip.engines import compiled
from hybridmip.model.quadratic import Binary
from hybridmip.restricted.dense import LARGEST_SUPPORT, DenseSolver
from hybridmip.run.state import IMPROVEMENT, SearchState
from hybridmip.search import descent_kernel
from hybridmip.search.descent import descend
from hybridmip.search.pool import Member

#: Origin of starts with more binaries on than the best; their repair keeps that number.
GROWN = "grown"


class Descents:
    """Runs descents for one solve.

    The compiled descent serves problems of the dense kernel whose rows on b are counts over disjoint sets, or these
    and choices within them.
    The results do not depend on the number of threads.
    """

    def __init__(self, state: SearchState) -> None:
        self.state = state
        solver = state.solver
        self._arguments: tuple[Any, ...] | None = None
        if isinstance(solver, DenseSolver) and state.binaries.kind != "general":
            compiled.load(descent_kernel.KERNELS)
            self._kernel, self._stuck = descent_kernel.descend, descent_kernel.STUCK
            problem, binaries = state.problem, state.binaries
            limits = np.vstack([binaries.group_lower, binaries.group_upper]).astype(np.int64)
            self._most_support = min(LARGEST_SUPPORT, solver.most_support(binaries))
            self._arguments = (
                *descent_kernel.kernels(), *solver.data, solver.scale * problem.p, solver.scale * problem.offset
            )  # fmt: skip
            choices = binaries.choice.astype(np.int64), binaries.choice_lower.astype(np.int64)
            self._more = solver.curved, binaries.group.astype(np.int64), limits, *choices
            # A workspace for every thread: taken by a descent, and put back for the next.
            self._workspaces: list[descent_kernel.Workspace] = solver.workspaces
            self._new_workspace = partial(descent_kernel.Workspace, problem, self._most_support, limits.shape[1])

    def run(self, starts: list[tuple[Binary, str]]) -> list[Member]:
        """The local optimum below every start, in the order of the starts."""
        state = self.state
        state.check()
        if self._arguments is None:
            return [descend(state, Member(b, state.evaluate(b, origin), origin), origin) for b, origin in starts]
        solver = state.solver
        assert isinstance(solver, DenseSolver)
        stop = np.zeros(1, dtype=np.int64)
        points = [b.copy() for b, _ in starts]
        # Every start also takes one evaluation at the end, for its point in full.
        arguments = (*self._arguments, solver.scale * state.guidance.diagonal, *self._more, state.fixed)
        budget = max(state.evaluations_left // max(len(starts), 1) - 1, 0)

        def job(b: Binary, keep: bool) -> tuple[int, int]:
            try:
                workspace = self._workspaces.pop()
            except IndexError:
                workspace = self._new_workspace()
            outcome: tuple[int, int] = self._kernel(
                *arguments, b, self._most_support, IMPROVEMENT, stop, budget, keep, *workspace.arrays
            )
            self._workspaces.append(workspace)
            return outcome

        each = [(b, origin == GROWN) for b, (_, origin) in zip(points, starts, strict=True)]
        if solver.threads == 1 and state.remaining is None:  # nobody would stop a thread of its own
            outcomes = [job(*start) for start in each]
        else:
            jobs: list[Future[tuple[int, int]]] = [solver.pool.submit(job, *start) for start in each]
            try:
                wait(jobs, timeout=state.remaining)
            finally:
                stop[0] = 1
                outcomes = [future.result() for future in jobs]
        solver.evaluations += sum(evaluations for evaluations, _ in outcomes)
        found = []
        for b, (_, origin), (_, outcome) in zip(points, starts, outcomes, strict=True):
            evaluation = solver.evaluate(b)
            state.offer(b, evaluation, origin)
            member = Member(b, evaluation, origin)
            if outcome == self._stuck:
                state.check()
                member = descend(state, member, origin)
            found.append(member)
        state.check()
        return found
