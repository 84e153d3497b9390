"""Reading and writing whole files, with errors in one line and nothing half-written."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from hybridmip.errors import FileError
from hybridmip.io.orlib import read_text


def write_text(path: str | Path, text: str, what: str = "the file") -> None:
    """Write a text file, gzipped if its name ends in .gz: all of it or, on an error, nothing.

    Raises
    ------
    FileError
        If the place cannot be written to.
    """
    path = Path(path).expanduser()
    content = text.encode()
    if path.suffix == ".gz":
        content = gzip.compress(content, mtime=0)
    temporary = None
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)  # a device or a pipe is written to, never replaced
            return
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        raise FileError(f"cannot write {path} ({what}): {error.strerror or error}; choose another place") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def read_json(path: str | Path, what: str) -> Any:
    """The content of a JSON file, gzipped or not.

    Raises
    ------
    FileError
        If there is none, or it is not JSON.
    """
    text = read_text(path)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise FileError(f"{path}, line {error.lineno}: not JSON ({error.msg}); give the {what} as JSON") from None
    except RecursionError:
        raise FileError(f"{path}: not a {what} (nested too deeply)") from None
