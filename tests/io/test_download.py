"""Downloading OR-Library's files: whole and right, or a message that helps. Only the loopback is ever asked."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from hybridmip.cli import main
from hybridmip.errors import ArgumentError, FileError
from hybridmip.io import download
from hybridmip.io.download import CHECKSUMS, cache_dir, check_file, checksum, fetch_orlib

CONTENT = {
    f"{kind}{k}.txt": f" {k}\n .00{k} .0{k}\n{kind}\n".encode() for kind in ("port", "portef") for k in range(1, 6)
}


class Server(ThreadingHTTPServer):
    """Serves `CONTENT`, spoiled as `fault` says for the file `spoiled`."""

    fault, spoiled = "", "port3.txt"
    asked: list[str]

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that gave up is what some tests are about."""


class Handler(BaseHTTPRequestHandler):
    """One answer."""

    server: Server

    def do_GET(self) -> None:
        name = self.path.rsplit("/", 1)[-1]
        self.server.asked.append(name)
        body = CONTENT.get(name)
        fault = self.server.fault if name == self.server.spoiled else ""
        if body is None or fault == "missing":
            self.send_error(404)
            return
        if fault == "slow":
            time.sleep(1.0)
        self.send_response(200)
        length = len(body)
        if fault == "corrupted":
            body = body.replace(b".0", b".1", 1)
        if fault == "huge":
            body, length = b"1" * 5000, 5000
        if fault != "unannounced":
            self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body[: length // 2] if fault in ("interrupted", "unannounced") else body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checksums of `CONTENT`."""
    for name, content in CONTENT.items():
        monkeypatch.setitem(CHECKSUMS, name, checksum(content))


@pytest.fixture
def server(known: None) -> Iterator[Server]:
    """A server on the loopback."""
    found = Server(("127.0.0.1", 0), Handler)
    found.asked = []
    thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield found
    found.shutdown()
    found.server_close()


def address(server: Server) -> str:
    """Where the server is."""
    return f"http://127.0.0.1:{server.server_address[1]}/orlib"


def left_over(folder: Path) -> list[str]:
    """Files that are no whole and right ones."""
    return [p.name for p in folder.iterdir() if p.name not in CONTENT or p.read_bytes() != CONTENT[p.name]]


def test_all_ten(server: Server, tmp_path: Path) -> None:
    """Every file arrives byte for byte, and is not asked for again; a damaged one is."""
    fetched = fetch_orlib(tmp_path / "new" / "folder", mirror=address(server))
    assert {f.path.name for f in fetched} == set(CONTENT)
    assert {f.state for f in fetched} == {"downloaded"}
    folder = fetched[0].path.parent
    assert left_over(folder) == []
    server.asked.clear()
    assert {f.state for f in fetch_orlib(folder, mirror=address(server) + "/")} == {"kept"}
    assert server.asked == []
    (folder / "port2.txt").write_text("2\n")
    fetch_orlib(folder, mirror=address(server))
    assert server.asked == ["port2.txt"]
    assert left_over(folder) == []


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("corrupted", "SHA-256 differs"),
        ("interrupted", "the connection broke after"),
        ("unannounced", "SHA-256 differs"),
        ("missing", "404"),
        ("slow", "no answer within 0.2 s"),
        ("huge", "more than"),
    ],
)
def test_what_goes_wrong(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, words: str
) -> None:
    """The message names the file and the trouble; nothing of it is written, what came before stays, and is kept."""
    monkeypatch.setattr(download, "LARGEST", 1000)
    server.fault = fault
    with pytest.raises(FileError, match=words) as caught:
        fetch_orlib(tmp_path, mirror=address(server), timeout=0.2)
    assert "port3.txt" in str(caught.value)
    assert "--mirror" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["port1.txt", "port2.txt"]
    assert left_over(tmp_path) == []
    server.fault = ""
    states = [f.state for f in fetch_orlib(tmp_path, mirror=address(server), timeout=5)]
    assert states.count("kept") == 2


def test_a_lost_connection_is_tried_again(server: Server, tmp_path: Path) -> None:
    """One failure of the network is forgiven, and only one."""
    server.fault = "interrupted"
    with pytest.raises(FileError, match="broke"):
        fetch_orlib(tmp_path, mirror=address(server))
    assert server.asked.count("port3.txt") == download.ATTEMPTS


def test_offline(known: None, tmp_path: Path) -> None:
    """Where nobody answers the message says how to do without a network."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(FileError, match=r"--from DIR") as caught:
        fetch_orlib(tmp_path, mirror=f"http://127.0.0.1:{port}", timeout=2)
    assert "refused" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_from_a_folder(known: None, tmp_path: Path) -> None:
    """Copies are checked like downloads."""
    source, out = tmp_path / "stick", tmp_path / "out"
    source.mkdir()
    with pytest.raises(FileError, match=r"port1\.txt does not exist"):
        fetch_orlib(out, source=source)
    for name, content in CONTENT.items():
        (source / name).write_bytes(content)
    (source / "port2.txt").write_bytes(CONTENT["port2.txt"] + b"0")
    with pytest.raises(FileError, match="look for another copy"):
        fetch_orlib(out, source=source)
    (source / "port2.txt").write_bytes(CONTENT["port2.txt"].replace(b"\n", b"\r\n"))
    assert [f.state for f in fetch_orlib(out, source=source)].count("copied") == 9
    with pytest.raises(FileError, match="not a directory"):
        fetch_orlib(out, source=tmp_path / "nowhere")


@pytest.mark.parametrize("mirror", ["ftp://example.org", "file:///etc", "example.org/files", "http://"])
def test_mirrors_that_are_none(mirror: str, tmp_path: Path) -> None:
    """Only addresses of the web are asked."""
    with pytest.raises(ArgumentError, match="--mirror"):
        fetch_orlib(tmp_path, mirror=mirror)


def test_one_source_only(tmp_path: Path) -> None:
    """A mirror and a folder at once is a mistake."""
    with pytest.raises(ArgumentError, match="one of them"):
        fetch_orlib(tmp_path, mirror="http://127.0.0.1", source=tmp_path)


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The platform's folder of caches, or the one that is asked for."""
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("HYBRIDMIP_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_dir() == tmp_path / "hybridmip"
    monkeypatch.setenv("HYBRIDMIP_CACHE", str(tmp_path / "own"))
    assert cache_dir() == tmp_path / "own"


def test_check_file(known: None, tmp_path: Path) -> None:
    """A changed digit is noticed, other line ends are not, and an unknown name has nothing to be compared with."""
    path = tmp_path / "port1.txt"
    path.write_bytes(CONTENT["port1.txt"].replace(b"\n", b"\r\n"))
    check_file(path)
    path.write_bytes(CONTENT["port1.txt"].replace(b"1", b"2", 1))
    with pytest.raises(FileError, match=r"not OR-Library's port1\.txt"):
        check_file(path)
    other = tmp_path / "mine.txt"
    other.write_text("1")
    check_file(other)


def test_command(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`hybridmip data orlib`: a line, a document with --json, exit code 2 and one line when it fails."""
    monkeypatch.setenv("HYBRIDMIP_CACHE", str(tmp_path / "cache"))

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["data", "orlib", *arguments])
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    code, out, _ = run("--mirror", address(server))
    assert (code, "10 downloaded" in out) == (0, True)
    code, out, _ = run("--mirror", address(server), "--json")
    document = json.loads(out)
    assert document["folder"] == str(tmp_path / "cache" / "orlib")
    assert [f["state"] for f in document["files"]] == ["kept"] * 10
    server.fault = "corrupted"
    code, out, err = run("--mirror", address(server), "--out", str(tmp_path / "other"))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "port3.txt" in err
    code, _, err = run("--timeout", "0")
    assert code == 2
    assert "--timeout" in err


def test_the_real_files(data_dir: Path) -> None:
    """The checksums are those of OR-Library's files."""
    for name in CHECKSUMS:
        path = data_dir / "orlib" / name
        if not path.is_file():
            pytest.skip(f"no {name} in {path.parent}; set HYBRIDMIP_DATA to the folder of instances")
        check_file(path)
