"""What an estimator of portfolios derives from: skfolio's base class where skfolio is installed, else one like it."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from hybridmip.applications.portfolio.labels import is_frame
from hybridmip.errors import MissingDependencyError
from hybridmip.estimators.validation import checked_data

#: Whether portfolios are skfolio's.
WITH_SKFOLIO = importlib.util.find_spec("skfolio") is not None
#: Parameters that are skfolio's own, and what they are without a word about them.
OF_SKFOLIO = {"portfolio_params": None, "fallback": None, "raise_on_failure": True}


class PlainOptimization(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The part of skfolio's `BaseOptimization` that needs no skfolio: returns of the weights, and their Sharpe ratio.

    Deriving classes set `weights_` in `fit` and have `risk_free_rate` and `trade_cost_paid`.
    """

    def predict(self, X: Any) -> Any:
        """Returns of the portfolio over the observations of X, less what its trades cost per period.

        Parameters
        ----------
        X : array_like or DataFrame (observations, assets)

        Returns
        -------
        ndarray or Series
            A Series with the index of X where X is a DataFrame.
        """
        check_is_fitted(self, "weights_")
        returns = checked_data(self, X, reset=False) @ self.weights_ - self.trade_cost_paid
        return pd.Series(returns, index=X.index, name=type(self).__name__) if is_frame(X) else returns

    def score(self, X: Any, y: Any = None) -> float:
        """Sharpe ratio per period over X: mean of the returns above `risk_free_rate`, over their standard deviation.

        Parameters
        ----------
        X : array_like or DataFrame (observations, assets)
        y : ignored
        """
        returns = np.asarray(self.predict(X))
        if returns.size < 2:
            return float("nan")
        deviation = float(returns.std(ddof=1))
        return (float(returns.mean()) - self.risk_free_rate) / deviation if deviation > 0 else float("nan")

    def check_base(self) -> None:
        """Refuse parameters that only skfolio gives a meaning.

        Raises
        ------
        MissingDependencyError
        """
        for name, default in OF_SKFOLIO.items():
            if getattr(self, name) != default:
                raise MissingDependencyError(f"{name} needs the package skfolio: pip install 'hybridmip[skfolio]'")


if TYPE_CHECKING or not WITH_SKFOLIO:
    PortfolioEstimator = PlainOptimization
else:
    from skfolio.optimization import BaseOptimization as PortfolioEstimator

__all__ = ["OF_SKFOLIO", "WITH_SKFOLIO", "PlainOptimization", "PortfolioEstimator"]
