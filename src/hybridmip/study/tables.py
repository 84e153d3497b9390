"""The tables of the study, made from its answers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from hybridmip.model.quadratic import Vector
from hybridmip.run.result import relative_gap
from hybridmip.study.percentage import percentage_errors
from hybridmip.study.plan import PARTS
from hybridmip.study.run import PROVEN_GAP, Answers
from hybridmip.study.sets import LAMBDAS, lambdas
from hybridmip.study.solvers import NAMES
from hybridmip.study.work import RELAXATIONS
from hybridmip.sweep.store import Record

METHODS = (*RELAXATIONS, "paper", "ours")
LABELS = {"line": "Line", "dual": "Dual", "augm": "Augm", "paper": "Paper", "ours": "Ours", **NAMES}
STATISTICS = ("mean", "median", "min", "max")
#: Values closer than this, relatively, are one value; of several b with it, ours is the reference.
SAME = 1e-9
#: Resamples of a confidence interval, and its level.
RESAMPLES = 4000
LEVEL = 0.95


@dataclass(frozen=True)
class Best:
    """The reference of a target: the best value there is, its b, and who proved it."""

    objective: float
    b: frozenset[int]
    bound: float
    proven_by: tuple[str, ...]


def single_records(answers: Answers, market: str, point: int) -> Iterator[tuple[str, int, Record]]:
    """(method, seed, record) of everything at a target that counts as an answer to it."""
    options = answers.options
    relaxed = answers.get(market, "relaxations", 0, point)
    for name in RELAXATIONS if relaxed is not None else ():
        assert relaxed is not None
        yield name, 0, relaxed[name]
    for method, seeds in (
        ("paper", options.seeds), ("ours", options.seeds), ("fitted", options.seeds[:1]),
        *((name, (0,)) for name in options.reference),
    ):  # fmt: skip
        for seed in seeds:
            record = answers.get(market, method, seed, point)
            if record is not None:
                yield method, seed, record


def best_known(answers: Answers, market: str, point: int) -> Best:
    """The best value of all methods and seeds at a target, with the highest bound."""
    records = [r for r in single_records(answers, market, point) if r[2]["objective"] is not None]
    value = min(record["objective"] for _, _, record in records)
    ties = [(m, s, r) for m, s, r in records if r["objective"] <= value * (1 + SAME)]
    chosen = next((r for m, _, r in ties if m == "ours"), ties[0][2])
    bounds: dict[str, float] = {}
    for method, _, record in single_records(answers, market, point):
        if record["bound"] is not None:
            who = LABELS[method] if method in NAMES else "ours"
            bounds[who] = max(bounds.get(who, -math.inf), record["bound"])
    proven = tuple(who for who, bound in sorted(bounds.items()) if relative_gap(value, bound) <= PROVEN_GAP)
    return Best(value, frozenset(chosen["b"]), min(max(bounds.values()), value), proven)


def all_best(answers: Answers) -> dict[tuple[str, int], Best]:
    """The reference of every feasible target."""
    return {
        (name, k): best_known(answers, name, k) for name in answers.markets for k in answers.targets(name)["feasible"]
    }


def points_table(answers: Answers, best: dict[tuple[str, int], Best]) -> pd.DataFrame:
    """One row for every set, feasible target, method and seed."""
    rows = []
    for (name, k), reference in best.items():
        market = answers.markets[name]
        for method, seed, record in single_records(answers, name, k):
            if record["status"] in ("refused", "failed"):
                continue
            value = record["objective"]
            risk, level = market.risk_and_return(record["x"]) if value is not None else (math.nan, math.nan)
            different = float(len(frozenset(record["b"]) ^ reference.b)) if record["b"] else math.nan
            bound = record["bound"]
            gap = math.nan if value is None else 100 * (value - reference.objective) / reference.objective
            rows.append({
                "set": name, "target": k, "target_return": market.targets[k], "method": method, "seed": seed,
                "status": record["status"], "objective": math.nan if value is None else value,
                "best_known": reference.objective, "proven_by": " and ".join(reference.proven_by),
                "objective_gap_percent": 0.0 if abs(gap) < 100 * SAME else gap,
                "binary_sum": different, "binary_half": different / 2,
                "risk": risk, "return": level,
                "bound": math.nan if bound is None else bound,
                "certified_gap_percent": (
                    math.nan if value is None or bound is None else 100 * relative_gap(value, bound)
                ),
                "seconds": record.get("seconds", math.nan), "evaluations": record.get("evaluations", 0),
                "found_by": record.get("found_by", ""),
            })  # fmt: skip
    frame = pd.DataFrame(rows)
    for column in ("error_in_risk_percent", "error_in_return_percent", "percentage_error"):
        frame[column] = math.nan
    for name, market in answers.markets.items():
        at = frame["set"] == name
        errors = percentage_errors(
            frame.loc[at, "risk"], frame.loc[at, "return"], market.free_risks, market.free_returns
        )  # fmt: skip
        frame.loc[at, "error_in_risk_percent"] = errors.in_risk
        frame.loc[at, "error_in_return_percent"] = errors.in_return
        frame.loc[at, "percentage_error"] = errors.smaller
    return frame


def methods_of(answers: Answers, points: pd.DataFrame) -> list[str]:
    """The methods that have answers, in their order."""
    found = set(points["method"])
    return [method for method in (*METHODS, *answers.options.reference) if method in found]


def statistics_table(answers: Answers, points: pd.DataFrame, column: str) -> pd.DataFrame:
    """Mean, median, min and max of a column for every set and method, with how many there are and are missing."""
    rows = []
    for name in answers.markets:
        for method in methods_of(answers, points):
            values = points.loc[(points["set"] == name) & (points["method"] == method), column]
            rows.append({
                "set": name, "method": method, "answers": int(values.notna().sum()),
                "without": int(values.isna().sum()), "mean": values.mean(), "median": values.median(),
                "min": values.min(), "max": values.max(),
            })  # fmt: skip
    return pd.DataFrame(rows)


def classical_table(answers: Answers) -> pd.DataFrame:
    """Percentage errors of ours in the classical setting, for 50 and for 51 lambdas."""
    rows = []
    values, seed = lambdas(), answers.options.seeds[0]
    for name, market in answers.markets.items():
        for count in LAMBDAS:
            grid = {float(value) for value in np.linspace(0.0, 1.0, count)}
            records = [
                record
                for k in answers.options.lambda_points
                if values[k] in grid and (record := answers.get(name, "weighted", seed, k)) is not None
                and record["objective"] is not None
            ]  # fmt: skip
            if not records:
                continue
            pairs = [market.risk_and_return(record["x"]) for record in records]
            risks, returns = np.array(pairs).T
            errors = percentage_errors(risks, returns, market.free_risks, market.free_returns)
            found = errors.smaller[~np.isnan(errors.smaller)]
            rows.append({
                "set": name, "lambdas": count, "answers": len(records), "outside": len(records) - len(found),
                "one_undefined": int((np.isnan(errors.in_risk) ^ np.isnan(errors.in_return)).sum()),
                "proven": sum(r["status"] == "optimal" for r in records),
                "mean": found.mean(), "median": float(np.median(found)), "min": found.min(), "max": found.max(),
            })  # fmt: skip
    return pd.DataFrame(rows)


def work_table(answers: Answers, points: pd.DataFrame, best: dict[tuple[str, int], Best]) -> pd.DataFrame:
    """Table 4: targets, proofs, certified gaps, time and restricted problems, for Paper and Ours."""
    rows = []
    for name in answers.markets:
        targets = answers.targets(name)
        at = points["set"] == name
        for method in ("paper", "ours"):
            own = points[at & (points["method"] == method)]
            after = points[at & (points["method"] == "fitted")] if method == "ours" else None
            gaps = own["objective_gap_percent"]
            rows.append({
                "set": name, "method": method, "feasible": len(targets["feasible"]),
                "infeasible": len(targets["infeasible"]), "open": len(targets["open"]),
                "answers": len(own), "at_best_known": int((gaps <= 100 * PROVEN_GAP).sum()),
                "mean_objective_gap_percent": gaps.mean(), "max_objective_gap_percent": gaps.max(),
                "mean_certified_gap_percent": own["certified_gap_percent"].mean(),
                "max_certified_gap_percent": own["certified_gap_percent"].max(),
                "proven": int((own["certified_gap_percent"] <= 100 * PROVEN_GAP).sum()),
                "mean_fitted_gap_percent": math.nan if after is None else after["certified_gap_percent"].mean(),
                "max_fitted_gap_percent": math.nan if after is None else after["certified_gap_percent"].max(),
                "mean_seconds": own["seconds"].mean(), "max_seconds": own["seconds"].max(),
                "mean_evaluations": own["evaluations"].mean(),
            })  # fmt: skip
    return pd.DataFrame(rows)


def proof_table(answers: Answers, best: dict[tuple[str, int], Best]) -> pd.DataFrame:
    """How many targets of a set are proven, and by whom."""
    rows = []
    for name in answers.markets:
        proofs = [b.proven_by for (market, _), b in best.items() if market == name]
        rows.append({
            "set": name, "feasible": len(proofs), "proven": sum(bool(p) for p in proofs),
            "by_ours": sum("ours" in p for p in proofs),
            **{f"by_{solver}": sum(NAMES[solver] in p for p in proofs) for solver in answers.options.reference},
            "largest_gap_left_percent": max(
                (100 * relative_gap(b.objective, b.bound) for (market, _), b in best.items() if market == name),
                default=math.nan,
            ),
        })  # fmt: skip
    return pd.DataFrame(rows)


def phases_table(answers: Answers) -> pd.DataFrame:
    """Of every phase: how often it ran, improved the answer and found the final one; its time and work."""
    totals: dict[tuple[str, str], list[float]] = {}
    for (_, method, seed, _), record in sorted(answers.records.items()):
        if method not in ("paper", "ours") or seed not in answers.options.seeds or record["objective"] is None:
            continue
        for name, seconds, evaluations, improvements in record["phases"]:
            total = totals.setdefault((method, name), [0, 0, 0, 0.0, 0])
            total[0] += 1
            total[1] += improvements > 0
            total[2] += improvements
            total[3] += seconds
            total[4] += evaluations
    rows: list[dict[str, Any]] = [
        {"method": method, "phase": name, "solves": int(t[0]), "solves_improved": int(t[1]), "improvements": int(t[2]),
         "seconds": t[3], "evaluations": int(t[4])}
        for (method, name), t in totals.items()
    ]  # fmt: skip
    rows.sort(key=lambda row: bool(row["method"] == "ours"))
    return pd.DataFrame(rows)


def finders_table(points: pd.DataFrame) -> pd.DataFrame:
    """Who found the final answer: counts over all targets and seeds of Paper and Ours."""
    own = points[points["method"].isin(["paper", "ours"])]
    counts = own.groupby(["method", "found_by"]).size().rename("answers").reset_index()
    counts["share"] = counts["answers"] / counts.groupby("method")["answers"].transform("sum")
    return counts.sort_values(["method", "answers"], ascending=[False, False], ignore_index=True)


def ablation_table(answers: Answers, best: dict[tuple[str, int], Best]) -> pd.DataFrame:
    """What is lost when a part is left out: mean gaps, and the difference to all parts with its interval.

    The differences are paired by target and seed; the interval is a bootstrap that draws targets, with all their
    seeds, since answers to one target are not independent of each other.
    """
    rows = []
    for pipeline in ("paper", "ours"):
        whole = _ablation_gaps(answers, best, f"{pipeline}, all")
        if whole is None:
            continue
        for part in ("all", *PARTS):
            found = _ablation_gaps(answers, best, f"{pipeline}, {part}")
            if found is None:
                continue
            row: dict[str, object] = {"pipeline": pipeline, "without": "nothing" if part == "all" else part}
            for index, what in enumerate(("objective_gap", "certified_gap")):
                difference = found[index] - whole[index]
                low, high = bootstrap(difference)
                row |= {
                    f"{what}_percent": float(found[index].mean()),
                    f"{what}_more": float(difference.mean()),
                    f"{what}_low": low, f"{what}_high": high,
                }  # fmt: skip
            row["at_best_known_percent"] = 100 * float((found[0] <= 100 * PROVEN_GAP).mean())
            row["targets"], row["seeds"] = found[0].shape
            rows.append(row)
    return pd.DataFrame(rows)


def _ablation_gaps(answers: Answers, best: dict[tuple[str, int], Best], name: str) -> tuple[Vector, Vector] | None:
    """(objective gaps, certified gaps) in percent, targets by seeds; None if the variant was not run."""
    objective, certified = [], []
    for (market, k), reference in best.items():
        records = [answers.get(market, name, seed, k) for seed in answers.options.ablation_seeds]
        if any(record is None for record in records):
            continue
        gaps, proofs = [], []
        for record in records:
            assert record is not None
            value = math.inf if record["objective"] is None else record["objective"]
            gap = 100 * (value - reference.objective) / reference.objective
            gaps.append(0.0 if abs(gap) < 100 * SAME else gap)
            proofs.append(100 * relative_gap(value, -math.inf if record["bound"] is None else record["bound"]))
        objective.append(gaps)
        certified.append(proofs)
    return (np.array(objective), np.array(certified)) if objective else None


def bootstrap(differences: Vector, seed: int = 0) -> tuple[float, float]:
    """95 % interval of the mean of differences (targets by seeds), drawing targets."""
    means = differences.mean(axis=1)
    if not np.isfinite(means).all():
        return math.nan, math.nan
    draws = np.random.default_rng(seed).integers(0, len(means), size=(RESAMPLES, len(means)))
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(means[draws].mean(axis=1), [tail, 1 - tail])
    return float(low), float(high)


def refusals(answers: Answers) -> list[str]:
    """Why reference solvers gave nothing, each reason once."""
    notes: dict[str, set[str]] = {}
    for (market, method, _, _), record in answers.records.items():
        if method in answers.options.reference and record.get("note"):
            notes.setdefault(record["note"], set()).add(market)
    return [f"{note} ({', '.join(sorted(markets))})" for note, markets in sorted(notes.items())]
