"""Pictures of the gallery: figures that pyplot does not know, and a text for every thumbnail.

Sphinx-gallery finds pyplot's figures and takes their titles for the alternative texts. The package's own figures belong
to no window; `scrape` finds these. Thumbnails come without a text; `describe_thumbnails` gives each that of the first
picture of its page.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx_gallery.directives import imgsgnode
from sphinx_gallery.scrapers import figure_rst

#: Dots per inch: figures are small in inches, so that their letters can be read on a narrow page.
DPI = 120


def set_resolution(gallery_conf: Mapping[str, Any], fname: str) -> None:
    """Before every example: pyplot's figures as fine as ours."""
    import matplotlib as mpl

    mpl.rcParams["figure.dpi"] = DPI


def scrape(block: Any, block_vars: Mapping[str, Any], gallery_conf: Mapping[str, Any]) -> str:
    """Save the figures among the example's variables that a notebook would show of themselves, each once."""
    from matplotlib.figure import Figure

    pictures = []
    for figure in list(block_vars["example_globals"].values()):
        own = isinstance(figure, Figure) and hasattr(figure, "_repr_png_")  # pyplot's have none
        if not own or getattr(figure, "scraped", False):
            continue
        figure.scraped = True
        path = Path(next(block_vars["image_path_iterator"]))
        sharper = path.with_stem(f"{path.stem}_2_00x")
        figure.savefig(path, dpi=DPI)
        figure.savefig(sharper, dpi=2 * DPI)
        titles = [axes.get_title() for axes in figure.axes] + [text.get_text() for text in figure.texts]
        text = "; ".join(filter(None, titles))
        pictures.append(figure_rst([path], gallery_conf["src_dir"], text, [{0: path, 2: sharper}]))
    return "".join(pictures)


def describe_thumbnails(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Give every thumbnail the text of the first picture on the page that it leads to."""
    for image in doctree.findall(nodes.image):
        if image.get("alt") or "_thumb." not in image["uri"]:
            continue
        link = image.next_node(nodes.reference, ascend=True)
        page = os.path.normpath(os.path.join(os.path.dirname(docname), link["refuri"].removesuffix(".html")))
        pictures = [node["alt"] for node in app.env.get_doctree(page).findall(imgsgnode) if node["alt"]]
        image["alt"] = f"{link.astext()}; {pictures[0]}" if pictures else link.astext()


def _get_sg_image_scraper() -> Any:
    return scrape


def setup(app: Sphinx) -> dict[str, bool]:
    """Registered by name in conf.py."""
    app.connect("doctree-resolved", describe_thumbnails)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
