"""What the pages show is what happens: their programs print what they say, their command lines exist."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from hybridmip.cli import main

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
#: Further pages whose programs are run, and the packages that they need.
PAGES: dict[str, tuple[str, ...]] = {"data": (), "estimators": ("sklearn", "skfolio"), "regression": ("sklearn",)}
TEXTS = {"README": README, **{page: (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8") for page in PAGES}}
#: Page and place of every program, the program, and the output that follows it (none if it has none).
PROGRAMS = [
    (f"{page} {place}", *found)
    for page, text in TEXTS.items()
    for place, found in enumerate(
        re.findall(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", text, re.MULTILINE | re.DOTALL), start=1
    )
]
COMMANDS = re.findall(r"^    (hybridmip .*)$", "\n".join(TEXTS.values()), re.MULTILINE)


def lines(text: str) -> list[str]:
    """The lines without what cannot be seen at their ends."""
    return [line.rstrip() for line in text.strip("\n").split("\n")]


def test_something_is_found() -> None:
    """The patterns above fit the pages: nothing that looks like a program is passed over."""
    for page, text in TEXTS.items():
        own = [output for name, _, output in PROGRAMS if name.split()[0] == page]
        assert len(own) == text.count("```python") > 0
        assert sum(map(bool, own)) == text.count("```text") > 0
    assert COMMANDS


@pytest.mark.parametrize(("name", "program", "output"), PROGRAMS, ids=[name for name, _, _ in PROGRAMS])
def test_program_prints_what_is_shown(name: str, program: str, output: str, tmp_path: Path) -> None:
    """A program of a page, run alone in an empty folder, prints the text below it."""
    for package in PAGES.get(name.split()[0], ()):
        pytest.importorskip(package)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path), "MPLBACKEND": "Agg"}
    answer = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    assert lines(answer.stdout) == lines(output)


@pytest.mark.parametrize("line", COMMANDS)
def test_command_line_exists(line: str) -> None:
    """The command is there and knows every option that is shown; with --help nothing is run."""
    words = shlex.split(line, comments=True)[1:]
    words = words[: words.index(">")] if ">" in words else words
    with pytest.raises(SystemExit) as ending:
        main([*words, "--help"])
    assert ending.value.code == 0


def test_unknown_options_are_found() -> None:
    """The test above can fail: --help does not hide an option that is not there."""
    with pytest.raises(SystemExit) as ending:
        main(["demo", "--no-such-option", "--help"])
    assert ending.value.code == 2
