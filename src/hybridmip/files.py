"""Reading and writing whole files, with errors in one line and nothing half-written."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import tempfile
import zlib
from pathlib import Path
from typing import Any, TypeAlias

from hybridmip.errors import FileError

PathLike: TypeAlias = str | os.PathLike[str]

#: Gzip files are unpacked up to this size: a few kilobytes can claim to be terabytes.
LARGEST_UNPACKED = 2**30
#: No text shrinks to less than one part in so many; looked at beyond this size.
MOST_TIMES = 300
HARMLESS = 2**26


def read_content(path: PathLike) -> bytes:
    """The bytes of a file, unpacked where it is gzipped.

    Raises
    ------
    FileError
        If there is no such file, or it is empty or damaged.
    """
    path = Path(path).expanduser()
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise FileError(f"{path} does not exist; check the path") from None
    except IsADirectoryError:
        raise FileError(f"{path} is a directory; give a file in it") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise FileError(f"{str(path)!r} cannot be read ({reason}); check the path and its permissions") from None
    except MemoryError:
        raise FileError(f"{path} is larger than the memory; give a smaller file") from None
    if content.startswith(b"\x1f\x8b"):
        content = _unpacked(path, content)
    if not content.strip():
        raise FileError(f"{path} is empty; check that it was written completely")
    return content


def read_text(path: PathLike) -> str:
    """The text of a file, gzipped or not.

    Raises
    ------
    FileError
        If there is no such file, or it is empty, damaged or not text.
    """
    path = Path(path).expanduser()
    content = read_content(path)
    zero = content.find(b"\0")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        zero = error.start if zero < 0 else min(zero, error.start)
    if zero >= 0:
        raise FileError(f"{path} is not UTF-8 text (byte 0x{content[zero]:02x} at position {zero}); give a text file")
    return text


def _unpacked(path: Path, content: bytes) -> bytes:
    """What is in a gzip file, unless it is far more than any model."""
    too_large = f"{path} unpacks to far more than a model is; unpack it and look what is in it"
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            unpacked = file.read(HARMLESS)
            if len(unpacked) == HARMLESS and MOST_TIMES * len(content) > HARMLESS:
                unpacked += file.read(LARGEST_UNPACKED + 1 - HARMLESS)
            elif len(unpacked) == HARMLESS:
                raise FileError(too_large)
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(f"{path} is a damaged gzip file ({error}); fetch it again") from None
    except MemoryError:
        raise FileError(too_large) from None
    if len(unpacked) > LARGEST_UNPACKED:
        raise FileError(too_large)
    return unpacked


def write_text(path: str | Path, text: str, what: str = "the file") -> None:
    """Write a text file, gzipped if its name ends in .gz: all of it or, on an error, nothing.

    Raises
    ------
    FileError
        If the place cannot be written to.
    """
    content = text.encode()
    write_bytes(path, gzip.compress(content, mtime=0) if Path(path).suffix == ".gz" else content, what)


def write_bytes(path: str | Path, content: bytes, what: str = "the file") -> None:
    """Write a file: all of it or, on an error, nothing.

    Raises
    ------
    FileError
        If the place cannot be written to.
    """
    path = Path(path).expanduser()
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
    return parse_json(read_text(path), str(path), what)


def parse_json(text: str, source: str, what: str) -> Any:
    """The content of a text in JSON.

    Raises
    ------
    FileError
        If it is not JSON; the message gives the line.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise FileError(f"{source}, line {error.lineno}: not JSON ({error.msg}); give the {what} as JSON") from None
    except RecursionError:
        raise FileError(f"{source}: not a {what} (nested too deeply)") from None
    except ValueError as error:  # an integer of thousands of digits
        raise FileError(f"{source}: not a {what} ({str(error).split(';')[0]})") from None
