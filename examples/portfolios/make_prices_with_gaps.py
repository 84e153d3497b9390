"""Makes prices_with_gaps.csv: prices of twelve made-up assets, with the gaps of real files."""

from pathlib import Path

import numpy as np

import hybridmip as hm

NAMES = [
    "ALDER",
    "BEECH",
    "CEDAR",
    "ELM",
    "FIR",
    "HAZEL",
    "LARCH",
    "MAPLE",
    "OAK",
    "PINE",
    "ROWAN",
    "WILLOW",
]


def text() -> str:
    """The file."""
    prices = hm.market(assets=len(NAMES), periods=156, seed=4).prices()
    prices.columns = NAMES
    prices.loc[prices.index[:70], "FIR"] = np.nan  # listed later than the others
    prices.loc[prices.index[40:43], "BEECH"] = np.nan  # trading was halted
    prices.loc[prices.index[[15, 88, 120]], "PINE"] = np.nan  # the provider lost some
    prices.loc[prices.index[150:], "MAPLE"] = np.nan  # taken over
    return prices.round(2).to_csv()


if __name__ == "__main__":
    (Path(__file__).parent / "prices_with_gaps.csv").write_text(text(), encoding="utf-8")
