"""Rows with the same entries, found without looking at rows that have no like."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

#: Odd numbers by which places and entries are mixed (those of SplitMix64).
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB), np.uint64(0x9E3779B97F4A7C15))
_SHIFT = np.uint64(31)


def alike(*matrices: sparse.csr_array) -> Iterator[tuple[int, bytes]]:
    """Rows, in order, that may have the same entries as another row in all of the matrices, each with a key.

    Rows with the same entries have the same key, others have not.

    Parameters
    ----------
    *matrices : sparse array
        With as many rows each, and without entries that are there twice.
    """
    total = np.zeros(matrices[0].shape[0], dtype=np.uint64)
    for number, M in enumerate(matrices):
        total += _sums(M, number)
    _, which, count = np.unique(total, return_inverse=True, return_counts=True)
    found = np.flatnonzero(count[which] > 1)
    if found.size:
        keys = [_keys(M, found) for M in matrices]
        for r, *parts in zip(found.tolist(), *keys, strict=True):
            yield r, b"|".join(parts)


def _sums(M: sparse.csr_array, number: int) -> NDArray[np.uint64]:
    """For every row a number that is the same for the same entries, in whatever order: a sum, and so without order."""
    bits = np.ascontiguousarray(M.data + 0.0, dtype=np.float64).view(np.uint64)  # -0.0 is 0.0
    mixed = (bits ^ (bits >> _SHIFT)) * _MIX[0]
    mixed += (M.indices.astype(np.uint64) + np.uint64((number + 1) << 40)) * _MIX[2]
    mixed = (mixed ^ (mixed >> _SHIFT)) * _MIX[1]
    mixed ^= mixed >> _SHIFT
    running = np.zeros(mixed.size + 1, dtype=np.uint64)
    np.cumsum(mixed, out=running[1:])  # what is too large wraps around, in every row alike
    return np.asarray(running[M.indptr[1:]] - running[M.indptr[:-1]])


def _keys(M: sparse.csr_array, rows: NDArray[np.intp]) -> list[bytes]:
    """Places and entries of rows, as bytes: cut out of two long strings, since there may be thousands."""
    M = M if M.has_sorted_indices else M.sorted_indices()
    places, entries = M.indices.astype(np.int64).tobytes(), M.data.astype(np.float64).tobytes()
    first, last = (8 * M.indptr[at].astype(np.int64) for at in (rows, rows + 1))
    cuts = [slice(*ends) for ends in zip(first.tolist(), last.tolist(), strict=True)]
    return [places[cut] + entries[cut] for cut in cuts]
