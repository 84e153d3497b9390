"""The gallery: every topic is there, and each script is what an example should be.

The build of the site runs all of them and fails where one does; here only two run, alone, as a reader would run them.
"""

from __future__ import annotations

import ast
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

import hybridmip as hm
from hybridmip.engines.compiled import WAITING

pytest.importorskip("sphinx_gallery", reason="needs the extra docs")

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
#: Sections in their order, each with its examples.
TOPICS = {
    "portfolios": [
        "01_first_portfolio", "02_prices_with_gaps", "03_frontier", "04_rebalancing", "05_tracking", "06_long_short",
        "07_sharpe", "08_walk_forward",
    ],
    "regression": ["09_best_subset"],
    "networks": ["10_fixed_charge_network", "11_facilities", "12_unit_commitment"],
    "modellers": ["13_cvxpy", "14_pyomo", "15_dask"],
    "extending": ["16_own_relaxation", "17_own_phase", "18_checking_a_proof"],
}  # fmt: skip
SCRIPTS = [EXAMPLES / section / f"plot_{topic}.py" for section, topics in TOPICS.items() for topic in topics]
every_script = pytest.mark.parametrize("script", SCRIPTS, ids=[script.stem for script in SCRIPTS])
#: Modules that a user imports. Who extends the solver needs more: what docs/extending.md names.
MODULES = {"hybridmip", "hybridmip.estimators", "hybridmip.pyomo"}
EXTENDING = set(
    re.findall(r"from (hybridmip[\w.]*) import", (ROOT / "docs" / "extending.md").read_text(encoding="utf-8"))
)
#: The extra that a package needs.
EXTRAS = {"skfolio": "skfolio", "sklearn": "sklearn", "cvxpy": "cvxpy", "pyomo": "pyomo", "distributed": "dask"}
#: Two that are cheap: one reads a file, one writes some.
ALONE = ["portfolios/plot_02_prices_with_gaps.py", "extending/plot_18_checking_a_proof.py"]


def parsed(script: Path) -> ast.Module:
    """The syntax tree of a script."""
    return ast.parse(script.read_text(encoding="utf-8"))


def imported(script: Path) -> set[str]:
    """Names of all modules that a script imports."""
    found: set[str] = set()
    for node in ast.walk(parsed(script)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(str(node.module))
    return found


def texts(script: Path) -> list[str]:
    """All strings of a script but its docstrings, the fixed parts of f-strings among them."""
    tree = parsed(script)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
    ]


def test_every_topic_is_there() -> None:
    """The gallery has these examples and no other, in sections with a heading, which the site shows in this order."""
    assert sorted(EXAMPLES.rglob("plot_*.py")) == sorted(SCRIPTS)
    with patch.dict(os.environ), patch.object(sys, "path", [*sys.path]):  # what it sets is for the build
        settings = runpy.run_path(str(ROOT / "docs" / "conf.py"))["sphinx_gallery_conf"]
    assert [Path(folder).name for folder in settings["subsection_order"]] == list(TOPICS)
    for section in TOPICS:
        heading, line, *_ = (EXAMPLES / section / "GALLERY_HEADER.rst").read_text(encoding="utf-8").splitlines()
        assert heading
        assert line == "-" * len(heading)


@every_script
def test_it_says_what_it_teaches(script: Path) -> None:
    """A title, one sentence for the thumbnail, what one will see, cells with text, and at the end what to change."""
    title, line, _, sentence, *rest = str(ast.get_docstring(parsed(script), clean=False)).strip("\n").split("\n")
    assert line == "=" * len(title)
    assert sentence
    assert "You will see" in "\n".join(rest)
    text = script.read_text(encoding="utf-8")
    cells = text.split("# %%\n")[1:]
    assert len(cells) >= 4
    last = [line for cell in cells[-1:] for line in cell.splitlines()]
    assert all(line.startswith("#") for line in last), "code after the last words"
    assert "What to change" in cells[-1] or "caution" in cells[-1]


@every_script
def test_it_has_a_picture_with_a_title(script: Path) -> None:
    """Every figure has a title for each of its axes, from which sphinx-gallery makes the alternative text."""
    tree = parsed(script)
    called = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    names = [node.func.attr for node in called if isinstance(node.func, ast.Attribute)]
    own = names.count("network_figure")  # which has a heading of its own
    axes = 0
    for call in called:
        if isinstance(call.func, ast.Attribute) and call.func.attr == "subplots":
            axes += int(ast.literal_eval(call.args[0])) * int(ast.literal_eval(call.args[1])) if call.args else 1
    titles = names.count("set_title") + sum(keyword.arg == "title" for call in called for keyword in call.keywords)
    assert axes + own > 0
    assert titles == axes
    assert ("show" in names) == (axes > 0), "a reader who runs the script sees no window"


@every_script
def test_it_uses_what_is_public(script: Path) -> None:
    """Names of the package that are listed, modules that a user imports, no attribute that is private."""
    allowed = MODULES | EXTENDING if script.parent.name == "extending" else MODULES
    assert {name for name in imported(script) if name.split(".")[0] == "hybridmip"} <= allowed
    for node in ast.walk(parsed(script)):
        if isinstance(node, ast.Attribute):
            assert not node.attr.startswith("_")
            if isinstance(node.value, ast.Name) and node.value.id == "hm":
                assert node.attr in {*hm.__all__, "cvxpy"}


@every_script
def test_it_runs_anywhere(script: Path) -> None:
    """No path and no address; files that it reads lie beside it; the output holds no time."""
    for text in texts(script):
        assert not re.search(r"^[/~]|\w/\w.*\.\w|\\\w|[a-z]+://", text.replace("130/30", "")), text
        if text.endswith((".csv", ".mps")):
            assert (script.parent / text).is_file()
    assert not {"time", "datetime", "timeit"} & imported(script)
    for node in ast.walk(parsed(script)):
        assert not (isinstance(node, ast.Attribute) and node.attr == "seconds")


@every_script
def test_it_names_its_extra(script: Path) -> None:
    """What is not installed with the package is named at the top, with the line that installs it."""
    needed = {EXTRAS[name.split(".")[0]] for name in imported(script) if name.split(".")[0] in EXTRAS}
    needed -= {"sklearn"} if "skfolio" in needed else set()
    text = str(ast.get_docstring(parsed(script)))
    named = set(re.findall(r"^Needs .*: ``pip install 'hybridmip\[(\w+)\]'``\.$", text, re.MULTILINE))
    assert named == needed


@pytest.mark.parametrize("maker", sorted(EXAMPLES.rglob("make_*.py")), ids=lambda maker: maker.stem)
def test_its_file_is_what_is_made(maker: Path) -> None:
    """A data file beside an example is what the script that makes it writes."""
    (file,) = maker.parent.glob(f"{maker.stem.removeprefix('make_')}.*")
    assert runpy.run_path(str(maker))["text"]() == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ALONE)
def test_it_runs_alone(name: str, tmp_path: Path) -> None:
    """In an empty folder with the files that it names it runs, says nothing beside its output and leaves nothing."""
    script = EXAMPLES / name
    for file in [script, *(script.parent / text for text in texts(script) if text.endswith((".csv", ".mps")))]:
        shutil.copy(file, tmp_path)
    before = set(tmp_path.iterdir())
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path), "MPLBACKEND": "Agg"}
    answer = subprocess.run(
        [sys.executable, script.name], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout
    assert not answer.stderr.replace(WAITING + "\n", "")  # which is said where nothing was compiled before
    assert set(tmp_path.iterdir()) == before


TINY = '''"""
A tiny example
==============

One line for the thumbnail.
"""

# %%
# Text.

import matplotlib.pyplot as plt

figure, axes = plt.subplots()
axes.set_title("A line that rises")
axes.plot([0, 1])
{last}
'''


def build(folder: Path, last: str) -> tuple[subprocess.CompletedProcess[str], Path]:
    """A gallery of one example, built with the settings of the site."""
    examples, out = folder / "examples" / "portfolios", folder / "html"
    examples.mkdir(parents=True)
    (folder / "examples" / "GALLERY_HEADER.rst").write_text("Tiny\n====\n", encoding="utf-8")
    (examples / "GALLERY_HEADER.rst").write_text("Section\n-------\n", encoding="utf-8")
    (examples / "plot_tiny.py").write_text(TINY.format(last=last), encoding="utf-8")
    source = folder / "docs"
    source.mkdir()
    (source / "index.rst").write_text("Home\n====\n\n.. toctree::\n\n   examples/index\n", encoding="utf-8")
    (source / "conf.py").write_text(
        "import runpy, sys\n"
        f"sys.path.insert(0, {str(ROOT / 'docs' / '_ext')!r})\n"
        f"site = runpy.run_path({str(ROOT / 'docs' / 'conf.py')!r})\n"
        "extensions = ['sphinx_gallery.gen_gallery', 'gallery']\n"
        "suppress_warnings = site['suppress_warnings']\n"
        "sphinx_gallery_conf = {**site['sphinx_gallery_conf'], 'subsection_order': None}\n",
        encoding="utf-8",
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    answer = subprocess.run(
        [sys.executable, "-m", "sphinx", "-b", "html", "-W", "-q", str(source), str(out)],
        env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    return answer, out


def test_a_gallery_is_built(tmp_path: Path) -> None:
    """With the site's settings an example becomes a page; its picture and its thumbnail have the title as a text."""
    answer, out = build(tmp_path, "print('done')")
    assert answer.returncode == 0, answer.stderr
    page = (out / "examples" / "portfolios" / "plot_tiny.html").read_text(encoding="utf-8")
    assert "done" in page
    assert 'alt="A line that rises"' in page
    assert 'alt="A tiny example; A line that rises"' in (out / "examples" / "index.html").read_text(encoding="utf-8")


def test_an_example_that_fails_fails_the_build(tmp_path: Path) -> None:
    """No page is made of an example with an error: the build ends, and says which."""
    answer, _ = build(tmp_path, "raise ValueError('this one does not run')")
    assert answer.returncode != 0
    assert "this one does not run" in answer.stderr
