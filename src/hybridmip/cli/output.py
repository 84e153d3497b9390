"""Standard output (text, tables, JSON) and lines on standard error."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hybridmip.errors import FileError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


def tell(message: str) -> None:
    """One line on standard error; if nobody can be told, nobody is."""
    with contextlib.suppress(OSError):
        sys.stderr.write(f"hybridmip: {' '.join(message.split())}\n")
        sys.stderr.flush()


def write(text: str) -> None:
    """Write to standard output; a reader that has gone away is no error, a full disk is one."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        forget_output()
    except OSError as error:
        forget_output()
        raise FileError(f"cannot write the answer on standard output: {error.strerror or error}") from None


def forget_output() -> None:
    """What is left in the buffer must not raise again when Python exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write_json(document: Mapping[str, Any]) -> None:
    """Write one JSON document to standard output."""
    write(json.dumps(document, indent=2, allow_nan=False) + "\n")


def make_console() -> Console:
    """A console that draws for standard output as it is."""
    from rich.console import Console

    # Rich takes 80 columns for a file or a pipe, where nothing forces it to.
    wide = None if sys.stdout.isatty() or "COLUMNS" in os.environ else 100
    return Console(file=sys.stdout, highlight=False, width=wide)


def print_parts(*parts: RenderableType) -> None:
    """Show the parts below each other; a plain string is shown as it is, without markup or line breaks."""
    console = make_console()
    with console.capture() as captured:
        for part in parts:
            console.print(part, markup=False, soft_wrap=isinstance(part, str))
    write(captured.get())


def ignore_parts(*parts: RenderableType) -> None:
    """In the place of `print_parts` where standard output is kept for JSON."""


def percent(value: float | None) -> str:
    """A share in percent; a dash for nothing."""
    return "-" if value is None else f"{100 * value:.4g} %"
