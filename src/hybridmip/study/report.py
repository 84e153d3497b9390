"""The report of the study: the paper's numbers beside ours, and in words where they differ and why."""

from __future__ import annotations

import contextlib
import io
import math
import os
import platform
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from hybridmip.errors import FileError
from hybridmip.io.files import write_bytes, write_text
from hybridmip.study import published, tables
from hybridmip.study.document import Code, Document, Grid, Heading, Items, Picture, Text
from hybridmip.study.percentage import percentage_errors
from hybridmip.study.plan import ABLATION_PATIENCE, ABLATION_STEP, FIT_ROUNDS, Options
from hybridmip.study.reference import NAMES
from hybridmip.study.run import PROVEN_GAP, Answers, Study
from hybridmip.study.sets import ASSETS, TARGETS
from hybridmip.study.tables import LABELS, STATISTICS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NOTHING = "–"
#: Folder of the tables and figures, beside the report.
PARTS_FOLDER = "study"
DPI = 120


@dataclass(frozen=True)
class Findings:
    """Everything that the report is made of."""

    study: Study

    @property
    def answers(self) -> Answers:
        """The raw answers."""
        return self.study.answers

    @cached_property
    def best(self) -> dict[tuple[str, int], tables.Best]:
        """The reference of every feasible target."""
        return tables.all_best(self.answers)

    @cached_property
    def points(self) -> pd.DataFrame:
        """One row per set, target, method and seed."""
        return tables.points_table(self.answers, self.best)

    @cached_property
    def frames(self) -> dict[str, pd.DataFrame]:
        """The tables by the names of their CSV files."""
        answers, points = self.answers, self.points
        return {
            "table1_percentage_error": tables.statistics_table(answers, points, "percentage_error"),
            "table1_classical": tables.classical_table(answers),
            "table2_binary_gap_sum": tables.statistics_table(answers, points, "binary_sum"),
            "table2_binary_gap_half": tables.statistics_table(answers, points, "binary_half"),
            "table3_objective_gap_percent": tables.statistics_table(answers, points, "objective_gap_percent"),
            "table4_work": tables.work_table(answers, points, self.best),
            "table4_proofs": tables.proof_table(answers, self.best),
            "table4_phases": tables.phases_table(answers),
            "table4_found_by": tables.finders_table(points),
            "ablation": tables.ablation_table(answers, self.best),
            "points": points,
        }

    def statistic(self, table: str, market: str, method: str, name: str) -> float:
        """One cell of a table of statistics."""
        frame = self.frames[table]
        found = frame[(frame["set"] == market) & (frame["method"] == method)]
        return float(found[name].iloc[0]) if len(found) else math.nan

    def figures(self) -> dict[str, Figure]:
        """All figures by name."""
        from hybridmip.study import figures as draw

        methods = tables.methods_of(self.answers, self.points)
        result = {
            f"frontier_{name}": draw.draw(draw.frontier_figure, market, self.points, methods)
            for name, market in self.answers.markets.items()
        }
        result["objective_gaps"] = draw.draw(draw.gaps_figure, self.answers, self.points)
        result["convergence"] = draw.draw(draw.convergence_figure, self.answers, self.best)
        result["ablation"] = draw.draw(draw.ablation_figure, self.frames["ablation"])
        return result


def save_report(study: Study, folder: Path) -> list[Path]:
    """Write the report as Markdown and HTML, the tables as CSV, the figures as PNG and SVG."""
    findings = Findings(study)
    parts = folder / PARTS_FOLDER
    try:
        parts.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make the folder {parts}: {error.strerror or error}; choose another place") from None
    files = []
    for name, frame in findings.frames.items():
        files.append(parts / f"{name}.csv")
        write_text(files[-1], frame.to_csv(index=False, float_format="%.10g"), "a table")
    pictures = {}
    for name, figure in findings.figures().items():
        for kind in ("png", "svg"):
            content = rendered(figure, kind)
            files.append(parts / f"{name}.{kind}")
            write_bytes(files[-1], content, "a picture")
            if kind == "svg":
                pictures[name] = content
    document = report(findings)
    write_text(folder / "study.md", document.markdown(PARTS_FOLDER), "the report")
    write_text(folder / "study.html", document.html(pictures), "the report")
    return [folder / "study.md", folder / "study.html", *files]


def rendered(figure: Figure, kind: str) -> bytes:
    """A figure as PNG or SVG, the same bytes every time."""
    import matplotlib

    from hybridmip.study.figures import STYLE

    buffer = io.BytesIO()
    with matplotlib.rc_context(STYLE):
        metadata = {"Date": None} if kind == "svg" else {"Software": None}
        figure.savefig(buffer, format=kind, dpi=DPI, metadata=metadata)
    return buffer.getvalue()


# ---------------------------------------------------------------- the report


def report(findings: Findings) -> Document:
    """The report, block by block."""
    document = Document()
    for part in (_opening, _setting, _table1, _classical, _table2, _table3, _table4, _ablation, _differences, _again):
        part(document, findings)
    return document


def number(value: float | None, digits: int = 4) -> str:
    """With so many decimals; a dash for nothing, and no minus before a zero."""
    if value is None or not math.isfinite(value):
        return NOTHING
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def _opening(document: Document, findings: Findings) -> None:
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
        f"solves ({own['feasible'].sum()} feasible targets, {_seeds(options.seeds)}): its largest objective gap is "
        f"{number(worst)} %. The median time is {_median_seconds(findings, 'ours')} s a target, on one core."
    )
    items.append(
        f"**The paper's algorithm** (`Config.paper()`) is at the best known value in {paper['at_best_known'].sum()} of "
        f"{paper['answers'].sum()} solves. Its mean objective gap is {_mean_gap(findings, 'paper')} %, its largest "
        f"{number(float(paper['max_objective_gap_percent'].max()))} %."
    )
    proofs = findings.frames["table4_proofs"]
    items.append(
        f"**Proof**: {proofs['proven'].sum()} of {proofs['feasible'].sum()} best known values are proven optimal "
        f"({_provers(answers, proofs)}); at every other target the certified gap is at most "
        f"{number(float(proofs['largest_gap_left_percent'].max()), 2)} %."
    )
    if set(published.BINARY_GAP) <= set(answers.markets) and not options.quick:
        items.append(
            "**The paper's tables** contain cells that cannot be right: binary gaps beyond the largest possible, "
            "negative objective gaps, means below half of their medians. They are listed "
            f"[below](#{_anchor(DIFFERENCES)}), with what we think happened."
        )
    document.add(Heading("What came out"), Items(items))


def _setting(document: Document, findings: Findings) -> None:
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
                "descents by best exchanges, shaking, a certified bound.",
                f"Paper and Ours were run with {_seeds(options.seeds)}; their statistics are over all targets and "
                "seeds. The relaxations have no randomness."
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


def _compared(
    findings: Findings, table: str, paper: published.Table, digits: int = 4, others: Sequence[str] = ()
) -> Grid:
    """The paper's cells beside ours."""
    header = ["set", "", "Line, paper", "Line, here", "Dual, paper", "Dual, here", "Augm, paper", "Augm, here",
              "*Ours*, paper", "Paper, here", "**Ours, here**", *(f"{LABELS[o]}, here" for o in others)]  # fmt: skip
    rows = []
    for name in findings.answers.markets:
        for statistic in STATISTICS:
            theirs = published.cells(paper, name, statistic)
            here = {
                m: number(findings.statistic(table, name, m, statistic), digits) for m in (*tables.METHODS, *others)
            }  # fmt: skip
            row = [name if statistic == "mean" else "", statistic]
            for column, published_cell in zip(published.COLUMNS, theirs, strict=True):
                row += [number(published_cell), here[column]]
            rows.append([*row, f"**{here['ours']}**", *(here[o] for o in others)])
    return Grid(header, rows, words=2)


def _table1(document: Document, findings: Findings) -> None:
    document.add(
        Heading("Table 1: percentage error"),
        Text(
            "How far a portfolio is from the unconstrained frontier, as Chang et al. (2000) define it. The frontier is "
            "interpolated linearly between OR-Library's 2,000 points. The error in risk compares the portfolio's "
            "standard deviation with the frontier's at the same return, the error in return compares its return with "
            "the frontier's at the same standard deviation; each is relative to the frontier's value, in percent, and "
            "the smaller of the two counts. Where the portfolio's risk lies outside the frontier's risks the error in "
            "return is undefined and the other one counts, and the other way round where its return lies outside; "
            f"where both do, the point would be left out{_left_out(findings)}."
        ),
        _compared(findings, "table1_percentage_error", published.PERCENTAGE_ERROR),
        Text(
            "At a fixed return both errors grow with the risk, so the portfolio of least variance has the smallest "
            "percentage error of all: the column *Ours, here* is, as far as its answers are optimal, a floor for "
            "every method, and not zero, because ten assets with at least one percent each cannot reach the "
            "unconstrained frontier. The paper has no minimum "
            f"and maximum.{_without(findings, 'table1_percentage_error')}"
        ),
    )
    for name, market in findings.answers.markets.items():
        document.add(
            Picture(
                f"frontier_{name}",
                f"{market.title}: the portfolios of every method (first seed) and the unconstrained frontier; below, "
                "how much more risk than the best known they take at the same return.",
            )
        )


def _classical(document: Document, findings: Findings) -> None:
    frame = findings.frames["table1_classical"]
    rows = []
    for name in findings.answers.markets:
        median, mean = published.TABU_SEARCH.get(name, (None, None))
        row = [name, number(median), number(mean)]
        for count in (50, 51):
            found = frame[(frame["set"] == name) & (frame["lambdas"] == count)]
            if len(found):
                first = found.iloc[0]
                row += [number(float(first[key])) for key in ("median", "mean", "min", "max")]
                row.append(f"{first['proven']} of {first['answers']}")
            else:
                row += [NOTHING] * 5
        rows.append(row)
    document.add(
        Heading("The classical setting", 3),
        Text(
            "Most of the literature does not fix the return but weighs it against the variance: minimise "
            "lambda x'Qx - (1 - lambda) r'x for lambda evenly spaced in [0, 1], again with ten assets of at least one "
            "percent. Chang et al. take 50 values, others 51; here are both, solved by Ours with one seed, beside the "
            "tabu search of Chang et al. *Proven* counts the lambdas whose optimum is proven."
        ),
        Grid(
            [
                "set",
                "tabu search: median",
                "mean",
                "ours, 50 lambdas: median",
                "mean",
                "min",
                "max",
                "proven",
                "ours, 51 lambdas: median",
                "mean",
                "min",
                "max",
                "proven",
            ],
            rows,
        ),
        Text(
            "Even an exact answer has a percentage error here: it is the price of holding exactly ten assets, and a "
            "smaller number is not a better answer to the problem that was asked. "
            f"{_classical_words(findings)}{_outside_words(frame)}"
        ),
    )


def _table2(document: Document, findings: Findings) -> None:
    document.add(
        Heading("Table 2: binary gap"),
        Text(
            "How many assets differ from the reference's. The paper defines the gap as half of the sum of "
            "|b - b_ref|, the number of assets to exchange, but its numbers are even, so they are the sum. Both "
            f"choices have {ASSETS} assets, so the sum is at most {2 * ASSETS} and half of it at most {ASSETS}. "
            "First the sum, as in the paper's table:"
        ),
        _compared(findings, "table2_binary_gap_sum", published.BINARY_GAP),
        Text("Half of it, as in the paper's text:"),
    )
    rows = []
    for name in findings.answers.markets:
        for statistic in STATISTICS:
            cells = [number(findings.statistic("table2_binary_gap_half", name, m, statistic)) for m in tables.METHODS]
            rows.append([name if statistic == "mean" else "", statistic, *cells])
    document.add(Grid(["set", "", *(LABELS[m] for m in tables.METHODS)], rows, words=2))
    document.add(
        Text(
            "A binary gap says little by itself: two portfolios that share five assets can have nearly the same "
            "variance. The objective gap is what counts."
        )
    )


def _table3(document: Document, findings: Findings) -> None:
    document.add(
        Heading("Table 3: objective gap"),
        Text(
            "How much the variance is above the reference's, in percent of it: 100 (objective - reference) / reference."
        ),
        _compared(
            findings, "table3_objective_gap_percent", published.OBJECTIVE_GAP, others=findings.answers.options.reference
        ),
    )
    words = _without(findings, "table3_objective_gap_percent")
    if words:
        document.add(Text(words.strip()))
    document.add(
        Picture(
            "objective_gaps",
            "Objective gaps, one dot per target and seed. On the left those at the best known value "
            f"(within {PROVEN_GAP:g}; how many of how many), on the right choices of ten assets that cannot meet the "
            "target.",
        )
    )


def _table4(document: Document, findings: Findings) -> None:
    frames, answers = findings.frames, findings.answers
    rows = []
    for row in frames["table4_work"].to_dict("records"):
        fitted = (
            f"{number(row['mean_fitted_gap_percent'], 2)} ({number(row['max_fitted_gap_percent'], 2)})"
            if math.isfinite(row["mean_fitted_gap_percent"])
            else NOTHING
        )
        rows.append([
            row["set"] if row["method"] == "paper" else "", LABELS[row["method"]],
            f"{row['at_best_known']} of {row['answers']}",
            f"{number(row['mean_objective_gap_percent'])} ({number(row['max_objective_gap_percent'])})",
            f"{number(row['mean_certified_gap_percent'], 2)} ({number(row['max_certified_gap_percent'], 2)})",
            fitted, f"{row['proven']} of {row['answers']}",
            f"{number(row['mean_seconds'], 2)} ({number(row['max_seconds'], 2)})", f"{row['mean_evaluations']:,.0f}",
        ])  # fmt: skip
    document.add(
        Heading("Table 4: what the paper could not measure"),
        Text(
            "The certified gap, (objective - bound) / objective, says how far from optimal an answer can be at most. "
            "*Fitted* is the gap of Ours when it may spend a second or a few on the bound "
            f"(`Config(fit_rounds={FIT_ROUNDS})`, one seed). Means, with the largest in parentheses; gaps in percent."
        ),
        Grid(
            ["set", "method", "at the best known", "objective gap", "certified gap", "fitted", "proven optimal",
             "seconds", "restricted problems"],
            rows, words=2,
        ),
    )  # fmt: skip
    proofs = []
    for row in frames["table4_proofs"].to_dict("records"):
        by = [str(row["by_ours"]), *(str(row[f"by_{solver}"]) for solver in answers.options.reference)]
        left = number(row["largest_gap_left_percent"], 2)
        proofs.append([row["set"], f"{row['proven']} of {row['feasible']}", *by, left])
    document.add(
        Text("Which references are proven, and by whom (all seeds and the fitted bounds together):"),
        Grid(
            ["set", "proven", "by ours", *(f"by {NAMES[s]}" for s in answers.options.reference), "largest gap left, %"],
            proofs,
        ),
        Text(
            f"Times are of one core each, {findings.study.jobs} of them at work side by side, on the machine named at "
            "the end. Who found the final answer, over all targets and seeds:"
        ),
    )
    found = frames["table4_found_by"]
    document.add(
        Grid(
            ["method", "found by", "answers", "share"],
            [[LABELS[r["method"]], r["found_by"], str(r["answers"]), f"{100 * r['share']:.1f} %"]
             for r in found.to_dict("records")],
            words=2,
        ),
        Text(
            "How often each phase improved the answer. *Start* is a first choice (for Ours, with descents from a "
            "random and from the least one, called quick start), *core* tries every choice that the bound leaves over:"
        ),
        Grid(
            ["method", "phase", "solves that reached it", "solves it improved", "improvements", "seconds",
             "restricted problems"],
            [[LABELS[r["method"]], r["phase"], str(r["solves"]), str(r["solves_improved"]), str(r["improvements"]),
              number(r["seconds"], 1), f"{r['evaluations']:,}"] for r in frames["table4_phases"].to_dict("records")],
            words=2,
        ),
        Text(_phase_words(findings)),
        Picture(
            "convergence",
            "Objective and certified bound over time at the hardest target of every set (the one with the largest "
            "certified gap left), first seed. Ours fits its bound; Paper has Line's bound only, which is not shown.",
        ),
    )  # fmt: skip


def _ablation(document: Document, findings: Findings) -> None:
    frame, answers = findings.frames["ablation"], findings.answers
    if frame.empty:
        return
    targets, seeds = int(frame["targets"].iloc[0]), int(frame["seeds"].iloc[0])
    rows = []
    for r in frame.to_dict("records"):
        rows.append([
            {"paper": "paper's + Persp", "ours": "ours"}[r["pipeline"]] if r["without"] == "nothing" else "",
            f"without {r['without']}" if r["without"] != "nothing" else "all parts",
            number(r["objective_gap_percent"]), _interval(r, "objective_gap"), f"{r['at_best_known_percent']:.1f} %",
            number(r["certified_gap_percent"], 3), _interval(r, "certified_gap"),
        ])  # fmt: skip
    document.add(
        Heading("What each part is worth"),
        Text(
            f"One part is left out at a time, on every {'other' if answers.options.quick else f'{ABLATION_STEP}th'} "
            f"target of every set ({targets} targets, {_count(seeds, 'seed')} each). Differences are to the pipeline "
            "with all parts, in percentage points, paired by target and seed, with 95 % bootstrap intervals "
            "over the targets: an interval that contains 0 means that nothing was shown. The paper's pipeline gets "
            "Persp as a fourth relaxation, so that there are "
            "seven parts to leave out; *without persp* is `Config.paper()` itself. Ours gets no patience "
            f"(`patience={ABLATION_PATIENCE}`: descents and wider exchanges, but no shaking), so that a "
            "difference has a chance to show. In ours, crossovers are a part of the neighborhood "
            "search, and leaving that out leaves only the best of the pool."
            + (" This is a quick run: its intervals rest on few targets." if answers.options.quick else "")
        ),
        Grid(
            ["pipeline", "", "objective gap, %", "difference", "at the best known", "certified gap, %", "difference"],
            rows, words=2,
        ),
        Picture(
            "ablation",
            "What is lost without each part: mean difference to the pipeline with all parts, in percentage points, "
            "with 95 % intervals. To the right of zero the part is worth something.",
        ),
        Text(_ablation_words(frame)),
    )  # fmt: skip


DIFFERENCES = "Where this differs from the paper, and why"


def _differences(document: Document, findings: Findings) -> None:
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
        f"{_list(f'{count} ({name})' for name, count in single.items())}; here "
        f"{_list(f'{count}' for count in ours.values())} of {TARGETS} targets are feasible. One more target per set "
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
            beyond.append(f"{name}: " + _list(f"{v:g} ({_paper_name(c)})" for c, v in high))
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
        f"reference ({_list(f'{v:g} % ({n})' for n, v in negative.items())}). Variances here are of order 1e-4, so a "
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
                cells.append(f"{name}, {_paper_name(column)}: mean {mean:g}, median {median:g}")
        items.append(
            "**Means below half of their medians.** Percentage errors are not negative and half of them are at least "
            "the median, so a mean is at least half of its median. In the paper's Table 1 it is not: "
            f"{'; '.join(cells)}."
        )
    below = []
    for name in known:
        floor = _error_floor(findings, name)
        means = published.PERCENTAGE_ERROR[name]["mean"]
        low = [f"{v:g} ({_paper_name(c)})" for c, v in zip(published.COLUMNS, means, strict=True) if v < floor / 2]
        if low:
            below.append(f"{name}, floor {floor:.4f}: {_list(low)}")
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


def _again(document: Document, findings: Findings) -> None:
    study, options = findings.study, findings.answers.options
    extra = f" --reference {','.join(options.reference)}" if options.reference else ""
    if extra and options.reference_seconds != Options.reference_seconds:
        extra += f" --reference-seconds {options.reference_seconds:g}"
    sets = "" if len(options.sets) == 5 else f" --sets {','.join(options.sets)}"
    quick = " --quick" if options.quick else ""
    jobs = f" --jobs {study.jobs}"
    document.add(
        Heading("How to run it again"),
        Code(
            "hybridmip data orlib --out data          # the ten files of OR-Library, checked against their SHA-256\n"
            f"hybridmip study --data data --out results{sets}{quick}{jobs}{extra}"
        ),
        Text(
            f"With {_count(study.jobs, 'process')} on {_machine()} this run took {_duration(study)}. Every "
            "answer is kept in study.sqlite as it comes: after an interruption `--resume` goes on, and with "
            "`--reference` adds a solver later. The numbers depend on the seeds only; the seconds "
            "on the machine."
        ),
        Text(
            "The command writes its report as Markdown and as one HTML page, and into the folder "
            f"`{PARTS_FOLDER}` beside them the tables as CSV, every single answer (points.csv), and the figures as PNG "
            "and SVG."
        ),
        Text(
            "Literature: T.-J. Chang, N. Meade, J. E. Beasley and Y. M. Sharaiha, *Heuristics for cardinality "
            "constrained portfolio optimisation*, Computers & Operations Research 27 (2000) 1271-1302. OR-Library: "
            "J. E. Beasley, *OR-Library: distributing test problems by electronic mail*, Journal of the Operational "
            "Research Society 41 (1990) 1069-1072."
        ),
    )


# ---------------------------------------------------------------- words


def _anchor(text: str) -> str:
    from hybridmip.study.document import anchor

    return anchor(text)


def _list(parts: object) -> str:
    words = [str(part) for part in parts]  # type: ignore[attr-defined]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _count(value: int, word: str) -> str:
    plural = word + ("es" if word.endswith("s") else "s")
    return f"{value} {word if value == 1 else plural}"


def _seeds(seeds: tuple[int, ...]) -> str:
    return f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {_list(seeds)}"


def _paper_name(column: str) -> str:
    return "*Ours*" if column == "paper" else LABELS[column]


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.1f} minutes"


def _duration(study: Study) -> str:
    """How long it took, reference solvers apart."""
    parts = []
    together = all(sitting.reference for sitting in study.sittings)
    added = "with reference solvers" if together else "to add reference solvers"
    for asked, words in ((False, "without reference solvers"), (True, added)):
        own = [sitting for sitting in study.sittings if sitting.reference == asked]
        if own:
            taken = _minutes(sum(sitting.seconds for sitting in own))
            known = [sitting.processor for sitting in own if sitting.processor is not None]
            used = f" ({_minutes(sum(known))} of processor time)" if len(known) == len(own) else ""
            parts.append(f"{taken}{used} {words}")
    return ", and then ".join(parts)


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
    return f"Proofs are ours or those of {_list(NAMES[s] for s in answers.options.reference)}."


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


def _dual_or_line(findings: Findings) -> str:
    points = findings.points
    line, dual = (points.loc[points["method"] == m, "objective_gap_percent"].mean() for m in ("line", "dual"))
    return ", which makes Dual the better of the two" if dual < line else ""


def _left_out(findings: Findings) -> str:
    own = findings.points[findings.points["method"].isin(tables.METHODS) & findings.points["objective"].notna()]
    count = int(own["percentage_error"].isna().sum())
    one = int((own["error_in_return_percent"].isna() | own["error_in_risk_percent"].isna()).sum()) - count
    either = f"; here one of the two is undefined for {one} of {len(own)} portfolios, both for {count}"
    return either if one or count else " (here both are defined everywhere)"


def _without(findings: Findings, table: str) -> str:
    frame = findings.frames[table]
    parts = []
    for method in tables.METHODS:
        own = frame[frame["method"] == method]
        missing = int(own["without"].sum())
        if missing:
            total = missing + int(own["answers"].sum())
            where = _list(f"{r['without']} of {r['set']}" for r in own.to_dict("records") if r["without"])
            parts.append(f"{LABELS[method]} {missing} of {total} ({where})")
    if not parts:
        return ""
    return f" Choices of ten assets that cannot meet their target are left out of the statistics: {'; '.join(parts)}."


def _classical_words(findings: Findings) -> str:
    frame = findings.frames["table1_classical"]
    fifty = frame[frame["lambdas"] == 50]
    lower = [
        str(r["set"])
        for r in fifty.to_dict("records")
        if r["set"] in published.TABU_SEARCH and r["mean"] < published.TABU_SEARCH[str(r["set"])][1]
    ]
    if findings.answers.options.quick:
        return ""
    equal = [
        str(r["set"])
        for r in fifty.to_dict("records")
        if r["set"] in published.TABU_SEARCH and round(r["median"], 4) == published.TABU_SEARCH[str(r["set"])][0]
    ]
    words = f"The mean is below the tabu search's on {_list(lower)}. " if lower else ""
    if equal:
        words += (
            f"On {_list(equal)} the median agrees with the published one to its last digit: the error is measured in "
            "the same way. "
        )
    return words


def _outside_words(frame: pd.DataFrame) -> str:
    both, one = int(frame["outside"].sum()), frame[frame["one_undefined"] > 0]
    words = []
    if len(one):
        where = _list(f"{r['one_undefined']} of {r['set']} ({r['lambdas']} lambdas)" for r in one.to_dict("records"))
        words.append(
            f"Only one of the two errors is defined for {where}: the least variance of ten assets may have a return "
            "below all of the frontier's, and the error in return that then counts can be large, since the frontier "
            "is flat there."
        )
    if both:
        words.append(f"{both} points lie outside both the frontier's risks and its returns and are left out.")
    return " ".join(words) or "Both errors are defined everywhere."


def _phase_words(findings: Findings) -> str:
    frame = findings.frames["table4_phases"]
    words = []
    for method in ("paper", "ours"):
        own = frame[(frame["method"] == method) & (frame["improvements"] == 0) & (frame["evaluations"] > 0)]
        if len(own):
            names = _list(f"{r['phase']} ({r['evaluations']:,} restricted problems)" for r in own.to_dict("records"))
            words.append(f"{LABELS[method]}: no improvement came from {names}.")
            if method == "paper" and "neighborhood" in set(own["phase"]):
                words.append(
                    "Each exchange of the paper's neighborhood search starts from the last neighbor, better or not, so "
                    "that after a few it is far from the best."
                )
    if not words:
        return "Every phase that solved restricted problems improved some answer."
    return " ".join(words)


def _ablation_words(frame: pd.DataFrame) -> str:
    words = []
    for pipeline, subject in (("paper", "In the paper's pipeline"), ("ours", "In ours")):
        own = frame[(frame["pipeline"] == pipeline) & (frame["without"] != "nothing")]
        for what, name in (("objective_gap", "objective gap"), ("certified_gap", "certified gap")):
            worth = own[own[f"{what}_low"] > 0]
            harm = own[own[f"{what}_high"] < 0]
            if what == "certified_gap":
                worth = worth[worth["objective_gap_low"] <= 0]
            parts = []
            if len(worth):
                parts.append(f"{_list(worth['without'])} shown to lower the {name}".replace(" shown", (
                    " is shown" if len(worth) == 1 else " are shown")))  # fmt: skip
            if len(harm) and what == "objective_gap":
                parts.append(f"{_list(harm['without'])} to raise it")
            if what == "objective_gap":
                open_ = own[(own[f"{what}_low"] <= 0) & (own[f"{what}_high"] >= 0)]
                if len(open_):
                    parts.append(f"for {_list(open_['without'])} no difference is shown")
            if parts:
                start = subject if what == "objective_gap" else "Beyond that"
                words.append(f"{start}, {'; '.join(parts)}.")
    return " ".join(words)


def _interval(row: Mapping[Hashable, Any], what: str) -> str:
    mean, low, high = (float(row[f"{what}_{end}"]) for end in ("more", "low", "high"))
    if row["without"] == "nothing" or not math.isfinite(mean):
        return NOTHING
    return f"{mean:+.4f} [{low:+.4f}, {high:+.4f}]"


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


def _machine() -> str:
    name = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                name = line.split(":", 1)[1].strip()
                break
    from hybridmip import __version__

    cores = os.cpu_count() or 1
    return f"{name} ({_count(cores, 'core')}), Python {platform.python_version()}, HybridMIP {__version__}"
