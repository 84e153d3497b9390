"""What every part shares: options, data, the machine, result files, tables."""

from __future__ import annotations

import importlib.metadata
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
#: A missing number in a table.
NOTHING = "-"
#: Relative difference up to which two objective values count as equal.
EQUAL = 1e-6
#: A point that violates a constraint by more (in the caller's units) does not count as feasible.
FEASIBLE = 1e-6
PACKAGES = (
    "hybridmip", "numpy", "scipy", "numba", "highspy", "clarabel", "daqp", "cplex", "gurobipy", "PySCIPOpt", "cvxpy",
    "scikit-learn", "skfolio",
)  # fmt: skip


class Skip(Exception):
    """A part cannot run here; the message says why."""


def peak_megabytes() -> float:
    """The most memory that this process has had."""
    try:
        import resource
    except ImportError:
        raise Skip("memory is measured with resource, which Windows lacks") from None
    # Linux counts kilobytes, macOS bytes.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2.0**20 if sys.platform == "darwin" else 2.0**10)


@dataclass(frozen=True)
class Options:
    """What to run and how thoroughly.

    Attributes
    ----------
    quick : bool
        Small versions of everything, to see that it works; the figures mean nothing.
    seconds_per_target : float
        Time limit of a peer for one target return of a frontier.
    sets : tuple of str
        OR-Library sets of the frontier part.
    peers : tuple of str
        Peers of the frontier and buy-in parts.
    seeds : tuple of int
        Seeds of ours.
    stride : int
        Gurobi and SCIP get every stride-th target.
    every : int
        Every so many-th target is part of the other settings.
    threads : int
        Threads of ours and of every peer.
    relative_gap : float
        Relative gap at which a peer may stop.
    limits : tuple of float
        Seconds of every method on a problem file and on a generated problem; one result file for each.
    file_seeds : tuple of int
        Seeds of ours there.
    file_gap : float
        Relative gap at which every method may stop there.
    resume : bool
        Whether problem files and generated problems are gone on with where an earlier run of the same sources stopped.
    out : Path
        Folder of RESULTS.md and results/.
    """

    quick: bool = False
    seconds_per_target: float = 10.0
    sets: tuple[str, ...] = ("port1", "port2", "port3", "port4", "port5")
    peers: tuple[str, ...] = ("cplex",)
    seeds: tuple[int, ...] = (0, 1, 2)
    stride: int = 5
    every: int = 8
    threads: int = 2
    relative_gap: float = 1e-9
    limits: tuple[float, ...] = (30.0,)
    file_seeds: tuple[int, ...] = (0,)
    file_gap: float = 1e-6
    resume: bool = False
    out: Path = field(default_factory=lambda: ROOT / "benchmarks")


def say(text: str) -> None:
    """Print progress at once."""
    print(text, flush=True)


def data_dir() -> Path:
    """Folder of public instances: HYBRIDMIP_DATA, else ../shared/data.

    Raises
    ------
    Skip
        If there is none.
    """
    given = os.environ.get("HYBRIDMIP_DATA")
    folder = Path(given) if given else ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        raise Skip("no data found; set HYBRIDMIP_DATA to the folder of instances")
    return folder


def machine() -> dict[str, Any]:
    """Processor, cores, system, Python and versions of everything that takes part."""
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = NOTHING
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": versions,
    }


def commit() -> str | None:
    """The commit that is measured, with a plus where the sources are changed; None outside a repository."""
    folder = Path(__file__).resolve().parents[1]
    try:
        found = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=folder, capture_output=True, text=True)
        changed = subprocess.run(["git", "diff", "--quiet", "HEAD", "--", "src", "benchmarks/*.py"], cwd=folder)
    except OSError:
        return None
    return None if found.returncode else found.stdout.strip() + ("+" if changed.returncode else "")


def same_sources(measured: str | None) -> bool:
    """Whether the sources of the solver are those of a commit that was measured, with nothing changed then or now."""
    if not measured or measured.endswith("+"):
        return False
    folder = Path(__file__).resolve().parents[1]
    try:
        return subprocess.run(["git", "diff", "--quiet", measured, "--", "src"], cwd=folder).returncode == 0
    except OSError:
        return False


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def load() -> float | None:
    """Average number of busy processes over the last minute, where the system tells."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


class Record:
    """Raw numbers of one part (or a piece of it), written to results/<name>.json.

    With `options.resume` that file is gone on with, where its settings and the sources are the same: `entries` are what
    it has.
    """

    def __init__(self, options: Options, name: str, **settings: Any) -> None:
        self.path = options.out / "results" / f"{name}.json"
        self.started = time.perf_counter()
        self.entries: list[dict[str, Any]] = []
        self.document: dict[str, Any] = {
            "name": name,
            "quick": options.quick,
            "date": datetime.now(UTC).strftime("%Y-%m-%d"),
            "commit": commit(),
            "load_at_start": load(),
            "machine": machine(),
            "settings": {"threads": options.threads, **settings},
            "notes": [],
        }
        self._before = 0.0
        if options.resume and self.path.is_file():
            found = json.loads(self.path.read_text())
            if found["settings"] != _plain(self.document["settings"]) or not same_sources(found["commit"]):
                say(f"  {self.path.name} is of other settings or sources: it is begun anew")
                return
            self._before, self.entries = found["run_seconds"], found["entries"]
            part = {key: self.document[key] for key in ("date", "commit", "load_at_start", "machine")}
            self.document = {**found, "later_parts": [*found.get("later_parts", ()), part]}

    def note(self, text: str) -> None:
        """Remark that belongs under the table; said once."""
        if text not in self.document["notes"]:
            self.document["notes"].append(text)
            say(f"  note: {text}")

    def write(self, **content: Any) -> None:
        """Write the file."""
        self.document["run_seconds"] = round(self._before + time.perf_counter() - self.started, 1)
        self.document.update(content)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(_dumps(_plain(self.document)) + "\n")


def _dumps(document: dict[str, Any]) -> str:
    """JSON with one line per entry of the lists of raw numbers, so that differences can be read."""
    lines = []
    for key, value in document.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            text = "[\n" + ",\n".join("  " + json.dumps(entry) for entry in value) + "\n ]"
        else:
            text = json.dumps(value)
        lines.append(f" {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}"


def _plain(value: Any) -> Any:
    """The value ready for JSON; numbers that are not finite become None."""
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value


def records(out: Path, pattern: str) -> list[dict[str, Any]]:
    """Documents of the result files whose names match, in order of name."""
    return [json.loads(path.read_text()) for path in sorted((out / "results").glob(f"{pattern}.json"))]


def median(values: Iterable[float]) -> float:
    """Median; NaN of nothing."""
    values = list(values)
    return statistics.median(values) if values else math.nan


def number(value: float | None, digits: int = 3, unit: str = "") -> str:
    """A number with so many significant digits, without exponents in the range people read; '-' for none."""
    if value is None or not math.isfinite(value):
        return NOTHING
    if value == 0:
        return "0" + unit
    magnitude = abs(value)
    if magnitude < 1e-3 or magnitude >= 1e7:
        return f"{value:.{digits - 1}e}{unit}"
    decimals = max(0, digits - 1 - math.floor(math.log10(magnitude)))
    return f"{value:,.{decimals}f}{unit}"


def ratio(numerator: float | None, denominator: float | None) -> str:
    """numerator / denominator as '12.3x'; '-' where one is missing."""
    if numerator is None or not denominator or not math.isfinite(numerator / denominator):
        return NOTHING
    return number(numerator / denominator, 3, "x")


def table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """An aligned Markdown table: the first column to the left, the others to the right; None is '-'."""
    cells = [[NOTHING if cell is None else str(cell) for cell in row] for row in rows]
    for row in cells:
        if len(row) != len(headers):
            raise ValueError(f"a row has {len(row)} cells; the table has {len(headers)} columns")
    widths = [max(3, len(head), *(len(row[i]) for row in cells)) for i, head in enumerate(headers)]

    def line(row: Sequence[str]) -> str:
        first = row[0].ljust(widths[0])
        return "| " + " | ".join([first, *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]) + " |"

    rule = "|" + "|".join("-" * (w + 2) if i == 0 else "-" * (w + 1) + ":" for i, w in enumerate(widths)) + "|"
    return "\n".join([line(headers), rule, *(line(row) for row in cells)])


def section(title: str, documents: Sequence[dict[str, Any]], *blocks: str) -> str:
    """A section of RESULTS.md: title, tables and texts, notes, when and how long."""
    notes = list(dict.fromkeys(note for document in documents for note in document["notes"]))
    parts = [part for document in documents for part in (document, *document.get("later_parts", ()))]
    dates = sorted({part["date"] for part in parts})
    loads = [part["load_at_start"] for part in parts if part["load_at_start"] is not None]
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    seconds = sum(document["run_seconds"] for document in documents)
    measured = f"Measured {when} in {number(seconds, 3)} s"
    measured += f" and {len(parts)} parts" if len(parts) > len(documents) else ""
    measured += f", load at the start {max(loads):g}" if loads else ""
    commits = list(dict.fromkeys(part["commit"] for part in parts if part.get("commit")))
    measured += f", at {', '.join(commits)}." if commits else "."
    if any(document["quick"] for document in documents):
        measured += " **Quick run: the figures mean nothing.**"
    text = [f"## {title}", *blocks]
    if notes:
        text.append("\n".join(f"- {note}" for note in notes))
    return "\n\n".join([*text, measured]) + "\n"


def describe_machines(documents: Sequence[dict[str, Any]]) -> str:
    """Table of what the figures were measured on; one row for each part that differs."""
    rows: dict[str, list[str]] = {}
    for document in documents:
        for m in [document["machine"], *(part["machine"] for part in document.get("later_parts", ()))]:
            versions = ", ".join(f"{name} {version}" for name, version in m["versions"].items() if version != NOTHING)
            key = f"{m['processor']}, {m['cores']} cores, {m['system']}; Python {m['python']}; {versions}"
            names = rows.setdefault(key, [])
            if document["name"] not in names:
                names.append(document["name"])
    if len(rows) == 1:
        return f"Machine: {next(iter(rows))}."
    return "\n".join(f"- {', '.join(names)}: {key}" for key, names in rows.items())
