"""A figure that a notebook shows as a picture, with no magic and no backend chosen.

Matplotlib (half a second) is loaded with this module, so that who does not draw does not import it.
"""

from __future__ import annotations

from io import BytesIO

from matplotlib.figure import Figure

#: Dots per inch in a notebook.
DPI = 110


class InlineFigure(Figure):
    """As `matplotlib.figure.Figure`, of which IPython shows only the text unless pyplot was asked for."""

    def _repr_png_(self) -> bytes:
        """The picture, for a notebook."""
        drawn = BytesIO()
        self.savefig(drawn, format="png", dpi=DPI)
        return drawn.getvalue()
