"""Errors in one line: of the command line itself, and everything that a command may raise."""

from __future__ import annotations

import difflib
from typing import Any

from typer.core import TyperGroup
from typer.exceptions import TyperException

from hybridmip.cli.exits import EXIT_USAGE
from hybridmip.cli.output import tell
from hybridmip.errors import ArgumentError


class Commands(TyperGroup):
    """The commands, with an error of ours for one that does not exist."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the arguments name."""
        if args and self.get_command(ctx, args[0]) is None:
            close = difflib.get_close_matches(args[0], self.commands)
            raise ArgumentError(
                f"no such command {args[0]!r}{_did_you_mean(map(repr, close))}; {_where_help_is(ctx.command_path)}"
            )
        return super().resolve_command(ctx, args)


def fail(message: str) -> int:
    """One line on standard error; the exit code for bad input."""
    tell(f"error: {message}")
    return EXIT_USAGE


def usage_message(error: TyperException) -> str:
    """What is wrong with the command line, the closest right name, and where the help is."""
    context = getattr(error, "ctx", None)
    unknown = getattr(error, "option_name", None)
    if unknown is not None and context is not None and hasattr(error, "possibilities"):
        known = [name for parameter in context.command.params for name in parameter.opts]
        message = f"no such option: {unknown}{_did_you_mean(difflib.get_close_matches(unknown, known, n=1))}"
    else:
        message = error.format_message().rstrip(".").replace("Value error, ", "")
    path = "hybridmip" if context is None else context.command_path
    return f"{message[:1].lower()}{message[1:]}; {_where_help_is(path)}"


def _did_you_mean(names: Any) -> str:
    shown = ", ".join(names)
    return f" (did you mean {shown}?)" if shown else ""


def _where_help_is(command: str) -> str:
    return f"try '{command} --help'"
