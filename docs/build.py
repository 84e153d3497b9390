"""Build the site, as `make docs` does: every example is run, a warning is an error, links and anchors are checked.

    python docs/build.py [FOLDER]

Nothing is fetched: addresses of other sites are checked for their form only.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

HERE = Path(__file__).resolve().parent
#: Attributes that name something that a page loads by itself, by the tag that has them.
LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "video": "src"}
#: Addresses of other sites.
ADDRESS = re.compile(r"https?://[\w.-]+\.[a-z]{2,}(:\d+)?(/\S*)?", re.IGNORECASE)


@dataclass
class Page(HTMLParser):
    """What a page links to, what it loads, which anchors it has, and its pictures without a text."""

    text: str
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    textless: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take notes."""
        given = dict(attrs)
        self.anchors |= {name for name in (given.get("id"), given.get("name") if tag == "a" else None) if name}
        if tag == "a" and given.get("href") is not None:
            self.links.append(given["href"] or "")
        if tag in LOADED and given.get(LOADED[tag]):
            self.loads.append(given[LOADED[tag]] or "")
        if tag == "img" and not (given.get("alt") or "").strip():
            self.textless.append(given.get("src") or "")


def complaints(folder: Path) -> Iterator[str]:
    """What is wrong with the pages in a folder: dead links, pictures without a text, what needs a network."""
    files = sorted(path for path in folder.rglob("*.html") if "_static" not in path.parts)
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in files}
    for path, page in pages.items():
        name = path.relative_to(folder.resolve())
        for picture in page.textless:
            yield f"{name}: the picture {picture} has no alternative text"
        for target in page.loads:
            if urlsplit(target).scheme not in ("", "data") or target.startswith("//"):
                yield f"{name}: loads {target}, which is not there without a network"
        for target in [*page.links, *page.loads]:
            parts = urlsplit(target)
            if parts.scheme in ("http", "https"):
                if not ADDRESS.fullmatch(target):
                    yield f"{name}: {target} is no address"
            elif parts.scheme not in ("mailto", "data", "javascript"):
                found = (path.parent / unquote(parts.path)).resolve() if parts.path else path
                if not found.is_file():
                    yield f"{name}: {target} leads nowhere"
                elif (
                    parts.fragment and found in pages and unquote(parts.fragment) not in pages[found].anchors | {"top"}
                ):
                    yield f"{name}: {target} names a place that is not on that page"


def build(out: Path, source: Path = HERE) -> int:
    """Build the site of a folder of sources; the exit code."""
    from sphinx.cmd.build import build_main

    made = source / "examples"  # by the gallery, which does not remove the pages of scripts that are gone
    for page in made.rglob("plot_*.rst"):
        if not (source.parent / "examples" / page.relative_to(made)).with_suffix(".py").is_file():
            page.unlink()
    if (out / "objects.inv").is_file():  # an earlier site, whose pages may be gone as well
        shutil.rmtree(out)
    code = int(build_main(["-b", "html", "-W", "--keep-going", "-q", "-d", f"{out}.cache", str(source), str(out)]))
    if code:
        return code
    found = list(complaints(out))
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "_build" / "html"))
