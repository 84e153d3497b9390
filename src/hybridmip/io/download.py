"""OR-Library's portfolio files: downloaded, checked against their SHA-256, and kept."""

from __future__ import annotations

import hashlib
import http.client
import os
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from hybridmip.errors import ArgumentError, FileError
from hybridmip.files import write_text

#: Where OR-Library keeps its files.
ORLIB = "http://people.brunel.ac.uk/~mastjjb/jeb/orlib/files/"
#: SHA-256 of each file, as `checksum` computes it.
CHECKSUMS = {
    "port1.txt": "42e9d62194295306da4d94b4302a8f751444ae26c8570dba2d7ce47c0998c83d",
    "port2.txt": "5d577d8e3b0f4cd0575b89b35088d957183c3450e86b8d9d9cde151e8c1f1670",
    "port3.txt": "55456eeb0610340f8819b0ce777f6b6b08020b3fc26315f7b83f157754f60caf",
    "port4.txt": "aa94de4bf3658c6e13553b99150197f7d970dc07458ab1ba274a34b9c1799624",
    "port5.txt": "2c3a2a8447de9871dc26a9c28801f2f54a7207b7fe7092d8df0e4e8493d90412",
    "portef1.txt": "d6d49b39e874233838df14cd83170af7ff3d7ea5023a987ed8c3b7104312e74a",
    "portef2.txt": "4889899bdac35bb088ad83156ce5194c7c297e70f8366248e6dbc171b3e830f1",
    "portef3.txt": "5e919220885b0e816e0f10a115209daceba02109cd59d06243593d3b06a4ce1d",
    "portef4.txt": "4884d57b51b90703d650787aa1d29a7eda7676670a45370b0be6e45c82bf3c13",
    "portef5.txt": "97b0b5b149a9d94e9c08255cc61c3a4019dd4a98c2674cac2f64286969e96988",
}
#: Seconds without a byte, and seconds for a file, after which a download is given up.
TIMEOUT = 20.0
LONGEST = 120.0
#: No file is larger; what is, is not ours.
LARGEST = 8_000_000
#: How often a file is asked for when the connection fails.
ATTEMPTS = 2


@dataclass(frozen=True)
class Fetched:
    """One file that is there now.

    Attributes
    ----------
    path : Path
    state : str
        `kept` (it was there and is right), `copied` or `downloaded`.
    """

    path: Path
    state: str


def checksum(content: bytes) -> str:
    """SHA-256 with every run of white space as one blank, so that line ends and a final newline do not matter."""
    return hashlib.sha256(b" ".join(content.split())).hexdigest()


def cache_dir() -> Path:
    """The folder for downloaded files: `HYBRIDMIP_CACHE`, else `hybridmip` in the platform's folder of caches."""
    given = os.environ.get("HYBRIDMIP_CACHE")
    if given:
        return Path(given).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base).expanduser() / "hybridmip"


def orlib_dir() -> Path:
    """Where `fetch_orlib` puts the files unless told otherwise."""
    return cache_dir() / "orlib"


def check_file(path: Path) -> None:
    """Compare a file with the checksum of its name; a name without one passes.

    Raises
    ------
    FileError
        If the file is missing, cannot be read, or is not what OR-Library published.
    """
    content = _read(path)
    if path.name in CHECKSUMS and checksum(content) != CHECKSUMS[path.name]:
        raise FileError(
            f"{path} is not OR-Library's {path.name} (its SHA-256 differs); fetch it again with: hybridmip data orlib"
        )


def fetch_orlib(
    out: str | Path | None = None,
    *,
    mirror: str | None = None,
    source: str | Path | None = None,
    timeout: float = TIMEOUT,
    on_file: Callable[[str, int, int], object] | None = None,
) -> list[Fetched]:
    """Have the ten files in a folder: those that are there and right are kept, the others fetched and checked.

    Parameters
    ----------
    out : path, optional
        The folder; by default one in the platform's cache.
    mirror : str, optional
        Address to download from instead of OR-Library; the names of the files are appended.
    source : path, optional
        A folder to copy from instead of downloading.
    timeout : float
        Seconds without a byte after which the connection counts as lost.
    on_file : callable, optional
        Told of every file: name, number, count.

    Raises
    ------
    ArgumentError
        If the mirror is no http address, or both a mirror and a source are given.
    FileError
        If a file cannot be had or does not match its checksum. Nothing half-written is left behind: a file is in its
        place only when it is whole and right.
    """
    if mirror is not None and source is not None:
        raise ArgumentError("--mirror and --from are both given; give one of them")
    if mirror is not None and (urlsplit(mirror).scheme not in ("http", "https") or not urlsplit(mirror).netloc):
        raise ArgumentError(f"--mirror is {mirror!r}; give an address that starts with http:// or https://")
    folder = orlib_dir() if out is None else Path(out).expanduser()
    given = None if source is None else Path(source).expanduser()
    if given is not None and not given.is_dir():
        raise FileError(f"--from {given} is not a directory; give the folder that holds {next(iter(CHECKSUMS))}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make the folder {folder}: {error.strerror or error}; choose another place") from None
    fetched = []
    for number, name in enumerate(CHECKSUMS):
        if on_file is not None:
            on_file(name, number, len(CHECKSUMS))
        fetched.append(_fetch(folder / name, mirror or ORLIB, given, timeout))
    return fetched


def _fetch(path: Path, address: str, source: Path | None, timeout: float) -> Fetched:
    if path.is_file() and checksum(_read(path)) == CHECKSUMS[path.name]:
        return Fetched(path, "kept")
    if source is not None:
        content = _read(source / path.name)
        origin, remedy = str(source / path.name), "look for another copy"
    else:
        origin = address.rstrip("/") + "/" + path.name
        content = _download(origin, timeout)
        remedy = "try again, or another --mirror URL"
    if checksum(content) != CHECKSUMS[path.name]:
        raise FileError(
            f"{origin} is not OR-Library's {path.name}: {len(content)} bytes whose SHA-256 differs; nothing was "
            f"written; {remedy}"
        )
    write_text(path, content.decode("ascii"), path.name)
    return Fetched(path, "downloaded" if source is None else "copied")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise FileError(f"{path} does not exist; check the path, or fetch it with: hybridmip data orlib") from None
    except OSError as error:
        raise FileError(f"{path} cannot be read ({error.strerror or error}); check its permissions") from None


def _download(address: str, timeout: float) -> bytes:
    """The content behind an address; a lost connection is tried again once."""
    reason = ""
    for _ in range(ATTEMPTS):
        try:
            return _read_all(address, timeout)
        except urllib.error.HTTPError as error:
            raise FileError(
                f"{address} answers {error.code} {error.reason}; check the address, or give another --mirror URL"
            ) from None
        except TimeoutError:
            reason = f"no answer within {timeout:g} s"
        except (OSError, http.client.HTTPException) as error:
            cause = getattr(error, "reason", error)
            reason = str(getattr(cause, "strerror", None) or cause) or type(cause).__name__
    raise FileError(
        f"cannot download {address} ({reason}); without a network copy the ten files from a machine that has one and "
        "give their folder with --from DIR, or give another address with --mirror URL"
    )


def _read_all(address: str, timeout: float) -> bytes:
    request = urllib.request.Request(address, headers={"User-Agent": "hybridmip"})
    end = time.monotonic() + max(LONGEST, timeout)
    content = bytearray()
    with urllib.request.urlopen(request, timeout=timeout) as answer:
        promised = answer.headers.get("Content-Length")
        while piece := answer.read(1 << 16):
            content += piece
            if len(content) > LARGEST:
                raise FileError(
                    f"{address} sends more than {LARGEST} bytes, so it is not the file; give another --mirror"
                )
            if time.monotonic() > end:
                raise TimeoutError
    if promised is not None and promised.isdecimal() and len(content) != int(promised):
        raise http.client.HTTPException(f"the connection broke after {len(content)} of {promised} bytes")
    return bytes(content)
