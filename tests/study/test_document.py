"""Reports as blocks: the same content in Markdown and in a page that needs nothing else."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from hybridmip.study.document import Code, Document, Grid, Heading, Items, Picture, Text


def example() -> Document:
    """One block of every kind."""
    document = Document()
    document.add(
        Heading("A <title>", 1),
        Heading("Part one, *really*"),
        Text("**Bold**, *italic*, `a < b` and [a link](#part-one-really) & more: 2 * 3 * 4."),
        Items(["first", "second"]),
        Code("run --this\nrun --that"),
        Grid(["set", "mean|x"], [["port1", "1.5"], ["a|b", "–"]]),
        Picture("curve", "What `it` shows"),
    )
    return document


def test_markdown() -> None:
    """Tables have as many cells in every line, figures point into the folder."""
    text = example().markdown("parts")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {row.count("|") for row in rows} == {3}
    assert rows[1] == "| --- | ---: |"
    assert "![What it shows](parts/curve.png)" in text
    assert "    run --this\n    run --that" in text


def test_page() -> None:
    """Markup is closed, text is escaped, everything is inside."""
    page = example().html({"curve": b"<svg/>"})
    assert "A &lt;title&gt;" in page
    assert "<code>a &lt; b</code>" in page
    assert "<strong>Bold</strong>, <em>italic</em>" in page
    assert "2 * 3 * 4" in page
    assert '<a href="#part-one-really">a link</a>' in page
    assert 'id="part-one-really"' in page
    assert "data:image/svg+xml;base64,PHN2Zy8+" in page
    assert not re.search(r"(src|href)=\"https?:", page)
    assert "<script" not in page

    class Balance(HTMLParser):
        open: list[str] = []  # noqa: RUF012

        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag not in ("meta", "img", "br"):
                self.open.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.open.pop() == tag

    parser = Balance()
    parser.feed(page)
    assert parser.open == []
