"""The kinds of arrays that travel through the package."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Binary = NDArray[np.bool_]
Matrix = NDArray[np.float64]
