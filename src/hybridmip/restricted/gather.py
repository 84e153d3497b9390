"""The data of the restricted problems as two flat arrays, and cutting one of them out, in Numba.

Everything the kernels need of a Problem is in `integers` and `reals` (see `pack`): an array among the arguments
of a compiled function costs compile time, and run time at every call.

A restricted problem with at most K variables and r rows is a column of a table, whose rows are, in this order:
the lower triangle of H by rows (K (K + 1) / 2 of them), f, lo and up (K each), the entries of A by variables (K r),
the lower and the upper limits of the rows (r each).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from hybridmip.model.quadratic import Vector

#: Returned when the support is larger than K.
TOO_LARGE = -1
# Positions in the head of `integers`: sizes, then where each part begins, first in `reals`, then in `integers`.
VARIABLES, BINARIES, ROWS, FACTORS, DENSE, HAS_G = 0, 1, 2, 3, 4, 5
HESSIAN, LOADINGS, DIAGONAL, LINEAR, LOWER, UPPER, A_ROWS, G_ROWS, ROW_LOWER, ROW_UPPER = range(6, 16)
STARTS, MEMBERS, UNSWITCHED, UNSWITCHED_END = range(16, 20)
HEAD = 20

# Numba's types of the arrays.
INTEGERS, REALS = types.int64[::1], types.float64[::1]
LISTS, TABLE = types.int64[:, ::1], types.float64[:, ::1]

Integers = NDArray[np.int64]


class Callable(types.WrapperAddressProtocol):
    """A compiled function as an argument of another one.

    Called directly, its code would be copied into the caller and optimised once more: seconds of compile time.
    """

    def __init__(self, function: Any, signature: Any) -> None:
        compiled = function.overloads[signature.args]
        self._signature = signature
        self._address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name)

    def __wrapper_address__(self) -> int:
        return int(self._address)

    def signature(self) -> Any:
        """Numba's signature."""
        return self._signature


def pack(
    hessian: NDArray[np.float64] | None, loadings: NDArray[np.float64], diagonal: Vector, linear: Vector,
    lower: Vector, upper: Vector, A: NDArray[np.float64], G: NDArray[np.float64] | None, row_lower: Vector,
    row_upper: Vector, starts: Integers, members: Integers, unswitched: Integers,
) -> tuple[Integers, Vector]:  # fmt: skip
    """The two flat arrays.

    `hessian` is dense, or None for `loadings` times its transpose plus `diagonal`. A has a row per variable, G one
    per binary. `members[starts[i] : starts[i + 1]]` are the variables that binary i switches.
    """
    none = np.zeros(0)
    parts = (
        none if hessian is None else hessian, loadings, diagonal, linear, lower, upper, A, none if G is None else G,
        row_lower, row_upper,
    )  # fmt: skip
    lists = (starts, members, unswitched)
    head = [
        linear.size, starts.size - 1, row_lower.size, loadings.shape[1], int(hessian is not None), int(G is not None)
    ]  # fmt: skip
    head += list(np.cumsum([0, *(part.size for part in parts[:-1])]))
    head += list(HEAD + np.cumsum([0, *(part.size for part in lists)]))
    integers = np.concatenate([np.array(head, dtype=np.int64), *(part.astype(np.int64) for part in lists)])
    return integers, np.concatenate([part.ravel() for part in parts])


@intrinsic
def pointer(typingctx: Any, array: Any, place: Any) -> Any:
    """Address of an entry of a C-contiguous array, counted flat. Passing it on costs no reference counting."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        return builder.gep(data, [context.cast(builder, args[1], sig.args[1], types.intp)])

    return types.CPointer(array.dtype)(array, place), codegen


@njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
def gather(integers, reals, base, kept, out, outs, into, ins, K, support, table, width, column):
    """Put the problem of `base - out + into` into a column; returns its size or TOO_LARGE.

    All arrays are pointers to their first entry (see `pointer`); `kept`, `outs` and `ins` are the lengths of the three
    lists, `width` is that of the table. `support` gets the indices of the variables.
    """
    n, r, factors = integers[VARIABLES], integers[ROWS], integers[FACTORS]
    dense, has_g = integers[DENSE] != 0, integers[HAS_G] != 0
    linear, lower, upper, rows = integers[LINEAR], integers[LOWER], integers[UPPER], integers[A_ROWS]
    hessian = integers[HESSIAN] if dense else integers[LOADINGS]
    starts, members = integers[STARTS], integers[MEMBERS]
    f = K * (K + 1) // 2
    lo, up = f + K, f + 2 * K
    A = up + K
    row_lo = A + K * r
    row_up = row_lo + r
    for i in range(r):
        table[(row_lo + i) * width + column] = reals[integers[ROW_LOWER] + i]
        table[(row_up + i) * width + column] = reals[integers[ROW_UPPER] + i]
    k = K - K  # a count, and not the literal 0, which Numba would compile apart
    for t in range(kept + ins):
        if t < kept:
            item = base[t]
            for s in range(outs):
                if out[s] == item:
                    item = -1
                    break
        else:
            item = into[t - kept]
        if item < 0:
            continue
        if has_g:
            for i in range(r):
                entry = reals[integers[G_ROWS] + item * r + i]
                table[(row_lo + i) * width + column] -= entry
                table[(row_up + i) * width + column] -= entry
        for s in range(integers[starts + item], integers[starts + item + 1]):
            if k >= K:
                return TOO_LARGE
            support[k] = integers[members + s]
            k += 1
    for s in range(integers[UNSWITCHED], integers[UNSWITCHED_END]):
        if k >= K:
            return TOO_LARGE
        support[k] = integers[s]
        k += 1
    position = k - k
    for i in range(k):
        v = support[i]
        table[(f + i) * width + column] = reals[linear + v]
        table[(lo + i) * width + column] = reals[lower + v]
        table[(up + i) * width + column] = reals[upper + v]
        for t in range(r):
            table[(A + i * r + t) * width + column] = reals[rows + v * r + t]
        if dense:
            row = hessian + v * n
            for j in range(i + 1):
                table[(position + j) * width + column] = reals[row + support[j]]
        else:
            row = hessian + v * factors
            for j in range(i + 1):
                other = hessian + support[j] * factors
                total = reals[integers[DIAGONAL] + v] if j == i else 0.0
                for t in range(factors):
                    total += reals[row + t] * reals[other + t]
                table[(position + j) * width + column] = total
        position += i + 1
    return k
