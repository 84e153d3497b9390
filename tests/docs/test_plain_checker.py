"""A checker that was written from the page on the proof format alone accepts what the solver writes, and nothing else.

It computes with fractions and shares no line with the package, so it also checks `ProofTree.verify`.
"""

from __future__ import annotations

import ast
import copy
import importlib.util
import json
import math
import random
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from problems import optimum

import hybridmip as hm
from hybridmip.io.problem_json import problem_to_dict

CHECKER = Path(__file__).with_name("plain_checker.py")
#: Seeds of every kind whose proofs have nothing that the checker declines.
CASES = [
    ("count", 0), ("count", 1), ("count", 8), ("groups", 0), ("groups", 3), ("groups", 5), ("signs", 0), ("signs", 6),
    ("signs", 7), ("in rows", 0), ("in rows", 2), ("in rows", 3),
]  # fmt: skip
Document = dict[str, Any]


def load() -> Any:
    """The checker, as a module of its own."""
    place = importlib.util.spec_from_file_location("plain_checker", CHECKER)
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


check: Callable[[Any, Any], str | None] = load().check


class Case(NamedTuple):
    """A problem, its proof and their documents, and its optimum by trying every b."""

    problem: hm.Problem
    proof: hm.ProofTree
    given: Document
    document: Document
    optimum: float


def make(kind: str, seed: int) -> hm.Problem:
    """Ten x: a count with limits that are far too wide; two counts and some binaries in none; x of both signs and rows
    with binaries; a count among the other rows, an x without a switch and two x with one."""
    rng, n = np.random.default_rng(seed), 10
    root = rng.standard_normal((n, n))
    Q = root @ root.T / n + np.diag(rng.uniform(0.05, 0.3, n))
    every: dict[str, Any] = {"Q": (Q + Q.T) / 2, "switch": np.arange(n)}
    if kind == "count":
        rows = {"A": [np.ones(n), rng.uniform(0, 1, n)], "row_lower": [1, 0.6], "row_upper": [1, np.inf]}
        return hm.Problem(**every, **rows, x_lower=0.05, x_upper=3.0, B=np.ones((1, n)), b_lower=3, b_upper=3)
    if kind == "groups":
        B = np.zeros((2, n))
        B[0, :4], B[1, 4:8] = 1, 2
        costs = {"q": 0.2 * rng.normal(size=n), "p": rng.uniform(0, 0.1, n)}
        counts = {"B": B, "b_lower": [1, 2], "b_upper": [1, 4]}
        rows = {"A": np.ones((1, n)), "row_lower": 1, "row_upper": 1}
        return hm.Problem(**every, **costs, **rows, **counts, x_lower=0.1, x_upper=0.8)
    if kind == "signs":
        A, G = np.vstack([np.ones(n), rng.normal(size=n)]), np.zeros((2, n))
        G[1] = rng.uniform(-0.2, 0.2, n)
        costs = {"q": 0.3 * rng.normal(size=n), "p": rng.uniform(0, 0.1, n)}
        rows = {"A": A, "G": G, "row_lower": [1, -0.2], "row_upper": [1, 0.5]}
        limits = {"x_lower": -0.5, "x_upper": 2, "B": np.ones((1, n)), "b_lower": 1, "b_upper": 4}
        return hm.Problem(**every, **costs, **rows, **limits)
    A, G, switch = np.zeros((3, n)), np.zeros((3, n - 2)), np.arange(n)
    A[0], A[1], G[2], switch[-2:] = 1, rng.uniform(0, 1, n), 1, (0, -1)
    rows = {"A": A, "G": G, "row_lower": [1, 0.5, 2], "row_upper": [1, np.inf, 3]}
    return hm.Problem(**every | {"switch": switch}, **rows, x_lower=0, x_upper=[10.0] * (n - 1) + [0.2])


@cache
def case(kind: str, seed: int) -> Case:
    """One of them, solved."""
    problem = make(kind, seed)
    proof = hm.solve(problem, prove=True).proof
    given, document = (json.loads(json.dumps(part)) for part in (problem_to_dict(problem), proof.to_dict()))
    return Case(problem, proof, given, document, optimum(problem)[0])


def verified(document: Document, problem: hm.Problem) -> bool:
    """What the package says of a document."""
    try:
        return bool(hm.ProofTree.from_dict(document).verify(problem))
    except hm.HybridMIPError:
        return False


def places(part: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the numbers of a document are."""
    if isinstance(part, dict | list):
        for key, inner in part.items() if isinstance(part, dict) else enumerate(part):
            yield from places(inner, (*path, key))
    elif isinstance(part, int | float) and not isinstance(part, bool):
        yield path


def changed(document: Document, path: tuple[Any, ...], value: Any) -> Document:
    """The document with another value at a place."""
    other = copy.deepcopy(document)
    inner: Any = other
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return other


def at(document: Document, path: tuple[Any, ...]) -> Any:
    """What a document has at a place."""
    inner: Any = document
    for key in path:
        inner = inner[key]
    return inner


def test_is_plain() -> None:
    """Fewer than 150 lines, and nothing is imported but from the standard library."""
    text = CHECKER.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 150
    nodes = list(ast.walk(ast.parse(text)))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "." for node in nodes if isinstance(node, ast.ImportFrom)]
    assert names
    assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names
    assert "importlib" not in text
    assert "__import__" not in text


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_accepts_what_the_solver_writes(kind: str, seed: int) -> None:
    """The proof as it is; not for a claim above the optimum, and the package agrees with both."""
    problem, proof, given, document, best = case(kind, seed)
    assert len(document["nodes"]) > 1
    assert check(given, document) is None
    assert proof.verify(problem)
    assert document["bound"] <= best * (1 + 1e-9)
    for claim in (best + 1e-7 * abs(best), best + 0.01 * abs(best), best + 1.0, 1e9):
        bold = document | {"bound": claim}
        assert check(given, bold)
        assert not verified(bold, problem)


def test_accepts_the_worked_example() -> None:
    """The documents of the page, but for a claim that they do not give."""
    text = (CHECKER.parents[2] / "docs" / "how" / "proof-format.md").read_text(encoding="utf-8")
    given, document = (json.loads(block.split("```")[0]) for block in text.split("```json\n")[1:3])
    assert check(given, document) is None
    assert check(given, document | {"bound": 2.001}) == "a leaf is not closed"


def test_propagation_and_implied_limits_matter() -> None:
    """Without one of them some of these proofs are refused: the page is right that proofs rely on both."""
    without = load()
    without.propagate = lambda counts, status: True
    assert any(without.check(case(*one).given, case(*one).document) for one in CASES if one[0] == "groups")
    for kind in ("count", "in rows"):
        seeds = [one for one in CASES if one[0] == kind]
        assert all(case(*one).document["implied_bounds"] for one in seeds)
        assert any(check(case(*one).given, case(*one).document | {"implied_bounds": False}) for one in seeds)


@pytest.mark.parametrize(
    ("kind", "seed", "every"), [("groups", 0, 1), ("signs", 0, 2), ("count", 1, 4), ("in rows", 3, 4)]
)
def test_every_number_changed(kind: str, seed: int, every: int) -> None:
    """Each number of a proof in turn (of larger ones each second or fourth): refused, or what is claimed is true.

    A false claim stays refused, and the package is of the same opinion about every one of them.
    """
    problem, _, given, document, best = case(kind, seed)
    rng, verdicts = random.Random(seed), set[bool]()
    bold = document | {"bound": best + 1e-7 * abs(best)}
    for path in list(places(document))[::every]:
        old = at(document, path)
        if isinstance(old, int):
            values: list[Any] = [old + 1, old - 1, -old]
        else:
            values = [-old, old * rng.uniform(0.5, 2), old * 1e6, old + 1e-3]
        value = rng.choice(values)
        other = changed(document, path, value)
        found = check(given, other)
        verdicts.add(found is None)
        assert found or other["bound"] <= best + 1e-9 * abs(best), path
        if found is None and path != ("bound",):  # (one that is refused is refused for a larger claim all the more)
            assert check(given, changed(bold, path, value)), path
        assert (found is None) == verified(other, problem), path
    assert verdicts == {True, False}


@pytest.mark.parametrize(("kind", "seed"), [("count", 1), ("groups", 3), ("signs", 0), ("in rows", 3)])
def test_nodes_dropped_and_swapped(kind: str, seed: int) -> None:
    """A tree without a node, with two in each other's place or cut short: refused, or the claim is true."""
    problem, _, given, document, best = case(kind, seed)
    bold, nodes = document | {"bound": best + 1e-7 * abs(best)}, document["nodes"]
    others = [[*nodes[:i], *nodes[i + 1 :]] for i in range(len(nodes))]
    others += [nodes[:i] for i in range(len(nodes))]
    for other in others:
        assert check(given, document | {"nodes": other})
        assert not verified(document | {"nodes": other}, problem)
    refused = 0
    for i in range(len(nodes)):
        for j in range(i):
            swapped = [*nodes]
            swapped[i], swapped[j] = nodes[j], nodes[i]
            refused += check(given, document | {"nodes": swapped}) is not None
            assert check(given, bold | {"nodes": swapped})
    assert refused
    leaf = next(i for i, node in enumerate(nodes) if "closed" in node)
    for wrong in ({}, {"closed": -1}, {"closed": len(document["reasons"])}):
        assert check(given, document | {"nodes": [*nodes[:leaf], wrong, *nodes[leaf + 1 :]]})


def test_a_place_given_twice() -> None:
    """Both refuse it, in diagonals and points: which of two values counts is not left to chance."""
    problem, _, given, document, _ = case("count", 1)
    for path in (("diagonals", 0), ("reasons", 0, 1)):
        places_, values = at(document, path)
        for twice in ([places_ + places_[:1], values + values[:1]], [places_[:1] * len(places_), values]):
            other = changed(document, path, twice)
            assert check(given, other) == "places that are not there, or twice"
            assert not verified(other, problem)


def test_another_problem() -> None:
    """A proof for one problem, given another: refused, or true of that one too."""
    cases = [case(*one) for one in CASES]
    refused = 0
    for one in cases:
        for other in cases:
            if one is not other:
                found = check(other.given, one.document)
                refused += found is not None
                assert found or one.document["bound"] <= other.optimum + 1e-9 * abs(other.optimum)
        lower = one.given | {"offset": one.given["offset"] - 0.01 * abs(one.optimum)}
        assert check(lower, one.document)
    assert refused > len(cases)


def test_never_raises() -> None:
    """Whatever takes the place of any part of either document, there is a verdict, in one line."""
    _, _, given, document, best = case("count", 1)
    junk = [None, True, "x", -1, 10**400, 0.5, math.nan, math.inf, [], {}, [[]], [None], {"kind": "dense"}]
    for thing in junk:
        assert isinstance(check(thing, document), str)
        assert isinstance(check(given, thing), str)
    rng = random.Random(0)
    for name, whole in (("problem", given), ("proof", document)):
        spots = [path[:end] for path in places(whole) for end in range(1, len(path) + 1)]
        for path in rng.choices(sorted(set(spots), key=repr), k=100):
            broken = changed(whole, path, rng.choice(junk))
            found = check(broken, document) if name == "problem" else check(given, broken)
            assert found is None or (isinstance(found, str) and "\n" not in found), path
            assert name == "problem" or found or broken["bound"] <= best * (1 + 1e-9)
        for key in whole:
            missing = {other: value for other, value in whole.items() if other != key}
            found = check(missing, document) if name == "problem" else check(given, missing)
            assert found is None or isinstance(found, str)


def test_what_is_not_served_is_declined() -> None:
    """Splits by a count, limit steps, products, modes, other rows on b: never accepted, and it says why."""
    _, _, given, document, _ = case("groups", 0)
    split = [{**node, "count": [0, 1]} for node in document["nodes"]]
    limit = [{"steps": [[0, [], [0, 1, 0.5]]]}, *document["nodes"][1:]]
    for other in (
        document | {"nodes": split}, document | {"nodes": limit}, document | {"modes": [0.0] * 10},
        document | {"reasons": [[*reason, 0] for reason in document["reasons"]]},
    ):  # fmt: skip
        assert check(given, other).startswith("declined: ")
    overlap = changed(given, ("B", "columns"), [0, 1, 2, 3, 3, 5, 6, 7])
    assert check(overlap, document) == "declined: rows on b that are not counts"
    assert check(changed(given, ("Q", "kind"), "sparse"), document).startswith("declined: ")
