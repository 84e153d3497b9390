"""Expressions of .nl files as polynomials of degree two: what of them a linear or quadratic model can hold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from scipy import sparse

from hybridmip.errors import FileError
from hybridmip.io.nl_scan import MOST, Scanner

PLUS, MINUS, TIMES, DIVIDE, POWER, NEGATE, SUM, POWER_OF_CONSTANT, SQUARE = 0, 1, 2, 3, 5, 16, 54, 76, 77
#: Linear forms by the place of a variable.
Terms: TypeAlias = dict[int, float]
#: Products of linear forms with more pairs than this are left for the end, where a matrix product does them.
MOST_AT_ONCE = 64
#: Linear forms with more of their coefficients than this are multiplied as dense matrices.
DENSE_SHARE = 0.1
#: Operands of the operators that are understood; a sum says how many follow.
OPERANDS = {PLUS: 2, MINUS: 2, TIMES: 2, DIVIDE: 2, POWER: 2, NEGATE: 1, POWER_OF_CONSTANT: 2, SQUARE: 1}
#: What messages call the others.
OPERATORS = {
    4: "mod", 6: "less", 11: "min", 12: "max", 13: "floor", 14: "ceil", 15: "abs", 20: "or", 21: "and", 22: "<",
    23: "<=", 24: "==", 28: ">=", 29: ">", 30: "!=", 34: "not", 35: "if", 37: "tanh", 38: "tan", 39: "sqrt", 40: "sinh",
    41: "sin", 42: "log10", 43: "log", 44: "exp", 45: "cosh", 46: "cos", 47: "atanh", 48: "atan2", 49: "atan",
    50: "asinh", 51: "asin", 52: "acosh", 53: "acos", 55: "div", 56: "precision", 57: "round", 58: "trunc", 59: "count",
    60: "numberof", 61: "numberof", 62: "atleast", 63: "atmost", 64: "piecewise linear", 65: "if", 66: "exactly",
    70: "forall", 71: "exists", 72: "implies", 73: "iff", 74: "alldiff", 78: "pow",
}  # fmt: skip


class Polynomial:
    """constant + linear + quadratic + products of linear forms; a pair (i, j), i <= j, has one coefficient.

    An operand belongs to the operator that it is given to, which may change it: long sums take time in proportion to
    their terms. Products of long linear forms are multiplied out all at once, by `matrix`.
    """

    __slots__ = ("constant", "linear", "products", "quadratic")

    def __init__(
        self,
        constant: float = 0.0,
        linear: dict[int, float] | None = None,
        quadratic: dict[tuple[int, int], float] | None = None,
        products: list[tuple[float, Terms, Terms]] | None = None,
    ) -> None:
        self.constant = constant
        self.linear = {} if linear is None else linear
        self.quadratic = {} if quadratic is None else quadratic
        self.products = [] if products is None else products

    @property
    def degree(self) -> int:
        """2, 1 or 0."""
        return 2 if self.quadratic or self.products else 1 if self.linear else 0

    def copy(self) -> Polynomial:
        """A polynomial of its own with the same terms."""
        return Polynomial(self.constant, dict(self.linear), dict(self.quadratic), list(self.products))

    def times(self, factor: float) -> Polynomial:
        """This, multiplied; by zero it has no terms."""
        if factor == 0.0:
            return Polynomial()
        self.constant *= factor
        for k in self.linear:
            self.linear[k] *= factor
        for pair in self.quadratic:
            self.quadratic[pair] *= factor
        self.products = [(factor * value, first, second) for value, first, second in self.products]
        return self

    def over(self, divisor: float) -> Polynomial:
        """This, divided: a product with the inverse would round twice."""
        self.constant /= divisor
        for k in self.linear:
            self.linear[k] /= divisor
        for pair in self.quadratic:
            self.quadratic[pair] /= divisor
        self.products = [(value / divisor, first, second) for value, first, second in self.products]
        return self

    def plus(self, other: Polynomial) -> Polynomial:
        """The sum: the longer of both, with the other added to it."""
        more, less = self, other
        if len(self.linear) + len(self.quadratic) < len(other.linear) + len(other.quadratic):
            more, less = other, self
        more.constant += less.constant
        for k, value in less.linear.items():
            more.linear[k] = more.linear.get(k, 0.0) + value
        for pair, value in less.quadratic.items():
            more.quadratic[pair] = more.quadratic.get(pair, 0.0) + value
        if len(more.products) < len(less.products):
            more.products, less.products = less.products, more.products
        more.products += less.products
        return more

    def product(self, other: Polynomial) -> Polynomial:
        """The product of two of degree one."""
        result = Polynomial(self.constant * other.constant)
        for one, factor in ((self, other.constant), (other, self.constant)):
            if factor:
                for k, value in one.linear.items():
                    result.linear[k] = result.linear.get(k, 0.0) + factor * value
        if len(self.linear) * len(other.linear) > MOST_AT_ONCE:
            result.products.append((1.0, dict(self.linear), dict(other.linear)))
            return result
        pairs = result.quadratic
        for i, first in self.linear.items():
            for j, second in other.linear.items():
                pair = (i, j) if i <= j else (j, i)
                pairs[pair] = pairs.get(pair, 0.0) + first * second
        return result

    def matrix(self, columns: int) -> sparse.csr_array:
        """Q of v'Qv, symmetric: half of a product's coefficient on each side of the diagonal."""
        shape = (columns, columns)
        total = sparse.csr_array(shape)
        if self.quadratic:
            first, second = np.array(list(self.quadratic), dtype=np.intp).T
            values = np.fromiter(self.quadratic.values(), dtype=np.float64, count=len(self.quadratic))
            total = sparse.csr_array((values, (first, second)), shape=shape)
        if self.products:
            ones = _stacked([first for _, first, _ in self.products], columns)
            others = _stacked([_times(value, second) for value, _, second in self.products], columns)
            used = np.union1d(ones.indices, others.indices)
            ones, others = ones[:, used], others[:, used]
            if ones.nnz + others.nnz > DENSE_SHARE * 2 * ones.shape[0] * used.size:
                block = sparse.coo_array(ones.toarray().T @ others.toarray())
            else:
                block = sparse.coo_array(ones.T @ others)
            total = total + sparse.csr_array((block.data, (used[block.row], used[block.col])), shape=shape)
        half = sparse.csr_array(total * 0.5)
        result = sparse.csr_array(half + half.T)
        result.eliminate_zeros()
        return result

    def require_finite(self, scanner: Scanner, where: str) -> None:
        """Refuse numbers that overflowed."""
        parts = [value for value, _, _ in self.products]
        for values in ((self.constant,), self.linear.values(), self.quadratic.values(), parts):
            if not all(map(math.isfinite, values)):
                raise scanner.fail(f"{where} has a coefficient that is not finite; use other units")


def _times(value: float, terms: Terms) -> Terms:
    """A multiple of a linear form."""
    return {k: value * coefficient for k, coefficient in terms.items()}


def _stacked(forms: Sequence[Terms], columns: int) -> sparse.csr_array:
    """Linear forms as the rows of a matrix."""
    starts = np.cumsum([0, *map(len, forms)])
    places = np.fromiter((k for form in forms for k in form), dtype=np.intp, count=starts[-1])
    values = np.fromiter((value for form in forms for value in form.values()), dtype=np.float64, count=starts[-1])
    return sparse.csr_array((values, places, starts), shape=(len(forms), columns))


def read_polynomial(
    scanner: Scanner, where: str, variables: int, defined: Mapping[int, Polynomial], functions: Mapping[int, str]
) -> Polynomial:
    """The expression that follows, as a polynomial.

    Parameters
    ----------
    scanner : Scanner
    where : str
        What messages call the place: "row c3", "objective obj".
    variables : int
        How many there are; an index from there on is one of `defined`.
    defined : mapping of int to Polynomial
    functions : mapping of int to str
        Names of functions that the file declares.

    Raises
    ------
    FileError
        If it is more than quadratic, or has another operator; the message names it.
    """
    open_operators: list[tuple[int, int, list[Polynomial]]] = []
    while True:
        letter, number = scanner.node()
        if letter == "n":
            done = Polynomial(number)
        elif letter == "v":
            done = _variable(scanner, int(number), variables, defined)
        elif letter == "f":
            raise scanner.fail(
                f"{where} calls {functions.get(int(number), 'a function')}(...), a function of its own; "
                "only linear and quadratic expressions can be solved"
            )
        else:
            code = int(number)
            operands = OPERANDS.get(code, 0)
            if code == SUM:
                operands = scanner.integer("the number of terms of a sum")
                if not 1 <= operands <= MOST:
                    raise scanner.fail(f"a sum has {operands} terms; there must be at least one")
            elif not operands:
                raise _refused(scanner, where, code)
            open_operators.append((code, operands, []))
            continue
        # What is complete is an operand of what is open, which may complete that too.
        while open_operators:
            code, operands, given = open_operators[-1]
            if code in (PLUS, SUM) and given:
                given[0] = given[0].plus(done)
                open_operators[-1] = code, operands - 1, given
                if operands - 1 > 1:
                    break
                done = given[0]
            else:
                given.append(done)
                if code == SUM and operands == 1:
                    done = given[0]
                elif len(given) < operands:
                    break
                else:
                    done = _applied(scanner, where, code, given)
            open_operators.pop()
        if not open_operators:
            done.require_finite(scanner, where)
            return done


def _variable(scanner: Scanner, index: int, variables: int, defined: Mapping[int, Polynomial]) -> Polynomial:
    if 0 <= index < variables:
        return Polynomial(0.0, {index: 1.0})
    if index not in defined:
        raise scanner.fail(f"v{index} is no variable and no expression defined above; there are {variables} variables")
    return defined[index].copy()


def _refused(scanner: Scanner, where: str, code: int) -> FileError:
    if code not in OPERATORS:
        return scanner.fail(f"{where} has the operator o{code}, which is not known")
    return scanner.fail(f"{where} has {OPERATORS[code]}(...); only linear and quadratic expressions can be solved")


def _applied(scanner: Scanner, where: str, code: int, given: list[Polynomial]) -> Polynomial:
    first, second = given[0], given[-1]
    if code == MINUS:
        return first.plus(second.times(-1.0))
    if code == NEGATE:
        return first.times(-1.0)
    if code == TIMES:
        if first.degree == 0:
            return second.times(first.constant)
        if second.degree == 0:
            return first.times(second.constant)
        return _product(scanner, where, first, second)
    if code == DIVIDE:
        if second.degree:
            raise scanner.fail(
                f"{where} has a division by variables; only linear and quadratic expressions can be solved"
            )
        if second.constant == 0.0:
            raise scanner.fail(f"{where} has a division by zero")
        return first.over(second.constant)
    if code == SQUARE:
        return _product(scanner, where, first, first)
    return _power(scanner, where, first, second)


def _power(scanner: Scanner, where: str, first: Polynomial, second: Polynomial) -> Polynomial:
    exponent = second.constant
    if second.degree == 0 and exponent in (0.0, 1.0, 2.0):
        return Polynomial(1.0) if exponent == 0 else first if exponent == 1 else _product(scanner, where, first, first)
    if first.degree == second.degree == 0:
        try:
            return Polynomial(math.pow(first.constant, exponent))
        except (ValueError, OverflowError):
            raise scanner.fail(f"{where} has {first.constant:g}^{exponent:g}, which is no number") from None
    shown = f"{exponent:g}" if second.degree == 0 else "..."
    raise scanner.fail(f"{where} has pow(..., {shown}); only linear and quadratic expressions can be solved")


def _product(scanner: Scanner, where: str, first: Polynomial, second: Polynomial) -> Polynomial:
    if first.degree + second.degree > 2:
        raise scanner.fail(
            f"{where} has a product of degree {first.degree + second.degree}; only linear and quadratic expressions "
            "can be solved"
        )
    return first.product(second)
