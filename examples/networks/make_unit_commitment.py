"""Makes unit_commitment.mps: six generating units over 24 hours, as a free-format MPS file."""

from pathlib import Path

#: Least and most power (MW), cost of an hour on, of a MWh and of a start, hours that a unit
#: stays on once started, MW by which it may rise in an hour.
UNITS = {
    "nuclear": (300, 500, 900, 8, 6000, 12, 60),
    "coal1": (120, 300, 700, 19, 1800, 6, 100),
    "coal2": (100, 260, 620, 21, 1500, 6, 90),
    "gas1": (40, 150, 380, 32, 300, 3, 120),
    "gas2": (30, 120, 330, 35, 240, 2, 120),
    "peak": (10, 80, 150, 58, 60, 1, 80),
}
DEMAND = (
    620, 590, 570, 560, 570, 610, 720, 850, 930, 960, 970, 980,
    960, 940, 930, 950, 1000, 1090, 1120, 1080, 980, 880, 770, 680,
)  # fmt: skip
#: Capacity that is on must be above the demand by this share.
RESERVE = 0.1


def text() -> str:
    """The file."""
    hours = range(1, len(DEMAND) + 1)
    rows: dict[str, tuple[str, float]] = {}
    columns: dict[str, dict[str, float]] = {}

    def row(name: str, sense: str, limit: float, terms: dict[str, float]) -> None:
        rows[name] = (sense, limit)
        for column, value in terms.items():
            columns.setdefault(column, {})[name] = value

    for unit, (_, _, hour, mwh, start, _, _) in UNITS.items():
        for t in hours:
            columns[f"on_{unit}_{t}"] = {"cost": hour}
            columns[f"start_{unit}_{t}"] = {"cost": start}
            columns[f"power_{unit}_{t}"] = {"cost": mwh}
    for t in hours:
        demand = float(DEMAND[t - 1])
        row(f"demand_{t}", "E", demand, {f"power_{unit}_{t}": 1.0 for unit in UNITS})
        capacity = {f"on_{unit}_{t}": float(data[1]) for unit, data in UNITS.items()}
        row(f"reserve_{t}", "G", round((1 + RESERVE) * demand, 6), capacity)
    for unit, (low, high, _, _, _, lasts, ramp) in UNITS.items():
        for t in hours:
            on, power = f"on_{unit}_{t}", f"power_{unit}_{t}"
            row(f"most_{unit}_{t}", "L", 0.0, {power: 1.0, on: -float(high)})
            row(f"least_{unit}_{t}", "G", 0.0, {power: 1.0, on: -float(low)})
            recent = range(max(1, t - lasts + 1), t + 1)
            starts = {f"start_{unit}_{s}": 1.0 for s in recent}
            row(f"stays_{unit}_{t}", "L", 0.0, {**starts, on: -1.0})
            if t > 1:
                before = {f"on_{unit}_{t - 1}": -1.0}
                row(
                    f"starts_{unit}_{t}",
                    "L",
                    0.0,
                    {on: 1.0, **before, f"start_{unit}_{t}": -1.0},
                )
                # A unit that starts comes in at its least power.
                change = {
                    power: 1.0,
                    f"power_{unit}_{t - 1}": -1.0,
                    f"start_{unit}_{t}": -float(low),
                }
                row(f"up_{unit}_{t}", "L", float(ramp), change)

    lines = ["NAME unit_commitment", "ROWS", " N cost"]
    lines += [f" {sense} {name}" for name, (sense, _) in rows.items()]
    lines.append("COLUMNS")
    for kind in ("on", "start", "power"):
        integral = kind != "power"
        lines += [" M1 'MARKER' 'INTORG'"] if integral else []
        for column, entries in columns.items():
            if column.startswith(f"{kind}_"):
                pairs = [f"{name} {value:g}" for name, value in entries.items()]
                lines += [
                    f" {column} " + " ".join(pairs[k : k + 2]) for k in range(0, len(pairs), 2)
                ]
        lines += [" M2 'MARKER' 'INTEND'"] if integral else []
    lines.append("RHS")
    lines += [f" rhs {name} {limit:g}" for name, (_, limit) in rows.items() if limit]
    lines.append("BOUNDS")
    lines += [f" BV bnd {column}" for column in columns if not column.startswith("power_")]
    return "\n".join([*lines, "ENDATA", ""])


if __name__ == "__main__":
    (Path(__file__).parent / "unit_commitment.mps").write_text(text(), encoding="utf-8")
