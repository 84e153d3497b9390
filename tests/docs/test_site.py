"""The site: it is built once, as `make docs` does, and a browser without a window walks over every page of it.

The sources are copied first, so that nothing that was built before is taken for what is built now.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from chromium import chromium

pytest.importorskip("sphinx", reason="needs what builds the site: pip install 'hybridmip[docs]'")

ROOT = Path(__file__).resolve().parents[2]
PHONE = 400
#: Contrast that text needs, and large text (WCAG 2.1, AA).
CONTRAST, LARGE = 4.5, 3.0
#: Seconds that the build may take.
PATIENCE = 900
NOT_COPIED = shutil.ignore_patterns(
    ".*", "_build", "__pycache__", "generated", "*.egg-info", "sg_execution_times.rst", "build", "dist", "soak"
)

#: What a page looks like at the width and in the colours that it has now.
LOOK = """
const [needed, forLarge] = arguments, pencil = document.createElement('canvas').getContext('2d',
  {willReadFrequently: true}), known = {};
function rgba(text) {
  if (!known[text]) {
    pencil.clearRect(0, 0, 1, 1); pencil.fillStyle = text; pencil.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pencil.getImageData(0, 0, 1, 1).data; known[text] = [r, g, b, a / 255];
  }
  return known[text];
}
function over([r, g, b, a], [R, G, B]) { return [a * r + (1 - a) * R, a * g + (1 - a) * G, a * b + (1 - a) * B, 1]; }
function behind(element) {
  const layers = [];
  for (let e = element; e; e = e.parentElement) {
    layers.push(rgba(getComputedStyle(e).backgroundColor)); if (layers.at(-1)[3] === 1) break;
  }
  return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
}
function luminance([r, g, b]) {
  const [R, G, B] = [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * R + 0.7152 * G + 0.0722 * B;
}
function contrast(a, b) {
  const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05);
}
const dim = new Map(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
let texts = 0;
while (walker.nextNode()) {
  const text = walker.currentNode.textContent.trim(), element = walker.currentNode.parentElement;
  if (!text || ['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE'].includes(element.tagName)) continue;
  if (!element.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
  texts += 1;
  const style = getComputedStyle(element), ground = behind(element), ratio = contrast(over(rgba(style.color), ground),
    ground), size = parseFloat(style.fontSize), bold = parseInt(style.fontWeight) >= 700;
  if (ratio < (size >= 24 || (bold && size >= 18.66) ? forLarge : needed) - 0.005 && !dim.has(style.color + ground))
    dim.set(style.color + ground,
      `${text.slice(0, 40)} (${element.tagName}.${element.className}: ${ratio.toFixed(2)})`);
}
const dark = [...document.querySelectorAll('.bd-content img')].filter(image => image.checkVisibility()
  && !image.matches('.dark-light, .only-dark') && luminance(behind(image)) < 0.7).map(image => image.src);
const broken = [...document.querySelectorAll('img')].filter(image => image.checkVisibility()
  && image.complete && image.naturalWidth === 0).map(image => image.src);
return {texts, dim: [...dim.values()], dark, broken, wide: document.documentElement.scrollWidth};
"""


def load(path: Path) -> ModuleType:
    """A script of the repository that is in no package."""
    given = importlib.util.spec_from_file_location(f"site_{path.stem}", path)
    assert given is not None
    assert given.loader is not None
    module = importlib.util.module_from_spec(given)
    sys.modules[given.name] = module
    given.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site; built once, also where several processes share the tests."""
    root = tmp_path_factory.getbasetemp()
    root = root.parent if "PYTEST_XDIST_WORKER" in os.environ else root
    copy, done = root / "site", root / "site.done"
    try:
        os.close(os.open(root / "site.lock", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        patience = time.monotonic() + PATIENCE
        while not done.exists() and time.monotonic() < patience:
            time.sleep(0.5)
    else:
        told = "the build was not finished"
        try:
            shutil.copytree(ROOT, copy, ignore=NOT_COPIED)
            shutil.rmtree(copy / "docs" / "examples", ignore_errors=True)
            answer = subprocess.run(
                [sys.executable, "docs/build.py", "html"], cwd=copy, capture_output=True, encoding="utf-8", check=False,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}, timeout=PATIENCE,
            )  # fmt: skip
            told = f"{answer.stdout}{answer.stderr}" if answer.returncode else ""
        finally:
            done.write_text(told, encoding="utf-8")
    told = done.read_text(encoding="utf-8")
    assert not told, told
    return copy / "html"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A narrow window that reaches no network."""
    folder = tmp_path_factory.mktemp("browser")
    with chromium(folder, {"browser": "ALL"}, "host-resolver-rules=MAP * ~NOTFOUND") as driver:
        size = {"width": PHONE, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        yield driver


def looked_at(browser: Any, path: Path) -> list[str]:
    """What a reader with a narrow window would complain about, in the dark and in the light."""
    browser.get(path.as_uri())
    wrong = []
    for theme in ("light", "dark"):
        browser.execute_script(
            "document.documentElement.dataset.theme = document.documentElement.dataset.mode = arguments[0];", theme
        )
        # Colours may fade into each other: what counts is where they end.
        browser.execute_script("for (const change of document.getAnimations()) change.finish();")
        look = browser.execute_script(LOOK, CONTRAST, LARGE)
        assert look["texts"] > 0, f"{path.name} is empty"
        wrong += [f"{theme}: hard to read: {text}" for text in look["dim"]]
        if theme == "dark":
            wrong += [f"dark: a picture on a dark ground: {picture}" for picture in look["dark"]]
        wrong += [f"{theme}: a picture that is not shown: {picture}" for picture in look["broken"]]
        if look["wide"] > PHONE:
            wrong.append(f"{theme}: {look['wide']} pixels wide, in a window of {PHONE}")
    logged = [entry["message"] for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    return wrong + [f"said on the console: {message}" for message in logged]


def test_every_section_is_there(site: Path) -> None:
    """The first page leads to all six sections; every source of a page has become one."""
    first = (site / "index.html").read_text(encoding="utf-8")
    for section in ("start", "examples", "how", "reference", "benchmarks", "developing"):
        assert f'href="{section}/index.html"' in first
    for source in (ROOT / "docs").rglob("*.md"):
        if not {"_build", "notebooks", "examples", "generated"} & set(source.parts[len(ROOT.parts) + 1 :]):
            assert (site / source.relative_to(ROOT / "docs")).with_suffix(".html").is_file(), source
    for script in (ROOT / "examples").rglob("plot_*.py"):
        assert (site / "examples" / script.relative_to(ROOT / "examples")).with_suffix(".html").is_file(), script


def test_every_page_in_a_browser(site: Path, browser: Any) -> None:
    """At 400 pixels, in the light and in the dark: no error, nothing wider than the window, nothing hard to read."""
    pages = sorted(path for path in site.rglob("*.html") if "_static" not in path.relative_to(site).parts)
    assert len(pages) > 30
    wrong = [f"{path.relative_to(site)}: {message}" for path in pages for message in looked_at(browser, path)]
    assert not wrong, "\n".join(wrong)


def test_search_works_from_the_file_system(site: Path, browser: Any) -> None:
    """A word that is on one page leads to it, without a server; a word that is nowhere leads nowhere."""
    found = {}
    for word in ("turnover", "xylophonist"):
        browser.get(f"{(site / 'search.html').as_uri()}?q={word}")
        patience = time.monotonic() + 30
        while time.monotonic() < patience:
            told = browser.execute_script("return document.querySelector('#search-results p')?.textContent || ''")
            if "found" in told or "did not match" in told:
                break
            time.sleep(0.1)
        found[word] = browser.execute_script(
            "return [...document.querySelectorAll('#search-results li a')].map(link => link.href)"
        )
    assert any("start/rebalancing.html" in link for link in found["turnover"])
    assert not found["xylophonist"]
    assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def test_what_is_wrong_with_a_page_is_found(tmp_path: Path, browser: Any) -> None:
    """The walk can fail: a page that is too wide, too pale, has an error and a picture that is not there."""
    page = tmp_path / "page.html"
    page.write_text(
        "<html><body style='background: #111; color: #333'><p>pale</p><div style='width: 600px'>wide</div>"
        "<div class='bd-content'><img src='nowhere.png' alt='x' width=9 height=9></div>"
        "<script>throw new Error('thrown')</script></body></html>"
    )
    told = "\n".join(looked_at(browser, page))
    for what in ("hard to read: pale", "608 pixels wide", "not shown", "dark ground", "thrown"):
        assert what in told, what
    page.write_text("<html><body style='background: #fff; color: #000'><p>fine</p></body></html>")
    assert not looked_at(browser, page)


def test_dead_links_are_found(tmp_path: Path) -> None:
    """What `make docs` refuses, each by name; what is in order is passed."""
    complaints = load(ROOT / "docs" / "build.py").complaints
    (tmp_path / "other.html").write_text("<p id='here'>")
    page = tmp_path / "page.html"
    page.write_text("<a href='other.html#here'></a><a href='#'></a><a href='https://example.org/x'></a>")
    assert not list(complaints(tmp_path))
    for wrong, message in {
        "<a href='gone.html'>": "page.html: gone.html leads nowhere",
        "<a href='other.html#there'>": "page.html: other.html#there names a place that is not on that page",
        "<a href='#there'>": "page.html: #there names a place that is not on that page",
        "<a href='https://nowhere'>": "page.html: https://nowhere is no address",
        "<img src='other.html'>": "page.html: the picture other.html has no alternative text",
        "<script src='https://example.org/x.js'>": "page.html: loads https://example.org/x.js, which is not there",
    }.items():
        page.write_text(wrong)
        (told,) = complaints(tmp_path)
        assert told.startswith(message)


def test_the_picture_of_the_readme_is_that_of_the_solver(site: Path) -> None:
    """Both it and the one that was drawn for the site say which numbers they show; they are the same."""
    kept, found = (
        json.loads(path.read_text(encoding="utf-8").split("<dc:description>")[1].split("</dc:description>")[0])
        for path in (
            ROOT / "docs" / "_static" / "frontier.svg",
            site.parent / "docs" / "_build" / "pictures" / "frontier.svg",
        )
    )
    assert list(kept) == list(found)
    for label, points in found.items():
        assert len(kept[label]) == len(points) > 10
        for (risk, earned), (shown_risk, shown_return) in zip(points, kept[label], strict=True):
            assert risk == pytest.approx(shown_risk, abs=2e-3)
            assert earned == pytest.approx(shown_return, abs=2e-3)
