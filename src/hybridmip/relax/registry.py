"""The relaxations by name: data, to which anyone may add."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridmip.relax.augm import Augm
from hybridmip.relax.dnn import Dnn
from hybridmip.relax.dual import Dual
from hybridmip.relax.line import Line
from hybridmip.relax.persp import Persp
from hybridmip.relax.protocol import Relaxation

#: Name -> the relaxation for a configuration. `RELAXATIONS["mine"] = lambda config: Mine()` makes
#: `Config(relaxations=("persp", "mine"))` a configuration.
RELAXATIONS: dict[str, Callable[[Any], Relaxation]] = {
    "persp": lambda config: Persp(compiled=config.tree.work > 0),
    "line": lambda config: Line(),
    "dual": lambda config: Dual(),
    "augm": lambda config: Augm(config.augm.weight),
    "dnn": lambda config: Dnn(),
}
