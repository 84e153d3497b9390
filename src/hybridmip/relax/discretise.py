"""From scores to a feasible b: maximise score'b over the rows on b (docs/how/relaxations.md)."""

from __future__ import annotations

from hybridmip.model.binaries import BinarySet
from hybridmip.model.quadratic import Binary
from hybridmip.relax.protocol import Relaxed


def discretise(relaxed: Relaxed, binaries: BinarySet) -> Binary:
    """The feasible b that the relaxation's scores speak for.

    One cardinality row: the top k. Disjoint rows: the top of each. Anything else: a small MILP. Where
    the rows leave the number open, scores above the relaxation's threshold are taken.
    """
    return binaries.maximise(relaxed.scores, relaxed.threshold)
