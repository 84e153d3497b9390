"""Warehouse, Canad and DIMACS files: the problems they state, and what is refused with its line."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from damage import answers, damaged
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridmip import FacilityLocation, FixedChargeNetwork, solve
from hybridmip.applications.facility.reader import read_warehouse
from hybridmip.applications.network.reader import read_canad
from hybridmip.errors import ArgumentError, FileError
from hybridmip.io.canad import is_canad
from hybridmip.io.dimacs import is_dimacs, parse_dimacs
from hybridmip.io.problems import read_problem
from hybridmip.io.warehouse import is_warehouse
from hybridmip.model.problem import Problem

WAREHOUSE = """\
 2 3
 10 100.
 8 70.
 4 12.0 20.0
 5 15.0
 10.0
 3 9.0 6.0
"""
CANAD = """\
 MULTIGEN.DAT:
   3   4   2
   1   2   5   10   100   1   1
   2   3   1   10    50   1   2
   1   3   9    4    20   1   3
   3   1   2   10    10   1   4
   1   3   6
   3   2   3
"""
DIMACS = """\
c a comment
p min 4 5
n 1 3
n 4 -3
a 1 2 0 2 3
a 2 3 0 2 1
a 3 4 0 2 1
a 1 4 0 2 2
a 1 4 1 1 7
"""


def best(problem: Problem) -> float:
    """The least value over all binaries: an LP for each."""
    from scipy.optimize import linprog

    values = []
    for b in product((0.0, 1.0), repeat=problem.m):
        lower, upper = problem.bounds_given(b)
        rest = problem.G @ np.array(b)
        low, high = problem.row_lower - rest, problem.row_upper - rest
        A, equal = problem.A.toarray(), low == high
        limits = np.concatenate([high[~equal], -low[~equal]])
        rows = np.concatenate([A[~equal], -A[~equal]])[np.isfinite(limits)]
        found = linprog(
            problem.q, A_ub=rows, b_ub=limits[np.isfinite(limits)], A_eq=A[equal], b_eq=low[equal],
            bounds=np.column_stack([lower, upper]),
        )  # fmt: skip
        if found.status == 0:
            values.append(problem.objective(found.x, b))
    return min(values)


def test_warehouse() -> None:
    """Shares of demand, capacities, and x <= y; costs are for all of a customer's demand, lines may break anywhere."""
    problem = read_warehouse(WAREHOUSE, "f").problem
    assert (problem.n, problem.m, problem.B.shape[0]) == (6, 2, 1)
    assert problem.switch.tolist() == [0, 0, 0, 1, 1, 1]
    assert problem.p.tolist() == [100, 70]
    assert problem.q.tolist() == [12, 15, 9, 20, 10, 6]
    # Demand 12 needs both: 4 of 12 is all at 1; 10 + 8 suffice for everything at its cheapest.
    assert best(problem) == pytest.approx(170 + 12 + 10 + 6)
    x = [1, 0, 0, 0, 1, 1]
    assert problem.violation(x, [1, 1]) == 0
    assert problem.violation(x, [1, 0]) >= 1
    assert problem.violation([0, 0, 0, 1, 1, 1], [0, 1]) == 4  # 12 units from a warehouse of 8


def test_warehouses_that_cannot_serve_all() -> None:
    """Less capacity than demand is refused, as the application does."""
    with pytest.raises(FileError, match=r"^f: capacity adds up to 11, below the demand 12"):
        read_warehouse(WAREHOUSE.replace(" 8 70.", " 1 70."), "f")


def test_canad() -> None:
    """A flow for each commodity and arc that it can use; the arcs are shared."""
    problem = read_canad(CANAD, "f").problem
    # The first commodity never uses 3 -> 1, the second (3 to 2) only 3 -> 1 -> 2.
    assert problem.x_names == ("1->2 [1 to 3]", "2->3 [1 to 3]", "1->3 [1 to 3]", "1->2 [3 to 2]", "3->1 [3 to 2]")
    assert problem.x_upper.tolist() == [6, 6, 4, 3, 3]
    assert problem.m == 4
    # The first commodity: all by 2 (36 + 150), or 4 direct (36 + 20) and 2 by 2 (12 + 150);
    # the second must take 3 -> 1 -> 2, 3 units: 6 + 15 + 10 (arc 1 -> 2 is open).
    assert best(problem) == pytest.approx(36 + 150 + 6 + 15 + 10)


def test_canad_arcs_without_a_binary() -> None:
    """The file's columns have all arcs: one without a price is open, one that leads nowhere is closed."""
    read = read_canad(
        CANAD.replace("3   1   2   10    10", "3   1   2   10     0").replace("3   9    4", "3   9    0"), "f"
    )
    assert read.problem.b_names == ("1->2", "2->3")
    values = read.values(np.zeros(read.problem.n), [True, False])
    assert [values[name] for name in ("1->2", "2->3", "1->3", "3->1")] == [1, 0, 0, 1]


def test_canad_commodities_that_go_nowhere() -> None:
    """No demand, or from a node to itself: nothing to ship, so nothing in the problem."""
    plain = read_canad(CANAD, "f").problem
    more = CANAD.replace("   3   4   2", "   3   4   4") + "   2   2   5\n   1   2   0\n"
    assert read_canad(more, "f").problem.hash == plain.hash
    with pytest.raises(FileError, match="nothing to ship"):
        read_canad(CANAD.replace("1   3   6", "1   1   6").replace("3   2   3", "3   2   0"), "f")


def same(one: Problem, other: Problem) -> bool:
    """Whether sizes, numbers and names are the same."""
    names = ("x_names", "b_names", "row_names", "b_row_names")
    return one.hash == other.hash and all(getattr(one, name) == getattr(other, name) for name in names)


def test_one_formulation_of_a_file(tmp_path: Path) -> None:
    """`read_problem` and the application give one problem: the same sizes, numbers and names."""
    (tmp_path / "a.dow").write_text(CANAD)
    (tmp_path / "cap").write_text(WAREHOUSE)
    assert same(read_problem(tmp_path / "a.dow"), FixedChargeNetwork.from_canad(tmp_path / "a.dow").problem())
    location = FacilityLocation([10, 8], [100, 70], [4, 5, 3], [[12, 15, 9], [20, 10, 6]])
    assert same(read_problem(tmp_path / "cap"), location.problem())
    assert same(read_problem(tmp_path / "cap"), FacilityLocation.from_orlib(tmp_path / "cap").problem())
    assert FacilityLocation.from_orlib(tmp_path / "cap", single_source=True).single_source


def test_one_formulation_of_public_files(data_dir: Path) -> None:
    """The same for the public instances."""
    designs = sorted((data_dir / "network" / "canad").glob("r0*.dow"))
    locations = sorted((data_dir / "network" / "warehouse").glob("cap*"))
    assert designs
    assert locations
    for path in designs:
        assert same(read_problem(path), FixedChargeNetwork.from_canad(path).problem()), path.name
    for path in locations:
        assert same(read_problem(path), FacilityLocation.from_orlib(path).problem()), path.name


def test_canad_as_a_network(tmp_path: Path) -> None:
    """With names and limits on open arcs."""
    (tmp_path / "a.dow").write_text(CANAD)
    network = FixedChargeNetwork.from_canad(tmp_path / "a.dow")
    assert network.nodes == ("1", "2", "3")
    answer = network.read(solve(network.problem()))
    assert answer.open_arcs == ("1->2", "2->3", "3->1")
    assert FixedChargeNetwork.from_canad(tmp_path / "a.dow", max_open=3).max_open == 3
    (tmp_path / "b.dow").write_text(CANAD[:60])
    with pytest.raises(FileError, match=r"b\.dow, line 3"):
        FixedChargeNetwork.from_canad(tmp_path / "b.dow")


def test_dimacs_without_and_with_a_fixed_charge() -> None:
    """Linear without a charge; with one each arc has a binary but for those that must carry flow."""
    linear = parse_dimacs(DIMACS, "f")
    assert (linear.n, linear.m) == (5, 0)
    assert best(linear) == pytest.approx(7 + 2 * 2)
    charged = parse_dimacs(DIMACS, "f", fixed_charge=10.0)
    assert (charged.n, charged.m) == (5, 4)
    assert charged.switch.tolist() == [0, 1, 2, 3, -1]
    assert best(charged) == pytest.approx(7 + 10 + 2 * 2 + 10)
    assert charged.x_names == ("flow_1_2", "flow_2_3", "flow_3_4", "flow_1_4", "flow_1_4_2")


def test_dimacs_arc_without_capacity() -> None:
    """A negative capacity is none; with a charge the arc may carry everything there is."""
    text = DIMACS.replace("a 1 4 0 2 2", "a 1 4 0 -1 2")
    assert parse_dimacs(text, "f").x_upper[3] == np.inf
    assert parse_dimacs(text, "f", fixed_charge=1).x_upper[3] == 4


def test_kinds_are_told_apart(tmp_path: Path) -> None:
    """By suffix and, where that says nothing, by content."""
    assert (is_warehouse(WAREHOUSE), is_warehouse(CANAD), is_warehouse(DIMACS)) == (True, False, False)
    assert (is_canad(WAREHOUSE), is_canad(CANAD), is_canad(DIMACS)) == (False, True, False)
    assert (is_dimacs(WAREHOUSE), is_dimacs(CANAD), is_dimacs(DIMACS)) == (False, False, True)
    for name, text, m in (("cap.txt", WAREHOUSE, 2), ("cap41", WAREHOUSE, 2), ("a.dow", CANAD, 4), ("b", CANAD, 4)):
        (tmp_path / name).write_text(text)
        assert read_problem(tmp_path / name).m == m
    for name in ("a.dmx", "a.min", "a.net", "a.txt"):
        (tmp_path / name).write_text(DIMACS)
        assert read_problem(tmp_path / name).m == 0
        assert read_problem(tmp_path / name, fixed_charge=3).m == 4
    with pytest.raises(ArgumentError, match="it is for a DIMACS min-cost flow only"):
        read_problem(tmp_path / "a.dow", fixed_charge=3)
    with pytest.raises(ArgumentError, match="finite"):
        read_problem(tmp_path / "a.dmx", fixed_charge=np.nan)


@pytest.mark.parametrize(
    ("parse", "text", "old", "new", "line", "message"),
    [
        (read_warehouse, WAREHOUSE, "10 100.", "10 many", 2, "'many' is not a finite number"),
        (read_warehouse, WAREHOUSE, "10 100.", "capacity 100.", 2, "capacity is left open"),
        (read_warehouse, WAREHOUSE, "10 100.", "-10 100.", 2, "the capacity is -10"),
        (read_warehouse, WAREHOUSE, "8 70.", "8 -70.", 3, "the fixed cost is -70"),
        (read_warehouse, WAREHOUSE, " 3 9.0", " -3 9.0", 7, "the demand is -3"),
        (read_warehouse, WAREHOUSE, " 6.0", "", 7, "truncated"),
        (read_warehouse, WAREHOUSE, " 6.0", " 6.0 1.0", 7, "too long"),
        (read_warehouse, WAREHOUSE, " 2 3", " 2.5 3", 1, "number of warehouses is 2.5"),
        (read_canad, CANAD, "   3   4   2", "   3   4", 2, "expected 3 numbers"),
        (read_canad, CANAD, "   1   3   6\n", "", 7, "truncated"),
        (read_canad, CANAD, "   1   3   6", "   1   4   6", 7, "node 4 is not from 1 to 3"),
        (read_canad, CANAD, "   2   3   1   10", "   2   3   1   1e400", 4, "'1e400'"),
        (read_canad, CANAD, "   2   3   1   10", "   2   2   1   10", 4, "an arc leads from 2 to itself"),
        (read_canad, CANAD, "10    50", "10   -50", 4, "the fixed cost is -50"),
        (read_canad, CANAD, "   3   4   2", "   999999   4   2", 2, "cannot reach 999999 nodes"),
        (parse_dimacs, DIMACS, "p min 4 5", "p max 4 5", 2, "expected `p min nodes arcs`"),
        (parse_dimacs, DIMACS, "p min 4 5", "p min 4 6", 9, "6 arcs announced, found 5"),
        (parse_dimacs, DIMACS, "p min 4 5\n", "", 2, "before the p line"),
        (parse_dimacs, DIMACS, "n 1 3", "n 9 3", 3, "node 9 is not from 1 to 4"),
        (parse_dimacs, DIMACS, "n 4 -3", "n 1 -3", 4, "node 1 is listed twice"),
        (parse_dimacs, DIMACS, "a 1 2 0 2 3", "a 1 2 3 2 3", 5, "the bounds are 3 and 2"),
        (parse_dimacs, DIMACS, "a 1 2 0 2 3", "b 1 2 0 2 3", 5, "'b' is none of c, p, n, a"),
        (parse_dimacs, DIMACS, "a 1 2 0 2 3", "a 1 2 0 2", 5, "expected 5 numbers"),
    ],
)
def test_bad_lines(parse, text: str, old: str, new: str, line: int, message: str) -> None:
    """One line that names the file, the line, and what is wrong there."""
    assert old in text
    with pytest.raises(FileError) as caught:
        parse(text.replace(old, new, 1), "small")
    assert str(caught.value).startswith(f"small, line {line}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_supplies_must_add_up() -> None:
    """Otherwise nothing is feasible: most likely a damaged file."""
    with pytest.raises(FileError, match="the supplies add up to -1"):
        parse_dimacs(DIMACS.replace("n 1 3", "n 1 2"), "f")


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_damaged_texts_raise_only_our_errors(data: st.DataObject) -> None:
    """A changed byte, line or field gives a problem or an error of ours in one line, never anything else."""
    parse, text = data.draw(st.sampled_from([(read_warehouse, WAREHOUSE), (read_canad, CANAD), (parse_dimacs, DIMACS)]))
    assert answers(parse, damaged(data, text))
