"""The picture of the first page: the frontier of an invented market, drawn when the site is built.

    python docs/_ext/pictures.py docs/_static/frontier.svg

draws the one of the README. Its description holds the numbers that it shows, so that a test can tell whether they are
still those of the solver.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

WHERE = Path("_build") / "pictures" / "frontier.svg"


def numbers() -> dict[str, Any]:
    """What is drawn: risk and return of the points with three, four and six of thirty assets, in percent per week."""
    import hybridmip as hm

    market = hm.market(assets=30, seed=7)
    curves: dict[str, Any] = {}
    for held in (3, 4, 6):
        portfolio = market.portfolio(assets=held, min_weight=0.01)
        found = hm.frontier(portfolio, points=20)
        table = found.to_frame()
        if left := set(table["status"]) - {"optimal", "infeasible"}:
            raise RuntimeError(f"the first page says that all points are proven; some are {left}")
        table = table[table["status"] == "optimal"]  # the highest returns cannot be had with several assets
        curves[f"{held} assets"] = [
            (round(100 * float(risk), 3), round(100 * float(earned), 3))
            for risk, earned in zip(table["risk"], table["expected_return"], strict=True)
        ]
    free = found.unconstrained
    assert free is not None
    curves["any number"] = [
        (round(100 * float(variance) ** 0.5, 3), round(100 * float(earned), 3))
        for earned, variance in zip(*free, strict=True)
    ]
    return curves


def draw(path: Path) -> None:
    """Draw the picture, on a background of its own so that it can be read on dark and light pages."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    curves = numbers()
    with mpl.rc_context({"svg.hashsalt": "hybridmip", "svg.fonttype": "path", "font.size": 11}):
        figure = Figure(figsize=(7.2, 3.8), layout="constrained", facecolor="white")
        axes = figure.add_subplot()
        for (label, points), colour in zip(curves.items(), ("#b4530a", "#0b6e99", "#1b7a3d", "#666666"), strict=True):
            risk, earned = zip(*points, strict=True)
            if label == "any number":
                axes.plot(risk, earned, "--", color=colour, linewidth=1.2, label=label)
            else:
                axes.plot(risk, earned, "o-", color=colour, markersize=3.5, linewidth=1.5, label=label)
        axes.set_xlabel("risk (standard deviation, % per week)")
        axes.set_ylabel("expected return (% per week)")
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(title="hold", frameon=False)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None, "Creator": None, "Description": json.dumps(curves)})


def at_the_start(app: Any) -> None:
    """Draw it before the pages are read."""
    draw(Path(app.srcdir) / WHERE)


def setup(app: Any) -> dict[str, bool]:
    """Draw the picture whenever the site is built."""
    app.connect("builder-inited", at_the_start)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
