"""Rows with the same entries: all of them are found, and none that differ are taken for the same."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from hybridmip.model.alike import alike


def groups(found: dict[int, bytes]) -> set[frozenset[int]]:
    """Rows by key, where a key has several."""
    rows: dict[bytes, set[int]] = {}
    for r, key in found.items():
        rows.setdefault(key, set()).add(r)
    return {frozenset(group) for group in rows.values() if len(group) > 1}


@pytest.mark.parametrize("seed", range(10))
def test_groups_are_those_of_comparing_every_row(seed: int) -> None:
    """Whatever the order in which entries are stored, and in two matrices at once."""
    rng = np.random.default_rng(seed)
    dense = [rng.integers(-1, 2, (60, size)) * rng.choice([0.5, 1.0, 3.0], (60, 1)) for size in (3, 2)]
    matrices = []
    for entries in dense:
        rows, columns = np.nonzero(entries)
        order = np.lexsort((rng.random(rows.size), rows))
        rows, columns = rows[order], columns[order]
        start = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=60))])
        matrices.append(sparse.csr_array((entries[rows, columns], columns, start), shape=entries.shape))
    assert any(not matrix.has_sorted_indices for matrix in matrices)
    rows_by_entries: dict[bytes, set[int]] = {}
    for r, row in enumerate(np.hstack(dense) + 0.0):
        rows_by_entries.setdefault(row.tobytes(), set()).add(r)
    assert groups(dict(alike(*matrices))) == {frozenset(g) for g in rows_by_entries.values() if len(g) > 1}


def test_rows_without_a_like_are_not_looked_at() -> None:
    """That is what makes it fast: of different rows there is no key."""
    assert not list(alike(sparse.csr_array(np.diag(np.arange(1.0, 200.0)))))


def test_an_entry_of_another_matrix_is_another_entry() -> None:
    """(1, 0) and (0, 1), split between two matrices, are different rows."""
    x, b = sparse.csr_array(np.array([[1.0], [0.0]])), sparse.csr_array(np.array([[0.0], [1.0]]))
    assert not groups(dict(alike(x, b)))


def test_no_rows() -> None:
    """A matrix without rows has none that are alike."""
    assert not list(alike(sparse.csr_array((0, 4))))
