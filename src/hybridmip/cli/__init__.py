"""The command line: one file a command, beside what the commands share.

The numerical modules are imported inside the commands, after their options are checked: help and errors come half a
second sooner.
"""

from hybridmip.cli.app import main

__all__ = ["main"]
