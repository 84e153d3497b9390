"""Facility location: which facilities to open, and who serves whom.

minimise    sum_i fixed_i y_i + sum_ij (service_ij x_ij + quadratic_ij x_ij^2)
subject to  sum_i x_ij = 1                              every customer is served
            sum_j demand_j x_ij <= capacity_i y_i       within capacity
            0 <= x_ij <= y_i                            by open facilities only
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hybridmip.applications.arguments import is_list, matrix, vector
from hybridmip.applications.facility.program import CAPACITY_TOLERANCE, build
from hybridmip.applications.facility.result import FacilityResult
from hybridmip.errors import ArgumentError, ProblemError
from hybridmip.files import PathLike, read_text
from hybridmip.io.warehouse import parse_warehouses
from hybridmip.model.problem import Problem
from hybridmip.model.quadratic import Matrix, Vector, frozen

if TYPE_CHECKING:
    from hybridmip.run.result import Result


@dataclass(frozen=True, init=False, eq=False, repr=False)
class FacilityLocation:
    """Facilities to open so that every customer is served at the least cost.

    Parameters
    ----------
    capacity : number, array_like or mapping, optional
        What each facility can serve, in units of demand; None (also as an entry) for no limit.
    fixed_cost : number, array_like or mapping
        Cost of opening each facility.
    demand : number, array_like or mapping, optional
        Of each customer; 1 if left out.
    service_cost : array_like or DataFrame, shape (facilities, customers), optional
        Cost of serving *all* of a customer's demand from a facility. A DataFrame names both.
    quadratic_cost : array_like or DataFrame, shape (facilities, customers), optional
        Cost by the square of the share that is served; zero or more.
    single_source : bool
        Whether each customer is served by one facility alone.
    facilities, customers : sequence of str, optional
        Names; those of the frames, else F1, F2, ... and C1, C2, ...

    Raises
    ------
    ArgumentError
        If names are not unique, or the capacities together are below the demand.
    ProblemError
        If the data are not finite, or of the wrong size or sign.

    Examples
    --------
    >>> import hybridmip as hm
    >>> location = hm.FacilityLocation(
    ...     capacity=10, fixed_cost=[6, 4], demand=[3, 4, 5], service_cost=[[1, 2, 3], [4, 1, 2]],
    ... )
    >>> answer = location.read(hm.solve(location))
    >>> answer.open_facilities, round(answer.cost, 6)
    (('F1', 'F2'), 14.0)
    """

    facilities: tuple[str, ...]
    customers: tuple[str, ...]
    capacity: Vector
    fixed_cost: Vector
    demand: Vector
    service_cost: Matrix
    quadratic_cost: Matrix
    single_source: bool

    def __init__(
        self,
        capacity: Any,
        fixed_cost: Any,
        demand: Any = None,
        service_cost: Any = None,
        quadratic_cost: Any = None,
        single_source: bool = False,
        *,
        facilities: Sequence[str] | None = None,
        customers: Sequence[str] | None = None,
    ) -> None:
        tables = {"service_cost": service_cost, "quadratic_cost": quadratic_cost}
        given = {name: table for name, table in tables.items() if table is not None}
        if not given:
            raise ArgumentError("service_cost and quadratic_cost are both None; give one, (facilities, customers)")
        if not isinstance(single_source, bool | np.bool_):
            raise ArgumentError(f"single_source is {single_source!r}; it must be True or False")
        first, table = next(iter(given.items()))
        shape = np.shape(table)
        if len(shape) != 2 or 0 in shape:
            raise ProblemError(f"{first} has shape {shape}; it must be (facilities, customers)")
        framed = hasattr(table, "columns") and hasattr(table, "index")
        sites = _names("facilities", facilities, table.index if framed else None, shape[0], "F")
        takers = _names("customers", customers, table.columns if framed else None, shape[1], "C")
        at_site: dict[Hashable, int] = {name: i for i, name in enumerate(sites)}
        at_taker: dict[Hashable, int] = {name: j for j, name in enumerate(takers)}
        fields: dict[str, Any] = {
            "facilities": sites,
            "customers": takers,
            "capacity": vector("capacity", capacity, at_site, sites, "facility", default=np.inf, no_limit=True),
            "fixed_cost": vector("fixed_cost", fixed_cost, at_site, sites, "facility"),
            "demand": vector("demand", 1.0 if demand is None else demand, at_taker, takers, "customer"),
            "single_source": bool(single_source),
        }
        for name, minimum in (("service_cost", None), ("quadratic_cost", 0.0)):
            values = np.zeros(shape) if tables[name] is None else _ordered(name, tables[name], sites, takers)
            fields[name] = matrix(name, values, sites, takers, minimum)
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        total = float(self.demand.sum())
        if self.capacity.sum() < total * (1 - CAPACITY_TOLERANCE):
            raise ArgumentError(
                f"capacity adds up to {self.capacity.sum():g}, below the demand {total:g}; raise it, or add a facility"
            )

    @classmethod
    def from_orlib(cls, path: PathLike, *, single_source: bool = False) -> FacilityLocation:
        """A location problem from an OR-Library warehouse file, plain or gzipped.

        Its problem is, without `single_source`, the one that `read_problem` gives for that file.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import hybridmip as hm
        >>> numbers = ["2 3", "10 6", "10 4", "3", "1 4", "4", "2 1", "5", "3 2"]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "cap.txt")
        ...     _ = file.write_text(chr(10).join(numbers))
        ...     location = hm.FacilityLocation.from_orlib(file)
        >>> location
        <FacilityLocation of 2 facilities, 3 customers>
        """
        return cls(*parse_warehouses(read_text(path), str(path)), single_source=single_source)

    def __repr__(self) -> str:
        single = ", single source" if self.single_source else ""
        return f"<FacilityLocation of {len(self.facilities)} facilities, {len(self.customers)} customers{single}>"

    @cached_property
    def share_limits(self) -> Matrix:
        """The largest share of each customer (columns) that each facility (rows) can serve."""
        with np.errstate(divide="ignore", invalid="ignore"):
            limits = np.where(self.demand > 0, self.capacity[:, None] / self.demand, 1.0)
        limits = np.minimum(limits, 1.0)
        return frozen(np.where(limits < 1.0 - CAPACITY_TOLERANCE, 0.0, 1.0) if self.single_source else limits)

    def problem(self) -> Problem:
        """The mixed-integer program; its objective is the cost.

        x are the shares, named "F1 -> C1", switched by their facility's binary, "F1". With a single source
        the shares are binaries themselves, named like that, and there are no x. Rows are named
        "customer C1", "capacity of F1" and, for single sources, "F1 serves C1".

        Examples
        --------
        >>> import hybridmip as hm
        >>> location = hm.FacilityLocation(capacity=None, fixed_cost=[6, 4], service_cost=[[1, 2, 3], [4, 1, 2]])
        >>> location.problem().row_names
        ('customer C1', 'customer C2', 'customer C3')
        """
        return self._problem

    @cached_property
    def pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """(facility, customer) of every share that can be above 0."""
        facility, customer = np.nonzero(self.share_limits > 0)
        return facility.astype(np.intp), customer.astype(np.intp)

    @cached_property
    def _problem(self) -> Problem:
        return build(self)

    def read(self, result: Result) -> FacilityResult:
        """The answer of a solve of `problem()`, labelled.

        Raises
        ------
        ArgumentError
            If the result has no solution, or belongs to another location problem.

        Examples
        --------
        >>> import hybridmip as hm
        >>> location = hm.FacilityLocation(capacity=None, fixed_cost=[6, 4], service_cost=[[1, 2, 3], [4, 1, 2]])
        >>> location.read(hm.solve(location))
        <FacilityResult: 1 of 2 facilities open, cost 11 (fixed 4, linear 7)>
        """
        if result.x is None or result.b is None:
            raise ArgumentError(f"result has no solution (status {result.status}); ask has_solution first")
        problem = self.problem()
        if result.problem.x_names != problem.x_names or result.problem.b_names != problem.b_names:
            raise ArgumentError("result is of other facilities; read it with the object that built the problem")
        sites = len(self.facilities)
        shares = np.zeros((sites, len(self.customers)))
        shares[self.pairs] = result.b[sites:] if self.single_source else result.x
        return FacilityResult(
            self, frozen(shares), tuple(bool(value) for value in result.b[:sites]), result.objective, result.bound,
            result.gap, str(result.status),
        )  # fmt: skip


def _names(argument: str, given: Any, index: Any, size: int, prefix: str) -> tuple[str, ...]:
    """Names as given, else those of a frame, else F1, F2, ..."""
    if given is not None:
        if not is_list(given):
            raise ArgumentError(f"{argument} is {given!r}; give a list of names")
        names = tuple(str(name) for name in given)
    elif index is not None and type(index).__name__ != "RangeIndex":
        names = tuple(str(name) for name in index)
    else:
        names = tuple(f"{prefix}{i + 1}" for i in range(size))
    if len(names) != size:
        raise ArgumentError(f"{argument} has {len(names)} names but the costs are for {size}; sizes must agree")
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ArgumentError(f"{argument} has {name!r} twice; names must be unique")
        seen.add(name)
    return names


def _ordered(argument: str, table: Any, sites: tuple[str, ...], takers: tuple[str, ...]) -> Any:
    """A frame's numbers in the order of the names; anything else as it is."""
    if not (hasattr(table, "columns") and hasattr(table, "index")):
        return table
    values = np.asarray(table)
    for axis, index, names in ((0, table.index, sites), (1, table.columns, takers)):
        if type(index).__name__ == "RangeIndex":
            continue
        place = {str(label): i for i, label in enumerate(index)}
        for name in names:
            if name not in place:
                raise ArgumentError(f"{argument} lacks {name!r}; names must agree")
        values = values.take([place[name] for name in names], axis)
    return values
