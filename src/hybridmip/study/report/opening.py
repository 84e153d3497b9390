"""The beginning of the report: what came out, and what was done."""

from __future__ import annotations

import pandas as pd

from hybridmip.study import published, tables
from hybridmip.study.document import Document, Grid, Heading, Items, Text, anchor
from hybridmip.study.report.differences import DIFFERENCES
from hybridmip.study.report.findings import Findings
from hybridmip.study.report.words import listed, number, seeds_named
from hybridmip.study.run import PROVEN_GAP, Answers
from hybridmip.study.sets import ASSETS, TARGETS
from hybridmip.study.solvers import NAMES


def opening(document: Document, findings: Findings) -> None:
    """What this is, and what came out."""
    answers, work = findings.answers, findings.frames["table4_work"]
    options = answers.options
    document.add(
        Heading("The paper's experiments, done again", 1),
        Text(
            "The paper behind this solver (Wang, *A Hybrid Relaxation-Heuristic Framework for Solving MIP with Binary "
            "Variables*) tests its algorithm on five markets of OR-Library in three tables: how far the portfolios are "
            "from the unconstrained frontier, how many assets differ from the optimum's, and how much the variance is "
            "above the optimum's. This page repeats those experiments with HybridMIP, puts the paper's numbers beside "
            "ours, cell by cell, and adds what the paper could not measure: how far from optimal the answers can be, "
            "by proof. It was written by `hybridmip study`."
        ),
    )
    if options.quick:
        document.add(Text("**A quick run: ten targets, ten lambdas, and an ablation on five targets with one seed.**"))
    items = []
    own = work[work["method"] == "ours"]
    paper = work[work["method"] == "paper"]
    worst = float(own["max_objective_gap_percent"].max())
    items.append(
        f"**Ours** (`Config()`) is at the best known value in {own['at_best_known'].sum()} of {own['answers'].sum()} "
        f"solves ({own['feasible'].sum()} feasible targets, {seeds_named(options.seeds)}): its largest objective gap "
        f"is {number(worst)} %. The median time is {_median_seconds(findings, 'ours')} s a target, on one core."
    )
    items.append(
        f"**The paper's algorithm** (`Config.paper()`) is at the best known value in {paper['at_best_known'].sum()} of "
        f"{paper['answers'].sum()} solves. Its mean objective gap is {_mean_gap(findings, 'paper')} %, its largest "
        f"{number(float(paper['max_objective_gap_percent'].max()))} %."
    )
    proofs = findings.frames["table4_proofs"]
    left = float(proofs["largest_gap_left_percent"].max())
    others = f"; at every other target the certified gap is at most {number(left, 2)} %"
    items.append(
        f"**Proof**: {proofs['proven'].sum()} of {proofs['feasible'].sum()} best known values are proven optimal "
        f"({_provers(answers, proofs)}){'' if proofs['proven'].sum() == proofs['feasible'].sum() else others}."
    )
    if set(published.BINARY_GAP) <= set(answers.markets) and not options.quick:
        items.append(
            "**The paper's tables** contain cells that cannot be right: binary gaps beyond the largest possible, "
            "negative objective gaps, means below half of their medians. They are listed "
            f"[below](#{anchor(DIFFERENCES)}), with what we think happened."
        )
    document.add(Heading("What came out"), Items(items))


def setting(document: Document, findings: Findings) -> None:
    """What was done: problem, methods, reference."""
    answers = findings.answers
    options = answers.options
    document.add(
        Heading("What was done"),
        Text(
            f"**Problem.** Least variance x'Qx of a portfolio of exactly {ASSETS} assets, each with a weight in "
            f"[0.01, 1], that meets a target return exactly. There are {TARGETS} targets per market, evenly spaced "
            "over the returns of the unconstrained frontier, from the least variance to the highest return, as "
            "OR-Library's portef files give it. Near the top no ten assets reach the target; such targets are proven "
            "infeasible, counted and left out."
        ),
    )
    rows = []
    for name, market in answers.markets.items():
        targets = answers.targets(name)
        rows.append([
            market.title, str(market.n), str(len(options.points)), str(len(targets["feasible"])),
            str(len(targets["infeasible"])), str(len(targets["open"])),
        ])  # fmt: skip
    document.add(Grid(["set", "assets", "targets", "feasible", "proven infeasible", "open"], rows))
    references = "; ".join(f"**{NAMES[name]}**" for name in options.reference)
    document.add(
        Text("**Methods.**"),
        Items(
            [
                "**Line**, **Dual**, **Augm**: the ten assets with the highest scores of the relaxation are held, and "
                "their weights optimised (the restricted problem). Lambda_g of Augm is 1e-7, as in the paper. The ten "
                "may not be able to meet the target; then there is no portfolio, and it is counted.",
                "**Paper**: `Config.paper()`, the paper's algorithm to the letter: Line, Dual, Augm and random "
                "choices in a pool of 100, a genetic algorithm, random exchanges around its best. The paper calls it "
                "*Ours*. It does not say how large the pool is, what survives or when it stops; those values are ours.",
                "**Ours**: `Config()`, the default of this solver: a perspective relaxation (Persp) beside the three, "
                "descents by best exchanges, shaking, branch and bound over a certified bound.",
                f"Paper and Ours were run with {seeds_named(options.seeds)}; their statistics are over all targets "
                "and seeds. The relaxations have no randomness."
                + (
                    f" Reference solvers, {options.reference_seconds:g} s a target on one core: {references}."
                    if references
                    else ""
                ),
            ]
        ),
        Text(
            "**Reference.** The paper compares with Gurobi's answer. Here the reference of a target is the best value "
            "that any method with any seed has found, and we say what is proven of it: a value is proven when a "
            f"certified bound is within {PROVEN_GAP:g} of it. {_who_proves(answers)} "
            f"{_found_alone(findings)} Where several choices of assets have the best value, the one that Ours found "
            "is the reference for the binary gap."
        ),
    )
    notes = tables.refusals(answers)
    if notes:
        document.add(Text("Reference solvers that gave no answer: " + "; ".join(notes) + "."))


def _median_seconds(findings: Findings, method: str) -> str:
    return number(float(findings.points.loc[findings.points["method"] == method, "seconds"].median()), 2)


def _mean_gap(findings: Findings, method: str) -> str:
    return number(float(findings.points.loc[findings.points["method"] == method, "objective_gap_percent"].mean()))


def _provers(answers: Answers, proofs: pd.DataFrame) -> str:
    parts = [f"{proofs['by_ours'].sum()} by our own bounds"]
    parts += [f"{proofs[f'by_{solver}'].sum()} by {NAMES[solver]}" for solver in answers.options.reference]
    return ", ".join(parts)


def _who_proves(answers: Answers) -> str:
    if not answers.options.reference:
        return "All proofs are ours: no reference solver was asked."
    return f"Proofs are ours or those of {listed(NAMES[s] for s in answers.options.reference)}."


def _found_alone(findings: Findings) -> str:
    """How many references rest on Ours alone: there its gap is 0 by definition."""
    points = findings.points
    at_best = points[points["objective_gap_percent"] <= 100 * PROVEN_GAP]
    own = ("ours", "fitted")
    others = set(map(tuple, at_best.loc[~at_best["method"].isin(own), ["set", "target"]].to_numpy()))
    alone = [key for key in findings.best if key not in others]
    open_ = sum(not findings.best[key].proven_by for key in alone)
    if not alone:
        return "Every reference was found by another method than Ours, too."
    return (
        f"At {len(alone)} of {len(findings.best)} targets only Ours found the reference, so that its gap there is 0 by "
        f"definition; {len(alone) - open_} of them are proven optimal, {open_} are not."
    )
