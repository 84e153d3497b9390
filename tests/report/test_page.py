"""The web page of a frontier: what is inside the file, and what it does in a browser."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import math
import re
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from chromium import chromium
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridmip.errors import ArgumentError
from hybridmip.report.figures import frontier_figure
from hybridmip.report.page import frontier_page

HOSTILE = "</script><img src=x onerror=alert(1)>"
NBSP = "\u00a0"
#: What is said of a point whose gap is 1.99 %.
OPEN = "2.0 % (proven: the optimum is at most this much lower)"
VOID = {"meta", "link", "img", "br", "input", "hr"}


def example(points: int = 24, assets: int = 30, hold: int = 6) -> dict[str, Any]:
    """A frontier made up by formulas: the window of assets held moves along the points; the last two are infeasible."""
    names = [f"ASSET{j:03d}" for j in range(assets)]
    rows = []
    for k in range(points):
        target = 0.002 + 0.004 * k / max(points - 1, 1)
        first = k * (assets - hold) // max(points - 1, 1)
        raw = [1.0 + math.sin(1.3 * j + 0.1 * k) ** 2 for j in range(first, first + hold)]
        risk = 0.015 + 900.0 * (target - 0.002) ** 2
        status = "infeasible" if points > 3 and k >= points - 2 else "feasible" if k % 4 == 1 else "optimal"
        if status == "infeasible":
            row = dict.fromkeys(("objective", "bound", "gap", "expected_return", "risk", "risk_bound"))
            rows.append({**row, "weights": {}, "assets": 0})
        else:
            bound = risk * (0.99 if status == "feasible" else 1.0)
            rows.append(
                {
                    "objective": risk**2,
                    "bound": bound**2,
                    "gap": 1.0 - (bound / risk) ** 2,
                    "expected_return": target,
                    "risk": risk,
                    "risk_bound": bound,
                    "assets": hold,
                    "weights": {names[first + j]: raw[j] / sum(raw) for j in range(hold)},
                }
            )
        rows[-1].update({"point": k, "parameter": target, "status": status, "seconds": 0.1 + (7 * k % 5) / 10})
    return {
        "title": "A frontier",
        "subtitle": "made up",
        "version": "1.2.3",
        "settings": {"seed": "0"},
        "x_label": "risk (standard deviation per period)",
        "y_label": "expected return per period",
        "parameter": "target_return",
        "parameter_label": "target return",
        "points": rows,
        "unconstrained": {"risk": [0.014, 0.016, 0.03], "expected_return": [0.002, 0.004, 0.0062]},
        "names": names,
    }


def infeasible() -> dict[str, Any]:
    """No target has an answer, and there is nothing to compare with."""
    document = example()
    document["points"] = [{**document["points"][-1], "point": k, "parameter": 0.01 * k} for k in range(5)]
    return {**document, "unconstrained": None}


def by_cardinality() -> dict[str, Any]:
    """A frontier of another family: objective over the number of assets."""
    document = example()
    for k, point in enumerate(document["points"]):
        point.update({"parameter": k + 1, "expected_return": None, "risk": None, "risk_bound": None})
    return {**document, "parameter_label": "assets held", "objective_label": "variance", "unconstrained": None}


def with_long_names() -> dict[str, Any]:
    """Names no column is wide enough for, one of them hostile."""
    document = example()
    renamed = {name: f"International Developed Markets Small Companies Index Fund {name}" for name in document["names"]}
    renamed["ASSET003"] = HOSTILE
    document["names"] = list(renamed.values())
    for point in document["points"]:
        point["weights"] = {renamed[name]: weight for name, weight in point["weights"].items()}
    return {**document, "title": HOSTILE, "subtitle": HOSTILE, "settings": {HOSTILE: HOSTILE}}


def with_short_sales() -> dict[str, Any]:
    """Some weights are negative."""
    document = example()
    for point in document["points"]:
        for name in list(point["weights"])[:2]:
            point["weights"][name] *= -1.0
    return document


def by_count() -> dict[str, Any]:
    """Risk against the number of assets."""
    document = example(12)
    for k, point in enumerate(document["points"]):
        point["parameter"] = k + 1
    return {**document, "chart": "risk", "parameter": "assets", "parameter_label": "assets", "unconstrained": None}


def by_penalty() -> dict[str, Any]:
    """Objective along a grid that is even on a logarithmic axis."""
    document = by_cardinality()
    for k, point in enumerate(document["points"]):
        point["parameter"] = 10.0 ** (-3 + 0.25 * k)
    return {**document, "parameter": "penalty", "parameter_label": "penalty", "log": True}


def with_groups() -> dict[str, Any]:
    """Every third asset in one of two groups, and rules that say so."""
    document = example()
    groups = {name: ("Banks", HOSTILE)[j % 2] for j, name in enumerate(document["names"]) if j % 3}
    rules = {"assets": "exactly 6 of 30", "return sense": "expected return at least the target"}
    rules |= {"group Banks": "10 assets, weight at most 40 %", f"group {HOSTILE}": "at most 3 held"}
    return {**document, "groups": groups, "rules": rules}


def with_marks() -> dict[str, Any]:
    """Sharpe ratios, single assets of which one is far away, and gaps of the risk."""
    document = example()
    for point in document["points"]:
        if point["risk"] is not None:
            point["sharpe_ratio"] = (point["expected_return"] - 0.001) / point["risk"]
            point["risk_gap"] = 1 - point["risk_bound"] / point["risk"]
            point["found_by"] = "descent"
    single = {"names": ["ONE", HOSTILE, "FAR"], "risk": [0.02, 0.022, 0.5], "expected_return": [0.003, 0.004, 0.003]}
    return {**document, "risk_free": 0.001, "single_assets": single, "suggested_time_limit": 30.0}


EDGES = {
    "one point": lambda: {**example(1), "unconstrained": None},
    "two points": lambda: example(2),
    "no points": lambda: {**example(), "points": []},
    "all infeasible": infeasible,
    "objective over parameter": by_cardinality,
    "risk and return over cardinality": lambda: {**example(), "parameter_label": "assets held"},
    "long names": with_long_names,
    "short sales": with_short_sales,
    "risk over a count": by_count,
    "a log grid": by_penalty,
    "groups": with_groups,
    "marks": with_marks,
    "no bound": lambda: {
        **example(),
        "points": [{**p, "bound": None, "gap": None, "risk_bound": None} for p in example()["points"]],
    },
    "no answer found": lambda: {
        **example(),
        "points": [{**p, "status": "unknown"} if p["status"] == "infeasible" else p for p in example()["points"]],
    },
}


class Outline(HTMLParser):
    """Tags of a page: whether they nest, and what they hold."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.content: dict[str, list[str]] = {}
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
            self.content.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        if self.open:
            self.content[self.open[-1]][-1] += data


def embedded(page: str) -> dict[str, Any]:
    """The data inside a page."""
    match = re.search(r'<script type="application/json" id="document">(.*?)</script>', page, re.DOTALL)
    assert match is not None
    return json.loads(match[1])


def decoded(data: dict[str, Any], k: int) -> dict[str, float]:
    """Weights of a point, read as the script reads them."""
    steps, values = data["weights"][k]
    index, weights = 0, {}
    for step, value in zip(steps, values, strict=True):
        index += step
        weights[data["held"][index]] = value * data["unit"]
    return weights


@pytest.mark.parametrize("case", EDGES)
def test_page_is_well_formed(case: str) -> None:
    """Elements nest, identifiers are unique, and what refers to one finds it."""
    outline = Outline(frontier_page(EDGES[case]()))
    assert outline.open == []
    names = [tag for tag, _ in outline.tags]
    for tag in ("html", "head", "title", "body", "main", "h1", "table"):
        assert names.count(tag) == 1
    ids = [attributes["id"] for _, attributes in outline.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in outline.tags:
        for reference in ("aria-labelledby", "aria-describedby"):
            assert attributes.get(reference) is None or attributes[reference] in ids
    assert dict(outline.tags[0:1])["html"]["lang"] == "en"


def test_names_cannot_become_markup() -> None:
    """A hostile name is text wherever it appears, and comes back whole from the data."""
    page = frontier_page(with_long_names())
    outline = Outline(page)
    assert [tag for tag, _ in outline.tags].count("script") == 2
    assert "<img" not in page
    assert outline.content["title"] == outline.content["h1"] == [HOSTILE]
    assert HOSTILE in embedded(page)["held"]
    hidden = frontier_page({**example(), "title": "\ud800 <!--", "names": ["<!--<script>"]})
    assert "<!--" not in hidden.replace("<!DOCTYPE", "")
    hidden.encode("utf-8")


def test_page_refers_to_nothing_outside() -> None:
    """No address but the name of SVG, no element that loads, and a policy that forbids it."""
    page = frontier_page(example())
    assert set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"'`<]*", page)) <= {"http://www.w3.org/2000/svg"}
    outline = Outline(page)
    for tag, attributes in outline.tags:
        assert tag not in ("img", "iframe", "object", "embed", "audio", "video", "base", "form")
        assert "src" not in attributes
        assert attributes.get("href", "data:,") == "data:,"
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
    assert "url(" not in page
    assert "@import" not in page
    policy = next(a["content"] for t, a in outline.tags if t == "meta" and "http-equiv" in a)
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    for tag in ("script", "style"):
        digest = base64.b64encode(hashlib.sha256(outline.content[tag][0].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


@given(
    st.lists(
        st.dictionaries(
            st.text(min_size=1, max_size=8), st.floats(-2.0, 2.0).filter(lambda w: abs(w) > 1e-9), max_size=6
        ),
        min_size=1,
        max_size=5,
    )
)
@settings(max_examples=60, deadline=None)
def test_weights_come_back(weights: list[dict[str, float]]) -> None:
    """Every weight is in the page, under its name, to 12 digits; no other is."""
    document = example(len(weights))
    for point, given_weights in zip(document["points"], weights, strict=True):
        point.update(status="feasible", weights=given_weights)
    document["names"] = sorted({name for row in weights for name in row})
    data = embedded(frontier_page(document))
    assert data["held"] == document["names"]
    for k, row in enumerate(weights):
        assert decoded(data, k) == pytest.approx(row, rel=1e-11)


def test_numbers_that_are_not_finite_are_left_out() -> None:
    """JSON has no infinity: such a bound is no bound."""
    document = example()
    document["points"][0].update(bound=-math.inf, gap=math.inf, risk_bound=math.nan, status="feasible")
    columns = embedded(frontier_page(document))["columns"]
    assert columns["bound"][0] is columns["gap"][0] is columns["risk_bound"][0] is None
    assert columns["words"][0] == "no useful lower bound is known"


def test_what_is_proven_is_said_in_words() -> None:
    """The words are the terminal's: a closed gap, an open one, and a proof that there is no answer."""
    page = frontier_page(example())
    words = embedded(page)["columns"]["words"]
    assert words[0] == "proven optimal"
    assert words[1] == OPEN
    assert words[-1] == "no answer can satisfy every rule (proven)"
    text = re.sub("<[^>]*>", "", page)
    assert "24 points, 16 proven optimal, 6 feasible, not proven optimal (gap at most 2.0 %)" in text


def test_two_thousand_points_of_225_assets_fit() -> None:
    """The largest page stays below 5 MB, and its weights keep six decimals."""
    document = example(2000, assets=225, hold=225)
    page = frontier_page(document)
    assert len(page.encode()) < 5e6
    assert decoded(embedded(page), 700) == pytest.approx(document["points"][700]["weights"], abs=1e-8)


def test_errors_name_the_part() -> None:
    """What is missing or wrong is named, with its rule."""
    with pytest.raises(ArgumentError, match="no 'points'"):
        frontier_page({key: value for key, value in example().items() if key != "points"})
    with pytest.raises(ArgumentError, match=r"points\[0\] has status 'fine'; it must be optimal, feasible"):
        frontier_page({**example(), "points": [{"status": "fine"}]})
    with pytest.raises(ArgumentError, match="chart is 'pie'; it must be risk_return, risk, objective"):
        frontier_page({**example(), "chart": "pie"})
    with pytest.raises(ArgumentError, match="1 risks and 2 returns"):
        frontier_page({**example(), "unconstrained": {"risk": [1.0], "expected_return": [1.0, 2.0]}})


# ---------------------------------------------------------------- in a browser


class Browser:
    """Chromium without a window, and the few gestures that the tests need."""

    def __init__(self, driver: Any, folder: Path) -> None:
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.keys import Keys

        self.driver, self.folder = driver, folder
        self.keys = Keys
        self._chains = ActionChains
        self.run = driver.execute_script
        self.command = driver.execute_cdp_cmd

    def show(self, document: dict[str, Any], width: int = 1280, height: int = 900, dark: bool = False) -> None:
        path = self.folder / "report.html"
        path.write_text(frontier_page(document), encoding="utf-8")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.command("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.command("Emulation.setEmulatedMedia", {"features": [scheme]})
        for kind in ("browser", "performance"):
            self.driver.get_log(kind)
        self.driver.get(path.as_uri())

    def one(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def texts(self, selector: str) -> list[str]:
        return self.run(
            "return [...document.querySelectorAll(arguments[0])].map(e => e.textContent.replaceAll('\\u00a0', ' '))",
            selector,
        )

    def press(self, *keys: str) -> None:
        chain = self._chains(self.driver)
        for key in keys:
            chain.send_keys(key)
        chain.perform()

    def hover(self, element: Any, x: float | None = None, y: float | None = None, click: bool = False) -> None:
        """Move onto an element: to its middle, or to a place counted from its upper left corner."""
        chain = self._chains(self.driver, duration=0)
        if x is None or y is None:
            chain.move_to_element(element)
        else:
            box = element.rect
            chain.move_to_element_with_offset(element, round(x - box["width"] / 2), round(y - box["height"] / 2))
        if click:
            chain.click()
        chain.perform()

    def place(self, k: int) -> tuple[float, float]:
        """Where the chart has its k-th point, found by keyboard."""
        self.run("document.getElementById('frontier-chart').focus()")
        self.press(self.keys.HOME, *[self.keys.ARROW_RIGHT] * k)
        halo = self.one("#frontier-chart .halo")
        return float(halo.get_attribute("cx")), float(halo.get_attribute("cy"))

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]


def until(condition: Any, seconds: float = 10.0) -> Any:
    """The first true value of a condition; fails when it takes too long."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
    return value


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all tests."""
    folder = tmp_path_factory.mktemp("browser")
    with chromium(folder, {"performance": "ALL", "browser": "ALL"}) as driver:
        yield Browser(driver, folder)


def test_hover_shows_the_holdings(browser: Browser) -> None:
    """The panel lists what the point under the pointer holds, largest first, and what is proven about it."""
    document = example()
    browser.show(document)
    x, y = browser.place(5)
    browser.press(browser.keys.END)
    browser.hover(browser.one("#frontier-chart"), x + 2, y + 1)
    point = document["points"][5]
    ranked = sorted(point["weights"].items(), key=lambda pair: -pair[1])
    assert browser.texts("#panel h2") == ["Point 5"]
    assert browser.texts(".holdings .name") == [name for name, _ in ranked]
    assert browser.texts(".holdings .value") == [f"{100 * weight:.2f} %" for _, weight in ranked]
    facts = dict(zip(browser.texts(".facts dt"), browser.texts(".facts dd"), strict=True))
    assert facts["expected return"] == "0.2870 %"
    assert facts["risk"] == f"{100 * point['risk']:.3f} %"
    assert facts["status"] == "feasible, not proven optimal"
    assert facts["gap"] == OPEN
    assert browser.one("#frontier-chart .tip").is_displayed()
    assert browser.texts("#table tr[aria-current] th") == ["5"]


def test_the_whole_table_is_seen_on_a_laptop(browser: Browser) -> None:
    """At 1300 pixels less a scroll bar no column is cut: the table is no wider than the place that it has."""
    browser.show(example(), 1285)
    assert browser.run("const s = document.querySelector('.scroller'); return s.scrollWidth - s.clientWidth") <= 0


def test_row_and_chart_point_at_each_other(browser: Browser) -> None:
    """A row under the pointer moves the mark in both charts."""
    browser.show(example())
    x, y = browser.place(3)
    browser.place(12)
    browser.hover(browser.one('#table tr[data-i="3"] td'))
    halo = browser.one("#frontier-chart .halo")
    assert (float(halo.get_attribute("cx")), float(halo.get_attribute("cy"))) == (x, y)
    assert browser.texts("#panel h2") == ["Point 3"]
    assert len(browser.driver.find_elements("css selector", "#weights-chart .cursor")) == 2


def test_two_pins_are_compared(browser: Browser) -> None:
    """Assets that come in, go out and change are told apart; buttons and Escape unpin."""
    document = example()
    browser.show(document)
    chart = browser.one("#frontier-chart")
    browser.hover(chart, *browser.place(2), click=True)
    browser.hover(chart, *browser.place(6), click=True)
    a, b = (document["points"][k]["weights"] for k in (2, 6))
    assert set(browser.texts(".versus .in tr:not(.group) th")) == set(b) - set(a)
    assert set(browser.texts(".versus .out tr:not(.group) th")) == set(a) - set(b)
    cells = browser.texts(".versus .changed tr:not(.group) > *")
    rows = [cells[k : k + 4] for k in range(0, len(cells), 4)]
    assert {row[0] for row in rows} == set(a) & set(b)
    for name, before, after, change in rows:
        assert [before, after] == [f"{100 * weights[name]:.2f} %" for weights in (a, b)]
        assert change == f"{100 * (b[name] - a[name]):+.2f} %".replace("-", "−")
    assert browser.texts("#frontier-chart .badge text") == browser.texts("#weights-chart .badge text") == ["A", "B"]
    browser.one("#unpin").click()
    assert browser.texts(".badge") == []
    for k in (2, 6):
        browser.place(k)
        browser.press(browser.keys.ENTER)
    assert browser.texts("#panel h2") == ["Two points compared"]
    browser.press(browser.keys.ESCAPE)
    assert browser.texts("#panel h2") == ["Point 6"]


def test_keyboard_alone_suffices(browser: Browser) -> None:
    """Tab reaches the chart, arrows move, Enter pins, and a screen reader is told each time."""
    browser.show(example())
    chart = browser.one("#frontier-chart")
    for _ in range(3):
        browser.press(browser.keys.TAB)
        if browser.driver.switch_to.active_element == chart:
            break
    assert browser.driver.switch_to.active_element == chart
    assert browser.run("return getComputedStyle(arguments[0]).outlineStyle", chart) == "solid"
    browser.press(browser.keys.HOME)
    assert chart.get_attribute("aria-valuenow") == "1"
    browser.press(browser.keys.ARROW_RIGHT, browser.keys.ENTER)
    spoken = chart.get_attribute("aria-valuetext").replace(NBSP, " ")
    assert spoken.startswith("Point 1: target return 0.2174 %")
    assert spoken.endswith(f"gap {OPEN}, pinned as A")
    assert browser.texts("#live") == ["Point 1 pinned as A"]
    browser.press(browser.keys.END)
    assert "no answer can satisfy every rule" in chart.get_attribute("aria-valuetext")
    browser.run("document.querySelector('#table tbody button[tabindex=\"0\"]').focus()")
    browser.press(browser.keys.HOME, browser.keys.ARROW_DOWN, browser.keys.ARROW_DOWN, browser.keys.ENTER)
    assert browser.driver.switch_to.active_element.text == "2"
    assert browser.texts("#live") == ["Point 2 pinned as B"]


def test_table_sorts(browser: Browser) -> None:
    """A header sorts up, then down; points without a value stay last; aria-sort tells."""
    document = example()
    browser.show(document)
    seconds = {str(p["point"]): p["seconds"] for p in document["points"]}
    risks = {str(p["point"]): p["risk"] for p in document["points"]}
    header = browser.one('#table th[data-key="seconds"]')
    for direction, sign in (("ascending", 1.0), ("descending", -1.0)):
        header.find_element("css selector", "button").click()
        assert header.get_attribute("aria-sort") == direction
        shown = [sign * seconds[name] for name in browser.texts("#table tbody th")]
        assert len(shown) == 24
        assert shown == sorted(shown)
    header = browser.one('#table th[data-key="risk"]')
    header.find_element("css selector", "button").send_keys(browser.keys.ENTER, browser.keys.ENTER)
    assert header.get_attribute("aria-sort") == "descending"
    assert len(browser.driver.find_elements("css selector", '#table th[aria-sort="none"]')) == 9
    shown = [risks[name] for name in browser.texts("#table tbody th")]
    assert shown[-2:] == [None, None]
    assert shown[:-2] == sorted(shown[:-2], reverse=True)


def test_weights_download_as_csv(browser: Browser, tmp_path: Path) -> None:
    """The file has every point and every asset ever held, whatever its name."""
    document = with_long_names()
    document["points"][0]["weights"]['a "quoted", name\nin two lines'] = 0.25
    browser.show(document)
    browser.command("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    browser.one("#download").click()
    path = tmp_path / "weights.csv"
    until(path.exists)
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file))
    held = {name for point in document["points"] for name in point["weights"]}
    assert header[:5] == ["point", "target_return", "status", "expected_return", "risk"]
    assert set(header[5:]) == held
    assert HOSTILE in header
    assert len(rows) == 24
    for row, point in zip(rows, document["points"], strict=True):
        assert row[:3] == [str(point["point"]), row[1], point["status"]]
        assert float(row[1]) == point["parameter"]
        if point["status"] == "infeasible":
            assert set(row[3:]) == {""}
        else:
            assert [float(row[3]), float(row[4])] == [point["expected_return"], point["risk"]]
            found = {name: float(cell) for name, cell in zip(header[5:], row[5:], strict=True) if float(cell)}
            assert found == pytest.approx(point["weights"], rel=1e-11)


def test_nothing_leaves_the_page(browser: Browser) -> None:
    """The browser asks for the file itself and for nothing else, whatever is done with the page."""
    browser.show(with_long_names())
    chart = browser.one("#frontier-chart")
    browser.hover(chart, *browser.place(2), click=True)
    browser.hover(chart, *browser.place(9), click=True)
    browser.one("#theme").click()
    assert browser.run("return performance.getEntriesByType('resource').length") == 0
    messages = [json.loads(entry["message"])["message"] for entry in browser.driver.get_log("performance")]
    asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    assert asked
    assert {url for url in asked if not url.startswith("data:")} == {(browser.folder / "report.html").as_uri()}
    assert browser.run("return document.images.length") == 0
    assert browser.complaints() == []


def test_dark_mode_follows_the_system_and_the_button(browser: Browser) -> None:
    """The system's choice holds until the button is pressed; a reload forgets the button."""
    ground = "return getComputedStyle(document.body).backgroundColor"
    browser.show(example())
    light = browser.run(ground)
    browser.show(example(), dark=True)
    dark = browser.run(ground)
    assert light != dark
    browser.one("#theme").click()
    assert browser.run(ground) == light
    browser.driver.refresh()
    assert browser.run(ground) == dark
    assert browser.run("return localStorage.length + document.cookie.length") == 0


OVERLAPS = """
const boxes = [...document.querySelectorAll('.chart svg')].flatMap((svg, k) => [...svg.querySelectorAll('text')]
  .map(text => [k, text.textContent, text.getBoundingClientRect()]));
const hits = [];
for (let a = 0; a < boxes.length; a++) for (let b = a + 1; b < boxes.length; b++) {
  const [p, q] = [boxes[a], boxes[b]];
  if (p[0] === q[0] && p[2].left < q[2].right && q[2].left < p[2].right
    && p[2].top < q[2].bottom && q[2].top < p[2].bottom) hits.push([p[1], q[1]]);
}
return hits;
"""


@pytest.mark.parametrize("case", EDGES)
def test_unusual_frontiers_are_drawn(browser: Browser, case: str) -> None:
    """From phone to desk: no error, no sideways scrolling, no text on another, keys do no harm."""
    for width in (320, 1280):
        browser.show(EDGES[case](), width)
        assert browser.run(OVERLAPS) == []
        assert browser.run("return document.documentElement.scrollWidth") <= width
        assert browser.run("return document.documentElement.outerHTML.includes('NaN')") is False
        browser.run("document.getElementById('frontier-chart').focus()")
        browser.press(browser.keys.END, browser.keys.ENTER, browser.keys.HOME, browser.keys.ENTER, browser.keys.ESCAPE)
        assert browser.run("return document.documentElement.scrollWidth") <= width
        assert browser.complaints() == []


def test_infeasible_targets_are_marked_on_the_axis(browser: Browser) -> None:
    """Each mark sits on the axis of returns, above the last feasible point."""
    browser.show(example())
    last = browser.place(21)
    marks = [browser.place(k) for k in (22, 23)]
    assert marks[0][0] == marks[1][0] < last[0]
    assert marks[1][1] < marks[0][1] < last[1]
    assert len(browser.one("#frontier-chart path.infeasible").get_attribute("d").split("M")) == 5


def test_shorts_are_left_of_zero(browser: Browser) -> None:
    """The bar of a short position ends where that of a long one begins, at a line; lengths are in proportion."""
    document = with_short_sales()
    browser.show(document)
    browser.place(5)
    weights = document["points"][5]["weights"]
    bars = browser.run(
        "return [...document.querySelectorAll('.holdings li')].map(li => ["
        "li.querySelector('.name').textContent, ...['.fill', '.zero'].map(s => li.querySelector(s)"
        ".getBoundingClientRect()).map(box => [box.left, box.right])])"
    )
    scale = [(right - left) / abs(weights[name]) for name, (left, right), _ in bars]
    assert scale == pytest.approx([scale[0]] * len(scale), rel=0.02)
    for name, (left, right), (zero, _) in bars:
        assert (right if weights[name] < 0 else left) == pytest.approx(zero, abs=1.1)
        assert (left < zero - 5) == (weights[name] < 0)
    assert sum(weights[name] < 0 for name, _, _ in bars) == 2
    assert len(browser.texts(".holdings .fill.short")) == 2
    browser.show(example())
    assert browser.texts(".holdings .zero") == []


def test_risk_against_the_count(browser: Browser) -> None:
    """Along a number of assets the axis across is that number, in whole steps, and the axis up is the risk."""
    document = by_count()
    browser.show(document)
    assert browser.texts("#frontier-title") == ["Risk by assets"]
    assert browser.texts("#frontier-x") == ["assets"]
    assert browser.texts("#frontier-y") == ["risk (standard deviation per period)"]
    places = [browser.place(k) for k in range(10)]
    steps = [b[0] - a[0] for a, b in zip(places, places[1:], strict=False)]
    assert steps == pytest.approx([steps[0]] * 9, abs=0.1)
    risks = [point["risk"] for point in document["points"][:10]]
    up = [places[0][1] - y for _, y in places]
    assert up == pytest.approx([(r - risks[0]) * up[-1] / (risks[-1] - risks[0]) for r in risks], abs=0.2)
    across = [text for text in browser.texts("#frontier-chart text") if "%" not in text]
    assert across
    assert all(text.isdigit() for text in across)
    assert [head for head in browser.texts("#table thead button") if head == "assets"] == ["assets"]


def test_a_log_grid_is_on_a_log_axis(browser: Browser) -> None:
    """Equal ratios are equal distances in both charts; the axis has the parameter's name and powers of ten."""
    for width in (320, 1280):
        browser.show(by_penalty(), width)
        assert browser.run("return [...document.querySelectorAll('.chart svg')].map(s => s.dataset.xScale)")[:2] == [
            "log", "log",
        ]  # fmt: skip
        assert browser.texts("#frontier-x") == browser.texts("#weights-x") == ["penalty"]
        places = [browser.place(k)[0] for k in range(12)]
        steps = [b - a for a, b in zip(places, places[1:], strict=False)]
        assert steps == pytest.approx([steps[0]] * 11, abs=0.1)
        assert browser.run(OVERLAPS) == []
        assert {"0.01", "1"} & set(browser.texts("#frontier-chart text"))
    browser.show(example())
    assert browser.run("return document.querySelector('.chart svg').dataset.xScale") == "linear"


def test_groups_and_rules_are_shown(browser: Browser) -> None:
    """A second chart has the weight of each group, and every limit, group and the sense is listed."""
    document = with_groups()
    browser.show(document)
    rules = dict(zip(browser.texts(".rules-list dt"), browser.texts(".rules-list dd"), strict=True))
    assert rules == document["rules"]
    legend = [text.strip() for text in browser.texts("#groups-legend li")]
    assert len(legend) == 3
    assert {"Banks", "no group"} < set(legend)
    assert len(browser.texts("#groups-chart .area")) == 3
    browser.place(3)
    weights = document["points"][3]["weights"]
    of_banks = sum(weight for name, weight in weights.items() if document["groups"].get(name) == "Banks")
    chart, box = browser.one("#groups-chart"), browser.one("#groups-chart").rect
    x = float(browser.one("#groups-chart .cursor").get_attribute("x1"))
    seen = set()
    for y in range(16, int(box["height"]) - 28, 8):
        browser.hover(chart, x, y)
        seen.add(browser.texts("#groups-chart .tip b")[0])
    assert f"Banks: {100 * of_banks:.2f} %" in seen
    assert browser.complaints() == []
    browser.show(example())
    assert not browser.one("#groups").is_displayed()
    assert not browser.one("#rules").is_displayed()


def test_the_best_sharpe_ratio_and_single_assets_are_marked(browser: Browser) -> None:
    """A star at the point with the largest ratio and its risk-free return; a dot for each single asset in reach."""
    document = with_marks()
    browser.show(document)
    held = [point for point in document["points"] if point["risk"] is not None]
    best = max(range(len(held)), key=lambda k: held[k]["sharpe_ratio"])
    x, y = browser.place(best)
    star = browser.run("return document.querySelector('#frontier-chart .sharpe').getBBox()")
    assert star["x"] + star["width"] / 2 == pytest.approx(x, abs=0.5)
    assert star["y"] < y < star["y"] + star["height"]
    ratio = held[best]["sharpe_ratio"]
    legend = browser.texts("#frontier-legend li")
    assert f"largest Sharpe ratio: {ratio:.3g} per period (risk-free return 0.1 %)" in legend
    assert browser.texts("#frontier-chart .single title") == ["ONE", HOSTILE]
    assert browser.texts("#frontier-note") == ["1 of 3 single assets lie outside the picture."]
    text = browser.texts("body")[0]
    assert "gap at most 2.0 %, risk gap at most 1.0 %" in text
    assert "time_limit=30 tightens the bound (on the command line --time-limit 30)." in text
    browser.place(1)
    facts = dict(zip(browser.texts(".facts dt"), browser.texts(".facts dd"), strict=True))
    assert (facts["gap"], facts["risk gap"], facts["found by"]) == (OPEN, "1.0 %", "local search")
    browser.show(example())
    assert browser.texts("#frontier-chart .sharpe, #frontier-chart .single") == []


def test_dots_are_filled_as_in_the_picture(browser: Browser) -> None:
    """Filled is proven optimal, hollow is the best found: the same numbers of each as the figure draws."""
    document = example()
    browser.show(document)
    points = [point for point in document["points"] if point["risk"] is not None]
    figure = frontier_figure(
        [point["expected_return"] for point in points], [point["objective"] for point in points],
        [point["bound"] for point in points], optimal=[point["status"] == "optimal" for point in points],
    )  # fmt: skip
    drawn = {line.get_label(): len(line.get_xdata()) for line in figure.axes[0].lines}
    for status, label in (("optimal", "proven optimal"), ("feasible", "best found, not proven optimal")):
        path = browser.one(f"#frontier-chart path.{status}")
        assert path.get_attribute("d").count("M") == drawn[label]
        assert label in browser.texts("#frontier-legend li")
    fills = [
        browser.run(f"return getComputedStyle(document.querySelector('#frontier-chart path.{status}')).fill")
        for status in ("optimal", "feasible")
    ]
    assert (
        fills[0] != fills[1] == browser.run("return getComputedStyle(document.querySelector('.card')).backgroundColor")
    )


def test_panel_stays_off_the_table(browser: Browser) -> None:
    """The panel follows the charts and stops above the table."""
    browser.show(example())
    browser.run("scrollTo(0, document.documentElement.scrollHeight)")
    panel, table = (
        browser.run(f"return document.querySelector('{s}').getBoundingClientRect()") for s in ("#panel", ".points")
    )
    assert panel["bottom"] <= table["top"]


HOVERS = """
const host = document.getElementById('frontier-chart'), box = host.getBoundingClientRect(), times = [];
for (let k = 0; k < 60; k++) {
  const start = performance.now();
  host.dispatchEvent(new PointerEvent('pointermove',
    { clientX: box.left + 80 + 10 * k, clientY: box.top + 300 - 4 * k, bubbles: true }));
  document.body.offsetHeight;
  times.push(performance.now() - start);
}
return times.sort((a, b) => a - b)[30];
"""


def test_two_thousand_points_are_usable(browser: Browser) -> None:
    """The first paint takes less than 2 s, a hover less than 50 ms; the table draws only the rows in sight."""
    browser.show(example(2000, assets=225, hold=20))
    paint = until(lambda: browser.run("return performance.getEntriesByType('paint')[0]?.startTime"))
    assert paint < 2000.0
    assert browser.run(HOVERS) < 50.0
    rows = "return document.querySelectorAll('#table tbody tr').length"
    assert browser.run(rows) < 60
    assert browser.one("#table").get_attribute("aria-rowcount") == "2001"
    until(lambda: browser.texts("#table tr[aria-current]"))  # the table has followed the pointer
    browser.run("document.getElementById('scroller').scrollTop = 1e9")
    until(lambda: browser.texts("#table tbody th")[-1] == "1999")
    browser.place(0)
    until(lambda: browser.texts("#table tr[aria-current] th") == ["0"])
    browser.one('#table th[data-key="risk"] button').click()
    assert browser.texts("#table tbody th")[0] == "0"
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert browser.run(rows) == 400
    assert "first 400 of 2000 points" in browser.texts("#table-note")[0]
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert browser.run(rows) < 60
    assert browser.complaints() == []
