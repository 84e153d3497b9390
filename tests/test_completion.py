"""Completion of the command line by the shell."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a Unix shell")


def hybridmip(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    line = [sys.executable, "-m", "hybridmip", *arguments]
    changed = {**os.environ, "SHELL": "/bin/bash", **environment}
    return subprocess.run(line, capture_output=True, text=True, timeout=100, check=False, env=changed)


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("hybridmip port", ["portfolio"]),
        ("hybridmip portfolio --min-h", ["--min-history"]),
        ("hybridmip portfolio prices.csv --missing drop", ["drop-assets", "drop-dates"]),
        ("hybridmip frontier prices.csv --shrink l", ["ledoit-wolf"]),
    ],
)
def test_what_the_shell_is_given(words: str, wanted: list[str]) -> None:
    """Commands, options and their values."""
    done = hybridmip(_HYBRIDMIP_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=str(len(words.split()) - 1))
    assert done.stdout.split() == wanted


def test_completion_is_cheap() -> None:
    """Nothing that only a solve needs is imported when the shell asks."""
    program = (
        "import os, sys\n"
        "os.environ.update(_HYBRIDMIP_COMPLETE='complete_bash', COMP_WORDS='hybridmip por', COMP_CWORD='1')\n"
        "from hybridmip.cli import main\n"
        "try:\n    main([])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'scipy', 'numba', 'pandas', 'sklearn', 'matplotlib'} & set(sys.modules)\n"
        "sys.stderr.write(' '.join(sorted(heavy)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100, check=False)
    assert (done.stdout.split(), done.stderr) == (["portfolio"], "")


def test_it_can_be_shown_and_installed(tmp_path: Path) -> None:
    """The script is printed; installed, it is where the shell of that home reads it."""
    # The shell is told from the processes above, which may be any here: run below bash.
    line = f"{sys.executable} -m hybridmip --show-completion; {sys.executable} -m hybridmip --install-completion; true"
    done = subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, timeout=100, check=False,
        env={**os.environ, "HOME": str(tmp_path)},
    )  # fmt: skip
    assert "complete -o default -F _hybridmip_completion hybridmip" in done.stdout
    assert "_hybridmip_completion" in (tmp_path / ".bash_completions" / "hybridmip.sh").read_text()
    assert "hybridmip.sh" in (tmp_path / ".bashrc").read_text()
