"""How the site is built: `make docs` (Sphinx, the pydata theme, numpydoc, sphinx-gallery)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))
os.environ["MPLBACKEND"] = "Agg"

from numpydoc.xref import DEFAULT_LINKS  # noqa: E402

import hybridmip  # noqa: E402

project = "HybridMIP"
author = "The HybridMIP developers"
project_copyright = author
version = release = hybridmip.__version__

extensions = [
    "myst_parser",
    "pictures",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "mathml",
    "benchmark_pages",
    "how",
    "reference",
    "sphinx_gallery.gen_gallery",
    "gallery",
]
highlight_language = "text"  # what is indented is mostly command lines
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "notebooks"]
nitpicky = False
suppress_warnings: list[str] = ["config.cache"]

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist"]
myst_heading_anchors = 3

default_role = "py:obj"  # `solve` in a docstring: code, and a link where there is such a name
toc_object_entries_show_parents = "hide"
autosummary_generate = True
numpydoc_show_class_members = False
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"  # but these names
numpydoc_xref_aliases = {
    **{word: word for word in DEFAULT_LINKS},  # which lead to sites of others
    **{name: f"hybridmip.{name}" for name in hybridmip.__all__},
    "PortfolioResult": "hybridmip.applications.portfolio.PortfolioResult",
}
autodoc_typehints = "none"

sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["examples"],
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"__init__\.py|(^|/)make_\w*\.py$",
    "copyfile_regex": r".*\.(csv|mps)$",
    "subsection_order": [
        f"../examples/{section}" for section in ("portfolios", "regression", "networks", "modellers", "extending")
    ],
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": ("matplotlib", "gallery"),
    "image_srcset": ["2x"],
    "reset_modules": ("matplotlib", "gallery.set_resolution"),
    "capture_repr": (),
    "notebook_extensions": set(),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e6,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_title = "HybridMIP"
html_context = {"default_mode": "auto"}  # dark or light as the reader's system is
html_show_sourcelink = False
html_copy_source = False
html_show_search_summary = False  # it fetches pages, which a browser refuses to do from the file system
html_theme_options = {
    "logo": {"text": "HybridMIP"},
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
}
