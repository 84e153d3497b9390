"""solve(): same seed same bits, limits that are kept, interruptions, warm starts, and what it refuses."""

from __future__ import annotations

import dataclasses
import io
import json
import math
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from problems import QUADRATIC, Recipe, make, optimum
from states import portfolio_like

import hybridmip
from hybridmip.errors import ArgumentError, HybridMIPError, UnboundedError
from hybridmip.model.problem import Problem
from hybridmip.run.clock import MOST_RESERVED
from hybridmip.run.config import Config
from hybridmip.run.progress import TextProgress
from hybridmip.run.result import Incumbent, Result, Status, StopReason, relative_gap
from hybridmip.run.settings import DescentSettings, PoolSettings, WalkSettings
from hybridmip.run.solve import solve
from hybridmip.tolerances import OPTIMAL_GAP

#: Evaluates warm starts and little else.
NO_SEARCH = Config(
    relaxations=(), neighborhood="paper", enumerate_up_to=0, pool=PoolSettings(0, 0), walk=WalkSettings(0)
)
#: Never converges by itself.
ENDLESS = Config(enumerate_up_to=0, descent=DescentSettings(patience=10**9))


def fingerprint(result: Result) -> dict[str, Any]:
    """Everything of a result but its times, bit for bit, ready for JSON."""
    return {
        "x": np.asarray(result.x).tobytes().hex(),
        "b": np.asarray(result.b).tobytes().hex(),
        "objective": float(result.objective).hex(),
        "bound": float(result.bound).hex(),
        "status": str(result.status),
        "found_by": result.found_by,
        "evaluations": result.evaluations,
        "bounds": {name: float(bound).hex() for name, bound in result.bounds.items()},
        "trace": [[i.phase, i.found_by, float(i.objective).hex(), i.b.tobytes().hex()] for i in result.trace],
    }


def run_python(code: str, **environment: str) -> Any:
    """Run code in a process of its own that can import what these tests import; what it prints is JSON."""
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# Same seed, same answer

CASES = {
    "portfolio": (portfolio_like(40, 6), Config(enumerate_up_to=0, descent=DescentSettings(patience=12))),
    "the paper's": (
        portfolio_like(20, 4),
        Config.paper(pool={"random": 30}, walk={"limit": 60}, genetic={"generations": 100}),
    ),
    "overlapping rows": (
        make(Recipe(seed=5, binaries=12, quadratic="factor", binary_rows="overlapping", costs=True)),
        Config(enumerate_up_to=0),
    ),
    "linear": (make(Recipe(seed=6, binaries=12, quadratic="zero", binary_rows="range", costs=True)), Config()),
}
every_case = pytest.mark.parametrize("case", CASES)


@every_case
def test_same_seed_same_bits(case: str) -> None:
    """Two solves with one seed agree in every bit of everything but time."""
    problem, config = CASES[case]
    assert fingerprint(solve(problem, config=config, seed=7)) == fingerprint(solve(problem, config=config, seed=7))


@every_case
def test_threads_do_not_change_a_bit(case: str) -> None:
    """One thread, two and three give one answer."""
    problem, config = CASES[case]
    one, two, three = (fingerprint(solve(problem, config=config.replace(threads=k), seed=7)) for k in (1, 2, 3))
    assert one == two == three


def test_other_process_same_bits() -> None:
    """A new process gives the same answers bit for bit, whatever the seed of its hashes is."""
    code = """
import json
from test_solve import CASES, fingerprint, solve
print(json.dumps({name: fingerprint(solve(p, config=c, seed=7)) for name, (p, c) in CASES.items()}))
"""
    expected = {name: fingerprint(solve(p, config=c, seed=7)) for name, (p, c) in CASES.items()}
    assert run_python(code, PYTHONHASHSEED="12345") == expected


def test_seeds_differ() -> None:
    """Another seed takes another way: the search is seeded by nothing else."""
    problem, config = CASES["the paper's"]
    ways = {json.dumps(fingerprint(solve(problem, config=config, seed=seed))["trace"]) for seed in range(4)}
    assert len(ways) > 1


def test_global_random_state_is_left_alone() -> None:
    """NumPy's global generator is neither read nor moved."""
    problem, config = CASES["portfolio"]
    np.random.seed(1)  # noqa: NPY002
    before = np.random.get_state()[1].tobytes()  # noqa: NPY002
    solve(problem, config=config)
    assert np.random.get_state()[1].tobytes() == before  # noqa: NPY002


# Facts of the mathematics, through the whole pipeline


@pytest.mark.parametrize("quadratic", QUADRATIC)
def test_permuting_permutes(quadratic: str) -> None:
    """Reordering variables reorders the answer and leaves its value."""
    problem = make(Recipe(seed=21, binaries=7, quadratic=quadratic, binary_rows="range", costs=True))
    order = np.random.default_rng(0).permutation(7)
    permuted = Problem(
        Q=problem.Q.toarray()[np.ix_(order, order)], q=problem.q[order], p=problem.p[order], offset=problem.offset,
        A=problem.A[:, order], row_lower=problem.row_lower, row_upper=problem.row_upper,
        B=problem.B[:, order], b_lower=problem.b_lower, b_upper=problem.b_upper,
        x_lower=problem.x_lower[order], x_upper=problem.x_upper[order], switch=np.arange(7),
    )  # fmt: skip
    one, other = solve(problem), solve(permuted)
    assert other.objective == pytest.approx(one.objective, rel=1e-7)
    np.testing.assert_array_equal(other.b, one.b[order])
    if quadratic in ("diagonal", "dense", "factor"):
        np.testing.assert_allclose(other.x, one.x[order], atol=1e-6)


@pytest.mark.parametrize("size", [1e-7, 1e5])
def test_scaling_the_objective_scales_its_value(size: float) -> None:
    """A multiple of the objective has the same b and x, and that multiple of value and bound."""
    problem = portfolio_like(12, 4)
    scaled = Problem(
        Q=size * problem.Q.toarray(), q=size * problem.q, A=problem.A, row_lower=problem.row_lower,
        row_upper=problem.row_upper, B=problem.B, b_lower=4, b_upper=4, x_lower=problem.x_lower,
        x_upper=problem.x_upper, switch=problem.switch,
    )  # fmt: skip
    one, other = solve(problem), solve(scaled)
    assert one.status == other.status == Status.OPTIMAL
    np.testing.assert_array_equal(one.b, other.b)
    np.testing.assert_allclose(one.x, other.x, atol=1e-7)
    assert other.objective == pytest.approx(size * one.objective, rel=1e-7)


def test_offset_moves_value_and_bound() -> None:
    """A constant in the objective is added to value and bound alike."""
    recipe = Recipe(seed=33, binaries=6, quadratic="dense", binary_rows="count")
    problem = make(recipe)
    arguments = {name: getattr(problem, name) for name in ("Q", "q", "p", "A", "G", "row_lower", "row_upper", "B",
                 "b_lower", "b_upper", "x_lower", "x_upper", "switch")}  # fmt: skip
    moved = solve(Problem(**arguments, offset=problem.offset + 5))
    result = solve(problem)
    assert moved.objective == pytest.approx(result.objective + 5, rel=1e-9)
    assert moved.bound == pytest.approx(result.bound + 5, rel=1e-6)


def test_point_that_rows_leave_no_choice_about() -> None:
    """A linear problem with exactly one feasible point, which violates nothing, is not infeasible."""
    A = np.array([[2.04, -2.56], [0.42, -0.57]])
    point = np.array([1.0, -0.72])
    problem = Problem(
        q=[1.0, 1.0], A=A, row_lower=A @ point, row_upper=A @ point, x_lower=[1, -1], x_upper=[1, 2], switch=[0, -1]
    )
    assert problem.violation(point, [True]) == 0.0
    assert solve(problem).status == Status.OPTIMAL


# Limits


@pytest.mark.parametrize(
    "limit",
    [0.15, 0.6],
)
def test_time_limit_is_kept(limit: float) -> None:
    """A dense problem of 300 x is left at most max(10 %, 50 ms) after the limit, with an answer.

    The assertion allows 0.25 s: on a shared machine the process may not run for that long through no
    fault of its own; and what is reserved for the ending, which may turn out to need less of it. It is
    measured in a process that has loaded the kernel and then solves nothing else.
    """
    code = f"""
import json, time
from states import portfolio_like
from test_solve import ENDLESS, solve
solve(portfolio_like(20, 4), config=ENDLESS, time_limit=0.05)
problem = portfolio_like(300, 10)
began = time.perf_counter()
result = solve(problem, config=ENDLESS, time_limit={limit})
print(json.dumps([result.seconds, time.perf_counter() - began, str(result.stop_reason), result.has_solution]))
"""
    seconds, wall, reason, answered = run_python(code)
    assert reason == StopReason.TIME_LIMIT
    assert answered
    assert (1.0 - MOST_RESERVED) * limit <= seconds <= limit + 0.25
    assert wall <= limit + 0.75, "the kernel's loading, which comes before the clock, is short once it is compiled"


def test_time_limit_is_kept_with_large_supports() -> None:
    """The same with 125 of 300 held, where one restricted problem takes a millisecond."""
    problem = portfolio_like(300, 125)
    result = solve(problem, config=ENDLESS, time_limit=0.6)
    assert result.seconds <= 0.6 + 0.25


def test_time_limit_with_many_rows() -> None:
    """So it is where only the general solver applies: an answer, and in time."""
    easy = portfolio_like(40, 8)
    rows = np.vstack([easy.A.toarray(), np.random.default_rng(0).normal(size=(60, 40))])
    problem = Problem(
        Q=easy.Q, q=easy.q, A=rows, row_lower=np.append(easy.row_lower, np.full(60, -50.0)),
        row_upper=np.append(easy.row_upper, np.full(60, 50.0)), B=easy.B, b_lower=8, b_upper=8,
        x_lower=easy.x_lower, x_upper=1.0, switch=easy.switch,
    )  # fmt: skip
    result = solve(problem, config=ENDLESS, time_limit=0.3)
    assert result.stop_reason == StopReason.TIME_LIMIT
    assert result.has_solution
    assert result.seconds <= 0.3 + 0.25


def test_loading_the_kernel_is_not_on_the_clock() -> None:
    """In a new process, where the kernel must be loaded first, a short limit still gives time to search."""
    code = """
import json
from states import portfolio_like
from test_solve import solve
result = solve(portfolio_like(60, 6), time_limit=0.2)
print(json.dumps([result.seconds, result.has_solution]))
"""
    seconds, answered = run_python(code)
    assert answered
    assert seconds <= 0.2 + 0.25


@pytest.mark.parametrize(
    "limit",
    [
        1,
        pytest.param(10),
        pytest.param(500),
    ],
)
def test_evaluation_limit(limit: int) -> None:
    """At most so many restricted problems are solved, and the best of them is the answer."""
    result = solve(portfolio_like(30, 5), config=Config(evaluation_limit=limit, enumerate_up_to=0))
    assert result.stop_reason == StopReason.EVALUATION_LIMIT
    assert result.evaluations <= limit


def test_evaluation_limit_of_the_papers_search() -> None:
    """Config.paper() evaluates one by one, so it stops exactly there."""
    config = Config.paper(evaluation_limit=40)
    result = solve(portfolio_like(30, 5), config=config)
    assert result.stop_reason == StopReason.EVALUATION_LIMIT
    assert result.evaluations == 40
    assert result.has_solution


def test_evaluation_limit_with_enumeration() -> None:
    """A limit below the number of choices gives an answer from those that were tried."""
    result = solve(portfolio_like(12, 6), config=Config(evaluation_limit=50))
    assert result.stop_reason == StopReason.EVALUATION_LIMIT
    assert result.has_solution


def test_gap_stop() -> None:
    """A wide gap ends the solve early: feasible, the gap as asked, and less work than without."""
    problem = make(Recipe(seed=2, binaries=14, quadratic="dense", binary_rows="count", bounds="from zero"))
    full = solve(problem, config=Config(enumerate_up_to=0))
    wide = solve(problem, config=Config(enumerate_up_to=0), gap=1e6)
    assert wide.stop_reason == StopReason.GAP_REACHED
    assert wide.status == Status.FEASIBLE
    assert OPTIMAL_GAP < wide.gap <= 1e6
    assert wide.evaluations < full.evaluations


def test_gap_closed_is_optimal() -> None:
    """Where bound and value meet, the status is optimal and the reason is the gap."""
    problem = Problem(p=[3.0, -1.0, 2.0, -4.0], B=np.ones((1, 4)), b_lower=3, b_upper=3)
    result = solve(problem, config=Config(enumerate_up_to=0))
    assert result.stop_reason == StopReason.GAP_REACHED
    assert result.status == Status.OPTIMAL
    assert result.objective == -3.0
    assert result.gap <= OPTIMAL_GAP


def test_enumeration_is_exhaustive() -> None:
    """Few choices: all tried, the bound is the value but for rounding, whatever the relaxations gave."""
    result = solve(portfolio_like(9, 3))
    assert result.stop_reason == StopReason.EXHAUSTED
    assert result.status == Status.OPTIMAL
    assert result.bound <= result.objective
    assert result.gap <= 1e-11
    assert result.rests_on == "tried"
    assert result.objective == pytest.approx(optimum(portfolio_like(9, 3))[0], rel=1e-7)


# Interruptions


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Python's own handler of Ctrl-C, whatever runs the tests."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(sys.platform == "win32", reason="os.kill ends the process on Windows, whatever the signal")
@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("config", [ENDLESS, Config.paper(walk={"limit": 10**9})], ids=["default", "paper"])
def test_ctrl_c_returns_the_best_so_far(config: Config) -> None:
    """A signal in the middle of the search ends it with an answer, soon."""
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    result = solve(portfolio_like(120, 10), config=config, time_limit=30)
    timer.join()
    assert result.stop_reason == StopReason.INTERRUPTED
    assert result.status == Status.FEASIBLE
    assert result.violation <= 1e-8
    assert result.seconds < 3.0
    assert result.objective == pytest.approx(result.trace[-1].objective)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_in_a_callback() -> None:
    """A signal that arrives while the callback runs returns the incumbent it was called with."""
    seen: list[Incumbent] = []

    def interrupt(incumbent: Incumbent) -> None:
        seen.append(incumbent)
        signal.raise_signal(signal.SIGINT)

    result = solve(portfolio_like(40, 6), config=ENDLESS, callback=interrupt)
    assert result.stop_reason == StopReason.INTERRUPTED
    assert len(seen) == 1
    np.testing.assert_array_equal(result.b, seen[0].b)


def test_callback_true_stops() -> None:
    """Returning True at the second incumbent ends the solve there."""
    seen: list[Incumbent] = []

    def second(incumbent: Incumbent) -> bool:
        seen.append(incumbent)
        return len(seen) == 2

    result = solve(portfolio_like(40, 6), config=ENDLESS, callback=second)
    assert result.stop_reason == StopReason.CALLBACK
    assert len(result.trace) == 2
    np.testing.assert_array_equal(result.b, seen[1].b)
    assert result.status == Status.FEASIBLE


def test_callback_sees_every_incumbent() -> None:
    """Called once for each entry of the trace, whose values fall and whose times and bounds rise."""
    seen: list[Incumbent] = []
    result = solve(portfolio_like(40, 6), config=Config(enumerate_up_to=0), callback=seen.append)
    assert tuple(seen) == result.trace
    assert len(seen) >= 2
    values, times = [i.objective for i in seen], [i.seconds for i in seen]
    assert values == sorted(values, reverse=True)
    assert times == sorted(times)
    assert result.objective == pytest.approx(values[-1], rel=1e-12)
    assert result.found_by == seen[-1].found_by


def test_callback_true_of_numpy_stops() -> None:
    """A callback that returns NumPy's True, as comparisons of its numbers do, ends the solve as well."""
    result = solve(
        portfolio_like(40, 6),
        config=ENDLESS.replace(descent={"patience": 8}),
        callback=lambda i: np.float64(i.objective) < 1e9,
    )
    assert result.stop_reason == StopReason.CALLBACK


def test_error_in_a_callback_is_passed_on() -> None:
    """What a callback raises reaches the caller."""

    def fail(incumbent: Incumbent) -> None:
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        solve(portfolio_like(20, 4), callback=fail)


# Warm starts


@pytest.fixture(scope="module")
def known() -> tuple[Problem, Result]:
    """A problem with a good answer."""
    problem = portfolio_like(60, 6)
    return problem, solve(problem, config=Config(enumerate_up_to=0))


@pytest.mark.parametrize("form", ["b", "list of b", "x", "several", "both kinds"])
def test_warm_start_is_used(known: tuple[Problem, Result], form: str) -> None:
    """Without a search the answer is the warm start's, given as b or x, alone or among others."""
    problem, best = known
    poor = np.arange(60) < 6
    given = {
        "b": best.b,
        "list of b": [int(v) for v in best.b],
        "x": best.x,
        "several": [poor, best.b],
        "both kinds": [poor.astype(float), best.x],
    }[form]
    result = solve(problem, config=NO_SEARCH, warm_start=given)
    assert result.found_by == "warm start"
    np.testing.assert_array_equal(result.b, best.b)
    assert result.objective == best.objective


@pytest.mark.parametrize(
    "limit",
    [
        pytest.param(1e-6),
        0.05,
    ],
)
def test_warm_start_survives_a_tiny_time_limit(known: tuple[Problem, Result], limit: float) -> None:
    """However short the time, what was given is not thrown away."""
    problem, best = known
    result = solve(problem, warm_start=best.b, time_limit=limit)
    assert result.stop_reason == StopReason.TIME_LIMIT
    assert result.found_by == "warm start"
    assert result.objective == best.objective


def test_warm_start_is_improved_on(known: tuple[Problem, Result]) -> None:
    """A poor start does no harm: with the search on, the answer is as good as without."""
    problem, best = known
    result = solve(problem, config=Config(enumerate_up_to=0), warm_start=np.arange(60) < 6)
    assert result.trace[0].found_by == "warm start"
    assert result.objective <= best.objective * (1 + 1e-6)


def test_warm_start_outside_of_the_set_is_repaired(known: tuple[Problem, Result]) -> None:
    """A b with one too many is taken as the nearest that satisfies the rows on b."""
    problem, best = known
    given = best.b.copy()
    given[np.flatnonzero(~given)[0]] = True
    result = solve(problem, config=NO_SEARCH, warm_start=given)
    assert result.b.sum() == 6
    assert (result.b & given).sum() == 6
    assert result.found_by == "warm start"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (np.zeros(5), ("warm_start", "(5,)", "(60,)")),
        (np.full(60, np.nan), ("warm_start", "finite")),
        (np.zeros((2, 2, 2)), ("warm_start", "shape")),
        ("what", ("warm_start", "not numeric")),
        (3.0, ("warm_start",)),
        ([np.zeros(60), np.zeros(7)], ("warm_start", "(7,)")),
    ],
    ids=["size", "nan", "dimensions", "text", "number", "second of two"],
)
def test_bad_warm_starts(known: tuple[Problem, Result], given: Any, words: tuple[str, ...]) -> None:
    """What cannot be a start is refused by a message that says what it must be."""
    with pytest.raises(ArgumentError) as caught:
        solve(known[0], warm_start=given)
    for word in words:
        assert word in str(caught.value)


def test_fractional_b_is_refused() -> None:
    """Where b and x have different sizes, a b between 0 and 1 is no start."""
    problem = Problem(q=[1.0, 1.0], p=[1.0], x_lower=0, x_upper=1, switch=[0, 0])
    with pytest.raises(ArgumentError, match="neither 0 nor 1"):
        solve(problem, warm_start=[0.5])


def test_no_warm_starts_in_a_list() -> None:
    """An empty sequence of starts is the same as none."""
    assert solve(portfolio_like(9, 3), warm_start=[]).status == Status.OPTIMAL


# What comes back


def test_result_against_the_callers_data() -> None:
    """x and b satisfy the data exactly where they can, and value, gap and counts agree with each other."""
    problem = portfolio_like(30, 5)
    result = solve(problem, config=Config(enumerate_up_to=0), seed=4)
    assert result.problem is problem
    assert result.violation <= 1e-9
    assert result.objective == problem.objective(result.x, result.b)
    assert result.bound <= result.objective
    assert result.gap == relative_gap(result.objective, result.bound, result.size)
    assert result.bound >= max(result.bounds.values()) - 1e-12
    assert set(result.bounds) >= {"line", "dual", "augm"}
    assert result.seed == 4
    assert result.version == hybridmip.__version__
    assert sum(phase.evaluations for phase in result.phases) == result.evaluations
    assert sum(phase.improvements for phase in result.phases) == len(result.trace)
    assert sum(phase.seconds for phase in result.phases) <= result.seconds
    assert result.clashing_rows == ()


def test_result_is_read_only() -> None:
    """Neither the fields nor the arrays of a result can be written."""
    result = solve(portfolio_like(9, 3))
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.objective = 0.0  # type: ignore[misc]
    for array in (result.x, result.b):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_to_dict() -> None:
    """The document has the keys of the command line's JSON, names for what is chosen, and survives JSON."""
    problem = Problem(
        Q=[1.0, 1.0, 4.0], A=np.ones((1, 3)), row_lower=1, row_upper=1, B=np.ones((1, 3)), b_lower=2, b_upper=2,
        x_lower=0.1, x_upper=1.0, switch=[0, 1, 2], x_names=["u", "v", "w"], b_names=["U", "V", "W"],
    )  # fmt: skip
    document = solve(problem, seed=3).to_dict()
    assert list(document) == [
        "status", "stop_reason", "objective", "bound", "gap", "selected", "x", "found_by", "evaluations", "seconds",
        "seed", "version", "rests_on",
    ]  # fmt: skip
    assert document["rests_on"] == "proven"
    assert document["status"] == "optimal"
    assert document["selected"] == ["U", "V"]
    assert document["x"] == pytest.approx({"u": 0.5, "v": 0.5})
    assert document["objective"] == pytest.approx(0.5)
    assert document["seed"] == 3
    assert json.loads(json.dumps(document)) == document
    assert "weights" in solve(problem).to_dict(values="weights")


def test_to_dict_without_a_solution() -> None:
    """Infinite numbers become None, and the rows that clash are there."""
    problem = Problem(A=[[1.0]], row_lower=5, x_lower=0, x_upper=1, switch=[0], row_names=["demand"])
    document = solve(problem).to_dict()
    assert document["objective"] is document["bound"] is document["gap"] is None
    assert document["selected"] == []
    assert document["x"] == {}
    assert document["clashing_rows"] == ["demand"]
    json.dumps(document)


class Recorder:
    """A progress display that remembers what it was told."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.incumbents: list[Incumbent] = []
        self.bounds: list[float] = []
        self.result: Result | None = None

    def start(self, problem: Problem, config: Config, time_limit: float | None, gap: float) -> None:
        self.calls.append("start")

    def incumbent(self, incumbent: Incumbent) -> None:
        self.calls.append("incumbent")
        self.incumbents.append(incumbent)

    def bound(self, seconds: float, phase: str, objective: float, bound: float) -> None:
        self.calls.append("bound")
        self.bounds.append(bound)

    def finish(self, result: Result) -> None:
        self.calls.append("finish")
        self.result = result


def test_progress_is_told_everything() -> None:
    """Start first, finish last with the result itself, every incumbent, and bounds that rise."""
    recorder = Recorder()
    result = solve(portfolio_like(20, 4), config=Config(enumerate_up_to=0), progress=recorder)
    assert recorder.calls[0] == "start"
    assert recorder.calls[-1] == "finish"
    assert recorder.result is result
    assert tuple(recorder.incumbents) == result.trace
    assert recorder.bounds == sorted(set(recorder.bounds))
    assert recorder.bounds[-1] == max(result.bounds.values())


def test_progress_of_an_infeasible_problem() -> None:
    """The display is finished also where nothing is searched."""
    recorder = Recorder()
    solve(Problem(B=np.ones((1, 2)), b_lower=3), progress=recorder)
    assert recorder.calls[0] == "start"
    assert recorder.calls[-1] == "finish"


def test_library_is_silent(capfd: pytest.CaptureFixture[str]) -> None:
    """Nothing is printed unless asked for; then it goes to standard error."""
    problem = make(Recipe(seed=1, binaries=8, quadratic="dense", binary_rows="weighted"))
    solve(problem, config=Config(enumerate_up_to=0))
    assert capfd.readouterr() == ("", "")
    solve(problem, progress=True)
    out, err = capfd.readouterr()
    assert out == ""
    assert TextProgress.HEADER in err
    stream = io.StringIO()
    solve(problem, progress=TextProgress(stream))
    assert "optimal" in stream.getvalue().splitlines()[-1]


# Corners


EVERY_CONFIG = (Config(), Config(enumerate_up_to=0), Config.paper(pool={"random": 10}, walk={"limit": 30}))
every_config = pytest.mark.parametrize("config", EVERY_CONFIG, ids=["default", "search", "paper"])


@every_config
def test_no_binaries_at_all(config: Config) -> None:
    """A plain QP is solved, and proven optimal by its own relaxation."""
    problem = Problem(Q=[1.0, 3.0], A=[[1.0, 1.0]], row_lower=1, row_upper=1)
    result = solve(problem, config=config)
    assert result.status == Status.OPTIMAL
    assert result.b.shape == (0,)
    np.testing.assert_allclose(result.x, [0.75, 0.25], atol=1e-8)
    assert result.objective == pytest.approx(0.75)


@every_config
def test_no_x_at_all(config: Config) -> None:
    """A problem in binaries alone, its rows given as B or as G."""
    rows = {"B": np.ones((1, 3)), "b_lower": 1, "b_upper": 1}
    for arguments in (rows, {"G": rows["B"], "row_lower": 1, "row_upper": 1}):
        result = solve(Problem(p=[-1.0, 2.0, -3.0], **arguments), config=config)
        assert result.status == Status.OPTIMAL
        assert result.objective == -3.0
        assert result.x.shape == (0,)
        np.testing.assert_array_equal(result.b, [False, False, True])


@every_config
def test_nothing_at_all(config: Config) -> None:
    """The empty problem has its offset as its optimum."""
    result = solve(Problem(offset=2.5), config=config)
    assert result.status == Status.OPTIMAL
    assert result.objective == 2.5
    assert result.bound == pytest.approx(2.5)
    assert result.x.shape == result.b.shape == (0,)


@every_config
def test_one_b(config: Config) -> None:
    """Where the rows leave a single b there is nothing to search."""
    problem = Problem(Q=[1.0, 1.0], B=np.eye(2), b_lower=[1, 0], b_upper=[1, 0], x_lower=0.5, x_upper=1, switch=[0, 1])
    result = solve(problem, config=config)
    np.testing.assert_array_equal(result.b, [True, False])
    assert result.objective == pytest.approx(0.25)


@every_config
@pytest.mark.parametrize(
    "problem",
    [
        Problem(q=[-1.0], x_lower=0.0, switch=[0]),
        Problem(Q=[1.0, 0.0], q=[0.0, -1.0], x_lower=0.0, switch=[0, 1]),
        Problem(q=[1.0]),
        Problem(Q=[[1.0, -1.0], [-1.0, 1.0]], q=[-1.0, -1.0], p=[1.0], x_lower=0.0, switch=[0, 0]),
    ],
    ids=["linear", "one flat direction", "no bound", "along the diagonal"],
)
def test_unbounded(problem: Problem, config: Config) -> None:
    """An objective without a lower limit is an error of its own, which names what to limit."""
    with pytest.raises(UnboundedError, match=r"unbounded below.*(x0|x1)"):
        solve(problem, config=config)


def test_no_bound_but_bounded() -> None:
    """x without bounds is no error where the objective has a minimum."""
    result = solve(Problem(Q=[[2.0, 1.0], [1.0, 2.0]], q=[-1.0, 1.0], p=[0.1], switch=[0, -1]))
    assert result.status == Status.OPTIMAL
    assert result.objective == pytest.approx(optimum(result.problem)[0], abs=1e-8)


# Infeasible


@every_config
@pytest.mark.parametrize(
    ("arguments", "rows"),
    [
        (
            {
                "A": [[1, 1, 1], [0.1, 0.2, 0.3], [1, -1, 0]],
                "row_lower": [1, 0.4, -9],
                "row_upper": [1, np.inf, 9],
                "row_names": ["budget", "return", "spread"],
            },
            {"budget", "return"},
        ),
        ({"B": [[1, 1, 0], [0, 0, 1]], "b_lower": [3, 0], "b_row_names": ["count", "last"]}, {"count"}),
        ({"B": [[1, 1, 0], [0, 1, 1], [1, 0, 1]], "b_lower": 1, "b_upper": 1, "b_row_names": list("uvw")}, set("uvw")),
        ({"G": [[1, 1, 1]], "row_lower": 4, "row_names": ["open"]}, {"open"}),
        (
            {"A": np.ones((1, 3)), "row_lower": 1, "B": np.ones((1, 3)), "b_upper": 0, "b_row_names": ["none"]},
            {"row0", "none"},
        ),
    ],
    ids=["rows", "count", "odd cycle", "row on b", "row and count"],
)
def test_infeasible(arguments: dict[str, Any], rows: set[str], config: Config) -> None:
    """Infeasible is said, proven, and the rows that clash are named."""
    problem = Problem(Q=np.eye(3), x_lower=0.0, x_upper=1.0, switch=[0, 1, 2], **arguments)
    result = solve(problem, config=config)
    assert result.status == Status.INFEASIBLE
    assert result.stop_reason == StopReason.PROVEN_INFEASIBLE
    assert set(result.clashing_rows) == rows
    assert result.x is None
    assert result.b is None
    assert result.objective == result.bound == result.gap == math.inf
    assert result.found_by == ""
    assert result.selected == ()
    assert result.violation == math.inf


@every_config
def test_infeasible_for_binaries_only(config: Config) -> None:
    """What no relaxation sees, three of weight 0.4 to 0.45 that must add up to 1, is proven too."""
    problem = Problem(
        Q=np.eye(3), A=np.ones((1, 3)), row_lower=1, row_upper=1, x_lower=0.4, x_upper=0.45, switch=[0, 1, 2]
    )
    result = solve(problem, config=config)
    assert result.status == Status.INFEASIBLE
    assert result.stop_reason == StopReason.PROVEN_INFEASIBLE


def test_infeasible_row_with_a_longer_name() -> None:
    """The one row that cannot hold is named, not those whose name is the beginning of its name."""
    problem = Problem(B=np.kron(np.eye(12), np.ones((1, 2))), b_lower=np.where(np.arange(12) == 10, 3, 0))
    assert solve(problem).clashing_rows == ("brow10",)


# What is refused


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"time_limit": -1}, ("time_limit is -1", "positive")),
        ({"time_limit": 0}, ("time_limit is 0", "positive")),
        ({"time_limit": math.nan}, ("time_limit is nan",)),
        ({"time_limit": "5"}, ("time_limit is '5'", "number")),
        ({"gap": -0.1}, ("gap is -0.1", "zero or positive")),
        ({"gap": math.nan}, ("gap is nan",)),
        ({"gap": "small"}, ("gap is 'small'", "number")),
        ({"seed": -1}, ("seed is -1", "whole number")),
        ({"seed": 1.5}, ("seed is 1.5", "whole number")),
        ({"seed": None}, ("seed is None", "whole number")),
        ({"seed": True}, ("seed is True", "whole number")),
        ({"config": "paper"}, ("config is a str", "Config")),
        ({"callback": 3}, ("callback",)),
        ({"progress": 3}, ("progress",)),
    ],
    ids=str,
)
def test_arguments(arguments: dict[str, Any], words: tuple[str, ...]) -> None:
    """An argument out of its range or of the wrong type is refused in one line before anything is solved."""
    with pytest.raises(ArgumentError) as caught:
        solve(portfolio_like(9, 3), **arguments)
    message = str(caught.value)
    assert "\n" not in message
    assert isinstance(caught.value, HybridMIPError)
    for word in words:
        assert word in message


def test_problem_must_be_a_problem() -> None:
    """A Portfolio handed over as it is gets solved; anything else is refused."""
    portfolio = hybridmip.Portfolio([0.1, 0.2], [1.0, 1.0])
    assert solve(portfolio).objective == solve(portfolio.problem()).objective
    with pytest.raises(ArgumentError, match=r"problem is a int; it must be a Problem, or have a method problem\(\)"):
        solve(3)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"relaxations": ("line", "magic")}, ("relaxations", "'magic'", "line, dual, augm")),
        ({"neighborhood": "far"}, ("neighborhood", "'far'")),
        ({"threads": 0}, ("threads is 0", "at least 1")),
        ({"enumerate_up_to": -1}, ("enumerate_up_to is -1", "0 (never) or more")),
        ({"evaluation_limit": 0}, ("evaluation_limit is 0", "at least 1")),
    ],
    ids=str,
)
def test_config_refuses(changes: dict[str, Any], words: tuple[str, ...]) -> None:
    """A knob out of its range is named, in Config() and Config.paper() alike."""
    for build in (Config, Config.paper):
        with pytest.raises(ArgumentError) as caught:
            build(**changes)
        for word in words:
            assert word in str(caught.value)
