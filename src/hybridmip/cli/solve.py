"""`hybridmip solve`: a problem file of any kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hybridmip.cli.certificate import as_proven, save_certificate, save_proof
from hybridmip.cli.cluster import executor_of
from hybridmip.cli.exits import exit_code
from hybridmip.cli.options import (
    AsJson,
    CertificateFile,
    ConfigName,
    Configuration,
    Dask,
    FixedCharge,
    Gap,
    ProofFile,
    Prove,
    Quiet,
    Seed,
    TimeLimit,
    as_gap,
    settings,
)
from hybridmip.cli.output import print_parts, write_json
from hybridmip.cli.places import check_writable
from hybridmip.cli.problem_file import ProblemFile
from hybridmip.cli.problem_report import problem_document, problem_report
from hybridmip.cli.progress import solve_progress
from hybridmip.errors import FileError
from hybridmip.files import write_text

if TYPE_CHECKING:
    from hybridmip.io.model import ReadProblem
    from hybridmip.run.result import Result


def solve(
    file: ProblemFile,
    fixed_charge: FixedCharge = None,
    time_limit: TimeLimit = None,
    gap: Gap = None,
    config: ConfigName = Configuration.DEFAULT,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", show_default=False, help="Write the solution here: .json or .sol.")
    ] = None,
    certificate: CertificateFile = None,
    prove: Prove = False,
    proof: ProofFile = None,
    dask: Dask = None,
    seed: Seed = 0,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Solve a problem file.

    Rows x <= u b are recognised as switches, so that big-M models profit from the perspective relaxation too.

    Examples:

    hybridmip solve model.mps.gz --time-limit 30

    hybridmip solve model.qplib --out model.sol

    hybridmip solve problem.json --out solution.json --certificate bound.json

    hybridmip solve problem.json --prove --proof proof.json
    """
    closeness = as_gap(gap)
    check_writable(out, file)
    check_writable(certificate, file, option="--certificate")
    check_writable(proof, file, out, certificate, option="--proof")

    from hybridmip.io.problems import read_model

    read = read_model(file, fixed_charge)
    problem = read.problem

    from hybridmip.run.solve import solve as solve_problem

    with executor_of(dask) as executor:
        result = solve_problem(
            problem,
            config=settings(config),
            time_limit=time_limit,
            gap=closeness,
            seed=seed,
            progress=solve_progress(quiet),
            prove=prove or proof is not None,
            executor=executor,
        )
    if proof is not None:
        result = as_proven(result)
    document = problem_document(read, result)
    unwritten = save_certificate(result, certificate) or save_proof(result, proof)
    if out is not None and result.has_solution:
        try:
            _save_solution(out, read, result, document)
        except FileError as error:
            unwritten = error
    if as_json:
        write_json(document)
    else:
        print_parts(*problem_report(read, result))
    if unwritten is not None:
        raise unwritten
    raise typer.Exit(exit_code(result))


def _save_solution(path: Path, read: ReadProblem, result: Result, document: dict[str, Any]) -> None:
    if path.name.removesuffix(".gz").endswith(".sol"):
        from hybridmip.io.write import write_solution

        assert result.x is not None
        assert result.b is not None
        write_solution(path, read, result.x, result.b, result.objective)
        return
    write_text(path, json.dumps(document, indent=2) + "\n", "the solution")
