"""The paper's experiments (section 4), done again: its three tables beside ours, figures, an ablation, a report."""

from hybridmip.study.plan import Options
from hybridmip.study.run import Study, study

__all__ = ["Options", "Study", "study"]
