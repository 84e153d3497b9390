"""One SQLite file per run: what was asked, and every answer as it comes.

An answer is written in a transaction of its own, so that a process killed at any moment loses at most the one it was
working on. The file is locked while a process works on it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hybridmip.errors import FileError

FORMAT = "1"
Record = dict[str, Any]

_TABLES = """
CREATE TABLE IF NOT EXISTS run (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS answers (
    phase TEXT NOT NULL, round INTEGER NOT NULL, point INTEGER NOT NULL, record TEXT NOT NULL,
    PRIMARY KEY (phase, round, point)
);
"""


class Store:
    """The answers of a run, in a file or (path None) in memory.

    Parameters
    ----------
    path : path or None
    settings : dict of str
        What was asked: data, grid, configuration, seed, version.
    resume : bool
        Whether to go on with a file that is there.

    Raises
    ------
    FileError
        If the file is there and `resume` is not given, was made with other settings, is in use, or cannot be
        written.
    """

    def __init__(self, path: str | Path | None, settings: dict[str, str], resume: bool = False) -> None:
        self.path = None if path is None else Path(path).expanduser()
        exists = self.path is not None and self.path.exists() and self.path.stat().st_size > 0
        if exists and not resume:
            raise FileError(f"{self.path} holds a run already; resume it (--resume), or give another place")
        try:
            self._connection = sqlite3.connect(":memory:" if self.path is None else self.path, timeout=0.2)
        except sqlite3.Error as error:
            raise self._failure(error) from None
        try:
            # Held until the connection ends, also by a kill: a second process is refused.
            self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._connection.execute("PRAGMA synchronous = FULL")
            with self._connection:
                self._connection.execute("BEGIN EXCLUSIVE")
            with self._connection:
                self._connection.executescript(_TABLES)
            found = dict(self._connection.execute("SELECT key, value FROM run"))
            if found:
                self._compare(found, {"format": FORMAT, **settings})
            else:
                with self._connection:
                    entries = {"format": FORMAT, **settings}.items()
                    self._connection.executemany("INSERT INTO run VALUES (?, ?)", list(entries))
        except sqlite3.Error as error:
            self._connection.close()
            raise self._failure(error) from None
        except FileError:
            self._connection.close()
            raise

    def _compare(self, found: dict[str, str], wanted: dict[str, str]) -> None:
        for key, value in wanted.items():
            if found.get(key) != value:
                if key == "problem":
                    what = "other data or other rules (the problem is not the same)"
                elif len(value) < 200:
                    what = f"another {key} ({_short(found.get(key, 'nothing'))} then, {_short(value)} now)"
                else:
                    what = f"another {key}"
                raise FileError(f"{self.path} was made with {what}; give the same again, or another place")

    def _failure(self, error: sqlite3.Error) -> FileError:
        message = str(error)
        if "locked" in message:
            return FileError(f"{self.path} is in use by another process; wait for it, or give another place")
        if "not a database" in message or "malformed" in message:
            return FileError(f"{self.path} is not a run of HybridMIP; give another place")
        return FileError(f"cannot write {self.path} ({message}); what was stored stays; make room and resume it")

    def get(self, phase: str, round_: int) -> dict[int, Record]:
        """The answers of a round, by point."""
        rows = self._connection.execute(
            "SELECT point, record FROM answers WHERE phase = ? AND round = ?", (phase, round_)
        )
        return {point: json.loads(record) for point, record in rows}

    def between(self, phase: str, first: int, last: int) -> dict[int, Record]:
        """The answers of these points, both ends included."""
        rows = self._connection.execute(
            "SELECT point, record FROM answers WHERE phase = ? AND round = 0 AND point BETWEEN ? AND ?",
            (phase, first, last),
        )
        return {point: json.loads(record) for point, record in rows}

    def each(self, phase: str) -> Iterator[tuple[int, Record]]:
        """All answers in the order of their points, one at a time."""
        rows = self._connection.execute(
            "SELECT point, record FROM answers WHERE phase = ? AND round = 0 ORDER BY point", (phase,)
        )
        for point, record in rows:
            yield point, json.loads(record)

    def cut(self, phase: str, first: int) -> list[Record]:
        """Take out the answers from this point on; returns them."""
        where = "FROM answers WHERE phase = ? AND round = 0 AND point >= ?"
        gone = [json.loads(record) for (record,) in self._connection.execute(f"SELECT record {where}", (phase, first))]
        with self._connection:
            self._connection.execute(f"DELETE {where}", (phase, first))
        return gone

    def put(self, phase: str, round_: int, answers: dict[int, Record]) -> None:
        """Store answers; all of them or none."""
        rows = [(phase, round_, point, json.dumps(record)) for point, record in answers.items()]
        try:
            with self._connection:
                self._connection.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", rows)
        except sqlite3.Error as error:
            raise self._failure(error) from None

    def close(self) -> None:
        """Release the file."""
        self._connection.close()


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
