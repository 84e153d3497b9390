"""Places to write to, tried before a long solve."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hybridmip.errors import FileError


def check_writable(path: Path | None, *inputs: Path | None, option: str = "--out") -> None:
    """Find out before a long solve, not after it."""
    if path is None:
        return
    for given in inputs:
        if given is not None and path.exists() and given.exists() and path.samefile(given):
            raise FileError(f"{option} {path} is a file that is read; give another name")
    if path.is_dir():
        raise FileError(f"{option} {path} is a directory; give the name of a file")
    if not path.parent.is_dir():
        raise FileError(f"{option} {path}: there is no directory {path.parent}; create it first")
    if path.exists() and not path.is_file():
        return  # a device or a pipe: opening it could block
    new = not path.exists()
    try:
        # Append, or what is there would be lost even if nothing is found.
        path.open("ab").close()
        if new:
            path.unlink()
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}; choose another place") from None


def make_directory(path: Path) -> None:
    """Make the folder of --out, and find out whether it can be written into."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=path).close()
    except (FileExistsError, NotADirectoryError):
        raise FileError(f"--out {path} is a file, or in one; give the name of a directory") from None
    except OSError as error:
        raise FileError(f"cannot write into {path}: {error.strerror or error}; choose another place") from None
