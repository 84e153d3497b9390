"""The report of the study: the paper's numbers beside ours, and in words where they differ and why."""

from hybridmip.study.report.findings import Findings
from hybridmip.study.report.save import report, save_report

__all__ = ["Findings", "report", "save_report"]
