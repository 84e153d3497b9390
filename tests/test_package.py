"""The package itself: public names that are imported when they are used, and modules that are plain modules."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import subprocess
import sys
import types
from collections.abc import Collection
from pathlib import Path

import pytest

import hybridmip as hm


def modules() -> list[str]:
    """All modules of the package but the one that runs the command line."""
    found = pkgutil.walk_packages(hm.__path__, f"{hm.__name__}.")
    return [module.name for module in found if not module.name.endswith("__main__")]


def python(code: str) -> str:
    """What a new process prints."""
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.parametrize("name", modules())
def test_every_module_can_be_imported_under_another_name(name: str) -> None:
    """`import a.b.c as d` walks over attributes, so no public name may hide a module on the way."""
    found: dict[str, object] = {}
    exec(f"import {name} as found", found)
    assert found["found"] is sys.modules[name]


@pytest.mark.parametrize("name", sorted(set(hm.__all__) - {"__version__"}))
def test_a_public_name_is_never_a_module(name: str) -> None:
    """Also after every module was imported: `hm.frontier` and `hm.solve` stay functions."""
    for module in modules():
        importlib.import_module(module)
    assert not isinstance(getattr(hm, name), types.ModuleType)


def test_the_package_is_a_plain_module() -> None:
    """No class of its own; unknown names raise what they raise in any module, known ones are listed."""
    assert type(hm) is types.ModuleType
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = hm.nonsense
    assert set(hm.__all__) <= set(dir(hm))


def test_importing_the_package_imports_nothing_else() -> None:
    """NumPy, pandas and Numba come with the first name that is used."""
    loaded = "[name for name in ('numpy', 'pandas', 'numba', 'scipy', 'rich', 'typer') if name in sys.modules]"
    assert python(f"import sys, hybridmip; print({loaded})") == "[]"


def imports_of(path: Path, known: Collection[str]) -> set[str]:
    """The known modules that a file imports, wherever in it, but for annotations."""
    found: set[str] = set()
    waiting: list[ast.AST] = [ast.parse(path.read_text())]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [f"{node.module}.{name.name}" for name in node.names]
            found |= {name if name in known else node.module for name in names}
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            waiting += ast.iter_child_nodes(node)
    return found & set(known)


@pytest.mark.parametrize("folder", ["cli", "sweep", "report", "study"])
def test_no_import_cycle(folder: str) -> None:
    """No module of these folders imports itself by way of others, not even inside a function."""
    root = Path(hm.__path__[0])
    files = {
        ".".join(["hybridmip", *path.relative_to(root).with_suffix("").parts]).removesuffix(".__init__"): path
        for path in root.rglob("*.py")
    }
    graph = {name: imports_of(path, files) - {"hybridmip"} for name, path in files.items()}
    for name in [name for name in graph if name.startswith(f"hybridmip.{folder}")]:
        reached: set[str] = set()
        waiting = graph[name]
        while waiting:
            reached |= waiting
            waiting = {other for one in waiting for other in graph[one]} - reached
        assert name not in reached


#: What takes from 5 ms (tomllib) to a second (Matplotlib) to import.
SLOW = (
    "clarabel", "highspy", "importlib.metadata", "matplotlib", "networkx", "numba", "numpy", "pandas", "pyarrow",
    "rich", "scipy", "sklearn",
    "scipy.linalg", "scipy.optimize", "scipy.sparse.csgraph", "tomllib",
)  # fmt: skip


def test_imports_inside_functions_save_time() -> None:
    """They load something slow that is not loaded with the module anyway; of the command line its package says why."""
    root = Path(hm.__path__[0])
    trees = {
        ".".join(["hybridmip", *path.relative_to(root).with_suffix("").parts]).removesuffix(".__init__"): ast.parse(
            path.read_text()
        )
        for path in root.rglob("*.py")
    }

    def targets(node: ast.stmt) -> list[str]:
        if isinstance(node, ast.Import):
            return [name.name for name in node.names]
        assert isinstance(node, ast.ImportFrom)
        return [str(node.module), *(f"{node.module}.{name.name}" for name in node.names)]

    def at_once(tree: ast.Module) -> set[str]:
        found: set[str] = set()
        for node in tree.body:
            found |= set(targets(node)) if isinstance(node, ast.Import | ast.ImportFrom) else set()
        return found

    direct = {name: at_once(tree) for name, tree in trees.items()}

    def slow(module: str) -> set[str]:
        reached, waiting = set[str](), {module}
        while waiting:
            reached |= waiting
            waiting = {other for one in waiting for other in direct.get(one, ())} - reached
        return {name for name in SLOW if any(f"{one}.".startswith(f"{name}.") for one in reached)}

    for name, tree in trees.items():
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        for node in (node for function in functions for node in ast.walk(function)):
            if isinstance(node, ast.Import | ast.ImportFrom) and not name.startswith("hybridmip.cli."):
                saved = {one for target in targets(node) for one in slow(target)} - slow(name)
                assert saved, f"{name}, line {node.lineno}: an import that may as well be at the top"
