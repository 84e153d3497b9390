"""`hybridmip data`: public files, fetched and checked."""

from __future__ import annotations

import math
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from hybridmip.cli.options import AsJson, Quiet
from hybridmip.cli.output import print_parts, write_json
from hybridmip.cli.progress import Ticker
from hybridmip.errors import ArgumentError


class Collection(StrEnum):
    """What can be downloaded."""

    ORLIB = "orlib"


def data(
    collection: Annotated[Collection, typer.Argument(help="What to fetch: OR-Library's portfolio files.")],
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", show_default=False, help="Where the files go; a folder in the cache if left out."),
    ] = None,
    mirror: Annotated[
        str | None,
        typer.Option(metavar="URL", show_default=False, help="Download from this address instead of OR-Library."),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="DIR", show_default=False, help="Copy from this folder instead of downloading."),
    ] = None,
    timeout: Annotated[float, typer.Option(metavar="SECONDS", help="Give up when nothing comes for so long.")] = 20.0,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Fetch public data: port1..5 and portef1..5 of OR-Library, checked against their SHA-256 and kept.

    Files that are there and right are not fetched again.

    Examples:

    hybridmip data orlib

    hybridmip data orlib --out data --mirror https://example.org/orlib

    hybridmip data orlib --out data --from /media/stick/orlib
    """
    from hybridmip.io.download import CHECKSUMS, fetch_orlib

    if not timeout > 0 or not math.isfinite(timeout):
        raise ArgumentError(f"--timeout is {timeout:g}; give a positive number of seconds")
    ticker = Ticker(quiet)
    try:
        fetched = fetch_orlib(
            out, mirror=mirror, source=source, timeout=timeout,
            on_file=lambda name, number, count: ticker.show(f"{name} ({number + 1} of {count})"),
        )  # fmt: skip
    finally:
        ticker.clear()
    folder = fetched[0].path.parent
    if as_json:
        files = [{"file": f.path.name, "state": f.state, "sha256": CHECKSUMS[f.path.name]} for f in fetched]
        write_json({"collection": str(collection), "folder": str(folder), "files": files})
        return
    states = [f.state for f in fetched]
    words = ", ".join(f"{states.count(s)} {s}" for s in ("downloaded", "copied", "kept") if s in states)
    print_parts(f"{len(fetched)} files in {folder}, all as published ({words})")
