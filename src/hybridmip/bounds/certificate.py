"""Certificate: a lower bound that anyone can check, without trust in how it was found.

For every diagonal D with 0 <= D and Q - D >= 0, every point y and all multipliers la of the rows

    v = q + 2 (Q - D) y - A' la,   c_j = min over l_j <= x <= u_j of d_j x^2 + v_j x
    bound = offset - y'(Q - D) y + la . limits + sum of c_j over x without a switch
            + min over feasible b of sum_i (p_i - (G' la)_i + sum of c_j over x switched by i) b_i

is below the value of every feasible point (`la . limits` takes the lower limit of a row for a positive multiplier
and the upper one for a negative). Checking it takes one Cholesky factorisation and one sort. Where the rows on b
are not counts over disjoint sets their multipliers take the place of the minimum over b. For Q = 0 what is left
of it is the dual bound of a linear program.

Where Q is singular, so that no diagonal fits, multiples of products that are not negative may be taken off the
objective first (`bounds.products`); then Q, q, p and the offset above are those of what is left.

Where quantities in modes were recognised (`bounds.modes`) all of this is about the problem with modes, which the check
makes anew from the problem given.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridmip import __version__
from hybridmip.bounds.diagonal import semidefinite_slack
from hybridmip.bounds.formula import Formula
from hybridmip.bounds.modes import recognised
from hybridmip.bounds.multipliers import usable, usable_multipliers
from hybridmip.bounds.products import Products
from hybridmip.errors import ArgumentError, FileError, ProblemError
from hybridmip.files import read_json, write_text
from hybridmip.model.binaries import BinarySet, NoFeasibleBinaries
from hybridmip.model.implied import implied_bounds
from hybridmip.model.problem import Asks, Problem, problem_of
from hybridmip.model.quadratic import Vector
from hybridmip.model.units import Proof
from hybridmip.notebook import card

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT = "hybridmip-certificate"
NO_MODES = "its modes are not those of the problem"
VECTORS = ("diagonal", "point", "multipliers", "binary_multipliers")


@dataclass(frozen=True)
class Verification:
    """What a check of a certificate found; true in a condition when the certificate holds.

    Attributes
    ----------
    valid : bool
    bound : float
        The bound as recomputed, rounding taken off; -inf where there is none.
    reason : str
        Why it does not hold; empty when it does.

    Examples
    --------
    >>> import hybridmip as hm
    >>> found = hm.Verification(valid=False, bound=0.5, reason="it claims 1 but proves only 0.5")
    >>> bool(found), found.reason
    (False, 'it claims 1 but proves only 0.5')
    """

    valid: bool
    bound: float
    reason: str = ""

    def __bool__(self) -> bool:
        return self.valid


@dataclass(frozen=True, eq=False)
class Certificate:
    """A diagonal, a point and multipliers that prove a lower bound; see the module.

    Attributes
    ----------
    diagonal, point : ndarray, shape (n,)
        D and y, in the order and the units of the problem's x.
    multipliers : ndarray, shape (rows,)
        la, in the order of the problem's rows.
    binary_multipliers : ndarray
        Multipliers of the rows on b; used only where these are not counts over disjoint sets.
    claimed : float
        The bound this is a proof of (`bound` in the JSON document).
    implied_bounds : bool
        Whether an x that has no limit of its own is given the limit that the rows imply.
    method : str
        The relaxation it comes from.
    problem_hash, version : str
        Which problem it is for, and the version that made it.
    products : Products, optional
        What is taken off the objective first.
    modes : ndarray, optional
        The diagonal of the modes, where it is about the problem with modes.

    Examples
    --------
    >>> import hybridmip as hm
    >>> problem = hm.Problem(
    ...     Q=[2, 1, 3], A=[1, 1, 1], row_lower=1, row_upper=1,
    ...     x_lower=0, x_upper=1, switch=[0, 1, 2],
    ...     B=[1, 1, 1], b_upper=2,
    ... )
    >>> certificate = hm.solve(problem).certificate
    >>> round(certificate.claimed, 6), certificate.method
    (0.666667, 'persp')
    >>> bool(certificate.verify(problem))
    True
    """

    diagonal: Vector
    point: Vector
    multipliers: Vector
    binary_multipliers: Vector
    claimed: float
    implied_bounds: bool = False
    method: str = ""
    problem_hash: str = ""
    version: str = ""
    problem: Problem | None = field(default=None, repr=False)
    products: Products | None = field(default=None, repr=False)
    modes: Vector | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return f"<Certificate of the bound {self.claimed:.10g} ({self.method}), n = {self.diagonal.size}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: what is proven, and how to check it."""
        facts = [
            ("bound", f"{self.claimed:.10g}"), ("method", self.method or "-"), ("x", f"{self.diagonal.size:,}"),
            ("problem hash", self.problem_hash[:16] or "-"), ("version", self.version or "-"),
        ]  # fmt: skip
        return card("Certificate of a lower bound", facts, "certificate.verify(problem) checks it from the data alone")

    @classmethod
    def make(
        cls,
        problem: Problem,
        diagonal: Vector,
        point: Vector,
        multipliers: Vector,
        binary_multipliers: Vector | None = None,
        method: str = "",
        products: Products | None = None,
    ) -> Certificate:
        """The certificate for any diagonal, point and multipliers; what they prove is computed here.

        Examples
        --------
        >>> import hybridmip as hm
        >>> problem = hm.Problem(
        ...     Q=[2, 1, 3], A=[1, 1, 1], row_lower=1, row_upper=1,
        ...     x_lower=0, x_upper=1, switch=[0, 1, 2],
        ...     B=[1, 1, 1], b_upper=2,
        ... )
        >>> certificate = hm.Certificate.make(problem, diagonal=[2, 1, 3], point=[0, 0, 0], multipliers=[4 / 3])
        >>> round(certificate.claimed, 6)
        0.666667
        """
        d, y, la = (np.array(values, dtype=np.float64) for values in (diagonal, point, multipliers))
        mu = np.zeros(problem.B.shape[0]) if binary_multipliers is None else np.array(binary_multipliers, dtype=float)
        proof, claimed, implied = Proof(d, y, la, mu), -math.inf, False
        binaries = BinarySet(problem)
        best = proof
        for imply in (False, True) if _implied_say_more(problem) else (False,):
            lowered = _lowered(problem, products, imply)
            if lowered is None:
                continue
            found, used = Formula(lowered, binaries, *_limits(problem, imply)).claim(proof)
            if found > claimed + 1e-12 * abs(found):
                claimed, best, implied = found, used, imply
        return cls.of(problem, best, claimed, method, implied, products)

    @classmethod
    def of(
        cls,
        problem: Problem,
        proof: Proof,
        claimed: float,
        method: str = "",
        implied: bool | None = None,
        products: Products | None = None,
    ) -> Certificate:
        """The certificate for a proof of which it is known already what it proves.

        `implied` says whether it is with limits that rows imply; left out, it is where they say more.
        """
        implied = _implied_say_more(problem) if implied is None else implied
        return cls(*usable(problem, proof), claimed, implied, method, problem.hash, __version__, problem, products)

    def bound(self, problem: Problem | None = None) -> float:
        """The closed formula, evaluated anew and lowered by what rounding can have added; -inf where it proves nothing.

        Parameters
        ----------
        problem : Problem, optional
            Needed when the certificate was read from a file.

        Examples
        --------
        >>> import hybridmip as hm
        >>> problem = hm.Problem(
        ...     Q=[2, 1, 3], A=[1, 1, 1], row_lower=1, row_upper=1,
        ...     x_lower=0, x_upper=1, switch=[0, 1, 2],
        ...     B=[1, 1, 1], b_upper=2,
        ... )
        >>> round(hm.solve(problem).certificate.bound(), 6)
        0.666667
        """
        problem = self.problem if problem is None else problem
        if problem is None:
            raise ArgumentError("problem is missing: a certificate from a file needs certificate.bound(problem)")
        return self._bound(reformulated(problem, self.modes))

    def _bound(self, problem: Problem | None) -> float:
        if problem is None:
            return -math.inf
        if any(getattr(self, name).shape != (size,) for name, size in _sizes(problem).items()):
            raise ArgumentError(f"the certificate does not fit the problem: {self._misfit(problem)}")
        if self._misfit(problem):
            return -math.inf
        try:
            binaries = BinarySet(problem)
        except NoFeasibleBinaries:
            return math.inf
        proof = Proof(self.diagonal, self.point, self.multipliers, self.binary_multipliers)
        lowered = _lowered(problem, self.products, self.implied_bounds)
        if lowered is None:
            return -math.inf
        return Formula(lowered, binaries, *_limits(problem, self.implied_bounds)).bound(proof)

    def verify(self, problem: Problem | Asks) -> Verification:
        """Check the certificate against a problem, from that problem's data alone.

        Checks that Q - D is semidefinite (Cholesky), evaluates the formula, and compares with the bound claimed.

        Examples
        --------
        >>> import dataclasses
        >>> import hybridmip as hm
        >>> problem = hm.Problem(
        ...     Q=[2, 1, 3], A=[1, 1, 1], row_lower=1, row_upper=1,
        ...     x_lower=0, x_upper=1, switch=[0, 1, 2],
        ...     B=[1, 1, 1], b_upper=2,
        ... )
        >>> certificate = hm.solve(problem).certificate
        >>> certificate.verify(problem).valid
        True
        >>> bold = dataclasses.replace(certificate, claimed=1.0)
        >>> bold.verify(problem).reason
        'it claims 1 but proves only 0.66666...'
        """
        problem = problem_of(problem)
        if self.problem_hash and self.problem_hash != problem.hash:
            return Verification(False, -math.inf, "it was made for another problem: the hashes differ")
        with_modes = reformulated(problem, self.modes)
        if with_modes is None:
            return Verification(False, -math.inf, NO_MODES)
        problem = with_modes
        reason = self._misfit(problem)
        if reason:
            return Verification(False, -math.inf, reason)
        lowered = _lowered(problem, self.products, self.implied_bounds)
        if lowered is None:
            return Verification(False, -math.inf, "what the products leave of the objective is not convex")
        if semidefinite_slack(lowered.Q, self.diagonal) is None:
            return Verification(False, -math.inf, _why_not_below(problem, self.diagonal))
        found = self._bound(problem)
        if math.isnan(self.claimed) or self.claimed > found:
            return Verification(False, found, f"it claims {self.claimed:.10g} but proves only {found:.10g}")
        return Verification(True, found)

    def _misfit(self, problem: Problem) -> str:
        """Why the vectors cannot belong to the problem; empty if they can."""
        for name, size in _sizes(problem).items():
            values = getattr(self, name)
            if values.shape != (size,):
                return f"{name} has {values.size} entries, the problem needs {size}"
            if not np.isfinite(values).all():
                return f"{name} has an entry that is not a finite number"
        priced = (
            ("multipliers", problem.row_lower, problem.row_upper, problem.row_names),
            ("binary_multipliers", problem.b_lower, problem.b_upper, problem.b_row_names),
        )
        for name, lower, upper, names in priced:
            values = getattr(self, name)
            wrong = np.flatnonzero(values != usable_multipliers(values, lower, upper))
            if wrong.size:
                return f"{name} prices a limit that row {names[wrong[0]]} does not have"
        return "" if self.products is None else self.products.fault(problem, *_limits(problem, self.implied_bounds))

    def to_dict(self) -> dict[str, Any]:
        """The certificate as a document ready for JSON, in the caller's units and order.

        Examples
        --------
        >>> import hybridmip as hm
        >>> problem = hm.Problem(
        ...     Q=[2, 1, 3], A=[1, 1, 1], row_lower=1, row_upper=1,
        ...     x_lower=0, x_upper=1, switch=[0, 1, 2],
        ...     B=[1, 1, 1], b_upper=2,
        ... )
        >>> document = hm.solve(problem).certificate.to_dict()
        >>> document["format"], document["method"], len(document["point"])
        ('hybridmip-certificate', 'persp', 3)
        """
        document: dict[str, Any] = {
            "format": FORMAT,
            "version": self.version,
            "problem_hash": self.problem_hash,
            "method": self.method,
            "bound": self.claimed if math.isfinite(self.claimed) else None,
            "implied_bounds": self.implied_bounds,
        }
        if self.products is not None:
            document["products"] = self.products.to_dict()
        if self.modes is not None:
            document["modes"] = self.modes.tolist()
        return document | {name: getattr(self, name).tolist() for name in VECTORS}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], source: str = "certificate") -> Certificate:
        """Read a document made by `to_dict`.

        Raises
        ------
        FileError
            If it is not one.

        Examples
        --------
        >>> import hybridmip as hm
        >>> problem = hm.Problem(
        ...     Q=[2, 1, 3], A=[1, 1, 1], row_lower=1, row_upper=1,
        ...     x_lower=0, x_upper=1, switch=[0, 1, 2], B=[1, 1, 1], b_upper=2,
        ... )
        >>> document = hm.solve(problem).certificate.to_dict()
        >>> hm.Certificate.from_dict(document).verify(problem).valid
        True
        >>> try:
        ...     hm.Certificate.from_dict({"format": "hybridmip-certificate"})
        ... except hm.FileError as error:
        ...     print(error)
        certificate is not a certificate: diagonal is missing
        """
        if not isinstance(document, dict) or document.get("format", FORMAT) != FORMAT:
            raise FileError(f"{source} is not a certificate: it has no format {FORMAT!r}")
        vectors: dict[str, Vector] = {}
        for name in VECTORS:
            if name not in document and name != "binary_multipliers":
                raise FileError(f"{source} is not a certificate: {name} is missing")
            try:
                values = np.array(document.get(name, []), dtype=np.float64)
            except (TypeError, ValueError, OverflowError):
                values = np.zeros((0, 0))
            if values.ndim != 1 or not np.isfinite(values).all():
                raise FileError(f"{source}: {name} must be a list of finite numbers")
            vectors[name] = values
        bound = document.get("bound")
        try:
            claimed = -math.inf if bound is None else float(bound)
        except (TypeError, ValueError, OverflowError):
            claimed = math.nan
        if isinstance(bound, bool | str) or math.isnan(claimed):
            raise FileError(f"{source}: bound must be a number")
        products = None
        if document.get("products") is not None:
            try:
                products = Products.from_dict(document["products"], vectors["multipliers"].size, vectors["point"].size)
            except (AttributeError, KeyError, TypeError, ValueError, IndexError, OverflowError):
                raise FileError(f"{source}: products are not what Certificate.save writes") from None
        modes = modes_in(document, source)
        return cls(
            vectors["diagonal"],
            vectors["point"],
            vectors["multipliers"],
            vectors["binary_multipliers"],
            claimed=claimed,
            implied_bounds=bool(document.get("implied_bounds", False)),
            method=str(document.get("method", "")),
            problem_hash=str(document.get("problem_hash", "")),
            version=str(document.get("version", "")),
            products=products,
            modes=modes,
        )

    def save(self, path: str | Path) -> None:
        """Write the certificate as JSON."""
        write_text(path, json.dumps(self.to_dict()) + "\n", "certificate")

    @classmethod
    def load(cls, path: str | Path) -> Certificate:
        """Read a certificate from a JSON file.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import hybridmip as hm
        >>> problem = hm.Problem(
        ...     Q=[2, 1, 3], A=[1, 1, 1], row_lower=1, row_upper=1,
        ...     x_lower=0, x_upper=1, switch=[0, 1, 2],
        ...     B=[1, 1, 1], b_upper=2,
        ... )
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     hm.solve(problem).certificate.save(pathlib.Path(folder, "bound.json"))
        ...     certificate = hm.Certificate.load(pathlib.Path(folder, "bound.json"))
        >>> certificate.verify(problem).valid
        True
        """
        return cls.from_dict(read_json(path, "certificate"), str(path))


def reformulated(problem: Problem, modes: Vector | None) -> Problem | None:
    """The problem that a document is about: the one given, or that with modes; None where there are none."""
    if modes is None:
        return problem
    if modes.shape != (problem.n,) or not (np.isfinite(modes).all() and (modes >= 0).all()):
        return None
    try:
        found = recognised(problem, modes)
    except ProblemError:  # what the diagonal leaves is not convex
        return None
    return None if found is None else found.problem


def modes_in(document: Mapping[str, Any], source: str) -> Vector | None:
    """The diagonal of the modes in a document; None for none."""
    if document.get("modes") is None:
        return None
    try:
        modes = np.array(document["modes"], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        modes = np.zeros((0, 0))
    if modes.ndim != 1 or not np.isfinite(modes).all():
        raise FileError(f"{source}: modes must be a list of finite numbers")
    return modes


def _sizes(problem: Problem) -> dict[str, int]:
    return dict(zip(VECTORS, (problem.n, problem.n, problem.rows, problem.B.shape[0]), strict=True))


def _implied_say_more(problem: Problem) -> bool:
    return not all(
        np.array_equal(one, other)
        for one, other in zip((problem.x_lower, problem.x_upper), implied_bounds(problem), strict=True)
    )


def _lowered(problem: Problem, products: Products | None, implied: bool) -> Problem | None:
    """The problem with products taken off its objective; None where they prove nothing."""
    return problem if products is None else products.apply(problem, *_limits(problem, implied))


def _limits(problem: Problem, implied: bool) -> tuple[Vector, Vector]:
    return implied_bounds(problem) if implied else (problem.x_lower, problem.x_upper)


def _why_not_below(problem: Problem, diagonal: Vector) -> str:
    if (diagonal < 0).any():
        j = int(np.argmin(diagonal))
        return f"diagonal is negative for {problem.x_names[j]}"
    return "Q minus the diagonal is not positive semidefinite"
