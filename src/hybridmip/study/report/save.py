"""The report as a whole, and as files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from hybridmip.errors import FileError
from hybridmip.files import write_bytes, write_text
from hybridmip.study.document import Document
from hybridmip.study.figures import STYLE
from hybridmip.study.report.ablation import ablation
from hybridmip.study.report.again import PARTS_FOLDER, again
from hybridmip.study.report.differences import differences
from hybridmip.study.report.findings import Findings
from hybridmip.study.report.opening import opening, setting
from hybridmip.study.report.paper_tables import classical, table1, table2, table3
from hybridmip.study.report.proven_gaps import table4
from hybridmip.study.run import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 120


def save_report(study: Study, folder: str | Path) -> list[Path]:
    """Write study.md and study.html, and the tables (CSV) and figures (PNG, SVG) in the folder study.

    Raises
    ------
    FileError
        If the place cannot be written to.
    """
    folder = Path(folder)
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


def report(findings: Findings) -> Document:
    """The report, block by block."""
    document = Document()
    for part in (opening, setting, table1, classical, table2, table3, table4, ablation, differences, again):
        part(document, findings)
    return document


def rendered(figure: Figure, kind: str) -> bytes:
    """A figure as PNG or SVG, the same bytes every time."""
    import matplotlib  # as in `study.figures`

    buffer = io.BytesIO()
    with matplotlib.rc_context(STYLE):
        metadata = {"Date": None} if kind == "svg" else {"Software": None}
        figure.savefig(buffer, format=kind, dpi=DPI, metadata=metadata)
    return buffer.getvalue()
