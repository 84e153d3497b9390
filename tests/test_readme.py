"""What the README and the page on data show is what happens: programs print what is shown, command lines exist."""

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
#: The pages with programs and command lines, in a row.
README = "\n".join((ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "docs/data.md"))
#: Every program, with the output that follows it (none if it has none).
PROGRAMS = re.findall(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", README, re.MULTILINE | re.DOTALL)
COMMANDS = re.findall(r"^    (hybridmip .*)$", README, re.MULTILINE)


def lines(text: str) -> list[str]:
    """The lines without what cannot be seen at their ends."""
    return [line.rstrip() for line in text.strip("\n").split("\n")]


def test_something_is_found() -> None:
    """The patterns above fit the README: nothing that looks like a program is passed over."""
    assert len(PROGRAMS) == README.count("```python") > 0
    assert sum(bool(output) for _, output in PROGRAMS) == README.count("```text") > 0
    assert COMMANDS


@pytest.mark.parametrize(("program", "output"), PROGRAMS, ids=[str(i + 1) for i in range(len(PROGRAMS))])
def test_program_prints_what_is_shown(program: str, output: str, tmp_path: Path) -> None:
    """A program of the README, run alone in an empty folder, prints the text below it."""
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
