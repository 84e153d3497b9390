"""Estimators in the manner of scikit-learn: `fit`, `predict`, `score`, parameters that can be searched over.

The names below are imported when they are first used: skfolio, where it is installed, takes some seconds.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from hybridmip.errors import MissingDependencyError

try:
    importlib.import_module("sklearn")
except ImportError:
    raise MissingDependencyError(
        "hybridmip.estimators needs the package scikit-learn: pip install 'hybridmip[sklearn]'"
    ) from None

if TYPE_CHECKING:
    from hybridmip.estimators.best_subset import BestSubsetRegressor, BestSubsetRegressorCV
    from hybridmip.estimators.sparse_portfolio import SparsePortfolio

__all__ = ["BestSubsetRegressor", "BestSubsetRegressorCV", "SparsePortfolio"]

#: The module that each name is imported from when it is first used.
_HOME = {
    "BestSubsetRegressor": "best_subset",
    "BestSubsetRegressorCV": "best_subset",
    "SparsePortfolio": "sparse_portfolio",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
