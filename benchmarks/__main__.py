"""The command: run parts, print their tables, write RESULTS.md."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from benchmarks import (
    accounts,
    bounds,
    buyin,
    dates,
    files,
    frontier,
    generated,
    growth,
    kernel,
    modellers,
    mv,
    proofs,
    regression,
    settings,
    singular,
    startup,
    subsets,
    support,
    sweep,
    trading,
    walkforward,
)
from benchmarks.common import ROOT, Options, Skip, describe_machines, records, say
from benchmarks.peers import PEERS

#: Parts in the order of RESULTS.md, with the result files each is made of.
PARTS: dict[str, tuple[ModuleType, str]] = {
    "kernel": (kernel, "kernel"),
    "frontier": (frontier, "frontier-*"),
    "sweep": (sweep, "sweep"),
    "buyin": (buyin, "buyin"),
    "bounds": (bounds, "bounds"),
    "proofs": (proofs, "proofs"),
    "singular": (singular, "singular"),
    "settings": (settings, "settings"),
    "dates": (dates, "dates"),
    "mv": (mv, "mv"),
    "regression": (regression, "regression"),
    "subsets": (subsets, "subsets"),
    "trading": (trading, "trading"),
    "accounts": (accounts, "accounts"),
    "walkforward": (walkforward, "walkforward"),
    "modellers": (modellers, "modellers"),
    "files": (files, "files*"),
    "generated": (generated, "generated*"),
    "growth": (growth, "growth"),
    "support": (support, "support"),
    "startup": (startup, "startup"),
}
TITLE = """# Benchmarks

Written by `make bench` (`python -m benchmarks`); raw numbers are in `results/`. Every comparison is of one run on
one machine, with {threads} threads for ours and every peer (DAQP and SCIP: one). Peers get a model scaled
so that the mean variance is 1 and the largest coefficient of every row is 1, tight tolerances and an
absolute gap of 0; all values are computed again from the weights, in the units of the data. A
peer's clock leaves out building its model. A dash is a peer
that is not installed or whose licence refuses the size."""


def parse(arguments: Sequence[str] | None = None) -> tuple[list[str], Options, bool]:
    """Parts to run, options, and whether only to write RESULTS.md again."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="HybridMIP against real peers, in one run."
    )
    parser.add_argument("--only", default=",".join(PARTS), help="parts, by commas (default: all: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="tiny versions, written to benchmarks/quick")
    parser.add_argument("--seconds-per-target", type=float, default=None, help="limit of a peer (default 10; quick 1)")
    parser.add_argument("--sets", default=None, help="OR-Library sets (default port1,...,port5; quick port1)")
    parser.add_argument(
        "--peers", default="cplex", help="peers of frontier and buyin: cplex,gurobi,scip (default cplex)"
    )
    parser.add_argument("--stride", type=int, default=5, help="Gurobi and SCIP get every so many-th target (default 5)")
    parser.add_argument("--every", type=int, default=8, help="every which target of the other settings (default 8)")
    parser.add_argument("--seeds", default="0,1,2", help="seeds of ours (default %(default)s)")
    parser.add_argument("--threads", type=int, default=2, help="threads of every method (default %(default)s)")
    parser.add_argument("--gap", type=float, default=1e-9, help="relative gap of the peers (default %(default)s)")
    parser.add_argument("--limits", default=None, help="seconds of files and generated (default 30; quick 2): 30,120")
    parser.add_argument("--file-seeds", default="0", help="seeds of ours of files and generated (default 0): 0,1,2")
    parser.add_argument(
        "--resume", action="store_true",
        help="files and generated: go on where an earlier run of the same sources stopped, or add seeds to it",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, default=None, help="folder of RESULTS.md and results/ (default benchmarks)")
    parser.add_argument("--report", action="store_true", help="run nothing; write RESULTS.md from the files there are")
    given = parser.parse_args(arguments)
    only = _split(parser, "--only", given.only, PARTS)
    peers = _split(parser, "--peers", given.peers, PEERS)
    known = [f"port{i}" for i in range(1, 6)]
    sets = given.sets or ("port1" if given.quick else ",".join(known))
    limit = given.seconds_per_target or (1.0 if given.quick else 10.0)
    if limit <= 0 or min(given.stride, given.every) < 1 or given.gap < 0:
        parser.error("--seconds-per-target, --stride and --every must be positive, --gap not negative")
    try:
        seeds = tuple(int(seed) for seed in given.seeds.split(","))
    except ValueError:
        parser.error(f"--seeds is {given.seeds!r}; give whole numbers, by commas")
    try:
        limits = tuple(float(part) for part in (given.limits or ("2" if given.quick else "30")).split(","))
        file_seeds = tuple(int(seed) for seed in given.file_seeds.split(","))
    except ValueError:
        parser.error("--limits and --file-seeds: give numbers, by commas")
    if min(limits) <= 0:
        parser.error("--limits must be positive")
    options = Options(
        limits=limits,
        file_seeds=file_seeds,
        resume=given.resume,
        quick=given.quick,
        seconds_per_target=limit,
        sets=tuple(_split(parser, "--sets", sets, known)),
        peers=tuple(peers),
        seeds=seeds,
        stride=given.stride,
        every=given.every,
        relative_gap=given.gap,
        threads=given.threads,
        out=given.out or ROOT / "benchmarks" / ("quick" if given.quick else ""),
    )
    return only, options, given.report


def _split(
    parser: argparse.ArgumentParser, option: str, text: str, known: Sequence[str] | dict[str, object]
) -> list[str]:
    """Names by commas, each a known one."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in known:
            parser.error(f"{option} has {name!r}; choose from {', '.join(known)}")
    return names


def assemble(out: Path) -> str:
    """RESULTS.md from whatever result files there are."""
    sections, documents = [], []
    for module, pattern in PARTS.values():
        found = records(out, pattern)
        if found:
            sections.append(module.report(found))
            documents += found
    if not documents:
        return ""
    threads = "/".join(sorted({str(document["settings"]["threads"]) for document in documents}))
    return "\n\n".join([TITLE.format(threads=threads), describe_machines(documents), *sections]).rstrip() + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts asked for; 1 if one of them failed."""
    only, options, report_only = parse(arguments)
    failed = []
    for name in [] if report_only else only:
        say(f"==> {name}")
        module, pattern = PARTS[name]
        try:
            module.run(options)
        except Skip as reason:
            say(f"  {name} skipped: {reason}")
            continue
        except Exception as error:  # noqa: BLE001  (the other parts still run; the exit code tells)
            say(f"  {name} FAILED: {type(error).__name__}: {error}")
            failed.append(name)
            continue
        found = records(options.out, pattern)
        if found:
            say("\n" + module.report(found))
    text = assemble(options.out)
    if not text:
        say("no result files; nothing written")
        return 1
    (options.out / "RESULTS.md").write_text(text)
    say(f"==> wrote {os.path.relpath(options.out / 'RESULTS.md')}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
