"""The pages of benchmarks: means, profiles and losses by plain formulas, and that no result file is forgotten."""

from __future__ import annotations

import importlib
import json
import math
import random
import re
import shlex
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
for folder in (ROOT, ROOT / "docs" / "_ext"):
    sys.path.insert(0, str(folder))

pytest.importorskip("sphinx")
pytest.importorskip("matplotlib")

facts = importlib.import_module("benchmark_facts")
pages = importlib.import_module("benchmark_pages")
runner = importlib.import_module("benchmarks.__main__")

FOLDER = ROOT / "docs" / "benchmarks"
PAGES = sorted(FOLDER.glob("*.md"))
RESULTS = sorted((ROOT / "benchmarks" / "results").glob("*.json"))
DIRECTIVE = re.compile(r"^```\{benchmark\} (.+)$", re.MULTILINE)


def asked(page: Path) -> dict[str, list[str]]:
    """What a page asks for: kind, and the parts."""
    found: dict[str, list[str]] = {}
    for line in DIRECTIVE.findall(page.read_text()):
        kind, *parts = line.split()
        found[kind] = found.get(kind, []) + parts
    return found


def case(ours, theirs, best=None, tolerance=1e-6):
    return facts.Case("group", "label", ours, {"peer": theirs}, best, tolerance)


# Figures


@pytest.mark.parametrize("shift", [0.1, 1.0, 10.0])
def test_shifted_mean_is_the_formula(shift: float) -> None:
    """The k-th root of the product of values and shift, less the shift; within the values' range."""
    values = [random.Random(7).uniform(0.001, 60.0) for _ in range(9)]
    product = 1.0
    for value in values:
        product *= value + shift
    found = facts.shifted_geometric_mean(values, shift)
    assert found == pytest.approx(product ** (1 / 9) - shift, rel=1e-12)
    assert min(values) - 1e-12 <= found <= max(values) + 1e-12


def test_shifted_mean_of_equal_values_is_that_value() -> None:
    """Whatever the shift is; and it moves from the geometric towards the arithmetic mean as the shift grows."""
    assert facts.shifted_geometric_mean([3.0, 3.0, 3.0], 5.0) == pytest.approx(3.0)
    means = [facts.shifted_geometric_mean([1.0, 100.0], shift) for shift in (0.0, 1.0, 1e6)]
    assert means[0] == pytest.approx(10.0)
    assert means[0] < means[1] < means[2] < 50.5


@pytest.mark.parametrize(("values", "shift", "word"), [([], 1.0, "empty"), ([0.0], 0.0, "above zero")])
def test_shifted_mean_refuses_what_has_none(values: list[float], shift: float, word: str) -> None:
    """No values, or a value that the shift does not lift above zero."""
    with pytest.raises(ValueError, match=word):
        facts.shifted_geometric_mean(values, shift)


def test_profile_by_hand() -> None:
    """Four cases: one each is fastest in, one only the first solves, one nobody does."""
    found = facts.performance_profile({"a": [1.0, 6.0, 5.0, None], "b": [4.0, 2.0, None, None]})
    assert found.cases == 4
    assert found.ratios == {"a": (1.0, 1.0, 3.0), "b": (1.0, 4.0)}
    assert [found.share("a", ratio) for ratio in (0.99, 1.0, 2.99, 3.0, 1e9)] == [0.0, 0.5, 0.5, 0.75, 0.75]
    assert [found.fastest("b"), found.solved("b"), found.largest] == [1, 2, 4.0]


@pytest.mark.parametrize("seed", range(20))
def test_profile_is_monotone_and_ends_at_the_share_solved(seed: int) -> None:
    """Ratios are at least 1, shares grow to what was solved, and every case that somebody solved has a fastest."""
    rng = random.Random(seed)
    times = {
        method: [None if rng.random() < 0.3 else rng.lognormvariate(0.0, 2.0) for _ in range(30)] for method in "abc"
    }
    found = facts.performance_profile(times)
    for method, seconds in times.items():
        ratios = found.ratios[method]
        assert all(ratio >= 1.0 for ratio in ratios)
        shares = [found.share(method, ratio) for ratio in (1.0, *ratios, math.inf)]
        assert shares == sorted(shares)
        assert shares[-1] == sum(one is not None for one in seconds) / 30
    solved = sum(any(one is not None for one in row) for row in zip(*times.values(), strict=True))
    assert sum(found.fastest(method) for method in times) >= solved


def test_profile_does_not_depend_on_units_or_order() -> None:
    """Times in minutes and methods or cases in another order give the same ratios."""
    times = {"a": [1.0, 6.0, 5.0], "b": [4.0, 2.0, None]}
    other = {name: [None if one is None else one * 60 for one in reversed(times[name])] for name in "ba"}
    assert facts.performance_profile(times).ratios == facts.performance_profile(other).ratios


def test_profile_refuses_other_numbers_of_cases() -> None:
    """Methods must have run on the same cases."""
    with pytest.raises(ValueError, match="every method needs the same"):
        facts.performance_profile({"a": [1.0], "b": [1.0, 2.0]})


# Losses


@pytest.mark.parametrize(
    ("ours", "theirs", "what"),
    [
        ({"value": 2.0}, {"value": 1.0}, ["value"]),
        ({"value": None}, {"value": 1.0}, ["value"]),
        ({"value": 1.0}, {"value": 2.0}, []),
        ({"value": 1.0 + 1e-9}, {"value": 1.0}, []),
        ({"value": -1.0}, {"value": -2.0}, ["value"]),
        ({"proven": False}, {"proven": True}, ["proof"]),
        ({"proven": True}, {"proven": False}, []),
        ({"bound": 1.0, "proven": False}, {"bound": 1.1, "proven": False}, ["bound"]),
        ({"bound": 1.0, "proven": True}, {"bound": 1.1, "proven": True}, []),
        ({"gap": 0.2}, {"gap": 0.1}, ["gap"]),
        ({"times": {"proof": 2.0}}, {"times": {"proof": 1.0}}, ["time to the proof"]),
        ({"times": {"proof": 1.0}}, {"times": {"proof": 2.0}}, []),
        ({"value": 1.0, "times": {"answer": 2.0}}, {"value": 1.0, "times": {"answer": 1.0}}, ["time to the answer"]),
        ({"value": 1.0, "times": {"answer": 2.0}}, {"value": 1.5, "times": {"answer": 1.0}}, []),
        ({"extras": {"turnover": 0.4}}, {"extras": {"turnover": 0.3}}, ["turnover"]),
    ],
)
def test_losses_are_what_the_peer_was_better_in(ours: dict, theirs: dict, what: list[str]) -> None:
    """Values, proofs, bounds and times, each where it can be compared; a worse answer sooner is no loss."""
    found = list(facts.losses(case(facts.Run(**ours), facts.Run(**theirs))))
    assert [loss.what for loss in found] == what


def test_answer_counts_as_found_within_the_tolerance_of_the_best() -> None:
    """Of all that is known, the value from before included."""
    ours, theirs = facts.Run(1.0, times={"answer": 2.0}), facts.Run(1.01, times={"answer": 1.0})
    assert case(ours, theirs).solved_after(theirs, "answer") is None
    assert case(ours, theirs, tolerance=0.1).solved_after(theirs, "answer") == 1.0
    assert case(ours, theirs, best=0.5).solved_after(ours, "answer") is None


def test_losses_of_the_files_again_by_plain_loops() -> None:
    """Values of `files`, of all limits: a peer's that is better than ours of the worst seed is listed, no other."""
    expected = set()
    for path in (ROOT / "benchmarks" / "results").glob("files*.json"):
        document = json.loads(path.read_text())
        for entry in document["entries"]:
            if not entry.get("peer") or entry["peer"]["value"] is None:
                continue
            sign = -1 if entry["maximise"] else 1
            values = [run["value"] for run in [entry["ours"], *entry["more"]]]
            mine = math.inf if None in values else max(sign * value for value in values)
            theirs = sign * entry["peer"]["value"]
            if math.isinf(mine) or mine - theirs > 1e-6 * max(abs(mine), abs(theirs)):
                expected.add(f"{entry['file']}, {document['settings']['seconds']:g} s")
    found = {loss.case.label for _, loss in pages.lost(["files"]) if loss.what == "value"}
    assert found == expected


def test_limits_are_not_mixed_and_seeds_count_by_the_worst(tmp_path: Path) -> None:
    """Two result files of one part are two batches; of several seeds a proof counts that all have."""
    document = json.loads((ROOT / "benchmarks" / "results" / "files.json").read_text())
    document["entries"] = [entry for entry in document["entries"] if entry["ours"]["status"] == "optimal"][:3]
    first = document["entries"][0]
    (tmp_path / "files.json").write_text(json.dumps(document))
    again = dict(first["ours"], value=first["ours"]["value"] * 1.5, status="feasible", seconds=30.0)
    document["entries"] = [dict(first, more=[again])]
    document["settings"]["seconds"] = 120.0
    (tmp_path / "files-120s.json").write_text(json.dumps(document))
    found = facts.cases("files", tmp_path)
    assert len({one.label for one in found}) == 4
    assert {one.batch for one in found} == {"30 s", "120 s"}
    assert all(len({one.batch for one in group}) == 1 for group in facts.by_peers(found, "proof").values())
    (late,) = (one for one in found if one.batch == "120 s")
    assert late.ours.value == first["ours"]["value"] * 1.5
    assert not late.ours.proven
    assert "proof" not in late.ours.times


# Files and pages


@pytest.mark.parametrize("file", RESULTS, ids=lambda file: file.stem)
def test_every_result_file_is_on_a_page_or_left_out_with_a_reason(file: Path) -> None:
    """Whatever is measured is shown."""
    part = facts.part_of(file.stem)
    if part is None:
        assert facts.LEFT_OUT.get(file.stem), f"{file.name} belongs to no part and LEFT_OUT says nothing of it"
        return
    assert any(part in asked(page).get("provenance", []) for page in PAGES)


@pytest.mark.parametrize("part", facts.PATTERNS)
def test_every_part_is_on_one_page_with_all_that_belongs_to_it(part: str) -> None:
    """Provenance, command, tables, losses and what was not measured, all on the same page."""
    where = [page for page in PAGES if part in asked(page).get("provenance", [])]
    assert len(where) == 1
    for kind in ("command", "report", "losses", "unmeasured"):
        assert part in asked(where[0])[kind], f"{where[0].name} has no {kind} of {part}"
    if part in pages.MEASURES:
        assert part in asked(where[0])["means"]


@pytest.mark.parametrize("part", facts.PATTERNS)
def test_every_part_can_be_written(part: str) -> None:
    """No text fails, tables have cells in every column, and every picture says in words what is in it."""
    for kind, texts in pages.TEXTS.items():
        text = "\n\n".join(texts([part]))
        assert "nan" not in re.findall(r"[a-z]+", text), kind
    for what, found, profile in pages.profiles(part):
        said = pages.described(what, profile)
        svg = pages.drawn(what, profile, f"test-{part}")
        assert str(len(found)) in said
        assert all(method in said for method in profile.ratios)
        assert 'role="img"' in svg
        assert "currentColor" in svg
        assert pages.INK not in svg


@pytest.mark.parametrize("part", pages.CURVES)
def test_curves_are_the_sizes_of_the_file(part: str) -> None:
    """Every size is a point, and the words have the first and the last."""
    (document,) = facts.documents(part)
    found, said = pages.curves(part)
    along, over = pages.CURVES[part][0][0], pages.CURVES[part][1]
    for key, name in over.items():
        assert found[name] == [(size[along], size[key]) for size in document["sizes"]]
        assert f"at {document['sizes'][-1][along]:,}" in said
    svg = pages.curves_drawn(part, "test")
    assert 'role="img"' in svg
    assert all(name in svg for name in over.values())


def test_cases_without_a_reader_are_those_without_a_peer() -> None:
    """A part that records a peer's answers must be read, or its losses would be silent."""
    for part in facts.PATTERNS:
        if part in facts.READERS:
            continue
        text = json.dumps(facts.documents(part))
        content = re.sub(r'"versions": \{[^}]*\}|"peers": \[[^]]*\]', "", text)
        assert not re.search(r'"(cplex|gurobi|scip|peer|HiGHS|daqp\w*|abess|l0bnb)', content), part


@pytest.mark.parametrize("part", facts.PATTERNS)
def test_commands_are_understood(part: str) -> None:
    """What a page tells people to type names the part, and the runner accepts it."""
    python, flag, module, *arguments = shlex.split(pages.COMMANDS[part])
    assert (python, flag) == ("python", "-m")
    if module == "benchmarks":
        only, _, report_only = runner.parse(arguments)
        assert only == [part]
        assert not report_only
    else:
        assert importlib.util.find_spec(module) is not None


def test_what_is_not_recorded_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file without commit and gap says so; one with a commit shows it."""
    document = json.loads((ROOT / "benchmarks" / "results" / "modellers.json").read_text())
    monkeypatch.setattr(pages, "documents", lambda part: [document])
    shown = "\n".join(pages.provenance(["modellers"]))
    assert re.search(r"\| commit +\| +not recorded \|", shown)
    document["commit"] = "0123abc"
    assert re.search(r"\| commit +\| +0123abc \|", "\n".join(pages.provenance(["modellers"])))


def test_tolerance_on_the_page_is_that_of_the_peers() -> None:
    """The index names the tolerance that the peers' models get."""
    tolerance = importlib.import_module("hybridmip.study.solvers.model").TOLERANCE
    assert f"tolerances of {tolerance:.0e}".replace("e-0", "e-") in (FOLDER / "index.md").read_text()


def test_index_lists_every_page() -> None:
    """No page of benchmarks is an orphan."""
    listed = re.search(r"```\{toctree\}(.*?)```", (FOLDER / "index.md").read_text(), re.DOTALL).group(1).split()
    assert {page.stem for page in PAGES} - {"index", "tables"} <= set(listed)
