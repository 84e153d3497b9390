"""The examples in docstrings: they run, give what they show, and no public name is without one."""

from __future__ import annotations

import doctest
import importlib
import inspect
from pathlib import Path
from typing import Any

import pytest

import hybridmip as hm

pytest.importorskip("cvxpy")
pytest.importorskip("pyomo")
pytest.importorskip("sklearn")

HOME = Path(hm.__file__).parent
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
#: Modules whose text has an example; those without are not imported.
MODULES = [
    ".".join(("hybridmip", *file.relative_to(HOME).with_suffix("").parts)).removesuffix(".__init__")
    for file in sorted(HOME.rglob("*.py"))
    if ">>> " in file.read_text(encoding="utf-8")
]
#: Modules with public names beside `hybridmip.__all__`.
ADAPTERS = ("hybridmip.estimators", "hybridmip.adapters.cvxpy", "hybridmip.pyomo")


def public() -> dict[str, Any]:
    """Every public class and function by its full name."""
    names = {f"hybridmip.{name}": getattr(hm, name) for name in hm.__all__}
    for module in map(importlib.import_module, ADAPTERS):
        names |= {f"{module.__name__}.{name}": getattr(module, name) for name in module.__all__}
    return {name: value for name, value in names.items() if inspect.isclass(value) or inspect.isfunction(value)}


@pytest.mark.parametrize("name", MODULES)
def test_examples_give_what_they_show(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every example of the module runs, in an empty folder, and prints what its docstring says."""
    monkeypatch.chdir(tmp_path)
    told: list[str] = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS, verbose=False)
    tests = [test for test in doctest.DocTestFinder().find(importlib.import_module(name)) if test.examples]
    for test in tests:
        runner.run(test, out=told.append)
    assert tests
    assert runner.summarize(verbose=False).failed == 0, "".join(told)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", public())
def test_public_name_has_an_example(name: str) -> None:
    """Whoever looks a public class or function up finds a call of it."""
    assert ">>> " in (inspect.getdoc(public()[name]) or "")


@pytest.mark.parametrize("name", public())
def test_public_methods_are_described(name: str) -> None:
    """Every public method and property of a public class has a docstring of its own or of its base."""
    value = public()[name]
    if not inspect.isclass(value):
        assert inspect.getdoc(value)
        return
    ours = [base for base in value.__mro__ if base.__module__.startswith("hybridmip")]
    members = {member for base in ours for member in vars(base) if not member.startswith("_")}
    called = [member for member in sorted(members) if callable(getattr(value, member)) or _is_property(value, member)]
    assert [member for member in called if not inspect.getdoc(inspect.getattr_static(value, member))] == []


def _is_property(kind: type, member: str) -> bool:
    return inspect.isdatadescriptor(inspect.getattr_static(kind, member))


def test_modules_are_described() -> None:
    """Every module says in its first lines what it is about."""
    texts = {str(file.relative_to(HOME)): file.read_text(encoding="utf-8") for file in sorted(HOME.rglob("*.py"))}
    assert [name for name, text in texts.items() if not text.startswith('"""')] == []
