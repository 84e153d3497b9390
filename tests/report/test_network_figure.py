"""The picture of a network: what is drawn is what was found."""

from __future__ import annotations

import builtins
from pathlib import Path

import numpy as np
import pytest
from matplotlib.patches import FancyArrowPatch

from hybridmip.applications.network import FixedChargeNetwork, NetworkResult, example_network
from hybridmip.errors import ArgumentError, FileError
from hybridmip.model.quadratic import frozen
from hybridmip.report.network_figure import network_figure


def answered(network: FixedChargeNetwork, share: float = 0.4, seed: int = 0) -> NetworkResult:
    """A made-up answer: some arcs open, each with a flow up to its capacity; the first is full, the second idle."""
    rng = np.random.default_rng(seed)
    is_open = rng.random(len(network.arcs)) < share
    is_open[:2] = True
    limit = np.minimum(network.capacity, network.total)
    flow = np.where(is_open, rng.uniform(0.1, 0.9, len(network.arcs)) * limit, 0.0)
    flow[:2] = limit[0], 0.0
    return NetworkResult(network, frozen(flow[None, :]), tuple(is_open.tolist()), 110.0, 100.0, 0.1, "feasible")


def arrows(figure: object) -> list[FancyArrowPatch]:
    return [patch for patch in figure.axes[0].patches if isinstance(patch, FancyArrowPatch)]  # type: ignore[attr-defined]


def texts(figure: object) -> list[str]:
    axes = figure.axes[0]  # type: ignore[attr-defined]
    return [text.get_text() for text in axes.texts]


def test_files_are_written_and_not_empty(tmp_path: Path) -> None:
    """The ending chooses the format; without one there are both, and the picture is not blank."""
    reading = answered(example_network(0))
    network_figure(reading, tmp_path / "plain")
    from matplotlib.image import imread

    picture = imread(tmp_path / "plain.png")
    assert picture.shape[1] == 1600
    assert np.ptp(picture[..., :3], axis=(0, 1)).min() > 0.5
    assert (picture[..., :3] < 0.9).any(axis=2).mean() > 0.01
    svg = (tmp_path / "plain.svg").read_text()
    assert svg.lstrip().startswith("<?xml")
    assert "P1" in svg
    assert not (tmp_path / "plain").exists()
    with pytest.raises(FileError, match="choose another place"):
        network_figure(reading, tmp_path / "nowhere" / "plain.png")


def test_open_arcs_are_arrows_as_wide_as_their_flow() -> None:
    """Every open arc that carries something is an arrow; the widest is the one with the most flow."""
    reading = answered(example_network(1))
    drawn = arrows(network_figure(reading))
    carrying = [a for a, on in enumerate(reading.is_open) if on and reading.flow[a] > 0]
    assert len(drawn) == len(carrying)
    widths = sorted(
        arrow.get_arrowstyle().tail_width  # type: ignore[attr-defined]
        for arrow in drawn
    )
    flows = np.sort(reading.flow[carrying])
    assert widths[-1] == max(widths)
    np.testing.assert_allclose(np.array(widths)[-3:] / widths[-1], flows[-3:] / flows[-1], atol=0.01)


def test_flows_are_written_without_overlap() -> None:
    """Flows of a small network are readable: none covers another, and most arcs have theirs."""
    reading = answered(example_network(2))
    figure = network_figure(reading)
    figure.draw_without_rendering()
    names = {str(node) for node in reading.network.nodes}
    labels = [text for text in figure.axes[0].texts if text.get_text().split("\n")[0] not in names]
    assert len(labels) >= 0.6 * len(arrows(figure))
    boxes = [text.get_window_extent() for text in labels]
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:i])


def test_title_says_cost_and_proof_and_the_legend_what_is_shown() -> None:
    """The heading has the cost and what is proven; the legend has what occurs."""
    reading = answered(example_network(0))
    figure = network_figure(reading)
    words = [text.get_text() for text in figure.texts]
    assert words[0] == f"Cost {reading.cost:,.6g}, gap 10 %"
    assert words[1].startswith(f"{sum(reading.is_open)} of {len(reading.is_open)} arcs open; cost: fixed")
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert {"source", "sink", "on the way", "open, at capacity", "open, unused", "closed"} <= set(legend)
    assert network_figure(reading, title="Mine").texts[0].get_text() == "Mine"


@pytest.mark.parametrize("layout", [None, "kamada_kawai", "spring", "circle"])
def test_every_layout_of_a_larger_network(layout: str | None) -> None:
    """Fifty nodes and some three hundred arcs: every node is drawn inside the picture, flows are left out."""
    network = example_network(3, nodes=50, degree=5)
    figure = network_figure(answered(network, 0.3), layout=layout)
    axes = figure.axes[0]
    markers = [line.get_xydata()[0] for line in axes.lines if len(line.get_xydata()) == 1]
    assert len(markers) == 50
    x, y = np.array(markers).T
    assert axes.get_xlim()[0] < x.min() <= x.max() < axes.get_xlim()[1]
    assert axes.get_ylim()[0] < y.min() <= y.max() < axes.get_ylim()[1]
    assert len(texts(figure)) == 50


def test_given_coordinates_are_kept() -> None:
    """A layout of one's own, or the network's positions, is what is drawn."""
    network = example_network(0)
    own = {node: (float(i), float(i % 3)) for i, node in enumerate(network.nodes)}
    for layout, expected in ((own, own), (None, network.positions)):
        axes = network_figure(answered(network), layout=layout).axes[0]
        markers = [line.get_xydata()[0] for line in axes.lines if len(line.get_xydata()) == 1]
        np.testing.assert_allclose(markers, [expected[node] for node in network.nodes])


def test_parallel_arcs_and_commodities_and_long_names() -> None:
    """Parallel and opposite arcs bow apart, and long names stand beside their nodes."""
    nodes = ["Rotterdam harbour", "Basel", "Milano"]
    arcs = [
        ("Rotterdam harbour", "Basel"),
        ("Rotterdam harbour", "Basel"),
        ("Basel", "Rotterdam harbour"),
        ("Basel", "Milano"),
    ]
    network = FixedChargeNetwork(
        nodes, arcs, None, 9, fixed_cost=1, commodities=[(nodes[0], nodes[2], 4), (nodes[1], nodes[0], 2)]
    )
    reading = NetworkResult(network, frozen([[2, 2, 0, 4], [0, 0, 2, 0]]), (True,) * 4, 4.0, 4.0, 0.0, "optimal")
    figure = network_figure(reading)
    styles = {
        arrow.get_connectionstyle().rad  # type: ignore[attr-defined]
        for arrow in arrows(figure)
    }
    assert len(styles) == 3, "two bends for the parallel arcs, one for none"
    assert "Rotterdam harbour" in texts(figure)
    assert figure.texts[0].get_text() == "Cost 4, proven optimal"


def test_without_networkx_it_is_a_circle(monkeypatch: pytest.MonkeyPatch) -> None:
    """The automatic layout does without networkx; one asked for by name does not."""
    original = builtins.__import__

    def without(name, *rest, **options):
        if name.split(".")[0] == "networkx":
            raise ImportError(name)
        return original(name, *rest, **options)

    network = FixedChargeNetwork(["A", "B", "C"], [("A", "B"), ("B", "C")], {"A": 1, "C": -1}, 2.0)
    reading = NetworkResult(network, frozen([[1.0, 1.0]]), (True, True), 0.0, 0.0, 0.0, "optimal")
    monkeypatch.setattr(builtins, "__import__", without)
    axes = network_figure(reading).axes[0]
    points = np.array([line.get_xydata()[0] for line in axes.lines])
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1.0)
    with pytest.raises(ImportError, match="pip install networkx"):
        network_figure(reading, layout="spring")


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ({"P1": (0, 0)}, "layout lacks"),
        ("star", "layout is 'star'; give a mapping"),
        ("nan", "no pair of finite numbers"),
    ],
)
def test_bad_layouts(layout: object, message: str) -> None:
    """A layout that cannot be drawn is refused in one line."""
    network = example_network(0)
    if layout == "nan":
        layout = dict.fromkeys(network.nodes, (np.nan, 0.0))
    with pytest.raises(ArgumentError, match=message):
        network_figure(answered(network), layout=layout)


def test_something_else_than_an_answer_is_refused() -> None:
    """Only an answer can be drawn."""
    with pytest.raises(ArgumentError, match=r"network\.read\(result\)"):
        network_figure(example_network(0))
