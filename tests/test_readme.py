"""What the pages show is what happens: their programs print what they say, their command lines exist."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hybridmip.cli import main

ROOT = Path(__file__).resolve().parents[1]
#: Folders all of whose pages are run, beside the README and the first page of the site.
FOLDERS = ("start", "developing")
#: Further pages whose programs are run, and the packages that they need.
PAGES: dict[str, tuple[str, ...]] = {"data": (), "estimators": ("sklearn", "skfolio"), "regression": ("sklearn",)}
#: Pages to be read from the top to the bottom in one folder: their programs and commands build on each other.
STORIES = ("start/ten-minutes",)
TEXTS = {"README": (ROOT / "README.md").read_text(encoding="utf-8")} | {
    page: (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    for page in (
        *PAGES,
        "index",
        *(
            f"{path.parent.name}/{path.stem}"
            for folder in FOLDERS
            for path in sorted((ROOT / "docs" / folder).glob("*.md"))
        ),
    )
}
#: A program, or lines that begin with four blanks and a command; then the output, where it is shown.
STEP = re.compile(
    r"^(?:```python\n(?P<program>.*?)^```\n|(?P<commands>(?:    hybridmip [^\n]*\n)+))"
    r"(?:\n```text\n(?P<output>.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Step:
    """A program or some command lines of a page, and the text below (empty if there is none)."""

    page: str
    place: int
    program: str
    commands: tuple[str, ...]
    output: str

    def __str__(self) -> str:
        """Where it is; the name of the test."""
        return f"{self.page} {self.place}"


STEPS = [
    Step(
        page, place, found["program"] or "", tuple(line.strip() for line in (found["commands"] or "").splitlines()),
        found["output"] or "",
    )
    for page, text in TEXTS.items()
    for place, found in enumerate(STEP.finditer(text), start=1)
]  # fmt: skip
COMMANDS = [command for step in STEPS for command in step.commands]
ENVIRONMENT = {
    **os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path), "MPLBACKEND": "Agg",
    "PYTHONIOENCODING": "utf-8", "COLUMNS": "200",
}  # fmt: skip


def lines(text: str) -> list[str]:
    """The lines without what cannot be seen at their ends."""
    return [line.rstrip() for line in text.strip("\n").split("\n")]


def fits(shown: str, printed: str) -> bool:
    """Whether a command printed what is shown, in which `...` stands for anything."""
    pattern = ".*?".join(re.escape(part) for part in "\n".join(lines(shown)).split("..."))
    return re.fullmatch(pattern, "\n".join(lines(printed)), re.DOTALL) is not None


def words_of(command: str) -> tuple[list[str], str | None]:
    """The arguments of a command line, and the file that its output goes to."""
    words = shlex.split(command, comments=True)[1:]
    if ">" not in words:
        return words, None
    return words[: words.index(">")], words[words.index(">") + 1]


def test_something_is_found() -> None:
    """The pattern above fits the pages: nothing that looks like a program, an output or a command is passed over."""
    for page, text in TEXTS.items():
        own = [step for step in STEPS if step.page == page]
        assert sum(bool(step.program) for step in own) == text.count("```python"), page
        assert sum(bool(step.output) for step in own) == text.count("```text"), page
        assert sum(len(step.commands) for step in own) == len(re.findall(r"^ +hybridmip ", text, re.MULTILINE)), page
        if page in ("README", "index", *PAGES, *STORIES):
            assert any(step.program and step.output for step in own), page
    assert COMMANDS
    assert set(STORIES) <= set(TEXTS)


@pytest.mark.parametrize("step", [step for step in STEPS if step.program and step.page not in STORIES], ids=str)
def test_program_prints_what_is_shown(step: Step, tmp_path: Path) -> None:
    """A program of a page, run alone in an empty folder, prints the text below it."""
    for package in PAGES.get(step.page, ()):
        pytest.importorskip(package)
    answer = subprocess.run(
        [sys.executable, "-c", step.program], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, encoding="utf-8",
        timeout=300, check=False,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    assert lines(answer.stdout) == lines(step.output)


@pytest.mark.parametrize("page", STORIES)
def test_a_page_from_top_to_bottom(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one folder that is empty at first every program and every command works and prints the text below it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    known: dict[str, Any] = {"__name__": "__main__"}
    for step in (step for step in STEPS if step.page == page):
        if step.program:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(step.program, str(step), "exec"), known)
            assert lines(printed.getvalue()) == lines(step.output), str(step)
        told = ""
        for command in step.commands:
            words, target = words_of(command)
            answer = subprocess.run(
                [sys.executable, "-m", "hybridmip", *words], env=ENVIRONMENT, capture_output=True, encoding="utf-8",
                timeout=300, check=False,
            )  # fmt: skip
            assert answer.returncode == 0, f"{command}: {answer.stderr}"
            if target is None:
                told += answer.stdout
            else:
                (tmp_path / target).write_text(answer.stdout, encoding="utf-8")
        if step.commands and step.output:
            assert fits(step.output, told), f"{step}: {told}"


@pytest.mark.parametrize("line", COMMANDS)
def test_command_line_exists(line: str) -> None:
    """The command is there and knows every option that is shown; with --help nothing is run."""
    words, _ = words_of(line)
    with pytest.raises(SystemExit) as ending:
        main([*words, "--help"])
    assert ending.value.code == 0


def test_unknown_options_are_found() -> None:
    """The test above can fail: --help does not hide an option that is not there."""
    with pytest.raises(SystemExit) as ending:
        main(["demo", "--no-such-option", "--help"])
    assert ending.value.code == 2


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_links_lead_somewhere(page: str) -> None:
    """What a page in the root links to is in the repository, so that it works where the code is read."""
    targets = re.findall(r"\]\(([^)\s]+)\)", (ROOT / page).read_text(encoding="utf-8"))
    assert targets
    for target in targets:
        if not target.startswith("https://"):
            assert (ROOT / target.split("#")[0]).is_file(), target


def test_what_differs_is_found() -> None:
    """Dots stand for anything, and for nothing else: another digit, or a line more, does not fit."""
    assert fits("seconds  ...\nall", "seconds  0.07  \nall\n")
    assert not fits("seconds  ...\nall", "minutes  0.07\nall")
    assert not fits("risk 1.43", "risk 1x43")
    assert not fits("one", "one\ntwo")
