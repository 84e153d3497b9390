"""What the pages of "How it works" show, made by the package when the site is built: docs/how/made."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from docutils import nodes
from sphinx.application import Sphinx

import hybridmip as hm
from hybridmip import tolerances
from hybridmip.bounds.diagonal import largest_trace, phi
from hybridmip.relax.discretise import discretise
from hybridmip.relax.fitted import fitted
from hybridmip.relax.persp import Persp
from hybridmip.relax.protocol import Setting
from hybridmip.relax.registry import RELAXATIONS

#: Three assets, of which two are held: what the pages on relaxations and diagonals look at.
Q = np.array([[2.0, 0.6, 0.0], [0.6, 3.0, -1.0], [0.0, -1.0, 4.0]])
RETURNS = np.array([1.0, 2.0, 4.0])
TARGET = 2.0
SHOWN = ("augm", "line", "dual", "persp", "dnn")
ALONE = ("augm", "line", "dual", "persp")
TITLES = {name: name.capitalize() for name in SHOWN}
#: Colors on a light page and on a dark one: text, optimum, then the relaxations.
INKS = {
    "light": (
        "#24292f",
        "#24292f",
        dict(zip(SHOWN, ("#8250df", "#0969da", "#57a6ff", "#bc4c00", "#1a7f37"), strict=True)),
    ),
    "dark": (
        "#d0d7de",
        "#ffffff",
        dict(zip(SHOWN, ("#bc8cff", "#2f81f7", "#a5d6ff", "#f0883e", "#56d364"), strict=True)),
    ),
}
STYLES = {"augm": ":", "line": "-", "dual": (0, (2, 3)), "persp": "-", "dnn": "--"}


def three_assets(target: float = TARGET) -> hm.Problem:
    """Two of three assets, weights from 0.1 to 0.8, a return of at least the target."""
    return hm.Problem(
        Q=Q, A=[np.ones(3), RETURNS], row_lower=[1.0, target], row_upper=[1.0, math.inf], B=np.ones((1, 3)), b_lower=2,
        b_upper=2, x_lower=0.1, x_upper=0.8, switch=np.arange(3),
    )  # fmt: skip


def one_asset(slope: float) -> hm.Problem:
    """x^2, and 0.25 if x is not zero, less a gain in proportion to x."""
    return hm.Problem(Q=[1.0], q=[-slope], p=[0.25], x_lower=0.0, x_upper=1.0, switch=[0])


def cost_of(name: str, weights: np.ndarray) -> np.ndarray:
    """What a relaxation makes of the cost of one asset: the largest convex function that all its bounds allow."""
    lines = [bounds_of(one_asset(float(slope)), ("line", name))[name].bound + slope * weights for slope in SLOPES]
    return np.asarray(np.max(lines, axis=0))


def bounds_of(problem: hm.Problem, names: tuple[str, ...] = SHOWN) -> dict[str, Any]:
    """What every relaxation finds, by its name."""
    setting, found = Setting(problem), dict[str, Any]()
    for name in sorted(names, key=lambda name: name == "dual"):  # Dual is read off Line
        found[name] = RELAXATIONS[name](hm.Config()).solve(setting, found, None)
    return found


def diagonals() -> dict[str, tuple[np.ndarray, float]]:
    """Diagonals below the Q of the three assets, and the bound of Persp with each."""
    problem = three_assets()
    setting, form = Setting(problem), problem.Q
    least = float(np.linalg.eigvalsh(Q)[0])
    best = fitted(setting, Persp(largest_trace(form)).solve(setting, {}, None), 20)
    assert best.proof is not None
    choices = {
        "none": np.zeros(3),
        "least eigenvalue": np.full(3, least * (1 - 1e-9)),
        "Phi": np.array(phi(form)),
        "largest trace": np.array(largest_trace(form)),
        "fitted": best.proof.diagonal,
    }
    return {name: (d, Persp(d).solve(setting, {}, None).bound) for name, d in choices.items()}


# ---- pictures


WEIGHTS, SLOPES, TARGETS = np.linspace(0.0, 1.0, 41), np.linspace(0.0, 2.5, 51), np.linspace(1.0, 3.4, 25)


@cache
def curves() -> tuple[dict[str, list[float]], dict[str, list[float]], list[float]]:
    """(bounds for one asset by its weight, bounds for three by the target, the optimum of three by the target)."""
    problems = [three_assets(float(target)) for target in TARGETS]
    found = [bounds_of(problem) for problem in problems]
    return (
        {name: cost_of(name, WEIGHTS).tolist() for name in ALONE},
        {name: [each[name].bound for each in found] for name in SHOWN},
        [hm.solve(problem).objective for problem in problems],
    )


def draw_relaxations(ink: str) -> Any:
    """What every relaxation makes of one asset, and of three along the target return."""
    from matplotlib.figure import Figure

    text, best, colors = INKS[ink]
    figure = Figure(figsize=(5.0, 6.2), layout="constrained")
    upper, lower = figure.subplots(2, 1)
    alone, three, optima = curves()
    weights = WEIGHTS
    for name, values in alone.items():
        upper.plot(weights, values, color=colors[name], linestyle=STYLES[name], linewidth=2, label=TITLES[name])
    upper.plot(weights[1:], weights[1:] ** 2 + 0.25, color=best, linewidth=1, label="what it costs")
    upper.plot([0], [0], "o", color=best)
    upper.set_ylim(-0.05, 1.7)
    upper.set_xlabel("weight x of one asset")
    upper.set_ylabel("x² and 0.25 for holding it")
    for name, values in three.items():
        lower.plot(TARGETS, values, color=colors[name], linestyle=STYLES[name], linewidth=2, label=TITLES[name])
    lower.plot(TARGETS, optima, color=best, linewidth=1, label="optimum")
    lower.set_ylim(0.5, 2.3)
    lower.set_xlabel("least return of two of three assets")
    lower.set_ylabel("variance, and bounds on it")
    for axes in (upper, lower):
        _inked(axes, text)
    return figure


def _inked(axes: Any, text: str) -> None:
    """Axes in one color, on the page's own ground."""
    axes.set_facecolor("none")
    axes.tick_params(colors=text)
    for part in (axes.xaxis.label, axes.yaxis.label):
        part.set_color(text)
    for name, spine in axes.spines.items():
        spine.set_color(text)
        spine.set_visible(name in ("left", "bottom"))
    axes.legend(frameon=False, labelcolor=text, ncols=2, loc="upper left")


# ---- tables


def table_of_relaxations() -> str:
    """What every relaxation finds for the three assets, as a table."""
    problem = three_assets()
    best = hm.solve(problem)
    binaries = Setting(problem).binaries
    lines = ["| | bound | below the optimum | relaxed x | held by its scores |", "|---|---:|---:|---|---|"]
    for name, found in sorted(bounds_of(problem).items(), key=lambda item: SHOWN.index(item[0])):
        missing = 100 * (best.objective - found.bound) / best.objective
        held = discretise(found, binaries)
        lines.append(f"| {TITLES[name]} | {found.bound:.4f} | {missing:.2f} % | {_vector(found.x)} | {_held(held)} |")
    lines.append(f"| optimum | {best.objective:.4f} | | {_vector(best.x)} | {_held(best.b)} |")
    return "\n".join(lines) + "\n"


def table_of_diagonals() -> str:
    """The diagonals below Q and what they are worth."""
    lines = ["| diagonal | $d$ | sum | bound of Persp |", "|---|---|---:|---:|"]
    for name, (d, bound) in diagonals().items():
        lines.append(f"| {name} | {_vector(d)} | {d.sum():.4f} | {bound:.4f} |")
    return "\n".join(lines) + "\n"


def _vector(values: Any) -> str:
    return ", ".join(f"{max(float(value), 0.0):.2f}" for value in values)


def _held(b: Any) -> str:
    return ", ".join(f"{i}" for i in np.flatnonzero(b))


def constants() -> list[tuple[str, float, str]]:
    """(name, value, meaning) of every constant of tolerances.py, the meaning from the comment above it."""
    source = Path(str(tolerances.__file__)).read_text(encoding="utf-8")
    lines, found, before, said = source.splitlines(), [], "", ""
    for node in ast.parse(source).body:
        if not (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)):
            continue
        name, at = node.targets[0].id, node.lineno - 2
        comment: list[str] = []
        while lines[at].startswith("#:"):
            comment.insert(0, lines[at].removeprefix("#:").strip())
            at -= 1
        meaning = " ".join(comment)
        if meaning:
            before, said = name, meaning
        else:  # one comment is for two
            meaning = f"Together with `{before}`: {said}"
        found.append((name, float(getattr(tolerances, name)), meaning))
    return found


def table_of_tolerances() -> str:
    """Every constant with its value and meaning."""
    lines = ["| constant | value | meaning |", "|---|---:|---|"]
    for name, value, meaning in constants():
        power = math.log2(value)
        shown = f"2^{power:.0f}" if power == round(power) else f"{value:g}"
        lines.append(f"| `{name}` | {shown} | {meaning.replace('|', chr(92) + '|')} |")
    return "\n".join(lines) + "\n"


TABLES: dict[str, Callable[[], str]] = {
    "relaxations": table_of_relaxations, "diagonals": table_of_diagonals, "tolerances": table_of_tolerances,
}  # fmt: skip


def make(folder: Path) -> None:
    """Write every table and picture into a folder."""
    from matplotlib import rc_context

    folder.mkdir(exist_ok=True)
    for name, table in TABLES.items():
        _write(folder / f"{name}.md", table().encode())
    for ink in INKS:
        with rc_context({"svg.hashsalt": "hybridmip", "svg.fonttype": "path"}):
            draw_relaxations(ink).savefig(
                folder / f"relaxations-{ink}.svg", transparent=True, metadata={"Date": None, "Creator": None}
            )


def _write(path: Path, content: bytes) -> None:
    """Write a file unless that is in it already: what has not changed is not built again."""
    if not path.is_file() or path.read_bytes() != content:
        path.write_bytes(content)


def mark_tests(app: Sphinx, tree: nodes.document) -> None:
    """Names of tests stand back behind the text (`how.css`)."""
    for name in tree.findall(nodes.literal):
        if name.astext().startswith("tests/") and "::" in name.astext():
            name["classes"].append("test-name")


def setup(app: Sphinx) -> dict[str, bool]:
    """Make them before the pages are read."""
    app.connect("builder-inited", lambda app: make(Path(app.srcdir) / "how" / "made"))
    app.connect("doctree-read", mark_tests)
    app.add_css_file("how.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
