"""`hybridmip study`: the paper's experiments, done again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hybridmip.cli.options import AsJson, Quiet
from hybridmip.cli.output import print_parts, write_json
from hybridmip.cli.places import make_directory
from hybridmip.cli.progress import StudyBar
from hybridmip.errors import ArgumentError, HybridMIPError

if TYPE_CHECKING:
    from hybridmip.study import Study

#: The set of a quick run: large enough that methods differ.
QUICK_SET = "port2"


def study(
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            show_default=False,
            help="Folder of OR-Library's port and portef files; by default where `hybridmip data orlib` puts them.",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the run and its report go.")] = Path(
        "hybridmip-study"
    ),
    sets: Annotated[
        str | None, typer.Option(metavar="SET,...", show_default="port1 to port5", help="Which sets.")
    ] = None,
    seeds: Annotated[str, typer.Option(metavar="N,...", help="Seeds of Paper, Ours and the ablation.")] = "0,1,2",
    jobs: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", show_default="all cores", help="Processes that work side by side."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run that is in --out.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="One set and ten targets, in under a minute.")] = False,
    reference: Annotated[
        str | None,
        typer.Option(
            metavar="SOLVER,...",
            show_default="none",
            help="Reference solvers to run as well, if installed: cplex, gurobi, scip.",
        ),
    ] = None,
    reference_seconds: Annotated[
        float, typer.Option(metavar="SECONDS", help="Time limit of a reference solver for one target.")
    ] = 10.0,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """The paper's experiments: its tables and figures beside ours, and a report.

    Writes study.md and study.html (a page that works offline), and a folder study with the tables as CSV and the
    figures as PNG and SVG. Every answer is kept in study.sqlite as it comes: after an interruption, --resume goes on.

    Examples:

    hybridmip data orlib --out data

    hybridmip study --data data --out results --quick

    hybridmip study --data data --out results --jobs 2 --reference cplex
    """
    numbers = _seed_numbers(seeds)
    chosen = _names(sets)

    from hybridmip.io.download import orlib_dir
    from hybridmip.study import Options
    from hybridmip.study import study as run_study
    from hybridmip.study.report import save_report
    from hybridmip.study.sets import SETS

    options = Options(
        sets=chosen or ((QUICK_SET,) if quick else SETS), seeds=numbers, quick=quick, reference=_names(reference),
        reference_seconds=reference_seconds,
    )  # fmt: skip
    folder = orlib_dir() if data is None else data
    if not folder.is_dir():
        remedy = "hybridmip data orlib" + ("" if data is None else f" --out {data}")
        raise ArgumentError(f"--data {folder} is not a directory; fetch the files with: {remedy}")
    make_directory(out)
    bar = StudyBar(quiet)
    try:
        found = run_study(folder, out, options, jobs=jobs or _cores(), resume=resume, progress=bar)
        bar.show("writing the tables, figures and reports")
        files = save_report(found, out)
    except KeyboardInterrupt:
        bar.clear()
        raise HybridMIPError(
            f"interrupted; what was answered is in {out}: go on with the same command and --resume"
        ) from None
    bar.clear()
    document = _summary(found)
    if as_json:
        write_json({**document, "files": [str(path) for path in files]})
    else:
        print_parts(
            *_report(document), "", f"written: {files[0]}, {files[1]} and {len(files) - 2} files in {files[2].parent}"
        )


def _seed_numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise ArgumentError(f"--seeds is {text!r}; give whole numbers such as 0,1,2") from None


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _summary(found: Study) -> dict[str, Any]:
    from hybridmip.study.report import Findings

    findings = Findings(found)
    work = findings.frames["table4_work"]
    proofs = {row["set"]: row for row in findings.frames["table4_proofs"].to_dict("records")}
    rows = {(row["set"], row["method"]): row for row in work.to_dict("records")}
    sets = []
    for name in found.options.sets:
        counts = {key: int(rows[name, "ours"][key]) for key in ("feasible", "infeasible")}
        entry: dict[str, Any] = {"set": name, **counts, "proven": int(proofs[name]["proven"])}
        for method in ("paper", "ours"):
            own = rows[name, method]
            entry[method] = {
                "at_best_known": int(own["at_best_known"]), "answers": int(own["answers"]),
                "mean_objective_gap_percent": float(own["mean_objective_gap_percent"]),
                "max_objective_gap_percent": float(own["max_objective_gap_percent"]),
            }  # fmt: skip
        sets.append(entry)
    return {"sets": sets, "seeds": list(found.options.seeds), "seconds": found.seconds}


def _report(document: dict[str, Any]) -> list[Any]:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("set", "feasible", "proven", "Paper: at the best", "mean gap", "Ours: at the best", "mean gap"):
        table.add_column(heading, justify="left" if heading == "set" else "right")
    for entry in document["sets"]:
        cells = [entry["set"], str(entry["feasible"]), str(entry["proven"])]
        for method in ("paper", "ours"):
            own = entry[method]
            cells += [f"{own['at_best_known']} of {own['answers']}", f"{own['mean_objective_gap_percent']:.4f} %"]
        table.add_row(*cells)
    return [Text("The paper's experiments, done again", "bold"), "", table, "", f"{document['seconds']:.0f} s"]
