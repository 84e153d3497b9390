"""One case: a problem, the units in which the solver gets it, and how it is asked; and everything that must hold."""

from __future__ import annotations

import math
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import hybridmip as hm
from hybridmip.errors import HybridMIPError, ScaleWarning, UnboundedError
from hybridmip.run.phases import QuickStart, Start, Tree
from tests.soak.data import Data
from tests.soak.families import FAMILIES, UNITS, rescale
from tests.soak.oracle import Inconclusive, Optimum, optimum

WAYS = (
    "default", "default", "default", "no enumeration", "no enumeration", "paper", "quick", "gap 0", "time limit",
    "one thread", "no presolve", "json", "mps", "lp", "tree alone", "tree alone",
)  # fmt: skip


#: What files cannot say: a link to no limit, numbers that count as infinite, nothing at all.
REFUSED = ("a file of rows needs one", "which files take for infinite", "a file needs at least one")


class Failure(Exception):
    """Something that must hold does not."""


@dataclass(frozen=True)
class Case:
    """A problem in some units, and how it is asked."""

    data: Data
    columns: np.ndarray
    rows: np.ndarray
    b_rows: np.ndarray
    objective: float
    way: str
    family: str = ""
    units: str = ""
    seed: int = 0

    @classmethod
    def make(cls, seed: int, family: str | None = None, units: str | None = None, way: str | None = None) -> Case:
        """The case of a seed."""
        rng = np.random.default_rng(seed)
        family = family or str(rng.choice(list(FAMILIES)))
        units, way = units or str(rng.choice(UNITS)), way or str(rng.choice(WAYS))
        data = FAMILIES[family](rng)
        return cls(data, *rescale(rng, data, units), way, family, units, seed)

    def given(self) -> Data:
        """The problem as the solver gets it."""
        return self.data.rescaled(self.columns, self.rows, self.b_rows, self.objective)

    def without(self, what: str, index: int) -> Case | None:
        """A smaller case; None where that is not possible."""
        data = self.data
        if what == "row":
            keep = np.delete(np.arange(data.row_lower.size), index)
            data = replace(
                data, A=data.A[keep], G=data.G[keep], row_lower=data.row_lower[keep], row_upper=data.row_upper[keep]
            )
            return replace(self, data=data, rows=self.rows[keep])
        if what == "row on b":
            keep = np.delete(np.arange(data.b_lower.size), index)
            data = replace(data, B=data.B[keep], b_lower=data.b_lower[keep], b_upper=data.b_upper[keep])
            return replace(self, data=data, b_rows=self.b_rows[keep])
        if what == "x":
            keep = np.delete(np.arange(data.n), index)
            data = replace(
                data, q=data.q[keep], A=data.A[:, keep], x_lower=data.x_lower[keep], x_upper=data.x_upper[keep],
                switch=data.switch[keep], Q=None if data.Q is None else data.Q[np.ix_(keep, keep)],
                loadings=None if data.loadings is None else data.loadings[keep],
                specific=None if data.specific is None else data.specific[keep],
            )  # fmt: skip
            return replace(self, data=data, columns=self.columns[keep])
        if (data.switch == index).any():
            return None
        keep = np.delete(np.arange(data.m), index)
        switch = np.where(data.switch > index, data.switch - 1, data.switch)
        return replace(self, data=replace(data, p=data.p[keep], G=data.G[:, keep], B=data.B[:, keep], switch=switch))

    def smaller(self) -> Iterator[Case]:
        """All cases with one thing less."""
        for what, count in (
            ("row", self.rows.size),
            ("row on b", self.b_rows.size),
            ("x", self.data.n),
            ("b", self.data.m),
        ):
            for index in range(count):
                found = self.without(what, index)
                if found is not None:
                    yield found

    def to_json(self) -> dict[str, Any]:
        """A document that keeps every bit."""
        factors = {name: [float(v).hex() for v in getattr(self, name)] for name in ("columns", "rows", "b_rows")}
        return {
            "family": self.family, "units": self.units, "way": self.way, "seed": self.seed,
            "objective": float(self.objective).hex(), **factors, "data": self.data.to_json(),
        }  # fmt: skip

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Case:
        """Read what `to_json` made."""
        factors = [np.array([float.fromhex(v) for v in document[name]]) for name in ("columns", "rows", "b_rows")]
        return cls(  # type: ignore[call-arg]
            Data.from_json(document["data"]), *factors, float.fromhex(document["objective"]), document["way"],
            document["family"], document["units"], document["seed"],
        )  # fmt: skip


def problem_of(data: Data) -> hm.Problem:
    """The package's problem."""
    Q: Any = data.Q
    if Q is not None and data.form == "diagonal":
        Q = np.diag(Q).copy()
    elif Q is not None and data.form == "sparse":
        Q = sparse.csr_array(Q)
    elif data.form == "factor" and data.loadings is not None:
        Q = hm.FactorModel(data.loadings, data.factor_variance * np.eye(data.loadings.shape[1]), data.specific)
    return hm.Problem(
        Q=Q, q=data.q, p=data.p, offset=data.offset, A=data.A, G=data.G, row_lower=data.row_lower,
        row_upper=data.row_upper, B=data.B, b_lower=data.b_lower, b_upper=data.b_upper, x_lower=data.x_lower,
        x_upper=data.x_upper, switch=data.switch, binaries=data.m,
    )  # fmt: skip


def asked(problem: hm.Problem, way: str) -> hm.Result:
    """The solver's answer, asked in some way."""
    options: dict[str, dict[str, Any]] = {
        "no enumeration": {"config": hm.Config(enumerate_up_to=0)},
        "paper": {"config": hm.Config.paper(pool={"random": 20}, walk={"limit": 50})},
        "quick": {"config": hm.Config.quick()},
        "gap 0": {"gap": 0.0},
        "time limit": {"time_limit": 0.3, "config": hm.Config(enumerate_up_to=0)},
        "one thread": {"config": hm.Config(threads=1)},
        "no presolve": {"config": hm.Config(presolve=False, enumerate_up_to=0)},
        "tree alone": {"config": hm.Config(phases=(Start(), QuickStart(), Tree(1.0, last=True))), "gap": 1e-8},
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ScaleWarning)
        return hm.solve(problem, seed=1, **options.get(way, {}))


def through_a_file(problem: hm.Problem, way: str) -> hm.Problem:
    """The problem written to a file and read back."""
    from hybridmip.io.problem_json import write_problem_json
    from hybridmip.io.write import write_lp, write_mps

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"problem.{way}"
        {"json": write_problem_json, "mps": write_mps, "lp": write_lp}[way](problem, path)
        return hm.read_problem(path)


def check(case: Case, best: Optimum | None = None) -> str:
    """Everything that must hold; returns the status.

    Raises
    ------
    Failure
        If something does not.
    Inconclusive
        If the oracle cannot judge.
    """
    best = optimum(case.data) if best is None else best
    data = case.given()
    problem = problem_of(data)
    from_file = case.way in ("json", "mps", "lp")
    try:
        if from_file:
            problem = through_a_file(problem, case.way)
    except HybridMIPError as error:
        if any(words in str(error) for words in REFUSED):
            return "refused"
        raise Failure(str(error)) from None
    try:
        result = asked(problem, case.way)
    except UnboundedError as error:
        raise Failure(f"unbounded, but the optimum is {best.high}: {error}") from None
    except HybridMIPError as error:
        raise Failure(f"{type(error).__name__}: {error}") from None
    except Inconclusive:
        raise
    except Exception as error:
        raise Failure(f"{type(error).__name__}: {error}") from error
    judge(case, data, result, best, compare_point=not from_file)
    if case.units == "powers of two" and case.way in ("default", "no enumeration", "one thread", "gap 0", "paper"):
        same_in_all_units(case, result)
    return str(result.status)


def judge(case: Case, data: Data, result: hm.Result, best: Optimum, compare_point: bool) -> None:
    """The claims of a result against the optimum."""
    unit = case.objective
    value, size = best.high * unit, best.size * unit
    # The problems are made of numbers near 1: what is left of them by cancelling is judged by that.
    slack = 1e-8 * size + 1e-7 * abs(value) + 1e-9 * unit if math.isfinite(value) else 0.0
    status = str(result.status)
    if result.integrity:
        raise Failure(f"integrity: {result.integrity[0]}")
    if best.infeasible:
        if result.x is not None:
            raise Failure(f"{status} {result.objective} but no b is feasible")
        if status not in ("infeasible", "unknown"):
            raise Failure(f"{status} but no b is feasible")
        return
    if status == "infeasible":
        raise Failure(f"infeasible ({result.rests_on}), but {value} is the optimum")
    for name, bound in [*result.bounds.items(), ("result", result.bound)]:
        if bound > value + slack and not (name == "result" and status == "infeasible"):
            raise Failure(f"bound of {name} is {bound}, the optimum {value}")
    if result.x is not None:
        if compare_point:
            missed, what = data.missed(result.x, result.b.astype(float))
            if missed > 2e-9:
                raise Failure(f"{status}, {what} missed by {missed:.1e}")
            again = data.objective(result.x, result.b.astype(float))
            if abs(again - result.objective) > 1e-9 * data.size(result.x, result.b.astype(float)):
                raise Failure(f"objective is {result.objective}, but {again} at the point")
        if result.objective < best.low * unit - 100 * slack - 1e-9 * result.size:
            raise Failure(f"objective {result.objective} is below the optimum {value}")
    if status == "optimal" and result.objective > value + 2e-6 * abs(value) + slack:
        raise Failure(f"optimal {result.objective} ({result.rests_on}), but the optimum is {value}")
    if result.certificate is not None:
        if not result.certificate.verify(result.problem):
            raise Failure(f"own certificate refused: {result.certificate.verify(result.problem).reason}")
        if result.certificate.claimed > value + slack:
            raise Failure(f"certificate claims {result.certificate.claimed}, the optimum is {value}")


def same_in_all_units(case: Case, result: hm.Result) -> None:
    """Powers of two: the same b and the same x, to the last bit, and the same value (roots of factors may round)."""
    plain = asked(problem_of(case.data), case.way)
    if (plain.x is None) != (result.x is None):
        raise Failure(f"{plain.status} in plain units, {result.status} in others")
    if plain.x is None or result.x is None:
        return
    if not np.array_equal(plain.b, result.b):
        raise Failure("another b in other units")
    if not np.array_equal(plain.x, result.x * case.columns):
        raise Failure("another x in other units")
    other = abs(plain.objective * case.objective - result.objective)
    allowed = 1e-14 * result.size if case.data.form == "factor" else 0.0
    if other > allowed or plain.status != result.status:
        raise Failure(f"{plain.status} {plain.objective} in plain units, {result.status} {result.objective} in others")


def shrunk(case: Case) -> Case:
    """A smaller case that fails too; the same one where there is none."""
    found = True
    while found:
        found = False
        for smaller in case.smaller():
            try:
                check(smaller)
            except Failure:
                case, found = smaller, True
                break
            except (Inconclusive, Exception):  # noqa: BLE001 - whatever the smaller one does, it is not this failure
                continue
    return case
