"""Everything that the report is made of: the tables and figures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import pandas as pd

from hybridmip.study import figures as draw
from hybridmip.study import tables
from hybridmip.study.run import Answers, Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
        methods = tables.methods_of(self.answers, self.points)
        result = {
            f"frontier_{name}": draw.draw(draw.frontier_figure, market, self.points, methods)
            for name, market in self.answers.markets.items()
        }
        result["objective_gaps"] = draw.draw(draw.gaps_figure, self.answers, self.points)
        result["convergence"] = draw.draw(draw.convergence_figure, self.answers, self.best)
        result["ablation"] = draw.draw(draw.ablation_figure, self.frames["ablation"])
        return result
