"""Formulas as MathML, which browsers draw themselves: no script, no font and no network."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.application import Sphinx
from sphinx.errors import SphinxError


def _mathml(node: nodes.Element, as_block: bool) -> str:
    """The formula of a node; one that cannot be read stops the build."""
    try:
        return str(latex2mathml.tex2mathml(node.astext(), as_block=as_block))
    except MathError as error:
        raise SphinxError(
            f"{node.source}: {node.line}: the formula {node.astext()!r} cannot be read: {error}"
        ) from error


def inline(writer: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    writer.body.append(_mathml(node, as_block=False))
    raise nodes.SkipNode


def display(writer: Any, node: nodes.math_block) -> None:
    """Write a formula of its own lines; wide ones scroll."""
    writer.body.append(f'<div class="math-display" tabindex="0">{_mathml(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Make it a renderer of formulas (`html_math_renderer = "mathml"`)."""
    app.add_html_math_renderer("mathml", inline_renderers=(inline, None), block_renderers=(display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
