"""Problems of Canad files (`.dow`), with the way back to their arcs."""

from __future__ import annotations

import numpy as np

from hybridmip.applications.network.canad import from_design
from hybridmip.applications.network.fixed_charge import FixedChargeNetwork
from hybridmip.errors import ArgumentError, FileError, ProblemError
from hybridmip.io.canad import parse_design
from hybridmip.io.model import ReadProblem
from hybridmip.model.wording import Original


def read_canad(text: str, source: str) -> ReadProblem:
    """The problem of a Canad file: that of `FixedChargeNetwork.from_canad`.

    Its columns are the flows, then all arcs: one that no flow can use is closed, one that costs nothing is open.

    Raises
    ------
    FileError
        If the text is truncated or garbled; the message gives the line.
    """
    try:
        network = FixedChargeNetwork(**from_design(parse_design(text, source), source))
        problem = network.problem()
    except (ArgumentError, ProblemError) as error:
        raise FileError(f"{source}: {error}") from None
    n, arcs = problem.n, len(network.arcs)
    binary = np.where(network.has_binary, np.cumsum(network.has_binary) - 1, -1)
    always_open = ~network.has_binary & (network.flow_limits > 0)
    nothing = np.empty(0, dtype=np.intp)
    columns = Original(
        names=(*problem.x_names, *network.arc_names),
        x_index=np.concatenate([np.arange(n), np.full(arcs, -1)]).astype(np.intp),
        b_index=np.concatenate([np.full(n, -1), binary]).astype(np.intp),
        constant=np.concatenate([np.zeros(n), always_open]),
        twins=nothing,
        semicontinuous=nothing,
        integers=(),
    )
    return ReadProblem(problem, False, "cost", source, columns)
