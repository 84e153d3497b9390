"""The pages of "How it works": every statement names a test that exists, and every number on them is what comes out."""

from __future__ import annotations

import ast
import hashlib
import json
import math
import re
import struct
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from site_extensions import extension

import hybridmip as hm
from hybridmip.io.problem_json import problem_from_dict, problem_to_dict

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "how").glob("*.md"))
#: Pages that state nothing of their own.
WITHOUT = {"index", "pipeline"}
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


@cache
def names_in(path: str) -> set[str]:
    """The names of the tests of a file."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test")}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_test_named_on_a_page_exists(page: Path) -> None:
    """A page names its tests as `file::name`, and each is there; a page with statements names one at least."""
    text = page.read_text(encoding="utf-8")
    named = NAMED.findall(text)
    assert len(named) == text.count("::test_")
    for path, name in named:
        assert (ROOT / path).is_file(), path
        assert name in names_in(path), f"{path}::{name}"
    assert named or page.stem in WITHOUT


def documents_of_the_example() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any], str]:
    """The problem, the proof and the certificate of the worked example, and all of its text."""
    text = (ROOT / "docs" / "how" / "proof-format.md").read_text(encoding="utf-8").split("## A worked example")[1]
    problem, proof, certificate = (
        json.loads(block) for block in re.findall(r"^```json\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    )
    return problem, proof, certificate, text


def test_worked_example_of_the_proof_page() -> None:
    """The documents of the page are what they are said to be: valid, optimal, of the solver's shape."""
    given, document, certificate, _ = documents_of_the_example()
    problem = problem_from_dict(given)
    assert set(given) == set(problem_to_dict(problem))
    result = hm.solve(problem, prove=True)
    assert result.status == "optimal"
    assert result.x == pytest.approx([0, 0.5, 0.5, 0], abs=1e-9)
    assert result.objective == pytest.approx(2.0, rel=1e-9)
    own = result.proof.to_dict()
    assert own["bound"] == pytest.approx(1.99999896, abs=1e-9)
    assert own["nodes"] == document["nodes"]
    assert own.keys() == document.keys()
    assert hm.ProofTree.from_dict(document).verify(problem)
    assert not hm.ProofTree.from_dict({**document, "bound": 2.001}).verify(problem)
    assert certificate.keys() == result.certificate.to_dict().keys()
    assert hm.Certificate.from_dict(certificate).verify(problem)
    assert hm.Certificate.from_dict(certificate).bound(problem) == pytest.approx(1.748886, abs=1e-6)
    assert not hm.Certificate.from_dict({**certificate, "bound": 1.749}).verify(problem)
    for (number, point, rows, binary_rows), mine in zip(document["reasons"], own["reasons"], strict=True):
        assert number == mine[0]
        assert point[0] == mine[1][0]
        for rounded, exact in ((point[1], mine[1][1]), (rows, mine[2]), (binary_rows, mine[3])):
            assert rounded == pytest.approx(exact, abs=0.01)


def test_numbers_of_the_worked_example() -> None:
    """The table of the page, recomputed with fractions from its own documents."""
    given, document, _, text = documents_of_the_example()
    Q = [[Fraction(entry) for entry in row] for row in given["Q"]["matrix"]]
    values = [str(entry) for entry in given["A"]["values"]]
    A = [[Fraction(entry) for entry in values[:4]], [Fraction(entry) for entry in values[4:]]]
    limits = [Fraction(str(entry)) for entry in given["row_lower"]]
    lines = iter(re.findall(r"^\|(.*)\|$", text.split("|---|---|---:|")[1].split("\n\n")[0], re.MULTILINE))
    for number, there in enumerate(([0, 1, 2, 3], [1, 2], [0, 2, 3])):
        diagonal, point, rows, _ = document["reasons"][number]
        d, y = [Fraction(0)] * 4, [Fraction(0)] * 4
        for j, value in zip(*document["diagonals"][diagonal], strict=True):
            d[j] = Fraction(str(value))
        for j, value in zip(*point, strict=True):
            y[j] = Fraction(str(value))
        la = [Fraction(str(value)) for value in rows]
        h = {i: sum(Q[i][j] * y[j] for j in there) - d[i] * y[i] for i in there}
        constant = sum((multiplier * limit for multiplier, limit in zip(la, limits, strict=True)), Fraction(0))
        constant -= sum(y[j] * h[j] for j in there)
        for j in there:
            cells = [cell.strip() for cell in next(lines).split("|")]
            v = 2 * h[j] - sum(A[k][j] * la[k] for k in range(2))
            at = (
                min(max(-v / (2 * d[j]), Fraction(1, 10)), Fraction(8, 10)) if d[j] else Fraction(8 if v < 0 else 1, 10)
            )
            shown = [j, h[j], v, at if v else None, d[j] * at**2 + v * at]
            if j == there[0]:
                assert f"J = \\{{{','.join(map(str, there))}\\}}" in cells[0]
                shown += [sum(y[j] * h[j] for j in there), constant]
            for cell, value in zip(cells[1:], shown, strict=False):
                assert cell == "any" if value is None else float(cell) == pytest.approx(float(value), abs=1.01e-6)
    assert next(lines, None) is None


def test_nodes_that_the_solver_does_not_write() -> None:
    """What the page says of mixed nodes, of steps and of nodes that are skipped."""
    given, document, _, _ = documents_of_the_example()
    problem = problem_from_dict(given)
    root, on, off = document["nodes"]

    def holds(*nodes: dict[str, Any]) -> bool:
        return bool(hm.ProofTree.from_dict({**document, "nodes": nodes}).verify(problem))

    assert holds(root, on, off)
    assert holds({**root, "closed": None, "count": None}, {**on, "binary": None}, off)
    assert not holds({**root, "count": [0, 2]}, on, off)
    assert holds(root, {**on, "binary": 0}, {}, {}, off)
    assert not holds({**root, "closed": 0}, on, off)
    assert not holds(root, {"closed": -1}, off)
    assert holds({**root, "steps": [[0, [[2, 1], [2, 1]]]]}, on, off)
    assert not holds({**root, "steps": [[0, [[2, 1], [2, -1]]]]}, on, off)
    limit = [[1, [[0, 1]], [3, 1, 0.8]]]  # says nothing, and fixes nothing
    assert holds(root, {**on, "steps": limit}, off)
    indefinite = {**document, "diagonals": [*document["diagonals"], [[0], [7.0]]]}
    indefinite["reasons"] = [*document["reasons"], [3, [[], []], [0.0, 0.0], [0.0]]]
    assert hm.ProofTree.from_dict(indefinite).verify(problem)  # never used
    steps = [*root["steps"], [3, [[2, 1]]]]
    assert not hm.ProofTree.from_dict({**indefinite, "nodes": [{**root, "steps": steps}, on, off]}).verify(problem)
    skipped: dict[str, Any] = {"steps": [[99, [[99, 1]]]], "closed": 99}
    assert holds({"steps": root["steps"], "binary": 2}, {"binary": 1}, on, off, skipped)
    assert not holds({"steps": root["steps"], "binary": 2}, {"binary": 1}, on, skipped, skipped)
    assert hm.ProofTree.from_dict({**document, "bound": None}).verify(problem)


def test_rows_on_b_as_the_page_says() -> None:
    """Rounding does not lower a count; two rows with the same entries are case 2; a row of G keeps a binary off."""

    def holds(claim: float, multipliers: list[float], **rows: Any) -> bool:
        problem = hm.Problem(Q=np.eye(4), p=[-1.0, -2.0, -3.0, -4.0], switch=[0, 1, 2, 3], x_lower=0, x_upper=1, **rows)
        reasons = [[0, [[], []], [0.0] * problem.rows, multipliers]]
        document = {"format": "hybridmip-proof", "bound": claim, "sizes": [4], "diagonals": [[[], []]]}
        return bool(hm.ProofTree.from_dict({**document, "reasons": reasons, "nodes": [{"closed": 0}]}).verify(problem))

    three = {"B": [[0.1] * 4], "b_upper": 0.3}
    assert 3 * 0.1 > 0.3
    assert holds(-9.001, [0.0], **three)
    assert not holds(-8.999, [0.0], **three)
    both = {"B": [[1.0] * 4] * 2, "b_lower": [1, -np.inf], "b_upper": [np.inf, 3]}
    assert not holds(-9.001, [0.0, 0.0], **both)
    assert holds(-9.001, [0.0, -1.5], **both)
    overlap = {"B": [[1.0, 1, 0, 0], [0, 1, 1, 0]], "b_upper": 1}
    assert not holds(-9.001, [0.0, 0.0], **overlap)
    assert holds(-6.001, [0.0, 0.0], **overlap, A=np.zeros((1, 4)), G=[[0.0, 0, 0, 5]], row_upper=4)


def test_hash_as_the_page_says() -> None:
    """The hash of a problem is that of the bytes that the page lists."""
    rng = np.random.default_rng(0)
    root = rng.standard_normal((3, 3))
    rows = {"A": [[1.0, 0, 2]], "G": [[0.0, 1]], "row_lower": [-1], "B": [[1.0, 1]], "b_upper": [1]}
    factors = hm.FactorModel(rng.standard_normal((3, 2)), np.eye(2), np.ones(3))
    for Q in (None, [1.0, 2, 3], root @ root.T, factors):
        problem = hm.Problem(Q=Q, q=[1.0, 2, 3], p=[0.5, 0], offset=2.0, x_upper=[1, 2, 3], switch=[0, 1, -1], **rows)
        document = json.loads(json.dumps(problem_to_dict(problem)))
        assert hash_by_the_page(document) == problem.hash


def hash_by_the_page(document: dict[str, Any]) -> str:
    """SHA-256 of the bytes that the page lists, one after the other."""

    def numbers(values: list[Any]) -> bytes:
        flat = [entry for row in values for entry in (row if isinstance(row, list) else [row])]
        kind = "q" if all(isinstance(entry, int) for entry in flat) else "d"
        return struct.pack(f"<{len(flat)}{kind}", *flat) + b"|"

    def limits(name: str) -> bytes:
        missing = -math.inf if name.endswith("lower") else math.inf
        return numbers([missing if value is None else float(value) for value in document[name]])

    Q = document["Q"]
    fields = {"diagonal": ["values"], "dense": ["matrix"]}
    parts = [Q[name] for name in fields.get(Q["kind"], ["loadings", "factor_covariance", "specific_variance"])]
    kind = "factormodel" if Q["kind"] == "factor" else Q["kind"]
    content = ("zero" if kind == "diagonal" and not any(Q["values"]) else kind).encode()
    content += b"".join(map(numbers, [*parts, document["q"], document["p"], [document["offset"]]]))
    for name in ("A", "G", "B"):
        content += b"".join(numbers(document[name][part]) for part in ("shape", "starts", "columns", "values"))
    content += b"".join(limits(f"{name}_{side}") for name in ("row", "b", "x") for side in ("lower", "upper"))
    content += numbers(document["switch"])
    for name in ("x_names", "b_names", "row_names", "b_row_names"):
        content += "\x1f".join(document[name]).encode() + b"|"
    return hashlib.sha256(content).hexdigest()


@pytest.fixture(scope="module")
def made() -> Any:
    """The module that makes what the pages show."""
    return extension("how")


def test_bounds_of_the_small_problem(made: Any) -> None:
    """Augm <= Dual = Line <= Persp <= Dnn <= optimum, as the page says, along the whole picture."""
    alone, three, optima = made.curves()
    for weight, augm, line, dual, persp in zip(made.WEIGHTS, *(alone[name] for name in made.ALONE), strict=True):
        assert augm == pytest.approx(line, abs=1e-6)
        assert dual == pytest.approx(line, abs=1e-6)
        assert line == pytest.approx(weight**2 + 0.25 * weight, abs=1e-3)
        assert persp == pytest.approx(weight if weight <= 0.5 else weight**2 + 0.25, abs=1e-3)
    for augm, line, dual, persp, dnn, optimum in zip(*(three[name] for name in made.SHOWN), optima, strict=True):
        assert augm < line <= persp + 1e-7
        assert dual == pytest.approx(line, abs=1e-6)
        assert persp <= dnn + 1e-2 * optimum
        assert dnn <= optimum * (1 + 1e-9)
    table = made.table_of_relaxations()
    assert [line.split("|")[1].strip() for line in table.splitlines()[2:]] == [*made.TITLES.values(), "optimum"]


def test_diagonals_of_the_small_problem(made: Any) -> None:
    """Each is below Q, none is Line, the trace is the largest and the fitted one gives the best bound."""
    found = made.diagonals()
    for d, bound in found.values():
        assert (d >= 0).all()
        assert np.linalg.eigvalsh(made.Q - np.diag(d))[0] > -1e-9
        assert bound <= found["fitted"][1] + 1e-9
        assert d.sum() <= found["largest trace"][0].sum() + 1e-6
    line = made.bounds_of(made.three_assets(), ("line",))["line"].bound
    assert found["none"][1] == pytest.approx(line, abs=1e-6)
    optimum = hm.solve(made.three_assets()).objective
    assert f"The optimum is {optimum:.4f}." in (ROOT / "docs" / "how" / "diagonal.md").read_text(encoding="utf-8")


def test_every_tolerance_is_in_the_table(made: Any) -> None:
    """Name, value and a meaning of every number of the module, and those that the page speaks of are there."""
    from hybridmip import tolerances

    numbers = {name for name, value in vars(tolerances).items() if isinstance(value, float)}
    found = {name: (value, meaning) for name, value, meaning in made.constants()}
    assert set(found) == numbers
    for name, (value, meaning) in found.items():
        assert value == getattr(tolerances, name)
        assert len(meaning) > 20
    page = (ROOT / "docs" / "how" / "tolerances.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`([A-Z_]{4,})`", page)) <= numbers
    assert len(made.table_of_tolerances().splitlines()) == 2 + len(numbers)


@pytest.mark.parametrize("seed", range(6))
def test_small_portfolios_have_the_simple_kinds_only(seed: int) -> None:
    """A budget, a return, a count and limits: fixes, splits by a binary and closed nodes, and nothing to decline."""
    returns, covariance = hm.market(assets=14, seed=seed).sample_estimates()
    target = float(np.quantile(returns, 0.3 + 0.1 * seed))
    problem = hm.Portfolio(returns, covariance, assets=4, min_weight=0.05, target_return=target).problem()
    document = hm.solve(problem, prove=True).proof.to_dict()
    assert "modes" not in document
    assert "products" not in document
    for node in document["nodes"]:
        assert set(node) <= {"steps", "closed", "binary"}
        assert all(len(step) == 2 for step in node.get("steps", []))
    assert all(len(reason) == 4 for reason in document["reasons"])
    assert document["bound"] >= hm.solve(problem).objective * (1 - 5.2e-7) * (1 - 1e-9)


def test_without_presolve_there_are_no_modes() -> None:
    """What is held is what was held, and what is bought less what is sold: modes by default, none without presolve."""
    covariance = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])
    Q = np.zeros((9, 9))
    Q[:3, :3] = covariance
    trades = np.hstack([np.eye(3), -np.eye(3), np.eye(3)])
    budget = np.concatenate([np.ones(3), np.zeros(6)])
    held = np.array([0.5, 0.5, 0.0])
    problem = hm.Problem(
        Q=Q, q=np.concatenate([np.zeros(3), np.full(6, 0.05)]), p=np.full(6, 0.05), A=np.vstack([budget, trades]),
        row_lower=[1.0, *held], row_upper=[1.0, *held], x_lower=0.0, x_upper=1.0,
        switch=[-1, -1, -1, 0, 1, 2, 3, 4, 5],
    )  # fmt: skip
    usual, plain = (hm.solve(problem, config=hm.Config(presolve=presolve), prove=True) for presolve in (True, False))
    assert "modes" in usual.proof.to_dict()
    assert "modes" not in plain.proof.to_dict()
    assert plain.proof.verify(problem)
    assert usual.objective == pytest.approx(plain.objective, rel=1e-6)
