"""A plain checker of hybridmip proofs, after the page on the proof format: exact, with the standard library only."""

# ruff: noqa: B905
import math
from fractions import Fraction

INF, ZERO = math.inf, Fraction(0)


def need(condition: object, reason: str) -> None:
    if not condition:
        raise ValueError(reason)


def numbers(values: list, size: int, null: float | None = None) -> list:
    need(len(values) == size and all(type(v) in (int, float) or (v is None and null) for v in values), "no numbers")
    return [null if v is None else Fraction(float(v)) for v in values]  # raises where not finite


def entries(size: int, places: list, values: list) -> dict[int, Fraction]:
    need(len(places) == len(set(places) & set(range(size))), "places that are not there, or twice")
    return {i: v for i, v in zip(places, numbers(values, len(places))) if v}


def sparse(size: list[int], shape: list[int], starts: list[int], columns: list[int], values: list) -> list[dict]:
    need(shape == size and len(starts) == size[0] + 1 and starts[0] == 0, "shape of a matrix")
    need(sorted(starts) == starts and starts[-1] == len(columns) == len(values), "starts of a matrix")
    return [entries(size[1], columns[i:j], values[i:j]) for i, j in zip(starts, starts[1:])]


def semidefinite(matrix: list[list[Fraction]]) -> bool:  # in integers; the divisions leave no remainder (Bareiss)
    scale, last = math.lcm(*(v.denominator for row in matrix for v in row)), 1
    M = [[int(v * scale) for v in row] for row in matrix]
    while M:
        pivot, *row = M[0]
        if pivot < 0 or (pivot == 0 and any(row)):
            return False
        M = [[(pivot * v - r[0] * w) // last if pivot else v for v, w in zip(r[1:], row)] for r in M[1:]]
        last = pivot or last
    return True


def least(counts: list, status: dict[int, int], g: list[Fraction]) -> Fraction | float:
    """The constant g[-1] plus the least of g'b over what counts and status allow; infinite if no b is left."""
    total = g[-1]
    for members, low, high in counts:
        on, free = [g[i] for i in members if status[i] == 1], sorted(g[i] for i in members if status[i] == 0)
        if len(on) > high or len(on) + len(free) < low:
            return INF
        total += sum(on) + sum(free[: max(low - len(on), min(high - len(on), sum(v < 0 for v in free)))])
    return total


def propagate(counts: list, status: dict[int, int]) -> bool:
    """Set the binaries that a count leaves no choice; false if no b is left."""
    for members, low, high in counts:
        on, free = sum(status[i] == 1 for i in members), [i for i in members if status[i] == 0]
        if on == high or on + len(free) == low:
            status.update(dict.fromkeys(free, -1 if on == high else 1))
    return least(counts, status, [ZERO] * (len(status) + 1)) < INF


def implied(rows: list, switch: list[int], x: list[tuple], m: int) -> list[tuple]:
    """The limits of x that the rows imply. (Where they cross, x is never on, and any limits are right.)"""
    for _ in range(4):
        ranges = [(a, z) if s < 0 else (min(a, 0), max(z, 0)) for s, (a, z) in zip(switch, x)] + [(0, 1)] * m
        old, x = x, list(x)
        for row, low, high in rows:
            for j in (j for j in row if j < len(x)):
                ends = [sorted((a * ranges[i][0], a * ranges[i][1])) for i, a in row.items() if i != j]
                a, z = sorted(((low - sum(e[1] for e in ends)) / row[j], (high - sum(e[0] for e in ends)) / row[j]))
                x[j] = (max(x[j][0], a) if old[j][0] == -INF or switch[j] >= 0 >= a > old[j][0] else x[j][0],
                    min(x[j][1], z) if old[j][1] == INF or switch[j] >= 0 <= z < old[j][1] else x[j][1])  # fmt: skip
    return x


def prove(P: dict, proof: dict) -> str | None:
    """As `check`, but most faults raise. In rows and costs the binaries come after the x, and the constant is last."""
    need([P["format"], proof["format"]] == ["hybridmip-problem", "hybridmip-proof"], "format of a document")
    need(P["Q"]["kind"] == "dense" and "modes" not in proof, "declined: modes, or Q not dense")
    need(all(len(reason) == 4 for reason in proof["reasons"]), "declined: products")
    n, m, rows, b_rows = (len(P[name]) for name in ("q", "p", "row_lower", "b_lower"))
    Q, switch = [numbers(row, n) for row in P["Q"]["matrix"]], P["switch"]
    need(len(Q) == len(switch) == n and proof["sizes"] == [n] and {-1, *range(m)}.issuperset(switch), "number of x")
    Q = [[(Q[i][j] + Q[j][i]) / 2 for j in range(n)] for i in range(n)]
    bound, *costs = numbers([proof["bound"], *P["q"], *P["p"], P["offset"]], n + m + 2)
    limits, b_limits, x_limits = ([*zip(numbers(P[k + "_lower"], size, -INF), numbers(P[k + "_upper"], size, INF))]
                                  for k, size in (("row", rows), ("b", b_rows), ("x", n)))  # fmt: skip
    A, G, B = sparse([rows, n], **P["A"]), sparse([rows, m], **P["G"]), sparse([b_rows, m], **P["B"])
    joint = [(a | {n + i: v for i, v in g.items()}, *ends) for a, g, ends in zip(A, G, limits)]
    x_limits = implied(joint, switch, x_limits, m) if proof["implied_bounds"] else x_limits
    counts, others = [], set(range(m))
    for row, (low, high) in [*zip(B, b_limits), *((g, ends) for a, g, ends in zip(A, G, limits) if not a)]:
        if low > sum(min(v, 0) for v in row.values()) or high < sum(max(v, 0) for v in row.values()):
            need(len({*row.values()}) == 1 and others >= row.keys(), "declined: rows on b that are not counts")
            low, high = sorted(limit / next(iter(row.values())) for limit in (low, high))
            counts.append((list(row), math.ceil(max(low, 0)), math.floor(min(high, len(row)))))
            others -= row.keys()
    counts.append((list(others), 0, len(others)))
    diagonals, reasons = {k: entries(n, *d) for k, d in enumerate(proof["diagonals"])}, {}  # dicts: no number below 0
    need(all(d >= 0 for diagonal in diagonals.values() for d in diagonal.values()), "a diagonal is negative")
    for k, (number, point, lam, mu) in enumerate(proof["reasons"]):
        paid = [(v, row | {n + m: -e[v < 0]}) for v, (row, *e) in zip(numbers(lam, rows), joint) if abs(e[v < 0]) < INF]
        left = [c - sum(v * row.get(i, 0) for v, row in paid) for i, c in enumerate(costs)]
        reasons[k] = number, diagonals[number], entries(n, *point), left, numbers(mu, b_rows)
    known: set[tuple[int, frozenset[int]]] = set()  # diagonals, and where they are below Q

    def value(reason: int, status: dict[int, int]) -> list[Fraction]:  # the costs g of b, and the constant last
        number, d, y, left, _ = reasons[reason]
        g, J = left[n:], [j for j, s in enumerate(switch) if s < 0 or status[s] >= 0]
        if not any(number == k and proved.issuperset(J) for k, proved in known):
            need(semidefinite([[Q[i][j] - (d.get(i, 0) if i == j else 0) for j in J] for i in J]), "Q - D indefinite")
            known.add((number, frozenset(J)))
        for j in J:
            dj, yj, (low, high) = d.get(j, ZERO), y.get(j, ZERO), x_limits[j]
            v = left[j] + 2 * (h := sum((Q[j][k] * y[k] for k in J if k in y), -dj * yj))
            t = min(max(-v / (2 * dj), low), high) if dj else low if v > 0 else high if v < 0 else ZERO
            need(abs(t) < INF, "an x has no minimum")
            g[-1] -= yj * h
            g[switch[j]] += (dj * t + v) * t  # -1, without a switch: the constant
        return g

    stack: list = [dict.fromkeys(range(m), 0)]
    for node in proof["nodes"]:
        need("count" not in node, "declined: a split by a count")
        alive = (status := stack.pop()) is not None and propagate(counts, status)
        for reason, fixes, *limit in node.get("steps", []):
            if not alive:
                break
            need(not limit, "declined: a limit step")
            g = value(reason, status)
            for i, s in fixes:
                need(s in (1, -1) and status[i] in (0, s), "a fix against the status")
                need(status[i] == s or least(counts, {**status, i: -s}, g) >= bound, "a fix without reason")
            status.update(fixes)
            alive = propagate(counts, status)
        if (i := node.get("binary")) is not None:
            stack += [status | {i: s} if alive and status[i] != -s else None for s in (-1, 1)]
        elif alive:
            need(least(counts, status, value(node.get("closed"), status)) >= bound, "a leaf is not closed")
    return "the tree is not complete" if stack else None


def check(problem: dict, proof: dict) -> str | None:
    """None if the proof holds, else why not. Declined: modes, products, limit steps, count splits, case 2, sparse Q."""
    try:
        return prove(problem, proof)
    except Exception as error:  # noqa: BLE001
        return " ".join(str(error).split()) if isinstance(error, ValueError) else f"malformed: {error!r}"
