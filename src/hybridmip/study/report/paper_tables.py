"""The paper's three tables beside ours, and the classical setting."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from hybridmip.study import published, tables
from hybridmip.study.document import Document, Grid, Heading, Picture, Text
from hybridmip.study.report.findings import Findings
from hybridmip.study.report.words import NOTHING, listed, number
from hybridmip.study.run import PROVEN_GAP
from hybridmip.study.sets import ASSETS
from hybridmip.study.tables import LABELS, STATISTICS


def table1(document: Document, findings: Findings) -> None:
    """Percentage errors, as the paper measures them."""
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


def classical(document: Document, findings: Findings) -> None:
    """The trade-off between return and variance, as in the literature."""
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


def table2(document: Document, findings: Findings) -> None:
    """Binary gaps."""
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


def table3(document: Document, findings: Findings) -> None:
    """Objective gaps."""
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
            where = listed(f"{r['without']} of {r['set']}" for r in own.to_dict("records") if r["without"])
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
    words = f"The mean is below the tabu search's on {listed(lower)}. " if lower else ""
    if equal:
        words += (
            f"On {listed(equal)} the median agrees with the published one to its last digit: the error is measured in "
            "the same way. "
        )
    return words


def _outside_words(frame: pd.DataFrame) -> str:
    both, one = int(frame["outside"].sum()), frame[frame["one_undefined"] > 0]
    words = []
    if len(one):
        where = listed(f"{r['one_undefined']} of {r['set']} ({r['lambdas']} lambdas)" for r in one.to_dict("records"))
        words.append(
            f"Only one of the two errors is defined for {where}: the least variance of ten assets may have a return "
            "below all of the frontier's, and the error in return that then counts can be large, since the frontier "
            "is flat there."
        )
    if both:
        words.append(f"{both} points lie outside both the frontier's risks and its returns and are left out.")
    return " ".join(words) or "Both errors are defined everywhere."
