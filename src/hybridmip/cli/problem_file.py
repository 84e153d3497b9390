"""The argument that names a problem file, with the kinds that can be read in its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast

import typer
from typer.core import TyperCommand

ProblemFile = Annotated[Path, typer.Argument(metavar="PROBLEM_FILE", show_default=False)]


class OfProblemFile(TyperCommand):
    """A command whose help lists the kinds of problem files when it is shown: by then others may have added theirs."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        from hybridmip.io.readers import known_kinds

        for parameter in self.params:
            if parameter.name == "file":
                cast(Any, parameter).help = f"The problem: {known_kinds()}; also gzipped (.gz)."
        super().format_help(ctx, formatter)
