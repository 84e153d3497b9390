"""A phase: one step of the algorithm, which says itself what it serves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from hybridmip.bounds.ledger import Grade
from hybridmip.engines.compiled import Kernel
from hybridmip.model.quadratic import Binary
from hybridmip.model.structure import Structure
from hybridmip.relax.protocol import Relaxed, Setting
from hybridmip.run.result import StopReason
from hybridmip.run.state import SearchState

if TYPE_CHECKING:
    from hybridmip.exact.branch import Branching
    from hybridmip.run.config import Config
    from hybridmip.search.outer import Outer
    from hybridmip.search.pool import Member
    from hybridmip.search.scaling import Scaling
    from hybridmip.search.whole import Race


@dataclass
class Verdicts:
    """What the phases found out beside points and bounds."""

    reason: StopReason = StopReason.CONVERGED
    #: What "infeasible" rests on; None if nobody says so.
    infeasible: Grade | None = None
    clashing_rows: tuple[str, ...] = ()
    #: Whether a MILP was asked for a feasible point.
    asked: bool = False
    #: Whether more time would have gone into a higher bound.
    time_helps: bool = False
    #: What the caller should know of beside that.
    notes: list[str] = field(default_factory=list)

    def no_point_exists(self) -> bool:
        """Whether somebody says that there is no feasible point."""
        return self.infeasible is not None

    def no_point(self, grade: Grade, rows: tuple[str, ...] = ()) -> None:
        """Take note that there is no feasible point."""
        self.infeasible, self.clashing_rows = grade, rows


@dataclass
class Run:
    """What a phase gets: the state of the solve, and what the phases before it left.

    Attributes
    ----------
    state : SearchState
        The problem, the clock, the incumbent, the bounds and the guidance.
    setting : Setting
        The problem with what relaxations need.
    given : list of ndarray
        Warm starts.
    verdicts : Verdicts
        Where infeasibility is noted.
    relaxed : dict
        What the relaxations found, by name.
    pool : list of Member
        Candidates, best first.
    """

    state: SearchState
    setting: Setting
    given: list[Binary]
    verdicts: Verdicts
    relaxed: dict[str, Relaxed] = field(default_factory=dict)
    pool: list[Member] = field(default_factory=list)
    #: HiGHS at work on the whole of a linear problem, beside everything else.
    race: Race | None = None
    #: Slope scaling of a linear problem, once it was begun.
    scaling: Scaling | None = None
    #: Outer approximation of a quadratic problem, once it was begun.
    outer: Outer | None = None
    #: The tree, once it was begun.
    branching: Branching | None = None
    #: The incumbent's value when the core was last tried.
    core_tried_at: float = float("inf")

    @property
    def guide(self) -> Relaxed | None:
        """The relaxation that guides the searches, if one does."""
        return next((relaxed for relaxed in self.relaxed.values() if relaxed.guides), None)


class Phase(Protocol):
    """One step of a solve.

    Attributes
    ----------
    name : str
        Under which its time and work are counted.
    share : float
        Share of the time left that it may take.
    tightens : bool
        Whether it makes the bound higher for as long as it has time.
    final : bool
        Whether nothing follows it.

    Examples
    --------
    >>> import numpy as np
    >>> import hybridmip as hm
    >>> from hybridmip.run.phases import QUICK
    >>> class AllOn(hm.Phase):
    ...     name = "all on"
    ...     def run(self, run):
    ...         run.state.evaluate(np.ones(run.state.problem.m, dtype=bool), self.name)
    >>> config = hm.Config.quick(phases=(AllOn(), *QUICK))
    >>> result = hm.solve(hm.market(assets=12).portfolio(), config=config)
    >>> "all on" in [phase.name for phase in result.phases]
    True
    """

    name: str
    share: float = 1.0
    tightens: bool = False
    final: bool = False

    def kernels(self, structure: Structure, config: Config) -> tuple[Kernel, ...]:
        """What it needs compiled: loaded before the clock starts."""
        return ()

    def supports(self, structure: Structure, config: Config) -> bool:
        """Whether it serves such a problem with such a configuration."""
        return True

    def ready(self, run: Run) -> bool:
        """Whether there is something to do for it, when its turn comes."""
        return True

    def begin(self, run: Run) -> None:
        """What it does before the first phase runs: begin what works beside the others."""
        return  # not abstract

    def end(self, run: Run) -> None:
        """What it does when the solve is over, however it ended."""
        return  # not abstract

    def run(self, run: Run) -> StopReason | None:
        """Do it; a reason ends the solve."""
        ...
