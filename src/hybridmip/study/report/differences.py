"""Where the paper's numbers differ from ours, and why."""

from __future__ import annotations

import numpy as np

from hybridmip.study import published, tables
from hybridmip.study.document import Document, Heading, Items, Text
from hybridmip.study.percentage import percentage_errors
from hybridmip.study.report.findings import Findings
from hybridmip.study.report.words import listed, number, paper_name
from hybridmip.study.sets import ASSETS, TARGETS
from hybridmip.study.tables import LABELS

DIFFERENCES = "Where this differs from the paper, and why"


def differences(document: Document, findings: Findings) -> None:
    """Where the paper's numbers differ from ours, and why."""
    answers = findings.answers
    known = [name for name in answers.markets if name in published.BINARY_GAP]
    document.add(Heading(DIFFERENCES))
    if not known:
        document.add(Text("The paper has no numbers for these sets."))
        return
    items = [
        *_about_targets(findings, known),
        *_about_binaries(findings, known),
        *_about_negative_gaps(findings, known),
        *_about_errors(findings, known),
        *_about_relaxations(findings, known),
        *_about_algorithm(findings, known),
    ]
    document.add(Items(items))


def _about_targets(findings: Findings, known: list[str]) -> list[str]:
    counts = {name: published.target_counts(name) for name in known}
    single = {name: found[0] for name, found in counts.items() if len(found) == 1}
    if not single or findings.answers.options.quick:
        return []
    ours = {name: len(findings.answers.targets(name)["feasible"]) for name in single}
    return [
        "**The number of targets.** The means of the paper's Table 2 are whole numbers divided by "
        f"{listed(f'{count} ({name})' for name, count in single.items())}; here "
        f"{listed(f'{count}' for count in ours.values())} of {TARGETS} targets are feasible. One more target per set "
        "is what fifty targets give that leave out the right end, min + k (max - min) / 50: its grid is probably that "
        "one, slightly finer than ours."
    ]


def _about_binaries(findings: Findings, known: list[str]) -> list[str]:
    items = []
    beyond = []
    for name in known:
        cells = published.BINARY_GAP[name]["max"]
        high = [(c, v) for c, v in zip(published.COLUMNS, cells, strict=True) if v > 2 * ASSETS]
        if high:
            beyond.append(f"{name}: " + listed(f"{v:g} ({paper_name(c)})" for c, v in high))
    if beyond:
        here = findings.points.loc[findings.points["method"].isin(tables.METHODS), "binary_sum"].max()
        items.append(
            f"**Binary gaps beyond the possible.** Two choices of {ASSETS} assets differ in at most {2 * ASSETS} "
            f"places. The paper has larger maxima for {'; '.join(beyond)}. Choices with more than {ASSETS} assets on "
            f"one side must have been compared. The largest sum here is {number(here, 0)}."
        )
    if "port1" in known and published.target_counts("port1") == [47]:
        items.append(
            "**A sum that is odd.** The paper's mean binary gap of *Ours* on port1, 0.0213, is 1/47: one difference "
            "in all. Choices of equally many assets differ in an even number of places, and the same row has 2 as its "
            "maximum."
        )
    return items


def _about_negative_gaps(findings: Findings, known: list[str]) -> list[str]:
    lowest = {name: min(published.OBJECTIVE_GAP[name]["min"]) for name in known}
    negative = {name: value for name, value in lowest.items() if value < 0}
    if not negative:
        return []
    name, value = min(negative.items(), key=lambda item: item[1])
    proofs = findings.frames["table4_proofs"]
    return [
        "**Negative objective gaps.** An optimum cannot be beaten, yet every set of the paper has answers below its "
        f"reference ({listed(f'{v:g} % ({n})' for n, v in negative.items())}). Variances here are of order 1e-4, so a "
        "solver's absolute tolerances let it stop early and call the answer optimal; the small negative gaps are of "
        f"that size. The {value:g} % on {name} is not: its reference would have been "
        f"{100 * (1 / (1 + value / 100) - 1):.0f} % above that answer, so the solver was stopped or solved something "
        "else. The paper reads its negative gaps as being better than Gurobi; they say that its reference was not the "
        "optimum. Here the reference is the best value known, so no gap is negative, and the certified bounds say "
        f"that no portfolio is more than {number(float(proofs['largest_gap_left_percent'].max()), 2)} % below it at "
        "any target."
    ]


def _about_errors(findings: Findings, known: list[str]) -> list[str]:
    items = []
    broken = {name: published.impossible_errors(name) for name in known}
    broken = {name: columns for name, columns in broken.items() if columns}
    if broken:
        cells = []
        for name, columns in broken.items():
            for column in columns:
                k = published.COLUMNS.index(column)
                mean, median = (published.PERCENTAGE_ERROR[name][s][k] for s in ("mean", "median"))
                cells.append(f"{name}, {paper_name(column)}: mean {mean:g}, median {median:g}")
        items.append(
            "**Means below half of their medians.** Percentage errors are not negative and half of them are at least "
            "the median, so a mean is at least half of its median. In the paper's Table 1 it is not: "
            f"{'; '.join(cells)}."
        )
    below = []
    for name in known:
        floor = _error_floor(findings, name)
        means = published.PERCENTAGE_ERROR[name]["mean"]
        low = [f"{v:g} ({paper_name(c)})" for c, v in zip(published.COLUMNS, means, strict=True) if v < floor / 2]
        if low:
            below.append(f"{name}, floor {floor:.4f}: {listed(low)}")
    if below and not findings.answers.options.quick:
        items.append(
            "**Percentage errors below the floor.** At a given return no portfolio of ten assets has a smaller "
            "percentage error than the one of least variance, and the certified bounds say how small that one's can be "
            f"at best. Below half of this floor of the mean are, in the paper's Table 1, {'; '.join(below)}. A "
            "slightly different grid of targets does not explain that; another definition of the error, or another "
            "number of assets, would."
        )
    return items


def _about_relaxations(findings: Findings, known: list[str]) -> list[str]:
    table = "table3_objective_gap_percent"
    items = []
    points = findings.points
    for method, why in (
        (
            "line",
            "The relaxation is the same convex QP, but its b is not unique: it costs nothing, so every b between x and "
            "100 x with a sum of ten is optimal, and which ten are the largest depends on the QP solver.",
        ),
        (
            "dual",
            "By strong duality the best multipliers can be read off Line's, and we do that; the paper solves its dual "
            "with the sign of c imposed, and does not say how it breaks ties among the many assets whose c is 0. Here "
            f"the relaxed weights break them{_dual_or_line(findings)}.",
        ),
        (
            "augm",
            "The paper's formula, as printed, is neither concave nor a bound (it minimises with Q and adds the square "
            "outside of the minimum); here the corrected one is used. It replaces Q by a diagonal below it, so all "
            "correlations are lost, and on targets far from the top it chooses assets that do not go together, or "
            "cannot meet the target at all.",
        ),
    ):
        pairs = []
        for name in known:
            theirs = published.OBJECTIVE_GAP[name]["mean"][published.COLUMNS.index(method)]
            pairs.append(f"{name} {theirs:g} there and {number(findings.statistic(table, name, method, 'mean'))} here")
        own = points[(points["method"] == method) & points["set"].isin(known)]
        none = int(own["objective"].isna().sum())
        items.append(
            f"**{LABELS[method]}.** Mean objective gaps in percent: {'; '.join(pairs)}. {why}"
            + (f" {none} of its {len(own)} choices are infeasible here; the paper reports none." if none else "")
        )
    return items


def _about_algorithm(findings: Findings, known: list[str]) -> list[str]:
    table = "table3_objective_gap_percent"
    pairs = []
    for name in known:
        theirs = published.OBJECTIVE_GAP[name]["mean"][3]
        pairs.append(f"{name} {theirs:g} there and {number(findings.statistic(table, name, 'paper', 'mean'))} here")
    return [
        f"**The paper's algorithm.** Mean objective gaps in percent: {'; '.join(pairs)}. The paper leaves the size of "
        "the pool, the share that survives, the mutation rate and both stopping rules open, speaks of "
        "simplifications for speed, and measures against another reference, so the numbers need not agree. Ours for "
        "those parameters are in `Config.paper()`; they were not tuned towards the paper's table."
    ]


def _dual_or_line(findings: Findings) -> str:
    points = findings.points
    line, dual = (points.loc[points["method"] == m, "objective_gap_percent"].mean() for m in ("line", "dual"))
    return ", which makes Dual the better of the two" if dual < line else ""


def _error_floor(findings: Findings, name: str) -> float:
    """Mean percentage error if every answer were at its certified bound: no method can be below."""
    market = findings.answers.markets[name]
    targets = [(k, best.bound) for (own, k), best in findings.best.items() if own == name]
    risks = np.sqrt(np.maximum([bound for _, bound in targets], 0.0))
    returns = market.targets[[k for k, _ in targets]]
    smaller = percentage_errors(risks, returns, market.free_risks, market.free_returns).smaller
    # A bound can be below the unconstrained frontier: then it says nothing.
    order = np.argsort(market.free_returns)
    free = np.interp(returns, market.free_returns[order], market.free_risks[order])
    return float(np.mean(np.where(risks <= free, 0.0, smaller)))
