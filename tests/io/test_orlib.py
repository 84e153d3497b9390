"""OR-Library readers: what they read, and how they refuse what they cannot."""

from __future__ import annotations

import gzip
import re
import time

import numpy as np
import pytest

from hybridmip.errors import FileError
from hybridmip.io.orlib import read_port, read_portef

GOOD = """ 3
 .001 .02
 -.002 .03
 .003 .04
 1 1 1.000000
 1 2 .5
 1 3 -.25
 2 2 1
 2 3 .125
 3 3 1
"""


def write(folder, text, name="port.txt"):
    """A file with the text (or bytes)."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_port_by_hand(tmp_path):
    """A file of three assets gives the means, deviations and covariances worked out by hand."""
    data = read_port(write(tmp_path, GOOD))
    assert data.names == ("asset1", "asset2", "asset3")
    np.testing.assert_array_equal(data.returns, [0.001, -0.002, 0.003])
    np.testing.assert_array_equal(data.standard_deviations, [0.02, 0.03, 0.04])
    np.testing.assert_array_equal(data.correlation, [[1, 0.5, -0.25], [0.5, 1, 0.125], [-0.25, 0.125, 1]])
    np.testing.assert_allclose(data.covariance[0], [4e-4, 3e-4, -2e-4])
    with pytest.raises(ValueError, match="read-only"):
        data.covariance[0, 0] = 1.0


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\n\n"),
        lambda text: "\ufeff" + text.rstrip(),
        lambda text: " ".join(text.split()),
        lambda text: text.replace(" 1 2 .5", "2 1 0.5e0"),
        lambda text: "\n".join(text.splitlines()[:4] + text.splitlines()[:3:-1]),
    ],
    ids=["crlf", "blank lines", "byte order mark", "one line", "pair reversed", "pairs in another order"],
)
def test_port_layout_does_not_matter(tmp_path, change):
    """Line ends, blank lines, a byte order mark and the order of pairs change nothing."""
    data = read_port(write(tmp_path, change(GOOD)))
    np.testing.assert_array_equal(data.correlation, read_port(write(tmp_path, GOOD)).correlation)


def test_port_gzipped(tmp_path):
    """A gzipped file is read whatever it is called."""
    data = read_port(write(tmp_path, gzip.compress(GOOD.encode()), "port.txt"))
    assert data.returns[2] == 0.003


BAD = [
    ("", "is empty"),
    ("  \n\n", "is empty"),
    ("hello world", "line 1: 'hello' is not a finite number"),
    (GOOD.replace(".125", "o.125"), "line 9: 'o.125' is not a finite number"),
    (GOOD.replace(".125", "nan"), "line 9: 'nan' is not a finite number"),
    (GOOD.replace(".125", "1e999"), "line 9: '1e999' is not a finite number"),
    (GOOD.replace(" .003", " " + "x" * 200), "line 4: 'xxxxx"),
    (GOOD.replace(" 3\n", " 3.5\n", 1), "line 1: the number of assets is 3.5"),
    (GOOD.replace(" 3\n", " 0\n", 1), "line 1: the number of assets is 0"),
    (GOOD.replace(" 3\n", " -3\n", 1), "line 1: the number of assets is -3"),
    (GOOD.replace(" 3\n", " 1e300\n", 1), "line 1: the number of assets is 1e+300"),
    (" 3\n", "truncated: 3 assets need 25 values, found 1"),
    (GOOD[: GOOD.index(" 2 3")], "truncated: 3 assets need 25 values, found 19"),
    (GOOD[: GOOD.index(".125")], "truncated: 3 assets need 25 values, found 21"),
    (GOOD + " 1 1 1\n", "too long: 3 assets need 25 values, found 28"),
    (
        GOOD.replace(" -.002 .03", " -.002"),
        "line 3: expected 2 values (mean and standard deviation), found 1: '-.002'",
    ),
    (
        GOOD.replace(" 1 2 .5", " 1 2 .5 .6"),
        "line 6: expected 3 values (i, j and correlation), found 4: '1 2 .5 .6'",
    ),
    (GOOD.replace("-.25", "-1.25"), "line 7: the correlation is -1.25; it must lie in [-1, 1]"),
    (GOOD.replace("2 2 1", "2 2 .9"), "line 8: the correlation of asset 2 with itself is 0.9; it must be 1"),
    (
        GOOD.replace(".04", "-.04"),
        "line 4: the standard deviation of asset 3 is -0.04; it must not be negative",
    ),
    (GOOD.replace(" 2 3 .", " 2 4 ."), "line 9: the pair (2, 4) is not of assets 1 to 3"),
    (GOOD.replace(" 2 3 .", " 0 3 ."), "line 9: the pair (0, 3) is not of assets 1 to 3"),
    (GOOD.replace(" 2 3 .", " 2.5 3 ."), "line 9: the pair (2.5, 3) is not of assets 1 to 3"),
    (GOOD.replace(" 2 3 .", " 1 2 ."), "line 9: the pair (1, 2) is listed twice"),
    (GOOD.replace(" 2 3 .", " 2 1 ."), "line 9: the pair (1, 2) is listed twice"),
    (b"\x89PNG\r\n\x1a\n\x00\x00", "is not UTF-8 text (byte 0x89 at position 0)"),
    (b"3\n\x00\x00\x00", "is not UTF-8 text (byte 0x00 at position 2)"),
    (gzip.compress(GOOD.encode())[:-12], "is a damaged gzip file"),
    (b"\x1f\x8b rubbish", "is a damaged gzip file"),
]


@pytest.mark.parametrize(("text", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_port_files(tmp_path, text, message):
    """Each kind of damage is named in one line with the file and the line."""
    path = write(tmp_path, text)
    with pytest.raises(FileError, match=re.escape(message)) as caught:
        read_port(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("read", [read_port, read_portef])
def test_paths_that_are_no_files(tmp_path, read):
    """A missing file, a directory and an impossible name are told apart."""
    with pytest.raises(FileError, match="does not exist"):
        read(tmp_path / "none.txt")
    with pytest.raises(FileError, match="is a directory"):
        read(str(tmp_path))
    with pytest.raises(FileError, match="cannot be read"):
        read("a\0b")


def test_portef_by_hand(tmp_path):
    """Two columns come back in the file's order."""
    returns, variances = read_portef(write(tmp_path, "0.02 0.5\n 0.01 0.25\n"))
    np.testing.assert_array_equal(returns, [0.02, 0.01])
    np.testing.assert_array_equal(variances, [0.5, 0.25])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("0.1 0.2\n0.1\n", "line 2: expected return and variance, found '0.1'"),
        ("0.1 0.2\n0.1\n0.2 0.2 0.2\n", "line 2: expected return and variance"),
        ("0.1 0.2\n0.1 abc\n", "line 2: 'abc' is not a finite number"),
        ("0.1,0.2\n", "line 1: '0.1,0.2' is not a finite number"),
        ("0.1 0.2\n0.1 -0.2\n", "line 2: the variance is -0.2"),
    ],
)
def test_bad_portef_files(tmp_path, text, message):
    """Each kind of damage is named."""
    with pytest.raises(FileError, match=message):
        read_portef(write(tmp_path, text))


@pytest.mark.parametrize(("number", "assets"), [(1, 31), (2, 85), (3, 89), (4, 98), (5, 225)])
def test_published_files(data_dir, number, assets):
    """The published files read quickly, and the frontier's top is the asset of highest mean, held alone."""
    began = time.perf_counter()
    data = read_port(data_dir / "orlib" / f"port{number}.txt")
    assert time.perf_counter() - began < 2
    assert data.correlation.shape == (assets, assets)
    assert (np.diag(data.correlation) == 1).all()
    assert (data.correlation == data.correlation.T).all()
    returns, variances = read_portef(data_dir / "orlib" / f"portef{number}.txt")
    assert len(returns) == len(variances) == 2000
    best = data.returns.argmax()
    assert returns[0] == pytest.approx(data.returns[best], abs=1e-9)
    assert variances[0] == pytest.approx(data.covariance[best, best], rel=1e-6)
