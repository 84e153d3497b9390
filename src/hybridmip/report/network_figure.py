"""A picture of a network: open arcs by their flow, closed ones in grey, where goods come from and go to.

Matplotlib takes half a second and is loaded by who draws.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hybridmip.applications.network import FixedChargeNetwork, NetworkResult
from hybridmip.errors import ArgumentError
from hybridmip.report.figures import save_figure
from hybridmip.run.result import Result
from hybridmip.run.words import gap_in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Points = NDArray[np.float64]

#: Names of automatic layouts.
LAYOUTS = ("kamada_kawai", "spring", "circle")
#: Up to this many nodes Kamada and Kawai's layout is quick enough.
KAMADA_KAWAI_NODES = 80
#: Flows are written at the arcs of networks with at most this many open ones.
LABELLED_ARCS = 40
#: Inches: width of the figure, and room for title and legend.
WIDTH, TITLE, LEGEND = 8.0, 0.66, 0.5
#: An arc counts as full from this share of its capacity.
FULL = 1.0 - 1e-6

# Okabe and Ito's colours, which every kind of colour vision tells apart; shapes differ as well.
_INK, _FAINT, _CLOSED = "#222222", "#8A8A8A", "#C9C9C9"
_OPEN, _FULL = "#0072B2", "#D55E00"
_KINDS = {
    "source": ("s", "#009E73", "white"),
    "sink": ("o", "#E69F00", _INK),
    "source and sink": ("D", "#CC79A7", _INK),
    "neither": ("o", "white", _INK),
}


@dataclass(frozen=True)
class _Scene:
    """What is drawn, and how large."""

    reading: NetworkResult
    points: Points
    kinds: list[str]
    radius: float
    text: float
    thickest: float

    @property
    def network(self) -> FixedChargeNetwork:
        return self.reading.network


def network_figure(
    reading: NetworkResult | Result,
    path: str | Path | None = None,
    layout: Mapping[Any, tuple[float, float]] | str | None = None,
    *,
    network: FixedChargeNetwork | None = None,
    title: str | None = None,
) -> Figure:
    """Draw an answer: open arcs as wide as their flow, closed ones thin and grey.

    Parameters
    ----------
    reading : NetworkResult or Result
        What `FixedChargeNetwork.read` gave; a `Result` needs `network` beside it.
    path : path, optional
        Where to write it; the ending (.png, .svg, .pdf) chooses the format. Without an ending, both a PNG and
        an SVG are written.
    layout : mapping or {"kamada_kawai", "spring", "circle"}, optional
        (x, y) of every node, or how to place them. Left out: the network's `positions`, else the first that
        works (networkx is needed for all but the circle).
    network : FixedChargeNetwork, optional
        The network that a `Result` is of.
    title : str, optional
        Heading; the cost and how far from optimal it can be, if left out.

    Returns
    -------
    matplotlib.figure.Figure
        Not attached to any window.

    Raises
    ------
    ArgumentError
        If the layout lacks a node or is unknown, or a `Result` comes without its network.
    FileError
        If the place cannot be written to.

    Examples
    --------
    >>> import hybridmip as hm
    >>> network = hm.example_network(nodes=6)
    >>> figure = hm.network_figure(network.read(hm.solve(network)), title="Six nodes")
    >>> len(figure.axes) > 0
    True
    """
    if isinstance(reading, Result):
        if network is None:
            raise ArgumentError("network is left out; give the network that the result is of, or network.read(result)")
        reading = network.read(reading)
    if not isinstance(reading, NetworkResult):
        raise ArgumentError(f"reading is a {type(reading).__name__}; give what network.read(result) returns")
    import matplotlib as mpl

    from hybridmip.report.inline_figure import InlineFigure  # with Matplotlib

    points = _place(reading.network, layout)
    count = len(points)
    radius = float(np.clip(52.0 / np.sqrt(count), 3.0, 15.0))
    scene = _Scene(
        reading, points, _kinds(reading.network), radius, float(np.clip(0.66 * radius, 4.5, 8.0)),
        float(np.clip(26.0 / np.sqrt(count), 1.5, 7.0)),
    )  # fmt: skip
    span = np.maximum(np.ptp(points, axis=0), 1e-9)
    inner = float(np.clip(WIDTH * span[1] / span[0], 0.4 * WIDTH, 0.85 * WIDTH))
    height = inner + TITLE + LEGEND
    with mpl.rc_context({"font.family": "sans-serif", "svg.fonttype": "none"}):
        figure = InlineFigure(figsize=(WIDTH, height))
        axes = figure.add_axes((0.0, LEGEND / height, 1.0, inner / height))
        axes.set_axis_off()
        _frame(axes, scene, WIDTH, inner)
        curves = _draw_arcs(axes, scene)
        _draw_nodes(axes, scene)
        _draw_flows(axes, scene, curves)
        _head(figure, reading, title, height)
        _legend(figure, scene)
        if path is not None:
            path = Path(path)
            for place in (path,) if path.suffix else (path.with_suffix(".png"), path.with_suffix(".svg")):
                save_figure(figure, place)
    return figure


def _place(network: FixedChargeNetwork, layout: Any) -> Points:
    """Coordinates of the nodes, in the network's order."""
    if layout is None and network.positions is not None:
        layout = network.positions
    if isinstance(layout, Mapping):
        for node in network.nodes:
            if node not in layout:
                raise ArgumentError(f"layout lacks {node!r}; give (x, y) of every node")
        points = np.array([layout[node] for node in network.nodes], dtype=np.float64)
        if points.shape != (len(network.nodes), 2) or not np.isfinite(points).all():
            raise ArgumentError("layout has an entry that is no pair of finite numbers; give (x, y) of every node")
        return points
    if layout is not None and layout not in LAYOUTS:
        raise ArgumentError(f"layout is {layout!r}; give a mapping of (x, y), or one of {', '.join(LAYOUTS)}")
    if layout != "circle" and len(network.nodes) > 2:
        try:
            return _turned(network, _networkx_layout(network, layout))
        except ImportError:
            if layout is not None:
                raise
    angle = np.pi - 2 * np.pi * np.arange(len(network.nodes)) / len(network.nodes)
    return np.column_stack([np.cos(angle), np.sin(angle)])


def _networkx_layout(network: FixedChargeNetwork, layout: str | None) -> Points:
    graph = network.to_networkx()  # raises MissingDependencyError, an ImportError
    import networkx as nx

    plain = nx.Graph()
    plain.add_nodes_from(network.nodes)
    plain.add_edges_from((tail, head) for tail, head in graph.edges())
    small = len(network.nodes) <= KAMADA_KAWAI_NODES
    start = None
    if layout == "kamada_kawai" or (layout is None and small and nx.is_connected(plain)):
        start = nx.kamada_kawai_layout(plain)
    else:
        spread = 1.6 / np.sqrt(len(network.nodes))
        start = nx.spring_layout(plain, seed=0, k=spread, iterations=150)
    return np.array([start[node] for node in network.nodes], dtype=np.float64)


def _turned(network: FixedChargeNetwork, points: Points) -> Points:
    """The layout turned until it is widest across, sources on the left."""
    centred = points - points.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    turned = centred @ axes[:, ::-1]
    sent = np.maximum(network.supplies, 0.0).sum(axis=0)
    taken = np.maximum(-network.supplies, 0.0).sum(axis=0)
    if (sent - taken) @ turned[:, 0] > 0:
        turned[:, 0] *= -1.0
    return np.asarray(turned, dtype=np.float64)


def _kinds(network: FixedChargeNetwork) -> list[str]:
    sends, takes = (np.any(sign * network.supplies > 0, axis=0).tolist() for sign in (1.0, -1.0))
    words = {(True, True): "source and sink", (True, False): "source", (False, True): "sink"}
    return [words.get((s, t), "neither") for s, t in zip(sends, takes, strict=True)]


def _frame(axes: Axes, scene: _Scene, width: float, height: float) -> None:
    """Limits such that a unit is as long across as up, with room for the outermost nodes and their names."""
    low, high = scene.points.min(axis=0), scene.points.max(axis=0)
    longest = max(_width(str(node), scene.text) for node in scene.network.nodes)
    margin = np.array([max(scene.radius + 14.0, min(longest / 2 + 6.0, 100.0)), scene.radius + 16.0])
    room = (np.array([width, height]) - 2 * margin / 72.0).clip(min=0.5)
    unit = float((np.maximum(high - low, 1e-9) / room).max())
    middle = (low + high) / 2
    axes.set_xlim(middle[0] - unit * width / 2, middle[0] + unit * width / 2)
    axes.set_ylim(middle[1] - unit * height / 2, middle[1] + unit * height / 2)


def _bends(network: FixedChargeNetwork, is_open: tuple[bool, ...]) -> NDArray[np.float64]:
    """How far each arc bows out: straight if it is alone, else each to its own right."""
    pairs = [frozenset(arc) for arc in network.arcs]
    shown = Counter(pair for pair, on in zip(pairs, is_open, strict=True) if on)
    bends = np.zeros(len(pairs))
    seen: Counter[tuple[Any, Any]] = Counter()
    for a, (pair, arc) in enumerate(zip(pairs, network.arcs, strict=True)):
        if is_open[a]:
            nth = seen[arc]
            seen[arc] += 1
            bends[a] = 0.0 if shown[pair] == 1 else 0.13 + 0.13 * nth
        elif shown[pair]:
            bends[a] = 0.13 + 0.13 * shown[pair] if shown[pair] > 1 else 0.13
    return bends


def _curve(start: Points, end: Points, bend: float, shares: Points) -> Points:
    """Points of the quadratic Bezier curve that Matplotlib's arc3 draws."""
    step = end - start
    control = (start + end) / 2 + bend * np.array([step[1], -step[0]])
    t = shares[:, None]
    return np.asarray((1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end)


def _draw_arcs(axes: Axes, scene: _Scene) -> dict[int, float]:
    """Draw closed arcs, then open ones; returns the bend of each arc that carries something."""
    from matplotlib.collections import LineCollection
    from matplotlib.patches import FancyArrowPatch

    network, reading, points = scene.network, scene.reading, scene.points
    bends = _bends(network, reading.is_open)
    shares = np.linspace(0.0, 1.0, 17)
    grey: dict[tuple[Any, ...], Points] = {}
    for a, on in enumerate(reading.is_open):
        if not on:
            tail, head = int(network.tails[a]), int(network.heads[a])
            key = (min(tail, head), max(tail, head)) if bends[a] == 0 else (tail, head, float(bends[a]))
            grey[key] = _curve(points[tail], points[head], bends[a], shares)
    axes.add_collection(LineCollection(list(grey.values()), colors=_CLOSED, linewidths=0.7, zorder=1), autolim=False)
    largest = float(reading.flow.max(initial=0.0)) or 1.0
    carrying: dict[int, float] = {}
    idle = set(reading.idle)
    # Wide arcs first, so that thin ones stay visible where they cross.
    for a in np.argsort(-reading.flow, kind="stable"):
        if not reading.is_open[a]:
            continue
        tail, head = int(network.tails[a]), int(network.heads[a])
        if network.arc_names[a] in idle:
            curve = _curve(points[tail], points[head], bends[a], shares)
            axes.plot(*curve.T, color=_OPEN, linewidth=1.0, linestyle=(0, (2, 2)), zorder=2)
            continue
        width = max(scene.thickest * float(reading.flow[a]) / largest, 0.8)
        style = f"simple,tail_width={width:.3f},head_width={width + 4.5:.3f},head_length={0.6 * width + 5.0:.3f}"
        arrow = FancyArrowPatch(
            tuple(points[tail]), tuple(points[head]), connectionstyle=f"arc3,rad={bends[a]:.3f}", arrowstyle=style,
            mutation_scale=1.0, shrinkA=scene.radius + 0.5, shrinkB=scene.radius + 1.5, linewidth=0.0,
            facecolor=_FULL if _is_full(reading, int(a)) else _OPEN, alpha=0.92, zorder=3,
        )  # fmt: skip
        axes.add_patch(arrow)
        carrying[int(a)] = float(bends[a])
    return carrying


def _is_full(reading: NetworkResult, a: int) -> bool:
    return bool(reading.flow[a] >= FULL * reading.network.capacity[a])


def _amount(value: float) -> str:
    """A flow in few characters."""
    if abs(value - round(value)) < 1e-6 * max(1.0, abs(value)) and abs(value) < 1e6:
        return f"{round(value)}"
    return f"{value:.3g}"


def _draw_nodes(axes: Axes, scene: _Scene) -> None:
    from matplotlib import patheffects

    network = scene.network
    halo = [patheffects.withStroke(linewidth=2.0, foreground="white")]
    for i, node in enumerate(network.nodes):
        shape, face, ink = _KINDS[scene.kinds[i]]
        # Squares and diamonds look larger than circles of the same marker size.
        size = 2 * scene.radius * {"s": 0.9, "D": 0.78, "o": 1.0}[shape]
        x, y = scene.points[i]
        axes.plot(
            [x], [y], marker=shape, markersize=size, color=face, markeredgecolor=_INK, markeredgewidth=0.8, zorder=4
        )
        name = str(node)
        amount = ""
        if network.supply is not None and network.supply[i] != 0 and scene.radius >= 12.0:
            amount = f"{'+' if network.supply[i] > 0 else '−'}{_amount(abs(float(network.supply[i])))}"
        inside = [part for part in (name, amount) if part and _width(part, scene.text) <= 1.75 * scene.radius]
        if inside:
            lines = "\n".join(inside)
            axes.text(x, y, lines, ha="center", va="center", fontsize=scene.text, color=ink, linespacing=1.0, zorder=6)
        if name not in inside:
            side = _free_side(scene, i)
            axes.annotate(name, (x, y), (0.0, side * (scene.radius + 2.0)), textcoords="offset points", ha="center",
                          va="top" if side < 0 else "bottom", fontsize=scene.text, color=_INK, path_effects=halo,
                          zorder=6)  # fmt: skip


def _width(text: str, size: float) -> float:
    """About how wide a text is, in points."""
    return 0.62 * size * len(text)


def _free_side(scene: _Scene, i: int) -> float:
    """1 to write above a node, -1 below: where fewer arcs are in the way, above all open ones."""
    network = scene.network
    crowd = {1.0: 0.0, -1.0: 0.0}
    for a in np.flatnonzero((network.tails == i) | (network.heads == i)):
        other = network.heads[a] if network.tails[a] == i else network.tails[a]
        step = scene.points[other] - scene.points[i]
        up = float(step[1]) / (float(np.hypot(*step)) or 1.0)
        crowd[1.0 if up > 0 else -1.0] += abs(up) * (10.0 if scene.reading.is_open[a] else 1.0)
    return 1.0 if crowd[1.0] < crowd[-1.0] else -1.0


def _draw_flows(axes: Axes, scene: _Scene, carrying: dict[int, float]) -> None:
    """Write the flows at small networks' arcs, each where it covers no node and no other flow."""
    if not carrying or len(carrying) > LABELLED_ARCS:
        return
    network, points = scene.network, scene.points
    size = min(7.0, scene.text + 1.5)
    to_points = 72.0 / axes.figure.dpi
    nodes = axes.transData.transform(points) * to_points
    taken: list[tuple[float, float, float, float]] = []
    reach = scene.radius + 1.0
    for x, y in nodes:
        taken.append((x - reach, y - reach, x + reach, y + reach))
    tracks = {
        a: _curve(nodes[network.tails[a]], nodes[network.heads[a]], bend, np.linspace(0.0, 1.0, 41))
        for a, bend in carrying.items()
    }
    for a, track in sorted(tracks.items(), key=lambda item: float(np.ptp(item[1], axis=0).sum())):
        label = _amount(float(scene.reading.flow[a]))
        half = np.array([0.31 * size * len(label) + 1.5, 0.5 * size + 1.5])
        others = np.vstack([other for b, other in tracks.items() if b != a] or [np.empty((0, 2))])
        best: tuple[float, Points] | None = None
        for share in (20, 18, 22, 16, 24, 14, 26, 12, 28):
            centre = track[share]
            box = (*(centre - half), *(centre + half))
            if any(box[0] < t[2] and t[0] < box[2] and box[1] < t[3] and t[1] < box[3] for t in taken):
                continue
            covered = float((np.abs(others - centre) < half).all(axis=1).sum())
            if best is None or covered < best[0]:
                best = covered, centre
        if best is None:
            continue
        centre = best[1]
        taken.append((*(centre - half), *(centre + half)))
        x, y = axes.transData.inverted().transform(centre / to_points)
        colour = _FULL if _is_full(scene.reading, a) else _INK
        box_style = {"boxstyle": "round,pad=0.18", "facecolor": "white", "edgecolor": "none", "alpha": 0.9}
        axes.text(x, y, label, ha="center", va="center", fontsize=size, color=colour, zorder=5, bbox=box_style)


def _head(figure: Figure, reading: NetworkResult, title: str | None, height: float) -> None:
    if title is None:
        words = gap_in_words(reading.objective, reading.bound, reading.status == "optimal", reading.gap)
        words = words.partition(" (")[0]
        title = f"Cost {reading.cost:,.6g}, {f'gap {words}' if words.endswith('%') else words}"
    parts = [f"{name} {value:,.6g}" for name, value in reading.cost_split.items() if value]
    below = f"{sum(reading.is_open)} of {len(reading.is_open)} arcs open"
    if len(parts) > 1:
        below += f"; cost: {', '.join(parts)}"
    figure.text(0.02, 1 - 0.16 / height, title, fontsize=11, fontweight="bold", va="top", color=_INK)
    figure.text(0.02, 1 - 0.40 / height, below, fontsize=8.5, va="top", color=_FAINT)


def _legend(figure: Figure, scene: _Scene) -> None:
    from matplotlib.lines import Line2D

    reading = scene.reading
    several = scene.network.commodities is not None
    words = {
        "source": "origin" if several else "source",
        "sink": "destination" if several else "sink",
        "source and sink": "origin and destination",
        "neither": "on the way",
    }
    keys: list[Line2D] = []
    width = min(scene.thickest, 4.0)
    for kind, (shape, face, _) in _KINDS.items():
        if kind in scene.kinds:
            keys.append(Line2D([], [], linestyle="none", marker=shape, markersize=8, color=face, markeredgecolor=_INK,
                               markeredgewidth=0.8, label=words[kind]))  # fmt: skip
    carrying = [a for a, flow in enumerate(reading.flow) if reading.is_open[a] and flow > 0]
    if carrying:
        largest = _amount(float(reading.flow.max()))
        keys.append(Line2D([], [], color=_OPEN, linewidth=width, label=f"open, width by flow (widest: {largest})"))
    if any(_is_full(reading, a) for a in carrying):
        keys.append(Line2D([], [], color=_FULL, linewidth=width, label="open, at capacity"))
    if reading.idle:
        keys.append(Line2D([], [], color=_OPEN, linewidth=1.0, linestyle=(0, (2, 2)), label="open, unused"))
    if not all(reading.is_open):
        keys.append(Line2D([], [], color=_CLOSED, linewidth=1.0, label="closed"))
    figure.legend(handles=keys, loc="lower center", ncols=len(keys), frameon=False, fontsize=7.5, handlelength=1.6,
                  columnspacing=1.2, handletextpad=0.5)  # fmt: skip
