"""The restricted problem: our batches against DAQP called from Python, support by support.

Both get the same random supports, feasible or not, in alternating blocks, so that noise hits both. Ours is
timed from the lists of assets to the values. DAQP is timed three ways: the bare `daqp.solve` on arrays that
are ready, the same with cutting the assets out of the covariance and the rows, and by its own clock, which
leaves Python out.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import hybridmip as hm
from benchmarks.common import Options, Record, Skip, data_dir, median, number, ratio, say, section, table
from benchmarks.peers import warm_up
from hybridmip.io.orlib import read_port
from hybridmip.restricted.dense import DenseSolver
from hybridmip.restricted.protocol import Moves

#: Largest relative difference of two objectives that counts as equal.
AGREE = 1e-9
MIN_WEIGHT = 0.01
TARGET = 0.003
#: Sizes of supports on the generated market, and how many supports of each.
SIZES = {5: 50_000, 10: 50_000, 20: 20_000, 40: 5_000, 80: 1_000}
MARKET = 457
#: Timed ways, in the order they run within a block.
WAYS = ("ours_1", "ours_2", "daqp_bare", "daqp_cut")
EQUALITY = 5


class Daqp:
    """DAQP on the supports of one portfolio, scaled so that the mean variance and the largest return are 1."""

    def __init__(self, returns: np.ndarray, covariance: np.ndarray, target: float, k: int) -> None:
        import daqp

        self.call = daqp.solve
        self.covariance = covariance
        scale = float(np.abs(returns).max())
        self.H = np.ascontiguousarray(2 * covariance / covariance.diagonal().mean())
        self.A = np.vstack([np.ones_like(returns), returns / scale])
        right = [1.0, target / scale]
        self.f = np.zeros(k)
        self.upper = np.array([1.0] * k + right)
        self.lower = np.array([MIN_WEIGHT] * k + right)
        self.sense = np.array([0] * k + [EQUALITY] * 2, dtype=np.int32)

    def cut(self, support: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The support's part of the quadratic form and of the rows."""
        return self.H[support[:, None], support], self.A[:, support]

    def solve(self, H: np.ndarray, A: np.ndarray) -> Any:
        """One call; tolerances such that the values are good to 1e-9."""
        return self.call(H, self.f, A, self.upper, self.lower, self.sense, primal_tol=1e-9)

    def value(self, support: np.ndarray, answer: Any) -> float:
        """Variance from the weights, in the caller's units; infinite if infeasible, NaN if DAQP gave up."""
        x, _, flag, _ = answer
        if flag == 1:
            x = np.asarray(x)
            return float(x @ self.covariance[support[:, None], support] @ x)
        return math.inf if flag == -1 else math.nan


def run(options: Options) -> None:
    """Measure, and write kernel.json."""
    record = Record(options, "kernel", min_weight=MIN_WEIGHT, agreement=AGREE)
    try:
        import daqp  # noqa: F401

        peer = True
    except ImportError:
        peer = False
        record.note("DAQP is not installed; `pip install daqp` mends that")
    warm_up(options.threads)
    cases = []
    try:
        port = read_port(data_dir() / "orlib" / "port4.txt")
        count = 4_000 if options.quick else 100_000
        cases.append(_case("port4", port.returns, port.covariance, TARGET, 10, count, peer))
    except (Skip, hm.FileError) as reason:
        record.note(f"port4 left out: {reason}")
    returns, covariance = hm.market(assets=MARKET, periods=2 * MARKET, seed=4).sample_estimates()
    mean, cov = returns.to_numpy(), covariance.to_numpy()
    # Within reach of most supports of any size, beyond some.
    target = float(mean.mean() + 0.25 * mean.std())
    for k, count in SIZES.items():
        count = max(200, count // 50) if options.quick else count
        cases.append(_case(f"market of {MARKET}", mean, cov, target, k, count, peer))
    record.write(cases=cases)


def _case(
    name: str, returns: np.ndarray, covariance: np.ndarray, target: float, k: int, count: int, peer: bool
) -> dict[str, Any]:
    n = returns.shape[0]
    say(f"  {name}, supports of {k}: {count:,} supports")
    portfolio = hm.Portfolio(returns, covariance, assets=k, min_weight=MIN_WEIGHT, target_return=target)
    problem = portfolio.problem()
    solvers = {"ours_1": DenseSolver(problem, threads=1), "ours_2": DenseSolver(problem, threads=2)}
    rng = np.random.default_rng(k)
    daqp = Daqp(returns, covariance, target, k) if peer else None
    empty = np.zeros(n, dtype=bool)
    blocks = min(10, max(5, count // 10_000))  # long enough for the second thread to wake
    seconds: dict[str, list[float]] = {way: [] for way in (*WAYS, "daqp_own")}
    verdicts = gave_up = feasible = 0
    worst = 0.0
    for _ in range(blocks):
        part = np.sort(rng.random((count // blocks, n)).argpartition(k - 1, axis=1)[:, :k], axis=1)
        nothing = np.full((part.shape[0], 1), -1, dtype=np.intp)

        def batch(solver: DenseSolver, part: np.ndarray = part, nothing: np.ndarray = nothing) -> Moves:
            return solver.evaluate_moves(empty, nothing, part)

        values: dict[str, np.ndarray] = {}
        for way, solver in solvers.items():
            taken, (objective, infeasibility, _) = _timed(lambda solver=solver: batch(solver))
            seconds[way].append(taken)
            values[way] = np.where(infeasibility == 0, objective, np.inf)
        mine = values["ours_1"]
        if not np.array_equal(mine, values["ours_2"]):
            raise AssertionError("the answer depends on the number of threads")
        feasible += int(np.isfinite(mine).sum())
        if daqp is None:
            continue
        ready = [daqp.cut(support) for support in part]
        taken, _ = _timed(lambda ready=ready: [daqp.solve(H, A) for H, A in ready])
        seconds["daqp_bare"].append(taken)
        taken, answers = _timed(lambda part=part: [daqp.solve(*daqp.cut(support)) for support in part])
        seconds["daqp_cut"].append(taken)
        seconds["daqp_own"].append(sum(a[3]["setup_time"] + a[3]["solve_time"] for a in answers))
        theirs = np.array([daqp.value(s, a) for s, a in zip(part, answers, strict=True)])
        unknown = np.isnan(theirs)
        gave_up += int(unknown.sum())
        verdicts += int((np.isfinite(mine) != np.isfinite(theirs))[~unknown].sum())
        both = np.isfinite(mine) & np.isfinite(theirs)
        worst = max(worst, float((np.abs(mine[both] - theirs[both]) / theirs[both]).max(initial=0.0)))
    for solver in solvers.values():
        solver.close()
    per_block = count / blocks
    micro = {way: 1e6 * median(values) / per_block for way, values in seconds.items()}
    ratios = {}
    for way in ("daqp_bare", "daqp_cut", "daqp_own"):
        for mine_way in ("ours_1", "ours_2"):
            pairs = zip(seconds[way], seconds[mine_way], strict=False)
            ratios[f"{way}/{mine_way}"] = median(theirs / mine for theirs, mine in pairs)
    shown = ", ".join(f"{way} {number(value)} us" for way, value in micro.items())
    say(f"    {shown}; {100 * feasible / count:.0f} % feasible, worst difference {number(worst, 2)}")
    if daqp is not None and (verdicts or worst > AGREE):
        say(f"    DISAGREEMENT: {verdicts} verdicts differ, objectives differ by {worst:.1e}")
    return {
        "name": name, "k": k, "supports": count, "target": target, "feasible": feasible,
        "microseconds": micro, "ratios": ratios,
        "verdicts_differ": verdicts if peer else None, "daqp_gave_up": gave_up if peer else None,
        "largest_difference": worst if peer else None,
        "fallbacks": solvers["ours_1"].fallbacks,
        "block_seconds": {way: [round(value, 6) for value in values] for way, values in seconds.items()},
    }  # fmt: skip


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    answer = work()
    return time.perf_counter() - started, answer


def report(documents: list[dict[str, Any]]) -> str:
    """The section of RESULTS.md."""
    (document,) = documents
    cases = document["cases"]

    def micro(case: dict[str, Any], way: str) -> str:
        return number(case["microseconds"][way])

    def times(case: dict[str, Any], pair: str) -> str:
        return ratio(case["ratios"][pair], 1.0)

    speed = table(
        ["data", "k", "supports", "ours, 1 thread", "ours, 2 threads", "DAQP, call", "DAQP, cut + call",
         "DAQP's clock"],
        [
            [c["name"], c["k"], f"{c['supports']:,}", *(micro(c, w) for w in (*WAYS, "daqp_own"))]
            for c in cases
        ],
    )  # fmt: skip
    compare = table(
        ["data", "k", "call / ours 1", "call / ours 2", "cut + call / ours 1", "cut + call / ours 2",
         "own clock / ours 1"],
        [
            [c["name"], c["k"], *(times(c, pair) for pair in (
                "daqp_bare/ours_1", "daqp_bare/ours_2", "daqp_cut/ours_1", "daqp_cut/ours_2", "daqp_own/ours_1",
            ))]
            for c in cases
        ],
    )  # fmt: skip
    agree = table(
        ["data", "k", "feasible", "verdicts that differ", "largest difference", "DAQP gave up", "ours fell back"],
        [
            [
                c["name"], c["k"], f"{100 * c['feasible'] / c['supports']:.1f} %", c["verdicts_differ"],
                number(c["largest_difference"], 2), c["daqp_gave_up"], c["fallbacks"],
            ]
            for c in cases
        ],
    )  # fmt: skip
    return section(
        "Restricted problems against DAQP",
        documents,
        "One QP per support: least variance at a target return, weights in [0.01, 1]. Microseconds per QP, median "
        "of alternating blocks. Ours goes from lists of assets to values, `cut + call` is DAQP doing the same from "
        "Python, `call` leaves out cutting the covariance, and DAQP's clock leaves out Python.",
        speed,
        "Ratios of the times, block by block (median):",
        compare,
        "Agreement on every support (relative difference of the objectives where both are feasible):",
        agree,
    )
