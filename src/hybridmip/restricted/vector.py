"""SIMD vectors for Numba: a value that holds one number of each of `WIDTH` problems.

A variable of this type lives in vector registers. Written with loops over an array's last axis the same code
would read and write its accumulators in memory, with a check for overlap before each loop: three times
slower in the kernel, and longer to compile. Multiplications and additions may be fused.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

#: Numbers in a vector: two AVX registers, four of SSE, one of AVX-512.
WIDTH = 8

_VECTOR = ir.VectorType(ir.DoubleType(), WIDTH)
_FUSED = ("contract",)


class VectorType(types.Type):
    """Numba's type of a vector."""

    def __init__(self) -> None:
        super().__init__(name=f"vector{WIDTH}")


_vector = VectorType()


@register_model(VectorType)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _VECTOR)


def _binary(operation: Any, method: str) -> None:
    """Teach Numba an operator on two vectors."""

    @infer_global(operation)
    class _Template(ConcreteTemplate):
        cases = (signature(_vector, _vector, _vector),)

    @lower_builtin(operation, _vector, _vector)
    def _lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return getattr(builder, method)(*args, flags=_FUSED)


_binary(operator.add, "fadd")
_binary(operator.sub, "fsub")
_binary(operator.mul, "fmul")
_binary(operator.truediv, "fdiv")


def _address(context: Any, builder: Any, array_type: Any, array: Any, row: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    first = builder.gep(data, [builder.mul(row, ir.Constant(row.type, WIDTH))])
    return builder.bitcast(first, _VECTOR.as_pointer())


def _splat(builder: Any, value: Any) -> Any:
    single = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(single, ir.Constant(_VECTOR, ir.Undefined), mask)


@intrinsic
def load(typingctx: Any, array: Any, row: Any) -> Any:
    """Row `row` of a C-contiguous array with `WIDTH` columns."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        row_value = context.cast(builder, args[1], sig.args[1], types.intp)
        return builder.load(_address(context, builder, sig.args[0], args[0], row_value), align=8)

    return _vector(array, row), codegen


@intrinsic
def store(typingctx: Any, array: Any, row: Any, value: Any) -> Any:
    """Write a vector to row `row`."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        row_value = context.cast(builder, args[1], sig.args[1], types.intp)
        builder.store(args[2], _address(context, builder, sig.args[0], args[0], row_value), align=8)
        return context.get_dummy_value()

    return types.void(array, row, value), codegen


@intrinsic
def splat(typingctx: Any, value: Any) -> Any:
    """The same number everywhere."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _splat(builder, context.cast(builder, args[0], sig.args[0], types.float64))

    return _vector(value), codegen


def _call(builder: Any, name: str, *arguments: Any) -> Any:
    kind = ir.FunctionType(_VECTOR, [_VECTOR] * len(arguments))
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{WIDTH}f64"), arguments)


@intrinsic
def absolute(typingctx: Any, value: Any) -> Any:
    """Absolute value of every number."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _call(builder, "fabs", args[0])

    return _vector(_vector), codegen


def _choice(predicate: str) -> Any:
    def choose(typingctx: Any, left: Any, right: Any, then: Any, otherwise: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.select(builder.fcmp_ordered(predicate, args[0], args[1]), args[2], args[3])

        return _vector(_vector, _vector, _vector, _vector), codegen

    return choose


#: where_less(a, b, x, y): x where a < b, else y. where_equal: x where a == b, else y.
where_less = intrinsic(_choice("<"))
where_equal = intrinsic(_choice("=="))
