"""The paper's numbers, and what arithmetic says of them."""

from __future__ import annotations

import pytest

from hybridmip.study import published
from hybridmip.study.sets import SETS


def test_every_set_has_its_cells() -> None:
    """Three tables of five sets, four columns each."""
    for table, statistics in (
        (published.PERCENTAGE_ERROR, {"mean", "median"}),
        (published.BINARY_GAP, {"mean", "median", "max", "min"}),
        (published.OBJECTIVE_GAP, {"mean", "median", "max", "min"}),
    ):
        assert tuple(table) == SETS
        for rows in table.values():
            assert set(rows) == statistics
            assert all(len(cells) == 4 for cells in rows.values())
            if "min" in rows:
                columns = zip(rows["min"], rows["median"], rows["max"], strict=True)
                assert all(low <= middle <= high for low, middle, high in columns)


def test_target_counts() -> None:
    """The means of Table 2 are fractions over 47, 48, 48 and 49 targets."""
    assert [published.target_counts(name) for name in SETS[:4]] == [[47], [48], [48], [49]]


def test_means_below_half_of_their_medians() -> None:
    """Two cells of Table 1 break what holds for numbers that are not negative."""
    found = {name: published.impossible_errors(name) for name in SETS}
    assert found == {"port1": [], "port2": [], "port3": ["paper"], "port4": ["paper"], "port5": []}


@pytest.mark.parametrize("statistic", ["mean", "min"])
def test_cells_that_are_not_there(statistic: str) -> None:
    """None, not a number, for what the paper does not have."""
    assert published.cells(published.PERCENTAGE_ERROR, "portmine", statistic) == (None,) * 4
    assert published.cells(published.PERCENTAGE_ERROR, "port1", "min") == (None,) * 4
