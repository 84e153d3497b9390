"""From outside the package: a relaxation and a phase of one's own, each one class and one registration.

`docs/extending.md` shows this file's code; a test keeps the two alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hybridmip import Config, Problem, solve
from hybridmip.engines import compiled
from hybridmip.relax.protocol import Relaxation, Relaxed, Setting
from hybridmip.relax.registry import RELAXATIONS
from hybridmip.run.overview import algorithms, settings, structures
from hybridmip.run.phase import Phase, Run
from hybridmip.run.phases import DEFAULT, Relaxations, Start
from hybridmip.run.result import StopReason
from hybridmip.search import vertices_kernel

ROOT = Path(__file__).resolve().parents[1]


# docs: relaxation
class Cheapest(Relaxation):
    """Without the rows: every x where it costs least, every b whose x then pay for it."""

    name = "cheapest"

    def solve(self, setting: Setting, earlier: dict[str, Relaxed], time_limit: float | None) -> Relaxed:
        from hybridmip.model.units import Proof

        problem = setting.problem
        nothing = np.zeros(problem.n)
        rows, binary_rows = np.zeros(problem.rows), np.zeros(problem.B.shape[0])
        # Any diagonal below Q, any point and any multipliers prove a bound.
        bound, proof = setting.formula.claim(Proof(setting.phi, nothing, rows, binary_rows))
        scores = -problem.p
        b = (scores > 0).astype(float)
        return Relaxed(self.name, scores, 0.0, nothing, b, bound, rows, binary_rows, nothing, nothing, proof)


# docs: end


# docs: phase
class Greedy(Phase):
    """Switch on what helps most, one by one, from nothing."""

    name = "greedy"
    share = 0.2

    def supports(self, structure, config):
        return structure.compiled and structure.rows_on_b == "free"

    def run(self, run: Run) -> StopReason | None:
        state, problem = run.state, run.state.problem
        b = np.zeros(problem.m, dtype=bool)
        best = state.evaluate(b, "greedy")
        for _ in range(problem.m):
            off = np.flatnonzero(~b)
            tried = [state.evaluate(b | (np.arange(problem.m) == i), "greedy") for i in off]
            if not tried or min(tried, key=lambda answer: answer.rank).rank >= best.rank:
                break
            best = min(tried, key=lambda answer: answer.rank)
            b[off[tried.index(best)]] = True
        return None


# docs: end


def subset(m: int = 8) -> Problem:
    """Choose columns of a regression, each at a price."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, m))
    y = X[:, :3] @ np.array([3.0, -2.0, 1.5]) + 0.1 * rng.normal(size=40)
    return Problem(
        Q=X.T @ X, q=-2 * X.T @ y, p=np.full(m, 5.0), offset=float(y @ y), x_lower=-10, x_upper=10, switch=np.arange(m)
    )


def test_a_relaxation_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its bound is claimed, and its b is in the pool; it needs no other line."""
    monkeypatch.setitem(RELAXATIONS, "cheapest", lambda config: Cheapest())
    alone = solve(subset(), config=Config(relaxations=("cheapest",), enumerate_up_to=0))
    assert np.isfinite(alone.bounds["cheapest"])
    assert alone.bounds["cheapest"] <= alone.objective
    assert alone.bound >= alone.bounds["cheapest"]
    both = solve(subset(), config=Config(relaxations=("persp", "cheapest"), enumerate_up_to=0))
    assert both.objective == pytest.approx(solve(subset()).objective)


@pytest.mark.parametrize("proves", [True, False])
def test_a_bound_without_a_proof_is_somebodys_word(monkeypatch: pytest.MonkeyPatch, proves: bool) -> None:
    """Its bound rests on the formula where it hands over a proof; what it only says is `trusted`."""

    class Sayer(Cheapest):
        name = "sayer"

        def solve(self, setting: Setting, earlier: dict[str, Relaxed], time_limit: float | None) -> Relaxed:
            found = super().solve(setting, earlier, time_limit)
            return replace(found, name=self.name, proof=found.proof if proves else None)

    monkeypatch.setitem(RELAXATIONS, "sayer", lambda config: Sayer())
    result = solve(subset(), config=Config(relaxations=("sayer",), phases=(Start(), Greedy(), Relaxations())))
    assert result.rests_on == ("proven" if proves else "trusted")


def test_a_phase_of_ones_own() -> None:
    """Alone, and before all others; where it does not serve the problem it does not run."""
    greedy = solve(subset(), config=Config(phases=(Start(), Greedy())))
    assert greedy.has_solution
    assert [phase.name for phase in greedy.phases] == ["start", "greedy"]
    assert greedy.selected == ("b0", "b1", "b2")
    first = solve(subset(), config=Config(phases=(Start(), Greedy(), *DEFAULT[1:]), enumerate_up_to=0))
    assert first.status == "optimal"
    counted = Problem(Q=np.eye(3), q=-np.ones(3), B=[[1, 1, 1]], b_upper=1, x_lower=0, x_upper=1, switch=[0, 1, 2])
    result = solve(counted, config=Config(phases=(Start(), Greedy(), *DEFAULT[1:])))
    assert "greedy" not in [phase.name for phase in result.phases]


def test_only_what_is_used_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """`Config.quick()` on a linear problem does not walk over vertices, and does not load the walk."""
    loaded: list[compiled.Kernel] = []
    load = compiled.load

    def record(kernels: Iterable[compiled.Kernel]) -> None:
        asked = list(kernels)
        loaded.extend(asked)
        load(asked)

    monkeypatch.setattr(compiled, "load", record)
    charges = Problem(
        q=[1.0, 2.0], p=[3.0, 1.0], A=[[1, 1]], row_lower=1, row_upper=1, x_lower=0, x_upper=1, switch=[0, 1]
    )
    solve(charges, config=Config.quick())
    assert not set(vertices_kernel.KERNELS) & set(loaded)
    solve(charges)
    assert set(vertices_kernel.KERNELS) <= set(loaded)


def test_the_page_shows_what_runs() -> None:
    """Both tables of docs/how/pipeline.md are those that `python -m hybridmip.run.overview` prints."""
    text = (ROOT / "docs" / "how" / "pipeline.md").read_text()
    assert structures() in text
    assert algorithms() in text


def test_the_page_shows_every_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/settings.md has the table of all settings, each with a meaning; its file gives what its program does."""
    text = (ROOT / "docs" / "settings.md").read_text()
    assert settings() in text
    assert "|  |" not in settings()
    (file,) = re.findall(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    (tmp_path / "config.toml").write_text(file)
    monkeypatch.chdir(tmp_path)
    exec("".join(re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)), {})


@pytest.mark.parametrize("part", ["relaxation", "phase"])
def test_the_page_shows_this_code(part: str) -> None:
    """docs/extending.md has the code above, word for word."""
    code = Path(__file__).read_text().split(f"# docs: {part}\n")[1].split("# docs: end")[0].strip()
    assert code in (ROOT / "docs" / "extending.md").read_text()
