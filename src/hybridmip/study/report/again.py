"""The end of the report: how to run it again, and how long that takes."""

from __future__ import annotations

import contextlib
import os
import platform
from pathlib import Path

from hybridmip import __version__
from hybridmip.study.document import Code, Document, Heading, Text
from hybridmip.study.plan import Options
from hybridmip.study.report.findings import Findings
from hybridmip.study.report.words import counted
from hybridmip.study.run import Study

#: Folder of the tables and figures, beside the report.
PARTS_FOLDER = "study"


def again(document: Document, findings: Findings) -> None:
    """How to run it again."""
    study, options = findings.study, findings.answers.options
    extra = f" --reference {','.join(options.reference)}" if options.reference else ""
    if extra and options.reference_seconds != Options.reference_seconds:
        extra += f" --reference-seconds {options.reference_seconds:g}"
    sets = "" if len(options.sets) == 5 else f" --sets {','.join(options.sets)}"
    quick = " --quick" if options.quick else ""
    jobs = f" --jobs {study.jobs}"
    document.add(
        Heading("How to run it again"),
        Code(
            "hybridmip data orlib --out data          # the ten files of OR-Library, checked against their SHA-256\n"
            f"hybridmip study --data data --out results{sets}{quick}{jobs}{extra}"
        ),
        Text(
            f"With {counted(study.jobs, 'process')} on {_machine()} this run took {_duration(study)}. Every "
            "answer is kept in study.sqlite as it comes: after an interruption `--resume` goes on, and with "
            "`--reference` adds a solver later. The numbers depend on the seeds only; the seconds "
            "on the machine."
        ),
        Text(
            "The command writes its report as Markdown and as one HTML page, and into the folder "
            f"`{PARTS_FOLDER}` beside them the tables as CSV, every single answer (points.csv), and the figures as PNG "
            "and SVG."
        ),
        Text(
            "Literature: T.-J. Chang, N. Meade, J. E. Beasley and Y. M. Sharaiha, *Heuristics for cardinality "
            "constrained portfolio optimisation*, Computers & Operations Research 27 (2000) 1271-1302. OR-Library: "
            "J. E. Beasley, *OR-Library: distributing test problems by electronic mail*, Journal of the Operational "
            "Research Society 41 (1990) 1069-1072."
        ),
    )


def _duration(study: Study) -> str:
    """How long it took, reference solvers apart."""
    parts = []
    together = all(sitting.reference for sitting in study.sittings)
    added = "with reference solvers" if together else "to add reference solvers"
    for asked, words in ((False, "without reference solvers"), (True, added)):
        own = [sitting for sitting in study.sittings if sitting.reference == asked]
        if own:
            taken = _minutes(sum(sitting.seconds for sitting in own))
            known = [sitting.processor for sitting in own if sitting.processor is not None]
            used = f" ({_minutes(sum(known))} of processor time)" if len(known) == len(own) else ""
            parts.append(f"{taken}{used} {words}")
    return ", and then ".join(parts)


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.1f} minutes"


def _machine() -> str:
    name = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                name = line.split(":", 1)[1].strip()
                break
    cores = os.cpu_count() or 1
    return f"{name} ({counted(cores, 'core')}), Python {platform.python_version()}, HybridMIP {__version__}"
