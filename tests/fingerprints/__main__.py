"""`python -m tests.fingerprints record FILE` and `compare FILE`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tests.fingerprints.jobs import data_folder, names
from tests.fingerprints.run import run

#: Seconds after which a solve is taken to have no end of its own.
PATIENCE = 20.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fingerprints", description=__doc__)
    parser.add_argument("what", choices=["record", "compare"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", default="", help="jobs whose names begin so, by commas: 'orlib port1,file mip'")
    parser.add_argument("--patience", type=float, default=PATIENCE, help=f"seconds for a solve (default {PATIENCE:g})")
    given = parser.parse_args()
    wanted = [name for name in names(data_folder()) if " ".join(name).startswith(tuple(given.only.split(",")))]
    if given.what == "record":
        found = run(wanted, given.patience)
        given.file.write_text(json.dumps(found, indent=0) + "\n")
        print(f"{len(found)} of {len(wanted)} solves ended by themselves and are recorded in {given.file}")
        return 0
    before = json.loads(given.file.read_text())
    wanted = [name for name in wanted if " ".join(name) in before]
    # Twice the time: a busy machine is no change.
    after = run(wanted, 2 * given.patience)
    different = [name for name in map(" ".join, wanted) if after.get(name) != before[name]]
    for name in different:
        print(f"{name}: {before[name]} before, {after.get(name, 'no end')} after")
    print(f"{len(wanted)} solves compared, {len(different)} differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
