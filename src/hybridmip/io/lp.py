"""LP files (CPLEX's format), with quadratic objectives.

Read here rather than by HiGHS, whose reader (1.15) drops a constant on the left of a constraint without a word, takes
`x + + y y 3` and duplicate names, refuses `1 <= x + y <= 2`, calls a text of two words a model, and never says which
line is wrong. The tests compare both readers where they should agree.
"""

from __future__ import annotations

import math
import re

import numpy as np
from scipy import sparse

from hybridmip.errors import FileError
from hybridmip.io.model import INFINITE, Model
from hybridmip.io.orlib import shorten

#: First words of a line that open a section.
SECTIONS = {
    "minimize": "min", "minimise": "min", "minimum": "min", "min": "min",
    "maximize": "max", "maximise": "max", "maximum": "max", "max": "max",
    "subject to": "rows", "such that": "rows", "st": "rows", "s.t.": "rows", "st.": "rows",
    "bounds": "bounds", "bound": "bounds",
    "general": "general", "generals": "general", "gen": "general",
    "integer": "general", "integers": "general", "int": "general",
    "binary": "binary", "binaries": "binary", "bin": "binary",
    "semi-continuous": "semi", "semis": "semi", "semi": "semi",
    "end": "end",
}  # fmt: skip
REFUSED = {
    "sos": "special ordered sets", "sos1": "special ordered sets", "sos2": "special ordered sets",
    "lazy constraints": "lazy constraints", "user cuts": "user cuts", "general constraints": "general constraints",
    "gencons": "general constraints", "general constraint": "general constraints", "pwlobj": "piecewise linear costs",
    "scenario": "several objectives", "ranges": "a section of ranges",
}  # fmt: skip
_WORDS = "|".join(re.escape(k).replace(r"\ ", r"\s+") for k in sorted([*SECTIONS, *REFUSED], key=len, reverse=True))
KEYWORD = re.compile(rf"\s*({_WORDS})(?=\s|$|:|=|<|>)", re.IGNORECASE)
NAME = r"[A-Za-z_!\"#$%&(),;?@'`{}~|\x80-\U0010ffff](?:[\w.!\"#$%&()/,;?@'`{}~|\x80-\U0010ffff]|\[[^\[\]\s]*\])*"
TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>" + NAME + r")"
    r"|(?P<relation><=|=<|>=|=>|<|>|=)|(?P<sign>[-+*^\[\]/:])|(?P<other>\S))"
)
RELATIONS = {"<=": "<", "=<": "<", "<": "<", ">=": ">", "=>": ">", ">": ">", "=": "="}
INFINITE_WORDS = frozenset({"inf", "infinity"})

#: (kind, text, line); kinds are number, name, relation, sign.
Token = tuple[str, str, int]
END: Token = ("end", "the end of the section", 0)


def parse_lp(text: str, source: str) -> Model:
    """The model of an LP text; `source` is what messages call it.

    Raises
    ------
    FileError
        If the text is truncated, garbled or says what a Problem cannot; the message gives the line.
    """
    return _Reader(text, source).model()


def is_lp(text: str) -> bool:
    """Whether the first line that is no comment opens an objective."""
    first = next((line for line in text.splitlines() if line.split("\\")[0].strip()), "")
    word = first.split("\\")[0].split()
    return bool(word) and SECTIONS.get(word[0].lower()) in ("min", "max")


class _Reader:
    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self.columns: dict[str, int] = {}
        self.costs: dict[int, float] = {}
        self.quadratic: dict[tuple[int, int], float] = {}
        self.offset = 0.0
        self.objective = "obj"
        self.rows: dict[str, int] = {}
        self.unnamed: list[int] = []
        self.entry_rows: list[int] = []
        self.entry_columns: list[int] = []
        self.entry_values: list[float] = []
        self.row_lower: list[float] = []
        self.row_upper: list[float] = []
        self.row_names: list[str] = []
        self.lower: dict[int, float] = {}
        self.upper: dict[int, float] = {}
        self.integer: set[int] = set()
        self.binary: set[int] = set()
        self.semi: set[int] = set()
        self.after_relation = False
        self.row_label = ""
        self.tokens: list[Token] = []
        self.at = 0
        self.sections = self.split(text)

    def fail(self, line: int, what: str) -> FileError:
        return FileError(f"{self.source}, line {line}: {what}")

    # ---- sections and tokens

    def split(self, text: str) -> list[tuple[str, list[Token]]]:
        """The sections in their order, each with its tokens."""
        sections: list[tuple[str, list[Token]]] = []
        tokens: list[Token] = []
        number = 0
        for number, line in enumerate(text.splitlines(), start=1):
            if "\\" in line:
                line = line[: line.index("\\")]
            if found := KEYWORD.match(line):
                keyword, rest = " ".join(found[1].lower().split()), line[found.end() :]
                if self.is_header(keyword, rest, sections):
                    if keyword in REFUSED:
                        raise self.fail(number, f"{shorten(found[1])} ({REFUSED[keyword]}) is not supported")
                    kind = SECTIONS[keyword]
                    if not sections and kind not in ("min", "max"):
                        raise self.fail(number, f"{shorten(found[1])} comes first; LP files start with the objective")
                    if kind == "end":
                        return sections
                    if sections and kind in ("min", "max", "rows") and any(
                        s == kind or (kind != "rows" and s in ("min", "max")) for s, _ in sections
                    ):  # fmt: skip
                        raise self.fail(number, f"{shorten(found[1])} is there twice; give each section once")
                    tokens = []
                    sections.append((kind, tokens))
                    line = rest
            if not sections and line.strip():
                raise self.fail(
                    number,
                    f"{shorten(line.strip())} comes before the objective; LP files start with Minimize or Maximize",
                )
            for match in TOKEN.finditer(line):
                kind = match.lastgroup or ""
                if kind == "other":
                    raise self.fail(number, f"{shorten(match['other'])} is not understood")
                tokens.append((kind, match[kind], number))
        if not sections:
            raise FileError(f"{self.source}: there is no objective; LP files start with Minimize or Maximize")
        raise self.fail(number, "the file ends without End; it is truncated")

    @staticmethod
    def is_header(keyword: str, rest: str, sections: list[tuple[str, list[Token]]]) -> bool:
        """Whether a first word opens a section; it may also name a row or a column."""
        rest = rest.strip()
        if rest[:1] in (":", "=", "<", ">", "+", "*", "^", "/"):
            return False
        if keyword in ("end", *REFUSED):
            return not rest or keyword in REFUSED
        return not (rest[:1] == "-" and keyword not in ("min", "max", "minimize", "maximize", "st", "subject to"))

    def peek(self, ahead: int = 0) -> Token:
        at = self.at + ahead
        return self.tokens[at] if at < len(self.tokens) else ("end", END[1], self.tokens[-1][2] if self.tokens else 0)

    def take(self) -> Token:
        token = self.peek()
        self.at += 1
        return token

    def value(self, token: Token) -> float:
        value = float(token[1])
        if not math.isfinite(value):
            raise self.fail(token[2], f"{shorten(token[1])} is not a finite number")
        return value

    def column(self, name: str) -> int:
        return self.columns.setdefault(name, len(self.columns))

    def known(self, token: Token, where: str) -> int:
        if token[0] != "name":
            raise self.fail(token[2], f"expected a column in {where}, found {shorten(token[1])}")
        if token[1] not in self.columns:
            raise self.fail(
                token[2],
                f"column {shorten(token[1])} is in no row and not in the objective; check its name, "
                "or add it to the objective with coefficient 0",
            )
        return self.columns[token[1]]

    # ---- expressions

    def sign(self) -> float | None:
        """Signs before a term, multiplied; None if there are none."""
        result: float | None = None
        while self.peek()[0] == "sign" and self.peek()[1] in "+-":
            result = (result or 1.0) * (-1.0 if self.take()[1] == "-" else 1.0)
        return result

    def label(self) -> str | None:
        if self.peek()[0] in ("name", "number") and self.peek(1)[1] == ":":
            name = self.take()[1]
            self.take()
            return name
        return None

    def expression(self, quadratic: bool) -> tuple[list[tuple[int, float]], float, int]:
        """Terms, constant and how many parts were there; products are added to the objective."""
        terms: list[tuple[int, float]] = []
        constant, parts = 0.0, 0
        while True:
            # Most of a file is `sign number name`: taken at once.
            if not self.after_relation:
                parts += self.plain_terms(terms)
            before = self.at
            # A right-hand side ends with its line: what follows opens the next row, whose name may be left out.
            if parts and self.after_relation and not terms and self.peek()[2] != self.tokens[before - 1][2]:
                return terms, constant, parts
            sign = self.sign()
            kind, text, line = self.peek()
            if parts and sign is None:
                return terms, constant, parts
            if kind == "sign" and text == "[":
                if not quadratic:
                    raise self.fail(line, f"row {shorten(self.row_label)} is quadratic; only the objective may be")
                self.products(sign or 1.0)
            elif kind == "number":
                coefficient = (1.0 if sign is None else sign) * self.value(self.take())
                if self.peek()[1] == "*" and self.peek(1)[0] == "name":
                    self.take()
                if self.peek()[0] == "name" and self.peek(1)[1] != ":" and not self.ends_here(line):
                    terms.append((self.column(self.take()[1]), self.coefficient(coefficient, line)))
                else:
                    constant += coefficient
            elif kind == "name" and self.peek(1)[1] != ":":
                if text.lower() in INFINITE_WORDS:
                    self.take()
                    constant += (1.0 if sign is None else sign) * math.inf
                else:
                    terms.append((self.column(self.take()[1]), 1.0 if sign is None else sign))
            elif sign is not None:
                raise self.fail(line or self.tokens[before][2], f"expected a term after a sign, found {shorten(text)}")
            else:
                return terms, constant, parts
            parts += 1

    def plain_terms(self, terms: list[tuple[int, float]]) -> int:
        """Take `sign number name` as often as it comes; how often it came."""
        tokens, columns, start = self.tokens, self.columns, self.at
        at, last = start, len(tokens) - 3
        while at < last:
            _, sign, line = tokens[at]
            if sign not in ("+", "-") or tokens[at + 1][0] != "number" or tokens[at + 2][0] != "name":
                break
            if tokens[at + 3][1] == ":":
                break
            value = self.coefficient(float(tokens[at + 1][1]), line)
            terms.append((columns.setdefault(tokens[at + 2][1], len(columns)), -value if sign == "-" else value))
            at += 3
        self.at = at
        return (at - start) // 3

    def ends_here(self, line: int) -> bool:
        """Whether a number is the right-hand side it follows, so that a name on a new line opens another row."""
        return self.after_relation and self.peek()[2] != line

    def coefficient(self, value: float, line: int) -> float:
        if not abs(value) < INFINITE:
            raise self.fail(line, f"a coefficient is {value:g}; it must be below {INFINITE:g} in size")
        return value

    def products(self, factor: float) -> None:
        """`[ 2 x^2 + 3 x * y ] / 2`, added to the objective."""
        line = self.take()[2]
        found: list[tuple[int, int, float]] = []
        while self.peek()[1] != "]":
            sign = self.sign()
            if found and sign is None:
                raise self.fail(self.peek()[2] or line, f"expected + or - or ], found {shorten(self.peek()[1])}")
            coefficient = 1.0 if sign is None else sign
            if self.peek()[0] == "number":
                coefficient *= self.value(self.take())
                if self.peek()[1] == "*":
                    self.take()
            first, operator, second = self.take(), self.take(), self.take()
            if first[0] != "name" or operator[1] not in ("^", "*"):
                raise self.fail(first[2] or line, f"expected x^2 or x * y between [ and ], found {shorten(first[1])}")
            if operator[1] == "^":
                if second[1] != "2":
                    raise self.fail(line, f"{first[1]} has the power {shorten(second[1])}; only squares are possible")
                second = first
            if second[0] != "name":
                raise self.fail(second[2] or line, f"expected a column after *, found {shorten(second[1])}")
            found.append((self.column(first[1]), self.column(second[1]), self.coefficient(coefficient, line)))
        self.take()
        if (self.peek()[1], self.peek(1)[1]) != ("/", "2"):
            raise self.fail(line, "the quadratic part of an objective must end in `] / 2`")
        self.at += 2
        for i, j, value in found:
            key = (max(i, j), min(i, j))
            self.quadratic[key] = self.quadratic.get(key, 0.0) + factor * value / 2.0

    # ---- sections

    def model(self) -> Model:
        maximise = False
        handlers = {"rows": self.constraints, "bounds": self.bounds}
        for section, tokens in self.sections:
            self.tokens, self.at = tokens, 0
            if section in ("min", "max"):
                maximise = section == "max"
                self.read_objective()
            elif section in handlers:
                handlers[section]()
            else:
                group = {"general": self.integer, "binary": self.binary, "semi": self.semi}[section]
                for token in tokens:
                    group.add(self.known(token, "a list of columns"))
        return self.assembled(maximise)

    def read_objective(self) -> None:
        self.objective = self.label() or "obj"
        terms, self.offset, _ = self.expression(quadratic=True)
        if self.at < len(self.tokens):
            _, text, line = self.peek()
            raise self.fail(line, f"expected + or - or Subject To in the objective, found {shorten(text)}")
        if not abs(self.offset) < INFINITE:
            raise self.fail(self.tokens[-1][2], "the objective's constant is infinite")
        for column, value in terms:
            self.costs[column] = self.costs.get(column, 0.0) + value

    def constraints(self) -> None:
        while self.at < len(self.tokens):
            line = self.peek()[2]
            name = self.label()
            self.row_label = name or f"R{len(self.row_names) + 1}"
            sides: list[tuple[list[tuple[int, float]], float, int]] = []
            relations: list[str] = []
            self.after_relation = False
            while True:
                sides.append(self.expression(quadratic=False))
                if not sides[-1][2]:
                    text = self.peek()[1]
                    raise self.fail(
                        self.peek()[2] or line, f"expected a term or a number in a row, found {shorten(text)}"
                    )
                if self.peek()[0] != "relation":
                    break
                if len(relations) == 2:
                    raise self.fail(self.peek()[2], "a row has three relations; at most `number <= terms <= number`")
                relations.append(RELATIONS[self.take()[1]])
                if self.peek()[0] == "relation" or self.peek()[1] in (":", "*", "^", "/", "]"):
                    raise self.fail(
                        self.peek()[2], f"expected a number after {relations[-1]}, found {self.peek()[1]!r}"
                    )
                self.after_relation = True
            if not relations:
                raise self.fail(line, f"a row has no relation (<=, >=, =): {shorten(self.peek()[1])} follows it")
            self.add_row(name, sides, relations, line)

    def add_row(
        self, name: str | None, sides: list[tuple[list[tuple[int, float]], float, int]], relations: list[str], line: int
    ) -> None:
        lower, upper = -math.inf, math.inf
        if len(sides) == 3:
            if sides[0][0] or sides[2][0] or relations[0] != relations[1] or relations[0] == "=":
                raise self.fail(line, "a row with two relations must be `number <= terms <= number`")
            terms, constant, _ = sides[1]
            ends = (sides[0][1] - constant, sides[2][1] - constant)
            lower, upper = ends if relations[0] == "<" else ends[::-1]
        else:
            relation = relations[0]
            if not sides[0][0]:
                sides, relation = sides[::-1], {"<": ">", ">": "<", "=": "="}[relation]
            (left, left_constant, _), (right, right_constant, _) = sides
            # Everything that has a column goes to the left.
            terms = left + [(column, -value) for column, value in right]
            limit = right_constant - left_constant
            if relation in "<=":
                upper = limit
            if relation in ">=":
                lower = limit
        if math.isnan(lower) or math.isnan(upper) or lower >= INFINITE or upper <= -INFINITE:
            raise self.fail(line, "a row can never hold: a limit is infinite")
        if lower > upper:
            raise self.fail(line, f"a row has the lower limit {lower:g} above its upper limit {upper:g}")
        if name is not None and name in self.rows:
            raise self.fail(line, f"row {shorten(name)} is there twice; names must be unique")
        row = len(self.row_names)
        if name is None:
            self.unnamed.append(row)
        else:
            self.rows[name] = row
        self.row_names.append(name or "")
        self.row_lower.append(lower)
        self.row_upper.append(upper)
        for column, value in terms:
            self.entry_rows.append(row)
            self.entry_columns.append(column)
            self.entry_values.append(value)

    def limit(self) -> float | None:
        """A number with signs, or an infinity; None if there is none, nothing taken."""
        start = self.at
        sign = self.sign()
        kind, text, _ = self.peek()
        if kind == "number":
            return (1.0 if sign is None else sign) * self.value(self.take())
        if kind == "name" and text.lower() in INFINITE_WORDS:
            self.take()
            return (1.0 if sign is None else sign) * math.inf
        self.at = start
        return None

    def bounds(self) -> None:
        while self.at < len(self.tokens):
            line = self.peek()[2]
            left = self.limit()
            if left is not None:
                relation = self.relation(line)
                column = self.known(self.take(), "Bounds")
                self.set_bound(column, {"<": ">", ">": "<"}.get(relation, "="), left, line)
                if self.peek()[0] != "relation":
                    continue
            else:
                column = self.known(self.take(), "Bounds")
                if self.peek()[0] == "name" and self.peek()[1].lower() == "free":
                    self.take()
                    self.lower[column], self.upper[column] = -math.inf, math.inf
                    continue
            relation = self.relation(line)
            right = self.limit()
            if right is None:
                raise self.fail(self.peek()[2] or line, f"expected a number in Bounds, found {shorten(self.peek()[1])}")
            self.set_bound(column, relation, right, line)

    def relation(self, line: int) -> str:
        kind, text, where = self.take()
        if kind != "relation":
            raise self.fail(where or line, f"expected <=, >= or = in Bounds, found {shorten(text)}")
        return RELATIONS[text]

    def set_bound(self, column: int, relation: str, value: float, line: int) -> None:
        """column relation value"""
        if (value == math.inf and relation in ">=") or (value == -math.inf and relation in "<="):
            raise self.fail(line, "a bound can never hold: it is infinite on the wrong side")
        if relation in ">=":
            self.lower[column] = value
        if relation in "<=":
            self.upper[column] = value

    # ---- the whole

    def assembled(self, maximise: bool) -> Model:
        count, height = len(self.columns), len(self.row_names)
        if not count:
            raise FileError(f"{self.source}: there are no columns")
        number = 0
        for row in self.unnamed:
            number = max(number + 1, row + 1)
            while (name := f"R{number}") in self.rows:
                number += 1
            self.row_names[row] = name
        cost, lower, upper = np.zeros(count), np.zeros(count), np.full(count, np.inf)
        cost[list(self.costs)] = list(self.costs.values())
        lower[list(self.lower)] = list(self.lower.values())
        upper[list(self.upper)] = list(self.upper.values())
        integer, semi = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
        integer[list(self.integer | self.binary)] = True
        semi[list(self.semi)] = True
        binary = list(self.binary)
        lower[binary], upper[binary] = np.maximum(lower[binary], 0.0), np.minimum(upper[binary], 1.0)
        matrix = sparse.csr_array((self.entry_values, (self.entry_rows, self.entry_columns)), shape=(height, count))
        quadratic = None
        if self.quadratic:
            pairs = np.array(list(self.quadratic), dtype=np.intp)
            values = np.array(list(self.quadratic.values())) / 2.0
            half = sparse.csr_array((values, (pairs[:, 0], pairs[:, 1])), shape=(count, count))
            quadratic = sparse.csr_array(half + half.T)
        return Model(
            source=self.source,
            names=list(self.columns),
            cost=cost,
            lower=lower,
            upper=upper,
            integer=integer,
            semicontinuous=semi,
            matrix=matrix,
            row_lower=np.array(self.row_lower),
            row_upper=np.array(self.row_upper),
            row_names=self.row_names,
            quadratic=quadratic,
            offset=self.offset,
            maximise=maximise,
            objective_name=self.objective,
        )
