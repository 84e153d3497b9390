"""What runs, as tables made of the phases themselves; docs/how/pipeline.md and docs/settings.md show them, and a test
keeps them true.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import fields, replace
from typing import NamedTuple

from hybridmip.model.structure import Structure
from hybridmip.relax.registry import RELAXATIONS
from hybridmip.run.config import GROUPS, NEIGHBORHOODS, Config
from hybridmip.run.phases import DEFAULT, PAPER, QUICK
from hybridmip.run.settings import RULES

_PORTFOLIO = Structure(
    binaries=100, variables=100, rows=3, linear=False, fixed_charge=False, binaries_determine_x=False,
    separable=False, compiled=True, rows_on_b="disjoint",
)  # fmt: skip
#: Kinds of problems, and what tells them apart.
KINDS: dict[str, Structure] = {
    "linear": replace(_PORTFOLIO, linear=True, compiled=False),
    "quadratic, few rows on x, counts on b": _PORTFOLIO,
    "quadratic, the binaries determine x": replace(_PORTFOLIO, binaries_determine_x=True),
    "quadratic, many rows": replace(_PORTFOLIO, compiled=False, rows=500, rows_on_b="general"),
}


def algorithms() -> str:
    """The phases of the three algorithms side by side, as Markdown."""
    columns = {
        f"`Config{call}()`": [phase for phase in phases if any(phase.supports(kind, config) for kind in KINDS.values())]
        for call, config, phases in (
            ("", Config(), DEFAULT),
            (".quick", Config.quick(), QUICK),
            (".paper", Config.paper(), PAPER),
        )
    }
    lines = ["| phase | what it does | " + " | ".join(columns) + " |", "|---|---|" + ":-:|" * len(columns)]
    seen: dict[str, str] = {}
    for phase in (*DEFAULT[:-3], *PAPER, *DEFAULT[-3:]):
        seen.setdefault(type(phase).__name__, (type(phase).__doc__ or "").splitlines()[0].rstrip("."))
    for name, what in seen.items():
        marks = []
        for phases in columns.values():
            mine = [phase for phase in phases if type(phase).__name__ == name]
            share = f"{100 * mine[0].share:.0f} % of the time left" if mine and mine[0].share < 1 else "yes"
            marks.append((f"{share}, twice" if len(mine) > 1 else share) if mine else "")
        lines.append(f"| {name} | {what} | " + " | ".join(marks) + " |")
    return "\n".join(lines)


def structures() -> str:
    """Which phases of `Config()` serve which kind of problem, as Markdown."""
    config = Config()
    lines = ["| structure | phases of `Config()` that serve it |", "|---|---|"]
    for kind, structure in KINDS.items():
        phases = [phase for phase in DEFAULT if phase.supports(structure, config)]
        last = next((k for k, phase in enumerate(phases) if phase.final), len(phases))
        names = [type(phase).__name__ for phase in phases[: last + 1]]
        lines.append(f"| {kind} | {', '.join(names)} |")
    return "\n".join(lines)


def settings() -> str:
    """What every setting means, and its value in the three algorithms, as Markdown."""
    columns = {"`Config()`": Config(), "`Config.quick()`": Config.quick(), "`Config.paper()`": Config.paper()}
    lines = ["| setting | what it is | " + " | ".join(columns) + " |", "|---|---|" + "---|" * len(columns)]
    for group, kind in (("", Config), *GROUPS.items()):
        for name in (entry.name for entry in fields(kind) if entry.name not in ("name", "phases", *GROUPS)):
            values = [_shown(getattr(getattr(config, group, config), name)) for config in columns.values()]
            full = f"{group}.{name}" if group else name
            lines.append(f"| `{full}` | {_meaning(kind, name)} | " + " | ".join(values) + " |")
    return "\n".join(lines)


class Parameter(NamedTuple):
    """A setting: its full name, its type, its range as it is checked, its default, and what it is."""

    name: str
    kind: str
    range: str
    default: str
    meaning: str


def parameters() -> list[Parameter]:
    """Every setting of `Config` and its groups."""
    ranges = {
        "name": "any text",
        "phases": "`Phase` objects, or None for those of the algorithm",
        "relaxations": f"some of {', '.join(RELAXATIONS)}, and what was added to `RELAXATIONS`",
        "neighborhood": " or ".join(NEIGHBORHOODS),
        "presolve": "True or False",
    }
    found = []
    for group, kind in (("", Config), *GROUPS.items()):
        for entry in (entry for entry in fields(kind) if entry.name not in GROUPS):
            full = f"{group}.{entry.name}" if group else entry.name
            words = RULES[full].words if full in RULES else ranges[full]
            default = _shown(getattr(getattr(Config(), group, Config()), entry.name))
            found.append(Parameter(full, str(entry.type), words, default, _meaning(kind, entry.name)))
    return found


def _shown(value: object) -> str:
    """A value as a cell of a table."""
    if isinstance(value, tuple):
        return ", ".join(value) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _meaning(kind: type, name: str) -> str:
    """What the docstring of a data class says of an attribute."""
    found = re.search(rf"^{name} : .*\n((?:    .*(?:\n|$))+)", inspect.getdoc(kind) or "", re.MULTILINE)
    return "" if found is None else " ".join(found[1].split()).rstrip(".")


if __name__ == "__main__":
    print(structures(), algorithms(), settings(), sep="\n\n")
