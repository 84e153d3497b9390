"""Pages of the reference that are made from the code: commands, exit codes, settings, JSON documents.

A page says `<!-- made from the code: commands -->` where a part of it belongs; when Sphinx reads the page the line is
replaced by Markdown. Every part is a function without arguments, or of the words that follow its name.
"""

from __future__ import annotations

import enum
import inspect
import json
import re
import typing
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

#: A line that is replaced: the name of a part, and words that it takes.
MARK = re.compile(r"^<!-- made from the code: (\S+)((?: \S+)*) -->$", re.MULTILINE)


def commands() -> str:
    """Every command: what it does, how it is called, its arguments and options, examples."""
    from typer.main import get_command

    from hybridmip.cli.app import app

    group: Any = get_command(app)
    functions = {str(one.callback.__name__): one.callback for one in app.registered_commands if one.callback}
    return "\n\n".join(_command(name, group.commands[name], functions[name]) for name in functions)


def _command(name: str, command: Any, function: Any) -> str:
    text, _, examples = inspect.cleandoc(function.__doc__ or "").partition("Examples:")
    lines = [line.strip() for line in examples.splitlines() if line.strip()]
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option" and one.name != "help"]
    usage = " ".join(["hybridmip", name, *(_value(one, function) for one in arguments), "[OPTIONS]"])
    parts = [f"## hybridmip {name}", _escaped(_plain(text.strip())), f"```console\n$ {usage}\n```"]
    if lines:
        parts.append("\n".join(["```console", *(f"$ {line}" for line in lines), "```"]))
    panels: dict[str, list[Any]] = {"Arguments": arguments} if arguments else {}
    for option in options:
        panels.setdefault(option.rich_help_panel or "Options", []).append(option)
    for panel, members in panels.items():
        parts += [f"**{panel}**", "\n\n".join(_parameter(one, function) for one in members)]
    return "\n\n".join(parts)


def _parameter(parameter: Any, function: Any) -> str:
    """An argument or option with what it takes, as an entry of a list of definitions."""
    value = _value(parameter, function)
    names = [value] if parameter.param_type_name == "argument" else [_option(name, value) for name in parameter.opts]
    what = parameter.help or ""
    if parameter.name == "file" and not what:
        from hybridmip.io.readers import known_kinds

        what = f"The problem: {known_kinds()}; also gzipped (.gz)."
    told = [_escaped(_plain(what))] if what else []
    if parameter.required:
        told.append("Required.")
    elif isinstance(parameter.show_default, str):  # in words
        told.append(f"Default: {_escaped(parameter.show_default)}.")
    elif not getattr(parameter, "is_flag", False) and parameter.default not in (None, (), []):
        told.append(f"Default: `{_shown(parameter.default)}`.")
    least = getattr(parameter, "min", None)
    if least is not None:
        told.append(f"At least {least:g}.")
    if getattr(parameter, "multiple", False) and "epeat" not in what:
        told.append("May be given several times.")
    return ", ".join(f"`{name}`" for name in names) + "\n: " + " ".join(told or ["(no more is said of it)"])


def _option(name: str, value: str) -> str:
    return f"{name} {value}".strip()


def _value(parameter: Any, function: Any) -> str:
    """What stands for the value: a name in capitals, the choices, or nothing for a switch."""
    if getattr(parameter, "is_flag", False):
        return ""
    if parameter.metavar:
        return str(parameter.metavar)
    choices = _choices(typing.get_type_hints(function).get(parameter.name))
    return "|".join(choices) if choices else str(parameter.name).upper()


def _choices(hint: Any) -> list[str]:
    """The values of an enumeration, also of one that may be left out."""
    for kind in (hint, *typing.get_args(hint)):
        if isinstance(kind, type) and issubclass(kind, enum.Enum):
            return [str(one.value) for one in kind]
    return []


def _shown(value: Any) -> str:
    return str(value.value) if isinstance(value, enum.Enum) else str(value)


def _plain(text: str) -> str:
    """Without the marks of the terminal's markup."""
    return re.sub(r"\[/?(?:bold|italic|dim)\]", "", text)


def _escaped(text: str) -> str:
    """As Markdown that shows the text, with options as code."""
    return re.sub(r"(?<!\S)(--[a-z][a-z-]*)", r"`\1`", re.sub(r"([\\`*_<>|$\[\]])", r"\\\1", text))


def _with_code(text: str) -> str:
    """The same for a text that has code in backticks already."""
    parts = text.split("`")
    return "".join(f"`{part}`" if at % 2 else _escaped(part) for at, part in enumerate(parts))


def exit_codes() -> str:
    """A table of the exit codes."""
    from hybridmip.cli.exits import MEANINGS

    return _table(("exit code", "meaning"), ((str(code), what) for code, what in MEANINGS.items()))


def settings() -> str:
    """Every setting with type, range and default."""
    from hybridmip.run.overview import parameters

    return "\n\n".join(
        f"`{one.name}`\n: `{one.kind}`, {one.range}. Default: `{one.default}`.\n\n  {_with_code(one.meaning)}."
        for one in parameters()
    )


def ampl_options() -> str:
    """A table of what a modelling tool may hand over as options."""
    from hybridmip.adapters.words import KNOWN

    return _table(("option", "what it is"), ((f"`{name}`", _escaped(what)) for name, (_, what) in KNOWN.items()))


def file_kinds() -> str:
    """A table of the kinds of problem files and the ends of their names."""
    from hybridmip.io.readers import READERS

    kinds: dict[str, list[str]] = {}
    for suffix, reader in READERS.items():
        kinds.setdefault(reader.kind, []).append(f"`{suffix}`")
    return _table(("kind", "names end in"), ((kind, ", ".join(ends)) for kind, ends in kinds.items()))


def limits_of_files() -> str:
    """How large a model in a file may be."""
    from hybridmip.io import convert, readers

    return (
        f"General integers become sums of binaries: their bounds must be at most {convert.LARGEST_RANGE:,} apart, and "
        f"all of them together may need {convert.MOST_EXTRA_BINARIES:,} binaries. A file of more than "
        f"{readers.MOST_LINES:,} lines is refused, but for JSON."
    )


def refused(kind: str) -> str:
    """What a reader knows and refuses, with the reason: of `mps` or `lp`."""
    import importlib

    sections: dict[str, list[str]] = {}
    for section, reason in importlib.import_module(f"hybridmip.io.{kind}").REFUSED.items():
        sections.setdefault(reason, []).append(f"`{section}`")
    return "\n".join(f"- {reason} ({', '.join(names)})" for reason, names in sections.items())


def account_rules() -> str:
    """The columns that are rules of an account."""
    from hybridmip.io.accounts import RULES

    return ", ".join(f"`{name}`" for name in RULES)


def columns(what: str) -> str:
    """The columns of a table: `arcs`, `nodes`, `commodities` or `accounts`."""
    from hybridmip.io import arcs
    from hybridmip.sweep import accounts

    names = {
        "arcs": arcs.ARC_COLUMNS, "nodes": arcs.NODE_COLUMNS, "commodities": arcs.COMMODITY_COLUMNS,
        "accounts": accounts.COLUMNS,
    }[what]  # fmt: skip
    return ", ".join(f"`{name}`" for name in names)


def schema(name: str) -> str:
    """The fields of a JSON document, from its JSON Schema."""
    document = json.loads((files("hybridmip") / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8"))
    parts = [_with_code(document["description"]), _fields(document)]
    for part, definition in document.get("$defs", {}).items():
        about = _with_code(definition.get("description", ""))
        parts.append(f"`{part}`: {about}" if about else f"`{part}`:")
        shapes = [definition] if "properties" in definition else definition.get("oneOf", [])
        parts += [_fields(shape) for shape in shapes]
    parts.append(f"JSON Schema: {{download}}`{name}.schema.json <../../src/hybridmip/schemas/{name}.schema.json>`")
    return "\n\n".join(parts)


def _fields(definition: dict[str, Any]) -> str:
    required = definition.get("required", [])
    rows = []
    for name, field in definition["properties"].items():
        kind = _kind(field) if name in required else f"{_kind(field)}; may be left out"
        rows.append((f"`{name}`", kind, _with_code(field.get("description", ""))))
    return _table(("field", "type", "what it is"), rows)


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table as Markdown."""
    head = list(head)
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows))


def _kind(field: dict[str, Any]) -> str:
    """The type of a field in words."""
    if "const" in field:
        return f'"{field["const"]}"'
    if "enum" in field:
        return ", ".join("null" if one is None else f'"{one}"' for one in field["enum"])
    if "$ref" in field:
        return f"`{field['$ref'].rpartition('/')[2]}`"
    if "oneOf" in field:
        return " or ".join(_kind(one) for one in field["oneOf"])
    kind = field.get("type", "")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array" and isinstance(field.get("items"), dict):
        return f"array of {_kind(field['items'])}"
    if kind == "object" and isinstance(field.get("additionalProperties"), dict):
        return f"object of {_kind(field['additionalProperties'])}"
    if kind == "object" and "properties" in field:
        return f"object: {', '.join(f'`{name}`' for name in field['properties'])}"
    return str(kind)


def page(name: str, *title: str) -> str:
    """A link to a page of the site; its title alone where the site is built without it."""
    there = (Path(__file__).parents[1] / f"{name}.md").is_file()
    return f"[{' '.join(title)}](../{name}.md)" if there else " ".join(title)


PARTS = {
    "commands": commands, "exit-codes": exit_codes, "settings": settings, "ampl-options": ampl_options,
    "file-kinds": file_kinds, "refused": refused, "account-rules": account_rules, "columns": columns, "schema": schema,
    "page": page, "limits-of-files": limits_of_files,
}  # fmt: skip


def filled(text: str) -> str:
    """A page with its marks replaced."""
    return MARK.sub(lambda mark: PARTS[mark[1]](*mark[2].split()), text)  # type: ignore[operator]


def _read(app: Any, name: str, content: list[str]) -> None:
    if MARK.search(content[0]):
        content[0] = filled(content[0])
        import hybridmip

        for file in sorted(Path(hybridmip.__file__).parent.rglob("*.py")):
            app.env.note_dependency(str(file))  # the page is made anew when the code changes


def setup(app: Any) -> dict[str, bool]:
    """Replace the marks of every page as it is read."""
    app.connect("source-read", _read)
    app.add_css_file("reference.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
