"""Numbers as they were published: the paper's three tables, and the tabu search of Chang et al. (2000)."""

from __future__ import annotations

#: Columns of the paper's tables; its "Ours" is the algorithm that is called Paper here.
COLUMNS = ("line", "dual", "augm", "paper")

Table = dict[str, dict[str, tuple[float, float, float, float]]]

#: The paper's Table 1: percentage error.
PERCENTAGE_ERROR: Table = {
    "port1": {"mean": (0.7929, 0.5232, 0.9131, 0.5231), "median": (0.4317, 0.4147, 0.6223, 0.3356)},
    "port2": {"mean": (4.8232, 5.8435, 10.3267, 0.6050), "median": (4.3321, 2.9218, 6.0821, 0.1502)},
    "port3": {"mean": (4.7993, 4.0280, 6.2230, 0.1598), "median": (5.3894, 2.8866, 9.7862, 0.3217)},
    "port4": {"mean": (5.5428, 5.8134, 8.9946, 0.2272), "median": (4.2753, 5.3949, 11.0371, 0.9978)},
    "port5": {"mean": (1.3079, 1.7143, 2.0529, 0.1368), "median": (0.4247, 0.3827, 1.7317, 0.1363)},
}

#: The paper's Table 2: binary gap, by its text half of sum |b - b_ref|, by its numbers the sum.
BINARY_GAP: Table = {
    "port1": {
        "mean": (0.5531, 0.5957, 1.7447, 0.0213), "median": (0.0, 0.0, 2.0, 0.0),
        "max": (2.0, 4.0, 8.0, 2.0), "min": (0.0, 0.0, 0.0, 0.0),
    },
    "port2": {
        "mean": (3.0833, 3.3750, 7.4166, 2.4583), "median": (2.0, 2.0, 8.0, 2.0),
        "max": (10.0, 14.0, 10.0, 14.0), "min": (0.0, 0.0, 2.0, 0.0),
    },
    "port3": {
        "mean": (3.0416, 4.5833, 6.6666, 2.8333), "median": (2.0, 4.0, 6.0, 2.0),
        "max": (10.0, 14.0, 12.0, 10.0), "min": (0.0, 0.0, 2.0, 0.0),
    },
    "port4": {
        "mean": (3.9591, 5.5918, 6.0816, 3.5918), "median": (2.0, 4.0, 6.0, 2.0),
        "max": (12.0, 20.0, 12.0, 10.0), "min": (0.0, 0.0, 2.0, 0.0),
    },
    "port5": {
        "mean": (18.053, 20.605, 27.249, 6.4263), "median": (10.0, 14.0, 20.0, 2.0),
        "max": (36.0, 52.0, 78.0, 30.0), "min": (0.0, 0.0, 2.0, 0.0),
    },
}  # fmt: skip

#: The paper's Table 3: objective gap in percent.
OBJECTIVE_GAP: Table = {
    "port1": {
        "mean": (-0.0134, 0.0320, 0.6199, -0.0139), "median": (0.0, 0.0, 0.4428, 0.0),
        "max": (0.0196, 0.8544, 2.8169, 0.0), "min": (-0.1121, -0.1121, -0.1121, -0.1121),
    },
    "port2": {
        "mean": (3.7400, 6.4104, 17.085, 0.4146), "median": (0.5951, 1.1207, 10.876, 0.1993),
        "max": (25.665, 68.956, 89.733, 8.2481), "min": (-0.2863, -0.2863, 0.1744, -28.742),
    },
    "port3": {
        "mean": (1.8865, 7.1643, 7.6136, 0.7935), "median": (0.2503, 1.1735, 3.8920, 0.2287),
        "max": (20.266, 42.294, 34.663, 7.9213), "min": (-0.1837, -0.1837, 0.3468, -0.1837),
    },
    "port4": {
        "mean": (5.3076, 11.036, 11.022, 1.8449), "median": (1.5950, 5.8239, 6.5265, 0.8271),
        "max": (31.312, 72.097, 55.262, 7.4657), "min": (-0.0671, -0.0585, 0.0696, -0.0671),
    },
    "port5": {
        "mean": (1.4361, 13.923, 24.931, 0.2133), "median": (0.7066, 2.1052, 13.253, 0.2098),
        "max": (18.773, 53.256, 60.623, 10.478), "min": (-0.9378, -0.4020, 0.3124, -4.2573),
    },
}  # fmt: skip

#: Chang et al. (2000), tabu search, K = 10, 50 values of lambda: median and mean percentage error.
TABU_SEARCH = {
    "port1": (1.2181, 1.1217),
    "port2": (2.6380, 3.3049),
    "port3": (1.0841, 1.6080),
    "port4": (1.2882, 3.3092),
    "port5": (0.6093, 0.8975),
}


def cells(table: Table, name: str, statistic: str) -> tuple[float | None, ...]:
    """The paper's cells for a set and a statistic, in the order of `COLUMNS`; None where it has none."""
    return table.get(name, {}).get(statistic, (None, None, None, None))


def impossible_errors(name: str) -> list[str]:
    """Columns of Table 1 whose mean and median cannot both be true.

    At least half of the values are not below the median; if none is negative the mean is half the median or more.
    """
    means, medians = PERCENTAGE_ERROR[name]["mean"], PERCENTAGE_ERROR[name]["median"]
    return [c for c, mean, median in zip(COLUMNS, means, medians, strict=True) if mean < median / 2]


def target_counts(name: str, least: int = 40, most: int = 50) -> list[int]:
    """Numbers of targets for which every mean of Table 2 is a whole number over it, to the digits printed."""
    means = BINARY_GAP[name]["mean"]
    digits = 4 if name != "port5" else 3
    # The last printed digit may be cut off rather than rounded.
    return [
        count
        for count in range(least, most + 1)
        if all(abs(mean - round(mean * count) / count) < 10.0**-digits for mean in means)
    ]
